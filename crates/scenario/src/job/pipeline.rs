//! Pipelines: a table of a job that expands to the steps of its tasks (`docs/model.md` section 23.5).
//!
//! The steps of a task are read once and shared by all stages and microbatches.

use std::{collections::BTreeMap, sync::Arc};

use cubefold_topology::Shape;

use super::{
    ReadStep, StepReading,
    schedule::{Need, Pass, Schedule, Task, Tasks, schedule_names},
    shift::{self, Shift},
    step_body::{self, PIPELINE, PartOfStep, Parts, StepsOfTable},
};
use crate::{
    collective::{self, StepTable},
    errors::{ScenarioError, alternatives},
    keys::{Key, MAX_INTEGER},
    message_sizes,
    program::Reading,
    source_file::Place,
    value::{Content, Value},
};

/// The name of the sends of tasks.
const SEND: &str = "send";

/// A pipeline of a job, for records.
#[derive(Debug, Clone)]
pub struct PipelineDescription {
    /// Its name.
    pub name: String,
    /// The prefix of the names of its steps: its name and a blank, or nothing.
    pub prefix: String,
    /// Its tasks and sends.
    pub tasks: Vec<PipelineTask>,
}

/// A task of a pipeline, or the send of its result: consecutive steps of the job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PipelineTask {
    /// `F` or `B`, or `F send` or `B send`.
    pub kind: &'static str,
    /// Its chunk of layers.
    pub chunk: usize,
    /// Its stage.
    pub stage: usize,
    /// Its first step, by its place in the job.
    pub first: usize,
    /// Its last step.
    pub last: usize,
}

