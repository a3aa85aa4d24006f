//! The choice among the formats that a file looks like.
//!
//! A large file is recognised by a sample ([`FileText::sample`]); readers then take the whole file. Each reader
//! runs at most once, for any kinds asked for.

use std::{collections::BTreeMap, ops::Range, sync::Arc};

use crate::{
    format::{Complaint, FileText, Format, Likeness, Reader, Reading, wrong},
    input::{Ratio, diagnostic::Diagnostics, text::span},
    read::FORMATS,
    value::{Content, Kind, Matrix},
};

/// The outcome of recognising a file.
#[derive(Debug)]
pub enum Recognised {
    /// The file cannot be read, with the reason.
    Unreadable(String),
    /// No format looks like it.
    Unknown,
    /// An unsupported format.
    NotRead(&'static Format),
    /// A file in a known format, with errors.
    Wrong(&'static Format, Vec<Complaint>),
    /// Several formats, with no evidence for one of them.
    Ambiguous(Vec<&'static Format>),
    /// A value, and all possible formats if there are several.
    Read(&'static Format, Arc<Reading>, Vec<&'static Format>),
}

/// Reads contents in a format.
#[must_use]
pub fn read_as(bytes: &[u8], format: &'static Format) -> Recognised {
    let (file, like) = plainest(bytes, &[format]);
    if like.is_empty() {
        let message = format!("the file is not like one of {}", format.tool);
        return Recognised::Wrong(format, vec![Complaint { line: 0, message }]);
    }
    match &format.reader {
        Reader::Unread { .. } => Recognised::NotRead(format),
        Reader::Reads(_) => match read(&file, format) {
            Ok(reading) => Recognised::Read(format, reading, vec![]),
            Err(complaints) => Recognised::Wrong(format, complaints),
        },
    }
}

type SharedRead = Result<Arc<Reading>, Vec<Complaint>>;

/// Reads a file in a format, within the limits of values.
fn read(file: &FileText<'_>, format: &Format) -> SharedRead {
    let Reader::Reads(reader) = &format.reader else { return wrong(0, "a format that is not read") };
    let reading = reader(file)?;
    match reading.content.excess() {
        Some(message) => wrong(0, message),
        None => Ok(Arc::new(reading)),
    }
}

/// Formats in the order of the set, without `Likeness::No`.
type Likenesses = Vec<(&'static Format, Likeness)>;

/// A file, the formats that it looks like, and what their readers found.
#[derive(Debug)]
pub struct Recogniser<'a> {
    /// The file, without the prefixes of its lines if it is like a format without them.
    pub file: FileText<'a>,
    is_large: bool,
    like: Likenesses,
    read: BTreeMap<&'static str, SharedRead>,
    is_searched: bool, // for prefixes of some lines
}

impl<'a> Recogniser<'a> {
    /// Judges the contents of a file.
    #[must_use]
    pub fn new(bytes: &'a [u8]) -> Self {
        Self::of(plainest(bytes, &FORMATS))
    }

    fn of((file, like): (FileText<'a>, Likenesses)) -> Self {
        Self { is_large: file.is_large(), file, like, read: BTreeMap::new(), is_searched: false }
    }

    /// Reads the plain text of the file of `source`; errors have their places in `source`.
    ///
    /// # Errors
    ///
    /// If the reader finds any, with their places in the file.
    pub fn read_plain<T>(
        &self,
        source: &str,
        read: impl FnOnce(&str) -> Result<T, Diagnostics>,
    ) -> Result<T, Diagnostics> {
        let plain: &str = &self.file.text;
        let place = |span| if plain == source { span } else { place_in(source, plain, span) };
        read(plain).map_err(|diagnostics| diagnostics.moved(place))
    }

    /// The formats of a kind that the file looks most like.
    #[must_use]
    pub fn likely(&self, kind: Option<Kind>) -> Vec<&'static Format> {
        let best = self.asked(kind).map(|(_, likeness)| likeness).max();
        self.asked(kind).filter(|(_, likeness)| Some(*likeness) == best).map(|(format, _)| format).collect()
    }

    /// Whether the file looks like no other format.
    #[must_use]
    pub fn is_sure(&self, format: &Format) -> bool {
        self.like
            .iter()
            .any(|(candidate, likeness)| candidate.name == format.name && *likeness == Likeness::Sure)
    }

    fn asked(&self, kind: Option<Kind>) -> impl Iterator<Item = (&'static Format, Likeness)> {
        let holds = move |format: &Format| kind.is_none_or(|kind| format.holds.contains(&kind));
        self.like.iter().copied().filter(move |(format, _)| holds(format))
    }

    /// Recognises the file, only in formats of `kind` if one is given.
    ///
    /// Launcher prefixes of some lines are removed if no format matches with them.
    #[must_use]
    pub fn recognise(&mut self, kind: Option<Kind>) -> Recognised {
        let found = self.recognise_lines(kind);
        if self.is_searched || !matches!(found, Recognised::Unknown) {
            return found;
        }
        self.is_searched = true;
        if let Some(mut plain) = self.without_prefixes()
            && let found @ Recognised::Read(..) = plain.recognise_lines(kind)
        {
            *self = Self { is_searched: true, ..plain };
            return found;
        }
        found
    }

    /// The file without prefixes; the sample of a large file is tried first.
    fn without_prefixes(&self) -> Option<Self> {
        if let Some(sample) = self.file.sample()
            && likenesses(&sample.without_prefixes()?, &FORMATS).is_empty()
        {
            return None;
        }
        let plain = self.file.without_prefixes()?;
        let like = likenesses(&plain, &FORMATS);
        (!like.is_empty()).then(|| Self::of((plain, like)))
    }

    fn recognise_lines(&mut self, kind: Option<Kind>) -> Recognised {
        let asked: Vec<(&'static Format, Likeness)> = self.asked(kind).collect();
        let mut failed = None;
        for level in [Likeness::Sure, Likeness::Maybe] {
            let like = || asked.iter().filter(|(_, likeness)| *likeness == level).map(|(format, _)| *format);
            let mut read = vec![];
            for format in like() {
                if matches!(format.reader, Reader::Unread { .. }) {
                    return Recognised::NotRead(format);
                }
                match self.read(format) {
                    // A large file is read once, in the first format that fits.
                    Ok(reading) if self.is_large => {
                        let all: Vec<&'static Format> = like().collect();
                        return Recognised::Read(format, reading, if all.len() > 1 { all } else { vec![] });
                    }
                    Ok(reading) => read.push((format, reading)),
                    Err(complaints) => {
                        failed.get_or_insert((format, complaints));
                    }
                }
            }
            if !read.is_empty() {
                return chosen(read);
            }
            if let Some((format, complaints)) = failed {
                return Recognised::Wrong(format, complaints);
            }
        }
        Recognised::Unknown
    }

    fn read(&mut self, format: &'static Format) -> SharedRead {
        self.read.entry(format.name).or_insert_with(|| read(&self.file, format)).clone()
    }
}

/// The text of a file without as many prefixes of all lines as leave it most like one of these formats, and the
/// formats that it looks like.
fn plainest<'a>(bytes: &'a [u8], formats: &[&'static Format]) -> (FileText<'a>, Likenesses) {
    let file = FileText::new(bytes);
    let best = |like: &Likenesses| like.iter().map(|(_, likeness)| *likeness).max();
    let mut next = file.without_prefix();
    let mut found = (likenesses(&file, formats), file);
    while let Some(plain) = next {
        next = plain.without_prefix();
        let like = likenesses(&plain, formats);
        if !like.is_empty() && best(&like) >= best(&found.0) {
            found = (like, plain);
        }
    }
    (found.1, found.0)
}

/// The place in a file of a span in its plain text, which has the same lines.
fn place_in(source: &str, plain: &str, of_plain: Range<usize>) -> Range<usize> {
    let before = plain.get(..of_plain.start).unwrap_or(plain);
    let (number, start) = (before.matches('\n').count(), before.rfind('\n').map_or(0, |end| end + 1));
    let (Some(line), Some(whole)) = (plain.lines().nth(number), source.lines().nth(number)) else {
        return 0..0;
    };
    let whole_span = span(source, whole);
    // A line with colours is not the end of the line in the file.
    if of_plain.is_empty() || !whole.ends_with(line) {
        return whole_span.start..whole_span.start + if of_plain.is_empty() { 0 } else { whole.len() };
    }
    let shift = whole_span.end - line.len() - start;
    of_plain.start + shift..(of_plain.end + shift).min(whole_span.end)
}

/// The formats, of these, that a file looks like. A large file is judged by its sample, else by the first of the
/// parts around headings that looks like one.
fn likenesses(file: &FileText<'_>, formats: &[&'static Format]) -> Likenesses {
    let judge = |text: &FileText<'_>| -> Likenesses {
        let all = formats.iter().map(|format| (*format, (format.is_like)(text)));
        all.filter(|(_, likeness)| *likeness > Likeness::No).collect()
    };
    let Some(sample) = file.sample() else { return judge(file) };
    let samples = std::iter::once(sample).chain(file.around_headings());
    samples.map(|part| judge(&part)).find(|like| !like.is_empty()).unwrap_or_default()
}

/// Chooses among formats that can all read a file: triples before a list of weighted edges, and triples or rows of
/// numbers by the meaning that each would have.
fn chosen(mut read: Vec<(&'static Format, Arc<Reading>)>) -> Recognised {
    let candidates: Vec<&'static Format> =
        if read.len() > 1 { read.iter().map(|(format, _)| *format).collect() } else { vec![] };
    let matrix_of = |name: &str| {
        read.iter().find(|(format, _)| format.name == name).and_then(|(_, reading)| match &reading.content {
            Content::Matrix(matrix) => Some(matrix),
            _ => None,
        })
    };
    let place = |name: &str| read.iter().position(|(format, _)| format.name == name);
    let place = match (matrix_of("matrix-dense"), matrix_of("matrix-triples")) {
        (Some(dense), Some(triples)) => {
            let sends_to_itself = |matrix: &Matrix| {
                matrix.entries().any(|entry| entry.source == entry.destination && entry.amount != Ratio::ZERO)
            };
            let is_used = |rank: usize| {
                triples.entries().any(|entry| entry.source == rank || entry.destination == rank)
            };
            let has_gap = !(0..triples.size).all(is_used);
            if !sends_to_itself(triples) && sends_to_itself(dense) && !has_gap {
                place("matrix-triples")
            } else if has_gap {
                place("matrix-dense")
            } else {
                None
            }
        }
        _ if read.len() == 1 => Some(0),
        // The first row and the diagonal show it.
        _ if place("labelled-matrix").is_some() => place("labelled-matrix"),
        _ if place("edge-list").is_some() && place("matrix-dense").is_some() => None,
        _ => place("matrix-triples").or(Some(0)),
    };
    match place {
        Some(place) => {
            let (format, reading) = read.swap_remove(place);
            Recognised::Read(format, reading, candidates)
        }
        None => Recognised::Ambiguous(candidates),
    }
}
