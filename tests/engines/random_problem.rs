//! Random machines, placements and programs, for the engines and for the reference at once.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Debug,
    num::NonZeroU64,
    sync::Arc,
};

use cubefold_mapping::{
    Construction, EmbeddingKind, GraphGuest, Guest, Hypercube, Placement, PlacementTable, ProcessId,
};
use cubefold_reference::{
    grid::Grid,
    problem::{Links, Problem, Row},
    route::Tie,
    speeds::Speeds,
    stage_program::{Arbitration, Switching as ReferenceSwitching},
    task_graph::TaskProblem,
    wires::{Choice, ClusterNodes, Destinations, Wires},
};
use cubefold_simulator::{
    Communication, CubeProgram, Cycles, End, Facts, MessageRoutes, NeighbourProgram, Pattern, Peer, Program,
    ServiceOrder, StageMessage, StageRecord, Switching,
};
use cubefold_topology::{
    Channel, ClusterInside, GraphSource, LinkMode, LinkTime, Machine, MachineKind, NetworkParameters, NodeId,
    RouteChoice, TieRule, Wrap,
};
use proptest::{
    prelude::*,
    sample::{select, subsequence},
};
use rayon::iter::{IntoParallelIterator, ParallelIterator};

/// The input of the engines.
#[derive(Debug, Clone)]
pub(crate) struct Case {
    pub(crate) placement: Placement,
    pub(crate) communication: Communication,
    pub(crate) program: Arc<dyn Program>,
}

/// A program given message by message.
#[derive(Debug, Clone)]
pub(crate) struct MessageSets {
    pub(crate) processes: u32,
    pub(crate) compute: Cycles,
    pub(crate) stages: Vec<Vec<(u32, u32)>>, // by source, no pair twice in a stage
}

impl MessageSets {
    /// A program of one stage without computation.
    pub(crate) fn of_one_stage(processes: u32, mut messages: Vec<(u32, u32)>) -> Self {
        messages.sort_unstable();
        Self { processes, compute: Cycles::ZERO, stages: vec![messages] }
    }
}

impl Program for MessageSets {
    fn facts(&self) -> Facts {
        let processes = || ProcessId::first(self.processes.into());
        let count = |stage, process| {
            let mut peers = vec![];
            self.list(End::Destination, stage, process, &mut peers);
            peers.len()
        };
        let received = |stage| processes().map(move |process| count(stage, process)).max();
        Facts {
            max_received: (0..self.stages.len()).filter_map(received).max().unwrap_or(0),
            ..Facts::new(self.processes.into(), self.stages.len(), self.compute)
        }
    }

    fn max_units(&self, _: usize) -> u64 {
        1
    }

    fn computation(&self, _: usize, _: ProcessId) -> Cycles {
        self.compute
    }

    fn list(&self, end: End, stage: usize, process: ProcessId, peers: &mut Vec<Peer>) {
        let peer = |&(source, destination): &(u32, u32)| match end {
            End::Source => (source == process.label()).then_some(destination),
            End::Destination => (destination == process.label()).then_some(source),
        };
        let all = self.stages[stage].iter().filter_map(peer);
        peers.extend(all.map(|label| Peer { process: ProcessId::new(label), units: 1 }));
    }
}

impl Case {
    /// The same case in the reference's terms.
    pub(crate) fn problem(&self) -> Problem {
        problem(&*self.program, &self.placement, self.communication)
    }
}

/// A run of messages of one unit in the reference's terms.
pub(crate) fn problem(program: &dyn Program, placement: &Placement, communication: Communication) -> Problem {
    let machine = placement.machine();
    Problem {
        grid: grid(machine),
        wires: wires(machine, communication),
        links: links(communication),
        tie: tie(communication.tie()),
        hop_cycles: communication.hop().get(),
        compute_cycles: program.facts().compute.get(),
        passes: passes_of(program),
        nodes: node_indices(placement),
        stages: messages_of(program),
        explicit: None,
    }
}

