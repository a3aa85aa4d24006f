//! The keys of a scenario file: one table, which defines reading, ranges and defaults, sweeps, the errors about unknown and
//! foreign keys, and the check of `docs/scenarios.md`.
//!
//! A key is added as one entry of the [`table`], with the form of its values ([`forms`]), and is read in the module of
//! its section. The descriptors of program kinds ([`PROGRAM_KINDS`]) list the keys of `[program]` that they take, and
//! [`machine_keys`] those of `[machine]` that describe each kind of machines.

mod forms;
mod machines;
mod table;

use std::sync::LazyLock;

use serde_json::Value;

pub use self::machines::machine_keys;
use self::table::KEYS;
pub(super) use self::{machines::is_foreign_to_machine, table::Key};
use super::{
    keyed_values::KeySet,
    program::{PROGRAM_KINDS, ProgramKind},
};

/// A key of a scenario that holds one value.
#[derive(Debug)]
pub struct ScenarioKey {
    /// Its path in the file, as in a sweep: `machine.links`.
    pub path: &'static str,
    /// Its possible values.
    pub values: KeyValues,
    /// Its default.
    pub default: KeyDefault,
    /// A description in one sentence.
    pub summary: &'static str,
}

/// The possible values of a key.
#[derive(Debug, Clone, Copy)]
pub enum KeyValues {
    /// A string: a name or a path.
    Text,
    /// An integer in a range.
    Integer {
        /// The smallest value.
        least: u64,
        /// The largest value.
        greatest: u64,
    },
    /// One of these words.
    Choice(fn() -> Vec<KeyWord>),
    /// A value without a single type, such as a list or a table: in words, and as a schema.
    Form(&'static str, fn() -> Value),
}

/// A word that a key takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeyWord {
    /// The word.
    pub name: &'static str,
    /// A sentence on it; empty if the word is described elsewhere.
    pub summary: &'static str,
}

impl KeyWord {
    /// Words without sentences.
    pub(super) fn all(names: impl IntoIterator<Item = &'static str>) -> Vec<Self> {
        names.into_iter().map(|name| Self { name, summary: "" }).collect()
    }
}

/// The default of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyDefault {
    /// It is required, or another key instead of it.
    Required,
    /// It has no default value.
    Absent,
    /// A number.
    Integer(u64),
    /// A word.
    Word(&'static str),
    /// Derived from other keys.
    Derived(&'static str),
    /// A word, or another for some programs.
    Differing {
        /// The word for most programs.
        word: &'static str,
        /// The word for the others, and their name.
        others: &'static str,
    },
}

/// A part of a scenario file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Section {
    /// The keys before the first table.
    Top,
    Machine,
    Program,
    Mapping,
    Execution,
}

/// Largest integer of a scenario, `2^63 - 1`: the limit of TOML, of the clock, and of columns in tables.
pub const MAX_INTEGER: u64 = i64::MAX.unsigned_abs();

/// The switches that the links of a host lead to.
pub(super) const NICS_ON: [&str; 2] = ["one-switch", "neighbours"];

/// Lists the keys of a scenario file, in the order of the documentation.
#[must_use]
pub fn scenario_keys() -> &'static [ScenarioKey] {
    KEYS
}

impl KeyValues {
    /// The words that it lists.
    #[must_use]
    pub fn words(&self) -> Vec<&'static str> {
        match self {
            Self::Choice(words) => words().iter().map(|word| word.name).collect(),
            _ => vec![],
        }
    }
}

impl ScenarioKey {
    /// Its key within its table: `links`.
    #[must_use]
    pub fn key(&self) -> &'static str {
        self.path.split_once('.').map_or(self.path, |(_, key)| key)
    }

    /// Names of the program kinds that take it; all kinds for a key outside `[program]`.
    pub fn program_kinds(&self) -> impl Iterator<Item = &'static str> {
        let takes = |kind: &&&ProgramKind| {
            let of_kind = Key::with_path(self.path).filter(|key| key.is_of_one_program_kind());
            of_kind.is_none_or(|key| kind.keys.contains(&key))
        };
        PROGRAM_KINDS.iter().filter(takes).map(|kind| kind.name)
    }
}

