//! Notes, records and sums as words, for ranks.

use cubefold_mapping::ProcessId;
use cubefold_topology::{Direction, HostDimension, Leg, NodeId, Sign, narrow};

use super::super::border::{Note, ReadySource, Visitor};
use crate::{Cycle, Cycles, StageRecord, channel_queue::MessageKey};

/// Words of what one rank sends to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tag {
    Ready,
    Join,
    Receipt,
}

/// Two numbers of 32 bits in a word.
fn pair(low: u32, high: u32) -> u64 {
    u64::from(high) << 32 | u64::from(low)
}

fn parts(word: u64) -> [u32; 2] {
    [narrow(word & u64::from(u32::MAX)), narrow(word >> 32)]
}

impl Note {
    /// Appends the note.
    pub(super) fn write(&self, words: &mut Vec<u64>) {
        match *self {
            Self::Ready(ReadySource { stage, source, from, destination }) => words.extend([
                pair(Tag::Ready as u32, stage),
                pair(source.label(), from.index()),
                destination.label().into(),
            ]),
            Self::Join(Visitor { key, to, number }, node, leg) => words.extend([
                pair(Tag::Join as u32, key.stage),
                pair(key.source, key.destination),
                pair(to.index(), number),
                pair(node.index(), narrow(leg.direction.index() as u64)),
                leg.hops,
            ]),
            Self::Receipt(message) => words.push(pair(Tag::Receipt as u32, message)),
        }
    }

    /// Reads a note; none at the end of the words.
    pub(super) fn read(words: &mut impl Iterator<Item = u64>) -> Option<Self> {
        let [tag, first] = parts(words.next()?);
        if tag == Tag::Receipt as u32 {
            return Some(Self::Receipt(first));
        }
        let [source, second] = parts(words.next()?);
        if tag == Tag::Ready as u32 {
            let (source, from) = (ProcessId::new(source), NodeId::new(second));
            let destination = ProcessId::new(narrow(words.next()?));
            return Some(Self::Ready(ReadySource { stage: first, source, from, destination }));
        }
        let key = MessageKey { stage: first, source, destination: second };
        let [to, number] = parts(words.next()?);
        let [node, direction] = parts(words.next()?);
        let direction = Direction {
            dimension: HostDimension::new(direction as usize / 2 + 1).ok()?,
            sign: Sign::BOTH[direction as usize % 2],
        };
        let leg = Leg { direction, hops: words.next()? };
        Some(Self::Join(Visitor { key, to: NodeId::new(to), number }, NodeId::new(node), leg))
    }
}

/// Appends a record of a process without idle or overlapped times, as the hop engine makes them.
pub(super) fn write_record(record: &StageRecord, words: &mut Vec<u64>) {
    words.extend([
        pair(record.process.label(), narrow(record.stage as u64)), // no run has 2^32 stages
        record.sharing.get(),
        record.ready.get(),
        record.start.get(),
        record.finish.get(),
        record.transfer.get(),
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
        overlapped: Cycles::ZERO,
        idle: Cycles::ZERO,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_and_records_are_read_back() {
        let key = MessageKey { stage: 7, source: u32::MAX, destination: 3 };
        let visitor = Visitor { key, to: NodeId::new(u32::MAX - 1), number: 1 << 29 };
        let mut notes = vec![
            Note::Receipt(u32::MAX),
            Note::Ready(ReadySource {
                stage: 9,
                source: ProcessId::new(1),
                from: NodeId::new(2),
                destination: ProcessId::new(u32::MAX),
            }),
        ];
        for direction in Direction::all(32) {
            notes.push(Note::Join(visitor, NodeId::new(5), Leg { direction, hops: 1 << 31 }));
        }
        let mut words = vec![];
        for note in &notes {
            note.write(&mut words);
        }
        let mut words = words.into_iter();
        assert!(std::iter::from_fn(|| Note::read(&mut words)).eq(notes));

        let record = |process: u32| StageRecord {
            process: ProcessId::new(process),
            stage: 12,
            sharing: Cycles::new(1),
            ready: Cycle::new(u64::MAX),
            start: Cycle::new(3),
            finish: Cycle::new(4),
            transfer: Cycles::new(5),
            overlapped: Cycles::ZERO,
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
