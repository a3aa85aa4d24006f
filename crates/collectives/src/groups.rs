//! One algorithm in every group of ranks at once.

use std::fmt::{self, Debug, Formatter};

use cubefold_mapping::ProcessId;
use cubefold_simulator::{Facts, Rotation};
use cubefold_topology::{Length, MAX_NODE_COUNT, Shape, narrow};

use crate::{
    Algorithm, CollectiveError, CollectiveSpecification, MessageOrder,
    group_algorithm::GroupAlgorithm,
    group_map::GroupMap,
    schedule::{End, Place},
};

/// The same algorithm in every group of ranks that differ in some coordinates only (`docs/model.md`
/// section 16, "Groups and sequences").
///
/// With `R` ranks in all, share `c` of rank `r` is process `c R + r`. A group's ranks are numbered
/// by the coordinates that it extends over, the first varying fastest; its shape is their lengths.
/// All ranks may be one group. Queries panic for a stage or process out of range.
#[derive(Clone)]
pub struct Groups {
    algorithm: GroupAlgorithm, // of each group
    shape: Shape,              // of all ranks
    over: Vec<usize>,          // dimensions, ascending
    rank_count: Length,        // R
    map: Option<GroupMap>,     // `None` if all ranks are one group
    rotation: Option<Rotation>,
}

impl Groups {
    /// Returns the algorithm on all ranks of the specification's shape as one group.
    ///
    /// # Errors
    ///
    /// As [`CollectiveSpecification::check`].
    pub fn one(specification: CollectiveSpecification) -> Result<Self, CollectiveError> {
        let over: Vec<usize> = (0..specification.shape.dimension_count()).collect();
        Self::new(specification, &over)
    }

    /// Returns the algorithm in every group over these dimensions of the specification's shape,
    /// counted from 0, in any order. The root is the number of a rank in its group.
    ///
    /// # Errors
    ///
    /// When a dimension is not in the shape, or occurs twice; when there are too many processes; and
    /// as [`CollectiveSpecification::check`] for the shape of a group.
    pub fn new(specification: CollectiveSpecification, over: &[usize]) -> Result<Self, CollectiveError> {
        let shape = specification.shape.clone();
        let refused =
            || CollectiveError::Dimensions { found: over.to_vec(), greatest: shape.dimension_count() - 1 };
        let mut sorted = over.to_vec();
        sorted.sort_unstable();
        if !sorted.is_sorted_by(|a, b| a < b)
            || sorted.last().is_none_or(|&dimension| dimension >= shape.dimension_count())
        {
            return Err(refused());
        }
        let lengths: Vec<u64> = sorted.iter().map(|&dimension| shape.lengths()[dimension]).collect();
        let group = Shape::new(&lengths).map_err(|_| refused())?;
        let is_one = group == shape;
        let algorithm = GroupAlgorithm::new(CollectiveSpecification { shape: group, ..specification })?;
        let found = u128::from(shape.node_count()) * u128::from(algorithm.share_count());
        if found >= MAX_NODE_COUNT.into() {
            return Err(CollectiveError::TooManyProcesses { found });
        }
        let asked = algorithm.specification();
        let is_rotated = asked.algorithm == Algorithm::Direct && asked.order == MessageOrder::Rotated;
        let per_node = if is_one { asked.ranks_per_node.into() } else { 1 };
        let rotation = is_rotated.then(|| Rotation::new(algorithm.rank_count(), per_node));
        let map = (!is_one).then(|| GroupMap::new(&shape, &sorted, &algorithm.specification().shape));
        let groups = Self {
            algorithm,
            rank_count: Length::new(shape.node_count()),
            shape,
            over: sorted,
            map,
            rotation,
        };
        groups.check_nodes()?;
        Ok(groups)
    }

    /// Refuses channels in groups that are no whole nodes in ascending order.
    fn check_nodes(&self) -> Result<(), CollectiveError> {
        let (asked, ranks) = (self.specification(), self.algorithm.rank_count());
        let devices = asked.ranks_per_node;
        let Some(map) = self.map.as_ref().filter(|_| asked.channels.is_some() && devices > 1) else {
            return Ok(());
        };
        let is_whole = |first: u32| {
            (0..ranks).all(|number| {
                let rank = map.rank(first, number);
                rank % devices == number % devices
                    && rank - number % devices == map.rank(first, number - number % devices)
            })
        };
        if map.firsts().all(is_whole) {
            return Ok(());
        }
        Err(CollectiveError::PartsOfNodes { ranks: ranks.into(), devices })
    }

    /// Returns the turn of a message between two processes of a group, if it takes one.
    pub(crate) fn turn(&self, source: ProcessId, destination: ProcessId) -> u32 {
        let rank = |process| self.position(process).1.rank;
        self.rotation.map_or(0, |rotation| rotation.turn(rank(source), rank(destination)))
    }

