//! The errors of one scenario, each told once however many combinations have it.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use super::{
    scenario_error::{ErrorIdentity, ScenarioError},
    sweep::Assignment,
};

/// Errors of the file itself and of the combinations of its sweep.
#[derive(Debug)]
pub(super) struct Findings {
    path: PathBuf,
    combination_count: u128,
    of_file: Vec<ScenarioError>,
    of_combinations: BTreeMap<ErrorIdentity, Finding>,
}

/// An error of one or more combinations.
#[derive(Debug)]
struct Finding {
    error: ScenarioError,
    first: String, // the first combination that has it, for the help
    count: u128,
}

impl Findings {
    /// With what is wrong whatever the combination.
    pub(super) fn new(path: &Path, combination_count: u128, of_file: Vec<ScenarioError>) -> Self {
        Self { path: path.to_owned(), combination_count, of_file, of_combinations: BTreeMap::new() }
    }

    /// Whether nothing is wrong so far.
    pub(super) fn is_empty(&self) -> bool {
        self.of_file.is_empty() && self.of_combinations.is_empty()
    }

    /// Adds what is wrong in a combination, at the value of the sweep that makes it wrong if there is one.
    pub(super) fn add(&mut self, combination: &[&Assignment], errors: Vec<ScenarioError>) {
        let is_swept =
            |place: &_| combination.iter().any(|assignment| assignment.value.place.contains(place));
        for error in errors {
            let error = error.led_by(is_swept);
            let finding = self.of_combinations.entry(error.identity()).or_insert_with(|| {
                let values = combination.iter().map(|assignment| assignment.written());
                let pairs: Vec<String> = values.map(|(path, value)| format!("{path} = {value}")).collect();
                Finding { error, first: pairs.join(", "), count: 0 }
            });
            finding.count += 1;
        }
    }

    /// The errors in the order of their places, those in the scenario file before those in others.
    pub(super) fn into_result(self) -> Result<(), Vec<ScenarioError>> {
        let total = self.combination_count;
        let of_combinations = self.of_combinations.into_values().map(|finding| finding.told(total));
        let mut errors = self.of_file;
        errors.extend(of_combinations);
        ScenarioError::without_shadows(&mut errors);
        errors.sort_by_cached_key(|error| (error.path() != self.path, error.identity()));
        if errors.is_empty() { Ok(()) } else { Err(errors) }
    }
}

impl Finding {
    /// The error, with the combinations that have it when those are not all.
    fn told(self, total: u128) -> ScenarioError {
        if self.count == total {
            return self.error;
        }
        let first = if self.count == 1 { "" } else { "the first with " };
        self.error.with_help(format!("in {} of {total} combinations: {first}{}", self.count, self.first))
    }
}
