//! One combination of a sweep, validated into runs.

use std::{
    num::{NonZeroU32, NonZeroU64},
    sync::Arc,
};

use cubefold_mapping::Placement;
use cubefold_simulator::Communication;
use cubefold_topology::{Machine, TieRule};

use super::{
    Execution, ExecutionMode, Run, ScenarioError, ScenarioProgram,
    collective::in_switch,
    connection,
    cycle_bound::CycleBound,
    draft::file_stem,
    execution::{self, MessageLimit},
    keys::Key,
    library::Library,
    loading,
    machine::{self, MachineSection},
    mapping::{self, Fit, Placed},
    message_sizes, open_loop, placement_search, program, routers,
    settings::Settings,
    sweep::Assignment,
    value::Size,
    written::Written,
};

/// Makes the runs of one combination, one per embedding.
///
/// # Errors
///
/// All errors of the combination.
pub(super) fn validate(
    combination: &[&Assignment],
    written: &Written,
    library: &mut Library,
) -> Result<Vec<Run>, Vec<ScenarioError>> {
    let settings = Settings::new(combination, written, library);
    let runs = runs(&settings, combination, written, library);
    match runs {
        Some(runs) if settings.errors().is_empty() => Ok(runs),
        None if settings.errors().is_empty() => {
            // A key that is not read without an error would leave out runs in silence.
            let message = "a value cannot be used, for a reason that is not told: please report this file";
            Err(vec![ScenarioError::of_file(settings.path(), message)])
        }
        _ => Err(settings.errors().take()),
    }
}

#[expect(clippy::too_many_lines, reason = "a line for each part of a run, in the order of their checks")]
fn runs(
    settings: &Settings<'_>,
    combination: &[&Assignment],
    written: &Written,
    library: &mut Library,
) -> Option<Vec<Run>> {
    let (name, seed) = (name(settings, written), settings.natural(Key::Seed));
    let section = machine::read(settings, library);
    let program = program::read(settings, &section, library).map(Arc::new);
    let loading = loading::read(settings, program.as_deref());
    let embeddings = mapping::read(settings, section.machine.as_deref(), program.as_deref());
    let execution = execution::read(settings, section.machine.as_deref());
    execution::check_fit(settings, &section, program.as_deref(), execution);
    let (tie, eager) = (routers::read_tie_rule(settings), execution::read_eager(settings));
    let (machine, size, program) = together(&section, program.as_ref())?;
    let fit = Fit {
        settings,
        program,
        machine: machine.coordinate_grid().unwrap_or(machine),
        whole: machine,
        partition: section.partition.as_deref(),
        allocation: section.allocation.as_deref(),
        size,
        resolved: &settings.resolved(program.kind, library),
    };
    let placed = embeddings.and_then(|embeddings| mapping::place(&fit, embeddings, library));
    connection::check_messages(&fit, placed.as_deref().unwrap_or_default());
    let communication =
        rules(&fit, &section, tie, eager, execution, seed.unwrap_or(0)).inspect(|&communication| {
            check_times(&fit, communication, placed.as_deref().unwrap_or_default(), execution);
        });
    let (placed, name, seed, execution) = (placed?, name?, seed?, execution?);
    let communication = communication.filter(|_| section.links.and(tie).and(eager).is_some())?;
    check_engines(&fit, communication, &placed, execution, library.message_limit());
    let switches_reduce = in_switch::any_reduces(settings);
    let combination: Arc<[_]> = combination.iter().map(|assignment| assignment.written.clone()).collect();
    let run = |Placed { embedding, placement, resolved }| Run {
        scenario: Arc::clone(&name),
        seed,
        combination: Arc::clone(&combination),
        machine: Arc::clone(machine),
        partition: section.partition.clone(),
        allocation: section.allocation.clone(),
        host_names: section.host_names.clone(),
        communication: with_processors(communication, program, &placement),
        scale: section.timing.scale(),
        physical_links: section.timing.physical().cloned(),
        program: Arc::clone(program),
        loading: loading.clone(),
        embedding,
        placement,
        execution,
        switches_reduce,
        machine_notes: Arc::clone(&section.notes),
        resolved,
        held_bytes: 0,
    };
    let mut runs: Vec<Run> = placed.into_iter().map(run).collect();
    placement_search::place_searched(&mut runs, settings.budget(), &size.place, settings.errors());
    Some(runs)
}

