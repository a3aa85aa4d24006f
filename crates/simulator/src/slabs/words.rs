//! Records as words, for ranks.

use cubefold_mapping::ProcessId;
use cubefold_topology::{NodeId, narrow};

use super::border::ReadySource;
use crate::{Cycle, Cycles, StageRecord};

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

/// Appends a record of a process without idle times, as the engines of slabs make them.
pub(super) fn write_record(record: &StageRecord, words: &mut Vec<u64>) {
    words.extend([
        pair(record.process.label(), narrow(record.stage as u64)), // no run has 2^32 stages
        record.sharing.get(),
        record.ready.get(),
        record.start.get(),
        record.finish.get(),
        record.transfer.get(),
        record.overlapped.get(),
    ]);
}

/// Reads such a record; none at the end of the words.
pub(super) fn read_record(words: &mut impl Iterator<Item = u64>) -> Option<StageRecord> {
    let [process, stage] = parts(words.next()?);
    Some(StageRecord {
        process: ProcessId::new(process),
        stage: stage as usize,
        sharing: Cycles::new(words.next()?),
        ready: Cycle::new(words.next()?),
        start: Cycle::new(words.next()?),
        finish: Cycle::new(words.next()?),
        transfer: Cycles::new(words.next()?),
        overlapped: Cycles::new(words.next()?),
        idle: Cycles::ZERO,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_read_back() {
        let record = |process: u32| StageRecord {
            process: ProcessId::new(process),
            stage: 12,
            sharing: Cycles::new(1),
            ready: Cycle::new(u64::MAX),
            start: Cycle::new(3),
            finish: Cycle::new(4),
            transfer: Cycles::new(5),
            overlapped: Cycles::new(6),
            idle: Cycles::ZERO,
        };
        let records = [record(0), record(u32::MAX)];
        let mut words = vec![];
        for record in &records {
            write_record(record, &mut words);
        }
        let mut words = words.into_iter();
        assert!(std::iter::from_fn(|| read_record(&mut words)).eq(records));
    }
}
