//! Links, and the two channels of each.

use crate::{Direction, HostDimension, NodeId};

/// The connection between two neighbouring nodes.
///
/// ```text
/// ring of 4:   0 ==== 1 ==== 2 ==== 3 ====(0)      link of `near` 3 is the wraparound link
///                 +→     +→     +→     +→
///                 ←-     ←-     ←-     ←-
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Link {
    /// The end from which `+` leads over the link.
    pub near: NodeId,
    /// The dimension it lies in.
    pub dimension: HostDimension,
}

/// One direction of a link: what carries a message from `node` to its neighbour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Channel {
    /// The node that transmits on it.
    pub node: NodeId,
    /// Where it leads.
    pub direction: Direction,
}
