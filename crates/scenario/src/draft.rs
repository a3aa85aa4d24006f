//! A scenario file that has been read, before the combinations of its sweep are validated.

use std::{path::PathBuf, sync::Arc};

use super::{
    MAX_RUNS,
    budget::BYTES_A_RUN,
    errors::{Errors, Findings, ScenarioError},
    keys::Key,
    library::Library,
    setting::Setting,
    source_file::{self, Place, SourceFile},
    sweep::Sweep,
    value::Content,
    written::Written,
};

/// The contents of a scenario file, and its errors that do not depend on the combination.
#[derive(Debug)]
pub(super) struct Draft {
    pub(super) written: Written,
    pub(super) sweep: Sweep,
    errors: Vec<ScenarioError>,
}

impl Draft {
    /// Reads the values and the sweep.
    ///
    /// # Errors
    ///
    /// Syntax errors, and a sweep of too many runs.
    pub(super) fn read(
        source: &Arc<SourceFile>,
        settings: &[Setting],
        library: &Library,
    ) -> Result<Self, Vec<ScenarioError>> {
        let errors = Errors::default();
        take_text(source, library)?;
        let written = Written::scenario(source, settings, &errors)?;
        let sweep = Sweep::read(&written, &errors);
        let count = sweep.run_count(&written);
        if let (true, Some(place)) = (count > MAX_RUNS, sweep.place()) {
            let message = format!("{count} runs, expected at most {MAX_RUNS} in one file");
            let error = ScenarioError::at(place, message, "this sweep");
            errors.report(error.with_help("sweep fewer values, or spread them over several files"));
            // Too many combinations to check for further errors.
            return Err(errors.take());
        }
        Ok(Self { written, sweep, errors: errors.take() })
    }

    /// Takes the memory for `runs` of its runs.
    ///
    /// # Errors
    ///
    /// If there is not enough, after the other errors.
    pub(super) fn take_runs(&mut self, runs: u128, library: &Library) -> Result<(), Vec<ScenarioError>> {
        let counted = u64::try_from(runs).unwrap_or(u64::MAX);
        let taken = library.budget().take(counted.saturating_mul(BYTES_A_RUN));
        taken.map_err(|over| {
            let start = Place::start(&self.written.source);
            let place = self.sweep.place().unwrap_or(&start);
            self.errors.push(over.at(place, &format!("a sweep of {runs} runs")));
            std::mem::take(&mut self.errors)
        })
    }

    /// The errors so far; those of combinations are added later.
    pub(super) fn findings(&mut self) -> Findings {
        let errors = std::mem::take(&mut self.errors);
        Findings::new(self.written.source.path(), self.sweep.combination_count(), errors)
    }

    /// The name at the top of the file, or else the stem of the file name.
    pub(super) fn name(&self) -> String {
        match self.written.values.get(Key::Name).map(|value| &value.content) {
            Some(Content::Text(name)) => name.clone(),
            _ => file_stem(&self.written),
        }
    }

    /// The files that were read for it and for earlier scenarios.
    pub(super) fn inputs(&self, library: &Library) -> Vec<PathBuf> {
        std::iter::once(self.written.source.path().to_owned()).chain(library.files()).collect()
    }
}

/// Takes the memory for a scenario's text and values, before it is parsed.
pub(super) fn take_text(source: &Arc<SourceFile>, library: &Library) -> Result<(), Vec<ScenarioError>> {
    let bytes = source_file::bytes_to_parse(source.text());
    library
        .budget()
        .take(bytes)
        .map_err(|over| vec![over.at(&Place::start(source), "the values of this file:")])
}

pub(super) fn file_stem(written: &Written) -> String {
    written.source.path().file_stem().unwrap_or_default().to_string_lossy().into_owned()
}
