//! The body of a step of a job: a collective, a computation, or messages of a file, a matrix, a neighbour exchange or a
//! shift along an axis.

use std::{collections::BTreeMap, sync::Arc};

use cubefold_collectives::{Collective, Groups};
use cubefold_mapping::{GraphGuest, ProcessId};
use cubefold_simulator::{Computations, Program, StageMessage, StageProgram, StepBody};
use cubefold_topology::{Machine, MachineKind, Shape, narrow};

use crate::input::text::shortened;
use crate::scenario::{
    ScenarioProgram,
    collective::{
        self, KnownCollectives, StepTable,
        hierarchical::{self, Levels, WholeOperation},
    },
    errors::{ScenarioError, alternatives},
    keys::Key,
    message_sizes::{self, ByStage},
    neighbour_exchange::{self, NEIGHBOUR_EXCHANGE},
    program::{ProgramKind, Reading},
    source_file::Place,
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

/// A pipeline, which is written out as steps; only a table of steps.
pub(super) static PIPELINE: ProgramKind = ProgramKind {
    name: "pipeline",
    summary: "The stages along an axis do the forward and backward tasks of microbatches by a schedule.",
    keys: &[Key::ProgramOver, Key::ProgramChunks, Key::ProgramUnits, Key::ProgramBytes],
    read: |_| None, // it is read by `pipeline::read`
};

/// The kinds of steps besides collectives and computations.
pub(in crate::scenario) static STEP_KINDS: [&ProgramKind; 5] =
    [&TRAFFIC_OF_GROUPS, &STAGES, &NEIGHBOUR_EXCHANGE, &SEND, &PIPELINE];

/// The body of a step, in alternatives of which the fastest counts.
pub(super) struct ReadBody {
    /// The name of its kind.
    pub(super) kind: &'static str,
    /// At least one, with its collective if it is one.
    pub(super) choices: Vec<(StepBody, Option<Arc<Groups>>)>,
    /// The bytes of its vector or of its largest message, if units have bytes.
    pub(super) bytes: Option<u64>,
    /// The name of the algorithm of a collective that runs as several.
    pub(super) algorithm: Option<Arc<str>>,
    /// Sentences on data of its file that are left out, rounded or assumed.
    pub(super) notes: Vec<String>,
}

/// Sets of ranks that a step is restricted to, which may not divide the groups of a collective.
pub(super) struct Parts<'a> {
    /// The place that restricts it.
    pub(super) place: &'a Place,
    /// Whether each rank takes part, of each set.
    pub(super) takes_part: &'a [Arc<[bool]>],
    /// The name of a set in messages.
    pub(super) divides: &'static str,
}

/// A shift of ranks along an axis.
#[derive(Clone, Copy)]
pub(super) struct Shift {
    pub(super) axis: usize,
    /// The distance, not 0.
    pub(super) by: i64,
    pub(super) wraps: bool,
    pub(super) units: u64,
}

/// The messages of a step, of which some may not be sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct UnsentMessages {
    pub(super) step: String,
    pub(super) sent: u64,
    pub(super) all: u64,
}

