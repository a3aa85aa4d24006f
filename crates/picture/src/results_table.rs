//! Results as rows of text: read from a file, or from new runs.

use std::path::Path;

use cubefold_records::{Record as _, Row, RunRecord, read_flat};

use crate::error::PictureError;

/// Memory per byte of a results file: most cells are a few digits \[bytes\]; measured on CSV of 2 MB.
const BYTES_A_BYTE: u64 = 60;
/// The bytes of a results file whose memory is not counted.
const UNCOUNTED_BYTES: u64 = 1 << 17;

/// The most values that an error lists.
const MAX_KNOWN: usize = 12;

/// The rows of a results file, as in CSV.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResultsTable {
    columns: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl ResultsTable {
    /// Reads results of `cubefold run --output`: `.csv`, `.json`, `.jsonl` or `.parquet`.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, has another format, holds no run, or needs more than `memory` bytes.
    pub fn read(path: &Path, memory: u64) -> Result<Self, PictureError> {
        let bytes = std::fs::metadata(path).map_or(0, |data| data.len()).saturating_sub(UNCOUNTED_BYTES);
        let needed = bytes.saturating_mul(BYTES_A_BYTE);
        if needed > memory {
            return Err(PictureError::ResultsTooLarge { needed, limit: memory });
        }
        let (columns, rows) =
            read_flat(path).map_err(|reason| PictureError::Results { reason: reason.to_string() })?;
        if rows.is_empty() {
            return Err(PictureError::Results { reason: format!("{} holds no run", path.display()) });
        }
        Ok(Self { columns, rows })
    }

    /// The rows of new runs.
    #[must_use]
    pub fn of(records: &[RunRecord]) -> Self {
        let columns = RunRecord::columns().iter().map(|column| column.name.to_owned()).collect();
        let row = |record: &RunRecord| Row::new(record).cells().map(ToString::to_string).collect();
        Self { columns, rows: records.iter().map(row).collect() }
    }

    /// The column of the makespan: in seconds if all rows have them.
    #[must_use]
    pub fn makespan_column(&self) -> &'static str {
        let seconds = self.column("makespan_seconds").unwrap_or_default();
        let has_seconds = !seconds.is_empty() && seconds.iter().all(Option::is_some);
        if has_seconds { "makespan_seconds" } else { "makespan_cycles" }
    }

    /// The names of the columns with a number in some row.
    pub(crate) fn numbers(&self) -> Vec<&str> {
        let is_number = |place: usize| self.rows.iter().any(|row| parse(row, place).is_some());
        let columns = self.columns.iter().enumerate().filter(|(place, _)| is_number(*place));
        let names = columns.map(|(_, name)| name.as_str());
        // Results of earlier versions have no such column.
        names.chain(self.place("nodes").is_none().then_some("nodes")).collect()
    }

    /// The numbers of a column, row by row; for `nodes` without such a column, the products of the machines' lengths.
    pub(crate) fn column(&self, name: &str) -> Option<Vec<Option<f64>>> {
        if name == "nodes" && self.place(name).is_none() {
            let place = self.place("machine_shape")?;
            return Some(self.rows.iter().map(|row| node_count(row.get(place)?)).collect());
        }
        let place = self.place(name)?;
        Some(self.rows.iter().map(|row| parse(row, place)).collect())
    }

    /// The texts of a column, row by row.
    pub(crate) fn words(&self, name: &str) -> Option<Vec<&str>> {
        let place = self.place(name)?;
        Some(self.rows.iter().map(|row| row.get(place).map_or("", String::as_str)).collect())
    }

    /// The texts of a column, row by row; `nodes` as in [`Self::column`].
    ///
    /// # Errors
    ///
    /// When there is no such column.
    pub(crate) fn known_words(&self, name: &str) -> Result<Vec<&str>, PictureError> {
        let place = if name == "nodes" { "machine_shape" } else { name };
        let known = || self.columns.join(", ");
        self.words(name).or_else(|| self.words(place)).ok_or_else(|| PictureError::Column {
            column: name.to_owned(),
            problem: format!("is not in the results, expected one of {}", known()),
        })
    }

    /// The rows with a value in a column: the same text, or the same number.
    ///
    /// # Errors
    ///
    /// When there is no such column, or no such row.
    pub fn with_values(mut self, name: &str, value: &str) -> Result<Self, PictureError> {
        let number: Option<f64> = value.parse().ok();
        let numbers = self.column(name).unwrap_or_default();
        let words = self.known_words(name)?;
        let has_value = |row: &usize| {
            let same_number = number.is_some() && numbers.get(*row).copied().flatten() == number;
            words[*row] == value || same_number
        };
        let found: Vec<bool> = (0..self.rows.len()).map(|row| has_value(&row)).collect();
        if !found.contains(&true) {
            let mut known: Vec<&str> = vec![];
            for word in words.into_iter().filter(|word| !word.is_empty()) {
                if !known.contains(&word) && known.len() < MAX_KNOWN {
                    known.push(word);
                }
            }
            return Err(PictureError::Column {
                column: name.to_owned(),
                problem: format!("has no row with {value:?}, expected one of {}", known.join(", ")),
            });
        }
        let mut found = found.into_iter();
        self.rows.retain(|_| found.next().unwrap_or(false));
        Ok(self)
    }

    /// The settings in which rows differ, except the column across, each with the value of the first row. Settings that
    /// alone distinguish all rows come first.
    pub(crate) fn varying_settings(&self, rows: &[usize], across: &str) -> Vec<(&str, &str)> {
        let is_setting = |name: &str| {
            let is_part = ["machine_", "program_", "execution_"].iter().any(|part| name.starts_with(part));
            (is_part || ["scenario", "seed", "embedding", "sweep"].contains(&name)) && name != across
        };
        let mut found = vec![];
        for name in self.names().filter(|name| is_setting(name)) {
            let words = self.words(name).unwrap_or_default();
            let mut values: Vec<&str> = rows.iter().map(|&row| words[row]).collect();
            let first = values[0];
            values.sort_unstable();
            values.dedup();
            if values.len() > 1 {
                found.push((values.len() < rows.len(), name, first));
            }
        }
        found.sort_by_key(|&(is_not_enough, ..)| is_not_enough);
        found.into_iter().map(|(_, name, first)| (name, first)).collect()
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.columns.iter().map(String::as_str)
    }

    pub(crate) fn row_count(&self) -> usize {
        self.rows.len()
    }

    fn place(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column == name)
    }
}

fn parse(row: &[String], place: usize) -> Option<f64> {
    row.get(place)?.parse().ok().filter(|number: &f64| number.is_finite())
}

/// The number of nodes of a shape in text, such as `8x8`.
fn node_count(shape: &str) -> Option<f64> {
    shape.split('x').map(|length| length.parse::<f64>().ok()).product()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::support::records;

    #[test]
    fn runs_have_the_rows_of_their_results() {
        let records = records("[machine]\nkind = \"ring\"\nshape = [8]\nhop_cycles = 3\n");
        let table = ResultsTable::of(&records);
        assert_eq!(table.column("nodes"), Some(vec![Some(8.0); 3]));
        assert_eq!(table.column("machine_hop_cycles"), Some(vec![Some(3.0); 3]));
        assert_eq!(table.words("embedding"), Some(vec!["standard", "xor", "byweight"]));
        assert_eq!(table.column("length"), None);
    }
}
