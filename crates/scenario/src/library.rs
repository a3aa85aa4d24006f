//! Resources that the scenarios of one command share: machine files and files of messages are read once,
//! and placements are made once.

mod machine_file;
mod shape_key;

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
    rc::Rc,
    sync::{Arc, Weak},
};

use cubefold_formats::{format::Format, launcher::fabric::Fabric};
use cubefold_mapping::Placement;
use cubefold_simulator::TaskSchedule;
use cubefold_topology::{EdgeGrammar, Machine, Network, PacketRoutes};

pub(super) use self::machine_file::MachineFile;
use self::shape_key::ShapeKey;
use super::{
    budget::{BYTES_A_RUN, Budget},
    chakra_file::{CollectiveTraces, TraceSet},
    described_graph,
    execution::MessageLimit,
    goal_file,
    network::{self, FabricNodes, FabricUplinks},
    packet_routes,
    placement_file::Failure,
    resolved::{CanonicalValue, InputFiles, PlacementKey},
    stages_file::MessageFile,
    traffic::TrafficFile,
};

/// The path of a traffic matrix, its number in the file, and the name of the format that is asked for.
type TrafficKey = (PathBuf, Option<u64>, Option<&'static str>);

/// The contents of files, or why a file cannot be read or is wrong.
type Files<K, T, E = Failure> = BTreeMap<K, Result<Arc<T>, E>>;

/// Machine files, files of messages and placements that the scenarios use.
#[derive(Debug, Default)]
pub(super) struct Library {
    machine_files: Files<PathBuf, MachineFile, String>,
    fabrics: Files<(PathBuf, bool), Fabric>, // by path, and whether links have a direction
    /// By file, values of keys, roles of nodes, and cables.
    networks: Files<(PathBuf, String, FabricNodes, FabricUplinks), Machine, String>,
    grammars: Files<(PathBuf, String), EdgeGrammar>, // by path and name
    /// Networks of the machines in use; if scenarios are only checked, they are dropped after each scenario.
    graphs: BTreeMap<ShapeKey, Weak<Network>>,
    packet_routes: Files<(PathBuf, ShapeKey), PacketRoutes, packet_routes::Unread>, // by path and machine
    messages: Files<PathBuf, MessageFile>,
    traffic: Files<TrafficKey, TrafficFile>,
    schedules: Files<PathBuf, TaskSchedule>,
    traces: Files<TraceKey, TraceSet>,
    collective_traces: Files<PathBuf, CollectiveTraces>,
    placements: BTreeMap<PlacementKey, Kept>,
    /// Failures of placements, by the scenario file that the errors point into.
    misplaced: BTreeMap<(PathBuf, PlacementKey), Failure>,
    embeddings: BTreeMap<[u8; 32], Arc<CanonicalValue>>, // by digest
    canonical_machines: BTreeMap<(PathBuf, PathBuf), Arc<[Arc<CanonicalValue>]>>, // by folder and path
    input_files: InputFiles,
    forgotten: BTreeSet<PathBuf>, // files of placements that were dropped
    account: Account,
    placement_bytes: u64, // placements, and keys that are counted
    counted_keys: usize,  // number of placements
    message_limit: MessageLimit,
}

/// The paths of the traces of all ranks and of the file of their groups, and the lengths of the machine's dimensions.
type TraceKey = (PathBuf, Option<PathBuf>, Vec<u64>);

/// A placement that is kept.
#[derive(Debug)]
struct Kept {
    placement: Arc<Placement>,
    files: Vec<PathBuf>, // from which it was read
}

/// A request for a placement: its keys without and with the seed, the scenario file that requests it, and the files
/// that it is read from.
#[derive(Debug)]
pub(super) struct PlacementRequest<'a> {
    pub(super) keys: [PlacementKey; 2],
    pub(super) scenario: &'a Path,
    pub(super) files: Vec<PathBuf>,
}

/// The memory limit, and the memory of all that is kept.
#[derive(Debug, Default)]
struct Account {
    budget: Rc<Budget>,
    kept_bytes: u64, // including placements
}

impl Account {
    /// The result of `read` for a file, which is read on first use.
    fn read_once<K: Ord, T, E: Clone>(
        &mut self,
        known: &mut Files<K, T, E>,
        key: K,
        read: impl FnOnce(&Budget) -> Result<T, E>,
    ) -> Result<Arc<T>, E> {
        let make = || {
            let (read, bytes) = self.budget.measured(|| read(&self.budget));
            self.kept_bytes += bytes;
            read.map(Arc::new)
        };
        known.entry(key).or_insert_with(make).clone()
    }
}

