//! The `[sweep]` table: choices, every combination of which is a run.

use std::{
    fmt::Display,
    path::Path,
    sync::{Arc, OnceLock},
};

use cubefold_formats::input::text::shortened;

use super::{
    errors::{Errors, ScenarioError, Standing, help},
    keys::{Key, Section},
    mapping::most_default_embeddings,
    resolved::{CanonicalValue, InputFiles},
    source_file::Place,
    value::{Content, Entry, Value},
    written::{self, Written},
};

const CASES: &str = "cases";

/// A key that a sweep sets in a run: its path, and its value as written, on one line.
pub type SweptValue = (Arc<str>, Arc<str>);

/// A value that a sweep gives to a key.
#[derive(Debug)]
pub(super) struct Assignment {
    pub(super) setting: Key,
    pub(super) value: Value,
    pub(super) written: SweptValue,
    canonical: OnceLock<Arc<CanonicalValue>>, // made at first use
}

impl Assignment {
    fn new(setting: Key, value: &Value) -> Self {
        let written = (setting.path().into(), value.written().into());
        Self { setting, value: value.clone(), written, canonical: OnceLock::new() }
    }

    /// The value in the canonical form; the files that it names are in `folder`.
    pub(super) fn canonical(&self, folder: &Path, files: &mut InputFiles) -> Arc<CanonicalValue> {
        let make = || Arc::new(CanonicalValue::new(self.setting, &self.value, folder, files));
        Arc::clone(self.canonical.get_or_init(make))
    }
}

/// One dimension of a sweep: the options of a key, or the cases. An option sets one key; a case sets several.
type Choice = Vec<Vec<Assignment>>;

/// The choices of a scenario, the slowest first; empty without a sweep, which makes one combination.
#[derive(Debug, Default)]
pub(super) struct Sweep {
    choices: Vec<Choice>, // each with at least one option
    place: Option<Place>,
}

impl Sweep {
    /// Reads the sweep; wrong keys and cases are reported and left out.
    ///
    /// A list of algorithms of a collective is the innermost choice, unless the sweep itself sets the algorithm.
    pub(super) fn read(written: &Written, errors: &Errors) -> Self {
        let mut sweep = Self::of_table(written, errors);
        let is_swept = sweep.assignments_of(Key::ProgramAlgorithm).next().is_some();
        let listed = written.values.get(Key::ProgramAlgorithm).filter(|_| !is_swept);
        if let Some(value) = listed
            && let Content::List(values) = &value.content
            && !values.is_empty()
        {
            let assignment = |value: &Value| Assignment::new(Key::ProgramAlgorithm, value);
            sweep.choices.push(values.iter().map(|value| vec![assignment(value)]).collect());
            sweep.place.get_or_insert_with(|| value.place.clone());
        }
        sweep
    }

    fn of_table(written: &Written, errors: &Errors) -> Self {
        let Some(value) = &written.sweep else {
            return Self::default();
        };
        let mut sweep = Self { choices: vec![], place: Some(value.place.clone()) };
        let Content::Table(entries) = &value.content else {
            errors.report(value.unexpected("sweep", "a table: [sweep]").standing(Standing::HidesValues));
            return sweep;
        };
        for entry in entries.iter().filter(|entry| entry.key != CASES) {
            sweep.choices.extend(read_key(entry, errors));
        }
        let cases = entries.iter().find(|entry| entry.key == CASES);
        let cases = cases.and_then(|entry| read_cases(&entry.value, entries, errors));
        sweep.choices.extend(cases);
        sweep
    }

    fn assignments_of(&self, key: Key) -> impl Iterator<Item = &Assignment> {
        self.choices.iter().flatten().flatten().filter(move |assignment| assignment.setting == key)
    }

    /// The place of the table; `None` without a sweep.
    pub(super) fn place(&self) -> Option<&Place> {
        self.place.as_ref()
    }

    pub(super) fn combination_count(&self) -> u128 {
        self.choices.iter().fold(1, |count, choice| count.saturating_mul(choice.len() as u128))
    }

    /// Number of runs, without making them: each combination has one per embedding.
    pub(super) fn run_count(&self, written: &Written) -> u128 {
        let base = self.base_embeddings(written);
        let (mut count, mut embeddings_are_swept) = (1_u128, false);
        for choice in &self.choices {
            let sets_embeddings = choice.iter().any(|option| embeddings(option).is_some());
            let options: u128 = if sets_embeddings {
                choice.iter().map(|option| embeddings(option).map_or(base, list_length)).sum()
            } else {
                choice.len() as u128
            };
            embeddings_are_swept |= sets_embeddings;
            count = count.saturating_mul(options);
        }
        if embeddings_are_swept { count } else { count.saturating_mul(base) }
    }

