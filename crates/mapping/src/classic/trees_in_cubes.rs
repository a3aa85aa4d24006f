//! Complete binary trees in hypercubes: with one edge over two links, in a larger cube, with two
//! vertices on some nodes, and as divide and conquer runs.
//!
//! CS838 1999, embeddings of trees. Trees are in heap order: the root first, then level by level.
//! All but the last construction derive from the tree with two roots, a spanning tree of the
//! hypercube.

use cubefold_topology::{MachineKind, NodeId};

use super::{
    construction::{ClassicConstruction, Pair, Plan},
    error::{ClassicError, in_range},
    machines::{MAX_DIMENSIONS, cube_dimensions, hypercube, network_dimensions, nodes},
    routed_embedding::RoutedEmbedding,
    shuffle_networks::rotated_left,
};
use crate::ProcessId;

pub(super) const MAX_DEPTH: u32 = MAX_DIMENSIONS - 1;

/// The depth of a complete binary tree, if the hypercube has `more` further dimensions.
fn depth_of_tree_in_cube(pair: Pair<'_>, more: u32) -> Option<u32> {
    let depth = network_dimensions(pair.guest, MachineKind::BinaryTree)?;
    let fits = cube_dimensions(pair.host)? == depth + more && depth <= MAX_DEPTH;
    fits.then_some(depth)
}

/// The places of the vertices of the tree with two roots in the hypercube of `depth + 1` dimensions.
///
/// ```text
///   left[0] - root - second root - right[0]
/// ```
///
/// are a path, and below `left[0]` and `right[0]` hang complete binary trees of depth `depth - 1`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct DoubleRootedTree {
    pub(super) root: u32,
    pub(super) second_root: u32,
    pub(super) left: Vec<u32>,  // in heap order
    pub(super) right: Vec<u32>, // in heap order
}

impl DoubleRootedTree {
    /// The tree of this depth, at least 1.
    ///
    /// The tree of depth `n` is made of two trees of depth `n - 1`, one in each half of the cube. The second
    /// is rotated by one dimension and moved so that its path begins across from the root of the
    /// first:
    ///
    /// ```text
    ///   left[0]  -   root   -  second  -  right[0]      in the lower half
    ///                  |          |           |
    ///               left'[0] -  root'  -  second'  -  right'[0]      in the upper half
    /// ```
    ///
    /// New roots are `second` and `root'`. The old `root` has the subtrees of `left[0]` and
    /// `left'[0]`, and `second'` those of `right[0]` and `right'[0]`. Rotated by one dimension the
    /// first two links of the path in the upper half lie in the dimensions of the last two of the
    /// lower half, whatever the depth.
    pub(super) fn of_depth(depth: u32) -> Self {
        let mut tree = Self { root: 0b01, second_root: 0b11, left: vec![0b00], right: vec![0b10] };
        for dimensions in 2..=depth {
            tree = tree.doubled(dimensions);
        }
        tree
    }

    /// The tree of twice the size, made of this one in a cube of `dimensions` dimensions and a copy of
    /// it.
    fn doubled(&self, dimensions: u32) -> Self {
        let shift = rotated_left(self.left[0], dimensions) ^ self.root;
        let across = |vertex: u32| rotated_left(vertex, dimensions) ^ shift ^ 1 << dimensions;
        let copy = |vertices: &[u32]| vertices.iter().copied().map(across).collect::<Vec<_>>();
        Self {
            root: self.second_root,
            second_root: across(self.root),
            left: joined(self.root, &self.left, &copy(&self.left)),
            right: joined(across(self.second_root), &self.right, &copy(&self.right)),
        }
    }

    /// The vertices: root, second root, the left subtree and the right one.
    fn vertices(&self) -> impl Iterator<Item = u32> {
        [self.root, self.second_root].into_iter().chain(self.left.iter().chain(&self.right).copied())
    }
}

/// The complete binary tree of a depth with two roots as a spanning tree of the hypercube of
/// `depth + 1` dimensions: every node has a vertex, every edge a link (CS838 1999, embeddings of
/// trees).
///
/// Vertices 0 and 1 are the roots, then come the left subtree and the right subtree, each in heap
/// order.
///
/// # Errors
///
/// When `depth` is not 1 to 19.
pub fn double_rooted_tree(depth: u32) -> Result<RoutedEmbedding, ClassicError> {
    let tree = DoubleRootedTree::of_depth(in_range("depth", depth, 1..=MAX_DEPTH)?);
    let edges = double_rooted_edges((1 << depth) - 1);
    let places = nodes(tree.vertices());
    Ok(RoutedEmbedding::along_routes_of_the_host(hypercube(depth + 1)?, places, edges)?)
}

