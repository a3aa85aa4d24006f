//! The names under which machines are asked for.

use std::{fmt, ops::RangeInclusive};

use crate::{Wrap, network::dimension_range};

/// A family of machines (`docs/model.md` section 1). Those from cube-connected cycles on are networks (CS838 1999): their
/// links lie in no dimensions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MachineKind {
    /// The mesh of one dimension.
    Line,
    /// The torus of one dimension.
    Ring,
    /// No dimension wraps, unless it is said to.
    Mesh,
    /// Every dimension wraps, unless it is said not to.
    Torus,
    /// All lengths are 2.
    Hypercube,
    /// A hypercube with a cycle of `n` nodes for each of its own.
    CubeConnectedCycles,
    /// `n` levels of `2^n` nodes, of which the last leads to the first.
    WrappedButterfly,
    /// `n + 1` levels of `2^n` nodes.
    Butterfly,
    /// Words of `n` bits: links to the word rotated, and to the one with the other last bit.
    ShuffleExchange,
    /// Words of `n` bits: links to the words that they become when their bits move by one.
    DeBruijn,
    /// The complete binary tree with `n` levels of links.
    BinaryTree,
    /// `2^n x 2^n` leaves with a complete binary tree over every row and column.
    MeshOfTrees,
    /// Links one by one.
    Network,
    /// A binary tree that has grown at random.
    RandomTree,
    /// A path with at most one leg at every vertex.
    Caterpillar,
}

impl MachineKind {
    /// The kinds whose nodes have coordinates and whose links lie in dimensions.
    pub const GRIDS: [Self; 5] = [Self::Line, Self::Ring, Self::Mesh, Self::Torus, Self::Hypercube];

    /// Every kind that a program can run on.
    pub const HOSTS: [Self; 11] = [
        Self::Line,
        Self::Ring,
        Self::Mesh,
        Self::Torus,
        Self::Hypercube,
        Self::CubeConnectedCycles,
        Self::WrappedButterfly,
        Self::Butterfly,
        Self::ShuffleExchange,
        Self::DeBruijn,
        Self::Network,
    ];

    /// Every kind.
    pub const ALL: [Self; 15] = [
        Self::Line,
        Self::Ring,
        Self::Mesh,
        Self::Torus,
        Self::Hypercube,
        Self::CubeConnectedCycles,
        Self::WrappedButterfly,
        Self::Butterfly,
        Self::ShuffleExchange,
        Self::DeBruijn,
        Self::BinaryTree,
        Self::MeshOfTrees,
        Self::Network,
        Self::RandomTree,
        Self::Caterpillar,
    ];

    /// Whether its links lie in dimensions.
    #[must_use]
    pub fn is_grid(self) -> bool {
        Self::GRIDS.contains(&self)
    }

    /// How many dimensions a network of this kind may have (of a tree, how many levels of links); none for kinds that
    /// are not made from a number alone.
    #[must_use]
    pub fn network_dimensions(self) -> Option<RangeInclusive<u64>> {
        dimension_range(self)
    }

    /// The word for it in every file.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Line => "line",
            Self::Ring => "ring",
            Self::Mesh => "mesh",
            Self::Torus => "torus",
            Self::Hypercube => "hypercube",
            Self::CubeConnectedCycles => "cube-connected-cycles",
            Self::WrappedButterfly => "wrapped-butterfly",
            Self::Butterfly => "butterfly",
            Self::ShuffleExchange => "shuffle-exchange",
            Self::DeBruijn => "de-bruijn",
            Self::BinaryTree => "binary-tree",
            Self::MeshOfTrees => "mesh-of-trees",
            Self::Network => "network",
            Self::RandomTree => "random-tree",
            Self::Caterpillar => "caterpillar",
        }
    }

    /// How its dimensions wrap unless it is said otherwise; networks have none that could.
    #[must_use]
    pub fn wrap(self) -> Wrap {
        match self {
            Self::Ring | Self::Torus => Wrap::Around,
            Self::Line
            | Self::Mesh
            | Self::Hypercube
            | Self::CubeConnectedCycles
            | Self::WrappedButterfly
            | Self::Butterfly
            | Self::ShuffleExchange
            | Self::DeBruijn
            | Self::BinaryTree
            | Self::MeshOfTrees
            | Self::Network
            | Self::RandomTree
            | Self::Caterpillar => Wrap::Open,
        }
    }
}

impl fmt::Display for MachineKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}
