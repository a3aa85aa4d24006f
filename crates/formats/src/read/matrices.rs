//! Tables with headers, and matrices as printed by programs.

use indexmap::IndexSet;

use crate::{
    format::{Complaint, FileText, Format, Read, Reader, Reading, wrong},
    input::{Ratio, diagnostic::MAX_REPORTED, text::described},
    read::{
        numbers::{from_either_base, is_number},
        ranks::MAX_RANKS,
    },
    value::{Content, Kind, Matrix},
};

const HOLDS: &[Kind] = &[Kind::Matrix];

pub(super) static HTSIM_CONNECTIONS: Format = Format {
    name: "htsim-connections",
    tool: "htsim, a matrix of connections (*.cm)",
    holds: HOLDS,
    is_like: |file| {
        let mut rows = file.rows().map(|(_, row)| row);
        let begins = |row: Option<&str>, word| row.is_some_and(|row| row.starts_with(word));
        (begins(rows.next(), "Nodes ") && begins(rows.next(), "Connections ")).into()
    },
    reader: Reader::Reads(read_htsim),
};

pub(super) static PAIR_TABLE: Format = Format {
    name: "pair-table",
    tool: "scripts: a table of pairs with a header",
    holds: HOLDS,
    is_like: |file| pair_columns(file).is_some().into(),
    reader: Reader::Reads(read_pairs),
};

pub(super) static BRACKETED_MATRIX: Format = Format {
    name: "bracketed-matrix",
    tool: "NumPy's print, JSON",
    holds: HOLDS,
    is_like: |file| {
        let head: String =
            bracketed(&file.text).chars().filter(|sign| !sign.is_whitespace()).take(5).collect();
        let inner = head.strip_prefix("[[").unwrap_or_default();
        let is_number = inner.starts_with(|sign: char| sign.is_ascii_digit() || "-+.".contains(sign));
        (is_number || inner == "nan" || inner == "inf").into()
    },
    reader: Reader::Reads(read_bracketed),
};

/// Parses a rank or node number below 2^20.
pub(super) fn rank(word: &str) -> Option<usize> {
    word.trim()
        .parse::<u64>()
        .ok()
        .filter(|number| *number < MAX_RANKS)
        .and_then(|number| usize::try_from(number).ok())
}

/// A rank, also as pandas writes it in columns with gaps: `3.0`.
fn whole_rank(word: &str) -> Option<usize> {
    let is_zeros = |part: &str| part.bytes().all(|digit| digit == b'0');
    rank(word.split_once('.').filter(|(_, after)| is_zeros(after)).map_or(word, |(before, _)| before))
}

fn read_htsim(file: &FileText<'_>) -> Read {
    let mut matrix = Matrix::new("bytes", 0);
    let (mut announced, mut found) = (0, 0);
    for (line, text) in file.rows() {
        let words: Vec<&str> = text.split_whitespace().collect();
        match words[..] {
            ["Nodes", count] => match rank(count) {
                Some(count) => matrix.size = count,
                None => return wrong(line, format!("Nodes {}, expected an integer", described(count))),
            },
            ["Connections", count] => announced = count.parse().unwrap_or(0),
            _ => {
                let Some((source, destination)) = words[0].split_once("->") else { continue };
                let size = words.iter().position(|word| *word == "size").and_then(|at| words.get(at + 1));
                let bytes = size.and_then(|size| size.parse::<u64>().ok());
                let (Some(source), Some(destination), Some(bytes)) = (rank(source), rank(destination), bytes)
                else {
                    return wrong(line, format!("line is {}, expected a->b and size B", described(text)));
                };
                if source.max(destination) >= matrix.size {
                    return wrong(
                        line,
                        format!("node {}, expected below {}", source.max(destination), matrix.size),
                    );
                }
                found += 1;
                let size = matrix.size;
                matrix.add(source, destination, Ratio::from(bytes), Some(1));
                matrix.size = size;
            }
        }
    }
    if found != announced {
        return wrong(0, format!("{found} connections, expected {announced}"));
    }
    Ok(Content::Matrix(matrix).into())
}

/// The character that separates cells; a space stands for any run of white space.
pub(super) fn separator(header: &str) -> char {
    ['|', ';', '\t', ','].into_iter().find(|sign| header.contains(*sign)).unwrap_or(' ')
}

pub(super) fn cells(row: &str, delimiter: char) -> Vec<&str> {
    if delimiter == ' ' {
        return row.split_whitespace().collect();
    }
    let row = if delimiter == '|' { row.trim().trim_matches('|') } else { row };
    row.split(delimiter).map(|cell| cell.trim().trim_matches('"')).collect()
}

