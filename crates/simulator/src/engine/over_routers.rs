//! Programs over routers with finite buffers: the same processes over another transport.

use cubefold_mapping::Placement;
use cubefold_topology::Machine;

use super::{
    Core, StartTimes, actors, border::Alone, message_table::MessageTable, messages_under_way, stages, tasks,
};
use crate::{
    Communication, JobTimes, Observer, Program, SimulationError, Special, Summary, Traffic,
    observe::{accounts::Ledger, traffic::LinkUseCounter},
    routers::{network::RouterNetwork, settings::Routers},
    transport::over_routers::{DrawnBy, OverRouters},
};

/// Bytes that the messages and the routers of a run take at most, roughly.
pub(crate) fn bytes(
    program: &dyn Program,
    machine: &Machine,
    communication: Communication,
    routers: &Routers,
) -> u64 {
    let messages = messages_under_way(program, communication);
    RouterNetwork::bytes(machine, routers, messages)
        .saturating_add(MessageTable::bytes(messages))
        .saturating_add(super::bytes_of_processes(program))
}

/// Runs a program to its end, reporting to `observer`. The flits that cross each link are added to `link_use`.
///
/// # Errors
///
/// If a process did not finish, operations or packets wait for each other, or times do not add up.
pub(crate) fn run(
    program: &dyn Program,
    placement: &Placement,
    communication: Communication,
    routers: &Routers,
    link_use: Option<&mut LinkUseCounter>,
    observer: &mut dyn Observer,
) -> Result<(Summary, Traffic, Option<JobTimes>), SimulationError> {
    let drawn_by = if program.special().tasks().is_some() { DrawnBy::Operation } else { DrawnBy::Stage };
    let transport = OverRouters::new(placement.machine(), communication, routers, drawn_by);
    let transport = if link_use.is_some() { transport.counting_use() } else { transport };
    let mut core = Core::whole(placement, communication, transport);
    let (summary, times) = match program.special() {
        Special::Tasks(graph) => (tasks::run_on(graph, &mut core, observer)?, None),
        Special::Job(job) => {
            let (summary, times) = actors::run_on(job, None, &mut core, observer)?;
            (summary, Some(times))
        }
        Special::Cube(_) | Special::Pipelined(_) | Special::RandomAccess(_) | Special::None => {
            (run_stages(program, placement, &mut core, observer)?, None)
        }
    };
    if let Some(link_use) = link_use {
        core.transport.add_use(link_use);
    }
    Ok((summary, core.traffic(), times))
}

fn run_stages(
    program: &dyn Program,
    placement: &Placement,
    core: &mut Core<'_, OverRouters<'_>, Alone>,
    observer: &mut dyn Observer,
) -> Result<Summary, SimulationError> {
    core.log_messages(observer);
    let mut observers = (Ledger::new(program), observer);
    let unfinished = stages::run_on(program, placement, StartTimes::Together, core, &mut observers);
    core.check_deadlock()?;
    if let Some(process) = unfinished {
        return Err(SimulationError::Unfinished { process });
    }
    core.report_messages(observers.1);
    Ok(observers.0.close()?)
}
