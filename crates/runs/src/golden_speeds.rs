//! Runs on machines with links of different speed against `tests/golden/speeds.json`, made by an independent
//! reading of `docs/model.md` sections 21 and 22.

use std::{collections::BTreeMap, num::NonZeroU64};

use cubefold_records::FinishedRun;
use cubefold_scenario::{ExecutionMode, Run};
use cubefold_simulator::{Communication, Cycle, Cycles, StageRecord, Switching, transfer_over};
use cubefold_topology::{Channel, LinkMode, LinkTime, Machine, NodeId, TieRule};
use serde::Deserialize;
use serde_json::Value;

use crate::{
    KeepRecords, Progress, execute,
    support::{finished, only_run, record, run_beside, runs},
};

#[derive(Deserialize)]
struct File {
    cases: Vec<Case>,
    transfers: Vec<TransferCase>,
    cycles: Vec<CycleCase>,
    counterexamples: Vec<Value>,
    cut_example: Vec<CutExample>,
}

#[derive(Deserialize)]
struct CutExample {
    scenario: String,
    cut: u64,
    bandwidth: u64,
    latency: u64,
    cut_set: String,
    cut_us: f64,
    bandwidth_us: f64,
}

#[derive(Deserialize)]
struct Case {
    name: String,
    kind: String,
    scenario: String,
    files: BTreeMap<String, String>,
    makespan: u64,
    longest_queue: Option<u32>,
    hops: Option<u64>,
    unit_hops: Option<u128>,
    predicted: Option<u64>,
    #[serde(default)]
    bounds: Value,
    /// Source, destination, nodes, number of each link among the parallel ones.
    #[serde(default)]
    routes: Vec<(u32, u32, Vec<u32>, Vec<usize>)>,
    rows: Vec<Vec<u64>>,
}

#[derive(Deserialize)]
struct TransferCase {
    u: Vec<u64>,
    l: Vec<u64>,
    units: u64,
    packet_units: Option<NonZeroU64>,
    cut_through: bool,
    transfer: u64,
}

#[derive(Deserialize)]
struct CycleCase {
    links: Vec<(String, String)>,
    unit_bytes: u64,
    local: Option<(String, String)>,
    cycle_seconds: (u128, u128),
    u: Vec<u64>,
    l: Vec<u64>,
    local_cycles: Option<(u64, u64)>,
    rounding_percent: Vec<f64>,
}

fn file() -> File {
    serde_json::from_str(include_str!("../../../tests/golden/speeds.json")).unwrap()
}

/// The run of a case. In `cluster-11` the ring of the one-node cluster does not forward, which is the default of section
/// 22.2 and not of 22.3; the file does not say so.
fn run_of(case: &Case) -> Run {
    let scenario = match &*case.name {
        "cluster-11" => {
            case.scenario.replace("nics_per_node = 4", "nics_per_node = 4\nhosts_forward = false")
        }
        // The file assumes listed order.
        _ if case.scenario.contains("algorithm = \"direct\"") => {
            case.scenario.replace("[program]\n", "[program]\norder = \"listed\"\n")
        }
        _ => case.scenario.clone(),
    };
    // Its networks use the routing `lowest` unless they say otherwise.
    let has_levels = ["cluster", "fat-tree", "network"]
        .iter()
        .any(|kind| scenario.contains(&format!("kind = \"{kind}\"")));
    let scenario = match scenario.find("[execution]") {
        _ if !has_levels || scenario.contains("routing = ") => scenario,
        Some(_) => scenario.replace("[execution]", "[execution]\nrouting = \"lowest\""),
        None => format!("{scenario}\n[execution]\nrouting = \"lowest\"\n"),
    };
    run_beside(&scenario, &case.files).unwrap_or_else(|errors| panic!("{errors}\n{scenario}"))
}

/// The number of a channel among the parallel ones from its node to the next.
fn parallel_number(machine: &Machine, channel: Channel) -> usize {
    let Some(network) = machine.graph() else { return 0 };
    let neighbours = network.neighbours(channel.node);
    let port = channel.direction.dimension.index();
    neighbours[..port].iter().filter(|&&next| next == neighbours[port]).count()
}

