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
//!
//! Until it turns a message stays on its line. So a cycle is gone through [`Bundle`] by bundle, each as many
//! lines as stay in the nearer caches with all that waits and moves on them.

mod batch;
mod bits;
mod bundle;
mod passes;
mod track;
mod word;

use std::collections::VecDeque;

use cubefold_topology::{Direction, Leg, LinkMode, Machine, NodeId, Sign};

pub(crate) use self::word::Layout;
use self::{
    batch::Lists,
    bundle::{Bundle, Passage},
    track::Track,
    word::Word,
};
use super::{Identities, Network};
use crate::{Communication, Cycle, Cycles};

/// The network of modes 1 and 2; `W` holds a message in flight.
#[derive(Debug)]
pub(crate) struct Flow<W> {
    rules: Rules<W>,
    tracks: Vec<Track>, // by direction
    bundles: Vec<Bundle<W>>,
    lists: Lists<W>,
    ends: VecDeque<Cycle>, // at which transmissions end, in ascending order
    arrived: usize,        // the bundle from which those that have arrived are taken
}

/// What holds for all bundles.
#[derive(Debug)]
struct Rules<W> {
    hop: Cycles,
    holds: bool, // whether transmissions may be under way while others begin: `T_c > 1`
    meeting: Meeting,
    layout: Layout,
    steps: [W; 2], // what a hop adds to a word, by sign
    two_links: W,
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
        let rules = Rules::new(communication, layout);
        let mut bundles = vec![];
        let mut tracks = vec![];
        for dimension in machine.shape().dimensions() {
            let size = bundle::size(machine.axes()[dimension.index()].length(), machine.node_count());
            for sign in Sign::BOTH {
                tracks.push(Track::new(machine, Direction { dimension, sign }, bundles.len(), size));
            }
            let count = machine.node_count().div_ceil(size);
            bundles.extend((0..count).map(|at| {
                Bundle::new(dimension, at * size..((at + 1) * size).min(machine.node_count()), rules.meeting)
            }));
        }
        let arrived = bundles.len();
        Self { rules, tracks, bundles, lists: Lists::default(), ends: VecDeque::new(), arrived }
    }
}

impl<W: Word> Rules<W> {
    fn new(communication: Communication, layout: Layout) -> Self {
        let meeting = match communication.links() {
            LinkMode::FullDuplex => Meeting::SameWay,
            LinkMode::HalfDuplex => Meeting::BothWays,
            LinkMode::SingleDirection => panic!("single-direction links have no media of their own"),
        };
        Self {
            hop: communication.hop(),
            holds: communication.hop() > Cycles::new(1),
            meeting,
            layout,
            steps: Sign::BOTH.map(|sign| layout.step(sign)),
            two_links: layout.two_links(),
        }
    }
}

impl<W: Word> Network for Flow<W> {
    fn next_end(&self) -> Option<Cycle> {
        self.ends.front().copied()
    }

    fn arrive(&mut self, now: Cycle, _: &impl Identities) {
        if self.ends.pop_front_if(|end| *end == now).is_some() {
            for bundle in &mut self.bundles {
                bundle.arrive(now, &self.rules);
            }
            self.arrived = 0;
        }
    }

    fn take_arrived(&mut self) -> Option<(u32, NodeId)> {
        while let Some(bundle) = self.bundles.get_mut(self.arrived) {
            if let Some((sign, word)) = bundle.take_arrived() {
                let node = self.tracks[2 * bundle.dimension().index() + sign]
                    .leave(self.rules.layout.position(word));
                return Some((self.rules.layout.message(word), NodeId::new(node)));
            }
            self.arrived += 1;
        }
        None
    }

    fn join(&mut self, message: u32, node: NodeId, leg: Leg, now: Cycle, identities: &impl Identities) {
        let hops = u32::try_from(leg.hops).unwrap_or(u32::MAX); // a leg is shorter than 2^32
        let direction = leg.direction.index();
        let entry = self.tracks[direction].enter(node.index(), hops);
        let word = self.rules.layout.word(entry.links, message, entry.position);
        let mut passage = Passage { rules: &self.rules, now, identities, lists: &mut self.lists };
        self.bundles[entry.bundle].join(direction % 2, word, &mut passage);
    }

    fn depart(&mut self, now: Cycle, identities: &impl Identities) {
        let mut departed = false;
        let mut passage = Passage { rules: &self.rules, now, identities, lists: &mut self.lists };
        for bundle in &mut self.bundles {
            departed |= bundle.depart(&mut passage);
        }
        if departed {
            self.ends.push_back(now + self.rules.hop);
        }
    }

    fn longest_queue(&self) -> u32 {
        self.bundles.iter().map(Bundle::longest_queue).max().unwrap_or(0)
    }
}
