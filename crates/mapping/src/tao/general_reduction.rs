//! Guests of more dimensions than the host, `c < d < 2c`, by supernodes (theorem 3.4.4): the functions `F'_S`, `H'_S`,
//! `G'_S`, `H''_S` and `G''_S`, and the search for their lists.

use std::collections::BTreeSet;

use super::bijection::{Bijection, Composition, Fold, Permutation, Supernodes};
use super::descriptor::{ConstructionDescriptor, ConstructionKind, Sizes};
use super::error::UnmetCondition;
use super::factor::{
    Factor, FreePositions, can_be_even_first, least_feasible, over_one, partition, put_even_first, sorted,
};
use super::pair::{GraphType, ShapePair};
use super::plan::{Parameter, Plan, Planned};
use super::promise::{PromisedDilation, PromisedSteps, Routing, RoutingSource, RoutingSpace, RoutingSubset};
use super::sequence::Sequence;
use super::simple_reduction::ratios;

pub(super) static GENERAL_REDUCTION: ConstructionDescriptor = ConstructionDescriptor {
    kind: ConstructionKind::GeneralReduction,
    name: "general-reduction",
    summary: "a grid of supernodes, the other guest dimensions expanded inside each",
    source: "Tao 1988, theorem 3.4.4",
    guest: "any, c < d < 2c",
    host: "guest lengths multiplied by factors of the others",
    dilation: "the largest of those factors; twice that for a torus into a mesh",
    sizes: Sizes::Equal,
    plan,
};

