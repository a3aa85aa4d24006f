//! Walks along a line of levels: routes of butterflies, and of trees of switches.

use super::{Hop, RouteSteps};
use crate::{Length, narrow};

/// A shortest walk along a line of levels from one to another that crosses given gaps: those of the bits, or digits, in
/// which two nodes of a butterfly, or of a tree of switches, differ.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LevelWalk {
    from: u32,
    to: u32,
    low: u32,  // the lowest level that it visits
    high: u32, // the highest
}

/// A first link of a shortest walk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct FirstStep {
    is_up: bool,
    /// Whether the gap is crossed again, so that its bit may have any value until then.
    is_repeated: bool,
}

impl LevelWalk {
    /// Returns the walk between two levels that crosses the gaps from level `gaps.0` to level `gaps.1 + 1`.
    #[inline]
    pub(crate) fn new(from: u32, to: u32, gaps: Option<(u32, u32)>) -> Self {
        let (mut low, mut high) = (from.min(to), from.max(to));
        if let Some((first, last)) = gaps {
            low = low.min(first);
            high = high.max(last + 1);
        }
        Self { from, to, low, high }
    }

    /// Its length down first, and up first.
    #[inline]
    fn lengths(self) -> [u32; 2] {
        let Self { from, to, low, high } = self;
        [(from - low) + (high - low) + (high - to), (high - from) + (high - low) + (to - low)]
    }

    /// Its length \[links\].
    #[inline]
    pub(crate) fn length(self) -> u32 {
        let [down, up] = self.lengths();
        down.min(up)
    }

    /// The number of ways to go it, where a gap crossed once leads to one node, and every further crossing of it multiplies
    /// the ways by `choices`.
    pub(crate) fn ways(self, choices: u64) -> u64 {
        let [down, up] = self.lengths();
        let is_both = down == up && self.low < self.from && self.from < self.high;
        let repeated = self.length() - (self.high - self.low);
        choices.saturating_pow(repeated).saturating_mul(1 + u64::from(is_both))
    }

    /// The first links of shortest walks: of those down first, and of those up first. A walk that has nothing to go down,
    /// or up, begins the other way.
    #[inline]
    fn first_steps(self) -> [Option<FirstStep>; 2] {
        let Self { from, to, low, high } = self;
        let [down, up] = self.lengths();
        let down_first = if from > low {
            Some(FirstStep { is_up: false, is_repeated: true }) // on the way back
        } else {
            (high > from).then_some(FirstStep { is_up: true, is_repeated: to <= from })
        };
        let up_first = if high > from {
            Some(FirstStep { is_up: true, is_repeated: true })
        } else {
            (from > low).then_some(FirstStep { is_up: false, is_repeated: to >= from })
        };
        [down_first.filter(|_| down <= up), up_first.filter(|_| up <= down)]
    }
}

/// Two nodes `(i, x)` and `(j, y)` of a butterfly.
#[derive(Debug, Clone, Copy)]
pub(super) struct Butterfly {
    walk: LevelWalk,
    levels: u32,
    own: u32,   // x
    other: u32, // y
}

impl Butterfly {
    #[inline]
    pub(super) fn new(order: u32, at: u32, to: u32) -> Self {
        let levels = order + 1;
        let (own, other) = (at / levels, to / levels);
        let word = own ^ other;
        let gaps = (word != 0).then(|| (word.trailing_zeros(), word.ilog2()));
        Self { walk: LevelWalk::new(at % levels, to % levels, gaps), levels, own, other }
    }

    /// The levels of a butterfly of so many dimensions.
    #[inline]
    pub(super) fn levels(order: u32) -> Length {
        Length::new(u64::from(order) + 1)
    }

    #[inline]
    pub(super) fn distance(self) -> u32 {
        self.walk.length()
    }

    pub(super) fn route_count(self) -> u64 {
        self.walk.ways(2)
    }

