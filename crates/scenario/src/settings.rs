//! Values of a scenario by key: [`Written`] holds the contents of a file, [`Settings`] the values of one
//! combination of its sweep.
//!
//! A value of the sweep has precedence over one of the scenario, and that over one of the machine file.
//! Values are not interpreted here.

use std::{
    cell::Cell,
    collections::BTreeMap,
    fmt::Display,
    path::Path,
    rc::Rc,
    sync::{Arc, OnceLock},
};

use cubefold_formats::input::text::shortened;

use super::{
    budget::Budget,
    errors::{Errors, ScenarioError, Standing, alternatives, help, nearest},
    keyed_values::{KeySet, KeyedValues},
    keys::{Key, KeyDefault, KeyValues, Section},
    library::{Library, MachineFile},
    program::ProgramKind,
    resolved::{CanonicalValue, Resolved},
    setting::Setting,
    source_file::{self, Place, SourceFile},
    sweep::Assignment,
    value::{Content, Entry, Value},
};

/// The layer that sets a value; later layers take precedence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Layer {
    /// The machine file.
    MachineFile,
    /// The scenario itself.
    Scenario,
    /// Its sweep.
    Sweep,
    /// A step of the program.
    Step,
}

/// Values of a step of a program, by key.
#[derive(Debug)]
pub(super) struct Step {
    pub(super) place: Place,
    pub(super) values: KeyedValues,
}

/// Values of one combination, and the errors found while they are read.
#[derive(Debug, Clone)]
pub(super) struct Settings<'a> {
    swept: &'a [&'a Assignment],
    written: &'a Written,
    machine_file: Option<Arc<MachineFile>>,
    step: Option<&'a Step>,
    set: KeySet, // the keys with a value
    is_seed_read: Rc<Cell<bool>>,
    budget: Rc<Budget>,
    errors: Rc<Errors>,
}

