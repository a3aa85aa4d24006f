//! The cases of `tests/golden/cubes.json` that scenarios can state: link sequences, cubes as guests, meshes on lines and
//! in cubes (section 29 of the model).

use std::{collections::BTreeSet, ops::ControlFlow, path::Path};

use cubefold_records::{RunRecord, SearchRecord};
use cubefold_scenario::{PlacementSearch, Run, SearchRequest, load_text};
use cubefold_search::Objective;
use cubefold_simulator::StageRecord;
use serde_json::{Value, json};

use super::*;

fn cases(kind: &str) -> Vec<Value> {
    let golden: Vec<Value> =
        serde_json::from_str(include_str!("../../../../tests/golden/cubes.json")).unwrap();
    let cases: Vec<Value> = golden.into_iter().filter(|case| case["kind"] == kind).collect();
    assert!(!cases.is_empty());
    cases
}

/// For each window of section 29.1 with `size` stages, the number of times that its most frequent dimension occurs.
fn alphas(stages: &[u32], size: usize) -> Vec<usize> {
    let windows = (0..stages.len() + size - 1)
        .map(|step| &stages[(step + 1).saturating_sub(size)..(step + 1).min(stages.len())]);
    windows.map(|window| (0..32).map(|link| count(window, link)).max().unwrap()).collect()
}

fn count(stages: &[u32], link: u32) -> usize {
    stages.iter().filter(|&&stage| stage == link).count()
}

/// Whether links lead from a node of their cube to each of its nodes once.
fn visits_all(stages: &[u32], dimensions: u32) -> bool {
    let mut node = 0_u32;
    let mut visited: BTreeSet<u32> = [node].into();
    stages.iter().all(|&link| {
        node ^= 1 << link;
        visited.insert(node)
    }) && visited.len() == 1 << dimensions
}

/// Whether every two blocks of a sweep meet once: along a path every node exchanges its second block, along a division
/// the lower half keeps the first blocks.
fn all_pairs_meet_once(stages: &[u32], dimensions: u32) -> bool {
    let mut blocks: Vec<[u32; 2]> = (0..1 << dimensions).map(|node| [2 * node, 2 * node + 1]).collect();
    let mut divisions = vec![];
    let mut at = 0;
    for cube in (1..=dimensions).rev() {
        at += (1 << cube) - 1;
        divisions.push(at);
        at += 1;
    }
    let mut met = BTreeSet::new();
    let mut meet = |blocks: &[[u32; 2]]| {
        blocks.iter().all(|block| met.insert([block[0].min(block[1]), block[0].max(block[1])]))
    };
    let mut is_new = meet(&blocks);
    for (stage, &link) in stages[..stages.len() - 1].iter().enumerate() {
        let before = blocks.clone();
        for (node, pair) in blocks.iter_mut().enumerate() {
            let other = before[node ^ 1 << link];
            match (divisions.contains(&stage), node >> link & 1) {
                (false, _) => pair[1] = other[1],
                (true, 0) => pair[1] = other[0],
                (true, _) => pair[0] = other[1],
            }
        }
        is_new &= meet(&blocks);
    }
    let all: usize = 2 << dimensions;
    is_new && met.len() == all * (all - 1) / 2
}

#[test]
fn stages_are_the_named_link_sequences() {
    for case in cases("ordering") {
        let (input, expected) = (&case["input"], &case["expect"]);
        let dimensions = u32::try_from(input["dimensions"].as_u64().unwrap()).unwrap();
        let text = format!(
            "[machine]\nkind = \"hypercube\"\ndimensions = {dimensions}\n[program]\nstages = {}\n",
            input["stages"]
        );
        let run = &scenario(&text).runs[0];
        let exchanges = run.program.exchanges.as_deref().unwrap();
        let stages: Vec<u32> =
            exchanges.iter().map(|exchange| exchange.to_string().parse().unwrap()).collect();
        // Long ones are not written out.
        if let Some(expected) = expected["stages"].as_str() {
            assert_eq!(stages.iter().map(ToString::to_string).collect::<String>(), expected, "{case}");
        }
        assert_eq!(json!(stages.len()), expected["count"], "{case}");
        let counts: Vec<usize> = (0..dimensions).map(|link| count(&stages, link)).collect();
        assert_eq!(json!(counts), expected["counts"], "{case}");
        assert_eq!(json!(counts.iter().max()), expected["alpha"], "{case}");
        for (size, alpha) in expected["alpha_of_windows"].as_object().unwrap() {
            let alphas = alphas(&stages, size.parse().unwrap());
            assert_eq!(json!(alphas.iter().max()), *alpha, "{case}");
            let sum: usize = alphas.iter().sum();
            assert_eq!(json!(sum), expected["sum_of_windows"][size], "{case}");
        }
        if let Some(expected) = expected["hamiltonian"].as_bool() {
            assert_eq!(visits_all(&stages, dimensions), expected, "{case}");
        }
        if let Some(expected) = expected["all_pairs_once"].as_bool() {
            assert_eq!(all_pairs_meet_once(&stages, dimensions), expected, "{case}");
        }
    }
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
                "[machine]\nkind = \"torus\"\nshape = {}\nwrap = {}\n[program]\nkind = \"neighbour-exchange\"\nguest = {guest}\n\
                 communication = {}\ncompute_cycles = {}\nunits = {}\n[mapping]\nembeddings = [{}]\n\
                 [execution]\nmode = \"{mode}\"\n",
                machine["shape"],
                machine["wrap"],
                input["communication"],
                input["compute_cycles"].as_u64().unwrap_or(0),
                input["units"].as_u64().unwrap_or(1),
                input["embedding"],
            ));
            let record = record(&run);
            assert_times(&run, &record, expected, mode, &format!("{mode} {}", case["id"]));
            let dilation = record.stages.iter().map(|stage| stage.distance.max).max();
            assert_eq!(json!(dilation), expected["dilation"], "{mode} {case}");
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

