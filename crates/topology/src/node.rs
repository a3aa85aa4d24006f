//! Host nodes.

use std::fmt;

/// A node of a host, by its index (`docs/model.md` section 1): not a process of a guest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(u32);

/// An index that is no node of a machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("node {index}, expected 0 to {greatest}")]
pub struct NodeError {
    /// The index found.
    pub index: u64,
    /// The greatest index of the machine.
    pub greatest: u64,
}

impl NodeId {
    /// The node with this index. Whether a machine has it is for [`Machine::node`](crate::Machine::node)
    /// to say.
    #[must_use]
    pub const fn new(index: u32) -> Self {
        Self(index)
    }

    /// The index.
    #[must_use]
    pub const fn index(self) -> u32 {
        self.0
    }
}

impl fmt::Display for NodeId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}
