//! One dimension of a grid with its place in the index of a node: the arithmetic of routes.
//!
//! The same numbers as [`Shape`] and [`Extent`] give for coordinates, here for nodes, without division where the lengths
//! are powers of two, and without branches where they depend on the message, since these would be mispredicted half of
//! the time.

use crate::{Digit, Displacement, Extent, IndexDigit, NodeId, Shape, Sign, TieRule};

/// One dimension of a grid: its extent, and which digit of a node's index its coordinate is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Axis {
    extent: Extent,
    digit: IndexDigit,
}

/// A node as a position on a directed line along an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LinePosition {
    /// The line, in `0..N / k` for `N` nodes and lines of `k`.
    pub line: u32,
    /// The coordinate, counted in the direction of the line.
    pub position: u32,
}

#[expect(clippy::inline_always, reason = "a call for each message costs as much as its work")]
impl Axis {
    /// Returns the axes of a grid of this shape with these extents, one for each dimension.
    pub(crate) fn all(shape: &Shape, extents: impl IntoIterator<Item = Extent>) -> Vec<Self> {
        shape.digits().iter().zip(extents).map(|(&digit, extent)| Self { extent, digit }).collect()
    }

    /// The extent.
    #[must_use]
    pub fn extent(&self) -> Extent {
        self.extent
    }

    /// The place of the coordinate in the index of a node.
    #[must_use]
    pub fn digit(&self) -> &IndexDigit {
        &self.digit
    }

    /// The number of nodes of a line, at least 2.
    #[must_use]
    #[inline]
    pub fn length(&self) -> u64 {
        self.extent.length()
    }

    /// The coordinate of a node.
    #[must_use]
    #[inline(always)]
    pub fn coordinate(&self, node: NodeId) -> u32 {
        self.digit.position(node.index())
    }

    /// The distance between the coordinates of two nodes \[links\].
    #[must_use]
    #[inline]
    pub fn distance(&self, a: NodeId, b: NodeId) -> u64 {
        let (a, b) = self.coordinates(a, b);
        self.extent.distance(a, b)
    }

    /// The displacement from `at` to the coordinate of `to`; `None` if they are equal.
    #[must_use]
    #[inline(always)]
    pub fn displacement(&self, at: NodeId, to: NodeId, tie: TieRule) -> Option<Displacement> {
        let (at, to) = self.coordinates(at, to);
        self.extent.displacement(at, to, tie)
    }

    /// The node one link from `node` in the given direction; `None` at the end of a line.
    #[must_use]
    pub fn neighbour(&self, node: NodeId, sign: Sign) -> Option<NodeId> {
        let here = self.coordinate(node);
        let there = self.extent.step(here, sign)?;
        Some(moved(self.digit, node, here, there))
    }

    /// The node at the end of a displacement, which does not go past the end of a line.
    #[must_use]
    #[inline(always)]
    pub fn after(&self, node: NodeId, displacement: Displacement) -> NodeId {
        match &self.digit {
            IndexDigit::Bits(digit) => after(self.extent, *digit, node, displacement),
            IndexDigit::Radix(digit) => after(self.extent, *digit, node, displacement),
        }
    }

    /// The position of a node on its line, as counted in a direction.
    #[must_use]
    #[inline(always)]
    pub fn line_position(&self, node: NodeId, sign: Sign) -> LinePosition {
        match &self.digit {
            IndexDigit::Bits(digit) => line_position(self.extent, *digit, node, sign),
            IndexDigit::Radix(digit) => line_position(self.extent, *digit, node, sign),
        }
    }

    /// The coordinates of two nodes, with one branch for both.
    #[inline(always)]
    fn coordinates(&self, a: NodeId, b: NodeId) -> (u32, u32) {
        match &self.digit {
            IndexDigit::Bits(digit) => (digit.position(a.index()), digit.position(b.index())),
            IndexDigit::Radix(digit) => (digit.position(a.index()), digit.position(b.index())),
        }
    }
}

#[inline(always)]
#[expect(clippy::inline_always, reason = "a call for each message costs as much as its work")]
fn after(extent: Extent, digit: impl Digit, node: NodeId, displacement: Displacement) -> NodeId {
    let here = digit.position(node.index());
    moved(digit, node, here, extent.after(here, displacement))
}

