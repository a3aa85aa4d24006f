//! The open set of formats that are recognised by content, and the choice among them.

use std::{borrow::Cow, sync::OnceLock};

use crate::{
    benchmark::cleaned,
    input::Ratio,
    value::{Content, Kind},
};

/// The byte with which pickles begin.
const PICKLE: u8 = 0x80;

/// The text of a file: without a byte order mark, carriage returns and colours.
#[derive(Debug)]
pub struct FileText<'a> {
    /// The contents as they are.
    pub bytes: &'a [u8],
    /// The text; empty if the file is no text.
    pub text: String,
    json: OnceLock<Option<serde_json::Value>>,
}

impl<'a> FileText<'a> {
    /// Prepares the contents of a file.
    #[must_use]
    pub fn new(bytes: &'a [u8]) -> Self {
        let is_text = !bytes.contains(&0) && bytes.first() != Some(&PICKLE);
        // Names of hosts and ranks are ASCII: other characters of other encodings do no harm.
        let text = if is_text { String::from_utf8_lossy(bytes) } else { Cow::Borrowed("") };
        let text = text.trim_start_matches('\u{feff}').replace('\r', "");
        Self { bytes, text: without_colours(&text), json: OnceLock::new() }
    }

    /// The same file without the prefixes that launchers put before each line, and whether every line has one;
    /// `None` if none has.
    fn without_prefixes(&self) -> Option<(Self, bool)> {
        let cleaned = cleaned(&self.text);
        if cleaned == self.text {
            return None;
        }
        let mut has_every_line = true;
        let mut text = String::with_capacity(cleaned.len());
        for (own, plain) in self.text.lines().zip(cleaned.lines()) {
            let is_same = own == plain;
            has_every_line &= !is_same || own.trim().is_empty();
            // Blanks stand in the place of a prefix.
            text.push_str(if is_same { plain } else { plain.trim_start() });
            text.push('\n');
        }
        Some((Self { bytes: self.bytes, text, json: OnceLock::new() }, has_every_line))
    }

    /// The lines with their numbers, counted from 1.
    pub fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        (1..).zip(self.text.lines())
    }

    /// The lines that are not empty.
    pub fn rows(&self) -> impl Iterator<Item = (usize, &str)> {
        self.lines().filter(|(_, line)| !line.trim().is_empty())
    }

    /// The document, if it is one of JSON.
    pub fn json(&self) -> Option<&serde_json::Value> {
        let parse = || {
            let is_json = self.text.trim_start().starts_with(['{', '[']);
            (is_json && !is_too_deep(&self.text)).then(|| serde_json::from_str(&self.text).ok()).flatten()
        };
        self.json.get_or_init(parse).as_ref()
    }
}

/// Whether lists and objects of JSON are more than 64 levels deep.
fn is_too_deep(text: &str) -> bool {
    let (mut depth, mut is_word, mut is_escaped) = (0_u32, false, false);
    text.bytes().any(|byte| {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = is_word,
            b'"' => is_word = !is_word,
            b'[' | b'{' if !is_word => depth += 1,
            b']' | b'}' if !is_word => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth > 64
    })
}

/// Leaves out the colours of terminals: `ESC[..m`.
fn without_colours(text: &str) -> String {
    let mut parts = text.split("\u{1b}[");
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part.find(|character: char| character.is_ascii_alphabetic());
        plain.push_str(end.and_then(|end| part.get(end + 1..)).unwrap_or(part));
    }
    plain
}

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