/// The machine, placement and rules of a task graph in the reference's terms, without operations.
pub(crate) fn task_problem(placement: &Placement, rules: Communication) -> TaskProblem {
    let machine = placement.machine();
    TaskProblem {
        grid: grid(machine),
        wires: wires(machine, rules),
        links: links(rules),
        tie: tie(rules.tie()),
        hop_cycles: rules.hop().get(),
        latency_cycles: rules.latency().get(),
        speeds: speeds(machine),
        switching: switching(rules),
        packet_units: rules.packet().map(NonZeroU64::get),
        arbitration: arbitration(rules),
        local_cycles: local_cycles(rules),
        eager_units: rules.eager(),
        compute_cycles: 0,
        message_cost: rules.message_cost().get(),
        lists: BTreeMap::new(),
        numbers_of_tags: vec![],
        nodes: node_indices(placement),
        operations: vec![],
    }
}

/// The record of a process in a stage, in the reference's terms.
fn row(record: &StageRecord) -> Row {
    Row {
        sharing: record.sharing.get(),
        ready: record.ready.get(),
        start: record.start.get(),
        finish: record.finish.get(),
        waiting: record.waiting().get(),
        transfer: record.transfer.get(),
        blocked: record.blocked().get(),
    }
}

/// The records of a run as the reference has them, `rows[stage][process]`.
///
/// # Panics
///
/// If there is not exactly one record for every process in every stage.
pub(crate) fn rows(records: &[StageRecord], processes: usize) -> Vec<Vec<Row>> {
    let mut sorted: Vec<&StageRecord> = records.iter().collect();
    sorted.sort_by_key(|record| (record.stage, record.process));
    let of_stage = |(stage, records): (usize, &[&StageRecord])| {
        assert_eq!(records.len(), processes, "stage {stage}");
        let mut stage_rows = vec![];
        for (process, record) in records.iter().enumerate() {
            assert_eq!((record.stage, record.process.label() as usize), (stage, process));
            stage_rows.push(row(record));
        }
        stage_rows
    };
    sorted.chunks(processes).enumerate().map(of_stage).collect()
}

fn messages_of(program: &dyn Program) -> Vec<Vec<(u32, u32)>> {
    let labels = |message: &StageMessage| (message.source.label(), message.destination.label());
    (0..program.stage_count()).map(|stage| program.messages(stage).iter().map(labels).collect()).collect()
}

/// The pairs of a stage and a process that does not compute in it.
fn passes_of(program: &dyn Program) -> BTreeSet<(usize, usize)> {
    let pairs = (0..program.stage_count())
        .flat_map(|stage| ProcessId::first(program.process_count()).map(move |process| (stage, process)));
    let passes = pairs.filter(|&(stage, process)| program.computation(stage, process) == Cycles::ZERO);
    passes.map(|(stage, process)| (stage, process.label() as usize)).collect()
}

pub(crate) fn wires(machine: &Machine, rules: Communication) -> Option<Wires> {
    let network = machine.graph()?;
    let mut neighbours = vec![vec![]; usize::try_from(machine.node_count()).unwrap()];
    for (one, other) in network.links() {
        neighbours[one.index() as usize].push(u64::from(other.index()));
        neighbours[other.index() as usize].push(u64::from(one.index()));
    }
    for list in &mut neighbours {
        list.sort_unstable();
    }
    let ends_only = if network.hosts_forward() { 0 } else { network.host_count() };
    let choice = match (machine.route_choice(), rules.routes()) {
        (Some(RouteChoice::Spread(_)), MessageRoutes::SpreadByMessage { seed }) => Choice::Messages { seed },
        (Some(RouteChoice::Spread(seed)), _) => Choice::Pairs { seed },
        (Some(RouteChoice::DModK), routes) => Choice::Destinations(destinations(machine, routes)),
        (Some(RouteChoice::Lowest) | None, _) => Choice::Lowest,
    };
    let pairs = speeds(machine).into_iter();
    Some(Wires {
        neighbours,
        ends_only,
        choice,
        weights: pairs.map(|(pair, (unit, latency))| (pair, (unit + latency, unit))).collect(),
        grid: machine.coordinate_grid().filter(|_| machine.source() == Some(&GraphSource::Grid)).map(grid),
        order: machine.order_tie().map(tie),
    })
}

/// The parameters of a machine by which destinations choose routes.
pub(crate) fn destinations(machine: &Machine, routes: MessageRoutes) -> Destinations {
    let hosts = machine.numbered_hosts();
    let processes_of_share = match routes {
        MessageRoutes::OfShares { processes } => processes.get().into(),
        _ => u64::from(u32::MAX),
    };
    let cluster = match machine.source() {
        Some(GraphSource::Parameters(NetworkParameters::Cluster(cluster))) => {
            let planes = match cluster.inside {
                ClusterInside::Switch { planes } => planes,
                _ => 0,
            };
            Some(ClusterNodes {
                devices: cluster.devices_per_node,
                nics: cluster.outside.map_or(cluster.devices_per_node, |outside| outside.nics_per_node),
                has_rails: cluster.outside.is_some_and(|outside| outside.has_rails),
                inside: (hosts, planes * cluster.nodes),
            })
        }
        _ => None,
    };
    Destinations { hosts, processes_of_share, cluster }
}

