//! One run, as results hold it, and its columns.

use cubefold_collectives::Operation;
use cubefold_mapping::BoundSource;
use cubefold_simulator::{Communication, DirectionUse, EAGER_ALL, LinkUse, Traffic};
use cubefold_topology::NodeId;
use serde::{Deserialize, Serialize};

use super::{
    MachineRecord, PlacementRecord, ProgramRecord, Word,
    column::{BYTES_PER_SECOND, Cell, Column, Record, Row, SECONDS, no_cell},
    placement_record::{EMBEDDING, SCENARIO},
    row_records::{NODES, PROCESSES, RUN},
    time_record::{BLOCKED, DistributionRecord, StageRecord, TOTALS, TotalsRecord, WAITING, stages},
};
use crate::{
    FinishedRun, Loading,
    definition::{Definition, Kind},
    exact_mean,
    scenario::{Execution, ExecutionMode, Phases, Run},
};

/// One run with everything that was measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunRecord {
    /// Its place in the results, counted from 0 over all files.
    pub run: u64,
    /// The scenario's name.
    pub scenario: String,
    /// The number of processes of the program.
    pub processes: u64,
    /// The number of nodes that the program can have.
    pub nodes: u64,
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
    pub engine: Word,
    /// When the last process finished \[cycles\].
    pub makespan_cycles: u64,
    /// The same in seconds, of machines that are described by bandwidth and latency.
    pub makespan_seconds: Option<f64>,
    /// The bytes of the largest message, or of the vector of a collective, over the makespan, where sizes have bytes.
    pub goodput_bytes_per_second: Option<f64>,
    /// The goodput of a collective times what each link of the best algorithm carries of the vector.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bus_bandwidth_bytes_per_second: Option<f64>,
    /// The makespan without contention \[cycles\].
    pub predicted_cycles: Option<u64>,
    /// What no one-to-one placement goes below \[cycles\].
    pub lower_bound_cycles: Option<u64>,
    /// How that is known.
    pub lower_bound_source: Option<Word>,
    /// What links must carry in a collective \[cycles\].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bandwidth_bound_cycles: Option<u64>,
    /// How far data must go in a collective \[cycles\].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latency_bound_cycles: Option<u64>,
    /// The cost of starting the steps of a collective, for algorithms of its kind \[cycles\].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub steps_bound_cycles: Option<u64>,
    /// Loading the program \[cycles\].
    pub loading_cycles: Option<u64>,
    /// The number of messages.
    pub messages: u64,
    /// Links crossed by all packets.
    pub hops: u64,
    /// The size of the largest message \[units\].
    pub units: u64,
    /// Links crossed by the units of all messages.
    pub unit_hops: u128,
    /// The cycles for which the busiest link is busy, where link use is counted.
    pub link_busy_max_cycles: Option<u64>,
    /// The coordinates of the node at one end of the busiest link.
    pub busiest_link_from: Option<Vec<u32>>,
    /// The coordinates of the node at its other end.
    pub busiest_link_to: Option<Vec<u32>>,
    /// The units that the busiest channel carries, of networks and of all-to-all, where they are counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub channel_congestion: Option<u64>,
    /// The same, were every message split evenly over all its shortest routes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub balanced_congestion: Option<f64>,
    /// The part of the makespan for which the busiest channel is busy.
    pub link_busy_share: Option<f64>,
    /// The busy cycles of the channels of each direction together, in the order `(1,+) (1,-) (2,+) ..`.
    pub direction_busy_cycles: Option<Vec<u64>>,
    /// Those of the busiest channel of each direction.
    pub direction_busy_max_cycles: Option<Vec<u64>>,
    /// Sums over processes and stages.
    pub totals: TotalsRecord,
    /// The parts of transfers that passed before their destinations were ready, summed like the totals.
    pub overlapped_cycles: u128,
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExecutionRecord {
    /// `asynchronous` or `coordinated`.
    pub mode: Word,
    /// The rule for equally long ways round.
    pub tie: Word,
    /// Which dimension a message corrects next; of a coordinated run.
    pub dimension_choice: Option<Word>,
    /// The phase lengths asked for; of a coordinated run.
    pub phases: Option<String>,
    /// The largest size of eager messages \[units\], or `all`; where there are any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub eager_units: Option<String>,
    /// How routes are chosen, where the scenario says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub routing: Option<Word>,
}

