//! A message in flight as one word.
//!
//! ```text
//! highest bits                                    lowest bits
//! links left in this stretch | number of the message | position
//! ```
//!
//! A hop is one addition: a step of the position, less one link left. The position never leaves `0..N`
//! within a stretch, so that nothing is carried between the fields, and the words with one link left are
//! those below a constant.

/// A word that is wide enough for the three fields.
pub(crate) trait Word: Copy + Ord + std::fmt::Debug {
    /// The word of these bits, of which those above the word's are dropped.
    fn from_bits(bits: u128) -> Self;

    /// Its bits.
    fn bits(self) -> u128;

    /// The word a hop later. Steps back wrap on purpose, as two's complement does.
    fn plus(self, step: Self) -> Self;
}

impl Word for u64 {
    #[expect(clippy::cast_possible_truncation, reason = "documented")]
    fn from_bits(bits: u128) -> Self {
        bits as Self
    }

    #[inline]
    fn bits(self) -> u128 {
        self.into()
    }

    #[inline]
    fn plus(self, step: Self) -> Self {
        self.wrapping_add(step)
    }
}

impl Word for u128 {
    fn from_bits(bits: u128) -> Self {
        bits
    }

    #[inline]
    fn bits(self) -> u128 {
        self
    }

    #[inline]
    fn plus(self, step: Self) -> Self {
        self.wrapping_add(step)
    }
}

/// How many bits the fields have in a run.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Layout {
    position: u32, // at most 32
    message: u32,  // at most 32
    links: u32,    // 2 to 33
}

impl Layout {
    /// For positions below `nodes`, at most 2^32, messages numbered below `messages`, and stretches of up
    /// to `links` links.
    pub(crate) fn new(nodes: u64, messages: u64, links: u64) -> Self {
        let below = |count: u64| u64::BITS - count.saturating_sub(1).leading_zeros();
        Self { position: below(nodes), message: below(messages), links: below(links + 1).max(2) }
    }

    /// The bits of all fields together.
    pub(crate) fn bits(self) -> u32 {
        self.position + self.message + self.links
    }

    /// A message on a link at `position`, the first of `links`.
    pub(super) fn word<W: Word>(self, links: u32, message: u32, position: u32) -> W {
        let links = u128::from(links) << (self.message + self.position);
        W::from_bits(links | u128::from(message) << self.position | u128::from(position))
    }

    /// What a hop adds to a word when the position changes by `step`.
    pub(super) fn step<W: Word>(self, step: i64) -> W {
        let link = 1_i128 << (self.message + self.position);
        W::from_bits((i128::from(step) - link).cast_unsigned())
    }

    /// Every word with one link left is below this, and no other.
    pub(super) fn two_links<W: Word>(self) -> W {
        W::from_bits(2 << (self.message + self.position))
    }

    #[inline]
    pub(super) fn position<W: Word>(self, word: W) -> u32 {
        low_bits(word.bits(), self.position)
    }

    #[inline]
    pub(super) fn message<W: Word>(self, word: W) -> u32 {
        low_bits(word.bits() >> self.position, self.message)
    }
}

/// The lowest `count` bits, at most 32.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "masked to at most 32 bits")]
fn low_bits(bits: u128, count: u32) -> u32 {
    (bits as u64 & ((1 << count) - 1)) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_hops<W: Word>(layout: Layout, message: u32, first: u32, step: i64, links: u32) {
        let mut word: W = layout.word(links, message, first);
        for crossed in 0..links {
            assert_eq!(i64::from(layout.position(word)), i64::from(first) + step * i64::from(crossed));
            assert_eq!(layout.message(word), message);
            assert_eq!(word < layout.two_links(), crossed + 1 == links);
            word = word.plus(layout.step(step));
        }
    }

    #[test]
    fn hops_change_the_position_and_the_links_left_and_nothing_else() {
        let layout = Layout::new(1 << 20, 1 << 20, 1 << 10);
        assert_eq!(layout.bits(), 20 + 20 + 11);
        for message in [0, 1, (1 << 20) - 1] {
            check_hops::<u64>(layout, message, 0, 1024, 1024);
            check_hops::<u64>(layout, message, (1 << 20) - 1, -1024, 1024);
            check_hops::<u64>(layout, message, 7, 1, 1);
        }
        let largest = Layout::new(1 << 32, 1 << 30, 1 << 32);
        assert_eq!(largest.bits(), 32 + 30 + 33);
        check_hops::<u128>(largest, (1 << 30) - 1, u32::MAX, -1, 1000);
        check_hops::<u128>(largest, 0, 0, 1 << 16, 1 << 16);
        // A machine of 5 nodes with one message: no bit for its number.
        check_hops::<u64>(Layout::new(5, 1, 4), 0, 0, 1, 4);
    }
}