impl UnsentMessages {
    /// A sentence on the steps that send nothing, and one on those that send a part of their messages.
    pub(super) fn notes(all: &[Self]) -> Vec<String> {
        let (silent, partial): (Vec<&Self>, Vec<&Self>) = all.iter().partition(|own| own.sent == 0);
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
    /// The messages of a step other than a collective, if it has none or does not send all because a rank takes no part.
    pub(super) fn unsent(&self, name: &str, takes_part: &[bool]) -> Option<UnsentMessages> {
        let (StepBody::Messages { program, .. }, None) = self.choices.first()? else { return None };
        let is_in = |process: ProcessId| takes_part.get(process.label() as usize).is_none_or(|own| *own);
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

/// Reads the body of a step.
pub(super) fn read_body(
    reading: &mut Reading<'_>,
    table: &StepTable,
    value: &Value,
    shape: &Shape,
    per_node: u64,
    known: &mut KnownCollectives,
    parts: Option<&Parts<'_>>,
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
        return Some(ReadBody { kind: "computation", choices, bytes: None, algorithm: None, notes: vec![] });
    }
    of_collective(reading, table, value, shape, per_node, known, parts)
}

/// Whether a table is a pipeline.
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

/// Reports keys that only sends or only pipelines have, of other steps.
pub(super) fn report_foreign_own(
    reading: &mut Reading<'_>,
    table: &StepTable,
    kind: Option<&'static ProgramKind>,
) {
    let own = &table.own;
    let keys = [
        (&SEND, "by", &own.by),
        (&SEND, "wrap", &own.wrap),
        (&PIPELINE, "microbatches", &own.microbatches),
        (&PIPELINE, "schedule", &own.schedule),
        (&PIPELINE, "forward", &own.forward),
        (&PIPELINE, "backward", &own.backward),
    ];
    for (of, name, value) in keys {
        if let Some(value) = value.as_ref().filter(|_| kind.is_none_or(|kind| kind.name != of.name)) {
            let message = format!("{name} in a step that is no {0}, expected kind = \"{0}\"", of.name);
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
    parts: Option<&Parts<'_>>,
) -> Option<ReadBody> {
    let others: Vec<&str> = STEP_KINDS.iter().map(|kind| kind.name).collect();
    let (kind, operation) = collective::step_kind(reading, value, &others)?;
    collective::report_foreign(reading, &table.step, kind);
    if let Some(written) = hierarchical::table(reading) {
        let levels = hierarchical::read_levels(reading, operation, written, per_node)?;
        let steps = levels.steps(reading, written)?;
        for groups in &steps {
            check_only(reading, parts, groups)?;
        }
        check_ranks(reading, table, value, steps[0].rank_count(), shape)?;
        let body = as_body(hierarchical::one_after_another(&steps)?);
        let Levels { bytes, whole: WholeOperation { groups, algorithm }, notes, .. } = levels;
        let choices = vec![(body, Some(groups))];
        return Some(ReadBody { kind: operation.name(), choices, bytes, algorithm: Some(algorithm), notes });
    }
    let asked = collective::ask(reading, kind, operation, per_node)?;
    check_ranks(reading, table, value, asked.specification.shape.node_count(), shape)?;
    let mut choices = vec![];
    for specification in std::iter::once(asked.specification).chain(asked.other) {
        match known.collective(reading, specification, &asked.over)? {
            Ok(groups) => {
                check_only(reading, parts, &groups)?;
                choices.push((as_body(Collective::of_groups(Arc::clone(&groups))), Some(groups)));
            }
            Err(error) => {
                let error = collective::misfit(reading, &error);
                reading.errors.extend(error);
                return None;
            }
        }
    }
    Some(ReadBody {
        kind: operation.name(),
        choices,
        bytes: asked.bytes,
        algorithm: None,
        notes: asked.notes,
    })
}

/// Reports a collective of other ranks than those of the program.
fn check_ranks(
    reading: &mut Reading<'_>,
    table: &StepTable,
    value: &Value,
    found: u64,
    shape: &Shape,
) -> Option<()> {
    let expected = shape.node_count();
    if found == expected {
        return Some(());
    }
    let message = format!("a step of {found} ranks, expected {expected} as in the program");
    let place = table.step.values.get(Key::ProgramShape).map_or(&value.place, |shape| &shape.place);
    reading.errors.push(ScenarioError::at(place, message, "other ranks"));
    None
}

/// A collective as a step.
fn as_body(collective: Collective) -> StepBody {
    StepBody::Messages { shares: collective.share_count(), program: Arc::new(collective) }
}

/// Reports a rank that takes part without all of its group.
fn check_only(reading: &mut Reading<'_>, parts: Option<&Parts<'_>>, groups: &Groups) -> Option<()> {
    let Some(parts) = parts else { return Some(()) };
    for takes_part in parts.takes_part {
        let is_in = |rank: &&u32| takes_part.get(**rank as usize).is_some_and(|own| *own);
        for group in groups.ranks_of_groups() {
            let (inside, outside): (Vec<&u32>, Vec<&u32>) = group.iter().partition(is_in);
            let (Some(inside), Some(outside)) = (inside.first(), outside.first()) else { continue };
            let message = format!(
                "{} divides a group: rank {inside} takes part and rank {outside} of its group does not, expected whole groups",
                parts.divides
            );
            let error = ScenarioError::at(parts.place, message, "a part of a group")
                .because(reading.settings.place(Key::ProgramShape), "the shape of the groups")
                .because(reading.settings.place(Key::ProgramOver), "the axes of the groups");
            let help = "groups extend along the axes of over; only counts along those of the program's shape";
            reading.errors.push(error.with_help(help));
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
        reading.errors.push(ScenarioError::at(
            place.unwrap_or(&table.step.place),
            message,
            "other processes",
        ));
        return None;
    }
    Some(whole(kind, body, bytes, notes))
}

/// The ranks of each group along the axes in `over`, in the order of their coordinates, the lowest axis fastest.
fn groups(reading: &mut Reading<'_>, over: &Value, shape: &Shape) -> Option<Vec<Vec<u32>>> {
    let greatest = shape.dimension_count() - 1;
    let axis = |own: &Value| match own.content {
        Content::Integer(Some(axis)) => usize::try_from(axis).ok().filter(|&axis| axis <= greatest),
        _ => None,
    };
    let axes: Option<Vec<usize>> = match &over.content {
        Content::List(named) => named.iter().map(axis).collect(),
        _ => None,
    };
    let Some(axes) = axes.filter(|axes| !axes.is_empty()) else {
        let expected = format!("axes of the logical shape, such as [0], of 0 to {greatest}");
        reading.errors.push(over.unexpected("over of a traffic step", expected));
        return None;
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

fn whole(kind: &ProgramKind, program: Arc<dyn Program>, bytes: Option<u64>, notes: Vec<String>) -> ReadBody {
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

/// Every rank sends to the one `by` further along an axis, if there is one.
fn send(reading: &mut Reading<'_>, table: &StepTable, shape: &Shape) -> Option<ReadBody> {
    let sizes = message_sizes::read_one(reading.settings, reading.machine.timing.scale(), reading.errors);
    let axis = axis(reading, table, shape, "a send");
    let by = by(reading, table);
    let wraps = wraps(reading, table);
    let (axis, by, wraps, (units, bytes)) = (axis?, by?, wraps?, sizes?);
    shift(reading, &table.step.place, shape, Shift { axis, by, wraps, units }, None, bytes)
}

/// The coordinate of every rank along an axis.
pub(super) fn coordinates(shape: &Shape, axis: usize) -> Vec<u64> {
    let stride: u64 = shape.lengths()[..axis].iter().product();
    (0..shape.node_count()).map(|rank| rank / stride % shape.lengths()[axis]).collect()
}

/// The messages of a shift from all ranks, or from `senders`.
pub(super) fn shift(
    reading: &mut Reading<'_>,
    place: &Place,
    shape: &Shape,
    Shift { axis, by, wraps, units }: Shift,
    senders: Option<&[bool]>,
    bytes: Option<u64>,
) -> Option<ReadBody> {
    let (length, ranks) = (i128::from(shape.lengths()[axis]), shape.node_count());
    let stride: u64 = shape.lengths()[..axis].iter().product();
    let message = |(rank, own): (u64, u64)| {
        let to = i128::from(own) + i128::from(by);
        let to = if wraps { to.rem_euclid(length) } else { to };
        let there = u64::try_from(to).ok().filter(|_| to < length && to != i128::from(own))?;
        let is_sender = |senders: &[bool]| usize::try_from(rank).is_ok_and(|rank| senders[rank]);
        if !senders.is_none_or(is_sender) {
            return None;
        }
        let rest = rank - own * stride;
        let [source, destination] = [rank, rest + there * stride].map(|rank| ProcessId::new(narrow(rank)));
        Some(StageMessage { stage: 0, source, destination, units })
    };
    let messages: Vec<StageMessage> = (0..).zip(coordinates(shape, axis)).filter_map(message).collect();
    let [while_made, kept] = StageProgram::bytes_to_make(ranks, 1, messages.len() as u64);
    if let Err(over) = reading.settings.budget().take_for_a_while(while_made, kept) {
        reading.errors.push(over.at(place, "a step of this many messages"));
        return None;
    }
    let computations = Computations::Same(reading.compute()?);
    match StageProgram::with_empty_messages(1, narrow(ranks), computations, &messages) {
        Ok(program) => Some(whole(&SEND, Arc::new(program), bytes, vec![])),
        Err(error) => {
            reading.errors.push(ScenarioError::at(place, error.to_string(), "this step"));
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

/// The axis that a send goes along, or that the stages of a pipeline are on.
pub(super) fn axis(reading: &mut Reading<'_>, table: &StepTable, shape: &Shape, of: &str) -> Option<usize> {
    let greatest = shape.dimension_count() - 1;
    let expected = format!("one axis of the logical shape, such as [0], of 0 to {greatest}");
    let Some(value) = table.step.values.get(Key::ProgramOver) else {
        let message = format!("over is missing in {of}, expected {expected}");
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
    match axis {
        Some(axis) if axis <= greatest => return Some(axis),
        Some(axis) => {
            let message = format!("axis {axis} in over of {of}, expected {expected}");
            reading.errors.push(ScenarioError::at(&value.place, message, "no axis of it"));
        }
        None => {
            let message = format!("over = {} of {of}, expected {expected}", shortened(&value.written()));
            reading.errors.push(ScenarioError::at(&value.place, message, "no axis"));
        }
    }
    None
}

/// The distance of a send along its axis, not 0.
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
