//! The program of a record, and its columns.

use cubefold_derive::Columns;
use cubefold_mapping::{CubeDimension, Hypercube, ProcessId};
use cubefold_scenario::{NeighbourCommunication, OpenLoopProgram, Run, ScenarioProgram};
use cubefold_simulator::{ComputeNoise, NoiseDistribution, PipelinedExchange, TrafficPattern, WarmUp};
use cubefold_topology::{Machine, Wrap};
use serde::{Deserialize, Serialize};

use super::{
    Word,
    collective_record::{COLLECTIVE, CollectiveRecord, StepRecord, cube_dimensions},
    column::{Cell, Record, Row, join},
    open_loop_record::{number, optional_number},
};
use crate::machine_record::description;

/// A program as a scenario describes it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Columns)]
#[columns(PROGRAM, prefix = "program_", source = "docs/model.md, section 2")]
pub struct ProgramRecord {
    /// cc-cube: 2^d processes that compute and then exchange with a neighbour in the d-cube, once a stage; normal:
    /// the same with consecutive dimensions. divide-and-conquer: problems are halved along dimension after
    /// dimension, and results come back. neighbour-exchange: the processes are the nodes of a torus, mesh or
    /// network, and send to their neighbours; stages: the messages of a file; traffic: those of a matrix; job:
    /// steps that wait for one another; all-reduce and the other operations: collectives; sequence: several of them
    /// one after another.
    #[column(
        "program", aliases = ["cc-cube", "normal", "divide-and-conquer", "neighbour-exchange"],
        source = "González & Valero 1993, 2.1; Tao 1988, 4.2; docs/model.md, sections 2 and 16"
    )]
    pub kind: Word,
    /// The number of dimensions of the hypercube whose corners are the processes.
    #[column("dimensions", aliases = ["d"], formula = "d")]
    pub dimensions: Option<u8>,
    /// The guest dimension along which each stage exchanges, in order; a number in a table is the number of stages.
    #[column("stages", formula = "q_0, q_1, ...")]
    pub stages: Option<Vec<u8>>,
    /// The time for which a process computes in each stage before it exchanges; nothing in stages that it passes
    /// through.
    #[column("compute cycles", aliases = ["T_a"], unit = "cycles", formula = "T_a")]
    pub compute_cycles: u64,
    /// The file that lists the messages of a program of kind stages, as the scenario names it.
    #[column("messages from", source = "docs/scenarios.md, programs from a file")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The number of processes of a program of kind stages, or of a collective, whose shares are not counted.
    #[column(
        "processes of the program", list = MESSAGES, unit = "processes",
        source = "docs/scenarios.md, programs from a file; docs/model.md, section 16"
    )]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub processes: Option<u64>,
    /// The computation of each stage, if stages differ; compute cycles is then the longest.
    #[column(
        "compute cycles by stage", list = MESSAGES, unit = "cycles", source = "docs/model.md, section 15"
    )]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stage_compute_cycles: Option<Vec<u64>>,
    /// The parts of every message of a program on a cube: part p of stage s + 1 is handled one step after part p of
    /// stage s, so that several dimensions are in use at once. The columns of pipelining are there only if a run
    /// sets it, or computations by stage or noise.
    #[column(
        "pipelining", list = MESSAGES, aliases = ["parts", "Q"], unit = "parts", formula = "Q",
        source = "Díaz de Cerio, Valero-García & González 1996; docs/model.md, section 29"
    )]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pipelining: Option<u64>,
    /// The exchanges of a process that go on at a time: all of a step, or 1.
    #[column("ports of exchanges", list = MESSAGES, source = "docs/model.md, section 29")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exchange_ports: Option<Word>,
    /// The time of the processor for every message that it sends.
    #[column(
        "start-up", list = MESSAGES, unit = "cycles", formula = "sigma",
        source = "docs/model.md, section 29"
    )]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub startup_cycles: Option<u64>,
    /// The time for which the core of a process is busy with each message that it sends or receives. The column is there
    /// only if messages have a cost.
    #[column(
        "cost of a message", list = MESSAGES, aliases = ["message_cost_cycles"], unit = "cycles", formula = "o",
        source = "docs/model.md, section 14"
    )]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message_cost_cycles: Option<u64>,
    /// The size of the largest message of each stage. The column is there only if messages of a run have more than
    /// one unit.
    #[column(
        "units by stage", list = MESSAGES, unit = "units", formula = "L_s",
        source = "docs/model.md, section 13"
    )]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stage_units: Option<Vec<u64>>,
    /// The size of the largest message before it is rounded up to units, if the scenario gives sizes in bytes.
    #[column(
        "message bytes", list = MESSAGES, aliases = ["bytes"], unit = "bytes", formula = "M",
        source = "docs/model.md, section 17"
    )]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message_bytes: Option<u64>,
    /// The extra cycles of computations.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compute_noise: Option<NoiseRecord>,
    /// The collective; its members are flattened into these.
    #[serde(flatten)]
    pub collective: Option<CollectiveRecord>,
    /// The steps of a sequence of collectives, or of a job.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub steps: Option<Vec<StepRecord>>,
    /// The number of times that the steps of a job are repeated. The column is there only if a run is a job.
    #[column("iterations of the program", list = JOB, source = "docs/model.md, section 23")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub iterations: Option<u64>,
    /// The lengths of the logical shape of the ranks of a job.
    #[column(
        "logical shape of the job", list = JOB, name = "program_job_shape", unit = "processes",
        kind = Shape, source = "docs/model.md, section 23",
        value = |program| Cell::optional(program.logical_shape.as_deref().map(Cell::shape))
    )]
    #[serde(default, rename = "job_shape", skip_serializing_if = "Option::is_none")]
    pub logical_shape: Option<Vec<u64>>,
    /// The guest that the scenario gives.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub guest: Option<GuestRecord>,
    /// Shift: in each stage all processes send in the same direction along one dimension. Permutation: every
    /// process sends to and receives from at most one neighbour. Scatter and stencil: every process sends to all
    /// neighbours, or to all around it, at once.
    #[column(
        "communication", list = NEIGHBOURS,
        aliases = ["shift", "permutation", "scatter", "stencil", "to-children", "to-parents"],
        source = "Tao 1988, 4.2; docs/model.md, sections 2 and 23"
    )]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub communication: Option<Word>,
    /// The number of random permutation sets, each of which is a stage.
    #[column("sets", list = NEIGHBOURS, source = "docs/model.md, sections 2 and 10")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sets: Option<usize>,
    /// The processes that a process of a stencil sends to: those that differ in one dimension (faces), in at most
    /// two (edges), or in any number (all).
    #[column(
        "neighbours", list = NEIGHBOURS, aliases = ["faces", "edges"], source = "docs/model.md, section 23"
    )]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub neighbours: Option<Word>,
    /// The packets of open-loop traffic; its members are flattened into these.
    #[serde(flatten)]
    pub traffic: Option<TrafficRecord>,
}

