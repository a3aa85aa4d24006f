//! `run --crossings`: every packet on every channel of its route.

use std::{collections::BTreeMap, fs::File};

use parquet::file::reader::{FileReader, SerializedFileReader};
use serde_json::Value;

use super::command::{Scratch, done, json, rows_of, run};

const HEADER: [&str; 13] = [
    "scenario",
    "run",
    "embedding",
    "message",
    "packet",
    "stage",
    "source",
    "destination",
    "from",
    "to",
    "begin_cycles",
    "end_cycles",
    "joined_cycles",
];

/// A scenario whose messages wait for each other: 4 processes on a line send 2 units each to process 3.
const TO_ONE: &str = "name = \"to-one\"\n[machine]\nkind = \"line\"\nshape = [4]\nhop_cycles = 3\n\
    packet_units = 1\nlatency_cycles = 1\n[program]\nkind = \"traffic\"\nfile = \"m.csv\"\n\
    [mapping]\nembeddings = [\"standard\"]\n";

#[test]
fn the_first_stage_of_standard_in_figure_4_is_that_of_the_drawing() {
    // T_a = 4, T_c = 2, process n on node n, and the stage goes along dimension 0: neighbours exchange from cycle 4 to 6.
    let rows = rows_of("scenarios/figure-4.toml", "--crossings", &HEADER);
    let first: Vec<_> = rows.iter().filter(|row| row[2] == "standard" && row[5] == "0").collect();
    assert_eq!(first.len(), 8);
    for (process, row) in first.iter().enumerate() {
        let (process, other) = (process.to_string(), (process ^ 1).to_string());
        let expected = [
            "figure-4", "0", "standard", &process, "0", "0", &process, &other, &process, &other, "4", "6",
            "4",
        ];
        assert_eq!(row[..], expected);
    }
}

#[test]
fn rows_are_as_many_as_links_crossed_and_take_what_links_are_busy() {
    for name in ["figure-4", "own-placement", "task-graph", "training-step", "embedding-paths"] {
        let path = format!("scenarios/{name}.toml");
        let mut counts: BTreeMap<u64, u64> = BTreeMap::new();
        for row in rows_of(&path, "--crossings", &HEADER) {
            let number = |column: usize| row[column].parse::<u64>().unwrap();
            assert!(number(12) <= number(10) && number(10) < number(11), "{row:?}");
            *counts.entry(number(1)).or_default() += 1;
        }
        for (place, run) in json(&["run", &path])["runs"].as_array().unwrap().iter().enumerate() {
            let crossed = counts.get(&(place as u64)).copied().unwrap_or(0);
            assert_eq!(run["hops"].as_u64(), Some(crossed), "{name} {place}");
        }
    }
}

#[test]
fn packets_that_wait_say_since_when() {
    let files = [("s.toml", TO_ONE), ("m.csv", "source,destination,bytes\n0,3,1\n2,3,1\n")];
    let scratch = Scratch::with(&files);
    let rows = rows_of(&scratch.path("s.toml"), "--crossings", &HEADER);
    let last: Vec<_> = rows.iter().filter(|row| row[8..10] == ["2", "3"]).collect();
    let cycles = |row: &[String]| [10, 11, 12].map(|column: usize| row[column].parse::<u64>().unwrap());
    assert_eq!(last.iter().map(|row| row[6].as_str()).collect::<Vec<_>>(), ["2", "0"]);
    // The message of process 2 begins at once, that of process 0 after two links of 3 + 1 cycles.
    let begun = cycles(last[0])[0];
    assert_eq!(cycles(last[0]), [begun, begun + 3, begun]);
    assert_eq!(cycles(last[1]), [begun + 8, begun + 11, begun + 8]);
}

#[test]
fn lines_and_parquet_say_the_same_as_csv() {
    let scratch = Scratch::empty();
    let scenario = "scenarios/figure-4.toml";
    for name in ["rows.jsonl", "rows.parquet"] {
        done(&["run", scenario, "--force", "--crossings", &scratch.path(name)]);
    }
    let rows = rows_of(scenario, "--crossings", &HEADER);
    let text = scratch.read("rows.jsonl");
    assert_eq!(text.lines().count(), rows.len());
    let reader = SerializedFileReader::new(File::open(scratch.path("rows.parquet")).unwrap()).unwrap();
    let mut table = reader.get_row_iter(None).unwrap();
    for (line, row) in text.lines().zip(rows) {
        let mut line: serde_json::Map<String, Value> = serde_json::from_str(line).unwrap();
        assert_eq!(line.shift_remove("version"), Some(Value::from(1)));
        assert!(line.keys().eq(HEADER), "{line:?}");
        let cell = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        assert_eq!(line.values().map(cell).collect::<Vec<_>>(), row);
        let fields = table.next().unwrap().unwrap().into_columns();
        let cell = |field: &parquet::record::Field| field.to_string().trim_matches('"').to_owned();
        assert_eq!(fields.iter().map(|(_, field)| cell(field)).collect::<Vec<_>>(), row);
    }
    assert!(table.next().is_none());
}

#[test]
fn rows_of_processes_and_of_crossings_are_written_together_and_results_are_the_same() {
    let scratch = Scratch::empty();
    let arguments = &["run", "scenarios/stage-order.toml"][..];
    let [processes, crossings] = ["p.csv", "c.csv"].map(|name| scratch.path(name));
    let both = ["--processes", &processes, "--crossings", &crossings];
    assert_eq!(done(&[arguments, &both].concat()), done(arguments));
    let alone = scratch.path("alone.csv");
    done(&[arguments, &["--force", "--processes", &alone]].concat());
    assert_eq!(scratch.read("alone.csv"), scratch.read("p.csv"));
}

#[test]
fn what_cannot_be_listed_is_refused_before_anything_runs() {
    let scratch = Scratch::empty();
    let path = scratch.path("c.csv");
    for (arguments, reason) in [
        (
            vec!["run", "scenarios/two-to-the-sixteen.toml", "--crossings", &path],
            "expected at most 10000000 to be listed",
        ),
        (
            vec!["run", "scenarios/phases.toml", "--crossings", &path],
            "coordinated execution has no transmissions",
        ),
        (
            vec!["run", "scenarios/figure-4.toml", "--crossings", &path, "--resume", "--output", "r.csv"],
            "--resume",
        ),
        (
            vec!["run", "scenarios/figure-4.toml", "--crossings", &path, "--processes", &path],
            "name two files",
        ),
        (vec!["run", "scenarios/figure-4.toml", "--crossings", "c.txt"], "unknown extension"),
    ] {
        let finished = run(&arguments);
        assert_eq!(finished.stdout, "");
        assert!(finished.code != Some(0) && finished.stderr.contains(reason), "{}", finished.stderr);
    }
    assert!(scratch.names().is_empty());
}
