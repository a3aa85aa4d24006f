//! Notes on what a run assumes of its machine (`docs/model.md` sections 19 and 22): its file, cables, and routes.

use cubefold_simulator::TrafficPattern;
use cubefold_topology::{GraphSource, Machine, NetworkParameters, NodeId, RouteChoice};

use super::Run;
use crate::execution::Spread;

pub(super) fn machine_notes(run: &Run) -> Vec<String> {
    let machine = &*run.machine;
    let mut notes = run.machine_notes.to_vec();
    if machine.assumes_uplinks() == Some(true) {
        notes.extend(assumed_cables(machine));
    }
    if machine.graph().is_some_and(|network| !network.levels().are_adjacent())
        && machine.assumes_uplinks().is_some()
    {
        notes.push("links between switches of one level, or that skip a level, have 1 cable.".to_owned());
    }
    let is_default = run.execution.routing.is_none() && run.communication.routers().is_none();
    if is_default && machine.route_choice() == Some(RouteChoice::DModK) {
        notes.push("routes: by destination (d-mod-k); lowest and spread are others.".to_owned());
    }
    let is_by_message = matches!(machine.route_choice(), Some(RouteChoice::Spread(_)))
        && run.execution.spread == Spread::Message;
    let nics = nics_of_hosts(machine);
    if nics > 1 && !is_by_message {
        // Shares of a rank choose links of their own.
        let shares = run.program.ranks.as_ref().map_or(1, |ranks| ranks.share_count);
        let of_a_share = if shares > 1 { " of one share" } else { "" };
        notes.push(format!(
            "all messages{of_a_share} from a host to another take one of its {nics} links; execution = {{ routing = \"spread\", \
             spread = \"message\" }} draws one for each."
        ));
    }
    notes.extend(split_nodes(run));
    notes.extend(idle_pattern(run));
    notes
}

/// A pattern whose shift by groups leads back to the terminal that makes a packet.
fn idle_pattern(run: &Run) -> Option<String> {
    let pattern = &run.program.open_loop.as_deref()?.traffic.pattern;
    let groups = |size: u32| run.machine.host_count() / u64::from(size.max(1));
    let count = match *pattern {
        TrafficPattern::Adversarial { group_size, groups_on } => {
            Some(groups(group_size)).filter(|&count| groups_on.is_multiple_of(count))
        }
        TrafficPattern::GroupTornado { group_size } => {
            Some(groups(group_size)).filter(|&count| count.div_ceil(2) == 1)
        }
        _ => None,
    }?;
    let name = pattern.full_name();
    Some(format!(
        "{name} of {count} groups: every packet is for the terminal that makes it, and crosses no link."
    ))
}

/// An algorithm by nodes whose placement spreads the ranks that it takes for those of a node.
fn split_nodes(run: &Run) -> Option<String> {
    let asked = run.program.asked_collective()?.specification()?;
    let of_node = usize::try_from(asked.ranks_per_node).ok().filter(|&ranks| ranks > 1)?;
    let is_by_nodes = asked.channels.is_some() || run.program.operations.is_some();
    if !is_by_nodes {
        return None;
    }
    let devices = run.machine.cluster().map_or(1, |cluster| cluster.devices_per_node);
    let mut nodes = run.placement.nodes();
    nodes.truncate(usize::try_from(run.program.rank_count()).unwrap_or(usize::MAX));
    let node = |device: &NodeId| u64::from(device.index()) / devices;
    let groups = nodes.chunks(of_node);
    let count = groups.len();
    let split = groups.filter(|ranks| ranks.iter().any(|rank| node(rank) != node(&ranks[0]))).count();
    (split > 0).then(|| {
        format!(
            "{} takes each {of_node} consecutive ranks for those of a node, but this placement spreads {split} of \
             {count} such groups over several nodes.",
            run.algorithm().unwrap_or_default(),
        )
    })
}

