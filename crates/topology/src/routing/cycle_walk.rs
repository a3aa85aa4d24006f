//! Walks in shuffle-exchange networks, by the rotations of which they consist.
//!
//! A walk leads along the cycle of places (`shuffle_exchange.rs`). Some places are visited more than once, and their bits are
//! exchanged at any of these visits. The route over the lowest neighbours chooses the visit as it goes ([`Walk`]); for a
//! route that is drawn, the choice is open until then ([`CycleWalk`]).

use super::{
    RouteSteps,
    bit_runs::ones,
    drawn_walks::{MAX_STEPS, OpenWalk, alternates},
    shuffle_exchange::{after, by_place, rotated},
};
use crate::narrow;

/// The parts of a walk that goes there, back and there again; each may be empty.
#[derive(Debug, Clone, Copy)]
pub(super) struct Parts {
    pub(super) is_left_first: bool,
    pub(super) rotations: [u32; 3],
}

impl Parts {
    /// The walk from place 0 to place 0 over the same links that goes the other way first.
    #[inline]
    pub(super) fn other_way(self) -> Self {
        let [there, back, again] = self.rotations;
        Self { is_left_first: !self.is_left_first, rotations: [again, back, there] }
    }
}

/// A walk from a word there, back and there again.
#[derive(Debug, Clone, Copy)]
pub(super) struct Walk {
    pub(super) order: u32,
    pub(super) at: u32,
    pub(super) visits: u32, // places whose bits are exchanged
    pub(super) parts: Parts,
}

impl Walk {
    /// Returns steps with its own behind so many others: of two links the one to the lower word, where a place is visited again.
    #[inline]
    pub(super) fn follow(self, mut steps: RouteSteps, mut before: u32) -> RouteSteps {
        let Self { order, mut at, mut visits, parts } = self;
        let Parts { is_left_first, rotations: parts } = parts;
        for (part, &rotations) in parts.iter().enumerate() {
            let is_left = is_left_first == (part != 1);
            let (step, by, back) = if is_left { (1, 1, order - 1) } else { (2, order - 1, 1) };
            let mut cross = |at: u32, visits: u32, exchange: u32| {
                // An exchange is step 0, as all are that have not been set.
                before = before.wrapping_add(exchange); // fewer than 64
                steps.set(before, step);
                before = before.wrapping_add(1);
                (rotated(order, at ^ exchange, by), rotated(order, visits ^ exchange, back))
            };
            // The way there is all gone back; the end of that is gone again.
            let gone_again = [rotations, parts[2], 0][part];
            for _ in gone_again..rotations {
                (at, visits) = cross(at, visits, visits & 1);
            }
            for _ in 0..gone_again {
                let is_later = rotated(order, at, by) < at ^ 1;
                (at, visits) = cross(at, visits, visits & u32::from(!is_later));
            }
        }
        steps
    }
}

/// A walk with an exchange, if any, and then a rotation at each time; after the last rotation there may be one more exchange.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct CycleWalk {
    order: u32,
    visits: u32,       // places whose bits are exchanged
    rotations: u32,    // at most 2 `order`
    right: u64,        // the times of rotations to the right, a bit each
    pending: u64,      // the times at places whose bits are still to be exchanged
    again: u64,        // the times at places that are visited again later
    returns: [u32; 2], // for each turn, the sum of the times at which a place is visited before and behind it
    drawn: u64,        // the times of exchanges that have been drawn
}

impl CycleWalk {
    /// Returns the walk of these parts that exchanges the bits at some places.
    ///
    /// All places of the first part are visited again in the second, and those at the end of the second in the third. Place 0
    /// is both if the walk ends there.
    #[inline]
    pub(super) fn new(order: u32, visits: u32, parts: Parts) -> Self {
        let Parts { is_left_first, rotations: [there, back, again] } = parts;
        let (rotations, turns) = (there + back + again, [there, there + back]);
        // In the order of the first part; twice, one behind the other, so that each part is a run of bits.
        let places = u64::from(if is_left_first { visits } else { by_place(order, visits) });
        let twice = places | places << order;
        let on_way_back = twice.reverse_bits() >> (u64::BITS - 1 - order - there);
        let on_last_way = twice >> (order + there - back);
        let way_back = ones(back) << there;
        Self {
            order,
            visits,
            rotations,
            right: if is_left_first { way_back } else { ones(rotations) & !way_back },
            pending: twice & ones(there)
                | on_way_back << there & way_back
                | (on_last_way & ones(again + 1)) << turns[1],
            again: ones(there) | ones(again) << (turns[1] - again),
            returns: turns.map(|turn| 2 * turn),
            drawn: 0,
        }
    }

