//! Runs of ones in words of bits.

use std::ops::{BitAndAssign, Shr};

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
}
