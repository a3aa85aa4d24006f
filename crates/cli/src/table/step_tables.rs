//! The steps of jobs, below the tables of runs: start, finish, share of the whole, and the computations that hide
//! communication.

use cubefold_records::{JobTimeRecord, RunCaption, RunRecord, SingleRunTable, counted};

use super::{Page, TextTable};

/// The steps of jobs that tables show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StepsShown {
    /// The first steps, without those of pipelines.
    WithoutPipelines,
    /// All.
    All,
}

/// The meaning of two columns of steps.
const EXPOSED: &str = "exposed: cycles in which a step of messages is at work at a rank that computes nothing, in the \
                       mean; hidden: the share in which the rank computes.";

/// A sentence on the exposed communication of these runs, if it is known.
pub(super) fn exposed<'a>(runs: impl Iterator<Item = &'a RunRecord> + Clone) -> Option<String> {
    let mut first = runs.clone();
    match (first.next(), first.next()) {
        (Some(only), None) => only.exposed_in_words(),
        _ => RunRecord::all_exposed_in_words(runs),
    }
}

/// Adds a table of the steps of each run that is a job, and sentences on exposed communication.
pub(super) fn add_steps(
    page: &mut Page,
    runs: &[RunCaption],
    records: &[RunRecord],
    shown_steps: StepsShown,
) {
    let jobs = runs.iter().zip(records).filter(|(_, record)| record.steps.is_some());
    let count = jobs.clone().count();
    let shown = || jobs.clone().take(SingleRunTable::MAX_RUNS);
    let mut notes = vec![];
    let is_exposed =
        |record: &RunRecord| record.steps.iter().flatten().any(|step| step.exposed_mean_cycles().is_some());
    let has_exposed = shown().any(|(_, record)| is_exposed(record));
    for (run, record) in shown() {
        let name =
            if count > 1 { format!(" of run {}, {}", record.run, run.embedding) } else { String::new() };
        if let Some(table) = record.pipeline_table() {
            page.table(TextTable { caption: Some(format!("pipelines{name}")), ..table.into() });
        }
        let table = match shown_steps {
            StepsShown::WithoutPipelines => record.step_table(),
            StepsShown::All => record.all_steps_table(),
        };
        let Some(table) = table else { continue };
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
    if has_exposed {
        notes.push(EXPOSED.to_owned());
    }
    notes.extend(exposed(shown().map(|(_, record)| record)));
    if let (1, Some((_, record))) = (count, jobs.clone().next()) {
        notes.extend(record.time.as_ref().and_then(JobTimeRecord::in_words));
    }
    page.notes(notes);
}
