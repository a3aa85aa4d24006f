//! Step 1: a column of the mesh in a block of two shorter columns (4.1, figure 5).

use super::{MeshSides, Slot, SlotTable, mesh_sides::bits_under};

/// How a column of `W` nodes lies in `W1` rows: singlets, rows with one node, above doublets, rows with two.
///
/// ```text
/// W = 5, W1 = 4, S = 3, D = 1:    0 .
///                                 1 .
///                                 2 .
///                                 3 4
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LineCompression {
    rows: u32,     // W1, a power of two
    doublets: u32, // D = W - W1, in 1..W1: S = W1 - D rows are singlets
}

/// Which of the two columns of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BlockColumn {
    /// The left one.
    Left,
    /// The right one, which only doublets have.
    Right,
}

impl LineCompression {
    /// For columns of `rows` nodes, which is no power of two.
    pub(super) fn new(rows: u32) -> Self {
        debug_assert!(!rows.is_power_of_two(), "the Gray code fits a power of two");
        let intermediate = 1 << bits_under(rows);
        Self { rows: intermediate, doublets: rows - intermediate }
    }

    /// `S = 2 W1 - W`.
    pub(super) fn singlets(self) -> u32 {
        self.rows - self.doublets
    }

    /// `D = W - W1`.
    pub(super) fn doublets(self) -> u32 {
        self.doublets
    }

    /// The row and column inside the block of a node, by its row of the mesh (4.2, step 1).
    pub(super) fn place(self, row: u32) -> (u32, BlockColumn) {
        match row.checked_sub(self.singlets()) {
            None => (row, BlockColumn::Left),
            Some(below) if below.is_multiple_of(2) => (self.singlets() + below / 2, BlockColumn::Left),
            Some(below) => (self.singlets() + below / 2, BlockColumn::Right),
        }
    }

    /// The rows of the mesh that are the first nodes of the doublets; the second is the next row.
    pub(super) fn first_of_doublets(self) -> impl Iterator<Item = u32> {
        (self.singlets()..self.rows + self.doublets).step_by(2)
    }
}

/// Step 1: block `c` has columns `2 c` and `2 c + 1`.
pub(super) fn compress(sides: MeshSides, compression: LineCompression) -> SlotTable {
    SlotTable::new(sides, |row, column| match compression.place(row) {
        (row, BlockColumn::Left) => Slot { row, column: 2 * column },
        (row, BlockColumn::Right) => Slot { row, column: 2 * column + 1 },
    })
}
