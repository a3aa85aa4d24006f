//! A hierarchical time wheel: an event queue for clocks of 64 bits and events of any delay.
//!
//! Transmissions of different sizes end in no fixed order, and the end of a message of a gigabyte
//! lies millions of cycles after that of a barrier. The bits of a cycle are divided among three levels (Varghese &
//! Lauck 1987, scheme 7): level 0 has a slot for each of 2^12 cycles, level 1 for each of 2^10 stretches of as many,
//! level 2 for each of 2^10 stretches of those. An event lies on the level of the highest bit
//! in which its cycle differs from the present one, so that adding costs O(1), and it moves down
//! one level at a time, so that taking also costs O(1). Events outside the present window of 2^32
//! cycles wait in a tree by window. A slot of level 0 is one cycle: nothing is ever sorted.
//!
//! Invariants: no event lies before the present cycle; an event of a level agrees with it in
//! all bits of higher levels and is greater in those of its level, at level 0 greater or equal. So the next event is
//! in the first occupied slot of the lowest level that has one. The order of the events of one cycle
//! does not matter: an engine must reach the same numbers in any order.
//!
//! Events lie in chunks shared by all slots: memory is proportional to the most events at any
//! time.

use std::collections::BTreeMap;

use prefetch_index::prefetch_index;

/// The levels above level 0.
const HIGHER: [LevelBits; 2] = [LevelBits { first: 12, count: 10 }, LevelBits { first: 22, count: 10 }];
/// The cycles of level 0.
const NEAR: u64 = 1 << HIGHER[0].first;

/// The bits of a cycle that choose a slot of a level.
#[derive(Debug, Clone, Copy)]
struct LevelBits {
    first: u32,
    count: u32,
}

impl LevelBits {
    /// The first cycle of a slot of the level.
    fn begin(self, now: u64, slot: usize) -> u64 {
        (now >> self.first >> self.count << self.count | slot as u64) << self.first
    }
}

/// Events of 64-bit cycles, taken cycle by cycle.
#[derive(Debug)]
pub(crate) struct TimeWheel<T> {
    near: Level,
    higher: [Level; HIGHER.len()],
    beyond: BTreeMap<u64, u32>, // the lists of later windows, by the upper 32 bits of their cycles
    chunks: Vec<Chunk<T>>,
    vacant: u32, // 1 + the index of the first chunk that is in no list, 0 without one
    now: u64,
}

/// The slots of a level, a power of two of them.
#[derive(Debug)]
struct Level {
    lists: Vec<u32>, // 1 + the index of the first chunk of each, 0 when it is empty
    occupied: Vec<u64>,
}

/// Some events of a slot.
#[derive(Debug, Clone, Copy)]
struct Chunk<T> {
    events: [T; CAPACITY],
    cycles: [u32; CAPACITY], // the lower halves, above level 0
    count: usize,            // of events, in 1..=CAPACITY while the chunk is in a list
    next: u32,               // 1 + the index of the next chunk of the list, 0 after the last
}

const CAPACITY: usize = 16;

/// The number of events after which no more are taken together.
const TAKEN_TOGETHER: usize = 48;

const CAPACITY_BITS: u32 = CAPACITY.ilog2();

/// The place of an event, until the next cycle that has events: the number of its chunk times the capacity, plus its
/// index in the chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct EventPlace(u32);

impl<T: Copy> TimeWheel<T> {
    /// Bytes for each of the most events at any time, most chunks being half full.
    pub(crate) const BYTES_PER_EVENT: u64 = (2 * size_of::<Chunk<T>>() / CAPACITY) as u64;

    /// A wheel without events at cycle 0.
    pub(crate) fn new() -> Self {
        Self {
            near: Level::new(HIGHER[0].first),
            higher: HIGHER.map(|bits| Level::new(bits.count)),
            beyond: BTreeMap::new(),
            chunks: vec![],
            vacant: 0,
            now: 0,
        }
    }

    /// Removes all events and returns to cycle 0. The memory of events is kept.
    pub(crate) fn clear(&mut self) {
        self.near.clear();
        self.higher.iter_mut().for_each(Level::clear);
        self.beyond.clear();
        self.chunks.clear();
        (self.vacant, self.now) = (0, 0);
    }

    /// Adds an event at `cycle`, the present one or a later one; returns where it lies.
    #[inline]
    pub(crate) fn add(&mut self, event: T, cycle: u64) -> EventPlace {
        debug_assert!(cycle >= self.now, "no event lies in the past");
        if cycle ^ self.now >= NEAR {
            return self.add_far(event, cycle);
        }
        let slot = slot(cycle, 0, NEAR);
        let list = self.near.lists[slot];
        if let Some(chunk) = self.chunks.get_mut((list as usize).wrapping_sub(1)) {
            let index = chunk.count;
            if index < CAPACITY {
                chunk.events[index] = event;
                chunk.count = index + 1;
                return EventPlace::new(list, index);
            }
        }
        self.add_near_chunk(event, slot)
    }

