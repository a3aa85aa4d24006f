//! Rings: reduce-scatter and all-gather block by block along cycles of all ranks.
//!
//! Numbers are positions on a cycle, modulo `P`. At stage `s` of the reduce-scatter position `p`
//! sends block `p - 1 - s` to `p + 1`, at stage `s` of the all-gather block `p - s`; a block is
//! that of the rank at the position (Patarasuk & Yuan 2009; `docs/model.md` section 16). A cycle in
//! the opposite direction is the reflection.

use cubefold_topology::narrow;

use super::{
    Algorithm, AlgorithmDescriptor, Plan, PlanContext, ShapeRequirement, ShareRule, hamiltonian_sides,
};
use crate::{
    Operation,
    schedule::{End, Payload, PeerMessage, Place, StageSchedule},
    vector::{BlockTable, longest_gap},
};

pub(super) static RING: AlgorithmDescriptor = AlgorithmDescriptor {
    algorithm: Algorithm::Ring,
    name: "ring",
    summary: "block by block from process to process; P-1 stages for each half, no waste of bandwidth",
    source: "Patarasuk & Yuan 2009",
    operations: &[Operation::AllReduce, Operation::ReduceScatter, Operation::AllGather],
    exchange_operations: &[],
    shares: ShareRule::One,
    shapes: ShapeRequirement::Any,
    whole_shapes: ShapeRequirement::Any,
    plan: |context| plan(context, &[Cycle::natural(Heading::Forward)]),
};

pub(super) static BIDIRECTIONAL_RING: AlgorithmDescriptor = AlgorithmDescriptor {
    algorithm: Algorithm::BidirectionalRing,
    name: "bidirectional-ring",
    summary: "two rings side by side in opposite directions, each with half of the vector",
    source: "Patarasuk & Yuan 2009",
    operations: &[Operation::AllReduce, Operation::ReduceScatter, Operation::AllGather],
    exchange_operations: &[],
    shares: ShareRule::Two,
    shapes: ShapeRequirement::Any,
    whole_shapes: ShapeRequirement::Any,
    plan: |context| plan(context, &[Cycle::natural(Heading::Forward), Cycle::natural(Heading::Backward)]),
};

pub(super) static HAMILTONIAN_RINGS: AlgorithmDescriptor = AlgorithmDescriptor {
    algorithm: Algorithm::HamiltonianRings,
    name: "hamiltonian-rings",
    summary: "four rings on two cycles that share no link, in both directions, each with a quarter",
    source: "Hoefler et al. 2022 (HammingMesh); De Sensi et al. 2024, 2.3.1",
    operations: &[Operation::AllReduce, Operation::ReduceScatter, Operation::AllGather],
    exchange_operations: &[],
    shares: ShareRule::Four,
    shapes: ShapeRequirement::HamiltonianCycles,
    whole_shapes: ShapeRequirement::HamiltonianCycles,
    plan: plan_hamiltonian,
};

/// The direction in which a ring goes round its cycle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Heading {
    Forward,
    Backward,
}

/// A cycle through all ranks, and the direction of the ring on it.
#[derive(Debug, Clone)]
struct Cycle {
    order: Option<CycleOrder>, // none where ranks are in their own order
    heading: Heading,
}

/// The ranks in the order of a cycle.
#[derive(Debug, Clone)]
struct CycleOrder {
    ranks: Vec<u32>,     // by position
    positions: Vec<u32>, // by rank
}

impl Cycle {
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

/// Which half of an all-reduce.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Half {
    ReduceScatter,
    AllGather,
}

/// Rings, one a share.
#[derive(Debug, Clone)]
pub(crate) struct RingSchedule {
    cycles: Vec<Cycle>,
    blocks: Vec<BlockTable>,
    rank_count: u32,
    half: Half,
    longest_gap: usize, // from a rank whose block has units to the next on its cycle
}

impl RingSchedule {
    /// Returns the all-gather along the ranks in their own order, in one share.
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

