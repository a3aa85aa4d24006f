//! Schedules of single stages of a coordinated run, which do not depend on earlier stages.
//!
//! A stage of a cube program under a product placement follows from one line of each dimension
//! ([`ProductStages`]); the messages of all other stages are routed one by one ([`RoutedStages`]). Equal
//! stages of a dimension are scheduled once.

use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
    rc::Rc,
};

use cubefold_mapping::{CubeDimension, Guest, Placement, PlacementForm, ProcessId, ProductPlacement};
use cubefold_topology::{Displacement, LinkMode, NodeId, Sign, TieRule, axes_distance};

use super::{
    DimensionChoice, Routing, RoutingScheme,
    explicit::StepRouter,
    parts::{Part, Splitter},
    router::{RoutedMessage, Router, StartNodes, steps},
    sorted_order,
};
use crate::{
    Communication, MessageRoutes, Program, SortedOrder, StageMessage, StageRouting,
    explicit_routes::{ExplicitRoutes, RoutedPair},
    field_line::{FieldLine, Pair},
    observe::traffic::LinkUseCounter,
    steps_under,
};

pub(super) struct Scheduler<'run> {
    program: &'run dyn Program,
    placement: &'run Placement,
    product: Option<ProductStages>, // if stages follow from one line of each dimension
    routed: RoutedStages<'run>,
    are_alike: bool, // whether exchanges along one dimension are equal: no dimension is redrawn, no link use counted
    known: BTreeMap<CubeDimension, Rc<StageSchedule>>, // exchanges so far, if they are alike
}

impl<'run> Scheduler<'run> {
    pub(super) fn new(
        program: &'run dyn Program,
        placement: &'run Placement,
        communication: Communication,
        routing: &'run Routing,
        link_use: Option<LinkUseCounter>,
    ) -> Self {
        let product = match placement.form() {
            PlacementForm::Product(product)
                if link_use.is_none()
                    && routing.scheme == RoutingScheme::Phases
                    && communication.routes() == MessageRoutes::OfMachine =>
            {
                Some(ProductStages::new(product, communication))
            }
            PlacementForm::Product(_) | PlacementForm::Table(_) | PlacementForm::Construction(_) => None,
        };
        let are_alike = routing.dimension_choice == DimensionChoice::Lowest
            && link_use.is_none()
            && !communication.routes().depend_on_stage();
        let routed = RoutedStages::new(placement, communication, routing, link_use);
        Self { program, placement, product, routed, are_alike, known: BTreeMap::new() }
    }

    /// The schedule of a stage. Stages are scheduled in order, each once.
    pub(super) fn schedule(&mut self, stage: usize) -> Rc<StageSchedule> {
        let exchange = self.program.special().cube().map(|cube| cube.stages()[stage]);
        if let Some(known) = exchange.and_then(|dimension| self.known.get(&dimension)) {
            return Rc::clone(known);
        }
        self.routed.router.begin_stage(stage);
        let schedule = Rc::new(match (&self.product, exchange) {
            (Some(product), Some(dimension)) => product.exchange(dimension),
            (None, Some(dimension))
                if matches!(self.routed.scheme, Scheme::Phases) && has_node_per_process(self.placement) =>
            {
                self.routed.exchange(dimension, self.program.max_units(stage))
            }
            (None | Some(_), None | Some(_)) => self.routed.route(self.program, stage),
        });
        if self.are_alike
            && let Some(dimension) = exchange
        {
            self.known.insert(dimension, Rc::clone(&schedule));
        }
        schedule
    }

    /// The longest queue of a channel so far; `None` unless routes are explicit.
    pub(super) fn longest_queue(&self) -> Option<u32> {
        match &self.routed.scheme {
            Scheme::Explicit(_, router) => Some(router.longest_queue()),
            Scheme::Phases | Scheme::Sorted(..) => None,
        }
    }

    pub(super) fn into_link_use(self) -> Option<LinkUseCounter> {
        self.routed.router.into_link_use()
    }
}

