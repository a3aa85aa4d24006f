//! When processes begin and compute: start times, computations in progress, and processors that
//! processes share.
//!
//! A node computes for one of its processes at a time, in the order of the cycles at which they
//! could begin and then of their labels; a computation is not preempted, and a process that waits
//! for a partner does not occupy its processor (`docs/model.md` section 5).

use std::{
    cmp::Reverse,
    collections::{BinaryHeap, VecDeque},
};

use cubefold_mapping::ProcessId;
use cubefold_topology::{NodeId, narrow};

use crate::{Cycle, Cycles};

/// The computations in progress. All take equally long, so that those that begin first end first.
#[derive(Debug, Default)]
pub(super) struct Computing {
    processes: VecDeque<ProcessId>,
    ends: VecDeque<(Cycle, usize)>, // in ascending order, each with the number of processes that end then
}

impl Computing {
    /// Adds a computation that ends at `end`, not before any added so far.
    pub(super) fn add(&mut self, end: Cycle, process: ProcessId) {
        self.processes.push_back(process);
        match self.ends.back_mut() {
            Some((last, count)) if *last == end => *count += 1,
            last => {
                debug_assert!(last.is_none_or(|(last, _)| *last < end), "computations end in order");
                self.ends.push_back((end, 1));
            }
        }
    }

    /// The cycle at which the next computation ends.
    pub(super) fn next_end(&self) -> Option<Cycle> {
        self.ends.front().map(|(end, _)| *end)
    }

    /// Takes a process whose computation ends at `now`.
    pub(super) fn take_ended(&mut self, now: Cycle) -> Option<ProcessId> {
        let (_, count) = self.ends.front_mut().filter(|(end, _)| *end == now)?;
        *count -= 1;
        if *count == 0 {
            self.ends.pop_front();
        }
        self.processes.pop_front()
    }
}

/// The cycle at which each process may begin its first computation: `finish_(-1)` of
/// `docs/model.md` section 5.
#[derive(Debug, Clone, Copy)]
pub(crate) enum StartTimes<'run> {
    /// All at cycle 0.
    Together,
    /// Each at a cycle of its own, by process.
    Each(&'run [Cycle]),
}

/// The processes that have not begun, by the cycles at which they may.
#[derive(Debug)]
pub(super) enum PendingStarts {
    /// The processes with these labels, at cycle 0.
    Together(std::ops::Range<u64>),
    /// These processes, the next one last.
    Each(Vec<(Cycle, ProcessId)>),
}

impl PendingStarts {
    /// `count` processes.
    ///
    /// # Panics
    ///
    /// When `starts` is of another number of processes.
    pub(super) fn new(count: u64, starts: StartTimes<'_>) -> Self {
        match starts {
            StartTimes::Together => Self::Together(0..count),
            StartTimes::Each(cycles) => {
                assert_eq!(cycles.len() as u64, count, "a start time for each process");
                let mut all: Vec<_> = cycles.iter().copied().zip(ProcessId::first(count)).collect();
                all.sort_unstable_by(|one, other| other.cmp(one));
                Self::Each(all)
            }
        }
    }

    /// The next cycle at which a process may begin.
    pub(super) fn next(&self) -> Option<Cycle> {
        match self {
            Self::Together(processes) => (!processes.is_empty()).then_some(Cycle::START),
            Self::Each(all) => all.last().map(|(cycle, _)| *cycle),
        }
    }

    /// Takes a process that may begin at `now`.
    pub(super) fn take(&mut self, now: Cycle) -> Option<ProcessId> {
        match self {
            Self::Together(processes) => processes.next().map(|label| ProcessId::new(narrow(label))),
            Self::Each(all) => all.pop_if(|(cycle, _)| *cycle == now).map(|(_, process)| process),
        }
    }
}

/// The processors of all nodes that have processes.
#[derive(Debug)]
pub(super) struct Processors {
    all: Vec<Processor>,
    own: Vec<usize>,       // by process, the index of its processor
    sharing: Vec<Cycles>,  // by process, the time for which it waited for its processor in its stage
    requested: Vec<usize>, // processors that may be granted
}

#[derive(Debug, Default)]
struct Processor {
    busy: bool,
    waiting: BinaryHeap<Reverse<(Cycle, ProcessId)>>, // by the cycle at which they could begin, then by label
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
            requested: vec![],
        }
    }

    /// A process could begin its computation at `now`.
    pub(super) fn request(&mut self, process: ProcessId, now: Cycle) {
        let own = self.own[process.label() as usize];
        self.all[own].waiting.push(Reverse((now, process)));
        self.requested.push(own);
    }

    /// The computation of a process has ended.
    pub(super) fn release(&mut self, process: ProcessId) {
        let own = self.own[process.label() as usize];
        self.all[own].busy = false;
        self.requested.push(own);
    }

    /// Grants every idle requested processor to its next process, for which `begin` is called;
    /// returns the number of grants.
    pub(super) fn grant(&mut self, now: Cycle, mut begin: impl FnMut(ProcessId)) -> usize {
        let mut granted = 0;
        for requested in self.requested.drain(..) {
            let processor = &mut self.all[requested];
            if processor.busy {
                continue;
            }
            if let Some(Reverse((since, process))) = processor.waiting.pop() {
                processor.busy = true;
                self.sharing[process.label() as usize] = now - since;
                begin(process);
                granted += 1;
            }
        }
        granted
    }

    /// The time for which a process waited for its processor in the stage that it computed for last
    /// \[cycles\].
    pub(super) fn sharing(&self, process: ProcessId) -> Cycles {
        self.sharing[process.label() as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_processor_serves_the_process_that_could_begin_first_and_then_the_smaller_label() {
        let nodes = [3, 3, 3, 8].map(NodeId::new);
        let mut processors = Processors::new(&nodes);
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
}