fn row(record: &StageRecord) -> Vec<u64> {
    let times = [record.ready, record.start, record.finish].map(Cycle::get);
    let spans = [record.sharing, record.waiting(), record.transfer, record.blocked(), record.overlapped];
    let pair = [record.process.label().into(), record.stage as u64];
    pair.into_iter().chain(times).chain(spans.map(Cycles::get)).collect()
}

fn check(case: &Case) {
    let run = run_of(case);
    let name = &case.name;
    for (from, to, nodes, numbers) in &case.routes {
        let (source, destination) = (NodeId::new(*from), NodeId::new(*to));
        let route: Vec<Channel> = run.machine.route(source, destination, run.communication.tie()).collect();
        let found: Vec<u32> = route.iter().map(|channel| channel.node.index()).chain([*to]).collect();
        assert_eq!(found, *nodes, "{name}: from {from} to {to}");
        let found: Vec<usize> = route.iter().map(|&channel| parallel_number(&run.machine, channel)).collect();
        assert_eq!(found, *numbers, "{name}: from {from} to {to}");
    }
    let mut finished = execute(&run, 0, KeepRecords::Yes, &Progress::default()).unwrap();
    finished.records.sort_unstable_by_key(|record| (record.stage, record.process));
    let rows: Vec<Vec<u64>> = finished.records.iter().map(row).collect();
    assert_eq!(rows, case.rows, "{name}");
    assert_eq!(finished.outcome.summary.makespan().get(), case.makespan, "{name}");
    if run.execution.mode != ExecutionMode::Asynchronous {
        return;
    }
    let traffic = &finished.outcome.traffic;
    assert_eq!((traffic.longest_queue, Some(traffic.hops)), (case.longest_queue, case.hops), "{name}");
    assert_eq!(Some(finished.unit_hops), case.unit_hops, "{name}");
    assert_eq!(finished.predicted, case.predicted, "{name}");
    check_bounds(case, &finished);
}

/// Compares the bounds of section 24.
fn check_bounds(case: &Case, finished: &FinishedRun) {
    let (name, checked) = (&case.name, |key: &str| case.bounds[key].as_u64());
    let Some(cycles) = checked("cut") else { return };
    let cut = finished.cut_bound();
    assert_eq!(cut.map(|cut| cut.cycles), Some(cycles), "{name}");
    let set = cut.map(|cut| cut.set.to_string()).unwrap_or_default();
    match case.bounds["cut_set"].as_str().unwrap() {
        "switch" => assert!(set.starts_with("switch ") || set.starts_with("subtree "), "{name}: {set}"),
        "node" => assert!(set.starts_with("cluster node "), "{name}: {set}"),
        "leaf" => assert!(set.starts_with("leaf "), "{name}: {set}"),
        checked => assert_eq!(set, checked, "{name}"),
    }
    if let Some(bounds) = finished.collective_bounds {
        let latency = checked("chain").or(checked("latency"));
        assert_eq!(Some(bounds.latency_cycles), latency, "{name}");
        if case.kind != "sequence" {
            assert_eq!(Some(bounds.bandwidth_cycles), checked("bandwidth"), "{name}");
            assert_eq!(Some(bounds.lower_bound_cycles()), checked("lower"), "{name}");
        }
    }
    if let Some(bounds) = finished.program_bounds {
        assert_eq!(Some(bounds.computation_cycles), checked("compute"), "{name}");
        assert_eq!(bounds.larger().map(|(cycles, _)| cycles), checked("lower"), "{name}");
    }
}

#[test]
fn every_bound_of_the_checked_runs() {
    let mut count = 0;
    for case in file().cases.iter().filter(|case| case.bounds["cut"].is_u64()) {
        let run = run_of(case);
        let finished = finished(&run);
        check_bounds(case, &finished);
        assert!(case.makespan >= case.bounds["cut"].as_u64().unwrap());
        count += 1;
    }
    assert_eq!(count, 133);
}

