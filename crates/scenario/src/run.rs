//! A validated run: a program on a machine, placed, and the rules of its execution.

use std::{borrow::Cow, sync::Arc};

use cubefold_collectives::{Collective, CollectiveBounds, LinkCosts};
use cubefold_formats::{
    input::region::{Allocation, Region},
    launcher::HostList,
};
use cubefold_mapping::Placement;
use cubefold_simulator::{Communication, MessageRoutes};
use cubefold_topology::{Coordinates, Machine, NodeId, Partition};

use super::{
    CountedPaths, EmbeddingName, Execution, Loading, PhysicalLinks, PhysicalScale, Resolved, ScenarioProgram,
    SweptValue, embeddings, keys::Key, machine_notes, short_value, time_notes, unused_keys,
};

/// One validated run.
#[derive(Debug, Clone)]
pub struct Run {
    /// The scenario's name.
    pub scenario: Arc<str>,
    /// The seed of random choices.
    pub seed: u64,
    /// The keys that the sweep sets, as paths, with their values as written, on one line.
    pub combination: Arc<[SweptValue]>,
    /// The machine of the program: the whole machine, or the inside of its partition.
    pub machine: Arc<Machine>,
    /// The partition of the machine, if there is one.
    pub partition: Option<Arc<Partition>>,
    /// The nodes that the job has, if the scenario lists them.
    pub allocation: Option<Arc<Allocation>>,
    /// The names of the machine's hosts, by number, if they have any.
    pub host_names: Option<Arc<HostList>>,
    /// The rules of its network and nodes: link mode, times of messages, switching, and ties between the two
    /// ways around a ring.
    pub communication: Communication,
    /// The length of a cycle and the bytes of a unit, if the scenario gives them.
    pub scale: Option<PhysicalScale>,
    /// The bandwidths and latencies of its links, if the scenario gives them.
    pub physical_links: Option<Arc<PhysicalLinks>>,
    /// The program.
    pub program: Arc<ScenarioProgram>,
    /// The loading of the program, if the scenario has one.
    pub loading: Option<Loading>,
    /// The scenario's name for the placement.
    pub embedding: EmbeddingName,
    /// The nodes of the processes.
    pub placement: Arc<Placement>,
    /// The execution rules.
    pub execution: Execution,
    /// Whether switches of the machine combine received data.
    pub switches_reduce: bool,
    /// Notes on the file of the machine's links.
    pub machine_notes: Arc<[String]>,
    /// Its resolved settings.
    pub resolved: Resolved,
    /// The memory taken by the scenarios of the command read so far \[bytes\].
    pub held_bytes: u64,
}

impl Run {
    /// The name of its algorithm: a collective's own, or the one that a sweep sets for a sequence or a job; `None` for
    /// other programs.
    #[must_use]
    pub fn algorithm(&self) -> Option<Cow<'_, str>> {
        if self.program.asked_collective().and_then(Collective::specification).is_some() {
            return self.program.algorithm_of_step(0).map(Cow::Borrowed);
        }
        let path = Key::ProgramAlgorithm.path();
        let (_, value) = self.combination.iter().find(|(swept, _)| &**swept == path)?;
        Some(Cow::Owned(short_value(path, value)))
    }

    /// Sentences on assumptions, omissions and roundings, as in results.
    #[must_use]
    pub fn notes(&self) -> Vec<String> {
        let of_program = self.program.notes.iter().cloned();
        let of_placement = embeddings::shorter_in_cube(self);
        let of_machine = machine_notes::machine_notes(self).into_iter().chain(time_notes::time_notes(self));
        let lacks_paths = matches!(self.counted_paths(), Some(CountedPaths::OfMachine));
        let of_paths = lacks_paths.then(|| {
            format!(
                "{} has no paths of its own: under routing by embedding its messages take the machine's routes.",
                self.embedding
            )
        });
        let of_keys = unused_keys::notes(self);
        of_program.chain(of_machine).chain(of_placement).chain(of_paths).chain(of_keys).collect()
    }

    /// Coordinates of a node, on the whole machine if the program runs in a partition.
    #[must_use]
    pub fn address(&self, node: NodeId) -> Coordinates {
        self.region().address(node)
    }

    /// The lower bounds of its collective with its ranks where they are; `None` for other programs, and on directed
    /// networks, of which no bound is known.
    #[must_use]
    pub fn collective_bounds(&self) -> Option<CollectiveBounds> {
        let collective = self.program.asked_collective().filter(|_| !self.machine.is_directed())?;
        let rules = self.communication;
        let costs = LinkCosts {
            link_mode: rules.links(),
            hop_cycles: rules.hop().get(),
            latency_cycles: rules.least_latency().get(),
            message_cost: rules.message_cost().get(),
            switches_reduce: self.switches_reduce,
        };
        let mut nodes = self.placement.nodes();
        // The shares of a rank are on its node; those of share 0 come first.
        nodes.truncate(usize::try_from(collective.rank_count()).unwrap_or(usize::MAX));
        Some(collective.bounds(&self.machine, &nodes, costs))
    }

    /// The run with a vector of `units` units; `None` unless it is a single collective with a vector.
    #[must_use]
    pub fn with_vector_units(&self, units: u64) -> Option<Self> {
        let bytes = self.scale.and_then(|scale| units.checked_mul(scale.unit_bytes()));
        let program = Arc::new(self.program.with_vector_units(units, bytes)?);
        Some(Self { program, resolved: self.resolved.with_vector_units(units), ..self.clone() })
    }

    /// The paths of guest edges over which congestion is counted; `None` unless its routing is `embedding`.
    pub fn counted_paths(&self) -> Option<CountedPaths<'_>> {
        if self.communication.routes() != MessageRoutes::OfEmbedding {
            return None;
        }
        // Paths that cannot be made are reported with the scenario.
        let paths = self.placement.edge_paths().ok().flatten().filter(|paths| paths.are_own());
        Some(paths.map_or(CountedPaths::OfMachine, CountedPaths::OfEmbedding))
    }

    /// One run for each of its equivalent programs.
    pub fn of_each_program(&self) -> impl Iterator<Item = Self> {
        self.program.with_others().map(|program| {
            let program = Arc::new(ScenarioProgram { others: vec![], ..program.clone() });
            Self { program, ..self.clone() }
        })
    }

    /// Lists the program and its equivalents, the fastest of which counts.
    pub fn programs(&self) -> impl Iterator<Item = &ScenarioProgram> {
        self.program.with_others()
    }

    /// The nodes available to its processes.
    #[must_use]
    pub fn region(&self) -> Region<'_> {
        Region {
            machine: &self.machine,
            partition: self.partition.as_deref(),
            allocation: self.allocation.as_deref(),
        }
    }
}
