//! Things that come and go, each at a place of its own while it is there.

use std::ops::{Index, IndexMut};

/// Things by their places, of which there are as many as things were ever there at once.
#[derive(Debug)]
pub(super) struct Slab<T> {
    things: Vec<T>,
    vacant: Vec<u32>, // the places that are free
}

impl<T> Default for Slab<T> {
    fn default() -> Self {
        Self { things: vec![], vacant: vec![] }
    }
}

impl<T> Slab<T> {
    /// Puts a thing somewhere and says where.
    pub(super) fn insert(&mut self, thing: T) -> u32 {
        if let Some(place) = self.vacant.pop() {
            self[place] = thing;
            return place;
        }
        self.things.push(thing);
        u32::try_from(self.things.len() - 1).unwrap_or(u32::MAX) // at most one place a message, below 2^31
    }

    /// Frees a place.
    pub(super) fn remove(&mut self, place: u32) {
        self.vacant.push(place);
    }

    /// Frees its memory, when all places are free.
    pub(super) fn give_memory_back(&mut self) {
        if self.vacant.len() == self.things.len() {
            *self = Self::default();
        }
    }

    /// The number of places that there ever were.
    #[cfg(test)]
    pub(super) fn places(&self) -> usize {
        self.things.len()
    }
}

impl<T> Index<u32> for Slab<T> {
    type Output = T;

    fn index(&self, place: u32) -> &T {
        &self.things[place as usize]
    }
}

impl<T> IndexMut<u32> for Slab<T> {
    fn index_mut(&mut self, place: u32) -> &mut T {
        &mut self.things[place as usize]
    }
}
