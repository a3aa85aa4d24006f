//! The cycles before packets are measured: given, or found by a pilot run (`docs/model.md` section 30.6).

use cubefold_topology::Machine;

use super::{OpenLoop, OpenLoopError, admission::out_of_range, run::Run};
use crate::{Communication, Deadlock, routers::settings::Routers};

/// The cycles before packets are measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WarmUp {
    /// This number.
    Cycles(u64),
    /// Those that a pilot run has before its backlog is steady: MSER (White 1997).
    Auto {
        /// The cycles of the pilot run, a multiple of the interval, at least 10 of them.
        pilot: u64,
        /// The cycles over which backlogs are added, at least 1.
        interval: u64,
    },
}

impl WarmUp {
    /// The most cycles that it can be, or that the pilot run takes.
    pub(super) fn longest(self) -> u64 {
        match self {
            Self::Cycles(cycles) => cycles,
            Self::Auto { pilot, .. } => pilot,
        }
    }

    pub(super) fn check(self) -> Result<(), OpenLoopError> {
        match self {
            Self::Auto { pilot, interval }
                if interval == 0 || !pilot.is_multiple_of(interval) || pilot / interval < 10 =>
            {
                let what = format!("a pilot run of {pilot} cycles in intervals of {interval}");
                Err(out_of_range(what, "a whole number of intervals, at least 10"))
            }
            Self::Cycles(_) | Self::Auto { .. } => Ok(()),
        }
    }
}

/// The cycles before packets are measured, and whether they are given or found.
pub(super) fn warm_up_cycles(
    traffic: &OpenLoop,
    machine: &Machine,
    rules: Communication,
    routers: &Routers,
    load: f64,
) -> Result<(u64, bool), Deadlock> {
    match traffic.warmup {
        WarmUp::Cycles(cycles) => Ok((cycles, true)),
        WarmUp::Auto { pilot, interval } => {
            let backlogs = Run::new(traffic, machine, rules, routers, load).backlogs(pilot, interval)?;
            let intervals = steady_from(&backlogs);
            Ok((intervals as u64 * interval, intervals < backlogs.len() / 2))
        }
    }
}

/// The first of the intervals that deviate least from their mean, by the error of that mean (MSER): of `0 ..= n / 2` the one
/// with the smallest `(m sum a^2 - (sum a)^2) / m^3` over the intervals from it on, `m` of them; the first of equal ones.
fn steady_from(backlogs: &[u128]) -> usize {
    let (mut sum, mut squares) = (Wide::ZERO, Wide::ZERO);
    let mut best: Option<(Wide, u64, usize)> = None;
    for (first, &backlog) in backlogs.iter().enumerate().rev() {
        sum = sum.plus(Wide::from(backlog));
        squares = squares.plus(Wide::from(backlog).times(backlog));
        if first > backlogs.len() / 2 {
            continue;
        }
        let count = (backlogs.len() - first) as u64;
        let spread = squares.times(count.into()).minus(sum.times(sum.low));
        // Compared by the products with the other's cube; the earlier of equal ones is kept.
        let cube = |count: u64| u128::from(count).pow(3);
        let is_better = best
            .as_ref()
            .is_none_or(|(of_best, in_best, _)| spread.times(cube(*in_best)) <= of_best.times(cube(count)));
        if is_better {
            best = Some((spread, count, first));
        }
    }
    best.map_or(0, |(_, _, first)| first)
}

/// A number of 384 bits, enough for squares of sums and the products that compare them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Wide {
    high: u128,
    middle: u128,
    low: u128,
}

impl From<u128> for Wide {
    fn from(low: u128) -> Self {
        Self { high: 0, middle: 0, low }
    }
}

impl Wide {
    const ZERO: Self = Self { high: 0, middle: 0, low: 0 };

    fn plus(self, other: Self) -> Self {
        let (low, carry) = self.low.overflowing_add(other.low);
        let (middle, carry) = self.middle.carrying_add(other.middle, carry);
        let (high, _) = self.high.carrying_add(other.high, carry);
        Self { high, middle, low }
    }

    /// The difference to a smaller number.
    fn minus(self, other: Self) -> Self {
        let (low, borrow) = self.low.overflowing_sub(other.low);
        let (middle, borrow) = self.middle.borrowing_sub(other.middle, borrow);
        let (high, _) = self.high.borrowing_sub(other.high, borrow);
        Self { high, middle, low }
    }

    fn times(self, factor: u128) -> Self {
        let (low, carry) = self.low.carrying_mul(factor, 0);
        let (middle, carry) = self.middle.carrying_mul(factor, carry);
        let (high, _) = self.high.carrying_mul(factor, carry);
        Self { high, middle, low }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_warm_up_ends_where_the_backlog_is_steady() {
        assert_eq!(steady_from(&[0, 5, 9, 10, 10, 10, 10, 10, 10, 10]), 3);
        assert_eq!(steady_from(&[7; 10]), 0);
        // It grows to the end.
        assert_eq!(steady_from(&[0, 10, 20, 30, 40, 50, 60, 70, 80, 90]), 5);
    }

    proptest! {
        #[test]
        fn intervals_are_compared_as_by_small_numbers(backlogs in prop::collection::vec(0_u128..1000, 10..40)) {
            let spread = |first: usize| {
                let rest = &backlogs[first..];
                let (count, sum) = (rest.len() as u128, rest.iter().sum::<u128>());
                (count * rest.iter().map(|one| one * one).sum::<u128>() - sum * sum, count.pow(3))
            };
            let mut best = 0;
            for first in 1..=backlogs.len() / 2 {
                let (one, other) = (spread(first), spread(best));
                if one.0 * other.1 < other.0 * one.1 {
                    best = first;
                }
            }
            prop_assert_eq!(steady_from(&backlogs), best);
            // Factors do not change the order.
            let scaled: Vec<u128> = backlogs.iter().map(|backlog| backlog << 70).collect();
            prop_assert_eq!(steady_from(&scaled), best);
        }
    }
}
