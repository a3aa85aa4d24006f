//! The dimensions of a machine as the routing of millions of messages reads them.

use cubefold_topology::{Displacement, Machine, NodeId, Sign, TieRule};

/// One dimension of a machine: a node's coordinate in it, and the line of nodes along it.
///
/// The same numbers as [`Machine`] gives, without division where the lengths are powers of two, and
/// without branches where they depend on the message, since these would be anybody's guess.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Axis {
    length: u64,        // in 2..=2^32
    round: u64,         // the links round a ring; on a line more than any two ways together
    stride: u64,        // of a node's index
    last: u32,          // the greatest coordinate
    shift: Option<u32>, // binary logarithm of the stride, where it and the length are powers of two
}

/// Where a message that moves along an axis starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place {
    /// The line, in `0..N / k`.
    pub(crate) line: u32,
    /// The coordinate, counted in the direction of the move.
    pub(crate) position: u32,
}

/// A move along an axis from one node to another coordinate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct AxisLeg {
    /// The direction and the links.
    pub(crate) way: Displacement,
    /// How many nodes are on lines before this one.
    pub(crate) line: u32,
    /// The coordinate of its begin, counted in the direction of the move.
    pub(crate) position: u32,
    /// The node that it leads to.
    pub(crate) end: NodeId,
}

impl Axis {
    /// The dimensions of `machine` in ascending order.
    pub(crate) fn all(machine: &Machine) -> Vec<Self> {
        let shape = machine.shape();
        let axis = |dimension| {
            let (extent, stride) = (machine.extent(dimension), shape.stride(dimension));
            let length = extent.length();
            let without_division = stride.is_power_of_two() && length.is_power_of_two();
            Self {
                length,
                round: if extent.is_ring() { length } else { 2 * length },
                stride,
                last: low_word(length - 1),
                shift: without_division.then(|| stride.trailing_zeros()),
            }
        };
        shape.dimensions().map(axis).collect()
    }

    /// The number of nodes of a line, at least 2.
    pub(crate) fn length(&self) -> u64 {
        self.length
    }

    /// The coordinate of a node.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "a call for each message costs as much as its work")]
    fn coordinate(&self, node: NodeId) -> u32 {
        let index = u64::from(node.index());
        match self.shift {
            Some(shift) => low_word(index >> shift) & self.last,
            None => low_word(index / self.stride % self.length),
        }
    }

    /// The links between the coordinates of two nodes.
    #[inline]
    pub(crate) fn distance(&self, a: NodeId, b: NodeId) -> u64 {
        let straight = u64::from(self.coordinate(a).abs_diff(self.coordinate(b)));
        straight.min(self.round - straight)
    }

    /// The way from `at` to the coordinate of `to`; none where `at` has it.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "a call for each message costs as much as its work")]
    pub(crate) fn displacement(&self, at: NodeId, to: NodeId, tie: TieRule) -> Option<Displacement> {
        self.displacement_between(self.coordinate(at), self.coordinate(to), tie)
    }

    /// The links from a coordinate to another; none where they are the same.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "a call for each message costs as much as its work")]
    pub(crate) fn displacement_between(&self, from: u32, to: u32, tie: TieRule) -> Option<Displacement> {
        if from == to {
            return None;
        }
        let straight = u64::from(from.abs_diff(to));
        let around = self.round - straight;
        let descends = to < from;
        let tie_turns = match tie {
            TieRule::Direct => false,
            TieRule::Positive => descends,
            TieRule::Negative => !descends,
        };
        // One more where a tie turns: then equally long is shorter.
        let turns = around < straight + u64::from(tie_turns);
        let sign = if descends ^ turns { Sign::Negative } else { Sign::Positive };
        Some(Displacement { sign, hops: straight.min(around) })
    }

    /// The leg along this axis of the way from `at` to `to`; none where they have the same coordinate.
    ///
    /// Only for machines of at most 2^31 nodes.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "a call for each message costs as much as its work")]
    pub(crate) fn leg(&self, at: NodeId, to: NodeId, tie: TieRule) -> Option<AxisLeg> {
        let (from, goal) = (self.coordinate(at), self.coordinate(to));
        let way = self.displacement_between(from, goal, tie)?;
        let stride = low_word(self.stride);
        let first = at.index() - from * stride;
        let below = match self.shift {
            Some(_) => first & (stride - 1),
            None => first % stride,
        };
        let position = self.position(from, way.sign);
        Some(AxisLeg {
            way,
            line: first + below * self.last,
            position,
            end: NodeId::new(first + goal * stride),
        })
    }

    /// A coordinate, counted in the direction of a move.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "a call for each message costs as much as its work")]
    pub(crate) fn position(&self, coordinate: u32, sign: Sign) -> u32 {
        // From the other end it is last - coordinate, without a branch; modulo 2^32 that is exact.
        let negative = u32::from(sign == Sign::Negative);
        coordinate.wrapping_add((self.last.wrapping_sub(coordinate.wrapping_mul(2))).wrapping_mul(negative))
    }

