//! Runs for tests.

use std::path::Path;

use cubefold_records::FinishedRun;
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
    execute(run, 0, KeepRecords::Yes, &Progress::default()).unwrap()
}
