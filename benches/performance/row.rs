//! The rows of the table of performance, with the figures that are enough.

use cubefold::{
    mapping::EmbeddingKind::{self, Byweight, Xor},
    simulator::Engine,
    topology::{LinkMode, MachineKind, RouteChoice},
};

/// One measurement: its work, the result that proves the work right, and the figure that is enough.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Row {
    /// The name, as a path.
    pub(crate) name: &'static str,
    /// The measured work.
    pub(crate) task: Task,
    /// The makespan of a run, or of all placements together \[cycles\], the total dilation of a placement \[links\], or the
    /// latencies of all measured packets together \[cycles\].
    pub(crate) answer: u64,
    /// The unit of the figure.
    pub(crate) quantity: Quantity,
    /// The figure that is enough.
    pub(crate) enough: f64,
    /// Whether the row takes many seconds and is measured only on request.
    pub(crate) is_long: bool,
}

/// The measured work.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Task {
    /// A run of a cube program by this engine.
    Cube(Cube, Engine),
    /// A random permutation on a network: one message of one unit from every host.
    Permutation(OnNetwork, RouteChoice, LinkMode),
    /// All metrics of a placement.
    Metrics(Cube),
    /// A run of a cube program on each of a thousand placements, which differ from one by an exchange of two processes.
    Evaluations(Cube),
    /// Open-loop traffic over routers with finite buffers.
    Traffic(Traffic),
}

/// The `cc-cube` program with `T_a` = 10 and `T_c` = 1 on a square torus, full-duplex.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Cube {
    /// The dimensions of the cube; even.
    pub(crate) dimensions: u32,
    /// The nodes of the processes.
    pub(crate) placed: Placed,
    /// Sizes and switching of the messages.
    pub(crate) messages: Messages,
}

/// The nodes of the processes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Placed {
    /// By a named embedding.
    By(EmbeddingKind),
    /// A fixed random order.
    AtRandom,
}

/// Sizes and switching of the messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Messages {
    /// One unit, no latency, store-and-forward.
    Unit,
    /// 16 units, cut-through, a latency of 3 cycles.
    CutThrough,
    /// `2^(d - 1 - s)` units in stage `s`, store-and-forward.
    Halving,
}

/// A network, by the parameters of its family.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OnNetwork {
    /// A family with one parameter.
    Family(MachineKind, u64),
    /// A k-ary n-tree.
    FatTree { arity: u64, levels: u64 },
    /// A dragonfly.
    Dragonfly { hosts_per_switch: u64, switches_per_group: u64, global_links: u64 },
    /// A HyperX.
    HyperX { shape: &'static [u64], hosts_per_switch: u64 },
    /// A torus of `k x k x k` without one link: its routes come from a table.
    FailedLink { k: u64 },
}

/// Packets of one unit at a load of 0.1 over routers of 4 channels of 8 units, on a square grid by its side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Traffic {
    /// On a mesh, to any node, for 30 000 cycles.
    UniformOnMesh(u64),
    /// On a torus, one step on in both dimensions, for 100 cycles.
    NeighbourOnTorus(u64),
}

/// The unit of a figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Quantity {
    /// Million links crossed per second of processor time; more is better.
    MillionHopsPerSecond,
    /// Million cycles of a node per second of processor time; more is better.
    MillionNodeCyclesPerSecond,
    /// Placements per second of processor time; more is better.
    PlacementsPerSecond,
    /// Processor time \[s\]; less is better.
    Seconds,
    /// Peak memory of the process, less the placement's, per node \[bytes\]; less is better.
    BytesPerNode,
}

impl Quantity {
    /// The unit as the table shows it.
    pub(crate) fn unit(self) -> &'static str {
        match self {
            Self::MillionHopsPerSecond => "M hops/s",
            Self::MillionNodeCyclesPerSecond => "M node-cycles/s",
            Self::PlacementsPerSecond => "placements/s",
            Self::Seconds => "s",
            Self::BytesPerNode => "bytes a node",
        }
    }

    /// Whether `figure` is at least as good as `enough`.
    pub(crate) fn meets(self, figure: f64, enough: f64) -> bool {
        match self {
            Self::MillionHopsPerSecond | Self::MillionNodeCyclesPerSecond | Self::PlacementsPerSecond => {
                figure >= enough
            }
            Self::Seconds | Self::BytesPerNode => figure <= enough,
        }
    }
}

const fn cube(dimensions: u32, placed: Placed, messages: Messages) -> Cube {
    Cube { dimensions, placed, messages }
}

const fn row(name: &'static str, task: Task, answer: u64, enough: f64, quantity: Quantity) -> Row {
    Row { name, task, answer, quantity, enough, is_long: false }
}

/// A run by the hop engine.
const fn hop(name: &'static str, cube: Cube, answer: u64, enough: f64) -> Row {
    row(name, Task::Cube(cube, Engine::Hop), answer, enough, Quantity::MillionHopsPerSecond)
}

