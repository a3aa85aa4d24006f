//! The steps of a job in the results.

use cubefold_derive::Columns;
use cubefold_scenario::Run;
use cubefold_simulator::{JobTimes, RankTime, StepTimes};
use serde::{Deserialize, Serialize};

use super::{RunRecord, StepRecord, TotalsRecord, Word, exact_mean};
use crate::definition::{Definition, Kind};

/// A step of a job in one iteration, over the ranks that take part (`docs/model.md` section 23.6).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct JobStepRecord {
    /// The iteration, counted from 0.
    pub iteration: u64,
    /// Its name.
    pub name: String,
    /// Its kind: an operation, `computation`, `send`, `stages`, `traffic` or `neighbour-exchange`.
    pub kind: Word,
    /// The name of the pipeline that it is a step of, if it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pipeline: Option<String>,
    /// The number of ranks that take part; files of earlier versions do not have this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ranks: Option<u32>,
    /// Its earliest start at a rank.
    pub begin_cycles: u64,
    /// Its latest finish at a rank.
    pub finish_cycles: u64,
    /// The start in seconds, if the machine is described by bandwidth and latency.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub begin_seconds: Option<f64>,
    /// The finish in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finish_seconds: Option<f64>,
    /// Its time over the makespan, from 0 to 1; files of earlier versions do not have this and the following.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub share: Option<f64>,
    /// Of a step of messages, the cycles in which it is at work at a rank that computes nothing, summed over ranks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exposed_cycles: Option<u128>,
    /// The cycles in which it is at work at a rank while a computation step of that runs, summed over ranks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hidden_cycles: Option<u128>,
    /// The hidden cycles over those at work, from 0 to 1; `None` if it is never at work.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hidden_share: Option<f64>,
    /// The names of these computation steps, those that hide the most first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub behind: Option<Vec<String>>,
}

impl JobStepRecord {
    /// Makes the records of all steps of a run, iteration by iteration.
    pub(super) fn all(run: &Run, times: &JobTimes, makespan: u64) -> Vec<Self> {
        let Some(job) = run.program.job.as_deref() else { return vec![] };
        let seconds = |cycles: u64| run.scale.map(|scale| scale.seconds(cycles));
        let count = job.steps().len();
        let pipelines = run.program.pipelines_of_steps();
        let record = |(place, times): (usize, &StepTimes)| {
            let (begin, finish) = (times.begin.get(), times.finish.get());
            let step = &job.steps()[place % count];
            let has_messages = step.computation().is_none();
            let names = |times: &StepTimes| {
                times.behind.iter().map(|&step| job.steps()[step as usize].name.clone()).collect()
            };
            Self {
                iteration: (place / count) as u64,
                name: step.name.clone(),
                kind: run.program.job_steps[place % count].kind.into(),
                pipeline: pipelines.get(place % count).cloned().flatten(),
                ranks: Some(times.ranks),
                begin_cycles: begin,
                finish_cycles: finish,
                begin_seconds: seconds(begin),
                finish_seconds: seconds(finish),
                share: Some(exact_mean((finish - begin).into(), makespan.into()).unwrap_or(0.0)),
                exposed_cycles: has_messages.then_some(times.exposed),
                hidden_cycles: has_messages.then_some(times.hidden),
                hidden_share: exact_mean(times.hidden, times.hidden + times.exposed).filter(|_| has_messages),
                behind: has_messages.then(|| names(times)),
            }
        };
        times.steps.iter().enumerate().map(record).collect()
    }

    /// The time from its earliest start to its latest finish \[cycles\].
    #[must_use]
    pub fn length(&self) -> u64 {
        self.finish_cycles.saturating_sub(self.begin_cycles)
    }

    /// The mean exposed cycles of a rank that takes part.
    #[must_use]
    pub fn exposed_mean_cycles(&self) -> Option<f64> {
        exact_mean(self.exposed_cycles?, self.ranks?.into())
    }
}

