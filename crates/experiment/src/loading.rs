//! Loading a program onto the machine (Tao 1988, 4.3.3; `docs/model.md` section 9).

use std::{fmt, sync::Arc};

use cubefold_mapping::ProcessId;
use cubefold_topology::{Machine, NodeId};

use crate::GuestProgram;

/// What is broadcast to load a program: the loader, and then each type of code once. Every node keeps the
/// type that its process runs, which it decides by its logical address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loading {
    /// Which process runs which type of code.
    pub code_types: CodeTypes,
    /// How long a broadcast takes \[cycles\].
    pub broadcast_cycles: u64,
}

/// Which process runs which type of code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CodeTypes {
    /// `same`: all the same.
    Same,
    /// `by parity`: one type for the processes whose coordinates, or whose label's bits, have an even sum,
    /// and one for the others.
    ByParity,
    /// A type for each process.
    Listed {
        /// The names of the types.
        names: Arc<[String]>,
        /// By process, the place of its type's name.
        types: Arc<[usize]>,
    },
}

impl Loading {
    /// `broadcast_cycles * (1 + number of types)` \[cycles\], as much of it as 64 bits hold.
    #[must_use]
    pub fn cycles(&self) -> u64 {
        self.broadcast_cycles.saturating_mul(1 + self.code_types.count())
    }
}

impl CodeTypes {
    /// The number of types.
    #[must_use]
    pub fn count(&self) -> u64 {
        match self {
            Self::Same => 1,
            Self::ByParity => 2,
            Self::Listed { names, .. } => names.len() as u64,
        }
    }

    /// The type that a process of `program` runs.
    #[must_use]
    pub fn of(&self, program: &GuestProgram, process: ProcessId) -> &str {
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

impl fmt::Display for CodeTypes {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Same => formatter.write_str("same"),
            Self::ByParity => formatter.write_str("by parity"),
            Self::Listed { names, .. } => write!(formatter, "{} types", names.len()),
        }
    }
}

/// The sum of a process's coordinates in its guest; of the bits of its label in a cube.
fn coordinate_sum(program: &GuestProgram, process: ProcessId) -> u64 {
    let along = |shape: &Machine| -> u64 {
        shape
            .shape()
            .coordinates(NodeId::new(process.label()))
            .as_slice()
            .iter()
            .map(|&one| u64::from(one))
            .sum()
    };
    program.graph().map_or_else(|| u64::from(process.label().count_ones()), |guest| along(guest.shape()))
}
