//! A program with all of its messages and computations in lists, for many runs of it.

use cubefold_mapping::ProcessId;
use cubefold_topology::narrow;

use super::tails::Stages;
use crate::{Cycles, End, Facts, Peer, Program};

/// A program in lists. Stages that repeat the one before them share its list.
#[derive(Debug)]
pub(super) struct ListedProgram<'a> {
    original: &'a dyn Program,
    facts: Facts,
    list_of_stage: Vec<u32>,
    lists: Vec<StageList>,
}

/// The computations and messages of a stage.
#[derive(Debug)]
struct StageList {
    computations: Vec<Cycles>, // by process
    max_units: u64,
    received: PeersByProcess,
    sent: PeersByProcess,
}

/// The other ends of messages, process by process.
#[derive(Debug)]
struct PeersByProcess {
    firsts: Vec<u32>, // by process, the index of its first peer; one more for the end of the last
    peers: Vec<Peer>,
}

impl PeersByProcess {
    /// The peers that `list` appends for each process.
    fn new(processes: u64, mut list: impl FnMut(ProcessId, &mut Vec<Peer>)) -> Self {
        let (mut firsts, mut peers) = (vec![0], vec![]);
        for process in ProcessId::first(processes) {
            list(process, &mut peers);
            firsts.push(narrow(peers.len() as u64)); // at most 2^30, as checked before a run
        }
        Self { firsts, peers }
    }

    #[inline]
    fn of(&self, process: ProcessId) -> &[Peer] {
        let place = process.label() as usize;
        &self.peers[self.firsts[place] as usize..self.firsts[place + 1] as usize]
    }
}

impl<'a> ListedProgram<'a> {
    /// Lists all stages of a program, whose processes receive at most 2^30 messages in a stage together.
    pub(super) fn new(program: &'a dyn Program) -> Self {
        let processes = program.process_count();
        let (mut list_of_stage, mut lists) = (vec![], vec![]);
        for stage in 0..program.stage_count() {
            if lists.is_empty() || !program.repeats(stage) {
                let computation = |process| program.computation(stage, process);
                lists.push(StageList {
                    computations: ProcessId::first(processes).map(computation).collect(),
                    max_units: program.max_units(stage),
                    received: PeersByProcess::new(processes, |own, peers| {
                        program.list(End::Destination, stage, own, peers);
                    }),
                    sent: PeersByProcess::new(processes, |own, peers| {
                        program.list(End::Source, stage, own, peers);
                    }),
                });
            }
            list_of_stage.push(narrow(lists.len() as u64 - 1)); // below 2^32, as stages
        }
        Self { original: program, facts: program.facts(), list_of_stage, lists }
    }

    /// Bytes for the lists of a program, at most.
    pub(super) fn bytes(program: &dyn Program) -> u64 {
        let stages = (0..program.stage_count()).filter(|&stage| stage == 0 || !program.repeats(stage));
        // Lists grow to their double.
        let a_message = (4 * size_of::<Peer>()) as u64;
        let a_process = (size_of::<Cycles>() + 4 * size_of::<u32>()) as u64;
        let a_stage = program
            .facts()
            .messages_of_stage()
            .saturating_mul(a_message)
            .saturating_add(program.process_count().saturating_mul(a_process));
        a_stage
            .saturating_mul(stages.count() as u64)
            .saturating_add((program.stage_count() * size_of::<u32>()) as u64)
    }

    #[inline]
    fn stage(&self, stage: usize) -> &StageList {
        &self.lists[self.list_of_stage[stage] as usize]
    }
}

impl Stages for ListedProgram<'_> {
    fn count(&self) -> usize {
        self.stage_count()
    }

    fn processes(&self) -> usize {
        usize::try_from(self.process_count()).unwrap_or(usize::MAX)
    }

    fn computations(&self, stage: usize) -> &[Cycles] {
        &self.stage(stage).computations
    }

    fn for_each_message(&self, stage: usize, mut visit: impl FnMut([usize; 2], u64)) {
        for process in ProcessId::first(self.process_count()) {
            for peer in self.stage(stage).received.of(process) {
                visit([peer.process, process].map(|end| end.label() as usize), peer.units);
            }
        }
    }
}

impl Program for ListedProgram<'_> {
    fn facts(&self) -> Facts {
        self.facts
    }

    fn max_units(&self, stage: usize) -> u64 {
        self.stage(stage).max_units
    }

    #[inline]
    fn computation(&self, stage: usize, process: ProcessId) -> Cycles {
        self.stage(stage).computations[process.label() as usize]
    }

    #[inline]
    fn list(&self, end: End, stage: usize, process: ProcessId, peers: &mut Vec<Peer>) {
        let own = self.stage(stage);
        let listed = match end {
            End::Source => &own.sent,
            End::Destination => &own.received,
        };
        peers.extend_from_slice(listed.of(process));
    }
    fn turn(&self, stage: usize, source: ProcessId, destination: ProcessId) -> u32 {
        self.original.turn(stage, source, destination)
    }

    fn has_turns(&self) -> bool {
        self.original.has_turns()
    }
}
