//! The border of an engine: nothing lies beyond it, or other engines that compute other parts of the same run.
//!
//! Engines say [notes](Note) to each other. A message has its number from the engine of its destination, which lets it
//! set out even if its source belongs to another, and counts its packets. On links of another engine it is a visitor, with a
//! separate number in that engine's [table](super::message_table).

use std::fmt::Debug;

use cubefold_mapping::ProcessId;
use cubefold_topology::{NodeId, narrow};

use super::message_table::MessageRecord;
use crate::{Cycle, transport::Packet};

/// The engines of a run, as one of them sees them.
///
/// An engine knows its own processes by their indices, and those of others by their labels.
pub(crate) trait Border: Debug {
    /// Whether this engine computes the whole run.
    const IS_ALONE: bool;

    /// The index of a process of this engine; `None` for a process of another.
    fn index(&self, process: ProcessId) -> Option<ProcessId>;

    /// The label of a process of this engine.
    fn label(&self, index: ProcessId) -> ProcessId;

    /// The engine of a node, if it is another one.
    fn elsewhere(&self, node: NodeId) -> Option<usize>;

    fn send(&mut self, engine: usize, note: Note);

    /// Tells the engine of a destination that a source is ready.
    fn announce(&mut self, ready: ReadySource);

    /// Keeps a source of another engine that is ready before its destination.
    fn keep(&mut self, destination: ProcessId, ready: ReadySource);

    fn prefetch_kept(&self, destination: ProcessId);

    /// Moves the sources kept for a process in a stage to `sources`.
    fn take_kept(&mut self, destination: ProcessId, stage: u32, sources: &mut Vec<ReadySource>);

    /// Sends and receives notes of this cycle; returns whether no engine has more to say in it.
    fn exchange(&mut self) -> bool;

    /// Takes a note received.
    fn take_note(&mut self) -> Option<Note>;

    /// The next cycle in which anything happens in any engine, given this engine's.
    fn next_event(&mut self, local: Option<Cycle>) -> Option<Cycle>;
}

/// A note from one engine to another about the present cycle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Note {
    /// A source is ready for a message to a process of the recipient.
    Ready(ReadySource),
    /// A packet joins the queue of the channel that it needs.
    Join(Traveller),
    /// All of a packet of the message with this number is at the node of its destination.
    Receipt(u32),
}

/// A packet enters links of another engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Traveller {
    /// The packet, of the message with the number that it has from the engine of its destination. The number of its size
    /// has no meaning.
    pub(crate) packet: Packet,
    pub(crate) record: MessageRecord,
    pub(crate) units: u64,
}

/// A source that is ready to send.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ReadySource {
    pub(crate) stage: u32,
    pub(crate) source: ProcessId,
    /// The node of the source.
    pub(crate) from: NodeId,
    pub(crate) destination: ProcessId,
    /// The size of the message between the two \[units\].
    pub(crate) units: u64,
}

/// The first words of notes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tag {
    Ready,
    Join,
    Receipt,
}

/// The border of the only engine of a run: labels are indices.
#[derive(Debug)]
pub(crate) struct Alone;

impl Border for Alone {
    const IS_ALONE: bool = true;

    #[inline]
    fn index(&self, process: ProcessId) -> Option<ProcessId> {
        Some(process)
    }

    #[inline]
    fn label(&self, index: ProcessId) -> ProcessId {
        index
    }

    #[inline]
    fn elsewhere(&self, _: NodeId) -> Option<usize> {
        None
    }

    fn send(&mut self, _: usize, _: Note) {}

    fn announce(&mut self, _: ReadySource) {}

    fn keep(&mut self, _: ProcessId, _: ReadySource) {}

    #[inline]
    fn prefetch_kept(&self, _: ProcessId) {}

    #[inline]
    fn take_kept(&mut self, _: ProcessId, _: u32, _: &mut Vec<ReadySource>) {}

