//! `cubefold draw`: one picture.

mod animation;

use std::{ffi::OsStr, io::Write, path::Path, slice};

use cubefold_picture::{
    ComparedRun, DarkestValue, LinkMeasure, MAX_BARS, Picture, PictureError, PngError, ResultsTable,
    ScalingColumns, Window, animation, check_machine, goodput, histogram, latency, link_map, pipelining,
    placement_grid, scaling, space_time, spectrum, still, time_shares, timeline,
};
use cubefold_records::{PlacementRecord, RunRecord};
use cubefold_runs::{
    KeepRecords, Progress, busy_links, check_placements, check_runs, link_congestion, measure_runs,
};
use cubefold_scenario::{Run, Scenario, SweptValue};

use super::execution::{finished, pool_for, records};
use crate::{
    arguments::{DrawOptions, Drawing, FileOption, LinkColumn, OneRunOptions, SharedOptions, Span},
    failure::Failure,
    format::{OutputFormat, PictureFormat},
    grouping::{one_run, refuse_open_loop, run_names, shown},
    output::{Output, refuse_as_output},
};

#[expect(clippy::too_many_lines, reason = "one arm for each picture")]
pub(super) fn draw(options: &DrawOptions, shared: &SharedOptions) -> Result<(), Failure> {
    let format = match options.what {
        Drawing::Animation { cycle: None, .. } => PictureFormat::Svg, // of the pictures on the page
        _ => PictureFormat::decide(options.format, shared.output())?,
    };
    match &options.what {
        Drawing::SpaceTime { run, processes, cycles } => {
            let window = window(processes.as_ref(), cycles.as_ref(), shared);
            of_one_run(run, shared, format, |run| {
                let finished = finished(&[run], KeepRecords::Yes, shared)?;
                space_time(&caption(run), run, &finished[0], &window).map_err(refused)
            })
        }
        Drawing::Timeline { run, lanes, ranks, cycles } => {
            let window = window(ranks.as_ref(), cycles.as_ref(), shared);
            of_one_run(run, shared, format, |run| {
                let finished = finished(&[run], KeepRecords::WithOperations, shared)?;
                timeline(&caption(run), run, &finished[0], &window, lanes.map(|name| name.0)).map_err(refused)
            })
        }
        Drawing::Placement { run, dimension } => {
            of_one_run(run, shared, format, |run| placement_grid(run, *dimension).map_err(refused))
        }
        Drawing::Links { run, measure, max } => {
            let darkest = max.map(|max| max.0);
            of_one_run(run, shared, format, |run| links(run, *measure, darkest, shared))
        }
        Drawing::Histogram(run) => of_one_run(run, shared, format, |run| {
            let finished = finished(&[run], KeepRecords::No, shared)?;
            histogram(&caption(run), run, &finished[0].outcome.summary).map_err(refused)
        }),
        Drawing::Animation { file, embedding, run, cycle: None } => {
            animation::check_page(options.format, shared.output())?;
            animation::animate(file, (embedding, run), shared, |name, runs, output| {
                let page = animation(name, runs).map_err(refused)?;
                output.write(|output| output.write_all(page.as_bytes()))
            })
        }
        Drawing::Animation { file, embedding, run, cycle: Some(cycle) } => {
            animation::animate(file, (embedding, run), shared, |name, runs, output| {
                write(output, &still(name, runs, *cycle).map_err(refused)?, format, shared)
            })
        }
        Drawing::Spectrum(file) => {
            let draw = |scenario: &Scenario| draw_spectrum(scenario, shared);
            of_scenario(file, ScenarioPicture::OfProcesses, shared, format, draw)
        }
        Drawing::Compare(file) => {
            let draw = |scenario: &Scenario| draw_compare(scenario, shared);
            of_scenario(file, ScenarioPicture::OfProcesses, shared, format, draw)
        }
        Drawing::Goodput(file) => {
            of_records(file, ScenarioPicture::OfProcesses, shared, format, goodput, all_records)
        }
        Drawing::Latency(file) => {
            of_records(file, ScenarioPicture::OfTraffic, shared, format, latency, records_of_loads)
        }
        Drawing::Pipelining(file) => {
            of_records(file, ScenarioPicture::OfProcesses, shared, format, pipelining, records_of_parts)
        }
        Drawing::Scaling { file, x, y, by, only } => of_results(file, shared, format, |table| {
            let table = only
                .iter()
                .try_fold(table, |table, chosen| table.with_values(&chosen.column, &chosen.value))?;
            let up = y.as_deref().unwrap_or_else(|| table.makespan_column());
            scaling(&table, ScalingColumns { across: x, up, by })
        }),
    }
}

/// The requested part of a run.
fn window(rows: Option<&Span>, cycles: Option<&Span>, shared: &SharedOptions) -> Window {
    let range = |span: Option<&Span>| span.map(|span| span.0.clone());
    let memory = Some(shared.resources().memory);
    Window { processes: range(rows), cycles: range(cycles), memory }
}

