//! The lemmas of 3.3 on every radix base up to a size, and the printed figures.

use super::*;
use cubefold_topology::{Machine, MachineKind, NodeId};

const ALL: [Sequence; 3] = [Sequence::F, Sequence::G, Sequence::H];

/// All lists of lengths of at least 2 with a product of at most `most`.
fn bases(most: u64) -> Vec<Vec<u64>> {
    let mut all = vec![];
    for first in 2..=most {
        all.push(vec![first]);
        for mut longer in bases(most / first) {
            longer.insert(0, first);
            all.push(longer);
        }
    }
    all
}

fn elements(sequence: Sequence, lengths: &[u64]) -> Vec<Vec<u32>> {
    let base = RadixBase::new(lengths);
    let count = u32::try_from(base.product()).unwrap();
    let element = |position| {
        let mut element = vec![0; lengths.len()];
        sequence.write_element(&base, position, &mut element);
        element
    };
    (0..count).map(element).collect()
}

/// The largest distances between successive elements, and between the last and the first, in a machine.
fn spreads(elements: &[Vec<u32>], kind: MachineKind, base: &[u64]) -> (u64, u64) {
    let machine = Machine::new(kind, base).unwrap();
    let node = |element: &Vec<u32>| {
        let strides = machine.shape().dimensions().map(|dimension| machine.shape().stride(dimension));
        let index: u64 = element.iter().zip(strides).map(|(&value, stride)| u64::from(value) * stride).sum();
        NodeId::new(u32::try_from(index).unwrap())
    };
    let apart = |pair: &[Vec<u32>]| machine.distance(node(&pair[0]), node(&pair[1]));
    let acyclic = elements.windows(2).map(apart).max().unwrap();
    let ends = machine.distance(node(&elements[0]), node(elements.last().unwrap()));
    (acyclic, acyclic.max(ends))
}

#[test]
fn every_sequence_is_a_bijection_with_its_inverse() {
    for base in bases(200) {
        for sequence in ALL {
            let elements = elements(sequence, &base);
            for (position, element) in (0..).zip(&elements) {
                assert!(element.iter().zip(&base).all(|(&value, &length)| u64::from(value) < length));
                assert_eq!(
                    sequence.position(&RadixBase::new(&base), element),
                    position,
                    "{sequence:?} over {base:?}"
                );
            }
        }
    }
}

#[test]
fn lemmas_3_3_2_and_3_3_3_f_has_unit_spread_in_mesh_and_torus() {
    for base in bases(120) {
        let elements = elements(Sequence::F, &base);
        assert_eq!(spreads(&elements, MachineKind::Mesh, &base).0, 1);
        assert_eq!(spreads(&elements, MachineKind::Torus, &base).0, 1);
    }
}

#[test]
fn lemma_3_3_4_g_has_cyclic_spread_two_in_the_mesh_for_more_than_two_elements() {
    for base in bases(120) {
        let expected = if base == [2] { 1 } else { 2 };
        assert_eq!(spreads(&elements(Sequence::G, &base), MachineKind::Mesh, &base).1, expected);
    }
}

#[test]
fn lemma_3_3_5_f_ends_in_the_first_column_when_the_first_length_is_even() {
    for base in bases(120).into_iter().filter(|base| base[0].is_multiple_of(2)) {
        let last = elements(Sequence::F, &base).pop().unwrap();
        assert_eq!(u64::from(last[0]), base[0] - 1);
        assert!(last[1..].iter().all(|&value| value == 0));
    }
}

#[test]
fn lemmas_3_3_6_to_3_3_9_h_has_unit_cyclic_spread_in_the_torus_and_with_an_even_first_length_in_the_mesh() {
    for base in bases(120) {
        let elements = elements(Sequence::H, &base);
        assert_eq!(spreads(&elements, MachineKind::Torus, &base).1, 1);
        if base.len() > 1 && base[0].is_multiple_of(2) {
            assert_eq!(spreads(&elements, MachineKind::Mesh, &base).1, 1);
        }
    }
}

#[test]
fn folding_sends_neighbours_of_a_ring_at_most_two_apart_on_a_line() {
    for length in 1..=64 {
        let last = u32::try_from(length - 1).unwrap();
        for position in 0..=last {
            let next = if position == last { 0 } else { position + 1 };
            assert!(fold(length, position).abs_diff(fold(length, next)) <= 2);
            assert_eq!(unfold(length, fold(length, position)), position);
        }
    }
}

#[test]
fn sequences_reach_the_largest_sizes() {
    for lengths in [vec![1 << 32], vec![1 << 16, 1 << 16], vec![3, 5, 17, 257, 65537], vec![2; 32]] {
        let base = RadixBase::new(&lengths);
        let count = base.product();
        for sequence in ALL {
            for back in [1, 2, count / 2, count / 2 + 1, count] {
                let position = u32::try_from(count - back).unwrap();
                let mut element = vec![0; lengths.len()];
                sequence.write_element(&base, position, &mut element);
                assert_eq!(sequence.position(&base, &element), position);
            }
        }
    }
}
