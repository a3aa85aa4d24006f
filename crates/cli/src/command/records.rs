//! Records in the format asked for.

use std::io::{self, Write};

use cubefold_experiment::export::{Document, Record, write_csv, write_document, write_lines, write_parquet};
use serde::Serialize;
use serde_json::Value;

use crate::{failure::Failure, format::ResultFormat, output::Output, table::Page};

/// Writes records, which some formats go through twice, or the page of tables that shows them.
///
/// `extra` keys go into the envelope of a document.
pub(super) fn write<R: Record + Serialize, I: Iterator<Item = io::Result<R>>>(
    output: Output,
    format: ResultFormat,
    document: Document,
    extra: &[(&str, Value)],
    records: impl Fn() -> I,
    page: impl FnOnce() -> io::Result<Page>,
) -> Result<(), Failure> {
    output.write(|output| match format {
        ResultFormat::Table => output.write_all(page()?.text().as_bytes()),
        ResultFormat::Markdown => output.write_all(page()?.markdown().as_bytes()),
        ResultFormat::Json => write_document(output, document, extra, records()),
        ResultFormat::Jsonl => write_lines(output, records()),
        ResultFormat::Csv => write_csv(output, records),
        ResultFormat::Parquet => write_parquet(output, records),
    })
}
