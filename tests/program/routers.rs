//! Routers with finite buffers and open-loop traffic, from scenarios to results and pictures.

use serde_json::{Value, json};

use super::command::{Scratch, csv, done, json, run, text_of, unframed};

/// The machine of a golden curve as the keys of a scenario.
fn machine(case: &Value) -> String {
    let machine = &case["machine"];
    let kind = machine["kind"].as_str().unwrap();
    let described = match kind {
        "grid" => {
            let is_open = machine["wrap"][0] == json!(false);
            format!("kind = \"{}\"\nshape = {}\n", if is_open { "mesh" } else { "torus" }, machine["shape"])
        }
        "fat-tree" => {
            format!("kind = \"fat-tree\"\narity = {}\nlevels = {}\n", machine["arity"], machine["levels"])
        }
        _ => format!(
            "kind = \"{kind}\"\nhosts_per_switch = {}\nswitches_per_group = {}\nglobal_links = {}\n",
            machine["hosts_per_switch"], machine["switches_per_group"], machine["global_links"]
        ),
    };
    format!(
        "[machine]\n{described}switching = {}\nlatency_cycles = {}\nrouter = {{ virtual_channels = {}, \
         buffer_units = {}, cycles = {}, credit_cycles = {}, terminal_latency_cycles = {}, allocator = {} }}\n",
        case["switching"],
        case["latency_cycles"],
        case["virtual_channels"],
        case["buffer_units"],
        case["router_cycles"],
        case["credit_cycles"],
        case["terminal_latency_cycles"],
        case["allocator"],
    )
}

/// The scenario of a golden curve at these loads.
fn scenario(case: &Value, loads: &[&Value]) -> String {
    let window = &case["exact_window"];
    let mut program = format!(
        "[program]\nkind = \"open-loop\"\npattern = {}\nsizes = {}\nwarmup_cycles = {}\nmeasure_cycles = {}\n\
         drain_cycles = {}\n",
        case["pattern"],
        case["sizes"],
        window["warmup_cycles"],
        window["measure_cycles"],
        window["drain_cycles"],
    );
    for key in ["hotspots", "hotspot_share"] {
        if !case[key].is_null() {
            program += &format!("{key} = {}\n", case[key]);
        }
    }
    let mut execution = format!("[execution]\nrouting = {}\n", case["routing"]);
    for key in ["tie", "adaptive_choice"] {
        if !case[key].is_null() {
            execution += &format!("{key} = {}\n", case[key]);
        }
    }
    let loads: Vec<String> = loads.iter().map(ToString::to_string).collect();
    format!(
        "seed = {}\n{}{program}{execution}[sweep]\n\"program.load\" = [{}]\n",
        window["seed"],
        machine(case),
        loads.join(", ")
    )
}

/// A number with four decimals.
fn rounded(number: &Value) -> String {
    format!("{:.4}", number.as_f64().unwrap())
}

#[test]
fn golden_curves_come_out_of_scenarios() {
    let golden: Value = serde_json::from_str(&text_of("tests/golden/routers.json")).unwrap();
    let curves = golden["open_loop"].as_array().unwrap();
    let curves: Vec<&Value> = curves.iter().filter(|case| case["exact_window"].is_object()).collect();
    assert!(curves.len() >= 12);
    for case in curves {
        // The first loads of a curve take no time.
        let points = &case["points"].as_array().unwrap()[..2];
        let loads: Vec<&Value> = points.iter().map(|point| &point["load"]).collect();
        let scratch = Scratch::with(&[("s.toml", scenario(case, &loads))]);
        let document = json(&["run", &scratch.path("s.toml")]);
        for (run, point) in document["runs"].as_array().unwrap().iter().zip(points) {
            let (exact, name) = (&point["exact"], format!("{} at {}", case["name"], point["load"]));
            let latency = &run["packet_latency"];
            assert_eq!(rounded(&latency["mean"]), rounded(&exact["mean"]), "{name}");
            assert_eq!(
                (&latency["p50"], &latency["p99"], &latency["max"]),
                (&exact["p50"], &exact["p99"], &exact["max"])
            );
            assert_eq!(rounded(&run["network_latency"]["mean"]), rounded(&exact["network_mean"]), "{name}");
            assert_eq!(run["measured_packets"], exact["packets"], "{name}");
            assert_eq!(run["missing_packets"], exact["missing"], "{name}");
            assert_eq!(rounded(&run["accepted_load"]), rounded(&exact["accepted"]), "{name}");
            assert_eq!(rounded(&run["offered_load"]), rounded(&exact["offered"]), "{name}");
            assert_eq!(run["load"], point["load"], "{name}");
        }
    }
}

