//! Recognisable layouts of networks: butterflies, trees and fat trees by levels, cube-connected cycles as rings,
//! dragonflies as a ring of groups, HyperX as a grid of switches with their hosts, trees of switches by levels above
//! their hosts, switches that all have hosts as a circle inside theirs, and all other networks as a circle. Links bend
//! around nodes in their way.

mod bends;

use std::{cmp::Reverse, collections::BTreeMap, f64::consts::TAU};

use cubefold_topology::{GraphSource, Machine, MachineKind, NetworkParameters, NodeId};

pub(crate) use self::bends::Bend;
use self::bends::bends;
use crate::sheet::as_drawn;

/// Positions in units of the least distance between two nodes.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct NetworkLayout {
    places: Vec<(f64, f64)>, // by node; the least coordinates of nodes and bent links are 0
    bends: BTreeMap<(NodeId, NodeId), Bend>, // of the links that are not straight
    pub(crate) width: f64,
    pub(crate) height: f64,
}

/// The distance between two levels.
const LEVEL: f64 = 2.2;

impl NetworkLayout {
    /// The layout of a network; `None` for machines in rows and columns.
    pub(crate) fn new(machine: &Machine) -> Option<Self> {
        let network = machine.graph().filter(|_| machine.coordinate_grid().is_none())?;
        let places = match (machine.kind(), machine.source()) {
            (MachineKind::Butterfly | MachineKind::WrappedButterfly, Some(GraphSource::Dimensions(_))) => {
                let levels = machine.shape().lengths()[0];
                let place = |node: u64| (as_drawn(node / levels), as_drawn(node % levels) * LEVEL);
                (0..machine.node_count()).map(place).collect()
            }
            (MachineKind::CubeConnectedCycles, Some(GraphSource::Dimensions(order))) => {
                cycles(machine, *order)
            }
            (_, Some(GraphSource::Parameters(parameters))) => with_switches(parameters),
            _ if network.link_count() + 1 == network.node_count() => tree(machine, root(machine)),
            _ if network.host_count() < network.node_count() => {
                beside_hosts(machine).unwrap_or_else(|| above_hosts(machine))
            }
            _ => circle(machine.node_count(), 0.0, 0.0),
        };
        let bends = bends(machine, &places);
        Some(Self::normal(places, bends))
    }

    fn normal(places: Vec<(f64, f64)>, bends: BTreeMap<(NodeId, NodeId), Bend>) -> Self {
        let place = |node: NodeId| places[node.index() as usize];
        let parts = bends.iter().flat_map(|(&(near, far), bend)| {
            (1..8).map(move |part| bend.along(place(near), place(far), f64::from(part) / 8.0))
        });
        let drawn: Vec<(f64, f64)> = places.iter().copied().chain(parts).collect();
        let [(left, right), (top, bottom)] = edges(&drawn);
        let places = places.into_iter().map(|(x, y)| (x - left, y - top)).collect();
        Self { places, bends, width: right - left, height: bottom - top }
    }

    /// The bend of a link; `None` if it is straight.
    pub(crate) fn bend(&self, near: NodeId, far: NodeId) -> Option<Bend> {
        self.bends.get(&(near, far)).copied()
    }

    pub(crate) fn place(&self, node: NodeId) -> (f64, f64) {
        self.places[node.index() as usize]
    }
}

/// The least and the greatest coordinates, across and down.
fn edges(places: &[(f64, f64)]) -> [(f64, f64); 2] {
    let ends = |of: fn(&(f64, f64)) -> f64| {
        places.iter().map(of).fold((f64::INFINITY, f64::NEG_INFINITY), |(least, greatest), value| {
            (least.min(value), greatest.max(value))
        })
    };
    [ends(|place| place.0), ends(|place| place.1)]
}

/// The radius of a circle on which this many nodes are at least a unit apart.
fn radius(count: u64) -> f64 {
    if count < 2 { 0.0 } else { 0.5 / (TAU / (2.0 * as_drawn(count))).sin() }
}

/// Nodes on a circle, from the top.
pub(crate) fn circle(count: u64, x: f64, y: f64) -> Vec<(f64, f64)> {
    around(count, radius(count) * 1.05, x, y, 0.0)
}

/// Nodes on a circle of this radius; `angle` rotates all of them.
fn around(count: u64, radius: f64, x: f64, y: f64, angle: f64) -> Vec<(f64, f64)> {
    let turn = |node: u64| TAU * (as_drawn(node) / as_drawn(count) - 0.25) + angle;
    (0..count).map(|node| (x + radius * turn(node).cos(), y + radius * turn(node).sin())).collect()
}

