//! Where belts and channels are kept: the arithmetic of nodes, directions and slots.

use cubefold_topology::{Extent, Machine, Sign, TieRule};

/// The places of channels and slots of a machine.
///
/// A channel is kept at `direction * nodes + node`, with directions numbered `(1,+) (1,-) (2,+) ..`. The belt
/// of a directed line has as many slots as the line has nodes, kept where the line's channels are.
#[derive(Debug)]
pub(super) struct Layout {
    axes: Vec<Axis>,
    nodes: usize,
    tie: TieRule,
}

/// One dimension of the machine.
#[derive(Debug, Clone, Copy)]
struct Axis {
    extent: Extent,
    length: u32, // at most 2^30: see `Layout::fits`
    stride: u32,
    digits: Option<(u32, u32)>, // of powers of two: the place of the coordinate's bits, and their mask
}

/// A straight part of a message's way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Leg {
    /// The number of its direction.
    pub(super) direction: u32,
    /// Its links, at least 1.
    pub(super) hops: u32,
    /// The node that it leads to.
    pub(super) end: u32,
}

impl Layout {
    /// Whether the channels of a machine can be numbered with 31 bits, which leaves room for sums of places.
    pub(super) fn fits(machine: &Machine) -> bool {
        let directions = 2 * machine.shape().dimension_count() as u64;
        machine.node_count().saturating_mul(directions) <= 1 << 31
    }

    /// The layout of a machine that [fits](Self::fits).
    pub(super) fn new(machine: &Machine, tie: TieRule) -> Self {
        let axes = machine
            .shape()
            .dimensions()
            .map(|dimension| Axis::new(machine.extent(dimension), machine.shape().stride(dimension)));
        Self { axes: axes.collect(), nodes: machine.node_count() as usize, tie }
    }

    /// The number of channels, and of slots.
    pub(super) fn channels(&self) -> usize {
        2 * self.axes.len() * self.nodes
    }

    /// The number of dimensions.
    pub(super) fn dimensions(&self) -> usize {
        self.axes.len()
    }

    /// The greatest distance between nodes.
    pub(super) fn diameter(&self) -> u64 {
        self.axes.iter().map(|axis| axis.extent.diameter()).sum()
    }

    /// The place of a channel.
    #[inline]
    pub(super) fn channel(&self, direction: u32, node: u32) -> usize {
        direction as usize * self.nodes + node as usize
    }

    /// The next leg of the way from `at` to `to`: along the lowest dimension in which they differ.
    #[inline]
    pub(super) fn next_leg(&self, at: u32, to: u32) -> Option<Leg> {
        (0_u32..).zip(&self.axes).find_map(|(dimension, axis)| {
            let (from, goal) = (axis.coordinate(at), axis.coordinate(to));
            let way = axis.extent.way(from, goal, self.tie)?;
            let direction = match way.sign {
                Sign::Positive => 2 * dimension,
                Sign::Negative => 2 * dimension + 1,
            };
            // Both are coordinates of one machine, so that the sum is a node's index again.
            let end =
                at.wrapping_sub(from.wrapping_mul(axis.stride)).wrapping_add(goal.wrapping_mul(axis.stride));
            #[expect(clippy::cast_possible_truncation, reason = "fewer links than nodes on a line")]
            Some(Leg { direction, hops: way.hops as u32, end })
        })
    }

    /// The distance between two different nodes that lie on one line; none where they do not.
    #[inline]
    pub(super) fn straight(&self, from: u32, to: u32) -> Option<u32> {
        let mut along = self.axes.iter().filter_map(|axis| {
            let distance = axis.extent.distance(axis.coordinate(from), axis.coordinate(to));
            (distance > 0).then_some(distance)
        });
        #[expect(clippy::cast_possible_truncation, reason = "fewer links than nodes on a line")]
        let distance = along.next()? as u32;
        along.next().is_none().then_some(distance)
    }

    /// The links from a node to another one on its line, in a direction.
    #[inline]
    pub(super) fn hops_along(&self, direction: u32, from: u32, to: u32) -> u32 {
        let axis = &self.axes[direction as usize / 2];
        let (from, to) = (axis.coordinate(from), axis.coordinate(to));
        let (behind, ahead) = if direction.is_multiple_of(2) { (from, to) } else { (to, from) };
        if ahead >= behind { ahead - behind } else { ahead + axis.length - behind }
    }

    /// How far a dimension's belts have turned after so many steps.
    #[inline]
    pub(super) fn turned(&self, dimension: usize, steps: u64) -> u32 {
        let axis = &self.axes[dimension];
        let length = u64::from(axis.length);
        let turned = if length.is_power_of_two() { steps & (length - 1) } else { steps % length };
        #[expect(clippy::cast_possible_truncation, reason = "below the length")]
        let turned = turned as u32;
        turned
    }

    /// The place of the slot of a belt, turned so far, that is at a node, or so many slots ahead of it.
    #[inline]
    pub(super) fn slot(&self, direction: u32, node: u32, turned: u32, ahead: Ahead) -> usize {
        let axis = &self.axes[direction as usize / 2];
        let coordinate = axis.coordinate(node);
        let position = if direction.is_multiple_of(2) { coordinate } else { axis.length - 1 - coordinate };
        let position = match ahead {
            Ahead::Here => position,
            Ahead::One => position + 1,
            Ahead::OneBehind => position + axis.length - 1,
        };
        let slot = axis.around(position + axis.length - turned);
        let line = node.wrapping_sub(coordinate.wrapping_mul(axis.stride));
        self.channel(direction, line.wrapping_add(slot.wrapping_mul(axis.stride)))
    }
}

/// Which slot is meant, seen from the one at a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ahead {
    /// That one.
    Here,
    /// The next in the direction of travel.
    One,
    /// The one before it.
    OneBehind,
}

impl Axis {
    #[expect(clippy::cast_possible_truncation, reason = "lengths and strides of a machine that fits 32 bits")]
    fn new(extent: Extent, stride: u64) -> Self {
        let length = extent.length();
        let digits = (length.is_power_of_two() && stride.is_power_of_two())
            .then(|| (stride.trailing_zeros(), (length - 1) as u32));
        Self { extent, length: length as u32, stride: stride as u32, digits }
    }

    #[inline]
    fn coordinate(&self, node: u32) -> u32 {
        match self.digits {
            Some((place, mask)) => node >> place & mask,
            None => node / self.stride % self.length,
        }
    }

    /// A position below three times the length, modulo the length.
    #[inline]
    fn around(&self, position: u32) -> u32 {
        let position = if position >= self.length { position - self.length } else { position };
        if position >= self.length { position - self.length } else { position }
    }
}
