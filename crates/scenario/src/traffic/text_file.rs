//! The lines and numbers of a text file, and the errors at their places.

use std::{ops::Range, path::Path};

use cubefold_formats::input::{diagnostic::MAX_REPORTED, text::described};

use super::amount::{Amount, NoAmount};
use crate::{
    errors::{ScenarioError, and_more},
    source_file::{Place, SourceFile},
};

/// Size limit of the part of a line that an error shows \[bytes\].
const MAX_SHOWN: usize = 4096;

#[derive(Debug, Clone, Copy)]
pub(super) struct Line<'t> {
    /// Its number, counted from 0.
    pub(super) number: usize,
    /// Its text, without its end.
    pub(super) text: &'t str,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Field<'t> {
    pub(super) line: Line<'t>,
    /// Its text, without blanks around it.
    pub(super) text: &'t str,
}

/// Lists the non-empty lines of a text, without comments.
pub(super) fn lines(text: &str, comments: char) -> impl Iterator<Item = Line<'_>> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let numbered = text.lines().enumerate().map(move |(number, text)| Line {
        number,
        text: text.split_once(comments).map_or(text, |(content, _)| content).trim_end(),
    });
    numbered.filter(|line| !line.text.trim_start().is_empty())
}

impl<'t> Line<'t> {
    /// Lists its fields, which are divided by commas if it has any, else by blanks.
    pub(super) fn fields(self) -> impl Iterator<Item = Field<'t>> {
        let has_commas = self.text.contains(',');
        let by_commas = has_commas.then(|| self.text.split(',').map(str::trim));
        let by_blanks = (!has_commas).then(|| self.text.split_ascii_whitespace());
        let texts = by_commas.into_iter().flatten().chain(by_blanks.into_iter().flatten());
        texts.map(move |text| Field { line: self, text })
    }

    fn whole(self) -> Field<'t> {
        Field { line: self, text: self.text.trim() }
    }
}

/// The first errors of a file.
#[derive(Debug)]
pub(super) struct FileErrors<'a> {
    path: &'a Path,
    kept: Vec<ScenarioError>,
    count: u64,
}

impl<'a> FileErrors<'a> {
    pub(super) fn new(path: &'a Path) -> Self {
        Self { path, kept: vec![], count: 0 }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Adds an error at a field.
    pub(super) fn at(&mut self, field: Field<'_>, message: impl FnOnce() -> String) {
        self.count += 1;
        if self.kept.len() < MAX_REPORTED {
            self.kept.push(ScenarioError::at(&self.place(field), message(), "here"));
        }
    }

    /// Adds an error at a whole line.
    pub(super) fn at_line(&mut self, line: Line<'_>, message: impl FnOnce() -> String) {
        self.at(line.whole(), message);
    }

    /// Adds an error at a line of the text with this number, counted from 0.
    pub(super) fn at_number(&mut self, text: &str, number: usize, message: impl FnOnce() -> String) {
        let line = if self.kept.len() < MAX_REPORTED { text.lines().nth(number) } else { None };
        self.at_line(Line { number, text: line.unwrap_or_default() }, message);
    }

    /// Adds an error of an entry of a file without lines.
    pub(super) fn of_entry(&mut self, message: impl FnOnce() -> String) {
        self.count += 1;
        if self.kept.len() < MAX_REPORTED {
            self.kept.push(ScenarioError::of_file(self.path, message()));
        }
    }

    pub(super) fn add(&mut self, error: ScenarioError) {
        self.count += 1;
        self.kept.push(error);
    }

    pub(super) fn of_file(&mut self, message: impl Into<String>) {
        self.add(ScenarioError::of_file(self.path, message));
    }

    /// Adds a help to the last error, if it is kept.
    pub(super) fn help(&mut self, help: &str) {
        if self.count == self.kept.len() as u64
            && let Some(last) = self.kept.pop()
        {
            self.kept.push(last.with_help(help));
        }
    }

    /// The errors, the last with the number of omitted ones.
    pub(super) fn into_errors(self) -> Vec<ScenarioError> {
        let left_out = self.count - self.kept.len() as u64;
        and_more(self.kept, left_out)
    }

    /// The amount of a field; reports other text. `None` for 0 and after an error.
    #[inline]
    pub(super) fn amount(&mut self, field: Field<'_>, name: &str) -> Option<Amount> {
        match Amount::parse(field.text.as_bytes()) {
            Ok(amount) => amount,
            Err(error) => {
                self.no_amount(field, name, error);
                None
            }
        }
    }

    #[cold]
    fn no_amount(&mut self, field: Field<'_>, name: &str, error: NoAmount) {
        self.at(field, || match error {
            NoAmount::NotANumber => {
                format!("{name} is {}, {}", described(field.text), error.expected())
            }
            _ => format!("{name} is {}, {}", field.text, error.expected()),
        });
    }

    /// The integer of a field in a range; reports other text.
    #[inline]
    pub(super) fn integer(&mut self, field: Field<'_>, name: &str, range: Range<u64>) -> Option<u64> {
        let number = match Amount::parse(field.text.as_bytes()) {
            Ok(None) => Some(0),
            Ok(Some(Amount::Whole(number))) => Some(number),
            Ok(Some(_)) | Err(_) => None,
        };
        let found = number.filter(|number| range.contains(number));
        if found.is_none() {
            self.at(field, || {
                let (least, greatest) = (range.start, range.end.saturating_sub(1));
                let text = described(field.text);
                format!("{name} is {text}, expected an integer from {least} to {greatest}")
            });
        }
        found
    }

    /// The place of a field; only the start of a long line is kept.
    fn place(&self, field: Field<'_>) -> Place {
        let (line, part) = (field.line.text, field.text);
        let start = part.as_ptr().addr().saturating_sub(line.as_ptr().addr()).min(line.len());
        let shown = &line[..line.floor_char_boundary(MAX_SHOWN)];
        let source = SourceFile::excerpt(self.path, shown.to_owned(), field.line.number);
        Place::new(&source, start.min(shown.len())..(start + part.len()).min(shown.len()))
    }
}
