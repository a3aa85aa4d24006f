//! Stage programs from files: `program.kind = "stages"`, a message per row (`docs/model.md` section 15).
//!
//! ```text
//! stage,source,destination,units
//! 0,0,1,16
//! 0,1,0,16
//! 2,3,0,4
//! ```
//!
//! Rows may be in any order; a stage without rows has no messages. The file is read as a stream: only the
//! message and the start of each row are kept, and the text of a wrong row is read again. Checks that do not
//! depend on the scenario are made once for all of its runs.

use std::path::Path;

use csv::ByteRecord;
use cubefold_formats::input::text::described;
use cubefold_mapping::ProcessId;
use cubefold_simulator::{Computations, Cycles, StageMessage, StageProgram};

use super::{
    budget::{Budget, RowBudget},
    errors::ScenarioError,
    exchange,
    keys::Key,
    placement_file::{Failure, RowTexts, decimal, open_rows},
    program::{ProgramKind, Reading},
    row_errors::RowErrors,
    value::Value,
};
use crate::ScenarioProgram;

pub(super) static STAGES: ProgramKind = ProgramKind {
    name: "stages",
    summary: "The messages of a file, stage by stage, each with a size.",
    keys: &[Key::ProgramFile, Key::ProgramProcesses, Key::ProgramProcessesPerNode, Key::ProgramComputeNoise],
    read: |reading| {
        let program = of_processes(reading, None)?;
        exchange::with_noise(reading, program)
    },
};

/// The columns of a file, with the range of each.
const COLUMNS: [(&str, u64, u64); 4] = [
    ("stage", 0, MAX_STAGES - 1),
    ("source", 0, MAX_PROCESSES - 1),
    ("destination", 0, MAX_PROCESSES - 1),
    ("units", 1, (1 << 63) - 1),
];

/// Largest number of stages.
const MAX_STAGES: u64 = 1_000_000;
/// Largest number of processes: as many as a network guest may have nodes.
pub(super) const MAX_PROCESSES: u64 = 1 << 20;

/// Memory per row while the file is read, if rows are out of order \[bytes\].
const BYTES_A_ROW: u64 = 72;
/// Memory per row after the file is read \[bytes\].
const BYTES_A_KEPT_ROW: u64 = (size_of::<StageMessage>() + size_of::<u64>()) as u64;

/// The valid messages of a file, the starts of their rows, and the errors of the other rows.
#[derive(Debug)]
pub(super) struct MessageFile {
    messages: Vec<StageMessage>,
    starts: Vec<u64>, // by row: its first byte, or that of the line ends before it
    others: Vec<NamedProcess>,
    wrong: RowErrors,
}

/// A process named in a row without a valid message.
#[derive(Debug, Clone, Copy)]
struct NamedProcess {
    start: u64,
    field: usize,
    process: ProcessId,
}

impl MessageFile {
    /// Reads a file. Errors in rows are kept, to be reported together with those that depend on the program.
    ///
    /// # Errors
    ///
    /// If it cannot be read or is not a list of messages.
    pub(super) fn read(path: &Path, budget: &Budget) -> Result<Self, Failure> {
        let mut file = Self { messages: vec![], starts: vec![], others: vec![], wrong: RowErrors::default() };
        let mut rows = RowBudget::new(budget, BYTES_A_ROW);
        let read = file.read_rows(path, &mut rows);
        read.map_err(|failure| failure.or_other_format(path, "a list of messages", &["pair-table"]))?;
        file.find_repeated(path);
        rows.keep((file.messages.len() as u64).saturating_mul(BYTES_A_KEPT_ROW));
        Ok(file)
    }

    /// Number of stages that the messages need.
    fn stage_count(&self) -> usize {
        self.messages.iter().map(|message| message.stage + 1).max().unwrap_or(0)
    }

