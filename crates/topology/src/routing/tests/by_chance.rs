//! Routes that are drawn: by the numbers of routes that a search finds, and all equally likely.

use super::{
    super::*,
    machines,
    moving::{Numbered, move_to},
};
use crate::{Machine, MachineKind, NetworkParameters, NodeId, RouteChoice, TieRule, network::RouteCounts};

/// Compares the routes that are drawn, and the numbers of routes that begin with each link, with those of a search.
fn check_routes_by_chance(kind: MachineKind, order: u64, step: usize) {
    let machine = Machine::of_dimensions(kind, order).unwrap();
    let network = machine.graph().unwrap();
    let rule = network.rule();
    for to in machine.nodes().step_by(step) {
        let searched = network.routes_to(to);
        let routes = |node: u32| searched.routes[node as usize];
        let links = |node: u32| searched.distance(node);
        for from in machine.nodes().filter(|&from| from != to) {
            let nearer = network.neighbours(from).iter().map(|next| next.index());
            let nearer = nearer.filter(|&next| links(next) < links(from.index()));
            let found = rule.nearer_words(from.index(), to.index()).unwrap();
            let found = found.iter().map(|next| (next.word, next.routes));
            assert!(found.eq(nearer.map(|next| (next, routes(next)))), "{kind} {order} {from} {to}");

            let choice = RouteChoice::Spread(u64::from(from.index() % 5));
            let hash = |at| RouteHash::of_choice(choice, [from, to], NodeId::new(at));
            let (length, mut steps) = rule.steps_by_chance(from.index(), to.index(), hash).unwrap();
            assert_eq!(length, links(from.index()));
            let mut at = from;
            for _ in 0..length {
                let expected = network.neighbour(at, network.next(choice, from, at, to).unwrap());
                at = NodeId::new(rule.take_step(at.index(), &mut steps));
                assert_eq!(Some(at), expected, "{kind} {order} {from} {to}");
            }
            assert_eq!(at, to);
        }
    }
}

#[test]
fn routes_between_words_drawn_together_are_those_drawn_link_by_link_from_tables() {
    for kind in [MachineKind::DeBruijn, MachineKind::ShuffleExchange] {
        for order in kind.network_dimensions().unwrap().take_while(|&order| order <= 10) {
            check_routes_by_chance(kind, order, if order > 7 { 61 } else { 1 });
        }
    }
}

#[test]
#[ignore = "long"]
fn routes_between_any_two_of_a_thousand_words_are_those_drawn_from_tables() {
    for kind in [MachineKind::DeBruijn, MachineKind::ShuffleExchange] {
        (8..=10).for_each(|order| check_routes_by_chance(kind, order, 1));
    }
    for kind in [MachineKind::DeBruijn, MachineKind::ShuffleExchange] {
        (11..=12).for_each(|order| check_routes_by_chance(kind, order, 367));
    }
}

/// The next node of a route that is drawn by the numbers of routes that a search has found.
fn drawn_next(
    network: &Network,
    searched: &RouteCounts,
    choice: RouteChoice,
    [from, at, to]: [NodeId; 3],
) -> NodeId {
    let own = searched.distance(at.index());
    let nearer = network.neighbours(at).iter().filter(|next| searched.distance(next.index()) + 1 == own);
    let routes = |next: &NodeId| searched.routes[next.index() as usize];
    let all: u64 = nearer.clone().map(routes).sum();
    let mut drawn = RouteHash::of_choice(choice, [from, to], at) % all;
    let is_drawn = |next: &&NodeId| {
        let is_own = drawn < routes(next);
        drawn = drawn.saturating_sub(routes(next));
        is_own
    };
    *nearer.into_iter().find(is_drawn).unwrap()
}

/// Compares the routes that are drawn between hosts of a fat tree with those drawn link by link by the numbers of routes that
/// a search finds.
fn check_routes_of_tree(parameters: &NetworkParameters, step: usize) {
    let machine = Machine::of_parameters(parameters).unwrap();
    let network = machine.graph().unwrap();
    for to in machine.hosts().step_by(step) {
        let searched = network.routes_to(to);
        for from in machine.hosts().step_by(step) {
            for choice in
                [RouteChoice::Lowest, RouteChoice::Spread(from.index().into()), RouteChoice::Spread(1)]
            {
                let (links, mut steps) = network.steps(choice, from, to).unwrap();
                assert_eq!(links, searched.distance(from.index()));
                let mut at = from;
                for _ in 0..links {
                    let expected = drawn_next(network, &searched, choice, [from, at, to]);
                    let direction = network.next_of_steps(at, &mut steps).unwrap();
                    at = network.neighbour(at, direction).unwrap();
                    assert_eq!(at, expected, "{parameters} {choice:?} {from} {to}");
                }
                assert_eq!((at, steps), (to, RouteSteps::default()));
            }
        }
    }
}

