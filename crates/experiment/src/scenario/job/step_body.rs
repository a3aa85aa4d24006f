//! The body of a step of a job: a collective, a computation, or messages of a file, a matrix, a neighbour exchange or a
//! shift along an axis.

use std::sync::Arc;

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
    takes_part: Option<&[bool]>,
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
    of_collective(reading, table, value, shape, per_node, known, takes_part)
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
    takes_part: Option<&[bool]>,
) -> Option<ReadBody> {
    let others: Vec<&str> = STEP_KINDS.iter().map(|kind| kind.name).collect();
    let (kind, operation) = collective::step_kind(reading, value, &others)?;
    collective::report_foreign(reading, &table.step, kind);
    if let Some(written) = hierarchical::table(reading) {
        let levels = hierarchical::read_levels(reading, operation, written, per_node)?;
        let steps = levels.steps(reading, written)?;
        for groups in &steps {
            check_only(reading, table, groups, takes_part?)?;
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
                check_only(reading, table, &groups, takes_part?)?;
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
fn check_only(
    reading: &mut Reading<'_>,
    table: &StepTable,
    groups: &Groups,
    takes_part: &[bool],
) -> Option<()> {
    let Some(only) = &table.own.only else { return Some(()) };
    let is_in = |rank: &&u32| takes_part.get(**rank as usize).is_some_and(|own| *own);
    for group in groups.ranks_of_groups() {
        let (inside, outside): (Vec<&u32>, Vec<&u32>) = group.iter().partition(is_in);
        let (Some(inside), Some(outside)) = (inside.first(), outside.first()) else { continue };
        let message = format!(
            "only divides a group: rank {inside} takes part and rank {outside} of its group does not, expected whole groups"
        );
        let error = ScenarioError::at(&only.place, message, "a part of a group")
            .because(reading.settings.place(Key::ProgramShape), "the shape of the groups")
            .because(reading.settings.place(Key::ProgramOver), "the axes of the groups");
        let help = "groups extend along the axes of over; only counts along those of the program's shape";
        reading.errors.push(error.with_help(help));
        return None;
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
    match axis {
        Some(axis) if axis <= greatest => return Some(axis),
        Some(axis) => {
            let message = format!("axis {axis} in over of a send, expected {expected}");
            reading.errors.push(ScenarioError::at(&value.place, message, "no axis of it"));
        }
        None => {
            let message = format!("over = {} of a send, expected {expected}", shortened(&value.written()));
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
