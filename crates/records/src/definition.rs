//! Meanings of the names in results: the form of the definition of a column or term.
//!
//! A definition is in the file of the record that holds the value ([`export`](crate));
//! [`DefinitionGroup`](crate::DefinitionGroup) lists them.

use serde::Serialize;

/// The type of a column's values, which decides how CSV and Parquet write them and how they are read from
/// JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Words.
    Text,
    /// `true` or `false`.
    Truth,
    /// An unsigned integer of 64 bits.
    Natural,
    /// An unsigned sum over all processes and stages, which may exceed 64 bits.
    Sum,
    /// A floating-point number.
    Decimal,
    /// Lengths, written as `8x8`.
    Shape,
    /// A list of scalars, separated by spaces.
    List,
    /// A term without a column, or a member that only JSON has.
    Term,
}

/// The meaning of one column, key or term of the results.
///
/// `unit`, `formula` and `source` are empty if there is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Definition {
    /// The name in files, as CSV joins it (`totals_waiting_cycles`), or the term itself.
    pub name: &'static str,
    /// Its name in tables, charts and pages.
    pub title: &'static str,
    /// Synonyms: other columns with the same value, and other words of tables.
    pub aliases: &'static [&'static str],
    /// The type of its values.
    #[serde(skip)]
    pub kind: Kind,
    /// The unit of its values.
    pub unit: &'static str,
    /// The definition, in one to three sentences; empty for a column that is an alias of another.
    pub text: &'static str,
    /// The formula, in the letters of `docs/model.md`.
    pub formula: &'static str,
    /// The source: a paper with its section, a section of `docs/model.md`, or another page.
    pub source: &'static str,
}

impl Definition {
    /// A definition without contents.
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

    /// Its name, title and aliases, without duplicates.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        let title = Some(self.title).filter(|title| *title != self.name);
        std::iter::once(self.name).chain(title).chain(self.aliases.iter().copied())
    }
}
