//! `place`: one placement as a grid, CSV or JSON.

use std::fs;

use serde_json::{Value, json};

use super::command::{Scratch, csv_table, done, json, refused};
use super::shape_of_json::{assert_shape, machine};

#[test]
fn a_document_has_the_coordinates_of_every_process() {
    let document = json(&["place", "scenarios/figure-6.toml", "--embedding", "xor"]);
    let shape = json!({
        "format": "text", "version": "count", "machine": machine(), "embedding": "text", "nodes": [["count"]]
    });
    assert_shape(&document, &shape);
    assert_eq!(document["format"], "cubefold-placement");
    assert_eq!(document["embedding"], "xor");
    let nodes = document["nodes"].as_array().unwrap();
    // Figure 6: 4 sits in column 6 of row 0, and 50 in column 2 of row 4.
    assert_eq!((nodes.len(), &nodes[4], &nodes[50]), (64, &json!([6, 0]), &json!([2, 4])));
}

#[test]
fn grid_csv_and_json_tell_the_same() {
    let arguments = ["place", "scenarios/figure-6.toml", "--embedding", "xor"];
    let grid = done(&arguments);
    let cells: Vec<Vec<u64>> =
        grid.lines().map(|row| row.split_whitespace().map(|cell| cell.parse().unwrap()).collect()).collect();
    let document = json(&arguments);
    let (header, rows) = csv_table(&done(&[&arguments[..], &["--format", "csv"]].concat()));
    assert_eq!(header, ["process", "p_1", "p_2"]);
    assert_eq!(rows.len(), 64);
    for (process, (row, node)) in rows.iter().zip(document["nodes"].as_array().unwrap()).enumerate() {
        let row: Vec<usize> = row.iter().map(|cell| cell.parse().unwrap()).collect();
        assert_eq!((row[0], json!([row[1], row[2]])), (process, node.clone()));
        assert_eq!(cells[row[2]][row[1]], process as u64);
    }
}

#[test]
fn an_empty_node_is_a_dot() {
    let grid = done(&["place", "scenarios/own-placement.toml", "--embedding", "file:own-placement.csv"]);
    assert_eq!(grid.lines().count(), 3);
    assert_eq!(grid.matches('.').count(), 1);
}

/// The runs of a document, without the names of their scenarios and embeddings.
fn nameless(document: &Value) -> Vec<Value> {
    let mut runs = document["runs"].as_array().unwrap().clone();
    for run in &mut runs {
        let members = run.as_object_mut().unwrap();
        // The engine, too, depends on the form of a placement; results do not.
        for member in ["scenario", "embedding", "engine"] {
            assert!(members.shift_remove(member).is_some());
        }
    }
    runs
}

#[test]
fn a_placement_that_is_written_out_and_read_back_gives_the_same_results() {
    let settings = "machine = { kind = \"torus\", shape = [8, 4, 2], wrap = [true, false, true], links = 2 }\n\
                    program.compute_cycles = 3\nexecution.tie = \"negative\"\n\
                    sweep = { \"execution.mode\" = [\"asynchronous\", \"coordinated\"] }\n";
    let one_run = settings.lines().filter(|line| !line.starts_with("sweep")).collect::<Vec<_>>().join("\n");
    for embedding in ["standard", "xor", "byweight", "gray", "optimal"] {
        let scratch = Scratch::with(&[
            ("one.toml", format!("{one_run}\nmapping.embeddings = [\"{embedding}\"]\n")),
            ("named.toml", format!("{settings}mapping.embeddings = [\"{embedding}\"]\n")),
            ("read.toml", format!("{settings}mapping.embeddings = [\"file:placed.csv\"]\n")),
        ]);
        let placed = scratch.path("placed.csv");
        assert_eq!(done(&["place", &scratch.path("one.toml"), "--output", &placed]), "");
        let results = |name: &str| nameless(&json(&["run", &scratch.path(name)]));
        assert_eq!(results("named.toml"), results("read.toml"), "{embedding}");
    }
}

#[test]
fn the_rows_of_a_placement_file_may_come_in_any_order() {
    let scratch =
        Scratch::with(&[("own-placement.toml", super::command::text_of("scenarios/own-placement.toml"))]);
    for name in ["own-placement.csv", "own-placement-compact.csv"] {
        let text = super::command::text_of(&format!("scenarios/{name}"));
        let (header, rows) = text.split_once('\n').unwrap();
        let reversed: Vec<&str> = rows.lines().rev().collect();
        fs::write(scratch.path(name), format!("{header}\n{}\n", reversed.join("\n"))).unwrap();
    }
    let path = scratch.path("own-placement.toml");
    let runs = |path: &str| json(&["run", path])["runs"].clone();
    assert_eq!(runs(&path), runs("scenarios/own-placement.toml"));
}

#[test]
fn a_scenario_that_has_not_one_placement_is_refused() {
    let cases = [
        (vec!["place", "scenarios/figure-6.toml"], "standard, xor"),
        (vec!["place", "scenarios/figure-6.toml", "--embedding", "gray"], "standard, xor"),
        (vec!["place", "scenarios/rings.toml", "--embedding", "xor"], "sweep"),
        (vec!["place", "scenarios/figure-6.toml", "scenarios/figure-4.toml"], "unexpected argument"),
        (
            vec!["place", "scenarios/figure-6.toml", "--embedding", "xor", "--format", "table"],
            "grid, csv, json, npy, hosts, open-mpi-rankfile",
        ),
    ];
    for (arguments, said) in cases {
        let stderr = refused(&arguments);
        assert!(stderr.contains(said), "{arguments:?}: {stderr}");
    }
}
