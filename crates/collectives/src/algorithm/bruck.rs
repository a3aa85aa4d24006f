//! Bruck's algorithms: `ceil(log2 P)` stages on any number of ranks, in numbers modulo `P`.
//!
//! All-gather: at stage `s` the `min(2^s, P - 2^s)` blocks from `r` on go to `r - 2^s`.
//! Reduce-scatter is its reverse. All-to-all: at stage `s` rank `r + 2^s` gets the items at `r`
//! whose distance from origin to destination has bit `s` (Bruck et al. 1997; `docs/model.md`
//! section 16).

use super::{AlgorithmDescriptor, add_modulo, ceil_log2, other_end};
use crate::{
    Operation,
    plan::{Plan, PlanContext},
    schedule::{End, Payload, Place, StageSchedule},
    vector::BlockTable,
};

pub(super) static BRUCK: AlgorithmDescriptor = AlgorithmDescriptor {
    name: "bruck",
    summary: "powers of two around the ring of all processes; the fewest stages on any number",
    source: "Bruck, Ho, Kipnis, Upfal & Weathersby 1997",
    operations: &[Operation::ReduceScatter, Operation::AllGather, Operation::AllToAll],
    table_bytes: |asked| match asked.operation {
        Operation::AllToAll => {
            let ranks = asked.rank_count();
            ranks.saturating_mul((size_of::<u64>() as u64) * (u64::from(ranks.ilog2()) + 4))
        }
        _ => 0,
    },
    plan,
    ..AlgorithmDescriptor::BLANK
};

fn plan(context: &PlanContext) -> Plan {
    let gather = || BruckSchedule { blocks: context.blocks[0].clone() };
    let mut plan = Plan::default();
    match context.operation() {
        Operation::AllToAll => plan.copy(BruckItemSchedule::new(&context.blocks[0])),
        Operation::ReduceScatter => plan.reduce_reversed(gather()),
        _ => plan.copy(gather()),
    }
    plan
}

/// The all-gather.
#[derive(Debug)]
struct BruckSchedule {
    blocks: BlockTable,
}

impl BruckSchedule {
    /// Returns the number of blocks of a message.
    fn block_count(&self, stage: usize) -> u32 {
        (1 << stage).min(self.blocks.count() - (1 << stage))
    }
}

impl StageSchedule for BruckSchedule {
    fn stage_count(&self) -> usize {
        ceil_log2(self.blocks.count())
    }

    fn list(&self, stage: usize, place: Place, end: End, add: &mut dyn FnMut(u32, u64)) {
        let count = self.blocks.count();
        let peer = other_end(place.rank, count - (1 << stage), count, end);
        let source = if end == End::Source { place.rank } else { peer };
        let units = self.blocks.cyclic(source, self.block_count(stage));
        if units > 0 {
            add(peer, units);
        }
    }

    fn payload(&self, stage: usize, _: u32, source: u32, _: u32) -> Payload {
        let blocks = 0..self.block_count(stage);
        let mut blocks: Vec<u32> =
            blocks.map(|block| add_modulo(source, block, self.blocks.count())).collect();
        blocks.sort_unstable();
        Payload::Blocks(blocks)
    }
}

/// The all-to-all.
///
/// An item at distance `d` from origin to destination is, before stage `s`, at distance `d` without
/// its lower `s` bits from its destination.
#[derive(Debug)]
struct BruckItemSchedule {
    rank_count: u32,
    units: Vec<Vec<u64>>, // by stage, then source
}

impl BruckItemSchedule {
    fn new(blocks: &BlockTable) -> Self {
        let rank_count = blocks.count();
        let (sizes, count) = (blocks.sizes(), rank_count as usize);
        let units_of_stage = |stage: usize| {
            // The distances with this bit, without the bits below it. Each represents `step` items, the
            // last possibly fewer.
            let step = 1 << stage;
            let stride = 2 * step;
            let last = step + (count - step - 1) / stride * stride;
            // By place, twice around: the sum of the sizes there and at every `stride`-th place before.
            let mut sums: Vec<u64> = sizes.iter().chain(&sizes).copied().collect();
            for place in stride..sums.len() {
                sums[place] += sums[place - stride];
            }
            let units = |rank: usize| {
                let up_to = |distance: usize| (rank + distance).checked_sub(stride).map_or(0, |at| sums[at]);
                let before_last = up_to(last) - up_to(step);
                before_last * step as u64 + sizes[(rank + last) % count] * step.min(count - last) as u64
            };
            (0..count).map(units).collect()
        };
        Self { rank_count, units: (0..ceil_log2(rank_count)).map(units_of_stage).collect() }
    }
}

impl StageSchedule for BruckItemSchedule {
    fn stage_count(&self) -> usize {
        self.units.len()
    }

    fn list(&self, stage: usize, place: Place, end: End, add: &mut dyn FnMut(u32, u64)) {
        let peer = other_end(place.rank, 1 << stage, self.rank_count, end);
        let units = self.units[stage][if end == End::Source { place.rank } else { peer } as usize];
        if units > 0 {
            add(peer, units);
        }
    }

    fn payload(&self, stage: usize, _: u32, source: u32, _: u32) -> Payload {
        let count = self.rank_count;
        let distances = (0..count).filter(|distance| distance >> stage & 1 == 1);
        let item = |distance: u32| {
            let travelled = distance & ((1 << stage) - 1);
            let origin = add_modulo(source, count - travelled, count);
            (origin, add_modulo(origin, distance, count))
        };
        let mut items: Vec<_> = distances.map(item).collect();
        items.sort_unstable();
        Payload::Items(items)
    }
}
