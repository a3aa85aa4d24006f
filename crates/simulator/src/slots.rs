//! Values with reusable slots.

use std::ops::{Index, IndexMut};

use cubefold_topology::narrow;

/// Values that are added and removed, each in a separate slot: the number of slots is the most values
/// present at a time.
#[derive(Debug)]
pub(crate) struct Slots<T> {
    values: Vec<T>,
    vacant: Vec<u32>, // the slots that are free
}

impl<T> Default for Slots<T> {
    fn default() -> Self {
        Self { values: vec![], vacant: vec![] }
    }
}

impl<T> Slots<T> {
    /// Puts a value into a free slot, which is returned.
    ///
    /// The value is constructed in place, since copying a new value would dominate the cost.
    #[inline]
    pub(crate) fn insert(&mut self, make: impl Fn() -> T) -> u32 {
        if let Some(slot) = self.vacant.pop() {
            self.values[slot as usize] = make();
            return slot;
        }
        self.values.push(make());
        narrow(self.values.len() as u64 - 1) // messages are below 2^31, packets below 2^32, more than memory holds
    }

    pub(crate) fn remove(&mut self, slot: u32) {
        self.vacant.push(slot);
    }

    pub(crate) fn count(&self) -> usize {
        self.values.len() - self.vacant.len()
    }

    /// Removes all values, and keeps their memory.
    pub(crate) fn clear(&mut self) {
        self.values.clear();
        self.vacant.clear();
    }

    /// Frees its memory when all slots are free.
    pub(crate) fn release_memory(&mut self) {
        if self.count() == 0 {
            *self = Self::default();
        }
    }

    /// The number of slots, including free ones.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.values.len()
    }
}

impl<T> Index<u32> for Slots<T> {
    type Output = T;

    fn index(&self, slot: u32) -> &T {
        &self.values[slot as usize]
    }
}

impl<T> IndexMut<u32> for Slots<T> {
    fn index_mut(&mut self, slot: u32) -> &mut T {
        &mut self.values[slot as usize]
    }
}
