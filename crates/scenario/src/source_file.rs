//! Files with places for errors: their text, positions in it, and its entries as a TOML document.

use std::{
    fmt,
    ops::Range,
    path::{Path, PathBuf},
    string::FromUtf8Error,
    sync::Arc,
};

use cubefold_formats::input::{
    foreign::foreign_bytes,
    input_file::{self, InputError},
    text::shortened,
};
use toml::de::DeTable;

use super::{
    budget::{Budget, OverBudget},
    errors::{ScenarioError, Standing},
    value::{Entry, entries},
};

/// Size limit of a scenario \[bytes\]: a list with a number for each of the largest number of runs fits, and
/// other files are refused before they fill the memory.
const MAX_SCENARIO_BYTES: u64 = 32 << 20;

/// The text of a file, or of one line of a file that is too large to keep.
#[derive(Debug)]
pub(super) struct SourceFile {
    path: PathBuf,
    text: String,
    lines_before: usize, // lines of the file before the text
}

/// A file whose text cannot be read.
#[derive(Debug, thiserror::Error)]
pub(super) enum ReadError {
    #[error(transparent)]
    Input(#[from] InputError),
    #[error("{0}: give it more with --memory-limit")]
    OverBudget(#[from] OverBudget),
    #[error("{}, expected a text file", no_text(.0))]
    NotUtf8(#[from] FromUtf8Error),
}

/// Describes bytes that are not text.
fn no_text(error: &FromUtf8Error) -> String {
    foreign_bytes(error.as_bytes()).map_or_else(
        || {
            let first = error.utf8_error().valid_up_to();
            format!("is not UTF-8 text: byte {first} is the first that is not")
        },
        |known| format!("is {known}"),
    )
}

impl SourceFile {
    pub(super) const STANDARD_INPUT: &str = "standard input";

    /// Reads a scenario up to its size limit, unless it exceeds the remaining memory.
    pub(super) fn read_scenario(path: &Path, budget: &Budget) -> Result<Arc<Self>, ReadError> {
        Self::check_room(path, MAX_SCENARIO_BYTES, budget)?;
        Self::read_up_to(path, MAX_SCENARIO_BYTES)
    }

    pub(super) fn read(path: &Path) -> Result<Arc<Self>, ReadError> {
        Self::read_up_to(path, input_file::MAX_BYTES)
    }

    fn read_up_to(path: &Path, most: u64) -> Result<Arc<Self>, ReadError> {
        let text = String::from_utf8(input_file::read(path, most)?)?;
        let is_standard = path == Path::new(input_file::STANDARD_INPUT);
        let path = if is_standard { Path::new(Self::STANDARD_INPUT) } else { path };
        Ok(Arc::new(Self { path: path.to_owned(), text, lines_before: 0 }))
    }

    /// Reads a whole file, unless it exceeds the remaining memory.
    pub(super) fn read_within(path: &Path, budget: &Budget) -> Result<Arc<Self>, ReadError> {
        Self::check_room(path, input_file::MAX_BYTES, budget)?;
        Self::read(path)
    }

    /// Checks that a file fits in memory. Only the size limit bounds a file of unknown length.
    fn check_room(path: &Path, most: u64, budget: &Budget) -> Result<(), OverBudget> {
        budget.take_for_a_while(std::fs::metadata(path).map_or(0, |data| data.len()).min(most), 0)
    }

    /// A part of a file that starts after `lines_before` lines.
    pub(super) fn excerpt(path: &Path, text: String, lines_before: usize) -> Arc<Self> {
        Arc::new(Self { path: path.to_owned(), text, lines_before })
    }

    /// The path as it was given.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

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

/// A range of text in a file.
#[derive(Debug, Clone)]
pub(super) struct Place {
    source: Arc<SourceFile>,
    span: Range<usize>, // on character boundaries of the text
}

impl Place {
    /// The bytes `span` of a file, moved to character boundaries inside the text.
    pub(super) fn new(source: &Arc<SourceFile>, span: Range<usize>) -> Self {
        let start = source.text.floor_char_boundary(span.start);
        let end = source.text.ceil_char_boundary(span.end).max(start);
        Self { source: Arc::clone(source), span: start..end }
    }

    /// The start of a file, to report missing contents.
    pub(super) fn start(source: &Arc<SourceFile>) -> Self {
        Self::new(source, 0..0)
    }

    pub(super) fn source(&self) -> &Arc<SourceFile> {
        &self.source
    }

    pub(super) fn span(&self) -> Range<usize> {
        self.span.clone()
    }

    pub(super) fn text(&self) -> &str {
        &self.source.text[self.span()]
    }

    /// Line and column of its start, counted from 1.
    pub(super) fn position(&self) -> (usize, usize) {
        self.source.position(self.span.start)
    }

    /// Whether it is the same range of the same text.
    pub(super) fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.source, &other.source) && self.span == other.span
    }

    /// Whether it contains all of `inner`.
    pub(super) fn contains(&self, inner: &Self) -> bool {
        Arc::ptr_eq(&self.source, &inner.source)
            && self.span.start <= inner.span.start
            && inner.span.end <= self.span.end
    }

    /// From the start of this place to the end of a later one; this place alone if they are on different
    /// lines.
    pub(super) fn through(&self, later: &Self) -> Self {
        let span = self.span.start..later.span.end.max(self.span.end);
        let together = Self { source: Arc::clone(&self.source), span };
        if together.text().contains('\n') { self.clone() } else { together }
    }
}

impl fmt::Display for Place {
    /// Writes `file:line:column`.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (line, column) = self.position();
        write!(formatter, "{}:{line}:{column}", self.source.path.display())
    }
}

/// Estimates the memory for a text and its values during and after parsing \[bytes\].
///
/// An upper bound: anything that looks like a table, a dotted key or a value counts, also in comments and
/// strings.
pub(super) fn bytes_to_parse(text: &str) -> u64 {
    // A table of the parser has room for eleven keys with values.
    const BYTES_A_TABLE: u64 = 1800;
    // Includes the error that it may cause.
    const BYTES_A_VALUE: u64 = 600;
    let (mut tables, mut values) = (0, 0);
    let mut before = b'\n';
    for &byte in text.as_bytes() {
        match byte {
            b'{' => tables += 1,
            b'[' if before == b'\n' => tables += 1,
            b'=' | b',' | b'[' => values += 1,
            // A point inside a number does not count.
            _ if before == b'.' && !byte.is_ascii_digit() => tables += 1,
            _ => {}
        }
        before = if byte.is_ascii_whitespace() && before == b'\n' { b'\n' } else { byte };
    }
    // The text is copied once, with the keys that the command line sets.
    2 * text.len() as u64 + tables * BYTES_A_TABLE + values * BYTES_A_VALUE
}

/// The entries at the top level of a file, in its order.
///
/// # Errors
///
/// Every syntax error; of a long text only the first. The values that the parser recovers from such a file are ignored.
pub(super) fn parse(source: &Arc<SourceFile>) -> Result<Vec<Entry>, Vec<ScenarioError>> {
    /// The errors of a longer text could take far more memory than the text.
    const MAX_ALL_ERRORS: usize = 1 << 16;
    if source.text().len() > MAX_ALL_ERRORS {
        let table = DeTable::parse(source.text()).map_err(|error| vec![syntax_error(source, &error)])?;
        return Ok(entries(source, table.get_ref()));
    }
    let (table, errors) = DeTable::parse_recoverable(source.text());
    if errors.is_empty() {
        return Ok(entries(source, table.get_ref()));
    }
    let mut errors: Vec<_> = errors.iter().map(|error| syntax_error(source, error)).collect();
    errors.sort_by_cached_key(ScenarioError::identity);
    Err(errors)
}

/// The most levels of nested lists and tables, the limit of the parser.
const MAX_NESTING: usize = 80;

/// The first bracket or dot beyond the most levels; `None` if there is none.
fn too_deep(text: &str) -> Option<usize> {
    let (mut depth, mut quote, mut before) = (0_usize, None, b'\n');
    for (at, byte) in text.bytes().enumerate() {
        match (quote, byte) {
            (Some(b'#'), b'\n') => quote = None,
            (Some(opening), _) if opening == byte && before != b'\\' => quote = None,
            (Some(_), _) => {}
            (None, b'"' | b'\'' | b'#') => quote = Some(byte),
            (None, b'[' | b'{') => depth += 1,
            (None, b']' | b'}') => depth = depth.saturating_sub(1),
            // Dots between names add levels until the end of the line.
            (None, b'.') if !before.is_ascii_digit() => depth += 1,
            (None, b'\n')
                if text[..at].rfind('\n').map_or(&text[..at], |feed| &text[feed..at]).contains('.') =>
            {
                depth = 0;
            }
            _ => {}
        }
        if depth > MAX_NESTING {
            return Some(at);
        }
        before = byte;
    }
    None
}

fn syntax_error(source: &Arc<SourceFile>, error: &toml::de::Error) -> ScenarioError {
    if error.message().contains("recursion limit")
        && let Some(at) = too_deep(source.text())
    {
        let message =
            format!("not TOML: lists or tables in one another, expected at most {MAX_NESTING} levels");
        let place = Place::new(source, at..at + 1);
        return ScenarioError::at(&place, message, "too deep").standing(Standing::HidesValues);
    }
    let place = Place::new(source, error.span().unwrap_or(0..0));
    let slip = Slip::at(source.text(), place.span.start, error.message());
    let Slip { span, message, help } = slip.unwrap_or_else(|| Slip {
        span: place.span(),
        message: error.message().to_owned(),
        help: String::new(),
    });
    ScenarioError::at(&Place::new(source, span), format!("not TOML: {message}"), "here")
        .with_help(help)
        .standing(Standing::HidesValues)
}

/// A common mistake, described in the user's terms.
struct Slip {
    span: Range<usize>,
    message: String,
    help: String,
}

impl Slip {
    /// The slip that explains a message of the parser about the byte `at`; `None` if it is another mistake.
    fn at(text: &str, at: usize, message: &str) -> Option<Self> {
        let rest = text[at..].lines().next().unwrap_or_default();
        let token = &rest[..rest.find([' ', '\t', ',', ']', '}', '#']).unwrap_or(rest.len())];
        let before = text[..at].trim_end_matches([' ', '\t']);
        // `[8 8]`.
        if let Some(span) = missing_comma(text, at, before, token) {
            let message = "a comma is missing between two entries of a list".to_owned();
            let help = "separate the entries with commas, as in [8, 8]".to_owned();
            return Some(Self { span, message, help });
        }
        if !message.contains("must be quoted") && !message.starts_with("invalid boolean") {
            return None;
        }
        let number = rest.split(['#', ',', ']', '}']).next().unwrap_or_default().trim_end();
        let all_numbers = |separator: char, text: &str| {
            let parts = || text.split(separator);
            parts().count() > 1
                && parts().all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()))
        };
        let slip = |word: &str, problem: &str, help: String| {
            let message = format!("{}{problem}", shortened(word));
            Some(Self { span: at..at + word.len(), message, help })
        };
        let truths = ["true", "false"];
        // `wrap = True`.
        if truths.iter().any(|name| name.eq_ignore_ascii_case(token)) {
            return slip(token, ", expected it in small letters", format!("write {}", token.to_lowercase()));
        }
        // `shape = 8x8`.
        if all_numbers('x', token) {
            let help = format!("write [{}]", token.replace('x', ", "));
            return slip(token, ", expected a list of lengths", help);
        }
        // `units = 1 000`.
        if all_numbers(' ', number) {
            let help = format!("write {}", number.replace(' ', "_"));
            return slip(number, ", expected a number without blanks", help);
        }
        // `kind = `.
        if token.is_empty() {
            let help = "write a value after the =, or remove the key".to_owned();
            return slip("", "a key without a value", help);
        }
        // `kind = torus`, but not a misspelt true or false.
        let is_name =
            token.starts_with(char::is_alphabetic) && !truths.iter().any(|name| name.starts_with(token));
        let help = format!("put it in quotes: \"{}\"", shortened(token));
        if is_name { slip(token, " without quotes", help) } else { None }
    }
}

