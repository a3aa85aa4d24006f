//! The two sides of a mesh, and what they decide.

use super::{GreenbergError, embedding::Method};

/// The sides of a two-dimensional mesh as section 4 counts them: `W` rows and `L` columns.
///
/// Columns are lines of `W` nodes. They are what the reflection method compresses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MeshSides {
    rows: u32,    // at least 1
    columns: u32, // at least 1; rows * columns <= MAX_PROCESSES
}

impl MeshSides {
    /// The most nodes that a mesh may have, for which there is a slot each in memory.
    pub const MAX_PROCESSES: u64 = 1 << 24;

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

    /// Gray code where it needs no more than the smallest hypercube, else reflection (footnote 1; errata G4).
    #[must_use]
    pub fn method(self) -> Method {
        if self.gray_dimensions() == self.cube_dimensions() { Method::Gray } else { Method::Reflection }
    }
}

/// The bits that tell `count` things apart: the logarithm of `over(count)`, the least power of two that is no less.
pub(super) fn bits(count: u32) -> u32 {
    bits_of(count.into())
}

/// The same of a longer count.
pub(super) fn bits_of(count: u64) -> u32 {
    count.next_power_of_two().trailing_zeros()
}

/// The logarithm of `under(count)`, the greatest power of two that is less; 0 for a count of 1, which has none.
pub(super) fn bits_under(count: u32) -> u32 {
    bits(count).saturating_sub(1)
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
