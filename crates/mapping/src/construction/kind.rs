//! The names under which constructions are asked for.

use std::fmt;

/// A construction of Tao 1988, chapters 3 and 5, by which a guest torus or mesh is mapped on a host.
///
/// The order is the order of preference among those that promise the same dilation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ConstructionKind {
    /// `f_L`: a line into any host (theorem 3.3.1).
    BasicF,
    /// `h_L`: a ring into a torus, or of even size into a mesh of two dimensions or more (theorems 3.3.4, 3.3.3).
    BasicH,
    /// `g_L`: a ring into any host (theorem 3.3.2).
    BasicG,
    /// A permutation, after `T_L` when a torus goes into a mesh: lengths equal up to order (lemma 3.4.1).
    SameShape,
    /// `F_V`: a mesh into a host whose shape is an expansion (theorem 3.4.1 a).
    ExpansionF,
    /// `H_V`: a torus into a torus, or with even-first lists into a mesh (theorem 3.4.1 b, c).
    ExpansionH,
    /// `G_V`: a torus into a mesh (theorem 3.4.1 c).
    ExpansionG,
    /// The chain of general reductions between square graphs, `d` not divisible by `c` (theorem 3.5.3).
    SquareLowering,
    /// That chain after folding, which the dissertation routes for odd toruses into toruses (theorem 4.5.6).
    SquareLoweringFolded,
    /// Up to a square graph of `vd` dimensions and down again, `c` not divisible by `d` (theorem 3.5.5).
    SquareRising,
    /// The same with folding between, for odd toruses (theorem 4.5.7).
    SquareRisingFolded,
    /// `U_V`, after `T` when a torus goes into a mesh (theorems 3.4.3, 3.5.2).
    SimpleReduction,
    /// `F'_S`, `H'_S`, `G'_S`, `H''_S` or `G''_S`, as the types ask for (theorem 3.4.4).
    GeneralReduction,
    /// `mu` in every dimension, then the best one-to-one construction: the general scheme of 5.3.
    Contraction,
    /// `f_L o mu o nu`: a ring folded flat, into any host (5.3).
    RingFold,
    /// `F_V o mu o nubar`: a torus folded flat in every dimension (5.3).
    TorusFold,
    /// `mu o xi`: dimensions left out (5.3).
    Projection,
    /// `mu o nubar o xi`: dimensions left out and the others folded flat (5.3).
    FoldedProjection,
}

impl ConstructionKind {
    /// Every kind: the one-to-one ones, then the contractions.
    pub const ALL: [Self; 18] = [
        Self::BasicF,
        Self::BasicH,
        Self::BasicG,
        Self::SameShape,
        Self::ExpansionF,
        Self::ExpansionH,
        Self::ExpansionG,
        Self::SquareLowering,
        Self::SquareLoweringFolded,
        Self::SquareRising,
        Self::SquareRisingFolded,
        Self::SimpleReduction,
        Self::GeneralReduction,
        Self::Contraction,
        Self::RingFold,
        Self::TorusFold,
        Self::Projection,
        Self::FoldedProjection,
    ];

    /// The word for it in every file.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::BasicF => "basic-f",
            Self::BasicH => "basic-h",
            Self::BasicG => "basic-g",
            Self::SameShape => "same-shape",
            Self::ExpansionF => "expansion-f",
            Self::ExpansionH => "expansion-h",
            Self::ExpansionG => "expansion-g",
            Self::SquareLowering => "square-lowering",
            Self::SquareLoweringFolded => "square-lowering-folded",
            Self::SquareRising => "square-rising",
            Self::SquareRisingFolded => "square-rising-folded",
            Self::SimpleReduction => "simple-reduction",
            Self::GeneralReduction => "general-reduction",
            Self::Contraction => "contraction",
            Self::RingFold => "ring-fold",
            Self::TorusFold => "torus-fold",
            Self::Projection => "projection",
            Self::FoldedProjection => "folded-projection",
        }
    }

    /// Whether it puts several processes on every node.
    #[must_use]
    pub fn is_contraction(self) -> bool {
        self >= Self::Contraction
    }
}

impl fmt::Display for ConstructionKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}
