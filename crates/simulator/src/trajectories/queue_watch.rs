//! The longest queue of the channels of a line, found without storing queues.
//!
//! If a message joins a channel and has to wait, so do others ahead of it, each in contact with the next: the
//! foremost of them waits for the one in transmission. Their crossings are spaced by their occupancies. So
//! the length of the queue is 1 plus the number of messages ahead whose occupancies sum to less than its
//! wait. A queue is longest when a message joins it.

use super::{message_order::NO_MESSAGE, traffic::LineMessage};

/// Finds the places of a message's new plan where it may join a queue longer than any so far.
#[derive(Debug, Default)]
pub(super) struct QueueWatch {
    /// Places where it joins such a queue: the cycle, and the link of its route.
    pub(super) found: Vec<(u64, u32)>,
    longest: u32,
    harmless: u64, // a wait that cannot make a longer queue
}

impl QueueWatch {
    /// Begins with a plan, after queues of at most `longest` messages that occupy a channel for at least
    /// `least_occupancy` each.
    #[inline]
    pub(super) fn begin(&mut self, longest: u32, least_occupancy: u64) {
        self.found.clear();
        self.longest = longest;
        self.harmless = u64::from(longest).saturating_mul(least_occupancy);
    }

    /// Records that a message waits for a channel that it joins at `cycle`, by its plan.
    #[inline]
    pub(super) fn wait(&mut self, messages: &[LineMessage], id: u32, wait: u64, (cycle, link): (u64, u32)) {
        if wait > self.harmless && self.is_longer(messages, id, wait) {
            self.found.push((cycle, link));
        }
    }

    /// Whether a wait may make a longer queue than any so far: it does if the messages ahead are in contact.
    #[inline(never)]
    fn is_longer(&mut self, messages: &[LineMessage], id: u32, wait: u64) -> bool {
        let (mut at, mut length, mut occupied) = (id, 1, 0_u64);
        while length <= self.longest {
            at = messages[at as usize].ahead;
            if at == NO_MESSAGE || at == id {
                self.harmless = u64::MAX;
                return false;
            }
            occupied = occupied.saturating_add(messages[at as usize].occupancy);
            if occupied >= wait {
                self.harmless = occupied;
                return false;
            }
            length += 1;
        }
        true
    }
}
