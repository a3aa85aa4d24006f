//! The guest of a neighbour-exchange program: `{ kind = "torus", shape = [4, 6] }`.

use cubefold_mapping::GridGuest;
use cubefold_topology::{MOST_DIMENSIONS, Machine, MachineKind, Wrap};

use super::{
    known_names::alternatives,
    scenario_error::ScenarioError,
    setting::Setting,
    settings::Settings,
    size::{Size, read_wraps},
    table::Table,
    value::Value,
};

const KEYS: [&str; 4] = ["kind", "shape", "dimensions", "wrap"];

/// Reads the guest, with its lengths.
pub(super) fn read(settings: &Settings<'_>, errors: &mut Vec<ScenarioError>) -> Option<(GridGuest, Size)> {
    let Some(value) = settings.get(Setting::ProgramGuest) else {
        let expected = "its shape: { kind = \"torus\", shape = [4, 6] }";
        errors.push(settings.missing(Setting::ProgramGuest, expected));
        return None;
    };
    let table = Table::read(value, Setting::ProgramGuest.path(), &KEYS, errors)?;
    let kind = table.required("kind", &alternatives(&MachineKind::ALL), errors);
    let kind = kind.and_then(|value| {
        let names = MachineKind::ALL.map(|kind| (kind.name(), kind));
        value.choice(&table.name("kind"), &names, errors)
    });
    let size = size(&table, kind, value, errors);
    let wraps = match table.get("wrap") {
        Some(value) => read_wraps(value, &table.name("wrap"), size.as_ref(), errors),
        None => kind.zip(size.as_ref()).map(|(kind, size)| vec![kind.wrap(); size.lengths.len()]),
    };
    let (kind, size, wraps) = (kind?, size?, wraps?);
    shape(kind, &size, &wraps, errors).map(|shape| (GridGuest::new(shape), size))
}

/// The lengths: a shape, or for a hypercube a number of dimensions.
fn size(
    table: &Table<'_>,
    kind: Option<MachineKind>,
    guest: &Value,
    errors: &mut Vec<ScenarioError>,
) -> Option<Size> {
    match (table.get("shape"), table.get("dimensions")) {
        (Some(_), Some(value)) => {
            let message = "both shape and dimensions in program.guest, expected one of them";
            errors.push(ScenarioError::at(&value.place, message, "with a shape beside it"));
            None
        }
        (Some(value), None) => Size::read(value, &table.name("shape"), errors),
        (None, Some(value)) if kind.is_none_or(|kind| kind == MachineKind::Hypercube) => {
            let most = MOST_DIMENSIONS as u64;
            let dimensions = value.natural(table.name("dimensions"), 1..=most, errors)?;
            Some(Size::of_cube(dimensions, &value.place))
        }
        (None, Some(value)) => {
            let message = "program.guest.dimensions without a hypercube, expected program.guest.shape";
            let error =
                ScenarioError::at(&value.place, message, "only a hypercube has it instead of a shape");
            errors.push(error.with_help("give the length of each dimension: shape = [4, 6]"));
            None
        }
        (None, None) => {
            let message = "program.guest has no lengths, expected shape = [4, 6] or the like";
            errors.push(ScenarioError::at(&guest.place, message, "no shape"));
            None
        }
    }
}

fn shape(kind: MachineKind, size: &Size, wraps: &[Wrap], errors: &mut Vec<ScenarioError>) -> Option<Machine> {
    match Machine::with_wraps(kind, &size.lengths, wraps) {
        Ok(shape) => Some(shape),
        Err(error) => {
            errors.push(ScenarioError::at(&size.place, format!("program.guest: {error}"), "this shape"));
            None
        }
    }
}
