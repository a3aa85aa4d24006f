//! The links of a route, found when its message sets out.

/// The links of a route that are left, two bits each, at most 64: what they mean is known to the network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RouteSteps([u64; 2]);

impl RouteSteps {
    #[inline]
    fn of_bits(bits: u128) -> Self {
        let [low, high] = [bits, bits >> u64::BITS].map(|half| half & u128::from(u64::MAX));
        Self([low, high].map(|half| u64::try_from(half).unwrap_or(0)))
    }

    #[inline]
    fn bits(self) -> u128 {
        let [low, high] = self.0;
        u128::from(low) | u128::from(high) << u64::BITS
    }

    /// Sets the link behind `before` others.
    #[inline]
    pub(super) fn set(&mut self, before: u32, step: u8) {
        *self = Self::of_bits(self.bits() | u128::from(step & 3) << (2 * before));
    }

    /// Those behind so many links, fewer than 64.
    #[inline]
    #[must_use]
    pub fn after(self, links: u32) -> Self {
        Self::of_bits(self.bits() >> (2 * links))
    }

    /// Takes the next link.
    #[inline]
    pub(crate) fn take(&mut self) -> u8 {
        let bits = self.bits();
        *self = Self::of_bits(bits >> 2);
        let [lowest, ..] = bits.to_le_bytes();
        lowest & 3
    }
}
