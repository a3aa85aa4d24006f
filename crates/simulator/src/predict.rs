//! The makespan without contention, and a lower bound of the makespan.
//!
//! Both follow from distances and sizes: the recursion of González & Valero 1993, 2.1, for one placement,
//! with the times of messages with sizes (`docs/model.md` section 15), and the least distances of a machine
//! for all placements (sections 5 and 15).

use cubefold_mapping::{BoundSource, Placement, PlacementForm, ProcessId, ProductPlacement, least_distances};
use cubefold_topology::{NodeId, axes_distance, narrow};
use rayon::prelude::*;

use crate::{
    Communication, CubeProgram, Cycle, Cycles, MessageRoutes, MessageTiming, Program, Special, Switching,
    field_line::{FieldLine, Pair},
    stage_recursion::{LastReceived, ListedStage, PlacedProgram, common_step},
};

/// The makespan of a program without contention and with a processor for every process
/// (`docs/model.md` sections 5 and 15).
///
/// The finish `T_s(n)` is the largest of `C_s(n) + T_(s-1)(n)` and, over the messages `a -> n` of
/// the stage, `transfer` after `C_s(a) + T_(s-1)(a)` for eager messages, after the larger of this for
/// `a` and `n` under rendezvous; for compute-and-communicate programs that is the recursion of
/// González & Valero 1993, 2.1. No run takes less. Under rendezvous with one process per node, an asynchronous
/// run without blocked cycles takes exactly this.
///
/// # Complexity
///
/// O(S P) for S stages and P processes, with one or two words of memory per process; less if stages repeat;
/// for a compute-and-communicate program under a product placement O(S k) for lines of k nodes, with a word
/// per node of a line.
///
/// # Panics
///
/// If the placement has another number of processes than the program.
///
/// Of a job it is the time of its steps one after another: its prediction only if they are a
/// [chain](crate::Job::is_chain).
#[must_use]
pub fn predict(program: &dyn Program, placement: &Placement, communication: Communication) -> Cycle {
    assert_eq!(placement.process_count(), program.process_count(), "a placement of another guest");
    let are_alike = placement.machine().link_times().is_none();
    let cube = program.special().cube().filter(|_| communication.routes() == MessageRoutes::OfMachine);
    Cycle::new(match (cube, placement.form()) {
        (Some(cube), PlacementForm::Product(product)) => by_field(cube, product, communication),
        (Some(cube), PlacementForm::Table(_) | PlacementForm::Construction(_)) if are_alike => {
            by_pair(cube, placement, communication)
        }
        (Some(_) | None, _) => by_process(program, placement, communication),
    })
}

/// A lower bound of the makespan for all one-to-one placements of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LowerBound {
    /// `sum of (T_a + u (L_s - g)) + (l + u g) B` \[cycles\], with the mean of computations that differ; `d T_a + T_c B`
    /// for messages of one unit; over routers with
    /// finite buffers `sum of (T_a + 2m + 2 + R + L_s) + (R + l + 1) B`.
    pub cycles: Cycles,
    /// The source of the bound.
    pub source: BoundSource,
}

/// The lower bound of the makespan of `program` on the machine of `placement` for any placement
/// (`docs/model.md` section 15).
///
/// `None` unless it is a compute-and-communicate program on a cube of one part, the stages use every dimension exactly once, every
/// node has one process, the lengths are powers of two, all links are alike, messages go by rendezvous, and the grain
/// `g`, the units that a link stores before it forwards them, is the same in all stages.
#[must_use]
pub fn lower_bound(
    program: &dyn Program,
    placement: &Placement,
    communication: Communication,
) -> Option<LowerBound> {
    let is_of_cube = match program.special() {
        Special::Cube(cube) => cube.uses_every_dimension_once(),
        Special::Pipelined(exchange) => exchange.is_one_exchange_a_dimension(),
        Special::Tasks(_) | Special::Job(_) | Special::RandomAccess(_) | Special::None => false,
    };
    let fills = placement.is_one_to_one() && program.process_count() == placement.machine().node_count();
    let are_alike = placement.machine().link_times().is_none();
    if !(is_of_cube && fills && are_alike) {
        return None;
    }
    let sizes = || (0..program.stage_count()).map(|stage| program.max_units(stage));
    let grain = |units: u64| match communication.switching() {
        _ if communication.routers().is_some() => 1,
        Switching::CutThrough => 1,
        Switching::StoreAndForward => communication.packet().map_or(units, |packet| packet.get().min(units)),
    };
    let first = grain(program.max_units(0));
    if sizes().any(|units| grain(units) != first || communication.is_eager(units)) {
        return None;
    }
    let least = least_distances(placement.machine())?;
    let behind_head: Cycles = sizes()
        .map(|units| {
            let timing = communication.timing_of(units);
            timing.receipt() - timing.head()
        })
        .sum();
    // A walk through the partners of the stages that visits every process with equal probability meets the mean of their
    // computations (section 29.1).
    let compute = program.facts().total_compute.div_ceil(program.process_count().into());
    let compute = Cycles::new(u64::try_from(compute).ok()?);
    // A message needs at least the time of its head for a link.
    let head = communication.timing_of(first).head();
    let cycles = compute + behind_head + head * least.sum;
    Some(LowerBound { cycles, source: least.source })
}

