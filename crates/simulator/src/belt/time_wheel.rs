//! What happens when: a wheel of lists, one a cycle.

use std::collections::BTreeMap;

/// Items that wait for a cycle each, taken cycle by cycle.
///
/// Cycles near the present have a list of their own in a wheel whose size is a power of two, and a bit that
/// says whether it is empty; cycles farther off are kept in order. Lists are made of batches, so that whoever
/// takes them knows of several items at a time.
#[derive(Debug)]
pub(super) struct TimeWheel {
    firsts: Vec<u32>, // for each cycle of the wheel 1 + the place of the first batch of its list, 0 without one
    occupied: Vec<u64>, // a bit for each of them
    far: BTreeMap<u64, u32>, // as in `firsts`, of cycles that were beyond the wheel
    batches: Vec<Batch>,
    vacant: u32, // 1 + the place of the first of those that are in no list, 0 without one
    now: u64,    // nothing waits for an earlier cycle
}

/// Some items that wait for the same cycle: one cache line.
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
pub(super) struct Batch {
    items: [u32; Self::MOST],
    count: u32, // of items, in 1..=MOST while it is in a list
    next: u32,  // 1 + the place of the next batch of the list, 0 after the last
}

impl Batch {
    const MOST: usize = 14;

    /// The items.
    #[inline]
    pub(super) fn items(&self) -> &[u32] {
        &self.items[..self.count as usize]
    }
}

impl TimeWheel {
    const LEAST_SIZE: u64 = 64;
    const GREATEST_SIZE: u64 = 1 << 16;

    /// Nothing waits yet; most will wait for less than `horizon` cycles.
    pub(super) fn new(horizon: u64) -> Self {
        let size = horizon.clamp(Self::LEAST_SIZE, Self::GREATEST_SIZE).next_power_of_two();
        let size = usize::try_from(size).unwrap_or(usize::MAX);
        Self {
            firsts: vec![0; size],
            occupied: vec![0; size / 64],
            far: BTreeMap::new(),
            batches: vec![],
            vacant: 0,
            now: 0,
        }
    }

    /// Begins again at a cycle, when nothing waits.
    pub(super) fn begin_again(&mut self, now: u64) {
        debug_assert!(self.next_cycle().is_none(), "nothing waits at the end");
        self.now = now;
    }

    /// Lets an item wait for `cycle`, the present one or a later one.
    #[inline]
    pub(super) fn add(&mut self, item: u32, cycle: u64) {
        debug_assert!(cycle >= self.now, "nothing is planned for the past");
        if cycle - self.now >= self.firsts.len() as u64 {
            self.add_far(item, cycle);
            return;
        }
        let place = self.place(cycle);
        let first = self.firsts[place];
        if !self.put(first, item) {
            self.firsts[place] = self.batch(item, first);
            self.occupied[place / 64] |= 1 << (place % 64);
        }
    }

    #[cold]
    fn add_far(&mut self, item: u32, cycle: u64) {
        let first = self.far.get(&cycle).copied().unwrap_or(0);
        if !self.put(first, item) {
            let batch = self.batch(item, first);
            self.far.insert(cycle, batch);
        }
    }

    /// Puts an item into the first batch of a list, if there is one with room for it.
    #[inline]
    fn put(&mut self, first: u32, item: u32) -> bool {
        let Some(batch) = self.batches.get_mut((first as usize).wrapping_sub(1)) else { return false };
        let Some(free) = batch.items.get_mut(batch.count as usize) else { return false };
        *free = item;
        batch.count += 1;
        true
    }

    /// A batch of one item, before `next` in its list: 1 + its place.
    #[inline(never)] // one of several is enough of a call
    fn batch(&mut self, item: u32, next: u32) -> u32 {
        let mut batch = Batch { items: [0; Batch::MOST], count: 1, next };
        batch.items[0] = item;
        let own = self.vacant;
        if let Some(vacant) = self.batches.get_mut((own as usize).wrapping_sub(1)) {
            self.vacant = vacant.next;
            *vacant = batch;
            return own;
        }
        self.batches.push(batch);
        u32::try_from(self.batches.len()).unwrap_or(u32::MAX) // no more than items
    }

    /// The next cycle that an item waits for.
    pub(super) fn next_cycle(&self) -> Option<u64> {
        let far = self.far.first_key_value().map(|(&cycle, _)| cycle);
        match (self.next_near(), far) {
            (Some(near), Some(far)) => Some(near.min(far)),
            (near, far) => near.or(far),
        }
    }

