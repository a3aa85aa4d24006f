//! Tables of plain numbers: dense matrices, triples, lists of weighted edges.

use crate::{
    format::{Complaint, FileText, Format, Likeness, Read, Reader, Reading, wrong},
    input::{Ratio, text::described},
    read::{by_names, ranks::MAX_RANKS},
    value::{Content, Kind, Matrix, Network},
};

pub(super) static DENSE: Format = Format {
    name: "matrix-dense",
    tool: "rows of numbers",
    holds: &[Kind::Matrix],
    is_like: |file| {
        let is_square = |widths: &[usize]| {
            let (rows, columns) = (widths.len(), widths[0]);
            // A sample holds only some of the rows.
            let fits = if file.is_sample() {
                rows <= columns
            } else {
                rows == columns || rows == columns + 1 // with a header, which the reader refuses
            };
            (rows > 1 || file.is_sample() && columns > 3)
                && fits
                && widths.iter().all(|width| *width == columns)
        };
        table_likeness(file, is_square)
    },
    reader: Reader::Reads(read_dense),
};

fn read_dense(file: &FileText<'_>) -> Read {
    let mut matrix = Matrix::new("bytes", 0);
    let (mut count, mut columns) = (0, 0);
    for (line, row) in rows(file) {
        let mut width = 0;
        if has_blank_cell(row) {
            return wrong(line, "a blank cell, expected 0 where there is nothing");
        }
        for word in words(row) {
            let amount = amount(line, word)?;
            if amount != Ratio::ZERO {
                matrix.add(count, width, amount, None);
            }
            width += 1;
        }
        if count > 0 && width != columns {
            return wrong(line, format!("{width} columns, expected {columns} as in the row above"));
        }
        columns = width;
        count += 1;
    }
    if count == columns + 1 {
        let message =
            "expected as many rows as columns, below a header of the numbers 0, 1, 2, .. or of names";
        return wrong(1, format!("{count} rows of {columns} columns, {message}"));
    }
    if count != columns {
        return wrong(0, format!("{count} rows of {columns} columns, expected as many rows as columns"));
    }
    matrix.size = count;
    Ok(Content::Matrix(matrix).into())
}

pub(super) static TRIPLES: Format = Format {
    name: "matrix-triples",
    tool: "rows of source, destination and amount",
    holds: &[Kind::Matrix],
    is_like: |file| table_likeness(file, are_triples),
    reader: Reader::Reads(read_triples),
};

fn read_triples(file: &FileText<'_>) -> Read {
    let mut matrix = Matrix::new("bytes", 0);
    for (line, row) in rows(file) {
        let (ends, word) = triple(line, row)?;
        let [from, to] = ends.map(|end| end as usize);
        if matrix.add(from, to, amount(line, word)?, None) {
            return wrong(line, format!("the pair {from}, {to} a second time, expected it once"));
        }
    }
    Ok(from_either_base(matrix))
}

/// A matrix whose ranks are counted from 0, or exactly 1 to n.
pub(super) fn from_either_base(matrix: Matrix) -> Reading {
    let is_from_1 = matrix.counts_from_1();
    let matrix = if is_from_1 { matrix.counted_from_0() } else { matrix };
    let mut reading = Reading::from(Content::Matrix(matrix));
    if is_from_1 {
        reading.assumed.push("base-1");
    }
    reading
}

pub(super) static WEIGHTED_EDGES: Format = Format {
    name: "weighted-edge-list",
    tool: "rows of two nodes and a weight",
    holds: &[Kind::Network],
    is_like: |file| table_likeness(file, are_triples),
    reader: Reader::Reads(|file| {
        let mut edges: Vec<[u32; 2]> = vec![];
        for (line, row) in rows(file) {
            let (ends, weight) = triple(line, row)?;
            amount(line, weight)?;
            if ends[0] == ends[1] {
                return wrong(line, format!("a link of node {} to itself, expected two nodes", ends[0]));
            }
            edges.push(ends);
        }
        let mut reading = network_of(edges)?;
        reading.notes.push("weights are not used".to_owned());
        Ok(reading)
    }),
};

