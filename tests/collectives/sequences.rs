//! Groups and sequences, run by the slow reference.

use cubefold_collectives::{
    Algorithm, Collective, CollectiveSequence, CollectiveSpecification, GroupedCollective, Operation, Ports,
    SequenceStep,
};
use cubefold_reference::stage_program::{StageOutcome, run_stages};
use cubefold_simulator::Program;
use cubefold_topology::Shape;

use crate::support;

fn run(program: &impl Program, shares: u32, lengths: &[u64]) -> StageOutcome {
    run_stages(&support::problem(program, shares, lengths, true))
}

fn specification(operation: Operation, algorithm: Algorithm, lengths: &[u64]) -> CollectiveSpecification {
    let plain = CollectiveSpecification::new(operation, algorithm, Shape::new(lengths).unwrap(), 96);
    CollectiveSpecification { compute_cycles: 10, ..plain }
}

fn grouped(plain: CollectiveSpecification, over: &[usize]) -> GroupedCollective {
    GroupedCollective::new(plain, over).unwrap()
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
    let gather = grouped(specification(Operation::AllGather, Algorithm::Ring, &[4, 4]), &[0]);
    let scatter = grouped(specification(Operation::ReduceScatter, Algorithm::Ring, &[4, 4]), &[1]);
    let alone = [&gather, &scatter].map(|step| run(step, 1, &[4, 4]).makespan);
    let steps = vec![gather.into(), SequenceStep::Computation(1000), scatter.into()];
    let sequence = CollectiveSequence::new(steps).unwrap();
    assert_eq!((sequence.stage_count(), sequence.share_count()), (7, 1));
    assert_eq!(run(&sequence, 1, &[4, 4]).makespan, alone[0] + 1000 + alone[1]);
}

#[test]
fn a_rank_begins_a_step_when_all_its_shares_have_finished_the_one_before() {
    let all_ports = |operation| CollectiveSpecification {
        ports: Ports::All,
        ..specification(operation, Algorithm::Swing, &[6, 2])
    };
    let broadcast = grouped(specification(Operation::Broadcast, Algorithm::Binomial, &[6, 2]), &[0, 1]);
    let steps: Vec<SequenceStep> = vec![
        grouped(all_ports(Operation::ReduceScatter), &[0, 1]).into(),
        broadcast.into(),
        SequenceStep::Computation(5),
        grouped(all_ports(Operation::AllGather), &[0]).into(),
        grouped(all_ports(Operation::AllReduce), &[0, 1]).into(),
    ];
    let sequence = CollectiveSequence::new(steps).unwrap();
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
