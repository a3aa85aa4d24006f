//! The reflection method, step by step (4.2 and section 5).

use super::{
    GreenbergError, GreenbergStage, IntermediateMesh, MeshSides, Method, SlotTable,
    doublet_swap::swap,
    folding::fold,
    intermediate_mesh::ColumnOrder,
    line_compression::{LineCompression, compress},
    mesh_sides::{bits, bits_under},
    packing::pack,
    percolation::{Moved, percolate},
    reflection::reflect,
};

/// The reflection method for one mesh: what is promised for `W <= L`, and can be looked at for others (figure 6 is the
/// 11 x 5 mesh).
///
/// Nothing is checked here but that the steps can be done; [`GreenbergEmbedding`](super::GreenbergEmbedding) does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReflectionMethod {
    sides: MeshSides,
    compression: LineCompression,
    intermediate: IntermediateMesh,
}

/// What the steps came to.
#[derive(Debug)]
pub(super) struct Steps {
    pub(super) table: SlotTable,
    pub(super) doublets: Vec<u32>, // of each row of the intermediate mesh; from step 3 on
    pub(super) swapped: u64,       // doublets of step 5
    pub(super) moved: Vec<Moved>,  // in the percolation
}

impl ReflectionMethod {
    /// The method for a mesh whose columns are compressed to `W1 = under(W)` rows, in `L1 = over(L)` columns.
    ///
    /// # Errors
    ///
    /// When `W` is a power of two, or there are over `W1 L1` nodes: Gray code is for those.
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

    /// Whether a row of the mesh is one of the two of a doublet.
    #[must_use]
    pub fn is_in_doublet(&self, row: u32) -> bool {
        row >= self.singlet_rows()
    }

    /// Where the nodes are after a stage.
    ///
    /// # Errors
    ///
    /// When the stage is that of the Gray code, or nothing can percolate, which only meshes with `W > L` can come to.
    pub fn slots(&self, stage: GreenbergStage) -> Result<SlotTable, GreenbergError> {
        self.run(stage).map(|steps| steps.table)
    }

    /// All steps up to and with a stage.
    pub(super) fn run(&self, stage: GreenbergStage) -> Result<Steps, GreenbergError> {
        if stage == GreenbergStage::Gray {
            return Err(GreenbergError::Stage { stage, method: Method::Reflection });
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
