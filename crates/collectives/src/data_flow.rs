//! Data flow: what every message carries, and a symbolic replay that checks a collective.
//!
//! The replay keeps, for every rank and block of a share, the set of ranks whose inputs have been
//! combined there. A message that is reduced adds a set, which must be disjoint; one that is copied
//! must carry a finished block. Items of an all-to-all and the tokens of a barrier are sets as well.
//! A message carries what its source had when the stage began. Where a scatter or reduce-scatter
//! ends and an all-gather begins, each rank is taken to have its own block only, so that no message
//! can be left out unnoticed (`docs/model.md` section 16).

use cubefold_mapping::ProcessId;
use cubefold_topology::narrow;

use crate::{Collective, Operation, Payload, algorithm::Phase};

/// The most ranks of a collective that can be replayed.
pub const MAX_REPLAYED_RANKS: u64 = 64;

/// A message of a collective between ranks, with what it carries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FlowMessage {
    /// The stage.
    pub stage: usize,
    /// The share.
    pub share: u32,
    /// The rank that sends it.
    pub source: u32,
    /// The rank that receives it.
    pub destination: u32,
    /// Its size \[units\], at least 1.
    pub units: u64,
    /// What it carries, empty blocks included.
    pub payload: Payload,
    /// Whether that is reduced with what the destination has, or replaces it.
    pub is_reduced: bool,
}

/// A data flow that does not perform its operation.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DataFlowError {
    /// The collective has too many ranks.
    #[error("{found} ranks, expected at most {MAX_REPLAYED_RANKS}")]
    TooManyRanks {
        /// The number found.
        found: u64,
    },
    /// The size of a message is not that of what it carries.
    #[error("{} units from {} to {} in stage {}, expected {expected}", message.units, message.source, message.destination, message.stage)]
    Size {
        /// The message.
        message: FlowMessage,
        /// The size of what it carries \[units\].
        expected: u64,
    },
    /// A message carries what its source does not have.
    #[error("rank {} sends {block} of share {} in stage {} without having it", message.source, message.share, message.stage)]
    NotHeld {
        /// The message.
        message: FlowMessage,
        /// The block, or the origin of the item.
        block: u32,
    },
    /// An input is combined with a sum that has it already.
    #[error("rank {} reduces block {block} of share {} twice in stage {}", message.destination, message.share, message.stage)]
    ReducedTwice {
        /// The message.
        message: FlowMessage,
        /// The block.
        block: u32,
    },
    /// A rank does not have what the operation promises, or what the next phase begins with.
    #[error("rank {rank} lacks {block} of share {share} after {stages} stages")]
    Incomplete {
        /// The share.
        share: u32,
        /// The rank.
        rank: u32,
        /// The block, or the origin of the item or token.
        block: u32,
        /// The number of stages that are over.
        stages: usize,
    },
}

