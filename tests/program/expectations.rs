//! The numbers that the comments of scenarios promise, under "Expect".

use serde_json::Value;

use super::command::{json, text_of};

/// The makespans of the runs for which `chosen` holds, at least one, in order, as the comments write them.
fn makespans(document: &Value, chosen: impl Fn(&Value) -> bool) -> String {
    let runs = document["runs"].as_array().unwrap().iter().filter(|run| chosen(run));
    let makespans: Vec<String> = runs.map(|run| run["makespan_cycles"].to_string()).collect();
    assert!(!makespans.is_empty(), "no run is chosen");
    makespans.join(", ")
}

/// The comment of a scenario, as one line.
fn comment(name: &str) -> String {
    let text = text_of(&format!("scenarios/{name}.toml"));
    let lines: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("# ")).collect();
    lines.join(" ")
}

/// The words before the makespans in the comment, and the choice of their runs.
type Promise<'a> = (&'a str, &'a dyn Fn(&Value) -> bool);

/// Asserts that the makespans of the chosen runs follow `before` in the comment.
fn assert_promised(name: &str, promises: &[Promise<'_>]) {
    let (document, comment) = (json(&["run", &format!("scenarios/{name}.toml")]), comment(name));
    for (before, chosen) in promises {
        let promise = format!("{before}{}", makespans(&document, chosen));
        assert!(says(&comment, &promise), "{name}: no {promise:?} in {comment}");
    }
}

/// Whether a comment holds a promise to its end: its last number does not go on, and no other follows.
fn says(comment: &str, promise: &str) -> bool {
    let is_number = |rest: &str| rest.starts_with(|first: char| first.is_ascii_digit());
    let mut behind = comment.match_indices(promise).map(|(at, found)| &comment[at + found.len()..]);
    behind.any(|rest| !is_number(rest) && !rest.strip_prefix(", ").is_some_and(is_number))
}

#[test]
fn a_promise_is_said_only_by_all_of_its_numbers() {
    assert!(says("xor 12, 13; gray 5.", "xor 12, 13"));
    for shorter in ["xor 1", "xor 12", "xor 12, 1", "gray 50"] {
        assert!(!says("xor 12, 13; gray 5.", shorter), "{shorter}");
    }
}

#[test]
fn makespans_of_collectives_are_those_promised() {
    let algorithm = |name: &'static str| move |run: &Value| run["program"]["algorithm"] == name;
    let embedding = |name: &'static str| move |run: &Value| run["embedding"] == name;
    let (ring, bucket, swing) = (algorithm("ring"), algorithm("bucket"), algorithm("swing"));
    let doubling = algorithm("recursive-doubling");
    assert_promised(
        "slice-4x4x8",
        &[
            (": ring ", &ring),
            ("; bucket ", &bucket),
            ("; recursive-doubling ", &doubling),
            ("; swing ", &swing),
        ],
    );
    let (direct, pairwise) = (algorithm("direct"), algorithm("pairwise"));
    let (by_dimension, bruck) = (algorithm("by-dimension"), algorithm("bruck"));
    assert_promised(
        "all-to-all",
        &[
            (": direct ", &direct),
            ("; pairwise ", &pairwise),
            ("; by-dimension ", &by_dimension),
            ("; bruck ", &bruck),
        ],
    );
    let trivance = algorithm("trivance");
    assert_promised(
        "slice-12x12x24",
        &[("Expect: bucket ", &bucket), ("; swing ", &swing), ("; trivance ", &trivance)],
    );
    let (standard, best) = (embedding("standard"), embedding("axes:0=3/1=1/2=2"));
    assert_promised("device-order", &[("Expect: standard ", &standard), ("axes:0=3/1=1/2=2 ", &best)]);
    let halves = |name| move |run: &Value| algorithm(name)(run) && run["program"]["exchange"] == "halving";
    let (swing, doubling) = (halves("swing"), halves("recursive-doubling"));
    assert_promised(
        "all-reduce-crossovers",
        &[("halves: swing ", &swing), ("; recursive-doubling ", &doubling)],
    );
}

#[test]
fn makespans_on_networks_are_those_promised() {
    let kind = |kind: &'static str| move |run: &Value| run["machine"]["kind"] == kind;
    let (hypercube, torus, mesh) = (kind("hypercube"), kind("torus"), kind("mesh"));
    assert_promised(
        "divide-and-conquer",
        &[("gray: hypercube ", &hypercube), ("; torus ", &torus), ("; mesh ", &mesh)],
    );
    assert_promised(
        "normal",
        &[
            ("Expect: hypercube ", &hypercube),
            ("; shuffle-exchange ", &kind("shuffle-exchange")),
            ("; de-bruijn ", &kind("de-bruijn")),
        ],
    );
    let links = |links: &'static str| move |run: &Value| run["machine"]["links"] == links;
    assert_promised(
        "hypercubic",
        &[("full-duplex ", &links("full-duplex")), ("half-duplex ", &links("half-duplex"))],
    );
    assert_promised("edge-list", &[("1 and 10 cycles: ", &|_: &Value| true)]);
}

#[test]
fn makespans_of_the_embeddings_of_the_notes_are_those_promised() {
    let links = |links: &'static str| move |run: &Value| run["machine"]["links"] == links;
    assert_promised(
        "numberings",
        &[("full-duplex ", &links("full-duplex")), ("half-duplex ", &links("half-duplex"))],
    );
    assert_promised("meshes-in-meshes", &[("torus on ring: ", &|_: &Value| true)]);
    assert_promised("growing-tree", &[("vertices on 64 nodes: ", &|_: &Value| true)]);
    assert_promised("graphs-of-trees", &[("trees of 8 and 40: ", &|_: &Value| true)]);
    assert_promised("networks-in-networks", &[("order of the cases: ", &|_: &Value| true)]);
    let embedding = |name: &'static str| move |run: &Value| run["embedding"] == name;
    assert_promised(
        "trees-on-hypercubes",
        &[
            ("double-rooted-tree ", &embedding("cs838:double-rooted-tree")),
            ("shared-tree ", &embedding("cs838:shared-tree")),
            ("flip-bits ", &embedding("cs838:flip-bits")),
        ],
    );
}

#[test]
fn makespans_by_link_mode_and_execution_are_those_promised() {
    let half = |mode: &'static str| {
        move |run: &Value| run["machine"]["links"] == "half-duplex" && run["execution"]["mode"] == mode
    };
    let (asynchronous, coordinated) = (half("asynchronous"), half("coordinated"));
    assert_promised(
        "link-modes",
        &[("with half-duplex links: asynchronous ", &asynchronous), ("; coordinated ", &coordinated)],
    );
    let links = |links: &'static str| move |run: &Value| run["machine"]["links"] == links;
    let (full, half) = (links("full-duplex"), links("half-duplex"));
    assert_promised("fft-mesh-16x16", &[("gray: full-duplex ", &full), ("; half-duplex ", &half)]);
    let standard = |mode: &'static str| {
        move |run: &Value| run["embedding"] == "standard" && run["machine"]["links"] == mode
    };
    let (full, half, single) =
        (standard("full-duplex"), standard("half-duplex"), standard("single-direction"));
    assert_promised(
        "tie-rules",
        &[("negative: full-duplex ", &full), ("; half-duplex ", &half), ("; single-direction ", &single)],
    );
}