    /// Adds an event to a slot of level 0 without a chunk with room.
    #[inline(never)] // the additions that find room stay short
    fn add_near_chunk(&mut self, event: T, slot: usize) -> EventPlace {
        let list = self.new_chunk(self.near.lists[slot], event, 0);
        self.near.set(slot, list);
        EventPlace::new(list, 0)
    }

    /// Adds an event that lies above level 0.
    #[inline(never)]
    fn add_far(&mut self, event: T, cycle: u64) -> EventPlace {
        let differing = cycle ^ self.now;
        let at = HIGHER.iter().position(|bits| differing >> (bits.first + bits.count) == 0);
        let Some(level) = at else {
            let list = self.beyond.get(&(cycle >> 32)).copied().unwrap_or(0);
            let place = self.put(list, event, cycle);
            self.beyond.insert(cycle >> 32, place.list());
            return place;
        };
        let slot = slot(cycle, HIGHER[level].first, 1 << HIGHER[level].count);
        let place = self.put(self.higher[level].lists[slot], event, cycle);
        self.higher[level].set(slot, place.list());
        place
    }

    /// Puts an event into a list above level 0; its chunk is the list's new number.
    fn put(&mut self, list: u32, event: T, cycle: u64) -> EventPlace {
        if let Some(chunk) = self.chunks.get_mut((list as usize).wrapping_sub(1)) {
            let index = chunk.count;
            if index < CAPACITY {
                (chunk.events[index], chunk.cycles[index]) = (event, low(cycle));
                chunk.count = index + 1;
                return EventPlace::new(list, index);
            }
        }
        EventPlace::new(self.new_chunk(list, event, low(cycle)), 0)
    }

    /// Puts an event into a separate chunk before the others of a list; returns 1 + the chunk's index.
    fn new_chunk(&mut self, next: u32, event: T, cycle: u32) -> u32 {
        let vacant = self.vacant;
        if let Some(chunk) = self.chunks.get_mut((vacant as usize).wrapping_sub(1)) {
            self.vacant = chunk.next;
            (chunk.events[0], chunk.cycles[0]) = (event, cycle);
            (chunk.count, chunk.next) = (1, next);
            return vacant;
        }
        self.chunks.push(Chunk { events: [event; CAPACITY], cycles: [cycle; CAPACITY], count: 1, next });
        u32::try_from(self.chunks.len()).unwrap_or(u32::MAX) // no more chunks than events
    }

    /// Replaces an event that was added in the present cycle for a later one; returns it.
    pub(crate) fn replace(&mut self, place: EventPlace, event: T) -> T {
        let kept = &mut self.chunks[place.list() as usize - 1].events[place.0 as usize % CAPACITY];
        std::mem::replace(kept, event)
    }

    /// Advances to the next cycle that has an event, and returns it.
    pub(crate) fn advance(&mut self) -> Option<u64> {
        loop {
            if let Some(cycle) = self.next_near() {
                self.now = cycle;
                return Some(cycle);
            }
            if let Some((level, slot)) = self.next_slot() {
                self.now = HIGHER[level].begin(self.now, slot);
                self.scatter_slot(level, slot);
            } else {
                let (window, list) = self.beyond.pop_first()?;
                self.now = window << 32;
                self.scatter(list);
            }
        }
    }

    /// A lower bound on the next event's cycle; `None` without events. It is later than the present cycle once the events of that
    /// are taken, and exact unless the next event lies far ahead.
    pub(crate) fn least_next(&self) -> Option<u64> {
        if let Some(cycle) = self.next_near() {
            return Some(cycle);
        }
        match self.next_slot() {
            Some((level, slot)) => Some(HIGHER[level].begin(self.now, slot)),
            None => self.beyond.first_key_value().map(|(window, _)| window << 32),
        }
    }

    /// The next cycle with an event of level 0.
    #[inline]
    fn next_near(&self) -> Option<u64> {
        let slot = self.near.first_occupied(slot(self.now, 0, NEAR))?;
        Some((self.now & !(NEAR - 1)) | slot as u64)
    }

    /// The next level above level 0 with an event, and its next slot.
    #[inline]
    fn next_slot(&self) -> Option<(usize, usize)> {
        (0..HIGHER.len()).find_map(|level| {
            let present = slot(self.now, HIGHER[level].first, 1 << HIGHER[level].count);
            Some((level, self.higher[level].first_occupied(present + 1)?))
        })
    }