/// Whether a file has the extension of results; otherwise it is a scenario.
fn is_results(file: &Path) -> bool {
    let extension = file.extension().and_then(OsStr::to_str);
    extension.is_some_and(|extension| ["csv", "json", "jsonl", "parquet"].contains(&extension))
}

/// Draws results of `run --output`.
fn of_results(
    file: &Path,
    shared: &SharedOptions,
    format: PictureFormat,
    draw: impl FnOnce(ResultsTable) -> Result<Picture, PictureError>,
) -> Result<(), Failure> {
    refuse_as_output([file], shared.output(), "results", "picture")?;
    let output = Output::open(shared, &[])?;
    let table = ResultsTable::read(file, shared.resources().memory).map_err(refused)?;
    write(output, &draw(table).map_err(refused)?, format, shared)
}

fn write(
    output: Output,
    picture: &Picture,
    format: PictureFormat,
    shared: &SharedOptions,
) -> Result<(), Failure> {
    let memory = shared.resources().memory;
    let unpaintable =
        |error: PngError| Failure::usage(error.to_string(), "write it as .svg, or draw a smaller part");
    let bytes = match format {
        PictureFormat::Svg => picture.svg().as_bytes().to_vec(),
        PictureFormat::Png => picture.png(memory).map_err(unpaintable)?,
        PictureFormat::Pdf => picture.pdf(memory).map_err(unpaintable)?,
        PictureFormat::Tikz => picture.tikz(memory).map_err(unpaintable)?.into_bytes(),
    };
    output.write(|output| output.write_all(&bytes))
}

/// Draws one run. The output is opened first, so that no time is lost on a picture that cannot be written.
fn of_one_run(
    options: &OneRunOptions,
    shared: &SharedOptions,
    format: PictureFormat,
    draw: impl FnOnce(&Run) -> Result<Picture, Failure>,
) -> Result<(), Failure> {
    let scenarios = options.scenario.load(shared)?;
    let run = one_run(&scenarios, options)?;
    refuse_open_loop([run], "a picture of one run")?;
    let output = Output::open(shared, &scenarios)?;
    write(output, &draw(run)?, format, shared)
}

/// The programs that a picture of a scenario shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ScenarioPicture {
    /// Programs with processes.
    OfProcesses,
    /// Open-loop traffic.
    OfTraffic,
}

/// Draws a scenario, with the output opened first.
fn of_scenario(
    file: &FileOption,
    kind: ScenarioPicture,
    shared: &SharedOptions,
    format: PictureFormat,
    draw: impl FnOnce(&Scenario) -> Result<Picture, Failure>,
) -> Result<(), Failure> {
    let scenarios = file.load(shared)?;
    if kind == ScenarioPicture::OfProcesses {
        refuse_open_loop(&scenarios[0].runs, "this picture")?;
    }
    let output = Output::open(shared, &scenarios)?;
    write(output, &draw(&scenarios[0])?, format, shared)
}

/// Draws results of `run --output`, or those of a scenario, which `execute` makes.
fn of_records(
    option: &FileOption,
    kind: ScenarioPicture,
    shared: &SharedOptions,
    format: PictureFormat,
    draw: fn(&str, &ResultsTable) -> Result<Picture, PictureError>,
    execute: fn(&Scenario, &SharedOptions) -> Result<Vec<RunRecord>, Failure>,
) -> Result<(), Failure> {
    let file = &option.file;
    if is_results(file) {
        let name = file.file_stem().unwrap_or_default().to_string_lossy();
        return of_results(file, shared, format, |table| draw(&name, &table));
    }
    of_scenario(option, kind, shared, format, |scenario| {
        let records = execute(scenario, shared)?;
        draw(&scenario.name, &ResultsTable::of(&records)).map_err(refused)
    })
}

fn links(
    run: &Run,
    column: LinkColumn,
    darkest: Option<DarkestValue>,
    shared: &SharedOptions,
) -> Result<Picture, Failure> {
    // Machines that cannot be drawn need no counts.
    check_machine(&run.machine).map_err(refused)?;
    let (measure, links) = match column {
        LinkColumn::Congestion => (LinkMeasure::Congestion, link_congestion(run)),
        LinkColumn::BusyCycles => {
            check_runs(&[run], shared.resources(), KeepRecords::No).map_err(Failure::Refused)?;
            let busy = busy_links(run, 0).map_err(Failure::Refused)?;
            (LinkMeasure::BusyCycles { makespan: busy.makespan }, busy.links)
        }
    };
    link_map(run, measure, &links, darkest).map_err(refused)
}