impl RunRecord {
    /// The totals of the time of processes if they add up to processes times makespan. In jobs with steps side by side a rank
    /// does several things at once.
    #[must_use]
    pub fn divided_time(&self) -> Option<TotalsRecord> {
        let steps = self.program.steps.as_deref().unwrap_or_default();
        let follows = |pair: &[StepRecord]| match (&pair[0].name, &pair[1].after) {
            (Some(before), Some(after)) => after.contains(before),
            _ => true,
        };
        self.totals.filter(|_| steps.windows(2).all(follows))
    }
}

/// The parts of the time of the ranks of a job, which add up to ranks times makespan (`docs/model.md` section 23.6).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Columns)]
#[columns(JOB_TIME, prefix = "time_", source = "docs/model.md, section 23.6")]
pub struct JobTimeRecord {
    /// The cycles in which a computation step of a rank of a job runs, summed over ranks. With communication, bubble and
    /// done it adds up to ranks times makespan. The column is there only if a run is a job.
    #[column("computation of ranks", unit = "cycles")]
    pub computation_cycles: u128,
    /// The cycles in which no computation step of a rank of a job runs and a step is at work there: a message from or to
    /// it is under way, or an actor of it computes in the step. Summed over ranks. The column is there only if a run is a
    /// job.
    #[column("communication of ranks", unit = "cycles")]
    pub communication_cycles: u128,
    /// The cycles in which a rank of a job that is not over neither computes nor has a step at work: it waits for other
    /// ranks. Summed over ranks. The column is there only if a run is a job.
    #[column("bubble", unit = "cycles")]
    pub bubble_cycles: u128,
    /// The cycles in which a rank of a job is over with its last step, and no message of it is under way. Summed over
    /// ranks. The column is there only if a run is a job.
    #[column("done", unit = "cycles")]
    pub done_cycles: u128,
    /// The rank with the most communication, the lowest of equal ones.
    #[column(
        "rank with the most communication", name = "time_largest_communication_rank", kind = Natural,
        text = "The rank of a job with the most communication, the lowest of equal ones. The column is there only if a \
                run is a job.",
        value = |time| time.largest_communication.rank.into()
    )]
    #[column(
        "most communication of a rank", name = "time_largest_communication_cycles", unit = "cycles", kind = Natural,
        text = "The communication of that rank. The column is there only if a run is a job.",
        value = |time| time.largest_communication.cycles.into()
    )]
    pub largest_communication: LargestRecord,
    /// The rank with the most bubble, the lowest of equal ones.
    #[column(
        "rank with the most bubble", name = "time_largest_bubble_rank", kind = Natural,
        text = "The rank of a job with the most bubble, the lowest of equal ones. The column is there only if a run is a \
                job.",
        value = |time| time.largest_bubble.rank.into()
    )]
    #[column(
        "most bubble of a rank", name = "time_largest_bubble_cycles", unit = "cycles", kind = Natural,
        text = "The bubble of that rank. The column is there only if a run is a job.",
        value = |time| time.largest_bubble.cycles.into()
    )]
    pub largest_bubble: LargestRecord,
}

/// The rank with the most cycles of a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct LargestRecord {
    /// The rank.
    pub rank: u32,
    /// Its cycles.
    pub cycles: u64,
}

impl JobTimeRecord {
    pub(super) fn new(times: &JobTimes) -> Self {
        let sum = |part: fn(&RankTime) -> u64| times.by_rank.iter().map(|time| u128::from(part(time))).sum();
        let largest = |part: fn(&RankTime) -> u64| {
            let ranks =
                (0..).zip(&times.by_rank).map(|(rank, time)| LargestRecord { rank, cycles: part(time) });
            let most = ranks.reduce(|most, next| if next.cycles > most.cycles { next } else { most });
            most.unwrap_or(LargestRecord { rank: 0, cycles: 0 })
        };
        Self {
            computation_cycles: sum(|time| time.computation),
            communication_cycles: sum(|time| time.communication),
            bubble_cycles: sum(|time| time.bubble),
            done_cycles: sum(|time| time.done),
            largest_communication: largest(|time| time.communication),
            largest_bubble: largest(|time| time.bubble),
        }
    }

