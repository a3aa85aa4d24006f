//! Where belts and channels are kept: the arithmetic of nodes, directions and slots.

use cubefold_topology::{Extent, Machine, Sign, TieRule, Way};

/// The places of channels and slots of a machine.
///
/// Every directed line has as many slots as nodes, kept together with its direction's others; the slot that
/// is at the line's first node at cycle 0 comes first. Channels are kept in the same way.
#[derive(Debug)]
pub(super) struct Layout {
    axes: Vec<Axis>,
    nodes: u32,
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
    /// Where it begins, and in which direction it leads.
    pub(super) stop: Stop,
    /// Its links, at least 1.
    pub(super) hops: u32,
    /// The node that it leads to.
    pub(super) end: u32,
}

/// A node on a directed line, as the messages of that direction see it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stop {
    /// The number of the direction: `(1,+) (1,-) (2,+) ..`.
    pub(super) direction: u32,
    /// The place of the line's first slot.
    line: u32,
    /// How many nodes of the line come before this one.
    position: u32,
}

/// The ends of a leg: the node where it begins, that node's coordinate and the goal's.
#[derive(Debug, Clone, Copy)]
struct Ends {
    at: u32,
    from: u32,
    goal: u32,
}

/// Which slot is meant, seen from the one at a stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ahead {
    /// That one.
    Here,
    /// The next in the direction of travel.
    One,
    /// The one before it.
    OneBehind,
}

impl Layout {
    /// Whether the channels of a machine can be numbered with 31 bits, which leaves room for sums of places.
    pub(super) fn fits(machine: &Machine) -> bool {
        let directions = 2 * machine.shape().dimension_count() as u64;
        machine.node_count().saturating_mul(directions) <= 1 << 31
    }

    /// The layout of a machine that [fits](Self::fits).
    pub(super) fn new(machine: &Machine, tie: TieRule) -> Self {
        let shape = machine.shape();
        let axes =
            shape.dimensions().map(|dimension| Axis::new(machine.extent(dimension), shape.stride(dimension)));
        let nodes = u32::try_from(machine.node_count()).unwrap_or(u32::MAX);
        Self { axes: axes.collect(), nodes, tie }
    }

    /// The number of channels, and of slots.
    pub(super) fn channels(&self) -> usize {
        2 * self.axes.len() * self.nodes as usize
    }

    /// The number of dimensions.
    pub(super) fn dimensions(&self) -> usize {
        self.axes.len()
    }

    /// The greatest distance between nodes.
    pub(super) fn diameter(&self) -> u64 {
        self.axes.iter().map(|axis| axis.extent.diameter()).sum()
    }

    /// The next leg of the way from `at` to `to`: along the lowest dimension in which they differ.
    #[inline]
    pub(super) fn next_leg(&self, at: u32, to: u32) -> Option<Leg> {
        let mut direction = 0;
        for axis in &self.axes {
            let (from, goal) = (axis.coordinate(at), axis.coordinate(to));
            if let Some(way) = axis.extent.way(from, goal, self.tie) {
                return Some(self.leg(axis, direction, Ends { at, from, goal }, way));
            }
            direction += 2;
        }
        None
    }

