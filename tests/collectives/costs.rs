//! Textbook costs of algorithms without contention, to the cycle.
//!
//! A stage in which every process sends `b` units over `d` links of its own takes `COMPUTE + d
//! LATENCY + HOP (d - 1 + b)` with cut-through; a collective of such stages takes the sum.

use cubefold_collectives::{Algorithm, Collective, CollectiveSpecification, Exchange, Operation, Ports};
use cubefold_reference::stage_program::{Switching, run_stages};
use cubefold_topology::Shape;

use crate::support;

const HOP: u64 = 3;
const LATENCY: u64 = 40;
const COMPUTE: u64 = 100;

/// The makespan on a torus of the collective's shape with cut-through \[cycles\].
fn makespan(specification: CollectiveSpecification) -> u64 {
    let collective = Collective::new(specification).unwrap();
    let lengths = collective.shape().lengths();
    let mut problem = support::problem(&collective, collective.share_count(), lengths, true);
    problem.hop_cycles = HOP;
    problem.latency_cycles = LATENCY;
    problem.switching = Switching::CutThrough;
    run_stages(&problem).makespan
}

fn specification(
    operation: Operation,
    algorithm: Algorithm,
    lengths: &[u64],
    units: u64,
) -> CollectiveSpecification {
    let shape = Shape::new(lengths).unwrap();
    let plain = CollectiveSpecification::new(operation, algorithm, shape, units);
    CollectiveSpecification { compute_cycles: COMPUTE, ..plain }
}

/// A stage in which messages of so many units go so many links \[cycles\].
fn stage(units: u64, links: u64) -> u64 {
    COMPUTE + links * LATENCY + HOP * (links - 1 + units)
}

#[test]
fn a_ring_takes_its_stages_with_a_block_each() {
    for ranks in [2, 3, 8, 13] {
        let units = 6 * ranks;
        let of = |operation, algorithm| makespan(specification(operation, algorithm, &[ranks], units));
        let half = (ranks - 1) * stage(6, 1);
        assert_eq!(of(Operation::ReduceScatter, Algorithm::Ring), half);
        assert_eq!(of(Operation::AllGather, Algorithm::Ring), half);
        assert_eq!(of(Operation::AllReduce, Algorithm::Ring), 2 * half);
        // Halves in both directions use both channels of a link. Between two ranks there is one
        // channel for both.
        if ranks > 2 {
            assert_eq!(of(Operation::AllReduce, Algorithm::BidirectionalRing), 2 * (ranks - 1) * stage(3, 1));
        }
    }
}

#[test]
fn hamiltonian_rings_take_a_quarter_of_a_block_a_stage() {
    for lengths in [[4, 4], [3, 9], [9, 3], [4, 8], [5, 5]] {
        let ranks = lengths[0] * lengths[1];
        let asked = specification(Operation::AllReduce, Algorithm::HamiltonianRings, &lengths, 8 * ranks);
        assert_eq!(makespan(asked), 2 * (ranks - 1) * stage(2, 1), "{lengths:?}");
    }
}

#[test]
fn bucket_takes_shrinking_blocks_along_each_dimension() {
    let lengths = [4, 3, 2];
    let one_port = specification(Operation::AllReduce, Algorithm::Bucket, &lengths, 24);
    // Messages of 6 units in 3 stages, of 2 in 2 stages, of 1 in 1 stage, and back.
    assert_eq!(makespan(one_port), 2 * (3 * stage(6, 1) + 2 * stage(2, 1) + stage(1, 1)));
    for side in [3, 4, 5] {
        let units = 4 * side * side;
        let all_ports = CollectiveSpecification {
            ports: Ports::All,
            ..specification(Operation::AllReduce, Algorithm::Bucket, &[side, side], units)
        };
        assert_eq!(makespan(all_ports), 2 * (side - 1) * (stage(side, 1) + stage(1, 1)));
    }
}

#[test]
fn pairwise_exchanges_take_the_distance_of_each_stage() {
    // On a hypercube the messages of stage s go as many links as s has bits, each over links of its
    // own.
    for dimensions in 1..=4_u32 {
        let lengths = vec![2; dimensions as usize];
        let ranks = 1_u64 << dimensions;
        let asked = specification(Operation::AllToAll, Algorithm::Pairwise, &lengths, 5 * ranks);
        let expected: u64 = (1..ranks).map(|step| stage(5, step.count_ones().into())).sum();
        assert_eq!(makespan(asked), expected);
    }
}

#[test]
fn recursive_doubling_on_a_hypercube_takes_halves_or_wholes() {
    let lengths = [2; 4];
    let asked = |exchange| CollectiveSpecification {
        exchange: Some(exchange),
        ..specification(Operation::AllReduce, Algorithm::RecursiveDoubling, &lengths, 48)
    };
    assert_eq!(makespan(asked(Exchange::Whole)), 4 * stage(48, 1));
    let halves: u64 = [24, 12, 6, 3].into_iter().map(|units| stage(units, 1)).sum();
    assert_eq!(makespan(asked(Exchange::Halving)), 2 * halves);
    let tree = specification(Operation::Broadcast, Algorithm::Binomial, &lengths, 48);
    assert_eq!(makespan(tree), 4 * stage(48, 1));
}
