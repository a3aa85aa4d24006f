//! Trees and meshes of the notes' lemmas in any dimension, and of the surveys in Tao 1988, 2.2
//! (`docs/model.md` section 28.6).

use cubefold_mapping::{
    RoutedEmbedding,
    classic::{
        ClassicError, CubeAndRectangle, Foldings, cube_in_rectangle, k_ary_tree, rectangle_in_cube, squeeze,
        stretched_tree, tree_in_tree, two_trees, z_order_in_tree,
    },
};

use super::promise::{
    Measure,
    Promise::{AtMost, Exactly},
    check, dilation, load,
};
use crate::{
    cases::shapes,
    claim::{Claim, Quantity, Trial, claims},
    findings::{Case, Findings, Scope, for_each},
};

claims! {
    pub(super) CLAIMS:

    "Dutta & Jha 1986":
        STRETCHED = "dilation of CBT_n with a vertex on the link to the right child, spanning Q_(n+1): 1";
        STRETCHED_LOAD = "least load of that tree in Q_(n+1), where the largest is 1: 1";
        TWO_TREES = "dilation of two CBT_n in Q_(n+2), load 1: 1";

    "Wu 1985":
        K_ARY =
            "dilation of the complete k-ary tree of n levels in Q_(nb+1), b = ceil(log2 k), load 1: b + 1 at most, 2 b there";

    "Hong, Mehlhorn & Rosenberg 1983":
        IN_TREE = "dilation of the complete k-ary tree of n levels in CBT_nb, b = ceil(log2 k), load 1: b";

    "Rosenberg & Snyder 1978":
        Z_ORDER = "mean dilation of M(2^m, .., 2^m) on the leaves of the 2^D-ary tree: 4 - 2m / (2^m - 1)";

    "CS838 meshes in meshes":
        CUBE = "dilation of M(w, .., w) in M(z1, .., zn) of as many nodes, n >= 2: ceil(z1 / w)";
        CUBE_LOAD =
            "load of M(w, .., w) in M(z1, .., zn): 2 if w divides the longest side at every level, else 2^(n-1), at most";
        FOLDED = "dilation of M(z1, .., zn) folded two sides at a time into M(w, .., w): a constant, 1 here";
        FOLDED_LOAD = "load of M(z1, .., zn) folded into M(w, .., w): 2 for each folding, at most";
        SQUEEZED =
            "dilation of M(a, b) in M(a', b'), a' < a <= 2 a', b' the least possible, load 1: 2 at most";
        SQUEEZED_MORE =
            "dilation of M(a, b) in M(a', b'), 2 a' < a <= 3 a', b' the least possible, load 1: 3 at most";
        SQUEEZED_LOAD = "load of M(a, b) squeezed into M(a', b'): 1";
}

pub(super) fn cases(scope: Scope) -> Vec<Case> {
    let (levels, arity, side, height, width) = scope.quick_or_full((7, 6, 6, 7, 9), (13, 17, 12, 11, 24));
    [
        for_each(1..=levels, trees_of_dutta_and_jha),
        for_each(2..=arity, move |arity, findings| k_ary_trees(arity, levels, findings)),
        for_each(1..=4, move |dimensions, findings| on_leaves(dimensions, levels, findings)),
        for_each(2..=side, meshes_of_side),
        for_each(3..=height, move |height, findings| squeezed(height, width, findings)),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn trees_of_dutta_and_jha(n: u32, findings: &mut Findings) {
    let case = format!("n = {n}");
    let promises: [(Claim, Measure, _); 2] =
        [(STRETCHED, dilation, Exactly(1)), (STRETCHED_LOAD, |measures| measures.least_load, Exactly(1))];
    check(findings, &case, stretched_tree(n), &promises);
    check(findings, &case, two_trees(n), &[(TWO_TREES, dilation, Exactly(1))]);
}

fn k_ary_trees(arity: u32, binary_levels: u32, findings: &mut Findings) {
    let bits = arity.next_power_of_two().ilog2();
    for levels in 1..=binary_levels / bits {
        let case = format!("k = {arity}, n = {levels}");
        check(findings, &case, k_ary_tree(arity, levels), &[(K_ARY, dilation, AtMost(u64::from(bits) + 1))]);
        check(findings, &case, tree_in_tree(arity, levels), &[(IN_TREE, dilation, Exactly(bits.into()))]);
    }
}

fn on_leaves(dimensions: u32, bits: u32, findings: &mut Findings) {
    for order in 1..=bits / dimensions {
        let case = format!("D = {dimensions}, m = {order}");
        let embedding = z_order_in_tree(dimensions, order);
        let Some(embedding) = findings.or_fail(Z_ORDER, &case, embedding) else { continue };
        let links: u64 = embedding.paths().map(|(_, path)| path.len() as u64 - 1).sum();
        let measured = Quantity::fraction(links, embedding.paths().count() as u64);
        let inner = (1_u64 << order) - 1;
        let promised = Quantity::fraction(4 * inner - 2 * u64::from(order), inner);
        findings.add(Z_ORDER, Trial::equal(promised, measured), &case);
    }
}

/// The most nodes of a tested mesh of equal sides.
const MAX_CUBE: u64 = 1 << 11;

fn meshes_of_side(side: u32, findings: &mut Findings) {
    let side = u64::from(side);
    for dimensions in (2..=5).filter(|&dimensions| side.pow(dimensions) <= MAX_CUBE) {
        for lengths in shapes(side.pow(dimensions)) {
            let (is_sorted, case) = (lengths.is_sorted_by(|one, other| one >= other), format!("{lengths:?}"));
            let dimensions = dimensions as usize;
            if !is_sorted || lengths.len() > dimensions || lengths[0] == side {
                continue;
            }
            if let Some(pair) = CubeAndRectangle::new(dimensions, &lengths) {
                let promises: [(Claim, Measure, _); 2] = [
                    (CUBE, dilation, Exactly(lengths[0].div_ceil(side))),
                    (CUBE_LOAD, load, AtMost(pair.load())),
                ];
                check(findings, &case, cube_in_rectangle(dimensions, &lengths), &promises);
            }
            if let Some(foldings) = Foldings::new(&lengths).filter(|_| lengths.len() == dimensions) {
                let embedding: Result<RoutedEmbedding, ClassicError> = rectangle_in_cube(&lengths);
                check(findings, &case, embedding.clone(), &[(FOLDED, dilation, Exactly(1))]);
                if let Some(most) = foldings.load() {
                    check(findings, &case, embedding, &[(FOLDED_LOAD, load, AtMost(most))]);
                }
            }
        }
    }
}

fn squeezed(height: u32, width: u32, findings: &mut Findings) {
    let height = u64::from(height);
    for rows in height.div_ceil(3).max(2)..height {
        for width in 2..=u64::from(width) {
            let case = format!("M({height}, {width}) in {rows} rows");
            let claim = if height > 2 * rows { (SQUEEZED_MORE, AtMost(3)) } else { (SQUEEZED, AtMost(2)) };
            let promises: [(Claim, Measure, _); 2] =
                [(claim.0, dilation, claim.1), (SQUEEZED_LOAD, load, Exactly(1))];
            check(findings, &case, squeeze([height, width], rows), &promises);
        }
    }
}
