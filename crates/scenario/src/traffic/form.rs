//! The form of a matrix file, recognised by its content (`cubefold_formats`).
//!
//! `NumPy` arrays, Matrix Market, `QAPLIB`'s instances and dense rows, which are the largest files, are read here with every
//! error at its place; every other format yields the matrix of its reader.

use std::path::Path;

use cubefold_formats::{
    asked::{Asked, ask_in},
    format::{Format, Reading, Recognised, Recogniser, read_as, with_name},
    read::{FIRST_MENTION, FORMATS},
    value::{Entry, Kind, Matrix},
};

use super::{
    amount::Amount,
    entries::Entries,
    text_file::{FileErrors, lines},
};
use crate::{
    asked_file,
    budget::{Budget, OverBudget},
    errors::all_of,
};

/// The memory that readers of other formats take per character of a file, at most \[bytes\].
const BYTES_A_CHARACTER: u64 = 16;

/// The matrix of a format that the other readers of this folder do not support.
pub(super) struct Other<'b> {
    pub(super) entries: Entries<'b>,
    pub(super) unit: &'static str,
    pub(super) note: Option<String>,
    pub(super) is_from_1: bool,
}

/// The reader of a matrix file.
pub(super) enum Form<'b> {
    Array,
    Market,
    Instance,
    /// Of dense rows, or of a file that looks like no format.
    Dense,
    /// Of another format: its matrix, or `None` after an error.
    Other(Option<Other<'b>>),
}

/// The form of a file, as the format `asked` if given.
pub(super) fn form_of<'b>(
    path: &Path,
    file: &mut Recogniser<'_>,
    asked: Option<&'static Format>,
    errors: &mut FileErrors<'_>,
    budget: &'b Budget,
) -> Result<Form<'b>, OverBudget> {
    // Readers of other formats keep their rows until all are read.
    let take =
        |file: &Recogniser<'_>| budget.take_for_a_while(file.file.text.len() as u64 * BYTES_A_CHARACTER, 0);
    let found = if let Some(format) = asked {
        if let Some(plain) = plain(format) {
            return Ok(plain);
        }
        take(file)?;
        read_matrix(file, format)
    } else {
        let likely = file.likely(None);
        let matrices: Vec<_> = likely.iter().filter(|format| format.holds.contains(&Kind::Matrix)).collect();
        if let [only] = matrices[..]
            && let Some(plain) = plain(only)
        {
            return Ok(plain);
        }
        take(file)?;
        ask_in(&path.display().to_string(), file, Kind::Matrix)
    };
    let others = match &found {
        Asked::Value(format, _) if asked.is_none() => other_names(file, format),
        _ => vec![],
    };
    let text = &file.file.text;
    Ok(match found {
        // One or two rows of three numbers may also be the start of a matrix.
        Asked::Value(format, _) if asked.is_none() && format.name == "matrix-triples" && is_short(text) => {
            Form::Dense
        }
        Asked::Value(format, reading) => plain(format).unwrap_or_else(|| {
            let matrix = reading.content.matrix();
            Form::Other(matrix.and_then(|matrix| other(matrix, (format, &reading), &others, errors, budget)))
        }),
        Asked::Wrong(format, complaints) => plain(format).unwrap_or_else(|| {
            for complaint in complaints {
                errors.at_number(text, complaint.line.saturating_sub(1), || complaint.message);
            }
            Form::Other(None)
        }),
        Asked::Misfit(misfit) if misfit.is_sure => {
            errors.add(asked_file::error_of(path, &misfit));
            Form::Other(None)
        }
        Asked::Unknown if text.is_empty() && !file.file.bytes.is_empty() => {
            errors.of_file("neither a NumPy array nor a text");
            Form::Other(None)
        }
        Asked::Misfit(_) | Asked::Unknown if begins_with_size(text) => Form::Instance,
        Asked::Misfit(_) | Asked::Unknown => Form::Dense,
    })
}

/// The matrix of a file in a format.
fn read_matrix(file: &Recogniser<'_>, format: &'static Format) -> Asked {
    match read_as(file.file.bytes, format) {
        Recognised::Read(format, reading, _) if reading.content.has(Kind::Matrix) => {
            Asked::Value(format, reading)
        }
        Recognised::Wrong(format, complaints) => Asked::Wrong(format, complaints),
        _ => Asked::Unknown,
    }
}

