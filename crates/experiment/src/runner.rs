//! Runs, in parallel, in the scenario's order.

use std::sync::atomic::{AtomicU64, Ordering};

use cubefold_mapping::PlacementMetrics;
use cubefold_simulator::{
    DimensionChoice as SimulatorChoice, Execution as SimulatorExecution, LowerBound, Observer, Outcome,
    PhaseLength, Routing, SimulationError, StageRecord,
};
use rayon::prelude::*;

use crate::{
    Bytes, KeepRecords, MemoryError,
    export::{ExecutionRecord, MachineRecord, PlacementEntry, PlacementRecord, ProgramRecord},
    generator_key::generator_key,
    memory::{bytes_to_run, runs_at_once},
    scenario::{DimensionChoice, ExecutionMode, Phases, Run},
};

/// Everything that a run came to.
#[derive(Debug)]
pub struct FinishedRun {
    /// The outcome of the simulation.
    pub outcome: Outcome,
    /// The metrics of the placement.
    pub metrics: PlacementMetrics,
    /// The makespan without contention \[cycles\], of programs and placements that have a prediction.
    pub predicted: Option<u64>,
    /// What no placement goes below, where it is known.
    pub lower_bound: Option<LowerBound>,
    /// Every process in every stage, by process and stage, where they were to be kept.
    pub records: Vec<StageRecord>,
}

/// Why a run was refused or failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RunError {
    /// The simulation was refused or failed.
    #[error("run {run} of {scenario:?} with {embedding}: {error}")]
    Simulation {
        /// The scenario's name.
        scenario: String,
        /// The place of the run in the results, counted from 0.
        run: usize,
        /// Its embedding.
        embedding: String,
        /// What is wrong.
        error: SimulationError,
    },
    /// The makespan contradicts the prediction: a defect of the simulator.
    #[error(
        "run {run} of {scenario:?} with {embedding} took {makespan} cycles with {blocked} blocked cycles, \
         which contradicts the prediction of {predicted}"
    )]
    Contradiction {
        /// The scenario's name.
        scenario: String,
        /// The place of the run in the results, counted from 0.
        run: usize,
        /// Its embedding.
        embedding: String,
        /// The makespan \[cycles\].
        makespan: u64,
        /// The blocked cycles in all.
        blocked: u128,
        /// The predicted makespan \[cycles\].
        predicted: u64,
    },
    /// It needs more memory than there is.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// Measuring the exchange of addresses needs more memory than there is.
    #[error("measuring the exchange of addresses needs about {needed}, expected at most {limit}")]
    AddressExchangeMemory {
        /// What it needs.
        needed: Bytes,
        /// What there is.
        limit: Bytes,
    },
    /// Measuring the exchange of addresses was refused or failed.
    #[error("the exchange of addresses: {error}")]
    AddressExchange {
        /// What is wrong.
        error: SimulationError,
    },
}

/// How runs are to be executed.
#[derive(Debug, Clone, Copy)]
pub struct Resources {
    /// The most threads.
    pub threads: usize,
    /// The most memory \[bytes\].
    pub memory: u64,
}

/// How far runs have come, for whoever shows it: in (process, stage) pairs.
#[derive(Debug, Default)]
pub struct Progress {
    done: AtomicU64,
}

impl Progress {
    /// So many more are over.
    pub(crate) fn add(&self, done: u64) {
        self.done.fetch_add(done, Ordering::Relaxed);
    }

    /// The pairs that are over.
    #[must_use]
    pub fn done(&self) -> u64 {
        self.done.load(Ordering::Relaxed)
    }

    /// The pairs of all these runs.
    #[must_use]
    pub fn total(runs: &[&Run]) -> u64 {
        runs.iter().map(|run| run.program.pair_count()).fold(0, u64::saturating_add)
    }
}

/// Checks that every run can be made: clock, sizes, memory. Nothing is run.
///
/// Returns how many may be at work at once.
///
/// # Errors
///
/// The first run that is refused.
pub fn check_runs(runs: &[&Run], resources: Resources, keep: KeepRecords) -> Result<usize, RunError> {
    for (place, run) in runs.iter().enumerate() {
        run.program.check(&run.placement, run.communication).map_err(|error| failed(run, place, error))?;
    }
    admit(runs, resources, |run| bytes_to_run(run, keep))
}

