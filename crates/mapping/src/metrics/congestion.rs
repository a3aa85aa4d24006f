//! Link congestion and node load, guest edge by guest edge.
//!
//! A route is at most one run of links in each dimension, so that the congestion of all links of a
//! dimension comes from difference arrays: 1 where a run begins, -1 where it ends, then prefix sums along
//! the lines. The node load needs no pass of its own: a route uses two links of each node that it passes
//! and one link of each of its ends, so that a node's links carry twice its load plus the edges that end
//! there. An edge within a node uses no link and touches the node once.

use cubefold_topology::{Axis, Extent, HostDimension, NodeId, TieRule};
use rayon::prelude::*;

use super::axis::{Runs, is_among, write_runs};
use super::counter::{Counter, extremes};
use super::edge_blocks::{EdgeBlocks, differing_bits};
use super::{Congestion, Extremes};
use crate::{GatheredImages, Guest, ProcessId};

/// The most arrays of counters that are filled at the same time, to be added up in the end.
pub(super) const MAX_ARRAYS: usize = 4;

/// Congestion of the edges, `one_to_one` telling whether no two processes share a node.
pub(super) fn measure<G: Guest, C: Counter>(
    blocks: &EdgeBlocks<'_, G>,
    one_to_one: bool,
    tie: TieRule,
) -> Congestion {
    let nodes = usize::try_from(blocks.machine.node_count()).unwrap_or(usize::MAX);
    let mut arrays = Arrays::<C>::new(nodes, blocks.count());
    let mut traffic = vec![C::default(); nodes]; // the congestion of the node's links, summed
    let mut link_congestion = Extremes::NONE;
    for (axis, dimension) in blocks.machine.axes().iter().zip(blocks.machine.shape().dimensions()) {
        let links = arrays.count(blocks, &|counts, runs, low, high| {
            count_runs(axis, tie, counts, runs, low, high);
        });
        link_congestion = link_congestion.and(add_up(blocks, dimension, links, &mut traffic));
    }
    let mut room = arrays.arrays.swap_remove(0);
    drop(arrays);
    let load = load(blocks, one_to_one, &mut room);
    let (node_load, node_congestion) = census(blocks, one_to_one, room, traffic);
    Congestion { node_load, link_congestion, node_congestion, load }
}

/// Arrays of a counter for every node, each filled by one thread.
struct Arrays<C> {
    arrays: Vec<Vec<C>>,
}

impl<C: Counter> Arrays<C> {
    fn new(nodes: usize, blocks: usize) -> Self {
        let arrays = rayon::current_num_threads().min(MAX_ARRAYS).min(blocks);
        Self { arrays: vec![vec![C::default(); nodes]; arrays.max(1)] }
    }

    /// The counters after `count` was called for the images of all edges. Sums do not depend on which thread
    /// counted what.
    fn count<G: Guest>(
        &mut self,
        blocks: &EdgeBlocks<'_, G>,
        count: &(impl Fn(&mut [C], &mut Runs, &[NodeId], &[NodeId]) + Sync),
    ) -> &mut [C] {
        let (parts, all) = (self.arrays.len(), blocks.count());
        self.arrays.par_iter_mut().enumerate().for_each(|(part, counts)| {
            counts.fill(C::default());
            let (mut gathered, mut runs) = (GatheredImages::default(), Runs::default());
            for block in all * part / parts..all * (part + 1) / parts {
                blocks.visit(block, &mut gathered, &mut |_, low, high| count(counts, &mut runs, low, high));
            }
        });
        let Some((sums, others)) = self.arrays.split_first_mut() else { return &mut [] };
        for other in others {
            sums.par_chunks_mut(1 << 13).zip(other.par_chunks(1 << 13)).for_each(|(sums, other)| {
                sums.iter_mut().zip(other).for_each(|(sum, other)| *sum = sum.plus(*other));
            });
        }
        sums
    }
}

/// Writes the differences that the routes of some edges make along one dimension.
fn count_runs<C: Counter>(
    axis: &Axis,
    tie: TieRule,
    counts: &mut [C],
    runs: &mut Runs,
    low: &[NodeId],
    high: &[NodeId],
) {
    if !is_among(axis, differing_bits(low, high)) {
        return;
    }
    write_runs(axis, low, high, tie, runs);
    for (&first, &end) in runs.first.iter().zip(&runs.end) {
        let [first, end] = [first as usize, end as usize];
        counts[first] = counts[first].plus(C::ONE);
        counts[end] = counts[end].plus(C::MINUS_ONE);
    }
    if runs.any_wraps {
        for (&origin, &wraps) in runs.origin.iter().zip(&runs.wraps) {
            counts[origin as usize] = counts[origin as usize].plus(C::of(wraps.into()));
        }
    }
}

