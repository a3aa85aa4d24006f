//! `run --processes`: every process in every stage.

use std::collections::BTreeMap;

use serde_json::Value;

use super::command::{Scratch, csv_table, done, json, refused, rows_of};

const HEADER: [&str; 18] = [
    "scenario",
    "run",
    "embedding",
    "process",
    "stage",
    "ready",
    "start",
    "finish",
    "sharing_cycles",
    "waiting_cycles",
    "transfer_cycles",
    "blocked_cycles",
    "overlapped_cycles",
    "overhead_cycles",
    "iteration",
    "step",
    "rank",
    "share",
];

#[test]
fn there_is_a_row_for_every_run_process_and_stage_in_order() {
    let rows = rows_of("scenarios/link-modes.toml", "--processes", &HEADER);
    let mut rows = rows.iter();
    let names = ["standard", "xor", "byweight", "gray"];
    for run in 0..24 {
        for process in 0..64 {
            for stage in 0..6 {
                let row = rows.next().unwrap();
                let expected = [
                    "link-modes".to_owned(),
                    run.to_string(),
                    names[run % 4].to_owned(),
                    process.to_string(),
                    stage.to_string(),
                ];
                assert_eq!(row[..5], expected);
            }
        }
    }
    assert!(rows.next().is_none());
}

#[test]
fn the_rows_of_byweight_in_figure_4_are_those_of_the_recursion() {
    // T_a = 4, T_c = 2, distances by docs/model.md section 8. A stage: ready = finish before + 4, start = the
    // later ready of the two partners, finish = start + 2 * distance; waiting = start - ready.
    // Stage 0 (partner n xor 1): ready 4, all start at 4, distances 3 3 4 4 4 4 3 3.
    // Stage 1 (n xor 2): all start at 16, distances 2 3 2 3 3 2 3 2.
    // Stage 2 (n xor 4): all start at 26, distances 1 2 2 1 1 2 2 1.
    let ready = [[4; 8], [14, 14, 16, 16, 16, 16, 14, 14], [24, 26, 24, 26, 26, 24, 26, 24]];
    let start = [4, 16, 26];
    let finish = [
        [10, 10, 12, 12, 12, 12, 10, 10],
        [20, 22, 20, 22, 22, 20, 22, 20],
        [28, 30, 30, 28, 28, 30, 30, 28],
    ];
    let rows = rows_of("scenarios/figure-4.toml", "--processes", &HEADER);
    let rows = rows.iter().filter(|row| row[2] == "byweight");
    let mut count = 0;
    for (place, row) in rows.enumerate() {
        let (process, stage) = (place / 3, place % 3);
        let (ready, start, finish) = (ready[stage][process], start[stage], finish[stage][process]);
        let numbers: [u64; 10] =
            [process as u64, stage as u64, ready, start, finish, 0, start - ready, finish - start, 0, 0];
        assert_eq!(row[3..13], numbers.map(|number| number.to_string()));
        // Its processes are no ranks.
        assert_eq!(row[13..], ["0", "", "", "", ""]);
        count += 1;
    }
    assert_eq!(count, 24);
}

#[test]
fn the_rows_add_up_to_the_totals_of_the_document() {
    for name in ["link-modes", "phases", "mixed-wrap"] {
        let path = format!("scenarios/{name}.toml");
        let mut sums: BTreeMap<usize, [u64; 4]> = BTreeMap::new();
        for row in rows_of(&path, "--processes", &HEADER) {
            let number = |column: usize| row[column].parse::<u64>().unwrap();
            let lengths = [8, 9, 10, 11].map(number);
            assert_eq!(number(7), number(5) + lengths[1] + lengths[2] + lengths[3]);
            let sum = sums.entry(row[1].parse().unwrap()).or_default();
            (0..4).for_each(|place| sum[place] += lengths[place]);
        }
        let document = json(&["run", &path]);
        let runs = document["runs"].as_array().unwrap();
        assert_eq!(runs.len(), sums.len());
        for (place, run) in runs.iter().enumerate() {
            let keys = ["sharing_cycles", "waiting_cycles", "transfer_cycles", "blocked_cycles"];
            assert_eq!(keys.map(|key| run["totals"][key].as_u64().unwrap()), sums[&place], "{name} {place}");
        }
    }
}

#[test]
fn lines_say_the_same_as_rows() {
    let scratch = Scratch::empty();
    done(&["run", "scenarios/figure-4.toml", "--processes", &scratch.path("rows.jsonl")]);
    let text = scratch.read("rows.jsonl");
    let rows = rows_of("scenarios/figure-4.toml", "--processes", &HEADER);
    assert_eq!(text.lines().count(), rows.len());
    for (line, row) in text.lines().zip(rows) {
        let mut line: serde_json::Map<String, Value> = serde_json::from_str(line).unwrap();
        assert_eq!(line.shift_remove("version"), Some(Value::from(1)));
        assert!(line.keys().eq(HEADER), "{line:?}");
        let cell = |value: &Value| match value {
            Value::Null => String::new(),
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        let cells = line.values().map(cell);
        assert_eq!(cells.collect::<Vec<_>>(), row);
    }
}

#[test]
fn runs_are_counted_over_all_files() {
    let scratch = Scratch::empty();
    let files = ["scenarios/figure-4.toml", "scenarios/own-placement.toml"];
    done(&["run", files[0], files[1], "--processes", &scratch.path("rows.csv")]);
    let (_, rows) = csv_table(&scratch.read("rows.csv"));
    let mut runs: Vec<(String, String)> = rows.iter().map(|row| (row[1].clone(), row[0].clone())).collect();
    runs.dedup();
    let expected = [("0", "figure-4"), ("1", "figure-4"), ("2", "own-placement"), ("3", "own-placement")];
    assert_eq!(runs, expected.map(|(run, scenario)| (run.to_owned(), scenario.to_owned())));
}

#[test]
fn results_are_the_same_with_and_without_rows() {
    let scratch = Scratch::empty();
    let arguments = ["run", "scenarios/phases.toml", "--format", "json"];
    let with = done(&[&arguments[..], &["--processes", &scratch.path("rows.csv")]].concat());
    assert_eq!(with, done(&arguments));
}

#[test]
fn rows_in_another_form_are_refused_and_nothing_is_run() {
    let scratch = Scratch::empty();
    for name in ["rows.txt", "rows", "no-such-folder/rows.csv"] {
        let said = refused(&["run", "scenarios/figure-4.toml", "--processes", &scratch.path(name)]);
        assert!(said.contains(name), "{said}");
    }
    assert!(scratch.names().is_empty());
}
