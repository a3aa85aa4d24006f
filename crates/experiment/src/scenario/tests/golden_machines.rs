//! The cases of `tests/golden/truth.json` on machines: cables, routes by destination, routes drawn for each message,
//! dragonflies and clusters of any numbers, bounds; computed by another program.

use std::{collections::BTreeMap, fs};

use cubefold_simulator::{EngineChoice, Request, simulate};
use cubefold_topology::{Channel, Machine, NodeId, RouteKey, TieRule, mix};
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::scenario::{Run, load};

#[derive(Deserialize)]
struct File {
    cases: Vec<Case>,
    routes: Vec<RouteCase>,
}

#[derive(Deserialize)]
struct Case {
    name: String,
    #[serde(default)]
    toml: Option<String>,
    #[serde(default)]
    files: BTreeMap<String, String>,
    #[serde(default)]
    machine: Option<String>,
    #[serde(default)]
    program: Option<String>,
    #[serde(default)]
    execution: Option<String>,
    #[serde(default)]
    scenario: Option<Value>,
    #[serde(default)]
    makespan: Option<u64>,
    #[serde(flatten)]
    more: Map<String, Value>,
}

#[derive(Deserialize)]
struct RouteCase {
    machine: Value,
    #[serde(default)]
    execution: Option<Value>,
    #[serde(default)]
    seed: u64,
    source: u32,
    destination: u32,
    /// Source process, destination process, stage, ordinal, share; of one set of cases.
    #[serde(default)]
    args: Vec<u64>,
    /// From, to, number of the cable.
    route: Vec<[u64; 3]>,
}

/// The switches of cases u1 to u3.
const SWITCHES: &str = "SwitchName=a Nodes=n[0-3]\nSwitchName=b Nodes=n[4-7]\nSwitchName=c Switches=a,b\n";

fn file() -> File {
    serde_json::from_str(include_str!("../../../../../tests/golden/truth.json")).unwrap()
}

/// A value of JSON as TOML.
fn toml(value: &Value) -> String {
    match value {
        Value::Object(members) => {
            let members: Vec<String> =
                members.iter().map(|(key, value)| format!("{key} = {}", toml(value))).collect();
            format!("{{ {} }}", members.join(", "))
        }
        Value::Array(items) => format!("[{}]", items.iter().map(toml).collect::<Vec<_>>().join(", ")),
        other => other.to_string(),
    }
}

fn loaded(text: &str, files: &BTreeMap<String, String>) -> Run {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("topology.conf"), SWITCHES).unwrap();
    for (name, text) in files {
        fs::write(folder.path().join(name), text).unwrap();
    }
    let path = folder.path().join("case.toml");
    fs::write(&path, text).unwrap();
    let scenarios = load(&[path]).unwrap_or_else(|errors| panic!("{text}: {errors}"));
    scenarios.into_iter().next().unwrap().runs.remove(0)
}

/// The messages of a pattern that the file describes in words, as a file of stages.
fn stages_of(program: &str) -> Option<String> {
    let line = |source: u64, destination: u64, units: u64| format!("0,{source},{destination},{units}\n");
    let messages: String = if program.starts_with("bit reversal") {
        let reversed = |word: u64| (0..4).map(|bit| (word >> bit & 1) << (3 - bit)).sum::<u64>();
        (0..16).filter(|&own| reversed(own) != own).map(|own| line(own, reversed(own), 32)).collect()
    } else {
        let words: Vec<&str> = program.strip_prefix("kind = \"stages\": host i sends ")?.split(' ').collect();
        let (units, by) = (words[0].parse().ok()?, words[5].trim_end_matches(')').parse::<u64>().ok()?);
        (0..64).map(|own| line(own, (own + by) % 64, units)).collect()
    };
    Some(format!("stage,source,destination,units\n{messages}"))
}

impl Case {
    fn run(&self) -> Run {
        let mut files = self.files.clone();
        let text = match (&self.toml, &self.machine, &self.scenario) {
            (Some(toml), ..) => toml.clone(),
            (None, Some(machine), _) => {
                let program = self.program.as_deref().unwrap();
                let program = match stages_of(program) {
                    Some(messages) => {
                        files.insert("messages.csv".to_owned(), messages);
                        let processes = if program.starts_with("bit") { 16 } else { 64 };
                        format!("kind = \"stages\"\nfile = \"messages.csv\"\nprocesses = {processes}")
                    }
                    None => program.to_owned(),
                };
                let execution = self.execution.as_deref().unwrap_or_default();
                format!("[machine]\n{machine}\n[program]\n{program}\n[execution]\n{execution}\n")
            }
            (None, None, scenario) => {
                let scenario = scenario.as_ref().unwrap();
                let program = scenario
                    .get("program")
                    .map_or_else(|| "{ kind = \"barrier\", algorithm = \"dissemination\" }".to_owned(), toml);
                format!("machine = {}\nprogram = {program}\n", toml(&scenario["machine"]))
            }
        };
        loaded(&text, &files)
    }

    fn number(&self, key: &str) -> u64 {
        self.more[key].as_u64().unwrap()
    }
}

