//! Sources as words, for ranks.

use cubefold_mapping::ProcessId;
use cubefold_topology::{NodeId, narrow};

use super::border::ReadySource;

/// Two numbers of 32 bits in a word.
pub(crate) fn pair(low: u32, high: u32) -> u64 {
    u64::from(high) << 32 | u64::from(low)
}

/// The two numbers of a word.
pub(crate) fn parts(word: u64) -> [u32; 2] {
    [narrow(word & u64::from(u32::MAX)), narrow(word >> 32)]
}

impl ReadySource {
    /// Appends a source whose first word also has a tag.
    pub(crate) fn write(&self, tag: u32, words: &mut Vec<u64>) {
        let &Self { stage, source, from, destination } = self;
        words.extend([pair(tag, stage), pair(source.label(), from.index()), destination.label().into()]);
    }

    /// Reads a source, given the stage in its first word.
    pub(crate) fn read(stage: u32, words: &mut impl Iterator<Item = u64>) -> Option<Self> {
        let [source, from] = parts(words.next()?);
        let destination = ProcessId::new(narrow(words.next()?));
        Some(Self { stage, source: ProcessId::new(source), from: NodeId::new(from), destination })
    }
}
