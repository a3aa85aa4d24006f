//! A bit for each medium.

/// A set of media, by their places.
#[derive(Debug)]
pub(super) struct Bits {
    words: Vec<u64>, // a power of two of them, so that a masked place is always in their range
}

impl Bits {
    /// Room for `places` places, none of which is in the set.
    pub(super) fn new(places: usize) -> Self {
        Self { words: vec![0; places.div_ceil(64).next_power_of_two()] }
    }

    #[inline]
    pub(super) fn contains(&self, place: usize) -> bool {
        self.words[self.word(place)] & bit(place) != 0
    }

    /// Puts a place into the set; whether it was not in it.
    #[inline]
    pub(super) fn insert(&mut self, place: usize) -> bool {
        let at = self.word(place);
        let word = &mut self.words[at];
        let fresh = *word & bit(place) == 0;
        *word |= bit(place);
        fresh
    }

    /// Takes a place out of the set, in which it is.
    #[inline]
    pub(super) fn remove(&mut self, place: usize) {
        debug_assert!(self.contains(place), "only what is in the set leaves it");
        let at = self.word(place);
        self.words[at] &= !bit(place);
    }

    /// The word that a place is in.
    #[inline]
    fn word(&self, place: usize) -> usize {
        (place / 64) & self.words.len().wrapping_sub(1)
    }
}

/// The bit of a place in its word.
#[inline]
fn bit(place: usize) -> u64 {
    1 << (place % 64)
}
