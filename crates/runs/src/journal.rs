//! Journals: the finished runs of a sweep in a file that survives any end of the program.
//!
//! A journal begins with the version of the program and a description of every run. The record of each finished
//! run follows, in the order in which the runs finished. Each is written in one piece, with its length and a
//! checksum. When a journal is opened again, it ends before the first record that is not whole: a sweep continues
//! with the runs recorded before. A journal of another sweep is refused, with the first difference.
//!
//! A journal keeps the positions of records in memory, not the records. Results are written from it in the order of
//! the runs; [`MergedJournals`] puts the parts of several machines together.

mod form;
mod journal_file;
mod merge;
mod search_journal;
mod shard;
mod sweep_plan;
#[cfg(test)]
mod tests;

use std::{
    io::{self, BufReader, Read, Seek, SeekFrom, Write},
    sync::{Mutex, MutexGuard, PoisonError},
};

use cubefold_records::RunRecord;
use serde::{Deserialize, Serialize};

use self::{
    form::{Header, PREFIX, frame, read_frame, read_header},
    sweep_plan::Section,
};

pub use self::{
    form::Storage,
    journal_file::{Found, JournalError, JournalFile, sync_folder},
    merge::{MergeError, MergedJournals},
    search_journal::SearchJournal,
    shard::{Shard, ShardError},
    sweep_plan::{Change, RunChange, SweepDigest, SweepPlan},
};

/// The finished runs of a sweep, or of a part of one.
#[derive(Debug)]
pub struct Journal<S> {
    header: Header,
    contents: Mutex<Contents<S>>,
    damaged: bool, // when it was continued
}

#[derive(Debug)]
struct Contents<S> {
    storage: S,
    end: u64,                 // after the last complete frame
    places: Vec<Option<u64>>, // by run, the offset of its frame; `None` until the run is finished
}

/// The payload of the frame of a finished run.
#[derive(Serialize, Deserialize)]
struct Entry<R> {
    run: usize,
    record: R, // a `RunRecord`, borrowed while it is written
}

impl Journal<std::fs::File> {
    /// Waits until written data are on disk.
    fn sync(&self) -> io::Result<()> {
        self.lock().storage.sync_all()
    }
}

