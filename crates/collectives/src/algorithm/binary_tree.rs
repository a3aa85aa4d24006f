//! Binary trees, pipelined: those of NCCL, one or two, along which the chunks of a vector follow one another.
//!
//! Numbers are those of ranks, counted from the root modulo `P`. The parent of number `v > 0`, whose lowest bit is `b`, is
//! `(v xor b) or 2b` where that is below `P`, else `v xor b`; number 0 has one child. So inner nodes are even and leaves odd.
//! The second tree of a pair is the first one mirrored, `v -> P - 1 - v`, if `P` is even, else shifted by one: a rank that is inner
//! in one of them is, but for the roots, a leaf in the other. In stage `s` the rank of height `h` sends chunk `s - h` to its
//! parent; the way back is the reverse (Sanders, Speck & Traeff 2009; Jeaugey 2019, NCCL 2.4; `docs/model.md` section 16).

use cubefold_topology::narrow;

use super::{AlgorithmDescriptor, ShareRule, add_modulo};
use crate::{
    Operation,
    plan::{Plan, PlanContext},
    schedule::{End, Payload, Place, StageSchedule},
    vector::BlockTable,
};

pub(super) static TREE: AlgorithmDescriptor = AlgorithmDescriptor {
    name: "tree",
    summary: "a binary tree along which chunks of the vector follow one another",
    source: "Jeaugey 2019 (NCCL 2.4)",
    operations: &[Operation::AllReduce, Operation::Broadcast, Operation::Reduce],
    has_chunks: true,
    plan: |context| {
        let root = context.root();
        plan(
            context,
            vec![Tree::new(context.grid.rank_count(), &|number, count| add_modulo(number, root, count))],
        )
    },
    ..AlgorithmDescriptor::BLANK
};

pub(super) static DOUBLE_TREE: AlgorithmDescriptor = AlgorithmDescriptor {
    name: "double-tree",
    summary: "two binary trees side by side, each with half of the vector: inner ranks of one are leaves of the other",
    source: "Sanders, Speck & Traeff 2009; Jeaugey 2019 (NCCL 2.4)",
    operations: &[Operation::AllReduce],
    shares: ShareRule::Two,
    has_chunks: true,
    plan: |context| {
        let ranks = context.grid.rank_count();
        let other = |number: u32, count: u32| {
            if count.is_multiple_of(2) { count - 1 - number } else { add_modulo(number, 1, count) }
        };
        plan(context, vec![Tree::new(ranks, &|number, _| number), Tree::new(ranks, &other)])
    },
    ..AlgorithmDescriptor::BLANK
};

fn plan(context: &PlanContext, trees: Vec<Tree>) -> Plan {
    let schedule = BinaryTreeSchedule::new(trees, context.blocks.clone());
    let mut plan = Plan::default();
    match context.operation() {
        Operation::Reduce => plan.reduce(schedule),
        Operation::Broadcast => plan.copy_reversed(schedule),
        _ => plan.reduce_and_return(schedule),
    }
    plan
}

/// A tree, by rank.
#[derive(Debug)]
struct Tree {
    parents: Vec<Option<u32>>, // none of the root
    children: Vec<Vec<u32>>,   // ascending
    heights: Vec<u32>,         // 0 of leaves
}

impl Tree {
    /// Returns the tree whose numbers are those of `rank`.
    fn new(count: u32, rank: &dyn Fn(u32, u32) -> u32) -> Self {
        let of = |number: u32| rank(number, count) as usize;
        let mut parents = vec![None; count as usize];
        let mut children: Vec<Vec<u32>> = vec![vec![]; count as usize];
        for number in 1..count {
            let bit = 1 << number.trailing_zeros();
            let sibling = u64::from(number ^ bit) | u64::from(bit) << 1;
            let parent = if sibling < u64::from(count) { narrow(sibling) } else { number ^ bit };
            parents[of(number)] = Some(rank(parent, count));
            children[of(parent)].push(rank(number, count));
        }
        children.iter_mut().for_each(|own| own.sort_unstable());
        let mut tree = Self { parents, children, heights: vec![0; count as usize] };
        // The height of a number is that of its lowest bit, at most; leaves first.
        let mut order: Vec<u32> = (1..count).collect();
        order.sort_by_key(|number| number.trailing_zeros());
        for number in order {
            let own = tree.heights[of(number)];
            if let Some(parent) = tree.parents[of(number)] {
                let height = &mut tree.heights[parent as usize];
                *height = (*height).max(own + 1);
            }
        }
        tree
    }
}

