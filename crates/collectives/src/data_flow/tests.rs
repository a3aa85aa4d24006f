use std::{
    collections::BTreeSet,
    num::{NonZeroU32, NonZeroU64, NonZeroUsize},
    sync::atomic::{AtomicUsize, Ordering},
};

use cubefold_topology::{Shape, narrow};

use super::*;
use crate::{Algorithm, Channels, CollectiveSpecification, Exchange, Fold, Ports, ShareRule};

/// Returns every shape of `rank_count` ranks with at most `dimension_count` dimensions, in every order
/// of the sides.
fn shapes(rank_count: u64, dimension_count: usize) -> Vec<Vec<u64>> {
    let mut shapes = vec![vec![rank_count]];
    if dimension_count > 1 {
        for first in (2..=rank_count / 2).filter(|&first| rank_count.is_multiple_of(first)) {
            let rest = self::shapes(rank_count / first, dimension_count - 1);
            shapes.extend(rest.into_iter().map(|rest| [vec![first], rest].concat()));
        }
    }
    shapes
}

/// Whether the logical shape makes a difference to an algorithm.
fn uses_shape(algorithm: Algorithm) -> bool {
    use Algorithm::{Bucket, ByDimension, HamiltonianRings, Mirrored, RecursiveDoubling, Swing, Trivance};
    matches!(
        algorithm,
        RecursiveDoubling | Mirrored | Swing | Trivance | HamiltonianRings | Bucket | ByDimension
    )
}

/// Every collective defined on a shape, without a vector.
fn specifications(lengths: &[u64]) -> Vec<CollectiveSpecification> {
    let shape = Shape::new(lengths).unwrap();
    let mut all = Vec::new();
    for algorithm in Algorithm::ALL {
        if lengths.len() > 1 && !uses_shape(algorithm) {
            continue;
        }
        let descriptor = algorithm.descriptor();
        for &operation in descriptor.operations {
            let exchanges: &[Option<Exchange>] = if descriptor.has_exchange(operation) {
                &[Some(Exchange::Whole), Some(Exchange::Halving)]
            } else {
                &[None]
            };
            let ports = if descriptor.shares == ShareRule::Ports { &Ports::ALL[..] } else { &[Ports::One] };
            for &exchange in exchanges {
                for &ports in ports {
                    let plain = CollectiveSpecification::new(operation, algorithm, shape.clone(), 0);
                    let asked = CollectiveSpecification { exchange, ports, ..plain };
                    let tail = CollectiveSpecification { fold: Fold::Tail, ..asked.clone() };
                    all.extend(tail.is_folded().then_some(tail));
                    all.extend(with_channels(&asked));
                    all.extend(asked.check().is_ok().then_some(asked));
                }
            }
        }
    }
    all
}

/// The collective as channels through nodes of every size, if it has channels.
fn with_channels(plain: &CollectiveSpecification) -> Vec<CollectiveSpecification> {
    let ranks = narrow(plain.rank_count());
    let sizes = (1..=ranks).filter(|devices| ranks.is_multiple_of(*devices));
    let each = sizes.flat_map(|devices| [1, 2, devices + 1].map(|count| (devices, count)));
    let asked = each.map(|(ranks_per_node, count)| {
        let backwards: Vec<u32> = (0..ranks_per_node).rev().collect();
        let rings = if count == 1 { vec![backwards] } else { vec![] };
        let channels = Some(Channels { count: NonZeroU32::new(count).unwrap(), rings });
        CollectiveSpecification { ranks_per_node, channels, ..plain.clone() }
    });
    asked.filter(|asked| asked.check().is_ok()).collect()
}

/// The algorithm with a vector of `vector_units` units, and this root if it has one.
fn with_vector(plain: &CollectiveSpecification, vector_units: u64, root: u64) -> GroupAlgorithm {
    let root = if plain.operation.descriptor().has_root { narrow(root) } else { 0 };
    GroupAlgorithm::new(CollectiveSpecification { vector_units, root, ..plain.clone() }).unwrap()
}

fn assert_right(algorithm: &GroupAlgorithm) {
    let outcome = algorithm.replay(Some);
    assert!(outcome.is_ok(), "{:?}: {outcome:?}", algorithm.specification());
}

/// Replays every collective on up to `most` processes, the larger ones first, on all processors: with the vectors
/// that `vectors` returns for the number of ranks, and the root that `root` returns, modulo that number, for the
/// number of the specification on the shape and the vector.
fn replay_all<V: Iterator<Item = u64>>(
    most: u64,
    vectors: impl Fn(u64) -> V + Sync,
    root: impl Fn(u64, u64) -> u64 + Sync,
) {
    let on_shape = |(ranks, lengths): (u64, Vec<u64>)| {
        (0..).zip(specifications(&lengths)).map(move |(turn, plain)| (ranks, turn, plain))
    };
    let shapes =
        (2..=most).rev().flat_map(|ranks| shapes(ranks, 6).into_iter().map(move |shape| (ranks, shape)));
    let all: Vec<(u64, u64, CollectiveSpecification)> = shapes.flat_map(on_shape).collect();
    let next = AtomicUsize::new(0);
    let work = || {
        while let Some((ranks, turn, plain)) = all.get(next.fetch_add(1, Ordering::Relaxed)) {
            for units in vectors(*ranks) {
                assert_right(&with_vector(plain, units, root(*turn, units) % ranks));
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, NonZeroUsize::get) {
            scope.spawn(work);
        }
    });
}

#[test]
fn every_collective_on_up_to_27_processes_keeps_its_promise() {
    let vectors = |ranks| [1, ranks - 1, ranks, ranks + 1, 3 * ranks - 1].into_iter();
    replay_all(27, vectors, |turn, _| turn);
}

