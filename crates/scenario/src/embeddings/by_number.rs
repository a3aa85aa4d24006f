//! Embeddings that depend only on the order of the nodes: along a Hilbert curve, and as Slurm distributes tasks
//! (`docs/model.md` section 22.4).
//!
//! The nodes are those of the job, or all hosts. On a cluster, Slurm's nodes are the nodes of the cluster, and their
//! devices are the places in them; `program.processes_per_node` processes share a place.

use std::{collections::BTreeMap, num::NonZeroU64};

use cubefold_mapping::{Placement, first_in_hilbert_order, hilbert_order};
use cubefold_topology::{HostPart, Machine, NodeId};

use super::Embedding;
use crate::{
    embeddings::Maker,
    errors::ScenarioError,
    keys::Key,
    mapping::{Fit, NamedEmbedding, too_many_processes},
    placement_file::Failure,
    scenario_program::ContractedGuest,
};

pub(super) const HILBERT: Embedding = Embedding {
    name: "hilbert",
    summary: "processes in their order along a Hilbert curve through the coordinates of the job's nodes",
    source: "Skilling 2004",
    takes: "any program with at most as many processes as the job's nodes take",
    constructions: Vec::new,
    is_seeded: false,
    maker: Maker::ByNumber(|fit, named| {
        let needed = usize::try_from(fit.group_count()).unwrap_or(usize::MAX);
        let ordered = fit.allocation.map_or_else(
            || first_in_hilbert_order(fit.whole, needed),
            |allocation| hilbert_order(fit.whole, allocation.nodes()),
        );
        along(fit, named, &ordered)
    }),
};

pub(super) const BLOCK: Embedding = Embedding {
    name: "block",
    summary: "consecutive processes share a node, as under Slurm's --distribution=block",
    source: "Slurm, srun(1)",
    maker: Maker::ByNumber(|fit, named| by_slurm(fit, named, Distribution::Block)),
    ..HILBERT
};

pub(super) const CYCLIC: Embedding = Embedding {
    name: "cyclic",
    summary: "consecutive processes go round the nodes, as Slurm's --distribution=cyclic; plane=N deals N at a time",
    source: "Slurm, srun(1)",
    maker: Maker::ByNumber(|fit, named| by_slurm(fit, named, Distribution::CYCLIC)),
    ..HILBERT
};

/// How Slurm distributes tasks over nodes (`srun(1)`, `--distribution`; <https://slurm.schedmd.com/dist_plane.html>).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Distribution {
    /// Consecutive tasks share a node; every node has as many as under [`CYCLIC`](Self::CYCLIC).
    Block,
    /// This many tasks at a time to the nodes in turn, until all are full.
    Plane(NonZeroU64),
}

impl Distribution {
    /// One task at a time.
    pub(crate) const CYCLIC: Self = Self::Plane(NonZeroU64::MIN);
}

/// Places the processes on the first of `nodes`, `program.processes_per_node` on each.
fn along(fit: &Fit<'_>, named: &NamedEmbedding, nodes: &[NodeId]) -> Result<Placement, Failure> {
    let (processes, each) = (fit.program.rank_count(), fit.program.ranks_per_node);
    let needed = usize::try_from(processes.div_ceil(each)).unwrap_or(usize::MAX);
    let Some(used) = nodes.get(..needed) else {
        return Err(too_many_processes(fit, named).into());
    };
    if fit.program.block.is_some() {
        return fit.on_nodes(fit.program.over_groups(ContractedGuest::Row, used));
    }
    fit.on_nodes(filled(processes, used, each))
}

/// Places the processes on the job's nodes as Slurm does.
pub(crate) fn by_slurm(
    fit: &Fit<'_>,
    named: &NamedEmbedding,
    distribution: Distribution,
) -> Result<Placement, Failure> {
    if fit.program.block.is_some() {
        if distribution != Distribution::Block {
            let message = format!("embedding {} of blocks of processes, expected their number", named.name);
            let error = ScenarioError::at(fit.place_of(named), message, "deals single processes");
            return Err(error.because(fit.settings.place(Key::ProgramProcessesPerNode), "blocks").into());
        }
        return along(fit, named, &fit.needed_nodes());
    }
    let (processes, each) = (fit.program.rank_count(), fit.program.ranks_per_node);
    if processes.div_ceil(each) > fit.job_node_count() {
        return Err(too_many_processes(fit, named).into());
    }
    // As many nodes as there are tasks suffice, except on a cluster, whose nodes have several places.
    let is_cluster = fit.whole.host_parts().iter().any(|host_part| host_part.part == HostPart::ClusterNode);
    let nodes = if is_cluster { fit.job_nodes() } else { fit.first_nodes(processes) };
    let nodes = task_nodes(fit.whole, &nodes);
    fit.on_nodes(distributed(processes, &nodes, each, distribution))
}

/// The nodes of processes that fill nodes in sequence, `each` per node; the nodes have room for all.
pub(crate) fn filled(processes: u64, nodes: &[NodeId], each: u64) -> Vec<NodeId> {
    let count = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
    let filled = nodes.iter().flat_map(|node| std::iter::repeat_n(*node, count(each)));
    filled.take(count(processes)).collect()
}

