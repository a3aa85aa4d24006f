//! The queues of the channels.
//!
//! First come first served; messages that joined in the same cycle go by stage, source and destination
//! (`docs/model.md` section 5). The queues are circular lists in one slab that is as large as the most
//! messages that ever waited at once, so that a run without contention touches none of it.

use super::{Messages, Transit, messages::Identity};
use crate::Cycle;

/// The queues of all channels, by their places.
#[derive(Debug)]
pub(crate) struct ChannelQueues {
    tails: Vec<u32>, // for each channel 1 + the slab place of the last in its queue; 0 without one
    lengths: Vec<u32>, // for each channel the length of its queue
    slab: Vec<Waiting>,
    vacant: u32, // 1 + the first vacant place of the slab, a list through `next`; 0 without one
}

#[derive(Debug, Clone, Copy)]
struct Waiting {
    transit: Transit,
    joined: Cycle,
    next: u32, // the slab place of the next in the queue, the first after the last
}

/// What orders a queue, smallest first.
pub(crate) type Key = (Cycle, Identity);

impl ChannelQueues {
    pub(crate) fn new(channels: usize) -> Self {
        Self { tails: vec![0; channels], lengths: vec![0; channels], slab: vec![], vacant: 0 }
    }

    pub(crate) fn length(&self, channel: usize) -> u32 {
        self.lengths[channel]
    }

    pub(crate) fn is_empty(&self, channel: usize) -> bool {
        self.tails[channel] == 0
    }

    /// The key of the first message of a queue.
    pub(crate) fn first_key(&self, channel: usize, messages: &Messages) -> Option<Key> {
        let tail = self.tails[channel].checked_sub(1)?;
        Some(self.key(self.slab[tail as usize].next, messages))
    }

    /// Queues `transit`, which joined at `now`, the latest cycle so far.
    pub(crate) fn join(&mut self, channel: usize, transit: Transit, now: Cycle, messages: &Messages) {
        let place = self.occupy(Waiting { transit, joined: now, next: 0 });
        self.lengths[channel] += 1;
        let Some(tail) = self.tails[channel].checked_sub(1) else {
            self.slab[place as usize].next = place;
            self.tails[channel] = place + 1;
            return;
        };
        let key = (now, messages.identity(transit.message));
        let before = if self.key(tail, messages) < key {
            self.tails[channel] = place + 1;
            tail
        } else {
            self.last_before(tail, key, messages)
        };
        self.slab[place as usize].next = self.slab[before as usize].next;
        self.slab[before as usize].next = place;
    }

    /// Takes the first message of a queue.
    pub(crate) fn take_first(&mut self, channel: usize) -> Option<Transit> {
        let tail = self.tails[channel].checked_sub(1)?;
        let first = self.slab[tail as usize].next;
        let Waiting { transit, next, .. } = self.slab[first as usize];
        if first == tail {
            self.tails[channel] = 0;
        } else {
            self.slab[tail as usize].next = next;
        }
        self.lengths[channel] -= 1;
        self.slab[first as usize].next = self.vacant;
        self.vacant = first + 1;
        Some(transit)
    }

    /// The place after which a message with `key` belongs, in a queue whose last has a larger key; the
    /// last itself when it belongs before the first.
    fn last_before(&self, tail: u32, key: Key, messages: &Messages) -> u32 {
        let mut before = tail;
        loop {
            let next = self.slab[before as usize].next;
            if self.key(next, messages) > key {
                return before;
            }
            before = next;
        }
    }

    fn key(&self, place: u32, messages: &Messages) -> Key {
        let waiting = &self.slab[place as usize];
        (waiting.joined, messages.identity(waiting.transit.message))
    }

    fn occupy(&mut self, waiting: Waiting) -> u32 {
        if let Some(place) = self.vacant.checked_sub(1) {
            self.vacant = self.slab[place as usize].next;
            self.slab[place as usize] = waiting;
            return place;
        }
        self.slab.push(waiting);
        u32::try_from(self.slab.len() - 1).unwrap_or(u32::MAX) // at most one place a message, below 2^31
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Messages whose identity is their number as the source.
    fn messages(count: u32) -> Messages {
        let mut messages = Messages::new(count as usize);
        for source in 0..count {
            messages.set(source, Identity { stage: 0, source, destination: 0 }, Cycle::START);
        }
        messages
    }

    fn transit(message: u32) -> Transit {
        Transit { message, node: 0, hops: 1, direction: 0 }
    }

    #[test]
    fn the_earlier_come_first_and_of_one_cycle_the_smaller_source() {
        let messages = messages(8);
        let mut queues = ChannelQueues::new(2);
        for (cycle, source) in [(3, 5), (3, 2), (3, 7), (3, 3), (4, 1), (4, 0), (6, 6)] {
            queues.join(1, transit(source), Cycle::new(cycle), &messages);
        }
        assert_eq!(queues.length(1), 7);
        assert_eq!(queues.first_key(1, &messages).unwrap().0, Cycle::new(3));
        let order: Vec<_> = std::iter::from_fn(|| queues.take_first(1)).map(|one| one.message).collect();
        assert_eq!(order, [2, 3, 5, 7, 0, 1, 6]);
        assert!(queues.is_empty(1));
    }

    #[test]
    fn places_are_used_again() {
        let messages = messages(3);
        let mut queues = ChannelQueues::new(1);
        for round in 0..50 {
            queues.join(0, transit(0), Cycle::new(round), &messages);
            queues.join(0, transit(1), Cycle::new(round), &messages);
            assert_eq!(queues.take_first(0).map(|one| one.message), Some(0));
            assert_eq!(queues.take_first(0).map(|one| one.message), Some(1));
        }
        assert_eq!(queues.slab.len(), 2);
    }
}
