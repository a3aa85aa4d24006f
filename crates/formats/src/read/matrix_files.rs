//! Matrix files: Matrix Market, `numpy.save`, QAPLIB instances.

use crate::{
    format::{Complaint, FileText, Format, Likeness, Read, Reading, wrong},
    input::{
        Ratio,
        numpy::{MAGIC, Numbers, NumpyArray},
        text::described,
    },
    read::{
        numbers::{amount, content_of, is_number, rows, words},
        ranks::MAX_RANKS,
        reads,
    },
    value::{Content, Kind, Matrix},
};

const HOLDS: &[Kind] = &[Kind::Matrix];

fn bytes(size: usize) -> Matrix {
    Matrix::new("bytes", size)
}

pub(super) static MATRIX_MARKET: Format = reads(
    "matrix-market",
    "Matrix Market (*.mtx), SciPy's mmwrite",
    HOLDS,
    |file| file.text.starts_with("%%MatrixMarket").into(),
    read_matrix_market,
);

/// The banner and the sizes of a Matrix Market file.
struct Market {
    is_array: bool,
    is_pattern: bool,
    is_symmetric: bool,
    size: usize,
    entries: usize, // the announced number
}

/// Parses the banner in line 1 and the line of sizes.
fn market_header(banner: &str, line: usize, sizes: &str) -> Result<Market, Vec<Complaint>> {
    let banner: Vec<String> = banner.split_whitespace().map(str::to_ascii_lowercase).collect();
    let banner: Vec<&str> = banner.iter().map(String::as_str).collect();
    let [_, "matrix", form @ ("coordinate" | "array"), field @ ("real" | "integer" | "pattern"), symmetry] =
        banner[..]
    else {
        let expected = "matrix, coordinate or array, real, integer or pattern, and a symmetry";
        return wrong(1, format!("the first line, expected %%MatrixMarket {expected}"));
    };
    let is_symmetric = match symmetry {
        "general" => false,
        "symmetric" => true,
        other => return wrong(1, format!("symmetry {}, expected general or symmetric", described(other))),
    };
    let sizes: Vec<usize> = sizes.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    let (Some(&size), true) = (sizes.first(), sizes.first() == sizes.get(1)) else {
        return wrong(line, "no square matrix, expected as many rows as columns");
    };
    if size as u64 > MAX_RANKS {
        return wrong(line, format!("{size} rows, expected at most 2^20"));
    }
    let entries = match (form, sizes.get(2)) {
        ("coordinate", Some(&entries)) => entries,
        _ if is_symmetric => size * (size + 1) / 2,
        _ => size * size,
    };
    Ok(Market { is_array: form == "array", is_pattern: field == "pattern", is_symmetric, size, entries })
}

fn read_matrix_market(file: &FileText<'_>) -> Read {
    let mut rows = file.rows();
    let banner = rows.next().map_or("", |(_, row)| row);
    let mut rows = rows.filter(|(_, row)| !row.starts_with('%'));
    let (first, sizes) = rows.next().unwrap_or((0, ""));
    let market = market_header(banner, first, sizes)?;
    let (size, is_symmetric) = (market.size, market.is_symmetric);
    let mut matrix = bytes(size);
    let mut count = 0;
    // Arrays are column-major; a symmetric one lists each column from the diagonal down.
    let (mut row, mut column) = (0, 0);
    for (line, text) in rows {
        let words: Vec<&str> = text.split_whitespace().collect();
        let end = |at: usize| {
            words.get(at).and_then(|word| word.parse::<usize>().ok()).and_then(|number| number.checked_sub(1))
        };
        let (from, to, word) = if market.is_array {
            let ends = (row, column, words.first().copied());
            row += 1;
            if row >= size {
                column += 1;
                row = if is_symmetric { column } else { 0 };
            }
            ends
        } else {
            let (Some(from), Some(to)) = (end(0), end(1)) else {
                return wrong(
                    line,
                    format!("entry is {}, expected a row and a column from 1", described(text)),
                );
            };
            (from, to, if market.is_pattern { Some("1") } else { words.get(2).copied() })
        };
        if from.max(to) >= size {
            return wrong(line, format!("row {} and column {}, expected 1 to {size}", from + 1, to + 1));
        }
        let value = amount(line, word.unwrap_or_default())?;
        count += 1;
        let is_mirrored = is_symmetric && from != to;
        if matrix.add(from, to, value, None) || is_mirrored && matrix.add(to, from, value, None) {
            return wrong(line, format!("the pair {}, {} a second time, expected it once", from + 1, to + 1));
        }
    }
    if count != market.entries {
        return wrong(first, format!("{count} entries, expected {}", market.entries));
    }
    Ok(Content::Matrix(matrix).into())
}

