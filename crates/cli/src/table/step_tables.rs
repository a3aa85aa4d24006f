//! The steps of jobs, below the tables of runs: begin, finish, share of the whole, and what hides behind what.

use cubefold_experiment::records::{RunCaption, RunRecord, SingleRunTable, counted};

use super::{Page, TextTable};

/// Adds a table of the steps of each run that is a job, and sentences on what is exposed.
pub(super) fn add_steps(page: &mut Page, runs: &[RunCaption], records: &[RunRecord]) {
    let jobs = runs.iter().zip(records).filter(|(_, record)| record.steps.is_some());
    let count = jobs.clone().count();
    let shown = || jobs.clone().take(SingleRunTable::MAX_RUNS);
    let mut notes = vec![];
    for (run, record) in shown() {
        let Some(table) = record.step_table() else { continue };
        let name =
            if count > 1 { format!(" of run {}, {}", record.run, run.embedding) } else { String::new() };
        if table.left_out > 0 {
            notes.push(format!("{} are in JSON only.", counted(table.left_out, "further row")));
        }
        page.table(TextTable {
            caption: Some(format!("steps{name}")),
            gives_way: &["behind", "kind", "takes"],
            ..table.into()
        });
    }
    if count > SingleRunTable::MAX_RUNS {
        notes.push(format!(
            "The steps of the first {} runs; those of all are in JSON.",
            SingleRunTable::MAX_RUNS
        ));
    }
    notes
        .extend(shown().filter_map(|(_, record)| record.exposed_in_words((count > 1).then_some(record.run))));
    page.notes(notes);
}
