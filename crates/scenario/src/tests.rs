//! Whole scenarios: their runs, and the errors of invalid ones.

mod bad_inputs;
mod bad_sweeps;
mod channels;
mod checked;
mod collective_steps;
mod collectives;
mod cubes;
mod files;
mod golden_clusters;
mod greenberg;
mod jobs;
mod launchers;
mod machines;
mod mutations;
mod networks;
mod programs;
mod resolved;
mod runs;
mod sizes;
mod speeds;
mod traffic;

use std::{
    fs,
    path::{Path, PathBuf},
};

use miette::Diagnostic;
use tempfile::TempDir;

use super::*;

/// A valid ring of 8, to which tests append.
const RING: &str = "[machine]\nkind = \"ring\"\nshape = [8]\n";

/// A folder of files, the first of which is the scenario.
struct Files {
    directory: TempDir,
    scenario: PathBuf,
}

impl Files {
    fn new(files: &[(&str, &str)]) -> Self {
        let directory = tempfile::tempdir().unwrap();
        for (name, text) in files {
            fs::write(directory.path().join(name), text).unwrap();
        }
        let scenario = directory.path().join(files[0].0);
        Self { directory, scenario }
    }

    /// Loads the scenario, and checks that validation without holding runs gives the same.
    fn load(&self) -> Result<Scenario, ScenarioErrors> {
        let paths = std::slice::from_ref(&self.scenario);
        let loaded = load(paths).map(|mut scenarios| scenarios.remove(0));
        match (&loaded, check_with(paths, &[], u64::MAX)) {
            (Ok(scenario), Ok(checked)) => assert_are_the_same(scenario, &checked),
            (Err(errors), Err(found)) => {
                assert_eq!((found.to_string(), found.count()), (errors.to_string(), errors.count()));
            }
            (loaded, checked) => panic!("loaded as {loaded:?}, checked as {checked:?}"),
        }
        loaded
    }

    fn errors(&self) -> Vec<ScenarioError> {
        self.load().unwrap_err().into_iter().collect()
    }

    /// Removes the name of the folder from a text.
    fn without_directory(&self, text: &impl ToString) -> String {
        text.to_string().replace(&format!("{}/", self.directory.path().display()), "")
    }

    /// The errors as they display.
    fn displayed(&self) -> Vec<String> {
        self.errors().iter().map(|error| self.without_directory(error)).collect()
    }

    /// The help of the only error.
    fn help(&self) -> String {
        let errors = self.errors();
        assert_eq!(errors.len(), 1, "{errors:?}");
        self.without_directory(&errors[0].report().help().map(|help| help.to_string()).unwrap_or_default())
    }
}

/// Checks that a scenario has the runs that were loaded.
fn assert_are_the_same(loaded: &Scenario, checked: &CheckedScenarios) {
    let [scenario] = checked.scenarios() else { panic!("{checked:?}") };
    assert_eq!(
        (&scenario.path, &scenario.name, &scenario.inputs),
        (&loaded.path, &loaded.name, &loaded.inputs)
    );
    assert_eq!(scenario.run_count, loaded.runs.len());
    assert_eq!(checked.runs().count(), loaded.runs.len());
    for (place, (run, checked_run)) in loaded.runs.iter().zip(checked.runs()).enumerate() {
        let checked_run = checked_run.unwrap();
        assert_eq!((checked_run.seed, &checked_run.combination), (run.seed, &run.combination), "run {place}");
        assert_eq!(checked_run.resolved.text(), run.resolved.text());
        assert_eq!((checked_run.communication, checked_run.execution), (run.communication, run.execution));
        let is_small = run.program.body.process_count() <= 1 << 12;
        assert!(!is_small || checked_run.placement.nodes() == run.placement.nodes());
    }
}

/// The scenario in a text.
pub(super) fn scenario(text: &str) -> Scenario {
    Files::new(&[("s.toml", text)]).load().unwrap()
}

/// The errors of a text as `line:column: message`, with `EMBEDDINGS` for the list of all embeddings.
fn errors(text: &str) -> Vec<String> {
    let (displayed, all) = (Files::new(&[("s.toml", text)]).displayed(), embeddings::expected());
    let short = |line: &String| line.strip_prefix("s.toml:").unwrap().replace(&all, "EMBEDDINGS");
    displayed.iter().map(short).collect()
}

/// The help of the only error of a text.
fn help(text: &str) -> String {
    Files::new(&[("s.toml", text)]).help()
}

/// Checks the errors of texts.
fn check_whole<T: AsRef<str>>(table: &[(&str, &[T])]) {
    for (text, expected) in table {
        let expected: Vec<&str> = expected.iter().map(AsRef::as_ref).collect();
        assert_eq!(errors(text), expected, "{text}");
    }
}

/// Checks the errors of texts; `RING` precedes each text, so that it starts in line 4.
fn check(table: &[(&str, &[&str])]) {
    for (text, expected) in table {
        assert_eq!(errors(&format!("{RING}{text}")), *expected, "{text}");
    }
}

/// An array of `NumPy` with these numbers.
pub(crate) fn numpy_file(descr: &str, order: &str, shape: &str, numbers: &[u8]) -> Vec<u8> {
    let header = format!("{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}\n");
    let length = u16::try_from(header.len()).unwrap().to_le_bytes();
    [cubefold_formats::input::numpy::MAGIC, &[1, 0], &length, header.as_bytes(), numbers].concat()
}
