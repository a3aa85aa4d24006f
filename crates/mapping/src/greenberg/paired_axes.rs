//! The dimensions of a guest that are placed together, or one alone, and the pairs in which they are
//! taken (6.2).

use std::fmt;

use cubefold_topology::{Grid, HostDimension, NodeId, Wrap};

use super::{
    GreenbergEmbedding, GreenbergError, GreenbergMethod, WrapPlace, gray_side::wrap_of, slot_table::bits_of,
};
use crate::{ProcessId, tao::folded};

/// Two dimensions of a guest that are placed together, or one alone, with the bits of the node that
/// they decide.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PairedAxes {
    rows: Option<HostDimension>, // of the guest; `None` if one dimension is alone
    columns: HostDimension,
    embedding: GreenbergEmbedding, // of (rows, columns)
    folded_columns: Option<u64>,   // the number of columns, if they are folded first
    first_bit: u32,
}

impl PairedAxes {
    /// The guest dimension whose coordinate is the row of the mesh; `None` if one dimension is placed
    /// alone, as a mesh of one row.
    #[must_use]
    pub fn rows(&self) -> Option<HostDimension> {
        self.rows
    }

    /// The guest dimension whose coordinate is the column.
    #[must_use]
    pub fn columns(&self) -> HostDimension {
        self.columns
    }

    /// The embedding of the mesh of the two.
    #[must_use]
    pub fn embedding(&self) -> &GreenbergEmbedding {
        &self.embedding
    }

    /// The lowest bit of the node that is theirs, the cube's dimensions being counted from 0.
    #[must_use]
    pub fn first_bit(&self) -> u32 {
        self.first_bit
    }

    /// These axes above other bits of the node.
    pub(super) fn above(self, first_bit: u32) -> Self {
        Self { first_bit, ..self }
    }

    /// The Gray code along one or two dimensions, the first in the lowest bits.
    pub(super) fn gray(guest: &Grid, rows: Option<usize>, columns: usize) -> Result<Self, GreenbergError> {
        let dimensions: Vec<HostDimension> = guest.shape().dimensions().collect();
        let side = |dimension| (guest.extent(dimension).length(), wrap_of(guest.extent(dimension)));
        let (rows, columns) = (rows.map(|index| dimensions[index]), dimensions[columns]);
        let (row_side, column_side) = (rows.map_or((1, Wrap::Open), side), side(columns));
        let embedding = GreenbergEmbedding::gray([row_side.0, column_side.0], [row_side.1, column_side.1])?;
        Ok(Self { rows, columns, embedding, folded_columns: None, first_bit: 0 })
    }

    /// Two dimensions by reflection, the shorter one compressed; if they are equal, the one that wraps.
    pub(super) fn reflected(guest: &Grid, pair: [usize; 2]) -> Result<Self, GreenbergError> {
        let dimensions: Vec<HostDimension> = guest.shape().dimensions().collect();
        let [one, other] = pair.map(|index| dimensions[index]);
        let rank = |dimension| (guest.extent(dimension).length(), !guest.extent(dimension).is_ring());
        let (rows, columns) = if rank(other) < rank(one) { (other, one) } else { (one, other) };
        let length = |dimension| guest.extent(dimension).length();
        let embedding = GreenbergEmbedding::new([length(rows), length(columns)])?;
        check_open(guest, columns, WrapPlace::Longer)?;
        Ok(Self { rows: Some(rows), columns, embedding, folded_columns: None, first_bit: 0 })
    }

    /// Both dimensions of a guest by reflection, the longer one compressed (figure 6).
    pub(super) fn longer_side(guest: &Grid) -> Result<Self, GreenbergError> {
        let [one, other] = two_dimensions(guest)?;
        let length = |dimension| guest.extent(dimension).length();
        let (rows, columns) = if length(other) > length(one) { (other, one) } else { (one, other) };
        for dimension in [one, other] {
            check_open(guest, dimension, WrapPlace::LongerCompressed)?;
        }
        let embedding = GreenbergEmbedding::longer_side([length(rows), length(columns)])?;
        Ok(Self { rows: Some(rows), columns, embedding, folded_columns: None, first_bit: 0 })
    }