impl Collective {
    /// The messages of a stage between ranks, by source, then destination. Messages between the
    /// shares of a rank carry no data and are not among them.
    ///
    /// # Panics
    ///
    /// When there is no such stage.
    ///
    /// # Complexity
    ///
    /// Payloads are enumerated: up to `P` blocks, or `P^2` items, a message.
    pub fn flow(&self, stage: usize) -> impl Iterator<Item = FlowMessage> + '_ {
        let (_, phase) = self.phase(stage);
        let (is_exchange, is_reduced) = match phase {
            Phase::Messages { is_reducing, .. } => (true, is_reducing),
            Phase::Synchronisation | Phase::Reduction => (false, false),
        };
        let processes = ProcessId::first(if is_exchange { self.process_count() } else { 0 });
        processes.flat_map(move |process| {
            self.sends(stage, process).map(move |(to, units)| {
                let (share, source, destination) = (self.share(process), self.rank(process), self.rank(to));
                let payload = self.payload(stage, share, source, destination);
                FlowMessage { stage, share, source, destination, units, payload, is_reduced }
            })
        })
    }

    /// Replays the data flow and checks that the collective performs its operation.
    ///
    /// # Errors
    ///
    /// When there are more than [`MAX_REPLAYED_RANKS`] ranks; when a size differs from that of the
    /// payload, a message carries what its source does not have, an input is reduced twice, or a
    /// rank ends without what is promised.
    pub fn check_data_flow(&self) -> Result<(), DataFlowError> {
        self.replay(Some)
    }

    /// Replays the messages that are left, as they are left, by `alter`.
    fn replay(&self, mut alter: impl FnMut(FlowMessage) -> Option<FlowMessage>) -> Result<(), DataFlowError> {
        if self.rank_count() > MAX_REPLAYED_RANKS {
            return Err(DataFlowError::TooManyRanks { found: self.rank_count() });
        }
        let mut shares: Vec<ShareState> =
            (0..self.share_count()).map(|share| ShareState::new(self, share)).collect();
        let mut last_exchange = None;
        for stage in 0..self.stage_count() {
            let (number, phase) = self.phase(stage);
            if let Phase::Messages { is_reducing, .. } = phase {
                let hands_over = last_exchange.is_some_and(|(last, was_reducing)| {
                    last != number
                        && (was_reducing != is_reducing || self.operation() == Operation::Broadcast)
                });
                if hands_over {
                    shares.iter_mut().try_for_each(|share| share.keep_own_blocks(stage))?;
                }
                last_exchange = Some((number, is_reducing));
            }
            let before: Vec<Vec<u64>> = shares.iter().map(|share| share.sets.clone()).collect();
            for message in self.flow(stage).filter_map(&mut alter) {
                let share = message.share as usize;
                shares[share].deliver(&before[share], message)?;
            }
        }
        shares.iter().try_for_each(|share| share.check_end(self))
    }
}

/// What every rank has of a share.
#[derive(Debug, Clone)]
struct ShareState {
    share: u32,
    rank_count: u32,
    all: u64,        // the set of all ranks
    sizes: Vec<u64>, // of the blocks
    sets: Vec<u64>, // by rank, then block: the ranks whose inputs are in it; then origin: the destinations of items
}

impl ShareState {
    /// Returns the state before the first stage.
    fn new(collective: &Collective, share: u32) -> Self {
        let rank_count = narrow(collective.rank_count());
        let all = u64::MAX >> (64 - rank_count);
        let root = collective.specification().root;
        let initial = |rank: u32, block: u32| match collective.operation() {
            Operation::AllReduce | Operation::ReduceScatter | Operation::Reduce => 1 << rank,
            Operation::AllGather | Operation::Gather | Operation::AllToAll | Operation::Barrier => {
                if rank == block { all } else { 0 }
            }
            Operation::Broadcast | Operation::Scatter => {
                if rank == root {
                    all
                } else {
                    0
                }
            }
        };
        let ranks = 0..rank_count;
        let sets = ranks.clone().flat_map(|rank| ranks.clone().map(move |block| initial(rank, block)));
        let sizes = ranks.clone().map(|block| match collective.operation() {
            Operation::Barrier => 1,
            _ => collective.block_units(share, block),
        });
        Self { share, rank_count, all, sizes: sizes.collect(), sets: sets.collect() }
    }

    fn at(&self, rank: u32, block: u32) -> usize {
        (rank * self.rank_count + block) as usize
    }

    /// Adds what a message carries, taken from the sets before the stage.
    fn deliver(&mut self, before: &[u64], message: FlowMessage) -> Result<(), DataFlowError> {
        let expected = match &message.payload {
            Payload::Blocks(blocks) => blocks.iter().map(|&block| self.sizes[block as usize]).sum(),
            Payload::Items(items) => items.iter().map(|&(_, to)| self.sizes[to as usize]).sum(),
            Payload::Token => 1,
        };
        if expected != message.units {
            return Err(DataFlowError::Size { message, expected });
        }
        match &message.payload {
            Payload::Blocks(blocks) => {
                blocks.iter().try_for_each(|&block| self.deliver_block(before, &message, block))
            }
            Payload::Items(items) => items.iter().try_for_each(|&(origin, to)| {
                let set = before[self.at(message.source, origin)];
                if self.sizes[to as usize] > 0 && set >> to & 1 == 0 {
                    return Err(DataFlowError::NotHeld { message: message.clone(), block: origin });
                }
                let at = self.at(message.destination, origin);
                self.sets[at] |= 1 << to;
                Ok(())
            }),
            Payload::Token => {
                for origin in 0..self.rank_count {
                    let at = self.at(message.destination, origin);
                    self.sets[at] |= before[self.at(message.source, origin)];
                }
                Ok(())
            }
        }
    }

