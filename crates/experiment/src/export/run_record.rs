//! One run, as results hold it.

use cubefold_mapping::BoundSource;
use cubefold_simulator::{Distribution, Percent, StageTotals, Summary};
use cubefold_topology::TieRule;
use serde::Serialize;

use super::{MachineRecord, PlacementRecord, ProgramRecord, placement_record::mean};
use crate::{
    FinishedRun, Loading, exact_mean,
    scenario::{Execution, ExecutionMode, Phases, Run},
};

/// One run with everything that was measured.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RunRecord {
    /// The scenario's name.
    pub scenario: String,
    /// The seed of its random choices.
    pub seed: u64,
    /// The machine.
    pub machine: MachineRecord,
    /// The program.
    pub program: ProgramRecord,
    /// The embedding's name.
    pub embedding: String,
    /// How it was executed.
    pub execution: ExecutionRecord,
    /// The engine that ran.
    pub engine: &'static str,
    /// When the last process finished \[cycles\].
    pub makespan_cycles: u64,
    /// The makespan without contention \[cycles\].
    pub predicted_cycles: Option<u64>,
    /// What no one-to-one placement goes below \[cycles\].
    pub lower_bound_cycles: Option<u64>,
    /// How that is known.
    pub lower_bound_source: Option<&'static str>,
    /// Loading the program \[cycles\].
    pub loading_cycles: Option<u64>,
    /// The number of messages.
    pub messages: u64,
    /// Links crossed by all messages.
    pub hops: u64,
    /// Sums over processes and stages.
    pub totals: TotalsRecord,
    /// Waiting of single processes in single stages \[cycles\].
    pub waiting: DistributionRecord,
    /// Blocked times of single processes in single stages \[cycles\].
    pub blocked: DistributionRecord,
    /// Parallel data movement steps of a coordinated run.
    pub routing_steps: Option<u64>,
    /// Conflicts of a coordinated run.
    pub conflicts: Option<u64>,
    /// The most messages left in one channel's queue, of an asynchronous run.
    pub longest_queue: Option<u32>,
    /// Stage by stage.
    pub stages: Vec<StageRecord>,
    /// The metrics of the placement.
    pub placement: PlacementRecord,
    /// The makespan over that of the reference in the same combination; only in `compare`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ratio_to_reference: Option<f64>,
}

/// How a run was executed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ExecutionRecord {
    /// `asynchronous` or `coordinated`.
    pub mode: &'static str,
    /// The rule for equally long ways round.
    pub tie: &'static str,
    /// Which dimension a message corrects next; of a coordinated run.
    pub dimension_choice: Option<&'static str>,
    /// The phase lengths asked for; of a coordinated run.
    pub phases: Option<String>,
}

/// Sums over all processes and stages \[cycles\].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct TotalsRecord {
    /// Computing.
    pub compute_cycles: u128,
    /// Waiting for the node's processor.
    pub sharing_cycles: u128,
    /// Waiting for partners.
    pub waiting_cycles: u128,
    /// Unhindered travel of the messages that processes wait for.
    pub transfer_cycles: u128,
    /// Held up by other messages.
    pub blocked_cycles: u128,
    /// From each process's finish to the makespan.
    pub idle_at_end_cycles: u128,
}

/// How values of single processes in single stages are spread \[cycles\].
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DistributionRecord {
    /// The greatest.
    pub max: u64,
    /// The mean.
    pub mean: Option<f64>,
    /// The median.
    pub p50: u64,
    /// Exceeded by one in ten.
    pub p90: u64,
    /// Exceeded by one in a hundred.
    pub p99: u64,
}

/// One stage of a run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StageRecord {
    /// The stage, counted from 0.
    pub stage: usize,
    /// Its guest dimension, where all its messages go along one.
    pub dimension: Option<u8>,
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
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DistanceRecord {
    /// The least.
    pub min: u64,
    /// The greatest.
    pub max: u64,
    /// The mean.
    pub mean: Option<f64>,
}

impl DistributionRecord {
    /// The record of a distribution.
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

impl RunRecord {
    /// The record of a run and what it came to.
    #[must_use]
    pub fn new(run: &Run, finished: &FinishedRun) -> Self {
        let (summary, traffic) = (&finished.outcome.summary, &finished.outcome.traffic);
        let routing = traffic.routing.as_deref();
        Self {
            scenario: run.scenario.clone(),
            seed: run.seed,
            machine: MachineRecord::new(run),
            program: ProgramRecord::new(&run.program),
            embedding: run.embedding.to_string(),
            execution: ExecutionRecord::new(&run.execution, run.communication.tie()),
            engine: finished.outcome.engine.name(),
            makespan_cycles: summary.makespan().get(),
            predicted_cycles: finished.predicted,
            lower_bound_cycles: finished.lower_bound.map(|bound| bound.cycles.get()),
            lower_bound_source: finished.lower_bound.map(|bound| BoundSource::name(bound.source)),
            loading_cycles: run.loading.as_ref().map(Loading::cycles),
            messages: traffic.messages,
            hops: traffic.hops,
            totals: TotalsRecord::new(summary),
            waiting: DistributionRecord::new(summary.waiting()),
            blocked: DistributionRecord::new(summary.blocked()),
            routing_steps: routing.map(|stages| stages.iter().map(|stage| stage.steps).sum()),
            conflicts: routing.map(|stages| stages.iter().map(|stage| stage.conflicts).sum()),
            longest_queue: traffic.longest_queue,
            stages: stages(run, finished),
            placement: PlacementRecord::new(&finished.metrics),
            ratio_to_reference: None,
        }
    }
}

fn stages(run: &Run, finished: &FinishedRun) -> Vec<StageRecord> {
    let totals = finished.outcome.summary.stages();
    let routing = |stage: usize| finished.outcome.traffic.routing.as_ref().map(|stages| stages[stage]);
    let record = |(stage, totals): (usize, &StageTotals)| {
        let distances = run.program.stage_distances(stage, &run.placement, &finished.metrics);
        let dimension = run.program.stage_dimension(stage);
        StageRecord {
            stage,
            dimension: dimension.and_then(|dimension| u8::try_from(dimension).ok()),
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

impl ExecutionRecord {
    /// The record of an execution with this rule for equally long ways round.
    #[must_use]
    pub fn new(execution: &Execution, tie: TieRule) -> Self {
        let (dimension_choice, phases) = match execution.mode {
            ExecutionMode::Asynchronous => (None, None),
            ExecutionMode::Coordinated { dimension_choice, phases } => {
                let phases = match phases {
                    Phases::Embedding => "embedding".to_owned(),
                    Phases::Unlimited => "unlimited".to_owned(),
                    Phases::Length(length) => length.to_string(),
                };
                (Some(dimension_choice.name()), Some(phases))
            }
        };
        Self { mode: execution.mode.name(), tie: tie.name(), dimension_choice, phases }
    }
}

impl TotalsRecord {
    fn new(summary: &Summary) -> Self {
        let totals = summary.totals();
        Self {
            compute_cycles: summary.compute(),
            sharing_cycles: totals.sharing,
            waiting_cycles: totals.waiting,
            transfer_cycles: totals.transfer,
            blocked_cycles: totals.blocked,
            idle_at_end_cycles: summary.idle_at_end(),
        }
    }
}
