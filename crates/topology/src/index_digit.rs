//! One coordinate as a digit of a node's index, which is a number in mixed radix.
//!
//! The index is `p_1 + p_2 k_1 + p_3 k_1 k_2 + ..` (`docs/model.md` section 1). Where a length and its stride are powers
//! of two, the coordinate is some bits of the index; elsewhere it takes divisions, by reciprocals. Loops over many nodes
//! match an [`IndexDigit`] once and continue with a [`BitDigit`] or [`RadixDigit`], free of branches.

use crate::{Length, narrow};

/// A digit of an index.
///
/// Positions, indices and distances are below 2^32; lengths are at least 2.
pub trait Digit: Copy {
    /// The coordinate of the node with this index.
    #[must_use]
    fn position(&self, index: u32) -> u32;

    /// The contribution of a coordinate to an index: the coordinate times the stride, modulo 2^32, so that differences
    /// of coordinates give differences of indices.
    #[must_use]
    fn offset(&self, position: u32) -> u32;

    /// The contribution of the digits below this one to an index.
    #[must_use]
    fn below(&self, index: u32) -> u32;

    /// The number formed by the digits above this one.
    #[must_use]
    fn above(&self, index: u32) -> u32;

    /// The index of the node at coordinate 0 that agrees with `to` below the digit, with `from` above it.
    #[must_use]
    fn line(&self, from: u32, to: u32) -> u32;

    /// The distance between two nodes along the digit where it does not wrap.
    #[must_use]
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "the loop over many nodes is vectorised around it")]
    fn line_distance(&self, a: u32, b: u32) -> u32 {
        self.position(a).abs_diff(self.position(b))
    }
}

/// A coordinate that is some bits of the index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BitDigit {
    shift: u32, // binary logarithm of the stride, below 32
    field: u32, // the bits of the coordinate, at least one
    above: u32, // the bits above them
}

/// A coordinate that is a digit to any radix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RadixDigit {
    length: Length,
    stride: Length,
    period: Length, // the product of both
}

/// A digit of either kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IndexDigit {
    /// Length and stride are powers of two.
    Bits(BitDigit),
    /// Any other.
    Radix(RadixDigit),
}

// Shifts are below 32, which the compiler cannot know: wrapping shifts skip the check.
impl BitDigit {
    /// Whether any of these bits is the coordinate's.
    #[must_use]
    #[inline]
    pub fn is_among(&self, bits: u32) -> bool {
        bits & self.field != 0
    }

    /// The distance between two nodes along the digit where it wraps.
    ///
    /// A ring wraps like a word: with the coordinates in the highest bits, the signed difference has the distance as its
    /// magnitude.
    #[must_use]
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "the loop over many nodes is vectorised around it")]
    pub fn ring_distance(&self, a: u32, b: u32) -> u32 {
        let unused = self.above.count_ones();
        let difference = (a & self.field).wrapping_sub(b & self.field).wrapping_shl(unused);
        difference.cast_signed().unsigned_abs().wrapping_shr(unused.wrapping_add(self.shift))
    }
}

#[expect(clippy::inline_always, reason = "a call for each message costs as much as its work")]
impl Digit for BitDigit {
    #[inline(always)]
    fn position(&self, index: u32) -> u32 {
        (index & self.field).wrapping_shr(self.shift)
    }

    #[inline(always)]
    fn offset(&self, position: u32) -> u32 {
        position.wrapping_shl(self.shift)
    }

    #[inline(always)]
    fn below(&self, index: u32) -> u32 {
        index & !(self.above | self.field)
    }

    #[inline(always)]
    fn above(&self, index: u32) -> u32 {
        // With nothing above, the shift may be 32.
        narrow(u64::from(index & self.above).wrapping_shr(self.above.trailing_zeros()))
    }

    #[inline(always)]
    fn line(&self, from: u32, to: u32) -> u32 {
        (from & self.above) | self.below(to)
    }
}

// Parts of an index are below 2^32, as it is itself: nothing wraps.
#[expect(clippy::inline_always, reason = "a call for each message costs as much as its work")]
impl Digit for RadixDigit {
    #[inline(always)]
    fn position(&self, index: u32) -> u32 {
        let (from_here, _) = self.stride.divide(index.into());
        narrow(self.length.divide(from_here).1)
    }