/// The times of links, where they differ, by their two nodes, the lower first.
pub(crate) fn speeds(machine: &Machine) -> Speeds {
    let mut speeds = Speeds::new();
    let Some(times) = machine.link_times() else { return speeds };
    for (node, direction) in
        machine.nodes().flat_map(|node| machine.directions().map(move |direction| (node, direction)))
    {
        let Some(other) = machine.neighbour(node, direction) else { continue };
        let LinkTime { unit, latency } = times[machine.link_class(Channel { node, direction })];
        let [low, high] = [node.min(other), node.max(other)].map(|node| u64::from(node.index()));
        speeds.insert((low, high), (unit, latency));
    }
    speeds
}

pub(crate) fn grid(machine: &Machine) -> Grid {
    Grid {
        lengths: machine.shape().lengths().to_vec(),
        wraps: machine.extents().map(|extent| extent.wrap() == Wrap::Around).collect(),
    }
}

pub(crate) fn links(rules: Communication) -> Links {
    match rules.links() {
        LinkMode::FullDuplex => Links::FullDuplex,
        LinkMode::HalfDuplex => Links::HalfDuplex,
        LinkMode::SingleDirection => Links::SingleDirection,
    }
}

pub(crate) fn switching(rules: Communication) -> ReferenceSwitching {
    match rules.switching() {
        Switching::StoreAndForward => ReferenceSwitching::StoreAndForward,
        Switching::CutThrough => ReferenceSwitching::CutThrough,
    }
}

pub(crate) fn arbitration(rules: Communication) -> Arbitration {
    match rules.service() {
        ServiceOrder::FirstCome => Arbitration::FirstCome,
        ServiceOrder::RoundRobin => Arbitration::RoundRobin,
    }
}

/// The time of a message within a node: in all, and for each unit.
pub(crate) fn local_cycles(rules: Communication) -> (u64, u64) {
    let local = rules.local_cost();
    (local.latency.get(), local.unit.get())
}

pub(crate) fn tie(rule: TieRule) -> Tie {
    match rule {
        TieRule::Direct => Tie::Direct,
        TieRule::Positive => Tie::Positive,
        TieRule::Negative => Tie::Negative,
        TieRule::Alternate => Tie::Alternate,
    }
}

pub(crate) fn node_indices(placement: &Placement) -> Vec<u64> {
    placement.nodes().iter().map(|node| u64::from(node.index())).collect()
}

/// Machines of 1 to 4 dimensions with lengths from `lengths` and at most `most` nodes, wrapping at random.
fn machine(lengths: &'static [u64], most: u64) -> impl Strategy<Value = Machine> {
    let fits = move |shape: &Vec<u64>| shape.iter().product::<u64>() <= most;
    prop::collection::vec((select(lengths), any::<bool>()), 1..=4)
        .prop_map(|extents| -> (Vec<u64>, Vec<bool>) { extents.into_iter().unzip() })
        .prop_filter("too many nodes", move |(shape, _)| fits(shape))
        .prop_map(|(shape, wraps)| torus(&shape, &wraps))
}

/// The torus of these lengths that is open where it does not wrap.
pub(crate) fn torus(lengths: &[u64], wraps: &[bool]) -> Machine {
    let wraps: Vec<_> = wraps.iter().map(|&around| if around { Wrap::Around } else { Wrap::Open }).collect();
    Machine::with_wraps(MachineKind::Torus, lengths, &wraps).unwrap()
}

const POWERS_OF_TWO: &[u64] = &[2, 4, 8, 16, 32, 64];
const ANY_LENGTHS: &[u64] = &[2, 3, 4, 5, 6, 7, 8, 9, 11, 13, 16, 21];

