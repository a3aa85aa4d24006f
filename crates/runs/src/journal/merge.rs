//! Merging of the parts of a sweep.

use std::{
    collections::BTreeMap,
    fs::File,
    io::{self, BufReader},
    path::{Path, PathBuf},
    sync::Mutex,
};

use cubefold_formats::input::input_file;
use cubefold_records::{Provenance, RunCaption, RunRecord, ScenarioCaption};

use super::{
    Change, Contents, Journal, JournalError, Section, Shard,
    form::{Header, PlannedRuns, change, read_header},
    index,
};

/// The journals of the parts of one sweep, which together have every run once.
#[derive(Debug)]
pub struct MergedJournals {
    parts: Vec<Part>,
    owners: Vec<usize>,        // by run, the index of its part
    captions: Vec<RunCaption>, // by run
}

#[derive(Debug)]
struct Part {
    path: PathBuf,
    journal: Journal<File>,
}

/// Parts that cannot be merged.
#[derive(Debug, thiserror::Error)]
pub enum MergeError {
    /// A part cannot be used.
    #[error("{}: {error}", part.display())]
    Part {
        /// The part.
        part: PathBuf,
        /// The reason.
        error: JournalError,
    },
    /// Two parts belong to different sweeps.
    #[error("{} and {} are parts of different sweeps: from the first to the second, {change}", first.display(), second.display())]
    OtherSweep {
        /// The first part.
        first: PathBuf,
        /// The second part.
        second: PathBuf,
        /// The difference.
        change: Box<Change>,
    },
    /// Two parts have the same runs.
    #[error(
        "{} ({}) and {} ({}) overlap: both have {}",
        first.0.display(), first.1, second.0.display(), second.1, listed(runs)
    )]
    Overlap {
        /// The first part.
        first: (PathBuf, Shard),
        /// The second part.
        second: (PathBuf, Shard),
        /// The common runs, by their indices in the results, counted from 0.
        runs: Vec<usize>,
    },
    /// A part is incomplete.
    #[error("{} ({shard}) lacks {}", part.display(), listed(runs))]
    Incomplete {
        /// The file.
        part: PathBuf,
        /// Its part of the sweep.
        shard: Shard,
        /// The missing runs, by their indices in the results, counted from 0.
        runs: Vec<usize>,
    },
    /// Some runs are in no part.
    #[error(
        "none of the parts given ({parts}) has {}, of {count} runs in all{}",
        listed(runs),
        missing(shards)
    )]
    Gap {
        /// The missing runs, by their indices in the results, counted from 0.
        runs: Vec<usize>,
        /// Total number of runs.
        count: usize,
        /// Number of given parts.
        parts: usize,
        /// The missing parts, if all given ones divide the sweep in the same way.
        shards: Vec<Shard>,
    },
}

/// The first eight runs of a list, and the number of the others: `run 3`, `runs 0, 1, 2, 3, 4, 5, 6, 7 and 2 more`.
fn listed(runs: &[usize]) -> String {
    const SHOWN: usize = 8;
    let noun = if runs.len() == 1 { "run" } else { "runs" };
    let shown: Vec<String> = runs.iter().take(SHOWN).map(ToString::to_string).collect();
    let more = runs.len().saturating_sub(SHOWN);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{noun} {}{more}", shown.join(", "))
}

fn missing(shards: &[Shard]) -> String {
    let names: Vec<String> = shards.iter().map(ToString::to_string).collect();
    if names.is_empty() { String::new() } else { format!("; missing: {}", names.join(", ")) }
}

impl MergedJournals {
    /// Opens the parts and checks that they are complete, belong to one sweep, and fit together.
    ///
    /// # Errors
    ///
    /// If a part cannot be read or is incomplete, the parts belong to different sweeps or versions of the
    /// program, or a run is in two of them or in none.
    pub fn open(paths: &[PathBuf]) -> Result<Self, MergeError> {
        let mut parts: Vec<Part> = vec![];
        let mut planned = PlannedRuns::default();
        for path in paths {
            let (part, runs) = Part::open(path)?;
            match parts.first() {
                Some(first) => first.same_sweep(&part, &planned.descriptions, &runs.descriptions)?,
                None => planned.descriptions = runs.descriptions,
            }
            planned.captions.extend(runs.captions);
            parts.push(part);
        }
        let owners = owners(&parts)?;
        Ok(Self { parts, owners, captions: planned.captions.into_values().collect() })
    }

