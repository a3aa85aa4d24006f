//! Bucket: a ring reduce-scatter in one dimension after another, and all-gathers backwards.
//!
//! Phase `f` of share `c` goes along dimension `(c + f) mod D`, in direction `+` for `c < D`, `-`
//! for the others. At its stage `s` a process sends to its neighbour the blocks of its reach with
//! coordinate `x - sign (1 + s)` in this dimension: its own coordinates in the dimensions of
//! earlier phases, all in those of later ones. The all-gather runs the phases backwards, with
//! coordinate `x - sign s`. Every phase lasts as long as its longest dimension among the shares;
//! between two phases the shares of a rank wait for each other (Jain & Sabharwal 2010; Sack & Gropp
//! 2015; `docs/model.md` section 16).

use std::sync::Arc;

use cubefold_topology::Sign;

use super::{AlgorithmDescriptor, Half, ShareRule};
use crate::{
    Operation,
    plan::{Plan, PlanContext},
    rank_grid::RankGrid,
    schedule::{End, Payload, Place, StageSchedule},
    vector::{BlockTable, longest_gap},
};

pub(super) static BUCKET: AlgorithmDescriptor = AlgorithmDescriptor {
    name: "bucket",
    summary: "rings in one dimension after another; neighbours only, all links with all ports",
    source: "Jain & Sabharwal 2010; Sack & Gropp 2015",
    operations: &[Operation::AllReduce, Operation::ReduceScatter, Operation::AllGather],
    shares: ShareRule::Ports,
    plan,
    ..AlgorithmDescriptor::BLANK
};

/// One share in one phase.
#[derive(Debug, Clone)]
struct BucketShare {
    dimension: usize,
    sign: Sign,
    later: Vec<usize>, // the dimensions of later phases of the reduce-scatter
    units: Arc<[u64]>, // by rank: the units of the blocks that agree with it outside of the later dimensions
}

/// One phase of all shares.
#[derive(Debug, Clone)]
struct BucketPhase {
    grid: RankGrid,
    half: Half,
    shares: Vec<BucketShare>,
    is_even: bool,      // whether the blocks of each share have the same size
    longest_gap: usize, // from a rank that sends first to the next on its line
}

impl BucketPhase {
    /// Returns a phase of the reduce-scatter.
    fn new(context: &PlanContext, phase: usize) -> Self {
        let grid = &context.grid;
        let dimension_count = grid.dimension_count();
        let share = |(share, blocks): (usize, &BlockTable)| {
            let dimension_of = |phase: usize| (share + phase) % dimension_count;
            let later: Vec<usize> = (phase + 1..dimension_count).map(dimension_of).collect();
            let mut units = blocks.sizes();
            for &dimension in &later {
                grid.sum_lines(&mut units, dimension);
            }
            let sign = if share < dimension_count { Sign::Positive } else { Sign::Negative };
            BucketShare { dimension: dimension_of(phase), sign, later, units: units.into() }
        };
        let shares: Vec<BucketShare> = context.blocks.iter().enumerate().map(share).collect();
        let gap = |share: &BucketShare| {
            let mut longest = 0;
            grid.transform_lines(&mut share.units.to_vec(), share.dimension, |line| {
                longest = longest.max(longest_gap(line.iter().copied()));
            });
            longest
        };
        let longest_gap = shares.iter().map(gap).max().unwrap_or(0);
        let is_even = context.blocks.iter().all(BlockTable::is_even);
        Self { grid: grid.clone(), half: Half::ReduceScatter, shares, is_even, longest_gap }
    }

    /// Returns the phase of the all-gather along the same dimensions.
    fn gathering(&self) -> Self {
        Self { half: Half::AllGather, ..self.clone() }
    }

    /// Returns the coordinate `steps <= k` before `x` in the direction of a share.
    fn before(&self, share: &BucketShare, x: u32, steps: u32) -> u32 {
        let side = self.grid.sides()[share.dimension];
        let sum = match share.sign {
            Sign::Positive => x + side - steps,
            Sign::Negative => x + steps,
        };
        if sum >= side { sum - side } else { sum }
    }

    /// Returns the coordinate of the blocks that coordinate `x` sends.
    fn block_coordinate(&self, share: &BucketShare, stage: usize, x: u32) -> u32 {
        self.before(share, x, self.half.distance(stage))
    }
}

impl StageSchedule for BucketPhase {
    fn stage_count(&self) -> usize {
        let sides = self.shares.iter().map(|share| self.grid.sides()[share.dimension]);
        sides.max().map_or(0, |side| side as usize - 1)
    }

    fn list(&self, stage: usize, place: Place, end: End, add: &mut dyn FnMut(u32, u64)) {
        let share = &self.shares[place.share as usize];
        let side = self.grid.sides()[share.dimension];
        if stage + 1 >= side as usize {
            return;
        }
        let x = self.grid.coordinate(place.rank, share.dimension);
        let peer = self.before(share, x, if end == End::Source { side - 1 } else { 1 });
        let source = if end == End::Source { x } else { peer };
        let at = |coordinate| self.grid.with_coordinate(place.rank, share.dimension, coordinate);
        let units = share.units[at(self.block_coordinate(share, stage, source)) as usize];
        if units > 0 {
            add(at(peer), units);
        }
    }

    fn representative(&self, stage: usize, share: u32) -> usize {
        let side = self.grid.sides()[self.shares[share as usize].dimension];
        if stage + 1 < side as usize { 0 } else { stage }
    }

    fn repeats(&self, stage: usize) -> bool {
        let ends_here = |share: &BucketShare| stage + 1 == self.grid.sides()[share.dimension] as usize;
        stage > 0 && self.is_even && !self.shares.iter().any(ends_here)
    }

    /// See the ring.
    fn adds_no_pairs(&self, stage: usize) -> bool {
        stage > 0 && stage >= self.longest_gap
    }

    fn payload(&self, stage: usize, share: u32, source: u32, _: u32) -> Payload {
        let share = &self.shares[share as usize];
        let x = self.grid.coordinate(source, share.dimension);
        let block = self.block_coordinate(share, stage, x);
        let rank = self.grid.with_coordinate(source, share.dimension, block);
        Payload::Blocks(self.grid.agreeing(rank, |dimension| share.later.contains(&dimension)))
    }
}

fn plan(context: &PlanContext) -> Plan {
    let phases: Vec<_> =
        (0..context.grid.dimension_count()).map(|phase| BucketPhase::new(context, phase)).collect();
    let mut plan = Plan::default();
    if context.operation() != Operation::AllGather {
        for phase in &phases {
            plan.synchronise();
            plan.reduce(phase.clone());
        }
    }
    if context.operation() != Operation::ReduceScatter {
        for phase in phases.iter().rev() {
            plan.synchronise();
            plan.copy(phase.gathering());
        }
    }
    plan
}
