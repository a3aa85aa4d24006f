//! Traffic matrices: `program.kind = "traffic"`, who sends how much to whom (`docs/model.md` section 23.1).
//!
//! One stage with a message for every entry above 0, repeated `rounds` times. The format of the file is
//! recognised by its content: [`plain_matrix`] reads dense rows, triples and `QAPLIB`'s instances,
//! [`matrix_market`] Matrix Market. Entries are exact; only messages are rounded, up to units.

mod amount;
mod matrix_market;
mod other_format;
mod plain_matrix;
mod text_file;

use std::{io, path::Path};

use cubefold_collectives::MessageOrder;
use cubefold_formats::{
    format::Format,
    input::{
        Ratio, input_file,
        numpy::{MAGIC, Numbers, NumpyArray},
    },
};
use cubefold_mapping::ProcessId;
use cubefold_simulator::{Rotation, StageMessage, StageProgram};

use self::{
    amount::{Amount, NoAmount},
    other_format::{Form, form_of, format_of},
    plain_matrix::{ColumnName, Instance},
    text_file::{FileErrors, Line},
};
use super::{
    budget::{Budget, OverBudget, RowBudget},
    collective::{self, channels},
    errors::ScenarioError,
    keys::Key,
    placement_file::Failure,
    program::{ProgramKind, Reading},
    stages_file::{MAX_PROCESSES, report_unread},
    value::Content,
};
use crate::ScenarioProgram;

pub(super) static TRAFFIC: ProgramKind = ProgramKind {
    name: "traffic",
    summary: "Every process sends to others what a matrix says, in one stage or several equal ones.",
    keys: &[
        Key::ProgramFile,
        Key::ProgramForm,
        Key::ProgramMatrix,
        Key::ProgramRounds,
        Key::ProgramScale,
        Key::ProgramProcesses,
        Key::ProgramProcessesPerNode,
        Key::ProgramOrder,
    ],
    read: |reading| {
        let program = of_processes(reading, None, None)?;
        let ranks_per_node = reading.per_node()?;
        Some(ScenarioProgram { ranks_per_node, ..program })
    },
};

/// Memory per entry of a list that grows by doubling \[bytes\].
const BYTES_AN_ENTRY: u64 = 2 * size_of::<Entry>() as u64;
/// The same, with the place that lists the entry.
const BYTES_A_LISTED_ENTRY: u64 = BYTES_AN_ENTRY + 2 * size_of::<Listed>() as u64;

/// A matrix of a file.
#[derive(Debug)]
pub(super) struct TrafficFile {
    rows: u64,           // at least 1
    entries: Vec<Entry>, // above 0, off the diagonal
    diagonal: Diagonal,
    column: Option<ColumnName>,
    note: Option<String>,
    has_choice: bool, // whether files of its format have a first and a second matrix
}

/// An entry of a matrix.
#[derive(Debug, Clone, Copy)]
struct Entry {
    source: u32,
    destination: u32,
    amount: Amount,
}

/// The entries on the diagonal, which no message carries.
#[derive(Debug, Clone, Copy, Default)]
struct Diagonal {
    count: u64,
    whole: u128,   // the sum of those that are whole
    fraction: f64, // the sum of the others
}

/// Entries while they are read.
#[derive(Debug)]
struct Entries<'b> {
    rows: u64,
    above_zero: Vec<Entry>, // off the diagonal
    diagonal: Diagonal,
    listed: Option<Vec<Listed>>, // of all entries of a file that lists them by their places
    room: RowBudget<'b>,
    over: Option<OverBudget>, // once there is no room: the entries that follow are dropped
}

/// The place in the file that lists an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Listed {
    source: u32,
    destination: u32,
    line: u32,
}

impl<'b> Entries<'b> {
    /// No entries of a matrix of `rows` rows.
    fn new(rows: u64, budget: &'b Budget) -> Self {
        let room = RowBudget::new(budget, BYTES_AN_ENTRY);
        Self { rows, above_zero: vec![], diagonal: Diagonal::default(), listed: None, room, over: None }
    }

    /// No entries, of a file that lists them by their places.
    fn listed(budget: &'b Budget) -> Self {
        let room = RowBudget::new(budget, BYTES_A_LISTED_ENTRY);
        Self { listed: Some(vec![]), room, ..Self::new(0, budget) }
    }

