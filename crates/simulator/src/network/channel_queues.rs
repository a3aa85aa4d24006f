//! The queues of the channels.
//!
//! First come first served; messages that joined in the same cycle go by stage, source and destination
//! (`docs/model.md` section 5). The queues are circular lists in one slab that is as large as the most
//! messages that ever waited at once, and only a channel with a queue has a record of it, so that a run
//! without contention touches nothing of this.

use super::{Identities, messages::Identity, slab::Slab};
use crate::Cycle;

/// The queues of all channels, by their places; `T` is what there is to know of a queued message besides
/// its number.
#[derive(Debug)]
pub(crate) struct ChannelQueues<T> {
    queues: Vec<u32>, // for each channel 1 + the place of its queue; 0 without one
    slab: Slab<Queue>,
    waiting: Slab<Waiting<T>>,
    grown: Vec<usize>, // channels whose queues grew in this cycle
    longest: u32,
}

#[derive(Debug, Clone, Copy)]
struct Queue {
    tail: u32,   // the place of the last that waits
    length: u32, // at least 1
}

#[derive(Debug, Clone, Copy)]
struct Waiting<T> {
    what: T,
    joined: Cycle,
    message: u32,
    next: u32, // the place of the next in the queue, the first after the last
}

/// What orders a queue, smallest first.
pub(crate) type Key = (Cycle, Identity);

impl<T: Copy> ChannelQueues<T> {
    pub(crate) fn new(channels: usize) -> Self {
        Self {
            queues: vec![0; channels],
            slab: Slab::default(),
            waiting: Slab::default(),
            grown: vec![],
            longest: 0,
        }
    }

    /// The messages that wait, in all queues.
    pub(crate) fn queued(&self) -> u64 {
        self.waiting.len() as u64
    }

    pub(crate) fn length(&self, channel: usize) -> u32 {
        self.queue(channel).map_or(0, |queue| self.slab[queue].length)
    }

    pub(crate) fn is_empty(&self, channel: usize) -> bool {
        self.queues[channel] == 0
    }

    /// The most messages that were in one queue at the end of a cycle.
    pub(crate) fn longest(&self) -> u32 {
        self.longest
    }

    /// Ends a cycle, in which all has joined and been taken.
    pub(crate) fn end_cycle(&mut self) {
        while let Some(channel) = self.grown.pop() {
            self.longest = self.longest.max(self.length(channel));
        }
    }

    /// The key of the first message of a queue.
    pub(crate) fn first_key(&self, channel: usize, identities: &impl Identities) -> Option<Key> {
        let tail = self.slab[self.queue(channel)?].tail;
        Some(self.key(self.waiting[tail].next, identities))
    }

    /// Queues `message`, which joined at `now`, the latest cycle so far.
    pub(crate) fn join(
        &mut self,
        channel: usize,
        message: u32,
        what: T,
        now: Cycle,
        identities: &impl Identities,
    ) {
        self.grown.push(channel);
        let place = self.waiting.insert(Waiting { what, joined: now, message, next: 0 });
        let Some(queue) = self.queue(channel) else {
            self.waiting[place].next = place;
            self.queues[channel] = self.slab.insert(Queue { tail: place, length: 1 }) + 1;
            return;
        };
        let tail = self.slab[queue].tail;
        let key = (now, identities.identity(message));
        let before = if self.key(tail, identities) < key {
            self.slab[queue].tail = place;
            tail
        } else {
            self.last_before(tail, key, identities)
        };
        self.slab[queue].length += 1;
        self.waiting[place].next = self.waiting[before].next;
        self.waiting[before].next = place;
    }

    /// Takes the first message of a queue.
    pub(crate) fn take_first(&mut self, channel: usize) -> Option<T> {
        let queue = self.queue(channel)?;
        let tail = self.slab[queue].tail;
        let first = self.waiting[tail].next;
        let Waiting { what, next, .. } = self.waiting[first];
        self.waiting.remove(first);
        if first == tail {
            self.queues[channel] = 0;
            self.slab.remove(queue);
        } else {
            self.waiting[tail].next = next;
            self.slab[queue].length -= 1;
        }
        Some(what)
    }

    /// The place of a channel's queue.
    fn queue(&self, channel: usize) -> Option<u32> {
        self.queues[channel].checked_sub(1)
    }

    /// The place after which a message with `key` belongs, in a queue whose last has a larger key; the
    /// last itself when it belongs before the first.
    fn last_before(&self, tail: u32, key: Key, identities: &impl Identities) -> u32 {
        let mut before = tail;
        loop {
            let next = self.waiting[before].next;
            if self.key(next, identities) > key {
                return before;
            }
            before = next;
        }
    }

    fn key(&self, place: u32, identities: &impl Identities) -> Key {
        let waiting = &self.waiting[place];
        (waiting.joined, identities.identity(waiting.message))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::Messages;

    /// Messages whose identity is their number as the source.
    fn messages(count: u32) -> Messages {
        let mut messages = Messages::new(count as usize);
        for source in 0..count {
            messages.set(source, Identity { stage: 0, source, destination: 0 });
        }
        messages
    }

    #[test]
    fn the_earlier_come_first_and_of_one_cycle_the_smaller_source() {
        let messages = messages(8);
        let mut queues = ChannelQueues::new(2);
        for (cycle, source) in [(3, 5), (3, 2), (3, 7), (3, 3), (4, 1), (4, 0), (6, 6)] {
            queues.join(1, source, source, Cycle::new(cycle), &messages);
        }
        assert_eq!(queues.length(1), 7);
        assert_eq!(queues.first_key(1, &messages).unwrap().0, Cycle::new(3));
        let order: Vec<_> = std::iter::from_fn(|| queues.take_first(1)).collect();
        assert_eq!(order, [2, 3, 5, 7, 0, 1, 6]);
        assert_eq!((queues.queued(), queues.is_empty(1)), (0, true));
    }

    #[test]
    fn the_longest_queue_is_that_at_the_end_of_a_cycle() {
        let messages = messages(3);
        let mut queues = ChannelQueues::new(2);
        for message in 0..3 {
            queues.join(0, message, (), Cycle::START, &messages);
        }
        assert_eq!(queues.take_first(0), Some(()));
        queues.end_cycle();
        assert_eq!(queues.longest(), 2);
        assert_eq!((queues.take_first(0), queues.take_first(0)), (Some(()), Some(())));
        queues.join(1, 0, (), Cycle::new(1), &messages);
        queues.end_cycle();
        assert_eq!(queues.longest(), 2);
    }

    #[test]
    fn places_are_used_again() {
        let messages = messages(3);
        let mut queues = ChannelQueues::new(1);
        for round in 0..50 {
            queues.join(0, 0, 'a', Cycle::new(round), &messages);
            queues.join(0, 1, 'b', Cycle::new(round), &messages);
            assert_eq!(queues.take_first(0), Some('a'));
            assert_eq!(queues.take_first(0), Some('b'));
        }
        assert_eq!((queues.waiting.places(), queues.slab.places()), (2, 1));
    }
}