/// The edges of the tree with two roots and `subtree` vertices in each subtree.
fn double_rooted_edges(subtree: u32) -> impl Iterator<Item = (ProcessId, ProcessId)> {
    let edge = |one, other| (ProcessId::new(one), ProcessId::new(other));
    let top = [edge(0, 1), edge(0, 2), edge(1, 2 + subtree)];
    let inside = [2, 2 + subtree].into_iter().flat_map(move |first| {
        (1..subtree).map(move |vertex| edge(first + (vertex - 1) / 2, first + vertex))
    });
    top.into_iter().chain(inside)
}

pub(super) static DOUBLE_ROOTED_TREE: ClassicConstruction = ClassicConstruction {
    name: "double-rooted-tree",
    summary: "a binary tree of n levels on a hypercube of n + 1 dimensions",
    promised_dilation: "2",
    source: "embeddings of trees",
    plan: |pair| {
        let depth = depth_of_tree_in_cube(pair, 1)?;
        Some(Ok(Plan::exact(2, tree_places(&DoubleRootedTree::of_depth(depth)))))
    },
};

/// The complete binary tree of a depth in the hypercube of `depth + 1` dimensions: load 1, dilation
/// 2, link congestion 1; one edge is dilated (CS838 1999, embeddings of trees).
///
/// It is the tree with two roots without the second, over whose node the edge from the root to its
/// right child goes. Messages that take the machine's own routes may meet: dimension order gives
/// link congestion 2.
///
/// # Errors
///
/// When `depth` is not 1 to 19.
pub fn tree_in_cube(depth: u32) -> Result<RoutedEmbedding, ClassicError> {
    let tree = DoubleRootedTree::of_depth(in_range("depth", depth, 1..=MAX_DEPTH)?);
    let places = tree_places(&tree);
    let node = |vertex: ProcessId| places[vertex.label() as usize];
    let removed = NodeId::new(tree.second_root);
    let path = |from: ProcessId, to: ProcessId| match (from.label(), to.label()) {
        (0, 2) => vec![node(from), removed, node(to)],
        _ => vec![node(from), node(to)],
    };
    let host = hypercube(depth + 1)?;
    Ok(RoutedEmbedding::new(host, places.clone(), heap_edges(depth), path)?)
}

/// The nodes of the tree without the second root.
pub(super) fn tree_places(tree: &DoubleRootedTree) -> Vec<NodeId> {
    nodes(joined(tree.root, &tree.left, &tree.right))
}

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

/// The complete binary tree of a depth in the hypercube of `depth + 2` dimensions with load 1 and
/// dilation 1 (CS838 1999, embeddings of trees).
///
/// Root and left subtree are as in the tree with two roots, in the lower half. The right subtree
/// is a copy of the left one in the upper half, moved so that it begins across from the root.
///
/// # Errors
///
/// When `depth` is not 1 to 18.
pub fn tree_in_larger_cube(depth: u32) -> Result<RoutedEmbedding, ClassicError> {
    in_range("depth", depth, 1..=MAX_DEPTH - 1)?;
    let host = hypercube(depth + 2)?;
    Ok(RoutedEmbedding::along_routes_of_the_host(host, larger_cube_places(depth), heap_edges(depth))?)
}

fn larger_cube_places(depth: u32) -> Vec<NodeId> {
    let DoubleRootedTree { root, left, .. } = DoubleRootedTree::of_depth(depth);
    let shift = left[0] ^ root ^ 2 << depth;
    let right: Vec<u32> = left.iter().map(|vertex| vertex ^ shift).collect();
    nodes(joined(root, &left, &right))
}

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

/// The complete binary tree of a depth in the hypercube of `depth + 1` dimensions with dilation 1
/// and load 2: `2^(n-2) + 2^(n-4) + ...` nodes have two vertices and `2^(n-1) - 2^(n-3) - ...`
/// none, where `n` is the depth; no embedding of dilation 1 has fewer (CS838 1999, embeddings of
/// trees; the signs are lost in print).
///
/// Each half of the cube has a copy of the tree of the depth below. The root is beside the root of
/// the first, on an empty node when the depth is odd and on one with a vertex when it is even; the
/// second begins across from it.
///
/// # Errors
///
/// When `depth` is not 2 to 19.
pub fn tree_with_shared_nodes(depth: u32) -> Result<RoutedEmbedding, ClassicError> {
    in_range("depth", depth, 2..=MAX_DEPTH)?;
    let host = hypercube(depth + 1)?;
    Ok(RoutedEmbedding::along_routes_of_the_host(host, shared_places(depth)?, heap_edges(depth))?)
}

