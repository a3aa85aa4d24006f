//! Guests and hosts of the same lengths up to order (lemma 3.4.1), by the functions `pi` and `T_L`.

use std::fmt;

use super::descriptor::{ConstructionDescriptor, ConstructionKind};
use super::error::UnmetCondition;
use super::factor::FreePositions;
use super::pair::ShapePair;
use super::plan::{Bijection, Composition, Parameter, Plan, Planned};
use super::promise::{PromisedDilation, Routing};
use super::radix::CoordinateBuffer;
use super::sequence::{fold, unfold};

pub(super) static SAME_SHAPE: ConstructionDescriptor = ConstructionDescriptor {
    kind: ConstructionKind::SameShape,
    name: "same-shape",
    summary: "dimensions permuted, rings folded where the host's dimension does not wrap",
    source: "Tao 1988, lemma 3.4.1",
    guest: "any",
    host: "the same lengths in any order",
    dilation: "1; 2 for a torus into a mesh",
    is_contraction: false,
    plan,
};

/// A permutation `pi` of dimensions: `pi((i_1, .., i_k)) = (i_pi(1), .., i_pi(k))` (Tao 1988, 3.2).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Permutation {
    order: Vec<usize>, // every number in 0..k once: entry j is pi(j+1) - 1
}

impl Permutation {
    /// The permutation that takes its entry `j` from position `order[j]`, counted from 0.
    pub(super) fn new(order: Vec<usize>) -> Self {
        debug_assert!((0..order.len()).all(|position| order.contains(&position)));
        Self { order }
    }

    /// The permutation that rearranges one list of lengths to another, equal lengths in order; none when
    /// the lists differ by more than order.
    pub(super) fn between(from: &[u64], to: &[u64]) -> Option<Self> {
        let mut free = FreePositions::new(from.len());
        let order: Option<Vec<usize>> = to.iter().map(|&length| free.take(|at| from[at] == length)).collect();
        (from.len() == to.len()).then_some(order?).map(Self::new)
    }

    /// Whether it leaves every list as it is.
    pub(super) fn is_identity(&self) -> bool {
        self.order.iter().enumerate().all(|(position, &from)| position == from)
    }

    /// `pi(1), .., pi(k)`, counted from 1 as in the dissertation.
    pub(super) fn numbers(&self) -> Vec<usize> {
        self.order.iter().map(|position| position + 1).collect()
    }

    /// Writes `pi(list)`.
    pub(super) fn write_image(&self, list: &[u32], image: &mut [u32]) {
        for (&from, slot) in self.order.iter().zip(image) {
            *slot = list[from];
        }
    }

    /// Writes the list whose image this is.
    pub(super) fn write_origin(&self, image: &[u32], list: &mut [u32]) {
        for (&from, &value) in self.order.iter().zip(image) {
            list[from] = value;
        }
    }
}

impl fmt::Display for Permutation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:?}", self.numbers())
    }
}

/// The permutation between two lists that are known to differ by their order only.
#[expect(clippy::expect_used, reason = "a factor found by search has the components that were searched")]
pub(super) fn rearrangement(from: &[u64], to: &[u64]) -> Permutation {
    Permutation::between(from, to).expect("the same lengths in another order")
}

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

    pub(super) fn write_image(&self, from: &CoordinateBuffer, image: &mut CoordinateBuffer) {
        for position in 0..self.lengths.len() {
            image[position] = self.at(position, from[position]);
        }
    }

    pub(super) fn write_origin(&self, image: &CoordinateBuffer, origin: &mut CoordinateBuffer) {
        for position in 0..self.lengths.len() {
            origin[position] = self.undone_at(position, image[position]);
        }
    }
}

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
        contraction: None,
        composition: Composition::new(functions),
        dilation: PromisedDilation::new(links, true),
        routing: Routing::for_dilation(links, pair.guest_dimensions(), pair.host_dimensions()),
    })
}

/// Host dimensions in order take the first guest dimension left of their length, one that wraps as they do
/// before one that does not.
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

/// The length of each guest dimension that must be folded, none for the others.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_lengths_keep_their_order() {
        let between = |from: &[u64], to: &[u64]| Permutation::between(from, to).map(|found| found.numbers());
        assert_eq!(between(&[2, 3, 6, 2], &[6, 3, 2, 2]), Some(vec![3, 2, 1, 4]));
        assert_eq!(between(&[2, 3], &[3, 3]), None);
        assert_eq!(between(&[2, 3], &[3]), None);
    }
}
