//! Observation of a run: records of every process in every stage, and their sums.
//!
//! An engine reports each record, or counts of equal ones, to an [`Observer`]; sums go to a [`Summary`],
//! which is checked against the finish times at the end of every run.
//!
//! [`Summary`]: crate::Summary

pub(crate) mod accounts;
pub(crate) mod distribution;
pub(crate) mod summary;
pub(crate) mod traffic;
pub(crate) mod transmissions;

use cubefold_mapping::ProcessId;

use crate::{Cycle, Cycles, RankTask, Transmission};

/// One process in one finished stage.
///
/// ```text
/// ready ── waiting ── start ── transfer + blocked ── finish
/// ```
///
/// The last message that it received may have been sent before the process was ready, if it was eager: then
/// `start` is before `ready`, and the part of the transfer before `ready` is overlapped (`docs/model.md`
/// section 14).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StageRecord {
    /// The process.
    pub process: ProcessId,
    /// The stage, counted from 0.
    pub stage: usize,
    /// Time in which it waited for its node's processor \[cycles\]; 0 with one process per node.
    pub sharing: Cycles,
    /// The cycle at which its computation ended.
    pub ready: Cycle,
    /// The cycle at which its last received message was injected; `ready` if it receives none.
    pub start: Cycle,
    /// The cycle at which that message was received; `ready` if it receives none.
    pub finish: Cycle,
    /// Time of that message without contention, except for the overlapped part \[cycles\].
    pub transfer: Cycles,
    /// Overlapped part of that time, before the process was ready \[cycles\]. 0 under rendezvous.
    pub overlapped: Cycles,
    /// Time in which its core was busy with messages after it was ready \[cycles\].
    pub overhead: Cycles,
    /// Time from `finish` to the end of the stage, which all processes of a coordinated run reach together
    /// \[cycles\]; 0 for a process that receives a message, and in an asynchronous run.
    pub idle: Cycles,
}

impl StageRecord {
    /// The record of a stage in which a process computes, waits and receives, and nothing else.
    #[inline]
    pub(crate) fn plain(
        process: ProcessId,
        stage: usize,
        [ready, start, finish]: [u64; 3],
        transfer: u64,
    ) -> Self {
        let [ready, start, finish] = [ready, start, finish].map(Cycle::new);
        let (transfer, zero) = (Cycles::new(transfer), Cycles::ZERO);
        let (sharing, overlapped, overhead, idle) = (zero, zero, zero, zero);
        Self { process, stage, sharing, ready, start, finish, transfer, overlapped, overhead, idle }
    }

    /// Time in which it waited for its partner \[cycles\].
    #[inline]
    #[must_use]
    pub fn waiting(&self) -> Cycles {
        self.begun() - self.ready
    }

    /// Time in which other messages blocked its message \[cycles\].
    #[inline]
    #[must_use]
    pub fn blocked(&self) -> Cycles {
        self.finish - self.begun() - self.transfer - self.overhead
    }

    /// All of the time that it spent in the stage if it computed for `computation` \[cycles\]. The sum stays below 2^63, as
    /// was checked before the run; an overflow would show as an imbalance.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "a call for each record costs as much as its work")]
    pub(crate) fn spent(&self, computation: Cycles) -> u64 {
        let parts = [
            computation,
            self.sharing,
            self.overhead,
            self.waiting(),
            self.transfer,
            self.blocked(),
            self.idle,
        ];
        parts.iter().fold(0, |sum, part| sum.wrapping_add(part.get()))
    }

    /// The cycle from which it waits only for its message.
    #[inline]
    fn begun(&self) -> Cycle {
        self.start.max(self.ready)
    }
}

/// Start and end of an operation of a task graph (`docs/model.md` section 18).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OperationTimes {
    /// The cycle at which it began; for a send, the end of its overhead.
    pub begun: Cycle,
    /// The cycle at which it ended.
    pub over: Cycle,
    /// For a send the receive that took its message, for a receive the send; `None` for a computation, and
    /// for an eager send without a receive.
    pub partner: Option<u32>,
}

/// A step of a job at one rank in one iteration (`docs/model.md` section 23).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StepRecord {
    /// The iteration, counted from 0.
    pub iteration: u32,
    /// The step, counted from 0.
    pub step: u32,
    /// The rank.
    pub rank: u32,
    /// The cycle at which all that it comes after is over at the rank; of a computation, at which it gets the
    /// processor.
    pub begin: Cycle,
    /// The cycle at which it is over at the rank.
    pub finish: Cycle,
}

/// A step of a job in one iteration, over the ranks that take part (`docs/model.md` section 23.6).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StepTimes {
    /// The earliest begin: of a computation, else of a stage that computes or sends.
    pub begin: Cycle,
    /// The latest finish, no earlier than the receipt of the last message.
    pub finish: Cycle,
    /// The number of ranks that take part.
    pub ranks: u32,
    /// The cycles in which it is at work at a rank that computes nothing, summed over ranks; 0 of a computation.
    pub exposed: u128,
    /// The cycles in which it is at work at a rank while a computation step of that runs, summed over ranks.
    pub hidden: u128,
    /// The computation steps that run then, the most cycles first, of equal ones the first; at most 16.
    pub behind: Vec<u32>,
}