impl Key {
    pub(super) fn entry(self) -> &'static ScenarioKey {
        &KEYS[self as usize]
    }

    pub(super) fn path(self) -> &'static str {
        self.entry().path
    }

    pub(super) fn section(self) -> Section {
        static SECTIONS: LazyLock<Vec<Section>> =
            LazyLock::new(|| Key::ALL.iter().map(|key| Section::of_path(key.path())).collect());
        SECTIONS[self as usize]
    }

    /// Whether a program kind lists it.
    fn is_of_one_program_kind(self) -> bool {
        static LISTED: LazyLock<KeySet> = LazyLock::new(|| {
            let listed = PROGRAM_KINDS.iter().flat_map(|kind| kind.keys);
            listed.fold(KeySet::default(), |set, &key| set.with(key))
        });
        LISTED.contains(self)
    }

    /// Its key within its section.
    pub(super) fn key(self) -> &'static str {
        self.entry().key()
    }

    pub(super) fn with_path(path: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|key| key.path() == path)
    }

    pub(super) fn with_key(section: Section, key: &str) -> Option<Self> {
        Self::in_section(section).find(|known| known.key() == key)
    }

    pub(super) fn in_section(section: Section) -> impl Iterator<Item = Self> {
        Self::ALL.iter().copied().filter(move |key| key.section() == section)
    }

    /// The table that it is in, inside its section: `router` for `machine.router.cycles`.
    pub(super) fn part(self) -> Option<&'static str> {
        self.key().rsplit_once('.').map(|(part, _)| part)
    }

    /// The keys in the table `part` of a section.
    pub(super) fn in_part(section: Section, part: &str) -> impl Iterator<Item = Self> {
        Self::in_section(section).filter(move |key| key.part() == Some(part))
    }

    /// The keys in the table with this path, such as `machine.router`, with the section; `None` if there are none.
    pub(super) fn with_part_path(path: &str) -> Option<(Section, &str)> {
        let (section, part) = path.split_once('.')?;
        let section = Section::with_name(section)?;
        Self::in_part(section, part).next().map(|_| (section, part))
    }

    /// Whether it belongs only to other program kinds.
    pub(super) fn is_foreign_to(self, kind: &ProgramKind) -> bool {
        self.is_of_one_program_kind() && !kind.keys.contains(&self)
    }
}

impl Section {
    pub(super) const TABLES: [Self; 4] = [Self::Machine, Self::Program, Self::Mapping, Self::Execution];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Top => "",
            Self::Machine => "machine",
            Self::Program => "program",
            Self::Mapping => "mapping",
            Self::Execution => "execution",
        }
    }

    fn of_path(path: &str) -> Self {
        let table = path.split_once('.').and_then(|(table, _)| Self::with_name(table));
        table.unwrap_or(Self::Top)
    }

    /// The table with this name.
    pub(super) fn with_name(name: &str) -> Option<Self> {
        Self::TABLES.into_iter().find(|table| table.name() == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{fs, path::Path};

    #[test]
    fn paths_are_made_of_sections_and_keys() {
        for &key in Key::ALL {
            assert_eq!(Key::with_path(key.path()), Some(key));
            assert_eq!(Key::with_key(key.section(), key.key()), Some(key));
        }
        assert_eq!(Key::with_key(Section::Machine, "kind"), Some(Key::MachineKind));
        assert_eq!(Key::with_key(Section::Program, "kind"), Some(Key::ProgramKind));
        let top: Vec<_> = Key::in_section(Section::Top).collect();
        assert_eq!(top, [Key::Name, Key::Seed]);
    }

    #[test]
    fn defaults_are_values_of_their_keys() {
        for key in KEYS {
            match (key.values, key.default) {
                (KeyValues::Choice(words), KeyDefault::Word(word)) => {
                    assert!(words().iter().any(|known| known.name == word), "{}", key.path);
                }
                (KeyValues::Integer { least, greatest }, KeyDefault::Integer(number)) => {
                    assert!((least..=greatest).contains(&number), "{}", key.path);
                }
                (_, KeyDefault::Integer(_)) => panic!("{} is no integer", key.path),
                _ => {}
            }
            assert!(key.summary.ends_with('.') && !key.summary.contains(". "), "{}", key.path);
        }
    }

    #[test]
    fn program_kinds_take_their_own_keys_and_the_common_ones() {
        let kinds = |key: Key| key.entry().program_kinds().collect::<Vec<_>>();
        assert_eq!(
            kinds(Key::ProgramStages),
            ["cc-cube", "normal", "all-reduce", "reduce-scatter", "all-gather", "sequence", "job"]
        );
        assert_eq!(kinds(Key::ProgramSets), ["neighbour-exchange"]);
        assert_eq!(kinds(Key::ProgramComputeCycles).len(), PROGRAM_KINDS.len());
        assert_eq!(kinds(Key::Seed).len(), PROGRAM_KINDS.len());
    }

    /// Cells of the rows of all tables of a page.
    fn rows(page: &str) -> Vec<Vec<&str>> {
        page.lines()
            .filter_map(|line| line.strip_prefix('|')?.strip_suffix('|'))
            .map(|line| line.split('|').map(str::trim).collect())
            .collect()
    }

    #[test]
    fn the_page_of_scenario_files_has_every_key_with_its_default_and_choices() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/scenarios.md");
        let page = fs::read_to_string(path).unwrap();
        let rows = rows(&page);
        for key in KEYS {
            let name = format!("`{}`", key.key());
            let default = match key.default {
                KeyDefault::Integer(number) => number.to_string(),
                KeyDefault::Word(word) | KeyDefault::Differing { word, .. } => word.to_owned(),
                KeyDefault::Required => "required".to_owned(),
                KeyDefault::Absent => "none".to_owned(),
                KeyDefault::Derived(_) => String::new(),
            };
            let words: Vec<&str> = match key.values {
                KeyValues::Choice(words) if key.default != KeyDefault::Required => {
                    words().iter().map(|word| word.name).collect()
                }
                _ => vec![],
            };
            let describes = |row: &&Vec<&str>| {
                let rest = row[1..].join("|");
                row[0] == name && rest.contains(&default) && words.iter().all(|word| rest.contains(word))
            };
            assert!(rows.iter().any(|row| describes(&row)), "{}: default {default:?}, {words:?}", key.path);
        }
    }
}
