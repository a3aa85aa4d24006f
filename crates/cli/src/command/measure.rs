//! `cubefold check` and `cubefold measure`: the runs of a scenario, and the metrics of their placements.

use std::io;

use cubefold_records::{Document, PlannedRun};
use cubefold_runs::{Progress, check_placements, measure_runs};
use cubefold_scenario::{Run, ScenarioError, check_with};

use super::execution;
use crate::{
    arguments::{MeasureOptions, ScenarioOptions, SharedOptions, TableOptions},
    failure::Failure,
    format::{OutputFormat, POINTS, ResultFormat, write_records},
    grouping::{all_runs, refuse_open_loop},
    output::Output,
    progress_bar::{Work, watch},
    table::{Page, Style, measure_table, write_checked},
};

pub(super) fn measure(options: &MeasureOptions, shared: &SharedOptions) -> Result<(), Failure> {
    let MeasureOptions { scenarios: asked, tables } = options;
    let format = ResultFormat::decide(asked.format, shared.output())?;
    let scenarios = asked.load(shared)?;
    let runs = all_runs(&scenarios);
    refuse_open_loop(runs.iter().copied(), "a placement")?;
    let resources = shared.resources();
    check_placements(&runs, resources).map_err(Failure::Refused)?;
    let output = Output::open(shared, &scenarios)?;
    let (pool, progress) = (execution::pool_for(&runs, resources)?, Progress::default());
    let measure = || measure_runs(&pool, &runs, resources, &progress);
    let work = Work::of(runs.len() as u64, "placements");
    let entries = watch(shared, work, &progress, measure);
    let table = || Ok(measure_table(&scenarios, &entries));
    write_records(output, (format, tables), Document::PLACEMENTS, &[], || entries.iter().map(Ok), table)
}

pub(super) fn check(options: &ScenarioOptions, shared: &SharedOptions) -> Result<(), Failure> {
    let format = ResultFormat::decide(options.format, shared.output())?;
    let memory = shared.resources().memory;
    let checked = check_with(&options.files, &options.set.settings, memory).map_err(Failure::Scenario)?;
    let output =
        Output::open_apart_from(shared, checked.scenarios().iter().flat_map(|scenario| &scenario.inputs))?;
    match format {
        ResultFormat::Table => output.write(|output| {
            let columns = output.columns();
            write_checked(&checked, output, Style::Text { columns })
        }),
        ResultFormat::Markdown => output.write(|output| write_checked(&checked, output, Style::Markdown)),
        ResultFormat::Latex => {
            output.write(|output| write_checked(&checked, output, Style::Latex { points: POINTS }))
        }
        ResultFormat::Json | ResultFormat::Jsonl | ResultFormat::Csv | ResultFormat::Parquet => {
            let planned = |(place, run): (usize, Result<Run, ScenarioError>)| {
                run.map(|run| PlannedRun::new(place, &run)).map_err(io::Error::other)
            };
            let planned = || checked.runs().enumerate().map(planned);
            write_records(output, (format, &TableOptions::default()), Document::CHECK, &[], planned, || {
                Ok(Page::default())
            })
        }
    }
}
