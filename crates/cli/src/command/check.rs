//! `cubefold check`: what runs there would be.

use cubefold_experiment::{
    export::{Document, PlannedRun},
    load,
};

use crate::{
    arguments::{ScenarioOptions, SharedOptions},
    failure::Failure,
    format::{OutputFormat, ResultFormat, write_records},
    grouping::all_runs,
    output::Output,
    table::check_table,
};

pub(super) fn check(options: &ScenarioOptions, shared: &SharedOptions) -> Result<(), Failure> {
    let format = ResultFormat::decide(options.format, shared.output())?;
    let scenarios = load(&options.files).map_err(Failure::Scenario)?;
    let runs = all_runs(&scenarios);
    let planned: Vec<PlannedRun> =
        runs.iter().enumerate().map(|(place, run)| PlannedRun::new(place, run)).collect();
    let output = Output::open(shared.output(), &scenarios)?;
    let table = || Ok(check_table(&scenarios, &planned));
    write_records(output, format, Document::CHECK, &[], || planned.iter().map(Ok), table)
}