/// Checks that the placement of every run can be measured. Nothing is measured.
///
/// Returns how many may be at work at once.
///
/// # Errors
///
/// The first run that is refused.
pub fn check_placements(runs: &[&Run], resources: Resources) -> Result<usize, RunError> {
    admit(runs, resources, |run| PlacementMetrics::bytes_to_measure(&run.placement))
}

/// How many of the runs fit the memory at once.
fn admit(runs: &[&Run], resources: Resources, need: impl Fn(&Run) -> u64) -> Result<usize, RunError> {
    let needs: Vec<u64> = runs.iter().map(|run| need(run)).collect();
    runs_at_once(&needs, resources.threads.max(1), resources.memory).map_err(|(place, needed)| {
        let run = runs[place];
        RunError::Memory(MemoryError {
            scenario: run.scenario.clone(),
            run: place,
            embedding: run.embedding.to_string(),
            needed: Bytes(needed),
            limit: Bytes(resources.memory),
        })
    })
}

/// Measures the placement of a run, without running its program.
#[must_use]
pub fn measure_run(run: &Run) -> PlacementEntry {
    let metrics = run.program.measure(&run.placement, run.communication.tie());
    PlacementEntry {
        scenario: run.scenario.clone(),
        machine: MachineRecord::new(run),
        program: ProgramRecord::new(&run.program),
        embedding: run.embedding.to_string(),
        placement: PlacementRecord::with_distances(&metrics, &run.placement),
    }
}

/// Executes the runs, `at_once` of them at a time, and hands each to `finish`, also in parallel; what it
/// returns comes back in the order of the runs, whatever the threads.
///
/// `first` is the place of the first of these runs in the results.
///
/// # Errors
///
/// The first run, in their order, that failed.
pub fn execute_runs<T: Send>(
    runs: &[&Run],
    first: usize,
    keep: KeepRecords,
    progress: &Progress,
    finish: impl Fn(&Run, FinishedRun) -> T + Sync,
) -> Result<Vec<T>, RunError> {
    let results: Vec<Result<T, RunError>> = runs
        .par_iter()
        .enumerate()
        .map(|(place, run)| execute(run, first + place, keep, progress).map(|finished| finish(run, finished)))
        .collect();
    results.into_iter().collect()
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
    let communication = run.communication;
    let (program, placement) = (&run.program, &*run.placement);
    let kept = match keep {
        KeepRecords::Yes => Some(vec![]),
        KeepRecords::No => None,
    };
    let mut watch = (Meter::new(progress), kept);
    let outcome = program
        .simulate(placement, communication, &execution(run), &mut watch)
        .map_err(|error| failed(run, place, error))?;
    let predicted = program.predict(placement, communication);
    check_prediction(run, place, &outcome, predicted)?;
    let mut records: Vec<StageRecord> = watch.1.unwrap_or_default();
    records.sort_unstable_by_key(|record| (record.process, record.stage));
    Ok(FinishedRun {
        metrics: program.measure(placement, communication.tie()),
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

fn failed(run: &Run, place: usize, error: SimulationError) -> RunError {
    let (scenario, embedding) = (run.scenario.clone(), run.embedding.to_string());
    RunError::Simulation { scenario, run: place, embedding, error }
}

/// The scenario's execution in the simulator's terms.
pub(crate) fn execution(run: &Run) -> SimulatorExecution {
    match run.execution.mode {
        ExecutionMode::Asynchronous => SimulatorExecution::Asynchronous,
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

/// Counts what is over, and tells the progress now and then.
struct Meter<'run> {
    progress: &'run Progress,
    untold: u64,
}

impl<'run> Meter<'run> {
    const TELL_AFTER: u64 = 1 << 16;

    fn new(progress: &'run Progress) -> Self {
        Self { progress, untold: 0 }
    }

    fn tell(&mut self) {
        self.progress.add(std::mem::take(&mut self.untold));
    }
}

impl Observer for Meter<'_> {
    fn stage_finished(&mut self, _: &StageRecord) {
        self.untold += 1;
        if self.untold == Self::TELL_AFTER {
            self.tell();
        }
    }
}

impl Drop for Meter<'_> {
    fn drop(&mut self) {
        self.tell();
    }
}
