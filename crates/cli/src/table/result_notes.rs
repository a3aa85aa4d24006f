//! Sentences below tables of results: the meaning of columns and bounds, the chosen constructions, and results that the
//! distances alone do not explain.

use std::cmp::Reverse;

use cubefold_formats::input::exact_mean::exact_mean;
use cubefold_records::{RunCaption, RunRecord, StageRecord, counted};
use cubefold_scenario::last_word;

use super::{
    open_loop_notes::{are_open_loop, missing_packets, verdicts},
    results_page::{RunRow, bar_legend, mark_legend},
};
use crate::grouping::{by_algorithm, by_embedding, shown};

/// Sentences on the lower bounds, if there are any.
pub(super) fn bound_notes(records: &[RunRecord]) -> Vec<String> {
    let notes = [bound_note(records), collective_bound_note(records), program_bound_note(records)];
    notes.into_iter().flatten().collect()
}

/// The names and meanings of the bounds of a placement.
const BOUNDS: [(&str, &str); 4] = [
    ("bandwidth", "the bandwidth bound, what links must carry"),
    ("latency", "the latency bound, how far data must go"),
    ("cut", "the cut bound, what must cross into or out of a set of nodes"),
    ("computations", "the computations of a node"),
];

/// The bounds that are the largest in any of these runs.
fn largest_bounds<'run>(records: &(impl Iterator<Item = &'run RunRecord> + Clone)) -> Option<String> {
    let count = |source: &str| {
        records.clone().filter(|record| record.lower_bound_source.as_deref() == Some(source)).count() as u64
    };
    let found =
        BOUNDS.into_iter().map(|(source, words)| (count(source), words)).filter(|&(count, _)| count > 0);
    let found: Vec<(u64, &str)> = found.collect();
    if let [(_, only)] = found[..] {
        return Some(only.to_owned());
    }
    let word = if found.len() == 2 { "larger" } else { "largest" };
    let mut parts: Vec<String> = found
        .iter()
        .map(|(count, words)| format!("{words} ({word} in {})", counted(*count, "run")))
        .collect();
    let last = parts.pop()?;
    Some(format!("the {word} of {}, and {last}", parts.join(", ")))
}

/// A sentence on the lower bounds of collectives and their kinds.
fn collective_bound_note(records: &[RunRecord]) -> Option<String> {
    let collectives = || records.iter().filter(|record| record.lower_bound_percent.is_some());
    let which = largest_bounds(&collectives())?;
    let steps = collectives().any(|record| record.steps_bound_cycles.is_some_and(|cycles| cycles > 0));
    let steps = if steps { " The steps bound holds for algorithms of the same kind only." } else { "" };
    Some(format!("No algorithm finishes before the bound under this placement: {which}.{steps}"))
}

/// A sentence on the lower bounds of other programs under their placements, if there are any.
fn program_bound_note(records: &[RunRecord]) -> Option<String> {
    let which = largest_bounds(&records.iter().filter(|record| has_bound_of_its_program(record)))?;
    Some(format!("No run with this placement finishes before the bound: {which}."))
}

/// Whether a lower bound holds for this program, which is no collective, under its placement only.
fn has_bound_of_its_program(record: &RunRecord) -> bool {
    record.lower_bound_percent.is_none() && record.has_bound_of_its_placement()
}

/// A sentence on the lower bounds of placements, if there are any.
fn bound_note(records: &[RunRecord]) -> Option<String> {
    let placements = records
        .iter()
        .filter(|record| record.lower_bound_percent.is_none() && !record.has_bound_of_its_placement());
    let mut sources: Vec<&str> =
        placements.filter_map(|record| record.lower_bound_source.as_deref()).collect();
    sources.sort_unstable();
    sources.dedup();
    match sources.as_slice() {
        [] => None,
        [source] => Some(format!("No placement finishes before the bound (known from a {source}).")),
        _ => Some("No placement finishes before the bound (known from a theorem or a preprint).".to_owned()),
    }
}

/// A sentence on coordinated runs, if there are any.
pub(super) fn coordination_note(records: &[RunRecord]) -> Option<String> {
    let coordinated = records.iter().any(|record| record.routing_steps.is_some());
    coordinated.then(|| "Coordinated: every stage lasts until its farthest message is there.".to_owned())
}

/// Sentences on the chosen constructions of Tao, one for each embedding and construction.
pub(super) fn construction_notes(runs: &[RunCaption]) -> Vec<String> {
    let mut notes: Vec<String> = vec![];
    for note in runs.iter().filter_map(|run| run.construction.as_ref()) {
        if !notes.contains(note) {
            notes.push(note.clone());
        }
    }
    notes
}

