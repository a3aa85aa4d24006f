//! The batches of the measured cycles, and their statistics: half-widths, the trend of the backlog, the verdict
//! (`docs/model.md` sections 30.6 and 30.7).

use cubefold_derive::Words;

use super::latencies::Missing;
use crate::routers::channel_load::ChannelLoad;

/// The numbers of batches that are allowed.
pub(super) const BATCH_COUNTS: [u64; 4] = [5, 10, 20, 30];

/// Part of the measured cycles.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Batch {
    /// Flits made in it.
    pub made: u64,
    /// Flits consumed in it.
    pub consumed: u64,
    /// The flits made and not yet consumed, added up over its cycles.
    pub backlog: u64,
    /// The measured packets made in it, with the replies to them that are made.
    pub packets: u64,
    /// The measured packets among them that were received.
    pub received: u64,
    /// The sum of the latencies of these \[cycles\].
    pub latency_sum: u64,
}

/// The sign by which a network counts as saturated; the first that holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Words)]
pub enum Saturated {
    /// The load exceeds what a channel passes.
    Channel,
    /// A measured packet is missing at the end.
    Drain,
    /// The backlog grows, and less is accepted than offered.
    Growth,
    /// The mean latency of packets exceeds its limit.
    Latency,
}

/// The measured cycles in batches.
#[derive(Debug, Default)]
pub(super) struct Window {
    begin: u64,
    cycles: u64,
    pub(super) batches: Vec<Batch>,
}

impl Window {
    /// Batches over `cycles` cycles from `begin` on, at least one cycle per batch.
    pub(super) fn new(begin: u64, cycles: u64, batches: u64) -> Self {
        let count = usize::try_from(batches).unwrap_or(0);
        Self { begin, cycles, batches: vec![Batch::default(); count] }
    }

    /// The batch of a cycle: number `j` begins with cycle `floor(j M / k)` of the window. `None` outside.
    #[inline]
    pub(super) fn place_of(&self, cycle: u64) -> Option<usize> {
        let since_begin = cycle.checked_sub(self.begin).filter(|&since_begin| since_begin < self.cycles)?;
        let place =
            ((u128::from(since_begin) + 1) * self.batches.len() as u128 - 1) / u128::from(self.cycles);
        usize::try_from(place).ok()
    }

    /// The batch of a cycle.
    #[inline]
    pub(super) fn at(&mut self, cycle: u64) -> Option<&mut Batch> {
        let place = self.place_of(cycle)?;
        self.batches.get_mut(place)
    }

    pub(super) fn contains(&self, cycle: u64) -> bool {
        (self.begin..self.end()).contains(&cycle)
    }

    /// The first cycle after it.
    pub(super) fn end(&self) -> u64 {
        self.begin + self.cycles
    }

    /// Flits made and flits consumed in the window.
    pub(super) fn units(&self) -> [u64; 2] {
        [
            self.batches.iter().map(|batch| batch.made).sum(),
            self.batches.iter().map(|batch| batch.consumed).sum(),
        ]
    }

    /// The sum over all pairs of batches of the sign of the later backlog less the earlier (Kendall).
    pub(super) fn trend(&self) -> i64 {
        let backlogs = self.batches.iter().map(|batch| batch.backlog);
        let pairs = backlogs.clone().enumerate().flat_map(|(place, one)| {
            backlogs.clone().skip(place + 1).map(move |other| other.cmp(&one) as i64)
        });
        pairs.sum()
    }

    /// The smallest trend that a random order reaches with a probability of at most 1 %.
    pub(super) fn critical_trend(&self) -> i64 {
        match self.batches.len() {
            ..=5 => 10,
            6..=10 => 27,
            11..=20 => 72,
            _ => 131,
        }
    }

    /// The half-width of the interval around the mean latency; `None` if a batch has no packet.
    pub(super) fn half_width(&self) -> Option<f64> {
        let mean = |batch: &Batch| {
            (batch.received > 0).then(|| ratio(batch.latency_sum.into(), batch.received.into()))
        };
        half_width(&self.batches.iter().map(mean).collect::<Option<Vec<f64>>>()?)
    }

