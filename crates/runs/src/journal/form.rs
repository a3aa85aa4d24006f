//! The form of a journal: truncatable storage, frames with checksums, and the header with the version of the
//! program and the planned runs.
//!
//! A frame is a line with a length, a checksum and a payload:
//!
//! ```text
//! 0000001f 9a3c5e1f00b1d2e4 {"run":3,"record":{..}}
//! length   checksum         the payload, and a line feed
//! ```

use std::{
    collections::BTreeMap,
    fs::File,
    io::{self, BufRead, Cursor, Read, Seek, Write},
};

use cubefold_records::{Provenance, RunCaption};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::{Change, JournalError, RunChange, Section, Shard, SweepPlan};

/// Storage that can be read, written and truncated: a file, or memory.
pub trait Storage: Read + Write + Seek {
    /// Keeps only the first `length` bytes.
    ///
    /// # Errors
    ///
    /// If the operating system refuses.
    fn cut(&mut self, length: u64) -> io::Result<()>;
}

impl Storage for File {
    fn cut(&mut self, length: u64) -> io::Result<()> {
        self.set_len(length)
    }
}

impl Storage for tempfile::SpooledTempFile {
    fn cut(&mut self, length: u64) -> io::Result<()> {
        self.set_len(length)
    }
}

impl Storage for Cursor<Vec<u8>> {
    fn cut(&mut self, length: u64) -> io::Result<()> {
        self.get_mut().truncate(usize::try_from(length).unwrap_or(usize::MAX));
        Ok(())
    }
}

/// Number of bytes before the payload: two hexadecimal numbers, each followed by a space.
pub(super) const PREFIX: usize = 8 + 1 + 16 + 1;

/// Encodes a payload as a frame.
pub(super) fn frame(payload: &[u8]) -> io::Result<Vec<u8>> {
    let too_long = |_| io::Error::new(io::ErrorKind::FileTooLarge, "a record of over 4 GiB");
    let length = u32::try_from(payload.len()).map_err(too_long)?;
    let mut bytes = format!("{length:08x} {:016x} ", checksum(payload)).into_bytes();
    bytes.extend_from_slice(payload);
    bytes.push(b'\n');
    Ok(bytes)
}

/// Reads the payload of the next frame; `None` at the end of the storage, and if the frame is incomplete or damaged.
pub(super) fn read_frame(reader: &mut impl Read) -> io::Result<Option<Vec<u8>>> {
    let mut prefix = vec![];
    reader.by_ref().take(PREFIX as u64).read_to_end(&mut prefix)?;
    let Some((length, expected)) = numbers(&prefix) else { return Ok(None) };
    // The buffer grows with the data, so a wrong length costs no memory.
    let mut payload = vec![];
    reader.by_ref().take(u64::from(length) + 1).read_to_end(&mut payload)?;
    let is_whole = payload.len() == length as usize + 1 && payload.pop() == Some(b'\n');
    Ok((is_whole && checksum(&payload) == expected).then_some(payload))
}

/// The length and the checksum in a prefix, if they are in their written form.
fn numbers(prefix: &[u8]) -> Option<(u32, u64)> {
    let text = std::str::from_utf8(prefix).ok()?;
    let (length, rest) = text.split_once(' ')?;
    let numbers =
        (u32::from_str_radix(length, 16).ok()?, u64::from_str_radix(rest.strip_suffix(' ')?, 16).ok()?);
    (format!("{:08x} {:016x} ", numbers.0, numbers.1) == text).then_some(numbers)
}

/// The first 64 bits of the SHA-256 of the length and the bytes.
fn checksum(payload: &[u8]) -> u64 {
    let mut hash = Sha256::new();
    hash.update((payload.len() as u64).to_le_bytes());
    hash.update(payload);
    hash.finalize().iter().take(8).fold(0, |sum, &byte| sum << 8 | u64::from(byte))
}

/// The first line, which is followed by the version of the form.
const MAGIC: &str = "cubefold journal ";
const FORM: u32 = 2;

/// The program and the runs of a journal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Header {
    /// The version of the program that wrote it, for messages.
    pub(super) cubefold: String,
    /// The digest of the engines and of the form of records that wrote it; empty in old journals.
    #[serde(default)]
    pub(super) engines: String,
    /// The SHA-256 of the descriptions of all runs.
    pub(super) digest: String,
    /// Number of runs in all parts.
    pub(super) runs: usize,
    /// The part of the sweep that the journal holds.
    pub(super) shard: Shard,
    /// The scenarios of the runs.
    pub(super) scenarios: Vec<Section>,
    /// The origin of the results of a part's sweep.
    #[serde(default)]
    pub(super) provenance: Option<Provenance>,
}

/// The runs that a journal describes, by their places in the sweep: those of its part, and the first.
#[derive(Debug, Default)]
pub(super) struct PlannedRuns {
    /// Their descriptions ([`SweepPlan::describe`]).
    pub(super) descriptions: BTreeMap<usize, String>,
    /// Their captions in tables.
    pub(super) captions: BTreeMap<usize, RunCaption>,
}

impl Header {
    pub(super) fn new(plan: &SweepPlan<'_>, shard: Shard) -> Self {
        let cubefold = env!("CARGO_PKG_VERSION").to_owned();
        let (digest, scenarios) = (plan.digest(), plan.sections.clone());
        let engines = ENGINES_DIGEST.to_owned();
        let provenance = plan.provenance.clone();
        Self { cubefold, engines, digest, runs: plan.run_count(), shard, scenarios, provenance }
    }

