//! Coordinated execution (Tao 1988, 4.2 and 4.5.1; `docs/model.md` section 6).
//!
//! All processes compute, then the messages of the stage move in phases: each message that is not
//! at its destination chooses a coordinate in which it differs and moves along it. A phase is
//! executed as one or more movements, depending on the link mode. A step moves every message that
//! is not blocked by one link.
//!
//! A stage begins and ends at the same time for all processes, so that its steps depend only on its messages:
//! each stage is scheduled separately ([`schedule`]). The times of a process follow from the steps of the
//! stage, the time of a step, which is that of the largest message (section 13.4), and the distance of its
//! message ([`StageClock`]).

mod explicit;
mod lines;
mod parts;
mod router;
mod schedule;

use std::{collections::BTreeMap, num::NonZeroU64};

use cubefold_mapping::{Placement, ProcessId};
use cubefold_topology::{Machine, NodeId};

use self::schedule::{DistanceCounts, Scheduler};
use crate::{
    Communication, Cycle, Cycles, LocalCost, Observer, Program, ServiceOrder, SimulationError, SortedOrder,
    StageRecord, Summary, Switching, Traffic, observe::traffic::LinkUseCounter, plan::check_rules,
    stage_recursion::PlacedProgram,
};

/// The routing of a coordinated run (`docs/model.md` section 6).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Routing {
    /// The choice of the coordinate that a message corrects next.
    pub dimension_choice: DimensionChoice,
    /// Largest number of links that a message moves in a phase.
    pub phase_length: PhaseLength,
    /// The routing scheme.
    pub scheme: RoutingScheme,
}

/// The scheme by which the messages of a stage reach their destinations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RoutingScheme {
    /// By phases; on explicit routes, if the rules of communication say so.
    #[default]
    Phases,
    /// By sorting the messages by their destinations (section 20).
    Sorting,
}

/// The choice among the coordinates that a message still has to correct.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DimensionChoice {
    /// The lowest-numbered.
    Lowest,
    /// Each with equal probability (Tao 1988, 4.5.1), by a generator with this key.
    Random {
        /// The key: equal keys make equal choices.
        key: [u8; 32],
    },
}

/// Largest number of links that a message moves in a phase.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PhaseLength {
    /// The length that the placement's construction sets for the message's subset (errata A1); for other
    /// placements until its coordinate agrees.
    OfPlacement,
    /// Until its coordinate agrees.
    Unlimited,
    /// At most this many links.
    Links(NonZeroU64),
}

impl Routing {
    /// The lowest coordinate first, and the phases of the placement.
    pub const PLAIN: Self = Self {
        dimension_choice: DimensionChoice::Lowest,
        phase_length: PhaseLength::OfPlacement,
        scheme: RoutingScheme::Phases,
    };

    /// Largest number of links that a message of a subset of `placement` moves in a phase.
    pub(crate) fn limit(&self, placement: &Placement, subset: u32) -> u64 {
        let length = match self.phase_length {
            PhaseLength::OfPlacement => placement.phase_length(subset),
            PhaseLength::Unlimited => None,
            PhaseLength::Links(links) => Some(links.get()),
        };
        length.unwrap_or(u64::MAX)
    }
}

/// Checks that coordinated execution is defined for a run.
///
/// # Errors
///
/// By phases on a network; for a program with stages in which some processes do not compute; for sorting on a machine
/// with a length that is not a power of two; and under rules by which messages do not move in steps (section
/// 13.4).
pub(crate) fn check(
    program: &dyn Program,
    placement: &Placement,
    communication: Communication,
    routing: &Routing,
) -> Result<(), SimulationError> {
    if program.special().has_no_stages() {
        return Err(SimulationError::NoStages);
    }
    check_rules(placement.machine(), communication)?;
    let has_phases = communication.routes().are_shortest();
    if has_phases && placement.machine().graph().is_some() {
        return Err(SimulationError::NoPhases);
    }
    if !program.facts().all_processes_compute {
        return Err(SimulationError::NotTogether);
    }
    if routing.scheme == RoutingScheme::Sorting && sorted_order(placement).is_none() {
        return Err(SimulationError::NotSorted);
    }
    let is_access = program.special().random_access().is_some();
    if routing.scheme == RoutingScheme::Sorting && is_access && !placement.is_one_to_one() {
        return Err(SimulationError::SharedNodes);
    }
    rule_without_steps(placement, communication).map_or(Ok(()), |rule| Err(SimulationError::NoSteps { rule }))
}

/// The order in which the nodes of a machine are sorted; `None` if a length is not a power of two.
fn sorted_order(placement: &Placement) -> Option<SortedOrder> {
    SortedOrder::new(placement.machine().grid()?).ok()
}