    fn deliver_block(
        &mut self,
        before: &[u64],
        message: &FlowMessage,
        block: u32,
    ) -> Result<(), DataFlowError> {
        if self.sizes[block as usize] == 0 {
            return Ok(());
        }
        let incoming = before[self.at(message.source, block)];
        let at = self.at(message.destination, block);
        if message.is_reduced {
            if self.sets[at] & incoming != 0 {
                return Err(DataFlowError::ReducedTwice { message: message.clone(), block });
            }
            self.sets[at] |= incoming;
        } else {
            if incoming != self.all {
                return Err(DataFlowError::NotHeld { message: message.clone(), block });
            }
            self.sets[at] = incoming;
        }
        Ok(())
    }

    /// Checks that every rank has its own block, and forgets all others.
    fn keep_own_blocks(&mut self, stages: usize) -> Result<(), DataFlowError> {
        for rank in 0..self.rank_count {
            if self.sizes[rank as usize] > 0 {
                self.check_set(rank, rank, self.all, stages)?;
            }
            for block in (0..self.rank_count).filter(|&block| block != rank) {
                let at = self.at(rank, block);
                self.sets[at] = 0;
            }
        }
        Ok(())
    }

    fn check_set(&self, rank: u32, block: u32, needed: u64, stages: usize) -> Result<(), DataFlowError> {
        if self.sets[self.at(rank, block)] & needed == needed {
            return Ok(());
        }
        Err(DataFlowError::Incomplete { share: self.share, rank, block, stages })
    }

