//! Spanning trees: binomial and Bine trees, and the operations along them.
//!
//! A tree grows from the root: in each stage, every member sends to a partner, which becomes a
//! member and its child. A broadcast sends the whole vector to the child, a scatter the blocks of
//! the child and of all ranks below it. Reduce and gather are the reverse (`docs/model.md` section
//! 16).

use std::{fmt, sync::Arc};

use cubefold_topology::narrow;

use super::{AlgorithmDescriptor, ceil_log2, ring::RingSchedule};
use crate::{
    Operation,
    plan::{Plan, PlanContext},
    schedule::{End, Payload, Place, StageSchedule},
};

pub(super) static BINOMIAL: AlgorithmDescriptor = AlgorithmDescriptor {
    name: "binomial",
    summary: "a binomial tree: every process that has data passes them on in every stage",
    source: "folklore; Thakur, Rabenseifner & Gropp 2005",
    operations: &[Operation::Broadcast, Operation::Reduce, Operation::Gather, Operation::Scatter],
    table_bytes: |asked| tree_bytes(asked.rank_count()),
    plan: plan_binomial,
    ..AlgorithmDescriptor::BLANK
};

pub(super) static SCATTER_ALL_GATHER: AlgorithmDescriptor = AlgorithmDescriptor {
    name: "scatter-all-gather",
    summary: "a binomial scatter, then a ring all-gather: for large vectors",
    source: "Barnett et al. 1994; Thakur, Rabenseifner & Gropp 2005",
    operations: &[Operation::Broadcast],
    table_bytes: |asked| tree_bytes(asked.rank_count()),
    plan: |context| {
        let scatter = TreeSchedule::new(context, &Growth::binomial(context), Load::Subtree);
        let mut plan = Plan::copying(scatter);
        plan.copy(RingSchedule::all_gather(context));
        plan
    },
    ..AlgorithmDescriptor::BLANK
};

fn plan_binomial(context: &PlanContext) -> Plan {
    let growth = Growth::binomial(context);
    let tree = |load| TreeSchedule::new(context, &growth, load);
    let mut plan = Plan::default();
    match context.operation() {
        Operation::Reduce => plan.reduce_reversed(tree(Load::Whole)),
        Operation::Gather => plan.copy_reversed(tree(Load::Subtree)),
        Operation::Scatter => plan.copy(tree(Load::Subtree)),
        _ => plan.copy(tree(Load::Whole)),
    }
    plan
}

/// The growth of a tree: the partner of each rank in each stage.
#[derive(Clone)]
pub(super) struct Growth {
    pub(super) root: u32,
    pub(super) stage_count: usize,
    partner: PartnerRule,
}

/// The partner of a rank in a stage, if it has one.
type PartnerRule = Arc<dyn Fn(usize, u32) -> Option<u32> + Send + Sync>;

impl fmt::Debug for Growth {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { root, stage_count, .. } = self;
        write!(formatter, "Growth from {root} in {stage_count} stages")
    }
}

impl Growth {
    /// Returns the growth from the root of the specification.
    pub(super) fn new(
        context: &PlanContext,
        stage_count: usize,
        partner: impl Fn(usize, u32) -> Option<u32> + Send + Sync + 'static,
    ) -> Self {
        Self { root: context.root(), stage_count, partner: Arc::new(partner) }
    }

    /// Returns the growth of the binomial tree: number `v` relative to the root exchanges with `v + 2^k`
    /// for descending `k`.
    fn binomial(context: &PlanContext) -> Self {
        let (count, root) = (u64::from(context.grid.rank_count()), u64::from(context.root()));
        let stage_count = ceil_log2(context.grid.rank_count());
        Self::new(context, stage_count, move |stage, rank| {
            let number = (u64::from(rank) + count - root) % count;
            let partner = number + (1 << (stage_count - 1 - stage));
            (partner < count).then(|| narrow((partner + root) % count))
        })
    }
}

/// The contents of the messages of a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Load {
    /// The whole vector.
    Whole,
    /// The blocks of the ranks below the message.
    Subtree,
}

