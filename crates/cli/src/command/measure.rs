//! `cubefold check` and `cubefold measure`: the runs that there would be, and the metrics of their placements.

use cubefold_experiment::{
    Progress, check_listing, check_placements,
    export::{Document, PlannedRun},
    measure_runs,
};

use super::execution;
use crate::{
    arguments::{ScenarioOptions, SharedOptions},
    failure::Failure,
    format::{OutputFormat, ResultFormat, write_records},
    grouping::all_runs,
    output::Output,
    progress_bar::{Show, Work, watch},
    table::{check_table, measure_table},
};

pub(super) fn measure(options: &ScenarioOptions, shared: &SharedOptions) -> Result<(), Failure> {
    let format = ResultFormat::decide(options.format, shared.output())?;
    let scenarios = super::scenarios(&options.files, &options.set, shared)?;
    let runs = all_runs(&scenarios);
    let resources = shared.resources();
    check_placements(&runs, resources).map_err(Failure::Refused)?;
    let output = Output::open(shared, &scenarios)?;
    let (pool, progress) = (execution::pool(resources.threads)?, Progress::default());
    let measure = || measure_runs(&pool, &runs, resources, &progress);
    let work = Work::of(runs.len() as u64, "placements");
    let entries = watch(Show::unless(shared.quiet), work, &progress, measure);
    let table = || Ok(measure_table(&scenarios, &entries));
    write_records(output, format, Document::PLACEMENTS, &[], || entries.iter().map(Ok), table)
}

pub(super) fn check(options: &ScenarioOptions, shared: &SharedOptions) -> Result<(), Failure> {
    let format = ResultFormat::decide(options.format, shared.output())?;
    let scenarios = super::scenarios(&options.files, &options.set, shared)?;
    let runs = all_runs(&scenarios);
    let planned = || runs.iter().enumerate().map(|(place, run)| PlannedRun::new(place, run));
    if matches!(format, ResultFormat::Table | ResultFormat::Markdown) {
        check_listing(&runs, shared.resources()).map_err(Failure::Refused)?;
    }
    let output = Output::open(shared, &scenarios)?;
    let table = || Ok(check_table(&scenarios, &planned().collect::<Vec<_>>()));
    write_records(output, format, Document::CHECK, &[], || planned().map(Ok), table)
}
