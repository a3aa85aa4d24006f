//! A hierarchical time wheel: an event queue for clocks of 64 bits and events of any delay.
//!
//! Transmissions of different sizes end in no fixed order, and the end of a message of a gigabyte
//! lies millions of cycles after that of a barrier's. Level `k` of the wheel has 256 slots of
//! `256^k` cycles (Varghese & Lauck 1987, scheme 7). An event lies on the level of the highest byte
//! in which its cycle differs from the present one, so that adding costs O(1), and it moves down
//! one level at a time, so that taking does, too: there are four levels. Events outside the present window of 2^32
//! cycles wait in a tree by window. A slot of level 0 is one cycle: nothing is ever sorted.
//!
//! Invariants: no event lies before the present cycle; an event of level `k` agrees with it in
//! all higher bytes and is greater in byte `k`, at level 0 greater or equal. So the next event is
//! in the first occupied slot of the lowest level that has one. The order of the events of one cycle
//! means nothing: an engine must come to the same numbers in any order.
//!
//! Events lie in chunks that all slots share: they take as much memory as there were events at any
//! time.

use std::{collections::BTreeMap, num::NonZeroU32};

/// The bits of a cycle that choose a slot of a level.
const BITS: u32 = 8;
const SLOTS: usize = 1 << BITS;
const LEVELS: usize = 4;

/// Events of 64-bit cycles, taken cycle by cycle.
#[derive(Debug)]
pub(crate) struct TimeWheel<T> {
    levels: [Level; LEVELS],
    beyond: BTreeMap<u64, u32>, // the lists of later windows, by the upper 32 bits of their cycles
    chunks: Vec<Chunk<T>>,
    vacant: u32, // 1 + the index of the first chunk that is in no list, 0 without one
    now: u64,
}

/// The slots of a level.
#[derive(Debug)]
struct Level {
    lists: [u32; SLOTS], // 1 + the index of the first chunk of each, 0 when it is empty
    occupied: [u64; SLOTS / 64],
}

/// Some events of a slot.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Chunk<T> {
    events: [T; CAPACITY],
    cycles: [u32; CAPACITY], // the lower halves
    count: u32,              // of events, in 1..=CAPACITY while the chunk is in a list
    next: u32,               // 1 + the index of the next chunk of the list, 0 after the last
}

const CAPACITY: usize = 14;

/// Some events that were taken: 1 + the index of their chunk, which is in no list.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TakenChunk(u32);

/// Where an event lies, until the cycle after the present one that has events.
#[derive(Debug, Clone, Copy)]
pub(crate) struct EventPlace {
    chunk: NonZeroU32, // 1 + its index
    event: u32,        // its index in the chunk
}

impl<T: Copy> TimeWheel<T> {
    /// Bytes for each of the most events at any time, most chunks being half full.
    pub(crate) const BYTES_PER_EVENT: u64 = (2 * size_of::<Chunk<T>>() / CAPACITY) as u64;

    /// A wheel without events at cycle 0.
    pub(crate) fn new() -> Self {
        let level = |_| Level { lists: [0; SLOTS], occupied: [0; SLOTS / 64] };
        Self {
            levels: std::array::from_fn(level),
            beyond: BTreeMap::new(),
            chunks: vec![],
            vacant: 0,
            now: 0,
        }
    }

    /// Adds an event at `cycle`, the present one or a later one; returns where it lies.
    #[inline]
    pub(crate) fn add(&mut self, event: T, cycle: u64) -> EventPlace {
        debug_assert!(cycle >= self.now, "no event lies in the past");
        let highest_bit = u64::BITS - 1 - ((cycle ^ self.now) | 1).leading_zeros();
        let Some(level) = self.levels.get_mut((highest_bit / BITS) as usize) else {
            return self.add_beyond(event, cycle);
        };
        let slot = slot(cycle, highest_bit / BITS);
        level.occupied[slot / 64] |= 1 << (slot % 64);
        let list = &mut level.lists[slot];
        let place = put(&mut self.chunks, &mut self.vacant, *list, event, low(cycle));
        *list = place.chunk.get();
        place
    }

