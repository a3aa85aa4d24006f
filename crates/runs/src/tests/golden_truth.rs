//! The cases of `tests/golden/truth.json`: collectives as libraries run them, on real machines, computed by another
//! program.

use std::collections::BTreeMap;

use cubefold_records::bus_share;
use cubefold_scenario::Run;
use cubefold_simulator::StageRecord;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::support::{observed, record, run_beside, toml};

#[derive(Deserialize)]
pub(super) struct File {
    pub(super) cases: Vec<Case>,
    pub(super) routes: Vec<RouteCase>,
}

#[derive(Deserialize)]
pub(super) struct Case {
    pub(super) name: String,
    element: String,
    #[serde(default)]
    toml: Option<String>,
    #[serde(default)]
    files: BTreeMap<String, String>,
    #[serde(default)]
    pub(super) machine: Option<String>,
    #[serde(default)]
    program: Option<String>,
    #[serde(default)]
    execution: Option<String>,
    #[serde(default)]
    scenario: Option<Value>,
    #[serde(default)]
    makespan: Option<u64>,
    #[serde(default)]
    stage_finish: Vec<u64>,
    #[serde(flatten)]
    pub(super) more: Map<String, Value>,
}

#[derive(Deserialize)]
pub(super) struct RouteCase {
    pub(super) machine: Value,
    #[serde(default)]
    pub(super) execution: Option<Value>,
    #[serde(default)]
    pub(super) seed: u64,
    pub(super) source: u32,
    pub(super) destination: u32,
    /// Source process, destination process, stage, ordinal, share; of one set of cases.
    #[serde(default)]
    pub(super) args: Vec<u64>,
    /// From, to, number of the cable.
    pub(super) route: Vec<[u64; 3]>,
}

/// The matrix of case r10, which its program has as a comment.
const MATRIX: &str = "0 5 0 9\n3 0 7 0\n4 4 0 4\n0 0 12 0\n";

/// The switches of cases u1 to u3.
const SWITCHES: &str = "SwitchName=a Nodes=n[0-3]\nSwitchName=b Nodes=n[4-7]\nSwitchName=c Switches=a,b\n";

pub(super) fn file() -> File {
    serde_json::from_str(include_str!("../../../../tests/golden/truth.json")).unwrap()
}

/// The run of a case beside its files, and those that several cases name.
pub(super) fn loaded(text: &str, files: &BTreeMap<String, String>) -> Run {
    let of_several = [("topology.conf", SWITCHES), ("m.txt", MATRIX)];
    let mut all: BTreeMap<String, String> = of_several.map(|(name, text)| (name.into(), text.into())).into();
    all.extend(files.clone());
    run_beside(text, &all).unwrap_or_else(|errors| panic!("{text}: {errors}"))
}

/// The messages of a pattern that the file describes in words, as a file of stages.
fn stages_of(program: &str) -> Option<String> {
    let line = |source: u64, destination: u64, units: u64| format!("0,{source},{destination},{units}\n");
    let messages: String = if program.starts_with("bit reversal") {
        let reversed = |word: u64| (0..4).map(|bit| (word >> bit & 1) << (3 - bit)).sum::<u64>();
        (0..16)
            .filter(|&source| reversed(source) != source)
            .map(|source| line(source, reversed(source), 32))
            .collect()
    } else {
        let words: Vec<&str> = program.strip_prefix("kind = \"stages\": host i sends ")?.split(' ').collect();
        let (units, by) = (words[0].parse().ok()?, words[5].trim_end_matches(')').parse::<u64>().ok()?);
        (0..64).map(|source| line(source, (source + by) % 64, units)).collect()
    };
    Some(format!("stage,source,destination,units\n{messages}"))
}

