//! Guests that are toruses or meshes themselves.

use std::ops::Range;

use cubefold_topology::{Direction, HostDimension, Machine, NodeId, Sign};

use crate::{Guest, ProcessId};

/// A torus, a mesh or anything between as a guest: a process for each node, numbered like a machine's
/// nodes (`docs/model.md` section 2; Tao 1988, 3.2).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GridGuest {
    shape: Machine,
}

impl GridGuest {
    /// The guest with the nodes and links of `shape`.
    #[must_use]
    pub fn new(shape: Machine) -> Self {
        Self { shape }
    }

    /// Its shape, as the machine that it would fill.
    #[must_use]
    pub fn shape(&self) -> &Machine {
        &self.shape
    }

    /// The neighbour of a process in a direction; none where a line ends.
    #[must_use]
    pub fn neighbour(&self, process: ProcessId, direction: Direction) -> Option<ProcessId> {
        let node = self.shape.neighbour(NodeId::new(process.label()), direction)?;
        Some(ProcessId::new(node.index()))
    }
}

impl Guest for GridGuest {
    fn process_count(&self) -> u64 {
        self.shape.node_count()
    }

    fn dimension_count(&self) -> usize {
        self.shape.shape().dimension_count()
    }

    fn edges_from(
        &self,
        dimension: usize,
        labels: Range<u64>,
    ) -> impl Iterator<Item = (ProcessId, ProcessId)> {
        let dimension = HostDimension::first(dimension + 1).next_back();
        dimension.into_iter().flat_map(move |dimension| {
            let direction = Direction { dimension, sign: Sign::Positive };
            // An edge belongs to its near end, as a link does.
            labels.clone().filter_map(move |label| {
                #[expect(clippy::cast_possible_truncation, reason = "labels of a grid are below 2^32")]
                let near = ProcessId::new(label as u32);
                let far = self.neighbour(near, direction)?;
                Some((near.min(far), near.max(far)))
            })
        })
    }

    fn neighbours(&self, process: ProcessId) -> impl Iterator<Item = ProcessId> {
        Direction::all(self.shape.shape().dimension_count())
            .filter_map(move |direction| self.neighbour(process, direction))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cubefold_topology::MachineKind;

    fn edges(kind: MachineKind, lengths: &[u64], dimension: usize) -> Vec<(u32, u32)> {
        let guest = GridGuest::new(Machine::new(kind, lengths).unwrap());
        guest.edges(dimension).map(|(low, high)| (low.label(), high.label())).collect()
    }

    #[test]
    fn edges_are_the_links_of_the_shape_each_once() {
        assert_eq!(edges(MachineKind::Mesh, &[3, 2], 0), [(0, 1), (1, 2), (3, 4), (4, 5)]);
        assert_eq!(edges(MachineKind::Mesh, &[3, 2], 1), [(0, 3), (1, 4), (2, 5)]);
        assert_eq!(edges(MachineKind::Ring, &[4], 0), [(0, 1), (1, 2), (2, 3), (0, 3)]);
        // A wrapping dimension of length 2 has one link.
        assert_eq!(edges(MachineKind::Torus, &[2, 2], 1), [(0, 2), (1, 3)]);
    }
}
