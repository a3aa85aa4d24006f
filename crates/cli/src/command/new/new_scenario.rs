//! The content of a new scenario.

use cubefold_collectives::{Algorithm, Operation};
use cubefold_scenario::MAX_CHANNELS;
use cubefold_topology::{LinkMode, MachineKind};

use super::algorithms::ComparedAlgorithm;
use crate::{
    arguments::{ExecutionModes, NewOptions, ProgramKind},
    failure::Failure,
};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct NewScenario {
    pub(super) name: Option<String>,
    pub(super) machine: Grid,
    pub(super) links: &'static str,
    pub(super) program: Program,
    pub(super) compute_cycles: u64,
    pub(super) embeddings: Vec<String>,
    pub(super) modes: ExecutionModes,
}

/// A machine or a guest: a kind and lengths.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Grid {
    pub(super) kind: MachineKind,
    pub(super) lengths: Vec<u64>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Program {
    /// Exchanges along the dimensions of a hypercube.
    Cube,
    /// Exchanges between the neighbours of this guest.
    Neighbours(Grid),
    /// An operation by several algorithms.
    Collective(Collective),
    /// Computations and all-reduces that wait for one another.
    Job(Traffic),
}

impl Program {
    /// The vectors and links of a collective or a job.
    pub(super) fn traffic(&self) -> Option<&Traffic> {
        match self {
            Self::Collective(collective) => Some(&collective.traffic),
            Self::Job(traffic) => Some(traffic),
            Self::Cube | Self::Neighbours(_) => None,
        }
    }
}

/// The vectors of a program on a current machine, and the speed of the links.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Traffic {
    /// The sizes of the vectors; empty for a barrier.
    pub(super) sizes: Vec<String>,
    pub(super) bandwidth: String,
    pub(super) latency: String,
}

/// A collective on a current machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Collective {
    pub(super) operation: Operation,
    /// The algorithms that suit the machine.
    pub(super) algorithms: Vec<ComparedAlgorithm>,
    /// The channels of rings and trees, if nodes have several NICs.
    pub(super) channels: Option<Channels>,
    pub(super) traffic: Traffic,
}

/// The channels of rings and trees on nodes with several NICs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Channels {
    /// One for each NIC.
    Nics,
    /// As many as there can be, which are fewer than NICs.
    Most,
}

/// The usual sizes of a vector.
pub(super) const SIZES: [&str; 3] = ["64 KiB", "1 MiB", "16 MiB"];
/// The usual bandwidth of a link.
pub(super) const BANDWIDTH: &str = "50 GB/s";
/// The usual latency of a link.
pub(super) const LATENCY: &str = "400 ns";

impl NewOptions {
    /// The missing required options.
    pub(super) fn missing(&self) -> Vec<&'static str> {
        marked(&[
            ("--machine", self.machine.is_none()),
            ("--shape", self.shape.is_none()),
            ("--program", self.program.is_none()),
        ])
    }

    /// Refuses options of collectives for other programs.
    fn check_collective(&self, program: ProgramKind) -> Result<(), Failure> {
        let of_collectives = self.collective_options();
        let is_of_other = |name: &&&'static str| match program {
            ProgramKind::Collective => false,
            ProgramKind::Job => **name == "--operation",
            ProgramKind::CcCube | ProgramKind::NeighbourExchange => true,
        };
        match of_collectives.iter().find(is_of_other) {
            None => Ok(()),
            Some(name) => {
                let message = format!("{name} without a collective");
                Err(Failure::usage(message, format!("leave out {name}, or ask for --program collective")))
            }
        }
    }

    /// The given options of collectives.
    fn collective_options(&self) -> Vec<&'static str> {
        marked(&[
            ("--operation", self.operation.is_some()),
            ("--sizes", !self.sizes.is_empty()),
            ("--bandwidth", self.bandwidth.is_some()),
            ("--latency", self.latency.is_some()),
        ])
    }

    /// Refuses to choose a mode for a program that has only one, with this message.
    fn refuse_mode(&self, message: &str) -> Result<(), Failure> {
        if self.mode == ExecutionModes::Asynchronous {
            return Ok(());
        }
        Err(Failure::usage(message, "leave out --mode"))
    }
}

