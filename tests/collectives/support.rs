//! Collectives as problems of the slow reference.

use cubefold_mapping::ProcessId;
use cubefold_reference::{
    grid::Grid,
    problem::Links,
    route::Tie,
    stage_program::{Arbitration, SizedMessage, StageProblem, Switching},
};
use cubefold_simulator::Program;

/// The messages of a program, by stage and source.
///
/// # Panics
///
/// When what is sent is not received, when partners do not ascend, or when the program contradicts
/// itself on sizes.
pub(crate) fn messages(program: &impl Program) -> Vec<SizedMessage> {
    let mut messages = Vec::new();
    for stage in 0..program.stage_count() {
        let mut received = Vec::new();
        let before = messages.len();
        for process in ProcessId::first(program.process_count()) {
            let message = |source: ProcessId, destination: ProcessId| SizedMessage {
                stage,
                source: source.label() as usize,
                destination: destination.label() as usize,
                units: program.units(stage, source, destination),
            };
            let destinations: Vec<_> = program.destinations(stage, process).collect();
            assert!(destinations.is_sorted_by(|a, b| a < b), "destinations ascend");
            messages.extend(destinations.into_iter().map(|destination| message(process, destination)));
            let sources: Vec<_> = program.sources(stage, process).collect();
            assert!(sources.is_sorted_by(|a, b| a < b), "sources ascend");
            assert!(sources.len() <= program.max_received());
            received.extend(sources.into_iter().map(|source| message(source, process)));
        }
        received.sort_unstable();
        assert_eq!(messages[before..], received[..], "what is sent is received");
        let largest = received.iter().map(|message| message.units).max();
        assert_eq!(largest.unwrap_or(1), program.max_units(stage));
    }
    messages
}

/// A program with so many processes a rank on a full-duplex torus or mesh without latency: rank `r`
/// on node `r`.
///
/// # Panics
///
/// As [`messages`]; when the program contradicts itself on computations.
pub(crate) fn problem(program: &impl Program, shares: u32, lengths: &[u64], wrap: bool) -> StageProblem {
    let ranks = program.process_count() / u64::from(shares);
    let processes = || ProcessId::first(program.process_count());
    let of_stage = |stage| processes().map(|process| program.computation(stage, process).get()).collect();
    let computations: Vec<Vec<u64>> = (0..program.stage_count()).map(of_stage).collect();
    let all = || computations.iter().flatten();
    assert_eq!(all().map(|&cycles| u128::from(cycles)).sum::<u128>(), program.total_compute());
    assert!(all().all(|&cycles| cycles <= program.compute().get()));
    assert!(!program.all_processes_compute() || all().all(|&cycles| cycles > 0));
    StageProblem {
        grid: Grid { lengths: lengths.to_vec(), wraps: vec![wrap; lengths.len()] },
        wires: None,
        links: Links::FullDuplex,
        tie: Tie::Direct,
        hop_cycles: 1,
        latency_cycles: 0,
        switching: Switching::StoreAndForward,
        packet_units: None,
        arbitration: Arbitration::FirstCome,
        processors_per_node: shares as usize,
        local_cycles: (0, 0),
        eager_units: 0,
        nodes: (0..shares).flat_map(|_| 0..ranks).collect(),
        computations,
        messages: messages(program),
    }
}
