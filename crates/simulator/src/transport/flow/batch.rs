//! Messages that depart together, and so arrive together.
//!
//! Every transmission takes `T_c`, so batches arrive in the order in which they departed: a
//! first-in first-out list replaces an event queue. A batch that arrives departs again in the same
//! cycle, minus the messages whose stretch is over or that are blocked, plus those that join it.

use std::{collections::VecDeque, ops::Range};

use super::word::Word;
use crate::Cycle;

/// The messages of a block that cross one link each during the same cycles.
#[derive(Debug, Default)]
pub(super) struct Batch {
    pub(super) flights: [Flight; 2], // by the sign of their direction
}

/// The messages of a batch that move in one direction.
#[derive(Debug, Default)]
pub(super) struct Flight {
    /// The messages with further links in their stretch; in a cycle in which the batch has arrived,
    /// followed by the messages that join it.
    pub(super) moving: Vec<Word>,
    /// The number of these that departed with the batch.
    pub(super) through: usize,
    /// The end of the messages that joined it; those after them were queued and have been granted
    /// a resource.
    pub(super) joined: usize,
    /// The messages on the last link of their stretch.
    pub(super) ending: Vec<Word>,
}

/// The number of messages tested together: most often all of them continue.
const CHUNK: usize = 8;

impl Batch {
    pub(super) fn is_empty(&self) -> bool {
        self.flights.iter().all(|flight| flight.moving.is_empty() && flight.ending.is_empty())
    }
}

impl Flight {
    /// Moves the messages that arrived within their stretch by a `step`: they depart again, except
    /// those that are not `free`, which are moved to `blocked`.
    pub(super) fn move_free(
        &mut self,
        step: Word,
        two_links: Word,
        free: impl Fn(Word) -> bool,
        blocked: &mut Vec<Word>,
    ) {
        let (mut at, mut kept) = (0, 0);
        // Branch-free per message.
        let all_continue = |chunk: &[Word; CHUNK]| {
            let mut all = true;
            for word in chunk {
                let word = word.wrapping_add(step);
                all &= (word >= two_links) & free(word);
            }
            all
        };
        while at < self.through {
            if let Some(chunk) = self.moving[at..self.through].first_chunk::<CHUNK>()
                && all_continue(chunk)
            {
                self.moving.copy_within(at..at + CHUNK, kept);
                for word in &mut self.moving[kept..kept + CHUNK] {
                    *word = word.wrapping_add(step);
                }
                (at, kept) = (at + CHUNK, kept + CHUNK);
                continue;
            }
            let end = self.through.min(at + CHUNK);
            kept = self.partition(at..end, kept, step, two_links, &free, blocked);
            at = end;
        }
        self.close_gap(kept);
    }

    /// Moves the messages that arrived within their stretch by a `step`. Those that cannot `claim`
    /// their resource are moved to `blocked`; the others whose words are below `ends_below` depart
    /// for their last link.
    pub(super) fn move_claiming(
        &mut self,
        step: Word,
        ends_below: Word,
        claim: impl FnMut(Word) -> bool,
        blocked: &mut Vec<Word>,
    ) {
        let kept = self.partition(0..self.through, 0, step, ends_below, claim, blocked);
        self.close_gap(kept);
    }

    /// Closes the gap after the `kept` messages that continue.
    fn close_gap(&mut self, kept: usize) {
        self.moving.drain(kept..self.through);
        self.joined -= self.through - kept;
        self.through = kept;
    }

    /// Of the messages from index `first` to the joined ones, those that depart stay or go to
    /// their last link, and the others are moved to `blocked`.
    pub(super) fn depart_claimed(
        &mut self,
        first: usize,
        two_links: Word,
        departs: impl FnMut(Word) -> bool,
        blocked: &mut Vec<Word>,
    ) {
        let kept = self.partition(first..self.joined, first, 0, two_links, departs, blocked);
        self.moving.drain(kept..self.joined);
        self.joined = kept;
    }

    /// Moves the messages at these indices by a `step`, and those that `may_depart` and have
    /// further links to indices from `kept` on; returns the end of these.
    #[inline]
    fn partition(
        &mut self,
        indices: Range<usize>,
        mut kept: usize,
        step: Word,
        ends_below: Word,
        mut may_depart: impl FnMut(Word) -> bool,
        blocked: &mut Vec<Word>,
    ) -> usize {
        for at in indices {
            let word = self.moving[at].wrapping_add(step);
            if !may_depart(word) {
                blocked.push(word);
            } else if word < ends_below {
                self.ending.push(word);
            } else {
                self.moving[kept] = word;
                kept += 1;
            }
        }
        kept
    }

    /// A message departs over its next link, or its last.
    #[inline]
    pub(super) fn depart(&mut self, word: Word, two_links: Word) {
        if word < two_links {
            self.ending.push(word);
        } else {
            self.moving.push(word);
        }
    }
}

/// All batches of a block.
#[derive(Debug, Default)]
pub(super) struct Batches {
    in_flight: VecDeque<(Cycle, Batch)>, // by the cycle at which they arrive
    /// The batch that arrived in this cycle and departs in it; empty between cycles.
    pub(super) current: Batch,
}

/// Memory of emptied lists, for reuse: blocks are mostly active one after another.
#[derive(Debug, Default)]
pub(super) struct BufferPool(Vec<Vec<Word>>);

impl Batches {
    /// The batch that arrives at `now` becomes the current one; returns whether there is one.
    pub(super) fn arrive(&mut self, now: Cycle) -> bool {
        let Some((_, batch)) = self.in_flight.pop_front_if(|(end, _)| *end == now) else { return false };
        debug_assert!(self.current.is_empty(), "a batch of another cycle has departed");
        self.current = batch;
        true
    }

    /// Whether no batch is in flight.
    pub(super) fn is_idle(&self) -> bool {
        self.in_flight.is_empty()
    }

    /// A message joins the current batch.
    pub(super) fn join(&mut self, sign: usize, word: Word, buffers: &mut BufferPool) {
        let moving = &mut self.current.flights[sign].moving;
        buffers.provide(moving);
        moving.push(word);
    }

    /// Provides memory for the messages that reach their last link.
    pub(super) fn prepare(&mut self, sign: usize, buffers: &mut BufferPool) {
        let flight = &mut self.current.flights[sign];
        if !flight.moving.is_empty() {
            buffers.provide(&mut flight.ending);
        }
    }

    /// The current batch departs, to arrive at `end`; returns whether it has any messages.
    pub(super) fn depart(&mut self, end: Cycle, buffers: &mut BufferPool) -> bool {
        for flight in &mut self.current.flights {
            flight.through = flight.moving.len();
            buffers.reclaim(&mut flight.moving);
            buffers.reclaim(&mut flight.ending);
        }
        let departs = !self.current.is_empty();
        if departs {
            self.in_flight.push_back((end, std::mem::take(&mut self.current)));
        }
        departs
    }
}

impl BufferPool {
    /// Gives a list without memory the memory of another.
    fn provide(&mut self, list: &mut Vec<Word>) {
        if list.capacity() == 0 {
            *list = self.0.pop().unwrap_or_default();
        }
    }

    /// Takes the memory of an empty list.
    fn reclaim(&mut self, list: &mut Vec<Word>) {
        if list.is_empty() && list.capacity() > 0 {
            self.0.push(std::mem::take(list));
        }
    }
}
