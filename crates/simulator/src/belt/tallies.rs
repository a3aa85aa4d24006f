//! What most processes go through, counted before it is summed.

use crate::{Cycles, StageRecord, Summary};

/// For each stage of a segment how many processes waited, and were blocked, for how long; of short times only.
///
/// A summary does not know which waiting time came together with which blocked time. So they are counted apart, and
/// without asking whether they are nothing.
#[derive(Debug)]
pub(super) struct Tallies {
    first: usize, // the number of the first stage
    stages: Vec<Tally>,
}

#[derive(Debug, Clone)]
struct Tally {
    waiting: [u64; Tallies::SHORT],
    blocked: [u64; Tallies::SHORT], // as many in all
    transfer: u64,
}

impl Tallies {
    /// Times are short below this.
    const SHORT: usize = 512;
    /// Transfers are short below this. No more than 2^32 processes go through a stage: their sum fits.
    const SHORT_TRANSFER: u64 = 1 << 32;

    /// Of nobody yet in so many stages from the first of a segment on.
    pub(super) fn new(first: usize, stages: usize) -> Self {
        let none = Tally { waiting: [0; Self::SHORT], blocked: [0; Self::SHORT], transfer: 0 };
        Self { first, stages: vec![none; stages] }
    }

    /// Counts a stage of a process; one with long times goes to the summary at once.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "a call for each record costs as much as its work")]
    pub(super) fn add(&mut self, record: &StageRecord, summary: &mut Summary) {
        let tally = &mut self.stages[record.stage - self.first];
        let transfer = record.transfer.get();
        let waiting = usize::try_from(record.waiting().get()).unwrap_or(usize::MAX);
        let blocked = usize::try_from(record.blocked().get()).unwrap_or(usize::MAX);
        let has_others = record.sharing > Cycles::ZERO || record.idle > Cycles::ZERO;
        if has_others || waiting.max(blocked) >= Self::SHORT || transfer >= Self::SHORT_TRANSFER {
            summary.add_stage(record, 1);
            return;
        }
        tally.waiting[waiting] += 1;
        tally.blocked[blocked] += 1;
        tally.transfer += transfer;
    }

    /// Adds all that was counted.
    pub(super) fn add_to(&self, summary: &mut Summary) {
        for (stage, tally) in (self.first..).zip(&self.stages) {
            tally.add_to(stage, summary);
        }
    }
}

impl Tally {
    /// Adds what was counted of a stage.
    fn add_to(&self, stage: usize, summary: &mut Summary) {
        summary.add_counts(stage, counts(&self.waiting), counts(&self.blocked), self.transfer);
    }
}

/// The times that came, with how often each did.
fn counts(times: &[u64]) -> impl Iterator<Item = (u64, u64)> {
    (0..).zip(times.iter().copied()).filter(|&(_, count)| count > 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Cycle;
    use cubefold_mapping::ProcessId;

    fn stage(stage: usize, waiting: u64, blocked: u64, transfer: u64, idle: u64) -> StageRecord {
        StageRecord {
            process: ProcessId::new(0),
            stage,
            sharing: Cycles::ZERO,
            ready: Cycle::START,
            start: Cycle::new(waiting),
            finish: Cycle::new(waiting + blocked + transfer),
            transfer: Cycles::new(transfer),
            idle: Cycles::new(idle),
        }
    }

    #[test]
    fn counted_apart_sums_and_distributions_are_the_same() {
        let records = [
            stage(3, 0, 0, 5, 0),
            stage(3, 0, 7, 9, 0),
            stage(3, 511, 0, 1, 0),
            stage(3, 512, 0, 2, 0),
            stage(3, 0, 600, 3, 0),
            stage(4, 2, 1, (1 << 32) - 1, 0),
            stage(4, 2, 1, 1 << 32, 0),
            stage(4, 1, 4, 8, 6),
            stage(4, 1, 2, 8, 0),
        ];
        let summary = || Summary::new(5, 6, Cycles::new(10));
        let (mut one_by_one, mut counted) = (summary(), summary());
        let mut tallies = Tallies::new(3, 3);
        for record in &records {
            one_by_one.add_stage(record, 1);
            tallies.add(record, &mut counted);
        }
        assert_ne!(counted.stages(), one_by_one.stages());
        tallies.add_to(&mut counted);
        assert_eq!(counted.stages(), one_by_one.stages());
        let distributions =
            |of: &Summary| [of.waiting(), of.blocked()].map(|own| own.counts().collect::<Vec<_>>());
        assert_eq!(distributions(&counted), distributions(&one_by_one));
    }
}
