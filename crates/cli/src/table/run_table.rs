//! The page of `cubefold run`.

use cubefold_experiment::export::{RunCaption, RunRecord, ScenarioCaption, settings};

use super::{
    Page,
    result_notes::{bound_note, bound_sentences, construction_notes, coordination_note, legend},
    results_page::{Column, RunRow, add_tables, bar_column, makespan_columns, step_columns, time_columns},
    surprises::surprises,
};
use crate::{arguments::SharedOptions, grouping::by_scenario};

/// A section for each scenario, a row for each run.
pub(crate) fn run_table(
    scenarios: &[ScenarioCaption],
    records: &[RunRecord],
    shared: &SharedOptions,
) -> Page {
    let mut page = Page::new(shared.color.of_results(shared.output.as_deref()));
    for (scenario, records) in by_scenario(scenarios, records) {
        page.heading(&scenario.name);
        page.settings(settings(&records.iter()));
        add_tables(&mut page, &scenario.runs, records, columns);
        page.notes(bound_sentences(records));
        if !shared.quiet {
            page.notes(construction_notes(&scenario.runs));
            page.notes(notes(&scenario.runs, records));
        }
    }
    page
}

fn columns(rows: &[RunRow<'_>]) -> Vec<Column> {
    let mut columns = makespan_columns(rows).to_vec();
    columns.extend(time_columns(rows));
    columns.push(Column::new("longest_queue", rows));
    columns.extend(step_columns(rows));
    columns.push(bar_column(rows));
    columns
}

fn notes(runs: &[RunCaption], records: &[RunRecord]) -> Vec<String> {
    let mut notes = surprises(runs, records);
    notes.extend(bound_note(records));
    notes.extend(coordination_note(records));
    notes.extend(legend(runs, records));
    notes
}
