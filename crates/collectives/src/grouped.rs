//! Collectives in groups: the same collective on every line, plane or other part of the logical
//! shape at once.

use cubefold_mapping::ProcessId;
use cubefold_topology::{Length, MAX_NODE_COUNT, Machine, NodeId, Shape, narrow};

use crate::{
    Collective, CollectiveBounds, CollectiveError, CollectiveSpecification, ComputationTotals, LinkCosts,
    ProcessMessages, rank_grid::RankGrid,
};

/// The same collective in every group of ranks that differ in some coordinates only
/// (`docs/model.md` section 16, "Groups and sequences").
///
/// With `R` ranks in all, share `c` of rank `r` is process `c R + r`. A group's ranks are numbered
/// by the coordinates that it extends over, the first varying fastest; its shape is their lengths.
///
/// ```text
/// shape [3, 2] over [0]      group 0: ranks 0 1 2      group 1: ranks 3 4 5
/// shape [3, 2] over [1]      group 0: ranks 0 3        group 1: ranks 1 4        group 2: ranks 2 5
/// ```
#[derive(Debug, Clone)]
pub struct GroupedCollective {
    collective: Collective,   // of one group
    shape: Shape,             // of all ranks
    over: Vec<usize>,         // dimensions, ascending
    rank_count: Length,       // R
    offsets: Vec<u32>,        // by rank in the group: the rank less that of the group's first
    ranks_in_group: Vec<u32>, // by rank
}

/// Groups that there are not.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GroupError {
    /// No dimensions, or one twice, or one that the shape does not have.
    #[error("over dimensions {found:?}, expected at least one of 0 to {greatest}, each once")]
    Dimensions {
        /// The dimensions found.
        found: Vec<usize>,
        /// The greatest dimension of the shape.
        greatest: usize,
    },
    /// More processes than can be numbered.
    #[error("{found} processes, expected fewer than {MAX_NODE_COUNT}")]
    TooManyProcesses {
        /// Ranks times shares.
        found: u128,
    },
    /// The collective of a group is none.
    #[error(transparent)]
    Collective(#[from] CollectiveError),
}

impl GroupedCollective {
    /// Returns the collective in every group over these dimensions of the specification's shape,
    /// counted from 0, in any order. The root is a rank of the group.
    ///
    /// # Errors
    ///
    /// When a dimension is none of the shape's, or the specification with the shape of a group
    /// makes no collective.
    pub fn new(specification: CollectiveSpecification, over: &[usize]) -> Result<Self, GroupError> {
        let shape = specification.shape.clone();
        let mut sorted = over.to_vec();
        sorted.sort_unstable();
        let is_right = !sorted.is_empty()
            && sorted.is_sorted_by(|a, b| a < b)
            && sorted.iter().all(|&dimension| dimension < shape.dimension_count());
        if !is_right {
            return Err(GroupError::Dimensions {
                found: over.to_vec(),
                greatest: shape.dimension_count() - 1,
            });
        }
        let lengths: Vec<u64> = sorted.iter().map(|&dimension| shape.lengths()[dimension]).collect();
        let group_shape = Shape::new(&lengths).map_err(|_| GroupError::Dimensions {
            found: over.to_vec(),
            greatest: shape.dimension_count() - 1,
        })?;
        let collective = Collective::new(CollectiveSpecification { shape: group_shape, ..specification })?;
        let found = u128::from(shape.node_count()) * u128::from(collective.share_count());
        if found >= MAX_NODE_COUNT.into() {
            return Err(GroupError::TooManyProcesses { found });
        }
        let grid = RankGrid::new(&shape);
        let group = RankGrid::new(&collective.specification().shape);
        let offset = |rank: u32| {
            let coordinates =
                sorted.iter().enumerate().map(|(own, &dimension)| (dimension, group.coordinate(rank, own)));
            coordinates.fold(0, |at, (dimension, coordinate)| grid.with_coordinate(at, dimension, coordinate))
        };
        let offsets = (0..group.rank_count()).map(offset).collect();
        let number = |rank: u32| {
            let coordinates =
                sorted.iter().enumerate().map(|(own, &dimension)| (own, grid.coordinate(rank, dimension)));
            coordinates.fold(0, |at, (own, coordinate)| group.with_coordinate(at, own, coordinate))
        };
        let ranks_in_group = (0..grid.rank_count()).map(number).collect();
        let rank_count = Length::new(shape.node_count());
        Ok(Self { collective, shape, over: sorted, rank_count, offsets, ranks_in_group })
    }

