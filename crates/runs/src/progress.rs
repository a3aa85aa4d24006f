//! The progress of runs.

use std::sync::atomic::{AtomicU64, Ordering};

use cubefold_scenario::Run;
use cubefold_simulator::{Observer, StageRecord};

use crate::runner::pair_count;

/// The progress of runs, in (process, stage) pairs and in whole runs.
#[derive(Debug, Default)]
pub struct Progress {
    done: AtomicU64,
    runs: AtomicU64,
}

impl Progress {
    /// Adds finished pairs.
    pub fn add(&self, done: u64) {
        self.done.fetch_add(done, Ordering::Relaxed);
    }

    /// Number of finished pairs.
    #[must_use]
    pub fn done(&self) -> u64 {
        self.done.load(Ordering::Relaxed)
    }

    /// Adds a finished run.
    pub fn run_over(&self) {
        self.runs.fetch_add(1, Ordering::Relaxed);
    }

    /// Number of finished runs.
    #[must_use]
    pub fn runs_done(&self) -> u64 {
        self.runs.load(Ordering::Relaxed)
    }

    /// Number of pairs of all these runs.
    #[must_use]
    pub fn total(runs: &[&Run]) -> u64 {
        runs.iter().map(|run| pair_count(run)).fold(0, u64::saturating_add)
    }
}

/// Counts finished pairs, and reports them to the progress in batches.
pub(crate) struct Meter<'run> {
    progress: &'run Progress,
    unreported: u64,
}

impl<'run> Meter<'run> {
    const BATCH: u64 = 1 << 16;

    pub(crate) fn new(progress: &'run Progress) -> Self {
        Self { progress, unreported: 0 }
    }

    fn report(&mut self) {
        self.progress.add(std::mem::take(&mut self.unreported));
    }
}

impl Observer for Meter<'_> {
    fn stage_finished(&mut self, _: &StageRecord) {
        self.unreported += 1;
        if self.unreported == Self::BATCH {
            self.report();
        }
    }

    fn wants_records(&self) -> bool {
        false
    }

    fn pairs_finished(&mut self, count: u64) {
        self.progress.add(count);
    }
}

impl Drop for Meter<'_> {
    fn drop(&mut self) {
        self.report();
    }
}