    /// Lists the places of the runs that the journal describes, in order.
    fn described(&self) -> impl Iterator<Item = usize> {
        let shard = self.shard;
        (0..self.runs).filter(move |&run| shard.describes(run))
    }

    /// Writes the header and the descriptions of the runs.
    pub(super) fn write(&self, plan: &SweepPlan<'_>, writer: &mut impl Write) -> io::Result<()> {
        writeln!(writer, "{MAGIC}{FORM}")?;
        writer.write_all(&frame(&serde_json::to_vec(self)?)?)?;
        for &(_, run) in plan.runs.iter().filter(|(place, _)| self.shard.describes(*place)) {
            writer.write_all(&frame(plan.describe(run)?.as_bytes())?)?;
            writer.write_all(&frame(SweepPlan::caption(run)?.as_bytes())?)?;
        }
        Ok(())
    }

    /// Checks that a journal with this header may be continued as `self`.
    pub(super) fn accept(
        &self,
        found: &Self,
        descriptions: &BTreeMap<usize, String>,
        plan: &SweepPlan<'_>,
    ) -> Result<(), JournalError> {
        if found.digest != self.digest {
            let described = plan.runs.iter().map(|&(place, run)| (place, plan.describe(run)));
            let now = described.filter_map(|(place, now)| Some((place, now.ok()?)));
            let counts = (found.runs, self.runs);
            return Err(JournalError::Changed(change(counts, descriptions, now)));
        }
        if found.shard != self.shard {
            return Err(JournalError::OtherShard { found: found.shard, asked: self.shard });
        }
        Ok(())
    }

    /// Checks that this version of the program wrote it.
    fn check_version(&self) -> Result<(), JournalError> {
        if self.engines == ENGINES_DIGEST {
            return Ok(());
        }
        Err(JournalError::Version { found: self.cubefold.clone(), own: env!("CARGO_PKG_VERSION").to_owned() })
    }
}

/// Programs with equal digests may write to the same journal. It covers the sources of everything that makes
/// records, or the versions of published crates, which never change.
pub(super) const ENGINES_DIGEST: &str = env!("CUBEFOLD_ENGINES_DIGEST");

/// The first difference between the runs of a journal and the requested runs, whose numbers are `counts`.
pub(super) fn change<'a>(
    counts: (usize, usize),
    was: &BTreeMap<usize, String>,
    now: impl IntoIterator<Item = (usize, impl AsRef<str> + 'a)>,
) -> Change {
    let between = |(place, now): (usize, _)| RunChange::between(place, was.get(&place)?, AsRef::as_ref(&now));
    Change { counts, first: now.into_iter().find_map(between) }
}

/// Reads the header of a journal and its planned runs; `None` if they are incomplete.
pub(super) fn read_header(reader: &mut impl BufRead) -> Result<Option<(Header, PlannedRuns)>, JournalError> {
    let mut first = vec![];
    // The limit stops an endless first line.
    io::Read::take(&mut *reader, 64).read_until(b'\n', &mut first)?;
    let Some(line) = first.strip_suffix(b"\n") else {
        let is_begun = format!("{MAGIC}{FORM}").as_bytes().starts_with(&first);
        return if is_begun { Ok(None) } else { Err(JournalError::Foreign) };
    };
    let form = line.strip_prefix(MAGIC.as_bytes()).ok_or(JournalError::Foreign)?;
    if form != FORM.to_string().as_bytes() {
        let found = String::from_utf8_lossy(form).into_owned();
        return Err(JournalError::Form { found, expected: FORM });
    }
    let Some(header) = read_frame(reader)? else { return Ok(None) };
    let header: Header = serde_json::from_slice(&header).map_err(|_| JournalError::Damaged)?;
    header.check_version()?;
    let mut runs = PlannedRuns::default();
    for place in header.described() {
        let Some(description) = read_frame(reader)? else { return Ok(None) };
        let Some(caption) = read_frame(reader)? else { return Ok(None) };
        let description = String::from_utf8(description).map_err(|_| JournalError::Damaged)?;
        runs.descriptions.insert(place, description);
        let caption = serde_json::from_slice(&caption).map_err(|_| JournalError::Damaged)?;
        runs.captions.insert(place, caption);
    }
    Ok(Some((header, runs)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> Option<Vec<u8>> {
        read_frame(&mut &*bytes).unwrap()
    }

    #[test]
    fn frames_are_read_as_they_were_written() {
        for payload in [&b""[..], b"{}", b"with\nlines\n", &[0, 255]] {
            let bytes = frame(payload).unwrap();
            assert_eq!(read(&bytes).as_deref(), Some(payload));
            let both = [bytes.as_slice(), b"rest"].concat();
            assert_eq!(read(&both).as_deref(), Some(payload));
        }
        assert_eq!(read(b""), None);
    }

    #[test]
    fn a_frame_with_any_byte_missing_or_changed_is_not_read() {
        let bytes = frame(b"{\"run\":3}").unwrap();
        for cut in 1..bytes.len() {
            assert_eq!(read(&bytes[..cut]), None, "cut at {cut}");
        }
        for place in 0..bytes.len() {
            for bit in 0..8 {
                let mut changed = bytes.clone();
                changed[place] ^= 1 << bit;
                assert_eq!(read(&changed), None, "bit {bit} of byte {place}");
            }
        }
    }
}
