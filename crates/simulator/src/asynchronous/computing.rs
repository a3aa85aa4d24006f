//! Processes that compute.

use std::collections::VecDeque;

use cubefold_mapping::ProcessId;

use crate::Cycle;

/// The computations under way. All take the same time, so that those that begin first end first.
#[derive(Debug, Default)]
pub(super) struct Computing {
    processes: VecDeque<ProcessId>,
    ends: VecDeque<(Cycle, usize)>, // in ascending order, with how many processes end then
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

    /// Takes one that ends at `now`.
    pub(super) fn take_ended(&mut self, now: Cycle) -> Option<ProcessId> {
        let (_, count) = self.ends.front_mut().filter(|(end, _)| *end == now)?;
        *count -= 1;
        if *count == 0 {
            self.ends.pop_front();
        }
        self.processes.pop_front()
    }
}