#[test]
fn the_end_row_of_a_mesh_bounds_an_all_gather_in_its_columns() {
    let checked = &file().cut_example;
    assert_eq!(checked.len(), 2);
    for example in checked {
        let run = runs(&example.scenario).remove(0);
        let record = record(&run);
        let bounds = [record.cut_bound_cycles, record.bandwidth_bound_cycles, record.latency_bound_cycles];
        assert_eq!(bounds, [example.cut, example.bandwidth, example.latency].map(Some));
        assert_eq!(record.cut_bound_set.as_ref(), Some(&example.cut_set));
        assert_eq!(record.lower_bound_source.as_deref(), Some("cut"));
        let microseconds = |cycles| 1e6 * run.scale.unwrap().seconds(cycles);
        assert!((microseconds(example.cut) - example.cut_us).abs() < 0.06);
        assert!((microseconds(example.bandwidth) - example.bandwidth_us).abs() < 0.06);
        assert!(record.makespan_cycles >= Some(example.cut));
    }
}

#[test]
fn every_row_of_the_checked_runs() {
    let cases = file().cases;
    assert_eq!(cases.len(), 137);
    // All are tried, so that one that fails does not hide another.
    let fails = |case: &&Case| std::panic::catch_unwind(|| check(case)).is_err();
    let failed: Vec<&str> = cases.iter().filter(fails).map(|case| &*case.name).collect();
    assert!(failed.is_empty(), "{failed:?}");
}

#[test]
fn every_transfer_of_the_checked_routes() {
    let cases = file().transfers;
    assert_eq!(cases.len(), 60);
    for case in cases {
        let links = case.u.iter().zip(&case.l).map(|(&unit, &latency)| LinkTime { unit, latency });
        let switching = if case.cut_through { Switching::CutThrough } else { Switching::StoreAndForward };
        let rules = Communication::new(LinkMode::FullDuplex, Cycles::new(1), TieRule::Direct)
            .unwrap()
            .with_switching(switching)
            .with_packets(case.packet_units);
        let name = format!("{links:?}, {} units, {switching:?}, {:?}", case.units, case.packet_units);
        assert_eq!(transfer_over(links.clone(), rules, case.units).get(), case.transfer, "{name}");

        // The same message along a line of nodes.
        let mut edges = "from,to,hop_cycles,latency_cycles\n".to_owned();
        for (place, link) in links.enumerate() {
            edges += &format!("{place},{},{},{}\n", place + 1, link.unit, link.latency);
        }
        let packets = case.packet_units.map_or_else(String::new, |units| format!("packet_units = {units}\n"));
        let kind = if case.cut_through { "cut-through" } else { "store-and-forward" };
        let scenario = format!(
            "[machine]\nkind = \"network\"\nedges = \"net.csv\"\nswitching = \"{kind}\"\n{packets}\
             [program]\nkind = \"stages\"\nfile = \"p.csv\"\nprocesses = 2\n[mapping]\nembeddings = [\"file:pl.csv\"]\n"
        );
        let files = [
            ("net.csv", edges),
            ("p.csv", format!("stage,source,destination,units\n0,0,1,{}\n", case.units)),
            ("pl.csv", format!("process,p_1\n0,0\n1,{}\n", case.u.len())),
        ];
        let run = run_beside(&scenario, files).unwrap_or_else(|errors| panic!("{errors}\n{scenario}"));
        let finished = finished(&run);
        assert_eq!(finished.outcome.summary.makespan().get(), case.transfer, "{name}");
        assert_eq!(finished.predicted, Some(case.transfer), "{name}");
    }
}

