//! Collectives as programs of the engines.

use cubefold_mapping::ProcessId;
use cubefold_simulator::{Cycles, End, Facts, Peer, Program};

use crate::{Collective, CollectiveSequence, ComputationTotals, GroupedCollective};

/// Returns the facts of a collective of messages of these sizes.
fn facts(
    (processes, stages): (u64, usize),
    computations: ComputationTotals,
    max_received: usize,
    uniform_units: Option<u64>,
) -> Facts {
    let compute = Cycles::new(computations.longest_cycles);
    Facts {
        has_one_compute_time: false,
        all_processes_compute: computations.is_complete,
        total_compute: computations.total_cycles,
        max_received,
        uniform_units,
        ..Facts::new(processes, stages, compute)
    }
}

/// The process at the other end of a message of a collective.
fn peer((process, units): (ProcessId, u64)) -> Peer {
    Peer { process, units }
}

impl Program for Collective {
    fn facts(&self) -> Facts {
        let counts = (self.process_count(), self.stage_count());
        facts(counts, self.computations(), self.max_received(), self.uniform_units())
    }

    fn max_units(&self, stage: usize) -> u64 {
        self.max_units(stage).max(1)
    }

    fn computation(&self, stage: usize, process: ProcessId) -> Cycles {
        Cycles::new(self.computation(stage, process))
    }

    fn list(&self, end: End, stage: usize, process: ProcessId, peers: &mut Vec<Peer>) {
        match end {
            End::Source => peers.extend(self.sends(stage, process).map(peer)),
            End::Destination => peers.extend(self.receives(stage, process).map(peer)),
        }
    }

    fn for_each_message(&self, stage: usize, mut visit: &mut dyn FnMut(ProcessId, ProcessId, u64)) {
        self.for_each_message(stage, &mut visit);
    }

    fn list_computations(&self, stage: usize, computations: &mut Vec<u64>) {
        self.list_computations(stage, computations);
    }

    fn repeats(&self, stage: usize) -> bool {
        self.repeats(stage)
    }

    fn process_count(&self) -> u64 {
        self.process_count()
    }

    fn stage_count(&self) -> usize {
        self.stage_count()
    }

    fn units(&self, stage: usize, source: ProcessId, destination: ProcessId) -> u64 {
        self.units(stage, source, destination)
    }
}

impl Program for GroupedCollective {
    fn facts(&self) -> Facts {
        let counts = (self.process_count(), self.stage_count());
        facts(counts, self.computations(), self.max_received(), self.uniform_units())
    }

    fn max_units(&self, stage: usize) -> u64 {
        self.max_units(stage).max(1)
    }

    fn computation(&self, stage: usize, process: ProcessId) -> Cycles {
        Cycles::new(self.computation(stage, process))
    }

    fn list(&self, end: End, stage: usize, process: ProcessId, peers: &mut Vec<Peer>) {
        match end {
            End::Source => peers.extend(self.sends(stage, process).map(peer)),
            End::Destination => peers.extend(self.receives(stage, process).map(peer)),
        }
    }

    fn repeats(&self, stage: usize) -> bool {
        self.repeats(stage)
    }

    fn process_count(&self) -> u64 {
        self.process_count()
    }

    fn stage_count(&self) -> usize {
        self.stage_count()
    }

    fn units(&self, stage: usize, source: ProcessId, destination: ProcessId) -> u64 {
        self.units(stage, source, destination)
    }
}

impl Program for CollectiveSequence {
    fn facts(&self) -> Facts {
        let counts = (self.process_count(), self.stage_count());
        facts(counts, self.computations(), self.max_received(), self.uniform_units())
    }

    fn max_units(&self, stage: usize) -> u64 {
        self.max_units(stage).max(1)
    }

    fn computation(&self, stage: usize, process: ProcessId) -> Cycles {
        Cycles::new(self.computation(stage, process))
    }

    fn list(&self, end: End, stage: usize, process: ProcessId, peers: &mut Vec<Peer>) {
        match end {
            End::Source => peers.extend(self.sends(stage, process).map(peer)),
            End::Destination => peers.extend(self.receives(stage, process).map(peer)),
        }
    }

    fn repeats(&self, stage: usize) -> bool {
        self.repeats(stage)
    }

    fn process_count(&self) -> u64 {
        self.process_count()
    }

    fn stage_count(&self) -> usize {
        self.stage_count()
    }

    fn units(&self, stage: usize, source: ProcessId, destination: ProcessId) -> u64 {
        self.units(stage, source, destination)
    }
}
