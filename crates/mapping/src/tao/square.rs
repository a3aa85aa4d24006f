//! Square graphs: the chain of reductions of theorem 3.5.3 to fewer dimensions, and the expansion and reduction of
//! theorem 3.5.5 to more.
//!
//! The letters of both: `a` is the greatest common divisor of the numbers of dimensions `d` and `c`, `u = d / a`,
//! `v = c / a`, and `s = l^(1/v)`.

use cubefold_topology::greatest_common_divisor;

use super::bijection::{Bijection, Composition, Expansion, Fold, Permutation, SimpleReduction, Supernodes};
use super::descriptor::{ConstructionDescriptor, ConstructionKind, Sizes};
use super::error::UnmetCondition;
use super::factor::Factor;
use super::pair::{GraphType, ShapePair};
use super::plan::{Parameter, Plan, Planned};
use super::promise::{PromisedDilation, PromisedSteps, Routing, RoutingSource, RoutingSpace, RoutingSubset};
use super::sequence::Sequence;

pub(super) static SQUARE_LOWERING: ConstructionDescriptor = ConstructionDescriptor {
    kind: ConstructionKind::SquareLowering,
    name: "square-lowering",
    summary: "a chain of general reductions between square graphs",
    source: "Tao 1988, theorem 3.5.3",
    guest: "square, d > c, not a multiple",
    host: "square",
    dilation: "host length over guest length; twice that for a torus into a mesh",
    sizes: Sizes::Equal,
    plan: |pair| plan_lowering(Folding::AsNeeded, pair),
};

pub(super) static SQUARE_LOWERING_FOLDED: ConstructionDescriptor = ConstructionDescriptor {
    kind: ConstructionKind::SquareLoweringFolded,
    name: "square-lowering-folded",
    summary: "the chain of square-lowering after folding every dimension",
    source: "Tao 1988, theorems 3.5.3 and 4.5.6",
    guest: "square and odd, d > c, not a multiple",
    host: "square",
    dilation: "twice the host length over the guest length",
    sizes: Sizes::Equal,
    plan: |pair| plan_lowering(Folding::Always, pair),
};

pub(super) static SQUARE_RISING: ConstructionDescriptor = ConstructionDescriptor {
    kind: ConstructionKind::SquareRising,
    name: "square-rising",
    summary: "an expansion to a square graph of more dimensions still, and a simple reduction of it",
    source: "Tao 1988, theorem 3.5.5",
    guest: "square, d < c, c not a multiple",
    host: "square",
    dilation: "a power of a root of the guest length; twice that for an odd torus into a mesh",
    sizes: Sizes::Equal,
    plan: |pair| plan_rising(Folding::AsNeeded, pair),
};

pub(super) static SQUARE_RISING_FOLDED: ConstructionDescriptor = ConstructionDescriptor {
    kind: ConstructionKind::SquareRisingFolded,
    name: "square-rising-folded",
    summary: "square-rising with folding between its two stages",
    source: "Tao 1988, theorems 3.5.5 and 4.5.7",
    guest: "square and odd, d < c, c not a multiple",
    host: "square",
    dilation: "twice a power of a root of the guest length",
    sizes: Sizes::Equal,
    plan: |pair| plan_rising(Folding::Always, pair),
};

/// The hosts onto which a torus is folded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Folding {
    /// Meshes.
    AsNeeded,
    /// Meshes and toruses.
    Always,
}

/// The numbers of a chain of theorem 3.5.3, `d > c`.
struct Lowering {
    guest: usize,        // d
    host: usize,         // c
    divisor: usize,      // a
    eliminations: usize, // u - v
    side: u64,           // s
    length: u64,         // l
    host_length: u64,
}

