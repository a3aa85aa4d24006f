//! Runs on machines with links of different speed against `tests/golden/speeds.json`, which another reading of
//! `docs/model.md` sections 21 and 22 made.

use std::{fs, path::Path};

use cubefold_simulator::{Cycle, Cycles, StageRecord};
use cubefold_topology::NodeId;
use serde::Deserialize;
use serde_json::Value;

use crate::{
    runs::{KeepRecords, Progress, execute},
    scenario::{ExecutionMode, Run, load, load_text},
};

#[derive(Deserialize)]
struct File {
    cases: Vec<Case>,
    cycles: Vec<CycleCase>,
}

#[derive(Deserialize)]
struct Case {
    name: String,
    kind: String,
    scenario: String,
    files: std::collections::BTreeMap<String, String>,
    makespan: u64,
    longest_queue: Option<u32>,
    hops: Option<u64>,
    unit_hops: Option<u128>,
    predicted: Option<u64>,
    #[serde(default)]
    bounds: Value,
    #[serde(default)]
    routes: Vec<(u32, u32, Vec<u32>, Vec<u32>)>,
    rows: Vec<Vec<u64>>,
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

/// The kinds of cases: grids, lone messages, and so on.
const KINDS: [&str; 7] = ["grid", "twist", "switches", "failed", "coordinated", "collective", "sequence"];

fn file() -> File {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden/speeds.json");
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

fn run_of(case: &Case) -> Run {
    let directory = tempfile::tempdir().unwrap();
    for (name, text) in &case.files {
        fs::write(directory.path().join(name), text).unwrap();
    }
    let path = directory.path().join("s.toml");
    fs::write(&path, &case.scenario).unwrap();
    load(&[path]).unwrap_or_else(|error| panic!("{}: {error}", case.name)).remove(0).runs.remove(0)
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
    for (from, to, nodes, _) in &case.routes {
        let channels = run.machine.route(NodeId::new(*from), NodeId::new(*to), run.communication.tie());
        let route: Vec<u32> = channels.map(|channel| channel.node.index()).chain([*to]).collect();
        assert_eq!(route, *nodes, "{name}: from {from} to {to}");
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
    // The bounds of groups are those of one group here.
    let is_single = case.kind == "collective" && !case.scenario.contains("over = ");
    if let Some(bounds) = finished.collective_bounds.filter(|_| is_single) {
        assert_eq!(Some(bounds.latency_cycles), case.bounds["latency"].as_u64(), "{name}");
        assert_eq!(Some(bounds.bandwidth_cycles), case.bounds["bandwidth"].as_u64(), "{name}");
    }
}

#[test]
fn every_row_of_the_checked_runs() {
    let file = file();
    assert_eq!(file.cases.len(), 137);
    // Clusters and what files of networks say beside their links are not read.
    let is_read = |case: &&Case| {
        KINDS.contains(&&*case.kind)
            && !case.scenario.contains("\"cluster\"")
            && !case.scenario.contains("net.csv")
    };
    let read: Vec<&Case> = file.cases.iter().filter(is_read).collect();
    read.iter().for_each(|case| check(case));
    assert_eq!(read.len(), 54);
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
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("s.toml");
        fs::write(&path, &text).unwrap();
        let run = load(&[path]).unwrap().remove(0).runs.remove(0);
        let physical = run.physical_links.as_deref().unwrap();
        let alike = (run.communication.hop().get(), run.communication.latency().get());
        let times: Vec<(u64, u64)> = match run.machine.link_times() {
            Some(times) => times.iter().map(|own| (own.unit, own.latency)).collect(),
            None => vec![alike; case.links.len()],
        };
        assert_eq!(times, case.u.iter().copied().zip(case.l.iter().copied()).collect::<Vec<_>>(), "{text}");
        let (numerator, denominator) = case.cycle_seconds;
        let cycle = crate::input::Ratio::new(numerator * 1_000_000_000, denominator);
        assert_eq!(physical.scale().cycle_nanoseconds(), cycle, "{text}");
        if let Some(local) = case.local_cycles {
            let cost = run.communication.local_cost();
            assert_eq!((cost.latency.get(), cost.unit.get()), local, "{text}");
        }
        for (own, expected) in physical.classes().iter().zip(case.rounding_percent) {
            let found = own.bandwidth_rounding_percent();
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
    let run = load_text(Path::new("a test"), text).unwrap().runs.remove(0);
    let finished = execute(&run, 0, KeepRecords::No, &Progress::default()).unwrap();
    let seconds = run.scale.unwrap().seconds(finished.outcome.summary.makespan().get());
    // Seven steps of 8 MiB and 1 us.
    let expected = 7.0 * (8.0 * 1_048_576.0 / 400e9 + 1e-6);
    assert!((seconds / expected - 1.0).abs() < 1e-4, "{seconds} s, expected {expected} s");
}
