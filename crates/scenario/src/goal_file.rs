//! Task graphs from GOAL files: `program.kind = "goal"` (`docs/model.md` section 18).
//!
//! ```text
//! num_ranks 2
//! rank 0 {
//! l1: calc 100 cpu 0
//! l2: send 16b to 1 tag 7
//! l2 requires l1
//! }
//! rank 1 {
//! l1: recv 16b from 0 tag 7
//! }
//! ```
//!
//! The grammar is that of `LogGOPSim`'s `txt2bin` (Hoefler, Schneider, Lumsdaine 2010) without wildcards:
//! labels are optional; `tag`, `cpu` and `nic` default to 0 and come in any order; `//` and `/* */` are
//! comments. An operation may be required before it is defined.
//!
//! The file is read as a stream. Only the entry in the [`TaskSchedule`] of an operation is kept; for an error
//! that is found only after reading all operations, the file is read again to locate them.

mod goal_lines;
mod labels;
mod line_cursor;
mod plain_lines;

use std::{io::Read, path::Path, sync::Arc};

use cubefold_formats::input::{Ratio, diagnostic::MAX_REPORTED, input_file};
use cubefold_simulator::{
    Cycles, OperationKind, StuckReason, StuckTasks, TaskGraph, TaskSchedule, TaskScheduleError,
};

use self::{
    goal_lines::{GoalReader, Location},
    line_cursor::LineError,
};
use super::{
    budget::{Budget, OverBudget, RowBudget},
    errors::{ScenarioError, and_more},
    keys::Key,
    placement_file::Failure,
    program::{ProgramKind, Reading},
    source_file::{Place, SourceFile},
};
use crate::{PhysicalScale, ScenarioProgram};

pub(super) static GOAL: ProgramKind = ProgramKind {
    name: "goal",
    summary: "The task graph of a GOAL file: operations of ranks that wait for one another.",
    keys: &[Key::ProgramFile, Key::ProgramProcessesPerNode],
    read,
};

/// Number of bytes that are read at a time.
const CHUNK: usize = 1 << 18;
/// Size limit of a line \[bytes\]: a file without line ends is not a schedule.
const MAX_LINE: usize = 1 << 26;
/// Memory per operation and its requirements, until the schedule is made \[bytes\].
const BYTES_A_LINE: u64 = 64;
/// Memory per requirement that waits for a label \[bytes\].
const BYTES_A_LATER: u64 = 320;
/// Memory per rank \[bytes\].
const BYTES_A_RANK: u64 = 64;
/// Size limit of the part of a line that an error shows \[bytes\].
const MAX_SHOWN: usize = 4096;
/// Largest number of operations that one error marks.
const MAX_MARKED: usize = 8;

/// Reads the task graph of a file.
///
/// # Errors
///
/// If it cannot be read or is wrong: the first errors, the last of them with the number of omitted ones.
pub(super) fn read_schedule(path: &Path, budget: &Budget) -> Result<TaskSchedule, Failure> {
    read_operations(path, budget)
        .map_err(|failure| failure.or_other_format(path, "a GOAL schedule", &["goal"]))
}

fn read_operations(path: &Path, budget: &Budget) -> Result<TaskSchedule, Failure> {
    let mut reader = GoalReader::default();
    let mut report = LineReport { path, errors: vec![], wrong: 0 };
    let over = |over: OverBudget| Failure::from(over.of_file(path, "its operations:"));
    let (mut lines, mut later) =
        (RowBudget::new(budget, BYTES_A_LINE), RowBudget::new(budget, BYTES_A_LATER));
    let (mut pending, mut ranks) = (0, 0);
    read_lines(path, &mut reader, |reader, number, line| {
        let line = match line {
            Lines::Plain(count) => return lines.take_rows(count as u64).map_err(over),
            Lines::Next(line) => line,
        };
        lines.take_row().map_err(over)?;
        reader.read_line(line).unwrap_or_else(|error| report.add(number, line, error));
        for error in reader.further_errors() {
            report.add(number, line, error);
        }
        for _ in pending..reader.pending() {
            later.take_row().map_err(over)?;
        }
        pending = pending.max(reader.pending());
        if ranks != reader.rank_count() {
            ranks = reader.rank_count();
            budget.take(u64::from(ranks).saturating_mul(BYTES_A_RANK)).map_err(over)?;
        }
        Ok(())
    })?;
    let builder = reader.finish().unwrap_or_else(|(line, error)| {
        report.add(line, b"", error);
        None
    });
    report.into_result()?;
    let Some(builder) = builder else {
        return Err(Failure::of_file(path, "no ranks, expected \"num_ranks N\""));
    };
    let schedule = builder.finish().map_err(|error| Failure::Wrong(schedule_errors(path, &error)))?;
    lines.keep(schedule.bytes());
    later.keep(0);
    Ok(schedule)
}

