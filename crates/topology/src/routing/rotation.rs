//! The moves of cube-connected cycles and wrapped butterflies to themselves: rotation of levels and words, and exclusive
//! or of words.
//!
//! These are the work of every crossing. What cannot overflow is not checked here: the checks would be most of it.

use crate::{Length, narrow};

/// Nodes `(i, x)` at `i + n x`, `i` in `0..n`, `x` a word of `n` bits.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rotation {
    order: u32,     // n
    levels: Length, // the same
    mask: u32,      // of the bits of a word
}

impl Rotation {
    /// Returns the moves of a network of so many dimensions.
    pub(crate) fn new(order: u32) -> Self {
        Self { order, levels: Length::new(order.into()), mask: (1 << order) - 1 }
    }

    /// Level and word of a node.
    #[inline]
    pub(super) fn split(self, node: u32) -> (u32, u32) {
        let (word, level) = self.levels.divide(node.into());
        (narrow(level), narrow(word))
    }

    /// The class of a node, given its level and word: nodes of one class have links to the same ends, seen from them, in the
    /// same order. For the order of two neighbours is that of their words, which the bits on both sides of the level decide.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "a call for each message costs as much as its work")]
    pub(super) fn class(self, (level, word): (u32, u32)) -> u32 {
        let below = level.wrapping_add(self.order).wrapping_sub(1);
        level.wrapping_mul(4) | narrow(self.twice(word).wrapping_shr(below) & 3)
    }

    /// How many classes there are.
    pub(super) fn classes(self) -> u32 {
        4 * self.order
    }

    /// A word twice, one behind the other: its rotations are the words in it.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "a call for each message costs as much as its work")]
    fn twice(self, word: u32) -> u64 {
        u64::from(word) | u64::from(word).wrapping_shl(self.order)
    }

    /// A word rotated to the right, by at most its length.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "a call for each message costs as much as its work")]
    fn rotated(self, word: u32, by: u32) -> u32 {
        narrow(self.twice(word).wrapping_shr(by) & u64::from(self.mask))
    }

    /// The node at a level, or `n` levels from it where there is none, with a word.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "a call for each message costs as much as its work")]
    fn node(self, level: u32, other: u32, word: u32) -> u32 {
        // The greater of the two is no level: it wraps around, or is `n` or more.
        level.min(other).wrapping_add(self.order.wrapping_mul(word))
    }

    /// The node to which a node is moved when another one is moved to node 0, which is given first; levels and words of both.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "a call for each message costs as much as its work")]
    pub(super) fn difference(self, (i, x): (u32, u32), (j, y): (u32, u32)) -> u32 {
        let level = j.wrapping_sub(i);
        self.node(level, level.wrapping_add(self.order), self.rotated(x ^ y, i))
    }

    /// The node to which a node is moved when node 0 is moved to another one, which is given first; levels and words of both.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "a call for each message costs as much as its work")]
    pub(super) fn sum(self, (i, x): (u32, u32), (j, y): (u32, u32)) -> u32 {
        let level = i.wrapping_add(j);
        self.node(level, level.wrapping_sub(self.order), x ^ self.rotated(y, self.order.wrapping_sub(i)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sum_takes_a_difference_back() {
        for order in 2..6 {
            let rotation = Rotation::new(order);
            let nodes = order << order;
            for (at, to) in (0..nodes).flat_map(|at| (0..nodes).map(move |to| (at, to))) {
                let [at, other] = [at, to].map(|node| rotation.split(node));
                assert_eq!(rotation.sum(at, rotation.split(rotation.difference(at, other))), to);
                assert_eq!(rotation.difference(at, at), 0);
            }
        }
    }
}
