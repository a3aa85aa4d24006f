//! The finished searches of a command, in a file that survives any end of the program.
//!
//! A search is a function of its combination, its seed and its evaluations: an interrupted search starts again and
//! finds the same placement. So the journal keeps only finished searches. It begins with a header that names all
//! searches; each finished one follows as a frame.

use std::{
    fs::{self, File},
    io::{self, BufRead, BufReader, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};

use cubefold_scenario::{PlacementSearch, Run, SearchRequest};
use cubefold_search::{Bound, BoundKind, Found as FoundPlacement};
use cubefold_topology::NodeId;
use serde::{Deserialize, Serialize};

use super::{
    Found, JournalError, SweepPlan,
    form::{ENGINES_DIGEST, frame, read_frame},
    journal_file::open_locked,
};

/// The first line.
const MAGIC: &[u8] = b"cubefold search journal 1\n";

/// The searches of a journal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Header {
    cubefold: String,
    engines: String, // the digest of the program's sources
    runs: String,    // the digest of the runs that are searched
    request: String,
    combinations: usize,
}

/// A finished search.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Entry {
    combination: usize,
    reference: String,
    named: String,
    named_start: usize,
    nodes: Vec<u32>,
    bound_source: String,
    /// The values of the placement found, the reference, the best one with a name, and the bound, as text: they may have
    /// more than 64 bits.
    values: [String; 4],
    evaluations: u64,
}

/// A journal of searches, locked against other processes.
#[derive(Debug)]
pub struct SearchJournal {
    file: File,
    path: PathBuf,
    entries: Vec<Option<Entry>>, // by combination
}

impl SearchJournal {
    /// Creates the journal of these searches, or continues it.
    ///
    /// # Errors
    ///
    /// If one exists and `found` refuses it, another process writes it, it belongs to other searches or another version of
    /// the program, or it cannot be read or written.
    pub fn open(
        path: &Path,
        combinations: &[&[Run]],
        request: &SearchRequest,
        found: Found,
    ) -> Result<Self, JournalError> {
        let runs: Vec<&Run> = combinations.iter().copied().flatten().collect();
        let header = Header {
            cubefold: env!("CARGO_PKG_VERSION").to_owned(),
            engines: ENGINES_DIGEST.to_owned(),
            runs: SweepPlan::new(&runs)?.digest(),
            request: format!("{request:?}"),
            combinations: combinations.len(),
        };
        let file = open_locked(path, found, || ())?;
        let mut journal = Self { file, path: path.to_owned(), entries: vec![None; combinations.len()] };
        if journal.file.metadata()?.len() == 0 {
            journal.begin(&header)?;
        } else {
            journal.read(&header)?;
        }
        Ok(journal)
    }

    fn begin(&mut self, header: &Header) -> io::Result<()> {
        self.file.write_all(MAGIC)?;
        self.file.write_all(&frame(&serde_json::to_vec(header)?)?)
    }

    /// Reads the whole frames, and drops the rest.
    fn read(&mut self, expected: &Header) -> Result<(), JournalError> {
        let mut reader = BufReader::new(&self.file);
        let mut first = vec![];
        io::Read::take(&mut reader, MAGIC.len() as u64).read_until(b'\n', &mut first)?;
        if first != MAGIC {
            return Err(JournalError::Foreign);
        }
        let header = read_frame(&mut reader)?.ok_or(JournalError::Damaged)?;
        let header: Header = serde_json::from_slice(&header).map_err(|_| JournalError::Damaged)?;
        if header.engines != expected.engines {
            let (found, own) = (header.cubefold, expected.cubefold.clone());
            return Err(JournalError::Version { found, own });
        }
        if header != *expected {
            return Err(JournalError::OtherSearches);
        }
        let mut end = reader.stream_position()?;
        while let Some(payload) = read_frame(&mut reader)? {
            let Ok(entry) = serde_json::from_slice::<Entry>(&payload) else { break };
            let Some(place) = self.entries.get_mut(entry.combination) else { break };
            *place = Some(entry);
            end = reader.stream_position()?;
        }
        drop(reader);
        self.file.set_len(end)?;
        self.file.seek(SeekFrom::Start(end))?;
        Ok(())
    }

    /// The path of the file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The number of finished searches.
    #[must_use]
    pub fn count(&self) -> usize {
        self.entries.iter().flatten().count()
    }

