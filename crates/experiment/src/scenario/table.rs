//! Tables inside a value, such as a guest: `{ kind = "torus", shape = [4, 6] }`.

use super::{
    known_names::{alternatives, help},
    scenario_error::ScenarioError,
    source_file::Place,
    value::{Content, Entry, Value},
};

/// A table whose keys are all known.
#[derive(Debug)]
pub(super) struct Table<'a> {
    name: &'a str,
    place: &'a Place,
    entries: &'a [Entry],
}

impl<'a> Table<'a> {
    /// The table that `value`, called `name`, is; keys that are not `known` are told.
    pub(super) fn read(
        value: &'a Value,
        name: &'a str,
        known: &[&str],
        errors: &mut Vec<ScenarioError>,
    ) -> Option<Self> {
        let Content::Table(entries) = &value.content else {
            errors.push(value.unexpected(name, format!("a table of {}", alternatives(known))));
            return None;
        };
        for entry in entries.iter().filter(|entry| !known.contains(&entry.key.as_str())) {
            let message = format!("unknown key {:?} in {name}, expected {}", entry.key, alternatives(known));
            let error = ScenarioError::at(&entry.key_place, message, "unknown key");
            errors.push(error.with_help(help(&entry.key, known)));
        }
        Some(Self { name, place: &value.place, entries })
    }

    /// The name of a key, for messages.
    pub(super) fn name(&self, key: &str) -> String {
        format!("{}.{key}", self.name)
    }

    /// The value of a key; none when it is not there.
    pub(super) fn get(&self, key: &str) -> Option<&'a Value> {
        self.entries.iter().find(|entry| entry.key == key).map(|entry| &entry.value)
    }

    /// The value of a key that has to be there; told when it is not.
    pub(super) fn required(
        &self,
        key: &str,
        expected: &str,
        errors: &mut Vec<ScenarioError>,
    ) -> Option<&'a Value> {
        let value = self.get(key);
        if value.is_none() {
            let message = format!("{} is missing, expected {expected}", self.name(key));
            let error = ScenarioError::at(self.place, message, format!("{key} is missing"));
            errors.push(error.with_help(format!("add {key} = .. to {}", self.name)));
        }
        value
    }
}
