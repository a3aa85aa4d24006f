//! Neighbour-exchange programs, Tao's constructions, partitions, shared nodes and loading, in documents.

use serde_json::{Value, json};

use super::command::{Scratch, csv, json, runs_of};

#[test]
fn a_run_names_its_guest_and_is_predicted() {
    let run = &runs_of(
        "machine = { kind = \"mesh\", shape = [2, 2, 2, 3] }\n\
         program = { kind = \"neighbour-exchange\", guest = { kind = \"torus\", shape = [4, 6] }, \
         communication = \"permutation\", sets = 3, compute_cycles = 2 }\n",
    )[0];
    assert_eq!(
        run["program"],
        json!({
            "kind": "neighbour-exchange", "dimensions": null, "stages": null, "compute_cycles": 2,
            "guest": { "kind": "torus", "shape": [4, 6], "wrap": [true, true] },
            "communication": "permutation", "sets": 3,
        })
    );
    assert_eq!((&run["predicted_cycles"], &run["lower_bound_source"]), (&json!(9), &json!("computations")));
    assert_eq!(run["stages"].as_array().unwrap().len(), 3);
    assert_eq!(run["stages"][0]["dimension"], Value::Null);
    // A torus of even lengths goes into this mesh with unit dilation (theorem 3.4.1 c): 3 stages of 2 + 1.
    assert_eq!((&run["embedding"], &run["makespan_cycles"]), (&json!("tao"), &json!(9)));
}

#[test]
fn a_ring_of_nine_on_a_square_takes_the_steps_of_errata_a1() {
    let text = "machine = { kind = \"mesh\", shape = [3, 3] }\nmapping.embeddings = [\"tao:basic-g\"]\n\
                program = { kind = \"neighbour-exchange\", guest = { kind = \"ring\", shape = [9] } }\n\
                execution.mode = \"coordinated\"\n";
    let steps = |rest: &str| -> Vec<Value> {
        let run = runs_of(&format!("{text}{rest}")).remove(0);
        run["stages"].as_array().unwrap().iter().map(|stage| stage["routing_steps"].clone()).collect()
    };
    // Phases of one link keep the promise of theorem 4.5.2, 2 steps; the printed scheme takes 3.
    assert_eq!(steps(""), [2, 2].map(|steps| json!(steps)));
    assert_eq!(steps("execution.phases = \"unlimited\"\n")[0], 3);
}

#[test]
fn measure_tells_the_construction() {
    let text = "machine = { kind = \"line\", shape = [12] }\n\
                program = { kind = \"neighbour-exchange\", guest = { kind = \"torus\", shape = [3, 4] } }\n";
    let scratch = Scratch::with(&[("s.toml", text)]);
    let document = json(&["measure", &scratch.path("s.toml")]);
    let placement = &document["placements"][0]["placement"];
    assert_eq!(
        placement["construction"],
        json!({
            "name": "simple-reduction", "theorem": "theorem 3.4.3", "formula": "U_V o T o pi",
            "promised_dilation": 6, "promised_dilation_is": "exact", "routing_vector": [1, 1],
            "phase_lengths": [null],
            "promised_steps": { "full_duplex": 6, "half_duplex": 12, "single_direction": 12 },
        })
    );
    assert_eq!(placement["dilation"]["max"], 6);
}

#[test]
fn a_cube_program_runs_by_tao_beside_xor() {
    let found =
        runs_of("machine = { kind = \"ring\", shape = [64] }\nmapping.embeddings = [\"xor\", \"tao\"]\n");
    let makespans: Vec<_> = found.iter().map(|run| run["makespan_cycles"].clone()).collect();
    assert_eq!(makespans, [47, 63].map(|cycles| json!(cycles)));
}

#[test]
fn a_program_larger_than_the_machine_shares_its_nodes() {
    let run = runs_of(
        "machine = { kind = \"torus\", shape = [4, 4] }\n\
         program = { kind = \"neighbour-exchange\", guest = { kind = \"torus\", shape = [8, 8] }, \
         communication = \"scatter\", compute_cycles = 5 }\n",
    )
    .remove(0);
    assert_eq!(run["placement"]["load"], json!({ "max": 4, "min": 4 }));
    assert_eq!(
        (&run["placement"]["node_evenness"], &run["placement"]["expansion"]),
        (&json!(1.0), &json!(0.25))
    );
    // Each of four processes of a node waits 0, 5, 10 or 15 cycles for the processor.
    assert_eq!(run["totals"]["sharing_cycles"], 16 * (5 + 10 + 15));
}

