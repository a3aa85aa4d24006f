//! A list of runs equals its runs alone: sweeps over every key there is, cases, and files of one command, in any order.

use std::{
    collections::{BTreeMap, BTreeSet},
    convert::Infallible,
    fs,
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
};

use cubefold_records::{FinishedRun, RunRecord};
use cubefold_scenario::{KeyValues, Run, generator_key, load, load_text, scenario_keys};
use rand::{RngExt, SeedableRng, seq::SliceRandom};
use rand_chacha::ChaCha12Rng;

use super::schema;
use crate::{
    KeepRecords, Means, Progress, execute_runs,
    support::{RESOURCES, pool, toml},
};

/// A scenario: values of keys, as TOML writes them.
type Values = BTreeMap<String, String>;

/// Programs and machines of many kinds, as lines `path = value`.
const BASES: [&str; 44] = [
    "machine.kind = 'torus'\nmachine.shape = [4, 4]\nmapping.embeddings = ['standard', 'xor', 'random']",
    "machine.kind = 'ring'\nmachine.shape = [8]\nprogram.dimensions = 4\nprogram.processes_per_node = 2",
    "machine.kind = 'mesh'\nmachine.shape = [4, 4]\nprogram.kind = 'normal'\nexecution.mode = 'coordinated'",
    "machine.kind = 'torus'\nmachine.shape = [4, 2]\nprogram.kind = 'neighbour-exchange'\n\
     program.guest = { kind = 'torus', shape = [4, 4] }\nprogram.processes_per_node = 2\n\
     mapping.embeddings = ['standard', 'random', 'hilbert', 'block']",
    "machine.kind = 'torus'\nmachine.shape = [4, 4]\nprogram.kind = 'neighbour-exchange'\n\
     program.guest = { kind = 'torus', shape = [4, 4] }\nprogram.communication = 'stencil'\nprogram.units = 3",
    "machine.kind = 'ring'\nmachine.shape = [8]\nprogram.kind = 'neighbour-exchange'\nprogram.communication = 'permutation'\n\
     program.sets = 2\nprogram.guest = { kind = 'mesh', shape = [2, 4] }",
    "machine.kind = 'mesh'\nmachine.shape = [4, 4]\nprogram.kind = 'neighbour-exchange'\n\
     program.guest = { kind = 'random-tree', vertices = 16 }\nmapping.embeddings = ['standard', 'random']",
    "machine.kind = 'torus'\nmachine.shape = [4, 4]\nprogram.kind = 'all-reduce'\nprogram.algorithm = 'ring'\n\
     program.units = 64\nprogram.processes_per_node = 2\nprogram.shape = [8, 4]\nmapping.embeddings = ['block', 'cyclic', 'random']",
    "machine.kind = 'hypercube'\nmachine.dimensions = 3\nprogram.kind = 'broadcast'\nprogram.algorithm = 'tree'\n\
     program.units = 8\nprogram.chunks = 2",
    "machine.kind = 'torus'\nmachine.shape = [4, 4]\nprogram.shape = [4, 4]\n\
     program.steps = [{ name = 'a', kind = 'all-reduce', algorithm = 'ring', over = [0], units = 16 }, { name = 'b', compute_cycles = 7 }]",
    "machine.kind = 'mesh'\nmachine.shape = [4, 4]\nmachine.switching = 'wormhole'\nprogram.kind = 'open-loop'\n\
     program.load = 0.1\nprogram.warmup_cycles = 50\nprogram.measure_cycles = 100\nprogram.drain_cycles = 500",
    "machine.kind = 'mesh'\nmachine.shape = [4, 4]\nmachine.switching = 'wormhole'\nprogram.kind = 'open-loop'\n\
     program.pattern = 'adv+1'\nprogram.group_size = 4\nprogram.load = 0.1\nprogram.warmup_cycles = 50\nprogram.measure_cycles = 100",
    "machine.kind = 'mesh'\nmachine.shape = [4, 4]\nmachine.switching = 'wormhole'\nprogram.kind = 'open-loop'\n\
     program.burst_cycles = 8\nprogram.burst_load = 0.5\nprogram.load = 0.1\nprogram.warmup_cycles = 'auto'\n\
     program.pilot_cycles = 100\nprogram.warmup_interval = 4\nprogram.measure_cycles = 100\nprogram.drain_cycles = 500",
    "machine.kind = 'torus'\nmachine.shape = [4, 4]\nmachine.switching = 'virtual-cut-through'\nprogram.kind = 'permutation'\n\
     program.pattern = 'random'\nprogram.units = 4",
    "machine.kind = 'cluster'\nmachine.nodes = 3\nmachine.devices_per_node = 4\n\
     machine.inside = { kind = 'switch', link = { bandwidth = '100 GB/s', latency = '100 ns' } }\n\
     machine.outside = { link = { bandwidth = '25 GB/s', latency = '1 us' }, leaves = { nodes = 3 } }\n\
     program.kind = 'all-gather'\nprogram.algorithm = 'ring'\nprogram.processes = 8\nprogram.units = 64\n\
     mapping.embeddings = ['standard', 'block', 'cyclic', 'plane=2', 'random']",
    "machine.kind = 'fat-tree'\nmachine.leaves = 2\nmachine.hosts_per_switch = 4\nmachine.spines = 2\n\
     program.kind = 'all-to-all'\nprogram.algorithm = 'direct'\nprogram.units = 64",
    "machine.kind = 'network'\nmachine.edges = 'a.txt'\nprogram.kind = 'stages'\nprogram.file = 'a.csv'\n\
     mapping.embeddings = ['standard', 'random', 'file:p.csv']",
    "machine.kind = 'torus'\nmachine.shape = [4, 4]\nmachine.failed_links = 2\nprogram.kind = 'permutation'\n\
     program.pattern = 'random'\nprogram.units = 5\nmapping.embeddings = ['standard', 'random']",
    "machine.kind = 'torus'\nmachine.shape = [4, 4]\nmachine.failed_nodes = [3]\nprogram.kind = 'all-reduce'\n\
     program.algorithm = 'ring'\nprogram.processes = 8\nprogram.units = 64\nmapping.embeddings = ['standard', 'random', 'block']",
    "machine.kind = 'torus'\nmachine.shape = [4, 4]\nmachine.allocation = ['0-7']\nprogram.kind = 'random-access'\n\
     program.indices = 'file:i.csv'\nprogram.processes = 8\nmapping.embeddings = ['standard', 'random']",
    "machine.kind = 'binary-tree'\nmachine.levels = 3\nprogram.kind = 'divide-and-conquer'\n\
     program.guest = { kind = 'binary-tree', levels = 3 }\nmapping.embeddings = ['cs838']",
    "machine.kind = 'torus'\nmachine.shape = [4, 4]\nmachine.link = { bandwidth = '1 GB/s', latency = '10 ns' }\n\
     program.kind = 'traffic'\nprogram.file = 'm.csv'\nprogram.rounds = 2\nmapping.embeddings = ['standard', 'random']",
    "machine.kind = 'fat-tree'\nmachine.arity = 2\nmachine.levels = 3\nprogram.kind = 'all-gather'\n\
     program.algorithm = 'ring'\nprogram.units = 8",
    "machine.kind = 'dragonfly'\nmachine.hosts_per_switch = 2\nmachine.switches_per_group = 2\nmachine.global_links = 1\n\
     machine.switching = 'virtual-cut-through'\nexecution.routing = 'ugal'\nprogram.kind = 'permutation'\n\
     program.pattern = 'random'\nprogram.units = 4",
    "machine.kind = 'torus'\nmachine.shape = [4, 4]\nmachine.switching = 'wormhole'\nexecution.routing = 'adaptive'\n\
     program.kind = 'open-loop'\nprogram.pattern = 'hotspot'\nprogram.hotspots = [5]\nprogram.load = 0.1\n\
     program.warmup_cycles = 50\nprogram.measure_cycles = 100\nprogram.drain_cycles = 500",
    "machine.kind = 'grammar'\nmachine.grammar = 'hypercube'\nmachine.size = 3\nprogram.kind = 'stages'\n\
     program.file = 'a.csv'\nmapping.embeddings = ['standard', 'random']",
    "machine.kind = 'mesh'\nmachine.shape = [4, 8]\nmachine.partition = { base = [0, 4], shape = [4, 4] }\n\
     mapping.embeddings = ['standard', 'random']",
    "machine.kind = 'torus'\nmachine.shape = [4, 4]\nmachine.twist = [[0, 2], [0, 0]]\nprogram.kind = 'all-to-all'\n\
     program.algorithm = 'direct'\nprogram.units = 16",
    "machine.kind = 'torus'\nmachine.shape = [4, 4]\nmachine.link = { bandwidth = '1 GB/s', latency = '10 ns' }\n\
     program.kind = 'neighbour-exchange'\nprogram.guest = { kind = 'torus', shape = [4, 8] }\n\
     program.processes_per_node = 2\nprogram.communication = 'stencil'\nprogram.cells = [4, 8]\nprogram.cell_bytes = 8\n\
     mapping.embeddings = ['standard', 'random']",
    "machine.kind = 'hypercube'\nmachine.dimensions = 4\nprogram.kind = 'random-access'\n\
     program.processes = 8\nprogram.indices = [0, 0, 1, 2, 3, 3, 3, 7]\nprogram.access = 'write'",
    "machine.kind = 'torus'\nmachine.shape = [4, 4]\nprogram.kind = 'divide-and-conquer'\n\
     program.dimensions = 4\nprogram.units = 8\nmapping.embeddings = ['standard', 'gray']",
    "machine.kind = 'torus'\nmachine.shape = [4, 4]\nprogram.kind = 'all-reduce'\nprogram.algorithm = 'bucket'\n\
     program.units = 64\nprogram.ports = 'all'",
    "machine.kind = 'cluster'\nmachine.nodes = 2\nmachine.devices_per_node = 4\nmachine.nics_per_node = 2\n\
     machine.inside = { kind = 'switch', link = { bandwidth = '100 GB/s', latency = '100 ns' } }\n\
     machine.nic = { link = { bandwidth = '20 GB/s', latency = '100 ns' } }\n\
     machine.outside = { link = { bandwidth = '25 GB/s', latency = '1 us' }, leaves = { nodes = 2 } }\n\
     program.kind = 'all-gather'\nprogram.algorithm = 'ring'\nprogram.units = 64",
    "machine.kind = 'torus'\nmachine.shape = [4, 4]\nmachine.host_names = 'hosts.txt'\nmachine.allocation = ['a0', 'a3', 'a5', 'a6']\n\
     program.kind = 'all-gather'\nprogram.algorithm = 'ring'\nprogram.units = 64\nmapping.embeddings = ['standard', 'random']",
    "machine.kind = 'network'\nmachine.edges = 'a.txt'\nmachine.hosts = 8\nmachine.hosts_forward = true\nprogram.kind = 'all-gather'\n\
     program.algorithm = 'ring'\nprogram.units = 64",
    "machine.kind = 'dragonfly'\nmachine.hosts_per_switch = 1\nmachine.switches_per_group = 2\nmachine.global_links = 2\n\
     machine.groups = 3\nprogram.kind = 'all-gather'\nprogram.algorithm = 'ring'\nprogram.units = 64",
    "machine.kind = 'cluster'\nmachine.nodes = 2\nmachine.devices_per_node = 4\n\
     machine.inside = { kind = 'switch', link = { bandwidth = '100 GB/s', latency = '100 ns' } }\n\
     machine.outside = { link = { bandwidth = '25 GB/s', latency = '1 us' }, leaves = { nodes = 1 }, rails = true, spines = 2 }\n\
     execution.routing = 'spread'\nprogram.kind = 'all-reduce'\nprogram.algorithm = 'ring'\nprogram.units = 64\nprogram.channels = 2",
    "machine.kind = 'torus'\nmachine.shape = [4, 4]\nmachine.link = { bandwidth = '1 GB/s', latency = '10 ns' }\n\
     program.kind = 'traffic'\nprogram.file = 't.csv'\nprogram.form = 'matrix-dense'",
    "machine.kind = 'network'\nmachine.edges = 'gpus.txt'\nmachine.lane = { bandwidth = '10 GB/s' }\n\
     machine.paths = { NODE = '4 GB/s', SYS = '2 GB/s' }\nprogram.kind = 'all-gather'\nprogram.algorithm = 'ring'\nprogram.units = 64",
    "machine.kind = 'network'\nmachine.edges = 'topology.conf'\nmachine.unit-of-linkspeed = '2 GB/s'\nmachine.link = { bandwidth = '10 GB/s' }\n\
     program.kind = 'all-gather'\nprogram.algorithm = 'ring'\nprogram.units = 64",
    "machine.kind = 'dragonfly'\nmachine.hosts_per_switch = 2\nmachine.switches_per_group = 2\nmachine.global_links = 1\n\
     machine.switching = 'wormhole'\nmachine.router.speedup = 2\nexecution.routing = 'minimal'\nprogram.kind = 'permutation'\n\
     program.pattern = 'random'\nprogram.units = 4",
    "machine.kind = 'network'\nmachine.edges = 'both.txt'\nmachine.directed = true\nprogram.kind = 'permutation'\n\
     program.pattern = 'random'\nprogram.units = 4",
    "machine.kind = 'mesh'\nmachine.shape = [3]\nmachine.switching = 'wormhole'\nexecution.routes = 'file:hop.txt'\n\
     program.kind = 'all-to-all'\nprogram.algorithm = 'direct'\nprogram.units = 6",
    "machine.kind = 'torus'\nmachine.shape = [4, 4]\nmachine.switching = 'wormhole'\nprogram.kind = 'open-loop'\n\
     program.pattern = 'uniform'\nprogram.load = 0.1\nprogram.warmup_cycles = 'auto'\nprogram.pilot_cycles = 1000\n\
     program.measure_cycles = 100\nprogram.drain_cycles = 500",
];

