//! A program of any type, for which the engines are compiled once.
//!
//! The engines take messages as iterators, which a pointer to any program cannot give: a [`ProgramRef`] has the messages
//! of a process listed, and goes through the list. That costs an indirect call for each list and each computation: not to
//! be measured for collectives; a run of divide and conquer, whose processes mostly have nothing to do, takes 1.6 times
//! as long.

use cubefold_mapping::{Placement, ProcessId};
use smallvec::SmallVec;

use crate::{
    Communication, CubeProgram, Cycle, Cycles, Execution, MessageSizes, NoBeltError, Outcome, Program,
    RunRequest, SimulationError, TaskGraph, belt_applies, bytes_to_simulate, check, dividing_ranks, predict,
};

/// The partners of a process in a stage; rarely more than a few.
type Partners = SmallVec<[ProcessId; 6]>;

/// The lists of messages of a program, through a pointer.
trait ListedProgram: Program {
    /// As [`Program::destinations`].
    fn list_destinations(&self, stage: usize, source: ProcessId) -> Partners;

    /// As [`Program::sources`].
    fn list_sources(&self, stage: usize, destination: ProcessId) -> Partners;

    /// As [`Program::for_each_message`].
    fn visit_all(&self, stage: usize, visit: &mut dyn FnMut(ProcessId, ProcessId, u64));
}

impl<P: Program> ListedProgram for P {
    fn list_destinations(&self, stage: usize, source: ProcessId) -> Partners {
        self.destinations(stage, source).collect()
    }

    fn list_sources(&self, stage: usize, destination: ProcessId) -> Partners {
        self.sources(stage, destination).collect()
    }

    fn visit_all(&self, stage: usize, visit: &mut dyn FnMut(ProcessId, ProcessId, u64)) {
        self.for_each_message(stage, &mut |source, destination, units| visit(source, destination, units));
    }
}

/// A program of any type.
#[derive(Clone, Copy)]
pub(crate) struct ProgramRef<'program>(&'program dyn ListedProgram);

impl<'program> ProgramRef<'program> {
    /// That program.
    pub(crate) fn new(program: &'program impl Program) -> Self {
        Self(program)
    }
}

/// What is compiled in this crate, and not again in each that has programs of its own.
impl ProgramRef<'_> {
    /// See [`simulate`](crate::simulate).
    pub(crate) fn simulate(self, request: RunRequest<'_, '_>) -> Result<Outcome, SimulationError> {
        request.simulate(&self)
    }

    /// See [`check`].
    pub(crate) fn check(
        self,
        placement: &Placement,
        communication: Communication,
        execution: &Execution,
    ) -> Result<(), SimulationError> {
        check(&self, placement, communication, execution)
    }

    /// See [`belt_applies`].
    pub(crate) fn belt_applies(
        self,
        placement: &Placement,
        communication: Communication,
    ) -> Result<(), NoBeltError> {
        belt_applies(&self, placement, communication)
    }

    /// See [`bytes_to_simulate`].
    pub(crate) fn bytes_to_simulate(
        self,
        placement: &Placement,
        communication: Communication,
        execution: &Execution,
    ) -> u64 {
        bytes_to_simulate(&self, placement, communication, execution)
    }

    /// See [`dividing_ranks`].
    pub(crate) fn dividing_ranks(
        self,
        placement: &Placement,
        communication: Communication,
        execution: &Execution,
    ) -> u64 {
        dividing_ranks(&self, placement, communication, execution)
    }

    /// See [`predict`].
    pub(crate) fn predict(self, placement: &Placement, communication: Communication) -> Cycle {
        predict(&self, placement, communication)
    }
}

impl Program for ProgramRef<'_> {
    fn process_count(&self) -> u64 {
        self.0.process_count()
    }

    fn stage_count(&self) -> usize {
        self.0.stage_count()
    }

    fn stage_dimension(&self, stage: usize) -> Option<usize> {
        self.0.stage_dimension(stage)
    }

    fn compute(&self) -> Cycles {
        self.0.compute()
    }

    fn computation(&self, stage: usize, process: ProcessId) -> Cycles {
        self.0.computation(stage, process)
    }

    fn has_one_compute_time(&self) -> bool {
        self.0.has_one_compute_time()
    }

    fn sizes(&self) -> &MessageSizes {
        self.0.sizes()
    }

    fn units(&self, stage: usize, source: ProcessId, destination: ProcessId) -> u64 {
        self.0.units(stage, source, destination)
    }

    fn max_units(&self, stage: usize) -> u64 {
        self.0.max_units(stage)
    }

    fn uniform_units(&self) -> Option<u64> {
        self.0.uniform_units()
    }

    fn computes(&self, stage: usize, process: ProcessId) -> bool {
        self.0.computes(stage, process)
    }

    fn all_processes_compute(&self) -> bool {
        self.0.all_processes_compute()
    }

    fn computation_count(&self) -> u128 {
        self.0.computation_count()
    }

    fn total_compute(&self) -> u128 {
        self.0.total_compute()
    }

    fn for_each_message(&self, stage: usize, visit: &mut impl FnMut(ProcessId, ProcessId, u64)) {
        self.0.visit_all(stage, visit);
    }

    fn list_computations(&self, stage: usize, computations: &mut Vec<u64>) {
        self.0.list_computations(stage, computations);
    }

    fn repeats(&self, stage: usize) -> bool {
        self.0.repeats(stage)
    }

    fn max_received(&self) -> usize {
        self.0.max_received()
    }

    fn destinations(&self, stage: usize, source: ProcessId) -> impl Iterator<Item = ProcessId> {
        self.0.list_destinations(stage, source).into_iter()
    }

    fn sources(&self, stage: usize, destination: ProcessId) -> impl Iterator<Item = ProcessId> {
        self.0.list_sources(stage, destination).into_iter()
    }

    fn as_cube(&self) -> Option<&CubeProgram> {
        self.0.as_cube()
    }

    fn as_task_graph(&self) -> Option<&TaskGraph> {
        self.0.as_task_graph()
    }
}
