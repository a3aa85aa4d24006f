//! The identity that the times of every process must satisfy.

use cubefold_mapping::ProcessId;
use prefetch_index::prefetch_index;

use crate::{Cycle, Cycles, Observer, Program, StageRecord, Summary};

/// Times that do not add up: a defect of the simulator, never of the input.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ImbalanceError {
    /// The times of one process.
    #[error("process {process} finished at cycle {finish}, but its times add up to {accounted}")]
    Process {
        /// The first such process.
        process: ProcessId,
        /// The cycle at which it finished.
        finish: Cycle,
        /// The sum of its compute, sharing, waiting, transfer and blocked times.
        accounted: Cycles,
    },
    /// The times of all processes together.
    #[error("the finishes of all processes add up to {finishes} cycles, but their times to {accounted}")]
    Sum {
        /// The sum of all finishes \[cycles\].
        finishes: u128,
        /// The sum of all compute, sharing, waiting, transfer and blocked times \[cycles\].
        accounted: u128,
    },
}

/// The sum of each process's times, to be compared with its finish (`docs/model.md` section 5).
#[derive(Debug)]
pub(crate) struct Accounts {
    compute: Cycles,
    last_stage: usize,
    accounted: Vec<Cycles>, // by process
    imbalance: Option<ImbalanceError>,
}

impl Accounts {
    /// Accounts of processes that start at these cycles and are followed to the end of `last_stage`.
    pub(crate) fn new(begins: impl IntoIterator<Item = Cycle>, compute: Cycles, last_stage: usize) -> Self {
        let mut accounts = Self { compute, last_stage, accounted: vec![], imbalance: None };
        accounts.begin_again(begins);
        accounts
    }

    /// Restarts with other processes that start at these cycles, under the same labels.
    pub(crate) fn begin_again(&mut self, begins: impl IntoIterator<Item = Cycle>) {
        self.accounted.clear();
        self.accounted.extend(begins.into_iter().map(|begin| begin - Cycle::START));
    }

    /// The first imbalance found.
    ///
    /// # Errors
    ///
    /// If there is one. The results of such a run must not be used.
    pub(crate) fn check(&self) -> Result<(), ImbalanceError> {
        self.imbalance.map_or(Ok(()), Err)
    }

    #[inline]
    fn prefetch(&self, index: ProcessId) {
        prefetch_index(&self.accounted, index.label() as usize);
    }

    /// Adds a stage in which the process with this index computed for `compute`.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "a call for each record costs as much as its work")]
    fn add(&mut self, index: ProcessId, record: &StageRecord, compute: Cycles) {
        let accounted = &mut self.accounted[index.label() as usize];
        *accounted = Cycles::new(accounted.get().wrapping_add(record.spent(compute)));
        let finish = record.finish + record.idle;
        if record.stage == self.last_stage && finish - Cycle::START != *accounted {
            let imbalance =
                ImbalanceError::Process { process: record.process, finish, accounted: *accounted };
            self.imbalance.get_or_insert(imbalance);
        }
    }
}

/// The accounts of processes that compute in every stage.
impl Observer for Accounts {
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "a call for each record costs as much as its work")]
    fn stage_finished(&mut self, record: &StageRecord) {
        self.add(record.process, record, self.compute);
    }
}

/// Accounts and summary of a run, made from the records of all processes.
#[derive(Debug)]
pub(crate) struct Ledger<'run> {
    program: &'run dyn Program,
    summary: Summary,
    accounts: Accounts,
}

impl<'run> Ledger<'run> {
    pub(crate) fn new(program: &'run dyn Program) -> Self {
        Self::of_part(program, usize::try_from(program.process_count()).unwrap_or(usize::MAX))
    }

    /// A ledger for `processes` of the processes of a program.
    pub(crate) fn of_part(program: &'run dyn Program, processes: usize) -> Self {
        let begins = std::iter::repeat_n(Cycle::START, processes);
        let last_stage = program.stage_count() - 1;
        Self {
            program,
            summary: Summary::of_program(program),
            accounts: Accounts::new(begins, program.facts().compute, last_stage),
        }
    }

    /// Returns the summary of the run.
    ///
    /// # Errors
    ///
    /// If the times of a process do not add up.
    pub(crate) fn close(self) -> Result<Summary, ImbalanceError> {
        let (summary, imbalance) = self.part();
        imbalance.map_or(Ok(()), Err)?;
        summary.check_balance()?;
        Ok(summary)
    }