/// A cube on a machine: named embeddings, random bijections, and random places on larger machines.
pub(crate) fn cube_placement(most: u64) -> impl Strategy<Value = (Hypercube, Placement)> {
    let named = (machine(POWERS_OF_TWO, most), select(&EmbeddingKind::ALL)).prop_map(|(machine, kind)| {
        let cube = Hypercube::new(machine.node_count().ilog2().into()).unwrap();
        (cube, Placement::embed(kind, cube, &machine).unwrap())
    });
    let lengths = prop_oneof![Just(POWERS_OF_TWO), Just(ANY_LENGTHS)];
    let explicit = lengths.prop_flat_map(move |lengths| machine(lengths, most)).prop_flat_map(|machine| {
        (1..=machine.node_count().ilog2()).prop_flat_map(move |dimensions| {
            let cube = Hypercube::new(dimensions.into()).unwrap();
            nodes(&machine, cube.process_count()).prop_map(move |placement| (cube, placement))
        })
    });
    prop_oneof![named, explicit]
}

/// `count` processes on nodes of `machine` at random.
pub(crate) fn nodes(machine: &Machine, count: u64) -> impl Strategy<Value = Placement> + use<> {
    let machine = machine.clone();
    let all: Vec<NodeId> = machine.hosts().collect();
    subsequence(all, usize::try_from(count).unwrap())
        .prop_shuffle()
        .prop_map(move |nodes| Placement::Table(PlacementTable::new(&machine, nodes).unwrap()))
}

pub(crate) fn communication() -> impl Strategy<Value = Communication> {
    let hop = 1..=7_u64;
    (select(&LinkMode::ALL), hop, select(&TieRule::ALL))
        .prop_map(|(links, hop, tie)| Communication::new(links, Cycles::new(hop), tie).unwrap())
}

pub(crate) fn compute() -> impl Strategy<Value = Cycles> {
    prop_oneof![Just(0), 0..4_u64, 0..40_u64].prop_map(Cycles::new)
}

/// Cube programs with any stages, repeats included, on machines of at most `most` nodes.
pub(crate) fn cube_case(most: u64) -> impl Strategy<Value = Case> {
    (cube_placement(most), communication(), compute()).prop_flat_map(
        |((cube, placement), communication, compute)| {
            let any_order = prop::collection::vec(0..u64::from(cube.dimension_count()), 1..=10).prop_map(
                move |numbers| numbers.into_iter().map(|number| cube.dimension(number).unwrap()).collect(),
            );
            let named = select(vec![
                CubeProgram::ascend(cube),
                CubeProgram::descend(cube),
                CubeProgram::bitonic(cube),
            ]);
            prop_oneof![named, any_order].prop_map(move |stages| Case {
                placement: placement.clone(),
                communication,
                program: Arc::new(CubeProgram::new(cube, stages, compute).unwrap()),
            })
        },
    )
}

/// `count` processes on nodes of `machine` at random, several on one or not.
pub(crate) fn shared_nodes(machine: &Machine, count: usize) -> impl Strategy<Value = Placement> + use<> {
    let machine = machine.clone();
    // Few nodes, so that many are shared.
    let few: Vec<NodeId> = machine.hosts().take(count).collect();
    prop::collection::vec(select(few), count)
        .prop_map(move |nodes| Placement::Table(PlacementTable::new(&machine, nodes).unwrap()))
}

/// Cube programs whose processes share nodes.
pub(crate) fn shared_cube_case(most: u64) -> impl Strategy<Value = Case> {
    let placed = (machine(ANY_LENGTHS, most), 1..=5_u64).prop_flat_map(|(machine, dimensions)| {
        let cube = Hypercube::new(dimensions).unwrap();
        shared_nodes(&machine, 1 << dimensions).prop_map(move |placement| (cube, placement))
    });
    (placed, communication(), compute()).prop_flat_map(|((cube, placement), communication, compute)| {
        let dimensions = u64::from(cube.dimension_count());
        let order = prop::collection::vec(0..dimensions, 1..=6).prop_map(move |numbers| {
            numbers.into_iter().map(|number| cube.dimension(number).unwrap()).collect()
        });
        order.prop_map(move |stages| Case {
            placement: placement.clone(),
            communication,
            program: Arc::new(CubeProgram::new(cube, stages, compute).unwrap()),
        })
    })
}

/// Programs of arbitrary message sets whose processes share nodes.
pub(crate) fn shared_message_sets_case(most: u64) -> impl Strategy<Value = Case> {
    let placed = (machine(ANY_LENGTHS, most), 2..=20_usize)
        .prop_flat_map(|(machine, count)| shared_nodes(&machine, count));
    with_message_sets(placed)
}

