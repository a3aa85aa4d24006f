//! The latency bound of groups and sequences (`docs/model.md` section 24): the earliest arrival of data at each
//! rank, step by step. The bounds of steps may not be added, since ranks do not wait for each other between them.

use std::collections::BTreeMap;

use cubefold_topology::{Machine, NodeId};

use super::{LinkCosts, looks_at_pairs, time_of};
use crate::{Collective, Operation, Step, group_algorithm::GroupAlgorithm};

/// Returns the earliest time at which the last rank can have its data \[cycles\]; `None` with too many ranks to look at
/// all pairs.
pub(super) fn last_of_chain(
    collective: &Collective,
    machine: &Machine,
    nodes: &[NodeId],
    costs: LinkCosts,
) -> Option<u64> {
    if !looks_at_pairs(machine, nodes.len() as u64) {
        return None;
    }
    let mut times = vec![0_u64; nodes.len()];
    for step in collective.steps() {
        match step {
            Step::Computation(cycles) => {
                for time in &mut times {
                    *time = time.saturating_add(*cycles);
                }
            }
            Step::Groups(groups) => {
                for ranks in groups.ranks_of_groups() {
                    group_step(groups.algorithm(), &ranks, machine, nodes, costs, &mut times);
                }
            }
        }
    }
    times.into_iter().max()
}

/// Advances the times of the ranks of a group by a step.
fn group_step(
    algorithm: &GroupAlgorithm,
    ranks: &[u32],
    machine: &Machine,
    nodes: &[NodeId],
    costs: LinkCosts,
    times: &mut [u64],
) {
    let ends = Ends::of(algorithm);
    let node = |rank: u32| nodes[rank as usize];
    // The time at which the last data that others need are ready on each node.
    let mut ready: BTreeMap<NodeId, u64> = BTreeMap::new();
    for (number, &rank) in (0..).zip(ranks) {
        if ends.is_source(number) {
            let latest = ready.entry(node(rank)).or_default();
            *latest = (*latest).max(times[rank as usize]);
        }
    }
    let sources: Vec<(NodeId, u64)> = ready.into_iter().collect();
    let step_cycles = algorithm.specification().compute_cycles;
    let compute_cycles = step_cycles.saturating_add(costs.message_cost.saturating_mul(2));
    let mut arrivals: BTreeMap<NodeId, u64> = BTreeMap::new();
    for (number, &rank) in (0..).zip(ranks) {
        if ends.is_destination(number) {
            let arrival = arrivals
                .entry(node(rank))
                .or_insert_with(|| last_arrival(machine, costs, node(rank), &sources, compute_cycles));
            times[rank as usize] = times[rank as usize].max(*arrival);
        }
    }
}

/// Returns the earliest time at which a node has the data of all sources; data of other nodes follow a computation.
fn last_arrival(
    machine: &Machine,
    costs: LinkCosts,
    end: NodeId,
    sources: &[(NodeId, u64)],
    compute_cycles: u64,
) -> u64 {
    let arrival = |least: &dyn Fn(NodeId) -> Option<u64>| {
        let of_source = |&(node, ready): &(NodeId, u64)| {
            if node == end {
                return Some(ready);
            }
            Some(ready.saturating_add(least(node)?).saturating_add(compute_cycles))
        };
        sources.iter().filter_map(of_source).max().unwrap_or(0)
    };
    match (machine.graph(), machine.link_times()) {
        (None, _) => arrival(&|node| {
            let along = |(class, axis): (usize, &cubefold_topology::Axis)| {
                axis.distance(node, end).saturating_mul(time_of(machine, costs, class).first_unit())
            };
            Some(machine.axes().iter().enumerate().map(along).fold(0, u64::saturating_add))
        }),
        (Some(network), Some(times)) => {
            let sums = network.least_sums_to(end, times);
            arrival(&|node| sums[node.index() as usize])
        }
        (Some(network), None) => {
            let (distances, link) = (network.fewest_links_to(end), time_of(machine, costs, 0).first_unit());
            arrival(&|node| Some(u64::from(distances[node.index() as usize]?).saturating_mul(link)))
        }
    }
}

/// The ranks whose data others need, and the ranks that need data of others.
struct Ends {
    operation: Operation,
    root: u32,
    has_block: Vec<bool>, // by number in the group
    is_empty: bool,
}

impl Ends {
    fn of(algorithm: &GroupAlgorithm) -> Self {
        let specification = algorithm.specification();
        let has_block = |rank| algorithm.units_of_rank(rank) > 0;
        Self {
            operation: algorithm.operation(),
            root: specification.root,
            has_block: (0..algorithm.rank_count()).map(has_block).collect(),
            is_empty: specification.vector_units == 0,
        }
    }

    fn is_source(&self, rank: u32) -> bool {
        match self.operation {
            Operation::Barrier => true,
            _ if self.is_empty => false,
            Operation::AllReduce | Operation::ReduceScatter | Operation::AllToAll | Operation::Reduce => true,
            Operation::AllGather | Operation::Gather => self.has_block[rank as usize],
            Operation::Broadcast | Operation::Scatter => rank == self.root,
        }
    }

    fn is_destination(&self, rank: u32) -> bool {
        match self.operation {
            Operation::Barrier => true,
            _ if self.is_empty => false,
            Operation::AllReduce | Operation::AllGather | Operation::Broadcast => true,
            Operation::ReduceScatter | Operation::AllToAll | Operation::Scatter => {
                self.has_block[rank as usize]
            }
            Operation::Reduce | Operation::Gather => rank == self.root,
        }
    }
}
