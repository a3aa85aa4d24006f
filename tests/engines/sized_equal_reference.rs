//! Stage programs with sizes: the engine equals the reference in every row of random cases, a share of them in
//! every run of the tests, all on request.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    num::NonZeroU64,
    path::{Path, PathBuf},
};

use cubefold_mapping::{Placement, PlacementTable, ProcessId};
use cubefold_reference::{
    grid::Channel,
    stage_program::{Rotated, SizedMessage, StageOutcome, StageProblem, StageRow, predicted, run_stages},
};
use cubefold_simulator::{
    Communication, Computations, CountLinkUse, Cycles, Detail, DetailList, EAGER_ALL, EngineChoice, LinkUse,
    LocalCost, Observer, Outcome, Request, Rotation, ServiceOrder, StageMessage, StageProgram, StageRecord,
    Switching, Transmission, predict, simulate, transmission_count,
};
use cubefold_topology::{LinkMode, Machine, MachineKind, Network, NodeId, RouteChoice, TieRule, Wrap};
use rand::{
    Rng, RngExt, SeedableRng,
    seq::{IndexedRandom, SliceRandom},
};
use rand_chacha::ChaCha12Rng;
use rayon::prelude::*;

use crate::{
    byte_generator::ByteGenerator,
    random_problem::{
        arbitration, check_all, grid, links, local_cycles, node_indices, speeds, switching, tie, wires,
    },
};

const ALL: u64 = 20_000;
/// The number of cases in every run of the tests.
const SHARE: u64 = 1_500;

#[test]
fn a_share_of_the_cases() {
    check_cases(SHARE);
}

#[test]
#[ignore = "some minutes: 20 000 cases"]
fn all_cases() {
    check_cases(ALL);
}

/// A stage program on a machine, for the engine and the reference at once.
#[derive(Debug, Clone)]
pub(crate) struct SizedCase {
    pub(crate) placement: Placement,
    pub(crate) communication: Communication,
    pub(crate) computations: Vec<Vec<u64>>,
    pub(crate) messages: Vec<(usize, u32, u32, u64)>,
    /// The ranks of a node, if messages are in rotated order.
    pub(crate) rotated: Option<u64>,
}

/// Compares the engines with the reference in a case that is made of any bytes.
///
/// # Panics
///
/// If they differ.
pub fn compare_engines_of(input: &[u8]) {
    let case = random_case(&mut ByteGenerator::new(input));
    check(&case).unwrap_or_else(|error| panic!("{error}\n{case:?}"));
}

/// The corpus of the fuzzer.
#[test]
fn every_case_of_the_corpus() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/differential");
    let files: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert!(!files.is_empty());
    files.par_iter().for_each(|file| compare_engines_of(&fs::read(file).unwrap()));
}

fn check_cases(count: u64) {
    let [blocked, overlapped, queued] = check_all(count, numbered_case, check);
    assert!(10 * blocked >= 3 * count, "{blocked} of {count} cases with blocked cycles");
    assert!(10 * overlapped >= count, "{overlapped} of {count} cases with overlapped cycles");
    assert!(10 * queued >= 4 * count, "{queued} of {count} cases with queues");
}

/// Compares every row and sum; returns whether there were blocked cycles, overlapped cycles, and queues (1 or 0).
pub(crate) fn check(case: &SizedCase) -> Result<[u64; 3], String> {
    let expected = run_stages(&case.problem());
    let program = case.program();
    check_transmissions(case, &expected)?;
    for engine in [EngineChoice::Auto, EngineChoice::Sized] {
        let (outcome, records) = case.run(&Request::asynchronous(engine).counting(CountLinkUse::Yes))?;
        compare(&outcome, &records, &expected).map_err(|error| format!("{engine:?}: {error}"))?;
    }
    let rows = || expected.rows.iter().flatten();
    let any = |is: &dyn Fn(&StageRow) -> bool| u64::from(rows().any(is));
    let found_in =
        [any(&|row| row.blocked > 0), any(&|row| row.overlapped > 0), u64::from(expected.longest_queue > 0)];
    if case.communication.message_cost() > Cycles::ZERO {
        return Ok(found_in); // there is no prediction
    }
    let prediction = predicted(&case.problem());
    let found = predict(&program, &case.placement, case.communication).get();
    if found != prediction {
        return Err(format!("{found} cycles predicted, expected {prediction}"));
    }
    check_against_prediction(case, &expected, prediction)?;
    Ok(found_in)
}

