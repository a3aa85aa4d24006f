//! One run in the results, and its columns.

use cubefold_collectives::Operation;
use cubefold_mapping::{BoundSource, ProcessId};
use cubefold_simulator::{
    DirectionUse, LinkUse, RandomAccess, Received, StageRouting, Traffic, worst_case_bound,
};
use cubefold_topology::NodeId;
use serde::{Deserialize, Serialize};

use super::{
    ExecutionRecord, MachineRecord, PlacementRecord, ProgramRecord, Word,
    column::{Record, Row, join},
    execution_record::EXECUTION,
    job_record::{EXPOSED, JOB_TIME, JobStepRecord, JobTimeRecord},
    open_loop_record::{OPEN_LOOP, OpenLoopRecord},
    pipeline_record::PipelineRecord,
    placement_record::{EMBEDDING, SCENARIO},
    row_records::{NODES, PROCESSES, RUN},
    run_columns::{
        AMOUNTS, ENGINE, LINK_USE, MAKESPAN, OVERLAPPED, RATIO, SEED, STEPS, SWEEP, WHOLE_RUN, swept,
    },
    time_record::{BLOCKED, DistributionRecord, StageRecord, TOTALS, TotalsRecord, WAITING, stages},
    trace_record::TraceTimesRecord,
};
use crate::{
    records::{FinishedRun, exact_mean},
    scenario::{Loading, Run},
};

/// The settings and measurements of one run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunRecord {
    /// Its index in the results, counted from 0 over all files.
    pub run: u64,
    /// The scenario's name.
    pub scenario: String,
    /// The number of processes of the program.
    pub processes: u64,
    /// Number of nodes that the program can use.
    pub nodes: u64,
    /// The seed of its random choices.
    pub seed: u64,
    /// The keys that the sweep sets, with their values as written; `None` without a sweep.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sweep: Option<String>,
    /// The machine.
    pub machine: MachineRecord,
    /// The program.
    pub program: ProgramRecord,
    /// The embedding's name; empty in open loop, where nothing is placed.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub embedding: String,
    /// The execution rules.
    pub execution: ExecutionRecord,
    /// Sentences on what is assumed, left out or rounded.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// The engine that ran.
    pub engine: Word,
    /// Finish time of the last process; `None` in open loop \[cycles\].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub makespan_cycles: Option<u64>,
    /// Measurements of open-loop traffic; its members are flattened into these.
    #[serde(flatten)]
    pub open_loop: Option<OpenLoopRecord>,
    /// The makespan in seconds, if the machine is described by bandwidth and latency.
    pub makespan_seconds: Option<f64>,
    /// Bytes of the largest message, or of the vector of a collective, per second of makespan, if sizes are
    /// in bytes.
    pub goodput_bytes_per_second: Option<f64>,
    /// The goodput of a collective times the share of the vector that each link carries in the best
    /// algorithm.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bus_bandwidth_bytes_per_second: Option<f64>,
    /// The makespan without contention \[cycles\].
    pub predicted_cycles: Option<u64>,
    /// A bound below all one-to-one placements, below all algorithms of a collective on this placement, or
    /// below all runs of another program on it \[cycles\].
    pub lower_bound_cycles: Option<u64>,
    /// The source of the lower bound, or the name of the bound of this placement.
    pub lower_bound_source: Option<Word>,
    /// The lower bound of a collective as a percentage of the makespan.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lower_bound_percent: Option<f64>,
    /// Bandwidth bound of a collective: data that links must carry \[cycles\].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bandwidth_bound_cycles: Option<u64>,
    /// Latency bound of a collective: distance that data must travel \[cycles\].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latency_bound_cycles: Option<u64>,
    /// Cut bound: what must cross into or out of a set of nodes \[cycles\].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cut_bound_cycles: Option<u64>,
    /// The set of nodes with the largest cut bound, such as `dimension 2, coordinates 0 to 0`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cut_bound_set: Option<String>,
    /// Cost of starting the steps of a collective, for algorithms of its kind \[cycles\].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub steps_bound_cycles: Option<u64>,
    /// Lower bound on the worst permutation with this number of units, for permutations only \[cycles\].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worst_case_bound: Option<f64>,
    /// Time for loading the program \[cycles\].
    pub loading_cycles: Option<u64>,
    /// The number of messages; `None` in open loop, as all amounts and sums below.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub messages: Option<u64>,
    /// Links crossed by all packets, in total.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hops: Option<u64>,
    /// The size of the largest message \[units\].
    pub units: u64,
    /// Links crossed by the units of all messages, in total.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unit_hops: Option<u128>,
    /// Busy cycles of the busiest link, if link use is counted.
    pub link_busy_max_cycles: Option<u64>,
    /// Coordinates of the node at one end of the busiest link.
    pub busiest_link_from: Option<Vec<u32>>,
    /// Coordinates of the node at its other end.
    pub busiest_link_to: Option<Vec<u32>>,
    /// The names of the nodes of the busiest link, such as `n1-l1`, if the machine's nodes have names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub busiest_link_name: Option<String>,
    /// Units on the busiest channel, for networks and all-to-all, if they are counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub channel_congestion: Option<u64>,
    /// The same if every message were split evenly over all its shortest routes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub balanced_congestion: Option<f64>,
    /// The fraction of the makespan for which the busiest channel is busy.
    pub link_busy_share: Option<f64>,
    /// Busy cycles of all channels of each direction, in the order `(1,+) (1,-) (2,+) ..`.
    pub direction_busy_cycles: Option<Vec<u64>>,
    /// Busy cycles of the busiest channel of each direction.
    pub direction_busy_max_cycles: Option<Vec<u64>>,
    /// Sums over processes and stages.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub totals: Option<TotalsRecord>,
    /// Transfer time before destinations were ready, summed like the totals.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub overlapped_cycles: Option<u128>,
    /// Waiting of single processes in single stages \[cycles\].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waiting: Option<DistributionRecord>,
    /// Blocked times of single processes in single stages \[cycles\].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blocked: Option<DistributionRecord>,
    /// Parallel data movement steps of a coordinated run.
    pub routing_steps: Option<u64>,
    /// Conflicts of a coordinated run.
    pub conflicts: Option<u64>,
    /// The longest queue of a channel, of an asynchronous run or of explicit routes \[messages\].
    pub longest_queue: Option<u32>,
    /// The steps of a job, iteration by iteration.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steps: Option<Vec<JobStepRecord>>,
    /// The pipelines of a job, iteration by iteration.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pipelines: Option<Vec<PipelineRecord>>,
    /// The communication of Chakra traces by kind, if they say how long it took when they were made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace_communication: Option<Vec<TraceTimesRecord>>,
    /// The sum over the ranks of a job of their finish less their computation steps, or over those of traces less what
    /// their devices compute \[cycles\].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exposed_cycles: Option<u128>,
    /// Its mean over the ranks \[cycles\].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exposed_mean_cycles: Option<f64>,
    /// The parts of the time of the ranks of a job.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<JobTimeRecord>,
    /// Of a random access, the data that each process has received: by process a process that it has read, or a list of
    /// those that have written to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub received: Option<ReceivedRecord>,
    /// The stages.
    pub stages: Vec<StageRecord>,
    /// Metrics of the placement; `None` in open loop.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub placement: Option<PlacementRecord>,
    /// Ratio of the makespan to that of the reference in the same combination; only in `compare`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ratio_to_reference: Option<f64>,
}

