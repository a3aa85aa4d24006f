//! Parquet holds what CSV holds, in columns with types.

use std::{collections::BTreeMap, fs::File};

use parquet::{
    file::reader::{FileReader, SerializedFileReader},
    record::Field,
};

use super::command::{LONGEST, SMALLER, Scratch, csv_table, done, run};

/// The header and the rows of a parquet file.
pub(super) fn table(path: &str) -> (Vec<String>, Vec<Vec<Field>>) {
    let reader = SerializedFileReader::new(File::open(path).unwrap()).unwrap();
    let schema = reader.metadata().file_metadata().schema();
    let header = schema.get_fields().iter().map(|field| field.name().to_owned()).collect();
    let row = |row: parquet::record::Row| row.into_columns().into_iter().map(|(_, field)| field).collect();
    (header, reader.get_row_iter(None).unwrap().map(|found| row(found.unwrap())).collect())
}

/// The cell that CSV has for a value.
fn cell(field: &Field) -> String {
    match field {
        Field::Null => String::new(),
        Field::Str(text) => text.clone(),
        Field::Bool(truth) => truth.to_string(),
        Field::Long(number) => number.to_string(),
        // JSON's way of writing a number, which CSV has too.
        Field::Double(number) => serde_json::to_string(number).unwrap(),
        other => panic!("a value of no type that is written: {other:?}"),
    }
}

/// Whether a value equals that of CSV: sums, which CSV has to the last digit, as the nearest double.
fn is_cell(field: &Field, text: &str) -> bool {
    match field {
        Field::Double(number) => text.parse::<f64>() == Ok(*number),
        other => cell(other) == text,
    }
}

/// The kind of a value.
fn kind(field: &Field) -> Option<&'static str> {
    match field {
        Field::Null => None,
        Field::Str(_) => Some("text"),
        Field::Bool(_) => Some("truth"),
        Field::Long(_) => Some("integer"),
        Field::Double(_) => Some("real"),
        _ => Some("other"),
    }
}

/// Compares a command's parquet with its CSV, and adds the kinds of the columns.
fn compare(command: &[&str], kinds: &mut BTreeMap<String, &'static str>) {
    let scratch = Scratch::empty();
    let path = scratch.path("r.parquet");
    done(&[command, &["--force", "--output", &path]].concat());
    let (header, rows) = csv_table(&done(&[command, &["--format", "csv"]].concat()));
    let (names, fields) = table(&path);
    assert_eq!(names, header, "{command:?}");
    assert_eq!(fields.len(), rows.len(), "{command:?}");
    for (fields, row) in fields.iter().zip(&rows) {
        for ((name, field), text) in names.iter().zip(fields).zip(row) {
            assert!(is_cell(field, text), "{name} of {command:?} is {field:?}, not {text:?}");
        }
    }
    for row in &fields {
        for (name, kind) in names.iter().zip(row.iter().map(kind)) {
            let Some(kind) = kind else { continue };
            assert_eq!(*kinds.entry(name.clone()).or_insert(kind), kind, "{name} of {command:?}");
        }
    }
}

#[test]
fn parquet_has_the_values_of_csv_for_every_command_and_every_scenario() {
    let mut kinds = BTreeMap::new();
    let commands = ["run", "measure", "check"].into_iter().cycle();
    for (path, command) in super::command::files_in("scenarios", "toml").iter().zip(commands) {
        let smaller: &[&str] = if path == LONGEST { &SMALLER } else { &[] };
        compare(&[&[command, path], smaller].concat(), &mut kinds);
    }
    compare(&["compare", "scenarios/first-comparison.toml"], &mut kinds);
    let expected = [
        ("makespan_cycles", "integer"),
        ("program_dimensions", "integer"),
        ("lower_bound_cycles", "integer"),
        ("longest_queue", "integer"),
        ("totals_waiting_cycles", "real"),
        ("totals_compute_cycles", "real"),
        ("waiting_mean", "real"),
        ("placement_average_distance", "real"),
        ("ratio_to_reference", "real"),
        ("placement_constant_distances", "truth"),
        ("machine_shape", "text"),
        ("execution_phases", "text"),
        ("lower_bound_source", "text"),
    ];
    for (name, kind) in expected {
        assert_eq!(kinds.get(name), Some(&kind), "{name}");
    }
    assert!(!kinds.values().any(|kind| *kind == "other"));
}

#[test]
fn rows_of_processes_are_those_of_csv() {
    let scratch = Scratch::empty();
    let files = ["scenarios/link-modes.toml", "scenarios/figure-4.toml"];
    for name in ["rows.csv", "rows.parquet"] {
        done(&[&["run"], &files[..], &["--force", "--processes", &scratch.path(name)]].concat());
    }
    let (header, rows) = csv_table(&scratch.read("rows.csv"));
    let (names, fields) = table(&scratch.path("rows.parquet"));
    let cells: Vec<Vec<String>> = fields.iter().map(|row| row.iter().map(cell).collect()).collect();
    assert_eq!((names, cells.len()), (header, 24 * 64 * 6 + 2 * 8 * 3));
    assert!(cells == rows);
}

#[test]
fn types_do_not_depend_on_values() {
    let types = |scenario: &str| {
        let scratch = Scratch::empty();
        let path = scratch.path("r.parquet");
        done(&["run", scenario, "--force", "--output", &path]);
        let reader = SerializedFileReader::new(File::open(&path).unwrap()).unwrap();
        let schema = reader.metadata().file_metadata().schema().clone();
        let fields = schema.get_fields().iter();
        let typed = fields.map(|field| {
            let info = field.get_basic_info();
            (
                field.name().to_owned(),
                format!("{:?} {:?}", field.get_physical_type(), info.logical_type_ref()),
            )
        });
        typed.collect::<BTreeMap<String, String>>()
    };
    let (one, other) = (types("scenarios/figure-4.toml"), types("scenarios/neighbour-exchange.toml"));
    let both = one.iter().filter(|(name, _)| other.contains_key(*name));
    assert!(both.clone().count() > 50);
    both.for_each(|(name, kind)| assert_eq!(other[name], *kind, "{name}"));
}

/// A table can hold all values of scenarios, to the last digit.
#[test]
fn the_greatest_integers_of_a_scenario_are_written() {
    let scratch = Scratch::with(&[(
        "s.toml",
        "machine = { kind = \"torus\", shape = [4, 4] }\nprogram.kind = \"cc-cube\"\nmapping.embeddings = [\"xor\"]\n",
    )]);
    let (scenario, path) = (scratch.path("s.toml"), scratch.path("r.parquet"));
    let greatest = i64::MAX.to_string();
    for (key, column) in [
        ("seed", "seed"),
        ("machine.packet_units", "machine_packet_units"),
        ("machine.processors_per_node", "machine_processors_per_node"),
    ] {
        let set = |number: &str| format!("{key}={number}");
        done(&["run", &scenario, "--set", &set(&greatest), "--force", "--output", &path]);
        let (header, rows) = table(&path);
        let place = header.iter().position(|title| title == column).unwrap();
        assert_eq!(rows[0][place], Field::Long(i64::MAX), "{key}");
        let refused =
            run(&["run", &scenario, "--set", &set("9223372036854775808"), "--force", "--output", &path]);
        assert_eq!(refused.code, Some(2));
        assert!(refused.stderr.contains("to 2^63 - 1"), "{}", refused.stderr);
    }
}
