//! What engines of one run say to each other about messages with sizes.
//!
//! A message has its number from the engine of its destination, which lets it set out, also where its source is of
//! another, and counts its packets. On links of another engine it is a visitor, with a number of its own in the
//! [table](super::message_table) of that one.

use cubefold_mapping::ProcessId;
use cubefold_topology::NodeId;

use super::{message_table::MessageRecord, packet::Packet};
use crate::{
    Cycle,
    slabs::{BorderNote, NoBorder, ReadySource, pair, parts},
};

/// The border of an engine that computes a whole run.
pub(super) type Alone = NoBorder<Note>;

/// What one engine says to another. It concerns the present cycle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Note {
    /// A source is ready for a message to a process of the recipient.
    Ready(ReadySource),
    /// A packet joins the queue of the channel that it needs.
    Join(Traveller),
    /// All of a packet of the message with this number is at the node of its destination.
    Receipt(u32),
}

/// A packet that comes onto links of another engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Traveller {
    /// The packet, of the message with the number that it has from the engine of its destination. The number of its size
    /// has no meaning.
    pub(super) packet: Packet,
    pub(super) record: MessageRecord,
    pub(super) units: u64,
}

/// The first words of notes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tag {
    Ready,
    Join,
    Receipt,
}

impl From<ReadySource> for Note {
    fn from(ready: ReadySource) -> Self {
        Self::Ready(ready)
    }
}

impl BorderNote for Note {
    fn may_be_answered(&self) -> bool {
        !matches!(self, Self::Join(_))
    }

    fn write(&self, words: &mut Vec<u64>) {
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

    fn read(words: &mut impl Iterator<Item = u64>) -> Option<Self> {
        let [tag, first] = parts(words.next()?);
        if tag == Tag::Receipt as u32 {
            return Some(Self::Receipt(first));
        }
        if tag == Tag::Ready as u32 {
            return ReadySource::read(first, words).map(Self::Ready);
        }
        let [source, destination] = parts(words.next()?).map(ProcessId::new);
        let [to, distance] = parts(words.next()?);
        let [operation, _] = parts(words.next()?);
        let start = Cycle::new(words.next()?);
        let to = NodeId::new(to);
        let record = MessageRecord {
            start,
            stage: first,
            operation,
            receiver: 0,
            source,
            destination,
            to,
            distance,
            size: 0,
        };
        let units = words.next()?;
        Some(Self::Join(Traveller { packet: Packet::of_words(words)?, record, units }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cubefold_topology::{Direction, Leg};

    #[test]
    fn notes_are_read_back() {
        let record = MessageRecord {
            start: Cycle::new(u64::MAX),
            stage: 7,
            operation: 2,
            receiver: 0,
            size: 0,
            source: ProcessId::new(u32::MAX),
            destination: ProcessId::new(3),
            to: NodeId::new(u32::MAX - 1),
            distance: 11,
        };
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
            let leg = Leg { direction, hops: 1 << 31 };
            let packet = Packet::first(1 << 29, 0, NodeId::new(5), leg, u32::MAX).with_input(6);
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
