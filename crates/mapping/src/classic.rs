//! The embeddings of the classic notes CS838 of 1999: trees, meshes, toruses and the networks made
//! of hypercubes and shuffles, in one another.
//!
//! Each construction is a function of its parameters that gives a [`RoutedEmbedding`]: a node for
//! every vertex and a path of the host for every edge, which are checked independently of how they
//! were made. The promises of the notes (load, expansion, dilation, link congestion) are measured over
//! these paths. Statements that fail as printed have the reading of `docs/errata.md`, cited as
//! "errata N1" and so on.
//!
//! [`ClassicConstruction::ALL`] is the one list of the constructions that place a guest on a host.
//! Adding one takes a static descriptor beside its code, and its line in the list.
//!
//! The module runs nothing.

mod caterpillar;
mod construction;
mod cube_in_rectangle;
mod edge_paths;
mod error;
mod grids;
mod growing_tree;
mod hypercubic_networks;
mod k_ary_trees;
mod machines;
mod mesh_of_trees;
mod paths_and_cycles;
mod placement;
mod rectangle_in_cube;
mod rectangles;
mod routed_embedding;
mod shuffle_networks;
mod spanning_trees;
mod squeeze;
mod tour_cycle;
mod tree_on_mesh;
mod trees_in_cubes;

pub use caterpillar::{Caterpillar, balanced_caterpillars, caterpillar_in_cube};
pub use construction::{ClassicConstruction, FlipBit};
pub use cube_in_rectangle::{CubeAndRectangle, cube_in_rectangle};
pub use edge_paths::EdgePaths;
pub use error::ClassicError;
pub use grids::{snake, torus_in_mesh, torus_in_ring};
pub use growing_tree::{GrowingTree, Side, growing_tree};
pub use hypercubic_networks::{butterfly_in_cycles, cycles_in_butterfly, folded_levels, merged_levels};
pub use k_ary_trees::{k_ary_tree, tree_in_tree, z_order_in_tree};
pub(crate) use machines::cube_dimensions;
#[cfg(test)]
pub(crate) use machines::guest_edges;
pub use mesh_of_trees::mesh_of_trees;
pub use paths_and_cycles::{gray_cycle, gray_path, recursive_cycle, recursive_path, z_order};
pub use placement::{ClassicPlacement, ClassicPlacementError};
pub use rectangle_in_cube::{Folding, Foldings, rectangle_in_cube};
pub use rectangles::{ExampleMeshes, example_meshes, rectangle_in_square, square_in_rectangle};
pub use routed_embedding::{RoutedEmbedding, RoutedEmbeddingError, RoutedMeasures};
pub use shuffle_networks::{contracted_exchanges, shuffle_then_exchange, unshuffled_words};
pub use spanning_trees::{stretched_tree, two_trees};
pub use squeeze::squeeze;
pub use tour_cycle::tour_cycle;
pub use tree_on_mesh::tree_on_mesh;
pub use trees_in_cubes::{
    binomial_tree, double_rooted_tree, tree_in_cube, tree_in_larger_cube, tree_with_shared_nodes,
};

#[cfg(test)]
mod tests;
