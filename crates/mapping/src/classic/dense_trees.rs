//! Complete binary trees in hypercubes with dilation 1: in a larger cube, with two vertices on some nodes, or with a
//! whole path of vertices on a node.

use cubefold_topology::NodeId;

use super::{
    construction::{ClassicConstruction, Plan},
    double_rooted_tree::{DoubleRootedTree, MAX_DEPTH, depth_of_tree_in_cube},
    error::{ClassicError, in_range},
    heap_order::{edges, joined},
    machines::{hypercube, nodes},
    routed_embedding::RoutedEmbedding,
};

/// A complete binary tree in the next larger hypercube.
pub(super) static WIDE_TREE: ClassicConstruction = ClassicConstruction {
    name: "wide-tree",
    summary: "a binary tree of n levels on a hypercube of n + 2 dimensions",
    promised_dilation: "1",
    source: "embeddings of trees",
    plan: |pair| {
        let depth = depth_of_tree_in_cube(pair, 2).filter(|&depth| depth < MAX_DEPTH)?;
        Some(Ok(Plan::exact(1, larger_cube_places(depth))))
    },
};

/// The complete binary tree of a depth in the hypercube of `depth + 2` dimensions with load 1 and dilation 1 (CS838
/// 1999, embeddings of trees).
///
/// Root and left subtree are those of the tree with two roots, in the lower half. The right subtree is a copy of the
/// left one in the upper half, moved so that it begins across from the root.
///
/// # Errors
///
/// When `depth` is not 1 to 18.
pub fn tree_in_larger_cube(depth: u32) -> Result<RoutedEmbedding, ClassicError> {
    in_range("depth", depth, 1..=MAX_DEPTH - 1)?;
    let host = hypercube(depth + 2)?;
    Ok(RoutedEmbedding::along_routes_of_the_host(host, larger_cube_places(depth), edges(depth))?)
}

pub(super) fn larger_cube_places(depth: u32) -> Vec<NodeId> {
    let DoubleRootedTree { root, left, .. } = DoubleRootedTree::of_depth(depth);
    let shift = left[0] ^ root ^ 2 << depth;
    let right: Vec<u32> = left.iter().map(|vertex| vertex ^ shift).collect();
    nodes(joined(root, &left, &right))
}

/// A complete binary tree in the smallest hypercube, two vertices on some nodes.
pub(super) static SHARED_TREE: ClassicConstruction = ClassicConstruction {
    name: "shared-tree",
    summary: "a binary tree of n levels, n at least 2, on a hypercube of n + 1 dimensions",
    promised_dilation: "1",
    source: "embeddings of trees",
    plan: |pair| {
        let depth = depth_of_tree_in_cube(pair, 1).filter(|&depth| depth >= 2)?;
        Some(shared_places(depth).map(|places| Plan::exact(1, places)))
    },
};

/// The complete binary tree of a depth in the hypercube of `depth + 1` dimensions with dilation 1 and load 2:
/// `2^(n-2) + 2^(n-4) + ...` nodes have two vertices and `2^(n-1) - 2^(n-3) - ...` none, where `n` is the depth; no
/// embedding of dilation 1 has fewer (CS838 1999, embeddings of trees; the signs are lost in print).
///
/// Each half of the cube has a copy of the tree of the depth below. The root is beside the root of the first, on an
/// empty node when the depth is odd and on one with a vertex when it is even; the second begins across from it.
///
/// # Errors
///
/// When `depth` is not 2 to 19.
pub fn tree_with_shared_nodes(depth: u32) -> Result<RoutedEmbedding, ClassicError> {
    in_range("depth", depth, 2..=MAX_DEPTH)?;
    let host = hypercube(depth + 1)?;
    Ok(RoutedEmbedding::along_routes_of_the_host(host, shared_places(depth)?, edges(depth))?)
}

pub(super) fn shared_places(depth: u32) -> Result<Vec<NodeId>, ClassicError> {
    let mut tree = vec![0, 1, 2]; // of depth 1
    for depth in 2..=depth {
        let root = root_beside(&tree, depth).ok_or_else(|| ClassicError::NotFound {
            guest: format!("a root of depth {depth}"),
            host: format!("the neighbours of node {}", tree[0]),
            steps: depth.into(),
        })?;
        let shift = tree[0] ^ root ^ 1 << depth;
        let copy: Vec<u32> = tree.iter().map(|vertex| vertex ^ shift).collect();
        tree = joined(root, &tree, &copy);
    }
    Ok(nodes(tree))
}