#[test]
fn routes_of_fat_trees_are_those_drawn_link_by_link_by_numbers_of_routes() {
    for (leaves, hosts_per_switch, spines) in
        [(1, 2, 1), (2, 1, 1), (2, 1, 3), (4, 3, 2), (5, 2, 7), (3, 4, 11)]
    {
        check_routes_of_tree(&NetworkParameters::LeafSpine { leaves, hosts_per_switch, spines }, 1);
    }
    for (arity, levels) in [(2, 1), (2, 4), (3, 1), (3, 3), (4, 2), (5, 2), (7, 2), (70, 1)] {
        check_routes_of_tree(&NetworkParameters::KAryTree { arity, levels }, 1);
    }
    for (arity, levels, step) in [(2, 10, 73), (3, 6, 41), (4, 5, 67), (6, 4, 83), (17, 2, 31)] {
        check_routes_of_tree(&NetworkParameters::KAryTree { arity, levels }, step);
    }
}

/// All nodes of each level linked with all of the next.
fn levels(widths: &[u32]) -> Network {
    let firsts: Vec<u32> = (0..=widths.len()).map(|level| widths[..level].iter().sum()).collect();
    let between = |level: usize| {
        let above = firsts[level + 1]..firsts[level + 2];
        (firsts[level]..firsts[level + 1]).flat_map(move |own| above.clone().map(move |other| (own, other)))
    };
    let links: Vec<(u32, u32)> = (0..widths.len() - 1).flat_map(between).collect();
    Network::from_edges(firsts[widths.len()], &links).unwrap()
}

#[test]
fn routes_that_are_looked_up_are_those_drawn_link_by_link_by_numbers_of_routes() {
    let mut word = 1_u32;
    let mut random = |below: u32| {
        word = word.wrapping_mul(1_664_525).wrapping_add(1_013_904_223); // Knuth 1997, 3.3.4
        (word >> 8) % below
    };
    // Few neighbours and many; more routes than are counted, from nodes with few nearer neighbours and with many.
    let mut networks = vec![levels(&[3, 40, 2, 17]), levels(&[4; 28]), levels(&[8; 20]), levels(&[1; 70])];
    assert!(networks[1..3].iter().all(|own| own.routes_to(NodeId::new(0)).routes.contains(&MAX_ROUTE_COUNT)));
    for (nodes, links) in [(12, 20), (40, 70), (40, 700), (60, 400), (150, 500)] {
        let links: Vec<_> = (0..links).map(|_| (random(nodes), random(nodes))).collect();
        networks.push(Network::from_edges(nodes, &links).unwrap());
    }
    let mut drawn = 0;
    for network in &networks {
        let nodes: Vec<NodeId> = (0..network.node_count()).map(|node| NodeId::new(narrow(node))).collect();
        for &to in nodes.iter().step_by(7) {
            let searched = network.routes_to(to);
            for seed in 0..3 {
                let choice = RouteChoice::Spread(seed);
                for &from in &nodes {
                    let mut at = from;
                    let links = if searched.routes[from.index() as usize] > 0 {
                        searched.distance(from.index())
                    } else {
                        0
                    };
                    assert_eq!(network.set_out(choice, from, to).0, links);
                    for _ in 0..links {
                        let expected = drawn_next(network, &searched, choice, [from, at, to]);
                        let direction = network.next(choice, from, at, to).unwrap();
                        at = network.neighbour(at, direction).unwrap();
                        assert_eq!(at, expected);
                        drawn += 1;
                    }
                }
                let connected: Vec<NodeId> =
                    nodes.iter().copied().filter(|from| searched.routes[from.index() as usize] > 0).collect();
                move_to(network, choice, &connected, to, &mut Numbered::default());
            }
        }
    }
    assert!(drawn > 10_000);
}

#[test]
fn routes_by_chance_are_shortest_and_all_equally_likely() {
    for machine in machines().into_iter().filter(|machine| machine.node_count() <= 64) {
        let machine = machine.with_route_choice(RouteChoice::Spread(7));
        for (from, to) in machine.nodes().flat_map(|from| machine.nodes().map(move |to| (from, to))) {
            let links = machine.route(from, to, TieRule::Direct).count() as u64;
            assert_eq!(links, machine.distance(from, to));
        }
    }
    // From host 0 to host 5 of a tree of 3 leaves and 4 spines, by every spine as often as by another.
    let tree = NetworkParameters::LeafSpine { leaves: 3, hosts_per_switch: 2, spines: 4 };
    let tree = Machine::of_parameters(&tree).unwrap();
    let [from, to] = [0, 5].map(NodeId::new);
    let mut by_spine = [0; 4];
    for seed in 0..4000 {
        let machine = tree.clone().with_route_choice(RouteChoice::Spread(seed));
        let spine = machine.route(from, to, TieRule::Direct).nth(2).unwrap().node;
        by_spine[spine.index() as usize - 9] += 1;
    }
    assert!(by_spine.iter().all(|count| (900..1100).contains(count)), "{by_spine:?}");
    // From a corner of a cube to the opposite one: six routes.
    let cube = Machine::new(MachineKind::Hypercube, &[2; 4]).unwrap();
    let cube = cube.with_failures(&[], &[NodeId::new(15)]).unwrap();
    let mut routes = std::collections::BTreeMap::new();
    for seed in 0..6000 {
        let machine = cube.clone().with_route_choice(RouteChoice::Spread(seed));
        let route = machine.route(NodeId::new(0), NodeId::new(7), TieRule::Direct);
        *routes.entry(route.map(|channel| channel.node).collect::<Vec<_>>()).or_insert(0) += 1;
    }
    assert_eq!(routes.len(), 6);
    assert!(routes.values().all(|count| (900..1100).contains(count)), "{routes:?}");
}
