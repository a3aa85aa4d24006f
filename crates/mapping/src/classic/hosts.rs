//! Guests and hosts that are grids.

use cubefold_topology::{Machine, MachineKind, NodeId};

use super::error::ClassicError;
use crate::{GraphGuest, Guest, ProcessId};

/// The most dimensions of a hypercube that tables are made for.
pub(super) const MAX_DIMENSIONS: u32 = 20;

/// The hypercube of so many dimensions, at least 1.
pub(super) fn hypercube(dimensions: u32) -> Result<Machine, ClassicError> {
    Ok(Machine::new(MachineKind::Hypercube, &vec![2; dimensions as usize])?)
}

/// The mesh of these lengths.
pub(super) fn mesh(lengths: &[u64]) -> Result<Machine, ClassicError> {
    Ok(Machine::new(MachineKind::Mesh, lengths)?)
}

/// The edges of a grid, each once.
pub(super) fn grid_edges(grid: &Machine) -> Vec<(ProcessId, ProcessId)> {
    let guest = GraphGuest::new(grid.clone());
    (0..guest.dimension_count()).flat_map(|dimension| guest.edges(dimension).collect::<Vec<_>>()).collect()
}

/// Nodes by their indices.
pub(super) fn nodes(indices: impl IntoIterator<Item = u32>) -> Vec<NodeId> {
    indices.into_iter().map(NodeId::new).collect()
}
