//! The pictures of the page, within its size limit.

use std::{collections::BTreeMap, sync::Arc};

use cubefold_records::{BusyLinks, PlacementRecord, RunRecord};
use cubefold_runs::link_congestion;
use cubefold_scenario::{Run, Scenario, SweptValue};

use super::{MAX_TEXT_BYTES, column::ReportedRun};
use crate::{
    ComparedRun, DarkestValue, LinkMeasure, MAX_BARS, MAX_PLACEMENTS, Picture, PictureError, ResultsTable,
    Window, goodput, histogram, latency, link_map, machine_name::machine_name, placement_grid, space_time,
    spectrum, time_shares, timeline,
};

/// The size limit of all pictures together \[bytes\]: the page stays below 3 MB.
const MAX_PICTURE_BYTES: usize = 2_600_000;

/// The size of the page without pictures, which does not count against their limit, and the size of a run's row
/// \[bytes\].
const PAGE_BYTES: [usize; 2] = [200_000, 4_000];

/// The maximum number of nodes of a machine that is drawn.
pub(super) const MAX_NODES: u64 = 256;

/// The approximate number of marks of a space-time diagram of the page.
const SPACE_TIME_MARKS: usize = 700;

/// A section with pictures.
#[derive(Debug)]
pub(super) struct Figure {
    pub(super) title: &'static str,
    pub(super) explanation: &'static str,
    pub(super) parts: Vec<Part>,
}

/// One picture, or the reason why it is left out: a sentence that continues "Left out:".
#[derive(Debug)]
pub(super) struct Part {
    pub(super) name: String,
    pub(super) open: bool,
    pub(super) picture: Result<Picture, String>,
}

