//! `cubefold measure`: metrics of the placements.

use cubefold_experiment::{Progress, check_placements, export::Document, load, measure_runs};

use super::execution;
use crate::{
    arguments::{ScenarioOptions, SharedOptions},
    failure::Failure,
    format::{OutputFormat, ResultFormat, write_records},
    grouping::all_runs,
    output::Output,
    progress_bar::{Show, Work, watch},
    table::measure_table,
};

pub(super) fn measure(options: &ScenarioOptions, shared: &SharedOptions) -> Result<(), Failure> {
    let format = ResultFormat::decide(options.format, shared.output())?;
    let scenarios = load(&options.files).map_err(Failure::Scenario)?;
    let runs = all_runs(&scenarios);
    let resources = shared.resources();
    check_placements(&runs, resources).map_err(Failure::Refused)?;
    let output = Output::open(shared.output(), &scenarios)?;
    let (pool, progress) = (execution::pool(resources.threads)?, Progress::default());
    let measure = || measure_runs(&pool, &runs, resources, &progress);
    let work = Work::of(runs.len() as u64, "placements");
    let entries = watch(Show::unless(shared.quiet), work, &progress, measure);
    let table = || Ok(measure_table(&scenarios, &entries));
    write_records(output, format, Document::PLACEMENTS, &[], || entries.iter().map(Ok), table)
}