    /// Takes the memory for an entry; returns whether there was enough, for this and all before.
    #[inline]
    fn has_room(&mut self) -> bool {
        if self.over.is_none() {
            self.over = self.room.take_row().err();
        }
        self.over.is_none()
    }

    /// Adds an entry; of a row and a column below 2^32.
    #[inline]
    fn add(&mut self, row: u64, column: u64, amount: Option<Amount>) {
        let Some(amount) = amount else { return };
        if row == column {
            self.diagonal.add(amount);
            return;
        }
        if let (Ok(source), Ok(destination), true) =
            (u32::try_from(row), u32::try_from(column), self.has_room())
        {
            self.above_zero.push(Entry { source, destination, amount });
        }
    }

    /// Adds an entry that stands in a line.
    #[inline]
    fn add_listed(&mut self, row: u64, column: u64, amount: Option<Amount>, line: Line<'_>) {
        self.add(row, column, amount);
        if let (Some(listed), Ok(source), Ok(destination), None) =
            (&mut self.listed, u32::try_from(row), u32::try_from(column), self.over)
        {
            let line = u32::try_from(line.number).unwrap_or(u32::MAX);
            listed.push(Listed { source, destination, line });
        }
    }

    /// Reports pairs that are listed twice; the file counts rows and columns from `first`.
    fn check_pairs(&mut self, first: u32, text: &str, errors: &mut FileErrors<'_>) {
        let Some(mut listed) = self.listed.take() else { return };
        listed.sort_unstable();
        let pairs = listed
            .windows(2)
            .filter(|pair| (pair[0].source, pair[0].destination) == (pair[1].source, pair[1].destination));
        let mut repeated: Vec<[Listed; 2]> = pairs.map(|pair| [pair[0], pair[1]]).collect();
        repeated.sort_unstable_by_key(|pair| (pair[1].line, pair[1].source, pair[1].destination));
        for [earlier, Listed { source, destination, line }] in repeated {
            errors.at_number(text, line as usize, || {
                format!(
                    "the pair {}, {} a second time, expected it once; the first is in line {}",
                    u64::from(source) + u64::from(first),
                    u64::from(destination) + u64::from(first),
                    u64::from(earlier.line) + 1
                )
            });
        }
    }
}

impl Diagonal {
    fn add(&mut self, amount: Amount) {
        self.count += 1;
        match amount {
            Amount::Whole(number) => self.whole += u128::from(number),
            Amount::Decimal(..) | Amount::Binary(..) => self.fraction += amount.to_f64(),
        }
    }

    /// A sentence on them, unless there are none.
    fn note(self) -> Option<String> {
        let Self { count, whole, fraction } = self;
        #[expect(clippy::cast_precision_loss, reason = "a sum in a message")]
        let sum = if fraction == 0.0 { whole.to_string() } else { (whole as f64 + fraction).to_string() };
        match count {
            0 => None,
            1 => Some(format!("1 entry on the diagonal, {sum}, is not sent")),
            count => Some(format!("{count} entries on the diagonal, {sum} in all, are not sent")),
        }
    }
}

impl TrafficFile {
    /// Reads a file as a format, else by its content; of `QAPLIB` this matrix, counted from 1.
    ///
    /// # Errors
    ///
    /// When it cannot be read, or is wrong.
    pub(super) fn read(
        path: &Path,
        matrix: Option<u64>,
        form: Option<&'static Format>,
        budget: &Budget,
    ) -> Result<Self, Failure> {
        let bytes = input_file::read(path, input_file::MAX_BYTES)
            .map_err(|error| Failure::Unreadable(io::Error::from(error).to_string()))?;
        let over = |over: OverBudget| Failure::Wrong(vec![over.of_file(path, "its matrix:")]);
        budget.take_for_a_while(2 * bytes.len() as u64, 0).map_err(over)?;
        let mut errors = FileErrors::new(path);
        let read = Self::of_bytes(path, &bytes, (matrix, form), &mut errors, budget).map_err(over)?;
        read.filter(|_| errors.is_empty()).ok_or_else(|| Failure::Wrong(errors.into_errors()))
    }