/// A small mesh under two loads, of which the second saturates, and two buffer sizes.
const SMALL: &str = "name = \"small\"\n[machine]\nkind = \"mesh\"\nshape = [4, 4]\nswitching = \"wormhole\"\n\
    [program]\nkind = \"open-loop\"\npattern = \"transpose\"\nwarmup_cycles = 200\nmeasure_cycles = 400\n\
    drain_cycles = 300\nlatency_limit = 60\n[sweep]\n\"machine.router.buffer_units\" = [1, 8]\n\
    \"program.load\" = [0.05, 0.2, 0.9]\n";

#[test]
fn open_loop_results_have_loads_and_latencies_in_place_of_a_makespan() {
    let scratch = Scratch::with(&[("s.toml", SMALL)]);
    let document = json(&["run", &scratch.path("s.toml")]);
    let runs = document["runs"].as_array().unwrap();
    assert_eq!(runs.len(), 6);
    for run in runs {
        for member in ["load", "offered_load", "accepted_load", "measured_packets", "cycles"] {
            assert!(run[member].is_number(), "{member}: {run}");
        }
        for member in ["makespan_cycles", "messages", "hops", "totals", "waiting", "blocked"] {
            assert!(run.get(member).is_none(), "{member}: {run}");
        }
        assert_eq!(run["machine"]["switching"], "wormhole");
        assert_eq!(run["execution"]["routing"], "dimension-order");
        assert_eq!(run["program"]["pattern"], "transpose");
    }
    assert_eq!(runs[0]["machine"]["router"]["buffer_units"], 1);
    assert_eq!((&runs[0]["saturated"], runs[2]["saturated"].is_string()), (&json!(null), true));
    let (header, rows) = csv(&["run", &scratch.path("s.toml")]);
    let column = |name: &str| header.iter().position(|title| title == name);
    let mean = column("packet_latency_mean").unwrap();
    assert_eq!(rows[0][mean], runs[0]["packet_latency"]["mean"].to_string());
    assert!(column("network_latency_p99").is_some() && column("makespan_cycles").is_none());
    let table = done(&["run", &scratch.path("s.toml")]);
    for words in ["packet latency", "saturated", "buffer units 1: saturates ", "latencies in cycles"] {
        assert!(table.contains(words), "{words}: {table}");
    }
    assert!(!table.contains("embedding"), "{table}");
}

#[test]
fn compare_says_what_saturates_last_and_a_picture_marks_it() {
    let scratch = Scratch::with(&[("s.toml", SMALL)]);
    let compared = done(&["compare", &scratch.path("s.toml")]);
    assert!(compared.contains("buffer units 8 saturates last"), "{compared}");
    let picture = done(&["draw", "latency", &scratch.path("s.toml")]);
    for words in ["small: latency over load", "buffer units 1: saturates", " cycles at load 0.05"] {
        assert!(picture.contains(words), "{words}");
    }
    done(&["run", &scratch.path("s.toml"), "--output", &scratch.path("r.csv")]);
    let of_results = done(&["draw", "latency", &scratch.path("r.csv")]);
    assert_eq!(of_results.matches(" cycles at load ").count(), picture.matches(" cycles at load ").count());
    let report = scratch.path("r.html");
    done(&["report", &scratch.path("s.toml"), "--output", &report]);
    let page = scratch.read("r.html");
    assert!(page.contains("<h2>Latency</h2>") && !page.contains("<h2>Placements</h2>"));
}

#[test]
fn parts_of_a_curve_are_merged_to_the_same_results() {
    let scratch = Scratch::with(&[("s.toml", SMALL)]);
    let (scenario, output) = (scratch.path("s.toml"), scratch.path("r.json"));
    for part in ["1/2", "2/2"] {
        done(&["run", &scenario, "--output", &output, "--shard", part]);
    }
    let parts = [scratch.path("r.json.part-1-of-2"), scratch.path("r.json.part-2-of-2")];
    let merged = done(&["merge", &parts[0], &parts[1], "--format", "json"]);
    assert_eq!(merged, done(&["run", &scenario, "--format", "json"]));
}

