//! The speedup of routers: the steps of a cycle, and the time of a head (`docs/model.md` section 30.1).

/// The steps that a router takes in a cycle, on average, `s`: 1 to 8, with at most two decimals (`internal_speedup` of
/// `BookSim2`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Speedup {
    hundredths: u32, // in 100 ..= 800
}

/// A step of the routers: the phases 4 to 6 of a cycle, once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Step {
    pub(super) cycle: u64,
    number: u32, // in its cycle, from 0 on
}

impl Speedup {
    /// One step a cycle.
    pub const ONE: Self = Self { hundredths: 100 };
    /// The largest, in hundredths.
    pub const MAX_HUNDREDTHS: u32 = 800;

    /// A speedup given in hundredths; `None` outside 1 to 8.
    #[must_use]
    pub fn of_hundredths(hundredths: u32) -> Option<Self> {
        (100..=Self::MAX_HUNDREDTHS).contains(&hundredths).then_some(Self { hundredths })
    }

    /// Its value, in hundredths.
    #[must_use]
    pub fn hundredths(self) -> u32 {
        self.hundredths
    }

    /// The steps of a cycle `t`, at least 1: `floor((t + 1) s) - floor(t s)`.
    pub(super) fn steps_in(self, cycle: u64) -> u32 {
        // A hundred cycles have a whole number of steps.
        let place = u32::try_from(cycle % 100).unwrap_or(0);
        (place + 1) * self.hundredths / 100 - place * self.hundredths / 100
    }

    pub(super) fn first(cycle: u64) -> Step {
        Step { cycle, number: 0 }
    }

    pub(super) fn steps(self, cycle: u64) -> impl Iterator<Item = Step> {
        (0..self.steps_in(cycle)).map(move |number| Step { cycle, number })
    }

    pub(super) fn last(self, cycle: u64) -> Step {
        Step { cycle, number: self.steps_in(cycle) - 1 }
    }

    pub(super) fn next(self, step: Step) -> Step {
        if step.number + 1 < self.steps_in(step.cycle) {
            Step { number: step.number + 1, ..step }
        } else {
            Self::first(step.cycle + 1)
        }
    }

    /// The step from which a head requests channels if it is first in its buffer from step `x` on, in a router of `R` cycles.
    pub(super) fn asks_from(self, x: Step, router_cycles: u32) -> Step {
        match router_cycles.saturating_sub(3) {
            0 => x,
            1 => self.next(x),
            waiting => self.next(Self::first(x.cycle + u64::from(waiting) - 1)),
        }
    }

    /// The cycles that a head takes in an idle router of `R` cycles, `rho`; with a fractional speedup, the
    /// least possible. The last four of the `R` cycles are steps.
    pub(crate) fn head_cycles(self, router_cycles: u32) -> u64 {
        let (whole, steps) = (router_cycles.saturating_sub(4), router_cycles.min(4));
        let enough = |&cycles: &u32| (cycles * self.hundredths).div_ceil(100) >= steps;
        u64::from(whole) + u64::from((1..=steps).find(enough).unwrap_or(steps))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cycles_have_as_many_steps_as_the_difference_of_the_floors() {
        for hundredths in 100..=800 {
            let speedup = Speedup::of_hundredths(hundredths).unwrap();
            let floor = |cycle: u64| cycle * u64::from(hundredths) / 100;
            let mut step = Speedup::first(0);
            for cycle in 0..250 {
                assert_eq!(u64::from(speedup.steps_in(cycle)), floor(cycle + 1) - floor(cycle));
                for found in speedup.steps(cycle) {
                    assert_eq!(found, step);
                    step = speedup.next(step);
                }
            }
        }
        assert_eq!((Speedup::of_hundredths(99), Speedup::of_hundredths(801)), (None, None));
    }

    #[test]
    fn heads_take_fewer_cycles_by_the_speedup_in_the_last_four_only() {
        let heads = |hundredths: u32| {
            let speedup = Speedup::of_hundredths(hundredths).unwrap();
            [1, 2, 3, 4, 5, 6].map(|cycles| speedup.head_cycles(cycles))
        };
        assert_eq!(heads(100), [1, 2, 3, 4, 5, 6]);
        assert_eq!(heads(150), [1, 1, 2, 3, 4, 5]);
        assert_eq!(heads(200), [1, 1, 2, 2, 3, 4]);
        assert_eq!(heads(800), [1, 1, 1, 1, 2, 3]);
    }
}
