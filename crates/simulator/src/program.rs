//! Programs: stages of computations and messages (`docs/model.md` section 2).
//!
//! Engines know a program only as a [`Program`]. They take a `&dyn Program` and are compiled once: a program
//! lists the messages of a process, or visits those of a stage, and an engine goes through the list.

pub(crate) mod compute_noise;
pub(crate) mod cube_program;
pub(crate) mod divide_and_conquer;
pub(crate) mod job;
pub(crate) mod level_program;
pub(crate) mod message_sizes;
pub(crate) mod neighbour_program;
pub(crate) mod noisy_program;
pub(crate) mod pipelined_exchange;
pub(crate) mod random_access;
pub(crate) mod rotation;
pub(crate) mod shuffle_exchange_program;
pub(crate) mod stage_program;
pub(crate) mod stages_as_tasks;
pub(crate) mod stencil_program;
pub(crate) mod switch_reduction;
pub(crate) mod task_graph;
mod task_matching;
pub(crate) mod task_schedule;
pub(crate) mod tree_divide_and_conquer;

use std::fmt::Debug;

use cubefold_mapping::ProcessId;

use crate::{CubeProgram, Cycles, GuestRef, Job, PipelinedExchange, RandomAccess, StageMessage, TaskGraph};

/// A program: processes that go through stages, each a computation and a set of messages
/// (`docs/model.md` section 2).
///
/// Another program is another implementation. Implementations give the [facts](Self::facts), the computations and the
/// messages; the other methods follow from these, and are overridden where there is a faster way.
pub trait Program: Debug + Send + Sync {
    /// Returns counts and sums over all stages.
    fn facts(&self) -> Facts;

    /// Returns the size of the largest message of a stage, at least 1 \[units\].
    fn max_units(&self, stage: usize) -> u64;

    /// Returns the time for which a process computes in a stage, `C_s(n)`; 0 if it does not. It is ready for its
    /// messages then as soon as it has finished the previous stage.
    fn computation(&self, stage: usize, process: ProcessId) -> Cycles;

    /// Appends the messages of a process in a stage: those that it sends, or those that it
    /// receives.
    fn list(&self, end: End, stage: usize, process: ProcessId, peers: &mut Vec<Peer>);

    /// Visits all messages of a stage: source, destination and size \[units\]; by default by ascending source.
    fn for_each_message(&self, stage: usize, visit: &mut dyn FnMut(ProcessId, ProcessId, u64)) {
        let mut peers = vec![];
        for source in ProcessId::first(self.process_count()) {
            self.list(End::Source, stage, source, &mut peers);
            for Peer { process, units } in peers.drain(..) {
                visit(source, process, units);
            }
        }
    }

    /// Replaces the list by the computations of a stage, by process \[cycles\].
    fn list_computations(&self, stage: usize, computations: &mut Vec<u64>) {
        let processes = ProcessId::first(self.process_count());
        computations.clear();
        computations.extend(processes.map(|process| self.computation(stage, process).get()));
    }

    /// Whether a stage is known to have the messages and computations of the stage before it.
    fn repeats(&self, stage: usize) -> bool {
        let _ = stage;
        false
    }

    /// Returns the turn of a message of a stage among those that join a queue in one cycle: lower ones are served first,
    /// equal ones by source and destination.
    fn turn(&self, stage: usize, source: ProcessId, destination: ProcessId) -> u32 {
        let _ = (stage, source, destination);
        0
    }

    /// Whether a message may have a turn other than 0.
    fn has_turns(&self) -> bool {
        false
    }

    /// Returns the guest dimension of a stage, counted from 0, if all its messages go along one.
    fn stage_dimension(&self, stage: usize) -> Option<usize> {
        let _ = stage;
        None
    }

    /// Returns the guest graph whose nodes are the processes; metrics and embeddings need one, runs do not.
    fn guest(&self) -> Option<GuestRef<'_>> {
        None
    }

    /// Returns the kind of a program that some engines treat specially.
    fn special(&self) -> Special<'_> {
        Special::None
    }

    /// Returns the number of processes, as [`Facts`] has it.
    fn process_count(&self) -> u64 {
        self.facts().process_count
    }

    /// Returns the number of stages, as [`Facts`] has it.
    fn stage_count(&self) -> usize {
        self.facts().stage_count
    }

    /// Returns the size of the message of a stage between two processes \[units\]; 0 if there is none.
    fn units(&self, stage: usize, source: ProcessId, destination: ProcessId) -> u64 {
        let mut peers = vec![];
        self.list(End::Source, stage, source, &mut peers);
        peers.iter().find(|peer| peer.process == destination).map_or(0, |peer| peer.units)
    }

    /// Returns the messages of a stage.
    fn messages(&self, stage: usize) -> Vec<StageMessage> {
        let mut messages = vec![];
        self.for_each_message(stage, &mut |source, destination, units| {
            messages.push(StageMessage { stage, source, destination, units });
        });
        messages
    }
}

impl dyn Program + '_ {
    /// Lists the stages that are not known to repeat the previous one, each with its number of consecutive repetitions.
    pub fn distinct_stages(&self) -> impl Iterator<Item = (usize, usize)> {
        let (count, mut next) = (self.stage_count(), 0);
        std::iter::from_fn(move || {
            let stage = next;
            if stage == count {
                return None;
            }
            next = (stage + 1..count).find(|&later| !self.repeats(later)).unwrap_or(count);
            Some((stage, next - stage))
        })
    }
}

