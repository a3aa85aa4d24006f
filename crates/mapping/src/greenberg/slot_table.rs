//! The two sides of a mesh, the method that they decide, and the slot of every node of the mesh at
//! a stage.

use super::{
    error::{GreenbergError, MAX_PROCESSES},
    intermediate_mesh::{IntermediateMesh, Slot},
    method::GreenbergMethod,
};

/// The sides of a two-dimensional mesh as section 4 counts them: `W` rows and `L` columns.
///
/// Columns are lines of `W` nodes, which the reflection method compresses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MeshSides {
    rows: u32,    // at least 1
    columns: u32, // at least 1; rows * columns <= MAX_PROCESSES
}

impl MeshSides {
    /// The most nodes that a mesh may have, for which there is a slot each in memory.
    pub const MAX_PROCESSES: u64 = MAX_PROCESSES;

    /// The mesh with `rows` rows and `columns` columns.
    ///
    /// # Errors
    ///
    /// When a side is 0, or there are over [`Self::MAX_PROCESSES`] nodes.
    pub fn new(rows: u64, columns: u64) -> Result<Self, GreenbergError> {
        let processes = u128::from(rows) * u128::from(columns);
        match (u32::try_from(rows), u32::try_from(columns)) {
            (Ok(rows), Ok(columns)) if (1..=Self::MAX_PROCESSES.into()).contains(&processes) => {
                Ok(Self { rows, columns })
            }
            _ => Err(GreenbergError::Size { rows, columns }),
        }
    }

    /// `W`: the number of rows.
    #[must_use]
    pub fn rows(self) -> u32 {
        self.rows
    }

    /// `L`: the number of columns.
    #[must_use]
    pub fn columns(self) -> u32 {
        self.columns
    }

    /// The number of nodes.
    #[must_use]
    pub fn process_count(self) -> u32 {
        self.rows * self.columns
    }

    /// The dimensions of the smallest hypercube with a node for each.
    #[must_use]
    pub fn cube_dimensions(self) -> u32 {
        bits(self.process_count())
    }

    /// The dimensions that the Gray code needs, which is the least for dilation 1 (theorem 1).
    #[must_use]
    pub fn gray_dimensions(self) -> u32 {
        bits(self.rows) + bits(self.columns)
    }

    /// Gray code where it needs no more than the smallest hypercube, else reflection (footnote 1;
    /// errata G4).
    #[must_use]
    pub fn method(self) -> GreenbergMethod {
        if self.gray_dimensions() == self.cube_dimensions() {
            GreenbergMethod::Gray
        } else {
            GreenbergMethod::Reflection
        }
    }
}

/// The bits that number `count` things: the logarithm of `over(count)`, the least power of two not
/// below it.
pub(super) fn bits(count: u32) -> u32 {
    bits_of(count.into())
}

/// The same for a 64-bit count.
pub(crate) fn bits_of(count: u64) -> u32 {
    u64::BITS - count.saturating_sub(1).leading_zeros()
}

/// The logarithm of `under(count)`, the greatest power of two that is less; 0 for a count of 1,
/// which has none.
pub(super) fn bits_under(count: u32) -> u32 {
    bits(count).saturating_sub(1)
}

/// The slot of every node of a mesh at one stage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SlotTable {
    sides: MeshSides,
    pub(super) slots: Vec<Slot>, // of column 0, then of column 1, ..
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

    /// The number of mesh edges between slots at each distance, which is the index \[links\].
    #[must_use]
    pub fn spectrum(&self, intermediate: IntermediateMesh) -> Vec<u64> {
        let mut spectrum = vec![];
        for (one, other) in self.edges() {
            count(&mut spectrum, intermediate.distance(one, other));
        }
        spectrum
    }

    /// The same for the links that would close the columns to rings: from the last row to row 0
    /// (6.2).
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
}

fn count(spectrum: &mut Vec<u64>, distance: u32) {
    let index = distance as usize;
    if spectrum.len() <= index {
        spectrum.resize(index + 1, 0);
    }
    spectrum[index] += 1;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn under_is_strict_and_over_is_not() {
        assert_eq!([1, 2, 3, 4, 5, 8, 9].map(bits), [0, 1, 2, 2, 3, 3, 4]);
        assert_eq!([2, 3, 4, 5, 8, 9].map(bits_under), [0, 1, 1, 2, 2, 3]);
    }

    #[test]
    fn sizes_without_a_mesh_are_refused() {
        assert_eq!(MeshSides::new(1 << 12, 1 << 12).unwrap().cube_dimensions(), 24);
        let refused = [(0, 5), (5, 0), (1, (1 << 24) + 1), (u64::MAX, u64::MAX)];
        for (rows, columns) in refused {
            assert_eq!(MeshSides::new(rows, columns), Err(GreenbergError::Size { rows, columns }));
        }
        assert_eq!(
            GreenbergError::Size { rows: 0, columns: 5 }.to_string(),
            "a mesh of 0 x 5 nodes, expected 1 to 16777216"
        );
    }
}
