//! Meshes in hypercubes: Greenberg 1987.
//!
//! A mesh whose sides fill the Gray code well enough lies in its smallest hypercube with dilation 1
//! ([`GreenbergMethod::Gray`]), and every grid in a larger one. Any other mesh is folded into an intermediate mesh whose sides are
//! powers of two, and that one lies in the cube ([`GreenbergMethod::Reflection`], section 4):
//!
//! ```text
//! compress    every column of the mesh becomes a block of two columns: some rows hold one node, some two
//! reflect     the rows of each block are crossed over, so that those with two nodes are spread evenly
//! pack        all nodes move to the left
//! fold        what is beyond the last column is folded back, which may put two nodes in a slot
//! swap        the two nodes of a row change places where that brings them nearer to those before
//! percolate   nodes move by one slot along disjoint paths, from slots with two to empty ones (section 5)
//! ```
//!
//! Neighbours are at most 5 links apart, one to a node, for every mesh. [`ReflectionMethod`] does
//! the steps one by one, [`GreenbergEmbedding`] all of them with checks, and [`GreenbergPlacement`]
//! places the processes of a guest of any number of dimensions, its axes taken in pairs (6.2), by one of
//! [`GREENBERG_CONSTRUCTIONS`].
//!
//! Every reading of the report is that of `docs/errata.md`, cited as "errata G7". Rows, columns and
//! slots are counted from 0 here, where the report counts from 1.
//!
//! The module runs nothing, and measures only the promises of the report.

mod construction;
mod disjoint_paths;
mod embedding;
mod error;
mod gray_side;
mod intermediate_mesh;
mod method;
mod paired_axes;
mod percolation;
mod placement;
mod polymorphic;
mod reflection_method;
mod slot_table;
mod tiles;

pub use construction::{GREENBERG_CONSTRUCTIONS, GreenbergConstruction, GreenbergDescriptor};
pub use disjoint_paths::{DisjointPathsError, disjoint_paths};
pub use embedding::{GreenbergEmbedding, ReflectionNumbers};
pub use error::{GreenbergError, WrapPlace};
pub use intermediate_mesh::{IntermediateMesh, Slot, flexed_dimension, gray_dimension};
pub use method::{GreenbergMethod, GreenbergStage};
pub use paired_axes::PairedAxes;
pub use placement::GreenbergPlacement;
pub use reflection_method::ReflectionMethod;
pub(crate) use slot_table::bits_of;
pub use slot_table::{MeshSides, SlotTable};

#[cfg(test)]
mod tests;
