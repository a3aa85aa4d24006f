//! The evaluator: its makespans are those of `simulate`, after any earlier evaluations, and its cut is exact.

use std::{collections::BTreeSet, sync::Arc};

use cubefold_mapping::{Hypercube, Placement, PlacementTable, ProcessId};
use cubefold_simulator::{
    Communication, Computations, CubeProgram, Cycles, End, EngineChoice, Evaluator, Facts, MessageRoutes,
    Peer, Program, Request, SimulationError, StageMessage, StageProgram, Switching, TaskGraph, predict,
    simulate, task_schedule,
};
use cubefold_topology::{LinkMode, LinkTime, Machine, MachineKind, Network, NodeId, TieRule};
use rand::{Rng, RngExt, SeedableRng, seq::IndexedRandom, seq::SliceRandom};
use rand_chacha::ChaCha12Rng;
use rayon::prelude::*;

use crate::{
    sized_equal_reference::{SizedCase, numbered_case},
    speeds_equal_reference::{on_links_of, time},
};

const CASES: u64 = 1_500;

/// Programs with sizes and of units, on grids and networks, with links of one speed and of several, under all rules.
#[test]
fn makespans_of_stage_programs_are_those_of_simulate() {
    (0..CASES).into_par_iter().for_each(|number| {
        let mut generator = ChaCha12Rng::seed_from_u64(number);
        let case = match generator.random_range(0..3) {
            0 => unit_case(number),
            1 => with_speeds(numbered_case(number), &mut generator),
            _ => numbered_case(number),
        };
        let program = case.program();
        let (machine, rules) = (case.placement.machine(), case.communication);
        let mut evaluator = Evaluator::new(&program, machine, rules).unwrap();
        for round in 0..6 {
            let placement = if round == 0 { case.placement.clone() } else { moved(&case, &mut generator) };
            let floor = evaluator.floor(&placement.nodes()).unwrap();
            let predicted = predict(&program, &placement, rules).get();
            assert_eq!(floor.get(), predicted, "case {number}, round {round}");
            let expected = makespan(&program, &placement, rules);
            check(&mut evaluator, &placement, expected, &mut generator);
        }
    });
}

#[test]
fn makespans_of_task_graphs_are_those_of_simulate() {
    (0..CASES / 4).into_par_iter().for_each(|number| {
        let mut generator = ChaCha12Rng::seed_from_u64(number);
        let case = numbered_case(number);
        let graph = TaskGraph::new(Arc::new(task_schedule(&case.program()).unwrap()), Cycles::ZERO);
        let (machine, rules) = (case.placement.machine(), case.communication);
        let mut evaluator = Evaluator::new(&graph, machine, rules).unwrap();
        for _ in 0..3 {
            let placement = moved(&case, &mut generator);
            check(&mut evaluator, &placement, makespan(&graph, &placement, rules), &mut generator);
        }
    });
}

/// On a machine of many nodes, the routes of a hundred placements are not all kept.
#[test]
fn routes_that_were_forgotten_are_listed_again() {
    let torus = Machine::new(MachineKind::Torus, &[128, 128]).unwrap();
    let cube = Hypercube::new(6).unwrap();
    let program = CubeProgram::new(cube, CubeProgram::ascend(cube), Cycles::ZERO).unwrap();
    let rules = Communication::new(LinkMode::FullDuplex, Cycles::new(1), TieRule::Direct).unwrap();
    let mut generator = ChaCha12Rng::seed_from_u64(0);
    let mut evaluator = Evaluator::new(&program, &torus, rules).unwrap();
    for _ in 0..100 {
        let mut nodes: Vec<NodeId> = torus.nodes().collect();
        let (nodes, _) = nodes.partial_shuffle(&mut generator, 64);
        let placement = Placement::Table(PlacementTable::new(&torus, nodes.to_vec()).unwrap());
        let expected = makespan(&program, &placement, rules);
        assert_eq!(evaluator.makespan(nodes, None), Ok(Some(expected)));
    }
}

/// Messages of a stage of three processes, as sources list them and as destinations do.
#[derive(Debug)]
struct Listed {
    sent: &'static [(u32, u32)],
    received: &'static [(u32, u32)],
}

impl Program for Listed {
    fn facts(&self) -> Facts {
        Facts::new(3, 1, Cycles::ZERO)
    }

    fn max_units(&self, _: usize) -> u64 {
        1
    }

    fn computation(&self, _: usize, _: ProcessId) -> Cycles {
        Cycles::ZERO
    }

