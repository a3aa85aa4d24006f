//! Placements of every origin behind one face.

use std::borrow::Cow;

use cubefold_topology::{Machine, NodeId};
use rayon::prelude::*;

use crate::{
    Construction, CoursePlacement, EmbeddingKind, GreenbergPlacement, Guest, Hypercube, PlacementTable,
    ProcessId, ProductPlacement, ProductPlacementError,
};

/// Where the processes of a guest sit on a machine: every process has a node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Placement {
    /// By a named embedding: formulas.
    Product(ProductPlacement),
    /// Given explicitly: a table.
    Table(PlacementTable),
    /// By a construction of Tao 1988: formulas.
    Construction(Box<Construction>),
    /// By a construction of the notes CS838 1999: a table.
    Course(Box<CoursePlacement>),
    /// By the constructions of Greenberg 1987: a table.
    Greenberg(Box<GreenbergPlacement>),
}

impl Placement {
    /// Places `cube` on `machine` by a named embedding.
    ///
    /// # Errors
    ///
    /// As [`ProductPlacement::new`].
    pub fn embed(
        kind: EmbeddingKind,
        cube: Hypercube,
        machine: &Machine,
    ) -> Result<Self, ProductPlacementError> {
        ProductPlacement::new(kind, cube, machine).map(Self::Product)
    }

    /// The machine.
    #[must_use]
    pub fn machine(&self) -> &Machine {
        match self {
            Self::Product(product) => product.machine(),
            Self::Table(table) => table.machine(),
            Self::Construction(construction) => construction.host(),
            Self::Course(course) => course.table().machine(),
            Self::Greenberg(placement) => placement.table().machine(),
        }
    }

    /// The number of processes placed.
    #[must_use]
    pub fn process_count(&self) -> u64 {
        match self {
            Self::Product(product) => product.cube().process_count(),
            Self::Table(table) => table.nodes().len() as u64,
            Self::Construction(construction) => construction.guest().node_count(),
            Self::Course(course) => course.table().nodes().len() as u64,
            Self::Greenberg(placement) => placement.table().nodes().len() as u64,
        }
    }

    /// The node of a process.
    ///
    /// # Panics
    ///
    /// When a table or construction has no such process.
    #[must_use]
    pub fn node(&self, process: ProcessId) -> NodeId {
        match self {
            Self::Product(product) => product.node(process),
            Self::Table(table) => table.node(process),
            Self::Construction(construction) => construction.node(process),
            Self::Course(course) => course.table().node(process),
            Self::Greenberg(placement) => placement.table().node(process),
        }
    }

    /// The processes on a node, in order; none when the node is empty.
    ///
    /// # Panics
    ///
    /// When a construction's machine has no such node.
    pub fn processes(&self, node: NodeId) -> impl Iterator<Item = ProcessId> {
        let (one, listed, set) = match self {
            Self::Product(product) => (Some(product.process(node)), None, None),
            Self::Table(table) => (None, Some(table.processes(node)), None),
            Self::Construction(construction) => (None, None, Some(construction.processes(node))),
            Self::Course(course) => (None, Some(course.table().processes(node)), None),
            Self::Greenberg(placement) => (None, Some(placement.table().processes(node)), None),
        };
        one.into_iter().chain(listed.into_iter().flatten()).chain(set.into_iter().flatten())
    }

    /// The node of every process, in order, found in parallel.
    #[must_use]
    pub fn nodes(&self) -> Vec<NodeId> {
        self.listed_nodes().into_owned()
    }

    /// The same, without a copy where they are listed already.
    pub(crate) fn listed_nodes(&self) -> Cow<'_, [NodeId]> {
        match self {
            Self::Product(product) => product.nodes().into(),
            Self::Table(table) => table.nodes().into(),
            Self::Course(course) => course.table().nodes().into(),
            Self::Greenberg(placement) => placement.table().nodes().into(),
            Self::Construction(construction) => {
                let labels = 0..usize::try_from(self.process_count()).unwrap_or(usize::MAX);
                #[expect(clippy::cast_possible_truncation, reason = "labels are below 2^32")]
                let node = |label| construction.node(ProcessId::new(label as u32));
                let nodes: Vec<NodeId> = labels.into_par_iter().map(node).collect();
                nodes.into()
            }
        }
    }

    /// The subset of a stage's messages that a message between neighbours is routed with in a coordinated
    /// run, those with the smallest number first; all in subset 0 unless a construction tells them apart
    /// (`docs/model.md` section 6).
    ///
    /// # Panics
    ///
    /// When a construction has no such process.
    #[must_use]
    pub fn subset(&self, source: ProcessId, destination: ProcessId) -> u32 {
        match self {
            Self::Product(_) | Self::Table(_) | Self::Course(_) | Self::Greenberg(_) => 0,
            Self::Construction(construction) => construction.subset(source, destination).unwrap_or(0),
        }
    }

    /// The most links that a message of a subset moves in a phase of a coordinated run; no limit without one.
    #[must_use]
    pub fn phase_length(&self, subset: u32) -> Option<u64> {
        match self {
            Self::Product(_) | Self::Table(_) | Self::Course(_) | Self::Greenberg(_) => None,
            Self::Construction(construction) => {
                let subsets = construction.routing().subsets();
                subsets.iter().find(|own| own.number == subset)?.phase_length
            }
        }
    }

    /// The most processes on one node, at least 1.
    #[must_use]
    pub fn greatest_load(&self) -> u64 {
        match self {
            Self::Product(_) => 1,
            Self::Table(table) => table.greatest_load(),
            Self::Construction(construction) => construction.load(),
            Self::Course(course) => course.table().greatest_load(),
            Self::Greenberg(placement) => placement.table().greatest_load(),
        }
    }

    /// Whether no two processes share a node.
    #[must_use]
    pub fn is_one_to_one(&self) -> bool {
        self.greatest_load() == 1
    }
}
