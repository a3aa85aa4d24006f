//! The program of a record, and its columns.

use cubefold_mapping::{CubeDimension, Hypercube, ProcessId};
use cubefold_simulator::{ComputeNoise, NoiseDistribution, PipelinedExchange, TrafficPattern, WarmUp};
use cubefold_topology::{Machine, Wrap};
use serde::{Deserialize, Serialize};

use super::{
    Word,
    collective_record::{COLLECTIVE, CollectiveRecord, StepRecord, cube_dimensions},
    column::{Cell, Column, Record, Row, join},
    open_loop_record::{number, optional_number},
};
use crate::{
    records::{
        definition::{Definition, Kind},
        machine_record::description,
    },
    scenario::{NeighbourCommunication, OpenLoopProgram, ScenarioProgram},
};

/// A program as a scenario describes it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ProgramRecord {
    /// `cc-cube`, `normal`, `divide-and-conquer`, `neighbour-exchange`, `stages`, `traffic`, the operation of a
    /// collective, `sequence` or `job`.
    pub kind: Word,
    /// `d` of a program on a d-cube.
    pub dimensions: Option<u8>,
    /// The dimension of each stage of a CC or normal program.
    pub stages: Option<Vec<u8>>,
    /// `T_a` \[cycles\].
    pub compute_cycles: u64,
    /// Name of the file that lists the messages, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Number of processes of a program from a file, or of ranks of a collective.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub processes: Option<u64>,
    /// The computation of each stage, if stages differ \[cycles\].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stage_compute_cycles: Option<Vec<u64>>,
    /// The parts of every message of a pipelined program on a cube.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pipelining: Option<u64>,
    /// The exchanges of a process that go on at a time: `all` or `1`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exchange_ports: Option<Word>,
    /// The processor's time for every message \[cycles\].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub startup_cycles: Option<u64>,
    /// Size of the largest message of each stage, if messages have more than one unit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stage_units: Option<Vec<u64>>,
    /// Size of the largest message, if the scenario gives it in bytes.
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
    /// The number of times that the steps of a job are repeated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub iterations: Option<u64>,
    /// Lengths of the logical shape of a job.
    #[serde(default, rename = "job_shape", skip_serializing_if = "Option::is_none")]
    pub logical_shape: Option<Vec<u64>>,
    /// The guest that the scenario gives.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub guest: Option<GuestRecord>,
    /// The communications of a neighbour-exchange program.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub communication: Option<Word>,
    /// Number of sets of permutation communications.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sets: Option<usize>,
    /// The neighbours of a stencil.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub neighbours: Option<Word>,
    /// The packets of open-loop traffic; its members are flattened into these.
    #[serde(flatten)]
    pub traffic: Option<TrafficRecord>,
}

/// The guest of a neighbour-exchange program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GuestRecord {
    /// The requested kind.
    pub kind: Word,
    /// The lengths of its dimensions.
    pub shape: Vec<u64>,
    /// Whether each dimension wraps, as declared or implied by the kind.
    pub wrap: Vec<bool>,
    /// Parameters of a tree, or of the graph of an edge grammar.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub network: Option<String>,
}

/// The packets of open-loop traffic.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TrafficRecord {
    /// The pattern of destinations.
    pub pattern: Word,
    /// The nodes of hotspots.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hotspots: Option<Vec<u32>>,
    /// The share of the packets that go to them.
    #[serde(default, deserialize_with = "optional_number", skip_serializing_if = "Option::is_none")]
    pub hotspot_share: Option<f64>,
    /// The terminals of a group, of patterns with groups.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group_size: Option<u32>,
    /// The sizes of packets \[units\] with their weights.
    pub sizes: Vec<(u64, u64)>,
    /// The mean length of bursts \[cycles\].
    #[serde(default, deserialize_with = "optional_number", skip_serializing_if = "Option::is_none")]
    pub burst_cycles: Option<f64>,
    /// The load during a burst \[units a cycle\].
    #[serde(default, deserialize_with = "optional_number", skip_serializing_if = "Option::is_none")]
    pub burst_load: Option<f64>,
    /// The sizes of replies \[units\] with their weights.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply_sizes: Option<Vec<(u64, u64)>>,
    /// The time from the receipt of a packet to the making of its reply \[cycles\].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply_delay_cycles: Option<u64>,
    /// The cycles before packets are measured; `None` if a pilot run finds them.
    pub warmup_cycles: Option<u64>,
    /// The cycles of that pilot run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pilot_cycles: Option<u64>,
    /// The cycles of its intervals.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warmup_interval: Option<u64>,
    /// The cycles in which measured packets are made.
    pub measure_cycles: u64,
    /// The most cycles that they may take after that.
    pub drain_cycles: u64,
    /// The batches of the measured cycles.
    #[serde(default)]
    pub batches: u64,
    /// The runs with different seeds.
    #[serde(default)]
    pub seeds: u64,
    /// The mean latency above which the traffic counts as saturated \[cycles\].
    #[serde(deserialize_with = "number")]
    pub latency_limit: f64,
}

