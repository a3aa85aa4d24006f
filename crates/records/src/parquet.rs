//! Records as Parquet: the scalars of CSV in typed columns.
//!
//! The type of a column depends only on its [`Kind`], so that files of different sweeps fit together.
//! Integers are signed 64-bit, so that readers can subtract them; sums over all processes and stages, which
//! may exceed 64 bits, are rounded to doubles. A missing value is null.

use std::{
    io::{self, Write},
    sync::Arc,
};

use parquet::{
    data_type::{BoolType, ByteArray, ByteArrayType, DoubleType, Int64Type},
    errors::ParquetError,
    file::{
        properties::WriterProperties,
        writer::{SerializedColumnWriter, SerializedFileWriter},
    },
    schema::parser::parse_message_type,
};

use super::{
    column::{Cell, Record, Row, present_columns},
    leading_columns::{LeadingCells, LeadingColumns},
};
use crate::definition::{Definition, Kind};

/// Number of rows that are buffered before they are written.
const ROWS_A_GROUP: usize = 1 << 16;

/// Writes records as rows of a table with the columns that at least one record has; missing cells are null.
/// Iterates over the records twice.
///
/// # Errors
///
/// If reading a record or writing fails, or a value does not fit its column.
pub fn write_parquet<R: Record, I: Iterator<Item = io::Result<R>>>(
    writer: impl Write + Send,
    chosen: &[String],
    records: impl Fn() -> I,
) -> io::Result<()> {
    let mut table = ParquetTable::new(writer, vec![], present_columns(records(), chosen)?)?;
    for record in records() {
        table.add(&LeadingCells::default(), &record?)?;
    }
    table.finish()?.flush()
}

/// A table that is written row by row.
pub struct ParquetTable<W: Write + Send> {
    writer: SerializedFileWriter<W>,
    leading: Vec<CollectedColumn>,
    columns: Vec<(usize, CollectedColumn)>, // each with its place in the rows of records
    rows: usize,                            // collected but not yet written
}

impl<W: Write + Send> std::fmt::Debug for ParquetTable<W> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("ParquetTable").field("columns", &self.columns).finish_non_exhaustive()
    }
}

impl<W: Write + Send> ParquetTable<W> {
    /// A table with all columns of a record type, after those of runs.
    ///
    /// # Errors
    ///
    /// If writing fails.
    pub fn of_all_columns<R: Record>(writer: W, leading: &LeadingColumns) -> io::Result<Self> {
        let leading = leading.definitions().map(|(name, kind)| CollectedColumn::new(name, kind)).collect();
        Self::new(writer, leading, R::columns().into_iter().enumerate().collect())
    }

