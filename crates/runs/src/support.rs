//! Helpers for unit tests of several modules: scenarios from texts.

#[path = "../../scenario/src/tests/scenario_files.rs"]
mod scenario_files;

use std::{fs, io::Cursor, path::Path};

use cubefold_records::{FinishedRun, RunRecord};
use cubefold_scenario::{CheckedScenarios, Run, Scenario, ScenarioError, ScenarioErrors, check_with, load};
use cubefold_simulator::{EngineChoice, Observer, Outcome, Request, simulate};
use rayon::{ThreadPool, ThreadPoolBuilder};
use serde_json::Value;

pub(crate) use self::scenario_files::{Files, RING, errors, scenario};
use crate::{
    KeepRecords, Progress, Resources, execute,
    journal::{Journal, Shard, SweepPlan},
};

/// Resources that are enough for all tests.
pub(crate) const RESOURCES: Resources = Resources { threads: 2, memory: 1 << 30, ranks: None };

/// The runs of a scenario.
pub(crate) fn runs(text: &str) -> Vec<Run> {
    scenario(text).runs
}

/// The run of a scenario without a sweep.
pub(crate) fn only_run(text: &str) -> Run {
    let mut runs = runs(text);
    assert_eq!(runs.len(), 1, "{text}");
    runs.remove(0)
}

/// The first run of a scenario beside the files that it names.
pub(crate) fn run_beside<N: AsRef<Path>, C: AsRef<[u8]>>(
    text: &str,
    files: impl IntoIterator<Item = (N, C)>,
) -> Result<Run, ScenarioErrors> {
    let folder = Files::new(&[("s.toml", text)]);
    for (name, contents) in files {
        fs::write(folder.directory.path().join(name), contents).unwrap();
    }
    Ok(load(&[folder.scenario])?.remove(0).runs.remove(0))
}

/// A value of JSON as TOML, on a line.
pub(crate) fn toml(value: &Value) -> String {
    match value {
        Value::Array(items) => format!("[{}]", items.iter().map(toml).collect::<Vec<_>>().join(", ")),
        Value::Object(members) => {
            let members = members.iter().map(|(name, member)| format!("{name} = {}", toml(member)));
            format!("{{ {} }}", members.collect::<Vec<_>>().join(", "))
        }
        other => other.to_string(),
    }
}

/// Two link modes, two computations and three embeddings on a ring of 8: twelve runs.
pub(crate) fn twelve_runs() -> Vec<Run> {
    runs(
        "[machine]\nkind = \"ring\"\nshape = [8]\n[sweep]\n\
         \"machine.links\" = [\"full-duplex\", \"half-duplex\"]\n\"program.compute_cycles\" = [0, 3]\n",
    )
}

/// A run, executed as the first of its list, without the records of its processes.
pub(crate) fn finished(run: &Run) -> FinishedRun {
    execute(run, 0, KeepRecords::No, &Progress::default()).unwrap()
}

/// The record of a run as the first of its list.
pub(crate) fn record(run: &Run) -> RunRecord {
    record_at(run, 0)
}

/// The record of a run at a place of its list.
pub(crate) fn record_at(run: &Run, place: usize) -> RunRecord {
    RunRecord::new(run, place, &execute(run, place, KeepRecords::No, &Progress::default()).unwrap())
}

/// The records of a list of runs.
pub(crate) fn records(runs: &[Run]) -> Vec<RunRecord> {
    runs.iter().enumerate().map(|(place, run)| record_at(run, place)).collect()
}

/// The record of the run of a scenario without a sweep.
pub(crate) fn only_record(text: &str) -> RunRecord {
    record(&only_run(text))
}

/// The makespan of a run \[cycles\].
pub(crate) fn makespan_of(run: &Run) -> u64 {
    finished(run).outcome.summary.makespan().get()
}

/// The makespans of the runs of a scenario \[cycles\].
pub(crate) fn makespans(text: &str) -> Vec<u64> {
    runs(text).iter().map(makespan_of).collect()
}

/// The makespan of the run of a scenario without a sweep \[cycles\].
pub(crate) fn makespan(text: &str) -> u64 {
    makespan_of(&only_run(text))
}

/// The outcome of a run in asynchronous execution, of which `observer` is told.
pub(crate) fn observed(run: &Run, observer: &mut dyn Observer) -> Outcome {
    let request = Request::asynchronous(EngineChoice::Auto);
    simulate(&*run.program.body, &run.placement, run.communication, &request, observer).unwrap()
}

/// A pool of two threads.
pub(crate) fn pool() -> ThreadPool {
    ThreadPoolBuilder::new().num_threads(2).build().unwrap()
}

/// An empty journal in memory.
pub(crate) fn journal_in_memory(runs: &[&Run], shard: Shard) -> Journal<Cursor<Vec<u8>>> {
    Journal::begin(Cursor::new(vec![]), &SweepPlan::new(runs).unwrap(), shard).unwrap()
}
