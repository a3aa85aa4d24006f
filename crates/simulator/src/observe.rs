//! What a run reports: records of every process in every stage, and what is summed from them.
//!
//! An engine reports each record, or counts of alike ones, to an [`Observer`]; sums go to a
//! [`Summary`], which is checked against the finish times at the end of every run.
//!
//! [`Summary`]: crate::Summary

pub(crate) mod accounts;
pub(crate) mod distribution;
pub(crate) mod summary;
pub(crate) mod traffic;

use cubefold_mapping::ProcessId;

use crate::{Cycle, Cycles, RankTask};

/// One process in one stage, when the stage is over for it.
///
/// ```text
/// ready ── waiting ── start ── transfer + blocked ── finish
/// ```
///
/// The message that it received last may have set out before the process was ready, when it was sent
/// eagerly: then `start` is before `ready`, and the part of the transfer that passed before `ready` is
/// overlapped (`docs/model.md` section 14).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StageRecord {
    /// The process.
    pub process: ProcessId,
    /// The stage, counted from 0.
    pub stage: usize,
    /// The time for which it waited for its node's processor \[cycles\]; 0 with one process a node.
    pub sharing: Cycles,
    /// The cycle at which its computation ended.
    pub ready: Cycle,
    /// The cycle at which the message that it received last was injected; `ready` when it receives
    /// none.
    pub start: Cycle,
    /// The cycle at which that message was received; `ready` when it receives none.
    pub finish: Cycle,
    /// The time that message takes without contention, as far as it is not overlapped \[cycles\].
    pub transfer: Cycles,
    /// The rest of that time: it passed before the process was ready \[cycles\]. 0 under rendezvous.
    pub overlapped: Cycles,
    /// The time from `finish` to the end of the stage, which a coordinated run ends for all
    /// processes at once \[cycles\]; 0 for a process that receives a message, and in an
    /// asynchronous run.
    pub idle: Cycles,
}

impl StageRecord {
    /// The time for which it waited for its partner \[cycles\].
    #[inline]
    #[must_use]
    pub fn waiting(&self) -> Cycles {
        self.begun() - self.ready
    }

    /// The time for which other messages blocked its message \[cycles\].
    #[inline]
    #[must_use]
    pub fn blocked(&self) -> Cycles {
        self.finish - self.begun() - self.transfer
    }

    /// The cycle from which its message is all that it waits for.
    #[inline]
    fn begun(&self) -> Cycle {
        self.start.max(self.ready)
    }
}

/// When an operation of a task graph began, and when it was over (`docs/model.md` section 18).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OperationTimes {
    /// The cycle at which it began: of a send, when its overhead was over.
    pub begun: Cycle,
    /// The cycle at which it was over.
    pub over: Cycle,
    /// Of a send the receive that took its message, of a receive the send; none of a computation, and of an eager
    /// send without a receive.
    pub partner: Option<u32>,
}

/// A receiver of the records of a run.
///
/// Records come in the order of the simulation: of one process by stage, otherwise as they happen.
pub trait Observer {
    /// A stage is over for a process.
    fn stage_finished(&mut self, record: &StageRecord);

    /// A record of this process will come soon: what is kept of it may be prefetched.
    #[inline]
    fn prefetch(&self, process: ProcessId) {
        let _ = process;
    }

    /// Whether it wants every record. An engine that computes many processes at a time makes
    /// records only for one that does, and reports the number of finished pairs of a process and a
    /// stage to the others.
    fn wants_records(&self) -> bool {
        true
    }

    /// So many more pairs of a process and a stage are over, of which no records are made.
    fn pairs_finished(&mut self, count: u64) {
        let _ = count;
    }

    /// The part of this rank is over, in a run that ranks divide among them: all records of its processes have been
    /// reported, and those of others will not be. The leader goes on when every rank has come back from here.
    fn part_finished(&mut self, task: RankTask) {
        let _ = task;
    }

    /// Whether it wants the times of the operations of a task graph.
    fn wants_operations(&self) -> bool {
        false
    }

    /// All operations of a task graph are over: their times, in the order of the schedule.
    fn operations_finished(&mut self, times: Vec<OperationTimes>) {
        drop(times);
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

    fn wants_operations(&self) -> bool {
        self.0.wants_operations() || self.1.wants_operations()
    }

    fn operations_finished(&mut self, times: Vec<OperationTimes>) {
        if self.0.wants_operations() {
            self.0.operations_finished(times.clone());
        }
        if self.1.wants_operations() {
            self.1.operations_finished(times);
        }
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

    fn wants_operations(&self) -> bool {
        (**self).wants_operations()
    }

    fn operations_finished(&mut self, times: Vec<OperationTimes>) {
        (**self).operations_finished(times);
    }
}

/// Keeps every record.
impl Observer for Vec<StageRecord> {
    fn stage_finished(&mut self, record: &StageRecord) {
        self.push(*record);
    }
}

/// An observer as an engine has it: to one that wants no records it reports the pairs that are over in batches, so that
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

    fn wants_operations(&self) -> bool {
        self.observer.wants_operations()
    }

    fn operations_finished(&mut self, times: Vec<OperationTimes>) {
        self.observer.operations_finished(times);
    }
}

impl Drop for InBatches<'_> {
    fn drop(&mut self) {
        if self.unreported > 0 {
            self.report();
        }
    }
}