/// Chunks on their way to the roots of trees, one tree a share.
#[derive(Debug)]
struct BinaryTreeSchedule {
    trees: Vec<Tree>,
    chunks: Vec<BlockTable>, // of each share, equally many
    stage_count: usize,
}

impl BinaryTreeSchedule {
    fn new(trees: Vec<Tree>, chunks: Vec<BlockTable>) -> Self {
        let below_root = trees.iter().flat_map(|tree| {
            tree.heights.iter().zip(&tree.parents).filter(|(_, parent)| parent.is_some()).map(|(&own, _)| own)
        });
        let highest = below_root.max().unwrap_or(0);
        let stage_count = highest as usize + chunks.first().map_or(1, |own| own.count() as usize);
        Self { trees, chunks, stage_count }
    }

    /// The chunk that a rank sends in a stage, and its size.
    fn chunk(&self, stage: usize, share: u32, rank: u32) -> Option<(u32, u64)> {
        let (tree, chunks) = (&self.trees[share as usize], &self.chunks[share as usize]);
        let chunk = narrow(stage.checked_sub(tree.heights[rank as usize] as usize)? as u64);
        (chunk < chunks.count()).then(|| (chunk, chunks.size(chunk))).filter(|&(_, units)| units > 0)
    }
}

impl StageSchedule for BinaryTreeSchedule {
    fn stage_count(&self) -> usize {
        self.stage_count
    }

    fn list(&self, stage: usize, place: Place, end: End, add: &mut dyn FnMut(u32, u64)) {
        let tree = &self.trees[place.share as usize];
        match end {
            End::Source => {
                let Some(parent) = tree.parents[place.rank as usize] else { return };
                if let Some((_, units)) = self.chunk(stage, place.share, place.rank) {
                    add(parent, units);
                }
            }
            End::Destination => {
                for &child in &tree.children[place.rank as usize] {
                    if let Some((_, units)) = self.chunk(stage, place.share, child) {
                        add(child, units);
                    }
                }
            }
        }
    }

    fn max_messages(&self, end: End) -> u32 {
        let most = self.trees.iter().flat_map(|tree| &tree.children).map(Vec::len).max().unwrap_or(1);
        if end == End::Source { 1 } else { narrow(most as u64) }
    }

    fn adds_no_pairs(&self, stage: usize) -> bool {
        // By then every rank has sent to its parent.
        self.trees.iter().flat_map(|tree| &tree.heights).all(|&height| (height as usize) < stage)
            && self.chunks.iter().all(|own| own.size(0) > 0)
    }

    fn payload(&self, stage: usize, share: u32, source: u32, _: u32) -> Payload {
        Payload::Blocks(self.chunk(stage, share, source).map(|(chunk, _)| chunk).into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parents_are_those_of_nccl() {
        let tree = Tree::new(14, &|number, _| number);
        let parents: Vec<Option<u32>> = tree.parents.clone();
        let expected = [8, 2, 4, 2, 8, 6, 4, 6, 0, 10, 12, 10, 8, 12].map(Some);
        assert_eq!(parents[1..], expected[1..]);
        assert_eq!(parents[0], None);
        assert_eq!(tree.heights, [4, 0, 1, 0, 2, 0, 1, 0, 3, 0, 1, 0, 2, 0]);
    }

    #[test]
    fn inner_ranks_of_one_tree_are_leaves_of_the_other() {
        for count in 2..40_u32 {
            let other = |number: u32, count: u32| {
                if count.is_multiple_of(2) { count - 1 - number } else { add_modulo(number, 1, count) }
            };
            let trees = [Tree::new(count, &|number, _| number), Tree::new(count, &other)];
            let twice = (0..count as usize)
                .filter(|&rank| trees.iter().all(|tree| tree.children[rank].len() == 2))
                .count();
            assert_eq!(twice, 0, "{count}");
            assert!(trees.iter().flat_map(|tree| &tree.children).all(|children| children.len() <= 2));
        }
    }
}
