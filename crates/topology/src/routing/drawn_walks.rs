//! One of all shortest routes between two words, drawn by a hash of each word on it.
//!
//! Between most words the shortest routes are those of a few walks. A walk fixes its directions; where some of its steps are
//! open, it stands for several routes. A route is drawn step by step among the walks that begin with its steps so far, so that
//! all of them are at the same word at the same time. A word is hashed only where they differ, or have an open step.
//!
//! The routes of a word are counted by adding those of the walks, so that no two walks may have a route in common. They would
//! have it with different steps. A step to the left and one to the right lead to the same word only between the two words
//! whose bits alternate, and a shortest route visits a word once: such walks go different ways at exactly one time. Where that
//! is possible, or there are many walks, the words on all routes are found instead ([`RouteGraph`]).

use super::{
    RouteSteps,
    route_graph::{RouteGraph, RoutesLeft},
};

/// A shortest walk between two words, some of whose steps may be open.
///
/// Its shifts, or rotations, are numbered by times from 0 on, fewer than 64.
pub(super) trait OpenWalk: Copy + Default {
    /// The times at which this walk shifts or rotates words to the right, a bit each.
    fn right(&self) -> u64;

    /// The times at which this walk has an open step, or another step than a walk that is the same up to there, a bit each.
    fn undecided(&self, other: &Self) -> u64;

    /// The number of routes that go on with each step at a time, if no step before is open; at most 2^21.
    fn routes(&self, time: u32) -> [u64; MAX_STEPS];

    /// Keeps only the routes that go on with one of these steps.
    fn take(&mut self, time: u32, step: u8);

    /// The word that this walk is at at the second of two times, given the word at the first; no step between is open.
    fn word_after(&self, word: u32, times: [u32; 2]) -> u32;

    /// The word behind a step at a time, and the time of the step after it.
    fn after_step(&self, word: u32, time: u32, step: u8) -> (u32, u32);

    /// Whether the bits of the word at a time can alternate, given the word at time 0.
    fn can_alternate(&self, from: u32, time: u32) -> bool;

    /// The links of this walk, if no step is open.
    fn steps(&self) -> RouteSteps;
}

/// The most different steps from a word.
pub(super) const MAX_STEPS: usize = 4;

/// The most walks among which routes are drawn.
const MAX_WALKS: usize = 8;

/// Walks from a word, no two of which have a route in common.
#[derive(Debug, Clone, Copy)]
pub(super) struct DrawnWalks<W> {
    from: u32,
    walks: [W; MAX_WALKS],
    count: usize, // at most MAX_WALKS
}

impl<W: OpenWalk> DrawnWalks<W> {
    /// Returns no walks.
    #[inline]
    pub(super) fn new(from: u32) -> Self {
        Self { from, walks: [W::default(); MAX_WALKS], count: 0 }
    }

    /// The walks.
    #[inline]
    fn iter(&self) -> impl Iterator<Item = &W> {
        self.walks.iter().take(self.count)
    }

    /// Adds a walk; none where there are too many walks, or another one may have a route in common with it.
    #[inline]
    pub(super) fn push(&mut self, walk: W) -> Option<()> {
        let may_share_routes = |other: &W| {
            let differing = walk.right() ^ other.right();
            differing.is_power_of_two() && walk.can_alternate(self.from, differing.trailing_zeros())
        };
        if self.iter().any(may_share_routes) {
            return None;
        }
        *self.walks.get_mut(self.count)? = walk;
        self.count += 1;
        Some(())
    }

    /// One of the routes, the same that [`RouteGraph::draw`] draws.
    #[inline]
    fn draw(mut self, hash: impl Fn(u32) -> u64) -> RouteSteps {
        let (mut word, mut time) = (self.from, 0);
        loop {
            let [first, ..] = self.walks;
            let undecided = self.iter().fold(0, |times, walk| times | walk.undecided(&first));
            if undecided == 0 {
                return first.steps();
            }
            let next = undecided.trailing_zeros();
            word = first.word_after(word, [time, next]);
            time = next;
            let mut routes = [0; MAX_STEPS];
            for walk in self.iter() {
                let own = walk.routes(time);
                routes.iter_mut().zip(own).for_each(|(sum, own)| *sum += own);
            }
            let behind = [0, 1, 2, 3].map(|step| first.after_step(word, time, step));
            let step = drawn_step(routes, behind.map(|(word, _)| word), hash(word));
            self.take(time, step);
            (word, time) = behind[usize::from(step)];
        }
    }

