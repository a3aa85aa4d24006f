//! Results that were written, read back as a table.

use std::path::Path;

use cubefold_experiment::export::read_flat;

use crate::error::PictureError;

/// The rows of a results file, as CSV holds them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResultsTable {
    columns: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl ResultsTable {
    /// Reads what `cubefold run --output` wrote: `.csv`, `.json`, `.jsonl` or `.parquet`.
    ///
    /// # Errors
    ///
    /// When the file cannot be read, is none of these, or holds no run.
    pub fn read(path: &Path) -> Result<Self, PictureError> {
        let (columns, rows) =
            read_flat(path).map_err(|reason| PictureError::Results { reason: reason.to_string() })?;
        if rows.is_empty() {
            return Err(PictureError::Results { reason: format!("{} holds no run", path.display()) });
        }
        Ok(Self { columns, rows })
    }

    /// The names of the columns that have numbers in some row.
    pub(crate) fn numbers(&self) -> Vec<&str> {
        let is_number = |place: usize| self.rows.iter().any(|row| parse(row, place).is_some());
        let columns = self.columns.iter().enumerate().filter(|(place, _)| is_number(*place));
        columns.map(|(_, name)| name.as_str()).chain(["nodes"]).collect()
    }

    /// The numbers of a column, row by row; of `nodes` the products of the machines' lengths.
    pub(crate) fn column(&self, name: &str) -> Option<Vec<Option<f64>>> {
        if name == "nodes" {
            let place = self.place("machine_shape")?;
            return Some(self.rows.iter().map(|row| nodes(row.get(place)?)).collect());
        }
        let place = self.place(name)?;
        Some(self.rows.iter().map(|row| parse(row, place)).collect())
    }

    /// The words of a column, row by row.
    pub(crate) fn words(&self, name: &str) -> Option<Vec<&str>> {
        let place = self.place(name)?;
        Some(self.rows.iter().map(|row| row.get(place).map_or("", String::as_str)).collect())
    }

    fn place(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column == name)
    }
}

fn parse(row: &[String], place: usize) -> Option<f64> {
    row.get(place)?.parse().ok().filter(|number: &f64| number.is_finite())
}

/// The number of nodes of a shape as it is written, `8x8` for instance.
fn nodes(shape: &str) -> Option<f64> {
    shape.split('x').map(|length| length.parse::<f64>().ok()).product()
}
