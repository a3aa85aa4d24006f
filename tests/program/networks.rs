//! Machines that are no grids, and the programs of CS838 1999, through the binary.

use serde_json::json;

use super::command::{Scratch, csv_table, done, json, runs_of};

#[test]
fn divide_and_conquer_counts_the_computations_of_those_who_compute() {
    let document = runs_of(
        "machine = { kind = \"torus\", shape = [8, 8] }\n\
         program = { kind = \"divide-and-conquer\", compute_cycles = 7 }\n\
         mapping = { embeddings = [\"standard\", \"gray\"] }\n",
    );
    // Process 0 computes in all 13 stages, and at last receives over 4, 2, 1, 4, 2, 1 links, or 1, 3, 1, 1, 3, 1.
    for (run, predicted) in document.iter().zip([13 * 7 + 14, 13 * 7 + 10]) {
        assert_eq!(
            run["program"],
            json!({
                "kind": "divide-and-conquer", "dimensions": 6, "stages": null, "compute_cycles": 7
            })
        );
        // 1 + 2 + .. + 32 divisions, as many combinations, and 64 leaves.
        assert_eq!(run["totals"]["compute_cycles"], 7 * (63 + 63 + 64));
        assert_eq!((&run["messages"], run["stages"].as_array().unwrap().len()), (&json!(2 * 63), 13));
        assert_eq!((&run["predicted_cycles"], &run["engine"]), (&json!(predicted), &json!("hop")));
        let dimensions: Vec<_> =
            run["stages"].as_array().unwrap().iter().map(|stage| &stage["dimension"]).collect();
        assert_eq!(json!(dimensions), json!([0, 1, 2, 3, 4, 5, null, 5, 4, 3, 2, 1, 0]));
    }
}

#[test]
fn normal_programs_take_two_steps_a_stage_on_shuffle_exchange_networks() {
    let document = runs_of(
        "machine = { kind = \"shuffle-exchange\", dimensions = 5 }\n\
         program = { kind = \"normal\", stages = [3, 4, 0, 1, 2, 1] }\n",
    );
    let run = &document[0];
    assert_eq!((&run["makespan_cycles"], &run["program"]["dimensions"]), (&json!(2 * 6 - 1), &json!(5)));
    assert_eq!(run["program"]["stages"], json!([3, 4, 0, 1, 2, 1]));
    assert_eq!(run["machine"]["shape"], json!([32]));
    assert_eq!(run["machine"]["wrap"], json!([]));
    assert_eq!(
        (&run["placement"]["dilation"]["max"], &run["totals"]["blocked_cycles"]),
        (&json!(1), &json!(0))
    );
}

#[test]
fn placements_on_networks_are_written_measured_and_read_back() {
    let machine =
        "machine = { kind = \"cube-connected-cycles\", dimensions = 4 }\nprogram = { kind = \"cc-cube\" }\n";
    let scratch = Scratch::with(&[("scenario.toml", machine)]);
    let csv = done(&["place", &scratch.path("scenario.toml"), "--format", "csv"]);
    let (header, rows) = csv_table(&csv);
    assert_eq!((header.join(","), rows.len()), ("process,p_1,p_2".to_owned(), 64));
    let both = format!("{machine}mapping = {{ embeddings = [\"standard\", \"file:placement.csv\"] }}\n");
    let scratch = Scratch::with(&[("placement.csv", &csv), ("both.toml", &both)]);
    let path = scratch.path("both.toml");
    let measured = json(&["measure", &path]);
    let placements = measured["placements"].as_array().unwrap();
    assert_eq!(placements[0]["placement"], placements[1]["placement"]);
    assert_eq!(placements[0]["placement"]["node_load"]["min"].as_u64().map(|least| least > 0), Some(true));
    // A network of three links a node carries the edges of a cube of six on fewer links.
    assert!(placements[0]["placement"]["dilation"]["max"].as_u64().unwrap() > 2);
    let runs = json(&["run", &path]);
    let makespans: Vec<_> =
        runs["runs"].as_array().unwrap().iter().map(|run| &run["makespan_cycles"]).collect();
    assert_eq!(makespans[0], makespans[1]);
}

