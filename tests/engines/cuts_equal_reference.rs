//! The cut bound: it equals the reference on random programs and machines, with links alike and of different speed, and
//! no run is below it.

use std::collections::BTreeSet;

use cubefold_mapping::Placement;
use cubefold_reference::cuts::{CutProblem, computations, cut, intervals, single_nodes, with_what_is_below};
use cubefold_simulator::{
    Communication, CutSet, EngineChoice, Program, Request, computation_bound, program_cut_bound, simulate,
};
use cubefold_topology::{
    Cluster, ClusterInside, ClusterOutside, ClusterUplinks, GraphSource, HostNics, LinkMode, LinkTime,
    Machine, NetworkParameters,
};
use rand::{Rng, RngExt, SeedableRng, seq::IndexedRandom};
use rand_chacha::ChaCha12Rng;

use crate::jobs_equal_reference::JobCase;
use crate::random_problem::{grid, node_indices, speeds, sum_of_cases};
use crate::sized_equal_reference::random_case_on;
use crate::speeds_equal_reference::{choice, machine, on_links_of, time};

#[test]
fn a_share_of_the_cases() {
    check_cases(400);
}

#[test]
#[ignore = "a minute: 10 000 cases"]
fn all_cases() {
    check_cases(10_000);
}

fn check_cases(count: u64) {
    let check = |number: u64| if number % 4 == 3 { check_job(number) } else { check_stages(number) };
    let [nodes, dimensions, parts, met] = sum_of_cases(count, check);
    assert!(10 * nodes >= count, "{nodes} of {count} with a node");
    assert!(10 * dimensions >= count, "{dimensions} of {count} with an interval");
    assert!(50 * parts >= count, "{parts} of {count} with a part");
    assert!(100 * met >= count, "{met} of {count} take as long as their bound");
}

fn check_stages(number: u64) -> [u64; 4] {
    let generator = &mut ChaCha12Rng::seed_from_u64(number);
    let machine = if generator.random_bool(0.2) { cluster(generator) } else { machine(generator) };
    let mut case = random_case_on(generator, &machine);
    case.communication = on_links_of(&machine, case.communication);
    let program = case.program();
    let bound = computation_bound(&program, &case.placement, case.communication);
    let stages = &case.computations[..program.stage_count()];
    let processors = case.communication.processors().get();
    let expected = computations(&node_indices(&case.placement), stages, processors);
    assert_eq!(bound, Some(expected), "case {number}");
    check(number, &program, &case.placement, case.communication)
}

fn check_job(number: u64) -> [u64; 4] {
    let case = JobCase::random(number);
    check(number, &case.job(), &case.placement, case.communication)
}

/// Compares the bounds with the reference and a run: 1 for a node, an interval, a part, and a run that takes as long.
fn check(number: u64, program: &dyn Program, placement: &Placement, rules: Communication) -> [u64; 4] {
    let request = Request::asynchronous(EngineChoice::Auto);
    let outcome = simulate(program, placement, rules, &request, &mut ()).unwrap();
    let makespan = outcome.summary.makespan().get();
    let problem = problem(program, placement, rules);
    let found = program_cut_bound(program, placement, rules, outcome.traffic.messages);
    let sets = sets(placement.machine(), &problem);
    // The first of the largest.
    let largest =
        sets.iter().map(|(set, nodes)| (cut(&problem, nodes), set)).rev().max_by_key(|(cycles, _)| *cycles);
    let (cycles, set) = largest.unwrap();
    assert_eq!(found.map_or(0, |cut| cut.cycles), cycles, "case {number}: {set:?}, found {found:?}");
    let computing = computation_bound(program, placement, rules).unwrap();
    assert!(cycles.max(computing) <= makespan, "case {number}: {cycles}, {computing}, {makespan}");
    let Some(found) = found else { return [0; 4] };
    if let Some(set) = set {
        assert_eq!(found.set.to_string(), *set, "case {number}");
    }
    let is = |is: bool| u64::from(is);
    [
        is(matches!(found.set, CutSet::Node(_))),
        is(matches!(found.set, CutSet::Interval { .. })),
        is(matches!(found.set, CutSet::Part { .. })),
        is(cycles.max(computing) == makespan),
    ]
}

fn problem(program: &dyn Program, placement: &Placement, rules: Communication) -> CutProblem {
    let machine = placement.machine();
    let (times, alike) = (speeds(machine), (rules.hop().get(), rules.latency().get()));
    let number = |node: cubefold_topology::NodeId| u64::from(node.index());
    let mut links = vec![];
    for node in machine.nodes() {
        let ends = machine.directions().filter_map(|direction| machine.neighbour(node, direction));
        for other in ends.filter(|&other| node < other) {
            let pair = (number(node), number(other));
            links.push((pair.0, pair.1, times.get(&pair).copied().unwrap_or(alike)));
        }
    }
    let node = |process| number(placement.node(process));
    let messages = (0..program.stage_count()).flat_map(|stage| program.messages(stage));
    let messages =
        messages.map(|message| (node(message.source), node(message.destination), message.units)).collect();
    CutProblem { links, is_half_duplex: rules.links() == LinkMode::HalfDuplex, messages }
}

