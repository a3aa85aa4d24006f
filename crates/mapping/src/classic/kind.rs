//! The names under which the constructions are asked for.

use std::fmt;

/// A construction of CS838 1999, by which one guest is mapped on one host.
///
/// Where several apply to a pair of guest and host, the first in this order is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ClassicKind {
    /// A line along the Gray code of a hypercube.
    GrayPath,
    /// A ring along the Gray code of a hypercube.
    GrayCycle,
    /// A mesh on the torus that it is a part of.
    MeshInTorus,
    /// A line through the quarters of a square mesh, turned so that they meet.
    RecursivePath,
    /// A ring through the quarters of a square mesh.
    RecursiveCycle,
    /// The last dimension of a mesh to and fro through two of another.
    Snake,
    /// A line through the quarters of a square mesh, not turned.
    ZOrder,
    /// A torus on the mesh of the same lengths, every ring folded.
    FoldedTorus,
    /// A torus of two dimensions on a ring.
    TorusInRing,
    /// A rectangular mesh folded into a square one like paper.
    RectangleInSquare,
    /// A square mesh that snakes, column by column, through a rectangular one.
    SquareInRectangle,
    /// The meshes (2, 9) and (3, 6) in one another.
    ExampleMeshes,
    /// A complete binary tree in the smallest hypercube, one edge over two links.
    DoubleRootedTree,
    /// A complete binary tree in the smallest hypercube, two vertices on some nodes.
    SharedTree,
    /// A complete binary tree in the next larger hypercube.
    WideTree,
    /// A complete binary tree as divide and conquer runs on a hypercube.
    BinomialTree,
    /// A complete binary tree on a square mesh.
    TreeOnMesh,
    /// A balanced one-legged caterpillar in its hypercube.
    Caterpillar,
    /// Any binary tree in a hypercube, its children left or moved by the flip of a coin.
    FlipBits,
    /// A mesh of trees in a hypercube.
    MeshOfTrees,
    /// Cube-connected cycles in the wrapped butterfly, odd cycles turned by one.
    CyclesInButterfly,
    /// A wrapped butterfly in the cube-connected cycles.
    ButterflyInCycles,
    /// An ordinary butterfly in the wrapped one, its first and last level merged.
    MergedLevels,
    /// A wrapped butterfly in the ordinary one, its levels folded.
    FoldedLevels,
    /// A shuffle-exchange network in the de Bruijn network, odd words rotated right.
    UnshuffledWords,
    /// A de Bruijn network in the shuffle-exchange network.
    ShuffleThenExchange,
    /// A shuffle-exchange network in the de Bruijn network of half its size.
    ContractedExchanges,
    /// A ring round a spanning tree of any connected machine.
    TourCycle,
}

impl ClassicKind {
    /// Every kind, in the order of preference.
    pub const ALL: [Self; 28] = [
        Self::GrayPath,
        Self::GrayCycle,
        Self::MeshInTorus,
        Self::RecursivePath,
        Self::RecursiveCycle,
        Self::Snake,
        Self::ZOrder,
        Self::FoldedTorus,
        Self::TorusInRing,
        Self::RectangleInSquare,
        Self::SquareInRectangle,
        Self::ExampleMeshes,
        Self::DoubleRootedTree,
        Self::SharedTree,
        Self::WideTree,
        Self::BinomialTree,
        Self::TreeOnMesh,
        Self::Caterpillar,
        Self::FlipBits,
        Self::MeshOfTrees,
        Self::CyclesInButterfly,
        Self::ButterflyInCycles,
        Self::MergedLevels,
        Self::FoldedLevels,
        Self::UnshuffledWords,
        Self::ShuffleThenExchange,
        Self::ContractedExchanges,
        Self::TourCycle,
    ];