/// The rules of the network, including the routes of messages and the routers of the machine.
fn rules(
    fit: &Fit<'_>,
    section: &MachineSection,
    tie: Option<TieRule>,
    eager: Option<u64>,
    execution: Option<Execution>,
    seed: u64,
) -> Option<Communication> {
    let Fit { settings, whole: machine, .. } = *fit;
    let links = section.links.unwrap_or_default();
    let communication =
        section.timing.communication(links, tie.unwrap_or_default(), eager.unwrap_or_default());
    let latency = communication.map(|communication| communication.latency().get());
    let routers = routers::read(settings, Some(machine), latency, execution, seed);
    let routes = execution::message_routes(execution, routers.flatten(), seed, machine, shares(fit.program));
    let cost = message_sizes::read_message_cost(settings, section.timing.scale())?;
    let communication = communication?.with_routes(routes).with_message_cost(cost);
    routers::with_routers(settings, machine, communication, routers?, execution)
}

/// The ranks of a collective of several shares.
fn shares(program: &ScenarioProgram) -> Option<NonZeroU32> {
    let ranks = u32::try_from(program.rank_count()).ok()?;
    (program.body.process_count() > u64::from(ranks)).then_some(NonZeroU32::new(ranks)?)
}

/// Checks that windows of open-loop traffic fit the machine, and that no clock can overflow.
fn check_times(fit: &Fit<'_>, communication: Communication, placed: &[Placed], execution: Option<Execution>) {
    if let Some(open_loop) = &fit.program.open_loop {
        fit.settings.report_all(open_loop::check(fit.settings, open_loop, fit.whole, communication).err());
    }
    let mode = execution.map_or(ExecutionMode::Asynchronous, |execution| execution.mode);
    for program in fit.program.with_others() {
        let placements = placed.iter().map(|placed| &*placed.placement);
        let bound = CycleBound::largest(program, placements, communication, mode);
        fit.settings.report_all(bound.and_then(|bound| bound.check(fit.settings, fit.size).err()));
    }
}

/// Checks that each run has an engine with room for it.
fn check_engines(
    fit: &Fit<'_>,
    communication: Communication,
    placed: &[Placed],
    execution: Execution,
    message_limit: MessageLimit,
) {
    let Fit { settings, program, .. } = *fit;
    for Placed { embedding, placement, .. } in placed {
        let rules = with_processors(communication, program, placement);
        let applies =
            |program| execution::check_engine(settings, execution, program, embedding, placement, rules);
        fit.settings.report_all(program.with_others().filter_map(|program| applies(program).err()));
    }
    // After an error, these checks would refuse the same run for the same reason.
    for Placed { placement, .. } in placed {
        if !fit.settings.errors().is_empty() {
            break;
        }
        let rules = with_processors(communication, program, placement);
        let check =
            |program| execution::check_execution(fit, execution, program, placement, rules, message_limit);
        fit.settings.report_all(program.with_others().find_map(|program| check(program).err()));
    }
    for Placed { embedding, placement, .. } in placed {
        fit.settings.report_all(execution::check_paths(settings, execution, embedding, placement).err());
    }
}

/// The scenario's name, or else the stem of the file's name.
fn name(settings: &Settings<'_>, written: &Written) -> Option<Arc<str>> {
    match settings.get(Key::Name) {
        Some(value) => value.text(Key::Name.path(), settings.errors()).map(Arc::from),
        None => Some(file_stem(written).into()),
    }
}

/// The rules, with a processor per node for each share of a collective.
fn with_processors(
    communication: Communication,
    program: &ScenarioProgram,
    placement: &Placement,
) -> Communication {
    match &program.ranks {
        // Actors of a job do not share processors.
        Some(_) if program.job.is_none() => {
            let processes = NonZeroU64::new(placement.max_load()).unwrap_or(NonZeroU64::MIN);
            communication.with_processors(communication.processors().max(processes))
        }
        _ => communication,
    }
}

/// Pairs machine and program if both are valid.
pub(super) fn together<'a>(
    section: &'a MachineSection,
    program: Option<&'a Arc<ScenarioProgram>>,
) -> Option<(&'a Arc<Machine>, &'a Size, &'a Arc<ScenarioProgram>)> {
    Some((section.machine.as_ref()?, section.size.as_ref()?, program?))
}
