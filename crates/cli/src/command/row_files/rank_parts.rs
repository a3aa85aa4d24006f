//! The records of runs that ranks divide. Each rank leaves the records of its processes in a file beside the rows, and the
//! leader joins them, so no rank holds more than its own.
//!
//! A file holds records by process and stage, each as little-endian words of 64 bits. It is temporary and removed once it
//! has been read.

use std::{
    cmp::Reverse,
    collections::BinaryHeap,
    fs::{self, File},
    io::{self, BufReader, Read, Write},
    path::{Path, PathBuf},
};

use cubefold_mapping::ProcessId;
use cubefold_simulator::{Cycle, Cycles, RankTask, StageRecord};
use tempfile::TempPath;

use crate::{
    failure::Failure,
    interruption,
    output::{Output, followed},
};

/// The bytes that the temporary names of the files add to the name of the rows.
pub(super) const MORE_OF_A_NAME: usize = 64;

/// The words of a record.
const WORDS: usize = 9;
const WORD_BYTES: usize = size_of::<u64>();

/// Writes the records of the processes of this rank, by process and stage, for the leader.
///
/// # Errors
///
/// When the file cannot be written.
pub(crate) fn leave(rows: &Path, task: RankTask, records: &[StageRecord]) -> Result<(), Failure> {
    let file = Output::beside(&path(rows, task, task.ranks.rank()))?;
    file.write(|file| records.iter().flat_map(words).try_for_each(|word| file.write_all(&word.to_le_bytes())))
}

/// Removes the files that ranks wrote for a run.
pub(super) fn discard(rows: &Path, task: RankTask) {
    for rank in 1..task.ranks.count() {
        // A missing or remaining file does no harm.
        let _ = fs::remove_file(path(rows, task, rank));
    }
}

/// The records of the leader and of the other ranks for the same run, by process and stage.
///
/// # Errors
///
/// If the file of a rank is missing.
pub(super) fn joined<'run>(
    rows: &Path,
    task: Option<RankTask>,
    of_leader: &'run [StageRecord],
) -> Result<JoinedRecords<'run>, Failure> {
    let others = task.map_or(0..0, |task| 1..task.ranks.count());
    let parts = others.filter_map(|rank| Some(Part::open(path(rows, task?, rank), rank)));
    let parts = parts.collect::<Result<Vec<_>, _>>()?;
    let first: Source<'run> = Box::new(of_leader.iter().map(|record| Ok(*record)));
    let sources = std::iter::once(first).chain(parts.into_iter().map(|part| Box::new(part) as Source<'run>));
    Ok(JoinedRecords::new(sources.collect()))
}

/// The file of a rank, in the folder of the rows, even if their path is a link.
fn path(rows: &Path, task: RankTask, rank: usize) -> PathBuf {
    let rows = followed(rows);
    let mut name = std::ffi::OsString::from(".");
    name.push(rows.file_name().unwrap_or_default());
    name.push(format!(".part-{:x}-{rank}", task.number));
    rows.with_file_name(name)
}

type Source<'run> = Box<dyn Iterator<Item = io::Result<StageRecord>> + 'run>;

/// Merges the records of several sources, each sorted by process and stage.
pub(super) struct JoinedRecords<'run> {
    sources: Vec<Source<'run>>,
    heads: Vec<Option<StageRecord>>, // the next record of each source
    order: BinaryHeap<Reverse<(ProcessId, usize, usize)>>, // process and stage of each head, and its source
    failure: Option<io::Error>,
}

impl<'run> JoinedRecords<'run> {
    fn new(sources: Vec<Source<'run>>) -> Self {
        let heads = vec![None; sources.len()];
        let mut joined = Self { sources, heads, order: BinaryHeap::new(), failure: None };
        (0..joined.sources.len()).for_each(|source| joined.advance(source));
        joined
    }

    /// Takes the next record of a source.
    fn advance(&mut self, source: usize) {
        match self.sources[source].next().transpose() {
            Ok(head) => {
                self.heads[source] = head;
                self.order.extend(head.map(|head| Reverse((head.process, head.stage, source))));
            }
            Err(error) => self.failure = Some(error),
        }
    }
}

/// Ends after the first error.
impl Iterator for JoinedRecords<'_> {
    type Item = io::Result<StageRecord>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Some(error) = self.failure.take() {
            self.order.clear();
            return Some(Err(error));
        }
        let Reverse((.., source)) = self.order.pop()?;
        let record = self.heads[source].take()?;
        self.advance(source);
        Some(Ok(record))
    }
}

/// The file of a rank, which is removed when this is dropped.
struct Part {
    file: BufReader<File>,
    path: TempPath,
}

impl Part {
    fn open(path: PathBuf, rank: usize) -> Result<Self, Failure> {
        let file = File::open(&path).map_err(|error| {
            Failure::usage(
                format!("cannot read the rows of rank {rank}, {}: {error}", path.display()),
                "give --processes a file in a folder that the computers of all ranks share",
            )
        })?;
        interruption::add_temporary(&path);
        let path = TempPath::try_from_path(path).map_err(|error| Failure::output(None, error))?;
        Ok(Self { file: BufReader::new(file), path })
    }
}