impl Library {
    /// A library with a memory limit \[bytes\].
    pub(super) fn with_memory(limit: u64) -> Self {
        let account = Account { budget: Rc::new(Budget::new(limit)), kept_bytes: 0 };
        Self { account, ..Self::default() }
    }

    /// A library for `check`, which reports every reason to refuse a run.
    pub(super) fn for_check(limit: u64) -> Self {
        Self { message_limit: MessageLimit::Checked, ..Self::with_memory(limit) }
    }

    /// Whether programs with too many messages are refused.
    pub(super) fn message_limit(&self) -> MessageLimit {
        self.message_limit
    }

    pub(super) fn budget(&self) -> &Rc<Budget> {
        &self.account.budget
    }

    /// The same machine. If an earlier scenario that is still in use has one with the same links, the result
    /// includes the routes that were found there.
    pub(super) fn with_known_routes(&mut self, machine: Machine) -> Machine {
        let Some(network) = machine.graph() else { return machine };
        let key = ShapeKey::new(&machine);
        if let Some(known) = self.graphs.get(&key).and_then(Weak::upgrade) {
            return machine.with_known_routes(&known);
        }
        // Cleaning up only at powers of two takes less time than making the networks.
        if self.graphs.len().is_power_of_two() {
            self.graphs.retain(|_, network| network.strong_count() > 0);
        }
        self.graphs.insert(key, Arc::downgrade(network));
        machine
    }

    /// The machine file with this path.
    ///
    /// # Errors
    ///
    /// If it cannot be read.
    pub(super) fn machine_file(&mut self, path: &Path) -> Result<Arc<MachineFile>, String> {
        self.account.read_once(&mut self.machine_files, path.to_owned(), |budget| {
            MachineFile::read(path, budget).map_err(|error| error.to_string())
        })
    }

    /// The machine of the description `fabric` at `path` with these `nodes` and `uplinks`; `named` has the values of
    /// other keys that affect it. `make` makes it on first use, from these alone.
    ///
    /// # Errors
    ///
    /// If `make` fails.
    pub(super) fn network(
        &mut self,
        (path, named, fabric): (&Path, &str, &Fabric),
        nodes: FabricNodes,
        uplinks: &FabricUplinks,
        make: fn(&Fabric, FabricNodes, &FabricUplinks) -> Result<Machine, String>,
    ) -> Result<Arc<Machine>, String> {
        let key = (path.to_owned(), named.to_owned(), nodes, uplinks.clone());
        let made = || make(fabric, nodes, uplinks).map(Arc::new);
        self.networks.entry(key).or_insert_with(made).clone()
    }

    /// Lists the files that were used, each once: machine files, lists of links, files of messages, matrices, GOAL files,
    /// traces, placement files, and all others that values name.
    pub(super) fn files(&self) -> impl Iterator<Item = PathBuf> {
        let mut known = BTreeSet::new();
        let named = self.input_files.paths().filter(|path| path.is_file()).map(Path::to_owned);
        self.files_read().chain(named).filter(move |path| known.insert(path.clone()))
    }

    fn files_read(&self) -> impl Iterator<Item = PathBuf> {
        let placements = self.placements.values().flat_map(|kept| kept.files.iter().cloned());
        let placements = placements.chain(self.forgotten.iter().cloned());
        let read = self
            .machine_files
            .keys()
            .chain(self.fabrics.keys().map(|key| &key.0))
            .chain(self.messages.keys());
        let read = read.chain(self.schedules.keys()).chain(self.grammars.keys().map(|(path, _)| path));
        let read = read.chain(self.traffic.keys().map(|key| &key.0));
        let traces = self.traces.iter().flat_map(|((_, groups, _), set)| {
            let of_ranks = set.iter().flat_map(|set| set.paths.iter().cloned());
            of_ranks.chain(groups.iter().cloned())
        });
        let collective = self.collective_traces.values().flatten();
        let collective = collective.flat_map(|traces| traces.set.paths.iter().cloned());
        read.cloned().chain(traces).chain(collective).chain(placements)
    }