    /// A sentence on the parts.
    #[must_use]
    pub fn in_words(&self) -> Option<String> {
        let parts =
            [self.computation_cycles, self.communication_cycles, self.bubble_cycles, self.done_cycles];
        let all = parts.iter().sum();
        let [computation, communication, bubble, done] =
            parts.map(|part| exact_mean(part, all).map(super::single_run_table::percent));
        let most = |largest: LargestRecord| match largest.cycles {
            0 => String::new(),
            cycles => format!(" (most at rank {}, {})", largest.rank, super::counted(cycles, "cycle")),
        };
        Some(format!(
            "Of its time a rank computes {}, communicates beside no computation {}{}, waits for others (bubble) {}{} and \
             is done {}.",
            computation?,
            communication?,
            most(self.largest_communication),
            bubble?,
            most(self.largest_bubble),
            done?
        ))
    }
}

/// Members of the steps of jobs in JSON, and columns of their table.
pub(crate) static STEPS_OF_JOBS: &[Definition] = &[
    Definition {
        name: "steps_begin_cycles",
        title: "steps of a job",
        aliases: &["steps_finish_cycles", "steps_begin_seconds", "steps_finish_seconds"],
        kind: Kind::Term,
        unit: "cycles",
        text: "The earliest begin and the latest finish of a step of a job over the ranks that take part, in each \
               iteration: it begins with the first stage that computes or sends, and is over with the last one, not \
               before its last message is received. They are in JSON, and in a table of their own.",
        source: "docs/model.md, section 23.6",
        ..Definition::BLANK
    },
    Definition {
        name: "steps_ranks",
        title: "ranks of a step",
        aliases: &["ranks"],
        kind: Kind::Term,
        unit: "ranks",
        text: "The ranks that take part in a step of a job: of a computation those of only, else those that send, receive \
               or compute in it.",
        source: "docs/model.md, section 23.6",
        ..Definition::BLANK
    },
    Definition {
        name: "steps_share",
        title: "share of the makespan",
        kind: Kind::Term,
        text: "The part of the makespan between the earliest begin and the latest finish of a step of a job. Steps \
               side by side count in full, so shares may add up to more than 1.",
        formula: "(finish - begin) / makespan",
        source: "docs/model.md, section 23.6",
        ..Definition::BLANK
    },
    Definition {
        name: "steps_exposed_cycles",
        title: "exposed cycles of a step",
        kind: Kind::Term,
        unit: "cycles",
        text: "The cycles in which a step of messages is at work at a rank that runs no computation step, summed over \
               ranks; tables show the mean of the ranks that take part. A step is at work at a rank while a message of it \
               from or to the rank is under way, or an actor of the rank computes in it.",
        source: "docs/model.md, section 23.6",
        ..Definition::BLANK
    },
    Definition {
        name: "steps_hidden_cycles",
        title: "hidden",
        aliases: &["hidden_cycles", "hidden_share", "steps_hidden_share"],
        kind: Kind::Term,
        unit: "cycles",
        text: "The cycles in which a step of messages is at work at a rank while a computation step of that rank runs, \
               summed over ranks. Tables show hidden_share, their part of all cycles at work.",
        formula: "hidden_share = hidden / (hidden + exposed)",
        source: "docs/model.md, section 23.6",
    },
    Definition {
        name: "steps_behind",
        title: "behind",
        kind: Kind::Term,
        text: "The computation steps that run at a rank while a step of messages is at work there, each once over all \
               iterations and ranks, the one with the most cycles first; JSON has the first 16, tables the first 3.",
        source: "docs/model.md, section 23.6",
        ..Definition::BLANK
    },
];
