//! Traces of operations: the figures of `tests/golden/jobs.json`, and times of the traces beside those of the run.

use std::path::Path;

use cubefold_formats::input::chakra_schema::{
    AttributeProto, GlobalMetadata, Node, NodeType, Value as Attribute,
};
use cubefold_scenario::{Run, load_text};
use prost::Message;

use super::jobs::{golden, is_trace};
use crate::{
    KeepRecords, Progress, execute,
    support::{record, run_beside},
};

/// The scenario of a case, in the folder of the golden files.
fn run(scenario: &str) -> Run {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden");
    load_text(&folder.join("s.toml"), scenario).unwrap().runs.remove(0)
}

#[test]
fn records_of_golden_cases_have_their_figures() {
    let mut cases = golden().cases;
    cases.retain(|case| is_trace(&case.name));
    assert_eq!(cases.len(), 11);
    for case in cases {
        let (name, record) = (&case.name, record(&run(&case.scenario)));
        assert_eq!(record.makespan_cycles, Some(case.makespan), "{name}");
        assert_eq!((record.hops, record.unit_hops), (Some(case.hops), Some(case.unit_hops)), "{name}");
        assert_eq!(record.longest_queue, Some(case.longest_queue), "{name}");
        assert_eq!(record.exposed_cycles, Some(case.exposed), "{name}");
    }
}

#[test]
fn operations_that_wait_for_one_another_are_named() {
    let errors = golden().errors;
    let stuck = errors.iter().find(|case| case.name.starts_with("chakra: stuck")).unwrap();
    let run = run(&stuck.scenario);
    let error = execute(&run, 0, KeepRecords::No, &Progress::default()).map(|_| ()).unwrap_err();
    assert!(error.to_string().contains("node 0 \"send 0\""), "{error}");
}

/// The run of traces of these operations.
fn run_of_traces(more: &str, ranks: &[Vec<Node>]) -> Run {
    let trace = |(rank, nodes): (usize, &Vec<Node>)| {
        let mut bytes = GlobalMetadata { version: "0.0.4".to_owned() }.encode_length_delimited_to_vec();
        nodes.iter().for_each(|node| bytes.extend(node.encode_length_delimited_to_vec()));
        (format!("t.{rank}.et"), bytes)
    };
    let text = format!(
        "[machine]\nkind = \"torus\"\nshape = [4, 2]\n[program]\nkind = \"chakra\"\nfile = \"t.{{rank}}.et\"\n{more}"
    );
    run_beside(&text, ranks.iter().enumerate().map(trace)).unwrap()
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

#[test]
fn times_of_the_traces_stand_beside_those_of_the_run() {
    let share = |microseconds| Node {
        duration_micros: microseconds,
        ..node(
            1,
            NodeType::CommColl,
            &[],
            &[("comm_type", Attribute::Int64(0)), ("comm_size", Attribute::Int64(8))],
        )
    };
    let end = |kind, nanoseconds: i64| {
        let attributes = [("comm_src", 0), ("comm_dst", 1), ("comm_size", 9)];
        let attributes = attributes.map(|(name, value)| (name, Attribute::Int64(value)));
        let measured = ("duration_nanoseconds", Attribute::Uint64(nanoseconds.unsigned_abs()));
        node(2, kind, &[1], &[&attributes[..], &[measured]].concat())
    };
    let ranks = [vec![share(3), end(NodeType::CommSend, 40)], vec![share(4), end(NodeType::CommRecv, 50)]];
    let algorithms = "algorithms = { all-reduce = \"direct\" }\n";
    let run = run_of_traces(algorithms, &ranks);
    // 4 units each way and back, and then a message of 9 units, which the sender does not wait for.
    let found = record(&run).trace_communication.unwrap();
    let found: Vec<_> =
        found.iter().map(|times| (times.kind.as_ref(), times.operations, times.simulated_cycles)).collect();
    assert_eq!(found, [("all-reduce", 2, 2 * (4 + 4)), ("send", 1, 0), ("receive", 1, 9)]);
    let traced: Vec<f64> =
        record(&run).trace_communication.unwrap().iter().map(|times| times.traced_seconds * 1e9).collect();
    assert!(
        traced.iter().zip([7000.0, 40.0, 50.0]).all(|(time, want)| (time - want).abs() < 1e-6),
        "{traced:?}"
    );
    let untimed = [vec![share(0)], vec![share(0)]];
    assert_eq!(record(&run_of_traces(algorithms, &untimed)).trace_communication, None);
}

#[test]
fn a_rank_sends_to_itself_and_a_message_of_no_bytes_is_a_unit() {
    let end = |id, kind, to: i64, size: i64| {
        let attributes = [("comm_src", 0), ("comm_dst", to), ("comm_size", size)];
        node(id, kind, &[], &attributes.map(|(name, value)| (name, Attribute::Int64(value))))
    };
    let ranks = [
        vec![
            end(1, NodeType::CommSend, 0, 5),
            end(2, NodeType::CommRecv, 0, 5),
            end(3, NodeType::CommSend, 1, 0),
        ],
        vec![end(1, NodeType::CommRecv, 1, 0)],
    ];
    let record = record(&run_of_traces("", &ranks));
    assert_eq!((record.makespan_cycles, record.hops, record.messages), (Some(1), Some(1), Some(2)));
}