    /// Estimates the memory that a collective of so many ranks takes at most \[bytes\].
    #[must_use]
    pub fn bytes_at_most(ranks: u64) -> u64 {
        // Two rounds of a ring have two stages a rank.
        ranks.saturating_mul(2 * Collective::BYTES_A_STAGE + 2 * size_of::<u32>() as u64)
    }

    /// Estimates the memory that it takes \[bytes\].
    #[must_use]
    pub fn bytes(&self) -> u64 {
        let numbers = (self.offsets.len() + self.ranks_in_group.len()) * size_of::<u32>();
        self.collective.bytes() + numbers as u64
    }

    /// The collective of each group.
    #[must_use]
    pub fn collective(&self) -> &Collective {
        &self.collective
    }

    /// The logical shape of all ranks.
    #[must_use]
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// The dimensions that a group extends over, ascending.
    #[must_use]
    pub fn over(&self) -> &[usize] {
        &self.over
    }

    /// The number of ranks `R` of all groups.
    #[must_use]
    pub fn rank_count(&self) -> u64 {
        self.rank_count.get()
    }

    /// The number of shares `k`, which is the number of processes of a rank.
    #[must_use]
    pub fn share_count(&self) -> u32 {
        self.collective.share_count()
    }

    /// The number of processes `k R`, below 2^32.
    #[must_use]
    pub fn process_count(&self) -> u64 {
        self.rank_count() * u64::from(self.share_count())
    }

    /// The number of groups.
    #[must_use]
    pub fn group_count(&self) -> u64 {
        self.rank_count() / self.collective.rank_count()
    }

    /// The number of stages, at least 1.
    #[must_use]
    pub fn stage_count(&self) -> usize {
        self.collective.stage_count()
    }

    /// The rank of a process among all, in `0..R`.
    #[must_use]
    #[inline]
    pub fn rank(&self, process: ProcessId) -> u32 {
        narrow(self.rank_count.divide(process.label().into()).1)
    }

    /// The share of a process, in `0..k`.
    #[must_use]
    #[inline]
    pub fn share(&self, process: ProcessId) -> u32 {
        narrow(self.rank_count.divide(process.label().into()).0)
    }

    /// The rank of a process in its group.
    ///
    /// # Panics
    ///
    /// When there is no such process.
    #[must_use]
    #[inline]
    pub fn rank_in_group(&self, process: ProcessId) -> u32 {
        self.ranks_in_group[self.rank(process) as usize]
    }

    /// The process of a group's collective that a process is.
    #[inline]
    fn process_in_group(&self, process: ProcessId) -> ProcessId {
        let (share, rank) = self.rank_count.divide(process.label().into());
        self.collective.process(narrow(share), self.ranks_in_group[narrow(rank) as usize])
    }

