//! Guests that are the graphs of machines: toruses, meshes, trees, butterflies.

use std::ops::Range;

use cubefold_topology::{Direction, HostDimension, Machine, Network, NodeId, Sign};

use crate::{Guest, ProcessId};

/// The graph of a machine as a guest: a process for each node, with the node's number, and an edge for each link.
///
/// The edges of a torus, a mesh or anything between lie in the dimensions of its shape (`docs/model.md` section 2; Tao
/// 1988, 3.2); those of a network are all of one dimension.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GraphGuest {
    shape: Machine,
}

impl GraphGuest {
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

impl Guest for GraphGuest {
    fn process_count(&self) -> u64 {
        self.shape.node_count()
    }

    fn dimension_count(&self) -> usize {
        self.shape.extents().len().max(1)
    }

    fn edges_from(
        &self,
        dimension: usize,
        labels: Range<u64>,
    ) -> impl Iterator<Item = (ProcessId, ProcessId)> {
        let networks = self.shape.as_network().into_iter();
        let of_network = networks.flat_map({
            let labels = labels.clone();
            move |network| labels.clone().flat_map(|label| edges_to_higher(network, label))
        });
        let dimension = HostDimension::first(dimension + 1).next_back();
        let dimension = dimension.filter(|_| self.shape.as_network().is_none());
        let of_grid = dimension.into_iter().flat_map(move |dimension| {
            let direction = Direction { dimension, sign: Sign::Positive };
            // An edge belongs to its near end, as a link does.
            labels.clone().filter_map(move |label| {
                let near = process(label);
                let far = self.neighbour(near, direction)?;
                Some((near.min(far), near.max(far)))
            })
        });
        of_network.chain(of_grid)
    }

    fn neighbours(&self, process: ProcessId) -> impl Iterator<Item = ProcessId> {
        let nodes = self.shape.neighbours(NodeId::new(process.label()));
        nodes.map(|node| ProcessId::new(node.index()))
    }
}

/// The edges between a node of a network and its neighbours with higher labels.
fn edges_to_higher(network: &Network, label: u64) -> impl Iterator<Item = (ProcessId, ProcessId)> {
    let near = process(label);
    let neighbours = network.neighbours(NodeId::new(near.label())).iter();
    let far = neighbours.map(|node| ProcessId::new(node.index()));
    far.filter(move |&far| far > near).map(move |far| (near, far))
}

fn process(label: u64) -> ProcessId {
    #[expect(clippy::cast_possible_truncation, reason = "labels of a machine are below 2^32")]
    ProcessId::new(label as u32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use cubefold_topology::MachineKind;

    fn edges(kind: MachineKind, lengths: &[u64], dimension: usize) -> Vec<(u32, u32)> {
        let guest = GraphGuest::new(Machine::new(kind, lengths).unwrap());
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

    #[test]
    fn edges_of_a_network_are_all_of_one_dimension() {
        let guest = GraphGuest::new(Machine::of_dimensions(MachineKind::BinaryTree, 2).unwrap());
        let edges: Vec<_> = guest.edges(0).map(|(low, high)| (low.label(), high.label())).collect();
        assert_eq!(
            (guest.dimension_count(), &edges[..]),
            (1, &[(0, 1), (0, 2), (1, 3), (1, 4), (2, 5), (2, 6)][..])
        );
        let neighbours: Vec<_> = guest.neighbours(ProcessId::new(2)).map(ProcessId::label).collect();
        assert_eq!(neighbours, [0, 5, 6]);
    }
}