pub(super) static NPY: Format = reads(
    "npy",
    "NumPy's save (*.npy)",
    HOLDS,
    |file| file.bytes.starts_with(MAGIC).into(),
    |file| {
        let array = match NumpyArray::new(file.bytes) {
            Ok(array) => array,
            Err(message) => return wrong(0, message),
        };
        let size = match array.shape[..] {
            [rows, columns] if rows == columns && rows > 0 && rows as u64 <= MAX_RANKS => rows,
            _ => return wrong(0, format!("an array of shape {:?}, expected [n, n]", array.shape)),
        };
        let mut matrix = bytes(size);
        for (row, column) in (0..size).flat_map(|row| (0..size).map(move |column| (row, column))) {
            let place = array.place(row, column);
            let amount = match &array.numbers {
                Numbers::Integers(all) => u64::try_from(all[place]).ok().map(Ratio::from),
                Numbers::Floats(all) => Ratio::parse_decimal(&all[place].to_string()),
            };
            match amount {
                Some(Ratio::ZERO) => {}
                Some(amount) => {
                    matrix.add(row, column, amount, None);
                }
                None => return wrong(0, format!("entry [{row}, {column}] is no number of at least 0")),
            }
        }
        Ok(Content::Matrix(matrix).into())
    },
);

pub(super) static QAPLIB: Format = reads(
    "qaplib",
    "QAPLIB (*.dat): a size, a flow and distances",
    HOLDS,
    |file| match qaplib_size(file) {
        Some((_, true)) => Likeness::Sure,
        Some(_) => Likeness::Maybe,
        None => Likeness::No,
    },
    |file| {
        let Some((size, _)) = qaplib_size(file) else { return wrong(1, "no size and matrices of it") };
        let words = || rows(file).flat_map(|(line, row)| words(row).map(move |word| (line, word))).skip(1);
        let mut matrix = bytes(size);
        for (place, (line, word)) in words().take(size * size).enumerate() {
            let value = amount(line, word)?;
            if value != Ratio::ZERO {
                matrix.add(place / size, place % size, value, None);
            }
        }
        let mut reading = Reading::from(Content::Matrix(matrix));
        if words().zip(words().skip(size * size)).any(|(one, other)| one.1 != other.1) {
            reading.notes.push("the first of two matrices: matrix = 1 or 2 chooses the flow".to_owned());
        }
        Ok(reading)
    },
);

/// The size before the one or two square matrices that follow, and whether it is alone on its line. Rows of one width
/// are a table.
fn qaplib_size(file: &FileText<'_>) -> Option<(usize, bool)> {
    let widths = || rows(file).map(|(_, row)| words(row).count());
    let (first, is_several) = (widths().next()?, widths().nth(1).is_some());
    if first > 1 && is_several && widths().all(|width| width == first) {
        return None;
    }
    let size = words(rows(file).next()?.1).next()?;
    let size = size.parse::<usize>().ok().filter(|size| (2..1 << 20).contains(size))?;
    if !rows(file).flat_map(|(_, row)| words(row)).all(|word| is_number(&word)) {
        return None;
    }
    let all = file.whole().lines().filter_map(content_of).flat_map(words);
    let count = all.skip(1).take(2 * size * size + 1).count();
    (count == size * size || count == 2 * size * size).then_some((size, first == 1))
}
