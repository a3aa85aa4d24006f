//! The sequences of mixed-radix numbers that all constructions are built from (Tao 1988, 3.3).
//!
//! `f_L` is a Gray code of any base, a path through a mesh; `t_n` folds a ring onto a line; `g_L` is `f_L` after
//! `t_n`; `h_L` is a circuit of a torus, and of a mesh of even first length. Each has its inverse (4.3.1).

use cubefold_topology::{Length, narrow};

use super::radix::{Circuit, RadixBase};

/// A sequence of all lists in a radix base `L = (l_1, .., l_d)`: a bijection from `0..n`, `n` the product.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sequence {
    /// `f_L`: successive elements are neighbours in a mesh (lemma 3.3.2).
    F,
    /// `g_L`: successive elements, the last and the first too, are at most 2 apart in a mesh (lemma 3.3.4).
    G,
    /// `h_L`: successive elements, the last and the first too, are neighbours in a torus (lemma 3.3.8), and
    /// in a mesh when there are two lengths or more and the first is even (lemma 3.3.7).
    H,
}

impl Sequence {
    /// The letter in the dissertation.
    pub(super) fn letter(self) -> char {
        match self {
            Self::F => 'f',
            Self::G => 'g',
            Self::H => 'h',
        }
    }

    /// The letter of the function that applies it to every coordinate.
    pub(super) fn capital(self) -> char {
        self.letter().to_ascii_uppercase()
    }

    /// Writes element number `position` of the sequence over `base`.
    pub(super) fn write_element(self, base: &RadixBase, position: u32, element: &mut [u32]) {
        match self {
            Self::F => write_reflected(&base.lengths, u64::from(position), element),
            Self::G => {
                let folded = fold(base.product, position);
                write_reflected(&base.lengths, u64::from(folded), element);
            }
            Self::H => write_circuit(base, position, element),
        }
    }

    /// The position of an element: the inverse of [`Self::write_element`] (Tao 1988, 4.3.1).
    pub(super) fn position(self, base: &RadixBase, element: &[u32]) -> u32 {
        match self {
            Self::F => reflected_position(&base.lengths, element),
            Self::G => unfold(base.product, reflected_position(&base.lengths, element)),
            Self::H => circuit_position(base, element),
        }
    }
}

/// Writes `f_L(x)` (Tao 1988, definition 3.3.1).
///
/// With `w_(i-1)` the product of `l_i, .., l_d` and `y_i = floor(x / w_i) mod l_i` the digits of `x`, element
/// `x_i` is `y_i` when `floor(x / w_(i-1))` is even and `l_i - 1 - y_i` when it is odd.
fn write_reflected(base: &[Length], position: u64, element: &mut [u32]) {
    debug_assert_eq!(base.len(), element.len());
    let mut rest = position;
    for (length, slot) in base.iter().zip(element).rev() {
        let (run, digit) = length.divide(rest);
        *slot = narrow(reflect(run, length.get(), digit));
        rest = run;
    }
}

/// `f_L^-1` of an element (Tao 1988, 4.3.1): the digits before determine the number of its run (errata C7).
fn reflected_position(base: &[Length], element: &[u32]) -> u32 {
    debug_assert_eq!(base.len(), element.len());
    let mut number = 0;
    for (length, &component) in base.iter().zip(element) {
        number = number * length.get() + reflect(number, length.get(), u64::from(component));
    }
    narrow(number)
}

/// A digit of run number `run` as it appears in `f_L`, and back.
fn reflect(run: u64, length: u64, digit: u64) -> u64 {
    if run.is_multiple_of(2) { digit } else { length - 1 - digit }
}

/// `t_n(x)` (Tao 1988, definition 3.3.2): `2x` in the first half, `2n - 2x - 1` in the second.
///
/// The two clauses of the definition, for even and odd `n`, are equal; `x` is below `n`. Even numbers ascend, then
/// odd ones descend:
///
/// ```text
/// x         0 1 2 3 4 5 6
/// t_7(x)    0 2 4 6 5 3 1
/// ```
pub(crate) fn fold(length: u64, position: u32) -> u32 {
    let doubled = 2 * u64::from(position);
    narrow(if doubled < length { doubled } else { 2 * length - doubled - 1 })
}

/// `t_n^-1(y)` (Tao 1988, 4.3.1): `y / 2` for even `y`, `n - (y + 1) / 2` for odd.
pub(super) fn unfold(length: u64, folded: u32) -> u32 {
    let folded = u64::from(folded);
    narrow(if folded.is_multiple_of(2) { folded / 2 } else { length - folded.div_ceil(2) })
}

