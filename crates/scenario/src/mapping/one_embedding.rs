//! The placement of one embedding: by a rule, a construction, an order, a file or a launcher's file.

use cubefold_mapping::{EmbeddingKind, Placement, coordinate_sum_order};
use cubefold_topology::{Machine, NodeId};

use super::{
    BYTES_A_SHARE, Fit, NamedEmbedding,
    misfits::{no_groups, not_a_cube, too_many_processes},
    take_bytes,
};
use crate::{
    allocation::job_hosts,
    budget::BYTES_A_PROCESS,
    embeddings::{Distribution, Embedding, EmbeddingName, Maker, by_slurm, place_axes, place_seeded},
    errors::ScenarioError,
    placement_file::{self, Failure},
    placement_npy, ranks_file,
    scenario_program::ContractedGuest,
};

/// The placement of one embedding; all shares of a rank are on its node.
pub(super) fn placement(fit: &Fit<'_>, embedding: &NamedEmbedding) -> Result<Placement, Failure> {
    let placement = placement_of_ranks(fit, embedding)?;
    let shares = fit.program.ranks.as_ref().map_or(1, |ranks| ranks.share_count);
    if shares == 1 {
        return Ok(placement);
    }
    take_bytes(fit, embedding, fit.program.body.process_count().saturating_mul(BYTES_A_SHARE))?;
    fit.on_nodes(placement.nodes().repeat(shares as usize))
}

/// The placement of processes or ranks by one embedding.
fn placement_of_ranks(fit: &Fit<'_>, embedding: &NamedEmbedding) -> Result<Placement, Failure> {
    match &embedding.name {
        EmbeddingName::Registered { embedding: registered, .. }
            if matches!(registered.maker, Maker::Drawn(_) | Maker::Seeded(_))
                && fit.job_node_count() < fit.group_count() =>
        {
            Err(too_many_processes(fit, embedding).into())
        }
        EmbeddingName::Registered { embedding: registered, .. } if fit.places_groups(registered) => {
            groups(fit, embedding, registered)
        }
        EmbeddingName::Registered { embedding: registered, .. } => by_registered(fit, embedding, registered),
        EmbeddingName::Axes(order) => {
            take_memory(fit, embedding)?;
            place_axes(fit, embedding, order)
        }
        EmbeddingName::Plane(together) => {
            take_memory(fit, embedding)?;
            by_slurm(fit, embedding, Distribution::Plane(*together))
        }
        EmbeddingName::File(name) => from_file(fit, embedding, name),
        // Searches start from the placements of the other embeddings; until then, as under `standard`.
        EmbeddingName::Search(_) => {
            let name = EmbeddingName::with_name("standard").unwrap_or_else(|| embedding.name.clone());
            placement_of_ranks(fit, &NamedEmbedding { name, place: embedding.place.clone() })
        }
        // These bring their placements, after the file is read.
        EmbeddingName::Added(_) => Err(not_a_cube(fit, embedding).into()),
        EmbeddingName::Launcher(entry) => {
            take_memory(fit, embedding)?;
            let region = fit.region();
            let known = entry.format.names_hosts().then(|| job_hosts(fit.settings, region)).flatten();
            let beside = |name: &str| fit.settings.beside(name);
            entry.read(fit.program.rank_count(), region, known, fit.place_of(embedding), beside)
        }
    }
}

/// The placement by an embedding of the registry.
fn by_registered(
    fit: &Fit<'_>,
    embedding: &NamedEmbedding,
    registered: &'static Embedding,
) -> Result<Placement, Failure> {
    match registered.maker {
        Maker::Rule(kind) => place_by_rule(fit, embedding, kind),
        Maker::Construction(_) if fit.program.ranks.is_some() && registered.name != "tao" => {
            Err(not_a_cube(fit, embedding).into())
        }
        Maker::Construction(place) | Maker::ByNumber(place) => {
            take_memory(fit, embedding)?;
            place(fit, embedding)
        }
        Maker::Drawn(place) | Maker::Seeded(place) => {
            take_memory(fit, embedding)?;
            place_seeded(fit, embedding, place)
        }
        // It is already replaced by its orders.
        Maker::AxisOrders => Err(not_a_cube(fit, embedding).into()),
    }
}

/// The placement in a file.
fn from_file(fit: &Fit<'_>, embedding: &NamedEmbedding, name: &str) -> Result<Placement, Failure> {
    take_memory(fit, embedding)?;
    let path = fit.settings.beside(name);
    let (processes, region, budget) = (fit.program.rank_count(), fit.region(), fit.settings.budget());
    if placement_npy::is_like(&path) {
        return placement_npy::read(&path, processes, region, budget);
    }
    match ranks_file::read(fit.settings, &path, processes, region) {
        Some(read) => read,
        None => placement_file::read(&path, processes, region, budget),
    }
}

