//! Greenberg's embedding through the binary: its placement, its stages, its promises and its refusals.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::command::{Scratch, csv_table, done, json, refused, run, text_of};
use super::shape_of_json::{assert_shape, machine};

const SCENARIO: [&str; 4] = ["place", "scenarios/greenberg.toml", "--embedding", "greenberg"];

/// A scenario of one guest on the hypercube of this number of dimensions.
fn scenario(dimensions: u32, guest: &str) -> Scratch {
    let text = format!(
        "machine = {{ kind = \"hypercube\", dimensions = {dimensions} }}\n\
         program = {{ kind = \"neighbour-exchange\", guest = {guest} }}\nmapping.embeddings = [\"greenberg\"]\n"
    );
    Scratch::with(&[("s.toml", &text)])
}

/// The output of `place --stage`.
fn stage(scratch: &Scratch, name: &str) -> String {
    done(&["place", &scratch.path("s.toml"), "--stage", name])
}

#[test]
fn a_stage_is_drawn_as_figure_6_draws_it() {
    let drawn = |stage| done(&[&SCENARIO[..], &["--stage", stage]].concat());
    assert_eq!(
        drawn("reflect"),
        "Step 2: the rows of the blocks are reflected (dimensions 1 and 2)\n\
         rows 1 to 5 of the 5 x 11 mesh in 4 x 16 slots\n\
         1 . 4 5 3 . 2 . 1 . 4 5 3 . 2 . | 1 . 4 5 3 .\n\
         2 . 3 . 4 5 1 . 2 . 3 . 4 5 1 . | 2 . 3 . 4 5\n\
         3 . 2 . 1 . 4 5 3 . 2 . 1 . 4 5 | 3 . 2 . 1 .\n\
         4 5 1 . 2 . 3 . 4 5 1 . 2 . 3 . | 4 5 1 . 2 .\n"
    );
    assert_eq!(
        drawn("pack"),
        "Step 3: all nodes are as far to the left as they go (dimensions 1 and 2)\n\
         rows 1 to 5 of the 5 x 11 mesh in 4 x 16 slots\n\
         1 4 5 3 2 1 4 5 3 2 1 4 5 3 . .\n\
         2 3 4 5 1 2 3 4 5 1 2 3 4 5 . .\n\
         3 2 1 4 5 3 2 1 4 5 3 2 1 . . .\n\
         4 5 1 2 3 4 5 1 2 3 4 5 1 2 . .\n"
    );
}

#[test]
fn nodes_run_over_the_cube_are_folded_onto_others_and_percolate() {
    let scratch = scenario(11, "{ kind = \"mesh\", shape = [45, 45] }");
    let rows = |name| stage(&scratch, name).lines().skip(2).map(str::to_owned).collect::<Vec<_>>();
    // The fullest row uses 65 of the 64 columns before step 4, and one slot has two nodes after it.
    assert!(rows("pack").iter().all(|row| row.contains(" | ")));
    let beyond = |row: &String| row.split(" | ").nth(1).is_some_and(|cell| cell.trim() != ".");
    assert_eq!(rows("pack").iter().filter(|row| beyond(row)).count(), 1);
    for (name, shared) in [("fold", 1), ("swap", 1), ("percolate", 0)] {
        let text = rows(name).join("\n");
        assert_eq!((text.matches('+').count(), text.contains('|')), (shared, false), "{name}");
    }
    assert_ne!(rows("fold"), rows("swap"));
}

