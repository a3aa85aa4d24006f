//! Step 4: what stands beyond the intermediate mesh is reflected back into it.

use super::{IntermediateMesh, SlotTable};

/// Step 4: `c1` becomes `2 L1 + 1 - c1`, counted from 1, as the text has it and not the formula (errata G9).
///
/// Two nodes may share a slot then, only in the last `log W1 - 1` columns (lemma 7).
pub(super) fn fold(table: &mut SlotTable, intermediate: IntermediateMesh) {
    let columns = intermediate.columns();
    for slot in table.slots_mut().iter_mut().filter(|slot| slot.column >= columns) {
        // Some column is not full where another runs over, so that no more than one fold is ever needed.
        slot.column = (2 * columns - 1).saturating_sub(slot.column);
    }
}
