//! The body of a step of a job: a [collective](collective_step), a computation, or messages of a file, a matrix, a
//! neighbour exchange or a [shift](super::shift) along an axis.

use std::{collections::BTreeMap, sync::Arc};

use cubefold_collectives::Groups;
use cubefold_mapping::{GraphGuest, ProcessId};
use cubefold_simulator::{Program, StepBody};
use cubefold_topology::{Machine, MachineKind, Shape, narrow};

use super::{
    collective_step,
    shift::{SEND, send},
};
use crate::{
    ScenarioProgram,
    collective::{self, KnownCollectives, StepTable},
    errors::ScenarioError,
    keys::Key,
    message_sizes::{self, ByStage},
    neighbour_exchange::{self, NEIGHBOUR_EXCHANGE},
    program::{ProgramKind, Reading},
    source_file::Place,
    stages_file::{self, STAGES},
    traffic::{self, TRAFFIC},
    value::{Content, Value},
};

/// A matrix of all ranks, or of the groups along axes.
static TRAFFIC_OF_GROUPS: ProgramKind = ProgramKind {
    name: TRAFFIC.name,
    summary: "Every rank sends to others what a matrix says, or every rank of a group to others of it.",
    keys: &[
        Key::ProgramFile,
        Key::ProgramForm,
        Key::ProgramMatrix,
        Key::ProgramRounds,
        Key::ProgramScale,
        Key::ProgramOrder,
        Key::ProgramOver,
    ],
    read: |_| None, // a step is read by `messages`
};

/// A pipeline, which stands for its steps; occurs only as a table of steps.
pub(super) static PIPELINE: ProgramKind = ProgramKind {
    name: "pipeline",
    summary: "The stages along an axis do the forward and backward tasks of microbatches by a schedule.",
    keys: &[Key::ProgramOver, Key::ProgramChunks, Key::ProgramUnits, Key::ProgramBytes],
    read: |_| None, // it is read by `pipeline::read`
};

/// The kinds of steps besides collectives and computations.
pub(crate) static STEP_KINDS: [&ProgramKind; 5] =
    [&TRAFFIC_OF_GROUPS, &STAGES, &NEIGHBOUR_EXCHANGE, &SEND, &PIPELINE];

/// Lists the kinds of steps of a job besides collectives and computations.
#[must_use]
pub fn kinds_of_steps() -> &'static [&'static ProgramKind] {
    &STEP_KINDS
}

/// The body of a step, in alternatives, the fastest of which counts.
#[derive(Debug)]
pub(super) struct ReadBody {
    pub(super) kind: &'static str,
    /// At least one; a collective also has its groups.
    pub(super) choices: Vec<(StepBody, Option<Arc<Groups>>)>,
    /// The bytes of its vector or of its largest message, if units have bytes.
    pub(super) bytes: Option<u64>,
    /// The name of the algorithm of a collective that runs as several steps.
    pub(super) algorithm: Option<Arc<str>>,
    /// Sentences on omissions, roundings and assumptions about its file.
    pub(super) notes: Vec<String>,
}

/// The steps that a table stands for.
#[derive(Debug)]
pub(super) struct StepsOfTable<Body> {
    pub(super) kind: &'static str,
    /// At least one.
    pub(super) parts: Vec<PartOfStep<Body>>,
}

/// One of the steps that a table stands for.
#[derive(Debug)]
pub(super) struct PartOfStep<Body> {
    /// The end of its name, after the name of the table; `None` if it is the only part.
    pub(super) name: Option<String>,
    /// The parts that it comes after, by their places in the table; the first comes after none, the last after all.
    pub(super) after: Vec<usize>,
    pub(super) body: Body,
}

impl From<ReadBody> for StepsOfTable<ReadBody> {
    fn from(body: ReadBody) -> Self {
        Self { kind: body.kind, parts: vec![PartOfStep { name: None, after: vec![], body }] }
    }
}

/// Sets of ranks that a step is restricted to, which may not divide the groups of a collective.
pub(super) struct Parts<'a> {
    /// The value that restricts it.
    pub(super) place: &'a Place,
    /// By set, whether each rank takes part.
    pub(super) takes_part: &'a [Arc<[bool]>],
    /// The name of a set in messages.
    pub(super) divides: &'static str,
}

/// The messages of a step, some of which may not be sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct UnsentMessages {
    pub(super) step: String,
    pub(super) sent: u64,
    pub(super) all: u64,
}

impl UnsentMessages {
    /// Sentences on steps that send nothing, and on steps that send a part of their messages.
    pub(super) fn notes(all: &[Self]) -> Vec<String> {
        let (silent, partial): (Vec<&Self>, Vec<&Self>) = all.iter().partition(|one| one.sent == 0);
        let silent = match silent[..] {
            [] => None,
            [Self { step, all: 0, .. }] => Some(format!("step {step:?} sends nothing.")),
            [Self { step, .. }] => {
                Some(format!("step {step:?} sends nothing: an end of each message takes no part."))
            }
            [Self { step, .. }, ..] => {
                Some(format!("{} steps send nothing, the first is {step:?}.", silent.len()))
            }
        };
        let partial = match partial[..] {
            [] => None,
            [Self { step, sent, all }] => Some(format!(
                "step {step:?} sends {sent} of {all} messages: of the others an end takes no part."
            )),
            [Self { step, sent, all }, ..] => Some(format!(
                "{} steps send a part of their messages, the first, {step:?}, {sent} of {all}: of the others an end takes no part.",
                partial.len()
            )),
        };
        silent.into_iter().chain(partial).collect()
    }
}

