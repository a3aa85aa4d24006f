//! What happens when: a wheel of lists, one a cycle.

mod batches;
mod chains;

use std::collections::BTreeMap;

pub(super) use self::{batches::Batches, chains::Chains};

/// Lists of items, which share memory. A list is a number, 0 when it is empty.
pub(super) trait Lists {
    /// Some items of a list, one at least.
    type Some: AsRef<[u32]>;

    /// No lists yet of items below `items`.
    fn new(items: usize) -> Self;

    /// What a list is with another item.
    fn add(&mut self, list: u32, item: u32) -> u32;

    /// Takes some items of a list that is not empty; also what is left of it.
    fn take(&mut self, list: u32) -> (Self::Some, u32);
}

/// Items that wait for a cycle each, taken cycle by cycle.
///
/// Cycles near the present have a list of their own in a wheel whose size is a power of two, and a bit that
/// says whether it is empty; cycles farther off are kept in order.
#[derive(Debug)]
pub(super) struct TimeWheel<L> {
    near: Vec<u32>,          // the list for each cycle of the wheel
    occupied: Vec<u64>,      // a bit for each of them
    far: BTreeMap<u64, u32>, // the lists of cycles that were beyond the wheel
    lists: L,
    now: u64, // nothing waits for an earlier cycle
}

impl<L: Lists> TimeWheel<L> {
    const MIN_SIZE: u64 = 64;
    const MAX_SIZE: u64 = 1 << 16;

    /// Nothing of so many items waits yet; most will wait for less than `horizon` cycles.
    pub(super) fn new(horizon: u64, items: usize) -> Self {
        let size = horizon.clamp(Self::MIN_SIZE, Self::MAX_SIZE).next_power_of_two();
        let size = usize::try_from(size).unwrap_or(usize::MAX);
        Self {
            near: vec![0; size],
            occupied: vec![0; size / 64],
            far: BTreeMap::new(),
            lists: L::new(items),
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
        if cycle - self.now >= self.near.len() as u64 {
            self.add_far(item, cycle);
            return;
        }
        let place = self.place(cycle);
        self.near[place] = self.lists.add(self.near[place], item);
        self.occupied[place / 64] |= 1 << (place % 64);
    }

    #[cold]
    fn add_far(&mut self, item: u32, cycle: u64) {
        let list = self.far.entry(cycle).or_insert(0);
        *list = self.lists.add(*list, item);
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
    pub(super) fn take(&mut self, cycle: u64) -> Option<L::Some> {
        self.now = cycle;
        let place = self.place(cycle);
        let mut list = self.near[place];
        if list == 0 {
            list = self.far.remove(&cycle)?;
        }
        let (taken, left) = self.lists.take(list);
        self.near[place] = left;
        if left == 0 {
            self.occupied[place / 64] &= !(1 << (place % 64));
        }
        Some(taken)
    }

    /// The next cycle of the wheel with a list that is not empty: from the present place to the end, then
    /// from the beginning.
    fn next_near(&self) -> Option<u64> {
        // Both sizes are powers of two.
        let (start, last_word, last_place) =
            (self.place(self.now), self.occupied.len() - 1, self.near.len() - 1);
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
        cycle as usize & (self.near.len() - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All items that wait for a cycle, in ascending order.
    fn take<L: Lists>(wheel: &mut TimeWheel<L>, cycle: u64) -> Vec<u32> {
        let mut items = vec![];
        while let Some(some) = wheel.take(cycle) {
            items.extend(some.as_ref());
        }
        items.sort_unstable();
        items
    }

    /// Everything that waits, cycle by cycle in the order in which they are taken.
    fn drain<L: Lists>(wheel: &mut TimeWheel<L>) -> Vec<(u64, Vec<u32>)> {
        let mut taken = vec![];
        while let Some(cycle) = wheel.next_cycle() {
            taken.push((cycle, take(wheel, cycle)));
        }
        taken
    }

    #[test]
    fn near_and_far_cycles_come_in_order() {
        in_order::<Batches>();
        in_order::<Chains>();
    }

    fn in_order<L: Lists>() {
        let mut wheel = TimeWheel::<L>::new(1, 7);
        for (item, cycle) in [(0, 63), (1, 1 << 40), (2, 0), (3, 64), (4, 65), (5, 1 << 40), (6, 63)] {
            wheel.add(item, cycle);
        }
        let expected = [(0, vec![2]), (63, vec![0, 6]), (64, vec![3]), (65, vec![4]), (1 << 40, vec![1, 5])];
        assert_eq!(drain(&mut wheel), expected);
    }

    #[test]
    fn an_item_may_wait_for_the_present_cycle_while_it_is_emptied() {
        while_emptied::<Batches>();
        while_emptied::<Chains>();
    }

    fn while_emptied<L: Lists>() {
        let mut wheel = TimeWheel::<L>::new(1000, 2);
        wheel.add(0, 500);
        assert_eq!((wheel.next_cycle(), take(&mut wheel, 500)), (Some(500), vec![0]));
        wheel.add(0, 500);
        wheel.add(1, 500 + 1023);
        assert_eq!((take(&mut wheel, 500), take(&mut wheel, 500)), (vec![0], vec![]));
        assert_eq!(drain(&mut wheel), [(1523, vec![1])]);
    }

    #[test]
    fn a_cycle_that_was_far_and_is_near_now_gives_all_its_items() {
        far_and_near::<Batches>();
        far_and_near::<Chains>();
    }

    fn far_and_near<L: Lists>() {
        let mut wheel = TimeWheel::<L>::new(64, 3);
        wheel.add(0, 100);
        wheel.add(1, 50);
        assert_eq!((wheel.next_cycle(), take(&mut wheel, 50)), (Some(50), vec![1]));
        wheel.add(2, 100);
        assert_eq!(drain(&mut wheel), [(100, vec![0, 2])]);
    }

    #[test]
    fn lists_of_several_batches_lose_nothing_and_leave_their_memory_to_others() {
        let mut wheel = TimeWheel::<Batches>::new(64, 200);
        for round in 0..4 {
            for item in 0..200 {
                wheel.add(item, 100 * round + u64::from(item % 3) * 40);
            }
            let every_third = |first| (first..200).step_by(3).collect::<Vec<u32>>();
            let expected = [0, 1, 2].map(|third| (100 * round + u64::from(third) * 40, every_third(third)));
            assert_eq!(drain(&mut wheel), expected);
        }
        assert!(wheel.lists.most() <= 3 * 67_usize.div_ceil(14), "{}", wheel.lists.most());
    }
}
