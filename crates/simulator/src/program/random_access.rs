//! Random access reads and writes (Tao 1988, section 2.4; Nassimi & Sahni 1981; `docs/model.md` section 28.3).
//!
//! Every process names a process, or none: a read brings it the data of that process, a write takes its data there. As
//! messages a read is two stages, requests and answers, and a write is one. Routing by sorting executes the same access
//! by sorts, ranks, concentrates, distributes and generalizes ([`SortedOrder`](crate::SortedOrder)).

use std::collections::BTreeMap;

use cubefold_derive::Words;
use cubefold_mapping::ProcessId;

use crate::{
    Computations, Cycles, End, Facts, GuestRef, Peer, Program, SortedOrder, Special, StageMessage,
    StageProgram, StageProgramError,
};

/// The kind of a random access.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Access {
    /// Every process gets the data of the process that it names.
    Read,
    /// The data of every process go to the process that it names.
    Write(Collisions),
}

/// The data that a process keeps of several that are written to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Words)]
pub enum Collisions {
    /// Of several data for one process, those of the greatest process stay.
    #[default]
    Last,
    /// All data for a process stay, in the order of the processes that wrote them.
    All,
}

impl Access {
    /// The words for reads and writes.
    pub const NAMES: [&str; 2] = ["read", "write"];

    /// Its name in files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Read => Self::NAMES[0],
            Self::Write(_) => Self::NAMES[1],
        }
    }
}

/// A random access as a program.
#[derive(Debug, Clone)]
pub struct RandomAccess {
    access: Access,
    named: Vec<Option<ProcessId>>, // by process
    stages: StageProgram,
}

/// The processes whose data each process has received.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Received {
    /// By process, the one whose data it read.
    Read(Vec<Option<ProcessId>>),
    /// By process, those whose data it holds, in ascending order.
    Written(Vec<Vec<ProcessId>>),
}

impl RandomAccess {
    /// The access in which process `p` names `named[p]`, with messages of `units` units.
    ///
    /// # Errors
    ///
    /// As [`StageProgram::with_stages`]: if a named process does not exist, or there are too many.
    pub fn new(
        access: Access,
        named: Vec<Option<ProcessId>>,
        computations: Computations,
        units: u64,
    ) -> Result<Self, StageProgramError> {
        let processes = u32::try_from(named.len()).unwrap_or(u32::MAX);
        let mut messages = vec![];
        for (source, destination) in ProcessId::first(processes.into()).zip(&named) {
            let Some(destination) = destination.filter(|destination| *destination != source) else {
                continue;
            };
            messages.push(StageMessage { stage: 0, source, destination, units });
            if access == Access::Read {
                messages.push(StageMessage { stage: 1, source: destination, destination: source, units });
            }
        }
        let stage_count = if access == Access::Read { 2 } else { 1 };
        let stages = StageProgram::with_stages(stage_count, processes, computations, &messages)?;
        Ok(Self { access, named, stages })
    }

    /// The processes that the processes name.
    #[must_use]
    pub fn named(&self) -> &[Option<ProcessId>] {
        &self.named
    }

    /// The data that every process receives, independent of the routing.
    #[must_use]
    pub fn received(&self) -> Received {
        let collisions = match self.access {
            Access::Read => return Received::Read(self.named.clone()),
            Access::Write(collisions) => collisions,
        };
        let mut held = vec![vec![]; self.named.len()];
        for (source, destination) in ProcessId::first(self.named.len() as u64).zip(&self.named) {
            let Some(destination) = destination else { continue };
            let holders: &mut Vec<ProcessId> = &mut held[destination.label() as usize];
            if collisions == Collisions::Last {
                holders.clear();
            }
            holders.push(source);
        }
        Received::Written(held)
    }

    /// The most processes that name one process; 0 if none is named.
    #[must_use]
    pub fn most_named(&self) -> usize {
        let mut counts: BTreeMap<ProcessId, usize> = BTreeMap::new();
        for named in self.named.iter().flatten() {
            *counts.entry(*named).or_default() += 1;
        }
        counts.into_values().max().unwrap_or(0)
    }

    /// The steps of a stage by sorting, under full-duplex links: for a read, first the steps that bring the requests to the named
    /// processes, then the steps that bring the answers back.
    pub(crate) fn sorted_steps(&self, order: &SortedOrder, stage: usize) -> u64 {
        let (sort, pass) = (order.steps_of_sort(), order.steps_of_pass());
        match (self.access, stage) {
            (Access::Read, 0) => sort + 3 * pass,
            (Access::Read, _) => sort + 2 * pass,
            (Access::Write(Collisions::Last), _) => sort + 3 * pass,
            (Access::Write(Collisions::All), _) => sort + (1 + 3 * self.most_named() as u64) * pass,
        }
    }
}

impl Program for RandomAccess {
    fn facts(&self) -> Facts {
        self.stages.facts()
    }

    fn max_units(&self, stage: usize) -> u64 {
        self.stages.max_units(stage)
    }

    fn computation(&self, stage: usize, process: ProcessId) -> Cycles {
        self.stages.computation(stage, process)
    }

    fn list(&self, end: End, stage: usize, process: ProcessId, peers: &mut Vec<Peer>) {
        self.stages.list(end, stage, process, peers);
    }

    fn for_each_message(&self, stage: usize, visit: &mut dyn FnMut(ProcessId, ProcessId, u64)) {
        self.stages.for_each_message(stage, visit);
    }

    fn guest(&self) -> Option<GuestRef<'_>> {
        self.stages.guest()
    }

    fn special(&self) -> Special<'_> {
        Special::RandomAccess(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program;

    fn access(access: Access, named: &[i64]) -> RandomAccess {
        let named = named.iter().map(|&label| u32::try_from(label).ok().map(ProcessId::new)).collect();
        RandomAccess::new(access, named, Computations::Same(Cycles::ZERO), 1).unwrap()
    }

    #[test]
    fn messages_ask_and_answer() {
        let read = access(Access::Read, &[2, 2, 2, -1]);
        let pairs = |stage| program::pairs(&read, stage);
        assert_eq!((read.stage_count(), pairs(0), pairs(1)), (2, vec![(0, 2), (1, 2)], vec![(2, 0), (2, 1)]));
        assert_eq!(read.most_named(), 3);
    }

    #[test]
    fn the_last_or_all_of_several_items_stay() {
        let held = |collisions| match access(Access::Write(collisions), &[1, -1, 1, 1]).received() {
            Received::Written(held) => {
                held.iter().map(|holders| holders.iter().map(|holders| holders.label()).collect()).collect()
            }
            Received::Read(_) => vec![],
        };
        let lists: [Vec<Vec<u32>>; 2] = [Collisions::Last, Collisions::All].map(held);
        assert_eq!(lists[0], [vec![], vec![3], vec![], vec![]]);
        assert_eq!(lists[1], [vec![], vec![0, 2, 3], vec![], vec![]]);
    }
}
