//! The breakdown of a run's time: sums, distributions and stages, and their columns.

use cubefold_derive::Columns;
use cubefold_mapping::{CubeDimension, Extremes};
use cubefold_scenario::Run;
use cubefold_simulator::{Distribution, Percent, StageTotals, Summary, stage_distances};
use serde::{Deserialize, Serialize};

use super::{column::Column, placement_record::mean};
use crate::{
    FinishedRun,
    definition::{Definition, Kind},
    exact_mean,
};

/// Sums over all processes and stages \[cycles\].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Columns)]
#[columns(TOTALS, prefix = "totals_", source = "docs/model.md, sections 5 and 6")]
pub struct TotalsRecord {
    /// A bar of ten letters in tables, which divides the time of all processes into tenths, rounded so that the
    /// shares add up. c computes, s shares a processor, w waits, t is in transfer, b is blocked, m sends or
    /// receives messages, and a dot is idle at the end. Jobs with steps side by side have none: their ranks do
    /// several things at once.
    #[column(
        "time", term, name = "time", aliases = ["where the time goes", "time bar"],
        formula = "compute + sharing + waiting + transfer + blocked + overhead + idle at the end = P * \
        makespan in asynchronous runs, but in jobs with steps side by side",
        source = "docs/reading-results.md, where does the time go"
    )]
    #[column(
        "compute",
        unit = "cycles",
        text = "Computation, summed over all processes and stages.",
        formula = "P * S * T_a",
        source = "docs/model.md, section 2"
    )]
    pub compute_cycles: u128,
    /// Time that processes wait for the processor of a node that they share with others; 0 with one process on each
    /// node.
    #[column(
        "sharing", aliases = ["sharing_cycles"], unit = "cycles",
        formula = "asynchronous: measured; coordinated: P * S * T_a (L - 1), L the largest load",
        source = "docs/model.md, section 5, several processes on one node"
    )]
    pub sharing_cycles: u128,
    /// Idle time before a message starts, because the partner is not ready yet: it comes from distances that differ
    /// between processes, or from contention in an earlier stage. In a coordinated run, the steps of the stage that
    /// the own message did not need.
    #[column(
        "waiting", aliases = ["waiting_cycles", "stages_waiting_cycles"], unit = "cycles",
        formula = "asynchronous: start - ready; coordinated: T_c * steps of the stage - T_c * distance; \
        summed over all processes and stages"
    )]
    pub waiting_cycles: u128,
    /// Unhindered travel of the messages that processes wait for: of several messages to a process in one stage,
    /// the last one counts.
    #[column(
        "transfer", aliases = ["transfer_cycles", "stages_transfer_cycles"], unit = "cycles",
        formula = "T_c * distance, summed over all processes and stages"
    )]
    pub transfer_cycles: u128,
    /// Time that messages are held up behind other messages: contention. 0 in coordinated runs, which count
    /// conflicts instead.
    #[column(
        "blocked", aliases = ["blocked_cycles", "stages_blocked_cycles", "contention"], unit = "cycles",
        formula = "finish - start - transfer, summed over all processes and stages",
        source = "docs/model.md, section 5"
    )]
    pub blocked_cycles: u128,
    /// Time for which the cores of processes are busy with messages that they send or receive: 0 without
    /// `program.message_cost`.
    #[column(
        "overhead", aliases = ["overhead_cycles"], unit = "cycles",
        formula = "o times the messages sent and received, summed over all processes and stages",
        source = "docs/model.md, section 14"
    )]
    #[serde(default)]
    pub overhead_cycles: u128,
    /// From each process's finish to the makespan, summed over the processes; 0 in coordinated runs.
    #[column(
        "idle at the end", aliases = ["idle", "idle_at_end_cycles"], unit = "cycles",
        formula = "sum over n of (makespan - finish of n)", source = "docs/model.md, section 5"
    )]
    pub idle_at_end_cycles: u128,
}