fn draw_spectrum(scenario: &Scenario, shared: &SharedOptions) -> Result<Picture, Failure> {
    let runs: Vec<&Run> = scenario.runs.iter().collect();
    let resources = shared.resources();
    check_placements(&runs, resources).map_err(Failure::Refused)?;
    let mut entries = measure_runs(&pool_for(&runs, resources)?, &runs, resources, &Progress::default());
    // If a run has several programs, the first is drawn.
    entries.dedup_by_key(|entry| entry.run);
    let placements = entries.into_iter().map(|entry| entry.placement).collect();
    spectrum(&scenario.name, &different(&scenario.runs, placements)).map_err(refused)
}

/// The distinct placements with their names; a sweep need not change the placement. If an embedding has only one, its
/// name is enough.
fn different(runs: &[Run], placements: Vec<PlacementRecord>) -> Vec<(String, PlacementRecord)> {
    let mut found: Vec<(&Run, String, PlacementRecord)> = vec![];
    for ((run, name), placement) in runs.iter().zip(run_names(runs)).zip(placements) {
        let is_known = |(known, _, drawn): &(&Run, String, PlacementRecord)| {
            known.embedding.to_string() == run.embedding.to_string() && *drawn == placement
        };
        if !found.iter().any(is_known) {
            found.push((run, name, placement));
        }
    }
    let embeddings: Vec<String> = found.iter().map(|(run, ..)| run.embedding.to_string()).collect();
    let only = |embedding: &String| embeddings.iter().filter(|other| *other == embedding).count() == 1;
    let named = found.into_iter().zip(&embeddings).map(|((_, name, placement), embedding)| {
        (if only(embedding) { embedding.clone() } else { name }, placement)
    });
    named.collect()
}

fn all_records(scenario: &Scenario, shared: &SharedOptions) -> Result<Vec<RunRecord>, Failure> {
    records(&scenario.runs.iter().collect::<Vec<_>>(), shared)
}

fn records_of_loads(scenario: &Scenario, shared: &SharedOptions) -> Result<Vec<RunRecord>, Failure> {
    if scenario.runs.iter().all(|run| run.program.open_loop.is_none()) {
        return Err(refused(PictureError::NoLoads));
    }
    all_records(scenario, shared)
}

/// The records of all numbers of parts that runs try, not only the best.
fn records_of_parts(scenario: &Scenario, shared: &SharedOptions) -> Result<Vec<RunRecord>, Failure> {
    let all: Vec<Run> = scenario.runs.iter().flat_map(Run::of_each_program).collect();
    if all.iter().all(|run| run.program.exchange.is_none()) {
        return Err(refused(PictureError::NoParts));
    }
    records(&all.iter().collect::<Vec<_>>(), shared)
}

fn draw_compare(scenario: &Scenario, shared: &SharedOptions) -> Result<Picture, Failure> {
    let found = scenario.runs.len();
    if found > MAX_BARS {
        return Err(refused(PictureError::TooManyRuns { found, most: MAX_BARS }));
    }
    let records = all_records(scenario, shared)?;
    time_shares(&scenario.name, &compared_runs(&scenario.runs, &records)).map_err(refused)
}

/// The runs with their results; runs that differ only in embedding and algorithm form a group.
fn compared_runs<'a>(runs: &[Run], records: &'a [RunRecord]) -> Vec<ComparedRun<'a>> {
    let compared = |((run, name), record): ((&Run, String), &'a RunRecord)| {
        let (group, bar) = group_and_bar(run);
        ComparedRun { name, group, bar, record }
    };
    runs.iter().zip(run_names(runs)).zip(records).map(compared).collect()
}

/// The swept values that a run shares with the runs it is compared with, and the settings in which it differs from them:
/// embedding and algorithm.
pub(super) fn group_and_bar(run: &Run) -> (String, String) {
    let is_algorithm = |(path, _): &&SweptValue| &**path == "program.algorithm";
    let (algorithms, others): (Vec<_>, Vec<_>) = run.combination.iter().partition(is_algorithm);
    // A number needs its key.
    let named = |(path, value): &SweptValue| match (shown(path, value), path.rsplit('.').next()) {
        (value, Some(key)) if value.parse::<f64>().is_ok() => format!("{key} {value}"),
        (value, _) => value,
    };
    let group: Vec<String> = others.into_iter().map(named).collect();
    let algorithms = algorithms.into_iter().map(|(path, value)| shown(path, value));
    let bar: Vec<String> = [run.embedding.to_string()].into_iter().chain(algorithms).collect();
    (group.join(", "), bar.join(", "))
}

fn caption(run: &Run) -> String {
    format!("{}, {}", run.scenario, run_names(slice::from_ref(run))[0])
}

#[expect(clippy::needless_pass_by_value, reason = "what `map_err` asks for")]
pub(super) fn refused(error: PictureError) -> Failure {
    Failure::usage(error.to_string(), error.help())
}