impl PipelineTask {
    /// All kinds, in the order of results.
    pub const KINDS: [&'static str; 4] = ["F", "B", "F send", "B send"];
}

/// A step of a task as read.
struct TaskStep {
    name: String,
    parts: Vec<PartOfStep<usize>>,
}

/// The values of the keys of a pipeline, except the steps of its tasks.
struct Keys {
    axis: usize,
    tasks: Tasks,
    units: u64, // of a message between stages
    bytes: Option<u64>,
}

/// Reads a pipeline and adds its steps after `after`.
pub(super) fn read(
    job: &mut StepReading<'_>,
    reading: &mut Reading<'_>,
    (table, value): (&StepTable, &Value),
    (name, after): (Option<PipelineName>, Option<Vec<usize>>),
    takes_part: Option<Arc<[bool]>>,
) -> Option<()> {
    let settings = reading.settings.of_step(&table.step);
    let computations = reading.computations.clone();
    let step_reading = &mut reading.of_step(&settings, computations);
    report_foreign(step_reading, table);
    let keys = keys(step_reading, table, value, job.shape);
    let stages = keys.as_ref().zip(takes_part.as_ref());
    let stages = stages
        .and_then(|(keys, takes_part)| stages_of(step_reading, table, (value, keys), job.shape, takes_part));
    let only = stages.as_deref().map(|stages| (&value.place, stages));
    let forward = passes(job, reading, (table, value), "forward", only);
    let backward = passes(job, reading, (table, value), "backward", only);
    let (keys, stages, name) = (keys?, stages?, name?);
    let (takes_part, after) = (takes_part?, after?);
    let passes = [forward?, backward?];
    check_count(reading, &value.place, job.steps.len(), (&keys.tasks, &passes))?;
    let mut written = WrittenOut {
        keys: &keys,
        passes: &passes,
        stages: &stages,
        takes_part: &takes_part,
        after: &after,
        name: &name,
        last_steps: vec![0; 2 * keys.tasks.stages * keys.tasks.chunks * keys.tasks.microbatches],
        sends: BTreeMap::new(),
        send_steps: BTreeMap::new(),
        before: vec![None; keys.tasks.stages],
        tasks: vec![],
    };
    let first = job.steps.len();
    for task in keys.tasks.in_rounds() {
        written.write(job, reading, task, &value.place)?;
    }
    let tasks = written.tasks;
    let mut is_followed = vec![false; job.steps.len()];
    job.steps[first..].iter().flat_map(|step| &step.after).for_each(|&step| is_followed[step] = true);
    let ends: Vec<usize> = (first..job.steps.len()).filter(|&step| !is_followed[step]).collect();
    job.names.last.clone_from(&ends);
    job.names.add(&name.shown, &value.place, ends);
    let prefix = name.prefix();
    job.pipelines.push(PipelineDescription { name: name.shown, prefix, tasks });
    Some(())
}

/// Reports a pipeline with more steps than a job with `before` other steps may have.
fn check_count(
    reading: &mut Reading<'_>,
    place: &Place,
    before: usize,
    (tasks, passes): (&Tasks, &[Vec<TaskStep>; 2]),
) -> Option<()> {
    let of_pass = |pass: &Vec<TaskStep>| pass.iter().map(|step| step.parts.len()).sum::<usize>();
    let of_microbatch = of_pass(&passes[0]) + of_pass(&passes[1]) + 2; // with the sends
    let steps = [tasks.stages, tasks.chunks, tasks.microbatches, of_microbatch];
    let steps: u128 = steps.iter().map(|&step| step as u128).product();
    if steps + before as u128 <= super::MAX_STEPS as u128 {
        return Some(());
    }
    let most = super::MAX_STEPS;
    let message = format!("a pipeline of up to {steps} steps, expected at most {most} steps of the job");
    reading.settings.fail(ScenarioError::at(place, message, "too many steps"))
}

pub(super) struct PipelineName {
    /// Its name in `after` and in results.
    pub(super) shown: String,
    /// Whether the file gives it; then it is a prefix of the names of its steps.
    pub(super) is_written: bool,
}

impl PipelineName {
    /// The prefix of the names of its steps.
    fn prefix(&self) -> String {
        if self.is_written { format!("{} ", self.shown) } else { String::new() }
    }
}

/// Reports keys that a pipeline does not take.
fn report_foreign(reading: &mut Reading<'_>, table: &StepTable) {
    step_body::report_foreign_own(reading, table, Some(&PIPELINE));
    collective::report_foreign(reading, &table.step, &PIPELINE);
    for key in [Key::ProgramCompute, Key::ProgramComputeCycles] {
        if let Some(value) = table.step.values.get(key) {
            let message = format!("{} of a pipeline, expected it in forward and backward", key.key());
            reading.settings.report(ScenarioError::at(&value.place, message, "not of a pipeline"));
        }
    }
}

/// Reads the keys of a pipeline except those of its steps.
fn keys(reading: &mut Reading<'_>, table: &StepTable, value: &Value, shape: &Shape) -> Option<Keys> {
    let axis = shift::axis(reading, table, shape, "a pipeline");
    let microbatches = required(reading, (table, value), "microbatches", "an integer from 1 on");
    let microbatches = microbatches.and_then(|value| {
        value.natural("microbatches of a pipeline", 1..=MAX_INTEGER, reading.settings.errors())
    });
    let schedule = required(reading, (table, value), "schedule", &alternatives(&schedule_names()));
    let schedule = schedule
        .and_then(|value| value.choice("schedule of a pipeline", &Schedule::ALL, reading.settings.errors()));
    let chunks = schedule.and_then(|schedule| chunks(reading, table, value, schedule));
    let sizes = message_sizes::read_one(reading.settings, reading.machine.timing.scale());
    let (axis, microbatches, schedule, chunks) = (axis?, microbatches?, schedule?, chunks?);
    let (units, bytes) = sizes?;
    let stages = shape.lengths()[axis];
    if schedule == Schedule::Interleaved && !microbatches.is_multiple_of(stages) {
        let found = &table.own.get("microbatches")?.place;
        let message = format!(
            "{microbatches} microbatches of an interleaved pipeline of {stages} stages, expected a multiple of {stages}"
        );
        let label = format!("expected a multiple of {stages}");
        return reading.settings.fail(ScenarioError::at(found, message, label));
    }
    let number = |count: u64| usize::try_from(count).ok();
    // More microbatches than steps are reported as too many steps.
    let microbatches = number(microbatches.min(1 << 30))?;
    let tasks = Tasks { schedule, stages: number(stages)?, microbatches, chunks: number(chunks)? };
    if tasks.stages as u128 * tasks.chunks as u128 * tasks.microbatches as u128 > super::MAX_STEPS as u128 {
        let message = format!(
            "a pipeline of {stages} stages, {chunks} chunks and {microbatches} microbatches, expected at most {} steps of \
             the job",
            super::MAX_STEPS
        );
        return reading.settings.fail(ScenarioError::at(&value.place, message, "too many steps"));
    }
    Some(Keys { axis, tasks, units, bytes })
}

/// The value of a key that pipelines require.
fn required<'a>(
    reading: &mut Reading<'_>,
    (table, value): (&'a StepTable, &Value),
    key: &str,
    expected: &str,
) -> Option<&'a Value> {
    let given = table.own.get(key);
    if given.is_none() {
        let message = format!("{key} is missing in a pipeline, expected {expected}");
        reading.settings.report(ScenarioError::at(&value.place, message, format!("no {key}")));
    }
    given
}

