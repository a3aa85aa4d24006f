//! Jobs: the cases of `tests/golden/jobs.json`, and the cycles of steps.

use std::{collections::BTreeMap, fs};

use base64::{Engine, prelude::BASE64_STANDARD};
use cubefold_mapping::ProcessBlock;
use cubefold_records::FinishedRun;
use cubefold_scenario::Run;
use cubefold_simulator::{Observer, StageRecord, StepRecord};
use serde::Deserialize;

use super::*;
use crate::{KeepRecords, Progress, execute};

#[derive(Deserialize)]
pub(super) struct Golden {
    blocks: Vec<GoldenBlock>,
    pub(super) cases: Vec<GoldenCase>,
    pub(super) errors: Vec<GoldenError>,
}

#[derive(Deserialize)]
struct GoldenBlock {
    grid: Vec<u64>,
    processes_per_node: u64,
    block: Option<Vec<u64>>,
}

#[derive(Deserialize)]
pub(super) struct GoldenCase {
    pub(super) name: String,
    pub(super) scenario: String,
    files: BTreeMap<String, GoldenFile>,
    pub(super) makespan: u64,
    pub(super) exposed: u128,
    pub(super) longest_queue: u32,
    pub(super) hops: u64,
    pub(super) unit_hops: u128,
    steps: Vec<GoldenStep>,
    ranks: Vec<Vec<(u64, u64)>>,
    notes: Vec<String>,
}

#[derive(Deserialize)]
struct GoldenStep {
    iteration: u64,
    name: String,
    begin: u64,
    finish: u64,
}

#[derive(Deserialize)]
pub(super) struct GoldenError {
    pub(super) name: String,
    pub(super) scenario: String,
    files: BTreeMap<String, GoldenFile>,
    error: String,
}

#[derive(Deserialize)]
#[serde(untagged)]
pub(super) enum GoldenFile {
    Text(String),
    Bytes { base64: String },
}

pub(super) fn golden() -> Golden {
    serde_json::from_str(include_str!("../../../../tests/golden/jobs.json")).unwrap()
}

/// A folder with a scenario and its files.
pub(super) fn folder(scenario: &str, files: &BTreeMap<String, GoldenFile>) -> Files {
    let scratch = Files::new(&[("s.toml", scenario)]);
    for (name, file) in files {
        let bytes = match file {
            GoldenFile::Text(text) => text.clone().into_bytes(),
            GoldenFile::Bytes { base64 } => BASE64_STANDARD.decode(base64).unwrap(),
        };
        fs::write(scratch.directory.path().join(name), bytes).unwrap();
    }
    scratch
}

/// Whether a case is of traces, which are not steps of scenarios.
pub(super) fn is_trace(name: &str) -> bool {
    name.starts_with("chakra")
}

/// Begin and finish of steps at ranks, by iteration, step and rank.
#[derive(Default)]
struct AtRanks(BTreeMap<(u32, u32, u32), (u64, u64)>);

impl Observer for AtRanks {
    fn stage_finished(&mut self, _: &StageRecord) {}

    fn step_finished(&mut self, record: &StepRecord) {
        self.0
            .insert((record.iteration, record.step, record.rank), (record.begin.get(), record.finish.get()));
    }
}

#[test]
fn golden_cases_take_their_cycles() {
    let mut checked = 0;
    for case in golden().cases.iter().filter(|case| !is_trace(&case.name)) {
        let name = &case.name;
        // The file assumes listed order.
        let is_ordered =
            ["algorithm = \"direct\"", "\"traffic\""].iter().any(|word| case.scenario.contains(word));
        let listed = if is_ordered { "[program]\norder = \"listed\"\n" } else { "[program]\n" };
        let files = folder(&case.scenario.replace("[program]\n", listed), &case.files);
        let run = files.load().unwrap_or_else(|error| panic!("{name}: {error}")).runs.remove(0);
        let finished = execute(&run, 0, KeepRecords::Yes, &Progress::default()).unwrap();
        let traffic = &finished.outcome.traffic;
        let makespan = finished.outcome.summary.makespan().get();
        assert_eq!(makespan, case.makespan, "{name}");
        assert_eq!((traffic.hops, finished.unit_hops), (case.hops, case.unit_hops), "{name}");
        assert_eq!(traffic.longest_queue, Some(case.longest_queue), "{name}");
        let notes = &run.program.notes;
        let told = |want: &String| notes.iter().filter(|note| note.contains(want)).count();
        for want in case.notes.iter().map(|note| note_in_own_words(note)) {
            let count = case.notes.iter().filter(|note| note_in_own_words(note) == want).count();
            assert_eq!(told(&want), count, "{name}: {notes:?}, expected {want}");
        }
        if run.program.job.is_some() {
            check_steps(&run, case);
        } else {
            check_ranks(&run, &finished, case);
        }
        checked += 1;
    }
    assert_eq!(checked, 60, "all cases but traces");
}

