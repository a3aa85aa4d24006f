//! Lists of batches: for many items, far apart in memory.

use super::Lists;

/// Lists made of batches, so that whoever takes items knows of several at a time.
#[derive(Debug, Default)]
pub(in crate::belt) struct Batches {
    batches: Vec<Batch>,
    vacant: u32, // 1 + the place of the first of those that are in no list, 0 without one
}

/// Some items of a list: one cache line.
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
pub(in crate::belt) struct Batch {
    items: [u32; Self::MOST],
    count: u32, // of items, in 1..=MOST while it is in a list
    next: u32,  // 1 + the place of the next batch of the list, 0 after the last
}

impl Batch {
    pub(super) const MOST: usize = 14;
}

impl AsRef<[u32]> for Batch {
    #[inline]
    fn as_ref(&self) -> &[u32] {
        &self.items[..self.count as usize]
    }
}

impl Lists for Batches {
    type Some = Batch;

    fn new(_: usize) -> Self {
        Self::default()
    }

    #[inline]
    fn add(&mut self, list: u32, item: u32) -> u32 {
        if self.put(list, item) { list } else { self.batch(item, list) }
    }

    #[inline]
    fn take(&mut self, list: u32) -> (Batch, u32) {
        let batch = &mut self.batches[list as usize - 1];
        let taken = *batch;
        batch.next = std::mem::replace(&mut self.vacant, list);
        (taken, taken.next)
    }
}

impl Batches {
    /// How many batches there were at the same time at most.
    #[cfg(test)]
    pub(super) fn most(&self) -> usize {
        self.batches.len()
    }

    /// Puts an item into the first batch of a list, if there is one with room for it.
    #[inline]
    fn put(&mut self, list: u32, item: u32) -> bool {
        let Some(batch) = self.batches.get_mut((list as usize).wrapping_sub(1)) else { return false };
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
}