/// Writes `h_L(x)` (Tao 1988, definition 3.3.5): the identity for one length, `r_L` for two; for more, with
/// `L' = (l_1, l_2)`, `L'' = (l_3, .., l_d)`, `m` the product of `L''`, `a = floor(x / (l_1 l_2 - 1))` and
/// `b = x mod (l_1 l_2 - 1)`,
///
/// ```text
/// r_L'(b) f_L''(a)                  while x < m (l_1 l_2 - 1) and a is even
/// r_L'(l_1 l_2 - 2 - b) f_L''(a)    while x < m (l_1 l_2 - 1) and a is odd
/// r_L'(l_1 l_2 - 1) f_L''(n-1-x)    afterwards
/// ```
fn write_circuit(base: &RadixBase, position: u32, element: &mut [u32]) {
    let Some(circuit) = &base.circuit else {
        element[0] = position;
        return;
    };
    let (in_plane, in_depth) = element.split_at_mut(2);
    let (lap, x) = (circuit.lap.get(), u64::from(position));
    let (level, place) = if x >= circuit.tour {
        (base.product - 1 - x, lap)
    } else {
        let (level, along) = circuit.lap.divide(x);
        (level, if level.is_multiple_of(2) { along } else { lap - 1 - along })
    };
    write_plane(circuit, place, in_plane);
    write_reflected(&base.lengths[2..], level, in_depth);
}

/// `h_L^-1` of an element (Tao 1988, 4.3.1). The clause for `d >= 2` serves `d = 2` as well, with the empty
/// list at position 0 (errata C6).
fn circuit_position(base: &RadixBase, element: &[u32]) -> u32 {
    let Some(circuit) = &base.circuit else { return element[0] };
    let (in_plane, in_depth) = element.split_at(2);
    let lap = circuit.lap.get();
    let level = u64::from(reflected_position(&base.lengths[2..], in_depth));
    let place = plane_position(circuit, in_plane);
    narrow(if place == lap {
        base.product - 1 - level
    } else if level.is_multiple_of(2) {
        level * lap + place
    } else {
        level * lap + lap - 1 - place
    })
}

/// Writes `r_L'(x)` (Tao 1988, definition 3.3.4): down the first column, then row by row through the others,
/// there and back. With one other column the rows are single nodes, which is the clause for `l_2 = 2`.
fn write_plane(circuit: &Circuit, x: u64, element: &mut [u32]) {
    if x < circuit.rows {
        element[0] = narrow(circuit.rows - 1 - x);
        element[1] = 0;
    } else {
        let (row, along) = circuit.other_columns.divide(x - circuit.rows);
        element[0] = narrow(row);
        element[1] = narrow(1 + if row.is_multiple_of(2) { along } else { circuit.columns - 2 - along });
    }
}

/// `r_L'^-1` of an element (Tao 1988, 4.3.1).
fn plane_position(circuit: &Circuit, element: &[u32]) -> u64 {
    let (row, column) = (u64::from(element[0]), u64::from(element[1]));
    if column == 0 {
        circuit.rows - 1 - row
    } else {
        let along = if row.is_multiple_of(2) { column - 1 } else { circuit.columns - 1 - column };
        circuit.rows + row * circuit.other_columns.get() + along
    }
}

#[cfg(test)]
mod tests {
    //! The lemmas of 3.3 on every radix base up to a size.

    use super::*;
    use crate::test_support::shapes;
    use cubefold_topology::{Machine, MachineKind, NodeId};

    const ALL: [Sequence; 3] = [Sequence::F, Sequence::G, Sequence::H];

    /// All lists of lengths of at least 2 with a product of at most `most`.
    fn bases(most: u64) -> impl Iterator<Item = Vec<u64>> {
        (2..=most).flat_map(shapes)
    }

    fn elements(sequence: Sequence, lengths: &[u64]) -> Vec<Vec<u32>> {
        let base = RadixBase::new(lengths);
        let count = u32::try_from(base.product).unwrap();
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
            let index: u64 =
                element.iter().zip(strides).map(|(&value, stride)| u64::from(value) * stride).sum();
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
        for base in bases(120).filter(|base| base[0].is_multiple_of(2)) {
            let last = elements(Sequence::F, &base).pop().unwrap();
            assert_eq!(u64::from(last[0]), base[0] - 1);
            assert!(last[1..].iter().all(|&value| value == 0));
        }
    }

    #[test]
    fn lemmas_3_3_6_to_3_3_9_h_has_unit_cyclic_spread_in_the_torus_and_with_an_even_first_length_in_the_mesh()
    {
        for base in bases(120) {
            let elements = elements(Sequence::H, &base);
            assert_eq!(spreads(&elements, MachineKind::Torus, &base).1, 1);
            if base.len() > 1 && base[0].is_multiple_of(2) {
                assert_eq!(spreads(&elements, MachineKind::Mesh, &base).1, 1);
            }
        }
    }

    #[test]
    fn a_ring_goes_out_on_even_places_and_back_on_odd_ones() {
        assert_eq!([0, 1].map(|at| fold(2, at)), [0, 1]);
        assert_eq!([0, 1, 2, 3, 4].map(|at| fold(5, at)), [0, 2, 4, 3, 1]);
        assert_eq!([0, 1, 2, 3, 4, 5].map(|at| fold(6, at)), [0, 2, 4, 5, 3, 1]);
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
            let count = base.product;
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
}
