//! Guests larger than their hosts: the general scheme of 5.3 and its special cases of unit dilation.

use super::basic;
use super::choice;
use super::contraction::{Contraction, Flat};
use super::error::UnmetCondition;
use super::expansion;
use super::free_positions::FreePositions;
use super::graph_type::{GraphType, Pair};
use super::length::Length;
use super::plan::{Parameter, Plan};
use super::promise::{PromisedDilation, PromisedSteps, Routing};
use super::sequence::Sequence;
use super::square::root;

type Planned = Result<Plan, Vec<UnmetCondition>>;

/// `E o mu`: all lengths divided by `kappa`, then the best embedding `E` there is.
pub(super) fn general(pair: &Pair) -> Planned {
    let (kappa, lengths) = divided(pair, 1).ok_or_else(|| vec![UnmetCondition::Kappa])?;
    let inner = contracted(pair, lengths, pair.guest_rings.clone());
    let (_, plan) = choice::best(&inner)?;
    let formula = format!("({}) o mu", plan.formula);
    Ok(finish(all_kept(pair, Flat::AsIs, kappa), Plan { formula, ..plan }))
}

/// `f_L o mu o nu`: a ring of `2 kappa` times the number of nodes.
pub(super) fn ring_fold(pair: &Pair) -> Planned {
    let unmet = || vec![UnmetCondition::RingFold];
    if pair.guest_dimensions() != 1 {
        return Err(unmet());
    }
    let (kappa, lengths) = divided(pair, 2).ok_or_else(unmet)?;
    let inner = contracted(pair, lengths, vec![false]);
    let plan = basic::plan(Sequence::F, &inner).map_err(|condition| vec![condition])?;
    let formula = format!("{} o mu o nu", plan.formula);
    Ok(finish(all_kept(pair, Flat::Folded, kappa), Plan { formula, ..plan }))
}

/// `pi o F_V o mu o nubar`: every length `2 kappa` times that of a mesh whose shape expands to the host's, or is
/// the host's up to order.
pub(super) fn torus_fold(pair: &Pair) -> Planned {
    let unmet = || vec![UnmetCondition::TorusFold];
    if pair.guest_dimensions() == 1 || pair.guest_dimensions() > pair.host_dimensions() {
        return Err(unmet());
    }
    let (kappa, lengths) = divided(pair, 2).ok_or_else(unmet)?;
    let inner = contracted(pair, lengths, vec![false; pair.guest_dimensions()]);
    let plan = expansion::by_factor(Sequence::F, &inner, "").map_err(|_| unmet())?;
    let formula = format!("{} o mu o nubar", plan.formula);
    Ok(finish(all_kept(pair, Flat::Folded, kappa), Plan { formula, ..plan }))
}

/// `mu o xi` between graphs of one type or from a mesh, and `mu o nubar o xi` from a torus.
pub(super) fn projection(flat: Flat, pair: &Pair) -> Planned {
    let (folds, unmet, formula) = match flat {
        Flat::AsIs => (1, UnmetCondition::Projection, "mu o xi"),
        Flat::Folded => (2, UnmetCondition::FoldedProjection, "mu o nubar o xi"),
    };
    if flat == Flat::AsIs && pair.guest == GraphType::Torus && pair.host == GraphType::Mesh {
        return Err(vec![UnmetCondition::ProjectionTypes]);
    }
    let (kappa, kept) = kept_dimensions(pair, folds).ok_or_else(|| vec![unmet])?;
    let left_out = (0..pair.guest_dimensions()).filter(|dimension| !kept.contains(dimension));
    let order: Vec<usize> = kept.iter().copied().chain(left_out).map(|dimension| dimension + 1).collect();
    let steps = PromisedSteps::uniform(1, pair.host_dimensions());
    let plan = Plan {
        theorem: "section 5.3",
        formula: formula.to_owned(),
        parameters: vec![Parameter::list("pi", &order)],
        contraction: None,
        steps: vec![],
        dilation: PromisedDilation::new(1, true),
        routing: Routing::together(pair.guest_dimensions(), None, steps),
    };
    let lengths = pair.guest_lengths.clone();
    Ok(finish(Contraction { lengths, kept, flat, kappa: Length::new(kappa) }, plan))
}

/// The contraction before what follows it, and `kappa` before the other parameters.
fn finish(contraction: Contraction, plan: Plan) -> Plan {
    let mut parameters = vec![Parameter::new("kappa", &contraction.kappa.get())];
    parameters.extend(plan.parameters);
    Plan { theorem: "section 5.3", parameters, contraction: Some(contraction), ..plan }
}

fn all_kept(pair: &Pair, flat: Flat, kappa: u64) -> Contraction {
    let kept = (0..pair.guest_dimensions()).collect();
    Contraction { lengths: pair.guest_lengths.clone(), kept, flat, kappa: Length::new(kappa) }
}

/// The `kappa` with `(folds kappa)^d` processes a node, and the guest lengths divided by `folds kappa`; none
/// unless those are whole and at least 2.
fn divided(pair: &Pair, folds: u64) -> Option<(u64, Vec<u64>)> {
    let divisor = root(pair.processes() / pair.nodes(), pair.guest_dimensions())?;
    let divides =
        |length: &u64| (length.is_multiple_of(divisor) && *length > divisor).then(|| length / divisor);
    let lengths = pair.guest_lengths.iter().map(divides).collect::<Option<Vec<_>>>()?;
    divisor.is_multiple_of(folds).then_some((divisor / folds, lengths))
}

/// The contracted guest on the same host.
fn contracted(pair: &Pair, lengths: Vec<u64>, mut rings: Vec<bool>) -> Pair {
    for (ring, &length) in rings.iter_mut().zip(&lengths) {
        *ring &= length > 2;
    }
    Pair::of_lengths(lengths, rings, pair.host_lengths.clone(), pair.host_rings.clone())
}

/// The least `kappa` for which every host length, times `folds kappa`, is the length of a guest dimension of its
/// own, with those dimensions: of equal lengths the first.
fn kept_dimensions(pair: &Pair, folds: u64) -> Option<(u64, Vec<usize>)> {
    if pair.guest_dimensions() <= pair.host_dimensions() {
        return None;
    }
    let unit = folds * pair.host_lengths[0];
    let divisible = pair.guest_lengths.iter().filter(|length| length.is_multiple_of(unit));
    let mut kappas: Vec<u64> = divisible.map(|length| length / unit).collect();
    kappas.sort_unstable();
    kappas.into_iter().find_map(|kappa| {
        let mut free = FreePositions::new(pair.guest_dimensions());
        let mut keep = |host| free.take(|at| pair.guest_lengths[at] == folds * kappa * host);
        let kept = pair.host_lengths.iter().map(|&host| keep(host)).collect::<Option<Vec<_>>>()?;
        Some((kappa, kept))
    })
}