    fn list(&self, end: End, _: usize, process: ProcessId, peers: &mut Vec<Peer>) {
        let peer = |label| Peer { process: ProcessId::new(label), units: 1 };
        let label = process.label();
        match end {
            End::Source => {
                peers.extend(
                    self.sent.iter().filter(|message| message.0 == label).map(|message| peer(message.1)),
                );
            }
            End::Destination => {
                peers.extend(
                    self.received.iter().filter(|message| message.1 == label).map(|message| peer(message.0)),
                );
            }
        }
    }
}

#[test]
fn a_program_waits_for_ever_for_a_message_that_no_source_lists_or_that_has_no_route() {
    let rules = Communication::new(LinkMode::FullDuplex, Cycles::new(1), TieRule::Direct).unwrap();
    let nodes: Vec<NodeId> = (0..3).map(NodeId::new).collect();
    let line = Machine::new(MachineKind::Line, &[3]).unwrap();
    let same = Listed { sent: &[(0, 1)], received: &[(0, 1)] };
    let mut evaluator = Evaluator::new(&same, &line, rules).unwrap();
    assert_eq!(evaluator.makespan(&nodes, None), Ok(Some(Cycles::new(1))));

    let other = Listed { sent: &[(0, 1)], received: &[(2, 1)] };
    let mut evaluator = Evaluator::new(&other, &line, rules).unwrap();
    let unfinished = SimulationError::Unfinished { process: ProcessId::new(1) };
    assert_eq!(evaluator.makespan(&nodes, None), Err(unfinished));

    let parts = Network::from_edges(4, &[(0, 2), (1, 3)]).unwrap();
    let parts = Machine::network(MachineKind::Network, parts).unwrap();
    let mut evaluator = Evaluator::new(&same, &parts, rules).unwrap();
    assert_eq!(
        evaluator.makespan(&nodes, None),
        Err(SimulationError::Unfinished { process: ProcessId::new(1) })
    );
}

/// Exact makespans do not show where a run ends: less work does. On a line contention holds most stages back beyond the
/// floor, so that their messages never set out.
#[test]
fn a_run_is_cut_off_when_its_clock_reaches_the_limit() {
    let line = Machine::new(MachineKind::Line, &[64]).unwrap();
    let cube = Hypercube::new(6).unwrap();
    let program = CubeProgram::new(cube, CubeProgram::ascend(cube), Cycles::ZERO).unwrap();
    let rules = Communication::new(LinkMode::HalfDuplex, Cycles::new(1), TieRule::Direct).unwrap();
    let mut nodes: Vec<NodeId> = line.nodes().collect();
    nodes.shuffle(&mut ChaCha12Rng::seed_from_u64(0));
    let mut evaluator = Evaluator::new(&program, &line, rules).unwrap();
    let floor = evaluator.floor(&nodes).unwrap();
    let mut work_below = |limit: Option<Cycles>| {
        let before = evaluator.work();
        let makespan = evaluator.makespan(&nodes, limit).unwrap();
        (makespan, evaluator.work() - before)
    };
    let limit = Cycles::new(floor.get() + 1);
    let (makespan, whole) = work_below(None);
    assert!(makespan.unwrap() > limit, "contention keeps the run above its floor");
    // With a limit the floor is computed first.
    let (above, floor_and_whole) = work_below(makespan.map(|makespan| Cycles::new(makespan.get() + 1)));
    let (cut, floor_and_part) = work_below(Some(limit));
    assert_eq!((above, cut), (makespan, None));
    assert!(
        whole < floor_and_whole && floor_and_part < floor_and_whole,
        "{floor_and_part} {floor_and_whole}"
    );
}

/// Two messages of 100 units want one channel in cycle 0. The second departs in cycle 100, which is known at once: neither
/// sets out on its second link.
#[test]
fn a_run_is_cut_off_when_a_message_departs_too_late() {
    let line = Machine::new(MachineKind::Line, &[4]).unwrap();
    let message = |destination| StageMessage {
        stage: 0,
        source: ProcessId::new(0),
        destination: ProcessId::new(destination),
        units: 100,
    };
    let program = StageProgram::new(4, Computations::Same(Cycles::ZERO), &[message(2), message(3)]).unwrap();
    let rules = Communication::new(LinkMode::FullDuplex, Cycles::new(1), TieRule::Direct).unwrap();
    let nodes: Vec<NodeId> = line.nodes().collect();
    let mut evaluator = Evaluator::new(&program, &line, rules).unwrap();
    assert_eq!(evaluator.makespan(&nodes, None), Ok(Some(Cycles::new(400))));
    let before = evaluator.work();
    assert_eq!(evaluator.makespan(&nodes, Some(Cycles::new(400))), Ok(None));
    // Two messages in the floor, two that set out, and a link of each.
    assert_eq!(evaluator.work() - before, 6);
}