/// The nodes as Slurm knows them, each with its places: on a cluster, its nodes with the job's devices, in the order of
/// their first devices; otherwise every node is one place.
pub(crate) fn task_nodes(machine: &Machine, nodes: &[NodeId]) -> Vec<Vec<NodeId>> {
    let parts = machine.host_parts().into_iter().find(|host_part| host_part.part == HostPart::ClusterNode);
    let part = |node: NodeId| parts.as_ref().and_then(|parts| parts.of_node[node.index() as usize]);
    let mut found: Vec<Vec<NodeId>> = vec![];
    let mut places = BTreeMap::new();
    for &node in nodes {
        if let Some(place) = part(node).and_then(|part| places.get(&part).copied()) {
            Vec::push(&mut found[place], node);
        } else {
            places.extend(part(node).map(|part| (part, found.len())));
            found.push(vec![node]);
        }
    }
    found
}

/// The places of processes that Slurm distributes over nodes with these numbers of `places`, at most `each` processes
/// per place; there is room for all. On a node, the processes are spread evenly over its places, in their order.
pub(crate) fn distributed(
    processes: u64,
    nodes: &[Vec<NodeId>],
    each: u64,
    distribution: Distribution,
) -> Vec<NodeId> {
    let together = match distribution {
        Distribution::Block => NonZeroU64::MIN,
        Distribution::Plane(together) => together,
    };
    let rooms: Vec<u64> = nodes.iter().map(|places| each.saturating_mul(places.len() as u64)).collect();
    let mut counts = vec![0; nodes.len()];
    let mut dealt: Vec<(usize, u64)> = vec![]; // nodes, and the numbers of processes dealt to them
    let mut left = processes;
    while left > 0 {
        let before = left;
        for (node, (count, room)) in counts.iter_mut().zip(&rooms).enumerate() {
            let more = together.get().min(room - *count).min(left);
            *count += more;
            left -= more;
            dealt.push((node, more));
        }
        if left == before {
            break; // no room
        }
    }
    if distribution == Distribution::Block {
        dealt = counts.iter().copied().enumerate().collect();
    }
    let mut begun = vec![0_u64; nodes.len()];
    let mut placed = Vec::with_capacity(usize::try_from(processes).unwrap_or(0));
    for (node, more) in dealt {
        for _ in 0..more {
            let place = begun[node] * nodes[node].len() as u64 / counts[node];
            begun[node] += 1;
            placed.push(nodes[node][usize::try_from(place).unwrap_or(0)]);
        }
    }
    placed
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The numbers of the nodes of `tasks` tasks on `nodes` nodes with room for `each`.
    fn placed(tasks: u64, nodes: u32, each: u64, distribution: Distribution) -> Vec<u32> {
        let nodes: Vec<Vec<NodeId>> = (0..nodes).map(|node| vec![NodeId::new(node)]).collect();
        distributed(tasks, &nodes, each, distribution).iter().map(|node| node.index()).collect()
    }

    #[test]
    fn tasks_are_distributed_as_the_pages_of_slurm_say() {
        // srun(1): four tasks on three nodes with two CPUs each.
        assert_eq!(placed(4, 3, 2, Distribution::Block), [0, 0, 1, 2]);
        assert_eq!(placed(4, 3, 2, Distribution::CYCLIC), [0, 1, 2, 0]);
        // dist_plane: 21 tasks on 4 nodes, planes of 4.
        let four = NonZeroU64::new(4).unwrap();
        let plane: Vec<u32> = (0..21).map(|task| task / 4 % 4).collect();
        assert_eq!(placed(21, 4, 8, Distribution::Plane(four)), plane);
    }

    #[test]
    fn every_task_has_a_place_and_no_place_too_many() {
        let all =
            [Distribution::Block, Distribution::CYCLIC, Distribution::Plane(NonZeroU64::new(3).unwrap())];
        for (devices, each, nodes) in
            (1..4).flat_map(|a| (1..4).flat_map(move |b| (1..5).map(move |c| (a, b, c))))
        {
            let sites: Vec<NodeId> = (0..devices * nodes).map(NodeId::new).collect();
            let nodes: Vec<Vec<NodeId>> = sites.chunks(devices as usize).map(<[NodeId]>::to_vec).collect();
            for (tasks, distribution) in (1..=u64::from(devices) * each * nodes.len() as u64)
                .flat_map(|tasks| all.map(|distribution| (tasks, distribution)))
            {
                let placed = distributed(tasks, &nodes, each, distribution);
                assert_eq!(placed.len() as u64, tasks);
                let load = |site: &NodeId| placed.iter().filter(|node| *node == site).count() as u64;
                let most = sites.iter().map(load).max().unwrap();
                assert!(most <= each);
                // Devices are shared only on nodes with more tasks than devices.
                for devices in &nodes {
                    let here: u64 = devices.iter().map(load).sum();
                    let most = devices.iter().map(load).max().unwrap();
                    assert_eq!(most, here.div_ceil(devices.len() as u64));
                }
            }
        }
    }
}
