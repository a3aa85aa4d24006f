//! A scenario file that is read, before any combination of its sweep is looked at.

use std::{path::PathBuf, sync::Arc};

use super::{
    MAX_RUNS,
    budget::BYTES_A_RUN,
    errors::{Findings, ScenarioError},
    keys::Key,
    library::Library,
    setting::Setting,
    settings::Written,
    source_file::{self, Place, SourceFile},
    sweep::Sweep,
    value::Content,
};

/// What a scenario file says, and what is wrong with it whatever the combination.
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
    /// What is wrong with the syntax, and a sweep of too many runs.
    pub(super) fn read(
        source: &Arc<SourceFile>,
        settings: &[Setting],
        library: &Library,
    ) -> Result<Self, Vec<ScenarioError>> {
        let mut errors = vec![];
        take_text(source, library)?;
        let written = Written::scenario(source, settings, &mut errors)?;
        let sweep = Sweep::read(&written, &mut errors);
        let count = sweep.run_count(&written);
        if let (true, Some(place)) = (count > MAX_RUNS, sweep.place()) {
            let message = format!("{count} runs, expected at most {MAX_RUNS} in one file");
            let error = ScenarioError::at(place, message, "this sweep");
            errors.push(error.with_help("sweep fewer values, or spread them over several files"));
            // The combinations, too many to look at, may have errors of their own.
            return Err(errors);
        }
        Ok(Self { written, sweep, errors })
    }

    /// Takes the memory of so many of its runs.
    ///
    /// # Errors
    ///
    /// When there is not enough, behind what is wrong otherwise.
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

    /// What is wrong so far, to which what is wrong with combinations is added.
    pub(super) fn findings(&mut self) -> Findings {
        let errors = std::mem::take(&mut self.errors);
        Findings::new(self.written.source.path(), self.sweep.combination_count(), errors)
    }

    /// The name at the top of the file, else the stem of the file's name.
    pub(super) fn name(&self) -> String {
        match self.written.values.get(Key::Name).map(|value| &value.content) {
            Some(Content::Text(name)) => name.clone(),
            _ => file_stem(&self.written),
        }
    }

    /// The files that were read for it, and for those before it.
    pub(super) fn inputs(&self, library: &Library) -> Vec<PathBuf> {
        std::iter::once(self.written.source.path().to_owned()).chain(library.files()).collect()
    }
}

/// Takes the memory of a scenario's text and of its values, before it is parsed.
pub(super) fn take_text(source: &Arc<SourceFile>, library: &Library) -> Result<(), Vec<ScenarioError>> {
    let bytes = source_file::bytes_to_parse(source.text());
    library
        .budget()
        .take(bytes)
        .map_err(|over| vec![over.at(&Place::start(source), "the values of this file:")])
}

/// The stem of the file's name.
pub(super) fn file_stem(written: &Written) -> String {
    written.source.path().file_stem().unwrap_or_default().to_string_lossy().into_owned()
}
