//! Trees that numbers describe, and graphs of edge grammars, as machines or as guests (`docs/model.md` sections 28.4
//! and 28.6): `{ kind = "k-ary-tree", arity = 3, levels = 2 }`, `{ kind = "grammar", grammar = "ring", size = 4 }`.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use cubefold_formats::input::diagnostic::Diagnostics;
use cubefold_topology::{EDGE_GRAMMARS, EdgeGrammar, Machine, MachineKind, NamedGrammar, TreeParameters};

use super::{
    budget::Budget,
    errors::{Errors, ScenarioError, Standing, alternatives, errors_at, help},
    library::Library,
    placement_file::Failure,
    source_file::SourceFile,
    value::{Size, Value},
};

/// Prefix of the path of a grammar.
const FILE_PREFIX: &str = "file:";

/// Largest size of the words of a grammar: longer ones exceed 64 bits unless there is only one symbol.
pub(super) const MAX_SIZE: u64 = 63;

/// Memory of a derivation of a pair of words while a graph is made \[bytes\].
const BYTES_A_DERIVATION: u64 = 64;

/// Whether this module reads machines of a kind.
pub(super) fn is_described(kind: MachineKind) -> bool {
    matches!(
        kind,
        MachineKind::KAryTree | MachineKind::StretchedTree | MachineKind::TwoTrees | MachineKind::Grammar
    )
}

/// The keys that describe a graph.
pub(super) struct DescribedGraph<'a> {
    /// The table: `machine` or `program.guest`.
    pub(super) name: &'static str,
    pub(super) kind: &'a Value,
    /// Finds the value of a key.
    pub(super) get: &'a dyn Fn(&'static str) -> Option<&'a Value>,
}

impl DescribedGraph<'_> {
    /// Reads the graph, with the lengths by which its nodes are numbered. `beside` finds the files that it names.
    pub(super) fn read(
        &self,
        kind: MachineKind,
        beside: impl Fn(&str) -> PathBuf,
        library: &mut Library,
        errors: &Errors,
    ) -> Option<(Machine, Size)> {
        match kind {
            MachineKind::Grammar => self.read_grammar(beside, library, errors),
            _ => self.read_tree(kind, library.budget(), errors),
        }
    }

    fn read_tree(&self, kind: MachineKind, budget: &Budget, errors: &Errors) -> Option<(Machine, Size)> {
        let arity = match kind {
            MachineKind::KAryTree => self.number("arity", 2..=1 << 19, "from 2", errors),
            _ => Some(2),
        };
        let levels = self.number("levels", 1..=19, "from 1 to 19", errors);
        let (arity, levels) = (arity?, levels?);
        let parameters = match kind {
            MachineKind::StretchedTree => TreeParameters::Stretched { levels },
            MachineKind::TwoTrees => TreeParameters::Two { levels },
            _ => TreeParameters::KAry { arity, levels },
        };
        let (nodes, place) = (parameters.node_count(), &(self.get)("levels")?.place);
        if parameters.is_makeable() {
            errors.value_of(budget.take_network(nodes, nodes, place))?;
        }
        match Machine::of_tree(parameters) {
            Ok(machine) => {
                let size = Size::of_machine(&machine, place);
                Some((machine, size))
            }
            Err(error) => errors.fail(ScenarioError::at(place, error.to_string(), "this tree")),
        }
    }

    fn read_grammar(
        &self,
        beside: impl Fn(&str) -> PathBuf,
        library: &mut Library,
        errors: &Errors,
    ) -> Option<(Machine, Size)> {
        let grammar = self.grammar(beside, library, errors);
        let size = self.number("size", 1..=MAX_SIZE, "the symbols of a word, from 1 to 63", errors);
        let (grammar, size) = (grammar?, u32::try_from(size?).ok()?);
        let place = &(self.get)("size")?.place;
        let derivations = grammar.derivation_count(size);
        if derivations <= cubefold_topology::MAX_DERIVED_PAIRS {
            let words = derivations.saturating_mul(2);
            let bytes = derivations.saturating_mul(BYTES_A_DERIVATION);
            let taken =
                library.budget().take_for_a_while(bytes, words.saturating_mul(size_of::<u64>() as u64));
            if let Err(over) = taken {
                return errors.fail(over.at(place, &format!("a graph of {derivations} derivations")));
            }
            errors.value_of(library.budget().take_network(words, derivations, place))?;
        }
        match Machine::of_grammar(&grammar, size) {
            Ok(machine) => Some((machine.clone(), Size::of_machine(&machine, place))),
            Err(error) => {
                let error = ScenarioError::at(place, format!("grammar {grammar}: {error}"), "this size");
                errors.fail(error.because((self.get)("grammar").map(|value| &value.place), "the grammar"))
            }
        }
    }

    /// The grammar: a name, or a file.
    fn grammar(
        &self,
        beside: impl Fn(&str) -> PathBuf,
        library: &mut Library,
        errors: &Errors,
    ) -> Option<Arc<EdgeGrammar>> {
        let names = EDGE_GRAMMARS.each_ref().map(|grammar| grammar.name);
        let forms: Vec<&str> = names.into_iter().chain(["file:PATH"]).collect();
        let Some(value) = (self.get)("grammar") else {
            return errors.fail(missing(self.name, self.kind, "grammar", &alternatives(&forms)));
        };
        let name = value.text(format!("{}.grammar", self.name), errors)?;
        if let Some(named) = NamedGrammar::with_name(name) {
            return Some(Arc::new(named.grammar()));
        }
        let Some(path) = name.strip_prefix(FILE_PREFIX).filter(|path| !path.is_empty()) else {
            let error = value.unexpected(format!("{}.grammar", self.name), alternatives(&forms));
            return errors.fail(error.with_help(help(name, &names)));
        };
        let grammar = library.grammar(&beside(path), name);
        grammar.map_err(|failure| failure.report(errors, value, "grammar", path)).ok()
    }

    fn number(
        &self,
        key: &'static str,
        range: std::ops::RangeInclusive<u64>,
        expected: &str,
        errors: &Errors,
    ) -> Option<u64> {
        let Some(value) = (self.get)(key) else {
            return errors.fail(missing(self.name, self.kind, key, expected));
        };
        value.natural(format!("{}.{key}", self.name), range, errors)
    }
}

/// The error that a graph of this kind lacks a key; `table` is `machine` or `program.guest`.
pub(super) fn missing(table: &str, kind: &Value, key: &str, expected: &str) -> ScenarioError {
    let message = format!("{table}.{key} is missing, expected {expected}");
    ScenarioError::at(&kind.place, message, format!("needs {key}"))
        .with_help(format!("add {key} = .."))
        .standing(Standing::MissingValue)
}

/// Reads the productions of an edge grammar, called `name`.
///
/// # Errors
///
/// If the file cannot be read or is wrong: the first errors.
pub(super) fn read_grammar_file(path: &Path, name: &str, budget: &Budget) -> Result<EdgeGrammar, Failure> {
    let source =
        SourceFile::read_within(path, budget).map_err(|error| Failure::unread(path, "grammar", error))?;
    // Alternatives are kept as written, a few words each.
    let bytes = (source.text().len() as u64).saturating_mul(BYTES_A_DERIVATION);
    budget.take_for_a_while(bytes, bytes / 2).map_err(|over| over.of_file(path, "its productions:"))?;
    EdgeGrammar::parse(name, source.text()).map_err(|mistakes| {
        let mut diagnostics = Diagnostics::default();
        for mistake in mistakes {
            diagnostics.add(mistake.span, || mistake.message);
        }
        Failure::Wrong(errors_at(&source, &diagnostics))
    })
}
