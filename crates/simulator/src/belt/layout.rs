//! Where belts and channels are kept: the arithmetic of nodes, directions and slots.

use cubefold_topology::{Machine, NodeId, Sign, TieRule};

use crate::axis::{Axis, AxisLeg, low_word};

/// The places of channels and slots of a machine.
///
/// Every directed line has as many slots as nodes. They are kept together, the slot that is at the line's first
/// node at cycle 0 first, so that a node sees slots go by that are next to each other. Channels are kept in the
/// same way.
#[derive(Debug)]
pub(super) struct Layout {
    axes: Vec<Axis>,
    nodes: u32,
    diameter: u64,
    tie: TieRule,
}

/// A straight part of a message's way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Leg {
    /// Where it begins, and in which direction it leads.
    pub(super) stop: Stop,
    /// Its links, at least 1.
    pub(super) hops: u32,
    /// The node that it leads to.
    pub(super) end: NodeId,
}

/// A node on a directed line, as the messages of that direction see it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stop {
    /// The number of the direction: `(1,+) (1,-) (2,+) ..`.
    pub(super) direction: u32,
    /// The place of the line's first slot.
    pub(super) line: u32,
    /// How many nodes of the line come before this one.
    pub(super) position: u32,
}

impl Layout {
    /// Whether the channels of a machine can be numbered with 31 bits, which leaves room for sums of places.
    pub(super) fn fits(machine: &Machine) -> bool {
        let directions = 2 * machine.shape().dimension_count() as u64;
        machine.node_count().saturating_mul(directions) <= 1 << 31
    }

    /// The layout of a machine that [fits](Self::fits).
    pub(super) fn new(machine: &Machine, tie: TieRule) -> Self {
        Self {
            axes: machine.axes().to_vec(),
            nodes: u32::try_from(machine.node_count()).unwrap_or(u32::MAX),
            diameter: machine.distance_bound(),
            tie,
        }
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
        self.diameter
    }

    /// The next leg of the way from `at` to `to`: along the lowest dimension in which they differ.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "a call for each message costs as much as its work")]
    pub(super) fn next_leg(&self, at: NodeId, to: NodeId) -> Option<Leg> {
        if let [axis] = self.axes.as_slice() {
            return self.leg_on_line(axis, at, to);
        }
        let mut direction = 0;
        for axis in &self.axes {
            if let Some(AxisLeg { displacement: way, line, position, end }) = axis.leg(at, to, self.tie) {
                direction += u32::from(way.sign == Sign::Negative);
                let stop = Stop { direction, line: direction * self.nodes + line, position };
                return Some(Leg { stop, hops: low_word(way.hops), end });
            }
            direction += 2;
        }
        None
    }

    /// The way from `at` to `to` on a machine that is one line, where nodes are coordinates.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "a call for each message costs as much as its work")]
    fn leg_on_line(&self, axis: &Axis, at: NodeId, to: NodeId) -> Option<Leg> {
        let way = axis.extent().displacement(at.index(), to.index(), self.tie)?;
        let direction = u32::from(way.sign == Sign::Negative);
        let position = axis.extent().position(at.index(), way.sign);
        let stop = Stop { direction, line: direction * self.nodes, position };
        Some(Leg { stop, hops: low_word(way.hops), end: to })
    }

    /// The distance between two different nodes that lie on one line; none where they do not.
    #[inline]
    pub(super) fn straight(&self, from: NodeId, to: NodeId) -> Option<u32> {
        let mut along = self.axes.iter().map(|axis| axis.distance(from, to)).filter(|&distance| distance > 0);
        let distance = low_word(along.next()?);
        along.next().is_none().then_some(distance)
    }

    /// The number of slots of a line.
    #[inline]
    pub(super) fn length(&self, dimension: usize) -> u32 {
        low_word(self.axes[dimension].length())
    }

