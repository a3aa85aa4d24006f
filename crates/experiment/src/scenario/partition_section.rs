//! The partition of a machine: `{ base = [0, 0], shape = [4, 8] }`.

use cubefold_topology::{Machine, Partition, PartitionError};

use super::{
    scenario_error::ScenarioError,
    setting::Setting,
    size::Size,
    table::Table,
    value::{Content, Value},
};

/// Reads a partition of `machine`, with its lengths. Without a machine only what is wrong in any is told.
pub(super) fn read(
    value: &Value,
    machine: Option<&Machine>,
    errors: &mut Vec<ScenarioError>,
) -> Option<(Partition, Size)> {
    let table = Table::read(value, Setting::MachinePartition.path(), &["base", "shape"], errors)?;
    let base = table.required("base", "the coordinates of its first node: [0, 0]", errors);
    let shape = table.required("shape", "its lengths: [4, 4]", errors);
    let base_values = base.and_then(|value| coordinates(value, &table.name("base"), errors));
    let size = shape.and_then(|value| Size::read(value, &table.name("shape"), errors));
    let (base_values, size, machine) = (base_values?, size?, machine?);
    match Partition::new(machine, &base_values, &size.lengths) {
        Ok(partition) => Some((partition, size)),
        Err(error) => {
            let place = match error {
                PartitionError::Base(_) => base.map_or(&value.place, |base| &base.place),
                PartitionError::Outside { dimension, .. } => size.length_place(dimension.index()),
                PartitionError::Arity { .. } | PartitionError::Lengths(_) => &size.place,
            };
            let error = ScenarioError::at(place, error.to_string(), "not inside the machine");
            errors.push(error.with_help("a partition is a box of the machine that does not wrap around"));
            None
        }
    }
}

fn coordinates(value: &Value, name: &str, errors: &mut Vec<ScenarioError>) -> Option<Vec<u64>> {
    let values = value.list(name, "coordinates", errors)?;
    let before = errors.len();
    let mut coordinates = vec![];
    for entry in values {
        match entry.content {
            Content::Integer(Some(coordinate)) => coordinates.push(coordinate),
            _ => errors.push(entry.unexpected(format!("entry of {name}"), "an integer of at least 0")),
        }
    }
    (errors.len() == before).then_some(coordinates)
}
