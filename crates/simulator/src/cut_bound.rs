//! The cut bound of any program on one placement (`docs/model.md` section 24): the units that must cross into and out of sets of
//! nodes, over the channels that lead there.
//!
//! It holds for any algorithm, routes and flow control: a channel carries a unit at a time.
//! The sets are nodes, intervals of coordinates, and parts of machines with switches; of equal bounds the first counts.

pub(crate) mod carriers;
pub(crate) mod demand;
pub(crate) mod usable_links;

use std::fmt;

use cubefold_mapping::Placement;
use cubefold_topology::{
    Axis, Digit, Direction, GraphSource, HostDimension, HostPart, HostParts, LinkMode, LinkTime, Machine,
    NodeId, narrow,
};

use self::{
    carriers::Carriers,
    demand::{ClassDemand, Crossing, Demand, Division, Scope},
    usable_links::UsableLinks,
};
use crate::{Communication, Program};

/// The most steps, classes and groups times intervals, for which all intervals of a dimension are tried; otherwise only
/// those from coordinate 0 on.
const MAX_INTERVAL_STEPS: u64 = 1 << 26;

/// The longest dimension whose coordinates without processes are also tried.
const MAX_LISTED_LENGTH: u64 = 1 << 9;

/// The most messages of a program, those of repeated stages once, whose cut bound is computed.
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

/// Returns the cut bound of the units that must cross between nodes over these links, of time `alike` unless those of the
/// machine differ; `None` if nothing must cross a link, and if links lead in one direction.
///
/// # Panics
///
/// When a node is not on the machine.
#[must_use]
pub fn cut_bound(
    machine: &Machine,
    mode: LinkMode,
    alike: LinkTime,
    links: UsableLinks<'_>,
    demand: &Demand<'_>,
) -> Option<CutBound> {
    if machine.is_directed() {
        return None; // more links may lead into a set than out of it
    }
    let mut cuts = Cuts { machine, mode, alike, links, best: None };
    let (axes, parts) = (interval_axes(machine), machine.host_parts());
    let nodes = Division { class: Box::new(|node: NodeId| Some(node.index())), scope: Scope::Alone };
    let divisions: Vec<Division<'_>> = std::iter::once(nodes)
        .chain(axes.iter().map(|axis| coordinates(machine, axis)))
        .chain(parts.iter().map(|part| Division {
            class: Box::new(|node| part.of_node[node.index() as usize]),
            scope: Scope::Alone,
        }))
        .collect();
    let mut demands = demand.among(&divisions).into_iter();
    demands.by_ref().take(1).for_each(|of_nodes| cuts.try_nodes(&of_nodes));
    for ((axis, dimension), axis_demand) in
        axes.iter().zip(HostDimension::first(axes.len())).zip(demands.by_ref())
    {
        cuts.try_intervals(axis, dimension, &axis_demand);
    }
    for (parts, part_demand) in parts.iter().zip(demands) {
        cuts.try_parts(parts, &part_demand);
    }
    cuts.best
}

/// Returns the cut bound of the messages of a program of which a run has `messages`; `None` for task graphs, programs
/// with more than 2^24 messages, and if nothing must cross a link.
#[must_use]
pub fn program_cut_bound(
    program: &dyn Program,
    placement: &Placement,
    communication: Communication,
    messages: u64,
) -> Option<CutBound> {
    let facts = program.facts();
    let distinct = program.distinct_stages().count() as u64;
    let count = facts.messages_of_stage().saturating_mul(distinct).min(messages);
    if count > MAX_MESSAGES || program.special().tasks().is_some() {
        return None;
    }
    let alike = LinkTime { unit: communication.hop().get(), latency: communication.least_latency().get() };
    let (machine, demand) = (placement.machine(), Demand::Messages(program, placement));
    let links = UsableLinks::on_routes(machine, alike);
    cut_bound(machine, communication.links(), alike, links, &demand)
}

/// Returns the largest, over nodes, of the computations of its processes divided by its processors, rounded up \[cycles\];
/// of a job the largest sum of computation steps of a rank, which has a processor for these. None of task graphs, and of
/// programs with more than 2^24 computations.
#[must_use]
pub fn computation_bound(
    program: &dyn Program,
    placement: &Placement,
    communication: Communication,
) -> Option<u64> {
    if let Some(job) = program.special().job() {
        let ranks = 0..u32::try_from(job.rank_count()).unwrap_or(u32::MAX);
        return u64::try_from(ranks.map(|rank| job.computations_of(rank)).max()?).ok();
    }
    let facts = program.facts();
    let stages = program.distinct_stages().count() as u64;
    let is_large = facts.process_count.saturating_mul(stages) > MAX_MESSAGES;
    if is_large || program.special().tasks().is_some() {
        return None;
    }
    if facts.total_compute == 0 {
        return Some(0);
    }
    let mut of_processes = vec![0_u64; usize::try_from(facts.process_count).unwrap_or(usize::MAX)];
    let mut computations = vec![];
    for (stage, times) in program.distinct_stages() {
        program.list_computations(stage, &mut computations);
        for (sum, cycles) in of_processes.iter_mut().zip(&computations) {
            *sum = sum.saturating_add(cycles.saturating_mul(times as u64));
        }
    }
    let mut by_node: Vec<(NodeId, u64)> =
        placement.listed_nodes().iter().copied().zip(of_processes).collect();
    by_node.sort_unstable_by_key(|&(node, _)| node);
    let of_node = |processes: &[(NodeId, u64)]| -> u128 {
        processes.iter().map(|&(_, cycles)| u128::from(cycles)).sum()
    };
    let most = by_node.chunk_by(|one, other| one.0 == other.0).map(of_node).max()?;
    u64::try_from(most.div_ceil(communication.processors().get().into())).ok()
}

