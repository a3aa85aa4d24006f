//! Collectives as steps of a job: by one algorithm, in levels or by switches (`docs/model.md` sections 16 and 23.3).

use std::sync::Arc;

use cubefold_collectives::{Collective, Operation};
use cubefold_simulator::StepBody;
use cubefold_topology::Shape;

use super::step_body::{PartOfStep, Parts, ReadBody, STEP_KINDS, StepsOfTable};
use crate::{
    collective::{
        self, KnownCollectives, StepTable,
        chunk_steps::{self, ChunkStep},
        hierarchical::{self, Levels, WholeOperation},
        in_switch,
    },
    errors::ScenarioError,
    keys::Key,
    program::Reading,
    value::Value,
};

/// A collective, or its alternatives with different exchanges.
pub(super) fn read(
    reading: &mut Reading<'_>,
    table: &StepTable,
    value: &Value,
    shape: &Shape,
    per_node: u64,
    known: &mut KnownCollectives,
    parts: Option<&Parts<'_>>,
) -> Option<StepsOfTable<ReadBody>> {
    let others: Vec<&str> = STEP_KINDS.iter().map(|kind| kind.name).collect();
    let (kind, operation) = collective::step_kind(reading, value, &others)?;
    collective::report_foreign(reading, &table.step, kind);
    let levels = if let Some(written) = hierarchical::table(reading) {
        Some(hierarchical::read_levels(reading, operation, written, per_node)?)
    } else if in_switch::is_asked(reading) {
        let written = reading.settings.get(Key::ProgramAlgorithm)?;
        Some(in_switch::levels(reading, operation, written, per_node)?)
    } else {
        None
    };
    if let Some(levels) = levels {
        check_ranks(reading, table, value, levels.whole.groups.rank_count(), shape)?;
        return of_levels(reading, operation, levels, parts);
    }
    let asked = collective::ask(reading, kind, operation, per_node)?;
    check_ranks(reading, table, value, asked.specification.shape.node_count(), shape)?;
    let mut choices = vec![];
    for specification in std::iter::once(asked.specification).chain(asked.other) {
        let groups = known.collective(reading, specification, &asked.over)?;
        check_only(reading, parts, &groups.ranks_of_groups())?;
        let messages = chunk_steps::messages(Collective::of_groups(Arc::clone(&groups)));
        choices.push((messages, Some(groups)));
    }
    let (bytes, notes) = (asked.bytes, asked.notes);
    Some(ReadBody { kind: operation.name(), choices, bytes, algorithm: None, notes }.into())
}

/// A collective in levels, or by switches: one step if all ranks take its steps together, or if there is only one.
fn of_levels(
    reading: &mut Reading<'_>,
    operation: Operation,
    levels: Levels,
    parts: Option<&Parts<'_>>,
) -> Option<StepsOfTable<ReadBody>> {
    let (sequence, mut steps) = (levels.sequence(), chunk_steps::steps(&levels));
    for step in &steps {
        match (&step.groups, &step.body) {
            (Some(groups), _) => check_only(reading, parts, &groups.ranks_of_groups())?,
            (None, StepBody::InSwitches(reduction)) => check_only(reading, parts, &reduction.groups)?,
            (None, StepBody::Computation(_) | StepBody::Messages { .. }) => {}
        }
    }
    let Levels { bytes, whole: WholeOperation { groups, algorithm }, notes, .. } = levels;
    let body = match sequence {
        Some(sequence) => Some(chunk_steps::messages(hierarchical::one_after_another(&sequence)?)),
        None if steps.len() == 1 => steps.pop().map(|only| only.body),
        None => None,
    };
    let kind = operation.name();
    if let Some(body) = body {
        let choices = vec![(body, Some(groups))];
        return Some(ReadBody { kind, choices, bytes, algorithm: Some(algorithm), notes }.into());
    }
    let part = |(number, chunk_step): (usize, ChunkStep)| {
        let ChunkStep { name, operation, body, groups, algorithm, after } = chunk_step;
        let choices = vec![(body, groups)];
        let notes = if number == 0 { notes.clone() } else { vec![] };
        let body = ReadBody { kind: operation.name(), choices, bytes: None, algorithm, notes };
        PartOfStep { name: Some(name), after, body }
    };
    Some(StepsOfTable { kind, parts: steps.into_iter().enumerate().map(part).collect() })
}

/// Reports a collective whose ranks are not those of the program.
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
    reading.settings.fail(ScenarioError::at(place, message, "other ranks"))
}

/// Reports a rank that takes part without its whole group.
fn check_only(reading: &mut Reading<'_>, parts: Option<&Parts<'_>>, groups: &[Vec<u32>]) -> Option<()> {
    let Some(parts) = parts else { return Some(()) };
    for takes_part in parts.takes_part {
        let is_in = |rank: &&u32| takes_part.get(**rank as usize).is_some_and(|takes_part| *takes_part);
        for group in groups {
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
            return reading.settings.fail(error.with_help(help));
        }
    }
    Some(())
}
