//! The reasons why a construction of the notes cannot be made.

use cubefold_topology::MachineError;

use super::routed_embedding::RoutedEmbeddingError;

/// Parameters that a construction of CS838 1999 is not defined for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ClassicError {
    /// A number is too small or too large.
    #[error("{name} {found}, expected {least} to {greatest}")]
    Parameter {
        /// The name of the number.
        name: &'static str,
        /// The number found.
        found: u64,
        /// The least.
        least: u64,
        /// The greatest that tables are made for.
        greatest: u64,
    },
    /// Lengths that do not go together, or machines of another kind.
    #[error("{found}, expected {expected}")]
    Pair {
        /// The guest or host that was found.
        found: String,
        /// The guests or hosts that the construction takes.
        expected: &'static str,
    },
    /// The search ended without an embedding.
    #[error("no embedding of {guest} in {host} was found in {steps} steps")]
    NotFound {
        /// The guest.
        guest: String,
        /// The host.
        host: String,
        /// The most steps that the search takes.
        steps: u64,
    },
    /// The host cannot be made.
    #[error(transparent)]
    Machine(#[from] MachineError),
    /// The construction's result is not an embedding.
    #[error(transparent)]
    Routes(#[from] RoutedEmbeddingError),
}

pub(super) fn in_range(
    name: &'static str,
    found: u32,
    range: std::ops::RangeInclusive<u32>,
) -> Result<u32, ClassicError> {
    if range.contains(&found) {
        return Ok(found);
    }
    let (least, greatest) = ((*range.start()).into(), (*range.end()).into());
    Err(ClassicError::Parameter { name, found: found.into(), least, greatest })
}
