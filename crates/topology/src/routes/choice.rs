//! The choice among several shortest routes (`docs/model.md` sections 12 and 19).

use crate::NodeId;

/// Which of the shortest routes of a network a message takes (`docs/model.md` sections 12 and 19).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum RouteChoice {
    /// The one over the neighbours with the lowest numbers.
    #[default]
    Lowest,
    /// Any, all equally likely, by a hash of source, destination and this seed.
    Spread(u64),
    /// By the number of the destination, on machines whose switches have levels (D-Mod-K, Zahavi 2010).
    DModK,
}

/// The part of a message's route that does not follow from its ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RouteKey {
    /// Nothing: all messages between two nodes take the same route.
    #[default]
    Ends,
    /// The hash of a message, from which its route is drawn under [`RouteChoice::Spread`].
    Hash(u64),
    /// The share of its process, which chooses among the NICs of a device under [`RouteChoice::DModK`].
    Share(u32),
}

impl RouteChoice {
    /// The words for all choices.
    pub const NAMES: [&str; 3] = ["lowest", "spread", "d-mod-k"];

    /// Its name in files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Lowest => Self::NAMES[0],
            Self::Spread(_) => Self::NAMES[1],
            Self::DModK => Self::NAMES[2],
        }
    }
}

/// The hash that draws the next link at node `at` of a route: the seed and both ends, or the hash of the message, and
/// the node, each mixed in with the finaliser of SplitMix64 (Steele, Lea & Flood 2014).
#[inline]
pub(super) fn route_hash(seed: u64, [from, at, to]: [NodeId; 3], key: RouteKey) -> u64 {
    let of_message = match key {
        RouteKey::Hash(hash) => hash,
        RouteKey::Ends | RouteKey::Share(_) => {
            [from, to].into_iter().fold(mix(seed), |hash, node| mix(hash ^ u64::from(node.index())))
        }
    };
    mix(of_message ^ u64::from(at.index()))
}

/// The finaliser of SplitMix64 (Steele, Lea & Flood 2014), which mixes the bits of a word.
///
/// ```
/// assert_eq!(cubefold_topology::mix(0), 0xe220_a839_7b1d_cdaf);
/// ```
#[inline]
#[must_use]
pub fn mix(word: u64) -> u64 {
    let word = word.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let word = (word ^ word >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let word = (word ^ word >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ word >> 31
}

/// The index of the weight on which a hash falls, modulo the sum of weights laid end to end; and the offset within that
/// weight.
///
/// The sum of the weights must be below 2^64; if it is 0, the hash falls on no weight.
#[inline]
pub(super) fn drawn(hash: u64, weights: &[u64]) -> Option<(usize, u64)> {
    let mut left = hash.checked_rem(weights.iter().sum())?;
    for (place, &weight) in weights.iter().enumerate() {
        if left < weight {
            return Some((place, left));
        }
        left -= weight;
    }
    None
}
