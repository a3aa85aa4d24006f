//! Pairs of processes that compute, in the order in which their messages set out.

/// When the messages of pairs set out. All compute equally long, so that those who meet first set out first.
///
/// Only those of the first stage of a run have to be put in order: before it processes finish at any time.
#[derive(Debug, Default)]
pub(super) struct Starts {
    first_stage: Vec<Start>, // the next is the last
    later: Vec<Start>,       // a ring, of a power of two: there is room for all pairs
    next: usize,             // how many were ever taken from the ring, and
    end: usize,              // how many were ever added to it: modulo its size their places
}

/// The messages of a pair set out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(super) struct Start {
    pub(super) cycle: u64,
    /// One of the two.
    pub(super) process: u32,
    /// Their stage.
    pub(super) stage: u32,
}

impl Starts {
    /// Nobody computes at the begin of a run of so many processes.
    pub(super) fn begin_again(&mut self, processes: usize) {
        debug_assert!(self.next_cycle().is_none(), "nobody computes at the end of a run");
        let size = (processes / 2).next_power_of_two();
        if self.later.len() != size {
            self.later = vec![Start::default(); size];
        }
    }

    /// The pairs of the first stage of a run compute, in any order.
    pub(super) fn add_first_stage(&mut self, starts: impl Iterator<Item = Start>) {
        self.first_stage.reserve(self.later.len());
        self.first_stage.extend(starts);
        self.first_stage.sort_unstable_by(|one, other| other.cmp(one));
    }

    /// A pair of processes that did not compute does so now if it has met: `times` is 1 then, and 0 if it has not.
    /// Without a branch, since whether it has would be anybody's guess.
    #[inline]
    pub(super) fn add(&mut self, start: Start, times: u32) {
        debug_assert!(self.end.wrapping_sub(self.next) < self.later.len(), "a pair computes once");
        let last_place = self.later.len() - 1;
        self.later[self.end & last_place] = start;
        self.end = self.end.wrapping_add(times as usize);
    }

    /// The next cycle at which messages set out.
    #[inline]
    pub(super) fn next_cycle(&self) -> Option<u64> {
        let first_stage = self.first_stage.last().map(|start| start.cycle);
        let later = (self.next != self.end).then(|| self.ahead(0).cycle);
        match (first_stage, later) {
            (Some(one), Some(other)) => Some(one.min(other)),
            (one, other) => one.or(other),
        }
    }

    /// Takes a pair whose messages set out at `now`, the next cycle of all.
    #[inline]
    pub(super) fn take(&mut self, now: u64) -> Option<Start> {
        let start = self.ahead(0);
        if self.next != self.end && start.cycle == now {
            self.next = self.next.wrapping_add(1);
            return Some(start);
        }
        self.first_stage.pop_if(|start| start.cycle == now)
    }

    /// One of those who compute, so many after the next; anybody where there are less.
    #[inline]
    pub(super) fn ahead(&self, count: usize) -> Start {
        self.later[self.next.wrapping_add(count) & (self.later.len() - 1)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn start(cycle: u64, process: u32) -> Start {
        Start { cycle, process, stage: 3 }
    }

    /// All pairs whose messages set out, cycle by cycle.
    fn drain(starts: &mut Starts) -> Vec<Start> {
        let mut taken = vec![];
        while let Some(cycle) = starts.next_cycle() {
            taken.extend(std::iter::from_fn(|| starts.take(cycle)));
        }
        taken
    }

    #[test]
    fn pairs_of_the_first_stage_and_later_ones_come_in_order() {
        let mut starts = Starts::default();
        starts.begin_again(8);
        starts.add_first_stage([start(30, 0), start(10, 1), start(10, 2), start(50, 3)].into_iter());
        starts.add(start(10, 4), 1);
        starts.add(start(30, 5), 1);
        starts.add(start(40, 6), 1);
        let cycles = drain(&mut starts).iter().map(|start| start.cycle).collect::<Vec<_>>();
        assert_eq!(cycles, [10, 10, 10, 30, 30, 40, 50]);
    }

    #[test]
    fn who_has_not_met_does_not_compute_and_places_come_round() {
        let mut starts = Starts::default();
        starts.begin_again(4);
        for round in 0..20 {
            starts.add(start(round, 0), 0);
            assert_eq!((starts.next_cycle(), starts.take(round)), (None, None));
            starts.add(start(round, 1), 1);
            starts.add(start(round, 3), 0);
            starts.add(start(round, 2), 1);
            assert_eq!(drain(&mut starts), [start(round, 1), start(round, 2)]);
        }
    }
}
