//! Machines that are no grids, and programs in which some processes pass, equal the reference row by row.

use std::{collections::BTreeMap, sync::Arc};

use cubefold_mapping::{
    Congestion, Dilation, Extremes, GraphGuest, Guest, Hypercube, Placement, PlacementTable, ProcessId,
    with_failed_links, with_failed_nodes,
};
use cubefold_reference::networks;
use cubefold_simulator::{
    CubeProgram, DivideAndConquer, LevelNetwork, LevelProgram, NeighbourProgram, Pattern, Program,
    ShuffleExchangeProgram, TreeDivideAndConquer,
};
use cubefold_topology::{
    LinkMode, Machine, MachineKind, Network, NetworkParameters, NodeId, RouteChoice, TieRule,
};
use proptest::prelude::*;
use proptest::sample::select;

use crate::engines_equal_reference::check_asynchronous;
use crate::random_problem::{Case, communication, compute, nodes, shared_nodes};

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

/// Switches in a random tree with more links between them, some of them parallel, and hosts on one or two switches each,
/// or linked with each other; hosts forward or do not.
fn random_fabric() -> impl Strategy<Value = Machine> {
    (2..12_u32, 1..10_u32).prop_flat_map(|(hosts, switches)| {
        let parents = (1..switches).map(|switch| 0..switch).collect::<Vec<_>>();
        let more = prop::collection::vec((0..switches, 0..switches), 0..12);
        let ports = prop::collection::vec(0..switches, hosts as usize);
        let second = prop::collection::vec((0..hosts, 0..hosts + switches), 0..6);
        (parents, more, ports, second, any::<bool>()).prop_map(
            move |(parents, more, ports, second, forward)| {
                let switch = |(one, other): (u32, u32)| (hosts + one, hosts + other);
                let between =
                    (1..).zip(parents).chain(more.into_iter().flat_map(|pair| [pair, pair])).map(switch);
                let up = (0..).zip(ports).map(|(host, switch)| (host, hosts + switch));
                let links: Vec<_> = between.chain(up).chain(second).collect();
                let network = Network::from_parallel_edges(hosts + switches, &links).unwrap();
                let network = network.with_hosts(hosts).with_hosts_forwarding(forward);
                Machine::network(MachineKind::Network, network).unwrap()
            },
        )
    })
}

/// A network of one of the families.
fn family() -> impl Strategy<Value = Machine> {
    let kinds = MachineKind::HOSTS.into_iter().chain([MachineKind::MeshOfTrees]);
    let ranges: Vec<_> = kinds.filter_map(|kind| Some((kind, kind.network_dimensions()?))).collect();
    (select(ranges), 0..3_u64)
        .prop_map(|((kind, range), more)| Machine::of_dimensions(kind, range.start() + more).unwrap())
}

/// A full mesh, or a network with switches.
fn switched() -> impl Strategy<Value = Machine> {
    parameters().prop_map(|parameters| Machine::of_parameters(&parameters).unwrap())
}

fn parameters() -> impl Strategy<Value = NetworkParameters> {
    prop_oneof![
        (2..9_u64).prop_map(|nodes| NetworkParameters::FullMesh { nodes }),
        (prop::collection::vec(2..4_u64, 1..=3), 1..3_u64)
            .prop_map(|(shape, hosts_per_switch)| NetworkParameters::HyperX { shape, hosts_per_switch }),
        (1..3_u64, 1..4_u64, 1..3_u64).prop_map(|(hosts_per_switch, switches_per_group, global_links)| {
            NetworkParameters::dragonfly(hosts_per_switch, switches_per_group, global_links)
        }),
        (2..5_u64, 1..4_u64, 1..4_u64).prop_map(|(leaves, hosts_per_switch, spines)| {
            NetworkParameters::leaf_spine(leaves, hosts_per_switch, spines)
        }),
        select(vec![(2, 1), (2, 2), (2, 3), (2, 4), (3, 2), (4, 2)])
            .prop_map(|(arity, levels)| NetworkParameters::k_ary_tree(arity, levels)),
    ]
}

fn twisted() -> impl Strategy<Value = Machine> {
    prop::collection::vec((2..5_u64, prop::collection::vec(0..5_u64, 3)), 2..=3).prop_map(|dimensions| {
        let lengths: Vec<u64> = dimensions.iter().map(|(length, _)| *length).collect();
        let twists: Vec<Vec<u64>> = dimensions
            .iter()
            .enumerate()
            .map(|(dimension, (_, twist))| {
                let twist = twist.iter().take(lengths.len()).enumerate();
                twist.map(|(at, &entry)| if at == dimension { 0 } else { entry }).collect()
            })
            .collect();
        Machine::twisted_torus(&lengths, &twists).unwrap()
    })
}

