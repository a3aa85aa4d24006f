//! Operations: the promise of a collective, independent of the algorithm (`docs/model.md` section 16).

use std::fmt;

/// An operation of a collective on `P` ranks and a vector of `M` units.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Operation {
    /// Every rank has the sum of all inputs.
    AllReduce,
    /// Rank `r` has block `r` of the sum of all inputs.
    ReduceScatter,
    /// Every rank has all blocks, of which rank `r` had block `r`.
    AllGather,
    /// Every rank has the root's vector.
    Broadcast,
    /// The root has the sum of all inputs.
    Reduce,
    /// The root has all blocks, of which rank `r` had block `r`.
    Gather,
    /// Rank `r` has block `r` of the root's vector.
    Scatter,
    /// Rank `r` has block `r` of every rank's vector.
    AllToAll,
    /// No rank ends before every rank has begun.
    Barrier,
}

/// An operation as help and documentation describe it.
#[derive(Debug)]
pub struct OperationDescriptor {
    /// The operation.
    pub operation: Operation,
    /// The name in files.
    pub name: &'static str,
    /// A line for help: the result at each rank.
    pub summary: &'static str,
    /// The meaning of the vector of `M` units.
    pub vector: &'static str,
    /// Whether one rank, the root, differs from the others.
    pub has_root: bool,
    /// Whether inputs are combined.
    pub reduces: bool,
}

/// Every operation, in the order of help and documentation.
pub static OPERATIONS: &[OperationDescriptor] = &[
    OperationDescriptor {
        operation: Operation::AllReduce,
        name: "all-reduce",
        summary: "every process has the sum of all inputs",
        vector: "the input of each process",
        has_root: false,
        reduces: true,
    },
    OperationDescriptor {
        operation: Operation::ReduceScatter,
        name: "reduce-scatter",
        summary: "process r has block r of the sum of all inputs",
        vector: "the input of each process",
        has_root: false,
        reduces: true,
    },
    OperationDescriptor {
        operation: Operation::AllGather,
        name: "all-gather",
        summary: "every process has all blocks, of which process r had block r",
        vector: "the result",
        has_root: false,
        reduces: false,
    },
    OperationDescriptor {
        operation: Operation::Broadcast,
        name: "broadcast",
        summary: "every process has the vector of the root",
        vector: "the result",
        has_root: true,
        reduces: false,
    },
    OperationDescriptor {
        operation: Operation::Reduce,
        name: "reduce",
        summary: "the root has the sum of all inputs",
        vector: "the input of each process",
        has_root: true,
        reduces: true,
    },
    OperationDescriptor {
        operation: Operation::Gather,
        name: "gather",
        summary: "the root has all blocks, of which process r had block r",
        vector: "the result",
        has_root: true,
        reduces: false,
    },
    OperationDescriptor {
        operation: Operation::Scatter,
        name: "scatter",
        summary: "process r has block r of the vector of the root",
        vector: "the input of the root",
        has_root: true,
        reduces: false,
    },
    OperationDescriptor {
        operation: Operation::AllToAll,
        name: "all-to-all",
        summary: "process r has block r of the vector of every process",
        vector: "the input of each process",
        has_root: false,
        reduces: false,
    },
    OperationDescriptor {
        operation: Operation::Barrier,
        name: "barrier",
        summary: "no process ends before every process has begun",
        vector: "none: messages have 1 unit",
        has_root: false,
        reduces: false,
    },
];

impl Operation {
    /// Every operation, in the order of [`OPERATIONS`].
    pub const ALL: [Self; OPERATIONS.len()] = {
        let mut all = [Self::AllReduce; OPERATIONS.len()];
        let mut at = 0;
        while at < all.len() {
            all[at] = OPERATIONS[at].operation;
            assert!(all[at] as usize == at, "operations are declared in the order of OPERATIONS");
            at += 1;
        }
        all
    };

    /// Returns the name and the promise of the operation.
    #[must_use]
    pub fn descriptor(self) -> &'static OperationDescriptor {
        &OPERATIONS[self as usize]
    }

    /// Returns the name in files.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.descriptor().name
    }
}

impl fmt::Display for Operation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}
