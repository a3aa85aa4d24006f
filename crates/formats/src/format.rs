//! A format of files: its name, its likeness to a content, and its reader.

use crate::value::{Content, Kind};
pub use crate::{
    file_text::FileText,
    recognition::{Recognised, Recogniser, read_as},
};

/// How much a content looks like a format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Likeness {
    /// It does not.
    No,
    /// It might be.
    Maybe,
    /// Nothing else looks so.
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
    /// Found and expected.
    pub message: String,
}

/// Makes an error of a line.
///
/// # Errors
///
/// Always: the error itself.
pub fn wrong<T>(line: usize, message: impl Into<String>) -> Result<T, Vec<Complaint>> {
    Err(vec![Complaint { line, message: message.into() }])
}

/// A file that was read.
#[derive(Debug, Clone)]
pub struct Reading {
    /// Its value.
    pub content: Content,
    /// The codes of what was assumed.
    pub assumed: Vec<&'static str>,
    /// The codes of what is missing besides what follows from the value.
    pub missing: Vec<&'static str>,
    /// Sentences on what was left out.
    pub notes: Vec<String>,
}

impl From<Content> for Reading {
    fn from(content: Content) -> Self {
        Self { content, assumed: vec![], missing: vec![], notes: vec![] }
    }
}

/// A reader's result.
pub type Read = Result<Reading, Vec<Complaint>>;

/// A format of files.
#[derive(Debug)]
pub struct Format {
    /// Its name in JSON, messages and `--as`.
    pub name: &'static str,
    /// The tool that writes it.
    pub tool: &'static str,
    /// The kinds that it serves, the likeliest first.
    pub holds: &'static [Kind],
    /// Whether a content looks like it.
    pub is_like: fn(&FileText<'_>) -> Likeness,
    /// How it is read.
    pub reader: Reader,
}

impl Format {
    /// How much a file looks like it, by a sample of a large one.
    #[must_use]
    pub fn likeness(&self, file: &FileText<'_>) -> Likeness {
        let Some(sample) = file.sample() else { return (self.is_like)(file) };
        match (self.is_like)(&sample) {
            Likeness::No => {
                file.around_headings().map(|part| (self.is_like)(&part)).max().unwrap_or(Likeness::No)
            }
            found => found,
        }
    }

    /// The command that converts a file into a format that is read.
    #[must_use]
    pub fn conversion(&self, path: &str) -> Option<String> {
        match self.reader {
            Reader::Unread { command: Some(command), .. } => Some(command.replace("FILE", &quoted(path))),
            Reader::Unread { .. } | Reader::Reads(_) => None,
        }
    }
}

/// A path as a shell takes it.
pub(crate) fn quoted(path: &str) -> String {
    let is_plain = |sign: char| sign.is_ascii_alphanumeric() || "._-/+,@%:".contains(sign);
    if path.chars().all(is_plain) && !path.is_empty() {
        path.to_owned()
    } else {
        format!("'{}'", path.replace('\'', "'\\''"))
    }
}

/// Reads a content, or names the way on.
#[derive(Debug)]
pub enum Reader {
    /// Reads it.
    Reads(fn(&FileText<'_>) -> Read),
    /// Is not read: a command that converts `FILE`, or the reason.
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
