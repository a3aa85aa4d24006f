//! The steps of a job in the results.

use cubefold_simulator::{JobTimes, StepTimes};
use serde::{Deserialize, Serialize};

use super::{
    RunRecord, StepRecord, TotalsRecord, Word,
    column::{Cell, Column, no_cell},
    hidden_time::add_shares,
};
use crate::{
    records::definition::{Definition, Kind},
    scenario::Run,
};

/// A step of a job in one iteration, over all ranks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct JobStepRecord {
    /// The iteration, counted from 0.
    pub iteration: u64,
    /// Its name.
    pub name: String,
    /// Its kind: an operation, `computation`, `send`, `stages`, `traffic` or `neighbour-exchange`.
    pub kind: Word,
    /// Its earliest begin at a rank.
    pub begin_cycles: u64,
    /// Its latest finish at a rank.
    pub finish_cycles: u64,
    /// The begin in seconds, if the machine is described by bandwidth and latency.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub begin_seconds: Option<f64>,
    /// The finish in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finish_seconds: Option<f64>,
    /// Its time over the makespan, from 0 to 1; files of earlier versions do not have this and the following.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub share: Option<f64>,
    /// Of a step of messages, the cycles in which a computation step of the run runs, by the intervals of steps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hidden_cycles: Option<u64>,
    /// Those cycles over its own, from 0 to 1.
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
        let record = |(place, times): (usize, &StepTimes)| {
            let (begin, finish) = (times.begin.get(), times.finish.get());
            Self {
                iteration: (place / count) as u64,
                name: job.steps()[place % count].name.clone(),
                kind: run.program.job_steps[place % count].kind.into(),
                begin_cycles: begin,
                finish_cycles: finish,
                begin_seconds: seconds(begin),
                finish_seconds: seconds(finish),
                share: None,
                hidden_cycles: None,
                hidden_share: None,
                behind: None,
            }
        };
        let mut records: Vec<Self> = times.steps.iter().enumerate().map(record).collect();
        add_shares(&mut records, makespan);
        records
    }

    /// The time from its earliest begin to its latest finish \[cycles\].
    #[must_use]
    pub fn length(&self) -> u64 {
        self.finish_cycles.saturating_sub(self.begin_cycles)
    }

    /// Whether it is a computation.
    #[must_use]
    pub fn is_computation(&self) -> bool {
        self.kind == "computation"
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

/// Columns of the exposed communication of jobs and traces, and of its parts.
pub(crate) static EXPOSED: &[Column<RunRecord>] = &[
    Column {
        definition: Definition {
            name: "exposed_cycles",
            title: "exposed",
            aliases: &["exposed communication"],
            kind: Kind::Sum,
            unit: "cycles",
            text: "The time of the ranks of a job in which none of their computation steps runs, of traces in which \
                   no device computes: messages that nothing hides. The column is there only for these.",
            formula: "sum over the ranks of their finish less the cycles of their computation steps",
            source: "docs/model.md, section 23",
        },
        value: |run| Cell::optional(run.exposed_cycles),
    },
    Column {
        definition: Definition {
            name: "exposed_mean_cycles",
            title: "exposed, mean",
            kind: Kind::Decimal,
            unit: "cycles",
            text: "The exposed cycles of a rank of a job or of traces, in the mean.",
            formula: "exposed / ranks",
            source: "docs/model.md, section 23",
            ..Definition::BLANK
        },
        value: |run| Cell::optional(run.exposed_mean_cycles),
    },
    Column {
        definition: Definition {
            name: "trace_communication",
            title: "communication of traces",
            aliases: &["traced", "simulated", "traced_seconds", "simulated_seconds", "simulated_cycles"],
            kind: Kind::Term,
            unit: "s",
            text: "The times of the messages and collectives of Chakra traces by kind, summed over the operations of \
                   ranks: when the traces were made, and in the run, from when an operation may begin until it is over \
                   at its rank. They are in JSON, and in a table of their own, if the traces say how long their \
                   communication took.",
            source: "docs/model.md, section 23.4",
            ..Definition::BLANK
        },
        value: no_cell,
    },
];

/// The definition of hidden time.
macro_rules! hidden_in_words {
    () => {
        "Hidden is the part of the interval of a step of messages, from its earliest begin to its latest finish over \
         ranks, in which the interval of some computation step of the same run runs too: an upper estimate, of which \
         exposed is the exact figure for a rank."
    };
}

/// Members of the steps of jobs in JSON, and columns of their table.
pub(crate) static STEPS_OF_JOBS: &[Definition] = &[
    Definition {
        name: "steps_begin_cycles",
        title: "steps of a job",
        aliases: &["steps_finish_cycles", "steps_begin_seconds", "steps_finish_seconds"],
        kind: Kind::Term,
        unit: "cycles",
        text: "The earliest begin and the latest finish of a step of a job over its ranks, in each iteration. \
               They are in JSON, and in a table of their own.",
        source: "docs/model.md, section 23",
        ..Definition::BLANK
    },
    Definition {
        name: "steps_share",
        title: "share of the makespan",
        kind: Kind::Term,
        text: "The part of the makespan between the earliest begin and the latest finish of a step of a job. Steps \
               side by side count in full, so shares may add up to more than 1.",
        formula: "(finish - begin) / makespan",
        source: "docs/model.md, section 23",
        ..Definition::BLANK
    },
    Definition {
        name: "steps_hidden_cycles",
        title: "hidden",
        aliases: &["hidden_cycles", "hidden_share", "steps_hidden_share"],
        kind: Kind::Term,
        unit: "cycles",
        text: concat!(hidden_in_words!(), " Tables show hidden_share, its part of the step."),
        source: "docs/model.md, section 23",
        ..Definition::BLANK
    },
    Definition {
        name: "steps_behind",
        title: "behind",
        kind: Kind::Term,
        text: concat!(
            "The computation steps that hide a step of messages, each once over all iterations, the one that hides the \
             most first; JSON has the first 16, tables the first 3. ",
            hidden_in_words!()
        ),
        source: "docs/model.md, section 23",
        ..Definition::BLANK
    },
];