    /// The matrix of the contents of a file; `None` after an error.
    fn of_bytes(
        path: &Path,
        bytes: &[u8],
        (matrix, asked): (Option<u64>, Option<&'static Format>),
        errors: &mut FileErrors<'_>,
        budget: &Budget,
    ) -> Result<Option<Self>, OverBudget> {
        // The name identifies errors of an instance; a square matrix sometimes has the same name.
        let is_named_so = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("dat"));
        let (mut column, mut note, mut has_choice, mut form) = (None, None, false, None);
        let entries = if bytes.starts_with(MAGIC) {
            let Some(entries) = read_array(bytes, errors, budget)? else { return Ok(None) };
            entries
        } else {
            let Ok(text) = std::str::from_utf8(bytes) else {
                errors.of_file("neither a NumPy array nor a text in UTF-8");
                return Ok(None);
            };
            let text = text.strip_prefix('\u{feff}').unwrap_or(text);
            column = plain_matrix::triples_header(text).filter(|_| asked.is_none());
            if text.starts_with(matrix_market::BANNER) {
                matrix_market::read(text, errors, budget)
            } else if column.is_some() {
                plain_matrix::read_triples(text, errors, budget)
            } else if let Form::Other(other) =
                form.insert(if asked.is_none() && is_named_so && !plain_matrix::is_square(text) {
                    Form::Instance
                } else {
                    form_of(path, text, asked, errors, budget)
                })
            {
                let Some(other) = other.take() else { return Ok(None) };
                (column, note) = (other.column, other.note);
                other.entries
            } else if let Some(Form::Instance) = form {
                // A number takes at least two bytes of the file.
                budget.take_for_a_while(text.len() as u64 * Instance::BYTES_A_NUMBER / 2, 0)?;
                let Some(instance) = Instance::read(text, errors) else { return Ok(None) };
                let Some(chosen) = chosen_matrix(&instance, matrix, errors) else { return Ok(None) };
                has_choice = true;
                note = instance.has_two().then(|| {
                    let other = if chosen == 0 { "second" } else { "first" };
                    format!("the {other} matrix is not read: distances are those of the machine")
                });
                instance.entries(chosen, budget)
            } else {
                plain_matrix::read_dense(text, errors, budget)
            }
        };
        let Entries { rows, above_zero: mut entries, diagonal, room, over, .. } = entries;
        over.map_or(Ok(()), Err)?;
        if errors.is_empty() && entries.is_empty() {
            errors.of_file("nothing to send, expected an entry above 0 off the diagonal");
        }
        entries.shrink_to_fit();
        room.keep(size_of_val(&*entries) as u64);
        Ok(Some(Self { rows, entries, diagonal, column, note, has_choice }))
    }
}

/// The matrix of an instance that is the flow, counted from 0; reports two different ones without a choice.
fn chosen_matrix(instance: &Instance, asked: Option<u64>, errors: &mut FileErrors<'_>) -> Option<usize> {
    match asked {
        Some(2) if !instance.has_two() => {
            errors.of_file("one matrix, expected two for matrix = 2");
            None
        }
        Some(2) => Some(1),
        None if instance.has_two() && !instance.are_equal() => {
            errors.of_file(format!(
                "two different matrices, expected matrix = 1 or 2 to say which is the flow; their first rows are {:?} \
                 and {:?}",
                instance.first_row(0),
                instance.first_row(1)
            ));
            errors.help("files differ in the order of flow and distance");
            None
        }
        _ => Some(0),
    }
}

/// Reads a `NumPy` array.
fn read_array<'b>(
    bytes: &[u8],
    errors: &mut FileErrors<'_>,
    budget: &'b Budget,
) -> Result<Option<Entries<'b>>, OverBudget> {
    budget.take_for_a_while(NumpyArray::bytes_to_read(bytes), 0)?;
    let array = match NumpyArray::new(bytes) {
        Ok(array) => array,
        Err(message) => {
            errors.of_file(message);
            return Ok(None);
        }
    };
    let size = match array.shape[..] {
        [rows, columns] if rows == columns && (1..=MAX_PROCESSES).contains(&(rows as u64)) => rows,
        _ => {
            let most = MAX_PROCESSES;
            let shape = &array.shape;
            errors.of_file(format!(
                "an array of shape {shape:?}, expected [n, n] with n from 1 to {most} (2^20)"
            ));
            return Ok(None);
        }
    };
    let mut entries = Entries::new(size as u64, budget);
    for (row, column) in (0..size).flat_map(|row| (0..size).map(move |column| (row, column))) {
        let place = array.place(row, column);
        let amount = match &array.numbers {
            Numbers::Integers(all) => {
                Amount::whole(all[place]).map_err(|error| (error, all[place].to_string()))
            }
            Numbers::Floats(all) => {
                Amount::float(all[place]).map_err(|error| (error, in_few_digits(all[place])))
            }
        };
        match amount {
            Ok(amount) => entries.add(row as u64, column as u64, amount),
            Err((error, found)) => errors.of_entry(|| no_entry(row, column, &found, error)),
        }
    }
    Ok(Some(entries))
}

