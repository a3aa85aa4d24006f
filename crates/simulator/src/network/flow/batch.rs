//! Messages that depart together, and so arrive together.

use std::{collections::VecDeque, ops::Range};

use super::word::Word;
use crate::Cycle;

/// The messages of a bundle that cross one link each during the same cycles.
#[derive(Debug)]
pub(super) struct Batch<W> {
    /// By the sign of their direction.
    pub(super) flights: [Flight<W>; 2],
}

/// Those of one direction.
#[derive(Debug)]
pub(super) struct Flight<W> {
    /// Those that have links of their stretch before them; in a cycle in which the batch has arrived, behind
    /// these come those that join it.
    pub(super) moving: Vec<W>,
    /// How many of these departed with the batch.
    pub(super) through: usize,
    /// Up to where those that joined it are; behind them are those that waited and have been picked.
    pub(super) joined: usize,
    /// Those that are on the last link of their stretch.
    pub(super) ending: Vec<W>,
}

/// So many messages are looked at together, most often to find that all of them just go on.
const ABREAST: usize = 8;

impl<W: Word> Batch<W> {
    pub(super) fn is_empty(&self) -> bool {
        self.flights.iter().all(|flight| flight.moving.is_empty() && flight.ending.is_empty())
    }
}

impl<W> Default for Batch<W> {
    fn default() -> Self {
        Self { flights: [Flight::default(), Flight::default()] }
    }
}

impl<W> Default for Flight<W> {
    fn default() -> Self {
        Self { moving: vec![], through: 0, joined: 0, ending: vec![] }
    }
}

impl<W: Word> Flight<W> {
    /// Moves those that arrived within their stretch by a `step`: they depart again, but for those that are not
    /// `free` to, which are moved to `blocked`.
    pub(super) fn fly(&mut self, step: W, two_links: W, free: impl Fn(W) -> bool, blocked: &mut Vec<W>) {
        let (mut at, mut kept) = (0, 0);
        let goes_on = |word: W| (word >= two_links) & free(word);
        while at < self.through {
            // Without a branch for each of them.
            if let Some(abreast) = self.moving[at..self.through].first_chunk::<ABREAST>()
                && abreast.iter().fold(true, |all, word| all & goes_on(word.plus(step)))
            {
                self.moving.copy_within(at..at + ABREAST, kept);
                for word in &mut self.moving[kept..kept + ABREAST] {
                    *word = word.plus(step);
                }
                (at, kept) = (at + ABREAST, kept + ABREAST);
                continue;
            }
            let end = self.through.min(at + ABREAST);
            kept = self.sift(at..end, kept, step, two_links, &free, blocked);
            at = end;
        }
        self.close_gap(kept);
    }

    /// Moves those that arrived within their stretch by a `step`. Those that cannot `claim` their medium are
    /// moved to `blocked`; the others whose words are below `ends_below` depart for their last link.
    pub(super) fn go_on(
        &mut self,
        step: W,
        ends_below: W,
        claim: impl FnMut(W) -> bool,
        blocked: &mut Vec<W>,
    ) {
        let kept = self.sift(0..self.through, 0, step, ends_below, claim, blocked);
        self.close_gap(kept);
    }

    /// Moves those behind up to those that go on, of which there are `kept`.
    fn close_gap(&mut self, kept: usize) {
        self.moving.drain(kept..self.through);
        self.joined -= self.through - kept;
        self.through = kept;
    }

    /// From place `first` to those that joined: those that depart stay, or are on their last link; the others
    /// are moved to `blocked`.
    pub(super) fn set_out(
        &mut self,
        first: usize,
        two_links: W,
        departs: impl FnMut(W) -> bool,
        blocked: &mut Vec<W>,
    ) {
        let kept = self.sift(first..self.joined, first, W::placed(0, 0), two_links, departs, blocked);
        self.moving.drain(kept..self.joined);
        self.joined = kept;
    }

    /// Moves those at these places by a `step`, and those of them that `may` depart and have further links to
    /// places from `kept` on; returns where these end.
    #[inline]
    fn sift(
        &mut self,
        places: Range<usize>,
        mut kept: usize,
        step: W,
        ends_below: W,
        mut may: impl FnMut(W) -> bool,
        blocked: &mut Vec<W>,
    ) -> usize {
        for at in places {
            let word = self.moving[at].plus(step);
            if !may(word) {
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

    /// A message departs: on to its next link, or its last.
    #[inline]
    pub(super) fn depart(&mut self, word: W, two_links: W) {
        if word < two_links {
            self.ending.push(word);
        } else {
            self.moving.push(word);
        }
    }
}

/// All batches of a bundle.
///
/// Every transmission takes `T_c`, so batches arrive in the order in which they departed, and one that
/// arrives departs again in the same cycle, less those whose stretch is over or that are held up, and with
/// those that join.
#[derive(Debug)]
pub(super) struct Batches<W> {
    under_way: VecDeque<(Cycle, Batch<W>)>, // by the cycle at which they arrive
    /// The batch that arrived in this cycle and departs in it; empty between cycles.
    pub(super) current: Batch<W>,
}

/// Lists that were in use, for others: bundles mostly take turns.
#[derive(Debug)]
pub(super) struct Lists<W>(Vec<Vec<W>>);

impl<W> Default for Batches<W> {
    fn default() -> Self {
        Self { under_way: VecDeque::new(), current: Batch::default() }
    }
}

impl<W> Default for Lists<W> {
    fn default() -> Self {
        Self(vec![])
    }
}

impl<W: Word> Batches<W> {
    /// The batch that arrives at `now` becomes the current one; whether there is one.
    pub(super) fn arrive(&mut self, now: Cycle) -> bool {
        let Some((_, batch)) = self.under_way.pop_front_if(|(end, _)| *end == now) else { return false };
        debug_assert!(self.current.is_empty(), "what arrived in another cycle has departed");
        self.current = batch;
        true
    }

    /// Whether no batch is under way.
    pub(super) fn nothing_moves(&self) -> bool {
        self.under_way.is_empty()
    }

    /// A message joins the current batch.
    pub(super) fn join(&mut self, sign: usize, word: W, lists: &mut Lists<W>) {
        let moving = &mut self.current.flights[sign].moving;
        lists.prepare(moving);
        moving.push(word);
    }

    /// Sees to it that the last links of messages that move have a list.
    pub(super) fn prepare(&mut self, sign: usize, lists: &mut Lists<W>) {
        let flight = &mut self.current.flights[sign];
        if !flight.moving.is_empty() {
            lists.prepare(&mut flight.ending);
        }
    }

    /// The current batch departs, to arrive at `end`; whether anything is in it.
    pub(super) fn depart(&mut self, end: Cycle, lists: &mut Lists<W>) -> bool {
        for flight in &mut self.current.flights {
            flight.through = flight.moving.len();
            lists.give_back(&mut flight.moving);
            lists.give_back(&mut flight.ending);
        }
        let departs = !self.current.is_empty();
        if departs {
            self.under_way.push_back((end, std::mem::take(&mut self.current)));
        }
        departs
    }
}

impl<W> Lists<W> {
    /// Lets a list that has no memory have that of another.
    fn prepare(&mut self, list: &mut Vec<W>) {
        if list.capacity() == 0 {
            *list = self.0.pop().unwrap_or_default();
        }
    }

    /// Takes the memory of a list without anything in it.
    fn give_back(&mut self, list: &mut Vec<W>) {
        if list.is_empty() && list.capacity() > 0 {
            self.0.push(std::mem::take(list));
        }
    }
}