/// The programs that show which bounds would not hold.
#[test]
fn every_counterexample_takes_its_cycles() {
    let [relays, sequence] = <[Value; 2]>::try_from(file().counterexamples).unwrap();
    let makespan = |run: &Run| {
        let finished = finished(run);
        let latency = finished.collective_bounds.map(|bounds| bounds.latency_cycles);
        (Some(finished.outcome.summary.makespan().get()), latency)
    };
    // The file describes the first example in words.
    let scenario = "[machine]\nkind = \"cluster\"\nnodes = 2\ndevices_per_node = 2\nunit_bytes = 64\n\
        inside = { kind = \"switch\", link = { bandwidth = \"64 GB/s\", latency = \"1 ns\" } }\n\
        outside = { link = { bandwidth = \"64 GB/s\", latency = \"1 ns\" }, leaves = { nodes = 2 }, rails = true, \
        spines = 1, spine_link = { bandwidth = \"64 GB/s\", latency = \"101 ns\" } }\n\
        [program]\nkind = \"all-reduce\"\nalgorithm = \"recursive-doubling\"\nexchange = \"whole\"\nunits = 1\n";
    let found = makespan(&only_run(scenario));
    assert_eq!(found, (relays["makespan"].as_u64(), relays["latency_of_any_path"].as_u64()));

    let files: BTreeMap<String, String> = serde_json::from_value(sequence["files"].clone()).unwrap();
    let run = run_beside(sequence["scenario"].as_str().unwrap(), files).unwrap();
    assert_eq!(makespan(&run).0, sequence["makespan"].as_u64());
}

#[test]
fn every_cycle_of_the_checked_links() {
    for case in file().cycles {
        let table = |(bandwidth, latency): &(String, String)| {
            format!("{{ bandwidth = \"{bandwidth}\", latency = \"{latency}\" }}")
        };
        let links: Vec<String> = case.links.iter().map(table).collect();
        let local =
            case.local.as_ref().map_or_else(String::new, |local| format!("local = {}\n", table(local)));
        let shape = vec!["2"; links.len()].join(", ");
        let text = format!(
            "[machine]\nkind = \"torus\"\nshape = [{shape}]\nlink = [{}]\n{local}unit_bytes = {}\n",
            links.join(", "),
            case.unit_bytes
        );
        let run = runs(&text).remove(0);
        let physical = run.physical_links.as_deref().unwrap();
        let alike = (run.communication.hop().get(), run.communication.latency().get());
        let times: Vec<(u64, u64)> = match run.machine.link_times() {
            Some(times) => times.iter().map(|time| (time.unit, time.latency)).collect(),
            None => vec![alike; case.links.len()],
        };
        assert_eq!(times, case.u.iter().copied().zip(case.l.iter().copied()).collect::<Vec<_>>(), "{text}");
        let (numerator, denominator) = case.cycle_seconds;
        let cycle = cubefold_formats::input::Ratio::new(numerator * 1_000_000_000, denominator);
        assert_eq!(physical.scale().cycle_nanoseconds(), cycle, "{text}");
        if let Some(local) = case.local_cycles {
            let cost = run.communication.local_cost();
            assert_eq!((cost.latency.get(), cost.unit.get()), local, "{text}");
        }
        for (class, expected) in physical.classes().iter().zip(case.rounding_percent) {
            let found = class.bandwidth_rounding_percent();
            assert!((found - expected).abs() <= 1e-9 + 1e-3 * expected.abs(), "{found} {expected} {text}");
        }
    }
}

/// Sixteen ranks on two hosts: the messages of a ring inside a host take the time of its bandwidth, which is eight times
/// that of the link.
#[test]
fn messages_inside_nodes_take_the_time_of_their_bandwidth() {
    let text = "[machine]\nkind = \"full-mesh\"\nnodes = 2\nlink = { bandwidth = \"50 GB/s\", latency = \"1 us\" }\n\
                local = { bandwidth = \"400 GB/s\", latency = \"1 us\" }\nprocessors_per_node = 8\n\
                switching = \"cut-through\"\n[program]\nkind = \"all-gather\"\nalgorithm = \"ring\"\n\
                shape = [8, 2]\nover = [0]\nprocesses_per_node = 8\nbytes = \"64 MiB\"\n";
    let run = runs(text).remove(0);
    let finished = finished(&run);
    let seconds = run.scale.unwrap().seconds(finished.outcome.summary.makespan().get());
    // Seven steps of 8 MiB and 1 us.
    let expected = 7.0 * (8.0 * 1_048_576.0 / 400e9 + 1e-6);
    assert!((seconds / expected - 1.0).abs() < 1e-4, "{seconds} s, expected {expected} s");
}