/// The start and finish of every step, at every rank and over all.
fn check_steps(run: &Run, case: &GoldenCase) {
    let name = &case.name;
    let mut at_ranks = AtRanks::default();
    observed(run, &mut at_ranks);
    // Section 23.3 has the starts and finishes of all ranks.
    let mut of_steps = BTreeMap::new();
    for (&(iteration, step, _), &(begin, finish)) in &at_ranks.0 {
        let span = of_steps.entry((iteration, step)).or_insert((begin, finish));
        *span = (span.0.min(begin), span.1.max(finish));
    }
    let want: Vec<(u64, u64)> = case.steps.iter().map(|step| (step.begin, step.finish)).collect();
    assert_eq!(of_steps.into_values().collect::<Vec<_>>(), want, "{name}");
    let found: Vec<Vec<(u64, u64)>> = at_ranks
        .0
        .into_iter()
        .collect::<Vec<_>>()
        .chunk_by(|a, b| (a.0.0, a.0.1) == (b.0.0, b.0.1))
        .map(|step| step.iter().map(|(_, span)| *span).collect())
        .collect();
    assert_eq!(found, case.ranks, "{name}");
    let record = record(run);
    assert_eq!(record.exposed_cycles, Some(case.exposed), "{name}");
    let steps = record.steps.unwrap();
    assert_eq!(steps.len(), case.steps.len(), "{name}");
    for (step, want) in steps.iter().zip(&case.steps) {
        assert_eq!((step.iteration, &step.name), (want.iteration, &want.name), "{name}");
    }
}

/// The finish of every rank in a program of one step, which begins everywhere at 0; its computations belong to no rank.
fn check_ranks(run: &Run, finished: &FinishedRun, case: &GoldenCase) {
    let name = &case.name;
    let mut finishes = vec![0; usize::try_from(run.program.body.process_count()).unwrap()];
    for record in &finished.records {
        let latest = &mut finishes[record.process.label() as usize];
        *latest = record.finish.get().max(*latest);
    }
    assert_eq!(finishes.iter().map(|&finish| u128::from(finish)).sum::<u128>(), case.exposed, "{name}");
    let ranks: Vec<(u64, u64)> = finishes.into_iter().map(|finish| (0, finish)).collect();
    assert_eq!(ranks, case.ranks[0], "{name}");
    let [step] = &case.steps[..] else { panic!("{name}: several steps") };
    assert_eq!((step.iteration, step.begin, step.finish), (0, 0, case.makespan), "{name}");
    assert_eq!(record(run).program.kind.as_ref(), step.name, "{name}");
}

/// A note of the golden file, in the words of the notes here.
fn note_in_own_words(note: &str) -> String {
    if note.starts_with("the second matrix is not read") {
        return "the second matrix is not read: distances are those of the machine".to_owned();
    }
    let one = note.strip_prefix("1 entries on the diagonal, ").and_then(|rest| rest.split_once(" in all"));
    match one {
        Some((sum, _)) => format!("1 entry on the diagonal, {sum}, is not sent"),
        None => note.to_owned(),
    }
}

#[test]
fn golden_blocks_are_the_blocks_of_grids() {
    let blocks = golden().blocks;
    assert_eq!(blocks.len(), 15);
    for case in blocks {
        let block = ProcessBlock::least_surface(&case.grid, case.processes_per_node);
        let lengths = block.map(|block| block.lengths().to_vec());
        assert_eq!(lengths, case.block, "{} on {:?}", case.processes_per_node, case.grid);
    }
}

