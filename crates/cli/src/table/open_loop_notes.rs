//! Columns and sentences of open-loop traffic in pages of results (`docs/model.md` section 27).

use cubefold_records::{LoadRecord, RunCaption, RunRecord, grouped};
use cubefold_runs::{SaturationRange, names_besides};
use cubefold_scenario::SweptValue;

use super::results_page::{Column, RunRow};

/// The most limits with one sentence each.
const MAX_NAMED: usize = 12;

/// The most settings of one limit that are named.
const MAX_LISTED: usize = 3;

/// The columns of loads and latencies, empty for other runs.
pub(super) fn load_columns(rows: &[RunRow<'_>]) -> Vec<Column> {
    let column = |name| Column::new(name, rows);
    let cells = |value: fn(&LoadRecord) -> Option<String>| {
        let cell =
            |row: &RunRow<'_>| row.record.open_loop.as_ref().and_then(|open_loop| value(&open_loop.measured));
        rows.iter().map(|row| cell(row).unwrap_or_default()).collect()
    };
    vec![
        column("load"),
        column("offered_load"),
        column("accepted_load"),
        column("packet_latency_mean"),
        column("open_loop_latency_half_width"),
        column("packet_latency_p99"),
        column("network_latency_mean"),
        column("missing_packets"),
        column("saturated"),
        Column::of_cells("trend", cells(LoadRecord::trend_in_words)),
        column("saturation_load"),
    ]
}

/// The limits by the loads of channels, one for all runs with the same limit.
pub(super) fn limits(runs: &[RunCaption], records: &[RunRecord]) -> Vec<String> {
    let limits: Vec<Option<String>> = records
        .iter()
        .map(|record| record.open_loop.as_ref().and_then(|open_loop| open_loop.measured.limit_in_words()))
        .collect();
    let settings: Vec<Vec<SweptValue>> = runs.iter().map(|run| run.combination.to_vec()).collect();
    let limited = names_besides(&settings, "program.load").into_iter().zip(limits);
    let named = grouped(limited.filter_map(|(name, limit)| Some((limit?, name))));
    let is_one = named.len() == 1;
    let sentence = |(limit, names): &(String, Vec<String>)| {
        if is_one { format!("{}.", capitalized(limit)) } else { format!("{}: {limit}.", listed(names)) }
    };
    named.iter().take(MAX_NAMED).map(sentence).collect()
}

/// The different names, of which several loads may have the same: `a; b and c`, or the first ones and the number of the
/// others.
fn listed(names: &[String]) -> String {
    let mut different: Vec<&str> =
        grouped(names.iter().map(|name| (name.as_str(), ()))).into_iter().map(|(name, _)| name).collect();
    let others = different.len().saturating_sub(MAX_LISTED);
    different.truncate(MAX_LISTED);
    let others = (others > 0).then(|| format!("{others} more"));
    different.extend(others.as_deref());
    match different.split_last() {
        Some((last, before)) if !before.is_empty() => format!("{} and {last}", before.join("; ")),
        _ => different.concat(),
    }
}

fn capitalized(words: &str) -> String {
    let mut letters = words.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// A sentence on each setting: the load at which it saturates.
pub(super) fn saturation_sentences(runs: &[RunCaption], records: &[RunRecord]) -> Vec<String> {
    SaturationRange::sentences(&SaturationRange::all(runs.iter().zip(records)))
}

/// The sentences on the setting that saturates last under each pattern, if several are compared.
pub(super) fn saturates_last(runs: &[RunCaption], records: &[RunRecord]) -> Vec<String> {
    SaturationRange::last_in_words(&SaturationRange::all(runs.iter().zip(records)))
}

/// A sentence on latencies that are absent because measured packets are missing.
pub(super) fn missing_packets(records: &[RunRecord]) -> Option<String> {
    let is_cut_off = |record: &&RunRecord| {
        record.open_loop.as_ref().is_some_and(|open_loop| open_loop.measured.missing_packets > 0)
    };
    match records.iter().filter(is_cut_off).count() {
        0 => None,
        _ if records.len() == 1 => Some(NO_LATENCIES.to_owned()),
        count => Some(format!("{NO_LATENCIES} This holds for {count} of {} runs.", records.len())),
    }
}

const NO_LATENCIES: &str =
    "Means are absent where measured packets are missing: those of the packets that arrived are too low.";

/// Sentences on the verdicts that occur, and on warm-ups that a pilot run did not find.
pub(super) fn verdicts(records: &[RunRecord]) -> Vec<String> {
    let measured = || records.iter().filter_map(|record| Some(&record.open_loop.as_ref()?.measured));
    let has = |sign: &str| measured().any(|load| load.saturated.as_deref() == Some(sign));
    let mut notes = vec![];
    if has("channel") {
        notes.push("channel: the load exceeds the limit.".to_owned());
    }
    if has("growth") {
        notes.push(
            "growth: the backlog grows through the measured cycles (trend/critical), and over 0.5 % less is accepted \
             than offered."
                .to_owned(),
        );
    }
    let late = measured().filter(|load| load.seeds().iter().any(|seed| !seed.warmup_found)).count();
    if late > 0 {
        notes.push(format!(
            "Warning: no steady backlog within the pilot run ({late} of {} runs); raise program.pilot_cycles, or the \
             load saturates.",
            records.len()
        ));
    }
    notes
}

/// Whether all runs are open-loop traffic.
pub(super) fn are_open_loop(records: &[RunRecord]) -> bool {
    !records.is_empty() && records.iter().all(|record| record.open_loop.is_some())
}

#[cfg(test)]
mod tests {
    use super::listed;

    #[test]
    fn settings_of_a_limit_are_named_once_in_any_order_of_loads() {
        let of = |names: &[&str]| listed(&names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>());
        assert_eq!(of(&["a"]), "a");
        assert_eq!(of(&["a", "b", "a", "b"]), "a and b");
        assert_eq!(of(&["a", "b", "c", "d", "e", "a"]), "a; b; c and 2 more");
    }
}