#[test]
fn the_last_stage_is_the_placement_in_every_format() {
    let document = json(&[&SCENARIO[..], &["--stage", "percolate"]].concat());
    let part = json!({
        "row_dimension": "count", "column_dimension": "count", "method": "text", "mesh": ["count"],
        "intermediate_mesh": ["count"],
        "reflection": {
            "singlet_rows": "count", "doublet_rows": "count", "columns_used": ["count"], "doublets_swapped": "count",
            "slots_with_two_nodes": "count", "empty_slots": "count",
            "spectrum_before_percolation": { "1": "count", "2": "count", "3": "count" },
        },
        "slots": [[["count"]]],
    });
    let shape = json!({
        "format": "text", "version": "count", "machine": machine(), "embedding": "text", "stage": "text",
        "parts": [part],
    });
    assert_shape(&document, &shape);
    let part = &document["parts"][0];
    assert_eq!((&document["format"], &part["method"]), (&json!("cubefold-stage"), &json!("reflection")));
    assert_eq!((&part["mesh"], &part["intermediate_mesh"]), (&json!([5, 11]), &json!([4, 16])));
    assert_eq!((&part["row_dimension"], &part["column_dimension"]), (&json!(1), &json!(2)));
    let (header, rows) =
        csv_table(&done(&[&SCENARIO[..], &["--stage", "percolate", "--format", "csv"]].concat()));
    assert_eq!(header, ["row_dimension", "column_dimension", "row", "column", "slot_row", "slot_column"]);
    assert_eq!(rows.len(), 55);
    let nodes = json(&SCENARIO);
    let mut seen = BTreeSet::new();
    for (process, row) in rows.iter().enumerate() {
        let row: Vec<usize> = row.iter().map(|cell| cell.parse().unwrap()).collect();
        assert_eq!([row[0], row[1], row[2] + 5 * row[3]], [1, 2, process]);
        assert_eq!(part["slots"][row[2]][row[3]], json!([row[4], row[5]]));
        assert!(seen.insert((row[4], row[5])));
        // The code word of the slot's row, then that of its column from the highest bit on.
        let (rows, columns) = (row[4] ^ row[4] >> 1, row[5] ^ row[5] >> 1);
        let bits: Vec<usize> =
            (0..2).map(|bit| rows >> bit & 1).chain((0..4).rev().map(|bit| columns >> bit & 1)).collect();
        assert_eq!(nodes["nodes"][process], json!(bits));
    }
}

#[test]
fn dimensions_in_pairs_have_their_stages_side_by_side() {
    let scratch = scenario(8, "{ kind = \"mesh\", shape = [3, 7, 5, 2] }");
    let text = stage(&scratch, "pack");
    assert_eq!(
        text,
        "Step 3: all nodes are as far to the left as they go (dimensions 1 and 3)\n\
         rows 1 to 3 of the 3 x 5 mesh in 2 x 8 slots\n\
         1 2 3 1 2 3 1 .\n\
         2 3 1 2 3 1 2 3\n"
    );
    let gray = stage(&scratch, "gray");
    assert!(gray.contains("The Gray code, if that is the method (dimension 2)\npositions 1 to 7 of the line in 1 x 8 slots\n1 2 3 4 5 6 7 .\n\n"), "{gray}");
    assert!(gray.ends_with("(dimension 4)\npositions 1 to 2 of the line in 1 x 2 slots\n1 2\n"), "{gray}");
    let document = json(&["measure", &scratch.path("s.toml")]);
    assert_eq!(
        document["placements"][0]["placement"]["construction"]["formula"],
        "dimensions 1 and 3: 3 x 5 in 2 x 8; dimension 2: 7 in 8; dimension 4: 2 in 2"
    );
}

#[test]
fn measure_tells_the_method_and_what_it_promises() {
    let document = json(&["measure", "scenarios/greenberg.toml"]);
    let placement = &document["placements"][0]["placement"];
    let none = Value::Null;
    assert_eq!(
        placement["construction"],
        json!({
            "name": "reflection", "theorem": "theorem 3", "formula": "dimensions 1 and 2: 5 x 11 in 4 x 16",
            "promised_dilation": 5, "promised_dilation_is": "at most", "routing_vector": none, "phase_lengths": none,
            "promised_steps": { "full_duplex": none, "half_duplex": none, "single_direction": none },
        })
    );
    assert_eq!(placement["dilation"]["spectrum"], json!({ "1": 36, "2": 43, "3": 15 }));
    assert_eq!(placement["link_congestion"]["max"], 4);
    let page = done(&["measure", "scenarios/greenberg.toml"]);
    assert!(
        page.contains("greenberg, mesh 5x11 on the 6-cube: reflection (dimensions 1 and 2: 5 x 11 in"),
        "{page}"
    );
    let scratch = scenario(5, "{ kind = \"mesh\", shape = [4, 8] }");
    let page = done(&["run", &scratch.path("s.toml")]);
    assert!(
        page.contains("greenberg, mesh 4x8 on the 5-cube: gray (dimensions 1 and 2: 4 x 8 in 4 x 8); it"),
        "{page}"
    );
}