/// The chain of general reductions, folded before or after it as the types require (theorem 3.5.3).
fn plan_lowering(folding: Folding, pair: &ShapePair) -> Planned {
    let lowering = Lowering::of(pair)?;
    let is_odd = !lowering.length.is_multiple_of(2);
    if folding == Folding::Always && !is_odd {
        return Err(UnmetCondition::OddSize.into());
    }
    let procedure = match (pair.guest, pair.host, folding) {
        (_, _, Folding::Always) => Procedure::FoldedFirst,
        (GraphType::Torus, GraphType::Mesh, _) if is_odd => Procedure::FoldedFirst,
        (GraphType::Torus, GraphType::Mesh, _) => Procedure::FoldedLast,
        (GraphType::Torus, GraphType::Torus, _) if is_odd => Procedure::Torus(Sequence::G),
        (GraphType::Torus, GraphType::Torus, _) => Procedure::Torus(Sequence::H),
        (GraphType::Mesh, _, _) => Procedure::Mesh,
    };
    Ok(lowering.plan(procedure, pair))
}

/// The five procedures in the proof of theorem 3.5.3.
#[derive(Clone, Copy)]
enum Procedure {
    /// `F'` in every elimination.
    Mesh,
    /// `H'` or `G'` in every elimination.
    Torus(Sequence),
    /// `T_L`, then `F'` in every elimination.
    FoldedFirst,
    /// `H'` in every elimination, then `T_M`.
    FoldedLast,
}

impl Lowering {
    fn of(pair: &ShapePair) -> Result<Self, UnmetCondition> {
        let (guest, host) = (pair.guest_dimensions(), pair.host_dimensions());
        if guest <= host || guest.is_multiple_of(host) {
            return Err(UnmetCondition::SquareLoweringDimensions { guest, host });
        }
        let (length, host_length) = pair.square_lengths().ok_or(UnmetCondition::Square)?;
        let divisor = greatest_common_divisor(guest, host);
        // Lemma 3.5.4: the root is whole, as guest and host are of one size.
        let side = root(length, host / divisor).ok_or(UnmetCondition::Square)?;
        Ok(Self { guest, host, divisor, eliminations: (guest - host) / divisor, side, length, host_length })
    }

    fn plan(&self, procedure: Procedure, pair: &ShapePair) -> Plan {
        let (sequence, letter, fold) = match procedure {
            Procedure::Mesh => (Sequence::F, 'F', ""),
            Procedure::Torus(sequence) => (sequence, sequence.capital(), ""),
            Procedure::FoldedFirst => (Sequence::F, 'F', " o T_L"),
            Procedure::FoldedLast => (Sequence::H, 'H', ""),
        };
        let mut functions = self.reductions(sequence);
        let mut formula = format!("{letter}'_S^{}{fold}", self.eliminations);
        match procedure {
            Procedure::FoldedFirst => functions.insert(0, Bijection::Fold(Fold::new(&pair.guest_lengths))),
            Procedure::FoldedLast => {
                functions.push(Bijection::Fold(Fold::new(&pair.host_lengths)));
                formula.insert_str(0, "T_M o ");
            }
            Procedure::Mesh | Procedure::Torus(_) => {}
        }
        Plan {
            theorem: "theorem 3.5.3",
            formula,
            parameters: vec![
                Parameter::new("S", &self.factor()),
                Parameter::new("steps", &self.eliminations),
                Parameter::new("kind", &letter),
            ],
            resizing: None,
            composition: Composition::new(functions),
            dilation: self.dilation(procedure, pair),
            routing: Some(self.routing(procedure)),
        }
    }

    /// `a` lists of `v` times `s`.
    fn factor(&self) -> Factor {
        Factor::uniform(self.divisor, self.host / self.divisor, self.side)
    }

    /// Elimination `k` takes the last `a` of `d - ka` dimensions into the first `c`.
    fn reductions(&self, sequence: Sequence) -> Vec<Bijection> {
        let remaining = (1..=self.eliminations).map(|done| self.guest - done * self.divisor);
        remaining
            .map(|left| Bijection::Supernodes(Supernodes::new(left, sequence, self.factor(), None)))
            .collect()
    }

