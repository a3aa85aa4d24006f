//! One run in the results, and its columns.

use cubefold_derive::Columns;
use cubefold_scenario::{Loading, Run, SweptValue};
use cubefold_simulator::{Job, StageRouting};
use serde::{Deserialize, Serialize};

use super::{
    ExecutionRecord, MachineRecord, PlacementRecord, ProgramRecord, Word,
    column::{BYTES_PER_SECOND, Cell, PERCENT, Record, Row, SECONDS, join},
    execution_record::EXECUTION,
    job_record::{JOB_TIME, JobStepRecord, JobTimeRecord},
    open_loop_record::OpenLoopRecord,
    pipeline_record::PipelineRecord,
    received_record::ReceivedRecord,
    run_values::{
        bus_bandwidth, busiest_end, busiest_link_name, by_direction, cut_bound_cycles, exposed, exposed_mean,
        goodput, link_busy_share, lower_bound_cycles, lower_bound_percent, lower_bound_source, worst_case_of,
    },
    shared_columns::{EMBEDDING, NODES, PROCESSES, RUN, SCENARIO, SEED, SWEEP},
    time_record::{BLOCKED, DistributionRecord, StageRecord, TOTALS, TotalsRecord, WAITING, stages},
    trace_record::TraceTimesRecord,
};
use crate::{FinishedRun, exact_mean};