#[test]
fn the_gray_code_in_a_larger_cube_has_its_stage_and_tiles_have_none() {
    let scratch = scenario(4, "{ kind = \"ring\", shape = [6] }");
    assert_eq!(
        stage(&scratch, "gray"),
        "The Gray code, if that is the method (dimension 1)\npositions 1 to 6 of the line in 1 x 8 slots\n1 2 3 . . 4 5 6\n"
    );
    let tiles = scenario(5, "{ kind = \"mesh\", shape = [3, 3, 3] }");
    let finished = run(&["place", &tiles.path("s.toml"), "--stage", "gray"]);
    assert_eq!(finished.code, Some(2));
    assert_eq!(
        finished.stderr,
        "error: --stage of the tiles construction, which is made in one\n  help: leave out --stage\n"
    );
    let construction =
        &json(&["measure", &tiles.path("s.toml")])["placements"][0]["placement"]["construction"];
    assert_eq!(construction["name"], "tiles");
    assert_eq!(construction["promised_dilation"], 2);
}

#[test]
fn stages_are_refused_where_there_are_none() {
    let assert_refused = |arguments: &[&str], message: &str, help: &str| {
        let said = refused(arguments);
        assert_eq!(said, format!("error: {message}\n  help: {help}\n"));
    };
    assert_refused(
        &["place", "scenarios/figure-6.toml", "--embedding", "xor", "--stage", "pack"],
        "--stage of embedding xor, expected greenberg",
        "other embeddings are made in one; leave out --stage",
    );
    assert_refused(
        &[&SCENARIO[..], &["--stage", "gray"]].concat(),
        "stage gray of the reflection method, which has compress, reflect, pack, fold, swap, percolate",
        "give --stage with one of these, or leave it out",
    );
    assert_refused(
        &[&SCENARIO[..], &["--stage", "pack", "--format", "slurm-hostfile"]].concat(),
        "--stage with a format of nodes, expected --format with one of grid, csv, json",
        "before the last stage there are slots of an intermediate mesh; leave out --stage, or change the format",
    );
}

#[test]
fn a_placement_that_is_written_out_and_read_back_gives_the_same_results() {
    let settings = "machine = { kind = \"hypercube\", dimensions = 8, links = \"half-duplex\" }\n\
                    program = { kind = \"neighbour-exchange\", guest = { kind = \"mesh\", shape = [19, 13], \
                    wrap = [false, true] }, communication = \"scatter\", compute_cycles = 2 }\n";
    let sweep = "sweep = { \"execution.mode\" = [\"asynchronous\", \"coordinated\"] }\n";
    let scratch = Scratch::with(&[
        ("one.toml", format!("{settings}mapping.embeddings = [\"greenberg\"]\n")),
        ("named.toml", format!("{settings}{sweep}mapping.embeddings = [\"greenberg\"]\n")),
        ("read.toml", format!("{settings}{sweep}mapping.embeddings = [\"file:placed.csv\"]\n")),
    ]);
    assert_eq!(done(&["place", &scratch.path("one.toml"), "--output", &scratch.path("placed.csv")]), "");
    let results = |name: &str| {
        let mut runs = json(&["run", &scratch.path(name)])["runs"].as_array().unwrap().clone();
        for run in &mut runs {
            run.as_object_mut().unwrap().retain(|key, _| !["scenario", "embedding"].contains(&key.as_str()));
        }
        runs
    };
    assert_eq!(results("named.toml"), results("read.toml"));
}

#[test]
fn half_of_the_7_cube_is_the_placement_on_the_6_cube() {
    let placed = done(&[&SCENARIO[..], &["--format", "csv"]].concat());
    let (header, rows) = placed.split_once('\n').unwrap();
    let rows: Vec<String> = rows.lines().map(|row| format!("{row},0\n")).collect();
    assert_eq!(text_of("scenarios/greenberg-half.csv"), format!("{header},p_7\n{}", rows.concat()));
}

#[test]
fn a_machine_of_another_size_is_refused_with_the_one_that_would_do() {
    let scratch = scenario(5, "{ kind = \"mesh\", shape = [5, 11] }");
    let finished = run(&["run", &scratch.path("s.toml")]);
    assert_eq!(finished.code, Some(2));
    assert!(
        finished.stderr.contains("embedding greenberg: a hypercube of 5 dimensions, expected 6, or"),
        "{}",
        finished.stderr
    );
    assert!(
        finished
            .stderr
            .contains("machine.dimensions = 6 is the smallest hypercube with a node for each process")
    );
}
