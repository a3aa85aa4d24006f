//! Jobs on a pool of threads, as many at once as memory allows.

use std::sync::{Arc, Mutex, PoisonError};

use rayon::ThreadPool;

use crate::{
    Resources,
    admission::{Admission, Permit},
};

/// Something to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Job {
    /// Which of all things to do it is, as the caller counts them.
    pub(crate) place: usize,
    /// The memory that it takes \[bytes\].
    pub(crate) bytes: u64,
}

/// How many jobs are let in for each thread: one at work, and one so that no thread waits for the next.
const JOBS_A_THREAD: usize = 2;

/// Does all jobs on the threads of `pool`, beginning them in their order, and returns when all are over.
///
/// A job may use the same pool inside: a large one alone then has all threads, and there are never more
/// threads at work than the pool has. The memory of a job is given back when `work` drops its permit.
///
/// # Errors
///
/// The first error that `work` returns; no further job is begun then.
pub(crate) fn do_jobs<E: Send>(
    pool: &ThreadPool,
    jobs: impl IntoIterator<Item = Job>,
    resources: Resources,
    work: impl Fn(Job, Permit) -> Result<(), E> + Sync,
) -> Result<(), E> {
    let most = pool.current_num_threads().saturating_mul(JOBS_A_THREAD);
    let admission = Arc::new(Admission::new(resources.memory, most));
    let failed = Mutex::new(None);
    let has_failed = || failed.lock().unwrap_or_else(PoisonError::into_inner).is_some();
    // The caller's thread lets jobs in; it is none of the pool's, so that its waiting holds up nobody.
    pool.in_place_scope(|scope| {
        for job in jobs {
            let permit = admission.enter(job.bytes);
            if has_failed() {
                break;
            }
            let (work, failed) = (&work, &failed);
            scope.spawn(move |_| {
                if let Err(error) = work(job, permit) {
                    failed.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
                }
            });
        }
    });
    failed.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)
}
