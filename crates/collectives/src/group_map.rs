//! The division of ranks into groups, and the numbers of ranks inside their groups.

use cubefold_topology::Shape;

use crate::rank_grid::RankGrid;

/// The groups of the ranks of a shape that differ in some coordinates only.
///
/// A group's ranks are numbered by the coordinates that it extends over, the first varying fastest.
///
/// ```text
/// shape [3, 2] over [0]      group 0: ranks 0 1 2      group 1: ranks 3 4 5
/// shape [3, 2] over [1]      group 0: ranks 0 3        group 1: ranks 1 4        group 2: ranks 2 5
/// ```
#[derive(Debug, Clone)]
pub(crate) struct GroupMap {
    offsets: Vec<u32>, // by number in the group: the rank less the group's first
    numbers: Vec<u32>, // by rank: its number in its group
}

impl GroupMap {
    /// The most memory that a rank takes \[bytes\].
    pub(crate) const BYTES_A_RANK: u64 = 2 * size_of::<u32>() as u64;

    /// Returns the groups over these dimensions of a shape, ascending; `group` has their lengths.
    pub(crate) fn new(shape: &Shape, over: &[usize], group: &Shape) -> Self {
        let (all, group) = (RankGrid::new(shape), RankGrid::new(group));
        let offset = |number: u32| {
            over.iter().enumerate().fold(0, |rank, (place, &dimension)| {
                all.with_coordinate(rank, dimension, group.coordinate(number, place))
            })
        };
        let number = |rank: u32| {
            over.iter().enumerate().fold(0, |number, (place, &dimension)| {
                group.with_coordinate(number, place, all.coordinate(rank, dimension))
            })
        };
        Self {
            offsets: (0..group.rank_count()).map(offset).collect(),
            numbers: (0..all.rank_count()).map(number).collect(),
        }
    }

    /// Returns the first rank of the group of a rank, and the number of the rank in it.
    pub(crate) fn position(&self, rank: u32) -> (u32, u32) {
        let number = self.numbers[rank as usize];
        (rank - self.offsets[number as usize], number)
    }

    /// Returns the rank with a number in the group whose first rank is `first`.
    pub(crate) fn rank(&self, first: u32, number: u32) -> u32 {
        first + self.offsets[number as usize]
    }

    /// Returns the first rank of every group, ascending.
    pub(crate) fn firsts(&self) -> impl Iterator<Item = u32> + '_ {
        (0..).zip(&self.numbers).filter(|&(_, &number)| number == 0).map(|(rank, _)| rank)
    }

    /// Returns the memory that it takes \[bytes\].
    pub(crate) fn bytes(&self) -> u64 {
        ((self.offsets.len() + self.numbers.len()) * size_of::<u32>()) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_the_ranks_that_differ_in_their_coordinates_only() {
        let shape = Shape::new(&[2, 3, 4]).unwrap();
        let lines = GroupMap::new(&shape, &[1], &Shape::new(&[3]).unwrap());
        assert_eq!(lines.firsts().collect::<Vec<_>>(), [0, 1, 6, 7, 12, 13, 18, 19]);
        assert_eq!((lines.position(5), lines.rank(1, 1)), ((1, 2), 3));
        let planes = GroupMap::new(&shape, &[0, 2], &Shape::new(&[2, 4]).unwrap());
        let ranks: Vec<u32> = (0..8).map(|number| planes.rank(2, number)).collect();
        assert_eq!(ranks, [2, 3, 8, 9, 14, 15, 20, 21]);
        assert!((0..).zip(&ranks).all(|(number, &rank)| planes.position(rank) == (2, number)));
    }
}
