//! Stencils: the sizes of their messages, one size, one for each number of differing dimensions, or sizes from the
//! cells of a process (`docs/model.md` section 23.2).

use cubefold_formats::input::{Ratio, quantity::Measure};
use cubefold_mapping::GraphGuest;
use cubefold_simulator::{Reach, StencilError, StencilProgram};

use super::NEIGHBOUR_EXCHANGE;
use crate::{
    ScenarioProgram,
    errors::ScenarioError,
    keys::{Key, MAX_INTEGER},
    message_sizes::ByStage,
    program::Reading,
    scenario_program::NeighbourCommunication,
    timing::quantity,
    value::{Content, Value, read_each},
};

const CELL_KEYS: [Key; 3] = [Key::ProgramCells, Key::ProgramWidth, Key::ProgramCellBytes];

/// Reports keys of stencils beside another communication, and keys of others beside a stencil.
pub(super) fn report_foreign(reading: &mut Reading<'_>, communication: NeighbourCommunication) {
    let (settings, name) = (reading.settings, communication.name());
    let of_stencil = CELL_KEYS.into_iter().chain([Key::ProgramNeighbours]).map(|key| (key, "stencil"));
    let owned = of_stencil.chain([(Key::ProgramSets, "permutation")]);
    for (key, owner) in owned.filter(|(_, owner)| *owner != name) {
        if let Some(value) = settings.get(key) {
            let message = format!("{} with communication {name}, which has none", key.path());
            let place = settings.place(Key::ProgramCommunication);
            let help = format!("write communication = {owner:?}, or remove it");
            let error = ScenarioError::at(&value.place, message, "not of this communication");
            settings.report(error.because(place, name).with_help(help));
        }
    }
}

/// Reads the stencil on a grid.
pub(super) fn read(reading: &mut Reading<'_>, guest: GraphGuest, reach: Reach) -> Option<ScenarioProgram> {
    let settings = reading.settings;
    let dimensions = guest.shape().shape().dimension_count();
    let cells = CELL_KEYS.iter().any(|&key| settings.get(key).is_some());
    let (sizes, bytes) = if cells {
        (of_cells(reading, &guest)?, None)
    } else {
        let sizes = reading.sizes(ByStage::Differing(reach.most_differing(dimensions)))?;
        let of_count = move |differing: usize| u128::from(sizes.units.of_stage(differing.max(1) - 1));
        let of_set: Box<dyn Fn(u32) -> u128> = Box::new(move |set: u32| of_count(set.count_ones() as usize));
        (of_set, sizes.bytes)
    };
    match StencilProgram::new(guest, reach, reading.compute()?, sizes) {
        Ok(program) => {
            let communication = Some(NeighbourCommunication::Stencil(reach));
            let program = ScenarioProgram::new(&NEIGHBOUR_EXCHANGE, program);
            Some(ScenarioProgram { communication, bytes, ..program })
        }
        Err(error) => {
            let first = match error {
                StencilError::NoGrid | StencilError::TooManyMessages => Key::ProgramGuest,
                StencilError::Size { .. } => Key::ProgramCells,
            };
            let others = [
                Key::ProgramCells,
                Key::ProgramUnits,
                Key::ProgramBytes,
                Key::ProgramGuest,
                Key::ProgramCommunication,
            ];
            let place = std::iter::once(first).chain(others).find_map(|key| settings.place(key))?;
            settings.fail(ScenarioError::at(place, error.to_string(), "this stencil"))
        }
    }
}

/// The size of a cell in whole bytes.
fn cell_bytes(reading: &mut Reading<'_>, value: &Value) -> Option<u64> {
    let path = Key::ProgramCellBytes.path();
    if !matches!(value.content, Content::Text(_)) {
        return value.natural(path, 1..=MAX_INTEGER, reading.settings.errors());
    }
    let bytes = quantity(value, path, Measure::Size, reading.settings.errors())?;
    let whole = u64::try_from(bytes.ceil()).ok().filter(|count| Ratio::from(*count) == bytes && *count > 0);
    if whole.is_none() {
        reading.settings.report(value.unexpected(path, "a whole number of bytes, at least 1"));
    }
    whole
}

/// Reports sizes beside cells, and keys of cells beside sizes without them.
fn check_beside_sizes(reading: &mut Reading<'_>) -> Option<()> {
    let settings = reading.settings;
    let given = |key: Key| Some((key, settings.get(key)?));
    let Some((key, value)) = [Key::ProgramUnits, Key::ProgramBytes].into_iter().find_map(given) else {
        return Some(());
    };
    let before = settings.errors().len();
    if settings.get(Key::ProgramCells).is_some() {
        settings.obeys(key);
    } else {
        for cell_key in [Key::ProgramWidth, Key::ProgramCellBytes] {
            let Some(of_cells) = settings.place(cell_key) else { continue };
            let message = format!("{} without program.cells, expected it beside them", cell_key.path());
            let error = ScenarioError::at(of_cells, message, "of cells");
            let error = error.because(Some(&value.place), "the sizes of messages");
            settings.report(error.with_help("sizes are given, or follow from cells: remove one of them"));
        }
    }
    (settings.errors().len() == before).then_some(())
}

/// The sizes of messages between processes with cells: `cell_bytes width^|S|` times the cells of the dimensions that
/// do not differ.
fn of_cells(reading: &mut Reading<'_>, guest: &GraphGuest) -> Option<Box<dyn Fn(u32) -> u128>> {
    let settings = reading.settings;
    check_beside_sizes(reading)?;
    let width = settings.natural(Key::ProgramWidth);
    let scale = reading.machine.timing.scale();
    // If units have no bytes, a byte counts as a unit.
    let cell = settings.get(Key::ProgramCellBytes).and_then(|value| cell_bytes(reading, value));
    let expected = "the cells of a process along each dimension, such as [32, 16, 8]";
    let value = settings.required(Key::ProgramCells, expected)?;
    settings.required(Key::ProgramCellBytes, "the bytes of a cell, such as 8");
    let dimensions = guest.shape().shape().dimension_count();
    let entries = value.list(Key::ProgramCells.path(), "lengths", settings.errors())?;
    if entries.len() != dimensions {
        let error =
            value.unexpected(Key::ProgramCells.path(), format!("{dimensions} lengths, one a dimension"));
        return settings.fail(error.because(settings.place(Key::ProgramGuest), "the guest"));
    }
    let cells = read_each(entries, |entry| {
        entry.natural("length of program.cells", 1..=MAX_INTEGER, settings.errors())
    })?;
    let (width, cell, unit) = (width?, cell?, scale.map_or(1, |scale| scale.unit_bytes()));
    Some(Box::new(move |set: u32| {
        let of_dimension =
            |(dimension, &cells): (usize, &u64)| if set >> dimension & 1 == 1 { width } else { cells };
        let factors = cells.iter().enumerate().map(of_dimension);
        let bytes = factors.fold(u128::from(cell), |product, factor| product.saturating_mul(factor.into()));
        bytes.div_ceil(unit.into())
    }))
}
