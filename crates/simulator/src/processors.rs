//! Processors that processes share.
//!
//! A node computes for as many of its processes at a time as it has processors, in the
//! order of the cycles at which they could start and then of their labels; a computation is not
//! preempted, and a process that waits for a partner does not occupy its processor
//! (`docs/model.md` sections 5 and 15).

use std::{cmp::Reverse, collections::BinaryHeap, num::NonZeroU64};

use cubefold_mapping::ProcessId;
use cubefold_topology::NodeId;

use crate::{Cycle, Cycles};

/// The processors of all nodes that have processes.
#[derive(Debug)]
pub(crate) struct Processors {
    all: Vec<NodeProcessors>,
    per_node: u64,         // the most processes of a node that compute at the same time
    node_of: Vec<usize>,   // by process, the index of its node
    sharing: Vec<Cycles>,  // by process, the time for which it waited for its processor in its stage
    requested: Vec<usize>, // nodes whose processors may be granted
}

#[derive(Debug, Default)]
struct NodeProcessors {
    busy: u64,
    waiting: BinaryHeap<Reverse<(Cycle, ProcessId)>>, // by the cycle at which they could start, then by label
}

impl Processors {
    /// The processors of the nodes that the processes are on, `per_node` on each.
    pub(crate) fn new(nodes: &[NodeId], per_node: NonZeroU64) -> Self {
        let mut used = nodes.to_vec();
        used.sort_unstable();
        used.dedup();
        // Every node is among those used.
        let node_of = nodes.iter().map(|node| used.binary_search(node).unwrap_or(0)).collect();
        Self {
            all: used.iter().map(|_| NodeProcessors::default()).collect(),
            per_node: per_node.get(),
            node_of,
            sharing: vec![Cycles::ZERO; nodes.len()],
            requested: vec![],
        }
    }

    /// A process requests its processor at `now`.
    pub(crate) fn request(&mut self, process: ProcessId, now: Cycle) {
        let node = self.node_of[process.label() as usize];
        self.all[node].waiting.push(Reverse((now, process)));
        self.requested.push(node);
    }

    /// The computation of a process has ended.
    pub(crate) fn release(&mut self, process: ProcessId) {
        let node = self.node_of[process.label() as usize];
        self.all[node].busy -= 1;
        self.requested.push(node);
    }

    /// Grants every idle processor of the requested nodes to its next process, for which `begin` is called;
    /// returns the number of grants.
    pub(crate) fn grant(&mut self, now: Cycle, mut begin: impl FnMut(ProcessId)) -> usize {
        let mut granted = 0;
        for requested in self.requested.drain(..) {
            let node = &mut self.all[requested];
            while node.busy < self.per_node
                && let Some(Reverse((since, process))) = node.waiting.pop()
            {
                node.busy += 1;
                self.sharing[process.label() as usize] = now - since;
                begin(process);
                granted += 1;
            }
        }
        granted
    }

    /// The time for which a process waited for its processor in the stage of its last computation
    /// \[cycles\].
    pub(crate) fn sharing(&self, process: ProcessId) -> Cycles {
        self.sharing[process.label() as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_processor_serves_the_process_that_could_begin_first_and_then_the_smaller_label() {
        let nodes = [3, 3, 3, 8].map(NodeId::new);
        let mut processors = Processors::new(&nodes, NonZeroU64::MIN);
        for (process, cycle) in [(2, 0), (1, 0), (0, 5), (3, 5)] {
            processors.request(ProcessId::new(process), Cycle::new(cycle));
        }
        let grant = |processors: &mut Processors, cycle| {
            let mut granted = vec![];
            processors.grant(Cycle::new(cycle), |process| granted.push(process.label()));
            granted
        };
        assert_eq!(grant(&mut processors, 5), [1, 3]);
        assert_eq!(grant(&mut processors, 6), [] as [u32; 0]);
        processors.release(ProcessId::new(1));
        assert_eq!(grant(&mut processors, 9), [2]);
        assert_eq!(processors.sharing(ProcessId::new(2)), Cycles::new(9));
        processors.release(ProcessId::new(2));
        assert_eq!(grant(&mut processors, 11), [0]);
        assert_eq!(processors.sharing(ProcessId::new(0)), Cycles::new(6));
    }

    #[test]
    fn several_processors_of_a_node_serve_as_many_processes() {
        let mut processors = Processors::new(&[NodeId::new(5); 4], NonZeroU64::new(2).unwrap());
        for process in [3, 0, 2, 1] {
            processors.request(ProcessId::new(process), Cycle::START);
        }
        let mut granted = vec![];
        processors.grant(Cycle::START, |process| granted.push(process.label()));
        assert_eq!(granted, [0, 1]);
        processors.release(ProcessId::new(1));
        processors.grant(Cycle::new(7), |process| granted.push(process.label()));
        assert_eq!((granted, processors.sharing(ProcessId::new(2))), (vec![0, 1, 2], Cycles::new(7)));
    }
}
