//! Columns and sentences of open-loop traffic in pages of results (`docs/model.md` section 27).

use cubefold_experiment::{
    SaturationRange,
    records::{RunCaption, RunRecord},
};

use super::results_page::{Column, RunRow};

/// The most settings with sentences of their own.
const MAX_NAMED: usize = 12;

/// The columns of loads and latencies, empty for other runs.
pub(super) fn load_columns(rows: &[RunRow<'_>]) -> Vec<Column> {
    [
        "load",
        "accepted_load",
        "packet_latency_mean",
        "packet_latency_p99",
        "network_latency_mean",
        "missing_packets",
        "saturated",
        "saturation_load",
    ]
    .map(|name| Column::new(name, rows))
    .to_vec()
}

/// A sentence on each setting: the load at which it saturates.
pub(super) fn saturation_sentences(runs: &[RunCaption], records: &[RunRecord]) -> Vec<String> {
    let ranges = SaturationRange::all(runs.iter().zip(records));
    ranges.iter().take(MAX_NAMED).map(SaturationRange::sentence).collect()
}

/// The sentence on the setting that saturates last, if several are compared.
pub(super) fn saturates_last(runs: &[RunCaption], records: &[RunRecord]) -> Option<String> {
    SaturationRange::last_in_words(&SaturationRange::all(runs.iter().zip(records)))
}

/// A sentence on latencies that are absent because measured packets are missing.
pub(super) fn missing_packets(records: &[RunRecord]) -> Option<String> {
    let is_cut_off =
        |record: &&RunRecord| record.open_loop.as_ref().is_some_and(|own| own.measured.missing_packets > 0);
    match records.iter().filter(is_cut_off).count() {
        0 => None,
        _ if records.len() == 1 => Some(NO_LATENCIES.to_owned()),
        count => Some(format!("{NO_LATENCIES} This holds for {count} of {} runs.", records.len())),
    }
}

const NO_LATENCIES: &str =
    "Latencies are absent where measured packets are missing: those of the packets that arrived are too low.";

/// Whether all runs are open-loop traffic.
pub(super) fn are_open_loop(records: &[RunRecord]) -> bool {
    !records.is_empty() && records.iter().all(|record| record.open_loop.is_some())
}
