//! A two-dimensional mesh in its smallest hypercube, checked.

use cubefold_topology::Wrap;

use super::{
    GreenbergError, GreenbergMethod, GreenbergStage, IntermediateMesh, MeshSides, ReflectionMethod, Slot,
    SlotTable,
    gray_side::{side_dilation, side_word},
    intermediate_mesh::ColumnOrder,
    percolation::{Moved, percolate},
    reflection_method::Steps,
    slot_table::bits,
};
use crate::product::gray_position;

/// The steps of the reflection method on a mesh.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReflectionNumbers {
    /// `S`: rows of a block with one node.
    pub singlet_rows: u32,
    /// `D`: rows of a block with two.
    pub doublet_rows: u32,
    /// The columns that the emptiest row used before step 4.
    pub fewest_columns: u32,
    /// The columns that the fullest row used before step 4.
    pub most_columns: u32,
    /// Doublets swapped in step 5.
    pub doublets_swapped: u64,
    /// Slots with two nodes before percolation.
    pub doubled_slots: u32,
    /// Slots without a node before percolation.
    pub empty_slots: u32,
    /// The number of edges between slots at each distance before percolation, which is the index
    /// \[links\].
    pub spectrum: Vec<u64>,
}

/// A mesh in its smallest hypercube: one node to a slot, neighbours at most 1 link apart by the
/// Gray code and 5 by reflection.
///
/// Greenberg 1987, theorem 3. The shorter side is compressed, so that `W <= L`, unless otherwise requested.
///
/// ```
/// use cubefold_mapping::{GreenbergEmbedding, GreenbergMethod};
///
/// let embedding = GreenbergEmbedding::new([5, 11])?;
/// assert_eq!(embedding.method(), GreenbergMethod::Reflection);
/// assert_eq!(embedding.cube_dimensions(), 6);
/// assert_eq!(embedding.promised_dilation(), 5);
/// # Ok::<(), cubefold_mapping::GreenbergError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GreenbergEmbedding {
    sides: MeshSides,
    row_axis: usize, // which of the two coordinates is the row: 0 or 1
    intermediate: IntermediateMesh,
    reflection: Option<Reflection>,
    promised: u32,        // the most links between neighbours
    closes_columns: bool, // whether the ends of columns are promised to be as near
    table: SlotTable,
}

/// The properties of an embedding by reflection, other than its slots.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Reflection {
    method: ReflectionMethod,
    numbers: ReflectionNumbers,
    moved: Vec<Moved>, // in the order of the table
}

impl GreenbergEmbedding {
    /// The embedding of the mesh with these lengths; if they are equal, the first is compressed.
    ///
    /// # Errors
    ///
    /// When a length is 0 or there are over [`MeshSides::MAX_PROCESSES`] nodes. Other errors would
    /// show a defect: every embedding is checked to be one-to-one and as near as promised.
    ///
    /// # Complexity
    ///
    /// O(W L) beside the percolation, which searches in the last `2 W1` columns of the intermediate
    /// mesh once for each slot with two nodes.
    pub fn new(lengths: [u64; 2]) -> Result<Self, GreenbergError> {
        let row_axis = usize::from(lengths[1] < lengths[0]);
        let sides = MeshSides::new(lengths[row_axis], lengths[1 - row_axis])?;
        match sides.method() {
            GreenbergMethod::Gray => Self::by_gray_code(sides, row_axis, [Wrap::Open; 2]).checked(),
            GreenbergMethod::Reflection => Self::by_reflection(sides, row_axis)?.checked(),
        }
    }

    /// The mesh with these lengths by the Gray code along each, in `ceil(log2 l_1) + ceil(log2 l_2)` dimensions,
    /// the first length as rows in the lowest bits; a side that wraps is closed, by two links where its length is
    /// odd (`docs/model.md` section 28.5).
    ///
    /// # Errors
    ///
    /// As [`Self::new`].
    pub fn gray(lengths: [u64; 2], wraps: [Wrap; 2]) -> Result<Self, GreenbergError> {
        let sides = MeshSides::new(lengths[0], lengths[1])?;
        Self::by_gray_code(sides, 0, wraps).checked()
    }

    /// The mesh of `W` rows and `L` columns by reflection, whichever side is longer (figure 6).
    ///
    /// # Errors
    ///
    /// As [`Self::new`]; when reflection does not take these sides; and when there are no paths to percolate along, which
    /// are not promised for `W > L`.
    pub fn longer_side([rows, columns]: [u64; 2]) -> Result<Self, GreenbergError> {
        let sides = MeshSides::new(rows, columns)?;
        Self { closes_columns: false, ..Self::by_reflection(sides, 0)? }.checked()
    }

