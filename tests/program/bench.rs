//! `bench`: the regression benchmark. Nothing here depends on how fast anything is: where figures are compared, the
//! saved ones are far off.

use std::{fs, sync::LazyLock};

use serde_json::{Value, json};

use super::command::{Finished, Scratch, csv_table, program};
use super::shape_of_json::assert_shape;

/// Runs `bench --quick` in a folder, on a few rows: measuring takes seconds.
fn bench(folder: &Scratch, arguments: &[&str]) -> Finished {
    bench_all(folder, &[&["--only", "xor"], arguments].concat())
}

/// Runs `bench --quick` in a folder.
fn bench_all(folder: &Scratch, arguments: &[&str]) -> Finished {
    let output =
        program().current_dir(folder.path("")).args(["bench", "--quick"]).args(arguments).output().unwrap();
    Finished {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// What one run measures, as it writes and saves it: measuring takes seconds, so that the tests share it.
pub(super) static MEASURED: LazyLock<Value> = LazyLock::new(|| {
    let folder = Scratch::empty();
    let finished = bench_all(&folder, &["--save", "first", "--output", "figures.json", "--quiet"]);
    assert_eq!((finished.code, finished.stderr.as_str()), (Some(0), ""));
    let written = saved(&folder, "figures.json");
    assert_eq!(written, saved(&folder, ".cubefold/bench/first.json"));
    written
});

/// The table of another run.
pub(super) static TABLE: LazyLock<String> = LazyLock::new(|| bench(&Scratch::empty(), &[]).stdout);

/// The document saved under a path of a folder.
fn saved(folder: &Scratch, path: &str) -> Value {
    serde_json::from_str(&folder.read(path)).unwrap()
}

/// The document, with ratios so many times what they were.
fn with_ratios(factor: f64) -> Value {
    let mut document = MEASURED.clone();
    for row in document["rows"].as_array_mut().unwrap() {
        row["ratio_to_baseline"] = json!(row["ratio_to_baseline"].as_f64().unwrap() * factor);
    }
    document
}

/// The rows of a document that [`bench`] measures.
fn with_few_rows(mut document: Value) -> Value {
    let rows = document["rows"].as_array_mut().unwrap();
    rows.retain(|row| row["row"].as_str().unwrap().contains("xor"));
    document
}

fn verdicts(document: &Value) -> Vec<&str> {
    document["rows"].as_array().unwrap().iter().map(|row| row["verdict"].as_str().unwrap()).collect()
}

#[test]
fn figures_are_saved_under_a_name_and_have_the_documented_form() {
    let document = &*MEASURED;
    let shape = json!({ "format": "text", "version": "count", "cubefold": "text", "size": "text", "threads": "count",
        "rows": [{
            "row": "text", "cpu_milliseconds": "number", "wall_milliseconds": "number",
            "ratio_to_baseline": "number", "noise_percent": "number", "saved_ratio_to_baseline": "number?",
            "change_percent": "number?", "allowed_percent": "number?", "verdict": "text?"
        }] });
    assert_shape(document, &shape);
    assert_eq!((&document["format"], &document["version"]), (&json!("cubefold-bench"), &json!(1)));
    for row in document["rows"].as_array().unwrap() {
        for figure in ["cpu_milliseconds", "wall_milliseconds", "ratio_to_baseline"] {
            assert!(row[figure].as_f64().unwrap() > 0.0, "{row}");
        }
        assert!(row["noise_percent"].as_f64().unwrap() >= 0.0 && row["verdict"].is_null(), "{row}");
    }
}

#[test]
fn a_row_that_is_a_hundred_times_slower_than_saved_gives_exit_code_3() {
    let folder = Scratch::empty();
    fs::write(folder.path("fast.json"), with_ratios(0.01).to_string()).unwrap();
    let finished = bench(&folder, &["--against", "fast.json", "--format", "json", "--save", "now.json"]);
    assert_eq!(finished.code, Some(3), "{}", finished.stderr);
    let compared: Value = serde_json::from_str(&finished.stdout).unwrap();
    assert!(verdicts(&compared).iter().all(|verdict| *verdict == "slower"), "{compared}");
    assert_eq!(finished.stderr.lines().count(), verdicts(&compared).len(), "{}", finished.stderr);
    assert!(finished.stderr.lines().all(|line| line.starts_with("error: ") && line.contains(" % slower")));
    // What was measured is saved all the same, without the comparison.
    assert!(saved(&folder, "now.json")["rows"][0]["verdict"].is_null());
}

#[test]
fn a_row_that_is_a_hundred_times_faster_than_saved_gives_exit_code_0() {
    let folder = Scratch::empty();
    fs::write(folder.path("slow.json"), with_ratios(100.0).to_string()).unwrap();
    // Comparing comes before saving, so that one name may stand for both.
    let finished = bench(&folder, &["--against", "slow.json", "--save", "slow.json", "--format", "json"]);
    assert_eq!((finished.code, finished.stderr.as_str()), (Some(0), ""));
    let compared: Value = serde_json::from_str(&finished.stdout).unwrap();
    assert!(verdicts(&compared).iter().all(|verdict| *verdict == "faster"), "{compared}");
    assert_eq!(
        compared["rows"][0]["ratio_to_baseline"],
        saved(&folder, "slow.json")["rows"][0]["ratio_to_baseline"]
    );
}

#[test]
fn rows_of_one_side_are_told_and_figures_of_another_version_of_the_program_compared() {
    let folder = Scratch::empty();
    let mut document = with_ratios(100.0);
    document["cubefold"] = json!("0.0.1");
    document = with_few_rows(document);
    document["rows"][0]["row"] = json!("no longer measured xor");
    fs::write(folder.path("old.json"), document.to_string()).unwrap();
    let finished = bench(&folder, &["--against", "old.json", "--format", "csv"]);
    assert_eq!((finished.code, finished.stderr.as_str()), (Some(0), ""));
    let (header, rows) = csv_table(&finished.stdout);
    let verdict = header.iter().position(|name| name == "verdict").unwrap();
    let told = |row: &Vec<String>| (row[0].clone(), row[verdict].clone());
    assert_eq!(told(&rows[0]).1, "new");
    assert_eq!(told(rows.last().unwrap()), ("no longer measured xor".to_owned(), "missing".to_owned()));
    assert!(rows.last().unwrap()[1..3].iter().all(String::is_empty));
}

#[test]
fn the_tables_fit_eighty_columns() {
    let folder = Scratch::empty();
    let mut document = with_ratios(100.0);
    document = with_few_rows(document);
    document["rows"][0]["row"] = json!("hop/full-duplex/xor/3-cycles/256x256");
    fs::write(folder.path("b.json"), document.to_string()).unwrap();
    let compared = bench(&folder, &["--against", "b.json"]).stdout;
    assert!(compared.contains(" faster, 1 new"), "{compared}");
    for table in [&*TABLE, &compared] {
        let widest = table.lines().map(|line| line.chars().count()).max().unwrap();
        assert!(widest <= 80, "{widest}\n{table}");
    }
}

#[test]
fn figures_that_cannot_be_compared_with_are_refused_before_anything_is_measured() {
    let document = |format: &str, version: u32, size: &str, threads: u32| {
        json!({ "format": format, "version": version, "cubefold": "0.1.0", "size": size, "threads": threads, "rows": [] })
            .to_string()
    };
    let folder = Scratch::with(&[
        ("version.json", document("cubefold-bench", 2, "quick", 1)),
        ("format.json", document("cubefold-results", 1, "quick", 1)),
        ("size.json", document("cubefold-bench", 1, "full", 1)),
        ("threads.json", document("cubefold-bench", 1, "quick", 2)),
        ("text.json", "figures".to_owned()),
    ]);
    let cases = [
        ("version.json", "version 2 of the format, expected 1"),
        ("format.json", "a document of the format \"cubefold-results\""),
        ("size.json", "figures of the full size, expected quick"),
        ("threads.json", "figures on 2 threads, expected 1"),
        ("text.json", "cannot compare with text.json"),
        ("nowhere", "cannot compare with .cubefold/bench/nowhere.json"),
    ];
    for (name, told) in cases {
        let finished = bench(&folder, &["--against", name, "--save", "saved.json"]);
        assert_eq!((finished.code, finished.stdout.as_str()), (Some(2), ""), "{name}");
        assert!(finished.stderr.contains(told), "{}", finished.stderr);
    }
    assert!(!folder.names().contains(&"saved.json".to_owned()));
}

#[test]
fn wrong_destinations_are_refused_before_anything_is_measured() {
    let folder = Scratch::empty();
    let cases: [&[&str]; 5] = [
        &["--only", "no such row"],
        &["--save", "no/such/folder/figures.json"],
        &["--save", "figures.json", "--output", "figures.json"],
        &["--save", ""],
        &["--memory-limit", "1KiB"],
    ];
    for arguments in cases {
        let finished = bench(&folder, arguments);
        assert_eq!((finished.code, finished.stdout.as_str()), (Some(2), ""), "{arguments:?}");
    }
    assert_eq!(folder.names(), [] as [&str; 0]);
}
