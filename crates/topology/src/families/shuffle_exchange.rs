//! Shuffle-exchange networks: words linked by rotation and by exchange of the last bit.
//!
//! A route is a walk along a cycle of `n` places, one for each bit of the first word: a rotation brings the next bit to the
//! end, where it can be exchanged. It starts at place 0, ends where the word is aligned with the second one, after `t`
//! rotations to the left in all, and visits the places whose bits then differ. A shortest walk crosses all links of the
//! cycle but those of one gap, the longest between places that it needs, or all of them once if `t` is 0. The gap lies
//! after `t` or before it, which decides which way the walk ends.

use super::bit_runs::longest_runs;
use crate::routes::Distances;

/// Words of `order` bits, at most [`MAX_ORDER`].
#[derive(Debug, Clone, Copy)]
pub(super) struct ShuffleExchange {
    pub(super) order: u32, // n
}

pub(super) const MAX_ORDER: usize = 20;

impl ShuffleExchange {
    /// A word rotated to the left by at most its length.
    #[inline]
    fn rotated(self, word: u32, by: u32) -> u32 {
        (word << by | word >> (self.order - by)) & ((1 << self.order) - 1)
    }

    /// The bits of a word by the number of rotations to the left that bring them to the end.
    #[inline]
    fn by_place(self, word: u32) -> u32 {
        self.rotated(word.reverse_bits() >> (u32::BITS - self.order), 1)
    }

    /// The places between two others, both left out.
    #[inline]
    fn between(low: u32, high: u32) -> u32 {
        ((1 << high) - 1) & !((2 << low) - 1)
    }

    /// The lengths of the shortest walks between two words by where they end; entries from `n` on are meaningless.
    ///
    /// All are found together, in steps without branches.
    #[inline]
    fn lengths(self, x: u32, y: u32) -> [u32; MAX_ORDER] {
        let (order, from, to) = (self.order, self.by_place(x), self.by_place(y));
        let mut visits = [0; MAX_ORDER];
        for (turn, visits) in (0..order).zip(&mut visits) {
            *visits = from ^ self.rotated(to, turn);
        }
        // Places that need no visit, after `t` and before it.
        let (mut above, mut below) = (visits, visits);
        for (turn, (above, below)) in (0..order).zip(above.iter_mut().zip(&mut below)) {
            (*above, *below) = (!*above & Self::between(turn, order), !*below & Self::between(0, turn));
        }
        let (above, below) = (longest_runs(above), longest_runs(below));
        let mut lengths = visits.map(u32::count_ones);
        for (turn, (length, (above, below))) in
            (0..order).zip(lengths.iter_mut().zip(above.iter().zip(&below)))
        {
            // The links on the gap's side both ways, the gap excepted, and those on the other side once; or all links once.
            let up = 2 * order - turn - 2 * (above + 1);
            let down = if turn == 0 { order } else { order + turn - 2 * (below + 1) };
            *length += up.min(down);
        }
        lengths
    }
}

impl Distances for ShuffleExchange {
    #[inline]
    fn distance(&self, at: u32, to: u32) -> u32 {
        let lengths = self.lengths(at, to);
        lengths.into_iter().take(self.order as usize).min().unwrap_or(0)
    }
}
