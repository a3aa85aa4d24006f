//! Parallel execution of runs: shared placements are measured once, before the runs, and a run starts as soon
//! as a thread and its memory are free.
//!
//! Results are delivered with their indices and do not depend on the number of threads.

use std::{
    any::Any,
    collections::BTreeMap,
    convert::Infallible,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

use cubefold_mapping::PlacementMetrics;
use cubefold_records::{
    FinishedRun, MachineRecord, PlacementEntry, PlacementRecord, ProgramRecord, dilation_bound, swept,
};
use cubefold_scenario::Run;
use cubefold_simulator::ChannelLoads;
use rayon::ThreadPool;

use crate::{
    Progress, Resources,
    jobs::{Job, Permit, run_jobs},
    route_tables::RouteTables,
    runner::{
        KeepRecords, RunError, RunName, RunWay, bytes_to_run, execute_measured, held_by, measure, weigh,
    },
};

/// Resources and options for executing runs.
#[derive(Debug, Clone, Copy)]
pub struct Means<'means> {
    /// The threads, which runs may also use inside.
    pub pool: &'means ThreadPool,
    /// The memory limit of all running runs together.
    pub resources: Resources,
    /// Whether the records of all processes and stages are kept.
    pub keep: KeepRecords,
    /// The progress of the runs.
    pub progress: &'means Progress,
}

/// Executes runs, each with its place in the results, as many at a time as threads and memory allow, and passes the result of
/// each to `deliver` as soon as it is finished: in parallel, in no order. If a run fails, the others
/// continue.
///
/// The memory of a run is taken until `deliver` drops its permit.
///
/// # Errors
///
/// The first error of `deliver`; no further run is started then.
pub fn execute_runs<E: Send>(
    means: Means<'_>,
    asked: &[(usize, &Run)],
    deliver: impl Fn(usize, Result<FinishedRun, RunError>, Permit) -> Result<(), E> + Sync,
) -> Result<(), E> {
    each_run(means, asked, execute_measured, deliver)
}

/// Works as [`execute_runs`], with `execute` in place of [`execute_measured`].
fn each_run<E: Send>(
    means: Means<'_>,
    asked: &[(usize, &Run)],
    execute: impl Fn(
        &Run,
        usize,
        RunWay<'_>,
        &Progress,
        Option<Arc<PlacementMetrics>>,
    ) -> Result<FinishedRun, RunError>
    + Sync,
    deliver: impl Fn(usize, Result<FinishedRun, RunError>, Permit) -> Result<(), E> + Sync,
) -> Result<(), E> {
    let Means { pool, resources, keep, progress } = means;
    let (places, asked): (Vec<usize>, Vec<&Run>) = asked.iter().copied().unzip();
    let resources = beside_scenarios(&asked, resources);
    let groups = groups(&asked, 2);
    let routes = RouteTables::default();
    let shared =
        SharedMetrics::measure(pool, &groups, asked.len(), (resources, &routes), &Progress::default());
    let shared = Mutex::new(shared);
    let resources = Resources { threads: pool.current_num_threads(), ..resources };
    let channel_loads = ChannelLoads::default();
    let way = RunWay::new(keep, resources, asked.len(), &channel_loads);
    let job = |(place, run): (usize, &&Run)| Job { place, bytes: bytes_to_run(run, way) };
    let result = run_jobs(pool, asked.iter().enumerate().map(job), resources, |job, mut permit| {
        let (run, place) = (asked[job.place], places[job.place]);
        let metrics = shared.lock().unwrap_or_else(PoisonError::into_inner).take(job.place);
        permit.look_up(run, &routes);
        let finished = caught(run, place, || execute(run, place, way, progress, metrics));
        progress.run_over();
        deliver(place, finished, permit)
    });
    routes.release_idle();
    result
}

/// The resources without the memory of the scenarios.
fn beside_scenarios(runs: &[&Run], resources: Resources) -> Resources {
    Resources { memory: resources.memory.saturating_sub(held_by(runs)), ..resources }
}

/// Calls `work` and turns a panic into an error of this run only.
fn caught<T>(run: &Run, place: usize, work: impl FnOnce() -> Result<T, RunError>) -> Result<T, RunError> {
    // It shares only counters and finished metrics with other runs, which a panic leaves consistent.
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        Err(RunError::Panicked { run: RunName::new(run, place), message: message_of_panic(&*panic) })
    })
}

/// The message of a panic.
#[must_use]
pub fn message_of_panic(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("without a message").to_owned()
}

