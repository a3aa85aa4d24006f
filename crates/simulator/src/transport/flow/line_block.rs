//! A block of neighbouring lines of a dimension, with all messages that wait and move on them.
//!
//! In a cycle a block goes through its messages in passes over the lists of [`Batches`]: resources
//! of arrived messages are released, queues are served, messages within their stretch
//! [continue](LineBlock::continue_straight), and messages that claimed a resource in this cycle
//! [depart](LineBlock::begin_stretches) or join its queue. Invariant between cycles: a resource is
//! marked as occupied exactly while it has a queue or, with `T_c > 1`, transmits.

use std::ops::Range;

use cubefold_topology::{HostDimension, narrow};

use super::{
    FlowPlan, Resource,
    batch::{Batches, BufferPool},
    word::Word,
};
use crate::{Cycle, channel_queue::ChannelQueues, engine::MessageTable, message_queue::MessageKey};

/// Neighbouring lines of a dimension.
#[derive(Debug)]
pub(super) struct LineBlock {
    pub(super) dimension: HostDimension,
    first: usize,           // the position of its first link
    negative_offset: usize, // added to the place of a resource where messages move `-`
    batches: Batches,
    occupied: BitSet,            // by resource
    has_queue: BitSet,           // by resource
    queues: ChannelQueues<Word>, // by resource
    grants: Vec<usize>,          // with `T_c > 1` the resources to be granted to the first of their queues
    pending_queues: u32,         // with `T_c = 1`, the number of queues to serve now, from the first
    blocked: Vec<Word>,          // during a pass, the messages that do not continue
}

/// The inputs of a block in a cycle.
pub(super) struct FlowCycle<'cycle> {
    pub(super) rules: &'cycle FlowPlan,
    pub(super) now: Cycle,
    pub(super) keys: &'cycle MessageTable,
    pub(super) buffers: &'cycle mut BufferPool,
}

impl FlowCycle<'_> {
    #[inline]
    fn key(&self, word: Word) -> MessageKey {
        self.keys.message_key(self.rules.layout.message(word))
    }
}

/// The number of links of a block, of the `links` of a dimension whose lines have `length` links each: as many lines
/// as fit in the L2 cache, at least one. Small machines also have several blocks, so that their tests cover
/// the bounds between blocks.
pub(super) fn block_size(length: u64, links: u64) -> u64 {
    const MAX_LINKS: u64 = 1 << 14;
    (MAX_LINKS.min(links / 4) / length).max(1) * length
}

impl LineBlock {
    /// The links at these positions of a dimension, while nothing moves.
    pub(super) fn new(dimension: HostDimension, positions: Range<u64>, resource: Resource) -> Self {
        let [first, end] =
            [positions.start, positions.end].map(|at| usize::try_from(at).unwrap_or(usize::MAX));
        let links = end - first;
        let (resources, negative_offset) = match resource {
            Resource::Channel => (2 * links, links),
            Resource::Link => (links, 0),
        };
        Self {
            dimension,
            first,
            negative_offset,
            batches: Batches::default(),
            occupied: BitSet::new(resources),
            has_queue: BitSet::new(resources),
            queues: ChannelQueues::new(resources),
            grants: vec![],
            pending_queues: 0,
            blocked: vec![],
        }
    }

    /// The transmissions that end at `now` arrive.
    pub(super) fn arrive(&mut self, now: Cycle, rules: &FlowPlan) {
        if self.batches.arrive(now) && rules.multi_cycle_links {
            self.release(rules);
        }
    }

    /// Takes a message whose stretch is over, with the sign of its direction.
    pub(super) fn take_arrived(&mut self) -> Option<(usize, Word)> {
        let mut flights = self.batches.current.flights.iter_mut().enumerate();
        flights.find_map(|(sign, flight)| Some((sign, flight.ending.pop()?)))
    }

    /// A message needs the link at its position.
    pub(super) fn join(&mut self, sign: usize, word: Word, cycle: &mut FlowCycle<'_>) {
        let place = self.place(sign, word, cycle.rules);
        if self.occupied.insert(place) {
            self.batches.join(sign, word, cycle.buffers);
        } else {
            self.queue(sign, word, cycle);
        }
    }

