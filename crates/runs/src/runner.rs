//! A single run: its execution, and checks of its outcome.
//!
//! An outcome that contradicts the prediction of `docs/model.md` section 5 is an error, never a result.

mod admission;
mod errors;
mod held_up;
mod kept;
mod link_load;
mod rank_tasks;

use std::{num::NonZeroUsize, sync::Arc};

use cubefold_collectives::CollectiveBounds;
use cubefold_mapping::PlacementMetrics;
use cubefold_records::{FinishedRun, OpenLoopResult, ProgramBounds};
use cubefold_scenario::{
    CountedPaths, DimensionChoice, ExecutionMode, LoadChoice, Phases, RoutingRule, Run, ScenarioProgram,
    TraceProgram, describe_stuck, generator_key,
};
use cubefold_simulator::{
    ChannelLoads, Cycles, DimensionChoice as SimulatorChoice, EAGER_ALL, EngineChoice, Execution,
    OpenLoopRows, Outcome, PhaseLength, Ranks, Request, Routing, RoutingScheme, Saturation, SimulationError,
    Workers, computation_bound, lower_bound, predict, program_cut_bound, simulate,
};

use self::{
    kept::Kept,
    link_load::{busiest_channel, busiest_link, channel_congestion, count_link_use, unit_hops},
    rank_tasks::rank_task,
};
use crate::{Progress, Resources, progress::Meter};

pub(crate) use self::admission::{admit, bytes_to_run, held_by, pair_count};
pub(crate) use self::link_load::weigh;
pub use self::{
    admission::{MAX_TRANSMISSIONS, check_placements, check_runs, listed_transmissions},
    errors::{MemoryError, RunError, RunName},
    kept::KeepRecords,
    rank_tasks::follow,
};

/// Executes one run.
///
/// # Errors
///
/// If the simulation is refused or its outcome contradicts itself.
pub fn execute(
    run: &Run,
    place: usize,
    keep: KeepRecords,
    progress: &Progress,
) -> Result<FinishedRun, RunError> {
    let channel_loads = &ChannelLoads::default();
    let way = RunWay { keep, threads: NonZeroUsize::MIN, ranks: None, channel_loads };
    execute_measured(run, place, way, progress, None)
}

/// The execution of one of several runs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RunWay<'list> {
    keep: KeepRecords,
    threads: NonZeroUsize, // including its own
    ranks: Option<&'static dyn Ranks>,
    channel_loads: &'list ChannelLoads,
}

impl<'list> RunWay<'list> {
    /// The execution of each of `runs` runs: if there are fewer runs than threads, large runs are divided
    /// among several threads; if there are ranks, all large runs are divided among them. Runs of open-loop traffic share
    /// the loads of channels.
    pub(crate) fn new(
        keep: KeepRecords,
        resources: Resources,
        runs: usize,
        channel_loads: &'list ChannelLoads,
    ) -> Self {
        let threads = NonZeroUsize::new(resources.threads / runs.max(1)).unwrap_or(NonZeroUsize::MIN);
        Self { keep, threads, ranks: resources.ranks, channel_loads }
    }

    /// The simulator's request for a run, divided among these workers if there are any.
    fn request(self, run: &Run, workers: Option<Workers>) -> Request {
        let request = request(run, workers);
        if self.keep == KeepRecords::WithTransmissions && request.execution == Execution::Asynchronous {
            // The only engine that logs transmissions.
            return Request { engine: EngineChoice::Sized, ..request };
        }
        request
    }

    /// The workers among which a run is divided; `None` if it is not. `program` is the index of the program
    /// among those of the run.
    fn workers(self, run: &Run, place: usize, program: usize) -> Option<Workers> {
        let is_divided = self.keep != KeepRecords::WithTransmissions;
        if !is_divided || run.program.body.process_count() < MIN_DIVIDED_PROCESSES {
            return None;
        }
        match self.ranks {
            Some(ranks) => Some(Workers::Ranks(rank_task(ranks, run, place, program))),
            None => (self.threads > NonZeroUsize::MIN).then_some(Workers::Threads(self.threads)),
        }
    }
}

/// Executes one run and measures its placement unless `metrics` are given. Of equivalent programs the fastest
/// counts, the first of equally fast ones.
pub(crate) fn execute_measured(
    run: &Run,
    place: usize,
    way: RunWay<'_>,
    progress: &Progress,
    metrics: Option<Arc<PlacementMetrics>>,
) -> Result<FinishedRun, RunError> {
    let workers = |program| way.workers(run, place, program);
    let mut fastest = execute_program(run, place, way, workers(0), progress, metrics)?;
    for (number, other) in run.program.others.iter().enumerate() {
        let run = Run { program: Arc::clone(other), ..run.clone() };
        if cannot_be_faster(&run, fastest.outcome.summary.makespan().get()) {
            continue;
        }
        let mut slower = execute_program(&run, place, way, workers(number + 1), progress, None)?;
        if slower.outcome.summary.makespan() < fastest.outcome.summary.makespan() {
            std::mem::swap(&mut slower, &mut fastest);
        }
        fastest.parts_that_do_not_count.append(&mut slower.parts_that_do_not_count);
        fastest.parts_that_do_not_count.extend(slower.part_of);
    }
    Ok(fastest)
}