/// Compares every transmission, and their count without a run.
pub(crate) fn check_transmissions(case: &SizedCase, expected: &StageOutcome) -> Result<(), String> {
    let (program, machine) = (case.program(), case.placement.machine());
    let mut found = Transmissions::default();
    let request = Request::asynchronous(EngineChoice::Sized);
    simulate(&program, &case.placement, case.communication, &request, &mut found)
        .map_err(|error| error.to_string())?;
    let wires = wires(machine, case.communication);
    let end = |channel: Channel| match &wires {
        Some(wires) => wires.end(channel),
        None => grid(machine).end(channel),
    };
    // The number of a message is its place among those that cross links.
    let messages: BTreeSet<_> =
        expected.transmissions.iter().map(|transmission| transmission.message).collect();
    let number = |message| messages.iter().position(|known| *known == message).unwrap();
    let mut want: Vec<_> = expected
        .transmissions
        .iter()
        .map(|transmission| {
            let ends = [transmission.channel.node, end(transmission.channel)];
            (
                transmission.begin,
                number(transmission.message),
                transmission.packet,
                transmission.message,
                ends,
                transmission.joined,
                transmission.end,
            )
        })
        .collect();
    want.sort_unstable();
    let label = |process: ProcessId| process.label() as usize;
    let row = |transmission: &Transmission| {
        let message =
            (transmission.stage as usize, label(transmission.source), label(transmission.destination));
        let ends = [transmission.from, transmission.to].map(|node| u64::from(node.index()));
        let (begin, number, packet) =
            (transmission.begin.get(), transmission.message as usize, transmission.packet as usize);
        (begin, number, packet, message, ends, transmission.joined.get(), transmission.end.get())
    };
    let rows: Vec<_> = found.0.iter().map(row).collect();
    if let Some(place) = (0..rows.len().max(want.len())).find(|&place| rows.get(place) != want.get(place)) {
        return Err(format!("transmission {:?}, expected {:?}", rows.get(place), want.get(place)));
    }
    let count = transmission_count(&program, &case.placement, case.communication, u64::MAX);
    if count != want.len() as u64 { Err(format!("{count} transmissions are counted")) } else { Ok(()) }
}

#[derive(Default)]
pub(crate) struct Transmissions(pub(crate) Vec<Transmission>);

impl Transmissions {
    /// Checks the number of transmissions, their cycles, and that none begins before it joins.
    pub(crate) fn check(&self, hops: u64, busy: u64) -> Result<(), String> {
        let cycles: u64 =
            self.0.iter().map(|transmission| (transmission.end - transmission.begin).get()).sum();
        if (self.0.len() as u64, cycles) != (hops, busy) {
            return Err(format!("{} transmissions of {cycles} cycles, not {hops} of {busy}", self.0.len()));
        }
        match self.0.iter().find(|transmission| transmission.joined > transmission.begin) {
            Some(transmission) => Err(format!("{transmission:?} begins before it joins")),
            None => Ok(()),
        }
    }
}

impl Observer for Transmissions {
    fn stage_finished(&mut self, _: &StageRecord) {}

    fn wants(&self, detail: Detail) -> bool {
        detail == Detail::Transmissions
    }

    fn details_finished(&mut self, details: DetailList) {
        if let DetailList::Transmissions(transmissions) = details {
            self.0 = transmissions;
        }
    }
}

/// Programs whose messages go between neighbouring nodes, stages of which repeat: no message waits for another, so that
/// the engines go message by message.
#[test]
fn neighbours_exchange_without_contention() {
    let case = |number| neighbour_case(&mut ChaCha12Rng::seed_from_u64(number));
    let [contended, ..] = check_all(600, case, check);
    assert!(contended <= 350, "{contended} of 600 cases with contention");
}

