//! Guests of more dimensions than the host by a chain of general reductions, each of which eliminates one dimension
//! (Tao 1988, end of 3.4, 4.5.3; `docs/model.md` section 28.2): the functions `F'`, `H'` and `G'`, with a fold from a
//! torus into a mesh.

use super::bijection::{Bijection, Composition, Fold};
use super::descriptor::{ConstructionDescriptor, ConstructionKind, Sizes};
use super::elimination::Elimination;
use super::elimination_chain::{Chain, quotients};
use super::error::UnmetCondition;
use super::factor::put_even_first;
use super::pair::{GraphType, ShapePair};
use super::plan::{Parameter, Plan, Planned};
use super::promise::{PromisedDilation, PromisedSteps, Routing, RoutingSource, RoutingSpace, RoutingSubset};
use super::sequence::Sequence;

pub(super) static SEQUENTIAL_ELIMINATION: ConstructionDescriptor = ConstructionDescriptor {
    kind: ConstructionKind::SequentialElimination,
    name: "sequential-elimination",
    summary: "a chain of general reductions, each of which spreads one guest dimension over the others",
    source: "Tao 1988, 4.5.3, lemmas 4.5.1 and 4.5.2, theorem 4.5.5, corollaries 4.5.7 and 4.5.8",
    guest: "any, d > c",
    host: "each length a multiple of a guest length of its own",
    dilation: "the largest host length over the guest length in it; twice that for a torus into a mesh",
    sizes: Sizes::Equal,
    plan,
};

/// `F'`, `H'`, `G'`, `T_M o H'` or `F' o T_L` over the first chain with the least `rho`; for a torus the first with
/// lists for `H'`, if there is one with that `rho`.
fn plan(pair: &ShapePair) -> Planned {
    let (guest, host) = (pair.guest_dimensions(), pair.host_dimensions());
    if guest <= host {
        return Err(UnmetCondition::SequentialEliminationDimensions { guest, host }.into());
    }
    let chain = Chain::first(&pair.guest_lengths, &pair.host_lengths)
        .ok_or(UnmetCondition::SequentialEliminationFactor)?;
    let elimination = ChosenElimination::of(pair, chain);
    Ok(elimination.plan(pair))
}

/// The form of the function, by the types of guest and host and by the lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Variant {
    /// `F'`, from a mesh.
    Mesh,
    /// `H'`, from a torus into a torus.
    Circuits,
    /// `G'`, the same with lists that do not start even.
    Folds,
    /// `T_M o H'`, from a torus into a mesh.
    FoldedHost,
    /// `F' o T_L`, the same with lists that do not start even.
    FoldedGuest,
}

/// A chain with the variant that it is for.
struct ChosenElimination {
    chain: Chain,
    variant: Variant,
    multipliers: Vec<u64>,                   // P_j
    components: Vec<Vec<(usize, u64, u64)>>, // of each eliminated dimension: j, Q_kj and f_kj, where f_kj > 1
}

impl ChosenElimination {
    fn of(pair: &ShapePair, first: Chain) -> Self {
        let (guest, host) = (&pair.guest_lengths, &pair.host_lengths);
        let most = quotients(guest, host, &first.multiplicands).into_iter().max().unwrap_or(1);
        let even = match pair.guest {
            GraphType::Mesh => None,
            GraphType::Torus => Chain::first_even(guest, host, most),
        };
        let variant = match (pair.guest, pair.host, even.is_some()) {
            (GraphType::Mesh, _, _) => Variant::Mesh,
            (GraphType::Torus, GraphType::Torus, true) => Variant::Circuits,
            (GraphType::Torus, GraphType::Torus, false) => Variant::Folds,
            (GraphType::Torus, GraphType::Mesh, true) => Variant::FoldedHost,
            (GraphType::Torus, GraphType::Mesh, false) => Variant::FoldedGuest,
        };
        let chain = even.unwrap_or(first);
        let multipliers = quotients(guest, host, &chain.multiplicands);
        let components = components(&chain, variant.sequence());
        Self { chain, variant, multipliers, components }
    }

    fn plan(&self, pair: &ShapePair) -> Plan {
        let numbers = |dimensions: &[usize]| dimensions.iter().map(|at| at + 1).collect::<Vec<_>>();
        Plan {
            theorem: self.variant.theorem(),
            formula: self.variant.formula().to_owned(),
            parameters: vec![
                Parameter::list("multiplicands", &numbers(&self.chain.multiplicands)),
                Parameter::list("eliminated", &numbers(&self.chain.eliminated)),
                Parameter::list("factors", &self.chain.vectors),
            ],
            dilation: PromisedDilation::new(self.variant.doubling() * self.rho(), !self.variant.folds()),
            routing: Some(self.routing(pair)),
            resizing: None,
            composition: self.composition(pair),
        }
    }

