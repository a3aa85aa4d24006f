//! Runs for tests.

use std::path::Path;

use cubefold_experiment::{FinishedRun, KeepRecords, Progress, Run, execute, load_text};

/// The one run of a scenario.
pub(crate) fn run(scenario: &str) -> Run {
    runs(scenario).remove(0)
}

/// The runs of a scenario.
pub(crate) fn runs(scenario: &str) -> Vec<Run> {
    load_text(Path::new("a test"), scenario).unwrap().runs
}

/// A run, executed, with its records.
pub(crate) fn finished(run: &Run) -> FinishedRun {
    execute(run, 0, KeepRecords::Yes, &Progress::default()).unwrap()
}