/// A machine of any kind with links and nodes down, as long as it stays connected.
fn with_failures(machine: impl Strategy<Value = Machine>) -> impl Strategy<Value = Machine> {
    (machine, 0..4_u64, 0..3_u64, any::<u8>()).prop_map(|(machine, links, nodes, key)| {
        let with_links =
            (0..=links).rev().find_map(|count| with_failed_links(&machine, count, [key; 32]).ok());
        let machine = with_links.unwrap();
        let nodes = (0..=nodes).rev().find_map(|count| with_failed_nodes(&machine, count, [key; 32]).ok());
        nodes.unwrap()
    })
}

fn machine() -> impl Strategy<Value = Machine> {
    let any = prop_oneof![random_network(), random_fabric(), family(), switched(), twisted()];
    let up = prop_oneof![random_network(), random_fabric(), switched(), twisted(), grid()];
    let any = prop_oneof![any.boxed(), with_failures(up)];
    let choice = prop_oneof![Just(RouteChoice::Lowest), (0..1000_u64).prop_map(RouteChoice::Spread)];
    (any, choice).prop_map(|(machine, choice)| machine.with_route_choice(choice))
}

fn grid() -> impl Strategy<Value = Machine> {
    let shape = prop::collection::vec(2..6_u64, 1..=3);
    (shape, select(vec![MachineKind::Mesh, MachineKind::Torus]))
        .prop_map(|(shape, kind)| Machine::new(kind, &shape).unwrap())
}

/// Placements of `count` processes: on nodes of their own where there are enough, or anywhere.
fn placement(machine: &Machine, count: u64) -> BoxedStrategy<Placement> {
    let shared = shared_nodes(machine, usize::try_from(count).unwrap());
    if machine.host_count() < count {
        shared.boxed()
    } else {
        prop_oneof![nodes(machine, count), shared].boxed()
    }
}

fn programs(machine: &Machine) -> BoxedStrategy<Arc<dyn Program>> {
    // A switch is no process, and neither is a node that is down.
    if machine.host_count() < machine.node_count() {
        return cubes().boxed();
    }
    let guest = GraphGuest::new(machine.clone());
    let neighbours =
        (select(vec![Pattern::Scatter, Pattern::Permutation { sets: 3, key: [4; 32] }]), compute()).prop_map(
            move |(pattern, compute)| -> Arc<dyn Program> {
                Arc::new(NeighbourProgram::new(guest.clone(), pattern, compute).unwrap())
            },
        );
    if machine.graph().is_some() { prop_oneof![cubes(), neighbours].boxed() } else { cubes().boxed() }
}

/// Programs on cubes and trees: compute-and-communicate, divide and conquer, and normal with wandering data.
fn cubes() -> impl Strategy<Value = Arc<dyn Program>> {
    let walk = prop::collection::vec(any::<bool>(), 0..6);
    (1..=5_u64, compute(), 0..5, walk).prop_map(|(dimensions, compute, kind, walk)| -> Arc<dyn Program> {
        let cube = Hypercube::new(dimensions).unwrap();
        match kind {
            0 => Arc::new(CubeProgram::new(cube, CubeProgram::bitonic(cube), compute).unwrap()),
            1 => Arc::new(DivideAndConquer::new(cube, compute)),
            2 => {
                let levels = u32::try_from(dimensions.min(4)).unwrap();
                Arc::new(TreeDivideAndConquer::new(levels, compute).unwrap())
            }
            _ => {
                let mut at = 0;
                let mut stages = vec![cube.dimension(at).unwrap()];
                for up in walk.into_iter().filter(|_| dimensions > 1) {
                    at = if up { at + 1 } else { at + dimensions - 1 } % dimensions;
                    stages.push(cube.dimension(at).unwrap());
                }
                if kind == 3 || !(2..=3).contains(&dimensions) {
                    return Arc::new(ShuffleExchangeProgram::new(cube, stages, compute).unwrap());
                }
                let network = LevelNetwork::ALL[stages.len() % 3];
                Arc::new(LevelProgram::new(network, cube, stages, compute).unwrap())
            }
        }
    })
}

fn case(machine: impl Strategy<Value = Machine>) -> impl Strategy<Value = Case> {
    machine.prop_flat_map(|machine| {
        let program = programs(&machine);
        (Just(machine), program, communication()).prop_flat_map(|(machine, program, communication)| {
            placement(&machine, program.process_count()).prop_map(move |placement| Case {
                placement,
                communication,
                program: program.clone(),
            })
        })
    })
}