#[test]
fn a_search_finds_the_load_between_those_that_do_and_do_not_saturate() {
    let text = SMALL.replace(
        "\"program.load\" = [0.05, 0.2, 0.9]\n",
        "\"program.saturation\" = [{ low = 0.1, high = 0.9, resolution = 0.25 }]\n",
    );
    let scratch = Scratch::with(&[("s.toml", text)]);
    let document = json(&["run", &scratch.path("s.toml")]);
    for run in document["runs"].as_array().unwrap() {
        let searched = run["saturation_runs"].as_array().unwrap();
        // 0.8 is halved twice; an end that has not moved is run, too.
        assert!((2..=3).contains(&searched.len()));
        let stable: Vec<f64> = searched
            .iter()
            .filter(|point| point["saturated"].is_null())
            .map(|point| point["load"].as_f64().unwrap())
            .collect();
        assert_eq!(run["saturation_load"].as_f64(), stable.into_iter().max_by(f64::total_cmp));
    }
}

#[test]
fn a_search_tells_the_end_of_its_interval_that_it_could_not_leave() {
    let scenario = |router: &str, saturation: &str| {
        format!(
            "[machine]\nkind = \"mesh\"\nshape = [2, 2]\nswitching = \"wormhole\"\n{router}\n[program]\n\
             kind = \"open-loop\"\npattern = \"neighbour\"\nwarmup_cycles = 1500\nmeasure_cycles = 1500\n\
             saturation = {saturation}\n"
        )
    };
    let slow = "router = { virtual_channels = 1, buffer_units = 1 }\nlatency_cycles = 1000";
    for (router, saturation, load, sentence) in [
        ("", "{ resolution = 0.02 }", json!(1.0), "Stable up to load 1, the largest load tried."),
        (
            slow,
            "{ low = 0.5, resolution = 0.02 }",
            json!(null),
            "Saturates below load 0.5, the smallest load tried.",
        ),
        (slow, "{ resolution = 0.02 }", json!(null), "Saturates below load 0.0156, the smallest load tried."),
    ] {
        let scratch = Scratch::with(&[("s.toml", scenario(router, saturation))]);
        let path = scratch.path("s.toml");
        let run = &json(&["run", &path])["runs"][0];
        assert_eq!(run["saturation_load"], load);
        assert!(run["saturation_runs"].as_array().is_some_and(|runs| !runs.is_empty()));
        let table = done(&["run", &path]);
        assert!(table.contains(sentence), "{table}");
    }
}

/// A program over routers, with more keys of its machine, its program and its execution.
fn closed(machine: &str, program: &str, execution: &str) -> String {
    format!(
        "[machine]\nkind = \"torus\"\nshape = [4, 4]\n{machine}\n[program]\n{program}\n[execution]\n{execution}\n"
    )
}

/// Asserts that a scenario is refused with these words.
fn assert_refused(scenario: &str, words: &[&str]) {
    let scratch = Scratch::with(&[("s.toml", scenario)]);
    let finished = run(&["check", &scratch.path("s.toml")]);
    assert_eq!(finished.code, Some(2), "{scenario}: {}", finished.stdout);
    let message = unframed(&finished.stderr);
    for words in words {
        assert!(message.contains(words), "{words:?}: {message}");
    }
}

