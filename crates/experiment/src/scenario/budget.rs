//! The memory that scenarios may take before anything runs: for runs, placements and permutations.

use std::cell::Cell;

use super::{errors::ScenarioError, source_file::Place};
use crate::Bytes;

/// The memory that a run takes from its reading to the end of a command, apart from its placement and program \[bytes\].
///
/// Measured with `check` on sweeps of 250 000 and 10^6 runs.
pub(super) const BYTES_A_RUN: u64 = 5 << 10;
/// So many runs are not counted: they take less than the program itself.
pub(super) const UNCOUNTED_RUNS: u64 = 1 << 10;
/// The memory that a construction takes for each process while it makes a placement \[bytes\].
pub(super) const BYTES_A_PROCESS: u64 = 32;
/// So many processes are not counted, likewise.
pub(super) const UNCOUNTED_PROCESSES: u64 = 1 << 14;
/// The memory of a message of a permutation set \[bytes\].
pub(super) const BYTES_A_MESSAGE: u64 = 4;

/// How much is allowed, and how much is taken.
#[derive(Debug)]
pub(super) struct Budget {
    limit: u64,
    taken: Cell<u64>, // at most the limit
}

/// More than is allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("needs about {}, expected at most {}", Bytes(*needed), Bytes(*limit))]
pub(super) struct OverBudget {
    needed: u64,
    limit: u64,
}

impl OverBudget {
    /// The error at the place of what would take the memory, called `what`.
    pub(super) fn at(self, place: &Place, what: &str) -> ScenarioError {
        let help = "give it more with --memory-limit, or ask for less";
        ScenarioError::at(place, format!("{what} {self}"), "too much").with_help(help)
    }
}

impl Default for Budget {
    fn default() -> Self {
        Self::new(u64::MAX)
    }
}

impl Budget {
    /// A budget of which nothing is taken.
    pub(super) fn new(limit: u64) -> Self {
        Self { limit, taken: Cell::new(0) }
    }

    /// Takes so many bytes, before they are allocated.
    pub(super) fn take(&self, bytes: u64) -> Result<(), OverBudget> {
        let needed = self.taken.get().saturating_add(bytes);
        if needed > self.limit {
            return Err(OverBudget { needed, limit: self.limit });
        }
        self.taken.set(needed);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_taken_adds_up_and_what_is_refused_does_not_count() {
        let budget = Budget::new(3 << 20);
        budget.take(2 << 20).unwrap();
        let refused = budget.take(2 << 20).unwrap_err().to_string();
        assert_eq!(refused, "needs about 4.0 MiB, expected at most 3.0 MiB");
        budget.take(1 << 20).unwrap();
        assert!(budget.take(1).is_err());
        assert_eq!(Budget::default().take(u64::MAX), Ok(()));
    }
}
