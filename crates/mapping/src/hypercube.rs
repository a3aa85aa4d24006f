//! The d-cube, guest of the compute-and-communicate programs.

use std::{fmt, ops::Range};

use cubefold_topology::{Machine, MachineKind, NodeId, narrow};

use crate::{GatheredImages, Guest, ProcessId};

/// A dimension `i` of a d-cube, in `0..32`: the bit of the label in which neighbours differ (the host's
/// dimensions are numbered from 1 and have a type of their own).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CubeDimension(u8); // in 0..32

/// A number that is not a dimension of a d-cube.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("cube dimension {number}, expected 0 to {greatest}")]
pub struct CubeDimensionError {
    /// The number found.
    pub number: u64,
    /// The greatest dimension of the cube.
    pub greatest: u8,
}

impl CubeDimension {
    /// The dimension with this number of a cube whose greatest dimension is `greatest`, below 32.
    pub(crate) fn checked(number: u64, greatest: u8) -> Result<Self, CubeDimensionError> {
        match u8::try_from(number) {
            Ok(small) if small <= greatest => Ok(Self(small)),
            _ => Err(CubeDimensionError { number, greatest }),
        }
    }

    /// The number, counted from 0.
    #[must_use]
    pub fn number(self) -> u8 {
        self.0
    }

    /// The position in a list that starts with dimension 0: the number.
    #[must_use]
    pub fn index(self) -> usize {
        usize::from(self.0)
    }
}

impl fmt::Display for CubeDimension {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

/// A d-cube: `2^d` processes, neighbours where their labels differ in one bit (González & Valero 1993, 2.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hypercube {
    dimensions: u8, // in 1..=32
}

/// A number of dimensions that makes no cube.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a cube of {dimensions} dimensions, expected 1 to 32")]
pub struct HypercubeError {
    /// The number found.
    pub dimensions: u64,
}

impl Hypercube {
    /// Returns the cube of `dimensions` dimensions.
    ///
    /// # Errors
    ///
    /// When there are no dimensions, or over 32.
    pub fn new(dimensions: u64) -> Result<Self, HypercubeError> {
        match u8::try_from(dimensions) {
            Ok(small) if (1..=32).contains(&small) => Ok(Self { dimensions: small }),
            _ => Err(HypercubeError { dimensions }),
        }
    }

    /// The number `d` of dimensions, 1 to 32.
    #[must_use]
    pub fn dimension_count(self) -> u8 {
        self.dimensions
    }

    /// The cube as a shape: all lengths 2, process `n` at node `n`.
    #[must_use]
    #[expect(clippy::missing_panics_doc, clippy::expect_used, reason = "1 to 32 lengths of 2 make a machine")]
    pub fn shape(self) -> Machine {
        let lengths = vec![2; usize::from(self.dimensions)];
        Machine::new(MachineKind::Hypercube, &lengths).expect("a hypercube")
    }

    /// The dimension with this number, counted from 0.
    ///
    /// # Errors
    ///
    /// When the cube has no such dimension.
    pub fn dimension(self, number: u64) -> Result<CubeDimension, CubeDimensionError> {
        CubeDimension::checked(number, self.dimensions - 1)
    }

    /// Its dimensions, `0..d`.
    #[must_use]
    pub fn dimensions(self) -> impl DoubleEndedIterator<Item = CubeDimension> {
        (0..self.dimensions).filter_map(move |number| self.dimension(u64::from(number)).ok())
    }

    /// The neighbour `N_i(n)` of process `n` in dimension `i`: `n xor 2^i`.
    #[must_use]
    pub fn neighbour(self, process: ProcessId, dimension: CubeDimension) -> ProcessId {
        ProcessId::new(process.label() ^ (1 << dimension.number()))
    }
}

impl Guest for Hypercube {
    fn process_count(&self) -> u64 {
        1 << self.dimensions
    }

    fn dimension_count(&self) -> usize {
        usize::from(self.dimensions)
    }

