//! Guests and hosts of the same lengths up to order (lemma 3.4.1), by the functions `pi` and `T_L`.

use super::bijection::{Bijection, Composition, Fold, Permutation};
use super::descriptor::{ConstructionDescriptor, ConstructionKind, Sizes};
use super::error::UnmetCondition;
use super::factor::FreePositions;
use super::pair::ShapePair;
use super::plan::{Parameter, Plan, Planned};
use super::promise::{PromisedDilation, Routing};

pub(super) static SAME_SHAPE: ConstructionDescriptor = ConstructionDescriptor {
    kind: ConstructionKind::SameShape,
    name: "same-shape",
    summary: "dimensions permuted, rings folded where the host's dimension does not wrap",
    source: "Tao 1988, lemma 3.4.1",
    guest: "any",
    host: "the same lengths in any order",
    dilation: "1; 2 for a torus into a mesh",
    sizes: Sizes::Equal,
    plan,
};

/// A permutation, after folding the guest dimensions that wrap where the host's do not (lemma 3.4.1).
///
/// A torus into a mesh is folded in every dimension, as the lemma says; a cylinder only where it must be.
fn plan(pair: &ShapePair) -> Planned {
    let permutation = matching(pair).ok_or(UnmetCondition::SameLengths)?;
    let folded = folded_lengths(pair, &permutation);
    let folds = folded.iter().any(Option::is_some);
    let links = if folds { 2 } else { 1 };
    let mut functions = vec![Bijection::Permutation(permutation.clone())];
    if folds {
        functions.insert(0, Bijection::Fold(Fold { lengths: folded }));
    }
    Ok(Plan {
        theorem: "lemma 3.4.1",
        formula: if folds { "pi o T_L" } else { "pi" }.to_owned(),
        parameters: vec![Parameter::new("pi", &permutation)],
        resizing: None,
        composition: Composition::new(functions),
        dilation: PromisedDilation::new(links, true),
        routing: Some(Routing::for_dilation(links, pair.guest_dimensions(), pair.host_dimensions())),
    })
}

/// Host dimensions in order take the first remaining guest dimension of their length, one with the same wrap
/// before one with the other.
fn matching(pair: &ShapePair) -> Option<Permutation> {
    if pair.guest_dimensions() != pair.host_dimensions() {
        return None;
    }
    let mut free = FreePositions::new(pair.guest_dimensions());
    let mut take = |length: u64, ring: Option<bool>| {
        free.take(|at| {
            pair.guest_lengths[at] == length && ring.is_none_or(|ring| pair.guest_rings[at] == ring)
        })
    };
    let mut order = vec![];
    for (&length, &ring) in pair.host_lengths.iter().zip(&pair.host_rings) {
        order.push(take(length, Some(ring)));
    }
    for (slot, &length) in order.iter_mut().zip(&pair.host_lengths) {
        *slot = slot.or_else(|| take(length, None));
    }
    order.into_iter().collect::<Option<Vec<_>>>().map(Permutation::new)
}

/// The length of each guest dimension that must be folded, `None` for the others.
fn folded_lengths(pair: &ShapePair, permutation: &Permutation) -> Vec<Option<u64>> {
    let mut folded = vec![None; pair.guest_dimensions()];
    for (host, from) in permutation.numbers().into_iter().enumerate() {
        let guest = from - 1;
        if pair.guest_rings[guest] && !pair.host_rings[host] {
            folded[guest] = Some(pair.guest_lengths[guest]);
        }
    }
    folded
}
