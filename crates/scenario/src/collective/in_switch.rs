//! `algorithm = "in-switch"`: collectives that switches combine, and `reduce` of machines (`docs/model.md` section 16).

use std::{num::NonZeroU64, sync::Arc};

use cubefold_collectives::{Algorithm, CollectiveSpecification, Operation};
use cubefold_simulator::{Cycles, SwitchOperation, SwitchReduction};
use cubefold_topology::{ClimbingSide, Machine};

use super::{
    choices::{chunks, refuse_foreign},
    chunk_steps,
    hierarchical::{AskedOperations, Level, LevelStep, Levels, WholeOperation, made, sizes_of_chunks},
    shape, vector,
};
use crate::{
    ScenarioProgram,
    errors::{Errors, ScenarioError},
    keys::{Key, MAX_INTEGER},
    program::{ProgramKind, Reading},
    settings::Settings,
    value::{Content, Value},
};

pub(crate) const IN_SWITCH: &str = "in-switch";

/// Whether the algorithm is reduction in the switch.
pub(crate) fn is_asked(reading: &Reading<'_>) -> bool {
    let value = reading.settings.get(Key::ProgramAlgorithm);
    value.is_some_and(|value| matches!(&value.content, Content::Text(name) if name == IN_SWITCH))
}

/// The operation of switches, if they support it.
pub(super) fn operation(operation: Operation) -> Option<SwitchOperation> {
    match operation {
        Operation::AllReduce => Some(SwitchOperation::AllReduce),
        Operation::ReduceScatter => Some(SwitchOperation::ReduceScatter),
        Operation::AllGather => Some(SwitchOperation::AllGather),
        Operation::Broadcast
        | Operation::Reduce
        | Operation::Gather
        | Operation::Scatter
        | Operation::AllToAll
        | Operation::Barrier => None,
    }
}

/// The switches of a step.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reducing {
    side: ClimbingSide,
    units_per_cycle: Option<NonZeroU64>,
}

/// Reads a value of `reduce`: `None` for false, or else the units that a switch combines per cycle, if that takes time.
#[expect(clippy::option_option, reason = "false, true, or a rate")]
pub(crate) fn reduce(value: &Value, name: &str, errors: &Errors) -> Option<Option<NonZeroU64>> {
    match &value.content {
        Content::Boolean(reduces) => reduces.then_some(None),
        Content::Integer(_) => {
            value.natural(name, 1..=MAX_INTEGER, errors).and_then(NonZeroU64::new).map(Some)
        }
        _ => {
            errors.fail(value.unexpected(name, "true, false, or the units that a switch combines in a cycle"))
        }
    }
}

/// The member `reduce` of a table of a cluster.
fn member(table: Option<&Value>) -> Option<&Value> {
    let Content::Table(entries) = &table?.content else { return None };
    entries.iter().find(|entry| entry.key == "reduce").map(|entry| &entry.value)
}

/// Whether any switch of a machine reduces.
pub(crate) fn any_reduces(settings: &Settings<'_>) -> bool {
    let values = [
        settings.get(Key::MachineReduce),
        member(settings.get(Key::MachineInside)),
        member(settings.get(Key::MachineOutside)),
    ];
    values.into_iter().flatten().any(|value| !matches!(value.content, Content::Boolean(false)))
}

/// Reads a collective of all ranks by switches alone.
pub(super) fn read(
    reading: &mut Reading<'_>,
    kind: &'static ProgramKind,
    operation: Operation,
    per_node: u64,
) -> Option<ScenarioProgram> {
    let value = reading.settings.get(Key::ProgramAlgorithm)?;
    let levels = levels(reading, operation, value, per_node)?;
    let program = chunk_steps::job(reading, kind, value, &levels, per_node)?;
    let operations = Some(Arc::new(AskedOperations::one(levels.whole)));
    Some(ScenarioProgram { operations, bytes: levels.bytes, ..program })
}

