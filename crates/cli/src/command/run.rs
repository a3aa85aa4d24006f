//! `cubefold run`: every scenario, a row per run; and `cubefold merge`: the same from the parts of a sweep.

use std::path::PathBuf;

use cubefold_records::{Provenance, RunRecord};
use cubefold_runs::{
    KeepRecords, check_runs,
    journal::{MergeError, MergedJournals, Shard, SweepDigest, SweepPlan},
};
use cubefold_scenario::{Run, load_part};
use serde_json::Value;

use super::{
    execution,
    row_files::{RowFiles, kept_records},
};
use crate::{
    arguments::{MergeOptions, RunOptions, SharedOptions},
    failure::Failure,
    format::{OutputFormat, ResultFormat},
    grouping::{all_runs, captions, in_places, inputs, refuse_open_loop, whole_plan},
    origin::{BUILD, command_line},
    output::{Output, overwritten, regular_file},
    run_notes::write_runs,
    sweep_output::SweepOutput,
    table::{StepsShown, run_table},
};

pub(super) fn run(options: &RunOptions, shared: &SharedOptions) -> Result<(), Failure> {
    refuse_contradictions(options)?;
    // A part has its own format, regardless of its name.
    let named = shared.output().filter(|_| options.shard.is_none());
    let format = ResultFormat::decide(options.sweep.scenarios.format, named)?;
    if let Some(shard) = options.shard.filter(|_| !shared.given.is_text()) {
        return run_part(options, shared, shard);
    }
    let scenarios = options.sweep.scenarios.load(shared)?;
    options.sweep.tables.check::<RunRecord>(format, &scenarios)?;
    let runs = all_runs(&scenarios);
    if options.processes.is_some() {
        refuse_open_loop(runs.iter().copied(), "--processes")?;
    }
    let keep = kept_records(options);
    check_runs(&runs, shared.run_resources(), keep).map_err(Failure::Refused)?;
    let mut rows = RowFiles::open(options, shared, &scenarios)?;
    let plan = whole_plan(&scenarios, &runs)?;
    options.sweep.expect.check(&plan)?;
    let extra = provenance(Some(&plan.made_by(BUILD, options.command_line())));
    let output =
        SweepOutput::open(shared, &inputs(&scenarios), &plan, options.sweep.resume.found(), options.shard)?;
    execution::execute_sweep(
        &in_places(&runs),
        &output,
        rows.as_mut().map(|rows| (keep, rows)),
        shared,
        shared.run_resources(),
    )?;
    rows.map_or(Ok(()), RowFiles::finish)?;
    let steps = options.sweep.steps_shown();
    output.finish(|output, records| {
        let page = || {
            Ok(run_table(&captions(&scenarios), &records().collect::<Result<Vec<_>, _>>()?, steps, shared))
        };
        write_runs(output, (format, &options.sweep.tables), &extra, shared, records, page)
    })
}

impl RunOptions {
    /// Returns the command line for a citation; a part of a sweep is cited as the whole.
    fn command_line(&self) -> String {
        command_line("run", &self.sweep.scenarios, &[])
    }
}

/// The origin of results as a key of their document.
pub(super) fn provenance(found: Option<&Provenance>) -> Vec<(&'static str, Value)> {
    let value = |provenance| serde_json::to_value(provenance).unwrap_or_default();
    found.map(|provenance| ("provenance", value(provenance))).into_iter().collect()
}

