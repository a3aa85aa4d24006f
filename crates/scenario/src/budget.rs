//! The memory limit for scenarios before anything runs: for their text, machines, programs, placements and
//! runs.
//!
//! Allocations sized by the scenario are taken from one [`Budget`] first. Temporary memory is returned after
//! use.

use std::{cell::Cell, path::Path};

use cubefold_formats::input::Bytes;
use cubefold_topology::Network;

use super::{errors::ScenarioError, source_file::Place};

/// Memory per run when it is read, without its machine, placement and program \[bytes\].
///
/// Measured on sweeps of 10 000 runs. Commands with results count these themselves.
pub(super) const BYTES_A_RUN: u64 = 5 << 9;
/// Memory per process while a construction makes a placement \[bytes\].
pub(super) const BYTES_A_PROCESS: u64 = 32;
/// Memory per message of a permutation set \[bytes\].
pub(super) const BYTES_A_MESSAGE: u64 = 4;
/// Totals below this are ignored: the program itself takes more \[bytes\].
pub(super) const UNCOUNTED: u64 = 1 << 20;

/// The help text of refusals.
pub(super) const HELP: &str = "give it more with --memory-limit, or ask for less";

/// A memory limit and the memory taken.
#[derive(Debug)]
pub(super) struct Budget {
    limit: u64,
    taken: Cell<u64>, // at most the limit and `UNCOUNTED`
    refused: Cell<bool>,
}

/// A request for more memory than the limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("needs about {}, expected at most {}", Bytes(*needed), Bytes(*limit))]
pub(super) struct OverBudget {
    needed: u64,
    limit: u64,
}

impl OverBudget {
    /// The error at the value `what` that would take the memory.
    pub(super) fn at(self, place: &Place, what: &str) -> ScenarioError {
        ScenarioError::at(place, format!("{what} {self}"), "too much").with_help(HELP)
    }

    /// The error for a whole file, called `what`.
    pub(super) fn of_file(self, path: &Path, what: &str) -> ScenarioError {
        ScenarioError::of_file(path, format!("{what} {self}")).with_help(HELP)
    }
}

impl Default for Budget {
    fn default() -> Self {
        Self::new(u64::MAX)
    }
}

impl Budget {
    pub(super) fn new(limit: u64) -> Self {
        Self { limit, taken: Cell::new(0), refused: Cell::new(false) }
    }

    /// Memory limit \[bytes\].
    pub(super) fn limit(&self) -> u64 {
        self.limit
    }

    /// Takes `bytes` bytes, before they are allocated.
    pub(super) fn take(&self, bytes: u64) -> Result<(), OverBudget> {
        let needed = self.taken.get().saturating_add(bytes);
        if needed > self.limit.saturating_add(UNCOUNTED) {
            self.refused.set(true);
            return Err(OverBudget { needed, limit: self.limit });
        }
        self.taken.set(needed);
        Ok(())
    }

    /// Takes `bytes` bytes and returns all but `kept`, for memory that is mostly temporary.
    pub(super) fn take_for_a_while(&self, bytes: u64, kept: u64) -> Result<(), OverBudget> {
        self.take(bytes)?;
        self.give_back(bytes.saturating_sub(kept));
        Ok(())
    }

    /// Takes the memory for a network of `nodes` nodes and `links` links, which is described at `place`.
    pub(super) fn take_network(&self, nodes: u64, links: u64, place: &Place) -> Result<(), ScenarioError> {
        let [while_made, kept] = Network::bytes_to_make(nodes, links);
        self.take_for_a_while(while_made, kept)
            .map_err(|over| over.at(place, &format!("a network of {nodes} nodes and {links} links")))
    }

    /// Returns bytes that are no longer needed.
    pub(super) fn give_back(&self, bytes: u64) {
        self.taken.set(self.taken.get().saturating_sub(bytes));
    }

    /// Whether a request was refused since [`Self::forget_refusal`].
    pub(super) fn has_refused(&self) -> bool {
        self.refused.get()
    }

    /// Clears [`Self::has_refused`].
    pub(super) fn forget_refusal(&self) {
        self.refused.set(false);
    }

    /// Calls `make` and measures the memory that it takes and does not return \[bytes\].
    pub(super) fn measured<T>(&self, make: impl FnOnce() -> T) -> (T, u64) {
        let before = self.taken.get();
        let result = make();
        (result, self.taken.get().saturating_sub(before))
    }

    /// Memory taken \[bytes\].
    pub(super) fn taken(&self) -> u64 {
        self.taken.get()
    }

    /// Memory taken beyond [`UNCOUNTED`] \[bytes\].
    pub(super) fn counted(&self) -> u64 {
        self.taken.get().saturating_sub(UNCOUNTED)
    }
}

/// The rows or lines of a file, whose memory is taken in batches while they are read.
#[derive(Debug)]
pub(super) struct RowBudget<'a> {
    budget: &'a Budget,
    bytes_a_row: u64,
    ahead: u64, // rows whose memory is taken, not read yet
    taken: u64, // bytes
}

impl<'a> RowBudget<'a> {
    /// Number of rows for which memory is taken at a time.
    const ROWS: u64 = 1 << 10;

    /// A budget for rows that take `bytes_a_row` bytes each until the whole file is read and converted.
    pub(super) fn new(budget: &'a Budget, bytes_a_row: u64) -> Self {
        Self { budget, bytes_a_row, ahead: 0, taken: 0 }
    }

    pub(super) fn take_row(&mut self) -> Result<(), OverBudget> {
        self.take_rows(1)
    }

    pub(super) fn take_rows(&mut self, rows: u64) -> Result<(), OverBudget> {
        if rows > self.ahead {
            let more = (rows - self.ahead).next_multiple_of(Self::ROWS);
            let bytes = more.saturating_mul(self.bytes_a_row);
            self.budget.take(bytes)?;
            self.taken += bytes;
            self.ahead += more;
        }
        self.ahead -= rows;
        Ok(())
    }

    /// Returns the memory of the rows except for `bytes` bytes.
    pub(super) fn keep(self, bytes: u64) {
        self.budget.give_back(self.taken.saturating_sub(bytes));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_taken_adds_up_and_what_is_refused_does_not_count() {
        let budget = Budget::new(3 << 20);
        budget.take(UNCOUNTED).unwrap();
        budget.take(2 << 20).unwrap();
        let refused = budget.take(2 << 20).unwrap_err().to_string();
        assert_eq!(refused, "needs about 5.0 MiB, expected at most 3.0 MiB");
        budget.take(1 << 20).unwrap();
        assert!(budget.take(1).is_err());
        assert_eq!(budget.counted(), 3 << 20);
        budget.give_back(2 << 20);
        budget.take_for_a_while(2 << 20, 1 << 20).unwrap();
        assert_eq!(budget.counted(), 2 << 20);
        assert!(budget.take((1 << 20) + 1).is_err());
        assert_eq!(Budget::default().take(u64::MAX), Ok(()));
    }
}
