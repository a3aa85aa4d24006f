//! The communication of Chakra traces, below the tables of runs: its times in the traces beside those in the run.

use cubefold_experiment::{
    engineering_seconds,
    records::{RunCaption, RunRecord, TraceTimesRecord},
};

use super::{Page, TextTable};

/// The most runs whose tables are shown.
const MAX_RUNS: usize = 4;

/// Adds a table for each run of traces that say how long their communication took, and what its times are.
pub(super) fn add_trace_communication(page: &mut Page, runs: &[RunCaption], records: &[RunRecord]) {
    let traced: Vec<(&RunCaption, &RunRecord, &[TraceTimesRecord])> = runs
        .iter()
        .zip(records)
        .filter_map(|(run, record)| Some((run, record, record.trace_communication.as_deref()?)))
        .collect();
    for &(run, record, times) in traced.iter().take(MAX_RUNS) {
        let name = if traced.len() > 1 {
            format!(" of run {}, {}", record.run, run.embedding)
        } else {
            String::new()
        };
        page.table(TextTable {
            caption: Some(format!("communication of the traces{name}")),
            header: ["operation", "at ranks", "traced", "simulated", "ratio"].map(str::to_owned).to_vec(),
            rows: times.iter().map(row).collect(),
            words: 1,
            ..TextTable::default()
        });
    }
    let mut notes = vec![];
    if !traced.is_empty() {
        notes.push(
            "Traced and simulated are the mean times of an operation at a rank, from when it may begin until it is over \
             there; ratio is simulated / traced."
                .to_owned(),
        );
    }
    if traced.len() > MAX_RUNS {
        notes.push(format!("The communication of the first {MAX_RUNS} runs; that of all is in JSON."));
    }
    page.notes(notes);
}

fn row(times: &TraceTimesRecord) -> Vec<String> {
    #[expect(clippy::cast_precision_loss, reason = "a mean with three digits")]
    let operations = times.operations as f64;
    let (traced, simulated) = (times.traced_seconds, times.simulated_seconds);
    vec![
        times.kind.to_string(),
        times.operations.to_string(),
        engineering_seconds(traced / operations),
        engineering_seconds(simulated / operations),
        if traced > 0.0 { format!("{:.2}", simulated / traced) } else { String::new() },
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_have_the_mean_of_an_operation() {
        let times = TraceTimesRecord {
            kind: "all-reduce".into(),
            operations: 4,
            traced_seconds: 8e-6,
            simulated_seconds: 6e-6,
            simulated_cycles: 6000,
        };
        assert_eq!(row(&times), ["all-reduce", "4", "2.00 us", "1.50 us", "0.75"]);
        let untraced = TraceTimesRecord { traced_seconds: 0.0, ..times };
        assert_eq!(row(&untraced)[4], "");
    }
}
