//! Division of indices and coordinates by lengths, without hardware division.
//!
//! Dividends are below 2^32. A [`Length`] divides by its reciprocal, for any length and without a branch: two
//! multiplications, a shift and a subtraction. A [`Divisor`] shifts and masks where the length is a power of two: fewer
//! instructions, and a branch that is always predicted.

use std::ops::Rem;

/// A length in `1..=2^32` with its reciprocal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Length {
    length: u64,     // in 1..=2^32
    reciprocal: u64, // floor((2^64 - 1) / length)
}

impl Length {
    /// Returns the length with this value, in `1..=2^32`.
    ///
    /// # Panics
    ///
    /// When `length` is 0.
    #[must_use]
    pub fn new(length: u64) -> Self {
        debug_assert!((1..=1 << 32).contains(&length));
        Self { length, reciprocal: u64::MAX / length }
    }

    /// Returns all lengths of a list.
    #[must_use]
    pub fn all(lengths: &[u64]) -> Vec<Self> {
        lengths.iter().copied().map(Self::new).collect()
    }

    /// The value.
    #[must_use]
    #[inline]
    pub fn get(self) -> u64 {
        self.length
    }

    /// Quotient and remainder of a number below 2^32.
    ///
    /// With `l` the length and `m = floor((2^64 - 1) / l)`, at least `2^64 / l - 1`, the quotient of `x` is
    /// `floor((x + 1) m / 2^64)`: it is no larger, as `(x + 1) m < 2^64 (x + 1) / l`, and no smaller, as `(x + 1) / l`
    /// is at least `1 / l` over the quotient and `(x + 1) m` falls short of `2^64 (x + 1) / l` by
    /// `x + 1 <= 2^32 <= 2^64 / l` at most.
    #[must_use]
    #[inline]
    pub fn divide(self, number: u64) -> (u64, u64) {
        debug_assert!(number < 1 << 32);
        let product = u128::from(number.wrapping_add(1)).wrapping_mul(u128::from(self.reciprocal));
        let quotient = (product >> 64) as u64;
        // Neither wraps: the quotient times the length is at most the number.
        (quotient, number.wrapping_sub(quotient.wrapping_mul(self.length)))
    }
}

/// A length in `1..=2^32`, divided by with shifts where it is a power of two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Divisor {
    /// Two to this power, at most 32.
    Power(u32),
    /// Any other length.
    Other(Length),
}

impl Divisor {
    /// Returns the divisor with this value, in `1..=2^32`.
    ///
    /// # Panics
    ///
    /// When `length` is 0.
    #[must_use]
    pub fn new(length: u64) -> Self {
        if length.is_power_of_two() {
            Self::Power(length.trailing_zeros())
        } else {
            Self::Other(Length::new(length))
        }
    }

    /// The value.
    #[must_use]
    #[inline]
    pub fn get(self) -> u64 {
        match self {
            Self::Power(power) => 1 << power,
            Self::Other(length) => length.get(),
        }
    }

    /// Quotient and remainder of a number below 2^32.
    #[must_use]
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "a call for each message costs as much as its work")]
    pub fn divide(self, number: u64) -> (u64, u64) {
        match self {
            Self::Power(power) => {
                let quotient = number.wrapping_shr(power);
                (quotient, number ^ quotient.wrapping_shl(power))
            }
            Self::Other(length) => length.divide(number),
        }
    }

    /// Quotient and remainder of a number of 32 bits.
    #[must_use]
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "a call for each message costs as much as its work")]
    pub fn split(self, number: u32) -> (u32, u32) {
        let (quotient, remainder) = self.divide(number.into());
        (narrow(quotient), narrow(remainder))
    }
}

/// Returns the largest number that divides two numbers of any width; for 0 and another number, the other (Euclid,
/// Elements VII.2).
///
/// ```
/// assert_eq!(cubefold_topology::greatest_common_divisor(12_u64, 18), 6);
/// ```
#[must_use]
pub fn greatest_common_divisor<N: Copy + Default + PartialEq + Rem<Output = N>>(one: N, other: N) -> N {
    let zero = N::default();
    let (mut one, mut other) = (one, other);
    while other != zero {
        (one, other) = (other, one % other);
    }
    one
}

/// Returns an index, a coordinate or another number known to be below 2^32 as 32 bits.
#[must_use]
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "below 2^32, as asserted")]
pub fn narrow(number: u64) -> u32 {
    debug_assert!(u32::try_from(number).is_ok(), "machines have at most 2^32 nodes");
    number as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_greatest_common_divisor_is_the_largest_that_divides_both() {
        for (one, other) in (0..60_u64).flat_map(|one| (0..60_u64).map(move |other| (one, other))) {
            let divides = |by: &u64| one.is_multiple_of(*by) && other.is_multiple_of(*by);
            let expected =
                if one == 0 && other == 0 { 0 } else { (1..=one.max(other)).rfind(divides).unwrap() };
            assert_eq!(greatest_common_divisor(one, other), expected);
        }
        assert_eq!(greatest_common_divisor(u128::MAX, u128::MAX / 3), u128::MAX / 3);
    }

    #[test]
    fn quotients_are_those_of_plain_division() {
        let near = |number: u64| number.saturating_sub(2)..=(number + 2).min(u64::from(u32::MAX));
        let lengths =
            (1..300).chain([65_535, 65_536, 65_537, (1 << 31) - 1, 1 << 31, (1 << 32) - 1, 1 << 32]);
        for length in lengths {
            let multiples =
                (0..40).map(|times| times * length).chain([u64::from(u32::MAX) / length * length]);
            for number in multiples.filter(|&multiple| multiple < 1 << 32).flat_map(near) {
                let expected = (number / length, number % length);
                assert_eq!(Length::new(length).divide(number), expected);
                assert_eq!(Divisor::new(length).divide(number), expected);
                assert_eq!(Divisor::new(length).get(), length);
            }
        }
    }
}
