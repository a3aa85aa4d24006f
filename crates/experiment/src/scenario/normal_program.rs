//! Normal programs: consecutive stages use consecutive dimensions.

use cubefold_mapping::{CubeDimension, Hypercube};
use cubefold_simulator::{CubeProgram, Cycles, ShuffleExchangeProgram, ShuffleExchangeProgramError};
use cubefold_topology::MachineKind;

use super::{
    machine_section::MachineSection, program_section::cube, scenario_error::ScenarioError, setting::Setting,
    settings::Settings, stage_list,
};
use crate::guest_program::GuestProgram;

/// Reads a normal program: on a shuffle-exchange or de Bruijn network its data wander, on every other machine its
/// processes stay.
pub(super) fn read(
    settings: &Settings<'_>,
    machine: &MachineSection,
    compute: Cycles,
    errors: &mut Vec<ScenarioError>,
) -> Option<GuestProgram> {
    let shuffles = shuffled_dimensions(machine);
    let cube = match (shuffles, settings.get(Setting::ProgramDimensions)) {
        (Some(count), None) => Hypercube::new(count).ok(),
        _ => cube(settings, machine, errors),
    };
    let stages = stage_list::read(settings, cube, machine, errors);
    let (cube, stages) = (cube?, stages?);
    if let Some(expected) = shuffles.filter(|&count| count != u64::from(cube.dimension_count())) {
        errors.push(wrong_dimensions(settings, machine, cube, expected));
        return None;
    }
    match ShuffleExchangeProgram::new(cube, stages.clone(), compute) {
        Ok(program) if shuffles.is_some() => Some(GuestProgram::ShuffleExchange(program)),
        Err(
            error @ (ShuffleExchangeProgramError::NotNormal { .. } | ShuffleExchangeProgramError::NoStages),
        ) => {
            errors.push(not_normal(settings, &error));
            None
        }
        // What is too large for a shuffle-exchange network needs none here.
        Ok(_) | Err(ShuffleExchangeProgramError::TooManyDimensions { .. }) => staying(cube, stages, compute),
    }
}

fn staying(cube: Hypercube, stages: Vec<CubeDimension>, compute: Cycles) -> Option<GuestProgram> {
    CubeProgram::new(cube, stages, compute).ok().map(GuestProgram::Normal)
}

/// The dimensions of the hypercube whose normal programs the machine runs by shuffling: as many as a shuffle-exchange
/// network has, one more than a de Bruijn network, each node of which holds two words.
fn shuffled_dimensions(section: &MachineSection) -> Option<u64> {
    let machine = section.machine.as_ref()?;
    let own = machine.network_dimensions()?;
    match machine.kind() {
        MachineKind::ShuffleExchange => Some(own),
        MachineKind::DeBruijn => Some(own + 1),
        _ => None,
    }
}

fn wrong_dimensions(
    settings: &Settings<'_>,
    section: &MachineSection,
    cube: Hypercube,
    expected: u64,
) -> ScenarioError {
    let found = cube.dimension_count();
    let kind = section.machine.as_ref().map_or("", |machine| machine.kind().name());
    let message =
        format!("program.dimensions is {found}, expected {expected} for a normal program on this {kind}");
    let size = section.size.as_ref().map(|size| &size.place);
    let place = settings.place(Setting::ProgramDimensions).or(size).or(settings.place(Setting::MachineKind));
    match place {
        Some(place) => ScenarioError::at(place, message, format!("expected {expected}"))
            .because(size, "the machine")
            .with_help("leave it out: it follows from the machine"),
        None => settings.missing(Setting::ProgramDimensions, &expected.to_string()),
    }
}

fn not_normal(settings: &Settings<'_>, error: &ShuffleExchangeProgramError) -> ScenarioError {
    let place = settings.place(Setting::ProgramStages).or(settings.place(Setting::ProgramKind));
    let message = format!("the program is not normal: {error}");
    let error = match place {
        Some(place) => ScenarioError::at(place, message, "these stages"),
        None => settings.missing(Setting::ProgramStages, "consecutive dimensions"),
    };
    error
        .because(settings.place(Setting::ProgramKind), "asks for consecutive dimensions")
        .with_help("\"ascend\" and \"descend\" are normal; kind = \"cc-cube\" takes any stages")
}