/// Sentences on each embedding with lower bounds, or each algorithm if several run: whether it meets them, or its distance
/// from them.
pub(super) fn bound_sentences(runs: &[RunCaption], records: &[RunRecord]) -> Vec<String> {
    let all: Vec<&RunRecord> = records.iter().collect();
    let (embeddings, algorithms) = (by_embedding(&all, |record| record), by_algorithm(runs, records));
    let have_algorithms = runs.iter().all(|run| run.algorithm.is_some());
    let is_of_algorithms = embeddings.len() == 1 && algorithms.len() > 1 && have_algorithms;
    let groups = if is_of_algorithms { algorithms } else { embeddings };
    groups.into_iter().filter_map(|(name, records)| bound_sentence(name, &records)).collect()
}

fn bound_sentence(name: &str, records: &[&RunRecord]) -> Option<String> {
    let ratio = |record: &&RunRecord| {
        // Only runs of 0 cycles meet a bound of 0 cycles; there is no ratio to it.
        exact_mean(record.makespan_cycles?.into(), record.lower_bound_cycles?.into())
    };
    let ratios: Vec<f64> = records.iter().filter_map(ratio).collect();
    let (least, greatest) =
        (ratios.iter().copied().reduce(f64::min)?, ratios.iter().copied().reduce(f64::max)?);
    let met = met_bound(records);
    // Without contention a run takes what is predicted (`docs/model.md` section 15).
    let is_least = |record: &&RunRecord| {
        has_bound_of_its_program(record)
            && record.predicted_cycles.is_some()
            && record.predicted_cycles == record.makespan_cycles
    };
    if greatest > 1.0 && records.iter().all(is_least) {
        return Some(format!("{name}: as predicted, and no run with this placement is shorter."));
    }
    if greatest <= 1.0 {
        return met.map(|met| format!("{name}: {met}."));
    }
    let (least, greatest) = (format!("{least:.2}"), format!("{greatest:.2}"));
    let range = if least == greatest { greatest } else { format!("{least} to {greatest}") };
    let met = met.map_or_else(String::new, |met| format!("; {}", met.replace("the lower bound", "it")));
    Some(format!("{name}: {range} times the lower bound{met}."))
}

/// Whether the records meet their lower bounds.
pub(super) fn met_bound(records: &[&RunRecord]) -> Option<String> {
    let bounded: Vec<_> = records.iter().filter(|record| record.lower_bound_cycles.is_some()).collect();
    let met = bounded.iter().filter(|record| record.lower_bound_cycles == record.makespan_cycles).count();
    match (met, bounded.len()) {
        (0, _) => None,
        (1, 1) => Some("meets the lower bound".to_owned()),
        (met, all) if met == all => Some(format!("meets the lower bound in all {all}")),
        (met, all) => Some(format!("meets the lower bound in {met} of {all}")),
    }
}

/// The meaning of the columns.
pub(super) fn legend(runs: &[RunCaption], records: &[RunRecord]) -> Vec<String> {
    if are_open_loop(records) {
        let mut notes = vec!["Loads in units a terminal a cycle, latencies in cycles.".to_owned()];
        notes.extend(verdicts(records));
        notes.extend(missing_packets(records));
        return notes;
    }
    let mut notes =
        vec!["Times in cycles; waiting and blocked are sums over all processes and stages.".to_owned()];
    notes.extend(bar_legend(records));
    notes.extend(mark_legend(runs, records));
    notes
}

/// The most embeddings with one sentence each; orders of axes can be many more.
const MAX_NAMED: usize = 12;

/// Sentences on everything surprising in the runs of a scenario.
pub(super) fn surprises(runs: &[RunCaption], records: &[RunRecord]) -> Vec<String> {
    let rows: Vec<RunRow<'_>> =
        runs.iter().zip(records).map(|(run, record)| RunRow { run, record }).collect();
    let swept = runs.iter().any(|run| !run.combination.is_empty());
    let mut told: Vec<String> = vec![];
    for note in records.iter().flat_map(|record| &record.notes) {
        if !told.contains(note) {
            told.push(note.clone());
        }
    }
    let embeddings = by_embedding(&rows, |row| row.record);
    let are_many = embeddings.len() > MAX_NAMED;
    let mut sentences = if swept || are_many {
        contention(&rows).into_iter().collect()
    } else {
        embeddings.iter().filter_map(|(_, of_embedding)| contention(of_embedding)).collect::<Vec<_>>()
    };
    sentences.splice(0..0, told);
    let slower =
        embeddings.iter().filter_map(|(name, of_embedding)| nearer_but_slower(name, of_embedding, &rows));
    sentences.extend(slower.take(if are_many { 1 } else { MAX_NAMED }));
    sentences.extend(uneven(&rows));
    let has_broken_routes = |record: &&RunRecord| {
        let is_twisted = record.machine.twist.is_some();
        let as_network = matches!(record.execution.routing.as_deref(), Some("lowest" | "spread"));
        let is_in_order = record.machine.kind.is_grid() && !is_twisted && !as_network;
        record.machine.failed_links.is_some() && is_in_order
    };
    if let Some(record) = records.iter().find(has_broken_routes) {
        sentences.push(format!(
            "With links or nodes down, messages on a {} whose routes in dimension order are broken take the lowest of the \
             shortest routes that are left.",
            record.machine.kind
        ));
    }
    sentences
}