/// Names the first rule under which messages do not move link by link in steps, or that steps cannot time.
fn rule_without_steps(placement: &Placement, communication: Communication) -> Option<&'static str> {
    let has_local_cost = communication.local_cost() != LocalCost::default();
    let rules = [
        (communication.switching() == Switching::CutThrough, "cut-through switching"),
        (communication.packet().is_some(), "packets"),
        (communication.service() == ServiceOrder::RoundRobin, "round-robin arbitration"),
        (communication.eager() > 0, "eager messages"),
        (communication.processors().get() > 1, "several processors a node"),
        // Messages inside a node are not part of movements, which have no time for them.
        (has_local_cost && !placement.is_one_to_one(), "times of messages inside nodes that processes share"),
    ];
    rules.into_iter().find(|(holds, _)| *holds).map(|(_, rule)| rule)
}

/// Runs `program` to its end. Sums go to `summary`, and single records to `observer` if it wants them.
pub(crate) fn run(
    program: &dyn Program,
    placement: &Placement,
    communication: Communication,
    routing: &Routing,
    link_use: Option<LinkUseCounter>,
    summary: &mut Summary,
    observer: &mut dyn Observer,
) -> Traffic {
    let mut scheduler = Scheduler::new(program, placement, communication, routing, link_use);
    let nodes = observer.wants_records().then(|| placement.listed_nodes());
    let (mut messages, mut hops, mut stages) = (0, 0, vec![]);
    let mut begin = Cycle::START;
    for stage in 0..program.stage_count() {
        let schedule = scheduler.schedule(stage);
        let computing = longest_computing(program, placement, stage);
        let step = step_time(placement.machine(), communication, program.max_units(stage));
        let ready = begin + computing;
        let clock = StageClock { stage, ready, computing, step, moving: step * schedule.routing.steps };
        if program.facts().has_one_compute_time {
            let sharing = computing - program.facts().compute;
            clock.summarise(&schedule.received, sharing, program.process_count(), summary);
            match &nodes {
                Some(nodes) => {
                    let placed = PlacedProgram::new(program, placement, nodes, communication);
                    clock.report(&placed, |record| observer.stage_finished(record));
                }
                None => observer.pairs_finished(program.process_count()),
            }
        } else {
            // The processes differ in sharing as well as in distance.
            let nodes = placement.listed_nodes();
            let placed = PlacedProgram::new(program, placement, &nodes, communication);
            clock.report(&placed, |record| {
                summary.add_stage(record, 1);
                observer.stage_finished(record);
            });
        }
        begin = clock.end();
        (messages, hops) = (messages + schedule.messages, hops + schedule.hops);
        stages.push(schedule.routing);
    }
    summary.add_finish(begin, program.process_count());
    let longest_queue = scheduler.longest_queue();
    // The links of a sort are not followed one by one.
    let is_counted = routing.scheme != RoutingScheme::Sorting;
    let (routing, link_use) =
        (Some(stages), scheduler.into_link_use().filter(|_| is_counted).map(LinkUseCounter::finish));
    Traffic { messages, hops, longest_queue, routing, link_use }
}

/// The time of a step with messages of at most `units` units: the longest of any channel (`docs/model.md` sections 13.4
/// and 21.4).
fn step_time(machine: &Machine, communication: Communication, units: u64) -> Cycles {
    let over = |rules: Communication| rules.timing_of(units).receipt();
    let of_classes = machine.link_times().into_iter().flatten().zip(machine.has_links_of_class());
    let of_classes = of_classes.filter(|(_, has_links)| *has_links);
    of_classes
        .map(|(&time, _)| over(communication.with_links_of(time)))
        .max()
        .unwrap_or_else(|| over(communication))
}

/// The largest sum of computations in a stage over the processes of one node.
fn longest_computing(program: &dyn Program, placement: &Placement, stage: usize) -> Cycles {
    if program.facts().has_one_compute_time {
        return program.facts().compute * placement.max_load();
    }
    let mut sums: BTreeMap<NodeId, Cycles> = BTreeMap::new();
    for (process, &node) in ProcessId::first(program.process_count()).zip(&*placement.listed_nodes()) {
        *sums.entry(node).or_insert(Cycles::ZERO) += program.computation(stage, process);
    }
    sums.into_values().max().unwrap_or(Cycles::ZERO)
}

/// Whether a run follows from one line of each dimension.
pub(crate) fn is_line_separable(program: &dyn Program, placement: &Placement) -> bool {
    program.special().cube().is_some() && matches!(placement, Placement::Product(_))
}