/// A message by a node drawn at random may take its dimensions in another order than the machine does, and be faster where
/// links differ: a run below a limit is not refused by the time of the machine's route.
#[test]
fn no_run_over_drawn_routes_is_refused_below_its_limit() {
    let machine = Machine::new(MachineKind::Mesh, &[2, 2, 2]).unwrap();
    let times = [10, 1, 10].map(|unit| LinkTime { unit, latency: 0 });
    let machine = machine.with_link_times(&times);
    let message =
        StageMessage { stage: 0, source: ProcessId::new(0), destination: ProcessId::new(7), units: 100 };
    let program = StageProgram::new(8, Computations::Same(Cycles::ZERO), &[message]).unwrap();
    let nodes: Vec<NodeId> = machine.nodes().collect();
    let placement = Placement::Table(PlacementTable::new(&machine, nodes.clone()).unwrap());
    let mut found = BTreeSet::new();
    for seed in 0..20 {
        let rules = Communication::new(LinkMode::FullDuplex, Cycles::new(1), TieRule::Direct)
            .unwrap()
            .with_longest(&times)
            .with_switching(Switching::CutThrough)
            .with_routes(MessageRoutes::Valiant { seed });
        let expected = makespan(&program, &placement, rules);
        let mut evaluator = Evaluator::new(&program, &machine, rules).unwrap();
        assert!(evaluator.floor(&nodes).unwrap() <= expected, "{seed}");
        check(&mut evaluator, &placement, expected, &mut ChaCha12Rng::seed_from_u64(seed));
        found.insert(expected.get());
    }
    assert!(found.len() > 1, "{found:?}");
}

fn makespan(program: &dyn Program, placement: &Placement, rules: Communication) -> Cycles {
    let request = Request::asynchronous(EngineChoice::Auto);
    let outcome = simulate(program, placement, rules, &request, &mut ()).unwrap();
    Cycles::new(outcome.summary.makespan().get())
}

/// Evaluates a placement without a limit, at the limits around its makespan, and at another limit, in any order.
fn check(
    evaluator: &mut Evaluator<'_>,
    placement: &Placement,
    expected: Cycles,
    generator: &mut ChaCha12Rng,
) {
    let nodes = placement.nodes();
    let other = generator.random_range(0..=2 * expected.get());
    let limits = [Some(expected.get()), Some(expected.get() + 1), Some(other), None];
    let mut limits = limits.map(|limit| limit.map(Cycles::new));
    limits.shuffle(generator);
    for limit in limits {
        let found = evaluator.makespan(&nodes, limit).unwrap();
        let is_below = limit.is_none_or(|limit| expected < limit);
        assert_eq!(found, is_below.then_some(expected), "{limit:?} {placement:?}");
    }
}

/// A case whose messages have one unit under the rules of section 5.
fn unit_case(number: u64) -> SizedCase {
    let case = numbered_case(number);
    let rules = case.communication;
    let plain = Communication::new(rules.links(), rules.hop(), rules.tie()).unwrap();
    let messages = case.messages.iter().map(|&(stage, from, to, _)| (stage, from, to, 1)).collect();
    SizedCase { communication: plain, messages, ..case }
}

/// A case on links of different speed.
fn with_speeds(case: SizedCase, generator: &mut impl Rng) -> SizedCase {
    let machine = case.placement.machine();
    let times: Vec<LinkTime> = (0..machine.link_class_count()).map(|_| time(generator)).collect();
    let machine = machine.clone().with_link_times(&times);
    let communication = on_links_of(&machine, case.communication);
    let placement = Placement::Table(PlacementTable::new(&machine, case.placement.nodes()).unwrap());
    SizedCase { placement, communication, ..case }
}

/// The processes of a case on other nodes: each on one of its own, or several on one.
fn moved(case: &SizedCase, generator: &mut impl Rng) -> Placement {
    let machine: &Machine = case.placement.machine();
    let count = usize::try_from(case.placement.process_count()).unwrap();
    let mut nodes: Vec<NodeId> = machine.hosts().collect();
    nodes.shuffle(generator);
    if nodes.len() < count || generator.random() {
        nodes = (0..count).map(|_| *nodes.choose(generator).unwrap()).collect();
    }
    nodes.truncate(count);
    Placement::Table(PlacementTable::new(machine, nodes).unwrap())
}
