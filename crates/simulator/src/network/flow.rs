//! Full-duplex and half-duplex links: messages flow, and only where two may meet is anything decided.
//!
//! A message in flight is a [`Word`] in the list of its direction, and a hop adds a constant to it. What a
//! message occupies, a *medium*, is a channel (full-duplex) or a link (half-duplex); a bit a medium says
//! whether it is taken: by a transmission, by a queue, or in this cycle by the first who wants it. Whoever
//! finds it taken is queued, and the medium is contested: before anybody departs over it, the smallest key
//! among those who want it is found. So free flight costs one look at one bit.
//!
//! Messages that move the same way and arrive in the same cycle never meet: each comes out of another
//! channel. Under full-duplex links therefore one that goes straight on need not announce itself to
//! others that do, and with `T_c = 1`, when all transmissions end before the next begin, to nobody.

mod batch;
mod bits;
mod passes;
mod track;
mod word;

use cubefold_topology::{Direction, Leg, LinkMode, Machine, NodeId};

pub(crate) use self::word::Layout;
use self::{batch::Batches, bits::Bits, track::Track, word::Word};
use super::{Identities, Network, queues::Queues};
use crate::{Communication, Cycle, Cycles};

/// The network of modes 1 and 2; `W` holds a message in flight.
#[derive(Debug)]
pub(crate) struct Flow<W> {
    hop: Cycles,
    holds: bool, // whether transmissions may be under way while others begin: `T_c > 1`
    meeting: Meeting,
    layout: Layout,
    two_links: W,
    tracks: Vec<Track<W>>, // by direction
    batches: Batches<W>,
    taken: Bits,       // by medium
    contested: Bits,   // by medium: there are messages queued for it
    queues: Queues<W>, // by medium
    picks: Vec<u32>,   // the queues that are to be served in this cycle
    blocked: Vec<W>,   // for the time of a pass, those that are not to go on
}

/// Which messages share a medium.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Meeting {
    /// Those of one direction: a medium is a channel.
    SameWay,
    /// Those of both directions of a dimension: a medium is a link.
    BothWays,
}

impl<W: Word> Flow<W> {
    /// The network of `machine` while nothing moves, for messages of the given layout.
    ///
    /// # Panics
    ///
    /// When the links are single-direction.
    pub(crate) fn new(machine: &Machine, communication: Communication, layout: Layout) -> Self {
        let meeting = match communication.links() {
            LinkMode::FullDuplex => Meeting::SameWay,
            LinkMode::HalfDuplex => Meeting::BothWays,
            LinkMode::SingleDirection => panic!("single-direction links have no media of their own"),
        };
        let nodes = usize::try_from(machine.node_count()).unwrap_or(usize::MAX);
        let directions = Direction::all(machine.shape().dimension_count());
        let tracks: Vec<_> = directions
            .map(|direction| Track::new(machine, direction, meeting.row(direction.index()) * nodes, layout))
            .collect();
        let media = match meeting {
            Meeting::SameWay => tracks.len() * nodes,
            Meeting::BothWays => tracks.len() / 2 * nodes,
        };
        Self {
            hop: communication.hop(),
            holds: communication.hop() > Cycles::new(1),
            meeting,
            layout,
            two_links: layout.two_links(),
            batches: Batches::new(tracks.len()),
            tracks,
            taken: Bits::new(media),
            contested: Bits::new(media),
            queues: Queues::new(media),
            picks: vec![],
            blocked: vec![],
        }
    }
}

impl<W: Word> Network for Flow<W> {
    fn next_end(&self) -> Option<Cycle> {
        self.batches.next_end()
    }

    fn arrive(&mut self, now: Cycle, _: &impl Identities) {
        if self.batches.arrive(now) && self.holds {
            self.release();
        }
    }

    fn take_arrived(&mut self) -> Option<(u32, NodeId)> {
        for (flight, track) in self.batches.current.flights.iter_mut().zip(&self.tracks) {
            if let Some(word) = flight.ending.pop() {
                let node = track.leave(self.layout.position(word));
                return Some((self.layout.message(word), NodeId::new(node)));
            }
        }
        None
    }

    fn join(&mut self, message: u32, node: NodeId, leg: Leg, now: Cycle, identities: &impl Identities) {
        let direction = leg.direction.index();
        let track = &self.tracks[direction];
        let hops = u32::try_from(leg.hops).unwrap_or(u32::MAX); // a leg is shorter than 2^32
        let (position, links) = track.enter(node.index(), hops);
        let word = self.layout.word(links, message, position);
        if self.taken.insert(track.base + position as usize) {
            self.batches.join(direction, word);
        } else {
            self.queue(direction, word, now, identities);
        }
    }

    fn depart(&mut self, now: Cycle, identities: &impl Identities) {
        self.serve();
        for direction in 0..self.tracks.len() {
            self.batches.prepare(direction);
            self.go_on(direction, now, identities);
        }
        for direction in 0..self.tracks.len() {
            self.set_out(direction, now, identities);
        }
        self.queues.end_cycle();
        self.close_queues();
        self.batches.depart(now, self.hop);
    }

    fn longest_queue(&self) -> u32 {
        self.queues.longest()
    }
}

impl Meeting {
    /// The row of the media of a direction.
    fn row(self, direction: usize) -> usize {
        match self {
            Self::SameWay => direction,
            Self::BothWays => direction / 2,
        }
    }
}
