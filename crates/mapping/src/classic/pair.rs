//! Which constructions are for a pair of guest and host.

mod grids;
mod networks;
mod trees;

pub(super) use trees::has_links_of_a_tree;

use cubefold_topology::{Machine, MachineKind, NodeId};

use super::{
    error::ClassicError,
    growing_tree::FlipBit,
    kind::ClassicKind,
    numberings::{cycle_places, path_places, z_places},
};
use crate::{Exactness, ProcessId, PromisedDilation};

/// A guest and a host.
#[derive(Clone, Copy)]
pub(super) struct Pair<'a> {
    pub(super) guest: &'a Machine,
    pub(super) host: &'a Machine,
    pub(super) flip: &'a dyn Fn(ProcessId) -> FlipBit, // of the vertices of a tree that grows
}

/// Where a construction puts the vertices, and what it promises.
#[derive(Debug, Clone)]
pub(super) struct Plan {
    pub(super) nodes: Vec<NodeId>,
    pub(super) dilation: PromisedDilation,
}

impl Plan {
    fn exact(links: u64, nodes: Vec<NodeId>) -> Self {
        Self { nodes, dilation: PromisedDilation { links, exactness: Exactness::Exact } }
    }

    fn at_most(links: u64, nodes: Vec<NodeId>) -> Self {
        Self { nodes, dilation: PromisedDilation { links, exactness: Exactness::AtMost } }
    }
}

impl Pair<'_> {
    /// What a construction makes of the pair; none when it is not for it.
    pub(super) fn plan(self, kind: ClassicKind) -> Option<Result<Plan, ClassicError>> {
        let plan = match kind {
            ClassicKind::GrayPath => self.gray(grids::is_line(self.guest)),
            ClassicKind::GrayCycle => self.gray(grids::is_ring(self.guest)),
            ClassicKind::MeshInTorus => self.mesh_in_torus(),
            ClassicKind::RecursivePath => self.numbering(grids::is_line(self.guest), |_| 1, path_places),
            ClassicKind::RecursiveCycle => self.numbering(grids::is_ring(self.guest), |_| 1, cycle_places),
            ClassicKind::ZOrder => self.numbering(grids::is_line(self.guest), |order| 1 << order, z_places),
            ClassicKind::Snake => self.snake(),
            ClassicKind::FoldedTorus => self.folded_torus(),
            ClassicKind::TorusInRing => self.torus_in_ring(),
            ClassicKind::RectangleInSquare => self.rectangle_in_square(),
            ClassicKind::SquareInRectangle => self.square_in_rectangle(),
            ClassicKind::ExampleMeshes => self.example_meshes(),
            ClassicKind::DoubleRootedTree => self.double_rooted_tree(),
            ClassicKind::SharedTree => return self.shared_tree(),
            ClassicKind::WideTree => self.wide_tree(),
            ClassicKind::BinomialTree => self.binomial_tree(),
            ClassicKind::TreeOnMesh => return self.tree_on_mesh(),
            ClassicKind::FlipBits => self.flip_bits(),
            ClassicKind::Caterpillar => return self.caterpillar(),
            ClassicKind::MeshOfTrees => self.mesh_of_trees(),
            ClassicKind::CyclesInButterfly => self.cycles_in_butterfly(),
            ClassicKind::ButterflyInCycles => self.butterfly_in_cycles(),
            ClassicKind::MergedLevels => self.merged_levels(),
            ClassicKind::FoldedLevels => self.folded_levels(),
            ClassicKind::UnshuffledWords => self.unshuffled_words(),
            ClassicKind::ShuffleThenExchange => self.shuffle_then_exchange(),
            ClassicKind::ContractedExchanges => self.contracted_exchanges(),
            ClassicKind::TourCycle => self.tour_cycle(),
        };
        plan.map(Ok)
    }

    /// The dimensions of guest and host, when they are of these kinds.
    fn dimensions(self, guest: MachineKind, host: MachineKind) -> Option<[u32; 2]> {
        Some([dimensions_of(self.guest, guest)?, dimensions_of(self.host, host)?])
    }
}

/// The number of dimensions that a network of this kind was made of; none when it is of another kind.
fn dimensions_of(machine: &Machine, kind: MachineKind) -> Option<u32> {
    let dimensions = machine.network_dimensions().filter(|_| machine.kind() == kind)?;
    u32::try_from(dimensions).ok()
}