/// The settings and measurements of one run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Columns)]
#[columns(ENGINE)]
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
    /// Sentences on assumptions, omissions and rounding.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// The engine that computed the run: hop or belt for asynchronous runs, coordinated for the others. No other
    /// value depends on it.
    #[column("engine", source = "docs/engines.md")]
    pub engine: Word,
    /// When the last process finishes. It is the number to compare: how long the program takes under this
    /// placement, contention and waiting included.
    #[column(
        "makespan", list = MAKESPAN, unit = "cycles",
        formula = "asynchronous: the largest finish of a process; coordinated: sum over the stages of (T_a \
        L + T_c * steps of the stage), L the largest load",
        source = "docs/model.md, sections 5 and 6"
    )]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub makespan_cycles: Option<u64>,
    /// Measurements of open-loop traffic; its members are flattened into these.
    #[serde(flatten)]
    pub open_loop: Option<OpenLoopRecord>,
    /// The makespan in seconds; empty if the machine is described in cycles.
    #[column(
        "seconds", list = WHOLE_RUN, unit = SECONDS, formula = "makespan * cycle",
        source = "docs/model.md, section 17"
    )]
    pub makespan_seconds: Option<f64>,
    /// The bytes of the largest message, or of the vector of a collective, over the makespan; empty for jobs and
    /// task graphs, and if the scenario gives no bytes.
    #[column(
        "goodput", list = WHOLE_RUN, unit = BYTES_PER_SECOND, formula = "M / makespan",
        source = "docs/model.md, section 17"
    )]
    pub goodput_bytes_per_second: Option<f64>,
    /// The goodput of a collective times the part of the vector that every link of a ring carries, so that
    /// algorithms and operations compare with the bandwidth of the hardware. The column is there only if a run has
    /// it.
    #[column(
        "bus bandwidth", list = WHOLE_RUN, aliases = ["busbw"], unit = BYTES_PER_SECOND,
        formula = "goodput * 2 (P - 1) / P of all-reduce, (P - 1) / P of reduce-scatter, all-gather, \
        all-to-all, gather and scatter, 1 of broadcast and reduce",
        source = "nccl-tests; docs/model.md, section 17"
    )]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bus_bandwidth_bytes_per_second: Option<f64>,
    /// The makespan without contention. No asynchronous run takes less, and a run without blocked cycles takes
    /// exactly this if every process has a node of its own and no message is eager.
    #[column(
        "predicted", list = WHOLE_RUN, aliases = ["prediction"], unit = "cycles",
        formula = "the largest T_(S-1)(n) of T_s(n) = T_a + T_c D_(q_s)(n) + max(T_(s-1)(n), \
        T_(s-1)(N_(q_s)(n))), T_(-1)(n) = 0",
        source = "González & Valero 1993, 2.1; docs/model.md, section 5, prediction; section 15"
    )]
    pub predicted_cycles: Option<u64>,
    /// For cc-cube programs, a lower bound for all one-to-one placements on this machine, known if every dimension
    /// is used once, on as many nodes as processes, with lengths that are powers of two. For collectives, a lower
    /// bound for all algorithms under this placement; for other programs, for all runs under this placement.
    #[column(
        "bound", list = WHOLE_RUN, aliases = ["lower bound"], unit = "cycles",
        formula = "cc-cube: d T_a + T_c B; B is the sum over the machine's dimensions of length 2^(d_j) of \
        3 * 2^(d_j - 2) - 1 where they wrap (and d_j >= 2), else 2^(d_j) - 1; collectives: the largest of bandwidth, latency and cut bound; other programs: the larger of cut bound and computations of a node",
        source = "Harper 1964; Bezrukov et al. 1998; Guu 1997; Liu & Tang 2023; Tang, arXiv \
              \
              2302.13237; docs/model.md, section 5, lower bound, section 16, bounds, and section 24"
    )]
    pub lower_bound_cycles: Option<u64>,
    /// For cc-cube programs, whether the bound rests on a theorem or on a preprint. For collectives, the largest
    /// bound: bandwidth, latency or cut. For other programs, cut or computations.
    #[column(
        "bound by", list = WHOLE_RUN, aliases = ["theorem", "preprint"],
        source = "docs/model.md, section 5, lower bound, section 16, bounds, and section 24"
    )]
    pub lower_bound_source: Option<Word>,
    /// The part of its lower bound that the run of a collective reaches: 100 % is a run that no algorithm can beat
    /// under this placement, 50 % one that takes twice as long as the bound. The column is there only if a run is a
    /// collective.
    #[column(
        "of bound", list = WHOLE_RUN, aliases = ["part of the lower bound"], unit = PERCENT,
        formula = "100 * bound / makespan", source = "docs/model.md, section 16, bounds"
    )]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lower_bound_percent: Option<f64>,
    /// The time that links need for the data that must enter or leave a node, or travel in all, in a collective on
    /// this placement. This column and the latency and steps bounds are there only if a run is a collective.
    #[column(
        "bandwidth bound", list = WHOLE_RUN, aliases = ["bandwidth bound of a collective"], unit = "cycles",
        formula = "all-reduce, for a node with deg channels: u ceil(M / deg) + l, and others",
        source = "Patarasuk & Yuan 2009; docs/model.md, section 16, bounds"
    )]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bandwidth_bound_cycles: Option<u64>,
    /// The time in which data travel the largest distance that they must travel in a collective on this placement.
    #[column(
        "latency bound", list = WHOLE_RUN, aliases = ["latency bound of a collective"], unit = "cycles",
        formula = "distance * (l + u) + T_a", source = "docs/model.md, section 16, bounds"
    )]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latency_bound_cycles: Option<u64>,
    /// The time that links need for the data that must cross into or out of a set of nodes: the largest over nodes,
    /// intervals of coordinates, and parts of machines with switches. The column is there only if a run has such a
    /// bound.
    #[column(
        "cut bound", list = WHOLE_RUN, aliases = ["cut", "cut bound of a program"], unit = "cycles",
        formula = "the least T with sum over the channels j into the set of max(0, floor((T - l_j) / u_j)) \
        >= what must come in, and outwards",
        source = "docs/model.md, section 24"
    )]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cut_bound_cycles: Option<u64>,
    /// The set of nodes with the largest cut bound, the first of equal ones: a node, coordinates of a dimension, or
    /// the hosts below a switch, subtree, group, cluster node, leaf or rail.
    #[column("set of the cut bound", list = WHOLE_RUN, source = "docs/model.md, section 24")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cut_bound_set: Option<String>,
    /// The cost of starting the fewest steps that an algorithm of this kind needs. Other algorithms may need fewer,
    /// so it is not part of the lower bound.
    #[column(
        "steps bound", list = WHOLE_RUN, aliases = ["steps bound of a collective"], unit = "cycles",
        formula = "ceil(log_(p+1) P) T_a, p the most messages that a process receives in a stage",
        source = "docs/model.md, section 16, bounds"
    )]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub steps_bound_cycles: Option<u64>,
    /// A lower bound on the worst permutation with as many units on this machine, not on this one. The column is
    /// there only if a run is a permutation.
    #[column(
        "worst-case bound", list = WHOLE_RUN, aliases = ["Gottlieb & Kruskal"], unit = "cycles",
        formula = "u (N / P) log2 P / (3 (log2 K + 1)), N units on P nodes of degree at most K",
        source = "Tao 1988, theorem 2.4.2; docs/model.md, section 28.4"
    )]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worst_case_bound: Option<f64>,
    /// The time to broadcast the loader and every type of code before the program begins; it is not part of the
    /// makespan.
    #[column(
        "loading", list = WHOLE_RUN, unit = "cycles", formula = "broadcast_cycles * (1 + number of types)",
        source = "Tao 1988, 4.3.3; docs/model.md, section 9"
    )]
    pub loading_cycles: Option<u64>,
    /// The messages of all stages.
    #[column("messages", list = AMOUNTS, unit = "messages", source = "docs/model.md, section 2")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub messages: Option<u64>,
    /// The number of links crossed by all messages together, or by all packets if messages are divided.
    #[column("hops", list = AMOUNTS, unit = "links", source = "docs/model.md, sections 2, 4 and 13")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hops: Option<u64>,
    /// The size of the largest message.
    #[column(
        "units", list = AMOUNTS, unit = "units", formula = "the largest L",
        source = "docs/model.md, section 13"
    )]
    pub units: u64,
    /// The number of links crossed by the units of all messages together; empty if switches reduce.
    #[column(
        "unit hops", list = AMOUNTS, unit = "units times links",
        formula = "sum over the messages of L * distance", source = "docs/model.md, section 13"
    )]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unit_hops: Option<u128>,
    /// The cycles for which the busiest link is occupied, both directions together. Empty if processes times
    /// messages per stage times distinct stages exceeds 2^22 (on networks and in coordinated runs also times the
    /// diameter), or the machine has more than 2^20 links.
    #[column(
        "busiest link", list = LINK_USE, aliases = ["busy"], unit = "cycles",
        formula = "the largest, over the links, of u * units that cross it",
        source = "docs/model.md, section 13"
    )]
    pub link_busy_max_cycles: Option<u64>,
    /// The coordinates of the node at one end of the busiest link; of several, the first by dimension and node.
    #[column("busiest link, one end", list = LINK_USE, source = "docs/model.md, section 13")]
    pub busiest_link_from: Option<Vec<u32>>,
    /// The coordinates of the node at the other end of the busiest link.
    #[column("busiest link, other end", list = LINK_USE, source = "docs/model.md, section 13")]
    pub busiest_link_to: Option<Vec<u32>>,
    /// The names of the two nodes of the busiest link. The column is there only if a machine's nodes have names.
    #[column("busiest link, by name", list = LINK_USE, source = "docs/model.md, section 13")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub busiest_link_name: Option<String>,
    /// The number of units on the busiest channel along the routes of all messages of all stages. Counted on
    /// networks, and for all-to-all on every machine, up to 2^20 messages; the column is there only if a run has
    /// it.
    #[column("channel congestion", list = AMOUNTS, unit = "units", source = "docs/model.md, section 19")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub channel_congestion: Option<u64>,
    /// The units on the busiest channel if every message were split evenly over all its shortest routes. If the
    /// routes of messages carry much more, they are far from even.
    #[column("balanced congestion", list = AMOUNTS, unit = "units", source = "docs/model.md, section 19")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub balanced_congestion: Option<f64>,
    /// The fraction of the makespan for which the busiest channel is occupied: one direction of a full-duplex link,
    /// of which `link_busy_max_cycles` adds both, else the whole link. Near 1, this channel alone determines the
    /// makespan. Empty if busy cycles are not counted.
    #[column(
        "link use", list = LINK_USE, aliases = ["busy share", "saturation"], unit = "ratio",
        formula = "the largest, over the channels, of u * units that cross it, / makespan",
        source = "docs/model.md, section 13"
    )]
    pub link_busy_share: Option<f64>,
    /// The busy cycles of all channels of each direction together, in the order (1,+) (1,-) (2,+) (2,-) and so on.
    /// A direction with much less than the others has unused capacity. Empty on networks, whose links have no
    /// dimensions, and if busy cycles are not counted.
    #[column(
        "busy by direction", list = LINK_USE, unit = "cycles",
        formula = "sum over the channels of a direction of u * units that cross it",
        source = "docs/model.md, section 13"
    )]
    pub direction_busy_cycles: Option<Vec<u64>>,
    /// The busy cycles of the busiest channel of each direction, in the same order.
    #[column(
        "busiest by direction", list = LINK_USE, unit = "cycles",
        formula = "the largest, over the channels of a direction, of u * units that cross it",
        source = "docs/model.md, section 13"
    )]
    pub direction_busy_max_cycles: Option<Vec<u64>>,
    /// Sums over processes and stages.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub totals: Option<TotalsRecord>,
    /// The parts of transfers that pass before the destination is ready, while it computes; 0 unless messages are
    /// eager. They are not in the totals.
    #[column(
        "overlapped", list = OVERLAPPED, unit = "cycles",
        formula = "transfer - min(transfer, finish - max(start, ready)), summed over all processes and stages",
        source = "docs/model.md, section 14"
    )]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub overlapped_cycles: Option<u128>,
    /// Waiting of single processes in single stages \[cycles\].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waiting: Option<DistributionRecord>,
    /// Blocked times of single processes in single stages \[cycles\].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blocked: Option<DistributionRecord>,
    /// The parallel data movement steps of a coordinated run: in one step messages move over one link each. Tables
    /// show the sum over all stages.
    #[column(
        "steps", list = STEPS, aliases = ["stages_routing_steps"], unit = "steps",
        formula = "sum over the stages of the steps of all their movements; one costs T_c",
        source = "Tao 1988, 4.2; docs/model.md, section 6"
    )]
    pub routing_steps: Option<u64>,
    /// The number of times that a message of a coordinated run did not move in a step because another message had
    /// its channel; on routes of their own (embedding, valiant) all that are left in queues, also those that wait for
    /// the other direction of their link.
    #[column(
        "conflicts", list = STEPS, aliases = ["stages_conflicts"], unit = "message steps",
        source = "Tao 1988, 4.2; docs/model.md, section 6"
    )]
    pub conflicts: Option<u64>,
    /// The largest number of messages, or packets if messages are divided, in the queue of one channel after the
    /// grants of a cycle of an asynchronous run, or of a step in which messages move on routes of their own
    /// (valiant); 0 if none has to wait.
    #[column("queue", list = STEPS, unit = "messages", source = "docs/model.md, sections 5, 13 and 28.1")]
    pub longest_queue: Option<u32>,
    /// The steps of a job, iteration by iteration.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steps: Option<Vec<JobStepRecord>>,
    /// The pipelines of a job, iteration by iteration.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pipelines: Option<Vec<PipelineRecord>>,
    /// The times of the messages and collectives of Chakra traces by kind, summed over the operations of ranks:
    /// when the traces were made, and in the run, from when an operation may begin until it is over at its rank.
    /// Operations without a time in the traces count in the run alone. They are in JSON, and in a table of their own,
    /// if the traces say how long their communication took.
    #[column(
        "communication of traces", term, list = EXPOSED,
        aliases = ["traced", "simulated", "traced_seconds", "simulated_seconds", "simulated_cycles"],
        unit = "s", source = "docs/model.md, section 23.4"
    )]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace_communication: Option<Vec<TraceTimesRecord>>,
    /// The time of the ranks of a job in which none of their computation steps runs, of traces in which no device
    /// computes: messages that nothing hides. In tables of steps, the cycles in which a step is at work at a rank that
    /// computes nothing. The column is there only for jobs and traces.
    #[column(
        "exposed", list = EXPOSED, aliases = ["exposed communication"], unit = "cycles",
        formula = "sum over the ranks of their finish less the cycles of their computation steps",
        source = "docs/model.md, section 23"
    )]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exposed_cycles: Option<u128>,
    /// The exposed cycles of a rank of a job or of traces, in the mean.
    #[column(
        "exposed, mean", list = EXPOSED, unit = "cycles", formula = "exposed / ranks",
        source = "docs/model.md, section 23"
    )]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exposed_mean_cycles: Option<f64>,
    /// The parts of the time of the ranks of a job.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<JobTimeRecord>,
    /// Of a random access, the data that each process has received: of a read the process that it has asked, empty
    /// if none; of a write those that have written to it, in brackets. The column is there only if a run is a
    /// random access.
    #[column(
        "received", list = STEPS, aliases = ["random access"], kind = List,
        source = "Tao 1988, 2.4; docs/model.md, section 28.3",
        value = |run| Cell::optional(run.received.as_ref().map(|received| Cell::Text(received.in_words().into())))
    )]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub received: Option<ReceivedRecord>,
    /// The stages.
    pub stages: Vec<StageRecord>,
    /// Metrics of the placement; `None` in open loop.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub placement: Option<PlacementRecord>,
    /// The makespan over that of the reference embedding in the same combination of the sweep. 0.8 is 1.25x faster,
    /// 1 is equal, 2 takes twice as long.
    #[column(
        "vs reference", list = RATIO, aliases = ["ratio to the reference"], unit = "ratio",
        formula = "makespan / makespan of the reference",
        source = "docs/reading-results.md, ratio to the reference"
    )]
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
        // Messages that switches reduce are not counted on links (`docs/model.md` section 16).
        let job = run.program.body.special().job();
        let is_counted = is_closed && !job.is_some_and(Job::reduces_in_switches);
        let congestion = finished.channel_congestion.filter(|_| is_counted);
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
            program: ProgramRecord::of_run(run),
            embedding: if is_closed { run.embedding.to_string() } else { String::new() },
            execution: ExecutionRecord::new(&run.execution, run.communication),
            notes: run
                .notes()
                .into_iter()
                .chain(finished.held_up.map(|held_up| held_up.in_words(&run.program)))
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
            unit_hops: is_counted.then_some(finished.unit_hops),
            link_busy_max_cycles: finished.busiest_link.map(|busiest| busiest.count),
            busiest_link_from: busiest_end(run, finished, 0),
            busiest_link_to: busiest_end(run, finished, 1),
            busiest_link_name: busiest_link_name(run, finished),
            channel_congestion: congestion.map(|congestion| congestion.routed),
            balanced_congestion: congestion.map(|congestion| congestion.balanced),
            link_busy_share: link_busy_share(finished),
            direction_busy_cycles: by_direction(traffic, |direction| direction.total.get()),
            direction_busy_max_cycles: by_direction(traffic, |direction| direction.max.get()),
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

/// The keys that the sweep sets in a run, with their values as written; `None` without a sweep.
#[must_use]
pub fn swept(run: &Run) -> Option<String> {
    let assignment = |(path, value): &SweptValue| format!("{path} = {value}");
    let all: Vec<String> = run.combination.iter().map(assignment).collect();
    (!all.is_empty()).then(|| all.join("; "))
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

/// Sums steps and conflicts over the stages.
fn sum(stages: &[StageRouting]) -> StageRouting {
    let mut sum = StageRouting::default();
    for &stage in stages {
        sum += stage;
    }
    sum
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
        row.part(record.and_then(|run| run.open_loop.as_ref()));
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
