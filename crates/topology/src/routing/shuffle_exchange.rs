//! Shuffle-exchange networks: words linked by rotation and by exchange of the last bit.
//!
//! A route is a walk along a cycle of `n` places, one for each bit of the first word: a rotation brings the next bit to the
//! end, where it can be exchanged. It begins at place 0, ends where the word lies as the second one does, after `t`
//! rotations to the left in all, and visits the places whose bits then differ. A shortest walk crosses all links of the
//! cycle but those of one gap, the longest between places that it needs, or all of them once where `t` is 0. The gap lies
//! behind `t` or before it, which decides which way the walk ends.

use std::hint::select_unpredictable;

use super::{
    Hop,
    bit_runs::runs,
    route_graph::{RouteGraph, RoutesLeft},
    route_steps::RouteSteps,
};

/// Two words of a shuffle-exchange network.
#[derive(Debug, Clone, Copy)]
pub(super) struct ShuffleExchange {
    order: u32,
    from: u32, // by place: the bits that come to the end by rotations to the left
    to: u32,
}

/// The walks that end after so many rotations to the left.
#[derive(Debug, Clone, Copy)]
struct Walks {
    order: u32,
    turn: u32,
    visits: u32,  // places whose bits are exchanged
    visited: u32, // how many
}

/// First links of routes, a bit each, in the order of [`after`].
const EXCHANGE: u8 = 1;
const LEFT: u8 = 2;
const RIGHT: u8 = 4;

impl ShuffleExchange {
    #[inline]
    pub(super) fn new(order: u32, x: u32, y: u32) -> Self {
        Self { order, from: by_place(order, x), to: by_place(order, y) }
    }

    #[inline]
    fn walks(self, turn: u32) -> Walks {
        let Self { order, from, to } = self;
        let visits = from ^ rotated(order, to, turn);
        Walks { order, turn, visits, visited: visits.count_ones() }
    }

    #[inline]
    pub(super) fn distance(self) -> u32 {
        self.shortest_walks().0
    }

    /// The length of the shortest walks, and where they end, a bit each.
    #[inline]
    fn shortest_walks(self) -> (u32, u32) {
        // All bits are exchanged on a way around, at worst.
        let (mut least, mut turns) = (2 * self.order, 0);
        for turn in 0..self.order {
            let length = self.walks(turn).shorter_than(least + 1);
            if length < least {
                (least, turns) = (length, 0);
            }
            turns |= u32::from(length == least) << turn;
        }
        (least, turns)
    }

    /// The neighbour of word `x` with the lowest number that is nearer to `y`, another word.
    #[inline]
    pub(super) fn lowest(order: u32, x: u32, y: u32) -> u32 {
        let pair = Self::new(order, x, y);
        let (distance, turns) = pair.shortest_walks();
        let ends = (0..order).filter(|turn| turns >> turn & 1 == 1);
        let steps = ends.fold(0, |steps, turn| steps | pair.walks(turn).first_steps(distance));
        lowest_of(order, x, steps).1
    }

    /// All shortest routes from `x` to `y`, and their length.
    fn routes(order: u32, x: u32, y: u32) -> (u32, ShortestRoutes) {
        let pair = Self::new(order, x, y);
        let (distance, turns) = pair.shortest_walks();
        (distance, ShortestRoutes { pair, at: x, turns })
    }

    /// The links of the route from `x` to `y` over the lowest neighbours, and how many they are.
    pub(super) fn steps(order: u32, x: u32, y: u32) -> (u32, RouteSteps) {
        let (links, mut rest) = Self::routes(order, x, y);
        let mut steps = RouteSteps::default();
        for before in 0..links {
            if let Some(straight) = rest.straight(links - before) {
                (before..links).zip(straight).for_each(|(link, step)| steps.set(link, step));
                break;
            }
            let first = rest.first_steps(links - before);
            let (step, _) = lowest_of(order, rest.at, first);
            steps.set(before, step);
            rest = rest.after_step(step);
        }
        (links, steps)
    }