/// A sentence on the run whose routes are the farthest from even.
fn uneven(rows: &[RunRow<'_>]) -> Option<String> {
    let congestion = |record: &RunRecord| Some((record.channel_congestion?, record.balanced_congestion?));
    #[expect(clippy::cast_precision_loss, reason = "a comparison with a factor")]
    let excess = |record: &RunRecord| {
        congestion(record).map_or(0.0, |(routed, balanced)| routed as f64 / balanced.max(1.0))
    };
    let row = rows
        .iter()
        .reduce(|one, other| if excess(other.record) > excess(one.record) { other } else { one })?;
    let worst = row.record;
    let (routed, balanced) = congestion(worst).filter(|_| excess(worst) >= MIN_UNEVENNESS)?;
    let other_routes =
        "; execution = { routing = \"spread\", spread = \"message\" } takes others, which may be more even";
    let help = match (worst.execution.routing.as_deref(), worst.execution.spread.as_deref()) {
        (Some("lowest"), _) => other_routes,
        (None, _) if worst.machine.wrap.is_empty() => other_routes,
        (Some("spread"), None) => "; execution.spread = \"message\" draws a route for each message",
        _ => "",
    };
    Some(format!(
        "Routes are far from even under {}{}: the busiest channel carries {}, {balanced:.1} if messages were \
         split over all shortest routes{help}.",
        worst.embedding,
        with_settings(row.run),
        counted(routed, "unit"),
    ))
}

/// The least ratio of the busiest channel's load to its load under balanced routes that warrants a note.
const MIN_UNEVENNESS: f64 = 1.5;

/// A sentence on the run with the most contention, and on the number of runs with contention.
fn contention(rows: &[RunRow<'_>]) -> Option<String> {
    let contended: Vec<&RunRow<'_>> = rows.iter().filter(|row| excess(row.record) > 0).collect();
    // By the excess over the prediction; the first on ties.
    let worst = contended.iter().copied().reduce(|one, other| {
        let part = |row: &RunRow<'_>, of: &RunRow<'_>| {
            u128::from(excess(row.record)) * u128::from(of.record.predicted_cycles.unwrap_or(0))
        };
        if part(other, one) > part(one, other) { other } else { one }
    })?;
    let record = worst.record;
    let (makespan, predicted) = (record.makespan_cycles?, record.predicted_cycles.unwrap_or(0));
    let (longer, place) =
        (format!("{} instead of {predicted} predicted", counted(makespan, "cycle")), place(&record.stages));
    let name = &record.embedding;
    if rows.len() == 1 {
        let cause = Delay::of(std::iter::once(record));
        let cause = cause.map_or_else(String::new, |cause| format!(", because {}", cause.in_words()));
        return Some(format!("{name}: {longer}{cause}{place}."));
    }
    let of = format!("{} of {} runs", contended.len(), rows.len());
    let longer_runs = match Delay::of(contended.iter().map(|row| row.record)) {
        None => format!("{of} take longer than predicted"),
        Some(Delay::Both) => {
            format!(
                "{of} take longer than predicted: processes share a processor, or messages block each other"
            )
        }
        Some(cause) => format!("In {of} {} and take longer than predicted", cause.in_words()),
    };
    Some(format!("{longer_runs}. Worst is {name}{}: {longer}{place}.", with_settings(worst.run)))
}

/// The causes of runs longer than predicted; the prediction has neither.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Delay {
    /// Messages delay each other at links.
    Blocking,
    /// Processes of one node take turns to compute.
    Sharing,
    /// Both.
    Both,
}

impl Delay {
    /// The causes of delay of these runs together; `None` if neither is counted.
    fn of<'run>(records: impl Iterator<Item = &'run RunRecord>) -> Option<Self> {
        let (mut blocks, mut shares) = (false, false);
        for totals in records.filter_map(|record| record.totals) {
            blocks |= totals.blocked_cycles > 0;
            shares |= totals.sharing_cycles > 0;
        }
        match (blocks, shares) {
            (true, false) => Some(Self::Blocking),
            (false, true) => Some(Self::Sharing),
            (true, true) => Some(Self::Both),
            (false, false) => None,
        }
    }

    fn in_words(self) -> &'static str {
        match self {
            Self::Blocking => "messages block each other",
            Self::Sharing => "processes share a processor",
            Self::Both => "processes share a processor and messages block each other",
        }
    }
}

