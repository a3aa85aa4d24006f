//! TOML values with their places, and their conversion to numbers, names, lists, tables and lengths.
//!
//! A value that cannot be converted is reported at its place, and `None` is returned.

use std::{fmt::Display, ops::RangeInclusive, sync::Arc};

use cubefold_formats::input::text::shortened;
use cubefold_topology::{Machine, MachineError, ShapeError, Wrap};
use toml::de::{DeInteger, DeTable, DeValue};

use super::{
    errors::{Errors, ScenarioError, alternatives, help},
    keys::MAX_INTEGER,
    source_file::{Place, SourceFile},
};

#[derive(Debug, Clone)]
pub(super) struct Value {
    pub(super) place: Place,
    pub(super) content: Content,
}

#[derive(Debug, Clone)]
pub(super) enum Content {
    Text(String),
    /// `None` if it is negative or over 2^64 - 1.
    Integer(Option<u64>),
    Boolean(bool),
    List(Vec<Value>),
    /// In the order of the file.
    Table(Vec<Entry>),
    /// A type that scenarios do not use: a float or a date.
    Other,
}

#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub(super) key: String,
    pub(super) key_place: Place,
    pub(super) value: Value,
}

impl Value {
    /// Converts a value of the parser.
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

    /// A short description on one line, for a message.
    pub(super) fn describe(&self) -> String {
        match &self.content {
            Content::Text(text) => format!("{:?}", shortened(text)),
            Content::Integer(_) | Content::Boolean(_) | Content::Other => shortened(self.place.text()),
            Content::List(values) if values.is_empty() => "an empty list".to_owned(),
            Content::List(values) => format!("a list of {}", values.len()),
            Content::Table(_) => "a table".to_owned(),
        }
    }

    /// The value as written, on one line.
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

    /// The error that `name` has this value instead of the expected one.
    pub(super) fn unexpected(&self, name: impl Display, expected: impl Display) -> ScenarioError {
        let message = format!("{name} is {}, expected {expected}", self.describe());
        ScenarioError::at(&self.place, message, label(&expected))
    }

    pub(super) fn natural(
        &self,
        name: impl Display,
        range: RangeInclusive<u64>,
        errors: &Errors,
    ) -> Option<u64> {
        match self.content {
            Content::Integer(Some(number)) if range.contains(&number) => Some(number),
            _ => errors.fail(self.unexpected(name, integers_in(&range))),
        }
    }

    /// The integer, if it is one from 0 to 2^64 - 1.
    pub(super) fn integer(&self) -> Option<u64> {
        match self.content {
            Content::Integer(number) => number,
            _ => None,
        }
    }

    /// The integers, if it is a list of them, each from 0 to 2^64 - 1.
    pub(super) fn integers(&self) -> Option<Vec<u64>> {
        match &self.content {
            Content::List(values) => values.iter().map(Self::integer).collect(),
            _ => None,
        }
    }

    /// Reads true or false.
    pub(super) fn truth(&self, name: impl Display, errors: &Errors) -> Option<bool> {
        match self.content {
            Content::Boolean(truth) => Some(truth),
            _ => errors.fail(self.unexpected(name, "true or false")),
        }
    }

    /// Reads an integer from `-most` to `most`.
    pub(super) fn whole(&self, name: impl Display, most: u32, errors: &Errors) -> Option<i64> {
        let number = match self.content {
            Content::Integer(Some(number)) => i64::try_from(number).ok(),
            // Only decimal integers have a sign.
            Content::Integer(None) => self.place.text().replace('_', "").parse().ok(),
            _ => None,
        };
        let number = number.filter(|number| number.unsigned_abs() <= u64::from(most));
        if number.is_none() {
            errors.report(self.unexpected(name, format!("an integer from -{most} to {most}")));
        }
        number
    }

    /// Reads a finite number that `is_right` accepts.
    pub(super) fn number(
        &self,
        name: impl Display,
        expected: &str,
        is_right: impl Fn(f64) -> bool,
        errors: &Errors,
    ) -> Option<f64> {
        let number = match self.content {
            #[expect(clippy::cast_precision_loss, reason = "a number with a fraction is expected")]
            Content::Integer(Some(number)) => Some(number as f64),
            // Floats and dates; only the former are numbers.
            Content::Other => self.place.text().replace('_', "").parse().ok(),
            _ => None,
        };
        let number = number.filter(|number: &f64| number.is_finite() && is_right(*number));
        if number.is_none() {
            errors.report(self.unexpected(name, expected));
        }
        number
    }