/// Whether a number of parts is predicted to take `makespan` or longer.
fn cannot_be_faster(run: &Run, makespan: u64) -> bool {
    let body = &*run.program.body;
    run.program.exchange.is_some() && predict(body, &run.placement, run.communication).get() >= makespan
}

/// Executes the given program of one run.
fn execute_program(
    run: &Run,
    place: usize,
    way: RunWay<'_>,
    workers: Option<Workers>,
    progress: &Progress,
    metrics: Option<Arc<PlacementMetrics>>,
) -> Result<FinishedRun, RunError> {
    let communication = run.communication;
    let (program, placement) = (&run.program, &*run.placement);
    let mut watch = (Meter::new(progress), Kept::new(way.keep));
    watch.1.wants_operations |= measures_operations(program);
    let request = way.request(run, workers).counting(count_link_use(run));
    let outcome = simulate(&*program.body, placement, communication, &request, &mut watch)
        .map_err(|error| failed(run, place, error))?;
    // There is no prediction if messages cost their processes time, nor for task graphs and steps side by side: contention
    // decides which operations processors serve, and which messages match.
    let special = program.body.special();
    let has_prediction = communication.message_cost() == Cycles::ZERO
        && special.tasks().is_none()
        && special.job().is_none_or(|job| job.is_chain() && !job.reduces_in_switches())
        && program.open_loop.is_none();
    let predicted = has_prediction.then(|| predict(&*program.body, placement, communication).get());
    if let Some(predicted) = predicted {
        check_prediction(run, place, &outcome, predicted)?;
    }
    watch.1.sort();
    let Kept { records, operations, messages, transmissions, rank_spans, part_of, .. } = watch.1;
    let metrics = metrics.unwrap_or_else(|| measure(run));
    let lower_bound = lower_bound(&*program.body, placement, communication);
    let collective_bounds = run.collective_bounds();
    let has_bound = lower_bound.is_some() || collective_bounds.is_some();
    let program_bounds = if has_bound { None } else { program_bounds(run, &outcome) };
    assert_bounds(&outcome, collective_bounds, program_bounds);
    let (open_loop, open_loop_rows) = run_open_loop(run, place, way)?.unzip();
    Ok(FinishedRun {
        program: Arc::clone(program),
        held_up: held_up::held_up(run, &outcome),
        open_loop,
        open_loop_rows: open_loop_rows.unwrap_or_default(),
        messages,
        rank_spans,
        predicted,
        lower_bound,
        collective_bounds,
        program_bounds,
        records,
        part_of,
        parts_that_do_not_count: vec![],
        operations,
        transmissions,
        unit_hops: unit_hops(run, &outcome, &metrics),
        metrics,
        busiest_link: outcome.traffic.link_use.as_ref().and_then(busiest_link),
        channel_congestion: channel_congestion(run),
        busiest_channel: outcome.traffic.link_use.as_ref().map(|link_use| busiest_channel(run, link_use)),
        outcome,
    })
}

/// Asserts, in debug builds, that no run is below its bounds.
fn assert_bounds(
    outcome: &Outcome,
    of_collective: Option<CollectiveBounds>,
    of_program: Option<ProgramBounds>,
) {
    let bounds = [
        of_collective.map(|bounds| bounds.lower_bound_cycles()),
        of_program.and_then(|bounds| Some(bounds.larger()?.0)),
    ];
    let makespan = outcome.summary.makespan().get();
    debug_assert!(
        bounds.into_iter().flatten().all(|bound| bound <= makespan),
        "{makespan} cycles are below {of_collective:?} or {of_program:?}"
    );
}

/// Runs open-loop traffic at its load, with the wanted rows, or at the loads of a search for saturation, without rows;
/// `None` for other programs.
fn run_open_loop(
    run: &Run,
    place: usize,
    way: RunWay<'_>,
) -> Result<Option<(OpenLoopResult, OpenLoopRows)>, RunError> {
    let Some(program) = run.program.open_loop.as_deref() else { return Ok(None) };
    let (traffic, machine, rules) = (&program.traffic, &*run.machine, run.communication);
    let (known, wanted) = (way.channel_loads, way.keep.rows_of_open_loop());
    let at = |(outcome, rows)| {
        (OpenLoopResult { runs: vec![outcome], is_searched: false, saturation_load: None }, rows)
    };
    let result = match program.load {
        LoadChoice::At(load) => traffic.run_with_rows(machine, rules, load, wanted, known).map(at),
        LoadChoice::Search(search) => traffic.saturation(machine, rules, search, known).map(|found| {
            let Saturation { load: saturation_load, runs } = found;
            (OpenLoopResult { runs, is_searched: true, saturation_load }, OpenLoopRows::default())
        }),
    };
    result.map(Some).map_err(|error| RunError::OpenLoop {
        run: RunName::new(run, place).without_embedding(),
        reason: error.to_string(),
    })
}

