//! The list of the constructions of the notes, and what one is.
//!
//! Each construction is described by one [`ClassicConstruction`] in the file that makes it. What is
//! parsed, listed and documented derives from [`ClassicConstruction::ALL`].

use std::fmt;

use cubefold_topology::{Machine, MachineKind, NodeId};

use super::{
    caterpillar, error::ClassicError, grids, growing_tree, growing_tree::FlipBit, hypercubic_networks,
    machines::network_dimensions, mesh_of_trees, paths_and_cycles, rectangles, shuffle_networks, tour_cycle,
    tree_on_mesh, trees_in_cubes,
};
use crate::{Exactness, ProcessId, PromisedDilation};

/// A construction of CS838 1999, by which one guest is mapped on one host.
pub struct ClassicConstruction {
    /// The word for it in every file: `gray-path`.
    pub name: &'static str,
    /// The guests and hosts that it is for, in words.
    pub summary: &'static str,
    /// The dilation \[links\] that the notes state, as a formula in the letters of the summary.
    pub promised_dilation: &'static str,
    /// The heading of the notes under which it is found.
    pub source: &'static str,
    /// The nodes of the vertices; none when it is for other pairs.
    pub(super) plan: fn(Pair<'_>) -> Option<Result<Plan, ClassicError>>,
}

impl ClassicConstruction {
    /// Every construction. Where several apply to a pair of guest and host, the first in this order
    /// is taken.
    pub const ALL: &'static [&'static Self] = &[
        &paths_and_cycles::GRAY_PATH,
        &paths_and_cycles::GRAY_CYCLE,
        &grids::MESH_IN_TORUS,
        &paths_and_cycles::RECURSIVE_PATH,
        &paths_and_cycles::RECURSIVE_CYCLE,
        &grids::SNAKE,
        &paths_and_cycles::Z_ORDER,
        &grids::FOLDED_TORUS,
        &grids::TORUS_IN_RING,
        &rectangles::RECTANGLE_IN_SQUARE,
        &rectangles::SQUARE_IN_RECTANGLE,
        &rectangles::EXAMPLE_MESHES,
        &trees_in_cubes::DOUBLE_ROOTED_TREE,
        &trees_in_cubes::SHARED_TREE,
        &trees_in_cubes::WIDE_TREE,
        &trees_in_cubes::BINOMIAL_TREE,
        &tree_on_mesh::TREE_ON_MESH,
        &caterpillar::CATERPILLAR,
        &growing_tree::FLIP_BITS,
        &mesh_of_trees::MESH_OF_TREES,
        &hypercubic_networks::CYCLES_IN_BUTTERFLY,
        &hypercubic_networks::BUTTERFLY_IN_CYCLES,
        &hypercubic_networks::MERGED_LEVELS,
        &hypercubic_networks::FOLDED_LEVELS,
        &shuffle_networks::UNSHUFFLED_WORDS,
        &shuffle_networks::SHUFFLE_THEN_EXCHANGE,
        &shuffle_networks::CONTRACTED_EXCHANGES,
        &tour_cycle::TOUR_CYCLE,
    ];

    /// The construction with this name.
    #[must_use]
    pub fn with_name(name: &str) -> Option<&'static Self> {
        Self::ALL.iter().copied().find(|construction| construction.name == name)
    }
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

/// A guest and a host.
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

    /// Whether there are as many vertices as nodes.
    pub(super) fn has_same_size(self) -> bool {
        self.guest.node_count() == self.host.node_count()
    }

    /// The dimensions of guest and host, when they are networks of these kinds.
    pub(super) fn dimensions(self, guest: MachineKind, host: MachineKind) -> Option<[u32; 2]> {
        Some([network_dimensions(self.guest, guest)?, network_dimensions(self.host, host)?])
    }

    /// The nodes of the host in order: every vertex on the node of its own number.
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
        Self { nodes, dilation: PromisedDilation { links, exactness: Exactness::Exact } }
    }

    pub(super) fn at_most(links: u64, nodes: Vec<NodeId>) -> Self {
        Self { nodes, dilation: PromisedDilation { links, exactness: Exactness::AtMost } }
    }
}
