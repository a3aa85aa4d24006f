//! Lists whose items are chained to each other: for few items, none of which waits twice.

use super::Lists;

/// Lists of items of which each is in one of them at most. Nothing is known of the item after the one that is taken.
#[derive(Debug)]
pub(in crate::belt) struct Chains {
    next: Vec<u32>, // for each item that is in a list 1 + the next of it, 0 after the last
}

impl Lists for Chains {
    type Some = [u32; 1];

    fn new(items: usize) -> Self {
        Self { next: vec![0; items] }
    }

    #[inline]
    fn add(&mut self, list: u32, item: u32) -> u32 {
        self.next[item as usize] = list;
        item + 1
    }

    #[inline]
    fn take(&mut self, list: u32) -> ([u32; 1], u32) {
        let item = list - 1;
        ([item], self.next[item as usize])
    }
}