    /// The words on all shortest routes from `x` to `y`, and their length.
    pub(super) fn route_graph(order: u32, x: u32, y: u32) -> (u32, RouteGraph<ShortestRoutes>) {
        let (links, routes) = Self::routes(order, x, y);
        (links, RouteGraph::new(routes, links))
    }
}

/// The shortest routes between two words, by where their walks end.
///
/// A link leaves only such shortest routes as it begins: those that are left at a word are known from the word before.
#[derive(Debug, Clone, Copy)]
pub(super) struct ShortestRoutes {
    pair: ShuffleExchange,
    at: u32,
    turns: u32, // where walks end, a bit each: those of all shortest routes, and others that a link has ended
}

impl ShortestRoutes {
    /// The steps of the only route that is left, of so many links, if it rotates in one direction only: an exchange at every
    /// place that it visits, each before the rotation to the next place.
    #[inline]
    fn straight(&self, links: u32) -> Option<impl Iterator<Item = u8> + use<>> {
        if !self.turns.is_power_of_two() {
            return None;
        }
        let order = self.pair.order;
        let walks = self.pair.walks(self.turns.trailing_zeros());
        let Walks { turn, visits, visited, .. } = walks;
        // A walk there and back around a gap of half of all links on the other side would be as long.
        let is_other = |from, to| order.is_multiple_of(2) && walks.gaps(from, to, order / 2) != 0;
        let is_left = links == visited + turn && !is_other(0, turn);
        let is_right = turn > 0 && links == visited + order - turn && !is_other(turn, order);
        let (rotation, rotations) = match (is_left, is_right) {
            (true, _) => (1, turn),
            (_, true) => (2, order - turn),
            _ => return None,
        };
        let visited_after = move |rotations: u32| {
            let place = if rotation == 1 { rotations } else { (order - rotations) % order };
            visits >> place & 1 == 1
        };
        let steps = (0..=rotations).flat_map(move |count| {
            let exchange = visited_after(count).then_some(0);
            exchange.into_iter().chain((count < rotations).then_some(rotation))
        });
        Some(steps)
    }
}

impl RoutesLeft for ShortestRoutes {
    #[inline]
    fn word(&self) -> u32 {
        self.at
    }

    #[inline]
    fn first_steps(&mut self, links: u32) -> u8 {
        let (mut rest, mut first) = (self.turns, 0);
        while rest != 0 {
            let turn = rest.trailing_zeros();
            rest &= rest - 1;
            let own = self.pair.walks(turn).first_steps(links);
            first |= own;
            self.turns &= !(u32::from(own == 0) << turn);
        }
        first
    }

    #[inline]
    fn after_step(self, step: u8) -> Self {
        let Self { mut pair, at, mut turns } = self;
        let order = pair.order;
        (pair.from, turns) = match step {
            0 => (pair.from ^ 1, turns),
            1 => (rotated(order, pair.from, order - 1), rotated(order, turns, order - 1)),
            _ => (rotated(order, pair.from, 1), rotated(order, turns, 1)),
        };
        Self { pair, at: after(order, at, step), turns }
    }
}

/// Of these first links, the one to the neighbour of a word with the lowest number, and that neighbour.
#[inline]
fn lowest_of(order: u32, word: u32, steps: u8) -> (u8, u32) {
    let mut lowest = (0, u32::MAX);
    for step in (0..3).filter(|step| steps >> step & 1 == 1) {
        let next = after(order, word, step);
        if next < lowest.1 {
            lowest = (step, next);
        }
    }
    lowest
}

impl Walks {
    /// The places between two others, both left out.
    #[inline]
    fn between(low: u32, high: u32) -> u32 {
        ((1_u32 << high) - 1) & !((2_u32 << low) - 1)
    }

    /// The places at which gaps of at least `links` links begin, between two places.
    #[inline]
    fn gaps(self, from: u32, to: u32, links: u32) -> u32 {
        match links {
            _ if links > to - from => 0,
            0 => 0,
            // No place lies between the ends of a link.
            1 => ((1 << to) - 1) & !((1 << from) - 1),
            _ => runs(!self.visits & Self::between(from, to), links - 1) >> 1,
        }
    }