    pub(crate) fn has_turns(&self) -> bool {
        self.rotation.is_some()
    }

    /// Returns an upper bound on the memory that a specification in groups over these dimensions takes \[bytes\].
    #[must_use]
    pub fn bytes_at_most(specification: &CollectiveSpecification, over: &[usize]) -> u64 {
        let lengths: Vec<u64> = over
            .iter()
            .filter_map(|&dimension| specification.shape.lengths().get(dimension).copied())
            .collect();
        let shape = Shape::new(&lengths).unwrap_or_else(|_| specification.shape.clone());
        let group = CollectiveSpecification { shape, ..specification.clone() };
        // The two phases of a ring have two stages a rank.
        let stages = group.rank_count().saturating_mul(2 * GroupAlgorithm::BYTES_A_STAGE);
        let map = specification.rank_count().saturating_mul(GroupMap::BYTES_A_RANK);
        stages.saturating_add(map).saturating_add(GroupAlgorithm::table_bytes(&group))
    }

    /// Returns the memory of the groups \[bytes\].
    #[must_use]
    pub fn bytes(&self) -> u64 {
        let stages = self.stage_count() as u64 * GroupAlgorithm::BYTES_A_STAGE;
        let tables = GroupAlgorithm::table_bytes(self.specification());
        stages.saturating_add(self.map.as_ref().map_or(0, GroupMap::bytes)).saturating_add(tables)
    }

    /// Returns the algorithm of each group.
    pub(crate) fn algorithm(&self) -> &GroupAlgorithm {
        &self.algorithm
    }

    /// Returns the specification of each group, with the shape of a group.
    #[must_use]
    pub fn specification(&self) -> &CollectiveSpecification {
        self.algorithm.specification()
    }

    /// Returns the logical shape of all ranks.
    #[must_use]
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// Returns the dimensions that a group extends over, ascending.
    #[must_use]
    pub fn over(&self) -> &[usize] {
        &self.over
    }

    /// Returns the number of ranks `R` of all groups.
    #[must_use]
    pub fn rank_count(&self) -> u64 {
        self.rank_count.get()
    }

    /// Returns the number of shares `k`, which is the number of processes of a rank.
    #[must_use]
    pub fn share_count(&self) -> u32 {
        self.algorithm.share_count()
    }

    /// Returns the number of processes `k R`, below 2^32.
    #[must_use]
    pub fn process_count(&self) -> u64 {
        self.rank_count() * u64::from(self.share_count())
    }

    /// Returns the number of groups.
    #[must_use]
    pub fn group_count(&self) -> u64 {
        self.rank_count() / u64::from(self.algorithm.rank_count())
    }

    /// Returns the number of stages, at least 1.
    #[must_use]
    pub fn stage_count(&self) -> usize {
        self.algorithm.stage_count()
    }

    /// Returns the first rank of the group of a process, and the process in the group.
    fn position(&self, process: ProcessId) -> (u32, Place) {
        let (share, rank) = if self.share_count() == 1 {
            (0, process.label())
        } else {
            let (share, rank) = self.rank_count.divide(process.label().into());
            (narrow(share), narrow(rank))
        };
        let (first, rank) = self.map.as_ref().map_or((0, rank), |map| map.position(rank));
        (first, Place { share, rank })
    }

    /// Returns the process at a place in the group whose first rank is `first`.
    fn process(&self, first: u32, place: Place) -> ProcessId {
        let rank = self.map.as_ref().map_or(place.rank, |map| map.rank(first, place.rank));
        ProcessId::new(narrow(u64::from(place.share) * self.rank_count() + u64::from(rank)))
    }

    /// Lists the messages that have a process at this end in a stage: the process at the other end,
    /// ascending, and the size \[units\].
    pub fn list(&self, end: End, stage: usize, process: ProcessId, add: &mut dyn FnMut(ProcessId, u64)) {
        let (first, place) = self.position(process);
        self.algorithm.list(stage, place, end, &mut |peer, units| add(self.process(first, peer), units));
    }

    /// Visits all messages of a stage: source, destination and size \[units\]; with several groups by
    /// ascending source.
    pub fn visit(&self, stage: usize, visit: &mut dyn FnMut(ProcessId, ProcessId, u64)) {
        if self.map.is_none() {
            return self.algorithm.visit(stage, &mut |source, destination, units| {
                visit(self.process(0, source), self.process(0, destination), units);
            });
        }
        for source in ProcessId::first(self.process_count()) {
            self.list(End::Source, stage, source, &mut |to, units| visit(source, to, units));
        }
    }

