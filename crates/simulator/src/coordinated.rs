//! Coordinated execution (Tao 1988, 4.2 and 4.5.1; `docs/model.md` section 6).
//!
//! All processes compute, then the stage's messages go in phases: each message that is not at its
//! destination picks a coordinate in which it differs and moves along it. A phase is executed as one or
//! more movements, depending on the link mode.

mod movement;
mod parts;

use cubefold_mapping::{Placement, ProcessId};
use cubefold_topology::{Direction, HostDimension, Leg, Machine, NodeId};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha12Rng;

use self::{
    movement::Mover,
    parts::{Part, Sharing, parts},
};
use crate::{
    Communication, Cycle, Cycles, DimensionChoice, LinkUse, Observer, Program, Routing, StageRecord,
    StageRouting, Traffic,
    network::{Channels, Transit},
};

/// A message of the stage.
#[derive(Debug, Clone, Copy)]
struct Message {
    source: ProcessId,
    destination: ProcessId,
    at: NodeId,
    to: NodeId,
    subset: u32, // the number that the placement gives it
}

/// Runs `program` to its end, reporting to `observer`.
pub(crate) fn run<P: Program, O: Observer>(
    program: &P,
    placement: &Placement,
    communication: Communication,
    routing: &Routing,
    link_use: Option<LinkUse>,
    observer: &mut O,
) -> Traffic {
    let (nodes, machine) = (placement.nodes(), placement.machine());
    let mut router = Router::new(placement, communication, routing, link_use);
    let load = placement.greatest_load();
    let sharing = if load > 1 { Sharing::Some } else { Sharing::None };
    let (mut message_count, mut hops, mut stages) = (0, 0, vec![]);
    let mut begin = Cycle::START;
    for stage in 0..program.stage_count() {
        let messages = messages_of_stage(program, stage, &nodes, placement);
        message_count += messages.len() as u64;
        hops += messages.iter().map(|message| machine.distance(message.at, message.to)).sum::<u64>();
        let distances = farthest_received(&messages, nodes.len(), machine);
        let mut stage_routing = StageRouting::default();
        for part in parts(messages, sharing) {
            stage_routing += router.route(part);
        }
        let sharing = program.compute() * (load - 1);
        let clock = StageClock { stage, begin, compute: program.compute(), sharing };
        begin = clock.report(&distances, communication.hop(), stage_routing, observer);
        stages.push(stage_routing);
    }
    let routing = Some(stages);
    Traffic { messages: message_count, hops, longest_queue: None, routing, link_use: router.link_use }
}

/// The messages of a stage, by source and destination.
fn messages_of_stage<P: Program>(
    program: &P,
    stage: usize,
    nodes: &[NodeId],
    placement: &Placement,
) -> Vec<Message> {
    let node = |process: ProcessId| nodes[process.label() as usize];
    let message = |(source, destination): (ProcessId, ProcessId)| {
        let subset = placement.subset(source, destination);
        Message { source, destination, at: node(source), to: node(destination), subset }
    };
    let mut messages: Vec<Message> = ProcessId::first(nodes.len() as u64)
        .flat_map(|source| program.destinations(stage, source).map(move |destination| (source, destination)))
        .map(message)
        .collect();
    // Already in order where every process sends one message.
    messages.sort_by_key(|message| (message.source, message.destination));
    messages
}

/// For each process the distance that the farthest message comes which it receives; none without one.
fn farthest_received(messages: &[Message], processes: usize, machine: &Machine) -> Vec<Option<u64>> {
    let mut farthest = vec![None; processes];
    for message in messages {
        let distance = machine.distance(message.at, message.to);
        let own = &mut farthest[message.destination.label() as usize];
        *own = (*own).max(Some(distance));
    }
    farthest
}

/// When a stage takes place.
struct StageClock {
    stage: usize,
    begin: Cycle,
    compute: Cycles,
    sharing: Cycles, // of every process
}

