//! Which constructions exist for a pair of machines, from their shapes alone.
//!
//! Whether the code finds a construction cannot tell whether there should be one. Here the conditions of those
//! theorems that can be seen from the shapes are written out, with no search for factors: lines and rings, equal
//! lengths, hypercubes and square graphs. A refusal that contradicts one of them makes its claim fail.

use cubefold_mapping::ConstructionKind;
use cubefold_topology::Machine;

use super::{
    claim::Claim,
    dilation::{
        CUBE, EVEN_RING_INTO_MESH, INTO_HYPERCUBE, LINE, REORDERED, RING_INTO_MESH, RING_INTO_TORUS,
        SAME_SHAPE, SQUARE_DIVISIBLE, SQUARE_EXPANSION, SQUARE_LOWERING, SQUARE_RISING,
    },
    pairs::{is_torus_guest, is_torus_host, side},
};

/// The claim that a construction of this kind exists; none where the shapes do not tell.
///
/// Guest and host have as many nodes.
pub(super) fn by_name(kind: ConstructionKind, guest: &Machine, host: &Machine) -> Option<Claim> {
    let (from_torus, to_torus) = (is_torus_guest(guest), is_torus_host(host));
    let (d, c) = (dimensions(guest), dimensions(host));
    let into_hypercube = is_hypercube(host) && d < c;
    let square = side(guest).is_some() && side(host).is_some();
    let when = |holds: bool, claim| holds.then_some(claim);
    match kind {
        ConstructionKind::BasicF => when(d == 1 && !from_torus, LINE),
        ConstructionKind::BasicH if to_torus => when(d == 1 && from_torus, RING_INTO_TORUS),
        ConstructionKind::BasicH => {
            when(d == 1 && from_torus && c >= 2 && guest.node_count().is_multiple_of(2), EVEN_RING_INTO_MESH)
        }
        ConstructionKind::BasicG => when(d == 1 && from_torus && !to_torus, RING_INTO_MESH),
        ConstructionKind::SameShape if lengths_in_order(guest) == lengths_in_order(host) => {
            Some(if from_torus && !to_torus { SAME_SHAPE } else { REORDERED })
        }
        ConstructionKind::ExpansionF => when(into_hypercube && !from_torus, INTO_HYPERCUBE),
        ConstructionKind::ExpansionH => when(into_hypercube && from_torus, INTO_HYPERCUBE),
        ConstructionKind::SimpleReduction if is_hypercube(guest) => when(c < d, CUBE),
        ConstructionKind::SimpleReduction => when(square && c < d && d.is_multiple_of(c), SQUARE_DIVISIBLE),
        ConstructionKind::SquareLowering => when(square && c < d && !d.is_multiple_of(c), SQUARE_LOWERING),
        ConstructionKind::SquareRising => when(square && d < c && !c.is_multiple_of(d), SQUARE_RISING),
        _ => None,
    }
}

/// The claim that some construction exists for two square graphs of different dimension; none for other pairs.
///
/// Guest and host have as many nodes.
pub(super) fn by_choice(guest: &Machine, host: &Machine) -> Option<Claim> {
    let (d, c) = (dimensions(guest), dimensions(host));
    let (Some(_), Some(_), true) = (side(guest), side(host), d != c) else { return None };
    Some(match (c < d, d.max(c).is_multiple_of(d.min(c))) {
        (true, true) => SQUARE_DIVISIBLE,
        (true, false) => SQUARE_LOWERING,
        (false, true) => SQUARE_EXPANSION,
        (false, false) => SQUARE_RISING,
    })
}

fn dimensions(machine: &Machine) -> usize {
    machine.shape().dimension_count()
}

fn is_hypercube(machine: &Machine) -> bool {
    machine.shape().lengths().iter().all(|&length| length == 2)
}

fn lengths_in_order(machine: &Machine) -> Vec<u64> {
    let mut lengths = machine.shape().lengths().to_vec();
    lengths.sort_unstable();
    lengths
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pairs::{mesh, torus};

    #[test]
    fn shapes_alone_tell_which_constructions_there_are() {
        let name = |kind, guest: &Machine, host: &Machine| by_name(kind, guest, host);
        let (line, ring, mesh_3_3) = (mesh(&[9]), torus(&[9]), mesh(&[3, 3]));
        assert_eq!(name(ConstructionKind::BasicF, &line, &mesh_3_3), Some(LINE));
        assert_eq!(name(ConstructionKind::BasicF, &ring, &mesh_3_3), None);
        assert_eq!(name(ConstructionKind::BasicH, &ring, &torus(&[3, 3])), Some(RING_INTO_TORUS));
        // A mesh of odd size has no Hamiltonian circuit, nor has a line.
        assert_eq!(name(ConstructionKind::BasicH, &ring, &mesh_3_3), None);
        assert_eq!(name(ConstructionKind::BasicH, &torus(&[6]), &mesh(&[6])), None);
        assert_eq!(name(ConstructionKind::BasicH, &torus(&[6]), &mesh(&[3, 2])), Some(EVEN_RING_INTO_MESH));
        assert_eq!(
            name(ConstructionKind::SameShape, &torus(&[2, 3, 4]), &mesh(&[4, 2, 3])),
            Some(SAME_SHAPE)
        );
        assert_eq!(name(ConstructionKind::SameShape, &mesh(&[4, 6]), &mesh(&[3, 8])), None);
    }

    #[test]
    fn the_theorem_on_square_graphs_is_told_by_their_dimensions() {
        let choice = |guest: &[u64], host: &[u64]| by_choice(&mesh(guest), &mesh(host));
        assert_eq!(choice(&[2; 4], &[4; 2]), Some(SQUARE_DIVISIBLE));
        assert_eq!(choice(&[4; 3], &[8; 2]), Some(SQUARE_LOWERING));
        assert_eq!(choice(&[4; 2], &[2; 4]), Some(SQUARE_EXPANSION));
        assert_eq!(choice(&[8; 2], &[4; 3]), Some(SQUARE_RISING));
        assert_eq!(choice(&[8; 2], &[4, 16]), None);
    }
}
