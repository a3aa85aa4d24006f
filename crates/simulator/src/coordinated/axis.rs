//! The dimensions of a machine as the routing of millions of messages reads them.

use cubefold_topology::{Extent, Machine, Sign, TieRule, Way};

/// One dimension of a machine: a node's coordinate in it, and the line of nodes along it.
///
/// The same numbers as [`Machine`] gives, without division where the lengths are powers of two.
#[derive(Debug, Clone, Copy)]
pub(super) struct Axis {
    extent: Extent,
    stride: u64,        // of a node's index
    last: u32,          // the greatest coordinate
    shift: Option<u32>, // binary logarithm of the stride, where it and the length are powers of two
}

/// A message about to move along an axis, with its place on the line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    /// The line, in `0..N / k`.
    pub(super) line: u32,
    /// The links from the end of the line at which a message of this sign would enter it.
    pub(super) position: u32,
}

impl Axis {
    /// The dimensions of `machine` in ascending order.
    pub(super) fn all(machine: &Machine) -> Vec<Self> {
        let shape = machine.shape();
        let axis = |dimension| {
            let (extent, stride) = (machine.extent(dimension), shape.stride(dimension));
            let without_division = stride.is_power_of_two() && extent.length().is_power_of_two();
            let shift = without_division.then(|| stride.trailing_zeros());
            Self { extent, stride, last: low_word(extent.length() - 1), shift }
        };
        shape.dimensions().map(axis).collect()
    }

    /// The number of nodes of a line, at least 2.
    pub(super) fn length(&self) -> u64 {
        self.extent.length()
    }

    /// The coordinate of a node.
    #[inline]
    pub(super) fn coordinate(&self, node: u32) -> u32 {
        match self.shift {
            Some(shift) => low_word(u64::from(node) >> shift) & self.last,
            None => low_word(u64::from(node) / self.stride % self.extent.length()),
        }
    }

    /// The links between the coordinates of two nodes.
    #[inline]
    pub(super) fn distance(&self, a: u32, b: u32) -> u64 {
        self.extent.distance(self.coordinate(a), self.coordinate(b))
    }

    /// The way from `at` to the coordinate of `to`; none where `at` has it.
    #[inline]
    pub(super) fn way(&self, at: u32, to: u32, tie: TieRule) -> Option<Way> {
        self.extent.way(self.coordinate(at), self.coordinate(to), tie)
    }

    /// The node `hops` links from `node`, at most as many as lead to the end of a line that has one.
    #[inline]
    pub(super) fn after(&self, node: u32, way: Way) -> u32 {
        let here = u64::from(self.coordinate(node));
        let length = self.extent.length();
        let there = match way.sign {
            Sign::Positive => here + way.hops,
            Sign::Negative => here + length - way.hops,
        };
        let there = if there >= length { there - length } else { there };
        low_word(u64::from(node) - here * self.stride + there * self.stride)
    }

    /// Where a node is on its line.
    #[inline]
    pub(super) fn place(&self, node: u32, sign: Sign) -> Place {
        let index = u64::from(node);
        let (below, line) = match self.shift {
            Some(shift) => {
                let below = index & (self.stride - 1);
                (below, (index >> shift >> self.length().trailing_zeros()) << shift)
            }
            None => (index % self.stride, index / (self.stride * self.length()) * self.stride),
        };
        let coordinate = self.coordinate(node);
        let position = match sign {
            Sign::Positive => coordinate,
            Sign::Negative => self.last - coordinate,
        };
        Place { line: low_word(below + line), position }
    }
}

/// The distance between two nodes: the sum over all axes.
#[inline]
pub(super) fn distance(axes: &[Axis], a: u32, b: u32) -> u64 {
    axes.iter().map(|axis| axis.distance(a, b)).sum()
}

/// A value known to be below 2^32: an index, a coordinate or a line of a machine.
#[inline]
pub(super) fn low_word(value: u64) -> u32 {
    debug_assert!(u32::try_from(value).is_ok(), "machines have at most 2^32 nodes");
    #[expect(clippy::cast_possible_truncation, reason = "below 2^32, as asserted")]
    {
        value as u32
    }
}