/// The node at another coordinate of the line.
#[inline(always)]
#[expect(clippy::inline_always, reason = "a call for each message costs as much as its work")]
fn moved(digit: impl Digit, node: NodeId, here: u32, there: u32) -> NodeId {
    NodeId::new(node.index().wrapping_add(digit.offset(there.wrapping_sub(here))))
}

#[inline(always)]
#[expect(clippy::inline_always, reason = "a call for each message costs as much as its work")]
fn line_position(extent: Extent, digit: impl Digit, node: NodeId, sign: Sign) -> LinePosition {
    let index = node.index();
    let line = digit.below(index).wrapping_add(digit.offset(digit.above(index)));
    LinePosition { line, position: extent.position(digit.position(index), sign) }
}

/// The distance between two nodes: the sum over all axes \[links\].
#[must_use]
#[inline]
pub fn axes_distance(axes: &[Axis], a: NodeId, b: NodeId) -> u64 {
    axes.iter().map(|axis| axis.distance(a, b)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Machine, MachineKind, Wrap, narrow};

    #[test]
    fn displacements_are_those_of_the_machine() {
        let shapes: [&[u64]; 6] = [&[2], &[7], &[8, 4], &[4, 3, 2], &[2, 5, 4], &[4, 2, 8]];
        for (lengths, wrap) in shapes.iter().flat_map(|shape| [(shape, Wrap::Around), (shape, Wrap::Open)]) {
            let wraps = vec![wrap; lengths.len()];
            let machine = Machine::with_wraps(MachineKind::Torus, lengths, &wraps).unwrap();
            for (at, to) in machine.nodes().flat_map(|at| machine.nodes().map(move |to| (at, to))) {
                assert_eq!(axes_distance(machine.axes(), at, to), machine.distance(at, to));
                check_displacements(&machine, at, to);
            }
        }
    }

    fn check_displacements(machine: &Machine, at: NodeId, to: NodeId) {
        for (axis, dimension) in machine.axes().iter().zip(machine.shape().dimensions()) {
            for tie in TieRule::ALL {
                let displacement = axis.displacement(at, to, tie);
                let leg = machine.grid().unwrap().leg_along(dimension, at, to, tie);
                assert_eq!(displacement.map(|displacement| displacement.hops), leg.map(|leg| leg.hops));
                assert_eq!(
                    displacement.map(|displacement| displacement.sign),
                    leg.map(|leg| leg.direction.sign)
                );
                if let (Some(displacement), Some(leg)) = (displacement, leg) {
                    let one = Displacement { hops: 1, ..displacement };
                    assert_eq!(Some(axis.after(at, one)), machine.neighbour(at, leg.direction));
                    let there = axis.after(at, displacement);
                    let coordinate = |node| machine.shape().coordinate(node, dimension);
                    assert_eq!(coordinate(there), coordinate(to));
                }
            }
        }
    }

    #[test]
    fn places_count_lines_and_the_links_along_them() {
        for lengths in [[4, 2, 8], [3, 5, 2]] {
            let machine = Machine::new(MachineKind::Mesh, &lengths).unwrap();
            for axis in machine.axes() {
                let lines = machine.node_count() / axis.length();
                for sign in Sign::BOTH {
                    let place = |node| axis.line_position(node, sign);
                    let mut places: Vec<_> =
                        machine.nodes().map(|node| (place(node).line, place(node).position)).collect();
                    places.sort_unstable();
                    let all = (0..narrow(lines))
                        .flat_map(|line| (0..narrow(axis.length())).map(move |at| (line, at)));
                    assert!(places.into_iter().eq(all));
                }
                for node in machine.nodes().filter(|&node| axis.coordinate(node) > 0) {
                    let below = axis.after(node, Displacement { sign: Sign::Negative, hops: 1 });
                    let steps = Sign::BOTH
                        .map(|sign| (axis.line_position(node, sign), axis.line_position(below, sign)));
                    assert!(steps.iter().all(|(one, other)| one.line == other.line));
                    assert_eq!(steps[0].0.position, steps[0].1.position + 1);
                    assert_eq!(steps[1].0.position + 1, steps[1].1.position);
                }
            }
        }
    }
}