/// Files that values name.
const FILES: [(&str, &str); 16] = [
    ("a.txt", "0 1\n1 2\n2 3\n3 4\n4 5\n5 6\n6 7\n7 0\n"),
    ("b.txt", "0 1\n1 2\n2 3\n3 4\n4 5\n5 6\n6 7\n7 0\n0 4\n"),
    ("a.csv", "stage,source,destination,units\n0,0,1,3\n0,2,7,1\n1,1,0,2\n"),
    ("b.csv", "stage,source,destination,units\n0,0,3,1\n0,6,7,4\n1,1,2,2\n"),
    ("p.csv", "process,p_1\n0,3\n1,2\n2,1\n3,0\n4,7\n5,6\n6,5\n7,4\n"),
    ("i.csv", "process,index\n0,1\n1,0\n2,3\n3,2\n4,4\n5,6\n6,5\n7,7\n"),
    ("m.csv", "0,100,0,7\n5,0,0,9\n0,300,0,0\n80,0,60,0\n"),
    ("n.csv", "0,10,90,7\n5,0,0,0\n0,30,0,20\n80,0,0,0\n"),
    ("hosts.txt", "a0\na1\na2\na3\na4\na5\na6\na7\na8\na9\na10\na11\na12\na13\na14\na15\n"),
    (
        "gpus.txt",
        "\tGPU0\tGPU1\tGPU2\tGPU3\nGPU0\tX\tNV4\tNODE\tSYS\nGPU1\tNV4\tX\tSYS\tSYS\nGPU2\tNODE\tSYS\tX\tNV4\n\
         GPU3\tSYS\tSYS\tNV4\tX\n",
    ),
    (
        "topology.conf",
        "SwitchName=a Nodes=n[0-1] LinkSpeed=2\nSwitchName=b Nodes=n[2-3]\nSwitchName=c Switches=a,b LinkSpeed=4\n",
    ),
    ("both.txt", "0 1\n1 0\n1 2\n2 1\n2 3\n3 2\n3 0\n0 3\n"),
    ("hop.txt", "routes hop 1\n0 1 : 1\n0 2 : 1\n1 0 : 0\n1 2 : 2\n2 0 : 1\n2 1 : 1\n"),
    ("path.txt", "routes path 1\n0 1 : 1\n0 2 : 1 2\n1 0 : 0\n1 2 : 2\n2 0 : 1 0\n2 1 : 1\n"),
    ("t.csv", "0,1,2\n1,2,0\n2,0,300\n"),
    ("names.txt", "a5\na6\na0\na1\na2\na3\na4\na7\na8\na9\na10\na11\na12\na13\na14\na15\n"),
];

