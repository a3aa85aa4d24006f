//! Toruses of two dimensions in rings.

use cubefold_topology::{Machine, MachineKind, NodeId};

use super::{
    construction::{ClassicConstruction, Plan},
    error::ClassicError,
    machines::{guest_edges, is_ring, is_torus, nodes},
    routed_embedding::RoutedEmbedding,
};

/// A torus of two dimensions on a ring.
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

/// The torus of two different lengths in the ring of as many nodes: load 1, dilation the smaller length (CS838 1999,
/// embeddings of tori into tori).
///
/// The rings of the smaller length are laid one after another. By the shorter way, link congestion is 3 when the
/// smaller length is 2, and two more than it otherwise; the notes print the smaller length, which counts the other
/// edges only (errata N1).
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

/// Where the vertices of a torus of two dimensions are on the ring.
#[expect(clippy::cast_possible_truncation, reason = "lengths and indices of a machine of at most 2^32 nodes")]
pub(super) fn ring_places(torus: &Machine) -> Vec<NodeId> {
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
