//! Placement files: the node of every process, as `place --format csv` writes them.
//!
//! ```text
//! process,p_1,p_2
//! 0,0,0
//! 1,1,0
//! ```
//!
//! Rows may be in any order. The file is read as a stream: only the process, the node and the start of each
//! row are kept, and the text of a wrong row is read again.

use std::{
    fs::File,
    io::{self, BufRead, BufReader, Read, Seek, SeekFrom},
    ops::{Range, RangeInclusive},
    path::Path,
    str::FromStr,
};

use csv::{ByteRecord, Reader, ReaderBuilder};
use cubefold_formats::{
    format::Complaint,
    input::{
        diagnostic::{MAX_REPORTED, missing_processes},
        input_file::{self, InputError},
        line_limit::LineLimit,
        region::Region,
        text::described,
    },
    value::Kind,
};
use cubefold_mapping::{Placement, PlacementTable, ProcessId};
use cubefold_topology::NodeId;

use super::{
    asked_file,
    budget::{Budget, RowBudget},
    errors::{Errors, ScenarioError, and_more},
    source_file::{Place, ReadError, SourceFile},
    value::Value,
};

/// The help for files of other forms that place ranks.
const OF_LAUNCHERS: &str =
    "a file that a launcher reads has a format: { file = \"..\", format = \"slurm-hostfile\" }";

/// A file that gives no placement.
#[derive(Debug, Clone)]
pub(super) enum Failure {
    /// It cannot be read, with the operating system's reason.
    Unreadable(String),
    /// It has errors.
    Wrong(Vec<ScenarioError>),
}

impl Failure {
    pub(super) fn of_file(path: &Path, message: impl Into<String>) -> Self {
        ScenarioError::of_file(path, message).into()
    }

    /// The complaints of a format, as errors of the whole file.
    pub(super) fn complaints(path: &Path, complaints: &[Complaint]) -> Self {
        let error = |complaint: &Complaint| ScenarioError::of_file(path, &complaint.message);
        Self::Wrong(complaints.iter().map(error).collect())
    }

    /// The failure of a file that cannot be read as text; messages call it `what`.
    pub(super) fn unread(path: &Path, what: &str, error: ReadError) -> Self {
        match error {
            ReadError::Input(error) => error.into(),
            ReadError::NotUtf8(_) | ReadError::OverBudget(_) => {
                Self::of_file(path, format!("{what} {error}"))
            }
        }
    }

    /// Reports the errors of the file that `value` calls `name`; messages call it `what`.
    pub(super) fn report(self, errors: &Errors, value: &Value, what: &str, name: &str) {
        match self {
            Self::Wrong(wrong) => errors.report_all(wrong),
            Self::Unreadable(reason) => {
                let message = format!("{what} {name:?} cannot be read: {reason}");
                let error = ScenarioError::at(&value.place, message, "named here");
                errors.report(error.with_help("paths are relative to the scenario file"));
            }
        }
    }

    /// One error instead of many if the file does not hold the places of ranks.
    fn or_misfit(self, path: &Path) -> Self {
        match (&self, asked_file::misfit(path, Kind::Ranks)) {
            (Self::Wrong(_), Some(error)) => error.with_help(OF_LAUNCHERS).into(),
            _ => self.or_binary(path, "a placement, a row a process"),
        }
    }

    /// One error instead of many if the file is surely of a format that the key does not accept.
    pub(super) fn or_other_format(self, path: &Path, expected: &str, accepted: &[&str]) -> Self {
        match (&self, asked_file::other_format_of(path, expected, accepted)) {
            (Self::Wrong(_), Some(error)) => error.into(),
            _ => self.or_binary(path, expected),
        }
    }

    /// One error instead of many if the file is not text.
    fn or_binary(self, path: &Path, expected: &str) -> Self {
        match (&self, input_file::foreign_kind(path)) {
            (Self::Wrong(_), Some(kind)) => {
                Self::of_file(path, format!("the file is {kind}, expected {expected}"))
            }
            _ => self,
        }
    }
}

