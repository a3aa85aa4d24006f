//! Random accesses: `program.kind = "random-access"`, a read or a write of the data of other processes
//! (`docs/model.md` section 28.3).

use cubefold_mapping::ProcessId;
use cubefold_simulator::{Access, Collisions, RandomAccess, StageProgram};

use super::{
    errors::ScenarioError,
    keys::Key,
    message_sizes::ByStage,
    pair_file::{PairFile, WrongPair},
    program::{ProgramKind, Reading},
    stages_file::MAX_PROCESSES,
    value::{Content, Value},
};
use crate::ScenarioProgram;

pub(super) static RANDOM_ACCESS: ProgramKind = ProgramKind {
    name: "random-access",
    summary: "Every process reads the data of a process that it names, or writes its own there.",
    keys: &[
        Key::ProgramAccess,
        Key::ProgramIndices,
        Key::ProgramCollisions,
        Key::ProgramProcesses,
        Key::ProgramProcessesPerNode,
        Key::ProgramUnits,
        Key::ProgramBytes,
    ],
    read,
};

/// Prefix of the path of a file of indices.
const FILE_PREFIX: &str = "file:";

fn read(reading: &mut Reading<'_>) -> Option<ScenarioProgram> {
    let settings = reading.settings;
    let sizes = reading.sizes(ByStage::No);
    let access = access(reading);
    let expected = format!("a list of processes, one for each process, or {FILE_PREFIX}PATH");
    let value = settings.required(Key::ProgramIndices, &expected)?;
    let per_node = reading.per_node()?;
    let named = match &value.content {
        Content::List(entries) => listed(reading, value, entries)?,
        Content::Text(text) if text.starts_with(FILE_PREFIX) => {
            of_file(reading, value, &text[FILE_PREFIX.len()..], per_node)?
        }
        _ => {
            let expected = format!("a list of processes, or {FILE_PREFIX}PATH");
            return settings.fail(value.unexpected(Key::ProgramIndices.path(), expected));
        }
    };
    let processes = named.len() as u64;
    let bytes = StageProgram::bytes_to_make(processes, 2, 2 * processes);
    settings.take(bytes, &value.place, &format!("a random access of {processes} processes"))?;
    let (sizes, computations) = (sizes?, reading.computations.clone()?);
    let units = sizes.units.uniform().unwrap_or(1);
    match RandomAccess::new(access?, named, computations, units) {
        Ok(program) => {
            let file = match &value.content {
                Content::Text(text) => text.clone(),
                _ => "a list".to_owned(),
            };
            let program = ScenarioProgram::new(&RANDOM_ACCESS, program);
            Some(ScenarioProgram {
                file: Some(file),
                bytes: sizes.bytes,
                ranks_per_node: per_node,
                ..program
            })
        }
        Err(error) => {
            let message = format!("program.indices: {error}");
            settings.fail(ScenarioError::at(&value.place, message, "these processes"))
        }
    }
}

fn access(reading: &mut Reading<'_>) -> Option<Access> {
    let settings = reading.settings;
    let kinds = [Access::Read, Access::Write(Collisions::Last)];
    let access = settings.one_of(Key::ProgramAccess, &kinds, Access::name);
    let rule = settings.one_of(Key::ProgramCollisions, &Collisions::ALL, Collisions::name);
    match (access?, settings.get(Key::ProgramCollisions)) {
        (Access::Read, Some(value)) => {
            let message = "program.collisions of a read, expected a write";
            let error = ScenarioError::at(&value.place, message, "nothing is written");
            settings.fail(error.because(settings.place(Key::ProgramAccess), "the access"))
        }
        (Access::Read, None) => Some(Access::Read),
        (Access::Write(_), _) => rule.map(Access::Write),
    }
}

/// The processes named in a list, one for each process.
fn listed(reading: &mut Reading<'_>, value: &Value, entries: &[Value]) -> Option<Vec<Option<ProcessId>>> {
    let processes = entries.len() as u64;
    if let Some(given) = reading.settings.get(Key::ProgramProcesses) {
        let count = reading.settings.natural(Key::ProgramProcesses)?;
        if count != processes {
            let message = format!("{count} processes, but program.indices has {processes}");
            let error = ScenarioError::at(&given.place, message, "another number");
            return reading.settings.fail(error.because(Some(&value.place), "the indices"));
        }
    }
    if !(2..=MAX_PROCESSES).contains(&processes) {
        let message =
            format!("program.indices of {processes} processes, expected 2 to {MAX_PROCESSES} (2^20)");
        return reading.settings.fail(ScenarioError::at(&value.place, message, "one entry for each process"));
    }
    let mut named = vec![];
    for entry in entries {
        let process = match &entry.content {
            Content::Integer(Some(process)) if *process < processes => {
                u32::try_from(*process).ok().map(ProcessId::new)
            }
            Content::Integer(None) if entry.place.text().trim() == "-1" => None,
            _ => {
                let expected = format!("a process from 0 to {}, or -1 for none", processes - 1);
                return reading.settings.fail(entry.unexpected("an entry of program.indices", expected));
            }
        };
        named.push(process);
    }
    Some(named)
}

/// The processes named in a file with the columns process and index; omitted processes name none.
fn of_file(
    reading: &mut Reading<'_>,
    value: &Value,
    name: &str,
    per_node: u64,
) -> Option<Vec<Option<ProcessId>>> {
    let settings = reading.settings;
    let processes = match settings.get(Key::ProgramProcesses) {
        Some(_) => settings.natural(Key::ProgramProcesses)?,
        None => reading.machine.machine.as_ref()?.host_count().saturating_mul(per_node),
    };
    let file = PairFile { what: "indices", name, header: "process,index" };
    let named = if (2..=MAX_PROCESSES).contains(&processes) {
        file.rows(settings).and_then(|rows| named(&rows, processes))
    } else {
        Err((None, format!("{processes} processes, expected 2 to {MAX_PROCESSES} (2^20)")))
    };
    settings.errors().value_of(named.map_err(|wrong| file.error(value, wrong)))
}

/// The process that each process names; -1, or no row, stands for none.
fn named(rows: &[(usize, [i64; 2])], processes: u64) -> Result<Vec<Option<ProcessId>>, WrongPair> {
    let mut named: Vec<Option<Option<ProcessId>>> = (0..processes).map(|_| None).collect();
    for &(line, [process, index]) in rows {
        let wrong = |reason: String| Err((Some(line), reason));
        let Some(entry) = usize::try_from(process).ok().and_then(|process| named.get_mut(process)) else {
            return wrong(format!("process {process}, expected 0 to {}", processes - 1));
        };
        if entry.is_some() {
            return wrong(format!("a second index of process {process}, expected one"));
        }
        *entry = Some(match u32::try_from(index) {
            _ if index == -1 => None,
            Ok(index) if u64::from(index) < processes => Some(ProcessId::new(index)),
            _ => return wrong(format!("index {index}, expected 0 to {}, or -1 for none", processes - 1)),
        });
    }
    Ok(named.into_iter().map(Option::flatten).collect())
}