    /// Number of runs.
    #[must_use]
    pub fn run_count(&self) -> usize {
        self.owners.len()
    }

    /// The origin of the results, if it is known.
    #[must_use]
    pub fn provenance(&self) -> Option<&Provenance> {
        self.parts.first()?.header().provenance.as_ref()
    }

    /// Captions of the scenarios of the runs.
    #[must_use]
    pub fn scenarios(&self) -> Vec<ScenarioCaption> {
        let mut captions = self.captions.iter().cloned();
        let sections = self.parts.first().into_iter().flat_map(|part| &part.header().scenarios);
        let caption = |section: &Section| ScenarioCaption {
            name: section.name.clone(),
            runs: captions.by_ref().take(section.runs).collect(),
        };
        sections.map(caption).collect()
    }

    /// The records of all runs, in their order.
    pub fn records(&self) -> impl Iterator<Item = io::Result<RunRecord>> {
        self.owners.iter().enumerate().map(|(run, &part)| self.parts[part].journal.record(run))
    }
}

impl Part {
    /// Opens a part, and returns it with the runs that it describes.
    fn open(path: &Path) -> Result<(Self, PlannedRuns), MergeError> {
        Self::read(path).map_err(|error| MergeError::Part { part: path.to_owned(), error })
    }

    fn read(path: &Path) -> Result<(Self, PlannedRuns), JournalError> {
        let mut storage = input_file::open(path).map_err(io::Error::from)?;
        let mut reader = BufReader::new(&mut storage);
        let (header, planned) = read_header(&mut reader)?.ok_or(JournalError::Damaged)?;
        let (end, places) = index(&mut reader, &header)?;
        let contents = Mutex::new(Contents { storage, end, places });
        Ok((Self { path: path.to_owned(), journal: Journal { header, contents, damaged: false } }, planned))
    }

    fn header(&self) -> &Header {
        &self.journal.header
    }

    fn same_sweep(
        &self,
        other: &Self,
        descriptions: &BTreeMap<usize, String>,
        others: &BTreeMap<usize, String>,
    ) -> Result<(), MergeError> {
        if self.header().digest == other.header().digest {
            return Ok(());
        }
        let counts = (self.header().runs, other.header().runs);
        let change = Box::new(change(counts, descriptions, others.iter().map(|(&place, now)| (place, now))));
        Err(MergeError::OtherSweep { first: self.path.clone(), second: other.path.clone(), change })
    }

    fn has(&self, run: usize) -> bool {
        self.journal.lock().places[run].is_some()
    }
}

/// By run, the index of its part.
fn owners(parts: &[Part]) -> Result<Vec<usize>, MergeError> {
    let count = parts.first().map_or(0, |part| part.header().runs);
    let mut owners: Vec<Option<usize>> = vec![None; count];
    for (place, part) in parts.iter().enumerate() {
        for run in (0..count).filter(|&run| part.has(run)) {
            if let Some(first) = owners[run].replace(place) {
                return Err(overlap(&parts[first], part, count));
            }
        }
    }
    owners.iter().copied().collect::<Option<Vec<usize>>>().ok_or_else(|| incomplete(parts, &owners))
}

fn overlap(first: &Part, second: &Part, count: usize) -> MergeError {
    let runs = (0..count).filter(|&run| first.has(run) && second.has(run)).collect();
    let named = |part: &Part| (part.path.clone(), part.header().shard);
    MergeError::Overlap { first: named(first), second: named(second), runs }
}

/// The error for runs in no part: [`MergeError::Incomplete`] of the part that should have them, else
/// [`MergeError::Gap`].
fn incomplete(parts: &[Part], owners: &[Option<usize>]) -> MergeError {
    let absent: Vec<usize> = (0..owners.len()).filter(|&run| owners[run].is_none()).collect();
    for part in parts {
        let shard = part.header().shard;
        let runs: Vec<usize> = absent.iter().copied().filter(|&run| shard.has(run)).collect();
        if !runs.is_empty() {
            return MergeError::Incomplete { part: part.path.clone(), shard, runs };
        }
    }
    let given: Vec<Shard> = parts.iter().map(|part| part.header().shard).collect();
    let shards = given.first().map_or_else(Vec::new, |first| first.others_than(&given));
    MergeError::Gap { runs: absent, count: owners.len(), parts: parts.len(), shards }
}
