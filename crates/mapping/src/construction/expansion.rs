//! Rising dimension: the functions `F_V`, `G_V` and `H_V`, and theorem 3.4.1.

use super::error::UnmetCondition;
use super::factor::Factor;
use super::factor_search::{evenness, partition};
use super::graph_type::{GraphType, Pair};
use super::permutation::rearrangement;
use super::plan::{Parameter, Plan};
use super::promise::{PromisedDilation, PromisedSteps, Routing};
use super::sequence::Sequence;
use super::step::Step;

/// `F_V`, `G_V` or `H_V`: coordinate `i` becomes the list that stands at its position in the sequence over `V_i`
/// (Tao 1988, definition 3.4.2).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Expansion {
    sequence: Sequence,
    factor: Factor,
}

impl Expansion {
    pub(super) fn new(sequence: Sequence, factor: Factor) -> Self {
        Self { sequence, factor }
    }

    /// The expansion factor `V`.
    pub(super) fn factor(&self) -> &Factor {
        &self.factor
    }

    pub(super) fn write_image(&self, from: &[u32], image: &mut [u32]) {
        for ((range, list), &coordinate) in self.factor.lists().iter().zip(from) {
            self.sequence.write_element(list, coordinate, &mut image[range.clone()]);
        }
    }

    pub(super) fn write_origin(&self, image: &[u32], origin: &mut [u32]) {
        for ((range, list), slot) in self.factor.lists().iter().zip(origin) {
            *slot = self.sequence.position(list, &image[range.clone()]);
        }
    }
}

/// `pi o F_V`, `pi o H_V` or `pi o G_V` (theorem 3.4.1).
pub(super) fn plan(sequence: Sequence, pair: &Pair) -> Result<Plan, UnmetCondition> {
    let (guest, host) = (pair.guest_dimensions(), pair.host_dimensions());
    if guest >= host {
        return Err(UnmetCondition::ExpansionDimensions { guest, host });
    }
    match (sequence, pair.guest, pair.host) {
        (Sequence::F, GraphType::Torus, _) => Err(UnmetCondition::GuestMesh),
        (Sequence::F, GraphType::Mesh, _) => by_factor(sequence, pair, "theorem 3.4.1(a)"),
        (Sequence::H, _, GraphType::Torus) => by_factor(sequence, pair, "theorem 3.4.1(b)"),
        (Sequence::H, _, GraphType::Mesh) => by_even_factor(pair),
        (Sequence::G, _, _) => by_factor(sequence, pair, "theorem 3.4.1(c)"),
    }
}

/// With any factor.
pub(super) fn by_factor(
    sequence: Sequence,
    pair: &Pair,
    theorem: &'static str,
) -> Result<Plan, UnmetCondition> {
    let factor =
        any_factor(&pair.guest_lengths, &pair.host_lengths).ok_or(UnmetCondition::ExpansionFactor)?;
    Ok(with_factor(sequence, factor, pair, theorem))
}

/// With a factor whose lists are (2), or of two lengths or more, an even one first (errata C4).
fn by_even_factor(pair: &Pair) -> Result<Plan, UnmetCondition> {
    match even_first_factor(&pair.guest_lengths, &pair.host_lengths) {
        Some(factor) => Ok(with_factor(Sequence::H, factor, pair, "theorem 3.4.1(c)")),
        None if any_factor(&pair.guest_lengths, &pair.host_lengths).is_some() => {
            Err(UnmetCondition::EvenExpansionFactor)
        }
        None => Err(UnmetCondition::ExpansionFactor),
    }
}

/// The first expansion factor of one list of lengths into another, components in the order of the host's.
pub(super) fn any_factor(guest: &[u64], host: &[u64]) -> Option<Factor> {
    let groups = partition(guest, host, &|_, _| true)?;
    Some(Factor::of_groups(&groups, host))
}

/// The first one of lists that are (2) or, of two components or more, have an even one, put first.
pub(super) fn even_first_factor(guest: &[u64], host: &[u64]) -> Option<Factor> {
    let mut groups = partition(guest, host, &|_, list| evenness::can_be_first(list))?;
    for group in &mut groups {
        evenness::put_first(group, host);
    }
    Some(Factor::of_groups(&groups, host))
}

fn with_factor(sequence: Sequence, factor: Factor, pair: &Pair, theorem: &'static str) -> Plan {
    let links = if sequence == Sequence::G { 2 } else { 1 };
    let permutation = rearrangement(&factor.lengths(), &pair.host_lengths);
    let phase_length = (links == 2).then_some(1);
    let steps = PromisedSteps::uniform(links, pair.host_dimensions());
    Plan {
        theorem,
        formula: format!("pi o {}_V", sequence.letter().to_ascii_uppercase()),
        parameters: vec![Parameter::new("V", &factor), Parameter::list("pi", &permutation.numbers())],
        contraction: None,
        steps: vec![Step::Expansion(Expansion::new(sequence, factor)), Step::Permutation(permutation)],
        dilation: PromisedDilation::new(links, pair.is_exactly(GraphType::Torus, GraphType::Mesh)),
        routing: Routing::together(pair.guest_dimensions(), phase_length, steps),
    }
}
