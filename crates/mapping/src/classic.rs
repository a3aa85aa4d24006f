//! The embeddings of the classic notes CS838 of 1999: trees, meshes, toruses and the networks made of hypercubes and
//! shuffles, in one another.
//!
//! Each construction is a function of its parameters that gives a [`RoutedEmbedding`]: a node for every vertex and a
//! path of the host for every edge, which are checked independently of how they were made. What the notes promise
//! (load, expansion, dilation, link congestion) is measured over these paths. Statements that fail as printed have the
//! reading of `docs/errata.md`, cited as "errata N1" and so on.
//!
//! The module runs nothing.

mod caterpillar;
mod construction;
mod dense_trees;
mod double_rooted_tree;
mod error;
mod example_meshes;
mod folded_torus;
mod gray;
mod growing_tree;
mod heap_order;
mod hypercubic_networks;
mod machines;
mod mesh_of_trees;
mod numberings;
mod placement;
mod routed_embedding;
mod routed_measures;
mod shuffle_networks;
mod snake;
mod square_meshes;
mod torus_in_ring;
mod tour_cycle;
mod tree_on_mesh;
mod word;

pub use caterpillar::{Caterpillar, balanced_caterpillars, caterpillar_in_cube};
pub use construction::ClassicConstruction;
pub use dense_trees::{binomial_tree, tree_in_larger_cube, tree_with_shared_nodes};
pub use double_rooted_tree::{double_rooted_tree, tree_in_cube};
pub use error::ClassicError;
pub use example_meshes::{ExampleMeshes, example_meshes};
pub use folded_torus::torus_in_mesh;
pub use gray::{gray_cycle, gray_path};
pub use growing_tree::{FlipBit, GrowingTree, Side, growing_tree};
pub use hypercubic_networks::{butterfly_in_cycles, cycles_in_butterfly, folded_levels, merged_levels};
pub use mesh_of_trees::mesh_of_trees;
pub use numberings::{recursive_cycle, recursive_path, z_order};
pub use placement::{ClassicPlacement, ClassicPlacementError};
pub use routed_embedding::{RoutedEmbedding, RoutedEmbeddingError};
pub use routed_measures::RoutedMeasures;
pub use shuffle_networks::{contracted_exchanges, shuffle_then_exchange, unshuffled_words};
pub use snake::snake;
pub use square_meshes::{rectangle_in_square, square_in_rectangle};
pub use torus_in_ring::torus_in_ring;
pub use tour_cycle::tour_cycle;
pub use tree_on_mesh::tree_on_mesh;

#[cfg(test)]
mod tests;