/// The links of a machine, and those of the page.
fn check_links(machine: &Machine, page: &networks::Links) {
    let links = machine.graph().unwrap().links();
    let links: networks::Links =
        links.map(|(one, other)| (one.index().into(), other.index().into())).collect();
    assert_eq!(&links, page, "{:?}", machine.source());
}

/// A machine with failures has the links of the machine without those that are down.
#[test]
fn failed_links_and_the_links_of_failed_nodes_are_gone() {
    let torus = Machine::new(MachineKind::Torus, &[4, 4]).unwrap();
    for key in 0..40 {
        let machine = with_failed_links(&torus, 5, [key; 32]).unwrap();
        let machine = with_failed_nodes(&machine, 2, [key; 32]).unwrap();
        let failures = machine.failures().unwrap();
        let number = |node: NodeId| u64::from(node.index());
        let page = networks::without(
            &networks::twisted_torus(&[4, 4], &[vec![0, 0], vec![0, 0]]),
            &failures.links.iter().map(|&(one, other)| (number(one), number(other))).collect(),
            &failures.nodes.iter().copied().map(number).collect(),
        );
        check_links(&machine, &page);
        assert_eq!(failures.nodes.len(), 2);
    }
}

#[test]
fn machines_have_the_links_of_the_page() {
    let made = |parameters: NetworkParameters| Machine::of_parameters(&parameters).unwrap();
    for a in 1..5 {
        for b in 1..5 {
            for c in 1..4 {
                let hyperx = NetworkParameters::HyperX { shape: vec![a + 1, b + 1], hosts_per_switch: c };
                check_links(&made(hyperx), &networks::hyperx(&[a + 1, b + 1], c));
                let dragonfly = NetworkParameters::dragonfly(c, a, b);
                check_links(&made(dragonfly), &networks::dragonfly(c, a, b));
                if a * b > 1 {
                    let tree = NetworkParameters::leaf_spine(a, b, c);
                    check_links(&made(tree), &networks::leaf_spine(a, b, c));
                }
                check_links(
                    &made(NetworkParameters::k_ary_tree(a + 1, c)),
                    &networks::k_ary_tree(a + 1, u32::try_from(c).unwrap()),
                );
                let (lengths, twist) =
                    (vec![a + 1, b + 1, c + 1], vec![vec![0, b, c], vec![0, 0, a], vec![0; 3]]);
                let machine = Machine::twisted_torus(&lengths, &twist).unwrap();
                if machine.graph().is_some() {
                    check_links(&machine, &networks::twisted_torus(&lengths, &twist));
                }
            }
        }
        check_links(&made(NetworkParameters::FullMesh { nodes: a + 1 }), &networks::full_mesh(a + 1));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn runs_on_networks_equal_the_reference(case in case(machine())) {
        prop_assume!(case.communication.links() != LinkMode::SingleDirection);
        check_asynchronous(&case)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn programs_in_which_processes_pass_equal_the_reference_on_grids(case in case(grid())) {
        check_asynchronous(&case)?;
    }
}

proptest! {
    #[test]
    fn metrics_on_networks_are_counts_along_routes(
        (machine, places) in machine().prop_flat_map(|machine| {
            let hosts: Vec<u32> = machine.hosts().map(NodeId::index).collect();
            (Just(machine), prop::collection::vec(select(hosts), 12))
        })
    ) {
        let guest = GraphGuest::new(Machine::new(MachineKind::Torus, &[3, 4]).unwrap());
        let nodes: Vec<_> = places.into_iter().map(NodeId::new).collect();
        let placement = Placement::Table(PlacementTable::new(&machine, nodes.clone()).unwrap());
        let by_node = || vec![0; usize::try_from(machine.node_count()).unwrap()];
        let (mut passing, mut touching, mut load) = (by_node(), by_node(), by_node());
        let (mut links, mut spectrum) = (BTreeMap::new(), BTreeMap::new());
        for node in &nodes {
            load[node.index() as usize] += 1;
        }
        let image = |process: ProcessId| nodes[process.label() as usize];
        for (low, high) in (0..guest.dimension_count()).flat_map(|dimension| guest.edges(dimension)) {
            let route: Vec<_> = machine.route(image(low), image(high), TieRule::Direct).collect();
            *spectrum.entry(route.len() as u64).or_insert(0) += 1;
            let mut visited: Vec<NodeId> = route.iter().map(|channel| channel.node).collect();
            visited.push(image(high));
            for channel in &route {
                *links.entry(machine.link(*channel)).or_insert(0) += 1;
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
            load: Extremes::of(machine.hosts().map(|host| load[host.index() as usize])),
        };
        prop_assert_eq!(Congestion::by_edge(&guest, &placement, TieRule::Direct), expected);
        prop_assert_eq!(Dilation::by_edge(&guest, &placement).spectrum, spectrum);
    }
}
