//! The loads of channels against the enumeration of all routes, one by one.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    reason = "coordinates of machines of at most 36 nodes"
)]

use std::collections::BTreeMap;

use cubefold_topology::{
    LinkMode, Machine, MachineKind, Network, NetworkParameters, NodeId, TieRule, Wrap, mix,
};

use super::*;
use crate::{Communication, Cycles, Replies, RouterRouting, RouterSettings, RouterTie, TrafficPattern};

/// Loads by channel: (from, to), with `NodeId` numbers; the terminals have `u32::MAX` as their other end.
type Loads = BTreeMap<(u32, u32), Fraction>;

const TERMINAL: u32 = u32::MAX;

fn rules(machine: &Machine, routing: &str, tie: RouterTie) -> Communication {
    let routing = RouterRouting::named(routing, machine).unwrap();
    let plain = Communication::new(LinkMode::FullDuplex, Cycles::new(1), TieRule::Direct).unwrap();
    let settings =
        RouterSettings { routing, tie, virtual_channels: 16, ..RouterSettings::default_of(machine, 0) };
    plain.with_routers(settings, machine).unwrap()
}

fn channel_load(open_loop: &OpenLoop, machine: &Machine, routing: &str, tie: RouterTie) -> ChannelLoad {
    ChannelLoad::new(open_loop, machine, &rules(machine, routing, tie).router_rules().unwrap())
}

const DIRECT: RouterTie = RouterTie::Rule(TieRule::Direct);

fn add(loads: &mut Loads, channel: (u32, u32), units: Fraction) {
    let load = loads.entry(channel).or_insert(Fraction::ZERO);
    *load = load.plus(units).unwrap().reduced();
}

/// The links of dimension order from one node to another; `signs` gives the way around for ties, by dimension.
fn in_order(machine: &Machine, from: NodeId, to: NodeId, signs: &[bool]) -> Vec<(u32, u32)> {
    let (mut at, mut route) = (from, vec![]);
    for (dimension, axis) in machine.axes().iter().enumerate() {
        let length = axis.length() as i64;
        let mut difference = i64::from(axis.coordinate(to)) - i64::from(axis.coordinate(at));
        if axis.extent().is_ring() {
            difference = difference.rem_euclid(length);
            if 2 * difference > length || (2 * difference == length && !signs[dimension]) {
                difference -= length;
            }
        }
        let stride = axis.digit().stride() as i64;
        for _ in 0..difference.abs() {
            let here = i64::from(axis.coordinate(at));
            let there = (here + difference.signum()).rem_euclid(length);
            let next = NodeId::new((i64::from(at.index()) + (there - here) * stride) as u32);
            route.push((at.index(), next.index()));
            at = next;
        }
    }
    assert_eq!(at, to);
    route
}

/// All ways around rings of a packet, each with their number.
fn signs(machine: &Machine, tie: RouterTie, source: NodeId, direct: [NodeId; 2]) -> Vec<Vec<bool>> {
    let mut all = vec![vec![]];
    for axis in machine.axes() {
        let choices = match tie {
            RouterTie::Rule(TieRule::Positive) => vec![true],
            RouterTie::Rule(TieRule::Negative) => vec![false],
            RouterTie::Rule(TieRule::Alternate) => vec![axis.coordinate(source) % 2 == 0],
            RouterTie::Rule(TieRule::Direct) => vec![axis.coordinate(direct[0]) < axis.coordinate(direct[1])],
            RouterTie::Random => vec![true, false],
        };
        let with_each = |signs: &Vec<bool>| -> Vec<Vec<bool>> {
            choices.iter().map(|&last| [&signs[..], &[last]].concat()).collect()
        };
        all = all.iter().flat_map(with_each).collect();
    }
    all
}

