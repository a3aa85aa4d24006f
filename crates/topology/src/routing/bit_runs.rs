//! Ones in words of bits, and runs of them.

use std::{
    hint::select_unpredictable,
    ops::{BitAndAssign, Shr},
};

use crate::narrow;

/// The places of a word at which a run of at least `length` ones begins upwards, `length` being at least 1: in
/// O(log `length`) steps. Words with room of zeros above them can lie side by side in one.
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

/// The lengths of the longest runs of ones in words.
#[inline]
pub(super) fn longest_runs<const N: usize>(mut words: [u32; N]) -> [u32; N] {
    let mut lengths = [0_u32; N];
    loop {
        for (length, word) in lengths.iter_mut().zip(&words) {
            *length = length.wrapping_add(u32::from(*word != 0)); // at most 32
        }
        let mut left = 0;
        for word in &mut words {
            *word &= *word >> 1;
            left |= *word;
        }
        if left == 0 {
            return lengths;
        }
    }
}

/// A word whose lowest bits, so many, are ones.
#[inline]
pub(crate) fn ones(count: u32) -> u64 {
    1_u64.wrapping_shl(count).wrapping_sub(1) // wraps nowhere
}

/// The places of the ones in a word, ascending.
#[inline]
pub(crate) fn places(mut word: u64) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let place = (word != 0).then(|| word.trailing_zeros());
        word &= word.wrapping_sub(1);
        place
    })
}

/// The place of the one in a word with so many ones below it, if there is one: without branches, as which one it is has no
/// pattern.
///
/// The ones of pairs, fours and bytes of bits are counted side by side, and those of all bytes up to each (Vigna 2008).
#[inline]
pub(crate) fn place_of(word: u64, below: u32) -> Option<u32> {
    const LOWEST_OF_BYTES: u64 = 0x0101_0101_0101_0101;
    const HIGHEST_OF_BYTES: u64 = LOWEST_OF_BYTES << 7;
    let pairs = word.wrapping_sub(word >> 1 & 0x5555_5555_5555_5555);
    let fours = (pairs & 0x3333_3333_3333_3333) + (pairs >> 2 & 0x3333_3333_3333_3333);
    let bytes = fours.wrapping_add(fours >> 4) & 0x0f0f_0f0f_0f0f_0f0f;
    let up_to = bytes.wrapping_mul(LOWEST_OF_BYTES);
    if u64::from(below) >= up_to >> 56 {
        return None;
    }
    // A byte keeps its highest bit where no more ones are up to its end than below the one that is looked for.
    let behind =
        ((u64::from(below) * LOWEST_OF_BYTES) | HIGHEST_OF_BYTES).wrapping_sub(up_to) & HIGHEST_OF_BYTES;
    let mut place = narrow((behind >> 7).wrapping_mul(LOWEST_OF_BYTES) >> 56) * 8;
    let mut left = u64::from(below) - (up_to << 8 >> place & 0xff);
    for (counts, width) in [(fours, 4), (pairs, 2), (word, 1)] {
        let own = counts >> place & ones(width);
        let is_behind = left >= own;
        place += select_unpredictable(is_behind, width, 0);
        left -= select_unpredictable(is_behind, own, 0);
    }
    Some(place)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::routing::RouteHash;

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
    fn places_of_ones_ascend() {
        assert!(places(0).next().is_none());
        assert!(places(1 << 63 | 0b1011).eq([0, 1, 3, 63]));
        assert!(places(u64::MAX).eq(0..64));
    }

    #[test]
    fn places_are_found_by_the_ones_below() {
        for mixed in (0..2000).map(|number| RouteHash::of(1).at(number)) {
            for word in [mixed, mixed & mixed << 7, mixed | mixed >> 5, mixed << 60, mixed >> 60, u64::MAX, 0]
            {
                let expected: Vec<u32> = places(word).collect();
                let found = |below| place_of(word, below);
                assert!((0..).map_while(found).eq(expected.iter().copied()), "{word:x}");
                assert!((word.count_ones()..70).all(|below| found(below).is_none()));
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
