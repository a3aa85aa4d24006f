//! Traffic files of Matrix Market (Boisvert, Pozo & Remington 1996): coordinates or an array of integers, reals
//! or, of coordinates, a pattern; general or symmetric.

use super::{
    amount::Amount,
    entries::Entries,
    text_file::{Field, FileErrors, Line, lines},
};
use crate::{budget::Budget, stages_file::MAX_PROCESSES};

/// The format that the first line declares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Header {
    is_array: bool,
    is_pattern: bool,
    is_symmetric: bool,
}

pub(super) fn read<'b>(text: &str, errors: &mut FileErrors<'_>, budget: &'b Budget) -> Entries<'b> {
    let none = || Entries::new(0, budget);
    let Some(header) = text.lines().next().and_then(|text| header(Line { number: 0, text }, errors)) else {
        return none();
    };
    let mut lines = lines(text, '%');
    let Some(size) = lines.next() else {
        errors.of_file("no size, expected a line with the numbers of rows, columns and entries");
        return none();
    };
    let Some((rows, announced)) = read_size(size, header, errors) else { return none() };
    let mut entries = if header.is_array { none() } else { Entries::listed(budget) };
    entries.rows = rows;
    let found = if header.is_array {
        read_array(lines, header, &mut entries, errors)
    } else {
        read_coordinates(lines, header, &mut entries, errors)
    };
    if found != announced {
        let what = if header.is_array { "numbers" } else { "entries" };
        let said = if header.is_array { "as many as the matrix has" } else { "as many as announced" };
        errors.at_line(size, || format!("{found} {what}, expected {announced}, {said}"));
    }
    entries.check_pairs(text, errors);
    entries
}

fn header(line: Line<'_>, errors: &mut FileErrors<'_>) -> Option<Header> {
    let words: Vec<String> =
        line.text.split_ascii_whitespace().skip(1).map(str::to_ascii_lowercase).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let known = match words[..] {
        [
            "matrix",
            form @ ("coordinate" | "array"),
            numbers @ ("integer" | "real" | "pattern"),
            symmetry @ ("general" | "symmetric"),
        ] => Some(Header {
            is_array: form == "array",
            is_pattern: numbers == "pattern",
            is_symmetric: symmetry == "symmetric",
        }),
        _ => None,
    };
    let known = known.filter(|header| !(header.is_array && header.is_pattern));
    if known.is_none() {
        errors.at_line(line, || {
            format!(
                "a Matrix Market file of {:?}, expected matrix coordinate or array, integer, real or pattern, general or symmetric",
                words.join(" ")
            )
        });
    }
    known
}

/// Reads the line of sizes: the number of rows, and of entries that follow.
fn read_size(line: Line<'_>, header: Header, errors: &mut FileErrors<'_>) -> Option<(u64, u64)> {
    let fields: Vec<Field<'_>> = line.fields().collect();
    let expected = if header.is_array { 2 } else { 3 };
    if fields.len() != expected {
        errors.at_line(line, || {
            let names = if header.is_array { "rows and columns" } else { "rows, columns and entries" };
            format!("{} numbers, expected {expected}: {names}", fields.len())
        });
        return None;
    }
    let rows = errors.integer(fields[0], "the number of rows", 1..MAX_PROCESSES + 1)?;
    let columns = errors.integer(fields[1], "the number of columns", 1..u64::MAX)?;
    if rows != columns {
        errors.at_line(line, || {
            format!("{columns} columns in a matrix of {rows} rows, expected as many as rows")
        });
        return None;
    }
    let announced = match fields.get(2) {
        Some(&field) => errors.integer(field, "the number of entries", 0..u64::MAX)?,
        None if header.is_symmetric => rows * (rows + 1) / 2,
        None => rows * rows,
    };
    Some((rows, announced))
}

/// Reads entries with their coordinates, counted from 1; returns their number.
fn read_coordinates<'t>(
    lines: impl Iterator<Item = Line<'t>>,
    header: Header,
    entries: &mut Entries,
    errors: &mut FileErrors<'_>,
) -> u64 {
    let mut found = 0;
    for line in lines {
        found += 1;
        let mut fields = line.text.split_ascii_whitespace().map(|text| Field { line, text });
        let (row, column) = (fields.next(), fields.next());
        let amount = if header.is_pattern { None } else { fields.next() };
        let is_whole = column.is_some() && amount.is_some() != header.is_pattern;
        let (Some(row), Some(column), true, None) = (row, column, is_whole, fields.next()) else {
            let expected = if header.is_pattern { 2 } else { 3 };
            let count = line.text.split_ascii_whitespace().count();
            errors.at_line(line, || format!("{count} fields, expected {expected}"));
            continue;
        };
        let range = 1..entries.rows + 1;
        let row = errors.integer(row, "row", range.clone());
        let column = errors.integer(column, "column", range);
        let amount = match amount {
            Some(field) => errors.amount(field, "an entry"),
            None => Some(Amount::Whole(1)),
        };
        let (Some(row), Some(column)) = (row, column) else { continue };
        entries.add_listed(row - 1, column - 1, amount, line);
        if header.is_symmetric && row != column {
            entries.add_listed(column - 1, row - 1, amount, line);
        }
    }
    found
}

/// Reads the numbers of a matrix, column by column, of a symmetric one from the diagonal on; returns their number.
fn read_array<'t>(
    lines: impl Iterator<Item = Line<'t>>,
    header: Header,
    entries: &mut Entries,
    errors: &mut FileErrors<'_>,
) -> u64 {
    let (rows, mut found) = (entries.rows, 0);
    let (mut row, mut column) = (0, 0);
    for field in lines.flat_map(Line::fields) {
        found += 1;
        let amount = errors.amount(field, "an entry");
        if column == rows {
            continue;
        }
        entries.add(row, column, amount);
        if header.is_symmetric && row != column {
            entries.add(column, row, amount);
        }
        row += 1;
        if row == rows {
            column += 1;
            row = if header.is_symmetric { column } else { 0 };
        }
    }
    found
}
