//! Machines with links of different speed, and grids with failures or routed as networks: the engines equal the
//! reference in every row of random cases, a share of them in every run of the tests, all on request.

use std::num::{NonZeroU32, NonZeroU64};

use cubefold_mapping::{Placement, PlacementTable, with_failed_links, with_failed_nodes};
use cubefold_reference::{speeds::transfer, stage_program::Switching as ReferenceSwitching};
use cubefold_simulator::{
    Communication, Cycles, EngineChoice, MessageRoutes, NoBeltError, Program, Request, SimulationError,
    Switching, transfer_over,
};
use cubefold_topology::{
    Cluster, ClusterInside, ClusterOutside, ClusterUplinks, HostNics, LinkMode, LinkTime, Machine,
    MachineError, MachineKind, Network, NetworkParameters, NodeId, RouteChoice, TieRule,
};
use rand::{Rng, RngExt, SeedableRng, seq::IndexedRandom};
use rand_chacha::ChaCha12Rng;
use rayon::prelude::*;

use crate::{
    random_problem::sum_of_cases,
    sized_equal_reference::{SizedCase, check, network, random_case_on, random_grid},
    sized_slabs_equal_reference::{check_on, is_divided},
    task_graphs_equal_reference::{TaskCase, check as check_tasks},
};

const ALL: u64 = 20_000;
/// The number of cases in every run of the tests.
const SHARE: u64 = 400;

#[test]
fn a_share_of_the_cases() {
    check_cases(SHARE);
}

#[test]
#[ignore = "some minutes: 20 000 cases"]
fn all_cases() {
    check_cases(ALL);
}

fn check_cases(count: u64) {
    let check = |number: u64| {
        let generator = &mut ChaCha12Rng::seed_from_u64(number);
        let machine = machine(generator);
        if generator.random_bool(0.2) {
            let mut case = TaskCase::random_on(generator, &machine);
            case.communication = with_keys(&machine, on_links_of(&machine, case.communication), generator);
            check_tasks(&case).unwrap_or_else(|error| panic!("case {number}: {error}\n{case:#?}"));
            return [0; 2];
        }
        let mut case = random_case_on(generator, &machine);
        case.communication = with_keys(&machine, on_links_of(&machine, case.communication), generator);
        let [blocked, _, queued] =
            check(&case).unwrap_or_else(|error| panic!("case {number}: {error}\n{case:?}"));
        if number.is_multiple_of(4) && is_divided(&case) {
            check_on(&case, number / 4, [2, 3, 5, 7]);
        }
        [blocked, queued]
    };
    let [blocked, queued] = sum_of_cases(count, check);
    assert!(10 * blocked >= 2 * count, "{blocked} of {count} cases with blocked cycles");
    assert!(10 * queued >= 3 * count, "{queued} of {count} cases with queues");
}

/// The rules on a machine; if its links differ, those of the longest times, which engines do not use.
pub(crate) fn on_links_of(machine: &Machine, rules: Communication) -> Communication {
    match machine.link_times() {
        Some(times) => rules.with_longest(times),
        None => rules,
    }
}

/// The rules, possibly with routes that depend on more than the ends of messages.
fn with_keys(machine: &Machine, rules: Communication, generator: &mut impl Rng) -> Communication {
    let routes = match machine.route_choice() {
        Some(RouteChoice::Spread(seed)) => MessageRoutes::SpreadByMessage { seed },
        Some(RouteChoice::DModK) => {
            MessageRoutes::OfShares { processes: NonZeroU32::new(generator.random_range(1..=4)).unwrap() }
        }
        Some(RouteChoice::Lowest) | None => MessageRoutes::OfMachine,
    };
    if generator.random_bool(0.3) { rules.with_routes(routes) } else { rules }
}

/// A machine with times of its own for every class, some of which may be equal.
pub(crate) fn machine(generator: &mut impl Rng) -> Machine {
    let machine = match generator.random_range(0..10) {
        0 | 1 => random_grid(generator),
        2 => routed_grid(generator),
        3 => with_failures(generator),
        4 | 5 => classed_network(generator),
        6..=8 => switched(generator),
        _ => twisted(generator),
    };
    let times: Vec<LinkTime> = (0..machine.link_class_count()).map(|_| time(generator)).collect();
    machine.with_link_times(&times)
}

pub(crate) fn time(generator: &mut impl Rng) -> LinkTime {
    let unit = *[1, 1, 2, 3, 5, 18].choose(generator).unwrap();
    LinkTime { unit, latency: *[0, 0, 1, 4, 40].choose(generator).unwrap() }
}

pub(crate) fn choice(generator: &mut impl Rng) -> RouteChoice {
    match generator.random_range(0..3) {
        0 => RouteChoice::Spread(generator.random()),
        1 => RouteChoice::DModK,
        _ => RouteChoice::Lowest,
    }
}

fn routed_grid(generator: &mut impl Rng) -> Machine {
    random_grid(generator).as_network(choice(generator)).unwrap()
}

