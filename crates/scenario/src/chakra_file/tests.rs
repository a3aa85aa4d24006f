//! Traces: the cases of `tests/golden/jobs.json` on the traces of `tests/golden/chakra`, and errors at their places.

use std::{
    collections::BTreeMap,
    fs,
    io::Write,
    path::{Path, PathBuf},
};

use cubefold_formats::input::chakra_schema::{
    AttributeProto, BoolList, GlobalMetadata, Node, NodeType, Value as Attribute,
};
use cubefold_simulator::{
    Detail, DetailList, EngineChoice, Observer, OperationTimes, Request, StageRecord, simulate,
};
use flate2::{Compression, write::GzEncoder};
use prost::Message;
use serde::Deserialize;
use tempfile::TempDir;

use super::{trace_set::ActivityKind, *};
use crate::{Run, Scenario, load};

#[derive(Deserialize)]
struct Golden {
    cases: Vec<GoldenCase>,
    errors: Vec<GoldenError>,
}

#[derive(Deserialize)]
struct GoldenCase {
    name: String,
    scenario: String,
    makespan: u64,
    notes: Vec<String>,
    #[serde(default)]
    rank_finish: Vec<u64>,
    #[serde(default)]
    operations: Vec<(String, u64, u64)>,
}

#[derive(Deserialize)]
struct GoldenError {
    name: String,
    scenario: String,
}

fn golden_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden")
}

fn golden() -> Golden {
    let text = fs::read_to_string(golden_folder().join("jobs.json")).unwrap();
    let mut golden: Golden = serde_json::from_str(&text).unwrap();
    golden.cases.retain(|case| case.name.starts_with("chakra: "));
    golden.errors.retain(|case| case.name.starts_with("chakra: "));
    golden
}

/// A folder with a scenario and the traces of all cases.
struct Folder(TempDir);

impl Folder {
    fn new(scenario: &str) -> Self {
        let folder = Self(tempfile::tempdir().unwrap());
        folder.write("s.toml", scenario);
        folder
    }

    fn of_golden(scenario: &str) -> Self {
        let folder = Self::new(scenario);
        fs::create_dir(folder.path("chakra")).unwrap();
        for entry in fs::read_dir(golden_folder().join("chakra")).unwrap() {
            let path = entry.unwrap().path();
            fs::copy(&path, folder.path("chakra").join(path.file_name().unwrap())).unwrap();
        }
        folder
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        fs::write(self.path(name), content).unwrap();
    }

    fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap()
    }

    /// Writes the traces `t.RANK.et` of these operations.
    fn traces(scenario: &str, ranks: &[Vec<Node>]) -> Self {
        let folder = Self::new(scenario);
        for (rank, nodes) in ranks.iter().enumerate() {
            folder.write(&format!("t.{rank}.et"), bytes(nodes));
        }
        folder
    }

    fn load(&self) -> Result<Scenario, String> {
        let folder = format!("{}/", self.0.path().display());
        let loaded = load(&[self.path("s.toml")]).map(|mut scenarios| scenarios.remove(0));
        loaded.map_err(|errors| {
            let shown: Vec<String> = errors.iter().map(ToString::to_string).collect();
            shown.join("\n").replace(&folder, "")
        })
    }

    fn run(&self) -> Run {
        self.load().unwrap().runs.remove(0)
    }

    fn error(&self) -> String {
        self.load().map(|_| ()).unwrap_err()
    }

    fn assert_error_begins(&self, start: &str) {
        let found = self.error();
        assert!(found.starts_with(start), "expected {start:?}, found {found:?}");
    }
}

fn bytes(nodes: &[Node]) -> Vec<u8> {
    let mut bytes = GlobalMetadata { version: "0.0.4".to_owned() }.encode_length_delimited_to_vec();
    nodes.iter().for_each(|node| bytes.extend(node.encode_length_delimited_to_vec()));
    bytes
}

