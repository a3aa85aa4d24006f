//! Meshes and toruses in one another: a snake through two dimensions, folded rings, rings laid one
//! after another.
//!
//! CS838 1999, embeddings among meshes and tori. Every construction has load 1.

use cubefold_topology::{Machine, MachineKind, NodeId};

use super::{
    construction::{ClassicConstruction, Plan},
    error::ClassicError,
    machines::{guest_edges, has_sides_of_two, is_mesh, is_open, is_ring, is_torus, mesh, nodes},
    routed_embedding::RoutedEmbedding,
};
use crate::tao::folded;

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

/// The mesh `(z_1, ..., z_(n-2), z_(n-1) z_n)` in the mesh `(z_1, ..., z_n)`, of which it is a
/// subgraph: dilation 1 (CS838 1999, auxiliary lemma on meshes).
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
    let guest = mesh(&guest_lengths)?;
    let places = snake_places(&host);
    Ok(RoutedEmbedding::along_routes_of_the_host(host, places, guest_edges(&guest))?)
}

/// The nodes of the guest's vertices in the host, a mesh of at least two dimensions.
#[expect(clippy::cast_possible_truncation, reason = "indices of a machine of at most 2^32 nodes")]
fn snake_places(host: &Machine) -> Vec<NodeId> {
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

pub(super) static MESH_IN_TORUS: ClassicConstruction = ClassicConstruction {
    name: "mesh-in-torus",
    summary: "a mesh on a torus of the same lengths",
    promised_dilation: "1",
    source: "embeddings among meshes and tori",
    plan: |pair| {
        let host_wraps = is_torus(pair.host) || has_sides_of_two(pair.host);
        let fits = is_open(pair.guest) && host_wraps && pair.has_same_lengths();
        fits.then(|| Ok(Plan::exact(1, pair.host_nodes())))
    },
};

pub(super) static FOLDED_TORUS: ClassicConstruction = ClassicConstruction {
    name: "folded-torus",
    summary: "a torus or ring on a mesh or line of the same lengths",
    promised_dilation: "2, or 1 if every side is 2",
    source: "embeddings among meshes and tori",
    plan: |pair| {
        let guest_wraps = is_torus(pair.guest) || has_sides_of_two(pair.guest);
        let fits = guest_wraps && is_open(pair.host) && pair.has_same_lengths();
        // Sides of length 2 have one link, around or not.
        let dilation = if has_sides_of_two(pair.guest) { 1 } else { 2 };
        fits.then(|| Ok(Plan::exact(dilation, folded_places(pair.guest))))
    },
};

/// The torus of these lengths in the mesh of the same lengths: load 1, dilation and link congestion
/// 2; both are 1 when every length is 2 (CS838 1999, embeddings among meshes and tori; errata N5).
///
/// A ring is folded flat: coordinate 0, then the last, then 1, and so on; the torus in every
/// dimension:
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

fn folded_places(torus: &Machine) -> Vec<NodeId> {
    let shape = torus.shape();
    let coordinates = |vertex: NodeId| {
        shape.dimensions().map(move |dimension| {
            let place = folded(shape.length(dimension), shape.coordinate(vertex, dimension));
            u64::from(place) * shape.stride(dimension)
        })
    };
    #[expect(clippy::cast_possible_truncation, reason = "the index of a node of the mesh")]
    nodes(torus.nodes().map(|vertex| coordinates(vertex).sum::<u64>() as u32))
}

pub(super) static TORUS_IN_RING: ClassicConstruction = ClassicConstruction {
    name: "torus-in-ring",
    summary: "a torus y x z, y and z different, on a ring of y z",
    promised_dilation: "min(y, z)",
    source: "embeddings of tori into tori",
    plan: |pair| {
        let &[first, second] = pair.guest.shape().lengths() else { return None };
        let fits = is_torus(pair.guest) && is_ring(pair.host) && first != second && pair.has_same_size();
        fits.then(|| Ok(Plan::exact(first.min(second), ring_places(pair.guest))))
    },
};

/// The torus of two different lengths in the ring of the same size: load 1, dilation the smaller
/// length (CS838 1999, embeddings of tori into tori).
///
/// The rings of the smaller length are laid one after another. With edges in the shorter direction,
/// link congestion is 3 when the smaller length is 2, and two more than it otherwise; the notes
/// print the smaller length, which counts the other edges only (errata N1).
///
/// # Errors
///
/// When a length is less than 2, or both are the same.
pub fn torus_in_ring(lengths: [u64; 2]) -> Result<RoutedEmbedding, ClassicError> {
    let torus = Machine::new(MachineKind::Torus, &lengths)?;
    if lengths[0] == lengths[1] {
        let found = format!("a torus of lengths {} and {}", lengths[0], lengths[1]);
        return Err(ClassicError::Pair { found, expected: "two different lengths" });
    }
    let ring = Machine::new(MachineKind::Ring, &[torus.node_count()])?;
    Ok(RoutedEmbedding::along_routes_of_the_host(ring, ring_places(&torus), guest_edges(&torus))?)
}

/// The nodes of the vertices of a two-dimensional torus on the ring.
#[expect(clippy::cast_possible_truncation, reason = "lengths and indices of a machine of at most 2^32 nodes")]
fn ring_places(torus: &Machine) -> Vec<NodeId> {
    let lengths = torus.shape().lengths();
    let (first, second) = (lengths[0] as u32, lengths[1] as u32);
    nodes(torus.nodes().map(|vertex| {
        let (one, other) = (vertex.index() % first, vertex.index() / first);
        if first >= second { one * second + other } else { other * first + one }
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

    #[test]
    fn dilation_is_the_smaller_length_and_link_congestion_two_more() {
        for first in 2..=8 {
            for second in (2..=8).filter(|&second| second != first) {
                let measures = torus_in_ring([first, second]).unwrap().measures();
                let least = first.min(second);
                let congestion = if least == 2 { 3 } else { least + 2 };
                assert_eq!((measures.load, measures.dilation), (1, least), "{first} {second}");
                assert_eq!(measures.link_congestion, congestion, "{first} {second}");
            }
        }
    }

    #[test]
    fn two_equal_lengths_are_refused() {
        let error = torus_in_ring([3, 3]).unwrap_err();
        assert_eq!(error.to_string(), "a torus of lengths 3 and 3, expected two different lengths");
    }
}
