//! The `[program]` table: the kinds of programs, and what the readers of all share.
//!
//! A kind of program is one entry of [`PROGRAM_KINDS`]: its name, its keys, and the function that reads it.
//! The words of `program.kind`, the errors about keys of other kinds and the documentation follow from it.

use cubefold_simulator::{Computations, Cycles};

use super::{
    chakra_file::{CHAKRA, TRACE},
    collective,
    cube_program::{CC_CUBE, DIVIDE_AND_CONQUER, NORMAL},
    goal_file::GOAL,
    job,
    keys::Key,
    library::Library,
    machine::MachineSection,
    message_sizes::{self, ByStage, Sizes},
    neighbour_exchange,
    open_loop::OPEN_LOOP,
    per_node,
    permutation::PERMUTATION,
    random_access::RANDOM_ACCESS,
    settings::Settings,
    stages_file::STAGES,
    traffic::TRAFFIC,
};
use crate::ScenarioProgram;

pub(super) use super::neighbour_exchange::COMMUNICATIONS;

/// A kind of program in scenarios.
#[derive(Debug)]
pub struct ProgramKind {
    /// Its name in files.
    pub name: &'static str,
    /// A description in one sentence.
    pub summary: &'static str,
    /// Keys of `[program]` that it takes, besides those that all kinds take.
    pub(super) keys: &'static [Key],
    pub(super) read: fn(&mut Reading<'_>) -> Option<ScenarioProgram>,
}

/// All kinds of programs, in the order in which messages list them.
pub(super) static PROGRAM_KINDS: &[&ProgramKind] = &[
    &CC_CUBE,
    &neighbour_exchange::NEIGHBOUR_EXCHANGE,
    &DIVIDE_AND_CONQUER,
    &NORMAL,
    &STAGES,
    &TRAFFIC,
    &GOAL,
    &CHAKRA,
    &TRACE,
    &PERMUTATION,
    &RANDOM_ACCESS,
    &OPEN_LOOP,
    &collective::ALL_REDUCE,
    &collective::REDUCE_SCATTER,
    &collective::ALL_GATHER,
    &collective::BROADCAST,
    &collective::REDUCE,
    &collective::GATHER,
    &collective::SCATTER,
    &collective::ALL_TO_ALL,
    &collective::BARRIER,
    &collective::SEQUENCE,
    &job::JOB,
];

/// Lists the kinds of programs.
#[must_use]
pub fn program_kinds() -> &'static [&'static ProgramKind] {
    PROGRAM_KINDS
}

/// The input of a reader of programs: settings, machine, and the files shared with other scenarios.
#[derive(Debug)]
pub(super) struct Reading<'a> {
    pub(super) settings: &'a Settings<'a>,
    /// The machine, which gives the default number of dimensions.
    pub(super) machine: &'a MachineSection,
    pub(super) library: &'a mut Library,
    pub(super) computations: Option<Computations>,
}

impl Reading<'_> {
    /// `T_a`, if all computations take equally long.
    pub(super) fn compute(&self) -> Option<Cycles> {
        match self.computations.as_ref()? {
            Computations::Same(cycles) => Some(*cycles),
            Computations::ByStage(_) | Computations::ByProcess(_) => None,
        }
    }

    pub(super) fn per_node(&mut self) -> Option<u64> {
        per_node::count(self.settings)
    }

    /// Reads the sizes of messages, with a list by stage if `by_stage` allows it.
    pub(super) fn sizes(&mut self, by_stage: ByStage) -> Option<Sizes> {
        message_sizes::read(self.settings, self.machine.timing.scale(), by_stage)
    }
}

/// Reads the program. `machine` gives the default number of dimensions.
pub(super) fn read(
    settings: &Settings<'_>,
    machine: &MachineSection,
    library: &mut Library,
) -> Option<ScenarioProgram> {
    let kind = kind(settings);
    let scale = machine.timing.scale();
    let by_stage = match kind {
        Some(kind) if ![STAGES.name, CC_CUBE.name].contains(&kind.name) => ByStage::No,
        _ => ByStage::Yes(None),
    };
    let computations = message_sizes::read_computations(settings, scale, by_stage);
    let kind = kind?;
    let name = format_args!("{} program", kind.name);
    settings.report_foreign(Key::ProgramKind, name, |key| key.is_foreign_to(kind));
    let program = (kind.read)(&mut Reading { settings, machine, library, computations })?;
    let program = per_node::with_block(settings, program)?;
    Some(per_node::with_note(program, machine.machine.as_deref()))
}

/// The kind of the program; with steps it is a sequence, whose default operation is the given kind.
fn kind(settings: &Settings<'_>) -> Option<&'static ProgramKind> {
    let Some(steps) = settings.get(Key::ProgramSteps) else {
        return settings.one_of(Key::ProgramKind, PROGRAM_KINDS, |kind| kind.name);
    };
    let algorithm = settings.get(Key::ProgramAlgorithm);
    let is_job = settings.get(Key::ProgramIterations).is_some() || job::is_job(steps, algorithm);
    let of_steps: &ProgramKind = if is_job { &job::JOB } else { &collective::SEQUENCE };
    if settings.get(Key::ProgramKind).is_none() {
        return Some(of_steps);
    }
    let kind = settings.one_of(Key::ProgramKind, PROGRAM_KINDS, |kind| kind.name)?;
    let is_sequence = collective::is_operation(kind) || kind.name == collective::SEQUENCE.name;
    Some(if is_sequence { of_steps } else { kind })
}
