//! Open-loop traffic: results worked out from the model by hand, and refusals. The golden curves are compared in the
//! simulator itself.

use std::num::NonZeroU64;

use cubefold_simulator::{
    ChannelLoads, Communication, Cycles, OpenLoop, OpenLoopError, RouterSettings, Saturated,
    SaturationSearch, TrafficPattern,
};
use cubefold_topology::{LinkMode, Machine, MachineKind, NetworkParameters, NodeId, TieRule};

fn traffic(pattern: TrafficPattern) -> OpenLoop {
    OpenLoop::new(pattern, [200, 600, 600])
}

fn plain() -> Communication {
    Communication::new(LinkMode::FullDuplex, Cycles::new(1), TieRule::Direct).unwrap()
}

fn rules(machine: &Machine) -> Communication {
    plain().with_routers(RouterSettings::default_of(machine, 0), machine).unwrap()
}

#[test]
fn packets_of_one_terminal_take_the_time_without_contention() {
    let line = Machine::new(MachineKind::Line, &[6]).unwrap();
    // Node 0 sends to node 4; all others are their own destinations and send nothing.
    let mut nodes: Vec<NodeId> = line.nodes().collect();
    nodes[0] = NodeId::new(4);
    let outcome = traffic(TrafficPattern::Listed(nodes)).run(&line, rules(&line), 0.2).unwrap();
    let seed = &outcome.seeds[0];
    let latency = seed.network_latency;
    // 3 + (4 + 1) R + 4 links of 1 cycle.
    assert_eq!(latency.p50, Some(27));
    assert!(latency.mean.is_some_and(|mean| (27.0..28.0).contains(&mean)));
    assert!(seed.measured_packets > 60 && seed.missing_packets == 0);
    let share = seed.measured_packets as f64 / 600.0 / 6.0;
    assert!((outcome.offered_load() - share).abs() < 1e-12);
    assert!((outcome.accepted_load() - outcome.offered_load()).abs() < 0.01);
    assert_eq!((outcome.saturated, outcome.load), (None, 0.2));
}

#[test]
fn a_packet_to_itself_passes_its_router() {
    let ring = Machine::new(MachineKind::Ring, &[4]).unwrap();
    // Two bits reversed: 0 and 3 stay, 1 and 2 change over a link.
    let outcome = traffic(TrafficPattern::BitReversal).run(&ring, rules(&ring), 0.05).unwrap();
    let latency = outcome.seeds[0].network_latency;
    assert!(latency.p50 == Some(3 + 4) || latency.p50 == Some(3 + 2 * 4 + 1));
    assert!(latency.mean.is_some_and(|mean| (7.0..=13.0).contains(&mean)) && latency.p99 >= Some(12));
}

#[test]
fn the_saturation_load_is_the_last_load_that_is_not_saturated() {
    let torus = Machine::new(MachineKind::Torus, &[4, 4]).unwrap();
    let search = SaturationSearch { low: 0.0, high: 1.0, resolution: 0.06 };
    let tornado = OpenLoop { latency_limit: 60.0, ..traffic(TrafficPattern::Neighbour) };
    let found = tornado.saturation(&torus, rules(&torus), search, &ChannelLoads::default()).unwrap();
    let stable = found.runs.iter().filter(|run| run.saturated.is_none()).map(|run| run.load);
    let saturated = found.runs.iter().filter(|run| run.saturated.is_some()).map(|run| run.load);
    assert_eq!(found.load, stable.max_by(f64::total_cmp));
    assert!(saturated.clone().fold(1.0, f64::min) - found.load.unwrap() <= 0.06);
    // Half, and half of the half of it that is left, and so on.
    assert_eq!(found.runs.len(), 5);
    assert_eq!(found.runs[0].load, 0.5);
    for run in &found.runs {
        let seed = &run.seeds[0];
        let is_growing = seed.trend >= 27
            && 200 * (seed.made_units - seed.consumed_units.min(seed.made_units)) > seed.made_units;
        let is_slow = run.latency_mean.is_some_and(|mean| mean > 60.0);
        let expected = match (seed.missing_packets, is_growing, is_slow) {
            (1.., _, _) => Some(Saturated::Drain),
            (0, true, _) => Some(Saturated::Growth),
            (0, false, true) => Some(Saturated::Latency),
            (0, false, false) => None,
        };
        assert_eq!(run.saturated, expected);
        let last = if expected == Some(Saturated::Drain) { 1400 } else { seed.cycles };
        assert_eq!(seed.cycles, last);
    }
    let again = tornado.run(&torus, rules(&torus), found.runs[1].load).unwrap();
    assert_eq!(again, found.runs[1]);
}