    /// Takes some of the items that wait for `cycle`, the next of all; none when no more do.
    #[inline]
    pub(super) fn take(&mut self, cycle: u64) -> Option<Batch> {
        self.now = cycle;
        let place = self.place(cycle);
        let mut first = self.firsts[place];
        if first == 0 {
            first = self.far.remove(&cycle)?;
        }
        let batch = &mut self.batches[first as usize - 1];
        let taken = *batch;
        batch.next = std::mem::replace(&mut self.vacant, first);
        self.firsts[place] = taken.next;
        if taken.next == 0 {
            self.occupied[place / 64] &= !(1 << (place % 64));
        }
        Some(taken)
    }

    /// The next cycle of the wheel with a list that is not empty: from the present place to the end, then
    /// from the beginning.
    fn next_near(&self) -> Option<u64> {
        // Both sizes are powers of two.
        let (start, last_word, last_place) =
            (self.place(self.now), self.occupied.len() - 1, self.firsts.len() - 1);
        let mut word = start / 64;
        let mut bits = self.occupied[word] & (u64::MAX << (start % 64));
        // The word of the present place comes again at the end, whole.
        for _ in 0..=last_word {
            if bits != 0 {
                break;
            }
            word = (word + 1) & last_word;
            bits = self.occupied[word];
        }
        let place = word * 64 + bits.trailing_zeros() as usize;
        (bits != 0).then(|| self.now + (place.wrapping_sub(start) & last_place) as u64)
    }

    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "the remainder is below a length")]
    fn place(&self, cycle: u64) -> usize {
        cycle as usize & (self.firsts.len() - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All items that wait for a cycle, in ascending order.
    fn take(wheel: &mut TimeWheel, cycle: u64) -> Vec<u32> {
        let mut items = vec![];
        while let Some(batch) = wheel.take(cycle) {
            items.extend(batch.items());
        }
        items.sort_unstable();
        items
    }

    /// Everything that waits, cycle by cycle in the order in which they are taken.
    fn drain(wheel: &mut TimeWheel) -> Vec<(u64, Vec<u32>)> {
        let mut taken = vec![];
        while let Some(cycle) = wheel.next_cycle() {
            taken.push((cycle, take(wheel, cycle)));
        }
        taken
    }

    #[test]
    fn near_and_far_cycles_come_in_order() {
        let mut wheel = TimeWheel::new(1);
        for (item, cycle) in [(0, 63), (1, 1 << 40), (2, 0), (3, 64), (4, 65), (5, 1 << 40), (6, 63)] {
            wheel.add(item, cycle);
        }
        let expected = [(0, vec![2]), (63, vec![0, 6]), (64, vec![3]), (65, vec![4]), (1 << 40, vec![1, 5])];
        assert_eq!(drain(&mut wheel), expected);
    }

    #[test]
    fn an_item_may_wait_for_the_present_cycle_while_it_is_emptied() {
        let mut wheel = TimeWheel::new(1000);
        wheel.add(0, 500);
        assert_eq!((wheel.next_cycle(), take(&mut wheel, 500)), (Some(500), vec![0]));
        wheel.add(0, 500);
        wheel.add(1, 500 + 1023);
        assert_eq!((take(&mut wheel, 500), take(&mut wheel, 500)), (vec![0], vec![]));
        assert_eq!(drain(&mut wheel), [(1523, vec![1])]);
    }

    #[test]
    fn a_cycle_that_was_far_and_is_near_now_gives_all_its_items() {
        let mut wheel = TimeWheel::new(64);
        wheel.add(0, 100);
        wheel.add(1, 50);
        assert_eq!((wheel.next_cycle(), take(&mut wheel, 50)), (Some(50), vec![1]));
        wheel.add(2, 100);
        assert_eq!(drain(&mut wheel), [(100, vec![0, 2])]);
    }

    #[test]
    fn lists_of_several_batches_lose_nothing_and_leave_their_memory_to_others() {
        let mut wheel = TimeWheel::new(64);
        for round in 0..4 {
            for item in 0..200 {
                wheel.add(item, 100 * round + u64::from(item % 3) * 40);
            }
            let every_third = |first| (first..200).step_by(3).collect::<Vec<u32>>();
            let expected = [0, 1, 2].map(|third| (100 * round + u64::from(third) * 40, every_third(third)));
            assert_eq!(drain(&mut wheel), expected);
        }
        assert!(wheel.batches.len() <= 3 * 67_usize.div_ceil(Batch::MOST), "{}", wheel.batches.len());
    }
}
