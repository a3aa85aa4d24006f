//! Whole scenarios: what they come to, and what is reported of wrong ones.

mod bad_inputs;
mod bad_sweeps;
mod collective_steps;
mod collectives;
mod files;
mod greenberg;
mod launchers;
mod machines;
mod mutations;
mod networks;
mod programs;
mod runs;
mod sizes;

use std::{fs, path::PathBuf};

use miette::Diagnostic;
use tempfile::TempDir;

use super::*;

/// A ring of 8 with nothing wrong; what is added comes after it.
const RING: &str = "[machine]\nkind = \"ring\"\nshape = [8]\n";

/// A directory of files, the first of them the scenario.
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

    fn load(&self) -> Result<Scenario, ScenarioErrors> {
        load(std::slice::from_ref(&self.scenario)).map(|mut scenarios| scenarios.remove(0))
    }

    fn errors(&self) -> Vec<ScenarioError> {
        self.load().unwrap_err().into_iter().collect()
    }

    /// A text without the name of the directory.
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

/// The scenario in a text.
fn scenario(text: &str) -> Scenario {
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

/// Texts and their errors.
fn check_whole<T: AsRef<str>>(table: &[(&str, &[T])]) {
    for (text, expected) in table {
        let expected: Vec<&str> = expected.iter().map(AsRef::as_ref).collect();
        assert_eq!(errors(text), expected, "{text}");
    }
}

/// Texts and their errors; `RING` stands before each text, so that it begins in line 4.
fn check(table: &[(&str, &[&str])]) {
    for (text, expected) in table {
        assert_eq!(errors(&format!("{RING}{text}")), *expected, "{text}");
    }
}
