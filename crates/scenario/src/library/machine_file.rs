//! Machine files.

use std::path::Path;

use crate::{
    budget::Budget,
    errors::{Errors, ScenarioError},
    keyed_values::KeySet,
    keys::Key,
    source_file::{self, ReadError, SourceFile},
    value::Value,
    written::Written,
};

/// The keys of `[machine]` in a file of their own.
#[derive(Debug)]
pub(crate) struct MachineFile {
    pub(super) written: Option<Written>, // `None` after a syntax error
    errors: Vec<ScenarioError>,
}

impl MachineFile {
    /// Reads a file; its errors are kept and reported at every use.
    ///
    /// # Errors
    ///
    /// If it cannot be read.
    pub(crate) fn read(path: &Path, budget: &Budget) -> Result<Self, ReadError> {
        let source = SourceFile::read_within(path, budget)?;
        budget.take(source_file::bytes_to_parse(source.text()))?;
        let errors = Errors::default();
        Ok(match Written::machine(&source, &errors) {
            Ok(written) => Self { written: Some(written), errors: errors.take() },
            Err(errors) => Self { written: None, errors },
        })
    }

    pub(crate) fn value(&self, setting: Key) -> Option<&Value> {
        self.written.as_ref()?.values.get(setting)
    }

    /// Keys that it sets.
    pub(crate) fn keys(&self) -> KeySet {
        self.written.as_ref().map_or_else(KeySet::default, |written| written.values.keys())
    }

    /// Syntax errors and unknown keys.
    pub(crate) fn errors(&self) -> &[ScenarioError] {
        &self.errors
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::placement_file::Failure;

    /// The machine file with this text, and its errors without its folder.
    fn read(text: &str) -> (MachineFile, Vec<String>) {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("m.toml");
        std::fs::write(&path, text).unwrap();
        let file = MachineFile::read(&path, &Budget::default()).unwrap();
        let messages = Failure::Wrong(file.errors.clone()).texts(directory.path());
        (file, messages)
    }

    fn messages(text: &str) -> Vec<String> {
        read(text).1
    }

    #[test]
    fn the_keys_stand_at_the_top_level() {
        assert_eq!(messages("kind = \"torus\"\nshape = [8, 8]\nhop_cycles = 2"), [] as [&str; 0]);
        assert_eq!(
            messages("file = \"other.toml\""),
            ["m.toml:1:1: file in a machine file, expected the machine itself"]
        );
    }

    #[test]
    fn the_keys_may_stand_in_the_table_of_the_machine() {
        let (file, messages_of_file) = read("hop_cycles = 2\n[machine]\nkind = \"ring\"\n");
        assert_eq!(messages_of_file, [] as [&str; 0]);
        assert!(file.value(Key::MachineKind).is_some() && file.value(Key::MachineHopCycles).is_some());
        assert_eq!(
            messages("kind = \"torus\"\n[machine]\nkind = \"ring\""),
            ["m.toml:3:1: kind a second time, expected it once"]
        );
        let other = messages("[machine]\nkind = \"ring\"\n[program]\nunits = 3\n");
        assert!(
            other[0].starts_with("m.toml:3:2: unknown key \"program\" in [machine], expected kind,"),
            "{other:?}"
        );
    }
}