#[test]
fn what_routers_do_not_support_is_refused_with_the_reason() {
    let wormhole = "switching = \"wormhole\"";
    for routing in ["lowest", "spread", "sorting", "embedding"] {
        let expected =
            format!("routing {routing} of routers, expected dimension-order, valiant, romm or adaptive");
        assert_refused(&closed(wormhole, "", &format!("routing = \"{routing}\"")), &[&expected]);
    }
    let with = |more: &str| format!("{wormhole}\n{more}");
    let machines = [
        ("hop_cycles = 2", "takes 2 cycles, expected 1"),
        ("hop_cycles = [1, 2]", "expected equal ones"),
        (
            "arbitration = \"round-robin\"",
            "machine.arbitration of routers with finite buffers, expected none",
        ),
        ("links = \"half-duplex\"", "expected full-duplex"),
        ("router = { virtual_channels = 1 }", "1 virtual channel, expected at least 2 under dimension-order"),
        ("router = { virtual_channels = 65 }", "expected an integer from 1 to 64"),
        ("router = { buffers = 3 }", "unknown key \"buffers\" in machine.router"),
        ("router = 3", "machine.router is 3, expected a table of virtual_channels"),
    ];
    for (machine, words) in machines {
        assert_refused(&closed(&with(machine), "", ""), &[words]);
    }
    assert_refused(
        &closed(wormhole, "", "mode = \"coordinated\""),
        &["routers with finite buffers in coordinated"],
    );
    assert_refused(
        &closed(wormhole, "", "engine = \"belt\""),
        &["engine belt over routers with finite buffers"],
    );
    assert_refused(
        &closed(wormhole, "", "ugal_threshold = 3"),
        &["of dimension-order routing, expected ugal"],
    );
    let cut_through = "switching = \"virtual-cut-through\"\nrouter = { buffer_units = 4 }";
    assert_refused(&closed(cut_through, "units = 5", ""), &["buffers of 4 units, expected at least 5"]);
    assert_refused(&closed(&format!("{cut_through}\npacket_units = 6"), "", ""), &["expected at least 6"]);
}

#[test]
fn what_only_routers_have_is_refused_without_them() {
    for (machine, execution, words) in [
        ("router = { virtual_channels = 2 }", "", "machine.router.virtual_channels without routers"),
        ("", "tie = \"random\"", "random ties without routers"),
        ("", "routing = \"adaptive\"", "routing adaptive without routers"),
        ("", "adaptive_choice = \"any\"", "execution.adaptive_choice without routers"),
    ] {
        assert_refused(&closed(machine, "", execution), &[words, "switching = \"wormhole\""]);
    }
    // A sweep may set only the switching.
    let swept = closed("router = { virtual_channels = 2 }", "", "")
        + "[sweep]\n\"machine.switching\" = [\"cut-through\", \"wormhole\"]\n";
    let scratch = Scratch::with(&[("s.toml", swept)]);
    assert!(done(&["check", &scratch.path("s.toml")]).contains("6 runs"));
}

#[test]
fn open_loop_refuses_what_belongs_to_processes() {
    let program = "kind = \"open-loop\"\nload = 0.1";
    let wormhole = "switching = \"wormhole\"";
    assert_refused(&closed("", program, ""), &["open-loop traffic without routers"]);
    assert_refused(
        &(closed(wormhole, program, "") + "[mapping]\nembeddings = [\"xor\"]\n"),
        &["mapping.embeddings in open loop, expected none"],
    );
    let machine = format!("{wormhole}\npacket_units = 4");
    assert_refused(&closed(&machine, program, ""), &["machine.packet_units in open loop"]);
    for (more, words) in [
        ("compute_cycles = 3", "program.compute_cycles in open loop"),
        ("message_cost_cycles = 3", "program.message_cost_cycles in open loop"),
        ("saturation = {}", "both program.load and program.saturation"),
        ("pattern = \"nowhere\"", "expected uniform, uniform-others"),
        ("hotspots = [1]", "program.hotspots with the pattern uniform, expected the pattern hotspot"),
        ("pattern = \"hotspot\"", "program.hotspots is missing"),
        ("pattern = \"file\"\ndestinations = \"none.txt\"", "destinations \"none.txt\""),
        ("sizes = [[4]]", "expected a pair of units and weight"),
        ("latency_limit = 0", "expected a number above 0"),
    ] {
        assert_refused(&closed(wormhole, &format!("{program}\n{more}"), ""), &[words]);
    }
    for load in ["0", "1.5", "\"half\"", "nan"] {
        let program = format!("kind = \"open-loop\"\nload = {load}");
        assert_refused(&closed(wormhole, &program, ""), &["expected a number above 0, at most 1"]);
    }
    let scratch = Scratch::with(&[("s.toml", closed(wormhole, program, ""))]);
    for command in ["place", "measure"] {
        let finished = run(&[command, &scratch.path("s.toml")]);
        assert_eq!(finished.code, Some(2));
        assert!(finished.stderr.contains("of open-loop traffic"), "{}", finished.stderr);
    }
}

