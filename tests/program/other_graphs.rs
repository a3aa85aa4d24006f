//! The constructions of the notes CS838, through the binary.

use cubefold::mapping::ClassicConstruction;
use serde_json::{Value, json};

use super::command::{Scratch, csv_table, done, json, refused, run, text_of};

/// A scenario that exchanges among the neighbours of a guest, placed by an embedding.
fn scenario(machine: &str, guest: &str, embedding: &str) -> Scratch {
    let text = format!(
        "machine = {{ {machine} }}\nprogram = {{ kind = \"neighbour-exchange\", guest = {{ {guest} }} }}\n\
         mapping = {{ embeddings = [\"{embedding}\"] }}\n"
    );
    Scratch::with(&[("scenario.toml", &text)])
}

/// Returns the metrics of a placement.
fn placement(machine: &str, guest: &str, embedding: &str) -> Value {
    let scratch = scenario(machine, guest, embedding);
    json(&["measure", &scratch.path("scenario.toml")])["placements"][0]["placement"].clone()
}

const CUBE: &str = "kind = \"hypercube\", dimensions = 4";
const SQUARE: &str = "kind = \"mesh\", shape = [8, 8]";
const TREE: &str = "kind = \"binary-tree\", levels = 3";

/// Machine and guest for each construction.
const PAIRS: [(&str, &str, &str); 36] = [
    ("gray-path", CUBE, "kind = \"line\", shape = [16]"),
    ("gray-cycle", CUBE, "kind = \"ring\", shape = [16]"),
    ("mesh-in-torus", "kind = \"torus\", shape = [5, 3]", "kind = \"mesh\", shape = [5, 3]"),
    ("recursive-path", SQUARE, "kind = \"line\", shape = [64]"),
    ("recursive-cycle", SQUARE, "kind = \"ring\", shape = [64]"),
    ("snake", "kind = \"mesh\", shape = [2, 3, 4]", "kind = \"mesh\", shape = [2, 12]"),
    ("z-order", SQUARE, "kind = \"line\", shape = [64]"),
    ("folded-torus", "kind = \"mesh\", shape = [5, 4]", "kind = \"torus\", shape = [5, 4]"),
    ("torus-in-ring", "kind = \"ring\", shape = [12]", "kind = \"torus\", shape = [3, 4]"),
    ("rectangle-in-square", "kind = \"mesh\", shape = [6, 6]", "kind = \"mesh\", shape = [9, 4]"),
    ("square-in-rectangle", "kind = \"mesh\", shape = [9, 4]", "kind = \"mesh\", shape = [6, 6]"),
    ("example-meshes", "kind = \"mesh\", shape = [3, 6]", "kind = \"mesh\", shape = [2, 9]"),
    ("cube-in-rectangle", "kind = \"mesh\", shape = [8, 8]", "kind = \"mesh\", shape = [4, 4, 4]"),
    ("rectangle-in-cube", "kind = \"mesh\", shape = [4, 4, 4]", "kind = \"mesh\", shape = [8, 4, 2]"),
    ("squeeze", "kind = \"mesh\", shape = [4, 4]", "kind = \"mesh\", shape = [3, 5]"),
    ("double-rooted-tree", CUBE, TREE),
    ("shared-tree", CUBE, TREE),
    ("wide-tree", "kind = \"hypercube\", dimensions = 5", TREE),
    ("binomial-tree", "kind = \"hypercube\", dimensions = 3", TREE),
    ("stretched-tree", CUBE, "kind = \"stretched-tree\", levels = 3"),
    ("two-trees", CUBE, "kind = \"two-trees\", levels = 2"),
    ("k-ary-tree", "kind = \"hypercube\", dimensions = 5", "kind = \"k-ary-tree\", arity = 3, levels = 2"),
    ("tree-in-tree", "kind = \"binary-tree\", levels = 4", "kind = \"k-ary-tree\", arity = 3, levels = 2"),
    ("z-order-in-tree", "kind = \"k-ary-tree\", arity = 4, levels = 2", "kind = \"mesh\", shape = [4, 4]"),
    ("tree-on-mesh", SQUARE, "kind = \"binary-tree\", levels = 6"),
    ("caterpillar", "kind = \"hypercube\", dimensions = 3", "kind = \"network\", edges = \"comb.txt\""),
    ("flip-bits", CUBE, TREE),
    ("mesh-of-trees", "kind = \"hypercube\", dimensions = 6", "kind = \"mesh-of-trees\", dimensions = 2"),
    (
        "cycles-in-butterfly",
        "kind = \"wrapped-butterfly\", dimensions = 4",
        "kind = \"cube-connected-cycles\", dimensions = 4",
    ),
    (
        "butterfly-in-cycles",
        "kind = \"cube-connected-cycles\", dimensions = 4",
        "kind = \"wrapped-butterfly\", dimensions = 4",
    ),
    ("merged-levels", "kind = \"wrapped-butterfly\", dimensions = 4", "kind = \"butterfly\", dimensions = 4"),
    ("folded-levels", "kind = \"butterfly\", dimensions = 4", "kind = \"wrapped-butterfly\", dimensions = 4"),
    (
        "unshuffled-words",
        "kind = \"de-bruijn\", dimensions = 4",
        "kind = \"shuffle-exchange\", dimensions = 4",
    ),
    (
        "shuffle-then-exchange",
        "kind = \"shuffle-exchange\", dimensions = 4",
        "kind = \"de-bruijn\", dimensions = 4",
    ),
    (
        "contracted-exchanges",
        "kind = \"de-bruijn\", dimensions = 4",
        "kind = \"shuffle-exchange\", dimensions = 5",
    ),
    ("tour-cycle", "kind = \"de-bruijn\", dimensions = 4", "kind = \"ring\", shape = [16]"),
];