/// Counts and sums over all stages of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Facts {
    /// The number of processes, `0..P`; at most 2^32.
    pub process_count: u64,
    /// The number of stages, at least 1.
    pub stage_count: usize,
    /// The longest computation of a process in a stage: `T_a`, if all take equally long.
    pub compute: Cycles,
    /// Whether every non-zero computation takes `compute`.
    pub has_one_compute_time: bool,
    /// Whether every process computes in every stage, possibly for 0 cycles.
    pub all_processes_compute: bool,
    /// The sum of all computations \[cycles\].
    pub total_compute: u128,
    /// Largest number of messages that a process receives in one stage.
    pub max_received: usize,
    /// The size of every message, if all have one \[units\].
    pub uniform_units: Option<u64>,
}

impl Facts {
    /// Returns the facts of a program of messages of one unit, in every stage of which every process computes for
    /// `compute` and receives at most one message.
    #[must_use]
    pub fn new(process_count: u64, stage_count: usize, compute: Cycles) -> Self {
        Self {
            process_count,
            stage_count,
            compute,
            has_one_compute_time: true,
            all_processes_compute: true,
            total_compute: u128::from(compute.get()) * u128::from(process_count) * stage_count as u128,
            max_received: 1,
            uniform_units: Some(1),
        }
    }

    /// Returns a bound on the number of messages of a stage, at least the number of processes.
    #[must_use]
    pub fn messages_of_stage(&self) -> u64 {
        self.process_count.saturating_mul(self.max_received.max(1) as u64)
    }
}

/// An end of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// The process that sends it.
    Source,
    /// The process that receives it.
    Destination,
}

/// The process at the other end of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Peer {
    /// The process.
    pub process: ProcessId,
    /// The size of the message \[units\], at least 1 but in steps of jobs.
    pub units: u64,
}

/// A program that some engines treat specially.
#[derive(Debug, Clone, Copy)]
pub enum Special<'program> {
    /// No such program.
    None,
    /// A compute-and-communicate program on a cube: some engines run only these.
    Cube(&'program CubeProgram),
    /// A pipelined program on a cube, or one whose computations vary: it has a separate lower bound.
    Pipelined(&'program PipelinedExchange),
    /// A task graph: the engine for messages with sizes executes its operations, not its stage.
    Tasks(&'program TaskGraph),
    /// A job: the engine for messages with sizes executes its actors, not its stages.
    Job(&'program Job),
    /// A random access: routing by sorting executes it as a whole.
    RandomAccess(&'program RandomAccess),
}

impl<'program> Special<'program> {
    /// Returns the compute-and-communicate program.
    #[must_use]
    pub fn cube(self) -> Option<&'program CubeProgram> {
        match self {
            Self::Cube(program) => Some(program),
            Self::Pipelined(_) | Self::Tasks(_) | Self::Job(_) | Self::RandomAccess(_) | Self::None => None,
        }
    }

    /// Returns the task graph.
    #[must_use]
    pub fn tasks(self) -> Option<&'program TaskGraph> {
        match self {
            Self::Tasks(graph) => Some(graph),
            Self::Cube(_) | Self::Pipelined(_) | Self::Job(_) | Self::RandomAccess(_) | Self::None => None,
        }
    }

    /// Returns the random access.
    #[must_use]
    pub fn random_access(self) -> Option<&'program RandomAccess> {
        match self {
            Self::RandomAccess(access) => Some(access),
            Self::Cube(_) | Self::Pipelined(_) | Self::Tasks(_) | Self::Job(_) | Self::None => None,
        }
    }

    /// Returns the job.
    #[must_use]
    pub fn job(self) -> Option<&'program Job> {
        match self {
            Self::Job(job) => Some(job),
            Self::Cube(_) | Self::Pipelined(_) | Self::Tasks(_) | Self::RandomAccess(_) | Self::None => None,
        }
    }

    /// Whether it is not a stage program: its processes do not execute the stages one after another.
    #[must_use]
    pub(crate) fn has_no_stages(self) -> bool {
        matches!(self, Self::Tasks(_) | Self::Job(_))
    }
}

/// Returns the messages of a stage as their destinations list them, by source.
#[cfg(test)]
fn received(program: &dyn Program, stage: usize) -> Vec<StageMessage> {
    let mut received = vec![];
    for destination in ProcessId::first(program.process_count()) {
        let mut peers = vec![];
        program.list(End::Destination, stage, destination, &mut peers);
        received.extend(peers.iter().map(|peer| StageMessage {
            stage,
            source: peer.process,
            destination,
            units: peer.units,
        }));
    }
    received.sort_unstable();
    received
}

/// Returns the source and the destination of each message of a stage.
#[cfg(test)]
fn pairs(program: &dyn Program, stage: usize) -> Vec<(u32, u32)> {
    let messages = program.messages(stage);
    messages.iter().map(|message| (message.source.label(), message.destination.label())).collect()
}

/// Checks that sources and destinations list the same messages, and that the facts have the sum of all computations.
#[cfg(test)]
fn check_lists(program: &dyn Program) {
    let mut total = 0;
    for stage in 0..program.stage_count() {
        let mut sent = program.messages(stage);
        sent.sort_unstable();
        assert_eq!(sent, received(program, stage), "stage {stage}");
        let processes = ProcessId::first(program.process_count());
        total += processes.map(|process| u128::from(program.computation(stage, process).get())).sum::<u128>();
    }
    assert_eq!(program.facts().total_compute, total);
}
