//! Values of the columns of a run that are computed from several measurements: bandwidths, bounds, exposed cycles, and
//! the use of links.

use cubefold_collectives::{CollectiveSpecification, Operation};
use cubefold_mapping::BoundSource;
use cubefold_scenario::Run;
use cubefold_simulator::{DirectionUse, LinkUse, Traffic, worst_case_bound};
use cubefold_topology::NodeId;

use crate::{FinishedRun, exact_mean};

/// Bytes of the vector of a collective, or else of the largest message, over the makespan; `None` if the program has no
/// bytes or takes no time, or is a job or a task graph, whose makespan is not about one message.
#[expect(clippy::cast_precision_loss, reason = "results show it as a fraction")]
pub(super) fn goodput(run: &Run, makespan_seconds: Option<f64>) -> Option<f64> {
    let has_steps = run.program.job.is_some() || run.program.body.special().tasks().is_some();
    let is_collective = run.program.asked_collective().is_some_and(|asked| asked.specification().is_some());
    if has_steps && !is_collective {
        return None;
    }
    let bytes = run.program.vector_bytes().or(run.program.bytes)? as f64;
    makespan_seconds.filter(|&seconds| seconds > 0.0).map(|seconds| bytes / seconds)
}

/// The bus bandwidth of a collective as nccl-tests defines it; `None` if there is no goodput.
#[expect(clippy::cast_precision_loss, reason = "results show it as a fraction")]
pub(super) fn bus_bandwidth(run: &Run, makespan_seconds: Option<f64>) -> Option<f64> {
    let [times, of] = bus_share(run.program.asked_collective()?.specification()?);
    goodput(run, makespan_seconds).map(|goodput| goodput * (times as f64 / of as f64))
}

/// Numerator and denominator of the ratio of bus bandwidth to goodput (`docs/model.md` section 17).
#[must_use]
pub fn bus_share(collective: &CollectiveSpecification) -> [u64; 2] {
    let ranks = collective.rank_count();
    match collective.operation {
        Operation::AllReduce => [2 * (ranks - 1), ranks],
        Operation::ReduceScatter
        | Operation::AllGather
        | Operation::AllToAll
        | Operation::Gather
        | Operation::Scatter => [ranks - 1, ranks],
        Operation::Broadcast | Operation::Reduce | Operation::Barrier => [1, 1],
    }
}

/// A bound below all placements, or below all algorithms of a collective on this placement.
pub(super) fn lower_bound_cycles(finished: &FinishedRun) -> Option<u64> {
    let of_placements = finished.lower_bound.map(|bound| bound.cycles.get());
    let of_collective = finished.collective_bounds.map(|bounds| bounds.lower_bound_cycles());
    let of_program = || Some(finished.program_bounds?.larger()?.0);
    of_placements.or(of_collective).or_else(of_program)
}

/// The source of the lower bound, or the name of the collective's bound.
pub(super) fn lower_bound_source(finished: &FinishedRun) -> Option<&'static str> {
    let of_collective = || Some(finished.collective_bounds?.lower_bound_source()?.name());
    let of_program = || Some(finished.program_bounds?.larger()?.1);
    let of_placements = finished.lower_bound.map(|bound| BoundSource::name(bound.source));
    of_placements.or_else(of_collective).or_else(of_program)
}

/// The cut bound; for a collective, even if nothing must cross a link.
pub(super) fn cut_bound_cycles(finished: &FinishedRun) -> Option<u64> {
    let of_collective = finished.collective_bounds.map(|bounds| bounds.cut_cycles());
    of_collective.or(finished.cut_bound().map(|cut| cut.cycles))
}

/// The lower bound of a collective as a percentage of the makespan.
pub(super) fn lower_bound_percent(finished: &FinishedRun) -> Option<f64> {
    let makespan = finished.outcome.summary.makespan().get();
    let bound = finished.collective_bounds?.lower_bound_cycles();
    exact_mean(100 * u128::from(bound), makespan.into())
}

/// Lower bound on the worst permutation with the number of units of a run, on its machine \[cycles\]; `None` for other
/// programs.
#[expect(clippy::cast_precision_loss, reason = "a bound of a few digits")]
pub(super) fn worst_case_of(run: &Run) -> Option<f64> {
    if run.program.kind.name != "permutation" {
        return None;
    }
    let units = u128::from(run.program.body.process_count()) * u128::from(run.program.max_message_units());
    Some(worst_case_bound(&run.machine, units) * run.communication.hop().get() as f64)
}

/// The exposed cycles of a job, or of traces: the sum over ranks of their finish less their computation.
pub(super) fn exposed(run: &Run, finished: &FinishedRun) -> Option<u128> {
    let of_job = finished.outcome.job.as_ref().map(|times| times.exposed);
    let of_traces = || {
        let (traces, graph) = (run.program.traces.as_deref()?, run.program.body.special().tasks()?);
        let finishes = finished.outcome.summary.finishes();
        Some(finishes.saturating_sub(traces.device_computations(graph)))
    };
    of_job.or_else(of_traces)
}

/// The mean exposed cycles of a rank of a job or of traces.
pub(super) fn exposed_mean(run: &Run, finished: &FinishedRun) -> Option<f64> {
    exact_mean(exposed(run, finished)?, run.program.rank_count().into())
}

/// Coordinates of the node at end 0 or 1 of the busiest link.
pub(super) fn busiest_end(run: &Run, finished: &FinishedRun, end: usize) -> Option<Vec<u32>> {
    let ends = finished.busiest_link.and_then(|busiest| busiest.ends(&run.machine))?;
    Some(address(run, *ends.get(end)?))
}

/// The names of the nodes of the busiest link.
pub(super) fn busiest_link_name(run: &Run, finished: &FinishedRun) -> Option<String> {
    let [one, other] = finished.busiest_link.and_then(|busiest| busiest.ends(&run.machine))?;
    let name = |node| run.machine.node_name(node);
    Some(format!("{}-{}", name(one)?, name(other)?))
}

/// The fraction of the makespan for which the busiest channel is busy.
pub(super) fn link_busy_share(finished: &FinishedRun) -> Option<f64> {
    let makespan = finished.outcome.summary.makespan().get();
    exact_mean(finished.busiest_channel?.into(), makespan.into())
}

/// A number for each direction of a grid, if link use is counted.
pub(super) fn by_direction(traffic: &Traffic, number: impl Fn(&DirectionUse) -> u64) -> Option<Vec<u64>> {
    let directions = traffic.link_use.as_ref().map(LinkUse::by_direction)?;
    (!directions.is_empty()).then(|| directions.iter().map(number).collect())
}

fn address(run: &Run, node: NodeId) -> Vec<u32> {
    run.address(node).as_slice().to_vec()
}