fn shared_places(depth: u32) -> Result<Vec<NodeId>, ClassicError> {
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

pub(super) static BINOMIAL_TREE: ClassicConstruction = ClassicConstruction {
    name: "binomial-tree",
    summary: "a binary tree of n levels on a hypercube of n dimensions",
    promised_dilation: "1",
    source: "simulation of binary divide and conquer",
    plan: |pair| Some(Ok(Plan::exact(1, binomial_places(depth_of_tree_in_cube(pair, 0)?)))),
};

/// The complete binary tree of a depth in the hypercube with as many dimensions as levels, as divide and
/// conquer runs on it: the left child stays on the node of its parent, the right child of a vertex
/// of level `l` goes across dimension `l` (CS838 1999, simulation of binary divide and conquer;
/// errata N8).
///
/// Dilation and link congestion are 1. Every node has one vertex of each level at most, and one
/// leaf; node 0 has `depth + 1` vertices. The links used form the binomial spanning tree.
///
/// # Errors
///
/// When `depth` is not 1 to 19.
pub fn binomial_tree(depth: u32) -> Result<RoutedEmbedding, ClassicError> {
    in_range("depth", depth, 1..=MAX_DEPTH)?;
    Ok(RoutedEmbedding::along_routes_of_the_host(
        hypercube(depth)?,
        binomial_places(depth),
        heap_edges(depth),
    )?)
}

fn binomial_places(depth: u32) -> Vec<NodeId> {
    let mut tree = vec![0];
    for vertex in 1..(2_u32 << depth) - 1 {
        let (parent, level) = ((vertex - 1) / 2, vertex.div_ceil(2).ilog2());
        let across = if vertex.is_multiple_of(2) { 1 << level } else { 0 };
        tree.push(tree[parent as usize] ^ across);
    }
    nodes(tree)
}

/// The tree with this root and these two subtrees of one size, each in heap order.
pub(super) fn joined<T: Clone>(root: T, left: &[T], right: &[T]) -> Vec<T> {
    let mut all = vec![root];
    let (mut from, mut width) = (0, 1);
    while let (Some(left_level), Some(right_level)) =
        (left.get(from..from + width), right.get(from..from + width))
    {
        all.extend_from_slice(left_level);
        all.extend_from_slice(right_level);
        (from, width) = (from + width, 2 * width);
    }
    all
}

/// The edges of the complete binary tree of a depth: from every vertex `v` to its children `2v + 1`
/// and `2v + 2`.
pub(super) fn heap_edges(depth: u32) -> impl Iterator<Item = (ProcessId, ProcessId)> {
    (1..(2_u32 << depth) - 1).map(|child| (ProcessId::new((child - 1) / 2), ProcessId::new(child)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tree_with_two_roots_spans_the_hypercube() {
        for depth in 1..=10 {
            let embedding = double_rooted_tree(depth).unwrap();
            let measures = embedding.measures();
            assert_eq!((measures.load, measures.least_load), (1, 1), "depth {depth}");
            assert_eq!((measures.dilation, measures.link_congestion), (1, 1), "depth {depth}");
            assert_eq!(embedding.paths().count() as u64, measures.vertices - 1);
        }
    }

    #[test]
    fn without_the_second_root_one_edge_is_dilated_and_no_link_is_shared() {
        for depth in 1..=10 {
            let measures = tree_in_cube(depth).unwrap().measures();
            assert_eq!((measures.load, measures.dilation, measures.link_congestion), (1, 2, 1));
            assert_eq!(measures.dilated_edges, 1);
        }
    }

    #[test]
    fn depths_out_of_range_are_refused() {
        let message = |depth| tree_in_cube(depth).unwrap_err().to_string();
        assert_eq!(message(0), "depth 0, expected 1 to 19");
        assert_eq!(message(20), "depth 20, expected 1 to 19");
    }

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

    #[test]
    fn subtrees_are_joined_level_by_level() {
        assert_eq!(joined('a', &['b'], &['c']), ['a', 'b', 'c']);
        let (left, right) = (['b', 'd', 'e'], ['c', 'f', 'g']);
        assert_eq!(joined('a', &left, &right), ['a', 'b', 'c', 'd', 'e', 'f', 'g']);
    }

    #[test]
    fn every_vertex_but_the_root_has_an_edge_from_its_parent() {
        let edges: Vec<(u32, u32)> = heap_edges(2).map(|(one, other)| (one.label(), other.label())).collect();
        assert_eq!(edges, [(0, 1), (0, 2), (1, 3), (1, 4), (2, 5), (2, 6)]);
    }
}
