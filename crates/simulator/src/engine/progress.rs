//! The progress of each process, and the messages that it has received.
//!
//! Under rendezvous the messages to a process are of the stage in which it is ready. Eager messages
//! may arrive before: their receipts are kept by stage until the process becomes ready in it.

use std::collections::BTreeMap;

use cubefold_mapping::ProcessId;
use prefetch_index::prefetch_index;

use super::{MessageRecord, ReceivedMessage};
use crate::{Cycle, Cycles, StageRecord};

/// The state of all processes.
#[derive(Debug)]
pub(crate) struct Progress {
    all: Vec<ProcessState>,
    early: BTreeMap<(ProcessId, u32), Received>, // of stages in which the process is not ready yet
    unfinished: usize,                           // processes
    latest_end: Cycle,                           // of a process, so far
}

/// The state of a process, in one cache line.
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
struct ProcessState {
    ready: Cycle, // the cycle at which it became ready last
    stages: u32,  // in which it has become ready; after the last stage `ENDED`
    received: Received,
}

/// The messages of a stage that a process has received, or waits for.
#[derive(Debug, Clone, Copy)]
struct Received {
    awaited: i64, // the messages still to be received, less those that were received early
    last: Option<Receipt>,
}

#[derive(Debug, Clone, Copy)]
struct Receipt {
    cycle: Cycle,
    source: ProcessId,
    start: Cycle,     // at which the message set out
    transfer: Cycles, // without contention
}

const ENDED: u32 = u32::MAX;

impl Received {
    const NONE: Self = Self { awaited: 0, last: None };

    /// Adds a receipt. The message that counts is the one received last, or of several in one cycle the one with
    /// the smallest source.
    fn add(&mut self, receipt: Receipt) {
        self.awaited -= 1;
        let counts = |last: &Receipt| receipt.cycle > last.cycle || receipt.source < last.source;
        if self.last.as_ref().is_none_or(counts) {
            self.last = Some(receipt);
        }
    }
}

impl ProcessState {
    /// Before its first stage.
    const NEW: Self = Self { ready: Cycle::START, stages: 0, received: Received::NONE };
}

impl Progress {
    const IN_CACHE: usize = 1 << 12;

    /// `processes` processes before their first stage.
    pub(crate) fn new(processes: usize) -> Self {
        let all = vec![ProcessState::NEW; processes];
        Self { all, early: BTreeMap::new(), unfinished: processes, latest_end: Cycle::START }
    }

    /// All processes are before their first stage again.
    pub(crate) fn reset(&mut self) {
        self.all.fill(ProcessState::NEW);
        self.early.clear();
        (self.unfinished, self.latest_end) = (self.all.len(), Cycle::START);
    }

    /// Whether the records fit in the L2 cache: then they are not worth a prefetch.
    #[inline]
    pub(crate) fn fit_in_cache(&self) -> bool {
        self.all.len() <= Self::IN_CACHE
    }

    pub(crate) fn process_count(&self) -> usize {
        self.all.len()
    }

    #[inline]
    pub(crate) fn prefetch(&self, process: ProcessId) {
        prefetch_index(&self.all, process.label() as usize);
    }

    /// Prefetches the records of some processes, unless all fit in the L2 cache.
    #[inline]
    pub(crate) fn prefetch_all(&self, processes: &[ProcessId]) {
        if !self.fit_in_cache() {
            for &process in processes {
                self.prefetch(process);
            }
        }
    }

    pub(crate) fn bytes(processes: u64) -> u64 {
        processes.saturating_mul(size_of::<ProcessState>() as u64)
    }

    /// The stage in which the process becomes ready next.
    pub(crate) fn next_stage(&self, process: ProcessId) -> usize {
        self.all[process.label() as usize].stages as usize
    }

    pub(crate) fn was_ready(&self, process: ProcessId, stage: usize) -> bool {
        self.all[process.label() as usize].stages as usize > stage
    }

