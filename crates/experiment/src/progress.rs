//! How far runs have come.

use std::sync::atomic::{AtomicU64, Ordering};

use cubefold_simulator::{Observer, StageRecord};

use crate::scenario::Run;

/// How far runs have come, for whoever shows it: in (process, stage) pairs, and in whole runs.
#[derive(Debug, Default)]
pub struct Progress {
    done: AtomicU64,
    runs: AtomicU64,
}

impl Progress {
    /// So many more are over.
    pub fn add(&self, done: u64) {
        self.done.fetch_add(done, Ordering::Relaxed);
    }

    /// The pairs that are over.
    #[must_use]
    pub fn done(&self) -> u64 {
        self.done.load(Ordering::Relaxed)
    }

    /// One more run is over.
    pub(crate) fn run_over(&self) {
        self.runs.fetch_add(1, Ordering::Relaxed);
    }

    /// The runs that are over.
    #[must_use]
    pub fn runs_done(&self) -> u64 {
        self.runs.load(Ordering::Relaxed)
    }

    /// The pairs of all these runs.
    #[must_use]
    pub fn total(runs: &[&Run]) -> u64 {
        runs.iter().map(|run| run.program.pair_count()).fold(0, u64::saturating_add)
    }
}

/// Counts what is over, and tells the progress now and then.
pub(crate) struct Meter<'run> {
    progress: &'run Progress,
    untold: u64,
}

impl<'run> Meter<'run> {
    const TELL_AFTER: u64 = 1 << 16;

    pub(crate) fn new(progress: &'run Progress) -> Self {
        Self { progress, untold: 0 }
    }

    fn tell(&mut self) {
        self.progress.add(std::mem::take(&mut self.untold));
    }
}

impl Observer for Meter<'_> {
    fn stage_finished(&mut self, _: &StageRecord) {
        self.untold += 1;
        if self.untold == Self::TELL_AFTER {
            self.tell();
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
        self.tell();
    }
}
