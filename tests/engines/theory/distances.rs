//! Distances between neighbours under the embeddings: their values on rings, where they are constant, and that no
//! placement with constant distances has less of them than xor.

use cubefold_mapping::{EmbeddingKind, for_each_constant_distance_placement};
use cubefold_topology::{Extent, Machine};

use super::setting::{all_wrap, distances, embed, for_each_bijection, line, machines, measure, place, ring};

// Distances and total dilations of `standard` and `xor` on rings (`docs/model.md` section 8; González & Valero
// 1993, sections 2.3 and 3; González et al. 1995, 4.4).

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

// Which embeddings have constant distances, and where (`docs/model.md` sections 3 and 8; González & Valero 1993,
// 2.2 to 4).

/// Checks on every machine of up to `2^10` nodes that the embedding has constant distances exactly where
/// every extent is one of `where_constant`; on those of up to `2^8` by the definition besides.
fn check(kind: EmbeddingKind, where_constant: impl Fn(&Machine) -> bool) {
    for (bits, machine) in
        (1..=10).flat_map(|bits| machines(bits).into_iter().map(move |machine| (bits, machine)))
    {
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
            assert!(row.iter().all(|&entry| entry == distance));
        }
        for (process, &distance) in (0_u64..).zip(last) {
            let far = process / quarter % 2 == 0;
            assert_eq!(distance, if far { 3 * quarter } else { quarter });
        }
    }
}

// Theorem 10 of González & Valero 1993 (`docs/model.md` section 8): on the ring of `2^d` no embedding with
// constant distances has a smaller average distance than `(3 * 2^(d-2) - 1)/d`, that of `xor`.

/// The sum of the distances that the theorem allows at least, `d` times the average.
fn least_sum(bits: u32) -> u64 {
    3 * (1 << (bits - 2)) - 1
}

#[test]
fn xor_average_distance_meets_theorem_10_on_every_ring() {
    for bits in 2..=16 {
        let metrics = measure(&embed(EmbeddingKind::Xor, &ring(bits)));
        assert!(metrics.constant_distances());
        let sum: u64 = metrics.distances.iter().map(|distances| distances.over_edges.max).sum();
        assert_eq!(sum, least_sum(bits));
    }
}

/// The distances of all placements with constant distances on the ring of 8, by trial of every bijection.
fn distances_of_all_bijections_on_the_ring_of_8() -> Vec<Vec<u64>> {
    let (ring, mut found) = (ring(3), vec![]);
    for_each_bijection(8, |nodes| {
        let metrics = measure(&place(&ring, nodes));
        if metrics.constant_distances() {
            found.push(metrics.distances.iter().map(|distances| distances.over_edges.max).collect());
        }
    });
    found
}

#[test]
fn no_bijection_with_constant_distances_beats_xor_on_the_ring_of_8() {
    let sums: Vec<u64> = distances_of_all_bijections_on_the_ring_of_8()
        .iter()
        .map(|distances| distances.iter().sum())
        .collect();
    assert_eq!(sums.iter().min(), Some(&least_sum(3)));
    // Larger sums exist, standard's 7 among them: the theorem says something.
    assert!(sums.contains(&7));
}

/// The distances of all placements with constant distances on a ring, up to turns and reorderings.
fn distances_by_search(ring: &Machine) -> Vec<Vec<u64>> {
    let mut found = vec![];
    for_each_constant_distance_placement(ring, |nodes| {
        let distance = |bit| ring.distance(nodes[0], nodes[1_usize << bit]);
        found.push((0..nodes.len().ilog2()).map(distance).collect());
    });
    found
}

#[test]
fn the_search_finds_what_trying_every_bijection_finds() {
    let mut by_search = vec![distances_by_search(&ring(3)); 8].concat(); // for the eight nodes of process 0
    by_search.sort_unstable();
    let mut by_trial = distances_of_all_bijections_on_the_ring_of_8();
    by_trial.retain(|distances| distances.is_sorted());
    by_trial.sort_unstable();
    assert_eq!(by_search, by_trial);
}

fn check_every_placement(bits: u32) {
    let found = distances_by_search(&ring(bits));
    let least = found.iter().map(|distances| distances.iter().sum()).min();
    assert_eq!(least, Some(least_sum(bits)), "ring of 2^{bits}");
}

#[test]
fn no_bijection_with_constant_distances_beats_xor_on_the_rings_of_4_to_32() {
    (2..=5).for_each(check_every_placement);
}

#[test]
#[ignore = "half a minute: the ring of 64"]
fn no_bijection_with_constant_distances_beats_xor_on_the_ring_of_64() {
    check_every_placement(6);
}
