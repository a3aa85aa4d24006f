//! Collectives as stage programs: processes, stages, messages and computations.

mod computations;

use std::sync::OnceLock;

use cubefold_mapping::ProcessId;
use cubefold_topology::{Length, narrow};

pub use self::computations::ComputationTotals;
use self::computations::Computations;
use crate::{
    CollectiveError, CollectiveSpecification, Exchange, Operation,
    algorithm::{Phase, Plan, PlanContext},
    rank_grid::RankGrid,
    schedule::{End, Payload, Place, Schedule, StageSchedule, StageTally},
    vector::{BlockTable, share_units},
};

/// A collective of `P` ranks and `k` shares: a stage program of `k P` processes (`docs/model.md`
/// section 16).
///
/// Share `c` of rank `r` is process `c P + r`. Messages are computed from the structure of the
/// algorithm when they are asked for; what is kept is at most a number for each process and stage
/// of algorithms with few stages.
///
/// ```
/// use cubefold_collectives::{Algorithm, Collective, CollectiveSpecification, Operation};
/// use cubefold_mapping::ProcessId;
/// use cubefold_topology::Shape;
///
/// // Reduce-scatter on a ring of 4 with 8 units: 2 stages, the first with two blocks of 2 units a message.
/// let shape = Shape::new(&[4])?;
/// let swing = CollectiveSpecification::new(Operation::ReduceScatter, Algorithm::Swing, shape, 8);
/// let swing = Collective::new(swing)?;
/// let sent: Vec<_> = swing.sends(0, ProcessId::new(0)).collect();
/// assert_eq!(sent, [(ProcessId::new(1), 4)]);
/// assert_eq!((swing.process_count(), swing.stage_count()), (4, 2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Collective {
    specification: CollectiveSpecification,
    exchange: Exchange,
    blocks: Vec<BlockTable>, // of each share
    schedules: Vec<Schedule>,
    phases: Vec<Phase>,
    stages: Vec<Stage>,
    rank_count: Length, // in 2..2^32
    share_count: u32,   // at least 1
    computations: OnceLock<Computations>,
}

/// A stage: which one of its phase.
#[derive(Debug, Clone, Copy)]
struct Stage {
    phase: u32,
    within: u32, // stages of the phase before it
}

/// A stage of a schedule as a stage of a collective.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LocatedStage<'a> {
    schedule: &'a Schedule,
    stage: usize, // of the schedule
    is_reducing: bool,
    end_of_sources: End, // the end of the schedule's messages that sends: its destinations where it runs backwards
}

impl Collective {
    /// Returns the collective of a specification.
    ///
    /// # Errors
    ///
    /// As [`CollectiveSpecification::check`].
    pub fn new(specification: CollectiveSpecification) -> Result<Self, CollectiveError> {
        specification.check()?;
        let grid = RankGrid::new(&specification.shape);
        let rank_count = grid.rank_count();
        let share_count = narrow(specification.share_count() as u64);
        let blocks: Vec<BlockTable> = (0..share_count)
            .map(|share| share_units(specification.vector_units, share, share_count))
            .map(|units| BlockTable::new(units, rank_count))
            .collect();
        let exchange = specification.exchange.unwrap_or_default();
        let context = PlanContext { specification: &specification, exchange, grid, blocks };
        let plan = (specification.algorithm.descriptor().plan)(&context);
        let blocks = context.blocks;
        let Plan { schedules, phases } = plan;
        let mut collective = Self {
            specification,
            exchange,
            blocks,
            schedules,
            phases: Vec::with_capacity(phases.len() + 1),
            stages: Vec::new(),
            rank_count: Length::new(rank_count.into()),
            share_count,
            computations: OnceLock::new(),
        };
        let is_needed = |phase: &Phase| share_count > 1 || *phase != Phase::Synchronisation;
        phases.into_iter().filter(is_needed).for_each(|phase| collective.push(phase));
        if collective.is_reduced_after(collective.stages.len()) {
            collective.push(Phase::Reduction);
        }
        Ok(collective)
    }

    /// The memory of a stage, with what is known of its messages \[bytes\].
    pub(crate) const BYTES_A_STAGE: u64 = (size_of::<Stage>() + size_of::<u64>() + size_of::<bool>()) as u64;