/// The range around the byte `at` of a list in which a comma is missing: between the token there and the next
/// value, or before it.
fn missing_comma(text: &str, at: usize, before: &str, token: &str) -> Option<Range<usize>> {
    let line = &before[before.rfind('\n').map_or(0, |feed| feed + 1)..];
    let in_list = line.matches('[').count() > line.matches(']').count();
    let begins_value =
        |rest: &str| rest.starts_with(|letter: char| letter.is_alphanumeric() || "\"'[{".contains(letter));
    let after = &text[at + token.len()..];
    let next = after.trim_start_matches([' ', '\t']);
    if in_list && !token.is_empty() && next.len() < after.len() && begins_value(next) {
        let gap = at + token.len();
        return Some(gap..gap + after.len() - next.len());
    }
    let ends_value = before.ends_with(|letter: char| letter.is_alphanumeric() || "\"']}".contains(letter));
    (in_list && ends_value && before.len() < at && begins_value(&text[at..])).then_some(before.len()..at)
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

    fn errors(text: &str) -> Vec<String> {
        let source = SourceFile::excerpt(Path::new("f.toml"), text.to_owned(), 0);
        parse(&source).unwrap_err().iter().map(ToString::to_string).collect()
    }

    #[test]
    fn common_mistakes_are_told_with_what_to_write() {
        let helps = |text: &str| -> Vec<String> {
            let source = SourceFile::excerpt(Path::new("f.toml"), text.to_owned(), 0);
            let errors = parse(&source).unwrap_err();
            errors.iter().filter_map(ScenarioError::help).map(str::to_owned).collect()
        };
        assert_eq!(helps("kind = torus\n"), ["put it in quotes: \"torus\""]);
        assert_eq!(helps("wrap = [True, FALSE]\n"), ["write true", "write false"]);
        assert_eq!(helps("shape = 8x16x4 # nodes\n"), ["write [8, 16, 4]"]);
        assert_eq!(helps("units = 1 000 000\n"), ["write 1_000_000"]);
        assert_eq!(helps("shape = [8 8]\n"), ["separate the entries with commas, as in [8, 8]"]);
    }

    #[test]
    fn every_syntax_error_is_told() {
        assert_eq!(
            errors("a = \nb = 1\nb = 2\nc = \"x\n"),
            [
                "f.toml:1:5: not TOML: a key without a value",
                "f.toml:3:1: not TOML: duplicate key",
                "f.toml:4:7: not TOML: invalid basic string, expected `\"`",
            ]
        );
    }
}
