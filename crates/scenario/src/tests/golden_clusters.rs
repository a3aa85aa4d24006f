//! The cases of `tests/golden/clusters.json`: vertices, links, classes and routes of clusters, placements on allocations,
//! blocks of processes.

use std::path::Path;

use cubefold_formats::input::Ratio;
use cubefold_mapping::ProcessBlock;
use cubefold_simulator::{EngineChoice, Request, simulate};
use cubefold_topology::{GraphSource, Machine, NetworkParameters, NodeId, RouteChoice, TieRule};
use serde::Deserialize;
use serde_json::Value;

use crate::{Run, load_text};

#[derive(Deserialize)]
struct File {
    clusters: Vec<ClusterCase>,
    allocations: Vec<AllocationCase>,
    blocks: Vec<BlockCase>,
}

#[derive(Deserialize)]
struct ClusterCase {
    name: String,
    scenario: String,
    vertices: u64,
    hosts: u64,
    first: std::collections::BTreeMap<String, u64>,
    cycle_seconds: [u128; 2],
    /// From, to, parallel links, u, l, class.
    links: Vec<(u32, u32, u64, u64, u64, String)>,
    /// Source, destination, nodes and link numbers under `lowest`, then under `spread` with seed 1.
    routes: Vec<(u32, u32, Vec<u32>, Vec<usize>, Vec<u32>, Vec<usize>)>,
}

#[derive(Deserialize)]
struct AllocationCase {
    name: String,
    shape: Vec<u64>,
    allocation: Value,
    standard: Vec<u32>,
    hilbert: Vec<u32>,
    longest_step_on_the_mesh: u64,
    steps_above_1: usize,
}

#[derive(Deserialize)]
struct BlockCase {
    shape: Vec<u64>,
    processes_per_node: u64,
    block: Vec<u64>,
    grid_of_blocks: Vec<u64>,
    group_of_process: Option<Vec<u64>>,
}

fn file() -> File {
    serde_json::from_str(include_str!("../../../../tests/golden/clusters.json")).unwrap()
}

fn runs(text: &str) -> Vec<Run> {
    let program = "[program]\nkind = \"all-reduce\"\nalgorithm = \"ring\"\nunits = 1\n";
    let scenario = load_text(Path::new("golden.toml"), &format!("{text}\n{program}"));
    scenario.unwrap_or_else(|errors| panic!("{errors}\n{text}")).runs
}

fn makespan(run: &Run) -> u64 {
    let request = Request::asynchronous(EngineChoice::Auto);
    let outcome = simulate(&*run.program.body, &run.placement, run.communication, &request, &mut ());
    outcome.unwrap().summary.makespan().get()
}

/// The nodes of a route, and the number of each of its links among the parallel ones.
fn route(machine: &Machine, from: u32, to: u32) -> (Vec<u32>, Vec<usize>) {
    let network = machine.graph().unwrap();
    let (mut nodes, mut numbers) = (vec![from], vec![]);
    for channel in machine.route(NodeId::new(from), NodeId::new(to), TieRule::Direct) {
        let neighbours = network.neighbours(channel.node);
        let port = channel.direction.dimension.index();
        let first = neighbours.iter().position(|&next| next == neighbours[port]).unwrap();
        numbers.push(port - first);
        nodes.push(neighbours[port].index());
    }
    (nodes, numbers)
}

