//! `cubefold measure`: metrics of the placements.

use cubefold_experiment::{check_placements, export::Document, load, measure_runs};

use super::{execution, records};
use crate::{
    arguments::{ScenarioOptions, SharedOptions},
    failure::Failure,
    format::{ByExtension, ResultFormat},
    grouping::all_runs,
    output::Output,
    table::measure_table,
};

pub(super) fn measure(options: &ScenarioOptions, shared: &SharedOptions) -> Result<(), Failure> {
    let format = ResultFormat::decide(options.format, shared.output())?;
    let scenarios = load(&options.files).map_err(Failure::Scenario)?;
    let runs = all_runs(&scenarios);
    let resources = shared.resources();
    check_placements(&runs, resources).map_err(Failure::Refused)?;
    let output = Output::open(shared.output(), &scenarios)?;
    let entries = measure_runs(&execution::pool(resources.threads)?, &runs, resources);
    let table = || Ok(measure_table(&scenarios, &entries));
    records::write(output, format, Document::PLACEMENTS, &[], || entries.iter().map(Ok), table)
}