impl RunRecord {
    /// Makes the record of the run at index `place` of the results.
    #[must_use]
    #[expect(clippy::too_many_lines, reason = "a line for each member")]
    pub fn new(run: &Run, place: usize, finished: &FinishedRun) -> Self {
        let run = &*finished.run_that_counts(run);
        let (summary, traffic) = (&finished.outcome.summary, &finished.outcome.traffic);
        let (routing, bounds) = (traffic.routing.as_deref().map(sum), finished.collective_bounds);
        // Open-loop traffic has no end, and its packets belong to no stage.
        let is_closed = finished.open_loop.is_none();
        let congestion = finished.channel_congestion.filter(|_| is_closed);
        let makespan = is_closed.then(|| summary.makespan().get());
        let seconds = run.scale.zip(makespan).map(|(scale, makespan)| scale.seconds(makespan));
        Self {
            run: place as u64,
            scenario: run.scenario.to_string(),
            processes: run.program.body.process_count(),
            nodes: run.machine.numbered_hosts(),
            seed: run.seed,
            sweep: swept(run),
            machine: MachineRecord::new(run),
            program: ProgramRecord::new(&run.program),
            embedding: if is_closed { run.embedding.to_string() } else { String::new() },
            execution: ExecutionRecord::new(&run.execution, run.communication),
            notes: run
                .notes()
                .into_iter()
                .chain(finished.held_up.map(|own| own.in_words(&run.program)))
                .collect(),
            engine: finished.outcome.engine.name().into(),
            makespan_cycles: makespan,
            open_loop: finished.open_loop.as_ref().and_then(OpenLoopRecord::new),
            makespan_seconds: seconds,
            goodput_bytes_per_second: goodput(run, seconds),
            bus_bandwidth_bytes_per_second: bus_bandwidth(run, seconds),
            predicted_cycles: finished.predicted,
            lower_bound_cycles: lower_bound_cycles(finished),
            lower_bound_source: lower_bound_source(finished).map(Word::from),
            lower_bound_percent: lower_bound_percent(finished),
            bandwidth_bound_cycles: bounds.map(|bounds| bounds.bandwidth_cycles),
            latency_bound_cycles: bounds.map(|bounds| bounds.latency_cycles),
            cut_bound_cycles: cut_bound_cycles(finished),
            cut_bound_set: finished.cut_bound().map(|cut| cut.set.to_string()),
            // A collective in several steps has no kind of algorithm.
            steps_bound_cycles: bounds
                .filter(|_| run.program.operations.is_none())
                .map(|bounds| bounds.steps_cycles),
            worst_case_bound: worst_case_of(run),
            loading_cycles: run.loading.as_ref().map(Loading::cycles),
            messages: is_closed.then_some(traffic.messages),
            hops: is_closed.then_some(traffic.hops),
            units: run.program.max_message_units(),
            unit_hops: is_closed.then_some(finished.unit_hops),
            link_busy_max_cycles: finished.busiest_link.map(|busiest| busiest.count),
            busiest_link_from: busiest_end(run, finished, 0),
            busiest_link_to: busiest_end(run, finished, 1),
            busiest_link_name: busiest_link_name(run, finished),
            channel_congestion: congestion.map(|own| own.routed),
            balanced_congestion: congestion.map(|own| own.balanced),
            link_busy_share: link_busy_share(finished),
            direction_busy_cycles: by_direction(traffic, |own| own.total.get()),
            direction_busy_max_cycles: by_direction(traffic, |own| own.max.get()),
            totals: is_closed.then(|| TotalsRecord::new(summary)),
            overlapped_cycles: is_closed.then(|| summary.overlapped()),
            waiting: is_closed.then(|| DistributionRecord::new(summary.waiting())),
            blocked: is_closed.then(|| DistributionRecord::new(summary.blocked())),
            routing_steps: routing.map(|routing| routing.steps),
            conflicts: routing.map(|routing| routing.conflicts),
            longest_queue: traffic.longest_queue.filter(|_| is_closed),
            steps: finished
                .outcome
                .job
                .as_ref()
                .map(|times| JobStepRecord::all(run, times, summary.makespan().get())),
            pipelines: finished.outcome.job.as_ref().map(|times| PipelineRecord::all(run, times)),
            trace_communication: TraceTimesRecord::all(run, &finished.operations),
            exposed_cycles: exposed(run, finished),
            exposed_mean_cycles: exposed_mean(run, finished),
            time: finished.outcome.job.as_ref().map(JobTimeRecord::new),
            received: run.program.body.special().random_access().map(ReceivedRecord::new),
            stages: stages(run, finished),
            placement: is_closed
                .then(|| PlacementRecord::new(&finished.metrics).counting(run.counted_paths())),
            ratio_to_reference: None,
        }
    }
}

