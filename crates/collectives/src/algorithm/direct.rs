//! Direct exchange: every rank with every other, in one stage.
//!
//! All-to-all sends all blocks in one stage. Reduce-scatter sends block `d` to rank `d` from all others, all-gather is its reverse,
//! and all-reduce is one after the other, or with exchange `whole` the whole vector from everyone to everyone in one stage
//! (`docs/model.md` section 16).

use std::num::NonZeroU64;

use super::AlgorithmDescriptor;
use crate::{
    Exchange, Operation,
    plan::{Plan, PlanContext},
    schedule::{End, Payload, Place, StageSchedule, StageTally},
    vector::BlockTable,
};

pub(super) static DIRECT: AlgorithmDescriptor = AlgorithmDescriptor {
    name: "direct",
    summary: "one exchange of everybody with everybody; an all-reduce has two",
    source: "folklore",
    operations: &[Operation::AllToAll, Operation::AllReduce, Operation::ReduceScatter, Operation::AllGather],
    exchange_operations: &[Operation::AllReduce],
    plan,
    ..AlgorithmDescriptor::BLANK
};

fn plan(context: &PlanContext) -> Plan {
    let schedule = |contents| DirectSchedule { blocks: context.blocks[0].clone(), contents };
    let mut plan = Plan::default();
    match context.operation() {
        Operation::AllReduce if context.exchange == Exchange::Whole => {
            plan.reduce(schedule(Contents::Vector));
        }
        Operation::AllReduce => plan.reduce_and_return(schedule(Contents::Block)),
        Operation::ReduceScatter => plan.reduce(schedule(Contents::Block)),
        Operation::AllGather => plan.copy_reversed(schedule(Contents::Block)),
        _ => plan.copy(schedule(Contents::Item)),
    }
    plan
}

/// The contents of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Contents {
    /// The item of an all-to-all from its source to its destination.
    Item,
    /// The block of its destination.
    Block,
    /// The whole vector.
    Vector,
}

/// A message from every rank to every other, in one stage.
#[derive(Debug)]
struct DirectSchedule {
    blocks: BlockTable,
    contents: Contents,
}

impl DirectSchedule {
    /// The size of every message to a rank \[units\].
    fn units(&self, destination: u32) -> u64 {
        match self.contents {
            Contents::Item | Contents::Block => self.blocks.size(destination),
            Contents::Vector => self.blocks.units(),
        }
    }
}

impl StageSchedule for DirectSchedule {
    fn stage_count(&self) -> usize {
        1
    }

    fn list(&self, _: usize, place: Place, end: End, add: &mut dyn FnMut(u32, u64)) {
        for peer in (0..self.blocks.count()).filter(|&peer| peer != place.rank) {
            let units = self.units(if end == End::Source { peer } else { place.rank });
            if units > 0 {
                add(peer, units);
            }
        }
    }

    fn max_messages(&self, _: End) -> u32 {
        self.blocks.count() - 1
    }

    /// Computed from the sizes of the messages to each rank, since there are `P^2` messages.
    fn tally(&self, _: usize, _: u32, ranks: u32, receivers: End, rate: Option<NonZeroU64>) -> StageTally {
        let sizes: Vec<u64> = (0..ranks).map(|rank| self.units(rank)).collect();
        let largest = sizes.iter().copied().max().unwrap_or(0);
        let smallest = sizes.iter().copied().filter(|&units| units > 0).min().unwrap_or(0);
        let all: u64 = sizes.iter().sum();
        // Reversed, a rank receives the messages to all others.
        let received = |&units: &u64| match receivers {
            End::Destination => units * u64::from(ranks - 1),
            End::Source => all - units,
        };
        let mut tally = StageTally {
            // Ranks without a block send to those with one.
            active: if largest > 0 { ranks.into() } else { 0 },
            max_received_units: sizes.iter().map(received).max().unwrap_or(0),
            ..StageTally::default()
        };
        if let Some(rate) = rate {
            tally.reduction_cycles =
                sizes.iter().map(received).map(|units| u128::from(units.div_ceil(rate.get()))).sum();
        }
        tally.add_sizes(smallest, largest);
        tally
    }

    fn payload(&self, _: usize, _: u32, source: u32, destination: u32) -> Payload {
        match self.contents {
            Contents::Item => Payload::Items(vec![(source, destination)]),
            Contents::Block => Payload::Blocks(vec![destination]),
            Contents::Vector => Payload::Blocks((0..self.blocks.count()).collect()),
        }
    }
}
