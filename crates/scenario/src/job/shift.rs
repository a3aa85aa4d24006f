//! Shifts along an axis of the logical shape: `kind = "send"`, and the sends of pipelines (`docs/model.md` section 23.3).

use std::sync::Arc;

use cubefold_formats::input::text::shortened;
use cubefold_mapping::ProcessId;
use cubefold_simulator::{Computations, StageMessage, StageProgram};
use cubefold_topology::{Shape, narrow};

use super::step_body::{ReadBody, whole};
use crate::{
    collective::StepTable,
    errors::{ScenarioError, alternatives},
    keys::Key,
    message_sizes,
    program::{ProgramKind, Reading},
    source_file::Place,
    value::Content,
};

/// A shift of every rank along one axis; occurs only as a step.
pub(super) static SEND: ProgramKind = ProgramKind {
    name: "send",
    summary: "Every rank sends to the one further along an axis.",
    keys: &[Key::ProgramOver, Key::ProgramUnits, Key::ProgramBytes],
    read: |_| None, // a step is read by `send`
};

/// A shift of ranks along an axis.
#[derive(Clone, Copy)]
pub(super) struct Shift {
    pub(super) axis: usize,
    /// The distance, not 0.
    pub(super) by: i64,
    pub(super) wraps: bool,
    pub(super) units: u64,
}

/// Every rank sends to the rank `by` further along an axis, if there is one.
pub(super) fn send(reading: &mut Reading<'_>, table: &StepTable, shape: &Shape) -> Option<ReadBody> {
    let sizes = message_sizes::read_one(reading.settings, reading.machine.timing.scale());
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
    let message = |(rank, coordinate): (u64, u64)| {
        let to = i128::from(coordinate) + i128::from(by);
        let to = if wraps { to.rem_euclid(length) } else { to };
        let there = u64::try_from(to).ok().filter(|_| to < length && to != i128::from(coordinate))?;
        let is_sender = |senders: &[bool]| usize::try_from(rank).is_ok_and(|rank| senders[rank]);
        if !senders.is_none_or(is_sender) {
            return None;
        }
        let rest = rank - coordinate * stride;
        let [source, destination] = [rank, rest + there * stride].map(|rank| ProcessId::new(narrow(rank)));
        Some(StageMessage { stage: 0, source, destination, units })
    };
    let messages: Vec<StageMessage> = (0..).zip(coordinates(shape, axis)).filter_map(message).collect();
    let memory = StageProgram::bytes_to_make(ranks, 1, messages.len() as u64);
    reading.settings.take(memory, place, "a step of this many messages")?;
    let computations = Computations::Same(reading.compute()?);
    match StageProgram::with_empty_messages(1, narrow(ranks), computations, &messages) {
        Ok(program) => Some(whole(&SEND, Arc::new(program), bytes, vec![])),
        Err(error) => reading.settings.fail(ScenarioError::at(place, error.to_string(), "this step")),
    }
}

/// Whether a send goes around its axis.
fn wraps(reading: &mut Reading<'_>, table: &StepTable) -> Option<bool> {
    let Some(value) = table.own.get("wrap") else { return Some(false) };
    value.truth("wrap", reading.settings.errors())
}

/// The axis that a send goes along, or that the stages of a pipeline are on.
pub(super) fn axis(reading: &mut Reading<'_>, table: &StepTable, shape: &Shape, of: &str) -> Option<usize> {
    let greatest = shape.dimension_count() - 1;
    let expected = format!("one axis of the logical shape, such as [0], of 0 to {greatest}");
    let Some(value) = table.step.values.get(Key::ProgramOver) else {
        let message = format!("over is missing in {of}, expected {expected}");
        return reading.settings.fail(ScenarioError::at(&table.step.place, message, "no axis"));
    };
    let axis = match value.integers().as_deref() {
        Some(&[axis]) => usize::try_from(axis).ok(),
        _ => None,
    };
    match axis {
        Some(axis) if axis <= greatest => Some(axis),
        Some(axis) => {
            let message = format!("axis {axis} in over of {of}, expected {expected}");
            reading.settings.fail(ScenarioError::at(&value.place, message, "no axis of it"))
        }
        None => {
            let message = format!("over = {} of {of}, expected {expected}", shortened(&value.written()));
            reading.settings.fail(ScenarioError::at(&value.place, message, "no axis"))
        }
    }
}

/// The distance of a send along its axis, not 0.
fn by(reading: &mut Reading<'_>, table: &StepTable) -> Option<i64> {
    let Some(value) = table.own.get("by") else { return Some(1) };
    let number = match value.content {
        Content::Integer(_) => value.place.text().replace('_', "").parse::<i64>().ok(),
        _ => None,
    };
    let number = number.filter(|&number| number != 0);
    if number.is_none() {
        let expected = alternatives(&["1", "-1", "another number of ranks that is not 0"]);
        reading.settings.report(value.unexpected("by", expected));
    }
    number
}
