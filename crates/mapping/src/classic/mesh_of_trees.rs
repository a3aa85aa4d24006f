//! Meshes of trees in hypercubes.

use cubefold_topology::{MachineKind, NodeId};

use super::{
    construction::{ClassicConstruction, Plan},
    error::{ClassicError, in_range},
    machines::{cube_dimensions, hypercube, network_dimensions},
    routed_embedding::RoutedEmbedding,
    trees_in_cubes::{DoubleRootedTree, tree_places},
};
use crate::ProcessId;

pub(super) const MAX_LEVELS: u32 = 9;

pub(super) static MESH_OF_TREES: ClassicConstruction = ClassicConstruction {
    name: "mesh-of-trees",
    summary: "a mesh of trees of n dimensions on a hypercube of 2 n + 2 dimensions",
    promised_dilation: "2",
    source: "embeddings of meshes-of-trees",
    plan: |pair| {
        let levels = network_dimensions(pair.guest, MachineKind::MeshOfTrees)?;
        let fits = cube_dimensions(pair.host)? == 2 * levels + 2 && levels <= MAX_LEVELS;
        fits.then(|| Ok(Plan::exact(2, places(MeshOfTrees { levels }))))
    },
};

/// The mesh of trees over `2^n x 2^n` leaves in the hypercube of `2n + 2` dimensions: load 1,
/// dilation 2, link congestion 1 (CS838 1999, embeddings of meshes-of-trees; the hypercube is the
/// smallest for `n >= 2` only, errata N4).
///
/// It is a part of the product of two complete binary trees of depth `n`: the pairs with a leaf on
/// one side at least. Its edges are routed as [`tree_in_cube`](super::tree_in_cube) routes those of
/// the one tree, in their half of the dimensions. Leaf `(row, column)` is vertex
/// `column + 2^n row`; then come the inner vertices of the trees over the rows, tree by tree, each
/// in heap order, and those over the columns.
///
/// # Errors
///
/// When `levels` is not 1 to 9.
pub fn mesh_of_trees(levels: u32) -> Result<RoutedEmbedding, ClassicError> {
    in_range("levels", levels, 1..=MAX_LEVELS)?;
    let guest = MeshOfTrees { levels };
    let tree = DoubleRootedTree::of_depth(levels);
    let places = places(guest);
    let removed = tree.second_root;
    let path = |from: ProcessId, to: ProcessId| {
        let [near, far] = [from, to].map(|vertex| places[vertex.label() as usize]);
        let [(row, column), (other_row, other_column)] = [from, to].map(|vertex| guest.pair(vertex));
        let middle = match () {
            () if (row, other_row) == (0, 2) => Some(pair_node(levels, removed, high(levels, near))),
            () if (column, other_column) == (0, 2) => Some(pair_node(levels, low(levels, near), removed)),
            () => None,
        };
        [Some(near), middle, Some(far)].into_iter().flatten().collect()
    };
    Ok(RoutedEmbedding::new(hypercube(2 * levels + 2)?, places.clone(), guest.edges(), path)?)
}

/// The node of every vertex: the low half of the dimensions for the first tree, the high half for
/// the second.
pub(super) fn places(guest: MeshOfTrees) -> Vec<NodeId> {
    let tree = tree_places(&DoubleRootedTree::of_depth(guest.levels));
    let node = |vertex: u32| tree[vertex as usize].index();
    guest.pairs().map(|(row, column)| pair_node(guest.levels, node(row), node(column))).collect()
}

fn pair_node(levels: u32, low: u32, high: u32) -> NodeId {
    NodeId::new(low | high << (levels + 1))
}

fn low(levels: u32, node: NodeId) -> u32 {
    node.index() & ((2 << levels) - 1)
}

fn high(levels: u32, node: NodeId) -> u32 {
    node.index() >> (levels + 1)
}

/// The mesh of trees over `2^n x 2^n` leaves, its vertices numbered as [`mesh_of_trees`] says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct MeshOfTrees {
    pub(super) levels: u32, // n, at least 1
}

impl MeshOfTrees {
    /// Leaves in a row.
    fn side(self) -> u32 {
        1 << self.levels
    }

    /// Inner vertices of a tree.
    fn inner(self) -> u32 {
        self.side() - 1
    }

    pub(super) fn vertex_count(self) -> u32 {
        self.side() * (self.side() + 2 * self.inner())
    }

    /// The pair of vertices of the two trees that makes up a vertex, in heap order: the tree over the
    /// rows of a column first, then the one over the columns of a row.
    fn pair(self, vertex: ProcessId) -> (u32, u32) {
        let (side, inner) = (self.side(), self.inner());
        let leaves = side * side;
        match vertex.label() {
            leaf if leaf < leaves => (inner + leaf / side, inner + leaf % side),
            label if label < leaves + side * inner => {
                let place = label - leaves;
                (inner + place / inner, place % inner)
            }
            label => {
                let place = label - leaves - side * inner;
                (place % inner, inner + place / inner)
            }
        }
    }

    fn pairs(self) -> impl Iterator<Item = (u32, u32)> {
        (0..self.vertex_count()).map(move |vertex| self.pair(ProcessId::new(vertex)))
    }

    /// The vertex of a pair with a leaf on one side at least.
    fn vertex(self, row: u32, column: u32) -> ProcessId {
        let (side, inner) = (self.side(), self.inner());
        let label = match (row.checked_sub(inner), column.checked_sub(inner)) {
            (Some(row), Some(column)) => column + side * row,
            (Some(row), None) => side * side + inner * row + column,
            (None, column) => side * (side + inner) + inner * column.unwrap_or(0) + row,
        };
        ProcessId::new(label)
    }

    /// The edges of all trees, from every vertex to its children.
    fn edges(self) -> impl Iterator<Item = (ProcessId, ProcessId)> {
        let inner = self.inner();
        (0..self.side()).flat_map(move |tree| {
            (1..=2 * inner).flat_map(move |child| {
                let (leaf, parent) = (inner + tree, (child - 1) / 2);
                [
                    (self.vertex(leaf, parent), self.vertex(leaf, child)),
                    (self.vertex(parent, leaf), self.vertex(child, leaf)),
                ]
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_vertex_has_its_pair_and_no_other() {
        for levels in 1..=4 {
            let guest = MeshOfTrees { levels };
            for (vertex, (row, column)) in ProcessId::first(guest.vertex_count().into()).zip(guest.pairs()) {
                assert_eq!(guest.vertex(row, column), vertex, "levels {levels}");
            }
        }
    }

    #[test]
    fn a_mesh_of_trees_has_dilation_2_and_shares_no_link() {
        for levels in 1..=4 {
            let measures = mesh_of_trees(levels).unwrap().measures();
            assert_eq!((measures.load, measures.dilation, measures.link_congestion), (1, 2, 1));
            let side = 1 << levels;
            assert_eq!(measures.vertices, side * (3 * side - 2));
        }
    }
}
