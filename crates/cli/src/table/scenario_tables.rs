//! The pages of `cubefold check` (the runs of each scenario) and `cubefold measure` (metrics down, embeddings
//! across), which run nothing.

use cubefold_experiment::{
    Definition, PhysicalScale, Run, Scenario,
    export::{PlacementEntry, PlannedRun, Row, RunCaption, counted},
};

use super::{Page, TextTable, result_notes::construction_notes, results_page::SweptColumns};
use crate::grouping::{self, by_scenario, captions};

/// The runs of each scenario, with what they differ in.
pub(crate) fn check_table(scenarios: &[Scenario], planned: &[PlannedRun]) -> Page {
    let mut page = Page::default();
    for ((scenario, planned), read) in by_scenario(&captions(scenarios), planned).zip(scenarios) {
        page.heading(&format!("{} ({})", scenario.name, read.path.display()));
        let mut header = vec!["run".to_owned()];
        let swept = SweptColumns::new(&scenario.runs.iter().collect::<Vec<_>>(), |_| true);
        header.extend(swept.header());
        header.extend(["embedding", "processes", "nodes", "stages"].map(str::to_owned));
        let words = header.len() - 3;
        let row = |(run, plan): (&RunCaption, &PlannedRun)| {
            let mut row = vec![plan.run.to_string()];
            row.extend(swept.cells(run));
            row.push(plan.embedding.clone());
            row.extend([plan.processes, plan.nodes, plan.stages].map(|number| number.to_string()));
            row
        };
        let rows = scenario.runs.iter().zip(planned).map(row).collect();
        page.table(TextTable { header, rows, words, ..TextTable::default() });
        page.notes(scale_notes(&read.runs));
    }
    let runs = planned.len();
    page.notes(vec![match runs {
        1 => "No errors; 1 run.".to_owned(),
        runs => format!("No errors; {runs} runs."),
    }]);
    page
}

/// Sentences on the cycles of machines that are described by bandwidth and latency, each once.
fn scale_notes(runs: &[Run]) -> Vec<String> {
    let mut notes: Vec<String> = vec![];
    for note in runs.iter().filter_map(|run| run.scale.as_ref()).map(PhysicalScale::describe) {
        if !notes.contains(&note) {
            notes.push(note);
        }
    }
    notes
}

/// A table for each combination of each scenario; one for several in a row whose placements are the same.
pub(crate) fn measure_table(scenarios: &[Scenario], entries: &[PlacementEntry]) -> Page {
    let mut page = Page::default();
    for ((scenario, mut entries), read) in by_scenario(&captions(scenarios), entries).zip(scenarios) {
        let mut tables: Vec<(Vec<String>, &[PlacementEntry])> = vec![];
        for group in read.combinations() {
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
    let settings: Vec<String> = run
        .combination
        .iter()
        .map(|(path, value)| format!("{path} = {}", grouping::shown(path, value)))
        .collect();
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
        [first, more @ ..] => {
            format!("{name}: {first}, and {} alike", counted(more.len() as u64, "more combination"))
        }
        [] => name.to_owned(),
    }
}

/// The metrics that are shown, by their names in files.
const METRICS: [&str; 14] = [
    "placement_constant_distances",
    "placement_average_distance",
    "placement_dilation_max",
    "placement_dilation_total",
    "placement_node_load_max",
    "placement_node_load_min",
    "placement_node_load_mean",
    "placement_link_congestion_max",
    "placement_link_congestion_mean",
    "placement_node_congestion_max",
    "placement_node_congestion_mean",
    LOAD,
    "placement_expansion",
    "placement_node_evenness",
];

/// The metric that is shown with its least value beside it.
const LOAD: &str = "placement_load_max";

fn metrics(entries: &[PlacementEntry]) -> TextTable {
    let header =
        std::iter::once("metric".to_owned()).chain(entries.iter().map(|entry| entry.embedding.clone()));
    let cells: Vec<Row<'_>> = entries.iter().map(|entry| Row::new(&entry.placement)).collect();
    let row = |name: &'static str| {
        let title = if name == LOAD { "load, largest and least" } else { Definition::title_of(name) };
        std::iter::once(title.to_owned()).chain(cells.iter().map(|row| shown(row, name))).collect()
    };
    let rows = METRICS.into_iter().map(row).chain(distances(entries)).collect();
    TextTable { header: header.collect(), rows, words: 1, ..TextTable::default() }
}

fn shown(row: &Row<'_>, name: &str) -> String {
    match name {
        LOAD => format!("{} {}", row.cell(LOAD), row.cell("placement_load_min")),
        name => row.cell(name).shown().unwrap_or_else(|| "none".to_owned()),
    }
}

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