fn node(id: u64, kind: NodeType, data: &[u64], attributes: &[(&str, Attribute)]) -> Node {
    let attribute = |(name, value): &(&str, Attribute)| AttributeProto {
        name: (*name).to_owned(),
        value: Some(value.clone()),
    };
    Node {
        id,
        name: format!("n{id}"),
        kind: kind.into(),
        data_deps: data.to_vec(),
        attr: attributes.iter().map(attribute).collect(),
        ..Node::default()
    }
}

/// A computation of this many nanoseconds.
fn computation(id: u64, data: &[u64], time: i64) -> Node {
    node(id, NodeType::Comp, data, &[("duration_nanoseconds", Attribute::Int64(time))])
}

/// A share of a collective with these attributes, by default an all-reduce of `bytes` bytes.
fn share(id: u64, data: &[u64], bytes: i64, attributes: &[(&str, Attribute)]) -> Node {
    let defaults = [("comm_type", Attribute::Int64(0)), ("comm_size", Attribute::Int64(bytes))];
    node(id, NodeType::CommColl, data, &[attributes, &defaults].concat())
}

/// A share of an all-reduce along some dimensions of the machine.
fn share_along(dimensions: &[bool]) -> Node {
    let list = Attribute::Bools(BoolList { values: dimensions.to_vec() });
    share(0, &[], 4096, &[("is_cpu_op", Attribute::Bool(false)), ("involved_dim", list)])
}

fn makespan(run: &Run) -> u64 {
    times(run).finishes.into_iter().max().unwrap()
}

/// Finishes of ranks and times of operations.
#[derive(Default)]
struct Times {
    finishes: Vec<u64>,
    operations: Vec<OperationTimes>,
}

impl Observer for Times {
    fn stage_finished(&mut self, record: &StageRecord) {
        self.finishes.push(record.finish.get());
    }

    fn wants(&self, detail: Detail) -> bool {
        detail == Detail::Operations
    }

    fn details_finished(&mut self, details: DetailList) {
        if let DetailList::Operations(times) = details {
            self.operations = times;
        }
    }
}

fn times(run: &Run) -> Times {
    let mut times = Times::default();
    assert!(ends(run, &mut times));
    times
}

/// Whether all operations of a run end.
fn ends(run: &Run, times: &mut Times) -> bool {
    let request = Request::asynchronous(EngineChoice::Auto);
    simulate(&*run.program.body, &run.placement, run.communication, &request, times).is_ok()
}

/// Start and end of every operation of traces, by the names of the golden cases.
fn named_times(run: &Run, times: &Times) -> BTreeMap<String, (u64, u64)> {
    let program = run.program.traces.as_deref().unwrap();
    let set = &program.set;
    let mut ends: Vec<u32> = program.firsts.iter().flatten().copied().skip(1).collect();
    ends.push(u32::try_from(times.operations.len()).unwrap());
    let mut next = ends.into_iter();
    let mut of_nodes: Vec<Vec<(u64, u64)>> = vec![];
    for firsts in &program.firsts {
        let of_node = |&first: &u32| {
            let last = next.next().unwrap() - 1;
            (times.operations[first as usize].begun.get(), times.operations[last as usize].over.get())
        };
        of_nodes.push(firsts.iter().map(of_node).collect());
    }
    let time = |place: NodePlace| of_nodes[place.0 as usize][place.1 as usize];
    let hull = |places: &[NodePlace]| {
        let all = places.iter().map(|place| time(*place));
        (all.clone().map(|times| times.0).min().unwrap(), all.map(|times| times.1).max().unwrap())
    };
    let mut named = BTreeMap::new();
    for (rank, trace) in (0..).zip(&set.traces) {
        for (place, node) in (0..).zip(&trace.nodes) {
            named.insert(format!("{rank}:{}", node.id), time((rank, place)));
        }
    }
    let mut numbers: BTreeMap<usize, u32> = BTreeMap::new();
    for activity in &set.activities {
        match &activity.kind {
            ActivityKind::Pair { send, receive, .. } => {
                let name = |place: NodePlace| format!("{}:{}", place.0, set.node(place).id);
                named.insert(format!("{}>{}", name(*send), name(*receive)), hull(&[*send, *receive]));
            }
            ActivityKind::Collective { operation, group, places, .. } => {
                let number = numbers.entry(*group).or_default();
                let (name, members) = &set.groups.all[*group];
                let places: Vec<NodePlace> = members.iter().copied().zip(places.iter().copied()).collect();
                named.insert(format!("{operation} {number} of '{name}'"), hull(&places));
                *number += 1;
            }
        }
    }
    named
}