#[test]
fn a_search_runs_the_end_of_its_interval_that_it_would_assume() {
    let ring = Machine::new(MachineKind::Ring, &[4]).unwrap();
    let loads = |limit: f64, low: f64, high: f64| {
        let traffic = OpenLoop { latency_limit: limit, ..traffic(TrafficPattern::Neighbour) };
        let search = SaturationSearch { low, high, resolution: 0.1 };
        let found = traffic.saturation(&ring, rules(&ring), search, &ChannelLoads::default()).unwrap();
        (found.load, found.runs.iter().map(|run| (run.load, run.saturated.is_some())).collect::<Vec<_>>())
    };
    // Every packet takes longer than a cycle, and none takes a million.
    let (found, runs) = loads(1.0, 0.125, 0.25);
    assert_eq!((found, runs), (None, vec![(0.1875, true), (0.125, true)]));
    let (found, runs) = loads(1e6, 0.0, 0.125);
    assert_eq!((found, runs), (Some(0.125), vec![(0.0625, false), (0.125, false)]));
    // A load of 0 needs no run; an interval no longer than the resolution has no middle.
    let (found, runs) = loads(1.0, 0.0, 0.125);
    assert_eq!((found, runs), (None, vec![(0.0625, true)]));
    let (found, runs) = loads(1e6, 0.0625, 0.125);
    assert_eq!((found, runs), (Some(0.125), vec![(0.0625, false), (0.125, false)]));
    let (found, runs) = loads(1.0, 0.0, 0.0625);
    assert_eq!((found, runs), (None, vec![(0.0625, true)]));
}

#[test]
fn what_does_not_suit_the_machine_is_refused() {
    let torus = Machine::new(MachineKind::Torus, &[4, 2]).unwrap();
    let refused =
        |traffic: &OpenLoop, load: f64| traffic.run(&torus, rules(&torus), load).unwrap_err().to_string();
    let uniform = traffic(TrafficPattern::Uniform);
    assert_eq!(refused(&uniform, 0.0), "a load of 0, expected above 0 and at most 1");
    assert_eq!(refused(&uniform, f64::NAN), "a load of NaN, expected above 0 and at most 1");
    let transpose = traffic(TrafficPattern::Transpose);
    assert_eq!(refused(&transpose, 0.1), "pattern transpose of 8 terminals, expected a power of 4");
    let listed = traffic(TrafficPattern::Listed(vec![NodeId::new(9); 8]));
    assert_eq!(refused(&listed, 0.1), "9 as a terminal, expected one of 0 to 7");
    let short = traffic(TrafficPattern::Listed(vec![NodeId::new(1); 7]));
    assert_eq!(refused(&short, 0.1), "7 destinations, expected 8, one for each terminal");
    let share = traffic(TrafficPattern::Hotspot { nodes: vec![NodeId::new(1)], share: 1.5 });
    assert_eq!(refused(&share, 0.1), "a share of hotspots of 1.5, expected 0 to 1");
    let unmeasured = OpenLoop { measure: 0, ..uniform.clone() };
    assert_eq!(refused(&unmeasured, 0.1), "0 measured cycles, expected at least one for each batch");
    assert_eq!(uniform.run(&torus, plain(), 0.1), Err(OpenLoopError::NoRouters));
    let packets = plain().with_packets(NonZeroU64::new(2));
    let packets = packets.with_routers(RouterSettings::default_of(&torus, 0), &torus).unwrap();
    assert!(matches!(uniform.run(&torus, packets, 0.1), Err(OpenLoopError::OutOfRange { .. })));
    let tree = NetworkParameters::leaf_spine(2, 2, 1);
    let tree = Machine::of_parameters(&tree).unwrap();
    let tornado = traffic(TrafficPattern::Tornado).run(&tree, rules(&tree), 0.1);
    assert_eq!(tornado, Err(OpenLoopError::NoCoordinates { pattern: "tornado" }));
    let search = SaturationSearch { low: 0.5, high: 0.5, resolution: 0.1 };
    assert!(matches!(
        uniform.saturation(&torus, rules(&torus), search, &ChannelLoads::default()),
        Err(OpenLoopError::OutOfRange { .. })
    ));
}