    #[inline(always)]
    fn offset(&self, position: u32) -> u32 {
        position.wrapping_mul(narrow(self.stride.get())) // a stride is below 2^32, as a length is at least 2
    }

    #[inline(always)]
    fn below(&self, index: u32) -> u32 {
        narrow(self.stride.divide(index.into()).1)
    }

    #[inline(always)]
    fn above(&self, index: u32) -> u32 {
        narrow(self.period.divide(index.into()).0)
    }

    #[inline(always)]
    fn line(&self, from: u32, to: u32) -> u32 {
        let (_, up_to) = self.period.divide(from.into());
        from.wrapping_sub(narrow(up_to)).wrapping_add(self.below(to))
    }
}

impl IndexDigit {
    /// Returns the digit of this length and stride, whose product is at most 2^32.
    ///
    /// # Panics
    ///
    /// When one of them is 0.
    #[must_use]
    pub fn new(length: u64, stride: u64) -> Self {
        if length.is_power_of_two() && stride.is_power_of_two() {
            let (up_to, below) = (narrow(length * stride - 1), narrow(stride - 1));
            Self::Bits(BitDigit { shift: stride.trailing_zeros(), field: up_to & !below, above: !up_to })
        } else {
            let period = Length::new(length * stride);
            Self::Radix(RadixDigit { length: Length::new(length), stride: Length::new(stride), period })
        }
    }

    /// Whether nodes whose indices differ in these bits only may differ in the coordinate.
    #[must_use]
    #[inline]
    pub fn is_among(&self, differing: u32) -> bool {
        match self {
            Self::Bits(digit) => digit.is_among(differing),
            Self::Radix(_) => differing != 0,
        }
    }

    /// The growth of an index per step along the coordinate.
    #[must_use]
    pub fn stride(&self) -> u64 {
        match self {
            Self::Bits(bits) => 1 << bits.shift,
            Self::Radix(digit) => digit.stride.get(),
        }
    }
}

#[expect(clippy::inline_always, reason = "a call for each message costs as much as its work")]
impl Digit for IndexDigit {
    #[inline(always)]
    fn position(&self, index: u32) -> u32 {
        match self {
            Self::Bits(digit) => digit.position(index),
            Self::Radix(digit) => digit.position(index),
        }
    }

    #[inline(always)]
    fn offset(&self, position: u32) -> u32 {
        match self {
            Self::Bits(digit) => digit.offset(position),
            Self::Radix(digit) => digit.offset(position),
        }
    }

    #[inline(always)]
    fn below(&self, index: u32) -> u32 {
        match self {
            Self::Bits(digit) => digit.below(index),
            Self::Radix(digit) => digit.below(index),
        }
    }

    #[inline(always)]
    fn above(&self, index: u32) -> u32 {
        match self {
            Self::Bits(digit) => digit.above(index),
            Self::Radix(digit) => digit.above(index),
        }
    }

    #[inline(always)]
    fn line(&self, from: u32, to: u32) -> u32 {
        match self {
            Self::Bits(digit) => digit.line(from, to),
            Self::Radix(digit) => digit.line(from, to),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_those_of_plain_division() {
        for (length, stride) in
            [(2, 1), (8, 4), (3, 8), (4, 3), (7, 5), (1 << 32, 1), (2, 1 << 31), (3, 1 << 30)]
        {
            let digit = IndexDigit::new(length, stride);
            assert_eq!(digit.stride(), stride);
            for index in (0..100).chain(u32::MAX - 100..=u32::MAX) {
                let wide = u64::from(index);
                assert_eq!(u64::from(digit.position(index)), wide / stride % length);
                assert_eq!(u64::from(digit.below(index)), wide % stride);
                assert_eq!(u64::from(digit.above(index)), wide / stride / length);
                let line = wide / (stride * length) * (stride * length) + 77 % stride;
                assert_eq!(u64::from(digit.line(index, 77)), line);
            }
        }
    }
}
