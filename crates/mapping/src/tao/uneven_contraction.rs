//! Guests that are not a multiple of the host (`docs/model.md` section 28.9): every coordinate is scaled down, to lengths
//! with as many nodes as the host.
//!
//! Neighbours stay neighbours or coincide, so that the dilation is that of the construction for the smaller lengths.

use cubefold_topology::{Length, MAX_DIMENSIONS, narrow};

use super::contraction::CoordinateSet;
use super::descriptor::{ConstructionDescriptor, ConstructionKind, Sizes};
use super::error::UnmetCondition;
use super::factor::divisors;
use super::one_to_one::{ONE_TO_ONE, Promises, best_of};
use super::pair::ShapePair;
use super::plan::{Parameter, Plan, Planned};
use super::radix::CoordinateBuffer;
use super::resizing::{CoordinateSets, Resizing};

pub(super) static UNEVEN_CONTRACTION: ConstructionDescriptor = ConstructionDescriptor {
    kind: ConstructionKind::UnevenContraction,
    name: "uneven-contraction",
    summary: "every coordinate scaled down, to as many nodes as the host has, then the best one-to-one construction",
    source: "docs/model.md, section 28.9",
    guest: "any with more processes than the host has nodes",
    host: "one with a construction for some lengths up to the guest's",
    dilation: "that of the construction after it",
    sizes: Sizes::More,
    plan,
};

/// `x_i -> floor(x_i k_i / l_i)` for every guest dimension (`docs/model.md` section 28.9).
///
/// Dimensions with `k_i = 1` are left out.
///
/// ```text
/// l = 9, k = 4      0 0 0 1 1 2 2 3 3
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct UnevenContraction {
    sides: Vec<Side>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Side {
    length: Length, // l_i
    parts: Length,  // k_i, at most l_i
}

impl UnevenContraction {
    fn new(lengths: &[u64], shape: &[u64]) -> Self {
        let side = |(&length, &parts)| Side { length: Length::new(length), parts: Length::new(parts) };
        Self { sides: lengths.iter().zip(shape).map(side).collect() }
    }

    pub(super) fn image(&self, from: &CoordinateBuffer) -> CoordinateBuffer {
        let mut image = [0; MAX_DIMENSIONS];
        let scaled = self.sides.iter().zip(from).filter(|(side, _)| side.parts.get() > 1);
        for (slot, (side, &coordinate)) in image.iter_mut().zip(scaled) {
            *slot = narrow(u64::from(coordinate) * side.parts.get() / side.length.get());
        }
        image
    }

    /// The runs of coordinates of a part: from `ceil(y l / k)` on; in omitted dimensions all coordinates.
    pub(super) fn origins(&self, image: &CoordinateBuffer) -> CoordinateSets {
        let mut sets = [CoordinateSet::of(0); MAX_DIMENSIONS];
        let mut parts = image.iter();
        for (set, side) in sets.iter_mut().zip(&self.sides) {
            let part = if side.parts.get() > 1 { parts.next().copied().unwrap_or(0) } else { 0 };
            let first = |part: u64| (part * side.length.get()).div_ceil(side.parts.get());
            let (start, end) = (first(u64::from(part)), first(u64::from(part) + 1));
            *set = CoordinateSet::run(start, end - start);
        }
        sets
    }

    /// The greatest and the least number of processes on a node.
    pub(super) fn loads(&self) -> (u64, u64) {
        let greatest = |side: &Side| side.length.get().div_ceil(side.parts.get());
        let least = |side: &Side| side.length.get() / side.parts.get();
        (self.sides.iter().map(greatest).product(), self.sides.iter().map(least).product())
    }
}

/// The lengths `K` with the least promised dilation; among those with the least greatest load, then the first in
/// lexicographic order.
fn plan(pair: &ShapePair) -> Planned {
    let mut search = ShapeSearch::new(pair);
    search.extend(pair.nodes());
    let Some(shape) = search.best.map(|best| best.shape) else {
        return Err(if search.states < MAX_STATES {
            UnmetCondition::UnevenShape.into()
        } else {
            UnmetCondition::UnevenSearch { states: MAX_STATES }.into()
        });
    };
    let (_, plan) = best_of(&ONE_TO_ONE, &scaled(pair, &shape))?;
    let mut parameters = vec![Parameter::list("K", &shape)];
    parameters.extend(plan.parameters);
    Ok(Plan {
        theorem: "docs/model.md 28.9",
        formula: format!("({}) o floor(x k / l)", plan.formula),
        parameters,
        resizing: Some(Resizing::Uneven(UnevenContraction::new(&pair.guest_lengths, &shape))),
        routing: None,
        ..plan
    })
}

/// The pair of the guest scaled down to a shape, without its lengths of 1, and the host.
fn scaled(pair: &ShapePair, shape: &[u64]) -> ShapePair {
    let kept = || shape.iter().zip(&pair.guest_rings).filter(|&(&parts, _)| parts > 1);
    let lengths = kept().map(|(&parts, _)| parts).collect();
    let rings = kept().map(|(&parts, &ring)| ring && parts > 2).collect();
    ShapePair::of_lengths(lengths, rings, pair.host_lengths.clone(), pair.host_rings.clone())
}

/// The limit of partial choices of one search.
const MAX_STATES: usize = 1 << 17;

/// A search for the lengths, dimension by dimension.
struct ShapeSearch<'a> {
    pair: &'a ShapePair,
    rooms: Vec<u64>, // of each dimension, the product of the guest lengths after it
    states: usize,
    shape: Vec<u64>,
    promises: Promises,
    best: Option<Candidate>,
}

