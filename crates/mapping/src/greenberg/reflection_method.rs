//! The reflection method, step by step (4.2 and section 5).
//!
//! Every step changes the slots of a [`SlotTable`] in place. Columns of the mesh stay together
//! until percolation, so that each step needs no more than the rows of the doublets.

use super::{
    GreenbergError, GreenbergMethod, GreenbergStage, IntermediateMesh, MeshSides, Slot, SlotTable,
    intermediate_mesh::{ColumnOrder, flexed_dimension},
    percolation::{Moved, percolate},
    slot_table::{bits, bits_under},
};
use crate::product::{gray_code_word, gray_position};

/// The reflection method for one mesh: promised for `W <= L`, and available for
/// others (figure 6 is the 11 x 5 mesh).
///
/// Nothing is checked here except that the steps can be done;
/// [`GreenbergEmbedding`](super::GreenbergEmbedding) does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReflectionMethod {
    sides: MeshSides,
    compression: LineCompression,
    intermediate: IntermediateMesh,
}

/// The result of the steps.
#[derive(Debug)]
pub(super) struct Steps {
    pub(super) table: SlotTable,
    pub(super) doublets: Vec<u32>, // of each row of the intermediate mesh; from step 3 on
    pub(super) swapped: u64,       // doublets of step 5
    pub(super) moved: Vec<Moved>,  // in the percolation
}

impl ReflectionMethod {
    /// The method for a mesh whose columns are compressed to `W1 = under(W)` rows, in
    /// `L1 = over(L)` columns.
    ///
    /// # Errors
    ///
    /// When `W` is a power of two, or there are over `W1 L1` nodes: those are for the Gray code.
    pub fn new(sides: MeshSides) -> Result<Self, GreenbergError> {
        let (rows, columns) = (sides.rows(), sides.columns());
        let (row_bits, column_bits) = (bits_under(rows), bits(columns));
        if rows.is_power_of_two() || sides.cube_dimensions() > row_bits + column_bits {
            return Err(GreenbergError::NotForReflection { rows, columns });
        }
        let intermediate = IntermediateMesh::new(row_bits, column_bits, ColumnOrder::Descending);
        Ok(Self { sides, compression: LineCompression::new(rows), intermediate })
    }

    /// The intermediate mesh `M1`.
    #[must_use]
    pub fn intermediate(&self) -> IntermediateMesh {
        self.intermediate
    }

    /// `S`: rows of a block with one node.
    #[must_use]
    pub fn singlet_rows(&self) -> u32 {
        self.compression.singlets()
    }

    /// `D`: rows of a block with two nodes.
    #[must_use]
    pub fn doublet_rows(&self) -> u32 {
        self.compression.doublets()
    }

    /// The slots of the nodes after a stage.
    ///
    /// # Errors
    ///
    /// When the stage is that of the Gray code, or nothing can percolate, which happens only with
    /// `W > L`.
    pub fn slots(&self, stage: GreenbergStage) -> Result<SlotTable, GreenbergError> {
        self.run(stage).map(|steps| steps.table)
    }

    /// All steps up to and including a stage.
    pub(super) fn run(&self, stage: GreenbergStage) -> Result<Steps, GreenbergError> {
        if stage == GreenbergStage::Gray {
            return Err(GreenbergError::Stage { stage, method: GreenbergMethod::Reflection });
        }
        let table = compress(self.sides, self.compression);
        let mut steps = Steps { table, doublets: vec![], swapped: 0, moved: vec![] };
        for next in GreenbergStage::REFLECTION.into_iter().filter(|&next| next <= stage) {
            self.step(next, &mut steps)?;
        }
        Ok(steps)
    }

    fn step(&self, stage: GreenbergStage, steps: &mut Steps) -> Result<(), GreenbergError> {
        let (table, mesh) = (&mut steps.table, self.intermediate);
        match stage {
            GreenbergStage::Compress | GreenbergStage::Gray => {}
            GreenbergStage::Reflect => reflect(table, mesh.row_bits()),
            GreenbergStage::Pack => steps.doublets = pack(table, mesh, self.compression),
            GreenbergStage::Fold => fold(table, mesh),
            GreenbergStage::Swap => steps.swapped = swap(table, mesh, self.compression),
            GreenbergStage::Percolate => steps.moved = percolate(table, mesh)?,
        }
        Ok(())
    }
}

