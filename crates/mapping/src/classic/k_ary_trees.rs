//! Complete `k`-ary trees: in hypercubes, in binary trees, and as hosts of square meshes.
//!
//! Wu 1985, Hong, Mehlhorn & Rosenberg 1983, Rosenberg & Snyder 1978 (Tao 1988, 2.2; `docs/model.md` section
//! 28.6). Trees are in heap order.

use cubefold_topology::{Machine, MachineKind, NodeId, TreeParameters};

use super::{
    construction::{ClassicConstruction, Plan},
    error::{ClassicError, in_range},
    machines::{
        cube_dimensions, exponent, guest_edges, has_links_of, hypercube, is_mesh, k_ary_tree_of, mesh, nodes,
        tree_edges,
    },
    routed_embedding::RoutedEmbedding,
    trees_in_cubes::{DoubleRootedTree, MAX_DEPTH, joined},
};

/// A `k`-ary tree with few enough levels to fit into a binary tree for which tables are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct KAryTree {
    arity: u32,  // k, at least 2
    levels: u32, // n, at least 1
}

impl KAryTree {
    fn new(arity: u32, levels: u32) -> Option<Self> {
        let tree = Self { arity, levels };
        let fits = arity >= 2 && levels >= 1 && tree.bits().checked_mul(levels)? <= MAX_DEPTH;
        fits.then_some(tree)
    }

    fn checked(arity: u32, levels: u32) -> Result<Self, ClassicError> {
        in_range("arity", arity, 2..=1 << MAX_DEPTH)?;
        let bits = arity.next_power_of_two().ilog2();
        in_range("levels", levels, 1..=MAX_DEPTH / bits)?;
        Ok(Self { arity, levels })
    }

    fn of_machine(machine: &Machine) -> Option<Self> {
        let (arity, levels) = k_ary_tree_of(machine)?;
        Self::new(arity, levels)
    }

    fn parameters(self) -> TreeParameters {
        TreeParameters::KAry { arity: self.arity.into(), levels: self.levels.into() }
    }

    /// `b = ceil(log2 k)`: the links of a binary tree to a child.
    fn bits(self) -> u32 {
        self.arity.next_power_of_two().ilog2()
    }

    /// `n b`: the levels of the binary tree.
    fn binary_levels(self) -> u32 {
        self.levels * self.bits()
    }

    /// The vertices of the binary tree, by vertex: to child `i` by the bits of `i`, the highest first.
    fn binary_vertices(self) -> Vec<u32> {
        let mut vertices = vec![0_u32];
        let count = u32::try_from(self.parameters().node_count()).unwrap_or(u32::MAX);
        for vertex in 1..count {
            let (parent, child) = ((vertex - 1) / self.arity, (vertex - 1) % self.arity);
            let above = vertices[parent as usize];
            let below = (0..self.bits()).rev().fold(above, |at, bit| 2 * at + 1 + (child >> bit & 1));
            vertices.push(below);
        }
        vertices
    }

    fn cube_places(self) -> Vec<NodeId> {
        let DoubleRootedTree { root, left, right, .. } = DoubleRootedTree::of_depth(self.binary_levels());
        let tree = nodes(joined(root, &left, &mirrored(&right)));
        self.binary_vertices().into_iter().map(|vertex| tree[vertex as usize]).collect()
    }
}

/// A tree in heap order with the children of every vertex exchanged.
fn mirrored(tree: &[u32]) -> Vec<u32> {
    let levels = (0..=tree.len().ilog2()).map(|level| &tree[(1 << level) - 1..(2 << level) - 1]);
    levels.flat_map(|level| level.iter().rev().copied()).collect()
}

pub(super) static K_ARY_TREE: ClassicConstruction = ClassicConstruction {
    name: "k-ary-tree",
    summary: "a k-ary tree of n levels on a hypercube of n b + 1 dimensions, b = ceil(log2 k)",
    promised_dilation: "at most b + 1",
    source: "embeddings of trees (Wu85)",
    plan: |pair| {
        let dimensions = cube_dimensions(pair.host)?;
        let tree = KAryTree::of_machine(pair.guest)?;
        let fits = dimensions == tree.binary_levels() + 1;
        fits.then(|| Ok(Plan::at_most(u64::from(tree.bits()) + 1, tree.cube_places())))
    },
};

