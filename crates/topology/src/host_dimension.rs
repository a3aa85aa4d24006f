//! The dimensions of a host, numbered from 1 as in the papers.

use std::fmt;

use crate::MAX_DIMENSIONS;

/// A dimension `j` of a host, in `1..=32` (the guest's dimensions are numbered from 0 and have a type of
/// their own); in a [`Network`](crate::Network), whose links lie in no dimensions, the number of a port of a node, in
/// `1..=255`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HostDimension(u8); // in 1..=MAX_DIMENSIONS; a port in 1..=MAX_PORTS

/// A number that is no host dimension.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("host dimension {number}, expected 1 to {MAX_DIMENSIONS}")]
pub struct HostDimensionError {
    /// The number found.
    pub number: usize,
}

impl HostDimension {
    /// The most ports that are numbered.
    pub(crate) const MAX_PORTS: usize = u8::MAX as usize;

    /// What stands for a port, counted from 0 and below [`Self::MAX_PORTS`].
    pub(crate) fn of_port(port: u8) -> Self {
        Self(port.saturating_add(1))
    }

    /// The dimension with this number, counted from 1.
    ///
    /// # Errors
    ///
    /// When `number` is 0 or over 32.
    pub fn new(number: usize) -> Result<Self, HostDimensionError> {
        match u8::try_from(number) {
            Ok(small) if (1..=MAX_DIMENSIONS).contains(&number) => Ok(Self(small)),
            _ => Err(HostDimensionError { number }),
        }
    }

    /// The first `count` dimensions in ascending order; at most 32.
    #[must_use]
    pub fn first(count: usize) -> impl DoubleEndedIterator<Item = Self> + ExactSizeIterator + Clone {
        // The range ends at 32, so the numbers fit.
        #[expect(clippy::cast_possible_truncation, reason = "the count is capped at 32")]
        let last = count.min(MAX_DIMENSIONS) as u8;
        (0..last).map(|index| Self(index + 1))
    }

    /// The number, counted from 1.
    #[must_use]
    pub fn number(self) -> usize {
        usize::from(self.0)
    }

    /// The position in a list that starts with dimension 1: the number less 1.
    #[must_use]
    pub fn index(self) -> usize {
        usize::from(self.0) - 1
    }
}

impl fmt::Display for HostDimension {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dimensions_are_numbered_from_one_to_thirty_two() {
        assert_eq!(HostDimension::new(0), Err(HostDimensionError { number: 0 }));
        assert_eq!(HostDimension::new(33), Err(HostDimensionError { number: 33 }));
        assert_eq!(HostDimension::new(32).unwrap().index(), 31);
        let numbers: Vec<_> = HostDimension::first(3).map(HostDimension::number).collect();
        assert_eq!(numbers, [1, 2, 3]);
    }
}
