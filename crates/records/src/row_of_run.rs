//! The rows that `run` writes beside its results: parts of runs, each with the columns that name its run.

use serde::Serialize;

use super::{
    column::{Record, Row},
    shared_columns::{EMBEDDING, RUN, SCENARIO},
};

/// A row of `run --processes`, `--messages` or `--crossings`: a part of one run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct RowOfRun<'run, Part> {
    /// The scenario's name.
    pub scenario: &'run str,
    /// Index of the run in the results, counted from 0.
    pub run: u64,
    /// The embedding's name.
    pub embedding: &'run str,
    /// The part of the run.
    #[serde(flatten)]
    pub part: Part,
}

impl<Part: Record> Record for RowOfRun<'_, Part> {
    fn fill<'record>(record: Option<&'record Self>, row: &mut Row<'record>) {
        row.section(SCENARIO, record.map(|record| record.scenario));
        row.section(RUN, record.map(|record| &record.run));
        row.section(EMBEDDING, record.map(|record| record.embedding));
        row.part(record.map(|record| &record.part));
    }
}
