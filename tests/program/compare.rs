//! `compare`: ratios to a named embedding.

use serde_json::json;

use super::command::{Scratch, csv, done, json, run};
use super::json_results::run_shape;
use super::shape_of_json::assert_shape;

#[test]
fn the_document_has_the_reference_and_every_run_its_ratio() {
    let mut shape = run_shape();
    shape["ratio_to_reference"] = "fraction".into();
    let document = json(&["compare", "scenarios/first-comparison.toml"]);
    assert_shape(
        &document,
        &json!({
            "format": "text", "version": "count", "cubefold": "text", "reference": "text", "runs": [shape]
        }),
    );
    assert_eq!(
        (&document["format"], &document["reference"]),
        (&json!("cubefold-results"), &json!("standard"))
    );
    let ratios: Vec<_> =
        document["runs"].as_array().unwrap().iter().map(|run| run["ratio_to_reference"].clone()).collect();
    // 20, 16 and 24 cycles, in both combinations.
    assert_eq!(ratios, [1.0, 0.8, 1.2, 1.0, 0.8, 1.2].map(|ratio| json!(ratio)));
}

#[test]
fn another_reference_may_be_named() {
    let document = json(&["compare", "scenarios/first-comparison.toml", "--reference", "xor"]);
    assert_eq!(document["reference"], "xor");
    let ratios: Vec<_> =
        document["runs"].as_array().unwrap().iter().map(|run| run["ratio_to_reference"].clone()).collect();
    assert_eq!(ratios, [1.25, 1.0, 1.5, 1.25, 1.0, 1.5].map(|ratio| json!(ratio)));
    let table = done(&["compare", "scenarios/first-comparison.toml", "--reference", "xor"]);
    assert!(
        table.contains("/ xor") && table.contains("standard: 1.25 times more cycles than xor"),
        "{table}"
    );
}

#[test]
fn a_random_placement_is_compared_with_those_by_rule() {
    let text = "seed = 5\n[machine]\nkind = \"torus\"\nshape = [8, 8]\n\
                [mapping]\nembeddings = [\"standard\", \"xor\", \"random\"]\n";
    let scratch = Scratch::with(&[("s.toml", text)]);
    let (header, rows) = csv(&["compare", &scratch.path("s.toml")]);
    let column = |name: &str| header.iter().position(|column| column == name).unwrap();
    let (embedding, makespan) = (column("embedding"), column("makespan_cycles"));
    let names: Vec<&str> = rows.iter().map(|row| row[embedding].as_str()).collect();
    assert_eq!(names, ["standard", "xor", "random"]);
    let cycles: Vec<u64> = rows.iter().map(|row| row[makespan].parse().unwrap()).collect();
    assert!(cycles[1] < cycles[0] && cycles[0] < cycles[2], "{cycles:?}");
}

#[test]
fn each_combination_of_a_sweep_is_compared_within_itself() {
    let document = json(&["compare", "scenarios/square-toruses.toml"]);
    for group in document["runs"].as_array().unwrap().chunks(4) {
        let makespan = |place: usize| group[place]["makespan_cycles"].as_f64().unwrap();
        for (place, run) in group.iter().enumerate() {
            assert_eq!(run["machine"], group[0]["machine"]);
            assert_eq!(run["ratio_to_reference"].as_f64(), Some(makespan(place) / makespan(0)));
        }
    }
}

#[test]
fn apart_from_the_ratio_the_runs_are_those_of_run() {
    let path = "scenarios/link-modes.toml";
    let mut compared = json(&["compare", path]);
    for run in compared["runs"].as_array_mut().unwrap() {
        run.as_object_mut().unwrap().shift_remove("ratio_to_reference").unwrap();
    }
    assert_eq!(compared["runs"], json(&["run", path])["runs"]);
    let (header, _) = csv(&["compare", path]);
    assert_eq!(header.last().unwrap(), "ratio_to_reference");
}

#[test]
fn an_unknown_reference_is_refused_with_the_known_ones() {
    let finished = run(&["compare", "scenarios/first-comparison.toml", "--reference", "gray"]);
    assert_eq!((finished.code, finished.stdout.as_str()), (Some(2), ""));
    for said in ["\"gray\"", "standard, xor, byweight", "first comparison"] {
        assert!(finished.stderr.contains(said), "{}", finished.stderr);
    }
}

#[test]
fn a_reference_has_to_be_in_every_combination() {
    let scratch = Scratch::with(&[(
        "swept.toml",
        "machine = { kind = \"ring\", shape = [8] }\n\
         sweep = { \"mapping.embeddings\" = [[\"standard\", \"xor\"], [\"gray\"]] }\n",
    )]);
    let finished = run(&["compare", &scratch.path("swept.toml"), "--reference", "xor"]);
    assert_eq!((finished.code, finished.stdout.as_str()), (Some(2), ""));
    assert!(finished.stderr.contains("gray"), "{}", finished.stderr);
}

#[test]
fn files_with_different_first_embeddings_have_no_common_reference() {
    let files = ["scenarios/figure-4.toml", "scenarios/contention-64x64.toml"];
    let document = json(&[&["compare"], &files[..]].concat());
    assert!(document["reference"].is_null());
    let runs = document["runs"].as_array().unwrap();
    assert_eq!((&runs[0]["ratio_to_reference"], &runs[2]["ratio_to_reference"]), (&json!(1.0), &json!(1.0)));
}

#[test]
fn a_reference_that_is_missing_in_one_combination_only_is_not_called_unknown() {
    let scratch = Scratch::with(&[(
        "swept.toml",
        "machine = { kind = \"ring\", shape = [8] }\n\
         sweep = { \"mapping.embeddings\" = [[\"standard\", \"xor\"], [\"gray\"]] }\n",
    )]);
    let finished = run(&["compare", &scratch.path("swept.toml")]);
    assert_eq!(finished.code, Some(2));
    assert!(!finished.stderr.contains("is none of the embeddings"), "{}", finished.stderr);
    assert!(finished.stderr.contains("mapping.embeddings = [\"gray\"]"), "{}", finished.stderr);
}
