//! The cut bound of any program on one placement (`docs/model.md` section 24): what must cross into and out of sets of
//! nodes, over the channels that lead there.
//!
//! No run is below it, whatever the algorithm, the routes and the flow control do: a channel carries a unit at a time.
//! The sets are nodes, intervals of coordinates, and parts of machines with switches; of equal bounds the first counts.

pub(crate) mod carriers;
pub(crate) mod demand;

use std::fmt;

use cubefold_mapping::{Placement, ProcessId};
use cubefold_topology::{
    Axis, Channel, Digit, GraphSource, HostDimension, HostPart, HostParts, LinkMode, LinkTime, Machine,
    NodeId, narrow,
};

use self::{
    carriers::Carriers,
    demand::{Crossing, Demand},
};
use crate::{Communication, Program};

/// The most steps, of messages and groups times intervals, in which all intervals of a dimension are tried; of others
/// only those that begin at coordinate 0 are.
const MAX_INTERVAL_STEPS: u64 = 1 << 26;

/// The most messages of a program, repeated stages once, whose cut bound is computed.
const MAX_MESSAGES: u64 = 1 << 24;

/// A set of nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CutSet {
    /// A node.
    Node(NodeId),
    /// The nodes whose coordinate is in an interval, which may go past the end of a dimension that wraps.
    Interval {
        /// The dimension.
        dimension: HostDimension,
        /// The first coordinate.
        first: u32,
        /// The last coordinate.
        last: u32,
    },
    /// The hosts below a part of a machine with switches, and the switches and NICs below.
    Part {
        /// The sort of the part.
        part: HostPart,
        /// The number of the part: a switch or leaf as a node of the machine, others counted from 0.
        number: u64,
    },
}

impl fmt::Display for CutSet {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Node(node) => write!(formatter, "node {}", node.index()),
            Self::Interval { dimension, first, last } => {
                write!(formatter, "dimension {}, coordinates {first} to {last}", dimension.number())
            }
            Self::Part { part, number } => write!(formatter, "{part} {number}"),
        }
    }
}

/// The largest cut bound of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CutBound {
    /// The bound \[cycles\].
    pub cycles: u64,
    /// The first set that has it.
    pub set: CutSet,
}

/// Returns the cut bound of what must cross between nodes, with links that have the time `alike` unless those of the
/// machine differ; none if nothing must cross a link.
///
/// # Panics
///
/// When a node is none of the machine's.
#[must_use]
pub fn cut_bound(
    machine: &Machine,
    mode: LinkMode,
    alike: LinkTime,
    demand: &Demand<'_>,
) -> Option<CutBound> {
    let mut cuts = Cuts { machine, mode, alike, best: None };
    cuts.try_nodes(demand);
    cuts.try_intervals(demand);
    for parts in machine.host_parts() {
        cuts.try_parts(&parts, demand);
    }
    cuts.best
}

/// Returns the cut bound of the messages of a program; none of task graphs, of jobs, whose steps may overlap, of programs
/// with more than 2^24 messages or 2^20 pairs of nodes, and if nothing must cross a link.
#[must_use]
pub fn program_cut_bound(
    program: &dyn Program,
    placement: &Placement,
    communication: Communication,
) -> Option<CutBound> {
    let facts = program.facts();
    let distinct = (0..facts.stage_count).filter(|&stage| !program.repeats(stage)).count() as u64;
    let is_large = facts.messages_of_stage().saturating_mul(distinct) > MAX_MESSAGES;
    if is_large || program.special().has_no_stages() {
        return None;
    }
    let alike = LinkTime { unit: communication.hop().get(), latency: communication.latency().get() };
    let demand = Demand::of_program(program, placement)?;
    cut_bound(placement.machine(), communication.links(), alike, &demand)
}

/// Returns the largest, over nodes, of the computations of its processes divided by its processors, rounded up \[cycles\];
/// none where the [cut bound](program_cut_bound) is not computed.
#[must_use]
pub fn computation_bound(
    program: &dyn Program,
    placement: &Placement,
    communication: Communication,
) -> Option<u64> {
    let facts = program.facts();
    let stages = (0..facts.stage_count).filter(|&stage| !program.repeats(stage)).count() as u64;
    if facts.process_count.saturating_mul(stages) > MAX_MESSAGES || program.special().has_no_stages() {
        return None;
    }
    let mut of_processes = vec![0_u128; usize::try_from(facts.process_count).unwrap_or(usize::MAX)];
    let (mut computations, mut stage) = (vec![], 0);
    while stage < facts.stage_count {
        let times = 1 + (stage + 1..facts.stage_count).take_while(|&next| program.repeats(next)).count();
        program.list_computations(stage, &mut computations);
        for (sum, cycles) in of_processes.iter_mut().zip(&computations) {
            *sum += u128::from(*cycles) * times as u128;
        }
        stage += times;
    }
    let mut by_node: Vec<(NodeId, u128)> = ProcessId::first(facts.process_count)
        .map(|process| placement.node(process))
        .zip(of_processes)
        .collect();
    by_node.sort_unstable_by_key(|&(node, _)| node);
    let of_node = |own: &[(NodeId, u128)]| -> u128 { own.iter().map(|(_, cycles)| cycles).sum() };
    let most = by_node.chunk_by(|one, other| one.0 == other.0).map(of_node).max()?;
    u64::try_from(most.div_ceil(communication.processors().get().into())).ok()
}

