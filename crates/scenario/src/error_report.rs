//! The display of an error in a terminal: its message, the text around its marks, and its help.
//!
//! A line may be a megabyte long, and the file may have any contents. Only windows around the marks of each line are
//! kept, and all displayed text is printable. Line and column numbers are those of the file.

use std::{collections::BTreeMap, fmt, ops::Range};

use cubefold_formats::input::text::{printable, push_printable};
use miette::{
    Diagnostic, LabeledSpan, MietteError, MietteSpanContents, SourceCode, SourceSpan, SpanContents,
};

use super::source_file::{Place, SourceFile};

/// Lines up to this length are shown whole \[characters\].
const MAX_LINE: usize = 160;
/// Text before a mark that is shown in a longer line \[characters\].
const BEFORE_MARK: usize = 40;
/// Text from the start of a mark that is shown in a longer line \[characters\].
const FROM_MARK: usize = 80;
/// A mark over more lines is shortened to its first line.
const MAX_MARKED_LINES: usize = 8;
/// Size limit of a message, label or line of help \[characters\].
const MAX_TEXT: usize = 2000;
/// Stands for omitted text.
const LEFT_OUT: char = '…';

/// An error in displayable form, with the marked text.
#[derive(Debug, Clone)]
pub struct ErrorReport {
    message: String,
    help: Option<String>,
    excerpt: Option<Excerpt>,
    labels: Vec<LabeledSpan>,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct ReportMark<'error> {
    pub(super) place: &'error Place,
    pub(super) label: &'error str,
}

/// Lines of a file, shortened, with empty lines for omitted ones.
#[derive(Debug, Clone)]
struct Excerpt {
    name: String,
    text: String,
    lines_before: usize,
    columns: Vec<(usize, usize)>, // by start byte of a mark in the text: its column in the file, from 0
}

impl ErrorReport {
    /// Makes a report; `marks` are in one file, and the first is the error.
    pub(super) fn new(message: &str, help: impl Iterator<Item = String>, marks: &[ReportMark<'_>]) -> Self {
        let help: Vec<String> = help.map(|line| shown(&line)).collect();
        let help = (!help.is_empty()).then(|| help.join("\n"));
        let message = shown(message);
        let (excerpt, labels) = excerpt(marks).unzip();
        Self { message, help, excerpt, labels: labels.unwrap_or_default() }
    }
}

impl fmt::Display for ErrorReport {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)
    }
}

impl std::error::Error for ErrorReport {}

impl Diagnostic for ErrorReport {
    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.help.as_ref().map(|help| Box::new(help) as Box<dyn fmt::Display>)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.excerpt.as_ref().map(|excerpt| excerpt as &dyn SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        self.excerpt.as_ref()?;
        Some(Box::new(self.labels.iter().cloned()))
    }
}

impl SourceCode for Excerpt {
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        context_lines_before: usize,
        context_lines_after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        let inner = self.text.read_span(span, context_lines_before, context_lines_after)?;
        let alone = (context_lines_before, context_lines_after) == (0, 0);
        let start = self.columns.iter().find(|(byte, _)| alone && *byte == span.offset());
        Ok(Box::new(MietteSpanContents::new_named(
            self.name.clone(),
            inner.data(),
            *inner.span(),
            self.lines_before + inner.line(),
            start.map_or(inner.column(), |(_, column)| *column),
            inner.line_count(),
        )))
    }
}

/// Makes a text printable on one line and limits its length.
fn shown(text: &str) -> String {
    let cut = text.char_indices().nth(MAX_TEXT).map(|(end, _)| end);
    let mut shown = printable(&text[..cut.unwrap_or(text.len())]).into_owned();
    shown.extend(cut.map(|_| LEFT_OUT));
    shown
}

#[derive(Debug, Clone)]
struct Line<'file> {
    source: &'file SourceFile,
    bytes: Range<usize>, // without the line feed
}

impl<'file> Line<'file> {
    /// The line that contains a byte.
    fn around(source: &'file SourceFile, byte: usize) -> Self {
        let text = source.text();
        let start = text[..byte].rfind('\n').map_or(0, |feed| feed + 1);
        let end = text[byte..].find('\n').map_or(text.len(), |feed| byte + feed);
        Self { source, bytes: start..end }
    }

    fn next(&self) -> Option<Self> {
        let start = self.bytes.end + 1;
        (start <= self.source.text().len()).then(|| Self::around(self.source, start))
    }

    fn previous(&self) -> Option<Self> {
        self.bytes.start.checked_sub(1).map(|end| Self::around(self.source, end))
    }

    fn text(&self) -> &'file str {
        let line = &self.source.text()[self.bytes.clone()];
        line.strip_suffix('\r').unwrap_or(line)
    }

    fn is_last(&self) -> bool {
        self.bytes.end == self.source.text().len()
    }
}

