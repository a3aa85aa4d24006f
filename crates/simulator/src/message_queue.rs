//! The messages that wait for a channel or link.
//!
//! A queue is first come first served; messages that joined in the same cycle go by stage, turn,
//! source and destination (`docs/model.md` section 5). It holds its first message; the others are a list in
//! shared slots. So a queue of one message, the most common, is one access.
//!
//! A message is inserted after those of its cycle that precede it. If these are many, it is appended instead,
//! and the messages of the cycle are sorted when the first of them is needed. So the time for many joins
//! in one cycle is nearly linear in their number.

use crate::{Cycle, slots::Slots};

/// The order of messages that joined a queue in the same cycle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) struct MessageKey {
    pub(crate) stage: u32,
    pub(crate) turn: u32,
    pub(crate) source: u32,
    pub(crate) destination: u32,
}

/// A `T` in a queue, which stands for a message.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Queued<T> {
    message: T,
    joined: Cycle,
    direction: u32,
    next: u32, // the slot of the next message; means nothing in the last
}

/// A queue. Its methods are given the slots of the messages after its first, which several queues share.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MessageQueue<T> {
    first: Queued<T>, // valid unless both lengths are 0; comes before all others
    tail: Tail,
    earlier: u32, // 1 + the slot of the last of the rest that joined in an earlier cycle than the tail; 0 without any
    pub(crate) lengths: [u32; 2], // messages that move `+`, and `-`
}

/// The last message of the rest of a queue, if there is any, and whether those that joined in its cycle are in order: 1 + its
/// slot, and the highest bit, which no slot has. (Queues are many, and their sizes count.)
#[derive(Debug, Clone, Copy)]
struct Tail(u32);

/// The most messages of a cycle that are passed when another of that cycle is inserted.
const FEW: usize = 8;

/// A message that joins a queue in the latest cycle so far, in a direction.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Joining<T> {
    pub(crate) message: T,
    pub(crate) direction: u32,
    pub(crate) now: Cycle,
}

impl<T: Copy> Joining<T> {
    #[inline]
    fn queued(self) -> Queued<T> {
        let Self { message, direction, now } = self;
        Queued { message, joined: now, direction, next: 0 }
    }

    /// Whether it precedes a queued message, which must have joined in the same cycle and have a greater key.
    #[inline]
    fn precedes(self, other: &Queued<T>, key: &impl Fn(T) -> MessageKey) -> bool {
        self.now == other.joined && key(self.message) < key(other.message)
    }
}

impl Tail {
    const NONE: Self = Self(0);

    const UNSORTED: u32 = 1 << 31;

    /// The message in a slot, with those of its cycle in order.
    #[inline]
    fn sorted(slot: u32) -> Self {
        Self(slot + 1)
    }

    /// The message in a slot, with those of its cycle out of order.
    #[inline]
    fn unsorted(slot: u32) -> Self {
        Self((slot + 1) | Self::UNSORTED)
    }

    #[inline]
    fn slot(self) -> Option<u32> {
        (self.0 & !Self::UNSORTED).checked_sub(1)
    }

    /// Whether those of its cycle are not in order.
    #[inline]
    fn is_unsorted(self) -> bool {
        self.0 & Self::UNSORTED != 0
    }
}

