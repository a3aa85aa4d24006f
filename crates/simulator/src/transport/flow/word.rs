//! A message in flight as one word.
//!
//! ```text
//! highest bits                                    lowest bits
//! links left in this stretch | number of the message | position
//! ```
//!
//! A hop is one addition: a step of the position, less one link left. The position never leaves
//! `0..N` within a stretch, so that nothing is carried between the fields, and the words with one
//! link left are those below a constant.

use cubefold_topology::Sign;

/// A word that is wide enough for the three fields. Arithmetic wraps on purpose, as two's
/// complement does.
pub(crate) trait Word: Copy + Ord + std::fmt::Debug {
    /// The word in which `value` begins at bit `first`.
    fn placed(value: u64, first: u32) -> Self;

    /// The `count` bits from bit `first` on, at most 32.
    fn field(self, first: u32, count: u32) -> u32;

    /// The sum of two words.
    fn plus(self, other: Self) -> Self;

    /// The difference of two words.
    fn minus(self, other: Self) -> Self;
}

/// Each width does its own arithmetic: that of the widest would be slow for the other.
macro_rules! word {
    ($width:ty) => {
        impl Word for $width {
            #[inline]
            fn placed(value: u64, first: u32) -> Self {
                Self::from(value).unbounded_shl(first)
            }

            #[inline]
            #[expect(clippy::cast_possible_truncation, reason = "masked to at most 32 bits")]
            fn field(self, first: u32, count: u32) -> u32 {
                (self.unbounded_shr(first) & ((1 << count) - 1)) as u32
            }

            #[inline]
            fn plus(self, other: Self) -> Self {
                self.wrapping_add(other)
            }

            #[inline]
            fn minus(self, other: Self) -> Self {
                self.wrapping_sub(other)
            }
        }
    };
}

word!(u64);
word!(u128);

/// The widths of the fields in a run \[bits\].
#[derive(Debug, Clone, Copy)]
pub(crate) struct Layout {
    position: u32, // at most 32
    message: u32,  // at most 32
    links: u32,    // 2 to 33
}

impl Layout {
    /// For positions below `nodes`, at most 2^32, messages numbered below `messages`, and stretches
    /// of up to `links` links.
    pub(crate) fn new(nodes: u64, messages: u64, links: u64) -> Self {
        let below = |count: u64| u64::BITS - count.saturating_sub(1).leading_zeros();
        Self { position: below(nodes), message: below(messages), links: below(links + 1).max(2) }
    }

    /// The bits of all fields together.
    pub(crate) fn bits(self) -> u32 {
        self.position + self.message + self.links
    }

    /// The word of a message on a link at `position`, the first of `links`.
    #[inline]
    pub(super) fn word<W: Word>(self, links: u32, message: u32, position: u32) -> W {
        let message = W::placed(message.into(), self.position);
        W::placed(links.into(), self.position + self.message)
            .plus(message)
            .plus(W::placed(position.into(), 0))
    }

    /// What a hop to the next position, or to that before, adds to a word.
    pub(super) fn step<W: Word>(self, sign: Sign) -> W {
        let (position, link) = (W::placed(1, 0), W::placed(1, self.position + self.message));
        match sign {
            Sign::Positive => position.minus(link),
            Sign::Negative => W::placed(0, 0).minus(position).minus(link),
        }
    }

    /// Every word with one link left is below this, and no other.
    pub(super) fn two_links<W: Word>(self) -> W {
        W::placed(2, self.position + self.message)
    }

    #[inline]
    pub(super) fn position<W: Word>(self, word: W) -> u32 {
        word.field(0, self.position)
    }

    #[inline]
    pub(super) fn message<W: Word>(self, word: W) -> u32 {
        word.field(self.position, self.message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_hops<W: Word>(layout: Layout, message: u32, first: u32, sign: Sign, links: u32) {
        let mut word: W = layout.word(links, message, first);
        for crossed in 0..links {
            let position = match sign {
                Sign::Positive => first + crossed,
                Sign::Negative => first - crossed,
            };
            assert_eq!(layout.position(word), position);
            assert_eq!(layout.message(word), message);
            assert_eq!(word < layout.two_links(), crossed + 1 == links);
            word = word.plus(layout.step(sign));
        }
    }

    #[test]
    fn hops_change_the_position_and_the_links_left_and_nothing_else() {
        let layout = Layout::new(1 << 20, 1 << 20, 1 << 10);
        assert_eq!(layout.bits(), 20 + 20 + 11);
        for message in [0, 1, (1 << 20) - 1] {
            check_hops::<u64>(layout, message, 0, Sign::Positive, 1024);
            check_hops::<u64>(layout, message, (1 << 20) - 1, Sign::Negative, 1024);
            check_hops::<u64>(layout, message, 7, Sign::Positive, 1);
        }
        let largest = Layout::new(1 << 32, 1 << 30, 1 << 32);
        assert_eq!(largest.bits(), 32 + 30 + 33);
        check_hops::<u128>(largest, (1 << 30) - 1, u32::MAX, Sign::Negative, 1000);
        check_hops::<u128>(largest, 0, 0, Sign::Positive, 1 << 16);
        // A machine of 5 nodes with one message: no bit for its number.
        check_hops::<u64>(Layout::new(5, 1, 4), 0, 0, Sign::Positive, 4);
    }
}
