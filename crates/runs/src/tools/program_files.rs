//! Programs in the formats of other tools: GOAL schedules, lists of messages, MSCCL XML, Chakra execution
//! traces and `SimGrid`'s time-independent traces.
//!
//! GOAL, Chakra and `SimGrid` files are written from a [`TaskSchedule`], MSCCL XML from the data flow of a
//! collective. Each format has a file with its descriptor and writer, and a line in [`ProgramFormat::ALL`].
//! If a format cannot express a program, it is an error if the file would be wrong, and a note if it would be
//! incomplete. Nothing here opens files.

mod chakra;
mod goal;
mod msccl_xml;
mod simgrid;
mod stage_list;

#[cfg(test)]
mod tests;

pub use self::msccl_xml::MscclRuntime;

use std::{fmt, io, sync::Arc};

use cubefold_formats::input::Ratio;
use cubefold_scenario::{ExecutionMode, Run};
use cubefold_simulator::{Cycles, OperationKind, TaskSchedule, TaskScheduleError, task_schedule};

use crate::{Resources, RunError, runner::admit};

/// A format of programs. The set is closed; the command line uses the same words.
#[derive(Clone, Copy)]
pub struct ProgramFormat(&'static FormatDescriptor);

struct FormatDescriptor {
    name: &'static str,
    summary: &'static str,
    is_folder: bool,
    extension: Option<&'static str>,
    write: fn(&Run, ProgramOptions) -> Result<ProgramFiles, ProgramFileError>,
}

/// Options that some formats leave open.
#[derive(Debug, Clone, Copy, Default)]
pub struct ProgramOptions {
    /// The runtime of MSCCL XML; by default any, with notes on those that cannot execute the file.
    pub runtime: Option<MscclRuntime>,
}

/// A program as files.
#[derive(Debug, Default)]
pub struct ProgramFiles {
    /// Name and contents of each file; a format without a folder has one, whose name is unused.
    pub files: Vec<(String, Vec<u8>)>,
    /// Describes the parts that the files leave out.
    pub notes: Vec<String>,
}

/// A program that cannot be written in a format.
#[derive(Debug, thiserror::Error)]
pub enum ProgramFileError {
    /// The format cannot express it.
    #[error("{format} cannot express {what}, expected {expected}")]
    NotSaid {
        /// The format.
        format: &'static str,
        /// The part that it cannot express.
        what: String,
        /// The alternative that it can.
        expected: &'static str,
    },
    /// The operations form no schedule.
    #[error(transparent)]
    Schedule(#[from] TaskScheduleError),
    /// Text could not be written.
    #[error(transparent)]
    Write(#[from] io::Error),
}

impl ProgramFormat {
    /// GOAL, for `LogGOPSim`, ATLAHS and `program.kind = "goal"`.
    pub const GOAL: Self = Self(&goal::FORMAT);
    /// A message per row, for `program.kind = "stages"`.
    pub const STAGES: Self = Self(&stage_list::FORMAT);
    /// MSCCL XML, for MSCCL and ASTRA-sim's collectives.
    pub const MSCCL_XML: Self = Self(&msccl_xml::FORMAT);
    /// Chakra execution traces, for ASTRA-sim.
    pub const CHAKRA: Self = Self(&chakra::FORMAT);
    /// Time-independent traces, for `SimGrid`.
    pub const SIMGRID: Self = Self(&simgrid::FORMAT);

    /// Every format, in the order of help texts.
    pub const ALL: [Self; 5] = [Self::GOAL, Self::STAGES, Self::MSCCL_XML, Self::CHAKRA, Self::SIMGRID];

    /// Its name on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.0.name
    }

    /// Contents and reader of the file, in one sentence.
    #[must_use]
    pub fn summary(self) -> &'static str {
        self.0.summary
    }

    /// Whether it is a folder with a file per process.
    #[must_use]
    pub fn is_folder(self) -> bool {
        self.0.is_folder
    }

    /// Extension of its file; `None` for formats with a folder.
    #[must_use]
    pub fn extension(self) -> Option<&'static str> {
        self.0.extension
    }

    /// Approximate memory limit of [`write`](Self::write) \[bytes\].
    #[must_use]
    pub fn bytes_to_write(self, run: &Run) -> u64 {
        const BYTES_A_MESSAGE: u64 = 400; // a send, a receive and a computation: as operations, and as text
        let program = &run.program;
        let messages = if let Some(graph) = program.body.special().tasks() {
            graph.schedule().operations().len() as u64
        } else {
            let of_stage =
                program.body.process_count().saturating_mul(program.body.facts().max_received.max(1) as u64);
            of_stage.saturating_mul(program.body.stage_count() as u64)
        };
        messages.saturating_mul(BYTES_A_MESSAGE)
    }

    /// Writes the program of a run in this format.
    ///
    /// # Errors
    ///
    /// If the format cannot express the program.
    pub fn write(self, run: &Run) -> Result<ProgramFiles, ProgramFileError> {
        self.write_with(run, ProgramOptions::default())
    }

    /// Writes the program of a run in this format, for a runtime.
    ///
    /// # Errors
    ///
    /// If the format or the runtime cannot express the program.
    pub fn write_with(self, run: &Run, options: ProgramOptions) -> Result<ProgramFiles, ProgramFileError> {
        if let Some(job) = run.program.body.special().job() {
            // A file would take other cycles: its steps run one after another, and no share waits for another.
            let refused = |what: &str, expected| {
                Err(ProgramFileError::NotSaid { format: self.name(), what: what.to_owned(), expected })
            };
            if !job.is_chain() {
                return refused("steps side by side", "steps each of which comes after the one before it");
            }
            if job.share_count() > 1 {
                return refused(
                    "a job whose ranks are divided into shares, as by ports = \"all\", channels or in-switch",
                    "one port and no such algorithm, or steps without name, after and only",
                );
            }
        }
        let mut files = (self.0.write)(run, options)?;
        files.notes.extend(left_out(run));
        if self != Self::MSCCL_XML {
            files.notes.extend(shares_as_ranks(run));
        }
        Ok(files)
    }
}