    /// The errors in the rows, and processes that are out of range if their number is known: the first errors
    /// in the order of the lines, the last with the number of omitted ones. `help` is about the number of
    /// processes.
    fn errors(&self, path: &Path, processes: Option<u64>, help: &str) -> Vec<ScenarioError> {
        let mut wrong = self.wrong.clone();
        let of_message = |(message, &start): (&StageMessage, &u64)| {
            [(1, message.source), (2, message.destination)].map(|(field, process)| NamedProcess {
                start,
                field,
                process,
            })
        };
        let named = self.messages.iter().zip(&self.starts).flat_map(of_message);
        if let Some(processes) = processes {
            let is_beyond = |process: ProcessId| u64::from(process.label()) >= processes;
            let others = self.others.iter().copied();
            for NamedProcess { start, field, process } in
                named.chain(others).filter(|named| is_beyond(named.process))
            {
                let (name, last) = (COLUMNS[field].0, processes - 1);
                wrong.add_about_count(start, field, || {
                    format!("{name} is {process}, expected a process from 0 to {last}")
                });
            }
        }
        wrong.into_errors(path, help)
    }

    fn read_rows(&mut self, path: &Path, budget: &mut RowBudget<'_>) -> Result<(), Failure> {
        let header = COLUMNS.map(|(name, _, _)| name);
        let expected = header.join(",");
        let unusable = |message: &str| Failure::from(RowTexts::new(path).wrong(0, None, message));
        let mut reader = open_rows(path)?;
        let mut record = ByteRecord::new();
        if !reader.read_byte_record(&mut record)? {
            return Err(unusable(&format!("an empty file, expected \"{expected}\"")));
        }
        // Under another header, rows would have another meaning.
        if !record.iter().eq(header.map(str::as_bytes)) {
            return Err(unusable(&format!("wrong header, expected \"{expected}\"")));
        }
        let mut rows = 0_u64;
        while reader.read_byte_record(&mut record)? {
            rows += 1;
            budget.take_row().map_err(|over| over.of_file(path, "its messages:"))?;
            self.read_row(&record);
        }
        if rows == 0 {
            return Err(unusable("no messages, expected at least one row"));
        }
        Ok(())
    }

    fn read_row(&mut self, record: &ByteRecord) {
        let start = record.position().map_or(0, csv::Position::byte);
        if record.len() != COLUMNS.len() {
            let message = || format!("{} fields, expected {}", record.len(), COLUMNS.len());
            self.wrong.add(start, None, message);
            return;
        }
        let [stage, source, destination, units] = [0, 1, 2, 3].map(|field| self.number(record, start, field));
        // The ranges of their columns ensure that they fit.
        let [source, destination] = [source, destination]
            .map(|process| process.map(|process| ProcessId::new(u32::try_from(process).unwrap_or(u32::MAX))));
        if let (Some(stage), Some(source), Some(destination), Some(units)) =
            (stage, source, destination, units)
            && source != destination
        {
            let stage = usize::try_from(stage).unwrap_or(usize::MAX);
            self.messages.push(StageMessage { stage, source, destination, units });
            self.starts.push(start);
            return;
        }
        if let Some(source) = source.filter(|&source| Some(source) == destination) {
            let message = || format!("process {source} sends to itself, expected another process");
            self.wrong.add(start, Some(2), message);
        }
        let mut named = |field, process| self.others.push(NamedProcess { start, field, process });
        if let Some(source) = source {
            named(1, source);
        }
        // A process that sends to itself is recorded once.
        if let Some(destination) = destination.filter(|_| source != destination) {
            named(2, destination);
        }
    }

    /// The number in a field; reports an error and returns `None` if it is out of the column's range.
    fn number(&mut self, record: &ByteRecord, start: u64, field: usize) -> Option<u64> {
        let (name, least, greatest) = COLUMNS[field];
        let text = record.get(field).unwrap_or_default();
        let number = decimal(text).filter(|number| (least..=greatest).contains(number));
        if number.is_none() {
            self.wrong.add(start, Some(field), || {
                let found = described(&String::from_utf8_lossy(text));
                format!("{name} is {found}, expected an integer from {least} to {greatest}")
            });
        }
        number
    }

