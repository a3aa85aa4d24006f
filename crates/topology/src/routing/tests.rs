mod by_chance;
mod moving;

use super::*;
use crate::{Machine, MachineKind, NetworkParameters, NodeId};

/// Shapes of HyperX with few and many dimensions.
const HYPERX_SHAPES: [&[u64]; 10] = [
    &[2],
    &[5],
    &[3, 4],
    &[2, 2, 2],
    &[4, 2, 3],
    &[6, 6],
    &[2, 2, 2, 2],
    &[3, 2, 4, 2, 3],
    &[2; 7],
    &[2; 8], // whose routes do not go along with messages
];

/// Machines of every family with up to 2^10 nodes.
fn machines() -> Vec<Machine> {
    let mut machines = vec![];
    for kind in MachineKind::ALL {
        let orders = kind.network_dimensions().into_iter().flatten();
        let made = orders.map(|order| Machine::of_dimensions(kind, order).unwrap());
        machines.extend(made.take_while(|machine| machine.node_count() <= 1 << 10));
    }
    let mut parameters: Vec<NetworkParameters> = HYPERX_SHAPES
        .iter()
        .map(|shape| NetworkParameters::HyperX { shape: shape.to_vec(), hosts_per_switch: 2 })
        .collect();
    // Places of hosts have more bits than coordinates.
    parameters.push(NetworkParameters::HyperX { shape: vec![2, 2], hosts_per_switch: 14 });
    parameters.extend([2, 3, 9, 40].map(|nodes| NetworkParameters::FullMesh { nodes }));
    let small =
        (1..=8).flat_map(|a| (1..=8).map(move |h| (1, a, h))).filter(|(_, a, h)| a * (a * h + 1) <= 150);
    let several_hosts = [(2, 1, 3), (2, 4, 2), (3, 6, 2)];
    parameters.extend(small.chain(several_hosts).map(
        |(hosts_per_switch, switches_per_group, global_links)| NetworkParameters::Dragonfly {
            hosts_per_switch,
            switches_per_group,
            global_links,
        },
    ));
    for (leaves, hosts_per_switch, spines) in [(1, 2, 1), (2, 1, 3), (4, 3, 2), (8, 8, 8), (5, 2, 7)] {
        parameters.push(NetworkParameters::LeafSpine { leaves, hosts_per_switch, spines });
    }
    for (arity, levels) in [(2, 1), (2, 2), (2, 5), (3, 1), (3, 3), (4, 3), (5, 2), (6, 3)] {
        parameters.push(NetworkParameters::KAryTree { arity, levels });
    }
    machines.extend(parameters.iter().map(|own| Machine::of_parameters(own).unwrap()));
    let twisted: [(&[u64], &[&[u64]]); 7] = [
        (&[4, 4, 8], &[&[0, 0, 4], &[0, 0, 4], &[0, 0, 0]]),
        (&[4, 8, 8], &[&[0, 4, 4], &[0, 0, 0], &[0, 0, 0]]),
        (&[6, 4], &[&[0, 1], &[0, 0]]),
        (&[3, 5], &[&[0, 0], &[2, 0]]),
        (&[2, 6], &[&[0, 3], &[0, 0]]),
        (&[2, 3, 4], &[&[0, 1, 3], &[0, 0, 0], &[0, 0, 0]]),
        // One wraparound adds to a dimension whose own adds again: searched.
        (&[4, 4, 4], &[&[0, 2, 0], &[0, 0, 1], &[0, 0, 0]]),
    ];
    machines.extend(twisted.map(|(lengths, twists)| {
        let twists: Vec<Vec<u64>> = twists.iter().map(|twist| twist.to_vec()).collect();
        Machine::twisted_torus(lengths, &twists).unwrap()
    }));
    machines
}

#[test]
fn formulas_have_the_distances_and_routes_of_a_search() {
    for machine in machines() {
        let network = machine.graph().unwrap();
        let rule = network.rule();
        let (mut formulas, mut counted) = (0, 0);
        for to in machine.nodes().step_by(if machine.node_count() > 300 { 7 } else { 1 }) {
            let searched = network.searched_distances_to(to);
            assert_eq!(network.distances_to(to), searched);
            let counts = network.routes_to(to);
            for at in machine.nodes() {
                let place = at.index() as usize;
                let Some(distance) = rule.distance(network, at.index(), to.index()) else { continue };
                formulas += 1;
                assert_eq!(Some(distance), searched[place], "{:?} {at} {to}", machine.source());
                if let Some(count) = rule.route_count(network, at.index(), to.index()) {
                    assert_eq!(count, counts.routes[place], "{:?} {at} {to}", machine.source());
                    counted += 1;
                }
                if at != to && !matches!(rule, RouteRule::Searched) {
                    let nearer = |next: &NodeId| searched[next.index() as usize] < searched[place];
                    check_ports(network, [at, to], network.neighbours(at).iter().map(nearer));
                }
            }
        }
        let is_searched = matches!(rule, RouteRule::Searched);
        assert_eq!(formulas > 0, !is_searched);
        assert_eq!(counted > 0, !is_searched && !rule.is_slow());
    }
}

