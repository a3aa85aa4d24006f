//! Some lines of a dimension, which are gone through together.

use std::ops::Range;

use cubefold_topology::HostDimension;

use super::{
    Meeting, Rules,
    batch::{Batches, Lists},
    bits::Bits,
    word::Word,
};
use crate::{
    Cycle,
    network::{Identities, queues::Queues},
};

/// Neighbouring lines, with all that waits and moves on them.
#[derive(Debug)]
pub(super) struct Bundle<W> {
    dimension: HostDimension,
    first: usize,                 // the position of its first link
    pub(super) second_way: usize, // added to the place of a medium where messages move `-`
    pub(super) batches: Batches<W>,
    pub(super) taken: Bits,       // by medium
    pub(super) contested: Bits,   // by medium: there are messages queued for it
    pub(super) queues: Queues<W>, // by medium
    pub(super) picks: Vec<usize>, // with `T_c > 1` the media that are to be given to the next in their queues
    pub(super) standing: u32, // with `T_c = 1` how many queues are to be served in this cycle: the first so many
    pub(super) blocked: Vec<W>, // for the time of a pass, those that are not to go on
}

/// What a bundle has to know in a cycle.
pub(super) struct Passage<'cycle, W, I> {
    pub(super) rules: &'cycle Rules<W>,
    pub(super) now: Cycle,
    pub(super) identities: &'cycle I,
    pub(super) lists: &'cycle mut Lists<W>,
}

/// The number of links of a bundle, of the `links` of a dimension whose lines have `length` nodes: as many
/// lines as stay in the nearer caches, at least one. Small machines have some bundles, too, so that what is
/// wrong between bundles would be wrong there.
pub(super) fn size(length: u64, links: u64) -> u64 {
    const AT_MOST: u64 = 1 << 14;
    (AT_MOST.min(links / 4) / length).max(1) * length
}

impl<W: Word> Bundle<W> {
    /// The links at these positions of a dimension, while nothing moves.
    pub(super) fn new(dimension: HostDimension, positions: Range<u64>, meeting: Meeting) -> Self {
        let [first, end] =
            [positions.start, positions.end].map(|at| usize::try_from(at).unwrap_or(usize::MAX));
        let links = end - first;
        let (media, second_way) = match meeting {
            Meeting::SameWay => (2 * links, links),
            Meeting::BothWays => (links, 0),
        };
        Self {
            dimension,
            first,
            second_way,
            batches: Batches::default(),
            taken: Bits::new(media),
            contested: Bits::new(media),
            queues: Queues::new(media),
            picks: vec![],
            standing: 0,
            blocked: vec![],
        }
    }

    /// The dimension of its lines.
    pub(super) fn dimension(&self) -> HostDimension {
        self.dimension
    }

    /// The transmissions that end at `now` have arrived.
    pub(super) fn arrive(&mut self, now: Cycle, rules: &Rules<W>) {
        if self.batches.arrive(now) && rules.holds {
            self.release(rules);
        }
    }

    /// Takes one of those whose stretch is over, with the sign of its direction.
    pub(super) fn take_arrived(&mut self) -> Option<(usize, W)> {
        let mut flights = self.batches.current.flights.iter_mut().enumerate();
        flights.find_map(|(sign, flight)| Some((sign, flight.ending.pop()?)))
    }

    /// A message wants to move over the link at its position.
    pub(super) fn join<I: Identities>(&mut self, sign: usize, word: W, passage: &mut Passage<'_, W, I>) {
        let place = self.place(sign, word, passage.rules);
        if self.taken.insert(place) {
            self.batches.join(sign, word, passage.lists);
        } else {
            self.queue(sign, word, passage);
        }
    }

    /// Idle media are given away, and what has got one departs; whether anything does.
    pub(super) fn depart<I: Identities>(&mut self, passage: &mut Passage<'_, W, I>) -> bool {
        if self.batches.current.is_empty() && self.picks.is_empty() && self.standing == 0 {
            self.queues.end_cycle();
            return false;
        }
        self.serve(passage.rules);
        for sign in 0..2 {
            self.batches.prepare(sign, passage.lists);
            self.go_on(sign, passage);
        }
        for sign in 0..2 {
            self.set_out(sign, passage);
        }
        self.queues.end_cycle();
        self.close_queues(passage.rules);
        let departs = self.batches.depart(passage.now + passage.rules.hop, passage.lists);
        if !departs && self.batches.nothing_moves() {
            self.queues.give_memory_back();
        }
        departs
    }

    /// The most messages of one direction that were in one queue at the end of a cycle.
    pub(super) fn longest_queue(&self) -> u32 {
        self.queues.longest()
    }

    /// The place of the medium that a message is to cross.
    pub(super) fn place(&self, sign: usize, word: W, rules: &Rules<W>) -> usize {
        self.base(sign).wrapping_add(rules.layout.position(word) as usize)
    }

    /// What is added to positions to give the places of media, modulo the range of numbers.
    pub(super) fn base(&self, sign: usize) -> usize {
        (sign * self.second_way).wrapping_sub(self.first)
    }
}
