//! The least makespan of jobs on one machine that may be interrupted (Jackson 1955, Carlier 1982): a bound for messages that
//! share one channel.

use std::collections::BinaryHeap;

/// A job of one machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct MachineJob {
    /// The earliest cycle at which the machine can take it.
    pub(crate) head: u64,
    /// The time for which it occupies the machine \[cycles\].
    pub(crate) time: u64,
    /// The time that must follow it \[cycles\].
    pub(crate) tail: u64,
}

/// The earliest cycle at which all jobs and their tails are over: the machine always works on the available job with
/// the longest tail.
pub(crate) fn least_end(jobs: &mut [MachineJob]) -> u64 {
    jobs.sort_unstable_by_key(|job| job.head);
    let mut waiting: BinaryHeap<(u64, u64)> = BinaryHeap::new(); // tails, and the remaining time of their jobs
    let (mut now, mut end) = (0_u64, 0_u64);
    let mut next = jobs.iter().peekable();
    while next.peek().is_some() || !waiting.is_empty() {
        if waiting.is_empty() {
            now = now.max(next.peek().map_or(now, |job| job.head));
        }
        while let Some(job) = next.next_if(|job| job.head <= now) {
            waiting.push((job.tail, job.time));
        }
        let Some((tail, left)) = waiting.pop() else { continue };
        let until = next.peek().map_or(u64::MAX, |job| job.head);
        let worked = left.min(until - now);
        now = now.saturating_add(worked);
        if worked < left {
            waiting.push((tail, left - worked));
        } else {
            end = end.max(now.saturating_add(tail));
        }
    }
    end
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;

    /// The optimum, by trying every job in every cycle.
    fn least_of_all(jobs: &[MachineJob], left: &mut [u64], now: u64) -> u64 {
        if left.iter().all(|&left| left == 0) {
            return 0;
        }
        let mut least = u64::MAX;
        for place in 0..jobs.len() {
            if left[place] > 0 && jobs[place].head <= now {
                left[place] -= 1;
                let end = if left[place] == 0 { now + 1 + jobs[place].tail } else { 0 };
                least = least.min(end.max(least_of_all(jobs, left, now + 1)));
                left[place] += 1;
            }
        }
        if least == u64::MAX { least_of_all(jobs, left, now + 1) } else { least }
    }

    #[test]
    fn it_is_the_least_of_all_schedules() {
        let mut generator = ChaCha8Rng::seed_from_u64(2);
        for _ in 0..300 {
            let mut draw = |most: u64| generator.random_range(0..most);
            let mut jobs: Vec<MachineJob> =
                (0..3).map(|_| MachineJob { head: draw(6), time: 1 + draw(3), tail: draw(9) }).collect();
            let mut left: Vec<u64> = jobs.iter().map(|job| job.time).collect();
            assert_eq!(least_of_all(&jobs, &mut left, 0), least_end(&mut jobs), "{jobs:?}");
        }
        assert_eq!(least_end(&mut []), 0);
    }
}
