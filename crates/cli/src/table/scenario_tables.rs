//! The pages of `cubefold check` (the runs of each scenario) and `cubefold measure` (metrics down, embeddings
//! across), which run nothing.

use std::{
    cell::RefCell,
    io::{self, Write},
    rc::Rc,
};

use cubefold_records::{Definition, PlacementEntry, PlannedRun, Row, RunCaption, counted};
use cubefold_scenario::{CheckedScenario, CheckedScenarios, PhysicalLinks, Run, Scenario, ScenarioError};

use super::{
    Page, Style, TextTable, long_table::LongTable, result_notes::construction_notes,
    results_page::SweptColumns,
};
use crate::grouping::{self, captions};

/// Writes the runs of each scenario, with the settings in which they differ.
pub(crate) fn write_checked(
    checked: &CheckedScenarios,
    output: &mut impl Write,
    style: Style,
) -> io::Result<()> {
    output.write_all(style.preamble().as_bytes())?;
    let mut before = 0;
    for scenario in checked.scenarios() {
        let mut page = Page::default();
        page.heading(&format!("{} ({})", scenario.name, scenario.path.display()));
        writeln!(output, "{}", page.written(style))?;
        let notes = RefCell::new(vec![]);
        listing(checked, scenario, before, &notes).write(output, style)?;
        writeln!(output)?;
        let mut page = Page::default();
        page.notes(notes.into_inner());
        output.write_all(page.written(style).as_bytes())?;
        if !page.is_empty() {
            writeln!(output)?;
        }
        before += scenario.run_count;
    }
    let mut page = Page::default();
    page.notes(vec![match checked.run_count() {
        1 => "No errors; 1 run.".to_owned(),
        runs => format!("No errors; {runs} runs."),
    }]);
    output.write_all(page.written(style).as_bytes())
}

/// The table of the runs of a scenario; `before` is the number of runs before it. Adds sentences on their cycles to
/// `notes`, each once.
fn listing<'a>(
    checked: &'a CheckedScenarios,
    scenario: &'a CheckedScenario,
    before: usize,
    notes: &'a RefCell<Vec<String>>,
) -> LongTable<impl Fn() -> Box<dyn Iterator<Item = io::Result<Vec<String>>> + 'a>> {
    let swept = Rc::new(SweptColumns::new(scenario.combinations(), |_| true));
    let mut header = vec!["run".to_owned()];
    header.extend(swept.header());
    header.extend(["embedding", "processes", "nodes", "stages"].map(str::to_owned));
    let words = header.len() - 3;
    let rows = move || {
        let swept = Rc::clone(&swept);
        let runs = checked.runs_of(scenario).enumerate();
        let row = move |(place, run): (usize, Result<Run, ScenarioError>)| {
            let run = run.map_err(io::Error::other)?;
            add_notes(run.physical_links.as_deref(), &mut notes.borrow_mut());
            add_new(&run.notes(), &mut notes.borrow_mut());
            add_new(&written_out(&run), &mut notes.borrow_mut());
            let plan = PlannedRun::new(before + place, &run);
            let mut row = vec![plan.run.to_string()];
            row.extend(swept.cells(&run.combination));
            let is_placed = run.program.open_loop.is_none();
            row.push(if is_placed { plan.embedding } else { String::new() });
            row.extend([plan.processes, plan.nodes, plan.stages].map(|number| number.to_string()));
            Ok(row)
        };
        Box::new(runs.map(row)) as Box<dyn Iterator<Item = _>>
    };
    LongTable { header, words, rows }
}

/// Adds sentences on the cycles of a machine with bandwidth and latency, unless `notes` already has them.
fn add_notes(links: Option<&PhysicalLinks>, notes: &mut Vec<String>) {
    for note in links.into_iter().flat_map(PhysicalLinks::describe) {
        if !notes.contains(&note) {
            notes.push(note);
        }
    }
}

/// Sentences on the pipelines of a job, whose steps JSON lists.
fn written_out(run: &Run) -> Vec<String> {
    let sentences = run.program.pipelines.iter().map(|pipeline| {
        let steps: usize = pipeline.tasks.iter().map(|task| task.last + 1 - task.first).sum();
        format!("Pipeline {:?} is written out as {steps} steps, which --format json lists.", pipeline.name)
    });
    sentences.collect()
}

/// Adds the sentences that `notes` does not have yet.
fn add_new(sentences: &[String], notes: &mut Vec<String>) {
    for sentence in sentences {
        if !notes.contains(sentence) {
            notes.push(sentence.clone());
        }
    }
}

