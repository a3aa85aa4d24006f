//! The text of a file, the sample that identifies a large one, and the outline of a JSON document.

use std::{borrow::Cow, fmt, sync::OnceLock};

use memchr::memmem;
use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor,
};
use serde_json::{Map, Value};

use crate::{
    benchmark::{cleaned, without_prefix},
    format::{Complaint, wrong},
};

/// First byte of a pickle.
const PICKLE: u8 = 0x80;
/// Size of the start of a file that is searched for its format \[bytes\].
const HEAD: usize = 96 << 10;
/// Size of the end of a file that is searched, and of the text on either side of a heading \[bytes\].
const TAIL: usize = 16 << 10;
/// Largest JSON document that is held as a tree \[bytes\].
const MAX_TREE: usize = 16 << 20;
/// Deepest nesting of JSON.
const MAX_DEPTH: u32 = 64;
/// Levels of an outline, and the limit on keys per object in it.
const OUTLINED: (u32, usize) = (4, 1024);

/// Parts of lines that give away a table in a long job log, after any amount of other output.
const HEADINGS: [&str; 20] = [
    "#bytes",
    "# iterations |",
    "Collective:",
    "size(B)",
    "Comm. Op",
    "[SUMMARY REPORT]",
    "# OSU ",
    "# Size",
    "#repetitions",
    "busbw",
    " MCW rank ",
    "] Rank ",
    "Data for node:",
    "Rank Pid",
    "affinity",
    "Link Type between two GPUs",
    "memcpy CE GPU(row)",
    "P2P=Enabled",
    "GPU0",
    " msgs sent",
];

/// The text of a file: without a byte order mark, carriage returns and colours.
#[derive(Debug)]
pub struct FileText<'a> {
    /// The unchanged contents.
    pub bytes: &'a [u8],
    /// The text; empty if the file is not text.
    pub text: Cow<'a, str>,
    whole: Option<&'a str>, // `None` unless this is a sample
    outline: OnceLock<Option<Value>>,
}

impl<'a> FileText<'a> {
    /// Prepares the contents of a file.
    #[must_use]
    pub fn new(bytes: &'a [u8]) -> Self {
        let is_text = !bytes.contains(&0) && bytes.first() != Some(&PICKLE);
        // Names of hosts and ranks are ASCII, so characters in other encodings do no harm.
        let text = if is_text { String::from_utf8_lossy(bytes) } else { Cow::Borrowed("") };
        let text = without(text, "\u{feff}", |text| text.trim_start_matches('\u{feff}').to_owned());
        let text = without(text, "\r", |text| text.replace('\r', ""));
        Self::of(bytes, without(text, "\u{1b}[", without_colours))
    }

    fn of(bytes: &'a [u8], text: Cow<'a, str>) -> Self {
        Self { bytes, text, whole: None, outline: OnceLock::new() }
    }

    /// Whether a sample stands for the text when its format is recognised.
    pub(crate) fn is_large(&self) -> bool {
        self.text.len() > HEAD + 2 * TAIL
    }

    /// The start and end of a large text, in whole lines if they are short; `None` for a small one.
    #[must_use]
    pub fn sample(&self) -> Option<FileText<'_>> {
        if !self.is_large() {
            return None;
        }
        let text: &str = &self.text;
        let head = text.get(..text.floor_char_boundary(HEAD))?;
        let head = head.rfind('\n').map_or(head, |at| &head[..=at]);
        let tail = text.get(text.ceil_char_boundary(text.len() - TAIL)..)?;
        let tail = tail.find('\n').map_or("", |at| &tail[at + 1..]);
        Some(self.part(format!("{head}{tail}")))
    }

    /// The lines around the headings of tables in a large text.
    pub(crate) fn around_headings(&self) -> impl Iterator<Item = FileText<'_>> {
        const MOST: usize = 3;
        let text: &str = &self.text;
        let find = |heading: &&str| memmem::find(text.as_bytes(), heading.as_bytes());
        let mut places: Vec<usize> = HEADINGS.iter().filter_map(find).collect();
        places.sort_unstable();
        places.into_iter().take(MOST).filter_map(move |at| {
            let begin = text.floor_char_boundary(at.saturating_sub(TAIL));
            let begin = if begin == 0 {
                0
            } else {
                text[begin..at].find('\n').map_or(at, |line_end| begin + line_end + 1)
            };
            let end = text.floor_char_boundary((at + TAIL).min(text.len()));
            let part = text.get(begin..end)?;
            Some(self.part(part[..part.rfind('\n').map_or(part.len(), |line_end| line_end + 1)].to_owned()))
        })
    }

    fn part(&self, text: String) -> FileText<'_> {
        FileText { whole: Some(&self.text), ..FileText::of(self.bytes, Cow::Owned(text)) }
    }

    /// Whether this is a sample of a larger text.
    #[must_use]
    pub fn is_sample(&self) -> bool {
        self.whole.is_some()
    }

    /// The whole text, even if this is a sample of it.
    #[must_use]
    pub fn whole(&self) -> &str {
        self.whole.unwrap_or(&self.text)
    }

    /// The same file without a prefix that a launcher put before every line; `None` unless all lines have one. Blanks
    /// after it go if all lines have them.
    pub(crate) fn without_prefix(&self) -> Option<FileText<'a>> {
        let is_blank = |line: &&str| line.trim().is_empty();
        let plain = |line| if is_blank(&line) { Some(line) } else { without_prefix(line) };
        let lines: Vec<&str> = self.text.lines().map(plain).collect::<Option<_>>()?;
        let blanks = |line: &&str| line.len() - line.trim_start().len();
        let indent = lines.iter().filter(|line| !is_blank(line)).map(blanks).min()?;
        let mut text = String::with_capacity(self.text.len());
        for line in lines {
            text.push_str(line.get(indent..).unwrap_or_default());
            text.push('\n');
        }
        Some(Self::of(self.bytes, Cow::Owned(text)))
    }

    /// The same file without the prefixes that launchers put before lines; `None` if no line has one.
    pub(crate) fn without_prefixes(&self) -> Option<FileText<'a>> {
        let cleaned = cleaned(&self.text);
        if cleaned == *self.text {
            return None;
        }
        let mut text = String::with_capacity(cleaned.len());
        for (prefixed, plain) in self.text.lines().zip(cleaned.lines()) {
            // Blanks replace a prefix.
            text.push_str(if prefixed == plain { plain } else { plain.trim_start() });
            text.push('\n');
        }
        Some(FileText { whole: self.whole, ..Self::of(self.bytes, Cow::Owned(text)) })
    }

    /// The lines with their numbers, counted from 1.
    pub fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        (1..).zip(self.text.lines())
    }

    /// The lines that are not empty.
    pub fn rows(&self) -> impl Iterator<Item = (usize, &str)> {
        self.lines().filter(|(_, line)| !line.trim().is_empty())
    }

    /// The outline of a JSON document, if that is the whole text: its upper levels, and the first element of each
    /// list.
    #[must_use]
    pub fn outline(&self) -> Option<&Value> {
        let parse = || {
            let text = self.whole();
            let is_json = text.trim_start().starts_with(['{', '[']) && !is_too_deep(text);
            let mut json = serde_json::Deserializer::from_str(text);
            let outline = is_json.then(|| Outline(OUTLINED.0).deserialize(&mut json).ok()).flatten()?;
            json.end().ok().map(|()| outline)
        };
        self.outline.get_or_init(parse).as_ref()
    }

    /// The JSON document as a tree.
    ///
    /// # Errors
    ///
    /// The reason why the text is not JSON, or that it is too large to be held.
    pub fn tree(&self) -> Result<Value, Vec<Complaint>> {
        if self.text.len() > MAX_TREE {
            return wrong(0, format!("a document of more than {} MiB, expected less", MAX_TREE >> 20));
        }
        if is_too_deep(&self.text) {
            return wrong(0, format!("lists and objects more than {MAX_DEPTH} levels deep"));
        }
        serde_json::from_str(&self.text).or_else(|error| wrong(0, error.to_string()))
    }
}

