//! Collectives as programs of the engines.

use cubefold_mapping::ProcessId;
use cubefold_simulator::{Cycles, End, Facts, GuestRef, Peer, Program};

use crate::{Collective, Groups, Step};

impl Program for Collective {
    fn facts(&self) -> Facts {
        *self.facts.get_or_init(|| self.sum_facts())
    }

    fn max_units(&self, stage: usize) -> u64 {
        self.max_units(stage).max(1)
    }

    fn computation(&self, stage: usize, process: ProcessId) -> Cycles {
        Cycles::new(self.computation(stage, process))
    }

    fn list(&self, end: End, stage: usize, process: ProcessId, peers: &mut Vec<Peer>) {
        self.list(end, stage, process, &mut |process, units| peers.push(Peer { process, units }));
    }

    fn for_each_message(&self, stage: usize, visit: &mut dyn FnMut(ProcessId, ProcessId, u64)) {
        self.visit(stage, visit);
    }

    fn list_computations(&self, stage: usize, computations: &mut Vec<u64>) {
        self.list_computations(stage, computations);
    }

    fn turn(&self, stage: usize, source: ProcessId, destination: ProcessId) -> u32 {
        self.turn(stage, source, destination)
    }

    fn has_turns(&self) -> bool {
        self.steps().iter().filter_map(Step::groups).any(Groups::has_turns)
    }

    fn repeats(&self, stage: usize) -> bool {
        self.repeats(stage)
    }

    fn guest(&self) -> Option<GuestRef<'_>> {
        self.guest.as_ref().map(GuestRef::Graph)
    }

    fn process_count(&self) -> u64 {
        self.process_count()
    }

    fn stage_count(&self) -> usize {
        self.stage_count()
    }
}