    /// The node that such a way leads to, which does not go past the end of a line.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "a call for each message costs as much as its work")]
    pub(crate) fn after(&self, node: NodeId, way: Displacement) -> NodeId {
        let (index, here) = (u64::from(node.index()), u64::from(self.coordinate(node)));
        // The other way round is length - hops, and is no branch: signs are as random as coin tosses.
        let negative = u64::from(way.sign == Sign::Negative);
        let hops = way.hops.wrapping_add(self.length.wrapping_sub(2 * way.hops).wrapping_mul(negative));
        let there = here + hops;
        let there = there - self.length * u64::from(there >= self.length);
        NodeId::new(low_word(match self.shift {
            Some(shift) => index ^ ((here ^ there) << shift),
            None => index - here * self.stride + there * self.stride,
        }))
    }

    /// Where a node is on its line.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "a call for each message costs as much as its work")]
    pub(crate) fn place(&self, node: NodeId, sign: Sign) -> Place {
        let index = u64::from(node.index());
        let (below, line) = match self.shift {
            Some(shift) => {
                let below = index & (self.stride - 1);
                (below, (index >> shift >> self.length.trailing_zeros()) << shift)
            }
            None => (index % self.stride, index / (self.stride * self.length) * self.stride),
        };
        let position = self.position(self.coordinate(node), sign);
        Place { line: low_word(below + line), position }
    }
}

/// The distance between two nodes: the sum over all axes.
#[inline]
pub(crate) fn distance(axes: &[Axis], a: NodeId, b: NodeId) -> u64 {
    axes.iter().map(|axis| axis.distance(a, b)).sum()
}

/// A value known to be below 2^32: an index, a coordinate or a line of a machine.
#[inline]
pub(crate) fn low_word(value: u64) -> u32 {
    debug_assert!(u32::try_from(value).is_ok(), "machines have at most 2^32 nodes");
    #[expect(clippy::cast_possible_truncation, reason = "below 2^32, as asserted")]
    {
        value as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cubefold_topology::{MachineKind, Wrap};

    #[test]
    fn axes_tell_what_the_machine_does() {
        let shapes: [&[u64]; 6] = [&[2], &[7], &[8, 4], &[4, 3, 2], &[2, 5, 4], &[4, 2, 8]];
        for (lengths, wrap) in shapes.iter().flat_map(|shape| [(shape, Wrap::Around), (shape, Wrap::Open)]) {
            let wraps = vec![wrap; lengths.len()];
            let machine = Machine::with_wraps(MachineKind::Torus, lengths, &wraps).unwrap();
            for (at, to) in machine.nodes().flat_map(|at| machine.nodes().map(move |to| (at, to))) {
                assert_eq!(distance(&Axis::all(&machine), at, to), machine.distance(at, to));
                check_ways(&machine, at, to);
            }
        }
    }

    fn check_ways(machine: &Machine, at: NodeId, to: NodeId) {
        for (axis, dimension) in Axis::all(machine).iter().zip(machine.shape().dimensions()) {
            for tie in TieRule::ALL {
                let way = axis.displacement(at, to, tie);
                let leg = machine.leg_along(dimension, at, to, tie);
                assert_eq!(way.map(|way| way.hops), leg.map(|leg| leg.hops));
                assert_eq!(way.map(|way| way.sign), leg.map(|leg| leg.direction.sign));
                if let (Some(way), Some(leg)) = (way, leg) {
                    let one = Displacement { hops: 1, ..way };
                    assert_eq!(Some(axis.after(at, one)), machine.neighbour(at, leg.direction));
                    let there = axis.after(at, way);
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
            for axis in Axis::all(&machine) {
                let lines = machine.node_count() / axis.length();
                for sign in Sign::BOTH {
                    let place = |node| axis.place(node, sign);
                    let mut places: Vec<_> =
                        machine.nodes().map(|node| (place(node).line, place(node).position)).collect();
                    places.sort_unstable();
                    let all = (0..low_word(lines))
                        .flat_map(|line| (0..low_word(axis.length())).map(move |at| (line, at)));
                    assert!(places.into_iter().eq(all));
                }
                for node in machine.nodes().filter(|&node| axis.coordinate(node) > 0) {
                    let below = axis.after(node, Displacement { sign: Sign::Negative, hops: 1 });
                    let steps = Sign::BOTH.map(|sign| (axis.place(node, sign), axis.place(below, sign)));
                    assert!(steps.iter().all(|(one, other)| one.line == other.line));
                    assert_eq!(steps[0].0.position, steps[0].1.position + 1);
                    assert_eq!(steps[1].0.position + 1, steps[1].1.position);
                }
            }
        }
    }
}