#[test]
fn golden_cases_take_their_cycles() {
    let cases = golden().cases;
    assert_eq!(cases.len(), 11);
    for case in cases {
        let name = &case.name;
        let run = Folder::of_golden(&case.scenario).run();
        assert_eq!(makespan(&run), case.makespan, "{name}");
        for note in &case.notes {
            assert!(run.program.notes.contains(note), "{name}: {:?}, expected {note}", run.program.notes);
        }
        let times = times(&run);
        assert_eq!(times.finishes, case.rank_finish, "{name}");
        let named = named_times(&run, &times);
        for (operation, start, finish) in &case.operations {
            assert_eq!(named[operation], (*start, *finish), "{name}: {operation}");
        }
    }
}

#[test]
fn golden_errors_name_what_is_wrong() {
    let errors = golden().errors;
    let expected = BTreeMap::from([
        (
            "mismatch",
            "chakra/mismatch.5.et: collective 1 of group \"\" differs: rank 0, node 3 \"all_reduce\": all-reduce of 64000 bytes; rank 5, node 3 \"all_gather\": all-gather of 64000 bytes; expected the same kind and size",
        ),
        (
            "size",
            "chakra/size.2.et: collective 0 of group \"\" differs: rank 0, node 2 \"all_reduce\": all-reduce of 64000 bytes; rank 2, node 2 \"all_reduce\": all-reduce of 64001 bytes; expected the same kind and size",
        ),
        (
            "count",
            "chakra/count.0.et: collectives of group \"\": rank 0 has 2, rank 4 has 1, expected as many; the first without another end is node 3 \"all_reduce\" of rank 0",
        ),
        (
            "circle",
            "chakra/circle.7.et: rank 7: 3 operations wait for each other in a circle, expected an order: ",
        ),
        (
            "alone",
            "chakra/alone.0.et: node 1 \"send 5\": a send without a receive: from rank 0 to rank 1 with tag 5 there are 1 sends and 0 receives, expected as many",
        ),
    ]);
    let mut checked = 0;
    for case in &errors {
        let name = case.name.trim_start_matches("chakra: ").split(',').next().unwrap();
        let folder = Folder::of_golden(&case.scenario);
        // The run finds operations that wait for one another forever.
        if name == "stuck" {
            assert!(folder.load().is_ok());
            continue;
        }
        folder.assert_error_begins(expected[name]);
        checked += 1;
    }
    assert_eq!(checked, 5);
}

const MACHINE: &str = "[machine]\nkind = \"torus\"\nshape = [4, 2]\n[program]\nkind = \"chakra\"\n";

fn of_file(more: &str) -> String {
    format!("{MACHINE}file = \"t.{{rank}}.et\"\n{more}")
}

/// A scenario on the traces of ASTRA-sim, with their groups.
fn of_astra() -> String {
    format!(
        "{MACHINE}file = \"chakra/astra.{{rank}}.et\"\ngroups = \"chakra/comm_group.json\"\nalgorithms = {{ all-gather = \"ring\", all-reduce = \"ring\" }}\n"
    )
}

