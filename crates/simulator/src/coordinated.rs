//! Coordinated execution (Tao 1988, 4.2 and 4.5.1; `docs/model.md` section 6).
//!
//! All processes compute, then the stage's messages go in phases: each message that is not at its
//! destination picks a coordinate in which it differs and moves along it. A phase is executed as one or
//! more movements, depending on the link mode.

mod movement;

use std::num::NonZeroU64;

use cubefold_mapping::{Placement, ProcessId};
use cubefold_topology::{Direction, HostDimension, Leg, Machine, NodeId};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha12Rng;

use self::movement::Mover;
use crate::{
    Communication, Cycle, Cycles, LinkUse, Observer, Program, StageRecord, StageRouting, Traffic,
    network::{Channels, Transit},
};

/// How the messages of a coordinated stage are routed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Routing {
    /// Which coordinate a message corrects next.
    pub dimension_choice: DimensionChoice,
    /// The most links that a message moves in a phase; no limit without one.
    pub phase_length: Option<NonZeroU64>,
}

/// Which of the coordinates that differ a message corrects next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DimensionChoice {
    /// The lowest-numbered.
    Lowest,
    /// Each as likely as the others (Tao 1988, 4.5.1), by a generator with this key.
    Random {
        /// The key: the same key makes the same choices.
        key: [u8; 32],
    },
}

/// A message of the stage.
#[derive(Debug, Clone, Copy)]
struct Message {
    source: ProcessId,
    destination: ProcessId,
    at: NodeId,
    to: NodeId,
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
    let mut router = Router::new(machine, communication, routing, link_use);
    let (mut message_count, mut hops, mut stages) = (0, 0, vec![]);
    let mut begin = Cycle::START;
    for stage in 0..program.stage_count() {
        let messages = messages_of_stage(program, stage, &nodes);
        message_count += messages.len() as u64;
        hops += messages.iter().map(|message| machine.distance(message.at, message.to)).sum::<u64>();
        let distances = farthest_received(&messages, nodes.len(), machine);
        let stage_routing = router.route(messages);
        let clock = StageClock { stage, begin, compute: program.compute() };
        begin = clock.report(&distances, communication.hop(), stage_routing, observer);
        stages.push(stage_routing);
    }
    let routing = Some(stages);
    Traffic { messages: message_count, hops, longest_queue: None, routing, link_use: router.link_use }
}

/// The messages of a stage, by source.
fn messages_of_stage<P: Program>(program: &P, stage: usize, nodes: &[NodeId]) -> Vec<Message> {
    let node = |process: ProcessId| nodes[process.label() as usize];
    ProcessId::first(nodes.len() as u64)
        .flat_map(|source| program.destinations(stage, source).map(move |destination| (source, destination)))
        .map(|(source, destination)| Message { source, destination, at: node(source), to: node(destination) })
        .collect()
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
        let ready = self.begin + self.compute;
        let moving = hop * routing.steps;
        for (process, distance) in ProcessId::first(distances.len() as u64).zip(distances) {
            let (transfer, waiting, idle) = match distance {
                Some(distance) => (hop * *distance, moving - hop * *distance, Cycles::ZERO),
                None => (Cycles::ZERO, Cycles::ZERO, moving),
            };
            observer.stage_finished(&StageRecord {
                process,
                stage: self.stage,
                sharing: Cycles::ZERO,
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
    machine: &'run Machine,
    communication: Communication,
    phase_length: u64,
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
        machine: &'run Machine,
        communication: Communication,
        routing: &Routing,
        link_use: Option<LinkUse>,
    ) -> Self {
        let choose = match routing.dimension_choice {
            DimensionChoice::Lowest => Choose::Lowest,
            DimensionChoice::Random { key } => Choose::Random(Box::new(ChaCha12Rng::from_seed(key))),
        };
        Self {
            machine,
            communication,
            phase_length: routing.phase_length.map_or(u64::MAX, NonZeroU64::get),
            choose,
            movements: communication.links().movements(machine.shape().dimension_count()),
            mover: Mover::new(machine),
            link_use,
        }
    }

    /// Brings all messages to their destinations, phase by phase.
    fn route(&mut self, mut messages: Vec<Message>) -> StageRouting {
        let mut routing = StageRouting::default();
        loop {
            let transits = self.legs(&messages);
            if transits.is_empty() {
                return routing;
            }
            self.count_links(&transits);
            for directions in &self.movements {
                let chosen = |transit: &Transit| {
                    directions.iter().any(|direction| direction.index() == transit.direction as usize)
                };
                let moving: Vec<_> = transits.iter().copied().filter(chosen).collect();
                let movement = self.mover.execute(moving, &mut messages);
                routing.steps += movement.steps;
                routing.conflicts += movement.conflicts;
            }
        }
    }

    /// What every message that is not at its destination does in the next phase.
    fn legs(&mut self, messages: &[Message]) -> Vec<Transit> {
        let mut transits = Vec::with_capacity(messages.len());
        for (index, message) in (0_u32..).zip(messages) {
            if let Some(Leg { direction, hops }) = self.choose_leg(message) {
                let leg = Leg { direction, hops: hops.min(self.phase_length) };
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
