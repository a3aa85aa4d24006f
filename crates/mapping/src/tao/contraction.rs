//! The function that contracts a guest to the size of the host (Tao 1988, chapter 5), and the sets of
//! processes that it puts on each node.

use cubefold_topology::{Length, MAX_DIMENSIONS, Shape, narrow};

use super::radix::CoordinateBuffer;
use crate::ProcessId;

/// `mu o nubar o xi`: some guest dimensions kept, those folded flat or not, and every `kappa` successive
/// coordinates taken together (Tao 1988, 5.3).
///
/// All others are special cases: `mu` keeps all dimensions in order and folds none, `nu` is `nubar` for one
/// dimension, and `kappa` may be 1.
///
/// ```text
/// mu_2      0 0 1 1 2 2 3 3        nu_8      0 1 2 3 3 2 1 0
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Contraction {
    pub(super) lengths: Vec<u64>, // of the guest's dimensions
    pub(super) kept: Vec<usize>,  // the guest dimensions pi(1), .., pi(c), less 1, all different
    pub(super) folding: DimensionFold,
    pub(super) kappa: Length, // divides every kept length, twice it where they are folded
}

/// Whether the kept dimensions are folded by `nu`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DimensionFold {
    Folded,
    Unfolded,
}

/// The guest coordinates in one dimension that contract to one coordinate: one run, or two of the same length.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CoordinateSet {
    first: u64,
    run: u64,
    mirror: u64, // the start of the second run, after the first; 0 without one
    count: u64,  // run, or twice that
}

impl CoordinateSet {
    pub(super) fn of(coordinate: u32) -> Self {
        Self::run(u64::from(coordinate), 1)
    }

    /// `run` successive coordinates.
    pub(super) fn run(first: u64, run: u64) -> Self {
        Self { first, run, mirror: 0, count: run }
    }

    pub(super) fn count(&self) -> u64 {
        self.count
    }

    /// The coordinate at a position in ascending order.
    pub(super) fn get(&self, position: u64) -> u64 {
        if position < self.run { self.first + position } else { self.mirror + position - self.run }
    }
}

impl Contraction {
    pub(super) fn image(&self, from: &CoordinateBuffer) -> CoordinateBuffer {
        let mut image = [0; MAX_DIMENSIONS];
        for (slot, &dimension) in image.iter_mut().zip(&self.kept) {
            let (coordinate, length) = (u64::from(from[dimension]), self.lengths[dimension]);
            let unfolded = match self.folding {
                DimensionFold::Folded if coordinate >= length / 2 => length - 1 - coordinate,
                DimensionFold::Folded | DimensionFold::Unfolded => coordinate,
            };
            *slot = narrow(self.kappa.divide(unfolded).0);
        }
        image
    }

    /// The guest coordinates, dimension by dimension, of all nodes that contract to these coordinates: their
    /// product (Tao 1988, 5.4.1).
    ///
    /// `y kappa + e` and, where folded, `l_i - 1 - y kappa - e`, for `e` below `kappa` (errata A6); all of a
    /// dimension that is not kept.
    pub(super) fn origins(&self, image: &CoordinateBuffer) -> [CoordinateSet; MAX_DIMENSIONS] {
        let mut sets = [CoordinateSet::of(0); MAX_DIMENSIONS];
        for (set, &length) in sets.iter_mut().zip(&self.lengths) {
            *set = CoordinateSet::run(0, length);
        }
        let kappa = self.kappa.get();
        for (&dimension, &coordinate) in self.kept.iter().zip(image) {
            let run = CoordinateSet::run(u64::from(coordinate) * kappa, kappa);
            sets[dimension] = match self.folding {
                DimensionFold::Unfolded => run,
                DimensionFold::Folded => {
                    let mirror = self.lengths[dimension] - run.first - kappa;
                    CoordinateSet { mirror, count: 2 * kappa, ..run }
                }
            };
        }
        sets
    }
}

/// The processes on one node, in ascending order.
#[derive(Debug, Clone)]
pub struct Processes {
    dimensions: usize,
    sets: [CoordinateSet; MAX_DIMENSIONS], // the coordinates in each dimension: the processes are their product
    strides: [u64; MAX_DIMENSIONS],        // of the guest
    positions: [u64; MAX_DIMENSIONS],      // in the sets, of the next process
    left: u64,                             // the number of processes not yet returned
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

    pub(super) fn none() -> Self {
        let (sets, zeros) = ([CoordinateSet::of(0); MAX_DIMENSIONS], [0; MAX_DIMENSIONS]);
        Self { dimensions: 0, sets, strides: zeros, positions: zeros, left: 0 }
    }

    /// Advances to the next process, the first dimension fastest.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn coordinates(set: &CoordinateSet) -> Vec<u64> {
        (0..set.count()).map(|position| set.get(position)).collect()
    }

    #[test]
    fn errata_a6_the_inverse_of_a_fold_mirrors_whole_runs() {
        // kappa = 2, l = 16, y = 0: the misprint gives 0, 1, 30, 31.
        let contraction = Contraction {
            lengths: vec![16],
            kept: vec![0],
            folding: DimensionFold::Folded,
            kappa: Length::new(2),
        };
        let sets = contraction.origins(&[0; 32]);
        assert_eq!(coordinates(&sets[0]), [0, 1, 14, 15]);
        for coordinate in [0, 1, 14, 15] {
            let mut from = [0; 32];
            from[0] = coordinate;
            assert_eq!(contraction.image(&from)[0], 0);
        }
    }

    #[test]
    fn dimensions_left_out_may_be_anywhere() {
        // kappa = 1, L = (3, 4), pi = (2, 1): host dimension 1 is guest dimension 2.
        let contraction = Contraction {
            lengths: vec![3, 4],
            kept: vec![1],
            folding: DimensionFold::Unfolded,
            kappa: Length::new(1),
        };
        let mut image = [0; 32];
        image[0] = 3;
        let sets = contraction.origins(&image);
        assert_eq!(coordinates(&sets[0]), [0, 1, 2]);
        assert_eq!(coordinates(&sets[1]), [3]);
    }
}