/// Compares what a formula says of the ports from one node to another with those that a search finds nearer.
fn check_ports(network: &Network, [at, to]: [NodeId; 2], is_nearer: impl Iterator<Item = bool>) {
    let rule = network.rule();
    let is_nearer: Vec<bool> = is_nearer.collect();
    let lowest = is_nearer.iter().position(|&is_nearer| is_nearer).unwrap();
    let port = rule.lowest_port(network, at.index(), to.index());
    // The formula of k-ary trees is of hosts.
    let is_to_switch = matches!(rule, RouteRule::FatTree(_)) && u64::from(to.index()) >= network.host_count();
    if !(is_to_switch && port.is_none()) {
        assert_eq!(port.map(usize::from), Some(lowest), "{rule:?} {at} {to}");
    }
    if let Some(ports) = rule.nearer_ports(network, at.index(), to.index()) {
        let found: Vec<bool> = (0..is_nearer.len()).map(|port| ports >> (8 * port) & 0xff != 0).collect();
        assert_eq!(found, is_nearer, "{at} {to}");
    }
    if let Some((first, count)) = rule.alike_ports(at.index(), to.index()) {
        let (first, count) = (usize::from(first), usize::try_from(count).unwrap());
        let found: Vec<bool> =
            (0..is_nearer.len()).map(|port| (first..first + count).contains(&port)).collect();
        assert_eq!(found, is_nearer, "{rule:?} {at} {to}");
        let counts = |port: usize| {
            let next = network.neighbours(at)[port].index();
            rule.route_count(network, next, to.index())
        };
        assert!((first..first + count).all(|port| counts(port) == counts(first)), "{rule:?} {at} {to}");
    }
}

#[test]
fn the_links_of_a_whole_route_are_those_found_one_after_another() {
    let mut checked = 0;
    for machine in machines() {
        let network = machine.graph().unwrap();
        let rule = network.rule();
        for to in machine.nodes().step_by(if machine.node_count() > 300 { 7 } else { 1 }) {
            for from in machine.nodes() {
                let (mut at, to) = (from.index(), to.index());
                let Some((links, mut steps)) = rule.steps(at, to) else { continue };
                assert_eq!(Some(links), rule.distance(network, at, to));
                for _ in 0..links {
                    let port = rule.lowest_port(network, at, to).unwrap();
                    let next = network.neighbours(NodeId::new(at))[usize::from(port)].index();
                    at = rule.take_step(at, &mut steps);
                    assert_eq!(at, next);
                }
                assert_eq!(at, to);
                checked += 1;
            }
        }
    }
    assert!(checked > 0);
}

/// So many pairs of words of 11 to 20 bits, of several kinds.
pub(super) fn long_words(order: u32, pairs: usize) -> impl Iterator<Item = (u32, u32)> {
    let mut word = order;
    let mut random = move || {
        word = word.wrapping_mul(1_664_525).wrapping_add(1_013_904_223); // Knuth 1997, 3.3.4
        word >> 12
    };
    (0..pairs).map(move |count| {
        // Also words of few ones, of runs, and of periods: many of their routes are shortest.
        let (sparse, runs) = (random() & random() & random(), random() / 8 * 255);
        let period = 1 + random() % 6;
        let pattern = random() % (1 << period);
        let periodic = (0..20).fold(0, |word, place| word | (pattern >> (place % period) & 1) << place);
        let from = [random(), sparse, runs, periodic][count % 4];
        let near = [from ^ 1 << (count % 11), periodic ^ 1 << (random() % 20)];
        let to = [random(), random() & random() & random(), near[0], near[1]][count / 4 % 4];
        (from % (1 << order), to % (1 << order))
    })
}

#[test]
fn the_links_of_a_whole_route_between_long_words_are_those_found_one_after_another() {
    for order in 11..=20 {
        for (from, to) in long_words(order, 3000) {
            let (links, mut steps) = ShuffleExchange::steps(order, from, to);
            let mut at = from;
            for _ in 0..links {
                let next = shuffle_exchange::after(order, at, steps.take());
                assert_eq!(next, ShuffleExchange::lowest(order, at, to), "{order} {from} {to} {at}");
                at = next;
            }
            assert_eq!(at, to);
            let (links, mut steps) = DeBruijn::new(order, from, to).steps();
            let mut at = from;
            for _ in 0..links {
                let next = de_bruijn::after(order, at, steps.take());
                assert_eq!(next, DeBruijn::new(order, at, to).lowest(), "{order} {from} {to} {at}");
                at = next;
            }
            assert_eq!(at, to);
        }
    }
}

#[test]
fn formulas_of_words_hold_for_long_words() {
    let kinds =
        [(MachineKind::DeBruijn, 14), (MachineKind::ShuffleExchange, 14), (MachineKind::Butterfly, 10)];
    for (kind, order) in kinds {
        let machine = Machine::of_dimensions(kind, order).unwrap();
        let network = machine.graph().unwrap();
        for to in [0, 1, 1234, 11_110, 7919].map(NodeId::new) {
            let searched = network.searched_distances_to(to);
            for at in machine.nodes().filter(|&at| at != to) {
                let own = searched[at.index() as usize];
                assert_eq!(network.rule().distance(network, at.index(), to.index()), own, "{kind} {at} {to}");
                let nearer = |next: &NodeId| searched[next.index() as usize] < own;
                check_ports(network, [at, to], network.neighbours(at).iter().map(nearer));
            }
        }
    }
}
