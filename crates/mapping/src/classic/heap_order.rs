//! Complete binary trees in heap order: the root first, then level by level.

use crate::ProcessId;

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

/// The edges of the complete binary tree of a depth: from every vertex `v` to its children `2v + 1` and `2v + 2`.
pub(super) fn edges(depth: u32) -> impl Iterator<Item = (ProcessId, ProcessId)> {
    (1..(2_u32 << depth) - 1).map(|child| (ProcessId::new((child - 1) / 2), ProcessId::new(child)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subtrees_are_joined_level_by_level() {
        assert_eq!(joined('a', &['b'], &['c']), ['a', 'b', 'c']);
        let (left, right) = (['b', 'd', 'e'], ['c', 'f', 'g']);
        assert_eq!(joined('a', &left, &right), ['a', 'b', 'c', 'd', 'e', 'f', 'g']);
    }

    #[test]
    fn every_vertex_but_the_root_has_an_edge_from_its_parent() {
        let edges: Vec<(u32, u32)> = edges(2).map(|(one, other)| (one.label(), other.label())).collect();
        assert_eq!(edges, [(0, 1), (0, 2), (1, 3), (1, 4), (2, 5), (2, 6)]);
    }
}