impl StageClock {
    /// Reports the stage of every process, given how far its message came, and returns the stage's end.
    fn report<O: Observer>(
        &self,
        distances: &[Option<u64>],
        hop: Cycles,
        routing: StageRouting,
        observer: &mut O,
    ) -> Cycle {
        let ready = self.begin + self.sharing + self.compute;
        let moving = hop * routing.steps;
        for (process, distance) in ProcessId::first(distances.len() as u64).zip(distances) {
            let (transfer, waiting, idle) = match distance {
                Some(distance) => (hop * *distance, moving - hop * *distance, Cycles::ZERO),
                None => (Cycles::ZERO, Cycles::ZERO, moving),
            };
            observer.stage_finished(&StageRecord {
                process,
                stage: self.stage,
                sharing: self.sharing,
                ready,
                start: ready + waiting,
                finish: ready + waiting + transfer,
                transfer,
                idle,
            });
        }
        ready + moving
    }
}

/// Routes the messages of one stage after another.
struct Router<'run> {
    placement: &'run Placement,
    machine: &'run Machine, // that of the placement
    communication: Communication,
    routing: &'run Routing,
    choose: Choose,
    movements: Vec<Vec<Direction>>,
    mover: Mover,
    link_use: Option<LinkUse>,
}

/// The state of the choice of dimensions.
enum Choose {
    Lowest,
    Random(Box<ChaCha12Rng>),
}

impl<'run> Router<'run> {
    fn new(
        placement: &'run Placement,
        communication: Communication,
        routing: &'run Routing,
        link_use: Option<LinkUse>,
    ) -> Self {
        let choose = match routing.dimension_choice {
            DimensionChoice::Lowest => Choose::Lowest,
            DimensionChoice::Random { key } => Choose::Random(Box::new(ChaCha12Rng::from_seed(key))),
        };
        let machine = placement.machine();
        Self {
            placement,
            machine,
            communication,
            routing,
            choose,
            movements: communication.links().movements(machine.shape().dimension_count()),
            mover: Mover::new(machine),
            link_use,
        }
    }

    /// Brings all messages of a part to their destinations, phase by phase.
    fn route(&mut self, part: Part) -> StageRouting {
        let limit = self.routing.limit(self.placement, part.subset);
        let mut messages = part.messages;
        let mut routing = StageRouting::default();
        loop {
            let transits = self.legs(&messages, limit);
            if transits.is_empty() {
                return routing;
            }
            self.count_links(&transits);
            for directions in &self.movements {
                let chosen = |transit: &Transit| {
                    directions.iter().any(|direction| direction.index() == transit.direction as usize)
                };
                let moving: Vec<_> = transits.iter().copied().filter(chosen).collect();
                routing += self.mover.execute(moving, &mut messages);
            }
        }
    }

    /// What every message that is not at its destination does in the next phase.
    fn legs(&mut self, messages: &[Message], limit: u64) -> Vec<Transit> {
        let mut transits = Vec::with_capacity(messages.len());
        for (index, message) in (0_u32..).zip(messages) {
            if let Some(Leg { direction, hops }) = self.choose_leg(message) {
                let leg = Leg { direction, hops: hops.min(limit) };
                transits.push(Channels::transit(index, message.at, leg));
            }
        }
        transits
    }

    fn choose_leg(&mut self, message: &Message) -> Option<Leg> {
        let (machine, tie) = (self.machine, self.communication.tie());
        match &mut self.choose {
            Choose::Lowest => machine.next_leg(message.at, message.to, tie),
            Choose::Random(generator) => {
                let along =
                    |dimension: HostDimension| machine.leg_along(dimension, message.at, message.to, tie);
                let legs: Vec<Leg> = machine.shape().dimensions().filter_map(along).collect();
                (!legs.is_empty()).then(|| legs[generator.random_range(0..legs.len())])
            }
        }
    }

    /// Counts the links that the legs of a phase use.
    fn count_links(&mut self, transits: &[Transit]) {
        let Some(link_use) = &mut self.link_use else { return };
        for transit in transits {
            let mut at = *transit;
            for _ in 0..transit.hops {
                link_use.count(&at);
                at.node = self.mover.channels().next(&at);
            }
        }
    }
}
