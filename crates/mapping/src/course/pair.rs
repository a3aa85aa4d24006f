//! Which constructions are for a pair of guest and host.

mod grids;

use cubefold_topology::{Machine, NodeId};

use super::{
    error::CourseError,
    kind::CourseKind,
    numberings::{cycle_places, path_places, z_places},
};
use crate::{Exactness, PromisedDilation};

/// A guest and a host.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pair<'a> {
    pub(super) guest: &'a Machine,
    pub(super) host: &'a Machine,
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
    pub(super) fn plan(self, kind: CourseKind) -> Option<Result<Plan, CourseError>> {
        let plan = match kind {
            CourseKind::GrayPath => self.gray(grids::is_line(self.guest)),
            CourseKind::GrayCycle => self.gray(grids::is_ring(self.guest)),
            CourseKind::MeshInTorus => self.mesh_in_torus(),
            CourseKind::RecursivePath => self.numbering(grids::is_line(self.guest), |_| 1, path_places),
            CourseKind::RecursiveCycle => self.numbering(grids::is_ring(self.guest), |_| 1, cycle_places),
            CourseKind::ZOrder => self.numbering(grids::is_line(self.guest), |order| 1 << order, z_places),
            CourseKind::Snake => self.snake(),
            CourseKind::FoldedTorus => self.folded_torus(),
            CourseKind::TorusInRing => self.torus_in_ring(),
            CourseKind::RectangleInSquare => self.rectangle_in_square(),
            CourseKind::SquareInRectangle => self.square_in_rectangle(),
            CourseKind::ExampleMeshes => self.example_meshes(),
            CourseKind::TourCycle => self.tour_cycle(),
        };
        plan.map(Ok)
    }
}
