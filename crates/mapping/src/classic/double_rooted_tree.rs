//! The complete binary tree with two roots, a spanning tree of the hypercube.

use cubefold_topology::{MachineKind, NodeId};

use super::{
    construction::{ClassicConstruction, Pair, Plan},
    error::{ClassicError, in_range},
    heap_order::joined,
    machines::{MAX_DIMENSIONS, cube_dimensions, hypercube, network_dimensions, nodes},
    routed_embedding::RoutedEmbedding,
    word::rotated_left,
};
use crate::ProcessId;

/// The greatest depth of trees that tables are made for.
pub(super) const MAX_DEPTH: u32 = MAX_DIMENSIONS - 1;

/// The depth of a complete binary tree, when the hypercube has so many dimensions more.
pub(super) fn depth_of_tree_in_cube(pair: Pair<'_>, more: u32) -> Option<u32> {
    let depth = network_dimensions(pair.guest, MachineKind::BinaryTree)?;
    let fits = cube_dimensions(pair.host)? == depth + more && depth <= MAX_DEPTH;
    fits.then_some(depth)
}

/// Where the tree with two roots has its vertices in the hypercube of `depth + 1` dimensions.
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
    /// That of depth `n` is made of two of depth `n - 1`, one in each half of the cube. The second is rotated by one
    /// dimension and moved so that its path begins across from the root of the first:
    ///
    /// ```text
    ///   left[0]  -   root   -  second  -  right[0]      in the lower half
    ///                  |          |           |
    ///               left'[0] -  root'  -  second'  -  right'[0]      in the upper half
    /// ```
    ///
    /// New roots are `second` and `root'`. The old `root` has the subtrees of `left[0]` and `left'[0]`, and
    /// `second'` those of `right[0]` and `right'[0]`. Rotated by one dimension the first two links of the path in
    /// the upper half lie in the dimensions of the last two of the lower half, whatever the depth.
    pub(super) fn of_depth(depth: u32) -> Self {
        let mut tree = Self { root: 0b01, second_root: 0b11, left: vec![0b00], right: vec![0b10] };
        for dimensions in 2..=depth {
            tree = tree.doubled(dimensions);
        }
        tree
    }

    /// The tree of twice the size, made of this one in a cube of so many dimensions and a copy of it.
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

/// The complete binary tree of a depth with two roots as a spanning tree of the hypercube of `depth + 1` dimensions:
/// every node has a vertex, every edge a link (CS838 1999, embeddings of trees).
///
/// Vertices 0 and 1 are the roots, then come the left subtree and the right subtree, each in heap order.
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

/// The edges of the tree with two roots, with so many vertices in each subtree.
fn double_rooted_edges(subtree: u32) -> impl Iterator<Item = (ProcessId, ProcessId)> {
    let edge = |one, other| (ProcessId::new(one), ProcessId::new(other));
    let top = [edge(0, 1), edge(0, 2), edge(1, 2 + subtree)];
    let inside = [2, 2 + subtree].into_iter().flat_map(move |first| {
        (1..subtree).map(move |vertex| edge(first + (vertex - 1) / 2, first + vertex))
    });
    top.into_iter().chain(inside)
}

/// A complete binary tree in the smallest hypercube, one edge over two links.
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

/// The complete binary tree of a depth in the hypercube of `depth + 1` dimensions: load 1, dilation 2, link
/// congestion 1; one edge is dilated (CS838 1999, embeddings of trees).
///
/// It is the tree with two roots without the second, over whose node the edge from the root to its right child goes.
/// Messages that take the machine's own routes may meet: dimension order gives link congestion 2.
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
    Ok(RoutedEmbedding::new(host, places.clone(), super::heap_order::edges(depth), path)?)
}

/// The nodes of the tree without the second root.
pub(super) fn tree_places(tree: &DoubleRootedTree) -> Vec<NodeId> {
    nodes(joined(tree.root, &tree.left, &tree.right))
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
}
