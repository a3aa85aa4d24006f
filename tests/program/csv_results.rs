//! The CSV of `run`: names, cells, and the same scalars as the JSON.

use std::collections::BTreeMap;

use serde_json::Value;

use super::command::{Scratch, csv, json, run};

/// The rows of a scenario by column.
fn rows(path: &str) -> Vec<BTreeMap<String, String>> {
    let (header, rows) = csv(&["run", path]);
    rows.into_iter().map(|row| header.iter().cloned().zip(row).collect()).collect()
}

/// The scalars of a record by their joined names, in order; lists of numbers and truths are kept.
fn scalars(name: &str, value: &Value, found: &mut Vec<(String, Value)>) {
    match value {
        Value::Object(members) => {
            for (key, member) in members {
                let nested = if name.is_empty() { key.clone() } else { format!("{name}_{key}") };
                scalars(&nested, member, found);
            }
        }
        other => found.push((name.to_owned(), other.clone())),
    }
}

/// The cell that a scalar should have.
fn cell(name: &str, value: &Value) -> String {
    let join = |separator: &str| {
        let entries = value.as_array().unwrap().iter().map(ToString::to_string);
        entries.collect::<Vec<_>>().join(separator)
    };
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(_) if name == "machine_shape" => join("x"),
        Value::Array(_) => join(" "),
        other => other.to_string(),
    }
}

#[test]
fn a_row_has_the_scalars_of_the_document_in_its_order_under_joined_names() {
    for name in ["first-comparison", "mixed-wrap", "own-placement", "phases", "bitonic-sort"] {
        let path = format!("scenarios/{name}.toml");
        let (header, rows) = csv(&["run", &path]);
        let document = json(&["run", &path]);
        let runs = document["runs"].as_array().unwrap();
        assert_eq!(rows.len(), runs.len());
        for (row, run) in rows.iter().zip(runs) {
            let mut expected = vec![];
            scalars("", run, &mut expected);
            expected.retain(|(name, _)| name != "stages" && !name.starts_with("placement_dilation_spectrum"));
            let names: Vec<&String> = expected.iter().map(|(name, _)| name).collect();
            assert_eq!(header.iter().collect::<Vec<_>>(), names);
            let cells: Vec<String> = expected.iter().map(|(name, value)| cell(name, value)).collect();
            assert_eq!(row, &cells);
        }
    }
}

#[test]
fn lists_and_missing_values_are_written_as_the_page_on_results_says() {
    let scratch = Scratch::with(&[(
        "cylinder.toml",
        "name = \"a, \\\"quoted\\\" name\"\nprogram.stages = [2, 0, 1, 3, 4, 5]\n\
         [machine]\nkind = \"torus\"\nshape = [8, 8]\nwrap = [true, false]\n",
    )]);
    for row in rows(&scratch.path("cylinder.toml")) {
        assert_eq!(row["scenario"], "a, \"quoted\" name");
        assert_eq!(row["machine_shape"], "8x8");
        assert_eq!(row["machine_wrap"], "true false");
        assert_eq!(row["program_stages"], "2 0 1 3 4 5");
        assert_eq!(row["execution_mode"], "asynchronous");
        for missing in ["execution_dimension_choice", "loading_cycles", "routing_steps", "conflicts"] {
            assert_eq!(row[missing], "", "{missing}");
        }
        assert_eq!(row["totals_sharing_cycles"], "0");
        assert!(!row["longest_queue"].is_empty());
    }
}

#[test]
fn uplinks_and_twists_have_columns_where_a_machine_has_such() {
    let swept = "program = { kind = \"permutation\", pattern = \"complement\" }\n\
        [[sweep.cases]]\n\"machine.kind\" = \"torus\"\n\"machine.shape\" = [4, 4]\n\
        [[sweep.cases]]\n\"machine.kind\" = \"torus\"\n\"machine.shape\" = [4, 4]\n\
        \"machine.twist\" = [[0, 2], [0, 0]]\n\
        [[sweep.cases]]\n\"machine.kind\" = \"fat-tree\"\n\"machine.arity\" = 4\n\"machine.levels\" = 2\n\
        \"machine.uplinks\" = [2]\n";
    let scratch = Scratch::with(&[("s.toml", swept)]);
    let columns = ["machine_uplinks", "machine_twist"];
    let cells: Vec<_> =
        rows(&scratch.path("s.toml")).iter().map(|row| columns.map(|name| row[name].clone())).collect();
    assert_eq!(cells, [["", ""], ["", "[[0, 2], [0, 0]]"], ["2", ""]]);
    let plain = rows("scenarios/first-comparison.toml");
    assert!(columns.iter().all(|name| !plain[0].contains_key(*name)));
}