/// The chunks of a stage, which only interleaved pipelines have.
fn chunks(reading: &mut Reading<'_>, table: &StepTable, value: &Value, schedule: Schedule) -> Option<u64> {
    let written = table.step.values.get(Key::ProgramChunks);
    match (schedule, written) {
        (Schedule::Interleaved, Some(count)) => {
            count.natural("chunks of an interleaved pipeline", 2..=MAX_INTEGER, reading.settings.errors())
        }
        (Schedule::Interleaved, None) => {
            let message = "chunks is missing in an interleaved pipeline, expected an integer from 2 on";
            reading.settings.fail(ScenarioError::at(&value.place, message, "no chunks"))
        }
        (Schedule::GPipe | Schedule::OneForwardOneBackward, None) => Some(1),
        (Schedule::GPipe | Schedule::OneForwardOneBackward, Some(count)) => {
            let message = "chunks of a pipeline with one chunk a stage, expected schedule = \"interleaved\"";
            let error = ScenarioError::at(&count.place, message, "only of interleaved pipelines");
            let schedule = table.own.get("schedule").map(|schedule| &schedule.place);
            reading.settings.fail(error.because(schedule, "the schedule"))
        }
    }
}

/// The ranks of the stages, from stage 0 on.
fn stages_of(
    reading: &mut Reading<'_>,
    table: &StepTable,
    (value, keys): (&Value, &Keys),
    shape: &Shape,
    takes_part: &[bool],
) -> Option<Vec<Arc<[bool]>>> {
    let stage_of = shift::coordinates(shape, keys.axis);
    let is_in = |rank: usize| takes_part.get(rank).copied().unwrap_or(true);
    let of_stage = |stage: usize| -> Arc<[bool]> {
        stage_of
            .iter()
            .enumerate()
            .map(|(rank, &rank_stage)| rank_stage == stage as u64 && is_in(rank))
            .collect()
    };
    let stages: Vec<Arc<[bool]>> = (0..keys.tasks.stages).map(of_stage).collect();
    let along_axis = table.own.get("only").and_then(|only| {
        let Content::List(ranges) = &only.content else { return None };
        let axis = |range: &Value| range.integers()?.first().copied();
        ranges.iter().find(|range| axis(range) == Some(keys.axis as u64))
    });
    if let Some(range) = along_axis {
        let message = format!(
            "only along axis {} of the stages of a pipeline, expected other axes: every stage takes part",
            keys.axis
        );
        let error = ScenarioError::at(&range.place, message, "the axis of the stages");
        let over = table.step.values.get(Key::ProgramOver).unwrap_or(value);
        return reading.settings.fail(error.because(Some(&over.place), "the axis"));
    }
    Some(stages)
}