#[cfg(test)]
impl Failure {
    /// The errors with paths relative to a folder, or the reason why the file cannot be read.
    pub(super) fn texts(&self, folder: &Path) -> Vec<String> {
        let prefix = format!("{}/", folder.display());
        match self {
            Self::Unreadable(reason) => vec![reason.clone()],
            Self::Wrong(errors) => {
                errors.iter().map(|error| error.to_string().replace(&prefix, "")).collect()
            }
        }
    }
}

impl From<ScenarioError> for Failure {
    fn from(error: ScenarioError) -> Self {
        Self::Wrong(vec![error])
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Unreadable(error.to_string())
    }
}

impl From<InputError> for Failure {
    fn from(error: InputError) -> Self {
        io::Error::from(error).into()
    }
}

impl From<csv::Error> for Failure {
    fn from(error: csv::Error) -> Self {
        io::Error::from(error).into()
    }
}

/// Opens a file of comma-separated rows, the first of which is its header.
pub(super) fn open_rows(path: &Path) -> Result<Reader<LineLimit<File>>, Failure> {
    let file = LineLimit::new(input_file::open(path)?);
    Ok(ReaderBuilder::new().has_headers(false).flexible(true).from_reader(file))
}

/// Reads the placement of `processes` processes on `region`.
///
/// # Errors
///
/// If the file cannot be read or is wrong: the first errors, the last of them with the number of omitted
/// ones.
pub(super) fn read(
    path: &Path,
    processes: u64,
    region: Region<'_>,
    budget: &Budget,
) -> Result<Placement, Failure> {
    read_placement(path, processes, region, budget).map_err(|failure| failure.or_misfit(path))
}

fn read_placement(
    path: &Path,
    processes: u64,
    region: Region<'_>,
    budget: &Budget,
) -> Result<Placement, Failure> {
    let mut reading = Reading {
        processes,
        region,
        texts: RowTexts::new(path),
        rows: vec![],
        unknown_processes: 0,
        errors: vec![],
        wrong: 0,
    };
    let mut rows = RowBudget::new(budget, size_of::<Row>() as u64);
    reading.read_rows(&mut rows)?;
    rows.keep(0);
    reading.sort_rows();
    reading.report_missing();
    if reading.wrong == 0 {
        let nodes = reading.rows.iter().map(|row| row.node).collect();
        match PlacementTable::new(region.machine, nodes) {
            Ok(table) => return Ok(Placement::Table(table)),
            Err(error) => reading.report(|texts| texts.wrong(0, None, &error.to_string())),
        }
    }
    Err(Failure::Wrong(reading.into_errors()))
}

/// A file while it is read.
struct Reading<'a> {
    processes: u64,
    region: Region<'a>,
    texts: RowTexts<'a>,
    rows: Vec<Row>,
    unknown_processes: u64,     // rows with an invalid process
    errors: Vec<ScenarioError>, // at most MAX_REPORTED
    wrong: u64,                 // errors, reported or not
}

