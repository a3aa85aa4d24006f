//! Guests: the graphs whose nodes are the processes.

use std::{fmt, ops::Range};

use cubefold_topology::{Direction, Machine, Network, NodeId, Sign, narrow};

/// A process of a guest, by its label: not a node of a host.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProcessId(u32);

impl ProcessId {
    /// Returns the process with this label. The guest says whether it has it.
    #[must_use]
    pub const fn new(label: u32) -> Self {
        Self(label)
    }

    /// The label.
    #[must_use]
    pub const fn label(self) -> u32 {
        self.0
    }

    /// The first `count` processes in order, at most 2^32.
    pub fn first(count: u64) -> impl Iterator<Item = Self> + Clone {
        (0..=u32::MAX).map(Self).take(usize::try_from(count).unwrap_or(usize::MAX))
    }
}

impl fmt::Display for ProcessId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

/// A guest graph: processes, and edges sorted into dimensions.
pub trait Guest: Sync {
    /// The number of processes, at most 2^32.
    fn process_count(&self) -> u64;

    /// The number of dimensions that the edges are sorted into.
    fn dimension_count(&self) -> usize;

    /// The edges of one dimension (counted from 0) that belong to the processes with these labels, the smaller
    /// label first: every edge belongs to one of its ends, whatever the range.
    fn edges_from(
        &self,
        dimension: usize,
        labels: Range<u64>,
    ) -> impl Iterator<Item = (ProcessId, ProcessId)>;

    /// The edges of one dimension (counted from 0), each once, the smaller label first.
    fn edges(&self, dimension: usize) -> impl Iterator<Item = (ProcessId, ProcessId)> {
        self.edges_from(dimension, 0..self.process_count())
    }

    /// The neighbours of a process, each once, in the order of the dimensions.
    fn neighbours(&self, process: ProcessId) -> impl Iterator<Item = ProcessId>;

    /// The number of neighbours of a process.
    fn degree(&self, process: ProcessId) -> u64 {
        self.neighbours(process).count() as u64
    }

    /// Calls `visit` with the images of the edges of one dimension that belong to the processes with these
    /// labels, in lists of at most as many as there are labels: the images of the ends with the smaller labels,
    /// and in the same order those of the others. `images` are the nodes of all processes.
    ///
    /// All metrics are computed from this. A guest whose edges are rows of labels need not gather them.
    ///
    /// # Panics
    ///
    /// When there are fewer images than processes.
    fn visit_images(
        &self,
        dimension: usize,
        labels: Range<u64>,
        images: &[NodeId],
        gathered: &mut GatheredImages,
        visit: &mut impl FnMut(&[NodeId], &[NodeId]),
    ) {
        let (low, high) = gathered.of_edges(self.edges_from(dimension, labels), images);
        visit(low, high);
    }
}

/// Buffers for the images of edges, reused from one visit to the next.
#[derive(Debug, Default)]
pub struct GatheredImages {
    low: Vec<NodeId>,
    high: Vec<NodeId>,
}

impl GatheredImages {
    pub(crate) fn of_edges(
        &mut self,
        edges: impl Iterator<Item = (ProcessId, ProcessId)>,
        images: &[NodeId],
    ) -> (&[NodeId], &[NodeId]) {
        self.low.clear();
        self.high.clear();
        for (low, high) in edges {
            self.low.push(images[low.label() as usize]);
            self.high.push(images[high.label() as usize]);
        }
        (&self.low, &self.high)
    }

    /// The images of processes in rows of `RUN`, the first, third, .. row apart from the others.
    pub(crate) fn alternate<const RUN: usize>(&mut self, images: &[NodeId]) -> (&[NodeId], &[NodeId]) {
        let edges = images.len() / 2;
        self.low.resize(edges, NodeId::new(0));
        self.high.resize(edges, NodeId::new(0));
        let rows = self.low.chunks_exact_mut(RUN).zip(self.high.chunks_exact_mut(RUN));
        for (pair, (low, high)) in images.chunks_exact(2 * RUN).zip(rows) {
            low.copy_from_slice(&pair[..RUN]);
            high.copy_from_slice(&pair[RUN..]);
        }
        (&self.low, &self.high)
    }
}

/// The graph of a machine as a guest: a process for each node, with the node's number, and an edge for each link.
///
/// The edges of a torus, a mesh or anything between lie in the dimensions of its shape (`docs/model.md` section 2; Tao
/// 1988, 3.2); those of a network are all of one dimension.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GraphGuest {
    shape: Machine,
}

impl GraphGuest {
    /// Returns the guest with the nodes and links of `shape`.
    #[must_use]
    pub fn new(shape: Machine) -> Self {
        Self { shape }
    }

    /// Its shape, as a machine of the same size.
    #[must_use]
    pub fn shape(&self) -> &Machine {
        &self.shape
    }

    /// The neighbour of a process in a direction; `None` at the end of a line.
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
        self.shape.axes().len().max(1)
    }

    fn edges_from(
        &self,
        dimension: usize,
        labels: Range<u64>,
    ) -> impl Iterator<Item = (ProcessId, ProcessId)> {
        let of_graph = self.shape.graph().into_iter().flat_map({
            let labels = labels.clone();
            move |network| labels.clone().flat_map(|label| edges_to_higher(network, label))
        });
        let axis = self.shape.axes().get(dimension);
        let of_grid = axis.into_iter().flat_map(move |axis| {
            // An edge belongs to its near end, as a link does.
            labels.clone().filter_map(move |label| {
                let near = NodeId::new(narrow(label));
                let far = axis.neighbour(near, Sign::Positive)?;
                Some((ProcessId::new(near.min(far).index()), ProcessId::new(near.max(far).index())))
            })
        });
        of_graph.chain(of_grid)
    }

    fn neighbours(&self, process: ProcessId) -> impl Iterator<Item = ProcessId> {
        let nodes = self.shape.neighbours(NodeId::new(process.label()));
        nodes.map(|node| ProcessId::new(node.index()))
    }
}

/// The edges between a node of a graph and its neighbours with higher labels.
fn edges_to_higher(network: &Network, label: u64) -> impl Iterator<Item = (ProcessId, ProcessId)> {
    let near = ProcessId::new(narrow(label));
    let neighbours = network.neighbours(NodeId::new(near.label())).iter();
    let far = neighbours.map(|node| ProcessId::new(node.index()));
    far.filter(move |&far| far > near).map(move |far| (near, far))
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