/// The data that the processes of a random access have received.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum ReceivedRecord {
    /// By process, the process whose data it has read; `None` if it has asked for none.
    Read(Vec<Option<u32>>),
    /// By process, the processes whose data it holds, in ascending order.
    Written(Vec<Vec<u32>>),
}

impl ReceivedRecord {
    fn new(access: &RandomAccess) -> Self {
        match access.received() {
            Received::Read(read) => {
                Self::Read(read.into_iter().map(|own| own.map(ProcessId::label)).collect())
            }
            Received::Written(held) => {
                let labels = |own: Vec<ProcessId>| own.into_iter().map(ProcessId::label).collect();
                Self::Written(held.into_iter().map(labels).collect())
            }
        }
    }

    /// The entries as in CSV, separated by spaces.
    pub(super) fn in_words(&self) -> String {
        let entries: Vec<String> = match self {
            Self::Read(read) => {
                read.iter().map(|own| own.map_or_else(String::new, |own| own.to_string())).collect()
            }
            Self::Written(held) => held.iter().map(|own| format!("[{}]", join(own, ","))).collect(),
        };
        entries.join(" ")
    }
}

/// Lower bound on the worst permutation with the number of units of a run, on its machine \[cycles\]; `None` for other
/// programs.
#[expect(clippy::cast_precision_loss, reason = "a bound of a few digits")]
fn worst_case_of(run: &Run) -> Option<f64> {
    if run.program.kind.name != "permutation" {
        return None;
    }
    let units = u128::from(run.program.body.process_count()) * u128::from(run.program.max_message_units());
    Some(worst_case_bound(&run.machine, units) * run.communication.hop().get() as f64)
}