    fn by_gray_code(sides: MeshSides, row_axis: usize, wraps: [Wrap; 2]) -> Self {
        let (row_bits, column_bits) = (bits(sides.rows()), bits(sides.columns()));
        let intermediate = IntermediateMesh::new(row_bits, column_bits, ColumnOrder::Ascending);
        let position = |length, wrap, coordinate| gray_position(side_word(length, wrap, coordinate));
        let table = SlotTable::new(sides, |row, column| Slot {
            row: position(sides.rows(), wraps[0], row),
            column: position(sides.columns(), wraps[1], column),
        });
        let promised = side_dilation(sides.rows(), wraps[0]).max(side_dilation(sides.columns(), wraps[1]));
        Self { sides, row_axis, intermediate, reflection: None, promised, closes_columns: false, table }
    }

    fn by_reflection(sides: MeshSides, row_axis: usize) -> Result<Self, GreenbergError> {
        let method = ReflectionMethod::new(sides)?;
        let before = method.run(GreenbergStage::Swap)?;
        let numbers = numbers(sides, method, &before);
        let mut table = before.table;
        let moved = percolate(&mut table, method.intermediate())?;
        let reflection = Some(Reflection { method, numbers, moved });
        let (promised, intermediate) =
            (GreenbergMethod::Reflection.promised_dilation(), method.intermediate());
        Ok(Self { sides, row_axis, intermediate, reflection, promised, closes_columns: true, table })
    }

    /// The embedding with one node to a slot of the cube, and neighbours as near as promised, the ends
    /// of columns included where the method brings them together (6.2).
    fn checked(self) -> Result<Self, GreenbergError> {
        let mut taken = vec![false; self.intermediate.slot_count() as usize];
        for (_, _, slot) in self.table.iter() {
            let node = self.intermediate.cube_node(slot);
            match taken.get_mut(node as usize) {
                Some(taken) if !*taken => *taken = true,
                Some(_) | None => return Err(GreenbergError::Shared { node }),
            }
        }
        let promised = self.promised;
        let mut found = self.table.spectrum(self.intermediate).len();
        if self.closes_columns {
            found = found.max(self.table.wrap_spectrum(self.intermediate).len());
        }
        match found.checked_sub(1) {
            Some(found) if found > promised as usize => Err(GreenbergError::Dilation { found, promised }),
            Some(_) | None => Ok(self),
        }
    }

    /// The placement method.
    #[must_use]
    pub fn method(&self) -> GreenbergMethod {
        if self.reflection.is_some() { GreenbergMethod::Reflection } else { GreenbergMethod::Gray }
    }

    /// The mesh, the side that is compressed as rows.
    #[must_use]
    pub fn sides(&self) -> MeshSides {
        self.sides
    }

    /// The index, 0 or 1, of the coordinate that is the row.
    #[must_use]
    pub fn row_axis(&self) -> usize {
        self.row_axis
    }

    /// The intermediate mesh; by the Gray code, both sides rounded up to powers of two.
    #[must_use]
    pub fn intermediate(&self) -> IntermediateMesh {
        self.intermediate
    }

    /// The dimensions of the hypercube, the smallest with room for the mesh.
    #[must_use]
    pub fn cube_dimensions(&self) -> u32 {
        self.intermediate.row_bits() + self.intermediate.column_bits()
    }

    /// The most links between neighbours that are promised \[links\].
    #[must_use]
    pub fn promised_dilation(&self) -> u32 {
        self.promised
    }

    /// The steps of the reflection method; `None` for the Gray code.
    #[must_use]
    pub fn numbers(&self) -> Option<&ReflectionNumbers> {
        self.reflection.as_ref().map(|reflection| &reflection.numbers)
    }

    /// The final slots of the nodes.
    #[must_use]
    pub fn table(&self) -> &SlotTable {
        &self.table
    }

    /// The slots of the nodes after a stage.
    ///
    /// # Errors
    ///
    /// When the method has no such stage.
    pub fn slots(&self, stage: GreenbergStage) -> Result<SlotTable, GreenbergError> {
        match &self.reflection {
            Some(reflection) => reflection.method.slots(stage),
            None if stage == GreenbergStage::Gray => Ok(self.table.clone()),
            None => Err(GreenbergError::Stage { stage, method: GreenbergMethod::Gray }),
        }
    }

