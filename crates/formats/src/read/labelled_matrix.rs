//! Matrices with labels, as pandas and spreadsheets write and print them.
//!
//! Labels stand above the columns, and mostly also before the rows. A first row of the numbers 0 to n-1 or 1 to n over n
//! rows of n numbers is a header, which a note says; of 3 numbers only where the diagonal is 0, since rows of 3 numbers
//! may also be pairs with amounts.

use std::collections::BTreeSet;

use crate::{
    format::{Complaint, FileText, Format, Likeness, Read, Reader, Reading, wrong},
    input::{Ratio, text::described},
    read::{
        matrices::{cells, separator},
        numbers::is_number,
    },
    value::{Content, Kind, Matrix},
};

pub(super) static LABELLED_MATRIX: Format = Format {
    name: "labelled-matrix",
    tool: "pandas and spreadsheets: a matrix with labels",
    holds: &[Kind::Matrix],
    is_like: |file| {
        if incomplete(file).is_some() {
            return Likeness::Sure;
        }
        let mut rows = file.rows().map(|(_, row)| row);
        let Some(header) = rows.next() else { return Likeness::No };
        let delimiter = separator(header);
        let labels = cells(header, delimiter);
        let rows: Vec<Vec<&str>> = rows.map(|row| cells(row, delimiter)).collect();
        Likeness::from(has_row_labels(&labels, &rows, file.is_sample())).max(headed(&labels, &rows))
    },
    reader: Reader::Reads(read_labelled),
};

/// Whether the first cells of the rows are the labels of the header.
fn has_row_labels(labels: &[&str], rows: &[Vec<&str>], is_sample: bool) -> bool {
    let labels = if labels.first().is_some_and(|label| label.is_empty()) { &labels[1..] } else { labels };
    let firsts: Vec<&str> = rows.iter().filter_map(|row| row.first().copied()).collect();
    // A sample has the first and the last rows.
    let are_firsts = |labels: &[&str]| {
        if is_sample {
            labels.len() > firsts.len() && labels.first() == firsts.first() && labels.last() == firsts.last()
        } else {
            labels == firsts
        }
    };
    let has_corner = labels.len() > 1 && labels[0].parse::<f64>().is_err() && are_firsts(&labels[1..]);
    if !has_corner && is_blank_diagonal(labels, rows) {
        return false;
    }
    let width = if has_corner { labels.len() } else { labels.len() + 1 };
    let is_wider = rows.first().is_some_and(|row| row.len() == width);
    firsts.len() > 1 && is_wider && (has_corner || are_firsts(labels))
}

/// Whether labels are amounts, and the empty cells of the diagonal their zeros: a symmetric matrix begins every row with a
/// number of the first one.
fn is_blank_diagonal(labels: &[&str], rows: &[Vec<&str>]) -> bool {
    let are_amounts =
        labels.iter().all(|label| label.is_empty() || is_number(label)) && !are_numbered(labels);
    are_amounts
        && rows.iter().enumerate().all(|(row, cells)| cells.get(row + 1).is_some_and(|cell| cell.is_empty()))
}

/// How much the first row looks like a header over rows of numbers without labels.
fn headed(labels: &[&str], rows: &[Vec<&str>]) -> Likeness {
    let count = labels.len();
    let is_square = rows.len() == count && rows.iter().all(|row| row.len() == count);
    if count < 3 || !is_square || !rows.iter().flatten().all(is_number) {
        return Likeness::No;
    }
    let are_names = !labels.iter().any(|label| label.is_empty() || is_number(label));
    let is_empty_diagonal = (0..count).all(|rank| rows[rank][rank].parse() == Ok(0.0));
    match (are_names, are_numbered(labels)) {
        // Other tables have names of columns, too: those of placements begin with the process.
        (true, _) if labels[0] != "process" && labels.iter().collect::<BTreeSet<_>>().len() == count => {
            Likeness::Maybe
        }
        (_, true) if is_empty_diagonal && count > 3 => Likeness::Sure,
        (_, true) if is_empty_diagonal || count > 3 => Likeness::Maybe,
        _ => Likeness::No,
    }
}

/// Whether labels are the numbers 0 to n-1, or 1 to n.
fn are_numbered(labels: &[&str]) -> bool {
    (0..2).any(|base| labels.iter().zip(base..).all(|(label, rank): (_, u32)| label.parse() == Ok(rank)))
}

/// The error of a frame that pandas printed in part, or in blocks of columns.
fn incomplete(file: &FileText<'_>) -> Option<&'static str> {
    let header = file.text.lines().next()?;
    let is_frame = header.starts_with(' ') && !header.trim().is_empty();
    let has_gap = |(_, row): (usize, &str)| row.split_whitespace().any(|word| word == "...");
    if is_frame && header.trim_end().ends_with('\\') {
        return Some(
            "the print is broken into blocks of columns, expected one: to_csv writes a file with all",
        );
    }
    (is_frame && file.rows().any(has_gap))
        .then_some("the print leaves values out, expected all of them: to_csv writes a file with all")
}

fn read_labelled(file: &FileText<'_>) -> Read {
    if let Some(message) = incomplete(file) {
        return wrong(1, message);
    }
    let mut rows = file.rows();
    let Some((_, header)) = rows.next() else { return wrong(0, "an empty file") };
    let delimiter = separator(header);
    let mut rows: Vec<(usize, Vec<&str>)> = rows.map(|(line, row)| (line, cells(row, delimiter))).collect();
    let header = cells(header, delimiter);
    let cells: Vec<Vec<&str>> = rows.iter().map(|(_, row)| row.clone()).collect();
    let is_headed = headed(&header, &cells) > Likeness::No;
    if is_headed {
        rows.iter_mut().zip(&header).for_each(|((_, row), label)| row.insert(0, label));
    }
    let labels: Vec<String> = rows.iter().map(|(_, row)| row[0].to_owned()).collect();
    let mut matrix = Matrix::new("bytes", labels.len());
    for (source, (line, row)) in rows.iter().enumerate() {
        add_row(&mut matrix, source, *line, &row[1..])?;
    }
    let is_plain = ["", "Rank ", "Process "]
        .iter()
        .any(|word| labels.iter().enumerate().all(|(place, label)| *label == format!("{word}{place}")));
    matrix.labels = (!is_plain).then_some(labels);
    let mut reading = Reading::from(Content::Matrix(matrix));
    if is_headed && are_numbered(&header) {
        let (first, last) = (header[0], header[header.len() - 1]);
        reading.notes.push(format!("the first row, {first} to {last}, is taken for a header"));
    }
    Ok(reading)
}

fn add_row(matrix: &mut Matrix, source: usize, line: usize, row: &[&str]) -> Result<(), Vec<Complaint>> {
    if row.len() != matrix.size {
        return wrong(line, format!("{} columns, expected {}", row.len() + 1, matrix.size + 1));
    }
    for (destination, cell) in row.iter().enumerate() {
        let amount = if cell.is_empty() { Some(Ratio::ZERO) } else { Ratio::parse_decimal(cell) };
        let Some(amount) = amount else {
            return wrong(line, format!("an entry is {}, expected a number of at least 0", described(cell)));
        };
        matrix.add(source, destination, amount, None);
    }
    Ok(())
}
