//! Processes of an operating system that compute one run together, on one computer or on many.
//!
//! The first of them, the leader, does all the work of an undivided program. It announces each divided run, and all
//! ranks compute it, each a slab of the machine. Between runs the others wait for the next.

use std::fmt::Debug;

/// The ranks of a group, numbered from 0 for the leader on, as one of them sees them.
pub trait Ranks: Debug + Sync {
    /// The number of this rank.
    fn rank(&self) -> usize;

    /// The number of all ranks.
    fn count(&self) -> usize;

    /// Sends each rank the words for it, and receives those of all others, in any order of ranks; returns the least of
    /// the values that the ranks bring. Empties `outgoing`, which has a list for each rank.
    ///
    /// Every rank makes the same number of calls, and none returns before all have entered the call.
    fn exchange(&self, outgoing: &mut [Vec<u64>], incoming: &mut Vec<u64>, value: u64) -> u64;

    /// Aborts all ranks, since this one cannot continue.
    fn abort(&self) -> !;
}

/// A run that ranks compute together.
#[derive(Debug, Clone, Copy)]
pub struct RankTask {
    /// The ranks.
    pub ranks: &'static dyn Ranks,
    /// The leader's number for the run, below 2^63.
    pub number: u64,
}

/// The value of a worker without events.
pub(crate) const NOTHING: u64 = u64::MAX;
/// The value that the leader brings at the end.
const END: u64 = NOTHING - 1;

/// A rank brings a value and no words.
fn bring(ranks: &dyn Ranks, value: u64) -> u64 {
    ranks.exchange(&mut vec![vec![]; ranks.count()], &mut vec![], value)
}

/// The leader's word for no further runs.
///
/// # Panics
///
/// If this is not the leader.
pub fn end_ranks(ranks: &'static dyn Ranks) {
    assert_eq!(ranks.rank(), 0, "only the leader ends the work of all");
    bring(ranks, END);
}

/// Waits for the leader's next run, on all ranks but the leader; `None` at the end.
pub fn next_task(ranks: &'static dyn Ranks) -> Option<RankTask> {
    let number = bring(ranks, NOTHING);
    (number != END).then_some(RankTask { ranks, number })
}

impl RankTask {
    /// Whether this is the leader.
    pub(crate) fn is_leader(self) -> bool {
        self.ranks.rank() == 0
    }

    /// Starts the run, which the other ranks already know.
    pub(crate) fn begin(self) {
        if self.is_leader() {
            bring(self.ranks, self.number);
        }
    }
}

/// Whether rank, number of ranks and run are equal.
impl PartialEq for RankTask {
    fn eq(&self, other: &Self) -> bool {
        let place = |task: &Self| (task.ranks.rank(), task.ranks.count(), task.number);
        place(self) == place(other)
    }
}

impl Eq for RankTask {}