/// The parts of the time of a rank, which add up to the makespan \[cycles\].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RankTime {
    /// A computation step runs.
    pub computation: u64,
    /// Nothing is computed, and a step is at work.
    pub communication: u64,
    /// Neither, and the rank has not finished: it waits for other ranks.
    pub bubble: u64,
    /// The rank is over.
    pub done: u64,
}

/// The activity of a rank of a job (`docs/model.md` section 23.6).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RankPart {
    /// A computation step runs.
    Computation,
    /// None runs, and a step of messages is at work.
    Communication,
    /// Neither, and the rank is not over.
    Bubble,
}

/// An interval of one activity of a rank of a job, before it finishes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RankSpan {
    /// The rank.
    pub rank: u32,
    /// The activity.
    pub part: RankPart,
    /// The step that runs, or the first of those that are at work: iteration times steps plus step.
    pub step: Option<u32>,
    /// The first cycle.
    pub from: Cycle,
    /// The cycle after the last.
    pub to: Cycle,
}

/// The times of the steps of a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobTimes {
    /// By iteration, then by step.
    pub steps: Vec<StepTimes>,
    /// The parts of the time of each rank.
    pub by_rank: Vec<RankTime>,
    /// The sum over the ranks of their finish less the cycles of their computation steps \[cycles\].
    pub exposed: u128,
    /// Messages that were blocked for more than three times their time without contention, and that are a sixteenth of the
    /// largest message or less, in the order of their receptions; at most [`LATE_MESSAGES`].
    pub late: Vec<MessageTimes>,
}

/// The most late messages of a job that are kept.
pub const LATE_MESSAGES: usize = 1 << 16;

/// A message that was received (`docs/model.md` section 26.4).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MessageTimes {
    /// Its stage; its tag in a task graph.
    pub stage: u32,
    /// Its source.
    pub source: ProcessId,
    /// Its destination.
    pub destination: ProcessId,
    /// Its size \[units\].
    pub units: u64,
    /// The cycle at which it set out.
    pub start: Cycle,
    /// The cycle at which its first flit was injected; `start` inside a node. `None` if queues have no limit.
    pub entered: Option<Cycle>,
    /// The cycle at which it was received.
    pub received: Cycle,
    /// Its time without contention \[cycles\].
    pub transfer: Cycles,
}

impl MessageTimes {
    /// Time in which it waited at its source \[cycles\]; `None` if queues have no limit.
    #[must_use]
    pub fn queued(&self) -> Option<Cycles> {
        Some(self.entered? - self.start)
    }

    /// Time in which other messages blocked it, that at its source apart if that is known \[cycles\].
    #[must_use]
    pub fn blocked(&self) -> Cycles {
        self.received - self.entered.unwrap_or(self.start) - self.transfer
    }
}

/// Details of a run that an engine lists only for an observer that wants them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detail {
    /// The times of the operations of a task graph.
    Operations,
    /// The activities of the ranks of a job.
    RankSpans,
    /// The times of every message: of jobs, and of all programs over routers with finite buffers.
    Messages,
    /// Every transmission, which only the link-by-link engine knows.
    Transmissions,
}

/// All details of one kind of a finished run.
#[derive(Debug, Clone)]
pub enum DetailList {
    /// In the order of the schedule.
    Operations(Vec<OperationTimes>),
    /// By rank and time.
    RankSpans(Vec<RankSpan>),
    /// In the order in which they were received; of one cycle by stage, source, destination and start.
    Messages(Vec<MessageTimes>),
    /// In the order of their starts, messages and packets.
    Transmissions(Vec<Transmission>),
}

impl DetailList {
    /// The kind of the details.
    #[must_use]
    pub fn detail(&self) -> Detail {
        match self {
            Self::Operations(_) => Detail::Operations,
            Self::RankSpans(_) => Detail::RankSpans,
            Self::Messages(_) => Detail::Messages,
            Self::Transmissions(_) => Detail::Transmissions,
        }
    }
}

/// A receiver of the records of a run.
///
/// Records come in the order of the simulation: those of one process by stage, otherwise as they happen.
pub trait Observer {
    /// Takes the record of a finished stage of a process.
    fn stage_finished(&mut self, record: &StageRecord);

    /// Announces a record of this process, so that data for it may be prefetched.
    #[inline]
    fn prefetch(&self, process: ProcessId) {
        let _ = process;
    }

    /// Whether it wants every record. An engine that computes many processes together makes records only for
    /// such an observer, and reports only the number of finished pairs of a process and a stage to the
    /// others.
    fn wants_records(&self) -> bool {
        true
    }

