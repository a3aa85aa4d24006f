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
    bit_runs::{longest_runs, places, runs},
    cycle_walk::{CycleWalk, Parts, Walk},
    drawn_walks::DrawnWalks,
    route_graph::RoutesLeft,
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

/// The most bits of a word.
pub(crate) const MAX_ORDER: usize = 20;

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
        let lengths = self.lengths();
        let lengths = &lengths[..self.order as usize];
        let least = lengths.iter().copied().min().unwrap_or(0);
        let ends = (0..).zip(lengths).map(|(turn, &length)| u32::from(length == least) << turn);
        (least, ends.fold(0, |ends, end| ends | end))
    }

    /// The lengths of the shortest walks by where they end; those of ends that there are not mean nothing.
    ///
    /// All are found together, in steps that have no branches.
    #[inline]
    fn lengths(self) -> [u32; MAX_ORDER] {
        let Self { order, from, to } = self;
        let mut visits = [0; MAX_ORDER];
        for (turn, visits) in (0..).zip(&mut visits) {
            *visits = from ^ rotated(order, to, turn);
        }
        // Places that need no visit, behind `t` and before it.
        let (mut above, mut below) = (visits, visits);
        for (turn, (above, below)) in (0..).zip(above.iter_mut().zip(&mut below)) {
            (*above, *below) = (!*above & Walks::between(turn, order), !*below & Walks::between(0, turn));
        }
        let (above, below) = (longest_runs(above), longest_runs(below));
        let mut lengths = visits.map(u32::count_ones);
        for (turn, (length, (above, below))) in (0..).zip(lengths.iter_mut().zip(above.iter().zip(&below))) {
            // All links of the side of the gap there and back, but for its own, and those of the other side once; or all once.
            let [up, down] = [(order.wrapping_sub(turn), above), (turn, below)]
                .map(|(side, run)| order.wrapping_add(side).wrapping_sub(2 + 2 * run));
            *length = length.wrapping_add(up.min(if turn == 0 { order } else { down }));
        }
        lengths
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
    #[inline]
    pub(super) fn routes(order: u32, x: u32, y: u32) -> (u32, ShortestRoutes) {
        let pair = Self::new(order, x, y);
        let (distance, turns) = pair.shortest_walks();
        (distance, ShortestRoutes { pair, at: x, turns })
    }

    /// The links of the route from `x` to `y` over the lowest neighbours, and how many they are.
    pub(super) fn steps(order: u32, x: u32, y: u32) -> (u32, RouteSteps) {
        let (links, mut rest) = Self::routes(order, x, y);
        let mut steps = RouteSteps::default();
        for before in 0..links {
            if let Some(walk) = rest.only_walk(links - before) {
                steps = walk.follow(steps, before);
                break;
            }
            let first = rest.first_steps(links - before);
            let (step, _) = lowest_of(order, rest.at, first);
            steps.set(before, step);
            rest = rest.after_step(step);
        }
        (links, steps)
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
    /// The only walk that is left, of so many links.
    #[inline]
    fn only_walk(&self, links: u32) -> Option<Walk> {
        if !self.turns.is_power_of_two() {
            return None;
        }
        let walks = self.pair.walks(self.turns.trailing_zeros());
        Some(Walk { order: self.pair.order, at: self.at, visits: walks.visits, parts: walks.only(links)? })
    }
}

impl RoutesLeft for ShortestRoutes {
    type Walk = CycleWalk;

    #[inline]
    fn walks(self, links: u32) -> Option<DrawnWalks<CycleWalk>> {
        let mut found = DrawnWalks::new(self.at);
        for turn in places(self.turns.into()) {
            self.pair.walks(turn).push_all(links, &mut found)?;
        }
        Some(found)
    }

    #[inline]
    fn word(&self) -> u32 {
        self.at
    }

    #[inline]
    fn first_steps(&mut self, links: u32) -> u8 {
        let mut first = 0;
        for turn in places(self.turns.into()) {
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

    /// Where the gaps of those of these walks begin that have a length, which no walk between the words falls short of, and
    /// how many links they are: behind `t`, and before it. None of the latter where no walk of such a gap is so long.
    #[inline]
    fn gaps_of(self, length: u32) -> [(u32, u32); 2] {
        let Self { order, turn, visited, .. } = self;
        let whole = visited + order;
        [(turn, order, whole + order - turn), (0, turn, whole + turn)].map(|(from, to, whole)| {
            let half = whole.checked_sub(length).filter(|rest| rest.is_multiple_of(2));
            half.map_or((0, 0), |twice| (self.gaps(from, to, twice / 2), twice / 2))
        })
    }

    /// Whether walks of a length, as in [`Self::gaps_of`], go around once.
    #[inline]
    fn is_around(self, length: u32) -> bool {
        self.turn == 0 && length == self.visited + self.order
    }

    /// The parts of the only one of these walks that has a length, as in [`Self::gaps_of`].
    #[inline]
    fn only(self, length: u32) -> Option<Parts> {
        let [(upper, upper_links), (lower, lower_links)] = self.gaps_of(length);
        if upper.count_ones() + lower.count_ones() != 1 || self.is_around(length) {
            return None;
        }
        if upper == 0 {
            return Some(self.parts_of_lower(lower.trailing_zeros(), lower_links));
        }
        let begin = upper.trailing_zeros();
        (!self.goes_both_ways(begin, upper_links)).then(|| self.parts_of_upper(begin, upper_links))
    }

    /// The walk whose gap of so many links begins at a place before `t`: up to it, down and up.
    #[inline]
    fn parts_of_lower(self, begin: u32, links: u32) -> Parts {
        let end = begin + links;
        Parts { is_left_first: true, rotations: [begin, begin + self.order - end, self.turn - end] }
    }

    /// The walk whose gap of so many links begins at a place behind `t`: down to it, up and down.
    #[inline]
    fn parts_of_upper(self, begin: u32, links: u32) -> Parts {
        let behind = self.order - (begin + links); // links behind the gap
        Parts { is_left_first: false, rotations: [behind, behind + begin, begin - self.turn] }
    }

    /// Whether there is a walk each way around with a gap of so many links behind `t`: from place 0 to place 0, if anything
    /// lies on both sides of the gap.
    #[inline]
    fn goes_both_ways(self, begin: u32, links: u32) -> bool {
        self.turn == 0 && begin > 0 && begin + links < self.order
    }

    /// Adds those of these walks that have a length, as in [`Self::gaps_of`], as far as [`DrawnWalks::push`] does.
    #[inline]
    fn push_all(self, length: u32, found: &mut DrawnWalks<CycleWalk>) -> Option<()> {
        let Self { order, visits, .. } = self;
        let [(upper, upper_links), (lower, lower_links)] = self.gaps_of(length);
        for begin in places(lower.into()) {
            found.push(CycleWalk::new(order, visits, self.parts_of_lower(begin, lower_links)))?;
        }
        for begin in places(upper.into()) {
            let parts = self.parts_of_upper(begin, upper_links);
            found.push(CycleWalk::new(order, visits, parts))?;
            if self.goes_both_ways(begin, upper_links) {
                found.push(CycleWalk::new(order, visits, parts.other_way()))?;
            }
        }
        if self.is_around(length) {
            for walk in CycleWalk::around(order, visits) {
                found.push(walk)?;
            }
        }
        Some(())
    }

    /// The first links of those of these walks that have a length, as in [`Self::gaps_of`].
    #[inline]
    fn first_steps(self, length: u32) -> u8 {
        let [(upper, links), (lower, _)] = self.gaps_of(length);
        let is_around = self.is_around(length);
        let mut steps = self.steps_before_upper(upper, links);
        steps |= if is_around { LEFT | RIGHT } else { self.steps_before_lower(lower) };
        // An exchange that is needed can be the first link.
        let is_found = upper != 0 || lower != 0 || is_around;
        if is_found && self.visits & 1 == 1 { steps | EXCHANGE } else { steps }
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
pub(super) fn by_place(order: u32, word: u32) -> u32 {
    rotated(order, word.reverse_bits() >> (u32::BITS - order), 1)
}

/// A word rotated to the left by less than its length, or by all of it.
#[inline]
pub(super) fn rotated(order: u32, word: u32, by: u32) -> u32 {
    // None of this wraps: the checks would be most of it.
    let all = 1_u32.wrapping_shl(order).wrapping_sub(1);
    (word.wrapping_shl(by) | word.wrapping_shr(order.wrapping_sub(by))) & all
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

/// The number of a link of a word: of a rotation the word that it rotates to the left, the lower where it rotates both; behind
/// all of them, of an exchange.
#[inline]
pub(super) fn link(order: u32, word: u32, there: Hop) -> u32 {
    let next = there.next;
    let [left, right] = [(word, next), (next, word)]
        .map(|(from, to)| select_unpredictable(rotated(order, from, 1) == to, from, u32::MAX));
    select_unpredictable(there.code == 0, 1_u32.wrapping_shl(order) | word >> 1, left.min(right))
}

/// A word after a step: with the other last bit, rotated to the left, rotated to the right.
#[inline]
pub(super) fn after(order: u32, word: u32, step: u8) -> u32 {
    let rotation = rotated(order, word, select_unpredictable(step == 1, 1, order.wrapping_sub(1)));
    select_unpredictable(step == 0, word ^ 1, rotation)
}
