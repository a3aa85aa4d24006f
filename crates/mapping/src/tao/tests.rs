//! The theorems of chapters 3 and 5 as tests, on every pair of shapes of a size and on random larger ones; each guest
//! edge is walked. The golden data have a file of their own.

mod golden;
mod papers_rest;

use cubefold_topology::{Machine, MachineKind};
use proptest::prelude::*;

use crate::{
    Construction, ConstructionKind, Exactness, ProcessId, UnmetCondition,
    classic::guest_edges,
    test_support::{shapes, wrapping, wrapping_bits},
};

fn machine(kind: MachineKind, lengths: &[u64]) -> Machine {
    Machine::new(kind, lengths).unwrap()
}

fn all_machines(size: u64) -> Vec<Machine> {
    shapes(size).iter().flat_map(|shape| machines(shape)).collect()
}

fn square(kind: MachineKind, length: u64, dimensions: usize) -> Machine {
    machine(kind, &vec![length; dimensions])
}

/// The mesh and the torus of a shape, or the hypercube alone.
fn machines(shape: &[u64]) -> Vec<Machine> {
    let kinds: &[MachineKind] = if shape.iter().all(|&length| length == 2) {
        &[MachineKind::Hypercube]
    } else {
        &[MachineKind::Mesh, MachineKind::Torus]
    };
    kinds.iter().map(|&kind| Machine::new(kind, shape).unwrap()).collect()
}

pub(super) fn processes(guest: &Machine) -> impl Iterator<Item = ProcessId> {
    ProcessId::first(guest.node_count())
}

/// The largest distance between the nodes of neighbouring processes.
pub(super) fn measured_dilation(construction: &Construction) -> u64 {
    let distance = |(a, b)| construction.host().distance(construction.node(a), construction.node(b));
    guest_edges(construction.guest()).into_iter().map(distance).max().unwrap()
}

/// Every node has as many processes as the loads say, and they name it; all promises on distances hold.
pub(super) fn check(construction: &Construction) {
    let context = describe(construction);
    let (guest, host) = (construction.guest(), construction.host());
    let mut met = vec![false; usize::try_from(guest.node_count()).unwrap()];
    for node in host.nodes() {
        let on_node: Vec<ProcessId> = construction.processes(node).collect();
        let loads = construction.least_load()..=construction.load();
        assert!(loads.contains(&(on_node.len() as u64)), "{context}");
        assert!(on_node.is_sorted(), "{context}");
        assert_eq!(construction.process(node), on_node.first().copied(), "{context}");
        for process in on_node {
            assert!(!std::mem::replace(&mut met[process.label() as usize], true), "{context}");
            assert_eq!(construction.node(process), node, "{context}");
        }
    }
    assert!(met.into_iter().all(|met| met), "{context}");
    check_distances(construction, &context);
}

fn check_distances(construction: &Construction, context: &str) {
    let (measured, promised) = (measured_dilation(construction), construction.dilation());
    match promised.exactness {
        Exactness::Exact => assert_eq!(measured, promised.links, "{context}"),
        Exactness::AtMost => assert!(measured <= promised.links, "{measured} links: {context}"),
    }
    let Some(routing) = construction.routing() else { return };
    for (number, subset) in (1..).zip(routing.subsets()) {
        assert_eq!(subset.number, number, "{context}");
    }
    let mut farthest = vec![0; routing.subsets().len()];
    for (a, b) in guest_edges(construction.guest()) {
        let Some(subset) = construction.subset(a, b) else { continue };
        assert_eq!(construction.subset(b, a), Some(subset), "{context}");
        let distance = construction.host().distance(construction.node(a), construction.node(b));
        let most = &mut farthest[subset as usize - 1];
        *most = distance.max(*most);
    }
    for (subset, most) in routing.subsets().iter().zip(farthest) {
        assert!(most <= subset.steps.full_duplex, "subset {} goes {most}: {context}", subset.number);
    }
}

/// The text of a failing test.
pub(super) fn describe(construction: &Construction) -> String {
    let machine = |machine: &Machine| format!("{} {:?}", machine.kind(), machine.shape().lengths());
    format!(
        "{} ({}) {:?}: {} on {}, dilation {:?}",
        construction.kind(),
        construction.formula(),
        construction.parameters(),
        machine(construction.guest()),
        machine(construction.host()),
        construction.dilation(),
    )
}

