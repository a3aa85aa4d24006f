//! The recursion without contention, for all processes or field by field.

use cubefold_mapping::{Placement, ProductPlacement};
use cubefold_topology::NodeId;
use rayon::prelude::*;

use crate::{
    CubeProgram, Cycles, Program,
    axis::distance,
    field_line::{FieldLine, Pair},
};

/// The largest `T_(S-1)` \[cycles\], from the fields of a product placement.
///
/// In whatever order the stages use the dimensions, `T_s(n) = F_1(v_1) + F_2(v_2) + ..` for the values `v_j`
/// of the fields of `n`, where `F_j` is the recursion over the stages of field `j` alone: a stage of that
/// field changes `v_j` only, so its distance and both sides of its maximum differ from the recursion of the
/// field by the same sum of the others. The values are free, so the largest sum is that of the largest.
pub(super) fn by_field(program: &CubeProgram, placement: &ProductPlacement, hop: Cycles) -> u64 {
    FieldLine::all(placement).iter().map(|field| last_of_field(program, field, hop)).sum()
}

/// The largest `F_j`.
fn last_of_field(program: &CubeProgram, field: &FieldLine, hop: Cycles) -> u64 {
    let (compute, hop) = (program.compute().get(), hop.get());
    let mut times = vec![0; usize::try_from(field.extent().length()).unwrap_or(usize::MAX)];
    for bit in program.stages().iter().filter_map(|&dimension| field.bit(dimension)) {
        for Pair { low, positions: [from, to] } in field.pairs(bit) {
            let (low, high) = (low as usize, (low | bit) as usize);
            let end = times[low].max(times[high]) + compute + hop * field.extent().distance(from, to);
            (times[low], times[high]) = (end, end);
        }
    }
    times.into_iter().max().unwrap_or(0)
}

/// Neighbours are gone through in blocks of so many processes: as much as stays in a core's cache, and
/// enough work for a thread.
const BLOCK: usize = 1 << 14;

/// The largest `T_(S-1)` \[cycles\], from every process of any placement.
pub(super) fn by_process(program: &CubeProgram, placement: &Placement, hop: Cycles) -> u64 {
    let (nodes, machine) = (placement.listed_nodes(), placement.machine());
    if machine.graph().is_some() {
        return last_of_processes(program, &nodes, hop, |low, high| machine.distance(low, high));
    }
    let axes = machine.axes();
    last_of_processes(program, &nodes, hop, |low, high| distance(axes, low, high))
}

/// The largest time of all processes on `nodes`, which are so far from each other.
fn last_of_processes(
    program: &CubeProgram,
    nodes: &[NodeId],
    hop: Cycles,
    distance: impl Fn(NodeId, NodeId) -> u64 + Sync,
) -> u64 {
    let (compute, hop) = (program.compute().get(), hop.get());
    let cost = |low, high| compute + hop * distance(low, high);
    let mut times = vec![0; nodes.len()];
    for dimension in program.stages() {
        exchange(&mut times, nodes, 1 << dimension.index(), &cost);
    }
    times.into_iter().max().unwrap_or(0)
}

/// One stage: every pair of neighbours, whose labels differ in `bit`, by itself.
fn exchange(times: &mut [u64], nodes: &[NodeId], bit: usize, cost: &(impl Fn(NodeId, NodeId) -> u64 + Sync)) {
    if times.len() <= BLOCK {
        exchange_groups(times, nodes, bit, cost);
    } else if 2 * bit <= BLOCK {
        let blocks = times.par_chunks_mut(BLOCK).zip(nodes.par_chunks(BLOCK));
        blocks.for_each(|(times, nodes)| exchange_groups(times, nodes, bit, cost));
    } else {
        for (times, nodes) in times.chunks_exact_mut(2 * bit).zip(nodes.chunks_exact(2 * bit)) {
            let ((low, high), (low_nodes, high_nodes)) = (times.split_at_mut(bit), nodes.split_at(bit));
            let times = low.par_chunks_mut(BLOCK).zip(high.par_chunks_mut(BLOCK));
            let nodes = low_nodes.par_chunks(BLOCK).zip(high_nodes.par_chunks(BLOCK));
            times.zip(nodes).for_each(|((low, high), nodes)| exchange_halves(low, high, nodes, cost));
        }
    }
}

fn exchange_groups(times: &mut [u64], nodes: &[NodeId], bit: usize, cost: &impl Fn(NodeId, NodeId) -> u64) {
    for (times, nodes) in times.chunks_exact_mut(2 * bit).zip(nodes.chunks_exact(2 * bit)) {
        let (low, high) = times.split_at_mut(bit);
        exchange_halves(low, high, nodes.split_at(bit), cost);
    }
}

fn exchange_halves(
    low: &mut [u64],
    high: &mut [u64],
    (low_nodes, high_nodes): (&[NodeId], &[NodeId]),
    cost: &impl Fn(NodeId, NodeId) -> u64,
) {
    for ((low, high), (&from, &to)) in low.iter_mut().zip(high).zip(low_nodes.iter().zip(high_nodes)) {
        let end = (*low).max(*high) + cost(from, to);
        (*low, *high) = (end, end);
    }
}
