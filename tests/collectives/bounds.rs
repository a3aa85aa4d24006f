//! No run is below its bounds: random groups and sequences on random machines and placements, with equal and unequal
//! links.

use std::num::NonZeroU64;

use cubefold_collectives::{
    Algorithm, Collective, CollectiveSpecification, Groups, LinkCosts, Operation, Step,
};
use cubefold_mapping::{Placement, PlacementTable};
use cubefold_simulator::{EngineChoice, Request, computation_bound, program_cut_bound, simulate};
use cubefold_topology::{
    Cluster, ClusterInside, ClusterOutside, LinkTime, Machine, MachineKind, NetworkParameters, NodeId, Shape,
};
use rand::{Rng, RngExt, SeedableRng, seq::IndexedRandom};
use rand_chacha::ChaCha12Rng;
use rayon::prelude::*;

use crate::chains::{rules, step};

fn machine(generator: &mut impl Rng) -> Machine {
    let parameters = |parameters| Machine::of_parameters(&parameters).unwrap();
    let machine = match generator.random_range(0..8) {
        0 => Machine::new(MachineKind::Torus, &[4, 3]).unwrap(),
        1 => Machine::new(MachineKind::Mesh, &[2, 5]).unwrap(),
        2 => Machine::new(MachineKind::Torus, &[4, 4])
            .unwrap()
            .with_failures(&[(NodeId::new(0), NodeId::new(1)), (NodeId::new(5), NodeId::new(9))], &[])
            .unwrap(),
        3 => parameters(NetworkParameters::leaf_spine(3, 2, 2)),
        4 => parameters(NetworkParameters::k_ary_tree(2, 3)),
        5 => parameters(NetworkParameters::dragonfly(1, 2, 1)),
        6 => parameters(NetworkParameters::HyperX { shape: vec![3, 2], hosts_per_switch: 2 }),
        _ => parameters(NetworkParameters::Cluster(Cluster {
            nodes: *[1, 3].choose(generator).unwrap(),
            devices_per_node: 4,
            inside: *[ClusterInside::Switch { planes: 1 }, ClusterInside::FullMesh, ClusterInside::Ring]
                .choose(generator)
                .unwrap(),
            outside: Some(ClusterOutside {
                nics_per_node: *[2, 4].choose(generator).unwrap(),
                nodes_per_leaf: 2,
                has_rails: generator.random(),
                spines: 2,
                uplinks: cubefold_topology::ClusterUplinks::Each(2),
            }),
            hosts_forward: generator.random(),
        })),
    };
    if generator.random() {
        return machine;
    }
    let time = |generator: &mut _| LinkTime {
        unit: *[1, 2, 5, 18].choose(generator).unwrap(),
        latency: *[0, 1, 4, 40].choose(generator).unwrap(),
    };
    let times: Vec<LinkTime> = (0..machine.link_class_count()).map(|_| time(generator)).collect();
    machine.with_link_times(&times)
}

