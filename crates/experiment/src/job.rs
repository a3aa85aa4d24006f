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

#[cfg(test)]
mod tests {
    use std::{
        convert::Infallible,
        sync::atomic::{AtomicUsize, Ordering},
    };

    use rayon::prelude::*;

    use super::*;
    use crate::support::{RESOURCES, pool};

    #[test]
    fn jobs_may_use_the_threads_inside_and_never_use_others() {
        let (pool, parts, most) = (pool(), AtomicUsize::new(0), AtomicUsize::new(0));
        let jobs = (0..50).map(|place| Job { place, bytes: 1 << 28 });
        let part = |_: usize| {
            assert!(rayon::current_thread_index().is_some_and(|thread| thread < 2), "a thread of the pool");
            parts.fetch_add(1, Ordering::Relaxed);
        };
        do_jobs(&pool, jobs, RESOURCES, |_, _permit| {
            most.fetch_max(rayon::current_num_threads(), Ordering::Relaxed);
            (0..100).into_par_iter().for_each(part);
            Ok::<(), Infallible>(())
        })
        .unwrap_or_else(|never| match never {});
        assert_eq!((parts.into_inner(), most.into_inner()), (5000, 2));
    }

    #[test]
    fn a_job_that_needs_all_memory_runs_alone() {
        let (pool, at_work) = (pool(), AtomicUsize::new(0));
        let jobs = (0..40).map(|place| Job { place, bytes: if place % 5 == 0 { 1 << 30 } else { 1 << 20 } });
        do_jobs(&pool, jobs, RESOURCES, |job, permit| {
            let others = at_work.fetch_add(1, Ordering::SeqCst);
            assert!(job.bytes < 1 << 30 || others == 0, "{others} beside job {}", job.place);
            std::thread::yield_now();
            at_work.fetch_sub(1, Ordering::SeqCst);
            drop(permit);
            Ok::<(), Infallible>(())
        })
        .unwrap_or_else(|never| match never {});
    }
}
