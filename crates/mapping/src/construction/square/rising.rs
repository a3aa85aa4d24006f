//! Theorem 3.5.5: a square graph into a square one of more dimensions, through one of more still.

use super::super::error::UnmetCondition;
use super::super::expansion::Expansion;
use super::super::factor::Factor;
use super::super::graph_type::{GraphType, Pair};
use super::super::permutation::Permutation;
use super::super::plan::{Parameter, Plan};
use super::super::promise::{PromisedDilation, PromisedSteps, Routing, RoutingSource, RoutingSpace};
use super::super::same_shape::Fold;
use super::super::sequence::Sequence;
use super::super::simple_reduction::SimpleReduction;
use super::super::step::Step;
use super::{Folding, folded_subsets, greatest_common_divisor, root, subset_of};

/// `d < c`, `a` their greatest common divisor, `u = d / a`, `v = c / a`, `s = l^(1/v)`.
struct Detour {
    guest: usize,  // d
    host: usize,   // c
    blocks: usize, // u
    digits: usize, // v
    side: u64,     // s
}

/// `U_W o pi o H_V`, or `F_V` for a mesh, with `T` between for an odd torus into a mesh (theorem 3.5.5).
///
/// The second stage is the simple reduction of theorem 3.5.2, not a chain (errata A7).
pub(in super::super) fn plan(folding: Folding, pair: &Pair) -> Result<Plan, UnmetCondition> {
    let (guest, host) = (pair.guest_dimensions(), pair.host_dimensions());
    if guest >= host || host.is_multiple_of(guest) {
        return Err(UnmetCondition::SquareRisingDimensions { guest, host });
    }
    let (length, _) = pair.square_lengths().ok_or(UnmetCondition::Square)?;
    let common = greatest_common_divisor(guest, host);
    let (blocks, digits) = (guest / common, host / common);
    let side = root(length, digits).ok_or(UnmetCondition::Square)?;
    let is_odd = !length.is_multiple_of(2);
    if folding == Folding::Always && !is_odd {
        return Err(UnmetCondition::OddSize);
    }
    let folds = folding == Folding::Always
        || (is_odd && pair.guest == GraphType::Torus && pair.host == GraphType::Mesh);
    Ok(Detour { guest, host, blocks, digits, side }.plan(folds, folding, pair))
}

impl Detour {
    fn plan(&self, folds: bool, folding: Folding, pair: &Pair) -> Plan {
        let is_mesh = pair.guest == GraphType::Mesh && folding == Folding::AsNeeded;
        let first = if is_mesh { Sequence::F } else { Sequence::H };
        let up = Factor::uniform(self.guest, self.digits, self.side);
        let down = Factor::uniform(self.host, self.blocks, self.side);
        let permutation = Permutation::new(self.order());
        let letter = first.letter().to_ascii_uppercase();
        let parameters = vec![
            Parameter::new("V", &up),
            Parameter::list("pi", &permutation.numbers()),
            Parameter::new("W", &down),
            Parameter::new("first", &letter),
        ];
        let fold = folds.then(|| Step::Fold(Fold::new(&up.lengths())));
        let last = [Step::Permutation(permutation), Step::SimpleReduction(SimpleReduction::new(down))];
        let steps = std::iter::once(Step::Expansion(Expansion::new(first, up))).chain(fold).chain(last);
        Plan {
            theorem: "theorem 3.5.5",
            formula: format!("U_W o pi o {}{letter}_V", if folds { "T o " } else { "" }),
            parameters,
            contraction: None,
            steps: steps.collect(),
            dilation: self.dilation(folds, pair),
            routing: self.routing(folds, pair),
        }
    }

    /// Host coordinate `j` has the digits `j, (u-1)c + j, (u-2)c + j, .., c + j` (errata A7).
    fn order(&self) -> Vec<usize> {
        let digits = |host| {
            let blocks = std::iter::once(0).chain((1..self.blocks).rev());
            blocks.map(move |block| block * self.host + host)
        };
        (0..self.host).flat_map(digits).collect()
    }

    /// `l^((d-a)/c) = s^(u-1)`.
    fn ratio(&self) -> u64 {
        self.side.pow(self.exponent())
    }

    /// On a torus host a fold may take back what it stretches (errata C11).
    fn dilation(&self, folds: bool, pair: &Pair) -> PromisedDilation {
        if folds {
            let exact = pair.is_exactly(GraphType::Torus, GraphType::Mesh);
            PromisedDilation::new(2 * self.ratio(), exact)
        } else {
            PromisedDilation::new(self.ratio(), pair.is_pure())
        }
    }

    fn routing(&self, folds: bool, pair: &Pair) -> Routing {
        if folds {
            return self.folded_routing();
        }
        let steps = PromisedSteps::uniform(self.ratio(), self.host);
        let routing = Routing::together(self.guest, None, steps);
        // Corollary 4.5.9 leaves out odd toruses; errata A8 (4) has them.
        let is_even = self.side.is_multiple_of(2);
        let is_promised = is_even || pair.guest == GraphType::Mesh;
        let source = if is_promised { RoutingSource::Dissertation } else { RoutingSource::Errata };
        Routing { source, ..routing }
    }

    /// Theorem 4.5.7 with the vector over the `vd` dimensions between, `c` of them at a time (errata A8).
    fn folded_routing(&self) -> Routing {
        let dimensions = self.guest * self.digits;
        Routing {
            vector: (1..=dimensions).map(|dimension| subset_of(dimension, self.host, self.host)).collect(),
            space: RoutingSpace::FirstStage,
            subsets: folded_subsets(self.side, self.exponent(), self.host),
            source: RoutingSource::Dissertation,
        }
    }

    fn exponent(&self) -> u32 {
        u32::try_from(self.blocks - 1).unwrap_or(u32::MAX)
    }
}