/// Whether a text begins with a number alone, followed by longer rows: an instance with too few or too many numbers.
fn begins_with_size(text: &str) -> bool {
    let mut widths = lines(text, '#').map(|line| line.fields().count());
    widths.next() == Some(1) && widths.next().is_some_and(|width| width > 1)
}

/// The reader of this folder for a format.
fn plain<'b>(format: &Format) -> Option<Form<'b>> {
    match format.name {
        "npy" => Some(Form::Array),
        "matrix-market" => Some(Form::Market),
        "qaplib" => Some(Form::Instance),
        "matrix-dense" => Some(Form::Dense),
        _ => None,
    }
}

/// The format named by `form`.
pub(super) fn format_of(name: &str) -> Option<&'static Format> {
    with_name(name)
        .filter(|format| format.holds.iter().any(|kind| matches!(kind, Kind::Matrix | Kind::Trace)))
}

/// The names of all formats that are likeliest a matrix.
pub(super) fn matrix_formats() -> Vec<&'static str> {
    let is_matrix = |format: &&&Format| format.holds[0] == Kind::Matrix;
    FORMATS.iter().filter(is_matrix).map(|format| format.name).collect()
}

fn is_short(text: &str) -> bool {
    lines(text, '#').take(3).count() < 3
}

/// The other formats of matrices that a file could be.
fn other_names(file: &mut Recogniser<'_>, taken: &Format) -> Vec<&'static str> {
    let Recognised::Read(_, _, all) = file.recognise(Some(Kind::Matrix)) else { return vec![] };
    all.iter().map(|format| format.name).filter(|name| *name != taken.name).collect()
}

/// The rank of each name, if the names are one word with the numbers 0 to n-1, or 1 to n, in another order: tables that
/// sort their labels as text put `rank10` before `rank2`.
fn numbers_of_names(names: &[String]) -> Option<Vec<usize>> {
    let split = |name: &'_ str| name.trim_end_matches(|sign: char| sign.is_ascii_digit()).len();
    let word = names.first().map(|name| &name[..split(name)])?;
    let number = |name: &String| name.strip_prefix(word)?.parse::<usize>().ok();
    let numbers: Vec<usize> = names.iter().map(number).collect::<Option<_>>()?;
    let base = *numbers.iter().min()?;
    let ranks: Vec<usize> = numbers.into_iter().map(|number| number - base).collect();
    let mut sorted = ranks.clone();
    sorted.sort_unstable();
    let is_all = base <= 1 && sorted.into_iter().eq(0..names.len());
    (is_all && !ranks.is_sorted()).then_some(ranks)
}

fn other<'b>(
    matrix: &Matrix,
    (format, reading): (&Format, &Reading),
    others: &[&str],
    errors: &mut FileErrors<'_>,
    budget: &'b Budget,
) -> Option<Other<'b>> {
    let numbers = matrix.labels.as_deref().and_then(numbers_of_names);
    let rank = |place: usize| numbers.as_deref().map_or(place, |numbers| numbers[place]) as u64;
    let mut entries = Entries::new(matrix.size as u64, budget);
    for Entry { source: from, destination: to, amount, .. } in matrix.entries() {
        let Ok(amount) = Amount::of_ratio(amount) else {
            errors.of_entry(|| format!("entry [{from}, {to}] is {amount}, expected less than 2^63"));
            return None;
        };
        entries.add(rank(from), rank(to), amount);
    }
    let mut notes = reading.notes.clone();
    notes.retain(|note| numbers.is_none() || note != FIRST_MENTION);
    if let Some(labels) = &matrix.labels {
        let place = (0..labels.len()).find(|&place| rank(place) == 0).unwrap_or_default();
        let first = labels.get(place).map_or("", String::as_str);
        let order = if numbers.is_some() { " in the order of their numbers" } else { "" };
        notes.push(format!("its {} names are ranks{order}: rank 0 is {first}", labels.len()));
    }
    if let [first, ..] = others {
        let all = all_of(others);
        notes.push(format!("read as {}, could also be {all}: form = {first:?} chooses", format.name));
    }
    // Bare numbers have no unit.
    let is_bare = ["bracketed-matrix", "labelled-matrix", "matrix-triples"].contains(&format.name);
    let unit = if is_bare { "" } else { matrix.unit };
    let is_from_1 = reading.assumed.contains(&"base-1");
    Some(Other { entries, unit, note: (!notes.is_empty()).then(|| notes.join("; ")), is_from_1 })
}