    /// The word for it in every file.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::GrayPath => "gray-path",
            Self::GrayCycle => "gray-cycle",
            Self::MeshInTorus => "mesh-in-torus",
            Self::RecursivePath => "recursive-path",
            Self::RecursiveCycle => "recursive-cycle",
            Self::Snake => "snake",
            Self::ZOrder => "z-order",
            Self::FoldedTorus => "folded-torus",
            Self::TorusInRing => "torus-in-ring",
            Self::RectangleInSquare => "rectangle-in-square",
            Self::SquareInRectangle => "square-in-rectangle",
            Self::ExampleMeshes => "example-meshes",
            Self::DoubleRootedTree => "double-rooted-tree",
            Self::SharedTree => "shared-tree",
            Self::WideTree => "wide-tree",
            Self::BinomialTree => "binomial-tree",
            Self::TreeOnMesh => "tree-on-mesh",
            Self::FlipBits => "flip-bits",
            Self::Caterpillar => "caterpillar",
            Self::MeshOfTrees => "mesh-of-trees",
            Self::CyclesInButterfly => "cycles-in-butterfly",
            Self::ButterflyInCycles => "butterfly-in-cycles",
            Self::MergedLevels => "merged-levels",
            Self::FoldedLevels => "folded-levels",
            Self::UnshuffledWords => "unshuffled-words",
            Self::ShuffleThenExchange => "shuffle-then-exchange",
            Self::ContractedExchanges => "contracted-exchanges",
            Self::TourCycle => "tour-cycle",
        }
    }

    /// The guests and hosts that it is for, in words.
    #[must_use]
    pub fn pair(self) -> &'static str {
        match self {
            Self::GrayPath => "a line of 2^n on a hypercube of n dimensions",
            Self::GrayCycle => "a ring of 2^n on a hypercube of n dimensions, n at least 2",
            Self::MeshInTorus => "a mesh on a torus of the same lengths",
            Self::RecursivePath | Self::ZOrder => "a line of 4^i on a mesh 2^i x 2^i",
            Self::RecursiveCycle => "a ring of 4^i on a mesh 2^i x 2^i",
            Self::Snake => "a mesh a x .. x (y z) on a mesh a x .. x y x z",
            Self::FoldedTorus => "a torus or ring on a mesh or line of the same lengths",
            Self::TorusInRing => "a torus y x z, y and z different, on a ring of y z",
            Self::RectangleInSquare => "a mesh y x z, y > z, on a mesh w x w with w w = y z",
            Self::SquareInRectangle => "a mesh w x w on a mesh y x z, y > z, with w w = y z",
            Self::ExampleMeshes => "a mesh 2 x 9 on a mesh 3 x 6, or the other way round",
            Self::DoubleRootedTree => "a binary tree of n levels on a hypercube of n + 1 dimensions",
            Self::SharedTree => "a binary tree of n levels, n at least 2, on a hypercube of n + 1 dimensions",
            Self::WideTree => "a binary tree of n levels on a hypercube of n + 2 dimensions",
            Self::BinomialTree => "a binary tree of n levels on a hypercube of n dimensions",
            Self::TreeOnMesh => "a binary tree of 2 m levels on a mesh 2^m x 2^m, m at most 7",
            Self::FlipBits => "a binary tree, numbered from its root 0, on any hypercube",
            Self::Caterpillar => "a balanced one-legged caterpillar of 2^n on a hypercube of n dimensions",
            Self::MeshOfTrees => "a mesh of trees of n dimensions on a hypercube of 2 n + 2 dimensions",
            Self::CyclesInButterfly => {
                "cube-connected cycles of n dimensions on a wrapped butterfly of n, n at least 3"
            }
            Self::ButterflyInCycles => {
                "a wrapped butterfly of n dimensions on cube-connected cycles of n, n at least 3"
            }
            Self::MergedLevels => "a butterfly of n dimensions on a wrapped butterfly of n, n at least 3",
            Self::FoldedLevels => "a wrapped butterfly of n dimensions on a butterfly of n, n at least 3",
            Self::UnshuffledWords => "a shuffle-exchange network of n dimensions on a de Bruijn network of n",
            Self::ShuffleThenExchange => {
                "a de Bruijn network of n dimensions, n at least 2, on a shuffle-exchange network of n"
            }
            Self::ContractedExchanges => {
                "a shuffle-exchange network of n + 1 dimensions on a de Bruijn network of n"
            }
            Self::TourCycle => "a ring on any connected machine of as many nodes",
        }
    }

    /// Where the notes have it: the heading.
    #[must_use]
    pub fn section(self) -> &'static str {
        match self {
            Self::GrayPath | Self::GrayCycle => "embeddings of paths and cycles",
            Self::MeshInTorus | Self::FoldedTorus => "embeddings among meshes and tori",
            Self::RecursivePath | Self::RecursiveCycle | Self::ZOrder => "recursive patterns",
            Self::Snake | Self::SquareInRectangle => "embeddings of cube meshes into rectangular meshes",
            Self::TorusInRing => "embeddings of tori into tori",
            Self::RectangleInSquare => "embeddings of rectangular meshes into cube meshes",
            Self::ExampleMeshes => "embeddings among 2D rectangular meshes",
            Self::DoubleRootedTree | Self::SharedTree | Self::WideTree | Self::Caterpillar => {
                "embeddings of trees"
            }
            Self::BinomialTree => "simulation of binary divide and conquer",
            Self::TreeOnMesh => "simulation of parallel binary divide and conquer on 2D meshes",
            Self::FlipBits => "dynamic trees",
            Self::MeshOfTrees => "embeddings of meshes-of-trees",
            Self::CyclesInButterfly | Self::ButterflyInCycles | Self::MergedLevels | Self::FoldedLevels => {
                "lemma on butterflies and CCC"
            }
            Self::UnshuffledWords | Self::ShuffleThenExchange | Self::ContractedExchanges => {
                "embeddings into shuffle-based topologies"
            }
            Self::TourCycle => "embeddings of linear arrays and cycles",
        }
    }
}

impl fmt::Display for ClassicKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}