/// What a file is.
#[derive(Debug)]
pub enum Recognised {
    /// The file cannot be read, with the reason.
    Unreadable(String),
    /// No format looks like it.
    Unknown,
    /// A format that is not read.
    NotRead(&'static Format),
    /// A format with errors.
    Wrong(&'static Format, Vec<Complaint>),
    /// Several formats, without evidence for one.
    Ambiguous(Vec<&'static Format>),
    /// A value, and all formats that it could be if there are several.
    Read(&'static Format, Box<Reading>, Vec<&'static Format>),
}

/// The format with a name.
#[must_use]
pub fn with_name(name: &str) -> Option<&'static Format> {
    crate::read::FORMATS.iter().copied().find(|format| format.name == name)
}

/// Reads a content as a format.
#[must_use]
pub fn read_as(file: &FileText<'_>, format: &'static Format) -> Recognised {
    if (format.is_like)(file) == Likeness::No {
        let message = format!("the file is not like one of {}", format.tool);
        return Recognised::Wrong(format, vec![Complaint { line: 0, message }]);
    }
    match &format.reader {
        Reader::Unread { .. } => Recognised::NotRead(format),
        Reader::Reads(read) => match read(file) {
            Ok(reading) => Recognised::Read(format, Box::new(reading), vec![]),
            Err(complaints) => Recognised::Wrong(format, complaints),
        },
    }
}

/// Recognises a content, as a format that holds a kind if one is asked for.
///
/// Prefixes that launchers put before each line are left out if no format looks like the lines with them, or if every
/// line has one and the lines are wrong with them.
#[must_use]
pub fn recognise(file: &FileText<'_>, kind: Option<Kind>) -> Recognised {
    let found = recognise_lines(file, kind);
    let may_be_prefixed = |has_every_line: bool| match found {
        Recognised::Unknown => true,
        Recognised::Wrong(..) => has_every_line,
        _ => false,
    };
    if let Recognised::Unknown | Recognised::Wrong(..) = found
        && let Some((file, has_every_line)) = file.without_prefixes()
        && may_be_prefixed(has_every_line)
        && let plain @ Recognised::Read(..) = recognise_lines(&file, kind)
    {
        return plain;
    }
    found
}

/// The formats that a content looks most like, among those that hold a kind.
#[must_use]
pub fn likely(file: &FileText<'_>, kind: Option<Kind>) -> Vec<&'static Format> {
    let asked = |own: &&'static Format| kind.is_none_or(|kind| own.holds.contains(&kind));
    let all: Vec<(&'static Format, Likeness)> = crate::read::FORMATS
        .iter()
        .copied()
        .filter(asked)
        .map(|format| (format, (format.is_like)(file)))
        .collect();
    let best = all.iter().map(|one| one.1).max().filter(|own| *own > Likeness::No);
    all.into_iter().filter(|one| Some(one.1) == best).map(|one| one.0).collect()
}

fn recognise_lines(file: &FileText<'_>, kind: Option<Kind>) -> Recognised {
    let asked = |own: &&'static Format| kind.is_none_or(|kind| own.holds.contains(&kind));
    let all: Vec<(&'static Format, Likeness)> =
        crate::read::FORMATS.iter().map(|format| (*format, (format.is_like)(file))).collect();
    let mut failed = None;
    for level in [Likeness::Sure, Likeness::Maybe] {
        let like: Vec<&'static Format> =
            all.iter().filter(|one| one.1 == level).map(|one| one.0).filter(asked).collect();
        let mut read = vec![];
        for own in like {
            match &own.reader {
                Reader::Unread { .. } => return Recognised::NotRead(own),
                Reader::Reads(reader) => match reader(file) {
                    Ok(reading) => read.push((own, reading)),
                    Err(complaints) => {
                        failed.get_or_insert((own, complaints));
                    }
                },
            }
        }
        if !read.is_empty() {
            return chosen(read);
        }
        if let Some((own, complaints)) = failed {
            return Recognised::Wrong(own, complaints);
        }
    }
    Recognised::Unknown
}

/// Chooses among formats that read a content: triples before a list of weighted edges, and triples or rows of
/// numbers by what each would mean.
fn chosen(mut read: Vec<(&'static Format, Reading)>) -> Recognised {
    let candidates: Vec<&'static Format> =
        if read.len() > 1 { read.iter().map(|own| own.0).collect() } else { vec![] };
    let matrix_of = |name: &str| {
        read.iter().find(|own| own.0.name == name).and_then(|own| match &own.1.content {
            Content::Matrix(matrix) => Some(matrix),
            _ => None,
        })
    };
    let place = |name: &str| read.iter().position(|own| own.0.name == name);
    let place = match (matrix_of("matrix-dense"), matrix_of("matrix-triples")) {
        (Some(dense), Some(triples)) => {
            let to_itself =
                triples.entries.iter().any(|(pair, own)| pair.0 == pair.1 && own.0 != Ratio::ZERO);
            let diagonal = dense.entries.iter().any(|(pair, own)| pair.0 == pair.1 && own.0 != Ratio::ZERO);
            let is_used = |rank: usize| triples.entries.keys().any(|pair| pair.0 == rank || pair.1 == rank);
            let has_gap = !(0..triples.size).all(is_used);
            if !to_itself && diagonal && !has_gap {
                place("matrix-triples")
            } else if has_gap {
                place("matrix-dense")
            } else {
                None
            }
        }
        _ if read.len() == 1 => Some(0),
        _ if place("edge-list").is_some() && place("matrix-dense").is_some() => None,
        _ => place("matrix-triples").or(Some(0)),
    };
    match place {
        Some(place) => {
            let (own, reading) = read.swap_remove(place);
            Recognised::Read(own, Box::new(reading), candidates)
        }
        None => Recognised::Ambiguous(candidates),
    }
}