/// The distribution of values of single processes in single stages \[cycles\].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DistributionRecord {
    /// The greatest.
    pub max: u64,
    /// The mean.
    pub mean: Option<f64>,
    /// The median.
    pub p50: u64,
    /// The 90th percentile.
    pub p90: u64,
    /// The 99th percentile.
    pub p99: u64,
}

/// One stage of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StageRecord {
    /// The stage, counted from 0.
    pub stage: usize,
    /// Its guest dimension, if all its messages go along one.
    pub dimension: Option<u8>,
    /// The step of a pipelined program that it belongs to, counted from 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<usize>,
    /// The guest dimensions of its messages, ascending, in a pipelined program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dimensions: Option<Vec<u8>>,
    /// The distances between the partners of the stage \[links\].
    pub distance: DistanceRecord,
    /// Waiting for partners, over all processes \[cycles\].
    pub waiting_cycles: u128,
    /// Unhindered travel, over all processes \[cycles\].
    pub transfer_cycles: u128,
    /// Held up by other messages, over all processes \[cycles\].
    pub blocked_cycles: u128,
    /// Steps, of a coordinated run.
    pub routing_steps: Option<u64>,
    /// Conflicts, of a coordinated run.
    pub conflicts: Option<u64>,
}

/// Distances between the partners of a stage \[links\].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DistanceRecord {
    /// The least.
    pub min: u64,
    /// The greatest.
    pub max: u64,
    /// The mean.
    pub mean: Option<f64>,
}

impl DistributionRecord {
    /// Makes the record of a distribution.
    #[must_use]
    pub fn new(distribution: &Distribution) -> Self {
        Self {
            max: distribution.max(),
            mean: exact_mean(distribution.sum(), distribution.count().into()),
            p50: distribution.percentile(Percent::Fifty),
            p90: distribution.percentile(Percent::Ninety),
            p99: distribution.percentile(Percent::NinetyNine),
        }
    }
}

impl TotalsRecord {
    pub(super) fn new(summary: &Summary) -> Self {
        let totals = summary.totals();
        Self {
            compute_cycles: summary.compute(),
            sharing_cycles: totals.sharing,
            waiting_cycles: totals.waiting,
            transfer_cycles: totals.transfer,
            blocked_cycles: totals.blocked,
            overhead_cycles: summary.overhead(),
            idle_at_end_cycles: summary.idle_at_end(),
        }
    }
}

/// Makes the records of all stages of a run.
pub(super) fn stages(run: &Run, finished: &FinishedRun) -> Vec<StageRecord> {
    let totals = finished.outcome.summary.stages();
    let routing = |stage: usize| finished.outcome.traffic.routing.as_ref().map(|stages| stages[stage]);
    let mut distances = Extremes::of([]);
    // Every iteration of a job repeats the stages of the first.
    let of_iteration = run.program.job.as_deref().map_or(totals.len(), |job| totals.len() / job.iterations());
    let mut known: Vec<Extremes> = vec![];
    let record = |(stage, totals): (usize, &StageTotals)| {
        if let Some(extremes) = known.get(stage % of_iteration).filter(|_| stage >= of_iteration) {
            distances = *extremes;
        } else {
            if !run.program.body.repeats(stage) {
                distances = stage_distances(&*run.program.body, stage, &run.placement, &finished.metrics);
            }
            known.push(distances);
        }
        let dimension = run.program.body.stage_dimension(stage);
        let exchange = run.program.exchange.as_ref().map(|exchange| &*exchange.program);
        StageRecord {
            stage,
            dimension: dimension.and_then(|dimension| u8::try_from(dimension).ok()),
            step: exchange.map(|exchange| exchange.step(stage)),
            dimensions: exchange
                .map(|exchange| exchange.dimensions(stage).map(CubeDimension::number).collect()),
            distance: DistanceRecord { min: distances.min, max: distances.max, mean: mean(distances) },
            waiting_cycles: totals.waiting,
            transfer_cycles: totals.transfer,
            blocked_cycles: totals.blocked,
            routing_steps: routing(stage).map(|routing| routing.steps),
            conflicts: routing(stage).map(|routing| routing.conflicts),
        }
    };
    totals.iter().enumerate().map(record).collect()
}

