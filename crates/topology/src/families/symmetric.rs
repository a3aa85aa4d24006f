//! Networks that look the same from all nodes: the distances from node 0 are those of all nodes.

use std::fmt;

use crate::{
    Length, Network, NodeId, narrow,
    routes::{Distances, Row, ToDestination},
};

/// The automorphisms of a network that bring any node to node 0.
pub(crate) trait Moves: fmt::Debug + Send + Sync {
    /// The node to which `to` is moved when `at` is moved to node 0.
    fn difference(&self, at: u32, to: u32) -> u32;
}

/// The distances in a network that looks alike from every node, by its moves.
#[derive(Debug)]
pub(crate) struct Symmetric<M> {
    moves: M,
    row: Row, // of node 0, with numbers of routes
}

impl<M: Moves> Symmetric<M> {
    /// Returns the distances in a network with these moves, found by a search from node 0.
    pub(crate) fn new(moves: M, network: &Network) -> Self {
        Self { moves, row: Row::counted(network, NodeId::new(0)) }
    }
}

impl<M: Moves> Distances for Symmetric<M> {
    #[inline]
    fn distance(&self, at: u32, to: u32) -> u32 {
        self.row.distance(self.moves.difference(at, to)).unwrap_or(0) // all nodes are connected
    }

    #[inline]
    fn route_count(&self, at: u32, to: u32) -> Option<u64> {
        self.row.route_count(self.moves.difference(at, to))
    }
}

/// The moves of cube-connected cycles and wrapped butterflies: rotation of levels and words, and exclusive or of words.
///
/// Nodes are `(i, x)` at `i + n x`, `i` in `0..n`, `x` a word of `n` bits.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rotation {
    order: u32,     // n
    levels: Length, // the same
}

impl Rotation {
    /// Returns the moves of a network of `order` dimensions, at most 16.
    pub(super) fn new(order: u32) -> Self {
        Self { order, levels: Length::new(order.into()) }
    }
}

impl Moves for Rotation {
    #[inline]
    fn difference(&self, at: u32, to: u32) -> u32 {
        let [(x, i), (y, j)] = [at, to].map(|node| self.levels.divide(node.into()));
        let (order, word) = (u64::from(self.order), x ^ y);
        let rotated = (word >> i | word << (order - i)) & ((1 << order) - 1);
        let level = if j >= i { j - i } else { j + order - i };
        narrow(level + order * rotated)
    }
}
