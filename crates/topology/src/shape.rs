//! Shapes: the lengths of the dimensions, and the numbering of nodes by them.

use std::fmt;

use crate::{Coordinates, Digit, IndexDigit, NodeId, narrow};

/// The greatest number of nodes of a shape.
pub const MAX_NODE_COUNT: u64 = 1 << 32;

/// The greatest number of dimensions of a shape of at most 2^32 nodes.
pub const MAX_DIMENSIONS: usize = 32;

/// The lengths of one to 32 dimensions, each at least 2, with at most 2^32 nodes in all.
///
/// A node's index is `p_1 + p_2 k_1 + p_3 k_1 k_2 + ..`: the first coordinate varies fastest
/// (`docs/model.md` section 1).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shape {
    lengths: Vec<u64>,       // each in 2..=2^32, their product at most 2^32
    digits: Vec<IndexDigit>, // one for each length, the stride being the product of the lengths before it
}

/// Lengths that make no shape.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ShapeError {
    /// There is no length at all.
    #[error("a shape without dimensions, expected at least one length")]
    NoDimensions,
    /// A length is under 2.
    #[error("length of dimension {dimension} is {length}, expected at least 2")]
    LengthTooSmall {
        /// The dimension, counted from 1.
        dimension: usize,
        /// Its length as found.
        length: u64,
    },
    /// The product of the lengths is over [`MAX_NODE_COUNT`].
    #[error("{nodes} nodes, expected at most 4294967296 (2^32)")]
    TooManyNodes {
        /// The product of the lengths in decimal digits, with "over" before it where it is past 2^128.
        nodes: String,
    },
}

impl Shape {
    /// Returns the shape with these lengths.
    ///
    /// # Errors
    ///
    /// When there is no length, a length is under 2, or the product is over 2^32.
    pub fn new(lengths: &[u64]) -> Result<Self, ShapeError> {
        if lengths.is_empty() {
            return Err(ShapeError::NoDimensions);
        }
        if let Some(index) = lengths.iter().position(|&length| length < 2) {
            return Err(ShapeError::LengthTooSmall { dimension: index + 1, length: lengths[index] });
        }
        let product = lengths.iter().try_fold(1_u128, |nodes, &length| nodes.checked_mul(u128::from(length)));
        match product {
            Some(nodes) if nodes <= u128::from(MAX_NODE_COUNT) => {}
            Some(nodes) => {
                return Err(ShapeError::TooManyNodes { nodes: nodes.to_string() });
            }
            None => {
                return Err(ShapeError::TooManyNodes { nodes: format!("over {}", u128::MAX) });
            }
        }
        let digits = lengths.iter().scan(1, |stride, &length| {
            let digit = IndexDigit::new(length, *stride);
            *stride *= length;
            Some(digit)
        });
        Ok(Self { lengths: lengths.to_vec(), digits: digits.collect() })
    }

    /// The lengths `k_1, .., k_c`.
    #[must_use]
    pub fn lengths(&self) -> &[u64] {
        &self.lengths
    }

    /// The number `c` of dimensions.
    #[must_use]
    pub fn dimension_count(&self) -> usize {
        self.lengths.len()
    }

    /// The dimensions in ascending order.
    #[must_use]
    pub fn dimensions(&self) -> impl DoubleEndedIterator<Item = HostDimension> + ExactSizeIterator + Clone {
        HostDimension::first(self.dimension_count())
    }

    /// The number of nodes, at most 2^32.
    #[must_use]
    pub fn node_count(&self) -> u64 {
        self.lengths.iter().product()
    }

    /// The length of a dimension.
    ///
    /// # Panics
    ///
    /// When the shape has fewer dimensions.
    #[must_use]
    pub fn length(&self, dimension: HostDimension) -> u64 {
        self.lengths[dimension.index()]
    }

    /// The growth of a node's index per step along a dimension.
    ///
    /// # Panics
    ///
    /// When the shape has fewer dimensions.
    #[must_use]
    pub fn stride(&self, dimension: HostDimension) -> u64 {
        self.digits[dimension.index()].stride()
    }

    /// The place of each coordinate in an index.
    pub(crate) fn digits(&self) -> &[IndexDigit] {
        &self.digits
    }

    /// One coordinate of a node.
    ///
    /// # Panics
    ///
    /// When the shape has fewer dimensions.
    #[must_use]
    pub fn coordinate(&self, node: NodeId, dimension: HostDimension) -> u32 {
        self.digits[dimension.index()].position(node.index())
    }