    /// The placement of a request. On first use `make` makes it, and returns whether it depends on the seed.
    ///
    /// # Errors
    ///
    /// If it cannot be made; every request of one scenario file gets the same error.
    pub(super) fn placement(
        &mut self,
        request: PlacementRequest<'_>,
        make: impl FnOnce() -> (Result<Placement, Failure>, bool),
    ) -> Result<Arc<Placement>, Failure> {
        let PlacementRequest { keys, scenario, files } = request;
        for key in keys {
            if let Some(known) = self.placements.get(&key) {
                return Ok(Arc::clone(&known.placement));
            }
            if let Some(known) = self.misplaced.get(&(scenario.to_owned(), key)) {
                return Err(known.clone());
            }
        }
        let ((placement, is_drawn), bytes) = self.account.budget.measured(make);
        self.account.kept_bytes += bytes;
        self.placement_bytes += bytes;
        let key = keys[usize::from(is_drawn)];
        match placement {
            Ok(placement) => {
                let placement = Arc::new(placement);
                self.placements.insert(key, Kept { placement: Arc::clone(&placement), files });
                Ok(placement)
            }
            Err(failure) => {
                self.forgotten.extend(files);
                self.misplaced.insert((scenario.to_owned(), key), failure.clone());
                Err(failure)
            }
        }
    }

    /// The value of an embedding in the canonical form; equal ones are shared.
    pub(super) fn canonical_embedding(
        &mut self,
        make: impl FnOnce(&mut InputFiles) -> CanonicalValue,
    ) -> Arc<CanonicalValue> {
        let made = make(&mut self.input_files);
        Arc::clone(self.embeddings.entry(made.digest()).or_insert_with(|| Arc::new(made)))
    }

    /// The keys of a machine file in the canonical form; the files that it names are in `folder`.
    pub(super) fn canonical_machine(
        &mut self,
        folder: &Path,
        file: &Arc<MachineFile>,
    ) -> Arc<[Arc<CanonicalValue>]> {
        let Some(written) = &file.written else { return Arc::default() };
        let key = (folder.to_owned(), written.source.path().to_owned());
        let files = &mut self.input_files;
        let make = || CanonicalValue::all(&written.values, folder, files);
        Arc::clone(self.canonical_machines.entry(key).or_insert_with(make))
    }

    /// The files that values name.
    pub(super) fn input_files(&mut self) -> &mut InputFiles {
        &mut self.input_files
    }

    /// Memory taken for anything that is not kept here \[bytes\].
    pub(super) fn own_bytes(&self) -> u64 {
        self.account.budget.taken().saturating_sub(self.account.kept_bytes)
    }

    pub(super) fn placement_count(&self) -> usize {
        self.placements.len()
    }

    /// Returns the memory taken since it was `own_bytes` bytes, with this number of placements. If new
    /// placements are kept, it counts as theirs, since they hold their machines. Once placements take half of
    /// the limit, all are dropped.
    pub(super) fn give_back_to(&mut self, own_bytes: u64, placements: usize) {
        let bytes = self.own_bytes().saturating_sub(own_bytes);
        if self.placements.len() <= placements {
            self.account.budget.give_back(bytes);
            return;
        }
        self.account.kept_bytes += bytes;
        self.placement_bytes += bytes;
        if self.placement_bytes > self.account.budget.limit() / 2 {
            self.forget_placements();
        }
    }

    /// Takes the memory for keys of placements, which the runs in memory have counted as theirs. The budget records a
    /// refusal.
    pub(super) fn take_keys(&mut self) {
        let keys = self.placements.len();
        let bytes = ((keys - self.counted_keys) as u64).saturating_mul(BYTES_A_RUN);
        if self.account.budget.take(bytes).is_ok() {
            self.counted_keys = keys;
            self.account.kept_bytes += bytes;
            self.placement_bytes += bytes;
        }
    }

    /// Drops all placements and returns their memory. Returns whether there were any. They are made again
    /// when they are needed.
    pub(super) fn forget_placements(&mut self) -> bool {
        let placements = std::mem::take(&mut self.placements);
        let has_any = !placements.is_empty() || !self.misplaced.is_empty();
        self.misplaced.clear();
        self.forgotten.extend(placements.into_values().flat_map(|kept| kept.files));
        let bytes = std::mem::take(&mut self.placement_bytes);
        self.account.kept_bytes -= bytes;
        self.account.budget.give_back(bytes);
        self.counted_keys = 0;
        has_any
    }
}