    /// Whether any resource may be granted.
    pub(super) fn may_depart(&self) -> bool {
        !self.batches.current.is_empty() || !self.grants.is_empty() || self.pending_queues > 0
    }

    /// Grants idle resources, and lets their messages depart; returns whether any does.
    pub(super) fn depart(&mut self, cycle: &mut FlowCycle<'_>) -> bool {
        if !self.may_depart() {
            self.queues.end_cycle();
            return false;
        }
        self.serve(cycle);
        for sign in 0..2 {
            self.batches.prepare(sign, cycle.buffers);
            self.continue_straight(sign, cycle);
        }
        for sign in 0..2 {
            self.begin_stretches(sign, cycle);
        }
        self.queues.end_cycle();
        self.close_queues(cycle.rules);
        let departs = self.batches.depart(cycle.now + cycle.rules.link_time, cycle.buffers);
        if !departs && self.batches.is_idle() {
            self.queues.release_memory();
        }
        departs
    }

    /// The most messages of one direction that were in one queue at the end of a cycle.
    pub(super) fn longest_queue(&self) -> u32 {
        self.queues.longest
    }

    /// The place of the resource that a message is to cross.
    fn place(&self, sign: usize, word: Word, rules: &FlowPlan) -> usize {
        self.base(sign).wrapping_add(rules.layout.position(word) as usize)
    }

    /// The difference of the places of resources and the positions of links, modulo the range of
    /// numbers.
    fn base(&self, sign: usize) -> usize {
        (sign * self.negative_offset).wrapping_sub(self.first)
    }

    /// Frees the resources of the arrived batch, or lists them to be granted to the first of their
    /// queues.
    fn release(&mut self, rules: &FlowPlan) {
        let layout = rules.layout;
        let bases = [0, 1].map(|sign| self.base(sign));
        let Self { batches, occupied, has_queue, queues, grants, .. } = self;
        for (flight, base) in batches.current.flights.iter().zip(bases) {
            let words = flight.moving.iter().chain(&flight.ending);
            let places = words.map(|&word| base.wrapping_add(layout.position(word) as usize));
            if queues.count() == 0 {
                places.for_each(|place| occupied.remove(place));
                continue;
            }
            for place in places {
                if has_queue.contains(place) {
                    grants.push(place);
                } else {
                    occupied.remove(place);
                }
            }
        }
    }

    /// Grants every idle resource with a queue to the first message in it.
    ///
    /// These messages have waited since an earlier cycle, and come before all that join in this
    /// one.
    fn serve(&mut self, cycle: &FlowCycle<'_>) {
        for flight in &mut self.batches.current.flights {
            flight.joined = flight.moving.len();
        }
        if cycle.rules.multi_cycle_links {
            for at in 0..self.grants.len() {
                if let Some(queue) = self.queues.number(self.grants[at]) {
                    self.serve_first(queue, cycle);
                }
            }
        } else {
            for queue in 0..self.pending_queues {
                self.serve_first(queue, cycle);
            }
        }
    }

    /// The first message of a queue departs, unless the queue is empty.
    fn serve_first(&mut self, queue: u32, cycle: &FlowCycle<'_>) {
        if let Some((sign, word)) = self.queues.take_first(queue, |word| cycle.key(word)) {
            self.batches.current.flights[sign as usize].depart(word, cycle.rules.two_links);
        }
    }

    /// Continues the messages of a direction that arrived within their stretch, or queues them if
    /// the next resource is occupied.
    fn continue_straight(&mut self, sign: usize, cycle: &FlowCycle<'_>) {
        let &FlowPlan { resource, multi_cycle_links, layout, two_links, steps, .. } = cycle.rules;
        let (base, step) = (self.base(sign), steps[sign]);
        let no_queues = self.queues.count() == 0;
        let Self { occupied, blocked, .. } = self;
        let flight = &mut self.batches.current.flights[sign];
        let place = |word: Word| base.wrapping_add(layout.position(word) as usize);
        match resource {
            Resource::Channel if !multi_cycle_links && no_queues && flight.joined == flight.through => {
                flight.move_free(step, two_links, |_| true, blocked);
            }
            Resource::Channel if !multi_cycle_links => {
                flight.move_free(step, two_links, |word| !occupied.contains(place(word)), blocked);
            }
            Resource::Channel => {
                flight.move_claiming(step, two_links, |word| occupied.insert(place(word)), blocked);
            }
            Resource::Link => {
                // A message of the other direction may claim the link: the winner is known
                // when all have arrived.
                flight.move_claiming(step, 0, |word| occupied.insert(place(word)), blocked);
            }
        }
        while let Some(word) = self.blocked.pop() {
            self.queue(sign, word, cycle);
        }
    }