/// The guest of a neighbour-exchange program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Columns)]
#[columns(GUEST, prefix = "program_guest_", source = "docs/model.md, section 2")]
pub struct GuestRecord {
    /// The graph whose nodes are the processes and whose edges join the processes that exchange messages: a d-cube,
    /// or the line, ring, mesh, torus, hypercube or network of a neighbour-exchange program.
    #[column("guest")]
    pub kind: Word,
    /// The lengths of the guest's dimensions.
    #[column("guest shape", unit = "processes", kind = Shape, value = |guest| Cell::shape(&guest.shape))]
    pub shape: Vec<u64>,
    /// For each dimension of the guest whether its last process is a neighbour of its first.
    #[column("guest wrap")]
    pub wrap: Vec<bool>,
    /// The parameters of a guest that is a tree or the graph of an edge grammar. The column is there only if a
    /// guest has some.
    #[column("guest network", source = "docs/model.md, section 28")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub network: Option<String>,
}

/// The packets of open-loop traffic.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Columns)]
#[columns(TRAFFIC, prefix = "program_", source = "docs/model.md, section 27")]
pub struct TrafficRecord {
    /// The destinations of the packets of open-loop traffic, by source.
    #[column(
        "pattern", aliases = ["traffic pattern"],
        source = "Dally & Towles 2004, 3.2; docs/model.md, section 27"
    )]
    pub pattern: Word,
    /// The nodes to which the pattern hotspot sends more than to others.
    #[column("hotspots")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hotspots: Option<Vec<u32>>,
    /// The share of the packets that go to one of the hotspots; the others go anywhere.
    #[column("hotspot share", unit = "ratio", formula = "f")]
    #[serde(default, deserialize_with = "optional_number", skip_serializing_if = "Option::is_none")]
    pub hotspot_share: Option<f64>,
    /// The terminals of a group, of patterns that go from group to group.
    #[column("group size", unit = "terminals", source = "docs/model.md, section 30.4")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group_size: Option<u32>,
    /// The sizes of the packets of open-loop traffic, each with its weight.
    #[column(
        "packet sizes", unit = "units", kind = List,
        value = |traffic| Cell::Text(sizes_in_words(&traffic.sizes).into())
    )]
    pub sizes: Vec<(u64, u64)>,
    /// The mean length of the bursts in which terminals make packets.
    #[column("burst", unit = "cycles", source = "docs/model.md, section 30.4")]
    #[serde(default, deserialize_with = "optional_number", skip_serializing_if = "Option::is_none")]
    pub burst_cycles: Option<f64>,
    /// The units that a terminal makes per cycle during a burst.
    #[column("load of a burst", unit = "units a cycle", source = "docs/model.md, section 30.4")]
    #[serde(default, deserialize_with = "optional_number", skip_serializing_if = "Option::is_none")]
    pub burst_load: Option<f64>,
    /// The sizes of the replies to packets, each with its weight.
    #[column(
        "reply sizes", unit = "units", kind = List, source = "docs/model.md, section 30.4",
        value = |traffic| { let sizes = traffic.reply_sizes.as_deref(); Cell::optional(sizes.map(|sizes| Cell::Text(sizes_in_words(sizes).into()))) }
    )]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply_sizes: Option<Vec<(u64, u64)>>,
    /// The time from the receipt of a packet to the making of its reply.
    #[column("reply delay", unit = "cycles", source = "docs/model.md, section 30.4")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply_delay_cycles: Option<u64>,
    /// The cycles of open-loop traffic before packets are measured; empty if a pilot run finds them.
    #[column("warmup", unit = "cycles", formula = "W")]
    pub warmup_cycles: Option<u64>,
    /// The cycles of the pilot run that finds the warm-up.
    #[column("pilot run", unit = "cycles", source = "docs/model.md, section 30.6")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pilot_cycles: Option<u64>,
    /// The cycles over which the pilot run adds up its backlog.
    #[column("interval of the pilot run", unit = "cycles", source = "docs/model.md, section 30.6")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warmup_interval: Option<u64>,
    /// The cycles in which the measured packets are made.
    #[column("measured cycles", unit = "cycles", formula = "M")]
    pub measure_cycles: u64,
    /// The most cycles that measured packets may take after the measured cycles.
    #[column("drain", unit = "cycles", formula = "X")]
    pub drain_cycles: u64,
    /// The batches of the measured cycles, from which the half-width and the trend follow.
    #[column("batches", formula = "k", source = "docs/model.md, section 30.6")]
    #[serde(default)]
    pub batches: u64,
    /// The runs of open-loop traffic, with seeds from the seed on.
    #[column("seeds", source = "docs/model.md, section 30.6")]
    #[serde(default)]
    pub seeds: u64,
    /// The mean packet latency above which open-loop traffic counts as saturated.
    #[column("latency limit", unit = "cycles")]
    #[serde(deserialize_with = "number")]
    pub latency_limit: f64,
}

