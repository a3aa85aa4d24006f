//! Files that errors point into: their text, places in it, and its entries as a TOML document.

use std::{
    fmt, fs, io,
    ops::Range,
    path::{Path, PathBuf},
    string::FromUtf8Error,
    sync::Arc,
};

use miette::{MietteError, MietteSpanContents, SourceCode, SourceSpan, SpanContents};
use toml::de::DeTable;

use super::{
    errors::{ScenarioError, Standing},
    value::{Entry, entries},
};

/// The text of a file, or of one line of a file that is too large to keep.
#[derive(Debug)]
pub(super) struct SourceFile {
    path: PathBuf,
    text: String,
    lines_before: usize, // lines of the file that precede the text
}

/// Why a file has no text.
#[derive(Debug, thiserror::Error)]
pub(super) enum ReadError {
    /// The system refuses it.
    #[error("cannot be read: {0}")]
    Io(#[from] io::Error),
    /// It is not UTF-8.
    #[error("is not UTF-8 text: byte {} is the first that is not, expected a text file", .0.utf8_error().valid_up_to())]
    NotUtf8(#[from] FromUtf8Error),
}

impl SourceFile {
    /// The whole file.
    pub(super) fn read(path: &Path) -> Result<Arc<Self>, ReadError> {
        let text = String::from_utf8(fs::read(path)?)?;
        Ok(Arc::new(Self { path: path.to_owned(), text, lines_before: 0 }))
    }

    /// A part of a file that begins after `lines_before` lines.
    pub(super) fn excerpt(path: &Path, text: String, lines_before: usize) -> Arc<Self> {
        Arc::new(Self { path: path.to_owned(), text, lines_before })
    }

    /// The path as it was given.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The text.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// How many lines of the file precede the text.
    pub(super) fn lines_before(&self) -> usize {
        self.lines_before
    }

    /// Line and column of a byte, both counted from 1, the column in characters.
    fn position(&self, byte: usize) -> (usize, usize) {
        let before = &self.text[..self.text.floor_char_boundary(byte)];
        let line_start = before.rfind('\n').map_or(0, |end| end + 1);
        let newlines = before.bytes().filter(|&byte| byte == b'\n').count();
        (self.lines_before + newlines + 1, before[line_start..].chars().count() + 1)
    }
}

impl SourceCode for SourceFile {
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        context_lines_before: usize,
        context_lines_after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        let inner = self.text.read_span(span, context_lines_before, context_lines_after)?;
        Ok(Box::new(MietteSpanContents::new_named(
            self.path.display().to_string(),
            inner.data(),
            *inner.span(),
            self.lines_before + inner.line(),
            inner.column(),
            inner.line_count(),
        )))
    }
}

/// A stretch of text in a file.
#[derive(Debug, Clone)]
pub(super) struct Place {
    source: Arc<SourceFile>,
    span: Range<usize>, // on character boundaries of the text
}

impl Place {
    /// The bytes `span` of a file, moved to the nearest characters inside the text.
    pub(super) fn new(source: &Arc<SourceFile>, span: Range<usize>) -> Self {
        let start = source.text.floor_char_boundary(span.start);
        let end = source.text.ceil_char_boundary(span.end).max(start);
        Self { source: Arc::clone(source), span: start..end }
    }

    /// The beginning of a file, for what ought to be in it and is not.
    pub(super) fn start(source: &Arc<SourceFile>) -> Self {
        Self::new(source, 0..0)
    }

    /// The file.
    pub(super) fn source(&self) -> &Arc<SourceFile> {
        &self.source
    }

    /// The bytes.
    pub(super) fn span(&self) -> Range<usize> {
        self.span.clone()
    }

    /// The text there.
    pub(super) fn text(&self) -> &str {
        &self.source.text[self.span()]
    }

    /// Line and column of its start, counted from 1.
    pub(super) fn position(&self) -> (usize, usize) {
        self.source.position(self.span.start)
    }

    /// Whether it is the same stretch of the same text.
    pub(super) fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.source, &other.source) && self.span == other.span
    }

    /// Whether the whole of `inner` lies in it.
    pub(super) fn contains(&self, inner: &Self) -> bool {
        Arc::ptr_eq(&self.source, &inner.source)
            && self.span.start <= inner.span.start
            && inner.span.end <= self.span.end
    }

    /// From the start of this place to the end of a later one; this place itself when they are not in
    /// one line.
    pub(super) fn through(&self, later: &Self) -> Self {
        let span = self.span.start..later.span.end.max(self.span.end);
        let together = Self { source: Arc::clone(&self.source), span };
        if together.text().contains('\n') { self.clone() } else { together }
    }
}

impl fmt::Display for Place {
    /// `file:line:column`.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (line, column) = self.position();
        write!(formatter, "{}:{line}:{column}", self.source.path.display())
    }
}

/// The entries at the top level of a file, in its order.
///
/// # Errors
///
/// Every syntax error. What the parser makes of such a file is a guess, and is not looked at.
pub(super) fn parse(source: &Arc<SourceFile>) -> Result<Vec<Entry>, Vec<ScenarioError>> {
    let (table, errors) = DeTable::parse_recoverable(source.text());
    if errors.is_empty() {
        return Ok(entries(source, table.get_ref()));
    }
    let mut errors: Vec<_> = errors.iter().map(|error| syntax_error(source, error)).collect();
    errors.sort_by_cached_key(ScenarioError::identity);
    Err(errors)
}

fn syntax_error(source: &Arc<SourceFile>, error: &toml::de::Error) -> ScenarioError {
    let place = Place::new(source, error.span().unwrap_or(0..0));
    ScenarioError::at(&place, format!("not TOML: {}", error.message()), "here")
        .standing(Standing::HidesValues)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn places_count_lines_and_characters_from_one() {
        let source = SourceFile::excerpt(Path::new("f.toml"), "é = 1\nß = é\n".to_owned(), 4);
        assert_eq!(Place::new(&source, 5..6).to_string(), "f.toml:5:5");
        let last = Place::new(&source, 12..14);
        assert_eq!((last.text(), last.position()), ("é", (6, 5)));
    }

    #[test]
    fn places_stay_inside_the_text_and_on_characters() {
        let source = SourceFile::excerpt(Path::new("f.toml"), "é".to_owned(), 0);
        assert_eq!(Place::new(&source, 1..1).text(), "é");
        assert_eq!(Place::new(&source, 7..9).text(), "");
        assert_eq!(Place::new(&source, 7..9).position(), (1, 2));
    }

    #[test]
    fn files_that_are_no_text_say_where() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("binary.toml");
        fs::write(&path, b"name = \"\xff\"").unwrap();
        let error = SourceFile::read(&path).unwrap_err();
        assert_eq!(
            error.to_string(),
            "is not UTF-8 text: byte 8 is the first that is not, expected a text file"
        );
    }

    fn errors(text: &str) -> Vec<String> {
        let source = SourceFile::excerpt(Path::new("f.toml"), text.to_owned(), 0);
        parse(&source).unwrap_err().iter().map(ToString::to_string).collect()
    }

    #[test]
    fn every_syntax_error_is_told() {
        assert_eq!(
            errors("a = \nb = 1\nb = 2\nc = \"x\n"),
            [
                "f.toml:1:5: not TOML: string values must be quoted, expected literal string",
                "f.toml:3:1: not TOML: duplicate key",
                "f.toml:4:7: not TOML: invalid basic string, expected `\"`",
            ]
        );
    }
}
