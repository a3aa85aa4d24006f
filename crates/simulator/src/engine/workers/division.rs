//! The division of a grid into slabs, and the processes on each of them.

use cubefold_mapping::{Placement, PlacementForm, ProcessId};
use cubefold_topology::{Divisor, Machine, NodeId, narrow};

use crate::slab::Slab;

/// The division of a grid into slabs of neighbouring nodes, one for each worker.
///
/// The highest dimension is cut into segments, as equal as they can be. If it has fewer coordinates than there are
/// workers, each of its coordinates is divided likewise in the next dimension.
#[derive(Debug)]
pub(super) struct Division {
    node_count: u64,
    segment: Divisor, // the nodes of every slab but the last of its lines
    line: Divisor,    // the nodes of the slabs of one coordinate of the dimensions above
    segments: u64,    // of a line
}

impl Division {
    /// The division of a grid among up to `workers` workers; those that would make no slab smaller are omitted.
    pub(super) fn new(machine: &Machine, workers: usize) -> Self {
        let (shape, mut lines, workers) = (machine.shape(), 1, workers.max(1) as u64);
        let mut cut = shape.dimensions().rev().peekable();
        loop {
            // There is at least one dimension.
            let Some(dimension) = cut.next() else { unreachable!("a grid without dimensions") };
            let (length, stride) = (shape.length(dimension), shape.stride(dimension));
            let workers_of_line = workers / lines;
            if workers_of_line > length && cut.peek().is_some() {
                lines *= length;
                continue;
            }
            let coordinates = length.div_ceil(workers_of_line.clamp(1, length));
            return Self {
                node_count: machine.node_count(),
                segment: Divisor::new(coordinates * stride),
                line: Divisor::new(length * stride),
                segments: length.div_ceil(coordinates),
            };
        }
    }

    /// The number of slabs, at most the requested workers.
    pub(super) fn slab_count(&self) -> usize {
        let lines = self.node_count / self.line.get();
        usize::try_from(lines * self.segments).unwrap_or(usize::MAX) // at most a number of workers
    }

    pub(super) fn slab(&self, number: usize) -> Slab {
        let (above, segment) = (number as u64 / self.segments, number as u64 % self.segments);
        let (line, size) = (above * self.line.get(), self.segment.get());
        Slab::new(line + segment * size..line + ((segment + 1) * size).min(self.line.get()))
    }

    /// The number of the slab that a node is in.
    pub(super) fn owner(&self, node: NodeId) -> usize {
        let (above, in_line) = self.line.divide(node.index().into());
        let (segment, _) = self.segment.divide(in_line);
        usize::try_from(above * self.segments + segment).unwrap_or(usize::MAX) // below the number of slabs
    }
}