/// The non-empty rows, without comments: text after `#`, and lines that start with `%`.
pub(super) fn rows<'t>(file: &'t FileText<'_>) -> impl Iterator<Item = (usize, &'t str)> {
    file.lines().filter_map(|(line, row)| Some((line, content_of(row)?)))
}

/// A row without a comment; `None` if nothing is left.
pub(super) fn content_of(row: &str) -> Option<&str> {
    let content = row.split('#').next().unwrap_or_default();
    (!row.starts_with('%') && words(content).next().is_some()).then_some(content)
}

/// The words of a row, separated by commas, semicolons or blanks.
pub(super) fn words(row: &str) -> impl Iterator<Item = &str> {
    row.split([',', ' ', '\t', ';']).filter(|word| !word.is_empty())
}

/// Whether nothing stands before a comma or semicolon.
fn has_blank_cell(row: &str) -> bool {
    let mut cells = row.trim_end_matches([',', ';', ' ', '\t']).split([',', ';']);
    cells.any(|cell| cell.trim().is_empty())
}

pub(super) fn is_number(word: &&str) -> bool {
    word.parse::<f64>().is_ok_and(f64::is_finite)
}

/// Whether a text may be a table of numbers whose row widths satisfy `fits`.
fn table_likeness(file: &FileText<'_>, fits: impl Fn(&[usize]) -> bool) -> Likeness {
    let width = |(_, row)| words(row).all(|word| is_number(&word)).then(|| words(row).count());
    let widths: Option<Vec<usize>> = rows(file).map(width).collect();
    if widths.is_some_and(|widths| !widths.is_empty() && fits(&widths)) {
        Likeness::Maybe
    } else {
        Likeness::No
    }
}

fn are_triples(widths: &[usize]) -> bool {
    widths.iter().all(|width| *width == 3)
}

pub(super) fn amount(line: usize, word: &str) -> Result<Ratio, Vec<Complaint>> {
    Ratio::parse_decimal(word).map_or_else(
        || wrong(line, format!("an entry is {}, expected a number of at least 0", described(word))),
        Ok,
    )
}

/// Parses a row of two numbers below 2^20 and a third word.
fn triple(line: usize, row: &str) -> Result<([u32; 2], &str), Vec<Complaint>> {
    let mut words = words(row);
    let mut end = || words.next()?.parse::<u32>().ok().filter(|number| u64::from(*number) < MAX_RANKS);
    let (Some(from), Some(to)) = (end(), end()) else {
        return wrong(line, "an end is no number below 2^20, expected two integers");
    };
    match (words.next(), words.next()) {
        (Some(word), None) => Ok(([from, to], word)),
        _ => wrong(line, "a row without exactly 3 words, expected a source, a destination and an amount"),
    }
}

/// The network of links between numbered nodes.
fn network_of(edges: Vec<[u32; 2]>) -> Read {
    let greatest = edges.iter().flatten().copied().max().unwrap_or(0) as usize;
    if greatest > 2 * edges.len() + (1 << 16) {
        let count = edges.len();
        return wrong(0, format!("node {greatest} in a list of {count} links, which leave most nodes apart"));
    }
    let mut is_used = vec![false; greatest + 1];
    edges.iter().flatten().for_each(|node| is_used[*node as usize] = true);
    let is_from_1 = !is_used[0] && is_used[1..].iter().all(|used| *used);
    let mut network = Network::default();
    for node in 0..greatest + usize::from(!is_from_1) {
        network.node(&node.to_string(), true);
    }
    network.add_listed(edges.into_iter().map(|ends| ends.map(|end| end as usize - usize::from(is_from_1))));
    let mut reading = by_names(network);
    if is_from_1 {
        reading.assumed.push("base-1");
    }
    Ok(reading)
}
