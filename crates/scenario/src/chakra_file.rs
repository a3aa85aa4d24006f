//! Task graphs from Chakra execution traces and from traces of profilers: `program.kind = "chakra"` and `"trace"`
//! (`docs/model.md` section 23.4).
//!
//! Each rank has a trace with its computations and messages, and the dependencies of each operation. [`TraceSet`] holds
//! the contents of the files, which do not depend on the machine; [`Lowering`] makes a task graph of them, in which
//! collectives are the stages of their algorithms.

mod collective_trace;
mod process_groups;
mod task_program;
mod trace_reader;
mod trace_set;
mod trace_times;

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::Arc,
};

use cubefold_collectives::{Algorithm, OPERATIONS, Operation};
use cubefold_formats::input::Ratio;
use cubefold_simulator::TaskGraph;
use cubefold_topology::Machine;

use self::{
    task_program::{Lowering, LoweringError},
    trace_set::NodePlace,
};
use super::{
    errors::{ScenarioError, alternatives, help},
    keys::Key,
    program::{ProgramKind, Reading},
    settings::Settings,
    stages_file::report_unread,
    value::{Content, Value},
};
use crate::ScenarioProgram;

pub(super) use self::{
    collective_trace::CollectiveTraces,
    trace_set::{RANK, TraceSet},
};
pub use self::{task_program::TraceProgram, trace_times::TraceTimes};

pub(super) static CHAKRA: ProgramKind = ProgramKind {
    name: "chakra",
    summary: "Chakra execution traces: what each rank computes and sends, with collectives by chosen algorithms.",
    keys: &[
        Key::ProgramFile,
        Key::ProgramDependencies,
        Key::ProgramGroups,
        Key::ProgramStreams,
        Key::ProgramAlgorithms,
        Key::ProgramProcessesPerNode,
    ],
    read,
};

pub(super) static TRACE: ProgramKind = ProgramKind {
    name: "trace",
    summary: "A profiler's trace of collectives: of one rank, which all ranks run, or of all.",
    keys: &[Key::ProgramFile, Key::ProgramAlgorithms, Key::ProgramProcessesPerNode],
    read: read_collectives,
};

/// The words for the kinds of dependencies that operations wait for.
pub(super) const DEPENDENCIES: [&str; 2] = ["data", "both"];

/// Whether the program is made of traces.
pub(super) fn is_of_traces(settings: &Settings<'_>) -> bool {
    let kind = settings.get(Key::ProgramKind).map(|kind| &kind.content);
    matches!(kind, Some(Content::Text(kind)) if kind == CHAKRA.name || kind == TRACE.name)
}

/// Reads the program of traces.
fn read(reading: &mut Reading<'_>) -> Option<ScenarioProgram> {
    let (dependencies, streams, algorithms) = (dependencies(reading), streams(reading), algorithms(reading));
    let (value, pattern, set) = read_traces(reading)?;
    let choices = Choices { has_control: dependencies?, has_streams: streams?, algorithms: algorithms? };
    let notes = set.notes(choices.has_control);
    let program = lowered(reading, &CHAKRA, (value, &pattern), &set, choices)?;
    Some(ScenarioProgram { notes, ..program })
}

/// Reads the program of a profiler's trace.
fn read_collectives(reading: &mut Reading<'_>) -> Option<ScenarioProgram> {
    let algorithms = algorithms(reading);
    let settings = reading.settings;
    let Some(value) = settings.get(Key::ProgramFile) else {
        let expected = "the path of a trace, or of the traces of all ranks such as \"trace.{rank}.json\"";
        return settings.refuse(settings.missing(Key::ProgramFile, expected));
    };
    let name = value.text(Key::ProgramFile.path(), settings.errors())?;
    let path = settings.beside(name);
    let traces = match reading.library.collective_traces(&path) {
        Ok(traces) => traces,
        Err(failure) => {
            report_unread(reading, value, name, failure);
            return None;
        }
    };
    let choices = Choices { has_control: false, has_streams: false, algorithms: algorithms? };
    let program = lowered(reading, &TRACE, (value, &path), &traces.set, choices)?;
    let notes = traces.notes.iter().map(|note| format!("{name}: {note}.")).collect();
    Some(ScenarioProgram { notes, ..program })
}