/// Returns the dimensions whose intervals are tried: those of a grid, also where some of its links are down, but not of a
/// twisted torus.
fn interval_axes(machine: &Machine) -> &[Axis] {
    let is_twisted = matches!(machine.source(), Some(GraphSource::Twists(_)));
    machine.coordinate_grid().filter(|_| !is_twisted).map_or(&[], Machine::axes)
}

/// Returns the division of nodes by a coordinate.
fn coordinates<'a>(machine: &Machine, axis: &'a Axis) -> Division<'a> {
    // If links are down, borders differ, even those between coordinates without processes.
    let lists_all = machine.graph().is_some() || axis.length() <= MAX_LISTED_LENGTH;
    Division {
        class: Box::new(|node| Some(axis.coordinate(node))),
        scope: if lists_all { Scope::AllIntervals(narrow(axis.length())) } else { Scope::Intervals },
    }
}

/// The numbers of links between coordinates of an axis.
enum Borders {
    /// The same number between all neighbours, on a grid.
    Equal { links: u64, length: u64, is_ring: bool },
    /// By coordinate: the number to the next one, cyclically.
    Listed(Vec<u64>),
}

impl Borders {
    fn new(machine: &Machine, axis: &Axis) -> Self {
        let length = axis.length();
        let Some(network) = machine.graph() else {
            let is_ring = axis.extent().is_ring();
            return Self::Equal { links: machine.node_count() / length, length, is_ring };
        };
        let mut links = vec![0; narrow(length) as usize];
        for (one, other) in network.links() {
            let [one, other] = [one, other].map(|node| axis.digit().position(node.index()));
            let (low, high) = (one.min(other), one.max(other));
            if low != high {
                links[if high - low == 1 { low } else { high } as usize] += 1;
            }
        }
        Self::Listed(links)
    }

    /// Returns the number of links from a coordinate to the next, cyclically.
    fn after(&self, coordinate: u32) -> u64 {
        match self {
            Self::Equal { length, is_ring: false, .. } if u64::from(coordinate) + 1 == *length => 0,
            Self::Equal { links, .. } => *links,
            Self::Listed(links) => links[coordinate as usize],
        }
    }
}

/// The sets that have been tried.
struct Cuts<'a> {
    machine: &'a Machine,
    mode: LinkMode,
    alike: LinkTime,
    links: UsableLinks<'a>,
    best: Option<CutBound>,
}

impl Cuts<'_> {
    /// Tries a set with the channels that lead into it, the same number as lead out; under half-duplex with its links.
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

    fn time_of(&self, class: usize) -> LinkTime {
        self.machine.link_times().map_or(self.alike, |times| times[class])
    }

    fn try_nodes(&mut self, demand: &ClassDemand<'_>) {
        for (index, crossing) in demand.of_each() {
            let node = NodeId::new(index);
            let channels = self.channels_at(node);
            self.offer(crossing, &channels, CutSet::Node(node));
        }
    }

    /// Returns the channels that end at a node.
    fn channels_at(&self, node: NodeId) -> Carriers {
        let Some(network) = self.machine.graph() else {
            let leads = |direction: &Direction| self.machine.neighbour(node, *direction).is_some();
            let directions = self.machine.directions().filter(leads);
            return Carriers::of(directions.map(|direction| self.time_of(direction.dimension.index())));
        };
        let first = network.first_channel(node.index()) as usize;
        let channels = (first..).zip(network.neighbours(node));
        let usable = channels.filter(|&(_, &next)| self.links.contains(node, next));
        Carriers::of(usable.map(|(channel, _)| self.time_of(network.class(channel).into())))
    }

    fn try_intervals(&mut self, axis: &Axis, dimension: HostDimension, demand: &ClassDemand<'_>) {
        let borders = Borders::new(self.machine, axis);
        let (classes, time) = (&demand.classes, self.time_of(dimension.index()));
        let are_few = demand.time_of_intervals().is_some_and(|time| time <= MAX_INTERVAL_STEPS);
        for place in 0..if are_few { classes.len() } else { 1 } {
            // The first interval with these processes starts after the previous coordinate with processes.
            let first = if place == 0 { 0 } else { classes[place - 1] + 1 };
            let before = borders.after(if first == 0 { narrow(axis.length() - 1) } else { first - 1 });
            let most = if axis.extent().is_ring() { classes.len() } else { classes.len() - place };
            for (more, crossing) in demand.from(place).into_iter().enumerate().take(most) {
                let last = classes[(place + more) % classes.len()];
                let channels = Carriers::new(vec![(time, before + borders.after(last))]);
                self.offer(crossing, &channels, CutSet::Interval { dimension, first, last });
            }
        }
    }

    fn try_parts(&mut self, parts: &HostParts, demand: &ClassDemand<'_>) {
        let Some(network) = self.machine.graph() else { return };
        let part = |node: NodeId| parts.of_node[node.index() as usize];
        let count = parts.of_node.iter().flatten().max().map_or(0, |&last| last as usize + 1);
        let mut channels = vec![Carriers::default(); count];
        let crosses =
            |&(one, other): &(NodeId, NodeId)| part(one) != part(other) && self.links.contains(one, other);
        for (one, other) in network.links().filter(crosses) {
            let time = self.time_of(network.class_between(one, other).into());
            for number in [part(one), part(other)].into_iter().flatten() {
                channels[number as usize].add(time);
            }
        }
        for (number, crossing) in demand.of_each() {
            let set = CutSet::Part { part: parts.part, number: parts.first + u64::from(number) };
            self.offer(crossing, &channels[number as usize], set);
        }
    }
}