    /// The cube node of a node of the mesh, by its two coordinates in the order of the lengths.
    ///
    /// # Panics
    ///
    /// When the mesh has no such node.
    #[must_use]
    pub fn node(&self, coordinates: [u32; 2]) -> u32 {
        let [row, column] = self.place(coordinates);
        self.intermediate.cube_node(self.table.slot(row, column))
    }

    /// The cube nodes on the path of a mesh edge, both ends included (6.1): over the percolation
    /// edge of the start, to the right row, along the row, the highest dimension first, and over
    /// the percolation edge of the end.
    ///
    /// # Panics
    ///
    /// When the mesh has no such nodes.
    #[must_use]
    pub fn path(&self, from: [u32; 2], to: [u32; 2]) -> Vec<u32> {
        let [start, end] = [from, to].map(|coordinates| self.place(coordinates));
        let mut path = self.intermediate.path(self.before_percolation(start), self.before_percolation(end));
        let [first, last] = [from, to].map(|coordinates| self.node(coordinates));
        if path.first() != Some(&first) {
            path.insert(0, first);
        }
        if path.last() != Some(&last) {
            path.push(last);
        }
        path
    }

    /// The load factor: the most paths of mesh edges over one link of the cube (6.1).
    ///
    /// # Complexity
    ///
    /// Time and memory O(n 2^n) for n dimensions.
    #[must_use]
    pub fn load_factor(&self) -> u32 {
        let mut uses = vec![0_u32; (self.cube_dimensions() << self.cube_dimensions()) as usize];
        for (from, to) in self.edges() {
            for link in self.path(from, to).windows(2) {
                let (low, dimension) = (link[0] & link[1], (link[0] ^ link[1]).trailing_zeros());
                uses[((dimension << self.cube_dimensions()) | low) as usize] += 1;
            }
        }
        uses.into_iter().max().unwrap_or(0)
    }

    /// Every edge of the mesh, from a node to its right or lower neighbour.
    fn edges(&self) -> impl Iterator<Item = ([u32; 2], [u32; 2])> {
        let (rows, columns) = (self.sides.rows(), self.sides.columns());
        let places = (0..columns).flat_map(move |column| (0..rows).map(move |row| [row, column]));
        let edges = places.flat_map(move |[row, column]| {
            let below = (row + 1 < rows).then_some([row + 1, column]);
            let right = (column + 1 < columns).then_some([row, column + 1]);
            below.into_iter().chain(right).map(move |other| ([row, column], other))
        });
        edges.map(|(one, other)| (self.place(one), self.place(other)))
    }

    /// Row and column of two coordinates, and back.
    fn place(&self, coordinates: [u32; 2]) -> [u32; 2] {
        [coordinates[self.row_axis], coordinates[1 - self.row_axis]]
    }

    fn before_percolation(&self, [row, column]: [u32; 2]) -> Slot {
        let index = (column * self.sides.rows() + row) as usize;
        let moved = self.reflection.as_ref().and_then(|reflection| {
            let at = reflection.moved.binary_search_by_key(&index, |moved| moved.index).ok()?;
            Some(reflection.moved[at].from)
        });
        moved.unwrap_or_else(|| self.table.slot(row, column))
    }
}

fn numbers(sides: MeshSides, method: ReflectionMethod, before: &Steps) -> ReflectionNumbers {
    let mesh = method.intermediate();
    let mut nodes = vec![0_u32; mesh.slot_count() as usize];
    for &slot in &before.table.slots {
        if let Some(occupants) = nodes.get_mut(mesh.cube_node(slot) as usize) {
            *occupants += 1;
        }
    }
    let count = |is_wanted: fn(u32) -> bool| nodes.iter().map(|&node| u32::from(is_wanted(node))).sum();
    ReflectionNumbers {
        singlet_rows: method.singlet_rows(),
        doublet_rows: method.doublet_rows(),
        fewest_columns: sides.columns() + before.doublets.iter().min().unwrap_or(&0),
        most_columns: sides.columns() + before.doublets.iter().max().unwrap_or(&0),
        doublets_swapped: before.swapped,
        doubled_slots: count(|occupants| occupants > 1),
        empty_slots: count(|occupants| occupants == 0),
        spectrum: before.table.spectrum(mesh),
    }
}
