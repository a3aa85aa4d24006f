//! Trees that fill hypercubes: a binary tree with a vertex on one link, and two binary trees.
//!
//! Dutta & Jha 1986 (DJ86; Tao 1988, 2.2; `docs/model.md` section 28.6). Both are parts of the tree with two
//! roots, which spans the hypercube. Every edge has one link.

use cubefold_topology::{NodeId, TreeParameters};

use super::{
    construction::{ClassicConstruction, Pair, Plan},
    error::{ClassicError, in_range},
    machines::{cube_dimensions, exponent, has_links_of, hypercube, nodes, tree_edges},
    routed_embedding::RoutedEmbedding,
    trees_in_cubes::{DoubleRootedTree, MAX_DEPTH, tree_places},
};

pub(super) static STRETCHED_TREE: ClassicConstruction = ClassicConstruction {
    name: "stretched-tree",
    summary: "a stretched binary tree of n levels on a hypercube of n + 1 dimensions",
    promised_dilation: "1",
    source: "embeddings of trees (DJ86)",
    plan: |pair| {
        let levels = exponent(pair.guest.node_count())?.checked_sub(1)?;
        let fits = is_for(pair, levels, 1, TreeParameters::Stretched { levels: levels.into() });
        fits.then(|| Ok(Plan::exact(1, stretched_places(levels))))
    },
};

/// The complete binary tree of `levels` levels with vertex `2^(n+1) - 1` between the root and its right child, as a
/// spanning tree of the hypercube of `n + 1` dimensions: load and dilation 1 (Dutta & Jha 1986).
///
/// The second root of the tree with two roots is the further vertex.
///
/// # Errors
///
/// When `levels` is not 1 to 19.
pub fn stretched_tree(levels: u32) -> Result<RoutedEmbedding, ClassicError> {
    in_range("levels", levels, 1..=MAX_DEPTH)?;
    let edges = tree_edges(TreeParameters::Stretched { levels: levels.into() });
    let host = hypercube(levels + 1)?;
    Ok(RoutedEmbedding::along_routes_of_the_host(host, stretched_places(levels), edges)?)
}

fn stretched_places(levels: u32) -> Vec<NodeId> {
    let tree = DoubleRootedTree::of_depth(levels);
    let mut places = tree_places(&tree);
    places.push(NodeId::new(tree.second_root));
    places
}

pub(super) static TWO_TREES: ClassicConstruction = ClassicConstruction {
    name: "two-trees",
    summary: "two binary trees of n levels on a hypercube of n + 2 dimensions",
    promised_dilation: "1",
    source: "embeddings of trees (DJ86)",
    plan: |pair| {
        let levels = exponent(pair.guest.node_count() + 2)?.checked_sub(2)?;
        let fits = is_for(pair, levels, 2, TreeParameters::Two { levels: levels.into() });
        fits.then(|| Ok(Plan::exact(1, two_trees_places(levels))))
    },
};

/// Two complete binary trees of `levels` levels, the second from vertex `2^(n+1) - 1` on, in the hypercube of `n + 2`
/// dimensions: load and dilation 1 (Dutta & Jha 1986).
///
/// They are the tree with two roots without the roots.
///
/// # Errors
///
/// When `levels` is not 1 to 18.
pub fn two_trees(levels: u32) -> Result<RoutedEmbedding, ClassicError> {
    in_range("levels", levels, 1..=MAX_DEPTH - 1)?;
    let edges = tree_edges(TreeParameters::Two { levels: levels.into() });
    let host = hypercube(levels + 2)?;
    Ok(RoutedEmbedding::along_routes_of_the_host(host, two_trees_places(levels), edges)?)
}

fn two_trees_places(levels: u32) -> Vec<NodeId> {
    let tree = DoubleRootedTree::of_depth(levels + 1);
    nodes(tree.left.into_iter().chain(tree.right))
}

/// Whether the guest is this tree, and the host the hypercube with `more` dimensions than it has levels.
fn is_for(pair: Pair<'_>, levels: u32, more: u32, parameters: TreeParameters) -> bool {
    (1..=MAX_DEPTH + 1 - more).contains(&levels)
        && cube_dimensions(pair.host) == Some(levels + more)
        && has_links_of(pair.guest, parameters)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trees_of_dutta_and_jha_fill_their_hypercubes() {
        for levels in 1..=10 {
            let stretched = stretched_tree(levels).unwrap().measures();
            assert_eq!((stretched.load, stretched.least_load, stretched.dilation), (1, 1, 1));
            assert_eq!(stretched.link_congestion, 1);
            let two = two_trees(levels).unwrap().measures();
            assert_eq!((two.load, two.dilation, two.link_congestion), (1, 1, 1));
            assert_eq!((two.vertices, two.host_nodes), ((4 << levels) - 2, 4 << levels));
        }
    }
}