/// The metrics of the placements of each scenario, metrics down. Consecutive combinations with the same placements count as
/// one; several have one table, a row for each placement.
pub(crate) fn measure_table(scenarios: &[Scenario], entries: &[PlacementEntry]) -> Page {
    let mut page = Page::default();
    let (mut entries, mut runs) = (entries, 0); // the remaining entries, and the number of runs before them
    for (scenario, read) in captions(scenarios).iter().zip(scenarios) {
        let all = entries;
        let mut tables: Vec<(Vec<String>, &[PlacementEntry])> = vec![];
        for group in read.combinations() {
            runs += group.len() as u64;
            // A run of several programs has an entry for each.
            let (of_group, rest) = entries.split_at(entries.partition_point(|entry| entry.run < runs));
            entries = rest;
            let settings = group.first().map(settings).unwrap_or_default();
            match tables.last_mut() {
                Some((alike, known)) if same_placements(known, of_group) => alike.push(settings),
                _ => tables.push((vec![settings], of_group)),
            }
        }
        if let [(alike, entries)] = &tables[..] {
            page.heading(&heading(&scenario.name, alike));
            page.table(metrics(entries));
        } else {
            page.heading(&scenario.name);
            page.table(placements(&scenario.runs, &all[..all.len() - entries.len()]));
            page.notes(vec!["More metrics: --format csv, or one combination with --set.".to_owned()]);
        }
        page.notes(construction_notes(&scenario.runs));
        let mut told = vec![];
        read.runs.iter().for_each(|run| add_new(&run.notes(), &mut told));
        told.extend(note_on_routers(&read.runs));
        page.notes(told);
        page.notes(path_notes(&scenario.runs, &all[..all.len() - entries.len()]));
    }
    page.notes(vec![
        "Distances and dilations in links; node load (routes through a node) and congestions in guest edges."
            .to_owned(),
    ]);
    page
}

/// A sentence on the routes over which congestion is counted, if routers choose others.
fn note_on_routers(runs: &[Run]) -> Option<String> {
    let mut routers = runs.iter().filter_map(|run| run.communication.routers());
    let routers = routers.find(|routers| !routers.takes_machine_routes())?;
    Some(format!(
        "Load and congestion are counted over the routes without routers, not those of routing {}; \
         draw links --measure busy-cycles shows those of a run.",
        routers.routing.name()
    ))
}

/// Sentences on the paths over which congestion is counted, if the embeddings set the routing.
fn path_notes(runs: &[RunCaption], entries: &[PlacementEntry]) -> Vec<String> {
    let mut notes: Vec<String> = vec![];
    for (run, entry) in runs.iter().zip(entries) {
        // Notes of runs say which embeddings have no paths of their own.
        if entry.placement.paths.as_deref() != Some("embedding") {
            continue;
        }
        let is_other = |(other, entry): (&RunCaption, &PlacementEntry)| {
            other.embedding == run.embedding && entry.placement.paths.is_none()
        };
        let when = if runs.iter().zip(entries).any(is_other) { " under routing by embedding," } else { "" };
        let note = format!(
            "{}:{when} load and congestion are counted over the embedding's own paths.",
            run.embedding
        );
        if !notes.contains(&note) {
            notes.push(note);
        }
    }
    notes
}

/// The swept settings of a run.
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

/// The scenario's name with the combinations of a table.
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

/// A row for each placement: the swept settings, the promised dilation with its source, and the main metrics.
fn placements(runs: &[RunCaption], entries: &[PlacementEntry]) -> TextTable {
    let first = entries.first().map_or(0, |entry| entry.run);
    let run_of = |entry: &PlacementEntry| runs.get(usize::try_from(entry.run - first).unwrap_or(usize::MAX));
    let swept = SweptColumns::new(runs.iter().map(|run| &run.combination), |_| true);
    let title =
        |name: &'static str| if name == LOAD { PROCESSES } else { Definition::title_of(name) }.to_owned();
    let mut header = swept.header();
    header.extend(["embedding", "source"].map(str::to_owned));
    let words = header.len();
    header.push("promised".to_owned());
    header.extend(["placement_dilation_max", "dilation_bound"].into_iter().chain(MAIN_METRICS).map(title));
    let row = |entry: &PlacementEntry| {
        let values = Row::new(&entry.placement);
        let mut cells = run_of(entry).map(|run| swept.cells(&run.combination)).unwrap_or_default();
        cells.push(entry.embedding.clone());
        let construction = entry.placement.construction.as_ref();
        let promised = construction.map(|construction| match &*construction.promised_dilation_is {
            "exact" => construction.promised_dilation.to_string(),
            most => format!("{most} {}", construction.promised_dilation),
        });
        cells.push(construction.map_or_else(String::new, |construction| construction.theorem.to_string()));
        cells.push(promised.unwrap_or_default());
        cells.push(shown(&values, "placement_dilation_max"));
        cells.push(entry.dilation_bound.map(|bound| bound.to_string()).unwrap_or_default());
        cells.extend(MAIN_METRICS.map(|name| shown(&values, name)));
        cells
    };
    TextTable {
        header,
        rows: entries.iter().map(row).collect(),
        words,
        gives_way: GIVES_WAY,
        ..TextTable::default()
    }
}

