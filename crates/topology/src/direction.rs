//! The directions in which messages move: a dimension and a sign.

use std::fmt;

use crate::HostDimension;

/// One of the two ways along a dimension.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Sign {
    /// `+`: towards the higher coordinate, or across the wraparound link from `k - 1` to 0.
    Positive,
    /// `-`: the other way.
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
    /// Which way.
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

    /// The same dimension, the other way.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directions_are_listed_in_the_order_of_the_model() {
        let listed: Vec<_> = Direction::all(2).map(|direction| direction.to_string()).collect();
        assert_eq!(listed, ["(1,+)", "(1,-)", "(2,+)", "(2,-)"]);
        assert!(Direction::all(5).enumerate().all(|(position, direction)| direction.index() == position));
    }
}