/// Values of keys without a single type, and of names, besides those of [`BASES`] and of the test of the schema.
const MORE: [(&str, &[&str]); 57] = [
    ("machine.edges", &["'a.txt'", "'b.txt'"]),
    ("machine.hosts_forward", &["true", "false"]),
    ("machine.grammar", &["'ring'", "'line'", "'hypercube'"]),
    ("machine.shape", &["[4, 4]", "[8, 2]", "[2, 8]", "[16]", "[8]"]),
    ("machine.hop_cycles", &["1", "2", "3"]),
    ("machine.host_names", &["'hosts.txt'", "'names.txt'"]),
    ("machine.allocation", &["['0-7']", "['8-15']", "[3, 1, 2, 0, 7, 6, 5, 4]"]),
    ("program.file", &["'a.csv'", "'b.csv'", "'m.csv'", "'n.csv'"]),
    ("program.compute_cycles", &["[1, 2, 3, 4]", "[5, 0, 9]"]),
    ("program.startup", &["'10 ns'", "'1 us'"]),
    ("program.scale", &["1.0", "2.5"]),
    ("program.pattern", &["'random'", "'shuffle'", "'uniform'"]),
    ("program.cells", &["[4, 8]", "[3, 3]"]),
    ("program.cell_bytes", &["1", "2"]),
    ("program.processes_per_node", &["1", "2", "4", "[2, 1]", "[1, 2]", "[2, 2]", "[4, 1]"]),
    ("program.shape", &["[4, 4]", "[8, 2]", "[8, 4]", "[4, 8]", "[2, 4]"]),
    ("program.guest", &["{ kind = 'random-tree', vertices = 15 }", "{ kind = 'mesh', shape = [8, 2] }"]),
    (
        "program.algorithm",
        &["'ring'", "'halving-doubling'", "'tree'", "'double-tree'", "'direct'", "'swing'"],
    ),
    ("program.indices", &["[0, 0, 1, 2, 3, 3, 3, 7]", "'file:i.csv'"]),
    ("program.bytes", &["'4 KiB'", "'64 B'"]),
    (
        "mapping.embeddings",
        &["['standard']", "['random']", "['block', 'random-groups']", "['plane=2']", "['file:p.csv']"],
    ),
    (
        "machine.inside",
        &["{ kind = 'ring', hop_cycles = 2 }", "{ kind = 'full-mesh', link = { bandwidth = '50 GB/s' } }"],
    ),
    ("program.units", &["1", "7", "64"]),
    ("program.over", &["[0]", "[1]"]),
    ("machine.twist", &["[[0, 1], [0, 0]]", "[[0, 2], [0, 0]]", "[[0, 3], [0, 0]]"]),
    ("machine.wrap", &["[true, false]", "[false, true]"]),
    ("machine.partition", &["{ base = [0, 0], shape = [4, 4] }", "{ base = [0, 2], shape = [4, 4] }"]),
    (
        "machine.local",
        &["{ bandwidth = '10 GB/s', latency = '0 ns' }", "{ bandwidth = '5 GB/s', latency = '0 ns' }"],
    ),
    (
        "machine.nic",
        &[
            "{ link = { bandwidth = '20 GB/s', latency = '1 us' } }",
            "{ link = { bandwidth = '10 GB/s', latency = '1 us' } }",
        ],
    ),
    (
        "machine.outside",
        &[
            "{ link = { bandwidth = '10 GB/s', latency = '1 us' }, leaves = { nodes = 3 } }",
            "{ link = { bandwidth = '20 GB/s', latency = '2 us' }, leaves = { nodes = 3 } }",
        ],
    ),
    ("machine.hosts", &["4", "6", "8"]),
    ("program.form", &["'matrix-dense'", "'matrix-triples'"]),
    ("program.halving", &["true", "false"]),
    ("program.compute", &["'10 ns'", "'1 us'"]),
    ("program.sizes", &["[[1, 1]]", "[[1, 3], [4, 1]]"]),
    ("program.hotspot_share", &["0.0", "0.5"]),
    ("program.burst_cycles", &["1", "8.5"]),
    ("program.burst_load", &["0.5", "1.0"]),
    ("program.reply", &["{ sizes = [[2, 1]] }", "{ sizes = [[1, 1], [3, 2]], delay_cycles = 5 }"]),
    ("program.warmup_cycles", &["0", "50", "'auto'"]),
    ("program.batches", &["5", "20"]),
    ("program.seeds", &["1", "2"]),
    ("machine.uplinks", &["1", "2", "'full'"]),
    ("machine.lane", &["{ bandwidth = '25 GB/s' }", "{ bandwidth = '50 GB/s', latency = '1 us' }"]),
    ("machine.router.speedup", &["1", "1.5", "2"]),
    ("machine.directed", &["true", "false"]),
    ("execution.routes", &["'file:hop.txt'", "'file:path.txt'"]),
    ("program.pilot_cycles", &["1000", "2000"]),
    ("machine.unit-of-linkspeed", &["'1 GB/s'", "'12.5 GB/s'"]),
    ("machine.paths", &["{ SYS = '10 GB/s', NODE = '20 GB/s' }", "{ SYS = '10 GB/s' }"]),
    ("machine.reduce", &["true", "4"]),
    ("machine.groups", &["2", "3", "4"]),
    ("machine.links_between_groups", &["1", "2"]),
    ("execution.spread", &["'pair'", "'message'"]),
    ("program.channels", &["1", "2", "'nics'"]),
    ("program.rings", &["[[0, 1, 2, 3]]", "[[0, 2, 1, 3], [3, 1, 0, 2]]"]),
    ("program.message_cost", &["'10 ns'", "'1 us'"]),
];