    fn edges_from(
        &self,
        dimension: usize,
        labels: Range<u64>,
    ) -> impl Iterator<Item = (ProcessId, ProcessId)> {
        let bit = 1_u64 << dimension;
        // An edge belongs to the end without the bit.
        labels
            .filter(move |label| label & bit == 0)
            .map(move |label| (ProcessId::new(narrow(label)), ProcessId::new(narrow(label | bit))))
    }

    fn neighbours(&self, process: ProcessId) -> impl Iterator<Item = ProcessId> {
        let cube = *self;
        self.dimensions().map(move |dimension| cube.neighbour(process, dimension))
    }

    fn degree(&self, _: ProcessId) -> u64 {
        self.dimensions.into()
    }

    /// The labels of an aligned block, a power of two of them from a multiple of it on, are rows of low ends
    /// each followed by the row of their high ends: nothing is looked up.
    fn visit_images(
        &self,
        dimension: usize,
        labels: Range<u64>,
        images: &[NodeId],
        gathered: &mut GatheredImages,
        visit: &mut impl FnMut(&[NodeId], &[NodeId]),
    ) {
        let [start, end] =
            [labels.start, labels.end].map(|label| usize::try_from(label).unwrap_or(usize::MAX));
        let (length, run) = (end - start, 1 << dimension);
        let is_aligned = length.is_power_of_two() && start.is_multiple_of(length);
        let (low, high) = match run {
            _ if !is_aligned => gathered.of_edges(self.edges_from(dimension, labels), images),
            _ if run >= length && start & run != 0 => return,
            _ if run >= length => (&images[start..end], &images[start + run..end + run]),
            1 => gathered.alternate::<1>(&images[start..end]),
            2 => gathered.alternate::<2>(&images[start..end]),
            4 => gathered.alternate::<4>(&images[start..end]),
            8 => gathered.alternate::<8>(&images[start..end]),
            16 => gathered.alternate::<16>(&images[start..end]),
            32 => gathered.alternate::<32>(&images[start..end]),
            _ => {
                let pairs = images[start..end].chunks_exact(2 * run);
                return pairs.for_each(|pair| visit(&pair[..run], &pair[run..]));
            }
        };
        visit(low, high);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_edge_is_listed_once_under_its_dimension() {
        let cube = Hypercube::new(5).unwrap();
        let mut all = std::collections::BTreeSet::new();
        for dimension in cube.dimensions() {
            for (low, high) in cube.edges(dimension.index()) {
                assert!(low < high);
                assert_eq!(cube.neighbour(low, dimension), high);
                assert!(all.insert((low, high)));
            }
        }
        assert_eq!(all.len(), 5 * 16);
    }

    #[test]
    fn the_images_of_every_block_are_those_of_its_edges() {
        let cube = Hypercube::new(6).unwrap();
        let images: Vec<NodeId> = (0..64).map(|label| NodeId::new(label * 7 % 64)).collect();
        let image = |process: ProcessId| images[process.label() as usize];
        let mut gathered = GatheredImages::default();
        for (start, end) in (0..64).flat_map(|start| (start + 1..=64).map(move |end| (start, end))) {
            for dimension in 0..6 {
                let mut visited = vec![];
                cube.visit_images(dimension, start..end, &images, &mut gathered, &mut |low, high| {
                    visited.extend(low.iter().copied().zip(high.iter().copied()));
                });
                let edges = cube.edges_from(dimension, start..end);
                let expected: Vec<_> = edges.map(|(low, high)| (image(low), image(high))).collect();
                assert_eq!(visited, expected, "{start}..{end} in dimension {dimension}");
            }
        }
    }

    #[test]
    fn cubes_have_one_to_thirty_two_dimensions() {
        assert!(Hypercube::new(0).is_err());
        assert!(Hypercube::new(33).is_err());
        let largest = Hypercube::new(32).unwrap();
        assert_eq!(largest.process_count(), 1 << 32);
        let top = largest.dimension(31).unwrap();
        assert_eq!(largest.neighbour(ProcessId::new(0), top).label(), 1 << 31);
        assert_eq!(largest.dimension(32).unwrap_err().to_string(), "cube dimension 32, expected 0 to 31");
    }
}
