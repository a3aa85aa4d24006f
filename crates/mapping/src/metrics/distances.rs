//! The distances between the images of neighbours, guest edge by guest edge.
//!
//! The loops over edges are free of branches, and of checks that cannot fail: the time of the metrics is spent in them.

use std::collections::BTreeMap;

use cubefold_topology::{Axis, Digit, IndexDigit, Machine, MachineForm, NodeId, narrow};
use rayon::prelude::*;

use super::{
    counter::extremes,
    edge_blocks::{EdgeBlocks, differing_bits},
    measures::{Dilation, DimensionDistances, Extremes},
};
use crate::{GatheredImages, Guest};

/// The extremes of every guest dimension and, where it is asked for, the number of edges of each dilation.
#[derive(Debug)]
pub(super) struct Tally {
    extremes: Vec<Extremes>,
    histogram: Option<Histogram>,
}

impl Tally {
    fn new<G: Guest>(blocks: &EdgeBlocks<'_, G>, with_spectrum: bool) -> Self {
        let histogram = with_spectrum.then(|| Histogram::new(blocks.machine.distance_bound()));
        Self { extremes: vec![Extremes::NONE; blocks.guest.dimension_count()], histogram }
    }

    /// Adds the distances, at least one, of some edges of a guest dimension.
    fn add(&mut self, dimension: usize, distances: &[u32]) {
        let extremes = extremes(distances);
        self.extremes[dimension] = self.extremes[dimension].and(extremes);
        match &mut self.histogram {
            Some(histogram) if extremes.min == extremes.max => {
                histogram.add_equal(distances[0], extremes.count);
            }
            Some(histogram) => histogram.add(distances),
            None => {}
        }
    }

    fn and(self, other: Self) -> Self {
        let both = self.extremes.into_iter().zip(other.extremes);
        let histograms = self.histogram.zip(other.histogram);
        Self {
            extremes: both.map(|(one, other)| one.and(other)).collect(),
            histogram: histograms.map(|(one, other)| one.and(other)),
        }
    }

    /// The distances of each guest dimension, and the dilations, which are none without a spectrum.
    pub(super) fn distances_and_dilation(self) -> (Vec<DimensionDistances>, Dilation) {
        let extremes = self.extremes.into_iter();
        let distances = extremes.map(|over_edges| DimensionDistances { over_edges }).collect();
        (distances, Dilation { spectrum: self.histogram.map(Histogram::counts).unwrap_or_default() })
    }
}

/// Tallies the distances of all edges, in parallel: counts and extremes do not depend on the order.
pub(super) fn tally<G: Guest>(blocks: &EdgeBlocks<'_, G>, with_spectrum: bool) -> Tally {
    let new = || Tally::new(blocks, with_spectrum);
    let start = || (new(), GatheredImages::default(), vec![]);
    let tallies = (0..blocks.count()).into_par_iter().fold(start, |mut state, block| {
        let (tally, gathered, distances) = &mut state;
        blocks.visit(block, gathered, &mut |dimension, low, high| {
            if !low.is_empty() {
                write_distances(blocks.machine, low, high, distances);
                tally.add(dimension, distances);
            }
        });
        state
    });
    tallies.map(|(tally, ..)| tally).reduce(new, Tally::and)
}

fn write_distances(machine: &Machine, low: &[NodeId], high: &[NodeId], distances: &mut Vec<u32>) {
    distances.clear();
    distances.resize(low.len(), 0);
    match machine.form() {
        MachineForm::Grid(grid) => {
            let differing = differing_bits(low, high);
            for axis in grid.axes().iter().filter(|axis| axis.digit().is_among(differing)) {
                add_distances(axis, low, high, distances);
            }
        }
        MachineForm::Graph(graph) => {
            let is_directed = graph.network().is_directed();
            for ((low, high), distance) in low.iter().zip(high).zip(distances) {
                let there = machine.distance(*low, *high);
                // Edges have no direction: if links have one, the longer way counts.
                let back = if is_directed { machine.distance(*high, *low) } else { there };
                *distance = narrow(there.max(back));
            }
        }
    }
}

