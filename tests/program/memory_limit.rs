//! More memory than allowed is refused before it is taken.

use super::command::{Scratch, done, json, refused, run};

const LARGE: &str = "scenarios/two-to-the-sixteen.toml";

/// Runs simulated hop by hop, on tables of all nodes.
fn hop_by_hop() -> Scratch {
    let settings = |shape: &str| {
        format!(
            "machine = {{ kind = \"torus\", shape = {shape} }}\nmapping.embeddings = [\"xor\"]\n\
             execution.engine = \"hop\"\n"
        )
    };
    Scratch::with(&[("small.toml", settings("[8, 8]")), ("large.toml", settings("[256, 256]"))])
}

#[test]
fn runs_over_the_limit_are_refused_with_what_they_need() {
    let scratch = hop_by_hop();
    let before = scratch.names();
    for command in ["run", "compare"] {
        let (path, output) = (scratch.path("large.toml"), scratch.path("r.json"));
        let stderr = refused(&[command, &path, "--memory-limit", "1MiB", "--output", &output]);
        for said in ["needs about ", " MiB, expected at most 1.0 MiB", "--memory-limit"] {
            assert!(stderr.contains(said), "{stderr}");
        }
    }
    assert_eq!(scratch.names(), before);
}

#[test]
fn rows_count_as_well() {
    let scratch = Scratch::empty();
    // 2^16 processes and 16 stages: 2^20 rows.
    let rows = scratch.path("rows.csv");
    let stderr = refused(&["run", LARGE, "--memory-limit", "40MiB", "--processes", &rows]);
    assert!(stderr.contains("needs about "), "{stderr}");
    assert!(scratch.names().is_empty());
}

#[test]
fn a_limit_that_is_enough_changes_no_result() {
    let path = "scenarios/square-toruses.toml";
    assert_eq!(json(&["run", path, "--memory-limit", "16MiB"]), json(&["run", path]));
}

#[test]
fn the_run_that_is_refused_is_named() {
    let scratch = hop_by_hop();
    let (small, large) = (scratch.path("small.toml"), scratch.path("large.toml"));
    let finished = run(&["run", &small, &large, "--memory-limit", "1MiB"]);
    assert_eq!(finished.code, Some(2));
    assert!(finished.stderr.contains("run 1 of \"large\" with xor"), "{}", finished.stderr);
}

#[test]
fn four_billion_processes_run_line_by_line_and_are_refused_hop_by_hop() {
    let settings = "machine = { kind = \"torus\", shape = [65536, 65536] }\nmapping.embeddings = [\"xor\"]\n";
    let scratch = Scratch::with(&[
        ("largest.toml", settings.to_owned()),
        ("hop.toml", format!("{settings}execution.engine = \"hop\"\n")),
    ]);
    let path = scratch.path("largest.toml");
    assert!(done(&["measure", &path]).contains("16384"));
    assert!(done(&["check", &path]).contains("4294967296"));
    // Two rings of 2^16 nodes: 3 * 2^14 - 1 links each (docs/model.md section 5).
    let results = json(&["run", &path, "--memory-limit", "64MiB"]);
    let run_of_all = &results["runs"][0];
    assert_eq!((&run_of_all["engine"], &run_of_all["makespan_cycles"]), (&"belt".into(), &98_302.into()));
    for limit in ["1TiB", "4GiB"] {
        let said = refused(&["run", &scratch.path("hop.toml"), "--memory-limit", limit]);
        assert!(said.contains("expected at most"), "{said}");
    }
}

#[test]
fn four_billion_processes_run_with_sizes_by_stage() {
    let units: Vec<String> = (0..32).map(|stage| (1_u64 << 20 >> stage).max(1).to_string()).collect();
    let units = units.join(",");
    let machine = "machine = { kind = \"torus\", shape = [65536, 65536], latency_cycles = 3 }\n";
    let text = format!("{machine}program.units = [{units}]\nmapping.embeddings = [\"standard\", \"xor\"]\n");
    let scratch = Scratch::with(&[("sizes.toml", text)]);
    let results = json(&["run", &scratch.path("sizes.toml"), "--memory-limit", "64MiB"]);
    for result in results["runs"].as_array().unwrap() {
        assert_eq!(
            (&result["engine"], &result["makespan_cycles"]),
            (&"belt".into(), &result["predicted_cycles"])
        );
        assert_eq!(result["blocked"]["max"], 0);
    }
}

#[test]
fn a_program_is_not_written_over_the_limit() {
    let scratch = Scratch::empty();
    let output = scratch.path("program.goal");
    let finished = run(&[
        "export",
        LARGE,
        "--format",
        "goal",
        "--memory-limit",
        "64MiB",
        "--embedding",
        "xor",
        "-o",
        &output,
    ]);
    assert_eq!((finished.code, finished.stdout.as_str()), (Some(2), ""));
    assert!(finished.stderr.contains("needs about 400.0 MiB"), "{}", finished.stderr);
    assert!(scratch.names().is_empty());
}

#[cfg(unix)]
#[test]
fn devices_are_not_read_whatever_they_are_to_be() {
    let scratch = Scratch::with(&[
        (
            "goal.toml",
            "machine = { kind = \"ring\", shape = [4] }\nprogram = { kind = \"goal\", file = \"/dev/zero\" }\n",
        ),
        (
            "npy.toml",
            "machine = { kind = \"ring\", shape = [4] }\nmapping.embeddings = [\"file:zero.npy\"]\n",
        ),
    ]);
    std::os::unix::fs::symlink("/dev/zero", scratch.path("zero.npy")).unwrap();
    for arguments in [["check", "goal.toml"], ["check", "npy.toml"], ["merge", "zero.npy"]] {
        let finished = run(&[arguments[0], &scratch.path(arguments[1])]);
        // Long lines are wrapped beside a bar.
        let words: Vec<&str> =
            finished.stderr.split_whitespace().filter(|word| *word != "\u{2502}").collect();
        assert!(words.join(" ").contains("is a device, expected a file"), "{}", finished.stderr);
        assert_eq!(finished.code, Some(2), "{arguments:?}");
    }
}