/// Describes the ranks of a file of a program with several shares a rank.
fn shares_as_ranks(run: &Run) -> Option<String> {
    let ranks = run.program.ranks.as_ref().filter(|ranks| ranks.share_count > 1)?;
    let (count, shares) = (ranks.shape.node_count(), ranks.share_count);
    Some(format!(
        "each of the {count} ranks is divided into {shares} shares, which are ranks of the file: rank n is on the node of \
         rank n mod {count}"
    ))
}

/// Describes what affects the cycles of a run, and no format has.
fn left_out(run: &Run) -> Vec<String> {
    let mut notes = vec![];
    if run.communication.message_cost() > Cycles::ZERO {
        notes.push(format!(
            "the file has no cost of each message ({} cycles): set program.message_cost where it is read",
            run.communication.message_cost()
        ));
    }
    if run.program.body.has_turns() {
        notes.push(
            "the file has no order of messages that join a queue in one cycle: its cycles are those of \
             order = \"listed\""
                .to_owned(),
        );
    }
    notes
}

/// Checks that the program of a run can be written in a format, without writing anything.
///
/// # Errors
///
/// If it takes more memory than allowed.
pub fn check_export(run: &Run, format: ProgramFormat, resources: Resources) -> Result<(), RunError> {
    admit(&[run], resources, |run| format.bytes_to_write(run).saturating_add(run.held_bytes))
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

/// Makes the schedule of the program of a run.
///
/// # Errors
///
/// If task graphs cannot execute it: it is coordinated, or its processes share a processor.
fn schedule_of(run: &Run, format: &'static str) -> Result<Arc<TaskSchedule>, ProgramFileError> {
    let not_said = |what: String, expected| Err(ProgramFileError::NotSaid { format, what, expected });
    if let ExecutionMode::Coordinated { .. } = run.execution.mode {
        return not_said("coordinated execution".to_owned(), "asynchronous execution");
    }
    if let Some(graph) = run.program.body.special().tasks() {
        if graph.overhead().get() > 0 {
            let what = format!("{} cycles of overhead before every send", graph.overhead());
            return not_said(what, "program.compute_cycles = 0");
        }
        return Ok(graph.schedule().clone());
    }
    // The ranks of a job have processors of their own.
    let is_job = run.program.body.special().job().is_some();
    let (load, processors) = (run.placement.max_load(), run.communication.processors().get());
    if load > processors && !is_job && run.program.body.facts().total_compute > 0 {
        let what = format!("{load} processes that share {processors} processors of a node");
        return not_said(what, "a processor for each process");
    }
    Ok(Arc::new(task_schedule(&*run.program.body)?))
}

/// Units of sizes and times: units and cycles in a schedule made from a program; bytes and nanoseconds in a
/// GOAL file if the machine has seconds and bytes.
struct Amounts<'run> {
    run: &'run Run,
    is_of_file: bool,
}

impl<'run> Amounts<'run> {
    fn new(run: &'run Run) -> Self {
        Self { run, is_of_file: run.program.body.special().tasks().is_some() }
    }

    /// Size of a message in bytes; a unit is a byte if the machine is given in cycles.
    fn bytes(&self, amount: u64) -> u64 {
        match self.run.scale {
            Some(scale) if !self.is_of_file => amount.saturating_mul(scale.unit_bytes()),
            Some(_) | None => amount,
        }
    }

    /// Time of a calculation in whole nanoseconds, halves up, and whether it converts back to the same
    /// cycles; a cycle is a nanosecond if the machine is given in cycles.
    fn nanoseconds(&self, amount: u64) -> (u64, bool) {
        let Some(scale) = self.run.scale.filter(|_| !self.is_of_file) else { return (amount, true) };
        let nanoseconds = Ratio::from(amount).times(scale.cycle_nanoseconds());
        let whole =
            nanoseconds.and_then(|nanoseconds| u64::try_from(nanoseconds.rounded()).ok()).unwrap_or(u64::MAX);
        let seconds = Ratio::from(whole).over(Ratio::from(1_000_000_000));
        (whole, seconds.and_then(|seconds| scale.cycles(seconds)) == Some(amount))
    }

    /// Describes calculations that do not convert back to the same cycles.
    fn note(&self, schedule: &TaskSchedule) -> Option<String> {
        let calculations =
            schedule.operations().iter().filter(|operation| operation.kind == OperationKind::Calc);
        let rounded = calculations.filter(|operation| !self.nanoseconds(operation.amount).1).count();
        (rounded > 0).then(|| {
            format!("{rounded} calculations are rounded to nanoseconds, and differ in cycles when read back")
        })
    }
}

/// The suffix of an operation's label: its number within the rank, counted from 1.
fn label(number: usize) -> String {
    format!("l{}", number + 1)
}