    /// Keeps only the walks, and their routes, that go on with a step at a time.
    #[inline]
    fn take(&mut self, time: u32, step: u8) {
        let mut kept = 0;
        for place in 0..self.count {
            let mut walk = self.walks[place];
            let has_step = walk.routes(time)[usize::from(step)] > 0;
            walk.take(time, step);
            self.walks[kept] = walk;
            kept += usize::from(has_step);
        }
        self.count = kept;
    }
}

/// The step that a hash draws, given the number of routes that go on with each step and the word behind it: of all routes,
/// ordered by these words, the one whose number is the hash modulo how many there are.
#[inline]
fn drawn_step(routes: [u64; MAX_STEPS], words: [u32; MAX_STEPS], hash: u64) -> u8 {
    let all: u64 = routes.iter().sum(); // at most 2^24: no number is cut to MAX_ROUTE_COUNT
    let drawn = hash % all;
    let mut found = 0;
    for (step, (own, word)) in (0..).zip(routes.into_iter().zip(words)) {
        let lower = routes.iter().zip(words).map(|(&routes, other)| if other < word { routes } else { 0 });
        let before: u64 = lower.sum();
        found |= if drawn >= before && drawn - before < own { step } else { 0 };
    }
    found
}

/// The links of one of these routes of so many links, drawn by a hash of each word on it.
#[inline]
pub(super) fn draw<R: RoutesLeft>(routes: R, links: u32, hash: impl Fn(u32) -> u64) -> RouteSteps {
    match routes.walks(links) {
        Some(walks) => walks.draw(hash),
        None => RouteGraph::new(routes, links).draw(hash),
    }
}

/// Whether the bits of a word can alternate, if only some of them are fixed.
#[inline]
pub(super) fn alternates(word: u32, fixed: u32) -> bool {
    let differing = (word ^ (u32::MAX / 3)) & fixed;
    differing == 0 || differing == fixed
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        NodeId, RouteChoice,
        routing::{RouteHash, de_bruijn::DeBruijn, shuffle_exchange::ShuffleExchange, tests::long_words},
    };

    /// Pairs of words: those whose routes are drawn among walks, and all.
    #[derive(Debug, Default)]
    struct PairCount {
        direct: usize,
        all: usize,
    }

    impl PairCount {
        /// Compares routes that are drawn among walks with those that are drawn among the words on all shortest routes.
        fn check<R: RoutesLeft>(&mut self, (links, routes): (u32, R), [from, to]: [u32; 2], seeds: u64) {
            self.all += 1;
            let Some(walks) = routes.walks(links) else { return };
            self.direct += 1;
            let graph = RouteGraph::new(routes, links);
            for seed in 0..seeds {
                let choice = RouteChoice::Spread(seed);
                let hash = |at| RouteHash::of_choice(choice, [from, to].map(NodeId::new), NodeId::new(at));
                assert_eq!(walks.draw(hash), graph.draw(hash), "{from:b} {to:b} {seed}");
            }
        }
    }

    /// Checks routes between these pairs of words in both networks.
    fn check_all(order: u32, pairs: impl Iterator<Item = (u32, u32)>, seeds: u64) -> [PairCount; 2] {
        let [mut shifts, mut rotations] = [PairCount::default(), PairCount::default()];
        for (from, to) in pairs {
            shifts.check(DeBruijn::new(order, from, to).routes(), [from, to], seeds);
            rotations.check(ShuffleExchange::routes(order, from, to), [from, to], seeds);
        }
        [shifts, rotations]
    }

    #[test]
    fn routes_between_short_words_drawn_among_walks_are_those_drawn_among_all_routes() {
        for order in 1..=6 {
            let words = 1 << order;
            let pairs = (0..words).flat_map(|from| (0..words).map(move |to| (from, to)));
            let counts = check_all(order, pairs, 12);
            // The two words whose bits alternate are on most routes between shorter words.
            let is_mostly_direct = counts.iter().all(|count| 2 * count.direct > count.all);
            assert!(is_mostly_direct || order < 3, "{order} {counts:?}");
        }
    }

    #[test]
    fn routes_between_long_words_drawn_among_walks_are_those_drawn_among_all_routes() {
        for order in 11..=20 {
            let counts = check_all(order, long_words(order, 3000), 4);
            assert!(counts.iter().all(|count| 2 * count.direct > count.all), "{order} {counts:?}");
            // Both words of every sixteenth pair are random.
            let random = long_words(order, 16_000).step_by(16);
            let counts = check_all(order, random, 4);
            assert!(counts.iter().all(|count| 50 * count.direct > 49 * count.all), "{order} {counts:?}");
        }
    }
}
