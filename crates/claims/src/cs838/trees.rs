//! Paths, cycles and trees in hypercubes and on meshes.

use cubefold_mapping::{
    ProcessId, RoutedEmbedding,
    classic::{
        Caterpillar, ClassicError, FlipBit, GrowingTree, Side, balanced_caterpillars, binomial_tree,
        caterpillar_in_cube, double_rooted_tree, gray_cycle, gray_path, growing_tree, mesh_of_trees,
        tree_in_cube, tree_in_larger_cube, tree_on_mesh, tree_with_shared_nodes,
    },
};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha12Rng;

use super::promise::{
    Measure,
    Promise::{AtMost, Exactly},
    check, congestion, dilation, load,
};
use crate::{
    cases::key,
    claim::{Claim, Quantity, Trial, claims},
    findings::{Case, Findings, Scope, for_each},
};

claims! {
    /// In the order of the notes.
    pub(super) CLAIMS:

    "CS838 paths and cycles":
        GRAY_PATH = "dilation of the line of 2^n along the Gray code of Q_n, load 1: 1";
        GRAY_CYCLE = "dilation of the ring of 2^n along the Gray code of Q_n, load 1: 1";

    "CS838 trees":
        SPANNING = "dilation of the tree of depth n with two roots, a spanning tree of Q_(n+1): 1";
        SPANNED = "expansion of the tree of depth n with two roots in Q_(n+1), load 1: 1";
        TREE_EXPANSION = "expansion of CBT_n in Q_(n+1): 2^(n+1) / (2^(n+1) - 1)";
        TREE_LOAD = "load of CBT_n in Q_(n+1) without the second root: 1";
        TREE_DILATION = "dilation of CBT_n in Q_(n+1) without the second root: 2";
        TREE_CONGESTION = "link congestion of CBT_n in Q_(n+1) without the second root: 1";
        TREE_DILATED = "dilated edges of CBT_n in Q_(n+1) without the second root: 1";
        WIDE = "dilation of CBT_n in Q_(n+2): 1";
        WIDE_LOAD = "load of CBT_n in Q_(n+2): 1";
        SHARED = "dilation of CBT_n in Q_(n+1) with shared nodes: 1";
        SHARED_LOAD = "load of CBT_n in Q_(n+1) with shared nodes: 2";
        SHARED_TWO = "nodes with two vertices there: 2^(n-2) + 2^(n-4) + ..";
        SHARED_NONE = "nodes without a vertex there: 2^(n-1) - 2^(n-3) - 2^(n-5) - ..";
        CATERPILLAR =
            "dilation of balanced one-legged caterpillars, all of 4, 8, 16 vertices, some of 32, in their hypercube: 1";

    "CS838 dynamic trees":
        GROWING = "dilation of binary trees placed by flip bits: 1";
        GROWING_LOAD =
            "load of random binary trees of M vertices on Q_n: O(M/N + log N), at most 4 (M/N + n) here";
        GROWN_LOAD = "load of the complete tree of depth D >= n by any flip bits: n + 2^(D-n+1) - 1 exactly";

    "CS838 divide and conquer":
        BINOMIAL = "dilation of CBT_n on Q_n as a binomial tree: 1";
        BINOMIAL_CONGESTION = "link congestion of CBT_n on Q_n as a binomial tree: 1";
        BINOMIAL_LEVEL = "most vertices of one level on one node in the binomial tree: 1";

    "CS838 meshes of trees":
        MESH_OF_TREES = "dilation of MT_n in Q_(2n+2), load 1: 2";
        MESH_OF_TREES_EXPANSION = "expansion of MT_n in Q_(2n+2): 4 2^n / (3 2^n - 2)";
        MESH_OF_TREES_CONGESTION = "link congestion of MT_n in Q_(2n+2): 1";

    "CS838 divide and conquer on meshes":
        ON_MESH = "dilation of CBT_2m on the mesh (2^m, 2^m): 2^m + O(m), at most 2^m + 2m here";
        ON_MESH_LOAD = "load of CBT_2m on the mesh (2^m, 2^m): 2";
        ON_MESH_CHANNELS = "most edges of CBT_2m on the mesh, from parent to child, over one channel: 1";
}

