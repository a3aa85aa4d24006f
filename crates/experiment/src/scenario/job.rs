//! Jobs: `[[program.steps]]` that wait for one another by name, side by side if nothing orders them
//! (`docs/model.md` section 23).
//!
//! Steps are those of a sequence and more kinds ([`step_body`]). A list of steps is a job as soon as one of them has a
//! key that sequences do not have: `name`, `after`, `only`, another kind, or the program has `iterations`.

mod step_body;

use std::sync::Arc;

use cubefold_collectives::Groups;
use cubefold_simulator::{Job, JobError, JobStep};
use cubefold_topology::Shape;

use self::step_body::{ReadBody, UnsentMessages, read_body};
use super::{
    collective::{self, KnownCollectives, OwnKeys, StepTable},
    errors::{ScenarioError, alternatives, help},
    keys::Key,
    program::{ProgramKind, Reading},
    source_file::Place,
    value::{Content, Value},
};
use crate::{input::text::shortened, scenario::ScenarioProgram};

pub(super) use step_body::STEP_KINDS;

pub(super) static JOB: ProgramKind = ProgramKind {
    name: "job",
    summary: "Collectives, computations and messages that wait for one another by name.",
    keys: &[
        Key::ProgramSteps,
        Key::ProgramIterations,
        Key::ProgramAlgorithm,
        Key::ProgramProcesses,
        Key::ProgramShape,
        Key::ProgramOver,
        Key::ProgramProcessesPerNode,
        Key::ProgramUnits,
        Key::ProgramBytes,
        Key::ProgramExchange,
        Key::ProgramPorts,
        Key::ProgramOrder,
        Key::ProgramFold,
        Key::ProgramChannels,
        Key::ProgramRings,
        Key::ProgramRoot,
        Key::ProgramStages,
        Key::ProgramReduceUnitsPerCycle,
    ],
    read,
};

/// The help on the order of steps that wait for others.
const ORDER: &str = "a step comes after steps above it in the file, so that none waits in a circle";

/// The most steps of a job.
const MAX_STEPS: usize = 10_000;

/// A description of a step, for records.
#[derive(Debug, Clone)]
pub struct JobStepDescription {
    /// Its kind: an operation, `computation`, `send` or a kind of program.
    pub kind: &'static str,
    /// Its collective, if it is one.
    pub groups: Option<Arc<Groups>>,
    /// The name of its algorithm, if it runs as several collectives.
    pub algorithm: Option<Arc<str>>,
    /// The bytes of its vector or of its largest message, if units have bytes.
    pub bytes: Option<u64>,
}

/// A step that is read.
struct ReadStep {
    name: String,
    after: Vec<usize>,
    takes_part: Vec<bool>,
    unsent: Option<UnsentMessages>,
    body: ReadBody,
}

/// The names of the steps read so far, with their places.
type Names = Vec<(String, Place)>;

/// Whether a list of steps is a job.
pub(super) fn is_job(steps: &Value) -> bool {
    let Content::List(steps) = &steps.content else { return false };
    let asks = |entry: &super::value::Entry| {
        OwnKeys::ALL.contains(&entry.key.as_str())
            || entry.key == Key::ProgramKind.key()
                && matches!(&entry.value.content, Content::Text(kind) if STEP_KINDS.iter().any(|own| own.name == kind))
    };
    steps.iter().any(|step| matches!(&step.content, Content::Table(entries) if entries.iter().any(asks)))
}

/// Reads a job.
fn read(reading: &mut Reading<'_>) -> Option<ScenarioProgram> {
    let settings = reading.settings;
    let per_node = reading.per_node();
    let iterations = settings.natural(Key::ProgramIterations, reading.errors);
    let Some(value) = settings.get(Key::ProgramSteps) else {
        reading.errors.push(settings.missing(Key::ProgramSteps, "a list of tables: [[program.steps]]"));
        return None;
    };
    let shape = collective::shape(reading, per_node.unwrap_or(1));
    let values = value.list(Key::ProgramSteps.path(), "tables: [[program.steps]]", reading.errors)?;
    if values.len() > MAX_STEPS {
        reading.errors.push(value.unexpected(Key::ProgramSteps.path(), format!("at most {MAX_STEPS} steps")));
        return None;
    }
    let shape = shape?;
    let (mut known, mut names) = (KnownCollectives::default(), Names::new());
    let written = written_names(values);
    let mut steps: Vec<Option<ReadStep>> = vec![];
    for (place, value) in values.iter().enumerate() {
        steps.push(read_step(
            reading,
            (place, value),
            &shape,
            per_node.unwrap_or(1),
            &mut known,
            (&mut names, &written),
        ));
        // Of steps that are too large the first is enough.
        if known.is_over_budget() {
            return None;
        }
    }
    let steps: Vec<ReadStep> = steps.into_iter().collect::<Option<_>>()?;
    let choices: Vec<usize> = steps.iter().map(|step| step.body.choices.len()).collect();
    let iterations = usize::try_from(iterations?).ok()?;
    let mut programs = vec![];
    for chosen in collective::combinations(reading, value, &choices)? {
        programs.push(program(reading, value, &shape, iterations, per_node?, &steps, &chosen)?);
    }
    let others = programs.split_off(1);
    let unsent: Vec<UnsentMessages> = steps.iter().filter_map(|step| step.unsent.clone()).collect();
    let mut notes = vec![];
    for note in steps.into_iter().flat_map(|step| step.body.notes) {
        if !notes.contains(&note) {
            notes.push(note);
        }
    }
    notes.extend(UnsentMessages::notes(&unsent));
    Some(ScenarioProgram { notes, ..programs.pop()? }.or_faster(others))
}