/// Checks every construction that covers a pair; returns the number of these.
fn check_all_kinds(guest: &Machine, host: &Machine) -> usize {
    let found: Vec<Construction> = ConstructionKind::ALL
        .into_iter()
        .filter_map(|kind| Construction::named(kind, guest, host).ok())
        .collect();
    found.iter().for_each(check);
    match (
        found.iter().map(|construction| construction.dilation().links).min(),
        Construction::choose(guest, host),
    ) {
        (Some(least), Ok(chosen)) => assert_eq!(chosen.dilation().links, least),
        (least, chosen) => assert!(least.is_none() && chosen.is_err(), "{chosen:?}"),
    }
    found.len()
}

/// Checks all pairs of machines of these sizes; returns the number of constructions checked.
fn check_all_pairs(guest_size: u64, host_size: u64) -> usize {
    let hosts = all_machines(host_size);
    let pairs = all_machines(guest_size);
    pairs.iter().flat_map(|guest| hosts.iter().map(move |host| check_all_kinds(guest, host))).sum()
}

#[test]
fn every_construction_is_a_bijection_with_its_inverse_and_its_dilation_on_all_pairs_up_to_48_nodes() {
    let checked: usize = (2..=48).map(|size| check_all_pairs(size, size)).sum();
    assert!(checked > 10_000, "{checked} constructions");
}

#[test]
#[ignore = "takes a minute or so: all pairs of shapes of 49 to 128 nodes"]
fn every_construction_is_a_bijection_with_its_inverse_and_its_dilation_on_all_pairs_up_to_128_nodes() {
    let checked: usize = (49..=128).map(|size| check_all_pairs(size, size)).sum();
    assert!(checked > 100_000, "{checked} constructions");
}

#[test]
#[ignore = "takes half a minute: every process of guests of 2^24"]
fn every_process_of_2_to_the_24_is_found_again_on_its_node() {
    let cube = square(MachineKind::Hypercube, 2, 24);
    let torus = square(MachineKind::Torus, 4096, 2);
    let mesh = square(MachineKind::Mesh, 256, 3);
    for (guest, host) in [(&cube, &torus), (&torus, &cube), (&torus, &mesh), (&mesh, &torus)] {
        let construction = Construction::choose(guest, host).unwrap();
        for process in processes(guest) {
            assert_eq!(construction.process(construction.node(process)), Some(process));
        }
    }
}

#[test]
fn square_graphs_of_coprime_and_other_dimensions_reach_each_other() {
    for (guest, host) in [
        ((4, 3), (8, 2)),
        ((8, 2), (4, 3)),
        ((9, 3), (27, 2)),
        ((27, 2), (9, 3)),
        ((8, 4), (16, 3)),
        ((16, 3), (8, 4)),
        ((4, 5), (32, 2)),
        ((32, 2), (4, 5)),
        ((4, 6), (8, 4)),
        ((8, 4), (4, 6)),
        ((9, 4), (81, 2)),
        ((81, 2), (9, 4)),
    ] {
        for guest_kind in [MachineKind::Mesh, MachineKind::Torus] {
            for host_kind in [MachineKind::Mesh, MachineKind::Torus] {
                let (from, to) = (square(guest_kind, guest.0, guest.1), square(host_kind, host.0, host.1));
                assert!(check_all_kinds(&from, &to) > 0);
            }
        }
    }
}

#[test]
fn a_cylinder_stays_itself_and_is_folded_only_where_it_must_be() {
    let [upright, lying] = [[true, false], [false, true]].map(|wraps| wrapping(&[4, 4], &wraps));
    let links = |guest: &Machine, host: &Machine| Construction::choose(guest, host).unwrap().dilation().links;
    assert_eq!(links(&upright, &upright), 1);
    assert_eq!(links(&upright, &lying), 1);
    assert_eq!(links(&upright, &wrapping(&[4, 4], &[false; 2])), 2);
    assert_eq!(links(&wrapping(&[4, 4], &[true; 2]), &upright), 2);
}

