//! Machine files: machines that scenarios share.

use std::path::Path;

use super::{
    scenario_error::ScenarioError,
    setting::Setting,
    source_file::{ReadError, SourceFile},
    value::Value,
    written::Written,
};

/// The keys of `[machine]` as a file of their own holds them.
#[derive(Debug)]
pub(super) struct MachineFile {
    written: Option<Written>, // none when its syntax is wrong
    errors: Vec<ScenarioError>,
}

impl MachineFile {
    /// Reads a file; what is wrong in it stays with it, to be told wherever it is used.
    ///
    /// # Errors
    ///
    /// When it cannot be read.
    pub(super) fn read(path: &Path) -> Result<Self, ReadError> {
        let source = SourceFile::read(path)?;
        let mut errors = vec![];
        Ok(match Written::machine(&source, &mut errors) {
            Ok(written) => Self { written: Some(written), errors },
            Err(errors) => Self { written: None, errors },
        })
    }

    /// The value of a key.
    pub(super) fn value(&self, setting: Setting) -> Option<&Value> {
        self.written.as_ref()?.values.get(&setting)
    }

    /// Its syntax errors and unknown keys.
    pub(super) fn errors(&self) -> &[ScenarioError] {
        &self.errors
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn messages(text: &str) -> Vec<String> {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("m.toml");
        std::fs::write(&path, text).unwrap();
        let file = MachineFile::read(&path).unwrap();
        let prefix = format!("{}/", directory.path().display());
        file.errors().iter().map(|error| error.to_string().replace(&prefix, "")).collect()
    }

    #[test]
    fn the_keys_stand_at_the_top_level() {
        assert_eq!(messages("kind = \"torus\"\nshape = [8, 8]\nhop_cycles = 2"), [] as [&str; 0]);
        let nested = messages("file = \"other.toml\"\n[machine]\nkind = \"ring\"");
        assert_eq!(nested[0], "m.toml:1:1: file in a machine file, expected the machine itself");
        assert!(nested[1].starts_with("m.toml:2:2: unknown key \"machine\" in [machine], expected kind,"));
    }
}