    /// Checks that every rank has what the operation promises.
    fn check_end(&self, collective: &Collective) -> Result<(), DataFlowError> {
        let root = collective.specification().root;
        for rank in 0..self.rank_count {
            for block in 0..self.rank_count {
                let (is_promised, needed, size) = match collective.operation() {
                    Operation::AllReduce
                    | Operation::AllGather
                    | Operation::Broadcast
                    | Operation::Barrier => (true, self.all, self.sizes[block as usize]),
                    Operation::ReduceScatter | Operation::Scatter => {
                        (rank == block, self.all, self.sizes[block as usize])
                    }
                    Operation::Reduce | Operation::Gather => {
                        (rank == root, self.all, self.sizes[block as usize])
                    }
                    // By origin: the item for this rank.
                    Operation::AllToAll => (true, 1 << rank, self.sizes[rank as usize]),
                };
                if is_promised && size > 0 {
                    self.check_set(rank, block, needed, collective.stage_count())?;
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::{
        collections::BTreeSet,
        num::{NonZeroU64, NonZeroUsize},
        sync::atomic::{AtomicUsize, Ordering},
    };

    use cubefold_topology::Shape;

    use super::*;
    use crate::{Algorithm, CollectiveSpecification, Exchange, Ports, ShareRule};

    /// Every shape of `rank_count` ranks with at most `dimension_count` dimensions, in every order
    /// of the sides.
    fn shapes(rank_count: u64, dimension_count: usize) -> Vec<Vec<u64>> {
        let mut shapes = vec![vec![rank_count]];
        if dimension_count > 1 {
            for first in (2..=rank_count / 2).filter(|&first| rank_count.is_multiple_of(first)) {
                let rest = self::shapes(rank_count / first, dimension_count - 1);
                shapes.extend(rest.into_iter().map(|rest| [vec![first], rest].concat()));
            }
        }
        shapes
    }

    /// Whether the logical shape makes a difference to an algorithm.
    fn uses_shape(algorithm: Algorithm) -> bool {
        use Algorithm::{
            Bucket, ByDimension, HamiltonianRings, Mirrored, RecursiveDoubling, Swing, Trivance,
        };
        matches!(
            algorithm,
            RecursiveDoubling | Mirrored | Swing | Trivance | HamiltonianRings | Bucket | ByDimension
        )
    }

    /// Every collective on a shape that there is, without a vector yet.
    fn specifications(lengths: &[u64]) -> Vec<CollectiveSpecification> {
        let shape = Shape::new(lengths).unwrap();
        let mut all = Vec::new();
        for algorithm in Algorithm::ALL {
            if lengths.len() > 1 && !uses_shape(algorithm) {
                continue;
            }
            let descriptor = algorithm.descriptor();
            for &operation in descriptor.operations {
                let exchanges: &[Option<Exchange>] = if descriptor.has_exchange(operation) {
                    &[Some(Exchange::Whole), Some(Exchange::Halving)]
                } else {
                    &[None]
                };
                let ports =
                    if descriptor.shares == ShareRule::Ports { &Ports::ALL[..] } else { &[Ports::One] };
                for &exchange in exchanges {
                    for &ports in ports {
                        let plain = CollectiveSpecification::new(operation, algorithm, shape.clone(), 0);
                        let asked = CollectiveSpecification { exchange, ports, ..plain };
                        all.extend(asked.check().is_ok().then_some(asked));
                    }
                }
            }
        }
        all
    }

    /// The specification with a vector of so many units and this root, where it has one.
    fn with_vector(plain: &CollectiveSpecification, vector_units: u64, root: u64) -> Collective {
        let root = if plain.operation.descriptor().has_root { narrow(root) } else { 0 };
        Collective::new(CollectiveSpecification { vector_units, root, ..plain.clone() }).unwrap()
    }

    fn assert_right(collective: &Collective) {
        let outcome = collective.check_data_flow();
        assert!(outcome.is_ok(), "{:?}: {outcome:?}", collective.specification());
    }

    /// Replays every collective on up to 64 processes, the larger ones first, on all processors: with the vectors that
    /// `vectors` returns for the number of ranks, and the root that `root` returns, modulo that number, for the turn on the
    /// shape and the vector.
    fn replay_all<V: Iterator<Item = u64>>(
        vectors: impl Fn(u64) -> V + Sync,
        root: impl Fn(u64, u64) -> u64 + Sync,
    ) {
        let on_shape = |(ranks, lengths): (u64, Vec<u64>)| {
            (0..).zip(specifications(&lengths)).map(move |(turn, plain)| (ranks, turn, plain))
        };
        let shapes =
            (2..=64).rev().flat_map(|ranks| shapes(ranks, 6).into_iter().map(move |own| (ranks, own)));
        let all: Vec<(u64, u64, CollectiveSpecification)> = shapes.flat_map(on_shape).collect();
        let next = AtomicUsize::new(0);
        let work = || {
            while let Some((ranks, turn, plain)) = all.get(next.fetch_add(1, Ordering::Relaxed)) {
                for units in vectors(*ranks) {
                    assert_right(&with_vector(plain, units, root(*turn, units) % ranks));
                }
            }
        };
        std::thread::scope(|scope| {
            for _ in 0..std::thread::available_parallelism().map_or(1, NonZeroUsize::get) {
                scope.spawn(work);
            }
        });
    }

    #[test]
    fn every_collective_on_up_to_64_processes_keeps_its_promise() {
        let vectors = |ranks| [1, ranks - 1, ranks, ranks + 1, 3 * ranks - 1].into_iter();
        replay_all(vectors, |turn, _| turn);
    }

    #[test]
    #[ignore = "takes minutes: every vector up to three units a process, on every shape up to 64 processes"]
    fn every_collective_keeps_its_promise_with_every_small_vector() {
        replay_all(|ranks| 1..=3 * ranks, |_, units| units);
    }

    #[test]
    fn leaving_out_or_changing_any_one_message_is_noticed() {
        for ranks in 2..=12 {
            for lengths in shapes(ranks, 3) {
                for plain in specifications(&lengths) {
                    let collective = with_vector(&plain, 2 * ranks + 1, ranks / 2);
                    let count: usize =
                        (0..collective.stage_count()).map(|at| collective.flow(at).count()).sum();
                    for broken in 0..count {
                        let break_one = |change: fn(FlowMessage) -> Option<FlowMessage>| {
                            let mut number = 0;
                            collective.replay(|message| {
                                number += 1;
                                if number == broken + 1 { change(message) } else { Some(message) }
                            })
                        };
                        let outcomes = [
                            break_one(|_| None),
                            break_one(|message| Some(FlowMessage { units: message.units + 1, ..message })),
                        ];
                        let seen = outcomes.iter().all(Result::is_err);
                        assert!(seen, "message {broken} of {:?}: {outcomes:?}", collective.specification());
                    }
                }
            }
        }
    }

    /// Checks that the two ends of every message agree, and the sums with what they sum.
    fn assert_consistent(collective: &Collective) {
        let processes = || ProcessId::first(collective.process_count());
        let (mut total, mut before, mut sizes) = (0, 0, BTreeSet::new());
        let mut seen = BTreeSet::new();
        for stage in 0..collective.stage_count() {
            let (mut outgoing, mut incoming) = (Vec::new(), Vec::new());
            for process in processes() {
                let sends: Vec<_> = collective.sends(stage, process).collect();
                let receives: Vec<_> = collective.receives(stage, process).collect();
                assert!(sends.is_sorted_by(|a, b| a.0 < b.0) && receives.is_sorted_by(|a, b| a.0 < b.0));
                assert!(sends.iter().all(|&(to, units)| collective.units(stage, process, to) == units));
                assert!(receives.len() <= collective.max_received());
                let cycles = collective.computation(stage, process);
                let reduced = collective.units_to_reduce(stage, process);
                let rate = collective.specification().reduce_units_per_cycle;
                let exchanges =
                    collective.locate(stage).is_ok() && !(sends.is_empty() && receives.is_empty());
                let expected = u64::from(exchanges) * collective.specification().compute_cycles
                    + rate.map_or(0, |rate| reduced.div_ceil(rate.get()));
                assert_eq!(cycles, expected);
                assert!(cycles <= collective.computations().longest_cycles);
                total += u128::from(cycles);
                outgoing.extend(sends.into_iter().map(|(to, units)| (process, to, units)));
                incoming.extend(receives.into_iter().map(|(from, units)| (from, process, units)));
            }
            incoming.sort_unstable();
            assert_eq!(outgoing, incoming);
            let largest = outgoing.iter().map(|message| message.2).max().unwrap_or(0);
            assert_eq!(collective.max_units(stage), largest);
            sizes.extend(outgoing.iter().map(|message| message.2));
            let pairs = || outgoing.iter().map(|&(from, to, _)| (from, to));
            let of_ranks =
                |(from, to): &(ProcessId, ProcessId)| collective.rank(*from) != collective.rank(*to);
            assert!(
                !collective.adds_no_pairs(stage) || pairs().filter(of_ranks).all(|own| seen.contains(&own))
            );
            seen.extend(pairs());
            let now = collective.max_units(stage);
            assert!(!collective.repeats(stage) || now == before);
            before = now;
        }
        assert_eq!(total, collective.computations().total_cycles);
        let one_size = sizes.first().copied().filter(|_| sizes.len() == 1);
        assert_eq!(collective.uniform_units(), one_size);
    }

    #[test]
    fn both_ends_of_every_message_agree_and_sums_are_those_of_all_stages() {
        let mut turn = 0;
        for ranks in 2..=30 {
            for lengths in shapes(ranks, 4) {
                for plain in specifications(&lengths) {
                    turn += 1;
                    let vector_units = [1, ranks - 1, ranks, ranks + 1, 3 * ranks - 1][turn % 5];
                    let reduce_units_per_cycle = NonZeroU64::new([0, 3][turn % 2]);
                    let asked = CollectiveSpecification {
                        vector_units,
                        compute_cycles: 7,
                        reduce_units_per_cycle,
                        ..plain
                    };
                    let collective = Collective::new(asked).unwrap();
                    assert_consistent(&collective);
                }
            }
        }
    }

    #[test]
    fn cubes_are_crossed_in_any_order() {
        let shape = Shape::new(&[4, 2, 4]).unwrap();
        let plain =
            CollectiveSpecification::new(Operation::AllReduce, Algorithm::RecursiveDoubling, shape, 77);
        for order in [[0, 1, 2, 3, 4], [4, 3, 2, 1, 0], [2, 4, 0, 3, 1]] {
            let ordered = CollectiveSpecification { cube_dimensions: Some(order.to_vec()), ..plain.clone() };
            let collective = Collective::new(ordered).unwrap();
            assert_right(&collective);
            for (stage, dimension) in order.into_iter().enumerate() {
                let to = collective.sends(stage, ProcessId::new(5)).next().unwrap().0;
                assert_eq!(to, ProcessId::new(5 ^ 1 << dimension));
            }
        }
    }
}
