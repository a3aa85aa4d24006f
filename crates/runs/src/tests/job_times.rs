//! Where the time of jobs goes (`docs/model.md` section 23.6): the cases of `tests/golden/jobs_time.json`, and random jobs
//! against a count of every cycle.

use std::collections::BTreeMap;

use cubefold_scenario::Run;
use cubefold_simulator::{
    Detail, DetailList, Job, JobStep, MessageTimes, Observer, Program, RankTime, StageRecord, StepRecord,
};
use serde::Deserialize;
use serde_json::Value;

use super::{
    jobs::{GoldenFile, folder},
    *,
};

#[derive(Deserialize)]
struct Golden {
    cases: Vec<GoldenCase>,
}

#[derive(Deserialize)]
struct GoldenCase {
    name: String,
    scenario: String,
    files: BTreeMap<String, GoldenFile>,
    expanded: Option<Vec<Value>>,
    expected: Value,
}

impl GoldenCase {
    /// The scenario with pipelines written out as steps, if it has any.
    fn written_out(&self) -> Option<String> {
        let steps = self.expanded.as_ref()?;
        let (written, others): (Vec<&str>, Vec<&str>) =
            self.scenario.split("\n\n").partition(|part| part.starts_with("[[program.steps]]"));
        assert!(!written.is_empty());
        let table = |step: &Value| {
            let keys =
                step.as_object().unwrap().iter().map(|(key, value)| format!("{key} = {}\n", toml(value)));
            format!("[[program.steps]]\n{}", keys.collect::<String>())
        };
        let steps: Vec<String> = steps.iter().map(table).collect();
        let place = others.iter().position(|part| part.starts_with("[program]")).unwrap() + 1;
        let parts: Vec<&str> = others[..place]
            .iter()
            .copied()
            .chain(steps.iter().map(String::as_str))
            .chain(others[place..].iter().copied())
            .collect();
        Some(parts.join("\n\n"))
    }
}

fn golden() -> Golden {
    serde_json::from_str(include_str!("../../../../tests/golden/jobs_time.json")).unwrap()
}

/// The members of a value that another one has.
fn members_of(found: &Value, wanted: &Value) -> Value {
    match (found, wanted) {
        (Value::Object(found), Value::Object(wanted)) => {
            let members = wanted
                .iter()
                .map(|(key, value)| (key.clone(), members_of(found.get(key).unwrap_or(&Value::Null), value)));
            Value::Object(members.collect())
        }
        _ => found.clone(),
    }
}

#[test]
fn golden_jobs_divide_their_time() {
    let mut pipelines = 0;
    for case in golden().cases {
        let name = &case.name;
        let run = case.load(&case.scenario);
        case.check(&run);
        let found = serde_json::to_value(record(&run)).unwrap();
        assert_eq!(
            members_of_all(&found["pipelines"], &case.expected["pipelines"]),
            case.expected["pipelines"],
            "{name}"
        );
        let Some(text) = case.written_out() else { continue };
        // The steps of the pipeline are those that are written out, one by one.
        let written = case.load(&text);
        case.check(&written);
        let [built, written] = [&run, &written].map(|run| run.program.job.as_deref().unwrap().steps());
        assert_eq!(built.len(), written.len(), "{name}");
        for (built, written) in built.iter().zip(written) {
            let of = |step: &JobStep| {
                (step.name.clone(), step.after.clone(), step.takes_part.clone(), step.computation())
            };
            assert_eq!(of(built), of(written), "{name}");
        }
        pipelines += 1;
    }
    assert!(pipelines >= 20, "{pipelines}");
}

impl GoldenCase {
    fn load(&self, text: &str) -> Run {
        // The file assumes listed order.
        let text = &text.replace("kind = \"traffic\"", "kind = \"traffic\"\norder = \"listed\"");
        let files = folder(text, &self.files);
        files.load().unwrap_or_else(|error| panic!("{}: {error}\n{text}", self.name)).runs.remove(0)
    }

