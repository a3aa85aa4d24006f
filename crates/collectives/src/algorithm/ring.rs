//! Rings: reduce-scatter and all-gather block by block along cycles of all ranks.
//!
//! Numbers are positions on a cycle, modulo `P`. At stage `s` of the reduce-scatter position `p`
//! sends block `p - 1 - s` to `p + 1`, at stage `s` of the all-gather block `p - s`; a block
//! belongs to the rank at the position (Patarasuk & Yuan 2009; `docs/model.md` section 16). A cycle in
//! the opposite direction is the reflection.

use super::{
    AlgorithmDescriptor, Half, ShapeRequirement, ShareRule, add_modulo, channels,
    shape_requirement::hamiltonian_sides,
};
use crate::{
    Operation,
    plan::{Plan, PlanContext},
    schedule::{End, Payload, Place, StageSchedule},
    vector::{BlockTable, longest_gap},
};

pub(super) static RING: AlgorithmDescriptor = AlgorithmDescriptor {
    name: "ring",
    summary: "block by block from process to process; P-1 stages for each half, no waste of bandwidth",
    source: "Patarasuk & Yuan 2009",
    operations: &[Operation::AllReduce, Operation::ReduceScatter, Operation::AllGather],
    channel_operations: &[Operation::AllReduce, Operation::ReduceScatter, Operation::AllGather],
    table_bytes: |asked| match &asked.channels {
        Some(channels) => {
            asked.rank_count().saturating_mul(u64::from(channels.count.get()) * CycleOrder::BYTES_A_RANK)
        }
        None => 0,
    },
    plan: |context| match &context.specification.channels {
        Some(channels) => {
            let cycle = |channel| {
                let ranks = channels::ring(context.specification, channels, channel);
                Cycle::through(CycleOrder::new(ranks), Heading::Forward)
            };
            plan(context, &(0..channels.count.get()).map(cycle).collect::<Vec<_>>())
        }
        None => plan(context, &[Cycle::natural(Heading::Forward)]),
    },
    ..AlgorithmDescriptor::BLANK
};

pub(super) static BIDIRECTIONAL_RING: AlgorithmDescriptor = AlgorithmDescriptor {
    name: "bidirectional-ring",
    summary: "two rings side by side in opposite directions, each with half of the vector",
    source: "Patarasuk & Yuan 2009",
    operations: &[Operation::AllReduce, Operation::ReduceScatter, Operation::AllGather],
    shares: ShareRule::Two,
    plan: |context| plan(context, &[Cycle::natural(Heading::Forward), Cycle::natural(Heading::Backward)]),
    ..AlgorithmDescriptor::BLANK
};

pub(super) static HAMILTONIAN_RINGS: AlgorithmDescriptor = AlgorithmDescriptor {
    name: "hamiltonian-rings",
    summary: "four rings on two cycles that share no link, in both directions, each with a quarter",
    source: "Hoefler et al. 2022 (HammingMesh); De Sensi et al. 2024, 2.3.1",
    operations: &[Operation::AllReduce, Operation::ReduceScatter, Operation::AllGather],
    shares: ShareRule::Four,
    shapes: ShapeRequirement::HamiltonianCycles,
    whole_shapes: ShapeRequirement::HamiltonianCycles,
    plan: plan_hamiltonian,
    ..AlgorithmDescriptor::BLANK
};

/// The direction of a ring on its cycle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Heading {
    Forward,
    Backward,
}

/// A cycle through all ranks, and the direction of the ring on it.
#[derive(Debug, Clone)]
struct Cycle {
    order: Option<CycleOrder>, // `None` for ranks in ascending order
    heading: Heading,
}

/// The ranks in the order of a cycle.
#[derive(Debug, Clone)]
struct CycleOrder {
    ranks: Vec<u32>,     // by position
    positions: Vec<u32>, // by rank
}

impl CycleOrder {
    // In the cycles, and in the copies of each half.
    const BYTES_A_RANK: u64 = 3 * 2 * size_of::<u32>() as u64;

    fn new(ranks: Vec<u32>) -> Self {
        let mut positions = vec![0; ranks.len()];
        for (position, &rank) in (0..).zip(&ranks) {
            positions[rank as usize] = position;
        }
        Self { ranks, positions }
    }
}

impl Cycle {
    /// Returns the ring through the ranks in this order.
    fn through(order: CycleOrder, heading: Heading) -> Self {
        Self { order: Some(order), heading }
    }

    const fn natural(heading: Heading) -> Self {
        Self { order: None, heading }
    }

    fn rank(&self, position: u32) -> u32 {
        self.order.as_ref().map_or(position, |order| order.ranks[position as usize])
    }

    fn position(&self, rank: u32) -> u32 {
        self.order.as_ref().map_or(rank, |order| order.positions[rank as usize])
    }
}

/// Rings, one a share.
#[derive(Debug)]
pub(super) struct RingSchedule {
    cycles: Vec<Cycle>,
    blocks: Vec<BlockTable>,
    rank_count: u32,
    half: Half,
    longest_gap: usize, // from a rank whose block has units to the next on its cycle
}

impl RingSchedule {
    /// Returns the all-gather along the ranks in ascending order, in one share.
    pub(super) fn all_gather(context: &PlanContext) -> Self {
        Self::new(context, &[Cycle::natural(Heading::Forward)], Half::AllGather)
    }

