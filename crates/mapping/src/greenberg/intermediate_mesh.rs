//! The mesh between guest and cube, and the Gray code by which every slot of it is a node of the
//! cube.
//!
//! Its sides are powers of two, so that the Gray code fits it. Of the report's three ways to count,
//! the one of definition 6 is meant: an n-cube has dimensions 0 to n - 1, and steps are counted
//! from 1 (errata G1, G2).

use crate::product::{gray_code_word, gray_position};

/// A slot of the intermediate mesh, or beyond its last column before step 4: positions along the
/// Gray codes of rows and columns, counted from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Slot {
    /// The position among the rows.
    pub row: u32,
    /// The position among the columns.
    pub column: u32,
}

/// The intermediate mesh `M1`, of `W1 x L1` slots: every slot is a node of the cube.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IntermediateMesh {
    row_bits: u32,
    column_bits: u32, // with row_bits at most 31
    order: ColumnOrder,
}

/// The numbering in the cube of the dimensions of the columns' code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ColumnOrder {
    /// As in the code.
    Ascending,
    /// The highest dimension of the code is the lowest in the cube: dimension-order routes then
    /// take it first, which keeps the load factor of 6.1.
    Descending,
}

impl IntermediateMesh {
    pub(super) fn new(row_bits: u32, column_bits: u32, order: ColumnOrder) -> Self {
        debug_assert!(row_bits + column_bits < u32::BITS, "a mesh has at most 2^24 nodes");
        Self { row_bits, column_bits, order }
    }

    /// `W1`: the number of rows.
    #[must_use]
    pub fn rows(self) -> u32 {
        1 << self.row_bits
    }

    /// `L1`: the number of columns.
    #[must_use]
    pub fn columns(self) -> u32 {
        1 << self.column_bits
    }

    /// The dimensions of the cubes that are its columns: the logarithm of `W1`.
    #[must_use]
    pub fn row_bits(self) -> u32 {
        self.row_bits
    }

    /// The dimensions of the cubes that are its rows: the logarithm of `L1`.
    #[must_use]
    pub fn column_bits(self) -> u32 {
        self.column_bits
    }

    /// The number of slots.
    #[must_use]
    pub fn slot_count(self) -> u32 {
        1 << (self.row_bits + self.column_bits)
    }

    /// The cube node of a slot: the code word of its row in the low bits, that of its column above
    /// them (definition 6).
    ///
    /// Columns beyond the last count as those of a larger code; their results lie beyond the cube.
    #[must_use]
    pub fn cube_node(self, slot: Slot) -> u32 {
        self.with_column_word(gray_code_word(slot.row), gray_code_word(slot.column))
    }

    /// The slot of a cube node.
    #[must_use]
    pub fn slot(self, node: u32) -> Slot {
        let row = gray_position(node & (self.rows() - 1));
        Slot { row, column: gray_position(self.in_order(node >> self.row_bits)) }
    }

    /// The distance of two slots in the cube \[links\].
    #[must_use]
    pub fn distance(self, one: Slot, other: Slot) -> u32 {
        let rows = gray_code_word(one.row) ^ gray_code_word(other.row);
        let columns = gray_code_word(one.column) ^ gray_code_word(other.column);
        rows.count_ones() + columns.count_ones()
    }

    /// The cube nodes on the path between two slots, both included: to the right row first, then
    /// along it, the highest dimension of a code first (6.1; errata G17).
    pub(super) fn path(self, from: Slot, to: Slot) -> Vec<u32> {
        let mut words = [gray_code_word(from.row), gray_code_word(from.column)];
        let goal = [gray_code_word(to.row), gray_code_word(to.column)];
        let mut path = vec![self.cube_node(from)];
        for side in [0, 1] {
            while let Some(dimension) = (words[side] ^ goal[side]).checked_ilog2() {
                words[side] ^= 1 << dimension;
                path.push(self.with_column_word(words[0], words[1]));
            }
        }
        path
    }

    fn with_column_word(self, row_word: u32, column_word: u32) -> u32 {
        (self.in_order(column_word) << self.row_bits) | row_word
    }

    /// The word of a column in the cube's order of dimensions, and back.
    fn in_order(self, word: u32) -> u32 {
        match self.order {
            ColumnOrder::Descending if self.column_bits > 0 && word < self.columns() => {
                word.reverse_bits() >> (u32::BITS - self.column_bits)
            }
            ColumnOrder::Ascending | ColumnOrder::Descending => word,
        }
    }
}

/// The dimension that step `step` of the Gray code crosses, in a cube of `dimensions` dimensions:
/// 0, 1, 0, 2, 0, ..
///
/// Greenberg 1987, definition 2. `step` counts from 1; after `2^n - 1` steps it goes on cyclically,
/// the closing step `2^n` crossing the highest dimension back to the first node. A cube without
/// dimensions, and step 0, count as dimension 0.
#[must_use]
pub fn gray_dimension(step: u32, dimensions: u32) -> u32 {
    step.trailing_zeros().min(dimensions.saturating_sub(1))
}

/// The dimension that step `step` of the flexed sequence crosses: the Gray sequence with the order
/// of dimensions reversed, n - 1, n - 2, n - 1, n - 3, ..
///
/// Greenberg 1987, definition 2. Beyond `2^n - 1` steps it goes on cyclically: the closing step
/// `2^n` crosses dimension 0 (errata G3).
#[must_use]
pub fn flexed_dimension(step: u32, dimensions: u32) -> u32 {
    dimensions.saturating_sub(1) - gray_dimension(step, dimensions)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_and_nodes_are_inverse_and_paths_go_the_distance() {
        let orders = [ColumnOrder::Ascending, ColumnOrder::Descending];
        // A mesh of one column too, which has no bits to be put in order.
        for (order, column_bits) in orders.into_iter().flat_map(|order| [(order, 3), (order, 0)]) {
            let mesh = IntermediateMesh::new(2, column_bits, order);
            let slots: Vec<Slot> = (0..mesh.slot_count()).map(|node| mesh.slot(node)).collect();
            for (node, &slot) in (0..).zip(&slots) {
                assert_eq!(mesh.cube_node(slot), node);
                for &other in &slots {
                    let path = mesh.path(slot, other);
                    assert_eq!(path.len(), mesh.distance(slot, other) as usize + 1);
                    assert_eq!((path[0], path[path.len() - 1]), (node, mesh.cube_node(other)));
                    assert!(path.windows(2).all(|pair| (pair[0] ^ pair[1]).is_power_of_two()));
                }
            }
        }
    }

    #[test]
    fn paths_along_a_row_are_those_of_dimension_order() {
        let mesh = IntermediateMesh::new(1, 3, ColumnOrder::Descending);
        let slot = |column| Slot { row: 0, column };
        // Columns 1 and 5 hold words 001 and 111: dimension 2 of the code, which is 1 of the cube,
        // comes first.
        assert_eq!(mesh.path(slot(1), slot(5)), [0b1000, 0b1010, 0b1110]);
    }

    #[test]
    fn steps_of_the_sequence_lead_from_word_to_word() {
        for position in 0..1 << 12 {
            let crossed = gray_code_word(position) ^ gray_code_word(position + 1);
            assert_eq!(crossed, 1 << gray_dimension(position + 1, 13));
        }
        assert_eq!(gray_code_word((1 << 12) - 1), 1 << gray_dimension(1 << 12, 12), "the closing step");
    }

    #[test]
    fn the_sixth_step_of_the_fourth_order_crosses_dimension_one() {
        // Example 1 of the report.
        assert_eq!(gray_dimension(6, 4), 1);
    }
}
