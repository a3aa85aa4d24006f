//! Journals: the finished runs of a sweep in a file that survives any end of the program.
//!
//! A journal begins with the version of the program and a description of every run. The record of each
//! finished run follows, in the order of completion, written at once with its length and a checksum. When a
//! journal is opened again, an incomplete record at its end is cut off, and a damaged record costs only
//! itself. So a sweep can be continued, and a journal of another sweep is recognised, with the differences.
//!
//! A journal keeps no records in memory, only their offsets. Results are written from it in the order of the
//! runs; [`MergedJournals`] merges the parts that several machines ran.

mod form;
mod journal_file;
mod merge;
mod shard;
mod sweep_plan;
#[cfg(test)]
mod tests;

use std::{
    io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write},
    sync::{Mutex, MutexGuard, PoisonError},
};

use serde::{Deserialize, Serialize};

pub use self::{
    form::Storage,
    journal_file::{Found, JournalError, JournalFile, sync_folder},
    merge::{MergeError, MergedJournals},
    shard::{Shard, ShardError},
    sweep_plan::{Change, RunChange, SweepPlan},
};
use self::{
    form::{Beginning, Frame, Header, PREFIX, frame, read_frame, read_header},
    sweep_plan::Section,
};
use crate::records::RunRecord;

/// The finished runs of a sweep, or of a part of one.
#[derive(Debug)]
pub struct Journal<S> {
    header: Header,
    contents: Mutex<Contents<S>>,
    lost: u64, // damaged records that were found when the journal was continued
}

#[derive(Debug)]
struct Contents<S> {
    storage: S,
    end: u64,                 // after the last complete frame
    places: Vec<Option<u64>>, // by run, the offset of its frame; `None` until the run is finished
}

/// The contents of a frame: a finished run.
#[derive(Serialize)]
struct Entry<'record> {
    run: usize,
    record: &'record RunRecord,
}

/// An entry that is read.
#[derive(Deserialize)]
struct ReadEntry {
    run: usize,
    record: RunRecord,
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
        let header = Header::new(plan, shard)?;
        storage.cut(0)?;
        storage.rewind()?;
        let mut writer = io::BufWriter::new(&mut storage);
        header.write(plan, &mut writer)?;
        writer.flush()?;
        drop(writer);
        let end = storage.stream_position()?;
        let places = vec![None; plan.run_count()];
        Ok(Self { header, contents: Mutex::new(Contents { storage, end, places }), lost: 0 })
    }

    /// Continues a journal of the same sweep. An incomplete end is cut off, damaged records are left out, and
    /// a journal that ends before its first record is restarted. Damaged descriptions of runs are written
    /// again if the digest is that of this sweep.
    ///
    /// # Errors
    ///
    /// If it belongs to another sweep, part, or version of the program, or cannot be read. It is left
    /// unchanged.
    pub fn resume(mut storage: S, plan: &SweepPlan<'_>, shard: Shard) -> Result<Self, JournalError> {
        let own = Header::new(plan, shard)?;
        storage.rewind()?;
        let mut reader = BufReader::new(&mut storage);
        let begin = match read_header(&mut reader)? {
            Beginning::Short => {
                drop(reader);
                if !own.begins_with(plan, &mut storage)? {
                    return Err(JournalError::Damaged);
                }
                return Self::begin(storage, plan, shard);
            }
            Beginning::Torn(found) => {
                drop(reader);
                if own.begins_with(plan, &mut storage)? {
                    return Self::begin(storage, plan, shard);
                }
                own.restore(&found, plan, &mut storage)?
            }
            Beginning::Whole(found, planned) => {
                own.accept(&found, &planned.descriptions, plan)?;
                reader.stream_position()?
            }
        };
        let mut reader = BufReader::new(&mut storage);
        reader.seek(SeekFrom::Start(begin))?;
        let Index { end, places, lost } = index(&mut reader, &own)?;
        drop(reader);
        storage.cut(end)?;
        Ok(Self { header: own, contents: Mutex::new(Contents { storage, end, places }), lost })
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

    /// Number of damaged records that were found when it was continued; their runs are missing.
    #[must_use]
    pub fn lost(&self) -> u64 {
        self.lost
    }

    /// Number of runs of its part.
    #[must_use]
    pub fn run_count(&self) -> usize {
        self.header.shard.runs(self.header.runs).count()
    }

    /// The records of finished runs, in the order of the runs.
    pub fn records(&self) -> impl Iterator<Item = io::Result<RunRecord>> {
        let over = |run: &usize| self.lock().places[*run].is_some();
        (0..self.header.runs).filter(over).map(|run| self.record(run))
    }

    /// The record of a finished run.
    fn record(&self, run: usize) -> io::Result<RunRecord> {
        let changed = || io::Error::new(io::ErrorKind::InvalidData, format!("the journal lost run {run}"));
        let mut contents = self.lock();
        let place = contents.places[run].ok_or_else(changed)?;
        contents.storage.seek(SeekFrom::Start(place))?;
        let Frame::Whole(payload) = read_frame(&mut contents.storage)? else { return Err(changed()) };
        drop(contents);
        let entry: ReadEntry = serde_json::from_slice(&payload)?;
        if entry.run == run { Ok(entry.record) } else { Err(changed()) }
    }
}