impl<'a> Reading<'a> {
    /// Adds an error; errors after the first [`MAX_REPORTED`] are only counted.
    fn report(&mut self, error: impl FnOnce(&RowTexts<'a>) -> ScenarioError) {
        self.wrong += 1;
        if self.errors.len() < MAX_REPORTED {
            self.errors.push(error(&self.texts));
        }
    }

    fn into_errors(self) -> Vec<ScenarioError> {
        let left_out = self.wrong - self.errors.len() as u64;
        and_more(self.errors, left_out)
    }

    fn read_rows(&mut self, rows: &mut RowBudget<'_>) -> Result<(), Failure> {
        let mut reader = open_rows(self.texts.path)?;
        let mut record = ByteRecord::new();
        if !reader.read_byte_record(&mut record)? {
            let expected = self.header();
            self.report(|texts| texts.wrong(0, None, &format!("an empty file, expected \"{expected}\"")));
            return Ok(());
        }
        if !self.check_header(&record) {
            return Ok(());
        }
        while reader.read_byte_record(&mut record)? {
            rows.take_row().map_err(|over| over.of_file(self.texts.path, "its rows:"))?;
            self.read_row(&record);
        }
        Ok(())
    }

    /// The header for the dimensions of the machine.
    fn header(&self) -> String {
        let coordinates = 1..=self.region.machine.shape().dimension_count();
        coordinates.fold("process".to_owned(), |header, number| format!("{header},p_{number}"))
    }

    /// Checks the header. Returns whether it has the right number of columns, so that rows can be read.
    fn check_header(&mut self, record: &ByteRecord) -> bool {
        let expected = self.header();
        let same = record.iter().eq(expected.split(',').map(str::as_bytes));
        let width = self.region.machine.shape().dimension_count() + 1;
        if !same {
            let message = format!("wrong header, expected \"{expected}\"");
            self.report(|texts| texts.wrong(0, None, &message).with_help(OF_LAUNCHERS));
        }
        record.len() == width
    }

    fn read_row(&mut self, record: &ByteRecord) {
        let start = record.position().map_or(0, csv::Position::byte);
        let width = self.region.machine.shape().dimension_count() + 1;
        if record.len() != width {
            self.unknown_processes += 1;
            let message = format!("{} fields, expected {width}", record.len());
            self.report(|texts| texts.wrong(start, None, &message));
            return;
        }
        let process = self.number(record, start, 0, 0..=self.processes - 1).map(ProcessId::new);
        let node = self.node(record, start);
        match process {
            Some(process) => self.rows.push(Row { process, node, start }),
            None => self.unknown_processes += 1,
        }
    }

    /// The node at the coordinates of a row; reports wrong ones and returns node 0 for them.
    fn node(&mut self, record: &ByteRecord, start: u64) -> NodeId {
        let machine = self.region.machine;
        let mut index = 0;
        for dimension in machine.shape().dimensions() {
            let range = self.region.coordinates_along(dimension);
            let base = *range.start();
            let coordinate = self.number(record, start, dimension.number(), range).map_or(base, u64::from);
            index += (coordinate - base) * machine.shape().stride(dimension);
        }
        machine.node(index).unwrap_or(NodeId::new(0))
    }

    /// The number in a field; reports an error and returns `None` if it is not a number in `range`.
    fn number(
        &mut self,
        record: &ByteRecord,
        start: u64,
        field: usize,
        range: RangeInclusive<u64>,
    ) -> Option<u32> {
        let text = record.get(field).unwrap_or_default();
        let number: Option<u32> = decimal(text);
        if number.is_none_or(|number| !range.contains(&u64::from(number))) {
            let name = if field == 0 { "process".to_owned() } else { format!("p_{field}") };
            let found = described(&String::from_utf8_lossy(text));
            let (least, greatest) = (range.start(), range.end());
            let message = format!("{name} is {found}, expected an integer from {least} to {greatest}");
            self.report(|texts| texts.wrong(start, Some(field), &message));
            return None;
        }
        number
    }

    /// Sorts the rows by process and reports processes with several rows.
    fn sort_rows(&mut self) {
        if self.rows.is_sorted_by(|one, next| one.process < next.process) {
            return;
        }
        // Of several rows of a process, the first in the file stays first.
        self.rows.sort_unstable_by_key(|row| (row.process, row.start));
        let rows = std::mem::take(&mut self.rows);
        for pair in rows.windows(2).filter(|pair| pair[0].process == pair[1].process) {
            let message = format!("process {} a second time, expected every process once", pair[1].process);
            self.report(|texts| texts.wrong(pair[1].start, Some(0), &message));
        }
        self.rows = rows;
        self.rows.dedup_by_key(|row| row.process);
    }

    /// Reports processes without a row, unless rows with invalid processes may be theirs.
    fn report_missing(&mut self) {
        let missing = self.processes - self.rows.len() as u64;
        // After a header of the wrong width, no row is read.
        let unread = self.rows.is_empty() && self.wrong > 0;
        if missing <= self.unknown_processes || unread {
            return;
        }
        let missing = missing_processes(self.rows.iter().map(|row| row.process), self.processes);
        let last = self.processes - 1;
        let message = format!("no row for process {missing}, expected a row for each of 0 to {last}");
        self.report(|texts| texts.wrong(0, None, &message));
    }
}

/// Parses a decimal number that fits the type.
pub(super) fn decimal<T: FromStr>(text: &[u8]) -> Option<T> {
    if !text.iter().all(u8::is_ascii_digit) {
        return None;
    }
    std::str::from_utf8(text).ok()?.parse().ok()
}

/// Size limit of the part of a row that an error shows \[bytes\].
const MAX_SHOWN: u64 = 4096;

/// A valid row.
#[derive(Debug, Clone, Copy)]
struct Row {
    process: ProcessId,
    node: NodeId,
    start: u64, // byte of the file at or before which it begins, with only line ends between
}

/// Reads the text of rows for errors.
#[derive(Debug)]
pub(super) struct RowTexts<'a> {
    path: &'a Path,
}