/// Reads the steps of the tasks of a pass.
fn passes(
    job: &mut StepReading<'_>,
    reading: &mut Reading<'_>,
    (table, value): (&StepTable, &Value),
    key: &str,
    only: Option<(&Place, &[Arc<[bool]>])>,
) -> Option<Vec<TaskStep>> {
    let expected = "a list of steps, such as [{ compute = \"1 ms\" }]";
    let list = required(reading, (table, value), key, expected)?;
    let values = list.list(format!("{key} of a pipeline"), "tables of steps", reading.settings.errors())?;
    let parts = only.map(|(place, stages)| Parts {
        place: table.own.get("only").map_or(place, |only| &only.place),
        takes_part: stages,
        divides: "a stage of the pipeline",
    });
    let mut steps: Vec<Option<TaskStep>> = vec![];
    let mut counts = BTreeMap::<&'static str, usize>::new();
    let mut names = BTreeMap::<String, Place>::new();
    for value in values {
        let step = task_step(job, reading, value, parts.as_ref(), &mut counts);
        let step = step.filter(|step| is_new(reading, &mut names, &step.name, &value.place));
        steps.push(step);
        if job.known.is_over_budget {
            return None;
        }
    }
    steps.into_iter().collect()
}

/// Reports two steps of a task with one name, and one with the name of the send.
fn is_new(reading: &mut Reading<'_>, names: &mut BTreeMap<String, Place>, name: &str, place: &Place) -> bool {
    if name == SEND {
        let message =
            "a step of a task is called \"send\", expected another name: the send of its result has this one";
        reading.settings.report(ScenarioError::at(place, message, "called send").with_help("give it a name"));
        return false;
    }
    if let Some(first) = names.insert(name.to_owned(), place.clone()) {
        let message = format!("two steps of a task are called {name:?}, expected a name of its own for each");
        let error = ScenarioError::at(place, message, "a second time").because(Some(&first), "the first");
        reading.settings.report(error);
        return false;
    }
    true
}

fn task_step(
    job: &mut StepReading<'_>,
    reading: &mut Reading<'_>,
    value: &Value,
    parts: Option<&Parts<'_>>,
    counts: &mut BTreeMap<&'static str, usize>,
) -> Option<TaskStep> {
    let table = StepTable::read(reading, value)?;
    for key in ["after", "only"] {
        if let Some(given) = table.own.get(key) {
            let message = format!("{key} in a step of a pipeline's task, expected it in the pipeline");
            let error = ScenarioError::at(&given.place, message, "not of a step of a task");
            return reading
                .settings
                .fail(error.with_help("the steps of a task follow one another, on the ranks of its stage"));
        }
    }
    if step_body::is_pipeline(&table) {
        let message = "a pipeline in a task of a pipeline, expected any other step";
        return reading.settings.fail(ScenarioError::at(&value.place, message, "a pipeline"));
    }
    let name = match table.own.get("name") {
        Some(name) => Some(name.text("name of a step", reading.settings.errors())?.to_owned()),
        None => None,
    };
    let StepsOfTable { kind, parts } = job.parts(reading, &table, value, parts)?;
    let kind = if kind == "computation" { "compute" } else { kind };
    let name = name.unwrap_or_else(|| {
        let count = counts.entry(kind).or_default();
        *count += 1;
        if *count == 1 { kind.to_owned() } else { format!("{kind} {count}") }
    });
    Some(TaskStep { name, parts })
}

/// A pipeline while its steps are added.
struct WrittenOut<'a> {
    keys: &'a Keys,
    passes: &'a [Vec<TaskStep>; 2],
    stages: &'a [Arc<[bool]>],
    takes_part: &'a [bool],
    after: &'a [usize],
    name: &'a PipelineName,
    last_steps: Vec<usize>,                   // by number of the task
    sends: BTreeMap<[usize; 2], SendOfStage>, // by stage and receiver
    send_steps: BTreeMap<usize, usize>,       // by number of the task
    before: Vec<Option<usize>>,               // by stage, the last step of its previous task
    tasks: Vec<PipelineTask>,
}