/// The sets that have been tried.
struct Cuts<'a> {
    machine: &'a Machine,
    mode: LinkMode,
    alike: LinkTime,
    best: Option<CutBound>,
}

impl Cuts<'_> {
    /// Tries a set with channels that lead into it, of which as many lead out; under half-duplex its links.
    fn offer(&mut self, crossing: Crossing, channels: &Carriers, set: CutSet) {
        let units = match self.mode {
            LinkMode::HalfDuplex => crossing.into + crossing.out,
            LinkMode::FullDuplex | LinkMode::SingleDirection => crossing.into.max(crossing.out),
        };
        let best = self.best.map_or(0, |best| best.cycles);
        if let Some(cycles) = channels.least_time_after(best, units) {
            self.best = Some(CutBound { cycles, set });
        }
    }

    /// Returns the time of a class of links.
    fn time_of(&self, class: usize) -> LinkTime {
        self.machine.link_times().map_or(self.alike, |times| times[class])
    }

    fn try_nodes(&mut self, demand: &Demand<'_>) {
        let machine = self.machine;
        for (index, crossing) in demand.among(&|node| Some(node.index())).of_each() {
            let node = NodeId::new(index);
            let times = machine.directions().filter_map(|direction| {
                machine.neighbour(node, direction)?;
                let is_alike = machine.link_times().is_none();
                Some(self.time_of(if is_alike { 0 } else { machine.link_class(Channel { node, direction }) }))
            });
            let channels = Carriers::of(times);
            self.offer(crossing, &channels, CutSet::Node(node));
        }
    }

    /// Tries the intervals of the dimensions of a grid, also where some of its links are down; a twisted torus is none.
    fn try_intervals(&mut self, demand: &Demand<'_>) {
        let is_twisted = matches!(self.machine.source(), Some(GraphSource::Twists(_)));
        let Some(grid) = self.machine.coordinate_grid().filter(|_| !is_twisted) else { return };
        let dimensions = HostDimension::first(grid.axes().len());
        for (axis, dimension) in grid.axes().iter().zip(dimensions) {
            self.try_intervals_of(axis, dimension, demand);
        }
    }

    fn try_intervals_of(&mut self, axis: &Axis, dimension: HostDimension, demand: &Demand<'_>) {
        let length = narrow(axis.length());
        let demand = demand.among(&|node| Some(axis.coordinate(node)));
        let links = self.links_after(axis);
        let is_short = demand.size(length).saturating_mul(length.into()) <= MAX_INTERVAL_STEPS;
        for first in 0..if is_short { length } else { 1 } {
            let before = links[((first + length - 1) % length) as usize];
            let lengths = if axis.extent().is_ring() { length - 1 } else { (length - first).min(length - 1) };
            for (more, crossing) in (0..lengths).zip(demand.of_intervals(first, length)) {
                let last = (first + more) % length;
                let channels =
                    Carriers::new(vec![(self.time_of(dimension.index()), before + links[last as usize])]);
                self.offer(crossing, &channels, CutSet::Interval { dimension, first, last });
            }
        }
    }

    /// Returns, by coordinate along an axis, the number of links to the next coordinate.
    fn links_after(&self, axis: &Axis) -> Vec<u64> {
        let length = narrow(axis.length());
        let Some(network) = self.machine.graph() else {
            let mut links = vec![self.machine.node_count() / axis.length(); length as usize];
            if !axis.extent().is_ring() {
                links[length as usize - 1] = 0;
            }
            return links;
        };
        let mut links = vec![0; length as usize];
        for (one, other) in network.links() {
            let [one, other] = [one, other].map(|node| axis.digit().position(node.index()));
            let (low, high) = (one.min(other), one.max(other));
            if low != high {
                links[if high - low == 1 { low } else { high } as usize] += 1;
            }
        }
        links
    }

    fn try_parts(&mut self, parts: &HostParts, demand: &Demand<'_>) {
        let Some(network) = self.machine.graph() else { return };
        let part = |node: NodeId| parts.of_node[node.index() as usize];
        let count = parts.of_node.iter().flatten().max().map_or(0, |&last| last as usize + 1);
        let mut times: Vec<Vec<(LinkTime, u64)>> = vec![vec![]; count];
        for (one, other) in network.links().filter(|&(one, other)| part(one) != part(other)) {
            let is_alike = self.machine.link_times().is_none();
            let time = self.time_of(if is_alike { 0 } else { network.class_between(one, other).into() });
            for own in [part(one), part(other)].into_iter().flatten() {
                let counts = &mut times[own as usize];
                match counts.iter_mut().find(|(its, _)| *its == time) {
                    Some((_, count)) => *count += 1,
                    None => counts.push((time, 1)),
                }
            }
        }
        let channels: Vec<Carriers> = times.into_iter().map(Carriers::new).collect();
        for (own, crossing) in demand.among(&part).of_each() {
            let set = CutSet::Part { part: parts.part, number: parts.first + u64::from(own) };
            self.offer(crossing, &channels[own as usize], set);
        }
    }
}