/// One in four has a message between nodes that are not linked, which may be in the way of others.
pub(crate) fn neighbour_case(generator: &mut impl Rng) -> SizedCase {
    let machine = random_grid(generator);
    let mut nodes: Vec<NodeId> = machine.nodes().collect();
    nodes.shuffle(generator);
    let label = |process: usize| u32::try_from(process).unwrap();
    let at = |node: NodeId| label(nodes.iter().position(|&other| other == node).unwrap());
    let mut pairs: BTreeMap<(u32, u32), u64> = BTreeMap::new();
    for (place, &node) in nodes.iter().enumerate() {
        for neighbour in machine.neighbours(node) {
            if generator.random_ratio(1, 3) {
                pairs.insert((label(place), at(neighbour)), generator.random_range(1..=20));
            }
        }
    }
    if pairs.is_empty() || generator.random_ratio(1, 4) {
        pairs.insert((0, label(nodes.len() - 1)), 5);
    }
    let (kinds, stages) = (generator.random_range(1..=2), generator.random_range(1..=12));
    let mut messages = vec![];
    for stage in 0..stages {
        let chosen = pairs.iter().enumerate().filter(|(place, _)| place % kinds == stage % kinds);
        messages
            .extend(chosen.map(|(_, (&(source, destination), &units))| (stage, source, destination, units)));
    }
    // The last stage has a message, so that the program has as many stages.
    if !messages.iter().any(|message| message.0 == stages - 1) {
        let (&(source, destination), &units) = pairs.first_key_value().unwrap();
        messages.push((stages - 1, source, destination, units));
    }
    let computation: Vec<u64> = nodes.iter().map(|_| generator.random_range(0..=9)).collect();
    let communication = rules(generator, &machine).with_eager(0);
    let placement = Placement::Table(PlacementTable::new(&machine, nodes).unwrap());
    SizedCase { placement, communication, computations: vec![computation; stages], messages, rotated: None }
}

/// No run takes less than predicted; with one process a node one without contention takes as long.
fn check_against_prediction(case: &SizedCase, run: &StageOutcome, predicted: u64) -> Result<(), String> {
    let is_contended = if case.communication.eager() == 0 {
        run.rows.iter().flatten().any(|row| row.blocked > 0)
    } else {
        run.longest_queue > 0
    };
    let may_take_longer = is_contended || !case.placement.is_one_to_one();
    if run.makespan == predicted || run.makespan > predicted && may_take_longer {
        return Ok(());
    }
    Err(format!("the reference takes {} cycles instead of the predicted {predicted}", run.makespan))
}

/// Compares every row, the makespan, the busy cycles of all links, and the longest queue.
pub(crate) fn compare(
    outcome: &Outcome,
    records: &[StageRecord],
    expected: &StageOutcome,
) -> Result<(), String> {
    compare_rows(records, expected, expected.rows[0].len())?;
    let traffic = &outcome.traffic;
    let found = (outcome.summary.makespan().get(), traffic.hops, traffic.longest_queue.map(u64::from));
    if found != (expected.makespan, expected.hops, Some(expected.longest_queue)) {
        let want = (expected.makespan, expected.hops, expected.longest_queue);
        return Err(format!("makespan, hops, longest queue {found:?}, expected {want:?}"));
    }
    let busy: u64 = traffic.link_use.iter().flat_map(LinkUse::busy_links).map(|(_, busy)| busy.get()).sum();
    if busy != expected.busy_cycles.values().sum::<u64>() {
        return Err(format!("links are busy for {busy} cycles in all"));
    }
    Ok(())
}

fn compare_rows(records: &[StageRecord], expected: &StageOutcome, processes: usize) -> Result<(), String> {
    if records.len() != processes * expected.rows.len() {
        return Err(format!("{} records", records.len()));
    }
    for record in records {
        let want = expected.rows[record.stage][record.process.label() as usize];
        let found = StageRow {
            ready: record.ready.get(),
            start: record.start.get(),
            finish: record.finish.get(),
            sharing: record.sharing.get(),
            waiting: record.waiting().get(),
            transfer: record.transfer.get(),
            blocked: record.blocked().get(),
            overlapped: record.overlapped.get(),
            overhead: record.overhead.get(),
        };
        if found != want {
            let (stage, process) = (record.stage, record.process);
            return Err(format!("stage {stage} of process {process}: {found:?}, expected {want:?}"));
        }
    }
    Ok(())
}

impl SizedCase {
    pub(crate) fn run(&self, request: &Request) -> Result<(Outcome, Vec<StageRecord>), String> {
        let mut records = vec![];
        let outcome = simulate(&self.program(), &self.placement, self.communication, request, &mut records);
        outcome.map(|outcome| (outcome, records)).map_err(|error| error.to_string())
    }

