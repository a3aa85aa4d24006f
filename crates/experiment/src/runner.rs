//! One run: whether it can be made, and making it.

use std::sync::Arc;

use cubefold_mapping::PlacementMetrics;
use cubefold_simulator::{
    CountLinkUse, Cycle, DimensionChoice as SimulatorChoice, Execution as SimulatorExecution, LowerBound,
    Outcome, PhaseLength, Routing, SimulationError, StageRecord,
};

use crate::{
    Bytes, KeepRecords, MemoryError, Progress, Resources, RunError,
    export::{ExecutionRecord, MachineRecord, ProgramRecord},
    generator_key::generator_key,
    memory::bytes_to_run,
    progress::Meter,
    scenario::{DimensionChoice, ExecutionMode, Phases, Run},
    shared_metrics::measure,
};

/// Everything that a run came to.
#[derive(Debug)]
pub struct FinishedRun {
    /// The outcome of the simulation.
    pub outcome: Outcome,
    /// The metrics of the placement, which runs with the same placement share.
    pub metrics: Arc<PlacementMetrics>,
    /// The makespan without contention \[cycles\], of programs and placements that have a prediction.
    pub predicted: Option<u64>,
    /// What no placement goes below, where it is known.
    pub lower_bound: Option<LowerBound>,
    /// Every process in every stage, by process and stage, where they were to be kept.
    pub records: Vec<StageRecord>,
}

/// Checks that every run can be made: clock, sizes, memory. Nothing is run.
///
/// # Errors
///
/// The first run that is refused.
pub fn check_runs(runs: &[&Run], resources: Resources, keep: KeepRecords) -> Result<(), RunError> {
    for (place, run) in runs.iter().enumerate() {
        run.program
            .check(&run.placement, run.communication, &execution(run))
            .map_err(|error| failed(run, place, error))?;
    }
    admit(runs, resources, |run| bytes_to_run(run, keep))
}

/// Checks that the placement of every run can be measured. Nothing is measured.
///
/// # Errors
///
/// The first run that is refused.
pub fn check_placements(runs: &[&Run], resources: Resources) -> Result<(), RunError> {
    admit(runs, resources, |run| PlacementMetrics::bytes_to_measure(&run.placement))
}

/// Whether each of the runs fits the memory.
fn admit(runs: &[&Run], resources: Resources, need: impl Fn(&Run) -> u64) -> Result<(), RunError> {
    let too_large = |(place, run): (usize, &&Run)| {
        let needed = need(run);
        (needed > resources.memory).then(|| MemoryError {
            scenario: run.scenario.clone(),
            run: place,
            embedding: run.embedding.to_string(),
            needed: Bytes(needed),
            limit: Bytes(resources.memory),
        })
    };
    runs.iter().enumerate().find_map(too_large).map_or(Ok(()), |error| Err(error.into()))
}

/// Executes one run.
///
/// # Errors
///
/// When the simulation is refused or its outcome contradicts itself.
pub fn execute(
    run: &Run,
    place: usize,
    keep: KeepRecords,
    progress: &Progress,
) -> Result<FinishedRun, RunError> {
    execute_measured(run, place, keep, progress, None)
}

/// Executes one run; the metrics of its placement are measured unless they are known.
pub(crate) fn execute_measured(
    run: &Run,
    place: usize,
    keep: KeepRecords,
    progress: &Progress,
    metrics: Option<Arc<PlacementMetrics>>,
) -> Result<FinishedRun, RunError> {
    let communication = run.communication;
    let (program, placement) = (&run.program, &*run.placement);
    let kept = match keep {
        KeepRecords::Yes => Some(vec![]),
        KeepRecords::No => None,
    };
    let mut watch = (Meter::new(progress), kept);
    let outcome = program
        .simulate(placement, communication, &execution(run), CountLinkUse::No, Some(&mut watch))
        .map_err(|error| failed(run, place, error))?;
    let predicted = program.predict(placement, communication).map(Cycle::get);
    check_prediction(run, place, &outcome, predicted)?;
    let mut records: Vec<StageRecord> = watch.1.unwrap_or_default();
    records.sort_unstable_by_key(|record| (record.process, record.stage));
    Ok(FinishedRun {
        metrics: metrics.unwrap_or_else(|| measure(run)),
        predicted,
        lower_bound: program.lower_bound(placement, communication),
        records,
        outcome,
    })
}

/// An asynchronous run without blocked cycles takes as long as predicted, and none takes less
/// (`docs/model.md` section 5). Checked on every run: a violation is a failure.
fn check_prediction(
    run: &Run,
    place: usize,
    outcome: &Outcome,
    predicted: Option<u64>,
) -> Result<(), RunError> {
    let Some(predicted) = predicted else { return Ok(()) };
    let makespan = outcome.summary.makespan().get();
    let blocked = outcome.summary.totals().blocked;
    let coordinated = outcome.traffic.routing.is_some();
    let as_predicted = coordinated || blocked > 0 || makespan == predicted;
    if as_predicted && makespan >= predicted {
        return Ok(());
    }
    Err(RunError::Contradiction {
        scenario: run.scenario.clone(),
        run: place,
        embedding: run.embedding.to_string(),
        makespan,
        blocked,
        predicted,
    })
}

pub(crate) fn failed(run: &Run, place: usize, error: SimulationError) -> RunError {
    let (scenario, embedding) = (run.scenario.clone(), run.embedding.to_string());
    RunError::Simulation { scenario, run: place, embedding, error }
}

/// The scenario's execution in the simulator's terms.
pub(crate) fn execution(run: &Run) -> SimulatorExecution {
    match run.execution.mode {
        ExecutionMode::Asynchronous => SimulatorExecution::Asynchronous(run.execution.engine),
        ExecutionMode::Coordinated { dimension_choice, phases } => SimulatorExecution::Coordinated(Routing {
            dimension_choice: match dimension_choice {
                DimensionChoice::Lowest => SimulatorChoice::Lowest,
                DimensionChoice::Random => {
                    SimulatorChoice::Random { key: generator_key(run.seed, &task_name(run)) }
                }
            },
            phase_length: match phases {
                Phases::Embedding => PhaseLength::OfPlacement,
                Phases::Unlimited => PhaseLength::Unlimited,
                Phases::Length(length) => PhaseLength::Links(length),
            },
        }),
    }
}

/// What a run is, apart from its seed, in the words of its record: the same in every order of runs.
fn task_name(run: &Run) -> String {
    let execution = ExecutionRecord::new(&run.execution, run.communication.tie());
    // Records of names and numbers serialize; were they not to, runs would only share their choices.
    let words =
        serde_json::to_string(&(MachineRecord::new(run), ProgramRecord::new(&run.program), execution));
    format!("dimension choice; {}; {}", words.unwrap_or_default(), run.embedding)
}
