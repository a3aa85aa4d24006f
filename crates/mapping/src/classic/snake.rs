//! Meshes in meshes with one dimension more: a snake.

use cubefold_topology::{Machine, MachineKind, NodeId};

use super::{
    construction::{ClassicConstruction, Plan},
    error::ClassicError,
    machines::{guest_edges, is_mesh, is_open, mesh, nodes},
    routed_embedding::RoutedEmbedding,
};

/// The last dimension of a mesh to and fro through two of another.
pub(super) static SNAKE: ClassicConstruction = ClassicConstruction {
    name: "snake",
    summary: "a mesh a x .. x (y z) on a mesh a x .. x y x z",
    promised_dilation: "1",
    source: "embeddings of cube meshes into rectangular meshes",
    plan: |pair| {
        let (before, [along, across]) = pair.host.shape().lengths().split_last_chunk::<2>()?;
        let guest = [before, &[along * across]].concat();
        let fits = is_mesh(pair.guest, &guest) && is_open(pair.host);
        fits.then(|| Ok(Plan::exact(1, snake_places(pair.host))))
    },
};

/// The mesh `(z_1, ..., z_(n-2), z_(n-1) z_n)` in the mesh `(z_1, ..., z_n)`, of which it is a subgraph: dilation 1
/// (CS838 1999, auxiliary lemma on meshes).
///
/// The last dimension of the guest runs to and fro through the last two of the host.
///
/// # Errors
///
/// When the lengths make no mesh of two dimensions at least.
pub fn snake(host_lengths: &[u64]) -> Result<RoutedEmbedding, ClassicError> {
    let host = mesh(host_lengths)?;
    let Some((lengths, [along, across])) = host_lengths.split_last_chunk::<2>() else {
        let found = format!("a mesh of {} dimension", host_lengths.len());
        return Err(ClassicError::Pair { found, expected: "two at least" });
    };
    let guest_lengths: Vec<u64> = lengths.iter().copied().chain([along * across]).collect();
    let guest = match guest_lengths.len() {
        1 => Machine::new(MachineKind::Line, &guest_lengths)?,
        _ => mesh(&guest_lengths)?,
    };
    let places = snake_places(&host);
    Ok(RoutedEmbedding::along_routes_of_the_host(host, places, guest_edges(&guest))?)
}

/// Where the vertices of the guest are in the host, a mesh of two dimensions at least.
#[expect(clippy::cast_possible_truncation, reason = "indices of a machine of at most 2^32 nodes")]
pub(super) fn snake_places(host: &Machine) -> Vec<NodeId> {
    let (lengths, shape) = (host.shape().lengths(), host.shape());
    let stride = match lengths.len() {
        0 | 1 => 1,
        count => lengths[..count - 2].iter().product::<u64>(),
    };
    let along = lengths[lengths.len().saturating_sub(2)];
    nodes((0..shape.node_count()).map(|vertex| {
        let (before, position) = (vertex % stride, vertex / stride);
        let (row, forth) = (position / along, position % along);
        let column = if row.is_multiple_of(2) { forth } else { along - 1 - forth };
        (before + stride * (column + along * row)) as u32
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_snake_is_a_subgraph() {
        let shapes: [&[u64]; 6] = [&[3, 4], &[5, 5], &[2, 3, 4], &[4, 2, 2, 3], &[2, 2], &[7, 2]];
        for lengths in shapes {
            let measures = snake(lengths).unwrap().measures();
            assert_eq!((measures.load, measures.least_load), (1, 1), "{lengths:?}");
            assert_eq!((measures.dilation, measures.link_congestion), (1, 1), "{lengths:?}");
        }
    }

    #[test]
    fn a_line_has_no_snake() {
        assert_eq!(snake(&[5]).unwrap_err().to_string(), "a mesh of 1 dimension, expected two at least");
    }
}