/// The extra cycles of computations that vary.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Columns)]
#[columns(NOISE, prefix = "program_compute_noise_", source = "docs/model.md, section 29.3")]
pub struct NoiseRecord {
    /// The distribution of the random extra cycles of every computation: uniform, outliers or exponential.
    #[column("compute noise", aliases = ["noise", "uniform", "outliers", "exponential"])]
    pub kind: Word,
    /// The greatest number of extra cycles of uniform noise.
    #[column("noise, at most", unit = "cycles")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max: Option<u64>,
    /// One computation of this number is delayed by outliers, on average.
    #[column("noise, one in")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub one_in: Option<u64>,
    /// The delay of an outlier.
    #[column("noise of an outlier", unit = "cycles")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cycles: Option<u64>,
    /// The mean of exponential noise.
    #[column("noise, mean", unit = "cycles")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mean: Option<u64>,
    /// The seed of the extra cycles.
    #[column("seed of the noise")]
    pub seed: u64,
    /// Whether every stage of a process has a draw of its own, or every process one for all its stages.
    #[column("noise of each")]
    pub each: Word,
}

impl NoiseRecord {
    fn new(noise: &ComputeNoise) -> Self {
        let distribution = noise.distribution;
        let common = Self {
            kind: distribution.name().into(),
            max: None,
            one_in: None,
            cycles: None,
            mean: None,
            seed: noise.seed,
            each: noise.each.name().into(),
        };
        match distribution {
            NoiseDistribution::Uniform { max } => Self { max: Some(max), ..common },
            NoiseDistribution::Outliers { one_in, cycles } => {
                Self { one_in: Some(one_in), cycles: Some(cycles), ..common }
            }
            NoiseDistribution::Exponential { mean } => Self { mean: Some(mean), ..common },
        }
    }
}

