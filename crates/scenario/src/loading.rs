//! The loading of a program onto the machine: `[program.loading]` (Tao 1988, 4.3.3; `docs/model.md` section 9).

use std::sync::Arc;

use cubefold_mapping::ProcessId;
use cubefold_topology::NodeId;

use super::{
    errors::{Errors, ScenarioError},
    keys::Key,
    settings::Settings,
    value::{Content, Table, Value, read_each},
};
use crate::ScenarioProgram;

/// The broadcasts that load a program: first the loader, then each type of code once. A node derives the type of its
/// process from its logical address, and keeps that type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loading {
    /// The type of code of each process.
    pub code_types: CodeTypes,
    /// The time of one broadcast \[cycles\].
    pub broadcast_cycles: u64,
}

/// The type of code of each process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CodeTypes {
    /// `same`: one type for all.
    Same,
    /// `by parity`: one type for processes whose coordinates, or bits of whose labels, have an even sum, and
    /// one for the others.
    ByParity,
    /// A list with the type of each process.
    Listed {
        /// Names of the types.
        names: Arc<[String]>,
        /// By process, the index of its type.
        types: Arc<[usize]>,
    },
}

impl Loading {
    /// `broadcast_cycles * (1 + number of types)` \[cycles\], saturating at 64 bits.
    #[must_use]
    pub fn cycles(&self) -> u64 {
        self.broadcast_cycles.saturating_mul(1 + self.code_types.count())
    }
}

impl CodeTypes {
    /// Number of types.
    #[must_use]
    pub fn count(&self) -> u64 {
        match self {
            Self::Same => 1,
            Self::ByParity => 2,
            Self::Listed { names, .. } => names.len() as u64,
        }
    }

    /// The type of a process of `program`.
    #[must_use]
    pub fn of(&self, program: &ScenarioProgram, process: ProcessId) -> &str {
        match self {
            Self::Same => "same",
            Self::ByParity if coordinate_sum(program, process).is_multiple_of(2) => "even",
            Self::ByParity => "odd",
            Self::Listed { names, types } => types
                .get(process.label() as usize)
                .and_then(|&place| names.get(place))
                .map_or("", String::as_str),
        }
    }
}

/// The sum of a process's coordinates in its guest, or of the bits of its label in a cube.
fn coordinate_sum(program: &ScenarioProgram, process: ProcessId) -> u64 {
    let Some(guest) = program.guest().graph() else { return process.label().count_ones().into() };
    let coordinates = guest.shape().shape().coordinates(NodeId::new(process.label()));
    coordinates.as_slice().iter().map(|&coordinate| u64::from(coordinate)).sum()
}

const KEYS: [&str; 2] = ["code_types", "broadcast_cycles"];
/// The words for code types.
pub(crate) const RULES: [&str; 2] = ["same", "by parity"];

/// Reads the loading, if there is one, and reports its errors.
pub(super) fn read(settings: &Settings<'_>, program: Option<&ScenarioProgram>) -> Option<Loading> {
    let value = settings.get(Key::ProgramLoading)?;
    let table = Table::read(value, Key::ProgramLoading.path(), &KEYS, settings.errors())?;
    let broadcast_cycles = match table.get("broadcast_cycles") {
        Some(value) => value.natural(table.name("broadcast_cycles"), 1..=1 << 32, settings.errors()),
        None => Some(1),
    };
    let code_types = match table.get("code_types") {
        Some(value) => code_types(value, &table.name("code_types"), program, settings.errors()),
        None => Some(CodeTypes::Same),
    };
    Some(Loading { code_types: code_types?, broadcast_cycles: broadcast_cycles? })
}

fn code_types(
    value: &Value,
    name: &str,
    program: Option<&ScenarioProgram>,
    errors: &Errors,
) -> Option<CodeTypes> {
    let expected = "same, by parity, or a list with the type of each process";
    match &value.content {
        Content::Text(rule) if rule == RULES[0] => Some(CodeTypes::Same),
        Content::Text(rule) if rule == RULES[1] => Some(CodeTypes::ByParity),
        Content::List(types) => listed(value, types, name, program, errors),
        _ => errors.fail(value.unknown_word(name, expected, &RULES)),
    }
}

fn listed(
    value: &Value,
    entries: &[Value],
    name: &str,
    program: Option<&ScenarioProgram>,
    errors: &Errors,
) -> Option<CodeTypes> {
    // A type is a name, or a number as one.
    let texts = read_each(entries, |entry| match &entry.content {
        Content::Text(text) => Some(text.clone()),
        Content::Integer(Some(number)) => Some(number.to_string()),
        _ => errors.fail(entry.unexpected(format!("entry of {name}"), "a name or a number")),
    });
    if let Some(processes) = program.map(|program| program.body.process_count())
        && processes != entries.len() as u64
    {
        let message = format!("{} code types, expected {processes}, one for each process", entries.len());
        return errors.fail(ScenarioError::at(&value.place, message, format!("expected {processes}")));
    }
    let texts = texts?;
    let mut names = texts.clone();
    names.sort_unstable();
    names.dedup();
    let place = |text: &String| names.binary_search(text).unwrap_or(0);
    let types = texts.iter().map(place).collect();
    Some(CodeTypes::Listed { names: names.into(), types })
}