/// A number, however large or small.
fn in_few_digits(number: f64) -> String {
    let is_long = number != 0.0 && !(1e-9..1e18).contains(&number.abs());
    if is_long { format!("{number:e}") } else { number.to_string() }
}

fn no_entry(row: usize, column: usize, found: &str, error: NoAmount) -> String {
    format!("entry [{row}, {column}] is {found}, {}", error.expected())
}

/// Reads the program; `fixed` is its number of processes, if that is fixed. With `groups`, all of one size, the matrix is that
/// of the members of each group.
pub(super) fn of_processes(
    reading: &mut Reading<'_>,
    fixed: Option<u64>,
    groups: Option<&[Vec<u32>]>,
) -> Option<ScenarioProgram> {
    let settings = reading.settings;
    let natural = |key: Key| match settings.get(key) {
        Some(_) => settings.natural(key).map(Some),
        None => Some(None),
    };
    let processes = fixed.map_or_else(|| natural(Key::ProgramProcesses), |fixed| Some(Some(fixed)));
    let (matrix, form) = (natural(Key::ProgramMatrix), form(reading));
    let rounds = settings.natural(Key::ProgramRounds);
    let factor = factor(reading);
    let value = settings.required(Key::ProgramFile, "the path of a file with a matrix")?;
    let name = value.text(Key::ProgramFile.path(), settings.errors())?;
    let (matrix, form) = (matrix?, form?);
    let file = reading.library.traffic(&settings.beside(name), matrix, form);
    let file = file.map_err(|failure| report_unread(reading, value, name, failure)).ok()?;
    check_choice(reading, &file, name)?;
    let (messages, rounded) = messages(reading, &file, factor?, name)?;
    let Grouped { messages, rows, hottest } = match groups {
        None => Grouped { messages, rows: file.rows, hottest: None },
        Some(groups) => grouped(reading, &file, &messages, groups, name)?,
    };
    let processes = u32::try_from(processes?.unwrap_or(0).max(rows).max(2)).ok()?;
    let count = messages.len() as u64;
    let [while_made, kept] = StageProgram::bytes_to_make(processes.into(), 1, count);
    if let Err(over) = settings.budget().take_for_a_while(while_made, kept) {
        settings.report(over.at(&value.place, &format!("a program of {count} messages")));
        return None;
    }
    let computations = reading.computations.clone()?;
    let rounds = usize::try_from(rounds?).ok()?;
    let order = rotation(reading, processes)?;
    match StageProgram::with_stages(1, processes, computations, &messages) {
        Ok(program) => {
            let program = if let Some(rotation) = order { program.rotated(rotation) } else { program };
            let mut notes = notes(reading, &file, name, rounded, &silent(processes, &messages));
            notes.extend(hottest);
            let program = ScenarioProgram::new(&TRAFFIC, program.repeated(rounds));
            Some(ScenarioProgram { file: Some(name.to_owned()), notes, ..program })
        }
        Err(error) => {
            let message = format!("program.file {name:?}: {error}");
            settings.report(ScenarioError::at(&value.place, message, "this matrix"));
            None
        }
    }
}

/// The rotated order of the messages; `None` if they are in listed order.
#[expect(clippy::option_option, reason = "an error, listed order, or a rotation")]
fn rotation(reading: &mut Reading<'_>, processes: u32) -> Option<Option<Rotation>> {
    let order = collective::message_order(reading)?;
    let per_node = reading.per_node()?;
    let per_node = channels::ranks_per_node(reading, per_node).into();
    Some((order == MessageOrder::Rotated).then(|| Rotation::new(processes, per_node)))
}

/// The messages of a matrix of all processes, or of each group.
struct Grouped {
    messages: Vec<StageMessage>,
    rows: u64,               // the processes of the matrix, 0 if it is that of groups
    hottest: Option<String>, // a sentence on the member with the most
}

