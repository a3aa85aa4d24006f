//! The lengths of a machine or guest and how they wrap, with the places where they are written.

use cubefold_topology::{Machine, MachineError, ShapeError, Wrap};

use super::{
    scenario_error::ScenarioError,
    source_file::Place,
    value::{Content, Value},
};

/// The lengths, and where they are written.
#[derive(Debug)]
pub(super) struct Size {
    pub(super) lengths: Vec<u64>, // each at least 2
    pub(super) place: Place,      // the whole value
    length_places: Vec<Place>,    // of each length; empty when a number of dimensions is written
}

impl Size {
    /// Where a length is written.
    pub(super) fn length_place(&self, index: usize) -> &Place {
        self.length_places.get(index).unwrap_or(&self.place)
    }

    /// The lengths as in `8x8`.
    pub(super) fn written(&self) -> String {
        let lengths: Vec<String> = self.lengths.iter().map(u64::to_string).collect();
        lengths.join("x")
    }

    /// The lengths of a cube of so many dimensions, written at `place`.
    pub(super) fn of_cube(dimensions: u64, place: &Place) -> Self {
        let lengths = (0..dimensions).map(|_| 2).collect();
        Self { lengths, place: place.clone(), length_places: vec![] }
    }

    /// The lengths by which the nodes of a network are numbered; what describes it is written at `place`.
    pub(super) fn of_machine(machine: &Machine, place: &Place) -> Self {
        Self { lengths: machine.shape().lengths().to_vec(), place: place.clone(), length_places: vec![] }
    }

    /// The lengths in a list, which is called `name`.
    pub(super) fn read(value: &Value, name: &str, errors: &mut Vec<ScenarioError>) -> Option<Self> {
        let values = value.list(name, "lengths", errors)?;
        let before = errors.len();
        let mut lengths = vec![];
        for (index, entry) in values.iter().enumerate() {
            match entry.content {
                Content::Integer(Some(length)) if length >= 2 => lengths.push(length),
                Content::Integer(Some(length)) => {
                    let error = ShapeError::LengthTooSmall { dimension: index + 1, length };
                    let label = "expected at least 2";
                    errors.push(ScenarioError::at(&entry.place, error.to_string(), label));
                }
                _ => {
                    let entry_name = format!("length of dimension {} of {name}", index + 1);
                    errors.push(entry.unexpected(entry_name, "an integer from 2 to 2^32"));
                }
            }
        }
        let length_places = values.iter().map(|entry| entry.place.clone()).collect();
        (errors.len() == before).then(|| Self { lengths, place: value.place.clone(), length_places })
    }
}

/// Whether each of the dimensions wraps, as a list says which is called `name`.
pub(super) fn read_wraps(
    value: &Value,
    name: &str,
    size: Option<&Size>,
    errors: &mut Vec<ScenarioError>,
) -> Option<Vec<Wrap>> {
    let values = value.list(name, "true or false", errors)?;
    let before = errors.len();
    let wraps: Vec<Wrap> = values.iter().filter_map(|entry| read_wrap(entry, name, errors)).collect();
    if let Some(size) = size.filter(|size| size.lengths.len() != values.len()) {
        let (found, expected) = (values.len(), size.lengths.len());
        let error = MachineError::WrapEntries { found, expected };
        let label = format!("expected {expected}");
        let error = ScenarioError::at(&value.place, error.to_string(), label)
            .because(Some(&size.place), format!("dimensions: {expected}"));
        errors.push(error);
    }
    (errors.len() == before).then_some(wraps)
}

fn read_wrap(entry: &Value, name: &str, errors: &mut Vec<ScenarioError>) -> Option<Wrap> {
    match entry.content {
        Content::Boolean(true) => Some(Wrap::Around),
        Content::Boolean(false) => Some(Wrap::Open),
        _ => {
            errors.push(entry.unexpected(format!("entry of {name}"), "true or false"));
            None
        }
    }
}
