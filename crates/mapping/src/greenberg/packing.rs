//! Step 3: all nodes move to the left as far as they go.

use super::{
    IntermediateMesh, SlotTable,
    line_compression::{BlockColumn, LineCompression},
};

/// Step 3: a node of block `c` stands in column `c + DB`, `DB` doublets having been placed in its row before, and the
/// second of a doublet right of the first (errata G8). Returns how many doublets each row has in the end.
pub(super) fn pack(
    table: &mut SlotTable,
    intermediate: IntermediateMesh,
    compression: LineCompression,
) -> Vec<u32> {
    let mut doublets = vec![0; intermediate.rows() as usize]; // DB, by row
    for (block, column) in (0..).zip(table.columns_mut()) {
        for (row, slot) in (0..).zip(column.iter_mut()) {
            let before: u32 = doublets[slot.row as usize];
            slot.column = match compression.place(row).1 {
                BlockColumn::Left => block + before,
                BlockColumn::Right => block + before + 1,
            };
        }
        for first in compression.first_of_doublets() {
            doublets[column[first as usize].row as usize] += 1;
        }
    }
    doublets
}
