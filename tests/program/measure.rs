//! `measure`: metrics of placements, without running anything.

use serde_json::{Value, json};

use super::command::{Scratch, csv, done, json};
use super::shape_of_json::{assert_shape, machine, placement, program_record};

#[test]
fn the_document_has_exactly_the_keys_that_are_promised_and_the_distances() {
    let mut placement = placement();
    placement["distances"] =
        json!([{ "dimension": "count", "min": "count", "max": "count", "mean": "fraction" }]);
    placement["bounds"] = json!({ "load": "count", "dilation": "count?", "congestion": "count" });
    let entry = json!({
        "run": "count", "scenario": "text", "processes": "count", "nodes": "count", "machine": machine(), "program": program_record(), "embedding": "text", "dilation_bound": "count?",
        "dilation_bound_source": "text?",
        "placement": placement
    });
    for name in ["first-comparison", "own-placement"] {
        let document = json(&["measure", &format!("scenarios/{name}.toml")]);
        let envelope =
            json!({ "format": "text", "version": "count", "cubefold": "text", "placements": [entry] });
        assert_shape(&document, &envelope);
        assert_eq!(document["format"], "cubefold-placements");
    }
}

#[test]
fn byweight_on_the_line_of_figure_4_has_its_distances() {
    let document = json(&["measure", "scenarios/figure-4.toml"]);
    let distances = |entry: usize| document["placements"][entry]["placement"]["distances"].clone();
    let row = |(dimension, (min, max, mean)): (usize, (u64, u64, f64))| json!({ "dimension": dimension, "min": min, "max": max, "mean": mean });
    let rows = |rows: [(u64, u64, f64); 3]| rows.into_iter().enumerate().map(row).collect::<Value>();
    assert_eq!(distances(0), rows([(1, 1, 1.0), (2, 2, 2.0), (4, 4, 4.0)]));
    assert_eq!(distances(1), rows([(3, 4, 3.5), (2, 3, 2.5), (1, 2, 1.5)]));
}

#[test]
fn rings_have_the_dilations_and_node_loads_of_the_papers() {
    // docs/model.md section 8, for d = 2 to 12.
    let document = json(&["measure", "scenarios/rings.toml"]);
    let entries = document["placements"].as_array().unwrap();
    for (d, pair) in (2..).zip(entries.chunks(2)) {
        let half = 1_u64 << (d - 1);
        for (entry, links) in pair.iter().zip([(1_u64 << d) - 1, 3 * (1_u64 << (d - 2)) - 1]) {
            let placement = &entry["placement"];
            assert_eq!(placement["dilation"]["total"].as_u64(), Some(half * links));
            assert_eq!(placement["constant_distances"], json!(true));
            let node_load = placement["node_load"]["mean"].as_f64().unwrap();
            assert_eq!((2.0 * node_load).to_string(), (links - d).to_string());
        }
    }
    assert_eq!(entries.len(), 22);
}

#[test]
fn a_measured_placement_is_that_of_a_run() {
    for name in ["mixed-wrap", "own-placement", "torus-3d"] {
        let path = format!("scenarios/{name}.toml");
        let (measured, ran) = (json(&["measure", &path]), json(&["run", &path]));
        let (placements, runs) =
            (measured["placements"].as_array().unwrap(), ran["runs"].as_array().unwrap());
        assert_eq!(placements.len(), runs.len());
        assert!(!runs.is_empty());
        for (entry, run) in placements.iter().zip(runs) {
            let mut placement = entry["placement"].clone();
            placement.as_object_mut().unwrap().shift_remove("distances").unwrap();
            placement.as_object_mut().unwrap().shift_remove("bounds").unwrap();
            assert_eq!(placement, run["placement"]);
            assert_eq!((&entry["machine"], &entry["program"]), (&run["machine"], &run["program"]));
        }
    }
}

#[test]
fn csv_and_lines_have_an_entry_a_placement() {
    let path = "scenarios/own-placement.toml";
    let (header, rows) = csv(&["measure", path]);
    assert_eq!(header[..2], ["run", "scenario"]);
    assert!(header.iter().all(|name| !name.contains("spectrum") && !name.contains("distances_")));
    assert_eq!(header.last().unwrap(), "placement_bounds_congestion");
    let evenness = header.iter().position(|name| name == "placement_node_evenness").unwrap();
    assert_eq!(rows[0][evenness], "");
    let lines = done(&["measure", path, "--format", "jsonl"]);
    let line = |line: &str| {
        let mut members: serde_json::Map<String, Value> = serde_json::from_str(line).unwrap();
        assert_eq!(members.shift_remove("version"), Some(json!(1)));
        Value::Object(members)
    };
    let lines: Vec<Value> = lines.lines().map(line).collect();
    assert_eq!(Value::Array(lines), json(&["measure", path])["placements"]);
}

