//! The JSON of `run`: keys, types, values known by hand, and nulls.

use serde_json::{Value, json};

use super::command::{done, json};
use super::shape_of_json::{assert_shape, machine, placement, program_record};

/// The keys of a run of a compute-and-communicate program in their order, and the types of their values.
pub(super) fn run_shape() -> Value {
    let mut shape = shape_with_cut_bound();
    let members = shape.as_object_mut().unwrap();
    members.shift_remove("cut_bound_cycles");
    members.shift_remove("cut_bound_set");
    shape
}

/// The keys of a run of another program, which has the cut bound of its placement.
fn shape_with_cut_bound() -> Value {
    let distribution =
        json!({ "max": "count", "mean": "fraction", "p50": "count", "p90": "count", "p99": "count" });
    json!({
        "run": "count", "scenario": "text", "processes": "count", "nodes": "count", "seed": "count",
        "machine": machine(),
        "program": program_record(),
        "embedding": "text",
        "execution": { "mode": "text", "tie": "text", "dimension_choice": "text?", "phases": "text or count?" },
        "engine": "text",
        "makespan_cycles": "count", "makespan_seconds": "fraction?", "goodput_bytes_per_second": "fraction?",
        "predicted_cycles": "count",
        "lower_bound_cycles": "count?", "lower_bound_source": "text?",
        "cut_bound_cycles": "count", "cut_bound_set": "text", "loading_cycles": "count?",
        "messages": "count", "hops": "count", "units": "count", "unit_hops": "count",
        "link_busy_max_cycles": "count?", "busiest_link_from": ["count"], "busiest_link_to": ["count"],
        "link_busy_share": "fraction?", "direction_busy_cycles": ["count"], "direction_busy_max_cycles": ["count"],
        "totals": {
            "compute_cycles": "count", "sharing_cycles": "count", "waiting_cycles": "count",
            "transfer_cycles": "count", "blocked_cycles": "count", "overhead_cycles": "count",
            "idle_at_end_cycles": "count"
        },
        "overlapped_cycles": "count",
        "waiting": distribution, "blocked": distribution,
        "routing_steps": "count?", "conflicts": "count?", "longest_queue": "count?",
        "stages": [{
            "stage": "count", "dimension": "count",
            "distance": { "min": "count", "max": "count", "mean": "fraction" },
            "waiting_cycles": "count", "transfer_cycles": "count", "blocked_cycles": "count",
            "routing_steps": "count?", "conflicts": "count?"
        }],
        "placement": placement()
    })
}

/// The keys of the origin of results without files.
pub(super) fn provenance() -> Value {
    json!({
        "program": "text", "version": "text", "commit": "text?", "dirty": "truth?", "model": "count",
        "command": "text", "digest": "text",
        "files": [{ "key": "text", "path": "text", "sha256": "text?" }]
    })
}

/// The run of a document with this embedding; the first of several.
fn run_of<'a>(document: &'a Value, embedding: &str) -> &'a Value {
    let runs = document["runs"].as_array().unwrap();
    runs.iter().find(|run| run["embedding"] == embedding).unwrap()
}

#[test]
fn a_document_has_exactly_the_keys_that_are_promised_in_their_order() {
    for name in ["first-comparison", "link-modes", "own-placement", "phases", "bitonic-sort"] {
        let document = json(&["run", &format!("scenarios/{name}.toml")]);
        // Programs without a bound for all placements.
        let run = if ["own-placement", "bitonic-sort"].contains(&name) {
            shape_with_cut_bound()
        } else {
            run_shape()
        };
        assert_shape(
            &document,
            &json!({
                "format": "text", "version": "count", "cubefold": "text", "provenance": provenance(), "runs": [run]
            }),
        );
        assert_eq!(document["format"], "cubefold-results");
        assert_eq!(document["version"].as_u64(), Some(1));
        assert_eq!(document["cubefold"], env!("CARGO_PKG_VERSION"));
    }
}

#[test]
fn lines_are_the_runs_of_the_document_without_its_envelope() {
    for name in ["first-comparison", "contention-64x64", "random-dimensions"] {
        let path = format!("scenarios/{name}.toml");
        let lines = done(&["run", &path, "--format", "jsonl"]);
        let line = |line: &str| {
            let mut members: serde_json::Map<String, Value> = serde_json::from_str(line).unwrap();
            assert_eq!(members.shift_remove("version"), Some(json!(1)));
            Value::Object(members)
        };
        let lines: Vec<Value> = lines.lines().map(line).collect();
        assert_eq!(Value::Array(lines), json(&["run", &path])["runs"]);
    }
}

