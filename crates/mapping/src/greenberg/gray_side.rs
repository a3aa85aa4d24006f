//! One side of a mesh along the Gray code (`docs/model.md` section 28.5).

use cubefold_topology::{Extent, Wrap};

use super::slot_table::bits;
use crate::gray_code_word;

/// The code word of a position on a side of `length` nodes, which has `ceil(log2 length)` bits.
///
/// Definition 6 of Greenberg 1987 for a side that does not wrap. A wrapping side takes the code in two halves, the
/// second backwards under the highest bit, so that its ends meet (Saad & Schultz 1985, for even lengths):
///
/// ```text
/// x            0 1 2 3 4 5
/// ring of 6    0 1 3 7 5 4
/// ```
///
/// Neighbours differ in one bit; on a ring of odd length, those where the halves meet in two.
pub(super) fn side_word(length: u32, wrap: Wrap, position: u32) -> u32 {
    match wrap {
        Wrap::Around if position >= length.div_ceil(2) => {
            (1 << (bits(length) - 1)) | gray_code_word(length - 1 - position)
        }
        Wrap::Around | Wrap::Open => gray_code_word(position),
    }
}

/// The most bits in which neighbours on a side differ.
pub(super) fn side_dilation(length: u32, wrap: Wrap) -> u32 {
    match wrap {
        Wrap::Around if length > 2 && !length.is_multiple_of(2) => 2,
        Wrap::Around | Wrap::Open => 1,
    }
}

/// The wrap of a guest dimension; one of two nodes does not wrap.
pub(super) fn wrap_of(extent: Extent) -> Wrap {
    if extent.is_ring() { Wrap::Around } else { Wrap::Open }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(length: u32, wrap: Wrap) -> Vec<u32> {
        (0..length).map(|position| side_word(length, wrap, position)).collect()
    }

    #[test]
    fn every_side_has_its_own_words_and_its_dilation() {
        for length in 2..=300_u32 {
            for wrap in [Wrap::Open, Wrap::Around] {
                let side_words = words(length, wrap);
                let mut sorted = side_words.clone();
                sorted.sort_unstable();
                sorted.dedup();
                assert_eq!(sorted.len(), length as usize);
                assert!(sorted[length as usize - 1] < 1 << bits(length));
                let mut apart: Vec<u32> =
                    side_words.windows(2).map(|pair| (pair[0] ^ pair[1]).count_ones()).collect();
                if wrap == Wrap::Around {
                    apart.push((side_words[0] ^ side_words[side_words.len() - 1]).count_ones());
                }
                assert_eq!(apart.iter().max(), Some(&side_dilation(length, wrap)), "{length} {wrap:?}");
            }
        }
    }

    #[test]
    fn a_ring_that_fills_the_code_is_the_code() {
        for power in 1..=8 {
            assert_eq!(words(1 << power, Wrap::Around), words(1 << power, Wrap::Open));
        }
    }
}
