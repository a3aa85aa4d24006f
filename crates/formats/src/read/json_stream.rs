//! Streaming reader for JSON documents with one long list: elements are read one at a time.

use std::{fmt, io};

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use crate::format::Complaint;

/// Called for each element of the list.
type OnElement<'a> = dyn FnMut(Value) -> Result<(), Complaint> + 'a;

/// Reads an object: passes each element of the list at key `list` to `on_element`, and returns the entries
/// whose keys are in `kept`.
///
/// # Errors
///
/// The error of an element, or the line at which the text is not valid JSON.
pub(super) fn read(
    input: &mut dyn io::Read,
    list: &str,
    kept: &[&str],
    on_element: &mut OnElement<'_>,
) -> Result<Map<String, Value>, Complaint> {
    let (mut found, mut failure) = (Map::new(), None);
    let document = Document { list, kept, found: &mut found, on_element, failure: &mut failure };
    let mut json = serde_json::Deserializer::from_reader(io::BufReader::new(input));
    match json.deserialize_map(document).and_then(|()| json.end()) {
        Ok(()) => Ok(found),
        Err(error) => {
            let complaint = Complaint { line: error.line(), message: error.to_string() };
            Err(failure.unwrap_or(complaint))
        }
    }
}

struct Document<'a, 'b> {
    list: &'a str,
    kept: &'a [&'a str],
    found: &'a mut Map<String, Value>,
    on_element: &'a mut OnElement<'b>,
    failure: &'a mut Option<Complaint>,
}

impl<'de> Visitor<'de> for Document<'_, '_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "an object with {}", self.list)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            if key == self.list {
                map.next_value_seed(Elements(&mut *self.on_element, &mut *self.failure))?;
            } else if self.kept.contains(&key.as_str()) {
                let value = map.next_value()?;
                self.found.insert(key, value);
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(())
    }
}

struct Elements<'a, 'b>(&'a mut OnElement<'b>, &'a mut Option<Complaint>);

impl<'de> DeserializeSeed<'de> for Elements<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<(), D::Error> {
        json.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Elements<'_, '_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<(), A::Error> {
        while let Some(element) = elements.next_element::<Value>()? {
            if let Err(complaint) = (self.0)(element) {
                *self.1 = Some(complaint);
                return Err(A::Error::custom("an element that is wrong"));
            }
        }
        Ok(())
    }
}
