//! Placements given process by process.

use cubefold_topology::{Machine, NodeId};

use crate::ProcessId;

/// A placement written out: a node for every process, no two processes on one node; nodes may stay empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlacementTable {
    machine: Machine,
    nodes: Vec<NodeId>,      // the node of each process, all different
    by_node: Vec<ProcessId>, // the processes in ascending order of their nodes: the inverse
}

/// A list of nodes that is no placement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PlacementTableError {
    /// There is no process.
    #[error("a placement without processes, expected at least one")]
    NoProcesses,
    /// A node is none of the machine's.
    #[error("process {process} on node {node}, expected a node in 0 to {greatest}")]
    NoSuchNode {
        /// The process.
        process: ProcessId,
        /// The node found.
        node: NodeId,
        /// The greatest node of the machine.
        greatest: u64,
    },
    /// Two processes have one node.
    #[error("processes {first} and {second} are both on node {node}, expected one process a node")]
    Collision {
        /// The process that comes first.
        first: ProcessId,
        /// The first process, in order of labels, whose node is taken.
        second: ProcessId,
        /// The node.
        node: NodeId,
    },
}

impl PlacementTable {
    /// The placement with process `n` on `nodes[n]`.
    ///
    /// # Errors
    ///
    /// When there is no process, a node is none of the machine's, or two processes have the same node
    /// (the error names the first two that collide).
    ///
    /// # Complexity
    ///
    /// O(P log P) for P processes, whatever the size of the machine.
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
        by_node.sort_unstable_by_key(|&process| (nodes[process.label() as usize], process));
        let placement = Self { machine: machine.clone(), nodes, by_node };
        match placement.first_collision() {
            Some(collision) => Err(collision),
            None => Ok(placement),
        }
    }

    /// Of all processes whose node is taken by a process before them, the first.
    fn first_collision(&self) -> Option<PlacementTableError> {
        self.by_node
            .windows(2)
            .filter(|pair| self.node(pair[0]) == self.node(pair[1]))
            .min_by_key(|pair| pair[1])
            .map(|pair| {
                let node = self.node(pair[1]);
                // More than two may share the node: the first of them is named.
                let at = self.by_node.partition_point(|&process| self.node(process) < node);
                PlacementTableError::Collision { first: self.by_node[at], second: pair[1], node }
            })
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

    /// The process on a node, if any; O(log P).
    #[must_use]
    pub fn process(&self, node: NodeId) -> Option<ProcessId> {
        let at = self.by_node.binary_search_by_key(&node, |&process| self.node(process)).ok()?;
        Some(self.by_node[at])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cubefold_topology::MachineKind;

    fn place(indices: &[u32]) -> Result<PlacementTable, PlacementTableError> {
        let machine = Machine::new(MachineKind::Mesh, &[3, 3]).unwrap();
        PlacementTable::new(&machine, indices.iter().copied().map(NodeId::new).collect())
    }

    #[test]
    fn nodes_may_stay_empty_and_the_inverse_says_which() {
        let placement = place(&[8, 2, 5]).unwrap();
        assert_eq!(placement.process(NodeId::new(2)), Some(ProcessId::new(1)));
        assert_eq!(placement.process(NodeId::new(3)), None);
        assert_eq!(placement.node(ProcessId::new(0)), NodeId::new(8));
    }

    #[test]
    fn the_first_two_processes_that_collide_are_named() {
        let collision = place(&[4, 7, 1, 7, 1, 7]).unwrap_err();
        assert_eq!(
            collision.to_string(),
            "processes 1 and 3 are both on node 7, expected one process a node"
        );
        let third_pair = place(&[7, 4, 4, 7, 7]).unwrap_err();
        assert!(third_pair.to_string().starts_with("processes 1 and 2 "));
    }

    #[test]
    fn nodes_that_are_not_there_are_refused() {
        let error = place(&[0, 9]).unwrap_err();
        assert_eq!(error.to_string(), "process 1 on node 9, expected a node in 0 to 8");
        assert_eq!(place(&[]).unwrap_err(), PlacementTableError::NoProcesses);
    }
}
