//! Traffic files of plain numbers: dense rows, and instances of `QAPLIB`.

use super::{
    amount::Amount,
    entries::Entries,
    text_file::{Field, FileErrors, Line, lines},
};
use crate::{budget::Budget, stages_file::MAX_PROCESSES};

/// Reads a matrix row by row.
pub(super) fn read_dense<'b>(text: &str, errors: &mut FileErrors<'_>, budget: &'b Budget) -> Entries<'b> {
    let mut entries = Entries::new(0, budget);
    let mut rows: Vec<(Line<'_>, u64)> = vec![];
    for line in lines(text, '#') {
        let row = rows.len() as u64;
        if row == MAX_PROCESSES {
            errors.at_line(line, || format!("row {row}, expected at most {MAX_PROCESSES} (2^20) rows"));
            return entries;
        }
        let mut columns = 0;
        for field in line.fields() {
            // Columns beyond the largest matrix are only counted.
            if columns < MAX_PROCESSES {
                entries.add(row, columns, errors.amount(field, "an entry"));
            }
            columns += 1;
        }
        rows.push((line, columns));
    }
    let count = rows.len() as u64;
    entries.rows = count;
    let first = rows.first().map_or(0, |row| row.1);
    let are_alike = rows.iter().all(|row| row.1 == first);
    // If all rows have one length, the first shows the error of all.
    let wrong = rows.iter().filter(|row| row.1 != count).take(if are_alike { 1 } else { rows.len() });
    for &(line, columns) in wrong {
        errors.at_line(line, || {
            format!("{columns} columns in a matrix of {count} rows, expected as many as rows")
        });
    }
    if are_alike && first + 1 == count && text.contains(",,") {
        errors.help("blank cells are not counted: write 0 where there is nothing");
    } else if are_alike && first != count {
        errors.help(
            "the formats are: NumPy, Matrix Market, \"source,destination,bytes\" and triples, QAPLIB, dense rows",
        );
    }
    entries
}

/// An instance of `QAPLIB`: a number n, and one or two n x n matrices.
#[derive(Debug)]
pub(super) struct Instance {
    size: u64,
    numbers: Vec<Option<Amount>>,
}

impl Instance {
    /// The memory of a number while it is read, in a list that grows by doubling \[bytes\].
    pub(super) const BYTES_A_NUMBER: u64 = 2 * size_of::<Option<Amount>>() as u64;

    /// Reads an instance; `None` after an error.
    pub(super) fn read(text: &str, errors: &mut FileErrors<'_>) -> Option<Self> {
        let mut fields = lines(text, '#').flat_map(Line::fields);
        let Some(first) = fields.next() else {
            errors.of_file("an empty file, expected a number n and one or two matrices of n^2 numbers");
            return None;
        };
        let size = errors.integer(first, "the number of processes", 1..MAX_PROCESSES)?;
        let numbers: Vec<_> = fields.map(|field: Field<'_>| errors.amount(field, "an entry")).collect();
        let (found, square) = (numbers.len() as u64, size * size);
        if found != square && found != 2 * square {
            let expected = format!("expected {square} or {}: one or two matrices", 2 * square);
            errors.at(first, || format!("{found} numbers after n = {size}, {expected}"));
        }
        errors.is_empty().then_some(Self { size, numbers })
    }

    pub(super) fn has_two(&self) -> bool {
        self.numbers.len() as u64 > self.size * self.size
    }

    pub(super) fn are_equal(&self) -> bool {
        let (first, second) = self.numbers.split_at(self.numbers.len() / 2);
        first == second
    }

    /// The first row of a matrix, counted from 0, shortened.
    pub(super) fn first_row(&self, matrix: usize) -> String {
        const MOST: usize = 12;
        let (first, size) =
            (matrix * self.numbers.len() / 2, usize::try_from(self.size).unwrap_or(usize::MAX));
        let shown = self.numbers[first..].iter().take(size.min(MOST));
        let mut numbers: Vec<String> = shown
            .map(|entry| entry.map_or_else(|| "0".to_owned(), |amount| amount.ratio().to_string()))
            .collect();
        if size > MOST {
            numbers.push("..".to_owned());
        }
        numbers.join(" ")
    }

    /// The entries of a matrix, counted from 0.
    pub(super) fn entries<'b>(&self, matrix: usize, budget: &'b Budget) -> Entries<'b> {
        let first = if self.has_two() { matrix * self.numbers.len() / 2 } else { 0 };
        let mut entries = Entries::new(self.size, budget);
        let places = (0..self.size).flat_map(|row| (0..self.size).map(move |column| (row, column)));
        for ((row, column), &amount) in places.zip(&self.numbers[first..]) {
            entries.add(row, column, amount);
        }
        entries
    }
}