/// The complete `k`-ary tree of `levels` levels in the hypercube of `n b + 1` dimensions, `b = ceil(log2 k)`: load 1,
/// dilation at most `b + 1` (Wu 1985 has `2 b`).
///
/// Child `i` is the vertex of the binary tree that is reached by the `b` bits of `i`, the highest first; the binary
/// tree lies as that of [`tree_in_cube`](super::tree_in_cube), which stretches one link to two, with the subtree below
/// that link mirrored.
///
/// # Errors
///
/// When `arity` is less than 2, or `levels * b` is not 1 to 19.
pub fn k_ary_tree(arity: u32, levels: u32) -> Result<RoutedEmbedding, ClassicError> {
    let tree = KAryTree::checked(arity, levels)?;
    let host = hypercube(tree.binary_levels() + 1)?;
    let edges = tree_edges(tree.parameters());
    Ok(RoutedEmbedding::along_routes_of_the_host(host, tree.cube_places(), edges)?)
}

pub(super) static TREE_IN_TREE: ClassicConstruction = ClassicConstruction {
    name: "tree-in-tree",
    summary: "a k-ary tree of n levels on a binary tree of n b levels, b = ceil(log2 k)",
    promised_dilation: "b",
    source: "embeddings of trees (HMR83)",
    plan: |pair| {
        let tree = KAryTree::of_machine(pair.guest)?;
        let fits =
            has_links_of(pair.host, TreeParameters::KAry { arity: 2, levels: tree.binary_levels().into() });
        fits.then(|| Ok(Plan::exact(tree.bits().into(), nodes(tree.binary_vertices()))))
    },
};

/// The complete `k`-ary tree of `levels` levels in the binary tree of `n b` levels, `b = ceil(log2 k)`: load 1, every
/// edge over `b` links (Hong, Mehlhorn & Rosenberg 1983 for the ternary tree: 2).
///
/// # Errors
///
/// When `arity` is less than 2, or `levels * b` is not 1 to 19.
pub fn tree_in_tree(arity: u32, levels: u32) -> Result<RoutedEmbedding, ClassicError> {
    let tree = KAryTree::checked(arity, levels)?;
    let host = Machine::of_dimensions(MachineKind::BinaryTree, tree.binary_levels().into())?;
    let edges = tree_edges(tree.parameters());
    Ok(RoutedEmbedding::along_routes_of_the_host(host, nodes(tree.binary_vertices()), edges)?)
}

pub(super) static Z_ORDER_IN_TREE: ClassicConstruction = ClassicConstruction {
    name: "z-order-in-tree",
    summary: "a mesh of D sides 2^m on a 2^D-ary tree of m levels, or a binary tree of D m",
    promised_dilation: "2 m, 2 D m",
    source: "embeddings of meshes in trees (RS78)",
    plan: |pair| {
        let lengths = pair.guest.shape().lengths();
        let grid = ZOrderedMesh::new(u32::try_from(lengths.len()).ok()?, exponent(*lengths.first()?)?)?;
        if !is_mesh(pair.guest, &grid.lengths()) {
            return None;
        }
        [grid.arity(), 2].into_iter().find_map(|arity| {
            let plan = || Ok(Plan::exact(2 * grid.levels(arity), grid.places(arity)));
            has_links_of(pair.host, grid.tree(arity)).then(plan)
        })
    },
};

/// The mesh of `dimensions` sides `2^m` on the leaves of the `2^D`-ary tree of `m` levels, in z-order: load 1,
/// dilation `2 m`, mean dilation `4 - 2 m / (2^m - 1)` (Rosenberg & Snyder 1978; Tao 1988, 2.2, where a sign is
/// lost).
///
/// The bits of the coordinates alternate in the number of a leaf, those of the first dimension lowest.
///
/// # Errors
///
/// When `dimensions` or `order`, `m`, is not at least 1, or their product is more than 19.
pub fn z_order_in_tree(dimensions: u32, order: u32) -> Result<RoutedEmbedding, ClassicError> {
    in_range("dimensions", dimensions, 1..=MAX_DEPTH)?;
    in_range("order", order, 1..=MAX_DEPTH / dimensions)?;
    let grid = ZOrderedMesh { dimensions, order };
    let edges = guest_edges(&mesh(&grid.lengths())?);
    let host = Machine::of_tree(grid.tree(grid.arity()))?;
    Ok(RoutedEmbedding::along_routes_of_the_host(host, grid.places(grid.arity()), edges)?)
}

/// A mesh of sides `2^m`.
#[derive(Debug, Clone, Copy)]
struct ZOrderedMesh {
    dimensions: u32, // D, at least 1
    order: u32,      // m, at least 1; the product is at most `MAX_DEPTH`
}