    /// The messages that a process sends in a stage: destination and size \[units\], by ascending
    /// destination.
    ///
    /// # Panics
    ///
    /// When there is no such stage or process.
    #[must_use]
    #[inline]
    pub fn sends(&self, stage: usize, process: ProcessId) -> GroupMessages<'_> {
        let messages = self.collective.sends(stage, self.process_in_group(process));
        GroupMessages { grouped: self, first: self.first_of_group(process), messages }
    }

    /// The messages that a process receives in a stage: source and size \[units\], by ascending
    /// source.
    ///
    /// # Panics
    ///
    /// When there is no such stage or process.
    #[must_use]
    #[inline]
    pub fn receives(&self, stage: usize, process: ProcessId) -> GroupMessages<'_> {
        let messages = self.collective.receives(stage, self.process_in_group(process));
        GroupMessages { grouped: self, first: self.first_of_group(process), messages }
    }

    /// The first rank of the group of a process.
    #[inline]
    fn first_of_group(&self, process: ProcessId) -> u32 {
        let rank = self.rank(process);
        rank - self.offsets[self.ranks_in_group[rank as usize] as usize]
    }

    /// The size of the message of a stage from one process to another \[units\]; 0 where there is
    /// none.
    ///
    /// # Panics
    ///
    /// When there is no such stage or process.
    #[must_use]
    pub fn units(&self, stage: usize, source: ProcessId, destination: ProcessId) -> u64 {
        if self.first_of_group(source) != self.first_of_group(destination) {
            return 0;
        }
        self.collective.units(stage, self.process_in_group(source), self.process_in_group(destination))
    }

    /// The size of the largest message of a stage \[units\]; 0 of a stage without messages.
    ///
    /// # Panics
    ///
    /// When there is no such stage.
    #[must_use]
    pub fn max_units(&self, stage: usize) -> u64 {
        self.collective.max_units(stage)
    }

    /// The size of every message, where all have one and there are any \[units\].
    #[must_use]
    pub fn uniform_units(&self) -> Option<u64> {
        self.collective.uniform_units()
    }

    /// The time for which a process computes in a stage \[cycles\], as [`Collective::computation`].
    ///
    /// # Panics
    ///
    /// When there is no such stage or process.
    #[must_use]
    pub fn computation(&self, stage: usize, process: ProcessId) -> u64 {
        self.collective.computation(stage, self.process_in_group(process))
    }

    /// Whether a stage is known to have the messages and the computations of the stage before it.
    ///
    /// # Panics
    ///
    /// When there is no such stage.
    #[must_use]
    pub fn repeats(&self, stage: usize) -> bool {
        self.collective.repeats(stage)
    }

    /// The computations of all processes in all stages.
    #[must_use]
    pub fn computations(&self) -> ComputationTotals {
        let of_group = self.collective.computations();
        ComputationTotals { total_cycles: of_group.total_cycles * u128::from(self.group_count()), ..of_group }
    }

    /// The most messages that a process may receive in a stage.
    #[must_use]
    pub fn max_received(&self) -> usize {
        self.collective.max_received()
    }

    /// The largest of the bounds of the groups, each as if it were alone, with rank `r` on node
    /// `nodes[r]`.
    ///
    /// # Panics
    ///
    /// When there are not as many nodes as ranks, or a node is none of the machine's.
    #[must_use]
    pub fn bounds(&self, machine: &Machine, nodes: &[NodeId], costs: LinkCosts) -> CollectiveBounds {
        assert_eq!(nodes.len() as u64, self.rank_count(), "a node for each rank");
        let firsts = (0..).zip(&self.ranks_in_group).filter(|&(_, &own)| own == 0).map(|(rank, _)| rank);
        let of_group = |first: u32| {
            let nodes: Vec<NodeId> =
                self.offsets.iter().map(|offset| nodes[(first + offset) as usize]).collect();
            self.collective.bounds(machine, &nodes, costs)
        };
        firsts.map(of_group).fold(CollectiveBounds::default(), CollectiveBounds::max)
    }
}

/// The messages of a process of a group in a stage, at one end: the process at the other end and
/// the size \[units\].
#[derive(Debug, Clone)]
pub struct GroupMessages<'a> {
    grouped: &'a GroupedCollective,
    first: u32, // rank of the group
    messages: ProcessMessages<'a>,
}

