//! What every name in results means: one definition for each column, key and term, in one place.
//!
//! `cubefold explain` prints them, and whoever shows results to people takes the words from here. What a column
//! holds is decided by the records in [`export`](crate::export); the tests hold the two lists together.

mod amounts;
mod bench;
mod lookup;
mod placement;
mod rows;
mod times;
mod verify;
mod what_was_run;

use serde::Serialize;

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
    /// What it is counted in.
    pub unit: &'static str,
    /// The definition, in one to three sentences.
    pub text: &'static str,
    /// How it is computed, in the letters of `docs/model.md`.
    pub formula: &'static str,
    /// Where it is defined: a paper with its section, a section of `docs/model.md`, or another page.
    pub source: &'static str,
}

/// Definitions that belong together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DefinitionGroup {
    /// What they are about.
    pub title: &'static str,
    /// The definitions, in the order of the records.
    pub definitions: &'static [Definition],
}

impl DefinitionGroup {
    /// All groups, in the order in which results have them.
    pub const ALL: [Self; 8] = [
        Self { title: "What was run", definitions: what_was_run::DEFINITIONS },
        Self { title: "Time of the whole run", definitions: times::WHOLE_RUN },
        Self { title: "Where the time goes", definitions: times::TOTALS },
        Self { title: "Amounts, steps and queues", definitions: amounts::DEFINITIONS },
        Self { title: "The placement", definitions: placement::DEFINITIONS },
        Self { title: "Single processes, nodes and tables", definitions: rows::DEFINITIONS },
        Self { title: "Claims of verify", definitions: verify::DEFINITIONS },
        Self { title: "Rows of bench", definitions: bench::DEFINITIONS },
    ];
}

impl Definition {
    /// Every definition, each once, in the order of the groups.
    pub fn all() -> impl Iterator<Item = &'static Self> {
        DefinitionGroup::ALL.into_iter().flat_map(|group| group.definitions)
    }

    /// The definition of a name, a title or another name for it.
    ///
    /// Upper case, and whether words are joined by `_`, `-`, `.` or a space, make no difference; a number behind
    /// a name does not either (`p_2`, `distance, dimension 3`), nor the name behind `/` (`/ standard`).
    #[must_use]
    pub fn find(term: &str) -> Option<&'static Self> {
        lookup::find(term)
    }

    /// The known names that a misspelt `term` is most likely meant to be, best first, at most three.
    #[must_use]
    pub fn nearest(term: &str) -> Vec<&'static str> {
        lookup::nearest(term)
    }

    /// Its name, its title and its aliases, each once.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        let title = Some(self.title).filter(|title| *title != self.name);
        std::iter::once(self.name).chain(title).chain(self.aliases.iter().copied())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn no_two_definitions_share_a_name() {
        let mut owners: BTreeMap<String, &str> = BTreeMap::new();
        for definition in Definition::all() {
            for name in definition.names() {
                let owner = *owners.entry(lookup::plain(name)).or_insert(definition.name);
                assert_eq!(owner, definition.name, "{name}");
            }
        }
    }

    #[test]
    fn every_name_finds_its_own_definition() {
        for definition in Definition::all() {
            for name in definition.names() {
                assert_eq!(Definition::find(name), Some(definition), "{name}");
            }
        }
    }

    #[test]
    fn every_definition_is_one_to_three_sentences_and_has_a_source() {
        for Definition { name, text, source, .. } in Definition::all() {
            let sentences = text.matches(". ").count() + usize::from(text.ends_with('.'));
            assert!((1..=3).contains(&sentences) && text.ends_with('.'), "{name}: {text}");
            assert!(!source.is_empty(), "{name}");
        }
    }
}
