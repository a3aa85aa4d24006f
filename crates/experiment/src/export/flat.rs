//! Records as rows of scalars, for CSV and parquet.

use std::{
    collections::BTreeMap,
    io::{self, Write},
};

use serde::Serialize;
use serde_json::Value;

/// The scalars of a record by name, in the record's order; none where a value is missing.
pub(super) type FlatRow = Vec<(String, Option<String>)>;

/// What has no place in a row: lists of rows of their own.
const LEFT_OUT: [&str; 3] = ["stages", "placement_dilation_spectrum", "placement_distances"];

/// The scalars of a record: nested names joined with `_`, a shape as `8x8`, other lists of scalars
/// separated by spaces.
///
/// # Errors
///
/// When the record cannot be serialized.
pub(super) fn flatten<R: Serialize>(record: &R) -> io::Result<FlatRow> {
    let mut row = vec![];
    add("", &serde_json::to_value(record)?, &mut row);
    Ok(row)
}

fn add(name: &str, value: &Value, row: &mut FlatRow) {
    if LEFT_OUT.contains(&name) {
        return;
    }
    if let Value::Object(members) = value {
        for (key, member) in members {
            let nested = if name.is_empty() { key.clone() } else { format!("{name}_{key}") };
            add(&nested, member, row);
        }
        return;
    }
    row.push((name.to_owned(), (!value.is_null()).then(|| cell(name, value))));
}

fn cell(name: &str, value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(items) => {
            let separator = if name.ends_with("shape") { "x" } else { " " };
            let items: Vec<String> = items.iter().map(|item| cell("", item)).collect();
            items.join(separator)
        }
        Value::Bool(_) | Value::Number(_) | Value::Object(_) => value.to_string(),
    }
}

/// Writes records as rows, one at a time, under the names of all of them: programs and machines of several
/// kinds have keys of their own, and what a record has not is empty. The records are gone through twice.
///
/// # Errors
///
/// When reading a record or writing does.
pub fn write_csv<R: Serialize, I: Iterator<Item = io::Result<R>>>(
    writer: &mut impl Write,
    records: impl Fn() -> I,
) -> io::Result<()> {
    let header = header(records())?;
    let mut table = csv::Writer::from_writer(writer);
    table.write_record(&header)?;
    for record in records() {
        let row: BTreeMap<String, Option<String>> = flatten(&record?)?.into_iter().collect();
        let cell = |name| row.get(name).and_then(Option::as_deref).unwrap_or_default();
        table.write_record(header.iter().map(cell))?;
    }
    table.flush()
}

/// The names of all records, each once, in the order of the first record that has it: behind the name that it
/// follows there.
pub(super) fn header<R: Serialize>(records: impl Iterator<Item = io::Result<R>>) -> io::Result<Vec<String>> {
    let mut header: Vec<String> = vec![];
    for record in records {
        let mut place = 0;
        for (name, _) in flatten(&record?)? {
            let known = header.iter().position(|known| *known == name);
            if known.is_none() {
                header.insert(place, name);
            }
            place = known.unwrap_or(place) + 1;
        }
    }
    Ok(header)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn records_with_other_keys_share_a_header() {
        let records = [
            json!({ "a": 1, "program": { "kind": "cc-cube" }, "z": 2 }),
            json!({ "a": 3, "program": { "kind": "neighbour-exchange", "sets": 5 }, "z": 4 }),
        ];
        let mut text = vec![];
        write_csv(&mut text, || records.iter().map(Ok)).unwrap();
        assert_eq!(
            String::from_utf8(text).unwrap(),
            "a,program_kind,program_sets,z\n1,cc-cube,,2\n3,neighbour-exchange,5,4\n"
        );
    }

    #[test]
    fn nested_names_are_joined_and_lists_of_rows_left_out() {
        let record = json!({
            "machine": { "shape": [8, 4], "wrap": [true, false] },
            "program": { "stages": [0, 1, 2] },
            "bound": null,
            "stages": [{ "stage": 0 }],
            "placement": { "dilation": { "max": 2, "spectrum": { "1": 4 } } },
        });
        let row = flatten(&record).unwrap();
        let expected = [
            ("machine_shape", Some("8x4")),
            ("machine_wrap", Some("true false")),
            ("program_stages", Some("0 1 2")),
            ("bound", None),
            ("placement_dilation_max", Some("2")),
        ];
        assert_eq!(row, expected.map(|(name, cell)| (name.to_owned(), cell.map(str::to_owned))));
    }
}