    /// Largest number of embeddings of combinations that do not set them: those of the file, or the defaults of its
    /// programs.
    fn base_embeddings(&self, written: &Written) -> u128 {
        if let Some(value) = written.values.get(Key::MappingEmbeddings) {
            return list_length(value);
        }
        let has_steps = written.values.get(Key::ProgramSteps).is_some();
        let swept = self.assignments_of(Key::ProgramKind).map(|assignment| &assignment.value);
        let kinds = written.values.get(Key::ProgramKind).into_iter().chain(swept);
        let mut kinds: Vec<&str> = kinds
            .filter_map(|value| match &value.content {
                Content::Text(kind) => Some(kind.as_str()),
                _ => None,
            })
            .collect();
        // The default kind of a program without steps.
        if kinds.is_empty() && !has_steps {
            kinds.push("cc-cube");
        }
        most_default_embeddings(kinds)
    }

    /// Largest number of runs of a combination: one per embedding.
    pub(super) fn most_runs_of_a_combination(&self, written: &Written) -> u128 {
        let base = self.base_embeddings(written);
        let sets_embeddings = |choice: &&Choice| choice.iter().any(|option| embeddings(option).is_some());
        let lengths = |choice: &Choice| {
            choice.iter().map(|option| embeddings(option).map_or(base, list_length)).max().unwrap_or(base)
        };
        self.choices.iter().filter(sets_embeddings).map(lengths).max().unwrap_or(base)
    }

    /// Lists every combination in order, the last choice varying fastest.
    pub(super) fn combinations(&self) -> impl Iterator<Item = Vec<&Assignment>> {
        let mut at = Some(vec![0; self.choices.len()]);
        std::iter::from_fn(move || {
            let positions = at.take()?;
            let options = self.choices.iter().zip(&positions).flat_map(|(choice, &index)| &choice[index]);
            let combination = options.collect();
            at = self.after(positions);
            Some(combination)
        })
    }

    /// The option indices of the next combination.
    fn after(&self, mut positions: Vec<usize>) -> Option<Vec<usize>> {
        for (position, choice) in positions.iter_mut().zip(&self.choices).rev() {
            *position += 1;
            if *position < choice.len() {
                return Some(positions);
            }
            *position = 0;
        }
        None
    }
}

/// The embeddings that an option sets.
fn embeddings(option: &[Assignment]) -> Option<&Value> {
    let sets = |assignment: &&Assignment| assignment.setting == Key::MappingEmbeddings;
    option.iter().find(sets).map(|assignment| &assignment.value)
}

/// The length of a list; 1 for another value, which is reported elsewhere.
fn list_length(value: &Value) -> u128 {
    match &value.content {
        Content::List(values) => values.len().max(1) as u128,
        _ => 1,
    }
}

fn read_key(entry: &Entry, errors: &Errors) -> Option<Choice> {
    let swept = Swept::read(entry, errors)?;
    let name = format!("sweep of {}", shortened(&entry.key));
    let values = values_of(&entry.value, name, "a list of at least one value", errors)?;
    Some(values.iter().map(|value| swept.assignments(value, errors)).collect())
}

/// The values of a list with at least one.
fn values_of<'a>(
    value: &'a Value,
    name: impl Display,
    expected: &str,
    errors: &Errors,
) -> Option<&'a [Value]> {
    match &value.content {
        Content::List(values) if !values.is_empty() => Some(values),
        _ => errors.fail(value.unexpected(name, expected).standing(Standing::HidesValues)),
    }
}

/// The name of a swept value: a key, or a table of several keys such as `machine.router`.
enum Swept<'name> {
    Key(Key),
    Part(Section, &'name str),
}

impl<'name> Swept<'name> {
    /// The key or the table for a path of a sweep; reports an error and returns `None` if there is neither.
    fn read(entry: &'name Entry, errors: &Errors) -> Option<Self> {
        let part = || Key::with_part_path(&entry.key).map(|(section, part)| Self::Part(section, part));
        let found = Key::with_path(&entry.key).map(Self::Key).or_else(part);
        if found.is_none() {
            errors.report_all(unknown_paths(entry));
        }
        found
    }