/// The layout of a column of `W` nodes in `W1` rows: singlets, rows with one node, above doublets, rows
/// with two.
///
/// ```text
/// W = 5, W1 = 4, S = 3, D = 1:    0 .
///                                 1 .
///                                 2 .
///                                 3 4
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct LineCompression {
    rows: u32,     // W1, a power of two
    doublets: u32, // D = W - W1, in 1..W1: S = W1 - D rows are singlets
}

impl LineCompression {
    /// The layout for columns of `rows` nodes, which is not a power of two.
    fn new(rows: u32) -> Self {
        debug_assert!(!rows.is_power_of_two(), "the Gray code fits a power of two");
        let intermediate = 1 << bits_under(rows);
        Self { rows: intermediate, doublets: rows - intermediate }
    }

    /// `S = 2 W1 - W`.
    fn singlets(self) -> u32 {
        self.rows - self.doublets
    }

    /// `D = W - W1`.
    fn doublets(self) -> u32 {
        self.doublets
    }

    /// The row and the column inside the block of a node, by its row of the mesh (4.2, step 1): column 0, or 1 for the
    /// second node of a doublet.
    fn place(self, row: u32) -> (u32, u32) {
        match row.checked_sub(self.singlets()) {
            None => (row, 0),
            Some(below) => (self.singlets() + below / 2, below % 2),
        }
    }

    /// The rows of the mesh that are the first nodes of the doublets; the second is the next row.
    fn first_of_doublets(self) -> impl Iterator<Item = u32> {
        (self.singlets()..self.rows + self.doublets).step_by(2)
    }
}

/// Step 1: block `c` has columns `2 c` and `2 c + 1`.
fn compress(sides: MeshSides, compression: LineCompression) -> SlotTable {
    SlotTable::new(sides, |row, block| {
        let (row, column) = compression.place(row);
        Slot { row, column: 2 * block + column }
    })
}

/// Step 2: block `c` is crossed over all of the first `c` dimensions of the flexed sequence (errata
/// G7).
fn reflect(table: &mut SlotTable, row_bits: u32) {
    let mut crossed = 0;
    for (step, column) in (1..).zip(table.columns_mut()) {
        for slot in column {
            slot.row = gray_position(gray_code_word(slot.row) ^ crossed);
        }
        crossed ^= 1 << flexed_dimension(step, row_bits);
    }
}

/// Step 3: a node of block `c` is in column `c + DB`, `DB` doublets having been placed in its row
/// before, and the second of a doublet right of the first (errata G8). Returns how many doublets
/// each row has in the end.
fn pack(table: &mut SlotTable, intermediate: IntermediateMesh, compression: LineCompression) -> Vec<u32> {
    let mut doublets = vec![0; intermediate.rows() as usize]; // DB, by row
    for (block, column) in (0..).zip(table.columns_mut()) {
        for (row, slot) in (0..).zip(column.iter_mut()) {
            let before: u32 = doublets[slot.row as usize];
            slot.column = block + before + compression.place(row).1;
        }
        for first in compression.first_of_doublets() {
            doublets[column[first as usize].row as usize] += 1;
        }
    }
    doublets
}

/// Step 4: `c1` becomes `2 L1 + 1 - c1`, counted from 1, as the text has it and not the formula
/// (errata G9).
///
/// Two nodes may share a slot then, only in the last `log W1 - 1` columns (lemma 7).
fn fold(table: &mut SlotTable, intermediate: IntermediateMesh) {
    let columns = intermediate.columns();
    for slot in table.slots.iter_mut().filter(|slot| slot.column >= columns) {
        // Some column is not full where another overflows, so that one fold is always
        // enough.
        slot.column = (2 * columns - 1).saturating_sub(slot.column);
    }
}

/// The most links between neighbours before percolation (theorem 2).
const MAX_BEFORE_PERCOLATION: u32 = 3;

/// Step 5, each column after the one before has been swapped (errata G10). Returns the number of doublets
/// swapped.
fn swap(table: &mut SlotTable, intermediate: IntermediateMesh, compression: LineCompression) -> u64 {
    let rows = table.sides().rows() as usize;
    let mut swapped = 0;
    for column in 1..table.sides().columns() as usize {
        let (before, current) = table.slots[(column - 1) * rows..].split_at_mut(rows);
        for first in compression.first_of_doublets().map(|row| row as usize) {
            let is_far =
                |row: usize| intermediate.distance(before[row], current[row]) > MAX_BEFORE_PERCOLATION;
            if is_far(first) || is_far(first + 1) {
                current.swap(first, first + 1);
                swapped += 1;
            }
        }
    }
    swapped
}
