//! What is left of a route, found when its message sets out.

use crate::narrow;

/// What is left of a route, as far as the network keeps it: links, two bits each, at most 64, or a number. What they mean is
/// known to the network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RouteSteps([u64; 2]);

impl RouteSteps {
    /// A number instead of links.
    #[inline]
    pub(super) fn of_number(number: u32) -> Self {
        Self([number.into(), 0])
    }

    /// The number.
    #[inline]
    pub(super) fn number(self) -> u32 {
        let [number, _] = self.0;
        narrow(number)
    }

    /// Sets the link behind `before` others.
    #[inline]
    pub(super) fn set(&mut self, before: u32, step: u8) {
        self.0[(before / 32) as usize] |= u64::from(step & 3) << (2 * (before % 32));
    }

    /// Those behind so many links, fewer than 64.
    #[inline]
    #[must_use]
    pub fn after(self, links: u32) -> Self {
        let [low, high] = self.0;
        match (2 * links).checked_sub(u64::BITS) {
            Some(more) => Self([high >> more, 0]),
            None if links == 0 => self,
            None => Self([low >> (2 * links) | high << (u64::BITS - 2 * links), high >> (2 * links)]),
        }
    }

    /// Takes the next link.
    #[inline]
    pub(crate) fn take(&mut self) -> u8 {
        let [low, high] = self.0;
        self.0 = [low >> 2 | high << (u64::BITS - 2), high >> 2];
        low.to_le_bytes()[0] & 3
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_taken_in_their_order_from_any_place() {
        let step = |place: u32| (place * place / 3 % 4) as u8;
        let mut steps = RouteSteps::default();
        (0..64).for_each(|place| steps.set(place, step(place)));
        for first in 0..64 {
            let mut rest = steps.after(first);
            assert!((first..64).all(|place| rest.take() == step(place)), "{first}");
            assert_eq!(rest, RouteSteps::default());
        }
    }
}
