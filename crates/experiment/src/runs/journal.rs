//! Journals: the finished runs of a sweep in a file that survives whatever ends the program.
//!
//! A journal begins with the version of the program and a description of every run, and then holds the record
//! of each run that is over, in the order in which they were. Each is written at once and in one piece, with
//! its length and a checksum: when a journal is opened again, what is not whole is cut away from its end, and a
//! record that is damaged costs itself only. So a sweep can be continued where it was, and a journal of another sweep
//! is recognised, with what differs.
//!
//! A journal keeps no record in memory, only where each stands. Results are written from it in the order of
//! the runs; the parts that several machines ran are put together by [`MergedJournals`].

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
    lost: u64, // damaged records that were found when it was continued
}

#[derive(Debug)]
struct Contents<S> {
    storage: S,
    end: u64,                 // behind the last whole frame
    places: Vec<Option<u64>>, // by run, where its frame begins; none as long as it is not over
}

/// What a frame says of a run that is over.
#[derive(Serialize)]
struct Entry<'record> {
    run: usize,
    record: &'record RunRecord,
}

/// An entry as it is read.
#[derive(Deserialize)]
struct ReadEntry {
    run: usize,
    record: RunRecord,
}

impl Journal<std::fs::File> {
    /// Waits until what was written is on the disk.
    fn sync(&self) -> io::Result<()> {
        self.lock().storage.sync_all()
    }
}

impl<S> Journal<S> {
    fn lock(&self) -> MutexGuard<'_, Contents<S>> {
        // An append that panics has not moved the end.
        self.contents.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<S: Storage> Journal<S> {
    /// Begins a journal in an empty storage.
    ///
    /// # Errors
    ///
    /// When writing fails.
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

    /// Continues a journal of the same sweep; what is torn at its end is cut away, and records that are damaged are
    /// left out. One that ends before its first run could be written is begun anew. Where the runs that it is for are
    /// damaged, they are written again: they are those of the sweep at hand if its digest is.
    ///
    /// # Errors
    ///
    /// When it is of another sweep, part, or version of the program, or cannot be read. It is left as it is then.
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

    /// Adds the record of the run at `place`, whole or not at all, and leaves it to the system to keep.
    ///
    /// # Errors
    ///
    /// When writing fails.
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

    /// The runs of its part that are not over yet, in order.
    #[must_use]
    pub fn missing(&self) -> Vec<usize> {
        let contents = self.lock();
        let runs = self.header.shard.runs(self.header.runs);
        runs.filter(|&run| contents.places[run].is_none()).collect()
    }

    /// The number of records that were found damaged when it was continued: their runs are missing.
    #[must_use]
    pub fn lost(&self) -> u64 {
        self.lost
    }

    /// The number of runs of its part.
    #[must_use]
    pub fn run_count(&self) -> usize {
        self.header.shard.runs(self.header.runs).count()
    }

    /// The records of the runs that are over, in the order of the runs.
    pub fn records(&self) -> impl Iterator<Item = io::Result<RunRecord>> {
        let over = |run: &usize| self.lock().places[*run].is_some();
        (0..self.header.runs).filter(over).map(|run| self.record(run))
    }

    /// The record of a run that is over.
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

/// The entries behind a header.
#[derive(Debug)]
struct Index {
    end: u64,                 // behind the last whole entry
    places: Vec<Option<u64>>, // by run, where its entry begins
    lost: u64,                // lines that are no whole entries
}

/// Reads the entries behind a header. What is no whole entry of a run that is not known yet is passed over, line by line.
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
        // An entry is one line: the next one begins behind the next line feed.
        reader.seek(SeekFrom::Start(at))?;
        let mut line = vec![];
        at += reader.read_until(b'\n', &mut line)? as u64;
        if line.last() != Some(&b'\n') {
            break; // never completed
        }
        lost += 1;
    }
    Ok(Index { end, places, lost })
}

/// The run of its part that an entry is about.
fn run_of(payload: &[u8], header: &Header) -> Option<usize> {
    let entry: ReadEntry = serde_json::from_slice(payload).ok()?;
    (entry.run < header.runs && header.shard.has(entry.run)).then_some(entry.run)
}

impl Header {
    /// The bytes of what a journal with this header begins with.
    fn bytes(&self, plan: &SweepPlan<'_>) -> io::Result<Vec<u8>> {
        let mut bytes = vec![];
        self.write(plan, &mut bytes)?;
        Ok(bytes)
    }

    /// Writes the runs again where they are damaged, behind a header that is whole. Returns where records begin.
    ///
    /// # Errors
    ///
    /// When it is of another sweep, part or version of the program, or ends before its first record.
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

    /// Whether what is stored is the beginning of what a journal with this header begins with.
    fn begins_with<S: Storage>(&self, plan: &SweepPlan<'_>, storage: &mut S) -> io::Result<bool> {
        let expected = self.bytes(plan)?;
        storage.rewind()?;
        let mut found = vec![];
        // One byte more than expected shows that there is more.
        storage.take(expected.len() as u64 + 1).read_to_end(&mut found)?;
        Ok(expected.starts_with(&found))
    }
}
