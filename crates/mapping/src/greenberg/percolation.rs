//! Section 5: nodes move by one slot each, along disjoint paths, until no two nodes share a
//! slot.

use super::{DisjointPathsError, IntermediateMesh, Slot, SlotTable, disjoint_paths};
use crate::product::{gray_code_word, gray_position};

/// A node that percolated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Moved {
    /// Its place in the table.
    pub(super) index: usize,
    /// Its slot before, a neighbour of the slot where it is now.
    pub(super) from: Slot,
}

/// The last columns of the intermediate mesh, at most `2 W1` of them, a power of two: a subcube.
///
/// Section 5 finds its paths there, in the four regions of `W1 / 2` columns on the right, so that a
/// search in it also finds some.
#[derive(Debug, Clone, Copy)]
struct LastColumns {
    intermediate: IntermediateMesh,
    first: u32,
    bits: u32,
}

impl LastColumns {
    fn of(intermediate: IntermediateMesh) -> Self {
        let bits = intermediate.column_bits().min(intermediate.row_bits() + 1);
        Self { intermediate, first: intermediate.columns() - (1 << bits), bits }
    }

    fn dimensions(self) -> u32 {
        self.intermediate.row_bits() + self.bits
    }

    /// The node of the subcube at a slot; `None` if the slot is in an earlier column.
    fn node(self, slot: Slot) -> Option<u32> {
        let low = (1 << self.bits) - 1;
        let (row, column) = (gray_code_word(slot.row), gray_code_word(slot.column));
        (slot.column >= self.first).then_some(((column & low) << self.intermediate.row_bits()) | row)
    }

    fn slot(self, node: u32) -> Slot {
        let (high, row_bits) =
            (gray_code_word(self.first) >> self.bits << self.bits, self.intermediate.row_bits());
        let row = gray_position(node & (self.intermediate.rows() - 1));
        Slot { row, column: gray_position(high | node >> row_bits) }
    }
}

/// The nodes in a slot, by their indices in the table.
#[derive(Debug, Clone, Copy, Default)]
struct Occupants {
    first: Option<usize>,
    second: Option<usize>,
}

/// Moves nodes until no two share a slot; returns those that moved, in the order of the table. There are disjoint paths
/// whenever `W <= L`.
pub(super) fn percolate(
    table: &mut SlotTable,
    intermediate: IntermediateMesh,
) -> Result<Vec<Moved>, DisjointPathsError> {
    let columns = LastColumns::of(intermediate);
    let mut occupants = occupants(table, columns);
    let nodes = |is_wanted: fn(&Occupants) -> bool| -> Vec<u32> {
        let wanted = (0..).zip(&occupants).filter(|(_, pair)| is_wanted(pair));
        wanted.map(|(node, _)| node).collect()
    };
    let sources = nodes(|pair| pair.second.is_some());
    if sources.is_empty() {
        return Ok(vec![]);
    }
    let sinks = nodes(|pair| pair.first.is_none());
    let mut moved = vec![];
    for path in disjoint_paths(columns.dimensions(), &sources, &sinks)? {
        // The later one of the table leaves; the choice is free.
        let mut leaving = occupants[path[0] as usize].second.take();
        for &node in &path[1..] {
            let Some(index) = leaving else { break };
            leaving = occupants[node as usize].first.replace(index);
            let from = std::mem::replace(&mut table.slots[index], columns.slot(node));
            moved.push(Moved { index, from });
        }
    }
    moved.sort_unstable();
    Ok(moved)
}

fn occupants(table: &SlotTable, columns: LastColumns) -> Vec<Occupants> {
    let mut occupants = vec![Occupants::default(); 1 << columns.dimensions()];
    for (index, &slot) in table.slots.iter().enumerate() {
        let Some(node) = columns.node(slot) else { continue };
        let pair = &mut occupants[node as usize];
        match pair.first {
            None => pair.first = Some(index),
            // The check would find a third, which cannot occur: no two columns are folded onto the same.
            Some(_) => pair.second = Some(index),
        }
    }
    occupants
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::greenberg::intermediate_mesh::ColumnOrder;

    #[test]
    fn the_last_columns_are_a_subcube_and_its_nodes_are_their_slots() {
        for (row_bits, column_bits) in [(1, 5), (2, 3), (3, 3), (2, 6)] {
            let mesh = IntermediateMesh::new(row_bits, column_bits, ColumnOrder::Ascending);
            let columns = LastColumns::of(mesh);
            let slots: Vec<Slot> = (0..1 << columns.dimensions()).map(|node| columns.slot(node)).collect();
            for (node, &slot) in (0..).zip(&slots) {
                assert_eq!(columns.node(slot), Some(node));
                for (other, &far) in (0..).zip(&slots) {
                    assert_eq!(mesh.distance(slot, far), u32::count_ones(node ^ other));
                }
            }
        }
    }
}
