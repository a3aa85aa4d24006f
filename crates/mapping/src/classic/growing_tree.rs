//! Binary trees that grow while they are placed.

use cubefold_topology::{Machine, NodeId};

use super::{
    construction::{ClassicConstruction, FlipBit, Plan},
    error::{ClassicError, in_range},
    machines::{MAX_DIMENSIONS, cube_dimensions, has_links_of_a_tree, hypercube, in_label_order, nodes},
    routed_embedding::RoutedEmbedding,
};
use crate::ProcessId;

/// The position of a vertex among its siblings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// The left one.
    Left,
    /// The right one.
    Right,
}

/// A binary tree whose vertices are numbered in the order in which they arise: every parent before
/// its children.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GrowingTree {
    parents: Vec<(u32, Side)>, // of each vertex but the root; of lower number
}

impl GrowingTree {
    /// The tree in which vertex `v + 1` is this child of this parent.
    ///
    /// # Errors
    ///
    /// When a parent has a higher number than its child, or gets two children on one side.
    pub fn new(parents: Vec<(u32, Side)>) -> Result<Self, ClassicError> {
        let expected = "every parent before its children, one on each side";
        let mut children = vec![(false, false); parents.len() + 1];
        for (child, &(parent, side)) in (1..).zip(&parents) {
            let found = || format!("vertex {child} below vertex {parent}");
            let sides = children.get_mut(parent as usize).filter(|_| parent < child);
            let Some((left, right)) = sides else {
                return Err(ClassicError::Pair { found: found(), expected });
            };
            let taken = match side {
                Side::Left => left,
                Side::Right => right,
            };
            if std::mem::replace(taken, true) {
                return Err(ClassicError::Pair { found: found(), expected });
            }
        }
        Ok(Self { parents })
    }

    /// The complete binary tree of a depth, in heap order.
    #[must_use]
    pub fn complete(depth: u32) -> Self {
        let side = |child: u32| if child.is_multiple_of(2) { Side::Right } else { Side::Left };
        Self { parents: (1..(2 << depth) - 1).map(|child| ((child - 1) / 2, side(child))).collect() }
    }

    /// The network as a tree rooted at node 0, with the label of every vertex; `None` if it
    /// is not a tree, or a node has more than two children. The child with the lower label is the left
    /// one.
    pub(super) fn of_network(network: &Machine) -> Option<(Self, Vec<ProcessId>)> {
        if !has_links_of_a_tree(network) {
            return None;
        }
        // Parents before their children, level by level, each with the node that it hangs from.
        let mut order = vec![(NodeId::new(0), None)];
        let mut parents = vec![];
        let mut at = 0;
        while let Some(&(node, above)) = order.get(at) {
            let below = network.neighbours(node).filter(|&beside| Some(beside) != above);
            let children: Vec<NodeId> = below.take(3).collect();
            if children.len() > 2 || order.len() > network.node_count().try_into().ok()? {
                return None;
            }
            let vertex = u32::try_from(at).ok()?;
            parents.extend(children.iter().zip([Side::Left, Side::Right]).map(|(_, side)| (vertex, side)));
            order.extend(children.into_iter().map(|child| (child, Some(node))));
            at += 1;
        }
        // A graph with the link count of a tree reaches all nodes only if it is a tree.
        let labels: Vec<ProcessId> = order.iter().map(|(node, _)| ProcessId::new(node.index())).collect();
        (labels.len() as u64 == network.node_count()).then_some((Self { parents }, labels))
    }

    /// The number of vertices.
    #[must_use]
    pub fn vertex_count(&self) -> usize {
        self.parents.len() + 1
    }

    fn edges(&self) -> impl Iterator<Item = (ProcessId, ProcessId)> {
        let parents = self.parents.iter().map(|&(parent, _)| ProcessId::new(parent));
        parents.zip((1..).map(ProcessId::new))
    }
}

