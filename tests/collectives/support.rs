//! Collectives as problems of the slow reference.

use cubefold_mapping::ProcessId;
use cubefold_reference::{
    grid::Grid,
    problem::Links,
    route::Tie,
    speeds::Speeds,
    stage_program::{Arbitration, Rotated, SizedMessage, StageProblem, Switching},
};
use cubefold_simulator::{End, Program};

/// The messages of a program, by stage and source.
///
/// # Panics
///
/// When what is sent is not received, when partners do not ascend, or when the program contradicts
/// itself on sizes.
pub(crate) fn messages(program: &dyn Program) -> Vec<SizedMessage> {
    let mut messages = Vec::new();
    for stage in 0..program.stage_count() {
        let mut received = Vec::new();
        let before = messages.len();
        for process in ProcessId::first(program.process_count()) {
            let message = |source: ProcessId, destination: ProcessId, units| {
                assert_eq!(units, program.units(stage, source, destination));
                let [source, destination] = [source, destination].map(|process| process.label() as usize);
                SizedMessage { stage, source, destination, units }
            };
            let peers = |end| {
                let mut peers = vec![];
                program.list(end, stage, process, &mut peers);
                assert!(peers.is_sorted_by(|one, next| one.process < next.process), "processes ascend");
                peers
            };
            let (to, from) = (peers(End::Source), peers(End::Destination));
            assert!(from.len() <= program.facts().max_received);
            messages.extend(to.into_iter().map(|peer| message(process, peer.process, peer.units)));
            received.extend(from.into_iter().map(|peer| message(peer.process, process, peer.units)));
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
pub(crate) fn problem(program: &dyn Program, shares: u32, lengths: &[u64], wrap: bool) -> StageProblem {
    let ranks = program.process_count() / u64::from(shares);
    let processes = || ProcessId::first(program.process_count());
    let of_stage = |stage| processes().map(|process| program.computation(stage, process).get()).collect();
    let computations: Vec<Vec<u64>> = (0..program.stage_count()).map(of_stage).collect();
    let all = || computations.iter().flatten();
    assert_eq!(all().map(|&cycles| u128::from(cycles)).sum::<u128>(), program.facts().total_compute);
    assert!(all().all(|&cycles| cycles <= program.facts().compute.get()));
    assert!(!program.facts().all_processes_compute || all().all(|&cycles| cycles > 0));
    StageProblem {
        grid: Grid { lengths: lengths.to_vec(), wraps: vec![wrap; lengths.len()] },
        wires: None,
        links: Links::FullDuplex,
        tie: Tie::Direct,
        hop_cycles: 1,
        latency_cycles: 0,
        speeds: Speeds::new(),
        switching: Switching::StoreAndForward,
        packet_units: None,
        arbitration: Arbitration::FirstCome,
        processors_per_node: shares as usize,
        local_cycles: (0, 0),
        eager_units: 0,
        nodes: (0..shares).flat_map(|_| 0..ranks).collect(),
        computations,
        messages: messages(program),
        explicit: None,
        rotated: program.has_turns().then(|| {
            let ranks = usize::try_from(ranks).unwrap();
            Rotated { groups: vec![(0..ranks).collect()], per_node: 1 }
        }),
        message_cost: 0,
    }
}
