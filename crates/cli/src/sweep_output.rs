//! The collection of a sweep's runs as they finish, and the final output.

use std::{
    io,
    path::{Path, PathBuf},
};

use cubefold_records::RunRecord;
use cubefold_runs::{
    RunError,
    journal::{Found, Journal, JournalError, JournalFile, Shard, SweepPlan},
};
use tempfile::SpooledTempFile;

use crate::{
    arguments::SharedOptions,
    failure::Failure,
    interruption,
    output::{Existing, Output, printable_path, refuse_long_name, regular_file, say},
};

/// Without a journal: the bytes of records in memory beyond which they go to a temporary file.
const IN_MEMORY: usize = 64 << 20;
/// Their greatest share of the allowed memory.
const MEMORY_SHARE: u64 = 16;

/// The gathered runs of a sweep, or of a part of one.
#[derive(Debug)]
pub(crate) enum SweepOutput {
    /// For standard output or a device, which have no journal.
    Spooled { journal: Journal<SpooledTempFile>, output: Output },
    /// For a file, with a journal beside it.
    File { journal: JournalFile, path: PathBuf },
    /// For a part, which is its completed journal.
    Part { journal: JournalFile, path: PathBuf },
}

/// Records in the order of their runs.
type Records<'output> = Box<dyn Iterator<Item = io::Result<RunRecord>> + 'output>;

impl SweepOutput {
    /// Opens the destination and its journal. `shard` is the requested part; `None` for the whole sweep.
    pub(crate) fn open(
        options: &SharedOptions,
        inputs: &[&PathBuf],
        plan: &SweepPlan<'_>,
        found: Found,
        shard: Option<Shard>,
    ) -> Result<Self, Failure> {
        let path = options.output();
        let Some(file) = regular_file(path) else {
            refuse_without_file(found, shard)?;
            let limit = usize::try_from(options.resources().memory / MEMORY_SHARE).unwrap_or(usize::MAX);
            return Self::spooled(
                Output::open_apart_from(options, inputs.iter().copied())?,
                plan,
                IN_MEMORY.min(limit),
            );
        };
        Output::refuse_inputs(&file, inputs.iter().copied())?;
        let suffix = shard.map_or(0, |shard| shard.suffix().len() + 1);
        refuse_long_name(&file, suffix + ".partial".len().max(".".len() + ".writing".len()))?;
        let existing = if found == Found::Refuse { options.existing() } else { Existing::Replace };
        let part = shard.map(|shard| with_suffix(&file, &shard.suffix()));
        let target = part.as_ref().unwrap_or(&file);
        let partial = with_suffix(target, "partial");
        existing.refuse(target)?;
        // A complete part is recognised, so a resubmitted job repeats nothing.
        let complete = part.as_ref().filter(|part| part.exists() && !partial.exists());
        let place = complete.filter(|_| found != Found::Refuse).unwrap_or(&partial);
        let journal = open(place, plan, shard.unwrap_or(Shard::WHOLE), found);
        let journal = journal.map_err(|error| Failure::journal(path.unwrap_or(place), place, &error))?;
        announce(&journal);
        Ok(match part {
            Some(path) => Self::Part { journal, path },
            None => Self::File { journal, path: file },
        })
    }

    /// For a destination without a journal.
    fn spooled(output: Output, plan: &SweepPlan<'_>, in_memory: usize) -> Result<Self, Failure> {
        let journal = Journal::begin(SpooledTempFile::new(in_memory), plan, Shard::WHOLE);
        let journal = journal.map_err(|error| Failure::output(Some(&spool()), io::Error::other(error)))?;
        Ok(Self::Spooled { journal, output })
    }

    /// The unfinished runs, in order.
    pub(crate) fn missing(&self) -> Vec<usize> {
        match self {
            Self::Spooled { journal, .. } => journal.missing(),
            Self::File { journal, .. } | Self::Part { journal, .. } => journal.journal().missing(),
        }
    }