    #[cold]
    fn add_beyond(&mut self, event: T, cycle: u64) -> EventPlace {
        let list = self.beyond.entry(cycle >> 32).or_insert(0);
        let place = put(&mut self.chunks, &mut self.vacant, *list, event, low(cycle));
        *list = place.chunk.get();
        place
    }

    /// Replaces an event that was added in the present cycle for a later one; returns it.
    #[inline]
    pub(crate) fn replace(&mut self, place: EventPlace, event: T) -> T {
        let own = &mut self.chunks[place.chunk.get() as usize - 1].events[place.event as usize];
        std::mem::replace(own, event)
    }

    /// Advances to the next cycle that has an event, and returns it.
    pub(crate) fn advance(&mut self) -> Option<u64> {
        loop {
            if let Some(slot) = self.levels[0].first_occupied(slot(self.now, 0)) {
                self.now = self.now >> BITS << BITS | slot as u64;
                return Some(self.now);
            }
            let first_above = |level: usize| {
                let present = slot(self.now, u32::try_from(level).unwrap_or(0));
                Some((level, self.levels[level].first_occupied(present + 1)?))
            };
            if let Some((level, slot)) = (1..LEVELS).find_map(first_above) {
                self.descend(level, slot);
            } else {
                let (window, list) = self.beyond.pop_first()?;
                self.now = window << 32;
                self.scatter(list);
            }
        }
    }

    /// Takes some of the [events](Self::events) of the present cycle, to be [released](Self::release); none when
    /// no more are left.
    #[inline]
    pub(crate) fn take(&mut self) -> Option<TakenChunk> {
        let slot = slot(self.now, 0);
        let level = &mut self.levels[0];
        let list = level.lists[slot];
        let chunk = self.chunks.get((list as usize).wrapping_sub(1))?;
        level.lists[slot] = chunk.next;
        if chunk.next == 0 {
            level.occupied[slot / 64] &= !(1 << (slot % 64));
        }
        Some(TakenChunk(list))
    }

    /// The events that were taken.
    #[inline]
    pub(crate) fn events(&self, taken: TakenChunk) -> &[T] {
        self.chunks[taken.0 as usize - 1].events()
    }

    /// The same, to be changed before they happen.
    #[inline]
    pub(crate) fn events_mut(&mut self, taken: TakenChunk) -> &mut [T] {
        let chunk = &mut self.chunks[taken.0 as usize - 1];
        &mut chunk.events[..chunk.count as usize]
    }

    /// Leaves the memory of taken events to others.
    #[inline]
    pub(crate) fn release(&mut self, taken: TakenChunk) {
        self.chunks[taken.0 as usize - 1].next = std::mem::replace(&mut self.vacant, taken.0);
    }

    /// Advances to the first cycle of a slot, before which no event lies, and moves its events to
    /// lower levels.
    fn descend(&mut self, level: usize, slot: usize) {
        let shift = BITS * u32::try_from(level).unwrap_or(0);
        self.now = (self.now >> shift >> BITS << BITS | slot as u64) << shift;
        let level = &mut self.levels[level];
        level.occupied[slot / 64] &= !(1 << (slot % 64));
        let list = std::mem::take(&mut level.lists[slot]);
        self.scatter(list);
    }

    /// Adds the events of a list that is in no slot again.
    fn scatter(&mut self, mut list: u32) {
        while let Some(chunk) = self.chunks.get_mut((list as usize).wrapping_sub(1)) {
            let moved = *chunk;
            chunk.next = std::mem::replace(&mut self.vacant, list);
            list = moved.next;
            for (&event, &cycle) in moved.events().iter().zip(&moved.cycles) {
                self.add(event, self.now >> 32 << 32 | u64::from(cycle));
            }
        }
    }
}

impl<T> Chunk<T> {
    /// The events.
    #[inline]
    pub(crate) fn events(&self) -> &[T] {
        &self.events[..self.count as usize]
    }
}

