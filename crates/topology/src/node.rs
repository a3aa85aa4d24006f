//! Nodes of a machine: by their index, and by their coordinates.

use std::fmt;

use crate::{HostDimension, MAX_DIMENSIONS, Shape};

/// A node of a host, by its index (`docs/model.md` section 1): not a process of a guest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(u32);

/// An index without a node in a machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("node {index}, expected 0 to {greatest}")]
pub struct NodeError {
    /// The index found.
    pub index: u64,
    /// The greatest index of the machine.
    pub greatest: u64,
}

impl NodeId {
    /// Returns the node with this index. [`Machine::node`](crate::Machine::node) checks that a machine has it.
    #[must_use]
    pub const fn new(index: u32) -> Self {
        Self(index)
    }

    /// The index.
    #[must_use]
    pub const fn index(self) -> u32 {
        self.0
    }
}

impl fmt::Display for NodeId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

/// The coordinates `(p_1, .., p_c)` of a node, as many as its shape has dimensions, each below its length.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Coordinates {
    arity: u8,                     // in 1..=32
    values: [u32; MAX_DIMENSIONS], // zero from `arity` on
}

/// Numbers that are not coordinates in a shape.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CoordinatesError {
    /// More or fewer numbers than dimensions.
    #[error("{found} coordinates, expected {expected}, one for each dimension")]
    Arity {
        /// The number found.
        found: usize,
        /// The number of dimensions.
        expected: usize,
    },
    /// A coordinate is not below the length of its dimension.
    #[error("coordinate {value} in dimension {dimension}, expected 0 to {greatest}")]
    OutOfRange {
        /// The dimension.
        dimension: HostDimension,
        /// The coordinate found.
        value: u64,
        /// The greatest coordinate there.
        greatest: u64,
    },
}

impl Coordinates {
    /// Returns the coordinates `values` in `shape`.
    ///
    /// # Errors
    ///
    /// When there are more or fewer values than dimensions, or one is not below its dimension's length.
    pub fn new(shape: &Shape, values: &[u64]) -> Result<Self, CoordinatesError> {
        let expected = shape.dimension_count();
        if values.len() != expected {
            return Err(CoordinatesError::Arity { found: values.len(), expected });
        }
        let mut slots = [0; MAX_DIMENSIONS];
        for ((dimension, &value), slot) in shape.dimensions().zip(values).zip(&mut slots) {
            let length = shape.length(dimension);
            *slot = u32::try_from(value)
                .ok()
                .filter(|_| value < length)
                .ok_or(CoordinatesError::OutOfRange { dimension, value, greatest: length - 1 })?;
        }
        #[expect(clippy::cast_possible_truncation, reason = "a shape has at most 32 dimensions")]
        Ok(Self { arity: expected as u8, values: slots })
    }

    /// Returns coordinates that are known to be in range.
    pub(crate) fn from_fn(arity: usize, mut value: impl FnMut(HostDimension) -> u32) -> Self {
        let mut values = [0; MAX_DIMENSIONS];
        for (dimension, slot) in HostDimension::first(arity).zip(&mut values) {
            *slot = value(dimension);
        }
        #[expect(clippy::cast_possible_truncation, reason = "a shape has at most 32 dimensions")]
        Self { arity: arity as u8, values }
    }

    /// The number along one dimension.
    ///
    /// # Panics
    ///
    /// When there are fewer dimensions.
    #[must_use]
    pub fn along(&self, dimension: HostDimension) -> u32 {
        self.as_slice()[dimension.index()]
    }

    /// The numbers, first dimension first.
    #[must_use]
    pub fn as_slice(&self) -> &[u32] {
        &self.values[..usize::from(self.arity)]
    }
}

impl fmt::Debug for Coordinates {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

impl fmt::Display for Coordinates {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("(")?;
        for (position, value) in self.as_slice().iter().enumerate() {
            if position > 0 {
                formatter.write_str(", ")?;
            }
            value.fmt(formatter)?;
        }
        formatter.write_str(")")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coordinates_are_checked_against_the_shape() {
        let shape = Shape::new(&[4, 2]).unwrap();
        assert_eq!(Coordinates::new(&shape, &[3, 1]).unwrap().to_string(), "(3, 1)");
        let short = Coordinates::new(&shape, &[3]).unwrap_err();
        assert_eq!(short.to_string(), "1 coordinates, expected 2, one for each dimension");
        let far = Coordinates::new(&shape, &[3, 2]).unwrap_err();
        assert_eq!(far.to_string(), "coordinate 2 in dimension 2, expected 0 to 1");
    }
}