impl<'a> RowTexts<'a> {
    pub(super) fn new(path: &'a Path) -> Self {
        Self { path }
    }

    /// The error at a field of the row that starts at `start`, or at the whole row.
    pub(super) fn wrong(&self, start: u64, field: Option<usize>, message: &str) -> ScenarioError {
        // If the file has been deleted since it was read, the error still names it.
        match self.fetch(start) {
            Ok((text, lines_before)) => {
                let span = field.and_then(|field| field_span(&text, field)).unwrap_or(0..text.len());
                let source = SourceFile::excerpt(self.path, text, lines_before);
                ScenarioError::at(&Place::new(&source, span), message, "here")
            }
            Err(_) => ScenarioError::of_file(self.path, message),
        }
    }

    /// The line, counted from 1, of the row that starts at `start`; `None` if the file was deleted.
    pub(super) fn line(&self, start: u64) -> Option<usize> {
        self.fetch(start).ok().map(|(_, lines_before)| lines_before + 1)
    }

    /// The first non-empty line after a byte, and the number of lines before it.
    fn fetch(&self, start: u64) -> io::Result<(String, usize)> {
        let mut file = File::open(self.path)?;
        let mut lines_before = count_lines(&mut (&mut file).take(start))?;
        file.seek(SeekFrom::Start(start))?;
        let mut reader = BufReader::new(file).take(MAX_SHOWN);
        loop {
            let mut line = vec![];
            if reader.read_until(b'\n', &mut line)? == 0 {
                return Ok((String::new(), lines_before));
            }
            let text = String::from_utf8_lossy(&line);
            let text = text.trim_end_matches(['\n', '\r']);
            if !text.is_empty() {
                return Ok((text.to_owned(), lines_before));
            }
            lines_before += 1;
        }
    }
}

fn count_lines(reader: &mut impl Read) -> io::Result<usize> {
    let mut reader = BufReader::new(reader);
    let mut lines = 0;
    loop {
        let buffer = reader.fill_buf()?;
        if buffer.is_empty() {
            return Ok(lines);
        }
        lines += buffer.split(|&byte| byte == b'\n').count() - 1;
        let length = buffer.len();
        reader.consume(length);
    }
}

/// The bytes of a field in a row without quotes.
fn field_span(row: &str, field: usize) -> Option<Range<usize>> {
    if row.contains('"') {
        return None;
    }
    let mut start = 0;
    for (index, text) in row.split(',').enumerate() {
        if index == field {
            return Some(start..start + text.len());
        }
        start += text.len() + 1;
    }
    None
}

#[cfg(test)]
mod tests;