/// The job with these choices of the steps.
fn program(
    reading: &mut Reading<'_>,
    value: &Value,
    shape: &Shape,
    iterations: usize,
    per_node: u64,
    steps: &[ReadStep],
    chosen: &[usize],
) -> Option<ScenarioProgram> {
    let (mut job_steps, mut descriptions) = (vec![], vec![]);
    for (step, &choice) in steps.iter().zip(chosen) {
        let (body, groups) = step.body.choices[choice].clone();
        let ReadStep { name, after, takes_part, .. } = step;
        job_steps.push(JobStep {
            name: name.clone(),
            body,
            after: after.clone(),
            takes_part: takes_part.clone(),
        });
        descriptions.push(JobStepDescription {
            kind: step.body.kind,
            groups,
            algorithm: step.body.algorithm.clone(),
            bytes: step.body.bytes,
        });
    }
    let ranks = u32::try_from(shape.node_count()).ok()?;
    let shares = job_steps.iter().map(JobStep::share_count).max().unwrap_or(1);
    let [while_made, kept] = Job::bytes_to_make(u64::from(ranks) * u64::from(shares));
    if let Err(over) = reading.settings.budget().take_for_a_while(while_made, kept) {
        reading.errors.push(over.at(&value.place, &format!("a job of {ranks} ranks")));
        return None;
    }
    match Job::new(ranks, iterations, job_steps) {
        Ok(job) => Some(ScenarioProgram::of_job(&JOB, job, shape.clone(), descriptions, per_node)),
        Err(error) => {
            reading.errors.push(refused(value, &error));
            None
        }
    }
}

/// The error for steps that make no job.
fn refused(value: &Value, error: &JobError) -> ScenarioError {
    let error = ScenarioError::at(&value.place, error.to_string(), "not a job");
    error.with_help("a job has an actor for each share of each rank in each step")
}

/// Reads a step.
fn read_step(
    reading: &mut Reading<'_>,
    (place, value): (usize, &Value),
    shape: &Shape,
    per_node: u64,
    known: &mut KnownCollectives,
    (names, written): (&mut Names, &Names),
) -> Option<ReadStep> {
    let table = StepTable::read(reading, value);
    let own = table.as_ref().map_or_else(OwnKeys::default, |table| table.own.clone());
    let after = after(reading, own.after.as_ref(), names, written);
    let name = name(reading, own.name.as_ref(), (place, value), names);
    let takes_part = takes_part(reading, own.only.as_ref(), shape);
    let body = read_body(reading, &table?, value, shape, per_node, known, takes_part.as_deref());
    let (name, takes_part, body) = (name?, takes_part?, body?);
    let unsent = body.unsent(&name, &takes_part);
    Some(ReadStep { name, after: after?, takes_part, unsent, body })
}

/// The name of a step, by default `step` and its number; reports a name that another step has.
fn name(
    reading: &mut Reading<'_>,
    written: Option<&Value>,
    (place, step): (usize, &Value),
    names: &mut Names,
) -> Option<String> {
    let (name, place) = match written {
        Some(value) => (value.text("name of a step", reading.errors)?.to_owned(), &value.place),
        None => (format!("step {place}"), &step.place),
    };
    let first = names.iter().find(|(known, _)| *known == name).map(|(_, place)| place.clone());
    if let Some(first) = first {
        let message = format!("two steps are called {name:?}, expected a name of its own for each");
        let error = ScenarioError::at(place, message, "a second time").because(Some(&first), "the first");
        reading.errors.push(error);
        return None;
    }
    names.push((name.clone(), place.clone()));
    Some(name)
}

/// The names that steps are given, with their places.
fn written_names(steps: &[Value]) -> Names {
    let of_step = |step: &Value| {
        let Content::Table(entries) = &step.content else { return None };
        let entry = entries.iter().find(|entry| entry.key == "name")?;
        let Content::Text(name) = &entry.value.content else { return None };
        Some((name.clone(), entry.value.place.clone()))
    };
    steps.iter().filter_map(of_step).collect()
}

