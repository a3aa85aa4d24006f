//! Guests that are smaller than the host (`docs/model.md` section 28.9): the guest is the corner of a grid that a
//! one-to-one construction puts on a box of the host.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use cubefold_topology::MAX_DIMENSIONS;

use super::bijection::Fold;
use super::contraction::CoordinateSet;
use super::descriptor::{ConstructionDescriptor, ConstructionKind, Sizes};
use super::error::UnmetCondition;
use super::factor::divisors;
use super::one_to_one::{ONE_TO_ONE, Promises, best_of};
use super::pair::ShapePair;
use super::plan::{Parameter, Plan, Planned};
use super::promise::{Exactness, PromisedDilation};
use super::radix::CoordinateBuffer;
use super::resizing::{CoordinateSets, Resizing};

pub(super) static SPARE_NODES: ConstructionDescriptor = ConstructionDescriptor {
    kind: ConstructionKind::SpareNodes,
    name: "spare-nodes",
    summary: "the corner of a larger grid, which the best one-to-one construction puts on a box of the host",
    source: "docs/model.md, section 28.9",
    guest: "any with fewer processes than the host has nodes",
    host: "one with a box that has a construction for lengths from the guest's on",
    dilation: "that of the construction; twice that if a ring is folded into a longer length",
    sizes: Sizes::Fewer,
    plan,
};

/// The guest as the corner of a grid `K`, rings that are shorter than its lengths folded by `t_l`, and the box `B` of
/// the host, at the origin, on which `K` lies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Corner {
    lengths: Vec<u64>, // of the guest
    fold: Fold,
    sides: Vec<u64>, // of the box, in every host dimension, at least 1
}

impl Corner {
    pub(super) fn image(&self, from: &CoordinateBuffer) -> CoordinateBuffer {
        let mut image = [0; MAX_DIMENSIONS];
        self.fold.write_image(from, &mut image);
        image
    }

    /// The coordinates of the node, from those in the dimensions of the box that are longer than 1.
    pub(super) fn on_host(&self, image: &CoordinateBuffer) -> CoordinateBuffer {
        let mut node = [0; MAX_DIMENSIONS];
        let long = self.sides.iter().enumerate().filter(|&(_, &side)| side > 1);
        for ((dimension, _), &coordinate) in long.zip(image) {
            node[dimension] = coordinate;
        }
        node
    }

    pub(super) fn in_box(&self, node: &CoordinateBuffer) -> Option<CoordinateBuffer> {
        let mut image = [0; MAX_DIMENSIONS];
        let mut slots = image.iter_mut();
        for (&side, &coordinate) in self.sides.iter().zip(node) {
            if u64::from(coordinate) >= side {
                return None;
            }
            if side > 1
                && let Some(slot) = slots.next()
            {
                *slot = coordinate;
            }
        }
        Some(image)
    }

    /// The one process with an image; `None` beyond the corner.
    pub(super) fn origins(&self, image: &CoordinateBuffer) -> Option<CoordinateSets> {
        let mut sets = [CoordinateSet::of(0); MAX_DIMENSIONS];
        for (dimension, &length) in self.lengths.iter().enumerate() {
            if u64::from(image[dimension]) >= length {
                return None;
            }
            sets[dimension] = CoordinateSet::of(self.fold.undone_at(dimension, image[dimension]));
        }
        Some(sets)
    }
}

/// `K` and `B` with the least promised dilation; among those with the fewest nodes, then the first `K` and then the
/// first `B` in lexicographic order.
fn plan(pair: &ShapePair) -> Planned {
    let mut search = CornerSearch { pair, states: 0, promises: Promises::default(), best: None };
    search.run();
    let Some(chosen) = search.best else {
        return Err(if search.states < MAX_STATES {
            UnmetCondition::SpareShape.into()
        } else {
            UnmetCondition::SpareSearch { states: MAX_STATES }.into()
        });
    };
    let (_, plan) = best_of(&ONE_TO_ONE, &inner(pair, &chosen.grid, &chosen.sides))?;
    let fold = fold(pair, &chosen.grid);
    let folds = fold.lengths.iter().any(Option::is_some);
    let mut parameters = vec![Parameter::list("K", &chosen.grid), Parameter::list("B", &chosen.sides)];
    parameters.extend(plan.parameters);
    Ok(Plan {
        theorem: "docs/model.md 28.9",
        formula: if folds { format!("({}) o T", plan.formula) } else { plan.formula },
        parameters,
        resizing: Some(Resizing::Corner(Corner {
            lengths: pair.guest_lengths.clone(),
            fold,
            sides: chosen.sides.clone(),
        })),
        composition: plan.composition,
        dilation: PromisedDilation::new(
            chosen.links,
            plan.dilation.exactness == Exactness::Exact && is_whole(pair, &chosen),
        ),
        routing: None,
    })
}

