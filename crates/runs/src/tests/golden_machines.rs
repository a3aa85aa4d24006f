//! The machines, routes and bounds of `tests/golden/truth.json`.

use std::collections::{BTreeMap, BTreeSet};

use cubefold_simulator::CutSet;
use cubefold_topology::{Channel, Machine, NodeId, RouteKey, TieRule, mix};
use serde_json::Value;

use super::golden_truth::{file, loaded};
use crate::support::toml;

/// The number of parallel links before the one of a channel, and the node that it leads to.
fn cable(machine: &Machine, channel: Channel) -> [u64; 3] {
    let network = machine.graph().unwrap();
    let neighbours = network.neighbours(channel.node);
    let port = channel.direction.dimension.index();
    let first = neighbours.iter().position(|&other| other == neighbours[port]).unwrap();
    [channel.node.index().into(), neighbours[port].index().into(), (port - first) as u64]
}

#[test]
fn routes_are_those_of_the_golden_cases() {
    let file = file();
    for case in &file.routes {
        let machine = match &case.machine {
            Value::String(name) => {
                let named = file.cases.iter().find(|case| case.name == *name).unwrap();
                let text = format!(
                    "[machine]\n{}\n[program]\nkind = \"barrier\"\nalgorithm = \"dissemination\"\n",
                    named.machine.as_deref().unwrap()
                );
                loaded(&text, &BTreeMap::new()).machine
            }
            machine => {
                let execution = case.execution.as_ref().map_or("{}".to_owned(), toml);
                let text = format!(
                    "seed = {}\nmachine = {}\nprogram = {{ kind = \"barrier\", algorithm = \"dissemination\" }}\n\
                     execution = {execution}\n",
                    case.seed,
                    toml(machine)
                );
                loaded(&text, &BTreeMap::new()).machine
            }
        };
        let is_drawn = case.execution.as_ref().is_some_and(|execution| execution["routing"] == "spread");
        let key = match case.args[..] {
            [source, destination, stage, ordinal, _] if is_drawn => {
                let parts = [source, destination, stage, ordinal];
                RouteKey::Hash(parts.into_iter().fold(mix(case.seed), |hash, part| mix(hash ^ part)))
            }
            [.., share] => RouteKey::Share(u32::try_from(share).unwrap()),
            [] => RouteKey::Ends,
        };
        let ends = [case.source, case.destination].map(NodeId::new);
        let route = machine.route_of_message(ends[0], ends[1], TieRule::Direct, key);
        let found: Vec<[u64; 3]> = route.map(|channel| cable(&machine, channel)).collect();
        assert_eq!(found, case.route, "{} to {} of {}", case.source, case.destination, case.machine);
    }
}

#[test]
fn machines_have_the_links_of_the_golden_cases() {
    let cases = file().cases.into_iter().filter(|case| case.name.ends_with("-links"));
    let mut count = 0;
    for case in cases {
        let machine = case.run().machine;
        let network = machine.graph().unwrap();
        let found = [machine.host_count(), machine.node_count(), machine.link_count()];
        assert_eq!(found, ["hosts", "vertices", "links"].map(|key| case.number(key)), "{}", case.name);
        let pairs: BTreeSet<(NodeId, NodeId)> = network.links().collect();
        assert_eq!(pairs.len() as u64, case.number("pairs"), "{}", case.name);
        let mut degrees: BTreeMap<(bool, String), u64> = BTreeMap::new();
        for node in machine.nodes() {
            let degree = network.neighbours(node).len().to_string();
            *degrees.entry((machine.is_host(node), degree)).or_default() += 1;
        }
        for (key, is_host) in [("host", true), ("switch", false)] {
            for (degree, nodes) in case.more["degrees"][key].as_object().unwrap() {
                let found = degrees.remove(&(is_host, degree.clone()));
                assert_eq!(found, nodes.as_u64(), "{} {key} {degree}", case.name);
            }
        }
        assert!(degrees.is_empty(), "{} {degrees:?}", case.name);
        count += 1;
    }
    assert_eq!(count, 11);
}

#[test]
fn bounds_are_those_of_the_golden_cases() {
    // Case l5 is l4 by two sweeps, which find the same there.
    for name in ["l1", "l2", "l3", "l4", "l5", "l6", "l7", "l8"] {
        let case = file().cases.into_iter().find(|case| case.name == name).unwrap();
        let run = case.run();
        let bounds = run.collective_bounds().unwrap();
        // Section 24 leaves all-to-alls to the cuts; the file counts the units that enter a node as bandwidth only.
        let bandwidth = if name == "l2" { case.number("bandwidth") } else { bounds.bandwidth_cycles };
        let is_of_node = bounds.cut.is_some_and(|cut| matches!(cut.set, CutSet::Node(_)));
        let cut = if is_of_node { case.number("cut") } else { bounds.cut_cycles() };
        assert_eq!(
            [bandwidth, bounds.latency_cycles, cut, bounds.lower_bound_cycles()],
            ["bandwidth", "latency", "cut", "bound"].map(|key| case.number(key)),
            "{name}: {:?}",
            bounds.cut
        );
    }
}