/// The index of every process: its place in the order of nodes, and of labels on a node.
#[derive(Debug)]
pub(super) enum Indices<'run> {
    /// The index of its node, if every node has one process: nodes by label.
    Nodes(&'run [NodeId]),
    /// The same, with nodes from formulas.
    Formula(&'run Placement),
    /// By label of the process.
    Table(Vec<u32>),
}

impl<'run> Indices<'run> {
    pub(super) fn new(placement: &'run Placement) -> Self {
        let processes = placement.process_count();
        if placement.is_one_to_one() && processes == placement.machine().node_count() {
            return match placement.form() {
                PlacementForm::Table(table) => Self::Nodes(table.nodes()),
                PlacementForm::Product(_) | PlacementForm::Construction(_) => Self::Formula(placement),
            };
        }
        let mut order: Vec<_> =
            ProcessId::first(processes).map(|process| (placement.node(process), process)).collect();
        order.sort_unstable();
        let mut indices = vec![0; order.len()];
        for (index, (_, process)) in order.into_iter().enumerate() {
            indices[process.label() as usize] = narrow(index as u64); // a run has at most 2^30 processes
        }
        Self::Table(indices)
    }

    #[inline]
    pub(super) fn of(&self, process: ProcessId) -> u32 {
        match self {
            Self::Nodes(nodes) => nodes[process.label() as usize].index(),
            Self::Formula(placement) => placement.node(process).index(),
            Self::Table(indices) => indices[process.label() as usize],
        }
    }
}

/// The processes on the nodes of a slab, whose indices follow each other.
#[derive(Debug)]
pub(super) struct Residents {
    first: u32, // the index of the first
    labels: Vec<ProcessId>,
}

impl Residents {
    pub(super) fn new(slab: &Slab, placement: &Placement, indices: &Indices<'_>) -> Self {
        let on_node = |node| placement.processes(NodeId::new(narrow(node)));
        let labels: Vec<_> = slab.nodes().flat_map(on_node).collect();
        Self { first: labels.first().map_or(0, |&process| indices.of(process)), labels }
    }

    pub(super) fn none() -> Self {
        Self { first: 0, labels: vec![] }
    }

    /// Their labels, in the order of their indices.
    #[inline]
    pub(super) fn labels(&self) -> &[ProcessId] {
        &self.labels
    }

    /// The index of a process among these, given `index` among all; `None` if it is not one of these.
    #[inline]
    pub(super) fn index(&self, index: u32) -> Option<ProcessId> {
        let index_here = index.wrapping_sub(self.first);
        ((index_here as usize) < self.labels.len()).then_some(ProcessId::new(index_here))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cubefold_mapping::PlacementTable;
    use cubefold_topology::MachineKind;

    #[test]
    fn every_node_is_in_one_slab_and_slabs_are_as_equal_as_they_can_be() {
        let shapes: [&[u64]; 6] = [&[8], &[2; 6], &[16, 16], &[4, 4, 4], &[5, 3, 7], &[3, 2]];
        for lengths in shapes {
            let machine = Machine::new(MachineKind::Mesh, lengths).unwrap();
            for workers in 1..40 {
                let division = Division::new(&machine, workers);
                let slabs: Vec<_> = (0..division.slab_count()).map(|number| division.slab(number)).collect();
                assert!(slabs.len() <= workers, "{lengths:?}");
                for node in machine.nodes() {
                    let owner = &slabs[division.owner(node)];
                    assert!(owner.nodes().contains(&node.index().into()), "{lengths:?} on {workers}");
                }
                assert_eq!(slabs.iter().map(Slab::node_count).sum::<u64>(), machine.node_count());
            }
            let halves = Division::new(&machine, 2);
            let longest = lengths[lengths.len() - 1];
            let layer = machine.node_count() / longest;
            assert_eq!(halves.slab(0).node_count(), longest.div_ceil(2) * layer);
        }
        let cube = Machine::new(MachineKind::Hypercube, &[2; 6]).unwrap();
        assert_eq!(
            [1, 2, 3, 4, 7, 8, 100].map(|workers| Division::new(&cube, workers).slab_count()),
            [1, 2, 2, 4, 4, 8, 64]
        );
    }

    #[test]
    fn the_processes_of_a_slab_have_the_indices_that_list_them() {
        let machine = Machine::new(MachineKind::Torus, &[4, 4]).unwrap();
        let nodes = [5, 15, 5, 8, 9, 0, 15, 5].map(NodeId::new).to_vec();
        let placement = Placement::Table(PlacementTable::new(&machine, nodes).unwrap());
        let division = Division::new(&machine, 2);
        let indices = Indices::new(&placement);
        let mut seen = 0;
        for number in 0..division.slab_count() {
            let residents = Residents::new(&division.slab(number), &placement, &indices);
            for process in ProcessId::first(placement.process_count()) {
                let is_own = division.owner(placement.node(process)) == number;
                let index = residents.index(indices.of(process));
                let label = index.map(|index| residents.labels()[index.label() as usize]);
                assert_eq!(label, is_own.then_some(process));
                seen += u64::from(is_own);
            }
        }
        assert_eq!(seen, placement.process_count());
    }
}
