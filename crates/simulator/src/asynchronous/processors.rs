//! The processors of nodes that processes share.
//!
//! A node computes for one of its processes at a time, in the order of the cycles at which they could
//! begin and then of their labels; it is not preempted, and a process that waits for a partner does not
//! hold it (`docs/model.md` section 5).

use std::{cmp::Reverse, collections::BinaryHeap};

use cubefold_mapping::ProcessId;
use cubefold_topology::NodeId;

use crate::{Cycle, Cycles};

/// The processors of all nodes that have processes.
#[derive(Debug)]
pub(super) struct Processors {
    all: Vec<Processor>,
    own: Vec<usize>,      // by process, the place of its processor
    sharing: Vec<Cycles>, // by process, how long it waited for its processor in its stage
    asked: Vec<usize>,    // processors that may be able to pick
}

#[derive(Debug, Default)]
struct Processor {
    busy: bool,
    waiting: BinaryHeap<Reverse<(Cycle, ProcessId)>>, // by when they could begin, then by label
}

impl Processors {
    /// The processors of the nodes that the processes are on.
    pub(super) fn new(nodes: &[NodeId]) -> Self {
        let mut used = nodes.to_vec();
        used.sort_unstable();
        used.dedup();
        // Every node is among those used.
        let own = nodes.iter().map(|node| used.binary_search(node).unwrap_or(0)).collect();
        Self {
            all: used.iter().map(|_| Processor::default()).collect(),
            own,
            sharing: vec![Cycles::ZERO; nodes.len()],
            asked: vec![],
        }
    }

    /// A process could begin its computation at `now`.
    pub(super) fn want(&mut self, process: ProcessId, now: Cycle) {
        let own = self.own[process.label() as usize];
        self.all[own].waiting.push(Reverse((now, process)));
        self.asked.push(own);
    }

    /// The computation of a process has ended.
    pub(super) fn release(&mut self, process: ProcessId) {
        let own = self.own[process.label() as usize];
        self.all[own].busy = false;
        self.asked.push(own);
    }

    /// Every free processor that is wanted takes its next process, which is handed to `begin`; returns how
    /// many did.
    pub(super) fn pick(&mut self, now: Cycle, mut begin: impl FnMut(ProcessId)) -> usize {
        let mut picked = 0;
        for asked in self.asked.drain(..) {
            let processor = &mut self.all[asked];
            if processor.busy {
                continue;
            }
            if let Some(Reverse((since, process))) = processor.waiting.pop() {
                processor.busy = true;
                self.sharing[process.label() as usize] = now - since;
                begin(process);
                picked += 1;
            }
        }
        picked
    }

    /// How long a process waited for its processor in the stage that it computed for last.
    pub(super) fn sharing(&self, process: ProcessId) -> Cycles {
        self.sharing[process.label() as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_processor_serves_whoever_could_begin_first_and_then_the_smaller_label() {
        let nodes = [3, 3, 3, 8].map(NodeId::new);
        let mut processors = Processors::new(&nodes);
        for (process, cycle) in [(2, 0), (1, 0), (0, 5), (3, 5)] {
            processors.want(ProcessId::new(process), Cycle::new(cycle));
        }
        let pick = |processors: &mut Processors, cycle| {
            let mut picked = vec![];
            processors.pick(Cycle::new(cycle), |process| picked.push(process.label()));
            picked
        };
        assert_eq!(pick(&mut processors, 5), [1, 3]);
        assert_eq!(pick(&mut processors, 6), [] as [u32; 0]);
        processors.release(ProcessId::new(1));
        assert_eq!(pick(&mut processors, 9), [2]);
        assert_eq!(processors.sharing(ProcessId::new(2)), Cycles::new(9));
        processors.release(ProcessId::new(2));
        assert_eq!(pick(&mut processors, 11), [0]);
        assert_eq!(processors.sharing(ProcessId::new(0)), Cycles::new(6));
    }
}