    pub(crate) fn program(&self) -> StageProgram {
        let cycles = |stage: &Vec<u64>| stage.iter().copied().map(Cycles::new).collect();
        let messages: Vec<StageMessage> = self
            .messages
            .iter()
            .map(|&(stage, source, destination, units)| StageMessage {
                stage,
                source: ProcessId::new(source),
                destination: ProcessId::new(destination),
                units,
            })
            .collect();
        let processes = u32::try_from(self.computations[0].len()).unwrap();
        let first = self.computations[0][0];
        let computations = if self.computations.iter().flatten().all(|&cycles| cycles == first) {
            Computations::Same(Cycles::new(first))
        } else {
            Computations::ByProcess(self.computations.iter().map(cycles).collect())
        };
        let program = StageProgram::new(processes, computations, &messages).unwrap();
        match self.rotated {
            Some(per_node) => program.rotated(Rotation::new(processes, per_node)),
            None => program,
        }
    }

    /// The makespan \[cycles\].
    pub(crate) fn makespan(&self) -> u64 {
        let (outcome, _) = self.run(&Request::asynchronous(EngineChoice::Auto)).unwrap();
        outcome.summary.makespan().get()
    }

    pub(crate) fn problem(&self) -> StageProblem {
        let (machine, rules) = (self.placement.machine(), self.communication);
        let program = self.program();
        let stages = cubefold_simulator::Program::stage_count(&program);
        StageProblem {
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
            processors_per_node: usize::try_from(rules.processors().get()).unwrap(),
            local_cycles: local_cycles(rules),
            eager_units: rules.eager(),
            nodes: node_indices(&self.placement),
            computations: self.computations[..stages].to_vec(),
            messages: self
                .messages
                .iter()
                .map(|&(stage, source, destination, units)| SizedMessage {
                    stage,
                    source: source as usize,
                    destination: destination as usize,
                    units,
                })
                .collect(),
            explicit: None,
            rotated: self.rotated.map(|per_node| Rotated {
                groups: vec![(0..self.computations[0].len()).collect()],
                per_node: usize::try_from(per_node).unwrap(),
            }),
            message_cost: rules.message_cost().get(),
        }
    }
}

pub(crate) fn numbered_case(number: u64) -> SizedCase {
    random_case(&mut ChaCha12Rng::seed_from_u64(number))
}

pub(crate) fn random_case(generator: &mut impl Rng) -> SizedCase {
    let machine = if generator.random_bool(0.2) { network(generator) } else { random_grid(generator) };
    random_case_on(generator, &machine)
}

pub(crate) fn random_case_on(generator: &mut impl Rng, machine: &Machine) -> SizedCase {
    let placement = placement(generator, machine);
    let processes = u32::try_from(placement.process_count()).unwrap();
    let stages = generator.random_range(1..=4_usize);
    let greatest = *[1, 4, 16, 64].choose(generator).unwrap();
    let same_size = generator.random_bool(0.3).then(|| generator.random_range(1..=greatest));
    let mut messages = vec![];
    for stage in 0..stages {
        let mut pairs = std::collections::BTreeSet::new();
        let permutation = generator.random_bool(0.4);
        let count = if permutation { processes } else { generator.random_range(0..=2 * processes) };
        let by = generator.random_range(1..processes);
        for at in 0..count {
            let (source, destination) = if permutation {
                (at, (at + by) % processes)
            } else {
                let source = generator.random_range(0..processes);
                (source, (source + generator.random_range(1..processes)) % processes)
            };
            if pairs.insert((source, destination)) {
                let units = same_size.unwrap_or_else(|| generator.random_range(1..=greatest));
                messages.push((stage, source, destination, units));
            }
        }
    }
    // The last stage has a message, so that the program has as many stages.
    if !messages.iter().any(|message| message.0 == stages - 1) {
        messages.push((stages - 1, 0, processes - 1, 1));
    }
    messages.shuffle(generator);
    let longest = *[0, 0, 3, 40].choose(generator).unwrap();
    let same = generator.random_bool(0.4).then(|| generator.random_range(0..=longest));
    let mut one = || same.unwrap_or_else(|| generator.random_range(0..=longest));
    let computations = (0..stages).map(|_| (0..processes).map(|_| one()).collect()).collect();
    SizedCase { communication: rules(generator, machine), placement, computations, messages, rotated: None }
}