    /// The first sign of saturation that holds.
    pub(super) fn verdict(
        &self,
        load: f64,
        channel_load: &ChannelLoad,
        missing: Missing,
        mean: Option<f64>,
        latency_limit: f64,
    ) -> Option<Saturated> {
        let [made, consumed] = self.units().map(i128::from);
        let holds = |sign: &Saturated| match sign {
            Saturated::Channel => channel_load.is_exceeded_by(load),
            Saturated::Drain => missing.packets > 0,
            Saturated::Growth => self.trend() >= self.critical_trend() && 200 * (made - consumed) > made,
            Saturated::Latency => mean.is_some_and(|mean| mean > latency_limit),
        };
        Saturated::ALL.into_iter().find(holds)
    }
}

/// The half-width of the 95 % interval around the mean of values: `T s / sqrt(k)`. `None` for numbers of values for
/// which Student's distribution is not listed.
#[expect(clippy::cast_precision_loss, reason = "at most 30")]
pub(super) fn half_width(values: &[f64]) -> Option<f64> {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let squares: f64 = values.iter().map(|value| (value - mean) * (value - mean)).sum();
    Some(student(values.len().checked_sub(1)?)? * (squares / (count - 1.0)).sqrt() / count.sqrt())
}

/// Student's distribution: the two-sided bound of 95 %, by degrees of freedom.
fn student(degrees: usize) -> Option<f64> {
    const FROM_ONE: [f64; 9] = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262];
    match degrees {
        19 => Some(2.093),
        29 => Some(2.045),
        _ => FROM_ONE.get(degrees.checked_sub(1)?).copied(),
    }
}

#[expect(clippy::cast_precision_loss, reason = "a ratio that is printed")]
pub(super) fn ratio(numerator: u128, denominator: u128) -> f64 {
    numerator as f64 / denominator as f64
}

#[cfg(test)]
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_possible_wrap,
    reason = "at most 30 batches"
)]
mod tests {
    use super::*;

    #[test]
    fn batches_begin_at_whole_shares_of_the_window() {
        for (cycles, count) in [(50, 20), (47, 10), (5, 5), (1000, 30)] {
            let window = Window::new(7, cycles, count);
            let begins = |place: u64| 7 + place * cycles / count;
            for cycle in 7..7 + cycles {
                let expected = (0..count).rev().find(|&place| begins(place) <= cycle).unwrap();
                assert_eq!(window.place_of(cycle), Some(expected as usize), "{cycle} of {cycles} in {count}");
            }
            assert_eq!([window.place_of(6), window.place_of(7 + cycles)], [None, None]);
        }
    }

    #[test]
    fn critical_trends_are_reached_by_chance_in_at_most_one_of_a_hundred_orders() {
        for count in BATCH_COUNTS {
            // The number of orders of `n` by trend: the new last one is above 0 to n - 1 of those before it.
            let mut shares = vec![1.0]; // by inversions
            for number in 1..count {
                let mut next = vec![0.0; shares.len() + number as usize];
                for (place, share) in shares.iter().enumerate() {
                    for more in 0..=number as usize {
                        next[place + more] += share / (number + 1) as f64;
                    }
                }
                shares = next;
            }
            let pairs = (count * (count - 1) / 2) as i64;
            let reached = |least: i64| -> f64 {
                let share = (0_i64..).zip(&shares).filter(|share| pairs - 2 * share.0 >= least);
                share.map(|share| share.1).sum()
            };
            let critical = Window::new(0, count, count).critical_trend();
            assert!(reached(critical) <= 0.01, "{count}: {}", reached(critical));
            assert!(reached(critical - 2) > 0.01, "{count}: {}", reached(critical - 2));
        }
    }

    #[test]
    fn the_trend_counts_rising_pairs_less_falling_ones() {
        let mut window = Window::new(0, 5, 5);
        for (batch, backlog) in window.batches.iter_mut().zip([1, 3, 2, 2, 5]) {
            batch.backlog = backlog;
        }
        assert_eq!(window.trend(), 7 - 2);
    }

    #[test]
    fn half_widths_are_those_of_student() {
        let width = half_width(&[1.0, 2.0, 3.0]).unwrap();
        assert!((width - 4.303 / 3.0_f64.sqrt()).abs() < 1e-12);
        assert_eq!(half_width(&[1.0]), None);
        assert_eq!(half_width(&[]), None);
        assert_eq!(half_width(&[1.0; 15]), None);
    }
}