    fn check(&self, run: &Run) {
        let name = &self.name;
        let found = serde_json::to_value(record(run)).unwrap();
        for member in ["makespan_cycles", "exposed_cycles", "time"] {
            assert_eq!(found[member], self.expected[member], "{name}: {member}");
        }
        let steps = &self.expected["steps"];
        assert_eq!(members_of_all(&found["steps"], steps), *steps, "{name}");
        let by_rank: Vec<[u64; 4]> = serde_json::from_value(self.expected["time_by_rank"].clone()).unwrap();
        assert_eq!(parts(&observed(run, &mut ()).job.unwrap().by_rank), by_rank, "{name}");
    }
}

/// The members of the entries of a list that those of another one have.
fn members_of_all(found: &Value, wanted: &Value) -> Value {
    let (found, wanted) = (found.as_array().unwrap(), wanted.as_array().unwrap());
    assert_eq!(found.len(), wanted.len());
    found.iter().zip(wanted).map(|(found, wanted)| members_of(found, wanted)).collect()
}

/// A pipeline of `stages` stages on a ring with tasks of `f` and `b` cycles.
fn pipeline(stages: u64, microbatches: u64, [f, b]: [u64; 2], schedule: &str) -> String {
    format!(
        "[machine]\nkind = \"line\"\nshape = [{stages}]\nlatency_cycles = 9\n[program]\nshape = [{stages}]\n\
         [[program.steps]]\nkind = \"pipeline\"\nover = [0]\nmicrobatches = {microbatches}\nunits = 0\n\
         forward = [{{ compute_cycles = {f} }}]\nbackward = [{{ compute_cycles = {b} }}]\nschedule = {schedule}\n"
    )
}

#[test]
fn pipelines_without_communication_take_the_closed_forms() {
    for (stages, microbatches) in
        (2..=8).flat_map(|stages| (1..=16).map(move |microbatches| (stages, microbatches)))
    {
        let mut cases = vec![("\"gpipe\"".to_owned(), 1), ("\"1f1b\"".to_owned(), 1)];
        let chunks = (2..=4).filter(|_| microbatches % stages == 0);
        cases.extend(chunks.map(|chunks| (format!("\"interleaved\"\nchunks = {chunks}"), chunks)));
        for (schedule, chunks) in cases {
            let [f, b] = [10, 20];
            let text = pipeline(stages, microbatches, [f, b], &schedule);
            let run = only_run(&text);
            let outcome = observed(&run, &mut ());
            let makespan = outcome.summary.makespan().get();
            let idle = (stages - 1) * (f + b);
            assert_eq!(makespan, chunks * microbatches * (f + b) + idle, "{text}");
            for time in outcome.job.unwrap().by_rank {
                assert_eq!((time.communication, time.bubble + time.done), (0, idle), "{text}");
            }
        }
    }
}

/// A pipeline of four stages.
const PIPELINE: &str = "kind = \"pipeline\"\nover = [0]\nmicrobatches = 8\nschedule = \"1f1b\"\n\
    forward = [{ compute_cycles = 1 }]\nbackward = [{ compute_cycles = 2 }]\n";

