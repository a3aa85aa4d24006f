//! The processes on one node.

use cubefold_topology::{MAX_DIMENSIONS, Shape};

use super::contraction::CoordinateSet;
use super::mixed_radix::narrow;
use crate::ProcessId;

/// The processes on one node, in ascending order; at least one.
#[derive(Debug, Clone)]
pub struct Processes {
    dimensions: usize,
    sets: [CoordinateSet; MAX_DIMENSIONS], // the coordinates in each dimension: the processes are their product
    strides: [u64; MAX_DIMENSIONS],        // of the guest
    positions: [u64; MAX_DIMENSIONS],      // in the sets, of the next process
    left: u64,                             // how many are still to come
}

impl Processes {
    pub(super) fn new(guest: &Shape, sets: &[CoordinateSet; MAX_DIMENSIONS]) -> Self {
        let dimensions = guest.dimension_count();
        let mut strides = [0; MAX_DIMENSIONS];
        for (slot, dimension) in strides.iter_mut().zip(guest.dimensions()) {
            *slot = guest.stride(dimension);
        }
        let left = sets[..dimensions].iter().map(CoordinateSet::count).product();
        Self { dimensions, sets: *sets, strides, positions: [0; MAX_DIMENSIONS], left }
    }

    /// Moves on to the next process: the first dimension fastest.
    fn advance(&mut self) {
        for dimension in 0..self.dimensions {
            self.positions[dimension] += 1;
            if self.positions[dimension] < self.sets[dimension].count() {
                return;
            }
            self.positions[dimension] = 0;
        }
    }
}

impl Iterator for Processes {
    type Item = ProcessId;

    fn next(&mut self) -> Option<ProcessId> {
        self.left = self.left.checked_sub(1)?;
        let along =
            |dimension: usize| self.sets[dimension].get(self.positions[dimension]) * self.strides[dimension];
        let label = (0..self.dimensions).map(along).sum();
        self.advance();
        Some(ProcessId::new(narrow(label)))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = usize::try_from(self.left).ok();
        (left.unwrap_or(usize::MAX), left)
    }
}