/// The messages of a matrix for every group.
fn grouped(
    reading: &mut Reading<'_>,
    file: &TrafficFile,
    messages: &[StageMessage],
    groups: &[Vec<u32>],
    name: &str,
) -> Option<Grouped> {
    check_group(reading, file, groups)?;
    let hottest = hottest(messages, file.rows, name);
    Some(Grouped { messages: in_groups(reading, messages, groups)?, rows: 0, hottest })
}

/// Reports a matrix whose number of rows differs from the members of a group.
fn check_group(reading: &mut Reading<'_>, file: &TrafficFile, groups: &[Vec<u32>]) -> Option<()> {
    let members = groups.first().map_or(0, Vec::len) as u64;
    if file.rows == members {
        return Some(());
    }
    let found = file.rows;
    let message =
        format!("a matrix of {found} rows, expected {members}: the ranks of a group along the axes of over");
    let place = reading.settings.place(Key::ProgramFile)?;
    let error = ScenarioError::at(place, message, "other groups");
    reading
        .settings
        .report(error.because(reading.settings.place(Key::ProgramOver), "the axes of the groups"));
    None
}

/// The messages of the members of a group, for every group.
fn in_groups(
    reading: &mut Reading<'_>,
    of_group: &[StageMessage],
    groups: &[Vec<u32>],
) -> Option<Vec<StageMessage>> {
    let count = (of_group.len() as u64).saturating_mul(groups.len() as u64);
    let bytes = count.saturating_mul(size_of::<StageMessage>() as u64);
    if let Err(over) = reading.settings.budget().take_for_a_while(bytes, 0) {
        let place = reading.settings.place(Key::ProgramFile)?;
        reading.settings.report(over.at(place, "the messages of its groups:"));
        return None;
    }
    let of = |group: &[u32], message: &StageMessage| {
        let [source, destination] = [message.source, message.destination]
            .map(|member| ProcessId::new(group[member.label() as usize]));
        StageMessage { source, destination, ..*message }
    };
    Some(groups.iter().flat_map(|group| of_group.iter().map(move |message| of(group, message))).collect())
}

/// A sentence on the member of a group that sends or receives the most, if members differ: it bounds every algorithm.
fn hottest(messages: &[StageMessage], members: u64, name: &str) -> Option<String> {
    let mut sums = vec![[0_u128; 2]; usize::try_from(members).ok()?]; // sent and received, by member
    for message in messages {
        sums[message.source.label() as usize][0] += u128::from(message.units);
        sums[message.destination.label() as usize][1] += u128::from(message.units);
    }
    let all: u128 = sums.iter().map(|sum| sum[0]).sum();
    let (member, units, receives) = sums
        .iter()
        .enumerate()
        .flat_map(|(member, sum)| [(member, sum[1], true), (member, sum[0], false)])
        .max_by_key(|&(member, units, receives)| (units, receives, std::cmp::Reverse(member)))?;
    if units * u128::from(members) == all {
        return None;
    }
    #[expect(clippy::cast_precision_loss, reason = "a ratio with two digits")]
    let ratio = (units * u128::from(members)) as f64 / all.max(1) as f64;
    let verb = if receives { "receives" } else { "sends" };
    Some(format!(
        "{name}: the hottest rank of a group, {member}, {verb} {units} units, {ratio:.2} times the mean; they bound the \
         step from below."
    ))
}

