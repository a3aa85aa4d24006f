//! Reads written results back as rows of scalars.

use std::{
    collections::BTreeMap,
    io,
    panic::{self, AssertUnwindSafe},
    path::Path,
    sync::{Mutex, PoisonError},
};

use cubefold_formats::input::input_file;
use parquet::{
    errors::ParquetError,
    file::reader::{FileReader, SerializedFileReader},
    record::Field,
};
use serde_json::Value;

use crate::definition::{Definition, Kind};

/// Results that cannot be read back.
#[derive(Debug, thiserror::Error)]
pub enum ReadResultsError {
    /// The file cannot be read.
    #[error("{path} cannot be read: {reason}")]
    Unreadable {
        /// The file.
        path: String,
        /// The reason of the operating system or the format.
        reason: String,
    },
    /// The extension of the file is unknown.
    #[error("{path} is not a results file, expected one that ends in .csv, .json, .jsonl or .parquet")]
    UnknownFormat {
        /// The file.
        path: String,
    },
    /// The document holds something else.
    #[error("{path} holds no runs, expected a document of the format cubefold-results")]
    NoResults {
        /// The file.
        path: String,
    },
}

/// Reads the output of [`write_csv`](super::write_csv), [`write_document`](super::write_document),
/// [`write_lines`](super::write_lines) or [`write_parquet`](super::write_parquet), by the extension of the
/// file: the names of the columns, and the rows as text. Missing values are empty.
///
/// # Errors
///
/// If the file cannot be read, or has another format.
pub fn read_flat(path: &Path) -> Result<(Vec<String>, Vec<Vec<String>>), ReadResultsError> {
    let shown = || path.display().to_string();
    let unreadable = |reason: String| ReadResultsError::Unreadable { path: shown(), reason };
    let extension = path.extension().unwrap_or_default().to_string_lossy();
    match &*extension {
        "csv" => {
            check_file(path).and_then(|()| read_csv(path)).map_err(|error| unreadable(error.to_string()))
        }
        "jsonl" => {
            let text = read_text(path).map_err(|error| unreadable(error.to_string()))?;
            let lines = text.lines().map(serde_json::from_str).collect::<Result<Vec<Value>, _>>();
            let mut lines = lines.map_err(|error| unreadable(error.to_string()))?;
            // The version belongs to the format and is not a member of a record.
            for members in lines.iter_mut().filter_map(Value::as_object_mut) {
                members.shift_remove("version");
            }
            Ok(rows_of_json(&lines))
        }
        "json" => {
            let text = read_text(path).map_err(|error| unreadable(error.to_string()))?;
            let document: Value =
                serde_json::from_str(&text).map_err(|error| unreadable(error.to_string()))?;
            let runs = document.get("runs").and_then(Value::as_array);
            let runs = runs.ok_or_else(|| ReadResultsError::NoResults { path: shown() })?;
            Ok(rows_of_json(runs))
        }
        "parquet" => check_file(path)
            .and_then(|()| without_panic(|| read_parquet(path)))
            .map_err(|error| unreadable(error.to_string())),
        _ => Err(ReadResultsError::UnknownFormat { path: shown() }),
    }
}

fn read_csv(path: &Path) -> Result<(Vec<String>, Vec<Vec<String>>), io::Error> {
    let mut reader = csv::Reader::from_path(path)?;
    let columns = reader.headers()?.iter().map(str::to_owned).collect();
    let row = |record: Result<csv::StringRecord, csv::Error>| {
        Ok(record?.iter().map(str::to_owned).collect::<Vec<String>>())
    };
    let rows = reader.records().map(row).collect::<Result<Vec<_>, csv::Error>>()?;
    Ok((columns, rows))
}

/// Types of the columns, by name.
type Kinds = BTreeMap<&'static str, Kind>;

/// The rows of JSON records, under the names of all of them. A name that first appears in a later record
/// follows its predecessor there.
pub(super) fn rows_of_json(records: &[Value]) -> (Vec<String>, Vec<Vec<String>>) {
    let kinds: Kinds = Definition::all().map(|definition| (definition.name, definition.kind)).collect();
    let (mut columns, mut rows): (Vec<String>, Vec<Vec<(String, String)>>) = (vec![], vec![]);
    for record in records {
        let (mut row, mut next) = (vec![], 0);
        flatten("", record, &kinds, &mut row);
        for (name, _) in &row {
            let known = columns.iter().position(|known| known == name);
            if known.is_none() {
                columns.insert(next, name.clone());
            }
            next = known.unwrap_or(next) + 1;
        }
        rows.push(row);
    }
    let cell = |row: &[(String, String)], name: &String| {
        row.iter().find(|(known, _)| known == name).map(|(_, cell)| cell.clone()).unwrap_or_default()
    };
    let cells = rows.iter().map(|row| columns.iter().map(|name| cell(row, name)).collect()).collect();
    (columns, cells)
}

/// Adds the scalars of a JSON value, with nested names joined by `_`. Lists of objects and other members
/// without columns are left out.
fn flatten(name: &str, value: &Value, kinds: &Kinds, row: &mut Vec<(String, String)>) {
    let kind = kinds.get(name).copied();
    match value {
        _ if kind == Some(Kind::Term) => {}
        Value::Object(members) => {
            for (key, member) in members {
                let nested = if name.is_empty() { key.clone() } else { format!("{name}_{key}") };
                flatten(&nested, member, kinds, row);
            }
        }
        // Sentences and records are no cells.
        Value::Array(items) if name == "notes" || items.iter().any(Value::is_object) => {}
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(scalar).collect();
            let separator = if kind == Some(Kind::Shape) { "x" } else { " " };
            row.push((name.to_owned(), items.join(separator)));
        }
        scalar_value => row.push((name.to_owned(), scalar(scalar_value))),
    }
}

fn scalar(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// Refuses anything but a regular file.
fn check_file(path: &Path) -> io::Result<()> {
    Ok(input_file::open(path).map(drop)?)
}

fn read_text(path: &Path) -> io::Result<String> {
    let bytes = input_file::read(path, input_file::MAX_BYTES)?;
    String::from_utf8(bytes).map_err(io::Error::other)
}

/// Turns a panic of a library on a damaged file into an error.
fn without_panic<T>(does: impl FnOnce() -> Result<T, ParquetError>) -> io::Result<T> {
    // The panic hook is global: only one thread may change it at a time.
    static HOOK: Mutex<()> = Mutex::new(());
    let turn = HOOK.lock().unwrap_or_else(PoisonError::into_inner);
    let usual = panic::take_hook();
    panic::set_hook(Box::new(|_| {}));
    let done = panic::catch_unwind(AssertUnwindSafe(does));
    panic::set_hook(usual);
    drop(turn);
    done.map_err(|_| io::Error::other("the file is damaged"))?.map_err(io::Error::other)
}

fn read_parquet(path: &Path) -> Result<(Vec<String>, Vec<Vec<String>>), ParquetError> {
    let reader = SerializedFileReader::try_from(path)?;
    let (mut columns, mut rows) = (vec![], vec![]);
    for row in reader.get_row_iter(None)? {
        let row = row?;
        if columns.is_empty() {
            columns = row.get_column_iter().map(|(name, _)| name.clone()).collect();
        }
        rows.push(row.get_column_iter().map(|(_, field)| text(field)).collect());
    }
    Ok((columns, rows))
}

fn text(field: &Field) -> String {
    match field {
        Field::Null => String::new(),
        Field::Str(text) => text.clone(),
        // Sums are whole numbers.
        Field::Double(number) if number.fract() == 0.0 => format!("{number:.0}"),
        other => other.to_string(),
    }
}
