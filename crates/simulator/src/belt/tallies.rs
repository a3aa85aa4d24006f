//! What most processes go through, counted before it is summed.

use cubefold_mapping::ProcessId;

use crate::{Cycle, Cycles, StageRecord, Summary};

/// For each stage of a segment how many processes waited, and were blocked, for how long; of short times only.
///
/// A summary knows how often each waiting time and each blocked time came, and their sums, but not which of them came
/// together. So they are counted apart, by themselves and without asking whether they are nothing, and are put
/// together in any way when they are added to a summary.
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
        let (mut all_waiting, mut all_blocked) = (counts(&self.waiting), counts(&self.blocked));
        let (mut waiting, mut blocked) = (all_waiting.next(), all_blocked.next());
        let mut transfer = self.transfer;
        while let (Some((wait, waits)), Some((block, blocks))) = (&mut waiting, &mut blocked) {
            // All transfers go to one of them.
            let count = if transfer > 0 { 1 } else { *waits.min(blocks) };
            summary.add_stage(&record(stage, *wait, *block, std::mem::take(&mut transfer)), count);
            (*waits, *blocks) = (*waits - count, *blocks - count);
            if *waits == 0 {
                waiting = all_waiting.next();
            }
            if *blocks == 0 {
                blocked = all_blocked.next();
            }
        }
    }
}

/// The times that came, with how often each did.
fn counts(times: &[u64]) -> impl Iterator<Item = (u64, u64)> {
    (0..).zip(times.iter().copied()).filter(|&(_, count)| count > 0)
}

/// A process with such times, whichever it is.
fn record(stage: usize, waiting: u64, blocked: u64, transfer: u64) -> StageRecord {
    StageRecord {
        process: ProcessId::new(0),
        stage,
        sharing: Cycles::ZERO,
        ready: Cycle::START,
        start: Cycle::new(waiting),
        finish: Cycle::new(waiting + blocked + transfer),
        transfer: Cycles::new(transfer),
        idle: Cycles::ZERO,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stage(stage: usize, waiting: u64, blocked: u64, transfer: u64, idle: u64) -> StageRecord {
        StageRecord { idle: Cycles::new(idle), ..record(stage, waiting, blocked, transfer) }
    }

    #[test]
    fn counted_apart_and_put_together_sums_and_distributions_are_the_same() {
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
