//! Network activity of a run: messages, links crossed, queues, and the busy cycles of links.

use std::ops::AddAssign;

use cubefold_mapping::Placement;
use cubefold_topology::{Axis, Channel, Direction, Displacement, Leg, Link, Machine, NodeId, narrow};

use crate::{
    Communication, Cycles, Program,
    channels::{Channels, Transit},
    explicit_routes::{ExplicitRoutes, for_each_routed},
};

/// Messages, links crossed and queues of a run.
#[derive(Debug, Clone)]
pub struct Traffic {
    /// The number of messages.
    pub messages: u64,
    /// Total number of links crossed by all messages.
    pub hops: u64,
    /// The longest queue of a channel after the grants of a cycle \[messages\]; `None` in a coordinated run by phases
    /// or by sorting.
    pub longest_queue: Option<u32>,
    /// Parallel data movement steps and conflicts of each stage; `None` in an asynchronous run.
    pub routing: Option<Vec<StageRouting>>,
    /// Busy cycles of each link, if they were counted.
    pub link_use: Option<LinkUse>,
}

/// The routing of one stage of a coordinated run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct StageRouting {
    /// Parallel data movement steps, summed over the movements.
    pub steps: u64,
    /// Number of times that a message wanted a channel in a step and did not move.
    pub conflicts: u64,
}

impl AddAssign for StageRouting {
    fn add_assign(&mut self, other: Self) {
        self.steps += other.steps;
        self.conflicts += other.conflicts;
    }
}

/// Busy cycles of every channel of a run.
#[derive(Debug, Clone)]
pub struct LinkUse {
    channels: Channels,
    units: Vec<u64>, // that crossed it, by channel index
    times: UnitTimes,
}

/// The occupancies of channels by a unit.
#[derive(Debug, Clone)]
struct UnitTimes {
    hop: Cycles,            // of all channels, if they are alike
    classes: Box<[Cycles]>, // by class if they differ, else empty
}

impl UnitTimes {
    fn new(machine: &Machine, communication: Communication) -> Self {
        let times = machine.link_times().unwrap_or_default();
        let classes = times.iter().map(|time| Cycles::new(time.unit)).collect();
        Self { hop: communication.hop(), classes }
    }

    /// The occupancy of a channel of a class.
    fn of_class(&self, class: usize) -> Cycles {
        self.classes.get(class).copied().unwrap_or(self.hop)
    }
}

/// The use of all channels of one direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DirectionUse {
    /// The direction.
    pub direction: Direction,
    /// Busy cycles of all its channels.
    pub total: Cycles,
    /// Busy cycles of its busiest channel.
    pub max: Cycles,
}

impl LinkUse {
    /// Counts the units that cross each channel when every message of a program takes its route, independently of time.
    #[must_use]
    pub fn of_routes(program: &dyn Program, placement: &Placement, communication: Communication) -> Self {
        let mut counter = LinkUseCounter::new(placement.machine(), communication);
        counter.count_routes(program, placement, communication);
        counter.finish()
    }

    /// Lists the links that were used, by dimension and near end, with the busy cycles of both directions
    /// together.
    pub fn busy_links(&self) -> impl Iterator<Item = (Link, Cycles)> {
        self.busy_channels().map(|(link, [forward, back])| (link, forward + back))
    }

    /// Lists the links that were used, with the busy cycles of each channel: forward from the near end, and
    /// back.
    pub fn busy_channels(&self) -> impl Iterator<Item = (Link, [Cycles; 2])> {
        self.loaded_places().map(|(place, ways)| {
            let unit = self.times.of_class(self.channels.class_of_link(place));
            (self.channels.link_at(place), ways.map(|units| unit * units))
        })
    }

    /// Lists the links that were used, with the units that crossed each channel: forward from the near end, and
    /// back.
    pub fn loaded_channels(&self) -> impl Iterator<Item = (Link, [u64; 2])> {
        self.loaded_places().map(|(place, ways)| (self.channels.link_at(place), ways))
    }

