//! An event queue for clocks of 64 bits: a time wheel with a list of events for every near cycle.
//!
//! An event is a number, for instance that of a process or of a channel. An engine adds events for the present
//! cycle or later ones, asks for the next cycle that has any, and takes those of that cycle in chunks. Adding and
//! taking cost O(1) for cycles within the horizon of the wheel, whose size is a power of two; events beyond it
//! wait in a tree by cycle. This is the calendar queue of Brown 1988 with buckets one cycle wide, so that no bucket
//! is ever sorted.
//!
//! Invariants: no event lies before the present cycle. A bit for each list of the wheel tells whether it is empty.
//! The order of the events of one cycle follows from the lists and does not matter: an engine must reach the same
//! numbers in any order.

use std::collections::BTreeMap;

/// Events of 64-bit cycles, taken cycle by cycle.
#[derive(Debug)]
pub(crate) struct EventQueue<L> {
    near: Vec<u32>,          // the list for each cycle of the wheel
    occupied: Vec<u64>,      // a bit for each of them
    far: BTreeMap<u64, u32>, // the lists of cycles that were beyond the wheel
    lists: L,
    now: u64, // no event is earlier
}

/// Lists of events that share memory. A list is known by a number, 0 when it is empty.
pub(crate) trait EventLists {
    /// Some events of a list, at least 1.
    type Chunk: AsRef<[u32]>;

    /// Empty lists for events below `events`.
    fn new(events: usize) -> Self;

    /// Adds an event to a list, and returns the list's new number.
    fn add(&mut self, list: u32, event: u32) -> u32;

    /// Takes some events of a list that is not empty, and returns them with the number of the rest.
    fn take(&mut self, list: u32) -> (Self::Chunk, u32);
}

impl<L: EventLists> EventQueue<L> {
    const MIN_SIZE: u64 = 64;
    const MAX_SIZE: u64 = 1 << 16;

    /// An empty queue of events below `events`, most of which lie less than `horizon` cycles ahead.
    pub(crate) fn new(horizon: u64, events: usize) -> Self {
        let size = horizon.clamp(Self::MIN_SIZE, Self::MAX_SIZE).next_power_of_two();
        let size = usize::try_from(size).unwrap_or(usize::MAX);
        Self {
            near: vec![0; size],
            occupied: vec![0; size / 64],
            far: BTreeMap::new(),
            lists: L::new(events),
            now: 0,
        }
    }

    /// Sets the clock of an empty queue, forward or back.
    pub(crate) fn restart(&mut self, now: u64) {
        debug_assert!(self.next_cycle().is_none(), "the queue is empty at the end of a run");
        self.now = now;
    }

    /// Adds an event at `cycle`, the present one or a later one.
    #[inline]
    pub(crate) fn add(&mut self, event: u32, cycle: u64) {
        debug_assert!(cycle >= self.now, "no event lies in the past");
        if cycle - self.now >= self.near.len() as u64 {
            self.add_far(event, cycle);
            return;
        }
        let index = self.index(cycle);
        self.near[index] = self.lists.add(self.near[index], event);
        self.occupied[index / 64] |= 1 << (index % 64);
    }

    #[cold]
    fn add_far(&mut self, event: u32, cycle: u64) {
        let list = self.far.entry(cycle).or_insert(0);
        *list = self.lists.add(*list, event);
    }

    /// Returns the next cycle that has an event.
    pub(crate) fn next_cycle(&self) -> Option<u64> {
        let far = self.far.first_key_value().map(|(&cycle, _)| cycle);
        match (self.next_near(), far) {
            (Some(near), Some(far)) => Some(near.min(far)),
            (near, far) => near.or(far),
        }
    }

    /// Takes some of the events at `cycle`, which must be the next of all; empty when none are left.
    #[inline]
    pub(crate) fn take(&mut self, cycle: u64) -> Option<L::Chunk> {
        self.now = cycle;
        let index = self.index(cycle);
        let mut list = self.near[index];
        if list == 0 {
            list = self.far.remove(&cycle)?;
        }
        let (chunk, rest) = self.lists.take(list);
        self.near[index] = rest;
        if rest == 0 {
            self.occupied[index / 64] &= !(1 << (index % 64));
        }
        Some(chunk)
    }

