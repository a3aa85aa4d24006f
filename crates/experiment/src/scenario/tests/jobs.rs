//! Jobs: the cases of `tests/golden/jobs.json`, the kinds of steps, and every error at its place.

use std::{collections::BTreeMap, path::Path};

use base64::{Engine, prelude::BASE64_STANDARD};
use cubefold_simulator::{EngineChoice, Observer, Request, StageRecord, StepRecord, simulate};
use serde::Deserialize;

use super::{collectives::record, *};
use crate::runs::{KeepRecords, Progress, execute};

#[derive(Deserialize)]
struct Golden {
    cases: Vec<GoldenCase>,
    errors: Vec<GoldenError>,
}

#[derive(Deserialize)]
struct GoldenCase {
    name: String,
    scenario: String,
    files: BTreeMap<String, GoldenFile>,
    makespan: u64,
    exposed: u128,
    longest_queue: u32,
    hops: u64,
    unit_hops: u128,
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
struct GoldenError {
    name: String,
    scenario: String,
    files: BTreeMap<String, GoldenFile>,
    error: String,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum GoldenFile {
    Text(String),
    Bytes { base64: String },
}

fn golden() -> Golden {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden/jobs.json");
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

/// A folder with a scenario and its files.
fn folder(scenario: &str, files: &BTreeMap<String, GoldenFile>) -> Files {
    let own = Files::new(&[("s.toml", scenario)]);
    for (name, file) in files {
        let bytes = match file {
            GoldenFile::Text(text) => text.clone().into_bytes(),
            GoldenFile::Bytes { base64 } => BASE64_STANDARD.decode(base64).unwrap(),
        };
        fs::write(own.directory.path().join(name), bytes).unwrap();
    }
    own
}

/// Traces are no scenarios' steps.
fn is_trace(name: &str) -> bool {
    name.starts_with("chakra")
}

/// Begin and finish of steps at ranks, by iteration, step and rank.
#[derive(Default)]
struct AtRanks(BTreeMap<(u32, u32, u32), (u64, u64)>);

impl Observer for AtRanks {
    fn stage_finished(&mut self, _: &StageRecord) {}

    fn step_finished(&mut self, own: &StepRecord) {
        self.0.insert((own.iteration, own.step, own.rank), (own.begin.get(), own.finish.get()));
    }
}

#[test]
fn golden_cases_take_their_cycles() {
    let mut checked = 0;
    for case in golden().cases.iter().filter(|case| !is_trace(&case.name)) {
        let name = &case.name;
        let files = folder(&case.scenario, &case.files);
        let run = files.load().unwrap_or_else(|error| panic!("{name}: {error}")).runs.remove(0);
        let finished = execute(&run, 0, KeepRecords::No, &Progress::default()).unwrap();
        let traffic = &finished.outcome.traffic;
        let makespan = finished.outcome.summary.makespan().get();
        assert_eq!(makespan, case.makespan, "{name}");
        assert_eq!((traffic.hops, finished.unit_hops), (case.hops, case.unit_hops), "{name}");
        assert_eq!(traffic.longest_queue, Some(case.longest_queue), "{name}");
        assert!(run.program.notes.len() >= case.notes.len(), "{name}: {:?}", run.program.notes);
        let mut at_ranks = AtRanks::default();
        let request = Request::asynchronous(EngineChoice::Auto);
        let body = &*run.program.body;
        simulate(body, &run.placement, run.communication, &request, &mut at_ranks).unwrap();
        let found: Vec<Vec<(u64, u64)>> = at_ranks
            .0
            .into_iter()
            .collect::<Vec<_>>()
            .chunk_by(|a, b| (a.0.0, a.0.1) == (b.0.0, b.0.1))
            .map(|step| step.iter().map(|own| own.1).collect())
            .collect();
        if run.program.job.is_some() {
            assert_eq!(found, case.ranks, "{name}");
            let record = record(&run);
            assert_eq!(record.exposed_cycles, Some(case.exposed), "{name}");
            let steps = record.steps.unwrap();
            assert_eq!(steps.len(), case.steps.len(), "{name}");
            for (own, want) in steps.iter().zip(&case.steps) {
                assert_eq!((own.iteration, &own.name), (want.iteration, &want.name), "{name}");
                assert_eq!((own.begin_cycles, own.finish_cycles), (want.begin, want.finish), "{name}");
            }
        }
        checked += 1;
    }
    assert_eq!(checked, 60, "all cases but traces");
}

#[test]
fn golden_errors_are_errors() {
    let errors = golden().errors;
    let mut checked = 0;
    for case in errors.iter().filter(|case| !is_trace(&case.name)) {
        let found = folder(&case.scenario, &case.files).displayed();
        assert_eq!(found.len(), 1, "{}: {found:?}, expected {}", case.name, case.error);
        checked += 1;
    }
    assert_eq!(checked, 17, "all errors but those of traces");
}

const TORUS: &str = "[machine]\nkind = \"torus\"\nshape = [4, 2]\nlatency_cycles = 3\n[program]\n";

fn job(steps: &str) -> Files {
    Files::new(&[("s.toml", &format!("{TORUS}{steps}"))])
}

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
        let own =
            steps.iter().enumerate().map(|(place, step)| format!("[[program.steps]]\n{}{step}", name(place)));
        own.collect::<String>()
    };
    let records = [false, true].map(|named| record(&job(&text(named)).load().unwrap().runs[0]));
    assert_eq!((records[0].program.kind.as_ref(), records[1].program.kind.as_ref()), ("sequence", "job"));
    assert_eq!(records[0].makespan_cycles, records[1].makespan_cycles);
    assert_eq!(records[0].predicted_cycles, records[1].predicted_cycles);
    assert_eq!((records[0].hops, records[0].unit_hops), (records[1].hops, records[1].unit_hops));
}

#[test]
fn ranks_outside_take_no_part() {
    let text = "[[program.steps]]\nname = \"a\"\ncompute_cycles = 9\nonly = [[0, 1, 2]]\n\
                [[program.steps]]\nname = \"b\"\nkind = \"all-reduce\"\nalgorithm = \"ring\"\nover = [0]\nonly = [[1, 1, 1]]\n\
                [[program.steps]]\nname = \"c\"\nkind = \"send\"\nover = [0]\nwrap = true\nonly = [[0, 0, 1], [1, 0, 0]]\n";
    let run = job(text).load().unwrap().runs.remove(0);
    let own = run.program.job.as_deref().unwrap();
    let takes_part =
        |step: usize| (0..8).filter(|&rank| own.steps()[step].has_rank(rank)).collect::<Vec<_>>();
    assert_eq!(
        [takes_part(0), takes_part(1), takes_part(2)],
        [vec![1, 2, 5, 6], vec![4, 5, 6, 7], vec![0, 1]]
    );
    // Only the message from rank 0 to rank 1 has both of its ends among them.
    let last = run.program.body.stage_count() - 1;
    assert_eq!(run.program.body.messages(last).len(), 1);
    assert_eq!(run.program.body.facts().total_compute, 4 * 9);
    let divided =
        "[[program.steps]]\nname = \"b\"\nkind = \"all-reduce\"\nalgorithm = \"ring\"\nonly = [[1, 1, 1]]\n";
    assert_eq!(
        job(divided).displayed(),
        ["s.toml:10:9: only divides groups that extend over axis 1, expected whole groups"]
    );
}

#[test]
fn names_and_orders_that_make_no_job_are_named() {
    let two = |second: &str| {
        job(&format!(
            "[[program.steps]]\nname = \"forward\"\ncompute_cycles = 1\n[[program.steps]]\ncompute_cycles = 2\n{second}"
        ))
    };
    let cases = [
        ("after = [\"forwad\"]", "s.toml:11:10: no step before it is called \"forwad\", expected forward"),
        (
            "name = \"b\"\nafter = [\"b\"]",
            "s.toml:12:10: no step before it is called \"b\", expected forward",
        ),
        (
            "name = \"forward\"",
            "s.toml:11:8: two steps are called \"forward\", expected a name of its own for each",
        ),
        (
            "after = [\"forward\", \"forward\"]",
            "s.toml:11:21: \"forward\" a second time in after, expected it once",
        ),
        ("by = 2", "s.toml:11:6: by in a step that is no send, expected kind = \"send\""),
        (
            "only = [[0, 1, 4]]",
            "s.toml:11:9: range of only is a list of 3, expected [axis, first, last] of the logical shape 4x2, all counted from 0",
        ),
        ("only = [[0, 1, 1], [0, 2, 2]]", "s.toml:11:8: only leaves no rank, expected at least one"),
    ];
    for (second, expected) in cases {
        assert_eq!(two(second).displayed(), [expected]);
    }
    assert_eq!(two("after = [\"forwad\"]").help(), "did you mean \"forward\"?");
    let coordinated =
        "[[program.steps]]\nname = \"a\"\ncompute_cycles = 1\n[execution]\nmode = \"coordinated\"\n";
    assert_eq!(
        job(coordinated).displayed(),
        ["s.toml:10:8: coordinated execution of a job program, expected asynchronous"]
    );
}

#[test]
fn keys_that_make_no_send_are_named() {
    let sends = [
        (
            "",
            "s.toml:6:1: over is missing in a send, expected one axis of the logical shape, such as [0], of 0 to 1",
        ),
        (
            "over = [2]",
            "s.toml:8:8: over of a send is a list of 1, expected one axis of the logical shape, such as [0], of 0 to 1",
        ),
        (
            "over = [0]\nby = 0",
            "s.toml:9:6: by is 0, expected 1, -1 or another number of ranks that is not 0",
        ),
        ("over = [0]\nwrap = 1", "s.toml:9:8: wrap is 1, expected true or false"),
    ];
    for (keys, expected) in sends {
        assert_eq!(job(&format!("[[program.steps]]\nkind = \"send\"\n{keys}\n")).displayed(), [expected]);
    }
}

#[test]
fn steps_of_other_numbers_of_ranks_are_refused() {
    let guest =
        "[[program.steps]]\nkind = \"neighbour-exchange\"\nguest = { kind = \"ring\", shape = [6] }\n";
    assert_eq!(
        job(guest).displayed(),
        ["s.toml:8:9: a step of 6 processes, expected 8: the ranks of the program"]
    );
    let shape = "[[program.steps]]\nname = \"a\"\nkind = \"all-reduce\"\nalgorithm = \"ring\"\nshape = [4]\n";
    assert_eq!(job(shape).displayed(), ["s.toml:10:9: a step of 4 ranks, expected 8 as in the program"]);
    let unknown = "[[program.steps]]\nname = \"a\"\nkind = \"sned\"\nover = [0]\n";
    let found = job(unknown).displayed();
    assert!(found[0].starts_with("s.toml:8:8: program.kind is \"sned\", expected all-reduce,"), "{found:?}");
    assert_eq!(job(unknown).help(), "did you mean \"send\"?");
}
