//! Records as parquet: the scalars of CSV, in columns that have types.
//!
//! The type of a column depends on its name only, so that files of different sweeps fit together. Integers
//! are unsigned and of 64 bits; sums over all processes and stages, which may pass these, are decimals of 38
//! digits. A missing value is null.

mod column;

use std::{
    io::{self, Write},
    sync::Arc,
};

use parquet::{
    errors::ParquetError,
    file::{properties::WriterProperties, writer::SerializedFileWriter},
    schema::parser::parse_message_type,
};
use serde::Serialize;

use self::column::Column;
use super::flat::{FlatRow, flatten, header};

/// How many rows are collected before they are written: so many are in memory at once.
const ROWS_A_GROUP: usize = 1 << 16;

/// Writes records as the rows of a table, under the names of all of them; what a record has not is null. The
/// records are gone through twice.
///
/// # Errors
///
/// When reading a record or writing does, or a value does not fit its column.
pub fn write_parquet<R: Serialize, I: Iterator<Item = io::Result<R>>>(
    writer: impl Write + Send,
    records: impl Fn() -> I,
) -> io::Result<()> {
    let names = header(records())?;
    let mut table = ParquetTable::new(writer, &names)?;
    for record in records() {
        table.add(&record?)?;
    }
    table.finish()?.flush()
}

/// A table that is written row by row.
pub struct ParquetTable<W: Write + Send> {
    writer: SerializedFileWriter<W>,
    columns: Vec<Column>,
    rows: usize, // collected and not yet written
}

impl<W: Write + Send> std::fmt::Debug for ParquetTable<W> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("ParquetTable").field("columns", &self.columns).finish_non_exhaustive()
    }
}

impl<W: Write + Send> ParquetTable<W> {
    /// A table with columns of these names.
    ///
    /// # Errors
    ///
    /// When writing does.
    pub fn new<N: AsRef<str>>(writer: W, names: &[N]) -> io::Result<Self> {
        let columns: Vec<Column> = names.iter().map(|name| Column::new(name.as_ref())).collect();
        let declared: String = columns.iter().map(Column::declaration).collect();
        let schema = parse_message_type(&format!("message cubefold {{ {declared} }}")).map_err(failed)?;
        let created_by = format!("cubefold version {}", env!("CARGO_PKG_VERSION"));
        let properties = WriterProperties::builder().set_created_by(created_by).build();
        let writer =
            SerializedFileWriter::new(writer, Arc::new(schema), Arc::new(properties)).map_err(failed)?;
        Ok(Self { writer, columns, rows: 0 })
    }

    /// Adds the scalars of a record as a row.
    ///
    /// # Errors
    ///
    /// When writing does, or a value does not fit its column.
    pub fn add<R: Serialize>(&mut self, record: &R) -> io::Result<()> {
        let row = flatten(record)?;
        for (place, column) in self.columns.iter_mut().enumerate() {
            column.add(cell(&row, place, column.name()))?;
        }
        self.rows += 1;
        if self.rows == ROWS_A_GROUP { self.write_rows() } else { Ok(()) }
    }

    fn write_rows(&mut self) -> io::Result<()> {
        let mut group = self.writer.next_row_group().map_err(failed)?;
        for column in &mut self.columns {
            let writer = group.next_column().map_err(failed)?;
            let mut writer = writer.ok_or_else(|| io::Error::other("a column has no place in the file"))?;
            column.write(&mut writer).map_err(failed)?;
            writer.close().map_err(failed)?;
        }
        group.close().map_err(failed)?;
        self.rows = 0;
        Ok(())
    }

    /// Writes what is collected, completes the table, and gives back where it was written to.
    ///
    /// # Errors
    ///
    /// When writing does.
    pub fn finish(mut self) -> io::Result<W> {
        if self.rows > 0 {
            self.write_rows()?;
        }
        self.writer.into_inner().map_err(failed)
    }
}

/// The value with this name: most rows have all columns, and it is where it is expected.
fn cell<'row>(row: &'row FlatRow, place: usize, name: &str) -> Option<&'row str> {
    let expected = row.get(place).filter(|(own, _)| own == name);
    let (_, value) = expected.or_else(|| row.iter().find(|(own, _)| own == name))?;
    value.as_deref()
}

fn failed(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(error) => match error.downcast::<io::Error>() {
            Ok(error) => *error,
            Err(error) => io::Error::other(error),
        },
        other => io::Error::other(other),
    }
}