/// Progress in the lines of a file.
enum Lines<'a> {
    /// The number of plain lines that have been read.
    Plain(usize),
    /// The next line.
    Next(&'a [u8]),
}

/// Lets the reader read the plain lines of a file, and calls `read` for all others with the line number,
/// counted from 0, until it fails.
fn read_lines(
    path: &Path,
    reader: &mut GoalReader,
    read: impl FnMut(&mut GoalReader, usize, Lines<'_>) -> Result<(), Failure>,
) -> Result<(), Failure> {
    read_lines_of(input_file::open_text(path)?, reader, read)
}

/// Reads the lines of an open file in the same way.
fn read_lines_of(
    mut file: impl Read,
    reader: &mut GoalReader,
    mut read: impl FnMut(&mut GoalReader, usize, Lines<'_>) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let (mut buffer, mut filled, mut number) = (vec![0; CHUNK], 0, 0);
    loop {
        let count = file.read(&mut buffer[filled..])?;
        filled += count;
        let mut start = 0;
        loop {
            let plain = reader.read_plain_lines(&buffer[start..filled]);
            if plain.lines > 0 {
                read(reader, number, Lines::Plain(plain.lines))?;
                number += plain.lines;
                start += plain.bytes;
            }
            let rest = &buffer[start..filled];
            let Some(end) = memchr::memchr(b'\n', rest) else { break };
            read(reader, number, Lines::Next(&rest[..end]))?;
            number += 1;
            start += end + 1;
        }
        if count == 0 {
            if start < filled {
                read(reader, number, Lines::Next(&buffer[start..filled]))?;
            }
            return Ok(());
        }
        buffer.copy_within(start..filled, 0);
        filled -= start;
        if filled == MAX_LINE {
            return Err(Failure::Unreadable(format!("line {} has more than {MAX_LINE} bytes", number + 1)));
        }
        if filled == buffer.len() {
            buffer.resize(2 * filled, 0);
        }
    }
}

/// The first errors of a file, and the number of all errors.
struct LineReport<'a> {
    path: &'a Path,
    errors: Vec<ScenarioError>,
    wrong: u64,
}

impl LineReport<'_> {
    fn add(&mut self, number: usize, line: &[u8], error: LineError) {
        self.wrong += 1;
        if self.errors.len() < MAX_REPORTED {
            let place = match &error.line {
                Some((number, line)) => place(self.path, *number, line, error.span),
                None => place(self.path, number, line, error.span),
            };
            self.errors.push(ScenarioError::at(&place, error.message, "here"));
        }
    }

    fn into_result(self) -> Result<(), Failure> {
        if self.wrong == 0 {
            return Ok(());
        }
        let left_out = self.wrong - self.errors.len() as u64;
        Err(Failure::Wrong(and_more(self.errors, left_out)))
    }
}

/// Makes a place from a range of a line; only the start of a long line is kept.
fn place(path: &Path, number: usize, line: &[u8], span: std::ops::Range<usize>) -> Place {
    let shown = &line[..line.len().min(MAX_SHOWN)];
    let text = String::from_utf8_lossy(shown).trim_end_matches('\r').to_owned();
    // Bytes that are not UTF-8 take more room when they are shown, so the place is approximate.
    Place::new(&SourceFile::excerpt(path, text, number), span)
}

/// The first errors of an invalid schedule, in the order of the file, and the number of the others.
fn schedule_errors(path: &Path, error: &TaskScheduleError) -> Vec<ScenarioError> {
    let TaskScheduleError::Several(all) = error else { return vec![schedule_error(path, error)] };
    let shown = &all[..all.len().min(MAX_REPORTED)];
    let mut errors: Vec<ScenarioError> = shown.iter().map(|error| schedule_error(path, error)).collect();
    errors.sort_by_key(ScenarioError::position);
    and_more(errors, (all.len() - shown.len()) as u64)
}

/// The error for an invalid schedule, at the operations that cause it.
fn schedule_error(path: &Path, error: &TaskScheduleError) -> ScenarioError {
    match error {
        TaskScheduleError::Cycle { operations } => {
            let found = match operations.len() {
                1 => "1 operation requires itself, expected an order in which it can begin".to_owned(),
                count => {
                    format!(
                        "{count} operations require one another, expected an order in which they can begin"
                    )
                }
            };
            let label = |is_last| if is_last { "required by the first" } else { "required by the next" };
            operations_error(path, operations, found, label)
        }
        TaskScheduleError::ReceiveWithoutSend { operation, sends, receives } => {
            let message = format!(
                "a receive without a send: {receives} of this rank and tag, expected as many as sends, {sends}"
            );
            operations_error(path, &[*operation], message, |_| "has no send")
        }
        TaskScheduleError::Several(_) | TaskScheduleError::Guest(_) | TaskScheduleError::Processes(_) => {
            ScenarioError::of_file(path, error.to_string())
        }
    }
}