/// All sections, on a page with an animation of `animation` bytes.
pub(super) fn figures(
    scenario: &Scenario,
    runs: &[ReportedRun<'_>],
    animation: usize,
) -> Result<Vec<Figure>, PictureError> {
    let [page, row] = PAGE_BYTES;
    let rest = (row * runs.len() + scenario.text.len().min(MAX_TEXT_BYTES)).saturating_sub(page);
    let mut budget = PageBudget { left: MAX_PICTURE_BYTES.saturating_sub(rest + animation) };
    let file = scenario.path.display().to_string();
    let latency = latencies(scenario, runs, &mut budget)?;
    if runs.iter().all(|run| run.record.open_loop.is_some()) {
        // Open-loop traffic has neither a placement nor stages.
        return Ok(latency.into_iter().collect());
    }
    let goodput = goodputs(scenario, runs, &mut budget)?;
    // The longest makespan of the runs side by side [cycles].
    let ends = greatest_beside(runs, runs.iter().map(|run| run.record.makespan_cycles.unwrap_or(0)));
    let shares = shares(scenario, runs, &mut budget)?;
    let figures = vec![
        Figure {
            title: "Distances",
            explanation: "The number of guest edges with each dilation, the distance between neighbours of the program.",
            parts: spectra(scenario, runs, &mut budget)?,
        },
        figure_per_run(runs, &mut budget, "Who does what when", SPACE_TIME, |run| {
            draw_activities(run, &file, ends.get(&settings_beside(run.run)).copied())
        }),
        figure_per_run(runs, &mut budget, "Waiting and blocked times", HISTOGRAM, |run| {
            histogram(&run.name, run.run, &run.finished.outcome.summary).map_err(|error| error.to_string())
        }),
        figure_per_placement(runs, &mut budget, "Placements", PLACEMENT, |run| {
            placement_grid(run.run, None).map_err(|error| error.to_string())
        }),
        links(runs, &mut budget),
    ];
    let first = latency.into_iter().chain(goodput).chain(shares);
    Ok(first.chain(figures).chain(busy_links(runs, &mut budget)).collect())
}

/// The latency of open-loop traffic over its load, if there is such traffic.
fn latencies(
    scenario: &Scenario,
    runs: &[ReportedRun<'_>],
    budget: &mut PageBudget,
) -> Result<Option<Figure>, PictureError> {
    let records: Vec<RunRecord> = runs.iter().map(|run| run.record.clone()).collect();
    let drawn = latency(&scenario.name, &ResultsTable::of(&records));
    single_figure(("Latency", LATENCY), "All loads".to_owned(), drawn, &PictureError::NoLoads, budget)
}

/// A section with one picture; `None` if it is refused because the runs have `nothing` to show.
fn single_figure(
    (title, explanation): (&'static str, &'static str),
    name: String,
    drawn: Result<Picture, PictureError>,
    nothing: &PictureError,
    budget: &mut PageBudget,
) -> Result<Option<Figure>, PictureError> {
    match drawn {
        Ok(picture) => {
            let part = Part { name, open: true, picture: budget.admit(Ok(picture)) };
            Ok(Some(Figure { title, explanation, parts: vec![part] }))
        }
        Err(error) if error == *nothing => Ok(None),
        Err(error) => Err(error),
    }
}

const LATENCY: &str = "The mean time of a packet from its making to its reception, over the load. Each line ends where the \
                       network saturates; a dashed line marks that load.";

/// The goodput of collectives over the size of their vectors, if there are collectives.
fn goodputs(
    scenario: &Scenario,
    runs: &[ReportedRun<'_>],
    budget: &mut PageBudget,
) -> Result<Option<Figure>, PictureError> {
    let is_collective = |run: &&ReportedRun<'_>| run.run.program.ranks.is_some();
    let records: Vec<RunRecord> = runs.iter().filter(is_collective).map(|run| run.record.clone()).collect();
    let drawn = goodput(&scenario.name, &ResultsTable::of(&records));
    let name = "All collectives".to_owned();
    single_figure(("Goodput", GOODPUT), name, drawn, &PictureError::NoSizes, budget)
}

const GOODPUT: &str = "The bytes of the vector over the makespan, for each size. The dotted line is what the lower \
                       bounds leave. Circles mark where the fastest changes.";

const SPACE_TIME: &str = "Processes, or ranks with their shares, down, time across, on one scale for runs that \
                          differ in embedding and algorithm alone. Time that a message is held up is drawn behind the time \
                          that it moves.";
const HISTOGRAM: &str = "How often a process waits so long in a stage, and its message is blocked so long. Counts \
                         grow by equal factors.";
const PLACEMENT: &str = "The node of every process. Dashed ends are wraparound links.";
const LINKS: &str = "The colour of a link says how many guest edges use it; one scale for all placements.";
const BUSY_LINKS: &str = "The colour of a link says how long its busier direction is busy in the run, in cycles, in percent of the \
                          makespan and in units. Runs that differ in embedding and algorithm alone have one scale.";

/// The links of placements by the number of guest edges that use them, on one scale.
fn links(runs: &[ReportedRun<'_>], budget: &mut PageBudget) -> Figure {
    let drawn = first_runs_of_placements(runs).into_iter().filter(|run| check_nodes(run).is_ok());
    let most = drawn.flat_map(|run| link_congestion(run.run)).map(|link| link.count).max();
    let darkest = darkest(most.unwrap_or(0));
    figure_per_placement(runs, budget, "Links", LINKS, |run| {
        link_map(run.run, LinkMeasure::Congestion, &link_congestion(run.run), darkest)
            .map_err(|error| error.to_string())
    })
}

/// The links of runs by their busy cycles, if any run counted them.
fn busy_links(runs: &[ReportedRun<'_>], budget: &mut PageBudget) -> Option<Figure> {
    let count = |run: &ReportedRun<'_>| {
        let not_counted = "there are too many messages to count busy cycles here. Use cubefold draw links --measure busy-cycles.";
        check_nodes(run).and_then(|()| run.finished.busy_links().ok_or_else(|| not_counted.to_owned()))
    };
    let counted: Vec<Result<BusyLinks, String>> = runs.iter().map(count).collect();
    if counted.iter().all(Result::is_err) {
        return None;
    }
    let most = |(run, busy): (&ReportedRun<'_>, &Result<BusyLinks, String>)| {
        busy.as_ref().map_or(0, |busy| {
            LinkMeasure::BusyCycles { makespan: busy.makespan }.greatest(run.run, &busy.links)
        })
    };
    // The end of the scale of the pictures side by side [cycles].
    let scales = greatest_beside(runs, runs.iter().zip(&counted).map(most));
    let part = |(place, (run, busy)): (usize, (&ReportedRun<'_>, Result<BusyLinks, String>))| {
        let darkest = scales.get(&settings_beside(run.run)).and_then(|&most| darkest(most));
        let picture = busy.and_then(|BusyLinks { makespan, links }| {
            link_map(run.run, LinkMeasure::BusyCycles { makespan }, &links, darkest)
                .map_err(|error| error.to_string())
        });
        Part { name: run.name.clone(), open: place == 0, picture: budget.admit(picture) }
    };
    let parts = runs.iter().zip(counted).enumerate().map(part).collect();
    Some(Figure { title: "Busy links", explanation: BUSY_LINKS, parts })
}

/// The swept values other than algorithms; runs that agree in them are side by side.
pub(super) fn settings_beside(run: &Run) -> Vec<&SweptValue> {
    run.combination.iter().filter(|(path, _)| &**path != "program.algorithm").collect()
}

/// The greatest value of the runs that agree in [`settings_beside`], by these settings.
fn greatest_beside<'run>(
    runs: &'run [ReportedRun<'_>],
    values: impl Iterator<Item = u64>,
) -> BTreeMap<Vec<&'run SweptValue>, u64> {
    let mut greatest: BTreeMap<Vec<&SweptValue>, u64> = BTreeMap::new();
    for (run, value) in runs.iter().zip(values) {
        let known = greatest.entry(settings_beside(run.run)).or_default();
        *known = value.max(*known);
    }
    greatest
}

/// The end of a scale; `None` if nothing is used.
fn darkest(most: u64) -> Option<DarkestValue> {
    (most > 0).then_some(DarkestValue::Count(most))
}

/// Whether the machine is small enough for the page.
fn check_nodes(run: &ReportedRun<'_>) -> Result<(), String> {
    match run.run.machine.node_count() {
        nodes if nodes > MAX_NODES => {
            Err(format!("{nodes} nodes are too many for this page. Use cubefold draw, or cubefold place."))
        }
        _ => Ok(()),
    }
}

/// The remaining size for pictures.
struct PageBudget {
    left: usize, // bytes
}

impl PageBudget {
    /// The picture, if it fits.
    fn admit(&mut self, picture: Result<Picture, String>) -> Result<Picture, String> {
        let picture = picture?;
        match self.left.checked_sub(picture.svg().len()) {
            Some(left) => {
                self.left = left;
                Ok(picture)
            }
            None => Err("the page would be too large. Use cubefold draw.".to_owned()),
        }
    }
}

/// The figure of the activities of the mean process of each run; `None` if no run has its time divided.
fn shares(
    scenario: &Scenario,
    runs: &[ReportedRun<'_>],
    budget: &mut PageBudget,
) -> Result<Option<Figure>, PictureError> {
    let first = runs.iter().take(MAX_BARS).map(|run| ComparedRun {
        name: run.name.clone(),
        group: run.group.clone(),
        bar: run.bar.clone(),
        record: &run.record,
    });
    let drawn = time_shares(&scenario.name, &first.collect::<Vec<_>>());
    let name =
        if runs.len() > MAX_BARS { format!("The first {MAX_BARS} runs") } else { "All runs".to_owned() };
    single_figure(("Where the time goes", SHARES), name, drawn, &PictureError::NoShares, budget)
}

const SHARES: &str = "The makespan of each run, split into what the mean process does; not of jobs with steps side by \
                      side, whose processes do several things at once. A line across the bar is what no placement goes \
                      below, or for a collective no algorithm under this placement, where that is known.";

fn spectra(
    scenario: &Scenario,
    runs: &[ReportedRun<'_>],
    budget: &mut PageBudget,
) -> Result<Vec<Part>, PictureError> {
    let all = first_runs_of_placements(runs);
    let named =
        |run: &&ReportedRun<'_>| (placement_name(run, runs), PlacementRecord::new(&run.finished.metrics));
    let part = |(place, group): (usize, &[&ReportedRun<'_>])| {
        let placements: Vec<_> = group.iter().map(named).collect();
        let first = place * MAX_PLACEMENTS + 1;
        let name = match group.len() {
            count if count == all.len() => "All placements".to_owned(),
            1 => format!("Placement {first} of {}", all.len()),
            count => format!("Placements {first} to {} of {}", first + count - 1, all.len()),
        };
        let picture = budget.admit(Ok(spectrum(&scenario.name, &placements)?));
        Ok(Part { name, open: true, picture })
    };
    all.chunks(MAX_PLACEMENTS).enumerate().map(part).collect()
}

/// A section with a picture of each run.
fn figure_per_run(
    runs: &[ReportedRun<'_>],
    budget: &mut PageBudget,
    title: &'static str,
    explanation: &'static str,
    draw: impl Fn(&ReportedRun<'_>) -> Result<Picture, String>,
) -> Figure {
    let all: Vec<&ReportedRun<'_>> = runs.iter().collect();
    figure(&all, budget, (title, explanation), |run| run.name.clone(), draw)
}

/// A section with a picture of each placement.
fn figure_per_placement(
    runs: &[ReportedRun<'_>],
    budget: &mut PageBudget,
    title: &'static str,
    explanation: &'static str,
    draw: impl Fn(&ReportedRun<'_>) -> Result<Picture, String>,
) -> Figure {
    let draw = |run: &ReportedRun<'_>| check_nodes(run).and_then(|()| draw(run));
    figure(
        &first_runs_of_placements(runs),
        budget,
        (title, explanation),
        |run| placement_name(run, runs),
        draw,
    )
}

fn figure(
    runs: &[&ReportedRun<'_>],
    budget: &mut PageBudget,
    (title, explanation): (&'static str, &'static str),
    name: impl Fn(&ReportedRun<'_>) -> String,
    draw: impl Fn(&ReportedRun<'_>) -> Result<Picture, String>,
) -> Figure {
    let part = |(place, run): (usize, &&ReportedRun<'_>)| {
        let picture = budget.admit(draw(run));
        Part { name: name(run), open: place == 0, picture }
    };
    Figure { title, explanation, parts: runs.iter().enumerate().map(part).collect() }
}

/// The name of a placement on the page: the embedding, and the machine if there are several; the name of its first run if
/// these do not distinguish placements.
fn placement_name(run: &ReportedRun<'_>, runs: &[ReportedRun<'_>]) -> String {
    let has_machines = runs.iter().any(|other| other.run.machine != run.run.machine);
    let name = |reported: &ReportedRun<'_>| {
        let embedding = reported.run.embedding.to_string();
        if has_machines { format!("{embedding} on {}", machine_name(reported.run)) } else { embedding }
    };
    let name_of_run = name(run);
    let alike = first_runs_of_placements(runs).into_iter().filter(|other| name(other) == name_of_run).count();
    if alike > 1 { run.name.clone() } else { name_of_run }
}

/// The first run of each placement of each guest.
fn first_runs_of_placements<'runs, 'report>(
    runs: &'runs [ReportedRun<'report>],
) -> Vec<&'runs ReportedRun<'report>> {
    let mut found: Vec<(&ReportedRun<'_>, PlacementRecord)> = vec![];
    for run in runs {
        let (embedding, placement) = (&run.run.embedding, &run.run.placement);
        // Guests differ in their edges, and so in what is measured.
        let measured = PlacementRecord::new(&run.finished.metrics);
        let is_known = |(known, known_measured): &(&ReportedRun<'_>, PlacementRecord)| {
            let known = known.run;
            known.embedding == *embedding
                && (Arc::ptr_eq(&known.placement, placement) || known.placement == *placement)
                && *known_measured == measured
        };
        if !found.iter().any(is_known) {
            found.push((run, measured));
        }
    }
    found.into_iter().map(|(run, _)| run).collect()
}

/// A space-time diagram of as many processes as the page's size allows, or for a collective a timeline of as many
/// ranks. Diagrams side by side all end with the longest run.
fn draw_activities(run: &ReportedRun<'_>, file: &str, end: Option<u64>) -> Result<Picture, String> {
    let program = &run.run.program;
    let is_collective = program.ranks.is_some();
    if run.finished.records.is_empty() {
        let part = if is_collective {
            "timeline {file} --ranks 0..7"
        } else {
            "space-time {file} --processes 0..31"
        };
        let part = part.replace("{file}", file);
        return Err(format!(
            "the run is too large for this page, or for the memory limit. Use cubefold draw {part}."
        ));
    }
    let rows = if is_collective { program.rank_count() } else { program.body.process_count() };
    let marks =
        program.body.stage_count() * 3 * usize::try_from(program.body.process_count() / rows).unwrap_or(1);
    let shown = u64::try_from(SPACE_TIME_MARKS / marks).unwrap_or(1).clamp(4, 64).min(rows);
    let cycles = end.filter(|end| *end > 0).map(|end| 0..=end);
    if program.job.is_some() {
        let window = Window { processes: None, cycles, memory: None };
        return timeline(&run.name, run.run, &run.finished, &window, None).map_err(|error| error.to_string());
    }
    let window = Window { processes: Some(0..=shown - 1), cycles, memory: None };
    let what = if is_collective { "ranks" } else { "processes" };
    let caption = match shown {
        all if all == rows => run.name.clone(),
        part => format!("{}, the first {part} of {rows} {what}", run.name),
    };
    let drawn = if is_collective {
        timeline(&caption, run.run, &run.finished, &window, None)
    } else {
        space_time(&caption, run.run, &run.finished, &window)
    };
    drawn.map_err(|error| error.to_string())
}
