//! The queues of the channels.
//!
//! First come first served; messages that joined in the same cycle go by stage, source and destination
//! (`docs/model.md` section 5). The queues are circular lists in one slab that is as large as the most
//! messages that ever waited at once, so that a run without contention touches none of it.

use super::{messages::Identity, slab::Slab};
use crate::Cycle;

/// The queues of all channels, by their places; a `T` tells a queued message.
///
/// Where messages may have joined in the same cycle, `identity` is asked for theirs.
#[derive(Debug)]
pub(crate) struct ChannelQueues<T> {
    tails: Vec<u32>, // for each channel 1 + the place of the last in its queue; 0 without one
    waiting: Slab<Waiting<T>>,
    grown: Vec<usize>, // channels whose queues may have become the longest in this cycle
    longest: u32,
}

#[derive(Debug, Clone, Copy)]
struct Waiting<T> {
    message: T,
    joined: Cycle,
    next: u32,   // the place of the next in the queue, the first after the last
    length: u32, // of the queue, while it is the last
}

impl<T: Copy> ChannelQueues<T> {
    pub(crate) fn new(channels: usize) -> Self {
        Self { tails: vec![0; channels], waiting: Slab::default(), grown: vec![], longest: 0 }
    }

    /// The messages that wait, in all queues.
    pub(crate) fn queued(&self) -> u64 {
        self.waiting.len() as u64
    }

    pub(crate) fn length(&self, channel: usize) -> u32 {
        self.tail(channel).map_or(0, |tail| self.waiting[tail].length)
    }

    pub(crate) fn is_empty(&self, channel: usize) -> bool {
        self.tails[channel] == 0
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

    /// Whether the first message of the queue of channel `one` comes before that of channel `other`, which
    /// an empty queue's never does.
    pub(crate) fn comes_first(&self, one: usize, other: usize, identity: impl Fn(T) -> Identity) -> bool {
        match (self.first(one), self.first(other)) {
            (Some(first), Some(second)) => self.precedes(first, second, &identity),
            (first, _) => first.is_some(),
        }
    }

    /// Queues `message`, which joined at `now`, the latest cycle so far.
    pub(crate) fn join(&mut self, channel: usize, message: T, now: Cycle, identity: impl Fn(T) -> Identity) {
        let place = self.waiting.insert(Waiting { message, joined: now, next: 0, length: 1 });
        let Some(tail) = self.tail(channel) else {
            self.waiting[place].next = place;
            self.tails[channel] = place + 1;
            if self.longest == 0 {
                self.grown.push(channel);
            }
            return;
        };
        let length = self.waiting[tail].length + 1;
        let (before, last) = if self.precedes(tail, place, &identity) {
            (tail, place)
        } else {
            (self.last_before(tail, place, &identity), tail)
        };
        self.waiting[place].next = self.waiting[before].next;
        self.waiting[before].next = place;
        self.waiting[last].length = length;
        self.tails[channel] = last + 1;
        if length > self.longest {
            self.grown.push(channel);
        }
    }

    /// Takes the first message of a queue.
    pub(crate) fn take_first(&mut self, channel: usize) -> Option<T> {
        let tail = self.tail(channel)?;
        let first = self.waiting[tail].next;
        let Waiting { message, next, .. } = self.waiting[first];
        self.waiting.remove(first);
        if first == tail {
            self.tails[channel] = 0;
        } else {
            self.waiting[tail].next = next;
            self.waiting[tail].length -= 1;
        }
        Some(message)
    }

    /// The place of the last in a channel's queue.
    fn tail(&self, channel: usize) -> Option<u32> {
        self.tails[channel].checked_sub(1)
    }

    /// The place of the first in a channel's queue.
    fn first(&self, channel: usize) -> Option<u32> {
        Some(self.waiting[self.tail(channel)?].next)
    }

    /// The place after which what waits at `place` belongs, in a queue whose last comes after it; the last
    /// itself when it belongs before the first.
    fn last_before(&self, tail: u32, place: u32, identity: &impl Fn(T) -> Identity) -> u32 {
        let mut before = tail;
        loop {
            let next = self.waiting[before].next;
            if self.precedes(place, next, identity) {
                return before;
            }
            before = next;
        }
    }

    /// Whether what waits at place `one` comes before what waits at another: who joined earlier, of one
    /// cycle who has the smaller identity.
    fn precedes(&self, one: u32, other: u32, identity: &impl Fn(T) -> Identity) -> bool {
        let [one, other] = [one, other].map(|place| &self.waiting[place]);
        one.joined < other.joined
            || one.joined == other.joined && identity(one.message) < identity(other.message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The identity of a message that is told by its source.
    fn identity(source: u32) -> Identity {
        Identity { stage: 0, source, destination: 0 }
    }

    #[test]
    fn the_earlier_come_first_and_of_one_cycle_the_smaller_source() {
        let mut queues = ChannelQueues::new(2);
        for (cycle, source) in [(3, 5), (3, 2), (3, 7), (3, 3), (4, 1), (4, 0), (6, 6)] {
            queues.join(1, source, Cycle::new(cycle), identity);
        }
        assert_eq!(queues.length(1), 7);
        assert!(queues.comes_first(1, 0, identity));
        assert!(!queues.comes_first(0, 1, identity));
        let order: Vec<_> = std::iter::from_fn(|| queues.take_first(1)).collect();
        assert_eq!(order, [2, 3, 5, 7, 0, 1, 6]);
        assert_eq!((queues.queued(), queues.is_empty(1)), (0, true));
    }

    #[test]
    fn of_two_queues_the_one_comes_first_whose_first_joined_earlier_or_has_the_smaller_source() {
        let mut queues = ChannelQueues::new(2);
        for (channel, cycle, source) in [(0, 3, 1), (1, 3, 0), (0, 4, 2), (1, 5, 3)] {
            queues.join(channel, source, Cycle::new(cycle), identity);
        }
        let order = std::iter::from_fn(|| {
            let channel = usize::from(!queues.comes_first(0, 1, identity));
            queues.take_first(channel)
        });
        assert_eq!(order.collect::<Vec<_>>(), [0, 1, 2, 3]);
    }

    #[test]
    fn the_longest_queue_is_that_at_the_end_of_a_cycle() {
        let mut queues = ChannelQueues::new(2);
        for message in 0..3 {
            queues.join(0, message, Cycle::START, identity);
        }
        assert_eq!(queues.take_first(0), Some(0));
        queues.end_cycle();
        assert_eq!(queues.longest(), 2);
        assert_eq!((queues.take_first(0), queues.take_first(0)), (Some(1), Some(2)));
        queues.join(1, 0, Cycle::new(1), identity);
        queues.end_cycle();
        assert_eq!(queues.longest(), 2);
    }

    #[test]
    fn places_are_used_again() {
        let mut queues = ChannelQueues::new(1);
        for round in 0..50 {
            queues.join(0, 0, Cycle::new(round), identity);
            queues.join(0, 1, Cycle::new(round), identity);
            assert_eq!(queues.take_first(0), Some(0));
            assert_eq!(queues.take_first(0), Some(1));
        }
        assert_eq!(queues.waiting.places(), 2);
    }
}