/// Parts of [`PIPELINE`], what takes their place, and the expected error.
const WRONG_PIPELINES: [(&str, &str, &str); 19] = [
    (
        "over = [0]\n",
        "",
        "over is missing in a pipeline, expected one axis of the logical shape, such as [0], of 0 to 1",
    ),
    ("microbatches = 8\n", "", "microbatches is missing in a pipeline, expected an integer from 1 on"),
    ("= 8", "= 0", "microbatches of a pipeline is 0, expected"),
    ("1f1b", "zero", "schedule of a pipeline is \"zero\", expected gpipe, 1f1b or interleaved"),
    ("1f1b", "interleaved", "chunks is missing in an interleaved pipeline"),
    (
        "8\nschedule = \"1f1b\"",
        "6\nschedule = \"interleaved\"\nchunks = 2",
        "6 microbatches of an interleaved pipeline of 4 stages, expected a multiple of 4",
    ),
    ("\"1f1b\"", "\"1f1b\"\nchunks = 2", "chunks of a pipeline with one chunk a stage"),
    ("\"1f1b\"", "\"1f1b\"\nonly = [[0, 0, 1]]", "only along axis 0 of the stages of a pipeline"),
    (
        "= 8",
        "= 100000",
        "a pipeline of 4 stages, 1 chunks and 100000 microbatches, expected at most 10000 steps",
    ),
    ("= 8", "= 2000", "a pipeline of up to 32000 steps, expected at most 10000 steps"),
    ("over", "by = 1\nover", "by in a step that is no send"),
    ("over", "compute_cycles = 1\nover", "compute_cycles of a pipeline, expected it in forward and backward"),
    (
        "backward = [{ compute_cycles = 2 }]\n",
        "",
        "backward is missing in a pipeline, expected a list of steps",
    ),
    ("{ compute_cycles = 1 }", "", "forward of a pipeline is an empty list, expected at least one entry"),
    ("compute_cycles = 1 }", "kind = \"send\", over = [1] }", "a step of a task is called \"send\""),
    (
        "{ compute_cycles = 1 }",
        "{ compute_cycles = 1, name = \"a\" }, { compute_cycles = 1, name = \"a\" }",
        "two steps of a task are called \"a\"",
    ),
    ("= 1 }", "= 1, after = [] }", "after in a step of a pipeline's task"),
    ("compute_cycles = 1 }", "kind = \"pipeline\" }", "a pipeline in a task of a pipeline"),
    (
        "compute_cycles = 1 }",
        "kind = \"all-reduce\", algorithm = \"ring\", units = 8, over = [0] }",
        "a stage of the pipeline divides a group: rank 0 takes part and rank 1 of its group does not",
    ),
];

#[test]
fn wrong_pipelines_are_told_at_their_places() {
    let machine =
        "[machine]\nkind = \"torus\"\nshape = [4, 2]\n[program]\nshape = [4, 2]\n[[program.steps]]\n";
    only_run(&format!("{machine}{PIPELINE}"));
    for (part, other, expected) in WRONG_PIPELINES {
        assert_eq!(PIPELINE.matches(part).count(), 1, "{part}");
        let text = PIPELINE.replace(part, other);
        let found = errors(&format!("{machine}{text}"));
        assert!(found.len() == 1 && found[0].contains(expected), "{text}: {found:?}, expected {expected}");
    }
    let found = errors(&format!("{machine}{PIPELINE}[[program.steps]]\n{PIPELINE}"));
    assert!(found.len() == 1 && found[0].contains("two pipelines without a name"), "{found:?}");
    let foreign = errors(&format!("{machine}compute_cycles = 1\nmicrobatches = 2\n"));
    assert!(foreign[0].contains("microbatches in a step that is no pipeline"), "{foreign:?}");
}

fn parts(times: &[RankTime]) -> Vec<[u64; 4]> {
    times.iter().map(|time| [time.computation, time.communication, time.bubble, time.done]).collect()
}

/// The records of stages and steps, and the messages of a run.
#[derive(Default)]
struct Log {
    stages: Vec<StageRecord>,
    steps: Vec<StepRecord>,
    messages: Vec<MessageTimes>,
}

impl Observer for Log {
    fn stage_finished(&mut self, record: &StageRecord) {
        self.stages.push(*record);
    }

    fn step_finished(&mut self, record: &StepRecord) {
        self.steps.push(*record);
    }

    fn wants(&self, detail: Detail) -> bool {
        detail == Detail::Messages
    }

    fn details_finished(&mut self, details: DetailList) {
        if let DetailList::Messages(messages) = details {
            self.messages = messages;
        }
    }
}

/// By rank and cycle, the computation step that runs, and the steps that are at work, by iteration and step.
struct EveryCycle {
    computing: Vec<Vec<Option<u32>>>,
    at_work: Vec<Vec<Vec<(u32, u32)>>>,
    ends: Vec<u64>,
}