pub(super) static FLIP_BITS: ClassicConstruction = ClassicConstruction {
    name: "flip-bits",
    summary: "a binary tree, numbered from its root 0, on any hypercube",
    promised_dilation: "at most 1",
    source: "dynamic trees",
    plan: |pair| {
        let dimensions = cube_dimensions(pair.host).filter(|&dimensions| dimensions <= MAX_DIMENSIONS)?;
        let (tree, labels) = GrowingTree::of_network(pair.guest)?;
        let flip = |vertex: ProcessId| (pair.flip)(labels[vertex.label() as usize]);
        Some(Ok(Plan::at_most(1, in_label_order(&labels, &growing_places(&tree, dimensions, flip)))))
    },
};

/// A growing binary tree in the hypercube of `dimensions` dimensions: dilation 1, load `O(M/N + log N)`
/// with high probability for `M` vertices and `N` nodes (CS838 1999, dynamic trees).
///
/// The root is on node 0. `flip` decides for every vertex with children which of them stays on its
/// node; the other goes across dimension `level mod n`.
///
/// # Errors
///
/// When `dimensions` is not 1 to 20.
pub fn growing_tree(
    tree: &GrowingTree,
    dimensions: u32,
    flip: impl FnMut(ProcessId) -> FlipBit,
) -> Result<RoutedEmbedding, ClassicError> {
    in_range("dimensions", dimensions, 1..=MAX_DIMENSIONS)?;
    let places = growing_places(tree, dimensions, flip);
    Ok(RoutedEmbedding::along_routes_of_the_host(hypercube(dimensions)?, places, tree.edges())?)
}

pub(super) fn growing_places(
    tree: &GrowingTree,
    dimensions: u32,
    mut flip: impl FnMut(ProcessId) -> FlipBit,
) -> Vec<NodeId> {
    let mut flips: Vec<Option<FlipBit>> = vec![None; tree.vertex_count()];
    let mut placed: Vec<(u32, u32)> = vec![(0, 0)]; // node and level
    for &(parent, side) in &tree.parents {
        let (node, level) = placed[parent as usize];
        let flip = *flips[parent as usize].get_or_insert_with(|| flip(ProcessId::new(parent)));
        let crossed = match (flip, side) {
            (FlipBit::LeftStays, Side::Left) | (FlipBit::RightStays, Side::Right) => 0,
            (FlipBit::LeftStays, Side::Right) | (FlipBit::RightStays, Side::Left) => {
                1 << (level % dimensions)
            }
        };
        placed.push((node ^ crossed, level + 1));
    }
    nodes(placed.into_iter().map(|(node, _)| node))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_loads_of_a_complete_tree_do_not_depend_on_the_flips() {
        for dimensions in 1..=5 {
            for depth in dimensions..=dimensions + 4 {
                let tree = GrowingTree::complete(depth);
                let flips: [fn(ProcessId) -> FlipBit; 3] = [
                    |_| FlipBit::LeftStays,
                    |_| FlipBit::RightStays,
                    |vertex| if vertex.label() % 3 == 0 { FlipBit::LeftStays } else { FlipBit::RightStays },
                ];
                for flip in flips {
                    let measures = growing_tree(&tree, dimensions, flip).unwrap().measures();
                    let below = (2 << (depth - dimensions)) - 1;
                    assert_eq!((measures.load, measures.least_load), (u64::from(dimensions) + below, below));
                    assert_eq!(measures.dilation, 1);
                }
            }
        }
    }

    #[test]
    fn a_parent_comes_before_its_children() {
        let message = |parents: &[(u32, Side)]| GrowingTree::new(parents.into()).unwrap_err().to_string();
        let expected = "expected every parent before its children, one on each side";
        assert_eq!(message(&[(1, Side::Left)]), format!("vertex 1 below vertex 1, {expected}"));
        let twice = [(0, Side::Left), (0, Side::Left)];
        assert_eq!(message(&twice), format!("vertex 2 below vertex 0, {expected}"));
        assert_eq!(GrowingTree::new(vec![(0, Side::Right), (0, Side::Left)]).unwrap().vertex_count(), 3);
    }
}