/// The steps before that a step comes after, by default the one before it; `all` are the names of all steps.
fn after(
    reading: &mut Reading<'_>,
    written: Option<&Value>,
    names: &Names,
    all: &Names,
) -> Option<Vec<usize>> {
    let Some(value) = written else { return Some(names.len().checked_sub(1).into_iter().collect()) };
    let entries = match &value.content {
        // It comes after nothing.
        Content::List(entries) if entries.is_empty() => return Some(vec![]),
        _ => value.list("after", "names of steps before it", reading.errors)?,
    };
    let before = reading.errors.len();
    let mut after: Vec<usize> = vec![];
    for entry in entries {
        let Some(name) = entry.text("name in after", reading.errors) else { continue };
        match names.iter().position(|(known, _)| known == name) {
            Some(place) if after.contains(&place) => {
                let message = format!("{name:?} a second time in after, expected it once");
                reading.errors.push(ScenarioError::at(&entry.place, message, "a second time"));
            }
            Some(place) => after.push(place),
            None if let Some((_, place)) = all.iter().find(|(known, _)| known == name) => {
                let message = format!("no step before it is called {name:?}, expected one above it");
                let error = ScenarioError::at(&entry.place, message, "not a step before it");
                reading.errors.push(error.because(Some(place), "it stands here").with_help(ORDER));
            }
            None => {
                let known: Vec<&str> = names.iter().map(|(known, _)| known.as_str()).collect();
                let expected = match known[..] {
                    [] => "nothing: it is the first step".to_owned(),
                    [.., _] if known.len() > 12 => "the name of a step before it".to_owned(),
                    _ => alternatives(&known),
                };
                let message = format!("no step before it is called {name:?}, expected {expected}");
                let error = ScenarioError::at(&entry.place, message, "not a step before it");
                let advice = match help(name, &known) {
                    none if none.is_empty() => ORDER.to_owned(),
                    advice => advice,
                };
                reading.errors.push(error.with_help(advice));
            }
        }
    }
    (reading.errors.len() == before).then_some(after)
}

/// Whether each rank takes part; empty if all do.
fn takes_part(reading: &mut Reading<'_>, only: Option<&Value>, shape: &Shape) -> Option<Vec<bool>> {
    let Some(value) = only else { return Some(vec![]) };
    let ranges = ranges(reading, value, shape)?;
    let mut takes_part = vec![true; usize::try_from(shape.node_count()).ok()?];
    for (rank, own) in (0_u64..).zip(&mut takes_part) {
        let mut stride = 1;
        for (axis, &length) in shape.lengths().iter().enumerate() {
            let coordinate = rank / stride % length;
            *own &= ranges.iter().all(|range| range.0 != axis || (range.1..=range.2).contains(&coordinate));
            stride *= length;
        }
    }
    if takes_part.iter().all(|own| !own) {
        let message = "only leaves no rank, expected at least one";
        reading.errors.push(ScenarioError::at(&value.place, message, "no rank takes part"));
        return None;
    }
    Some(takes_part)
}

/// The axes of `only` with the first and the last coordinate.
fn ranges(reading: &mut Reading<'_>, value: &Value, shape: &Shape) -> Option<Vec<(usize, u64, u64)>> {
    let entries = value.list("only", "ranges: [[axis, first, last], ..]", reading.errors)?;
    let before = reading.errors.len();
    let mut ranges = vec![];
    for entry in entries {
        let numbers: Vec<Option<u64>> = match &entry.content {
            Content::List(numbers) => numbers
                .iter()
                .map(|number| match number.content {
                    Content::Integer(number) => number,
                    _ => None,
                })
                .collect(),
            _ => vec![],
        };
        let [Some(axis), Some(first), Some(last)] = numbers[..] else {
            let lengths: Vec<String> = shape.lengths().iter().map(u64::to_string).collect();
            let expected = format!(
                "three integers [axis, first, last] of the logical shape {}, all counted from 0",
                lengths.join("x")
            );
            let message = format!("range {} of only, expected {expected}", shortened(&entry.written()));
            reading.errors.push(ScenarioError::at(&entry.place, message, "no range"));
            continue;
        };
        let range = match range(shape, axis, first, last) {
            Ok(range) => range,
            Err(message) => {
                reading.errors.push(ScenarioError::at(&entry.place, message, "no range of an axis"));
                continue;
            }
        };
        ranges.push(range);
    }
    (reading.errors.len() == before).then_some(ranges)
}

/// An axis with a range of its coordinates, or the error.
fn range(shape: &Shape, axis: u64, first: u64, last: u64) -> Result<(usize, u64, u64), String> {
    let number = usize::try_from(axis).ok();
    let Some((number, &length)) = number.and_then(|own| Some((own, shape.lengths().get(own)?))) else {
        let greatest = shape.dimension_count() - 1;
        return Err(format!("axis {axis} in only, expected an axis of the logical shape: 0 to {greatest}"));
    };
    if first > last {
        return Err(format!("only from {first} to {last}, expected a first that is not above the last"));
    }
    if last >= length {
        return Err(format!("coordinate {last} in only, expected one of axis {axis}: 0 to {}", length - 1));
    }
    Ok((number, first, last))
}