#[test]
#[ignore = "takes minutes: every vector up to three units a process, on every shape up to 64 processes"]
fn every_collective_keeps_its_promise_with_every_small_vector() {
    replay_all(64, |ranks| 1..=3 * ranks, |_, units| units);
}

#[test]
fn leaving_out_or_changing_any_one_message_is_noticed() {
    for ranks in 2..=12 {
        for lengths in shapes(ranks, 3) {
            for plain in specifications(&lengths) {
                let algorithm = with_vector(&plain, 2 * ranks + 1, ranks / 2);
                let count: usize = (0..algorithm.stage_count()).map(|at| algorithm.flow(at).count()).sum();
                for broken in 0..count {
                    let break_one = |change: fn(FlowMessage) -> Option<FlowMessage>| {
                        let mut number = 0;
                        algorithm.replay(|message| {
                            number += 1;
                            if number == broken + 1 { change(message) } else { Some(message) }
                        })
                    };
                    let outcomes = [
                        break_one(|_| None),
                        break_one(|message| Some(FlowMessage { units: message.units + 1, ..message })),
                    ];
                    let seen = outcomes.iter().all(Result::is_err);
                    assert!(seen, "message {broken} of {:?}: {outcomes:?}", algorithm.specification());
                }
            }
        }
    }
}

/// Checks that the two ends of every message agree, and the sums with their summands.
fn assert_consistent(algorithm: &GroupAlgorithm) {
    let (mut total, mut before, mut sizes) = (0, 0, BTreeSet::new());
    let mut seen = BTreeSet::new();
    for stage in 0..algorithm.stage_count() {
        let (mut outgoing, mut incoming) = (Vec::new(), Vec::new());
        for place in algorithm.places() {
            let (mut sends, mut receives) = (vec![], vec![]);
            algorithm
                .list(stage, place, End::Source, &mut |to, units| sends.push((algorithm.number(to), units)));
            algorithm.list(stage, place, End::Destination, &mut |from, units| {
                receives.push((algorithm.number(from), units));
            });
            assert!(sends.is_sorted_by(|a, b| a.0 < b.0) && receives.is_sorted_by(|a, b| a.0 < b.0));
            assert!(receives.len() <= algorithm.facts().max_received);
            let cycles = algorithm.computation(stage, place);
            let reduced = algorithm.units_to_reduce(stage, place);
            let rate = algorithm.specification().reduce_units_per_cycle;
            let is_between_ranks = algorithm.locate(stage).1.messages().is_some();
            let exchanges = is_between_ranks && !(sends.is_empty() && receives.is_empty());
            let expected = u64::from(exchanges) * algorithm.specification().compute_cycles
                + rate.map_or(0, |rate| reduced.div_ceil(rate.get()));
            assert_eq!(cycles, expected);
            assert!(cycles <= algorithm.facts().compute.get());
            total += u128::from(cycles);
            let number = algorithm.number(place);
            outgoing.extend(sends.into_iter().map(|(to, units)| (number, to, units)));
            incoming.extend(receives.into_iter().map(|(from, units)| (from, number, units)));
        }
        incoming.sort_unstable();
        assert_eq!(outgoing, incoming);
        let largest = outgoing.iter().map(|message| message.2).max().unwrap_or(0);
        assert_eq!(algorithm.max_units(stage), largest);
        sizes.extend(outgoing.iter().map(|message| message.2));
        let pairs = || outgoing.iter().map(|&(from, to, _)| (from, to));
        let rank = |number: usize| number % algorithm.rank_count() as usize;
        let is_between_ranks = |&(from, to): &(usize, usize)| rank(from) != rank(to);
        let mut between_ranks = pairs().filter(is_between_ranks);
        assert!(
            !algorithm.adds_no_pairs(stage) || between_ranks.all(|between_rank| seen.contains(&between_rank))
        );
        seen.extend(pairs());
        assert!(!algorithm.repeats(stage) || largest == before);
        before = largest;
    }
    assert_eq!(total, algorithm.facts().total_compute);
    let one_size = sizes.first().copied().filter(|_| sizes.len() == 1);
    assert_eq!(algorithm.facts().uniform_units, one_size);
}

#[test]
fn both_ends_of_every_message_agree_and_sums_are_those_of_all_stages() {
    let mut turn = 0;
    for ranks in 2..=30 {
        for lengths in shapes(ranks, 4) {
            for plain in specifications(&lengths) {
                turn += 1;
                let vector_units = [1, ranks - 1, ranks, ranks + 1, 3 * ranks - 1][turn % 5];
                let reduce_units_per_cycle = NonZeroU64::new([0, 3][turn % 2]);
                let asked = CollectiveSpecification {
                    vector_units,
                    compute_cycles: 7,
                    reduce_units_per_cycle,
                    ..plain
                };
                assert_consistent(&GroupAlgorithm::new(asked).unwrap());
            }
        }
    }
}

#[test]
fn cubes_are_crossed_in_any_order() {
    let shape = Shape::new(&[4, 2, 4]).unwrap();
    let plain = CollectiveSpecification::new(Operation::AllReduce, Algorithm::RecursiveDoubling, shape, 77);
    for order in [[0, 1, 2, 3, 4], [4, 3, 2, 1, 0], [2, 4, 0, 3, 1]] {
        let ordered = CollectiveSpecification { cube_dimensions: Some(order.to_vec()), ..plain.clone() };
        let algorithm = GroupAlgorithm::new(ordered).unwrap();
        assert_right(&algorithm);
        for (stage, dimension) in order.into_iter().enumerate() {
            algorithm.list(stage, Place { share: 0, rank: 5 }, End::Source, &mut |to, _| {
                assert_eq!(to.rank, 5 ^ 1 << dimension);
            });
        }
    }
}