    /// `l^((d-c)/c) = s^(u-v)`: the host length over the guest length.
    fn ratio(&self) -> u64 {
        self.host_length / self.length
    }

    /// Exact for graphs of the types that the procedure takes (errata B3), and for a fold first on a torus host
    /// as well, whose lengths are `l` times the ratio with `l` at least 4 here: no wraparound is shorter.
    fn dilation(&self, procedure: Procedure, pair: &ShapePair) -> PromisedDilation {
        match procedure {
            Procedure::Mesh | Procedure::Torus(_) => PromisedDilation::new(self.ratio(), pair.is_pure()),
            Procedure::FoldedLast => PromisedDilation::new(2 * self.ratio(), pair.is_pure()),
            Procedure::FoldedFirst => {
                let exact = pair.guest == GraphType::Torus && pair.is_pure();
                PromisedDilation::new(2 * self.ratio(), exact)
            }
        }
    }

    fn routing(&self, procedure: Procedure) -> Routing {
        let together = |links| Routing::together(self.guest, None, PromisedSteps::uniform(links, self.host));
        match procedure {
            // Corollaries 4.5.6 to 4.5.8.
            Procedure::Mesh | Procedure::Torus(Sequence::F | Sequence::H) => together(self.ratio()),
            Procedure::FoldedLast => together(2 * self.ratio()),
            // Theorem 4.5.6.
            Procedure::FoldedFirst => self.by_elimination(
                folded_subsets(self.side, self.exponent(), self.host),
                RoutingSource::Dissertation,
            ),
            // Errata C11: the first subset lies along single dimensions and is not folded.
            Procedure::Torus(Sequence::G) => {
                let mut subsets = folded_subsets(self.side, self.exponent(), self.host);
                let steps = PromisedSteps::uniform(self.ratio(), self.host);
                subsets[0] = RoutingSubset { number: 1, phase_length: None, steps };
                self.by_elimination(subsets, RoutingSource::Errata)
            }
        }
    }

    /// A subset for the first `c` dimensions and one for those of each elimination.
    fn by_elimination(&self, subsets: Vec<RoutingSubset>, source: RoutingSource) -> Routing {
        let vector =
            (1..=self.guest).map(|dimension| subset_of(dimension, self.host, self.divisor)).collect();
        Routing { vector, space: RoutingSpace::Guest, subsets, source }
    }

    fn exponent(&self) -> u32 {
        u32::try_from(self.eliminations).unwrap_or(u32::MAX)
    }
}

/// The numbers of an expansion and reduction of theorem 3.5.5, `d < c`.
struct Rising {
    guest: usize,  // d
    host: usize,   // c
    blocks: usize, // u
    digits: usize, // v
    side: u64,     // s
}

/// `U_W o pi o H_V`, or `F_V` for a mesh, with `T` between for an odd torus into a mesh (theorem 3.5.5).
///
/// The second stage is the simple reduction of theorem 3.5.2, not a chain (errata A7).
fn plan_rising(folding: Folding, pair: &ShapePair) -> Planned {
    let (guest, host) = (pair.guest_dimensions(), pair.host_dimensions());
    if guest >= host || host.is_multiple_of(guest) {
        return Err(UnmetCondition::SquareRisingDimensions { guest, host }.into());
    }
    let (length, _) = pair.square_lengths().ok_or(UnmetCondition::Square)?;
    let common = greatest_common_divisor(guest, host);
    let (blocks, digits) = (guest / common, host / common);
    let side = root(length, digits).ok_or(UnmetCondition::Square)?;
    let is_odd = !length.is_multiple_of(2);
    if folding == Folding::Always && !is_odd {
        return Err(UnmetCondition::OddSize.into());
    }
    let folds = folding == Folding::Always
        || (is_odd && pair.guest == GraphType::Torus && pair.host == GraphType::Mesh);
    Ok(Rising { guest, host, blocks, digits, side }.plan(folds, folding, pair))
}