impl Case {
    pub(super) fn run(&self) -> Run {
        let mut files = self.files.clone();
        let text = match (&self.toml, &self.machine, &self.scenario) {
            (Some(toml), ..) => toml.clone(),
            (None, Some(machine), _) => {
                let program = self.program.as_deref().unwrap();
                let program = match stages_of(program) {
                    Some(messages) => {
                        files.insert("messages.csv".to_owned(), messages);
                        let processes = if program.starts_with("bit") { 16 } else { 64 };
                        format!("kind = \"stages\"\nfile = \"messages.csv\"\nprocesses = {processes}")
                    }
                    None => program.to_owned(),
                };
                let execution = self.execution.as_deref().unwrap_or_default();
                format!("[machine]\n{machine}\n[program]\n{program}\n[execution]\n{execution}\n")
            }
            (None, None, scenario) => {
                let scenario = scenario.as_ref().unwrap();
                let program = scenario
                    .get("program")
                    .map_or_else(|| "{ kind = \"barrier\", algorithm = \"dissemination\" }".to_owned(), toml);
                format!("machine = {}\nprogram = {program}\n", toml(&scenario["machine"]))
            }
        };
        loaded(&text, &files)
    }

    pub(super) fn number(&self, key: &str) -> u64 {
        self.more[key].as_u64().unwrap()
    }
}

/// Compares the numbers of stages, messages and units, where the file has them.
fn check_messages(case: &Case, run: &Run) {
    let program = &*run.program.body;
    let (mut messages, mut sum) = (0_u64, 0_u64);
    for stage in 0..program.stage_count() {
        program.for_each_message(stage, &mut |_, _, units| {
            messages += 1;
            sum += units;
        });
    }
    let found = [("stages", program.stage_count() as u64), ("messages", messages), ("unit_sum", sum)];
    for (key, found) in found {
        if let Some(expected) = case.more.get(key) {
            assert_eq!(expected.as_u64(), Some(found), "{key} of {}", case.name);
        }
    }
}

/// Runs the cases of an element, and compares the makespan, the end of every stage, the messages, and the
/// bus bandwidth and the bound where the file has them;
/// returns the number of bounds.
fn check(file: &File, element: &str) -> usize {
    let cases = file.cases.iter().filter(|case| case.element == element && case.makespan.is_some());
    let (mut count, mut bounds) = (0, 0);
    for case in cases {
        let run = case.run();
        let mut records: Vec<StageRecord> = vec![];
        let outcome = observed(&run, &mut records);
        assert_eq!(Some(outcome.summary.makespan().get()), case.makespan, "{}", case.name);
        let mut ends: BTreeMap<usize, u64> = BTreeMap::new();
        for record in &records {
            let end = ends.entry(record.stage).or_default();
            *end = (*end).max(record.finish.get());
        }
        // The file has the end of each stage and all before it.
        let mut latest = 0;
        let until = |end: u64| {
            latest = latest.max(end);
            latest
        };
        let ends: Vec<u64> = ends.into_values().map(until).collect();
        assert_eq!(ends, case.stage_finish, "{}", case.name);
        check_messages(case, &run);
        if let Some(bus) = case.more.get("bus_units_per_cycle") {
            let [units, cycles]: [u64; 2] = serde_json::from_value(bus.clone()).unwrap();
            let asked = run.program.asked_collective().unwrap().specification().unwrap();
            let [times, of] = bus_share(asked);
            // The same fraction.
            assert_eq!(
                asked.vector_units * times * cycles,
                units * of * case.makespan.unwrap(),
                "{}",
                case.name
            );
        }
        if let Some(bound) = case.more.get("lower_bound") {
            let record = record(&run);
            assert_eq!(record.lower_bound_cycles, bound.as_u64(), "{}", case.name);
            bounds += 1;
        }
        count += 1;
    }
    assert!(count > 0);
    bounds
}

/// Collectives, costs, routes and machines of the file, and the number of cases of each that have a lower bound.
const ELEMENTS: [(&str, usize); 11] = [
    ("rotated order", 0),
    ("channels", 0),
    ("node-aware trees", 0),
    ("chunks", 8), // of hierarchical collectives
    ("message cost", 2),
    ("folding", 10),
    ("uplinks", 0), // parallel cables
    ("d-mod-k", 0), // routes by destination
    ("spread", 2),  // routes drawn for each message
    ("machines", 2),
    ("in-switch", 10), // reduction in switches
];

#[test]
fn cases_with_a_makespan_are_those_of_the_file() {
    let file = file();
    let is_listed = |case: &Case| ELEMENTS.iter().any(|(element, _)| *element == case.element);
    assert!(file.cases.iter().all(|case| case.makespan.is_none() || is_listed(case)));
    for (element, bounds) in ELEMENTS {
        assert_eq!(check(&file, element), bounds, "{element}");
    }
}
