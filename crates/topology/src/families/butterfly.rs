//! Butterflies, and walks along a line of levels, which are the routes of butterflies and of trees of switches.

use crate::{Divisor, routes::Distances};

/// A shortest walk along a line of levels from one to another that crosses given gaps: one for each bit, or digit, in
/// which two nodes of a butterfly, or of a tree of switches, differ.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LevelWalk {
    from: u32,
    to: u32,
    low: u32,  // the lowest level that it visits
    high: u32, // the highest
}

impl LevelWalk {
    /// Returns the walk between two levels that crosses the gaps from level `gaps.0` to level `gaps.1 + 1`.
    #[inline]
    pub(crate) fn new(from: u32, to: u32, gaps: Option<(u32, u32)>) -> Self {
        let (mut low, mut high) = (from.min(to), from.max(to));
        if let Some((first, last)) = gaps {
            low = low.min(first);
            high = high.max(last + 1);
        }
        Self { from, to, low, high }
    }

    /// Its length down first, and up first.
    #[inline]
    fn lengths(self) -> [u32; 2] {
        let Self { from, to, low, high } = self;
        [(from - low) + (high - low) + (high - to), (high - from) + (high - low) + (to - low)]
    }

    /// Its length \[links\].
    #[inline]
    pub(crate) fn length(self) -> u32 {
        let [down, up] = self.lengths();
        down.min(up)
    }

    /// The number of ways to walk it, if the first crossing of a gap leads to one node, and every further crossing of it
    /// multiplies the ways by `choices`.
    pub(crate) fn ways(self, choices: u64) -> u64 {
        let [down, up] = self.lengths();
        let is_both = down == up && self.low < self.from && self.from < self.high;
        let repeated = self.length() - (self.high - self.low);
        choices.saturating_pow(repeated).saturating_mul(1 + u64::from(is_both))
    }
}

/// Nodes `(i, x)` at `i + (n + 1) x`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Butterfly {
    levels: Divisor, // n + 1
}

impl Butterfly {
    pub(super) fn new(order: u32) -> Self {
        Self { levels: Divisor::new(u64::from(order) + 1) }
    }

    #[inline]
    fn walk(self, at: u32, to: u32) -> LevelWalk {
        let ((from, i), (end, j)) = (self.levels.split(at), self.levels.split(to));
        let word = from ^ end;
        let gaps = (word != 0).then(|| (word.trailing_zeros(), word.ilog2()));
        LevelWalk::new(i, j, gaps)
    }
}

impl Distances for Butterfly {
    #[inline]
    fn distance(&self, at: u32, to: u32) -> u32 {
        self.walk(at, to).length()
    }

    #[inline]
    fn route_count(&self, at: u32, to: u32) -> Option<u64> {
        Some(self.walk(at, to).ways(2))
    }
}
