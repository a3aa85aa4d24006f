//! Records as CSV: a header, and a row of scalars per record.

use std::{
    fmt::Write as _,
    io::{self, Write},
};

use cubefold_formats::input::text::printable_lines;

use super::{
    column::{Cell, Record, Row, present_columns},
    leading_columns::LeadingCells,
};

/// Writes records as rows, one at a time, under the names of the columns that at least one record has; if `chosen` is not
/// empty, only of those that it names or gives the title of. Programs and machines of different kinds have different
/// members; missing cells are empty. Iterates over the records twice.
///
/// # Errors
///
/// If reading a record or writing fails.
pub fn write_csv<R: Record, I: Iterator<Item = io::Result<R>>>(
    writer: &mut impl Write,
    chosen: &[String],
    records: impl Fn() -> I,
) -> io::Result<()> {
    let columns = present_columns(records(), chosen)?;
    let mut table = csv::Writer::from_writer(writer);
    table.write_record(columns.iter().map(|(_, column)| column.name))?;
    let mut text = String::new();
    for record in records() {
        let record = record?;
        let row = Row::new(&record);
        let mut cells = row.cells().enumerate();
        let present = columns.iter().filter_map(|(place, _)| cells.find(|(index, _)| index == place));
        write_row(&mut table, present.map(|(_, cell)| cell), &mut text)?;
    }
    table.flush()
}

/// Whether a header is still to be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CsvHeader {
    /// The names of all columns are written first.
    Due,
    /// The header is already written, or unwanted.
    Written,
}

/// Writes rows of a file that has all columns of the record type, each after the cells of its run.
///
/// # Errors
///
/// If writing or making a record fails.
pub fn write_csv_rows<R: Record>(
    writer: &mut impl Write,
    header: CsvHeader,
    leading: &LeadingCells<'_>,
    records: impl Iterator<Item = io::Result<R>>,
) -> io::Result<()> {
    let mut table = csv::Writer::from_writer(writer);
    if header == CsvHeader::Due {
        let columns = R::columns();
        let names = leading.0.iter().map(|(name, _)| *name);
        table.write_record(names.chain(columns.iter().map(|column| column.name)))?;
    }
    let mut text = String::new();
    for record in records {
        let record = record?;
        let row = Row::new(&record);
        write_row(&mut table, leading.0.iter().map(|(_, cell)| cell).chain(row.cells()), &mut text)?;
    }
    table.flush()
}

/// Writes a row; `text` is a buffer that rows share.
fn write_row<'cells, 'record: 'cells>(
    table: &mut csv::Writer<impl Write>,
    cells: impl Iterator<Item = &'cells Cell<'record>>,
    text: &mut String,
) -> io::Result<()> {
    for cell in cells {
        text.clear();
        // Writing to a string does not fail.
        let _ = write!(text, "{cell}");
        // A terminal may show the file, and obeys control characters in names.
        table.write_field(&*printable_lines(text))?;
    }
    table.write_record(None::<&[u8]>)?;
    Ok(())
}