/// The metrics of a row apart from its dilation, by their names in files.
const MAIN_METRICS: [&str; 4] =
    ["placement_average_distance", "placement_link_congestion_max", LOAD, "placement_expansion"];

/// The title of the column of [`LOAD`].
const PROCESSES: &str = "processes on a node";

/// The columns of placements that are left out first.
const GIVES_WAY: &[&str] =
    &["expansion", PROCESSES, "link congestion, largest", "average distance", "least dilation, bound"];

/// The shown metrics, by their names in files.
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

/// The metrics that are weighed by the sizes of messages.
const WEIGHTED: [&str; 5] = [
    "placement_hop_units",
    "placement_weighted_distance",
    "placement_link_units_max",
    "placement_link_units_mean",
    "placement_channel_units_max",
];

/// The metric that is shown with its lower bound.
const LOAD: &str = "placement_load_max";

fn metrics(entries: &[PlacementEntry]) -> TextTable {
    // The exchange distinguishes the programs of one run, of which the fastest counts.
    let has_several = entries.windows(2).any(|two| two[0].run == two[1].run);
    let name = |entry: &PlacementEntry| match &entry.program.collective {
        Some(collective) if has_several => match collective.exchange.as_ref() {
            Some(exchange) => format!("{}, {exchange}", entry.embedding),
            None => entry.embedding.clone(),
        },
        _ => entry.embedding.clone(),
    };
    let header = std::iter::once("metric".to_owned()).chain(entries.iter().map(name));
    let cells: Vec<Row<'_>> = entries.iter().map(|entry| Row::new(&entry.placement)).collect();
    let row = |name: &'static str| {
        let title = if name == LOAD { PROCESSES } else { Definition::title_of(name) };
        std::iter::once(title.to_owned()).chain(cells.iter().map(|row| shown(row, name))).collect()
    };
    let is_weighted = entries.iter().any(|entry| entry.placement.hop_units.is_some());
    let weighted = WEIGHTED.into_iter().filter(|_| is_weighted);
    let bound =
        (entries.iter().any(|entry| entry.dilation_bound.is_some())).then(|| dilation_bounds(entries));
    let metrics = METRICS.into_iter().chain(weighted).map(row);
    let rows = metrics.chain(bound).chain(distances(entries)).collect();
    TextTable { header: header.collect(), rows, words: 1, ..TextTable::default() }
}

fn shown(row: &Row<'_>, name: &str) -> String {
    match name {
        LOAD => {
            let (most, least) = (row.cell(LOAD).to_string(), row.cell("placement_load_min").to_string());
            if most == least { most } else { format!("{least} to {most}") }
        }
        name => row.cell(name).shown().unwrap_or_else(|| "none".to_owned()),
    }
}

/// The bounds of dilation over all placements, with their sources.
fn dilation_bounds(entries: &[PlacementEntry]) -> Vec<String> {
    let cell = |entry: &PlacementEntry| match (entry.dilation_bound, &entry.dilation_bound_source) {
        (Some(bound), Some(source)) => format!("{bound} ({source})"),
        _ => String::new(),
    };
    let title = Definition::title_of("dilation_bound").to_owned();
    std::iter::once(title).chain(entries.iter().map(cell)).collect()
}

/// A row for each guest dimension: its distance, or the least and greatest.
fn distances(entries: &[PlacementEntry]) -> Vec<Vec<String>> {
    let of = |entry: &'_ PlacementEntry, dimension: usize| {
        let distances = entry.placement.distances.as_deref().and_then(|all| all.get(dimension));
        distances.map_or_else(String::new, |distance| {
            if distance.min == distance.max {
                distance.min.to_string()
            } else {
                format!("{} to {}", distance.min, distance.max)
            }
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
