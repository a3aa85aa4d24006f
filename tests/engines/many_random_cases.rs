//! Every engine and every shortcut equals the reference, row by row, on a fixed list of random cases of
//! compute-and-communicate programs: a share of them in every run of the tests, all of them on request.

use std::sync::Arc;

use cubefold_mapping::{EmbeddingKind, Guest, Hypercube, Placement, PlacementTable};
use cubefold_simulator::{Communication, CubeProgram, Cycles};
use cubefold_topology::{LinkMode, Machine, MachineKind, NodeId, TieRule, Wrap};
use rand::{Rng, RngExt, SeedableRng, seq::IndexedRandom, seq::SliceRandom};
use rand_chacha::ChaCha12Rng;
use rayon::prelude::*;

use crate::engines_equal_reference::check_asynchronous;
use crate::random_problem::Case;

const ALL: u64 = 20_000;
/// The number of cases in every run of the tests.
const SHARE: u64 = 100;
/// The least part of the cases with blocked cycles, in percent.
const BLOCKED: u64 = 40;

const POWERS_OF_TWO: [u64; 6] = [2, 4, 8, 16, 32, 64];
const ANY_LENGTHS: [u64; 14] = [2, 3, 4, 5, 6, 7, 8, 9, 11, 16, 21, 33, 48, 64];

#[test]
fn a_share_of_the_cases() {
    check_cases(SHARE);
}

#[test]
#[ignore = "half an hour: 20 000 cases"]
fn all_cases() {
    check_cases(ALL);
}

fn check_cases(count: u64) {
    let blocked = (0..count)
        .into_par_iter()
        .filter(|&number| {
            let case = case(number);
            check_asynchronous(&case).unwrap_or_else(|error| panic!("case {number}: {error}\n{case:?}"))
        })
        .count() as u64;
    assert!(100 * blocked >= BLOCKED * count, "{blocked} of {count} cases with blocked cycles");
}

pub(crate) fn case(number: u64) -> Case {
    let generator = &mut ChaCha12Rng::seed_from_u64(number);
    // Large machines take the reference long: most cases are small.
    let most = *[64, 64, 256, 256, 1024, 4096].choose(generator).unwrap();
    let (cube, placement) = placement(generator, most);
    let links = *[LinkMode::FullDuplex, LinkMode::FullDuplex, LinkMode::FullDuplex, LinkMode::HalfDuplex]
        .choose(generator)
        .unwrap();
    let (hop, compute) = (generator.random_range(1..=7), *[0, 1, 3, 10, 30, 100].choose(generator).unwrap());
    // The rules that existed when the digests of these cases were written; other tests use all of them.
    let tie = *[TieRule::Direct, TieRule::Positive, TieRule::Negative].choose(generator).unwrap();
    let compute = generator.random_range(0..=compute);
    let stages = stages(generator, cube).into_iter().map(|number| cube.dimension(number).unwrap()).collect();
    Case {
        placement,
        communication: Communication::new(links, Cycles::new(hop), tie).unwrap(),
        program: Arc::new(CubeProgram::new(cube, stages, Cycles::new(compute)).unwrap()),
    }
}

/// A named embedding, a random bijection, or random nodes of a machine with more of them than processes.
fn placement(generator: &mut impl Rng, most: u64) -> (Hypercube, Placement) {
    let named = generator.random_bool(0.5);
    let lengths: &[u64] = if named || generator.random() { &POWERS_OF_TWO } else { &ANY_LENGTHS };
    let machine = machine(generator, most, lengths);
    let largest = u64::from(machine.node_count().ilog2());
    if named {
        let cube = Hypercube::new(largest).unwrap();
        let kind = *EmbeddingKind::ALL.choose(generator).unwrap();
        return (cube, Placement::embed(kind, cube, &machine).unwrap());
    }
    let fewer = if generator.random_bool(0.7) { 0 } else { generator.random_range(0..largest) };
    let cube = Hypercube::new(largest - fewer).unwrap();
    let mut nodes: Vec<NodeId> = machine.nodes().collect();
    nodes.shuffle(generator);
    nodes.truncate(usize::try_from(cube.process_count()).unwrap());
    (cube, Placement::Table(PlacementTable::new(&machine, nodes).unwrap()))
}

/// A machine of 1 to 4 dimensions and at most `most` nodes, each dimension wrapping or not.
fn machine(generator: &mut impl Rng, most: u64, lengths: &[u64]) -> Machine {
    let (mut shape, mut wraps, mut nodes) = (vec![], vec![], 1);
    for _ in 0..generator.random_range(1..=4) {
        let fitting: Vec<u64> = lengths.iter().copied().filter(|length| nodes * length <= most).collect();
        let Some(&length) = fitting.choose(generator) else { break };
        nodes *= length;
        shape.push(length);
        wraps.push(if generator.random() { Wrap::Around } else { Wrap::Open });
    }
    Machine::with_wraps(MachineKind::Torus, &shape, &wraps).unwrap()
}

/// The dimensions of the stages: in order, of a bitonic sort, or any with repeats.
fn stages(generator: &mut impl Rng, cube: Hypercube) -> Vec<u64> {
    let dimensions = u64::from(cube.dimension_count());
    match generator.random_range(0..5) {
        0 | 1 => (0..dimensions).collect(),
        2 => (0..dimensions.min(6)).flat_map(|top| (0..=top).rev()).collect(),
        _ => (0..generator.random_range(1..=12)).map(|_| generator.random_range(0..dimensions)).collect(),
    }
}
