//! Contractions (Tao 1988, chapter 5): the theorems, over the one-to-one constructions.

use cubefold_topology::Length;

use super::bijection::Composition;
use super::contraction::{Contraction, DimensionFold};
use super::descriptor::{ConstructionDescriptor, ConstructionKind, Sizes};
use super::error::UnmetCondition;
use super::expansion::{by_factor, plan_basic};
use super::factor::FreePositions;
use super::one_to_one::{ONE_TO_ONE, best_of};
use super::pair::{GraphType, ShapePair};
use super::plan::{Parameter, Plan, Planned};
use super::promise::{PromisedDilation, Routing};
use super::resizing::Resizing;
use super::sequence::Sequence;
use super::square::root;

/// The contractions, in the order of preference.
pub(super) static CONTRACTIONS: [&ConstructionDescriptor; 5] =
    [&CONTRACTION, &RING_FOLD, &TORUS_FOLD, &PROJECTION, &FOLDED_PROJECTION];

static CONTRACTION: ConstructionDescriptor = ConstructionDescriptor {
    kind: ConstructionKind::Contraction,
    name: "contraction",
    summary: "kappa successive coordinates together in every dimension, then the best one-to-one construction",
    source: "Tao 1988, 5.3",
    guest: "lengths that one kappa divides, leaving at least 2",
    host: "one with a construction for what is left",
    dilation: "that of the construction after it",
    sizes: Sizes::Multiple,
    plan: general,
};

static RING_FOLD: ConstructionDescriptor = ConstructionDescriptor {
    kind: ConstructionKind::RingFold,
    name: "ring-fold",
    summary: "a ring folded flat, then f_L",
    source: "Tao 1988, 5.3",
    guest: "a ring of 2 kappa times the number of nodes",
    host: "any",
    dilation: "1",
    sizes: Sizes::Multiple,
    plan: ring_fold,
};

static TORUS_FOLD: ConstructionDescriptor = ConstructionDescriptor {
    kind: ConstructionKind::TorusFold,
    name: "torus-fold",
    summary: "every dimension folded flat, then an expansion by f",
    source: "Tao 1988, 5.3",
    guest: "a torus of lengths 2 kappa times a shape that expands to the host's",
    host: "any",
    dilation: "1",
    sizes: Sizes::Multiple,
    plan: torus_fold,
};

static PROJECTION: ConstructionDescriptor = ConstructionDescriptor {
    kind: ConstructionKind::Projection,
    name: "projection",
    summary: "guest dimensions left out",
    source: "Tao 1988, 5.3",
    guest: "lengths of c dimensions are kappa times the host's; no torus into a mesh",
    host: "fewer dimensions than the guest",
    dilation: "1",
    sizes: Sizes::Multiple,
    plan: |pair| projection(DimensionFold::Unfolded, pair),
};

static FOLDED_PROJECTION: ConstructionDescriptor = ConstructionDescriptor {
    kind: ConstructionKind::FoldedProjection,
    name: "folded-projection",
    summary: "guest dimensions left out and the others folded flat",
    source: "Tao 1988, 5.3",
    guest: "lengths of c dimensions are 2 kappa times the host's",
    host: "fewer dimensions than the guest",
    dilation: "1",
    sizes: Sizes::Multiple,
    plan: |pair| projection(DimensionFold::Folded, pair),
};

/// `E o mu`: all lengths divided by `kappa`, then the best embedding `E` there is.
fn general(pair: &ShapePair) -> Planned {
    let (kappa, lengths) = divided(pair, 1).ok_or(UnmetCondition::Kappa)?;
    let inner = contracted(pair, lengths, pair.guest_rings.clone());
    let (_, plan) = best_of(&ONE_TO_ONE, &inner)?;
    let formula = format!("({}) o mu", plan.formula);
    Ok(finish(all_kept(pair, DimensionFold::Unfolded, kappa), Plan { formula, ..plan }))
}

/// `f_L o mu o nu`: a ring of `2 kappa` times the number of nodes.
fn ring_fold(pair: &ShapePair) -> Planned {
    let unmet = || vec![UnmetCondition::RingFold];
    if pair.guest_dimensions() != 1 {
        return Err(unmet());
    }
    let (kappa, lengths) = divided(pair, 2).ok_or_else(unmet)?;
    let inner = contracted(pair, lengths, vec![false]);
    let plan = plan_basic(Sequence::F, &inner)?;
    let formula = format!("{} o mu o nu", plan.formula);
    Ok(finish(all_kept(pair, DimensionFold::Folded, kappa), Plan { formula, ..plan }))
}

