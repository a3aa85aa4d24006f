//! The place of one coordinate in the index of a node.

use crate::construction::{Length, narrow};

/// How an index splits at a dimension.
pub(super) trait Place {
    /// The coordinate.
    fn position(&self, index: u32) -> u32;

    /// What a coordinate contributes to an index.
    fn offset(&self, position: u32) -> u32;

    /// The index of the node at coordinate 0 that agrees with `to` below the dimension, with `from` above it.
    fn line(&self, from: u32, to: u32) -> u32;

    /// The distance of two nodes along the dimension where it does not wrap.
    fn line_distance(&self, a: u32, b: u32) -> u32 {
        self.position(a).abs_diff(self.position(b))
    }
}

/// A coordinate that is some bits of the index.
#[derive(Debug, Clone)]
pub(super) struct Bits {
    shift: u32, // below 32
    field: u32, // the bits of the coordinate
    above: u32, // the bits above them
}

impl Bits {
    /// Of a length and a stride that are powers of two.
    pub(super) fn new(length: u64, stride: u64) -> Self {
        let (up_to, below) = (narrow(length * stride - 1), narrow(stride - 1));
        Self { shift: stride.trailing_zeros(), field: up_to & !below, above: !up_to }
    }

    /// Whether any of these bits is the coordinate's.
    pub(super) fn is_among(&self, bits: u32) -> bool {
        bits & self.field != 0
    }

    /// The distance of two nodes along the dimension where it wraps.
    ///
    /// A ring is as a word is: of coordinates in the highest bits, the difference as a signed number has the
    /// distance as its magnitude.
    pub(super) fn ring_distance(&self, a: u32, b: u32) -> u32 {
        let unused = self.above.count_ones();
        let difference = (a & self.field).wrapping_sub(b & self.field).wrapping_shl(unused);
        difference.cast_signed().unsigned_abs().wrapping_shr(unused + self.shift)
    }
}

// Shifts are by less than 32, which the compiler does not know: the wrapping ones are not checked.
impl Place for Bits {
    fn position(&self, index: u32) -> u32 {
        (index & self.field).wrapping_shr(self.shift)
    }

    fn offset(&self, position: u32) -> u32 {
        position.wrapping_shl(self.shift)
    }

    fn line(&self, from: u32, to: u32) -> u32 {
        (from & self.above) | (to & !(self.above | self.field))
    }
}

/// A coordinate that is a digit of the index to mixed radix.
#[derive(Debug, Clone)]
pub(super) struct Digit {
    length: Length,
    stride: Length,
    period: Length, // the product of both
}

impl Digit {
    /// Of any length and stride.
    pub(super) fn new(length: u64, stride: u64) -> Self {
        let period = Length::new(length * stride);
        Self { length: Length::new(length), stride: Length::new(stride), period }
    }
}

// Parts of an index are below 2^32, as it is itself: nothing wraps.
impl Place for Digit {
    fn position(&self, index: u32) -> u32 {
        let (from_here, _) = self.stride.divide(index.into());
        narrow(self.length.divide(from_here).1)
    }

    fn offset(&self, position: u32) -> u32 {
        narrow(u64::from(position).wrapping_mul(self.stride.get()))
    }

    fn line(&self, from: u32, to: u32) -> u32 {
        let (_, up_to) = self.period.divide(from.into());
        let (_, below) = self.stride.divide(to.into());
        narrow(u64::from(from).wrapping_sub(up_to).wrapping_add(below))
    }
}
