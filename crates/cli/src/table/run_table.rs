//! The page of `cubefold run`.

use cubefold_experiment::{Run, Scenario, export::RunRecord};

use super::{
    Page,
    results_page::{
        Column, LEGEND, Row, add_tables, bound_note, construction_notes, contention_notes, coordination_note,
        settings,
    },
};
use crate::{arguments::SharedOptions, grouping::by_scenario};

/// A section for each scenario, a row for each run.
pub(crate) fn run_table(scenarios: &[Scenario], records: &[RunRecord], shared: &SharedOptions) -> Page {
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
    vec![
        Column::new("makespan", rows, |record| Some(record.makespan_cycles)),
        Column::new("predicted", rows, |record| record.predicted_cycles),
        Column::new("bound", rows, |record| record.lower_bound_cycles),
        Column::new("waiting", rows, |record| Some(record.totals.waiting_cycles)),
        Column::new("sharing", rows, |record| {
            Some(record.totals.sharing_cycles).filter(|_| record.placement.load.max > 1)
        }),
        Column::new("blocked", rows, |record| record.longest_queue.and(Some(record.totals.blocked_cycles))),
        Column::new("queue", rows, |record| record.longest_queue),
        Column::new("steps", rows, |record| record.routing_steps),
        Column::new("conflicts", rows, |record| record.conflicts),
    ]
}

fn notes(runs: &[Run], records: &[RunRecord]) -> Vec<String> {
    let mut notes = vec![LEGEND.to_owned()];
    notes.extend(bound_note(records));
    notes.extend(coordination_note(records));
    notes.extend(contention_notes(runs, records));
    notes
}
