//! Scenarios of tests, with the files that they name; the tests of `runs` include this file, too.

use std::{fs, path::PathBuf};

use tempfile::TempDir;

use super::{CheckedScenarios, Scenario, ScenarioError, ScenarioErrors, check_with, load};

/// A valid ring of 8, to which tests append.
pub(crate) const RING: &str = "[machine]\nkind = \"ring\"\nshape = [8]\n";

/// A folder of files, the first of which is the scenario.
pub(crate) struct Files {
    pub(crate) directory: TempDir,
    pub(crate) scenario: PathBuf,
}

impl Files {
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let directory = tempfile::tempdir().unwrap();
        for (name, text) in files {
            fs::write(directory.path().join(name), text).unwrap();
        }
        let scenario = directory.path().join(files[0].0);
        Self { directory, scenario }
    }

    /// Loads the scenario, and checks that validation without holding runs gives the same.
    pub(crate) fn load(&self) -> Result<Scenario, ScenarioErrors> {
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

    pub(crate) fn errors(&self) -> Vec<ScenarioError> {
        self.load().unwrap_err().into_iter().collect()
    }

    /// Removes the name of the folder from a text.
    pub(crate) fn without_directory(&self, text: &impl ToString) -> String {
        text.to_string().replace(&format!("{}/", self.directory.path().display()), "")
    }

    /// The errors as they display.
    pub(crate) fn displayed(&self) -> Vec<String> {
        self.errors().iter().map(|error| self.without_directory(error)).collect()
    }
}

/// Checks that a scenario has the runs that were loaded.
pub(crate) fn assert_are_the_same(loaded: &Scenario, checked: &CheckedScenarios) {
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
pub(crate) fn scenario(text: &str) -> Scenario {
    Files::new(&[("s.toml", text)]).load().unwrap_or_else(|errors| panic!("{errors}\n{text}"))
}

/// The errors of a text as `line:column: message`.
pub(crate) fn errors(text: &str) -> Vec<String> {
    let displayed = Files::new(&[("s.toml", text)]).displayed();
    displayed.iter().map(|line| line.strip_prefix("s.toml:").unwrap().to_owned()).collect()
}
