//! One dimension of a grid by itself: its length and whether it wraps, and the arithmetic of its coordinates.

use std::fmt;

use cubefold_derive::Words;

use crate::{Sign, narrow};

/// The rule that decides between two equally long displacements in a wrapping dimension (`docs/model.md` section 4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Words)]
pub enum TieRule {
    /// Of two equally long directions, the one that does not cross the border.
    ///
    /// With it González et al. 1995 get null load at nodes `0` and `2^d - 1`.
    #[default]
    Direct,
    /// Of two equally long directions, that of ascending coordinates.
    Positive,
    /// Of two equally long directions, that of descending coordinates.
    Negative,
    /// Of two equally long directions, up from even coordinates and down from odd ones.
    ///
    /// So both directions are used alike (`docs/model.md` section 19).
    Alternate,
}

impl fmt::Display for TieRule {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// Whether a dimension has a link between its last coordinate and 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Wrap {
    /// There is one: the dimension is a ring.
    Around,
    /// There is none: the dimension is a line.
    Open,
}

/// The extent of a grid in one dimension.
///
/// All that distances and routes need of a dimension; a grid is the product of its extents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extent {
    length: u64, // in 2..=2^32
    round: u64, // the links round a ring; on a line twice the length, more than any two displacements together
    wrap: Wrap,
}

/// A number of links in one of the two directions of a dimension.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Displacement {
    /// The direction.
    pub sign: Sign,
    /// The number of links, at least 1.
    pub hops: u64,
}

#[expect(clippy::inline_always, reason = "a call for each message costs as much as its work")]
impl Extent {
    /// Lengths come from a [`Shape`](crate::Shape), which has checked them.
    pub(crate) fn new(length: u64, wrap: Wrap) -> Self {
        debug_assert!(length >= 2, "a shape has lengths of at least 2");
        // At length 2 the one link serves both directions round (Tao 1988, 3.2.4).
        let is_ring = wrap == Wrap::Around && length > 2;
        Self { length, round: if is_ring { length } else { 2 * length }, wrap }
    }

    /// The number of coordinates, at least 2.
    #[must_use]
    #[inline]
    pub fn length(self) -> u64 {
        self.length
    }

    /// The greatest coordinate.
    #[must_use]
    #[inline(always)]
    pub fn last(self) -> u32 {
        narrow(self.length.wrapping_sub(1))
    }

    /// Whether the dimension was declared to wrap; at length 2 that changes nothing.
    #[must_use]
    pub fn wrap(self) -> Wrap {
        self.wrap
    }

    /// Whether two coordinates are connected in both directions: in a wrapping dimension of length over 2.
    #[must_use]
    #[inline]
    pub fn is_ring(self) -> bool {
        self.round == self.length
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

    /// The distance between coordinates `a` and `b`, both below the length (Tao 1988, 3.2.1 and 3.2.2) \[links\].
    #[must_use]
    #[inline]
    pub fn distance(self, a: u32, b: u32) -> u64 {
        let straight = u64::from(a.abs_diff(b));
        straight.min(self.round - straight)
    }

    /// The displacement from coordinate `from` to `to`, both below the length; `None` when they are equal.
    ///
    /// On a ring the shorter one of two, `tie` deciding between equally long ones (`docs/model.md` section 4).
    #[must_use]
    #[inline(always)]
    pub fn displacement(self, from: u32, to: u32, tie: TieRule) -> Option<Displacement> {
        if from == to {
            return None;
        }
        let straight = u64::from(from.abs_diff(to));
        let around = self.round - straight;
        let descends = to < from;
        let tie_turns = match tie {
            TieRule::Direct => false,
            TieRule::Positive => descends,
            TieRule::Negative => !descends,
            TieRule::Alternate => descends == from.is_multiple_of(2),
        };
        // A tie that turns counts an equal length as shorter: hence one more.
        let turns = around < straight + u64::from(tie_turns);
        let sign = if descends ^ turns { Sign::Negative } else { Sign::Positive };
        Some(Displacement { sign, hops: straight.min(around) })
    }

    /// The coordinate one link from `coordinate` in the given direction; `None` at the end of a line.
    #[must_use]
    pub fn step(self, coordinate: u32, sign: Sign) -> Option<u32> {
        let last = self.last();
        match sign {
            Sign::Positive if coordinate < last => Some(coordinate + 1),
            Sign::Negative if coordinate > 0 => Some(coordinate - 1),
            Sign::Positive => self.is_ring().then_some(0),
            Sign::Negative => self.is_ring().then_some(last),
        }
    }

    /// The coordinate at the end of a displacement, which does not go past the end of a line.
    #[must_use]
    #[inline(always)]
    pub fn after(self, coordinate: u32, displacement: Displacement) -> u32 {
        // In the direction `-` it is length - hops, without a branch: signs are random.
        let negative = u64::from(displacement.sign == Sign::Negative);
        let hops = displacement.hops;
        let hops = hops.wrapping_add(self.length.wrapping_sub(2 * hops).wrapping_mul(negative));
        let there = u64::from(coordinate) + hops;
        narrow(there - self.length * u64::from(there >= self.length))
    }

    /// A coordinate, counted in a direction: from the other end where that is `-`.
    #[must_use]
    #[inline(always)]
    pub fn position(self, coordinate: u32, sign: Sign) -> u32 {
        // From the other end it is last - coordinate, without a branch; modulo 2^32 that is exact.
        let negative = u32::from(sign == Sign::Negative);
        let from_end = self.last().wrapping_sub(coordinate.wrapping_mul(2));
        coordinate.wrapping_add(from_end.wrapping_mul(negative))
    }
}

/// The position `steps` before this one on a ring of `length`; both must be below the length.
#[must_use]
#[inline(always)]
#[expect(clippy::inline_always, reason = "a call for each message costs as much as its work")]
pub fn ring_sub(position: u32, steps: u32, length: u32) -> u32 {
    if position >= steps { position - steps } else { position + length - steps }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Walks a displacement link by link.
    fn walk(extent: Extent, from: u32, displacement: Displacement) -> u32 {
        (0..displacement.hops).fold(from, |at, _| extent.step(at, displacement.sign).unwrap())
    }

    #[test]
    fn every_displacement_is_shortest_and_leads_there() {
        for (length, wrap, tie) in (2..=9)
            .flat_map(|length| [Wrap::Around, Wrap::Open].map(|wrap| (length, wrap)))
            .flat_map(|(length, wrap)| TieRule::ALL.map(|tie| (length, wrap, tie)))
        {
            let extent = Extent::new(length, wrap);
            let last = u32::try_from(length).unwrap();
            for (from, to) in (0..last).flat_map(|from| (0..last).map(move |to| (from, to))) {
                let Some(displacement) = extent.displacement(from, to, tie) else {
                    assert_eq!(from, to);
                    continue;
                };
                assert_eq!(walk(extent, from, displacement), to);
                assert_eq!(extent.after(from, displacement), to);
                assert_eq!(displacement.hops, extent.distance(from, to));
            }
        }
    }

    #[test]
    fn ties_are_broken_as_the_rule_says() {
        let ring = Extent::new(8, Wrap::Around);
        let signs = |from, to| TieRule::ALL.map(|tie| ring.displacement(from, to, tie).unwrap().sign);
        let [up, down] = Sign::BOTH;
        assert_eq!(signs(1, 5), [up, up, down, down]);
        assert_eq!(signs(5, 1), [down, up, down, down]);
        assert_eq!(signs(6, 2), [down, up, down, up]);
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