/// Keys that no list of these tests sets: names; a machine file is replaced by its keys; traces have tests of their own.
const LEFT_OUT: [&str; 8] = [
    "name",
    "machine.file",
    "program.matrix",
    "program.groups",
    "program.dependencies",
    "program.streams",
    "program.algorithms",
    "program.destinations",
];

/// The values to try for every key, from the table of keys.
fn values() -> BTreeMap<&'static str, Vec<String>> {
    let mut values: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for key in scenario_keys().iter().filter(|key| !LEFT_OUT.contains(&key.path)) {
        let list = values.entry(key.path).or_default();
        match key.values {
            KeyValues::Integer { least, greatest } => {
                let small = [0, 1, 2, 3, 4, 8, 16, 50].into_iter().map(|more: u64| least.max(more));
                list.extend(small.filter(|small| *small <= greatest).map(|number| number.to_string()));
            }
            KeyValues::Choice(_) => list.extend(key.values.words().iter().map(|word| format!("'{word}'"))),
            KeyValues::Text | KeyValues::Form(..) => {}
        }
    }
    let of_bases = bases().into_iter().flatten();
    let more =
        MORE.iter().flat_map(|(path, all)| all.iter().map(|one| ((*path).to_owned(), (*one).to_owned())));
    let forms = schema::forms();
    let of_forms =
        forms.iter().flat_map(|(path, _, all)| all.iter().map(|one| ((*path).to_owned(), toml(one))));
    for (path, value) in of_bases.chain(more).chain(of_forms) {
        // A list of algorithms is a sweep itself.
        let is_list = path == "program.algorithm" && value.starts_with('[');
        if let Some(list) = values.get_mut(path.as_str()).filter(|_| !is_list) {
            list.push(value);
        }
    }
    for list in values.values_mut() {
        list.sort();
        list.dedup();
    }
    values
}

