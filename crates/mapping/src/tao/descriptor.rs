//! The descriptor of a construction: kind, name, source, conditions and promise.
//!
//! Each construction is one [`ConstructionDescriptor`], in the file of its theorem.

use super::pair::ShapePair;
use super::plan::Planned;

/// A construction of Tao 1988, chapters 3 and 5, by which a guest torus or mesh is mapped on a host.
///
/// Its [`ConstructionDescriptor`] says which pairs it takes and what it promises; the formulas are in the letters of the
/// dissertation, the rightmost function applied first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ConstructionKind {
    /// `f_L`.
    BasicF,
    /// `h_L`, or `pi o h_L*` into a mesh.
    BasicH,
    /// `g_L`.
    BasicG,
    /// `pi`, or `pi o T_L`.
    SameShape,
    /// `pi o F_V`.
    ExpansionF,
    /// `pi o H_V`.
    ExpansionH,
    /// `pi o G_V`.
    ExpansionG,
    /// `F'_S^n`, `H'_S^n` or `G'_S^n`, with a fold from a torus into a mesh.
    SquareLowering,
    /// `F'_S^n o T_L`.
    SquareLoweringFolded,
    /// `U_W o pi o F_V` or `U_W o pi o H_V`, with a fold from an odd torus into a mesh.
    SquareRising,
    /// `U_W o pi o T o H_V`.
    SquareRisingFolded,
    /// `U_V o pi`, or `U_V o T o pi`.
    SimpleReduction,
    /// `beta o E o alpha`, `E` one of `F'_S`, `H'_S`, `G'_S`, `H''_S` and `G''_S`.
    GeneralReduction,
    /// `F'`, `H'`, `G'`, `T_M o H'` or `F' o T_L`.
    SequentialElimination,
    /// `(E) o mu`, `E` the best one-to-one construction.
    Contraction,
    /// `f_L o mu o nu`.
    RingFold,
    /// `pi o F_V o mu o nubar`.
    TorusFold,
    /// `mu o xi`.
    Projection,
    /// `mu o nubar o xi`.
    FoldedProjection,
    /// `x_i -> floor(x_i k_i / l_i)`, then the best one-to-one construction.
    UnevenContraction,
    /// The corner of a larger grid, by the best one-to-one construction on a box of the host.
    SpareNodes,
}

/// The numbers of processes and nodes that a construction is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sizes {
    /// As many processes as nodes: one on each.
    Equal,
    /// An integer number of processes above 1 for each node, the same for all.
    Multiple,
    /// More processes than nodes, not equally many on each.
    More,
    /// Fewer processes than nodes: one on some.
    Fewer,
}

/// A construction: its name, its source, the pairs that it takes and its promise.
///
/// The letters are those of `docs/tao.md`: `d` guest dimensions of lengths `L`, `c` host dimensions of lengths `M`.
#[derive(Debug)]
pub struct ConstructionDescriptor {
    /// The construction.
    pub kind: ConstructionKind,
    /// The name in every file, after `tao:`.
    pub name: &'static str,
    /// A line for help: the function.
    pub summary: &'static str,
    /// Author, year and statement.
    pub source: &'static str,
    /// The guests that it is for.
    pub guest: &'static str,
    /// The hosts that it is for.
    pub host: &'static str,
    /// The promised dilation \[links\], as a formula.
    pub dilation: &'static str,
    /// The numbers of processes and nodes that it is for.
    pub sizes: Sizes,
    /// The theorem applied to a pair of guest and host of the right sizes.
    pub(super) plan: fn(&ShapePair) -> Planned,
}

impl ConstructionDescriptor {
    /// The construction for a pair, or the conditions that the pair does not meet, at least one; its sizes are checked first.
    pub(super) fn plan_for(&self, pair: &ShapePair) -> Planned {
        pair.check_sizes(self.sizes)?;
        (self.plan)(pair)
    }
}