impl Level {
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

/// Puts an event into a list; its chunk is the list's new number.
#[inline]
fn put<T: Copy>(chunks: &mut Vec<Chunk<T>>, vacant: &mut u32, list: u32, event: T, cycle: u32) -> EventPlace {
    if let Some(number) = NonZeroU32::new(list) {
        let chunk = &mut chunks[list as usize - 1];
        let count = chunk.count as usize;
        if count < CAPACITY {
            chunk.events[count] = event;
            chunk.cycles[count] = cycle;
            chunk.count += 1;
            return EventPlace { chunk: number, event: chunk.count - 1 };
        }
    }
    EventPlace { chunk: put_in_new_chunk(chunks, vacant, list, event, cycle), event: 0 }
}

/// Puts an event into a chunk of its own before the others of a list; returns 1 + the chunk's index.
#[inline(never)] // the additions that find room stay short
fn put_in_new_chunk<T: Copy>(
    chunks: &mut Vec<Chunk<T>>,
    vacant: &mut u32,
    next: u32,
    event: T,
    cycle: u32,
) -> NonZeroU32 {
    if let Some(own) = NonZeroU32::new(*vacant) {
        let chunk = &mut chunks[own.get() as usize - 1];
        *vacant = chunk.next;
        (chunk.events[0], chunk.cycles[0]) = (event, cycle);
        (chunk.count, chunk.next) = (1, next);
        return own;
    }
    chunks.push(Chunk { events: [event; CAPACITY], cycles: [cycle; CAPACITY], count: 1, next });
    // No more chunks than events.
    u32::try_from(chunks.len()).ok().and_then(NonZeroU32::new).unwrap_or(NonZeroU32::MAX)
}

/// The slot of a cycle at a level.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "the remainder is below the number of slots")]
fn slot(cycle: u64, level: u32) -> usize {
    (cycle >> (BITS * level)) as usize & (SLOTS - 1)
}

/// The lower half of a cycle.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "the lower half is meant")]
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
        let mut all = vec![];
        while let Some(cycle) = wheel.advance() {
            let mut events = vec![];
            while let Some(chunk) = wheel.take() {
                events.extend_from_slice(wheel.events(chunk));
                wheel.release(chunk);
            }
            events.sort_unstable();
            all.extend(events.into_iter().map(|event| (cycle, event)));
        }
        all
    }

    #[test]
    fn events_of_all_levels_come_in_order() {
        let mut wheel = TimeWheel::new();
        let cycles = [0, 255, 256, 65_535, 65_536, 1 << 24, (1 << 32) - 1, 1 << 32, 1 << 40, u64::MAX];
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
        /// A heap takes the same events in the same cycles, whatever is added while they are taken.
        #[test]
        fn a_wheel_is_a_heap(delays in proptest::collection::vec((0_u32..40, any::<u64>(), 1_usize..4), 1..200)) {
            let delays: Vec<_> = delays.iter().map(|&(bits, delay, count)| (delay & ((1 << bits) - 1), count)).collect();
            let (mut wheel, mut heap) = (TimeWheel::new(), BinaryHeap::new());
            let mut pending = delays.iter().copied().zip(0_u32..);
            let ((first, _), event) = pending.next().unwrap();
            wheel.add(event, first);
            heap.push(Reverse((first, event)));
            while let Some(now) = wheel.advance() {
                while let Some(chunk) = wheel.take() {
                    for event in wheel.events(chunk).to_vec() {
                        let matching = heap.iter().any(|&Reverse(own)| own == (now, event));
                        prop_assert!(matching, "{event} at {now}");
                        heap.retain(|&Reverse(own)| own != (now, event));
                        prop_assert!(heap.peek().is_none_or(|Reverse((cycle, _))| *cycle >= now));
                        for ((delay, _), event) in pending.by_ref().take(delays[event as usize].1) {
                            wheel.add(event, now + delay);
                            heap.push(Reverse((now + delay, event)));
                        }
                    }
                    wheel.release(chunk);
                }
            }
            prop_assert!(heap.is_empty());
        }
    }
}