/// The lower bounds of a program that is no collective; `None` for coordinated runs, and if none is computed.
fn program_bounds(run: &Run, outcome: &Outcome) -> Option<ProgramBounds> {
    let (program, placement, rules) = (&*run.program.body, &*run.placement, run.communication);
    let computations = computation_bound(program, placement, rules)
        .filter(|_| run.execution.mode == ExecutionMode::Asynchronous)?;
    Some(ProgramBounds {
        cut: program_cut_bound(program, placement, rules, outcome.traffic.messages),
        computation_cycles: computations,
    })
}

pub(crate) fn measure(run: &Run) -> Arc<PlacementMetrics> {
    let metrics = run.program.guest().measure(&run.placement, run.communication.tie());
    Arc::new(match run.counted_paths() {
        Some(CountedPaths::OfEmbedding(paths)) => metrics.along_paths(&run.machine, paths),
        Some(CountedPaths::OfMachine) | None => metrics,
    })
}

/// No run takes less than predicted. With one process per node, a run without contention takes exactly that
/// long; it is recognised by the absence of blocked cycles under rendezvous, and of queues with eager
/// messages, whose delays can be overlapped (`docs/model.md` sections 5 and 15). Checked on every run: a
/// violation is an error.
fn check_prediction(run: &Run, place: usize, outcome: &Outcome, predicted: u64) -> Result<(), RunError> {
    let makespan = outcome.summary.makespan().get();
    let blocked = outcome.summary.totals().blocked;
    let is_coordinated = outcome.traffic.routing.is_some();
    let is_contended = match run.communication.eager() {
        0 => blocked > 0,
        _ => outcome.traffic.longest_queue != Some(0),
    };
    // Routers whose credits do not return in time, or whose speculations fail, delay a packet that is alone.
    let has_routers = run.communication.routers().is_some();
    let may_take_longer = is_coordinated || is_contended || has_routers || !run.placement.is_one_to_one();
    if makespan == predicted || makespan > predicted && may_take_longer {
        return Ok(());
    }
    Err(RunError::Contradiction { run: RunName::new(run, place), makespan, blocked, predicted })
}

pub(crate) fn failed(run: &Run, place: usize, error: SimulationError) -> RunError {
    let name = RunName::new(run, place);
    if let SimulationError::Stuck(stuck) = &error {
        let is_eager = run.communication.eager() == EAGER_ALL;
        let of_traces = run.program.traces.as_ref().map(|traces| traces.describe_stuck(stuck, is_eager));
        let of_file = || run.program.file_path.as_deref().map(|path| describe_stuck(path, stuck));
        if let Some(reason) = of_traces.or_else(of_file) {
            return RunError::Stuck { run: name, reason };
        }
    }
    RunError::Simulation { run: name, error: Box::new(error) }
}

/// Smallest number of processes of a run that is divided among threads: workers of a smaller one would mostly
/// wait for each other.
const MIN_DIVIDED_PROCESSES: u64 = 1 << 14;

/// The number of threads that runs can use: one each, unless some run is divided among threads.
#[must_use]
pub fn useful_threads(runs: &[&Run], threads: usize) -> usize {
    let is_divided = |run: &&&Run| run.program.body.process_count() >= MIN_DIVIDED_PROCESSES;
    if runs.iter().any(|run| is_divided(&run)) { threads } else { threads.min(runs.len()).max(1) }
}

/// The simulator's request for a scenario, divided among these workers if there are any.
pub(crate) fn request(run: &Run, workers: Option<Workers>) -> Request {
    match run.execution.mode {
        ExecutionMode::Asynchronous => Request::asynchronous(run.execution.engine).by(workers),
        ExecutionMode::Coordinated { dimension_choice, phases } => Request::coordinated(Routing {
            dimension_choice: match dimension_choice {
                DimensionChoice::Lowest => SimulatorChoice::Lowest,
                DimensionChoice::Random => {
                    SimulatorChoice::Random { key: generator_key(run.seed, "dimension choice") }
                }
            },
            phase_length: match phases {
                Phases::Embedding => PhaseLength::OfPlacement,
                Phases::Unlimited => PhaseLength::Unlimited,
                Phases::Length(length) => PhaseLength::Links(length),
            },
            scheme: match run.execution.routing {
                Some(RoutingRule::Sorting) => RoutingScheme::Sorting,
                _ => RoutingScheme::Phases,
            },
        }),
    }
}

/// Whether the results compare operations with times that traces measured.
fn measures_operations(program: &ScenarioProgram) -> bool {
    program.traces.as_deref().is_some_and(TraceProgram::has_measured_times)
}