/// `pi o F_V o mu o nubar`: every length `2 kappa` times that of a mesh whose shape expands to the host's, or is
/// the host's up to order.
fn torus_fold(pair: &ShapePair) -> Planned {
    let unmet = || vec![UnmetCondition::TorusFold];
    if pair.guest_dimensions() == 1 || pair.guest_dimensions() > pair.host_dimensions() {
        return Err(unmet());
    }
    let (kappa, lengths) = divided(pair, 2).ok_or_else(unmet)?;
    let inner = contracted(pair, lengths, vec![false; pair.guest_dimensions()]);
    let plan = by_factor(Sequence::F, &inner, "").map_err(|_| unmet())?;
    let formula = format!("{} o mu o nubar", plan.formula);
    Ok(finish(all_kept(pair, DimensionFold::Folded, kappa), Plan { formula, ..plan }))
}

/// `mu o xi` between graphs of one type or from a mesh, and `mu o nubar o xi` from a torus.
fn projection(folding: DimensionFold, pair: &ShapePair) -> Planned {
    let (folds, unmet, formula) = match folding {
        DimensionFold::Unfolded => (1, UnmetCondition::Projection, "mu o xi"),
        DimensionFold::Folded => (2, UnmetCondition::FoldedProjection, "mu o nubar o xi"),
    };
    if folding == DimensionFold::Unfolded && pair.guest == GraphType::Torus && pair.host == GraphType::Mesh {
        return Err(vec![UnmetCondition::ProjectionTypes]);
    }
    let (kappa, kept) = kept_dimensions(pair, folds).ok_or_else(|| vec![unmet])?;
    let left_out = (0..pair.guest_dimensions()).filter(|dimension| !kept.contains(dimension));
    let order: Vec<usize> = kept.iter().copied().chain(left_out).map(|dimension| dimension + 1).collect();
    let plan = Plan {
        theorem: "section 5.3",
        formula: formula.to_owned(),
        parameters: vec![Parameter::list("pi", &order)],
        resizing: None,
        composition: Composition::new(vec![]),
        dilation: PromisedDilation::new(1, true),
        routing: Some(Routing::for_dilation(1, pair.guest_dimensions(), pair.host_dimensions())),
    };
    let lengths = pair.guest_lengths.clone();
    Ok(finish(Contraction { lengths, kept, folding, kappa: Length::new(kappa) }, plan))
}

/// The plan with `contraction` applied first and `kappa` before the other parameters.
fn finish(contraction: Contraction, plan: Plan) -> Plan {
    let mut parameters = vec![Parameter::new("kappa", &contraction.kappa.get())];
    parameters.extend(plan.parameters);
    Plan { theorem: "section 5.3", parameters, resizing: Some(Resizing::Contraction(contraction)), ..plan }
}

/// The contraction that keeps all dimensions in order.
fn all_kept(pair: &ShapePair, folding: DimensionFold, kappa: u64) -> Contraction {
    let kept = (0..pair.guest_dimensions()).collect();
    Contraction { lengths: pair.guest_lengths.clone(), kept, folding, kappa: Length::new(kappa) }
}

/// The `kappa` with `(folds kappa)^d` processes per node, and the guest lengths divided by `folds kappa`; `None`
/// unless those are whole and at least 2.
fn divided(pair: &ShapePair, folds: u64) -> Option<(u64, Vec<u64>)> {
    let divisor = root(pair.processes() / pair.nodes(), pair.guest_dimensions())?;
    let divides =
        |length: &u64| (length.is_multiple_of(divisor) && *length > divisor).then(|| length / divisor);
    let lengths = pair.guest_lengths.iter().map(divides).collect::<Option<Vec<_>>>()?;
    divisor.is_multiple_of(folds).then_some((divisor / folds, lengths))
}

/// The contracted guest on the same host.
fn contracted(pair: &ShapePair, lengths: Vec<u64>, mut rings: Vec<bool>) -> ShapePair {
    for (ring, &length) in rings.iter_mut().zip(&lengths) {
        *ring &= length > 2;
    }
    ShapePair::of_lengths(lengths, rings, pair.host_lengths.clone(), pair.host_rings.clone())
}

/// The least `kappa` for which every host length, times `folds kappa`, is the length of a separate guest
/// dimension, with those dimensions: of equal lengths the first.
fn kept_dimensions(pair: &ShapePair, folds: u64) -> Option<(u64, Vec<usize>)> {
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
