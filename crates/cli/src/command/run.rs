//! `cubefold run`: every scenario, one row a run.

use cubefold_experiment::{
    FinishedRun, KeepRecords, Run, check_runs,
    export::{Document, RunRecord},
    load,
};
use cubefold_simulator::StageRecord;

use super::{execution, process_rows::ProcessRows, records};
use crate::{
    arguments::{RunOptions, SharedOptions},
    failure::Failure,
    format::{ByExtension, ResultFormat},
    grouping::all_runs,
    output::Output,
    table::run_table,
};

pub(super) fn run(options: &RunOptions, shared: &SharedOptions) -> Result<(), Failure> {
    let format = ResultFormat::decide(options.scenarios.format, shared.output())?;
    let scenarios = load(&options.scenarios.files).map_err(Failure::Scenario)?;
    let runs = all_runs(&scenarios);
    let keep = if options.processes.is_some() { KeepRecords::Yes } else { KeepRecords::No };
    let at_once = check_runs(&runs, shared.resources(), keep).map_err(Failure::Refused)?;
    let rows = options.processes.as_deref().map(|path| ProcessRows::open(path, shared.output(), &scenarios));
    let mut rows = rows.transpose()?;
    let output = Output::open(shared.output(), &scenarios)?;
    let mut results = vec![];
    execution::execute_all(&runs, at_once, keep, shared, finish, |first, batch| {
        for (place, (record, stages)) in (first..).zip(batch) {
            if let Some(rows) = &mut rows {
                rows.add(place, &record, &stages)?;
            }
            results.push(record);
        }
        Ok(())
    })?;
    rows.map_or(Ok(()), ProcessRows::finish)?;
    let table = || run_table(&scenarios, &results, shared);
    records::write(output, format, Document::RESULTS, &[], &results, table)
}

fn finish(run: &Run, finished: FinishedRun) -> (RunRecord, Vec<StageRecord>) {
    (RunRecord::new(run, &finished), finished.records)
}
