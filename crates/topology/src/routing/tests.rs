use std::collections::{BTreeMap, BTreeSet};

use super::*;
use crate::{Machine, MachineKind, NetworkParameters, NodeId, RouteChoice, TieRule};

/// Machines of every family with up to 2^10 nodes.
fn machines() -> Vec<Machine> {
    let mut machines = vec![];
    for kind in MachineKind::ALL {
        let orders = kind.network_dimensions().into_iter().flatten();
        let made = orders.map(|order| Machine::of_dimensions(kind, order).unwrap());
        machines.extend(made.take_while(|machine| machine.node_count() <= 1 << 10));
    }
    let shapes: [&[u64]; 8] =
        [&[2], &[5], &[3, 4], &[2, 2, 2], &[4, 2, 3], &[6, 6], &[2, 2, 2, 2], &[3, 2, 4, 2, 3]];
    let mut parameters: Vec<NetworkParameters> = shapes
        .iter()
        .map(|shape| NetworkParameters::HyperX { shape: shape.to_vec(), hosts_per_switch: 2 })
        .collect();
    parameters.extend([2, 3, 9, 40].map(|nodes| NetworkParameters::FullMesh { nodes }));
    for (p, a, h) in [(1, 1, 1), (2, 1, 3), (1, 2, 1), (2, 4, 2), (1, 3, 3), (3, 6, 2), (1, 2, 5)] {
        parameters.push(NetworkParameters::Dragonfly {
            hosts_per_switch: p,
            switches_per_group: a,
            global_links: h,
        });
    }
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
                while at != to {
                    let port = rule.lowest_port(network, at, to).unwrap();
                    let next = network.neighbours(NodeId::new(at))[usize::from(port)].index();
                    at = rule.take_step(at, &mut steps);
                    assert_eq!(at, next);
                }
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
            let (_, mut steps) = ShuffleExchange::steps(order, from, to);
            let mut at = from;
            while at != to {
                let next = shuffle_exchange::after(order, at, steps.take());
                assert_eq!(next, ShuffleExchange::lowest(order, at, to), "{order} {from} {to} {at}");
                at = next;
            }
            let (_, mut steps) = DeBruijn::new(order, from, to).steps();
            let mut at = from;
            while at != to {
                let next = de_bruijn::after(order, at, steps.take());
                assert_eq!(next, DeBruijn::new(order, at, to).lowest(), "{order} {from} {to} {at}");
                at = next;
            }
        }
    }
}

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
            let hash = |at| Network::hash_of_route(choice, [from, to, NodeId::new(at)]);
            let (length, mut steps) = rule.steps_by_chance(from.index(), to.index(), hash).unwrap();
            assert_eq!(length, links(from.index()));
            let mut at = from;
            while at != to {
                let expected = network.neighbour(at, network.next(choice, from, at, to).unwrap());
                at = NodeId::new(rule.take_step(at.index(), &mut steps));
                assert_eq!(Some(at), expected, "{kind} {order} {from} {to}");
            }
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

/// Which channel, by its ends, and which link, by its lower and its higher end, has which number.
#[derive(Debug, Default)]
struct Numbered {
    channels: BTreeMap<u32, [NodeId; 2]>,
    links: BTreeMap<u32, [NodeId; 2]>,
}

impl Numbered {
    /// Stops where a number is that of another channel or link, or two numbers are of one.
    fn check(&self) {
        for numbered in [&self.channels, &self.links] {
            let all: BTreeSet<_> = numbered.values().collect();
            assert_eq!(all.len(), numbered.len());
        }
    }
}