    /// The next cycle of the wheel whose list is not empty: from the present index to the end, then from the
    /// beginning.
    fn next_near(&self) -> Option<u64> {
        // Both sizes are powers of two.
        let (start, last_word, last_index) =
            (self.index(self.now), self.occupied.len() - 1, self.near.len() - 1);
        let mut word = start / 64;
        let mut bits = self.occupied[word] & (u64::MAX << (start % 64));
        // The word of the present index is visited again at the end, whole.
        for _ in 0..=last_word {
            if bits != 0 {
                break;
            }
            word = (word + 1) & last_word;
            bits = self.occupied[word];
        }
        let index = word * 64 + bits.trailing_zeros() as usize;
        (bits != 0).then(|| self.now + (index.wrapping_sub(start) & last_index) as u64)
    }

    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "the remainder is below a length")]
    fn index(&self, cycle: u64) -> usize {
        cycle as usize & (self.near.len() - 1)
    }
}

/// Lists of chunks, for many events whose state is far apart in memory: the taker of a chunk knows several events at a
/// time and can fetch their state together.
#[derive(Debug, Default)]
pub(crate) struct ChunkedLists {
    chunks: Vec<Chunk>,
    vacant: u32, // 1 + the index of the first chunk that is in no list, 0 without one
}

/// Some events of a list: one cache line.
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
pub(crate) struct Chunk {
    events: [u32; Self::CAPACITY],
    count: u32, // of events, in 1..=CAPACITY while the chunk is in a list
    next: u32,  // 1 + the index of the next chunk of the list, 0 after the last
}

impl Chunk {
    const CAPACITY: usize = 14;
}

impl AsRef<[u32]> for Chunk {
    #[inline]
    fn as_ref(&self) -> &[u32] {
        &self.events[..self.count as usize]
    }
}

impl EventLists for ChunkedLists {
    type Chunk = Chunk;

    fn new(_: usize) -> Self {
        Self::default()
    }

    #[inline]
    fn add(&mut self, list: u32, event: u32) -> u32 {
        if self.put(list, event) { list } else { self.chunk(event, list) }
    }

    #[inline]
    fn take(&mut self, list: u32) -> (Chunk, u32) {
        let chunk = &mut self.chunks[list as usize - 1];
        let taken = *chunk;
        chunk.next = std::mem::replace(&mut self.vacant, list);
        (taken, taken.next)
    }
}

impl ChunkedLists {
    /// Puts an event into the first chunk of a list, if there is one with room for it.
    #[inline]
    fn put(&mut self, list: u32, event: u32) -> bool {
        let Some(chunk) = self.chunks.get_mut((list as usize).wrapping_sub(1)) else { return false };
        let Some(free) = chunk.events.get_mut(chunk.count as usize) else { return false };
        *free = event;
        chunk.count += 1;
        true
    }

    /// Makes a chunk of one event, before `next` in its list, and returns 1 + its index.
    #[inline(never)] // the adds that fill a chunk stay short
    fn chunk(&mut self, event: u32, next: u32) -> u32 {
        let mut chunk = Chunk { events: [0; Chunk::CAPACITY], count: 1, next };
        chunk.events[0] = event;
        let place = self.vacant;
        if let Some(vacant) = self.chunks.get_mut((place as usize).wrapping_sub(1)) {
            self.vacant = vacant.next;
            *vacant = chunk;
            return place;
        }
        self.chunks.push(chunk);
        u32::try_from(self.chunks.len()).unwrap_or(u32::MAX) // no more than events
    }
}

/// Lists linked from event to event, for few events of which each is in one list at most. A chunk is one event.
#[derive(Debug)]
pub(crate) struct LinkedLists {
    next: Vec<u32>, // for each event that is in a list 1 + the next of it, 0 after the last
}

impl EventLists for LinkedLists {
    type Chunk = [u32; 1];

    fn new(events: usize) -> Self {
        Self { next: vec![0; events] }
    }

    #[inline]
    fn add(&mut self, list: u32, event: u32) -> u32 {
        self.next[event as usize] = list;
        event + 1
    }

