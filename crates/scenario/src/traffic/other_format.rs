//! Traffic matrices in the formats of profilers, partitioners and simulators (`cubefold_formats`).

use std::path::Path;

use cubefold_formats::{
    asked::{Asked, ask},
    format::{FileText, Format, Reading, Recognised, read_as, with_name},
    value::{Entry, Kind, Matrix},
};

use super::{Entries, amount::Amount, plain_matrix::ColumnName, text_file::FileErrors};
use crate::{asked_file, budget::Budget};

/// The matrix of a format that the other readers of this folder do not support.
pub(super) struct Other<'b> {
    pub(super) entries: Entries<'b>,
    pub(super) column: Option<ColumnName>,
    pub(super) note: Option<String>,
}

/// Content recognised by its format.
pub(super) enum Form<'b> {
    /// Dense rows, or an unknown format.
    Dense,
    /// An instance of `QAPLIB`.
    Instance,
    /// Another format, or `None` after an error.
    Other(Option<Other<'b>>),
}

/// Larger texts of plain rows are not compared with all formats \[bytes\].
const MOST: usize = 64 << 20;

/// The form of a text without a current header, as the format `asked` if given.
pub(super) fn form_of<'b>(
    path: &Path,
    text: &str,
    asked: Option<&'static Format>,
    errors: &mut FileErrors<'_>,
    budget: &'b Budget,
) -> Form<'b> {
    let found = match asked {
        Some(format) => match read_as(&FileText::new(text.as_bytes()), format) {
            Recognised::Read(format, reading, _) if reading.content.has(Kind::Matrix) => {
                Asked::Value(format, reading)
            }
            Recognised::Wrong(format, complaints) => Asked::Wrong(format, complaints),
            _ => Asked::Unknown,
        },
        None if is_plain(text) || text.len() > MOST => return Form::Dense,
        None => ask(&path.display().to_string(), text.as_bytes(), Kind::Matrix),
    };
    match found {
        Asked::Value(format, _) | Asked::Wrong(format, _) if format.name == "matrix-dense" => Form::Dense,
        Asked::Value(format, _) | Asked::Wrong(format, _) if format.name == "qaplib" => Form::Instance,
        // One or two rows of three numbers may also be the start of a matrix.
        Asked::Value(format, _) if asked.is_none() && format.name == "matrix-triples" && is_short(text) => {
            Form::Dense
        }
        Asked::Value(_, reading) => {
            Form::Other(reading.content.matrix().and_then(|matrix| other(matrix, &reading, errors, budget)))
        }
        Asked::Wrong(_, complaints) => {
            for complaint in complaints {
                errors.at_number(text, complaint.line.saturating_sub(1), || complaint.message);
            }
            Form::Other(None)
        }
        Asked::Misfit(misfit) if misfit.is_sure => {
            errors.add(asked_file::error_of(path, &misfit));
            Form::Other(None)
        }
        Asked::Misfit(_) | Asked::Unknown => Form::Dense,
    }
}

/// The format named by `form`.
pub(super) fn format_of(name: &str) -> Option<&'static Format> {
    with_name(name)
        .filter(|format| format.holds.iter().any(|kind| matches!(kind, Kind::Matrix | Kind::Trace)))
}

fn is_short(text: &str) -> bool {
    super::text_file::lines(text, '#').take(3).count() < 3
}

/// Whether the first line has more than three numbers: a row of a dense matrix.
fn is_plain(text: &str) -> bool {
    let Some(line) = super::text_file::lines(text, '#').next() else { return true };
    let mut count = 0;
    line.fields().all(|field| {
        count += 1;
        Amount::parse(field.text.as_bytes()).is_ok()
    }) && count > 3
}

fn other<'b>(
    matrix: &Matrix,
    reading: &Reading,
    errors: &mut FileErrors<'_>,
    budget: &'b Budget,
) -> Option<Other<'b>> {
    let mut entries = Entries::new(matrix.size as u64, budget);
    for Entry { source: from, destination: to, amount, .. } in matrix.entries() {
        let Ok(amount) = Amount::of_ratio(amount) else {
            errors.of_entry(|| format!("entry [{from}, {to}] is {amount}, expected less than 2^63"));
            return None;
        };
        entries.add(from as u64, to as u64, amount);
    }
    let column = match matrix.unit {
        "bytes" => Some(ColumnName::Bytes),
        "units" => Some(ColumnName::Units),
        _ => None,
    };
    let mut notes = reading.notes.clone();
    if reading.assumed.contains(&"base-1") {
        notes.push("ranks are counted from 1 in the file, from 0 here".to_owned());
    }
    if let Some(labels) = &matrix.labels {
        let first = labels.first().map_or("", String::as_str);
        notes.push(format!("its {} names are ranks: rank 0 is {first}", labels.len()));
    }
    Some(Other { entries, column, note: (!notes.is_empty()).then(|| notes.join("; ")) })
}