impl ReadBody {
    /// The messages of a step other than a collective, if it has none or does not send all because some ranks do not
    /// take part.
    pub(super) fn unsent(&self, name: &str, takes_part: &[bool]) -> Option<UnsentMessages> {
        let (StepBody::Messages { program, .. }, None) = self.choices.first()? else { return None };
        let is_in = |process: ProcessId| {
            takes_part.get(process.label() as usize).is_none_or(|takes_part| *takes_part)
        };
        let (mut all, mut sent, mut of_stage) = (0_u64, 0_u64, (0, 0));
        for stage in 0..program.stage_count() {
            if stage == 0 || !program.repeats(stage) {
                of_stage = (0, 0);
                program.for_each_message(stage, &mut |source, destination, _| {
                    of_stage.0 += 1;
                    of_stage.1 += u64::from(is_in(source) && is_in(destination));
                });
            }
            (all, sent) = (all + of_stage.0, sent + of_stage.1);
        }
        (sent == 0 || sent < all).then(|| UnsentMessages { step: name.to_owned(), sent, all })
    }
}

pub(super) fn read_body(
    reading: &mut Reading<'_>,
    table: &StepTable,
    value: &Value,
    shape: &Shape,
    per_node: u64,
    known: &mut KnownCollectives,
    parts: Option<&Parts<'_>>,
) -> Option<StepsOfTable<ReadBody>> {
    let settings = reading.settings.of_step(&table.step);
    let kind = job_kind(table);
    let by_stage =
        if kind.is_some_and(|kind| kind.name == STAGES.name) { ByStage::Yes(None) } else { ByStage::No };
    let scale = reading.machine.timing.scale();
    let computations = message_sizes::read_computations(&settings, scale, by_stage);
    let reading = &mut reading.of_step(&settings, computations);
    report_foreign_own(reading, table, kind);
    if let Some(kind) = kind {
        collective::report_foreign(reading, &table.step, kind);
        return messages(reading, table, kind, shape).map(StepsOfTable::from);
    }
    if table.is_computation() {
        let choices = vec![(StepBody::Computation(reading.compute()?), None)];
        let body = ReadBody { kind: "computation", choices, bytes: None, algorithm: None, notes: vec![] };
        return Some(body.into());
    }
    collective_step::read(reading, table, value, shape, per_node, known, parts)
}

pub(super) fn is_pipeline(table: &StepTable) -> bool {
    job_kind(table).is_some_and(|kind| kind.name == PIPELINE.name)
}

/// The kind of a step that is neither a collective nor a computation.
fn job_kind(table: &StepTable) -> Option<&'static ProgramKind> {
    match &table.step.values.get(Key::ProgramKind)?.content {
        Content::Text(name) => STEP_KINDS.into_iter().find(|kind| kind.name == name),
        _ => None,
    }
}

/// Reports keys that only sends or only pipelines take, in other steps.
pub(super) fn report_foreign_own(
    reading: &mut Reading<'_>,
    table: &StepTable,
    kind: Option<&'static ProgramKind>,
) {
    let keys = [
        (&SEND, "by"),
        (&SEND, "wrap"),
        (&PIPELINE, "microbatches"),
        (&PIPELINE, "schedule"),
        (&PIPELINE, "forward"),
        (&PIPELINE, "backward"),
    ];
    for (of, name) in keys {
        if let Some(value) = table.own.get(name).filter(|_| kind.is_none_or(|kind| kind.name != of.name)) {
            let message = format!("{name} in a step that is no {0}, expected kind = \"{0}\"", of.name);
            reading.settings.report(ScenarioError::at(&value.place, message, "not of this kind"));
        }
    }
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
        return send(reading, table, shape);
    }
    let program = if kind.name == TRAFFIC.name {
        let groups = match table.step.values.get(Key::ProgramOver) {
            Some(over) => Some(groups(reading, over, shape)?),
            None => None,
        };
        traffic::of_processes(reading, Some(ranks), groups.as_deref())?
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
        let place = place.unwrap_or(&table.step.place);
        return reading.settings.fail(ScenarioError::at(place, message, "other processes"));
    }
    Some(whole(kind, body, bytes, notes))
}

/// The ranks of each group along the axes in `over`, in the order of their coordinates, the lowest axis fastest.
fn groups(reading: &mut Reading<'_>, over: &Value, shape: &Shape) -> Option<Vec<Vec<u32>>> {
    let greatest = shape.dimension_count() - 1;
    let axis = |axis: u64| usize::try_from(axis).ok().filter(|&axis| axis <= greatest);
    let axes: Option<Vec<usize>> = over.integers().and_then(|axes| axes.into_iter().map(axis).collect());
    let Some(axes) = axes.filter(|axes| !axes.is_empty()) else {
        let expected = format!("axes of the logical shape, such as [0], of 0 to {greatest}");
        return reading.settings.fail(over.unexpected("over of a traffic step", expected));
    };
    let mut groups = BTreeMap::<Vec<u64>, Vec<u32>>::new();
    for rank in 0..shape.node_count() {
        let mut rest = rank;
        let mut others = vec![];
        for (axis, &length) in shape.lengths().iter().enumerate() {
            others.push(if axes.contains(&axis) { 0 } else { rest % length });
            rest /= length;
        }
        others.reverse();
        groups.entry(others).or_default().push(narrow(rank));
    }
    Some(groups.into_values().collect())
}

pub(super) fn whole(
    kind: &ProgramKind,
    program: Arc<dyn Program>,
    bytes: Option<u64>,
    notes: Vec<String>,
) -> ReadBody {
    ReadBody {
        kind: kind.name,
        choices: vec![(StepBody::Messages { program, shares: 1 }, None)],
        bytes,
        algorithm: None,
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