/// Whether no processes share a node and no construction divides messages into subsets.
fn has_node_per_process(placement: &Placement) -> bool {
    match placement.form() {
        PlacementForm::Product(_) => true,
        PlacementForm::Table(table) => table.max_load() == 1,
        PlacementForm::Construction(_) => false,
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct StageSchedule {
    pub(super) routing: StageRouting,
    /// For every process that receives a message, the distance of the farthest one.
    pub(super) received: DistanceCounts,
    pub(super) messages: u64,
    /// Number of links that all messages cross.
    pub(super) hops: u64,
}

impl StageSchedule {
    /// The messages of a stage before they are routed, with the numbers of links of their routes.
    fn of(messages: &[StageMessage], distances: &[u64], processes: usize) -> Self {
        let mut farthest: Vec<Option<u64>> = vec![None; processes];
        for (message, &distance) in messages.iter().zip(distances) {
            let known = &mut farthest[message.destination.label() as usize];
            *known = (*known).max(Some(distance));
        }
        let mut received = DistanceCounts::default();
        farthest.into_iter().flatten().for_each(|distance| received.add(distance, 1));
        let (messages, hops) = (messages.len() as u64, distances.iter().sum());
        Self { routing: StageRouting::default(), received, messages, hops }
    }
}

/// The stages of cube programs under a product placement.
///
/// An exchange along a dimension of one field moves messages only on the lines of its coordinate, and equally
/// on each of them. All start at different nodes, move in one direction and differ in one coordinate: they
/// never meet, and for any phase length a movement takes as many steps in total as its longest distance.
pub(super) struct ProductStages {
    fields: Vec<FieldLine>,
    processes: u64,
    communication: Communication,
}

/// The distances of the messages of one line.
#[derive(Debug, Default)]
struct OneLine {
    distances: DistanceCounts,
    farthest: [u64; 2], // by sign, `+` first
}

impl ProductStages {
    pub(super) fn new(placement: &ProductPlacement, communication: Communication) -> Self {
        let processes = placement.cube().process_count();
        Self { fields: FieldLine::all(placement), processes, communication }
    }

    /// The stage in which all processes exchange messages along `dimension`.
    ///
    /// # Complexity
    ///
    /// O(k) for a line of k nodes.
    pub(super) fn exchange(&self, dimension: CubeDimension) -> StageSchedule {
        let mut received = DistanceCounts::default();
        let mut routing = StageRouting::default();
        for field in &self.fields {
            let Some(bit) = field.bit(dimension) else { continue };
            let line = OneLine::exchange(field, bit, self.communication.tie());
            let lines = self.processes / field.extent.length();
            for (distance, count) in line.distances.iter() {
                received.add(distance, count * lines);
            }
            routing.steps = steps(self.communication.links(), &line.farthest);
        }
        StageSchedule { routing, messages: self.processes, hops: received.sum(), received }
    }
}

impl OneLine {
    fn exchange(field: &FieldLine, bit: u32, tie: TieRule) -> Self {
        let mut line = Self::default();
        for Pair { positions: [low, high], .. } in field.pairs(bit) {
            let extent = field.extent;
            let hops = extent.distance(low, high); // in both directions
            line.distances.add(hops, 2);
            if hops > line.farthest[0].min(line.farthest[1]) {
                line.see_farthest(extent.displacement(low, high, tie));
                line.see_farthest(extent.displacement(high, low, tie));
            }
        }
        line
    }

    fn see_farthest(&mut self, displacement: Option<Displacement>) {
        let Some(Displacement { sign, hops }) = displacement else { return };
        let farthest = &mut self.farthest[usize::from(sign == Sign::Negative)];
        *farthest = hops.max(*farthest);
    }
}

/// Routes the messages of stages under any placement, one by one.
pub(super) struct RoutedStages<'run> {
    placement: &'run Placement,
    routing: &'run Routing,
    router: Router,
    scheme: Scheme<'run>,
    processes: Option<ProcessNodes<'run>>, // listed when the first stage needs them
}

/// The scheme of a run, with its data.
enum Scheme<'run> {
    Phases,
    /// Every message has a route.
    Explicit(ExplicitRoutes<'run>, StepRouter),
    /// The order of sorting.
    Sorted(SortedOrder, LinkMode),
}

struct ProcessNodes<'run> {
    nodes: Cow<'run, [NodeId]>, // by process
    splitter: Splitter<'run>,
}

impl<'run> RoutedStages<'run> {
    pub(super) fn new(
        placement: &'run Placement,
        communication: Communication,
        routing: &'run Routing,
        link_use: Option<LinkUseCounter>,
    ) -> Self {
        let router = Router::new(placement.machine(), communication, routing, link_use);
        let explicit = ExplicitRoutes::new(placement, communication);
        let scheme = match (routing.scheme, explicit, sorted_order(placement)) {
            (RoutingScheme::Phases, Some(explicit), _) => {
                Scheme::Explicit(explicit, StepRouter::new(placement.machine(), communication.links()))
            }
            (RoutingScheme::Sorting, _, Some(order)) => Scheme::Sorted(order, communication.links()),
            // Sorting without an order is refused before the run.
            (RoutingScheme::Phases, None, _) | (RoutingScheme::Sorting, _, None) => Scheme::Phases,
        };
        Self { placement, routing, router, scheme, processes: None }
    }

