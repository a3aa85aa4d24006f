//! Many runs at once: what they have in common is computed once, and none holds up another that fits beside it.

use std::{
    any::Any,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Mutex, PoisonError},
};

use cubefold_mapping::PlacementMetrics;
use rayon::ThreadPool;

use crate::{
    KeepRecords, Progress, RunError,
    admission::Permit,
    export::{MachineRecord, PlacementEntry, PlacementRecord, ProgramRecord},
    job::{Job, do_jobs},
    memory::bytes_to_run,
    runner::{FinishedRun, execute_measured},
    scenario::Run,
    shared_metrics::{SharedMetrics, measure},
};

/// How runs are to be executed.
#[derive(Debug, Clone, Copy)]
pub struct Resources {
    /// The most threads.
    pub threads: usize,
    /// The most memory \[bytes\].
    pub memory: u64,
}

/// What runs are executed with.
#[derive(Debug, Clone, Copy)]
pub struct Means<'means> {
    /// The threads, which runs may also use inside.
    pub pool: &'means ThreadPool,
    /// The memory that all runs at work may take together.
    pub resources: Resources,
    /// Whether the records of all processes and stages are kept.
    pub keep: KeepRecords,
    /// What is told how far the runs have come.
    pub progress: &'means Progress,
}

/// Executes those of the runs that stand at `places`, as many at a time as threads and memory allow, and
/// hands what each came to to `deliver` as soon as it is over: in parallel, in no order. The others go on
/// when one fails.
///
/// The memory of a run counts as taken until `deliver` drops its permit.
///
/// # Errors
///
/// The first error of `deliver`; no further run is begun then.
pub fn execute_runs<E: Send>(
    means: Means<'_>,
    runs: &[&Run],
    places: &[usize],
    deliver: impl Fn(usize, Result<FinishedRun, RunError>, Permit) -> Result<(), E> + Sync,
) -> Result<(), E> {
    each_run(means, runs, places, execute_measured, deliver)
}

/// As [`execute_runs`], with `execute` in the place of [`execute_measured`].
fn each_run<E: Send>(
    means: Means<'_>,
    runs: &[&Run],
    places: &[usize],
    execute: impl Fn(
        &Run,
        usize,
        KeepRecords,
        &Progress,
        Option<Arc<PlacementMetrics>>,
    ) -> Result<FinishedRun, RunError>
    + Sync,
    deliver: impl Fn(usize, Result<FinishedRun, RunError>, Permit) -> Result<(), E> + Sync,
) -> Result<(), E> {
    let Means { pool, resources, keep, progress } = means;
    let asked: Vec<&Run> = places.iter().map(|&place| runs[place]).collect();
    let shared = Mutex::new(SharedMetrics::measure(pool, &asked, 2, resources, &Progress::default()));
    let job = |(place, run): (usize, &&Run)| Job { place, bytes: bytes_to_run(run, keep) };
    do_jobs(pool, asked.iter().enumerate().map(job), resources, |job, permit| {
        let (run, place) = (asked[job.place], places[job.place]);
        let metrics = shared.lock().unwrap_or_else(PoisonError::into_inner).take(job.place);
        let finished = caught(run, place, || execute(run, place, keep, progress, metrics));
        progress.run_over();
        deliver(place, finished, permit)
    })
}

/// What `work` comes to; a defect that stops it is an error of this run only.
fn caught<T>(run: &Run, place: usize, work: impl FnOnce() -> Result<T, RunError>) -> Result<T, RunError> {
    // What it shares with others are counters and finished metrics, whole at any time.
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        Err(RunError::Panicked {
            scenario: run.scenario.clone(),
            run: place,
            embedding: run.embedding.to_string(),
            message: message_of(&*panic),
        })
    })
}

/// What a panic says.
fn message_of(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("without a message").to_owned()
}

/// Measures the placements of the runs on the threads of `pool`, without running their programs; equal
/// placements are measured once. `progress` counts the runs whose placements are measured.
#[must_use]
pub fn measure_runs(
    pool: &ThreadPool,
    runs: &[&Run],
    resources: Resources,
    progress: &Progress,
) -> Vec<PlacementEntry> {
    let mut shared = SharedMetrics::measure(pool, runs, 1, resources, progress);
    let entry = |(place, run): (usize, &&Run)| {
        let metrics = shared.take(place).unwrap_or_else(|| measure(run));
        PlacementEntry {
            scenario: run.scenario.clone(),
            machine: MachineRecord::new(run),
            program: ProgramRecord::new(&run.program),
            embedding: run.embedding.to_string(),
            placement: PlacementRecord::with_distances(&metrics, &run.placement),
        }
    };
    runs.iter().enumerate().map(entry).collect()
}

#[cfg(test)]
mod tests;
