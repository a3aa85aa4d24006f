//! Guests: the graphs whose nodes are the processes.

use std::ops::Range;

use cubefold_topology::NodeId;

use crate::ProcessId;

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
    /// It is what metrics are made of. A guest whose edges lie in rows of the labels can do without gathering.
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

/// Room for the images of edges, to be used again from one visit to the next.
#[derive(Debug, Default)]
pub struct GatheredImages {
    low: Vec<NodeId>,
    high: Vec<NodeId>,
}

impl GatheredImages {
    /// The images of the ends of some edges.
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
