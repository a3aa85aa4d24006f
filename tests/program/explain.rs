//! `explain`: every column and every word of the tables has its definition.

use cubefold::records::Definition;
use serde_json::Value;

use super::command::{Scratch, csv, csv_table, done, json, refused, run};

/// A scenario whose runs fill most columns.
const EVERYTHING: &str = "\
name = \"everything\"\n\
machine = { kind = \"torus\", shape = [4, 12], partition = { base = [0, 0], shape = [4, 6] } }\n\
mapping.embeddings = [\"tao\"]\n\
[program]\n\
kind = \"neighbour-exchange\"\n\
guest = { kind = \"ring\", shape = [24] }\n\
communication = \"permutation\"\n\
sets = 3\n\
loading = { code_types = \"same\" }\n\
[sweep]\n\
\"execution.mode\" = [\"asynchronous\", \"coordinated\"]\n";

fn assert_defined<T: AsRef<str>>(what: &str, names: &[T]) {
    assert!(!names.is_empty(), "{what}");
    for name in names.iter().map(AsRef::as_ref) {
        assert!(Definition::find(name).is_some(), "{what}: {name:?} has no definition");
    }
}

/// Returns the keys of an object, each prefixed with `before`.
fn keys(object: &Value, before: &str) -> Vec<String> {
    object.as_object().unwrap().keys().map(|key| format!("{before}{key}")).collect()
}

#[test]
fn every_column_of_files_has_a_definition() {
    let scratch = Scratch::with(&[("s.toml", EVERYTHING)]);
    let everything = scratch.path("s.toml");
    for scenario in ["scenarios/first-comparison.toml", &everything] {
        for command in ["run", "compare", "measure", "check"] {
            assert_defined(command, &csv(&[command, scenario]).0);
        }
    }
    assert_defined("place", &csv(&["place", "scenarios/figure-6.toml", "--embedding", "xor"]).0);
    assert_defined("tables", &csv(&["tables", "scenarios/figure-6.toml", "--embedding", "xor"]).0);
    done(&["run", &everything, "--output", &scratch.path("r"), "--processes", &scratch.path("rows.csv")]);
    assert_defined("run --processes", &csv_table(&scratch.read("rows.csv")).0);
}

#[test]
fn every_key_of_documents_that_is_no_column_has_a_definition() {
    let stage = json(&["run", "scenarios/first-comparison.toml"])["runs"][0]["stages"][0].clone();
    let mut names = keys(&stage, "stages_");
    names.retain(|name| name != "stages_distance");
    names.extend(keys(&stage["distance"], "stages_distance_"));
    names.push("placement_dilation_spectrum".to_owned());
    names.push("placement_distances".to_owned());
    assert_defined("stages", &names);
    assert_defined("verify", &keys(&super::verify::QUICK["claims"][0], ""));
}

/// Returns the headers of the tables in a text: the lines above the rules. Words of a header are one space apart.
fn headers(text: &str) -> Vec<String> {
    let lines: Vec<&str> = text.lines().collect();
    let above = lines.windows(2).filter(|pair| pair[1].starts_with('─')).map(|pair| pair[0]);
    above
        .flat_map(|line| line.split("  ").map(str::trim).filter(|cell| !cell.is_empty()))
        .map(str::to_owned)
        .collect()
}

#[test]
fn every_header_of_tables_has_a_definition() {
    let scenarios = ["first-comparison", "link-modes", "neighbour-exchange", "shared-nodes", "rings"];
    for command in ["run", "compare", "check"] {
        for scenario in scenarios {
            let found = headers(&done(&[command, &format!("scenarios/{scenario}.toml")]));
            assert_defined(&format!("{command} {scenario}"), &found);
        }
    }
    assert_defined("verify", &headers(&super::verify::TABLES.concat()));
    let measured = done(&["measure", "scenarios/figure-4.toml"]);
    let rows = measured.lines().skip_while(|line| !line.starts_with('─')).skip(1);
    let metrics: Vec<&str> =
        rows.take_while(|line| !line.is_empty()).map(|line| line.split("  ").next().unwrap()).collect();
    assert_defined("measure", &metrics);
}

#[test]
fn a_term_is_explained_with_its_formula_and_source() {
    insta::assert_snapshot!("explain_makespan", done(&["explain", "makespan"]));
    assert_eq!(done(&["explain", "node", "load"]), done(&["explain", "placement.node_load.max"]));
}

#[test]
fn all_terms_are_listed_with_a_line_each() {
    let text = done(&["explain"]);
    let (listed, _) = text.split_once("Scenarios: ").unwrap();
    for definition in Definition::all() {
        let begins = |line: &str| line.starts_with(&format!("{}  ", definition.title));
        assert_eq!(listed.lines().filter(|line| begins(line)).count(), 1, "{}", definition.title);
    }
}

#[test]
fn what_a_scenario_names_is_explained_too() {
    let embedding = done(&["explain", "byweight"]);
    assert!(embedding.starts_with("byweight, an embedding\n") && embedding.contains("mapping.embeddings"));
    let key = done(&["explain", "machine.links"]);
    assert!(key.contains("values   full-duplex, half-duplex, single-direction"), "{key}");
    assert!(done(&["explain", "half-duplex"]).starts_with("half-duplex, a value of machine.links\n"));
    assert!(done(&["explain", "*"]).starts_with("*, a mark in tables\n"));
    let document = json(&["explain", "ring"]);
    let names: Vec<&str> = document["definitions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| entry["name"].as_str().unwrap())
        .collect();
    assert_eq!(names.last(), Some(&"ring"));
}

#[test]
fn explanations_fit_in_80_columns() {
    for text in
        [done(&["explain"])].into_iter().chain(Definition::all().map(|one| done(&["explain", one.name])))
    {
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    }
}

#[test]
fn definitions_are_a_document_too() {
    let document = json(&["explain"]);
    assert_eq!(document["format"], "cubefold-definitions");
    assert_eq!(document["definitions"].as_array().unwrap().len(), Definition::all().count());
    let one = json(&["explain", "queue"]);
    assert_eq!(one["definitions"][0]["name"], "longest_queue");
    let scratch = Scratch::empty();
    done(&["explain", "queue", "--output", &scratch.path("queue.json")]);
    assert_eq!(serde_json::from_str::<Value>(&scratch.read("queue.json")).unwrap(), one);
}

#[test]
fn an_unknown_term_is_refused_with_the_nearest() {
    let said = refused(&["explain", "makspan"]);
    assert_eq!(said, "error: no definition of \"makspan\"\n  help: did you mean makespan?\n");
    let far = run(&["explain", "xyzzy"]);
    assert_eq!(far.code, Some(2));
    assert!(
        far.stderr.ends_with("help: cubefold explain without a term lists all that are known\n"),
        "{}",
        far.stderr
    );
}