impl RunRecord {
    /// Adds the ratio of the makespan to that of the reference.
    #[must_use]
    pub fn with_ratio(mut self, reference: Option<u64>) -> Self {
        let ratio = |reference: u64| exact_mean(self.makespan_cycles?.into(), reference.into());
        self.ratio_to_reference = reference.and_then(ratio);
        self
    }

    /// Whether the lower bound holds under this placement only, not for all placements.
    #[must_use]
    pub fn has_bound_of_its_placement(&self) -> bool {
        let source = self.lower_bound_source.as_deref();
        matches!(source, Some("bandwidth" | "latency" | "cut" | "computations"))
    }

    /// The busiest link by the names of its two nodes, or their coordinates, such as `(0,0)-(1,0)`; `None` if link
    /// use is not counted.
    #[must_use]
    pub fn busiest_link_in_words(&self) -> Option<String> {
        if self.busiest_link_name.is_some() {
            return self.busiest_link_name.clone();
        }
        let node = |node: &[u32]| format!("({})", join(node, ","));
        let (from, to) = (self.busiest_link_from.as_deref()?, self.busiest_link_to.as_deref()?);
        Some(format!("{}-{}", node(from), node(to)))
    }
}

/// Coordinates of the node at end 0 or 1 of the busiest link.
fn busiest_end(run: &Run, finished: &FinishedRun, end: usize) -> Option<Vec<u32>> {
    let ends = finished.busiest_link.and_then(|busiest| busiest.ends(&run.machine))?;
    Some(address(run, *ends.get(end)?))
}

/// The names of the nodes of the busiest link.
fn busiest_link_name(run: &Run, finished: &FinishedRun) -> Option<String> {
    let [one, other] = finished.busiest_link.and_then(|busiest| busiest.ends(&run.machine))?;
    let name = |node| run.machine.node_name(node);
    Some(format!("{}-{}", name(one)?, name(other)?))
}

/// Sums steps and conflicts over the stages.
fn sum(stages: &[StageRouting]) -> StageRouting {
    let mut sum = StageRouting::default();
    for &stage in stages {
        sum += stage;
    }
    sum
}

/// The exposed cycles of a job, or of traces: the sum over ranks of their finish less what they compute.
fn exposed(run: &Run, finished: &FinishedRun) -> Option<u128> {
    let of_job = finished.outcome.job.as_ref().map(|times| times.exposed);
    let of_traces = || {
        let (traces, graph) = (run.program.traces.as_deref()?, run.program.body.special().tasks()?);
        let finishes = finished.outcome.summary.finishes();
        Some(finishes.saturating_sub(traces.device_computations(graph)))
    };
    of_job.or_else(of_traces)
}

/// The exposed cycles of a rank of a job or of traces, in the mean.
fn exposed_mean(run: &Run, finished: &FinishedRun) -> Option<f64> {
    exact_mean(exposed(run, finished)?, run.program.rank_count().into())
}

/// A bound below all placements, or below all algorithms of a collective on this placement.
fn lower_bound_cycles(finished: &FinishedRun) -> Option<u64> {
    let of_placements = finished.lower_bound.map(|bound| bound.cycles.get());
    let of_collective = finished.collective_bounds.map(|bounds| bounds.lower_bound_cycles());
    let of_program = || Some(finished.program_bounds?.larger()?.0);
    of_placements.or(of_collective).or_else(of_program)
}

/// The source of the lower bound, or the name of the collective's bound.
fn lower_bound_source(finished: &FinishedRun) -> Option<&'static str> {
    let of_collective = || Some(finished.collective_bounds?.lower_bound_source()?.name());
    let of_program = || Some(finished.program_bounds?.larger()?.1);
    let of_placements = finished.lower_bound.map(|bound| BoundSource::name(bound.source));
    of_placements.or_else(of_collective).or_else(of_program)
}