/// Whether the guest is all of the grid, and no way round the host is shorter than through the box.
fn is_whole(pair: &ShapePair, chosen: &Candidate) -> bool {
    let sides = chosen.sides.iter().zip(&pair.host_lengths).zip(&pair.host_rings);
    let is_shorter_round = |((side, length), &ring): ((&u64, &u64), &bool)| ring && side < length;
    chosen.grid == pair.guest_lengths && !sides.into_iter().any(is_shorter_round)
}

/// The fold of the rings that are shorter than the grid.
fn fold(pair: &ShapePair, grid: &[u64]) -> Fold {
    let sides = pair.guest_lengths.iter().zip(grid).zip(&pair.guest_rings);
    let folded = |((&length, &side), &ring): ((&u64, &u64), &bool)| (ring && side > length).then_some(length);
    Fold { lengths: sides.map(folded).collect() }
}

/// The pair of a grid, which wraps where the guest does and is no longer, and a box, without its sides of 1, which
/// wraps where it has the host's whole length.
fn inner(pair: &ShapePair, grid: &[u64], sides: &[u64]) -> ShapePair {
    let guest_rings = (0..grid.len()).map(|at| pair.guest_rings[at] && grid[at] == pair.guest_lengths[at]);
    let long: Vec<usize> = (0..sides.len()).filter(|&at| sides[at] > 1).collect();
    let lengths = long.iter().map(|&at| sides[at]).collect();
    let rings = long.iter().map(|&at| pair.host_rings[at] && sides[at] == pair.host_lengths[at]).collect();
    ShapePair::of_lengths(grid.to_vec(), guest_rings.collect(), lengths, rings)
}

/// The limit of grids and boxes that one search tries.
const MAX_STATES: usize = 1 << 14;

/// A search over grids, the smallest first, and for each over boxes.
struct CornerSearch<'a> {
    pair: &'a ShapePair,
    states: usize,
    promises: Promises,
    best: Option<Candidate>,
}

/// A grid and a box of as many nodes, with the promised dilation.
struct Candidate {
    links: u64,
    grid: Vec<u64>,
    sides: Vec<u64>,
}

impl CornerSearch<'_> {
    /// Tries grids in the order of their nodes and lengths. A grid is grown from another by one in a dimension
    /// not before the last one grown, so that each occurs once.
    fn run(&mut self) {
        let first = self.pair.guest_lengths.clone();
        let mut waiting = BinaryHeap::from([Reverse((self.pair.processes(), first, 0))]);
        while let Some(Reverse((nodes, grid, grown))) = waiting.pop() {
            let folds = fold(self.pair, &grid).lengths.iter().any(Option::is_some);
            let factor = if folds { 2 } else { 1 };
            // Grids grown from this one also fold, and none promises less than the factor.
            if self.best.as_ref().is_some_and(|best| best.links <= factor) {
                continue;
            }
            if self.states >= MAX_STATES {
                return;
            }
            self.states += 1;
            self.try_boxes(&grid, nodes, factor);
            for dimension in grown..grid.len() {
                let more = nodes / grid[dimension] * (grid[dimension] + 1);
                if more <= self.pair.nodes() {
                    let mut longer = grid.clone();
                    longer[dimension] += 1;
                    waiting.push(Reverse((more, longer, dimension)));
                }
            }
        }
    }

    fn try_boxes(&mut self, grid: &[u64], nodes: u64, factor: u64) {
        for sides in boxes(nodes, &self.pair.host_lengths) {
            if self.states >= MAX_STATES || self.best.as_ref().is_some_and(|best| best.links <= factor) {
                return;
            }
            self.states += 1;
            let Some(links) = self.promises.of(&inner(self.pair, grid, &sides)) else { continue };
            let links = factor * links;
            if self.best.as_ref().is_none_or(|best| links < best.links) {
                self.best = Some(Candidate { links, grid: grid.to_vec(), sides });
            }
        }
    }
}

/// All boxes of a host with a number of nodes, in lexicographic order, at most 16384.
fn boxes(nodes: u64, host: &[u64]) -> Vec<Vec<u64>> {
    fn extend(rest: u64, host: &[u64], sides: &mut Vec<u64>, found: &mut Vec<Vec<u64>>) {
        let Some(&length) = host.get(sides.len()) else { return found.push(sides.clone()) };
        let room: u64 = host[sides.len() + 1..].iter().product();
        for side in divisors(rest).into_iter().filter(|side| *side <= length && rest / side <= room) {
            if found.len() >= MAX_STATES {
                return;
            }
            sides.push(side);
            extend(rest / side, host, sides, found);
            sides.pop();
        }
    }
    let mut found = vec![];
    extend(nodes, host, &mut vec![], &mut found);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_are_all_shapes_within_the_host_in_order() {
        assert_eq!(boxes(6, &[4, 4]), [[2, 3], [3, 2]]);
        assert_eq!(boxes(4, &[4, 4]), [[1, 4], [2, 2], [4, 1]]);
        assert_eq!(boxes(15, &[4, 4]), [[0; 2]; 0]);
    }
}
