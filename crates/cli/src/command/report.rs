//! `cubefold report`: one page that shows a scenario's runs.

use std::{borrow::Cow, io::Write};

use cubefold_formats::input::{Bytes, exact_mean::exact_mean};
use cubefold_picture::{
    AnimatedRun, MAX_RUNS, PictureError, ReportedRun, animated_in_report, report as page_of,
};
use cubefold_records::{FinishedRun, RunRecord, counted};
use cubefold_runs::{KeepRecords, Reference, check_runs};
use cubefold_scenario::{Run, Scenario};
use cubefold_simulator::StageRecord;

use super::{
    draw::{group_and_bar, refused},
    execution::{RecordedRun, finished, recorded_at},
};
use crate::{
    arguments::{FileOption, SharedOptions},
    failure::Failure,
    format::check_extension,
    grouping::run_names,
    output::Output,
};

/// The most pairs of process and stage for which a space-time diagram is drawn.
const MAX_PAIRS: u64 = 1 << 18;

/// The memory used to build the page and its pictures \[bytes\]; measured on pages at the limit of their size.
const BYTES_OF_PAGE: u64 = 12 << 20;
/// The memory per run, its stages and its links apart \[bytes\].
const BYTES_A_RUN: u64 = 32 << 10;
/// The memory per stage of a run \[bytes\].
const BYTES_A_STAGE: u64 = 1 << 10;
/// The memory per link of the machine of a run \[bytes\].
const BYTES_A_LINK: u64 = 256;

pub(super) fn report(options: &FileOption, shared: &SharedOptions) -> Result<(), Failure> {
    check_extension(shared.output(), &["html", "htm"])?;
    let scenarios = options.load(shared)?;
    let scenario = &scenarios[0];
    let runs: Vec<&Run> = scenario.runs.iter().collect();
    if runs.len() > MAX_RUNS {
        return Err(refused(PictureError::TooManyRuns { found: runs.len(), most: MAX_RUNS }));
    }
    let output = Output::open(shared, &scenarios)?;
    let records = memory_for_records(&runs, shared.resources().memory)?;
    let finished = all_finished(&runs, records, shared)?;
    let counted: Vec<Cow<'_, Run>> =
        runs.iter().zip(&finished).map(|(run, (_, finished))| finished.run_that_counts(run)).collect();
    let named = run_names(&scenario.runs).into_iter().zip(&counted).zip(finished);
    let reported = named.map(|((name, run), (record, finished))| {
        let (group, bar) = group_and_bar(run);
        ReportedRun { name, group, bar, run, record, finished }
    });
    let mut reported: Vec<_> = reported.collect();
    compare(scenario, &mut reported);
    let moving = link_by_link(&runs, shared)?;
    let animated: Vec<AnimatedRun<'_>> = moving
        .iter()
        .map(|(place, finished)| AnimatedRun::new(&reported[*place].name, reported[*place].run, finished))
        .collect();
    let page = page_of(scenario, &reported, &animated).map_err(refused)?;
    output.write(|output| output.write_all(page.as_bytes()))
}

/// The runs that the page animates, by their places, executed once more link by link; empty if memory is short.
fn link_by_link(runs: &[&Run], shared: &SharedOptions) -> Result<Vec<(usize, FinishedRun)>, Failure> {
    let places = animated_in_report(runs);
    let asked: Vec<&Run> = places.iter().map(|&place| runs[place]).collect();
    if check_runs(&asked, shared.resources(), KeepRecords::WithTransmissions).is_err() {
        return Ok(vec![]);
    }
    Ok(places.into_iter().zip(finished(&asked, KeepRecords::WithTransmissions, shared)?).collect())
}

/// Sets every run's ratio to the first algorithm if only algorithms differ, else to the first run of its combination.
fn compare(scenario: &Scenario, runs: &mut [ReportedRun<'_>]) {
    match Reference::of(scenario, None) {
        Ok(reference @ Reference::Algorithm(_)) => {
            let makespans: Vec<Option<u64>> = runs.iter().map(|run| run.record.makespan_cycles).collect();
            let of_reference = reference.makespans(&scenario.runs, &makespans);
            for (run, reference) in runs.iter_mut().zip(of_reference) {
                run.record.ratio_to_reference = ratio(&run.record, reference);
            }
        }
        Ok(Reference::Embedding(_)) | Err(_) => compare_with_first(runs),
    }
}

/// Sets every run's ratio to the first one of its combination, if there are others.
fn compare_with_first(runs: &mut [ReportedRun<'_>]) {
    for group in runs.chunk_by_mut(|one, next| one.run.combination == next.run.combination) {
        let has_rivals = group.len() > 1;
        let first = group[0].record.makespan_cycles;
        for run in group.iter_mut().filter(|_| has_rivals) {
            run.record.ratio_to_reference = ratio(&run.record, first);
        }
    }
}

/// The makespan of a run over that of its reference, if both have one.
fn ratio(record: &RunRecord, reference: Option<u64>) -> Option<f64> {
    exact_mean(record.makespan_cycles?.into(), reference?.into())
}

/// The remaining memory for the records of processes, which are kept until the page is written \[bytes\].
///
/// # Errors
///
/// If the page does not fit without them.
fn memory_for_records(runs: &[&Run], limit: u64) -> Result<u64, Failure> {
    let of_run = |run: &&Run| {
        let (stages, links) = (run.program.body.stage_count() as u64, run.machine.link_count());
        let bytes = stages.saturating_mul(BYTES_A_STAGE).saturating_add(links.saturating_mul(BYTES_A_LINK));
        bytes.saturating_add(BYTES_A_RUN)
    };
    // One run takes no more than any other command.
    let needed = runs.iter().skip(1).map(of_run).fold(0, u64::saturating_add);
    let needed = if runs.len() > 1 { needed.saturating_add(BYTES_OF_PAGE) } else { 0 };
    limit.checked_sub(needed).ok_or_else(|| {
        let message = format!(
            "a report of {} needs about {}, expected at most {}",
            counted(runs.len() as u64, "run"),
            Bytes(needed),
            Bytes(limit)
        );
        Failure::usage(message, "give it more with --memory-limit, or sweep fewer values")
    })
}

/// Executes all runs, in order, with the records of all processes if they are few enough to be drawn, and together within
/// `memory` bytes.
fn all_finished(runs: &[&Run], memory: u64, shared: &SharedOptions) -> Result<Vec<RecordedRun>, Failure> {
    let pairs =
        |run: &Run| run.program.body.process_count().saturating_mul(run.program.body.stage_count() as u64);
    let mut left = memory / 2 / size_of::<StageRecord>() as u64;
    let mut is_drawn = |&place: &usize| {
        let count = pairs(runs[place]);
        let fits = count <= MAX_PAIRS.min(left);
        left -= if fits { count } else { 0 };
        fits
    };
    let (drawn, others): (Vec<usize>, Vec<usize>) = (0..runs.len()).partition(|place| is_drawn(place));
    let mut finished = recorded_at(runs, &drawn, KeepRecords::Yes, shared)?;
    finished.extend(recorded_at(runs, &others, KeepRecords::No, shared)?);
    finished.sort_by_key(|(place, _)| *place);
    Ok(finished.into_iter().map(|(_, finished)| finished).collect())
}
