//! Data flow: the contents of every message, and a symbolic replay that checks an algorithm.
//!
//! The replay keeps, for every rank and block of a share, the set of ranks whose inputs have been
//! combined there. A message that is reduced adds a set, which must be disjoint; one that is copied
//! must carry a finished block. Items of an all-to-all and the tokens of a barrier are sets as well.
//! A message carries what its source had when the stage began. Where a scatter or reduce-scatter
//! ends and an all-gather begins, each rank is assumed to have only its own block, so that a missing
//! message is noticed (`docs/model.md` section 16).

use crate::{
    Groups, Operation, Payload,
    group_algorithm::GroupAlgorithm,
    schedule::{End, Place},
};

/// The most ranks of a collective that can be replayed.
pub const MAX_REPLAYED_RANKS: u64 = 64;

/// A message between ranks, with its contents.
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
    /// Its contents, empty blocks included.
    pub payload: Payload,
    /// Whether the contents are reduced with the destination's, or replace them.
    pub is_reduced: bool,
}

/// A data flow that does not perform its operation.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DataFlowError {
    /// A group has too many ranks.
    #[error("{found} ranks, expected at most {MAX_REPLAYED_RANKS}")]
    TooManyRanks {
        /// The number found.
        found: u64,
    },
    /// The size of a message differs from the size of its contents.
    #[error("{} units from {} to {} in stage {}, expected {expected}", message.units, message.source, message.destination, message.stage)]
    Size {
        /// The message.
        message: FlowMessage,
        /// The size of its contents \[units\].
        expected: u64,
    },
    /// A message carries a block that its source does not have.
    #[error("rank {} sends {block} of share {} in stage {} without having it", message.source, message.share, message.stage)]
    NotHeld {
        /// The message.
        message: FlowMessage,
        /// The block, or the origin of the item.
        block: u32,
    },
    /// An input is combined with a sum that contains it already.
    #[error("rank {} reduces block {block} of share {} twice in stage {}", message.destination, message.share, message.stage)]
    ReducedTwice {
        /// The message.
        message: FlowMessage,
        /// The block.
        block: u32,
    },
    /// A rank lacks a block of the result, or of the start of the next phase.
    #[error("rank {rank} lacks {block} of share {share} after {stages} stages")]
    Incomplete {
        /// The share.
        share: u32,
        /// The rank.
        rank: u32,
        /// The block, or the origin of the item or token.
        block: u32,
        /// The number of completed stages.
        stages: usize,
    },
}

impl Groups {
    /// Returns the messages of a stage between ranks of one group, by source, then destination, with
    /// ranks as numbers in the group. Messages between the shares of a rank carry no data and are
    /// left out.
    ///
    /// # Panics
    ///
    /// When there is no such stage.
    ///
    /// # Complexity
    ///
    /// Payloads are enumerated: up to `P` blocks, or `P^2` items, a message.
    pub fn flow(&self, stage: usize) -> impl Iterator<Item = FlowMessage> + '_ {
        self.algorithm().flow(stage)
    }

    /// Replays the data flow of a group and checks that it performs its operation.
    ///
    /// # Errors
    ///
    /// When there are more than [`MAX_REPLAYED_RANKS`] ranks in a group; when a size differs from that of
    /// the payload, a message carries blocks that its source does not have, an input is reduced twice, or
    /// a rank ends without its part of the result.
    pub fn check_data_flow(&self) -> Result<(), DataFlowError> {
        self.algorithm().replay(Some)
    }
}

