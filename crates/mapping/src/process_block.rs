//! Blocks of processes of a grid that share a node (`docs/model.md` section 22).
//!
//! Blocks, and processes inside a block, are numbered with the first coordinate fastest.

use cubefold_topology::greatest_common_divisor;

use crate::tao::divisors;

/// A block of processes, as the length of a grid and of the block in each dimension, which divides it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProcessBlock {
    grid: Vec<u64>,
    block: Vec<u64>,
}

impl ProcessBlock {
    /// The block of these lengths; `None` unless there is one for each dimension, and each divides it.
    #[must_use]
    pub fn new(grid: &[u64], block: &[u64]) -> Option<Self> {
        let divides = |(length, side): (&u64, &u64)| *side > 0 && length.is_multiple_of(*side);
        let is_block = grid.len() == block.len() && grid.iter().zip(block).all(divides);
        is_block.then(|| Self { grid: grid.to_vec(), block: block.to_vec() })
    }

    /// The block of `count` processes with the least surface, among these with the least longest length, and among
    /// these the last in lexicographic order; `None` if none divides the grid.
    ///
    /// The surface is the sum, over the dimensions in which the grid is longer than the block, of `count` divided by the
    /// block's length.
    #[must_use]
    pub fn least_surface(grid: &[u64], count: u64) -> Option<Self> {
        let mut best: Option<(u64, u64, Vec<u64>)> = None;
        let mut consider = |block: &[u64]| {
            let open = grid.iter().zip(block).filter(|(length, side)| length > side);
            let surface = open.map(|(_, side)| count / side).sum();
            let longest = block.iter().copied().max().unwrap_or(1);
            let is_better = best.as_ref().is_none_or(|(least, short, last)| {
                (surface, longest) < (*least, *short)
                    || (surface, longest) == (*least, *short) && block > last.as_slice()
            });
            if is_better {
                best = Some((surface, longest, block.to_vec()));
            }
        };
        all_blocks(grid, count, &mut vec![], &mut consider);
        let (_, _, block) = best?;
        Some(Self { grid: grid.to_vec(), block })
    }

    /// The numbers of processes for which there is a block, ascending.
    #[must_use]
    pub fn counts(grid: &[u64]) -> Vec<u64> {
        let mut counts = std::collections::BTreeSet::from([1]);
        for &length in grid {
            let divisors = divisors(length);
            counts = counts
                .iter()
                .flat_map(|count: &u64| divisors.iter().map(move |divisor| count.saturating_mul(*divisor)))
                .collect();
        }
        counts.into_iter().collect()
    }

    /// The lengths of a block.
    #[must_use]
    pub fn lengths(&self) -> &[u64] {
        &self.block
    }

    /// The number of blocks in each dimension.
    #[must_use]
    pub fn blocks(&self) -> Vec<u64> {
        self.grid.iter().zip(&self.block).map(|(length, side)| length / side).collect()
    }

    /// The number of the block of a process.
    #[must_use]
    pub fn block_of(&self, mut process: u64) -> u64 {
        let (mut number, mut stride) = (0, 1);
        for (length, side) in self.grid.iter().zip(&self.block) {
            number += process % length / side * stride;
            stride *= length / side;
            process /= length;
        }
        number
    }
}

/// Calls `consider` with all blocks of `count` processes that start with `prefix`.
fn all_blocks(grid: &[u64], count: u64, prefix: &mut Vec<u64>, consider: &mut impl FnMut(&[u64])) {
    let Some(&length) = grid.get(prefix.len()) else {
        if count == 1 {
            consider(prefix);
        }
        return;
    };
    // The remaining processes must fit into the remaining dimensions.
    let room = grid[prefix.len() + 1..].iter().fold(1_u64, |product, length| product.saturating_mul(*length));
    for divisor in divisors(greatest_common_divisor(length, count)) {
        if count / divisor <= room {
            prefix.push(divisor);
            all_blocks(grid, count / divisor, prefix, consider);
            prefix.pop();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_as_round_as_the_grid_allows() {
        let block = |grid: &[u64], count| {
            ProcessBlock::least_surface(grid, count).map(|found| found.lengths().to_vec())
        };
        assert_eq!(block(&[8, 8, 8], 8), Some(vec![2, 2, 2]));
        assert_eq!(block(&[8, 4], 4), Some(vec![2, 2]));
        assert_eq!(block(&[4, 4], 2), Some(vec![2, 1]));
        assert_eq!(block(&[2, 16], 4), Some(vec![2, 2]));
        assert_eq!(block(&[4, 6], 5), None);
        assert_eq!(block(&[2; 20], 1 << 10).map(|lengths| lengths.iter().product()), Some(1 << 10));
        assert_eq!(ProcessBlock::counts(&[4, 6]), [1, 2, 3, 4, 6, 8, 12, 24]);
        assert_eq!(ProcessBlock::new(&[4, 6], &[2, 4]), None);
    }

    #[test]
    fn processes_and_blocks_count_the_first_coordinate_fastest() {
        let block = ProcessBlock::new(&[4, 2], &[2, 1]).unwrap();
        assert_eq!(
            (0..8).map(|process| block.block_of(process)).collect::<Vec<_>>(),
            [0, 0, 1, 1, 2, 2, 3, 3]
        );
        let block = ProcessBlock::new(&[4, 2], &[2, 2]).unwrap();
        assert_eq!(
            (0..8).map(|process| block.block_of(process)).collect::<Vec<_>>(),
            [0, 0, 1, 1, 0, 0, 1, 1]
        );
    }
}
