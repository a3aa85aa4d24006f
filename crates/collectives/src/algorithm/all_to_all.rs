//! All-to-all: every rank has a block for every other.
//!
//! Direct sends all messages in one stage. Pairwise has a stage for each difference of ranks: at
//! stage `s` of `1 .. P - 1` a rank exchanges with `r xor s` where `P` is a power of two; else it
//! sends to `r + s` and receives from `r - s`. By-dimension has a stage for each dimension, in
//! which every rank sends every other on its line the items whose destination has that coordinate
//! (`docs/model.md` section 16).

use std::num::NonZeroU64;

use cubefold_topology::narrow;

use super::{Algorithm, AlgorithmDescriptor, Plan, PlanContext, ShapeRequirement, ShareRule};
use crate::{
    Operation,
    rank_grid::RankGrid,
    schedule::{End, Payload, PeerMessage, Place, StageSchedule, StageTally},
    vector::BlockTable,
};

pub(super) static DIRECT: AlgorithmDescriptor = AlgorithmDescriptor {
    algorithm: Algorithm::Direct,
    name: "direct",
    summary: "all messages in one stage",
    source: "folklore",
    operations: &[Operation::AllToAll],
    exchange_operations: &[],
    shares: ShareRule::One,
    shapes: ShapeRequirement::Any,
    whole_shapes: ShapeRequirement::Any,
    plan: |context| {
        let mut plan = Plan::default();
        plan.copy(DirectSchedule { blocks: context.blocks[0].clone() });
        plan
    },
};

pub(super) static PAIRWISE: AlgorithmDescriptor = AlgorithmDescriptor {
    algorithm: Algorithm::Pairwise,
    name: "pairwise",
    summary: "one partner a stage, P-1 stages",
    source: "Thakur, Rabenseifner & Gropp 2005",
    operations: &[Operation::AllToAll],
    exchange_operations: &[],
    shares: ShareRule::One,
    shapes: ShapeRequirement::Any,
    whole_shapes: ShapeRequirement::Any,
    plan: |context| {
        let mut plan = Plan::default();
        let blocks = context.blocks[0].clone();
        plan.copy(PairwiseSchedule { has_empty_blocks: blocks.sizes().contains(&0), blocks });
        plan
    },
};

pub(super) static BY_DIMENSION: AlgorithmDescriptor = AlgorithmDescriptor {
    algorithm: Algorithm::ByDimension,
    name: "by-dimension",
    summary: "one dimension a stage, all processes of a line with each other",
    source: "folklore",
    operations: &[Operation::AllToAll],
    exchange_operations: &[],
    shares: ShareRule::One,
    shapes: ShapeRequirement::Any,
    whole_shapes: ShapeRequirement::Any,
    plan: |context| {
        let mut plan = Plan::default();
        plan.copy(ByDimensionSchedule::new(context));
        plan
    },
};

/// All messages in one stage.
#[derive(Debug, Clone)]
pub(crate) struct DirectSchedule {
    blocks: BlockTable,
}

impl StageSchedule for DirectSchedule {
    fn stage_count(&self) -> usize {
        1
    }

    #[inline]
    fn candidate_count(&self, _: usize, _: Place, _: End) -> u32 {
        self.blocks.count()
    }

    #[inline]
    fn candidate(&self, _: usize, place: Place, end: End, peer: u32) -> Option<PeerMessage> {
        let destination = match end {
            End::Source => peer,
            End::Destination => place.rank,
        };
        let units = self.blocks.size(destination);
        (peer != place.rank && units > 0).then_some((peer, units))
    }

    fn tally(&self, _: usize, _: u32, ranks: u32, _: End, _: Option<NonZeroU64>) -> StageTally {
        let (sizes, ranks) = (self.blocks.sizes(), u64::from(ranks));
        let largest = sizes.iter().copied().max().unwrap_or(0);
        let smallest = sizes.iter().copied().filter(|&units| units > 0).min().unwrap_or(0);
        let received = sizes.iter().map(|units| units * (ranks - 1)).max().unwrap_or(0);
        // Ranks without a block send to those with one.
        let active = if sizes.iter().any(|&units| units > 0) { ranks } else { 0 };
        let mut tally = StageTally { active, max_received_units: received, ..StageTally::default() };
        tally.add_sizes(smallest, largest);
        tally
    }