impl<'a> Settings<'a> {
    /// The values of `written`, overridden by those of a combination, above those of the machine file, which
    /// is read if necessary.
    pub(super) fn new(swept: &'a [&'a Assignment], written: &'a Written, library: &mut Library) -> Self {
        let budget = Rc::clone(library.budget());
        let set = swept.iter().fold(written.values.keys(), |set, assignment| set.with(assignment.setting));
        let is_seed_read = Rc::default();
        let mut settings = Self {
            swept,
            written,
            machine_file: None,
            step: None,
            set,
            is_seed_read,
            budget,
            errors: Rc::default(),
        };
        settings.machine_file = settings.read_machine_file(library);
        if let Some(file) = &settings.machine_file {
            settings.set = set.union(file.keys());
        }
        settings
    }

    /// The values of a step, with these as defaults.
    pub(super) fn of_step<'b>(&'b self, step: &'b Step) -> Settings<'b> {
        Settings {
            swept: self.swept,
            written: self.written,
            machine_file: self.machine_file.clone(),
            step: Some(step),
            set: self.set.union(step.values.keys()),
            is_seed_read: Rc::clone(&self.is_seed_read),
            budget: Rc::clone(&self.budget),
            errors: Rc::clone(&self.errors),
        }
    }

    /// The same values, whose errors are reported where they are read for themselves.
    pub(super) fn silent(&self) -> Self {
        Self { errors: Rc::default(), ..self.clone() }
    }

    /// Adds an error to those found.
    pub(super) fn report(&self, error: ScenarioError) {
        self.errors.report(error);
    }

    /// Adds errors to those found.
    pub(super) fn report_all(&self, errors: impl IntoIterator<Item = ScenarioError>) {
        self.errors.report_all(errors);
    }

    /// The errors found so far, in these settings and those of their steps.
    pub(super) fn errors(&self) -> &Errors {
        &self.errors
    }

    /// Whether they belong to a step.
    pub(super) fn is_of_step(&self) -> bool {
        self.step.is_some()
    }

    fn read_machine_file(&self, library: &mut Library) -> Option<Arc<MachineFile>> {
        let value = self.get(Key::MachineFile)?;
        let name = value.text(Key::MachineFile.path(), self.errors())?;
        match library.machine_file(&self.beside(name)) {
            Ok(file) => {
                self.report_all(file.errors().iter().cloned());
                Some(file)
            }
            Err(reason) => {
                let message = format!("machine file \"{name}\" {reason}");
                let error = ScenarioError::at(&value.place, message, "named here")
                    .with_help("paths are relative to the scenario file")
                    .standing(Standing::HidesValues);
                self.report(error);
                None
            }
        }
    }

    /// The memory limit before anything runs.
    pub(super) fn budget(&self) -> &Budget {
        &self.budget
    }

    /// Resolves a path relative to the scenario.
    pub(super) fn beside(&self, name: &str) -> std::path::PathBuf {
        self.folder().join(name)
    }

    /// The folder of the scenario, to which paths are relative.
    pub(super) fn folder(&self) -> &Path {
        self.path().parent().unwrap_or(Path::new(""))
    }

    /// The path of the scenario.
    pub(super) fn path(&self) -> &Path {
        self.written.source.path()
    }

    /// Its values in the canonical form.
    pub(super) fn resolved(&self, kind: &'static ProgramKind, library: &mut Library) -> Resolved {
        let folder = self.folder();
        let machine_file = self.machine_file.as_ref().map(|file| library.canonical_machine(folder, file));
        let files = library.input_files();
        let all = || CanonicalValue::all(&self.written.values, folder, files);
        let scenario = Arc::clone(self.written.canonical.get_or_init(all));
        let files = library.input_files();
        let swept = self.swept.iter().map(|assignment| assignment.canonical(folder, files)).collect();
        Resolved::new(machine_file, scenario, swept, kind)
    }

    /// The seed of whatever is drawn while a scenario is read. What has been read or made then depends on it.
    pub(super) fn seed(&self) -> Option<u64> {
        self.is_seed_read.set(true);
        self.silent().natural(Key::Seed)
    }

    /// Whether anything that was read depends on the seed.
    pub(super) fn is_seed_read(&self) -> bool {
        self.is_seed_read.get()
    }

    /// Calls `make`, and returns whether anything was drawn by the seed meanwhile.
    pub(super) fn noting_seed<T>(&self, make: impl FnOnce() -> T) -> (T, bool) {
        let before = self.is_seed_read.replace(false);
        let made = make();
        (made, self.is_seed_read.replace(before))
    }

    /// The value of a key; `None` if it is not set.
    pub(super) fn get(&self, setting: Key) -> Option<&Value> {
        self.layered(setting).map(|(_, value)| value)
    }

    /// The value of a key and its layer.
    pub(super) fn layered(&self, setting: Key) -> Option<(Layer, &Value)> {
        if !self.set.contains(setting) {
            return None;
        }
        let stepped = self.step.and_then(|step| step.values.get(setting)).map(|value| (Layer::Step, value));
        let swept = || {
            let swept = self.swept.iter().find(|assignment| assignment.setting == setting);
            swept.map(|assignment| (Layer::Sweep, &assignment.value))
        };
        let written = || self.written.values.get(setting).map(|value| (Layer::Scenario, value));
        let filed = || self.machine_file.as_ref()?.value(setting).map(|value| (Layer::MachineFile, value));
        stepped.or_else(swept).or_else(written).or_else(filed)
    }

    /// Whether a key is set in the same layer as another, or in a higher one.
    pub(super) fn is_written_with(&self, setting: Key, other: Key) -> bool {
        let layer = |key| self.layered(key).map(|(layer, _)| layer);
        layer(setting).is_some() && layer(setting) >= layer(other)
    }

    /// Lists the keys of a section that are set, with their values.
    pub(super) fn set_in(&self, section: Section) -> impl Iterator<Item = (Key, &Value)> {
        let own = self.set.iter().filter(move |key| key.section() == section);
        own.filter_map(|key| Some((key, self.get(key)?)))
    }

    /// Reports the keys of a section that are set although its kind does not have them.
    pub(super) fn report_foreign(&self, kind_key: Key, kind: impl Display, is_foreign: impl Fn(Key) -> bool) {
        for (key, value) in self.set_in(kind_key.section()).filter(|&(key, _)| is_foreign(key)) {
            let kind_place = self.place(kind_key);
            let error = ScenarioError::foreign_key(key.path(), &value.place, &kind.to_string(), kind_place);
            self.report(error);
        }
    }

    /// The place of a key's value.
    pub(super) fn place(&self, setting: Key) -> Option<&Place> {
        self.get(setting).map(|value| &value.place)
    }

    /// The integer of a key in the range of the table, or its default.
    pub(super) fn natural(&self, key: Key) -> Option<u64> {
        let KeyValues::Integer { least, greatest } = key.entry().values else { return None };
        match (self.get(key), key.entry().default) {
            (Some(value), _) => value.natural(key.path(), least..=greatest, self.errors()),
            (None, KeyDefault::Integer(default)) => Some(default),
            (None, _) => None,
        }
    }

    /// The one of `all` that a key names, or the default.
    pub(super) fn one_of<T: Copy>(&self, key: Key, all: &[T], name: impl Fn(T) -> &'static str) -> Option<T> {
        match (self.get(key), key.entry().default) {
            (Some(value), _) => value.choice_by_name(key.path(), all, |&choice| name(choice), self.errors()),
            (None, KeyDefault::Word(default)) => all.iter().copied().find(|&choice| name(choice) == default),
            (None, _) => None,
        }
    }

    /// The value of a required key; reports one that is missing.
    pub(super) fn required(&self, key: Key, expected: &str) -> Option<&Value> {
        let value = self.get(key);
        if value.is_none() {
            self.report(self.missing(key, expected));
        }
        value
    }

    /// The error for a missing required key, at its table.
    pub(super) fn missing(&self, setting: Key, expected: &str) -> ScenarioError {
        let section = setting.section();
        let of_step = self.step.map(|step| step.place.clone());
        let place = of_step.or_else(|| self.written.headers.get(&section).cloned());
        let place = place.unwrap_or_else(|| Place::start(&self.written.source));
        let message = format!("{} is missing, expected {expected}", setting.path());
        let help = match section {
            Section::Top => format!("add {} = ..", setting.key()),
            table => format!("add {} = .. to [{}]", setting.key(), table.name()),
        };
        let label = format!("{} is missing", setting.path());
        ScenarioError::at(&place, message, label).with_help(help).standing(Standing::MissingValue)
    }
}

/// The key that names a file's JSON Schema.
const SCHEMA: &str = "$schema";

/// The values of a file by key, not interpreted yet.
#[derive(Debug)]
pub(super) struct Written {
    pub(super) source: Arc<SourceFile>,
    pub(super) values: KeyedValues,
    /// Places of the tables in the file.
    pub(super) headers: BTreeMap<Section, Place>,
    /// The value of `sweep`.
    pub(super) sweep: Option<Value>,
    canonical: OnceLock<Arc<[Arc<CanonicalValue>]>>, // made at its first use
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
            Some(setting) => {
                self.values.insert(setting, entry.value);
            }
            None if Key::in_part(section, &entry.key).next().is_some() => {
                self.values.extend(parts(section, &entry.key, entry.value, errors));
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
    let is_of_another = Section::TABLES.into_iter().any(|table| Key::with_key(table, &key).is_some());
    let advice = match nearest(&key, &known) {
        Some(_) if !is_of_another => help(&key, &known),
        Some(_) => elsewhere(section, &key).unwrap_or_else(|| help(&key, &known)),
        None => elsewhere(section, &key).unwrap_or_else(|| help(&key, &known)),
    };
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
