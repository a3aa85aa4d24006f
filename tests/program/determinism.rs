//! The same bytes for any number of threads.

use super::command::{Scratch, done};

#[test]
fn results_are_the_same_bytes_on_1_2_and_8_threads() {
    for name in ["link-modes", "random-dimensions", "tie-rules", "compute-sweep"] {
        let path = format!("scenarios/{name}.toml");
        for format in ["json", "jsonl", "csv", "table", "markdown"] {
            let with = |threads: &str| done(&["run", &path, "--format", format, "--threads", threads]);
            let one = with("1");
            assert!(with("2") == one && with("8") == one, "{name} as {format}");
        }
    }
}

#[test]
fn comparisons_and_measures_are_the_same_bytes_on_1_2_and_8_threads() {
    for command in ["compare", "measure", "check"] {
        let path = "scenarios/link-modes.toml";
        let with = |threads: &str| done(&[command, path, "--format", "json", "--threads", threads]);
        let one = with("1");
        assert!(with("2") == one && with("8") == one, "{command}");
    }
}

#[test]
fn rows_of_processes_are_the_same_bytes_on_1_2_and_8_threads() {
    let files = ["scenarios/link-modes.toml", "scenarios/random-dimensions.toml"];
    for name in ["rows.csv", "rows.jsonl"] {
        let rows = |threads: &str| {
            let scratch = Scratch::empty();
            let options = ["--threads", threads, "--force", "--processes", &scratch.path(name)];
            done(&[&["run"], &files[..], &options[..]].concat());
            scratch.read(name)
        };
        let one = rows("1");
        assert!(!one.is_empty() && rows("2") == one && rows("8") == one, "{name}");
    }
}

#[test]
fn one_large_run_on_several_threads_gives_the_bytes_of_one_thread() {
    check_large_run(
        r#"
        name = "large"
        machine = { kind = "torus", shape = [128, 128] }
        program = { kind = "cc-cube", compute_cycles = 3 }
        mapping.embeddings = ["random"]
        execution.engine = "hop"
    "#,
    );
}

#[test]
fn one_large_run_of_messages_with_sizes_on_several_threads_gives_the_bytes_of_one_thread() {
    check_large_run(
        r#"
        name = "large"
        program = { kind = "cc-cube", compute_cycles = 3, units = 3 }
        mapping.embeddings = ["byweight"]
        execution = { engine = "hop", eager_units = 4 }
        [machine]
        kind = "torus"
        shape = [128, 128]
        switching = "cut-through"
        latency_cycles = 1
        packet_units = 2
    "#,
    );
}

fn check_large_run(scenario: &str) {
    let scratch = Scratch::with(&[("large.toml", scenario.to_owned())]);
    let run = |threads: &str| {
        let rows = scratch.path("rows.csv");
        let options = ["--threads", threads, "--format", "json", "--force", "--processes", &rows];
        let results = done(&[&["run", &scratch.path("large.toml")], &options[..]].concat());
        (results, scratch.read("rows.csv"))
    };
    let one = run("1");
    assert!(one.1.lines().count() > 14 << 14);
    for threads in ["2", "3"] {
        assert!(run(threads) == one, "{threads} threads");
    }
}

#[test]
fn random_choices_depend_on_the_seed_and_not_on_the_other_runs() {
    let text = super::command::text_of("scenarios/random-dimensions.toml");
    let scratch = Scratch::with(&[
        ("phases-scattered.csv", super::command::text_of("scenarios/phases-scattered.csv")),
        ("both.toml", text.clone()),
        ("random.toml", text.replace("[\"lowest\", \"random\"]", "[\"random\"]")),
        ("seed.toml", text.replace("seed = 1988", "seed = 1989").replace("[\"lowest\", ", "[")),
    ]);
    let last = |name: &str| {
        let document = super::command::json(&["run", &scratch.path(name)]);
        let run = document["runs"].as_array().unwrap().last().unwrap().clone();
        (run["makespan_cycles"].clone(), run["stages"].clone())
    };
    assert_eq!(last("both.toml"), last("random.toml"));
    assert_ne!(last("both.toml"), last("seed.toml"));
}
