//! The page of `cubefold run`.

use cubefold_experiment::export::{RunCaption, RunRecord, ScenarioCaption};

use super::{
    Page,
    results_page::{
        Column, LEGEND, Row, add_tables, bound_note, construction_notes, contention_notes, coordination_note,
        settings, step_columns, time_columns,
    },
};
use crate::{arguments::SharedOptions, grouping::by_scenario};

/// A section for each scenario, a row for each run.
pub(crate) fn run_table(
    scenarios: &[ScenarioCaption],
    records: &[RunRecord],
    shared: &SharedOptions,
) -> Page {
    let mut page = Page::default();
    for (scenario, records) in by_scenario(scenarios, records) {
        page.heading(&scenario.name);
        page.settings(settings(records));
        add_tables(&mut page, &scenario.runs, records, columns);
        if !shared.quiet {
            page.notes(construction_notes(&scenario.runs));
            page.notes(notes(&scenario.runs, records));
        }
    }
    page
}

fn columns(rows: &[Row<'_>]) -> Vec<Column> {
    let mut columns = vec![Column::new("makespan", rows, |record| Some(record.makespan_cycles))];
    columns.extend(time_columns(rows));
    columns.push(Column::new("queue", rows, |record| record.longest_queue));
    columns.extend(step_columns(rows));
    columns
}

fn notes(runs: &[RunCaption], records: &[RunRecord]) -> Vec<String> {
    let mut notes = vec![LEGEND.to_owned()];
    notes.extend(bound_note(records));
    notes.extend(coordination_note(records));
    notes.extend(contention_notes(runs, records));
    notes
}
