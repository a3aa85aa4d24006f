//! Stages whose messages are routed one by one.

use std::borrow::Cow;

use cubefold_mapping::{CubeDimension, Placement, ProcessId};
use cubefold_topology::NodeId;

use super::{
    Message,
    distance_counts::DistanceCounts,
    parts::{Part, Splitter},
    phase::Starts,
    router::{Router, Traveller},
    stage_schedule::StageSchedule,
};
use crate::{
    Communication, LinkUse, Program, Routing, StageRouting,
    axis::{Axis, distance},
};

/// Routes stages under any placement.
pub(super) struct RoutedStages<'run> {
    placement: &'run Placement,
    routing: &'run Routing,
    axes: Vec<Axis>,
    router: Router,
    places: Option<Places<'run>>, // found when the first stage needs them
}

/// Where the processes are.
struct Places<'run> {
    nodes: Cow<'run, [NodeId]>, // by process
    splitter: Splitter<'run>,
}

impl<'run> RoutedStages<'run> {
    pub(super) fn new(
        placement: &'run Placement,
        communication: Communication,
        routing: &'run Routing,
        link_use: Option<LinkUse>,
    ) -> Self {
        let router = Router::new(placement.machine(), communication, routing, link_use);
        let axes = placement.machine().axes().to_vec();
        Self { placement, routing, axes, router, places: None }
    }

    pub(super) fn into_link_use(self) -> Option<LinkUse> {
        self.router.into_link_use()
    }

    /// The stage in which the processes of a cube, one a node and in one subset, exchange messages along
    /// `dimension`: these need not be listed.
    pub(super) fn exchange(&mut self, dimension: CubeDimension) -> StageSchedule {
        let Self { placement, routing, axes, router, places } = self;
        let Places { nodes, .. } = places.get_or_insert_with(|| Places::new(placement));
        let bit = 1 << dimension.index();
        let travellers =
            nodes.iter().enumerate().map(|(process, &at)| Traveller { at, to: nodes[process ^ bit] });
        let routing = router.route(travellers, Starts::Apart, routing.limit(placement, 0));
        let mut received = DistanceCounts::default();
        for pair in nodes.chunks_exact(2 * bit) {
            let (low, high) = pair.split_at(bit);
            for (low, high) in low.iter().zip(high) {
                received.add(distance(axes, *low, *high), 2);
            }
        }
        StageSchedule { routing, messages: nodes.len() as u64, hops: received.sum(), received }
    }

    /// Any stage of any program.
    pub(super) fn route<P: Program>(&mut self, program: &P, stage: usize) -> StageSchedule {
        let Self { placement, routing, axes, router, places } = self;
        let Places { nodes, splitter } = places.get_or_insert_with(|| Places::new(placement));
        let messages = messages_of_stage(program, stage);
        let node = |process: ProcessId| nodes[process.label() as usize];
        let travel =
            |message: &Message| Traveller { at: node(message.source), to: node(message.destination) };
        let distances: Vec<u64> =
            messages.iter().map(travel).map(|own| distance(axes, own.at, own.to)).collect();
        let received = farthest_received(&messages, &distances, nodes.len());
        let (count, hops) = (messages.len() as u64, distances.iter().sum());
        let mut stage_routing = StageRouting::default();
        for Part { subset, messages } in splitter.parts(messages) {
            let limit = routing.limit(placement, subset);
            stage_routing += router.route(messages.iter().map(travel), starts(&messages), limit);
        }
        StageSchedule { routing: stage_routing, received, messages: count, hops }
    }
}

impl<'run> Places<'run> {
    fn new(placement: &'run Placement) -> Self {
        let nodes = placement.listed_nodes();
        let splitter = Splitter::new(placement, &nodes);
        Self { nodes, splitter }
    }
}

/// The messages of a stage, by source and destination.
fn messages_of_stage<P: Program>(program: &P, stage: usize) -> Vec<Message> {
    let of =
        |source| program.destinations(stage, source).map(move |destination| Message { source, destination });
    let mut messages: Vec<Message> = ProcessId::first(program.process_count()).flat_map(of).collect();
    // Already in order where every process sends one message.
    messages.sort();
    messages
}

/// How far the farthest message comes to each process that receives one.
fn farthest_received(messages: &[Message], distances: &[u64], processes: usize) -> DistanceCounts {
    let mut farthest: Vec<Option<u64>> = vec![None; processes];
    for (message, &distance) in messages.iter().zip(distances) {
        let own = &mut farthest[message.destination.label() as usize];
        *own = (*own).max(Some(distance));
    }
    let mut received = DistanceCounts::default();
    for distance in farthest.into_iter().flatten() {
        received.add(distance, 1);
    }
    received
}

/// Whether messages of one part, by source, start at one node: where processes share nodes their parts
/// have been made so that none do, else only those of one process.
fn starts(messages: &[Message]) -> Starts {
    let same_source = messages.windows(2).any(|pair| pair[0].source == pair[1].source);
    if same_source { Starts::Shared } else { Starts::Apart }
}