/// The nodes of a trace as `chakra_jsonizer` prints them: an object each, numbers of 64 bits as words.
fn as_json(mut trace: &[u8]) -> String {
    let mut text = String::new();
    let mut is_first = true;
    while !trace.is_empty() {
        let length = prost::decode_length_delimiter(&mut trace).unwrap();
        let (message, rest) = trace.split_at(length);
        trace = rest;
        if is_first {
            is_first = false;
            text.push_str("{\n  \"version\": \"0.0.4\"\n}\n");
            continue;
        }
        let node = Node::decode(message).unwrap();
        let attribute = |attribute: &AttributeProto| match attribute.value.as_ref().unwrap() {
            Attribute::Text(word) => serde_json::json!({"name": attribute.name, "stringVal": word}),
            Attribute::Bools(list) => {
                serde_json::json!({"name": attribute.name, "boolList": {"values": list.values}})
            }
            Attribute::Bool(truth) => serde_json::json!({"name": attribute.name, "boolVal": truth}),
            number => {
                let number = number.integer().unwrap().to_string();
                serde_json::json!({"name": attribute.name, "int64Val": number})
            }
        };
        let words = |all: &[u64]| all.iter().map(ToString::to_string).collect::<Vec<_>>();
        let kinds = ["COMP_NODE", "COMM_SEND_NODE", "COMM_RECV_NODE", "COMM_COLL_NODE"];
        let first = i32::from(NodeType::Comp);
        let json = serde_json::json!({
            "id": node.id.to_string(),
            "name": node.name,
            "type": kinds[usize::try_from(node.kind - first).unwrap()],
            "ctrlDeps": words(&node.ctrl_deps),
            "dataDeps": words(&node.data_deps),
            "durationMicros": node.duration_micros.to_string(),
            "attr": node.attr.iter().map(attribute).collect::<Vec<_>>(),
        });
        text.push_str(&serde_json::to_string_pretty(&json).unwrap());
        text.push('\n');
    }
    text
}

#[test]
fn traces_of_json_run_like_those_of_messages() {
    let text = of_astra();
    let folder = Folder::of_golden(&text);
    let of_messages = makespan(&folder.run());
    for rank in 0..8 {
        let trace = folder.read(&format!("chakra/astra.{rank}.et"));
        folder.write(&format!("chakra/astra.{rank}.json"), as_json(&trace));
    }
    folder.write("s.toml", text.replace("{rank}.et", "{rank}.json"));
    assert_eq!(makespan(&folder.run()), of_messages);
    // A list of nodes is the same.
    for rank in 0..8 {
        let name = format!("chakra/astra.{rank}.json");
        let text = folder.read(&name);
        let objects = serde_json::Deserializer::from_slice(&text).into_iter::<serde_json::Value>();
        let nodes: Vec<serde_json::Value> = objects.skip(1).map(Result::unwrap).collect();
        folder.write(&name, serde_json::json!({ "workload_graph": nodes }).to_string());
    }
    assert_eq!(makespan(&folder.run()), of_messages);
    folder.write("chakra/astra.0.json", "{\"version\": \"0.0.4\"}\n{\"id\": ");
    folder.assert_error_begins("chakra/astra.0.json: EOF");
}

#[test]
fn groups_come_from_a_file_and_gzipped_traces_are_the_same() {
    let text = of_astra();
    let folder = Folder::of_golden(&text);
    let plain = makespan(&folder.run());
    let run = folder.run();
    let groups = &run.program.traces.as_deref().unwrap().set.groups;
    assert!(groups.all.contains(&("1".to_owned(), vec![0, 1, 2, 3])), "{:?}", groups.all);
    for rank in 0..8 {
        let name = format!("chakra/astra.{rank}.et");
        let mut encoder = GzEncoder::new(vec![], Compression::default());
        encoder.write_all(&folder.read(&name)).unwrap();
        folder.write(&name, encoder.finish().unwrap());
    }
    assert_eq!(makespan(&folder.run()), plain);
    // Without the file the members are the ranks with the collectives, and a note says so.
    let inferred = text.replace("groups = \"chakra/comm_group.json\"\n", "");
    folder.write("s.toml", inferred);
    let run = folder.run();
    assert!(run.program.notes.iter().any(|note| note.starts_with("nothing says who is in group \"1\"")));
    assert_eq!(makespan(&run), plain);
    folder.write("s.toml", text.replace("comm_group.json", "none.json"));
    folder.assert_error_begins("chakra/none.json: the file of program.groups cannot be read: ");
    folder.write("chakra/none.json", "{ \"1\": [0, 8] }");
    assert_eq!(folder.error(), "chakra/none.json: group \"1\" has rank 8, expected 0 to 7");
    folder.write("s.toml", text);
    let whole = folder.read("chakra/astra.3.et");
    folder.write("chakra/astra.3.et", &whole[..whole.len() / 2]);
    folder.assert_error_begins("chakra/astra.3.et: the gzipped file is cut off");
}

