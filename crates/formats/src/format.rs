//! A file format: its name, its likeness to contents, and its reader.

pub use crate::{
    file_text::FileText,
    recognition::{Recognised, Recogniser, read_as},
};
use crate::{
    input::{diagnostic::Diagnostics, text::span},
    value::{Content, Kind},
};

/// How much the contents of a file look like a format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Likeness {
    /// Not at all.
    No,
    /// They may be of the format.
    Maybe,
    /// No other format looks like this.
    Sure,
}

impl From<bool> for Likeness {
    fn from(is_sure: bool) -> Self {
        if is_sure { Self::Sure } else { Self::No }
    }
}

/// An error in a file: its line, counted from 1, or 0 for the whole file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Complaint {
    /// The line.
    pub line: usize,
    /// The message: found and expected.
    pub message: String,
}

impl Complaint {
    /// Adds the error to those of a text, at the place of its line.
    pub(crate) fn add_to(self, diagnostics: &mut Diagnostics, text: &str) {
        let line = self.line.checked_sub(1).and_then(|place| text.lines().nth(place));
        diagnostics.add(line.map_or(0..0, |line| span(text, line)), || self.message);
    }
}

/// Returns an error at a line.
///
/// # Errors
///
/// Always.
pub fn wrong<T>(line: usize, message: impl Into<String>) -> Result<T, Vec<Complaint>> {
    Err(vec![Complaint { line, message: message.into() }])
}

/// The result of reading a file.
#[derive(Debug, Clone)]
pub struct Reading {
    /// Its value.
    pub content: Content,
    /// The codes of the assumptions made.
    pub assumed: Vec<&'static str>,
    /// The codes of missing data, except those that follow from the value.
    pub missing: Vec<&'static str>,
    /// Notes on parts that were left out.
    pub notes: Vec<String>,
}

impl From<Content> for Reading {
    fn from(content: Content) -> Self {
        Self { content, assumed: vec![], missing: vec![], notes: vec![] }
    }
}

/// A reader's result.
pub type Read = Result<Reading, Vec<Complaint>>;

/// A file format.
#[derive(Debug)]
pub struct Format {
    /// Its name in JSON, messages and `--as`.
    pub name: &'static str,
    /// The tool that writes it.
    pub tool: &'static str,
    /// The kinds of values that it can hold, the likeliest first.
    pub holds: &'static [Kind],
    /// Judges how much contents look like it.
    pub is_like: fn(&FileText<'_>) -> Likeness,
    /// Its reader.
    pub reader: Reader,
}

impl Format {
    /// The command that converts a file into a format that is read.
    #[must_use]
    pub fn conversion(&self, path: &str) -> Option<String> {
        match self.reader {
            Reader::Unread { command: Some(command), .. } => Some(command.replace("FILE", &quoted(path))),
            Reader::Unread { .. } | Reader::Reads(_) => None,
        }
    }
}

/// A path, quoted for a shell.
pub(crate) fn quoted(path: &str) -> String {
    let is_plain = |sign: char| sign.is_ascii_alphanumeric() || "._-/+,@%:".contains(sign);
    if path.chars().all(is_plain) && !path.is_empty() {
        path.to_owned()
    } else {
        format!("'{}'", path.replace('\'', "'\\''"))
    }
}

/// The reader of a format, or the remedy without one.
#[derive(Debug)]
pub enum Reader {
    /// Supported: the function that reads it.
    Reads(fn(&FileText<'_>) -> Read),
    /// Unsupported: a command that converts `FILE`, or the reason.
    Unread {
        /// The command.
        command: Option<&'static str>,
        /// What to do instead.
        reason: &'static str,
    },
}

/// The format with a name.
#[must_use]
pub fn with_name(name: &str) -> Option<&'static Format> {
    crate::read::FORMATS.iter().copied().find(|format| format.name == name)
}
