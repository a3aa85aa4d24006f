//! Routes against their definition (`docs/model.md` sections 12 and 19): distances and numbers of routes by a search.

use super::*;
use crate::{Machine, MachineKind, NetworkParameters};

/// Machines of every family with up to 2^9 nodes, a twisted torus without a formula, listed links and failures.
fn machines() -> Vec<Machine> {
    let mut machines = vec![];
    for kind in MachineKind::ALL {
        let orders = kind.network_dimensions().into_iter().flatten();
        let made = orders.map(|order| Machine::of_dimensions(kind, order).unwrap());
        machines.extend(made.take_while(|machine| machine.node_count() <= 1 << 9));
    }
    let mut parameters: Vec<NetworkParameters> =
        [2, 3, 9].map(|nodes| NetworkParameters::FullMesh { nodes }).into();
    let shapes: [&[u64]; 6] = [&[5], &[3, 4], &[4, 2, 3], &[6, 6], &[3, 2, 4, 2], &[2; 6]];
    parameters
        .extend(shapes.map(|shape| NetworkParameters::HyperX { shape: shape.to_vec(), hosts_per_switch: 2 }));
    for (switches_per_group, global_links) in (1..=8).flat_map(|a| (1..=8).map(move |h| (a, h))) {
        let hosts_per_switch = 1 + switches_per_group % 2;
        let dragonfly = NetworkParameters::dragonfly(hosts_per_switch, switches_per_group, global_links);
        parameters.extend(Some(dragonfly).filter(|dragonfly| dragonfly.node_count() <= 250));
    }
    for (leaves, hosts_per_switch, spines) in [(1, 2, 1), (2, 1, 3), (4, 3, 2), (8, 8, 8), (5, 2, 7)] {
        parameters.push(NetworkParameters::leaf_spine(leaves, hosts_per_switch, spines));
    }
    for (arity, levels) in [(2, 1), (2, 2), (2, 5), (3, 1), (3, 3), (4, 3), (5, 2)] {
        parameters.push(NetworkParameters::k_ary_tree(arity, levels));
    }
    machines.extend(parameters.iter().map(|parameter| Machine::of_parameters(parameter).unwrap()));
    let twisted: [(&[u64], &[&[u64]]); 5] = [
        (&[4, 4, 8], &[&[0, 0, 4], &[0, 0, 4], &[0, 0, 0]]),
        (&[3, 5], &[&[0, 0], &[2, 0]]),
        (&[2, 6], &[&[0, 3], &[0, 0]]),
        (&[2, 3, 4], &[&[0, 1, 3], &[0, 0, 0], &[0, 0, 0]]),
        // The wraparound of one dimension adds to another whose own adds again: no formula.
        (&[4, 4, 4], &[&[0, 2, 0], &[0, 0, 1], &[0, 0, 0]]),
    ];
    machines.extend(twisted.map(|(lengths, twists)| {
        let twists: Vec<Vec<u64>> = twists.iter().map(|twist| twist.to_vec()).collect();
        Machine::twisted_torus(lengths, &twists).unwrap()
    }));
    let [zero, one, two] = [0, 1, 2].map(NodeId::new);
    let torus = Machine::new(MachineKind::Torus, &[4, 4, 4]).unwrap();
    machines.push(torus.with_failures(&[(zero, one)], &[two]).unwrap());
    machines.push(listed(&layers(&[3, 40, 2, 17])));
    machines.push(listed(&layers(&[8; 20]))); // more routes than are counted
    machines.push(listed(&layers(&[1; 300]))); // a path with distances above 254
    machines.push(listed(&[(0, 3), (3, 4), (1, 2)])); // two parts
    machines
}

/// All nodes of each level linked with all of the next.
fn layers(widths: &[u32]) -> Vec<(u32, u32)> {
    let firsts: Vec<u32> = (0..=widths.len()).map(|level| widths[..level].iter().sum()).collect();
    let between = |level: usize| {
        let next = firsts[level + 1]..firsts[level + 2];
        (firsts[level]..firsts[level + 1]).flat_map(move |one| next.clone().map(move |other| (one, other)))
    };
    (0..widths.len() - 1).flat_map(between).collect()
}

fn listed(links: &[(u32, u32)]) -> Machine {
    let nodes = links.iter().map(|&(one, other)| one.max(other) + 1).max().unwrap();
    Machine::network(MachineKind::Network, Network::from_edges(nodes, links).unwrap()).unwrap()
}

/// The next node by the definition, given the distances to the destination and the numbers of routes.
fn defined_next(network: &Network, choice: RouteChoice, row: &Row, ends: [NodeId; 3]) -> Option<NodeId> {
    let [_, at, _] = ends;
    let links = row.distance(at.index())?;
    let nearer =
        network.neighbours(at).iter().filter(|next| row.distance(next.index()).unwrap() + 1 == links);
    let RouteChoice::Spread(seed) = choice else { return nearer.copied().next() };
    let count = |next: &NodeId| row.route_count(next.index()).unwrap();
    let mut drawn = route_hash(seed, ends, RouteKey::Ends).checked_rem(nearer.clone().map(count).sum())?;
    for next in nearer {
        if drawn < count(next) {
            return Some(*next);
        }
        drawn -= count(next);
    }
    None
}

#[test]
fn routes_are_those_of_the_definition() {
    for machine in machines() {
        let network = machine.graph().unwrap();
        for to in machine.nodes().step_by(if machine.node_count() > 100 { 13 } else { 1 }) {
            let row = Row::counted(network, to);
            for choice in [RouteChoice::Lowest, RouteChoice::Spread(7)] {
                let routes = NetworkRoutes::new(network, choice);
                for at in machine.nodes() {
                    assert_eq!(routes.distance(at, to), row.distance(at.index()), "{:?}", machine.source());
                    let from = NodeId::new(at.index() / 3); // any node: the hash needs no route from it
                    let expected = defined_next(network, choice, &row, [from, at, to]);
                    let found = routes.next_node(from, at, to);
                    assert_eq!(found, expected, "{:?} {choice:?} {at} {to}", machine.source());
                }
            }
        }
    }
}

#[test]
fn distances_of_long_words_are_those_of_a_search() {
    for (kind, order) in
        [(MachineKind::DeBruijn, 13), (MachineKind::ShuffleExchange, 13), (MachineKind::Butterfly, 9)]
    {
        let machine = Machine::of_dimensions(kind, order).unwrap();
        let network = machine.graph().unwrap();
        let routes = NetworkRoutes::new(network, RouteChoice::Lowest);
        for to in [0, 1, 1234, 4110].map(NodeId::new) {
            let searched = network.distances_to(to);
            assert!(
                machine.nodes().all(|at| routes.distance(at, to) == searched[at.index() as usize]),
                "{kind} {to}"
            );
        }
    }
}
