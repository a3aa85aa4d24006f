//! The cases of `tests/golden/cubes.json` that scenarios can state: link sequences, cubes as guests, meshes on lines and
//! in cubes (section 29 of the model).

use serde_json::Value;

use super::{collectives::record, *};

fn cases(kind: &str) -> Vec<Value> {
    let golden: Vec<Value> =
        serde_json::from_str(include_str!("../../../../../tests/golden/cubes.json")).unwrap();
    let cases: Vec<Value> = golden.into_iter().filter(|case| case["kind"] == kind).collect();
    assert!(!cases.is_empty());
    cases
}

fn only_run(text: &str) -> Run {
    load_text(Path::new("cubes.toml"), text).unwrap_or_else(|error| panic!("{text}{error}")).runs.remove(0)
}

fn shape_of(lengths: &Value) -> String {
    format!("shape = {lengths}")
}

#[test]
fn stages_are_the_named_link_sequences() {
    for case in cases("ordering") {
        let (input, expected) = (&case["input"], &case["expect"]["stages"]);
        let Some(expected) = expected.as_str() else { continue };
        let dimensions = input["dimensions"].as_u64().unwrap();
        let run = only_run(&format!(
            "[machine]\nkind = \"hypercube\"\ndimensions = {dimensions}\n[program]\nstages = {}\n",
            input["stages"]
        ));
        let stages: String =
            run.program.exchanges.as_deref().unwrap().iter().map(ToString::to_string).collect();
        assert_eq!(stages, expected, "{case}");
    }
}

#[test]
fn wrong_link_sequences_are_told() {
    let error = |stages: &str| {
        let text = format!("{RING}[program]\nstages = \"{stages}\"\n");
        load_text(Path::new("s.toml"), &text).unwrap_err().to_string()
    };
    assert!(error("br:4").contains("expected at most the 3 dimensions of the cube"));
    assert!(error("br:0").contains("br of 0 dimensions, expected 1 to 24"));
    assert!(error("brr").contains("degree-4 or minimum-alpha"));
    assert!(error("br:all").contains("expected a list of dimensions"));
}

#[test]
fn cubes_are_guests_of_exchanges_under_their_own_embeddings() {
    for case in cases("guest-hypercube") {
        let (input, expected) = (&case["input"], &case["expect"]);
        let machine = &input["machine"];
        let dimensions = usize::try_from(input["dimensions"].as_u64().unwrap()).unwrap();
        let wraps = input["wraps"] == true;
        let guest = format!(
            "{{ kind = \"{}\", shape = {:?} }}",
            if wraps { "torus" } else { "mesh" },
            vec![2; dimensions]
        );
        for mode in ["asynchronous", "coordinated"] {
            let run = only_run(&format!(
                "[machine]\nkind = \"torus\"\n{}\nwrap = {}\n[program]\nkind = \"neighbour-exchange\"\nguest = {guest}\n\
                 communication = {}\ncompute_cycles = {}\nunits = {}\n[mapping]\nembeddings = [{}]\n\
                 [execution]\nmode = \"{mode}\"\n",
                shape_of(&machine["shape"]),
                machine["wrap"],
                input["communication"],
                input["compute_cycles"].as_u64().unwrap_or(0),
                input["units"].as_u64().unwrap_or(1),
                input["embedding"],
            ));
            let record = record(&run);
            assert_eq!(record.makespan_cycles, expected[mode]["makespan"].as_u64(), "{mode} {case}");
        }
    }
}

/// Runs the exchange of a mesh with its neighbours under an embedding.
fn nodes_of_mesh(machine: &str, shape: &Value, embedding: &str) -> Vec<u32> {
    let run = only_run(&format!(
        "[machine]\n{machine}\n[program]\nkind = \"neighbour-exchange\"\nguest = {{ kind = \"mesh\", shape = {shape} }}\n\
         [mapping]\nembeddings = [\"{embedding}\"]\n"
    ));
    run.placement.nodes().iter().map(|node| node.index()).collect()
}

#[test]
fn meshes_lie_on_lines_by_their_coordinate_sums() {
    for case in cases("line") {
        let shape = &case["input"]["shape"];
        let positions = &case["expect"]["positions"];
        let lengths: Vec<u64> = serde_json::from_value(shape.clone()).unwrap();
        if positions.is_null() || lengths.len() == 1 {
            continue;
        }
        // Cubes fill their line.
        let spare = if lengths.iter().all(|&length| length == 2) { 0 } else { 2 };
        let machine = format!("kind = \"line\"\nshape = [{}]", lengths.iter().product::<u64>() + spare);
        assert_eq!(serde_json::json!(nodes_of_mesh(&machine, shape, "byweight")), *positions, "{case}");
    }
}

#[test]
fn meshes_lie_in_their_smallest_cubes_and_in_fewer_rows() {
    for case in cases("chan").iter().filter(|case| !case["expect"]["nodes"].is_null()) {
        let machine = format!("kind = \"hypercube\"\ndimensions = {}", case["expect"]["dimensions"]);
        let nodes = nodes_of_mesh(&machine, &case["input"]["shape"], "chan");
        assert_eq!(serde_json::json!(nodes), case["expect"]["nodes"], "{case}");
    }
    for case in cases("squeeze") {
        let (rows, slots) = (&case["input"]["rows"], &case["expect"]["slots"]);
        let places: Vec<[u32; 2]> = serde_json::from_value(case["expect"]["places"].clone()).unwrap();
        let count = u32::try_from(rows.as_u64().unwrap()).unwrap();
        let expected: Vec<u32> = places.iter().map(|[row, slot]| row + slot * count).collect();
        let machine = format!("kind = \"mesh\"\nshape = [{rows}, {slots}]");
        assert_eq!(nodes_of_mesh(&machine, &case["input"]["shape"], "even-squeeze"), expected, "{case}");
    }
}

#[test]
fn guests_that_wrap_are_refused_on_lines() {
    let text = "[machine]\nkind = \"line\"\nshape = [12]\n[program]\nkind = \"neighbour-exchange\"\n\
                guest = { kind = \"torus\", shape = [4, 3] }\n[mapping]\nembeddings = [\"byweight\"]\n";
    let errors = load_text(Path::new("s.toml"), text).unwrap_err().to_string();
    assert!(errors.contains("embedding byweight of a torus or mesh guest, expected a d-cube"), "{errors}");
}
