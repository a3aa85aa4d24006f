//! Placements given process by process.

use cubefold_topology::{Machine, NodeId};
use rayon::prelude::*;

use crate::ProcessId;

/// A placement written out: a node for every process. Nodes may stay empty, and processes may share one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlacementTable {
    machine: Machine,
    nodes: Vec<NodeId>,      // the node of each process
    by_node: Vec<ProcessId>, // the processes in ascending order of their nodes and labels: the inverse
    max_load: u64,           // at least 1
}

/// A reason why a list of nodes is not a placement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PlacementTableError {
    /// There is no process.
    #[error("a placement without processes, expected at least one")]
    NoProcesses,
    /// A node is not in the machine.
    #[error("process {process} on node {node}, expected a node in 0 to {greatest}")]
    NoSuchNode {
        /// The process.
        process: ProcessId,
        /// The node found.
        node: NodeId,
        /// The greatest node of the machine.
        greatest: u64,
    },
}

impl PlacementTable {
    /// Returns the placement with process `n` on `nodes[n]`.
    ///
    /// # Errors
    ///
    /// When there is no process, or a node is not in the machine.
    ///
    /// # Complexity
    ///
    /// O(P log P) for P processes, in parallel, whatever the size of the machine.
    pub fn new(machine: &Machine, nodes: Vec<NodeId>) -> Result<Self, PlacementTableError> {
        if nodes.is_empty() {
            return Err(PlacementTableError::NoProcesses);
        }
        let count = machine.node_count();
        for (process, &node) in ProcessId::first(nodes.len() as u64).zip(&nodes) {
            if u64::from(node.index()) >= count {
                return Err(PlacementTableError::NoSuchNode { process, node, greatest: count - 1 });
            }
        }
        let mut by_node: Vec<ProcessId> = ProcessId::first(nodes.len() as u64).collect();
        by_node.par_sort_unstable_by_key(|&process| (nodes[process.label() as usize], process));
        let shared =
            by_node.chunk_by(|one, other| nodes[one.label() as usize] == nodes[other.label() as usize]);
        let max_load = shared.map(|processes| processes.len() as u64).max().unwrap_or(1);
        Ok(Self { machine: machine.clone(), nodes, by_node, max_load })
    }

    /// The greatest number of processes on one node, at least 1.
    #[must_use]
    pub fn max_load(&self) -> u64 {
        self.max_load
    }

    /// The machine.
    #[must_use]
    pub fn machine(&self) -> &Machine {
        &self.machine
    }

    /// The nodes, by process.
    #[must_use]
    pub fn nodes(&self) -> &[NodeId] {
        &self.nodes
    }

    /// The node of a process.
    ///
    /// # Panics
    ///
    /// When there is no such process.
    #[must_use]
    pub fn node(&self, process: ProcessId) -> NodeId {
        self.nodes[process.label() as usize]
    }

    /// The nodes with a process, by index.
    pub(crate) fn occupied_nodes(&self) -> impl Iterator<Item = NodeId> {
        let groups = self.by_node.chunk_by(|one, other| self.node(*one) == self.node(*other));
        groups.map(|processes| self.node(processes[0]))
    }

    /// The processes on a node, in order; found in O(log P).
    pub fn processes(&self, node: NodeId) -> impl Iterator<Item = ProcessId> {
        let first = self.by_node.partition_point(|&process| self.node(process) < node);
        self.by_node[first..].iter().copied().take_while(move |&process| self.node(process) == node)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Placement;
    use cubefold_topology::MachineKind;

    fn place(indices: &[u32]) -> Result<PlacementTable, PlacementTableError> {
        let machine = Machine::new(MachineKind::Mesh, &[3, 3]).unwrap();
        PlacementTable::new(&machine, indices.iter().copied().map(NodeId::new).collect())
    }

    #[test]
    fn the_inverse_of_a_placement_with_empty_nodes() {
        let placement = place(&[8, 2, 5]).unwrap();
        let on = |node| placement.processes(NodeId::new(node)).map(ProcessId::label).collect::<Vec<_>>();
        assert_eq!(on(2), [1]);
        assert_eq!(on(3), [] as [u32; 0]);
        assert_eq!(placement.max_load(), 1);
        assert_eq!(placement.node(ProcessId::new(0)), NodeId::new(8));
    }

    #[test]
    fn processes_may_share_a_node_and_the_inverse_lists_them_in_order() {
        let shared = place(&[4, 7, 1, 7, 1, 7]).unwrap();
        let on = |node| shared.processes(NodeId::new(node)).map(ProcessId::label).collect::<Vec<_>>();
        assert_eq!((on(7), on(1), on(4)), (vec![1, 3, 5], vec![2, 4], vec![0]));
        assert_eq!(shared.max_load(), 3);
        assert_eq!(shared.occupied_nodes().map(NodeId::index).collect::<Vec<_>>(), [1, 4, 7]);
        let placement = Placement::Table(shared);
        assert_eq!(
            (placement.process_count(), placement.max_load(), placement.is_one_to_one()),
            (6, 3, false)
        );
    }

    #[test]
    fn nodes_that_the_machine_does_not_have_are_refused() {
        let error = place(&[0, 9]).unwrap_err();
        assert_eq!(error.to_string(), "process 1 on node 9, expected a node in 0 to 8");
        assert_eq!(place(&[]).unwrap_err(), PlacementTableError::NoProcesses);
    }
}