    fn new(
        writer: W,
        leading: Vec<CollectedColumn>,
        columns: Vec<(usize, &'static Definition)>,
    ) -> io::Result<Self> {
        let columns = columns.into_iter();
        let columns = columns.map(|(place, column)| (place, CollectedColumn::new(column.name, column.kind)));
        let columns: Vec<_> = columns.collect();
        let all = leading.iter().chain(columns.iter().map(|(_, column)| column));
        let declared: String = all.map(CollectedColumn::declaration).collect();
        let schema = parse_message_type(&format!("message cubefold {{ {declared} }}")).map_err(failed)?;
        let created_by = format!("cubefold version {}", env!("CARGO_PKG_VERSION"));
        let properties = WriterProperties::builder().set_created_by(created_by).build();
        let writer =
            SerializedFileWriter::new(writer, Arc::new(schema), Arc::new(properties)).map_err(failed)?;
        Ok(Self { writer, leading, columns, rows: 0 })
    }

    /// Adds a record, of the type of the table, as a row after the cells of its run.
    ///
    /// # Errors
    ///
    /// If writing fails, or a value does not fit its column.
    pub fn add<R: Record>(&mut self, leading: &LeadingCells<'_>, record: &R) -> io::Result<()> {
        for (column, (_, cell)) in self.leading.iter_mut().zip(&leading.0) {
            column.add(cell)?;
        }
        let row = Row::new(record);
        let mut cells = row.cells().enumerate();
        for (place, column) in &mut self.columns {
            let cell = cells.find(|(index, _)| index == place);
            column.add(cell.map_or(&Cell::Absent, |(_, cell)| cell))?;
        }
        self.rows += 1;
        if self.rows == ROWS_A_GROUP { self.write_rows() } else { Ok(()) }
    }

    fn write_rows(&mut self) -> io::Result<()> {
        let mut group = self.writer.next_row_group().map_err(failed)?;
        for column in self.leading.iter_mut().chain(self.columns.iter_mut().map(|(_, column)| column)) {
            let writer = group.next_column().map_err(failed)?;
            let mut writer = writer.ok_or_else(|| io::Error::other("a column has no place in the file"))?;
            column.write(&mut writer).map_err(failed)?;
            writer.close().map_err(failed)?;
        }
        group.close().map_err(failed)?;
        self.rows = 0;
        Ok(())
    }

    /// Writes the buffered rows, completes the table, and returns the writer.
    ///
    /// # Errors
    ///
    /// If writing fails.
    pub fn finish(mut self) -> io::Result<W> {
        if self.rows > 0 {
            self.write_rows()?;
        }
        self.writer.into_inner().map_err(failed)
    }
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

/// A column with its buffered values.
#[derive(Debug)]
struct CollectedColumn {
    name: String,
    values: Values,
    present: Vec<i16>, // by row: 1, or 0 where the value is missing
}

/// The values that are present.
#[derive(Debug)]
enum Values {
    Text(Vec<ByteArray>),
    Truth(Vec<bool>),
    Real(Vec<f64>),
    Integer(Vec<i64>),
}

impl CollectedColumn {
    fn new(name: &str, kind: Kind) -> Self {
        let values = match kind {
            Kind::Text | Kind::Shape | Kind::List | Kind::Term => Values::Text(vec![]),
            Kind::Truth => Values::Truth(vec![]),
            Kind::Decimal | Kind::Sum => Values::Real(vec![]),
            Kind::Natural => Values::Integer(vec![]),
        };
        Self { name: name.to_owned(), values, present: vec![] }
    }

    /// The column in Parquet's schema language.
    fn declaration(&self) -> String {
        let name = &self.name;
        match self.values {
            Values::Text(_) => format!("OPTIONAL BYTE_ARRAY {name} (STRING); "),
            Values::Truth(_) => format!("OPTIONAL BOOLEAN {name}; "),
            Values::Real(_) => format!("OPTIONAL DOUBLE {name}; "),
            Values::Integer(_) => format!("OPTIONAL INT64 {name} (INTEGER(64,true)); "),
        }
    }

    /// Adds the value of the next row.
    fn add(&mut self, cell: &Cell<'_>) -> io::Result<()> {
        self.present.push(cell.has_value().into());
        match (&mut self.values, cell) {
            (_, Cell::Absent | Cell::Missing) => {}
            (Values::Text(values), Cell::Text(text)) => values.push(text.as_ref().into()),
            (Values::Truth(values), Cell::Truth(holds)) => values.push(*holds),
            (Values::Real(values), Cell::Decimal(number)) => values.push(*number),
            #[expect(
                clippy::cast_precision_loss,
                reason = "the number nearest to a whole one, as JSON readers have it"
            )]
            (Values::Real(values), Cell::Natural(number)) => values.push(*number as f64),
            #[expect(
                clippy::cast_precision_loss,
                reason = "a sum of over 53 bits is rounded to the nearest double"
            )]
            (Values::Real(values), Cell::Sum(sum)) => values.push(*sum as f64),
            // Runs with numbers of 2^63 or more are refused, so natural numbers fit.
            (Values::Integer(values), Cell::Natural(number)) if i64::try_from(*number).is_ok() => {
                values.push(number.cast_signed());
            }
            (Values::Integer(values), Cell::Whole(number)) => values.push(*number),
            (_, cell) => {
                let reason = format!("{} is {:?}", self.name, cell.to_string());
                return Err(io::Error::new(io::ErrorKind::InvalidData, reason));
            }
        }
        Ok(())
    }

    /// Writes and clears the buffered values.
    fn write(&mut self, writer: &mut SerializedColumnWriter<'_>) -> Result<(), ParquetError> {
        let present = Some(self.present.as_slice());
        match &mut self.values {
            Values::Text(values) => {
                writer.typed::<ByteArrayType>().write_batch(values, present, None)?;
                values.clear();
            }
            Values::Truth(values) => {
                writer.typed::<BoolType>().write_batch(values, present, None)?;
                values.clear();
            }
            Values::Real(values) => {
                writer.typed::<DoubleType>().write_batch(values, present, None)?;
                values.clear();
            }
            Values::Integer(values) => {
                writer.typed::<Int64Type>().write_batch(values, present, None)?;
                values.clear();
            }
        }
        self.present.clear();
        Ok(())
    }
}