    fn units(&self, stage: usize, place: Place, end: End, other: u32) -> u64 {
        self.candidate(stage, place, end, other).map_or(0, |(_, units)| units)
    }

    fn max_candidates(&self, _: End) -> u32 {
        self.blocks.count() - 1
    }

    fn payload(&self, _: usize, _: u32, source: u32, destination: u32) -> Payload {
        Payload::Items(vec![(source, destination)])
    }
}

/// One partner a stage.
#[derive(Debug, Clone)]
pub(crate) struct PairwiseSchedule {
    blocks: BlockTable,
    has_empty_blocks: bool,
}

impl StageSchedule for PairwiseSchedule {
    fn stage_count(&self) -> usize {
        self.blocks.count() as usize - 1
    }

    #[inline]
    fn candidate_count(&self, _: usize, _: Place, _: End) -> u32 {
        1
    }

    #[inline]
    fn candidate(&self, stage: usize, place: Place, end: End, _: u32) -> Option<PeerMessage> {
        let (rank, count) = (u64::from(place.rank), u64::from(self.blocks.count()));
        let step = stage as u64 + 1;
        let peer = match end {
            _ if count.is_power_of_two() => rank ^ step,
            End::Source => (rank + step) % count,
            End::Destination => (rank + count - step) % count,
        };
        let (peer, destination) = match end {
            End::Source => (narrow(peer), narrow(peer)),
            End::Destination => (narrow(peer), place.rank),
        };
        let units = self.blocks.size(destination);
        (units > 0).then_some((peer, units))
    }

    fn representative(&self, stage: usize, _: u32) -> usize {
        // In every stage each rank receives its block. Who sends none of its own then differs.
        if self.has_empty_blocks { stage } else { 0 }
    }

    fn max_candidates(&self, _: End) -> u32 {
        1
    }

    fn payload(&self, _: usize, _: u32, source: u32, destination: u32) -> Payload {
        Payload::Items(vec![(source, destination)])
    }
}

/// All pairs of a line, one dimension a stage.
///
/// Before stage `i` a rank holds the items whose origin agrees with it in dimensions `i` and up,
/// and whose destination agrees with it below.
#[derive(Debug, Clone)]
pub(crate) struct ByDimensionSchedule {
    grid: RankGrid,
    units: Vec<Vec<u64>>, // by stage, then rank: what a message of the stage for this rank carries
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

    #[inline]
    fn candidate_count(&self, stage: usize, _: Place, _: End) -> u32 {
        self.grid.sides()[stage]
    }

    #[inline]
    fn candidate(&self, stage: usize, place: Place, end: End, coordinate: u32) -> Option<PeerMessage> {
        let peer = self.grid.with_coordinate(place.rank, stage, coordinate);
        let destination = match end {
            End::Source => peer,
            End::Destination => place.rank,
        };
        let units = self.units[stage][destination as usize];
        (peer != place.rank && units > 0).then_some((peer, units))
    }

    fn units(&self, stage: usize, place: Place, end: End, other: u32) -> u64 {
        let coordinate = self.grid.coordinate(other, stage);
        let candidate = self.candidate(stage, place, end, coordinate);
        candidate.filter(|&(peer, _)| peer == other).map_or(0, |(_, units)| units)
    }

    fn max_candidates(&self, _: End) -> u32 {
        self.grid.sides().iter().max().map_or(0, |side| side - 1)
    }

    fn payload(&self, stage: usize, _: u32, source: u32, destination: u32) -> Payload {
        let dimensions = 0..self.grid.dimension_count();
        let own = |rank: u32, dimension: usize| vec![self.grid.coordinate(rank, dimension)];
        let all = |dimension: usize| (0..self.grid.sides()[dimension]).collect::<Vec<u32>>();
        let origins: Vec<_> = dimensions
            .clone()
            .map(|dimension| if dimension < stage { all(dimension) } else { own(source, dimension) })
            .collect();
        let destinations: Vec<_> = dimensions
            .map(|dimension| if dimension > stage { all(dimension) } else { own(destination, dimension) })
            .collect();
        let destinations = self.grid.product(&destinations);
        let items = self.grid.product(&origins).into_iter();
        Payload::Items(items.flat_map(|origin| destinations.iter().map(move |&to| (origin, to))).collect())
    }
}