impl GroupAlgorithm {
    fn flow(&self, stage: usize) -> impl Iterator<Item = FlowMessage> + '_ {
        let (_, phase, within) = self.locate(stage);
        phase.messages().into_iter().flat_map(move |phase| {
            self.places().flat_map(move |Place { share, rank: source }| {
                let mut messages = vec![];
                phase.list(within, Place { share, rank: source }, End::Source, &mut |destination, units| {
                    let payload = phase.payload(within, share, source, destination);
                    let is_reduced = phase.is_reducing;
                    messages.push(FlowMessage {
                        stage,
                        share,
                        source,
                        destination,
                        units,
                        payload,
                        is_reduced,
                    });
                });
                messages
            })
        })
    }

    /// Replays the messages after `alter` has changed them.
    fn replay(&self, mut alter: impl FnMut(FlowMessage) -> Option<FlowMessage>) -> Result<(), DataFlowError> {
        if u64::from(self.rank_count()) > MAX_REPLAYED_RANKS {
            return Err(DataFlowError::TooManyRanks { found: self.rank_count().into() });
        }
        let mut shares: Vec<ShareState> =
            (0..self.share_count()).map(|share| ShareState::new(self, share)).collect();
        let mut last_exchange = None;
        for stage in 0..self.stage_count() {
            let (number, phase, _) = self.locate(stage);
            if let Some(phase) = phase.messages() {
                // The blocks are chunks, or belong to participants, not to ranks.
                let asked = self.specification();
                let hands_over = !asked.algorithm.descriptor().has_chunks
                    && !asked.is_folded()
                    && last_exchange.is_some_and(|(last, was_reducing)| {
                        last != number
                            && (was_reducing != phase.is_reducing || self.operation() == Operation::Broadcast)
                    });
                if hands_over {
                    shares.iter_mut().try_for_each(|share| share.keep_own_blocks(stage))?;
                }
                last_exchange = Some((number, phase.is_reducing));
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

/// The blocks of a share that every rank has.
#[derive(Debug, Clone)]
struct ShareState {
    share: u32,
    rank_count: u32,
    block_count: u32,
    all: u64,        // the set of all ranks
    sizes: Vec<u64>, // of the blocks
    sets: Vec<u64>, // by rank, then block: the ranks whose inputs are in it; then origin: the destinations of items
}

impl ShareState {
    /// Returns the state before the first stage.
    fn new(algorithm: &GroupAlgorithm, share: u32) -> Self {
        let rank_count = algorithm.rank_count();
        let all = u64::MAX >> (64 - rank_count);
        let root = algorithm.specification().root;
        let initial = |rank: u32, block: u32| match algorithm.operation() {
            Operation::AllReduce | Operation::ReduceScatter | Operation::Reduce => 1 << rank,
            Operation::AllGather | Operation::Gather | Operation::AllToAll | Operation::Barrier => {
                if rank == block { all } else { 0 }
            }
            Operation::Broadcast | Operation::Scatter if rank == root => all,
            Operation::Broadcast | Operation::Scatter => 0,
        };
        let (ranks, block_count) = (0..rank_count, algorithm.block_count());
        let sets = ranks.flat_map(|rank| (0..block_count).map(move |block| initial(rank, block)));
        let sizes = (0..block_count).map(|block| match algorithm.operation() {
            Operation::Barrier => 1,
            _ => algorithm.block_units(share, block),
        });
        Self { share, rank_count, block_count, all, sizes: sizes.collect(), sets: sets.collect() }
    }

    fn at(&self, rank: u32, block: u32) -> usize {
        (rank * self.block_count + block) as usize
    }

    /// Adds the contents of a message, taken from the sets before the stage.
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

    /// Checks that every rank has its part of the result.
    fn check_end(&self, algorithm: &GroupAlgorithm) -> Result<(), DataFlowError> {
        let (operation, root) = (algorithm.operation(), algorithm.specification().root);
        for rank in 0..self.rank_count {
            for block in 0..self.block_count {
                let (is_promised, needed, sized) = match operation {
                    Operation::ReduceScatter | Operation::Scatter => (rank == block, self.all, block),
                    Operation::Reduce | Operation::Gather => (rank == root, self.all, block),
                    // By origin: the item for this rank.
                    Operation::AllToAll => (true, 1 << rank, rank),
                    Operation::AllReduce
                    | Operation::AllGather
                    | Operation::Broadcast
                    | Operation::Barrier => (true, self.all, block),
                };
                if is_promised && self.sizes[sized as usize] > 0 {
                    self.check_set(rank, block, needed, algorithm.stage_count())?;
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
