//! Bounds of makespans with worked values.

use cubefold_mapping::{Placement, PlacementTable};
use cubefold_simulator::{
    Computations, Cycles, EngineChoice, Program, Request, RouterSettings, StageMessage, StageProgram,
    simulate,
};
use cubefold_topology::{Machine, MachineKind, Network, NetworkParameters, NodeId, TieRule};

use super::*;
use crate::tests::problem_of;

/// Messages of five units, by stage, source and destination.
fn program(processes: u32, messages: &[(usize, u32, u32)]) -> StageProgram {
    let messages: Vec<StageMessage> = messages
        .iter()
        .map(|&(stage, source, destination)| {
            let [source, destination] = [source, destination].map(ProcessId::new);
            StageMessage { stage, source, destination, units: 5 }
        })
        .collect();
    StageProgram::new(processes, Computations::Same(Cycles::ZERO), &messages).unwrap()
}

/// A unit crosses a link in a cycle.
fn rules(links: LinkMode) -> Communication {
    Communication::new(links, Cycles::new(1), TieRule::Direct).unwrap()
}

/// The bound of the makespan, with one process on each of the hosts.
fn bound_of(program: &StageProgram, machine: &Machine, rules: Communication) -> u128 {
    bound_by(Objective::Makespan, program, machine, rules, 1)
}

fn bound_by(
    objective: Objective,
    program: &StageProgram,
    machine: &Machine,
    rules: Communication,
    per_site: usize,
) -> u128 {
    let sites: Vec<NodeId> = machine.hosts().collect();
    let problem = problem_of(program, machine, rules, &sites, per_site);
    let (traffic, distances) = (Traffic::new(program, problem.ranks), Distances::new(machine, &sites));
    let known = Known { problem, traffic: &traffic, distances: &distances, routes: None };
    bound(&known, objective, Depth { steps: 0, known: 0 }).value
}

#[test]
fn ranks_that_fit_on_a_site_have_no_least_distance() {
    let machine = Machine::new(MachineKind::Ring, &[4]).unwrap();
    let dilation = |messages: &[(usize, u32, u32)], per_site| {
        let program = program(4, messages);
        bound_by(Objective::Dilation, &program, &machine, rules(LinkMode::FullDuplex), per_site)
    };
    let (pairs, chain) = ([(0, 0, 1), (0, 2, 3)], [(0, 0, 1), (0, 1, 2), (0, 2, 3)]);
    assert_eq!([1, 2, 3, 4].map(|per_site| dilation(&pairs, per_site)), [1, 0, 0, 0]);
    assert_eq!([1, 2, 3, 4].map(|per_site| dilation(&chain, per_site)), [1, 1, 1, 0]);
}

/// The makespan with the processes on the first hosts.
fn makespan(program: &StageProgram, machine: &Machine, rules: Communication) -> u128 {
    let nodes = machine.hosts().take(usize::try_from(program.process_count()).unwrap()).collect();
    let placement = Placement::Table(PlacementTable::new(machine, nodes).unwrap());
    let request = Request::asynchronous(EngineChoice::Auto);
    let run = simulate(program, &placement, rules, &request, &mut ()).unwrap();
    run.summary.makespan().get().into()
}

/// A ring on a tree of eight hosts crosses its root in every stage, and at most one partner of a process is on the same
/// switch.
#[test]
fn what_does_not_fit_behind_one_switch_is_apart() {
    let machine = Machine::of_parameters(&NetworkParameters::k_ary_tree(2, 3)).unwrap();
    let bound = |partner: &dyn Fn(usize, u32) -> u32| {
        let messages: Vec<(usize, u32, u32)> = (0..3)
            .flat_map(|stage| (0..8).map(move |process| (stage, process)))
            .map(|(stage, process)| (stage, process, partner(stage, process)))
            .collect();
        bound_of(&program(8, &messages), &machine, rules(LinkMode::FullDuplex))
    };
    // Messages of five units take 10 cycles over two links, 20 over four, 30 over six.
    assert_eq!(bound(&|_, process| (process + 1) % 8), 90);
    assert_eq!(bound(&|stage, process| process ^ 1 << stage), 50);
}

/// The two messages of an exchange take one each of two half-duplex links between the same nodes.
#[test]
fn the_messages_of_an_exchange_may_take_two_parallel_links() {
    let exchange = program(2, &[(0, 0, 1), (0, 1, 0)]);
    let rules = rules(LinkMode::HalfDuplex);
    let with_links = |links: &[(u32, u32)]| {
        let network = Network::from_parallel_edges(2, links).unwrap();
        let machine = Machine::network(MachineKind::Network, network).unwrap();
        (bound_of(&exchange, &machine, rules), makespan(&exchange, &machine, rules))
    };
    assert_eq!(with_links(&[(0, 1)]), (10, 10));
    assert_eq!(with_links(&[(0, 1), (0, 1)]), (5, 5));
}

/// Links of hosts may be faster than those between routers.
#[test]
fn hosts_of_one_switch_are_as_near_as_their_own_links() {
    let machine = Machine::of_parameters(&NetworkParameters::k_ary_tree(2, 2)).unwrap();
    let settings = RouterSettings { terminal_latency: 0, ..RouterSettings::default_of(&machine, 0) };
    let rules = rules(LinkMode::FullDuplex).with_latency(Cycles::new(90)).with_routers(settings, &machine);
    let (one, rules) = (program(2, &[(0, 0, 1)]), rules.unwrap());
    let (bound, makespan) = (bound_of(&one, &machine, rules), makespan(&one, &machine, rules));
    assert!(0 < bound && bound <= makespan && makespan < 90, "{bound} {makespan}");
}
