//! Threads for every command that computes much, and runs with a progress bar: what `run` and `compare` share.

use cubefold_experiment::{FinishedRun, KeepRecords, Progress, Run, execute_runs};
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::{
    arguments::SharedOptions,
    failure::Failure,
    progress_bar::{Show, watch},
};

/// A pool of so many threads.
pub(super) fn pool(threads: usize) -> Result<ThreadPool, Failure> {
    ThreadPoolBuilder::new().num_threads(threads).build().map_err(|error| {
        Failure::usage(format!("cannot start {threads} threads: {error}"), "ask for fewer with --threads")
    })
}

/// Executes all runs in parallel and returns what `finish` makes of each, in their order.
///
/// `at_once` runs are at work at a time. With records kept, no more than those are held at a time either:
/// `deliver` gets each batch, with the place of its first run, before the next begins.
pub(super) fn execute_all<T: Send>(
    runs: &[&Run],
    at_once: usize,
    keep: KeepRecords,
    shared: &SharedOptions,
    finish: impl Fn(&Run, FinishedRun) -> T + Sync,
    mut deliver: impl FnMut(usize, Vec<T>) -> Result<(), Failure> + Send,
) -> Result<(), Failure> {
    let pool = pool(at_once)?;
    let progress = Progress::default();
    let batch = match keep {
        KeepRecords::Yes => at_once,
        KeepRecords::No => runs.len().max(1),
    };
    watch(Show::unless(shared.quiet), Progress::total(runs), &progress, || {
        for (number, some) in runs.chunks(batch).enumerate() {
            let first = number * batch;
            let finished = pool.install(|| execute_runs(some, first, keep, &progress, &finish));
            deliver(first, finished.map_err(Failure::Run)?)?;
        }
        Ok(())
    })
}
