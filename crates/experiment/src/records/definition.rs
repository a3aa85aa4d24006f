//! What a name in results means: the form of the definition of a column or term.
//!
//! A definition stands with its column, in the file of the record that holds the value
//! ([`export`](crate::records)); [`DefinitionGroup`](crate::records::DefinitionGroup) lists them.

use serde::Serialize;

/// What a column holds, and so how CSV and Parquet write it and how it is read back from JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Words.
    Text,
    /// `true` or `false`.
    Truth,
    /// An unsigned integer of 64 bits.
    Natural,
    /// An unsigned sum over all processes and stages, which may pass 64 bits.
    Sum,
    /// A number with a fraction.
    Decimal,
    /// Lengths, written as `8x8`.
    Shape,
    /// A list of scalars, separated by spaces.
    List,
    /// No column: a term, or a member that only JSON has.
    Term,
}

/// What one column, key or term of the results means.
///
/// `unit`, `formula` and `source` are empty where there is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Definition {
    /// The name in files, as CSV joins it (`totals_waiting_cycles`), or the term itself.
    pub name: &'static str,
    /// What tables, charts and pages call it.
    pub title: &'static str,
    /// Other names for the same: other columns that hold it, and other words of tables.
    pub aliases: &'static [&'static str],
    /// What the column holds.
    #[serde(skip)]
    pub kind: Kind,
    /// What it is counted in.
    pub unit: &'static str,
    /// The definition, in one to three sentences; empty for a column that the definition of another names
    /// among its aliases.
    pub text: &'static str,
    /// How it is computed, in the letters of `docs/model.md`.
    pub formula: &'static str,
    /// Where it is defined: a paper with its section, a section of `docs/model.md`, or another page.
    pub source: &'static str,
}

impl Definition {
    /// A definition that says nothing yet.
    pub(crate) const BLANK: Self = Self {
        name: "",
        title: "",
        aliases: &[],
        kind: Kind::Term,
        unit: "",
        text: "",
        formula: "",
        source: "",
    };

    /// Its name, its title and its aliases, each once.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        let title = Some(self.title).filter(|title| *title != self.name);
        std::iter::once(self.name).chain(title).chain(self.aliases.iter().copied())
    }
}
