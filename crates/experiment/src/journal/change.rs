//! What has changed in a sweep since its journal was begun.

use std::fmt;

use serde_json::Value;

/// The first difference between the runs of a journal and those that are asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// How many runs the journal is for, and how many are asked for.
    pub counts: (usize, usize),
    /// The first run that differs, where both have it.
    pub first: Option<RunChange>,
}

/// How a run differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunChange {
    /// Its place in the results, counted from 0.
    pub run: usize,
    /// The path of the first key that differs.
    pub key: String,
    /// Its value in the journal; none where it is missing.
    pub was: Option<String>,
    /// Its value now; none where it is missing.
    pub now: Option<String>,
}

impl RunChange {
    /// The difference between two descriptions of the run; none when they say the same.
    pub(super) fn between(run: usize, was: &str, now: &str) -> Option<Self> {
        if was == now {
            return None;
        }
        // What is no JSON is told as a whole.
        let value = |text: &str| serde_json::from_str(text).unwrap_or_else(|_| Value::from(text));
        let (key, was, now) = first_difference("", Some(&value(was)), Some(&value(now)))?;
        Some(Self { run, key, was, now })
    }
}

type Difference = (String, Option<String>, Option<String>);

fn first_difference(path: &str, was: Option<&Value>, now: Option<&Value>) -> Option<Difference> {
    if let (Some(Value::Object(was)), Some(Value::Object(now))) = (was, now) {
        let nested = |key: &str| if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") };
        let mut keys = was.keys().chain(now.keys().filter(|key| !was.contains_key(*key)));
        return keys.find_map(|key| first_difference(&nested(key), was.get(key), now.get(key)));
    }
    let text = |value: Option<&Value>| value.map(ToString::to_string);
    (was != now).then(|| (path.to_owned(), text(was), text(now)))
}

impl fmt::Display for Change {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (was, now) = self.counts;
        if was != now {
            write!(formatter, "it is for {was} runs, and {now} are asked for")?;
        }
        if let (true, Some(_)) = (was != now, &self.first) {
            formatter.write_str("; ")?;
        }
        self.first.as_ref().map_or(Ok(()), |first| first.fmt(formatter))
    }
}

impl fmt::Display for RunChange {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { run, key, was, now } = self;
        match (was, now) {
            (Some(was), Some(now)) => write!(formatter, "in run {run} {key} was {was} and is {now}"),
            (Some(was), None) => write!(formatter, "in run {run} {key} was {was} and is no longer there"),
            (None, Some(now)) => write!(formatter, "in run {run} {key} was not there and is {now}"),
            (None, None) => write!(formatter, "in run {run} {key} differs"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_key_that_differs_is_named_with_both_values() {
        let told = |was: &str, now: &str| RunChange::between(3, was, now).map(|change| change.to_string());
        let was = r#"{"seed":1,"machine":{"shape":[8,8],"hop_cycles":1}}"#;
        assert_eq!(told(was, was), None);
        let cases = [
            (
                r#"{"seed":1,"machine":{"shape":[8,4],"hop_cycles":1}}"#,
                "machine.shape was [8,8] and is [8,4]",
            ),
            (r#"{"seed":1,"machine":{"shape":[8,8]}}"#, "machine.hop_cycles was 1 and is no longer there"),
            (
                r#"{"seed":1,"machine":{"shape":[8,8],"hop_cycles":1},"x":"y"}"#,
                "x was not there and is \"y\"",
            ),
        ];
        for (now, expected) in cases {
            assert_eq!(told(was, now).unwrap(), format!("in run 3 {expected}"));
        }
    }
}