#[test]
fn integers_of_any_type_are_the_same() {
    let ends = |size: Attribute, tag: Attribute| {
        let attributes = [
            ("comm_src", Attribute::Uint32(0)),
            ("comm_dst", Attribute::Sint64(1)),
            ("comm_tag", tag),
            ("comm_size", size),
        ];
        [NodeType::CommSend, NodeType::CommRecv].map(|kind| vec![node(7, kind, &[], &attributes)])
    };
    for size in [Attribute::Int32(9), Attribute::Uint64(9), Attribute::Fixed32(9), Attribute::Sfixed64(9)] {
        let folder = Folder::traces(&of_file(""), &ends(size, Attribute::Fixed64(3)));
        assert_eq!(makespan(&folder.run()), 9);
    }
}

#[test]
fn operations_of_a_stream_begin_in_their_order() {
    let (wait, stream) = (Attribute::Uint64(5000), ("stream", Attribute::Int64(7)));
    let lead =
        node(1, NodeType::Comp, &[], &[("duration_nanoseconds", wait), ("is_cpu_op", Attribute::Bool(true))]);
    let in_group = |id, data: &[u64], group: &str| {
        share(id, data, 8, &[("pg_name", Attribute::Text(group.to_owned())), stream.clone()])
    };
    let ranks = vec![vec![lead, in_group(2, &[1], "a"), in_group(3, &[], "b")]; 2];
    let start = |streams: &str| {
        let folder =
            Folder::traces(&of_file(&format!("{streams}algorithms = {{ all-reduce = \"ring\" }}\n")), &ranks);
        let run = folder.run();
        named_times(&run, &times(&run))["0:3"].0
    };
    assert_eq!((start(""), start("streams = true\n")), (0, 5000));
}

#[test]
fn a_sweep_compares_algorithms() {
    let ranks = vec![vec![share(1, &[], 64, &[])]; 8];
    let sweep =
        "[sweep]\n\"program.algorithms\" = [{ all-reduce = \"ring\" }, { all-reduce = \"direct\" }]\n";
    let scenario = Folder::traces(&of_file(sweep), &ranks).load().unwrap();
    let found: Vec<u64> = scenario.runs.iter().map(makespan).collect();
    assert!(found.len() == 2 && found[0] != found[1], "{found:?}");
}

