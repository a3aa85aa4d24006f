//! The two methods by which a mesh is placed, and their stages.

use std::fmt;

use cubefold_derive::Words;

/// The method by which a mesh is placed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Words)]
pub enum GreenbergMethod {
    /// By the two-dimensional Gray code (definition 6), where its cube is the smallest.
    Gray,
    /// By line compression and reflection, with percolation (sections 4 and 5).
    Reflection,
}

impl GreenbergMethod {
    /// Its stages, in their order.
    #[must_use]
    pub fn stages(self) -> &'static [GreenbergStage] {
        match self {
            Self::Gray => &[GreenbergStage::Gray],
            Self::Reflection => &GreenbergStage::REFLECTION,
        }
    }

    /// The dilation that is promised of meshes \[links\]: theorem 1 for the Gray code, theorem 3
    /// for reflection.
    #[must_use]
    pub fn promised_dilation(self) -> u32 {
        match self {
            Self::Gray => 1,
            Self::Reflection => 5,
        }
    }
}

impl fmt::Display for GreenbergMethod {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// A stage of an embedding: what has been done up to and with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Words)]
pub enum GreenbergStage {
    /// Step 1 of 4.2: every column of the mesh is a block of two columns.
    Compress,
    /// Step 2: the rows of the blocks are reflected.
    Reflect,
    /// Step 3: all nodes are as far to the left as they go.
    Pack,
    /// Step 4: columns beyond the cube are folded back.
    Fold,
    /// Step 5: doublets are swapped where that keeps neighbours near.
    Swap,
    /// Section 5: every node has a slot of its own.
    Percolate,
    /// Definition 6: the Gray code alone, where that is the method.
    Gray,
}

impl GreenbergStage {
    /// The dilations of the reflection method.
    pub const REFLECTION: [Self; 6] =
        [Self::Compress, Self::Reflect, Self::Pack, Self::Fold, Self::Swap, Self::Percolate];
}

impl fmt::Display for GreenbergStage {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}