impl Iterator for GroupMessages<'_> {
    type Item = (ProcessId, u64);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let (peer, units) = self.messages.next()?;
        let (share, rank) = (self.grouped.collective.share(peer), self.grouped.collective.rank(peer));
        let rank = u64::from(self.first + self.grouped.offsets[rank as usize]);
        Some((ProcessId::new(narrow(u64::from(share) * self.grouped.rank_count.get() + rank)), units))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Algorithm, Operation, Ports};

    fn all_reduce(
        algorithm: Algorithm,
        lengths: &[u64],
        over: &[usize],
    ) -> Result<GroupedCollective, GroupError> {
        let shape = Shape::new(lengths).unwrap();
        let plain = CollectiveSpecification::new(Operation::AllReduce, algorithm, shape, 100);
        GroupedCollective::new(CollectiveSpecification { compute_cycles: 7, ..plain }, over)
    }

    fn sends(grouped: &GroupedCollective, stage: usize, process: u32) -> Vec<(u32, u64)> {
        grouped.sends(stage, ProcessId::new(process)).map(|(to, units)| (to.label(), units)).collect()
    }

    #[test]
    fn groups_are_the_ranks_that_differ_in_their_coordinates_only() {
        let lines = all_reduce(Algorithm::Ring, &[2, 3, 4], &[1]).unwrap();
        assert_eq!((lines.group_count(), lines.process_count(), lines.stage_count()), (8, 24, 4));
        // Blocks of 33, 33 and 34 units; rank 5 is number 2 at (1, ., 0), and sends block 1 to rank
        // 1.
        assert_eq!(sends(&lines, 0, 5), [(1, 33)]);
        assert_eq!(lines.units(0, ProcessId::new(5), ProcessId::new(1)), 33);
        assert_eq!(lines.units(0, ProcessId::new(5), ProcessId::new(0)), 0);
        let planes = all_reduce(Algorithm::Ring, &[2, 3, 4], &[2, 0]).unwrap();
        assert_eq!((planes.over(), planes.collective().rank_count()), (&[0, 2][..], 8));
        // Numbers in the plane (., 1, .): 2 3 8 9 14 15 20 21.
        assert_eq!(sends(&planes, 0, 3)[0].0, 8);
        assert_eq!(sends(&planes, 0, 21)[0].0, 2);
    }

    #[test]
    fn every_message_of_a_group_is_one_of_its_collective() {
        for over in [&[0][..], &[1], &[0, 1], &[0, 2], &[0, 1, 2]] {
            let shape = Shape::new(&[3, 2, 4]).unwrap();
            let plain = CollectiveSpecification::new(Operation::AllReduce, Algorithm::Bucket, shape, 77);
            let grouped =
                GroupedCollective::new(CollectiveSpecification { ports: Ports::All, ..plain }, over).unwrap();
            let collective = grouped.collective();
            let mut total = 0;
            for stage in 0..grouped.stage_count() {
                for process in ProcessId::first(grouped.process_count()) {
                    let of_group: Vec<u64> = collective
                        .sends(stage, grouped.process_in_group(process))
                        .map(|(_, units)| units)
                        .collect();
                    let mine: Vec<_> = grouped.sends(stage, process).collect();
                    assert!(mine.is_sorted_by(|a, b| a.0 < b.0));
                    assert_eq!(mine.iter().map(|&(_, units)| units).collect::<Vec<_>>(), of_group);
                    for (to, units) in mine {
                        assert_eq!(grouped.first_of_group(to), grouped.first_of_group(process));
                        assert!(grouped.receives(stage, to).any(|message| message == (process, units)));
                    }
                    total += u128::from(grouped.computation(stage, process));
                }
            }
            assert_eq!(total, grouped.computations().total_cycles);
        }
    }

    #[test]
    fn dimensions_that_are_none_are_refused() {
        for over in [&[][..], &[3], &[1, 1]] {
            let refused = all_reduce(Algorithm::Ring, &[2, 3, 4], over).unwrap_err();
            assert_eq!(refused, GroupError::Dimensions { found: over.to_vec(), greatest: 2 });
        }
        assert!(all_reduce(Algorithm::Mirrored, &[2, 3, 4], &[0, 2]).is_ok());
        assert!(all_reduce(Algorithm::Mirrored, &[2, 3, 4], &[1]).is_err());
    }
}
