//! Thread pools of commands, and runs with a progress bar: sweeps for `run` and `compare`, finished runs for pictures and
//! reports.

use std::sync::{Mutex, PoisonError};

use cubefold_formats::input::printable;
use cubefold_records::{FinishedRun, RunRecord};
use cubefold_runs::{
    KeepRecords, Means, Permit, Progress, Resources, RunError, check_runs, execute_runs, useful_threads,
};
use cubefold_scenario::Run;
use rayon::{ThreadPool, ThreadPoolBuilder};

use super::row_files::{FinishedRows, KeptRows, RowFiles};
use crate::{
    arguments::SharedOptions,
    failure::Failure,
    output::say,
    progress_bar::{Work, watch},
    sweep_output::SweepOutput,
};

pub(super) fn pool(threads: usize) -> Result<ThreadPool, Failure> {
    ThreadPoolBuilder::new().num_threads(threads).build().map_err(|error| {
        Failure::usage(format!("cannot start {threads} threads: {error}"), "ask for fewer with --threads")
    })
}

/// A pool with the number of threads that these runs can use.
pub(super) fn pool_for(runs: &[&Run], resources: Resources) -> Result<ThreadPool, Failure> {
    pool(useful_threads(runs, resources.threads))
}

/// Executes the runs that `output` lacks and adds each to it as soon as it is finished. A run that fails does not stop the
/// others. Rows, if requested, are added in the order of the runs.
pub(super) fn execute_sweep<'run>(
    runs: &[(usize, &'run Run)],
    output: &SweepOutput,
    rows: Option<(KeepRecords, &mut RowFiles<'run>)>,
    shared: &SharedOptions,
    resources: Resources,
) -> Result<(), Failure> {
    let missing = output.missing();
    if let Some(loss) = output.loss().filter(|_| !shared.quiet) {
        say(&format!("note: {}", printable(&loss)));
    }
    let missing: Vec<(usize, &Run)> =
        runs.iter().copied().filter(|(place, _)| missing.binary_search(place).is_ok()).collect();
    let asked: Vec<&Run> = missing.iter().map(|&(_, run)| run).collect();
    let (pool, progress) = (pool_for(&asked, resources)?, Progress::default());
    let (keep, rows) = rows.map_or((KeepRecords::No, None), |(keep, rows)| (keep, Some(Mutex::new(rows))));
    let means = Means { pool: &pool, resources, keep, progress: &progress };
    let failed = Mutex::new(vec![]);
    let deliver = |place: usize, finished: Result<FinishedRun, RunError>, permit: Permit| {
        let run = runs[runs.partition_point(|&(other, _)| other < place)].1;
        let kept = match finished {
            Ok(finished) => {
                output.append(place, &RunRecord::new(run, place, &finished))?;
                KeptRows::from(finished)
            }
            Err(error) => {
                failed.lock().unwrap_or_else(PoisonError::into_inner).push((place, error));
                KeptRows::default()
            }
        };
        let Some(rows) = &rows else { return Ok(()) };
        let mut rows = rows.lock().unwrap_or_else(PoisonError::into_inner);
        rows.add(place, FinishedRows { run, kept, permit })
    };
    let work = Work::runs(Progress::total(&asked), output.run_count() - missing.len(), output.run_count());
    watch(shared, work, &progress, || execute_runs(means, &missing, deliver))
        .map_err(|failure| failure.keeping(output.journal()))?;
    let mut failed = failed.into_inner().unwrap_or_else(PoisonError::into_inner);
    failed.sort_by_key(|(place, _)| *place);
    if failed.is_empty() { Ok(()) } else { Err(output.failure(failed)) }
}

/// Executes runs; returns them in order.
pub(super) fn finished(
    runs: &[&Run],
    keep: KeepRecords,
    shared: &SharedOptions,
) -> Result<Vec<FinishedRun>, Failure> {
    in_order(runs, keep, shared, |_, finished| finished)
}

/// Executes runs and applies `then` to each; returns the results in order.
fn in_order<T: Send>(
    runs: &[&Run],
    keep: KeepRecords,
    shared: &SharedOptions,
    then: impl Fn(usize, FinishedRun) -> T + Sync,
) -> Result<Vec<T>, Failure> {
    let places: Vec<usize> = (0..runs.len()).collect();
    Ok(each_finished(runs, &places, keep, shared, then)?.into_iter().map(|(_, made)| made).collect())
}

/// The records of runs, in order.
pub(super) fn records(runs: &[&Run], shared: &SharedOptions) -> Result<Vec<RunRecord>, Failure> {
    let record = |place: usize, finished: FinishedRun| RunRecord::new(runs[place], place, &finished);
    in_order(runs, KeepRecords::No, shared, record)
}

/// A finished run with its record.
pub(super) type RecordedRun = (RunRecord, FinishedRun);

/// Executes the runs at these places; returns them with their records, by place.
pub(super) fn recorded_at(
    runs: &[&Run],
    places: &[usize],
    keep: KeepRecords,
    shared: &SharedOptions,
) -> Result<Vec<(usize, RecordedRun)>, Failure> {
    each_finished(runs, places, keep, shared, |place, finished| {
        (RunRecord::new(runs[place], place, &finished), finished)
    })
}

/// Executes the runs at these places and applies `then` to each as soon as it is finished, while its memory still counts;
/// returns the results by place.
fn each_finished<T: Send>(
    runs: &[&Run],
    places: &[usize],
    keep: KeepRecords,
    shared: &SharedOptions,
    then: impl Fn(usize, FinishedRun) -> T + Sync,
) -> Result<Vec<(usize, T)>, Failure> {
    let resources = shared.resources();
    let chosen: Vec<(usize, &Run)> = places.iter().map(|&place| (place, runs[place])).collect();
    let asked: Vec<&Run> = chosen.iter().map(|&(_, run)| run).collect();
    check_runs(&asked, resources, keep).map_err(Failure::Refused)?;
    let (pool, progress) = (pool_for(&asked, resources)?, Progress::default());
    let means = Means { pool: &pool, resources, keep, progress: &progress };
    let done = Mutex::new(vec![]);
    let deliver = |place: usize, finished: Result<FinishedRun, RunError>, _: Permit| {
        let finished = finished.map_err(|error| Failure::Runs {
            failed: vec![(place, error)],
            of: runs.len(),
            kept: None,
        })?;
        let made = then(place, finished);
        done.lock().unwrap_or_else(PoisonError::into_inner).push((place, made));
        Ok(())
    };
    let work = Work::runs(Progress::total(&asked), 0, asked.len());
    watch(shared, work, &progress, || execute_runs(means, &chosen, deliver))?;
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_by_key(|(place, _)| *place);
    Ok(done)
}