/// The send between two neighbouring stages: the place of its body in the job, and the ranks that take part.
#[derive(Clone)]
struct SendOfStage {
    body: usize,
    takes_part: Arc<[bool]>,
}

impl WrittenOut<'_> {
    /// Adds the steps of a task, and the send of its result.
    fn write(
        &mut self,
        job: &mut StepReading<'_>,
        reading: &mut Reading<'_>,
        task: Task,
        place: &Place,
    ) -> Option<()> {
        let ([of_task, of_send], number) = (task.pass.kinds(), self.keys.tasks.number(task));
        let Task { chunk, microbatch, stage, .. } = task;
        let prefix = format!("{}{of_task}{chunk}.{microbatch}.{stage}", self.name.prefix());
        let mut after = self.after_of(task);
        let first = job.steps.len();
        for step in &self.passes[usize::from(task.pass == Pass::Backward)] {
            let name = format!("{prefix} {}", step.name);
            let last = job.add_parts(reading, (&name, place), &step.parts, &after, &self.stages[stage])?;
            after = vec![last];
        }
        let last = job.steps.len() - 1;
        self.last_steps[number] = last;
        self.before[stage] = Some(last);
        self.tasks.push(PipelineTask { kind: of_task, chunk, stage, first, last });
        if let Some(receiver) = self.keys.tasks.receiver(task) {
            let SendOfStage { body, takes_part } = self.send(job, reading, [stage, receiver])?;
            let read_step = ReadStep { after: vec![last], takes_part, body, is_send_of_pipeline: true };
            let send = job.add(reading, &format!("{prefix} {SEND}"), place, read_step)?;
            self.send_steps.insert(number, send);
            self.tasks.push(PipelineTask { kind: of_send, chunk, stage, first: send, last: send });
        }
        Some(())
    }

    /// The steps that the first step of a task comes after.
    fn after_of(&self, task: Task) -> Vec<usize> {
        let need = self.keys.tasks.need(task).and_then(|Need { task, is_sent }| {
            let number = self.keys.tasks.number(task);
            if is_sent { self.send_steps.get(&number).copied() } else { Some(self.last_steps[number]) }
        });
        let before = self.before[task.stage];
        if need.is_none() && before.is_none() {
            return self.after.to_vec();
        }
        let mut after: Vec<usize> = need.into_iter().chain(before).collect();
        after.dedup();
        after
    }

    /// The body of the send from one stage to another, with the ranks that it is restricted to.
    fn send(
        &mut self,
        job: &mut StepReading<'_>,
        reading: &mut Reading<'_>,
        [stage, receiver]: [usize; 2],
    ) -> Option<SendOfStage> {
        if let Some(known) = self.sends.get(&[stage, receiver]) {
            return Some(known.clone());
        }
        let (axis, units, bytes) = (self.keys.axis, self.keys.units, self.keys.bytes);
        let by = i64::try_from(receiver).ok()? - i64::try_from(stage).ok()?;
        let shift = Shift { axis, by, wraps: false, units };
        let place = reading.settings.place(Key::ProgramSteps)?.clone();
        let body = shift::shift(reading, &place, job.shape, shift, Some(&self.stages[stage]), bytes)?;
        let body = job.add_body(body);
        let stage_of = shift::coordinates(job.shape, axis);
        let range = stage.min(receiver) as u64..=stage.max(receiver) as u64;
        let is_in = |rank: usize| self.takes_part.get(rank).copied().unwrap_or(true);
        let takes_part =
            stage_of.iter().enumerate().map(|(rank, stage)| range.contains(stage) && is_in(rank)).collect();
        let send = SendOfStage { body, takes_part };
        self.sends.insert([stage, receiver], send.clone());
        Some(send)
    }
}

impl Pass {
    /// The words for its tasks and their sends in results.
    fn kinds(self) -> [&'static str; 2] {
        match self {
            Self::Forward => ["F", "F send"],
            Self::Backward => ["B", "B send"],
        }
    }
}
