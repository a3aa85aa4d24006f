//! Parts of a sweep, and their merging.

use std::fs;

use super::{
    command::{Scratch, done, refused, run},
    sweep_scenario,
};

/// Makes the parts of the sweep and returns their paths.
fn parts(scratch: &Scratch, of: u32) -> Vec<String> {
    let part = |k: u32| {
        let shard = format!("{k}/{of}");
        done(&[
            "run",
            &scratch.path("sweep.toml"),
            "--force",
            "--shard",
            &shard,
            "--output",
            &scratch.path("r.csv"),
        ]);
        scratch.path(&format!("r.csv.part-{k}-of-{of}"))
    };
    (1..=of).map(part).collect()
}

/// The exit code and the messages of merging these.
fn merged(scratch: &Scratch, parts: &[&String]) -> (Option<i32>, String) {
    let parts: Vec<&str> = parts.iter().map(|part| part.as_str()).collect();
    let output = scratch.path("merged.csv");
    let finished = run(&[&["merge"], &parts[..], &["--output", &output]].concat());
    assert_eq!(finished.stdout, "");
    (finished.code, finished.stderr.replace(&scratch.path(""), ""))
}

#[test]
fn merged_parts_are_the_bytes_of_one_run() {
    let scratch = sweep_scenario::folder(3);
    let sweep = scratch.path("sweep.toml");
    for of in [1, 2, 3, 7] {
        let parts = parts(&scratch, of);
        for name in ["r.csv", "r.jsonl", "r.json", "r.parquet", "r.md", "r.txt"] {
            done(&["run", &sweep, "--output", &scratch.path(name), "--force"]);
            let merged = scratch.path(&format!("merged-{name}"));
            let paths: Vec<&str> = parts.iter().rev().map(String::as_str).collect();
            done(&[&["merge"], &paths[..], &["--output", &merged, "--force"]].concat());
            assert!(
                fs::read(scratch.path(name)).unwrap() == fs::read(&merged).unwrap(),
                "{of} parts, {name}"
            );
        }
        let paths: Vec<&str> = parts.iter().map(String::as_str).collect();
        let printed = done(&[&["merge"], &paths[..]].concat());
        assert_eq!(printed, done(&["run", &sweep]));
    }
}

#[test]
fn what_a_killed_merge_has_left_is_written_over() {
    let scratch = sweep_scenario::folder(3);
    let parts = parts(&scratch, 2);
    fs::write(scratch.path(".merged.csv.writing"), "half of the results").unwrap();
    assert_eq!(merged(&scratch, &parts.iter().collect::<Vec<_>>()).0, Some(0));
    let hidden = scratch.names().into_iter().filter(|name| name.starts_with('.')).count();
    assert_eq!(hidden, 0, "{:?}", scratch.names());
}

#[test]
fn more_parts_than_runs_are_merged_as_well() {
    let scratch = sweep_scenario::folder(1);
    let parts = parts(&scratch, 14);
    assert_eq!(merged(&scratch, &parts.iter().collect::<Vec<_>>()).0, Some(0));
    assert_eq!(scratch.read("merged.csv"), done(&["run", &scratch.path("sweep.toml"), "--format", "csv"]));
}

#[test]
fn parts_of_several_files_make_the_pages_of_one_run() {
    let scratch = Scratch::empty();
    // Constructions have sentences of their own, and names stand above each file's table.
    let files = ["scenarios/neighbour-exchange.toml", "scenarios/link-modes.toml", "scenarios/figure-4.toml"];
    let output = scratch.path("r");
    for shard in ["1/2", "2/2"] {
        done(&[&["run"], &files[..], &["--shard", shard, "--output", &output]].concat());
    }
    let parts = [format!("{output}.part-1-of-2"), format!("{output}.part-2-of-2")];
    for format in ["table", "markdown", "json"] {
        let merged = done(&["merge", &parts[1], &parts[0], "--format", format]);
        assert_eq!(merged, done(&[&["run"], &files[..], &["--format", format]].concat()));
    }
}

