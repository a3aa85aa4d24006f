//! Lowering dimension by supernodes: theorem 3.4.4.

use super::error::UnmetCondition;
use super::factor::Factor;
use super::graph_type::{GraphType, Pair};
use super::permutation::Permutation;
use super::plan::{Parameter, Plan};
use super::promise::{PromisedDilation, PromisedSteps, Routing, RoutingSource, RoutingSpace, RoutingSubset};
use super::reduction_search::{Found, GeneralReduction, MAX_STATES, search};
use super::same_shape::Fold;
use super::sequence::Sequence;
use super::step::Step;
use super::supernodes::Supernodes;

/// `beta o E o alpha`, `E` one of `F'_S`, `H'_S`, `G'_S`, `H''_S`, `G''_S` (theorem 3.4.4).
pub(super) fn plan(pair: &Pair) -> Result<Plan, UnmetCondition> {
    let (guest, host) = (pair.guest_dimensions(), pair.host_dimensions());
    if !(host < guest && guest < 2 * host) {
        return Err(UnmetCondition::GeneralReductionDimensions { guest, host });
    }
    let is_torus = pair.guest == GraphType::Torus;
    match search(&pair.guest_lengths, &pair.host_lengths, is_torus) {
        Found::Reduction(reduction) => Ok(Case::of(pair, reduction).plan(pair)),
        Found::Nothing => Err(UnmetCondition::GeneralReductionFactor),
        Found::GivenUp => Err(UnmetCondition::GeneralReductionSearch { states: MAX_STATES }),
    }
}

/// A reduction with the case of theorem 3.4.4 that it falls under.
struct Case {
    reduction: GeneralReduction,
    sequence: Sequence,
    folds: bool,
    theorem: &'static str,
    multiplicands: Vec<u64>, // L'
    components: Vec<u64>,    // s_1, .., s_b
}

impl Case {
    fn of(pair: &Pair, reduction: GeneralReduction) -> Self {
        let (sequence, folds, theorem) = match (pair.guest, pair.host, reduction.even_first) {
            (GraphType::Mesh, _, _) => (Sequence::F, false, "theorem 3.4.4(1)"),
            (GraphType::Torus, GraphType::Torus, true) => (Sequence::H, false, "theorem 3.4.4(2)"),
            (GraphType::Torus, GraphType::Torus, false) => (Sequence::G, false, "theorem 3.4.4(3)"),
            (GraphType::Torus, GraphType::Mesh, true) => (Sequence::H, true, "theorem 3.4.4(4)"),
            (GraphType::Torus, GraphType::Mesh, false) => (Sequence::G, true, "theorem 3.4.4(5)"),
        };
        let multiplicand = |&at: &usize| pair.host_lengths[at] / reduction.multipliers[at];
        let multiplicands = reduction.host_order.iter().map(multiplicand).collect();
        let components = reduction.groups.iter().flatten().map(|&at| reduction.multipliers[at]).collect();
        Self { reduction, sequence, folds, theorem, multiplicands, components }
    }

    fn plan(self, pair: &Pair) -> Plan {
        let factor = Factor::of_groups(&self.reduction.groups, &self.reduction.multipliers);
        let alpha = Permutation::new(self.reduction.guest_order.clone());
        let beta = Permutation::new(inverse(&self.reduction.host_order));
        let fold = self.folds.then(|| Fold::new(&self.multiplicands));
        let multipliers = self.multiplier_lengths();
        let marks = if self.folds { "''" } else { "'" };
        Plan {
            theorem: self.theorem,
            formula: format!("beta o {}{marks}_S o alpha", self.sequence.letter().to_ascii_uppercase()),
            parameters: vec![
                Parameter::new("S", &factor),
                Parameter::list("Lprime", &self.multiplicands),
                Parameter::list("Ldouble", &multipliers),
                Parameter::list("alpha", &alpha.numbers()),
                Parameter::list("beta", &beta.numbers()),
            ],
            dilation: self.dilation(pair),
            routing: self.routing(),
            contraction: None,
            steps: vec![
                Step::Permutation(alpha),
                Step::Supernodes(Supernodes::new(self.multiplicands.len(), self.sequence, factor, fold)),
                Step::Permutation(beta),
            ],
        }
    }

    /// `L''`: the products of the lists of `S`.
    fn multiplier_lengths(&self) -> Vec<u64> {
        let product = |group: &Vec<usize>| group.iter().map(|&at| self.reduction.multipliers[at]).product();
        self.reduction.groups.iter().map(product).collect()
    }

    /// `max s_k`, twice that with folding; then it is exact only if folding a length over 2 reaches it, or the
    /// offsets do (errata B2).
    fn dilation(&self, pair: &Pair) -> PromisedDilation {
        let most = self.doubling() * self.components.iter().copied().max().unwrap_or(1);
        let doubled = |length: u64| if self.folds && length > 2 { 2 } else { 1 };
        let along =
            self.multiplicands.iter().enumerate().map(|(position, &length)| {
                doubled(length) * self.components.get(position).copied().unwrap_or(1)
            });
        let reached = along.max().unwrap_or(1).max(self.offset_links());
        PromisedDilation::new(most, reached == most && pair.is_pure())
    }

    /// The multiplicand dimensions in one subset, the multiplier dimensions in another (theorem 4.5.3; errata
    /// A1 for the phases, C2 for `s_k = 1` beyond `b`).
    fn routing(&self) -> Routing {
        let (nodes, offset) = (self.multiplicands.len(), self.offset_links());
        let most = self.doubling() * self.components.iter().copied().max().unwrap_or(1);
        let plain = (nodes - self.components.len()) as u64;
        let sum = self.doubling() * (self.components.iter().sum::<u64>() + plain);
        let mut vector = vec![2; self.reduction.guest_order.len()];
        for &dimension in &self.reduction.guest_order[..nodes] {
            vector[dimension] = 1;
        }
        Routing {
            vector,
            space: RoutingSpace::Guest,
            subsets: vec![
                RoutingSubset { number: 1, phase_length: None, steps: PromisedSteps::along(most, sum) },
                RoutingSubset {
                    number: 2,
                    phase_length: (offset == 2).then_some(1),
                    steps: PromisedSteps::uniform(offset, nodes),
                },
            ],
            source: RoutingSource::Dissertation,
        }
    }

    fn doubling(&self) -> u64 {
        if self.folds { 2 } else { 1 }
    }

    /// The dilation inside a supernode.
    fn offset_links(&self) -> u64 {
        if self.sequence == Sequence::G { 2 } else { 1 }
    }
}

/// The order that undoes an order.
fn inverse(order: &[usize]) -> Vec<usize> {
    let mut inverse = vec![0; order.len()];
    for (position, &at) in order.iter().enumerate() {
        inverse[at] = position;
    }
    inverse
}
