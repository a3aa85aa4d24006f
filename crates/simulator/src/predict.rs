//! What a program costs without contention, and what it costs at least.
//!
//! Both follow from distances alone: the recursion of González & Valero 1993, 2.1, for one
//! placement, and the least distances of a machine for all of them (`docs/model.md` section 5).

use cubefold_mapping::{BoundSource, Placement, PlacementForm, ProductPlacement, least_distances};
use cubefold_topology::{NodeId, axes_distance};
use rayon::prelude::*;

use crate::{
    Communication, CubeProgram, Cycle, Cycles, MessageTiming, Program,
    field_line::{FieldLine, Pair},
};

/// The makespan of a program without contention: the recursion of González & Valero 1993, 2.1.
///
/// `T_s(n) = T_a + T_c D_(q_s)(n) + max(T_(s-1)(n), T_(s-1)(N_(q_s)(n)))`, largest over `n`
/// (`docs/model.md` section 5). An asynchronous run without blocked cycles equals it, and none is
/// below.
///
/// # Complexity
///
/// O(S P) for S stages and P processes, with a word a process of memory; under a product placement
/// O(S k) for lines of k nodes, with a word for each of these.
///
/// # Panics
///
/// When the placement has another number of processes than the program.
#[must_use]
pub fn predict(program: &CubeProgram, placement: &Placement, communication: Communication) -> Cycle {
    assert_eq!(placement.process_count(), program.process_count(), "a placement of another guest");
    let timing = communication.timing();
    Cycle::new(match placement.form() {
        PlacementForm::Product(product) => by_field(program, product, timing),
        PlacementForm::Table(_) | PlacementForm::Construction(_) => by_process(program, placement, timing),
    })
}

/// A makespan that no one-to-one placement of a program goes below.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LowerBound {
    /// `d T_a + T_c B` \[cycles\].
    pub cycles: Cycles,
    /// How it is known.
    pub source: BoundSource,
}

/// The lower bound on the makespan of `program` on the machine of `placement`, whatever the
/// placement.
///
/// None unless the stages use every dimension exactly once, every node has one process, and the
/// lengths are powers of two: for other cases none is stated (`docs/model.md` section 5).
#[must_use]
pub fn lower_bound(
    program: &CubeProgram,
    placement: &Placement,
    communication: Communication,
) -> Option<LowerBound> {
    let fills = placement.is_one_to_one() && program.process_count() == placement.machine().node_count();
    if !(fills && program.uses_every_dimension_once()) {
        return None;
    }
    let least = least_distances(placement.machine())?;
    let compute = program.compute() * u64::from(program.cube().dimension_count());
    // No message crosses a link in less time than its head does.
    let link = communication.timing().head();
    Some(LowerBound { cycles: compute + link * least.sum, source: least.source })
}

/// The largest `T_(S-1)` \[cycles\], from the fields of a product placement.
///
/// In whatever order the stages use the dimensions, `T_s(n) = F_1(v_1) + F_2(v_2) + ..` for the
/// values `v_j` of the fields of `n`, where `F_j` is the recursion over the stages of field `j`
/// alone: a stage of that field changes `v_j` only, so its distance and both sides of its maximum
/// differ from the recursion of the field by the same sum of the others. The values are free, so
/// the largest sum is that of the largest.
fn by_field(program: &CubeProgram, placement: &ProductPlacement, timing: MessageTiming) -> u64 {
    FieldLine::all(placement).iter().map(|field| last_of_field(program, field, timing)).sum()
}

/// The largest `F_j`.
fn last_of_field(program: &CubeProgram, field: &FieldLine, timing: MessageTiming) -> u64 {
    let cost = |distance| (program.compute() + timing.transfer(distance)).get();
    let mut times = vec![0; usize::try_from(field.extent().length()).unwrap_or(usize::MAX)];
    for bit in program.stages().iter().filter_map(|&dimension| field.bit(dimension)) {
        for Pair { low, positions: [from, to] } in field.pairs(bit) {
            let (low, high) = (low as usize, (low | bit) as usize);
            let end = times[low].max(times[high]) + cost(field.extent().distance(from, to));
            (times[low], times[high]) = (end, end);
        }
    }
    times.into_iter().max().unwrap_or(0)
}

/// The number of processes of a block: as many as fit in the L2 cache, and enough work for a
/// thread.
const BLOCK: usize = 1 << 14;

/// The largest `T_(S-1)` \[cycles\], from every process of any placement.
fn by_process(program: &CubeProgram, placement: &Placement, timing: MessageTiming) -> u64 {
    let (nodes, machine) = (placement.listed_nodes(), placement.machine());
    if machine.graph().is_some() {
        return last_of_processes(program, &nodes, timing, |low, high| machine.distance(low, high));
    }
    let axes = machine.axes();
    last_of_processes(program, &nodes, timing, |low, high| axes_distance(axes, low, high))
}

/// The largest time of all processes on `nodes`, given the distances between them.
fn last_of_processes(
    program: &CubeProgram,
    nodes: &[NodeId],
    timing: MessageTiming,
    distance: impl Fn(NodeId, NodeId) -> u64 + Sync,
) -> u64 {
    let compute = program.compute();
    let cost = |low, high| (compute + timing.transfer(distance(low, high))).get();
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