    /// The position `steps <= P` after another in the direction of the ring.
    fn after(&self, heading: Heading, position: u32, steps: u32) -> u32 {
        let forward = match heading {
            Heading::Forward => u64::from(steps),
            Heading::Backward => u64::from(self.rank_count) - u64::from(steps),
        };
        let sum = u64::from(position) + forward; // below twice the number of ranks, which a steps of 0 may reach
        let count = u64::from(self.rank_count);
        narrow(if sum >= count { sum - count } else { sum })
    }

    fn before(&self, heading: Heading, position: u32, steps: u32) -> u32 {
        let opposite = match heading {
            Heading::Forward => Heading::Backward,
            Heading::Backward => Heading::Forward,
        };
        self.after(opposite, position, steps)
    }

    /// The block that the rank at a position sends.
    fn block(&self, stage: usize, cycle: &Cycle, position: u32) -> u32 {
        cycle.rank(self.before(cycle.heading, position, self.steps(stage)))
    }

    /// How far a block has come from the rank that it is of, before a stage.
    fn steps(&self, stage: usize) -> u32 {
        match self.half {
            Half::ReduceScatter => narrow(stage as u64) + 1,
            Half::AllGather => narrow(stage as u64),
        }
    }
}

impl StageSchedule for RingSchedule {
    fn stage_count(&self) -> usize {
        self.rank_count as usize - 1
    }

    #[inline]
    fn candidate_count(&self, _: usize, _: Place, _: End) -> u32 {
        1
    }

    #[inline]
    fn candidate(&self, stage: usize, place: Place, end: End, _: u32) -> Option<PeerMessage> {
        let cycle = &self.cycles[place.share as usize];
        let position = cycle.position(place.rank);
        let (peer, source) = match end {
            End::Source => (self.after(cycle.heading, position, 1), position),
            End::Destination => {
                let previous = self.before(cycle.heading, position, 1);
                (previous, previous)
            }
        };
        let units = self.blocks[place.share as usize].size(self.block(stage, cycle, source));
        (units > 0).then(|| (cycle.rank(peer), units))
    }

    /// Block by block: of a short vector most ranks have none.
    fn visit(&self, stage: usize, share: u32, ranks: u32, end: End, visit: &mut dyn FnMut(u32, u32, u64)) {
        let (cycle, blocks) = (&self.cycles[share as usize], &self.blocks[share as usize]);
        let steps = self.steps(stage);
        for block in 0..ranks {
            let units = blocks.size(block);
            if units > 0 {
                let source = self.after(cycle.heading, cycle.position(block), steps);
                let destination = self.after(cycle.heading, source, 1);
                let [source, destination] = [source, destination].map(|position| cycle.rank(position));
                match end {
                    End::Source => visit(source, destination, units),
                    End::Destination => visit(destination, source, units),
                }
            }
        }
    }

    fn representative(&self, _: usize, _: u32) -> usize {
        0
    }

    fn repeats(&self, stage: usize) -> bool {
        stage > 0 && self.blocks.iter().all(BlockTable::is_even)
    }

    /// Blocks move one rank a stage: before they are where the next with units began, every rank has sent.
    fn adds_no_pairs(&self, stage: usize) -> bool {
        stage > 0 && stage >= self.longest_gap
    }

    fn max_candidates(&self, _: End) -> u32 {
        1
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

/// The plan on the two cycles of [`hamiltonian_cycles`], both forward, then both backward.
fn plan_hamiltonian(context: &PlanContext) -> Plan {
    let cycles = hamiltonian_cycles(context);
    let with_heading = |heading| {
        cycles.iter().map(move |order| Cycle { order: Some(order.clone()), heading }).collect::<Vec<_>>()
    };
    plan(context, &[with_heading(Heading::Forward), with_heading(Heading::Backward)].concat())
}

/// Two Hamiltonian cycles without a common link (`docs/model.md` section 16).
///
/// The first repeats `c - 1` moves along the side `c` and one along `r`, from rank 0. The second is
/// the links left over, from rank 0 along `r`: where the first leaves a rank along one side, the
/// second leaves along the other.
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
    [first, second.take(leaves_along_c.len()).collect()].map(|ranks: Vec<u32>| {
        let mut positions = vec![0; ranks.len()];
        (0..).zip(&ranks).for_each(|(position, &rank)| positions[rank as usize] = position);
        CycleOrder { ranks, positions }
    })
}
