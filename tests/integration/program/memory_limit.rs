//! More memory than allowed is refused before it is taken.

use super::command::{Scratch, done, json, run};

const LARGE: &str = "scenarios/two-to-the-sixteen.toml";

#[test]
fn runs_over_the_limit_are_refused_with_what_they_need() {
    let scratch = Scratch::empty();
    for command in ["run", "compare"] {
        let output = scratch.path("r.json");
        let finished = run(&[command, LARGE, "--memory-limit", "1MiB", "--output", &output]);
        assert_eq!((finished.code, finished.stdout.as_str()), (Some(2), ""));
        for said in ["needs about ", " MiB, expected at most 1.0 MiB", "--memory-limit"] {
            assert!(finished.stderr.contains(said), "{}", finished.stderr);
        }
    }
    assert!(scratch.names().is_empty());
}

#[test]
fn rows_count_as_well() {
    let scratch = Scratch::empty();
    // 2^16 processes and 16 stages: 2^20 rows.
    let rows = scratch.path("rows.csv");
    let finished = run(&["run", LARGE, "--memory-limit", "40MiB", "--processes", &rows]);
    assert_eq!((finished.code, finished.stdout.as_str()), (Some(2), ""));
    assert!(finished.stderr.contains("needs about "), "{}", finished.stderr);
    assert!(scratch.names().is_empty());
}

#[test]
fn a_limit_that_is_enough_changes_no_result() {
    let path = "scenarios/square-toruses.toml";
    assert_eq!(json(&["run", path, "--memory-limit", "16MiB"]), json(&["run", path]));
}

#[test]
fn the_run_that_is_refused_is_named() {
    let finished =
        run(&["run", "scenarios/figure-4.toml", "scenarios/square-toruses.toml", "--memory-limit", "1MiB"]);
    assert_eq!(finished.code, Some(2));
    assert!(finished.stderr.contains("\"square-toruses\" with standard"), "{}", finished.stderr);
}

#[test]
fn a_machine_with_more_messages_than_the_engine_holds_can_be_measured_and_checked_but_not_run() {
    let scratch = Scratch::with(&[(
        "largest.toml",
        "machine = { kind = \"torus\", shape = [65536, 65536] }\nmapping.embeddings = [\"xor\"]\n",
    )]);
    let path = scratch.path("largest.toml");
    assert!(done(&["measure", &path]).contains("16384"));
    assert!(done(&["check", &path]).contains("4294967296"));
    for limit in ["1TiB", "4GiB"] {
        let finished = run(&["run", &path, "--memory-limit", limit]);
        assert_eq!((finished.code, finished.stdout.as_str()), (Some(2), ""));
        assert!(finished.stderr.contains("expected at most"), "{}", finished.stderr);
    }
}