/// The routes of a packet on a grid, all equally likely.
fn routes_of_grid(
    machine: &Machine,
    routing: &str,
    tie: RouterTie,
    [from, to]: [NodeId; 2],
) -> Vec<Vec<(u32, u32)>> {
    let mut all = vec![];
    let middles: Vec<NodeId> = machine.nodes().collect();
    let way = |ends: [NodeId; 2], number: usize| signs(machine, tie, from, ends)[number].clone();
    for number in 0..signs(machine, tie, from, [from, to]).len() {
        let leg = |ends: [NodeId; 2]| in_order(machine, ends[0], ends[1], &way(ends, number));
        let by = |&middle: &NodeId| [leg([from, middle]), leg([middle, to])].concat();
        match routing {
            "dimension-order" => all.push(leg([from, to])),
            "valiant" => all.extend(middles.iter().map(by)),
            _ => {
                // The middle is on a shortest route in every dimension, on the same way around.
                let direct = leg([from, to]);
                let is_between = |middle: &&NodeId| {
                    let [one, other] = [leg([from, **middle]), leg([**middle, to])];
                    let directions = |route: &[(u32, u32)]| -> Vec<(usize, bool)> {
                        let mut directions: Vec<_> =
                            route.iter().map(|&link| direction(machine, link)).collect();
                        directions.sort_unstable();
                        directions
                    };
                    one.len() + other.len() == direct.len()
                        && directions(&[one, other].concat()) == directions(&direct)
                };
                all.extend(middles.iter().filter(is_between).map(by));
            }
        }
    }
    all
}

/// The dimension of a link, and whether it leads upwards or around.
fn direction(machine: &Machine, (from, to): (u32, u32)) -> (usize, bool) {
    let [from, to] = [from, to].map(NodeId::new);
    let dimension =
        machine.axes().iter().position(|axis| axis.coordinate(from) != axis.coordinate(to)).unwrap();
    let axis = &machine.axes()[dimension];
    (dimension, (axis.coordinate(from) + 1) % axis.length() as u32 == axis.coordinate(to))
}

/// The destinations of a source with their probabilities.
fn destinations(pattern: &TrafficPattern, machine: &Machine, source: u32) -> Vec<(NodeId, Fraction)> {
    let hosts: Vec<NodeId> = machine.hosts().collect();
    let count = hosts.len() as u128;
    let one = |number: u128, of: u128| Fraction::new(number, of).unwrap();
    match pattern {
        TrafficPattern::Uniform => hosts.iter().map(|&to| (to, one(1, count))).collect(),
        TrafficPattern::UniformOthers => {
            let others = hosts.iter().filter(|to| **to != hosts[source as usize]);
            others.map(|&to| (to, one(1, count - 1))).collect()
        }
        TrafficPattern::Hotspot { nodes, share } => {
            let hot = (share * 1e6).round() as u128;
            let of_hot = nodes.iter().map(|&to| (to, one(hot, 1_000_000 * nodes.len() as u128)));
            of_hot.chain(hosts.iter().map(|&to| (to, one(1_000_000 - hot, 1_000_000 * count)))).collect()
        }
        TrafficPattern::Listed(all) => {
            let to = all[source as usize];
            if to == hosts[source as usize] { vec![] } else { vec![(to, one(1, 1))] }
        }
        TrafficPattern::AdversarialRandom { group_size, groups_on } => {
            let size = u64::from(*group_size);
            let groups = count as u64 / size;
            let group = (u64::from(source) / size + groups_on) % groups;
            (0..size).map(|member| (hosts[(group * size + member) as usize], one(1, size.into()))).collect()
        }
        other => panic!("{other:?}"),
    }
}