/// Messages from the root down a spanning tree, on one share.
#[derive(Debug)]
pub(super) struct TreeSchedule {
    growth: Growth,
    load: Load,
    parents: Vec<(u32, u32)>, // by rank: the stage in which it joins, and its parent; the root is its own
    units: Vec<u64>,          // by rank: the size of the message with which it joins
}

/// Returns an upper bound on the memory of a [`TreeSchedule`] of this number of ranks, during construction \[bytes\].
pub(super) fn tree_bytes(ranks: u64) -> u64 {
    let entry = size_of::<Option<(u32, u32)>>() + size_of::<(u32, u32)>() + size_of::<u32>();
    ranks.saturating_mul((entry + size_of::<u64>()) as u64)
}

impl TreeSchedule {
    /// Returns the schedule on a tree, which must reach every rank.
    pub(super) fn new(context: &PlanContext, growth: &Growth, load: Load) -> Self {
        let blocks = &context.blocks[0];
        let mut parents: Vec<Option<(u32, u32)>> = vec![None; blocks.count() as usize];
        let mut members = vec![growth.root];
        for stage in 0..growth.stage_count {
            for member in 0..members.len() {
                let parent = members[member];
                let Some(child) = (growth.partner)(stage, parent) else { continue };
                if child != growth.root && parents[child as usize].is_none() {
                    parents[child as usize] = Some((narrow(stage as u64), parent));
                    members.push(child);
                }
            }
        }
        debug_assert_eq!(members.len(), parents.len(), "the tree reaches every rank");
        let parents: Vec<_> = parents.into_iter().map(|parent| parent.unwrap_or((0, growth.root))).collect();
        let mut units = match load {
            Load::Whole => vec![blocks.units(); parents.len()],
            Load::Subtree => blocks.sizes(),
        };
        if load == Load::Subtree {
            for &member in members[1..].iter().rev() {
                units[parents[member as usize].1 as usize] += units[member as usize];
            }
        }
        Self { growth: growth.clone(), load, parents, units }
    }

    /// Whether a rank is in the tree before a stage.
    fn is_member(&self, rank: u32, stage: usize) -> bool {
        rank == self.growth.root || (self.parents[rank as usize].0 as usize) < stage
    }

    /// Whether `rank` is `ancestor` or below it.
    fn is_below(&self, mut rank: u32, ancestor: u32) -> bool {
        while rank != ancestor && rank != self.growth.root {
            rank = self.parents[rank as usize].1;
        }
        rank == ancestor
    }

    /// Returns the child of `rank` that joins in a stage.
    fn child(&self, stage: usize, rank: u32) -> Option<u32> {
        let child = (self.growth.partner)(stage, rank)?;
        let is_child = self.is_member(rank, stage)
            && child != self.growth.root
            && self.parents[child as usize] == (narrow(stage as u64), rank);
        is_child.then_some(child)
    }

    /// Returns the parent of `rank`, if it joins in this stage.
    fn parent(&self, stage: usize, rank: u32) -> Option<u32> {
        let (joins, parent) = self.parents[rank as usize];
        (rank != self.growth.root && joins as usize == stage).then_some(parent)
    }
}

impl StageSchedule for TreeSchedule {
    fn stage_count(&self) -> usize {
        self.growth.stage_count
    }

    fn list(&self, stage: usize, place: Place, end: End, add: &mut dyn FnMut(u32, u64)) {
        let peer = match end {
            End::Source => self.child(stage, place.rank),
            End::Destination => self.parent(stage, place.rank),
        };
        let Some(peer) = peer else { return };
        let units = self.units[if end == End::Source { peer } else { place.rank } as usize];
        if units > 0 {
            add(peer, units);
        }
    }

    fn payload(&self, _: usize, _: u32, _: u32, destination: u32) -> Payload {
        let ranks = 0..narrow(self.parents.len() as u64);
        Payload::Blocks(match self.load {
            Load::Whole => ranks.collect(),
            Load::Subtree => ranks.filter(|&rank| self.is_below(rank, destination)).collect(),
        })
    }
}
