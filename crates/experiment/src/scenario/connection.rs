//! Refuses machines whose hosts do not all reach one another: no distance, bound or makespan of theirs means anything.
//!
//! Networks from files and machines with failures are checked where they are made.

use cubefold_topology::{ClusterInside, GraphSource, Machine, NetworkParameters, NodeId};

use super::{errors::ScenarioError, keys::Key, settings::Settings, value::Size};

/// Reports two hosts without a route, and the parts that the machine falls into.
pub(super) fn check(
    settings: &Settings<'_>,
    machine: &Machine,
    size: &Size,
    errors: &mut Vec<ScenarioError>,
) -> Option<()> {
    let network = machine.graph()?;
    let hosts: Vec<NodeId> = machine.hosts().collect();
    let Some((one, other)) = network.hosts_apart(&hosts) else { return Some(()) };
    let parts = network.parts_of_hosts(&hosts);
    let [one, other] = [one, other].map(|host| name(machine, host));
    let message = if parts.len() > 1 {
        let all = parts_in_words(machine, &parts);
        format!("no route between {one} and {other}, expected a connected machine: it has {all}")
    } else {
        format!("no route that leads through no host between {one} and {other}, expected one between all")
    };
    let error = ScenarioError::at(&size.place, message, "not connected");
    errors.push(
        error
            .because(settings.place(Key::MachineOutside), "the links between nodes")
            .because(settings.place(Key::MachineInside), "the links inside a node")
            .because(settings.place(Key::MachineHostsForward), "whether messages pass through hosts")
            .with_help(help(machine, parts.len() > 1)),
    );
    None
}

/// The parts, each by its first host: `2 parts: device 0 of node 0 and 7 more; device 0 of node 1`.
fn parts_in_words(machine: &Machine, parts: &[(NodeId, u64)]) -> String {
    const SHOWN: usize = 4;
    let part = |&(first, hosts): &(NodeId, u64)| match hosts {
        1 => name(machine, first),
        _ => format!("{} and {} more", name(machine, first), hosts - 1),
    };
    let shown: Vec<String> = parts.iter().take(SHOWN).map(part).collect();
    let more = if parts.len() > SHOWN { "; .." } else { "" };
    format!("{} parts: {}{more}", parts.len(), shown.join("; "))
}

/// A host in words.
fn name(machine: &Machine, host: NodeId) -> String {
    if let Some(name) = machine.node_name(host) {
        return format!("host {name}");
    }
    match machine.source() {
        Some(GraphSource::Parameters(NetworkParameters::Cluster(cluster))) => {
            let (number, devices) = (u64::from(host.index()), cluster.devices_per_node);
            format!("device {} of node {}", number % devices, number / devices)
        }
        _ => format!("node {host}"),
    }
}

/// The setting that connects the machine.
fn help(machine: &Machine, has_parts: bool) -> &'static str {
    let Some(GraphSource::Parameters(NetworkParameters::Cluster(cluster))) = machine.source() else {
        return "";
    };
    match &cluster.outside {
        _ if !has_parts => "leave out hosts_forward, or set it to true: messages then pass through devices",
        None => "inside links the devices of a node: \"switch\", \"full-mesh\", \"ring\" or \"hypercube\"",
        Some(outside) if outside.spines == 0 && cluster.inside == ClusterInside::None => {
            "outside.spines links the leaves with each other; inside links the devices of a node"
        }
        Some(_) => "outside.spines links the leaves with each other: spines = 1",
    }
}
