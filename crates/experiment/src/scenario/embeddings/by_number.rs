//! Embeddings that know no more than the order of the nodes: along a Hilbert curve, and as Slurm distributes tasks
//! (`docs/model.md` section 22).
//!
//! The nodes are those of the job, or all hosts, as many of the first as the processes need; `program.processes_per_node`
//! of them share a node.

use std::num::NonZeroU64;

use cubefold_mapping::{Placement, PlacementTable, hilbert_order};
use cubefold_topology::NodeId;

use super::Embedding;
use crate::scenario::{
    embeddings::Maker,
    errors::ScenarioError,
    keys::Key,
    mapping::{Fit, NamedEmbedding, too_many_processes},
    placement_file::Failure,
    scenario_program::ContractedGuest,
    source_file::Place,
};

pub(super) const HILBERT: Embedding = Embedding {
    name: "hilbert",
    summary: "processes in their order along a Hilbert curve through the coordinates of the job's nodes",
    source: "Skilling 2004",
    takes: "any program with at most as many processes as the job's nodes take",
    constructions: Vec::new,
    is_seeded: false,
    maker: Maker::ByNumber(|fit, named| {
        let nodes = fit.job_nodes();
        let ordered = hilbert_order(fit.whole, &nodes);
        in_turn(fit, named, &ordered, NonZeroU64::MAX)
    }),
};

pub(super) const BLOCK: Embedding = Embedding {
    name: "block",
    summary: "consecutive processes fill node after node, as Slurm's --distribution=block",
    source: "Slurm, srun(1)",
    maker: Maker::ByNumber(|fit, named| in_turn(fit, named, &fit.job_nodes(), NonZeroU64::MAX)),
    ..HILBERT
};

pub(super) const CYCLIC: Embedding = Embedding {
    name: "cyclic",
    summary: "consecutive processes go round the nodes, as Slurm's --distribution=cyclic; plane=N deals N at a time",
    source: "Slurm, srun(1)",
    maker: Maker::ByNumber(|fit, named| in_turn(fit, named, &fit.job_nodes(), NonZeroU64::MIN)),
    ..HILBERT
};

/// Deals the processes to the nodes in turn, `together` at a time, until every node has its share.
pub(in crate::scenario) fn in_turn(
    fit: &Fit<'_>,
    named: &NamedEmbedding,
    nodes: &[NodeId],
    together: NonZeroU64,
) -> Result<Placement, Failure> {
    let (processes, each) = (fit.program.rank_count(), fit.program.ranks_per_node);
    let place = named.place.as_ref().unwrap_or(&fit.size.place);
    let needed = usize::try_from(processes.div_ceil(each)).unwrap_or(usize::MAX);
    let Some(used) = nodes.get(..needed) else {
        return Err(Failure::Wrong(vec![too_many_processes(fit, named)]));
    };
    if fit.program.block.is_some() {
        if together != NonZeroU64::MAX {
            let message = format!("embedding {} of blocks of processes, expected their number", named.name);
            let error = ScenarioError::at(place, message, "deals single processes");
            let error = error.because(fit.settings.place(Key::ProgramProcessesPerNode), "blocks");
            return Err(Failure::Wrong(vec![error]));
        }
        return placed_on(fit, place, fit.program.over_groups(ContractedGuest::Row, used));
    }
    placed_on(fit, place, deal(processes, used, each, together))
}

/// The nodes of processes that are dealt to nodes in turn, `together` at a time and `each` in all; they have room for all.
pub(in crate::scenario) fn deal(
    processes: u64,
    nodes: &[NodeId],
    each: u64,
    together: NonZeroU64,
) -> Vec<NodeId> {
    let mut left: Vec<u64> = vec![each; nodes.len()];
    let mut placed: Vec<NodeId> = Vec::with_capacity(usize::try_from(processes).unwrap_or(0));
    while (placed.len() as u64) < processes {
        for (node, left) in nodes.iter().zip(&mut left) {
            let dealt = together.get().min(*left).min(processes - placed.len() as u64);
            *left -= dealt;
            placed.extend(std::iter::repeat_n(*node, usize::try_from(dealt).unwrap_or(0)));
        }
    }
    placed
}

/// The placement with these nodes.
fn placed_on(fit: &Fit<'_>, place: &Place, nodes: Vec<NodeId>) -> Result<Placement, Failure> {
    PlacementTable::new(fit.machine, nodes)
        .map(Placement::Table)
        .map_err(|error| Failure::Wrong(vec![ScenarioError::at(place, error.to_string(), "this machine")]))
}
