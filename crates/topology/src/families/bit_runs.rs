//! Runs of ones in words of bits.

use std::ops::{BitAndAssign, Shr};

/// Marks the places of a word from which at least `length` ones follow upwards, in O(log `length`) steps; `length` is
/// at least 1. The halves of a word may hold a word each, with zeros between them.
#[inline]
pub(super) fn runs<W: Copy + BitAndAssign + Shr<u32, Output = W>>(word: W, length: u32) -> W {
    let (mut starts, mut have) = (word, 1);
    while have < length {
        let step = have.min(length - have);
        starts &= starts >> step;
        have += step;
    }
    starts
}

/// Returns the length of the longest run of ones of each word.
#[inline]
pub(super) fn longest_runs<const N: usize>(mut words: [u32; N]) -> [u32; N] {
    let mut lengths = [0_u32; N];
    while words.iter().any(|&word| word != 0) {
        for (length, word) in lengths.iter_mut().zip(&mut words) {
            *length += u32::from(*word != 0);
            *word &= *word >> 1;
        }
    }
    lengths
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_begin_where_so_many_ones_follow() {
        for word in 0..1_u64 << 12 {
            for length in 1..=13 {
                let begins = |place: u32| (0..length).all(|next| word >> (place + next) & 1 == 1);
                let expected: u64 = (0..12).filter(|&place| begins(place)).map(|place| 1 << place).sum();
                assert_eq!(runs(word, length), expected, "{word:b} {length}");
            }
        }
    }

    #[test]
    fn the_longest_run_is_the_last_length_at_which_one_begins() {
        let words: [u32; 5] = [0, 1, 0b0110_1110_0111, u32::MAX, 0xf000_0001];
        assert_eq!(longest_runs(words), [0, 1, 3, 32, 4]);
        for word in 0..1 << 12 {
            let expected = (1..=12).filter(|&length| runs(word, length) != 0).count();
            assert_eq!(longest_runs([0, word]).map(|length| length as usize), [0, expected]);
        }
    }
}
