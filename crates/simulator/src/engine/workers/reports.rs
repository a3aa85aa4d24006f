//! The records of all workers on their way to the one observer of a run.

use std::sync::{
    Mutex, PoisonError,
    atomic::{AtomicU64, Ordering},
};

use crate::{Observer, StageRecord};

/// Records that wait for the observer.
#[derive(Debug)]
pub(super) struct Reports {
    wants_records: bool,
    records: Vec<Mutex<Vec<StageRecord>>>, // by worker
    pairs: AtomicU64,                      // of a process and a stage, where no records are wanted
}

/// The observer of one worker.
pub(super) struct Reporter<'run> {
    reports: &'run Reports,
    worker: usize,
    records: Vec<StageRecord>,
    pairs: u64,
    pass_on: &'run mut dyn FnMut(), // called when something has been added to the reports
}

/// The records, or pairs, that a worker keeps for itself.
const BATCH: usize = 1 << 12;

impl Reports {
    pub(super) fn new(workers: usize, wants_records: bool) -> Self {
        let records = (0..workers).map(|_| Mutex::new(vec![])).collect();
        Self { wants_records, records, pairs: AtomicU64::new(0) }
    }

    /// The observer of a worker, which calls `pass_on` from time to time.
    pub(super) fn of_worker<'run>(
        &'run self,
        worker: usize,
        pass_on: &'run mut dyn FnMut(),
    ) -> Reporter<'run> {
        Reporter { reports: self, worker, records: vec![], pairs: 0, pass_on }
    }

    /// Passes all reports to the observer, the records of each worker in order; returns the number of
    /// pairs of a process and a stage among them.
    pub(super) fn pass_on(&self, observer: &mut dyn Observer) -> u64 {
        let pairs = self.pairs.swap(0, Ordering::Relaxed);
        let mut count = pairs;
        for records in &self.records {
            let records = std::mem::take(&mut *records.lock().unwrap_or_else(PoisonError::into_inner));
            records.iter().for_each(|record| observer.stage_finished(record));
            count += records.len() as u64;
        }
        if pairs > 0 {
            observer.pairs_finished(pairs);
        }
        count
    }
}

impl Reporter<'_> {
    fn flush(&mut self) {
        let records = &self.reports.records[self.worker];
        records.lock().unwrap_or_else(PoisonError::into_inner).append(&mut self.records);
        self.reports.pairs.fetch_add(std::mem::take(&mut self.pairs), Ordering::Relaxed);
        (self.pass_on)();
    }
}

impl Observer for Reporter<'_> {
    #[inline]
    fn stage_finished(&mut self, record: &StageRecord) {
        if self.reports.wants_records {
            self.records.push(*record);
        } else {
            self.pairs += 1;
        }
        if self.records.len() >= BATCH || self.pairs >= BATCH as u64 {
            self.flush();
        }
    }
}

/// Reports the remaining records.
impl Drop for Reporter<'_> {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            self.flush();
        }
    }
}