/// A row without a remark, which begins with `#` at its start or after a blank.
fn without_remark(row: &str) -> &str {
    let starts = |(at, _): &(usize, &str)| *at == 0 || row.as_bytes()[at - 1].is_ascii_whitespace();
    row[..row.match_indices('#').find(starts).map_or(row.len(), |(at, _)| at)].trim_end()
}

/// Whether a row is a rule, such as the one below the header of a table.
fn is_rule(row: &str) -> bool {
    row.contains('-') && row.bytes().all(|byte| b"|-+=: ".contains(&byte))
}

/// The column positions of a table of pairs.
struct PairColumns {
    ends: [usize; 2],
    amount: usize,
    messages: Option<usize>,
    unit: &'static str,
    delimiter: char,
    count: usize,
}

/// Finds the columns in the first row of a table, or else in a comment before it.
fn pair_columns(file: &FileText<'_>) -> Option<PairColumns> {
    let is_remark = |row: &str| row.trim_start().starts_with('#');
    let mut remarks = file.rows().map(|(_, row)| row).take_while(|row| is_remark(row));
    let first = file.rows().map(|(_, row)| row).find(|row| !is_remark(row));
    let of_remark = || remarks.find_map(|remark| columns_of(remark.trim_start().trim_start_matches('#')));
    first.map(without_remark).and_then(columns_of).or_else(of_remark)
}

fn columns_of(header: &str) -> Option<PairColumns> {
    let delimiter = separator(header);
    let names: Vec<String> = cells(header, delimiter).iter().map(|cell| cell.to_ascii_lowercase()).collect();
    let find = |known: &[&str]| names.iter().position(|name| known.contains(&name.as_str()));
    let source = find(&["src", "source", "from", "sender", "sending rank"])?;
    let destination = find(&["dst", "dest", "destination", "to", "receiver", "target", "receiving rank"])?;
    // The plainest name counts: a size or volume may be of one message, or in other units.
    let bytes = ["bytes", "bytes sent", "volume", "amount", "size"];
    let bytes = bytes.iter().find_map(|name| find(&[name])).map(|column| (column, "bytes"));
    let amount = bytes.or_else(|| find(&["units"]).map(|column| (column, "units")));
    let (amount, unit) = amount.or_else(|| find(&["weight"]).map(|column| (column, "weight")))?;
    let messages = find(&["messages", "count", "transfers"]);
    Some(PairColumns { ends: [source, destination], amount, messages, unit, delimiter, count: names.len() })
}

/// A row of a table of pairs; `messages` is `None` if the table has no such column.
struct PairRow<'t> {
    line: usize,
    ends: [&'t str; 2],
    amount: Ratio,
    messages: Option<u64>,
}

impl PairColumns {
    fn row<'t>(&self, line: usize, text: &'t str) -> Result<PairRow<'t>, Vec<Complaint>> {
        let mut row = cells(text, self.delimiter);
        if row.len() != self.count || row.iter().any(|cell| cell.ends_with(',')) {
            // Rows may have other separators than the header.
            row = text.split([',', ';', '\t', ' ']).filter(|cell| !cell.is_empty()).collect();
        }
        if row.len() != self.count {
            return wrong(line, format!("{} fields, expected {} as in the header", row.len(), self.count));
        }
        let ends = self.ends.map(|column| row[column]);
        let is_negative =
            |word: &&str| word.starts_with('-') && word[1..].bytes().all(|byte| byte.is_ascii_digit());
        if let Some(end) = ends.iter().find(|end| end.is_empty() || is_negative(end)) {
            return wrong(line, format!("a rank is {}, expected an integer or a name", described(end)));
        }
        let Some(amount) = Ratio::parse_decimal(row[self.amount]) else {
            let found = described(row[self.amount]);
            return wrong(line, format!("the amount is {found}, expected a number of at least 0"));
        };
        let messages = match self.messages.map(|column| (row[column], row[column].parse::<u64>())) {
            Some((word, Err(_))) => {
                return wrong(line, format!("the messages are {}, expected an integer", described(word)));
            }
            Some((_, Ok(count))) => Some(count),
            None => None,
        };
        Ok(PairRow { line, ends, amount, messages })
    }
}

/// The note on the order of ranks with names.
pub const FIRST_MENTION: &str = "names are ranks in the order of their first mention";