#[test]
fn clusters_have_the_vertices_links_and_routes_of_the_golden_file() {
    let cases = file().clusters;
    assert_eq!(cases.len(), 12);
    for case in cases {
        let run = runs(&case.scenario).remove(0);
        let (machine, name) = (&*run.machine, &case.name);
        assert_eq!((machine.node_count(), machine.host_count()), (case.vertices, case.hosts), "{name}");
        let Some(GraphSource::Parameters(NetworkParameters::Cluster(cluster))) = machine.source() else {
            panic!("{name} is no cluster");
        };
        assert_eq!(cluster.first_vertices(), case.first, "{name}");
        let [numerator, denominator] = case.cycle_seconds;
        let cycle = Ratio::new(numerator * 1_000_000_000, denominator);
        assert_eq!(run.scale.unwrap().cycle_nanoseconds(), cycle, "{name}");
        let network = machine.graph().unwrap();
        let times = machine.link_times();
        let mut links: Vec<(u32, u32, u64, u64, u64, String)> = vec![];
        for (one, other) in network.links() {
            let [near, far] = [one, other].map(NodeId::index);
            if let Some(last) = links.last_mut().filter(|last| (last.0, last.1) == (near, far)) {
                last.2 += 1;
                continue;
            }
            let part = cluster.part(one, other);
            let (unit, latency) = match times {
                Some(times) => (times[part as usize].unit, times[part as usize].latency),
                None => (run.communication.hop().get(), run.communication.latency().get()),
            };
            links.push((near, far, 1, unit, latency, part.name().to_owned()));
        }
        assert_eq!(links, case.links, "{name}");
        let [lowest, spread] = [RouteChoice::Lowest, RouteChoice::Spread(1)]
            .map(|choice| machine.clone().with_route_choice(choice));
        for (from, to, nodes, numbers, spread_nodes, spread_numbers) in &case.routes {
            let found = route(&lowest, *from, *to);
            assert_eq!((&found.0, &found.1), (nodes, numbers), "{name}: {from} to {to}");
            let found = route(&spread, *from, *to);
            assert_eq!(
                (&found.0, &found.1),
                (spread_nodes, spread_numbers),
                "{name}: {from} to {to}, spread"
            );
        }
    }
}

#[test]
fn allocations_place_as_the_golden_file_does() {
    let cases = file().allocations;
    assert_eq!(cases.len(), 6);
    for case in cases {
        let machine = format!(
            "[machine]\nkind = \"mesh\"\nshape = {:?}\nallocation = {}\n[mapping]\nembeddings = [\"standard\", \"hilbert\"]",
            case.shape, case.allocation
        );
        let runs = runs(&machine);
        for (run, expected) in runs.iter().zip([&case.standard, &case.hilbert]) {
            let nodes: Vec<u32> = run.placement.nodes().into_iter().map(NodeId::index).collect();
            assert_eq!(&nodes, expected, "{}", case.name);
        }
        let nodes = runs[1].placement.nodes();
        let steps = nodes.windows(2).map(|pair| runs[1].machine.distance(pair[0], pair[1]));
        assert_eq!(steps.clone().max(), Some(case.longest_step_on_the_mesh), "{}", case.name);
        assert_eq!(steps.filter(|&links| links > 1).count(), case.steps_above_1, "{}", case.name);
    }
}

#[test]
fn blocks_are_those_of_the_golden_file() {
    let cases = file().blocks;
    assert_eq!(cases.len(), 8);
    for case in cases {
        let block = ProcessBlock::least_surface(&case.shape, case.processes_per_node).unwrap();
        assert_eq!(
            (block.lengths(), block.blocks()),
            (&case.block[..], case.grid_of_blocks),
            "{:?}",
            case.shape
        );
        let processes = 0..case.shape.iter().product::<u64>();
        let groups: Vec<u64> = processes.map(|process| block.block_of(process)).collect();
        // The file lists the groups of the smaller grids.
        if let Some(expected) = case.group_of_process {
            assert_eq!(groups, expected, "{:?}", case.shape);
        }
    }
}

