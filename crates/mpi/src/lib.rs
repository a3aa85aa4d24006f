//! The processes of an MPI job as the ranks that one run is divided among.
//!
//! Ranks know each other by [`cubefold_simulator::Ranks`] only: words are exchanged, and the least of their values is
//! agreed on. Here that is one `MPI_Alltoall` of two words for each pair of ranks, and a message for each list of words
//! that is not empty.
//!
//! All of it needs the feature `mpi`, and that an MPI library.

#![cfg(feature = "mpi")]

use std::env;

use cubefold_simulator::Ranks;
use mpi::{
    Threading,
    environment::Universe,
    request,
    topology::SimpleCommunicator,
    traits::{Communicator, CommunicatorCollectives, Destination, Source},
};

/// Variables by which the launchers of Open MPI, MPICH, Intel MPI and Slurm give their processes the number of all.
const SIZES: [&str; 2] = ["OMPI_COMM_WORLD_SIZE", "PMI_SIZE"];
/// Variables that processes of a launcher have, whatever says how many there are.
const MARKS: [&str; 2] = ["PMI_RANK", "PMIX_RANK"];

/// The code with which a job ends when one of its ranks cannot go on.
const ABORTED: i32 = 1;

/// The part of this process in an MPI job, which ends when this is dropped.
pub struct Job {
    // Ends MPI when it is dropped.
    _universe: Universe,
    ranks: &'static MpiRanks,
    on_this_computer: usize,
}

impl std::fmt::Debug for Job {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Job").field("ranks", &self.ranks).finish_non_exhaustive()
    }
}

/// Why a process has no part in the job that it was started for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum JobError {
    /// MPI was begun before, or cannot be begun.
    #[error("MPI cannot be started")]
    NotStarted,
    /// The MPI library lets one thread at most use it.
    #[error("the MPI library admits no threads, expected MPI_THREAD_SERIALIZED")]
    NoThreads,
    /// The launcher is that of another MPI library.
    #[error(
        "the launcher has started {started} processes, and the MPI library sees one: it belongs to another launcher"
    )]
    OtherLauncher {
        /// The number of processes that the launcher says.
        started: usize,
    },
}

impl Job {
    /// Joins the job that this process was started for by a launcher; none where there is no launcher.
    ///
    /// # Errors
    ///
    /// When the MPI library cannot be used, or does not know the launcher.
    #[expect(
        clippy::disallowed_methods,
        reason = "by variables launchers say that there is a job; results do not depend on them"
    )]
    pub fn join() -> Result<Option<Self>, JobError> {
        let started = SIZES.iter().find_map(|name| env::var(name).ok()?.parse().ok());
        if started.is_none() && MARKS.iter().all(|name| env::var_os(name).is_none()) {
            return Ok(None);
        }
        let (universe, threading) =
            mpi::initialize_with_threading(Threading::Serialized).ok_or(JobError::NotStarted)?;
        if threading < Threading::Serialized {
            return Err(JobError::NoThreads);
        }
        let world = universe.world();
        let [rank, count] = [world.rank(), world.size()].map(|number| usize::try_from(number).unwrap_or(0));
        match started {
            Some(started) if started > 1 && count == 1 => return Err(JobError::OtherLauncher { started }),
            _ => {}
        }
        let on_this_computer = usize::try_from(world.split_shared(world.rank()).size()).unwrap_or(1).max(1);
        let ranks = Box::leak(Box::new(MpiRanks { rank, count }));
        Ok(Some(Self { _universe: universe, ranks, on_this_computer }))
    }

    /// The ranks of the job.
    #[must_use]
    pub fn ranks(&self) -> &'static dyn Ranks {
        self.ranks
    }

    /// The number of ranks that share the memory of this computer, at least 1.
    #[must_use]
    pub fn ranks_on_this_computer(&self) -> usize {
        self.on_this_computer
    }
}

/// All processes of the job.
#[derive(Debug)]
struct MpiRanks {
    rank: usize,
    count: usize,
}

impl Ranks for MpiRanks {
    fn rank(&self) -> usize {
        self.rank
    }

    fn count(&self) -> usize {
        self.count
    }

    fn exchange(&self, outgoing: &mut [Vec<u64>], incoming: &mut Vec<u64>, value: u64) -> u64 {
        let world = SimpleCommunicator::world();
        let lengths_and_values: Vec<u64> =
            outgoing.iter().flat_map(|words| [words.len() as u64, value]).collect();
        let mut of_others = vec![0; lengths_and_values.len()];
        world.all_to_all_into(&lengths_and_values[..], &mut of_others[..]);
        let process = |rank: usize| world.process_at_rank(i32::try_from(rank).unwrap_or(i32::MAX));
        request::scope(|scope| {
            let is_sent = |&(rank, words): &(usize, &Vec<u64>)| rank != self.rank && !words.is_empty();
            let sent = outgoing.iter().enumerate().filter(is_sent);
            let requests: Vec<_> =
                sent.map(|(rank, words)| process(rank).immediate_send(scope, &words[..])).collect();
            for (rank, of_rank) in of_others.chunks_exact(2).enumerate() {
                if rank == self.rank || of_rank[0] == 0 {
                    continue;
                }
                let first = incoming.len();
                incoming.resize(first + usize::try_from(of_rank[0]).unwrap_or(usize::MAX), 0);
                process(rank).receive_into(&mut incoming[first..]);
            }
            for request in requests {
                request.wait_without_status();
            }
        });
        incoming.append(&mut outgoing[self.rank]);
        outgoing.iter_mut().for_each(Vec::clear);
        of_others.chunks_exact(2).map(|of_rank| of_rank[1]).min().unwrap_or(value)
    }

    fn abort(&self) -> ! {
        SimpleCommunicator::world().abort(ABORTED)
    }
}
