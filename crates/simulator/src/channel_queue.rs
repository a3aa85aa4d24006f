//! The queues of channels or links, by place.
//!
//! A *resource* is a channel or link that a transmission occupies, identified by its place.
//! Only a resource with a [queue](MessageQueue) has a record, so that a run without contention
//! accesses none of this. Records are contiguous: if all queues are served in every cycle, they
//! are read in order.

use cubefold_topology::narrow;

use crate::{
    Cycle,
    message_queue::{Joining, MessageKey, MessageQueue, Queued},
    slots::Slots,
};

/// The queues of all resources, by place; a `T` stands for a queued message.
///
/// If messages may have joined in the same cycle, `key` returns their keys.
#[derive(Debug)]
pub(crate) struct ChannelQueues<T> {
    numbers: Vec<u32>,       // by place: 1 + the number of the resource's queue; 0 without one
    records: Vec<Record<T>>, // by number
    rest: Slots<Queued<T>>,
    grown: Vec<usize>, // places whose queues may have become the longest in this cycle
    /// The most messages of one direction that were in one queue at the end of a cycle.
    pub(crate) longest: u32,
}

#[derive(Debug, Clone, Copy)]
struct Record<T> {
    place: usize, // of the resource
    queue: MessageQueue<T>,
}

impl<T: Copy> ChannelQueues<T> {
    /// Empty queues for `resources` resources.
    pub(crate) fn new(resources: usize) -> Self {
        Self {
            numbers: vec![0; resources],
            records: vec![],
            rest: Slots::default(),
            grown: vec![],
            longest: 0,
        }
    }

    /// The number of the queue of the resource at a place.
    pub(crate) fn number(&self, place: usize) -> Option<u32> {
        self.numbers[place].checked_sub(1)
    }

    /// The number of queues: they are numbered from 0 on, until one of them is closed.
    pub(crate) fn count(&self) -> u32 {
        narrow(self.records.len() as u64)
    }

    /// Ends a cycle after the last message has joined or been taken.
    pub(crate) fn end_cycle(&mut self) {
        while let Some(place) = self.grown.pop() {
            if let Some(number) = self.number(place) {
                let [positive, negative] = self.records[number as usize].queue.lengths;
                self.longest = self.longest.max(positive).max(negative);
            }
        }
    }

    /// Notes that the queue at a place has `length` messages of one direction now.
    #[inline]
    fn note(&mut self, place: usize, length: u32) {
        if length > self.longest {
            self.grown.push(place);
        }
    }

    /// Queues a message that moves in `direction` and joined at `now`, the latest cycle so far.
    pub(crate) fn join(
        &mut self,
        place: usize,
        direction: u32,
        message: T,
        now: Cycle,
        key: impl Fn(T) -> MessageKey,
    ) {
        let new = Joining { message, direction, now };
        let length = match self.number(place) {
            None => {
                self.records.push(Record { place, queue: MessageQueue::new(new) });
                self.numbers[place] = self.count();
                1
            }
            Some(number) => self.records[number as usize].queue.join(new, &mut self.rest, &key),
        };
        self.note(place, length);
    }

    /// Takes the first message of a queue, with its direction. An empty queue stays until it is
    /// [closed](Self::close_if_empty).
    #[inline]
    pub(crate) fn take_first(&mut self, number: u32, key: impl Fn(T) -> MessageKey) -> Option<(u32, T)> {
        self.records[number as usize].queue.take_first(&mut self.rest, &key)
    }

    /// Queues a message and takes the first, as [`join`](Self::join) and
    /// [`take_first`](Self::take_first) do, at less cost.
    pub(crate) fn exchange(
        &mut self,
        place: usize,
        direction: u32,
        message: T,
        now: Cycle,
        key: impl Fn(T) -> MessageKey,
    ) -> (u32, T) {
        let Some(number) = self.number(place) else { return (direction, message) };
        let new = Joining { message, direction, now };
        let queue = &mut self.records[number as usize].queue;
        let (length, first) = queue.exchange(new, &mut self.rest, &key);
        self.note(place, length);
        first
    }

    /// Frees the memory of queues when there are none.
    pub(crate) fn release_memory(&mut self) {
        if self.records.is_empty() {
            self.records = vec![];
            self.rest.release_memory();
        }
    }

