//! Step 5: doublets that have come too far from the column before are swapped.

use super::{IntermediateMesh, SlotTable, line_compression::LineCompression};

/// The most links between neighbours before percolation (theorem 2).
pub(super) const MAX_BEFORE_PERCOLATION: u32 = 3;

/// Step 5, from column to column as the one before then is (errata G10). Returns how many doublets were swapped.
pub(super) fn swap(
    table: &mut SlotTable,
    intermediate: IntermediateMesh,
    compression: LineCompression,
) -> u64 {
    let rows = table.sides().rows() as usize;
    let mut swapped = 0;
    for column in 1..table.sides().columns() as usize {
        let (before, own) = table.slots_mut()[(column - 1) * rows..].split_at_mut(rows);
        for first in compression.first_of_doublets().map(|row| row as usize) {
            let is_far = |row: usize| intermediate.distance(before[row], own[row]) > MAX_BEFORE_PERCOLATION;
            if is_far(first) || is_far(first + 1) {
                own.swap(first, first + 1);
                swapped += 1;
            }
        }
    }
    swapped
}