    pub(super) fn text(&self, name: impl Display, errors: &Errors) -> Option<&str> {
        let Content::Text(text) = &self.content else {
            return errors.fail(self.unexpected(name, "a string"));
        };
        Some(text)
    }

    /// The number of entries, if it is a list.
    pub(super) fn list_length(&self) -> Option<usize> {
        match &self.content {
            Content::List(values) => Some(values.len()),
            _ => None,
        }
    }

    /// Reads a list of at least one value.
    pub(super) fn list(&self, name: impl Display, of: &str, errors: &Errors) -> Option<&[Self]> {
        match &self.content {
            Content::List(values) if !values.is_empty() => Some(values),
            Content::List(_) => errors.fail(self.unexpected(name, "at least one entry")),
            _ => errors.fail(self.unexpected(name, format!("a list of {of}"))),
        }
    }

    /// Reads one of the known names.
    pub(super) fn choice<T: Copy>(&self, name: &str, choices: &[(&str, T)], errors: &Errors) -> Option<T> {
        self.choice_by_name(name, choices, |&(known, _)| known, errors).map(|(_, choice)| choice)
    }

    /// Returns the one of `choices` with this name.
    pub(super) fn choice_by_name<'name, T: Copy>(
        &self,
        name: &str,
        choices: &[T],
        name_of: impl Fn(&T) -> &'name str,
        errors: &Errors,
    ) -> Option<T> {
        let is_named = |choice: &&T| matches!(&self.content, Content::Text(text) if name_of(choice) == text);
        let choice = choices.iter().find(is_named);
        if choice.is_none() {
            let known: Vec<&str> = choices.iter().map(name_of).collect();
            errors.report(self.unknown_word(name, alternatives(&known), &known));
        }
        choice.copied()
    }

    /// The error that `name` has this value instead of the expected one, with the nearest of the `known` words as help.
    pub(super) fn unknown_word(
        &self,
        name: impl Display,
        expected: impl Display,
        known: &[&str],
    ) -> ScenarioError {
        let error = self.unexpected(name, expected);
        match &self.content {
            Content::Text(text) => error.with_help(help(text, known)),
            _ => error,
        }
    }
}

/// Reads all of several values, so that the errors of all are reported; `None` if any of them cannot be read.
pub(super) fn read_each<T, R>(
    values: impl IntoIterator<Item = T>,
    read: impl FnMut(T) -> Option<R>,
) -> Option<Vec<R>> {
    let read: Vec<Option<R>> = values.into_iter().map(read).collect();
    read.into_iter().collect()
}

/// Size limit of an expectation that is repeated beside the marked text \[bytes\].
const MAX_REPEATED: usize = 60;

/// The label of an unexpected value: the expectation, unless it is a long list.
fn label(expected: &impl Display) -> String {
    let label = format!("expected {expected}");
    if label.len() > MAX_REPEATED { "none of these".to_owned() } else { label }
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
        (least, MAX_INTEGER) => format!("an integer from {least} to 2^63 - 1"),
        (least, greatest) => format!("an integer from {least} to {greatest}"),
    }
}

#[derive(Debug)]
pub(super) struct Size {
    pub(super) lengths: Vec<u64>, // each at least 2
    pub(super) place: Place,      // the whole value
    length_places: Vec<Place>,    // of each length; empty if the file gives a number of dimensions
}

impl Size {
    pub(super) fn length_place(&self, index: usize) -> &Place {
        self.length_places.get(index).unwrap_or(&self.place)
    }

    /// The lengths in the form `8x8`.
    pub(super) fn written(&self) -> String {
        written_lengths(&self.lengths)
    }

    /// The lengths of a cube of `dimensions` dimensions, which are given at `place`.
    pub(super) fn of_cube(dimensions: u64, place: &Place) -> Self {
        let lengths = (0..dimensions).map(|_| 2).collect();
        Self { lengths, place: place.clone(), length_places: vec![] }
    }

    /// The lengths by which the nodes of a network are numbered; its description is at `place`.
    pub(super) fn of_machine(machine: &Machine, place: &Place) -> Self {
        Self { lengths: machine.shape().lengths().to_vec(), place: place.clone(), length_places: vec![] }
    }

