//! Where the time of jobs goes (`docs/model.md` section 23.6): the cases of `tests/golden/jobs_time.json`, and random jobs
//! against a count of every cycle.

use std::collections::BTreeMap;

use cubefold_simulator::{
    EngineChoice, Job, MessageTimes, Observer, Outcome, Program, RankTime, Request, StageRecord, StepRecord,
    simulate,
};
use serde::Deserialize;
use serde_json::Value;

use super::{
    collectives::record,
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
    /// The scenario with pipelines written out as steps; `None` if it has messages of 0 units, which pipelines alone may
    /// have.
    fn written_out(&self) -> Option<String> {
        let Some(steps) = &self.expanded else { return Some(self.scenario.clone()) };
        let is_empty = |step: &Value| step["units"] == 0 || step["bytes"] == 0;
        if steps.iter().any(is_empty) {
            return None;
        }
        let (written, others): (Vec<&str>, Vec<&str>) =
            self.scenario.split("\n\n").partition(|part| part.starts_with("[[program.steps]]"));
        assert!(!written.is_empty());
        let table = |step: &Value| {
            let keys =
                step.as_object().unwrap().iter().map(|(key, value)| format!("{key} = {}\n", inline(value)));
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

/// A JSON value in TOML, on a line.
fn inline(value: &Value) -> String {
    match value {
        Value::Object(members) => {
            let all: Vec<String> =
                members.iter().map(|(key, own)| format!("{key} = {}", inline(own))).collect();
            format!("{{ {} }}", all.join(", "))
        }
        Value::Array(entries) => {
            format!("[{}]", entries.iter().map(inline).collect::<Vec<_>>().join(", "))
        }
        other => other.to_string(),
    }
}

fn golden() -> Golden {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden/jobs_time.json");
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

/// The members of a value that another one has.
fn members_of(own: &Value, wanted: &Value) -> Value {
    match (own, wanted) {
        (Value::Object(own), Value::Object(wanted)) => {
            let members = wanted
                .iter()
                .map(|(key, value)| (key.clone(), members_of(own.get(key).unwrap_or(&Value::Null), value)));
            Value::Object(members.collect())
        }
        _ => own.clone(),
    }
}

#[test]
fn golden_jobs_divide_their_time() {
    let (mut checked, mut skipped) = (0, 0);
    for case in golden().cases {
        let name = &case.name;
        let Some(text) = case.written_out() else {
            skipped += 1;
            continue;
        };
        // The file is of listed order.
        let text = text.replace("kind = \"traffic\"", "kind = \"traffic\"\norder = \"listed\"");
        let files = folder(&text, &case.files);
        let run = files.load().unwrap_or_else(|error| panic!("{name}: {error}\n{text}")).runs.remove(0);
        let own = serde_json::to_value(record(&run)).unwrap();
        for member in ["makespan_cycles", "exposed_cycles", "time"] {
            assert_eq!(own[member], case.expected[member], "{name}: {member}");
        }
        let steps = case.expected["steps"].as_array().unwrap();
        assert_eq!(own["steps"].as_array().unwrap().len(), steps.len(), "{name}");
        for (own, want) in own["steps"].as_array().unwrap().iter().zip(steps) {
            assert_eq!(members_of(own, want), *want, "{name}");
        }
        let by_rank: Vec<[u64; 4]> = serde_json::from_value(case.expected["time_by_rank"].clone()).unwrap();
        assert_eq!(parts(&outcome(&run, &mut ()).job.unwrap().by_rank), by_rank, "{name}");
        checked += 1;
    }
    assert!(checked >= 20, "{checked} of {}", checked + skipped);
}

fn outcome(run: &Run, observer: &mut dyn Observer) -> Outcome {
    let request = Request::asynchronous(EngineChoice::Auto);
    simulate(&*run.program.body, &run.placement, run.communication, &request, observer).unwrap()
}

fn parts(times: &[RankTime]) -> Vec<[u64; 4]> {
    times.iter().map(|own| [own.computation, own.communication, own.bubble, own.done]).collect()
}

/// All that a run reports.
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

    fn wants_messages(&self) -> bool {
        true
    }

    fn messages_finished(&mut self, messages: Vec<MessageTimes>) {
        self.messages = messages;
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
        let mut own = Self {
            computing: vec![vec![None; cycles]; ranks],
            at_work: vec![vec![vec![]; cycles]; ranks],
            ends: vec![0; ranks],
        };
        let rank = |process: cubefold_mapping::ProcessId| process.label() as usize % ranks;
        let mut work = |rank: usize, place: (u32, u32), from: u64, to: u64| {
            for cycle in from..to {
                let all = &mut own.at_work[rank][usize::try_from(cycle).unwrap()];
                if !all.contains(&place) {
                    all.push(place);
                }
            }
        };
        let place = |stage: usize| {
            let own = job.locate(stage);
            (u32::try_from(own.iteration).unwrap(), u32::try_from(own.step).unwrap())
        };
        for record in &log.stages {
            let at = place(record.stage);
            let computation = job.computation(record.stage, record.process).get();
            let (from, to) = (record.ready.get() - computation, record.ready.get());
            if job.steps()[at.1 as usize].computation().is_none() {
                work(rank(record.process), at, from, to);
            } else {
                for cycle in from..to {
                    own.computing[rank(record.process)][usize::try_from(cycle).unwrap()] = Some(at.1);
                }
            }
        }
        for message in &log.messages {
            for end in [message.source, message.destination] {
                work(rank(end), place(message.stage as usize), message.start.get(), message.received.get());
            }
        }
        for record in &log.steps {
            let end = &mut own.ends[record.rank as usize];
            *end = record.finish.get().max(*end);
        }
        own
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
            for (own, computing) in at_work.iter().zip(computing).filter(|(own, _)| own.contains(&place)) {
                assert!(!own.is_empty());
                sums[usize::from(computing.is_some())] += 1;
                if let Some(step) = computing {
                    *behind.entry(*step).or_default() += 1;
                }
            }
        }
        let mut names: Vec<(u64, u32)> = behind.into_iter().map(|(step, cycles)| (cycles, step)).collect();
        names.sort_by_key(|&(cycles, step)| (std::cmp::Reverse(cycles), step));
        (sums, names.into_iter().take(16).map(|own| own.1).collect())
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
        let run = scenario(&text).runs.remove(0);
        let mut log = Log::default();
        let outcome = outcome(&run, &mut log);
        let (job, makespan) = (run.program.job.as_deref().unwrap(), outcome.summary.makespan().get());
        let times = outcome.job.unwrap();
        let every = EveryCycle::of(job, &log, makespan);
        let found = parts(&times.by_rank);
        assert_eq!(found, every.parts(), "case {case}\n{text}");
        assert!(found.iter().all(|own| own.iter().sum::<u64>() == makespan), "case {case}");
        bubbles += found.iter().map(|own| own[2]).sum::<u64>();
        for (place, own) in times.steps.iter().enumerate() {
            let steps = job.steps().len();
            let at = (u32::try_from(place / steps).unwrap(), u32::try_from(place % steps).unwrap());
            let ([exposed, hides], behind) = every.hidden(at);
            assert_eq!(
                (own.exposed, own.hidden, &own.behind),
                (exposed, hides, &behind),
                "case {case}, {at:?}\n{text}"
            );
            hidden += own.hidden;
        }
    }
    assert!(hidden > 1000 && bubbles > 1000, "{hidden} {bubbles}");
}
