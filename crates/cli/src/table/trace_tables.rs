//! The communication of Chakra traces, below the tables of runs: its times in the traces and in the run.

use cubefold_records::{RunCaption, RunRecord, SingleRunTable};

use super::{Page, TextTable, step_tables::exposed};

/// Adds a table for each run of traces with measured communication times, and an explanation of its times.
pub(super) fn add_trace_communication(page: &mut Page, runs: &[RunCaption], records: &[RunRecord]) {
    let traced = runs.iter().zip(records).filter(|(_, record)| record.trace_communication.is_some());
    let count = traced.clone().count();
    for (run, record) in traced.take(SingleRunTable::MAX_RUNS) {
        let Some(table) = record.trace_table() else { continue };
        let name =
            if count > 1 { format!(" of run {}, {}", record.run, run.embedding) } else { String::new() };
        page.table(TextTable { caption: Some(format!("communication of the traces{name}")), ..table.into() });
    }
    let mut notes = vec![];
    if count > 0 {
        notes.push(SingleRunTable::TRACES_IN_WORDS.to_owned());
    }
    if count > SingleRunTable::MAX_RUNS {
        let shown = SingleRunTable::MAX_RUNS;
        notes.push(format!("The communication of the first {shown} runs; that of all is in JSON."));
    }
    let of_traces = records.iter().filter(|record| record.exposed_cycles.is_some() && record.steps.is_none());
    notes.extend(exposed(of_traces.take(SingleRunTable::MAX_RUNS)));
    page.notes(notes);
}
