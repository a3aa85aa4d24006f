//! Groups and sequences, run by the slow reference.

use std::num::NonZeroU64;

use cubefold_collectives::{
    Algorithm, Collective, CollectiveSpecification, Groups, LinkCosts, Operation, Ports, Step,
};
use cubefold_mapping::ProcessId;
use cubefold_reference::stage_program::{StageOutcome, run_stages};
use cubefold_simulator::Program;
use cubefold_topology::{LinkMode, Machine, MachineKind, NodeId, Shape};

use crate::support;

fn run(program: &dyn Program, shares: u32, lengths: &[u64]) -> StageOutcome {
    run_stages(&support::problem(program, shares, lengths, true))
}

fn specification(operation: Operation, algorithm: Algorithm, lengths: &[u64]) -> CollectiveSpecification {
    let plain = CollectiveSpecification::new(operation, algorithm, Shape::new(lengths).unwrap(), 96);
    CollectiveSpecification { compute_cycles: 10, ..plain }
}

fn grouped(plain: CollectiveSpecification, over: &[usize]) -> Collective {
    Groups::new(plain, over).unwrap().into()
}

fn step(plain: CollectiveSpecification, over: &[usize]) -> Step {
    Groups::new(plain, over).unwrap().into()
}

#[test]
fn lines_of_a_torus_do_not_disturb_each_other() {
    for (over, side) in [(0, 4), (1, 3), (2, 2)] {
        for algorithm in [Algorithm::Ring, Algorithm::Swing, Algorithm::Bucket, Algorithm::Trivance] {
            let lines = grouped(specification(Operation::AllReduce, algorithm, &[4, 3, 2]), &[over]);
            let alone = Collective::new(specification(Operation::AllReduce, algorithm, &[side])).unwrap();
            let makespan = run(&lines, 1, &[4, 3, 2]).makespan;
            assert_eq!(makespan, run(&alone, 1, &[side]).makespan, "{algorithm} over {over}");
        }
    }
}

#[test]
fn a_group_over_all_dimensions_is_the_collective() {
    let plain = CollectiveSpecification {
        ports: Ports::All,
        ..specification(Operation::AllReduce, Algorithm::Bucket, &[4, 2])
    };
    let all = run(&grouped(plain.clone(), &[0, 1]), 4, &[4, 2]);
    assert_eq!(all.rows, run(&Collective::new(plain).unwrap(), 4, &[4, 2]).rows);
}

#[test]
fn steps_of_equal_processes_take_the_sum_of_their_times() {
    let gather = step(specification(Operation::AllGather, Algorithm::Ring, &[4, 4]), &[0]);
    let scatter = step(specification(Operation::ReduceScatter, Algorithm::Ring, &[4, 4]), &[1]);
    let alone = [&gather, &scatter].map(|step| {
        let collective = Collective::of_steps(vec![step.clone()]).unwrap();
        run(&collective, 1, &[4, 4]).makespan
    });
    let sequence = Collective::of_steps(vec![gather, Step::Computation(1000), scatter]).unwrap();
    let torus = Machine::new(MachineKind::Torus, &[4, 4]).unwrap();
    let nodes: Vec<NodeId> = torus.nodes().collect();
    let costs = LinkCosts {
        link_mode: LinkMode::FullDuplex,
        hop_cycles: 1,
        latency_cycles: 0,
        message_cost: 0,
        switches_reduce: false,
    };
    // Data go 2 links in each step, after the cost of starting it.
    assert_eq!(sequence.bounds(&torus, &nodes, costs).latency_cycles, 1000 + 2 * (10 + 2));
    // 72 units enter every node in the first step, 24 in the second, over 4 channels.
    assert_eq!(sequence.bounds(&torus, &nodes, costs).bandwidth_cycles, 24);
    assert_eq!((sequence.stage_count(), sequence.share_count()), (7, 1));
    assert_eq!(run(&sequence, 1, &[4, 4]).makespan, alone[0] + 1000 + alone[1]);
}

#[test]
fn a_rank_begins_a_step_when_all_its_shares_have_finished_the_one_before() {
    let all_ports = |operation| CollectiveSpecification {
        ports: Ports::All,
        ..specification(operation, Algorithm::Swing, &[6, 2])
    };
    let steps = vec![
        step(all_ports(Operation::ReduceScatter), &[0, 1]),
        step(specification(Operation::Broadcast, Algorithm::Binomial, &[6, 2]), &[0, 1]),
        Step::Computation(5),
        step(all_ports(Operation::AllGather), &[0]),
        step(all_ports(Operation::AllReduce), &[0, 1]),
    ];
    let sequence = Collective::of_steps(steps).unwrap();
    assert_eq!(sequence.share_count(), 4);
    let outcome = run(&sequence, 4, &[6, 2]);
    let last_stage =
        |step: usize| (0..sequence.stage_count()).rfind(|&stage| sequence.step(stage) == Some(step)).unwrap();
    let first_stage =
        |step: usize| (0..sequence.stage_count()).find(|&stage| sequence.step(stage) == Some(step)).unwrap();
    let shares = [4, 1, 1, 2, 4];
    for step in 1..5 {
        for rank in 0..12 {
            let (before, here) = (last_stage(step - 1), first_stage(step));
            let finish = |share: usize| outcome.rows[before][share * 12 + rank].finish;
            let finished = (0..shares[step - 1]).map(finish).max().unwrap();
            for share in 0..shares[step] {
                let process = share * 12 + rank;
                let begun = outcome.rows[here - 1][process].finish;
                assert_eq!(begun, finished, "share {share} of rank {rank} at step {step}");
            }
        }
    }
}

#[test]
fn stages_that_repeat_have_the_messages_and_computations_of_the_stage_before() {
    let mut repeated = 0;
    for algorithm in [Algorithm::Ring, Algorithm::HamiltonianRings, Algorithm::Bucket] {
        for (units, rate) in [(64, None), (64, Some(3)), (65, None)] {
            let ports = if algorithm == Algorithm::Bucket { Ports::All } else { Ports::One };
            let asked = CollectiveSpecification {
                vector_units: units,
                ports,
                reduce_units_per_cycle: rate.and_then(NonZeroU64::new),
                ..specification(Operation::AllReduce, algorithm, &[4, 4])
            };
            let collective = Collective::new(asked).unwrap();
            for stage in (0..collective.stage_count()).filter(|&stage| collective.repeats(stage)) {
                repeated += 1;
                for process in ProcessId::first(collective.process_count()) {
                    assert_eq!(collective.sends(stage, process), collective.sends(stage - 1, process));
                    assert_eq!(collective.receives(stage, process), collective.receives(stage - 1, process));
                    assert_eq!(
                        collective.computation(stage, process),
                        collective.computation(stage - 1, process)
                    );
                }
            }
        }
    }
    // Of 2 * 15 stages of a ring, and of 4 * 3 of bucket, all but the first, or the first two, of
    // each phase.
    assert_eq!(repeated, 2 * 2 * (14 + 13) + 4 * (2 + 1));
}