/// The time that a stage adds to the times of two partners.
#[derive(Clone, Copy)]
struct StageCost {
    compute: u64,
    timing: MessageTiming,
    is_eager: bool,
}

impl StageCost {
    fn new(program: &CubeProgram, communication: Communication, stage: usize) -> Self {
        let units = program.max_units(stage);
        Self {
            compute: program.facts().compute.get(),
            timing: communication.timing_of(units),
            is_eager: communication.is_eager(units),
        }
    }

    /// The times of two partners after an exchange over `distance` links.
    #[inline]
    fn exchange(&self, low: u64, high: u64, distance: u64) -> [u64; 2] {
        let transfer = self.timing.transfer(distance).get();
        if self.is_eager {
            [low.max(high + transfer), high.max(low + transfer)].map(|end| end + self.compute)
        } else {
            [low.max(high) + self.compute + transfer; 2]
        }
    }
}

/// The largest `T_(S-1)` \[cycles\], from the fields of a product placement.
///
/// In any order of the dimensions, `T_s(n) = F_1(v_1) + F_2(v_2) + ..` for the values `v_j` of the fields of
/// `n`, where `F_j` is the recursion over the stages of field `j` alone: a stage of that field changes only
/// `v_j`, so its distance and both sides of its maximum differ from the recursion of the field by the same
/// sum of the others. The values are independent, so the largest sum is the sum of the largest.
fn by_field(program: &CubeProgram, placement: &ProductPlacement, communication: Communication) -> u64 {
    let times = placement.machine().link_times();
    let of_field = |(dimension, field): (usize, &FieldLine)| {
        let communication =
            times.map_or(communication, |times| communication.with_links_of(times[dimension]));
        last_of_field(program, field, communication)
    };
    FieldLine::all(placement).iter().enumerate().map(of_field).sum()
}

/// The largest `F_j`.
fn last_of_field(program: &CubeProgram, field: &FieldLine, communication: Communication) -> u64 {
    let mut times = vec![0; usize::try_from(field.extent.length()).unwrap_or(usize::MAX)];
    for (stage, &dimension) in program.stages().iter().enumerate() {
        let Some(bit) = field.bit(dimension) else { continue };
        let cost = StageCost::new(program, communication, stage);
        for Pair { low, positions: [from, to] } in field.pairs(bit) {
            let (low, high) = (low as usize, (low | bit) as usize);
            let distance = field.extent.distance(from, to);
            [times[low], times[high]] = cost.exchange(times[low], times[high], distance);
        }
    }
    times.into_iter().max().unwrap_or(0)
}

/// The largest `T_(S-1)` \[cycles\] of any program, over all processes.
fn by_process(program: &dyn Program, placement: &Placement, communication: Communication) -> u64 {
    let nodes = placement.listed_nodes();
    let placed = PlacedProgram::new(program, placement, &nodes, communication);
    let mut finishes = vec![0; nodes.len()];
    let mut readies = vec![0; nodes.len()];
    let mut stage = 0;
    while stage < program.stage_count() {
        if let Some(job) = program.special().job().filter(|job| job.locate(stage).within == 0) {
            join_shares(&mut finishes, job.rank_count());
        }
        let times = placed.repetitions(stage);
        // A stage of many processes that does not repeat is computed by all threads.
        if times > 1 || nodes.len() <= BLOCK {
            repeat_stage(&ListedStage::new(&placed, stage), times, &mut finishes, &mut readies);
        } else {
            // A process has the label of its place.
            let process = |label: usize| ProcessId::new(narrow(label as u64));
            readies.par_iter_mut().enumerate().with_min_len(BLOCK).for_each(|(label, ready)| {
                *ready = finishes[label] + program.computation(stage, process(label)).get();
            });
            finishes.par_iter_mut().enumerate().with_min_len(BLOCK).for_each_init(
                Vec::new,
                |peers, (label, finish)| {
                    let incoming = placed.incoming(stage, process(label), peers);
                    *finish = LastReceived::of(readies[label], &readies, incoming).finish.max(readies[label]);
                },
            );
        }
        stage += times;
    }
    finishes.into_iter().max().unwrap_or(0)
}