#[test]
fn makespans_by_machine_are_those_promised() {
    let kind = |kind: &'static str| move |run: &Value| run["machine"]["kind"] == kind;
    let (mesh, torus) = (kind("mesh"), kind("torus"));
    assert_promised("bitonic-sort", &[("gray: mesh ", &mesh), ("; torus ", &torus)]);
    let wraps = |wraps: bool| move |run: &Value| run["machine"]["wrap"][0] == wraps;
    let (around, open) = (wraps(true), wraps(false));
    assert_promised("all-reduce-tpu-block", &[("optimal: wrapping ", &around), ("; not wrapping ", &open)]);
}

#[test]
fn makespans_by_stage_order_are_those_promised() {
    let first = |dimension: u64, second: u64| {
        move |run: &Value| {
            let stages = &run["program"]["stages"];
            (stages[0].as_u64(), stages[1].as_u64()) == (Some(dimension), Some(second))
        }
    };
    let (ascending, descending, in_turn) = (first(0, 1), first(7, 6), first(0, 4));
    assert_promised(
        "stage-order",
        &[("gray: ascending ", &ascending), ("; descending ", &descending), ("gray: ascending ", &in_turn)],
    );
}

#[test]
fn makespans_of_pipelined_and_noisy_programs_are_those_promised() {
    let ports = |ports: &'static str| move |run: &Value| run["program"]["exchange_ports"] == ports;
    let (all, one) = (ports("all"), ports("1"));
    assert_promised("pipelined-exchanges", &[("all ports ", &all), ("; one port ", &one)]);
    let order = |name: &'static str| {
        move |run: &Value| run["sweep"].as_str().is_some_and(|sweep| sweep.contains(&format!("\"{name}\"")))
    };
    let (permuted, four, least) = (order("permuted-br"), order("degree-4"), order("minimum-alpha"));
    assert_promised(
        "jacobi-orderings",
        &[("; permuted-br ", &permuted), ("; degree-4 ", &four), ("; minimum-alpha ", &least)],
    );
    let noise = |mode: &'static str, key: &'static str, most: u64| {
        move |run: &Value| {
            run["execution"]["mode"] == mode && run["program"]["compute_noise"][key].as_u64() == Some(most)
        }
    };
    let (plain, together) = (noise("asynchronous", "max", 0), noise("coordinated", "max", 0));
    let (long, long_together) = (noise("asynchronous", "mean", 50), noise("coordinated", "mean", 50));
    assert_promised(
        "compute-noise",
        &[
            ("asynchronous ", &plain),
            ("coordinated ", &together),
            ("1353; ", &long),
            ("1484; ", &long_together),
        ],
    );
}

