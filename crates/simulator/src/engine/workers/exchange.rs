//! The exchange of notes among workers, in which they agree on the next cycle.

use std::{
    fmt::Debug,
    num::NonZeroUsize,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering},
    },
    thread::available_parallelism,
};

use crate::engine::border::Note;

/// The number of polls before a worker with a processor to itself yields it.
const SPINS: u32 = 1 << 10;

/// A worker's connection with the others.
///
/// Every worker makes the same number of calls of [`exchange`](Self::exchange), and none returns from a call
/// before all have entered it.
pub(super) trait Exchange<T = Note>: Debug {
    /// Sends the notes for each worker and receives those of all others, in any order; returns the
    /// least of the values that the workers bring.
    ///
    /// # Panics
    ///
    /// When another worker has panicked.
    fn exchange(&mut self, outgoing: &mut [Vec<T>], incoming: &mut Vec<T>, value: u64) -> u64;
}

/// The boxes and values that the threads of a run share.
///
/// Letter boxes and values exist twice, for even and odd exchanges: a worker that is ahead writes
/// into those of the next exchange, and no further, since the one after needs all others.
#[derive(Debug)]
pub(super) struct SharedBoxes<T> {
    workers: usize,
    letters: [Vec<Mutex<Vec<T>>>; 2], // by sender and recipient
    values: [Vec<AtomicU64>; 2],      // by worker
    arrived: AtomicUsize,             // the workers that have begun the present exchange
    round: AtomicUsize,               // of exchanges that all have begun
    has_failed: AtomicBool,
    spins: u32, // the polls of a worker before it yields its processor
}

/// The connection of one thread.
#[derive(Debug)]
pub(super) struct ThreadExchange<'run, T> {
    shared: &'run SharedBoxes<T>,
    worker: usize,
    round: usize,
}

impl<T> SharedBoxes<T> {
    pub(super) fn new(workers: usize) -> Self {
        let boxes = || (0..workers * workers).map(|_| Mutex::new(vec![])).collect();
        let values = || (0..workers).map(|_| AtomicU64::new(0)).collect();
        // A worker that spins on another's processor delays the one it waits for.
        let processors = available_parallelism().map_or(1, NonZeroUsize::get);
        Self {
            workers,
            letters: [boxes(), boxes()],
            values: [values(), values()],
            arrived: AtomicUsize::new(0),
            round: AtomicUsize::new(0),
            has_failed: AtomicBool::new(false),
            spins: if workers <= processors { SPINS } else { 0 },
        }
    }

    /// The connection of a worker.
    pub(super) fn exchange(&self, worker: usize) -> ThreadExchange<'_, T> {
        ThreadExchange { shared: self, worker, round: 0 }
    }

    /// Waits until all workers have begun the exchange `round`.
    fn wait(&self, round: usize) {
        if self.arrived.fetch_add(1, Ordering::AcqRel) + 1 == self.workers {
            self.arrived.store(0, Ordering::Relaxed);
            self.round.store(round + 1, Ordering::Release);
            return;
        }
        let mut spins = 0;
        while self.round.load(Ordering::Acquire) == round {
            assert!(!self.has_failed.load(Ordering::Relaxed), "another worker of this run has failed");
            if spins < self.spins {
                spins += 1;
                std::hint::spin_loop();
            } else {
                std::thread::yield_now();
            }
        }
    }
}

impl<T: Debug> Exchange<T> for ThreadExchange<'_, T> {
    fn exchange(&mut self, outgoing: &mut [Vec<T>], incoming: &mut Vec<T>, value: u64) -> u64 {
        let SharedBoxes { workers, letters, values, .. } = self.shared;
        let (letters, values) = (&letters[self.round % 2], &values[self.round % 2]);
        let letters_between = |from: usize, to: usize| {
            letters[from * workers + to].lock().unwrap_or_else(PoisonError::into_inner)
        };
        for (to, notes) in outgoing.iter_mut().enumerate().filter(|(_, notes)| !notes.is_empty()) {
            let mut letters = letters_between(self.worker, to);
            debug_assert!(letters.is_empty(), "the letters of the exchange before the last have been taken");
            std::mem::swap(&mut *letters, notes);
        }
        values[self.worker].store(value, Ordering::Relaxed);
        self.shared.wait(self.round);
        self.round += 1;
        for from in 0..*workers {
            let mut letters = letters_between(from, self.worker);
            if incoming.is_empty() {
                std::mem::swap(incoming, &mut *letters);
            } else {
                incoming.append(&mut letters);
            }
        }
        values.iter().map(|value| value.load(Ordering::Relaxed)).min().unwrap_or(value)
    }
}

/// The others do not wait for a worker that panics.
impl<T> Drop for ThreadExchange<'_, T> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.shared.has_failed.store(true, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_note_comes_to_its_recipient_in_its_exchange_and_all_agree_on_the_least_value() {
        let workers = 3;
        let shared = SharedBoxes::new(workers);
        std::thread::scope(|scope| {
            for worker in 0..workers {
                let mut exchange = shared.exchange(worker);
                scope.spawn(move || {
                    let (mut outgoing, mut incoming) = (vec![vec![]; workers], vec![]);
                    for round in 0..1000 {
                        for (to, notes) in outgoing.iter_mut().enumerate() {
                            notes.extend((0..(round + to) % 3).map(|copy| (round, worker, to, copy)));
                        }
                        let least =
                            exchange.exchange(&mut outgoing, &mut incoming, (7 * worker + round) as u64);
                        assert_eq!(least, round as u64);
                        incoming.sort_unstable();
                        let copies = (round + worker) % 3;
                        let expected = (0..workers)
                            .flat_map(|from| (0..copies).map(move |copy| (round, from, worker, copy)));
                        assert!(incoming.drain(..).eq(expected));
                    }
                });
            }
        });
    }

    #[test]
    fn no_worker_waits_for_one_that_has_failed() {
        let shared = SharedBoxes::<u8>::new(2);
        let result = std::panic::catch_unwind(|| {
            std::thread::scope(|scope| {
                scope.spawn(|| {
                    let _own = shared.exchange(1);
                    panic!("a defect");
                });
                shared.exchange(0).exchange(&mut [vec![], vec![]], &mut vec![], 0);
            });
        });
        assert!(result.is_err());
    }
}
