//! Paths and cycles in hypercubes: the binary reflected Gray code.

use cubefold_topology::{Machine, MachineKind, NodeId};

use super::{
    construction::{ClassicConstruction, Pair, Plan},
    error::{ClassicError, in_range},
    machines::{MAX_DIMENSIONS, cube_dimensions, guest_edges, hypercube, is_line, is_ring, nodes},
    routed_embedding::RoutedEmbedding,
};

/// A line along the Gray code of a hypercube.
pub(super) static GRAY_PATH: ClassicConstruction = ClassicConstruction {
    name: "gray-path",
    summary: "a line of 2^n on a hypercube of n dimensions",
    promised_dilation: "1",
    source: "embeddings of paths and cycles",
    plan: |pair| plan(pair, is_line(pair.guest)),
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

/// A ring along the Gray code of a hypercube.
pub(super) static GRAY_CYCLE: ClassicConstruction = ClassicConstruction {
    name: "gray-cycle",
    summary: "a ring of 2^n on a hypercube of n dimensions, n at least 2",
    promised_dilation: "1",
    source: "embeddings of paths and cycles",
    plan: |pair| plan(pair, is_ring(pair.guest)),
};

/// The ring of `2^n` vertices as a Hamiltonian cycle of the hypercube of `n` dimensions, dilation 1 (as above).
///
/// # Errors
///
/// When `dimensions` is not 2 to 20: two nodes have one link, and no cycle.
pub fn gray_cycle(dimensions: u32) -> Result<RoutedEmbedding, ClassicError> {
    embed(MachineKind::Ring, in_range("dimensions", dimensions, 2..=MAX_DIMENSIONS)?)
}

/// The Gray code, when the guest has the right kind.
fn plan(pair: Pair<'_>, is_kind: bool) -> Option<Result<Plan, ClassicError>> {
    let dimensions = cube_dimensions(pair.host).filter(|_| is_kind && pair.has_same_size())?;
    (dimensions <= MAX_DIMENSIONS).then(|| Ok(Plan::exact(1, places(1 << dimensions))))
}

/// Vertex `b` on node `b xor (b >> 1)`.
pub(super) fn places(vertices: u32) -> Vec<NodeId> {
    nodes((0..vertices).map(|position| position ^ position >> 1))
}

fn embed(kind: MachineKind, dimensions: u32) -> Result<RoutedEmbedding, ClassicError> {
    let guest = Machine::new(kind, &[1 << dimensions])?;
    let host = hypercube(dimensions)?;
    Ok(RoutedEmbedding::along_routes_of_the_host(host, places(1 << dimensions), guest_edges(&guest))?)
}
