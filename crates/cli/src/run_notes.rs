//! The results of runs, and beside them their notes in formats that have no place for them.

use std::{cell::RefCell, io};

use cubefold_formats::input::text::printable;
use cubefold_records::{Document, RunRecord};
use serde_json::Value;

use crate::{
    arguments::{SharedOptions, TableOptions},
    failure::Failure,
    format::{ResultFormat, write_records},
    output::{Output, say},
    table::Page,
};

/// Writes the records of runs as [`write_records`] does, and says their notes if the format has none.
pub(crate) fn write_runs<I: Iterator<Item = io::Result<RunRecord>>>(
    output: Output,
    (format, tables): (ResultFormat, &TableOptions),
    extra: &[(&str, Value)],
    shared: &SharedOptions,
    records: impl Fn() -> I,
    page: impl FnOnce() -> io::Result<Page>,
) -> Result<(), Failure> {
    let notes = RunNotes::default();
    let noted = || records().inspect(|record| notes.add(record));
    write_records(output, (format, tables), Document::RESULTS, extra, noted, page)?;
    notes.say(format, shared);
    Ok(())
}

/// The most notes that are said.
const MAX_NOTES: usize = 12;

/// The different notes of runs, in the order of the runs.
#[derive(Debug, Default)]
struct RunNotes {
    notes: RefCell<Vec<String>>, // at most one more than are said
}

impl RunNotes {
    fn add(&self, record: &io::Result<RunRecord>) {
        let mut notes = self.notes.borrow_mut();
        for note in record.iter().flat_map(|record| &record.notes) {
            if notes.len() <= MAX_NOTES && !notes.contains(note) {
                notes.push(note.clone());
            }
        }
    }

    /// Says them if the format of the results has none: tables and JSON have them.
    fn say(self, format: ResultFormat, shared: &SharedOptions) {
        match format {
            ResultFormat::Csv | ResultFormat::Parquet if !shared.quiet => {}
            _ => return,
        }
        let notes = self.notes.into_inner();
        for note in notes.iter().take(MAX_NOTES) {
            say(&format!("note: {}", printable(note)));
        }
        if notes.len() > MAX_NOTES {
            say("note: further notes are in the results as a table or JSON");
        }
    }
}