    #[inline]
    fn take(&mut self, list: u32) -> ([u32; 1], u32) {
        let event = list - 1;
        ([event], self.next[event as usize])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All events of a cycle, in ascending order.
    fn take<L: EventLists>(queue: &mut EventQueue<L>, cycle: u64) -> Vec<u32> {
        let mut events = vec![];
        while let Some(chunk) = queue.take(cycle) {
            events.extend(chunk.as_ref());
        }
        events.sort_unstable();
        events
    }

    /// All events, cycle by cycle in the order in which they are taken.
    fn drain<L: EventLists>(queue: &mut EventQueue<L>) -> Vec<(u64, Vec<u32>)> {
        let mut taken = vec![];
        while let Some(cycle) = queue.next_cycle() {
            taken.push((cycle, take(queue, cycle)));
        }
        taken
    }

    #[test]
    fn near_and_far_cycles_come_in_order() {
        in_order::<ChunkedLists>();
        in_order::<LinkedLists>();
    }

    fn in_order<L: EventLists>() {
        let mut queue = EventQueue::<L>::new(1, 7);
        for (event, cycle) in [(0, 63), (1, 1 << 40), (2, 0), (3, 64), (4, 65), (5, 1 << 40), (6, 63)] {
            queue.add(event, cycle);
        }
        let expected = [(0, vec![2]), (63, vec![0, 6]), (64, vec![3]), (65, vec![4]), (1 << 40, vec![1, 5])];
        assert_eq!(drain(&mut queue), expected);
    }

    #[test]
    fn an_event_of_the_present_cycle_may_be_added_while_its_events_are_taken() {
        added_while_taken::<ChunkedLists>();
        added_while_taken::<LinkedLists>();
    }

    fn added_while_taken<L: EventLists>() {
        let mut queue = EventQueue::<L>::new(1000, 2);
        queue.add(0, 500);
        assert_eq!((queue.next_cycle(), take(&mut queue, 500)), (Some(500), vec![0]));
        queue.add(0, 500);
        queue.add(1, 500 + 1023);
        assert_eq!((take(&mut queue, 500), take(&mut queue, 500)), (vec![0], vec![]));
        assert_eq!(drain(&mut queue), [(1523, vec![1])]);
    }

    #[test]
    fn a_cycle_that_was_far_and_is_near_now_gives_all_its_events() {
        far_and_near::<ChunkedLists>();
        far_and_near::<LinkedLists>();
    }

    fn far_and_near<L: EventLists>() {
        let mut queue = EventQueue::<L>::new(64, 3);
        queue.add(0, 100);
        queue.add(1, 50);
        assert_eq!((queue.next_cycle(), take(&mut queue, 50)), (Some(50), vec![1]));
        queue.add(2, 100);
        assert_eq!(drain(&mut queue), [(100, vec![0, 2])]);
    }

    #[test]
    fn an_empty_queue_starts_again_at_an_earlier_cycle() {
        let mut queue = EventQueue::<LinkedLists>::new(64, 2);
        queue.add(0, u64::MAX - 1);
        assert_eq!(drain(&mut queue), [(u64::MAX - 1, vec![0])]);
        queue.restart(7);
        queue.add(1, 7);
        queue.add(0, 70);
        assert_eq!(drain(&mut queue), [(7, vec![1]), (70, vec![0])]);
    }

    #[test]
    fn lists_of_several_chunks_lose_nothing_and_leave_their_memory_to_others() {
        let mut queue = EventQueue::<ChunkedLists>::new(64, 200);
        for round in 0..4 {
            for event in 0..200 {
                queue.add(event, 100 * round + u64::from(event % 3) * 40);
            }
            let every_third = |first| (first..200).step_by(3).collect::<Vec<u32>>();
            let expected = [0, 1, 2].map(|third| (100 * round + u64::from(third) * 40, every_third(third)));
            assert_eq!(drain(&mut queue), expected);
        }
        let chunks = queue.lists.chunks.len();
        assert!(chunks <= 3 * 67_usize.div_ceil(14), "{chunks}");
    }
}
