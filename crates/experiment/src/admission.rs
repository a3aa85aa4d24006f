//! Runs at work at once, so many that their memory together stays within a limit.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// Lets runs in one after another, each as soon as what it needs is free.
#[derive(Debug)]
pub(crate) struct Admission {
    limit: u64,  // bytes
    most: usize, // at least 1
    taken: Mutex<Taken>,
    freed: Condvar,
}

/// What those that were let in have taken.
#[derive(Debug, Default)]
struct Taken {
    bytes: u64, // at most the limit, unless one run alone needs more
    permits: usize,
}

/// A place among the runs at work, with the memory that it takes until it is dropped.
#[derive(Debug)]
pub struct Permit {
    admission: Arc<Admission>,
    bytes: u64,
}

impl Admission {
    /// Lets in at most `most` at once, which take at most `limit` bytes together.
    pub(crate) fn new(limit: u64, most: usize) -> Self {
        Self { limit, most: most.max(1), taken: Mutex::default(), freed: Condvar::new() }
    }

    /// Waits until `bytes` are free. Who needs more than there is at all is let in alone.
    pub(crate) fn enter(self: &Arc<Self>, bytes: u64) -> Permit {
        let full = |taken: &mut Taken| !self.has_room(taken, bytes);
        let waited = self.freed.wait_while(self.lock(), full);
        let mut taken = waited.unwrap_or_else(PoisonError::into_inner);
        taken.bytes = taken.bytes.saturating_add(bytes);
        taken.permits += 1;
        Permit { admission: Arc::clone(self), bytes }
    }

    fn has_room(&self, taken: &Taken, bytes: u64) -> bool {
        let fits = taken.bytes.checked_add(bytes).is_some_and(|sum| sum <= self.limit);
        taken.permits == 0 || (fits && taken.permits < self.most)
    }

    /// Two numbers that every holder leaves in order, also one that panics.
    fn lock(&self) -> MutexGuard<'_, Taken> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        let mut taken = self.admission.lock();
        taken.bytes = taken.bytes.saturating_sub(self.bytes);
        taken.permits -= 1;
        drop(taken);
        self.admission.freed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU64, Ordering};

    #[test]
    fn what_is_at_work_at_once_stays_within_the_limit_and_goes_on_in_order() {
        let (admission, at_work, begun) =
            (Arc::new(Admission::new(100, 3)), AtomicU64::new(0), Mutex::new(vec![]));
        let needs = [10, 90, 40, 100, 30, 30, 30, 30, 1, 99, 0, 0, 0, 0];
        std::thread::scope(|scope| {
            for need in needs {
                let permit = admission.enter(need);
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
        let first = admission.enter(60);
        assert!(room(40) && !room(41) && !room(u64::MAX));
        let second = admission.enter(0);
        assert!(!room(0), "a third");
        drop((first, second));
        assert!(room(100));
    }
}
