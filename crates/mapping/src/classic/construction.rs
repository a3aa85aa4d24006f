//! A construction of the notes: its descriptor, the pair of guest and host, and its plan.
//!
//! Each construction is described by one [`ClassicConstruction`] in the file that makes it;
//! [`ClassicConstruction::ALL`] lists them.

use std::fmt;

use cubefold_topology::{Machine, MachineKind, NodeId};

use super::{error::ClassicError, machines::network_dimensions};
use crate::{ProcessId, PromisedDilation};

/// A construction of CS838 1999, by which one guest is mapped on one host.
pub struct ClassicConstruction {
    /// Its name in files: `gray-path`.
    pub name: &'static str,
    /// The guests and hosts that it takes, in words.
    pub summary: &'static str,
    /// The dilation \[links\] that the notes state, as a formula in the letters of the summary.
    pub promised_dilation: &'static str,
    /// The heading of the notes under which it is found.
    pub source: &'static str,
    /// The nodes of the vertices; `None` for pairs that it does not take.
    pub(super) plan: fn(Pair<'_>) -> Option<Result<Plan, ClassicError>>,
}

impl fmt::Display for ClassicConstruction {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name)
    }
}

impl fmt::Debug for ClassicConstruction {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("ClassicConstruction").field(&self.name).finish()
    }
}

/// No two constructions share a name.
impl PartialEq for ClassicConstruction {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for ClassicConstruction {}

/// The random bit of a vertex that gets children: which of them stays on its node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FlipBit {
    /// 0: the left child stays, the right one goes to the neighbour.
    LeftStays,
    /// 1: the right child stays, the left one goes to the neighbour.
    RightStays,
}

#[derive(Clone, Copy)]
pub(super) struct Pair<'a> {
    pub(super) guest: &'a Machine,
    pub(super) host: &'a Machine,
    pub(super) flip: &'a dyn Fn(ProcessId) -> FlipBit, // of the vertices of a tree that grows
}

impl Pair<'_> {
    /// Whether both are grids of the same lengths.
    pub(super) fn has_same_lengths(self) -> bool {
        !self.guest.axes().is_empty() && self.guest.shape() == self.host.shape()
    }

    pub(super) fn has_same_size(self) -> bool {
        self.guest.node_count() == self.host.node_count()
    }

    /// The dimensions of guest and host, when they are networks of these kinds.
    pub(super) fn dimensions(self, guest: MachineKind, host: MachineKind) -> Option<[u32; 2]> {
        Some([network_dimensions(self.guest, guest)?, network_dimensions(self.host, host)?])
    }

    /// The nodes of the host in order: every vertex on the node with the same number.
    pub(super) fn host_nodes(self) -> Vec<NodeId> {
        self.host.nodes().collect()
    }
}

/// The nodes on which a construction puts the vertices, and the dilation that it promises.
#[derive(Debug, Clone)]
pub(super) struct Plan {
    pub(super) nodes: Vec<NodeId>,
    pub(super) dilation: PromisedDilation,
}

impl Plan {
    pub(super) fn exact(links: u64, nodes: Vec<NodeId>) -> Self {
        Self { nodes, dilation: PromisedDilation::exactly(links) }
    }

    pub(super) fn at_most(links: u64, nodes: Vec<NodeId>) -> Self {
        Self { nodes, dilation: PromisedDilation::at_most(links) }
    }
}