/// Moves messages to a node from all these hosts together until all are there, and notes which channel and link has which
/// number.
fn move_to(network: &Network, choice: RouteChoice, hosts: &[NodeId], to: NodeId, numbered: &mut Numbered) {
    let set_out = |&from: &NodeId| network.set_out(choice, from, to);
    let mut messages: Vec<_> =
        hosts.iter().map(|from| (*from, set_out(from))).filter(|(from, _)| *from != to).collect();
    let mut channels = vec![];
    for crossed in 1.. {
        let before: Vec<NodeId> = messages.iter().map(|(_, (_, message))| message.node()).collect();
        let mut moved: Vec<RoutedMessage> = messages.iter().map(|(_, (_, message))| *message).collect();
        network.advance(choice, &mut moved, &mut channels);
        let mut links = channels.clone();
        network.number_links(choice, &before, &moved, &mut links);
        for (number, (at, moved)) in links.into_iter().zip(before.iter().zip(&moved)) {
            let ends = [*at.min(&moved.node()), *at.max(&moved.node())];
            assert!(u64::from(number) < network.channel_numbers(choice));
            assert_eq!(*numbered.links.entry(number).or_insert(ends), ends);
        }
        let crossings = before.into_iter().zip(moved).zip(channels.drain(..));
        for ((from, (links, message)), ((at, moved), number)) in messages.iter_mut().zip(crossings) {
            let direction = network.next(choice, *from, at, to).unwrap();
            assert_eq!(network.neighbour(at, direction), Some(moved.node()));
            assert_eq!(*links == crossed, moved.has_arrived());
            *message = moved;
            assert!(u64::from(number) < network.channel_numbers(choice));
            let ends = [at, moved.node()];
            assert_eq!(*numbered.channels.entry(number).or_insert(ends), ends);
        }
        messages.retain(|(_, (_, message))| !message.has_arrived());
        if messages.is_empty() {
            break;
        }
    }
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
                for left in (0..links).rev() {
                    let nearer = |next: &&NodeId| searched.distance(next.index()) == left;
                    let nearer: Vec<NodeId> = network.neighbours(at).iter().filter(nearer).copied().collect();
                    let routes = |next: &NodeId| searched.routes[next.index() as usize];
                    let mut drawn = Network::hash_of_route(choice, [from, to, at])
                        % nearer.iter().map(routes).sum::<u64>();
                    let is_drawn = |next: &&NodeId| {
                        let is_own = drawn < routes(next);
                        drawn = drawn.saturating_sub(routes(next));
                        is_own
                    };
                    let expected = *nearer.iter().find(is_drawn).unwrap();
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

#[test]
fn routes_of_the_largest_trees_fit_into_their_steps_and_are_all_counted() {
    let mut most_bits = 0;
    for levels in 1..=20 {
        let tree = |arity: u64| NetworkParameters::KAryTree { arity, levels };
        for arity in (2..).take_while(|&arity| tree(arity).is_makeable()) {
            let bits = RouteSteps::bits_of_codes(2 * narrow(arity)) * 2 * narrow(levels);
            assert!(bits <= 128, "{bits} of {}", tree(arity));
            most_bits = most_bits.max(bits);
            assert!(arity.pow(narrow(levels - 1)) < MAX_ROUTE_COUNT);
        }
    }
    assert_eq!(most_bits, 68); // 34 links of the binary tree of 17 levels
    let deepest = Machine::of_parameters(&NetworkParameters::KAryTree { arity: 2, levels: 17 }).unwrap();
    let wide = Machine::of_parameters(&NetworkParameters::KAryTree { arity: 5, levels: 8 }).unwrap();
    for machine in [deepest, wide] {
        for choice in [RouteChoice::Lowest, RouteChoice::Spread(3)] {
            let hosts: Vec<NodeId> = machine.hosts().step_by(19_997).collect();
            for &to in &hosts {
                move_to(machine.graph().unwrap(), choice, &hosts, to, &mut Numbered::default());
            }
        }
    }
}

#[test]
fn messages_move_along_their_routes_over_channels_with_a_number_each() {
    let long = [MachineKind::DeBruijn, MachineKind::ShuffleExchange]
        .map(|kind| Machine::of_dimensions(kind, 13).unwrap());
    // Routes of more links than go along with a message.
    let failed = [&[300_u64][..], &[2, 150]].map(|lengths| {
        let torus = Machine::new(MachineKind::Torus, lengths).unwrap();
        torus.with_failures(&[(NodeId::new(0), NodeId::new(1))], &[]).unwrap()
    });
    for machine in machines().into_iter().chain(long).chain(failed) {
        let network = machine.graph().unwrap();
        for choice in [RouteChoice::Lowest, RouteChoice::Spread(7)] {
            let step = if network.node_count() > 1 << 10 { 331 } else { 31 };
            let step = if network.node_count() > 100 { step } else { 1 };
            let hosts: Vec<NodeId> = machine.hosts().step_by(step).collect();
            let mut numbered = Numbered::default();
            for &to in &hosts {
                move_to(network, choice, &hosts, to, &mut numbered);
            }
            numbered.check();
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
