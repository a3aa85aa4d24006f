//! What describes a network, as a machine or as a guest.

use std::{path::PathBuf, sync::Arc};

use cubefold_topology::{Machine, MachineError, MachineKind};

use super::{
    library::Library,
    placement_file::Failure,
    scenario_error::{ScenarioError, Standing},
    size::Size,
    value::Value,
};

/// The keys of a network with their values, as far as they are there.
#[derive(Debug)]
pub(super) struct NetworkKeys<'a> {
    /// What is called `machine` or `program.guest`.
    pub(super) name: &'static str,
    /// The key of the number of dimensions.
    pub(super) count_key: &'static str,
    pub(super) count: Option<&'a Value>,
    pub(super) edges: Option<&'a Value>,
    /// What only grids have.
    pub(super) foreign: Vec<(&'static str, &'a Value)>,
    /// The kind.
    pub(super) kind: &'a Value,
}

/// Reads the network of a kind that is no grid. `beside` finds the files that it names.
pub(super) fn read(
    kind: MachineKind,
    keys: &NetworkKeys<'_>,
    beside: impl Fn(&str) -> PathBuf,
    library: &mut Library,
    errors: &mut Vec<ScenarioError>,
) -> Option<(Arc<Machine>, Size)> {
    let before = errors.len();
    for (key, value) in &keys.foreign {
        errors.push(keys.foreign(key, value, kind));
    }
    let network = if kind == MachineKind::Network {
        if let Some(value) = keys.count {
            errors.push(keys.foreign(keys.count_key, value, kind));
        }
        from_file(keys, beside, library, errors)
    } else {
        if let Some(value) = keys.edges {
            errors.push(keys.foreign("edges", value, kind));
        }
        of_dimensions(kind, keys, errors)
    };
    network.filter(|_| errors.len() == before)
}

fn of_dimensions(
    kind: MachineKind,
    keys: &NetworkKeys<'_>,
    errors: &mut Vec<ScenarioError>,
) -> Option<(Arc<Machine>, Size)> {
    let name = format!("{}.{}", keys.name, keys.count_key);
    let range = kind.network_dimensions()?;
    let Some(value) = keys.count else {
        errors.push(keys.missing(keys.count_key, &format!("from {} to {}", range.start(), range.end())));
        return None;
    };
    let count = value.natural(name, range, errors)?;
    match Machine::of_dimensions(kind, count) {
        Ok(machine) => Some(with_size(Arc::new(machine), value)),
        Err(error) => {
            errors.push(wrong(value, &error));
            None
        }
    }
}

fn from_file(
    keys: &NetworkKeys<'_>,
    beside: impl Fn(&str) -> PathBuf,
    library: &mut Library,
    errors: &mut Vec<ScenarioError>,
) -> Option<(Arc<Machine>, Size)> {
    let Some(value) = keys.edges else {
        errors.push(keys.missing("edges", "the path of a file with a link a line"));
        return None;
    };
    let path = value.text(format!("{}.edges", keys.name), errors)?;
    match library.network(&beside(path)) {
        Ok(machine) => Some(with_size(machine, value)),
        Err(Failure::Wrong(wrong)) => {
            errors.extend(wrong);
            None
        }
        Err(Failure::Unreadable(reason)) => {
            let message = format!("list of links {path:?} cannot be read: {reason}");
            let error = ScenarioError::at(&value.place, message, "named here");
            errors.push(error.with_help("paths are relative to the scenario file"));
            None
        }
    }
}

fn with_size(machine: Arc<Machine>, value: &Value) -> (Arc<Machine>, Size) {
    let size = Size::of_machine(&machine, &value.place);
    (machine, size)
}

fn wrong(value: &Value, error: &MachineError) -> ScenarioError {
    ScenarioError::at(&value.place, error.to_string(), "this network")
}

impl NetworkKeys<'_> {
    fn foreign(&self, key: &str, value: &Value, kind: MachineKind) -> ScenarioError {
        let path = format!("{}.{key}", self.name);
        ScenarioError::foreign_key(&path, &value.place, kind.name(), Some(&self.kind.place))
    }

    fn missing(&self, key: &str, expected: &str) -> ScenarioError {
        let message = format!("{}.{key} is missing, expected {expected}", self.name);
        ScenarioError::at(&self.kind.place, message, format!("needs {key}"))
            .with_help(format!("add {key} = .."))
            .standing(Standing::MissingValue)
    }
}