/// Reads a collective of all ranks by switches, as one step of one chunk; the switches chunk by themselves.
pub(crate) fn levels(
    reading: &mut Reading<'_>,
    operation: Operation,
    value: &Value,
    per_node: u64,
) -> Option<Levels> {
    let Some(of_switches) = self::operation(operation) else {
        let message = format!("{operation} in switches, expected all-reduce, reduce-scatter or all-gather");
        return reading.settings.fail(ScenarioError::at(&value.place, message, "not by switches"));
    };
    refuse_foreign(reading, "in switches")?;
    let reducing = reducing(reading, None, value)?;
    let sizes = vector(reading);
    let shape = shape(reading, per_node);
    let (compute, chunks) = (reading.compute(), chunks(reading, None));
    let ((units, bytes), shape) = (sizes?, shape?);
    let (compute, chunks) = (compute?.get(), chunks?.get());
    let groups = vec![(0..u32::try_from(shape.node_count()).ok()?).collect()];
    let reduction = reduction(reducing, of_switches, groups, (units, chunks), compute);
    let all: Vec<usize> = (0..shape.dimension_count()).collect();
    let asked = CollectiveSpecification {
        compute_cycles: compute,
        ..CollectiveSpecification::new(operation, Algorithm::Ring, shape, units)
    };
    let groups = made(reading, asked, &all)?;
    let whole = WholeOperation { algorithm: IN_SWITCH.into(), groups };
    let chunks = vec![vec![LevelStep::InSwitches(operation, reduction)]];
    Some(Levels { chunks, bytes, whole, notes: vec![] })
}

/// The switches that reduce for a level of a collective, or for all of it; reports an error if there are none.
pub(super) fn reducing(reading: &mut Reading<'_>, level: Option<Level>, place: &Value) -> Option<Reducing> {
    let machine = reading.machine.machine.clone()?;
    let settings = reading.settings;
    let (key, value, side) = match (machine.cluster(), level) {
        (None, _) => ("machine.reduce", settings.get(Key::MachineReduce), ClimbingSide::Whole),
        (Some(_), Some(Level::Inner)) => inside(settings),
        (Some(cluster), None) if cluster.nodes == 1 => inside(settings),
        (Some(_), Some(Level::Outer) | None) => {
            let value = member(settings.get(Key::MachineOutside));
            ("machine.outside.reduce", value, ClimbingSide::Outside)
        }
    };
    let found = match value {
        Some(value) => {
            let reported = Errors::default(); // where the machine was read
            let found = reduce(value, key, &reported);
            if !reported.is_empty() {
                return None;
            }
            found
        }
        None => None,
    };
    let Some(units_per_cycle) = found else {
        let help = if has_switches(&machine) {
            format!("add {key} = true if they do, or the units that one combines in a cycle")
        } else {
            "choose a machine with switches: a cluster, fat-tree or network".to_owned()
        };
        let message = format!("{IN_SWITCH} on a machine whose switches do not reduce, expected {key}");
        let error = ScenarioError::at(&place.place, message, "nothing reduces");
        return settings.fail(error.with_help(help));
    };
    if reading.per_node()? != 1 {
        let message = format!("{IN_SWITCH} with several processes a host, expected one");
        return settings.fail(ScenarioError::at(&place.place, message, "processes of a host"));
    }
    Some(Reducing { side, units_per_cycle })
}

fn inside<'a>(settings: &'a Settings<'_>) -> (&'static str, Option<&'a Value>, ClimbingSide) {
    ("machine.inside.reduce", member(settings.get(Key::MachineInside)), ClimbingSide::Inside)
}

fn has_switches(machine: &Machine) -> bool {
    machine.graph().is_some_and(|network| network.host_count() < network.node_count())
}

/// The reduction of a vector by groups of ranks.
pub(super) fn reduction(
    reducing: Reducing,
    operation: SwitchOperation,
    groups: Vec<Vec<u32>>,
    (units, chunks): (u64, u32),
    compute: u64,
) -> Arc<SwitchReduction> {
    Arc::new(SwitchReduction {
        operation,
        side: reducing.side,
        groups,
        chunks: sizes_of_chunks(units, chunks.into()).filter(|&size| size > 0).collect(),
        compute: Cycles::new(compute),
        units_per_cycle: reducing.units_per_cycle,
    })
}