#[test]
fn every_construction_keeps_the_dilation_that_it_promises() {
    let names = PAIRS.map(|(name, ..)| name);
    assert_eq!(
        ClassicConstruction::ALL.iter().map(|construction| construction.name).collect::<Vec<_>>(),
        names
    );
    for (construction_name, machine, guest) in PAIRS {
        let name = format!("cs838:{construction_name}");
        let scratch = scenario(machine, guest, &name);
        // A spine of six with two legs.
        std::fs::write(scratch.path("comb.txt"), "0 1\n1 2\n2 3\n3 4\n4 5\n1 6\n2 7\n").unwrap();
        let document = json(&["measure", &scratch.path("scenario.toml")]);
        let placement = &document["placements"][0]["placement"];
        let construction = &placement["construction"];
        assert_eq!(construction["name"], construction_name);
        let [promised, measured] = [&construction["promised_dilation"], &placement["dilation"]["max"]]
            .map(|links| links.as_u64().unwrap());
        match construction["promised_dilation_is"].as_str().unwrap() {
            "exact" => assert_eq!(measured, promised, "{name}"),
            _ => assert!(measured <= promised, "{name}: {measured} of {promised}"),
        }
    }
}

#[test]
fn graphs_of_grammars_are_truncated_and_described() {
    let machine = "kind = \"grammar\", grammar = \"complete-binary-tree\", size = 5";
    let guest = "kind = \"grammar\", grammar = \"complete-binary-tree\", size = 7";
    let scratch = scenario(machine, guest, "truncation");
    let entry = json(&["measure", &scratch.path("scenario.toml")])["placements"][0].clone();
    // Figure 2.2: 255 on 63.
    assert_eq!((&entry["processes"], &entry["nodes"]), (&json!(255), &json!(63)));
    assert_eq!(entry["placement"]["load"], json!({ "max": 7, "min": 4 }));
    assert_eq!(entry["placement"]["dilation"]["max"], 1);
    assert_eq!(entry["placement"]["bounds"], json!({ "load": 5, "dilation": null, "congestion": 4 }));
    assert_eq!(entry["machine"]["network"], "complete-binary-tree of 5 symbols");
    assert_eq!(entry["program"]["guest"]["network"], "complete-binary-tree of 7 symbols");
}

