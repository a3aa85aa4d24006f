//! Pipelined binary trees: one or two trees as in NCCL, along which the chunks of a vector move.
//!
//! Numbers are ranks, counted from the root modulo `P`. The parent of number `v > 0`, whose lowest bit is `b`, is
//! `(v xor b) or 2b` if that is below `P`, else `v xor b`; number 0 has one child. So inner nodes are even and leaves odd.
//! The second tree of a pair is the first one mirrored, `v -> P - 1 - v`, if `P` is even, else shifted by one: a rank
//! that is inner in one of them is a leaf in the other, except for the roots. In stage `s` the rank of height `h` sends
//! chunk `s - h` to its parent; the way back is the reverse (Sanders, Speck & Traeff 2009; Jeaugey 2019, NCCL 2.4;
//! `docs/model.md` section 16).

use cubefold_topology::narrow;

use super::{AlgorithmDescriptor, ShareRule, add_modulo, channels};
use crate::{
    CollectiveSpecification, Operation,
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
    channel_operations: &[Operation::AllReduce],
    table_bytes: bytes_of_trees,
    plan: |context| {
        let root = context.root();
        let rooted = |number, count| add_modulo(number, root, count);
        plan(context, trees(context, &[&rooted]))
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
    channel_operations: &[Operation::AllReduce],
    table_bytes: bytes_of_trees,
    plan: |context| plan(context, trees(context, &[&|number, _| number, &mirrored])),
    ..AlgorithmDescriptor::BLANK
};

/// A function from a number in a tree, and the size of the tree, to a rank or node.
type Numbering<'a> = &'a dyn Fn(u32, u32) -> u32;

/// The numbering of the second tree of a pair.
fn mirrored(number: u32, count: u32) -> u32 {
    if count.is_multiple_of(2) { count - 1 - number } else { add_modulo(number, 1, count) }
}

/// Returns an upper bound on the memory of the trees of channels \[bytes\].
fn bytes_of_trees(asked: &CollectiveSpecification) -> u64 {
    const BYTES_A_RANK: u64 =
        (size_of::<Option<u32>>() + size_of::<Vec<u32>>() + 6 * size_of::<u32>()) as u64;
    let trees = asked.channels.as_ref().map_or(0, |_| asked.share_count() as u64);
    asked.rank_count().saturating_mul(trees).saturating_mul(BYTES_A_RANK)
}

/// Returns the trees with these numberings: of ranks, or for each channel of nodes.
fn trees(context: &PlanContext, numberings: &[Numbering<'_>]) -> Vec<Tree> {
    let (asked, ranks) = (context.specification, context.grid.rank_count());
    let Some(channels) = &asked.channels else {
        return numberings.iter().map(|numbering| Tree::new(ranks, numbering)).collect();
    };
    let of_channel = |channel| {
        let devices = channels::devices(channels, channel, asked.ranks_per_node);
        numberings.iter().map(move |numbering| Tree::of_nodes(ranks, &devices, numbering))
    };
    (0..channels.count.get()).flat_map(of_channel).collect()
}

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
    parents: Vec<Option<u32>>, // `None` for the root
    children: Vec<Vec<u32>>,   // ascending
    heights: Vec<u32>,         // 0 for leaves
}

impl Tree {
    /// Returns the tree whose ranks are numbered by `rank`.
    fn new(count: u32, rank: Numbering<'_>) -> Self {
        let mut parents = vec![None; count as usize];
        for number in 1..count {
            parents[rank(number, count) as usize] = Some(rank(parent(number, count), count));
        }
        Self::of_parents(parents)
    }

    /// Returns the tree through nodes with these devices, in the order of their chains: the first of a node is its head,
    /// and the heads form the tree whose nodes are numbered by `node`.
    fn of_nodes(ranks: u32, devices: &[u32], node: Numbering<'_>) -> Self {
        let per_node = narrow(devices.len() as u64);
        let (nodes, head) = (ranks / per_node, devices[0]);
        let mut parents = vec![None; ranks as usize];
        for first in (0..nodes).map(|node| node * per_node) {
            for pair in devices.windows(2) {
                parents[(first + pair[1]) as usize] = Some(first + pair[0]);
            }
        }
        for number in 1..nodes {
            let [rank, above] =
                [number, parent(number, nodes)].map(|number| node(number, nodes) * per_node + head);
            parents[rank as usize] = Some(above);
        }
        Self::of_parents(parents)
    }

    fn of_parents(parents: Vec<Option<u32>>) -> Self {
        let mut children: Vec<Vec<u32>> = vec![vec![]; parents.len()];
        for (rank, parent) in (0..).zip(&parents) {
            if let Some(parent) = parent {
                children[*parent as usize].push(rank);
            }
        }
        // A rank follows its children.
        let mut heights = vec![0; parents.len()];
        let mut left: Vec<usize> = children.iter().map(Vec::len).collect();
        let mut settled: Vec<u32> =
            (0..).zip(&left).filter(|&(_, count)| *count == 0).map(|(rank, _)| rank).collect();
        while let Some(rank) = settled.pop() {
            let Some(parent) = parents[rank as usize] else { continue };
            let place = parent as usize;
            heights[place] = heights[place].max(heights[rank as usize] + 1);
            left[place] -= 1;
            if left[place] == 0 {
                settled.push(parent);
            }
        }
        Self { parents, children, heights }
    }
}

/// Returns the parent of a number above 0.
fn parent(number: u32, count: u32) -> u32 {
    let bit = 1 << number.trailing_zeros();
    let sibling = u64::from(number ^ bit) | u64::from(bit) << 1;
    if sibling < u64::from(count) { narrow(sibling) } else { number ^ bit }
}

/// Chunks that move to the roots of trees, one tree a share.
#[derive(Debug)]
struct BinaryTreeSchedule {
    trees: Vec<Tree>,
    chunks: Vec<BlockTable>, // of each share, equally many
    stage_count: usize,
}

impl BinaryTreeSchedule {
    fn new(trees: Vec<Tree>, chunks: Vec<BlockTable>) -> Self {
        let below_root = trees.iter().flat_map(|tree| {
            tree.heights
                .iter()
                .zip(&tree.parents)
                .filter(|(_, parent)| parent.is_some())
                .map(|(&height, _)| height)
        });
        let highest = below_root.max().unwrap_or(0);
        let stage_count = highest as usize + chunks.first().map_or(1, |blocks| blocks.count() as usize);
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
        // By this stage every rank has sent to its parent.
        self.trees.iter().flat_map(|tree| &tree.heights).all(|&height| (height as usize) < stage)
            && self.chunks.iter().all(|chunk| chunk.size(0) > 0)
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
            let trees = [Tree::new(count, &|number, _| number), Tree::new(count, &mirrored)];
            let twice = (0..count as usize)
                .filter(|&rank| trees.iter().all(|tree| tree.children[rank].len() == 2))
                .count();
            assert_eq!(twice, 0, "{count}");
            assert!(trees.iter().flat_map(|tree| &tree.children).all(|children| children.len() <= 2));
        }
    }
}