    /// Returns the summary of the processes of this ledger, and the first imbalance, with which the summary
    /// must not be used.
    pub(crate) fn part(self) -> (Summary, Option<ImbalanceError>) {
        (self.summary, self.accounts.imbalance)
    }
}

impl Ledger<'_> {
    /// Adds the record of the process with this index.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "a call for each record costs as much as its work")]
    pub(crate) fn add(&mut self, index: ProcessId, record: &StageRecord) {
        self.summary.add_stage(record, 1);
        self.accounts.add(index, record, self.program.computation(record.stage, record.process));
        if record.stage == self.accounts.last_stage {
            self.summary.add_finish(record.finish + record.idle, 1);
        }
    }
}

/// A ledger of all processes, whose indices are their labels.
impl Observer for Ledger<'_> {
    #[inline]
    fn stage_finished(&mut self, record: &StageRecord) {
        self.add(record.process, record);
    }

    #[inline]
    fn prefetch(&self, process: ProcessId) {
        self.accounts.prefetch(process);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CubeProgram, StageTotals};
    use cubefold_mapping::Hypercube;

    fn program() -> CubeProgram {
        let cube = Hypercube::new(1).unwrap();
        CubeProgram::new(cube, CubeProgram::ascend(cube), Cycles::new(10)).unwrap()
    }

    fn record(process: u32, ready: u64, start: u64, finish: u64, transfer: u64) -> StageRecord {
        StageRecord::plain(ProcessId::new(process), 0, [ready, start, finish], transfer)
    }

    #[test]
    fn times_are_summed_and_balance() {
        let program = program();
        let mut ledger = Ledger::new(&program);
        ledger.stage_finished(&record(0, 10, 10, 13, 3));
        ledger.stage_finished(&record(1, 10, 14, 19, 4));
        let summary = ledger.close().unwrap();
        assert_eq!(summary.totals(), StageTotals { sharing: 0, waiting: 4, transfer: 7, blocked: 1 });
        assert_eq!((summary.makespan(), summary.idle_at_end(), summary.compute()), (Cycle::new(19), 6, 20));
    }

    #[test]
    fn a_process_that_finishes_late_without_a_reason_is_an_imbalance() {
        let program = program();
        let mut ledger = Ledger::new(&program);
        ledger.stage_finished(&record(0, 10, 10, 13, 3));
        ledger.stage_finished(&record(1, 11, 11, 14, 3));
        let imbalance = ledger.close().unwrap_err();
        assert_eq!(imbalance.to_string(), "process 1 finished at cycle 14, but its times add up to 13");
    }

    #[test]
    fn parts_of_a_run_add_up() {
        let (mut one, mut other) = (Summary::new(2, 1, Cycles::new(10)), Summary::new(2, 1, Cycles::new(10)));
        one.add_stage(&record(0, 10, 10, 13, 3), 1);
        one.add_finish(Cycle::new(13), 1);
        other.add_stage(&record(1, 10, 14, 19, 4), 1);
        other.add_finish(Cycle::new(19), 1);
        one.add(&other);
        assert_eq!(one.totals(), StageTotals { sharing: 0, waiting: 4, transfer: 7, blocked: 1 });
        assert_eq!((one.makespan(), one.idle_at_end()), (Cycle::new(19), 6));
        assert_eq!((one.waiting().count(), one.blocked().max()), (2, 1));
    }

    #[test]
    fn the_words_of_a_summary_say_all_of_it() {
        let mut part = Summary::new(2, 1, Cycles::new(10));
        part.add_stage(&record(0, 10, 1_000_010, 1_000_013, 3), 1);
        part.add_stage(&record(1, 10, 14, 19, 4), 3);
        part.add_finish(Cycle::new(u64::MAX >> 1), 1 << 40);
        let mut words = vec![];
        part.write(&mut words);
        let mut left = words.iter().copied();
        let read = Summary::new(2, 1, Cycles::new(10)).read(&mut left).unwrap();
        assert_eq!(left.next(), None);
        let mut again = vec![];
        read.write(&mut again);
        assert_eq!(again, words);
        assert_eq!((read.totals(), read.makespan()), (part.totals(), part.makespan()));
        assert_eq!((read.waiting().max(), read.waiting().sum()), (1_000_000, 1_000_012));
    }
}
