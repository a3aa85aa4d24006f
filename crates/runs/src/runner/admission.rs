//! Whether runs can be made, by clock, sizes and memory, without making them.

use cubefold_formats::input::Bytes;
use cubefold_mapping::PlacementMetrics;
use cubefold_scenario::{ExecutionMode, Run, ScenarioProgram};
use cubefold_simulator::{
    ChannelLoads, MessageTimes, OperationTimes, Plan, Request, StageRecord, Transmission, transmission_count,
};

use super::{
    KeepRecords, MemoryError, RunError, RunName, RunWay, failed, link_load::bytes_of_channel_congestion,
    measures_operations,
};
use crate::Resources;

/// Checks that every run can be made, by clock, sizes and memory, without running anything.
///
/// # Errors
///
/// The first run that is refused.
pub fn check_runs(runs: &[&Run], resources: Resources, keep: KeepRecords) -> Result<(), RunError> {
    let channel_loads = ChannelLoads::default();
    let way = RunWay::new(keep, resources, runs.len(), &channel_loads);
    for (place, run) in runs.iter().enumerate() {
        for program in run.programs() {
            let request = way.request(run, way.workers(run, place, 0));
            Plan::new(&*program.body, &run.placement, run.communication, &request)
                .map_err(|error| failed(run, place, error))?;
        }
        if keep == KeepRecords::WithTransmissions {
            check_transmissions(run, place)?;
        }
    }
    let held = held_beside(runs, resources, "the list of results", BYTES_A_RESULT)?;
    admit(runs, resources, |run| bytes_to_run(run, way).saturating_add(held))
}

/// Checks that the transmissions of a run can be listed.
fn check_transmissions(run: &Run, place: usize) -> Result<(), RunError> {
    if let Some(reason) = without_transmissions(run) {
        return Err(RunError::NoTransmissions { run: RunName::new(run, place), reason });
    }
    let (count, limit) = (transmissions(run, MAX_TRANSMISSIONS), MAX_TRANSMISSIONS);
    if count > limit {
        return Err(RunError::TooManyTransmissions { run: RunName::new(run, place), count, limit });
    }
    Ok(())
}

/// The reason for which a run has no transmissions.
fn without_transmissions(run: &Run) -> Option<&'static str> {
    if run.execution.mode != ExecutionMode::Asynchronous {
        Some("coordinated execution has no transmissions")
    } else if run.communication.routers().is_some() {
        Some("packets with finite buffers cross links flit by flit, and have no transmissions")
    } else {
        None
    }
}

/// The most transmissions of a run, counted up to about `limit`; `None` if it has none to list, coordinated or with finite
/// buffers.
#[must_use]
pub fn listed_transmissions(run: &Run, limit: u64) -> Option<u64> {
    without_transmissions(run).is_none().then(|| transmissions(run, limit))
}

/// The most transmissions of a program of a run; a count above `limit` may be too low.
fn transmissions(run: &Run, limit: u64) -> u64 {
    let count = |program: &ScenarioProgram| {
        transmission_count(&*program.body, &run.placement, run.communication, limit)
    };
    run.programs().map(count).max().unwrap_or(0)
}

/// Checks that the placement of every run can be measured, without measuring anything.
///
/// # Errors
///
/// The first run that is refused.
pub fn check_placements(runs: &[&Run], resources: Resources) -> Result<(), RunError> {
    let held = held_beside(runs, resources, "the list of placements", BYTES_A_MEASURED_RUN)?;
    admit(runs, resources, |run| PlacementMetrics::bytes_to_measure(&run.placement).saturating_add(held))
}

/// The most transmissions of a run that are listed.
pub const MAX_TRANSMISSIONS: u64 = 10_000_000;

/// Memory per result until it is written, with its row of a table \[bytes\]; measured with `run` on 10 000
/// runs.
const BYTES_A_RESULT: u64 = 9 << 10;
/// Memory per measured placement until it is written \[bytes\]; measured likewise.
const BYTES_A_MEASURED_RUN: u64 = 3 << 10;
/// Number of runs whose results are not counted.
const UNCOUNTED_RUNS: u64 = 1 << 9;

/// Memory of the scenarios \[bytes\].
pub(crate) fn held_by(runs: &[&Run]) -> u64 {
    runs.iter().map(|run| run.held_bytes).max().unwrap_or(0)
}

/// Memory of the scenarios and of a list with a number of bytes per run; refuses too much.
fn held_beside(
    runs: &[&Run],
    resources: Resources,
    what: &'static str,
    bytes_a_run: u64,
) -> Result<u64, RunError> {
    let listed = (runs.len() as u64).saturating_sub(UNCOUNTED_RUNS).saturating_mul(bytes_a_run);
    let needed = held_by(runs).saturating_add(listed);
    if needed > resources.memory {
        let (needed, limit) = (Bytes(needed), Bytes(resources.memory));
        return Err(RunError::ListMemory { what, runs: runs.len(), needed, limit });
    }
    Ok(needed)
}

