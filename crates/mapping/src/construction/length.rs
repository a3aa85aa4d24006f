//! Lengths of dimensions, ready to be divided by.

/// A length in `1..=2^32` with its reciprocal: what coordinates are divided by for every process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Length {
    length: u64,     // in 1..=2^32
    reciprocal: u64, // floor((2^64 - 1) / length)
}

impl Length {
    pub(crate) fn new(length: u64) -> Self {
        debug_assert!((1..=1 << 32).contains(&length));
        Self { length, reciprocal: u64::MAX / length }
    }

    /// All lengths of a list.
    pub(crate) fn all(lengths: &[u64]) -> Vec<Self> {
        lengths.iter().copied().map(Self::new).collect()
    }

    /// The length.
    pub(crate) fn get(self) -> u64 {
        self.length
    }

    /// Quotient and remainder of a number below 2^32.
    ///
    /// A division in hardware takes longer than all else that is done with a coordinate. With `l` the length and
    /// `m = floor((2^64 - 1) / l)`, at least `2^64 / l - 1`, the quotient of `x` is `floor((x + 1) m / 2^64)`: it
    /// is no larger, as `(x + 1) m < 2^64 (x + 1) / l`, and no smaller, as `(x + 1) / l` is at least `1 / l` over
    /// the quotient and `(x + 1) m` falls short of `2^64 (x + 1) / l` by `x + 1 <= 2^32 <= 2^64 / l` at most.
    pub(crate) fn divide(self, number: u64) -> (u64, u64) {
        debug_assert!(number < 1 << 32);
        let product = u128::from(number + 1).wrapping_mul(u128::from(self.reciprocal));
        let quotient = (product >> 64) as u64;
        // Neither wraps: the quotient times the length is at most the number.
        (quotient, number.wrapping_sub(quotient.wrapping_mul(self.length)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotients_are_those_of_plain_division() {
        let near = |number: u64| number.saturating_sub(2)..=(number + 2).min(u64::from(u32::MAX));
        let lengths =
            (1..300).chain([65_535, 65_536, 65_537, (1 << 31) - 1, 1 << 31, (1 << 32) - 1, 1 << 32]);
        for length in lengths {
            let multiples =
                (0..40).map(|times| times * length).chain([u64::from(u32::MAX) / length * length]);
            for number in multiples.filter(|&multiple| multiple < 1 << 32).flat_map(near) {
                assert_eq!(Length::new(length).divide(number), (number / length, number % length));
            }
        }
    }
}
