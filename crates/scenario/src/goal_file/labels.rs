//! Labels of the operations of a rank.

/// A map from labels to numbers, in tables that are reused for every rank.
///
/// Most tools call operations `l1`, `l2` and so on: a letter and a number, which index a table directly. All
/// other labels are in a hash table.
///
/// Invariants: a label is in at most one table; a slot belongs to this rank if its generation is the current
/// one; at most half of the slots do.
#[derive(Debug)]
pub(super) struct Labels {
    counted: Vec<Vec<u32>>, // by letter and number, 1 + the label's value; 0 if undefined
    slots: Vec<Slot>,       // a power of two
    generation: u32,
    count: usize,
    text: Vec<u8>, // of all labels of this rank
}

/// The letters of ASCII, upper case first.
const LETTERS: usize = 52;
/// Largest gap in the numbers of one letter before labels are hashed.
const MAX_GAP: usize = 1 << 10;
/// Number of digits of the largest number that is looked up directly.
const MAX_DIGITS: usize = 8;

/// A label that is a letter and a number without leading zeros.
#[derive(Debug, Clone, Copy)]
pub(super) struct CountedLabel {
    letter: usize, // its index
    number: usize,
}

impl CountedLabel {
    /// The label, or `None` if `letter` is not a letter.
    #[inline]
    pub(super) fn new(letter: u8, number: usize) -> Option<Self> {
        let letter = match letter {
            b'A'..=b'Z' => letter - b'A',
            b'a'..=b'z' => letter - b'a' + 26,
            _ => return None,
        };
        Some(Self { letter: letter.into(), number })
    }

    #[inline]
    fn of(label: &[u8]) -> Option<Self> {
        let (&letter, digits) = label.split_first()?;
        if digits.is_empty() || digits.len() > MAX_DIGITS || digits[0] == b'0' && digits.len() > 1 {
            return None;
        }
        let add = |number: usize, &byte: &u8| {
            let digit = byte.wrapping_sub(b'0');
            (digit < 10).then_some(10 * number + usize::from(digit))
        };
        Self::new(letter, digits.iter().try_fold(0, add)?)
    }
}

#[derive(Debug, Clone, Copy, Default)]
struct Slot {
    generation: u32,
    number: u32,
    start: u32, // in the text
    length: u32,
}

impl Default for Labels {
    fn default() -> Self {
        let counted = vec![vec![]; LETTERS];
        Self { counted, slots: vec![Slot::default(); 64], generation: 1, count: 0, text: vec![] }
    }
}

impl Labels {
    /// Removes all labels, for the next rank.
    pub(super) fn clear(&mut self) {
        for numbers in &mut self.counted {
            numbers.clear();
        }
        self.text.clear();
        self.count = 0;
        self.generation = self.generation.wrapping_add(1);
        if self.generation == 0 {
            self.slots.fill(Slot::default());
            self.generation = 1;
        }
    }

    #[inline]
    pub(super) fn get(&self, label: &[u8]) -> Option<u32> {
        self.get_as(label, CountedLabel::of(label))
    }

    /// The value of a label if the direct table has it.
    #[inline]
    pub(super) fn get_counted(&self, label: CountedLabel) -> Option<u32> {
        self.counted[label.letter].get(label.number)?.checked_sub(1)
    }

    /// Inserts a new label if the direct table is enough. Returns whether it did.
    #[inline]
    pub(super) fn insert_counted(&mut self, label: CountedLabel, number: u32) -> bool {
        self.count == 0 && self.get_counted(label).is_none() && self.put_counted(label, number)
    }

    /// The value of a label, given its letter and number if it has them.
    #[inline]
    fn get_as(&self, label: &[u8], counted: Option<CountedLabel>) -> Option<u32> {
        if let Some(value) = counted.and_then(|label| self.get_counted(label)) {
            return Some(value);
        }
        if self.count == 0 {
            return None;
        }
        let slot = &self.slots[self.find(label)];
        (slot.generation == self.generation).then_some(slot.number)
    }

    /// Inserts a label. Returns whether it was new.
    #[inline]
    pub(super) fn insert(&mut self, label: &[u8], number: u32) -> bool {
        let counted = CountedLabel::of(label);
        if self.get_as(label, counted).is_some() {
            return false;
        }
        if !counted.is_some_and(|label| self.put_counted(label, number)) {
            self.insert_hashed(label, number);
        }
        true
    }

    /// Puts a new label into the direct table, unless it would waste memory. Returns whether it did.
    #[inline]
    fn put_counted(&mut self, label: CountedLabel, number: u32) -> bool {
        let numbers = &mut self.counted[label.letter];
        let entry = number + 1; // no schedule has 2^32 operations
        if label.number == numbers.len() {
            numbers.push(entry);
            return true;
        }
        // Numbers with large gaps take less memory in the hash table.
        if label.number >= MAX_GAP + 4 * numbers.len() {
            return false;
        }
        if label.number > numbers.len() {
            numbers.resize(label.number + 1, 0);
        }
        numbers[label.number] = entry;
        true
    }

    fn insert_hashed(&mut self, label: &[u8], number: u32) {
        if 2 * (self.count + 1) > self.slots.len() {
            self.grow();
        }
        let place = self.find(label);
        let start = u32::try_from(self.text.len()).unwrap_or(u32::MAX);
        self.text.extend_from_slice(label);
        let length = u32::try_from(label.len()).unwrap_or(u32::MAX);
        self.slots[place] = Slot { generation: self.generation, number, start, length };
        self.count += 1;
    }

    /// The slot of a label, or the free slot for it.
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

/// A hash of a label: one multiplication per eight bytes.
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
    fn labels_are_those_of_a_map_whatever_they_look_like() {
        use std::collections::BTreeMap;
        let mut labels = Labels::default();
        let texts =
            ["a", "a0", "a00", "a1", "A1", "a01", "a1x", "z7", "x99999999", "x999999999", "x5", "x70000"];
        for round in 0..4_u32 {
            let mut map = BTreeMap::new();
            for number in 0..3000_u32 {
                let text = match number % 3 {
                    0 => texts[(number * 7 + round) as usize % texts.len()].to_owned(),
                    1 => format!("x{}", number * (round + 1)),
                    _ => format!("y{}", (number * 7919) % 100_000),
                };
                let is_new = !map.contains_key(&text);
                assert_eq!(labels.insert(text.as_bytes(), number), is_new, "{text}");
                map.entry(text).or_insert(number);
                let other = format!("x{}", number * 3);
                assert_eq!(labels.get(other.as_bytes()), map.get(&other).copied(), "{other}");
            }
            for (text, number) in &map {
                assert_eq!(labels.get(text.as_bytes()), Some(*number), "{text}");
            }
            labels.clear();
        }
    }

    #[test]
    fn labels_of_a_rank_are_found_and_forgotten() {
        let mut labels = Labels::default();
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
