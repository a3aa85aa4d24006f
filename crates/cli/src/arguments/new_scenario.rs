//! The command line of `cubefold new`.

use std::str::FromStr;

use clap::{
    Args, ValueEnum,
    builder::{PossibleValuesParser, TypedValueParser},
};
use cubefold_collectives::Operation;
use cubefold_topology::{LinkMode, MachineKind};

/// Options of `new`. On a terminal, the command asks for the first three if they are missing.
#[derive(Debug, Clone, Args)]
pub(crate) struct NewOptions {
    /// The machine [default: asked for]
    #[arg(long, value_name = "KIND", value_parser = named(MACHINES, MachineKind::name))]
    pub(crate) machine: Option<MachineKind>,

    /// The lengths of its dimensions, such as 8x8; of a hypercube, the number of dimensions; of a fat tree, leaves x hosts
    /// a leaf x spines; of a dragonfly, hosts a switch x switches a group x global links a switch; of a cluster, nodes x
    /// devices a node [default: asked for]
    #[arg(long)]
    pub(crate) shape: Option<Lengths>,

    /// The program [default: asked for]
    #[arg(long, value_enum)]
    pub(crate) program: Option<ProgramKind>,

    /// The guest of a neighbour-exchange program, such as torus:4x6 [default: a ring of as many processes as
    /// there are nodes]
    #[arg(long, value_name = "KIND:SHAPE")]
    pub(crate) guest: Option<Guest>,

    /// The operation of a collective [default: asked for, else all-reduce]
    #[arg(long, value_name = "NAME", value_parser = named(Operation::ALL, Operation::name))]
    pub(crate) operation: Option<Operation>,

    /// The sizes of the vector of a collective, or of those of a job, separated by commas [default: asked for, else 64 KiB,1 MiB,16 MiB]
    #[arg(long, value_name = "SIZE,..", value_delimiter = ',')]
    pub(crate) sizes: Vec<String>,

    /// The bandwidth of a link, of a cluster between its nodes, for a collective or a job [default: asked for, else 50 GB/s]
    #[arg(long, value_name = "RATE")]
    pub(crate) bandwidth: Option<String>,

    /// The latency of a link, of a cluster between its nodes, for a collective or a job [default: asked for, else 400 ns]
    #[arg(long, value_name = "TIME")]
    pub(crate) latency: Option<String>,

    /// The embeddings to compare, separated by commas [default: standard,xor,byweight,gray for a cc-cube,
    /// standard for a collective or a job, else tao]
    #[arg(long, value_name = "NAME,..", value_delimiter = ',')]
    pub(crate) embeddings: Vec<String>,

    /// The computation of a process before each exchange
    #[arg(long, value_name = "CYCLES", default_value_t = 0)]
    pub(crate) compute_cycles: u64,

    /// The link mode
    #[arg(long, value_name = "MODE", default_value = "full-duplex", value_parser = named(LinkMode::ALL, LinkMode::name))]
    pub(crate) links: LinkMode,

    /// The execution mode
    #[arg(long, value_enum, default_value_t = ExecutionModes::Asynchronous)]
    pub(crate) mode: ExecutionModes,

    /// The name of the scenario [default: that of its file]
    #[arg(long)]
    pub(crate) name: Option<String>,
}

/// The kinds of machines of new scenarios: grids, and networks with switches.
pub(crate) const MACHINES: [MachineKind; 8] = {
    let [line, ring, mesh, torus, hypercube] = MachineKind::GRIDS;
    let switched = [MachineKind::FatTree, MachineKind::Dragonfly, MachineKind::Cluster];
    [line, ring, mesh, torus, hypercube, switched[0], switched[1], switched[2]]
};

/// The parser of values by their names.
fn named<T: Copy + Send + Sync + 'static, const COUNT: usize>(
    all: [T; COUNT],
    name: fn(T) -> &'static str,
) -> impl TypedValueParser<Value = T> {
    PossibleValuesParser::new(all.map(name)).try_map(move |found| of_name(all, name, &found))
}

/// The value with a name.
fn of_name<T: Copy, const COUNT: usize>(
    all: [T; COUNT],
    name: fn(T) -> &'static str,
    found: &str,
) -> Result<T, String> {
    let value = all.into_iter().find(|&value| name(value) == found);
    value.ok_or_else(|| format!("found {found:?}, expected one of {}", all.map(name).join(", ")))
}

/// The program of a new scenario.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ProgramKind {
    /// Exchanges along the dimensions of a hypercube
    CcCube,
    /// Exchanges between the neighbours of a torus or mesh
    NeighbourExchange,
    /// An operation such as all-reduce, by every algorithm that is defined for the machine
    Collective,
    /// A job: computations and all-reduces that wait for one another by name
    Job,
}

/// The execution modes of a new scenario.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExecutionModes {
    /// Every process advances on its own
    Asynchronous,
    /// All move together, step by step
    Coordinated,
    /// Each way once
    Both,
}

/// Lengths in text: `8x8`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Lengths(pub(crate) Vec<u64>); // at least one

impl FromStr for Lengths {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let length = |part: &str| part.trim().parse::<u64>().ok();
        let lengths: Option<Vec<u64>> = text.split('x').map(length).collect();
        lengths.map(Self).ok_or_else(|| format!("found {text:?}, expected lengths such as 8x8"))
    }
}

/// A guest in text: `torus:4x6`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Guest {
    pub(crate) kind: MachineKind,
    pub(crate) lengths: Lengths,
}

impl FromStr for Guest {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (kind, lengths) = text
            .split_once(':')
            .ok_or_else(|| format!("found {text:?}, expected a kind and lengths such as torus:4x6"))?;
        Ok(Self { kind: of_name(MachineKind::GRIDS, MachineKind::name, kind)?, lengths: lengths.parse()? })
    }
}
