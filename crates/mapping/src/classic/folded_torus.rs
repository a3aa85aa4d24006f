//! Toruses in meshes: every ring folded flat.

use cubefold_topology::{Machine, MachineKind, NodeId};

use super::{
    construction::{ClassicConstruction, Plan},
    error::ClassicError,
    machines::{guest_edges, is_open, is_torus, mesh, nodes},
    routed_embedding::RoutedEmbedding,
};

/// A mesh on the torus that it is a part of.
pub(super) static MESH_IN_TORUS: ClassicConstruction = ClassicConstruction {
    name: "mesh-in-torus",
    summary: "a mesh on a torus of the same lengths",
    promised_dilation: "1",
    source: "embeddings among meshes and tori",
    plan: |pair| {
        let fits = is_open(pair.guest) && is_torus(pair.host) && pair.has_same_lengths();
        fits.then(|| Ok(Plan::exact(1, pair.host_nodes())))
    },
};

/// A torus on the mesh of the same lengths, every ring folded.
pub(super) static FOLDED_TORUS: ClassicConstruction = ClassicConstruction {
    name: "folded-torus",
    summary: "a torus or ring on a mesh or line of the same lengths",
    promised_dilation: "2",
    source: "embeddings among meshes and tori",
    plan: |pair| {
        let fits = is_torus(pair.guest) && is_open(pair.host) && pair.has_same_lengths();
        fits.then(|| Ok(Plan::exact(2, folded_places(pair.guest))))
    },
};

/// The torus of these lengths in the mesh of the same lengths: load 1, dilation and link congestion 2; both are 1 when
/// every length is 2 (CS838 1999, embeddings among meshes and tori; errata N5).
///
/// A ring is folded flat, coordinate 0, then the last, then 1, and so on; the torus in every dimension:
///
/// ```text
///   0 - 4 - 1 - 3 - 2      the ring of five on a line
/// ```
///
/// # Errors
///
/// When the lengths make no torus.
pub fn torus_in_mesh(lengths: &[u64]) -> Result<RoutedEmbedding, ClassicError> {
    let torus = Machine::new(MachineKind::Torus, lengths)?;
    let edges = guest_edges(&torus);
    Ok(RoutedEmbedding::along_routes_of_the_host(mesh(lengths)?, folded_places(&torus), edges)?)
}

/// Where the vertices of the torus are in the mesh of the same lengths.
pub(super) fn folded_places(torus: &Machine) -> Vec<NodeId> {
    let shape = torus.shape();
    let folded = |vertex: NodeId| {
        shape.dimensions().map(move |dimension| {
            let (at, length) = (u64::from(shape.coordinate(vertex, dimension)), shape.length(dimension));
            fold(at, length) * shape.stride(dimension)
        })
    };
    #[expect(clippy::cast_possible_truncation, reason = "the index of a node of the mesh")]
    nodes(torus.nodes().map(|vertex| folded(vertex).sum::<u64>() as u32))
}

/// The place of a ring's vertex on the line of the same length.
pub(super) fn fold(at: u64, length: u64) -> u64 {
    if 2 * at < length { 2 * at } else { 2 * (length - at) - 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ring_goes_out_on_even_places_and_back_on_odd_ones() {
        let line = |length| (0..length).map(|at| fold(at, length)).collect::<Vec<_>>();
        assert_eq!(line(5), [0, 2, 4, 3, 1]);
        assert_eq!(line(6), [0, 2, 4, 5, 3, 1]);
        assert_eq!(line(2), [0, 1]);
    }

    #[test]
    fn dilation_and_link_congestion_are_two_once_a_length_is_three() {
        let shapes: [&[u64]; 8] = [&[3], &[4], &[2, 3], &[5, 4], &[2, 2, 3], &[7, 2], &[3, 3, 3], &[2, 5, 2]];
        for lengths in shapes {
            let measures = torus_in_mesh(lengths).unwrap().measures();
            assert_eq!(
                (measures.load, measures.dilation, measures.link_congestion),
                (1, 2, 2),
                "{lengths:?}"
            );
        }
        let cube = torus_in_mesh(&[2, 2, 2]).unwrap().measures();
        assert_eq!((cube.dilation, cube.link_congestion), (1, 1));
    }
}
