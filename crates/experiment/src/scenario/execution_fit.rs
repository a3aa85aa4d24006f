//! Whether a machine and a program can be executed as a scenario asks.

use cubefold_topology::LinkMode;

use super::{
    execution::{Execution, ExecutionMode},
    machine_section::MachineSection,
    scenario_error::ScenarioError,
    setting::Setting,
    settings::Settings,
};
use crate::guest_program::GuestProgram;

/// Tells what goes by dimensions on a network, which has none, and what goes in step in a program that does not.
pub(super) fn check(
    settings: &Settings<'_>,
    section: &MachineSection,
    program: Option<&GuestProgram>,
    execution: Option<Execution>,
    errors: &mut Vec<ScenarioError>,
) {
    let kind = settings.place(Setting::MachineKind);
    let network = section.machine.as_ref().filter(|machine| machine.graph().is_some());
    if let (Some(machine), Some(LinkMode::SingleDirection), Some(place)) =
        (network, section.links, settings.place(Setting::MachineLinks))
    {
        let message =
            format!("single-direction links of a {}, expected full-duplex or half-duplex", machine.kind());
        let error = ScenarioError::at(place, message, "its links lie in no dimensions to take turns");
        errors.push(error.because(kind, "the machine"));
    }
    let coordinated = execution.is_some_and(|own| matches!(own.mode, ExecutionMode::Coordinated { .. }));
    let Some(place) = settings.place(Setting::ExecutionMode).filter(|_| coordinated) else { return };
    if let Some(machine) = network {
        let message = format!("coordinated execution on a {}, expected asynchronous", machine.kind());
        let error = ScenarioError::at(place, message, "its nodes have no coordinates to correct one by one");
        errors.push(error.because(kind, "the machine"));
    }
    if let Some(program) = program.filter(|program| !program.all_processes_compute()) {
        let message = format!("coordinated execution of a {} program, expected asynchronous", program.kind());
        let error = ScenarioError::at(place, message, "some of its processes pass through stages");
        errors.push(error.because(settings.place(Setting::ProgramKind), "the program"));
    }
}