/// The message for each error of the golden file, by its name.
const ERRORS: [(&str, &str); 17] = [
    ("traffic: not square", "a.csv:1:1: 3 columns in a matrix of 2 rows, expected as many as rows"),
    ("traffic: a row too short", "a.csv:2:1: 1 columns in a matrix of 2 rows, expected as many as rows"),
    ("traffic: below 0", "a.csv:1:3: an entry is -1, expected at least 0"),
    ("traffic: no number", "a.csv:1:3: an entry is \"x\", expected a number"),
    ("traffic: not finite", "a.csv:1:3: an entry is \"nan\", expected a number"),
    (
        "traffic: a pair twice",
        "a.csv:3:1: the pair 0, 1 a second time, expected it once; the first is in line 2",
    ),
    ("traffic: nothing to send", "a.csv: nothing to send, expected an entry above 0 off the diagonal"),
    ("traffic: fewer entries than said", "a.mtx:2:1: 1 entries, expected 2, as many as announced"),
    ("traffic: outside", "a.mtx:3:3: column is 3, expected an integer from 1 to 2"),
    (
        "traffic: complex",
        "a.mtx:1:1: a Matrix Market file of \"matrix coordinate complex general\", expected matrix coordinate or array, integer, real or pattern, general or symmetric",
    ),
    ("traffic: too few numbers", "a.dat:1:1: 6 numbers after n = 3, expected 9 or 18: one or two matrices"),
    (
        "traffic: three dimensions",
        "a.npy: an array of shape [2, 2, 2], expected [n, n] with n from 1 to 1048576 (2^20)",
    ),
    (
        "stencil: two sizes for three",
        "s.toml:13:9: program.units is a list of 2, expected one value, or 3 entries: one for each number of dimensions that differ",
    ),
    ("steps: after a step that there is not", "s.toml:18:10: no step before it is called \"c\", expected a"),
    ("steps: after a later step", "s.toml:14:10: no step before it is called \"b\", expected one above it"),
    ("steps: after itself", "s.toml:18:10: no step before it is called \"b\", expected one above it"),
    (
        "steps: two of one name",
        "s.toml:16:8: two steps are called \"a\", expected a name of its own for each",
    ),
];

#[test]
fn golden_errors_are_told_at_their_places() {
    let errors = golden().errors;
    let errors: Vec<&GoldenError> = errors.iter().filter(|case| !is_trace(&case.name)).collect();
    let names: Vec<&str> = errors.iter().map(|case| &*case.name).collect();
    assert_eq!(names, ERRORS.map(|(name, _)| name), "all errors but those of traces");
    for (case, (name, told)) in errors.iter().zip(ERRORS) {
        let found = folder(&case.scenario, &case.files).displayed();
        assert_eq!(found, [told], "{name}: {}", case.error);
    }
}

const TORUS: &str = "[machine]\nkind = \"torus\"\nshape = [4, 2]\nlatency_cycles = 3\n[program]\n";

#[test]
fn a_chain_takes_as_long_as_the_sequence() {
    let steps = [
        "kind = \"all-gather\"\nalgorithm = \"ring\"\nover = [0]\nunits = 96\n",
        "compute_cycles = 25\n",
        "kind = \"all-reduce\"\nalgorithm = \"bucket\"\nports = \"all\"\nunits = 60\nreduce_units_per_cycle = 2\n",
        "kind = \"all-to-all\"\nalgorithm = \"pairwise\"\nunits = 24\ncompute_cycles = 3\n",
    ];
    let text = |named: bool| {
        let name = |place: usize| if named { format!("name = \"s{place}\"\n") } else { String::new() };
        let texts =
            steps.iter().enumerate().map(|(place, step)| format!("[[program.steps]]\n{}{step}", name(place)));
        texts.collect::<String>()
    };
    let records = [false, true].map(|named| only_record(&format!("{TORUS}{}", text(named))));
    assert_eq!((records[0].program.kind.as_ref(), records[1].program.kind.as_ref()), ("sequence", "job"));
    assert_eq!(records[0].makespan_cycles.unwrap(), records[1].makespan_cycles.unwrap());
    assert_eq!(records[0].predicted_cycles, records[1].predicted_cycles);
    assert_eq!((records[0].hops, records[0].unit_hops), (records[1].hops, records[1].unit_hops));
}