#[test]
fn contractions_have_exact_loads_complete_inverses_and_their_dilation_on_all_pairs_up_to_64_processes() {
    let contractions: Vec<_> =
        ConstructionKind::ALL.into_iter().filter(|kind| kind.is_contraction()).collect();
    let mut checked = vec![0; contractions.len()];
    for (processes, nodes) in (4..=64).flat_map(|all| (2..=all / 2).map(move |few| (all, few))) {
        let hosts = all_machines(nodes);
        for guest in all_machines(processes).iter().filter(|_| processes.is_multiple_of(nodes)) {
            for host in &hosts {
                for (count, kind) in checked.iter_mut().zip(&contractions) {
                    if let Ok(construction) = Construction::named(*kind, guest, host) {
                        check(&construction);
                        *count += 1;
                    }
                }
            }
        }
    }
    assert!(checked.iter().all(|&count| count > 50), "{checked:?}");
}

#[test]
fn the_special_cases_of_5_3_have_unit_dilation() {
    for (guest, host) in
        [([24, 8].as_slice(), [3, 2].as_slice()), (&[12, 36], &[3, 3, 3]), (&[8, 12, 3], &[2, 3])]
    {
        let torus = Machine::new(MachineKind::Torus, guest).unwrap();
        let mesh = Machine::new(MachineKind::Mesh, host).unwrap();
        let special =
            |kind: &ConstructionKind| kind.is_contraction() && *kind != ConstructionKind::Contraction;
        for kind in ConstructionKind::ALL.into_iter().filter(special) {
            if let Ok(construction) = Construction::named(kind, &torus, &mesh) {
                assert_eq!(construction.dilation().links, 1);
                check(&construction);
            }
        }
    }
}

#[test]
fn the_whole_guest_is_listed_once_over_all_nodes_of_a_large_host() {
    let guest = Machine::new(MachineKind::Torus, &[64, 96, 5]).unwrap();
    let host = Machine::new(MachineKind::Mesh, &[24, 16]).unwrap();
    let construction = Construction::choose(&guest, &host).unwrap();
    assert_eq!(construction.kind(), ConstructionKind::FoldedProjection);
    assert_eq!(construction.load(), 80);
    check(&construction);
}

fn unmet(guest: &[u64], host: &[u64]) -> Vec<UnmetCondition> {
    let torus = |lengths| machine(MachineKind::Torus, lengths);
    Construction::choose(&torus(guest), &torus(host)).unwrap_err().unmet
}

#[test]
fn an_uncovered_pair_of_equal_dimension_fails_every_condition() {
    let found = unmet(&[4, 6], &[3, 8]);
    for condition in [
        UnmetCondition::SameLengths,
        UnmetCondition::ExpansionDimensions { guest: 2, host: 2 },
        UnmetCondition::SimpleReductionDimensions { guest: 2, host: 2 },
        UnmetCondition::GeneralReductionDimensions { guest: 2, host: 2 },
        UnmetCondition::SequentialEliminationDimensions { guest: 2, host: 2 },
        UnmetCondition::SquareLoweringDimensions { guest: 2, host: 2 },
        UnmetCondition::SquareRisingDimensions { guest: 2, host: 2 },
    ] {
        assert!(found.contains(&condition), "{condition} among {found:?}");
    }
}

#[test]
fn an_uncovered_pair_of_other_dimension_lacks_factors() {
    let rising = unmet(&[6, 6], &[4, 3, 3]);
    assert!(rising.contains(&UnmetCondition::ExpansionFactor), "{rising:?}");
    assert!(rising.contains(&UnmetCondition::Square), "{rising:?}");
    let lowering = unmet(&[4, 9, 5], &[6, 30]);
    assert!(lowering.contains(&UnmetCondition::SimpleReductionFactor), "{lowering:?}");
    assert!(lowering.contains(&UnmetCondition::GeneralReductionFactor), "{lowering:?}");
    assert!(lowering.contains(&UnmetCondition::SequentialEliminationFactor), "{lowering:?}");
    assert!(lowering.contains(&UnmetCondition::Square), "{lowering:?}");
}

