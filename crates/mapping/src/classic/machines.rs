//! Guests and hosts: how a construction makes them, and how it recognizes them.

use cubefold_topology::{Extent, Machine, MachineKind, NodeId, TreeParameters};

use super::error::ClassicError;
use crate::{GraphGuest, Guest, ProcessId};

/// The most dimensions of a hypercube that tables are made for.
pub(super) const MAX_DIMENSIONS: u32 = 20;

/// The hypercube of `dimensions` dimensions, at least 1.
pub(super) fn hypercube(dimensions: u32) -> Result<Machine, ClassicError> {
    Ok(Machine::new(MachineKind::Hypercube, &vec![2; dimensions as usize])?)
}

pub(super) fn mesh(lengths: &[u64]) -> Result<Machine, ClassicError> {
    Ok(Machine::new(MachineKind::Mesh, lengths)?)
}

/// The edges of a machine taken as a guest, each once.
pub(crate) fn guest_edges(guest: &Machine) -> Vec<(ProcessId, ProcessId)> {
    let guest = GraphGuest::new(guest.clone());
    (0..guest.dimension_count()).flat_map(|dimension| guest.edges(dimension).collect::<Vec<_>>()).collect()
}

pub(super) fn nodes(indices: impl IntoIterator<Item = u32>) -> Vec<NodeId> {
    indices.into_iter().map(NodeId::new).collect()
}

/// The places of vertices in the order of their labels.
pub(super) fn in_label_order(labels: &[ProcessId], places: &[NodeId]) -> Vec<NodeId> {
    let mut ordered: Vec<(ProcessId, NodeId)> = labels.iter().copied().zip(places.iter().copied()).collect();
    ordered.sort_unstable();
    ordered.into_iter().map(|(_, place)| place).collect()
}

/// Whether it is a grid in which no dimension wraps; one of length 2 never counts as wrapping.
pub(super) fn is_open(machine: &Machine) -> bool {
    !machine.axes().is_empty() && !machine.extents().any(Extent::is_ring)
}

/// Whether it is a grid of these lengths in which no dimension wraps.
pub(super) fn is_mesh(machine: &Machine, lengths: &[u64]) -> bool {
    machine.shape().lengths() == lengths && is_open(machine)
}

pub(super) fn is_line(machine: &Machine) -> bool {
    is_open(machine) && machine.shape().dimension_count() == 1
}

/// Whether it is a grid in which every dimension wraps, and one is longer than 2.
pub(super) fn is_torus(machine: &Machine) -> bool {
    let mut extents = machine.extents();
    extents.clone().any(Extent::is_ring) && extents.all(|extent| extent.is_ring() || extent.length() == 2)
}

/// Whether it is a grid all of whose dimensions have length 2: a mesh and a torus alike.
pub(super) fn has_sides_of_two(machine: &Machine) -> bool {
    cube_dimensions(machine).is_some()
}

/// Whether it is a ring of at least three nodes.
pub(super) fn is_ring(machine: &Machine) -> bool {
    is_torus(machine) && machine.shape().dimension_count() == 1
}

/// The number of dimensions of a hypercube; `None` for other machines.
pub(crate) fn cube_dimensions(machine: &Machine) -> Option<u32> {
    let lengths = machine.shape().lengths();
    let is_cube = !machine.axes().is_empty() && lengths.iter().all(|&length| length == 2);
    u32::try_from(lengths.len()).ok().filter(|_| is_cube)
}

/// `i` of a square mesh of side `2^i`; `None` for other machines.
pub(super) fn square_order(machine: &Machine) -> Option<u32> {
    let order = exponent(*machine.shape().lengths().first()?)?;
    is_mesh(machine, &[1 << order; 2]).then_some(order)
}

/// The number of dimensions that a network of this kind was made from; `None` for other
/// kinds.
pub(super) fn network_dimensions(machine: &Machine, kind: MachineKind) -> Option<u32> {
    let dimensions = machine.network_dimensions().filter(|_| machine.kind() == kind)?;
    u32::try_from(dimensions).ok()
}

/// The edges of a tree, from every vertex to those below it.
pub(super) fn tree_edges(parameters: TreeParameters) -> impl Iterator<Item = (ProcessId, ProcessId)> {
    parameters.links().into_iter().map(|(above, below)| (ProcessId::new(above), ProcessId::new(below)))
}

/// Whether a machine of any kind has the nodes and links of a tree of these numbers.
pub(super) fn has_links_of(machine: &Machine, parameters: TreeParameters) -> bool {
    let Some(network) = machine.graph().filter(|_| machine.node_count() == parameters.node_count()) else {
        return false;
    };
    let links = parameters.links();
    let is_link = |&(one, other): &(u32, u32)| {
        network.neighbours(NodeId::new(one)).binary_search(&NodeId::new(other)).is_ok()
    };
    links.len() as u64 == network.link_count() && links.iter().all(is_link)
}

/// `k`, at least 2, and the levels of a complete `k`-ary tree in heap order; `None` for other machines.
pub(super) fn k_ary_tree_of(machine: &Machine) -> Option<(u32, u32)> {
    let network = machine.graph().filter(|_| has_links_of_a_tree(machine))?;
    let arity = network.neighbours(NodeId::new(0)).len() as u64;
    let tree = |levels: u32| TreeParameters::KAry { arity, levels: levels.into() };
    let levels = (1..u64::BITS).find(|&levels| tree(levels).node_count() >= machine.node_count())?;
    let is_tree = arity >= 2 && has_links_of(machine, tree(levels));
    Some((u32::try_from(arity).ok()?, levels)).filter(|_| is_tree)
}

/// Whether a machine is a network with one link fewer than nodes.
pub(super) fn has_links_of_a_tree(machine: &Machine) -> bool {
    machine.graph().is_some() && machine.link_count() + 1 == machine.node_count()
}

/// `n` of `2^n`.
pub(super) fn exponent(count: u64) -> Option<u32> {
    count.is_power_of_two().then(|| count.ilog2())
}
