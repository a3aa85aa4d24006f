//! What a step of a job does: a collective, a computation, or messages of a file, a matrix, a neighbour exchange or a
//! shift along an axis.

use std::sync::Arc;

use cubefold_collectives::{Collective, CollectiveSpecification, Groups};
use cubefold_mapping::{GraphGuest, ProcessId};
use cubefold_simulator::{Computations, Program, StageMessage, StageProgram, StepBody};
use cubefold_topology::{Machine, MachineKind, Shape, narrow};

use crate::scenario::{
    ScenarioProgram,
    collective::{self, KnownCollectives, StepTable},
    errors::{ScenarioError, alternatives},
    keys::Key,
    message_sizes::{self, ByStage},
    neighbour_exchange::{self, NEIGHBOUR_EXCHANGE},
    program::{ProgramKind, Reading},
    stages_file::{self, STAGES},
    traffic::{self, TRAFFIC},
    value::{Content, Value},
};

/// A shift of every rank along one axis; only a step.
static SEND: ProgramKind = ProgramKind {
    name: "send",
    summary: "Every rank sends to the one further along an axis.",
    keys: &[Key::ProgramOver, Key::ProgramUnits, Key::ProgramBytes],
    read: |_| None, // a step is read by `send`
};

/// The kinds of steps besides collectives and computations.
pub(in crate::scenario) static STEP_KINDS: [&ProgramKind; 4] =
    [&TRAFFIC, &STAGES, &NEIGHBOUR_EXCHANGE, &SEND];

/// What a step does, of which the fastest counts.
pub(super) struct ReadBody {
    /// The name of its kind.
    pub(super) kind: &'static str,
    /// At least one, with its collective if it is one.
    pub(super) choices: Vec<(StepBody, Option<Arc<Groups>>)>,
    /// The bytes of its vector or of its largest message, if units have bytes.
    pub(super) bytes: Option<u64>,
    /// Sentences on what of its file is not sent, rounded or assumed.
    pub(super) notes: Vec<String>,
}

/// Reads what a step does.
pub(super) fn read_body(
    reading: &mut Reading<'_>,
    table: &StepTable,
    value: &Value,
    shape: &Shape,
    per_node: u64,
    known: &mut KnownCollectives,
) -> Option<ReadBody> {
    let settings = reading.settings.of_step(&table.step);
    let kind = job_kind(table);
    let by_stage =
        if kind.is_some_and(|kind| kind.name == STAGES.name) { ByStage::Yes(None) } else { ByStage::No };
    let scale = reading.machine.timing.scale();
    let computations = message_sizes::read_computations(&settings, scale, by_stage, reading.errors);
    let reading = &mut Reading {
        settings: &settings,
        machine: reading.machine,
        seed: reading.seed,
        library: &mut *reading.library,
        computations,
        errors: &mut *reading.errors,
    };
    report_foreign_own(reading, table, kind);
    if let Some(kind) = kind {
        collective::report_foreign(reading, &table.step, kind);
        return messages(reading, table, kind, shape);
    }
    if table.is_computation() {
        let choices = vec![(StepBody::Computation(reading.compute()?), None)];
        return Some(ReadBody { kind: "computation", choices, bytes: None, notes: vec![] });
    }
    of_collective(reading, table, value, shape, per_node, known)
}

/// The kind of a step that is neither a collective nor a computation.
fn job_kind(table: &StepTable) -> Option<&'static ProgramKind> {
    match &table.step.values.get(Key::ProgramKind)?.content {
        Content::Text(name) => STEP_KINDS.into_iter().find(|kind| kind.name == name),
        _ => None,
    }
}

/// Reports `by` and `wrap` of steps that are no `send`.
fn report_foreign_own(reading: &mut Reading<'_>, table: &StepTable, kind: Option<&'static ProgramKind>) {
    if kind.is_some_and(|kind| kind.name == SEND.name) {
        return;
    }
    for (name, value) in [("by", &table.own.by), ("wrap", &table.own.wrap)] {
        if let Some(value) = value {
            let message = format!("{name} in a step that is no send, expected kind = \"send\"");
            reading.errors.push(ScenarioError::at(&value.place, message, "not of this kind"));
        }
    }
}

