//! Collective operations as benchmarks measure them: the data that passes a rank, and the number of consecutive
//! steps.
//!
//! The share of a vector is the factor in the bus bandwidth of nccl-tests (`doc/PERFORMANCE.md`). NCCL uses rings.
//! MPI libraries send short vectors in `ceil(log2 P)` rounds (Thakur, Rabenseifner & Gropp 2005), which determine
//! the startup; the share of the vector holds for long ones.

use cubefold_derive::Words;

use super::measurement::SeriesKind;

pub(super) const MAX_RANKS: u32 = 1 << 20;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Words)]
pub(super) enum Operation {
    AllReduce,
    ReduceScatter,
    AllGather,
    AllToAll,
    Broadcast,
    Reduce,
    Gather,
    Scatter,
    #[word("all-gather by recursive doubling")]
    Hypercube,
}

/// The algorithm whose steps a benchmark times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Steps {
    /// The rings of NCCL, or one step for operations that send everything at once.
    Ring,
    /// The rounds of MPI libraries.
    Rounds,
}

/// The meaning of the sizes that a benchmark prints.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SizeOf {
    /// The whole vector.
    Vector,
    /// The part of one rank, or of one pair.
    Part,
}

impl Operation {
    /// The series that times this operation among `ranks` ranks, from 2 to [`MAX_RANKS`].
    pub(super) fn among(self, ranks: u32, steps: Steps, size: SizeOf) -> SeriesKind {
        let count = f64::from(ranks);
        let part = (count - 1.0) / count;
        let (share, ring_steps) = match self {
            Self::AllReduce => (2.0 * part, 2 * (ranks - 1)),
            Self::ReduceScatter | Self::AllGather => (part, ranks - 1),
            Self::Broadcast | Self::Reduce => (1.0, ranks - 1),
            Self::AllToAll | Self::Gather | Self::Scatter => (part, 1),
            Self::Hypercube => (part, rounds(ranks)),
        };
        let steps = match steps {
            Steps::Ring => ring_steps,
            Steps::Rounds => rounds(ranks),
        };
        let wire_share = match size {
            SizeOf::Vector => share,
            SizeOf::Part => share * count,
        };
        SeriesKind::Collective { name: self.name(), ranks, steps, wire_share }
    }
}

/// `ceil(log2 P)`, at least 1.
fn rounds(ranks: u32) -> u32 {
    ranks.next_power_of_two().trailing_zeros().max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_those_of_the_bus_bandwidth() {
        let of = |operation: Operation, steps, size| match operation.among(8, steps, size) {
            SeriesKind::Collective { steps, wire_share, .. } => (steps, wire_share),
            SeriesKind::Single | SeriesKind::Streaming => unreachable!("a collective"),
        };
        assert_eq!(of(Operation::AllReduce, Steps::Ring, SizeOf::Vector), (14, 1.75));
        assert_eq!(of(Operation::AllGather, Steps::Ring, SizeOf::Vector), (7, 0.875));
        assert_eq!(of(Operation::AllGather, Steps::Rounds, SizeOf::Part), (3, 7.0));
        assert_eq!(of(Operation::AllToAll, Steps::Ring, SizeOf::Vector), (1, 0.875));
        assert_eq!(of(Operation::Broadcast, Steps::Rounds, SizeOf::Vector), (3, 1.0));
        assert_eq!([2, 3, 4, 5, 8, 9].map(rounds), [1, 2, 2, 3, 3, 4]);
    }
}
