//! What happens when: a wheel of lists, one a cycle.

use std::collections::BTreeMap;

/// Items that wait for a cycle each, taken cycle by cycle; an item waits at most once at a time.
///
/// Cycles near the present have a list of their own in a wheel whose size is a power of two, and a bit that
/// says whether it is empty; cycles farther off are kept in order. Lists run through one word an item, which
/// its owner keeps beside what else it will need when the time comes.
#[derive(Debug)]
pub(super) struct TimeWheel {
    firsts: Vec<u32>, // for each cycle of the wheel 1 + the first item of its list, 0 without one
    occupied: Vec<u64>, // a bit for each of them
    far: BTreeMap<u64, u32>, // 1 + the first item of cycles that were beyond the wheel
    now: u64,         // nothing waits for an earlier cycle
}

impl TimeWheel {
    const LEAST_SIZE: u64 = 64;
    const GREATEST_SIZE: u64 = 1 << 16;

    /// Nothing waits yet; most will wait for less than `horizon` cycles.
    pub(super) fn new(horizon: u64) -> Self {
        let size = horizon.clamp(Self::LEAST_SIZE, Self::GREATEST_SIZE).next_power_of_two();
        let size = usize::try_from(size).unwrap_or(usize::MAX);
        Self { firsts: vec![0; size], occupied: vec![0; size / 64], far: BTreeMap::new(), now: 0 }
    }

    /// Begins again at a cycle, when nothing waits.
    pub(super) fn begin_again(&mut self, now: u64) {
        debug_assert!(self.next_cycle().is_none(), "nothing waits at the end");
        self.now = now;
    }

    /// Lets an item wait for `cycle`, the present one or a later one. Its owner keeps what is returned: 1 + the
    /// item after it in its list, 0 after the last.
    #[inline]
    #[must_use]
    pub(super) fn add(&mut self, item: u32, cycle: u64) -> u32 {
        debug_assert!(cycle >= self.now, "nothing is planned for the past");
        if cycle - self.now >= self.firsts.len() as u64 {
            return self.add_far(item, cycle);
        }
        let place = self.place(cycle);
        self.occupied[place / 64] |= 1 << (place % 64);
        std::mem::replace(&mut self.firsts[place], item + 1)
    }

    #[cold]
    fn add_far(&mut self, item: u32, cycle: u64) -> u32 {
        std::mem::replace(self.far.entry(cycle).or_default(), item + 1)
    }

    /// The next cycle that an item waits for.
    pub(super) fn next_cycle(&self) -> Option<u64> {
        let far = self.far.first_key_value().map(|(&cycle, _)| cycle);
        match (self.next_near(), far) {
            (Some(near), Some(far)) => Some(near.min(far)),
            (near, far) => near.or(far),
        }
    }

    /// Takes all items that wait for `cycle`, the next of all: 1 + the first item of their list, 0 when no more do.
    /// Items that are added for the same cycle meanwhile make a list of their own.
    #[inline]
    pub(super) fn take(&mut self, cycle: u64) -> u32 {
        self.now = cycle;
        let place = self.place(cycle);
        let first = std::mem::take(&mut self.firsts[place]);
        if first == 0 {
            return self.far.remove(&cycle).unwrap_or(0);
        }
        self.occupied[place / 64] &= !(1 << (place % 64));
        first
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

    /// A wheel with the links of its items.
    struct Owner {
        wheel: TimeWheel,
        links: Vec<u32>,
    }

    impl Owner {
        fn new(horizon: u64) -> Self {
            Self { wheel: TimeWheel::new(horizon), links: vec![0; 8] }
        }

        fn add(&mut self, item: u32, cycle: u64) {
            self.links[item as usize] = self.wheel.add(item, cycle);
        }

        /// All items that wait for a cycle, list by list.
        fn take(&mut self, cycle: u64) -> Vec<u32> {
            let mut items = vec![];
            loop {
                let mut next = self.wheel.take(cycle);
                if next == 0 {
                    return items;
                }
                while let Some(item) = next.checked_sub(1) {
                    items.push(item);
                    next = self.links[item as usize];
                }
            }
        }

        /// Everything that waits, cycle by cycle in the order in which they are taken; the items of a cycle
        /// in ascending order.
        fn drain(&mut self) -> Vec<(u64, Vec<u32>)> {
            let mut taken = vec![];
            while let Some(cycle) = self.wheel.next_cycle() {
                let mut items = self.take(cycle);
                items.sort_unstable();
                taken.push((cycle, items));
            }
            taken
        }
    }

    #[test]
    fn near_and_far_cycles_come_in_order() {
        let mut owner = Owner::new(1);
        for (item, cycle) in [(0, 63), (1, 1 << 40), (2, 0), (3, 64), (4, 65), (5, 1 << 40), (6, 63)] {
            owner.add(item, cycle);
        }
        let expected = [(0, vec![2]), (63, vec![0, 6]), (64, vec![3]), (65, vec![4]), (1 << 40, vec![1, 5])];
        assert_eq!(owner.drain(), expected);
    }

    #[test]
    fn an_item_may_wait_for_the_present_cycle_while_it_is_emptied() {
        let mut owner = Owner::new(1000);
        owner.add(0, 500);
        assert_eq!((owner.wheel.next_cycle(), owner.take(500)), (Some(500), vec![0]));
        owner.add(0, 500);
        owner.add(1, 500 + 1023);
        assert_eq!((owner.take(500), owner.take(500)), (vec![0], vec![]));
        assert_eq!(owner.drain(), [(1523, vec![1])]);
    }

    #[test]
    fn a_cycle_that_was_far_and_is_near_now_gives_all_its_items() {
        let mut owner = Owner::new(64);
        owner.add(0, 100);
        owner.add(1, 50);
        assert_eq!((owner.wheel.next_cycle(), owner.take(50)), (Some(50), vec![1]));
        owner.add(2, 100);
        assert_eq!(owner.drain(), [(100, vec![0, 2])]);
    }
}