impl<T: Copy> MessageQueue<T> {
    /// The queue of one message.
    #[inline]
    pub(crate) fn new(first: Joining<T>) -> Self {
        let sign = first.direction % 2;
        Self { first: first.queued(), tail: Tail::NONE, earlier: 0, lengths: [1 - sign, sign] }
    }

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        // Reads each length separately: this avoids a store-forwarding stall after a write of one.
        let [positive, negative] = self.lengths;
        positive | negative == 0
    }

    /// Queues a message; returns the number of its direction now.
    ///
    /// If messages may have joined in the same cycle, `key` returns their keys.
    #[inline]
    pub(crate) fn join(
        &mut self,
        new: Joining<T>,
        rest: &mut Slots<Queued<T>>,
        key: &impl Fn(T) -> MessageKey,
    ) -> u32 {
        if self.is_empty() {
            self.first = new.queued();
        } else if new.precedes(&self.first, key) {
            // All others joined in this cycle too.
            let second = rest.insert(|| self.first);
            self.first = new.queued();
            self.first.next = second;
            if self.tail.slot().is_none() {
                self.tail = Tail::sorted(second);
            }
        } else {
            self.join_rest(new, rest, key);
        }
        self.count(new.direction)
    }

    /// Counts another message; returns the number of its direction now.
    #[inline]
    fn count(&mut self, direction: u32) -> u32 {
        let length = &mut self.lengths[direction as usize % 2];
        *length += 1;
        *length
    }

    /// Takes the first message, with its direction.
    ///
    /// If messages may have joined in the same cycle, `key` returns their keys.
    #[inline]
    pub(crate) fn take_first(
        &mut self,
        rest: &mut Slots<Queued<T>>,
        key: &impl Fn(T) -> MessageKey,
    ) -> Option<(u32, T)> {
        if self.is_empty() {
            return None;
        }
        let Queued { direction, message, .. } = self.first;
        self.lengths[direction as usize % 2] -= 1;
        if self.tail.slot().is_some() {
            if self.tail.is_unsorted() && self.earlier == 0 {
                self.sort(rest, key);
            }
            let second = self.first.next;
            self.first = rest[second];
            if self.earlier == second + 1 {
                self.earlier = 0;
            }
            if Some(second) == self.tail.slot() {
                self.tail = Tail::NONE;
            }
            rest.remove(second);
        }
        Some((direction, message))
    }

    /// Queues a message and takes the first, as [`join`](Self::join) and [`take_first`](Self::take_first) do, at less cost.
    /// Returns a number and the first message with its direction. The number is at least that of the messages left that
    /// move in the direction of the new one, or 0 if the new one is taken.
    #[inline]
    pub(crate) fn exchange(
        &mut self,
        new: Joining<T>,
        rest: &mut Slots<Queued<T>>,
        key: &impl Fn(T) -> MessageKey,
    ) -> (u32, (u32, T)) {
        if self.is_empty() || new.precedes(&self.first, key) {
            return (0, (new.direction, new.message));
        }
        if self.tail.slot().is_none() {
            let first = std::mem::replace(&mut self.first, new.queued());
            self.lengths[first.direction as usize % 2] -= 1;
            return (self.count(new.direction), (first.direction, first.message));
        }
        let length = self.join(new, rest, key);
        (length, self.take_first(rest, key).unwrap_or((new.direction, new.message)))
    }

    /// Inserts a message that comes after the first into the rest.
    fn join_rest(&mut self, new: Joining<T>, rest: &mut Slots<Queued<T>>, key: &impl Fn(T) -> MessageKey) {
        let place = rest.insert(|| new.queued());
        let Some(tail) = self.tail.slot() else {
            self.first.next = place;
            self.tail = Tail::sorted(place);
            return;
        };
        if rest[tail].joined < new.now {
            if self.tail.is_unsorted() {
                self.sort(rest, key);
            }
            let Some(tail) = self.tail.slot() else { return };
            rest[tail].next = place;
            self.tail = Tail::sorted(place);
            self.earlier = tail + 1;
            return;
        }
        // It joined in the cycle of the tail.
        if self.tail.is_unsorted() {
            rest[tail].next = place;
            self.tail = Tail::unsorted(place);
            return;
        }
        if !new.precedes(&rest[tail], key) {
            rest[tail].next = place;
            self.tail = Tail::sorted(place);
            return;
        }
        // The messages of earlier cycles, which may be many, are skipped.
        let mut before = self.earlier.checked_sub(1);
        for _ in 0..FEW {
            let next = self.after(before, rest);
            if new.precedes(&rest[next], key) {
                rest[place].next = next;
                self.put_after(before, place, rest);
                return;
            }
            before = Some(next);
        }
        rest[tail].next = place;
        self.tail = Tail::unsorted(place);
    }

    /// The slot after `before` in the rest; the first slot of the rest if `before` is `None`.
    #[inline]
    fn after(&self, before: Option<u32>, rest: &Slots<Queued<T>>) -> u32 {
        before.map_or(self.first.next, |before| rest[before].next)
    }

    /// Puts `slot` after `before` in the rest; first in the rest if `before` is `None`.
    #[inline]
    fn put_after(&mut self, before: Option<u32>, slot: u32, rest: &mut Slots<Queued<T>>) {
        match before {
            None => self.first.next = slot,
            Some(before) => rest[before].next = slot,
        }
    }

    /// Sorts the messages of the rest that joined in the cycle of the last of them.
    #[cold]
    fn sort(&mut self, rest: &mut Slots<Queued<T>>, key: &impl Fn(T) -> MessageKey) {
        let Some(tail) = self.tail.slot() else { return };
        let mut before = self.earlier.checked_sub(1);
        let mut slots = vec![];
        let mut next = self.after(before, rest);
        loop {
            slots.push((key(rest[next].message), next));
            if next == tail {
                break;
            }
            next = rest[next].next;
        }
        slots.sort_unstable();
        for (_, slot) in slots {
            self.put_after(before, slot, rest);
            before = Some(slot);
            self.tail = Tail::sorted(slot);
        }
    }
}