/// The shares of a rank wait for one another before a step of a job begins.
fn join_shares(finishes: &mut [u64], ranks: u64) {
    let ranks = usize::try_from(ranks).unwrap_or(usize::MAX);
    for rank in 0..ranks.min(finishes.len()) {
        let latest = finishes[rank..].iter().step_by(ranks).copied().max().unwrap_or(0);
        finishes[rank..].iter_mut().step_by(ranks).for_each(|finish| *finish = latest);
    }
}

fn repeat_stage(listed: &ListedStage, times: usize, finishes: &mut Vec<u64>, readies: &mut [u64]) {
    let mut next = vec![0; finishes.len()];
    for done in 1..=times {
        listed.become_ready(finishes, readies);
        for (process, finish) in next.iter_mut().enumerate() {
            *finish = listed.last_received(process, readies).finish.max(readies[process]);
        }
        std::mem::swap(finishes, &mut next);
        if let Some(step) = common_step(&next, finishes) {
            let further = step * (times - done) as u64;
            for finish in finishes {
                *finish += further;
            }
            return;
        }
    }
}

/// Number of processes of a block: those that fit in the L2 cache, and enough work for a thread.
const BLOCK: usize = 1 << 14;

/// The largest `T_(S-1)` \[cycles\] of a compute-and-communicate program, from every pair of
/// processes under any placement.
fn by_pair(program: &CubeProgram, placement: &Placement, communication: Communication) -> u64 {
    let (nodes, machine) = (placement.listed_nodes(), placement.machine());
    if machine.is_directed() {
        // The two messages of an exchange differ.
        return by_process(program, placement, communication);
    }
    if machine.graph().is_some() {
        return last_of_pairs(program, &nodes, communication, |low, high| machine.distance(low, high));
    }
    let axes = machine.axes();
    last_of_pairs(program, &nodes, communication, |low, high| axes_distance(axes, low, high))
}

/// The largest time of all processes on `nodes`, given the distances between them.
fn last_of_pairs(
    program: &CubeProgram,
    nodes: &[NodeId],
    communication: Communication,
    distance: impl Fn(NodeId, NodeId) -> u64 + Sync,
) -> u64 {
    let mut times = vec![0; nodes.len()];
    for (stage, dimension) in program.stages().iter().enumerate() {
        let cost = StageCost::new(program, communication, stage);
        let end = |times: [u64; 2], nodes: [NodeId; 2]| {
            cost.exchange(times[0], times[1], distance(nodes[0], nodes[1]))
        };
        exchange(&mut times, nodes, 1 << dimension.index(), &end);
    }
    times.into_iter().max().unwrap_or(0)
}

/// Computes one stage: every pair of neighbours, whose labels differ in `bit`, separately.
fn exchange(
    times: &mut [u64],
    nodes: &[NodeId],
    bit: usize,
    end: &(impl Fn([u64; 2], [NodeId; 2]) -> [u64; 2] + Sync),
) {
    if times.len() <= BLOCK {
        exchange_groups(times, nodes, bit, end);
    } else if 2 * bit <= BLOCK {
        let blocks = times.par_chunks_mut(BLOCK).zip(nodes.par_chunks(BLOCK));
        blocks.for_each(|(times, nodes)| exchange_groups(times, nodes, bit, end));
    } else {
        for (times, nodes) in times.chunks_exact_mut(2 * bit).zip(nodes.chunks_exact(2 * bit)) {
            let ((low, high), (low_nodes, high_nodes)) = (times.split_at_mut(bit), nodes.split_at(bit));
            let times = low.par_chunks_mut(BLOCK).zip(high.par_chunks_mut(BLOCK));
            let nodes = low_nodes.par_chunks(BLOCK).zip(high_nodes.par_chunks(BLOCK));
            times.zip(nodes).for_each(|((low, high), nodes)| exchange_halves(low, high, nodes, end));
        }
    }
}

fn exchange_groups(
    times: &mut [u64],
    nodes: &[NodeId],
    bit: usize,
    end: &impl Fn([u64; 2], [NodeId; 2]) -> [u64; 2],
) {
    for (times, nodes) in times.chunks_exact_mut(2 * bit).zip(nodes.chunks_exact(2 * bit)) {
        let (low, high) = times.split_at_mut(bit);
        exchange_halves(low, high, nodes.split_at(bit), end);
    }
}

fn exchange_halves(
    low: &mut [u64],
    high: &mut [u64],
    (low_nodes, high_nodes): (&[NodeId], &[NodeId]),
    end: &impl Fn([u64; 2], [NodeId; 2]) -> [u64; 2],
) {
    for ((low, high), (&from, &to)) in low.iter_mut().zip(high).zip(low_nodes.iter().zip(high_nodes)) {
        [*low, *high] = end([*low, *high], [from, to]);
    }
}
