//! Queues for the media of a network.
//!
//! First come first served; messages that joined in the same cycle go by stage, source and destination
//! (`docs/model.md` section 5). Only a medium with a queue has a record, which holds the first of the
//! queue itself; the rest are circular lists in a slab. So a queue of one, which is what most are, costs
//! one look at its record, and a run without contention touches none of this. Records lie close together,
//! so that where all queues are served in every cycle they come from memory in a stream.

use super::{Identity, slab::Slab};
use crate::{Cycle, axis::low_word};

/// The queues of all media, by their places; a `T` tells a queued message.
///
/// Where messages may have joined in the same cycle, `identity` is asked for theirs.
#[derive(Debug)]
pub(crate) struct Queues<T> {
    numbers: Vec<u32>,      // for each medium 1 + the number of its queue; 0 without one
    records: Vec<Queue<T>>, // by number
    rest: Slab<Waiting<T>>,
    grown: Vec<usize>, // media whose queues may have become the longest in this cycle
    longest: u32,
}

#[derive(Debug, Clone, Copy)]
struct Queue<T> {
    place: usize,      // of its medium
    first: Waiting<T>, // unless nobody waits
    tail: u32,         // 1 + the place of the last of the rest; 0 without any
    lengths: [u32; 2], // how many wait that move `+`, and `-`
}

#[derive(Debug, Clone, Copy)]
struct Waiting<T> {
    message: T,
    joined: Cycle,
    direction: u32,
    next: u32, // the place of the next in the rest, the first of it after the last
}

impl<T> Queue<T> {
    fn length(&self) -> u32 {
        self.lengths[0] + self.lengths[1]
    }
}

impl<T: Copy> Queues<T> {
    pub(crate) fn new(media: usize) -> Self {
        Self { numbers: vec![0; media], records: vec![], rest: Slab::default(), grown: vec![], longest: 0 }
    }

    /// The number of the queue of the medium at a place.
    pub(crate) fn number(&self, place: usize) -> Option<u32> {
        self.numbers[place].checked_sub(1)
    }

    /// How many queues there are: they are numbered from 0 on, until one of them is closed.
    pub(crate) fn count(&self) -> u32 {
        low_word(self.records.len() as u64)
    }

    /// The most messages of one direction that were in one queue at the end of a cycle.
    pub(crate) fn longest(&self) -> u32 {
        self.longest
    }

    /// Ends a cycle, in which all has joined and been taken.
    pub(crate) fn end_cycle(&mut self) {
        while let Some(place) = self.grown.pop() {
            let lengths = self.number(place).map_or([0; 2], |queue| self.records[queue as usize].lengths);
            self.longest = self.longest.max(lengths[0]).max(lengths[1]);
        }
    }

    /// Queues a message that moves in `direction` and joined at `now`, the latest cycle so far; returns the
    /// number of its queue.
    pub(crate) fn join(
        &mut self,
        place: usize,
        direction: u32,
        message: T,
        now: Cycle,
        identity: impl Fn(T) -> Identity,
    ) -> u32 {
        let new = Waiting { message, joined: now, direction, next: 0 };
        let Some(number) = self.number(place) else {
            let number = self.count();
            self.records.push(Queue { place, first: new, tail: 0, lengths: [0; 2] });
            self.numbers[place] = number + 1;
            self.grow(number, direction);
            return number;
        };
        let queue = &mut self.records[number as usize];
        if queue.length() == 0 {
            queue.first = new;
        } else if precedes(&new, &queue.first, &identity) {
            let second = std::mem::replace(&mut queue.first, new);
            self.join_rest(number, second, &identity);
        } else {
            self.join_rest(number, new, &identity);
        }
        self.grow(number, direction);
        number
    }

    /// Takes the first message of a queue, with its direction. An empty queue stays until it is
    /// [closed](Self::close_if_empty).
    pub(crate) fn take_first(&mut self, number: u32) -> Option<(u32, T)> {
        let queue = &mut self.records[number as usize];
        if queue.length() == 0 {
            return None;
        }
        let Waiting { message, direction, .. } = queue.first;
        queue.lengths[direction as usize % 2] -= 1;
        if let Some(tail) = queue.tail.checked_sub(1) {
            let second = self.rest[tail].next;
            queue.first = self.rest[second];
            if second == tail {
                queue.tail = 0;
            } else {
                self.rest[tail].next = queue.first.next;
            }
            self.rest.remove(second);
        }
        Some((direction, message))
    }

    /// Queues a message and takes the first, as [`join`](Self::join) and [`take_first`](Self::take_first)
    /// do, at less cost.
    pub(crate) fn exchange(
        &mut self,
        place: usize,
        direction: u32,
        message: T,
        now: Cycle,
        identity: impl Fn(T) -> Identity,
    ) -> Option<(u32, T)> {
        let Some(number) = self.number(place) else { return Some((direction, message)) };
        let queue = &mut self.records[number as usize];
        let new = Waiting { message, joined: now, direction, next: 0 };
        if queue.length() == 0 || precedes(&new, &queue.first, &identity) {
            return Some((direction, message));
        }
        if queue.tail == 0 {
            let first = std::mem::replace(&mut queue.first, new);
            queue.lengths[first.direction as usize % 2] -= 1;
            self.grow(number, direction);
            return Some((first.direction, first.message));
        }
        self.join_rest(number, new, &identity);
        self.grow(number, direction);
        self.take_first(number)
    }