impl RunRecord {
    /// The record of the run at place `place` of the results, and what it came to.
    #[must_use]
    pub fn new(run: &Run, place: usize, finished: &FinishedRun) -> Self {
        let run = &*finished.run_that_counts(run);
        let (summary, traffic) = (&finished.outcome.summary, &finished.outcome.traffic);
        let routing = traffic.routing.as_deref();
        let seconds = run.scale.map(|scale| scale.seconds(summary.makespan().get()));
        let busiest = finished.busiest_link;
        let ends = busiest.and_then(|busiest| busiest.ends(&run.machine));
        Self {
            run: place as u64,
            scenario: run.scenario.clone(),
            processes: run.program.process_count(),
            nodes: run.machine.node_count(),
            seed: run.seed,
            machine: MachineRecord::new(run),
            program: ProgramRecord::new(&run.program),
            embedding: run.embedding.to_string(),
            execution: ExecutionRecord::new(&run.execution, run.communication),
            engine: finished.outcome.engine.name().into(),
            makespan_cycles: summary.makespan().get(),
            makespan_seconds: seconds,
            goodput_bytes_per_second: goodput(run, seconds),
            bus_bandwidth_bytes_per_second: bus_bandwidth(run, seconds),
            predicted_cycles: finished.predicted,
            lower_bound_cycles: lower_bound_cycles(finished),
            lower_bound_source: finished.lower_bound.map(|bound| BoundSource::name(bound.source).into()),
            bandwidth_bound_cycles: finished.collective_bounds.map(|bounds| bounds.bandwidth_cycles),
            latency_bound_cycles: finished.collective_bounds.map(|bounds| bounds.latency_cycles),
            steps_bound_cycles: finished.collective_bounds.map(|bounds| bounds.steps_cycles),
            loading_cycles: run.loading.as_ref().map(Loading::cycles),
            messages: traffic.messages,
            hops: traffic.hops,
            units: run.program.max_message_units(),
            unit_hops: finished.unit_hops,
            link_busy_max_cycles: busiest.map(|busiest| busiest.count),
            busiest_link_from: ends.map(|[from, _]| address(run, from)),
            busiest_link_to: ends.map(|[_, to]| address(run, to)),
            channel_congestion: finished.channel_congestion.map(|own| own.routed),
            balanced_congestion: finished.channel_congestion.map(|own| own.balanced),
            link_busy_share: link_busy_share(finished),
            direction_busy_cycles: by_direction(traffic, |own| own.total.get()),
            direction_busy_max_cycles: by_direction(traffic, |own| own.max.get()),
            totals: TotalsRecord::new(summary),
            overlapped_cycles: summary.overlapped(),
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

/// What no placement goes below, or of a collective no algorithm on this placement.
fn lower_bound_cycles(finished: &FinishedRun) -> Option<u64> {
    let of_placements = finished.lower_bound.map(|bound| bound.cycles.get());
    of_placements.or(finished.collective_bounds.map(|bounds| bounds.lower_bound_cycles()))
}

/// The busiest channel's part of the makespan.
fn link_busy_share(finished: &FinishedRun) -> Option<f64> {
    let makespan = finished.outcome.summary.makespan().get();
    exact_mean(finished.busiest_channel?.into(), makespan.into())
}

/// A number for each direction of a grid, where link use is counted.
fn by_direction(traffic: &Traffic, number: impl Fn(&DirectionUse) -> u64) -> Option<Vec<u64>> {
    let directions = traffic.link_use.as_ref().map(LinkUse::by_direction)?;
    (!directions.is_empty()).then(|| directions.iter().map(number).collect())
}

/// The bytes of the largest message over the makespan; none where the program has no bytes, or takes no time.
#[expect(clippy::cast_precision_loss, reason = "results show it as a fraction")]
fn goodput(run: &Run, makespan_seconds: Option<f64>) -> Option<f64> {
    let bytes = run.program.vector_bytes().or(run.program.bytes())? as f64;
    makespan_seconds.filter(|&seconds| seconds > 0.0).map(|seconds| bytes / seconds)
}

/// The bus bandwidth of a collective as nccl-tests defines it; none where there is no goodput.
#[expect(clippy::cast_precision_loss, reason = "results show it as a fraction")]
fn bus_bandwidth(run: &Run, makespan_seconds: Option<f64>) -> Option<f64> {
    let collective = run.program.collective()?.specification()?;
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

impl ExecutionRecord {
    /// The record of an execution under these rules.
    #[must_use]
    pub fn new(execution: &Execution, rules: Communication) -> Self {
        let eager_units = match rules.eager() {
            0 => None,
            EAGER_ALL => Some("all".to_owned()),
            units => Some(units.to_string()),
        };
        let (dimension_choice, phases) = match execution.mode {
            ExecutionMode::Asynchronous => (None, None),
            ExecutionMode::Coordinated { dimension_choice, phases } => {
                let phases = match phases {
                    Phases::Embedding => "embedding".to_owned(),
                    Phases::Unlimited => "unlimited".to_owned(),
                    Phases::Length(length) => length.to_string(),
                };
                (Some(dimension_choice.name().into()), Some(phases))
            }
        };
        let (mode, tie) = (execution.mode.name().into(), rules.tie().name().into());
        let routing = execution.routing.map(|rule| rule.name().into());
        Self { mode, tie, dimension_choice, phases, eager_units, routing }
    }
}

impl Record for RunRecord {
    fn fill<'record>(record: Option<&'record Self>, row: &mut Row<'record>) {
        row.section(RUN, record.map(|run| &run.run));
        row.section(SCENARIO, record.map(|run| run.scenario.as_str()));
        row.section(PROCESSES, record.map(|run| &run.processes));
        row.section(NODES, record.map(|run| &run.nodes));
        row.section(SEED, record.map(|run| &run.seed));
        row.part(record.map(|run| &run.machine));
        row.part(record.map(|run| &run.program));
        row.section(EMBEDDING, record.map(|run| run.embedding.as_str()));
        row.section(EXECUTION, record.map(|run| &run.execution));
        row.section(ENGINE, record);
        row.section(WHOLE_RUN, record);
        row.section(AMOUNTS, record);
        row.section(LINK_USE, record);
        row.section(TOTALS, record.map(|run| &run.totals));
        row.section(OVERLAPPED, record);
        row.section(WAITING, record.map(|run| &run.waiting));
        row.section(BLOCKED, record.map(|run| &run.blocked));
        row.section(STEPS, record);
        row.part(record.map(|run| &run.placement));
        row.section(RATIO, record);
    }
}

/// The seed.
pub(crate) static SEED: &[Column<u64>] = &[Column {
    definition: Definition {
        name: "seed",
        title: "seed",
        kind: Kind::Natural,
        text: "The number that keys every random choice of the run; nothing else depends on it.",
        source: "docs/model.md, section 10",
        ..Definition::BLANK
    },
    value: |seed| (*seed).into(),
}];

/// How a run is executed.
pub(crate) static EXECUTION: &[Column<ExecutionRecord>] = &[
    Column {
        definition: Definition {
            name: "execution_mode",
            title: "mode",
            aliases: &["execution", "asynchronous", "coordinated"],
            kind: Kind::Text,
            text: "Asynchronous: every process goes on as soon as its message is there. \
                  Coordinated: all compute, then all messages of the stage move together in steps, \
                  and the next stage begins when all have arrived.",
            source: "docs/model.md, sections 5 and 6",
            ..Definition::BLANK
        },
        value: |execution| (&execution.mode).into(),
    },
    Column {
        definition: Definition {
            name: "execution_tie",
            title: "tie",
            kind: Kind::Text,
            text: "Which way a message goes round a ring when both ways are equally long.",
            source: "docs/model.md, section 4",
            ..Definition::BLANK
        },
        value: |execution| (&execution.tie).into(),
    },
    Column {
        definition: Definition {
            name: "execution_dimension_choice",
            title: "dimension choice",
            kind: Kind::Text,
            text: "Which of the coordinates in which it differs a message corrects next, in a \
                  coordinated run: the lowest, or one at random.",
            source: "Tao 1988, 4.5.1; docs/model.md, section 6",
            ..Definition::BLANK
        },
        value: |execution| execution.dimension_choice.as_ref().into(),
    },
    Column {
        definition: Definition {
            name: "execution_phases",
            title: "phases",
            kind: Kind::Text,
            unit: "links",
            text: "The largest number of links that a message moves in one phase of a coordinated run: as \
                  the embedding says, without limit, or a number.",
            source: "Tao 1988, lemma 4.2.2; docs/model.md, section 6; docs/errata.md, A1",
            ..Definition::BLANK
        },
        value: |execution| execution.phases.as_ref().into(),
    },
    Column {
        definition: Definition {
            name: "execution_eager_units",
            title: "eager",
            aliases: &["eager_units", "rendezvous"],
            kind: Kind::Text,
            unit: "units",
            text: "Messages of at most this size set out as soon as their source is ready, \
                  whatever the destination does. The column is there only if a run has such \
                  messages.",
            formula: "L <= eager_units",
            source: "docs/model.md, section 14",
        },
        value: |execution| Cell::optional(execution.eager_units.as_ref()),
    },
    Column {
        definition: Definition {
            name: "execution_routing",
            title: "routing",
            aliases: &["dimension-order", "valiant", "sorting", "lowest", "spread"],
            kind: Kind::Text,
            text: "How the route of a message is chosen: dimension-order, valiant and sorting on grids, \
                  lowest and spread on networks. The column is there only if a scenario says it.",
            source: "Valiant 1982; Nassimi & Sahni 1981; docs/model.md, sections 12, 19 and 20",
            ..Definition::BLANK
        },
        value: |execution| Cell::optional(execution.routing.as_ref()),
    },
];

/// The engine.
pub(crate) static ENGINE: &[Column<RunRecord>] = &[Column {
    definition: Definition {
        name: "engine",
        title: "engine",
        kind: Kind::Text,
        text: "The engine that computed the run: hop or belt for asynchronous runs, \
                  coordinated for the others. No other value depends on it.",
        source: "docs/engines.md",
        ..Definition::BLANK
    },
    value: |run| (&run.engine).into(),
}];

/// Time of the whole run.
pub(crate) static WHOLE_RUN: &[Column<RunRecord>] = &[
    Column {
        definition: Definition {
            name: "makespan_cycles",
            title: "makespan",
            kind: Kind::Natural,
            unit: "cycles",
            text: "When the last process finishes. It is the number to compare: how long the \
                  program takes under this placement, contention and waiting included.",
            formula: "asynchronous: the largest finish of a process; coordinated: sum over the \
                     stages of (T_a L + T_c * steps of the stage), L the largest load",
            source: "docs/model.md, sections 5 and 6",
            ..Definition::BLANK
        },
        value: |run| run.makespan_cycles.into(),
    },
    Column {
        definition: Definition {
            name: "makespan_seconds",
            title: "seconds",
            kind: Kind::Decimal,
            unit: SECONDS,
            text: "The makespan in seconds; empty where the machine is described in cycles.",
            formula: "makespan * cycle",
            source: "docs/model.md, section 17",
            ..Definition::BLANK
        },
        value: |run| run.makespan_seconds.into(),
    },
    Column {
        definition: Definition {
            name: "goodput_bytes_per_second",
            title: "goodput",
            kind: Kind::Decimal,
            unit: BYTES_PER_SECOND,
            text: "The bytes of the largest message, or of the vector of a collective, over the makespan; \
                  empty where the scenario gives no bytes.",
            formula: "M / makespan",
            source: "docs/model.md, section 17",
            ..Definition::BLANK
        },
        value: |run| run.goodput_bytes_per_second.into(),
    },
    Column {
        definition: Definition {
            name: "bus_bandwidth_bytes_per_second",
            title: "bus bandwidth",
            aliases: &["busbw"],
            kind: Kind::Decimal,
            unit: BYTES_PER_SECOND,
            text: "The goodput of a collective times the part of the vector that every link of a ring carries, so that algorithms and operations compare with the bandwidth of the hardware. The column is there only if a run has it.",
            formula: "goodput * 2 (P - 1) / P of all-reduce, (P - 1) / P of reduce-scatter, all-gather and all-to-all, 1 of others",
            source: "nccl-tests; docs/model.md, section 17",
        },
        value: |run| Cell::optional(run.bus_bandwidth_bytes_per_second),
    },
    Column {
        definition: Definition {
            name: "predicted_cycles",
            title: "predicted",
            aliases: &["prediction"],
            kind: Kind::Natural,
            unit: "cycles",
            text: "What the makespan would be without contention. No asynchronous run takes less, \
                  and one without blocked cycles takes exactly this where every process has a node \
                  of its own and no message is eager.",
            formula: "the largest T_(S-1)(n) of T_s(n) = T_a + T_c D_(q_s)(n) + max(T_(s-1)(n), \
                     T_(s-1)(N_(q_s)(n))), T_(-1)(n) = 0",
            source: "González & Valero 1993, 2.1; docs/model.md, section 5, prediction; section 15",
        },
        value: |run| run.predicted_cycles.into(),
    },
    Column {
        definition: Definition {
            name: "lower_bound_cycles",
            title: "bound",
            aliases: &["lower bound"],
            kind: Kind::Natural,
            unit: "cycles",
            text: "The time below which no one-to-one placement on this machine can be. It is \
                  known for cc-cube programs that use every dimension once, on as many nodes as \
                  processes, with lengths that are powers of two; of a collective it is the larger of bandwidth \
                  and latency bound for this placement.",
            formula: "d T_a + T_c B; B is the sum over the machine's dimensions of length 2^(d_j) \
                     of 3 * 2^(d_j - 2) - 1 where they wrap (and d_j >= 2), else 2^(d_j) - 1",
            source: "Harper 1964; Bezrukov et al. 1998; Guu 1997; Liu & Tang 2023; Tang, arXiv \
                    2302.13237; docs/model.md, section 5, lower bound, and section 16, bounds",
        },
        value: |run| run.lower_bound_cycles.into(),
    },
    Column {
        definition: Definition {
            name: "lower_bound_source",
            title: "bound source",
            aliases: &["theorem", "preprint"],
            kind: Kind::Text,
            text: "How firmly the bound is established: it rests on a theorem, or on a preprint.",
            source: "docs/model.md, section 5, lower bound",
            ..Definition::BLANK
        },
        value: |run| run.lower_bound_source.as_ref().into(),
    },
    Column {
        definition: Definition {
            name: "bandwidth_bound_cycles",
            title: "bandwidth bound",
            aliases: &["bandwidth bound of a collective"],
            kind: Kind::Natural,
            unit: "cycles",
            text: "The time that links need to carry what must enter or leave a node, or cross a cut, in a collective on this placement. The columns of these bounds are there only if a run is a collective.",
            formula: "all-reduce, for a node with deg channels: u ceil(M / deg) + l, and others",
            source: "Patarasuk & Yuan 2009; docs/model.md, section 16, bounds",
        },
        value: |run| Cell::optional(run.bandwidth_bound_cycles),
    },
    Column {
        definition: Definition {
            name: "latency_bound_cycles",
            title: "latency bound",
            aliases: &["latency bound of a collective"],
            kind: Kind::Natural,
            unit: "cycles",
            text: "The time in which data go the largest distance that they must go in a collective on this placement.",
            formula: "distance * (l + u) + T_a",
            source: "docs/model.md, section 16, bounds",
        },
        value: |run| Cell::optional(run.latency_bound_cycles),
    },
    Column {
        definition: Definition {
            name: "steps_bound_cycles",
            title: "steps bound",
            aliases: &["steps bound of a collective"],
            kind: Kind::Natural,
            unit: "cycles",
            text: "The cost of starting the fewest steps in which an algorithm of this kind can be done. It is no bound of other algorithms, and not in the lower bound.",
            formula: "ceil(log_(p+1) P) T_a, p the most messages that a process receives in a stage",
            source: "docs/model.md, section 16, bounds",
        },
        value: |run| Cell::optional(run.steps_bound_cycles),
    },
    Column {
        definition: Definition {
            name: "loading_cycles",
            title: "loading",
            kind: Kind::Natural,
            unit: "cycles",
            text: "The time to broadcast the loader and every type of code before the program \
                  begins; it is no part of the makespan.",
            formula: "broadcast_cycles * (1 + number of types)",
            source: "Tao 1988, 4.3.3; docs/model.md, section 9",
            ..Definition::BLANK
        },
        value: |run| run.loading_cycles.into(),
    },
];

/// The ratio to the reference, of `compare`.
pub(crate) static RATIO: &[Column<RunRecord>] = &[Column {
    definition: Definition {
        name: "ratio_to_reference",
        title: "/ reference",
        aliases: &["reference", "ratio to the reference"],
        kind: Kind::Decimal,
        unit: "ratio",
        text: "The makespan over that of the reference embedding in the same combination of \
                  the sweep. 0.8 means 1.25 times fewer cycles, 1 equally many, 2 twice as many.",
        formula: "makespan / makespan of the reference",
        source: "docs/reading-results.md, ratio to the reference",
    },
    value: |run| Cell::optional(run.ratio_to_reference),
}];

/// Amounts.
pub(crate) static AMOUNTS: &[Column<RunRecord>] = &[
    Column {
        definition: Definition {
            name: "messages",
            title: "messages",
            kind: Kind::Natural,
            unit: "messages",
            text: "The messages of all stages.",
            source: "docs/model.md, section 2",
            ..Definition::BLANK
        },
        value: |run| run.messages.into(),
    },
    Column {
        definition: Definition {
            name: "hops",
            title: "hops",
            kind: Kind::Natural,
            unit: "links",
            text: "Links crossed by all messages together; where messages are divided, by all packets.",
            source: "docs/model.md, sections 2, 4 and 13",
            ..Definition::BLANK
        },
        value: |run| run.hops.into(),
    },
    Column {
        definition: Definition {
            name: "units",
            title: "units",
            kind: Kind::Natural,
            unit: "units",
            text: "The size of the largest message.",
            formula: "the largest L",
            source: "docs/model.md, section 13",
            ..Definition::BLANK
        },
        value: |run| run.units.into(),
    },
    Column {
        definition: Definition {
            name: "unit_hops",
            title: "unit hops",
            kind: Kind::Sum,
            unit: "units times links",
            text: "Links crossed by the units of all messages together.",
            formula: "sum over the messages of L * distance",
            source: "docs/model.md, section 13",
            ..Definition::BLANK
        },
        value: |run| run.unit_hops.into(),
    },
    Column {
        definition: Definition {
            name: "channel_congestion",
            title: "channel congestion",
            kind: Kind::Natural,
            unit: "units",
            text: "The units that the busiest channel carries by the routes that messages take, those of \
                  all stages together. Counted on networks, and of all-to-all on every machine, up to \
                  2^20 messages; the column is there only if a run has it.",
            source: "docs/model.md, section 19",
            ..Definition::BLANK
        },
        value: |run| Cell::optional(run.channel_congestion),
    },
    Column {
        definition: Definition {
            name: "balanced_congestion",
            title: "balanced congestion",
            kind: Kind::Decimal,
            unit: "units",
            text: "The same if every message were split evenly over all its shortest routes. Routes that \
                  carry much more are far from even.",
            source: "docs/model.md, section 19",
            ..Definition::BLANK
        },
        value: |run| Cell::optional(run.balanced_congestion),
    },
    Column {
        definition: Definition {
            name: "link_busy_max_cycles",
            title: "busiest link",
            kind: Kind::Natural,
            unit: "cycles",
            text: "The cycles for which the busiest link is occupied, both directions together. \
                  Empty where processes times messages a stage times stages that differ pass 2^22 \
                  (on networks and in coordinated runs times the diameter), or the machine has \
                  more than 2^20 links.",
            formula: "the largest, over the links, of u * units that cross it",
            source: "docs/model.md, section 13",
            ..Definition::BLANK
        },
        value: |run| run.link_busy_max_cycles.into(),
    },
    Column {
        definition: Definition {
            name: "busiest_link_from",
            title: "busiest link, one end",
            kind: Kind::List,
            text: "The coordinates of the node at one end of the busiest link; of several, the \
                  first by dimension and node.",
            source: "docs/model.md, section 13",
            ..Definition::BLANK
        },
        value: |run| run.busiest_link_from.as_deref().map(Cell::list).into(),
    },
    Column {
        definition: Definition {
            name: "busiest_link_to",
            title: "busiest link, other end",
            kind: Kind::List,
            text: "The coordinates of the node at the other end of the busiest link.",
            source: "docs/model.md, section 13",
            ..Definition::BLANK
        },
        value: |run| run.busiest_link_to.as_deref().map(Cell::list).into(),
    },
];

/// How busy links are.
pub(crate) static LINK_USE: &[Column<RunRecord>] = &[
    Column {
        definition: Definition {
            name: "link_busy_share",
            title: "link use",
            aliases: &["busy share", "saturation"],
            kind: Kind::Decimal,
            unit: "ratio",
            text: "The part of the makespan for which the busiest channel is occupied: one direction of a \
                   full-duplex link, else the whole link. Near 1 this channel alone \
                   takes the makespan. Empty where busy cycles are not counted.",
            formula: "the largest, over the channels, of u * units that cross it, / makespan",
            source: "docs/model.md, section 13",
        },
        value: |run| run.link_busy_share.into(),
    },
    Column {
        definition: Definition {
            name: "direction_busy_cycles",
            title: "busy by direction",
            kind: Kind::List,
            unit: "cycles",
            text: "The busy cycles of all channels of each direction together, in the order (1,+) (1,-) (2,+) (2,-) \
                   and so on. A direction with much less than the others is capacity that is not used. Empty on \
                   networks, whose links lie in no dimensions, and where busy cycles are not counted.",
            formula: "sum over the channels of a direction of u * units that cross it",
            source: "docs/model.md, section 13",
            ..Definition::BLANK
        },
        value: |run| run.direction_busy_cycles.as_deref().map(Cell::list).into(),
    },
    Column {
        definition: Definition {
            name: "direction_busy_max_cycles",
            title: "busiest by direction",
            kind: Kind::List,
            unit: "cycles",
            text: "The busy cycles of the busiest channel of each direction, in the same order.",
            formula: "the largest, over the channels of a direction, of u * units that cross it",
            source: "docs/model.md, section 13",
            ..Definition::BLANK
        },
        value: |run| run.direction_busy_max_cycles.as_deref().map(Cell::list).into(),
    },
];

/// What eager messages hide.
pub(crate) static OVERLAPPED: &[Column<RunRecord>] = &[Column {
    definition: Definition {
        name: "overlapped_cycles",
        title: "overlapped",
        kind: Kind::Sum,
        unit: "cycles",
        text: "The parts of transfers that pass before the destination is ready, while it \
              computes; 0 unless messages are eager. They are not in the totals.",
        formula: "transfer - min(transfer, finish - max(start, ready)), summed over all processes and stages",
        source: "docs/model.md, section 14",
        ..Definition::BLANK
    },
    value: |run| run.overlapped_cycles.into(),
}];

/// Steps, conflicts and queues.
pub(crate) static STEPS: &[Column<RunRecord>] = &[
    Column {
        definition: Definition {
            name: "routing_steps",
            title: "steps",
            aliases: &["stages_routing_steps"],
            kind: Kind::Natural,
            unit: "steps",
            text: "The parallel data movement steps of a coordinated run: in one step messages \
                  move over one link each. In tables, those of all stages together.",
            formula: "sum over the stages of the steps of all their movements; one costs T_c",
            source: "Tao 1988, 4.2; docs/model.md, section 6",
        },
        value: |run| run.routing_steps.into(),
    },
    Column {
        definition: Definition {
            name: "conflicts",
            title: "conflicts",
            aliases: &["stages_conflicts"],
            kind: Kind::Natural,
            unit: "message steps",
            text: "How often a message of a coordinated run wanted a channel and was not moved in \
                  that step, because another message had it.",
            source: "Tao 1988, 4.2; docs/model.md, section 6",
            ..Definition::BLANK
        },
        value: |run| run.conflicts.into(),
    },
    Column {
        definition: Definition {
            name: "longest_queue",
            title: "queue",
            kind: Kind::Natural,
            unit: "messages",
            text: "The most messages, or packets where messages are divided, left in the queue of one \
                  channel after the grants of a cycle of an asynchronous run; 0 if none ever has to \
                  stay.",
            source: "docs/model.md, sections 5 and 13",
            ..Definition::BLANK
        },
        value: |run| run.longest_queue.into(),
    },
    Column {
        definition: Definition {
            name: "channel",
            title: "channel",
            aliases: &["link"],
            kind: Kind::Term,
            text: "One direction of a link between two neighbouring nodes. A message waits for the \
                  channel through which it leaves a node in a queue of that channel.",
            source: "docs/model.md, sections 1 and 5",
            ..Definition::BLANK
        },
        value: no_cell,
    },
];