impl Iterator for Part {
    type Item = io::Result<StageRecord>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut bytes = Vec::with_capacity(WORDS * WORD_BYTES);
        match self.file.by_ref().take((WORDS * WORD_BYTES) as u64).read_to_end(&mut bytes) {
            Ok(0) => None,
            Ok(_) => {
                let (words, _) = bytes.as_chunks::<WORD_BYTES>();
                let record = words.iter().map(|&word| u64::from_le_bytes(word)).collect::<Vec<_>>();
                let cut = || io::Error::other(format!("{} is cut off", self.path.display()));
                Some(<[u64; WORDS]>::try_from(record).ok().and_then(record_of).ok_or_else(cut))
            }
            Err(error) => Some(Err(error)),
        }
    }
}

fn words(record: &StageRecord) -> [u64; WORDS] {
    // Messages of divided runs cost nothing.
    let &StageRecord { process, stage, sharing, ready, start, finish, transfer, overlapped, idle, .. } =
        record;
    let [sharing, transfer, overlapped, idle] = [sharing, transfer, overlapped, idle].map(Cycles::get);
    let [ready, start, finish] = [ready, start, finish].map(Cycle::get);
    [process.label().into(), stage as u64, sharing, ready, start, finish, transfer, overlapped, idle]
}

/// The record of these words; `None` if they are invalid.
fn record_of(words: [u64; WORDS]) -> Option<StageRecord> {
    let [process, stage, sharing, ready, start, finish, transfer, overlapped, idle] = words;
    let [sharing, transfer, overlapped, idle] = [sharing, transfer, overlapped, idle].map(Cycles::new);
    let [ready, start, finish] = [ready, start, finish].map(Cycle::new);
    let process = ProcessId::new(u32::try_from(process).ok()?);
    let stage = usize::try_from(stage).ok()?;
    let overhead = Cycles::ZERO;
    Some(StageRecord { process, stage, sharing, ready, start, finish, transfer, overlapped, overhead, idle })
}

#[cfg(test)]
mod tests {
    use cubefold_simulator::Ranks;

    use super::*;

    #[derive(Debug)]
    struct Rank(usize);

    impl Ranks for Rank {
        fn rank(&self) -> usize {
            self.0
        }

        fn count(&self) -> usize {
            3
        }

        fn exchange(&self, _: &mut [Vec<u64>], _: &mut Vec<u64>, value: u64) -> u64 {
            value
        }

        fn abort(&self) -> ! {
            std::process::abort()
        }
    }

    fn record(process: u32, stage: usize) -> StageRecord {
        StageRecord {
            process: ProcessId::new(process),
            stage,
            sharing: Cycles::new(1),
            ready: Cycle::new(u64::MAX),
            start: Cycle::new(u64::from(process) << 40),
            finish: Cycle::new(4),
            transfer: Cycles::new(5),
            overlapped: Cycles::new(6),
            overhead: Cycles::ZERO,
            idle: Cycles::new(7),
        }
    }

    fn task(rank: usize) -> RankTask {
        RankTask { ranks: Box::leak(Box::new(Rank(rank))), number: 0xabc }
    }

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn parts_are_joined_by_process_and_stage_and_removed() {
        let folder = tempfile::tempdir().unwrap();
        let rows = folder.path().join("rows.csv");
        let all: Vec<StageRecord> =
            (0..700).flat_map(|process| (0..3).map(move |stage| record(process, stage))).collect();
        let of_rank = |rank: u32| -> Vec<StageRecord> {
            all.iter().filter(|record| record.process.label() / 7 % 3 == rank).copied().collect()
        };
        for rank in [1, 2] {
            leave(&rows, task(rank as usize), &of_rank(rank)).unwrap();
        }
        assert_eq!(names(folder.path()), [".rows.csv.part-abc-1", ".rows.csv.part-abc-2"]);
        let of_leader = of_rank(0);
        let read: Vec<StageRecord> =
            joined(&rows, Some(task(0)), &of_leader).unwrap().collect::<io::Result<_>>().unwrap();
        assert_eq!(read, all);
        assert_eq!(names(folder.path()), [""; 0]);
        let alone: Vec<StageRecord> =
            joined(&rows, None, &of_leader).unwrap().collect::<io::Result<_>>().unwrap();
        assert_eq!(alone, of_leader);
    }

    #[test]
    fn parts_that_are_missing_or_cut_off_are_errors() {
        let folder = tempfile::tempdir().unwrap();
        let rows = folder.path().join("rows.csv");
        leave(&rows, task(1), &[record(3, 0), record(4, 0)]).unwrap();
        let missing = joined(&rows, Some(task(0)), &[]).map(drop).unwrap_err();
        assert!(missing.to_string().starts_with("cannot read the rows of rank 2, "), "{missing}");
        assert_eq!(names(folder.path()), [""; 0]);

        leave(&rows, task(1), &[record(3, 0), record(4, 0)]).unwrap();
        leave(&rows, task(2), &[]).unwrap();
        let cut = path(&rows, task(1), 1);
        let file = File::options().write(true).open(&cut).unwrap();
        file.set_len(file.metadata().unwrap().len() - 1).unwrap();
        let of_leader = [record(1, 0)];
        let mut read = joined(&rows, Some(task(0)), &of_leader).unwrap();
        assert_eq!(read.next().unwrap().unwrap(), record(1, 0));
        assert_eq!(read.next().unwrap().unwrap(), record(3, 0));
        assert_eq!(read.next().unwrap().unwrap_err().to_string(), format!("{} is cut off", cut.display()));
        assert!(read.next().is_none());
    }

    #[test]
    fn what_does_not_count_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let rows = folder.path().join("rows.csv");
        leave(&rows, task(2), &[record(3, 0)]).unwrap();
        discard(&rows, task(0));
        assert_eq!(names(folder.path()), [""; 0]);
    }
}
