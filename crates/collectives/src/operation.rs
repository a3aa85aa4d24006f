//! Operations: the promise of a collective, independent of the algorithm (`docs/model.md` section 16).

use std::fmt;

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

/// Declares [`Operation`] and [`OPERATIONS`] from one list.
macro_rules! registry {
    ($(
        $(#[$documentation:meta])*
        $operation:ident = $name:literal, has_root: $has_root:literal, reduces: $reduces:literal,
            summary: $summary:literal,
            vector: $vector:literal;
    )*) => {
        /// An operation of a collective on `P` ranks and a vector of `M` units.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Operation {
            $($(#[$documentation])* $operation,)*
        }

        /// Every operation, in the order of help and documentation.
        pub static OPERATIONS: &[OperationDescriptor] = &[$(OperationDescriptor {
            operation: Operation::$operation,
            name: $name,
            summary: $summary,
            vector: $vector,
            has_root: $has_root,
            reduces: $reduces,
        },)*];

        impl Operation {
            /// Every operation, in the order of [`OPERATIONS`].
            pub const ALL: [Self; OPERATIONS.len()] = [$(Self::$operation,)*];
        }
    };
}

registry! {
    /// Every rank has the sum of all inputs.
    AllReduce = "all-reduce", has_root: false, reduces: true,
        summary: "every process has the sum of all inputs",
        vector: "the input of each process";
    /// Rank `r` has block `r` of the sum of all inputs.
    ReduceScatter = "reduce-scatter", has_root: false, reduces: true,
        summary: "process r has block r of the sum of all inputs",
        vector: "the input of each process";
    /// Every rank has all blocks, of which rank `r` had block `r`.
    AllGather = "all-gather", has_root: false, reduces: false,
        summary: "every process has all blocks, of which process r had block r",
        vector: "the result";
    /// Every rank has the root's vector.
    Broadcast = "broadcast", has_root: true, reduces: false,
        summary: "every process has the vector of the root",
        vector: "the result";
    /// The root has the sum of all inputs.
    Reduce = "reduce", has_root: true, reduces: true,
        summary: "the root has the sum of all inputs",
        vector: "the input of each process";
    /// The root has all blocks, of which rank `r` had block `r`.
    Gather = "gather", has_root: true, reduces: false,
        summary: "the root has all blocks, of which process r had block r",
        vector: "the result";
    /// Rank `r` has block `r` of the root's vector.
    Scatter = "scatter", has_root: true, reduces: false,
        summary: "process r has block r of the vector of the root",
        vector: "the input of the root";
    /// Rank `r` has block `r` of every rank's vector.
    AllToAll = "all-to-all", has_root: false, reduces: false,
        summary: "process r has block r of the vector of every process",
        vector: "the input of each process";
    /// No rank ends before every rank has begun.
    Barrier = "barrier", has_root: false, reduces: false,
        summary: "no process ends before every process has begun",
        vector: "none: messages have 1 unit";
}

impl Operation {
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