impl TrafficRecord {
    fn new(program: &OpenLoopProgram) -> Self {
        let traffic = &program.traffic;
        let (hotspots, hotspot_share) = match &traffic.pattern {
            TrafficPattern::Hotspot { nodes, share } => {
                (Some(nodes.iter().map(|node| node.index()).collect()), Some(*share))
            }
            _ => (None, None),
        };
        let group_size = match traffic.pattern {
            TrafficPattern::Adversarial { group_size, .. }
            | TrafficPattern::AdversarialRandom { group_size, .. }
            | TrafficPattern::GroupTornado { group_size } => Some(group_size),
            _ => None,
        };
        let (warmup_cycles, pilot) = match traffic.warmup {
            WarmUp::Cycles(cycles) => (Some(cycles), None),
            WarmUp::Auto { pilot, interval } => (None, Some([pilot, interval])),
        };
        Self {
            pattern: traffic.pattern.full_name().into(),
            hotspots,
            hotspot_share,
            group_size,
            sizes: traffic.sizes.clone(),
            burst_cycles: traffic.bursts.map(|bursts| bursts.cycles),
            burst_load: traffic.bursts.map(|bursts| bursts.load),
            reply_sizes: traffic.reply.as_ref().map(|reply| reply.sizes.clone()),
            reply_delay_cycles: traffic.reply.as_ref().map(|reply| reply.delay),
            warmup_cycles,
            pilot_cycles: pilot.map(|pilot| pilot[0]),
            warmup_interval: pilot.map(|pilot| pilot[1]),
            measure_cycles: traffic.measure,
            drain_cycles: traffic.drain,
            batches: traffic.batches,
            seeds: traffic.seeds,
            latency_limit: traffic.latency_limit,
        }
    }
}

/// Sizes with their weights as in CSV, such as `[1,4] [5,1]`.
fn sizes_in_words(sizes: &[(u64, u64)]) -> String {
    let pairs: Vec<String> = sizes.iter().map(|(units, weight)| format!("[{units},{weight}]")).collect();
    join(&pairs, " ")
}

impl ProgramRecord {
    /// Makes the record of the program of a run.
    #[must_use]
    pub fn of_run(run: &Run) -> Self {
        let cost = run.communication.message_cost().get();
        Self { message_cost_cycles: Some(cost).filter(|&cost| cost > 0), ..Self::new(&run.program) }
    }

