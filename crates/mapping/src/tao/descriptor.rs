//! The list of constructions, and the choice of one for a pair of shapes.
//!
//! Each construction is one [`ConstructionDescriptor`], in the file of its function; names, help, documentation and
//! the choice derive from the list [`CONSTRUCTIONS`].

use std::fmt;

use super::contraction::{CONTRACTION, FOLDED_PROJECTION, PROJECTION, RING_FOLD, TORUS_FOLD};
use super::error::UnmetCondition;
use super::expansion::{BASIC_F, BASIC_G, BASIC_H, EXPANSION_F, EXPANSION_G, EXPANSION_H};
use super::general_reduction::GENERAL_REDUCTION;
use super::pair::ShapePair;
use super::plan::{Plan, Planned};
use super::same_shape::SAME_SHAPE;
use super::simple_reduction::SIMPLE_REDUCTION;
use super::square::{SQUARE_LOWERING, SQUARE_LOWERING_FOLDED, SQUARE_RISING, SQUARE_RISING_FOLDED};

/// A construction of Tao 1988, chapters 3 and 5, by which a guest torus or mesh is mapped on a host.
///
/// Its [`ConstructionDescriptor`] says what it is for and what it promises; the formulas are in the letters of the
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
}

/// A construction: its name, its source, the pairs that it is for and what it promises.
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
    /// Whether it puts several processes on every node.
    pub is_contraction: bool,
    /// The theorem applied to a pair of guest and host of the right sizes.
    pub(super) plan: fn(&ShapePair) -> Planned,
}

/// Every construction: the one-to-one ones, then the contractions.
///
/// The order is the order of preference among those that promise the same dilation.
pub static CONSTRUCTIONS: &[&ConstructionDescriptor] = &[
    &BASIC_F,
    &BASIC_H,
    &BASIC_G,
    &SAME_SHAPE,
    &EXPANSION_F,
    &EXPANSION_H,
    &EXPANSION_G,
    &SQUARE_LOWERING,
    &SQUARE_LOWERING_FOLDED,
    &SQUARE_RISING,
    &SQUARE_RISING_FOLDED,
    &SIMPLE_REDUCTION,
    &GENERAL_REDUCTION,
    &CONTRACTION,
    &RING_FOLD,
    &TORUS_FOLD,
    &PROJECTION,
    &FOLDED_PROJECTION,
];

impl ConstructionKind {
    /// Every kind, in the order of [`CONSTRUCTIONS`].
    pub const ALL: [Self; CONSTRUCTIONS.len()] = {
        let mut all = [Self::BasicF; CONSTRUCTIONS.len()];
        let mut at = 0;
        while at < all.len() {
            all[at] = CONSTRUCTIONS[at].kind;
            assert!(all[at] as usize == at, "kinds are declared in the order of CONSTRUCTIONS");
            at += 1;
        }
        all
    };

    /// The name, source and promise.
    #[must_use]
    pub fn descriptor(self) -> &'static ConstructionDescriptor {
        CONSTRUCTIONS[self as usize]
    }

    /// The name in every file.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.descriptor().name
    }

    /// Whether it puts several processes on every node.
    #[must_use]
    pub fn is_contraction(self) -> bool {
        self.descriptor().is_contraction
    }

    /// The construction of this kind for a pair.
    ///
    /// # Errors
    ///
    /// The conditions of the theorem that the pair fails, at least one.
    pub(super) fn plan(self, pair: &ShapePair) -> Planned {
        let construction = self.descriptor();
        pair.check_sizes(construction.is_contraction)?;
        (construction.plan)(pair)
    }
}

/// The construction that promises the least dilation, at a tie the first in the order of [`CONSTRUCTIONS`].
///
/// # Errors
///
/// The conditions that the pair fails, of all constructions for the two sizes.
pub(super) fn best(pair: &ShapePair) -> Result<(ConstructionKind, Plan), Vec<UnmetCondition>> {
    let contracts = pair.processes() > pair.nodes();
    let mut best: Option<(ConstructionKind, Plan)> = None;
    let mut all_unmet = vec![];
    for construction in CONSTRUCTIONS.iter().filter(|construction| construction.is_contraction == contracts) {
        match construction.kind.plan(pair) {
            Ok(plan) => {
                let links = plan.dilation.links;
                if best.as_ref().is_none_or(|(_, held)| links < held.dilation.links) {
                    best = Some((construction.kind, plan));
                }
                if links == 1 {
                    break;
                }
            }
            Err(unmet) => {
                for condition in unmet {
                    if !all_unmet.contains(&condition) {
                        all_unmet.push(condition);
                    }
                }
            }
        }
    }
    best.ok_or(all_unmet)
}

impl fmt::Display for ConstructionKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_documentation_names_every_construction() {
        let page = include_str!("../../../../docs/tao.md");
        for construction in CONSTRUCTIONS {
            let name = construction.name;
            assert!(page.contains(&format!("`{name}`")), "{name}");
        }
    }
}
