//! Lines and words of a text with their positions, and texts made safe for display.

use std::{borrow::Cow, ops::Range};

/// Whether a format has comments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Remarks {
    /// From `#` to the end of a line.
    AfterHash,
    /// No comments.
    None,
}

/// Largest number of characters of a text that a message repeats.
const MAX_REPEATED: usize = 60;

/// Adds the indefinite article that fits the first letter.
#[must_use]
pub fn with_article(words: &str) -> String {
    let article = if words.starts_with(['a', 'e', 'i', 'o', 'u', 'x']) { "an" } else { "a" };
    format!("{article} {words}")
}

/// Lists the lines that are not empty, trimmed and without comments.
pub fn lines(text: &str, remarks: Remarks) -> impl Iterator<Item = &str> {
    let content = move |line| match remarks {
        Remarks::AfterHash => str::split_once(line, '#').map_or(line, |(content, _)| content),
        Remarks::None => line,
    };
    text.split('\n').map(content).map(str::trim).filter(|line| !line.is_empty())
}

/// The bytes of `part`, a slice of `text`; the end of `text` if it is not one.
#[must_use]
pub fn span(text: &str, part: &str) -> Range<usize> {
    let start = part.as_ptr().addr().checked_sub(text.as_ptr().addr());
    let start = start.filter(|start| start.saturating_add(part.len()) <= text.len()).unwrap_or(text.len());
    start..(start + part.len()).min(text.len())
}

/// Counts the lines up to ascending positions, in one pass over the text.
#[derive(Debug)]
pub struct LineCounter<'t> {
    text: &'t str,
    at: usize, // byte of the text up to which lines are counted
    line: u64, // from 1
}

impl<'t> LineCounter<'t> {
    /// A counter at the beginning of a text.
    #[must_use]
    pub fn new(text: &'t str) -> Self {
        Self { text, at: 0, line: 1 }
    }

    /// The line, counted from 1, in which `part` begins. Parts come in the order of the text.
    pub fn line(&mut self, part: &str) -> u64 {
        let start = span(self.text, part).start;
        if let Some(between) = self.text.as_bytes().get(self.at..start) {
            self.line += memchr::memchr_iter(b'\n', between).count() as u64;
            self.at = start;
        }
        self.line
    }
}

/// Makes a text safe for a terminal, a page or a picture: one line, with escapes for invisible characters.
///
/// Control characters (also those after U+007F), line and paragraph separators, direction marks, and
/// zero-width characters other than joiners are escaped. They could move the cursor, colour text, set the
/// window title, or disguise a text as another.
#[must_use]
pub fn printable(text: &str) -> Cow<'_, str> {
    escaped(text, is_printable)
}

/// Escapes characters that a terminal would act on, like [`printable`], but keeps line ends and tabs.
#[must_use]
pub fn printable_lines(text: &str) -> Cow<'_, str> {
    escaped(text, |character| is_printable(character) || matches!(character, '\n' | '\r' | '\t'))
}

/// Escapes all characters except those that are kept.
fn escaped(text: &str, is_kept: impl Fn(char) -> bool) -> Cow<'_, str> {
    if text.chars().all(&is_kept) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        if is_kept(character) { shown.push(character) } else { shown.extend(character.escape_default()) }
    }
    Cow::Owned(shown)
}

/// Appends a character as [`printable`] shows it.
pub fn push_printable(shown: &mut String, character: char) {
    if is_printable(character) {
        shown.push(character);
    } else {
        shown.extend(character.escape_default());
    }
}

/// Whether a character is visible as itself and has no effect on its neighbours.
fn is_printable(character: char) -> bool {
    !character.is_control()
        && !matches!(character,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e007f}')
}

/// A number with its noun, in the singular for 1.
#[must_use]
pub fn counted(number: u64, thing: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {thing}{plural}")
}

/// Shortens a text to its beginning, on one line.
#[must_use]
pub fn shortened(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    match line.char_indices().nth(MAX_REPEATED) {
        Some((end, _)) => format!("{}..", &line[..end]),
        None => line.to_owned(),
    }
}

/// Formats a word for a message: numbers unchanged, everything else quoted and shortened.
#[must_use]
pub fn described(word: &str) -> String {
    let short = shortened(word);
    let is_number = !short.is_empty() && short.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    if is_number { short } else { format!("{short:?}") }
}

/// The lower-case hexadecimal digits of bytes, two for each.
#[must_use]
pub fn hexadecimal(bytes: &[u8]) -> String {
    let digit = |half: u8| char::from_digit(half.into(), 16).unwrap_or_default();
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn words_have_their_article() {
        let found = ["torus", "all-gather program", "hyperx", "edge"].map(super::with_article);
        assert_eq!(found, ["a torus", "an all-gather program", "a hyperx", "an edge"]);
    }

    use super::*;

    #[test]
    fn lines_leave_out_remarks_and_know_their_places() {
        let text = "# all of it\r\n\n  a b # end\r\nc";
        let found: Vec<&str> = lines(text, Remarks::AfterHash).collect();
        assert_eq!(found, ["a b", "c"]);
        assert_eq!(span(text, found[0]), 16..19);
        assert_eq!(&text[span(text, found[1])], "c");
        assert_eq!(lines("#1\n2", Remarks::None).count(), 2);
    }

    #[test]
    fn lines_are_counted_from_1() {
        let text = "a\n\nb c\nd";
        let mut counter = LineCounter::new(text);
        let lines = text.split_whitespace().map(|word| counter.line(word));
        assert_eq!(lines.collect::<Vec<_>>(), [1, 3, 3, 4]);
    }

    #[test]
    fn a_part_of_another_text_is_at_the_end() {
        assert_eq!(span("abc", &String::from("abc")), 3..3);
    }

    #[test]
    fn what_a_terminal_obeys_is_escaped_and_all_else_is_kept() {
        assert_eq!(printable("é 日本 \u{1f44d} a\u{200d}b"), "é 日本 \u{1f44d} a\u{200d}b");
        assert_eq!(printable("\u{1b}]0;title\u{7}"), "\\u{1b}]0;title\\u{7}");
        assert_eq!(printable("a\nb\tc\r"), "a\\nb\\tc\\r");
        assert_eq!(printable("\u{9b}2J\u{7f}"), "\\u{9b}2J\\u{7f}");
        assert_eq!(printable("x\u{202e}y\u{2066}\u{feff}"), "x\\u{202e}y\\u{2066}\\u{feff}");
    }

    #[test]
    fn words_are_repeated_shortly() {
        assert_eq!(described("17"), "17");
        assert_eq!(described(""), "\"\"");
        assert_eq!(described(&"x".repeat(100)).len(), MAX_REPEATED + 4);
        assert_eq!(shortened(&"long ".repeat(100)).len(), MAX_REPEATED + 2);
    }
}
