//! Failing runs, and results that runs share.

use std::{convert::Infallible, sync::Mutex};

use cubefold_records::RunRecord;

use super::*;
use crate::{
    journal::Shard,
    support::{RESOURCES, journal_in_memory, pool, records, twelve_runs},
};

/// Index of the run that the test makes fail: by an error, and by a panic.
const FAILING: usize = 2;
const STOPPING: usize = 7;

#[test]
fn a_run_that_fails_midway_leaves_the_others_in_the_journal() {
    let (pool, progress, all) = (pool(), Progress::default(), twelve_runs());
    let runs: Vec<&Run> = all.iter().collect();
    let asked: Vec<(usize, &Run)> = runs.iter().copied().enumerate().collect();
    let (journal, failed) = (journal_in_memory(&runs, Shard::WHOLE), Mutex::new(vec![]));
    let means = Means { pool: &pool, resources: RESOURCES, keep: KeepRecords::No, progress: &progress };
    let deliver = |place: usize, finished: Result<FinishedRun, RunError>, _: Permit| {
        match finished {
            Ok(finished) => journal.append(place, &RunRecord::new(runs[place], place, &finished)).unwrap(),
            Err(error) => failed.lock().unwrap().push((place, error.to_string())),
        }
        Ok::<(), Infallible>(())
    };
    let execute = |run: &Run, place, way: RunWay<'_>, progress: &Progress, metrics| {
        let finished = execute_measured(run, place, way, progress, metrics)?;
        match place {
            FAILING => {
                let run = RunName::new(run, place);
                Err(RunError::Contradiction { run, makespan: 1, blocked: 0, predicted: 2 })
            }
            STOPPING => panic!("a defect after {} cycles", finished.outcome.summary.makespan().get()),
            _ => Ok(finished),
        }
    };
    each_run(means, &asked, execute, deliver).unwrap_or_else(|never| match never {});
    assert_eq!(journal.missing(), [FAILING, STOPPING]);
    assert_eq!(progress.runs_done(), 12);
    let mut failed = failed.into_inner().unwrap();
    failed.sort();
    assert_eq!(failed.iter().map(|(place, _)| *place).collect::<Vec<_>>(), [FAILING, STOPPING]);
    assert!(failed[0].1.starts_with("run 2 of \"s\" with byweight took 1 cycles"), "{failed:?}");
    assert!(failed[1].1.contains("run 7 of \"s\" with xor stopped: a defect after"), "{failed:?}");

    // Only missing runs are executed again, and the journal then holds the same results as single executions.
    let deliver = |place: usize, finished: Result<FinishedRun, RunError>, _: Permit| {
        journal.append(place, &RunRecord::new(runs[place], place, &finished.unwrap()))
    };
    let missing: Vec<(usize, &Run)> =
        journal.missing().into_iter().map(|place| (place, runs[place])).collect();
    execute_runs(means, &missing, deliver).unwrap();
    assert_eq!(progress.runs_done(), 14);
    let found: Vec<RunRecord> = journal.records().map(Result::unwrap).collect();
    assert_eq!(found, records(&all));
}

#[test]
fn no_run_is_begun_once_results_cannot_be_kept() {
    let (pool, progress, all) = (pool(), Progress::default(), twelve_runs());
    let many: Vec<(usize, &Run)> = all.iter().cycle().take(600).enumerate().collect();
    let means = Means { pool: &pool, resources: RESOURCES, keep: KeepRecords::No, progress: &progress };
    let result = execute_runs(means, &many, |place, _, _| Err(place));
    assert!(result.unwrap_err() < 8, "the first ones fail");
    assert!(progress.runs_done() < 20, "{} runs were made", progress.runs_done());
}

#[test]
fn metrics_that_runs_share_are_measured_once_and_are_those_of_each() {
    let (pool, progress, all) = (pool(), Progress::default(), twelve_runs());
    let runs: Vec<&Run> = all.iter().collect();
    let shared_by_two = |runs: &[&Run]| {
        let groups = groups(runs, 2);
        let routes = RouteTables::default();
        SharedMetrics::measure(&pool, &groups, runs.len(), (RESOURCES, &routes), &progress)
    };
    let mut shared = shared_by_two(&runs);
    let metrics: Vec<Arc<PlacementMetrics>> = (0..12).map(|place| shared.take(place).unwrap()).collect();
    for (place, this) in metrics.iter().enumerate() {
        assert_eq!(**this, *measure(runs[place]));
        // Three embeddings, varying fastest.
        for (other, that) in metrics.iter().enumerate() {
            assert_eq!(Arc::ptr_eq(this, that), place % 3 == other % 3, "runs {place} and {other}");
        }
    }
    let mut of_four = shared_by_two(&runs[..4]);
    let measured = [0, 1, 2, 3].map(|place| of_four.take(place).is_some());
    assert_eq!(measured, [true, false, false, true], "a placement of one run is left to the run");
}

#[test]
fn runs_that_are_measured_are_measured_once() {
    let (pool, progress, all) = (pool(), Progress::default(), twelve_runs());
    let runs: Vec<&Run> = all.iter().collect();
    let entries = measure_runs(&pool, &runs, RESOURCES, &progress);
    assert_eq!(progress.done(), 12, "every run is counted, whoever measured for it");
    let mut alone: Vec<_> =
        runs.iter().flat_map(|run| measure_runs(&pool, &[run], RESOURCES, &progress)).collect();
    (0..).zip(&mut alone).for_each(|(place, entry)| entry.run = place);
    assert_eq!(entries, alone);
}