    /// Makes the record of a program, without the cost of messages.
    #[must_use]
    #[expect(clippy::too_many_lines, reason = "one line a column")]
    pub fn new(program: &ScenarioProgram) -> Self {
        let communication = program.communication;
        let numbers = |stages: &[CubeDimension]| stages.iter().map(|stage| stage.number()).collect();
        // Noise and parts have members of their own.
        let body = program.described_body();
        let stages = || 0..body.stage_count();
        let exchange = program.exchange.as_ref().map(|exchange| &*exchange.program);
        let pipelining = exchange.map(PipelinedExchange::pipelining);
        let collective = program.asked_collective();
        // The stages of a collective follow from its other members.
        let is_listed = program.ranks.is_none();
        let has_units = is_listed && body.facts().uniform_units != Some(1);
        let steps: Vec<StepRecord> = collective.map_or_else(Vec::new, |collective| {
            let of_step = |(place, step)| {
                StepRecord::new(step, program.algorithm_of_step(place), program.bytes_of_asked_step(place))
            };
            collective.steps().iter().enumerate().map(of_step).collect()
        });
        let of_job = program.job.as_deref().map(|job| {
            let steps = job.steps().iter().zip(&program.job_steps);
            steps.map(|(step, description)| StepRecord::of_job(job, step, description)).collect::<Vec<_>>()
        });
        let asked = collective.and_then(|collective| collective.specification());
        Self {
            kind: program.kind.name.into(),
            dimensions: program.exchange_cube.map(Hypercube::dimension_count),
            stages: program.exchanges.as_deref().map(numbers).or_else(|| asked.and_then(cube_dimensions)),
            compute_cycles: asked.map_or_else(|| body.facts().compute.get(), |asked| asked.compute_cycles),
            file: program.file.as_deref().map(str::to_owned),
            processes: program.is_placed_by_number().then(|| program.rank_count()),
            stage_compute_cycles: stage_computations(program).filter(|_| is_listed),
            pipelining: pipelining.map(|pipelining| pipelining.parts as u64),
            exchange_ports: pipelining.map(|pipelining| pipelining.ports.name().into()),
            startup_cycles: pipelining.map(|pipelining| pipelining.startup.get()),
            message_cost_cycles: None, // a rule of the run
            compute_noise: program.noise.as_ref().map(NoiseRecord::new),
            stage_units: has_units.then(|| stages().map(|stage| body.max_units(stage)).collect()),
            message_bytes: program.bytes.filter(|_| is_listed),
            collective: match &steps[..] {
                [only] if asked.is_some() => only.collective.clone(),
                _ => None,
            },
            steps: of_job.or((collective.is_some() && asked.is_none()).then_some(steps)),
            iterations: program.job.as_deref().map(|job| job.iterations() as u64),
            logical_shape: (program.ranks.as_ref())
                .filter(|_| program.job.is_some())
                .map(|ranks| ranks.shape.lengths().to_vec()),
            guest: program.described_guest().map(GuestRecord::new),
            communication: communication.map(|communication| communication.name().into()),
            sets: communication.and_then(NeighbourCommunication::sets),
            neighbours: communication
                .and_then(NeighbourCommunication::reach)
                .map(|reach| reach.name().into()),
            traffic: program.open_loop.as_deref().map(TrafficRecord::new),
        }
    }
}

/// The computation of each stage without noise, if they differ or the program is one from a file \[cycles\].
fn stage_computations(program: &ScenarioProgram) -> Option<Vec<u64>> {
    if let Some(exchange) = &program.exchange {
        let computations: Vec<u64> =
            exchange.program.computations().iter().map(|computation| computation.get()).collect();
        return Some(computations).filter(|computations| computations.windows(2).any(|two| two[0] != two[1]));
    }
    let (body, first) = (program.described_body(), ProcessId::new(0));
    let of_stages = || (0..body.stage_count()).map(|stage| body.computation(stage, first).get());
    (!body.facts().has_one_compute_time).then(|| of_stages().collect())
}

impl GuestRecord {
    fn new(shape: &Machine) -> Self {
        Self {
            kind: shape.kind().name().into(),
            shape: shape.shape().lengths().to_vec(),
            wrap: shape.extents().map(|extent| extent.wrap() == Wrap::Around).collect(),
            network: description(shape),
        }
    }
}

impl Record for ProgramRecord {
    fn fill<'record>(record: Option<&'record Self>, row: &mut Row<'record>) {
        row.section(PROGRAM, record);
        row.section(JOB, record);
        row.section(MESSAGES, record);
        row.section(NOISE, record.and_then(|program| program.compute_noise.as_ref()));
        row.section(COLLECTIVE, record.and_then(|program| program.collective.as_ref()));
        row.section(GUEST, record.and_then(|program| program.guest.as_ref()));
        row.section(NEIGHBOURS, record);
        row.section(TRAFFIC, record.and_then(|program| program.traffic.as_ref()));
    }
}