    /// `max P_j`: a multiplicand is stretched most, as `Q_kj f_kj` is at most `P_j` and a component over 1 at
    /// least 2.
    fn rho(&self) -> u64 {
        self.multipliers.iter().copied().max().unwrap_or(1)
    }

    fn composition(&self, pair: &ShapePair) -> Composition {
        let sequence = self.variant.sequence();
        let mut elimination = Elimination::new(sequence, &self.chain.multiplicands, &self.multipliers);
        for (&dimension, components) in self.chain.eliminated.iter().zip(&self.components) {
            elimination.eliminate(dimension, components);
        }
        let elimination = Bijection::Elimination(elimination);
        Composition::new(match self.variant {
            Variant::Mesh | Variant::Circuits | Variant::Folds => vec![elimination],
            Variant::FoldedHost => vec![elimination, Bijection::Fold(Fold::new(&pair.host_lengths))],
            Variant::FoldedGuest => vec![Bijection::Fold(Fold::new(&pair.guest_lengths)), elimination],
        })
    }

    /// All messages at once where neighbours differ in one host coordinate (theorem 4.5.5, corollaries 4.5.7 and
    /// 4.5.8); else the multiplicands, then each eliminated dimension in phases of `q_k = max Q_kj` (theorem 4.5.6
    /// carried over), for which no steps are promised under modes 2 and 3.
    fn routing(&self, pair: &ShapePair) -> Routing {
        let most = self.variant.doubling() * self.rho();
        let sum = self.variant.doubling() * self.multipliers.iter().sum::<u64>();
        let dimensions = pair.guest_dimensions();
        if !self.variant.is_by_step() {
            return Routing::together(dimensions, None, PromisedSteps::along(most, sum));
        }
        let mut vector = vec![1; dimensions];
        let phase_length = self.variant.folds().then(|| self.rho());
        let mut subsets =
            vec![RoutingSubset { number: 1, phase_length, steps: PromisedSteps::full_duplex_only(most) }];
        for ((number, &dimension), components) in (2..).zip(&self.chain.eliminated).zip(&self.components) {
            let links = components.iter().map(|&(_, weight, _)| weight).max().unwrap_or(1);
            vector[dimension] = number;
            let steps = PromisedSteps::full_duplex_only(2 * links);
            subsets.push(RoutingSubset { number, phase_length: Some(links), steps });
        }
        Routing { vector, space: RoutingSpace::Guest, subsets, source: RoutingSource::Extension }
    }
}

impl Variant {
    fn sequence(self) -> Sequence {
        match self {
            Self::Mesh | Self::FoldedGuest => Sequence::F,
            Self::Circuits | Self::FoldedHost => Sequence::H,
            Self::Folds => Sequence::G,
        }
    }

    fn folds(self) -> bool {
        match self {
            Self::FoldedHost | Self::FoldedGuest => true,
            Self::Mesh | Self::Circuits | Self::Folds => false,
        }
    }

    fn doubling(self) -> u64 {
        if self.folds() { 2 } else { 1 }
    }

    /// Whether an edge may lie along two host dimensions, or be two edges of the chain.
    fn is_by_step(self) -> bool {
        match self {
            Self::Folds | Self::FoldedGuest => true,
            Self::Mesh | Self::Circuits | Self::FoldedHost => false,
        }
    }

    fn formula(self) -> &'static str {
        match self {
            Self::Mesh => "F'",
            Self::Circuits => "H'",
            Self::Folds => "G'",
            Self::FoldedHost => "T_M o H'",
            Self::FoldedGuest => "F' o T_L",
        }
    }

    fn theorem(self) -> &'static str {
        match self {
            Self::Mesh => "theorem 4.5.5",
            Self::Circuits => "corollary 4.5.7",
            Self::FoldedHost => "corollary 4.5.8",
            Self::Folds | Self::FoldedGuest => "section 4.5.3",
        }
    }
}

/// The components over 1 of each eliminated dimension with their host dimensions and weights, by host dimension; for
/// `h` the first even one before the others.
fn components(chain: &Chain, sequence: Sequence) -> Vec<Vec<(usize, u64, u64)>> {
    let weight = |step: usize, host: usize| -> u64 {
        chain.vectors[step + 1..].iter().map(|vector| vector[host]).product()
    };
    let of = |(step, vector): (usize, &Vec<u64>)| {
        let over_one = vector.iter().enumerate().filter(|&(_, &factor)| factor > 1);
        let mut list: Vec<_> = over_one.map(|(host, &factor)| (host, weight(step, host), factor)).collect();
        if sequence == Sequence::H {
            put_even_first(&mut list, |&(_, _, factor)| factor);
        }
        list
    };
    chain.vectors.iter().enumerate().map(of).collect()
}