pub(crate) fn rules(generator: &mut impl Rng, machine: &Machine) -> Communication {
    let modes: &[LinkMode] = match machine.graph() {
        None => {
            &[LinkMode::FullDuplex, LinkMode::FullDuplex, LinkMode::HalfDuplex, LinkMode::SingleDirection]
        }
        Some(_) => &[LinkMode::FullDuplex, LinkMode::HalfDuplex],
    };
    let links = *modes.choose(generator).unwrap();
    let service = match links {
        LinkMode::FullDuplex => *ServiceOrder::ALL.choose(generator).unwrap(),
        LinkMode::HalfDuplex | LinkMode::SingleDirection => ServiceOrder::FirstCome,
    };
    let latency = if generator.random() { 0 } else { generator.random_range(0..=7) };
    let local = match generator.random_range(0..3) {
        0 => LocalCost {
            latency: Cycles::new(generator.random_range(0..5)),
            unit: Cycles::new(generator.random_range(0..3)),
        },
        _ => LocalCost::default(),
    };
    let packet = if generator.random() { 0 } else { generator.random_range(1..=16) };
    let eager = *[0, 0, 4, 16, EAGER_ALL].choose(generator).unwrap();
    let hop = Cycles::new(generator.random_range(1..=3));
    Communication::new(links, hop, *TieRule::ALL.choose(generator).unwrap())
        .unwrap()
        .with_latency(Cycles::new(latency))
        .with_switching(*Switching::ALL.choose(generator).unwrap())
        .with_packets(NonZeroU64::new(packet))
        .with_service(service)
        .with_eager(eager)
        .with_local_cost(local)
        .with_processors(NonZeroU64::new(generator.random_range(1..=3)).unwrap())
}

pub(crate) fn random_grid(generator: &mut impl Rng) -> Machine {
    loop {
        let dimensions = generator.random_range(1..=3);
        let shape: Vec<u64> = (0..dimensions).map(|_| generator.random_range(2..=9)).collect();
        if shape.iter().product::<u64>() > 64 {
            continue;
        }
        let wrap = |_: &u64| if generator.random() { Wrap::Around } else { Wrap::Open };
        let wraps: Vec<Wrap> = shape.iter().map(wrap).collect();
        return Machine::with_wraps(MachineKind::Torus, &shape, &wraps).unwrap();
    }
}

/// A random tree with some more links.
pub(crate) fn network(generator: &mut impl Rng) -> Machine {
    if generator.random_bool(0.3) {
        return fabric(generator);
    }
    let count = generator.random_range(2..=20_u32);
    let mut links: Vec<(u32, u32)> = (1..count).map(|node| (generator.random_range(0..node), node)).collect();
    for _ in 0..generator.random_range(0..=count) {
        links.push((generator.random_range(0..count), generator.random_range(0..count)));
    }
    let machine =
        Machine::network(MachineKind::Network, Network::from_edges(count, &links).unwrap()).unwrap();
    let choice =
        if generator.random() { RouteChoice::Spread(generator.random()) } else { RouteChoice::Lowest };
    machine.with_route_choice(choice)
}

/// Hosts on switches with parallel links between them; messages go through switches only, or through hosts, too.
fn fabric(generator: &mut impl Rng) -> Machine {
    let (hosts, switches) = (generator.random_range(2..=8_u32), generator.random_range(1..=5_u32));
    let mut links: Vec<(u32, u32)> =
        (0..hosts).map(|host| (host, hosts + generator.random_range(0..switches))).collect();
    for switch in 1..switches {
        let below = generator.random_range(0..switch);
        links.extend((0..generator.random_range(1..=3)).map(|_| (hosts + below, hosts + switch)));
    }
    for _ in 0..generator.random_range(0..=hosts) {
        links.push((generator.random_range(0..hosts), generator.random_range(0..hosts + switches)));
    }
    let network = Network::from_parallel_edges(hosts + switches, &links).unwrap();
    let network = network.with_hosts(hosts).with_hosts_forwarding(generator.random());
    let choice =
        if generator.random() { RouteChoice::Spread(generator.random()) } else { RouteChoice::Lowest };
    Machine::network(MachineKind::Network, network).unwrap().with_route_choice(choice)
}

/// Processes on nodes of their own, or several on one.
pub(crate) fn placement(generator: &mut impl Rng, machine: &Machine) -> Placement {
    let hosts: Vec<NodeId> = machine.hosts().collect();
    let places: Vec<NodeId> = if generator.random_bool(0.6) {
        let mut all = hosts;
        all.shuffle(generator);
        all.truncate(generator.random_range(2..=all.len()));
        all
    } else {
        let count = u32::try_from(hosts.len()).unwrap();
        (0..generator.random_range(2..=12))
            .map(|_| hosts[generator.random_range(0..count) as usize])
            .collect()
    };
    Placement::Table(PlacementTable::new(machine, places).unwrap())
}