    /// Takes the number of further finished pairs of a process and a stage without records.
    fn pairs_finished(&mut self, count: u64) {
        let _ = count;
    }

    /// Called when this rank's part of a divided run is finished: all records of its processes have been
    /// reported. The leader continues when this has returned on every rank.
    fn part_finished(&mut self, task: RankTask) {
        let _ = task;
    }

    /// Whether it wants these details of a run.
    fn wants(&self, detail: Detail) -> bool {
        let _ = detail;
        false
    }

    /// Takes details of a finished run.
    fn details_finished(&mut self, details: DetailList) {
        drop(details);
    }

    /// Takes the record of a step of a job that is over at a rank.
    fn step_finished(&mut self, record: &StepRecord) {
        let _ = record;
    }
}

/// No observer.
impl Observer for () {
    fn stage_finished(&mut self, _: &StageRecord) {}

    fn wants_records(&self) -> bool {
        false
    }
}

/// Two observers.
impl<A: Observer, B: Observer> Observer for (A, B) {
    #[inline]
    fn stage_finished(&mut self, record: &StageRecord) {
        self.0.stage_finished(record);
        self.1.stage_finished(record);
    }

    #[inline]
    fn prefetch(&self, process: ProcessId) {
        self.0.prefetch(process);
        self.1.prefetch(process);
    }

    fn wants_records(&self) -> bool {
        self.0.wants_records() || self.1.wants_records()
    }

    fn pairs_finished(&mut self, count: u64) {
        self.0.pairs_finished(count);
        self.1.pairs_finished(count);
    }

    fn part_finished(&mut self, task: RankTask) {
        self.0.part_finished(task);
        self.1.part_finished(task);
    }

    fn wants(&self, detail: Detail) -> bool {
        self.0.wants(detail) || self.1.wants(detail)
    }

    fn details_finished(&mut self, details: DetailList) {
        let detail = details.detail();
        if self.0.wants(detail) {
            self.0.details_finished(details.clone());
        }
        if self.1.wants(detail) {
            self.1.details_finished(details);
        }
    }

    fn step_finished(&mut self, record: &StepRecord) {
        self.0.step_finished(record);
        self.1.step_finished(record);
    }
}

impl<O: Observer + ?Sized> Observer for &mut O {
    #[inline]
    fn stage_finished(&mut self, record: &StageRecord) {
        (**self).stage_finished(record);
    }

    #[inline]
    fn prefetch(&self, process: ProcessId) {
        (**self).prefetch(process);
    }

    fn wants_records(&self) -> bool {
        (**self).wants_records()
    }

    fn pairs_finished(&mut self, count: u64) {
        (**self).pairs_finished(count);
    }

    fn part_finished(&mut self, task: RankTask) {
        (**self).part_finished(task);
    }

    fn wants(&self, detail: Detail) -> bool {
        (**self).wants(detail)
    }

    fn details_finished(&mut self, details: DetailList) {
        (**self).details_finished(details);
    }

    fn step_finished(&mut self, record: &StepRecord) {
        (**self).step_finished(record);
    }
}

/// Keeps every record.
impl Observer for Vec<StageRecord> {
    fn stage_finished(&mut self, record: &StageRecord) {
        self.push(*record);
    }
}

/// An engine's view of an observer: one that wants no records gets finished pairs in batches, so that
/// a pair costs it nothing.
pub(crate) struct InBatches<'run> {
    observer: &'run mut dyn Observer,
    wants_records: bool,
    unreported: u64, // pairs, below BATCH
}

impl<'run> InBatches<'run> {
    const BATCH: u64 = 1 << 16;

    pub(crate) fn new(observer: &'run mut dyn Observer) -> Self {
        let wants_records = observer.wants_records();
        Self { observer, wants_records, unreported: 0 }
    }

    fn report(&mut self) {
        let count = std::mem::take(&mut self.unreported);
        self.observer.pairs_finished(count);
    }
}

impl Observer for InBatches<'_> {
    #[inline]
    fn stage_finished(&mut self, record: &StageRecord) {
        if self.wants_records {
            self.observer.stage_finished(record);
            return;
        }
        self.unreported += 1;
        if self.unreported == Self::BATCH {
            self.report();
        }
    }

    fn wants_records(&self) -> bool {
        self.wants_records
    }

    fn pairs_finished(&mut self, count: u64) {
        self.observer.pairs_finished(count);
    }

    fn part_finished(&mut self, task: RankTask) {
        self.observer.part_finished(task);
    }

    fn wants(&self, detail: Detail) -> bool {
        self.observer.wants(detail)
    }

    fn details_finished(&mut self, details: DetailList) {
        self.observer.details_finished(details);
    }

    fn step_finished(&mut self, record: &StepRecord) {
        self.observer.step_finished(record);
    }
}

impl Drop for InBatches<'_> {
    fn drop(&mut self) {
        if self.unreported > 0 {
            self.report();
        }
    }
}