    /// The link to the neighbour of the first node with the lowest number that is nearer to the second, another node.
    #[inline]
    pub(super) fn lowest(self) -> Hop {
        let Self { walk, levels, own, other } = self;
        let lowest = |FirstStep { is_up, is_repeated }| {
            let level = if is_up { walk.from + 1 } else { walk.from - 1 };
            let bit = 1 << level.min(walk.from);
            // The word with the bit 0 has the lower number.
            let word = if is_repeated { own & !bit } else { own & !bit | other & bit };
            Hop { code: Self::UP * u32::from(is_up) + u32::from(word != own), next: level + levels * word }
        };
        let links = walk.first_steps().into_iter().flatten().map(lowest);
        links.min_by_key(|link| link.next).unwrap_or(Hop { code: 0, next: walk.from + levels * own })
    }

    /// How many links a node has: down and up, each with the bit as it is and changed.
    pub(super) const CODES: u32 = 4;

    /// The links of the shortest route that is drawn by a hash of each node on it (`docs/model.md` section 19), by their codes,
    /// and how many they are. Hashes of 0 draw the lowest neighbours.
    ///
    /// It goes to one end of the levels that it visits, then to the other, then to its last level. A bit whose gap is
    /// crossed again may have any value until then, so that every such gap doubles the number of routes.
    #[inline]
    pub(super) fn steps(self, hash: impl Fn(u32) -> u64) -> (u32, RouteSteps) {
        let Self { walk: LevelWalk { from, to, low, high }, levels, own, other } = self;
        let [down, up] = self.walk.lengths();
        let mut again = down.min(up) - (high - low); // gaps that are still to be crossed again
        let is_both = down == up && low < from && from < high;
        let first = is_both.then(|| self.first_of_both((hash(from + levels * own) >> (again - 1)) % 4));
        let is_up_first = first.map_or(up < down, |code| code >= Self::UP);
        let ends = if is_up_first { [high, low, to] } else { [low, high, to] };
        let (mut steps, mut links, mut level, mut word) = (RouteSteps::default(), 0, from, own);
        for (part, end) in ends.into_iter().enumerate() {
            while level != end {
                let is_up = level < end;
                let gap = if is_up { level } else { level - 1 };
                let bit = 1 << gap;
                let new = if part == 0 || part == 1 && is_up == (gap >= to) {
                    again -= 1;
                    let drawn = || narrow(hash(level + levels * word) >> again & 1) << gap;
                    let is_first = links == 0;
                    first
                        .filter(|_| is_first)
                        .map_or_else(drawn, |code| word & bit ^ (code % Self::UP) << gap)
                } else {
                    other & bit
                };
                let new = word & !bit | new;
                let code = Self::UP * u32::from(is_up) + u32::from(new != word);
                steps.set(links, code.to_le_bytes()[0]);
                (links, level, word) = (links + 1, if is_up { level + 1 } else { gap }, new);
            }
        }
        (links, steps)
    }

    /// Of the links of a node that has levels below and above, the code of that to its neighbour of a place, from the one with
    /// the lowest number on.
    fn first_of_both(self, place: u64) -> u32 {
        let mut links = [0, 1, 2, 3].map(|code: u32| {
            let is_up = code >= Self::UP;
            let (gap, level) = if is_up { (self.walk.from, 1) } else { (self.walk.from - 1, 0) };
            ((self.own ^ (code % Self::UP) << gap, level), code)
        });
        links.sort_unstable();
        links[usize::try_from(place).unwrap_or(0) % links.len()].1
    }

    /// The code of the link up with the bit as it is.
    const UP: u32 = 2;

    /// The code of the link back: the other way over the same gap.
    #[inline]
    pub(super) fn back(hop: Hop) -> u32 {
        hop.code ^ Self::UP
    }

    /// The link of a step of [`Self::steps`] in a butterfly of so many levels.
    #[inline]
    pub(super) fn hop(levels: Length, at: u32, step: u8) -> Hop {
        let (word, level) = levels.divide(at.into());
        let code = u32::from(step);
        let is_up = code >= Self::UP;
        let gap = level.wrapping_sub(u64::from(!is_up));
        let word = narrow(word) ^ (code % Self::UP) << gap;
        let level = narrow(gap + u64::from(is_up));
        Hop { code, next: level + narrow(levels.get()) * word }
    }
}
