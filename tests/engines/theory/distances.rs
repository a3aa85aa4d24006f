//! Distances and total dilations of `standard` and `xor` on rings (`docs/model.md` section 8;
//! González & Valero 1993, sections 2.3 and 3; González et al. 1995, 4.4).

use cubefold_mapping::EmbeddingKind;

use super::setting::{distances, embed, measure, ring};

/// The one distance that every process has in each dimension; panics where they differ.
fn constant_distances(kind: EmbeddingKind, bits: u32) -> Vec<u64> {
    let of_dimension = |row: Vec<u64>| {
        assert!(row.iter().all(|&distance| distance == row[0]), "{kind} on the ring of 2^{bits}");
        row[0]
    };
    distances(&embed(kind, &ring(bits))).into_iter().map(of_dimension).collect()
}

#[test]
fn standard_has_distance_2_to_the_i_in_dimension_i_of_every_ring() {
    for bits in 2..=16 {
        let expected: Vec<u64> = (0..bits).map(|i| 1 << i).collect();
        assert_eq!(constant_distances(EmbeddingKind::Standard, bits), expected);
    }
}

#[test]
fn xor_halves_the_last_distance_of_standard_on_every_ring() {
    for bits in 2..=16 {
        let mut expected: Vec<u64> = (0..bits - 1).map(|i| 1 << i).collect();
        expected.push(1 << (bits - 2));
        assert_eq!(constant_distances(EmbeddingKind::Xor, bits), expected);
    }
}

#[test]
fn total_dilation_of_standard_on_every_ring_is_as_its_formula_says() {
    for bits in 2..=16 {
        let total = measure(&embed(EmbeddingKind::Standard, &ring(bits))).dilation.total();
        assert_eq!(total, (1 << (bits - 1)) * ((1 << bits) - 1));
    }
}

#[test]
fn total_dilation_of_xor_on_every_ring_is_as_its_formula_says() {
    for bits in 2..=16 {
        let total = measure(&embed(EmbeddingKind::Xor, &ring(bits))).dilation.total();
        assert_eq!(total, (1 << (bits - 1)) * (3 * (1 << (bits - 2)) - 1));
    }
}
