//! The cases of `tests/golden/truth.json`: collectives as libraries run them, computed by another program.

use std::{collections::BTreeMap, fs};

use cubefold_simulator::{EngineChoice, Request, StageRecord, simulate};
use serde::Deserialize;

use crate::scenario::{Run, load};

#[derive(Deserialize)]
struct File {
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    name: String,
    element: String,
    #[serde(default)]
    toml: Option<String>,
    #[serde(default)]
    files: BTreeMap<String, String>,
    #[serde(default)]
    machine: Option<String>,
    #[serde(default)]
    program: Option<String>,
    #[serde(default)]
    makespan: Option<u64>,
    #[serde(default)]
    stage_finish: Vec<u64>,
}

/// The matrix of case r10, which its program has as a comment.
const MATRIX: &str = "0 5 0 9\n3 0 7 0\n4 4 0 4\n0 0 12 0\n";

fn cases() -> Vec<Case> {
    let file: File = serde_json::from_str(include_str!("../../../../../tests/golden/truth.json")).unwrap();
    file.cases
}

impl Case {
    fn run(&self) -> Run {
        let folder = tempfile::tempdir().unwrap();
        let text = self.toml.clone().unwrap_or_else(|| {
            let (machine, program) = (self.machine.as_deref().unwrap(), self.program.as_deref().unwrap());
            format!("[machine]\n{machine}\n[program]\n{program}\n")
        });
        fs::write(folder.path().join("m.txt"), MATRIX).unwrap();
        for (name, text) in &self.files {
            fs::write(folder.path().join(name), text).unwrap();
        }
        let path = folder.path().join("case.toml");
        fs::write(&path, text).unwrap();
        let scenarios = load(&[path]).unwrap_or_else(|errors| panic!("{}: {errors}", self.name));
        scenarios.into_iter().next().unwrap().runs.remove(0)
    }
}

/// Runs the cases of an element, and compares the makespan and the end of every stage.
fn check(element: &str, leave_out: &[&str]) {
    let own = cases().into_iter().filter(|case| case.element == element);
    let mut count = 0;
    for case in own.filter(|case| !leave_out.contains(&case.name.as_str())) {
        let run = case.run();
        let mut records: Vec<StageRecord> = vec![];
        let request = Request::asynchronous(EngineChoice::Auto);
        let outcome = simulate(&*run.program.body, &run.placement, run.communication, &request, &mut records);
        assert_eq!(Some(outcome.unwrap().summary.makespan().get()), case.makespan, "{}", case.name);
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
        count += 1;
    }
    assert!(count > 0);
}

/// Cases whose routes are those of `d-mod-k` through several spines.
const THROUGH_SPINES: [&str; 12] = ["c6", "c7", "t4", "t5", "r7", "r8", "r9", "f6", "f7", "f8", "i9", "i10"];

#[test]
fn rotated_order_is_that_of_the_golden_cases() {
    check("rotated order", &THROUGH_SPINES);
}

#[test]
fn channels_are_those_of_the_golden_cases() {
    check("channels", &THROUGH_SPINES);
}

#[test]
fn trees_that_know_nodes_are_those_of_the_golden_cases() {
    check("node-aware trees", &THROUGH_SPINES);
}

#[test]
fn hierarchical_collectives_in_chunks_are_those_of_the_golden_cases() {
    check("chunks", &THROUGH_SPINES);
}

#[test]
fn costs_of_messages_are_those_of_the_golden_cases() {
    check("message cost", &["h8"]); // in-switch
}

#[test]
fn folding_is_that_of_the_golden_cases() {
    check("folding", &THROUGH_SPINES);
}
