//! Programs in the formats of other tools: GOAL schedules, lists of messages, MSCCL XML, Chakra execution
//! traces and `SimGrid`'s time-independent traces.
//!
//! A program is turned into a [`TaskSchedule`] first, which GOAL, Chakra and `SimGrid` write each in
//! their words; MSCCL XML is made from the data flow of a collective. Each format has a file with its descriptor
//! and writer, and a line in [`ProgramFormat::ALL`]. What a format cannot say is an error where the file would be
//! wrong, and a note where it would say less. Nothing here opens files.

mod chakra;
mod goal;
mod msccl_xml;
mod simgrid;
mod stage_list;

#[cfg(test)]
mod tests;

use std::{fmt, io};

use cubefold_simulator::{OperationKind, TaskSchedule, TaskScheduleError, task_schedule};

use crate::scenario::{ExecutionMode, Run};

/// A format of programs. The set is closed; the command line uses the same words.
#[derive(Clone, Copy)]
pub struct ProgramFormat(&'static FormatDescriptor);

/// All that there is to know of a format.
struct FormatDescriptor {
    /// Its name on the command line.
    name: &'static str,
    /// What it holds and what reads it, for a help text.
    summary: &'static str,
    /// Whether it has a file for each process, in a folder.
    is_folder: bool,
    /// What the name of its file ends in, unless another format is asked for.
    extension: Option<&'static str>,
    write: fn(&Run) -> Result<ProgramFiles, ProgramFileError>,
}

/// A program as files.
#[derive(Debug, Default)]
pub struct ProgramFiles {
    /// The name and content of each file; of a format without a folder one, whose name is of no account.
    pub files: Vec<(String, Vec<u8>)>,
    /// What the files do not say.
    pub notes: Vec<String>,
}

/// Why a program has no file in a format.
#[derive(Debug, thiserror::Error)]
pub enum ProgramFileError {
    /// The format cannot say it.
    #[error("{format} cannot say {what}, expected {expected}")]
    NotSaid {
        /// The format.
        format: &'static str,
        /// What it cannot say.
        what: String,
        /// What it can.
        expected: &'static str,
    },
    /// The operations make no schedule.
    #[error(transparent)]
    Schedule(#[from] TaskScheduleError),
    /// Text could not be written.
    #[error(transparent)]
    Write(#[from] io::Error),
}

impl ProgramFormat {
    /// GOAL, for `LogGOPSim`, ATLAHS and `program.kind = "goal"`.
    pub const GOAL: Self = Self(&goal::FORMAT);
    /// A message a row, for `program.kind = "stages"`.
    pub const STAGES: Self = Self(&stage_list::FORMAT);
    /// MSCCL XML, for MSCCL and ASTRA-sim's collectives.
    pub const MSCCL_XML: Self = Self(&msccl_xml::FORMAT);
    /// Chakra execution traces, for ASTRA-sim.
    pub const CHAKRA: Self = Self(&chakra::FORMAT);
    /// Time-independent traces, for `SimGrid`.
    pub const SIMGRID: Self = Self(&simgrid::FORMAT);

    /// Every format, in the order of help texts.
    pub const ALL: [Self; 5] = [Self::GOAL, Self::STAGES, Self::MSCCL_XML, Self::CHAKRA, Self::SIMGRID];

    /// The word for it on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.0.name
    }

    /// What it holds and what reads it, in one sentence.
    #[must_use]
    pub fn summary(self) -> &'static str {
        self.0.summary
    }

    /// Whether it has a file for each process, in a folder.
    #[must_use]
    pub fn is_folder(self) -> bool {
        self.0.is_folder
    }

    /// What the name of its file ends in; none of formats with a folder.
    #[must_use]
    pub fn extension(self) -> Option<&'static str> {
        self.0.extension
    }

    /// The memory that [`write`](Self::write) takes at most, roughly \[bytes\].
    #[must_use]
    pub fn bytes_to_write(self, run: &Run) -> u64 {
        const BYTES_A_MESSAGE: u64 = 400; // a send, a receive and a computation: as operations, and as text
        let program = &run.program;
        let messages = if let Some(graph) = program.as_task_graph() {
            graph.schedule().operations().len() as u64
        } else {
            let of_stage = program.process_count().saturating_mul(program.max_received().max(1) as u64);
            of_stage.saturating_mul(program.stage_count() as u64)
        };
        messages.saturating_mul(BYTES_A_MESSAGE)
    }

    /// The program of a run in this format.
    ///
    /// # Errors
    ///
    /// When the format cannot say what the program does.
    pub fn write(self, run: &Run) -> Result<ProgramFiles, ProgramFileError> {
        (self.0.write)(run)
    }
}