    /// The stage in which the processes of a cube, one per node and in one subset, exchange messages of
    /// `units` units along `dimension`, without listing them.
    pub(super) fn exchange(&mut self, dimension: CubeDimension, units: u64) -> StageSchedule {
        let Self { placement, routing, router, processes, .. } = self;
        let ProcessNodes { nodes, .. } = processes.get_or_insert_with(|| ProcessNodes::new(placement));
        let bit = 1 << dimension.index();
        let routed = nodes.iter().enumerate().map(|(process, &at)| RoutedMessage {
            at,
            to: nodes[process ^ bit],
            units,
        });
        let routing = router.route(routed, StartNodes::Distinct, routing.limit(placement, 0));
        let (axes, mut received) = (placement.machine().axes(), DistanceCounts::default());
        for pair in nodes.chunks_exact(2 * bit) {
            let (low, high) = pair.split_at(bit);
            for (low, high) in low.iter().zip(high) {
                received.add(axes_distance(axes, *low, *high), 2);
            }
        }
        StageSchedule { routing, messages: nodes.len() as u64, hops: received.sum(), received }
    }

    /// Routes any stage of any program.
    pub(super) fn route(&mut self, program: &dyn Program, stage: usize) -> StageSchedule {
        if let Scheme::Explicit(..) = self.scheme {
            return self.route_explicitly(program, stage);
        }
        let Self { placement, routing, router, scheme, processes } = self;
        let ProcessNodes { nodes, splitter } = processes.get_or_insert_with(|| ProcessNodes::new(placement));
        let machine = placement.machine();
        let messages = sorted_messages(program, stage);
        let node = |process: ProcessId| nodes[process.label() as usize];
        let routed = |message: &StageMessage| RoutedMessage {
            at: node(message.source),
            to: node(message.destination),
            units: message.units,
        };
        let distance = |message: RoutedMessage| axes_distance(machine.axes(), message.at, message.to);
        let distances: Vec<u64> = messages.iter().map(routed).map(distance).collect();
        let mut schedule = StageSchedule::of(&messages, &distances, nodes.len());
        let Scheme::Sorted(order, links) = scheme else {
            for Part { subset, messages } in splitter.parts(messages) {
                let limit = routing.limit(placement, subset);
                schedule.routing += router.route(messages.iter().map(routed), start_nodes(&messages), limit);
            }
            return schedule;
        };
        let sorts: Vec<u64> = if let Some(access) = program.special().random_access() {
            vec![access.sorted_steps(order, stage)]
        } else {
            let parts = splitter.parts(messages);
            let sets = parts.iter().flat_map(|part| partial_permutations(part.messages.iter().map(routed)));
            sets.map(|is_partial| order.steps_of_permutation(is_partial)).collect()
        };
        // In every step all nodes send to their partners.
        schedule.hops = sorts.iter().sum::<u64>() * machine.node_count();
        schedule.routing.steps = sorts.iter().map(|&steps| steps_under(*links, steps)).sum();
        schedule
    }

    /// Routes any stage along explicit routes: all messages at once to the barrier on their ways, if there is one, and
    /// then on.
    fn route_explicitly(&mut self, program: &dyn Program, stage: usize) -> StageSchedule {
        let Self { placement, router, scheme, processes, .. } = self;
        let ProcessNodes { nodes, .. } = processes.get_or_insert_with(|| ProcessNodes::new(placement));
        let Scheme::Explicit(routes, steps) = scheme else { return StageSchedule::default() };
        let messages = sorted_messages(program, stage);
        let [mut there, mut onward] = [vec![], vec![]];
        for &StageMessage { source, destination, units, .. } in &messages {
            let [from, to] = [source, destination].map(|process| nodes[process.label() as usize]);
            let [first, second] = routes.phases(RoutedPair::new(stage, source, destination), from, to);
            router.count_channels(&first, units);
            router.count_channels(&second, units);
            there.push(first);
            onward.push(second);
        }
        let lengths = there.iter().zip(&onward).map(|(there, onward)| (there.len() + onward.len()) as u64);
        let lengths: Vec<u64> = lengths.collect();
        let mut schedule = StageSchedule::of(&messages, &lengths, nodes.len());
        schedule.routing += steps.route(&there);
        schedule.routing += steps.route(&onward);
        schedule
    }
}

