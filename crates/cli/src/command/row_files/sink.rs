//! A file of rows as CSV, JSON lines or Parquet.

use std::{
    io,
    path::{Path, PathBuf},
};

use cubefold_records::{
    CsvHeader, LeadingCells, LeadingColumns, LedRow, ParquetTable, Record, write_csv_rows, write_lines,
};
use cubefold_scenario::Scenario;
use serde::Serialize;

use crate::{
    arguments::SharedOptions,
    failure::Failure,
    format::{OutputFormat, ResultFormat},
    output::{Output, is_same},
};

/// A file to which rows of one type are added.
#[derive(Debug)]
pub(super) struct RowSink {
    path: PathBuf,
    form: Form,
}

#[derive(Debug)]
enum Form {
    Csv { output: Output, header: CsvHeader },
    Jsonl(Output),
    Parquet(Box<ParquetTable<Output>>),
}

impl RowSink {
    /// Opens the file that `option` names for rows of type `R` after these columns of their runs; it must not be the
    /// destination of the results. Its extension selects the format.
    pub(super) fn open<R: Record>(
        option: &str,
        path: &Path,
        leading: &LeadingColumns,
        shared: &SharedOptions,
        scenarios: &[Scenario],
    ) -> Result<Self, Failure> {
        let results = shared.output();
        if results.is_some_and(|results| results == path || is_same(results, path)) {
            let message = format!("both results and the rows of {option} into {}", path.display());
            return Err(Failure::usage(message, format!("name two files with --output and {option}")));
        }
        let output = || Output::open_path(Some(path), shared.existing(), scenarios);
        let extension = path.extension().and_then(|extension| extension.to_str());
        let form = match extension.and_then(ResultFormat::of_extension) {
            Some(ResultFormat::Csv) => Form::Csv { output: output()?, header: CsvHeader::Due },
            Some(ResultFormat::Jsonl) => Form::Jsonl(output()?),
            Some(ResultFormat::Parquet) => {
                let table = ParquetTable::of_all_columns::<R>(output()?, leading);
                Form::Parquet(Box::new(table.map_err(|error| Failure::output(Some(path), error))?))
            }
            Some(ResultFormat::Table | ResultFormat::Json | ResultFormat::Markdown | ResultFormat::Latex)
            | None => {
                let message = format!("{option} {}: unknown extension", path.display());
                return Err(Failure::usage(message, "expected a path that ends in .csv, .jsonl or .parquet"));
            }
        };
        Ok(Self { path: path.to_owned(), form })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Adds rows of the type that the file was opened for, each after these cells of their run.
    pub(super) fn add<R: Record + Serialize>(
        &mut self,
        leading: &LeadingCells<'_>,
        mut rows: impl Iterator<Item = io::Result<R>>,
    ) -> Result<(), Failure> {
        match &mut self.form {
            Form::Csv { output, header } => {
                let header = std::mem::replace(header, CsvHeader::Written);
                output.add(|output| write_csv_rows(output, header, leading, rows))
            }
            Form::Jsonl(output) => {
                let led = |row| LedRow { leading, row };
                output.add(|output| write_lines(output, rows.map(|row| row.map(led))))
            }
            Form::Parquet(table) => rows
                .try_for_each(|row| table.add(leading, &row?))
                .map_err(|error| Failure::output(Some(&self.path), error)),
        }
    }

    pub(super) fn finish(self) -> Result<(), Failure> {
        let failed = |error| Failure::output(Some(&self.path), error);
        match self.form {
            Form::Csv { output, .. } | Form::Jsonl(output) => output.finish(),
            Form::Parquet(table) => table.finish().map_err(failed)?.finish(),
        }
    }
}
