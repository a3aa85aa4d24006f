//! Tables of routes, a row a destination: the next link from each node, or the numbers of shortest routes.

use std::sync::{Arc, OnceLock};

use arc_swap::{ArcSwap, Guard};
use prefetch_index::prefetch_index;

use crate::{Network, NodeId};

/// The rows that were made, until they are given up.
#[derive(Debug)]
pub(super) struct RouteTable<R>(ArcSwap<Rows<R>>);

/// A row for every destination that was asked for.
#[derive(Debug)]
pub(super) struct Rows<R>(OnceLock<Box<[OnceLock<R>]>>);

impl<R> RouteTable<R> {
    /// Returns a table without rows.
    pub(super) fn new() -> Self {
        Self(ArcSwap::from_pointee(Rows::new()))
    }

    /// The rows, which stay for as long as this is held.
    #[inline]
    pub(super) fn rows(&self) -> Guard<Arc<Rows<R>>> {
        self.0.load()
    }

    /// Gives up all rows; those that are asked for again are made again.
    pub(super) fn give_up(&self) {
        self.0.store(Arc::new(Rows::new()));
    }
}

impl<R> Rows<R> {
    fn new() -> Self {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_that_are_given_up_stay_for_those_who_hold_them_and_are_made_again() {
        let network = Network::from_edges(2, &[(0, 1)]).unwrap();
        let table = RouteTable::<Arc<u32>>::new();
        let (to, make): (_, fn(&Network, NodeId) -> Arc<u32>) =
            (NodeId::new(1), |_, to| Arc::new(to.index()));
        let held = table.rows();
        let first = Arc::downgrade(held.row(&network, to, make));
        assert!(Arc::ptr_eq(held.row(&network, to, make), table.rows().row(&network, to, make)));
        table.give_up();
        assert_eq!(first.upgrade().as_deref(), Some(&1));
        let second = Arc::downgrade(table.rows().row(&network, to, make));
        drop(held);
        assert!(first.upgrade().is_none());
        assert_eq!(second.upgrade().as_deref(), Some(&1));
    }
}