impl<S> Journal<S> {
    fn lock(&self) -> MutexGuard<'_, Contents<S>> {
        // A panicking append has not moved the end, so the contents are valid.
        self.contents.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<S: Storage> Journal<S> {
    /// Creates a journal in an empty storage.
    ///
    /// # Errors
    ///
    /// If writing fails.
    pub fn begin(mut storage: S, plan: &SweepPlan<'_>, shard: Shard) -> Result<Self, JournalError> {
        let header = Header::new(plan, shard);
        storage.cut(0)?;
        storage.rewind()?;
        let mut writer = io::BufWriter::new(&mut storage);
        header.write(plan, &mut writer)?;
        writer.flush()?;
        drop(writer);
        let end = storage.stream_position()?;
        let places = vec![None; plan.run_count()];
        Ok(Self { header, contents: Mutex::new(Contents { storage, end, places }), damaged: false })
    }

    /// Continues a journal of the same sweep after its last complete record before any damage. A journal that ends before
    /// its first record is started anew.
    ///
    /// # Errors
    ///
    /// If it belongs to another sweep, part or version of the program, is damaged before its first record, or cannot be
    /// read. It is left unchanged.
    pub fn resume(mut storage: S, plan: &SweepPlan<'_>, shard: Shard) -> Result<Self, JournalError> {
        let header = Header::new(plan, shard);
        storage.rewind()?;
        let mut reader = BufReader::new(&mut storage);
        let Some((found, planned)) = read_header(&mut reader)? else {
            drop(reader);
            return if header.begins_with(plan, &mut storage)? {
                Self::begin(storage, plan, shard)
            } else {
                Err(JournalError::Damaged)
            };
        };
        header.accept(&found, &planned.descriptions, plan)?;
        let (end, places) = index(&mut reader, &header)?;
        drop(reader);
        let damaged = ends_with_a_line(&mut storage, end)?;
        storage.cut(end)?;
        Ok(Self { header, contents: Mutex::new(Contents { storage, end, places }), damaged })
    }

    /// Adds the record of the run at `place` as a whole, without waiting for the disk.
    ///
    /// # Errors
    ///
    /// If writing fails.
    pub fn append(&self, place: usize, record: &RunRecord) -> io::Result<()> {
        let bytes = frame(&serde_json::to_vec(&Entry { run: place, record })?)?;
        let mut contents = self.lock();
        let start = contents.end;
        contents.storage.seek(SeekFrom::Start(start))?;
        contents.storage.write_all(&bytes)?;
        contents.storage.flush()?;
        contents.end += bytes.len() as u64;
        contents.places[place] = Some(start);
        Ok(())
    }

    /// The unfinished runs of its part, in order.
    #[must_use]
    pub fn missing(&self) -> Vec<usize> {
        let contents = self.lock();
        let runs = self.header.shard.runs(self.header.runs);
        runs.filter(|&run| contents.places[run].is_none()).collect()
    }

    /// Whether a damaged record was found when it was continued. The runs recorded after it are missing, too.
    #[must_use]
    pub fn was_damaged(&self) -> bool {
        self.damaged
    }

    /// Number of runs of its part.
    #[must_use]
    pub fn run_count(&self) -> usize {
        self.header.shard.runs(self.header.runs).count()
    }

    /// The records of finished runs, in the order of the runs.
    pub fn records(&self) -> impl Iterator<Item = io::Result<RunRecord>> {
        let is_finished = |run: &usize| self.lock().places[*run].is_some();
        (0..self.header.runs).filter(is_finished).map(|run| self.record(run))
    }

    /// The record of a finished run.
    fn record(&self, run: usize) -> io::Result<RunRecord> {
        let changed = || io::Error::new(io::ErrorKind::InvalidData, format!("the journal lost run {run}"));
        let mut contents = self.lock();
        let place = contents.places[run].ok_or_else(changed)?;
        contents.storage.seek(SeekFrom::Start(place))?;
        let payload = read_frame(&mut contents.storage)?.ok_or_else(changed)?;
        drop(contents);
        let entry: Entry<RunRecord> = serde_json::from_slice(&payload)?;
        if entry.run == run { Ok(entry.record) } else { Err(changed()) }
    }
}

/// Reads the complete entries after a header, up to the first that is damaged, belongs to no run of the part, or repeats
/// a run. Returns the end of the last one, and the offset of each run's entry.
fn index(reader: &mut (impl Read + Seek), header: &Header) -> Result<(u64, Vec<Option<u64>>), JournalError> {
    let mut places = vec![None; header.runs];
    let mut end = reader.stream_position()?;
    while let Some(payload) = read_frame(reader)? {
        let Some(run) = run_of(&payload, header).filter(|&run| places[run].is_none()) else { break };
        places[run] = Some(end);
        end += (PREFIX + payload.len() + 1) as u64;
    }
    Ok((end, places))
}

/// Whether the bytes after the complete entries end in a line feed: an entry that was never completed does not.
fn ends_with_a_line<S: Storage>(storage: &mut S, end: u64) -> io::Result<bool> {
    if storage.seek(SeekFrom::End(0))? == end {
        return Ok(false);
    }
    storage.seek(SeekFrom::End(-1))?;
    let mut last = [0];
    storage.read_exact(&mut last)?;
    Ok(last == *b"\n")
}

/// The run of an entry, if the part has it.
fn run_of(payload: &[u8], header: &Header) -> Option<usize> {
    let entry: Entry<RunRecord> = serde_json::from_slice(payload).ok()?;
    (entry.run < header.runs && header.shard.has(entry.run)).then_some(entry.run)
}

impl Header {
    /// Whether the storage holds a beginning of a journal with this header.
    fn begins_with<S: Storage>(&self, plan: &SweepPlan<'_>, storage: &mut S) -> io::Result<bool> {
        let mut expected = vec![];
        self.write(plan, &mut expected)?;
        storage.rewind()?;
        let mut found = vec![];
        // One byte more than expected shows whether there is more.
        storage.take(expected.len() as u64 + 1).read_to_end(&mut found)?;
        Ok(expected.starts_with(&found))
    }
}