/// The distances on a line between neighbours of a mesh.
fn edge_lengths(sides: &[u64], nodes: &[u32]) -> Vec<u32> {
    let mut found = vec![];
    let mut stride = 1;
    for &side in sides {
        let side = usize::try_from(side).unwrap();
        let inner = (0..nodes.len()).filter(|process| process / stride % side + 1 < side);
        found.extend(inner.map(|process| nodes[process].abs_diff(nodes[process + stride])));
        stride *= side;
    }
    found
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
        let nodes = nodes_of_mesh(&machine, shape, "byweight");
        assert_eq!(json!(nodes), *positions, "{case}");
        let distances = edge_lengths(&lengths, &nodes);
        assert_eq!(json!(distances.iter().max()), case["expect"]["dilation"], "{case}");
        assert_eq!(json!(distances.iter().sum::<u32>()), case["expect"]["total"], "{case}");
    }
}

#[test]
fn meshes_lie_in_their_smallest_cubes_and_in_fewer_rows() {
    for case in cases("chan").iter().filter(|case| !case["expect"]["nodes"].is_null()) {
        let machine = format!("kind = \"hypercube\"\ndimensions = {}", case["expect"]["dimensions"]);
        let nodes = nodes_of_mesh(&machine, &case["input"]["shape"], "chan");
        assert_eq!(json!(nodes), case["expect"]["nodes"], "{case}");
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
fn cubes_run_on_rings_of_any_length() {
    for (nodes, per_node) in [(9, 2), (12, 2), (15, 2), (17, 1), (20, 1), (31, 1), (6, 4)] {
        for embedding in ["standard", "block", "hilbert", "random"] {
            let run = only_run(&format!(
                "[machine]\nkind = \"ring\"\nshape = [{nodes}]\n[program]\ndimensions = 4\nprocesses_per_node = {per_node}\n\
                 [mapping]\nembeddings = [\"{embedding}\"]\n"
            ));
            assert!(run.placement.max_load() <= per_node, "{embedding} on {nodes}");
            let record = record(&run);
            assert!(record.makespan_cycles >= record.lower_bound_cycles, "{embedding} on {nodes}");
        }
    }
    let text = "[machine]\nkind = \"ring\"\nshape = [20]\n[program]\ndimensions = 4\n";
    let error = load_text(Path::new("s.toml"), text).unwrap_err().to_string();
    assert!(error.contains("expected a power of two for each field of xor and byweight"), "{error}");
}

/// A scenario with an input of the golden file; its keys are those of scenarios.
fn pipelined_text(input: &Value, mode: &str) -> String {
    let machine = &input["machine"];
    let mut text = format!("seed = {}\n[machine]\nkind = \"torus\"\n", input["seed"].as_u64().unwrap_or(0));
    for (key, value) in machine.as_object().unwrap() {
        text += &format!("{key} = {value}\n");
    }
    text += "[program]\n";
    for (key, value) in input.as_object().unwrap() {
        match key.as_str() {
            "machine" | "embedding" | "seed" => {}
            "compute_noise" => {
                let entry = |(key, value): (&String, &Value)| format!("{key} = {value}");
                let entries: Vec<String> = value.as_object().unwrap().iter().map(entry).collect();
                text += &format!("compute_noise = {{ {} }}\n", entries.join(", "));
            }
            _ => text += &format!("{key} = {value}\n"),
        }
    }
    text + &format!("[mapping]\nembeddings = [{}]\n[execution]\nmode = \"{mode}\"\n", input["embedding"])
}

/// Compares the times of a run, and of each of its stages, with those of the golden file.
fn assert_times(run: &Run, record: &RunRecord, expected: &Value, mode: &str, context: &str) {
    let times = &expected[mode];
    assert_eq!(record.makespan_cycles, times["makespan"].as_u64(), "{context}");
    let number = |key: &str| times[key].as_u64().map(u128::from);
    let totals = record.totals.as_ref().unwrap();
    let sums = [totals.waiting_cycles, totals.transfer_cycles].map(Some);
    assert_eq!(sums, ["waiting", "transfer"].map(number), "{context}");
    assert_eq!(number("blocked").unwrap_or(0), totals.blocked_cycles, "{context}");
    assert_stages(record, &times["stages"], context);
    if mode == "asynchronous" {
        assert_eq!(number("idle_end").unwrap(), totals.idle_at_end_cycles, "{context}");
        assert_eq!(record.longest_queue.map(u64::from), times["max_queue"].as_u64(), "{context}");
        assert_eq!(record.predicted_cycles, expected["prediction"].as_u64(), "{context}");
        assert_greatest(run, &times["stages"], context);
    } else {
        assert_eq!(record.routing_steps, times["steps"].as_u64(), "{context}");
        assert_eq!(record.conflicts, times["conflicts"].as_u64(), "{context}");
    }
}

/// Compares the longest that a process waits, and is blocked, in each stage.
fn assert_greatest(run: &Run, expected: &Value, context: &str) {
    let mut records: Vec<StageRecord> = vec![];
    observed(run, &mut records);
    for (stage, expected) in expected.as_array().unwrap().iter().enumerate() {
        let of_stage = || records.iter().filter(|record| record.stage == stage);
        let waiting = of_stage().map(|record| record.waiting().get()).max();
        let blocked = of_stage().map(|record| record.blocked().get()).max();
        let found = json!([waiting, blocked]);
        assert_eq!(found, json!([expected["max_waiting"], expected["max_blocked"]]), "{context}");
    }
}

/// Compares the stages of a run with those of the golden file.
fn assert_stages(record: &RunRecord, expected: &Value, context: &str) {
    assert_eq!(record.stages.len(), expected.as_array().unwrap().len(), "{context}");
    for (stage, expected) in record.stages.iter().zip(expected.as_array().unwrap()) {
        // A plain program has no steps: its stages are these.
        let step = stage.step.unwrap_or(stage.stage);
        assert_eq!(json!(step), expected["step"], "{context}");
        let dimensions = stage.dimensions.clone().unwrap_or_else(|| stage.dimension.into_iter().collect());
        // A neighbour exchange has dimensions of its guest.
        if stage.step.is_some() || expected["dims"] != json!([]) {
            assert_eq!(json!(dimensions), expected["dims"], "{context}");
        }
        let number = |key: &str| expected[key].as_u64().map(u128::from).unwrap_or_default();
        let sums = [stage.waiting_cycles, stage.transfer_cycles, stage.blocked_cycles];
        assert_eq!(sums, ["waiting", "transfer", "blocked"].map(number), "{context}");
        assert_eq!(stage.routing_steps, expected["steps"].as_u64(), "{context}");
        assert_eq!(stage.conflicts, expected["conflicts"].as_u64(), "{context}");
    }
}

#[test]
fn pipelined_runs_are_those_of_the_independent_program() {
    for case in cases("pipelined") {
        let (input, expected) = (&case["input"], &case["expect"]);
        for mode in ["asynchronous", "coordinated"] {
            let times = &expected[mode];
            if times.is_null() {
                continue;
            }
            let context = format!("{mode} {}", case["id"]);
            let run = only_run(&pipelined_text(input, mode));
            let record = record(&run);
            if input["pipelining"] == "best" {
                assert_eq!(record.makespan_cycles, times["makespan"].as_u64(), "{context}");
                assert_eq!(record.program.pipelining, times["pipelining"].as_u64(), "{context}");
                continue;
            }
            assert_times(&run, &record, expected, mode, &context);
            assert_eq!(record.messages, expected["messages"].as_u64(), "{context}");
            assert_eq!(json!(record.stages.len()), expected["run_stages"], "{context}");
            assert_eq!(json!(units(&run)), expected["units"], "{context}");
            if mode == "asynchronous"
                && let Some(bound) = expected["lower_bound"].as_u64()
            {
                assert_eq!(record.lower_bound_cycles, Some(bound), "{context}");
            }
        }
    }
}

/// The units of all messages of a run.
fn units(run: &Run) -> u64 {
    let program = &*run.program.body;
    let mut sum = 0;
    for stage in 0..program.stage_count() {
        program.for_each_message(stage, &mut |_, _, units| sum += units);
    }
    sum
}

#[test]
fn searches_judge_placements_at_their_best_number_of_parts() {
    let text = |parts: &str| {
        format!(
            "[machine]\nkind = \"torus\"\nshape = [4, 4]\n[program]\nunits = 64\ncompute_cycles = 64\n\
             pipelining = {parts}\nstartup_cycles = 4\n[mapping]\nembeddings = [\"standard\"]\n"
        )
    };
    let run = only_run(&text("\"best\""));
    let best = record(&run).makespan_cycles.unwrap();
    assert!(best < makespan(&text("1")));
    let request = SearchRequest {
        objective: Objective::Makespan,
        evaluations: Some(60),
        seed: None,
        starts: vec!["standard".to_owned()],
    };
    let runs = std::slice::from_ref(&run);
    let search = PlacementSearch::of(runs, &request, 1 << 30, &mut |_| ControlFlow::Continue(())).unwrap();
    assert_eq!(search.found.reference, best.into());
    assert!(search.found.value <= best.into());
    let record = SearchRecord::new(&search.run, Objective::Makespan, ["standard"; 2], &search.found);
    assert_eq!(record.program.pipelining, None);
}

#[test]
fn settings_of_pipelining_are_in_the_results() {
    let text = "[machine]\nkind = \"hypercube\"\ndimensions = 3\n[program]\nunits = 6\ncompute_cycles = [1, 2, 3]\n\
                pipelining = 4\nports = 1\nstartup_cycles = 5\n\
                compute_noise = { kind = \"outliers\", one_in = 3, cycles = 20, each = \"process\" }\n\
                [mapping]\nembeddings = [\"standard\"]\n";
    let run = only_run(text);
    let program = serde_json::to_value(record(&run).program).unwrap();
    let expected = json!({
        "pipelining": 4, "exchange_ports": "1", "startup_cycles": 5, "compute_cycles": 3,
        "stage_compute_cycles": [1, 2, 3], "stage_units": [6, 6, 6], "stages": [0, 1, 2],
        "compute_noise": { "kind": "outliers", "one_in": 3, "cycles": 20, "seed": 0, "each": "process" },
    });
    for (key, value) in expected.as_object().unwrap() {
        assert_eq!(&program[key], value, "{key}");
    }
    assert!(run.notes().iter().any(|note| note.starts_with("4 parts do not divide")), "{:?}", run.notes());
    // A program without these keys says nothing of them.
    let plain = serde_json::to_value(record(&scenario(RING).runs[0]).program).unwrap();
    assert!(plain.get("pipelining").is_none() && plain.get("exchange_ports").is_none(), "{plain}");
}

#[test]
fn noise_is_worth_what_distances_are() {
    // The table of section 29.3: asynchronous makespan and waiting of xor and byweight, then the coordinated makespans.
    let noises = [
        ("uniform\", max = 0", [760, 0, 760, 888, 2048, 888, 760]),
        ("uniform\", max = 20", [886, 1723, 880, 1010, 2597, 1008, 822]),
        ("uniform\", max = 100", [1255, 7714, 1356, 1353, 8087, 1484, 1066]),
        ("exponential\", mean = 50", [1598, 17674, 2241, 1651, 17766, 2369, 1059]),
    ];
    for (noise, expected) in noises {
        let mut found = vec![];
        for embedding in ["xor", "byweight"] {
            let run = |mode: &str| {
                only_record(&format!(
                    "[machine]\nkind = \"torus\"\nshape = [8, 8]\n[program]\nunits = 16\ncompute_cycles = 100\n\
                     compute_noise = {{ kind = \"{noise} }}\n[mapping]\nembeddings = [\"{embedding}\"]\n\
                     [execution]\nmode = \"{mode}\"\n"
                ))
            };
            let (free, together) = (run("asynchronous"), run("coordinated"));
            found.push(free.makespan_cycles.unwrap());
            found.push(u64::try_from(free.totals.unwrap().waiting_cycles).unwrap());
            found.push(together.makespan_cycles.unwrap());
            if embedding == "byweight" {
                found.push(free.lower_bound_cycles.unwrap());
            }
        }
        assert_eq!(found, expected, "{noise}");
    }
}
