//! Ports: section 26.1.

use std::collections::{BTreeMap, VecDeque};

use super::super::grid::{Channel, Sign};
use super::super::networks::{dragonfly, k_ary_tree, leaf_spine};
use super::RouterMachine;

/// What a port is joined to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    Nothing,
    /// A node with a router, and the port there.
    Router(u64, usize),
    /// The terminal of a node.
    Terminal(u64),
}

/// Nodes with routers, and their ports.
pub(super) struct Wiring {
    pub(super) ports: BTreeMap<u64, Vec<End>>,
    /// The router and port of every terminal.
    pub(super) terminals: BTreeMap<u64, (u64, usize)>,
    /// Links between routers; none of a grid.
    pub(super) neighbours: BTreeMap<u64, Vec<u64>>,
}

impl Wiring {
    pub(super) fn new(machine: &RouterMachine) -> Self {
        let (nodes, hosts, links) = match machine {
            RouterMachine::Grid(_) => return Self::of_grid(machine),
            RouterMachine::LeafSpine(leaves, hosts, spines) => {
                let count = leaves * hosts;
                (count + leaves + spines, Some(count), leaf_spine(*leaves, *hosts, *spines))
            }
            RouterMachine::KAryTree(arity, levels) => {
                let count = arity.pow(*levels);
                (count + u64::from(*levels) * arity.pow(levels - 1), Some(count), k_ary_tree(*arity, *levels))
            }
            RouterMachine::Dragonfly(p, a, h) => {
                let switches = a * (a * h + 1);
                (switches * p + switches, Some(switches * p), dragonfly(*p, *a, *h))
            }
            RouterMachine::Network(nodes, links) => (*nodes, None, links.clone()),
            RouterMachine::FailedGrid(grid, links, _) => (grid.number_of_nodes(), None, links.clone()),
        };
        let mut own =
            Self { ports: BTreeMap::new(), terminals: BTreeMap::new(), neighbours: BTreeMap::new() };
        let is_host = |node: u64| hosts.is_some_and(|count| node < count);
        let linked = |node: u64| -> Vec<u64> {
            (0..nodes).filter(|&other| links.contains(&(node.min(other), node.max(other)))).collect()
        };
        let at_router = |node: u64| -> Vec<u64> {
            let own_terminal = if hosts.is_none() { vec![node] } else { vec![] };
            let hosts = linked(node).into_iter().filter(|&other| is_host(other));
            own_terminal.into_iter().chain(hosts).collect()
        };
        for node in (0..nodes).filter(|&node| !is_host(node)) {
            let switches: Vec<u64> = linked(node).into_iter().filter(|&other| !is_host(other)).collect();
            let mut ports = vec![];
            for terminal in at_router(node) {
                own.terminals.insert(terminal, (node, ports.len()));
                ports.push(End::Terminal(terminal));
            }
            for &other in &switches {
                let before =
                    linked(other).into_iter().filter(|&third| !is_host(third) && third < node).count();
                ports.push(End::Router(other, at_router(other).len() + before));
            }
            own.ports.insert(node, ports);
            own.neighbours.insert(node, switches);
        }
        own
    }

    fn of_grid(machine: &RouterMachine) -> Self {
        let RouterMachine::Grid(grid) = machine else { unreachable!("a grid") };
        let mut own =
            Self { ports: BTreeMap::new(), terminals: BTreeMap::new(), neighbours: BTreeMap::new() };
        let dimensions = grid.lengths.len();
        for node in 0..grid.number_of_nodes() {
            let mut ports = vec![];
            for dimension in 0..dimensions {
                for (place, sign) in [Sign::Positive, Sign::Negative].into_iter().enumerate() {
                    let end = match grid.neighbour(Channel { node, dimension, sign }) {
                        Some(next) => End::Router(next, 2 * dimension + 1 - place),
                        None => End::Nothing,
                    };
                    ports.push(end);
                }
            }
            ports.push(End::Terminal(node));
            own.terminals.insert(node, (node, 2 * dimensions));
            own.ports.insert(node, ports);
        }
        own
    }

    /// Links between the routers of two nodes of a network, by the shortest way.
    pub(super) fn distances_to(&self, to: u64) -> BTreeMap<u64, u64> {
        let mut distances = BTreeMap::from([(to, 0)]);
        let mut next = VecDeque::from([to]);
        while let Some(node) = next.pop_front() {
            for &other in &self.neighbours[&node] {
                if !distances.contains_key(&other) {
                    distances.insert(other, distances[&node] + 1);
                    next.push_back(other);
                }
            }
        }
        distances
    }

    /// The largest distance between two routers with terminals.
    pub(super) fn longest(&self) -> u64 {
        let routers: Vec<u64> = self.terminals.values().map(|own| own.0).collect();
        let from = |&to: &u64| {
            let distances = self.distances_to(to);
            routers.iter().map(|router| distances[router]).max().unwrap_or(0)
        };
        routers.iter().map(from).max().unwrap_or(0)
    }
}