/// The placement of groups of consecutive processes, one group per node, by an embedding of the groups as a
/// guest. In a cube, the lowest dimensions are the place inside the node.
fn groups(fit: &Fit<'_>, embedding: &NamedEmbedding, registered: &Embedding) -> Result<Placement, Failure> {
    let guest = match registered.maker {
        Maker::Rule(_) => ContractedGuest::Cube,
        Maker::Construction(_) | Maker::AxisOrders => ContractedGuest::Own,
        Maker::Drawn(_) | Maker::Seeded(_) | Maker::ByNumber(_) => ContractedGuest::Row,
    };
    let program = fit.program.contracted(guest).ok_or_else(|| no_groups(fit, embedding))?;
    let placed = placement_of_ranks(&Fit { program: &program, ..*fit }, embedding)?;
    take_bytes(fit, embedding, fit.program.rank_count().saturating_mul(BYTES_A_SHARE))?;
    fit.on_nodes(fit.program.over_groups(guest, &placed.listed_nodes()))
}

/// Takes the memory for the table of a placement, before it is made.
fn take_memory(fit: &Fit<'_>, embedding: &NamedEmbedding) -> Result<(), Failure> {
    take_bytes(fit, embedding, fit.program.rank_count().saturating_mul(BYTES_A_PROCESS))
}

/// The placement of a rule: by fields of labels, or process by process if a network is involved.
fn place_by_rule(
    fit: &Fit<'_>,
    embedding: &NamedEmbedding,
    kind: EmbeddingKind,
) -> Result<Placement, Failure> {
    if kind == EmbeddingKind::Standard && fit.standard_counts() {
        take_memory(fit, embedding)?;
        return as_numbered(fit);
    }
    let guest = fit.program.placed_shape();
    if kind == EmbeddingKind::Byweight && fit.cube().is_none() && is_mesh_on_a_line(&guest, fit.machine) {
        take_memory(fit, embedding)?;
        return fit.on_nodes(by_coordinate_sums(&guest, fit.machine));
    }
    let cube = fit.cube().ok_or_else(|| not_a_cube(fit, embedding))?;
    // `misfits` reports the causes; this error is a fallback.
    Placement::embed(kind, cube, fit.machine)
        .map_err(|error| ScenarioError::at(&fit.size.place, error.to_string(), "this shape").into())
}

/// Whether the guest is a mesh, and the machine a line of at least as many nodes.
pub(crate) fn is_mesh_on_a_line(guest: &Machine, machine: &Machine) -> bool {
    let is_open =
        |machine: &Machine| machine.grid().is_some_and(|grid| grid.extents().all(|extent| !extent.is_ring()));
    is_open(guest)
        && is_open(machine)
        && machine.axes().len() == 1
        && guest.node_count() <= machine.node_count()
}

/// The nodes of the processes of a mesh along a line, by the sums of their coordinates (section 29.6).
pub(crate) fn by_coordinate_sums(guest: &Machine, machine: &Machine) -> Vec<NodeId> {
    let order = coordinate_sum_order(guest.shape());
    let mut nodes = order.clone();
    for (node, process) in machine.nodes().zip(order) {
        nodes[process.index() as usize] = node;
    }
    nodes
}

/// Places process `n` on node `n`; if every node has two words, processes `2n` and `2n + 1`.
fn as_numbered(fit: &Fit<'_>) -> Result<Placement, Failure> {
    let processes = usize::try_from(fit.program.rank_count()).unwrap_or(usize::MAX);
    let words = match &fit.program.ranks {
        None if fit.program.ranks_per_node == 1 => {
            (fit.program.rank_count() / fit.machine.numbered_hosts()).max(1)
        }
        _ => fit.program.ranks_per_node,
    };
    let words = usize::try_from(words).unwrap_or(usize::MAX);
    // If a program fills the machine, process n is on node n, failed nodes included; these have spare nodes.
    let fills = fit.allocation.is_none() && fit.group_count() == fit.machine.numbered_hosts();
    let hosts: Vec<NodeId> = if fit.program.is_placed_by_number() || !(fills || fit.program.is_wandering()) {
        fit.needed_nodes()
    } else {
        let needed = fit.machine.numbered_hosts().min(fit.program.rank_count());
        fit.machine.nodes().take(usize::try_from(needed).unwrap_or(usize::MAX)).collect()
    };
    let nodes = match &fit.program.block {
        Some(_) => fit.program.over_groups(ContractedGuest::Row, &hosts),
        None => hosts.into_iter().flat_map(|node| std::iter::repeat_n(node, words)).take(processes).collect(),
    };
    fit.on_nodes(nodes)
}