    fn new(context: &PlanContext, cycles: &[Cycle], half: Half) -> Self {
        let rank_count = context.grid.rank_count();
        let gap = |(cycle, blocks): (&Cycle, &BlockTable)| {
            longest_gap((0..rank_count).map(|position| blocks.size(cycle.rank(position))))
        };
        let longest_gap = cycles.iter().zip(&context.blocks).map(gap).max().unwrap_or(0);
        Self { cycles: cycles.to_vec(), blocks: context.blocks.clone(), rank_count, half, longest_gap }
    }

    /// Returns the position `steps <= P` after another in a direction.
    fn after(&self, heading: Heading, position: u32, steps: u32) -> u32 {
        let forward = match heading {
            Heading::Forward => steps,
            Heading::Backward => self.rank_count - steps,
        };
        add_modulo(position, forward, self.rank_count)
    }

    /// Returns the position `steps <= P` before another in a direction.
    fn before(&self, heading: Heading, position: u32, steps: u32) -> u32 {
        self.after(heading, position, self.rank_count - steps)
    }

    /// Returns the block that the rank at a position sends.
    fn block(&self, stage: usize, cycle: &Cycle, position: u32) -> u32 {
        cycle.rank(self.before(cycle.heading, position, self.half.distance(stage)))
    }
}

impl StageSchedule for RingSchedule {
    fn stage_count(&self) -> usize {
        self.rank_count as usize - 1
    }

    fn list(&self, stage: usize, place: Place, end: End, add: &mut dyn FnMut(u32, u64)) {
        let cycle = &self.cycles[place.share as usize];
        let position = cycle.position(place.rank);
        let peer = match end {
            End::Source => self.after(cycle.heading, position, 1),
            End::Destination => self.before(cycle.heading, position, 1),
        };
        let source = if end == End::Source { position } else { peer };
        let units = self.blocks[place.share as usize].size(self.block(stage, cycle, source));
        if units > 0 {
            add(cycle.rank(peer), units);
        }
    }

    /// Visits block by block, since most ranks have none of a short vector.
    fn visit(&self, stage: usize, share: u32, ranks: u32, end: End, visit: &mut dyn FnMut(u32, u32, u64)) {
        let (cycle, blocks) = (&self.cycles[share as usize], &self.blocks[share as usize]);
        for block in (0..ranks).filter(|&block| blocks.size(block) > 0) {
            let source = self.after(cycle.heading, cycle.position(block), self.half.distance(stage));
            let destination = self.after(cycle.heading, source, 1);
            let [source, destination] = [source, destination].map(|position| cycle.rank(position));
            match end {
                End::Source => visit(source, destination, blocks.size(block)),
                End::Destination => visit(destination, source, blocks.size(block)),
            }
        }
    }

    fn representative(&self, _: usize, _: u32) -> usize {
        0
    }

    fn repeats(&self, stage: usize) -> bool {
        stage > 0 && self.blocks.iter().all(BlockTable::is_even)
    }

    /// Blocks move one rank a stage: when each has reached the start of the next one with units, every rank
    /// has sent.
    fn adds_no_pairs(&self, stage: usize) -> bool {
        stage > 0 && stage >= self.longest_gap
    }

    fn payload(&self, stage: usize, share: u32, source: u32, _: u32) -> Payload {
        let cycle = &self.cycles[share as usize];
        Payload::Blocks(vec![self.block(stage, cycle, cycle.position(source))])
    }
}

fn plan(context: &PlanContext, cycles: &[Cycle]) -> Plan {
    let mut plan = Plan::default();
    if context.operation() != Operation::AllGather {
        plan.reduce(RingSchedule::new(context, cycles, Half::ReduceScatter));
    }
    if context.operation() != Operation::ReduceScatter {
        plan.copy(RingSchedule::new(context, cycles, Half::AllGather));
    }
    plan
}

/// Returns the plan on the two cycles of [`hamiltonian_cycles`], both forward, then both backward.
fn plan_hamiltonian(context: &PlanContext) -> Plan {
    let cycles = hamiltonian_cycles(context);
    let along = |heading| cycles.clone().map(|order| Cycle::through(order, heading));
    plan(context, &[along(Heading::Forward), along(Heading::Backward)].concat())
}

/// Returns two Hamiltonian cycles without a common link (`docs/model.md` section 16).
///
/// The first repeats `c - 1` moves along the side `c` and one along `r`, from rank 0. The second takes
/// the links left over, from rank 0 along `r`: it leaves each rank along the side that the first does
/// not take there.
fn hamiltonian_cycles(context: &PlanContext) -> [CycleOrder; 2] {
    let grid = &context.grid;
    let (r_dimension, c_dimension) = hamiltonian_sides(grid.sides()).unwrap_or_default();
    let c = grid.sides()[c_dimension];
    let next = |rank: u32, dimension: usize| {
        let coordinate = (grid.coordinate(rank, dimension) + 1) % grid.sides()[dimension];
        grid.with_coordinate(rank, dimension, coordinate)
    };
    // Positive moves alone: each rank is left once along each side, by one cycle or the other.
    let mut leaves_along_c = vec![false; grid.rank_count() as usize];
    let mut first = Vec::with_capacity(leaves_along_c.len());
    let mut at = 0;
    for move_number in 0..grid.rank_count() {
        first.push(at);
        leaves_along_c[at as usize] = (move_number + 1) % c != 0;
        at = next(at, if leaves_along_c[at as usize] { c_dimension } else { r_dimension });
    }
    let second = std::iter::successors(Some(0), |&rank| {
        Some(next(rank, if leaves_along_c[rank as usize] { r_dimension } else { c_dimension }))
    });
    [first, second.take(leaves_along_c.len()).collect()].map(CycleOrder::new)
}