/// The entries after a header.
#[derive(Debug)]
struct Index {
    end: u64,                 // after the last complete entry
    places: Vec<Option<u64>>, // by run, the offset of its entry
    lost: u64,                // lines that are not complete entries
}

/// Reads the entries after a header. Lines that are not complete entries, or repeat a run, are skipped.
fn index<S: Storage>(reader: &mut BufReader<&mut S>, header: &Header) -> Result<Index, JournalError> {
    let mut places = vec![None; header.runs];
    let mut end = reader.stream_position()?;
    let (mut at, mut lost) = (end, 0);
    loop {
        let entry = match read_frame(reader)? {
            Frame::End => break,
            Frame::Torn => None,
            Frame::Whole(payload) => run_of(&payload, header).map(|run| (run, payload.len())),
        };
        if let Some((run, length)) = entry.filter(|&(run, _)| places[run].is_none()) {
            places[run] = Some(at);
            at += (PREFIX + length + 1) as u64;
            end = at;
            continue;
        }
        // An entry is one line: the next one begins after the next line feed.
        reader.seek(SeekFrom::Start(at))?;
        let mut line = vec![];
        at += reader.read_until(b'\n', &mut line)? as u64;
        if line.last() != Some(&b'\n') {
            break; // incomplete
        }
        lost += 1;
    }
    Ok(Index { end, places, lost })
}

/// The run of an entry, if it is in the journal's part.
fn run_of(payload: &[u8], header: &Header) -> Option<usize> {
    let entry: ReadEntry = serde_json::from_slice(payload).ok()?;
    (entry.run < header.runs && header.shard.has(entry.run)).then_some(entry.run)
}

impl Header {
    /// Encodes the beginning of a journal with this header.
    fn bytes(&self, plan: &SweepPlan<'_>) -> io::Result<Vec<u8>> {
        let mut bytes = vec![];
        self.write(plan, &mut bytes)?;
        Ok(bytes)
    }

    /// Writes damaged descriptions of runs again, after an intact header. Returns the offset of the records.
    ///
    /// # Errors
    ///
    /// If it belongs to another sweep, part or version of the program, or ends before its first record.
    fn restore<S: Storage>(
        &self,
        found: &Self,
        plan: &SweepPlan<'_>,
        storage: &mut S,
    ) -> Result<u64, JournalError> {
        found.check_version()?;
        let bytes = self.bytes(plan)?;
        let is_own = found == self && storage.seek(SeekFrom::End(0))? >= bytes.len() as u64;
        if !is_own {
            return Err(JournalError::Damaged);
        }
        storage.rewind()?;
        storage.write_all(&bytes)?;
        storage.flush()?;
        Ok(bytes.len() as u64)
    }

    /// Whether the storage is a prefix of the beginning of a journal with this header.
    fn begins_with<S: Storage>(&self, plan: &SweepPlan<'_>, storage: &mut S) -> io::Result<bool> {
        let expected = self.bytes(plan)?;
        storage.rewind()?;
        let mut found = vec![];
        // One byte more than expected shows whether there is more.
        storage.take(expected.len() as u64 + 1).read_to_end(&mut found)?;
        Ok(expected.starts_with(&found))
    }
}
