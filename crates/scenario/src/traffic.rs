//! Traffic matrices: `program.kind = "traffic"`, who sends how much to whom (`docs/model.md` section 23.1).
//!
//! One stage with a message for every entry above 0, repeated `rounds` times. [`form`] recognises the format of the
//! file by its content. Entries are exact; only messages are rounded, up to units.

mod amount;
mod entries;
mod form;
mod matrix_file;
mod matrix_market;
mod plain_matrix;
mod text_file;

use cubefold_collectives::MessageOrder;
use cubefold_formats::{format::Format, input::Ratio};
use cubefold_mapping::ProcessId;
use cubefold_simulator::{Rotation, StageMessage, StageProgram};

pub(super) use self::matrix_file::TrafficFile;
use self::{
    amount::{Amount, NoAmount},
    entries::Entry,
    form::{format_of, matrix_formats},
};
use super::{
    collective::{self, channels},
    errors::{ScenarioError, alternatives},
    keys::Key,
    program::{ProgramKind, Reading},
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
    let file = file.map_err(|failure| failure.report(settings.errors(), value, "program file", name)).ok()?;
    check_choice(reading, &file, name)?;
    // One process more than its ranks 1 to n: then rank 0 is silent.
    let first = u32::from(file.is_from_1 && groups.is_none() && processes? == Some(file.rows + 1));
    let (messages, rounded) = messages(reading, &file, first, factor?, name)?;
    let (messages, rows, hottest) = match groups {
        None => (messages, file.rows, None),
        Some(groups) => {
            check_group(reading, &file, groups)?;
            // The rows of such a matrix are members, and set no least number of processes.
            (in_groups(reading, &messages, groups)?, 0, hottest(&messages, file.rows, name))
        }
    };
    let processes = u32::try_from(processes?.unwrap_or(0).max(rows).max(2)).ok()?;
    let count = messages.len() as u64;
    let bytes = StageProgram::bytes_to_make(processes.into(), 1, count);
    settings.take(bytes, &value.place, &format!("a program of {count} messages"))?;
    let computations = reading.computations.clone()?;
    let rounds = usize::try_from(rounds?).ok()?;
    let order = rotation(reading, processes)?;
    match StageProgram::with_stages(1, processes, computations, &messages) {
        Ok(program) => {
            let program = if let Some(rotation) = order { program.rotated(rotation) } else { program };
            let mut notes = notes(reading, &file, name, rounded, &silent(processes, &messages));
            if file.is_from_1 && first == 0 {
                notes.push(format!("{name}: ranks are counted from 1 in the file, from 0 here."));
            }
            notes.extend(hottest);
            let program = ScenarioProgram::new(&TRAFFIC, program.repeated(rounds));
            Some(ScenarioProgram { file: Some(name.to_owned()), notes, ..program })
        }
        Err(error) => {
            let message = format!("program.file {name:?}: {error}");
            settings.fail(ScenarioError::at(&value.place, message, "this matrix"))
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
    reading.settings.fail(error.because(reading.settings.place(Key::ProgramOver), "the axes of the groups"))
}

/// The messages of the members of a group, for every group.
fn in_groups(
    reading: &mut Reading<'_>,
    of_group: &[StageMessage],
    groups: &[Vec<u32>],
) -> Option<Vec<StageMessage>> {
    let count = (of_group.len() as u64).saturating_mul(groups.len() as u64);
    let bytes = count.saturating_mul(size_of::<StageMessage>() as u64);
    let place = reading.settings.place(Key::ProgramFile)?;
    reading.settings.take([bytes, 0], place, "the messages of its groups:")?;
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
        let expected = format!("the name of a format with a matrix: {}", alternatives(&matrix_formats()));
        let error = value.unexpected(Key::ProgramForm.path(), expected);
        reading.settings.report(error.with_help("cubefold inspect --list describes them"));
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
    reading.settings.fail(error.with_help("files of QAPLIB have two"))
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
                return reading.settings.fail(error.with_help(help));
            };
            amount.ratio()
        }
    };
    match reading.machine.timing.scale() {
        Some(physical) => scale.over(Ratio::from(physical.unit_bytes())),
        None => Some(scale),
    }
}

/// The messages of a file, whose first rank has the number `first`, and the number of those that were rounded up.
fn messages(
    reading: &mut Reading<'_>,
    file: &TrafficFile,
    first: u32,
    factor: Ratio,
    name: &str,
) -> Option<(Vec<StageMessage>, u64)> {
    let value = reading.settings.get(Key::ProgramFile)?;
    let bytes = (file.entries.len() as u64).saturating_mul(size_of::<StageMessage>() as u64);
    reading.settings.take([bytes, 0], &value.place, "its messages:")?;
    let (mut messages, mut rounded) = (Vec::with_capacity(file.entries.len()), 0);
    for &Entry { source, destination, amount } in &file.entries {
        let Some((units, is_rounded)) = amount.scaled_up(factor) else {
            let message = format!(
                "the message from process {source} to process {destination} of {name:?} has 2^63 units or more, \
                 expected less"
            );
            let place = reading.settings.place(Key::ProgramScale).unwrap_or(&value.place);
            return reading.settings.fail(ScenarioError::at(place, message, "too much"));
        };
        rounded += u64::from(is_rounded);
        let [source, destination] = [source, destination].map(|rank| ProcessId::new(rank + first));
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
    let entries = match file.unit {
        "units" if has_link => {
            Some("the column units is read as bytes, because the machine has a bandwidth".to_owned())
        }
        "bytes" if !has_link => {
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