/// The format that `form` names, if set; reports unknown names.
#[expect(clippy::option_option, reason = "an error, nothing written, or a format")]
fn form(reading: &mut Reading<'_>) -> Option<Option<&'static Format>> {
    let Some(value) = reading.settings.get(Key::ProgramForm) else { return Some(None) };
    let name = value.text(Key::ProgramForm.path(), reading.settings.errors())?;
    let found = format_of(name);
    if found.is_none() {
        let error = value.unexpected(Key::ProgramForm.path(), "the name of a format with a matrix");
        reading.settings.report(error.with_help("cubefold inspect --list has the names"));
    }
    found.map(Some)
}

/// Reports a choice of a matrix for a file whose format has only one.
fn check_choice(reading: &mut Reading<'_>, file: &TrafficFile, name: &str) -> Option<()> {
    let Some(value) = reading.settings.get(Key::ProgramMatrix).filter(|_| !file.has_choice) else {
        return Some(());
    };
    let message = format!("program.matrix of {name:?}, which has one matrix, expected none");
    let error = ScenarioError::at(&value.place, message, "nothing to choose");
    reading.settings.report(error.with_help("files of QAPLIB have two"));
    None
}

/// The factor by which entries become units: `scale`, divided by the bytes of a unit if entries are bytes.
fn factor(reading: &mut Reading<'_>) -> Option<Ratio> {
    let scale = match reading.settings.get(Key::ProgramScale) {
        None => Ratio::from(1),
        Some(value) => {
            let text = match value.content {
                Content::Integer(_) | Content::Other => value.place.text().replace('_', ""),
                _ => String::new(),
            };
            let parsed = Amount::parse(text.as_bytes());
            let Ok(Some(amount)) = parsed else {
                let limit = match parsed {
                    Ok(_) | Err(NoAmount::Negative) => "expected a number above 0",
                    Err(other) => other.expected(),
                };
                let message = format!("{} is {}, {limit}", Key::ProgramScale.path(), value.describe());
                let error = ScenarioError::at(&value.place, message, "no factor of sizes");
                let help =
                    "a decimal number above 0 and below 2^63, with at most 19 digits, and 30 after the point";
                reading.settings.report(error.with_help(help));
                return None;
            };
            amount.ratio()
        }
    };
    match reading.machine.timing.scale() {
        Some(physical) => scale.over(Ratio::from(physical.unit_bytes())),
        None => Some(scale),
    }
}

/// The messages of a file, and the number of those that were rounded up.
fn messages(
    reading: &mut Reading<'_>,
    file: &TrafficFile,
    factor: Ratio,
    name: &str,
) -> Option<(Vec<StageMessage>, u64)> {
    let budget = reading.settings.budget();
    let value = reading.settings.get(Key::ProgramFile)?;
    let bytes = (file.entries.len() as u64).saturating_mul(size_of::<StageMessage>() as u64);
    if let Err(over) = budget.take_for_a_while(bytes, 0) {
        reading.settings.report(over.at(&value.place, "its messages:"));
        return None;
    }
    let (mut messages, mut rounded) = (Vec::with_capacity(file.entries.len()), 0);
    for &Entry { source, destination, amount } in &file.entries {
        let Some((units, is_rounded)) = amount.scaled_up(factor) else {
            let message = format!(
                "the message from process {source} to process {destination} of {name:?} has 2^63 units or more, \
                 expected less"
            );
            let place = reading.settings.place(Key::ProgramScale).unwrap_or(&value.place);
            reading.settings.report(ScenarioError::at(place, message, "too much"));
            return None;
        };
        rounded += u64::from(is_rounded);
        let [source, destination] = [source, destination].map(ProcessId::new);
        messages.push(StageMessage { stage: 0, source, destination, units });
    }
    Some((messages, rounded))
}

/// The processes without messages, for a note.
fn silent(processes: u32, messages: &[StageMessage]) -> Vec<u32> {
    let mut is_silent = vec![true; processes as usize];
    for message in messages {
        for process in [message.source, message.destination] {
            is_silent[process.label() as usize] = false;
        }
    }
    (0..processes).filter(|&process| is_silent[process as usize]).collect()
}

/// Notes on entries that are not sent, not read or reinterpreted, on rounded messages, and on silent processes.
fn notes(reading: &Reading<'_>, file: &TrafficFile, name: &str, rounded: u64, silent: &[u32]) -> Vec<String> {
    let has_link = reading.machine.timing.scale().is_some();
    let entries = match file.column {
        Some(ColumnName::Units) if has_link => {
            Some("the column units is read as bytes, because the machine has a bandwidth".to_owned())
        }
        Some(ColumnName::Bytes) if !has_link => {
            Some("the column bytes is read as units, because the machine has no bandwidth".to_owned())
        }
        _ => None,
    };
    let rounded = match rounded {
        0 => None,
        1 => Some("1 message is rounded up to whole units".to_owned()),
        count => Some(format!("{count} messages are rounded up to whole units")),
    };
    let silent = match silent {
        [] => None,
        [only] => Some(format!("process {only} has no messages")),
        [first, ..] => Some(format!("{} processes have no messages, the first is {first}", silent.len())),
    };
    let all = [file.note.clone(), file.diagonal.note(), entries, rounded, silent];
    all.into_iter().flatten().map(|note| format!("{name}: {note}.")).collect()
}