#[test]
fn figure_4_has_the_values_worked_out_by_hand() {
    // Line of 8, T_a = 4, T_c = 2. byweight: section 8 of docs/model.md has its distances, and module
    // `processes` the rows. standard: 3 * 4 + 2 * (1 + 2 + 4) = 26, and no waiting.
    let document = json(&["run", "scenarios/figure-4.toml"]);
    let run = run_of(&document, "byweight");
    assert_eq!(
        run["machine"],
        json!({
            "kind": "line", "shape": [8], "wrap": [false], "links": "full-duplex", "hop_cycles": 2,
            "latency_cycles": 0, "switching": "store-and-forward", "packet_units": null,
            "arbitration": "first-come", "cycle_nanoseconds": null
        })
    );
    assert_eq!(
        run["program"],
        json!({ "kind": "cc-cube", "dimensions": 3, "stages": [0, 1, 2], "compute_cycles": 4 })
    );
    assert_eq!((&run["makespan_cycles"], &run["predicted_cycles"]), (&json!(30), &json!(30)));
    assert_eq!((&run["lower_bound_cycles"], &run["lower_bound_source"]), (&json!(26), &json!("theorem")));
    // Distances 28, 20 and 12 in all: 60 links, 120 cycles; finishes 28 30 30 28 28 30 30 28.
    assert_eq!((&run["messages"], &run["hops"]), (&json!(24), &json!(60)));
    assert_eq!((&run["units"], &run["unit_hops"]), (&json!(1), &json!(60)));
    assert_eq!(
        run["totals"],
        json!({
            "compute_cycles": 96, "sharing_cycles": 0, "waiting_cycles": 16, "transfer_cycles": 120,
            "blocked_cycles": 0, "overhead_cycles": 0, "idle_at_end_cycles": 8
        })
    );
    // 8 of the 24 pairs wait, 2 cycles each.
    assert_eq!(run["waiting"], json!({ "max": 2, "mean": 16.0 / 24.0, "p50": 0, "p90": 2, "p99": 2 }));
    assert_eq!(run["blocked"], json!({ "max": 0, "mean": 0.0, "p50": 0, "p90": 0, "p99": 0 }));
    assert_eq!(
        run["stages"][1],
        json!({
            "stage": 1, "dimension": 1, "distance": { "min": 2, "max": 3, "mean": 2.5 },
            "waiting_cycles": 8, "transfer_cycles": 40, "blocked_cycles": 0,
            "routing_steps": null, "conflicts": null
        })
    );
    assert_eq!(run_of(&document, "standard")["makespan_cycles"], json!(26));
}

#[test]
fn the_placement_of_figure_4_has_the_metrics_worked_out_by_hand() {
    let document = json(&["run", "scenarios/figure-4.toml"]);
    let placement = &run_of(&document, "byweight")["placement"];
    // By dimension 2 edges each way of: 3 4 4 3 | 2 3 3 2 | 1 2 2 1, from the distances of section 8.
    assert_eq!(
        placement["dilation"],
        json!({ "max": 4, "mean": 2.5, "total": 30, "spectrum": { "1": 2, "2": 4, "3": 4, "4": 2 } })
    );
    assert_eq!(placement["constant_distances"], json!(false));
    assert_eq!(placement["average_distance"], json!(2.5));
    // 30 links in all over 7 of them; each edge passes one node fewer than it has links: 18 over 8.
    assert_eq!(placement["link_congestion"]["mean"], json!(30.0 / 7.0));
    assert_eq!(placement["node_load"]["mean"], json!(18.0 / 8.0));
    assert_eq!(placement["node_congestion"]["mean"], json!(42.0 / 8.0));
    assert_eq!(placement["load"], json!({ "max": 1, "min": 1 }));
    assert_eq!((&placement["expansion"], &placement["node_evenness"]), (&json!(1.0), &json!(1.0)));
}

#[test]
fn a_torus_of_64_by_64_has_the_waiting_and_blocked_cycles_of_the_model() {
    let document = json(&["run", "scenarios/contention-64x64.toml"]);
    for (embedding, makespan, predicted, waiting, blocked) in
        [("xor", 214, 214, 0, 0), ("byweight", 356, 342, 146_432, 16_000), ("gray", 248, 236, 0, 38_400)]
    {
        let run = run_of(&document, embedding);
        assert_eq!(run["makespan_cycles"], json!(makespan));
        assert_eq!(run["predicted_cycles"], json!(predicted));
        assert_eq!(run["totals"]["waiting_cycles"], json!(waiting));
        assert_eq!(run["totals"]["blocked_cycles"], json!(blocked));
        assert_eq!(run["waiting"]["mean"], json!(f64::from(waiting) / (4096.0 * 12.0)));
        assert_eq!(run["lower_bound_source"], json!("preprint"));
    }
}

