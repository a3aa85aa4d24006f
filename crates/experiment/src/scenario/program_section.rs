//! The `[program]` table: the cube, its stages and the cycles of a computation.

use cubefold_mapping::Hypercube;
use cubefold_simulator::{CubeProgram, Cycles};

use super::{
    machine_section::MachineSection, scenario_error::ScenarioError, setting::Setting, settings::Settings,
    stage_list, value::Choices,
};

/// Reads the program. `machine` says how many dimensions it has when it is not written.
pub(super) fn read(
    settings: &Settings<'_>,
    machine: &MachineSection,
    errors: &mut Vec<ScenarioError>,
) -> Option<CubeProgram> {
    let kind = match settings.get(Setting::ProgramKind) {
        Some(value) => {
            let choices = Choices { now: &[("cc-cube", ())], later: &["neighbour-exchange"] };
            value.choice(Setting::ProgramKind.path(), &choices, errors)
        }
        None => Some(()),
    };
    let compute = match settings.get(Setting::ProgramComputeCycles) {
        Some(value) => value.natural(Setting::ProgramComputeCycles.path(), 0..=u64::MAX, errors),
        None => Some(0),
    };
    // Another kind of program may have other dimensions and stages.
    kind?;
    let cube = cube(settings, machine, errors);
    let stages = stage_list::read(settings, cube, machine, errors);
    CubeProgram::new(cube?, stages?, Cycles::new(compute?)).ok()
}

fn cube(
    settings: &Settings<'_>,
    section: &MachineSection,
    errors: &mut Vec<ScenarioError>,
) -> Option<Hypercube> {
    if let Some(value) = settings.get(Setting::ProgramDimensions) {
        let dimensions = value.natural(Setting::ProgramDimensions.path(), 1..=32, errors)?;
        return Hypercube::new(dimensions).ok();
    }
    let (machine, size) = (section.machine.as_ref()?, section.size.as_ref()?);
    let nodes = machine.node_count();
    if !nodes.is_power_of_two() {
        let message = format!(
            "shape {} has {nodes} nodes, expected a power of two: program.dimensions is its logarithm unless given",
            size.written()
        );
        let error = ScenarioError::at(&size.place, message, format!("{nodes} nodes"))
            .with_help("change the shape, or give program.dimensions and a placement file");
        errors.push(error);
        return None;
    }
    Hypercube::new(u64::from(nodes.trailing_zeros())).ok()
}