/// The extra cycles of computations that vary.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NoiseRecord {
    /// The distribution.
    pub kind: Word,
    /// The greatest number of cycles of uniform noise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max: Option<u64>,
    /// One computation of this number is delayed, of outliers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub one_in: Option<u64>,
    /// The delay of outliers \[cycles\].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cycles: Option<u64>,
    /// The mean of exponential noise \[cycles\].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mean: Option<u64>,
    /// The seed of the draws.
    pub seed: u64,
    /// `stage` or `process`: which of them have draws of their own.
    pub each: Word,
}

impl NoiseRecord {
    fn new(noise: &ComputeNoise) -> Self {
        let distribution = noise.distribution;
        let own = Self {
            kind: distribution.name().into(),
            max: None,
            one_in: None,
            cycles: None,
            mean: None,
            seed: noise.seed,
            each: noise.each.name().into(),
        };
        match distribution {
            NoiseDistribution::Uniform { max } => Self { max: Some(max), ..own },
            NoiseDistribution::Outliers { one_in, cycles } => {
                Self { one_in: Some(one_in), cycles: Some(cycles), ..own }
            }
            NoiseDistribution::Exponential { mean } => Self { mean: Some(mean), ..own },
        }
    }
}

impl TrafficRecord {
    fn new(program: &OpenLoopProgram) -> Self {
        let own = &program.traffic;
        let (hotspots, hotspot_share) = match &own.pattern {
            TrafficPattern::Hotspot { nodes, share } => {
                (Some(nodes.iter().map(|node| node.index()).collect()), Some(*share))
            }
            _ => (None, None),
        };
        let group_size = match own.pattern {
            TrafficPattern::Adversarial { group_size, .. }
            | TrafficPattern::AdversarialRandom { group_size, .. }
            | TrafficPattern::GroupTornado { group_size } => Some(group_size),
            _ => None,
        };
        let (warmup_cycles, pilot) = match own.warmup {
            WarmUp::Cycles(cycles) => (Some(cycles), None),
            WarmUp::Auto { pilot, interval } => (None, Some([pilot, interval])),
        };
        Self {
            pattern: own.pattern.full_name().into(),
            hotspots,
            hotspot_share,
            group_size,
            sizes: own.sizes.clone(),
            burst_cycles: own.bursts.map(|own| own.cycles),
            burst_load: own.bursts.map(|own| own.load),
            reply_sizes: own.reply.as_ref().map(|own| own.sizes.clone()),
            reply_delay_cycles: own.reply.as_ref().map(|own| own.delay),
            warmup_cycles,
            pilot_cycles: pilot.map(|own| own[0]),
            warmup_interval: pilot.map(|own| own[1]),
            measure_cycles: own.measure,
            drain_cycles: own.drain,
            batches: own.batches,
            seeds: own.seeds,
            latency_limit: own.latency_limit,
        }
    }
}

/// Sizes with their weights as in CSV, such as `[1,4] [5,1]`.
fn sizes_in_words(sizes: &[(u64, u64)]) -> String {
    let pairs: Vec<String> = sizes.iter().map(|(units, weight)| format!("[{units},{weight}]")).collect();
    join(&pairs, " ")
}

