//! Helpers for unit tests of several modules: scenarios from texts.

#[path = "../../scenario/src/tests/scenario_files.rs"]
mod scenario_files;

use std::io::Cursor;

use cubefold_records::{FinishedRun, RunRecord};
use cubefold_scenario::{CheckedScenarios, Run, Scenario, ScenarioError, ScenarioErrors, check_with, load};
use rayon::{ThreadPool, ThreadPoolBuilder};

pub(crate) use self::scenario_files::{Files, RING, errors, scenario};
use crate::{
    KeepRecords, Progress, Resources, execute,
    journal::{Journal, Shard, SweepPlan},
};

/// Resources that are enough for all tests.
pub(crate) const RESOURCES: Resources = Resources { threads: 2, memory: 1 << 30, ranks: None };

/// The runs of a scenario.
pub(crate) fn runs(text: &str) -> Vec<Run> {
    scenario(text).runs
}

/// Two link modes, two computations and three embeddings on a ring of 8: twelve runs.
pub(crate) fn twelve_runs() -> Vec<Run> {
    runs(
        "[machine]\nkind = \"ring\"\nshape = [8]\n[sweep]\n\
         \"machine.links\" = [\"full-duplex\", \"half-duplex\"]\n\"program.compute_cycles\" = [0, 3]\n",
    )
}

/// A run, executed as the first of its list, without the records of its processes.
pub(crate) fn finished(run: &Run) -> FinishedRun {
    execute(run, 0, KeepRecords::No, &Progress::default()).unwrap()
}

/// The record of a run as the first of its list.
pub(crate) fn record(run: &Run) -> RunRecord {
    record_at(run, 0)
}

/// The record of a run at a place of its list.
pub(crate) fn record_at(run: &Run, place: usize) -> RunRecord {
    RunRecord::new(run, place, &execute(run, place, KeepRecords::No, &Progress::default()).unwrap())
}

/// A pool of two threads.
pub(crate) fn pool() -> ThreadPool {
    ThreadPoolBuilder::new().num_threads(2).build().unwrap()
}

/// An empty journal in memory.
pub(crate) fn journal_in_memory(runs: &[&Run], shard: Shard) -> Journal<Cursor<Vec<u8>>> {
    Journal::begin(Cursor::new(vec![]), &SweepPlan::new(runs).unwrap(), shard).unwrap()
}
