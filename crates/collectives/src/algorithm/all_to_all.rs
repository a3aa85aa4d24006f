//! All-to-all: every rank has a block for every other.
//!
//! Pairwise has a stage for each difference of ranks: at
//! stage `s` of `1 .. P - 1` a rank exchanges with `r xor s` if `P` is a power of two; else it
//! sends to `r + s` and receives from `r - s`. By-dimension has a stage for each dimension, in
//! which every rank sends every other on its line the items whose destination has that coordinate
//! (`docs/model.md` section 16).

use cubefold_topology::narrow;

use super::{AlgorithmDescriptor, other_end};
use crate::{
    Operation,
    plan::{Plan, PlanContext},
    rank_grid::RankGrid,
    schedule::{End, Payload, Place, StageSchedule},
    vector::BlockTable,
};

pub(super) static PAIRWISE: AlgorithmDescriptor = AlgorithmDescriptor {
    name: "pairwise",
    summary: "one partner a stage, P-1 stages",
    source: "Thakur, Rabenseifner & Gropp 2005",
    operations: &[Operation::AllToAll],
    plan: |context| {
        let blocks = context.blocks[0].clone();
        Plan::copying(PairwiseSchedule { has_empty_blocks: blocks.sizes().contains(&0), blocks })
    },
    ..AlgorithmDescriptor::BLANK
};

pub(super) static BY_DIMENSION: AlgorithmDescriptor = AlgorithmDescriptor {
    name: "by-dimension",
    summary: "one dimension a stage, all processes of a line with each other",
    source: "folklore",
    operations: &[Operation::AllToAll],
    table_bytes: |asked| {
        let entries = asked.rank_count().saturating_mul(asked.shape.dimension_count() as u64);
        entries.saturating_mul(size_of::<u64>() as u64)
    },
    plan: |context| Plan::copying(ByDimensionSchedule::new(context)),
    ..AlgorithmDescriptor::BLANK
};

/// One partner a stage.
#[derive(Debug)]
struct PairwiseSchedule {
    blocks: BlockTable,
    has_empty_blocks: bool,
}

impl StageSchedule for PairwiseSchedule {
    fn stage_count(&self) -> usize {
        self.blocks.count() as usize - 1
    }

    fn list(&self, stage: usize, place: Place, end: End, add: &mut dyn FnMut(u32, u64)) {
        let (count, step) = (self.blocks.count(), narrow(stage as u64) + 1);
        let is_power = count.is_power_of_two();
        let peer = if is_power { place.rank ^ step } else { other_end(place.rank, step, count, end) };
        let units = self.blocks.size(if end == End::Source { peer } else { place.rank });
        if units > 0 {
            add(peer, units);
        }
    }

    fn representative(&self, stage: usize, _: u32) -> usize {
        // In every stage each rank receives its block. With empty blocks, the ranks that send nothing vary.
        if self.has_empty_blocks { stage } else { 0 }
    }

    fn payload(&self, _: usize, _: u32, source: u32, destination: u32) -> Payload {
        Payload::Items(vec![(source, destination)])
    }
}

/// All pairs of a line, one dimension a stage.
///
/// Before stage `i` a rank holds the items whose origin agrees with it in dimensions `i` and up,
/// and whose destination agrees with it below.
#[derive(Debug)]
struct ByDimensionSchedule {
    grid: RankGrid,
    units: Vec<Vec<u64>>, // by stage, then destination: the size of each message of the stage to it
}

impl ByDimensionSchedule {
    fn new(context: &PlanContext) -> Self {
        let grid = context.grid.clone();
        let units_of_stage = |stage: usize| -> Vec<u64> {
            let origins: u64 = grid.sides()[..stage].iter().copied().map(u64::from).product();
            let mut units = context.blocks[0].sizes();
            (stage + 1..grid.dimension_count()).for_each(|later| grid.sum_lines(&mut units, later));
            units.into_iter().map(|units| units * origins).collect()
        };
        let units = (0..grid.dimension_count()).map(units_of_stage).collect();
        Self { grid, units }
    }
}

impl StageSchedule for ByDimensionSchedule {
    fn stage_count(&self) -> usize {
        self.units.len()
    }

    fn list(&self, stage: usize, place: Place, end: End, add: &mut dyn FnMut(u32, u64)) {
        let units = &self.units[stage];
        for coordinate in 0..self.grid.sides()[stage] {
            let peer = self.grid.with_coordinate(place.rank, stage, coordinate);
            let units = units[if end == End::Source { peer } else { place.rank } as usize];
            if peer != place.rank && units > 0 {
                add(peer, units);
            }
        }
    }

    fn max_messages(&self, _: End) -> u32 {
        self.grid.sides().iter().max().map_or(0, |side| side - 1)
    }

    fn payload(&self, stage: usize, _: u32, source: u32, destination: u32) -> Payload {
        let origins = self.grid.agreeing(source, |dimension| dimension < stage).into_iter();
        let destinations = self.grid.agreeing(destination, |dimension| dimension > stage);
        Payload::Items(origins.flat_map(|origin| destinations.iter().map(move |&to| (origin, to))).collect())
    }
}