#[test]
fn traces_that_make_no_program_are_refused() {
    let comp = |id| computation(id, &[], 5);
    let error = |more: &str, ranks: &[Vec<Node>]| Folder::traces(&of_file(more), ranks).error();
    assert!(error("", &[vec![comp(1)]]).ends_with("1 traces, expected those of at least 2 ranks, from 0 on"));
    let padded = Folder::traces(&of_file(""), &[vec![comp(1)]]);
    fs::rename(padded.path("t.0.et"), padded.path("t.00.et")).unwrap();
    let padded = padded.error();
    assert!(
        padded.ends_with("t.00.et has a number with zeros before it, expected t.0.et, t.1.et and so on"),
        "{padded}"
    );
    let text = vec![node(1, NodeType::CommColl, &[], &[("comm_type", Attribute::Text("0".to_owned()))])];
    let text = error("", &[text.clone(), text]);
    assert!(text.contains("attribute comm_type is the text \"0\", expected an integer"), "{text}");
    let twice = error("", &[vec![comp(1), comp(1)], vec![]]);
    assert!(twice.starts_with("t.0.et: node 1 \"n1\" and node 1 \"n1\", 0 and 1 of the file"), "{twice}");
    let folder = Folder::traces(&of_file(""), &[vec![comp(1)], vec![comp(1)], vec![comp(1)]]);
    fs::remove_file(folder.path("t.1.et")).unwrap();
    folder.assert_error_begins("t.1.et: the trace of rank 1 is missing, but that of rank 2 is there");
    let whole = bytes(&[comp(1)]);
    folder.write("t.1.et", &whole[..whole.len() - 3]);
    folder.assert_error_begins("t.1.et: the file is cut off: message 1 has");
    folder.write("t.1.et", "a,b\n");
    folder.assert_error_begins("t.1.et: ");
    let shares = |kind| vec![vec![share(1, &[], 8, &[("comm_type", Attribute::Int64(kind))])]; 2];
    let none = error("", &shares(0));
    assert!(none.contains("program.algorithms is missing"), "{none}");
    let other = error("algorithms = { all-gather = \"ring\" }\n", &shares(0));
    assert!(other.contains("program.algorithms has no all-reduce, expected"), "{other}");
    assert!(error("", &shares(12)).contains("attribute comm_type is 12, expected 0 to 9"));
    let circles = error("", &vec![vec![computation(1, &[2], 5), computation(2, &[1], 5)]; 2]);
    assert!(circles.contains("rank 0: 2 operations wait for each other in a circle"), "{circles}");
    let name = Folder::new(&format!("{MACHINE}file = \"t.et\"\n")).error();
    assert!(name.contains("expected a path with {rank} in it, once"), "{name}");
}

#[test]
fn damaged_traces_are_refused_or_run() {
    damage("missing", 2);
}

#[test]
#[ignore = "more of the same"]
fn traces_damaged_anywhere_are_refused_or_run() {
    ["missing", "control", "pipeline"].into_iter().for_each(|name| damage(name, 1));
}

/// Changes, and cuts off, every `step`-th byte of the trace of rank 0.
fn damage(name: &str, step: usize) {
    let text = format!(
        "{MACHINE}file = \"chakra/{name}.{{rank}}.et\"\ndependencies = \"both\"\nstreams = true\n\
         algorithms = {{ all-gather = \"ring\", reduce-scatter = \"ring\", all-to-all = \"direct\" }}\n"
    );
    let folder = Folder::of_golden(&text);
    let trace = format!("chakra/{name}.0.et");
    let whole = folder.read(&trace);
    let changed = |place: usize, by: u8| {
        let mut damaged = whole.clone();
        damaged[place] ^= by;
        damaged
    };
    let (mut refused, mut run) = (0, 0);
    for place in (0..whole.len()).step_by(step) {
        for damaged in [changed(place, 1), changed(place, 0x80), whole[..place].to_vec()] {
            folder.write(&trace, damaged);
            match folder.load() {
                Ok(mut scenario) => {
                    let first = scenario.runs.remove(0);
                    run += usize::from(ends(&first, &mut Times::default()));
                }
                Err(_) => refused += 1,
            }
        }
    }
    assert!(4 * refused * step > whole.len() && 4 * run * step > whole.len(), "{refused} refused, {run} run");
}

#[test]
#[ignore = "takes seconds: 64 traces of 10 000 operations are read and run"]
fn large_sets_of_traces_run() {
    let stage = |id: u64, rank: u64| {
        let before: Vec<u64> = (1..id).rev().take(1).collect();
        if !id.is_multiple_of(100) {
            return computation(id, &before, 1000);
        }
        share(id, &before, 1 << 20, &[("pg_name", Attribute::Text((1 + rank / 8).to_string()))])
    };
    let ranks: Vec<Vec<Node>> =
        (0..64).map(|rank| (1..=10_000).map(|id| stage(id, rank)).collect()).collect();
    let text = of_file("algorithms = { all-reduce = \"ring\" }\n").replace("[4, 2]", "[8, 8]");
    let run = Folder::traces(&text, &ranks).run();
    let schedule = run.program.body.special().tasks().unwrap().schedule().clone();
    // Two calculations, and a send and a receive of each of 14 stages, for each share.
    assert_eq!(schedule.operations().len(), 64 * (9_900 + 100 * (2 + 2 * 14)));
    assert_eq!(run.program.notes.len(), 8, "{:?}", run.program.notes);
    // A chain of computations and all-reduces in every rank.
    let computations: u64 = 9_900 * 1_000;
    assert!(makespan(&run) > computations);
}