/// Lengths with the values that decide among them.
struct Candidate {
    links: u64,
    load: u64,
    shape: Vec<u64>,
}

impl<'a> ShapeSearch<'a> {
    fn new(pair: &'a ShapePair) -> Self {
        let dimensions = pair.guest_dimensions();
        let room = |dimension: usize| pair.guest_lengths[dimension + 1..].iter().product();
        Self {
            pair,
            rooms: (0..dimensions).map(room).collect(),
            states: 0,
            shape: vec![],
            promises: Promises::default(),
            best: None,
        }
    }

    /// Tries all lengths for the remaining dimensions, with the product `rest`, in ascending order.
    fn extend(&mut self, rest: u64) {
        let dimension = self.shape.len();
        let Some(&length) = self.pair.guest_lengths.get(dimension) else { return self.judge() };
        if self.states >= MAX_STATES {
            return;
        }
        self.states += 1;
        let room = self.rooms[dimension];
        let fitting = divisors(rest).into_iter().filter(|parts| *parts <= length && rest / parts <= room);
        for parts in fitting {
            self.shape.push(parts);
            self.extend(rest / parts);
            self.shape.pop();
        }
    }

    fn judge(&mut self) {
        let load = UnevenContraction::new(&self.pair.guest_lengths, &self.shape).loads().0;
        let Some(links) = self.promises.of(&scaled(self.pair, &self.shape)) else { return };
        if self.best.as_ref().is_none_or(|best| (links, load) < (best.links, best.load)) {
            self.best = Some(Candidate { links, load, shape: self.shape.clone() });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coordinates_are_scaled_down_and_the_runs_of_a_part_are_their_inverse() {
        for length in 1..=40 {
            for parts in 1..=length {
                let contraction = UnevenContraction::new(&[length], &[parts]);
                let (most, least) = contraction.loads();
                let mut next = 0;
                for part in 0..parts {
                    let mut image = [0; MAX_DIMENSIONS];
                    image[0] = narrow(part);
                    let set = contraction.origins(&image)[0];
                    assert!((least..=most).contains(&set.count()), "{length} in {parts}");
                    for position in 0..set.count() {
                        assert_eq!(set.get(position), next);
                        let mut from = [0; MAX_DIMENSIONS];
                        from[0] = narrow(next);
                        assert_eq!(u64::from(contraction.image(&from)[0]), part);
                        next += 1;
                    }
                }
                assert_eq!(next, length);
            }
        }
    }
}