impl ProgramRecord {
    /// Makes the record of a program.
    #[must_use]
    #[expect(clippy::too_many_lines, reason = "one line a column")]
    pub fn new(program: &ScenarioProgram) -> Self {
        let communication = program.communication;
        let numbers = |stages: &[CubeDimension]| stages.iter().map(|stage| stage.number()).collect();
        // Noise and parts are told apart.
        let body = program.described_body();
        let stages = || 0..body.stage_count();
        let exchange = program.exchange.as_ref().map(|own| &*own.program);
        let pipelining = exchange.map(PipelinedExchange::pipelining);
        let collective = program.asked_collective();
        // The stages of a collective follow from its other members.
        let is_listed = program.ranks.is_none();
        let has_units = is_listed && body.facts().uniform_units != Some(1);
        let steps: Vec<StepRecord> = collective.map_or_else(Vec::new, |own| {
            let of_step = |(place, step)| {
                StepRecord::new(step, program.algorithm_of_step(place), program.bytes_of_asked_step(place))
            };
            own.steps().iter().enumerate().map(of_step).collect()
        });
        let of_job = program.job.as_deref().map(|job| {
            let steps = job.steps().iter().zip(&program.job_steps);
            steps.map(|(step, own)| StepRecord::of_job(job, step, own)).collect::<Vec<_>>()
        });
        let asked = collective.and_then(|own| own.specification());
        Self {
            kind: program.kind.name.into(),
            dimensions: program.exchange_cube.map(Hypercube::dimension_count),
            stages: program.exchanges.as_deref().map(numbers).or_else(|| asked.and_then(cube_dimensions)),
            compute_cycles: asked.map_or_else(|| body.facts().compute.get(), |own| own.compute_cycles),
            file: program.file.as_deref().map(str::to_owned),
            processes: program.is_placed_by_number().then(|| program.rank_count()),
            stage_compute_cycles: stage_computations(program).filter(|_| is_listed),
            pipelining: pipelining.map(|own| own.parts as u64),
            exchange_ports: pipelining.map(|own| own.ports.name().into()),
            startup_cycles: pipelining.map(|own| own.startup.get()),
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
        let own: Vec<u64> = exchange.program.computations().iter().map(|own| own.get()).collect();
        return Some(own).filter(|own| own.windows(2).any(|two| two[0] != two[1]));
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
        row.section(NOISE, record.and_then(|program| program.compute_noise.as_ref()));
        row.section(COLLECTIVE, record.and_then(|program| program.collective.as_ref()));
        row.section(GUEST, record.and_then(|program| program.guest.as_ref()));
        row.section(NEIGHBOURS, record);
        row.section(TRAFFIC, record.and_then(|program| program.traffic.as_ref()));
    }
}

/// Columns of the program.
pub(crate) static PROGRAM: &[Column<ProgramRecord>] = &[
    Column {
        definition: Definition {
            name: "program_kind",
            title: "program",
            aliases: &["cc-cube", "normal", "divide-and-conquer", "neighbour-exchange"],
            kind: Kind::Text,
            text: "cc-cube: 2^d processes that compute and then exchange with a neighbour in the \
                  d-cube, once a stage; normal: the same with consecutive dimensions. \
                  divide-and-conquer: problems are halved along dimension after dimension, and \
                  results come back. neighbour-exchange: the processes are the nodes of a torus, \
                  mesh or network, and send to their neighbours; stages: the messages of a file; traffic: those of a matrix; job: steps that wait for one another; all-reduce and the other operations: \
                  collectives; sequence: several of them one after another.",
            source: "González & Valero 1993, 2.1; Tao 1988, 4.2; docs/model.md, sections 2 and 16",
            ..Definition::BLANK
        },
        value: |program| (&program.kind).into(),
    },
    Column {
        definition: Definition {
            name: "program_dimensions",
            title: "dimensions",
            aliases: &["d"],
            kind: Kind::Natural,
            text: "The number of dimensions of the hypercube whose corners are the processes.",
            formula: "d",
            source: "docs/model.md, section 2",
            ..Definition::BLANK
        },
        value: |program| program.dimensions.into(),
    },
    Column {
        definition: Definition {
            name: "program_stages",
            title: "stages",
            kind: Kind::List,
            text: "The guest dimension along which each stage exchanges, in order; a number in a table \
                   is the number of stages.",
            formula: "q_0, q_1, ...",
            source: "docs/model.md, section 2",
            ..Definition::BLANK
        },
        value: |program| program.stages.as_deref().map(Cell::list).into(),
    },
    Column {
        definition: Definition {
            name: "program_compute_cycles",
            title: "compute cycles",
            aliases: &["T_a"],
            kind: Kind::Natural,
            unit: "cycles",
            text: "The time for which a process computes in each stage before it exchanges; \
                  nothing in stages that it passes through.",
            formula: "T_a",
            source: "docs/model.md, section 2",
        },
        value: |program| program.compute_cycles.into(),
    },
    Column {
        definition: Definition {
            name: "program_file",
            title: "messages from",
            kind: Kind::Text,
            text: "The file that lists the messages of a program of kind stages, as the scenario names it.",
            source: "docs/scenarios.md, programs from a file",
            ..Definition::BLANK
        },
        value: |program| Cell::optional(program.file.as_ref()),
    },
    Column {
        definition: Definition {
            name: "program_iterations",
            title: "iterations of the program",
            kind: Kind::Natural,
            text: "The number of times that the steps of a job are repeated. The column is there only if a \
                   run is a job.",
            source: "docs/model.md, section 23",
            ..Definition::BLANK
        },
        value: |program| Cell::optional(program.iterations),
    },
    Column {
        definition: Definition {
            name: "program_job_shape",
            title: "logical shape of the job",
            kind: Kind::Shape,
            unit: "processes",
            text: "The lengths of the logical shape of the ranks of a job.",
            source: "docs/model.md, section 23",
            ..Definition::BLANK
        },
        value: |program| Cell::optional(program.logical_shape.as_deref().map(Cell::shape)),
    },
    Column {
        definition: Definition {
            name: "program_processes",
            title: "processes of the program",
            kind: Kind::Natural,
            unit: "processes",
            text: "The number of processes of a program of kind stages, or of a collective, whose \
                  shares are not counted.",
            source: "docs/scenarios.md, programs from a file; docs/model.md, section 16",
            ..Definition::BLANK
        },
        value: |program| Cell::optional(program.processes),
    },
    Column {
        definition: Definition {
            name: "program_stage_compute_cycles",
            title: "compute cycles by stage",
            kind: Kind::List,
            unit: "cycles",
            text: "The computation of each stage, if stages differ; compute cycles is then the longest.",
            source: "docs/model.md, section 15",
            ..Definition::BLANK
        },
        value: |program| Cell::optional(program.stage_compute_cycles.as_deref().map(Cell::list)),
    },
    Column {
        definition: Definition {
            name: "program_pipelining",
            title: "pipelining",
            aliases: &["parts", "Q"],
            kind: Kind::Natural,
            unit: "parts",
            text: "The parts of every message of a program on a cube: part p of stage s + 1 is handled one step after part \
                   p of stage s, so that several dimensions are in use at once. The columns of pipelining are there only if \
                   a run sets it, or computations by stage or noise.",
            formula: "Q",
            source: "Díaz de Cerio, Valero-García & González 1996; docs/model.md, section 29",
        },
        value: |program| Cell::optional(program.pipelining),
    },
    Column {
        definition: Definition {
            name: "program_exchange_ports",
            title: "ports of exchanges",
            kind: Kind::Text,
            text: "The exchanges of a process that go on at a time: all of a step, or 1.",
            source: "docs/model.md, section 29",
            ..Definition::BLANK
        },
        value: |program| Cell::optional(program.exchange_ports.as_ref()),
    },
    Column {
        definition: Definition {
            name: "program_startup_cycles",
            title: "start-up",
            kind: Kind::Natural,
            unit: "cycles",
            text: "The time of the processor for every message that it sends.",
            formula: "sigma",
            source: "docs/model.md, section 29",
            ..Definition::BLANK
        },
        value: |program| Cell::optional(program.startup_cycles),
    },
    Column {
        definition: Definition {
            name: "program_stage_units",
            title: "units by stage",
            kind: Kind::List,
            unit: "units",
            text: "The size of the largest message of each stage. The column is there only if \
                  messages of a run have more than one unit.",
            formula: "L_s",
            source: "docs/model.md, section 13",
            ..Definition::BLANK
        },
        value: |program| Cell::optional(program.stage_units.as_deref().map(Cell::list)),
    },
    Column {
        definition: Definition {
            name: "program_message_bytes",
            title: "message bytes",
            aliases: &["bytes"],
            kind: Kind::Natural,
            unit: "bytes",
            text: "The size of the largest message before it is rounded up to units, if the scenario \
                   gives sizes in bytes.",
            formula: "M",
            source: "docs/model.md, section 17",
        },
        value: |program| Cell::optional(program.message_bytes),
    },
];

/// Columns of computations that vary; they are there only if those of a run do.
pub(crate) static NOISE: &[Column<NoiseRecord>] = &[
    Column {
        definition: Definition {
            name: "program_compute_noise_kind",
            title: "compute noise",
            aliases: &["noise", "uniform", "outliers", "exponential"],
            kind: Kind::Text,
            text: "The distribution of the random extra cycles of every computation: uniform, outliers or exponential.",
            source: "docs/model.md, section 29.3",
            ..Definition::BLANK
        },
        value: |own| (&own.kind).into(),
    },
    Column {
        definition: Definition {
            name: "program_compute_noise_max",
            title: "noise, at most",
            kind: Kind::Natural,
            unit: "cycles",
            text: "The greatest number of extra cycles of uniform noise.",
            source: "docs/model.md, section 29.3",
            ..Definition::BLANK
        },
        value: |own| Cell::optional(own.max),
    },
    Column {
        definition: Definition {
            name: "program_compute_noise_one_in",
            title: "noise, one in",
            kind: Kind::Natural,
            text: "One computation of this number is delayed by outliers, on average.",
            source: "docs/model.md, section 29.3",
            ..Definition::BLANK
        },
        value: |own| Cell::optional(own.one_in),
    },
    Column {
        definition: Definition {
            name: "program_compute_noise_cycles",
            title: "noise of an outlier",
            kind: Kind::Natural,
            unit: "cycles",
            text: "The delay of an outlier.",
            source: "docs/model.md, section 29.3",
            ..Definition::BLANK
        },
        value: |own| Cell::optional(own.cycles),
    },
    Column {
        definition: Definition {
            name: "program_compute_noise_mean",
            title: "noise, mean",
            kind: Kind::Natural,
            unit: "cycles",
            text: "The mean of exponential noise.",
            source: "docs/model.md, section 29.3",
            ..Definition::BLANK
        },
        value: |own| Cell::optional(own.mean),
    },
    Column {
        definition: Definition {
            name: "program_compute_noise_seed",
            title: "seed of the noise",
            kind: Kind::Natural,
            text: "The seed of the extra cycles.",
            source: "docs/model.md, section 29.3",
            ..Definition::BLANK
        },
        value: |own| own.seed.into(),
    },
    Column {
        definition: Definition {
            name: "program_compute_noise_each",
            title: "noise of each",
            kind: Kind::Text,
            text: "Whether every stage of a process has a draw of its own, or every process one for all its stages.",
            source: "docs/model.md, section 29.3",
            ..Definition::BLANK
        },
        value: |own| (&own.each).into(),
    },
];

/// Columns of the guest of a neighbour-exchange program.
pub(crate) static GUEST: &[Column<GuestRecord>] = &[
    Column {
        definition: Definition {
            name: "program_guest_kind",
            title: "guest",
            kind: Kind::Text,
            text: "The graph whose nodes are the processes and whose edges join the processes that \
                  exchange messages: a d-cube, or the line, ring, mesh, torus, hypercube or \
                  network of a neighbour-exchange program.",
            source: "docs/model.md, section 2",
            ..Definition::BLANK
        },
        value: |guest| (&guest.kind).into(),
    },
    Column {
        definition: Definition {
            name: "program_guest_shape",
            title: "guest shape",
            kind: Kind::Shape,
            unit: "processes",
            text: "The lengths of the guest's dimensions.",
            source: "docs/model.md, section 2",
            ..Definition::BLANK
        },
        value: |guest| Cell::shape(&guest.shape),
    },
    Column {
        definition: Definition {
            name: "program_guest_wrap",
            title: "guest wrap",
            kind: Kind::List,
            text: "For each dimension of the guest whether its last process is a neighbour of its \
                  first.",
            source: "docs/model.md, section 2",
            ..Definition::BLANK
        },
        value: |guest| Cell::list(&guest.wrap),
    },
    Column {
        definition: Definition {
            name: "program_guest_network",
            title: "guest network",
            kind: Kind::Text,
            text: "The parameters of a guest that is a tree or the graph of an edge grammar. The column is \
                  there only if a guest has some.",
            source: "docs/model.md, section 28",
            ..Definition::BLANK
        },
        value: |guest| Cell::optional(guest.network.as_ref()),
    },
];

/// Columns of the communications of a neighbour-exchange program.
pub(crate) static NEIGHBOURS: &[Column<ProgramRecord>] = &[
    Column {
        definition: Definition {
            name: "program_communication",
            title: "communication",
            aliases: &["shift", "permutation", "scatter", "stencil", "to-children", "to-parents"],
            kind: Kind::Text,
            text: "Shift: in each stage all processes send in the same direction along one \
                  dimension. Permutation: every process sends to and receives from at most one \
                  neighbour. Scatter and stencil: every process sends to all neighbours, or to all around it, \
                  at once.",
            source: "Tao 1988, 4.2; docs/model.md, sections 2 and 23",
            ..Definition::BLANK
        },
        value: |program| Cell::optional(program.communication.as_ref()),
    },
    Column {
        definition: Definition {
            name: "program_sets",
            title: "sets",
            kind: Kind::Natural,
            text: "The number of random permutation sets, each of which is a stage.",
            source: "docs/model.md, sections 2 and 10",
            ..Definition::BLANK
        },
        value: |program| Cell::optional(program.sets),
    },
    Column {
        definition: Definition {
            name: "program_neighbours",
            title: "neighbours",
            aliases: &["faces", "edges"],
            kind: Kind::Text,
            text: "The processes that a process of a stencil sends to: those that differ in one dimension \
                   (faces), in at most two (edges), or in any number (all).",
            source: "docs/model.md, section 23",
            ..Definition::BLANK
        },
        value: |program| Cell::optional(program.neighbours.as_ref()),
    },
];

/// Columns of open-loop traffic; they are there only if a run has such traffic.
pub(crate) static TRAFFIC: &[Column<TrafficRecord>] = &[
    Column {
        definition: Definition {
            name: "program_pattern",
            title: "pattern",
            aliases: &["traffic pattern"],
            kind: Kind::Text,
            text: "The destinations of the packets of open-loop traffic, by source.",
            source: "Dally & Towles 2004, 3.2; docs/model.md, section 27",
            ..Definition::BLANK
        },
        value: |own| (&own.pattern).into(),
    },
    Column {
        definition: Definition {
            name: "program_hotspots",
            title: "hotspots",
            kind: Kind::List,
            text: "The nodes to which the pattern hotspot sends more than to others.",
            source: "docs/model.md, section 27",
            ..Definition::BLANK
        },
        value: |own| Cell::optional(own.hotspots.as_deref().map(Cell::list)),
    },
    Column {
        definition: Definition {
            name: "program_hotspot_share",
            title: "hotspot share",
            kind: Kind::Decimal,
            unit: "ratio",
            text: "The share of the packets that go to one of the hotspots; the others go anywhere.",
            formula: "f",
            source: "docs/model.md, section 27",
            ..Definition::BLANK
        },
        value: |own| Cell::optional(own.hotspot_share),
    },
    Column {
        definition: Definition {
            name: "program_group_size",
            title: "group size",
            kind: Kind::Natural,
            unit: "terminals",
            text: "The terminals of a group, of patterns that go from group to group.",
            source: "docs/model.md, section 30.4",
            ..Definition::BLANK
        },
        value: |own| Cell::optional(own.group_size),
    },
    Column {
        definition: Definition {
            name: "program_sizes",
            title: "packet sizes",
            kind: Kind::List,
            unit: "units",
            text: "The sizes of the packets of open-loop traffic, each with its weight.",
            source: "docs/model.md, section 27",
            ..Definition::BLANK
        },
        value: |own| Cell::Text(sizes_in_words(&own.sizes).into()),
    },
    Column {
        definition: Definition {
            name: "program_burst_cycles",
            title: "burst",
            kind: Kind::Decimal,
            unit: "cycles",
            text: "The mean length of the bursts in which terminals make packets.",
            source: "docs/model.md, section 30.4",
            ..Definition::BLANK
        },
        value: |own| Cell::optional(own.burst_cycles),
    },
    Column {
        definition: Definition {
            name: "program_burst_load",
            title: "load of a burst",
            kind: Kind::Decimal,
            unit: "units a cycle",
            text: "The units that a terminal makes per cycle during a burst.",
            source: "docs/model.md, section 30.4",
            ..Definition::BLANK
        },
        value: |own| Cell::optional(own.burst_load),
    },
    Column {
        definition: Definition {
            name: "program_reply_sizes",
            title: "reply sizes",
            kind: Kind::List,
            unit: "units",
            text: "The sizes of the replies to packets, each with its weight.",
            source: "docs/model.md, section 30.4",
            ..Definition::BLANK
        },
        value: |own| {
            let sizes = own.reply_sizes.as_deref();
            Cell::optional(sizes.map(|own| Cell::Text(sizes_in_words(own).into())))
        },
    },
    Column {
        definition: Definition {
            name: "program_reply_delay_cycles",
            title: "reply delay",
            kind: Kind::Natural,
            unit: "cycles",
            text: "The time from the receipt of a packet to the making of its reply.",
            source: "docs/model.md, section 30.4",
            ..Definition::BLANK
        },
        value: |own| Cell::optional(own.reply_delay_cycles),
    },
    Column {
        definition: Definition {
            name: "program_warmup_cycles",
            title: "warmup",
            kind: Kind::Natural,
            unit: "cycles",
            text: "The cycles of open-loop traffic before packets are measured; empty if a pilot run finds them.",
            formula: "W",
            source: "docs/model.md, section 27",
            ..Definition::BLANK
        },
        value: |own| own.warmup_cycles.into(),
    },
    Column {
        definition: Definition {
            name: "program_pilot_cycles",
            title: "pilot run",
            kind: Kind::Natural,
            unit: "cycles",
            text: "The cycles of the pilot run that finds the warm-up.",
            source: "docs/model.md, section 30.6",
            ..Definition::BLANK
        },
        value: |own| Cell::optional(own.pilot_cycles),
    },
    Column {
        definition: Definition {
            name: "program_warmup_interval",
            title: "interval of the pilot run",
            kind: Kind::Natural,
            unit: "cycles",
            text: "The cycles over which the pilot run adds up its backlog.",
            source: "docs/model.md, section 30.6",
            ..Definition::BLANK
        },
        value: |own| Cell::optional(own.warmup_interval),
    },
    Column {
        definition: Definition {
            name: "program_measure_cycles",
            title: "measured cycles",
            kind: Kind::Natural,
            unit: "cycles",
            text: "The cycles in which the measured packets are made.",
            formula: "M",
            source: "docs/model.md, section 27",
            ..Definition::BLANK
        },
        value: |own| own.measure_cycles.into(),
    },
    Column {
        definition: Definition {
            name: "program_drain_cycles",
            title: "drain",
            kind: Kind::Natural,
            unit: "cycles",
            text: "The most cycles that measured packets may take after the measured cycles.",
            formula: "X",
            source: "docs/model.md, section 27",
            ..Definition::BLANK
        },
        value: |own| own.drain_cycles.into(),
    },
    Column {
        definition: Definition {
            name: "program_batches",
            title: "batches",
            kind: Kind::Natural,
            text: "The batches of the measured cycles, from which the half-width and the trend follow.",
            formula: "k",
            source: "docs/model.md, section 30.6",
            ..Definition::BLANK
        },
        value: |own| own.batches.into(),
    },
    Column {
        definition: Definition {
            name: "program_seeds",
            title: "seeds",
            kind: Kind::Natural,
            text: "The runs of open-loop traffic, with seeds from the seed on.",
            source: "docs/model.md, section 30.6",
            ..Definition::BLANK
        },
        value: |own| own.seeds.into(),
    },
    Column {
        definition: Definition {
            name: "program_latency_limit",
            title: "latency limit",
            kind: Kind::Decimal,
            unit: "cycles",
            text: "The mean packet latency above which open-loop traffic counts as saturated.",
            source: "docs/model.md, section 27",
            ..Definition::BLANK
        },
        value: |own| own.latency_limit.into(),
    },
];
