//! Runs for tests.

use std::path::Path;

use cubefold_records::{FinishedRun, RunRecord};
use cubefold_runs::{KeepRecords, Progress, execute};
use cubefold_scenario::{Run, load_text};

/// The one run of a scenario.
pub(crate) fn run(scenario: &str) -> Run {
    runs(scenario).remove(0)
}

/// The runs of a scenario.
pub(crate) fn runs(scenario: &str) -> Vec<Run> {
    load_text(Path::new("a test"), scenario).unwrap().runs
}

/// A random permutation of 8 processes on the machine with these keys.
pub(crate) fn permutation_on(machine: &str) -> Run {
    let program = "kind = \"permutation\"\npattern = \"random\"\nprocesses = 8\n";
    run(&format!("[machine]\n{machine}\n[program]\n{program}"))
}

/// The one run of a scenario that names files.
pub(crate) fn run_of_files(scenario: &str, files: &[(&str, &str)]) -> Run {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    load_text(&folder.path().join("scenario.toml"), scenario).unwrap().runs.remove(0)
}

/// An executed run with its records.
pub(crate) fn finished(run: &Run) -> FinishedRun {
    finished_with(run, KeepRecords::Yes)
}

/// An executed run, with the records that `keep` names.
pub(crate) fn finished_with(run: &Run, keep: KeepRecords) -> FinishedRun {
    execute(run, 0, keep, &Progress::default()).unwrap()
}

/// The records of the runs of a scenario.
pub(crate) fn records(scenario: &str) -> Vec<RunRecord> {
    let record = |(place, run): (usize, &Run)| RunRecord::new(run, place, &finished(run));
    runs(scenario).iter().enumerate().map(record).collect()
}