/// A mark as bytes of the displayed lines.
#[derive(Debug, Clone)]
struct MarkedLines {
    first: usize, // number of the line in the file, from 0
    last: usize,
    start: usize, // byte in the first line
    end: usize,   // byte in the last line
    column: usize,
}

/// The range of a mark in the displayed text, as far as it is known \[bytes\].
#[derive(Debug, Clone, Default)]
struct PlacedMark {
    start: Option<usize>,
    end: Option<usize>,
}

impl PlacedMark {
    fn span(&self) -> Range<usize> {
        let start = self.start.unwrap_or(0);
        start..self.end.unwrap_or(start).max(start)
    }
}

/// The lines around the marks, and the marks in them.
fn excerpt(marks: &[ReportMark<'_>]) -> Option<(Excerpt, Vec<LabeledSpan>)> {
    let source = marks.first()?.place.source();
    let mut lines = BTreeMap::new();
    let marked: Vec<MarkedLines> = marks.iter().map(|mark| mark_lines(mark.place, &mut lines)).collect();
    let first = *lines.keys().next()?;
    let last = *lines.keys().next_back()?;
    let mut text = String::new();
    let mut spans = vec![PlacedMark::default(); marks.len()];
    for number in first..=last {
        let line = lines.get(&number);
        if let Some(line) = line {
            push_line(&mut text, number, line.text(), &marked, &mut spans);
        }
        if number < last || line.is_none_or(|line| !line.is_last()) {
            text.push('\n');
        }
    }
    let spans: Vec<Range<usize>> = spans.iter().map(PlacedMark::span).collect();
    let labels = marks.iter().zip(&spans).enumerate().map(|(index, (mark, span))| {
        let label = Some(shown(mark.label));
        if index == 0 {
            LabeledSpan::new_primary_with_span(label, span.clone())
        } else {
            LabeledSpan::new_with_span(label, span.clone())
        }
    });
    let columns = spans.iter().zip(&marked).map(|(span, mark)| (span.start, mark.column)).collect();
    let name = shown(&source.path().display().to_string());
    let labels = labels.collect();
    Some((Excerpt { name, text, lines_before: first, columns }, labels))
}

/// Adds the lines of a mark, and one line on each side, to the displayed lines.
fn mark_lines<'file>(place: &'file Place, lines: &mut BTreeMap<usize, Line<'file>>) -> MarkedLines {
    let (source, span) = (place.source(), place.span());
    let (line, column) = place.position();
    let (first, mut last) = (line - 1, line - 1);
    let start_line = Line::around(source, span.start);
    let whole = start_line.text().len();
    let (start, mut end) = ((span.start - start_line.bytes.start).min(whole), whole);
    if let Some((_, before)) = first.checked_sub(1).zip(start_line.previous()) {
        lines.entry(first - 1).or_insert(before);
    }
    let from_start = || std::iter::successors(Some(start_line.clone()), Line::next).take(MAX_MARKED_LINES);
    // Later lines are not looked for: one may have a megabyte.
    let end_line = from_start().zip(0..).find(|(line, _)| span.end <= line.bytes.end);
    let mut more = 0; // lines after the first that the mark goes over
    if let Some((line, count)) = end_line {
        end = (span.end - line.bytes.start).min(line.text().len());
        more = count;
    }
    for (number, line) in (first..).zip(from_start().take(1 + more)) {
        last = number;
        if let Some(next) = line.next() {
            lines.entry(number + 1).or_insert(next);
        }
        lines.insert(number, line);
    }
    MarkedLines { first, last, start, end, column: column - 1 }
}

/// Appends the windows of a line, and updates the ends of marks in it.
fn push_line(text: &mut String, number: usize, line: &str, marked: &[MarkedLines], spans: &mut [PlacedMark]) {
    let windows = windows(number, line, marked);
    let mut from = 0; // start of the text that is neither shown nor omitted yet
    for (index, window) in windows.iter().enumerate() {
        if window.start > from {
            text.push(LEFT_OUT);
        }
        for (offset, character) in line[window.clone()].char_indices() {
            let byte = window.start + offset;
            place_marks(number, byte..byte + character.len_utf8(), text.len(), marked, spans);
            match character {
                '\t' => text.push(character),
                _ => push_printable(text, character),
            }
        }
        let after = windows.get(index + 1).map_or(line.len() + 1, |next| next.start);
        place_marks(number, window.end..after, text.len(), marked, spans);
        from = window.end;
    }
    if from < line.len() {
        text.push(LEFT_OUT);
    }
}

/// Sets the positions of marks that start or end in these bytes of a line.
fn place_marks(
    number: usize,
    bytes: Range<usize>,
    at: usize,
    marked: &[MarkedLines],
    spans: &mut [PlacedMark],
) {
    for (mark, span) in marked.iter().zip(spans) {
        if mark.first == number && bytes.contains(&mark.start) {
            span.start = Some(at);
        }
        if mark.last == number && bytes.contains(&mark.end) {
            span.end = Some(at);
        }
    }
}