    /// Reads a list of lengths called `name`.
    pub(super) fn read(value: &Value, name: &str, errors: &Errors) -> Option<Self> {
        let values = value.list(name, "lengths", errors)?;
        let lengths = read_each((1..).zip(values), |(dimension, entry)| match entry.content {
            Content::Integer(Some(length)) if length >= 2 => Some(length),
            Content::Integer(Some(length)) => {
                let error = ShapeError::LengthTooSmall { dimension, length };
                errors.fail(ScenarioError::at(&entry.place, error.to_string(), "expected at least 2"))
            }
            _ => {
                let entry_name = format!("length of dimension {dimension} of {name}");
                errors.fail(entry.unexpected(entry_name, "an integer from 2 to 2^32"))
            }
        })?;
        let length_places = values.iter().map(|entry| entry.place.clone()).collect();
        Some(Self { lengths, place: value.place.clone(), length_places })
    }
}

/// Lengths in the form `8x8`.
pub(super) fn written_lengths(lengths: &[u64]) -> String {
    lengths.iter().map(u64::to_string).collect::<Vec<_>>().join("x")
}

/// Reads a list called `name` of whether each dimension wraps.
pub(super) fn read_wraps(
    value: &Value,
    name: &str,
    size: Option<&Size>,
    errors: &Errors,
) -> Option<Vec<Wrap>> {
    let values = value.list(name, "true or false", errors)?;
    let wraps = read_each(values, |entry| {
        let is_around = entry.truth(format!("entry of {name}"), errors)?;
        Some(if is_around { Wrap::Around } else { Wrap::Open })
    });
    if let Some(size) = size.filter(|size| size.lengths.len() != values.len()) {
        let (found, expected) = (values.len(), size.lengths.len());
        let error = MachineError::WrapEntries { found, expected };
        let label = format!("expected {expected}");
        let error = ScenarioError::at(&value.place, error.to_string(), label)
            .because(Some(&size.place), format!("dimensions: {expected}"));
        return errors.fail(error);
    }
    wraps
}

/// A table with known keys only.
#[derive(Debug)]
pub(super) struct Table<'a> {
    name: &'a str,
    place: &'a Place,
    entries: &'a [Entry],
}

impl<'a> Table<'a> {
    /// Reads the table called `name`; keys that are not `known` are reported.
    pub(super) fn read(value: &'a Value, name: &'a str, known: &[&str], errors: &Errors) -> Option<Self> {
        let Content::Table(entries) = &value.content else {
            return errors.fail(value.unexpected(name, format!("a table of {}", alternatives(known))));
        };
        for entry in entries.iter().filter(|entry| !known.contains(&entry.key.as_str())) {
            let message = format!("unknown key {:?} in {name}, expected {}", entry.key, alternatives(known));
            let error = ScenarioError::at(&entry.key_place, message, "unknown key");
            errors.report(error.with_help(help(&entry.key, known)));
        }
        Some(Self { name, place: &value.place, entries })
    }

    /// All its entries, in the order of the file.
    pub(super) fn entries(&self) -> &'a [Entry] {
        self.entries
    }

    /// The full name of a key, for messages.
    pub(super) fn name(&self, key: &str) -> String {
        format!("{}.{key}", self.name)
    }

    pub(super) fn get(&self, key: &str) -> Option<&'a Value> {
        self.entries.iter().find(|entry| entry.key == key).map(|entry| &entry.value)
    }

    /// The value of a required key; reports an error if it is absent.
    pub(super) fn required(&self, key: &str, expected: &str, errors: &Errors) -> Option<&'a Value> {
        let value = self.get(key);
        if value.is_none() {
            let message = format!("{} is missing, expected {expected}", self.name(key));
            let error = ScenarioError::at(self.place, message, format!("{key} is missing"));
            errors.report(error.with_help(format!("add {key} = .. to {}", self.name)));
        }
        value
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn parse(text: &str) -> Vec<Entry> {
        let source = SourceFile::excerpt(Path::new("f.toml"), text.to_owned(), 0);
        let (table, errors) = DeTable::parse_recoverable(source.text());
        assert_eq!(errors, []);
        entries(&source, table.get_ref())
    }

    #[test]
    fn integers_of_every_notation_are_read_and_the_rest_refused() {
        let read = |text: &str| {
            let errors = Errors::default();
            let value = parse(&format!("a = {text}")).remove(0).value;
            (value.natural("a", 1..=1_000_000, &errors), errors.take().pop().map(|error| error.to_string()))
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
