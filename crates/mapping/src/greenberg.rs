//! Meshes in their smallest hypercubes: Greenberg 1987.
//!
//! A mesh whose sides fill the Gray code well enough lies in its smallest hypercube with dilation 1
//! ([`Method::Gray`]). Any other is folded into an intermediate mesh whose sides are powers of two, and that one lies in
//! the cube ([`Method::Reflection`], section 4):
//!
//! ```text
//! compress    every column of the mesh becomes a block of two columns: some rows hold one node, some two
//! reflect     the rows of each block are crossed over, so that those with two nodes are spread evenly
//! pack        all nodes move to the left
//! fold        what stands beyond the last column is folded back, which may put two nodes in a slot
//! swap        the two nodes of a row change places where that brings them nearer to those before
//! percolate   nodes move over by one slot along disjoint paths, from slots with two to empty ones (section 5)
//! ```
//!
//! Neighbours come to lie at most 5 links apart, one to a node, for every mesh. [`ReflectionMethod`] does the steps one
//! by one, [`GreenbergEmbedding`] all of them with checks, and [`GreenbergPlacement`] places the processes of a guest of
//! any number of dimensions, its axes taken in pairs (6.2).
//!
//! Every reading of the report is that of `docs/errata.md`, cited as "errata G7". Rows, columns and slots are
//! counted from 0 here, where the report counts from 1.
//!
//! The module runs nothing, and measures only what the report promises.

mod disjoint_paths;
mod doublet_swap;
mod embedding;
mod error;
mod folding;
mod intermediate_mesh;
mod line_compression;
mod mesh_sides;
mod packing;
mod pairing;
mod percolation;
mod placement;
mod reflection;
mod reflection_method;
mod sequence;
mod slot_table;
mod stage;

pub use disjoint_paths::{DisjointPathsError, disjoint_paths};
pub use embedding::{GreenbergEmbedding, Method, ReflectionNumbers};
pub use error::{GreenbergError, WrapPlace};
pub use intermediate_mesh::{IntermediateMesh, Slot};
pub use mesh_sides::MeshSides;
pub use placement::{GreenbergPlacement, PairedAxes};
pub use reflection_method::ReflectionMethod;
pub use sequence::{flexed_dimension, gray_code_word, gray_dimension};
pub use slot_table::SlotTable;
pub use stage::GreenbergStage;

#[cfg(test)]
mod tests;
