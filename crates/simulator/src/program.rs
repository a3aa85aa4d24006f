//! Programs: stages of computations and messages (`docs/model.md` section 2).
//!
//! [`Program`] is all that the engines know of a program; its messages come as iterators, so that the loops of an
//! engine can be compiled for a program. [`ErasedProgram`](crate::ErasedProgram) is the same
//! program behind one pointer, and [`ProgramRef`](program_ref::ProgramRef) what the engines are compiled for once and
//! for all programs that have no engines of their own.

pub(crate) mod cube_program;
pub(crate) mod divide_and_conquer;
pub(crate) mod erased_program;
pub(crate) mod message_sizes;
pub(crate) mod neighbour_program;
pub(crate) mod program_ref;
pub(crate) mod shuffle_exchange_program;
pub(crate) mod stage_program;
pub(crate) mod stages_as_tasks;
pub(crate) mod task_graph;
mod task_matching;
pub(crate) mod task_schedule;

use cubefold_mapping::ProcessId;

use crate::{CubeProgram, Cycles, MessageSizes, TaskGraph};

/// A program: processes that go through stages, each a computation and a set of messages
/// (`docs/model.md` section 2).
///
/// The engines know programs only through this trait, so that another program is another
/// implementation.
pub trait Program: Sync {
    /// The number of processes, `0..P`; at most 2^32.
    fn process_count(&self) -> u64;

    /// The number of stages, at least 1.
    fn stage_count(&self) -> usize;

    /// The guest dimension of a stage, counted from 0, where all its messages go along one.
    fn stage_dimension(&self, stage: usize) -> Option<usize> {
        let _ = stage;
        None
    }

    /// The longest time for which a process computes in a stage: `T_a`, where all computations take
    /// equally long.
    fn compute(&self) -> Cycles;

    /// The time for which a process computes in a stage, `C_s(n)`; 0 for one that does not.
    fn computation(&self, stage: usize, process: ProcessId) -> Cycles {
        if self.computes(stage, process) { self.compute() } else { Cycles::ZERO }
    }

    /// Whether all computations take [`compute`](Self::compute): those of the processes that
    /// [compute](Self::computes) at all.
    fn has_one_compute_time(&self) -> bool {
        true
    }

    /// The sizes of messages, in a program whose stages have one size each.
    fn sizes(&self) -> &MessageSizes {
        &MessageSizes::ONE_UNIT
    }

    /// The size of the messages that `source` sends to `destination` in a stage, at least 1
    /// \[units\].
    fn units(&self, stage: usize, source: ProcessId, destination: ProcessId) -> u64 {
        let _ = (source, destination);
        self.sizes().of_stage(stage)
    }

    /// The size of the largest message of a stage, at least 1 \[units\].
    fn max_units(&self, stage: usize) -> u64 {
        self.sizes().of_stage(stage)
    }

    /// The size of every message, where all have one \[units\].
    fn uniform_units(&self) -> Option<u64> {
        self.sizes().uniform()
    }

    /// Whether a process computes in a stage. One that does not is ready for its messages as soon
    /// as it has finished the stage before.
    fn computes(&self, stage: usize, process: ProcessId) -> bool {
        let _ = (stage, process);
        true
    }

    /// Whether every process computes in every stage.
    fn all_processes_compute(&self) -> bool {
        true
    }

    /// The number of pairs of a process and a stage in which it computes.
    fn computation_count(&self) -> u128 {
        u128::from(self.process_count()) * self.stage_count() as u128
    }

    /// All computations together \[cycles\].
    fn total_compute(&self) -> u128 {
        u128::from(self.compute().get()) * self.computation_count()
    }

    /// Visits all messages of a stage with their sizes \[units\]: source, destination, size; in no order that means
    /// anything.
    fn for_each_message(&self, stage: usize, visit: &mut impl FnMut(ProcessId, ProcessId, u64))
    where
        Self: Sized,
    {
        for (source, destination) in self.messages(stage) {
            visit(source, destination, self.units(stage, source, destination));
        }
    }

    /// Lists the computations of a stage \[cycles\] by process, in place of what was listed before.
    fn list_computations(&self, stage: usize, computations: &mut Vec<u64>) {
        let processes = ProcessId::first(self.process_count());
        computations.clear();
        computations.extend(processes.map(|process| self.computation(stage, process).get()));
    }

    /// Whether a stage is known to have the messages and the computations of the stage before it.
    fn repeats(&self, stage: usize) -> bool {
        let _ = stage;
        false
    }

    /// The most messages that any process receives in one stage.
    fn max_received(&self) -> usize;

    /// The destinations of the messages that `source` sends in a stage.
    fn destinations(&self, stage: usize, source: ProcessId) -> impl Iterator<Item = ProcessId>
    where
        Self: Sized;

    /// The sources of the messages that `destination` receives in a stage.
    fn sources(&self, stage: usize, destination: ProcessId) -> impl Iterator<Item = ProcessId>
    where
        Self: Sized;

    /// The sources and destinations of all messages of a stage, by ascending source.
    fn messages(&self, stage: usize) -> impl Iterator<Item = (ProcessId, ProcessId)>
    where
        Self: Sized,
    {
        ProcessId::first(self.process_count())
            .flat_map(move |source| self.destinations(stage, source).map(move |to| (source, to)))
    }

    /// This program, where it is a compute-and-communicate program on a cube: some engines run only
    /// these.
    fn as_cube(&self) -> Option<&CubeProgram> {
        None
    }

    /// This program, where it is a task graph: the engine for messages with sizes executes its operations
    /// then, not its stages.
    fn as_task_graph(&self) -> Option<&TaskGraph> {
        None
    }
}
