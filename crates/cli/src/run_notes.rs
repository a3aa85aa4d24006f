//! Notes on runs, said beside results in formats that have no place for them.

use std::{cell::RefCell, io};

use cubefold_formats::input::text::printable;
use cubefold_records::RunRecord;

use crate::{arguments::SharedOptions, format::ResultFormat, output::say};

/// The most notes that are said.
const MAX_NOTES: usize = 12;

/// The different notes of runs, in the order of the runs.
#[derive(Debug, Default)]
pub(crate) struct RunNotes {
    notes: RefCell<Vec<String>>, // at most one more than are said
}

impl RunNotes {
    /// Adds those of a run.
    pub(crate) fn add(&self, record: &io::Result<RunRecord>) {
        let mut notes = self.notes.borrow_mut();
        for note in record.iter().flat_map(|record| &record.notes) {
            if notes.len() <= MAX_NOTES && !notes.contains(note) {
                notes.push(note.clone());
            }
        }
    }

    /// Says them if the format of the results has none: tables and JSON have them.
    pub(crate) fn say(self, format: ResultFormat, shared: &SharedOptions) {
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