    /// Frees the memory of queues, when there are none.
    pub(crate) fn give_memory_back(&mut self) {
        if self.records.is_empty() {
            self.records = vec![];
            self.rest.give_memory_back();
        }
    }

    /// Gives up a queue if it is empty; returns the place of its medium. The queue with the highest number
    /// gets this one.
    pub(crate) fn close_if_empty(&mut self, number: u32) -> Option<usize> {
        let Queue { place, .. } = self.records[number as usize];
        if self.records[number as usize].length() > 0 {
            return None;
        }
        self.numbers[place] = 0;
        self.records.swap_remove(number as usize);
        if let Some(moved) = self.records.get(number as usize) {
            self.numbers[moved.place] = number + 1;
        }
        Some(place)
    }

    /// One message more in a queue.
    fn grow(&mut self, number: u32, direction: u32) {
        let queue = &mut self.records[number as usize];
        let length = &mut queue.lengths[direction as usize % 2];
        *length += 1;
        if *length > self.longest {
            self.grown.push(queue.place);
        }
    }

    /// Puts a message that comes after the first of a queue into its rest.
    fn join_rest(&mut self, number: u32, new: Waiting<T>, identity: &impl Fn(T) -> Identity) {
        let place = self.rest.insert(new);
        let Some(tail) = self.records[number as usize].tail.checked_sub(1) else {
            self.rest[place].next = place;
            self.records[number as usize].tail = place + 1;
            return;
        };
        let mut before = tail;
        if precedes(&self.rest[tail], &new, identity) {
            self.records[number as usize].tail = place + 1;
        } else {
            while precedes(&self.rest[self.rest[before].next], &new, identity) {
                before = self.rest[before].next;
            }
        }
        self.rest[place].next = self.rest[before].next;
        self.rest[before].next = place;
    }
}

/// Whether one comes before the other: who joined earlier, of one cycle who has the smaller identity.
fn precedes<T: Copy>(one: &Waiting<T>, other: &Waiting<T>, identity: &impl Fn(T) -> Identity) -> bool {
    one.joined < other.joined || one.joined == other.joined && identity(one.message) < identity(other.message)
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
        let mut queues = Queues::new(2);
        for (cycle, source) in [(3, 5), (3, 2), (3, 7), (3, 3), (4, 1), (4, 0), (6, 6)] {
            queues.join(1, source, source, Cycle::new(cycle), identity);
        }
        assert_eq!(queues.number(0), None);
        let queue = queues.number(1).unwrap();
        let order: Vec<_> = std::iter::from_fn(|| queues.take_first(queue)).collect();
        assert_eq!(order, [2, 3, 5, 7, 0, 1, 6].map(|source| (source, source)));
        assert_eq!(queues.close_if_empty(queue), Some(1));
        assert_eq!(queues.number(1), None);
    }

    #[test]
    fn the_longest_queue_is_that_of_a_direction_at_the_end_of_a_cycle() {
        let mut queues = Queues::new(2);
        for (direction, message) in [(2, 0), (2, 1), (3, 2), (2, 3)] {
            queues.join(0, direction, message, Cycle::START, identity);
        }
        let queue = queues.number(0).unwrap();
        assert_eq!(queues.take_first(queue), Some((2, 0)));
        queues.end_cycle();
        assert_eq!((queues.longest(), queues.close_if_empty(queue)), (2, None));
        assert_eq!(queues.take_first(queue), Some((2, 1)));
        queues.join(0, 3, 4, Cycle::new(1), identity);
        queues.join(1, 3, 5, Cycle::new(1), identity);
        queues.end_cycle();
        assert_eq!(queues.longest(), 2);
    }

    #[test]
    fn an_exchange_is_a_join_and_a_taking() {
        for waiting in [vec![(3, 4)], vec![(3, 4), (3, 6)], vec![(2, 9), (3, 4), (3, 6)]] {
            for source in [3, 5, 7] {
                let [mut apart, mut together] = [(), ()].map(|()| {
                    let mut queues = Queues::new(1);
                    for &(cycle, source) in &waiting {
                        queues.join(0, source, source, Cycle::new(cycle), identity);
                    }
                    queues
                });
                let now = Cycle::new(3);
                let queue = apart.join(0, source, source, now, identity);
                let first = apart.take_first(queue);
                assert_eq!(together.exchange(0, source, source, now, identity), first);
                assert_eq!(together.records[queue as usize].lengths, apart.records[queue as usize].lengths);
                let rest = |mut queues: Queues<u32>| -> Vec<_> {
                    std::iter::from_fn(|| queues.take_first(queue)).collect()
                };
                assert_eq!(rest(together), rest(apart));
            }
        }
    }

    #[test]
    fn places_are_used_again() {
        let mut queues = Queues::new(1);
        for round in 0..50 {
            for message in 0..3 {
                queues.join(0, 0, message, Cycle::new(round), identity);
            }
            let queue = queues.number(0).unwrap();
            let order: Vec<_> = std::iter::from_fn(|| queues.take_first(queue)).collect();
            assert_eq!(order, [(0, 0), (0, 1), (0, 2)]);
            queues.close_if_empty(queue);
        }
        assert_eq!((queues.count(), queues.rest.places()), (0, 2));
    }
}