impl Rising {
    fn plan(&self, folds: bool, folding: Folding, pair: &ShapePair) -> Plan {
        let is_mesh = pair.guest == GraphType::Mesh && folding == Folding::AsNeeded;
        let first = if is_mesh { Sequence::F } else { Sequence::H };
        let up = Factor::uniform(self.guest, self.digits, self.side);
        let down = Factor::uniform(self.host, self.blocks, self.side);
        let permutation = Permutation::new(self.order());
        let letter = first.capital();
        let parameters = vec![
            Parameter::new("V", &up),
            Parameter::new("pi", &permutation),
            Parameter::new("W", &down),
            Parameter::new("first", &letter),
        ];
        let fold = folds.then(|| Bijection::Fold(Fold::new(&up.lengths())));
        let last =
            [Bijection::Permutation(permutation), Bijection::SimpleReduction(SimpleReduction::new(down))];
        let functions =
            std::iter::once(Bijection::Expansion(Expansion::new(first, up))).chain(fold).chain(last);
        Plan {
            theorem: "theorem 3.5.5",
            formula: format!("U_W o pi o {}{letter}_V", if folds { "T o " } else { "" }),
            parameters,
            resizing: None,
            composition: Composition::new(functions.collect()),
            dilation: self.dilation(folds, pair),
            routing: Some(self.routing(folds, pair)),
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
    fn dilation(&self, folds: bool, pair: &ShapePair) -> PromisedDilation {
        if folds {
            let exact = pair.is_exactly(GraphType::Torus, GraphType::Mesh);
            PromisedDilation::new(2 * self.ratio(), exact)
        } else {
            PromisedDilation::new(self.ratio(), pair.is_pure())
        }
    }

    fn routing(&self, folds: bool, pair: &ShapePair) -> Routing {
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

    /// Theorem 4.5.7 with the vector over the `vd` intermediate dimensions, `c` of them at a time (errata A8).
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

/// The whole number whose `exponent`-th power is `power`, if any.
pub(super) fn root(power: u64, exponent: usize) -> Option<u64> {
    let exponent = u32::try_from(exponent).ok().filter(|&exponent| exponent > 0)?;
    let reaches = |base: u64| base.checked_pow(exponent).is_none_or(|found| found >= power);
    let (mut low, mut high) = (1, power);
    while low < high {
        let middle = low.midpoint(high);
        if reaches(middle) { high = middle } else { low = middle + 1 }
    }
    (low.checked_pow(exponent) == Some(power)).then_some(low)
}

/// Subset 1 with distances `s^(last)` and, for `q = 2, 3, ..`, subset `q` with `s^(q-2)`: each in phases of that
/// many links, two of them (lemma 4.2.2, errata A1).
fn folded_subsets(side: u64, last: u32, host_dimensions: usize) -> Vec<RoutingSubset> {
    let subset = |number: u32, exponent: u32| RoutingSubset {
        number,
        phase_length: Some(side.pow(exponent)),
        steps: PromisedSteps::uniform(2 * side.pow(exponent), host_dimensions),
    };
    let first = std::iter::once(subset(1, last));
    first.chain((0..last).map(|exponent| subset(exponent + 2, exponent))).collect()
}

/// The subset of dimension `k`, counted from 1: 1 for the first `first`, then 2, 3, .. for `block` each.
fn subset_of(dimension: usize, first: usize, block: usize) -> u32 {
    let block_number = dimension.saturating_sub(first).div_ceil(block);
    u32::try_from(block_number).unwrap_or(u32::MAX) + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roots_are_whole_or_none() {
        assert_eq!(root(27, 3), Some(3));
        assert_eq!(root(1 << 32, 32), Some(2));
        assert_eq!(root(1 << 32, 1), Some(1 << 32));
        assert_eq!(root(12, 2), None);
    }
}
