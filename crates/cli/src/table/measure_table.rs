//! The page of `cubefold measure`: metrics down, embeddings across.

use cubefold_experiment::{
    Run, Scenario,
    export::{PlacementEntry, PlacementRecord},
};

use super::{Page, TextTable, result_notes::construction_notes};
use crate::{
    grouping::{by_scenario, captions, combinations},
    swept_value::plain,
};

/// A table for each combination of each scenario; one for several in a row whose placements are the same.
pub(crate) fn measure_table(scenarios: &[Scenario], entries: &[PlacementEntry]) -> Page {
    let mut page = Page::default();
    for ((scenario, mut entries), read) in by_scenario(&captions(scenarios), entries).zip(scenarios) {
        let mut tables: Vec<(Vec<String>, &[PlacementEntry])> = vec![];
        for group in combinations(&read.runs) {
            let (own, rest) = entries.split_at(group.len());
            entries = rest;
            let settings = group.first().map(settings).unwrap_or_default();
            match tables.last_mut() {
                Some((alike, known)) if same_placements(known, own) => alike.push(settings),
                _ => tables.push((vec![settings], own)),
            }
        }
        for (alike, entries) in tables {
            page.heading(&heading(&scenario.name, &alike));
            page.table(metrics(entries));
        }
        page.notes(construction_notes(&scenario.runs));
    }
    page.notes(vec!["Distances and dilations in links; loads and congestions in guest edges.".to_owned()]);
    page
}

/// What the sweep sets in a run.
fn settings(run: &Run) -> String {
    let settings: Vec<String> =
        run.combination.iter().map(|(path, value)| format!("{path} = {}", plain(value))).collect();
    settings.join(", ")
}

fn same_placements(one: &[PlacementEntry], other: &[PlacementEntry]) -> bool {
    let described = |entry: &PlacementEntry| (entry.embedding.clone(), entry.placement.clone());
    one.iter().map(described).eq(other.iter().map(described))
}

/// The scenario's name with the combinations that a table is for.
fn heading(name: &str, combinations: &[String]) -> String {
    match combinations {
        [only] if only.is_empty() => name.to_owned(),
        [only] => format!("{name}: {only}"),
        [first, more @ ..] => format!("{name}: {first}, and {} more combinations alike", more.len()),
        [] => name.to_owned(),
    }
}

fn metrics(entries: &[PlacementEntry]) -> TextTable {
    let header =
        std::iter::once("metric".to_owned()).chain(entries.iter().map(|entry| entry.embedding.clone()));
    let mut rows = vec![];
    for (name, cell) in METRICS {
        let cells = entries.iter().map(|entry| cell(&entry.placement));
        rows.push(std::iter::once((*name).to_owned()).chain(cells).collect());
    }
    rows.extend(distances(entries));
    TextTable { header: header.collect(), rows, words: 1, gives_way: &[] }
}

type Metric = (&'static str, fn(&PlacementRecord) -> String);

const METRICS: &[Metric] = &[
    ("constant distances", |placement| if placement.constant_distances { "yes" } else { "no" }.to_owned()),
    ("average distance", |placement| fraction(placement.average_distance)),
    ("dilation, largest", |placement| placement.dilation.max.to_string()),
    ("dilation, total", |placement| placement.dilation.total.to_string()),
    ("node load, largest", |placement| placement.node_load.max.to_string()),
    ("node load, least", |placement| placement.node_load.min.to_string()),
    ("node load, mean", |placement| fraction(placement.node_load.mean)),
    ("link congestion, largest", |placement| placement.link_congestion.max.to_string()),
    ("link congestion, mean", |placement| fraction(placement.link_congestion.mean)),
    ("node congestion, largest", |placement| placement.node_congestion.max.to_string()),
    ("node congestion, mean", |placement| fraction(placement.node_congestion.mean)),
    ("load, largest and least", |placement| format!("{} {}", placement.load.max, placement.load.min)),
    ("expansion", |placement| fraction(placement.expansion)),
    ("node evenness", |placement| fraction(placement.node_evenness)),
];

/// A row for each guest dimension: its distance, or the least and greatest.
fn distances(entries: &[PlacementEntry]) -> Vec<Vec<String>> {
    let of = |entry: &'_ PlacementEntry, dimension: usize| {
        let distances = entry.placement.distances.as_deref().and_then(|all| all.get(dimension));
        distances.map_or_else(String::new, |own| {
            if own.min == own.max { own.min.to_string() } else { format!("{} to {}", own.min, own.max) }
        })
    };
    let dimensions =
        entries.iter().filter_map(|entry| entry.placement.distances.as_ref()).map(Vec::len).max();
    (0..dimensions.unwrap_or(0))
        .map(|dimension| {
            let cells = entries.iter().map(|entry| of(entry, dimension));
            std::iter::once(format!("distance, dimension {dimension}")).chain(cells).collect()
        })
        .collect()
}

fn fraction(value: Option<f64>) -> String {
    value.map_or_else(|| "none".to_owned(), |value| format!("{value:.3}"))
}
