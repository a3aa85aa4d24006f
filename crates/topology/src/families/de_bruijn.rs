//! Undirected de Bruijn networks: words linked by shifts (Pradhan & Reddy 1982).
//!
//! A walk shifts a word right and left. A block of `m` bits that two words have in common, `s` places apart, is never
//! shifted out. All other bits are, which takes `2 (n - m) - |s|` links: the bits on one side of the block, then
//! those on the other, then back to its place in the second word. `n` links replace all bits, as a block of no bits that
//! moves by `n`. So the greatest `2 m + |s|` decides.

use super::bit_runs::runs;
use crate::{narrow, routes::Distances};

/// The words of `order` bits, at most 20.
#[derive(Debug, Clone, Copy)]
pub(super) struct DeBruijn {
    pub(super) order: u32, // n
}

/// The agreements of both shifts are the halves of one word.
const HALF: u32 = 32;

impl DeBruijn {
    /// The places in which two words agree if a block moves by `shift` places, below `n`: down in the lower half, up in
    /// the upper half.
    #[inline]
    fn agreement(self, x: u32, y: u32, shift: u32) -> u64 {
        let mask = narrow((1 << (self.order - shift)) - 1);
        let (down, up) = (!(x >> shift ^ y) & mask, !(x ^ y >> shift) & mask);
        u64::from(down) | u64::from(up) << HALF
    }

    /// Whether `2 m + |s|` is at least `least` for any block; `least` is more than `n`.
    #[inline]
    fn overlaps(self, x: u32, y: u32, least: u32) -> bool {
        // A block that moves by `s` places has at most `n - s` bits. At the end of every route it has all of them, so
        // the largest shift comes first.
        let mut shifts = (0..=2 * self.order - least).rev();
        shifts.any(|shift| runs(self.agreement(x, y, shift), (least - shift).div_ceil(2)) != 0)
    }

    /// The greatest `2 m + |s|`.
    #[inline]
    fn overlap(self, x: u32, y: u32) -> u32 {
        let mut greatest = self.order; // a block of no bits moves by n
        for shift in (0..self.order).rev() {
            // The least length that is better.
            let mut length = (greatest + 2 - shift) / 2;
            let mut starts = runs(self.agreement(x, y, shift), length);
            while starts != 0 {
                greatest = 2 * length + shift;
                starts &= starts >> 1;
                length += 1;
            }
        }
        greatest
    }
}

impl Distances for DeBruijn {
    #[inline]
    fn distance(&self, at: u32, to: u32) -> u32 {
        2 * self.order - self.overlap(at, to)
    }

    /// No neighbour of a node is nearer by more than one link.
    #[inline]
    fn is_nearer(&self, at: u32, to: u32, links: u32) -> bool {
        links >= self.order || self.overlaps(at, to, 2 * self.order - links)
    }
}
