//! One combination of a sweep: from settings to runs.

use std::sync::Arc;

use cubefold_simulator::Communication;
use cubefold_topology::Machine;

use super::{
    Run,
    cycle_bound::CycleBound,
    engine_fit, execution, execution_fit as fit, file_stem,
    library::Library,
    loading_section,
    machine_section::{self, MachineSection},
    mapping_section::{self, Fit},
    program_section,
    scenario_error::ScenarioError,
    setting::Setting,
    settings::Settings,
    size::Size,
    sweep::Assignment,
    written::Written,
};
use crate::guest_program::GuestProgram;

/// The runs of one combination, one for each embedding.
///
/// # Errors
///
/// Everything that is wrong with it.
pub(super) fn validate(
    combination: &[&Assignment],
    written: &Written,
    library: &mut Library,
) -> Result<Vec<Run>, Vec<ScenarioError>> {
    let mut errors = vec![];
    let settings = Settings::new(combination, written, library, &mut errors);
    let runs = runs(&settings, combination, written, library, &mut errors);
    match runs {
        Some(runs) if errors.is_empty() => Ok(runs),
        _ => Err(errors),
    }
}

fn runs(
    settings: &Settings<'_>,
    combination: &[&Assignment],
    written: &Written,
    library: &mut Library,
    errors: &mut Vec<ScenarioError>,
) -> Option<Vec<Run>> {
    let name = match settings.get(Setting::Name) {
        Some(value) => value.text(Setting::Name.path(), errors).map(str::to_owned),
        None => Some(file_stem(written)),
    };
    let seed = match settings.get(Setting::Seed) {
        Some(value) => value.natural(Setting::Seed.path(), 0..=u64::MAX, errors),
        None => Some(0),
    };
    let section = machine_section::read(settings, library, errors);
    let program = program_section::read(settings, &section, seed, library, errors).map(Arc::new);
    let loading = loading_section::read(settings, program.as_deref(), errors);
    let embeddings = mapping_section::read(settings, section.machine.as_ref(), program.as_deref(), errors);
    let execution = execution::read(settings, errors);
    fit::check(settings, &section, program.as_deref(), execution, errors);
    let tie = execution::read_tie(settings, errors);
    let (machine, size, program) = together(&section, program.as_ref())?;
    let (partition, drawn_by) = (section.partition.as_ref(), seed.unwrap_or(0));
    let fit = Fit { settings, program, machine, partition, size, seed: drawn_by };
    let placed = embeddings.and_then(|embeddings| mapping_section::place(&fit, embeddings, library, errors));
    if let Some(hop) = section.hop_cycles {
        let loads = placed.iter().flatten().map(|(_, placement)| placement.max_load());
        let bound = CycleBound::new(machine, program, loads.max().unwrap_or(1), hop);
        errors.extend(bound.check(settings, size, program, hop).err());
    }
    let placed = placed?;
    let (name, seed, execution) = (name?, seed?, execution?);
    let communication = Communication::new(section.links?, section.hop_cycles?, tie?).ok()?;
    for (embedding, placement) in &placed {
        let fit = engine_fit::check(settings, execution, program, (embedding, placement), communication);
        errors.extend(fit.err());
    }
    let run = |(embedding, placement)| Run {
        scenario: name.clone(),
        seed,
        combination: combination.iter().map(|assignment| assignment.written()).collect(),
        machine: machine.clone(),
        partition: section.partition.clone(),
        communication,
        program: Arc::clone(program),
        loading: loading.clone(),
        embedding,
        placement,
        execution,
    };
    Some(placed.into_iter().map(run).collect())
}

/// Machine and program, when both are right.
fn together<'a>(
    section: &'a MachineSection,
    program: Option<&'a Arc<GuestProgram>>,
) -> Option<(&'a Machine, &'a Size, &'a Arc<GuestProgram>)> {
    Some((section.machine.as_ref()?, section.size.as_ref()?, program?))
}