/// Runs a random sequence; whether its cut bound is its largest.
fn check_case(number: u64) -> bool {
    let generator = &mut ChaCha12Rng::seed_from_u64(number);
    let machine = machine(generator);
    let lengths: &[u64] = [&[6][..], &[2, 4], &[3, 3], &[2, 2, 2], &[5, 2]].choose(generator).unwrap();
    let shape = Shape::new(lengths).unwrap();
    let wanted = generator.random_range(1..=3);
    let mut steps: Vec<Step> =
        std::iter::repeat_with(|| step(generator, &shape)).flatten().take(wanted).collect();
    if steps.iter().all(|step| step.groups().is_none()) {
        let ring = CollectiveSpecification::new(Operation::AllReduce, Algorithm::Ring, shape.clone(), 30);
        steps.push(Groups::one(ring).unwrap().into());
    }
    let hosts: Vec<NodeId> = machine.hosts().collect();
    let nodes: Vec<NodeId> = (0..shape.node_count()).map(|_| *hosts.choose(generator).unwrap()).collect();
    let collective = Collective::of_steps(steps).unwrap();
    let rules = rules(generator).with_processors(NonZeroU64::new(64).unwrap());
    let rules = machine.link_times().map_or(rules, |times| rules.with_longest(times));
    let placement = Placement::Table(
        PlacementTable::new(&machine, nodes.repeat(collective.share_count() as usize)).unwrap(),
    );
    let request = Request::asynchronous(EngineChoice::Auto);
    let makespan =
        simulate(&collective, &placement, rules, &request, &mut ()).unwrap().summary.makespan().get();
    let costs = LinkCosts {
        link_mode: rules.links(),
        hop_cycles: rules.hop().get(),
        latency_cycles: rules.latency().get(),
        message_cost: 0,
        switches_reduce: false,
    };
    let bounds = collective.bounds(&machine, &nodes, costs);
    assert!(bounds.lower_bound_cycles() <= makespan, "case {number}: {makespan} {bounds:?} {collective:?}");
    assert!(bounds.cut_cycles() >= if has_node_bound(&bounds) { bounds.bandwidth_cycles } else { 0 });
    // The messages of the algorithm need at least what any algorithm needs.
    let own = program_cut_bound(&collective, &placement, rules, u64::MAX).map_or(0, |cut| cut.cycles);
    assert!(bounds.cut_cycles() <= own && own <= makespan, "case {number}: {own} {makespan} {bounds:?}");
    assert!(computation_bound(&collective, &placement, rules).unwrap() <= makespan);
    bounds.cut_cycles() == bounds.lower_bound_cycles()
}

/// An all-reduce of 80 units in a node of 4 devices whose switch takes a cycle a unit, NICs four.
#[test]
fn the_bound_of_a_node_alone_does_not_count_its_nics() {
    let cluster = |outside| {
        let cluster = Cluster {
            nodes: 1,
            devices_per_node: 4,
            inside: ClusterInside::Switch { planes: 1 },
            outside,
            hosts_forward: false,
        };
        let machine = Machine::of_parameters(&NetworkParameters::Cluster(cluster)).unwrap();
        machine.with_link_times(&[1, 4, 4, 4].map(|unit| LinkTime { unit, latency: 0 }))
    };
    let uplinks = cubefold_topology::ClusterUplinks::Each(1);
    let nics = ClusterOutside { nics_per_node: 4, nodes_per_leaf: 1, has_rails: true, spines: 1, uplinks };
    let costs = LinkCosts {
        link_mode: cubefold_topology::LinkMode::FullDuplex,
        hop_cycles: 1,
        latency_cycles: 0,
        message_cost: 0,
        switches_reduce: false,
    };
    let shape = Shape::new(&[4]).unwrap();
    let ring = CollectiveSpecification::new(Operation::AllReduce, Algorithm::Ring, shape, 80);
    let collective = Collective::new(ring).unwrap();
    let nodes: Vec<NodeId> = (0..4).map(NodeId::new).collect();
    let bounds = |outside, costs| collective.bounds(&cluster(outside), &nodes, costs);
    let alone = bounds(None, costs);
    // 2 * 80 * 3 arrivals over 4 channels.
    assert_eq!((alone.lower_bound_cycles(), alone.cut_cycles()), (120, 80));
    assert_eq!(bounds(Some(nics), costs), alone);
    // Leaves that reduce receive over the NICs.
    let reducing = LinkCosts { switches_reduce: true, ..costs };
    assert!(bounds(Some(nics), reducing).cut_cycles() < alone.cut_cycles());
}

fn has_node_bound(bounds: &cubefold_collectives::CollectiveBounds) -> bool {
    matches!(bounds.bandwidth_source, Some(cubefold_collectives::BandwidthSource::Node(_)))
}

fn check(count: u64) {
    let largest = (0..count).into_par_iter().filter(|&number| check_case(number)).count();
    assert!(8 * largest as u64 >= count, "the cut bound is the largest of {largest} of {count}");
}

#[test]
fn no_run_of_groups_and_steps_is_below_its_bounds() {
    check(600);
}

#[test]
#[ignore = "half a minute: 20 000 sequences"]
fn no_run_of_many_groups_and_steps_is_below_its_bounds() {
    check(20_000);
}