/// Readers of files. An error says why the file cannot be read, or what is wrong in it; every use gets the same.
impl Library {
    /// The description of a network.
    pub(super) fn fabric(&mut self, path: &Path, is_directed: bool) -> Result<Arc<Fabric>, Failure> {
        let read = |budget: &Budget| network::read_fabric(path, is_directed, budget);
        self.account.read_once(&mut self.fabrics, (path.to_owned(), is_directed), read)
    }

    /// The edge grammar of a file, called `name`.
    pub(super) fn grammar(&mut self, path: &Path, name: &str) -> Result<Arc<EdgeGrammar>, Failure> {
        let read = |budget: &Budget| described_graph::read_grammar_file(path, name, budget);
        self.account.read_once(&mut self.grammars, (path.to_owned(), name.to_owned()), read)
    }

    /// The routes of packets over the routers of a machine.
    pub(super) fn packet_routes(
        &mut self,
        path: &Path,
        machine: &Machine,
    ) -> Result<Arc<PacketRoutes>, packet_routes::Unread> {
        let read = |budget: &Budget| packet_routes::read_table(path, machine, budget);
        self.account.read_once(&mut self.packet_routes, (path.to_owned(), ShapeKey::new(machine)), read)
    }

    /// The messages of a file.
    pub(super) fn messages(&mut self, path: &Path) -> Result<Arc<MessageFile>, Failure> {
        let read = |budget: &Budget| MessageFile::read(path, budget);
        self.account.read_once(&mut self.messages, path.to_owned(), read)
    }

    /// The matrix of a file; in a `QAPLIB` file, the one with this number.
    pub(super) fn traffic(
        &mut self,
        path: &Path,
        matrix: Option<u64>,
        form: Option<&'static Format>,
    ) -> Result<Arc<TrafficFile>, Failure> {
        let key = (path.to_owned(), matrix, form.map(|form| form.name));
        let read = |budget: &Budget| TrafficFile::read(path, matrix, form, budget);
        self.account.read_once(&mut self.traffic, key, read)
    }

    /// The task graph of a GOAL file.
    pub(super) fn schedule(&mut self, path: &Path) -> Result<Arc<TaskSchedule>, Failure> {
        let read = |budget: &Budget| goal_file::read_schedule(path, budget);
        self.account.read_once(&mut self.schedules, path.to_owned(), read)
    }

    /// The Chakra traces with `{rank}` in their path, and the groups of a file.
    pub(super) fn traces(
        &mut self,
        pattern: &Path,
        groups: Option<&Path>,
        lengths: &[u64],
    ) -> Result<Arc<TraceSet>, Failure> {
        let key = (pattern.to_owned(), groups.map(Path::to_owned), lengths.to_vec());
        let read = |budget: &Budget| TraceSet::read(pattern, groups, lengths, budget);
        self.account.read_once(&mut self.traces, key, read)
    }

    /// The collectives of a profiler's trace, or of the traces of all ranks.
    pub(super) fn collective_traces(&mut self, path: &Path) -> Result<Arc<CollectiveTraces>, Failure> {
        let read = |budget: &Budget| CollectiveTraces::read(path, budget);
        self.account.read_once(&mut self.collective_traces, path.to_owned(), read)
    }
}

#[cfg(test)]
mod tests {
    use cubefold_topology::{MachineKind, NodeId, RouteChoice};

    use super::*;

    #[test]
    fn machines_of_the_same_links_share_their_routes_whatever_their_choice() {
        let mut library = Library::default();
        let mut without_link_to = |node: u32, seed: u64| {
            let ring = Machine::new(MachineKind::Ring, &[6]).unwrap();
            let failed = ring.with_failures(&[(NodeId::new(0), NodeId::new(node))], &[]).unwrap();
            let machine = failed.with_route_choice(RouteChoice::Spread(seed));
            let known = library.with_known_routes(machine.clone());
            assert_eq!(known, machine);
            known
        };
        let [first, other, second] = [(1, 7), (5, 7), (1, 8)].map(|(node, seed)| without_link_to(node, seed));
        let is_shared = |one: &Machine| Arc::ptr_eq(one.graph().unwrap(), first.graph().unwrap());
        assert!(is_shared(&second));
        assert!(!is_shared(&other));
        let network = Arc::downgrade(first.graph().unwrap());
        drop([first, second]);
        assert!(network.upgrade().is_none());
    }
}
