//! The links of a route, found when its message sets out.

/// The links of a route that are left, two bits each, at most 64: what they mean is known to the network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RouteSteps(u128);

impl RouteSteps {
    /// Sets the link behind `before` others.
    #[inline]
    pub(super) fn set(&mut self, before: u32, step: u8) {
        self.0 |= u128::from(step & 3) << (2 * before);
    }

    /// Those behind so many links, fewer than 64.
    #[inline]
    #[must_use]
    pub fn after(self, links: u32) -> Self {
        Self(self.0 >> (2 * links))
    }

    /// Takes the next link.
    #[inline]
    pub(crate) fn take(&mut self) -> u8 {
        let [lowest, ..] = self.0.to_le_bytes();
        self.0 >>= 2;
        lowest & 3
    }
}
