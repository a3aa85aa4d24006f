//! A part of a grid that one worker computes.

use std::ops::Range;

use cubefold_topology::{HostDimension, Machine};

/// Neighbouring nodes of a grid: some coordinates of one dimension, one coordinate of every dimension above it, and all
/// of those below. So the lines of the dimensions below are whole, and those of this one are cut into segments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Slab {
    nodes: Range<u64>,
}

impl Slab {
    /// All nodes of a grid.
    pub(crate) fn whole(machine: &Machine) -> Self {
        Self { nodes: 0..machine.node_count() }
    }

    /// The slab of these nodes, which must form one.
    pub(crate) fn new(nodes: Range<u64>) -> Self {
        Self { nodes }
    }

    pub(crate) fn nodes(&self) -> Range<u64> {
        self.nodes.clone()
    }

    pub(crate) fn first_node(&self) -> u64 {
        self.nodes.start
    }

    pub(crate) fn node_count(&self) -> u64 {
        self.nodes.end - self.nodes.start
    }

    /// The coordinates of its nodes in a dimension.
    pub(crate) fn coordinates(&self, machine: &Machine, dimension: HostDimension) -> Range<u64> {
        let (length, stride) =
            (machine.axes()[dimension.index()].length(), machine.shape().stride(dimension));
        let first = self.nodes.start / stride % length;
        first..first + self.node_count().div_ceil(stride).min(length)
    }
}