#[test]
fn makespans_of_single_embeddings_are_those_promised() {
    for (name, promises) in [
        ("figure-4", &[("standard ", "standard"), ("byweight ", "byweight")][..]),
        ("contention-64x64", &[("xor ", "xor"), ("byweight ", "byweight"), ("gray ", "gray")]),
        (
            "mixed-wrap",
            &[("standard ", "standard"), ("xor ", "xor"), ("gray ", "gray"), ("optimal ", "optimal")],
        ),
        ("rectangular", &[("standard ", "standard"), ("xor ", "xor")]),
        ("greenberg", &[("greenberg ", "greenberg"), ("by number ", "file:greenberg-by-number.csv")]),
        (
            "greenberg-against-gray",
            &[("Gray code ", "file:greenberg-gray.csv"), ("greenberg ", "file:greenberg-half.csv")],
        ),
        (
            "own-placement",
            &[
                ("the snake ", "file:own-placement.csv"),
                ("the compact one ", "file:own-placement-compact.csv"),
            ],
        ),
    ] {
        for (before, embedding) in promises {
            assert_promised(name, &[(before, &|run: &Value| run["embedding"] == **embedding)]);
        }
    }
}

#[test]
fn makespans_on_real_machines_are_those_promised() {
    assert_promised("recursive-doubling-tpu-v4", &[("then of 64 MiB: ", &|_: &Value| true)]);
    assert_promised("real-machines", &[("in the order of the files: ", &|_: &Value| true)]);
}

#[test]
fn makespans_of_the_largest_machines_are_those_promised() {
    let on = |embedding: &'static str, length: u64, key: &'static str, place: usize| {
        move |run: &Value| run["embedding"] == embedding && run["machine"][key][place] == length
    };
    for (before, embedding) in
        [("standard ", "standard"), ("xor ", "xor"), ("byweight ", "byweight"), ("gray ", "gray")]
    {
        assert_promised("square-toruses", &[(before, &on(embedding, 128, "shape", 0))]);
    }
    for (before, embedding) in
        [("standard ", "standard"), ("optimal ", "optimal"), ("byweight ", "byweight"), ("gray ", "gray")]
    {
        // "xor and optimal 153"
        assert_promised("torus-3d", &[(before, &on(embedding, 16, "shape", 0))]);
    }
    for (before, embedding) in
        [("standard ", "standard"), ("xor ", "xor"), ("byweight ", "byweight"), ("gray ", "gray")]
    {
        let slowest = |run: &Value| run["embedding"] == embedding && run["machine"]["hop_cycles"] == 128;
        assert_promised("hop-sweep", &[(before, &slowest)]);
    }
}

#[test]
fn four_billion_processes_finish_as_promised() {
    let by = |embedding: &'static str| move |run: &Value| run["embedding"] == embedding;
    let (standard, xor, byweight) = (by("standard"), by("xor"), by("byweight"));
    assert_promised(
        "four-billion",
        &[("Expect: standard ", &standard), (", xor ", &xor), ("; byweight ", &byweight)],
    );
}

#[test]
fn results_over_routers_are_those_promised() {
    assert_promised("wormhole-against-cut-through", &[("Expect: ", &|_: &Value| true)]);
    let name = "all-to-all-routings";
    let (document, comment) = (json(&["run", &format!("scenarios/{name}.toml")]), comment(name));
    let runs = document["runs"].as_array().unwrap();
    for (routing, says) in [("dimension-order", "dimension-order saturates"), ("adaptive", "adaptive")] {
        let of_routing = || runs.iter().filter(|run| run["execution"]["routing"] == routing);
        let stable = of_routing().rfind(|run| run["saturated"].is_null()).unwrap();
        let saturated = of_routing().find(|run| !run["saturated"].is_null()).unwrap();
        let promise = format!("{says} between {} and {}", stable["load"], saturated["load"]);
        assert!(comment.contains(&promise), "no {promise:?} in {comment}");
    }
}