    /// The length of the shortest of these walks, if it is less than `least`, else that.
    #[inline]
    fn shorter_than(self, mut least: u32) -> u32 {
        let Self { order, turn, visited, .. } = self;
        for (from, to) in [(turn, order), (0, turn)] {
            // All links of this side there and back, and those of the other side once.
            let whole = visited + order + (to - from);
            if from == to {
                least = least.min(whole); // once around
                continue;
            }
            // A gap of so many links makes it shorter.
            let mut links = ((whole + 2).saturating_sub(least) / 2).max(1);
            while self.gaps(from, to, links) != 0 {
                least = least.min(whole - 2 * links);
                links += 1;
            }
        }
        least
    }

    /// The first links of those of these walks that have a length, which no walk between the words falls short of.
    #[inline]
    fn first_steps(self, length: u32) -> u8 {
        let Self { order, turn, visits, visited } = self;
        let half =
            |whole: u32| whole.checked_sub(length).filter(|rest| rest.is_multiple_of(2)).map(|rest| rest / 2);
        let (mut found, mut steps) = (false, 0);
        if let Some(links) = half(visited + 2 * order - turn) {
            let gaps = self.gaps(turn, order, links);
            found |= gaps != 0;
            steps |= self.steps_before_upper(gaps, links);
        }
        if let Some(links) = half(visited + order + turn) {
            let gaps = self.gaps(0, turn, links);
            let is_around = turn == 0 && links == 0;
            found |= gaps != 0 || is_around;
            steps |= if is_around { LEFT | RIGHT } else { self.steps_before_lower(gaps) };
        }
        // An exchange that is needed can be the first link.
        if found && visits & 1 == 1 { steps | EXCHANGE } else { steps }
    }

    /// The first rotations of walks with a gap of so many links behind `t`: down to the end of the gap first, which is place
    /// `n` if nothing lies there, then up to its begin and back to `t`.
    #[inline]
    fn steps_before_upper(self, gaps: u32, links: u32) -> u8 {
        let Self { order, turn, visits, .. } = self;
        if gaps == 0 {
            return 0;
        }
        let last = order - links; // where the gap begins that ends at place n
        let (is_last, others) = (gaps >> last & 1 == 1, gaps & !(1 << last));
        let down = if others != 0 { RIGHT } else { 0 };
        // The walk comes back to place 0 if t is 0; else what is exchanged there has to be exchanged now.
        let is_up = if turn == 0 { gaps & !1 != 0 } else { is_last && visits & 1 == 0 };
        down | if is_up { LEFT } else { 0 }
    }

    /// The first rotations of walks with a gap before `t`: up to its begin, then down to its end and back up to `t`.
    #[inline]
    fn steps_before_lower(self, gaps: u32) -> u8 {
        let up = if gaps & !1 != 0 { LEFT } else { 0 };
        // The walk does not come back to place 0.
        let is_down = gaps & 1 == 1 && self.visits & 1 == 0;
        up | if is_down { RIGHT } else { 0 }
    }
}

/// The bits of a word by the number of rotations to the left that bring them to the end.
#[inline]
fn by_place(order: u32, word: u32) -> u32 {
    rotated(order, word.reverse_bits() >> (u32::BITS - order), 1)
}

/// A word rotated to the left by less than its length, or by all of it.
#[inline]
fn rotated(order: u32, word: u32, by: u32) -> u32 {
    (word << by | word >> (order - by)) & ((1 << order) - 1)
}

/// How many steps there are.
pub(super) const STEPS: u32 = 3;

/// The link of a step, whose code is the first step that leads to the same word.
#[inline]
pub(super) fn hop(order: u32, word: u32, step: u8) -> Hop {
    let next = after(order, word, step);
    // An exchange changes the number of ones, a rotation does not.
    let is_left = (step == 2) & (next == rotated(order, word, 1));
    Hop { code: select_unpredictable(is_left, 1, step.into()), next }
}

/// A word after a step: with the other last bit, rotated to the left, rotated to the right.
#[inline]
pub(super) fn after(order: u32, word: u32, step: u8) -> u32 {
    let rotation = rotated(order, word, select_unpredictable(step == 1, 1, order - 1));
    select_unpredictable(step == 0, word ^ 1, rotation)
}
