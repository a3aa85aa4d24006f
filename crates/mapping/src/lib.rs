//! Guests, and where their processes sit on a machine.
//!
//! A [`Guest`] is a graph of processes: a [`Hypercube`] for the d-cube programs, a [`GraphGuest`] for exchanges
//! between the neighbours of a torus, a mesh or a network. An [`EmbeddingKind`] is a rule that places a hypercube
//! (`docs/model.md` section 3), a [`Construction`] of Tao 1988 one that places a grid, also with several processes
//! a node, and a [`GreenbergPlacement`] puts a mesh into its smallest hypercube. A [`Placement`] is the outcome on one machine, or one that was given: every process has a node, and
//! every node knows its processes. [`PlacementMetrics`] gives the cost of a placement before anything runs
//! (section 7), [`least_distances`] how little any placement could cost (section 5), and [`translation_tables`]
//! where the neighbours of each process are.
//!
//! It knows no time: cycles start in the crate above.
//!
//! ```
//! use cubefold_mapping::{EmbeddingKind, Placement, PlacementMetrics, Hypercube};
//! use cubefold_topology::{Machine, MachineKind, TieRule};
//!
//! let ring = Machine::new(MachineKind::Ring, &[8])?;
//! let cube = Hypercube::new(3)?;
//! let xor = Placement::embed(EmbeddingKind::Xor, cube, &ring)?;
//! let metrics = PlacementMetrics::measure(&cube, &xor, TieRule::Direct);
//! // Distances 1, 2 and 2: the longest of standard's 1, 2, 4 is halved.
//! assert_eq!(metrics.dilation.max(), 2);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod axis_order;
pub mod classic;
mod constant_distances;
mod coordinate_sums;
mod dilation_bound;
mod even_squeeze;
mod failures;
mod graph_bounds;
mod greenberg;
mod guest;
mod hilbert;
mod hypercube;
mod implications;
mod link_sequence;
mod lower_bound;
mod metrics;
mod placement;
mod placement_table;
mod process_block;
mod product;
mod random;
mod seeded_embedding;
mod tao;
mod translation_table;
mod truncation;

pub use axis_order::{AxisOrder, AxisOrderError, ParseAxisOrderError};
pub use classic::{
    ClassicConstruction, ClassicPlacement, ClassicPlacementError, RoutedEmbedding, RoutedEmbeddingError,
    RoutedMeasures,
};
pub use constant_distances::for_each_constant_distance_placement;
pub use coordinate_sums::{coordinate_sum_order, mesh_bandwidth};
pub use dilation_bound::{DilationBound, DilationBoundSource};
pub use even_squeeze::{CHAN, EVEN_SQUEEZE, SqueezeMethod, SqueezedMesh, mesh_in_cube};
pub use failures::{TooManyFailuresError, with_failed_links, with_failed_nodes};
pub use graph_bounds::{GraphBounds, MAX_DIAMETER_STEPS, diameter};
pub use greenberg::{
    DisjointPathsError, GREENBERG_CONSTRUCTIONS, GreenbergConstruction, GreenbergDescriptor,
    GreenbergEmbedding, GreenbergError, GreenbergMethod, GreenbergPlacement, GreenbergStage,
    IntermediateMesh, MeshSides, PairedAxes, ReflectionMethod, ReflectionNumbers, Slot, SlotTable, WrapPlace,
    disjoint_paths, flexed_dimension, gray_dimension,
};
pub use guest::{GatheredImages, GraphGuest, Guest, ProcessId};
pub use hilbert::{first_in_hilbert_order, hilbert_order};
pub use hypercube::{CubeDimension, CubeDimensionError, Hypercube, HypercubeError};
pub use link_sequence::{LinkSequence, LinkSequenceError, window_alphas};
pub use lower_bound::{BoundSource, LeastDistances, least_distances};
pub use metrics::{
    ChannelCongestion, Congestion, Dilation, DimensionDistances, Extremes, PatternMessage, PlacementMetrics,
    all_to_all_pattern,
};
pub use placement::{Placement, PlacementForm};
pub use placement_table::{PlacementTable, PlacementTableError};
pub use process_block::ProcessBlock;
pub use product::{
    EMBEDDINGS, EmbeddingDescriptor, EmbeddingKind, ProductPlacement, ProductPlacementError, gray_code_word,
};
pub use random::{RANDOM, RANDOM_GROUPS};
pub use seeded_embedding::{EmbeddingRefusal, PlacementTask, SeededEmbedding};
pub use tao::{
    CONSTRUCTIONS, Construction, ConstructionDescriptor, ConstructionError, ConstructionKind, Exactness,
    Parameter, Processes, PromisedDilation, PromisedSteps, Routing, RoutingSource, RoutingSpace,
    RoutingSubset, Sizes, UnmetCondition,
};
pub use translation_table::{TableMethod, TableMethodError, TranslationTable, translation_tables};
pub use truncation::{TruncationError, truncation};

#[cfg(test)]
mod golden_rest;
#[cfg(test)]
mod test_support;
