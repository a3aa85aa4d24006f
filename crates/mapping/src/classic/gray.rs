//! Paths and cycles in hypercubes: the binary reflected Gray code.

use cubefold_topology::{Machine, MachineKind, NodeId};

use super::{
    error::{ClassicError, in_range},
    hosts::{MAX_DIMENSIONS, grid_edges, hypercube, nodes},
    routed_embedding::RoutedEmbedding,
};

/// The line of `2^n` vertices as a Hamiltonian path of the hypercube of `n` dimensions: vertex `b` on node
/// `b xor (b >> 1)`, dilation 1 (CS838 1999, embeddings of paths and cycles).
///
/// # Errors
///
/// When `dimensions` is not 1 to 20.
pub fn gray_path(dimensions: u32) -> Result<RoutedEmbedding, ClassicError> {
    embed(MachineKind::Line, in_range("dimensions", dimensions, 1..=MAX_DIMENSIONS)?)
}

/// The ring of `2^n` vertices as a Hamiltonian cycle of the hypercube of `n` dimensions, dilation 1 (as above).
///
/// # Errors
///
/// When `dimensions` is not 2 to 20: two nodes have one link, and no cycle.
pub fn gray_cycle(dimensions: u32) -> Result<RoutedEmbedding, ClassicError> {
    embed(MachineKind::Ring, in_range("dimensions", dimensions, 2..=MAX_DIMENSIONS)?)
}

/// Vertex `b` on node `b xor (b >> 1)`.
pub(super) fn places(vertices: u32) -> Vec<NodeId> {
    nodes((0..vertices).map(|position| position ^ position >> 1))
}

fn embed(kind: MachineKind, dimensions: u32) -> Result<RoutedEmbedding, ClassicError> {
    let guest = Machine::new(kind, &[1 << dimensions])?;
    let host = hypercube(dimensions)?;
    Ok(RoutedEmbedding::along_routes_of_the_host(host, places(1 << dimensions), grid_edges(&guest))?)
}