/// A ring for every word, the rings in rows.
fn cycles(machine: &Machine, order: u64) -> Vec<(f64, f64)> {
    let words = machine.node_count() / order;
    let columns = 1_u64 << order.div_ceil(2);
    let apart = 2.1 * radius(order) + 1.6;
    (0..words)
        .flat_map(|word| circle(order, as_drawn(word % columns) * apart, as_drawn(word / columns) * apart))
        .collect()
}

/// The distance of every node to the nearest host.
fn heights(machine: &Machine) -> Vec<u64> {
    let mut heights = vec![u64::MAX; usize::try_from(machine.node_count()).unwrap_or(0)];
    let mut level: Vec<NodeId> = machine.hosts().collect();
    for height in 0.. {
        level.retain(|node| heights[node.index() as usize] == u64::MAX);
        if level.is_empty() {
            break;
        }
        for node in &level {
            heights[node.index() as usize] = height;
        }
        level = level.iter().flat_map(|&node| machine.neighbours(node)).collect();
    }
    heights
}

/// The root of a tree. In a tree of switches it is the node nearest to all hosts; of several, the farthest from its
/// nearest host, then the last. Otherwise it is node 0.
fn root(machine: &Machine) -> NodeId {
    if machine.host_count() == machine.node_count() {
        return NodeId::new(0);
    }
    let heights = heights(machine);
    let farthest = |switch: NodeId| {
        let distances = machine.graph().map(|network| network.distances_to(switch)).unwrap_or_default();
        machine.hosts().filter_map(|host| distances[host.index() as usize]).max()
    };
    let switches = machine.nodes().filter(|node| !machine.is_host(*node));
    let rank = |node: &NodeId| (Reverse(farthest(*node)), heights[node.index() as usize], *node);
    switches.max_by_key(rank).unwrap_or(NodeId::new(0))
}

/// Hosts at the bottom, and switches above them by their distance from the nearest host, each level in the order of the
/// nodes below.
fn above_hosts(machine: &Machine) -> Vec<(f64, f64)> {
    let heights = heights(machine);
    let mut levels: BTreeMap<u64, Vec<NodeId>> = BTreeMap::new();
    for node in machine.nodes() {
        levels.entry(heights[node.index() as usize]).or_default().push(node);
    }
    let widest = levels.values().map(Vec::len).max().unwrap_or(1) as u64;
    let mut places = vec![(0.0, 0.0); heights.len()];
    for (level, (_, mut nodes)) in levels.into_iter().enumerate() {
        if level > 0 {
            let mean = |node: &NodeId| {
                let below = machine.neighbours(*node).map(|next| next.index() as usize);
                let across: Vec<f64> = below
                    .filter(|&next| heights[next] < heights[node.index() as usize])
                    .map(|next| places[next].0)
                    .collect();
                across.iter().sum::<f64>() / as_drawn(across.len().max(1) as u64)
            };
            nodes.sort_by(|one, other| mean(one).total_cmp(&mean(other)).then(one.cmp(other)));
        }
        let step = as_drawn(widest) / as_drawn(nodes.len() as u64);
        for (place, node) in nodes.into_iter().enumerate() {
            let x = (as_drawn(place as u64) + 0.5) * step;
            places[node.index() as usize] = (x, -as_drawn(level as u64) * LEVEL);
        }
    }
    places
}

/// A circle of switches inside one of their hosts, if all switches have hosts, as in a Slim Fly; `None` otherwise.
fn beside_hosts(machine: &Machine) -> Option<Vec<(f64, f64)>> {
    let host_count = machine.numbered_hosts();
    let is_alone = |node: NodeId| !machine.neighbours(node).any(|next| machine.is_host(next));
    let switches: Vec<NodeId> = machine.nodes().filter(|&node| !machine.is_host(node)).collect();
    if switches.len() < 3 || switches.iter().any(|&switch| is_alone(switch)) {
        return None;
    }
    let outer = radius(host_count.max(switches.len() as u64)) * 1.05 + LEVEL;
    let mut places = vec![(0.0, 0.0); usize::try_from(machine.node_count()).ok()?];
    let mut place_at = |node: NodeId, place: f64, radius: f64| {
        let turn = TAU * (place / as_drawn(host_count) - 0.25);
        places[node.index() as usize] = (radius * turn.cos(), radius * turn.sin());
    };
    let mut next = 0;
    for &switch in &switches {
        let first = next;
        for host in machine.neighbours(switch).filter(|&node| machine.is_host(node)) {
            place_at(host, as_drawn(next), outer);
            next += 1;
        }
        place_at(switch, as_drawn(first + next - 1) / 2.0, outer - LEVEL);
    }
    // Every host must have one switch, or two hosts would overlap.
    (next == host_count).then_some(places)
}

