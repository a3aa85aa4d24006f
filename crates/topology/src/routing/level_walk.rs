//! Walks along a line of levels: routes of butterflies, and of trees of switches.

use super::Hop;

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
            Hop { code: 2 * u32::from(is_up) + u32::from(word != own), next: level + levels * word }
        };
        let links = walk.first_steps().into_iter().flatten().map(lowest);
        links.min_by_key(|link| link.next).unwrap_or(Hop { code: 0, next: walk.from + levels * own })
    }

    /// How many links a node has: down and up, each with the bit as it is and changed.
    pub(super) const CODES: u32 = 4;
}
