//! TOML values with the places where they are written, and their reading as numbers, names and lists.

use std::{fmt::Display, ops::RangeInclusive, sync::Arc};

use toml::de::{DeInteger, DeTable, DeValue};

use super::{
    known_names::{alternatives, help},
    scenario_error::ScenarioError,
    source_file::{Place, SourceFile},
};
use crate::text::shortened;

/// A value and where it is written.
#[derive(Debug, Clone)]
pub(super) struct Value {
    pub(super) place: Place,
    pub(super) content: Content,
}

/// What a value is.
#[derive(Debug, Clone)]
pub(super) enum Content {
    Text(String),
    /// None when it is negative or over 2^64 - 1.
    Integer(Option<u64>),
    Boolean(bool),
    List(Vec<Value>),
    /// In the order of the file.
    Table(Vec<Entry>),
    /// Nothing that scenarios use: a float or a date.
    Other,
}

/// A key of a table and its value.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub(super) key: String,
    pub(super) key_place: Place,
    pub(super) value: Value,
}

impl Value {
    /// A value of the parser with its places.
    pub(super) fn new(source: &Arc<SourceFile>, parsed: &toml::Spanned<DeValue<'_>>) -> Self {
        let content = match parsed.get_ref() {
            DeValue::String(text) => Content::Text(text.clone().into_owned()),
            DeValue::Integer(integer) => Content::Integer(natural(integer)),
            DeValue::Boolean(boolean) => Content::Boolean(*boolean),
            DeValue::Float(_) | DeValue::Datetime(_) => Content::Other,
            DeValue::Array(values) => {
                Content::List(values.iter().map(|value| Self::new(source, value)).collect())
            }
            DeValue::Table(table) => Content::Table(entries(source, table)),
        };
        Self { place: Place::new(source, parsed.span()), content }
    }

    /// What it is, for a message: short, and on one line.
    pub(super) fn describe(&self) -> String {
        match &self.content {
            Content::Text(text) => format!("{:?}", shortened(text)),
            Content::Integer(_) | Content::Boolean(_) | Content::Other => shortened(self.place.text()),
            Content::List(values) if values.is_empty() => "an empty list".to_owned(),
            Content::List(values) => format!("a list of {}", values.len()),
            Content::Table(_) => "a table".to_owned(),
        }
    }

    /// As it is written, on one line.
    pub(super) fn written(&self) -> String {
        if !self.place.text().contains('\n') {
            return self.place.text().to_owned();
        }
        let comma_separated = |parts: Vec<String>| parts.join(", ");
        match &self.content {
            Content::List(values) => {
                format!("[{}]", comma_separated(values.iter().map(Self::written).collect()))
            }
            Content::Table(entries) => {
                let pair = |entry: &Entry| format!("{} = {}", entry.key, entry.value.written());
                format!("{{ {} }}", comma_separated(entries.iter().map(pair).collect()))
            }
            Content::Text(text) => format!("{text:?}"),
            Content::Integer(_) | Content::Boolean(_) | Content::Other => self.place.text().to_owned(),
        }
    }

    /// The error that says what `name` is and what it ought to be.
    pub(super) fn unexpected(&self, name: impl Display, expected: impl Display) -> ScenarioError {
        let message = format!("{name} is {}, expected {expected}", self.describe());
        ScenarioError::at(&self.place, message, format!("expected {expected}"))
    }

    /// An integer in a range.
    pub(super) fn natural(
        &self,
        name: impl Display,
        range: RangeInclusive<u64>,
        errors: &mut Vec<ScenarioError>,
    ) -> Option<u64> {
        match self.content {
            Content::Integer(Some(number)) if range.contains(&number) => Some(number),
            _ => {
                errors.push(self.unexpected(name, integers_in(&range)));
                None
            }
        }
    }

    /// A text.
    pub(super) fn text(&self, name: impl Display, errors: &mut Vec<ScenarioError>) -> Option<&str> {
        let Content::Text(text) = &self.content else {
            errors.push(self.unexpected(name, "a string"));
            return None;
        };
        Some(text)
    }