/// A run by one of the engines that do not move messages link by link.
const fn seconds(name: &'static str, engine: Engine, cube: Cube, answer: u64, enough: f64) -> Row {
    row(name, Task::Cube(cube, engine), answer, enough, Quantity::Seconds)
}

/// A random permutation on a network.
const fn network(
    name: &'static str,
    network: OnNetwork,
    choice: RouteChoice,
    links: LinkMode,
    answer: u64,
) -> Row {
    row(name, Task::Permutation(network, choice, links), answer, 3.0, Quantity::MillionHopsPerSecond)
}

const fn traffic(name: &'static str, traffic: Traffic, answer: u64, enough: f64) -> Row {
    row(name, Task::Traffic(traffic), answer, enough, Quantity::MillionNodeCyclesPerSecond)
}

impl Row {
    const fn in_bytes_per_node(self, enough: f64) -> Self {
        Self { quantity: Quantity::BytesPerNode, enough, ..self }
    }

    const fn when_long(self) -> Self {
        Self { is_long: true, ..self }
    }

    /// All rows, in the order of the table.
    pub(crate) const ALL: &[Self] = &[
        hop("hop/d16/xor", cube(16, Placed::By(Xor), Messages::Unit), 542, 100.0),
        hop("hop/d16/byweight", cube(16, Placed::By(Byweight), Messages::Unit), 1260, 100.0),
        hop("hop/d18/xor/memory", cube(18, Placed::By(Xor), Messages::Unit), 946, 100.0)
            .in_bytes_per_node(200.0),
        hop("sized/d16/byweight", cube(16, Placed::By(Byweight), Messages::CutThrough), 10_174, 20.0),
        hop("sized/d16/random", cube(16, Placed::AtRandom, Messages::CutThrough), 15_150, 20.0).when_long(),
        network(
            "network/de-bruijn/16",
            OnNetwork::Family(MachineKind::DeBruijn, 16),
            RouteChoice::Lowest,
            LinkMode::FullDuplex,
            22,
        ),
        network(
            "network/butterfly/12/half-duplex",
            OnNetwork::Family(MachineKind::Butterfly, 12),
            RouteChoice::Lowest,
            LinkMode::HalfDuplex,
            1028,
        ),
        network(
            "network/fat-tree/4-ary-8-tree/spread",
            OnNetwork::FatTree { arity: 4, levels: 8 },
            RouteChoice::Spread(0),
            LinkMode::FullDuplex,
            23,
        ),
        network(
            "network/dragonfly/8-16-8",
            OnNetwork::Dragonfly { hosts_per_switch: 8, switches_per_group: 16, global_links: 8 },
            RouteChoice::Lowest,
            LinkMode::FullDuplex,
            12,
        ),
        network(
            "network/hyperx/16x16x16",
            OnNetwork::HyperX { shape: &[16, 16, 16], hosts_per_switch: 16 },
            RouteChoice::Lowest,
            LinkMode::FullDuplex,
            14,
        ),
        network(
            "network/failed-link/16x16x16",
            OnNetwork::FailedLink { k: 16 },
            RouteChoice::Lowest,
            LinkMode::FullDuplex,
            40,
        ),
        traffic("routers/mesh-8x8/uniform", Traffic::UniformOnMesh(8), 2_166_149, 2.0),
        traffic("routers/torus-256x256/memory", Traffic::NeighbourOnTorus(256), 3_702_904, 2000.0)
            .in_bytes_per_node(2000.0),
        row(
            "evaluator/d8/xor",
            Task::Evaluations(cube(8, Placed::By(Xor), Messages::Unit)),
            144_509,
            5000.0,
            Quantity::PlacementsPerSecond,
        ),
        seconds(
            "belt/lines/d32/byweight",
            Engine::Belt,
            cube(32, Placed::By(Byweight), Messages::Unit),
            409_094,
            5.0,
        ),
        seconds(
            "belt/lines/d32/byweight/halving",
            Engine::Belt,
            cube(32, Placed::By(Byweight), Messages::Halving),
            58_185_205_422_285,
            60.0,
        )
        .when_long(),
        hop("hop/d20/random", cube(20, Placed::AtRandom, Messages::Unit), 16_524, 50.0).when_long(),
        seconds(
            "coordinated/d24/xor",
            Engine::Coordinated,
            cube(24, Placed::By(Xor), Messages::Unit),
            6382,
            0.5,
        ),
        seconds(
            "coordinated/d20/random",
            Engine::Coordinated,
            cube(20, Placed::AtRandom, Messages::Unit),
            20_801,
            1.5,
        ),
        row(
            "metrics/by-field/d32/byweight",
            Task::Metrics(cube(32, Placed::By(Byweight), Messages::Unit)),
            630_278_471_024_640,
            0.1,
            Quantity::Seconds,
        ),
        row(
            "metrics/by-edge/d20/random",
            Task::Metrics(cube(20, Placed::AtRandom, Messages::Unit)),
            5_369_276_022,
            2.0,
            Quantity::Seconds,
        ),
    ];
}
