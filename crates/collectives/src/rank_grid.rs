//! Ranks as nodes of the logical shape: their coordinates and lines, and sums along lines.

use cubefold_topology::{Digit, IndexDigit, Shape, narrow};

/// The numbering of ranks by coordinates; the first coordinate varies fastest.
#[derive(Debug, Clone)]
pub(crate) struct RankGrid {
    sides: Vec<u32>,         // each at least 2
    digits: Vec<IndexDigit>, // of each coordinate in a rank
    rank_count: u32,
}

impl RankGrid {
    /// Returns the grid of a shape with fewer than 2^32 nodes.
    pub(crate) fn new(shape: &Shape) -> Self {
        Self::of_sides(shape.lengths())
    }

    /// Returns the grid of one dimension with all ranks of this one, in their order.
    pub(crate) fn flattened(&self) -> Self {
        Self::of_sides(&[self.rank_count.into()])
    }

    fn of_sides(sides: &[u64]) -> Self {
        let digits = sides.iter().scan(1, |stride, &side| {
            let digit = IndexDigit::new(side, *stride);
            *stride *= side;
            Some(digit)
        });
        Self {
            digits: digits.collect(),
            sides: sides.iter().copied().map(narrow).collect(),
            rank_count: narrow(sides.iter().product()),
        }
    }

    /// Returns the number of ranks `P`.
    pub(crate) fn rank_count(&self) -> u32 {
        self.rank_count
    }

    /// Returns the sides, the first dimension first.
    pub(crate) fn sides(&self) -> &[u32] {
        &self.sides
    }

    /// Returns the number of dimensions `D`.
    pub(crate) fn dimension_count(&self) -> usize {
        self.sides.len()
    }

    /// Returns the place of a coordinate in a rank.
    pub(crate) fn digit(&self, dimension: usize) -> IndexDigit {
        self.digits[dimension]
    }

    #[inline]
    pub(crate) fn coordinate(&self, rank: u32, dimension: usize) -> u32 {
        self.digits[dimension].position(rank)
    }

    /// Returns the rank that has this coordinate and agrees with `rank` in all others.
    #[inline]
    pub(crate) fn with_coordinate(&self, rank: u32, dimension: usize, coordinate: u32) -> u32 {
        let digit = &self.digits[dimension];
        // Modulo 2^32; the outcome is a rank.
        rank.wrapping_sub(digit.offset(digit.position(rank))).wrapping_add(digit.offset(coordinate))
    }

    /// Returns the number of the line along a dimension on which a rank lies, in `0..P / k`.
    #[inline]
    pub(crate) fn line(&self, rank: u32, dimension: usize) -> u32 {
        let digit = &self.digits[dimension];
        digit.above(rank) * narrow(digit.stride()) + digit.below(rank)
    }

    /// Returns the rank with coordinate 0 on a line along a dimension.
    pub(crate) fn line_start(&self, line: u32, dimension: usize) -> u32 {
        let stride = narrow(self.digits[dimension].stride());
        line / stride * stride * self.sides[dimension] + line % stride
    }

    pub(crate) fn line_count(&self, dimension: usize) -> u32 {
        self.rank_count / self.sides[dimension]
    }

    /// Replaces the values on every line along a dimension by a function of them.
    ///
    /// `values` has an entry for each rank. `transform` changes the values of a line, by coordinate,
    /// in place.
    pub(crate) fn transform_lines(
        &self,
        values: &mut [u64],
        dimension: usize,
        mut transform: impl FnMut(&mut [u64]),
    ) {
        let stride = narrow(self.digits[dimension].stride()) as usize;
        let side = self.sides[dimension] as usize;
        let mut line_values = vec![0; side];
        for line in 0..self.line_count(dimension) {
            let start = self.line_start(line, dimension) as usize;
            for (value, at) in line_values.iter_mut().zip((start..).step_by(stride)) {
                *value = values[at];
            }
            transform(&mut line_values);
            for (value, at) in line_values.iter().zip((start..).step_by(stride)) {
                values[at] = *value;
            }
        }
    }

    /// Replaces every value by the sum of the values on its line along a dimension.
    pub(crate) fn sum_lines(&self, values: &mut [u64], dimension: usize) {
        self.transform_lines(values, dimension, |line| {
            let sum = line.iter().sum();
            line.fill(sum);
        });
    }

    /// Returns the ranks that agree with `rank` in every dimension that is not free, ascending.
    pub(crate) fn agreeing(&self, rank: u32, is_free: impl Fn(usize) -> bool) -> Vec<u32> {
        let set = |dimension: usize| {
            if is_free(dimension) {
                (0..self.sides[dimension]).collect()
            } else {
                vec![self.coordinate(rank, dimension)]
            }
        };
        self.product(&(0..self.dimension_count()).map(set).collect::<Vec<_>>())
    }

    /// Returns the ranks whose coordinate in each dimension is in the set given for it, ascending.
    ///
    /// `sets` has an entry for each dimension: the coordinates, each once.
    pub(crate) fn product(&self, sets: &[Vec<u32>]) -> Vec<u32> {
        let mut ranks = vec![0];
        for (digit, set) in self.digits.iter().zip(sets) {
            ranks =
                ranks.iter().flat_map(|rank| set.iter().map(move |&at| rank + digit.offset(at))).collect();
        }
        ranks.sort_unstable();
        ranks
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_coordinates_number_the_ranks() {
        let grid = RankGrid::new(&Shape::new(&[3, 2, 4]).unwrap());
        for dimension in 0..3 {
            let side = grid.sides()[dimension];
            assert_eq!(grid.line_count(dimension), 24 / side);
            for rank in 0..24 {
                let (line, coordinate) = (grid.line(rank, dimension), grid.coordinate(rank, dimension));
                let start = grid.line_start(line, dimension);
                assert_eq!(grid.coordinate(start, dimension), 0);
                assert_eq!(grid.with_coordinate(start, dimension, coordinate), rank);
            }
        }
    }

    #[test]
    fn sums_along_all_dimensions_are_the_sum_of_all() {
        let grid = RankGrid::new(&Shape::new(&[3, 2, 4]).unwrap());
        let mut values: Vec<u64> = (0..24).collect();
        (0..3).for_each(|dimension| grid.sum_lines(&mut values, dimension));
        assert_eq!(values, [276; 24]);
        assert_eq!(grid.product(&[vec![2], vec![0, 1], vec![3, 1]]), [8, 11, 20, 23]);
    }
}
