//! Routes of messages on slotted lines: numbering of channels and slots, and the legs of every route.
//!
//! A [`ChannelMap`] numbers the channels and slots of a machine and computes the next straight leg of a
//! route. On a line all routes are straight and known in advance: a [`LineRouteTable`] holds them. The event
//! loop is compiled for either kind of [`RouteTable`].

use cubefold_topology::{Axis, AxisLeg, Machine, NodeId, Sign, TieRule, narrow, ring_sub};

use super::state::{MAX_CACHED_PROCESSES, ProcessState};
use crate::event_queue::{ChunkedLists, EventLists, LinkedLists};

/// The routes of a run, and the kind of event lists that suits its number of events.
pub(super) trait RouteTable {
    /// The lists of events of one cycle.
    type Lists: EventLists;

    /// Returns the first leg of the message that process `to` receives from its partner `from`.
    fn first_leg(&self, processes: &mut [ProcessState], from: u32, to: u32) -> Option<StraightLeg>;

    /// Returns the leg after the one that the message for `process` has finished; `None` at its destination.
    fn next_leg(&self, process: &mut ProcessState) -> Option<StraightLeg>;
}

/// A straight part of a route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct StraightLeg {
    /// The node at which it begins, and its direction.
    pub(super) begin: ChannelPosition,
    /// Its links, at least 1.
    pub(super) hops: u32,
    /// The node at which it ends.
    pub(super) end: NodeId,
}

/// A node on a directed line, with the channel that leaves it and the slot at it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ChannelPosition {
    /// The number of the direction: `(1,+) (1,-) (2,+) ..`.
    pub(super) direction: u32,
    /// The number of the line's first slot, and of its first channel.
    pub(super) line: u32,
    /// The number of nodes of the line before this one.
    pub(super) position: u32,
}

impl ChannelPosition {
    /// The index of its dimension.
    #[inline]
    pub(super) fn dimension(self) -> usize {
        self.direction as usize / 2
    }

    /// The slot at this position after a line of `length` slots has moved by `rotation` positions.
    #[inline]
    pub(super) fn slot(self, rotation: u32, length: u32) -> u32 {
        self.line + ring_sub(self.position, rotation, length)
    }

    /// The number of the channel that leaves this position.
    #[inline]
    pub(super) fn channel(self) -> usize {
        (self.line + self.position) as usize
    }
}

/// Numbers of the channels and slots of a machine.
///
/// Every directed line has one slot per node. The slots of a line are numbered consecutively, beginning with
/// the one at the line's first node in cycle 0, so that slots that pass a node one after another are
/// neighbours in memory. Channels are numbered with the same offsets.
#[derive(Debug)]
pub(super) struct ChannelMap {
    axes: Vec<Axis>,
    nodes: u32,
    diameter: u64,
    tie: TieRule,
}

impl ChannelMap {
    /// Whether the channels of a machine can be numbered with 31 bits, which leaves room for sums of numbers.
    pub(super) fn fits(machine: &Machine) -> bool {
        let directions = 2 * machine.shape().dimension_count() as u64;
        machine.node_count().saturating_mul(directions) <= 1 << 31
    }

    /// Numbers of a machine that [fits](Self::fits).
    pub(super) fn new(machine: &Machine, tie: TieRule) -> Self {
        Self {
            axes: machine.axes().to_vec(),
            nodes: u32::try_from(machine.node_count()).unwrap_or(u32::MAX),
            diameter: machine.distance_bound(),
            tie,
        }
    }

    /// The number of channels, and of slots.
    pub(super) fn channel_count(&self) -> usize {
        2 * self.axes.len() * self.nodes as usize
    }

    /// The number of dimensions.
    pub(super) fn dimension_count(&self) -> usize {
        self.axes.len()
    }

    /// The greatest distance between nodes \[links\].
    pub(super) fn diameter(&self) -> u64 {
        self.diameter
    }

    /// The number of slots of a line.
    #[inline]
    pub(super) fn line_length(&self, dimension: usize) -> u32 {
        narrow(self.axes[dimension].length())
    }

    /// The positions by which the slots of a dimension have moved after `steps` steps, below the length of a
    /// line.
    #[inline]
    pub(super) fn rotation(&self, dimension: usize, steps: u64) -> u32 {
        let length = self.axes[dimension].length();
        narrow(if length.is_power_of_two() { steps & (length - 1) } else { steps % length })
    }

    /// The next leg of the route from `at` to `to`: along the lowest dimension in which they differ.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "a call for each message costs as much as its work")]
    fn leg_between(&self, at: NodeId, to: NodeId) -> Option<StraightLeg> {
        if let [axis] = self.axes.as_slice() {
            return self.leg_on_line(axis, at, to);
        }
        let mut direction = 0;
        for axis in &self.axes {
            if let Some(AxisLeg { displacement, line, position, end }) = axis.leg(at, to, self.tie) {
                direction += u32::from(displacement.sign == Sign::Negative);
                let begin = ChannelPosition { direction, line: direction * self.nodes + line, position };
                return Some(StraightLeg { begin, hops: narrow(displacement.hops), end });
            }
            direction += 2;
        }
        None
    }