    #[inline]
    fn exchange(&mut self) -> bool {
        true
    }

    #[inline]
    fn take_note(&mut self) -> Option<Note> {
        None
    }

    #[inline]
    fn next_event(&mut self, local: Option<Cycle>) -> Option<Cycle> {
        local
    }
}

impl Note {
    /// Whether another engine may answer it in the same cycle: a packet that joins a queue is not answered.
    pub(super) fn may_be_answered(&self) -> bool {
        !matches!(self, Self::Join(_))
    }

    /// Appends the note as words, for ranks.
    pub(super) fn write(&self, words: &mut Vec<u64>) {
        match self {
            Self::Ready(ready) => ready.write(Tag::Ready as u32, words),
            Self::Join(Traveller { packet, record, units }) => {
                words.extend([
                    pair(Tag::Join as u32, record.stage),
                    pair(record.source.label(), record.destination.label()),
                    pair(record.to.index(), record.distance),
                    record.operation.into(),
                    record.start.get(),
                    *units,
                ]);
                words.extend(packet.to_words());
            }
            Self::Receipt(message) => words.push(pair(Tag::Receipt as u32, *message)),
        }
    }

    /// Reads a note; `None` at the end of the words.
    pub(super) fn read(words: &mut impl Iterator<Item = u64>) -> Option<Self> {
        let [tag, first] = parts(words.next()?);
        if tag == Tag::Receipt as u32 {
            return Some(Self::Receipt(first));
        }
        if tag == Tag::Ready as u32 {
            return ReadySource::read(first, words).map(Self::Ready);
        }
        let ends = parts(words.next()?).map(ProcessId::new);
        let [to, distance] = parts(words.next()?);
        let [operation, _] = parts(words.next()?);
        let record = MessageRecord::new(Cycle::new(words.next()?), first, ends, NodeId::new(to));
        let record = MessageRecord { operation, distance, ..record };
        let units = words.next()?;
        Some(Self::Join(Traveller { packet: Packet::of_words(words)?, record, units }))
    }
}

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
    fn write(&self, tag: u32, words: &mut Vec<u64>) {
        let &Self { stage, source, from, destination, units } = self;
        let ends = pair(source.label(), from.index());
        words.extend([pair(tag, stage), ends, destination.label().into(), units]);
    }

    /// Reads a source, given the stage in its first word.
    fn read(stage: u32, words: &mut impl Iterator<Item = u64>) -> Option<Self> {
        let [source, from] = parts(words.next()?);
        let destination = ProcessId::new(narrow(words.next()?));
        let (source, from) = (ProcessId::new(source), NodeId::new(from));
        Some(Self { stage, source, from, destination, units: words.next()? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cubefold_topology::{Direction, Leg};

    #[test]
    fn notes_are_read_back() {
        let ends = [u32::MAX, 3].map(ProcessId::new);
        let record = MessageRecord::new(Cycle::new(u64::MAX), 7, ends, NodeId::new(u32::MAX - 1));
        let record = MessageRecord { operation: 2, distance: 11, ..record };
        let mut notes = vec![
            Note::Receipt(u32::MAX),
            Note::Ready(ReadySource {
                stage: 9,
                source: ProcessId::new(1),
                from: NodeId::new(2),
                destination: ProcessId::new(u32::MAX),
                units: 1 << 40,
            }),
        ];
        for direction in Direction::all(32) {
            let leg = Leg { direction, hops: 1 << 31 };
            let packet = Packet { input: 6, ..Packet::first(1 << 29, 0, NodeId::new(5), leg, u32::MAX) };
            notes.push(Note::Join(Traveller { packet, record, units: 1 << 40 }));
        }
        let mut words = vec![];
        for note in &notes {
            note.write(&mut words);
        }
        let mut words = words.into_iter();
        assert!(std::iter::from_fn(|| Note::read(&mut words)).eq(notes));
    }
}
