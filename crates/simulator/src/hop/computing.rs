//! When processes begin and compute: start times, and computations in progress.

use std::collections::VecDeque;

use cubefold_mapping::ProcessId;
use cubefold_topology::narrow;

use crate::Cycle;

/// The computations in progress. All take equally long, so that those that begin first end first.
#[derive(Debug, Default)]
pub(super) struct Computing {
    processes: VecDeque<ProcessId>,
    ends: VecDeque<(Cycle, usize)>, // in ascending order, each with the number of processes that end then
}

impl Computing {
    /// Adds a computation that ends at `end`, not before any added so far.
    pub(super) fn add(&mut self, end: Cycle, process: ProcessId) {
        self.processes.push_back(process);
        match self.ends.back_mut() {
            Some((last, count)) if *last == end => *count += 1,
            last => {
                debug_assert!(last.is_none_or(|(last, _)| *last < end), "computations end in order");
                self.ends.push_back((end, 1));
            }
        }
    }

    /// The cycle at which the next computation ends.
    pub(super) fn next_end(&self) -> Option<Cycle> {
        self.ends.front().map(|(end, _)| *end)
    }

    /// Takes a process whose computation ends at `now`.
    #[inline]
    pub(super) fn take_ended(&mut self, now: Cycle) -> Option<ProcessId> {
        let (_, count) = self.ends.front_mut().filter(|(end, _)| *end == now)?;
        *count -= 1;
        if *count == 0 {
            self.ends.pop_front();
        }
        self.processes.pop_front()
    }
}

/// The cycle at which each process may begin its first computation: `finish_(-1)` of
/// `docs/model.md` section 5.
#[derive(Debug, Clone, Copy)]
pub(crate) enum StartTimes<'run> {
    /// All at cycle 0.
    Together,
    /// Each at a cycle of its own, by process.
    Each(&'run [Cycle]),
}

/// The processes that have not begun, by the cycles at which they may.
#[derive(Debug)]
pub(super) enum PendingStarts {
    /// The processes with these labels, at cycle 0.
    Together(std::ops::Range<u64>),
    /// These processes, the next one last.
    Each(Vec<(Cycle, ProcessId)>),
}

impl PendingStarts {
    /// `count` processes.
    ///
    /// # Panics
    ///
    /// When `starts` is of another number of processes.
    pub(super) fn new(count: u64, starts: StartTimes<'_>) -> Self {
        match starts {
            StartTimes::Together => Self::Together(0..count),
            StartTimes::Each(cycles) => {
                assert_eq!(cycles.len() as u64, count, "a start time for each process");
                let mut all: Vec<_> = cycles.iter().copied().zip(ProcessId::first(count)).collect();
                all.sort_unstable_by(|one, other| other.cmp(one));
                Self::Each(all)
            }
        }
    }

    /// The next cycle at which a process may begin.
    pub(super) fn next(&self) -> Option<Cycle> {
        match self {
            Self::Together(processes) => (!processes.is_empty()).then_some(Cycle::START),
            Self::Each(all) => all.last().map(|(cycle, _)| *cycle),
        }
    }

    /// Takes a process that may begin at `now`.
    #[inline]
    pub(super) fn take(&mut self, now: Cycle) -> Option<ProcessId> {
        match self {
            Self::Together(processes) => processes.next().map(|label| ProcessId::new(narrow(label))),
            Self::Each(all) => all.pop_if(|(cycle, _)| *cycle == now).map(|(_, process)| process),
        }
    }
}