#[test]
fn collectives_go_along_the_dimensions_that_a_trace_names() {
    let of = |dimensions: &[bool]| vec![vec![share_along(dimensions)]; 8];
    let text = of_file("algorithms = { all-reduce = \"ring\" }\n");
    // Node a + 4 b of the torus of 4 x 2 has the coordinates a and b.
    let members = |dimensions: &[bool]| {
        let run = Folder::traces(&text, &of(dimensions)).run();
        let groups = run.program.traces.as_deref().unwrap().set.groups.all.iter();
        groups.map(|(_, members)| members.clone()).collect::<Vec<_>>()
    };
    assert_eq!(members(&[true, false]), [vec![0, 1, 2, 3], vec![4, 5, 6, 7]]);
    assert_eq!(members(&[false, true]), [vec![0, 4], vec![1, 5], vec![2, 6], vec![3, 7]]);
    assert_eq!(members(&[true, true]), [(0..8).collect::<Vec<u32>>()]);
    let wrong = Folder::traces(&text, &of(&[true, false, false])).error();
    let expected = "t.0.et: node 0 \"n0\": involved_dim of 3 dimensions, expected 2: those of the machine";
    assert_eq!(wrong, expected);
}

#[test]
fn the_switches_of_a_network_are_no_ranks_of_its_dimension() {
    let traces = |ranks: usize| vec![vec![share_along(&[false])]; ranks];
    let grid = "kind = \"torus\"\nshape = [4, 2]";
    let tree = "kind = \"fat-tree\"\nleaves = 2\nhosts_per_switch = 4\nspines = 1";
    let text = of_file("algorithms = { all-reduce = \"ring\" }\n");
    assert!(text.contains(grid));
    let text = text.replace(grid, tree);
    let run = Folder::traces(&text, &traces(8)).run();
    let groups = run.program.traces.as_deref().unwrap().set.groups.all.iter();
    assert_eq!(groups.map(|(_, members)| members.len()).collect::<Vec<_>>(), [1; 8]);
    let wrong = Folder::traces(&text, &traces(4)).error();
    assert!(wrong.contains("involved_dim in traces of 4 ranks, expected one for each node of 8"), "{wrong}");
}

#[test]
fn other_files_than_traces_of_chakra_are_refused_by_name() {
    let kineto = r#"{"schemaVersion": 1, "distributedInfo": {"rank": 0, "world_size": 2}, "traceEvents": [
        {"ph": "X", "cat": "kernel", "name": "ncclDevKernel_AllReduce", "ts": 1, "dur": 2, "args": {"Collective name": "allreduce",
         "In msg nelems": 4, "dtype": "Float", "Group size": 2}}]}"#;
    let expected = [
        (
            r#"{"schema": "1.1.1", "nodes": [{"id": 2, "name": "nccl:all_reduce"}]}"#,
            "t.0.et: the file is one of PyTorch's execution trace observer, which cubefold does not read",
        ),
        (kineto, "t.0.et: the file is a trace (kineto), expected a Chakra execution trace"),
        (r#"{"a": 1}"#, "t.0.et: no object has the type of a node of Chakra, such as COMP_NODE"),
        ("{}", "t.0.et: no object has the type of a node of Chakra, such as COMP_NODE"),
        ("hello", "t.0.et: the file does not begin like a Chakra execution trace"),
    ];
    for (text, error) in expected {
        let folder = Folder::new(&of_file(""));
        for rank in 0..2 {
            folder.write(&format!("t.{rank}.et"), text);
        }
        assert_eq!(folder.error(), error);
    }
}
