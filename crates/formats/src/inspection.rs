//! The answer of `inspect`: the format of a file, its contents, missing data, and the lines that use it.

use std::{
    io::{self, Write},
    path::Path,
    sync::Arc,
};

use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::{Map, json};

use crate::{
    format::{Complaint, FileText, Format, Reader, Reading, Recognised, Recogniser, read_as},
    input::{
        foreign::foreign_bytes,
        input_file::{self, InputError},
        text::printable,
    },
    read::{FORMATS, keys_of, large::read_streamed},
    scenario_lines,
    value::Kind,
};

/// The largest file that is read \[bytes\].
const MAX_BYTES: u64 = 64 << 20;

/// Reads a file that is too large to be held in memory.
fn streamed(path: &Path, named: Option<&'static Format>) -> Recognised {
    match read_streamed(path) {
        Ok(Some((format, read))) if named.is_none_or(|asked| asked.name == format.name) => match read {
            Ok(reading) => Recognised::Read(format, Arc::new(reading), vec![]),
            Err(complaints) => Recognised::Wrong(format, complaints),
        },
        Ok(_) => Recognised::Unreadable(InputError::TooLong(MAX_BYTES).to_string()),
        Err(error) => Recognised::Unreadable(error.to_string()),
    }
}

/// The reason why a file of unknown format is unreadable: it is compressed, or broken.
fn unreadable(file: &FileText<'_>) -> Option<String> {
    if let Some(kind) = foreign_bytes(file.bytes) {
        let help = match kind {
            "UTF-16 text" => " in UTF-8: iconv -f UTF-16 -t UTF-8 converts it",
            _ if kind.starts_with("compressed") => ": decompress it first",
            _ => "",
        };
        return Some(format!("the file is {kind}, expected a text{help}"));
    }
    let begin = file.text.trim_start();
    if begin.is_empty() && file.bytes.iter().all(u8::is_ascii_whitespace) {
        return Some("the file is empty".to_owned());
    }
    let inner = begin.strip_prefix('[').map_or(begin, str::trim_start);
    let error =
        serde_json::from_str::<serde::de::IgnoredAny>(begin).err().filter(|_| inner.starts_with('{'))?;
    Some(format!("the file is broken JSON: {error}"))
}

/// The meaning of a code in `assumed`.
fn assumption(code: &str) -> &'static str {
    match code {
        "one-cable" => "the file counts no cables between switches; a run takes those of machine.uplinks",
        "all-hosts" => "nodes with numbers are all hosts",
        "base-0" => "the file counts from 0",
        "base-1" => "the file counts from 1",
        "rounded" => "amounts are rounded to a byte",
        "full-mesh" => "all pairs are linked, without contention",
        "half-of-both-directions" => "a direction has half of the rate of both",
        "ranks-from-rates" => "the number of ranks follows from two rates",
        "nanoseconds" => "times have no unit",
        _ => "see docs/files.md",
    }
}

/// How far a file is understood.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Understood {
    /// It is unreadable, of unknown format, or has errors.
    Nothing,
    /// It is recognised, but unsupported or ambiguous.
    Recognised,
    /// It is read.
    Read,
}

/// A file and what was recognised in it.
#[derive(Debug)]
pub struct Inspection {
    path: String,
    recognised: Recognised,
}

impl Inspection {
    /// Reads a file: as a format if one is given, else by its contents.
    #[must_use]
    pub fn of(path: &Path, named: Option<&'static Format>) -> Self {
        let shown = path.display().to_string();
        match input_file::read(path, MAX_BYTES) {
            Ok(bytes) => Self::of_bytes(shown, &bytes, named),
            Err(InputError::TooLong(_)) => Self { path: shown, recognised: streamed(path, named) },
            Err(error) => Self { path: shown, recognised: Recognised::Unreadable(error.to_string()) },
        }
    }

    /// Inspects contents under the name of a file.
    #[must_use]
    pub fn of_bytes(path: String, bytes: &[u8], named: Option<&'static Format>) -> Self {
        let recognised = if let Some(format) = named {
            read_as(bytes, format)
        } else {
            let mut recogniser = Recogniser::new(bytes);
            match recogniser.recognise(None) {
                Recognised::Unknown => {
                    unreadable(&recogniser.file).map_or(Recognised::Unknown, Recognised::Unreadable)
                }
                other => other,
            }
        };
        Self { path, recognised }
    }

    /// How far the file is understood.
    #[must_use]
    pub fn understood(&self) -> Understood {
        match self.recognised {
            Recognised::Unreadable(_) | Recognised::Unknown | Recognised::Wrong(..) => Understood::Nothing,
            Recognised::NotRead(_) | Recognised::Ambiguous(_) => Understood::Recognised,
            Recognised::Read(..) => Understood::Read,
        }
    }

