//! The uninterpreted values of a file by key, and the errors about unknown keys.

use std::{
    collections::BTreeMap,
    sync::{Arc, OnceLock},
};

use cubefold_formats::input::text::shortened;

use super::{
    errors::{Errors, ScenarioError, Standing, alternatives, help, nearest},
    keyed_values::KeyedValues,
    keys::{Key, Section},
    resolved::CanonicalValue,
    setting::Setting,
    source_file::{self, Place, SourceFile},
    value::{Content, Entry, Value},
};

/// The key that names a file's JSON Schema.
const SCHEMA: &str = "$schema";

/// The uninterpreted values of a file by key.
#[derive(Debug)]
pub(super) struct Written {
    pub(super) source: Arc<SourceFile>,
    pub(super) values: KeyedValues,
    /// Places of the tables in the file.
    pub(super) headers: BTreeMap<Section, Place>,
    /// The value of `sweep`.
    pub(super) sweep: Option<Value>,
    pub(super) canonical: OnceLock<Arc<[Arc<CanonicalValue>]>>, // made at first use
}

impl Written {
    /// Reads a scenario file with the keys set on the command line; unknown keys are added to `errors` and
    /// left out.
    ///
    /// # Errors
    ///
    /// Syntax errors.
    pub(super) fn scenario(
        source: &Arc<SourceFile>,
        settings: &[Setting],
        errors: &Errors,
    ) -> Result<Self, Vec<ScenarioError>> {
        let mut written = Self::empty(source);
        let mut entries = source_file::parse(source)?;
        for setting in settings {
            setting.apply(&mut entries);
        }
        for entry in entries {
            if let Some(section) = Section::with_name(&entry.key) {
                written.add_table(section, entry, errors);
            } else if entry.key == "sweep" {
                written.sweep = Some(entry.value);
            } else if entry.key == SCHEMA {
                // Only editors use it; the file it names is not read.
                entry.value.text(SCHEMA, errors);
            } else {
                written.add(Section::Top, entry, errors);
            }
        }
        Ok(written)
    }

    /// Reads a machine file: the keys of `[machine]` at the top level, or in that table as in a scenario.
    ///
    /// # Errors
    ///
    /// Syntax errors.
    pub(super) fn machine(source: &Arc<SourceFile>, errors: &Errors) -> Result<Self, Vec<ScenarioError>> {
        let mut written = Self::empty(source);
        let mut entries = vec![];
        for entry in source_file::parse(source)? {
            match (Section::with_name(&entry.key), entry.value.content) {
                (Some(Section::Machine), Content::Table(inner)) => entries.extend(inner),
                (_, content) => entries.push(Entry { value: Value { content, ..entry.value }, ..entry }),
            }
        }
        let mut places: BTreeMap<String, Place> = BTreeMap::new();
        for entry in entries {
            if entry.key == Key::MachineFile.key() {
                let message = "file in a machine file, expected the machine itself";
                let error = ScenarioError::at(&entry.key_place, message, "not here");
                errors.report(error.with_help("machine files do not name further machine files"));
            } else if let Some(first) = places.get(&entry.key) {
                let message = format!("{} a second time, expected it once", shortened(&entry.key));
                let error = ScenarioError::at(&entry.key_place, message, "a second time");
                errors.report(error.because(Some(first), "the first time"));
            } else {
                places.insert(entry.key.clone(), entry.key_place.clone());
                written.add(Section::Machine, entry, errors);
            }
        }
        Ok(written)
    }

    fn empty(source: &Arc<SourceFile>) -> Self {
        let (values, headers) = (KeyedValues::new(), BTreeMap::new());
        Self { source: Arc::clone(source), values, headers, sweep: None, canonical: OnceLock::new() }
    }

    fn add_table(&mut self, section: Section, table: Entry, errors: &Errors) {
        self.headers.insert(section, table.key_place);
        let Content::Table(entries) = table.value.content else {
            let expected = format!("a table: [{}]", section.name());
            errors.report(table.value.unexpected(section.name(), expected).standing(Standing::HidesValues));
            return;
        };
        for entry in entries {
            self.add(section, entry, errors);
        }
    }

