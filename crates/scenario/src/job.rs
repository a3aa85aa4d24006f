//! Jobs: `[[program.steps]]` that wait for one another by name, or run concurrently if nothing orders them
//! (`docs/model.md` section 23).
//!
//! Steps are those of sequences and further kinds ([`step_body`]). A [`pipeline`] expands to steps, and so do
//! hierarchical collectives in several chunks or by switches. A list of steps is a job if one of them is such a
//! collective or has a key that sequences do not have: `name`, `after`, `only`, another kind, or the program has
//! `iterations`.

mod collective_step;
mod pipeline;
mod ranks;
mod schedule;
mod shift;
mod step_body;

use std::{collections::BTreeMap, sync::Arc};

use cubefold_collectives::Groups;
use cubefold_simulator::{Job, JobStep};
use cubefold_topology::Shape;

use self::ranks::takes_part;
use self::step_body::{PartOfStep, Parts, ReadBody, StepsOfTable, UnsentMessages, read_body};
use super::{
    collective::{self, KnownCollectives, MAX_STEPS, OwnKeys, StepTable, chunk_steps},
    errors::{ScenarioError, alternatives, help},
    keys::Key,
    program::{ProgramKind, Reading},
    source_file::Place,
    value::{Content, Value},
};
use crate::ScenarioProgram;

pub use pipeline::{PipelineDescription, PipelineTask};
pub(crate) use schedule::schedule_names;
pub(super) use step_body::STEP_KINDS;
pub use step_body::kinds_of_steps;

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
        Key::ProgramChunks,
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

/// A step as read.
struct ReadStep {
    after: Vec<usize>,
    /// Whether each rank takes part; if empty, all do.
    takes_part: Arc<[bool]>,
    /// The place of its body among the bodies read.
    body: usize,
    /// Whether it is the send of a task of a pipeline, which always involves a part of the ranks.
    is_send_of_pipeline: bool,
}

type WrittenNames = Vec<(String, Place)>;

/// The names of the steps read so far.
#[derive(Default)]
struct Names {
    /// The names of tables, in the order of the file.
    of_tables: Vec<String>,
    /// All names, including those of steps of pipelines, with their places and the steps that `after` with this name
    /// waits for.
    all: BTreeMap<String, (Place, Vec<usize>)>,
    /// The steps that the next one comes after by default.
    last: Vec<usize>,
}

impl Names {
    fn add(&mut self, name: &str, place: &Place, steps: Vec<usize>) {
        self.all.insert(name.to_owned(), (place.clone(), steps));
    }
}

/// The steps of a job while they are read.
struct StepReading<'a> {
    shape: &'a Shape,
    per_node: u64,
    known: KnownCollectives,
    names: Names,
    steps: Vec<ReadStep>,
    step_names: Vec<String>,
    bodies: Vec<ReadBody>,
    pipelines: Vec<PipelineDescription>,
    unnamed_pipeline: Option<Place>,
}

impl<'a> StepReading<'a> {
    fn new(shape: &'a Shape, per_node: u64) -> Self {
        Self {
            shape,
            per_node,
            known: KnownCollectives::default(),
            names: Names::default(),
            steps: vec![],
            step_names: vec![],
            bodies: vec![],
            pipelines: vec![],
            unnamed_pipeline: None,
        }
    }

    /// Reads the steps that a table stands for, and returns the places of their bodies.
    fn parts(
        &mut self,
        reading: &mut Reading<'_>,
        table: &StepTable,
        value: &Value,
        parts: Option<&Parts<'_>>,
    ) -> Option<StepsOfTable<usize>> {
        let StepsOfTable { kind, parts } =
            read_body(reading, table, value, self.shape, self.per_node, &mut self.known, parts)?;
        let part = |PartOfStep { name, after, body }| PartOfStep { name, after, body: self.add_body(body) };
        Some(StepsOfTable { kind, parts: parts.into_iter().map(part).collect() })
    }

    fn add_body(&mut self, body: ReadBody) -> usize {
        self.bodies.push(body);
        self.bodies.len() - 1
    }