pub(super) fn cases(scope: Scope) -> Vec<Case> {
    let (most, levels, order, seeds) = scope.quick_or_full((7, 4, 4, 5), (13, 6, 7, 50));
    let caterpillars = for_each(2..=4, caterpillars);
    let growing = for_each(1..=most.min(9), move |n, findings| growing(n, seeds, findings));
    [
        for_each(1..=most, paths),
        for_each(1..=most, complete_trees),
        for_each(2..=most, shared_tree),
        for_each(1..=most, binomial),
        for_each(1..=levels, meshes_of_trees),
        for_each(1..=order, on_meshes),
        caterpillars,
        for_each(1..=seeds, random_caterpillar),
        growing,
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn paths(n: u32, findings: &mut Findings) {
    let case = format!("n = {n}");
    check(findings, &case, gray_path(n), &[(GRAY_PATH, dilation, Exactly(1))]);
    if n > 1 {
        check(findings, &case, gray_cycle(n), &[(GRAY_CYCLE, dilation, Exactly(1))]);
    }
}

fn complete_trees(n: u32, findings: &mut Findings) {
    let case = format!("n = {n}");
    let (spanning, vertices) = (double_rooted_tree(n), (2 << n) - 1);
    expansion(findings, SPANNED, &case, &spanning, Quantity::from(1));
    expansion(findings, TREE_EXPANSION, &case, &tree_in_cube(n), Quantity::fraction(vertices + 1, vertices));
    check(findings, &case, spanning, &[(SPANNING, dilation, Exactly(1))]);
    let promises = [
        (TREE_LOAD, load as Measure, Exactly(1)),
        (TREE_DILATION, dilation, Exactly(2)),
        (TREE_CONGESTION, congestion, Exactly(1)),
        (TREE_DILATED, |measures| measures.dilated_edges, Exactly(1)),
    ];
    check(findings, &case, tree_in_cube(n), &promises);
    let promises = [(WIDE, dilation as Measure, Exactly(1)), (WIDE_LOAD, load, Exactly(1))];
    check(findings, &case, tree_in_larger_cube(n), &promises);
}

/// Adds the trial of nodes over vertices.
fn expansion(
    findings: &mut Findings,
    claim: Claim,
    case: &str,
    embedding: &Result<RoutedEmbedding, ClassicError>,
    promised: Quantity,
) {
    let trial = embedding.as_ref().map(|embedding| {
        let measures = embedding.measures();
        Trial::equal(promised, Quantity::fraction(measures.host_nodes, measures.vertices))
    });
    findings.try_add(claim, trial, &case);
}

fn shared_tree(n: u32, findings: &mut Findings) {
    let case = format!("n = {n}");
    let embedding = tree_with_shared_nodes(n);
    if let Ok(embedding) = &embedding {
        // n - 2, n - 4, .. and n - 3, n - 5, ..
        let powers = |from: u32| {
            (0..=n)
                .rev()
                .filter(move |exponent| exponent + from <= n && (n - exponent - from).is_multiple_of(2))
        };
        let sum = |from| powers(from).map(|exponent| 1_u64 << exponent).sum::<u64>();
        let none = (1 << (n - 1)) - sum(3);
        findings.add(SHARED_TWO, Trial::equal(sum(2), embedding.nodes_with_load(2)), &case);
        findings.add(SHARED_NONE, Trial::equal(none, embedding.nodes_with_load(0)), &case);
    }
    let promises = [(SHARED, dilation as Measure, Exactly(1)), (SHARED_LOAD, load, Exactly(2))];
    check(findings, &case, embedding, &promises);
}

fn caterpillars(n: u32, findings: &mut Findings) {
    for caterpillar in balanced_caterpillars(1 << n) {
        caterpillar_spans(&caterpillar, findings);
    }
}

/// A caterpillar of 32 vertices, drawn until it is balanced.
fn random_caterpillar(seed: u32, findings: &mut Findings) {
    let mut generator = ChaCha12Rng::from_seed(key(&format!("caterpillar {seed}")));
    let caterpillar = loop {
        let spine: u32 = generator.random_range(17..=31);
        let mut free: Vec<u32> = (1..spine - 1).collect();
        let legs: Vec<u32> =
            (spine..32).map(|_| free.swap_remove(generator.random_range(0..free.len()))).collect();
        match Caterpillar::new(spine, &legs) {
            Ok(caterpillar) if caterpillar.is_balanced() => break caterpillar,
            Ok(_) | Err(_) => {}
        }
    };
    caterpillar_spans(&caterpillar, findings);
}

fn caterpillar_spans(caterpillar: &Caterpillar, findings: &mut Findings) {
    let embedding = caterpillar_in_cube(caterpillar);
    check(findings, &format!("{caterpillar:?}"), embedding, &[(CATERPILLAR, dilation, Exactly(1))]);
}

fn growing(n: u32, seeds: u32, findings: &mut Findings) {
    for seed in 0..seeds {
        let task = format!("growing tree {seed} on the cube of {n} dimensions");
        let mut generator = ChaCha12Rng::from_seed(key(&task));
        let vertices = generator.random_range(2..=8 << n);
        let tree = random_tree(vertices, &mut generator);
        let flips: Vec<FlipBit> = (0..vertices).map(|_| flip(&mut generator)).collect();
        let embedding = tree.and_then(|tree| growing_tree(&tree, n, |vertex| flips[vertex.label() as usize]));
        let most = 4 * (u64::from(vertices).div_ceil(1 << n) + u64::from(n));
        let promises = [(GROWING, dilation as Measure, AtMost(1)), (GROWING_LOAD, load, AtMost(most))];
        check(findings, &format!("{task}, {vertices} vertices"), embedding, &promises);
        let depth = n + seed % 4;
        let flip = |_: ProcessId| flip(&mut generator);
        let embedding = growing_tree(&GrowingTree::complete(depth), n, flip);
        let most = u64::from(n) + (2 << (depth - n)) - 1;
        let case = format!("n = {n}, D = {depth}");
        check(findings, &case, embedding, &[(GROWN_LOAD, load, Exactly(most))]);
    }
}

fn flip(generator: &mut ChaCha12Rng) -> FlipBit {
    if generator.random_range(0..2) == 0 { FlipBit::LeftStays } else { FlipBit::RightStays }
}

/// A tree in which every vertex takes one of the free places below earlier vertices.
fn random_tree(vertices: u32, generator: &mut ChaCha12Rng) -> Result<GrowingTree, ClassicError> {
    let mut free = vec![(0, Side::Left), (0, Side::Right)];
    let mut parents = vec![];
    for vertex in 1..vertices {
        let place = free.swap_remove(generator.random_range(0..free.len()));
        parents.push(place);
        free.extend([(vertex, Side::Left), (vertex, Side::Right)]);
    }
    GrowingTree::new(parents)
}

fn binomial(n: u32, findings: &mut Findings) {
    let case = format!("n = {n}");
    let embedding = binomial_tree(n);
    if let Ok(embedding) = &embedding {
        findings.add(BINOMIAL_LEVEL, Trial::equal(1, most_of_a_level(embedding, n)), &case);
    }
    let promises =
        [(BINOMIAL, dilation as Measure, Exactly(1)), (BINOMIAL_CONGESTION, congestion, Exactly(1))];
    check(findings, &case, embedding, &promises);
}

/// The most vertices of one level of a complete binary tree that share a node.
fn most_of_a_level(embedding: &RoutedEmbedding, depth: u32) -> u64 {
    let most = |level: u32| {
        let mut nodes = embedding.nodes()[(1 << level) - 1..(2 << level) - 1].to_vec();
        nodes.sort_unstable();
        nodes.chunk_by(|one, other| one == other).map(<[_]>::len).max().unwrap_or(0) as u64
    };
    (0..=depth).map(most).max().unwrap_or(0)
}

fn meshes_of_trees(n: u32, findings: &mut Findings) {
    let (case, embedding) = (format!("n = {n}"), mesh_of_trees(n));
    let ratio = Quantity::fraction(4 << n, (3 << n) - 2);
    expansion(findings, MESH_OF_TREES_EXPANSION, &case, &embedding, ratio);
    let promises = [
        (MESH_OF_TREES, dilation as Measure, Exactly(2)),
        (MESH_OF_TREES_CONGESTION, congestion, Exactly(1)),
    ];
    check(findings, &case, embedding, &promises);
}

fn on_meshes(m: u32, findings: &mut Findings) {
    let most = (1 << m) + 2 * u64::from(m);
    let promises = [
        (ON_MESH, dilation as Measure, AtMost(most)),
        (ON_MESH_LOAD, load, Exactly(2)),
        (ON_MESH_CHANNELS, |measures| measures.channel_congestion, Exactly(1)),
    ];
    check(findings, &format!("m = {m}"), tree_on_mesh(m), &promises);
}
