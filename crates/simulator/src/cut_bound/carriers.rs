//! The least time in which channels of different speed carry units together (`docs/model.md` section 21.7).

use cubefold_topology::LinkTime;

/// Channels or links that carry units together: their number for each time.
#[derive(Debug, Clone, Default)]
pub struct Carriers(Vec<(LinkTime, u64)>);

impl Carriers {
    /// Takes pairs of a time and the number of channels that have it.
    #[must_use]
    pub fn new(counts: Vec<(LinkTime, u64)>) -> Self {
        Self(counts)
    }

    /// Returns the channels with these times.
    #[must_use]
    pub fn of(times: impl Iterator<Item = LinkTime>) -> Self {
        let mut carriers = Self::default();
        times.for_each(|time| carriers.add(time));
        carriers
    }

    /// Adds a channel with this time.
    pub(super) fn add(&mut self, time: LinkTime) {
        match self.0.iter_mut().find(|(known, _)| *known == time) {
            Some((_, count)) => *count += 1,
            None => self.0.push((time, 1)),
        }
    }

    /// Returns the least time in which they carry `units` units, `T` with `sum of max(0, floor((T - l) / u)) >= units`
    /// (`docs/model.md` section 21.7) \[cycles\]; `None` for 0 units, or without a channel.
    #[must_use]
    pub fn least_time(&self, units: u128) -> Option<u64> {
        self.least_time_after(0, units)
    }

    /// Returns the least time, if it is above a given one \[cycles\].
    #[must_use]
    pub fn least_time_after(&self, time: u64, units: u128) -> Option<u64> {
        if self.0.iter().all(|(_, count)| *count == 0) || self.carried(time) >= units {
            return None;
        }
        let (mut short, mut enough) = (time, u64::MAX);
        while enough - short > 1 {
            let middle = short + (enough - short) / 2;
            if self.carried(middle) >= units { enough = middle } else { short = middle }
        }
        Some(enough)
    }

    /// Returns the units carried before a time.
    fn carried(&self, time: u64) -> u128 {
        let of_one = |link_time: &LinkTime| time.saturating_sub(link_time.latency) / link_time.unit;
        let sums = self.0.iter().map(|(link_time, count)| u128::from(of_one(link_time)) * u128::from(*count));
        sums.fold(0, u128::saturating_add)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_channels_carry_in_the_time_of_section_16() {
        for (unit, latency, channels) in [(1, 0, 1), (3, 7, 4), (5, 2, 3)] {
            let carriers = Carriers::new(vec![(LinkTime { unit, latency }, channels)]);
            assert_eq!(carriers.least_time(0), None);
            for units in 1..50_u64 {
                let expected = unit * units.div_ceil(channels) + latency;
                assert_eq!(carriers.least_time(units.into()), Some(expected));
            }
        }
    }

    #[test]
    fn slow_channels_carry_what_they_can() {
        let [fast, slow] = [LinkTime { unit: 1, latency: 2 }, LinkTime { unit: 3, latency: 10 }];
        let carriers = Carriers::of([fast, slow, fast].into_iter());
        // Until cycle 12 the fast ones carry 10 units each; until 13 they carry 22, and the slow one its first.
        assert_eq!([1, 20, 21, 23].map(|units| carriers.least_time(units)), [3, 12, 13, 13].map(Some));
    }
}