/// A collective, or the better of its exchanges.
fn of_collective(
    reading: &mut Reading<'_>,
    table: &StepTable,
    value: &Value,
    shape: &Shape,
    per_node: u64,
    known: &mut KnownCollectives,
) -> Option<ReadBody> {
    let others: Vec<&str> = STEP_KINDS.iter().map(|kind| kind.name).collect();
    let (kind, operation) = collective::step_kind(reading, value, &others)?;
    collective::report_foreign(reading, &table.step, kind);
    let asked = collective::ask(reading, kind, operation, per_node)?;
    check_only(reading, table, &asked.specification, &asked.over)?;
    let (found, expected) = (asked.specification.shape.node_count(), shape.node_count());
    if found != expected {
        let message = format!("a step of {found} ranks, expected {expected} as in the program");
        let place = table.step.values.get(Key::ProgramShape).map_or(&value.place, |shape| &shape.place);
        reading.errors.push(ScenarioError::at(place, message, "other ranks"));
        return None;
    }
    let mut choices = vec![];
    for specification in std::iter::once(asked.specification).chain(asked.other) {
        match known.collective(reading, specification, &asked.over)? {
            Ok(groups) => choices.push((body_of(&groups), Some(groups))),
            Err(error) => {
                let error = collective::misfit(reading, &error);
                reading.errors.extend(error);
                return None;
            }
        }
    }
    Some(ReadBody { kind: operation.name(), choices, bytes: asked.bytes, notes: vec![] })
}

/// A collective as a step.
fn body_of(groups: &Arc<Groups>) -> StepBody {
    let collective = Collective::of_groups(Arc::clone(groups));
    StepBody::Messages { shares: collective.share_count(), program: Arc::new(collective) }
}

/// Reports ranks that take part without all of their group.
fn check_only(
    reading: &mut Reading<'_>,
    table: &StepTable,
    specification: &CollectiveSpecification,
    over: &[usize],
) -> Option<()> {
    let Some(only) = &table.own.only else { return Some(()) };
    let Content::List(ranges) = &only.content else { return None };
    for range in ranges {
        let Content::List(numbers) = &range.content else { return None };
        let numbers: Vec<Option<u64>> = numbers
            .iter()
            .map(|own| match own.content {
                Content::Integer(number) => number,
                _ => None,
            })
            .collect();
        let [Some(axis), Some(first), Some(last)] = numbers[..] else { return None };
        let axis = usize::try_from(axis).ok()?;
        let is_whole =
            first == 0 && specification.shape.lengths().get(axis).is_some_and(|&length| last + 1 == length);
        if over.contains(&axis) && !is_whole {
            let message = format!("only divides groups that extend over axis {axis}, expected whole groups");
            let error = ScenarioError::at(&range.place, message, "a part of each group");
            let error = error.because(reading.settings.place(Key::ProgramOver), "the groups");
            reading
                .errors
                .push(error.with_help("give over without this axis: then groups do not extend along it"));
            return None;
        }
    }
    Some(())
}

/// A step of messages.
fn messages(
    reading: &mut Reading<'_>,
    table: &StepTable,
    kind: &'static ProgramKind,
    shape: &Shape,
) -> Option<ReadBody> {
    let ranks = shape.node_count();
    if kind.name == SEND.name {
        let (program, bytes) = send(reading, table, shape)?;
        return Some(whole(kind, Arc::new(program), bytes, vec![]));
    }
    let program = if kind.name == TRAFFIC.name {
        traffic::of_processes(reading, Some(ranks))?
    } else if kind.name == STAGES.name {
        stages_file::of_processes(reading, Some(ranks))?
    } else {
        neighbours(reading, shape)?
    };
    let ScenarioProgram { body, bytes, notes, .. } = program;
    if body.process_count() != ranks {
        let found = body.process_count();
        let message = format!("a step of {found} processes, expected {ranks}: the ranks of the program");
        let place = [Key::ProgramGuest, Key::ProgramFile].iter().find_map(|&key| reading.settings.place(key));
        reading.errors.push(ScenarioError::at(
            place.unwrap_or(&table.step.place),
            message,
            "other processes",
        ));
        return None;
    }
    Some(whole(kind, body, bytes, notes))
}

fn whole(kind: &ProgramKind, program: Arc<dyn Program>, bytes: Option<u64>, notes: Vec<String>) -> ReadBody {
    ReadBody {
        kind: kind.name,
        choices: vec![(StepBody::Messages { program, shares: 1 }, None)],
        bytes,
        notes,
    }
}