/// The names of the options that are marked.
fn marked(options: &[(&'static str, bool)]) -> Vec<&'static str> {
    options.iter().filter(|(_, is_marked)| *is_marked).map(|(name, _)| *name).collect()
}

impl Traffic {
    fn new(options: &NewOptions) -> Self {
        let sizes = match &options.sizes[..] {
            [] => SIZES.map(str::to_owned).to_vec(),
            sizes => sizes.iter().map(|size| size.trim().to_owned()).collect(),
        };
        Self {
            sizes,
            bandwidth: options.bandwidth.clone().unwrap_or_else(|| BANDWIDTH.to_owned()),
            latency: options.latency.clone().unwrap_or_else(|| LATENCY.to_owned()),
        }
    }
}

impl Collective {
    fn new(options: &NewOptions, machine: &Grid) -> Result<Self, Failure> {
        options.refuse_mode("--mode of a collective, whose processes do not go in step")?;
        let operation = options.operation.unwrap_or(Operation::AllReduce);
        let mut algorithms = ComparedAlgorithm::of_ranks(operation, &machine.hosts());
        if let Some([nodes, devices]) = machine.nodes_and_devices() {
            algorithms.extend(ComparedAlgorithm::hierarchical(operation, nodes, devices));
        }
        let runs_as_channels = |algorithm: &ComparedAlgorithm| {
            let channel_operations = algorithm.one_level().map(|one| one.descriptor().channel_operations);
            channel_operations.is_some_and(|operations| operations.contains(&operation))
        };
        let channels = machine.channels().filter(|_| algorithms.iter().any(runs_as_channels));
        let mut traffic = Traffic::new(options);
        if operation == Operation::Barrier {
            traffic.sizes.clear();
        }
        Ok(Self { operation, algorithms, channels, traffic })
    }

    /// Whether one of the algorithms has a choice of ports.
    pub(super) fn has_ports(&self) -> bool {
        self.of_one_level().any(|algorithm| algorithm.descriptor().has_ports())
    }

    /// Whether one of the algorithms has a choice of exchange.
    pub(super) fn has_exchange(&self) -> bool {
        self.of_one_level().any(|algorithm| algorithm.descriptor().has_exchange(self.operation))
    }

    fn of_one_level(&self) -> impl Iterator<Item = Algorithm> {
        self.algorithms.iter().filter_map(|algorithm| algorithm.one_level())
    }
}

impl NewScenario {
    /// The scenario for complete options.
    #[expect(clippy::too_many_lines, reason = "one line an answer")]
    pub(super) fn new(options: &NewOptions) -> Result<Self, Failure> {
        let (Some(kind), Some(shape), Some(program)) = (options.machine, &options.shape, options.program)
        else {
            let message = format!("too little is said without {}", options.missing().join(", "));
            return Err(Failure::usage(message, "give these options"));
        };
        let machine = Grid::new(kind, &shape.0);
        machine.check_numbers()?;
        if machine.has_switches() && !matches!(program, ProgramKind::Collective | ProgramKind::Job) {
            let message = format!("a {kind} with a program of neighbours, whose hosts are no neighbours");
            return Err(Failure::usage(message, "ask for --program collective, or job"));
        }
        if machine.has_switches() && options.links == LinkMode::SingleDirection {
            let message = format!("--links single-direction of a {kind}, whose links have no dimensions");
            return Err(Failure::usage(message, "ask for --links full-duplex or half-duplex"));
        }
        options.check_collective(program)?;
        let refuse_guest = |message: &str| {
            Err(Failure::usage(message, "leave out --guest, or ask for --program neighbour-exchange"))
        };
        let program = match (program, &options.guest) {
            (ProgramKind::Collective | ProgramKind::Job, Some(_)) => {
                return refuse_guest(
                    "--guest with a collective or a job, whose processes are the nodes of the machine",
                );
            }
            (ProgramKind::Collective, None) => Program::Collective(Collective::new(options, &machine)?),
            (ProgramKind::Job, None) => {
                options.refuse_mode("--mode of a job, whose steps do not go in step")?;
                Program::Job(Traffic::new(options))
            }
            (ProgramKind::CcCube, None) => Program::Cube,
            (ProgramKind::CcCube, Some(_)) => {
                return refuse_guest("--guest with a cc-cube program, whose processes are a hypercube");
            }
            (ProgramKind::NeighbourExchange, Some(guest)) => {
                Program::Neighbours(Grid::new(guest.kind, &guest.lengths.0))
            }
            (ProgramKind::NeighbourExchange, None) => Program::Neighbours(machine.ring_of_as_many()),
        };
        let embeddings = match (&program, options.embeddings.as_slice()) {
            (Program::Cube, []) => ["standard", "xor", "byweight", "gray"].map(str::to_owned).to_vec(),
            (Program::Neighbours(_), []) => vec!["tao".to_owned()],
            (Program::Collective(_) | Program::Job(_), []) => vec!["standard".to_owned()],
            (_, named) => named.to_vec(),
        };
        Ok(Self {
            name: options.name.clone(),
            machine,
            links: options.links.name(),
            program,
            compute_cycles: options.compute_cycles,
            embeddings,
            modes: options.mode,
        })
    }
}

impl Grid {
    /// A grid with these lengths; for a hypercube, one number is the number of dimensions.
    pub(super) fn new(kind: MachineKind, lengths: &[u64]) -> Self {
        let lengths = match (kind, lengths) {
            (MachineKind::Hypercube, &[dimensions]) => {
                // More dimensions than this are refused in any case.
                vec![2; usize::try_from(dimensions.min(64)).unwrap_or(64)]
            }
            (_, lengths) => lengths.to_vec(),
        };
        Self { kind, lengths }
    }

    /// The ring with a process for each node, which every torus and mesh can place.
    fn ring_of_as_many(&self) -> Self {
        Self { kind: MachineKind::Ring, lengths: vec![product(&self.lengths)] }
    }

    /// Whether it is a network with switches, whose parameters are the lengths.
    pub(super) fn has_switches(&self) -> bool {
        !MachineKind::GRIDS.contains(&self.kind)
    }

    /// The names of the parameters of a network with switches.
    fn parameters(&self) -> &'static [&'static str] {
        match self.kind {
            MachineKind::FatTree => &["leaves", "hosts_per_switch", "spines"],
            MachineKind::Dragonfly => &["hosts_per_switch", "switches_per_group", "global_links"],
            MachineKind::Cluster => &["nodes", "devices_per_node"],
            _ => &[],
        }
    }

    /// The parameters of a network with switches.
    pub(super) fn named_parameters(&self) -> impl Iterator<Item = (&'static str, u64)> {
        self.parameters().iter().copied().zip(self.lengths.iter().copied())
    }

    /// Refuses more or fewer numbers than parameters.
    pub(super) fn check_numbers(&self) -> Result<(), Failure> {
        let (found, names) = (self.lengths.len(), self.parameters());
        if !self.has_switches() || found == names.len() {
            return Ok(());
        }
        let message = format!("{found} numbers of a {}, expected {}", self.kind, names.len());
        Err(Failure::usage(message, format!("give {}", names.join(" x "))))
    }

    /// The lengths by which hosts are numbered.
    fn hosts(&self) -> Vec<u64> {
        match (self.kind, self.lengths.as_slice()) {
            (MachineKind::FatTree, [leaves, hosts, ..]) => vec![product(&[*leaves, *hosts])],
            (MachineKind::Dragonfly, &[hosts, switches, links]) => {
                vec![product(&[hosts, switches, switches.saturating_mul(links).saturating_add(1)])]
            }
            (MachineKind::Cluster, lengths) => vec![product(lengths)],
            (_, lengths) => lengths.to_vec(),
        }
    }

    /// The nodes of a cluster and the devices of each, if both are several.
    fn nodes_and_devices(&self) -> Option<[u64; 2]> {
        match (self.kind, self.lengths.as_slice()) {
            (MachineKind::Cluster, &[nodes, devices]) if nodes > 1 && devices > 1 => Some([nodes, devices]),
            _ => None,
        }
    }

    /// The channels of rings and trees on it, whose nodes have a NIC for each device.
    pub(super) fn channels(&self) -> Option<Channels> {
        let [_, nics] = self.nodes_and_devices()?;
        Some(if nics <= MAX_CHANNELS { Channels::Nics } else { Channels::Most })
    }

    /// The lengths as text.
    pub(super) fn shape(&self) -> String {
        self.lengths.iter().map(u64::to_string).collect::<Vec<_>>().join("x")
    }

    /// Whether the embeddings of hypercubes are defined on it.
    pub(super) fn holds_a_cube(&self) -> bool {
        !self.has_switches() && self.lengths.iter().all(|length| length.is_power_of_two())
    }
}

fn product(numbers: &[u64]) -> u64 {
    numbers.iter().fold(1, |product, number| product.saturating_mul(*number))
}
