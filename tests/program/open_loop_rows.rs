//! Rows of open-loop traffic: `run --packets`, `--channels` and `--buffers` (`docs/model.md` section 30.8).

use std::collections::BTreeMap;

use parquet::record::Field;
use serde::Deserialize;
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::{
    command::{Scratch, csv_table, done, run},
    parquet_results,
};

#[derive(Deserialize)]
struct Cases {
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    what: String,
    kind: String,
    scenario: String,
    files: BTreeMap<String, String>,
    #[serde(default)]
    expect: Value,
}

fn hash(text: &str) -> String {
    Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Runs a scenario with files of rows with this extension.
fn run_with_rows(scratch: &Scratch, extension: &str) {
    let named = ["packets", "channels", "buffers"].map(|kind| scratch.path(&format!("{kind}.{extension}")));
    let [packets, channels, buffers] = &named;
    let options = ["--packets", packets, "--channels", channels, "--buffers", buffers];
    done(&[&["run", &scratch.path("s.toml"), "--quiet", "--format", "json"], &options[..]].concat());
}

#[test]
fn rows_of_open_loop_traffic_are_the_golden_files_byte_for_byte() {
    let file: Cases = serde_json::from_str(include_str!("../golden/research/research.json")).unwrap();
    let mut count = 0;
    for case in file.cases.iter().filter(|case| case.kind == "open") {
        let scratch = Scratch::with(&[("s.toml", &case.scenario)]);
        for (name, text) in &case.files {
            std::fs::write(scratch.path(name), text).unwrap();
        }
        run_with_rows(&scratch, "csv");
        for kind in ["packets", "channels", "buffers"] {
            let digest = hash(&scratch.read(&format!("{kind}.csv")));
            assert_eq!(digest, case.expect["files_sha256"][kind], "{}: {kind}", case.what);
            count += 1;
        }
        if let Some(channels) = case.expect["channels"].as_str() {
            assert_eq!(scratch.read("channels.csv"), channels, "{}", case.what);
        }
    }
    assert_eq!(count, 93);
}

/// A sweep of open-loop traffic on a mesh.
const SWEEP: &str = "[machine]\nkind = \"mesh\"\nshape = [3, 3]\nswitching = \"wormhole\"\n[program]\n\
                     kind = \"open-loop\"\nwarmup_cycles = 20\nmeasure_cycles = 40\ndrain_cycles = 200\n[sweep]\n\
                     \"program.pattern\" = [\"uniform\", \"neighbour\"]\n\"program.load\" = [0.1, 0.3]\n";

#[test]
fn rows_of_a_sweep_begin_with_its_keys() {
    let scratch = Scratch::with(&[("s.toml", SWEEP)]);
    for extension in ["csv", "jsonl", "parquet"] {
        run_with_rows(&scratch, extension);
    }
    let (header, rows) = csv_table(&scratch.read("channels.csv"));
    assert_eq!(header.join(","), "program.pattern,program.load,from,to_kind,to,units");
    // 9 channels to terminals and 24 between routers, in 4 runs.
    assert_eq!(rows.len(), 4 * 33);
    assert_eq!(rows[0][..2], ["uniform", "0.1"]);
    assert_eq!(rows[131][..2], ["neighbour", "0.3"]);
    for kind in ["packets", "channels", "buffers"] {
        let (header, rows) = csv_table(&scratch.read(&format!("{kind}.csv")));
        let (names, fields) = parquet_results::table(&scratch.path(&format!("{kind}.parquet")));
        let lines = scratch.read(&format!("{kind}.jsonl"));
        let lines: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!((&names, fields.len(), lines.len()), (&header, rows.len(), rows.len()), "{kind}");
        for ((row, fields), line) in rows.iter().zip(&fields).zip(&lines) {
            for ((name, text), field) in header.iter().zip(row).zip(fields) {
                let (of_parquet, of_json) = match field {
                    Field::Null => (String::new(), Value::Null),
                    Field::Str(text) => (text.clone(), text.as_str().into()),
                    Field::Long(number) => (number.to_string(), (*number).into()),
                    Field::Double(number) => (number.to_string(), (*number).into()),
                    other => panic!("{name} is {other:?}"),
                };
                assert_eq!((text, &line[name]), (&of_parquet, &of_json), "{kind}: {name}");
            }
        }
    }
}

#[test]
fn rows_of_several_scenarios_begin_with_their_names() {
    let plain = SWEEP.split("[sweep]").next().unwrap().replace("drain", "load = 0.2\ndrain");
    let scratch = Scratch::with(&[("one.toml", plain.as_str()), ("two.toml", SWEEP)]);
    let [one, two, rows] = ["one.toml", "two.toml", "b.csv"].map(|name| scratch.path(name));
    done(&["run", &one, &two, "--buffers", &rows, "--quiet"]);
    let (header, rows) = csv_table(&scratch.read("b.csv"));
    let first = ["scenario", "program.pattern", "program.load", "at", "from_kind"];
    assert_eq!(header[..5], first);
    assert_eq!(rows[0][..3], ["one", "", ""]);
    assert_eq!(rows.last().unwrap()[..3], ["two", "neighbour", "0.3"]);
}

#[test]
fn rows_of_runs_without_them_are_refused_before_the_run() {
    let closed = SWEEP.split("[program]").next().unwrap().replace("[3, 3]", "[4, 4]");
    let searching =
        SWEEP.replace("\"program.load\" = [0.1, 0.3]", "\"program.saturation\" = [{ high = 0.4 }]");
    let scratch = Scratch::with(&[("closed.toml", &*closed), ("search.toml", &searching), ("s.toml", SWEEP)]);
    let rows = scratch.path("rows.csv");
    for (file, options, expected) in [
        ("closed.toml", vec!["--packets"], "--packets of \"closed\", expected open-loop traffic"),
        ("search.toml", vec!["--channels"], "which searches for saturation, expected one load"),
        ("s.toml", vec!["--buffers", &rows, "--processes"], "--processes of open-loop traffic"),
        ("s.toml", vec!["--buffers", &rows, "--packets"], "both --packets and --buffers into"),
        ("s.toml", vec!["--resume", "--packets"], "--packets with --resume"),
    ] {
        let file = scratch.path(file);
        let finished = run(&[&["run", &file], &options[..], &[rows.as_str()]].concat());
        assert_eq!(finished.code, Some(2), "{options:?}: {}", finished.stderr);
        let said = finished.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(said.contains(expected), "{options:?}: {said}");
    }
    assert_eq!(scratch.names(), ["closed.toml", "s.toml", "search.toml"]);
}

#[test]
fn rows_of_packets_count_as_memory() {
    let long = SWEEP.replace("measure_cycles = 40", "measure_cycles = 4000000");
    let scratch = Scratch::with(&[("s.toml", long)]);
    let [scenario, rows] = ["s.toml", "p.csv"].map(|name| scratch.path(name));
    let finished = run(&["run", &scenario, "--memory-limit", "1GiB", "--packets", &rows]);
    assert_eq!(finished.code, Some(2), "{}", finished.stderr);
    assert!(finished.stderr.contains("needs about "), "{}", finished.stderr);
}
