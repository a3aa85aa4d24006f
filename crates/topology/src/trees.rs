//! Trees that numbers describe: complete `k`-ary trees, the binary tree with a vertex on one of its links, and
//! two binary trees side by side (`docs/model.md` sections 12 and 28.6).
//!
//! Vertices are in heap order: the root 0, and below a vertex `v` the vertices `kv + 1` to `kv + k`.

use std::fmt;

use crate::{MachineKind, Network, NetworkError, routes::Distances};

/// The most vertices of a tree.
pub const MAX_TREE_NODES: u64 = 1 << 20;

/// The numbers that describe a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum TreeParameters {
    /// The complete tree in which every inner vertex has `arity` children.
    KAry {
        /// `k`, at least 2.
        arity: u64,
        /// The levels of links, at least 1.
        levels: u64,
    },
    /// The complete binary tree with a further vertex, the last, on the link from the root to its right child.
    Stretched {
        /// The levels of links of the binary tree, at least 1.
        levels: u64,
    },
    /// Two complete binary trees without a link between them, the second after the first.
    Two {
        /// The levels of links of each, at least 1.
        levels: u64,
    },
}

impl TreeParameters {
    /// The kind of its machines.
    #[must_use]
    pub fn kind(self) -> MachineKind {
        match self {
            Self::KAry { .. } => MachineKind::KAryTree,
            Self::Stretched { .. } => MachineKind::StretchedTree,
            Self::Two { .. } => MachineKind::TwoTrees,
        }
    }

    /// The number of vertices, capped at 64 bits.
    #[must_use]
    pub fn node_count(self) -> u64 {
        match self {
            Self::KAry { arity, levels } => complete(arity, levels),
            Self::Stretched { levels } => complete(2, levels).saturating_add(1),
            Self::Two { levels } => complete(2, levels).saturating_mul(2),
        }
    }

    /// Whether there is a tree of these numbers that can be kept in memory.
    #[must_use]
    pub fn is_makeable(self) -> bool {
        let is_tree = match self {
            Self::KAry { arity, levels } => arity >= 2 && levels >= 1,
            Self::Stretched { levels } | Self::Two { levels } => levels >= 1,
        };
        is_tree && self.node_count() <= MAX_TREE_NODES
    }

    /// The links of [makeable](Self::is_makeable) numbers, each from the vertex that is nearer to the root.
    #[must_use]
    pub fn links(self) -> Vec<(u32, u32)> {
        let small = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
        let binary = |levels| small(complete(2, levels));
        match self {
            Self::KAry { arity, .. } => heap_links(small(arity), small(self.node_count())).collect(),
            Self::Stretched { levels } => {
                let last = binary(levels);
                let kept = heap_links(2, last).filter(|&link| link != (0, 2));
                kept.chain([(0, last), (last, 2)]).collect()
            }
            Self::Two { levels } => {
                let first = binary(levels);
                let second = heap_links(2, first).map(|(above, below)| (first + above, first + below));
                heap_links(2, first).chain(second).collect()
            }
        }
    }

    /// The network of makeable numbers.
    pub(crate) fn network(self) -> Result<Network, NetworkError> {
        let nodes = u32::try_from(self.node_count()).unwrap_or(u32::MAX);
        let network = Network::from_edges(nodes, &self.links())?;
        Ok(match self {
            Self::KAry { arity, .. } => network.with_formula(HeapDistances::new(arity)),
            Self::Stretched { .. } | Self::Two { .. } => network,
        })
    }
}

impl fmt::Display for TreeParameters {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::KAry { arity, levels } => write!(formatter, "{arity}-ary tree of {levels} levels"),
            Self::Stretched { levels } => write!(formatter, "stretched binary tree of {levels} levels"),
            Self::Two { levels } => write!(formatter, "two binary trees of {levels} levels"),
        }
    }
}

/// The vertices of a complete tree, `1 + k + .. + k^n`, capped at 64 bits.
fn complete(arity: u64, levels: u64) -> u64 {
    let mut count = 1_u64;
    for _ in 0..levels.min(u64::from(u64::BITS)) {
        count = count.saturating_mul(arity).saturating_add(1);
    }
    count
}

fn heap_links(arity: u32, vertices: u32) -> impl Iterator<Item = (u32, u32)> {
    (1..vertices).map(move |vertex| ((vertex - 1) / arity, vertex))
}

/// The distances of a complete tree in heap order.
#[derive(Debug)]
pub(crate) struct HeapDistances {
    arity: u32, // at least 2
}

impl HeapDistances {
    pub(crate) fn new(arity: u64) -> Self {
        Self { arity: u32::try_from(arity).unwrap_or(u32::MAX) }
    }
}

impl Distances for HeapDistances {
    /// Climbs from the vertex with the higher number, which is never above the other.
    fn distance(&self, mut at: u32, mut to: u32) -> u32 {
        let mut links = 0;
        while at != to {
            let lower = if at > to { &mut at } else { &mut to };
            *lower = (*lower - 1) / self.arity;
            links += 1;
        }
        links
    }

    fn route_count(&self, _at: u32, _to: u32) -> Option<u64> {
        Some(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Machine;

    #[test]
    fn trees_have_the_sizes_and_links_of_their_numbers() {
        let tree = Machine::of_tree(TreeParameters::KAry { arity: 3, levels: 2 }).unwrap();
        assert_eq!((tree.node_count(), tree.link_count()), (13, 12));
        let [one, other] = [4, 11].map(|node| tree.node(node).unwrap());
        assert_eq!((tree.distance(one, one), tree.distance(one, other)), (0, 4));
        let stretched = TreeParameters::Stretched { levels: 1 };
        assert_eq!(stretched.links(), [(0, 1), (0, 3), (3, 2)]);
        let two = TreeParameters::Two { levels: 1 };
        assert_eq!(two.links(), [(0, 1), (0, 2), (3, 4), (3, 5)]);
        assert_eq!(two.node_count(), 6);
    }

    #[test]
    fn numbers_without_a_tree_or_with_too_large_a_one_are_refused() {
        let message = |parameters| Machine::of_tree(parameters).unwrap_err().to_string();
        assert_eq!(
            message(TreeParameters::KAry { arity: 10, levels: 7 }),
            "a 10-ary tree of 7 levels has 11111111 nodes, expected at most 1048576"
        );
        assert!(!TreeParameters::KAry { arity: 1, levels: 3 }.is_makeable());
        assert!(!TreeParameters::KAry { arity: u64::MAX, levels: u64::MAX }.is_makeable());
        assert!(!TreeParameters::Two { levels: 0 }.is_makeable());
        assert!(TreeParameters::Stretched { levels: 19 }.is_makeable());
    }
}