/// Approximate memory limit of a compute-and-communicate program \[bytes\].
pub(crate) fn bytes(program: &dyn Program, placement: &Placement) -> u64 {
    let longest = placement.machine().shape().lengths().iter().copied().max().unwrap_or(0);
    if is_line_separable(program, placement) {
        longest * BYTES_PER_POSITION
    } else {
        program.process_count() * BYTES_PER_PROCESS + longest * BYTES_PER_POSITION
    }
}

/// Memory per message while it is routed \[bytes\].
const BYTES_PER_PROCESS: u64 = 64;
/// Memory per node of one line \[bytes\].
const BYTES_PER_POSITION: u64 = 16;

#[derive(Debug, Clone, Copy)]
struct StageClock {
    /// The stage, counted from 0.
    stage: usize,
    /// The end of the last computation on each node.
    ready: Cycle,
    /// The time in which the processes of a node compute, one after another; all nodes wait for the slowest.
    computing: Cycles,
    step: Cycles,
    /// The time of all steps of the stage.
    moving: Cycles,
}

impl StageClock {
    /// The end of the stage, for every process.
    fn end(&self) -> Cycle {
        self.ready + self.moving
    }

    /// Adds the times of all `processes` to `summary`, given the distances of the messages that they receive
    /// and the time for which each waits for its processor.
    fn summarise(&self, received: &DistanceCounts, sharing: Cycles, processes: u64, summary: &mut Summary) {
        let any = ProcessId::new(0); // a summary does not distinguish them
        for (distance, count) in received.iter() {
            summary.add_stage(&self.record(any, sharing, Some(distance)), count);
        }
        summary.add_stage(&self.record(any, sharing, None), processes - received.count());
    }

    /// Gives `take` the record of every process.
    fn report(&self, placed: &PlacedProgram<'_>, mut take: impl FnMut(&StageRecord)) {
        let mut peers = vec![];
        for process in ProcessId::first(placed.nodes.len() as u64) {
            let incoming = placed.incoming(self.stage, process, &mut peers);
            let farthest = incoming.map(|message| message.distance).max();
            let sharing = self.computing - placed.program.computation(self.stage, process);
            take(&self.record(process, sharing, farthest));
        }
    }

    /// The record of a process whose farthest message crosses `distance` links, or that receives none.
    fn record(&self, process: ProcessId, sharing: Cycles, distance: Option<u64>) -> StageRecord {
        let transfer = self.step * distance.unwrap_or(0);
        let (waiting, idle) = match distance {
            Some(_) => (self.moving - transfer, Cycles::ZERO),
            None => (Cycles::ZERO, self.moving),
        };
        let start = self.ready + waiting;
        StageRecord {
            process,
            stage: self.stage,
            sharing,
            ready: self.ready,
            start,
            finish: start + transfer,
            transfer,
            overlapped: Cycles::ZERO,
            overhead: Cycles::ZERO,
            idle,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CubeProgram;
    use cubefold_mapping::{EmbeddingKind, Hypercube};
    use cubefold_topology::{LinkMode, MachineKind, TieRule};

    #[test]
    fn four_billion_processes_are_scheduled_by_two_lines_of_65536() {
        let cube = Hypercube::new(32).unwrap();
        let machine = Machine::new(MachineKind::Torus, &[1 << 16, 1 << 16]).unwrap();
        let program = CubeProgram::new(cube, CubeProgram::descend(cube), Cycles::new(10)).unwrap();
        let links = Communication::new(LinkMode::FullDuplex, Cycles::new(2), TieRule::Direct).unwrap();
        // The distances of a ring of 2^16: 1, 2, 4, .., and the last one half of that again.
        for (kind, ring) in
            [(EmbeddingKind::Standard, (1 << 16) - 1), (EmbeddingKind::Xor, 3 * (1 << 14) - 1)]
        {
            let placement = Placement::embed(kind, cube, &machine).unwrap();
            let mut summary = Summary::new(1 << 32, 32, Cycles::new(10));
            let routing = &Routing::PLAIN;
            let traffic = run(&program, &placement, links, routing, None, &mut summary, &mut ());
            assert_eq!(summary.makespan().get(), 32 * 10 + 2 * 2 * ring);
            assert_eq!(summary.totals().transfer, u128::from(2 * 2 * ring) << 32);
            assert_eq!((summary.totals().waiting, summary.waiting().count()), (0, 32 << 32));
            assert_eq!((traffic.messages, traffic.hops), (32 << 32, (2 * ring) << 32));
            assert_eq!(summary.check_balance(), Ok(()));
            assert_eq!(crate::predict(&program, &placement, links), summary.makespan());
        }
    }
}