    /// A list of at least one value.
    pub(super) fn list(
        &self,
        name: impl Display,
        of: &str,
        errors: &mut Vec<ScenarioError>,
    ) -> Option<&[Self]> {
        match &self.content {
            Content::List(values) if !values.is_empty() => Some(values),
            Content::List(_) => {
                errors.push(self.unexpected(name, "at least one entry"));
                None
            }
            _ => {
                errors.push(self.unexpected(name, format!("a list of {of}")));
                None
            }
        }
    }

    /// One of the known names.
    pub(super) fn choice<T: Copy>(
        &self,
        name: &str,
        choices: &[(&str, T)],
        errors: &mut Vec<ScenarioError>,
    ) -> Option<T> {
        let known: Vec<&str> = choices.iter().map(|&(known, _)| known).collect();
        let Content::Text(text) = &self.content else {
            errors.push(self.unexpected(name, alternatives(&known)));
            return None;
        };
        let choice = choices.iter().find(|&&(known, _)| known == text);
        if choice.is_none() {
            errors.push(self.unknown_name(name, text, &known));
        }
        choice.map(|&(_, choice)| choice)
    }

    /// The error for a name that is none of the known ones.
    pub(super) fn unknown_name(&self, name: impl Display, text: &str, known: &[&str]) -> ScenarioError {
        self.unexpected(name, alternatives(known)).with_help(help(text, known))
    }
}

/// The entries of a table in the order of the file.
pub(super) fn entries(source: &Arc<SourceFile>, table: &DeTable<'_>) -> Vec<Entry> {
    let mut entries: Vec<Entry> = table
        .iter()
        .map(|(key, value)| Entry {
            key: key.get_ref().clone().into_owned(),
            key_place: Place::new(source, key.span()),
            value: Value::new(source, value),
        })
        .collect();
    // The parser's map is sorted by key.
    entries.sort_by_key(|entry| entry.key_place.span().start);
    entries
}

fn natural(integer: &DeInteger<'_>) -> Option<u64> {
    u64::from_str_radix(integer.as_str(), integer.radix()).ok()
}

fn integers_in(range: &RangeInclusive<u64>) -> String {
    match (*range.start(), *range.end()) {
        (least, u64::MAX) => format!("an integer from {least} to 2^64 - 1"),
        (least, greatest) => format!("an integer from {least} to {greatest}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn parse(text: &str) -> Vec<Entry> {
        let source = SourceFile::excerpt(Path::new("f.toml"), text.to_owned(), 0);
        let (table, errors) = DeTable::parse_recoverable(source.text());
        assert_eq!(errors, []);
        entries(&source, table.get_ref())
    }

    #[test]
    fn entries_come_in_the_order_of_the_file() {
        let keys: Vec<_> = parse("b = 1\na = 2\nc = 3").into_iter().map(|entry| entry.key).collect();
        assert_eq!(keys, ["b", "a", "c"]);
    }

    #[test]
    fn integers_of_every_notation_are_read_and_the_rest_refused() {
        let read = |text: &str| {
            let mut errors = vec![];
            let value = parse(&format!("a = {text}")).remove(0).value;
            (value.natural("a", 1..=1_000_000, &mut errors), errors.pop().map(|error| error.to_string()))
        };
        assert_eq!(read("0x10"), (Some(16), None));
        assert_eq!(read("1_000"), (Some(1000), None));
        let refused = |text| read(text).1.unwrap();
        assert_eq!(refused("-3"), "f.toml:1:5: a is -3, expected an integer from 1 to 1000000");
        assert_eq!(refused("1.5"), "f.toml:1:5: a is 1.5, expected an integer from 1 to 1000000");
        assert_eq!(refused("\"1\""), "f.toml:1:5: a is \"1\", expected an integer from 1 to 1000000");
        assert!(refused("99999999999999999999999").contains("is 99999999999999999999999, expected"));
    }

    #[test]
    fn values_are_shown_on_one_line() {
        let entries = parse("a = [ 1,2 ]\nb = [\n 'x', # why\n { c = 3 }\n]");
        assert_eq!(entries[0].value.written(), "[ 1,2 ]");
        assert_eq!(entries[1].value.written(), "['x', { c = 3 }]");
    }
}