fn enumerated(open_loop: &OpenLoop, machine: &Machine, routing: &str, tie: RouterTie) -> Loads {
    let mut loads = Loads::new();
    let hosts: Vec<NodeId> = machine.hosts().collect();
    let mean = |sizes: &[(u64, u64)]| {
        let units: u64 = sizes.iter().map(|size| size.0 * size.1).sum();
        Fraction::new(units.into(), sizes.iter().map(|size| u128::from(size.1)).sum()).unwrap()
    };
    let ratio = open_loop.reply.as_ref().map(|reply| {
        let request = mean(&open_loop.sizes);
        let inverse = Fraction::new(request.denominator(), request.numerator()).unwrap();
        mean(&reply.sizes).times(inverse).unwrap()
    });
    for (number, &from) in (0_u32..).zip(&hosts) {
        for (to, units) in destinations(&open_loop.pattern, machine, number) {
            let back = ratio.map(|ratio| ([to, from], units.times(ratio).unwrap()));
            for (ends, units) in [([from, to], units)].into_iter().chain(back) {
                add(&mut loads, (ends[0].index(), TERMINAL), units);
                add(&mut loads, (TERMINAL, ends[1].index()), units);
                let routes = routes(machine, routing, tie, ends);
                let each = units.over(routes.len() as u128).unwrap();
                for link in routes.iter().flatten() {
                    add(&mut loads, *link, each);
                }
            }
        }
    }
    loads
}

/// All routes between two terminals without the links of hosts, each repeated in proportion to its probability.
fn routes(machine: &Machine, routing: &str, tie: RouterTie, ends: [NodeId; 2]) -> Vec<Vec<(u32, u32)>> {
    if machine.grid().is_some() {
        return routes_of_grid(machine, routing, tie, ends);
    }
    let has_switches = machine.numbered_hosts() < machine.node_count();
    let router = |host: NodeId| if has_switches { machine.neighbours(host).next().unwrap() } else { host };
    if routing == "up-down" {
        return upwards(machine, router(ends[0]), router(ends[1]), ends[1]);
    }
    let routes = machine.network_routes().unwrap();
    let (mut at, mut route) = (router(ends[0]), vec![]);
    while at != router(ends[1]) {
        let place = routes.next(ends[0], at, ends[1]).unwrap().dimension.index();
        let next = machine.neighbours(at).nth(place).unwrap();
        route.push((at.index(), next.index()));
        at = next;
    }
    vec![route]
}

fn upwards(machine: &Machine, at: NodeId, end: NodeId, to: NodeId) -> Vec<Vec<(u32, u32)>> {
    if at == end {
        return vec![vec![]];
    }
    let distance = machine.distance(at, to);
    let nearer = machine.neighbours(at).filter(|next| machine.distance(*next, to) < distance);
    let further = |next: NodeId| {
        upwards(machine, next, end, to)
            .into_iter()
            .map(move |upward| [vec![(at.index(), next.index())], upward].concat())
            .collect::<Vec<_>>()
    };
    nearer.flat_map(further).collect()
}

fn check(open_loop: &OpenLoop, machine: &Machine, routing: &str, tie: RouterTie) {
    let routers = rules(machine, routing, tie).router_rules().unwrap();
    let found = ChannelLoad::new(open_loop, machine, &routers);
    let loads = enumerated(open_loop, machine, routing, tie);
    let all = Traffic::new(open_loop, machine).unwrap();
    let hosts: Vec<NodeId> = machine.hosts().collect();
    let links = LinkLoads::of(&all, machine, &routers.settings, &hosts).unwrap().in_order();
    for (from, to, load) in links {
        let expected = loads.get(&(from.index(), to.index())).copied().unwrap_or(Fraction::ZERO);
        assert_eq!(
            load.cmp(&expected),
            std::cmp::Ordering::Equal,
            "{from}>{to}: {load}, {expected}, {open_loop:?}"
        );
    }
    // Links first, then channels from terminals, then those to terminals; the first of the greatest.
    let kind =
        |&(from, to): &(u32, u32)| (u8::from(to == TERMINAL) + 2 * u8::from(from == TERMINAL), from, to);
    let mut order: Vec<_> = loads.into_iter().collect();
    order.sort_by_key(|entry| kind(&entry.0));
    let greatest = order.into_iter().reduce(|known, entry| if entry.1 > known.1 { entry } else { known });
    let name = greatest.map(|((from, to), load)| {
        let name = |node: u32| if node == TERMINAL { String::new() } else { node.to_string() };
        (load.to_string(), format!("{}>{}", name(from), name(to)))
    });
    assert_eq!(found.greatest.map(|(load, at)| (load.to_string(), at.to_string())), name, "{open_loop:?}");
    assert!(found.is_complete);
}