    /// Adds a step; returns its place. Reports a name that another step has.
    fn add(&mut self, reading: &mut Reading<'_>, name: &str, place: &Place, step: ReadStep) -> Option<usize> {
        check_new(reading, &self.names, name, place)?;
        self.names.add(name, place, vec![self.steps.len()]);
        self.step_names.push(name.to_owned());
        self.steps.push(step);
        Some(self.steps.len() - 1)
    }

    /// Adds the steps that a table stands for, the first of them after `after`; returns the last.
    fn add_parts(
        &mut self,
        reading: &mut Reading<'_>,
        (name, place): (&str, &Place),
        parts: &[PartOfStep<usize>],
        after: &[usize],
        takes_part: &Arc<[bool]>,
    ) -> Option<usize> {
        let first = self.steps.len();
        check_new(reading, &self.names, name, place)?;
        if first + parts.len() > MAX_STEPS {
            let message = format!("{} steps of a job, expected at most {MAX_STEPS}", first + parts.len());
            return reading.settings.fail(ScenarioError::at(place, message, "too many steps"));
        }
        for part in parts {
            let own_name = part.name.as_ref().map_or_else(|| name.to_owned(), |end| format!("{name} {end}"));
            let after = if self.steps.len() == first {
                after.to_vec()
            } else {
                part.after.iter().map(|step| first + step).collect()
            };
            let takes_part = Arc::clone(takes_part);
            let read_step = ReadStep { after, takes_part, body: part.body, is_send_of_pipeline: false };
            self.add(reading, &own_name, place, read_step)?;
        }
        let last = self.steps.len() - 1;
        if parts.len() > 1 {
            self.names.add(name, place, vec![last]);
        }
        Some(last)
    }

    /// The messages of steps that send none of them, or only a part because some ranks do not take part.
    fn unsent(&self) -> Vec<UnsentMessages> {
        let mut known: Vec<(usize, &Arc<[bool]>, Option<UnsentMessages>)> = vec![];
        let mut all = vec![];
        for (step, name) in
            self.steps.iter().zip(&self.step_names).filter(|(step, _)| !step.is_send_of_pipeline)
        {
            let is_same = |entry: &&(usize, &Arc<[bool]>, _)| {
                entry.0 == step.body && Arc::ptr_eq(entry.1, &step.takes_part)
            };
            let unsent = if let Some(known) = known.iter().find(is_same) {
                known.2.clone()
            } else {
                let unsent = self.bodies[step.body].unsent(name, &step.takes_part);
                known.push((step.body, &step.takes_part, unsent.clone()));
                unsent
            };
            all.extend(unsent.map(|unsent| UnsentMessages { step: name.clone(), ..unsent }));
        }
        all
    }
}

/// Whether a list of steps is a job; `algorithm` is the default algorithm of its steps.
pub(super) fn is_job(steps: &Value, algorithm: Option<&Value>) -> bool {
    let Content::List(steps) = &steps.content else { return false };
    let asks = |entry: &super::value::Entry| {
        OwnKeys::ALL.contains(&entry.key.as_str())
            || entry.key == Key::ProgramKind.key()
                && matches!(&entry.value.content, Content::Text(kind) if STEP_KINDS.iter().any(|step_kind| step_kind.name == kind))
    };
    steps.iter().any(|step| {
        let Content::Table(entries) = &step.content else { return false };
        let step_algorithm =
            entries.iter().find(|entry| entry.key == Key::ProgramAlgorithm.key()).map(|entry| &entry.value);
        entries.iter().any(asks) || step_algorithm.or(algorithm).is_some_and(chunk_steps::needs_job)
    })
}

