//! Notes as words, for ranks.

use cubefold_topology::{Direction, HostDimension, Leg, NodeId, Sign, narrow};

use super::super::border::{Note, Visitor};
use crate::{
    message_queue::MessageKey,
    slabs::{BorderNote, ReadySource, pair, parts},
};

/// Words of what one rank sends to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tag {
    Ready,
    Join,
    Receipt,
}

impl BorderNote for Note {
    fn may_be_answered(&self) -> bool {
        !matches!(self, Self::Join(..))
    }

    fn write(&self, words: &mut Vec<u64>) {
        match *self {
            Self::Ready(ready) => ready.write(Tag::Ready as u32, words),
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

    fn read(words: &mut impl Iterator<Item = u64>) -> Option<Self> {
        let [tag, first] = parts(words.next()?);
        if tag == Tag::Receipt as u32 {
            return Some(Self::Receipt(first));
        }
        if tag == Tag::Ready as u32 {
            return ReadySource::read(first, words).map(Self::Ready);
        }
        let [source, destination] = parts(words.next()?);
        let key = MessageKey { stage: first, source, destination };
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

#[cfg(test)]
mod tests {
    use super::*;
    use cubefold_mapping::ProcessId;

    #[test]
    fn notes_are_read_back() {
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
    }
}