/// The scenarios to change: [`BASES`], and those of the test of the schema.
fn bases() -> Vec<Values> {
    let lines = |text: &str, section: &str| -> Values {
        let entry = |line: &str| {
            let (key, value) = line.split_once(" = ")?;
            Some((format!("{section}{}", key.trim()), value.to_owned()))
        };
        text.lines().filter_map(entry).collect()
    };
    let mut bases: Vec<Values> = BASES.iter().map(|text| lines(text, "")).collect();
    for (path, tables, values) in schema::forms() {
        let mut base: Values =
            tables.iter().flat_map(|(section, text)| lines(text, &format!("{section}."))).collect();
        base.extend(values.first().map(|value| (path.to_owned(), toml(value))));
        bases.push(base);
    }
    bases
}

/// A scenario with the values of a case.
fn with(base: &Values, case: &Values) -> Values {
    base.iter().chain(case).map(|(path, value)| (path.clone(), value.clone())).collect()
}

/// The text of a scenario with values, and cases of a sweep.
fn text(values: &Values, cases: &[&Values]) -> String {
    let mut text = "name = 's'\n".to_owned();
    for (path, value) in values {
        text += &format!("{path} = {value}\n");
    }
    for case in cases {
        text += "[[sweep.cases]]\n";
        for (path, value) in *case {
            text += &format!("\"{path}\" = {value}\n");
        }
    }
    text
}