#[test]
fn sizes_must_fit() {
    let unmet = |kind, guest: &[u64], host: &[u64]| {
        let torus = |lengths| machine(MachineKind::Torus, lengths);
        Construction::named(kind, &torus(guest), &torus(host)).unwrap_err().unmet
    };
    let (processes, nodes) = (16, 20);
    assert_eq!(
        unmet(ConstructionKind::BasicF, &[4, 4], &[4, 5]),
        [UnmetCondition::EqualSizes { processes, nodes }]
    );
    assert_eq!(
        unmet(ConstructionKind::UnevenContraction, &[4, 4], &[4, 5]),
        [UnmetCondition::MoreProcesses { processes, nodes }]
    );
    let (processes, nodes) = (20, 16);
    assert_eq!(
        unmet(ConstructionKind::Contraction, &[4, 5], &[4, 4]),
        [UnmetCondition::MultipleSizes { processes, nodes }]
    );
    assert_eq!(
        unmet(ConstructionKind::SpareNodes, &[4, 5], &[4, 4]),
        [UnmetCondition::SpareNodes { processes, nodes }]
    );
}

#[test]
fn a_name_that_does_not_fit_says_why() {
    let torus = machine(MachineKind::Torus, &[9, 4]);
    let mesh = machine(MachineKind::Mesh, &[3, 3, 4]);
    let message = |kind, guest, host| Construction::named(kind, guest, host).unwrap_err().to_string();
    assert_eq!(
        message(ConstructionKind::ExpansionH, &torus, &mesh),
        "expansion-h does not map this guest on this host: expansion by H: in no factor is every list (2), \
         or of two lengths or more with an even one first"
    );
    assert_eq!(
        message(ConstructionKind::ExpansionF, &torus, &mesh),
        "expansion-f does not map this guest on this host: f: a guest dimension wraps, expected a line or mesh"
    );
}

#[test]
fn searches_on_the_largest_shapes_end() {
    let twos = machine(MachineKind::Hypercube, &[2; 32]);
    let fours = machine(MachineKind::Torus, &[4; 16]);
    let mixed = machine(MachineKind::Torus, &[2, 2, 2, 2, 2, 2, 4, 4, 4, 4, 8, 8, 8, 8, 16, 2, 2]);
    let other = machine(MachineKind::Mesh, &[16, 16, 4, 4, 8, 8, 32, 2, 2, 2, 4, 4, 4]);
    let awkward = machine(MachineKind::Torus, &[2, 3, 2, 5, 7, 2, 3, 11, 13, 2, 3, 2, 2, 2]);
    let large = machine(MachineKind::Mesh, &[22, 26, 15, 21, 6, 4, 2, 2]);
    for (guest, host) in
        [(&twos, &fours), (&fours, &twos), (&mixed, &other), (&other, &mixed), (&awkward, &large)]
    {
        // Whether the pair is covered does not matter; the test is that an answer comes.
        let _ = Construction::choose(guest, host);
        assert_eq!(guest.node_count(), host.node_count());
    }
}

/// A length list with its wraps, for a product of at most 4096.
fn random_shape() -> impl Strategy<Value = Vec<u64>> {
    proptest::collection::vec(2_u64..=9, 1..8).prop_map(|mut lengths| {
        while lengths.iter().product::<u64>() > 4096 {
            lengths.pop();
        }
        lengths
    })
}

/// Two shapes of one size: prime factors dealt to dimensions in two ways.
fn random_pair() -> impl Strategy<Value = (Vec<u64>, Vec<u64>)> {
    (random_shape(), proptest::collection::vec(0_usize..6, 12), proptest::collection::vec(0_usize..6, 12))
        .prop_map(|(shape, first, second)| {
            let primes = prime_factors(shape.iter().product());
            (dealt(&primes, &first), dealt(&primes, &second))
        })
}

fn prime_factors(mut number: u64) -> Vec<u64> {
    let mut primes = vec![];
    for prime in [2, 3, 5, 7] {
        while number.is_multiple_of(prime) {
            primes.push(prime);
            number /= prime;
        }
    }
    primes
}

fn dealt(primes: &[u64], owners: &[usize]) -> Vec<u64> {
    let mut lengths = vec![1; 6];
    for (prime, owner) in primes.iter().zip(owners) {
        lengths[*owner] *= prime;
    }
    lengths.retain(|&length| length > 1);
    lengths
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_pairs_up_to_4096_nodes_wrapping_anywhere_keep_every_promise(
        (guest, host) in random_pair(),
        guest_wraps in prop_oneof![Just(0), Just(63), 0_u32..64],
        host_wraps in prop_oneof![Just(0), Just(63), 0_u32..64],
    ) {
        check_all_kinds(&wrapping_bits(&guest, guest_wraps), &wrapping_bits(&host, host_wraps));
    }
}