/// `beta o E o alpha`, `E` one of `F'_S`, `H'_S`, `G'_S`, `H''_S`, `G''_S` (theorem 3.4.4).
fn plan(pair: &ShapePair) -> Planned {
    let (guest, host) = (pair.guest_dimensions(), pair.host_dimensions());
    if !(host < guest && guest < 2 * host) {
        return Err(UnmetCondition::GeneralReductionDimensions { guest, host }.into());
    }
    let is_torus = pair.guest == GraphType::Torus;
    match search(&pair.guest_lengths, &pair.host_lengths, is_torus) {
        SearchOutcome::Found(reduction) => Ok(Case::of(pair, reduction).plan(pair)),
        SearchOutcome::Nothing => Err(UnmetCondition::GeneralReductionFactor.into()),
        SearchOutcome::LimitReached => {
            Err(UnmetCondition::GeneralReductionSearch { states: MAX_STATES }.into())
        }
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
    fn of(pair: &ShapePair, reduction: GeneralReduction) -> Self {
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

    fn plan(self, pair: &ShapePair) -> Plan {
        let factor = Factor::of_groups(&self.reduction.groups, &self.reduction.multipliers);
        let alpha = Permutation::new(self.reduction.guest_order.clone());
        let beta = Permutation::new(inverse(&self.reduction.host_order));
        let fold = self.folds.then(|| Fold::new(&self.multiplicands));
        let multipliers = self.multiplier_lengths();
        let marks = if self.folds { "''" } else { "'" };
        Plan {
            theorem: self.theorem,
            formula: format!("beta o {}{marks}_S o alpha", self.sequence.capital()),
            parameters: vec![
                Parameter::new("S", &factor),
                Parameter::list("Lprime", &self.multiplicands),
                Parameter::list("Ldouble", &multipliers),
                Parameter::new("alpha", &alpha),
                Parameter::new("beta", &beta),
            ],
            dilation: self.dilation(pair),
            routing: Some(self.routing()),
            resizing: None,
            composition: Composition::new(vec![
                Bijection::Permutation(alpha),
                Bijection::Supernodes(Supernodes::new(self.multiplicands.len(), self.sequence, factor, fold)),
                Bijection::Permutation(beta),
            ]),
        }
    }

    /// `L''`: the products of the lists of `S`.
    fn multiplier_lengths(&self) -> Vec<u64> {
        let product = |group: &Vec<usize>| group.iter().map(|&at| self.reduction.multipliers[at]).product();
        self.reduction.groups.iter().map(product).collect()
    }

    /// `max s_k`, twice that with folding, which is exact only if folding a length over 2 reaches it, or the
    /// offsets do (errata B2).
    fn dilation(&self, pair: &ShapePair) -> PromisedDilation {
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

fn inverse(order: &[usize]) -> Vec<usize> {
    let mut inverse = vec![0; order.len()];
    for (position, &at) in order.iter().enumerate() {
        inverse[at] = position;
    }
    inverse
}

/// The limit of partial choices of one search.
const MAX_STATES: usize = 1 << 17;

/// Multiplicand and multiplier sublists with a reduction factor, as positions.
#[derive(Debug, Clone, PartialEq, Eq)]
struct GeneralReduction {
    /// The guest dimensions of the multiplicand sublist, then those of the multiplier sublist: `alpha`.
    guest_order: Vec<usize>,
    /// The host dimension made of each multiplicand, those with a component of `S` first.
    host_order: Vec<usize>,
    /// `S`: for each multiplier the components, as host dimensions.
    groups: Vec<Vec<usize>>,
    /// The component at each host dimension, 1 where there is none.
    multipliers: Vec<u64>,
    /// Whether every list of `S` is (2) or, of two components or more, starts with an even one.
    even_first: bool,
}

enum SearchOutcome {
    Found(GeneralReduction),
    Nothing,
    LimitReached,
}

/// A general reduction with the least largest component; among those, if `prefer_even`, one of even-first lists
/// (errata C4) if there is any.
///
/// Every host dimension in turn gets a guest length that divides it, equal lengths not distinguished; the
/// quotients over 1 must group into the remaining guest lengths. Partial choices that cannot be
/// continued are remembered by their remaining lengths and quotients, and after [`MAX_STATES`] of them the
/// search stops: a reduction with a larger component, or none, is then returned.
fn search(guest: &[u64], host: &[u64], prefer_even: bool) -> SearchOutcome {
    let mut states = 0;
    let mut under = |most, even_first| {
        let mut search = ReductionSearch {
            guest,
            host,
            most,
            even_first,
            states,
            exhausted: BTreeSet::new(),
            chosen: vec![],
        };
        let found = search.complete(&mut guest.to_vec(), &mut vec![]);
        states = search.states;
        found.map(|groups| search.reduction(groups))
    };
    let Some(found) = least_feasible(ratios(guest, host), |most| under(most, false)) else {
        return if states < MAX_STATES { SearchOutcome::Nothing } else { SearchOutcome::LimitReached };
    };
    let least = found.multipliers.iter().copied().max().unwrap_or(1);
    let even = if prefer_even { under(least, true) } else { None };
    SearchOutcome::Found(even.unwrap_or(found))
}

/// A search for a general reduction, choice by choice.
struct ReductionSearch<'a> {
    guest: &'a [u64],
    host: &'a [u64],
    most: u64, // the largest component allowed
    even_first: bool,
    states: usize, // partial choices seen so far, by this search and earlier ones
    exhausted: BTreeSet<(Vec<u64>, Vec<u64>)>, // guest lengths left and quotients, both sorted
    chosen: Vec<u64>, // the multiplicand of each host dimension so far
}

/// The lengths of the multiplier sublist with the positions of the groups among the quotients over 1.
type Groups = (Vec<u64>, Vec<Vec<usize>>);

impl ReductionSearch<'_> {
    /// Assigns a multiplicand to every host dimension that has none yet, in order.
    fn complete(&mut self, left: &mut Vec<u64>, quotients: &mut Vec<u64>) -> Option<Groups> {
        let Some(&whole) = self.host.get(self.chosen.len()) else { return self.groups(left, quotients) };
        let key = (sorted(left.iter().copied()), sorted(over_one(quotients)));
        if self.states >= MAX_STATES || self.exhausted.contains(&key) {
            return None;
        }
        self.states += 1;
        let mut tried = vec![];
        for at in 0..left.len() {
            let length = left[at];
            if tried.contains(&length) || !whole.is_multiple_of(length) || whole / length > self.most {
                continue;
            }
            tried.push(length);
            left.remove(at);
            self.chosen.push(length);
            quotients.push(whole / length);
            if let Some(found) = self.complete(left, quotients) {
                return Some(found);
            }
            quotients.pop();
            self.chosen.pop();
            left.insert(at, length);
        }
        self.exhausted.insert(key);
        None
    }

    /// Groups the quotients over 1 into the multipliers, which must be fewer than the quotients, so that some dimension
    /// is really expanded (errata C1).
    fn groups(&self, multipliers: &[u64], quotients: &[u64]) -> Option<Groups> {
        let components: Vec<u64> = over_one(quotients).collect();
        if components.len() <= multipliers.len() {
            return None;
        }
        let accepts = |_, list: &[u64]| !self.even_first || can_be_even_first(list);
        let groups = partition(multipliers, &components, &accepts)?;
        Some((multipliers.to_vec(), groups))
    }

    /// The complete choice as positions.
    fn reduction(&self, (multipliers, groups): Groups) -> GeneralReduction {
        let quotients: Vec<u64> =
            self.host.iter().zip(&self.chosen).map(|(whole, part)| whole / part).collect();
        let expanded: Vec<usize> = (0..self.host.len()).filter(|&at| quotients[at] > 1).collect();
        let on_host = |group: Vec<usize>| group.into_iter().map(|at| expanded[at]).collect();
        let mut groups: Vec<Vec<usize>> = groups.into_iter().map(on_host).collect();
        if self.even_first {
            for group in &mut groups {
                put_even_first(group, |&at| quotients[at]);
            }
        }
        let plain = (0..self.host.len()).filter(|&at| quotients[at] == 1);
        let host_order: Vec<usize> = groups.iter().flatten().copied().chain(plain).collect();
        let wanted = host_order.iter().map(|&at| self.chosen[at]).chain(multipliers);
        GeneralReduction {
            guest_order: positions(self.guest, wanted),
            host_order,
            groups,
            multipliers: quotients,
            even_first: self.even_first,
        }
    }
}

/// The position of each wanted length, equal ones in order.
fn positions(lengths: &[u64], wanted: impl Iterator<Item = u64>) -> Vec<usize> {
    let mut free = FreePositions::new(lengths.len());
    wanted.filter_map(|length| free.take(|at| lengths[at] == length)).collect()
}
