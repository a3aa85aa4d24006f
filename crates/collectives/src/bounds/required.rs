//! The data that the steps of a collective must move between nodes under any algorithm (`docs/model.md` section 24).

use std::collections::BTreeMap;

use cubefold_simulator::{Crossing, Demand, Members, StepDemand};
use cubefold_topology::{LinkMode, NodeId};

use crate::{Collective, Groups, Operation, Step};

/// The steps of a collective with their groups on nodes.
pub(super) struct Required {
    steps: Vec<RequiredStep>,
}

struct RequiredStep {
    operation: Operation,
    groups: Vec<Vec<(NodeId, Members)>>, // each node once, ascending
    crossing: Box<dyn Fn(Members, Members) -> Crossing>,
}

impl Required {
    /// Returns the required data of a collective with rank `r` on node `nodes[r]`.
    pub(super) fn of(collective: &Collective, nodes: &[NodeId]) -> Self {
        let groups = collective.steps().iter().filter_map(Step::groups);
        Self { steps: groups.map(|groups| RequiredStep::of(groups, nodes)).collect() }
    }

    /// Returns the demand of all steps together.
    pub(super) fn demand(&self) -> Demand<'_> {
        Demand::Groups(self.steps.iter().map(RequiredStep::demand).collect())
    }

    /// Returns the units that each node must receive, or send if these are more, in all groups and steps, without
    /// all-to-alls, which are bounded by their cuts.
    pub(super) fn by_node(&self, mode: LinkMode) -> BTreeMap<NodeId, u128> {
        let mut sums: BTreeMap<NodeId, Crossing> = BTreeMap::new();
        for step in self.steps.iter().filter(|step| step.operation != Operation::AllToAll) {
            // In an all-reduce, a half-duplex link carries both what a node sends and what it receives.
            let is_twofold = step.operation == Operation::AllReduce && mode == LinkMode::HalfDuplex;
            let times = if is_twofold { 2 } else { 1 };
            for group in step.groups.iter().filter(|group| group.len() > 1) {
                let all = Members::all(group);
                for &(node, inside) in group {
                    let crossing = (step.crossing)(inside, inside.others(all));
                    *sums.entry(node).or_default() +=
                        Crossing { into: times * crossing.into, out: times * crossing.out };
                }
            }
        }
        sums.into_iter().map(|(node, crossing)| (node, crossing.into.max(crossing.out))).collect()
    }
}

impl RequiredStep {
    fn demand(&self) -> StepDemand<'_> {
        StepDemand { groups: &self.groups, crossing: &*self.crossing }
    }

    fn of(groups: &Groups, nodes: &[NodeId]) -> Self {
        let algorithm = groups.algorithm();
        let (operation, specification) = (algorithm.operation(), algorithm.specification());
        let blocks: Vec<u64> =
            (0..algorithm.rank_count()).map(|rank| algorithm.units_of_rank(rank)).collect();
        let on_nodes = |ranks: Vec<u32>| {
            let member = |(number, rank): (u32, u32)| {
                let (units, has_root) = (blocks[number as usize].into(), number == specification.root);
                (nodes[rank as usize], Members { count: 1, units, has_root })
            };
            let mut members: Vec<(NodeId, Members)> = (0..).zip(ranks).map(member).collect();
            members.sort_unstable_by_key(|&(node, _)| node);
            Members::merge(&mut members);
            members
        };
        Self {
            operation,
            groups: groups.ranks_of_groups().into_iter().map(on_nodes).collect(),
            crossing: crossing(operation, specification.vector_units.into()),
        }
    }
}

/// Returns the units that must cross into and out of a set with some members inside and some outside; the vector has
/// `vector` units.
fn crossing(operation: Operation, vector: u128) -> Box<dyn Fn(Members, Members) -> Crossing> {
    let into = |units| Crossing { into: units, out: 0 };
    let out = |units| Crossing { into: 0, out: units };
    Box::new(move |inside: Members, outside: Members| match operation {
        Operation::AllGather => Crossing { into: outside.units, out: inside.units },
        Operation::ReduceScatter => Crossing { into: inside.units, out: outside.units },
        Operation::AllReduce => Crossing { into: vector, out: vector },
        Operation::Broadcast if inside.has_root => out(vector),
        Operation::Broadcast => into(vector),
        Operation::Reduce if inside.has_root => into(vector),
        Operation::Reduce => out(vector),
        Operation::Scatter if inside.has_root => out(outside.units),
        Operation::Scatter => into(inside.units),
        Operation::Gather if inside.has_root => into(outside.units),
        Operation::Gather => out(inside.units),
        Operation::AllToAll => Crossing {
            into: u128::from(outside.count) * inside.units,
            out: u128::from(inside.count) * outside.units,
        },
        Operation::Barrier => Crossing { into: 1, out: 1 },
    })
}
