//! A message in flight as one word.
//!
//! ```text
//! highest bits                                    lowest bits
//! links left in this stretch | number of the message | position
//! ```
//!
//! A hop is one addition: a step of the position and one link less. The position never leaves
//! `0..N` within a stretch, so no carry crosses the fields, and the words with one
//! link left are those below a constant.

use cubefold_topology::Sign;

/// A message in flight.
pub(crate) type Word = u64;

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
    pub(super) fn word(self, links: u32, message: u32, position: u32) -> Word {
        self.links(links) | Word::from(message) << self.position | Word::from(position)
    }

    /// A word with `links` links and zeros elsewhere.
    #[inline]
    fn links(self, links: u32) -> Word {
        Word::from(links) << (self.position + self.message)
    }

    /// The number that a hop to the next or the previous position adds to a word, modulo 2^64.
    pub(super) fn step(self, sign: Sign) -> Word {
        match sign {
            Sign::Positive => Word::wrapping_sub(1, self.links(1)),
            Sign::Negative => Word::wrapping_sub(0, 1 + self.links(1)),
        }
    }

    /// Exactly the words with one link left are below this.
    pub(super) fn two_links(self) -> Word {
        self.links(2)
    }

    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "a field of at most 32 bits")]
    pub(super) fn position(self, word: Word) -> u32 {
        (word & ((1 << self.position) - 1)) as u32
    }

    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "a field of at most 32 bits")]
    pub(super) fn message(self, word: Word) -> u32 {
        (word >> self.position & ((1 << self.message) - 1)) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_hops(layout: Layout, message: u32, first: u32, sign: Sign, links: u32) {
        let mut word = layout.word(links, message, first);
        for crossed in 0..links {
            let position = match sign {
                Sign::Positive => first + crossed,
                Sign::Negative => first - crossed,
            };
            assert_eq!(layout.position(word), position);
            assert_eq!(layout.message(word), message);
            assert_eq!(word < layout.two_links(), crossed + 1 == links);
            word = word.wrapping_add(layout.step(sign));
        }
    }

    #[test]
    fn hops_change_the_position_and_the_links_left_and_nothing_else() {
        let layout = Layout::new(1 << 20, 1 << 20, 1 << 10);
        assert_eq!(layout.bits(), 20 + 20 + 11);
        for message in [0, 1, (1 << 20) - 1] {
            check_hops(layout, message, 0, Sign::Positive, 1024);
            check_hops(layout, message, (1 << 20) - 1, Sign::Negative, 1024);
            check_hops(layout, message, 7, Sign::Positive, 1);
        }
        let largest = Layout::new(1 << 25, 1 << 25, 1 << 13);
        assert_eq!(largest.bits(), 25 + 25 + 14);
        check_hops(largest, (1 << 25) - 1, (1 << 25) - 1, Sign::Negative, 1 << 13);
        // A machine of 5 nodes with one message: no bit for its number.
        check_hops(Layout::new(5, 1, 4), 0, 0, Sign::Positive, 4);
    }
}