    /// The route from `at` to `to` on a machine that is one line, where nodes are coordinates.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "a call for each message costs as much as its work")]
    fn leg_on_line(&self, axis: &Axis, at: NodeId, to: NodeId) -> Option<StraightLeg> {
        let displacement = axis.extent().displacement(at.index(), to.index(), self.tie)?;
        let direction = u32::from(displacement.sign == Sign::Negative);
        let position = axis.extent().position(at.index(), displacement.sign);
        let begin = ChannelPosition { direction, line: direction * self.nodes, position };
        Some(StraightLeg { begin, hops: narrow(displacement.hops), end: to })
    }

    /// The distance between two different nodes on one line \[links\]; `None` if they are not on a common
    /// line.
    #[inline]
    pub(super) fn straight_distance(&self, from: NodeId, to: NodeId) -> Option<u32> {
        let mut along = self.axes.iter().map(|axis| axis.distance(from, to)).filter(|&distance| distance > 0);
        let distance = narrow(along.next()?);
        along.next().is_none().then_some(distance)
    }
}

/// Routes on any machine, computed leg by leg.
impl RouteTable for &ChannelMap {
    type Lists = ChunkedLists;

    #[inline(always)]
    #[expect(clippy::inline_always, reason = "a call for each message costs as much as its work")]
    fn first_leg(&self, processes: &mut [ProcessState], from: u32, to: u32) -> Option<StraightLeg> {
        let at = processes[from as usize].node;
        let receiver = &mut processes[to as usize];
        let leg = self.leg_between(at, receiver.node)?;
        receiver.leg_end = leg.end;
        Some(leg)
    }

    #[inline(always)]
    #[expect(clippy::inline_always, reason = "a call for each message costs as much as its work")]
    fn next_leg(&self, process: &mut ProcessState) -> Option<StraightLeg> {
        if process.leg_end == process.node {
            return None;
        }
        let leg = self.leg_between(process.leg_end, process.node)?;
        process.leg_end = leg.end;
        Some(leg)
    }
}

/// The routes between all partners on a line, which are the same in all stages that pair them and on all
/// lines of a dimension.
#[derive(Debug)]
pub(super) struct LineRouteTable {
    routes: Vec<LineRoute>, // by the bit in which partners differ, then by destination
    processes: u32,
    length: u32, // number of nodes of the line, at least that of processes
}

/// The route of a message along the line.
#[derive(Debug, Clone, Copy)]
struct LineRoute {
    channel: u32, // the first channel: x upward from node x; downward the number of nodes + the position
    hops: u32,
}

impl LineRouteTable {
    /// The routes of processes on these nodes; `None` if the machine is not a line, or has too many processes
    /// for the table to stay in the caches.
    pub(super) fn new(channels: &ChannelMap, nodes: &[NodeId]) -> Option<Self> {
        if channels.dimension_count() > 1 || nodes.len() > MAX_CACHED_PROCESSES {
            return None;
        }
        let route = |process: usize, bit: u32| {
            let leg = channels.leg_between(nodes[process ^ (1 << bit)], nodes[process])?;
            Some(LineRoute { channel: leg.begin.line + leg.begin.position, hops: leg.hops })
        };
        let bits = 0..nodes.len().trailing_zeros();
        let routes = bits.flat_map(|bit| (0..nodes.len()).map(move |process| route(process, bit)));
        let routes = routes.collect::<Option<_>>()?;
        Some(Self { routes, processes: u32::try_from(nodes.len()).ok()?, length: channels.line_length(0) })
    }

    /// Memory of the routes of a number of processes on a line \[bytes\].
    pub(super) fn bytes(processes: u64) -> u64 {
        let partners = u64::from(processes.max(1).ilog2());
        if processes > MAX_CACHED_PROCESSES as u64 {
            0
        } else {
            processes * partners * size_of::<LineRoute>() as u64
        }
    }

    /// The route from a process to its partner, which is on node `end`.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "a call for each message costs as much as its work")]
    fn leg(&self, from: u32, to: u32, end: NodeId) -> Option<StraightLeg> {
        let index = u64::from((from ^ to).trailing_zeros()) * u64::from(self.processes) + u64::from(to);
        let LineRoute { channel, hops } = self.routes[usize::try_from(index).ok()?];
        let direction = u32::from(channel >= self.length);
        let line = self.length * direction;
        let begin = ChannelPosition { direction, line, position: channel - line };
        Some(StraightLeg { begin, hops, end })
    }
}

/// Routes on a line of few processes, whose states stay in the caches.
impl RouteTable for &LineRouteTable {
    type Lists = LinkedLists;

    #[inline(always)]
    #[expect(clippy::inline_always, reason = "a call for each message costs as much as its work")]
    fn first_leg(&self, processes: &mut [ProcessState], from: u32, to: u32) -> Option<StraightLeg> {
        self.leg(from, to, processes[to as usize].node)
    }

