//! Where every node of the mesh is at a stage.

use super::{IntermediateMesh, MeshSides, Slot};

/// The slot of every node of a mesh at one stage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SlotTable {
    sides: MeshSides,
    slots: Vec<Slot>, // of column 0, then of column 1, ..
}

impl SlotTable {
    /// The table with the slot that `slot` gives for each row and column.
    pub(super) fn new(sides: MeshSides, slot: impl Fn(u32, u32) -> Slot) -> Self {
        let column = |column| (0..sides.rows()).map(move |row| (row, column));
        let slots = (0..sides.columns()).flat_map(column).map(|(row, column)| slot(row, column)).collect();
        Self { sides, slots }
    }

    /// The mesh.
    #[must_use]
    pub fn sides(&self) -> MeshSides {
        self.sides
    }

    /// The slot of the node in a row and column of the mesh, counted from 0.
    ///
    /// # Panics
    ///
    /// When the mesh has no such node.
    #[must_use]
    pub fn slot(&self, row: u32, column: u32) -> Slot {
        assert!(row < self.sides.rows(), "a row of the mesh");
        self.slots[(column * self.sides.rows() + row) as usize]
    }

    /// Every node by row and column, column by column, with its slot.
    pub fn iter(&self) -> impl Iterator<Item = (u32, u32, Slot)> {
        let places =
            (0..self.sides.columns()).flat_map(|column| (0..self.sides.rows()).map(move |row| (row, column)));
        places.zip(&self.slots).map(|((row, column), &slot)| (row, column, slot))
    }

    /// The number of columns up to the last with a node.
    #[must_use]
    pub fn width(&self) -> u32 {
        self.slots.iter().map(|slot| slot.column + 1).max().unwrap_or(0)
    }

    /// How many edges of the mesh join slots at each distance, which is its index \[links\].
    #[must_use]
    pub fn spectrum(&self, intermediate: IntermediateMesh) -> Vec<u64> {
        let mut spectrum = vec![];
        for (one, other) in self.edges() {
            count(&mut spectrum, intermediate.distance(one, other));
        }
        spectrum
    }

    /// The same for the links that would close the columns to rings: from the last row to row 0 (6.2).
    #[must_use]
    pub fn wrap_spectrum(&self, intermediate: IntermediateMesh) -> Vec<u64> {
        let mut spectrum = vec![];
        let last = self.sides.rows() - 1;
        for column in 0..self.sides.columns() {
            count(&mut spectrum, intermediate.distance(self.slot(last, column), self.slot(0, column)));
        }
        spectrum
    }

    /// The slots of both ends of every edge, from a node to its right or lower neighbour.
    fn edges(&self) -> impl Iterator<Item = (Slot, Slot)> {
        let end = self.sides;
        self.iter().flat_map(move |(row, column, slot)| {
            let below = (row + 1 < end.rows()).then(|| self.slot(row + 1, column));
            let right = (column + 1 < end.columns()).then(|| self.slot(row, column + 1));
            below.into_iter().chain(right).map(move |other| (slot, other))
        })
    }

    /// The nodes of each column of the mesh, changed by the steps.
    pub(super) fn columns_mut(&mut self) -> impl Iterator<Item = &mut [Slot]> {
        self.slots.chunks_exact_mut(self.sides.rows() as usize)
    }

    /// All slots, changed by the steps.
    pub(super) fn slots_mut(&mut self) -> &mut [Slot] {
        &mut self.slots
    }

    /// All slots, column by column.
    pub(super) fn slots(&self) -> &[Slot] {
        &self.slots
    }
}

fn count(spectrum: &mut Vec<u64>, distance: u32) {
    let index = distance as usize;
    if spectrum.len() <= index {
        spectrum.resize(index + 1, 0);
    }
    spectrum[index] += 1;
}
