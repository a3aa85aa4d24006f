//! Algorithms of collectives: the registry, and the descriptors that it lists.
//!
//! An algorithm is a file with an [`AlgorithmDescriptor`]: its name, operations, shapes and source,
//! and the function that makes its [`Plan`], and a line in the registry below. Names, help,
//! documentation and tests derive from the registry.

use std::fmt;

use cubefold_topology::narrow;

use crate::{
    Operation,
    plan::{Plan, PlanContext},
    schedule::End,
    specification::{CollectiveSpecification, Ports},
};

mod all_to_all;
mod binary_tree;
mod bine;
mod bruck;
mod bucket;
mod channels;
mod direct;
mod dissemination;
mod folded;
mod line_pattern;
mod pattern;
mod recursive_doubling;
mod ring;
mod shape_requirement;
mod swing;
mod tree;
mod trivance;

pub(crate) use channels::first_device;
pub(crate) use recursive_doubling::is_cube_order;
pub use shape_requirement::ShapeRequirement;

/// Declares [`Algorithm`] and [`ALGORITHMS`] from one list.
macro_rules! registry {
    ($($(#[$documentation:meta])* $algorithm:ident = $descriptor:path;)*) => {
        /// An algorithm of one or more operations (`docs/model.md` section 16).
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Algorithm {
            $($(#[$documentation])* $algorithm,)*
        }

        /// Every algorithm, in the order of help and documentation.
        pub static ALGORITHMS: &[&AlgorithmDescriptor] = &[$(&$descriptor,)*];

        impl Algorithm {
            /// Every algorithm, in the order of [`ALGORITHMS`].
            pub const ALL: [Self; ALGORITHMS.len()] = [$(Self::$algorithm,)*];
        }
    };
}

registry! {
    /// Partners across one bit of a coordinate.
    RecursiveDoubling = recursive_doubling::RECURSIVE_DOUBLING;
    /// Recursive doubling with every partner on the other side.
    Mirrored = recursive_doubling::MIRRORED;
    /// Partners at distances 1, 1, 3, 5, 11, .. alternately on either side.
    Swing = swing::SWING;
    /// Swing on the ranks in a row, and negabinary trees.
    Bine = bine::BINE;
    /// Partners on both sides at distances 1, 3, 9, ...
    Trivance = trivance::TRIVANCE;
    /// One ring through all ranks.
    Ring = ring::RING;
    /// Two rings in opposite directions.
    BidirectionalRing = ring::BIDIRECTIONAL_RING;
    /// Four rings on two edge-disjoint Hamiltonian cycles.
    HamiltonianRings = ring::HAMILTONIAN_RINGS;
    /// Rings in one dimension after another.
    Bucket = bucket::BUCKET;
    /// Powers of two around the ring of all ranks.
    Bruck = bruck::BRUCK;
    /// A binomial tree.
    Binomial = tree::BINOMIAL;
    /// A binomial scatter and a ring all-gather.
    ScatterAllGather = tree::SCATTER_ALL_GATHER;
    /// A binary tree, in chunks.
    Tree = binary_tree::TREE;
    /// Two binary trees side by side, in chunks.
    DoubleTree = binary_tree::DOUBLE_TREE;
    /// Every rank with every other, in one stage.
    Direct = direct::DIRECT;
    /// One partner a stage.
    Pairwise = all_to_all::PAIRWISE;
    /// All processes of a line with each other, a dimension a stage.
    ByDimension = all_to_all::BY_DIMENSION;
    /// One unit to the process at distance 1, 2, 4, ...
    Dissemination = dissemination::DISSEMINATION;
}

impl Algorithm {
    /// Returns the name, operations, shapes and source.
    #[must_use]
    pub fn descriptor(self) -> &'static AlgorithmDescriptor {
        ALGORITHMS[self as usize]
    }

    /// Returns the name in files.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.descriptor().name
    }
}

impl fmt::Display for Algorithm {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// The number of shares of the vector that an algorithm moves side by side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShareRule {
    /// The whole vector.
    One,
    /// Halves.
    Two,
    /// Quarters.
    Four,
    /// One share with one port, two shares a dimension with all ports.
    Ports,
}

impl ShareRule {
    /// Returns the number of shares in `dimension_count` dimensions.
    pub(crate) fn share_count(self, ports: Ports, dimension_count: usize) -> usize {
        match (self, ports) {
            (Self::One, _) | (Self::Ports, Ports::One) => 1,
            (Self::Two, _) => 2,
            (Self::Four, _) => 4,
            (Self::Ports, Ports::All) => 2 * dimension_count,
        }
    }
}

/// The name of an algorithm, its purpose, its source, and its plan.
#[derive(Debug)]
pub struct AlgorithmDescriptor {
    /// The name in files.
    pub name: &'static str,
    /// A line for help.
    pub summary: &'static str,
    /// Authors and year.
    pub source: &'static str,
    /// The operations that it performs.
    pub operations: &'static [Operation],
    /// The operations among them with a choice of [`Exchange`](crate::Exchange).
    pub exchange_operations: &'static [Operation],
    /// The number of shares; with [`ShareRule::Ports`] there is a choice of [`Ports`].
    pub shares: ShareRule,
    /// The operations that run as channels through the devices of nodes.
    pub channel_operations: &'static [Operation],
    /// Whether a share is divided into pipelined chunks, not into a block for each rank.
    pub has_chunks: bool,
    /// The shapes for which it is defined.
    pub shapes: ShapeRequirement,
    /// The shapes for which it is defined with [`Exchange::Whole`](crate::Exchange::Whole).
    pub whole_shapes: ShapeRequirement,
    /// Returns an upper bound on the memory of the tables of its plan, blocks apart \[bytes\].
    pub(crate) table_bytes: fn(&CollectiveSpecification) -> u64,
    /// Returns the phases of a collective.
    pub(crate) plan: fn(&PlanContext) -> Plan,
}

impl AlgorithmDescriptor {
    /// An algorithm of one share on any shape, without a choice of exchange or ports, to be completed
    /// by a name, operations and a plan.
    pub(crate) const BLANK: Self = Self {
        name: "",
        summary: "",
        source: "",
        operations: &[],
        exchange_operations: &[],
        shares: ShareRule::One,
        channel_operations: &[],
        has_chunks: false,
        shapes: ShapeRequirement::Any,
        whole_shapes: ShapeRequirement::Any,
        table_bytes: |_| 0,
        plan: |_| Plan { phases: vec![] },
    };

    /// Whether there is a choice of ports.
    #[must_use]
    pub fn has_ports(&self) -> bool {
        self.shares == ShareRule::Ports
    }

    /// Whether there is a choice of exchange for an operation.
    #[must_use]
    pub fn has_exchange(&self, operation: Operation) -> bool {
        self.exchange_operations.contains(&operation)
    }

    /// Whether the algorithm has a choice of exchange for another operation and always halves in this one, as
    /// patterns do in reduce-scatter and all-gather.
    #[must_use]
    pub fn always_halves(&self, operation: Operation) -> bool {
        matches!(operation, Operation::ReduceScatter | Operation::AllGather)
            && !self.exchange_operations.is_empty()
            && self.operations.contains(&operation)
            && !self.has_exchange(operation)
    }
}

/// Half of an all-reduce, for schedules that serve both.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Half {
    ReduceScatter,
    AllGather,
}

impl Half {
    /// Returns the distance of a block from its own rank before a stage of a ring \[ranks\].
    fn distance(self, stage: usize) -> u32 {
        let stage = narrow(stage as u64);
        match self {
            Self::ReduceScatter => stage + 1,
            Self::AllGather => stage,
        }
    }
}

/// Returns `a + b` modulo a number of ranks, of numbers up to it.
fn add_modulo(a: u32, b: u32, count: u32) -> u32 {
    let sum = u64::from(a) + u64::from(b);
    narrow(if sum >= count.into() { sum - u64::from(count) } else { sum })
}

/// Returns the rank at the other end of a message that has `rank` at `end` and goes from its source `distance <= count` ranks
/// on, modulo `count`.
fn other_end(rank: u32, distance: u32, count: u32, end: End) -> u32 {
    add_modulo(rank, if end == End::Source { distance } else { count - distance }, count)
}

/// Returns `ceil(log2 count)`, of a count of at least 1.
fn ceil_log2(count: u32) -> usize {
    (u32::BITS - (count - 1).leading_zeros()) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exchanges_are_chosen_for_operations_that_the_algorithm_performs() {
        for algorithm in ALGORITHMS {
            assert!(
                algorithm
                    .exchange_operations
                    .iter()
                    .all(|operation| algorithm.operations.contains(operation))
            );
        }
    }

    #[test]
    fn logarithms_are_rounded_up() {
        assert_eq!([1, 2, 3, 4, 5, 8, 9].map(ceil_log2), [0, 1, 2, 2, 3, 3, 4]);
    }
}
