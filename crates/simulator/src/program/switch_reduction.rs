//! Collectives that switches combine on the way, as NVLS and SHARP do (`docs/model.md` section 16).
//!
//! A rank has two shares: one sends its chunks, the other receives the results. Switch `v` of the machine is process
//! `2 P + v`. The trees of switches depend on the nodes of the ranks, and so belong to the engine.

use std::num::NonZeroU64;

use cubefold_topology::ClimbingSide;

use crate::Cycles;

/// An operation of switches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SwitchOperation {
    /// Every rank receives the sum of all vectors.
    AllReduce,
    /// Rank `r` of a group gets block `r` of the sum.
    ReduceScatter,
    /// Every rank gets the blocks of all.
    AllGather,
}

/// A collective of groups of ranks by reduction in switches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SwitchReduction {
    /// The operation.
    pub operation: SwitchOperation,
    /// The switches that combine.
    pub side: ClimbingSide,
    /// The ranks of each group, in the order of their lowest ranks; together they are all ranks, each once.
    pub groups: Vec<Vec<u32>>,
    /// The sizes of the chunks, at least one, each at least 1 \[units\].
    pub chunks: Vec<u64>,
    /// The computation of a rank before each chunk.
    pub compute: Cycles,
    /// The units that a switch combines in a cycle; `None` if combining takes 0 cycles.
    pub units_per_cycle: Option<NonZeroU64>,
}

impl SwitchReduction {
    /// The shares of a rank.
    pub const SHARES: u32 = 2;

    /// The size of the block of a place of a group of `ranks` in a chunk \[units\].
    #[must_use]
    pub fn block(&self, chunk: usize, place: u64, ranks: u64) -> u64 {
        let start = |place: u64| u128::from(self.chunks[chunk]) * u128::from(place) / u128::from(ranks);
        u64::try_from(start(place + 1) - start(place)).unwrap_or(u64::MAX) // at most the chunk
    }

    /// The units of a chunk that go up from a vertex, and down to it, which has blocks of `below` units below.
    #[must_use]
    pub fn sizes(&self, chunk: usize, below: u64) -> [u64; 2] {
        let whole = self.chunks[chunk];
        match self.operation {
            SwitchOperation::AllReduce => [whole, whole],
            SwitchOperation::ReduceScatter => [whole, below],
            SwitchOperation::AllGather => [below, whole],
        }
    }

    /// The time for which a switch combines arrivals of `units` units.
    #[must_use]
    pub fn time_to_combine(&self, units: u64) -> Cycles {
        match (self.operation, self.units_per_cycle) {
            (SwitchOperation::AllGather, _) | (_, None) => Cycles::ZERO,
            (SwitchOperation::AllReduce | SwitchOperation::ReduceScatter, Some(rate)) => {
                Cycles::new(units.div_ceil(rate.get()))
            }
        }
    }
}
