//! The routes of messages on a line, and the numbers of its channels and slots.
//!
//! The line has a channel and a slot at every node in both directions: first those of direction `+` by position, then those
//! of `-`. Slots are numbered by their positions in cycle 0, so that slots that pass a node one after another are
//! neighbours in memory.

use cubefold_topology::{Extent, Sign, TieRule, narrow, ring_sub};

/// The routes between the processes of a line.
#[derive(Debug)]
pub(super) struct LineRoutes {
    extent: Extent,
    pub(super) length: u32, // nodes
    tie: TieRule,
    nodes: Vec<u32>, // by process
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LineRoute {
    pub(super) begin: ChannelPosition, // the node at which it begins, and its direction
    pub(super) hops: u32,              // its links, at least 1
}

/// A node on a directed line, with the channel that leaves it and the slot at it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ChannelPosition {
    /// The number of the first channel and of the first slot of the direction.
    pub(super) first: u32,
    /// The number of nodes of the directed line before this one.
    pub(super) position: u32,
}

impl ChannelPosition {
    /// The slot at this position after the slots of a line of `length` nodes have moved by `rotation` positions.
    #[inline]
    pub(super) fn slot(self, rotation: u32, length: u32) -> u32 {
        self.first + ring_sub(self.position, rotation, length)
    }

    /// The number of the channel that leaves this position.
    #[inline]
    pub(super) fn channel(self) -> u32 {
        self.first + self.position
    }
}

impl LineRoutes {
    /// The greatest number of nodes of a line. Channels and sums of two positions then fit in 32 bits.
    pub(super) const MAX_LENGTH: u64 = 1 << 30;

    /// The routes of processes on these nodes of a line of at most [`MAX_LENGTH`](Self::MAX_LENGTH) nodes.
    pub(super) fn new(extent: Extent, tie: TieRule, nodes: Vec<u32>) -> Self {
        Self { extent, length: narrow(extent.length()), tie, nodes }
    }

    pub(super) fn process_count(&self) -> usize {
        self.nodes.len()
    }

    /// The distance between two processes \[links\].
    #[inline]
    pub(super) fn distance(&self, one: usize, other: usize) -> u64 {
        self.extent.distance(self.nodes[one], self.nodes[other])
    }

    /// The positions by which slots have moved at a cycle, below the length of the line.
    #[inline]
    pub(super) fn rotation(&self, cycle: u64) -> u32 {
        let length = u64::from(self.length);
        narrow(if length.is_power_of_two() { cycle & (length - 1) } else { cycle % length })
    }

    /// The route of a message; `None` between processes on one node.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "a call for each message costs as much as its work")]
    pub(super) fn route(&self, source: u32, destination: u32) -> Option<LineRoute> {
        let [from, to] = [source, destination].map(|process| self.nodes[process as usize]);
        let displacement = self.extent.displacement(from, to, self.tie)?;
        let first = self.length * u32::from(displacement.sign == Sign::Negative);
        let begin = ChannelPosition { first, position: self.extent.position(from, displacement.sign) };
        Some(LineRoute { begin, hops: narrow(displacement.hops) })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use cubefold_topology::{Machine, MachineKind, NodeId, Wrap};

    /// Lines with a process on every node, process `p` on node `p`.
    fn lines() -> impl Iterator<Item = (Machine, TieRule, LineRoutes)> {
        let lines = [2, 3, 7, 8].into_iter().flat_map(|length| {
            [Wrap::Around, Wrap::Open]
                .map(|wrap| Machine::with_wraps(MachineKind::Mesh, &[length], &[wrap]).unwrap())
        });
        lines.flat_map(|machine| {
            TieRule::ALL.map(|tie| {
                let nodes = machine.nodes().map(NodeId::index).collect();
                (machine.clone(), tie, LineRoutes::new(machine.axes()[0].extent(), tie, nodes))
            })
        })
    }

    fn pairs(routes: &LineRoutes) -> impl Iterator<Item = (u32, u32)> + use<> {
        let count = routes.length;
        (0..count).flat_map(move |from| (0..count).map(move |to| (from, to)))
    }

    #[test]
    fn routes_are_those_of_the_topology() {
        for (machine, tie, routes) in lines() {
            for (from, to) in pairs(&routes) {
                let expected = machine.next_leg(NodeId::new(from), NodeId::new(to), tie);
                let found = routes.route(from, to);
                let parts = found.map(|route| {
                    let direction = usize::from(route.begin.first > 0);
                    (direction, u64::from(route.hops))
                });
                assert_eq!(parts, expected.map(|leg| (leg.direction.index(), leg.hops)));
                let hops = found.map_or(0, |route| u64::from(route.hops));
                assert_eq!(routes.distance(from as usize, to as usize), hops);
            }
        }
    }

    #[test]
    fn a_message_stays_in_its_slot_and_slots_of_other_positions_differ() {
        for (_, _, routes) in lines() {
            let length = routes.length;
            for LineRoute { begin, hops } in pairs(&routes).filter_map(|(from, to)| routes.route(from, to)) {
                let slot = |at: ChannelPosition, cycle| at.slot(routes.rotation(cycle), length);
                let held = slot(begin, 5);
                for moved in 0..hops {
                    let there = ChannelPosition { position: (begin.position + moved) % length, ..begin };
                    assert_eq!(slot(there, 5 + u64::from(moved)), held);
                    assert_eq!(held == slot(there, 5), moved == 0);
                }
            }
        }
    }

    #[test]
    fn every_node_and_direction_has_a_channel() {
        for (_, _, routes) in lines() {
            let mut channels = BTreeMap::new();
            for (from, to) in pairs(&routes) {
                let Some(LineRoute { begin, .. }) = routes.route(from, to) else { continue };
                assert!(begin.channel() < 2 * routes.length);
                assert_eq!(*channels.entry(begin.channel()).or_insert((from, begin)), (from, begin));
            }
        }
    }
}