/// The ranks of all pairs, and their names if they have any, which are ranks in the order of their first mention.
fn ranks_of(rows: &[PairRow<'_>]) -> Result<(Vec<[usize; 2]>, Option<Vec<String>>), Vec<Complaint>> {
    let with = |is: bool| rows.iter().find(move |row| row.ends.iter().any(|end| is_number(end) == is));
    let named = with(false);
    if let (Some(row), Some(_)) = (named, with(true)) {
        let [from, to] = row.ends.map(described);
        return wrong(
            row.line,
            format!("ranks {from} and {to}, expected numbers in all rows, or names in all"),
        );
    }
    if named.is_some() {
        let mut names: IndexSet<&str> = IndexSet::new();
        let pairs = rows.iter().map(|row| row.ends.map(|end| names.insert_full(end).0)).collect();
        return Ok((pairs, Some(names.into_iter().map(str::to_owned).collect())));
    }
    let pair = |row: &PairRow<'_>| -> Result<[usize; 2], Vec<Complaint>> {
        let rank = |end: &str| match whole_rank(end) {
            Some(rank) => Ok(rank),
            None => wrong(row.line, format!("a rank is {}, expected an integer below 2^20", described(end))),
        };
        Ok([rank(row.ends[0])?, rank(row.ends[1])?])
    };
    Ok((rows.iter().map(pair).collect::<Result<_, _>>()?, None))
}

fn read_pairs(file: &FileText<'_>) -> Read {
    let Some(columns) = pair_columns(file) else { return wrong(1, "no header of pairs") };
    let mut matrix = Matrix::new(columns.unit, 0);
    let rows = file.rows().map(|(line, row)| (line, without_remark(row)));
    let mut rows = rows.filter(|(_, row)| !row.is_empty() && !is_rule(row)).peekable();
    rows.next_if(|(_, row)| columns_of(row).is_some());
    let (mut read, mut complaints) = (vec![], vec![]);
    for (line, row) in rows {
        match columns.row(line, row) {
            Ok(row) => read.push(row),
            Err(wrong) => complaints.extend(wrong),
        }
        if complaints.len() == MAX_REPORTED {
            break;
        }
    }
    if !complaints.is_empty() {
        return Err(complaints);
    }
    let rows = read;
    let (pairs, labels) = ranks_of(&rows)?;
    for (at, (pair, row)) in pairs.iter().zip(&rows).enumerate() {
        if matrix.add(pair[0], pair[1], row.amount, row.messages) && columns.messages.is_none() {
            let first = pairs[..at].iter().position(|earlier| earlier == pair).map_or(0, |at| rows[at].line);
            let [from, to] = row.ends;
            return wrong(
                row.line,
                format!(
                    "the pair {from}, {to} a second time, expected it once; the first is in line {first}"
                ),
            );
        }
    }
    if matrix.is_empty() {
        return wrong(0, "no pair, expected a row for each");
    }
    if labels.is_none() {
        return Ok(from_either_base(matrix));
    }
    matrix.labels = labels;
    let mut reading = Reading::from(Content::Matrix(matrix));
    reading.notes.push(FIRST_MENTION.to_owned());
    Ok(reading)
}

/// The text inside `array(..)`, as written by Python's `repr`.
fn bracketed(text: &str) -> &str {
    let text = text.trim();
    let inner = text.strip_prefix("array(").and_then(|after| after.strip_suffix(')'));
    inner.map_or(text, |inner| inner.split_once(", dtype=").map_or(inner, |(rows, _)| rows).trim())
}

fn read_bracketed(file: &FileText<'_>) -> Read {
    if file.text.contains("...") {
        return wrong(
            0,
            "the print leaves values out, expected all of them: numpy.save writes a file with all",
        );
    }
    let mut matrix = Matrix::new("bytes", 0);
    let mut widths = vec![];
    let inner = bracketed(&file.text);
    let inner = inner.strip_prefix('[').and_then(|after| after.trim_end().strip_suffix(']')).unwrap_or(inner);
    for part in inner.split('[').skip(1) {
        let Some((row, after)) = part.split_once(']') else {
            return wrong(0, "a row without its end, expected ]");
        };
        if !after.trim().trim_matches(',').is_empty() {
            return wrong(
                0,
                format!("{} between rows, expected a comma or nothing", described(after.trim())),
            );
        }
        let source = widths.len();
        let mut width = 0;
        for word in row.split([',', ' ', '\n', '\t']).filter(|word| !word.is_empty()) {
            let plain = word.trim_end_matches('.').replace(".e", "e");
            let Some(amount) = Ratio::parse_decimal(&plain) else {
                return wrong(
                    0,
                    format!(
                        "entry [{source}, {width}] is {}, expected a number of at least 0",
                        described(word)
                    ),
                );
            };
            matrix.add(source, width, amount, None);
            width += 1;
        }
        widths.push(width);
    }
    let count = widths.len();
    if let Some(width) = widths.iter().find(|width| **width != count) {
        return wrong(0, format!("{width} columns in a matrix of {count} rows, expected as many as rows"));
    }
    matrix.size = count;
    Ok(Content::Matrix(matrix).into())
}
