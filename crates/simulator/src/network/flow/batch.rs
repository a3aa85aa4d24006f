//! Messages that depart together, and so arrive together.

use std::collections::VecDeque;

use super::word::Word;
use crate::{Cycle, Cycles};

/// The messages that cross one link each during the same cycles, by direction.
#[derive(Debug)]
pub(super) struct Batch<W> {
    pub(super) flights: Vec<Flight<W>>,
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

impl<W: Word> Batch<W> {
    fn new(directions: usize) -> Self {
        let flight = || Flight { moving: vec![], through: 0, joined: 0, ending: vec![] };
        Self { flights: (0..directions).map(|_| flight()).collect() }
    }

    fn is_empty(&self) -> bool {
        self.flights.iter().all(|flight| flight.moving.is_empty() && flight.ending.is_empty())
    }
}

/// What becomes of a message that goes on.
#[derive(Debug, Clone, Copy)]
pub(super) enum Passing<W> {
    /// It departs: nobody else can want its medium.
    Departs { two_links: W },
    /// It has claimed its medium, which another may contest.
    Claims,
}

impl<W: Word> Flight<W> {
    /// Moves those that arrived within their stretch by a `step`; those that may not go on are moved to
    /// `blocked`.
    pub(super) fn go_on(
        &mut self,
        step: W,
        passing: Passing<W>,
        mut may_go_on: impl FnMut(W) -> bool,
        blocked: &mut Vec<W>,
    ) {
        let ends_below = match passing {
            Passing::Departs { two_links } => two_links,
            Passing::Claims => W::from_bits(0),
        };
        let mut kept = 0;
        for at in 0..self.through {
            let word = self.moving[at].plus(step);
            if !may_go_on(word) {
                blocked.push(word);
            } else if word < ends_below {
                self.ending.push(word);
            } else {
                self.moving[kept] = word;
                kept += 1;
            }
        }
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
        mut departs: impl FnMut(W) -> bool,
        blocked: &mut Vec<W>,
    ) {
        let mut kept = first;
        for at in first..self.joined {
            let word = self.moving[at];
            if !departs(word) {
                blocked.push(word);
            } else if word < two_links {
                self.ending.push(word);
            } else {
                self.moving[kept] = word;
                kept += 1;
            }
        }
        self.moving.drain(kept..self.joined);
        self.joined = kept;
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

/// All batches under way.
///
/// Every transmission takes `T_c`, so batches arrive in the order in which they departed, and one that
/// arrives departs again in the same cycle, less those whose stretch is over or that are held up, and with
/// those that join.
#[derive(Debug)]
pub(super) struct Batches<W> {
    under_way: VecDeque<(Cycle, Batch<W>)>, // by the cycle at which they arrive
    spare: Vec<Batch<W>>,                   // empty ones
    emptied: Vec<Vec<W>>, // lists that were in use, for others: directions mostly take turns
    /// The batch that arrived in this cycle and departs in it; empty between cycles.
    pub(super) current: Batch<W>,
}

impl<W: Word> Batches<W> {
    pub(super) fn new(directions: usize) -> Self {
        Self { under_way: VecDeque::new(), spare: vec![], emptied: vec![], current: Batch::new(directions) }
    }

    /// The cycle at which the next batch arrives.
    pub(super) fn next_end(&self) -> Option<Cycle> {
        self.under_way.front().map(|(end, _)| *end)
    }

    /// The batch that arrives at `now` becomes the current one; whether there is one.
    pub(super) fn arrive(&mut self, now: Cycle) -> bool {
        let Some((_, batch)) = self.under_way.pop_front_if(|(end, _)| *end == now) else { return false };
        debug_assert!(self.current.is_empty(), "what arrived in another cycle has departed");
        self.spare.push(std::mem::replace(&mut self.current, batch));
        true
    }

    /// A message joins the current batch.
    pub(super) fn join(&mut self, direction: usize, word: W) {
        let moving = &mut self.current.flights[direction].moving;
        if moving.capacity() == 0 {
            *moving = self.emptied.pop().unwrap_or_default();
        }
        moving.push(word);
    }

    /// Sees to it that the last links of messages that move have a list.
    pub(super) fn prepare(&mut self, direction: usize) {
        let flight = &mut self.current.flights[direction];
        if flight.ending.capacity() == 0 && !flight.moving.is_empty() {
            flight.ending = self.emptied.pop().unwrap_or_default();
        }
    }

    /// The current batch departs, to arrive `hop` later.
    pub(super) fn depart(&mut self, now: Cycle, hop: Cycles) {
        for flight in &mut self.current.flights {
            flight.through = flight.moving.len();
            for list in [&mut flight.moving, &mut flight.ending] {
                if list.is_empty() && list.capacity() > 0 {
                    self.emptied.push(std::mem::take(list));
                }
            }
        }
        if !self.current.is_empty() {
            let directions = self.current.flights.len();
            let empty = self.spare.pop().unwrap_or_else(|| Batch::new(directions));
            self.under_way.push_back((now + hop, std::mem::replace(&mut self.current, empty)));
        }
    }
}
