//! Helpers for unit tests of several modules: scenarios from texts.

use std::{fs, io::Cursor, path::PathBuf};

use cubefold_records::{FinishedRun, RunRecord};
use cubefold_scenario::{Run, Scenario, ScenarioErrors, load};
use rayon::{ThreadPool, ThreadPoolBuilder};
use tempfile::TempDir;

use crate::{
    KeepRecords, Progress, Resources, execute,
    journal::{Journal, Shard, SweepPlan},
};

/// Resources that are enough for all tests.
pub(crate) const RESOURCES: Resources = Resources { threads: 2, memory: 1 << 30, ranks: None };

/// A folder of files, of which the first is the scenario.
pub(crate) struct Files {
    pub(crate) folder: TempDir,
    scenario: PathBuf,
}

impl Files {
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            fs::write(folder.path().join(name), text).unwrap();
        }
        let scenario = folder.path().join(files[0].0);
        Self { folder, scenario }
    }

    pub(crate) fn load(&self) -> Result<Scenario, ScenarioErrors> {
        load(std::slice::from_ref(&self.scenario)).map(|mut scenarios| scenarios.remove(0))
    }

    /// The displayed errors, without the name of the folder.
    pub(crate) fn displayed(&self) -> Vec<String> {
        let folder = format!("{}/", self.folder.path().display());
        self.load().unwrap_err().iter().map(|error| error.to_string().replace(&folder, "")).collect()
    }
}

/// A valid ring of 8, to which tests append.
pub(crate) const RING: &str = "[machine]\nkind = \"ring\"\nshape = [8]\n";

/// The scenario in a text.
pub(crate) fn scenario(text: &str) -> Scenario {
    Files::new(&[("s.toml", text)]).load().unwrap()
}

/// The errors of a text as `line:column: message`.
pub(crate) fn errors(text: &str) -> Vec<String> {
    let displayed = Files::new(&[("s.toml", text)]).displayed();
    displayed.iter().map(|line| line.strip_prefix("s.toml:").unwrap().to_owned()).collect()
}

/// The runs of a scenario.
pub(crate) fn runs(text: &str) -> Vec<Run> {
    scenario(text).runs
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

/// A pool of two threads.
pub(crate) fn pool() -> ThreadPool {
    ThreadPoolBuilder::new().num_threads(2).build().unwrap()
}

/// An empty journal in memory.
pub(crate) fn journal_in_memory(runs: &[&Run], shard: Shard) -> Journal<Cursor<Vec<u8>>> {
    Journal::begin(Cursor::new(vec![]), &SweepPlan::new(runs).unwrap(), shard).unwrap()
}