/// The links of each host, or the NICs of each device of a cluster, of which messages choose one.
fn nics_of_hosts(machine: &Machine) -> u64 {
    let Some(GraphSource::Parameters(parameters)) = machine.source() else { return 1 };
    match parameters {
        NetworkParameters::LeafSpine { nics, .. } | NetworkParameters::Dragonfly { nics, .. } => nics.count(),
        NetworkParameters::KAryTree { nics_per_host, .. } => *nics_per_host,
        NetworkParameters::Cluster(cluster) => cluster
            .outside
            .map_or(1, |outside| (outside.nics_per_node / cluster.devices_per_node.max(1)).max(1)),
        NetworkParameters::FullMesh { .. } | NetworkParameters::HyperX { .. } => 1,
    }
}

/// The cables that are assumed between switches, and how to say others.
fn assumed_cables(machine: &Machine) -> Option<String> {
    let uplinks = machine.uplinks();
    let network = machine.graph()?;
    let levels = network.levels();
    let of_level = |level: u32| machine.nodes().filter(move |&node| levels.of(node) == Some(level));
    let levels_up = (2_u32..).zip(&uplinks);
    // The cables of each pair of linked switches on two levels.
    let counts = |above: u32| {
        let up = |low| machine.neighbours(low).filter(move |&high| levels.of(high) == Some(above));
        let of_switch = |low| -> Vec<u64> {
            let all: Vec<NodeId> = up(low).collect();
            all.chunk_by(|one, other| one == other).map(|cables| cables.len() as u64).collect()
        };
        of_level(above - 1).flat_map(of_switch).collect::<Vec<u64>>()
    };
    let mut are_even = true;
    let parts: Vec<String> = levels_up
        .map(|(above, cables)| {
            let mut upper = of_level(above);
            let to = match (upper.next(), upper.next()) {
                (Some(only), None) => machine.node_name(only).unwrap_or("the switch above").to_owned(),
                _ => "each switch above".to_owned(),
            };
            let from = if above == 2 { "leaf".to_owned() } else { format!("switch of level {}", above - 1) };
            let least = counts(above).into_iter().min().unwrap_or(*cables);
            are_even &= least == *cables;
            let cables = if least < *cables { format!("{least} to {cables}") } else { cables.to_string() };
            format!("{cables} from each {from} to {to}")
        })
        .collect();
    let halves: Vec<String> = uplinks.iter().map(|uplink| (uplink / 2).to_string()).collect();
    let halved = match halves.as_slice() {
        [] => return None,
        [only] => only.clone(),
        all => format!("[{}]", all.join(", ")),
    };
    let is_halved = uplinks.iter().all(|uplink| uplink.is_multiple_of(2));
    let others = if are_even && is_halved {
        format!("A site with blocking 2 has uplinks = {halved}.")
    } else {
        "uplinks = [..] has a number for each level.".to_owned()
    };
    Some(format!("cables are assumed: {} (uplinks = \"full\"). {others}", parts.join(", ")))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use crate::load_text;

    #[test]
    fn traffic_that_stays_at_its_terminal_is_told() {
        let note = |machine: &str, pattern: &str| {
            let text = format!(
                "machine = {{ {machine}, switching = \"wormhole\" }}\n\
                 program = {{ kind = \"open-loop\", pattern = {pattern}, load = 0.1 }}\n"
            );
            let notes = load_text(Path::new("s.toml"), &text).unwrap().runs[0].notes();
            notes.into_iter().find(|note| note.contains("crosses no link"))
        };
        let dragonfly =
            "kind = \"dragonfly\", hosts_per_switch = 1, switches_per_group = 2, global_links = 1";
        let whole = "adv+3 of 3 groups: every packet is for the terminal that makes it, and crosses no link.";
        assert_eq!(note(dragonfly, "\"adv+3\"").as_deref(), Some(whole));
        assert_eq!(note(dragonfly, "\"adv+2\""), None);
        let mesh = "kind = \"mesh\", shape = [4, 4]";
        assert!(note(mesh, "\"group-tornado\", group_size = 8").is_some());
        assert_eq!(note(mesh, "\"group-tornado\", group_size = 4"), None);
    }
}
