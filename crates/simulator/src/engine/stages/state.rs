//! The state of the processes of a stage program: computing, awaiting messages, or about to begin a stage.

use cubefold_mapping::ProcessId;

use super::StartTimes;
use crate::{
    Cycles, Peer,
    engine::{Core, Event, border::ReadySource, message_costs::Cores, progress::Progress},
    processors::Processors,
};

/// The state of the processes of one engine during a run.
#[derive(Debug)]
pub(in crate::engine) struct StageState {
    pub(in crate::engine) progress: Progress,
    pub(super) processors: Option<Processors>, // where processes may wait for one
    pub(super) beginning: Vec<ProcessId>,      // that begin their next stage in this cycle
    pub(super) ready: Vec<ProcessId>,          // that become ready in this cycle
    pub(super) peers: PeerLists,               // of a chunk of processes that become ready
    pub(super) cores: Option<Cores>,           // if messages cost anything
    pub(super) served: Vec<ProcessId>,         // whose tasks end in this cycle
    pub(super) kept: Vec<ReadySource>,         // sources of other engines, of messages that set out together
}

/// The peers of some processes, one process after another.
#[derive(Debug, Default)]
pub(super) struct PeerLists {
    pub(super) all: Vec<Peer>,
    pub(super) ends: Vec<[usize; 2]>, // by process, of its sources and of its destinations
}

impl StageState {
    /// The initial state of `processes` processes whose messages cost `cost` each.
    pub(in crate::engine) fn new(processes: usize, processors: Option<Processors>, cost: Cycles) -> Self {
        Self {
            progress: Progress::new(processes),
            processors,
            beginning: vec![],
            ready: vec![],
            peers: PeerLists::default(),
            cores: Cores::new(processes, cost),
            served: vec![],
            kept: vec![],
        }
    }

    /// Resets the processes for another run, with other processors.
    pub(in crate::engine) fn reset(&mut self, processors: Option<Processors>) {
        self.progress.reset();
        self.processors = processors;
        let cost = self.cores.as_ref().map_or(Cycles::ZERO, Cores::cost);
        self.cores = Cores::new(self.progress.process_count(), cost);
        self.served.clear();
        self.beginning.clear();
        self.ready.clear();
    }

    /// Lets the processes begin at the cycles of `starts`.
    pub(in crate::engine) fn begin<T, B>(&mut self, starts: StartTimes<'_>, core: &mut Core<'_, T, B>) {
        let processes = ProcessId::first(self.progress.process_count() as u64);
        match starts {
            StartTimes::Together => {
                self.beginning.extend(processes);
                self.beginning.reverse(); // taken from the end
            }
            StartTimes::Each(cycles) => {
                for (process, cycle) in processes.zip(cycles) {
                    core.calendar.add(Event::Begin(process.label()), cycle.get());
                }
            }
        }
    }
}
