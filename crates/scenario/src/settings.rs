//! Values of one combination of a scenario by key, and the errors found while they are read.
//!
//! A value of the sweep has precedence over one of the scenario, and that over one of the machine file.
//! Values are not interpreted here.

use std::{cell::Cell, fmt::Display, path::Path, rc::Rc, sync::Arc};

use super::{
    budget::Budget,
    errors::{Errors, ScenarioError, Standing},
    keyed_values::{KeySet, KeyedValues},
    keys::{Key, KeyDefault, KeyValues, Section},
    library::{Library, MachineFile},
    program::ProgramKind,
    resolved::{CanonicalValue, Resolved},
    source_file::Place,
    sweep::Assignment,
    value::Value,
    written::Written,
};

/// The layer that sets a value; later layers take precedence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Layer {
    MachineFile,
    Scenario,
    Sweep,
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
    /// The values of `written`, overridden by those of a combination, above the values of the machine file, which is
    /// read if necessary.
    pub(super) fn new(swept: &'a [&'a Assignment], written: &'a Written, library: &mut Library) -> Self {
        let budget = Rc::clone(library.budget());
        let set = swept.iter().fold(written.values.keys(), |set, assignment| set.with(assignment.setting));
        let (is_seed_read, errors) = (Rc::default(), Rc::default());
        let mut settings =
            Self { swept, written, machine_file: None, step: None, set, is_seed_read, budget, errors };
        settings.machine_file = settings.read_machine_file(library);
        if let Some(file) = &settings.machine_file {
            settings.set = set.union(file.keys());
        }
        settings
    }

    /// The values of a step, with these as defaults.
    pub(super) fn of_step<'b>(&'b self, step: &'b Step) -> Settings<'b> {
        Settings { step: Some(step), set: self.set.union(step.values.keys()), ..self.clone() }
    }

    /// The same values; errors are dropped, since the reader of each key reports them.
    pub(super) fn silent(&self) -> Self {
        Self { errors: Rc::default(), ..self.clone() }
    }

    pub(super) fn report(&self, error: ScenarioError) {
        self.errors.report(error);
    }

    /// Adds an error to those found, and returns `None`, for a value that cannot be read.
    pub(super) fn fail<T>(&self, error: ScenarioError) -> Option<T> {
        self.errors.fail(error)
    }

    /// Adds errors to those found.
    pub(super) fn report_all(&self, errors: impl IntoIterator<Item = ScenarioError>) {
        self.errors.report_all(errors);
    }

    /// The errors found so far, in these settings and their steps.
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
                self.fail(error)
            }
        }
    }

    /// The memory limit before anything runs.
    pub(super) fn budget(&self) -> &Budget {
        &self.budget
    }

    /// Takes the memory for `what`, while it is made and after that \[bytes\]; reports at `place` if there is not enough.
    pub(super) fn take(&self, [while_made, kept]: [u64; 2], place: &Place, what: &str) -> Option<()> {
        match self.budget.take_for_a_while(while_made, kept) {
            Ok(()) => Some(()),
            Err(over) => self.fail(over.at(place, what)),
        }
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

    /// The seed of draws while a scenario is read. The caller's result then depends on the seed.
    pub(super) fn seed(&self) -> Option<u64> {
        self.is_seed_read.set(true);
        self.silent().natural(Key::Seed)
    }

    /// Whether anything that was read depends on the seed.
    pub(super) fn is_seed_read(&self) -> bool {
        self.is_seed_read.get()
    }

    /// Calls `make`, and returns whether it read the seed.
    pub(super) fn noting_seed<T>(&self, make: impl FnOnce() -> T) -> (T, bool) {
        let before = self.is_seed_read.replace(false);
        let made = make();
        (made, self.is_seed_read.replace(before))
    }

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

    /// The value of the machine file that another layer replaces.
    pub(super) fn replaced(&self, setting: Key) -> Option<&Value> {
        let (layer, _) = self.layered(setting)?;
        self.machine_file.as_ref().filter(|_| layer != Layer::MachineFile)?.value(setting)
    }

    /// Whether a key is set in the same layer as another, or in a higher one.
    pub(super) fn is_written_with(&self, setting: Key, other: Key) -> bool {
        let layer = |key| self.layered(key).map(|(layer, _)| layer);
        layer(setting).is_some() && layer(setting) >= layer(other)
    }

    /// Reports the keys that are set although the kind of the section does not have them.
    pub(super) fn report_foreign(&self, kind_key: Key, kind: impl Display, is_foreign: impl Fn(Key) -> bool) {
        let is_wrong = |key: &Key| key.section() == kind_key.section() && is_foreign(*key);
        for key in self.set.iter().filter(is_wrong) {
            let Some(place) = self.place(key) else { continue };
            let error =
                ScenarioError::foreign_key(key.path(), place, &kind.to_string(), self.place(kind_key));
            let has_one = key == Key::ProgramAlgorithms && !is_foreign(Key::ProgramAlgorithm);
            let help = "to compare several, write \"program.algorithm\" = [..] in [sweep]";
            self.report(if has_one { error.with_help(help) } else { error });
        }
    }

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

    /// The member of `all` that a key names, or the default.
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
