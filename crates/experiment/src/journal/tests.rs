//! Journals that were cut, damaged, changed, divided and put together.

mod merging;
mod recognition;
mod torn;

use std::io::Cursor;

use super::*;
use crate::{
    Run,
    export::RunRecord,
    support::{journal_in_memory, record, runs, twelve_runs},
};

/// The bytes of a journal in memory.
fn bytes(journal: Journal<Cursor<Vec<u8>>>) -> Vec<u8> {
    journal.contents.into_inner().unwrap().storage.into_inner()
}

/// The journal in these bytes, continued.
fn resumed(bytes: &[u8], runs: &[&Run], shard: Shard) -> Result<Journal<Cursor<Vec<u8>>>, JournalError> {
    Journal::resume(Cursor::new(bytes.to_vec()), &SweepPlan::new(runs), shard)
}

/// The runs of a journal that are over, with their records.
fn held<S: Storage>(journal: &Journal<S>) -> Vec<(usize, RunRecord)> {
    let missing = journal.missing();
    let own = journal.header.shard.runs(journal.header.runs).filter(|run| !missing.contains(run));
    own.zip(journal.records().map(Result::unwrap)).collect()
}
