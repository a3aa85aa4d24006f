//! `cubefold run`: every scenario, one row a run.

use cubefold_experiment::{KeepRecords, check_runs, export::Document, journal::SweepPlan, load};

use super::{execution, process_rows::ProcessRows};
use crate::{
    arguments::{RunOptions, SharedOptions},
    failure::Failure,
    format::{OutputFormat, ResultFormat, write_records},
    grouping::{all_runs, captions},
    sweep_output::SweepOutput,
    table::run_table,
};

pub(super) fn run(options: &RunOptions, shared: &SharedOptions) -> Result<(), Failure> {
    refuse_contradictions(options)?;
    let format = ResultFormat::decide(options.scenarios.format, shared.output())?;
    let scenarios = load(&options.scenarios.files).map_err(Failure::Scenario)?;
    let runs = all_runs(&scenarios);
    let keep = if options.processes.is_some() { KeepRecords::Yes } else { KeepRecords::No };
    check_runs(&runs, shared.resources(), keep).map_err(Failure::Refused)?;
    let rows = options.processes.as_deref().map(|path| ProcessRows::open(path, shared.output(), &scenarios));
    let mut rows = rows.transpose()?;
    let plan = SweepPlan::new(&runs).in_scenarios(&scenarios);
    let output =
        SweepOutput::open(shared.output(), &scenarios, &plan, options.resume.found(), options.shard)?;
    execution::execute_sweep(&runs, &output, rows.as_mut(), shared)?;
    rows.map_or(Ok(()), ProcessRows::finish)?;
    output.finish(|output, records| {
        let page =
            || Ok(run_table(&captions(&scenarios), &records().collect::<Result<Vec<_>, _>>()?, shared));
        write_records(output, format, Document::RESULTS, &[], records, page)
    })
}

/// What a journal cannot give back, or a part does not have.
fn refuse_contradictions(options: &RunOptions) -> Result<(), Failure> {
    let rows = options.processes.is_some();
    if rows && options.resume.resume {
        let message =
            "--processes with --resume: the journal does not hold the rows of the runs that are done";
        return Err(Failure::usage(
            message,
            "resume without --processes, or delete the journal and run anew",
        ));
    }
    if rows && options.shard.is_some() {
        let message = "--processes with --shard: the rows of parts cannot be merged";
        return Err(Failure::usage(message, "leave out one of them"));
    }
    if options.shard.is_some() && options.scenarios.format.is_some() {
        let message = "--format with --shard: a part is written in a form of its own";
        return Err(Failure::usage(message, "give the format to cubefold merge"));
    }
    Ok(())
}
