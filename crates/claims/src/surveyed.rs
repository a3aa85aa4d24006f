//! Results of others, quoted in Tao 1988, 2.2 and 3.5, that fail as quoted (T8, T9 of `docs/errata.md`).

use std::collections::BTreeMap;

use crate::{
    claim::{Quantity, Trial, claims},
    findings::{Case, Findings, for_each},
};

claims! {
    /// In the order of the errata.
    pub(super) CLAIMS:

    "Tao 2.2, 3.5 [Fit74]":
        CUBE_ON_LINE (erratum "T8") =
            "dilation of n x n x n on a line by weight, said to be optimal: ceil((3n^2 + 2n) / 4), no less; it is the floor";

    "Tao 2.2 [DEL78b]":
        MESH_IN_TREE (erratum "T9") =
            "mean dilation of n x n on the leaves of a binary tree in Z-order: no less than n/12; it is at most 8";
}

pub(super) fn cases() -> Vec<Case> {
    let mut cases = for_each(2..=9, cube_on_line);
    cases.extend(for_each(1..=8, mesh_in_tree));
    cases
}

/// The nodes are in the order of the sums of their coordinates, equal sums in lexicographic order. They are sorted here, not by
/// the order that places meshes on lines.
fn cube_on_line(side: u64, findings: &mut Findings) {
    let plane = |x| (0..side).flat_map(move |y| (0..side).map(move |z| [x, y, z]));
    let mut order: Vec<[u64; 3]> = (0..side).flat_map(plane).collect();
    order.sort_by_key(|node| node.iter().sum::<u64>());
    let places: BTreeMap<[u64; 3], u64> = order.into_iter().zip(0..).collect();
    let longest = |([x, y, z], place): (&[u64; 3], &u64)| {
        let next = [[x + 1, *y, *z], [*x, y + 1, *z], [*x, *y, z + 1]];
        next.iter().filter_map(|node| Some(places.get(node)?.abs_diff(*place))).max()
    };
    let dilation = places.iter().filter_map(longest).max().unwrap_or(0);
    let (case, fourfold) = (format!("n = {side}"), 3 * side * side + 2 * side);
    findings.add(CUBE_ON_LINE, Trial::at_least(fourfold.div_ceil(4), dilation), &case);
    findings.add_reading(CUBE_ON_LINE, Trial::equal(fourfold / 4, dilation), &case);
}

/// Leaves whose numbers differ first in bit `b`, counted from 0, are `2 (b + 1)` links apart.
fn mesh_in_tree(order: u32, findings: &mut Findings) {
    let side = 1_u32 << order;
    let leaf = |row: u32, column: u32| {
        (0..order).fold(0_u32, |leaf, bit| {
            leaf | (row >> bit & 1) << (2 * bit + 1) | (column >> bit & 1) << (2 * bit)
        })
    };
    let links = |one: u32, other: u32| u64::from(2 * (u32::BITS - (one ^ other).leading_zeros()));
    let (mut sum, mut edges) = (0, 0);
    for (row, column) in (0..side).flat_map(|row| (0..side).map(move |column| (row, column))) {
        for (next_row, next_column) in [(row + 1, column), (row, column + 1)] {
            if next_row < side && next_column < side {
                sum += links(leaf(row, column), leaf(next_row, next_column));
                edges += 1;
            }
        }
    }
    let (case, mean) = (format!("n = {side}"), Quantity::fraction(sum, edges));
    findings.add(MESH_IN_TREE, Trial::at_least(Quantity::fraction(side.into(), 12), mean), &case);
    findings.add_reading(MESH_IN_TREE, Trial::at_most(8_u64, mean), &case);
}
