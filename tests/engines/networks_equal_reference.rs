//! Machines that are no grids, and programs in which some processes pass, equal the reference row by row.

use std::collections::BTreeMap;

use cubefold_mapping::{
    Congestion, Dilation, Extremes, GraphGuest, Guest, Hypercube, Placement, PlacementTable, ProcessId,
};
use cubefold_simulator::{
    CubeProgram, DivideAndConquer, NeighbourProgram, Pattern, Program, ShuffleExchangeProgram,
};
use cubefold_topology::{LinkMode, Machine, MachineKind, Network, NodeId, TieRule};
use proptest::prelude::*;
use proptest::sample::select;

use crate::engines_equal_reference::check_asynchronous;
use crate::random_problem::{Case, TestProgram, communication, compute, nodes, shared_nodes};

/// A connected network: a random tree with some more links.
fn random_network() -> impl Strategy<Value = Machine> {
    (2..40_u32).prop_flat_map(|count| {
        let parents = (1..count).map(|node| 0..node).collect::<Vec<_>>();
        let more = prop::collection::vec((0..count, 0..count), 0..30);
        (parents, more).prop_map(move |(parents, more)| {
            let links: Vec<_> = (1..).zip(parents).chain(more).collect();
            Machine::network(MachineKind::Network, Network::from_edges(count, &links).unwrap()).unwrap()
        })
    })
}

/// A network of one of the families.
fn family() -> impl Strategy<Value = Machine> {
    let kinds = MachineKind::HOSTS.into_iter().chain([MachineKind::BinaryTree, MachineKind::MeshOfTrees]);
    let ranges: Vec<_> = kinds.filter_map(|kind| Some((kind, kind.network_dimensions()?))).collect();
    (select(ranges), 0..3_u64)
        .prop_map(|((kind, range), more)| Machine::of_dimensions(kind, range.start() + more).unwrap())
}

fn machine() -> impl Strategy<Value = Machine> {
    prop_oneof![random_network(), family()]
}

fn grid() -> impl Strategy<Value = Machine> {
    let shape = prop::collection::vec(2..6_u64, 1..=3);
    (shape, select(vec![MachineKind::Mesh, MachineKind::Torus]))
        .prop_map(|(shape, kind)| Machine::new(kind, &shape).unwrap())
}

/// Placements of `count` processes: on nodes of their own where there are enough, or anywhere.
fn placement(machine: &Machine, count: u64) -> BoxedStrategy<Placement> {
    let shared = shared_nodes(machine, usize::try_from(count).unwrap());
    if machine.node_count() < count {
        shared.boxed()
    } else {
        prop_oneof![nodes(machine, count), shared].boxed()
    }
}

fn programs(machine: &Machine) -> BoxedStrategy<TestProgram> {
    let guest = GraphGuest::new(machine.clone());
    let neighbours =
        (select(vec![Pattern::Scatter, Pattern::Permutation { sets: 3, key: [4; 32] }]), compute()).prop_map(
            move |(pattern, compute)| {
                TestProgram::Neighbours(NeighbourProgram::new(guest.clone(), pattern, compute).unwrap())
            },
        );
    if machine.graph().is_some() { prop_oneof![cubes(), neighbours].boxed() } else { cubes().boxed() }
}

/// Programs on cubes: compute-and-communicate, divide and conquer, and normal with wandering data.
fn cubes() -> impl Strategy<Value = TestProgram> {
    let walk = prop::collection::vec(any::<bool>(), 0..6);
    (1..=5_u64, compute(), 0..3, walk).prop_map(|(dimensions, compute, kind, walk)| {
        let cube = Hypercube::new(dimensions).unwrap();
        match kind {
            0 => TestProgram::Cube(CubeProgram::new(cube, CubeProgram::bitonic(cube), compute).unwrap()),
            1 => TestProgram::DivideAndConquer(DivideAndConquer::new(cube, compute)),
            _ => {
                let mut at = 0;
                let mut stages = vec![cube.dimension(at).unwrap()];
                for up in walk.into_iter().filter(|_| dimensions > 1) {
                    at = if up { at + 1 } else { at + dimensions - 1 } % dimensions;
                    stages.push(cube.dimension(at).unwrap());
                }
                TestProgram::ShuffleExchange(ShuffleExchangeProgram::new(cube, stages, compute).unwrap())
            }
        }
    })
}

fn process_count(program: &TestProgram) -> u64 {
    crate::random_problem::with_test_program!(program, program => program.process_count())
}

fn case(machine: impl Strategy<Value = Machine>) -> impl Strategy<Value = Case> {
    machine.prop_flat_map(|machine| {
        let program = programs(&machine);
        (Just(machine), program, communication()).prop_flat_map(|(machine, program, communication)| {
            placement(&machine, process_count(&program)).prop_map(move |placement| Case {
                placement,
                communication,
                program: program.clone(),
            })
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn runs_on_networks_equal_the_reference(case in case(machine())) {
        prop_assume!(case.communication.links() != LinkMode::SingleDirection);
        check_asynchronous(&case)?;
    }

    #[test]
    fn programs_in_which_processes_pass_equal_the_reference_on_grids(case in case(grid())) {
        check_asynchronous(&case)?;
    }
}

proptest! {
    #[test]
    fn metrics_on_networks_are_counts_along_routes(
        (machine, places) in machine().prop_flat_map(|machine| {
            let last = u32::try_from(machine.node_count()).unwrap();
            (Just(machine), prop::collection::vec(0..last, 12))
        })
    ) {
        let guest = GraphGuest::new(Machine::new(MachineKind::Torus, &[3, 4]).unwrap());
        let nodes: Vec<_> = places.into_iter().map(NodeId::new).collect();
        let placement = Placement::Table(PlacementTable::new(&machine, nodes.clone()).unwrap());
        let (mut links, mut passing, mut touching, mut load) = (
            BTreeMap::new(),
            vec![0; usize::try_from(machine.node_count()).unwrap()],
            vec![0; usize::try_from(machine.node_count()).unwrap()],
            vec![0; usize::try_from(machine.node_count()).unwrap()],
        );
        let mut spectrum = BTreeMap::new();
        for node in &nodes {
            load[node.index() as usize] += 1;
        }
        let image = |process: ProcessId| nodes[process.label() as usize];
        for (low, high) in (0..guest.dimension_count()).flat_map(|dimension| guest.edges(dimension)) {
            let route: Vec<_> = machine.route(image(low), image(high), TieRule::Direct).collect();
            *spectrum.entry(route.len() as u64).or_insert(0) += 1;
            let mut visited: Vec<NodeId> = route.iter().map(|channel| channel.node).collect();
            visited.push(image(high));
            for pair in visited.windows(2) {
                *links.entry((pair[0].min(pair[1]), pair[0].max(pair[1]))).or_insert(0) += 1;
            }
            for node in &visited {
                touching[node.index() as usize] += 1;
                if *node != image(low) && *node != image(high) {
                    passing[node.index() as usize] += 1;
                }
            }
        }
        let unused = usize::try_from(machine.link_count()).unwrap() - links.len();
        let expected = Congestion {
            node_load: Extremes::of(passing),
            link_congestion: Extremes::of(links.into_values().chain(std::iter::repeat_n(0, unused))),
            node_congestion: Extremes::of(touching),
            load: Extremes::of(load),
        };
        prop_assert_eq!(Congestion::by_edge(&guest, &placement, TieRule::Direct), expected);
        prop_assert_eq!(Dilation::by_edge(&guest, &placement).spectrum, spectrum);
    }
}
