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
    fn split(self, node: u32) -> (u32, u32) {
        let (word, level) = self.levels.divide(node.into());
        (narrow(level), narrow(word))
    }

    /// A word rotated to the left, by at most its length.
    #[inline]
    fn rotated(self, word: u32, by: u32) -> u32 {
        (word << by | word >> (self.order - by)) & ((1 << self.order) - 1)
    }

    /// The node to which `to` is moved when `at` is moved to node 0.
    #[inline]
    pub(super) fn difference(self, at: u32, to: u32) -> u32 {
        let ((i, x), (j, y)) = (self.split(at), self.split(to));
        let level = if j >= i { j - i } else { j + self.order - i };
        level + self.order * self.rotated(x ^ y, self.order - i)
    }

    /// The node to which `node` is moved when node 0 is moved to `at`.
    #[inline]
    pub(super) fn sum(self, at: u32, node: u32) -> u32 {
        let ((i, x), (j, y)) = (self.split(at), self.split(node));
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
                assert_eq!(rotation.sum(at, rotation.difference(at, to)), to);
                assert_eq!(rotation.difference(at, at), 0);
            }
        }
    }
}