/// The cut bound; for a collective, even if nothing must cross a link.
fn cut_bound_cycles(finished: &FinishedRun) -> Option<u64> {
    let of_collective = finished.collective_bounds.map(|bounds| bounds.cut_cycles());
    of_collective.or(finished.cut_bound().map(|cut| cut.cycles))
}

/// The lower bound of a collective as a percentage of the makespan.
fn lower_bound_percent(finished: &FinishedRun) -> Option<f64> {
    let makespan = finished.outcome.summary.makespan().get();
    let bound = finished.collective_bounds?.lower_bound_cycles();
    exact_mean(100 * u128::from(bound), makespan.into())
}

/// The fraction of the makespan for which the busiest channel is busy.
fn link_busy_share(finished: &FinishedRun) -> Option<f64> {
    let makespan = finished.outcome.summary.makespan().get();
    exact_mean(finished.busiest_channel?.into(), makespan.into())
}

/// A number for each direction of a grid, if link use is counted.
fn by_direction(traffic: &Traffic, number: impl Fn(&DirectionUse) -> u64) -> Option<Vec<u64>> {
    let directions = traffic.link_use.as_ref().map(LinkUse::by_direction)?;
    (!directions.is_empty()).then(|| directions.iter().map(number).collect())
}

/// Bytes of the largest message over the makespan; `None` if the program has no bytes or takes no time, or is a job or a
/// task graph, whose makespan is not about one message.
#[expect(clippy::cast_precision_loss, reason = "results show it as a fraction")]
fn goodput(run: &Run, makespan_seconds: Option<f64>) -> Option<f64> {
    if run.program.job.is_some() || run.program.body.special().tasks().is_some() {
        return None;
    }
    let bytes = run.program.vector_bytes().or(run.program.bytes)? as f64;
    makespan_seconds.filter(|&seconds| seconds > 0.0).map(|seconds| bytes / seconds)
}

/// The bus bandwidth of a collective as nccl-tests defines it; `None` if there is no goodput.
#[expect(clippy::cast_precision_loss, reason = "results show it as a fraction")]
fn bus_bandwidth(run: &Run, makespan_seconds: Option<f64>) -> Option<f64> {
    let collective = run.program.asked_collective()?.specification()?;
    let ranks = collective.rank_count() as f64;
    let factor = match collective.operation {
        Operation::AllReduce => 2.0 * (ranks - 1.0) / ranks,
        Operation::ReduceScatter | Operation::AllGather | Operation::AllToAll => (ranks - 1.0) / ranks,
        Operation::Broadcast
        | Operation::Reduce
        | Operation::Gather
        | Operation::Scatter
        | Operation::Barrier => 1.0,
    };
    goodput(run, makespan_seconds).map(|goodput| goodput * factor)
}

fn address(run: &Run, node: NodeId) -> Vec<u32> {
    run.address(node).as_slice().to_vec()
}

impl Record for RunRecord {
    fn fill<'record>(record: Option<&'record Self>, row: &mut Row<'record>) {
        row.section(RUN, record.map(|run| &run.run));
        row.section(SCENARIO, record.map(|run| run.scenario.as_str()));
        row.section(PROCESSES, record.map(|run| &run.processes));
        row.section(NODES, record.map(|run| &run.nodes));
        row.section(SEED, record.map(|run| &run.seed));
        row.section(SWEEP, record.and_then(|run| run.sweep.as_deref()));
        row.part(record.map(|run| &run.machine));
        row.part(record.map(|run| &run.program));
        row.section(EMBEDDING, record.map(|run| run.embedding.as_str()).filter(|name| !name.is_empty()));
        row.section(EXECUTION, record.map(|run| &run.execution));
        row.section(ENGINE, record);
        row.section(MAKESPAN, record);
        row.section(OPEN_LOOP, record.and_then(|run| run.open_loop.as_ref()));
        row.section(WHOLE_RUN, record);
        row.section(AMOUNTS, record);
        row.section(LINK_USE, record);
        row.section(TOTALS, record.and_then(|run| run.totals.as_ref()));
        row.section(OVERLAPPED, record);
        row.section(WAITING, record.and_then(|run| run.waiting.as_ref()));
        row.section(BLOCKED, record.and_then(|run| run.blocked.as_ref()));
        row.section(STEPS, record);
        row.section(EXPOSED, record);
        row.section(JOB_TIME, record.and_then(|run| run.time.as_ref()));
        row.part(record.and_then(|run| run.placement.as_ref()));
        row.section(RATIO, record);
    }
}
