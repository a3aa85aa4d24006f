//! The ranks of an MPI job that this process is one of, where the program is built with the feature `mpi`.
//!
//! The leader is the program as it is without MPI, but that its large runs are divided among all ranks. The others load
//! the same scenarios, take part in those runs, and leave the rows of their processes to the leader where there are to be any.

use std::sync::OnceLock;

use cubefold_experiment::{KeepRecords, Resources, check_runs, follow};
use cubefold_simulator::{RankTask, Ranks, StageRecord, next_task};

use crate::{
    arguments::{Arguments, Command},
    command,
    failure::Failure,
    grouping::all_runs,
};

/// A group of ranks, as this one sees it.
#[derive(Debug, Clone, Copy)]
struct Group {
    ranks: &'static dyn Ranks,
    on_this_computer: u64, // of the ranks, at least 1
}

/// An MPI job is one of the whole process, and so is its group.
static GROUP: OnceLock<Group> = OnceLock::new();

/// Joins the MPI job that this process was started for, if it was for one. The job ends when what is returned is
/// dropped.
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

/// The resources of a run that ranks divide among them. Those on one computer have its free memory together.
pub(crate) fn resources(own: Resources, is_memory_given: bool) -> Resources {
    let share = GROUP.get().map_or(1, |group| if is_memory_given { 1 } else { group.on_this_computer });
    Resources { memory: own.memory / share, ranks: ranks(), ..own }
}

/// Does the work of a rank that is not the leader, until the leader says that there is no more.
pub(crate) fn work(arguments: Result<Arguments, clap::Error>, ranks: &'static dyn Ranks) {
    // What is wrong with the arguments the leader says.
    let Ok(arguments) = arguments else { return wait(ranks) };
    let Command::Run(options) = &arguments.command else { return wait(ranks) };
    let shared = &arguments.shared;
    let rows = options.processes.as_deref();
    let keep = if rows.is_some() { KeepRecords::Yes } else { KeepRecords::No };
    let load = || {
        let scenarios = command::scenarios(&options.scenarios.files, &options.scenarios.set, shared)?;
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
        // The same is wrong for the leader, unless it goes on.
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