/// Measures the placements of the runs on the threads of `pool`, without running their programs; equal
/// placements are measured once. A run of several programs, of which the fastest counts, has an entry for each.
/// `progress` counts the placements that are measured.
#[must_use]
pub fn measure_runs(
    pool: &ThreadPool,
    runs: &[&Run],
    resources: Resources,
    progress: &Progress,
) -> Vec<PlacementEntry> {
    let resources = beside_scenarios(runs, resources);
    let of_programs = |(place, run): (usize, &&Run)| {
        // Programs that differ only in the parts of messages have the same guest.
        let others = run.program.others.iter().filter(|other| other.exchange.is_none());
        let others = others.map(|other| Run { program: Arc::clone(other), ..(*run).clone() });
        std::iter::once((*run).clone()).chain(others).map(move |run| (place, run)).collect::<Vec<_>>()
    };
    let all: Vec<(usize, Run)> = runs.iter().enumerate().flat_map(of_programs).collect();
    let runs: Vec<&Run> = all.iter().map(|(_, run)| run).collect();
    let groups = groups(&runs, 1);
    let routes = RouteTables::default();
    let mut shared = SharedMetrics::measure(pool, &groups, runs.len(), (resources, &routes), progress);
    routes.release_idle();
    let entry = |(number, (place, run)): (usize, &(usize, Run))| {
        let metrics = shared.take(number).unwrap_or_else(|| measure(run));
        let bound = dilation_bound(run, &metrics);
        PlacementEntry {
            dilation_bound: bound.map(|bound| bound.links),
            dilation_bound_source: bound.map(|bound| bound.source.name().into()),
            run: *place as u64,
            scenario: run.scenario.to_string(),
            sweep: swept(run),
            processes: run.program.body.process_count(),
            nodes: run.machine.numbered_hosts(),
            machine: MachineRecord::new(run),
            program: ProgramRecord::of_run(run),
            embedding: run.embedding.to_string(),
            notes: run.notes(),
            placement: PlacementRecord::with_distances(&metrics, run)
                .weighted(weigh(run))
                .counting(run.counted_paths()),
        }
    };
    all.iter().enumerate().map(entry).collect()
}

/// The metrics of placements that several runs share.
///
/// They are measured before the runs: a run that waited for another's measurement would block a thread that
/// the measurement may need.
#[derive(Debug)]
struct SharedMetrics {
    by_run: Vec<Option<Arc<PlacementMetrics>>>,
}

/// The runs with the same placement, measured under one tie rule.
struct Group<'run> {
    run: &'run Run, // the first of them
    places: Vec<usize>,
}

impl SharedMetrics {
    /// Measures the placements of groups of `runs` runs, in parallel; `progress` counts
    /// the runs whose placements are measured.
    fn measure(
        pool: &ThreadPool,
        groups: &[Group<'_>],
        runs: usize,
        (resources, routes): (Resources, &RouteTables),
        progress: &Progress,
    ) -> Self {
        let job = |(place, group): (usize, &Group<'_>)| Job {
            place,
            bytes: PlacementMetrics::bytes_to_measure(&group.run.placement),
        };
        let measured: Vec<OnceLock<Arc<PlacementMetrics>>> = groups.iter().map(|_| OnceLock::new()).collect();
        run_jobs(pool, groups.iter().enumerate().map(job), resources, |job, mut permit| {
            permit.look_up(groups[job.place].run, routes);
            // If this fails, every run of the group measures for itself and reports the error under its own
            // name.
            if let Ok(metrics) = catch_unwind(AssertUnwindSafe(|| measure(groups[job.place].run))) {
                measured[job.place].get_or_init(|| metrics);
            }
            progress.add(groups[job.place].places.len() as u64);
            Ok::<(), Infallible>(())
        })
        .unwrap_or_else(|never| match never {});
        let mut by_run = vec![None; runs];
        for (group, metrics) in groups.iter().zip(measured) {
            let metrics = metrics.into_inner();
            group.places.iter().for_each(|&place| by_run[place].clone_from(&metrics));
        }
        Self { by_run }
    }

    /// Removes and returns the metrics of the run at `place`.
    fn take(&mut self, place: usize) -> Option<Arc<PlacementMetrics>> {
        self.by_run[place].take()
    }
}

/// Groups runs by placement, tie rule and counted paths, in order of first occurrence; groups of fewer than `at_least` runs
/// are left out.
///
/// Equal placements of a guest share one allocation: the scenario's library ensures it.
fn groups<'run>(runs: &[&'run Run], at_least: usize) -> Vec<Group<'run>> {
    let mut known = BTreeMap::new();
    let mut groups: Vec<Group<'_>> = vec![];
    for (place, run) in runs.iter().enumerate() {
        // Programs of one run have one placement, and guests of their own.
        let guest = std::ptr::from_ref(&*run.program.body).addr();
        let alone = if run.program.others.is_empty() { 0 } else { guest };
        let has_paths = run.counted_paths().is_some();
        let key = (Arc::as_ptr(&run.placement).addr(), run.communication.tie().name(), alone, has_paths);
        let group = *known.entry(key).or_insert_with(|| {
            groups.push(Group { run, places: vec![] });
            groups.len() - 1
        });
        groups[group].places.push(place);
    }
    groups.retain(|group| group.places.len() >= at_least);
    groups
}

#[cfg(test)]
mod tests;