    /// Both dimensions of a guest by reflection, the longer one, which wraps, folded first; if they are equal,
    /// the last that wraps.
    pub(super) fn folded(guest: &Grid) -> Result<Self, GreenbergError> {
        let [one, other] = two_dimensions(guest)?;
        let rank = |dimension| (guest.extent(dimension).length(), guest.extent(dimension).is_ring());
        let (rows, columns) = if rank(other) < rank(one) { (other, one) } else { (one, other) };
        let length = |dimension| guest.extent(dimension).length();
        if !guest.extent(columns).is_ring() {
            return Err(GreenbergError::NotFolded { dimension: columns, length: length(columns) });
        }
        let embedding = GreenbergEmbedding::new([length(rows), length(columns)])?;
        if embedding.method() == GreenbergMethod::Gray {
            let sides = embedding.sides();
            return Err(GreenbergError::NotForReflection { rows: sides.rows(), columns: sides.columns() });
        }
        Ok(Self { rows: Some(rows), columns, embedding, folded_columns: Some(length(columns)), first_bit: 0 })
    }

    /// The bits of the node that a process has from its coordinates in these dimensions.
    pub(super) fn bits(&self, guest: &Grid, process: ProcessId) -> u32 {
        let coordinate = |axis| guest.shape().coordinate(NodeId::new(process.label()), axis);
        let column = match self.folded_columns {
            Some(length) => folded(length, coordinate(self.columns)),
            None => coordinate(self.columns),
        };
        self.embedding.node([self.rows.map_or(0, coordinate), column]) << self.first_bit
    }

    /// The mesh of the dimensions and the intermediate one: `5 x 11 in 4 x 16`.
    pub(super) fn mesh_in_mesh(&self) -> String {
        let (sides, intermediate) = (self.embedding.sides(), self.embedding.intermediate());
        let (rows, columns) = (sides.rows(), sides.columns());
        let (in_rows, in_columns) = (intermediate.rows(), intermediate.columns());
        match (self.rows, self.folded_columns) {
            (None, _) => format!("{columns} in {in_columns}"),
            (Some(_), None) => format!("{rows} x {columns} in {in_rows} x {in_columns}"),
            (Some(_), Some(_)) => format!("{rows} x t({columns}) in {in_rows} x {in_columns}"),
        }
    }
}

pub(super) fn two_dimensions(guest: &Grid) -> Result<[HostDimension; 2], GreenbergError> {
    let dimensions: Vec<HostDimension> = guest.shape().dimensions().collect();
    match dimensions[..] {
        [one, other] => Ok([one, other]),
        _ => Err(GreenbergError::TwoDimensions { found: dimensions.len() }),
    }
}

/// Checks that a dimension whose ends the embedding does not bring together does not wrap.
pub(super) fn check_open(
    guest: &Grid,
    dimension: HostDimension,
    place: WrapPlace,
) -> Result<(), GreenbergError> {
    let extent = guest.extent(dimension);
    if extent.is_ring() {
        return Err(GreenbergError::Wrap { dimension, length: extent.length(), place });
    }
    Ok(())
}

impl fmt::Display for PairedAxes {
    /// Its dimensions, that of the rows first: `dimensions 1 and 2`.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.rows {
            Some(rows) => write!(formatter, "dimensions {rows} and {}", self.columns),
            None => write!(formatter, "dimension {}", self.columns),
        }
    }
}

/// The axes of a guest that are placed together, by their indices: a pair, or one alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Axes {
    /// Two.
    Pair([usize; 2]),
    /// One, by the Gray code.
    Alone(usize),
}

