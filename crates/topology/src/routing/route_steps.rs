//! What is left of a route, found when its message sets out.

use std::hint::select_unpredictable;

use super::{Hop, RouteHash};
use crate::narrow;

/// What is left of a route, as far as the network keeps it: links by their codes, equally many bits each, 128 together; links
/// with the nodes that they lead to, at most 4; or a number. What they mean is known to the network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RouteSteps {
    // Apart, so that they stay in registers.
    low: u64,
    high: u64,
}

impl RouteSteps {
    /// A number instead of links, and the hash by which they are drawn.
    #[inline]
    pub(super) fn of_number(number: u32, drawn: Option<RouteHash>) -> Self {
        Self { low: number.into(), high: drawn.map_or(0, RouteHash::get) }
    }

    /// The same with another number.
    #[inline]
    pub(super) fn with_number(self, number: u32) -> Self {
        Self { low: number.into(), ..self }
    }

    /// The hash.
    #[inline]
    pub(super) fn hash(self) -> RouteHash {
        RouteHash::of(self.high)
    }

    /// The number.
    #[inline]
    pub(super) fn number(self) -> u32 {
        narrow(self.low)
    }

    /// The bits of a link with its node.
    pub(crate) const HOP_BITS: u32 = u32::BITS;

    /// The bits of a node that a link leads to: those of the nodes of the largest networks.
    const NODE_BITS: u32 = 21;

    /// Whether links with codes below `codes` to nodes below `nodes` can be kept with their nodes.
    pub(crate) fn holds_hops(nodes: u64, codes: u32) -> bool {
        nodes <= 1 << Self::NODE_BITS && codes <= 1 << (u32::BITS - Self::NODE_BITS)
    }

    /// The most links with their nodes.
    pub(crate) const MAX_HOPS: usize = 4;

    /// Links with their nodes; as [`Self::holds_hops`] says.
    #[inline]
    pub(crate) fn of_hops(hops: [Hop; Self::MAX_HOPS]) -> Self {
        let word = |Hop { code, next }| u64::from(next | code.wrapping_shl(Self::NODE_BITS));
        let [first, second, third, fourth] = hops.map(word);
        Self { low: first | second << u32::BITS, high: third | fourth << u32::BITS }
    }

    /// Takes the next link with its node.
    #[inline]
    pub(crate) fn take_hop(&mut self) -> Hop {
        let word = self.take_code(Self::HOP_BITS);
        Hop { code: word >> Self::NODE_BITS, next: word & ((1 << Self::NODE_BITS) - 1) }
    }

    /// The bits of a code where no node has more than 4 links.
    pub(crate) const FEW_LINKS_BITS: u32 = 2;

    /// Sets the link behind `before` others, fewer than 64, whose codes have [`Self::FEW_LINKS_BITS`] bits.
    #[inline]
    pub(super) fn set(&mut self, before: u32, step: u8) {
        // Both words are in registers where nothing is looked up by a number.
        let (link, is_low) = (u64::from(step & 3).wrapping_shl(2 * before), before < u64::BITS / 2);
        let Self { low, high } = self;
        *low |= select_unpredictable(is_low, link, 0);
        *high |= select_unpredictable(is_low, 0, link);
    }

    /// Sets links behind `before` others, altogether at most 64: the upper bits of up to 32 codes, and the lower ones.
    #[inline]
    pub(super) fn set_all(&mut self, before: u32, codes: [u32; 2]) {
        let [upper, lower] = codes.map(|bits| {
            let mut links = u64::from(bits);
            // Halves of the bits are moved apart, then quarters, and so on.
            for (by, kept) in [
                (16, u64::MAX / 0x1_0001),
                (8, u64::MAX / 0x101),
                (4, u64::MAX / 0x11),
                (2, u64::MAX / 5),
                (1, u64::MAX / 3),
            ] {
                links = (links | links << by) & kept;
            }
            links
        });
        self.set_bits(2 * before, upper << 1 | lower);
    }

    /// Sets bits behind so many others.
    #[inline]
    fn set_bits(&mut self, before: u32, bits: u64) {
        let Self { low, high } = self;
        if let Some(before) = before.checked_sub(u64::BITS) {
            *high |= bits.checked_shl(before).unwrap_or(0);
        } else {
            *low |= bits << before;
            *high |= bits.checked_shr(u64::BITS - before).unwrap_or(0);
        }
    }

    /// Whether links of a [`CodeWriter`] are left.
    #[inline]
    pub(crate) fn has_codes(self) -> bool {
        let Self { low, high } = self;
        high != 0 || low > 1
    }

    /// Takes the next link of those whose codes have [`Self::FEW_LINKS_BITS`] bits.
    #[inline]
    pub(crate) fn take(&mut self) -> u8 {
        let [step, ..] = self.take_code(Self::FEW_LINKS_BITS).to_le_bytes();
        step
    }

    /// The bits of codes below `codes`, at least 2 of them.
    #[inline]
    pub(crate) fn bits_of_codes(codes: u32) -> u32 {
        (codes - 1).ilog2() + 1
    }

    /// Puts a link before the others, with a code of `bits` bits, at most 32, as those of all others have; all together at
    /// most 128.
    #[inline]
    pub(crate) fn prepend(&mut self, bits: u32, code: u32) {
        let Self { low, high } = *self;
        *self = Self { low: low << bits | u64::from(code), high: high << bits | low >> (u64::BITS - bits) };
    }

    /// Takes the next link of those whose codes have so many bits, at most 32.
    #[inline]
    pub(crate) fn take_code(&mut self, bits: u32) -> u32 {
        let Self { low, high } = *self;
        *self = Self { low: low >> bits | high << (u64::BITS - bits), high: high >> bits };
        narrow(low & ((1 << bits) - 1))
    }