    /// A sentence on a damaged journal; `None` if it is whole.
    pub(crate) fn loss(&self) -> Option<String> {
        let (Self::File { journal, .. } | Self::Part { journal, .. }) = self else { return None };
        let path = journal.path().display();
        journal.journal().was_damaged().then(|| {
            format!("in {path} a record was damaged; its run and those recorded after it are executed again")
        })
    }

    pub(crate) fn run_count(&self) -> usize {
        match self {
            Self::Spooled { journal, .. } => journal.run_count(),
            Self::File { journal, .. } | Self::Part { journal, .. } => journal.journal().run_count(),
        }
    }

    pub(crate) fn append(&self, place: usize, record: &RunRecord) -> Result<(), Failure> {
        match self {
            Self::Spooled { journal, .. } => {
                journal.append(place, record).map_err(|error| Failure::output(Some(&spool()), error))
            }
            Self::File { journal, .. } | Self::Part { journal, .. } => {
                let appended = journal.journal().append(place, record);
                appended.map_err(|error| Failure::output(Some(journal.path()), error))?;
                interruption::keep_run();
                Ok(())
            }
        }
    }

    /// The failure of these runs, which names the journal of the others.
    pub(crate) fn failure(&self, failed: Vec<(usize, RunError)>) -> Failure {
        Failure::Runs { failed, of: self.run_count(), kept: self.journal().map(Path::to_owned) }
    }

    /// The path of the journal; `None` without one.
    pub(crate) fn journal(&self) -> Option<&Path> {
        match self {
            Self::Spooled { .. } => None,
            Self::File { journal, .. } | Self::Part { journal, .. } => Some(journal.path()),
        }
    }

    /// Completes the output when all runs are finished. A part moves to its final path. Otherwise `write` gets the
    /// destination and the records, in the order of the runs, and the journal is removed.
    pub(crate) fn finish(
        self,
        write: impl for<'output> FnOnce(
            Output,
            &'output (dyn Fn() -> Records<'output> + 'output),
        ) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        match self {
            Self::Spooled { journal, output } => write(output, &|| Box::new(journal.records())),
            Self::File { journal, path } => {
                let output = Output::beside(&path)?;
                write(output, &|| Box::new(journal.journal().records()))?;
                let place = journal.path().to_owned();
                journal.remove().map_err(|error| Failure::output(Some(&place), error))
            }
            Self::Part { journal, path } => {
                journal.rename(&path).map_err(|error| Failure::output(Some(&path), error))
            }
        }
    }
}

/// The name in messages for the file that holds records until they are written.
fn spool() -> PathBuf {
    format!("a temporary file in {}", std::env::temp_dir().display()).into()
}

/// Opens the journal at `place`, with a message before it waits for another process.
fn open(place: &Path, plan: &SweepPlan<'_>, shard: Shard, found: Found) -> Result<JournalFile, JournalError> {
    JournalFile::open(place, plan, shard, found, || {
        say(&format!("waiting for another process that writes {}", printable_path(place)));
    })
}

/// Registers the kept runs for the message at an interruption.
fn announce(journal: &JournalFile) {
    let (count, missing) = (journal.journal().run_count(), journal.journal().missing().len());
    interruption::keep_runs(journal.path(), count - missing, count);
}

/// The refusal of a journal or a part for standard output and devices.
pub(crate) fn refuse_without_file(found: Found, shard: Option<Shard>) -> Result<(), Failure> {
    let option = match (shard, found) {
        (Some(_), _) => "--shard",
        (None, Found::Resume | Found::ResumeWhenFree) => "--resume",
        (None, Found::Refuse) => return Ok(()),
    };
    let message = format!("{option} without a file: standard output keeps no journal");
    Err(Failure::usage(message, "name a file with --output"))
}

/// The path with a dot and `suffix` appended to its name.
pub(crate) fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".");
    name.push(suffix);
    name.into()
}
