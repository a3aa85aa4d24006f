//! Rotated order: of the messages that join a queue in one cycle, those to the ranks that follow their senders come
//! first (`docs/model.md` section 5).

use std::num::NonZeroU32;

/// The order of the messages of a stage in which each rank sends to the ranks after it, node by node.
///
/// With `P` ranks, `g` of which share a node, a message from rank `s` to rank `d` has the turn `x g + y`, where `x` is
/// the distance of their nodes and `y` that of their places in the nodes, both counted upwards and cyclically.
///
/// ```
/// use cubefold_simulator::Rotation;
///
/// let ring = Rotation::new(4, 1);
/// assert_eq!([0, 1, 2].map(|destination| ring.turn(3, destination)), [1, 2, 3]);
/// let nodes = Rotation::new(4, 2);
/// assert_eq!([0, 1, 2].map(|destination| nodes.turn(3, destination)), [3, 2, 1]);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rotation {
    nodes: NonZeroU32,    // P / g
    per_node: NonZeroU32, // g
}

impl Rotation {
    /// The order of `ranks` ranks, `per_node` of which share a node; a number that does not divide them counts as 1.
    #[must_use]
    pub fn new(ranks: u32, per_node: u64) -> Self {
        let per_node = u32::try_from(per_node).ok().and_then(NonZeroU32::new);
        let per_node =
            per_node.filter(|&per_node| ranks.is_multiple_of(per_node.get())).unwrap_or(NonZeroU32::MIN);
        Self { nodes: NonZeroU32::new(ranks / per_node).unwrap_or(NonZeroU32::MIN), per_node }
    }

    /// The turn of a message between two ranks, below the number of ranks.
    #[inline]
    #[must_use]
    pub fn turn(self, source: u32, destination: u32) -> u32 {
        let of_nodes = after(source / self.per_node, destination / self.per_node, self.nodes);
        of_nodes * self.per_node.get()
            + after(source % self.per_node, destination % self.per_node, self.per_node)
    }
}

/// The distance from one number below `count` up to another, cyclically.
#[inline]
fn after(one: u32, other: u32, count: NonZeroU32) -> u32 {
    if other >= one { other - one } else { count.get() - one + other }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rank_gives_each_turn_once_and_takes_each_once() {
        for (ranks, per_node) in [(2, 1), (6, 1), (6, 2), (6, 3), (6, 6), (6, 4), (12, 4)] {
            let rotation = Rotation::new(ranks, per_node);
            let all: Vec<u32> = (0..ranks).collect();
            for rank in 0..ranks {
                let sent: Vec<u32> = all.iter().map(|&other| rotation.turn(rank, other)).collect();
                let received: Vec<u32> = all.iter().map(|&other| rotation.turn(other, rank)).collect();
                for mut turns in [sent, received] {
                    assert_eq!(turns[rank as usize], 0);
                    turns.sort_unstable();
                    assert_eq!(turns, all);
                }
            }
        }
    }
}
