//! What a row of the table says.

use cubefold::{
    mapping::EmbeddingKind,
    simulator::{Engine, EngineChoice},
    topology::{LinkMode, MachineKind, RouteChoice},
};

use super::OnNetwork;

/// A row: what is done, on what, and how fast it is to be.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Row {
    /// Its name, as a path.
    pub(crate) name: &'static str,
    /// Where it is run.
    pub(crate) run: Run,
    /// What is done.
    pub(crate) task: Task,
    /// What the machine is.
    pub(crate) machine: MachineKind,
    /// The machine's lengths, powers of two.
    pub(crate) lengths: &'static [u64],
    /// Where the processes sit.
    pub(crate) placed: Placed,
    /// The order of the stages.
    pub(crate) stages: Stages,
    /// The computation of a stage [cycles].
    pub(crate) compute: u64,
    /// How long a message takes over a link [cycles].
    pub(crate) hop: u64,
    /// What may move at the same time.
    pub(crate) links: LinkMode,
    /// How large messages are, and how they are switched.
    pub(crate) messages: Messages,
    /// What computes it.
    pub(crate) engine: EngineChoice,
    /// What the figure is.
    pub(crate) quantity: Quantity,
    /// The figure that is to be met.
    pub(crate) least: f64,
    /// The figure that is aimed at.
    pub(crate) goal: f64,
    /// What must come out: the makespan of a run [cycles], the sum of all dilations of a placement [links], or of the
    /// nodes that were asked for, or the messages of a file.
    pub(crate) answer: u64,
}

impl Row {
    /// What must have computed it; nothing where nothing is run.
    pub(crate) fn engine_that_runs(&self) -> Option<Engine> {
        match (self.task, self.engine) {
            (Task::Permutation(..), _)
            | (Task::Asynchronous, EngineChoice::Hop | EngineChoice::Slabs(_) | EngineChoice::Sized) => {
                Some(Engine::Hop)
            }
            (Task::Asynchronous, EngineChoice::Auto | EngineChoice::AutoOn(_) | EngineChoice::Belt(_))
            | (Task::EveryProcess | Task::EveryNode, _) => Some(Engine::Belt),
            (Task::Coordinated, _) => Some(Engine::Coordinated),
            (
                Task::Metrics
                | Task::Distances
                | Task::Spectrum
                | Task::Congestion
                | Task::Neighbours
                | Task::MessageFile,
                _,
            ) => None,
        }
    }
}

/// Where a row is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Run {
    /// In the benchmarks and in the table.
    Always,
    /// In the table, when everything is asked for.
    WhenLong,
}

/// What is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Task {
    /// An asynchronous run.
    Asynchronous,
    /// A coordinated run.
    Coordinated,
    /// An asynchronous run of a random permutation on a network, whatever the row says of a grid.
    Permutation(OnNetwork, RouteChoice),
    /// An asynchronous run, and every process's finish, waiting and blocked cycles, one process after another.
    EveryProcess,
    /// The same into arrays with a place for each node.
    EveryNode,
    /// All metrics of a placement, by field where it is a product.
    Metrics,
    /// The distances of every guest dimension, edge by edge.
    Distances,
    /// The spectrum of dilations, edge by edge.
    Spectrum,
    /// Congestion of the links and load of the nodes, edge by edge.
    Congestion,
    /// The nodes of neighbours of processes in no order.
    Neighbours,
    /// Reading and checking a file with the messages of a program, for as many processes as the machine has nodes.
    MessageFile,
}

/// Where the processes sit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Placed {
    /// By a named embedding.
    By(EmbeddingKind),
    /// Where a named embedding puts them, but listed, so that nothing is known of its fields.
    ListedBy(EmbeddingKind),
    /// One a node at random, always at the same places.
    AtRandom,
}

/// The order of the stages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stages {
    /// Dimension after dimension.
    Ascend,
    /// The dimensions of two fields of the same length in turn.
    Interleaved,
}

/// How large messages are, and how they are switched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Messages {
    /// One unit, without latency, stored and forwarded.
    Unit,
    /// 16 units, cut through, with a latency of 3 cycles.
    CutThrough,
    /// 16 packets of 4 units, cut through, with a latency of 3 cycles.
    Packets,
    /// `2^(d - s)` units in stage `s`, stored and forwarded.
    Halving,
    /// `2^(d - 1 - s)` units in stage `s`, stored and forwarded: the clock of `d` = 32 has room for no more.
    HalvingToOne,
}

/// What the figure of a row is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Quantity {
    /// Million links crossed in a second of processor time: the more the better.
    MillionHopsASecond,
    /// Processor time [s].
    Seconds,
    /// Processor time [ms].
    Milliseconds,
    /// Processor time of one of many [ns].
    Nanoseconds,
    /// Memory at its greatest, without what the placement takes, over the nodes [bytes].
    BytesANode,
    /// Memory of the process at its greatest [GB].
    Gigabytes,
    /// The wall time of one thread over that of two: the more the better.
    Speedup,
}

impl Quantity {
    /// Whether it is memory, which one round tells.
    pub(crate) fn is_memory(self) -> bool {
        matches!(self, Self::BytesANode | Self::Gigabytes)
    }

    /// The unit.
    pub(crate) fn unit(self) -> &'static str {
        match self {
            Self::MillionHopsASecond => "M hops/s",
            Self::Seconds => "s",
            Self::Milliseconds => "ms",
            Self::Nanoseconds => "ns",
            Self::BytesANode => "bytes a node",
            Self::Gigabytes => "GB",
            Self::Speedup => "x",
        }
    }

    /// Whether a figure is as good as another.
    pub(crate) fn meets(self, figure: f64, other: f64) -> bool {
        match self {
            Self::MillionHopsASecond | Self::Speedup => figure >= other,
            Self::Seconds | Self::Milliseconds | Self::Nanoseconds | Self::BytesANode | Self::Gigabytes => {
                figure <= other
            }
        }
    }
}