#[test]
fn a_network_is_drawn_with_all_its_nodes() {
    let machine =
        "machine = { kind = \"de-bruijn\", dimensions = 3 }\nmapping = { embeddings = [\"standard\"] }\n";
    let scratch = Scratch::with(&[("one.toml", machine)]);
    let path = scratch.path("one.toml");
    let placement = done(&["draw", "placement", &path]);
    for process in 0..8 {
        assert!(placement.contains(&format!("process {process}<")), "{process}");
    }
    // Sixteen arcs without two loops and one that is there in both directions; and the title of the picture.
    assert_eq!(done(&["draw", "links", &path]).matches("</title>").count(), 13 + 1);
    assert!(done(&["draw", "space-time", &path]).contains("<svg"));
}

#[test]
fn uneven_parallel_cables_have_a_remedy_that_helps() {
    let links = "from,to,links\n0,2,1\n1,2,1\n0,3,1\n1,3,1\n";
    let pairs: String = (0..8).map(|rank| format!("{rank},{},1000\n", rank + 8)).collect();
    let matrix = format!("source,destination,units\n{pairs}");
    let result = |execution: &str| {
        let text = format!(
            "machine = {{ kind = \"network\", edges = \"l.csv\", hosts = 2, switching = \"cut-through\" }}\n\
             program = {{ kind = \"traffic\", file = \"m.csv\", processes_per_node = 8 }}\nexecution = {{ {execution} }}\n"
        );
        let scratch = Scratch::with(&[("l.csv", links), ("s.toml", &text), ("m.csv", &matrix)]);
        let table = done(&["run", &scratch.path("s.toml"), "--width", "400"]);
        let makespan =
            json(&["run", &scratch.path("s.toml")])["runs"][0]["makespan_cycles"].as_u64().unwrap();
        (makespan, table)
    };
    let (lowest, told) = result("");
    assert!(
        told.contains("execution = { routing = \"spread\", spread = \"message\" } takes others"),
        "{told}"
    );
    let (by_pair, told) = result("routing = \"spread\"");
    assert!(told.contains("execution.spread = \"message\" draws a route for each message"), "{told}");
    let (by_message, _) = result("routing = \"spread\", spread = \"message\"");
    assert!(by_message < lowest && by_message < by_pair, "{lowest} {by_pair} {by_message}");
}

#[test]
fn a_table_of_names_alone_is_left_out_beside_one_with_more() {
    let scratch = Scratch::with(&[(
        "s.toml",
        "machine = { kind = \"ring\", shape = [8] }\nprogram = { kind = \"all-reduce\", algorithm = [\"ring\", \"tree\"], units = 8 }\n",
    )]);
    let told = done(&["run", &scratch.path("s.toml"), "--columns", "algorithm,embedding,makespan"]);
    assert!(told.contains("makespan") && !told.contains("bounds and busiest links"), "{told}");
}

#[test]
fn a_ring_in_one_direction_is_told_and_its_links_have_their_loads() {
    let scratch = Scratch::with(&[
        (
            "s.toml",
            "machine = { kind = \"network\", edges = \"ring.txt\", directed = true }\n\
             program = { kind = \"traffic\", file = \"t.csv\" }\n",
        ),
        ("ring.txt", "0 1\n1 2\n2 0\n"),
        ("t.csv", "source,destination,units\n2,0,8\n"),
    ]);
    let scenario = scratch.path("s.toml");
    let document = json(&["run", &scenario]);
    let run = &document["runs"][0];
    assert_eq!(run["machine"]["directed"], true);
    assert_eq!((&run["busiest_link_from"], &run["busiest_link_to"]), (&json!([2]), &json!([0])));
    assert_eq!((&run["channel_congestion"], &run["balanced_congestion"]), (&json!(8), &json!(8.0)));
    let table = done(&["run", &scenario]);
    assert!(table.contains("links in one direction") && !table.contains("far from even"), "{table}");
    let picture = scratch.path("links.svg");
    done(&["draw", "links", &scenario, "--measure", "busy-cycles", "--output", &picture]);
    let picture = std::fs::read_to_string(picture).unwrap();
    assert!(picture.contains("(2) to (0): 8 busy cycles"), "{picture}");
}