#[test]
fn destinations_come_from_a_file() {
    let program = "kind = \"open-loop\"\nload = 0.2\npattern = \"file\"\ndestinations = \"to.txt\"\n\
                   warmup_cycles = 10\nmeasure_cycles = 100\ndrain_cycles = 500";
    let lines: Vec<String> = (0..16).map(|node| ((node + 1) % 16).to_string()).collect();
    let scenario = closed("switching = \"wormhole\"", program, "");
    let scratch = Scratch::with(&[("s.toml", scenario.as_str()), ("to.txt", &lines.join("\n"))]);
    let run = &json(&["run", &scratch.path("s.toml")])["runs"][0];
    assert!(run["measured_packets"].as_u64().unwrap() > 100 && run["missing_packets"] == 0, "{run}");
    let scratch = Scratch::with(&[("s.toml", scenario.as_str()), ("to.txt", "1\n2\n16\n")]);
    let finished = super::command::run(&["check", &scratch.path("s.toml")]);
    let said = unframed(&finished.stderr);
    assert!(said.contains("destination \"16\" of node 2, expected a node from 0 to 15"), "{said}");
}

#[test]
fn messages_have_rows_whose_times_add_up() {
    let wormhole = "switching = \"wormhole\"\npacket_units = 4";
    let scenario = closed(wormhole, "units = 10", "") + "[mapping]\nembeddings = [\"standard\"]\n";
    let scratch = Scratch::with(&[("s.toml", scenario)]);
    done(&["run", &scratch.path("s.toml"), "--messages", &scratch.path("m.csv")]);
    let (header, rows) = super::command::csv_table(&scratch.read("m.csv"));
    let expected = "scenario,run,embedding,stage,source,destination,units,start,entered,received,queued_cycles,\
                    transfer_cycles,blocked_cycles";
    assert_eq!(header.join(","), expected);
    // Each of 16 processes sends one message in each of 4 stages.
    assert_eq!(rows.len(), 64);
    for row in &rows {
        let number = |name: &str| -> u64 {
            row[header.iter().position(|title| title == name).unwrap()].parse().unwrap()
        };
        assert_eq!(number("entered") - number("start"), number("queued_cycles"));
        let parts = number("queued_cycles") + number("transfer_cycles") + number("blocked_cycles");
        assert_eq!(number("received") - number("start"), parts);
        assert_eq!(number("units"), 10);
    }
    let plain = Scratch::with(&[("s.toml", closed("", "", ""))]);
    let finished = run(&["run", &plain.path("s.toml"), "--messages", &plain.path("m.csv")]);
    assert_eq!(finished.code, Some(2));
    assert!(finished.stderr.contains("expected a job, or a program over routers"), "{}", finished.stderr);
}

#[test]
fn open_loop_traffic_has_no_placement_and_every_column_its_own_heading() {
    let text = "[machine]\nkind = \"mesh\"\nshape = [4, 4]\nswitching = \"wormhole\"\n[program]\nkind = \"open-loop\"\n\
                warmup_cycles = 500\nmeasure_cycles = 500\ndrain_cycles = 500\n[sweep]\n\"program.load\" = [0.05, 0.9]\n";
    let scratch = Scratch::with(&[("s.toml", text)]);
    let path = scratch.path("s.toml");
    let document = json(&["run", &path]);
    for run in document["runs"].as_array().unwrap() {
        for absent in ["embedding", "placement", "makespan_cycles", "channel_congestion"] {
            assert!(run.get(absent).is_none(), "{absent}: {run}");
        }
        // The mean of the packets that arrived in time is not the mean of all.
        let is_cut_off = run["missing_packets"] != json!(0);
        assert_eq!(run["packet_latency"]["mean"].is_null(), is_cut_off, "{run}");
        assert_eq!(run["network_latency"]["p99"].is_null(), is_cut_off, "{run}");
    }
    let (stable, saturated) = (&document["runs"][0], &document["runs"][1]);
    assert!(stable["missing_packets"] == json!(0) && saturated["missing_packets"] != json!(0));
    let table = done(&["run", &path]);
    let header = table.lines().find(|line| line.contains("accepted")).unwrap();
    assert!(header.contains("p99") && header.matches("load").count() == 1, "{header}");
    assert!(table.contains("Means are absent where measured packets are missing"), "{table}");
    let (columns, _) = csv(&["run", &path]);
    assert!(!columns.iter().any(|name| name == "embedding" || name.starts_with("placement_")), "{columns:?}");
}
