//! Jobs on a pool of threads, limited by memory.
//!
//! Jobs begin in their order. The total memory of running jobs stays within the limit, except that a job that
//! exceeds it by itself runs alone.

use std::{
    num::NonZeroUsize,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
};

use cubefold_scenario::Run;
use cubefold_simulator::Ranks;
use rayon::ThreadPool;

use crate::route_tables::{InUse, RouteTables};

/// Threads and memory for jobs.
#[derive(Debug, Clone, Copy)]
pub struct Resources {
    /// Number of threads.
    pub threads: usize,
    /// Memory limit \[bytes\]; with ranks, per rank.
    pub memory: u64,
    /// The ranks among which large runs are divided, from the viewpoint of this one.
    pub ranks: Option<&'static dyn Ranks>,
}

impl Resources {
    /// The requested resources; by default a thread per processor, and the free memory of the machine.
    #[must_use]
    pub fn new(threads: Option<NonZeroUsize>, memory: Option<u64>) -> Self {
        let processors = || std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        let (threads, memory) =
            (threads.unwrap_or_else(processors).get(), memory.unwrap_or_else(free_memory));
        Self { threads, memory, ranks: None }
    }
}

/// Free memory of the machine \[bytes\]; unlimited if the system does not report it.
fn free_memory() -> u64 {
    let free = sysinfo::System::new().map_or(0, |mut system| {
        system.refresh_memory();
        system.available_memory()
    });
    if free == 0 { u64::MAX } else { free }
}

/// One unit of work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Job {
    pub(crate) place: usize, // among all jobs of the caller
    pub(crate) bytes: u64,   // of memory
}

/// Jobs admitted per thread: one running, and one so that no thread waits for the next.
const JOBS_A_THREAD: usize = 2;

/// Runs all jobs on the threads of `pool`, starting them in order, and returns when all are finished.
///
/// A job may use the same pool inside: a large job that runs alone then has all threads, and the pool's
/// threads are never exceeded. The memory of a job is returned when `work` drops its permit.
///
/// # Errors
///
/// The first error of `work`; no further job is started then, also if permits of finished jobs are never dropped.
pub(crate) fn run_jobs<E: Send>(
    pool: &ThreadPool,
    jobs: impl IntoIterator<Item = Job>,
    resources: Resources,
    work: impl Fn(Job, Permit) -> Result<(), E> + Sync,
) -> Result<(), E> {
    let most = pool.current_num_threads().saturating_mul(JOBS_A_THREAD);
    let admission = Arc::new(Admission::new(resources.memory, most));
    let failed = Mutex::new(None);
    // The caller's thread admits jobs; it is not in the pool, so its waiting blocks no job.
    pool.in_place_scope(|scope| {
        for job in jobs {
            let Some(permit) = admission.enter(job.bytes) else { break };
            let (work, failed, admission) = (&work, &failed, &admission);
            scope.spawn(move |_| {
                if admission.is_closed() {
                    return;
                }
                if let Err(error) = work(job, permit) {
                    failed.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
                    admission.close();
                }
            });
        }
    });
    failed.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)
}

/// Admits runs one after another, each as soon as its memory is free.
#[derive(Debug)]
pub(crate) struct Admission {
    limit: u64,  // bytes
    most: usize, // at least 1
    taken: Mutex<Taken>,
    freed: Condvar,
}

/// Resources of the admitted runs.
#[derive(Debug, Default)]
struct Taken {
    bytes: u64, // at most the limit, unless one run alone needs more
    permits: usize,
    is_closed: bool, // nothing more is admitted
}

/// A place among the running runs; its memory is taken until it is dropped.
#[derive(Debug)]
pub struct Permit {
    admission: Arc<Admission>,
    bytes: u64,
    routes: Option<InUse>,
}

impl Admission {
    /// Admits at most `most` runs at once, with at most `limit` bytes in total.
    pub(crate) fn new(limit: u64, most: usize) -> Self {
        Self { limit, most: most.max(1), taken: Mutex::default(), freed: Condvar::new() }
    }