/// A folder with the files that values name.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for (name, contents) in FILES {
            fs::write(folder.path().join(name), contents).unwrap();
        }
        Self(folder)
    }

    /// The runs of files of one command; `None` if any is refused.
    fn load(&self, texts: &[String]) -> Option<Vec<Run>> {
        let write = |(number, text): (usize, &String)| {
            let path = self.0.path().join(format!("s{number}.toml"));
            fs::write(&path, text).unwrap();
            path
        };
        let paths: Vec<PathBuf> = texts.iter().enumerate().map(write).collect();
        Some(load(&paths).ok()?.into_iter().flat_map(|scenario| scenario.runs).collect())
    }
}

/// All results of runs that are executed together, without their places in the list.
fn results(runs: Vec<Run>) -> Vec<String> {
    let runs: Vec<Run> =
        runs.into_iter().map(|run| Run { combination: Arc::default(), held_bytes: 0, ..run }).collect();
    let runs: Vec<&Run> = runs.iter().collect();
    let (pool, progress, told) = (pool(), Progress::default(), Mutex::new(vec![String::new(); runs.len()]));
    let means = Means { pool: &pool, resources: RESOURCES, keep: KeepRecords::No, progress: &progress };
    let asked: Vec<(usize, &Run)> = runs.iter().copied().enumerate().collect();
    execute_runs(means, &asked, |place, finished: Result<FinishedRun, _>, _| {
        let run = runs[place];
        let result = match finished {
            Ok(finished) => serde_json::to_string(&RunRecord::new(run, 0, &finished)).unwrap(),
            // The message names the place of the run.
            Err(_) => "an error".to_owned(),
        };
        let nodes = run.placement.nodes();
        told.lock().unwrap()[place] = format!("{}{nodes:?}\n{result}", run.resolved.text());
        Ok::<(), Infallible>(())
    })
    .unwrap_or_else(|never| match never {});
    told.into_inner().unwrap()
}

