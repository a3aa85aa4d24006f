//! One dimension of a machine by itself: its length and whether it wraps.

use crate::{Sign, TieRule};

/// Whether a dimension has a link between its last coordinate and 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Wrap {
    /// It has: the dimension is a ring.
    Around,
    /// It has not: the dimension is a line.
    Open,
}

/// The extent of a machine in one dimension.
///
/// All that distances and routes need of a dimension; a machine is the product of its extents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extent {
    length: u64, // in 2..=2^32
    wrap: Wrap,
}

/// The way that a message takes along one dimension.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Displacement {
    /// Which way.
    pub sign: Sign,
    /// Over how many links; at least 1.
    pub hops: u64,
}

impl Extent {
    /// Lengths come from a [`Shape`](crate::Shape), which has checked them.
    pub(crate) fn new(length: u64, wrap: Wrap) -> Self {
        debug_assert!(length >= 2, "a shape has lengths of at least 2");
        Self { length, wrap }
    }

    /// The number of coordinates, at least 2.
    #[must_use]
    pub fn length(self) -> u64 {
        self.length
    }

    /// Whether the dimension was declared to wrap; at length 2 that changes nothing.
    #[must_use]
    pub fn wrap(self) -> Wrap {
        self.wrap
    }

    /// Whether there are two ways between coordinates: a wrapping dimension of length over 2. At length 2
    /// the one link serves as both (Tao 1988, 3.2.4).
    #[must_use]
    pub fn is_ring(self) -> bool {
        self.wrap == Wrap::Around && self.length > 2
    }

    /// The number of links of one line of nodes along this dimension.
    #[must_use]
    pub fn links(self) -> u64 {
        if self.is_ring() { self.length } else { self.length - 1 }
    }

    /// The greatest distance between two coordinates.
    #[must_use]
    pub fn diameter(self) -> u64 {
        if self.is_ring() { self.length / 2 } else { self.length - 1 }
    }

    /// The distance between coordinates `a` and `b`, both below the length (Tao 1988, 3.2.1 and 3.2.2).
    #[must_use]
    pub fn distance(self, a: u32, b: u32) -> u64 {
        let straight = u64::from(a.abs_diff(b));
        if self.is_ring() { straight.min(self.length - straight) } else { straight }
    }

    /// The way from coordinate `from` to `to`, both below the length; none when they are equal.
    ///
    /// The shorter way round a ring, `tie` deciding between equally long ones (`docs/model.md` section 4).
    #[must_use]
    pub fn displacement(self, from: u32, to: u32, tie: TieRule) -> Option<Displacement> {
        let straight = u64::from(from.abs_diff(to));
        if straight == 0 {
            return None;
        }
        let direct = if from < to { Sign::Positive } else { Sign::Negative };
        let around = self.length - straight;
        if !self.is_ring() || straight < around {
            return Some(Displacement { sign: direct, hops: straight });
        }
        if around < straight {
            return Some(Displacement { sign: direct.opposite(), hops: around });
        }
        let sign = match tie {
            TieRule::Direct => direct,
            TieRule::Positive => Sign::Positive,
            TieRule::Negative => Sign::Negative,
        };
        Some(Displacement { sign, hops: straight })
    }

    /// The coordinate one link from `coordinate` in the given direction; none where a line ends.
    #[must_use]
    pub fn step(self, coordinate: u32, sign: Sign) -> Option<u32> {
        let last = u32::try_from(self.length - 1).unwrap_or(u32::MAX);
        match sign {
            Sign::Positive if coordinate < last => Some(coordinate + 1),
            Sign::Negative if coordinate > 0 => Some(coordinate - 1),
            Sign::Positive => self.is_ring().then_some(0),
            Sign::Negative => self.is_ring().then_some(last),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Walks from `from` by the way until its hops are used up.
    fn walk(extent: Extent, from: u32, way: Displacement) -> u32 {
        (0..way.hops).fold(from, |at, _| extent.step(at, way.sign).unwrap())
    }

    #[test]
    fn every_way_is_shortest_and_leads_there() {
        for (length, wrap, tie) in (2..=9)
            .flat_map(|length| [Wrap::Around, Wrap::Open].map(|wrap| (length, wrap)))
            .flat_map(|(length, wrap)| TieRule::ALL.map(|tie| (length, wrap, tie)))
        {
            let extent = Extent::new(length, wrap);
            let last = u32::try_from(length).unwrap();
            for (from, to) in (0..last).flat_map(|from| (0..last).map(move |to| (from, to))) {
                let Some(way) = extent.displacement(from, to, tie) else {
                    assert_eq!(from, to);
                    continue;
                };
                assert_eq!(walk(extent, from, way), to);
                assert_eq!(way.hops, extent.distance(from, to));
            }
        }
    }

    #[test]
    fn ties_are_broken_as_the_rule_says() {
        let ring = Extent::new(8, Wrap::Around);
        let signs = |from, to| TieRule::ALL.map(|tie| ring.displacement(from, to, tie).unwrap().sign);
        assert_eq!(signs(1, 5), [Sign::Positive, Sign::Positive, Sign::Negative]);
        assert_eq!(signs(5, 1), [Sign::Negative, Sign::Positive, Sign::Negative]);
    }

    #[test]
    fn a_wrapping_dimension_of_length_two_has_one_link_and_no_tie() {
        let pair = Extent::new(2, Wrap::Around);
        assert_eq!(pair.links(), 1);
        assert_eq!(pair.step(1, Sign::Positive), None);
        assert_eq!(
            pair.displacement(0, 1, TieRule::Negative),
            Some(Displacement { sign: Sign::Positive, hops: 1 })
        );
        assert_eq!(
            pair.displacement(1, 0, TieRule::Positive),
            Some(Displacement { sign: Sign::Negative, hops: 1 })
        );
    }
}