    /// Estimates the memory that it takes \[bytes\].
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.stages.len() as u64 * Self::BYTES_A_STAGE
    }

    /// Adds a phase with its stages.
    fn push(&mut self, phase: Phase) {
        let stage_count = match phase {
            Phase::Messages { schedule, .. } => self.schedules[schedule].stage_count(),
            Phase::Synchronisation | Phase::Reduction => 1,
        };
        let number = narrow(self.phases.len() as u64);
        self.phases.push(phase);
        self.stages.extend((0..narrow(stage_count as u64)).map(|within| Stage { phase: number, within }));
    }

    /// Whether some process has units to reduce, in some time, after so many stages.
    fn is_reduced_after(&self, stage_count: usize) -> bool {
        self.specification.reduce_units_per_cycle.is_some()
            && ProcessId::first(self.process_count())
                .any(|process| self.units_to_reduce(stage_count, process) > 0)
    }

    /// The specification.
    #[must_use]
    pub fn specification(&self) -> &CollectiveSpecification {
        &self.specification
    }

    /// What messages carry where there is a choice.
    #[must_use]
    pub fn exchange(&self) -> Exchange {
        self.exchange
    }

    /// The number of ranks `P`.
    #[must_use]
    pub fn rank_count(&self) -> u64 {
        self.rank_count.get()
    }

    /// The number of shares `k`, which is the number of processes of a rank.
    #[must_use]
    pub fn share_count(&self) -> u32 {
        self.share_count
    }

    /// The number of processes `k P`, below 2^32.
    #[must_use]
    pub fn process_count(&self) -> u64 {
        self.rank_count() * u64::from(self.share_count)
    }

    /// The number of stages, at least 1.
    #[must_use]
    pub fn stage_count(&self) -> usize {
        self.stages.len()
    }

    /// The units of a share.
    ///
    /// # Panics
    ///
    /// When there is no such share.
    #[must_use]
    pub fn share_units(&self, share: u32) -> u64 {
        self.blocks[share as usize].units()
    }

    /// The units of block `block` of a share.
    ///
    /// # Panics
    ///
    /// When there is no such share or block.
    #[must_use]
    pub fn block_units(&self, share: u32, block: u32) -> u64 {
        self.blocks[share as usize].size(block)
    }

    /// The rank of a process, in `0..P`.
    #[must_use]
    #[inline]
    pub fn rank(&self, process: ProcessId) -> u32 {
        self.place(process).rank
    }

    /// The share of a process, in `0..k`.
    #[must_use]
    #[inline]
    pub fn share(&self, process: ProcessId) -> u32 {
        self.place(process).share
    }

    /// The process of a share of a rank.
    #[must_use]
    #[inline]
    pub fn process(&self, share: u32, rank: u32) -> ProcessId {
        ProcessId::new(narrow(u64::from(share) * self.rank_count() + u64::from(rank)))
    }

    #[inline]
    fn place(&self, process: ProcessId) -> Place {
        if self.share_count == 1 {
            return Place { share: 0, rank: process.label() };
        }
        let (share, rank) = self.rank_count.divide(process.label().into());
        Place { share: narrow(share), rank: narrow(rank) }
    }

    /// The messages that a process sends in a stage: destination and size \[units\], by ascending
    /// destination.
    ///
    /// # Panics
    ///
    /// When there is no such stage or process.
    #[inline]
    #[must_use]
    pub fn sends(&self, stage: usize, process: ProcessId) -> ProcessMessages<'_> {
        self.messages(stage, process, End::Source)
    }

    /// The messages that a process receives in a stage: source and size \[units\], by ascending
    /// source.
    ///
    /// # Panics
    ///
    /// When there is no such stage or process.
    #[inline]
    #[must_use]
    pub fn receives(&self, stage: usize, process: ProcessId) -> ProcessMessages<'_> {
        self.messages(stage, process, End::Destination)
    }

    #[inline]
    fn messages(&self, stage: usize, process: ProcessId, end: End) -> ProcessMessages<'_> {
        let place = self.place(process);
        let (peers, candidate_count) = match self.locate(stage) {
            Ok(LocatedStage { schedule, stage, end_of_sources, .. }) => {
                let end = if end_of_sources == End::Source { end } else { end.opposite() };
                (Peers::Ranks { schedule, stage, end }, schedule.candidate_count(stage, place, end))
            }
            Err(Phase::Synchronisation) => (Peers::Shares, self.share_count),
            Err(_) => (Peers::Shares, 0),
        };
        ProcessMessages { collective: self, place, peers, next: 0, candidate_count }
    }

    /// The size of the message of a stage from one process to another \[units\]; 0 where there is
    /// none.
    ///
    /// # Panics
    ///
    /// When there is no such stage or source.
    #[must_use]
    pub fn units(&self, stage: usize, source: ProcessId, destination: ProcessId) -> u64 {
        let (source, destination) = (self.place(source), self.place(destination));
        match self.locate(stage) {
            Ok(LocatedStage { schedule, stage, end_of_sources, .. }) if source.share == destination.share => {
                schedule.units(stage, source, end_of_sources, destination.rank)
            }
            Err(Phase::Synchronisation) => {
                u64::from(source.rank == destination.rank && source.share != destination.share)
            }
            _ => 0,
        }
    }

    /// The size of the largest message of a stage \[units\]; 0 of a stage without messages.
    ///
    /// # Panics
    ///
    /// When there is no such stage.
    #[must_use]
    pub fn max_units(&self, stage: usize) -> u64 {
        self.all_computations().largest[stage]
    }

    /// The size of every message, where all have one and there are any \[units\].
    #[must_use]
    pub fn uniform_units(&self) -> Option<u64> {
        let StageTally { min_units, max_units, .. } = self.all_computations().sizes;
        (min_units == max_units && max_units > 0).then_some(max_units)
    }

    /// The sums over the ranks in a stage of messages.
    fn tally(&self, located: LocatedStage<'_>, share: u32) -> StageTally {
        let LocatedStage { schedule, stage, is_reducing, end_of_sources } = located;
        let rate = self.specification.reduce_units_per_cycle.filter(|_| is_reducing);
        let ranks = narrow(self.rank_count.get());
        let stage = schedule.representative(stage, share);
        schedule.tally(stage, share, ranks, end_of_sources.opposite(), rate)
    }

    /// Whether a stage is known to have the messages and the computations of the stage before it.
    ///
    /// With blocks of equal size these are the stages of a ring, or of a phase of bucket, after the
    /// first two. Other stages may repeat without being known to.
    ///
    /// # Panics
    ///
    /// When there is no such stage.
    #[must_use]
    pub fn repeats(&self, stage: usize) -> bool {
        // What came in the stage before is reduced in this one: in the second stage of a phase,
        // what came in its first.
        let settled = if self.specification.reduce_units_per_cycle.is_some() { 2 } else { 1 };
        self.stages[stage].within >= settled
            && self.locate(stage).is_ok_and(|located| {
                located.end_of_sources == End::Source && located.schedule.repeats(located.stage)
            })
    }

    /// Whether every two processes of different ranks with a message in a stage are known to have had one in an earlier
    /// stage.
    ///
    /// These are the stages of a ring, or of a phase of bucket, after the first; of vectors with fewer units than ranks,
    /// after the first few.
    ///
    /// # Panics
    ///
    /// When there is no such stage.
    #[must_use]
    pub fn adds_no_pairs(&self, stage: usize) -> bool {
        self.stages[stage].within > 0
            && self.locate(stage).is_ok_and(|located| {
                located.end_of_sources == End::Source && located.schedule.adds_no_pairs(located.stage)
            })
    }

    /// Visits all messages of a stage with their sizes \[units\]: source, destination, size.
    ///
    /// # Panics
    ///
    /// When there is no such stage.
    pub fn for_each_message(&self, stage: usize, visit: &mut impl FnMut(ProcessId, ProcessId, u64)) {
        let ranks = narrow(self.rank_count());
        match self.locate(stage) {
            Ok(LocatedStage { schedule, stage, end_of_sources, .. }) => {
                for share in 0..self.share_count {
                    schedule.visit(stage, share, ranks, end_of_sources, &mut |source, destination, units| {
                        visit(self.process(share, source), self.process(share, destination), units);
                    });
                }
            }
            Err(Phase::Synchronisation) => {
                for process in ProcessId::first(self.process_count()) {
                    self.sends(stage, process)
                        .for_each(|(destination, units)| visit(process, destination, units));
                }
            }
            Err(_) => {}
        }
    }

    /// The most messages that a process may receive in a stage, those between the shares of a rank
    /// included.
    #[must_use]
    pub fn max_received(&self) -> usize {
        self.max_messages(End::Destination).max(self.synchronising_messages())
    }

    /// The most messages that a process may receive from other ranks in a stage.
    #[must_use]
    pub fn max_received_from_ranks(&self) -> usize {
        self.max_messages(End::Destination)
    }

    /// The most messages that a process may send to other ranks in a stage.
    #[must_use]
    pub fn max_sent_to_ranks(&self) -> usize {
        self.max_messages(End::Source)
    }

    fn synchronising_messages(&self) -> usize {
        if self.phases.contains(&Phase::Synchronisation) { self.share_count as usize - 1 } else { 0 }
    }

    fn max_messages(&self, end: End) -> usize {
        let counts = self.phases.iter().map(|phase| match *phase {
            Phase::Messages { schedule, is_reversed, .. } => {
                let end = if is_reversed { end.opposite() } else { end };
                self.schedules[schedule].max_candidates(end) as usize
            }
            Phase::Synchronisation | Phase::Reduction => 0,
        });
        counts.max().unwrap_or(0)
    }

    /// The phase of a stage, counted from 0, and what it does.
    pub(crate) fn phase(&self, stage: usize) -> (u32, Phase) {
        let phase = self.stages[stage].phase;
        (phase, self.phases[phase as usize])
    }

    /// What the message of a share from one rank to another in a stage carries, of a stage that has
    /// such.
    pub(crate) fn payload(&self, stage: usize, share: u32, source: u32, destination: u32) -> Payload {
        match self.locate(stage) {
            Ok(LocatedStage { schedule, stage, end_of_sources: End::Source, .. }) => {
                schedule.payload(stage, share, source, destination)
            }
            Ok(LocatedStage { schedule, stage, .. }) => schedule.payload(stage, share, destination, source),
            Err(_) => Payload::Token,
        }
    }

    /// The stage of a schedule that a stage is; the phase of one without a schedule.
    #[inline]
    pub(crate) fn locate(&self, stage: usize) -> Result<LocatedStage<'_>, Phase> {
        let Stage { phase, within } = self.stages[stage];
        let phase = self.phases[phase as usize];
        let Phase::Messages { schedule, is_reversed, is_reducing } = phase else { return Err(phase) };
        let (schedule, within) = (&self.schedules[schedule], within as usize);
        Ok(if is_reversed {
            let stage = schedule.stage_count() - 1 - within;
            LocatedStage { schedule, stage, is_reducing, end_of_sources: End::Destination }
        } else {
            LocatedStage { schedule, stage: within, is_reducing, end_of_sources: End::Source }
        })
    }

    /// What is performed.
    #[must_use]
    pub fn operation(&self) -> Operation {
        self.specification.operation
    }
}

/// The messages of a process in a stage, at one end: the process at the other end and the size
/// \[units\].
#[derive(Debug, Clone)]
pub struct ProcessMessages<'a> {
    collective: &'a Collective,
    place: Place,
    peers: Peers<'a>,
    next: u32,
    candidate_count: u32,
}

/// Whom the messages are exchanged with.
#[derive(Debug, Clone, Copy)]
enum Peers<'a> {
    /// The same share of other ranks.
    Ranks { schedule: &'a Schedule, stage: usize, end: End },
    /// The other shares of the same rank.
    Shares,
}

impl Iterator for ProcessMessages<'_> {
    type Item = (ProcessId, u64);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        while self.next < self.candidate_count {
            let candidate = self.next;
            self.next += 1;
            match self.peers {
                Peers::Ranks { schedule, stage, end } => {
                    if let Some((rank, units)) = schedule.candidate(stage, self.place, end, candidate) {
                        return Some((self.collective.process(self.place.share, rank), units));
                    }
                }
                Peers::Shares if candidate != self.place.share => {
                    return Some((self.collective.process(candidate, self.place.rank), 1));
                }
                Peers::Shares => {}
            }
        }
        None
    }
}