fn is_small(runs: &[Run]) -> bool {
    let is_small = |run: &Run| {
        let cycles = run.program.open_loop.is_none() || run.program.body.process_count() <= 64;
        run.program.pair_count() <= 1 << 10 && run.machine.node_count() <= 1 << 9 && cycles
    };
    runs.len() <= 8 && runs.iter().all(is_small)
}

/// Checks lists of values of each key in up to `rounds` scenarios that take it; returns the keys that were tried.
fn check_lists(seed: u64, rounds: usize) -> BTreeSet<&'static str> {
    let (bases, values, folder) = (bases(), values(), Folder::new());
    let mut generator = ChaCha12Rng::from_seed(generator_key(seed, "lists of runs"));
    let mut covered = BTreeSet::new();
    for (&path, choices) in &values {
        let mut order: Vec<&Values> = bases.iter().collect();
        order.shuffle(&mut generator);
        let mut done = 0;
        for base in order {
            if done == rounds {
                break;
            }
            let mut tried = choices.clone();
            tried.shuffle(&mut generator);
            let mut alone: Vec<(Values, Vec<Run>)> = vec![];
            for value in tried {
                let mut cases = vec![Values::from([(path.to_owned(), value)])];
                // Half of the cases set another key, too, if they can.
                if generator.random_range(0..2) == 0 {
                    let other = values.keys().nth(generator.random_range(0..values.len())).unwrap();
                    if *other != path && !values[other].is_empty() {
                        let value = &values[other][generator.random_range(0..values[other].len())];
                        let mut both = cases[0].clone();
                        both.insert((*other).to_owned(), value.clone());
                        cases.insert(0, both);
                    }
                }
                let loaded = cases.into_iter().find_map(|case| {
                    let whole = text(&with(base, &case), &[]);
                    Some((folder.load(&[whole]).filter(|runs| is_small(runs))?, case))
                });
                alone.extend(loaded.map(|(runs, case)| (case, runs)));
                if alone.len() == 3 {
                    break;
                }
            }
            if alone.len() < 2 {
                continue;
            }
            done += 1;
            covered.insert(path);
            check_list(&folder, base, alone);
        }
    }
    covered
}