/// The choices that turn traces into a program.
struct Choices {
    has_control: bool,
    has_streams: bool,
    algorithms: BTreeMap<Operation, Algorithm>,
}

/// Makes a program from the traces in the files `pattern`, which `value` names.
fn lowered(
    reading: &mut Reading<'_>,
    kind: &'static ProgramKind,
    (value, pattern): (&Value, &Path),
    set: &Arc<TraceSet>,
    choices: Choices,
) -> Option<ScenarioProgram> {
    let (overhead, per_node) = (reading.compute()?, reading.per_node()?);
    let name = value.text(Key::ProgramFile.path(), reading.settings.errors())?;
    let scale = reading.machine.timing.scale();
    let units = |bytes: u64| match scale {
        Some(scale) => scale.units(Ratio::from(bytes)).unwrap_or(u64::MAX),
        None => bytes,
    };
    let lowering = Lowering {
        set,
        has_control: choices.has_control,
        has_streams: choices.has_streams,
        algorithms: choices.algorithms,
        unit_bytes: scale.map_or(1, |scale| scale.unit_bytes()),
        units: &units,
        budget: reading.settings.budget(),
        pattern,
    };
    let (schedule, traces) = match lowering.schedule() {
        Ok(made) => made,
        Err(error) => {
            report(reading, value, name, set, error);
            return None;
        }
    };
    let schedule = Arc::new(schedule);
    let graph = match scale {
        None => TaskGraph::new(schedule, overhead),
        Some(scale) => {
            // Times above 2^63 cycles and sizes above 2^63 units are refused before a run.
            let seconds = |time: u64| Ratio::from(time).over(Ratio::from(1_000_000_000));
            let cycles = |time| seconds(time).and_then(|time| scale.cycles(time)).unwrap_or(u64::MAX);
            TaskGraph::scaled(schedule, overhead, cycles, units)
        }
    };
    Some(ScenarioProgram {
        file: Some(name.to_owned()),
        traces: Some(Arc::new(traces)),
        ranks_per_node: per_node,
        ..ScenarioProgram::new(kind, graph)
    })
}

/// Reads the traces of all ranks: the value of `file`, the pattern of their paths, and their contents.
fn read_traces<'a>(reading: &mut Reading<'a>) -> Option<(&'a Value, PathBuf, Arc<TraceSet>)> {
    let settings = reading.settings;
    let groups = groups(reading);
    let value = settings.required(Key::ProgramFile, "the paths of traces, such as \"trace.{rank}.et\"")?;
    let name = value.text(Key::ProgramFile.path(), settings.errors())?;
    if name.matches(RANK).count() != 1 {
        let error = value.unexpected(Key::ProgramFile.path(), "a path with {rank} in it, once");
        return settings.refuse(error.with_help("every rank has a file of its own: \"trace.{rank}.et\""));
    }
    let pattern = settings.beside(name);
    // Switches are nodes without ranks: the hosts of a network with switches have no coordinates.
    let has_switches = |machine: &&Machine| machine.numbered_hosts() < machine.node_count();
    let lengths = match reading.machine.machine.as_deref().filter(has_switches) {
        Some(machine) => vec![machine.numbered_hosts()],
        None => reading.machine.size.as_ref().map_or(vec![], |size| size.lengths.clone()),
    };
    match reading.library.traces(&pattern, groups?.as_deref(), &lengths) {
        Ok(set) => Some((value, pattern, set)),
        Err(failure) => {
            report_unread(reading, value, name, failure);
            None
        }
    }
}