/// Checks that each run fits in memory.
pub(crate) fn admit(runs: &[&Run], resources: Resources, need: impl Fn(&Run) -> u64) -> Result<(), RunError> {
    let too_large = |(place, run): (usize, &&Run)| {
        let needed = need(run);
        (needed > resources.memory).then(|| {
            let name = RunName::new(run, place);
            let run = if run.program.open_loop.is_some() { name.without_embedding() } else { name };
            MemoryError { run, needed: Bytes(needed), limit: Bytes(resources.memory) }
        })
    };
    runs.iter().enumerate().find_map(too_large).map_or(Ok(()), |error| Err(error.into()))
}

/// Number of pairs of a process and a stage in all programs of a run.
pub(crate) fn pair_count(run: &Run) -> u64 {
    run.programs().map(ScenarioProgram::pair_count).fold(0, u64::saturating_add)
}

/// Memory per recorded stage until it is written \[bytes\]; measured with 10^6 stages to CSV.
const BYTES_A_STAGE: u64 = 2400;
/// Memory per operation's times, in the engine and in the result \[bytes\].
const BYTES_AN_OPERATION: u64 = (size_of::<[u64; 2]>() + size_of::<OperationTimes>()) as u64;
/// Memory per message's times, in the engine and in the result \[bytes\].
const BYTES_A_MESSAGE: u64 = 2 * size_of::<MessageTimes>() as u64;
/// Number of stages that are not counted.
const UNCOUNTED_STAGES: u64 = 1 << 10;

/// The plan of a run with one of its programs; `None` if the run is refused, which takes no memory.
fn plan<'run>(run: &'run Run, program: &'run ScenarioProgram, request: &'run Request) -> Option<Plan<'run>> {
    Plan::new(&*program.body, &run.placement, run.communication, request).ok()
}

/// Approximate memory of a run \[bytes\]: the engine and the metrics are not in use at the same time.
#[must_use]
pub(crate) fn bytes_to_run(run: &Run, way: RunWay<'_>) -> u64 {
    let request = way.request(run, way.workers(run, 0, 0));
    // The records of the fastest program are kept while the next one runs.
    let records = if way.keep.has_records() {
        pair_count(run)
            .div_ceil(plan(run, &run.program, &request).map_or(1, |plan| plan.ranks()))
            .saturating_mul(size_of::<StageRecord>() as u64)
    } else {
        0
    };
    let messages = if way.keep.has_messages() {
        let received = run.program.body.facts().max_received.max(1) as u64;
        pair_count(run).saturating_mul(received).saturating_mul(BYTES_A_MESSAGE)
    } else {
        0
    };
    let operations = match run.program.body.special().tasks() {
        Some(graph) if way.keep == KeepRecords::WithOperations || measures_operations(&run.program) => {
            graph.schedule().operations().len() as u64 * BYTES_AN_OPERATION
        }
        _ => 0,
    };
    let transmissions = if way.keep == KeepRecords::WithTransmissions {
        // A growing list may take twice its size, and the list of the fastest program is kept while the next one runs.
        transmissions(run, MAX_TRANSMISSIONS) * 3 * size_of::<Transmission>() as u64
    } else {
        0
    };
    let stages = (run.program.body.stage_count() as u64).saturating_sub(UNCOUNTED_STAGES);
    let simulated = run.programs().filter_map(|program| Some(plan(run, program, &request)?.bytes()));
    let metrics = PlacementMetrics::bytes_to_measure(&run.placement);
    simulated
        .max()
        .unwrap_or(0)
        .max(metrics)
        .max(bytes_of_channel_congestion(run).unwrap_or(0))
        .max(bytes_of_open_loop(run, way))
        .saturating_add(records)
        .saturating_add(messages)
        .saturating_add(operations)
        .saturating_add(transmissions)
        .saturating_add(stages.saturating_mul(BYTES_A_STAGE))
}

/// Approximate memory of a run of open-loop traffic, with the rows that are kept \[bytes\]; 0 for other programs.
fn bytes_of_open_loop(run: &Run, way: RunWay<'_>) -> u64 {
    let Some(program) = run.program.open_loop.as_deref() else { return 0 };
    let (machine, rules, load) = (&*run.machine, run.communication, program.load.highest());
    let rows = program.traffic.bytes_of_rows(machine, rules, load, way.keep.rows_of_open_loop());
    program.traffic.bytes(machine, rules, load).saturating_add(rows)
}