#[test]
fn two_processes_a_node_take_the_cycles_worked_out_by_hand() {
    // docs/model.md section 5: processes 0 and 1 on node 0, 2 and 3 on node 1, T_a = 5.
    let text = "machine = { kind = \"line\", shape = [2] }\nmapping.embeddings = [\"file:p.csv\"]\n\
                program = { dimensions = 2, compute_cycles = 5 }\n\
                sweep = { \"execution.mode\" = [\"asynchronous\", \"coordinated\"] }\n";
    let scratch = Scratch::with(&[("s.toml", text), ("p.csv", "process,p_1\n0,0\n1,0\n2,1\n3,1\n")]);
    let document = json(&["run", &scratch.path("s.toml")]);
    let makespans = |run: usize| document["runs"][run]["makespan_cycles"].clone();
    assert_eq!((makespans(0), makespans(1)), (json!(21), json!(22)));
    // Without waiting for the processor: 5, then 5 and the link.
    assert_eq!(document["runs"][0]["predicted_cycles"], json!(11));
}

#[test]
fn loading_is_told_beside_the_makespan() {
    let run = runs_of(
        "machine = { kind = \"ring\", shape = [8] }\nmapping.embeddings = [\"xor\"]\n\
         program.loading = { code_types = \"by parity\", broadcast_cycles = 20 }\n",
    )
    .remove(0);
    assert_eq!((&run["loading_cycles"], &run["makespan_cycles"]), (&json!(60), &json!(5)));
}

#[test]
fn a_partition_is_told_and_counts_its_own_nodes_and_links() {
    let text = "machine = { kind = \"torus\", shape = [8, 8], partition = { base = [4, 0], shape = [4, 8] } }\n\
                mapping.embeddings = [\"optimal\"]\n";
    let run = runs_of(text).remove(0);
    assert_eq!(run["machine"]["partition"], json!({ "base": [4, 0], "shape": [4, 8] }));
    assert_eq!(run["program"]["dimensions"], 5);
    // A line of 4 and, where the partition has the whole length, a ring of 8: 3 + 5.
    assert_eq!((&run["makespan_cycles"], &run["lower_bound_cycles"]), (&json!(8), &json!(8)));
    assert_eq!(run["placement"]["expansion"], 1.0);
    let scratch = Scratch::with(&[("s.toml", text)]);
    let (header, rows) = csv(&["place", &scratch.path("s.toml")]);
    assert_eq!((header.len(), rows[0].clone()), (3, ["0", "4", "0"].map(str::to_owned).to_vec()));
}

#[test]
fn the_bound_is_that_of_the_placement_where_processes_share_a_node() {
    // As many processes as nodes, but two of them on node 0 and none on node 3.
    let text = "machine = { kind = \"ring\", shape = [4] }\nmapping.embeddings = [\"xor\", \"file:p.csv\"]\n\
                program.dimensions = 2\n";
    let scratch = Scratch::with(&[("s.toml", text), ("p.csv", "process,p_1\n0,0\n1,0\n2,1\n3,2\n")]);
    let document = json(&["run", &scratch.path("s.toml")]);
    let stated = |run: usize, key: &str| document["runs"][run][key].clone();
    assert_eq!((stated(0, "lower_bound_cycles"), stated(0, "predicted_cycles")), (json!(2), json!(2)));
    // Two units come to node 0 over two channels; no other set needs more time.
    assert_eq!((stated(1, "lower_bound_source"), stated(1, "lower_bound_cycles")), (json!("cut"), json!(1)));
    assert_eq!(stated(1, "cut_bound_set"), json!("node 0"));
    // Processes 2 and 3 are a link apart, then 1 and 3 two.
    assert_eq!(stated(1, "predicted_cycles"), json!(3));
    assert_eq!(document["runs"][1]["placement"]["node_evenness"], Value::Null);
}