/// Adds the differences of one dimension up along its lines, so that the link of near end `n` has its congestion
/// at index `n`, and adds it to the traffic of both its ends; gives the extremes over the links.
fn add_up<G: Guest, C: Counter>(
    blocks: &EdgeBlocks<'_, G>,
    dimension: HostDimension,
    links: &mut [C],
    traffic: &mut [C],
) -> Extremes {
    let shape = blocks.machine.shape();
    let [length, stride] = [shape.length(dimension), shape.stride(dimension)]
        .map(|size| usize::try_from(size).unwrap_or(usize::MAX));
    let extent = blocks.machine.extent(dimension);
    let blocks_of_lines = links.par_chunks_mut(length * stride).zip(traffic.par_chunks_mut(length * stride));
    blocks_of_lines
        .map(|(links, traffic)| add_up_lines(extent, stride, links, traffic))
        .reduce(|| Extremes::NONE, Extremes::and)
}

/// The same for the lines between neighbouring nodes of the other dimensions below it.
fn add_up_lines<C: Counter>(extent: Extent, stride: usize, links: &mut [C], traffic: &mut [C]) -> Extremes {
    let last = links.len() - stride;
    for at in stride..links.len() {
        links[at] = links[at].plus(links[at - stride]);
    }
    for at in stride..links.len() {
        traffic[at] = traffic[at].plus(links[at]).plus(links[at - stride]);
    }
    // A line's last node has no link there, so 0, unless it is the one round the back.
    for at in 0..stride {
        traffic[at] = traffic[at].plus(links[at]).plus(links[last + at]);
    }
    extremes(if extent.is_ring() { links } else { &links[..last] })
}

/// What each node is passed and touched by, from the traffic on its links.
fn census<G: Guest, C: Counter>(
    blocks: &EdgeBlocks<'_, G>,
    one_to_one: bool,
    mut touching: Vec<C>, // room for a counter for every node
    mut traffic: Vec<C>,
) -> (Extremes, Extremes) {
    touching.fill(C::default());
    for (process, node) in ProcessId::first(blocks.guest.process_count()).zip(blocks.images) {
        let touching = &mut touching[node.index() as usize];
        *touching = touching.plus(C::of(blocks.guest.degree(process)));
    }
    // Less the ends on the node, the traffic is twice its load.
    for (traffic, &touching) in traffic.iter_mut().zip(&touching) {
        *traffic = traffic.minus(touching);
    }
    if !one_to_one {
        visit_edges_within(blocks, |node| {
            // One edge of the node, where each of its ends was counted; neither is on a link.
            touching[node] = touching[node].minus(C::ONE);
            traffic[node] = traffic[node].plus(C::ONE).plus(C::ONE);
        });
    }
    for (load, touching) in traffic.iter_mut().zip(&mut touching) {
        *load = load.half();
        *touching = touching.plus(*load);
    }
    (extremes(&traffic), extremes(&touching))
}

/// Calls `visit` with the node of every edge both of whose ends are on it.
fn visit_edges_within<G: Guest>(blocks: &EdgeBlocks<'_, G>, mut visit: impl FnMut(usize)) {
    let mut gathered = GatheredImages::default();
    for block in 0..blocks.count() {
        blocks.visit(block, &mut gathered, &mut |_, low, high| {
            let within = low.iter().zip(high).filter(|(low, high)| low == high);
            within.for_each(|(node, _)| visit(node.index() as usize));
        });
    }
}

/// How many processes are on each node.
fn load<G: Guest, C: Counter>(blocks: &EdgeBlocks<'_, G>, one_to_one: bool, counts: &mut [C]) -> Extremes {
    let (processes, nodes) = (blocks.images.len() as u64, blocks.machine.node_count());
    if one_to_one {
        return Extremes { min: u64::from(processes == nodes), max: 1, sum: processes, count: nodes };
    }
    counts.fill(C::default());
    for node in blocks.images {
        let count = &mut counts[node.index() as usize];
        *count = count.plus(C::ONE);
    }
    extremes(counts)
}