#[test]
fn the_largest_machine_is_measured_without_a_table_of_its_nodes() {
    let scratch = Scratch::with(&[(
        "largest.toml",
        "machine = { kind = \"torus\", shape = [65536, 65536] }\n\
         mapping.embeddings = [\"standard\", \"xor\", \"gray\"]\n",
    )]);
    // So little memory would not even hold a byte for each of a thousand nodes.
    let document = json(&["measure", &scratch.path("largest.toml"), "--memory-limit", "8MiB"]);
    let placement = &document["placements"][1]["placement"];
    // d = 16 a ring: each of 2 * 2^16 rings has 2^15 (3 * 2^14 - 1) links of dilation.
    assert_eq!(placement["dilation"]["total"].as_u64(), Some((1 << 17) * (1 << 15) * (3 * (1 << 14) - 1)));
    assert_eq!(placement["dilation"]["max"].as_u64(), Some(1 << 14));
}

#[test]
fn node_evenness_is_the_greatest_load_over_the_least() {
    // Four processes on three nodes, two of them on the first.
    let text = "machine = { kind = \"ring\", shape = [3] }\nprogram.dimensions = 2\n\
                mapping.embeddings = [\"file:p.csv\"]\n";
    let scratch = Scratch::with(&[("s.toml", text), ("p.csv", "process,p_1\n0,0\n1,0\n2,1\n3,2\n")]);
    let scenario = scratch.path("s.toml");
    let (measured, ran) = (json(&["measure", &scenario]), json(&["run", &scenario]));
    for placement in [&measured["placements"][0]["placement"], &ran["runs"][0]["placement"]] {
        assert_eq!(placement["load"], json!({ "max": 2, "min": 1 }));
        assert_eq!(placement["node_evenness"], json!(2.0));
    }
}

#[test]
fn many_shapes_are_one_table_with_promise_and_source() {
    let case = |machine: &str, guest: &str, shape: &str| {
        format!(
            "[[sweep.cases]]\n\"machine.shape\" = {machine}\n\
             \"program.guest\" = {{ kind = \"{guest}\", shape = {shape} }}\n"
        )
    };
    let cases = [("[4, 4]", "ring", "[16]"), ("[3, 5]", "ring", "[15]"), ("[9, 9]", "torus", "[3, 3, 3, 3]")];
    let text = format!(
        "machine.kind = \"mesh\"\nprogram.kind = \"neighbour-exchange\"\nmapping.embeddings = [\"tao\"]\n{}",
        cases.map(|(machine, guest, shape)| case(machine, guest, shape)).concat()
    );
    let scratch = super::command::Scratch::with(&[("s.toml", text.as_str())]);
    let columns = "shape,source,promised,placement_dilation_max,dilation_bound";
    let table = super::command::done(&[
        "measure",
        &scratch.path("s.toml"),
        "--format",
        "markdown",
        "--columns",
        columns,
    ]);
    let rows: Vec<Vec<&str>> = table
        .lines()
        .filter(|line| line.contains("theorem 3") && line.starts_with('|'))
        .map(|line| line.trim_matches('|').split('|').map(str::trim).collect())
        .collect();
    assert_eq!(
        rows,
        [
            ["4x4", "theorem 3.3.3", "1", "1", "1"],
            ["3x5", "theorem 3.3.2", "2", "2", "2"],
            ["9x9", "theorem 3.5.2", "6", "6", "4"],
        ],
        "{table}"
    );
}

#[test]
fn routes_that_routers_choose_are_told_from_those_that_are_counted() {
    let text = "machine = { kind = \"fat-tree\", arity = 4, levels = 2 }\n\
                program = { kind = \"all-to-all\", algorithm = \"direct\", units = 32 }\n";
    let scratch = Scratch::with(&[("s.toml", text)]);
    let said = "not those of routing up-down";
    assert!(!done(&["measure", &scratch.path("s.toml")]).contains(said));
    let routers = done(&["measure", &scratch.path("s.toml"), "--set", "machine.switching=wormhole"]);
    assert!(routers.replace('\n', " ").contains(said), "{routers}");
}
