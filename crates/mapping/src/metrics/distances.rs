//! The distances between the images of neighbours, guest edge by guest edge.

use cubefold_topology::NodeId;
use rayon::prelude::*;

use super::axis::{add_distances, is_among};
use super::counter::extremes;
use super::edge_blocks::{EdgeBlocks, differing_bits};
use super::histogram::Histogram;
use super::{Dilation, DimensionDistances, Extremes};
use crate::{GatheredImages, Guest, construction::narrow};

/// What is known of distances seen so far.
pub(super) trait Tally: Send {
    /// Adds the distances, at least one, of some edges of a guest dimension.
    fn add(&mut self, dimension: usize, distances: &[u32]);

    /// Of the distances that either has seen.
    fn and(self, other: Self) -> Self;
}

/// The extremes of every guest dimension.
#[derive(Debug)]
pub(super) struct ByDimension {
    extremes: Vec<Extremes>,
}

/// The extremes and how many edges have which dilation.
#[derive(Debug)]
pub(super) struct WithSpectrum {
    by_dimension: ByDimension,
    histogram: Histogram,
}

impl ByDimension {
    /// Of no distances yet.
    pub(super) fn new<G: Guest>(blocks: &EdgeBlocks<'_, G>) -> Self {
        Self { extremes: vec![Extremes::NONE; blocks.guest.dimension_count()] }
    }

    /// What was found out.
    pub(super) fn distances(self) -> Vec<DimensionDistances> {
        self.extremes.into_iter().map(|over_edges| DimensionDistances { over_edges }).collect()
    }

    fn add_extremes(&mut self, dimension: usize, distances: &[u32]) -> Extremes {
        let own = extremes(distances);
        self.extremes[dimension] = self.extremes[dimension].and(own);
        own
    }
}

impl WithSpectrum {
    /// Of no distances yet.
    pub(super) fn new<G: Guest>(blocks: &EdgeBlocks<'_, G>) -> Self {
        let histogram = Histogram::new(blocks.machine.distance_bound());
        Self { by_dimension: ByDimension::new(blocks), histogram }
    }

    /// What was found out.
    pub(super) fn distances_and_dilation(self) -> (Vec<DimensionDistances>, Dilation) {
        (self.by_dimension.distances(), Dilation { spectrum: self.histogram.counts() })
    }
}

impl Tally for ByDimension {
    fn add(&mut self, dimension: usize, distances: &[u32]) {
        self.add_extremes(dimension, distances);
    }

    fn and(self, other: Self) -> Self {
        let both = self.extremes.into_iter().zip(other.extremes);
        Self { extremes: both.map(|(one, other)| one.and(other)).collect() }
    }
}

impl Tally for WithSpectrum {
    fn add(&mut self, dimension: usize, distances: &[u32]) {
        let own = self.by_dimension.add_extremes(dimension, distances);
        if own.min == own.max {
            self.histogram.add_equal(distances[0], own.count);
        } else {
            self.histogram.add(distances);
        }
    }

    fn and(self, other: Self) -> Self {
        let by_dimension = self.by_dimension.and(other.by_dimension);
        Self { by_dimension, histogram: self.histogram.and(other.histogram) }
    }
}

/// Tallies the distances of all edges, in parallel: counts and extremes do not depend on the order.
pub(super) fn tally<G: Guest, T: Tally>(blocks: &EdgeBlocks<'_, G>, new: impl Fn() -> T + Sync) -> T {
    let start = || (new(), GatheredImages::default(), vec![]);
    let tallies = (0..blocks.count()).into_par_iter().fold(start, |mut state, block| {
        let (tally, gathered, distances) = &mut state;
        blocks.visit(block, gathered, &mut |dimension, low, high| {
            if !low.is_empty() {
                write_distances(blocks, low, high, distances);
                tally.add(dimension, distances);
            }
        });
        state
    });
    tallies.map(|(tally, ..)| tally).reduce(&new, T::and)
}

fn write_distances<G: Guest>(
    blocks: &EdgeBlocks<'_, G>,
    low: &[NodeId],
    high: &[NodeId],
    distances: &mut Vec<u32>,
) {
    distances.clear();
    distances.resize(low.len(), 0);
    if blocks.machine.as_network().is_some() {
        for ((low, high), distance) in low.iter().zip(high).zip(distances) {
            *distance = narrow(blocks.machine.distance(*low, *high));
        }
        return;
    }
    let differing = differing_bits(low, high);
    for axis in blocks.machine.axes().iter().filter(|axis| is_among(axis, differing)) {
        add_distances(axis, low, high, distances);
    }
}