#[test]
fn a_grammar_from_a_file_is_checked() {
    let machine = "kind = \"grammar\", grammar = \"file:g.txt\", size = 1";
    let guest = "kind = \"grammar\", grammar = \"file:g.txt\", size = 2";
    let scratch = scenario(machine, guest, "truncation");
    let check = |grammar: &str| {
        std::fs::write(scratch.path("g.txt"), grammar).unwrap();
        let output = run(&["check", &scratch.path("scenario.toml")]);
        (output.code, output.stderr.split_whitespace().collect::<Vec<_>>().join(" "))
    };
    assert_eq!(check("G -> (0,1) | G (1,0)\n").0, Some(0));
    let (code, said) = check("G -> (0,1) | A (1,0)\nA -> (0,1)\n");
    assert_eq!(code, Some(2));
    assert!(said.contains("no production G │ -> A, expected one (condition 2 of theorem 2.3.2)"), "{said}");
    let (code, said) = check("G -> (0,1)\nG = A\n");
    assert_eq!(code, Some(2));
    assert!(said.contains("g.txt:2:1") && said.contains("expected a production"), "{said}");
    let (code, said) = check("G -> (0,1)\n");
    assert_eq!(code, Some(2));
    assert!(said.contains("the graph of words of 2 symbols: 0 │ nodes, expected at least 2"), "{said}");
}

#[test]
fn trees_that_are_described_are_placed() {
    let cube = "kind = \"hypercube\", dimensions = 4";
    let tree = placement(cube, "kind = \"random-tree\", vertices = 200", "cs838");
    assert_eq!((&tree["construction"]["name"], &tree["dilation"]["max"]), (&json!("flip-bits"), &json!(1)));
    // Twelve vertices of a spine and four legs: eight of each colour.
    let spine = "kind = \"caterpillar\", legs = [0, 1, 1, 0, 0, 1, 1, 0, 0, 0, 0, 0]";
    let comb = placement(cube, spine, "cs838:caterpillar");
    assert_eq!((&comb["load"]["min"], &comb["load"]["max"]), (&json!(1), &json!(1)));
    assert_eq!(comb["dilation"]["spectrum"], json!({ "1": 15 }));
}

#[test]
fn measure_tells_the_construction_of_the_notes() {
    let machine = "kind = \"hypercube\", dimensions = 6";
    let placement = placement(machine, "kind = \"binary-tree\", levels = 5", "cs838");
    assert_eq!(
        placement["construction"],
        json!({
            "name": "double-rooted-tree", "theorem": "embeddings of trees",
            "formula": "a binary tree of n levels on a hypercube of n + 1 dimensions",
            "promised_dilation": 2, "promised_dilation_is": "exact", "routing_vector": null, "phase_lengths": null,
            "promised_steps": { "full_duplex": null, "half_duplex": null, "single_direction": null },
        })
    );
    assert_eq!((&placement["dilation"]["spectrum"]["2"], &placement["load"]["max"]), (&json!(1), &json!(1)));
}

#[test]
fn rows_leave_what_the_notes_do_not_promise_empty() {
    let scratch =
        scenario("kind = \"mesh\", shape = [5]", "kind = \"ring\", shape = [5]", "cs838:folded-torus");
    let (header, rows) = csv_table(&done(&["measure", &scratch.path("scenario.toml"), "--format", "csv"]));
    let cell = |name: &str| {
        let column = header.iter().position(|title| title == name);
        rows[0][column.unwrap_or_else(|| panic!("no {name}"))].as_str()
    };
    assert_eq!(cell("placement_construction_name"), "folded-torus");
    assert_eq!(cell("placement_construction_promised_dilation"), "2");
    assert_eq!(cell("placement_construction_routing_vector"), "");
    assert_eq!(cell("placement_construction_promised_steps_full_duplex"), "");
}

