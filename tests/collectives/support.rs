//! Collectives as problems of the slow reference.

use cubefold_collectives::Collective;
use cubefold_mapping::ProcessId;
use cubefold_reference::{
    grid::Grid,
    problem::Links,
    route::Tie,
    stage_program::{Arbitration, SizedMessage, StageProblem, Switching},
};

/// The messages of a collective, by stage and source; each is sent and received alike.
pub(crate) fn messages(collective: &Collective) -> Vec<SizedMessage> {
    let mut messages = Vec::new();
    for stage in 0..collective.stage_count() {
        let mut received = Vec::new();
        let before = messages.len();
        for process in ProcessId::first(collective.process_count()) {
            let here = process.label() as usize;
            let sent: Vec<_> = collective.sends(stage, process).collect();
            assert!(sent.is_sorted_by(|a, b| a.0 < b.0), "destinations ascend");
            let units = |to| collective.units(stage, process, to);
            assert!(sent.iter().all(|&(to, size)| units(to) == size), "sizes are those of what is sent");
            messages.extend(sent.iter().map(|&(destination, units)| SizedMessage {
                stage,
                source: here,
                destination: destination.label() as usize,
                units,
            }));
            let sources: Vec<_> = collective.receives(stage, process).collect();
            assert!(sources.is_sorted_by(|a, b| a.0 < b.0), "sources ascend");
            assert!(sources.len() <= collective.max_received());
            received.extend(sources.iter().map(|&(source, units)| SizedMessage {
                stage,
                source: source.label() as usize,
                destination: here,
                units,
            }));
        }
        received.sort_unstable();
        assert_eq!(messages[before..], received[..], "what is sent is received");
        assert_eq!(
            received.iter().map(|message| message.units).max().unwrap_or(0),
            collective.max_units(stage)
        );
    }
    messages
}

/// A collective on a full-duplex torus or mesh of this shape without latency: rank `r` on node `r`.
pub(crate) fn problem(collective: &Collective, lengths: &[u64], wrap: bool) -> StageProblem {
    let nodes = 0..collective.rank_count();
    let computations = (0..collective.stage_count()).map(|stage| {
        let processes = ProcessId::first(collective.process_count());
        processes.map(|process| collective.computation(stage, process)).collect()
    });
    let computations: Vec<Vec<u64>> = computations.collect();
    let (total, longest) = collective.computations();
    assert_eq!(computations.iter().flatten().map(|&cycles| u128::from(cycles)).sum::<u128>(), total);
    assert!(computations.iter().flatten().all(|&cycles| cycles <= longest));
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
        processors_per_node: collective.share_count() as usize,
        local_cycles: (0, 0),
        eager_units: 0,
        nodes: (0..collective.share_count()).flat_map(|_| nodes.clone()).collect(),
        computations,
        messages: messages(collective),
    }
}
