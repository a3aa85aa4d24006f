//! The pipelines of a job in the results (`docs/model.md` section 23.5).

use cubefold_scenario::{PipelineDescription, PipelineTask, Run};
use cubefold_simulator::JobTimes;
use serde::{Deserialize, Serialize};

use super::Word;
use crate::definition::{Definition, Kind};

/// A pipeline of a job in one iteration.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PipelineRecord {
    /// The iteration, counted from 0.
    pub iteration: u64,
    /// Its name.
    pub name: String,
    /// The earliest start of its steps.
    pub begin_cycles: u64,
    /// The latest finish of its steps.
    pub finish_cycles: u64,
    /// The start in seconds, if the machine is described by bandwidth and latency.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub begin_seconds: Option<f64>,
    /// The finish in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finish_seconds: Option<f64>,
    /// The times of its tasks, by kind.
    pub tasks: Vec<TaskTimesRecord>,
}

/// The tasks of a pipeline of one kind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskTimesRecord {
    /// `F`, `B`, `F send` or `B send`.
    pub task: Word,
    /// Their number.
    pub count: u64,
    /// The least time of one, from the start of its first step to the finish of its last, over all its ranks.
    pub least_cycles: u64,
    /// The greatest time of one.
    pub greatest_cycles: u64,
}

impl PipelineRecord {
    /// Makes the records of all pipelines of a run, iteration by iteration.
    pub(super) fn all(run: &Run, times: &JobTimes) -> Vec<Self> {
        let Some(job) = run.program.job.as_deref() else { return vec![] };
        let of_iteration = |iteration: usize| {
            let first = iteration * job.steps().len();
            let record = move |pipeline| Self::new(run, times, pipeline, [iteration, first]);
            run.program.pipelines.iter().filter_map(record)
        };
        (0..job.iterations()).flat_map(of_iteration).collect()
    }

    /// The record of a pipeline in an iteration, whose steps start at index `first`.
    fn new(
        run: &Run,
        times: &JobTimes,
        pipeline: &PipelineDescription,
        [iteration, first]: [usize; 2],
    ) -> Option<Self> {
        let begin = |task: &PipelineTask| times.steps[first + task.first].begin.get();
        let finish = |task: &PipelineTask| times.steps[first + task.last].finish.get();
        let of_kind = |kind: &&'static str| {
            let tasks = || pipeline.tasks.iter().filter(|task| task.kind == *kind);
            let lengths = || tasks().map(|task| finish(task).saturating_sub(begin(task)));
            Some(TaskTimesRecord {
                task: (*kind).into(),
                count: tasks().count() as u64,
                least_cycles: lengths().min()?,
                greatest_cycles: lengths().max()?,
            })
        };
        let steps =
            || pipeline.tasks.iter().flat_map(|task| &times.steps[first + task.first..=first + task.last]);
        let begin_cycles = steps().map(|step| step.begin.get()).min()?;
        let finish_cycles = steps().map(|step| step.finish.get()).max()?;
        let seconds = |cycles: u64| run.scale.map(|scale| scale.seconds(cycles));
        Some(Self {
            iteration: iteration as u64,
            name: pipeline.name.clone(),
            begin_cycles,
            finish_cycles,
            begin_seconds: seconds(begin_cycles),
            finish_seconds: seconds(finish_cycles),
            tasks: PipelineTask::KINDS.iter().filter_map(of_kind).collect(),
        })
    }

    /// The seconds of a cycle, if the machine is described by bandwidth and latency.
    pub(super) fn cycle_seconds(&self) -> Option<f64> {
        #[expect(clippy::cast_precision_loss, reason = "seconds are shown with few digits")]
        let cycles = Some(self.finish_cycles).filter(|&cycles| cycles > 0)? as f64;
        Some(self.finish_seconds? / cycles)
    }
}

/// Members of the pipelines of jobs in JSON, and columns of their table.
pub(crate) static PIPELINES_OF_JOBS: &[Definition] = &[Definition {
    name: "pipelines",
    title: "pipelines of a job",
    aliases: &["pipeline", "task", "least", "greatest", "least_cycles", "greatest_cycles"],
    kind: Kind::Term,
    unit: "cycles",
    text: "The pipelines of a job in each iteration, with the begin and finish over all of their steps, and the number, \
           least and greatest time of their tasks: F and B are the forward and backward tasks of a microbatch in a stage, \
           from the start of the first step to the finish of the last over all ranks; F send and B send carry their \
           results on. They are in JSON and in a table; --steps shows all steps.",
    source: "docs/model.md, section 23.5",
    ..Definition::BLANK
}];
