//! Placements of every origin behind one face.

use cubefold_topology::{Machine, NodeId};

use crate::{
    EmbeddingKind, Guest, Hypercube, PlacementTable, ProcessId, ProductPlacement, ProductPlacementError,
};

/// Where the processes of a guest sit on a machine: every process has a node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Placement {
    /// By a named embedding: formulas.
    Product(ProductPlacement),
    /// Given explicitly: a table.
    Table(PlacementTable),
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
        }
    }

    /// The number of processes placed.
    #[must_use]
    pub fn process_count(&self) -> u64 {
        match self {
            Self::Product(product) => product.cube().process_count(),
            Self::Table(table) => table.nodes().len() as u64,
        }
    }

    /// The node of a process.
    ///
    /// # Panics
    ///
    /// When a table has no such process.
    #[must_use]
    pub fn node(&self, process: ProcessId) -> NodeId {
        match self {
            Self::Product(product) => product.node(process),
            Self::Table(table) => table.node(process),
        }
    }

    /// The processes on a node, in order; none when the node is empty.
    pub fn processes(&self, node: NodeId) -> impl Iterator<Item = ProcessId> {
        let (formula, table) = match self {
            Self::Product(product) => (Some(product.process(node)), None),
            Self::Table(table) => (None, Some(table.processes(node))),
        };
        formula.into_iter().chain(table.into_iter().flatten())
    }

    /// The node of every process, in order.
    #[must_use]
    pub fn nodes(&self) -> Vec<NodeId> {
        match self {
            Self::Product(product) => {
                ProcessId::first(self.process_count()).map(|process| product.node(process)).collect()
            }
            Self::Table(table) => table.nodes().to_vec(),
        }
    }

    /// Whether no two processes share a node.
    #[must_use]
    pub fn is_one_to_one(&self) -> bool {
        match self {
            Self::Product(_) => true,
            Self::Table(table) => table.collision().is_none(),
        }
    }
}
