//! Tables of routes, a row a destination: the next link from each node, or the numbers of shortest routes.

use std::sync::OnceLock;

use prefetch_index::prefetch_index;

use crate::{Network, NodeId, routing::MAX_ROUTE_COUNT};

/// A row for every destination that was asked for.
#[derive(Debug)]
pub(super) struct RouteTable<R>(OnceLock<Box<[OnceLock<R>]>>);

impl<R> RouteTable<R> {
    /// Returns a table without rows.
    pub(super) fn new() -> Self {
        Self(OnceLock::new())
    }

    /// The row of a destination, made if it is not there.
    #[inline]
    pub(super) fn row(&self, network: &Network, to: NodeId, make: fn(&Network, NodeId) -> R) -> &R {
        let rows = self.0.get_or_init(|| network.firsts[1..].iter().map(|_| OnceLock::new()).collect());
        rows[to.index() as usize].get_or_init(|| make(network, to))
    }
}

/// The port of the next link from each node; the greatest number at the destination itself, and without a route.
///
/// It is found by breadth-first search from the destination: one byte a node, or two where nodes have many neighbours, so that
/// a network of 2^16 nodes, all of them destinations, takes 4 GiB.
#[derive(Debug)]
pub(super) enum PortRow {
    Narrow(Box<[u8]>),
    Wide(Box<[u16]>),
}

impl PortRow {
    /// The port of the next link from a node: of those that lead nearer, the lowest.
    #[inline]
    pub(super) fn port(&self, at: NodeId) -> Option<u16> {
        match self {
            Self::Narrow(row) => {
                Some(row[at.index() as usize]).filter(|&port| port != u8::MAX).map(u16::from)
            }
            Self::Wide(row) => Some(row[at.index() as usize]).filter(|&port| port != u16::MAX),
        }
    }

    /// Prefetches the port of a node.
    #[inline]
    pub(super) fn prefetch(&self, at: NodeId) {
        match self {
            Self::Narrow(row) => prefetch_index(row, at.index() as usize),
            Self::Wide(row) => prefetch_index(row, at.index() as usize),
        }
    }

    /// Returns the row of a destination.
    pub(super) fn new(network: &Network, to: NodeId) -> Self {
        let distances = network.links_to(to);
        let distance = |node: &NodeId| distances[node.index() as usize];
        let port = |node: NodeId| {
            // A node that no route leads to has no neighbours that one leads to.
            let nearer = distance(&node).checked_sub(1)?;
            network.neighbours(node).iter().position(|next| distance(next) == nearer)
        };
        let ports = (0..).map(NodeId::new).take(distances.len()).map(port);
        if network.has_narrow_ports() {
            let narrow =
                |port: Option<usize>| port.and_then(|port| u8::try_from(port).ok()).unwrap_or(u8::MAX);
            Self::Narrow(ports.map(narrow).collect())
        } else {
            let wide =
                |port: Option<usize>| port.and_then(|port| u16::try_from(port).ok()).unwrap_or(u16::MAX);
            Self::Wide(ports.map(wide).collect())
        }
    }
}

/// The shortest routes from a node to a destination, of which there is one from that to itself, in parts of a word: their
/// number, less 1, the last bits of their length, and a bit for every group of ports, some of which lead nearer. So only few
/// neighbours have to be looked at, whose words are scattered over memory. Without a route all bits are set, but for groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CountedRoutes(u64);

impl CountedRoutes {
    /// Numbers from 1 to [`MAX_ROUTE_COUNT`], less 1, fit into so many bits.
    const COUNT_BITS: u32 = MAX_ROUTE_COUNT.ilog2();

    /// Neighbours are as far away, or farther or nearer by a link: this tells which.
    const LINK_BITS: u32 = 2;

    /// The groups of ports: of one port each where nodes have no more neighbours.
    const GROUPS: u32 = u64::BITS - Self::COUNT_BITS - Self::LINK_BITS;

    /// Returns those of all nodes to a destination.
    pub(super) fn row(network: &Network, to: NodeId) -> Box<[Self]> {
        let RouteCounts { distances, routes } = network.routes_to(to);
        let nodes = (0..).map(NodeId::new).zip(distances.iter().zip(&routes));
        let ports = network.ports_of_group;
        let of_node = |(node, (&links, &routes)): (NodeId, (&u16, &u64))| {
            let groups = network.neighbours(node).chunks(ports).enumerate();
            let is_nearer = |next: &NodeId| Some(distances[next.index() as usize]) == links.checked_sub(1);
            let bit = |(group, nodes): (usize, &[NodeId])| u64::from(nodes.iter().any(is_nearer)) << group;
            let groups: u64 = if routes == 0 { 0 } else { groups.map(bit).sum() };
            let links = u64::from(links) & ((1 << Self::LINK_BITS) - 1);
            let count = routes.wrapping_sub(1) & ((1 << Self::COUNT_BITS) - 1);
            Self(groups << (u64::BITS - Self::GROUPS) | links << Self::COUNT_BITS | count)
        };
        nodes.map(of_node).collect()
    }

    /// How many ports a group has, the last of a node perhaps fewer, where nodes have so many neighbours at most.
    pub(super) fn ports_of_group(max_degree: usize) -> usize {
        max_degree.div_ceil(Self::GROUPS as usize).max(1)
    }

    /// The groups of ports some of which lead nearer, a bit each, from the lowest on.
    #[inline]
    pub(super) fn groups(self) -> u64 {
        self.0 >> (u64::BITS - Self::GROUPS)
    }

    /// The number of routes.
    #[inline]
    pub(super) fn count(self) -> u64 {
        (self.0 & ((1 << Self::COUNT_BITS) - 1)) + 1
    }

    /// The number of shortest routes from here, if it is nearer than a neighbour, else 0.
    #[inline]
    pub(super) fn count_nearer_than(self, farther: Self) -> u64 {
        let apart = (farther.0 >> Self::COUNT_BITS).wrapping_sub(self.0 >> Self::COUNT_BITS);
        if apart & ((1 << Self::LINK_BITS) - 1) == 1 { self.count() } else { 0 }
    }
}

/// For every node, its distance to a destination and the number of shortest routes there.
#[derive(Debug)]
pub(crate) struct RouteCounts {
    pub(super) distances: Box<[u16]>,
    pub(crate) routes: Box<[u64]>, // each at most MAX_ROUTE_COUNT
}

impl RouteCounts {
    /// The distance of a node.
    #[cfg(test)]
    pub(crate) fn distance(&self, node: u32) -> u32 {
        self.distances[node as usize].into()
    }
}