impl EveryCycle {
    fn of(job: &Job, log: &Log, makespan: u64) -> Self {
        let (ranks, cycles) =
            (usize::try_from(job.rank_count()).unwrap(), usize::try_from(makespan).unwrap());
        let mut every = Self {
            computing: vec![vec![None; cycles]; ranks],
            at_work: vec![vec![vec![]; cycles]; ranks],
            ends: vec![0; ranks],
        };
        let rank = |process: cubefold_mapping::ProcessId| process.label() as usize % ranks;
        let mut work = |rank: usize, place: (u32, u32), from: u64, to: u64| {
            for cycle in from..to {
                let all = &mut every.at_work[rank][usize::try_from(cycle).unwrap()];
                if !all.contains(&place) {
                    all.push(place);
                }
            }
        };
        let place = |stage: usize| {
            let location = job.locate(stage);
            (u32::try_from(location.iteration).unwrap(), u32::try_from(location.step).unwrap())
        };
        for record in &log.stages {
            let at = place(record.stage);
            let computation = job.computation(record.stage, record.process).get();
            let (from, to) = (record.ready.get() - computation, record.ready.get());
            if job.steps()[at.1 as usize].computation().is_none() {
                work(rank(record.process), at, from, to);
            } else {
                for cycle in from..to {
                    every.computing[rank(record.process)][usize::try_from(cycle).unwrap()] = Some(at.1);
                }
            }
        }
        for message in &log.messages {
            for end in [message.source, message.destination] {
                work(rank(end), place(message.stage as usize), message.start.get(), message.received.get());
            }
        }
        for record in &log.steps {
            let end = &mut every.ends[record.rank as usize];
            *end = record.finish.get().max(*end);
        }
        every
    }

    fn parts(&self) -> Vec<[u64; 4]> {
        let of_rank = |rank: usize| {
            let mut parts = [0; 4];
            for (cycle, at_work) in (0..).zip(&self.at_work[rank]) {
                let computes = self.computing[rank][usize::try_from(cycle).unwrap()].is_some();
                let part = match (computes, at_work.is_empty(), cycle < self.ends[rank]) {
                    (true, ..) => 0,
                    (false, false, _) => 1,
                    (false, true, true) => 2,
                    (false, true, false) => 3,
                };
                parts[part] += 1;
            }
            parts
        };
        (0..self.ends.len()).map(of_rank).collect()
    }

    /// Exposed and hidden cycles of a step, and the computation steps that hide it.
    fn hidden(&self, place: (u32, u32)) -> ([u128; 2], Vec<u32>) {
        let (mut sums, mut behind) = ([0, 0], BTreeMap::<u32, u64>::new());
        for (at_work, computing) in self.at_work.iter().zip(&self.computing) {
            for (steps, computing) in
                at_work.iter().zip(computing).filter(|(steps, _)| steps.contains(&place))
            {
                assert!(!steps.is_empty());
                sums[usize::from(computing.is_some())] += 1;
                if let Some(step) = computing {
                    *behind.entry(*step).or_default() += 1;
                }
            }
        }
        let mut names: Vec<(u64, u32)> = behind.into_iter().map(|(step, cycles)| (cycles, step)).collect();
        names.sort_by_key(|&(cycles, step)| (std::cmp::Reverse(cycles), step));
        (sums, names.into_iter().take(16).map(|name| name.1).collect())
    }
}

/// A job of random steps on 6 ranks.
fn random_job(draw: &mut impl FnMut(u64) -> u64) -> String {
    let machine = [
        "kind = \"ring\"\nshape = [6]",
        "kind = \"mesh\"\nshape = [3, 2]\nlatency_cycles = 2",
        "kind = \"torus\"\nshape = [3, 2]\nswitching = \"cut-through\"\nlatency_cycles = 3",
    ];
    let machine = machine[usize::try_from(draw(3)).unwrap()];
    let mut text = format!(
        "[machine]\n{machine}\n[execution]\neager_units = {}\n[program]\nshape = [3, 2]\niterations = {}\nreduce_units_per_cycle = {}\n",
        ["0", "4", "\"all\""][usize::try_from(draw(3)).unwrap()],
        1 + draw(3),
        1 + draw(4)
    );
    let count = 2 + draw(5);
    for place in 0..count {
        let units = 1 + draw(20);
        let compute = draw(6);
        let kind = match draw(5) {
            0 | 1 => format!("compute_cycles = {}\n", draw(25)),
            2 => format!(
                "kind = \"all-reduce\"\nalgorithm = \"ring\"\nunits = {units}\ncompute_cycles = {compute}\nover = [{}]\n",
                draw(2)
            ),
            3 => format!("kind = \"send\"\nover = [{}]\nunits = {units}\nwrap = {}\n", draw(2), draw(2) == 0),
            _ => format!(
                "kind = \"broadcast\"\nalgorithm = \"binomial\"\nunits = {units}\ncompute_cycles = {compute}\n"
            ),
        };
        let is_free = kind.starts_with("compute") || kind.starts_with("kind = \"send\"");
        let only =
            if is_free && draw(2) == 0 { format!("only = [[0, {}, 2]]\n", draw(3)) } else { String::new() };
        let after = match draw(3) {
            0 => "after = []\n".to_owned(),
            1 if place > 0 => format!("after = [\"s{}\"]\n", draw(place)),
            _ => String::new(),
        };
        text += &format!("[[program.steps]]\nname = \"s{place}\"\n{kind}{only}{after}");
    }
    text
}

