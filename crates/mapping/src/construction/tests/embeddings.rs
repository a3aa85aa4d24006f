//! One-to-one constructions on every pair of shapes of a size, and on random larger ones.

use cubefold_topology::{Machine, MachineKind, Wrap};
use proptest::prelude::*;

use super::support::{check, machines, processes, shapes};
use crate::{Construction, ConstructionKind};

/// Checks every construction that covers a pair; gives the number of those.
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

/// All pairs of machines of these sizes; gives how many constructions were checked.
fn check_all_pairs(guest_size: u64, host_size: u64) -> usize {
    let all = |size| shapes(size).iter().flat_map(|shape| machines(shape)).collect::<Vec<_>>();
    let hosts = all(host_size);
    let pairs = all(guest_size);
    pairs.iter().flat_map(|guest| hosts.iter().map(move |host| check_all_kinds(guest, host))).sum()
}

#[test]
fn every_construction_is_a_bijection_with_its_inverse_and_its_dilation_on_all_pairs_up_to_64_nodes() {
    let checked: usize = (2..=64).map(|size| check_all_pairs(size, size)).sum();
    assert!(checked > 30_000, "{checked} constructions");
}

#[test]
#[ignore = "takes a minute or so: all pairs of shapes of 65 to 128 nodes"]
fn every_construction_is_a_bijection_with_its_inverse_and_its_dilation_on_all_pairs_up_to_128_nodes() {
    let checked: usize = (65..=128).map(|size| check_all_pairs(size, size)).sum();
    assert!(checked > 100_000, "{checked} constructions");
}

#[test]
#[ignore = "takes half a minute: every process of guests of 2^24"]
fn every_process_of_2_to_the_24_is_found_again_on_its_node() {
    let square = |kind, length: u64, dimensions| Machine::new(kind, &vec![length; dimensions]).unwrap();
    let cube = square(MachineKind::Hypercube, 2, 24);
    let torus = square(MachineKind::Torus, 4096, 2);
    let mesh = square(MachineKind::Mesh, 256, 3);
    for (guest, host) in [(&cube, &torus), (&torus, &cube), (&torus, &mesh), (&mesh, &torus)] {
        let construction = Construction::choose(guest, host).unwrap();
        for process in processes(guest) {
            assert_eq!(construction.process(construction.node(process)), process);
        }
    }
}

#[test]
fn square_graphs_of_coprime_and_other_dimensions_reach_each_other() {
    let square = |kind, length: u64, dimensions| Machine::new(kind, &vec![length; dimensions]).unwrap();
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
        ((9, 5), (243, 2)),
        ((243, 2), (9, 5)),
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
    let cylinder = |wraps: [Wrap; 2]| Machine::with_wraps(MachineKind::Mesh, &[4, 4], &wraps).unwrap();
    let upright = cylinder([Wrap::Around, Wrap::Open]);
    let lying = cylinder([Wrap::Open, Wrap::Around]);
    let links = |guest: &Machine, host: &Machine| Construction::choose(guest, host).unwrap().dilation().links;
    assert_eq!(links(&upright, &upright), 1);
    assert_eq!(links(&upright, &lying), 1);
    assert_eq!(links(&upright, &cylinder([Wrap::Open, Wrap::Open])), 2);
    assert_eq!(links(&cylinder([Wrap::Around, Wrap::Around]), &upright), 2);
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

fn machine(lengths: &[u64], wraps: u32) -> Machine {
    let wrap = |at| if wraps >> at & 1 == 1 { Wrap::Around } else { Wrap::Open };
    let wraps: Vec<Wrap> = (0..lengths.len()).map(wrap).collect();
    Machine::with_wraps(MachineKind::Mesh, lengths, &wraps).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_pairs_up_to_4096_nodes_wrapping_anywhere_keep_every_promise(
        (guest, host) in random_pair(),
        guest_wraps in prop_oneof![Just(0), Just(63), 0_u32..64],
        host_wraps in prop_oneof![Just(0), Just(63), 0_u32..64],
    ) {
        check_all_kinds(&machine(&guest, guest_wraps), &machine(&host, host_wraps));
    }
}