/// A grid with links and nodes down, as long as it stays connected; in dimension order, or routed as a network.
fn with_failures(generator: &mut impl Rng) -> Machine {
    let (machine, key) = (random_grid(generator), [generator.random::<u8>(); 32]);
    let (links, nodes) = (generator.random_range(0..=4), generator.random_range(0..=2));
    let with_links = (0..=links).rev().find_map(|count| with_failed_links(&machine, count, key).ok());
    let machine = with_links.unwrap();
    let with_nodes = (0..=nodes).rev().find_map(|count| with_failed_nodes(&machine, count, key).ok());
    let machine = with_nodes.unwrap().with_tie(*TieRule::ALL.choose(generator).unwrap());
    if generator.random_bool(0.3) { machine.with_route_choice(choice(generator)) } else { machine }
}

/// A network whose links are of classes at random.
fn classed_network(generator: &mut impl Rng) -> Machine {
    let machine = network(generator);
    let links: Vec<(u32, u32)> =
        machine.graph().unwrap().links().map(|(one, other)| (one.index(), other.index())).collect();
    let classes: Vec<u16> = links.iter().map(|_| generator.random_range(0..4)).collect();
    let nodes = u32::try_from(machine.node_count()).unwrap();
    let classed = Network::from_edges(nodes, &links).unwrap().with_classes(|one, other| {
        let pair = (one.min(other).index(), one.max(other).index());
        classes[links.iter().position(|link| *link == pair).unwrap()]
    });
    let choice = machine.route_choice().unwrap();
    Machine::network(MachineKind::Network, classed).unwrap().with_route_choice(choice)
}

fn switched(generator: &mut impl Rng) -> Machine {
    let parameters = match generator.random_range(0..6) {
        0 => NetworkParameters::HyperX {
            shape: (0..generator.random_range(1..=2)).map(|_| generator.random_range(2..=3)).collect(),
            hosts_per_switch: generator.random_range(1..=2),
        },
        1 => dragonfly(generator),
        2 => NetworkParameters::LeafSpine {
            leaves: 2 * generator.random_range(1..=2),
            hosts_per_switch: generator.random_range(1..=3),
            spines: generator.random_range(1..=3),
            uplinks: generator.random_range(1..=3),
            nics: nics(generator),
        },
        3 => {
            let levels = generator.random_range(1..=3);
            NetworkParameters::KAryTree {
                arity: 2,
                levels,
                uplinks: (1..levels).map(|_| generator.random_range(1..=3)).collect(),
                nics_per_host: generator.random_range(1..=2),
            }
        }
        _ => NetworkParameters::Cluster(cluster(generator)),
    };
    match Machine::of_parameters(&parameters) {
        // Two links a host may leave no second host.
        Err(MachineError::OneHost { .. }) => switched(generator),
        machine => machine.unwrap().with_route_choice(choice(generator)),
    }
}

/// One or two links a host.
fn nics(generator: &mut impl Rng) -> HostNics {
    match generator.random_range(0..4) {
        0 => HostNics::Neighbours(2),
        1 => HostNics::OneSwitch(2),
        _ => HostNics::ONE,
    }
}

/// A dragonfly of any number of groups, with any number of links between two.
fn dragonfly(generator: &mut impl Rng) -> NetworkParameters {
    let (switches_per_group, global_links) = (generator.random_range(1..=4), generator.random_range(1..=2));
    let ports = switches_per_group * global_links;
    let groups = generator.random_range(2..=ports + 1);
    NetworkParameters::Dragonfly {
        hosts_per_switch: generator.random_range(1..=2),
        switches_per_group,
        global_links,
        groups,
        links_between_groups: generator.random_range(1..=ports / (groups - 1)),
        nics: if switches_per_group % 2 == 0 { nics(generator) } else { HostNics::ONE },
    }
}

/// A cluster with any number of NICs.
fn cluster(generator: &mut impl Rng) -> Cluster {
    let devices_per_node = *[1, 2, 3, 4].choose(generator).unwrap();
    let inside = match generator.random_range(0..6) {
        0 => ClusterInside::FullMesh,
        1 => ClusterInside::Ring,
        2 if devices_per_node != 3 => ClusterInside::Hypercube,
        3 => ClusterInside::Switch { planes: 2 },
        4 => ClusterInside::None,
        _ => ClusterInside::Switch { planes: 1 },
    };
    let has_rails = generator.random_bool(0.5) && inside != ClusterInside::None;
    let outside = ClusterOutside {
        nics_per_node: generator.random_range(1..=6),
        nodes_per_leaf: generator.random_range(1..=3),
        has_rails,
        spines: generator.random_range(1..=2),
        uplinks: match generator.random_range(0..3) {
            0 => ClusterUplinks::Full,
            uplinks => ClusterUplinks::Each(uplinks),
        },
    };
    let hosts_forward = matches!(inside, ClusterInside::Ring | ClusterInside::Hypercube);
    let nodes = generator.random_range(2..=4);
    Cluster { nodes, devices_per_node, inside, outside: Some(outside), hosts_forward }
}