fn read(reading: &mut Reading<'_>) -> Option<ScenarioProgram> {
    let settings = reading.settings;
    let per_node = reading.per_node();
    let iterations = settings.natural(Key::ProgramIterations);
    let value = settings.required(Key::ProgramSteps, "a list of tables: [[program.steps]]")?;
    let shape = collective::shape(reading, per_node.unwrap_or(1));
    let values = collective::tables(settings, value)?;
    let shape = shape?;
    let written = written_names(values);
    let mut job = StepReading::new(&shape, per_node.unwrap_or(1));
    let mut all_are_read = true;
    for (place, value) in values.iter().enumerate() {
        all_are_read &= read_step(&mut job, reading, (place, value), &written).is_some();
        // One report of a step that is too large is enough.
        if job.known.is_over_budget {
            return None;
        }
    }
    if !all_are_read {
        return None;
    }
    let choices: Vec<usize> = job.bodies.iter().map(|body| body.choices.len()).collect();
    let iterations = usize::try_from(iterations?).ok()?;
    let mut programs = vec![];
    for chosen in collective::combinations(reading, value, &choices)? {
        programs.push(program(reading, value, (iterations, per_node?), &job, &chosen)?);
    }
    let others = programs.split_off(1);
    let unsent = job.unsent();
    let mut notes = collective::distinct(job.bodies.into_iter().flat_map(|body| body.notes));
    notes.extend(UnsentMessages::notes(&unsent));
    Some(ScenarioProgram { notes, ..programs.pop()? }.or_faster(others))
}

/// The job with these choices for its bodies.
fn program(
    reading: &mut Reading<'_>,
    value: &Value,
    (iterations, per_node): (usize, u64),
    read: &StepReading<'_>,
    chosen: &[usize],
) -> Option<ScenarioProgram> {
    let (mut steps, mut descriptions) = (vec![], vec![]);
    for (step, name) in read.steps.iter().zip(&read.step_names) {
        let read_body = &read.bodies[step.body];
        let (body, groups) = read_body.choices[chosen[step.body]].clone();
        let ReadStep { after, takes_part, .. } = step;
        steps.push(JobStep {
            name: name.clone(),
            body,
            after: after.clone(),
            takes_part: Arc::clone(takes_part),
        });
        descriptions.push(JobStepDescription {
            kind: read_body.kind,
            groups,
            algorithm: read_body.algorithm.clone(),
            bytes: read_body.bytes,
        });
    }
    let ranks = u32::try_from(read.shape.node_count()).ok()?;
    let shares = steps.iter().map(JobStep::share_count).max().unwrap_or(1);
    let bytes = Job::bytes_to_make(u64::from(ranks) * u64::from(shares));
    reading.settings.take(bytes, &value.place, &format!("a job of {ranks} ranks"))?;
    match Job::new(ranks, iterations, steps) {
        Ok(job) => {
            let program = ScenarioProgram::of_job(&JOB, job, read.shape.clone(), descriptions, per_node);
            Some(ScenarioProgram { pipelines: read.pipelines.clone().into(), ..program })
        }
        Err(error) => {
            let error = ScenarioError::at(&value.place, error.to_string(), "not a job");
            let help = "a job has an actor for each share of each rank in each step";
            reading.settings.fail(error.with_help(help))
        }
    }
}

/// Reads a table: a step, or a pipeline with all of its steps.
fn read_step(
    job: &mut StepReading<'_>,
    reading: &mut Reading<'_>,
    (place, value): (usize, &Value),
    written: &WrittenNames,
) -> Option<()> {
    let table = StepTable::read(reading, value);
    let own = |key: &str| table.as_ref()?.own.get(key);
    let after = after(reading, own("after"), &job.names, written);
    let name = name(reading, own("name"), (place, value), &job.names);
    let takes_part = takes_part(reading, own("only"), job.shape);
    if let Some(table) = table.as_ref().filter(|table| step_body::is_pipeline(table)) {
        job.names.of_tables.extend(name.as_ref().map(|(name, _)| name.clone()));
        let is_written = own("name").is_some();
        if !is_written && let Some(first) = job.unnamed_pipeline.replace(value.place.clone()) {
            let message =
                "two pipelines without a name, expected one at most: their steps would have the same names";
            let error =
                ScenarioError::at(&value.place, message, "the second").because(Some(&first), "the first");
            return reading.settings.fail(error.with_help("give it a name"));
        }
        let name = name.map(|(shown, _)| pipeline::PipelineName { shown, is_written });
        // Later steps may come after it even if it has errors.
        let known = name.as_ref().map(|name| name.shown.clone());
        let read = pipeline::read(job, reading, (table, value), (name, after), takes_part);
        if read.is_none()
            && let Some(name) = known
        {
            job.names.add(&name, &value.place, vec![]);
            job.names.last = vec![];
        }
        return read;
    }
    let parts = |takes_part: &Arc<[bool]>| vec![Arc::clone(takes_part)];
    let all = takes_part.as_ref().map(parts);
    let parts = own("only").zip(all.as_deref());
    let parts = parts.map(|(only, takes_part)| Parts { place: &only.place, takes_part, divides: "only" });
    // Even if the name is wrong, the body is read to report its errors.
    let parts = job.parts(reading, table.as_ref()?, value, parts.as_ref());
    let is_whole = parts.is_some() && after.is_some() && takes_part.is_some();
    let (name, place) = name?;
    job.names.of_tables.push(name.clone());
    // Later steps may come after it even if it has errors.
    let parts =
        parts.map_or_else(|| vec![PartOfStep { name: None, after: vec![], body: 0 }], |body| body.parts);
    let (after, takes_part) = (after.unwrap_or_default(), takes_part.unwrap_or_default());
    let last = job.add_parts(reading, (&name, &place), &parts, &after, &takes_part)?;
    job.names.last = vec![last];
    is_whole.then_some(())
}