    /// Advances to a cycle, before which no event lies.
    pub(crate) fn advance_to(&mut self, cycle: u64) {
        let differing = cycle ^ self.now;
        self.now = cycle;
        if differing < NEAR {
            return;
        }
        if differing >> 32 != 0
            && let Some(list) = self.beyond.remove(&(cycle >> 32))
        {
            self.scatter(list);
        }
        for (level, bits) in HIGHER.iter().enumerate().rev() {
            let present = slot(cycle, bits.first, 1 << bits.count);
            self.scatter_slot(level, present);
        }
    }

    /// Replaces the contents of `events` by some events of the present cycle; returns whether there were
    /// any left.
    #[inline]
    pub(crate) fn take(&mut self, events: &mut Vec<T>) -> bool {
        let slot = slot(self.now, 0, NEAR);
        let mut list = self.near.lists[slot];
        events.clear();
        while events.len() < TAKEN_TOGETHER {
            let Some(chunk) = self.chunks.get_mut((list as usize).wrapping_sub(1)) else { break };
            events.extend_from_slice(&chunk.events[..chunk.count]);
            let rest = std::mem::replace(&mut chunk.next, self.vacant);
            self.vacant = std::mem::replace(&mut list, rest);
        }
        self.near.set(slot, list);
        !events.is_empty()
    }

    /// Prefetches the events of the present cycle that are taken next.
    #[inline]
    pub(crate) fn prefetch(&self) {
        let list = self.near.lists[slot(self.now, 0, NEAR)];
        if let Some(chunk) = self.chunks.get((list as usize).wrapping_sub(1)) {
            // Two are in a cache line, roughly.
            for event in (0..chunk.count).step_by(2) {
                prefetch_index(chunk.events, event);
            }
        }
    }

    /// Moves the events of a slot, which has the present cycle, to lower levels.
    fn scatter_slot(&mut self, level: usize, slot: usize) {
        let list = self.higher[level].lists[slot];
        self.higher[level].set(slot, 0);
        self.scatter(list);
    }

    /// Adds the events of a list that is in no slot again.
    fn scatter(&mut self, mut list: u32) {
        while let Some(chunk) = self.chunks.get_mut((list as usize).wrapping_sub(1)) {
            let moved = *chunk;
            chunk.next = std::mem::replace(&mut self.vacant, list);
            list = moved.next;
            for (&event, &cycle) in moved.events[..moved.count].iter().zip(&moved.cycles) {
                self.add(event, self.now >> 32 << 32 | u64::from(cycle));
            }
        }
    }
}

impl EventPlace {
    pub(crate) const NONE: Self = Self(0);

    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "the index is below the capacity")]
    fn new(list: u32, index: usize) -> Self {
        Self(list << CAPACITY_BITS | index as u32)
    }

    fn list(self) -> u32 {
        self.0 >> CAPACITY_BITS
    }
}

impl Level {
    fn new(bits: u32) -> Self {
        let slots = 1 << bits;
        Self { lists: vec![0; slots], occupied: vec![0; slots / 64] }
    }

    fn clear(&mut self) {
        for (word, bits) in self.occupied.iter_mut().enumerate() {
            while *bits != 0 {
                self.lists[word * 64 + bits.trailing_zeros() as usize] = 0;
                *bits &= *bits - 1;
            }
        }
    }

    #[inline]
    fn set(&mut self, slot: usize, list: u32) {
        self.lists[slot] = list;
        let bit = 1 << (slot % 64);
        let word = &mut self.occupied[slot / 64];
        *word = if list == 0 { *word & !bit } else { *word | bit };
    }

    /// The first occupied slot from `from` on, which may be past the last.
    #[inline]
    fn first_occupied(&self, from: usize) -> Option<usize> {
        let mut word = from / 64;
        let mut bits = self.occupied.get(word)? & (u64::MAX << (from % 64));
        while bits == 0 {
            word += 1;
            bits = *self.occupied.get(word)?;
        }
        Some(word * 64 + bits.trailing_zeros() as usize)
    }
}

/// The slot of a cycle at a level of `slots` slots, whose bits start at `first`.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "the remainder is below the number of slots")]
fn slot(cycle: u64, first: u32, slots: u64) -> usize {
    (cycle >> first & (slots - 1)) as usize
}