#[test]
fn every_row_of_every_mixture_of_runs_has_the_columns_of_the_header() {
    // Asynchronous and coordinated, with and without bounds, machines of different arity.
    let files =
        ["scenarios/own-placement.toml", "scenarios/link-modes.toml", "scenarios/same-size-machines.toml"];
    let (header, rows) = csv(&[&["run"], &files[..]].concat());
    assert!(rows.iter().all(|row| row.len() == header.len()));
    assert_eq!(rows.len(), 2 + 6 * 4 + 6 * 4);
}

#[test]
fn notes_on_runs_are_said_beside_the_rows() {
    let topology = "SwitchName=s0 Nodes=n[0-1]\nSwitchName=s1 Nodes=n[2-7]\nSwitchName=s2 Switches=s[0-1]\n";
    let scenario = "machine = { kind = \"network\", edges = \"t.conf\" }\n\
        program = { kind = \"barrier\", algorithm = \"dissemination\" }\n";
    let scratch = Scratch::with(&[("s.toml", scenario), ("t.conf", topology)]);
    let path = scratch.path("s.toml");
    let told = "note: cables are assumed: 2 to 6 from each leaf to s2";
    for (arguments, is_told) in [
        (vec!["run", &path, "--format", "csv"], true),
        (vec!["run", &path, "--format", "csv", "--quiet"], false),
        (vec!["run", &path, "--format", "json"], false),
    ] {
        let finished = run(&arguments);
        assert_eq!(finished.stderr.contains(told), is_told, "{arguments:?}: {}", finished.stderr);
        assert!(finished.stdout.contains("cables") == (arguments[3] == "json"), "{}", finished.stdout);
    }
}

#[test]
fn chosen_columns_are_all_there() {
    let text = "[machine]\nkind = \"mesh\"\nshape = [4, 4]\nswitching = \"wormhole\"\n\
                [program]\nkind = \"open-loop\"\npattern = \"transpose\"\nload = 0.1\nseeds = 2\n\
                warmup_cycles = 100\nmeasure_cycles = 100\ndrain_cycles = 100\n";
    let scratch = Scratch::with(&[("s.toml", text)]);
    let scenario = scratch.path("s.toml");
    let chosen = |more: &[&str]| csv(&[&["run", &scenario][..], more].concat());
    // The limit is that of each seed, the trend has one for each.
    let (header, rows) = chosen(&["--columns", "trend,limit,load"]);
    assert_eq!(header, ["load", "open_loop_trend", "open_loop_channel_load"]);
    assert_eq!(rows, [["0.1", "", "3/1"]]);
    // The heading of a swept key in tables.
    let (header, rows) = chosen(&["--columns", "measure_cycles", "--set", "program.measure_cycles=200"]);
    assert_eq!(
        (&header[..], &rows[..]),
        (&["program_measure_cycles".to_owned()][..], &[vec!["200".to_owned()]][..])
    );
    let part =
        run(&["run", &scenario, "--shard", "1/2", "--output", &scratch.path("o.csv"), "--columns", "load"]);
    assert!(part.stderr.contains("--columns with --shard: a part has all columns"), "{}", part.stderr);
}

#[test]
fn columns_that_no_result_has_are_refused_before_anything_runs() {
    let scratch = Scratch::with(&[("s.toml", "machine = { kind = \"ring\", shape = [8] }\n")]);
    for (command, file) in [("run", "s.csv"), ("compare", "s.csv"), ("run", "s.txt"), ("compare", "s.txt")] {
        let output = scratch.path(file);
        let refused = run(&[command, &scratch.path("s.toml"), "--columns", "nonsense", "--output", &output]);
        assert_eq!(refused.code, Some(2), "{command} {file}");
        // Finished runs would be kept in a journal beside it.
        assert!(!std::path::Path::new(&format!("{output}.partial")).exists(), "{command} {file}");
    }
    // Embeddings, keys and words are explained, too, but head no column.
    for (command, column) in
        [("run", "xor"), ("compare", "program.kind"), ("search", "warmup"), ("verify", "xor")]
    {
        let file = (command != "verify").then(|| scratch.path("s.toml"));
        let words = [Some(command.to_owned()), file, Some("--columns".to_owned()), Some(column.to_owned())];
        let refused = run(&words.into_iter().flatten().collect::<Vec<_>>());
        let told = refused.stderr.contains(&format!("no column {column:?}"));
        assert!(refused.code == Some(2) && told, "{command}: {}", refused.stderr);
    }
}