    #[inline(always)]
    #[expect(clippy::inline_always, reason = "a call for each message costs as much as its work")]
    fn next_leg(&self, _: &mut ProcessState) -> Option<StraightLeg> {
        None
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use cubefold_topology::{MachineKind, Wrap, ring_add};

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
            let channels = ChannelMap::new(&machine, tie);
            for (from, to) in machine.nodes().flat_map(|from| machine.nodes().map(move |to| (from, to))) {
                let leg = channels.leg_between(from, to);
                let expected = machine.next_leg(from, to, tie);
                let parts = leg.map(|leg| (leg.begin.direction as usize, u64::from(leg.hops)));
                assert_eq!(parts, expected.map(|leg| (leg.direction.index(), leg.hops)));
                let (Some(leg), Some(expected)) = (leg, expected) else { continue };
                let mut end = from;
                for _ in 0..leg.hops {
                    end = machine.neighbour(end, expected.direction).unwrap();
                }
                assert_eq!(leg.end, end);
                let straight = (end == to).then_some(leg.hops);
                assert_eq!(channels.straight_distance(from, to), straight);
            }
        }
    }

    #[test]
    fn a_message_stays_in_its_slot_and_slots_of_other_positions_are_others() {
        for machine in machines() {
            let channels = ChannelMap::new(&machine, TieRule::Positive);
            for (from, to) in machine.nodes().flat_map(|from| machine.nodes().map(move |to| (from, to))) {
                let Some(StraightLeg { begin, hops, .. }) = channels.leg_between(from, to) else { continue };
                let dimension = begin.dimension();
                let length = channels.line_length(dimension);
                for moved in 0..hops {
                    let position = (begin.position + moved) % length;
                    let there = ChannelPosition { position, ..begin };
                    let slot =
                        |at: ChannelPosition, steps| at.slot(channels.rotation(dimension, steps), length);
                    let held = slot(begin, 5);
                    let index = held - begin.line;
                    assert_eq!(slot(there, 5 + u64::from(moved)), held);
                    assert_eq!(slot(there, 4 + u64::from(moved)), begin.line + ring_add(index, 1, length));
                    assert_eq!(slot(there, 6 + u64::from(moved)), begin.line + ring_sub(index, 1, length));
                    assert_eq!(held == slot(there, 5), moved == 0);
                }
            }
        }
    }

    #[test]
    fn every_node_and_direction_has_a_channel_of_its_own() {
        for machine in machines() {
            let map = ChannelMap::new(&machine, TieRule::Direct);
            let mut channels = BTreeMap::new();
            for (from, to) in machine.nodes().flat_map(|from| machine.nodes().map(move |to| (from, to))) {
                let Some(StraightLeg { begin, .. }) = map.leg_between(from, to) else { continue };
                assert!(begin.channel() < map.channel_count());
                assert_eq!(*channels.entry(begin.channel()).or_insert((from, begin)), (from, begin));
            }
        }
    }

    fn mesh(lengths: &[u64], wrap: Wrap, tie: TieRule) -> ChannelMap {
        let wraps = vec![wrap; lengths.len()];
        ChannelMap::new(&Machine::with_wraps(MachineKind::Mesh, lengths, &wraps).unwrap(), tie)
    }

    #[test]
    fn routes_of_a_table_are_those_of_the_map_also_where_nodes_are_left_over() {
        for (wrap, tie) in [
            (Wrap::Around, TieRule::Direct),
            (Wrap::Around, TieRule::Negative),
            (Wrap::Open, TieRule::Direct),
        ] {
            let channels = mesh(&[11], wrap, tie);
            let nodes = [7, 0, 10, 3, 5, 9, 1, 2].map(NodeId::new);
            let table = LineRouteTable::new(&channels, &nodes).unwrap();
            assert_eq!(LineRouteTable::bytes(8), table.routes.len() as u64 * 8);
            for (from, to) in (0..8_u32).flat_map(|from| [1, 2, 4].map(|bit| (from, from ^ bit))) {
                let (here, there) = (nodes[from as usize], nodes[to as usize]);
                assert_eq!(table.leg(from, to, there), channels.leg_between(here, there));
            }
        }
    }

    #[test]
    fn tables_are_made_of_short_lines_only() {
        let nodes: Vec<NodeId> = (0..4).map(NodeId::new).collect();
        assert!(LineRouteTable::new(&mesh(&[2, 2], Wrap::Around, TieRule::Direct), &nodes).is_none());
        let length = 2 * MAX_CACHED_PROCESSES as u64;
        let nodes: Vec<NodeId> = (0..).take(2 * MAX_CACHED_PROCESSES).map(NodeId::new).collect();
        let long = mesh(&[length], Wrap::Around, TieRule::Direct);
        assert!(LineRouteTable::new(&long, &nodes).is_none());
        assert_eq!(LineRouteTable::bytes(length), 0);
    }
}