/// Checks a list of cases against each alone: as a sweep in both orders, and as files of one command.
fn check_list(folder: &Folder, base: &Values, alone: Vec<(Values, Vec<Run>)>) {
    let (cases, runs): (Vec<Values>, Vec<Vec<Run>>) = alone.into_iter().unzip();
    let expected: Vec<Vec<String>> = runs.into_iter().map(results).collect();
    let swept: Vec<&Values> = cases.iter().collect();
    let turned: Vec<&Values> = cases.iter().rev().collect();
    let files: Vec<String> = cases.iter().map(|case| text(&with(base, case), &[])).collect();
    let lists = [
        ("a sweep", vec![text(base, &swept)], false),
        ("a sweep in another order", vec![text(base, &turned)], true),
        ("files", files, false),
    ];
    for (list, texts, is_turned) in lists {
        let runs = folder.load(&texts).unwrap_or_else(|| panic!("{list} is refused:\n{}", texts.concat()));
        let mut expected = expected.clone();
        if is_turned {
            expected.reverse();
        }
        let (found, expected) = (results(runs), expected.concat());
        assert_eq!(found.len(), expected.len(), "{list}:\n{}", texts.concat());
        for (found, expected) in found.iter().zip(&expected) {
            assert_eq!(found, expected, "{list}:\n{}", texts.concat());
        }
    }
}

#[test]
fn a_list_of_runs_equals_its_runs_alone() {
    let covered = check_lists(1, 1);
    let all: BTreeSet<&str> = scenario_keys().iter().map(|key| key.path).collect();
    let missing: Vec<&&str> =
        all.iter().filter(|path| !covered.contains(*path) && !LEFT_OUT.contains(path)).collect();
    assert!(missing.is_empty(), "lists of {missing:?} are not tried");
}

/// Of 512 bytes among 8 ranks, units of 128 bytes leave every other block empty: the guest has fewer edges.
#[test]
fn a_sweep_of_the_bytes_of_a_unit_equals_its_runs_alone() {
    let loaded = |unit_bytes: &str| {
        let text = format!(
            "[machine]\nkind = \"ring\"\nshape = [8]\nlink = {{ bandwidth = \"50 GB/s\" }}\n[program]\n\
             kind = \"all-reduce\"\nalgorithm = \"direct\"\nbytes = 512\n[mapping]\n\
             embeddings = [\"standard\"]\n[sweep]\n\"machine.unit_bytes\" = {unit_bytes}\n"
        );
        results(load_text(Path::new("units.toml"), &text).unwrap().runs)
    };
    let alone = [loaded("[64]"), loaded("[128]")].concat();
    assert_eq!(loaded("[64, 128]"), alone);
    assert!(alone[0].contains("\"total\":64") && alone[1].contains("\"total\":48"));
}

#[test]
#[ignore = "long"]
fn many_lists_of_runs_equal_their_runs_alone() {
    for seed in 2..40 {
        check_lists(seed, 4);
    }
}