    /// How far a dimension's belts have turned after so many steps.
    #[inline]
    pub(super) fn turned(&self, dimension: usize, steps: u64) -> u32 {
        let length = self.axes[dimension].length();
        low_word(if length.is_power_of_two() { steps & (length - 1) } else { steps % length })
    }
}

impl Stop {
    /// The place of its dimension.
    #[inline]
    pub(super) fn dimension(self) -> usize {
        self.direction as usize / 2
    }

    /// The place of the slot at it, of a belt of so many slots that has turned so far.
    #[inline]
    pub(super) fn slot(self, turned: u32, length: u32) -> u32 {
        self.line + back(self.position, turned, length)
    }

    /// The place of the channel that leads on from it.
    #[inline]
    pub(super) fn channel(self) -> usize {
        (self.line + self.position) as usize
    }
}

/// The position so many steps after this one on a round of `length`; less than a round.
#[inline]
pub(super) fn ahead(position: u32, steps: u32, length: u32) -> u32 {
    if position + steps >= length { position + steps - length } else { position + steps }
}

/// The position so many steps before this one on a round of `length`; no more than a round.
#[inline]
pub(super) fn back(position: u32, steps: u32, length: u32) -> u32 {
    if position >= steps { position - steps } else { position + length - steps }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use cubefold_topology::{MachineKind, Wrap};

    fn machines() -> impl Iterator<Item = Machine> {
        let shapes: [&[u64]; 6] = [&[2], &[7], &[8], &[7, 4], &[4, 8, 2], &[3, 2, 5]];
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
                let leg = layout.next_leg(from, to);
                let expected = machine.next_leg(from, to, tie);
                let parts = leg.map(|leg| (leg.stop.direction as usize, u64::from(leg.hops)));
                assert_eq!(parts, expected.map(|leg| (leg.direction.index(), leg.hops)));
                let (Some(leg), Some(expected)) = (leg, expected) else { continue };
                let mut end = from;
                for _ in 0..leg.hops {
                    end = machine.neighbour(end, expected.direction).unwrap();
                }
                assert_eq!(leg.end, end);
                let straight = (end == to).then_some(leg.hops);
                assert_eq!(layout.straight(from, to), straight);
            }
        }
    }

    #[test]
    fn a_message_stays_in_its_slot_and_slots_of_other_positions_are_others() {
        for machine in machines() {
            let layout = Layout::new(&machine, TieRule::Positive);
            for (from, to) in machine.nodes().flat_map(|from| machine.nodes().map(move |to| (from, to))) {
                let Some(leg) = layout.next_leg(from, to) else { continue };
                let dimension = leg.stop.dimension();
                let length = layout.length(dimension);
                for hops in 0..leg.hops {
                    let position = (leg.stop.position + hops) % length;
                    let there = Stop { position, ..leg.stop };
                    let slot = |stop: Stop, steps| stop.slot(layout.turned(dimension, steps), length);
                    let own = slot(leg.stop, 5);
                    let place = own - leg.stop.line;
                    assert_eq!(slot(there, 5 + u64::from(hops)), own);
                    assert_eq!(slot(there, 4 + u64::from(hops)), leg.stop.line + ahead(place, 1, length));
                    assert_eq!(slot(there, 6 + u64::from(hops)), leg.stop.line + back(place, 1, length));
                    assert_eq!(own == slot(there, 5), hops == 0);
                }
            }
        }
    }

    #[test]
    fn every_node_and_direction_has_a_channel_of_its_own() {
        for machine in machines() {
            let layout = Layout::new(&machine, TieRule::Direct);
            let mut channels = BTreeMap::new();
            for (from, to) in machine.nodes().flat_map(|from| machine.nodes().map(move |to| (from, to))) {
                let Some(Leg { stop, .. }) = layout.next_leg(from, to) else { continue };
                assert!(stop.channel() < layout.channels());
                assert_eq!(*channels.entry(stop.channel()).or_insert((from, stop)), (from, stop));
            }
        }
    }
}