/// The neighbour of a tree's root that the root of the next depth goes to.
fn root_beside(tree: &[u32], depth: u32) -> Option<u32> {
    let mut loads = vec![0_u32; 1 << depth];
    for &vertex in tree {
        loads[vertex as usize] += 1;
    }
    let load = u32::from(depth.is_multiple_of(2));
    let mut beside = (0..depth).map(|dimension| tree[0] ^ 1 << dimension);
    beside.find(|&node| loads[node as usize] == load)
}

/// A complete binary tree as divide and conquer runs on a hypercube.
pub(super) static BINOMIAL_TREE: ClassicConstruction = ClassicConstruction {
    name: "binomial-tree",
    summary: "a binary tree of n levels on a hypercube of n dimensions",
    promised_dilation: "1",
    source: "simulation of binary divide and conquer",
    plan: |pair| Some(Ok(Plan::exact(1, binomial_places(depth_of_tree_in_cube(pair, 0)?)))),
};

/// The complete binary tree of a depth in the hypercube of as many dimensions, as divide and conquer runs on it: the
/// left child stays on the node of its parent, the right child of a vertex of level `l` goes across dimension `l`
/// (CS838 1999, simulation of binary divide and conquer; errata N8).
///
/// Dilation and link congestion are 1. Every node has one vertex of each level at most, and one leaf; node 0 has
/// `depth + 1` vertices. The links used form the binomial spanning tree.
///
/// # Errors
///
/// When `depth` is not 1 to 19.
pub fn binomial_tree(depth: u32) -> Result<RoutedEmbedding, ClassicError> {
    in_range("depth", depth, 1..=MAX_DEPTH)?;
    Ok(RoutedEmbedding::along_routes_of_the_host(hypercube(depth)?, binomial_places(depth), edges(depth))?)
}

pub(super) fn binomial_places(depth: u32) -> Vec<NodeId> {
    let mut tree = vec![0];
    for vertex in 1..(2_u32 << depth) - 1 {
        let (parent, level) = ((vertex - 1) / 2, vertex.div_ceil(2).ilog2());
        let across = if vertex.is_multiple_of(2) { 1 << level } else { 0 };
        tree.push(tree[parent as usize] ^ across);
    }
    nodes(tree)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_is_a_subgraph_of_the_cube_after_next() {
        for depth in 1..=10 {
            let measures = tree_in_larger_cube(depth).unwrap().measures();
            assert_eq!((measures.load, measures.dilation, measures.link_congestion), (1, 1, 1));
        }
    }

    /// `2^first + 2^(first - 2) + ...`, down to 2^0 or 2^1.
    fn every_other_power(first: i32) -> u64 {
        (0..=first).rev().step_by(2).map(|exponent| 1 << exponent).sum()
    }

    #[test]
    fn as_few_nodes_as_possible_have_two_vertices() {
        for depth in 2..=12 {
            let embedding = tree_with_shared_nodes(depth).unwrap();
            let (measures, exponent) = (embedding.measures(), depth.cast_signed());
            assert_eq!((measures.load, measures.dilation), (2, 1));
            assert_eq!(embedding.nodes_with_load(2), every_other_power(exponent - 2), "depth {depth}");
            let none = (1 << (depth - 1)) - every_other_power(exponent - 3);
            assert_eq!(embedding.nodes_with_load(0), none, "depth {depth}");
        }
    }

    #[test]
    fn divide_and_conquer_puts_one_vertex_of_a_level_on_a_node() {
        for depth in 1..=10 {
            let embedding = binomial_tree(depth).unwrap();
            let measures = embedding.measures();
            assert_eq!((measures.load, measures.least_load), (u64::from(depth) + 1, 1));
            assert_eq!((measures.dilation, measures.link_congestion), (1, 1));
            for level in 0..=depth {
                let mut of_level = embedding.nodes()[(1 << level) - 1..(2 << level) - 1].to_vec();
                of_level.sort_unstable();
                of_level.dedup();
                assert_eq!(of_level.len(), 1 << level, "depth {depth}, level {level}");
            }
        }
    }
}