impl ZOrderedMesh {
    fn new(dimensions: u32, order: u32) -> Option<Self> {
        let bits = dimensions.checked_mul(order)?;
        (1..=MAX_DEPTH).contains(&bits).then_some(Self { dimensions, order })
    }

    fn lengths(self) -> Vec<u64> {
        vec![1 << self.order; self.dimensions as usize]
    }

    /// The children of a vertex that take a bit of every coordinate at once.
    fn arity(self) -> u32 {
        1 << self.dimensions
    }

    /// The levels of links of the tree of this arity, 2 or [`arity`](Self::arity).
    fn levels(self, arity: u32) -> u64 {
        u64::from(self.order * self.dimensions / arity.ilog2())
    }

    fn tree(self, arity: u32) -> TreeParameters {
        TreeParameters::KAry { arity: arity.into(), levels: self.levels(arity) }
    }

    /// The leaf of each vertex in the tree of this arity.
    fn places(self, arity: u32) -> Vec<NodeId> {
        let Self { dimensions, order } = self;
        let leaves = 1_u32 << (dimensions * order);
        let first = (leaves - 1) / (arity - 1);
        // Bit `i` of dimension `j` is bit `i + m j` of a vertex, and bit `j + D i` of its leaf.
        let leaf = |vertex: u32| {
            let bits =
                (0..order).flat_map(|i| (0..dimensions).map(move |j| (i + order * j, j + dimensions * i)));
            bits.map(|(from, to)| (vertex >> from & 1) << to).sum::<u32>()
        };
        nodes((0..leaves).map(|vertex| first + leaf(vertex)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn k_ary_trees_have_dilation_one_more_than_the_bits_of_a_child() {
        for arity in 2..=9 {
            let bits = u64::from(u32::next_power_of_two(arity).ilog2());
            for levels in 1..=3 {
                let measures = k_ary_tree(arity, levels).unwrap().measures();
                assert_eq!(measures.load, 1);
                assert!(measures.dilation <= bits + 1, "k = {arity}, n = {levels}: {measures:?}");
                let inside = tree_in_tree(arity, levels).unwrap();
                assert_eq!((inside.measures().load, inside.measures().dilation), (1, bits));
                assert!(inside.paths().all(|(_, path)| path.len() as u64 == bits + 1));
            }
        }
    }

    #[test]
    fn meshes_on_trees_have_the_mean_dilation_of_rosenberg_and_snyder() {
        for (dimensions, most) in [(1, 9), (2, 5), (3, 4), (4, 3)] {
            for order in 1..=most {
                let embedding = z_order_in_tree(dimensions, order).unwrap();
                let total: usize = embedding.paths().map(|(_, path)| path.len() - 1).sum();
                let (edges, side) = (embedding.paths().count(), (1_usize << order) - 1);
                // total / edges = 4 - 2 m / (2^m - 1)
                assert_eq!(total * side, edges * (4 * side - 2 * order as usize), "{dimensions} {order}");
                let measures = embedding.measures();
                assert_eq!((measures.load, measures.dilation), (1, 2 * u64::from(order)));
            }
        }
    }

    #[test]
    fn meshes_on_binary_trees_are_twice_as_far_apart_as_there_are_bits() {
        for (dimensions, order) in [(1, 4), (2, 1), (2, 3), (3, 2)] {
            let grid = ZOrderedMesh { dimensions, order };
            let host = Machine::of_tree(grid.tree(2)).unwrap();
            let edges = guest_edges(&mesh(&grid.lengths()).unwrap());
            let embedding = RoutedEmbedding::along_routes_of_the_host(host, grid.places(2), edges).unwrap();
            let measures = embedding.measures();
            assert_eq!((measures.load, measures.dilation), (1, 2 * u64::from(dimensions * order)));
            let total: usize = embedding.paths().map(|(_, path)| path.len() - 1).sum();
            // Tao 1988, 2.2 [DEL78b], of two dimensions.
            assert!(dimensions != 2 || total <= 8 * embedding.paths().count());
        }
    }

    #[test]
    fn trees_that_are_too_large_are_refused() {
        assert_eq!(k_ary_tree(1, 2).unwrap_err().to_string(), "arity 1, expected 2 to 524288");
        assert_eq!(tree_in_tree(3, 10).unwrap_err().to_string(), "levels 10, expected 1 to 9");
        assert_eq!(z_order_in_tree(3, 7).unwrap_err().to_string(), "order 7, expected 1 to 6");
    }
}