fn traffic(pattern: TrafficPattern) -> OpenLoop {
    OpenLoop::new(pattern, [0, 100, 0])
}

fn all_traffic(machine: &Machine, seed: u64) -> Vec<OpenLoop> {
    let hosts: Vec<NodeId> = machine.hosts().collect();
    let count = hosts.len() as u64;
    let drawn = |number: u64| hosts[(mix(seed ^ number) % count) as usize];
    let listed = TrafficPattern::Listed((0..count).map(drawn).collect());
    let hotspot = TrafficPattern::Hotspot { nodes: vec![drawn(70), drawn(71), drawn(70)], share: 0.123_456 };
    let reply = Replies { sizes: vec![(3, 1), (2, 2)], delay: 1 };
    let mut all: Vec<OpenLoop> =
        [TrafficPattern::Uniform, TrafficPattern::UniformOthers, listed, hotspot].map(traffic).into();
    if count.is_multiple_of(2) {
        all.push(traffic(TrafficPattern::AdversarialRandom { group_size: count as u32 / 2, groups_on: 3 }));
    }
    let with_replies = all.clone().into_iter().map(|open_loop| OpenLoop {
        reply: Some(reply.clone()),
        sizes: vec![(1, 1), (4, 3)],
        ..open_loop
    });
    [all.clone(), with_replies.collect()].concat()
}

#[test]
fn loads_on_grids_are_those_of_all_routes() {
    let ties = TieRule::ALL.map(RouterTie::Rule).into_iter().chain([RouterTie::Random]);
    let ties: Vec<RouterTie> = ties.collect();
    let shapes: [(&[u64], &[Wrap]); 5] = [
        (&[5], &[Wrap::Open]),
        (&[4], &[Wrap::Around]),
        (&[3, 4], &[Wrap::Open, Wrap::Around]),
        (&[4, 4], &[Wrap::Around; 2]),
        (&[2, 3, 2], &[Wrap::Open; 3]),
    ];
    for (seed, (lengths, wraps)) in (0_u64..).zip(shapes) {
        let machine = Machine::with_wraps(MachineKind::Torus, lengths, wraps).unwrap();
        for open_loop in all_traffic(&machine, seed) {
            for &tie in &ties {
                for routing in ["dimension-order", "valiant", "romm"] {
                    check(&open_loop, &machine, routing, tie);
                }
            }
        }
    }
}

#[test]
fn loads_on_networks_are_those_of_all_routes() {
    let tree = Machine::of_parameters(&NetworkParameters::leaf_spine(3, 2, 2)).unwrap();
    let links = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 0), (1, 5), (5, 3)];
    let network = Network::from_edges(6, &links).unwrap();
    let network = Machine::network(MachineKind::Network, network).unwrap();
    for seed in 0..4 {
        for open_loop in all_traffic(&tree, seed) {
            check(&open_loop, &tree, "up-down", DIRECT);
            check(&open_loop, &tree, "hops", DIRECT);
        }
        for open_loop in all_traffic(&network, seed) {
            check(&open_loop, &network, "hops", DIRECT);
        }
    }
}

