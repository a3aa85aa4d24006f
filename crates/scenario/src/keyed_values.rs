//! Values of a table by key.

use super::{keys::Key, value::Value};

/// A set of keys, one bit each.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct KeySet([u64; WORDS]);

const WORDS: usize = Key::ALL.len().div_ceil(u64::BITS as usize);

impl KeySet {
    /// The word and the bit of a key.
    fn place(key: Key) -> (usize, u32) {
        (key as usize / u64::BITS as usize, key as u32 % u64::BITS)
    }

    pub(super) fn with(mut self, key: Key) -> Self {
        let (word, bit) = Self::place(key);
        self.0[word] |= 1 << bit;
        self
    }

    pub(super) fn union(mut self, other: Self) -> Self {
        self.0.iter_mut().zip(other.0).for_each(|(this, that)| *this |= that);
        self
    }

    pub(super) fn contains(self, key: Key) -> bool {
        let (word, bit) = Self::place(key);
        self.0[word] >> bit & 1 == 1
    }

    /// Lists its keys, in the order of the list of keys.
    pub(super) fn iter(self) -> impl Iterator<Item = Key> {
        Key::ALL.iter().copied().filter(move |&key| self.contains(key))
    }
}

/// At most one value per key. Every combination of a sweep reads most keys, so each key has its slot.
#[derive(Debug)]
pub(super) struct KeyedValues {
    slots: Vec<Option<Value>>, // by the key's index in the list of keys
    keys: KeySet,              // the keys with a value
}

impl KeyedValues {
    pub(super) fn new() -> Self {
        Self { slots: Key::ALL.iter().map(|_| None).collect(), keys: KeySet::default() }
    }

    /// Sets the value of a key, replacing any earlier one.
    pub(super) fn insert(&mut self, key: Key, value: Value) {
        self.slots[key as usize] = Some(value);
        self.keys = self.keys.with(key);
    }

    pub(super) fn get(&self, key: Key) -> Option<&Value> {
        self.slots[key as usize].as_ref()
    }

    pub(super) fn keys(&self) -> KeySet {
        self.keys
    }
}
