//! The dimensions of a d-cube, numbered from 0 as in the papers on cubes.

use std::fmt;

/// A dimension `i` of a d-cube, in `0..32`: the bit of the label in which neighbours differ (the host's
/// dimensions are numbered from 1 and have a type of their own).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CubeDimension(u8); // in 0..32

/// A number that is no dimension of a d-cube.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("cube dimension {number}, expected 0 to {greatest}")]
pub struct CubeDimensionError {
    /// The number found.
    pub number: u64,
    /// The greatest dimension of the cube.
    pub greatest: u8,
}

impl CubeDimension {
    /// The dimension with this number of a cube whose greatest dimension is `greatest`, below 32.
    pub(crate) fn checked(number: u64, greatest: u8) -> Result<Self, CubeDimensionError> {
        match u8::try_from(number) {
            Ok(small) if small <= greatest => Ok(Self(small)),
            _ => Err(CubeDimensionError { number, greatest }),
        }
    }

    /// The number, counted from 0.
    #[must_use]
    pub fn number(self) -> u8 {
        self.0
    }

    /// The position in a list that starts with dimension 0: the number.
    #[must_use]
    pub fn index(self) -> usize {
        usize::from(self.0)
    }
}

impl fmt::Display for CubeDimension {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}