#[test]
fn known_limits_are_found() {
    let limit = |open_loop: OpenLoop, machine: &Machine, routing: &str, tie: RouterTie| {
        let (load, at) = channel_load(&open_loop, machine, routing, tie).greatest.unwrap();
        (load.to_string(), at.to_string())
    };
    let mesh = Machine::new(MachineKind::Mesh, &[8, 8]).unwrap();
    let found = limit(traffic(TrafficPattern::Transpose), &mesh, "dimension-order", DIRECT);
    assert_eq!(found, ("7/1".to_owned(), "0>8".to_owned()));
    let torus = Machine::new(MachineKind::Torus, &[4, 4]).unwrap();
    let found = limit(traffic(TrafficPattern::Transpose), &torus, "romm", RouterTie::Random);
    assert_eq!(found, ("19/18".to_owned(), "0>4".to_owned()));
    let mesh = Machine::new(MachineKind::Mesh, &[5, 4]).unwrap();
    let found = limit(traffic(TrafficPattern::Uniform), &mesh, "romm", DIRECT);
    assert_eq!(found, ("643/480".to_owned(), "7>6".to_owned()));
    let dragonfly = Machine::of_parameters(&NetworkParameters::dragonfly(2, 4, 2)).unwrap();
    let adversarial = traffic(TrafficPattern::Adversarial { group_size: 8, groups_on: 1 });
    let found = limit(adversarial, &dragonfly, "minimal", DIRECT);
    assert_eq!(found.0, "8/1");
    // Parallel links: packets to hosts 2 and 3 of switch 5 take one each.
    let links = [(0, 4), (1, 4), (2, 5), (3, 5), (4, 5), (4, 5)];
    let trunk = Network::from_parallel_edges(6, &links).unwrap().with_hosts(4);
    let trunk = Machine::network(MachineKind::Network, trunk).unwrap();
    let found = limit(traffic(TrafficPattern::BitComplement), &trunk, "hops", DIRECT);
    assert_eq!(found.0, "1/1");
}

#[test]
fn adaptive_routing_leaves_the_channels_of_terminals() {
    let torus = Machine::new(MachineKind::Torus, &[4, 4]).unwrap();
    let hotspot = TrafficPattern::Hotspot { nodes: vec![NodeId::new(3)], share: 0.5 };
    let found = channel_load(&traffic(hotspot), &torus, "adaptive", DIRECT);
    assert!(!found.is_complete);
    let (load, at) = found.greatest.unwrap();
    assert_eq!((load.to_string().as_str(), at.to_string().as_str()), ("17/2", ">3"));
}

#[test]
fn fractions_that_leave_128_bits_have_no_limit() {
    let torus = Machine::new(MachineKind::Torus, &[4]).unwrap();
    let found = |open_loop: &OpenLoop| channel_load(open_loop, &torus, "valiant", RouterTie::Random);
    let sizes = |number: u64| vec![(1, (1 << 62) - number), (4_294_967_291, 1 << 61)];
    let open_loop = OpenLoop {
        sizes: sizes(57),
        reply: Some(Replies { sizes: sizes(111), delay: 0 }),
        ..traffic(TrafficPattern::Uniform)
    };
    let large = found(&open_loop);
    assert_eq!((large.greatest, large.limit(), large.is_exceeded_by(1.0)), (None, None, false));
    // Nothing is sent at all.
    let silent = traffic(TrafficPattern::Listed(torus.nodes().collect()));
    assert_eq!(found(&silent).greatest, None);
}

#[test]
fn loads_are_computed_once_for_each_machine_routing_and_traffic() {
    let known = ChannelLoads::default();
    let [torus, mesh] =
        [MachineKind::Torus, MachineKind::Mesh].map(|kind| Machine::new(kind, &[4, 4]).unwrap());
    let mut asked = 0;
    for machine in [&torus, &mesh] {
        for routing in ["dimension-order", "valiant"] {
            for tie in [RouterTie::Rule(TieRule::Direct), RouterTie::Random] {
                for pattern in [TrafficPattern::Uniform, TrafficPattern::Transpose] {
                    let routers = rules(machine, routing, tie).router_rules().unwrap();
                    let open_loop = traffic(pattern);
                    for _ in 0..2 {
                        let found = known.load(&open_loop, machine, &routers);
                        assert_eq!(found, ChannelLoad::new(&open_loop, machine, &routers));
                    }
                    asked += 1;
                    assert_eq!(known.count(), asked);
                }
            }
        }
    }
}
