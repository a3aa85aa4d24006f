//! How a journal begins: which program wrote it, for which runs.

use std::io::{self, BufRead, Write};

use serde::{Deserialize, Serialize};

use super::{
    Change, JournalError, RunChange, Section, Shard, SweepPlan,
    frame::{Frame, frame, read_frame},
};
use crate::export::RunCaption;

/// The first line, with the version of the form behind it.
const MAGIC: &str = "cubefold journal ";
/// The version of the form.
const FORM: u32 = 1;

/// What a journal is for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Header {
    /// The version of the program that wrote it.
    pub(super) cubefold: String,
    /// The SHA-256 of the descriptions of all runs.
    pub(super) digest: String,
    /// The number of runs, of all parts.
    pub(super) runs: usize,
    /// The part whose runs it is for.
    pub(super) shard: Shard,
    /// The scenarios that the runs are from.
    pub(super) scenarios: Vec<Section>,
}

/// What stands at the beginning of a file.
pub(super) enum Beginning {
    /// A header, and the runs.
    Whole(Header, PlannedRuns),
    /// It ends too early.
    Short,
}

/// The runs that a journal is for, by place.
#[derive(Debug, Default)]
pub(super) struct PlannedRuns {
    /// What they are.
    pub(super) descriptions: Vec<String>,
    /// What tables show of them.
    pub(super) captions: Vec<RunCaption>,
}

impl Header {
    /// The header for a part of a sweep.
    pub(super) fn new(plan: &SweepPlan<'_>, shard: Shard) -> serde_json::Result<Self> {
        let cubefold = env!("CARGO_PKG_VERSION").to_owned();
        let (digest, scenarios) = (plan.digest()?, plan.sections().to_vec());
        Ok(Self { cubefold, digest, runs: plan.run_count(), shard, scenarios })
    }

    /// Writes it and the descriptions of the runs.
    pub(super) fn write(&self, plan: &SweepPlan<'_>, writer: &mut impl Write) -> io::Result<()> {
        writeln!(writer, "{MAGIC}{FORM}")?;
        writer.write_all(&frame(&serde_json::to_vec(self)?)?)?;
        for place in 0..self.runs {
            writer.write_all(&frame(plan.describe(place)?.as_bytes())?)?;
            writer.write_all(&frame(plan.caption(place)?.as_bytes())?)?;
        }
        Ok(())
    }

    /// Whether a journal with this header may be continued as `self`.
    pub(super) fn accept(
        &self,
        found: &Self,
        descriptions: &[String],
        plan: &SweepPlan<'_>,
    ) -> Result<(), JournalError> {
        found.check_version()?;
        if found.digest != self.digest {
            let now = |place| plan.describe(place).unwrap_or_default();
            return Err(JournalError::Changed(change(descriptions, self.runs, now)));
        }
        if found.shard != self.shard {
            return Err(JournalError::OtherShard { found: found.shard, asked: self.shard });
        }
        Ok(())
    }

    /// Whether this version of the program wrote it.
    pub(super) fn check_version(&self) -> Result<(), JournalError> {
        let (found, own) = (self.cubefold.clone(), env!("CARGO_PKG_VERSION").to_owned());
        if found == own { Ok(()) } else { Err(JournalError::Version { found, own }) }
    }
}

/// What differs between the runs of a journal and others.
pub(super) fn change(was: &[String], count: usize, now: impl Fn(usize) -> String) -> Change {
    let both = was.iter().take(count).enumerate();
    let first = both.into_iter().find_map(|(run, was)| RunChange::between(run, was, &now(run)));
    Change { counts: (was.len(), count), first }
}

/// Reads the beginning of a journal.
pub(super) fn read(reader: &mut impl BufRead) -> Result<Beginning, JournalError> {
    let mut first = vec![];
    // A first line that never ends is not read as a whole.
    io::Read::take(&mut *reader, 64).read_until(b'\n', &mut first)?;
    let Some(line) = first.strip_suffix(b"\n") else {
        let expected = format!("{MAGIC}{FORM}");
        let begun = expected.as_bytes().starts_with(&first);
        return if begun { Ok(Beginning::Short) } else { Err(JournalError::Foreign) };
    };
    let form = line.strip_prefix(MAGIC.as_bytes()).ok_or(JournalError::Foreign)?;
    if form != FORM.to_string().as_bytes() {
        let found = String::from_utf8_lossy(form).into_owned();
        return Err(JournalError::Form { found, expected: FORM });
    }
    let Frame::Whole(header) = read_frame(reader)? else { return Ok(Beginning::Short) };
    let header: Header = serde_json::from_slice(&header).map_err(|_| JournalError::Damaged)?;
    let mut runs = PlannedRuns::default();
    for _ in 0..header.runs {
        let Frame::Whole(description) = read_frame(reader)? else { return Ok(Beginning::Short) };
        let Frame::Whole(caption) = read_frame(reader)? else { return Ok(Beginning::Short) };
        runs.descriptions.push(String::from_utf8(description).map_err(|_| JournalError::Damaged)?);
        runs.captions.push(serde_json::from_slice(&caption).map_err(|_| JournalError::Damaged)?);
    }
    Ok(Beginning::Whole(header, runs))
}