/// An error that marks several operations; `label` takes whether an operation is the last.
fn operations_error(
    path: &Path,
    operations: &[u32],
    message: String,
    label: impl Fn(bool) -> &'static str,
) -> ScenarioError {
    let shown = &operations[..operations.len().min(MAX_MARKED)];
    let places: Vec<Place> = locate(path, shown)
        .into_iter()
        .map(|location| place(path, location.line_number, location.line.as_bytes(), location.span))
        .collect();
    let Some((first, others)) = places.split_first() else { return ScenarioError::of_file(path, message) };
    let mut error = ScenarioError::at(first, message, label(operations.len() == 1));
    for (at, place) in (1..).zip(others) {
        error = error.because(Some(place), label(at + 1 == operations.len()));
    }
    error
}

/// Locations of operations in a file that was read before; fewer if it has changed.
fn locate(path: &Path, operations: &[u32]) -> Vec<Location> {
    let mut reader = GoalReader::locating(operations);
    // Errors were reported when the file was first read.
    let read = read_lines(path, &mut reader, |reader, _, line| {
        if let Lines::Next(line) = line {
            reader.read_line(line).unwrap_or(());
        }
        Ok(())
    });
    read.map_or_else(|_| vec![], |()| reader.located(operations))
}

/// Explains why a run of a task graph is stuck, with the operations as `rank 3, line 17: recv ...`.
#[must_use]
pub fn describe_stuck(path: &Path, stuck: &StuckTasks) -> String {
    let shown = &stuck.operations[..stuck.operations.len().min(MAX_MARKED)];
    let lines: Vec<String> = locate(path, shown)
        .iter()
        .map(|location| {
            let text = location.line.get(location.span.clone()).unwrap_or(&location.line);
            let column =
                location.line.get(..location.span.start).map_or(0, |before| before.chars().count()) + 1;
            format!(
                "rank {} at {}:{}:{column}: {text}",
                location.rank,
                path.display(),
                location.line_number + 1
            )
        })
        .collect();
    let reason = match stuck.reason {
        StuckReason::Cycle => "operations wait for one another",
        StuckReason::ReceiveWithoutSend => "a receive without a send",
        StuckReason::SendWithoutReceive => {
            "a send by rendezvous without a receive (execution.eager_units decides what waits)"
        }
    };
    let more = match stuck.operations.len() - shown.len() {
        0 => String::new(),
        more => format!("; and {more} more"),
    };
    format!("{reason}: {}{more}", lines.join("; "))
}

fn read(reading: &mut Reading<'_>) -> Option<ScenarioProgram> {
    let settings = reading.settings;
    let value = settings.required(Key::ProgramFile, "the path of a GOAL file")?;
    let name = value.text(Key::ProgramFile.path(), settings.errors())?;
    let path = settings.beside(name);
    let schedule = reading.library.schedule(&path);
    let report = |failure: Failure| failure.report(settings.errors(), value, "program file", name);
    let schedule = schedule.map_err(report).ok()?;
    let (overhead, per_node) = (reading.compute()?, reading.per_node()?);
    let scale = reading.machine.timing.scale();
    let graph = task_graph(schedule, overhead, scale);
    let bytes = scale.and(largest_message(graph.schedule()));
    let (file, file_path) = (Some(name.to_owned()), Some(path));
    let program = ScenarioProgram::new(&GOAL, graph);
    Some(ScenarioProgram { file, file_path, bytes, ranks_per_node: per_node, ..program })
}

/// The task graph of a schedule in nanoseconds and bytes; without a scale, these are cycles and units.
pub(super) fn task_graph(
    schedule: Arc<TaskSchedule>,
    overhead: Cycles,
    scale: Option<PhysicalScale>,
) -> TaskGraph {
    let Some(scale) = scale else { return TaskGraph::new(schedule, overhead) };
    // Times above 2^63 cycles and sizes above 2^63 units are refused before a run.
    let seconds = |time: u64| Ratio::from(time).over(Ratio::from(1_000_000_000));
    let cycles = |time| seconds(time).and_then(|time| scale.cycles(time)).unwrap_or(u64::MAX);
    let units = |bytes| scale.units(Ratio::from(bytes)).unwrap_or(u64::MAX);
    TaskGraph::scaled(schedule, overhead, cycles, units)
}

/// The size of the largest message in the file \[bytes\].
fn largest_message(schedule: &Arc<TaskSchedule>) -> Option<u64> {
    let sends = schedule.operations().iter().filter(|operation| operation.kind == OperationKind::Send);
    sends.map(|operation| operation.amount).max()
}

#[cfg(test)]
mod tests;