/// The sets that are tried, in order, with their names; parts have none here.
fn sets(machine: &Machine, problem: &CutProblem) -> Vec<(Option<String>, BTreeSet<u64>)> {
    let nodes = single_nodes(machine.node_count()).into_iter();
    let mut sets: Vec<_> = nodes.zip(0..).map(|(set, node)| (Some(format!("node {node}")), set)).collect();
    let is_twisted = matches!(machine.source(), Some(GraphSource::Twists(_)));
    if let Some(coordinates) = machine.coordinate_grid().filter(|_| !is_twisted) {
        sets.extend(intervals(&grid(coordinates)).into_iter().map(|([dimension, first, last], set)| {
            (Some(format!("dimension {dimension}, coordinates {first} to {last}")), set)
        }));
    }
    if let Some(GraphSource::Parameters(parameters)) = machine.source() {
        let hosts = machine.host_count();
        let below = |set: &BTreeSet<u64>| (None, with_what_is_below(problem, set, hosts));
        sets.extend(host_sets(parameters, hosts).iter().map(below));
        if let NetworkParameters::Cluster(cluster) = parameters {
            // A leaf, even of a single node, is above the node.
            let devices = cluster.devices_per_node;
            let nodes = (0..cluster.nodes).map(|node| (node * devices..(node + 1) * devices).collect());
            let within = |set: BTreeSet<u64>| with_what_is_below(problem, &set, hosts);
            let first_leaf = first_leaf(cluster);
            let cut = |set: BTreeSet<u64>| set.into_iter().filter(|&vertex| vertex < first_leaf).collect();
            sets.extend(nodes.map(within).map(|set| (None, cut(set))));
        }
    }
    sets
}

/// The hosts of every part of a machine with switches.
fn host_sets(parameters: &NetworkParameters, hosts: u64) -> Vec<BTreeSet<u64>> {
    let blocks = |size: u64| -> Vec<BTreeSet<u64>> {
        (0..hosts.div_ceil(size))
            .map(|block| (block * size..((block + 1) * size).min(hosts)).collect())
            .collect()
    };
    match parameters {
        // Neighbouring switches have the same hosts.
        NetworkParameters::LeafSpine { hosts_per_switch, nics: HostNics::Neighbours(_), .. } => {
            blocks(*hosts_per_switch)
        }
        NetworkParameters::Dragonfly {
            hosts_per_switch,
            switches_per_group,
            nics: HostNics::Neighbours(nics),
            ..
        } => [blocks(*hosts_per_switch), blocks(hosts_per_switch * switches_per_group / nics)].concat(),
        NetworkParameters::FullMesh { .. } => vec![],
        NetworkParameters::HyperX { hosts_per_switch, .. }
        | NetworkParameters::LeafSpine { hosts_per_switch, .. } => blocks(*hosts_per_switch),
        NetworkParameters::Dragonfly { hosts_per_switch, switches_per_group, .. } => {
            [blocks(*hosts_per_switch), blocks(hosts_per_switch * switches_per_group)].concat()
        }
        NetworkParameters::KAryTree { arity, levels, .. } => {
            (1..u32::try_from(*levels).unwrap()).flat_map(|level| blocks(arity.pow(level))).collect()
        }
        NetworkParameters::Cluster(cluster) => {
            let mut sets = vec![];
            let outside = cluster.outside.unwrap();
            let rails = if outside.has_rails { outside.nics_per_node } else { 1 };
            let (devices, nics) = (cluster.devices_per_node, outside.nics_per_node);
            let nic = |host: u64| host / devices * nics + host % devices * nics / devices;
            let rail = |host: u64| if rails > 1 { nic(host) % nics } else { 0 };
            if rails > 1 {
                sets.extend(blocks(devices * outside.nodes_per_leaf));
            }
            for leaf in blocks(cluster.devices_per_node * outside.nodes_per_leaf) {
                sets.extend(
                    (0..rails)
                        .map(|number| leaf.iter().copied().filter(|&host| rail(host) == number).collect()),
                );
            }
            sets.extend((0..rails).map(|number| (0..hosts).filter(|&host| rail(host) == number).collect()));
            sets
        }
    }
}

/// The number of the first leaf, after devices, inside switches and NICs.
fn first_leaf(cluster: &Cluster) -> u64 {
    let planes = match cluster.inside {
        ClusterInside::Switch { planes } => planes,
        _ => 0,
    };
    let nics = cluster.outside.map_or(0, |outside| outside.nics_per_node);
    let nics = if nics < cluster.devices_per_node { nics } else { 0 };
    cluster.nodes * (cluster.devices_per_node + planes + nics)
}

fn cluster(generator: &mut impl Rng) -> Machine {
    let devices_per_node = *[2, 4].choose(generator).unwrap();
    let cluster = Cluster {
        nodes: generator.random_range(2..=4),
        devices_per_node,
        inside: *[
            ClusterInside::Switch { planes: 1 },
            ClusterInside::Switch { planes: 2 },
            ClusterInside::FullMesh,
            ClusterInside::Ring,
        ]
        .choose(generator)
        .unwrap(),
        outside: Some(ClusterOutside {
            nics_per_node: generator.random_range(1..=2 * devices_per_node),
            nodes_per_leaf: generator.random_range(1..=2),
            has_rails: generator.random(),
            spines: generator.random_range(1..=2),
            uplinks: if generator.random_bool(0.3) {
                ClusterUplinks::Full
            } else {
                ClusterUplinks::Each(generator.random_range(1..=2))
            },
        }),
        hosts_forward: generator.random(),
    };
    let machine = Machine::of_parameters(&NetworkParameters::Cluster(cluster)).unwrap();
    let times: Vec<LinkTime> = (0..machine.link_class_count()).map(|_| time(generator)).collect();
    machine.with_link_times(&times).with_route_choice(choice(generator))
}