    /// The keys that a value sets.
    fn assignments(&self, value: &Value, errors: &Errors) -> Vec<Assignment> {
        match *self {
            Self::Key(key) => vec![Assignment::new(key, value)],
            Self::Part(section, part) => {
                let parts = written::parts(section, part, value.clone(), errors);
                parts.iter().map(|(key, value)| Assignment::new(*key, value)).collect()
            }
        }
    }
}

fn read_cases(cases: &Value, keys: &[Entry], errors: &Errors) -> Option<Choice> {
    let values = values_of(cases, "sweep.cases", "at least one table: [[sweep.cases]]", errors)?;
    let choice: Choice = values.iter().filter_map(|case| read_case(case, keys, errors)).collect();
    (!choice.is_empty()).then_some(choice)
}

fn read_case(case: &Value, keys: &[Entry], errors: &Errors) -> Option<Vec<Assignment>> {
    let Content::Table(entries) = &case.content else {
        let error = case.unexpected("case of a sweep", "a table of paths and values");
        return errors.fail(error.standing(Standing::HidesValues));
    };
    let mut assignments = vec![];
    for entry in entries {
        let Some(swept) = Swept::read(entry, errors) else { continue };
        if let Some(key) = keys.iter().find(|key| key.key == entry.key) {
            let message = format!("{} both in a case and in the sweep, expected it in one", entry.key);
            let error = ScenarioError::at(&entry.key_place, message, "set here")
                .because(Some(&key.key_place), "and here")
                .standing(Standing::HidesValues);
            errors.report(error);
        } else {
            assignments.extend(swept.assignments(&entry.value, errors));
        }
    }
    Some(assignments)
}

fn unknown_paths(entry: &Entry) -> Vec<ScenarioError> {
    let section = Section::with_name(&entry.key);
    let errors = match (section, &entry.value.content) {
        (Some(section), Content::Table(nested)) if !nested.is_empty() => {
            nested.iter().map(|inner| unquoted_path(section, entry, inner)).collect()
        }
        (Some(section), _) => vec![section_as_path(section, entry)],
        (None, _) => vec![unknown_path(entry)],
    };
    errors.into_iter().map(|error| error.standing(Standing::HidesValues)).collect()
}

/// The error for `machine.links = [..]` without quotes, which TOML reads as a nested table.
fn unquoted_path(section: Section, entry: &Entry, inner: &Entry) -> ScenarioError {
    let path = format!("{}.{}", section.name(), shortened(&inner.key));
    let message = format!("unquoted path {path}, expected \"{path}\"");
    let place = entry.key_place.through(&inner.key_place);
    ScenarioError::at(&place, message, "quote it").with_help(format!("quote the path: \"{path}\" = .."))
}

fn section_as_path(section: Section, entry: &Entry) -> ScenarioError {
    let paths: Vec<&str> = Key::in_section(section).map(Key::path).collect();
    let message = format!("path \"{}\" names a table, expected one of its keys", section.name());
    let help = format!("known paths: {}", paths.join(", "));
    ScenarioError::at(&entry.key_place, message, "a table").with_help(help)
}

fn unknown_path(entry: &Entry) -> ScenarioError {
    let inside =
        |setting: &Key| entry.key.strip_prefix(setting.path()).is_some_and(|rest| rest.starts_with('.'));
    if let Some(setting) = Key::ALL.iter().find(|key| inside(key)) {
        let message = format!("path \"{}\" leads into {}", shortened(&entry.key), setting.path());
        let error = ScenarioError::at(&entry.key_place, message, "a part of a value");
        return error.with_help(format!("sweep \"{}\" as a whole", setting.path()));
    }
    let paths: Vec<&str> = Key::ALL.iter().map(|setting| setting.path()).collect();
    // For a key without its table, its path is a better suggestion than a similar path.
    let whole = Key::ALL.iter().find(|setting| setting.key() == entry.key).map(|setting| setting.path());
    let message = format!("unknown path \"{}\", expected a key of this file", shortened(&entry.key));
    let error = ScenarioError::at(&entry.key_place, message, "unknown path");
    let known = [&paths[..], &[CASES]].concat();
    let advice = whole.map_or_else(|| help(&entry.key, &known), |path| format!("did you mean \"{path}\"?"));
    error.with_help(advice).with_help(format!("known paths: {}", paths.join(", ")))
}
