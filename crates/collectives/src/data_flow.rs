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
mod tests;