impl Axes {
    fn first(self) -> usize {
        match self {
            Self::Pair([first, _]) => first,
            Self::Alone(axis) => axis,
        }
    }
}

/// As many pairs as there can be of which each saves a dimension of the cube, in the order of their
/// first axes.
///
/// A pair saves one where the product of its sides is at most half the number of slots of the Gray
/// code. Axes fill the Gray code to some share each, and the fuller an axis is the fewer others it
/// goes with: pairing the fullest that still goes with the emptiest, again and again, gives the
/// most pairs.
pub(super) fn pairs(lengths: &[u64]) -> Vec<Axes> {
    let mut by_share: Vec<usize> = (0..lengths.len()).collect();
    // a / over(a) < b / over(b)
    by_share.sort_by_key(|&axis| (u128::from(lengths[axis]) << 64 >> bits_of(lengths[axis]), axis));
    let (mut axes, mut rest) = (vec![], by_share.as_slice());
    while let [emptiest, between @ .., fullest] = rest {
        rest = if saves(lengths[*emptiest], lengths[*fullest]) {
            let pair = [*emptiest, *fullest];
            axes.push(Axes::Pair([pair[0].min(pair[1]), pair[0].max(pair[1])]));
            between
        } else {
            axes.push(Axes::Alone(*fullest));
            &rest[..rest.len() - 1]
        };
    }
    axes.extend(rest.iter().map(|&axis| Axes::Alone(axis)));
    axes.sort_by_key(|axes| axes.first());
    axes
}

/// Whether the mesh of two sides needs a dimension fewer than its Gray code.
fn saves(one: u64, other: u64) -> bool {
    let gray = 1_u128 << (bits_of(one) + bits_of(other));
    2 * u128::from(one) * u128::from(other) <= gray
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MeshSides;

    #[test]
    fn a_pair_saves_a_dimension_where_reflection_is_its_method() {
        for rows in 1..=64 {
            for columns in rows..=64 {
                let reflects = MeshSides::new(rows, columns).unwrap().method() == GreenbergMethod::Reflection;
                assert_eq!(saves(rows, columns), reflects, "{rows} x {columns}");
            }
        }
    }

    /// The most pairs, by exhaustive search.
    fn most_pairs(lengths: &[u64]) -> usize {
        let Some((&first, others)) = lengths.split_first() else { return 0 };
        let with = |at: usize| {
            let rest: Vec<u64> = others
                .iter()
                .enumerate()
                .filter(|&(place, _)| place != at)
                .map(|(_, &length)| length)
                .collect();
            1 + most_pairs(&rest)
        };
        let paired = (0..others.len()).filter(|&at| saves(first, others[at])).map(with);
        paired.max().unwrap_or(0).max(most_pairs(others))
    }

    #[test]
    fn no_other_pairing_has_more_pairs() {
        let sides = [2, 3, 4, 5, 6, 7, 9, 11];
        for code in 0..8_usize.pow(5) {
            let lengths: Vec<u64> = (0..5).map(|digit| sides[code / 8_usize.pow(digit) % 8]).collect();
            if !lengths.is_sorted() {
                continue;
            }
            let found = pairs(&lengths);
            let count = found.iter().filter(|axes| matches!(axes, Axes::Pair(_))).count();
            assert_eq!(count, most_pairs(&lengths), "{lengths:?}");
            assert_eq!(count + found.len(), lengths.len(), "{lengths:?}");
        }
    }

    #[test]
    fn axes_that_fill_the_code_are_alone() {
        assert_eq!(pairs(&[4, 4]), [Axes::Alone(0), Axes::Alone(1)]);
        assert_eq!(pairs(&[3, 3, 3]), [Axes::Alone(0), Axes::Alone(1), Axes::Alone(2)]);
        assert_eq!(pairs(&[5, 4, 5]), [Axes::Pair([0, 2]), Axes::Alone(1)]);
        assert_eq!(pairs(&[7]), [Axes::Alone(0)]);
    }
}