    /// Those behind the first bits, fewer than 128.
    #[inline]
    pub(crate) fn after_bits(self, bits: u32) -> Self {
        let Self { low, high } = self;
        match bits.checked_sub(u64::BITS) {
            Some(more) => Self { low: high >> more, high: 0 },
            None if bits == 0 => self,
            None => Self { low: low >> bits | high << (u64::BITS - bits), high: high >> bits },
        }
    }
}

/// Writes links by codes of equally many bits, as many as fit, with a mark behind the last of them.
#[derive(Debug)]
pub(crate) struct CodeWriter {
    bits: u32,   // of a code
    before: u32, // bits that are written
    links: u32,
    steps: RouteSteps,
}

impl CodeWriter {
    /// No links yet, whose codes have so many bits, at most 32.
    #[inline]
    pub(crate) fn new(bits: u32) -> Self {
        Self { bits, before: 0, links: 0, steps: RouteSteps::default() }
    }

    /// Whether one more link fits.
    #[inline]
    pub(crate) fn has_room(&self) -> bool {
        self.before + self.bits < 2 * u64::BITS
    }

    /// Whether there are no links yet.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.links == 0
    }

    /// Writes a link behind the others, or only counts it.
    #[inline]
    pub(crate) fn write(&mut self, code: u32) {
        if self.has_room() {
            self.steps.set_bits(self.before, code.into());
            self.before += self.bits;
        }
        self.links += 1;
    }

    /// How many links there are, and those of them that fit.
    #[inline]
    pub(crate) fn finish(mut self) -> (u32, RouteSteps) {
        self.steps.set_bits(self.before, 1);
        (self.links, self.steps)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_taken_with_their_nodes() {
        let hop = |place: u32| Hop { code: 2047 - place, next: (1 << 21) - 1 - 1000 * place };
        assert!(RouteSteps::holds_hops(1 << 21, 1 << 11));
        assert!(!RouteSteps::holds_hops(1 << 21, (1 << 11) + 1));
        let mut steps = RouteSteps::of_hops(std::array::from_fn(|place| hop(narrow(place as u64))));
        assert!((0..4).all(|place| steps.take_hop() == hop(place)));
        assert_eq!(steps, RouteSteps::default());
    }

    #[test]
    fn links_set_together_are_those_set_one_by_one() {
        for (before, count) in
            (0..64).flat_map(|before| (0..=32.min(64 - before)).map(move |count| (before, count)))
        {
            for codes in [[0, 0xb1c5_3a7d_u32], [0xe4a1_0c96, 0x1234_5678], [u32::MAX, 0], [u32::MAX; 2]] {
                let codes = codes.map(|bits| narrow(u64::from(bits) & ((1 << count) - 1)));
                let (mut together, mut expected) = (RouteSteps::default(), RouteSteps::default());
                (0..before).for_each(|place| expected.set(place, 3));
                (0..before).for_each(|place| together.set(place, 3));
                together.set_all(before, codes);
                (0..count).for_each(|place| {
                    let [upper, lower] = codes.map(|bits| u8::from(bits >> place & 1 == 1));
                    expected.set(before + place, 2 * upper + lower);
                });
                assert_eq!(together, expected, "{before} {count} {codes:x?}");
            }
        }
    }

    #[test]
    fn links_are_taken_in_their_order_from_any_place() {
        let step = |place: u32| (place * place / 3 % 4) as u8;
        let mut steps = RouteSteps::default();
        (0..64).for_each(|place| steps.set(place, step(place)));
        for first in 0..64 {
            let mut rest = steps.after_bits(2 * first);
            assert!((first..64).all(|place| rest.take() == step(place)), "{first}");
            assert_eq!(rest, RouteSteps::default());
        }
    }

    #[test]
    fn links_with_codes_of_any_bits_are_taken_in_their_order_from_any_place() {
        for bits in 1..=32 {
            let greatest = (1 << (bits - 1)) + ((1 << (bits - 1)) - 1);
            assert_eq!(RouteSteps::bits_of_codes(if bits == 32 { greatest } else { greatest + 1 }), bits);
            let code = |place: u32| greatest ^ (place * place / 3) & greatest;
            let places = 128 / bits;
            let mut steps = RouteSteps::default();
            (0..places).rev().for_each(|place| steps.prepend(bits, code(place)));
            for first in 0..places {
                let mut rest = steps.after_bits(bits * first);
                assert!((first..places).all(|place| rest.take_code(bits) == code(place)), "{bits} {first}");
                assert_eq!(rest, RouteSteps::default());
            }
        }
    }

    #[test]
    fn links_that_fit_are_taken_up_to_the_mark() {
        for (bits, count) in
            (1..=32).flat_map(|bits| [0, 1, 2, 5, 41, 42, 64, 127, 128, 200].map(|count| (bits, count)))
        {
            // A code of 0 is no mark, nor one of 1.
            let code = |place: u32| {
                place.wrapping_mul(0x9e37_79b9) >> (u32::BITS - bits) & if place % 5 < 2 { 1 } else { !0 }
            };
            let mut writer = CodeWriter::new(bits);
            (0..count).map(code).for_each(|code| writer.write(code));
            let (links, mut steps) = writer.finish();
            assert_eq!(links, count);
            let mut taken = 0;
            while steps.has_codes() {
                assert_eq!(steps.take_code(bits), code(taken), "{bits} {count} {taken}");
                taken += 1;
            }
            assert_eq!(taken, count.min(127 / bits), "{bits} {count}");
        }
    }
}