    #[inline]
    fn leg(&self, axis: &Axis, positive: u32, ends: Ends, way: Way) -> Leg {
        let Ends { at, from, goal } = ends;
        let (direction, position) = match way.sign {
            Sign::Positive => (positive, from),
            Sign::Negative => (positive + 1, axis.length - 1 - from),
        };
        let first = at - from * axis.stride;
        #[expect(clippy::cast_possible_truncation, reason = "fewer links than nodes on a line")]
        let hops = way.hops as u32;
        let stop = Stop { direction, line: direction * self.nodes + first, position };
        Leg { stop, hops, end: first + goal * axis.stride }
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

    /// The links from a stop to a node on its line, in the direction of travel.
    #[inline]
    pub(super) fn hops_to(&self, stop: Stop, node: u32) -> u32 {
        let axis = self.axis(stop);
        let coordinate = axis.coordinate(node);
        let ahead = if stop.direction.is_multiple_of(2) { coordinate } else { axis.length - 1 - coordinate };
        if ahead >= stop.position { ahead - stop.position } else { ahead + axis.length - stop.position }
    }

    /// How far a dimension's belts have turned after so many steps.
    #[inline]
    pub(super) fn turned(&self, dimension: usize, steps: u64) -> u32 {
        let length = u64::from(self.axes[dimension].length);
        let turned = if length.is_power_of_two() { steps & (length - 1) } else { steps % length };
        #[expect(clippy::cast_possible_truncation, reason = "below the length")]
        let turned = turned as u32;
        turned
    }

    /// The place of the channel that leads on from a stop.
    #[inline]
    pub(super) fn channel(&self, stop: Stop) -> usize {
        (stop.line + stop.position * self.axis(stop).stride) as usize
    }

    /// The place of a slot at a stop, or next to that, of a belt that has turned so far.
    #[inline]
    pub(super) fn slot(&self, stop: Stop, turned: u32, ahead: Ahead) -> u32 {
        let axis = self.axis(stop);
        let position = match ahead {
            Ahead::Here => stop.position + axis.length,
            Ahead::One => stop.position + axis.length + 1,
            Ahead::OneBehind => stop.position + axis.length - 1,
        };
        stop.line + axis.around(position - turned) * axis.stride
    }

    #[inline]
    fn axis(&self, stop: Stop) -> &Axis {
        &self.axes[stop.direction as usize / 2]
    }
}

impl Axis {
    #[expect(clippy::cast_possible_truncation, reason = "lengths and strides of a machine that fits 31 bits")]
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

    /// A position of up to twice the length, modulo the length.
    #[inline]
    fn around(&self, position: u32) -> u32 {
        match self.digits {
            Some((_, mask)) => position & mask,
            None => position % self.length,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cubefold_topology::{MachineKind, NodeId, Wrap};

    fn machines() -> impl Iterator<Item = Machine> {
        let shapes: [&[u64]; 5] = [&[2], &[8], &[7, 4], &[4, 8, 2], &[3, 2, 5]];
        shapes.into_iter().flat_map(|shape| {
            [Wrap::Around, Wrap::Open]
                .map(|wrap| Machine::with_wraps(MachineKind::Mesh, shape, &vec![wrap; shape.len()]).unwrap())
        })
    }

    #[test]
    fn legs_are_those_of_the_topology() {
        for (machine, tie) in machines().flat_map(|machine| TieRule::ALL.map(|tie| (machine.clone(), tie))) {
            let layout = Layout::new(&machine, tie);
            for (from, to) in machine.nodes().flat_map(|from| machine.nodes().map(move |to| (from, to))) {
                let leg = layout.next_leg(from.index(), to.index());
                let expected = machine.next_leg(from, to, tie);
                let parts = leg.map(|leg| (leg.stop.direction as usize, u64::from(leg.hops)));
                assert_eq!(parts, expected.map(|leg| (leg.direction.index(), leg.hops)));
                let (Some(leg), Some(expected)) = (leg, expected) else { continue };
                let mut end = from;
                for _ in 0..leg.hops {
                    end = machine.neighbour(end, expected.direction).unwrap();
                }
                assert_eq!((NodeId::new(leg.end), layout.hops_to(leg.stop, leg.end)), (end, leg.hops));
                let straight = (end == to).then_some(leg.hops);
                assert_eq!(layout.straight(from.index(), to.index()), straight);
            }
        }
    }

    #[test]
    fn a_message_stays_in_its_slot_and_slots_of_other_positions_are_others() {
        for machine in machines() {
            let layout = Layout::new(&machine, TieRule::Positive);
            for (from, to) in machine.nodes().flat_map(|from| machine.nodes().map(move |to| (from, to))) {
                let Some(leg) = layout.next_leg(from.index(), to.index()) else { continue };
                let dimension = leg.stop.direction as usize / 2;
                let length = layout.axes[dimension].length;
                for hops in 0..leg.hops {
                    let position = (leg.stop.position + hops) % length;
                    let there = Stop { position, ..leg.stop };
                    let slot = |stop, steps, ahead| layout.slot(stop, layout.turned(dimension, steps), ahead);
                    let own = slot(leg.stop, 5, Ahead::Here);
                    assert_eq!(slot(there, 5 + u64::from(hops), Ahead::Here), own);
                    assert_eq!(slot(there, 4 + u64::from(hops), Ahead::OneBehind), own);
                    assert_eq!(slot(there, 6 + u64::from(hops), Ahead::One), own);
                    assert_eq!(own == slot(there, 5, Ahead::Here), hops == 0);
                }
            }
        }
    }
}