    fn add(&mut self, section: Section, entry: Entry, errors: &Errors) {
        match Key::with_key(section, &entry.key).filter(|key| key.part().is_none()) {
            Some(setting) => self.values.insert(setting, entry.value),
            None if Key::in_part(section, &entry.key).next().is_some() => {
                for (key, value) in parts(section, &entry.key, entry.value, errors) {
                    self.values.insert(key, value);
                }
            }
            None => errors.report(unknown_key(section, &entry)),
        }
    }
}

/// The keys and values of a table inside a section; unknown keys are reported and left out.
pub(super) fn parts(section: Section, part: &str, table: Value, errors: &Errors) -> Vec<(Key, Value)> {
    let name = format!("{}.{part}", section.name());
    let known: Vec<&str> =
        Key::in_part(section, part).filter_map(|key| Some(key.key().rsplit_once('.')?.1)).collect();
    let Content::Table(entries) = table.content else {
        let expected = format!("a table of {}", alternatives(&known));
        errors.report(table.unexpected(name, expected).standing(Standing::HidesValues));
        return vec![];
    };
    let mut found = vec![];
    for entry in entries {
        if let Some(key) = Key::with_key(section, &format!("{part}.{}", entry.key)) {
            found.push((key, entry.value));
            continue;
        }
        let key = shortened(&entry.key);
        let message = format!("unknown key \"{key}\" in {name}, expected {}", alternatives(&known));
        let error = ScenarioError::at(&entry.key_place, message, "unknown key");
        errors.report(error.with_help(help(&key, &known)).standing(Standing::HidesValues));
    }
    found
}

fn unknown_key(section: Section, entry: &Entry) -> ScenarioError {
    let mut known: Vec<&str> =
        Key::in_section(section).map(|key| key.part().unwrap_or_else(|| key.key())).collect();
    known.dedup();
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
    // A key of another table is a better explanation than a similar key of this one.
    let is_of_another = Key::ALL.iter().any(|setting| setting.key() == key);
    let is_misspelt = nearest(&key, &known).is_some() && !is_of_another;
    let advice = elsewhere(section, &key).filter(|_| !is_misspelt).unwrap_or_else(|| help(&key, &known));
    ScenarioError::at(&entry.key_place, message, "unknown key")
        .with_help(advice)
        .standing(Standing::HidesValues)
}

/// The correct location of a key that is in the wrong place.
fn elsewhere(section: Section, key: &str) -> Option<String> {
    if let Some(setting) = Key::with_path(key) {
        return Some(match setting.section() {
            Section::Top => format!("\"{key}\" stands before the first table"),
            table => format!("write {} in [{}]: only a sweep has paths", setting.key(), table.name()),
        });
    }
    if key == "sweep" || Section::with_name(key).is_some() {
        return Some(format!("[{key}] is a table of its own, beside [{}]", section.name()));
    }
    if section == Section::Machine && ["bandwidth", "latency"].contains(&key) {
        return Some(
            "links have a table: link = { bandwidth = \"50 GB/s\", latency = \"400 ns\" }".to_owned(),
        );
    }
    let setting = Key::ALL.iter().find(|setting| setting.key() == key)?;
    Some(format!("\"{key}\" is a key of [{}]", setting.section().name()))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use miette::Diagnostic;

    use super::*;

    fn diagnostics(text: &str) -> Vec<(String, String)> {
        let source = SourceFile::excerpt(Path::new("f.toml"), text.to_owned(), 0);
        let errors = Errors::default();
        Written::scenario(&source, &[], &errors).unwrap();
        let help =
            |error: &ScenarioError| error.report().help().map(|help| help.to_string()).unwrap_or_default();
        errors.take().iter().map(|error| (error.to_string(), help(error))).collect()
    }

    fn only_complaint(text: &str) -> (String, String) {
        let mut all = diagnostics(text);
        assert_eq!(all.len(), 1);
        all.remove(0)
    }

    #[test]
    fn unknown_keys_are_marked_and_the_known_ones_listed() {
        let (message, help) = only_complaint("[mapping]\nembedings = [\"xor\"]");
        assert_eq!(
            message,
            "f.toml:2:1: unknown key \"embedings\" in [mapping], expected embeddings or spare_nodes"
        );
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
    fn a_file_may_name_its_schema() {
        assert!(diagnostics("\"$schema\" = \"https://example.org/s.json\"\nseed = 1\n").is_empty());
        assert_eq!(only_complaint("\"$schema\" = 3").0, "f.toml:1:13: $schema is 3, expected a string");
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
