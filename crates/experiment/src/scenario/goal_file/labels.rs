//! The labels of the operations of a rank.

/// Labels and the numbers that they stand for, in a table that is used again for every rank.
///
/// Invariant: a slot belongs to this rank where its generation is the current one; no more than half of the
/// slots do.
#[derive(Debug)]
pub(super) struct Labels {
    slots: Vec<Slot>, // a power of two
    generation: u32,
    count: usize,
    text: Vec<u8>, // of all labels of this rank
}

#[derive(Debug, Clone, Copy, Default)]
struct Slot {
    generation: u32,
    number: u32,
    start: u32, // in the text
    length: u32,
}

impl Labels {
    /// No labels.
    pub(super) fn new() -> Self {
        Self { slots: vec![Slot::default(); 64], generation: 1, count: 0, text: vec![] }
    }

    /// Forgets all labels, for the next rank.
    pub(super) fn clear(&mut self) {
        self.text.clear();
        self.count = 0;
        self.generation = self.generation.wrapping_add(1);
        if self.generation == 0 {
            self.slots.fill(Slot::default());
            self.generation = 1;
        }
    }

    /// The number that a label stands for.
    #[inline]
    pub(super) fn get(&self, label: &[u8]) -> Option<u32> {
        let slot = &self.slots[self.find(label)];
        (slot.generation == self.generation).then_some(slot.number)
    }

    /// Lets a label stand for a number; returns whether it stood for none before.
    #[inline]
    pub(super) fn insert(&mut self, label: &[u8], number: u32) -> bool {
        if 2 * (self.count + 1) > self.slots.len() {
            self.grow();
        }
        let place = self.find(label);
        if self.slots[place].generation == self.generation {
            return false;
        }
        let start = u32::try_from(self.text.len()).unwrap_or(u32::MAX);
        self.text.extend_from_slice(label);
        let length = u32::try_from(label.len()).unwrap_or(u32::MAX);
        self.slots[place] = Slot { generation: self.generation, number, start, length };
        self.count += 1;
        true
    }

    /// The slot of a label, or the free one that it would get.
    #[inline]
    fn find(&self, label: &[u8]) -> usize {
        let mask = self.slots.len() - 1;
        let mut place = hash(label) & mask;
        loop {
            let slot = &self.slots[place];
            if slot.generation != self.generation || self.label(slot) == label {
                return place;
            }
            place = (place + 1) & mask;
        }
    }

    #[inline]
    fn label(&self, slot: &Slot) -> &[u8] {
        &self.text[slot.start as usize..][..slot.length as usize]
    }

    fn grow(&mut self) {
        let larger = vec![Slot::default(); 2 * self.slots.len()];
        let old = std::mem::replace(&mut self.slots, larger);
        for slot in old.into_iter().filter(|slot| slot.generation == self.generation) {
            let place = self.find(&self.text[slot.start as usize..][..slot.length as usize]);
            self.slots[place] = slot;
        }
    }
}

/// A hash of a label: a multiplication for every eight bytes.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "the upper half of a product is mixed best")]
fn hash(label: &[u8]) -> usize {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut hash = label.len() as u64;
    for chunk in label.chunks(8) {
        let word = chunk.iter().fold(0_u64, |word, &byte| word << 8 | u64::from(byte));
        hash = (hash ^ word).wrapping_mul(FACTOR);
        hash ^= hash >> 32;
    }
    hash as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_of_a_rank_are_found_and_forgotten() {
        let mut labels = Labels::new();
        for rank in 0..3_u32 {
            for number in 0..1000 {
                assert!(labels.insert(format!("l{number}").as_bytes(), number + rank));
            }
            assert!(labels.insert(b"a_long_label_of_an_operation_1", 7));
            assert!(!labels.insert(b"l999", 5));
            for number in 0..1000 {
                assert_eq!(labels.get(format!("l{number}").as_bytes()), Some(number + rank));
            }
            assert_eq!(labels.get(b"a_long_label_of_an_operation_1"), Some(7));
            assert_eq!(labels.get(b"a_long_label_of_an_operation_2"), None);
            labels.clear();
            assert_eq!(labels.get(b"l0"), None);
        }
    }
}