#[inline]
#[expect(clippy::cast_possible_truncation, reason = "the upper half is that of the present window")]
fn low(cycle: u64) -> u32 {
    cycle as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::{cmp::Reverse, collections::BinaryHeap};

    /// All events, cycle by cycle, those of one cycle in ascending order.
    fn drain(wheel: &mut TimeWheel<u32>) -> Vec<(u64, u32)> {
        drain_by(wheel, TimeWheel::advance)
    }

    fn drain_by(
        wheel: &mut TimeWheel<u32>,
        advance: impl Fn(&mut TimeWheel<u32>) -> Option<u64>,
    ) -> Vec<(u64, u32)> {
        let mut all = vec![];
        while let Some(cycle) = advance(wheel) {
            let (mut chunk, mut events) = (vec![], vec![]);
            while wheel.take(&mut chunk) {
                events.extend_from_slice(&chunk);
            }
            events.sort_unstable();
            all.extend(events.into_iter().map(|event| (cycle, event)));
        }
        all
    }

    #[test]
    fn events_of_all_levels_come_in_order() {
        let mut wheel = TimeWheel::new();
        let cycles =
            [0, 4095, 4096, (1 << 22) - 1, 1 << 22, 1 << 24, (1 << 32) - 1, 1 << 32, 1 << 40, u64::MAX];
        for (event, &cycle) in (0..).zip(cycles.iter().rev()) {
            wheel.add(event, cycle);
        }
        let expected: Vec<_> = cycles.into_iter().zip((0..10).rev()).collect();
        assert_eq!(drain(&mut wheel), expected);
    }

    #[test]
    fn an_event_of_a_later_cycle_is_replaced() {
        let mut wheel = TimeWheel::new();
        let places: Vec<_> = (0..40).map(|event| wheel.add(event, 1000 + u64::from(event % 2))).collect();
        wheel.replace(places[17], 99);
        assert_eq!(
            drain(&mut wheel)
                .into_iter()
                .filter(|&(_, event)| event == 17 || event == 99)
                .collect::<Vec<_>>(),
            [(1001, 99)]
        );
    }

    #[test]
    fn many_events_of_a_cycle_leave_their_memory_to_others() {
        let mut wheel = TimeWheel::new();
        for round in 0..5 {
            for event in 0..1000 {
                wheel.add(event, 300 * round + 299);
            }
            assert_eq!(drain(&mut wheel).len(), 1000);
        }
        assert!(wheel.chunks.len() <= 2 * 1000_usize.div_ceil(CAPACITY), "{}", wheel.chunks.len());
    }

    proptest! {
        /// A wheel that is also advanced to cycles without events has the same events as one that is not.
        #[test]
        fn cycles_between_events_do_not_matter(
            cycles in proptest::collection::vec((0_u32..64, any::<u64>()), 1..60),
            steps in proptest::collection::vec((0_u32..34, any::<u64>()), 1..60),
        ) {
            let (mut wheel, mut other) = (TimeWheel::new(), TimeWheel::new());
            for ((bits, cycle), event) in cycles.into_iter().zip(0_u32..) {
                let cycle = cycle & ((1 << bits) - 1);
                wheel.add(event, cycle);
                other.add(event, cycle);
            }
            let mut stops: Vec<_> = steps.iter().map(|&(bits, step)| step & ((1 << bits) - 1)).collect();
            stops.sort_unstable();
            let stops = std::cell::RefCell::new(stops.into_iter().peekable());
            let found = drain_by(&mut wheel, |wheel| {
                let least = wheel.least_next()?;
                // The cycles before it in which another engine may have events.
                while let Some(stop) = stops.borrow_mut().next_if(|&stop| stop <= least) {
                    if stop >= wheel.now {
                        wheel.advance_to(stop);
                    }
                }
                let least = wheel.least_next()?;
                wheel.advance_to(least);
                Some(least)
            });
            prop_assert_eq!(found, drain(&mut other));
        }

        /// A heap takes the same events in the same cycles, even if events are added while they are taken.
        #[test]
        fn a_wheel_is_a_heap(delays in proptest::collection::vec((0_u32..40, any::<u64>(), 1_usize..4), 1..200)) {
            let delays: Vec<_> = delays.iter().map(|&(bits, delay, count)| (delay & ((1 << bits) - 1), count)).collect();
            let (mut wheel, mut heap) = (TimeWheel::new(), BinaryHeap::new());
            let mut pending = delays.iter().copied().zip(0_u32..);
            let ((first, _), event) = pending.next().unwrap();
            wheel.add(event, first);
            heap.push(Reverse((first, event)));
            while let Some(now) = wheel.advance() {
                let mut events = vec![];
                while wheel.take(&mut events) {
                    for &event in &events {
                        let matching = heap.iter().any(|&Reverse(entry)| entry == (now, event));
                        prop_assert!(matching, "{event} at {now}");
                        heap.retain(|&Reverse(entry)| entry != (now, event));
                        prop_assert!(heap.peek().is_none_or(|Reverse((cycle, _))| *cycle >= now));
                        for ((delay, _), event) in pending.by_ref().take(delays[event as usize].1) {
                            wheel.add(event, now + delay);
                            heap.push(Reverse((now + delay, event)));
                        }
                    }
                }
            }
            prop_assert!(heap.is_empty());
        }
    }
}