/// Runs the cases with these names, and compares the makespans.
fn check(names: &[&str]) {
    let cases: Vec<Case> = file().cases;
    for name in names {
        let case = cases.iter().find(|case| case.name == *name).unwrap();
        let run = case.run();
        let request = Request::asynchronous(EngineChoice::Auto);
        let outcome = simulate(&*run.program.body, &run.placement, run.communication, &request, &mut ());
        assert_eq!(Some(outcome.unwrap().summary.makespan().get()), case.makespan, "{name}");
    }
}

#[test]
fn routes_by_destination_are_those_of_the_golden_cases() {
    check(&["d1", "d2", "d3", "d4", "d6", "d7", "d8"]);
}

#[test]
fn routes_drawn_for_each_message_are_those_of_the_golden_cases() {
    check(&["j3", "j4"]);
}

/// The number of parallel links before the one of a channel, and the node that it leads to.
fn cable(machine: &Machine, channel: Channel) -> [u64; 3] {
    let network = machine.graph().unwrap();
    let neighbours = network.neighbours(channel.node);
    let port = channel.direction.dimension.index();
    let first = neighbours.iter().position(|&other| other == neighbours[port]).unwrap();
    [channel.node.index().into(), neighbours[port].index().into(), (port - first) as u64]
}

#[test]
fn routes_are_those_of_the_golden_cases() {
    let file = file();
    for case in &file.routes {
        let machine = match &case.machine {
            Value::String(name) => {
                let own = file.cases.iter().find(|own| own.name == *name).unwrap();
                let text = format!(
                    "[machine]\n{}\n[program]\nkind = \"barrier\"\nalgorithm = \"dissemination\"\n",
                    own.machine.as_deref().unwrap()
                );
                loaded(&text, &BTreeMap::new()).machine
            }
            machine => {
                let execution = case.execution.as_ref().map_or("{}".to_owned(), toml);
                let text = format!(
                    "seed = {}\nmachine = {}\nprogram = {{ kind = \"barrier\", algorithm = \"dissemination\" }}\n\
                     execution = {execution}\n",
                    case.seed,
                    toml(machine)
                );
                loaded(&text, &BTreeMap::new()).machine
            }
        };
        let is_drawn = case.execution.as_ref().is_some_and(|own| own["routing"] == "spread");
        let key = match case.args[..] {
            [source, destination, stage, ordinal, _] if is_drawn => {
                let parts = [source, destination, stage, ordinal];
                RouteKey::Hash(parts.into_iter().fold(mix(case.seed), |hash, part| mix(hash ^ part)))
            }
            [.., share] => RouteKey::Share(u32::try_from(share).unwrap()),
            [] => RouteKey::Ends,
        };
        let ends = [case.source, case.destination].map(NodeId::new);
        let route = machine.route_of_message(ends[0], ends[1], TieRule::Direct, key);
        let found: Vec<[u64; 3]> = route.map(|channel| cable(&machine, channel)).collect();
        assert_eq!(found, case.route, "{} to {} of {}", case.source, case.destination, case.machine);
    }
}

#[test]
fn machines_have_the_links_of_the_golden_cases() {
    let own = file().cases.into_iter().filter(|case| case.name.ends_with("-links"));
    let mut count = 0;
    for case in own {
        let machine = case.run().machine;
        let network = machine.graph().unwrap();
        let found = [machine.host_count(), machine.node_count(), machine.link_count()];
        assert_eq!(found, ["hosts", "vertices", "links"].map(|key| case.number(key)), "{}", case.name);
        let mut degrees: BTreeMap<(bool, String), u64> = BTreeMap::new();
        for node in machine.nodes() {
            let degree = network.neighbours(node).len().to_string();
            *degrees.entry((machine.is_host(node), degree)).or_default() += 1;
        }
        for (key, is_host) in [("host", true), ("switch", false)] {
            for (degree, nodes) in case.more["degrees"][key].as_object().unwrap() {
                let found = degrees.remove(&(is_host, degree.clone()));
                assert_eq!(found, nodes.as_u64(), "{} {key} {degree}", case.name);
            }
        }
        assert!(degrees.is_empty(), "{} {degrees:?}", case.name);
        count += 1;
    }
    assert_eq!(count, 11);
}

#[test]
fn bounds_are_those_of_the_golden_cases() {
    // Cases l3 and l6 reduce in switches; l5 is l4 by two sweeps.
    for name in ["l1", "l2", "l4", "l7", "l8"] {
        let case = file().cases.into_iter().find(|case| case.name == name).unwrap();
        let run = case.run();
        let groups = run.program.collective.as_deref().unwrap();
        let bounds = crate::runs::runner::collective_bounds(&run, groups);
        // Section 24 leaves all-to-alls to the cuts; the file counts what enters a node as bandwidth, too.
        let bandwidth = if name == "l2" { case.number("bandwidth") } else { bounds.bandwidth_cycles };
        assert_eq!(
            [bandwidth, bounds.latency_cycles, bounds.cut_cycles(), bounds.lower_bound_cycles()],
            ["bandwidth", "latency", "cut", "bound"].map(|key| case.number(key)),
            "{name}: {:?}",
            bounds.cut
        );
    }
}