/// Columns on the distribution of waiting over processes and stages.
pub(crate) static WAITING: &[Column<DistributionRecord>] = &[
    Column {
        definition: Definition {
            name: "waiting_max",
            title: "waiting, largest",
            kind: Kind::Natural,
            unit: "cycles",
            text: "The longest wait of one process in one stage, exact.",
            source: "docs/reading-results.md, distributions",
            ..Definition::BLANK
        },
        value: |distribution| distribution.max.into(),
    },
    Column {
        definition: Definition {
            name: "waiting_mean",
            title: "waiting, mean",
            kind: Kind::Decimal,
            unit: "cycles",
            text: "The mean wait of one process in one stage, including those that do not wait.",
            formula: "sum / number of (process, stage) pairs",
            source: "docs/reading-results.md, distributions",
            ..Definition::BLANK
        },
        value: |distribution| distribution.mean.into(),
    },
    Column {
        definition: Definition {
            name: "waiting_p50",
            title: "waiting, percentiles",
            aliases: &["waiting_p90", "waiting_p99"],
            kind: Kind::Natural,
            unit: "cycles",
            text: "The wait that 50, 90 or 99 per cent of the (process, stage) pairs do not \
                  exceed. From a histogram of three significant digits, never above the largest.",
            source: "docs/reading-results.md, distributions",
            ..Definition::BLANK
        },
        value: |distribution| distribution.p50.into(),
    },
    Column {
        definition: Definition { name: "waiting_p90", kind: Kind::Natural, ..Definition::BLANK },
        value: |distribution| distribution.p90.into(),
    },
    Column {
        definition: Definition { name: "waiting_p99", kind: Kind::Natural, ..Definition::BLANK },
        value: |distribution| distribution.p99.into(),
    },
];

/// Columns on the distribution of blocked time over processes and stages.
pub(crate) static BLOCKED: &[Column<DistributionRecord>] = &[
    Column {
        definition: Definition {
            name: "blocked_max",
            title: "blocked, largest",
            kind: Kind::Natural,
            unit: "cycles",
            text: "The longest that one process was held up by other messages in one stage, exact.",
            source: "docs/reading-results.md, distributions",
            ..Definition::BLANK
        },
        value: |distribution| distribution.max.into(),
    },
    Column {
        definition: Definition {
            name: "blocked_mean",
            title: "blocked, mean",
            kind: Kind::Decimal,
            unit: "cycles",
            text: "The mean time that one process was held up in one stage, including those that were \
                   not.",
            formula: "sum / number of (process, stage) pairs",
            source: "docs/reading-results.md, distributions",
            ..Definition::BLANK
        },
        value: |distribution| distribution.mean.into(),
    },
    Column {
        definition: Definition {
            name: "blocked_p50",
            title: "blocked, percentiles",
            aliases: &["blocked_p90", "blocked_p99"],
            kind: Kind::Natural,
            unit: "cycles",
            text: "The blocked time that 50, 90 or 99 per cent of the (process, stage) pairs do \
                  not exceed. From a histogram of three significant digits, never above the \
                  largest.",
            source: "docs/reading-results.md, distributions",
            ..Definition::BLANK
        },
        value: |distribution| distribution.p50.into(),
    },
    Column {
        definition: Definition { name: "blocked_p90", kind: Kind::Natural, ..Definition::BLANK },
        value: |distribution| distribution.p90.into(),
    },
    Column {
        definition: Definition { name: "blocked_p99", kind: Kind::Natural, ..Definition::BLANK },
        value: |distribution| distribution.p99.into(),
    },
];
