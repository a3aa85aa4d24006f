//! Whether the engine that a scenario asks for runs what it describes.

use cubefold_mapping::Placement;
use cubefold_simulator::{Communication, EngineChoice};

use super::{
    EmbeddingName,
    execution::{Execution, ExecutionMode},
    scenario_error::ScenarioError,
    setting::Setting,
    settings::Settings,
};
use crate::guest_program::GuestProgram;

/// Tells why the engine asked for does not apply to a placement. Coordinated runs have an engine of their own
/// and do not read the choice.
pub(super) fn check(
    settings: &Settings<'_>,
    execution: Execution,
    program: &GuestProgram,
    (embedding, placement): (&EmbeddingName, &Placement),
    communication: Communication,
) -> Result<(), ScenarioError> {
    let asked = matches!(execution.engine, EngineChoice::Belt(_));
    let (true, ExecutionMode::Asynchronous) = (asked, execution.mode) else { return Ok(()) };
    let Err(reason) = program.belt_applies(placement, communication) else { return Ok(()) };
    let Some(place) = settings.place(Setting::ExecutionEngine) else { return Ok(()) };
    let message = format!("engine belt does not apply to {embedding}: {reason}");
    Err(ScenarioError::at(place, message, "does not apply")
        .because(settings.place(Setting::ProgramKind), "the program")
        .because(settings.place(Setting::ProgramStages), "the stages")
        .because(settings.place(Setting::MachineLinks), "the links")
        .because(settings.place(Setting::MappingEmbeddings), "the embeddings")
        .with_help("\"auto\" takes the belt engine wherever it applies, and \"hop\" elsewhere"))
}
