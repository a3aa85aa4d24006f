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
use cubefold_topology::Machine;

use self::{
    task_program::{Choices, Lowering, LoweringError},
    trace_set::NodePlace,
};
use super::{
    collective::algorithms_for,
    errors::{ScenarioError, alternatives, help},
    goal_file::task_graph,
    keys::Key,
    placement_file::Failure,
    program::{ProgramKind, Reading},
    settings::Settings,
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
    let expected = "the path of a trace, or of the traces of all ranks such as \"trace.{rank}.json\"";
    let value = settings.required(Key::ProgramFile, expected)?;
    let name = value.text(Key::ProgramFile.path(), settings.errors())?;
    let path = settings.beside(name);
    let traces = reading.library.collective_traces(&path);
    let report = |failure: Failure| failure.report(settings.errors(), value, "program file", name);
    let traces = traces.map_err(report).ok()?;
    let choices = Choices { has_control: false, has_streams: false, algorithms: algorithms? };
    let program = lowered(reading, &TRACE, (value, &path), &traces.set, choices)?;
    let notes = traces.notes.iter().map(|note| format!("{name}: {note}.")).collect();
    Some(ScenarioProgram { notes, ..program })
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
    let lowering = Lowering { set, choices, scale, budget: reading.settings.budget(), pattern };
    let lowered = lowering.schedule();
    let (schedule, traces) =
        lowered.map_err(|error| report(reading.settings, value, name, set, error)).ok()?;
    let graph = task_graph(Arc::new(schedule), overhead, scale);
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
        return settings.fail(error.with_help("every rank has a file of its own: \"trace.{rank}.et\""));
    }
    let pattern = settings.beside(name);
    // Switches are nodes without ranks: the hosts of a network with switches have no coordinates.
    let has_switches = |machine: &&Machine| machine.numbered_hosts() < machine.node_count();
    let lengths = match reading.machine.machine.as_deref().filter(has_switches) {
        Some(machine) => vec![machine.numbered_hosts()],
        None => reading.machine.size.as_ref().map_or(vec![], |size| size.lengths.clone()),
    };
    let set = reading.library.traces(&pattern, groups?.as_deref(), &lengths);
    let report = |failure: Failure| failure.report(settings.errors(), value, "program file", name);
    Some((value, pattern, set.map_err(report).ok()?))
}

/// Reports the reasons why the traces do not make a task graph.
fn report(settings: &Settings<'_>, value: &Value, name: &str, set: &TraceSet, error: LoweringError) {
    let shown = |place: NodePlace| {
        format!(
            "{} of rank {} ({})",
            set.node(place).described(),
            place.0,
            set.paths[place.0 as usize].display()
        )
    };
    match error {
        LoweringError::Traces(failure) => failure.report(settings.errors(), value, "program file", name),
        LoweringError::NoAlgorithm(operation, place) => {
            let names: Vec<&str> = algorithms_for(operation).into_iter().map(|(name, _)| name).collect();
            let names = alternatives(&names);
            let expected = format!("a table with {operation} = one of {names}");
            let shown = shown(place);
            let message = format!("program.algorithms has no {operation}, expected {names}: {shown} is one");
            settings.report(match settings.place(Key::ProgramAlgorithms) {
                Some(at) => ScenarioError::at(at, message, "no algorithm of it"),
                None => settings.missing(Key::ProgramAlgorithms, &expected),
            });
        }
        LoweringError::Misfit(operation, error, place) => {
            let at = settings.place(Key::ProgramAlgorithms).unwrap_or(&value.place);
            let message = format!("the algorithm of {operation} does not do {}: {error}", shown(place));
            settings.report(ScenarioError::at(at, message, "not by this algorithm"));
        }
    }
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
    value.truth(Key::ProgramStreams.path(), reading.settings.errors())
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
        return reading.settings.fail(value.unexpected(path, "a table such as { all-reduce = \"ring\" }"));
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