/// The levels of a tree from its root: leaves side by side in depth-first order, inner nodes above the middle of
/// their children.
fn tree(machine: &Machine, root: NodeId) -> Vec<(f64, f64)> {
    let mut places = BTreeMap::new();
    let (mut next_leaf, mut stack) = (0.0, vec![(root, None, 0_u32, false)]);
    while let Some((node, above, depth, is_done)) = stack.pop() {
        let below = || machine.neighbours(node).filter(move |&next| Some(next) != above);
        let height = f64::from(depth) * LEVEL;
        if is_done {
            let across: Vec<f64> =
                below().filter_map(|next| places.get(&next).map(|&(x, _): &(f64, f64)| x)).collect();
            let ends = across.first().zip(across.last()).map_or(0.0, |(first, last)| (first + last) / 2.0);
            places.insert(node, (ends, height));
        } else if below().next().is_none() {
            places.insert(node, (next_leaf, height));
            next_leaf += 1.0;
        } else {
            stack.push((node, above, depth, true));
            let children: Vec<NodeId> = below().collect();
            stack.extend(children.into_iter().rev().map(|next| (next, Some(node), depth + 1, false)));
        }
    }
    machine.nodes().map(|node| places.get(&node).copied().unwrap_or_default()).collect()
}

fn with_switches(parameters: &NetworkParameters) -> Vec<(f64, f64)> {
    let hosts = parameters.host_count();
    match parameters {
        NetworkParameters::FullMesh { nodes } => circle(*nodes, 0.0, 0.0),
        NetworkParameters::LeafSpine { leaves, spines, .. } => levels(hosts, &[*leaves, *spines]),
        NetworkParameters::KAryTree { arity, levels: count, .. } => {
            let width = hosts / arity;
            levels(hosts, &(0..*count).map(|_| width).collect::<Vec<u64>>())
        }
        NetworkParameters::Dragonfly { hosts_per_switch, switches_per_group, .. } => {
            dragonfly(parameters.switch_count() / switches_per_group, *switches_per_group, *hosts_per_switch)
        }
        NetworkParameters::HyperX { shape, hosts_per_switch } => hyperx(shape, *hosts_per_switch),
        NetworkParameters::Cluster(cluster) => levels(hosts, &cluster.level_counts()),
    }
}

/// Hosts at the bottom, and levels of switches above them, each spread over the width.
fn levels(hosts: u64, switches: &[u64]) -> Vec<(f64, f64)> {
    let widest = switches.iter().copied().chain([hosts]).max().unwrap_or(1);
    let row = |count: u64, level: usize| {
        let step = as_drawn(widest) / as_drawn(count.max(1));
        let height = -as_drawn(level as u64) * LEVEL;
        (0..count).map(move |place| ((as_drawn(place) + 0.5) * step, height))
    };
    row(hosts, 0)
        .chain(switches.iter().enumerate().flat_map(|(level, &count)| row(count, level + 1)))
        .collect()
}

/// A ring of groups: the switches of each group on a ring, their hosts outside of it.
fn dragonfly(groups: u64, switches: u64, hosts: u64) -> Vec<(f64, f64)> {
    let inner = radius(switches).max(0.6) * 1.05;
    let outer = (radius(switches * hosts) * 1.05).max(inner + 1.1);
    let whole = radius(groups) * (2.0 * outer + 1.4);
    let middles = around(groups, whole, 0.0, 0.0, 0.0);
    let of_hosts = middles.iter().flat_map(|&(x, y)| around(switches * hosts, outer, x, y, 0.0));
    // A switch is at the middle of its hosts.
    let turned = TAU * (as_drawn(hosts) - 1.0) / 2.0 / as_drawn(switches * hosts);
    let of_switches = middles.iter().flat_map(|&(x, y)| around(switches, inner, x, y, turned));
    of_hosts.chain(of_switches).collect()
}

