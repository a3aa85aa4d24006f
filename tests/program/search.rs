//! `search`: placements found, their certificates, and the files and scenarios that use them.

use std::process::{Child, Command, Stdio};

use serde_json::Value;

use super::command::{PROGRAM, Scratch, done, json, run, text_of};

/// Exchanges of halving sizes on half-duplex links: no embedding with a name is optimal.
const CUBE: &str = "
[machine]
kind = \"torus\"
shape = [8, 4]
links = \"half-duplex\"
[program]
kind = \"cc-cube\"
dimensions = 5
compute_cycles = 0
units = [16, 8, 4, 2, 1]
[mapping]
embeddings = [\"standard\", \"xor\"]
";

fn searches(arguments: &[&str]) -> Vec<Value> {
    let document = json(arguments);
    assert_eq!(document["format"], "cubefold-searches");
    document["searches"].as_array().unwrap().clone()
}

#[test]
fn a_placement_found_runs_as_long_as_the_search_says() {
    let scratch = Scratch::with(&[("cube.toml", CUBE)]);
    let (scenario, placement) = (scratch.path("cube.toml"), scratch.path("found.csv"));
    let found = &searches(&["search", &scenario, "--evaluations", "3000"])[0];
    let of = |name: &str| found[name].as_u64().unwrap();
    assert_eq!(
        (found["reference"].as_str(), found["objective"].as_str()),
        (Some("standard"), Some("makespan"))
    );
    assert!(of("bound_value") <= of("found_value") && of("found_value") < of("named_value"));
    assert_eq!(found["proved"].as_bool(), Some(of("bound_value") == of("found_value")));
    // The placement as a file, run from a scenario.
    let table = done(&["search", &scenario, "--evaluations", "3000", "--output", &placement]);
    assert!(table.contains("best named"), "{table}");
    let runs = json(&["run", &scenario, "--set", "mapping.embeddings=[\"file:found.csv\"]"]);
    assert_eq!(runs["runs"][0]["makespan_cycles"].as_u64(), Some(of("found_value")));
    // The same from within a scenario.
    let search = "mapping.embeddings=[\"standard\", \"xor\", { search = { evaluations = 3000 } }]";
    let compared = json(&["compare", &scenario, "--set", search]);
    let last = &compared["runs"][2];
    assert_eq!(last["embedding"], "search");
    assert_eq!(last["makespan_cycles"].as_u64(), Some(of("found_value")));
}

/// All ranks on one node exchange nothing over links; the first embedding has one on each.
#[test]
fn a_node_has_as_many_ranks_as_the_fullest_of_all_embeddings() {
    let scenario = "machine = { kind = \"network\", edges = \"t.conf\" }\n\
                    program = { kind = \"traffic\", file = \"m.csv\", processes_per_node = 4 }\n\
                    mapping = { embeddings = [\"cyclic\", \"file:one.csv\"] }\n";
    let scratch = Scratch::with(&[
        ("s.toml", scenario),
        ("t.conf", "SwitchName=a Nodes=n[1-4]\n"),
        ("m.csv", "0,64,0,64\n64,0,64,0\n0,64,0,64\n64,0,64,0\n"),
        ("one.csv", "process,p_1\n0,0\n1,0\n2,0\n3,0\n"),
    ]);
    let path = scratch.path("s.toml");
    let found = &searches(&["search", &path])[0];
    assert_eq!((found["named"].as_str(), found["found_value"].as_u64()), (Some("file:one.csv"), Some(0)));
    assert_eq!((found["proved"].as_bool(), found["bound_source"].as_str()), (Some(true), Some("none")));
    let table = done(&["search", &path]);
    assert!(table.contains("At most 4 ranks on a node, as in the fullest of the scenario's embeddings."));
}

#[test]
fn the_result_does_not_depend_on_threads() {
    let scratch = Scratch::with(&[("cube.toml", CUBE)]);
    let scenario = scratch.path("cube.toml");
    let found = ["1", "2", "8"].map(|threads| {
        done(&[
            "search",
            &scenario,
            "--evaluations",
            "1500",
            "--seed",
            "4",
            "--threads",
            threads,
            "--format",
            "csv",
        ])
    });
    assert!(found[0] == found[1] && found[1] == found[2]);
}

#[test]
fn few_placements_are_all_tried_by_every_objective() {
    for objective in ["makespan", "predicted", "load", "hop-units", "dilation"] {
        let (cube, ring) = ("program.dimensions=3", "machine.shape=[4, 2]");
        let scratch = Scratch::with(&[("cube.toml", CUBE)]);
        let scenario = scratch.path("cube.toml");
        let settings = ["--set", cube, "--set", ring, "--set", "program.units=[4, 2, 1]"];
        let arguments = [&["search", &scenario, "--objective", objective][..], &settings[..]].concat();
        let found = &searches(&arguments)[0];
        assert_eq!(found["proved"], true, "{objective}");
        assert_eq!(found["bound_value"], found["found_value"], "{objective}");
    }
}

#[test]
fn objectives_that_count_other_routes_than_messages_take_are_refused() {
    let text = "machine = { kind = \"mesh\", shape = [4, 4] }\nexecution.routing = \"valiant\"\n\
                program = { kind = \"permutation\", pattern = \"transpose\", units = 10 }\n";
    let scratch = Scratch::with(&[("s.toml", text)]);
    let search = |objective: &str| {
        run(&["search", &scratch.path("s.toml"), "--objective", objective, "--evaluations", "50"])
    };
    for objective in ["predicted", "load", "hop-units", "dilation"] {
        let refused = search(objective);
        assert_eq!(refused.code, Some(2), "{objective}");
        assert!(refused.stderr.contains("expected makespan"), "{}", refused.stderr);
    }
    assert_eq!(search("makespan").code, Some(0));
}

#[test]
fn what_cannot_be_searched_is_refused_with_the_reason() {
    let scratch = Scratch::with(&[("cube.toml", CUBE)]);
    let scenario = scratch.path("cube.toml");
    let refused = |arguments: &[&str]| {
        let finished = run(&[&["search", &scenario][..], arguments].concat());
        assert_eq!(finished.code, Some(2), "{}", finished.stderr);
        finished.stderr
    };
    assert!(
        refused(&["--start", "gray"])
            .contains("the scenario has no such embedding, expected one of standard, xor")
    );
    assert!(refused(&["--set", "execution.mode=\"coordinated\""]).contains("search of a coordinated run"));
    let sweep = ["--set", "sweep.seed=[1, 2]", "--output", &scratch.path("x.csv")];
    assert!(refused(&sweep).contains("2 combinations for one placement"));
}

/// Two combinations: all placements of the first are tried at once, and the second takes longer.
const SWEPT: &str = "
[machine]
kind = \"torus\"
links = \"half-duplex\"
shape = [8, 4]
[program]
kind = \"cc-cube\"
compute_cycles = 3
[mapping]
embeddings = [\"standard\", \"xor\"]
[sweep]
\"machine.shape\" = [[4, 2], [8, 8]]
";

/// A search of the scenario into a file.
fn line(scenario: &str, output: &str) -> Vec<String> {
    ["search", scenario, "--evaluations", "5000", "--output", output, "--quiet"].map(str::to_owned).to_vec()
}

/// Starts a search into a file, and waits until its journal has the first combination.
fn started(arguments: &[String], journal: &str) -> Child {
    let mut command = Command::new(PROGRAM.as_str());
    let mut child = command.args(arguments).stderr(Stdio::piped()).spawn().unwrap();
    let is_begun = || std::fs::read_to_string(journal).is_ok_and(|text| text.contains("\"combination\":0"));
    while !is_begun() && child.try_wait().unwrap().is_none() {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    child
}

#[test]
fn a_search_that_is_killed_ends_as_one_that_is_not() {
    let scratch = Scratch::with(&[("swept.toml", SWEPT)]);
    let [scenario, killed, whole] =
        ["swept.toml", "killed.json", "whole.json"].map(|name| scratch.path(name));
    let journal = format!("{killed}.partial");
    let line = |output: &str| line(&scenario, output);
    let mut child = started(&line(&killed), &journal);
    child.kill().unwrap();
    child.wait().unwrap();
    let refused = run(&line(&killed));
    assert!(
        refused.code == Some(2) && refused.stderr.contains("continue it with --resume"),
        "{}",
        refused.stderr
    );
    let resume = "--resume".to_owned();
    let other = run(&[line(&killed), vec![resume.clone(), "--seed".to_owned(), "9".to_owned()]].concat());
    assert!(other.code == Some(2) && other.stderr.contains("the searches have changed"), "{}", other.stderr);
    done(&[line(&killed), vec![resume]].concat());
    done(&line(&whole));
    assert_eq!(scratch.read("killed.json"), scratch.read("whole.json"));
    assert!(!std::path::Path::new(&journal).exists());
    let standard = run(&["search", &scenario, "--resume"]);
    assert!(standard.stderr.contains("name a file with --output"), "{}", standard.stderr);
}

#[test]
fn the_first_row_of_the_page_is_what_its_command_finds() {
    let found = &searches(&["search", "scenarios/halving-sizes.toml", "--evaluations", "20000"])[0];
    let [named, value, bound] = ["named_value", "found_value", "bound_value"].map(|key| &found[key]);
    assert!(found["named"].as_str().unwrap().starts_with("axes:") && found["proved"] == true);
    let row = format!("| {named} (an order of axes) | {value} | {bound}: proved |");
    assert!(text_of("docs/search.md").contains(&row), "{row}");
}

#[cfg(unix)]
#[test]
fn an_interrupted_search_keeps_the_best_and_goes_on() {
    interrupt("INT");
}

#[cfg(unix)]
#[test]
fn a_terminated_search_keeps_the_best_and_goes_on() {
    interrupt("TERM");
}

/// Sends a signal to a search in its second combination.
#[cfg(unix)]
fn interrupt(signal: &str) {
    let scratch = Scratch::with(&[("swept.toml", SWEPT)]);
    let [scenario, stopped, whole] =
        ["swept.toml", "stopped.json", "whole.json"].map(|name| scratch.path(name));
    let child = started(&line(&scenario, &stopped), &format!("{stopped}.partial"));
    let sent = Command::new("sh").args(["-c", &format!("kill -{signal} {}", child.id())]).status().unwrap();
    let ended = child.wait_with_output().unwrap();
    let said = String::from_utf8(ended.stderr).unwrap();
    let code = if signal == "INT" { 130 } else { 143 };
    assert!(sent.success() && ended.status.code() == Some(code), "{said}");
    assert!(said.contains("interrupted: the best placements so far are kept"), "{said}");
    assert!(said.contains("1 of 2 combinations are finished; continue with --resume"), "{said}");
    // The first combination is whole, the second has the best so far, if any start was judged.
    let so_far: Value = serde_json::from_str(&scratch.read("stopped.json")).unwrap();
    for search in so_far["searches"].as_array().unwrap() {
        assert!(search["found_value"].as_u64() <= search["named_value"].as_u64(), "{search}");
    }
    done(&[line(&scenario, &stopped), vec!["--resume".to_owned()]].concat());
    done(&line(&scenario, &whole));
    assert_eq!(scratch.read("stopped.json"), scratch.read("whole.json"));
}

/// A search of twenty combinations ends on a signal while it judges where to start in the first.
#[cfg(unix)]
#[test]
fn a_signal_ends_a_search_that_has_hardly_begun() {
    let numbers: Vec<String> = (1..=20).map(|number| number.to_string()).collect();
    let text = format!(
        "[machine]\nkind = \"torus\"\nshape = [16, 16]\n[program]\nkind = \"all-to-all\"\nalgorithm = \"pairwise\"\n\
         units = 256\n[sweep]\n\"machine.hop_cycles\" = [{}]\n",
        numbers.join(", ")
    );
    let scratch = Scratch::with(&[("s.toml", text)]);
    let [scenario, output] = ["s.toml", "r.json"].map(|name| scratch.path(name));
    let mut command = Command::new(env!("CARGO_BIN_EXE_cubefold"));
    command.args(["search", &scenario, "--output", &output, "--quiet"]);
    let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
    let journal = format!("{output}.partial");
    while !std::fs::exists(&journal).unwrap() && child.try_wait().unwrap().is_none() {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    std::thread::sleep(std::time::Duration::from_secs(1));
    let sent = Command::new("sh").args(["-c", &format!("kill -TERM {}", child.id())]).status().unwrap();
    let ended = child.wait_with_output().unwrap();
    let said = String::from_utf8(ended.stderr).unwrap();
    assert!(sent.success());
    // Whole searches of all combinations would take minutes.
    assert_eq!(ended.status.code(), Some(143), "{said}");
    if said.contains("the best placements so far are kept") {
        let so_far: Value = serde_json::from_str(&scratch.read("r.json")).unwrap();
        let found = so_far["searches"].as_array().unwrap();
        assert!((1..20).contains(&found.len()), "{} searches", found.len());
    } else {
        assert!(said.contains("terminated: 0 of 20 runs kept"), "{said}");
    }
}

#[test]
fn of_equivalent_programs_the_faster_one_counts() {
    for units in [1, 4096] {
        let text = format!(
            "machine = {{ kind = \"torus\", shape = [4, 4], latency_cycles = 3 }}\n[program]\n\
             kind = \"all-reduce\"\nalgorithm = \"swing\"\nports = \"all\"\ncompute_cycles = 50\n\
             exchange = \"best\"\nunits = {units}\n"
        );
        let scratch = Scratch::with(&[("swing.toml", text)]);
        let scenario = scratch.path("swing.toml");
        let found = &searches(&["search", &scenario, "--evaluations", "400"])[0];
        let runs = json(&["run", &scenario]);
        assert_eq!(found["reference_value"], runs["runs"][0]["makespan_cycles"], "{units}");
        let search = "mapping.embeddings=[{ search = { evaluations = 400 } }]";
        let runs = json(&["run", &scenario, "--set", search]);
        assert_eq!(found["found_value"], runs["runs"][0]["makespan_cycles"], "{units}");
    }
}