    /// Adds the places of the links.
    fn loaded_places(&self) -> impl Iterator<Item = (usize, [u64; 2])> {
        let mut units = vec![[0_u64; 2]; self.channels.link_places()];
        for (place, &crossed) in self.units.iter().enumerate().filter(|&(_, &units)| units > 0) {
            let transit = self.channels.transit_at(place);
            let link = self.channels.link(&transit);
            let is_back = usize::from(self.channels.link_at(link).near.index() != transit.node);
            units[link][is_back] += crossed;
        }
        units.into_iter().enumerate().filter(|(_, ways)| *ways != [0, 0])
    }

    /// Total number of links crossed by the units of all messages.
    #[must_use]
    pub fn unit_hops(&self) -> u128 {
        self.units.iter().copied().map(u128::from).sum()
    }

    /// Busy cycles of the directions of a grid, in their order; empty for a network, whose links have no
    /// dimensions.
    #[must_use]
    pub fn by_direction(&self) -> Vec<DirectionUse> {
        let of_direction = |(&direction, units): (&Direction, &[u64])| {
            let unit = self.times.of_class(direction.dimension.index());
            DirectionUse {
                direction,
                total: unit * units.iter().sum::<u64>(),
                max: unit * units.iter().copied().max().unwrap_or(0),
            }
        };
        if self.channels.is_network() {
            return vec![];
        }
        let nodes = self.units.len() / self.channels.direction_count();
        self.channels.directions().iter().zip(self.units.chunks(nodes)).map(of_direction).collect()
    }
}

/// Counts the units that cross the channels of a run.
///
/// On a grid a message moves along a line in one direction: only the change of the count at both ends of the
/// move is recorded, and changes are summed up along the line at the end.
#[derive(Debug, Clone)]
pub(crate) struct LinkUseCounter {
    channels: Channels,
    axes: Vec<Axis>,   // by dimension; empty for a network
    changes: Vec<u64>, // by channel index, modulo 2^64; for a network the units themselves
    times: UnitTimes,
}

impl LinkUseCounter {
    /// A counter without transmissions over the links of `machine`.
    pub(crate) fn new(machine: &Machine, communication: Communication) -> Self {
        let channels = Channels::new(machine);
        let changes = vec![0; channels.channel_places()];
        let axes = if channels.is_network() { vec![] } else { machine.axes().to_vec() };
        Self { channels, axes, changes, times: UnitTimes::new(machine, communication) }
    }

    /// Counts the transmissions of `units` units over `hops` links, at least 1, from `node` in the direction
    /// with this index.
    pub(crate) fn count(&mut self, node: NodeId, direction: usize, hops: u64, units: u64) {
        let Some(axis) = self.axes.get(direction / 2) else {
            // Legs of networks are single links.
            let transit =
                Transit { message: 0, node: node.index(), hops: 1, direction: narrow(direction as u64) };
            self.changes[self.channels.channel(&transit)] += units;
            return;
        };
        let first = direction * (self.changes.len() / self.channels.direction_count());
        let (length, here) = (axis.length(), u64::from(axis.coordinate(node)));
        // The channels of the move start at coordinate `low` and continue around the ring.
        let low = if direction.is_multiple_of(2) { here } else { (here + length + 1 - hops) % length };
        let end = low + hops;
        let (stride, start) = (axis.digit().stride(), u64::from(node.index()) - here * axis.digit().stride());
        let mut change = |coordinate: u64, by: u64| {
            #[expect(clippy::cast_possible_truncation, reason = "places of an array")]
            let place = first + (start + coordinate * stride) as usize;
            self.changes[place] = self.changes[place].wrapping_add(by);
        };
        change(low, units);
        if end > length {
            change(0, units);
        }
        if end != length {
            change(end % length, units.wrapping_neg());
        }
    }