/// Runs a part of a sweep, holding its runs only.
fn run_part(options: &RunOptions, shared: &SharedOptions, shard: Shard) -> Result<(), Failure> {
    let (files, set) = (&options.sweep.scenarios.files, &options.sweep.scenarios.set.settings);
    let resources = shared.run_resources();
    let mut digest = SweepDigest::default();
    let mut described = Ok(());
    let part = load_part(
        files,
        set,
        resources.memory,
        |run| shard.describes(run),
        |run| {
            if described.is_ok() {
                described = digest.add(run);
            }
        },
    );
    let part = part.map_err(Failure::Scenario)?;
    described.map_err(|error| Failure::output(shared.output(), error.into()))?;
    let runs: Vec<(usize, &Run)> = part.runs.iter().map(|(place, run)| (*place, run)).collect();
    let of_shard: Vec<(usize, &Run)> = runs.iter().copied().filter(|&(place, _)| shard.has(place)).collect();
    let asked: Vec<&Run> = of_shard.iter().map(|&(_, run)| run).collect();
    check_runs(&asked, resources, KeepRecords::No).map_err(Failure::Refused)?;
    let plan = SweepPlan::of_part(runs, digest).in_scenarios(part.scenarios.iter().cloned());
    options.sweep.expect.check(&plan)?;
    let origin = plan.made_by(BUILD, options.command_line());
    let plan = plan.with_provenance(origin);
    let inputs: Vec<&PathBuf> = part.inputs.iter().collect();
    let output = SweepOutput::open(shared, &inputs, &plan, options.sweep.resume.found(), Some(shard))?;
    execution::execute_sweep(&of_shard, &output, None, shared, resources)?;
    output.finish(|_, _| Ok(()))
}

/// Refuses options that contradict each other: journals and parts hold no rows of parts of runs, and parts have one
/// format.
fn refuse_contradictions(options: &RunOptions) -> Result<(), Failure> {
    for (option, _) in options.row_files().iter().filter(|row_file| row_file.1.is_some()) {
        if options.sweep.resume.resume {
            let message = format!(
                "{option} with --resume: the journal does not hold the rows of the runs that are done"
            );
            let help = format!("resume without {option}, or delete the journal and start over");
            return Err(Failure::usage(message, help));
        }
        if options.shard.is_some() {
            let message = format!("{option} with --shard: the rows of parts cannot be merged");
            return Err(Failure::usage(message, "leave out one of them"));
        }
    }
    if options.shard.is_some() && options.sweep.scenarios.format.is_some() {
        let message = "--format with --shard: a part has its own format";
        return Err(Failure::usage(message, "give the format to cubefold merge"));
    }
    if options.shard.is_some() && !options.sweep.tables.columns.is_empty() {
        let message = "--columns with --shard: a part has all columns";
        return Err(Failure::usage(message, "give the columns to cubefold merge"));
    }
    Ok(())
}

pub(super) fn merge(options: &MergeOptions, shared: &SharedOptions) -> Result<(), Failure> {
    let format = ResultFormat::decide(options.format, shared.output())?;
    if let Some(part) = overwritten(&options.parts, shared.output()) {
        let message = format!("cannot write {}: it is one of the parts", part.display());
        return Err(Failure::usage(message, "name another file for the results"));
    }
    let merged = MergedJournals::open(&options.parts).map_err(|error| refused(&error))?;
    let output = match regular_file(shared.output()) {
        // A fixed temporary name, so remains of a killed process are overwritten.
        Some(path) => Output::open_beside(&path, shared.existing())?,
        None => Output::open(shared, &[])?,
    };
    let page = || {
        let records = merged.records().collect::<Result<Vec<_>, _>>()?;
        Ok(run_table(&merged.scenarios(), &records, StepsShown::WithoutPipelines, shared))
    };
    let extra = provenance(merged.provenance());
    write_runs(output, (format, &options.tables), &extra, shared, || merged.records(), page)
}

/// The failure of parts that do not fit, with a remedy.
fn refused(error: &MergeError) -> Failure {
    let help = match error {
        MergeError::Part { .. } => "give parts as cubefold run --shard writes them with this version",
        MergeError::OtherSweep { .. } => "give the parts of one sweep",
        MergeError::Overlap { .. } => "give every part once",
        MergeError::Incomplete { .. } => "complete the part with run --shard and --resume",
        MergeError::Gap { .. } => "give all parts",
    };
    Failure::usage(format!("cannot merge: {error}"), help)
}