/// Programs on cubes or of arbitrary message sets, whose processes share nodes or do not.
pub(crate) fn any_case(most: u64) -> impl Strategy<Value = Case> {
    prop_oneof![
        cube_case(most),
        message_sets_case(most),
        shared_cube_case(most),
        shared_message_sets_case(most)
    ]
}

/// Neighbour-exchange programs placed by the constructions of Tao 1988, contractions included.
pub(crate) fn tao_case(most: u64) -> impl Strategy<Value = Case> {
    placed_by_tao(most, u64::is_multiple_of)
}

/// The same for numbers of processes and nodes of which the first is no multiple.
pub(crate) fn other_size_case(most: u64) -> impl Strategy<Value = Case> {
    placed_by_tao(most, |processes, nodes| !processes.is_multiple_of(nodes))
}

fn placed_by_tao(most: u64, sizes: fn(u64, u64) -> bool) -> impl Strategy<Value = Case> {
    let lengths = || select(&[2_u64, 2, 3, 4, 6, 8, 9, 12][..]);
    let shapes = || prop::collection::vec((lengths(), any::<bool>()), 1..=4);
    let kinds = [MachineKind::Mesh, MachineKind::Torus];
    let shape = move || {
        (shapes(), select(kinds.to_vec())).prop_map(|(extents, kind)| {
            let lengths: Vec<u64> = extents.iter().map(|(length, _)| *length).collect();
            Machine::new(kind, &lengths).unwrap()
        })
    };
    let pair = (shape(), shape()).prop_filter_map("no construction", move |(guest, host)| {
        let (processes, nodes) = (guest.node_count(), host.node_count());
        if processes.max(nodes) > most || !sizes(processes, nodes) {
            return None;
        }
        Construction::choose(&guest, &host).ok()
    });
    let patterns = [Pattern::Shift, Pattern::Scatter, Pattern::Permutation { sets: 4, key: [5; 32] }];
    (pair, select(patterns.to_vec()), communication(), compute()).prop_map(
        |(construction, pattern, communication, compute)| {
            let guest = GraphGuest::new(construction.guest().clone());
            Case {
                placement: Placement::Construction(Box::new(construction)),
                communication,
                program: Arc::new(NeighbourProgram::new(guest, pattern, compute).unwrap()),
            }
        },
    )
}

/// Programs of arbitrary message sets: processes may send or receive none, one or several in a stage.
pub(crate) fn message_sets_case(most: u64) -> impl Strategy<Value = Case> {
    let placed = machine(ANY_LENGTHS, most).prop_flat_map(|machine| {
        (2..=machine.node_count().min(24)).prop_flat_map(move |count| nodes(&machine, count))
    });
    with_message_sets(placed)
}

fn with_message_sets(placed: impl Strategy<Value = Placement>) -> impl Strategy<Value = Case> {
    (placed, communication(), compute()).prop_flat_map(|(placement, communication, compute)| {
        let processes = u32::try_from(placement.process_count()).unwrap();
        let message =
            (0..processes, 1..processes).prop_map(move |(source, by)| (source, (source + by) % processes));
        let stage = prop::collection::btree_set(message, 0..=30).prop_map(|set| set.into_iter().collect());
        prop::collection::vec(stage, 1..=6).prop_map(move |stages| Case {
            placement: placement.clone(),
            communication,
            program: Arc::new(MessageSets { processes, compute, stages }),
        })
    })
}

/// Checks the cases with these numbers; returns the sums of their counts.
pub(crate) fn sum_of_cases<const N: usize>(count: u64, check: impl Fn(u64) -> [u64; N] + Sync) -> [u64; N] {
    let sum = |one: [u64; N], other: [u64; N]| std::array::from_fn(|at| one[at] + other[at]);
    (0..count).into_par_iter().map(&check).reduce(|| [0; N], sum)
}

/// Checks the random cases with these numbers; returns the sums of their counts.
///
/// # Panics
///
/// With the first error that is found, and its case.
pub(crate) fn check_all<C: Debug, const N: usize>(
    count: u64,
    random: impl Fn(u64) -> C + Sync,
    check: impl Fn(&C) -> Result<[u64; N], String> + Sync,
) -> [u64; N] {
    sum_of_cases(count, |number| {
        let case = random(number);
        check(&case).unwrap_or_else(|error| panic!("case {number}: {error}\n{case:#?}"))
    })
}