    /// Finds repeated messages of one stage between the same source and destination.
    fn find_repeated(&mut self, path: &Path) {
        let ends = |message: &StageMessage| (message.stage, message.source, message.destination);
        if self.messages.is_sorted_by(|one, next| ends(one) < ends(next)) {
            return;
        }
        let mut order: Vec<_> =
            self.messages.iter().zip(0_usize..).map(|(message, row)| (ends(message), row)).collect();
        order.sort_unstable();
        // Groups are in the order of rows; the line of the first is looked up only for reported ones.
        let groups = order.chunk_by(|one, next| one.0 == next.0);
        let mut repeated: Vec<(usize, usize)> =
            groups.flat_map(|group| group[1..].iter().map(|&(_, row)| (row, group[0].1))).collect();
        repeated.sort_unstable();
        for (row, first) in repeated {
            let StageMessage { stage, source, destination, .. } = self.messages[row];
            self.wrong.add(self.starts[row], None, || {
                let first = RowTexts::new(path).line(self.starts[first]);
                let first = first.map_or_else(String::new, |line| format!("; the first is in line {line}"));
                format!(
                    "a second message from process {source} to process {destination} in stage {stage}, expected one{first}"
                )
            });
        }
    }
}

/// Reads the program; `fixed` is its number of processes, if that is fixed.
pub(super) fn of_processes(reading: &mut Reading<'_>, fixed: Option<u64>) -> Option<ScenarioProgram> {
    let settings = reading.settings;
    let given = settings.get(Key::ProgramProcesses);
    let given = given.map(|_| settings.natural(Key::ProgramProcesses));
    let given = fixed.map(Some).or(given);
    let value = settings.required(Key::ProgramFile, "the path of a file with a message a row")?;
    let name = value.text(Key::ProgramFile.path(), settings.errors())?;
    let path = settings.beside(name);
    let file = reading.library.messages(&path);
    let file = file.map_err(|failure| failure.report(settings.errors(), value, "program file", name)).ok()?;
    let computations = computations(reading, &file);
    let per_node = reading.per_node();
    let processes = match given {
        Some(given) => given,
        None => per_node.and_then(|per_node| default_processes(reading, value, per_node)),
    };
    let help = match given {
        Some(_) => "",
        None => "there is one process a node unless program.processes says how many",
    };
    let wrong = file.errors(&path, processes, help);
    if !wrong.is_empty() {
        settings.report_all(wrong);
        return None;
    }
    let counts = (processes?, file.stage_count() as u64, file.messages.len() as u64);
    let what = format!("a program of {} stages and {} messages", counts.1, counts.2);
    settings.take(StageProgram::bytes_to_make(counts.0, counts.1, counts.2), &value.place, &what)?;
    // Other errors of the messages have been reported; only a process with too many partners remains.
    match StageProgram::new(u32::try_from(processes?).ok()?, computations?, &file.messages) {
        Ok(program) => {
            let program = ScenarioProgram::new(&STAGES, program);
            Some(ScenarioProgram { file: Some(name.to_owned()), ranks_per_node: per_node?, ..program })
        }
        Err(error) => {
            let message = format!("program.file {name:?}: {error}");
            settings.fail(ScenarioError::at(&value.place, message, "these messages"))
        }
    }
}

/// Number of processes with `per_node` on each node of the machine; reports too many.
fn default_processes(reading: &mut Reading<'_>, value: &Value, per_node: u64) -> Option<u64> {
    let (nodes, size) = (reading.machine.host_count()?, reading.machine.size.as_ref()?);
    let processes = nodes.saturating_mul(per_node);
    if processes <= MAX_PROCESSES {
        return Some(processes);
    }
    let message =
        format!("{per_node} processes for each of {nodes} nodes, expected at most {MAX_PROCESSES} (2^20)");
    let error = ScenarioError::at(&value.place, message, "a program of this file");
    let error = error.because(Some(&size.place), format!("{nodes} nodes"));
    reading.settings.fail(error.with_help("give program.processes"))
}

