//! `tables`: translation tables by both methods, in every format.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::command::{Scratch, csv, done, json, refused};

const GRAY: &str = "mapping.embeddings = [\"gray\"]\nmachine.kind = \"torus\"\nmachine.shape = [4, 4]\n";

/// The entries of every process, in any order, as they are written.
fn entries(document: &Value) -> BTreeMap<u64, Vec<String>> {
    let nodes = document["nodes"].as_array().unwrap();
    let of = |node: &Value| {
        let mut entries: Vec<String> =
            node["entries"].as_array().unwrap().iter().map(ToString::to_string).collect();
        entries.sort_unstable();
        (node["process"].as_u64().unwrap(), entries)
    };
    nodes.iter().map(of).collect()
}

#[test]
fn a_document_says_where_the_neighbours_of_every_process_are() {
    let document = json(&["tables", "scenarios/figure-6.toml", "--embedding", "xor"]);
    assert_eq!(document["format"], "cubefold-tables");
    assert_eq!((&document["method"], &document["routing_steps"]), (&json!(1), &Value::Null));
    let nodes = document["nodes"].as_array().unwrap();
    assert_eq!(nodes.len(), 64);
    // Node (4, 0) of figure 6 has process 6, whose neighbours in dimensions 0 to 5 are 7, 4, 2, 14, 22, 38.
    assert_eq!(
        nodes[4],
        json!({ "node": [4, 0], "process": 6, "entries": [
            { "process": 7, "node": [5, 0] }, { "process": 4, "node": [6, 0] }, { "process": 2, "node": [2, 0] },
            { "process": 14, "node": [4, 1] }, { "process": 22, "node": [4, 2] }, { "process": 38, "node": [4, 6] },
        ] })
    );
}

#[test]
fn both_methods_agree_at_unit_dilation_and_the_exchange_takes_the_promised_steps() {
    for (links, steps) in [(1, 1), (2, 2), (3, 4)] {
        let scratch = Scratch::with(&[("s.toml", format!("{GRAY}machine.links = {links}\n"))]);
        let path = scratch.path("s.toml");
        let exchanged = json(&["tables", &path, "--method", "2"]);
        assert_eq!(exchanged["routing_steps"], steps);
        assert_eq!(entries(&exchanged), entries(&json(&["tables", &path])));
    }
}

#[test]
fn the_exchange_is_refused_at_larger_dilation() {
    let said = refused(&["tables", "scenarios/figure-6.toml", "--embedding", "xor", "--method", "2"]);
    assert!(said.contains("dilation 2, expected 1"), "{said}");
}

#[test]
fn csv_has_a_row_for_each_entry_and_the_code_of_each_process() {
    let scratch = Scratch::with(&[("s.toml", format!("{GRAY}program.loading.code_types = \"by parity\"\n"))]);
    let (header, rows) = csv(&["tables", &scratch.path("s.toml")]);
    assert_eq!(header, ["node", "process", "code_type", "entry_process", "entry_node"]);
    assert_eq!(rows.len(), 16 * 4);
    assert_eq!(rows[4], ["1 0", "1", "odd", "0", "0 0"]);
    assert!(rows.iter().all(|row| {
        let ones = row[1].parse::<u32>().unwrap().count_ones();
        row[2] == if ones.is_multiple_of(2) { "even" } else { "odd" }
    }));
}

#[test]
fn addresses_are_those_of_the_whole_machine_in_a_partition() {
    let text = "machine = { kind = \"mesh\", shape = [6, 6], \
                partition = { base = [3, 1], shape = [2, 2] } }\nmapping.embeddings = [\"standard\"]\n";
    let scratch = Scratch::with(&[("s.toml", text)]);
    let table = done(&["tables", &scratch.path("s.toml")]);
    assert_eq!(
        table.lines().collect::<Vec<_>>(),
        [
            "node (3, 1) process 0:  1 at (4, 1)  2 at (3, 2)",
            "node (4, 1) process 1:  0 at (3, 1)  3 at (4, 2)",
            "node (3, 2) process 2:  3 at (4, 2)  0 at (3, 1)",
            "node (4, 2) process 3:  2 at (3, 2)  1 at (4, 1)",
        ]
    );
}

#[test]
fn processes_that_share_a_node_have_a_table_each() {
    let text = "machine = { kind = \"line\", shape = [2] }\n\
                program = { kind = \"neighbour-exchange\", guest = { kind = \"line\", shape = [4] } }\n";
    let scratch = Scratch::with(&[("s.toml", text)]);
    let document = json(&["tables", &scratch.path("s.toml")]);
    let nodes = document["nodes"].as_array().unwrap();
    let processes: Vec<_> =
        nodes.iter().map(|node| (node["node"][0].clone(), node["process"].clone())).collect();
    assert_eq!(
        processes,
        [(0, 0), (0, 1), (1, 2), (1, 3)].map(|(node, process)| (json!(node), json!(process)))
    );
    assert_eq!(nodes[1]["entries"], json!([{ "process": 2, "node": [1] }, { "process": 0, "node": [0] }]));
}
