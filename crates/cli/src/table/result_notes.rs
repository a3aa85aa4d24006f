//! Sentences below tables of results: what columns mean, what bounds are, which constructions were taken.

use cubefold_experiment::{
    exact_mean,
    export::{RunCaption, RunRecord},
};

use super::{best_row, time_bar};
use crate::grouping::by_embedding;

/// A sentence on the lower bounds, where there are any.
pub(super) fn bound_note(records: &[RunRecord]) -> Option<String> {
    let mut sources: Vec<&str> =
        records.iter().filter_map(|record| record.lower_bound_source.as_deref()).collect();
    sources.sort_unstable();
    sources.dedup();
    match sources.as_slice() {
        [] => None,
        [source] => Some(format!("No placement finishes before the bound (known from a {source}).")),
        _ => Some("No placement finishes before the bound (known from a theorem or a preprint).".to_owned()),
    }
}

/// A sentence on coordinated runs, where there are any.
pub(super) fn coordination_note(records: &[RunRecord]) -> Option<String> {
    let coordinated = records.iter().any(|record| record.routing_steps.is_some());
    coordinated.then(|| "Coordinated: every stage lasts until its farthest message is there.".to_owned())
}

/// Sentences on which constructions of Tao's were taken, one for each embedding and construction.
pub(super) fn construction_notes(runs: &[RunCaption]) -> Vec<String> {
    let mut notes: Vec<String> = vec![];
    for note in runs.iter().filter_map(|run| run.construction.as_ref()) {
        if !notes.contains(note) {
            notes.push(note.clone());
        }
    }
    notes
}

/// For each embedding with lower bounds: whether it meets them, or how far it stays from them.
pub(super) fn bound_sentences(records: &[RunRecord]) -> Vec<String> {
    let records: Vec<&RunRecord> = records.iter().collect();
    let embeddings = by_embedding(&records, |record| record).into_iter();
    embeddings.filter_map(|(name, own)| bound_sentence(name, &own)).collect()
}

fn bound_sentence(name: &str, records: &[&RunRecord]) -> Option<String> {
    let ratio = |record: &&RunRecord| {
        // A bound of 0 cycles is met by runs of 0 cycles only, which have no ratio to it.
        exact_mean(record.makespan_cycles.into(), record.lower_bound_cycles?.into())
    };
    let ratios: Vec<f64> = records.iter().filter_map(ratio).collect();
    let (least, greatest) =
        (ratios.iter().copied().reduce(f64::min)?, ratios.iter().copied().reduce(f64::max)?);
    let met = met_bound(records);
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
    let met =
        bounded.iter().filter(|record| record.lower_bound_cycles == Some(record.makespan_cycles)).count();
    match (met, bounded.len()) {
        (0, _) => None,
        (1, 1) => Some("meets the lower bound".to_owned()),
        (met, all) if met == all => Some(format!("meets the lower bound in all {all}")),
        (met, all) => Some(format!("meets the lower bound in {met} of {all}")),
    }
}

/// What the columns mean.
pub(super) fn legend(runs: &[RunCaption], records: &[RunRecord]) -> Vec<String> {
    let mut notes =
        vec!["Times in cycles; waiting and blocked are sums over all processes and stages.".to_owned()];
    notes.extend(time_bar::legend(records));
    notes.extend(best_row::legend(runs, records));
    notes
}