/// The computations, checked against the stages of the file.
fn computations(reading: &mut Reading<'_>, file: &MessageFile) -> Option<Computations> {
    let computations = reading.computations.clone()?;
    let Computations::ByStage(times) = &computations else { return Some(computations) };
    let stages = file.stage_count();
    if times.len() < stages {
        let settings = reading.settings;
        let key = [Key::ProgramComputeCycles, Key::ProgramCompute]
            .into_iter()
            .find(|&key| settings.get(key).is_some_and(|value| value.list_length() == Some(times.len())))?;
        let value = settings.get(key)?;
        let expected = format!("at least {stages} entries, one for each stage");
        let error = value.unexpected(key.path(), expected);
        return settings.fail(error.because(settings.place(Key::ProgramFile), format!("{stages} stages")));
    }
    // Equal computations become a single time, which more engines support.
    let first = times.first().copied().unwrap_or(Cycles::ZERO);
    let is_one = times.len() == stages && times.iter().all(|&time| time == first);
    Some(if is_one { Computations::Same(first) } else { computations })
}

#[cfg(test)]
mod tests {
    use super::*;
    use cubefold_formats::input::diagnostic::MAX_REPORTED;

    fn read_text(text: &str) -> Result<MessageFile, Vec<String>> {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("p.csv");
        std::fs::write(&path, text).unwrap();
        let texts = |failure: Failure| failure.texts(directory.path());
        let file = MessageFile::read(&path, &Budget::default()).map_err(texts)?;
        let wrong = file.errors(&path, None, "");
        if wrong.is_empty() { Ok(file) } else { Err(texts(Failure::Wrong(wrong))) }
    }

    #[test]
    fn rows_are_messages_in_any_order() {
        let file = read_text("stage,source,destination,units\n2,3,0,4\n0,0,1,16\n\n0,1,0,9\n").unwrap();
        assert_eq!((file.messages.len(), file.stage_count()), (3, 3));
        assert_eq!(file.messages.iter().map(|message| message.units).collect::<Vec<_>>(), [4, 16, 9]);
    }

    #[test]
    fn wrong_rows_are_told_at_their_places() {
        let wrong = read_text(
            "stage,source,destination,units\n0,0,1,0\n0,0,1,-2\n0,0,1,x\n0,0,1\n0,1048576,1,1\n\
             0,0,1,9223372036854775808\n1000000,0,1,1\n0,2,2,1\n0,0,1,3\n5,6,7,1\n0,0,1,3\n1,,0,2\n",
        )
        .unwrap_err();
        let expected = [
            "2:7: units is 0, expected an integer from 1 to 9223372036854775807",
            "3:7: units is \"-2\", expected an integer from 1 to 9223372036854775807",
            "4:7: units is \"x\", expected an integer from 1 to 9223372036854775807",
            "5:1: 3 fields, expected 4",
            "6:3: source is 1048576, expected an integer from 0 to 1048575",
            "7:7: units is 9223372036854775808, expected an integer from 1 to 9223372036854775807",
            "8:1: stage is 1000000, expected an integer from 0 to 999999",
            "9:5: process 2 sends to itself, expected another process",
            "12:1: a second message from process 0 to process 1 in stage 0, expected one; the first is in line 10",
            "13:3: source is \"\", expected an integer from 0 to 1048575",
        ];
        assert_eq!(wrong, expected.map(|line| format!("p.csv:{line}")));
    }

    #[test]
    fn files_without_messages_are_refused() {
        let header = "expected \"stage,source,destination,units\"";
        assert_eq!(read_text("").unwrap_err(), [format!("p.csv:1:1: an empty file, {header}")]);
        for text in ["a,b\n0,1\n", "source,stage,destination,units\n0,0,0,0\n"] {
            assert_eq!(read_text(text).unwrap_err(), [format!("p.csv:1:1: wrong header, {header}")]);
        }
        assert_eq!(
            read_text("stage,source,destination,units\n").unwrap_err(),
            ["p.csv:1:1: no messages, expected at least one row"]
        );
    }

    #[test]
    fn of_many_errors_the_first_are_told() {
        let rows = (0..100).map(|row| format!("{row},1,1,1\n")).collect::<Vec<_>>().concat();
        let wrong = read_text(&format!("stage,source,destination,units\n{rows}")).unwrap_err();
        assert_eq!(wrong.len(), MAX_REPORTED);
    }
}