    /// Returns the walks once around, to the left and to the right, that exchange the bits at some places.
    #[inline]
    pub(super) fn around(order: u32, visits: u32) -> [Self; 2] {
        [(visits, 0), (by_place(order, visits), ones(order))].map(|(places, right)| Self {
            order,
            visits,
            rotations: order,
            right,
            pending: u64::from(places) | u64::from(places & 1) << order,
            again: 1,
            returns: [order, 0],
            drawn: 0,
        })
    }

    /// The time of the next visit to a place that is visited again.
    #[inline]
    fn next_visit(&self, time: u32) -> u32 {
        let [first, second] = self.returns;
        if 2 * time < first { first - time } else { second - time }
    }

    /// The number of visits to the place at a time from then on; 3 only at time 0.
    #[inline]
    fn visits_left(&self, time: u32) -> u64 {
        if self.again >> time & 1 == 0 { 1 } else { 2 + (self.again >> self.next_visit(time) & 1) }
    }
}

impl OpenWalk for CycleWalk {
    #[inline]
    fn right(&self) -> u64 {
        self.right
    }

    #[inline]
    fn undecided(&self, other: &Self) -> u64 {
        self.pending & self.again | (self.pending ^ other.pending) | (self.right ^ other.right)
    }

    #[inline]
    fn routes(&self, time: u32) -> [u64; MAX_STEPS] {
        // Each exchange is at one of the visits that are left; at most 2^20.
        let mut all = 1 << (self.pending & self.again).count_ones();
        if self.pending & 1 == 1 && self.visits_left(0) == 3 {
            all -= all / 4; // 3 visits are counted as two times 2
        }
        let exchange = if self.pending >> time & 1 == 1 { all / self.visits_left(time) } else { 0 };
        let rotation = all - exchange;
        if self.right >> time & 1 == 1 { [exchange, 0, rotation, 0] } else { [exchange, rotation, 0, 0] }
    }

    #[inline]
    fn take(&mut self, time: u32, step: u8) {
        self.pending &= !(1 << time);
        if step > 0 {
            return;
        }
        self.drawn |= 1 << time;
        let mut visit = time;
        while self.again >> visit & 1 == 1 {
            visit = self.next_visit(visit);
            self.pending &= !(1 << visit);
        }
    }

    #[inline]
    fn word_after(&self, word: u32, [from, to]: [u32; 2]) -> u32 {
        (from..to).fold(word, |word, time| {
            let exchange = u32::from(self.pending >> time & 1 == 1);
            let by = if self.right >> time & 1 == 1 { self.order - 1 } else { 1 };
            rotated(self.order, word ^ exchange, by)
        })
    }

    #[inline]
    fn after_step(&self, word: u32, time: u32, step: u8) -> (u32, u32) {
        (after(self.order, word, step), time + u32::from(step > 0))
    }

    fn can_alternate(&self, from: u32, _time: u32) -> bool {
        // Bits that alternate do so behind any rotation; those of places that are not visited stay as they are.
        alternates(by_place(self.order, from), narrow(ones(self.order)) & !self.visits)
    }

    #[inline]
    fn steps(&self) -> RouteSteps {
        let (mut steps, mut before, exchanges) = (RouteSteps::default(), 0_u32, self.pending | self.drawn);
        for time in 0..self.rotations {
            // An exchange is step 0, as all are that have not been set.
            before = before.wrapping_add(u32::from(exchanges >> time & 1 == 1)); // fewer than 64
            steps.set(before, if self.right >> time & 1 == 1 { 2 } else { 1 });
            before = before.wrapping_add(1);
        }
        steps
    }
}
