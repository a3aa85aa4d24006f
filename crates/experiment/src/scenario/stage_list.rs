//! The stages of a program: a named order, or a list of dimensions.

use cubefold_mapping::{CubeDimension, Hypercube};
use cubefold_simulator::CubeProgram;

use super::{
    known_names::{alternatives, help},
    machine_section::MachineSection,
    scenario_error::ScenarioError,
    setting::Setting,
    settings::Settings,
    source_file::Place,
    value::{Content, Value},
};

/// The names of orders.
const ORDERS: [&str; 3] = ["ascend", "descend", "bitonic"];

/// Reads the stages. Without a cube only what is wrong in any cube is told.
pub(super) fn read(
    settings: &Settings<'_>,
    cube: Option<Hypercube>,
    machine: &MachineSection,
    errors: &mut Vec<ScenarioError>,
) -> Option<Vec<CubeDimension>> {
    let Some(value) = settings.get(Setting::ProgramStages) else {
        return cube.map(CubeProgram::ascend);
    };
    match &value.content {
        Content::Text(name) => order(value, name, cube, errors),
        Content::List(_) => {
            let shape = machine.size.as_ref().map(|size| &size.place);
            let cube_place = settings.place(Setting::ProgramDimensions).or(shape);
            dimensions(value, cube, cube_place, errors)
        }
        _ => {
            errors.push(value.unexpected(Setting::ProgramStages.path(), expected()));
            None
        }
    }
}

fn expected() -> String {
    format!("a list of dimensions, or {}", alternatives(&ORDERS))
}

fn order(
    value: &Value,
    name: &str,
    cube: Option<Hypercube>,
    errors: &mut Vec<ScenarioError>,
) -> Option<Vec<CubeDimension>> {
    match name {
        "ascend" => cube.map(CubeProgram::ascend),
        "descend" => cube.map(CubeProgram::descend),
        "bitonic" => cube.map(CubeProgram::bitonic),
        _ => {
            let error = value.unexpected(Setting::ProgramStages.path(), expected());
            errors.push(error.with_help(help(name, &ORDERS)));
            None
        }
    }
}

fn dimensions(
    value: &Value,
    cube: Option<Hypercube>,
    cube_place: Option<&Place>,
    errors: &mut Vec<ScenarioError>,
) -> Option<Vec<CubeDimension>> {
    let values = value.list(Setting::ProgramStages.path(), "dimensions", errors)?;
    let before = errors.len();
    let stages = values
        .iter()
        .enumerate()
        .filter_map(|(stage, entry)| {
            let Content::Integer(Some(number)) = entry.content else {
                errors.push(entry.unexpected(format_args!("dimension of stage {stage}"), "an integer"));
                return None;
            };
            let cube = cube?;
            let dimension = cube.dimension(number).ok();
            if dimension.is_none() {
                errors.push(out_of_range(entry, stage, cube, cube_place));
            }
            dimension
        })
        .collect();
    (cube.is_some() && errors.len() == before).then_some(stages)
}

fn out_of_range(entry: &Value, stage: usize, cube: Hypercube, cube_place: Option<&Place>) -> ScenarioError {
    let count = cube.dimension_count();
    let expected = format!("expected 0 to {}", count - 1);
    let message = format!("stage {stage} uses dimension {}, {expected}", entry.place.text());
    ScenarioError::at(&entry.place, message, expected)
        .because(cube_place, format!("a cube of {count} dimensions"))
}