#[test]
fn totals_of_asynchronous_runs_add_up_to_the_makespan_of_every_process() {
    for name in ["contention-64x64", "tie-rules", "mixed-wrap", "bitonic-sort"] {
        for run in json(&["run", &format!("scenarios/{name}.toml")])["runs"].as_array().unwrap() {
            let total = |key: &str| run["totals"][key].as_u64().unwrap();
            let parts = ["compute", "sharing", "waiting", "transfer", "blocked", "idle_at_end"];
            let sum: u64 = parts.map(|part| total(&format!("{part}_cycles"))).iter().sum();
            let processes = 1 << run["program"]["dimensions"].as_u64().unwrap();
            assert_eq!(sum, processes * run["makespan_cycles"].as_u64().unwrap(), "{name}");
        }
    }
}

#[test]
fn stages_add_up_to_the_totals() {
    for run in json(&["run", "scenarios/link-modes.toml"])["runs"].as_array().unwrap() {
        let stages = run["stages"].as_array().unwrap();
        let sum = |key: &str| stages.iter().filter_map(|stage| stage[key].as_u64()).sum::<u64>();
        for key in ["waiting_cycles", "transfer_cycles", "blocked_cycles"] {
            assert_eq!(run["totals"][key].as_u64(), Some(sum(key)));
        }
        for key in ["routing_steps", "conflicts"].into_iter().filter(|key| !run[key].is_null()) {
            assert_eq!(run[key].as_u64(), Some(sum(key)));
        }
    }
}

/// The keys of a run that are null, those of its first stage after `stages.`.
fn nulls(run: &Value) -> Vec<String> {
    let parts = [("", run), ("execution.", &run["execution"]), ("stages.", &run["stages"][0])];
    let null = |(prefix, part): (&str, &Value)| -> Vec<String> {
        let members = part.as_object().unwrap().iter().filter(|(_, value)| value.is_null());
        members.map(|(key, _)| format!("{prefix}{key}")).collect()
    };
    parts.into_iter().flat_map(null).collect()
}

#[test]
fn what_does_not_apply_is_null() {
    let document = json(&["run", "scenarios/first-comparison.toml"]);
    let runs = document["runs"].as_array().unwrap();
    let (asynchronous, coordinated) = (&runs[0], &runs[3]);
    assert_eq!(coordinated["execution"]["mode"], "coordinated");
    let expected = [
        "makespan_seconds",
        "goodput_bytes_per_second",
        "loading_cycles",
        "routing_steps",
        "conflicts",
        "execution.dimension_choice",
        "execution.phases",
        "stages.routing_steps",
        "stages.conflicts",
    ];
    assert_eq!(nulls(asynchronous), expected);
    let expected = ["makespan_seconds", "goodput_bytes_per_second", "loading_cycles", "longest_queue"];
    assert_eq!(nulls(coordinated), expected);
    let blocked = json!({ "max": 0, "mean": 0.0, "p50": 0, "p90": 0, "p99": 0 });
    assert_eq!((&coordinated["totals"]["blocked_cycles"], &coordinated["blocked"]), (&json!(0), &blocked));
    assert_eq!(coordinated["totals"]["idle_at_end_cycles"], json!(0));
}

#[test]
fn other_programs_have_the_bounds_of_their_placement_and_an_empty_node_has_no_evenness() {
    let has_bound = |run: &Value| {
        let is_below = run["lower_bound_cycles"].as_u64() <= run["makespan_cycles"].as_u64();
        is_below && ["cut", "computations"].map(Value::from).contains(&run["lower_bound_source"])
    };
    for run in json(&["run", "scenarios/own-placement.toml"])["runs"].as_array().unwrap() {
        assert!(has_bound(run), "{run}");
        assert!(run["placement"]["node_evenness"].is_null());
        assert_eq!(run["placement"]["load"], json!({ "max": 1, "min": 0 }));
        assert_eq!(run["placement"]["expansion"], json!(1.125));
    }
    for run in json(&["run", "scenarios/bitonic-sort.toml"])["runs"].as_array().unwrap() {
        assert!(has_bound(run), "{run}");
        assert!(!run["predicted_cycles"].is_null());
    }
}