impl PartialEq for ProgramFormat {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name()
    }
}

impl Eq for ProgramFormat {}

impl fmt::Debug for ProgramFormat {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// The schedule of the program of a run.
///
/// # Errors
///
/// When its execution is not one of task graphs: coordinated, or with processes that share a processor.
fn schedule_of(run: &Run, format: &'static str) -> Result<std::sync::Arc<TaskSchedule>, ProgramFileError> {
    let not_said = |what: String, expected| Err(ProgramFileError::NotSaid { format, what, expected });
    if let ExecutionMode::Coordinated { .. } = run.execution.mode {
        return not_said("coordinated execution".to_owned(), "asynchronous execution");
    }
    if let Some(graph) = run.program.task_graph() {
        if graph.overhead().get() > 0 {
            let what = format!("{} cycles of overhead before every send", graph.overhead());
            return not_said(what, "program.compute_cycles = 0");
        }
        return Ok(graph.schedule().clone());
    }
    let (load, processors) = (run.placement.max_load(), run.communication.processors().get());
    if load > processors && run.program.total_compute() > 0 {
        let what = format!("{load} processes that share {processors} processors of a node");
        return not_said(what, "a processor for each process");
    }
    Ok(std::sync::Arc::new(task_schedule(&**run.program)?))
}

/// What sizes and times are: those of a schedule made from a program are units and cycles, those of a GOAL
/// file bytes and nanoseconds where the machine has seconds and bytes.
struct Amounts<'run> {
    run: &'run Run,
    is_of_file: bool,
}

impl<'run> Amounts<'run> {
    fn new(run: &'run Run) -> Self {
        Self { run, is_of_file: run.program.task_graph().is_some() }
    }

    /// The size of a message in bytes: a unit is a byte where the machine is given in cycles.
    fn bytes(&self, amount: u64) -> u64 {
        match self.run.scale {
            Some(scale) if !self.is_of_file => amount.saturating_mul(scale.unit_bytes()),
            Some(_) | None => amount,
        }
    }

    /// The time of a calculation in whole nanoseconds, halves up, and whether it reads back as the same cycles; a
    /// cycle is a nanosecond where the machine is given in cycles.
    fn nanoseconds(&self, amount: u64) -> (u64, bool) {
        let Some(scale) = self.run.scale.filter(|_| !self.is_of_file) else { return (amount, true) };
        let nanoseconds = crate::input::Ratio::from(amount).times(scale.cycle_nanoseconds());
        let whole = nanoseconds.and_then(|own| u64::try_from(own.rounded()).ok()).unwrap_or(u64::MAX);
        let seconds = crate::input::Ratio::from(whole).over(crate::input::Ratio::from(1_000_000_000));
        (whole, seconds.and_then(|own| scale.cycles(own)) == Some(amount))
    }

    /// A note on calculations that do not read back as the same cycles.
    fn note(&self, schedule: &TaskSchedule) -> Option<String> {
        let calculations = schedule.operations().iter().filter(|own| own.kind == OperationKind::Calc);
        let rounded = calculations.filter(|own| !self.nanoseconds(own.amount).1).count();
        (rounded > 0).then(|| {
            format!(
                "{rounded} calculations are rounded to nanoseconds, and read back as other numbers of cycles"
            )
        })
    }
}

/// The end of the name of an operation of a rank, counted from 1 in it.
fn label(number: usize) -> String {
    format!("l{}", number + 1)
}
