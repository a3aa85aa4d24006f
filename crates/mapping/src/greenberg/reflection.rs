//! Step 2: the blocks are reflected across dimensions of the rows' cube, so that the doublets are spread (lemma 2).

use super::{
    SlotTable,
    sequence::{flexed_dimension, gray_code_word, gray_position},
};

/// Step 2: block `c` is crossed over all of the first `c` dimensions of the flexed sequence (errata G7).
pub(super) fn reflect(table: &mut SlotTable, row_bits: u32) {
    let mut crossed = 0;
    for (step, column) in (1..).zip(table.columns_mut()) {
        for slot in column {
            slot.row = gray_position(gray_code_word(slot.row) ^ crossed);
        }
        crossed ^= 1 << flexed_dimension(step, row_bits);
    }
}