#[test]
fn a_hierarchical_all_reduce_takes_what_is_counted_by_hand() {
    // 400 MB on 32 nodes of 8: the rings inside move 7/8 of it twice over 450 GB/s, those outside 2 * 31/32 of an eighth.
    let machine = "[machine]\nkind = \"cluster\"\nnodes = 32\ndevices_per_node = 8\n\
        inside = { kind = \"switch\", link = { bandwidth = \"450 GB/s\", latency = \"500 ns\" } }\n\
        outside = { link = { bandwidth = \"50 GB/s\", latency = \"1 us\" }, leaves = { nodes = 32 }, rails = true }\n\
        unit_bytes = 4096\nswitching = \"cut-through\"\nhosts_forward = false\n";
    let program = "[program]\nkind = \"all-reduce\"\nalgorithm = { hierarchical = { inner = \"ring\", outer = \"ring\" } }\nbytes = \"400 MB\"\n";
    let scenario = load_text(Path::new("h.toml"), &format!("{machine}{program}")).unwrap();
    let run = &scenario.runs[0];
    #[expect(clippy::cast_precision_loss, reason = "below 2^53")]
    let microseconds = makespan(run) as f64 * run.scale.unwrap().cycle_nanoseconds().to_f64() / 1e3;
    // Two links of 500 ns a step inside, two of 1 us outside.
    let inside = 2.0 * 7.0 * (400e6 / 8.0 / 450e9 * 1e6 + 1.0);
    let outside = 2.0 * 31.0 * (400e6 / 256.0 / 50e9 * 1e6 + 2.0);
    let expected = inside + outside;
    assert!((microseconds / expected - 1.0).abs() < 0.01, "{microseconds} us, expected {expected}");
}

#[test]
fn a_halo_exchange_in_blocks_is_as_fast_as_its_contraction() {
    let text = |per_node: &str| {
        format!(
            "[machine]\nkind = \"torus\"\nshape = [4, 4, 4]\nlink = {{ bandwidth = \"12.5 GB/s\", latency = \"500 ns\" }}\n\
             switching = \"cut-through\"\n[program]\nkind = \"neighbour-exchange\"\n\
             guest = {{ kind = \"torus\", shape = [8, 8, 8] }}\ncommunication = \"scatter\"\nbytes = \"128 KiB\"\n\
             {per_node}[mapping]\nembeddings = [\"tao\"]\n"
        )
    };
    let makespan = |text: &str| {
        let scenario = load_text(Path::new("halo.toml"), text).unwrap_or_else(|errors| panic!("{errors}"));
        makespan(&scenario.runs[0])
    };
    let whole = makespan(&text(""));
    assert_eq!(makespan(&text("processes_per_node = 8\n")), whole);
    assert_eq!(makespan(&text("processes_per_node = [2, 2, 2]\n")), whole);
    assert!(makespan(&text("processes_per_node = [8, 1, 1]\n")) > whole);
}

#[test]
fn clusters_say_what_is_wrong_at_its_place() {
    let errors = |machine: &str| {
        let text = format!(
            "[machine]\nkind = \"cluster\"\n{machine}\n[program]\nkind = \"all-reduce\"\nalgorithm = \"ring\"\nunits = 1\n"
        );
        load_text(Path::new("c.toml"), &text).map(|_| ()).unwrap_err().to_string()
    };
    let cases = [
        ("nodes = 2\ndevices_per_node = 4\ninside = { kind = \"ring\" }", "2 nodes without machine.outside"),
        (
            "nodes = 2\ndevices_per_node = 6\ninside = { kind = \"hypercube\" }\noutside = { leaves = { nodes = 2 } }",
            "a hypercube of 6 devices, expected a power of two",
        ),
        (
            "nodes = 2\ndevices_per_node = 4\ninside = { kind = \"ring\" }\nnic = { hop_cycles = 2 }\noutside = { leaves = { nodes = 2 } }",
            "machine.nic with a NIC for each device, expected none",
        ),
        (
            "nodes = 2\ndevices_per_node = 4\ninside = { kind = \"ring\", planes = 2 }\noutside = { leaves = { nodes = 2 } }",
            "machine.inside.planes of a ring, expected none",
        ),
        (
            "nodes = 2\ndevices_per_node = 4\ninside = { kind = \"ring\" }\noutside = { leaves = { nodes = 2 }, link = { bandwidth = \"1 GB/s\" } }",
            "no bandwidth of inside, expected one for all links",
        ),
    ];
    for (machine, expected) in cases {
        let found = errors(machine);
        assert!(found.contains(expected), "{machine}\n{found}");
    }
}