/// Adds to each distance the one between the two nodes along `axis`.
pub(super) fn add_distances(axis: &Axis, low: &[NodeId], high: &[NodeId], distances: &mut [u32]) {
    match (axis.digit(), axis.extent().is_ring()) {
        (IndexDigit::Bits(digit), true) => add(low, high, distances, |a, b| digit.ring_distance(a, b)),
        (IndexDigit::Bits(digit), false) => add(low, high, distances, |a, b| digit.line_distance(a, b)),
        (IndexDigit::Radix(digit), true) => {
            let length = narrow(axis.length()); // 2^32 is a power of two
            add(low, high, distances, |a, b| {
                let straight = digit.line_distance(a, b);
                straight.min(length.wrapping_sub(straight))
            });
        }
        (IndexDigit::Radix(digit), false) => add(low, high, distances, |a, b| digit.line_distance(a, b)),
    }
}

fn add(low: &[NodeId], high: &[NodeId], distances: &mut [u32], distance: impl Fn(u32, u32) -> u32) {
    for ((sum, low), high) in distances.iter_mut().zip(low).zip(high) {
        // Never wraps: distances are below the lengths, whose product is at most 2^32.
        *sum = sum.wrapping_add(distance(low.index(), high.index()));
    }
}

/// Distances below this are counted in an array.
const MAX_BINS: u64 = 1 << 16;

/// Counters of one distance that are incremented in turn: successive edges often have the same distance, and a counter
/// can be incremented again only when it has been written.
const LANES: usize = 4;

/// A count for every distance.
#[derive(Debug)]
pub(super) struct Histogram {
    bins: Vec<[u64; LANES]>,    // of the distances from 0 on
    beyond: BTreeMap<u64, u64>, // of distances without a bin
}

impl Histogram {
    /// A count of no distances; those to be counted are at most `greatest`.
    pub(super) fn new(greatest: u64) -> Self {
        let bins = usize::try_from((greatest + 1).min(MAX_BINS)).unwrap_or(usize::MAX);
        Self { bins: vec![[0; LANES]; bins], beyond: BTreeMap::new() }
    }

    pub(super) fn add(&mut self, distances: &[u32]) {
        let (rounds, rest) = distances.as_chunks::<LANES>();
        for round in rounds {
            for (lane, &distance) in round.iter().enumerate() {
                self.count(distance, lane, 1);
            }
        }
        for &distance in rest {
            self.count(distance, 0, 1);
        }
    }

    /// Counts `edges` times the same distance.
    pub(super) fn add_equal(&mut self, distance: u32, edges: u64) {
        self.count(distance, 0, edges);
    }

    fn count(&mut self, distance: u32, lane: usize, edges: u64) {
        match self.bins.get_mut(distance as usize) {
            Some(bin) => bin[lane] = bin[lane].wrapping_add(edges), // under 2^37 edges in all
            None => *self.beyond.entry(distance.into()).or_default() += edges,
        }
    }

    pub(super) fn and(mut self, other: Self) -> Self {
        for (bin, other) in self.bins.iter_mut().flatten().zip(other.bins.iter().flatten()) {
            *bin += other;
        }
        for (distance, edges) in other.beyond {
            *self.beyond.entry(distance).or_default() += edges;
        }
        self
    }

    /// The number of edges of each distance that occurs.
    pub(super) fn counts(self) -> BTreeMap<u64, u64> {
        let edges = self.bins.iter().map(|bin| bin.iter().sum());
        let near = (0..).zip(edges).filter(|&(_, edges)| edges > 0);
        near.chain(self.beyond).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::grids;
    use super::*;

    #[test]
    fn distances_of_all_pairs_are_those_of_the_machine() {
        for machine in grids::all() {
            let (low, high) = grids::pairs(&machine);
            let mut distances = vec![0; low.len()];
            for axis in machine.axes() {
                add_distances(axis, &low, &high, &mut distances);
            }
            let expected = low.iter().zip(&high).map(|(&a, &b)| machine.distance(a, b));
            assert!(expected.eq(distances.into_iter().map(u64::from)));
        }
    }

    #[test]
    fn distances_are_counted_wherever_they_are_kept() {
        for greatest in [7, u64::from(u32::MAX)] {
            let mut one = Histogram::new(greatest);
            one.add(&[3, 3, 3, 0, 7, 3]);
            one.add_equal(7, 10);
            let mut other = Histogram::new(greatest);
            other.add(&[5]);
            let mut expected = BTreeMap::from([(0, 1), (3, 4), (5, 1), (7, 11)]);
            if greatest > 7 {
                other.add(&[65_535, 65_536, u32::MAX]);
                one.add_equal(u32::MAX, 4);
                expected.extend([(65_535, 1), (65_536, 1), (u32::MAX.into(), 5)]);
            }
            assert_eq!(one.and(other).counts(), expected);
        }
    }
}