/// Reports the reasons why the traces do not make a task graph.
fn report(reading: &mut Reading<'_>, value: &Value, name: &str, set: &TraceSet, error: LoweringError) {
    let shown = |place: NodePlace| {
        format!(
            "{} of rank {} ({})",
            set.node(place).described(),
            place.0,
            set.paths()[place.0 as usize].display()
        )
    };
    let settings = reading.settings;
    match error {
        LoweringError::Traces(failure) => report_unread(reading, value, name, failure),
        LoweringError::NoAlgorithm(operation, place) => {
            let names = algorithms_for(operation);
            let names: Vec<&str> = names.iter().map(|name| name.0).collect();
            let expected = format!("{operation} = one of {}", alternatives(&names));
            let message = format!(
                "program.algorithms has no {operation}, expected {}: {} is one",
                alternatives(&names),
                shown(place)
            );
            settings.report(match settings.place(Key::ProgramAlgorithms) {
                Some(at) => ScenarioError::at(at, message, "no algorithm of it"),
                None => settings.missing(Key::ProgramAlgorithms, &format!("a table with {expected}")),
            });
        }
        LoweringError::Misfit(operation, error, place) => {
            let at = settings.place(Key::ProgramAlgorithms).unwrap_or(&value.place);
            let message = format!("the algorithm of {operation} does not do {}: {error}", shown(place));
            settings.report(ScenarioError::at(at, message, "not by this algorithm"));
        }
    }
}

/// The algorithms that perform an operation, by name.
fn algorithms_for(operation: Operation) -> Vec<(&'static str, Algorithm)> {
    let performs = |algorithm: &Algorithm| algorithm.descriptor().operations.contains(&operation);
    Algorithm::ALL.into_iter().filter(performs).map(|algorithm| (algorithm.name(), algorithm)).collect()
}

/// Whether control dependencies count.
fn dependencies(reading: &mut Reading<'_>) -> Option<bool> {
    let Some(value) = reading.settings.get(Key::ProgramDependencies) else { return Some(false) };
    let choices = [(DEPENDENCIES[0], false), (DEPENDENCIES[1], true)];
    value.choice(Key::ProgramDependencies.path(), &choices, reading.settings.errors())
}

/// Whether the operations of a stream start in order.
fn streams(reading: &mut Reading<'_>) -> Option<bool> {
    let Some(value) = reading.settings.get(Key::ProgramStreams) else { return Some(false) };
    if let Content::Boolean(streams) = value.content {
        return Some(streams);
    }
    reading.settings.refuse(value.unexpected(Key::ProgramStreams.path(), "true or false"))
}

/// The path of the file of groups, if there is one.
#[expect(clippy::option_option, reason = "an error, nothing written, or a path")]
fn groups(reading: &mut Reading<'_>) -> Option<Option<PathBuf>> {
    let Some(value) = reading.settings.get(Key::ProgramGroups) else { return Some(None) };
    let name = value.text(Key::ProgramGroups.path(), reading.settings.errors())?;
    Some(Some(reading.settings.beside(name)))
}

/// The algorithm of each kind of collective.
fn algorithms(reading: &mut Reading<'_>) -> Option<BTreeMap<Operation, Algorithm>> {
    let path = Key::ProgramAlgorithms.path();
    let mut algorithms = BTreeMap::new();
    let Some(value) = reading.settings.get(Key::ProgramAlgorithms) else { return Some(algorithms) };
    let Content::Table(entries) = &value.content else {
        return reading.settings.refuse(value.unexpected(path, "a table such as { all-reduce = \"ring\" }"));
    };
    let before = reading.settings.errors().len();
    for entry in entries {
        let Some(operation) = OPERATIONS.iter().find(|operation| operation.name == entry.key) else {
            let names: Vec<&str> = OPERATIONS.iter().map(|operation| operation.name).collect();
            let message =
                format!("unknown collective {:?} of {path}, expected {}", entry.key, alternatives(&names));
            let error = ScenarioError::at(&entry.key_place, message, "unknown");
            reading.settings.report(error.with_help(help(&entry.key, &names)));
            continue;
        };
        let name = format!("{path}.{}", operation.name);
        let chosen =
            entry.value.choice(&name, &algorithms_for(operation.operation), reading.settings.errors());
        if let Some(algorithm) = chosen {
            algorithms.insert(operation.operation, algorithm);
        }
    }
    (reading.settings.errors().len() == before).then_some(algorithms)
}

#[cfg(test)]
mod tests;
