//! Refuses machines whose hosts are not connected, and messages without a route: they have no meaningful distance,
//! bound or makespan.
//!
//! Where hosts do not forward, a connected machine may have hosts without a route between them, for example rails
//! without spines. Such a machine runs programs whose messages all have routes.
//!
//! Networks from files and machines with failures are checked where they are made.

use cubefold_mapping::{Placement, TableMethod};
use cubefold_topology::{Machine, NodeId};

use super::{
    errors::ScenarioError,
    keys::Key,
    mapping::{Fit, Placed},
    settings::Settings,
    value::Size,
};

/// Reports a machine that falls into parts without a link between them.
pub(super) fn check(settings: &Settings<'_>, machine: &Machine, size: &Size) -> Option<()> {
    let Some(network) = machine.graph() else { return Some(()) };
    let hosts: Vec<NodeId> = machine.hosts().collect();
    let parts = network.parts_of_hosts(&hosts);
    let [(one, _), (other, _), ..] = parts[..] else { return Some(()) };
    let [one, other] = [one, other].map(|host| name(machine, host));
    let all = parts_in_words(machine, &parts);
    let message = format!("no route between {one} and {other}, expected a connected machine: it has {all}");
    settings.fail(error(settings, machine, size, message).with_help(help(machine)))
}

/// Reports the first message without a route, for the first of these placements that has one.
pub(super) fn check_messages(fit: &Fit<'_>, placed: &[Placed]) {
    let machine = fit.whole;
    let may_be_apart = machine.graph().is_some_and(|network| !network.hosts_forward());
    let Some(routes) = machine.network_routes().filter(|_| may_be_apart) else { return };
    if machine.two_hosts_apart().is_none() {
        return;
    }
    let apart = |placement: &Placement| {
        let tables = fit.program.guest().translation_tables(placement, TableMethod::Evaluation).ok()?;
        let mut messages =
            tables.flat_map(|table| table.entries.into_iter().map(move |(_, to)| (table.node, to)));
        messages.find(|&(from, to)| routes.distance(from, to).is_none())
    };
    if let Some((from, to)) = placed.iter().find_map(|placed| apart(&placed.placement)) {
        let [one, other] = [from, to].map(|host| name(machine, host));
        let message = format!(
            "no route that leads through no host between {one} and {other}, expected one for every message"
        );
        let help = "leave out hosts_forward, or set it to true: messages then pass through hosts";
        fit.settings.report(error(fit.settings, machine, fit.size, message).with_help(help));
    }
}

fn error(settings: &Settings<'_>, machine: &Machine, size: &Size, message: String) -> ScenarioError {
    let label = format!("this {}", machine.kind());
    ScenarioError::at(&size.place, message, label)
        .because(settings.place(Key::MachineOutside), "the links between nodes")
        .because(settings.place(Key::MachineInside), "the links inside a node")
        .because(settings.place(Key::MachineHostsForward), "whether messages pass through hosts")
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
    match machine.cluster() {
        Some(cluster) => {
            let (number, devices) = (u64::from(host.index()), cluster.devices_per_node);
            format!("device {} of node {}", number % devices, number / devices)
        }
        None => format!("node {host}"),
    }
}

/// The setting that connects the machine.
fn help(machine: &Machine) -> &'static str {
    match machine.cluster() {
        Some(cluster) if cluster.outside.is_none() => {
            "inside links the devices of a node: \"switch\", \"full-mesh\", \"ring\" or \"hypercube\""
        }
        Some(_) => "outside.spines links the leaves with each other: spines = 1",
        None => "",
    }
}