    /// All coordinates of a node.
    #[must_use]
    pub fn coordinates(&self, node: NodeId) -> Coordinates {
        Coordinates::from_fn(self.dimension_count(), |dimension| self.coordinate(node, dimension))
    }

    /// The node at these coordinates, which must have been made for this shape.
    ///
    /// # Panics
    ///
    /// When the coordinates were made for a larger shape.
    #[must_use]
    pub fn node_at(&self, coordinates: &Coordinates) -> NodeId {
        assert_eq!(coordinates.as_slice().len(), self.dimension_count(), "coordinates of another shape");
        let index: u64 = coordinates
            .as_slice()
            .iter()
            .zip(&self.digits)
            .map(|(&value, digit)| u64::from(value) * digit.stride())
            .sum();
        assert!(index < self.node_count(), "coordinates of another shape");
        NodeId::new(narrow(index))
    }
}

/// A dimension `j` of a host, in `1..=32` (the guest's dimensions are numbered from 0 and have a type of
/// their own); in a [`Network`](crate::Network), whose links lie in no dimensions, the number of a port of a node, in
/// `1..=65535`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HostDimension(u16); // in 1..=MAX_DIMENSIONS; a port in 1..=MAX_PORTS

/// A number that is not a host dimension.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("host dimension {number}, expected 1 to {MAX_DIMENSIONS}")]
pub struct HostDimensionError {
    /// The number found.
    pub number: usize,
}

impl HostDimension {
    pub(crate) const MAX_PORTS: usize = u16::MAX as usize;

    /// Returns the dimension that stands for a port, counted from 0 and below [`Self::MAX_PORTS`].
    pub(crate) fn of_port(port: u16) -> Self {
        Self(port.saturating_add(1))
    }

    /// Returns the dimension with this number, counted from 1.
    ///
    /// # Errors
    ///
    /// When `number` is 0 or over 32.
    pub fn new(number: usize) -> Result<Self, HostDimensionError> {
        match u16::try_from(number) {
            Ok(small) if (1..=MAX_DIMENSIONS).contains(&number) => Ok(Self(small)),
            _ => Err(HostDimensionError { number }),
        }
    }

    /// The first `count` dimensions in ascending order; at most 32.
    #[must_use]
    pub fn first(count: usize) -> impl DoubleEndedIterator<Item = Self> + ExactSizeIterator + Clone {
        // The range ends at 32, so the numbers fit.
        #[expect(clippy::cast_possible_truncation, reason = "the count is capped at 32")]
        let last = count.min(MAX_DIMENSIONS) as u16;
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
    fn indices_and_coordinates_are_inverse_with_the_first_coordinate_fastest() {
        let shape = Shape::new(&[3, 2, 4]).unwrap();
        assert_eq!(shape.coordinates(NodeId::new(1)).as_slice(), [1, 0, 0]);
        assert_eq!(shape.coordinates(NodeId::new(3)).as_slice(), [0, 1, 0]);
        for index in 0..24 {
            let node = NodeId::new(index);
            assert_eq!(shape.node_at(&shape.coordinates(node)), node);
        }
    }

    #[test]
    fn lengths_that_make_no_shape_are_refused() {
        assert_eq!(Shape::new(&[]), Err(ShapeError::NoDimensions));
        assert_eq!(Shape::new(&[4, 1]), Err(ShapeError::LengthTooSmall { dimension: 2, length: 1 }));
        assert!(Shape::new(&[1 << 16, 1 << 16]).is_ok());
        let too_many = Shape::new(&[1 << 16, 1 << 16, 2]).unwrap_err();
        assert_eq!(too_many.to_string(), "8589934592 nodes, expected at most 4294967296 (2^32)");
        assert!(matches!(Shape::new(&[u64::MAX; 3]), Err(ShapeError::TooManyNodes { .. })));
    }

    #[test]
    fn dimensions_are_numbered_from_one_to_thirty_two() {
        assert_eq!(HostDimension::new(0), Err(HostDimensionError { number: 0 }));
        assert_eq!(HostDimension::new(33), Err(HostDimensionError { number: 33 }));
        assert_eq!(HostDimension::new(32).unwrap().index(), 31);
        let numbers: Vec<_> = HostDimension::first(3).map(HostDimension::number).collect();
        assert_eq!(numbers, [1, 2, 3]);
    }
}
