//! Placements of all kinds.

use std::borrow::Cow;

use cubefold_topology::{Machine, NodeId};
use rayon::prelude::*;

use crate::{
    ClassicPlacement, Construction, EmbeddingKind, GreenbergPlacement, Guest, Hypercube, PlacementTable,
    ProcessId, ProductPlacement, ProductPlacementError,
    classic::{ClassicError, EdgePaths},
};

/// The node of every process of a guest on a machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Placement {
    /// By a named embedding: formulas.
    Product(ProductPlacement),
    /// Given explicitly: a table.
    Table(PlacementTable),
    /// By a construction of Tao 1988: formulas.
    Construction(Box<Construction>),
    /// By a construction of the notes CS838 1999: a table.
    Classic(Box<ClassicPlacement>),
    /// By the constructions of Greenberg 1987: a table.
    Greenberg(Box<GreenbergPlacement>),
}

/// The representation of a placement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlacementForm<'a> {
    /// Formulas, field by field.
    Product(&'a ProductPlacement),
    /// A table, given or made.
    Table(&'a PlacementTable),
    /// Formulas of a construction of Tao 1988.
    Construction(&'a Construction),
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

    /// Its representation; a construction that makes a table counts as a table.
    #[must_use]
    pub fn form(&self) -> PlacementForm<'_> {
        match self {
            Self::Product(product) => PlacementForm::Product(product),
            Self::Table(table) => PlacementForm::Table(table),
            Self::Construction(construction) => PlacementForm::Construction(construction),
            Self::Classic(classic) => PlacementForm::Table(classic.table()),
            Self::Greenberg(placement) => PlacementForm::Table(placement.table()),
        }
    }

    /// The machine.
    #[must_use]
    pub fn machine(&self) -> &Machine {
        match self.form() {
            PlacementForm::Product(product) => product.machine(),
            PlacementForm::Table(table) => table.machine(),
            PlacementForm::Construction(construction) => construction.host(),
        }
    }

    /// The number of processes placed.
    #[must_use]
    pub fn process_count(&self) -> u64 {
        match self.form() {
            PlacementForm::Product(product) => product.cube().process_count(),
            PlacementForm::Table(table) => table.nodes().len() as u64,
            PlacementForm::Construction(construction) => construction.guest().node_count(),
        }
    }

    /// The node of a process.
    ///
    /// # Panics
    ///
    /// When a table or construction has no such process.
    #[must_use]
    pub fn node(&self, process: ProcessId) -> NodeId {
        match self.form() {
            PlacementForm::Product(product) => product.node(process),
            PlacementForm::Table(table) => table.node(process),
            PlacementForm::Construction(construction) => construction.node(process),
        }
    }

    /// The processes on a node, in order; empty if the node is.
    ///
    /// # Panics
    ///
    /// When a construction's machine has no such node.
    pub fn processes(&self, node: NodeId) -> impl Iterator<Item = ProcessId> {
        let (one, listed, set) = match self.form() {
            PlacementForm::Product(product) => (Some(product.process(node)), None, None),
            PlacementForm::Table(table) => (None, Some(table.processes(node)), None),
            PlacementForm::Construction(construction) => (None, None, Some(construction.processes(node))),
        };
        one.into_iter().chain(listed.into_iter().flatten()).chain(set.into_iter().flatten())
    }

    /// The node of every process, in order, found in parallel.
    #[must_use]
    pub fn nodes(&self) -> Vec<NodeId> {
        self.listed_nodes().into_owned()
    }

    /// The nodes with a process, by index. For a written-out placement they are found in O(P) for P processes.
    pub fn occupied_nodes(&self) -> impl Iterator<Item = NodeId> {
        let listed = match self.form() {
            PlacementForm::Table(table) => Some(table.occupied_nodes()),
            PlacementForm::Product(_) | PlacementForm::Construction(_) => None,
        };
        let is_occupied = |node: &NodeId| self.processes(*node).next().is_some();
        let all = listed.is_none().then(|| self.machine().nodes().filter(is_occupied));
        listed.into_iter().flatten().chain(all.into_iter().flatten())
    }

    /// The node of every process, in order, without a copy if they are already listed.
    #[must_use]
    pub fn listed_nodes(&self) -> Cow<'_, [NodeId]> {
        match self.form() {
            PlacementForm::Product(product) => product.nodes().into(),
            PlacementForm::Table(table) => table.nodes().into(),
            PlacementForm::Construction(construction) => {
                let labels = 0..usize::try_from(self.process_count()).unwrap_or(usize::MAX);
                #[expect(clippy::cast_possible_truncation, reason = "labels are below 2^32")]
                let node = |label| construction.node(ProcessId::new(label as u32));
                let nodes: Vec<NodeId> = labels.into_par_iter().map(node).collect();
                nodes.into()
            }
        }
    }

    /// The paths of the edges of the guest that its construction gives; `None` if messages have only the routes of the
    /// machine.
    ///
    /// # Errors
    ///
    /// When they cannot be made.
    pub fn edge_paths(&self) -> Result<Option<&EdgePaths>, ClassicError> {
        match self {
            Self::Classic(classic) => classic.paths().map(Some),
            Self::Product(_) | Self::Table(_) | Self::Construction(_) | Self::Greenberg(_) => Ok(None),
        }
    }

    /// The subset of a stage's messages that a message between neighbours is routed with in a coordinated
    /// run, those with the smallest number first; all in subset 0 unless a construction distinguishes them
    /// (`docs/model.md` section 6).
    ///
    /// # Panics
    ///
    /// When a construction has no such process.
    #[must_use]
    pub fn subset(&self, source: ProcessId, destination: ProcessId) -> u32 {
        match self.form() {
            PlacementForm::Product(_) | PlacementForm::Table(_) => 0,
            PlacementForm::Construction(construction) => {
                construction.subset(source, destination).unwrap_or(0)
            }
        }
    }

    /// The greatest number of links that a message of a subset moves in a phase of a coordinated run; `None` without a
    /// limit.
    #[must_use]
    pub fn phase_length(&self, subset: u32) -> Option<u64> {
        match self.form() {
            PlacementForm::Product(_) | PlacementForm::Table(_) => None,
            PlacementForm::Construction(construction) => {
                let subsets = construction.routing()?.subsets();
                subsets.iter().find(|listed| listed.number == subset)?.phase_length
            }
        }
    }

    /// The greatest number of processes on one node, at least 1.
    #[must_use]
    pub fn max_load(&self) -> u64 {
        match self.form() {
            PlacementForm::Product(_) => 1,
            PlacementForm::Table(table) => table.max_load(),
            PlacementForm::Construction(construction) => construction.load(),
        }
    }

    /// Whether no two processes share a node.
    #[must_use]
    pub fn is_one_to_one(&self) -> bool {
        self.max_load() == 1
    }
}
