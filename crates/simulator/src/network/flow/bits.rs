//! A bit for each medium.

/// A set of media, by their places.
#[derive(Debug)]
pub(super) struct Bits {
    words: Vec<u64>, // a power of two of them, so that the range of a place is clear without a look
    count: usize,    // of the bits that are set
}

impl Bits {
    /// Room for `places` places, none of which is in the set.
    pub(super) fn new(places: usize) -> Self {
        Self { words: vec![0; places.div_ceil(64).next_power_of_two()], count: 0 }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.count == 0
    }

    #[inline]
    pub(super) fn contains(&self, place: usize) -> bool {
        let last = self.words.len().wrapping_sub(1);
        self.words[(place / 64) & last] >> (place % 64) & 1 != 0
    }

    /// Puts a place into the set; whether it was not in it.
    #[inline]
    pub(super) fn insert(&mut self, place: usize) -> bool {
        let word = &mut self.words[place / 64];
        let fresh = *word >> (place % 64) & 1 == 0;
        *word |= 1 << (place % 64);
        self.count += usize::from(fresh);
        fresh
    }

    /// Takes a place out of the set, in which it is.
    #[inline]
    pub(super) fn remove(&mut self, place: usize) {
        debug_assert!(self.contains(place), "only what is in the set leaves it");
        self.words[place / 64] &= !(1 << (place % 64));
        self.count -= 1;
    }
}