/// Switches in rows and columns, further dimensions side by side, each with its hosts below it.
fn hyperx(shape: &[u64], hosts: u64) -> Vec<(f64, f64)> {
    let switches: u64 = shape.iter().product();
    let across = (1..=hosts).find(|across| across * across >= hosts).unwrap_or(1);
    let (wide, high) = (as_drawn(across) + 0.9, as_drawn(hosts.div_ceil(across)) + 2.0);
    let columns = shape.first().copied().unwrap_or(1);
    let rows = shape.get(1).copied().unwrap_or(1);
    let corner = move |switch: u64| {
        let (column, row) = (switch % columns, switch / columns % rows);
        let layer = switch / (columns * rows);
        let left = as_drawn(column + layer * columns) * wide + as_drawn(layer) * 1.2;
        (left, as_drawn(row) * high)
    };
    let of_hosts = (0..switches).flat_map(move |switch| {
        let (x, y) = corner(switch);
        (0..hosts).map(move |host| (x + as_drawn(host % across), y + 1.2 + as_drawn(host / across)))
    });
    let of_switches = (0..switches).map(move |switch| {
        let (x, y) = corner(switch);
        (x + (as_drawn(across) - 1.0) / 2.0, y)
    });
    of_hosts.chain(of_switches).collect()
}

#[cfg(test)]
mod tests {
    use super::{bends::CLEARANCE, *};
    use crate::link_paths::links;
    use cubefold_topology::Network;

    fn parameters() -> Vec<NetworkParameters> {
        vec![
            NetworkParameters::FullMesh { nodes: 7 },
            NetworkParameters::leaf_spine(4, 3, 2),
            NetworkParameters::k_ary_tree(2, 3),
            NetworkParameters::k_ary_tree(3, 2),
            NetworkParameters::dragonfly(2, 4, 2),
            NetworkParameters::dragonfly(1, 1, 3),
            NetworkParameters::HyperX { shape: vec![4, 3], hosts_per_switch: 2 },
            NetworkParameters::HyperX { shape: vec![2, 2, 2], hosts_per_switch: 5 },
        ]
    }

    #[test]
    fn no_two_nodes_lie_closer_than_a_unit() {
        let mut machines: Vec<Machine> =
            parameters().iter().map(|parameter| Machine::of_parameters(parameter).unwrap()).collect();
        for kind in MachineKind::ALL {
            let orders = kind.network_dimensions().into_iter().flatten().take(4);
            machines.extend(orders.map(|order| Machine::of_dimensions(kind, order).unwrap()));
        }
        let star = Network::from_edges(5, &[(0, 1), (1, 2), (1, 3), (3, 4)]).unwrap();
        machines.push(Machine::network(MachineKind::Network, star).unwrap());
        for machine in machines {
            let layout = NetworkLayout::new(&machine).unwrap();
            let places: Vec<(f64, f64)> = machine.nodes().map(|node| layout.place(node)).collect();
            for (number, (x, y)) in places.iter().enumerate() {
                assert!(*x >= 0.0 && *x <= layout.width && *y >= 0.0 && *y <= layout.height);
                for (ox, oy) in &places[..number] {
                    assert!((x - ox).hypot(y - oy) > 0.99, "{} {:?}", machine.kind(), machine.source());
                }
            }
        }
    }

    #[test]
    fn levels_of_trees_lie_above_each_other() {
        let tree = Machine::of_dimensions(MachineKind::BinaryTree, 2).unwrap();
        let layout = NetworkLayout::new(&tree).unwrap();
        let places: Vec<(f64, f64)> = tree.nodes().map(|node| layout.place(node)).collect();
        assert_eq!(places[0], (1.5, 0.0));
        assert_eq!(
            places[3..],
            [(0.0, 2.0 * LEVEL), (1.0, 2.0 * LEVEL), (2.0, 2.0 * LEVEL), (3.0, 2.0 * LEVEL)]
        );
        let spines = NetworkParameters::leaf_spine(2, 2, 1);
        let layout = NetworkLayout::new(&Machine::of_parameters(&spines).unwrap()).unwrap();
        // The spine at the top, leaves above the middle of their hosts.
        assert_eq!(layout.place(NodeId::new(6)), (1.5, 0.0));
        assert_eq!(layout.place(NodeId::new(4)), (0.5, LEVEL));
        let torus = Machine::new(MachineKind::Torus, &[4, 4]).unwrap();
        assert_eq!(NetworkLayout::new(&torus), None);
    }