#[test]
fn a_pair_that_is_not_covered_is_refused_with_those_that_are() {
    let scratch = scenario("kind = \"mesh\", shape = [4, 4]", "kind = \"torus\", shape = [3, 5]", "cs838");
    let stderr = refused(&["run", &scratch.path("scenario.toml")]);
    let said = stderr.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("no construction of CS838 1999 maps this torus on a mesh of"), "{said}");
    assert!(said.contains("gray-path: a line of 2^n on a hypercube of n dimensions"), "{said}");
}

#[test]
fn a_misspelt_name_is_corrected() {
    let scratch = scenario("kind = \"mesh\", shape = [4, 4]", "kind = \"line\", shape = [16]", "cs838:snkae");
    let output = run(&["check", &scratch.path("scenario.toml")]);
    assert_eq!(output.code, Some(2));
    assert!(output.stderr.contains("did you mean \"cs838:snake\"?"), "{}", output.stderr);
}

#[test]
fn the_page_lists_every_construction_in_the_order_of_the_choice() {
    let page = text_of("docs/other-graphs.md");
    let rows = page.lines().filter_map(|line| line.strip_prefix("| `")?.split_once('`'));
    let listed: Vec<&str> = rows.map(|(name, _)| name).collect();
    let names: Vec<&str> = ClassicConstruction::ALL.iter().map(|construction| construction.name).collect();
    assert_eq!(listed, names);
}

#[test]
fn divide_and_conquer_runs_on_the_vertices_of_a_tree() {
    // (2n + 1) T_a + 2 T_c D, D = n + 1 and n.
    for (more, embedding, cycles) in [(1, "cs838:double-rooted-tree", 15), (2, "cs838:wide-tree", 13)] {
        let text = format!(
            "machine = {{ kind = \"hypercube\", dimensions = {} }}\n\
             program = {{ kind = \"divide-and-conquer\", guest = {{ {TREE} }}, compute_cycles = 1 }}\n\
             mapping = {{ embeddings = [\"{embedding}\"] }}\n",
            3 + more
        );
        let scratch = Scratch::with(&[("scenario.toml", &text)]);
        let run = json(&["run", &scratch.path("scenario.toml")])["runs"][0].clone();
        assert_eq!(run["predicted_cycles"], cycles, "{embedding}");
        assert_eq!(run["program"]["guest"], json!({ "kind": "binary-tree", "shape": [15], "wrap": [] }));
    }
    let text = "machine = { kind = \"hypercube\", dimensions = 4 }\n\
                program = { kind = \"divide-and-conquer\", guest = { kind = \"ring\", shape = [16] }, halving = true }\n";
    let scratch = Scratch::with(&[("scenario.toml", text)]);
    let output = run(&["check", &scratch.path("scenario.toml")]);
    assert_eq!(output.code, Some(2));
    let said = output.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("divide and conquer on a ring, expected a tree"), "{said}");
    assert!(said.contains("program.halving with program.guest, expected one of them"), "{said}");
}

#[test]
fn normal_programs_move_their_data_over_cycles_and_levels() {
    // Five exchanges up, one down and one up again: two turns.
    let stages = "[0, 1, 2, 3, 0, 3, 0]";
    for (kind, cycles) in [("cube-connected-cycles", 13), ("wrapped-butterfly", 9)] {
        let text = format!(
            "machine = {{ kind = \"{kind}\", dimensions = 4 }}\nprogram = {{ kind = \"normal\", stages = {stages} }}\n"
        );
        let scratch = Scratch::with(&[("scenario.toml", &text)]);
        let run = json(&["run", &scratch.path("scenario.toml")])["runs"][0].clone();
        assert_eq!((&run["makespan_cycles"], &run["processes"]), (&json!(cycles), &json!(64)), "{kind}");
        assert_eq!((&run["embedding"], &run["program"]["dimensions"]), (&json!("standard"), &json!(4)));
    }
}
