//! The columns that come first in rows of several runs of open-loop traffic: the scenario, if there are several, and the
//! keys that sweeps set.

use std::sync::Arc;

use cubefold_scenario::Run;
use serde::{Serialize, Serializer, ser::SerializeMap};

use super::{column::Cell, definition::Kind};

/// The first columns of rows of several runs; empty for one run.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LeadingColumns {
    has_scenario: bool,
    keys: Vec<(Arc<str>, Kind)>, // in order of first occurrence
}

/// The cells of a run in its first columns, with their names.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LeadingCells<'run>(pub(super) Vec<(&'run str, Cell<'run>)>);

/// A row with the first columns of its run, as a line of JSON.
#[derive(Debug, Serialize)]
pub struct LedRow<'run, R> {
    /// The cells of the run.
    #[serde(flatten)]
    pub leading: &'run LeadingCells<'run>,
    /// The row.
    #[serde(flatten)]
    pub row: R,
}

impl LeadingColumns {
    /// The columns that tell these runs apart.
    #[must_use]
    pub fn new<'run>(runs: impl IntoIterator<Item = &'run Run>) -> Self {
        let mut columns = Self::default();
        let mut scenario = None;
        for run in runs {
            columns.has_scenario |=
                scenario.replace(&run.scenario).is_some_and(|before| *before != run.scenario);
            for (key, value) in &*run.combination {
                let kind = kind(&cell(value));
                match columns.keys.iter_mut().find(|known| known.0 == *key) {
                    Some(known) => known.1 = common(known.1, kind),
                    None => columns.keys.push((Arc::clone(key), kind)),
                }
            }
        }
        columns
    }

    /// Their names with the types of their values.
    pub(super) fn definitions(&self) -> impl Iterator<Item = (&str, Kind)> {
        let scenario = self.has_scenario.then_some(("scenario", Kind::Text));
        scenario.into_iter().chain(self.keys.iter().map(|(key, kind)| (&**key, *kind)))
    }

    /// Their cells in the rows of a run.
    #[must_use]
    pub fn cells<'run>(&'run self, run: &'run Run) -> LeadingCells<'run> {
        let scenario = self.has_scenario.then(|| ("scenario", Cell::from(&*run.scenario)));
        let of_key = |(key, kind): &'run (Arc<str>, Kind)| {
            let value = run.combination.iter().find(|(swept, _)| swept == key).map(|(_, value)| &**value);
            let value = match (value, kind) {
                (None, _) => Cell::Missing,
                // Values of mixed types are kept as written.
                (Some(value), Kind::Text) => Cell::Text(unquoted(value).into()),
                (Some(value), _) => cell(value),
            };
            (&**key, value)
        };
        LeadingCells(scenario.into_iter().chain(self.keys.iter().map(of_key)).collect())
    }
}

impl Serialize for LeadingCells<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, cell) in &self.0 {
            match cell {
                Cell::Absent | Cell::Missing => map.serialize_entry(name, &())?,
                Cell::Text(text) => map.serialize_entry(name, text)?,
                Cell::Truth(holds) => map.serialize_entry(name, holds)?,
                Cell::Natural(number) => map.serialize_entry(name, number)?,
                Cell::Whole(number) => map.serialize_entry(name, number)?,
                Cell::Sum(number) => map.serialize_entry(name, number)?,
                Cell::Decimal(number) => map.serialize_entry(name, number)?,
            }
        }
        map.end()
    }
}

/// A value as a sweep writes it, by its type.
fn cell(written: &str) -> Cell<'_> {
    let digits = written.replace('_', "");
    match (written, digits.parse::<u64>(), digits.parse::<f64>()) {
        ("true", ..) => Cell::Truth(true),
        ("false", ..) => Cell::Truth(false),
        (_, Ok(number), _) => Cell::Natural(number),
        (_, _, Ok(number)) if number.is_finite() => Cell::Decimal(number),
        _ => Cell::Text(unquoted(written).into()),
    }
}

/// Removes the quotation marks of a string, and leaves other values unchanged.
fn unquoted(written: &str) -> &str {
    let inside = |mark: char| written.strip_prefix(mark)?.strip_suffix(mark);
    ['"', '\''].into_iter().find_map(inside).unwrap_or(written)
}

fn kind(cell: &Cell<'_>) -> Kind {
    match cell {
        Cell::Truth(_) => Kind::Truth,
        Cell::Natural(_) => Kind::Natural,
        Cell::Decimal(_) => Kind::Decimal,
        Cell::Absent | Cell::Missing | Cell::Text(_) | Cell::Whole(_) | Cell::Sum(_) => Kind::Text,
    }
}

/// The type of a column with values of two types.
fn common(one: Kind, other: Kind) -> Kind {
    match (one, other) {
        _ if one == other => one,
        (Kind::Natural | Kind::Decimal, Kind::Natural | Kind::Decimal) => Kind::Decimal,
        _ => Kind::Text,
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn values_of_sweeps_have_the_type_that_all_of_a_key_fit() {
        let scenario = cubefold_scenario::load_text(
            Path::new("s.toml"),
            "machine = { kind = \"ring\", shape = [8] }\n[sweep]\n\"execution.mode\" = [\"asynchronous\"]\n\
             \"machine.latency_cycles\" = [0, 1_000]\n\"execution.eager_units\" = [\"all\", 3]\n",
        );
        let runs = scenario.unwrap().runs;
        let columns = LeadingColumns::new(&runs);
        let named: Vec<(&str, Kind)> = columns.definitions().collect();
        let expected = [
            ("execution.mode", Kind::Text),
            ("machine.latency_cycles", Kind::Natural),
            ("execution.eager_units", Kind::Text),
        ];
        assert_eq!(named, expected);
        let last = serde_json::to_string(&columns.cells(runs.last().unwrap())).unwrap();
        assert_eq!(
            last,
            "{\"execution.mode\":\"asynchronous\",\"machine.latency_cycles\":1000,\"execution.eager_units\":\"3\"}"
        );
        assert_eq!(common(Kind::Natural, Kind::Decimal), Kind::Decimal);
        assert_eq!(common(Kind::Natural, Kind::Truth), Kind::Text);
    }
}
