//! Walks in de Bruijn networks, by the shifts of which they consist.

use super::{
    RouteSteps, bit_runs, de_bruijn,
    drawn_walks::{MAX_STEPS, OpenWalk, alternates},
};
use crate::narrow;

/// A block of bits that two words have in common.
#[derive(Debug, Clone, Copy)]
pub(super) struct Block {
    pub(super) shift: u32, // how far it moves
    pub(super) is_up: bool,
    pub(super) begin: u32, // its lower place of the two
    pub(super) length: u32,
}

/// A walk that keeps a block: one shift at each time.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct ShiftWalk {
    order: u32,
    right: u32, // the times of shifts to the right, a bit each
    bits: u32,  // the new bits, by their times
    open: u32,  // the times of new bits that may be either; they are 0 until they are drawn
}

impl ShiftWalk {
    /// Returns the walk to a word that keeps a block.
    ///
    /// The bits on one side of it go out, then those on the other side, then it goes to its place in the second word. Bits
    /// that come in and go out again are open.
    #[inline]
    pub(super) fn new(order: u32, to: u32, block: Block) -> Self {
        let Block { shift, is_up, begin, length } = block;
        let others = order - length;
        let ones = |count: u32| narrow(bit_runs::ones(count));
        // Bits of the second word: the lower ones, the highest first, and the upper ones.
        let lower = |count: u32| narrow(u64::from(to.reverse_bits()) >> (u32::BITS - count));
        let upper = |count: u32| narrow(u64::from(to) >> (order - count));
        if is_up {
            let end = begin + shift;
            let above = others - end;
            Self {
                order,
                right: ones(begin) | ones(above) << (begin + others),
                bits: lower(end) << begin | upper(above) << (begin + others),
                open: ones(begin) | ones(above) << (begin + end),
            }
        } else {
            let end = others - begin;
            let above = end - shift;
            Self {
                order,
                right: ones(others) << above,
                bits: upper(end) << above | lower(begin) << (above + others),
                open: ones(above) | ones(begin) << (above + end),
            }
        }
    }

    /// The upper bits of the codes of all links, and the lower ones, by their times; open bits are 0.
    #[inline]
    pub(super) fn codes(&self) -> [u32; 2] {
        [self.right, self.bits]
    }
}

impl OpenWalk for ShiftWalk {
    #[inline]
    fn right(&self) -> u64 {
        self.right.into()
    }

    #[inline]
    fn undecided(&self, other: &Self) -> u64 {
        u64::from(self.open | (self.right ^ other.right) | (self.bits ^ other.bits))
    }

    #[inline]
    fn routes(&self, time: u32) -> [u64; MAX_STEPS] {
        let all = 1 << self.open.count_ones(); // at most 2^19
        let zero = match (self.open >> time & 1, self.bits >> time & 1) {
            (1, _) => all / 2,
            (_, bit) => all * u64::from(1 - bit),
        };
        let one = all - zero;
        if self.right >> time & 1 == 1 { [0, 0, zero, one] } else { [zero, one, 0, 0] }
    }

    #[inline]
    fn take(&mut self, time: u32, step: u8) {
        self.bits |= u32::from(step & 1) << time;
        self.open &= !(1 << time);
    }

    #[inline]
    fn word_after(&self, word: u32, [from, to]: [u32; 2]) -> u32 {
        let step =
            |time: u32| 2 * u8::from(self.right >> time & 1 == 1) + u8::from(self.bits >> time & 1 == 1);
        (from..to).fold(word, |word, time| de_bruijn::after(self.order, word, step(time)))
    }

    #[inline]
    fn after_step(&self, word: u32, time: u32, step: u8) -> (u32, u32) {
        (de_bruijn::after(self.order, word, step), time + 1)
    }

    fn can_alternate(&self, from: u32, time: u32) -> bool {
        // Open bits move as all others do.
        let open = Self { bits: self.open, ..*self }.word_after(0, [0, time]);
        alternates(self.word_after(from, [0, time]), narrow(bit_runs::ones(self.order)) & !open)
    }

    #[inline]
    fn steps(&self) -> RouteSteps {
        let mut steps = RouteSteps::default();
        steps.set_all(0, self.codes());
        steps
    }
}