    /// The process becomes ready next in this stage, not before any in which it was ready.
    pub(crate) fn begin_at(&mut self, process: ProcessId, stage: u32) {
        self.all[process.label() as usize].stages = stage;
    }

    /// The process becomes ready in its next stage, which is returned.
    pub(crate) fn become_ready(&mut self, process: ProcessId, now: Cycle) -> usize {
        let state = &mut self.all[process.label() as usize];
        let stage = state.stages;
        state.stages += 1;
        state.ready = now;
        state.received = self.early.remove(&(process, stage)).unwrap_or(Received::NONE);
        stage as usize
    }

    /// Sets the number of messages of the stage in which the process has become ready; returns
    /// whether all of them have been received.
    pub(crate) fn await_messages(&mut self, process: ProcessId, count: usize) -> bool {
        let state = &mut self.all[process.label() as usize];
        state.received.awaited += i64::try_from(count).unwrap_or(i64::MAX); // at most the number of processes
        state.received.awaited == 0
    }

    /// A process receives a message of a stage; returns whether the stage is over for it.
    pub(super) fn receive(&mut self, process: ProcessId, message: &ReceivedMessage, now: Cycle) -> bool {
        let MessageRecord { start, stage, source, .. } = message.record;
        let receipt = Receipt { cycle: now, source, start, transfer: message.transfer };
        let state = &mut self.all[process.label() as usize];
        if state.stages > stage {
            state.received.add(receipt);
            return state.received.awaited == 0;
        }
        self.early.entry((process, stage)).or_insert(Received::NONE).add(receipt);
        false
    }

    /// A process has sent a message of the stage in which it is ready, which it awaited; returns whether the stage is over
    /// for it.
    pub(crate) fn sent(&mut self, process: ProcessId) -> bool {
        let received = &mut self.all[process.label() as usize].received;
        received.awaited -= 1;
        received.awaited == 0
    }

    /// The stage in which the process became ready last.
    pub(crate) fn stage(&self, process: ProcessId) -> usize {
        self.all[process.label() as usize].stages as usize - 1
    }

    /// The record of the stage that a process ends at `finish`, in which its messages cost `overhead`; it has shared no
    /// processor.
    ///
    /// The time from `ready` to `finish` without overhead is first waiting, then transfer, up to the values that they
    /// have for the message received last.
    #[inline]
    pub(crate) fn record(&self, process: ProcessId, finish: Cycle, overhead: Cycles) -> StageRecord {
        let ProcessState { ready, stages, received } = self.all[process.label() as usize];
        let (start, alone) = received.last.map_or((ready, Cycles::ZERO), |last| (last.start, last.transfer));
        let left = (finish - ready).get() - overhead.get();
        let waiting = (start.max(ready) - ready).get().min(left);
        let transfer = Cycles::new(alone.get().min(left - waiting));
        let start = start.min(ready + Cycles::new(waiting));
        let times = [ready, start, finish].map(Cycle::get);
        let plain = StageRecord::plain(process, stages as usize - 1, times, transfer.get());
        StageRecord { overlapped: alone - transfer, overhead, ..plain }
    }

    /// The process finishes its last stage at `now`, not before any other so far.
    pub(crate) fn end(&mut self, process: ProcessId, now: Cycle) {
        self.all[process.label() as usize].stages = ENDED;
        self.unfinished -= 1;
        self.latest_end = now;
    }

    /// Whether all processes have finished their last stages.
    #[inline]
    pub(crate) fn is_over(&self) -> bool {
        self.unfinished == 0
    }

    /// The latest cycle at which a process finished its last stage.
    pub(crate) fn latest_end(&self) -> Cycle {
        self.latest_end
    }

    /// The first process that has not finished its last stage.
    pub(crate) fn unfinished(&self) -> Option<ProcessId> {
        let mut labelled = ProcessId::first(self.all.len() as u64).zip(&self.all);
        labelled.find(|(_, state)| state.stages != ENDED).map(|(process, _)| process)
    }
}