/// Removes a part from a text, if it is there.
fn without<'a>(text: Cow<'a, str>, part: &str, without: impl FnOnce(&str) -> String) -> Cow<'a, str> {
    if memmem::find(text.as_bytes(), part.as_bytes()).is_some() { Cow::Owned(without(&text)) } else { text }
}

/// Removes terminal colours: `ESC[..m`.
fn without_colours(text: &str) -> String {
    let mut parts = text.split("\u{1b}[");
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part.find(|character: char| character.is_ascii_alphabetic());
        plain.push_str(end.and_then(|end| part.get(end + 1..)).unwrap_or(part));
    }
    plain
}

/// Whether JSON lists and objects are nested more than 64 levels deep.
pub(crate) fn is_too_deep(text: &str) -> bool {
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
        depth > MAX_DEPTH
    })
}

/// Deserializes a value, keeping this number of levels.
struct Outline(u32);

impl<'de> DeserializeSeed<'de> for Outline {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<Value, D::Error> {
        if self.0 == 0 {
            return IgnoredAny::deserialize(json).map(|_| Value::Null);
        }
        json.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Outline {
    type Value = Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Value, A::Error> {
        let first = list.next_element_seed(Outline(self.0 - 1))?;
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Value::Array(first.into_iter().collect()))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut kept = Map::new();
        while kept.len() < OUTLINED.1
            && let Some(key) = map.next_key::<String>()?
        {
            kept.insert(key, map.next_value_seed(Outline(self.0 - 1))?);
        }
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(kept.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outlines_keep_upper_levels_and_first_elements() {
        let outline = |text: &str| FileText::new(text.as_bytes()).outline().map(ToString::to_string);
        assert_eq!(outline(r#"{"a": [1, 2, {"b": 3}], "c": "d"}"#).unwrap(), r#"{"a":[1],"c":"d"}"#);
        assert_eq!(outline(r#"{"a": {"b": {"c": {"d": 1}}}}"#).unwrap(), r#"{"a":{"b":{"c":{"d":null}}}}"#);
        assert_eq!(outline("[[[[[[1]]]]]]").unwrap(), "[[[[null]]]]");
        for broken in ["{\"a\": [1", "{} {}", "a", &"[".repeat(100)] {
            assert_eq!(outline(broken), None);
        }
    }

    #[test]
    fn samples_are_bounded_and_of_whole_lines() {
        assert!(FileText::new(&[b'x'; 1000]).sample().is_none());
        let lines = "0 1 2\n".repeat(1 << 18);
        let file = FileText::new(lines.as_bytes());
        let sample = file.sample().unwrap();
        assert!(sample.text.len() <= HEAD + TAIL && sample.lines().all(|line| line.1 == "0 1 2"));
        let one_line = "é".repeat(1 << 20);
        assert!(FileText::new(one_line.as_bytes()).sample().unwrap().text.len() <= HEAD);
        let log = format!("{}# Size  Latency\n{}", "x\n".repeat(1 << 18), "y\n".repeat(1 << 18));
        let file = FileText::new(log.as_bytes());
        let found: Vec<FileText<'_>> = file.around_headings().collect();
        assert!(found.len() == 1 && found[0].text.contains("# Size") && found[0].text.len() <= 2 * TAIL);
    }
}