/// The name of a table and its place, by default `step` and its number; reports a name that another step has.
fn name(
    reading: &mut Reading<'_>,
    written: Option<&Value>,
    (place, step): (usize, &Value),
    names: &Names,
) -> Option<(String, Place)> {
    let (name, place) = match written {
        Some(value) => (value.text("name of a step", reading.settings.errors())?.to_owned(), &value.place),
        None => (format!("step {place}"), &step.place),
    };
    check_new(reading, names, &name, place)?;
    Some((name, place.clone()))
}

/// Reports a name that another step has.
fn check_new(reading: &mut Reading<'_>, names: &Names, name: &str, place: &Place) -> Option<()> {
    let Some((first, _)) = names.all.get(name) else { return Some(()) };
    let message = format!("two steps are called {name:?}, expected a name of its own for each");
    let error = ScenarioError::at(place, message, "a second time").because(Some(first), "the first");
    reading.settings.fail(error)
}

/// The names that are given to tables, with their places.
fn written_names(steps: &[Value]) -> WrittenNames {
    let of_step = |step: &Value| {
        let Content::Table(entries) = &step.content else { return None };
        let entry = entries.iter().find(|entry| entry.key == "name")?;
        let Content::Text(name) = &entry.value.content else { return None };
        Some((name.clone(), entry.value.place.clone()))
    };
    steps.iter().filter_map(of_step).collect()
}

/// The earlier steps that a step comes after, by default the previous table; `all` are the names of all tables.
fn after(
    reading: &mut Reading<'_>,
    written: Option<&Value>,
    names: &Names,
    all: &WrittenNames,
) -> Option<Vec<usize>> {
    let Some(value) = written else { return Some(names.last.clone()) };
    let entries = match &value.content {
        // It waits for nothing.
        Content::List(entries) if entries.is_empty() => return Some(vec![]),
        _ => value.list("after", "names of steps before it", reading.settings.errors())?,
    };
    let before = reading.settings.errors().len();
    let (mut after, mut named): (Vec<usize>, Vec<&str>) = (vec![], vec![]);
    for entry in entries {
        let Some(name) = entry.text("name in after", reading.settings.errors()) else { continue };
        match names.all.get(name) {
            Some(_) if named.contains(&name) => {
                let message = format!("{name:?} a second time in after, expected it once");
                reading.settings.report(ScenarioError::at(&entry.place, message, "a second time"));
            }
            Some((_, steps)) => {
                named.push(name);
                for &step in steps {
                    if !after.contains(&step) {
                        after.push(step);
                    }
                }
            }
            None if let Some((_, place)) = all.iter().find(|(known, _)| known == name) => {
                let message = format!("no step before it is called {name:?}, expected one above it");
                let error = ScenarioError::at(&entry.place, message, "not a step before it");
                reading.settings.report(error.because(Some(place), "it stands here").with_help(ORDER));
            }
            None => {
                let known: Vec<&str> = names.of_tables.iter().map(String::as_str).collect();
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
                reading.settings.report(error.with_help(advice));
            }
        }
    }
    (reading.settings.errors().len() == before).then_some(after)
}
