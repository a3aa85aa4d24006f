//! Routes: dimension order, the shorter way round, and the tie rule.
//!
//! `docs/model.md` section 4. A route is the list of the channels it takes.

use std::cmp::Ordering;

use super::grid::{Channel, Grid, Sign};

/// The rule for two equally long ways round a wrapping dimension (`docs/model.md` section 4).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tie {
    /// The way that does not use the wraparound link.
    Direct,
    /// The `+` way.
    Positive,
    /// The `-` way.
    Negative,
    /// The `+` way from an even coordinate, the `-` way from an odd one (`docs/model.md` section 19).
    Alternate,
}

/// What a message does in one dimension: the direction it takes and how many links it crosses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leg {
    /// The dimension, from 0.
    pub dimension: usize,
    /// The direction.
    pub sign: Sign,
    /// Links to cross, at least 1.
    pub links: u64,
}

impl Grid {
    /// What a message does next at node `from` on its way to `to`: the lowest-numbered dimension
    /// in which they differ, and the way it takes there (`docs/model.md` section 4). None when it
    /// has arrived.
    pub fn next_leg(&self, from: u64, to: u64, tie: &Tie) -> Option<Leg> {
        let from = self.coordinates(from);
        let to = self.coordinates(to);
        let dimension = (0..self.lengths.len()).find(|&dimension| from[dimension] != to[dimension])?;
        Some(self.way(dimension, from[dimension], to[dimension], tie))
    }

    /// The way from a coordinate to a different one of the same dimension: the shorter
    /// one where the dimension is longer than 2 and wraps, by the tie rule where both are as long.
    fn way(&self, dimension: usize, from: u64, to: u64, tie: &Tie) -> Leg {
        let length = self.lengths[dimension];
        let direct = if from < to { Sign::Positive } else { Sign::Negative };
        let links = from.abs_diff(to);
        if !self.wraps[dimension] || length == 2 {
            return Leg { dimension, sign: direct, links };
        }
        match (2 * links).cmp(&length) {
            Ordering::Less => Leg { dimension, sign: direct, links },
            Ordering::Greater => Leg { dimension, sign: direct.opposite(), links: length - links },
            Ordering::Equal => {
                let sign = match tie {
                    Tie::Direct => direct,
                    Tie::Positive => Sign::Positive,
                    Tie::Negative => Sign::Negative,
                    Tie::Alternate if from.is_multiple_of(2) => Sign::Positive,
                    Tie::Alternate => Sign::Negative,
                };
                Leg { dimension, sign, links }
            }
        }
    }

    /// The channels that a message from one node to another takes, in order: dimension order, the
    /// way in a dimension chosen on entering it and kept (`docs/model.md` section 4).
    pub fn route(&self, from: u64, to: u64, tie: &Tie) -> Vec<Channel> {
        let mut node = from;
        let mut channels = Vec::new();
        while let Some(leg) = self.next_leg(node, to, tie) {
            for _ in 0..leg.links {
                let channel = Channel { node, dimension: leg.dimension, sign: leg.sign };
                channels.push(channel);
                node = self.end(channel);
            }
        }
        channels
    }
}

#[cfg(test)]
mod tests {
    use super::super::grid::{Channel, Sign};
    use super::{Grid, Tie};

    /// The nodes that a route visits, its first one included.
    fn visited(grid: &Grid, from: u64, to: u64, tie: &Tie) -> Vec<u64> {
        let ends = grid.route(from, to, tie).into_iter().map(|channel| grid.end(channel));
        std::iter::once(from).chain(ends).collect()
    }

    #[test]
    fn the_tie_rule_decides_between_two_equally_long_ways() {
        let grid = Grid { lengths: vec![6], wraps: vec![true] };
        assert_eq!(visited(&grid, 1, 4, &Tie::Direct), [1, 2, 3, 4]);
        assert_eq!(visited(&grid, 4, 1, &Tie::Direct), [4, 3, 2, 1]);
        assert_eq!(visited(&grid, 4, 1, &Tie::Positive), [4, 5, 0, 1]);
        assert_eq!(visited(&grid, 1, 4, &Tie::Negative), [1, 0, 5, 4]);
        // not a tie: 5 links forward, 1 back over the wraparound, whatever the rule
        for tie in [Tie::Direct, Tie::Positive, Tie::Negative] {
            assert_eq!(visited(&grid, 0, 5, &tie), [0, 5]);
            assert_eq!(visited(&grid, 5, 1, &tie), [5, 0, 1]);
        }
    }

    #[test]
    fn the_first_dimension_is_corrected_before_the_second() {
        // (4 wrapping, 3 not): (3,0) = 3 to (0,2) = 8 goes over the wraparound to (0,0), then up
        let grid = Grid { lengths: vec![4, 3], wraps: vec![true, false] };
        assert_eq!(visited(&grid, 3, 8, &Tie::Direct), [3, 0, 4, 8]);
        assert_eq!(visited(&grid, 8, 3, &Tie::Direct), [8, 11, 7, 3]);
    }

    #[test]
    fn a_dimension_of_length_two_has_one_way_and_no_tie() {
        for wraps in [false, true] {
            let grid = Grid { lengths: vec![2], wraps: vec![wraps] };
            for tie in [Tie::Direct, Tie::Positive, Tie::Negative] {
                assert_eq!(grid.route(0, 1, &tie), [Channel { node: 0, dimension: 0, sign: Sign::Positive }]);
                assert_eq!(grid.route(1, 0, &tie), [Channel { node: 1, dimension: 0, sign: Sign::Negative }]);
            }
        }
    }

    #[test]
    fn a_route_is_as_long_as_the_distance() {
        let grid = Grid { lengths: vec![4, 5, 2, 3], wraps: vec![true, true, true, false] };
        for from in 0..grid.number_of_nodes() {
            for to in 0..grid.number_of_nodes() {
                for tie in [Tie::Direct, Tie::Positive, Tie::Negative] {
                    let links = grid.route(from, to, &tie).iter().map(|_| 1_u64).sum::<u64>();
                    assert_eq!(links, grid.distance(from, to));
                    assert_eq!(visited(&grid, from, to, &tie).last(), Some(&to));
                }
            }
        }
    }
}