    /// Counts the transmissions of all messages of a program by their routes, independently of time.
    pub(crate) fn count_routes(
        &mut self,
        program: &dyn Program,
        placement: &Placement,
        communication: Communication,
    ) {
        if let Some(routes) = ExplicitRoutes::new(placement, communication) {
            for_each_routed(program, &mut |pair, units| {
                let [from, to] = [pair.source, pair.destination].map(|process| placement.node(process));
                self.count_channels(&routes.route(pair, from, to), units);
            });
            return;
        }
        let (machine, tie) = (&placement.machine(), communication.tie());
        for (stage, times) in program.distinct_stages() {
            program.for_each_message(stage, &mut |source, destination, units| {
                let units = units * times as u64;
                let (from, to) = (placement.node(source), placement.node(destination));
                if machine.graph().is_some() {
                    for channel in machine.route(from, to, tie) {
                        self.count(channel.node, channel.direction.index(), 1, units);
                    }
                    return;
                }
                let mut at = from;
                while let Some(leg) = machine.leg_at(from, at, to, tie) {
                    self.count(at, leg.direction.index(), leg.hops, units);
                    at = end_of_leg(machine, at, leg);
                }
            });
        }
    }

    /// Counts the transmissions of `units` units over channels, one after another.
    pub(crate) fn count_channels(&mut self, channels: &[Channel], units: u64) {
        for channel in channels {
            self.count(channel.node, channel.direction.index(), 1, units);
        }
    }

    /// Busy cycles of all channels.
    pub(crate) fn finish(mut self) -> LinkUse {
        let nodes = self.changes.len() / self.channels.direction_count().max(1);
        // For networks, units are counted directly.
        let axes = self.axes.iter().flat_map(|axis| [axis; 2]);
        for (changes, axis) in self.changes.chunks_mut(nodes.max(1)).zip(axes) {
            #[expect(clippy::cast_possible_truncation, reason = "places of an array")]
            let stride = axis.digit().stride() as usize;
            for place in 0..changes.len() {
                if axis.coordinate(NodeId::new(narrow(place as u64))) > 0 {
                    changes[place] = changes[place].wrapping_add(changes[place - stride]);
                }
            }
        }
        LinkUse { channels: self.channels, units: self.changes, times: self.times }
    }
}

/// The node at the end of a leg on a grid.
fn end_of_leg(machine: &Machine, at: NodeId, Leg { direction, hops }: Leg) -> NodeId {
    machine.axes()[direction.dimension.index()].after(at, Displacement { sign: direction.sign, hops })
}

#[cfg(test)]
mod tests {
    use cubefold_topology::{LinkMode, MachineKind, TieRule, Wrap};

    use super::*;

    #[test]
    fn counts_by_ends_of_moves_are_those_link_by_link() {
        let shapes: [&[u64]; 6] = [&[2], &[7], &[8], &[4, 3], &[2, 5, 4], &[3, 2, 2, 3]];
        for (lengths, wrap) in shapes.iter().flat_map(|shape| [(shape, Wrap::Around), (shape, Wrap::Open)]) {
            let machine =
                Machine::with_wraps(MachineKind::Mesh, lengths, &vec![wrap; lengths.len()]).unwrap();
            let rules = Communication::new(LinkMode::FullDuplex, Cycles::new(3), TieRule::Direct).unwrap();
            let mut counter = LinkUseCounter::new(&machine, rules);
            let channels = Channels::new(&machine);
            let mut expected = vec![0; channels.channel_places()];
            for (number, (from, to)) in
                (1..).zip(machine.nodes().flat_map(|from| machine.nodes().map(move |to| (from, to))))
            {
                let mut at = from;
                while let Some(leg) = machine.next_leg(at, to, TieRule::Direct) {
                    counter.count(at, leg.direction.index(), leg.hops, number);
                    at = end_of_leg(&machine, at, leg);
                }
                for channel in machine.route(from, to, TieRule::Direct) {
                    let place = channel.direction.index() * machine.nodes().count();
                    expected[place + channel.node.index() as usize] += number;
                }
            }
            let found = counter.finish();
            assert_eq!(found.units, expected, "{lengths:?} {wrap:?}");
            let both: u64 = found.busy_links().map(|(_, busy)| busy.get()).sum();
            let by_direction: u64 = found.by_direction().iter().map(|direction| direction.total.get()).sum();
            assert_eq!((both, by_direction), (3 * expected.iter().sum::<u64>(), both));
        }
    }
}
