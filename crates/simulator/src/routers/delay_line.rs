//! What is on its way over links that all take the same time.

use std::collections::VecDeque;

/// Items that come out in the order in which they went in, each after the same time.
#[derive(Debug)]
pub(super) struct DelayLine<T> {
    delay: u64,
    items: VecDeque<(u64, T)>, // with the cycles at which they come out, ascending
}

impl<T> DelayLine<T> {
    /// An empty line through which everything takes so many cycles.
    pub(super) fn new(delay: u64) -> Self {
        Self { delay, items: VecDeque::new() }
    }

    /// Puts in an item at a cycle, not before that of the last.
    #[inline]
    pub(super) fn push(&mut self, now: u64, item: T) {
        let due = now + self.delay;
        debug_assert!(
            self.items.back().is_none_or(|last| last.0 <= due),
            "items in the order of their cycles"
        );
        self.items.push_back((due, item));
    }

    /// Takes out the next item that is due.
    #[inline]
    pub(super) fn pop_due(&mut self, now: u64) -> Option<T> {
        if self.items.front()?.0 > now {
            return None;
        }
        self.items.pop_front().map(|(_, item)| item)
    }

    /// The cycle at which the next item is due.
    #[inline]
    pub(super) fn next(&self) -> Option<u64> {
        self.items.front().map(|item| item.0)
    }

    /// Takes out everything.
    pub(super) fn clear(&mut self) {
        self.items.clear();
    }
}