fn twisted(generator: &mut impl Rng) -> Machine {
    let lengths: Vec<u64> = (0..2).map(|_| generator.random_range(2..=5)).collect();
    let twists = vec![vec![0, generator.random_range(0..lengths[1])], vec![0, 0]];
    Machine::twisted_torus(&lengths, &twists).unwrap().with_route_choice(choice(generator))
}

/// A message alone on a path of links of different speed.
fn lone_message(generator: &mut impl Rng) -> (SizedCase, Vec<LinkTime>, u64) {
    let links: Vec<LinkTime> = (0..generator.random_range(1..=6)).map(|_| time(generator)).collect();
    let count = u32::try_from(links.len()).unwrap();
    let ends: Vec<(u32, u32)> = (0..count).map(|node| (node, node + 1)).collect();
    let class = |one: NodeId, other: NodeId| u16::try_from(one.min(other).index()).unwrap();
    let network = Network::from_edges(count + 1, &ends).unwrap().with_classes(class);
    let machine = Machine::network(MachineKind::Network, network).unwrap().with_link_times(&links);
    let rules = Communication::new(LinkMode::FullDuplex, Cycles::new(1), TieRule::Direct).unwrap();
    let rules = rules
        .with_longest(&links)
        .with_switching(*Switching::ALL.choose(generator).unwrap())
        .with_packets(NonZeroU64::new(*[0, 1, 2, 3, 8].choose(generator).unwrap()));
    let units = generator.random_range(1..=40);
    let nodes = vec![NodeId::new(0), NodeId::new(count)];
    let case = SizedCase {
        placement: Placement::Table(PlacementTable::new(&machine, nodes).unwrap()),
        communication: rules,
        computations: vec![vec![0; 2]],
        messages: vec![(0, 0, 1, units)],
        rotated: None,
    };
    (case, links, units)
}

/// A message alone takes the closed form of section 21.3.
#[test]
fn a_message_alone_takes_the_closed_form() {
    (0..10_000_u64).into_par_iter().for_each(|number| {
        let (case, links, units) = lone_message(&mut ChaCha12Rng::seed_from_u64(number));
        let (outcome, _) = case.run(&Request::asynchronous(EngineChoice::Sized)).unwrap();
        let expected = transfer_over(links.iter().copied(), case.communication, units);
        assert_eq!(outcome.summary.makespan().get(), expected.get(), "case {number}: {links:?} {units}");
        let speeds: Vec<_> = links.iter().map(|link| (link.unit, link.latency)).collect();
        let switching = match case.communication.switching() {
            Switching::StoreAndForward => ReferenceSwitching::StoreAndForward,
            Switching::CutThrough => ReferenceSwitching::CutThrough,
        };
        let packet = case.communication.packet().map(NonZeroU64::get);
        assert_eq!(transfer(switching, &speeds, units, packet), expected.get(), "case {number}");
    });
}

/// A machine that is given equal times for all classes is the machine with one time, under every engine.
#[test]
fn equal_times_of_all_classes_are_one_time() {
    for number in 0..100 {
        let generator = &mut ChaCha12Rng::seed_from_u64(number);
        let machine = random_grid(generator);
        let equal = machine.clone().with_link_times(&vec![time(generator); machine.link_class_count()]);
        assert_eq!(equal, machine);
    }
}

#[test]
fn engines_for_equal_links_are_refused() {
    use cubefold_mapping::{EmbeddingKind, Hypercube};
    use cubefold_simulator::{CubeProgram, Plan};

    let [slow, fast] = [LinkTime { unit: 2, latency: 0 }, LinkTime { unit: 1, latency: 0 }];
    let machine = Machine::new(MachineKind::Torus, &[4, 4]).unwrap().with_link_times(&[slow, fast]);
    let cube = Hypercube::new(4).unwrap();
    let program = CubeProgram::new(cube, CubeProgram::ascend(cube), Cycles::ZERO).unwrap();
    let placement = Placement::embed(EmbeddingKind::Xor, cube, &machine).unwrap();
    let rules = Communication::new(LinkMode::FullDuplex, Cycles::new(2), TieRule::Direct).unwrap();
    let belt = Request::asynchronous(EngineChoice::BELT);
    let error = Plan::new(&program, &placement, rules, &belt).unwrap_err();
    assert_eq!(error, SimulationError::NoBelt(NoBeltError::Links));
    // The stages of the first coordinate take 1 and then 1 link of 2 cycles, those of the second of 1 cycle.
    let run = |engine| {
        let plan = Request::asynchronous(engine);
        cubefold_simulator::simulate(&program, &placement, rules, &plan, &mut ()).unwrap().summary.makespan()
    };
    assert_eq!(run(EngineChoice::Auto).get(), 2 * 2 + 2);
    assert_eq!(program.stage_count(), 4);
}
