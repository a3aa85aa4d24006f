//! Guests and hosts of the same lengths up to order: lemma 3.4.1 and the function `T_L`.

use super::error::UnmetCondition;
use super::free_positions::FreePositions;
use super::graph_type::Pair;
use super::permutation::Permutation;
use super::plan::{Parameter, Plan};
use super::promise::{PromisedDilation, PromisedSteps, Routing};
use super::room::Room;
use super::sequence::{fold, unfold};
use super::step::Step;

/// `T_L`: every coordinate folded by `t_(l_i)` (Tao 1988, definition 3.4.3).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fold {
    lengths: Vec<Option<u64>>, // of each coordinate; none where it stays
}

impl Fold {
    /// Folds every coordinate.
    pub(super) fn new(lengths: &[u64]) -> Self {
        Self { lengths: lengths.iter().copied().map(Some).collect() }
    }

    /// The coordinate at `position` folded.
    pub(super) fn at(&self, position: usize, coordinate: u32) -> u32 {
        match self.lengths[position] {
            Some(length) => fold(length, coordinate),
            None => coordinate,
        }
    }

    /// The coordinate at `position` unfolded.
    pub(super) fn undone_at(&self, position: usize, coordinate: u32) -> u32 {
        match self.lengths[position] {
            Some(length) => unfold(length, coordinate),
            None => coordinate,
        }
    }

    pub(super) fn write_image(&self, from: &Room, image: &mut Room) {
        for position in 0..self.lengths.len() {
            image[position] = self.at(position, from[position]);
        }
    }

    pub(super) fn write_origin(&self, image: &Room, origin: &mut Room) {
        for position in 0..self.lengths.len() {
            origin[position] = self.undone_at(position, image[position]);
        }
    }
}

/// A permutation, after folding the guest dimensions that wrap where the host's do not (lemma 3.4.1).
///
/// A torus into a mesh is folded in every dimension, as the lemma says; a cylinder only where it must be.
pub(super) fn plan(pair: &Pair) -> Result<Plan, UnmetCondition> {
    let permutation = matching(pair).ok_or(UnmetCondition::SameLengths)?;
    let folded = folded_lengths(pair, &permutation);
    let folds = folded.iter().any(Option::is_some);
    let links = if folds { 2 } else { 1 };
    let mut steps = vec![Step::Permutation(permutation.clone())];
    if folds {
        steps.insert(0, Step::Fold(Fold { lengths: folded }));
    }
    let phase_length = folds.then_some(1);
    let steps_promised = PromisedSteps::uniform(links, pair.host_dimensions());
    Ok(Plan {
        theorem: "lemma 3.4.1",
        formula: if folds { "pi o T_L" } else { "pi" }.to_owned(),
        parameters: vec![Parameter::list("pi", &permutation.numbers())],
        contraction: None,
        steps,
        dilation: PromisedDilation::new(links, true),
        routing: Routing::together(pair.guest_dimensions(), phase_length, steps_promised),
    })
}

/// Host dimensions in order take the first guest dimension left of their length, one that wraps as they do
/// before one that does not.
fn matching(pair: &Pair) -> Option<Permutation> {
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

/// The length of each guest dimension that must be folded, none for the others.
fn folded_lengths(pair: &Pair, permutation: &Permutation) -> Vec<Option<u64>> {
    let mut folded = vec![None; pair.guest_dimensions()];
    for (host, from) in permutation.numbers().into_iter().enumerate() {
        let guest = from - 1;
        if pair.guest_rings[guest] && !pair.host_rings[host] {
            folded[guest] = Some(pair.guest_lengths[guest]);
        }
    }
    folded
}