/// The displayed parts of a line \[bytes\], in order and disjoint.
fn windows(number: usize, line: &str, marked: &[MarkedLines]) -> Vec<Range<usize>> {
    if line.char_indices().nth(MAX_LINE).is_none() {
        return vec![Range { start: 0, end: line.len() }];
    }
    let back =
        |byte: usize| line[..byte].char_indices().rev().nth(BEFORE_MARK - 1).map_or(0, |(byte, _)| byte);
    let on = |byte: usize, characters: usize| {
        line[byte..].char_indices().nth(characters).map_or(line.len(), |(more, _)| byte + more)
    };
    let mut windows: Vec<Range<usize>> = vec![];
    for mark in marked {
        if mark.first == number {
            windows.push(back(mark.start)..on(mark.start, FROM_MARK));
        } else if mark.first < number && number <= mark.last {
            windows.push(0..on(0, FROM_MARK));
        }
    }
    if windows.is_empty() {
        windows.push(0..on(0, MAX_LINE));
    }
    windows.sort_by_key(|window| window.start);
    windows.dedup_by(|next, kept| {
        let touch = next.start <= kept.end;
        if touch {
            kept.end = kept.end.max(next.end);
        }
        touch
    });
    windows
}

#[cfg(test)]
mod tests {
    use std::{path::Path, sync::Arc};

    use super::*;

    fn source(text: &str) -> Arc<SourceFile> {
        SourceFile::excerpt(Path::new("a.toml"), text.to_owned(), 0)
    }

    /// The excerpt, and its marked parts.
    fn excerpt_of(text: &str, spans: &[Range<usize>]) -> (String, Vec<String>) {
        let source = source(text);
        let places: Vec<Place> = spans.iter().map(|span| Place::new(&source, span.clone())).collect();
        let marks: Vec<_> = places.iter().map(|place| ReportMark { place, label: "here" }).collect();
        let (excerpt, labels) = excerpt(&marks).unwrap();
        let marked =
            labels.iter().map(|label| excerpt.text[label.offset()..label.offset() + label.len()].to_owned());
        (excerpt.text.clone(), marked.collect())
    }

    #[test]
    fn short_lines_are_shown_as_they_are() {
        let (text, marked) = excerpt_of("a\nb = 1\nc\nd\n", &[Range { start: 6, end: 7 }]);
        assert_eq!((text.as_str(), marked), ("a\nb = 1\nc\n", vec!["1".to_owned()]));
        assert_eq!(excerpt_of("", &[Range { start: 0, end: 0 }]).0, "");
        assert_eq!(excerpt_of("a\n", &[Range { start: 2, end: 2 }]).0, "a\n");
    }

    #[test]
    fn a_long_line_is_shown_around_its_marks() {
        let line = format!("{}first{}second{}", "x".repeat(70_000), "y".repeat(500), "z".repeat(70_000));
        let spans = [70_505..70_511, 70_000..70_005];
        let (text, marked) = excerpt_of(&line, &spans);
        assert_eq!(marked, ["second", "first"]);
        assert!(text.len() < 300, "{}", text.len());
        assert_eq!(text.matches(LEFT_OUT).count(), 3);
    }

    #[test]
    fn a_mark_without_end_is_cut() {
        let (text, marked) = excerpt_of(&"x".repeat(100_000), &[Range { start: 10, end: 99_990 }]);
        assert_eq!((text.chars().count(), marked[0].len()), (10 + FROM_MARK + 1, FROM_MARK));
        let lines = "x\n".repeat(1000);
        assert_eq!(excerpt_of(&lines, &[Range { start: 0, end: 2000 }]).0, "x\nx\n");
    }

    #[test]
    fn what_a_terminal_obeys_is_escaped_and_marks_stay_on_their_text() {
        let text = "a\u{1b}[31m = \"\u{202e}x\"\r\nb\n";
        let start = text.find('"').unwrap();
        let (text, marked) = excerpt_of(text, &[Range { start, end: start + 6 }]);
        assert_eq!(text, "a\\u{1b}[31m = \"\\u{202e}x\"\nb\n");
        assert_eq!(marked, ["\"\\u{202e}x\""]);
    }

    #[test]
    fn a_column_past_65535_is_told() {
        let source = source(&format!("a = {}1", "[".repeat(70_000)));
        let place = Place::new(&source, 70_004..70_005);
        let report = ErrorReport::new("m", [].into_iter(), &[ReportMark { place: &place, label: "" }]);
        let span = report.labels().unwrap().next().unwrap();
        let contents = report.source_code().unwrap().read_span(span.inner(), 0, 0).unwrap();
        assert_eq!((contents.line(), contents.column()), (0, 70_004));
    }
}
