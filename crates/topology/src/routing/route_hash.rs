//! The hash by which routes are drawn, and what it falls on.

use std::hint::select_unpredictable;

use crate::{NodeId, RouteChoice};

/// The hash by which the route between two nodes is drawn: of the seed and both ends, each mixed in with the finaliser of
/// SplitMix64 (Steele, Lea & Flood 2014).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RouteHash(u64);

impl RouteHash {
    /// Returns the hash of a seed and the nodes at the ends of a route.
    #[inline]
    pub(crate) fn new(seed: u64, [from, to]: [NodeId; 2]) -> Self {
        Self(Self::mix(seed)).with(from.index()).with(to.index())
    }

    /// The hash as a number.
    #[inline]
    pub(crate) fn get(self) -> u64 {
        self.0
    }

    /// The hash of such a number.
    #[inline]
    pub(crate) fn of(hash: u64) -> Self {
        Self(hash)
    }

    /// The number by which the next link at a node of the route is drawn.
    #[inline]
    pub(crate) fn at(self, node: u32) -> u64 {
        self.with(node).0
    }

    /// The number by which the next link at a node of a route is drawn, given its ends; 0 for the lowest neighbours.
    #[inline]
    pub(crate) fn of_choice(choice: RouteChoice, ends: [NodeId; 2], at: NodeId) -> u64 {
        match choice {
            RouteChoice::Lowest => 0,
            RouteChoice::Spread(seed) => Self::new(seed, ends).at(at.index()),
        }
    }

    #[inline]
    fn with(self, node: u32) -> Self {
        Self(Self::mix(self.0 ^ u64::from(node)))
    }

    #[inline]
    fn mix(word: u64) -> u64 {
        let word = word.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let word = (word ^ word >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let word = (word ^ word >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^ word >> 31
    }
}

/// A number that falls on one of several weights that lie side by side: a hash, modulo their sum.
#[derive(Debug)]
pub(crate) struct Draw(u64);

impl Draw {
    /// Of weights with this sum, before the first of them; where all are 0 it falls on none.
    #[inline]
    pub(crate) fn new(hash: u64, sum: u64) -> Self {
        Self(hash.checked_rem(sum).unwrap_or(0))
    }

    /// Whether the number falls on the next weight: to be asked of one after another, until it does.
    #[inline]
    pub(crate) fn falls_on(&mut self, weight: u64) -> bool {
        let Self(left) = self;
        let is_own = *left < weight;
        *left = left.wrapping_sub(weight); // unless it falls on this one
        is_own
    }

    /// The one of few that the number falls on, given the weights of all but the last: without branches, as which one it is has
    /// no pattern.
    #[inline]
    pub(crate) fn among<T: Copy, const N: usize>(self, few: [T; N], weight: impl Fn(T) -> u64) -> T {
        let (mut drawn, Self(mut left)) = (few[0], self);
        for pair in few.windows(2) {
            let [before, next] = [pair[0], pair[1]];
            let weight = weight(before);
            let is_behind = left >= weight;
            drawn = select_unpredictable(is_behind, next, drawn);
            left = select_unpredictable(is_behind, left.wrapping_sub(weight), 0);
        }
        drawn
    }
}