    /// Lets the messages of a direction that claimed a resource in this cycle depart. If the resource has a
    /// queue, the first of all that need it departs instead.
    fn begin_stretches(&mut self, sign: usize, cycle: &FlowCycle<'_>) {
        let FlowCycle { rules, now, .. } = cycle;
        let base = self.base(sign);
        let Self { occupied, has_queue, blocked, .. } = self;
        let flight = &mut self.batches.current.flights[sign];
        let first = match rules.resource {
            Resource::Channel => flight.through,
            Resource::Link => 0,
        };
        let departs = |word: Word| {
            let place = base.wrapping_add(rules.layout.position(word) as usize);
            let alone = !has_queue.contains(place);
            if alone && !rules.multi_cycle_links {
                occupied.remove(place);
            }
            alone
        };
        flight.depart_claimed(first, rules.two_links, departs, blocked);
        while let Some(word) = self.blocked.pop() {
            let place = self.place(sign, word, rules);
            let (sign, word) =
                self.queues.exchange(place, narrow(sign as u64), word, *now, |word| cycle.key(word));
            self.batches.current.flights[sign as usize].depart(word, rules.two_links);
            if rules.multi_cycle_links {
                self.grants.push(place);
            }
        }
    }

    /// A message joins the queue of its resource, which is occupied.
    fn queue(&mut self, sign: usize, word: Word, cycle: &FlowCycle<'_>) {
        let place = self.place(sign, word, cycle.rules);
        self.has_queue.insert(place);
        self.queues.join(place, narrow(sign as u64), word, cycle.now, |word| cycle.key(word));
    }

    /// Closes the candidate queues that are empty now.
    fn close_queues(&mut self, rules: &FlowPlan) {
        let Self { queues, occupied, has_queue, grants, .. } = self;
        if rules.multi_cycle_links {
            for place in grants.drain(..) {
                if queues.number(place).and_then(|queue| queues.close_if_empty(queue)).is_some() {
                    has_queue.remove(place);
                }
            }
        } else {
            // In reverse: a queue that takes the number of another has been checked.
            for queue in (0..queues.count()).rev() {
                if let Some(place) = queues.close_if_empty(queue) {
                    has_queue.remove(place);
                    occupied.remove(place);
                }
            }
        }
        self.pending_queues = if rules.multi_cycle_links { 0 } else { queues.count() };
    }
}

/// A set of resources, by their places: a bit for each.
#[derive(Debug)]
struct BitSet {
    words: Vec<u64>, // a power of two of them, so that a masked index is always in their range
}

impl BitSet {
    /// The empty set, with room for `places` places.
    fn new(places: usize) -> Self {
        Self { words: vec![0; places.div_ceil(64).next_power_of_two()] }
    }

    #[inline]
    fn contains(&self, place: usize) -> bool {
        self.words[self.word(place)] & bit(place) != 0
    }

    /// Inserts a place; returns whether it is new.
    #[inline]
    fn insert(&mut self, place: usize) -> bool {
        let at = self.word(place);
        let word = &mut self.words[at];
        let fresh = *word & bit(place) == 0;
        *word |= bit(place);
        fresh
    }

    /// Removes a place that is in the set.
    #[inline]
    fn remove(&mut self, place: usize) {
        debug_assert!(self.contains(place), "only what is in the set leaves it");
        let at = self.word(place);
        self.words[at] &= !bit(place);
    }

    #[inline]
    fn word(&self, place: usize) -> usize {
        (place / 64) & self.words.len().wrapping_sub(1)
    }
}

#[inline]
fn bit(place: usize) -> u64 {
    1 << (place % 64)
}