    /// A finished search of the combination at `place`, which has these runs.
    #[must_use]
    pub fn finished(&self, place: usize, runs: &[Run]) -> Option<PlacementSearch> {
        let entry = self.entries.get(place)?.as_ref()?;
        let values: Vec<u128> = entry.values.iter().filter_map(|value| value.parse().ok()).collect();
        let [value, reference, named_value, bound] = values[..].try_into().ok()?;
        let kind = BoundKind::all().find(|kind| kind.name() == entry.bound_source)?;
        let found = FoundPlacement {
            nodes: entry.nodes.iter().copied().map(NodeId::new).collect(),
            value,
            reference,
            named: entry.named_start,
            named_value,
            bound: Bound { value: bound, kind },
            evaluations: entry.evaluations,
        };
        let names = [entry.reference.clone(), entry.named.clone()];
        Some(PlacementSearch::found(runs.first()?, names, found))
    }

    /// Adds a finished search of the combination at `place`.
    ///
    /// # Errors
    ///
    /// If writing fails.
    pub fn append(&mut self, place: usize, search: &PlacementSearch) -> io::Result<()> {
        let found = &search.found;
        let values = [found.value, found.reference, found.named_value, found.bound.value];
        let entry = Entry {
            combination: place,
            reference: search.reference.clone(),
            named: search.named.clone(),
            named_start: found.named,
            nodes: found.nodes.iter().map(|node| node.index()).collect(),
            bound_source: found.bound.kind.name().to_owned(),
            values: values.map(|value| value.to_string()),
            evaluations: found.evaluations,
        };
        self.file.write_all(&frame(&serde_json::to_vec(&entry)?)?)?;
        self.entries[place] = Some(entry);
        Ok(())
    }

    /// Removes the file after its results were written elsewhere.
    ///
    /// # Errors
    ///
    /// If the operating system refuses.
    pub fn remove(self) -> io::Result<()> {
        fs::remove_file(&self.path)
    }
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use super::*;
    use cubefold_scenario::load_text;

    const TEXT: &str = "machine = { kind = \"ring\", shape = [8] }\nprogram = { kind = \"cc-cube\", units = [4, 2, 1] }\n\
                        mapping.embeddings = [\"standard\", \"xor\"]\nsweep = { \"machine.hop_cycles\" = [1, 2, 3] }\n";

    fn request(seed: u64) -> SearchRequest {
        let objective = cubefold_search::Objective::Makespan;
        SearchRequest { objective, evaluations: Some(100), seed: Some(seed), starts: vec![] }
    }

    #[test]
    fn a_journal_goes_on_after_its_last_whole_search() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("found.json.partial");
        let scenario = load_text(Path::new("ring.toml"), TEXT).unwrap();
        let combinations: Vec<&[Run]> = scenario.combinations().collect();
        let open = |seed, found| SearchJournal::open(&path, &combinations, &request(seed), found);
        let search =
            |place: usize| {
                PlacementSearch::of(combinations[place], &request(1), u64::MAX, &mut |_| {
                    ControlFlow::Continue(())
                })
            };
        let mut journal = open(1, Found::Refuse).unwrap();
        for place in [0, 2] {
            journal.append(place, &search(place).unwrap()).unwrap();
        }
        assert!(matches!(open(1, Found::Resume), Err(JournalError::Locked)));
        drop(journal);
        assert!(matches!(open(1, Found::Refuse), Err(JournalError::Found)));
        assert!(matches!(open(2, Found::Resume), Err(JournalError::OtherSearches)));
        // The last search was being written when the program ended.
        let whole = fs::read(&path).unwrap();
        fs::write(&path, &whole[..whole.len() - 9]).unwrap();
        let mut journal = open(1, Found::Resume).unwrap();
        assert_eq!(journal.count(), 1);
        let (kept, again) = (journal.finished(0, combinations[0]).unwrap(), search(0).unwrap());
        assert_eq!((kept.found, kept.reference, kept.named), (again.found, again.reference, again.named));
        assert_eq!(kept.run.placement.nodes(), again.run.placement.nodes());
        assert!(journal.finished(2, combinations[2]).is_none());
        journal.append(2, &search(2).unwrap()).unwrap();
        drop(journal);
        assert_eq!(fs::read(&path).unwrap(), whole);
        open(1, Found::Resume).unwrap().remove().unwrap();
        assert!(!path.exists());
        fs::write(&path, "something else").unwrap();
        assert!(matches!(open(1, Found::Resume), Err(JournalError::Foreign)));
    }
}
