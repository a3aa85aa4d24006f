//! The moves of cube-connected cycles and wrapped butterflies to themselves: rotation of levels and words, and exclusive
//! or of words.

use crate::{Length, narrow};

/// Nodes `(i, x)` at `i + n x`, `i` in `0..n`, `x` a word of `n` bits.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rotation {
    order: u32,     // n
    levels: Length, // the same
}

impl Rotation {
    /// Returns the moves of a network of so many dimensions.
    pub(crate) fn new(order: u32) -> Self {
        Self { order, levels: Length::new(order.into()) }
    }

    /// Level and word of a node.
    #[inline]
    pub(super) fn split(self, node: u32) -> (u32, u32) {
        let (word, level) = self.levels.divide(node.into());
        (narrow(level), narrow(word))
    }

    /// The class of a node, given its level and word: nodes of one class have links to the same ends, seen from them, in the
    /// same order. For the order of two neighbours is that of their words, which the bits on both sides of the level decide.
    #[inline]
    pub(super) fn class(self, (level, word): (u32, u32)) -> u32 {
        let below = if level == 0 { self.order - 1 } else { level - 1 };
        4 * level + 2 * (word >> below & 1) + (word >> level & 1)
    }

    /// How many classes there are.
    pub(super) fn classes(self) -> u32 {
        4 * self.order
    }

    /// A word rotated to the left, by at most its length.
    #[inline]
    fn rotated(self, word: u32, by: u32) -> u32 {
        (word << by | word >> (self.order - by)) & ((1 << self.order) - 1)
    }

    /// The node to which a node is moved when another one is moved to node 0, which is given first; levels and words of both.
    #[inline]
    pub(super) fn difference(self, (i, x): (u32, u32), (j, y): (u32, u32)) -> u32 {
        let level = if j >= i { j - i } else { j + self.order - i };
        level + self.order * self.rotated(x ^ y, self.order - i)
    }

    /// The node to which a node is moved when node 0 is moved to another one, which is given first; levels and words of both.
    #[inline]
    pub(super) fn sum(self, (i, x): (u32, u32), (j, y): (u32, u32)) -> u32 {
        let level = if i + j >= self.order { i + j - self.order } else { i + j };
        level + self.order * (x ^ self.rotated(y, i))
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