#[test]
fn times_of_random_jobs_are_a_count_of_every_cycle() {
    let mut state = 11_u64;
    let mut draw = |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    let (mut hidden, mut bubbles) = (0, 0);
    for case in 0..300 {
        let text = random_job(&mut draw);
        let run = only_run(&text);
        let mut log = Log::default();
        let outcome = observed(&run, &mut log);
        let (job, makespan) = (run.program.job.as_deref().unwrap(), outcome.summary.makespan().get());
        let times = outcome.job.unwrap();
        let every = EveryCycle::of(job, &log, makespan);
        let found = parts(&times.by_rank);
        assert_eq!(found, every.parts(), "case {case}\n{text}");
        assert!(found.iter().all(|rank| rank.iter().sum::<u64>() == makespan), "case {case}");
        bubbles += found.iter().map(|rank| rank[2]).sum::<u64>();
        for (place, step) in times.steps.iter().enumerate() {
            let steps = job.steps().len();
            let at = (u32::try_from(place / steps).unwrap(), u32::try_from(place % steps).unwrap());
            let ([exposed, hides], behind) = every.hidden(at);
            assert_eq!(
                (step.exposed, step.hidden, &step.behind),
                (exposed, hides, &behind),
                "case {case}, {at:?}\n{text}"
            );
            hidden += step.hidden;
        }
    }
    assert!(hidden > 1000 && bubbles > 1000, "{hidden} {bubbles}");
}

#[test]
fn small_messages_behind_large_ones_are_told() {
    // Rank 0 sends 160 units to rank 2 and then 1 unit to rank 1, over the same link.
    let text = |packets: &str, units: u64| {
        format!(
            "[machine]\nkind = \"line\"\nshape = [4]\n{packets}[program]\nshape = [4]\n\
             [[program.steps]]\nname = \"large\"\nkind = \"send\"\nover = [0]\nby = 2\nunits = {units}\nonly = [[0, 0, 2]]\n\
             [[program.steps]]\nname = \"c\"\ncompute_cycles = 1\nonly = [[0, 0, 1]]\nafter = []\n\
             [[program.steps]]\nname = \"small\"\nkind = \"send\"\nover = [0]\nonly = [[0, 0, 1]]\nunits = 10\n"
        )
    };
    // Another note says that the sends are to a part of the ranks.
    let notes = |text: &str| {
        let notes = only_record(text).notes;
        notes.into_iter().filter(|note| note.contains("channels")).collect::<Vec<_>>()
    };
    assert_eq!(
        notes(&text("", 160)),
        [
            "1 message waits for channels that messages of 16 times their units or more hold. The worst, 10 units of step \
             \"small\" from rank 0 to rank 1, was blocked for 159 cycles and takes 10 alone. machine.packet_units lets \
             messages share a channel."
        ]
    );
    // It is not 16 times as large; it shares the channel.
    assert_eq!(notes(&text("", 150)), Vec::<String>::new());
    assert_eq!(notes(&text("packet_units = 10\narbitration = \"round-robin\"\n", 160)), Vec::<String>::new());
}