#[test]
fn gaps_overlaps_and_parts_of_other_sweeps_are_refused() {
    let scratch = sweep_scenario::folder(1);
    let of_three = parts(&scratch, 3);
    let of_two = parts(&scratch, 2);
    let [one, two, three] = [0, 1, 2].map(|place| &of_three[place]);
    let refused = |parts: &[&String], expected: &[&str]| {
        let (code, stderr) = merged(&scratch, parts);
        assert_eq!(code, Some(2), "{stderr}");
        for said in expected {
            assert!(stderr.contains(said), "{stderr}");
        }
    };
    refused(&[one, three], &["has runs 1, 3, 8, 10, of 12 runs", "missing: part 2 of 3"]);
    refused(
        &[one, two, three, one],
        &["r.csv.part-1-of-3 (part 1 of 3)", "overlap: both have runs 0, 5, 7, 9"],
    );
    refused(
        &[one, two, &of_two[0]],
        &["r.csv.part-1-of-3", "r.csv.part-1-of-2", "overlap: both have runs 0, 7"],
    );
    let lines = fs::read_to_string(three).unwrap();
    let cut = lines[..lines.len() - 1].rfind('\n').unwrap() + 1;
    fs::write(scratch.path("short"), &lines[..cut]).unwrap();
    refused(&[one, two, &scratch.path("short")], &["short (part 3 of 3) lacks run "]);
    fs::write(scratch.path("foreign"), "scenario,seed\n").unwrap();
    refused(&[one, &scratch.path("foreign")], &["foreign: it is not a journal"]);
    let text = scratch.read("sweep.toml").replace("[4, 4]", "[2, 8]");
    fs::write(scratch.path("sweep.toml"), text).unwrap();
    let other = &parts(&scratch, 2)[1];
    refused(
        &[one, other],
        &[
            "r.csv.part-1-of-3 and r.csv.part-2-of-2 are parts of different sweeps",
            "machine.shape was [4,4] and is [2,8]",
        ],
    );
    assert!(!scratch.names().contains(&"merged.csv".to_owned()));
}

#[test]
fn a_part_goes_on_where_it_was_and_is_made_once() {
    let scratch = sweep_scenario::folder(2);
    let part = parts(&scratch, 2).remove(1);
    let (whole, arguments) = (
        fs::read(&part).unwrap(),
        [
            "run",
            &scratch.path("sweep.toml"),
            "--shard",
            "2/2",
            "--output",
            &scratch.path("r.csv"),
            "--resume",
        ],
    );
    done(&arguments);
    assert_eq!(fs::read(&part).unwrap(), whole, "a part that is complete is left as it is");
    fs::remove_file(&part).unwrap();
    let torn = &whole[..whole.len() - 700];
    fs::write(format!("{part}.partial"), torn).unwrap();
    done(&arguments);
    // Complete records are kept unchanged, and every run has one line.
    let again = fs::read(&part).unwrap();
    let lines = |bytes: &[u8]| bytes.split(|&byte| byte == b'\n').count();
    let kept = torn.iter().rposition(|&byte| byte == b'\n').unwrap();
    assert!(again.starts_with(&torn[..=kept]));
    assert_eq!(lines(&again), lines(&whole));
    assert_eq!(merged(&scratch, &[&part, &scratch.path("r.csv.part-1-of-2")]), (Some(0), String::new()));
    assert_eq!(scratch.read("merged.csv"), done(&["run", &scratch.path("sweep.toml"), "--format", "csv"]));
}

#[test]
fn a_part_is_not_written_over() {
    let scratch = sweep_scenario::folder(1);
    let part = &parts(&scratch, 1)[0];
    let bytes = fs::read(part).unwrap();
    refused(&["merge", part, "--output", part]);
    assert_eq!(fs::read(part).unwrap(), bytes);
}