    fn format(&self) -> Option<&'static Format> {
        match &self.recognised {
            Recognised::Unreadable(_) | Recognised::Unknown => None,
            Recognised::NotRead(format) | Recognised::Wrong(format, _) | Recognised::Read(format, ..) => {
                Some(format)
            }
            Recognised::Ambiguous(all) => all.first().copied(),
        }
    }

    fn reading(&self) -> Option<&Reading> {
        match &self.recognised {
            Recognised::Read(_, reading, _) => Some(reading),
            _ => None,
        }
    }

    fn kind(&self) -> Option<Kind> {
        let content = self.reading().map(|reading| reading.content.kind());
        content.or_else(|| self.format().and_then(|format| format.holds.first().copied()))
    }

    fn missing(&self) -> Vec<&'static str> {
        let Some(reading) = self.reading() else { return vec![] };
        let mut missing = reading.content.missing();
        missing.extend(&reading.missing);
        missing
    }

    /// The command that converts the file.
    fn convert(&self) -> Option<String> {
        match self.recognised {
            Recognised::NotRead(format) => format.conversion(&self.path),
            _ => None,
        }
    }

    fn errors(&self) -> Vec<Complaint> {
        match &self.recognised {
            Recognised::Wrong(_, complaints) => complaints.clone(),
            Recognised::Unreadable(reason) => vec![Complaint { line: 0, message: reason.clone() }],
            Recognised::Unknown => {
                let message = "no format is like this file: cubefold inspect --list has all".to_owned();
                vec![Complaint { line: 0, message }]
            }
            _ => vec![],
        }
    }

    /// The lines that use the file.
    fn lines(&self) -> Vec<String> {
        let lines = |(format, reading): (&'static Format, &Reading)| {
            scenario_lines::lines(&reading.content, format, &self.path)
        };
        self.format().zip(self.reading()).map_or_else(Vec::new, lines)
    }

    /// Writes the answer for people.
    ///
    /// # Errors
    ///
    /// Errors of `output`.
    pub fn write(&self, output: &mut dyn Write) -> io::Result<()> {
        let path = printable(&self.path);
        match self.format() {
            Some(format) => writeln!(output, "{path}: {}, {}", format.name, format.tool)?,
            None => writeln!(output, "{path}: unknown")?,
        }
        if let Some(reading) = self.reading() {
            writeln!(output, "  {}", reading.content.summary())?;
            if !self.missing().is_empty() {
                writeln!(output, "  missing: {}", self.missing().join(", "))?;
            }
            for code in &reading.assumed {
                writeln!(output, "  assumed: {code}: {}", assumption(code))?;
            }
            for note in &reading.notes {
                writeln!(output, "  note: {}", printable(note))?;
            }
        }
        for complaint in self.errors() {
            let line = if complaint.line > 0 { format!("line {}: ", complaint.line) } else { String::new() };
            writeln!(output, "  error: {line}{}", printable(&complaint.message))?;
        }
        match &self.recognised {
            Recognised::NotRead(Format { reader: Reader::Unread { reason, .. }, .. }) => {
                writeln!(output, "  not read: {reason}")?;
                self.convert().map_or(Ok(()), |command| writeln!(output, "  {}", printable(&command)))?;
            }
            Recognised::Ambiguous(all) | Recognised::Read(_, _, all) if !all.is_empty() => {
                let names: Vec<&str> = all.iter().map(|format| format.name).collect();
                writeln!(output, "  it could be each of {}: choose with --as NAME", names.join(", "))?;
            }
            _ => {}
        }
        let how = self.format().zip(self.reading()).and_then(|(format, _)| scenario_lines::how_used(format));
        if let Some(how) = how {
            writeln!(output, "  note: {how}")?;
        }
        match self.lines() {
            lines if lines.is_empty() => match self.format() {
                Some(format) if how.is_none() && !matches!(self.recognised, Recognised::NotRead(_)) => {
                    writeln!(output, "  read by {}", keys_of(format))
                }
                _ => Ok(()),
            },
            lines => lines.iter().try_for_each(|line| writeln!(output, "  {}", printable(line))),
        }
    }
}

/// The answer for programs.
impl Serialize for Inspection {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (format, reading) = (self.format(), self.reading());
        let candidates: Vec<&str> = match &self.recognised {
            Recognised::Read(_, _, all) | Recognised::Ambiguous(all) => {
                all.iter().map(|format| format.name).collect()
            }
            _ => vec![],
        };
        let holds: Option<Vec<&str>> =
            format.map(|format| format.holds.iter().map(|kind| kind.name()).collect());
        let error = |complaint: &Complaint| {
            let line = (complaint.line > 0).then_some(complaint.line);
            json!({ "line": line, "message": complaint.message })
        };
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("file", &self.path)?;
        map.serialize_entry("format", &format.map(|format| format.name))?;
        map.serialize_entry("tool", &format.map(|format| format.tool))?;
        map.serialize_entry("kind", &self.kind().map(Kind::name))?;
        map.serialize_entry("holds", &holds)?;
        map.serialize_entry("read", &reading.is_some())?;
        map.serialize_entry("counts", &reading.map_or_else(Map::new, |reading| reading.content.counts()))?;
        map.serialize_entry("assumed", reading.map_or(&[][..], |reading| &reading.assumed))?;
        map.serialize_entry("missing", &self.missing())?;
        map.serialize_entry("candidates", &candidates)?;
        map.serialize_entry("use", &self.lines())?;
        map.serialize_entry("convert", &self.convert())?;
        map.serialize_entry("errors", &self.errors().iter().map(error).collect::<Vec<_>>())?;
        map.serialize_entry("data", &reading.map(|reading| &reading.content))?;
        map.end()
    }
}

/// A format as programs read it.
#[derive(Debug, serde::Serialize)]
pub struct ListedFormat {
    name: &'static str,
    tool: &'static str,
    holds: Vec<&'static str>,
    read: bool,
}

/// The set of formats.
#[must_use]
pub fn formats() -> Vec<ListedFormat> {
    let listed = |format: &&'static Format| ListedFormat {
        name: format.name,
        tool: format.tool,
        holds: format.holds.iter().map(|kind| kind.name()).collect(),
        read: matches!(format.reader, Reader::Reads(_)),
    };
    FORMATS.iter().map(listed).collect()
}

/// Writes the set of formats, one per line.
///
/// # Errors
///
/// Errors of `output`.
pub fn write_formats(output: &mut dyn Write) -> io::Result<()> {
    formats().iter().try_for_each(|format| {
        let unread = if format.read { "" } else { " (not read)" };
        writeln!(output, "{:<24} {:<22} {}{unread}", format.name, format.holds.join(", "), format.tool)
    })
}