impl<'run> ProcessNodes<'run> {
    fn new(placement: &'run Placement) -> Self {
        let nodes = placement.listed_nodes();
        let splitter = Splitter::new(placement, &nodes);
        Self { nodes, splitter }
    }
}

/// Messages of a stage, by source and destination.
fn sorted_messages(program: &dyn Program, stage: usize) -> Vec<StageMessage> {
    let mut messages = program.messages(stage);
    messages.sort(); // already in order if every process sends one message
    messages
}

/// Divides messages into sets in which no two share a source or a destination node, each message in the first
/// set that can take it, as in section 6. Returns whether each set is partial: some nodes receive a message
/// without sending one. Nodes that do neither keep their own record.
fn partial_permutations(messages: impl Iterator<Item = RoutedMessage>) -> Vec<bool> {
    let mut sets: Vec<(BTreeSet<NodeId>, BTreeSet<NodeId>)> = vec![];
    for RoutedMessage { at, to, .. } in messages.filter(|message| message.at != message.to) {
        let fits = |(from, reached): &&mut (BTreeSet<NodeId>, BTreeSet<NodeId>)| {
            !from.contains(&at) && !reached.contains(&to)
        };
        match sets.iter_mut().find(fits) {
            Some((from, reached)) => {
                from.insert(at);
                reached.insert(to);
            }
            None => sets.push((BTreeSet::from([at]), BTreeSet::from([to]))),
        }
    }
    sets.into_iter().map(|(from, reached)| from != reached).collect()
}

/// Whether messages of one part, sorted by source, share start nodes: if processes share nodes, parts are
/// made so that none do; otherwise only messages of the same process do.
fn start_nodes(messages: &[StageMessage]) -> StartNodes {
    let same_source = messages.windows(2).any(|pair| pair[0].source == pair[1].source);
    if same_source { StartNodes::Shared } else { StartNodes::Distinct }
}

/// Number of messages, or of receiving processes, at each distance.
///
/// The times of processes follow from it: they wait for the steps of the stage minus the distance.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct DistanceCounts {
    near: Vec<u64>, // by distance, up to the largest counted; at most NEAR entries
    far: BTreeMap<u64, u64>,
}

impl DistanceCounts {
    /// Distances below this are counted in an array. Longer ones occur only on lines of millions of nodes,
    /// for which an array could be as large as the machine.
    const NEAR: u64 = 1 << 24;

    #[inline]
    pub(super) fn add(&mut self, distance: u64, count: u64) {
        match usize::try_from(distance).ok().and_then(|place| self.near.get_mut(place)) {
            Some(entry) => *entry += count,
            None => self.add_farther(distance, count),
        }
    }

    /// Counts a distance beyond the end of the array.
    #[cold]
    fn add_farther(&mut self, distance: u64, count: u64) {
        match usize::try_from(distance) {
            Ok(place) if distance < Self::NEAR => {
                self.near.resize(place + 1, 0);
                self.near[place] += count;
            }
            _ => *self.far.entry(distance).or_default() += count,
        }
    }

    /// Lists the distances that occur, with their counts, in ascending order.
    pub(super) fn iter(&self) -> impl Iterator<Item = (u64, u64)> {
        let near = (0..).zip(self.near.iter().copied()).filter(|&(_, count)| count > 0);
        near.chain(self.far.iter().map(|(&distance, &count)| (distance, count)))
    }

    pub(super) fn count(&self) -> u64 {
        self.iter().map(|(_, count)| count).sum()
    }

    pub(super) fn sum(&self) -> u64 {
        self.iter().map(|(distance, count)| distance * count).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_and_far_distances_are_counted_in_order() {
        let mut counts = DistanceCounts::default();
        let farthest = u64::from(u32::MAX);
        for (distance, count) in [(7, 2), (farthest, 1), (0, 3), (DistanceCounts::NEAR, 4), (7, 1)] {
            counts.add(distance, count);
        }
        let all: Vec<_> = counts.iter().collect();
        assert_eq!(all, [(0, 3), (7, 3), (DistanceCounts::NEAR, 4), (farthest, 1)]);
        assert_eq!(counts.count(), 11);
        assert_eq!(counts.sum(), 21 + 4 * DistanceCounts::NEAR + farthest);
        assert!(counts.near.len() <= 8);
    }
}