    #[test]
    fn trees_of_switches_hang_from_the_top_switch_and_others_stand_above_their_hosts() {
        // Hosts 0 to 3, leaf switches 4 and 5, the top 6, in any order of the file.
        let tree = Network::from_edges(7, &[(0, 5), (1, 5), (2, 6), (3, 6), (5, 4), (6, 4)]).unwrap();
        let machine = Machine::network(MachineKind::Network, tree.with_hosts(4)).unwrap();
        let layout = NetworkLayout::new(&machine).unwrap();
        assert_eq!(layout.place(NodeId::new(4)), (1.5, 0.0));
        let rows: Vec<f64> = machine.hosts().map(|host| layout.place(host).1).collect();
        assert_eq!(rows, [2.0 * LEVEL; 4]);
        let two_tops = [(0, 4), (1, 4), (2, 5), (3, 5), (4, 6), (5, 6), (4, 7), (5, 7)];
        let spines = Network::from_edges(8, &two_tops).unwrap().with_hosts(4);
        let machine = Machine::network(MachineKind::Network, spines).unwrap();
        let layout = NetworkLayout::new(&machine).unwrap();
        let rows: Vec<f64> = [0, 4, 6, 7].map(|node| layout.place(NodeId::new(node)).1).into();
        assert_eq!(rows, [2.0 * LEVEL, LEVEL, 0.0, 0.0]);
    }

    #[test]
    fn switches_that_all_have_hosts_are_a_circle_inside_their_hosts() {
        // Hosts 0 to 9, two for each of the switches 10 to 14, which are a ring with a chord.
        let to_hosts = (0..10).map(|host| (host, 10 + host / 2));
        let ring = (0..5).map(|place| (10 + place, 10 + (place + 1) % 5));
        let edges: Vec<(u32, u32)> = to_hosts.chain(ring).chain([(10, 12)]).collect();
        let network = Network::from_edges(15, &edges).unwrap().with_hosts(10);
        let machine = Machine::network(MachineKind::Network, network).unwrap();
        let layout = NetworkLayout::new(&machine).unwrap();
        let middle = (layout.width / 2.0, layout.height / 2.0);
        let radius = |node: u32| {
            let (x, y) = layout.place(NodeId::new(node));
            (x - middle.0).hypot(y - middle.1)
        };
        for host in 0..10 {
            assert!(radius(host) > radius(10 + host / 2) + LEVEL / 2.0, "{layout:?}");
        }
    }

    #[test]
    fn no_link_of_a_hyperx_lies_over_another() {
        let shape = vec![4, 4];
        let parameters = NetworkParameters::HyperX { shape, hosts_per_switch: 2 };
        let machine = Machine::of_parameters(&parameters).unwrap();
        let layout = NetworkLayout::new(&machine).unwrap();
        for (near, far) in links(&machine) {
            let (from, to) = (layout.place(near), layout.place(far));
            let is_between = |node: &NodeId| {
                let (x, y) = layout.place(*node);
                let across = (to.0 - from.0) * (y - from.1) - (to.1 - from.1) * (x - from.0);
                let along = (to.0 - from.0) * (x - from.0) + (to.1 - from.1) * (y - from.1);
                let length = (to.0 - from.0).hypot(to.1 - from.1);
                ![near, far].contains(node) && across.abs() < 1e-9 && (0.0..length * length).contains(&along)
            };
            let passes_node = machine.nodes().any(|node| is_between(&node));
            assert!(!passes_node || layout.bend(near, far).is_some(), "{near} to {far}");
        }
    }

    #[test]
    fn bent_links_keep_clear_of_other_nodes_in_a_network_of_160_nodes() {
        let machine = Machine::of_dimensions(MachineKind::WrappedButterfly, 5).unwrap();
        let layout = NetworkLayout::new(&machine).unwrap();
        assert!(!layout.bends.is_empty());
        for (&(near, far), bend) in &layout.bends {
            let (from, to) = (layout.place(near), layout.place(far));
            let others: Vec<(f64, f64)> = machine
                .nodes()
                .filter(|node| ![near, far].contains(node))
                .map(|node| layout.place(node))
                .collect();
            for part in 1..40 {
                let (x, y) = bend.along(from, to, f64::from(part) / 40.0);
                let hits = |&(ox, oy): &(f64, f64)| {
                    (x - ox).abs() < CLEARANCE / 2.0 && (y - oy).abs() < CLEARANCE / 2.0
                };
                assert!(!others.iter().any(hits), "{near} to {far} at part {part}");
            }
        }
    }
}
