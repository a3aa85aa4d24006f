//! `cubefold measure`: metrics of the placements.

use cubefold_experiment::{
    check_placements,
    export::{Document, PlacementEntry},
    load, measure_run,
};
use rayon::prelude::*;

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
    let at_once = check_placements(&runs, shared.resources()).map_err(Failure::Refused)?;
    let output = Output::open(shared.output(), &scenarios)?;
    let entries: Vec<PlacementEntry> =
        execution::pool(at_once)?.install(|| runs.par_iter().map(|run| measure_run(run)).collect());
    let table = || measure_table(&scenarios, &entries);
    records::write(output, format, Document::PLACEMENTS, &[], &entries, table)
}