    /// Waits until `bytes` are free. A request above the limit is admitted alone. `None` once it is closed.
    pub(crate) fn enter(self: &Arc<Self>, bytes: u64) -> Option<Permit> {
        let full = |taken: &mut Taken| !taken.is_closed && !self.has_room(taken, bytes);
        let waited = self.freed.wait_while(self.lock(), full);
        let mut taken = waited.unwrap_or_else(PoisonError::into_inner);
        if taken.is_closed {
            return None;
        }
        taken.bytes = taken.bytes.saturating_add(bytes);
        taken.permits += 1;
        Some(Permit { admission: Arc::clone(self), bytes, routes: None })
    }

    /// Admits nothing more; a request that waits ends.
    fn close(&self) {
        self.lock().is_closed = true;
        self.freed.notify_all();
    }

    fn is_closed(&self) -> bool {
        self.lock().is_closed
    }

    fn has_room(&self, taken: &Taken, bytes: u64) -> bool {
        let fits = taken.bytes.checked_add(bytes).is_some_and(|sum| sum <= self.limit);
        taken.permits == 0 || (fits && taken.permits < self.most)
    }

    /// Poisoning is ignored: a panic leaves the two numbers consistent.
    fn lock(&self) -> MutexGuard<'_, Taken> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Permit {
    /// Lets the run look up routes while its memory is taken.
    pub(crate) fn look_up(&mut self, run: &Run, tables: &RouteTables) {
        self.routes = Some(tables.begin(run));
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        // They must be dropped before the memory counts as free.
        self.routes = None;
        let mut taken = self.admission.lock();
        taken.bytes = taken.bytes.saturating_sub(self.bytes);
        taken.permits -= 1;
        drop(taken);
        self.admission.freed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::{
        convert::Infallible,
        sync::atomic::{AtomicU64, AtomicUsize, Ordering},
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
        run_jobs(&pool, jobs, RESOURCES, |_, _permit| {
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
        run_jobs(&pool, jobs, RESOURCES, |job, permit| {
            let others = at_work.fetch_add(1, Ordering::SeqCst);
            assert!(job.bytes < 1 << 30 || others == 0, "{others} beside job {}", job.place);
            std::thread::yield_now();
            at_work.fetch_sub(1, Ordering::SeqCst);
            drop(permit);
            Ok::<(), Infallible>(())
        })
        .unwrap_or_else(|never| match never {});
    }

    #[test]
    fn a_failure_ends_the_wait_for_permits_that_are_never_dropped() {
        let (pool, kept, begun) = (pool(), Mutex::new(vec![]), AtomicUsize::new(0));
        let jobs = (0..1000).map(|place| Job { place, bytes: 1 << 20 });
        let result = run_jobs(&pool, jobs, RESOURCES, |job, permit| {
            kept.lock().unwrap().push(permit);
            begun.fetch_add(1, Ordering::Relaxed);
            if job.place == 0 { Err("no room") } else { Ok(()) }
        });
        assert_eq!(result, Err("no room"));
        assert!(begun.into_inner() <= 2 * JOBS_A_THREAD, "at most what was admitted");
    }

    #[test]
    fn what_is_at_work_at_once_stays_within_the_limit_and_goes_on_in_order() {
        let (admission, at_work, begun) =
            (Arc::new(Admission::new(100, 3)), AtomicU64::new(0), Mutex::new(vec![]));
        let needs = [10, 90, 40, 100, 30, 30, 30, 30, 1, 99, 0, 0, 0, 0];
        std::thread::scope(|scope| {
            for need in needs {
                let permit = admission.enter(need).unwrap();
                begun.lock().unwrap().push(need);
                let at_work = &at_work;
                scope.spawn(move || {
                    let together = at_work.fetch_add(need, Ordering::SeqCst) + need;
                    assert!(together <= 100, "{together}");
                    std::thread::yield_now();
                    at_work.fetch_sub(need, Ordering::SeqCst);
                    drop(permit);
                });
            }
        });
        assert_eq!(*begun.lock().unwrap(), needs);
    }

    #[test]
    fn there_is_room_for_so_many_and_so_much_and_for_one_that_needs_more_alone() {
        let admission = Arc::new(Admission::new(100, 2));
        let room = |bytes| admission.has_room(&admission.lock(), bytes);
        assert!(room(100) && room(101));
        let first = admission.enter(60).unwrap();
        assert!(room(40) && !room(41) && !room(u64::MAX));
        let second = admission.enter(0).unwrap();
        assert!(!room(0), "a third");
        drop((first, second));
        assert!(room(100));
    }
}