    /// Closes a queue if it is empty and returns the place of its resource. The queue with the
    /// highest number gets this number.
    #[inline]
    pub(crate) fn close_if_empty(&mut self, number: u32) -> Option<usize> {
        let Record { place, queue } = &self.records[number as usize];
        let place = *place;
        if !queue.is_empty() {
            return None;
        }
        self.numbers[place] = 0;
        self.records.swap_remove(number as usize);
        if let Some(moved) = self.records.get(number as usize) {
            self.numbers[moved.place] = number + 1;
        }
        Some(place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The key of a message that is known by its source.
    fn key(source: u32) -> MessageKey {
        MessageKey { stage: 0, turn: 0, source, destination: 0 }
    }

    #[test]
    fn the_earlier_come_first_and_of_one_cycle_the_smaller_source() {
        let mut queues = ChannelQueues::new(2);
        for (cycle, source) in [(3, 5), (3, 2), (3, 7), (3, 3), (4, 1), (4, 0), (6, 6)] {
            queues.join(1, source, source, Cycle::new(cycle), key);
        }
        assert_eq!(queues.number(0), None);
        let queue = queues.number(1).unwrap();
        let order: Vec<_> = std::iter::from_fn(|| queues.take_first(queue, key)).collect();
        assert_eq!(order, [2, 3, 5, 7, 0, 1, 6].map(|source| (source, source)));
        assert_eq!(queues.close_if_empty(queue), Some(1));
        assert_eq!(queues.number(1), None);
    }

    #[test]
    fn the_longest_queue_is_that_of_a_direction_at_the_end_of_a_cycle() {
        for [long, short] in [[2, 3], [3, 2]] {
            let mut queues = ChannelQueues::new(2);
            for (direction, message) in [(long, 0), (long, 1), (short, 2), (long, 3)] {
                queues.join(0, direction, message, Cycle::START, key);
            }
            let queue = queues.number(0).unwrap();
            assert_eq!(queues.take_first(queue, key), Some((long, 0)));
            queues.end_cycle();
            assert_eq!((queues.longest, queues.close_if_empty(queue)), (2, None));
            assert_eq!(queues.take_first(queue, key), Some((long, 1)));
            queues.join(0, short, 4, Cycle::new(1), key);
            queues.join(1, short, 5, Cycle::new(1), key);
            queues.end_cycle();
            assert_eq!(queues.longest, 2);
        }
    }

    #[test]
    fn an_exchange_is_a_join_and_a_taking() {
        for waiting in [vec![(3, 4)], vec![(3, 4), (3, 6)], vec![(2, 9), (3, 4), (3, 6)]] {
            for source in [3, 5, 7] {
                let [mut apart, mut together] = [(), ()].map(|()| {
                    let mut queues = ChannelQueues::new(1);
                    for &(cycle, source) in &waiting {
                        queues.join(0, source, source, Cycle::new(cycle), key);
                    }
                    queues
                });
                let now = Cycle::new(3);
                apart.join(0, source, source, now, key);
                let queue = apart.number(0).unwrap();
                let first = apart.take_first(queue, key).unwrap();
                assert_eq!(together.exchange(0, source, source, now, key), first);
                let lengths = |queues: &ChannelQueues<u32>| queues.records[queue as usize].queue.lengths;
                assert_eq!(lengths(&together), lengths(&apart));
                let rest = |mut queues: ChannelQueues<u32>| -> Vec<_> {
                    std::iter::from_fn(|| queues.take_first(queue, key)).collect()
                };
                assert_eq!(rest(together), rest(apart));
            }
        }
    }

    #[test]
    fn long_queues_keep_their_order() {
        let mut queues = ChannelQueues::new(1);
        let (mut expected, mut found) = (vec![], vec![]);
        let mut state = 1_u32;
        for cycle in 0..200 {
            // Few messages are inserted, many are sorted.
            let sources: Vec<u32> = (0..if cycle % 3 == 0 { 30 } else { 5 })
                .map(|_| {
                    state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    state >> 8
                })
                .collect();
            for &source in &sources {
                queues.join(0, 0, source, Cycle::new(cycle), key);
            }
            let mut sorted = sources;
            sorted.sort_unstable();
            expected.extend(sorted);
            // At times the joins balance the takes, so that all joined in an earlier cycle, or in this one.
            let queue = queues.number(0).unwrap();
            let taken = if cycle % 20 < 12 { 2 } else { 40 };
            found.extend((0..taken).filter_map(|_| queues.take_first(queue, key)).map(|(_, source)| source));
        }
        let queue = queues.number(0).unwrap();
        found.extend(std::iter::from_fn(|| queues.take_first(queue, key)).map(|(_, source)| source));
        assert_eq!(found, expected);
    }

    #[test]
    fn slots_are_used_again() {
        let mut queues = ChannelQueues::new(1);
        for round in 0..50 {
            for message in 0..3 {
                queues.join(0, 0, message, Cycle::new(round), key);
            }
            let queue = queues.number(0).unwrap();
            let order: Vec<_> = std::iter::from_fn(|| queues.take_first(queue, key)).collect();
            assert_eq!(order, [(0, 0), (0, 1), (0, 2)]);
            queues.close_if_empty(queue);
        }
        assert_eq!((queues.count(), queues.rest.len()), (0, 2));
    }
}