/// A neighbour exchange, on the torus of the logical shape unless it has a guest.
fn neighbours(reading: &mut Reading<'_>, shape: &Shape) -> Option<ScenarioProgram> {
    if reading.settings.get(Key::ProgramGuest).is_some() {
        return (NEIGHBOUR_EXCHANGE.read)(reading);
    }
    let torus = Machine::new(MachineKind::Torus, shape.lengths()).ok()?;
    neighbour_exchange::on_guest(reading, Some(GraphGuest::new(torus)))
}

/// Every rank sends to the one `by` further along an axis, if there is one.
fn send(reading: &mut Reading<'_>, table: &StepTable, shape: &Shape) -> Option<(StageProgram, Option<u64>)> {
    let sizes = reading.sizes(ByStage::No);
    let axis = axis(reading, table, shape);
    let by = by(reading, table);
    let wraps = wraps(reading, table);
    let (axis, by, wraps, sizes) = (axis?, by?, wraps?, sizes?);
    let units = sizes.units.uniform()?;
    let (length, ranks) = (i128::from(shape.lengths()[axis]), shape.node_count());
    let stride: u64 = shape.lengths()[..axis].iter().product();
    let message = |rank: u64| {
        let own = i128::from(rank / stride % shape.lengths()[axis]);
        let to = if wraps { (own + i128::from(by)).rem_euclid(length) } else { own + i128::from(by) };
        let there = u64::try_from(to).ok().filter(|_| to < length && to != own)?;
        let rest = rank - rank / stride % shape.lengths()[axis] * stride;
        let [source, destination] = [rank, rest + there * stride].map(|rank| ProcessId::new(narrow(rank)));
        Some(StageMessage { stage: 0, source, destination, units })
    };
    let messages: Vec<StageMessage> = (0..ranks).filter_map(message).collect();
    let [while_made, kept] = StageProgram::bytes_to_make(ranks, 1, messages.len() as u64);
    if let Err(over) = reading.settings.budget().take_for_a_while(while_made, kept) {
        reading.errors.push(over.at(&table.step.place, "a step of this many messages"));
        return None;
    }
    let computations = Computations::Same(reading.compute()?);
    match StageProgram::with_stages(1, narrow(ranks), computations, &messages) {
        Ok(program) => Some((program, sizes.bytes)),
        Err(error) => {
            reading.errors.push(ScenarioError::at(&table.step.place, error.to_string(), "this step"));
            None
        }
    }
}

/// Whether a send goes around its axis.
fn wraps(reading: &mut Reading<'_>, table: &StepTable) -> Option<bool> {
    let Some(value) = &table.own.wrap else { return Some(false) };
    if let Content::Boolean(wraps) = value.content {
        return Some(wraps);
    }
    reading.errors.push(value.unexpected("wrap", "true or false"));
    None
}

/// The axis that a send goes along.
fn axis(reading: &mut Reading<'_>, table: &StepTable, shape: &Shape) -> Option<usize> {
    let greatest = shape.dimension_count() - 1;
    let expected = format!("one axis of the logical shape, such as [0], of 0 to {greatest}");
    let Some(value) = table.step.values.get(Key::ProgramOver) else {
        let message = format!("over is missing in a send, expected {expected}");
        reading.errors.push(ScenarioError::at(&table.step.place, message, "no axis"));
        return None;
    };
    let axis = match &value.content {
        Content::List(named) => match &named[..] {
            [Value { content: Content::Integer(Some(axis)), .. }] => usize::try_from(*axis).ok(),
            _ => None,
        },
        _ => None,
    };
    let axis = axis.filter(|&axis| axis <= greatest);
    if axis.is_none() {
        reading.errors.push(value.unexpected("over of a send", expected));
    }
    axis
}

/// How far along its axis a send goes, not 0.
fn by(reading: &mut Reading<'_>, table: &StepTable) -> Option<i64> {
    let Some(value) = &table.own.by else { return Some(1) };
    let number = match value.content {
        Content::Integer(_) => value.place.text().replace('_', "").parse::<i64>().ok(),
        _ => None,
    };
    let number = number.filter(|&number| number != 0);
    if number.is_none() {
        let expected = alternatives(&["1", "-1", "another number of ranks that is not 0"]);
        reading.errors.push(value.unexpected("by", expected));
    }
    number
}
