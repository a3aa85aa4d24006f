//! What a scenario file says: its known keys with their values, and diagnostics about all others.

use std::{collections::BTreeMap, sync::Arc};

use super::{
    document,
    known_names::{alternatives, help, nearest},
    scenario_error::{ScenarioError, Standing},
    setting::{Section, Setting},
    source_file::{Place, SourceFile},
    value::{Content, Entry, Value},
};
use crate::text::shortened;

/// The values of a file by their keys, not looked at yet.
#[derive(Debug)]
pub(super) struct Written {
    pub(super) source: Arc<SourceFile>,
    pub(super) values: BTreeMap<Setting, Value>,
    /// Where the tables that are there begin.
    pub(super) headers: BTreeMap<Section, Place>,
    /// The value of `sweep`.
    pub(super) sweep: Option<Value>,
}

impl Written {
    /// Reads a scenario file; unknown keys are added to `errors` and left out.
    ///
    /// # Errors
    ///
    /// The syntax errors.
    pub(super) fn scenario(
        source: &Arc<SourceFile>,
        errors: &mut Vec<ScenarioError>,
    ) -> Result<Self, Vec<ScenarioError>> {
        let mut written = Self::empty(source);
        for entry in document::parse(source)? {
            if let Some(section) = Section::with_name(&entry.key) {
                written.add_table(section, entry, errors);
            } else if entry.key == "sweep" {
                written.sweep = Some(entry.value);
            } else {
                written.add(Section::Top, entry, errors);
            }
        }
        Ok(written)
    }

    /// Reads a machine file: the keys of `[machine]` at the top level.
    ///
    /// # Errors
    ///
    /// The syntax errors.
    pub(super) fn machine(
        source: &Arc<SourceFile>,
        errors: &mut Vec<ScenarioError>,
    ) -> Result<Self, Vec<ScenarioError>> {
        let mut written = Self::empty(source);
        for entry in document::parse(source)? {
            if entry.key == Setting::MachineFile.key() {
                let message = "file in a machine file, expected the machine itself";
                let error = ScenarioError::at(&entry.key_place, message, "not here");
                errors.push(error.with_help("machine files do not name further machine files"));
            } else {
                written.add(Section::Machine, entry, errors);
            }
        }
        Ok(written)
    }

    fn empty(source: &Arc<SourceFile>) -> Self {
        let (values, headers) = (BTreeMap::new(), BTreeMap::new());
        Self { source: Arc::clone(source), values, headers, sweep: None }
    }

    fn add_table(&mut self, section: Section, table: Entry, errors: &mut Vec<ScenarioError>) {
        self.headers.insert(section, table.key_place);
        let Content::Table(entries) = table.value.content else {
            let expected = format!("a table: [{}]", section.name());
            errors.push(table.value.unexpected(section.name(), expected).standing(Standing::HidesValues));
            return;
        };
        for entry in entries {
            self.add(section, entry, errors);
        }
    }

    fn add(&mut self, section: Section, entry: Entry, errors: &mut Vec<ScenarioError>) {
        match Setting::with_key(section, &entry.key) {
            Some(setting) => {
                self.values.insert(setting, entry.value);
            }
            None => errors.push(unknown_key(section, &entry)),
        }
    }
}

fn unknown_key(section: Section, entry: &Entry) -> ScenarioError {
    let mut known: Vec<&str> = Setting::in_section(section).map(Setting::key).collect();
    let place = match section {
        Section::Top => {
            known.extend(Section::TABLES.map(Section::name));
            known.push("sweep");
            String::new()
        }
        Section::Machine | Section::Program | Section::Mapping | Section::Execution => {
            format!(" in [{}]", section.name())
        }
    };
    let key = shortened(&entry.key);
    let message = format!("unknown key \"{key}\"{place}, expected {}", alternatives(&known));
    let advice = match nearest(&key, &known) {
        Some(_) => help(&key, &known),
        None => elsewhere(section, &key).unwrap_or_else(|| help(&key, &known)),
    };
    ScenarioError::at(&entry.key_place, message, "unknown key")
        .with_help(advice)
        .standing(Standing::HidesValues)
}

/// Where a key would be known that is not where it stands.
fn elsewhere(section: Section, key: &str) -> Option<String> {
    if let Some(setting) = Setting::with_path(key) {
        return Some(match setting.section() {
            Section::Top => format!("\"{key}\" stands before the first table"),
            table => format!("write {} in [{}]: only a sweep has paths", setting.key(), table.name()),
        });
    }
    if key == "sweep" || Section::with_name(key).is_some() {
        return Some(format!("[{key}] is a table of its own, beside [{}]", section.name()));
    }
    let setting = Setting::ALL.into_iter().find(|setting| setting.key() == key)?;
    Some(format!("\"{key}\" is a key of [{}]", setting.section().name()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use miette::Diagnostic;
    use std::path::Path;

    fn diagnostics(text: &str) -> Vec<(String, String)> {
        let source = SourceFile::excerpt(Path::new("f.toml"), text.to_owned(), 0);
        let mut errors = vec![];
        Written::scenario(&source, &mut errors).unwrap();
        let help = |error: &ScenarioError| error.help().map(|help| help.to_string()).unwrap_or_default();
        errors.iter().map(|error| (error.to_string(), help(error))).collect()
    }

    fn only_complaint(text: &str) -> (String, String) {
        let mut all = diagnostics(text);
        assert_eq!(all.len(), 1);
        all.remove(0)
    }

    #[test]
    fn unknown_keys_are_marked_and_the_known_ones_listed() {
        let (message, help) = only_complaint("[mapping]\nembedings = [\"xor\"]");
        assert_eq!(message, "f.toml:2:1: unknown key \"embedings\" in [mapping], expected embeddings");
        assert_eq!(help, "did you mean \"embeddings\"?");
        let (message, _) = only_complaint("[machin]\nkind = \"ring\"");
        assert_eq!(
            message,
            "f.toml:1:2: unknown key \"machin\", expected name, seed, machine, program, mapping, execution or sweep"
        );
    }

    #[test]
    fn keys_in_the_wrong_place_are_sent_to_the_right_one() {
        assert_eq!(only_complaint("[machine]\nstages = [0]").1, "\"stages\" is a key of [program]");
        assert_eq!(
            only_complaint("\"machine.shape\" = [8]").1,
            "write shape in [machine]: only a sweep has paths"
        );
        assert_eq!(
            only_complaint("[program]\nmachine.kind = \"ring\"").1,
            "[machine] is a table of its own, beside [program]"
        );
    }

    #[test]
    fn tables_that_are_none_are_errors() {
        assert_eq!(
            diagnostics("machine = 5\n[[program]]")[0].0,
            "f.toml:1:11: machine is 5, expected a table: [machine]"
        );
        assert_eq!(
            diagnostics("[[program]]")[0].0,
            "f.toml:1:1: program is a list of 1, expected a table: [program]"
        );
    }
}
