//! `compare`: ratios to a named embedding.

use serde_json::json;

use super::command::{Scratch, csv, done, json, refused, run};
use super::json_results::{provenance, run_shape};
use super::shape_of_json::assert_shape;

#[test]
fn the_document_has_the_reference_and_every_run_its_ratio() {
    let mut shape = run_shape();
    shape["ratio_to_reference"] = "fraction".into();
    let document = json(&["compare", "scenarios/first-comparison.toml"]);
    assert_shape(
        &document,
        &json!({
            "format": "text", "version": "count", "cubefold": "text", "provenance": provenance(),
            "reference": "text", "runs": [shape]
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
    assert!(table.contains("vs xor") && table.contains("standard: takes 1.25x as long as xor"), "{table}");
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
    let stderr = refused(&["compare", "scenarios/first-comparison.toml", "--reference", "gray"]);
    for said in ["\"gray\"", "standard, xor, byweight", "first comparison"] {
        assert!(stderr.contains(said), "{stderr}");
    }
}

#[test]
fn a_reference_has_to_be_in_every_combination() {
    let scratch = Scratch::with(&[(
        "swept.toml",
        "machine = { kind = \"ring\", shape = [8] }\n\
         sweep = { \"mapping.embeddings\" = [[\"standard\", \"xor\"], [\"gray\"]] }\n",
    )]);
    let stderr = refused(&["compare", &scratch.path("swept.toml"), "--reference", "xor"]);
    assert!(stderr.contains("gray"), "{stderr}");
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

/// A ring of 8 on which recursive doubling is the fastest for small vectors, and a ring for large ones.
const ALGORITHMS: &str = "[machine]\nkind = \"ring\"\nshape = [8]\n[program]\nkind = \"all-reduce\"\n\
                          algorithm = [\"ring\", \"recursive-doubling\"]\nexchange = \"whole\"\ncompute_cycles = 9\n\
                          [sweep]\n\"program.units\" = SIZES\n";

#[test]
fn the_fastest_algorithm_changes_where_runs_of_every_size_say() {
    let scratch = Scratch::with(&[
        ("two.toml", &ALGORITHMS.replace("SIZES", "[4, 60]")),
        ("all.toml", &ALGORITHMS.replace("SIZES", &format!("{:?}", (4..=60).collect::<Vec<u32>>()))),
    ]);
    let all = json(&["compare", &scratch.path("all.toml")])["algorithms"].clone();
    let change = &all[0]["changes"][0];
    assert_eq!((&change["before"], &change["after"]), (&json!("recursive-doubling"), &json!("ring")));
    let bisected = json(&["compare", &scratch.path("two.toml"), "--bisect"])["algorithms"].clone();
    assert_eq!(bisected[0]["changes"], all[0]["changes"]);
    assert_eq!(bisected[0]["sizes"][1], all[0]["sizes"][56]);
    let rough = json(&["compare", &scratch.path("two.toml")])["algorithms"].clone();
    assert_eq!(
        (&rough[0]["changes"][0]["last_units"], &rough[0]["changes"][0]["first_units"]),
        (&json!(4), &json!(60))
    );
    let first = change["first_units"].as_u64().unwrap();
    let table = done(&["compare", &scratch.path("two.toml"), "--bisect"]);
    assert!(
        table.contains(&format!(
            "A change at {first} units: ring is the fastest there, recursive-doubling just below."
        )),
        "{table}"
    );
    let table = done(&["compare", &scratch.path("two.toml")]);
    assert!(table.contains("--bisect finds the size"), "{table}");
}

#[test]
fn where_only_algorithms_differ_the_first_is_the_reference_unless_another_is_named() {
    let scratch = Scratch::with(&[("a.toml", &ALGORITHMS.replace("SIZES", "[4, 60]"))]);
    let of = |options: &[&str]| {
        let document = json(&[&["compare", &scratch.path("a.toml")], options].concat());
        let makespan = |place: usize| document["runs"][place]["makespan_cycles"].as_f64().unwrap();
        let ratios: Vec<f64> = document["runs"]
            .as_array()
            .unwrap()
            .iter()
            .map(|run| run["ratio_to_reference"].as_f64().unwrap())
            .collect();
        let pairs = |reference: usize| (0..4).map(move |place| (place, place / 2 * 2 + reference));
        let expected: Vec<Vec<f64>> = [0, 1]
            .into_iter()
            .map(|reference| pairs(reference).map(|(one, other)| makespan(one) / makespan(other)).collect())
            .collect();
        (document["reference"].clone(), ratios, expected)
    };
    let (name, ratios, expected) = of(&[]);
    assert_eq!((name, ratios), (json!("ring"), expected[0].clone()));
    let (name, ratios, expected) = of(&["--reference", "recursive-doubling"]);
    assert_eq!((name, ratios), (json!("recursive-doubling"), expected[1].clone()));
    let table = done(&["compare", &scratch.path("a.toml")]);
    assert!(table.contains("faster than ring to"), "{table}");
}

#[test]
fn the_best_order_of_axes_is_named() {
    let table = done(&["compare", "scenarios/device-order.toml"]);
    assert!(table.contains("Best order of axes: axes:"), "{table}");
    let document = json(&["compare", "scenarios/device-order.toml"]);
    let runs = document["runs"].as_array().unwrap();
    let makespan = |run: &serde_json::Value| run["makespan_cycles"].as_u64().unwrap();
    let orders = || runs.iter().filter(|run| run["embedding"].as_str().unwrap().starts_with("axes:"));
    let best = orders().min_by_key(|run| makespan(run)).unwrap();
    let words = table.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        words.contains(&format!("Best order of axes: {} (", best["embedding"].as_str().unwrap())),
        "{table}"
    );
    assert!(makespan(best) < makespan(&runs[0]), "standard splits an axis");
}

const CLUSTER: &str = "[machine]\nkind = \"cluster\"\nnodes = 2\ndevices_per_node = 2\nunit_bytes = 1024\nswitching = \"cut-through\"\n\
    inside = { kind = \"switch\", link = { bandwidth = \"450 GB/s\", latency = \"500 ns\" } }\n\
    outside = { link = { bandwidth = \"50 GB/s\", latency = \"1 us\" }, leaves = { nodes = 2 }, rails = true, spines = 1 }\n";

#[test]
fn a_hierarchical_all_reduce_can_be_the_fastest_and_the_reference() {
    let levels = "{ hierarchical = { inner = \"ring\", outer = \"ring\" } }";
    let text = format!(
        "{CLUSTER}[program]\nkind = \"all-reduce\"\nalgorithm = [\"ring\", \"tree\", {levels}]\n[sweep]\n\
         \"program.bytes\" = [\"1 MiB\", \"64 MiB\"]\n"
    );
    let scratch = Scratch::with(&[("s.toml", &text)]);
    let path = scratch.path("s.toml");
    let table = done(&["compare", &path]);
    assert!(table.contains("hierarchical ring/ring is the fastest at every size."), "{table}");
    assert!(table.contains("4 hosts") && table.contains("bus bandwidth"), "{table}");
    assert!(!table.lines().any(|line| line.starts_with(':')), "{table}");
    let document = json(&["compare", &path, "--reference", "hierarchical ring/ring"]);
    assert_eq!(document["reference"], "hierarchical ring/ring");
    let sizes = document["algorithms"][0]["sizes"].as_array().unwrap();
    assert!(sizes.iter().all(|size| size["fastest"] == "hierarchical ring/ring"), "{sizes:?}");
    assert!(document["runs"].as_array().unwrap().iter().all(|run| run["nodes"] == 4));
}

#[test]
fn a_faster_exchange_is_told() {
    let text = "[machine]\nkind = \"torus\"\nshape = [8]\n[program]\nkind = \"all-reduce\"\n\
                algorithm = \"recursive-doubling\"\ncompute_cycles = 50\nunits = 8\n";
    let scratch = Scratch::with(&[("s.toml", text)]);
    let told = "exchange = \"best\" is faster in 1 of 1 runs";
    let table = done(&["compare", &scratch.path("s.toml")]);
    assert!(table.contains(told), "{table}");
    let whole = done(&["compare", &scratch.path("s.toml"), "--set", "program.exchange=whole"]);
    assert!(!whole.contains("exchange = \"best\""), "{whole}");
    let large = done(&["compare", &scratch.path("s.toml"), "--set", "program.units=80000"]);
    assert!(!large.contains("exchange = \"best\""), "{large}");
}

#[test]
fn variants_of_an_algorithm_are_rivals_and_the_legend_says_so() {
    let text = "machine = { kind = \"torus\", shape = [4, 4] }\n\
                program = { kind = \"all-gather\", algorithm = [\"ring\", \"recursive-doubling\"], units = 64 }\n\
                [sweep]\n\"program.ports\" = [1, \"all\"]\n";
    let scratch = Scratch::with(&[("s.toml", text)]);
    let table = done(&["compare", &scratch.path("s.toml")]);
    let marked: Vec<&str> = table.lines().filter(|line| line.contains(" * ")).collect();
    assert!(marked.len() == 1 && marked[0].starts_with("all "), "{table}");
    assert!(table.contains("* the fewest cycles of its combination with any ports."), "{table}");
}

#[test]
fn a_run_that_takes_what_is_predicted_is_not_called_far_from_its_bound() {
    let text = "machine = { kind = \"hypercube\", dimensions = 4 }\n\
                program = { kind = \"divide-and-conquer\", guest = { kind = \"line\", shape = [16] } }\n";
    let scratch = Scratch::with(&[("s.toml", text)]);
    let table = done(&["run", &scratch.path("s.toml")]);
    assert!(table.contains("as predicted, and no run with this placement is shorter."), "{table}");
    assert!(!table.contains("times the lower bound"), "{table}");
}

#[test]
fn headings_name_the_routing_that_a_scenario_gives() {
    let text = "machine = { kind = \"mesh\", shape = [4, 4] }\n\
                program = { kind = \"permutation\", pattern = \"transpose\" }\n";
    let scratch = Scratch::with(&[("s.toml", text)]);
    let heading = |settings: &[&str]| done(&[&["run", &scratch.path("s.toml")][..], settings].concat());
    assert!(!heading(&[]).contains("routing"));
    assert!(heading(&["--set", "execution.routing=valiant"]).contains("asynchronous, routing valiant"));
}
