//! Records as rows of scalars, for CSV.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::Value;

/// The scalars of a record by name, in the record's order.
type FlatRow = Vec<(String, String)>;

/// What has no place in a row: lists of rows of their own.
const LEFT_OUT: [&str; 3] = ["stages", "placement_dilation_spectrum", "placement_distances"];

/// The scalars of a record: nested names joined with `_`, a shape as `8x8`, other lists of scalars
/// separated by spaces, a missing value empty.
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
    row.push((name.to_owned(), cell(name, value)));
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

/// Writes records as rows, one at a time, with the header of the first.
///
/// # Errors
///
/// When writing does.
pub fn write_csv<R: Serialize>(writer: &mut impl Write, records: &[R]) -> io::Result<()> {
    let mut table = csv::Writer::from_writer(writer);
    for (place, record) in records.iter().enumerate() {
        let row = flatten(record)?;
        if place == 0 {
            table.write_record(row.iter().map(|(name, _)| name))?;
        }
        table.write_record(row.iter().map(|(_, cell)| cell))?;
    }
    table.flush()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

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
            ("machine_shape", "8x4"),
            ("machine_wrap", "true false"),
            ("program_stages", "0 1 2"),
            ("bound", ""),
            ("placement_dilation_max", "2"),
        ];
        assert_eq!(row, expected.map(|(name, cell)| (name.to_owned(), cell.to_owned())));
    }
}
