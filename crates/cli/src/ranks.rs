//! The ranks of the MPI job of this process, if the program is built with the feature `mpi`.
//!
//! The leader works like the program without MPI, but divides its large runs among all ranks. The other ranks load the
//! same scenarios, take part in those runs, and leave the rows of their processes to the leader if rows are requested.

use std::sync::OnceLock;

use cubefold_runs::{Resources, check_runs, follow};
use cubefold_simulator::{RankTask, Ranks, StageRecord, next_task};

use crate::{
    arguments::{Arguments, Command},
    command,
    failure::Failure,
    grouping::all_runs,
};

/// A group of ranks, as seen from this rank.
#[derive(Debug, Clone, Copy)]
struct Group {
    ranks: &'static dyn Ranks,
    on_this_computer: u64, // the ranks on it, at least 1
}

/// The MPI job and its group belong to the whole process.
static GROUP: OnceLock<Group> = OnceLock::new();

/// Joins the MPI job of this process, if there is one. Dropping the result ends the job.
#[cfg(feature = "mpi")]
pub(crate) fn join() -> Result<Option<cubefold_mpi::Job>, Failure> {
    let job = cubefold_mpi::Job::join().map_err(|error| {
        let help = "start it with the launcher of the MPI library that it was built with";
        Failure::usage(error.to_string(), help)
    })?;
    if let Some(job) = &job {
        let on_this_computer = job.ranks_on_this_computer() as u64;
        GROUP.get_or_init(|| Group { ranks: job.ranks(), on_this_computer });
    }
    Ok(job)
}

/// The ranks, if there are several.
pub(crate) fn ranks() -> Option<&'static dyn Ranks> {
    GROUP.get().map(|group| group.ranks).filter(|ranks| ranks.count() > 1)
}

/// The resources of a run that ranks divide. The ranks on one computer share its free memory.
pub(crate) fn resources(whole: Resources, is_memory_given: bool) -> Resources {
    let share = GROUP.get().map_or(1, |group| if is_memory_given { 1 } else { group.on_this_computer });
    Resources { memory: whole.memory / share, ranks: ranks(), ..whole }
}

/// Does the work of a rank that is not the leader, until the leader ends it.
pub(crate) fn work(arguments: Result<Arguments, clap::Error>, ranks: &'static dyn Ranks) {
    // The leader reports errors of the arguments.
    let Ok(arguments) = arguments else { return wait(ranks) };
    let Command::Run(options) = &arguments.command else { return wait(ranks) };
    let shared = &arguments.shared;
    let rows = options.processes.as_deref();
    let keep = command::kept_records(options);
    let load = || {
        let scenarios = options.sweep.scenarios.load(shared)?;
        check_runs(&all_runs(&scenarios), shared.run_resources(), keep).map_err(Failure::Refused)?;
        Ok(scenarios)
    };
    let leave = |task: RankTask, records: &[StageRecord]| {
        if let Some(Err(failure)) = rows.map(|rows| command::leave(rows, task, records)) {
            failure.print(shared.color);
            ranks.abort();
        }
    };
    let failure: Failure = match load() {
        Ok(scenarios) => match follow(&all_runs(&scenarios), ranks, keep, leave) {
            Ok(()) => return,
            Err(error) => Failure::Refused(error),
        },
        // The leader fails in the same way, unless it continues.
        Err(failure) if next_task(ranks).is_some() => failure,
        Err(_) => return,
    };
    failure.print(shared.color);
    ranks.abort();
}

/// Waits for the leader's end.
fn wait(ranks: &'static dyn Ranks) {
    while next_task(ranks).is_some() {}
}
