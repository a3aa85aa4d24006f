//! Links, the two channels of each, the directions in which they lead, and the link modes.

use std::fmt;

use cubefold_derive::Words;

use crate::{HostDimension, NodeId};

/// One of the two directions along a dimension.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Sign {
    /// `+`: towards the higher coordinate, or across the wraparound link from `k - 1` to 0.
    Positive,
    /// `-`: the opposite direction.
    Negative,
}

impl Sign {
    /// Both signs, `+` first, as every order in the model has them.
    pub const BOTH: [Self; 2] = [Self::Positive, Self::Negative];

    /// The other sign.
    #[must_use]
    pub fn opposite(self) -> Self {
        match self {
            Self::Positive => Self::Negative,
            Self::Negative => Self::Positive,
        }
    }
}

impl fmt::Display for Sign {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Positive => "+",
            Self::Negative => "-",
        })
    }
}

/// A dimension with a sign; in ascending order `(1,+) (1,-) (2,+) (2,-) ..`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Direction {
    /// The dimension moved along.
    pub dimension: HostDimension,
    /// The sign.
    pub sign: Sign,
}

impl Direction {
    /// All directions of a machine of `dimension_count` dimensions, in ascending order.
    pub fn all(dimension_count: usize) -> impl Iterator<Item = Self> + Clone {
        HostDimension::first(dimension_count)
            .flat_map(|dimension| Sign::BOTH.into_iter().map(move |sign| Self { dimension, sign }))
    }

    /// The position in the ascending order, in `0..2c`.
    #[must_use]
    pub fn index(self) -> usize {
        2 * self.dimension.index()
            + match self.sign {
                Sign::Positive => 0,
                Sign::Negative => 1,
            }
    }

    /// The opposite direction along the same dimension.
    #[must_use]
    pub fn opposite(self) -> Self {
        Self { dimension: self.dimension, sign: self.sign.opposite() }
    }
}

impl fmt::Display for Direction {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "({},{})", self.dimension, self.sign)
    }
}

/// The connection between two neighbouring nodes.
///
/// ```text
/// ring of 4:   0 ==== 1 ==== 2 ==== 3 ====(0)      link of `near` 3 is the wraparound link
///                 +→     +→     +→     +→
///                 ←-     ←-     ←-     ←-
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Link {
    /// The end from which `+` leads over the link.
    pub near: NodeId,
    /// Its dimension; in a graph the port of `near`.
    pub dimension: HostDimension,
}

/// One direction of a link: it carries a message from `node` to its neighbour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Channel {
    /// The node that transmits on it.
    pub node: NodeId,
    /// The direction in which it leads.
    pub direction: Direction,
}

/// Which channels may be busy at the same time (Tao 1988, 4.2; `docs/model.md` section 1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Words)]
pub enum LinkMode {
    /// A link carries a message in each direction at the same time.
    #[default]
    FullDuplex,
    /// A link carries one message at a time, in either direction.
    HalfDuplex,
    /// A node sends in one direction of one dimension at a time, and receives at the same time.
    SingleDirection,
}

impl LinkMode {
    /// Tao's number for it: 1, 2 or 3.
    #[must_use]
    pub fn number(self) -> u8 {
        match self {
            Self::FullDuplex => 1,
            Self::HalfDuplex => 2,
            Self::SingleDirection => 3,
        }
    }

    /// The coordinated movements of a phase, one after another, each as the directions in which messages move
    /// at the same time (`docs/model.md` section 6).
    #[must_use]
    pub fn movements(self, dimension_count: usize) -> Vec<Vec<Direction>> {
        let directions = Direction::all(dimension_count);
        let with_sign = |sign| directions.clone().filter(move |direction| direction.sign == sign).collect();
        match self {
            Self::FullDuplex => vec![directions.collect()],
            Self::HalfDuplex => Sign::BOTH.map(with_sign).to_vec(),
            Self::SingleDirection => directions.map(|direction| vec![direction]).collect(),
        }
    }
}

impl fmt::Display for LinkMode {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// A straight part of a route: a number of links in one direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Leg {
    /// The direction.
    pub direction: Direction,
    /// The number of links, at least 1.
    pub hops: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directions_are_listed_in_the_order_of_the_model() {
        let listed: Vec<_> = Direction::all(2).map(|direction| direction.to_string()).collect();
        assert_eq!(listed, ["(1,+)", "(1,-)", "(2,+)", "(2,-)"]);
        assert!(Direction::all(5).enumerate().all(|(position, direction)| direction.index() == position));
    }

    #[test]
    fn each_movement_may_be_made_at_once_and_all_directions_are_covered() {
        let counts = LinkMode::ALL.map(|mode| mode.movements(3).iter().map(Vec::len).collect::<Vec<_>>());
        assert_eq!(counts, [vec![6], vec![3, 3], vec![1; 6]]);
    }
}
