//! The reference against `tests/golden/sized_runs.json`, which two programs written apart agree on.

use serde::Deserialize;

use super::super::{grid::Grid, problem::Links, route::Tie, speeds::Speeds};
use super::{Arbitration, SizedMessage, StageProblem, Switching, predicted, run_stages};

#[derive(Deserialize)]
struct File {
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    shape: Vec<u64>,
    wrap: Vec<bool>,
    links: String,
    hop_cycles: u64,
    latency_cycles: u64,
    switching: String,
    packet_units: Option<u64>,
    arbitration: String,
    processors_per_node: usize,
    tie: String,
    eager_units: serde_json::Value,
    nodes: Vec<u64>,
    compute_cycles: Vec<u64>,
    messages: Vec<(usize, usize, usize, u64)>,
    makespan_cycles: u64,
    longest_queue: u64,
    predicted_cycles: u64,
    rows: Vec<Vec<u64>>,
}

fn problem(case: &Case) -> StageProblem {
    StageProblem {
        grid: Grid { lengths: case.shape.clone(), wraps: case.wrap.clone() },
        wires: None,
        links: match case.links.as_str() {
            "full-duplex" => Links::FullDuplex,
            "half-duplex" => Links::HalfDuplex,
            "single-direction" => Links::SingleDirection,
            other => panic!("{other}"),
        },
        tie: match case.tie.as_str() {
            "direct" => Tie::Direct,
            "positive" => Tie::Positive,
            "negative" => Tie::Negative,
            other => panic!("{other}"),
        },
        hop_cycles: case.hop_cycles,
        latency_cycles: case.latency_cycles,
        speeds: Speeds::new(),
        switching: match case.switching.as_str() {
            "store-and-forward" => Switching::StoreAndForward,
            "cut-through" => Switching::CutThrough,
            other => panic!("{other}"),
        },
        packet_units: case.packet_units.filter(|&units| units > 0),
        arbitration: match case.arbitration.as_str() {
            "first-come" => Arbitration::FirstCome,
            "round-robin" => Arbitration::RoundRobin,
            other => panic!("{other}"),
        },
        processors_per_node: case.processors_per_node,
        local_cycles: (0, 0),
        eager_units: case.eager_units.as_u64().unwrap_or(u64::MAX),
        nodes: case.nodes.clone(),
        computations: case.compute_cycles.iter().map(|&cycles| vec![cycles; case.nodes.len()]).collect(),
        messages: case
            .messages
            .iter()
            .map(|&(stage, source, destination, units)| SizedMessage { stage, source, destination, units })
            .collect(),
        explicit: None,
        rotated: None,
        message_cost: 0,
    }
}

#[test]
fn every_row_of_the_checked_runs() {
    let file: File = serde_json::from_str(include_str!("../../../golden/sized_runs.json")).unwrap();
    assert_eq!(file.cases.len(), 160);
    for (number, case) in file.cases.iter().enumerate() {
        let problem = problem(case);
        let outcome = run_stages(&problem);
        let mut rows = vec![];
        for (stage, processes) in outcome.rows.iter().enumerate() {
            for (process, row) in processes.iter().enumerate() {
                rows.push(vec![
                    stage as u64,
                    process as u64,
                    row.ready,
                    row.start,
                    row.finish,
                    row.sharing,
                    row.waiting,
                    row.transfer,
                    row.blocked,
                ]);
            }
        }
        for (found, expected) in rows.iter().zip(&case.rows) {
            assert_eq!(found, expected, "case {number}");
        }
        assert_eq!(rows.len(), case.rows.len());
        assert_eq!(outcome.makespan, case.makespan_cycles, "case {number}");
        assert_eq!(outcome.longest_queue, case.longest_queue, "case {number}");
        assert_eq!(predicted(&problem), case.predicted_cycles, "case {number}");
    }
}

/// Two nodes of a mesh far apart, and one message.
fn alone(distance: u64, units: u64) -> StageProblem {
    StageProblem {
        grid: Grid { lengths: vec![distance + 1], wraps: vec![false] },
        wires: None,
        links: Links::FullDuplex,
        tie: Tie::Direct,
        hop_cycles: 1,
        latency_cycles: 0,
        speeds: Speeds::new(),
        switching: Switching::StoreAndForward,
        packet_units: None,
        arbitration: Arbitration::FirstCome,
        processors_per_node: 1,
        local_cycles: (0, 0),
        eager_units: 0,
        nodes: vec![0, distance],
        computations: vec![vec![0, 0]],
        messages: vec![SizedMessage { stage: 0, source: 0, destination: 1, units }],
        explicit: None,
        rotated: None,
        message_cost: 0,
    }
}

#[test]
fn a_message_alone_takes_the_closed_form() {
    for (distance, units) in (1..=4).flat_map(|distance| (1..=9).map(move |units| (distance, units))) {
        for (packet_units, switching) in (0..=4)
            .flat_map(|most| [Switching::StoreAndForward, Switching::CutThrough].map(|rule| (most, rule)))
        {
            for (hop_cycles, latency_cycles) in (1..=2).flat_map(|hop| (0..=3).map(move |wire| (hop, wire))) {
                let problem = StageProblem {
                    hop_cycles,
                    latency_cycles,
                    switching,
                    packet_units: Some(packet_units).filter(|&most| most > 0),
                    ..alone(distance, units)
                };
                let outcome = run_stages(&problem);
                assert_eq!(outcome.makespan, problem.transfer(problem.messages[0]), "{problem:?}");
                assert_eq!(outcome.rows[0][1].blocked, 0);
                assert_eq!(outcome.busy_cycles.values().sum::<u64>(), hop_cycles * units * distance);
            }
        }
    }
}

#[test]
fn through_traffic_gets_its_turn_between_two_packets() {
    // Line of 3, u = 1, packets of 1 unit, store-and-forward. 0 -> 2 (1 unit) reaches node 1 at cycle 1. 1 -> 2 has
    // 3 packets: the first departs at 0, the second joins at 0 after the picks and departs at 1, before 0 -> 2 (key
    // (0, ..) before (1, ..)); the third joins at 1 after the picks, behind 0 -> 2: at 2 goes 0 -> 2 (source 0).
    let mut problem = alone(2, 1);
    problem.nodes = vec![0, 2, 1];
    problem.computations = vec![vec![0; 3]];
    problem.packet_units = Some(1);
    problem.messages.push(SizedMessage { stage: 0, source: 2, destination: 1, units: 3 });
    let outcome = run_stages(&problem);
    // 0 -> 2 is received at 3, the last packet of 1 -> 2 at 4: it has 1 blocked cycle.
    assert_eq!((outcome.makespan, outcome.hops, outcome.longest_queue), (4, 5, 2));
    let row = outcome.rows[0][1];
    assert_eq!((row.finish, row.transfer, row.blocked), (4, 3, 1));
}
