//! The reasons for which a mesh cannot be placed.

use cubefold_topology::{HostDimension, MachineKind};

use super::{
    disjoint_paths::DisjointPathsError,
    method::{GreenbergMethod, GreenbergStage},
};
use crate::PlacementTableError;

/// The most nodes of a mesh, for which there is a slot each in memory.
pub(super) const MAX_PROCESSES: u64 = 1 << 24;

/// A reason why a mesh is not placed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum GreenbergError {
    /// A side of 0, or more nodes than are held in memory.
    #[error("a mesh of {rows} x {columns} nodes, expected 1 to {}", MAX_PROCESSES)]
    Size {
        /// The rows found.
        rows: u64,
        /// The columns found.
        columns: u64,
    },
    /// A guest with more processes than are held in memory.
    #[error("{processes} processes, expected at most {}", MAX_PROCESSES)]
    Processes {
        /// The number found.
        processes: u64,
    },
    /// Reflection halves a side that is no power of two, of a mesh that then fits.
    #[error(
        "a mesh of {rows} x {columns} nodes by reflection, expected rows that are no power of two and no more nodes \
         than under(rows) x over(columns)"
    )]
    NotForReflection {
        /// The rows found.
        rows: u32,
        /// The columns found.
        columns: u32,
    },
    /// A stage that the method does not have.
    #[error("stage {stage} of the {method} method, which has {}", stages(*.method))]
    Stage {
        /// The stage asked for.
        stage: GreenbergStage,
        /// The method.
        method: GreenbergMethod,
    },
    /// A side that wraps where the report's embedding does not close it.
    #[error("dimension {dimension} of length {length} wraps and is {place}, expected one that does not wrap")]
    Wrap {
        /// The dimension of the guest.
        dimension: HostDimension,
        /// Its length.
        length: u64,
        /// The method of placement.
        place: WrapPlace,
    },
    /// A guest or a machine whose links lie in no dimensions.
    #[error("a {kind}, expected a mesh on a hypercube")]
    Network {
        /// The kind of the guest or the machine.
        kind: MachineKind,
    },
    /// A machine that is not a hypercube.
    #[error("length of dimension {dimension} of the machine is {length}, expected a hypercube")]
    NoHypercube {
        /// The dimension.
        dimension: HostDimension,
        /// Its length.
        length: u64,
    },
    /// A hypercube of another size.
    #[error("a hypercube of {found} dimensions, expected {}", wanted(*.expected, *.gray))]
    CubeDimensions {
        /// The number found.
        found: usize,
        /// The least sufficient number.
        expected: u32,
        /// The number from which on every one suffices, by the Gray code; `None` if that is not allowed.
        gray: Option<u32>,
    },
    /// A guest whose number of dimensions is not two.
    #[error("a guest of {found} dimensions, expected 2")]
    TwoDimensions {
        /// The number found.
        found: usize,
    },
    /// A longer side that does not wrap is not folded.
    #[error(
        "dimension {dimension} of length {length}, the longer side, does not wrap, expected a ring to fold"
    )]
    NotFolded {
        /// The dimension of the guest.
        dimension: HostDimension,
        /// Its length.
        length: u64,
    },
    /// A guest that tiles of 3 x 3 x 3 nodes do not fill.
    #[error("a guest of other sides, expected three of 3 * 2^a nodes that do not wrap")]
    NoTiles,
    /// A machine that is not a polymorphic array.
    #[error(
        "a machine of another shape, expected a torus of F_n x L_n nodes: 3 x 7, 5 x 11, 13 x 29, 21 x 47, .., or its \
         smallest hypercube"
    )]
    NotPolymorphic,
    /// No disjoint paths to percolate along: never for a mesh whose shorter side is compressed
    /// (section 5).
    #[error("percolation: {0}")]
    Percolation(#[from] DisjointPathsError),
    /// A node with two processes in the result.
    #[error("two processes on node {node}, expected one at most")]
    Shared {
        /// The node.
        node: u32,
    },
    /// Neighbours farther apart than promised.
    #[error("neighbours {found} links apart, expected at most {promised}")]
    Dilation {
        /// The distance found \[links\].
        found: usize,
        /// The distance promised \[links\].
        promised: u32,
    },
    /// No placement on the machine.
    #[error(transparent)]
    Table(#[from] PlacementTableError),
}

/// The kind of side whose ends the embedding does not bring together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WrapPlace {
    /// It is the side of a mesh by reflection that is not compressed (6.2; errata G18).
    Longer,
    /// It is a side of a mesh whose longer side is compressed: nothing is promised of its ends.
    LongerCompressed,
    /// It is a side of an array on a polymorphic one.
    Array,
}

impl std::fmt::Display for WrapPlace {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(match self {
            Self::Longer => "the longer side of a mesh by reflection",
            Self::LongerCompressed => "a side of a mesh whose longer side is compressed",
            Self::Array => "a side of an array",
        })
    }
}

/// The sufficient numbers of dimensions, in words.
fn wanted(least: u32, gray: Option<u32>) -> String {
    match gray {
        None => least.to_string(),
        Some(gray) if gray == least => format!("{least} or more"),
        Some(gray) => format!("{least}, or {gray} or more"),
    }
}

fn stages(method: GreenbergMethod) -> String {
    let names: Vec<&str> = method.stages().iter().map(|stage| stage.name()).collect();
    names.join(", ")
}