/// The excess of a run over its prediction \[cycles\].
fn excess(record: &RunRecord) -> u64 {
    let predicted = record.predicted_cycles.filter(|_| record.conflicts.is_none());
    let both = record.makespan_cycles.zip(predicted);
    both.map_or(0, |(makespan, predicted)| makespan.saturating_sub(predicted))
}

/// The stage with the most blocked cycles, and the second one if it has at least half as many.
fn place(stages: &[StageRecord]) -> String {
    let all: u128 = stages.iter().map(|stage| stage.blocked_cycles).sum();
    let mut worst: Vec<&StageRecord> = stages.iter().filter(|stage| stage.blocked_cycles > 0).collect();
    worst.sort_by_key(|stage| Reverse(stage.blocked_cycles));
    let bad = worst.first().map_or(0, |stage| stage.blocked_cycles.div_ceil(2));
    let named = worst.iter().take(2).filter(|stage| stage.blocked_cycles >= bad).map(|stage| {
        let percent = (100 * stage.blocked_cycles + all / 2) / all;
        let dimension =
            stage.dimension.map_or_else(String::new, |dimension| format!("dimension {dimension}, "));
        format!(" in stage {} ({dimension}{percent} % of the blocked cycles)", stage.stage)
    });
    let named = named.collect::<Vec<_>>().join(" and");
    if named.is_empty() { named } else { format!(", most{named}") }
}

/// A sentence on an embedding whose messages travel less than those of a faster one, but which loses time to waiting.
fn nearer_but_slower(name: &str, rows: &[RunRow<'_>], all: &[RunRow<'_>]) -> Option<String> {
    let surprising = |row: &&RunRow<'_>| row.record.conflicts.is_none() && waits_most(row.record);
    rows.iter().filter(surprising).find_map(|row| {
        let (record, totals) = (row.record, row.record.totals?);
        // Waiting explains a run whose messages travel less only if it grew by more than blocking did.
        let is_nearer = |other: &RunRecord| {
            other.totals.is_some_and(|other| {
                let more_waiting = totals.waiting_cycles.saturating_sub(other.waiting_cycles);
                let more_blocked = totals.blocked_cycles.saturating_sub(other.blocked_cycles);
                other.transfer_cycles > totals.transfer_cycles && more_waiting > more_blocked
            })
        };
        let rivals = all.iter().filter(|other| other.run.combination == row.run.combination);
        let faster = rivals.filter(|other| {
            other.record.makespan_cycles < record.makespan_cycles
                && is_nearer(other.record)
        });
        let rival = faster.min_by_key(|other| other.record.makespan_cycles)?.record;
        Some(format!(
            "{name}{}: slower than {}, although its messages travel less ({} cycles in all, {}): processes wait for \
             each other, {} cycles in all.",
            with_settings(row.run),
            rival.embedding,
            totals.transfer_cycles,
            rival.totals?.transfer_cycles,
            totals.waiting_cycles,
        ))
    })
}

/// Whether waiting costs more time than contention.
fn waits_most(record: &RunRecord) -> bool {
    record.totals.is_some_and(|totals| totals.waiting_cycles > totals.blocked_cycles)
}

/// The swept settings of a run; empty without a sweep.
fn with_settings(run: &RunCaption) -> String {
    let settings = run.combination.iter().map(|(path, value)| {
        let name = last_word(path);
        format!("{name} = {}", shown(path, value))
    });
    let settings: Vec<String> = settings.collect();
    if settings.is_empty() { String::new() } else { format!(" with {}", settings.join(", ")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn stage(stage: usize, dimension: Option<u8>, blocked_cycles: u128) -> StageRecord {
        StageRecord {
            stage,
            dimension,
            step: None,
            dimensions: None,
            distance: cubefold_records::DistanceRecord { min: 0, max: 0, mean: None },
            waiting_cycles: 0,
            transfer_cycles: 0,
            blocked_cycles,
            routing_steps: None,
            conflicts: None,
        }
    }

    #[test]
    fn the_place_is_the_worst_stage_and_one_half_as_bad() {
        let stages = [stage(0, Some(2), 20), stage(1, Some(1), 61), stage(2, Some(0), 19)];
        assert_eq!(place(&stages), ", most in stage 1 (dimension 1, 61 % of the blocked cycles)");
        let stages = [stage(0, Some(2), 30), stage(1, None, 60), stage(2, Some(0), 30)];
        let two = ", most in stage 1 (50 % of the blocked cycles) and in stage 0 (dimension 2, 25 % of the blocked cycles)";
        assert_eq!(place(&stages), two);
    }

    #[test]
    fn stages_without_blocked_cycles_are_no_place() {
        assert_eq!(place(&[stage(0, Some(0), 0)]), "");
    }
}
