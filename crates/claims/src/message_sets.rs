//! Sets of messages as programs, for sets that no scenario has.

use cubefold_mapping::{GraphGuest, Guest, ProcessId};
use cubefold_simulator::{Cycles, Program};
use cubefold_topology::Machine;

/// Sets of messages, each a stage.
#[derive(Debug, Clone)]
pub(super) struct MessageSets {
    processes: u64,
    by_source: Vec<Vec<Message>>,      // of each stage, sorted
    by_destination: Vec<Vec<Message>>, // the same with source and destination swapped, sorted
}

/// A source and a destination.
pub(super) type Message = (ProcessId, ProcessId);

impl MessageSets {
    pub(super) fn new(processes: u64, stages: Vec<Vec<Message>>) -> Self {
        let swapped = |stage: &Vec<Message>| stage.iter().map(|&(from, to)| (to, from)).collect();
        let mut by_destination: Vec<Vec<Message>> = stages.iter().map(swapped).collect();
        let mut by_source = stages;
        for stage in by_source.iter_mut().chain(&mut by_destination) {
            stage.sort_unstable();
        }
        Self { processes, by_source, by_destination }
    }

    /// One set, by numbers of processes.
    pub(super) fn of_labels(processes: u64, messages: &[(u32, u32)]) -> Self {
        let message = |&(from, to): &(u32, u32)| (ProcessId::new(from), ProcessId::new(to));
        Self::new(processes, vec![messages.iter().map(message).collect()])
    }

    fn partners(stage: &[Message], process: ProcessId) -> impl Iterator<Item = ProcessId> {
        let first = stage.partition_point(|&(own, _)| own < process);
        stage[first..].iter().take_while(move |&&(own, _)| own == process).map(|&(_, partner)| partner)
    }
}

impl Program for MessageSets {
    fn process_count(&self) -> u64 {
        self.processes
    }

    fn stage_count(&self) -> usize {
        self.by_source.len()
    }

    fn compute(&self) -> Cycles {
        Cycles::ZERO
    }

    fn max_received(&self) -> usize {
        let received = |stage: &Vec<Message>| stage.chunk_by(|a, b| a.0 == b.0).map(<[_]>::len).max();
        self.by_destination.iter().filter_map(received).max().unwrap_or(0)
    }

    fn destinations(&self, stage: usize, source: ProcessId) -> impl Iterator<Item = ProcessId> {
        Self::partners(&self.by_source[stage], source)
    }

    fn sources(&self, stage: usize, destination: ProcessId) -> impl Iterator<Item = ProcessId> {
        Self::partners(&self.by_destination[stage], destination)
    }
}

/// The messages of every stage of a program.
pub(super) fn messages(program: &impl Program) -> Vec<Vec<Message>> {
    (0..program.stage_count()).map(|stage| program.messages(stage).collect()).collect()
}

/// All neighbours of all processes: the messages of a scatter stage, without the simulator's program.
pub(super) fn neighbours(guest: &Machine) -> Vec<Message> {
    let grid = GraphGuest::new(guest.clone());
    let of = |process| grid.neighbours(process).map(move |to| (process, to)).collect::<Vec<_>>();
    ProcessId::first(guest.node_count()).flat_map(of).collect()
}
