//! Messages in transmission.

use std::collections::VecDeque;

use super::Transit;
use crate::Cycle;

/// The transmissions under way, as batches that end together.
///
/// Every transmission takes `T_c`, so those that begin first end first: a first-in first-out list is all
/// the clockwork that arrivals need, and picking the next event costs nothing.
#[derive(Debug, Default)]
pub(crate) struct InFlight {
    batches: VecDeque<(Cycle, Vec<Transit>)>, // in ascending order of the cycle at which they end
    spare: Vec<Vec<Transit>>,                 // emptied batches, for use again
}

impl InFlight {
    /// The cycle at which the next transmissions end.
    pub(crate) fn next_end(&self) -> Option<Cycle> {
        self.batches.front().map(|(end, _)| *end)
    }

    /// Adds those that end at `end`, not before any added so far; `batch` is left empty.
    pub(crate) fn add(&mut self, end: Cycle, batch: &mut Vec<Transit>) {
        debug_assert!(self.batches.back().is_none_or(|(last, _)| *last < end), "batches end in order");
        if batch.is_empty() {
            return;
        }
        let emptied = self.spare.pop().unwrap_or_default();
        self.batches.push_back((end, std::mem::replace(batch, emptied)));
    }

    /// Takes those that end at `now`.
    pub(crate) fn take_ended(&mut self, now: Cycle) -> Option<Vec<Transit>> {
        self.batches.front().filter(|(end, _)| *end == now)?;
        let (_, batch) = self.batches.pop_front()?;
        Some(batch)
    }

    /// Gives a batch back for use again.
    pub(crate) fn recycle(&mut self, mut batch: Vec<Transit>) {
        batch.clear();
        self.spare.push(batch);
    }
}
