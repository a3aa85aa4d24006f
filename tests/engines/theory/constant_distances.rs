//! Which embeddings have constant distances, and where (`docs/model.md` sections 3 and 8; González &
//! Valero 1993, 2.2 to 4).

use cubefold_mapping::EmbeddingKind;
use cubefold_topology::{Extent, Machine};

use super::setting::{all_wrap, distances, embed, line, machines, measure};

/// Checks on every machine of up to `2^10` nodes that the embedding has constant distances exactly where
/// every extent is one of `where_constant`; on those of up to `2^8` by the definition besides.
fn check(kind: EmbeddingKind, where_constant: impl Fn(&Machine) -> bool) {
    for (bits, machine) in (1..=10).flat_map(|bits| machines(bits).into_iter().map(move |own| (bits, own))) {
        let (placement, expected) = (embed(kind, &machine), where_constant(&machine));
        assert_eq!(
            measure(&placement).constant_distances(),
            expected,
            "{kind} on {:?}",
            machine.shape().lengths()
        );
        if bits <= 8 {
            let same = |row: &Vec<u64>| row.iter().all(|&distance| distance == row[0]);
            assert_eq!(
                distances(&placement).iter().all(same),
                expected,
                "{kind} on {:?}",
                machine.shape().lengths()
            );
        }
    }
}

#[test]
fn standard_has_constant_distances_on_every_machine() {
    check(EmbeddingKind::Standard, |_| true);
}

#[test]
fn xor_has_constant_distances_exactly_where_every_dimension_over_2_wraps() {
    check(EmbeddingKind::Xor, all_wrap);
}

#[test]
fn optimal_has_constant_distances_on_every_machine() {
    check(EmbeddingKind::Optimal, |_| true);
}

#[test]
fn gray_has_constant_distances_exactly_on_products_of_pairs_and_rings_of_4() {
    let constant = |extent: Extent| extent.length() == 2 || (extent.is_ring() && extent.length() == 4);
    check(EmbeddingKind::Gray, |machine| machine.extents().all(constant));
}

#[test]
fn byweight_has_constant_distances_exactly_where_no_dimension_is_longer_than_4() {
    check(EmbeddingKind::Byweight, |machine| machine.extents().all(|extent| extent.length() <= 4));
}

#[test]
fn xor_on_a_line_has_the_distances_of_standard_but_for_two_in_the_last_dimension() {
    // The third and the fourth quarter of the line change places: processes of the first quarter have
    // their last neighbour in the fourth, three quarters away, and those of the second in the third.
    for bits in 2..=12 {
        let (quarter, found) = (1_u64 << (bits - 2), distances(&embed(EmbeddingKind::Xor, &line(bits))));
        let (last, others) = found.split_last().unwrap();
        for (row, distance) in others.iter().zip((0..).map(|i| 1 << i)) {
            assert!(row.iter().all(|&own| own == distance));
        }
        for (process, &distance) in (0_u64..).zip(last) {
            let far = process / quarter % 2 == 0;
            assert_eq!(distance, if far { 3 * quarter } else { quarter });
        }
    }
}
