//! Toruses and meshes as the theorems see them: which of the two a machine counts as, and the pair of guest and host.

use cubefold_topology::{Extent, Machine};

use super::descriptor::Sizes;
use super::error::UnmetCondition;

/// The type of a graph (Tao 1988, 3.2): in a torus all dimensions wrap, in a mesh none does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum GraphType {
    Mesh,
    Torus,
}

/// A guest and a host as the theorems see them.
///
/// A hypercube is both: as a guest it counts as a mesh, as a host as a torus (errata C5). A guest of which
/// some dimensions wrap counts as the torus that contains it; such a host as the mesh that it contains.
#[derive(Debug, Clone)]
pub(super) struct ShapePair {
    pub(super) guest: GraphType,
    pub(super) host: GraphType,
    pub(super) guest_lengths: Vec<u64>,
    pub(super) host_lengths: Vec<u64>,
    /// For each guest dimension, whether it is a ring of more than two.
    pub(super) guest_rings: Vec<bool>,
    /// For each host dimension likewise.
    pub(super) host_rings: Vec<bool>,
}

impl ShapePair {
    /// The pair of a guest and a host; [`UnmetCondition::Grid`] for each of the two that is a network.
    pub(super) fn new(guest: &Machine, host: &Machine) -> Result<Self, Vec<UnmetCondition>> {
        let networks = [guest, host].into_iter().filter(|machine| machine.graph().is_some());
        let wrong: Vec<_> =
            networks.map(|machine| UnmetCondition::Grid { machine: machine.kind() }).collect();
        if !wrong.is_empty() {
            return Err(wrong);
        }
        let lengths = |machine: &Machine| machine.shape().lengths().to_vec();
        let rings = |machine: &Machine| machine.extents().map(Extent::is_ring).collect();
        Ok(Self::of_lengths(lengths(guest), rings(guest), lengths(host), rings(host)))
    }

    /// The pair of two grids by their lengths and, for each dimension, whether it is a ring of more than two.
    pub(super) fn of_lengths(
        guest_lengths: Vec<u64>,
        guest_rings: Vec<bool>,
        host_lengths: Vec<u64>,
        host_rings: Vec<bool>,
    ) -> Self {
        let guest = if guest_rings.contains(&true) { GraphType::Torus } else { GraphType::Mesh };
        let host = if is_torus(&host_lengths, &host_rings) { GraphType::Torus } else { GraphType::Mesh };
        Self { guest, host, guest_lengths, host_lengths, guest_rings, host_rings }
    }

    /// The number `d` of guest dimensions.
    pub(super) fn guest_dimensions(&self) -> usize {
        self.guest_lengths.len()
    }

    /// The number `c` of host dimensions.
    pub(super) fn host_dimensions(&self) -> usize {
        self.host_lengths.len()
    }

    pub(super) fn processes(&self) -> u64 {
        self.guest_lengths.iter().product()
    }

    pub(super) fn nodes(&self) -> u64 {
        self.host_lengths.iter().product()
    }

    /// Checks that a construction takes these numbers of processes and nodes.
    pub(super) fn check_sizes(&self, sizes: Sizes) -> Result<(), UnmetCondition> {
        let (processes, nodes) = (self.processes(), self.nodes());
        let (fits, unmet) = match sizes {
            Sizes::Equal => (processes == nodes, UnmetCondition::EqualSizes { processes, nodes }),
            Sizes::Multiple => (
                processes > nodes && processes.is_multiple_of(nodes),
                UnmetCondition::MultipleSizes { processes, nodes },
            ),
            Sizes::More => (processes > nodes, UnmetCondition::MoreProcesses { processes, nodes }),
            Sizes::Fewer => (processes < nodes, UnmetCondition::SpareNodes { processes, nodes }),
        };
        if fits { Ok(()) } else { Err(unmet) }
    }

    /// Whether the guest is exactly, link by link, of type `guest` and the host of type `host`.
    pub(super) fn is_exactly(&self, guest: GraphType, host: GraphType) -> bool {
        is_exactly(guest, &self.guest_lengths, &self.guest_rings)
            && is_exactly(host, &self.host_lengths, &self.host_rings)
    }

    /// Whether both are exactly of the types that they count as.
    pub(super) fn is_pure(&self) -> bool {
        self.is_exactly(self.guest, self.host)
    }

    /// The common length of all guest dimensions and that of all host dimensions; `None` unless both are square.
    pub(super) fn square_lengths(&self) -> Option<(u64, u64)> {
        let side = |lengths: &[u64]| lengths.iter().all(|length| *length == lengths[0]).then_some(lengths[0]);
        Some((side(&self.guest_lengths)?, side(&self.host_lengths)?))
    }
}

fn is_exactly(expected: GraphType, lengths: &[u64], rings: &[bool]) -> bool {
    match expected {
        GraphType::Mesh => !rings.contains(&true),
        GraphType::Torus => is_torus(lengths, rings),
    }
}

/// Whether every dimension of length over 2 wraps.
fn is_torus(lengths: &[u64], rings: &[bool]) -> bool {
    lengths.iter().zip(rings).all(|(&length, &ring)| ring || length == 2)
}