    /// Returns the time for which a process computes in a stage \[cycles\]: `compute_cycles` if it is an
    /// end of a message between ranks, and the time to reduce the units received in the stage before.
    #[must_use]
    pub fn computation(&self, stage: usize, process: ProcessId) -> u64 {
        self.algorithm.computation(stage, self.position(process).1)
    }

    /// Returns the [computations](Self::computation) of a stage, by process.
    pub(crate) fn computations_of_stage(&self, stage: usize) -> Vec<u64> {
        let of_group = self.algorithm.computations_of_stage(stage);
        if self.map.is_none() {
            return of_group;
        }
        let processes = ProcessId::first(self.process_count());
        processes.map(|process| of_group[self.algorithm.number(self.position(process).1)]).collect()
    }

    /// Returns the counts and sums over all stages. The longest computation is an upper bound, and all
    /// processes compute if they are known to.
    ///
    /// # Complexity
    ///
    /// The first call visits all messages of a group; of a ring or bucket, of the first stage of each
    /// phase.
    #[must_use]
    pub fn facts(&self) -> Facts {
        let of_group = self.algorithm.facts();
        Facts {
            process_count: self.process_count(),
            total_compute: of_group.total_compute * u128::from(self.group_count()),
            ..of_group
        }
    }

    /// Returns the ranks of every group, in the order of their numbers in it.
    #[must_use]
    pub fn ranks_of_groups(&self) -> Vec<Vec<u32>> {
        let numbers = 0..self.algorithm.rank_count();
        let Some(map) = &self.map else { return vec![numbers.collect()] };
        map.firsts().map(|first| numbers.clone().map(|number| map.rank(first, number)).collect()).collect()
    }
}

/// Groups are equal if they have the same specification on the same ranks.
impl PartialEq for Groups {
    fn eq(&self, other: &Self) -> bool {
        (self.specification(), &self.shape, &self.over) == (other.specification(), &other.shape, &other.over)
    }
}

impl Eq for Groups {}

impl Debug for Groups {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let mut fields = formatter.debug_struct("Groups");
        fields.field("specification", self.specification());
        fields.field("shape", &self.shape).field("over", &self.over).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Algorithm, Operation, Ports};

    fn all_reduce(algorithm: Algorithm, lengths: &[u64], over: &[usize]) -> Result<Groups, CollectiveError> {
        let shape = Shape::new(lengths).unwrap();
        let plain = CollectiveSpecification::new(Operation::AllReduce, algorithm, shape, 77);
        let ports = if algorithm == Algorithm::Bucket { Ports::All } else { Ports::One };
        Groups::new(CollectiveSpecification { compute_cycles: 7, ports, ..plain }, over)
    }

    #[test]
    fn every_message_of_a_group_is_one_of_its_algorithm() {
        for over in [&[0][..], &[1], &[0, 1], &[2, 0], &[0, 1, 2]] {
            let groups = all_reduce(Algorithm::Bucket, &[3, 2, 4], over).unwrap();
            let algorithm = groups.algorithm();
            let mut total = 0;
            for stage in 0..groups.stage_count() {
                let (mut sent, mut received) = (vec![], vec![]);
                for process in ProcessId::first(groups.process_count()) {
                    let (first, place) = groups.position(process);
                    let (mut mine, mut of_group) = (vec![], vec![]);
                    groups.list(End::Source, stage, process, &mut |to, units| mine.push((to, units)));
                    algorithm.list(stage, place, End::Source, &mut |to, units| of_group.push((to, units)));
                    assert!(mine.is_sorted_by(|a, b| a.0 < b.0));
                    let placed = mine.iter().map(|&(to, units)| (groups.position(to), units));
                    assert!(placed.eq(of_group.into_iter().map(|(to, units)| ((first, to), units))));
                    sent.extend(mine.into_iter().map(|(to, units)| (process, to, units)));
                    groups.list(End::Destination, stage, process, &mut |from, units| {
                        received.push((from, process, units));
                    });
                    total += u128::from(groups.computation(stage, process));
                }
                received.sort_unstable();
                assert_eq!(sent, received);
            }
            assert_eq!(total, groups.facts().total_compute);
        }
    }

    #[test]
    fn dimensions_that_the_shape_does_not_have_are_refused() {
        for over in [&[][..], &[3], &[1, 1]] {
            let refused = all_reduce(Algorithm::Ring, &[2, 3, 4], over).unwrap_err();
            assert_eq!(refused, CollectiveError::Dimensions { found: over.to_vec(), greatest: 2 });
        }
        assert!(all_reduce(Algorithm::Mirrored, &[2, 3, 4], &[0, 2]).is_ok());
        assert!(all_reduce(Algorithm::Mirrored, &[2, 3, 4], &[0, 1]).is_err());
    }
}