#[test]
fn the_time_of_jobs_is_divided_where_no_steps_are_side_by_side() {
    let record_of = |after: &str| {
        only_record(&format!(
            "{TORUS}[[program.steps]]\nname = \"c\"\ncompute_cycles = 100\n[[program.steps]]\nname = \"g\"\nkind = \"all-reduce\"\n\
             algorithm = \"ring\"\nunits = 64\n{after}"
        ))
    };
    let chain = record_of("");
    let totals = chain.divided_time().unwrap();
    let all = totals.compute_cycles
        + totals.sharing_cycles
        + totals.waiting_cycles
        + totals.transfer_cycles
        + totals.blocked_cycles
        + totals.overhead_cycles
        + totals.idle_at_end_cycles;
    assert_eq!(all, 8 * u128::from(chain.makespan_cycles.unwrap()));
    assert!(record_of("after = []\n").divided_time().is_none());
}

#[test]
fn a_hierarchical_collective_is_a_step() {
    let asked = "kind = \"all-reduce\"\nalgorithm = { hierarchical = { inner = \"ring\", outer = \"ring\" } }\nunits = 96\n";
    let record_of = |steps: &str| only_record(&format!("{TORUS}processes_per_node = 2\n{steps}"));
    let alone = record_of(asked);
    let step = |name: &str| record_of(&format!("[[program.steps]]\n{name}{asked}"));
    let (sequence, job) = (step(""), step("name = \"a\"\n"));
    assert_eq!((sequence.program.kind.as_ref(), job.program.kind.as_ref()), ("sequence", "job"));
    for result in [sequence, job] {
        assert_eq!((result.makespan_cycles, result.hops), (alone.makespan_cycles, alone.hops));
    }
    let divided = format!("{TORUS}processes_per_node = 2\n[[program.steps]]\nonly = [[0, 0, 0]]\n{asked}");
    let found = errors(&divided);
    assert!(found[0].contains("only divides a group: rank 0 takes part and rank 1"), "{found:?}");
}

#[test]
fn axes_on_a_cluster_go_along_its_devices_and_its_nodes() {
    let text = "[machine]\nkind = \"cluster\"\nnodes = 6\ndevices_per_node = 4\n\
                inside = { kind = \"switch\", link = { bandwidth = \"4 GB/s\", latency = \"1 us\" } }\n\
                outside = { link = { bandwidth = \"1 GB/s\", latency = \"1 us\" }, leaves = { nodes = 6 } }\n\
                [program]\nshape = [4, 2, 3]\n[[program.steps]]\nname = \"a\"\nkind = \"all-reduce\"\n\
                algorithm = \"ring\"\nover = [0]\nbytes = 48000\n[mapping]\nembeddings = EMBEDDINGS\n";
    let runs = scenario(&text.replace("EMBEDDINGS", "[\"axes\"]")).runs;
    let nodes = |run: &Run| run.placement.nodes().iter().map(|node| node.index()).collect::<Vec<_>>();
    let named = |name: &str| runs.iter().find(|run| run.embedding.to_string() == name);
    let inside = named("axes:0=1/1=2/2=2").unwrap();
    assert_eq!(nodes(inside), (0..24).collect::<Vec<_>>(), "the first axis inside the nodes");
    // Every order is a placement of its own, of which none is folded.
    let mut all: Vec<Vec<u32>> = runs.iter().map(nodes).collect();
    all.sort_unstable();
    all.dedup();
    assert_eq!(all.len(), runs.len());
    assert!(runs.iter().all(|run| !run.embedding.to_string().ends_with("folded")));
    assert!(runs.iter().any(|run| makespan_of(run) > makespan_of(inside)));
    // Boxes: axis 1 in two halves of a node.
    let boxes = only_run(&text.replace("EMBEDDINGS", "[\"axes:1=1:2/0=1:2x2:2/2=2:3\"]"));
    assert_eq!(nodes(&boxes)[..10], [0, 2, 4, 6, 1, 3, 5, 7, 8, 10]);
}
