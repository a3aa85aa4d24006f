//! The summary of a run: sums and distributions over its processes and stages.

use super::distribution::{read_sum, write_sum};
use crate::{Cycle, Cycles, Distribution, ImbalanceError, Program, StageRecord};

/// Sums over the records of a run, without data of single processes.
#[derive(Debug, Clone)]
pub struct Summary {
    processes: u64,
    compute: u128, // all computations together [cycles]
    stages: Vec<StageTotals>,
    waiting: Distribution,
    blocked: Distribution,
    makespan: Cycle,
    overlapped: u128,        // the sum of all overlapped parts of transfers [cycles]
    overhead: u128,          // the sum of all costs of messages [cycles]
    idle: u128,              // the sum of all idle times within stages [cycles]
    finishes: u128,          // the sum of all processes' last finishes [cycles]
    durations: Option<u128>, // the sum of the times of all actors of a job [cycles]
}

/// Sums over the processes of one stage \[cycles\].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct StageTotals {
    /// Time in which processes waited for their processors.
    pub sharing: u128,
    /// Time in which processes waited for their partners.
    pub waiting: u128,
    /// Time of the awaited messages without contention.
    pub transfer: u128,
    /// Time in which other messages blocked these.
    pub blocked: u128,
}

impl Summary {
    /// An empty summary for `processes` processes that compute for `compute` in each of `stages` stages.
    pub(crate) fn new(processes: u64, stages: usize, compute: Cycles) -> Self {
        Self {
            processes,
            compute: u128::from(compute.get()) * stages as u128 * u128::from(processes),
            stages: vec![StageTotals::default(); stages],
            waiting: Distribution::new(),
            blocked: Distribution::new(),
            makespan: Cycle::START,
            overlapped: 0,
            overhead: 0,
            idle: 0,
            finishes: 0,
            durations: None,
        }
    }

    pub(crate) fn of_program(program: &dyn Program) -> Self {
        let all = Self::new(program.process_count(), program.stage_count(), program.facts().compute);
        Self { compute: program.facts().total_compute, ..all }
    }

    /// An empty summary for processes with this total of computations \[cycles\].
    pub(crate) fn of_computations(processes: u64, stages: usize, compute: u128) -> Self {
        Self { compute, ..Self::new(processes, stages, Cycles::ZERO) }
    }

    /// Adds the record of a stage for `count` processes with equal times.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "a call for each record costs as much as its work")]
    pub(crate) fn add_stage(&mut self, record: &StageRecord, count: u64) {
        let (waiting, blocked) = (record.waiting(), record.blocked());
        let times = |cycles: Cycles| u128::from(cycles.get()) * u128::from(count);
        let stage = &mut self.stages[record.stage];
        stage.transfer += times(record.transfer);
        // Most other values are 0.
        for (sum, cycles) in [
            (&mut stage.sharing, record.sharing),
            (&mut stage.waiting, waiting),
            (&mut stage.blocked, blocked),
            (&mut self.idle, record.idle),
            (&mut self.overhead, record.overhead),
            (&mut self.overlapped, record.overlapped),
        ] {
            if cycles > Cycles::ZERO {
                *sum += times(cycles);
            }
        }
        self.waiting.record_many(waiting.get(), count);
        self.blocked.record_many(blocked.get(), count);
    }

    /// Adds a record `count` more times to the distributions, for stages whose sums [`Summary::copy_stage`]
    /// adds. The processes must neither be idle nor have overlapped messages.
    #[inline]
    pub(crate) fn add_repetitions(&mut self, record: &StageRecord, count: u64) {
        if count > 0 {
            self.waiting.record_many(record.waiting().get(), count);
            self.blocked.record_many(record.blocked().get(), count);
        }
    }

    /// Copies the sums of a stage to the next `count` stages.
    pub(crate) fn copy_stage(&mut self, stage: usize, count: usize) {
        let sums = self.stages[stage];
        self.stages[stage + 1..=stage + count].fill(sums);
    }

    /// Adds a stage of many processes, none of which shared a processor or was idle: the number of processes
    /// for each waiting and blocked time, and the sum of their transfers \[cycles\].
    pub(crate) fn add_counts(
        &mut self,
        stage: usize,
        waiting: impl Iterator<Item = (u64, u64)>,
        blocked: impl Iterator<Item = (u64, u64)>,
        transfer: u64,
    ) {
        let stage = &mut self.stages[stage];
        stage.transfer += u128::from(transfer);
        for (cycles, count) in waiting {
            stage.waiting += u128::from(cycles) * u128::from(count);
            self.waiting.record_many(cycles, count);
        }
        for (cycles, count) in blocked {
            stage.blocked += u128::from(cycles) * u128::from(count);
            self.blocked.record_many(cycles, count);
        }
    }

    #[inline]
    pub(crate) fn add_finish(&mut self, finish: Cycle, count: u64) {
        self.makespan = self.makespan.max(finish);
        self.finishes += u128::from(finish.get()) * u128::from(count);
    }

    /// Adds another part of the same run.
    pub(crate) fn add(&mut self, other: &Self) {
        for (sums, others) in self.stages.iter_mut().zip(&other.stages) {
            *sums = sums.and(*others);
        }
        self.waiting.add(&other.waiting);
        self.blocked.add(&other.blocked);
        self.makespan = self.makespan.max(other.makespan);
        self.idle += other.idle;
        self.overhead += other.overhead;
        self.overlapped += other.overlapped;
        self.finishes += other.finishes;
    }

    /// Appends a part of a run as words, which [`Summary::read`] reads back.
    pub(crate) fn write(&self, words: &mut Vec<u64>) {
        for stage in &self.stages {
            for sum in [stage.sharing, stage.waiting, stage.transfer, stage.blocked] {
                write_sum(sum, words);
            }
        }
        self.waiting.write(words);
        self.blocked.write(words);
        words.push(self.makespan.get());
        for sum in [self.overlapped, self.idle, self.finishes] {
            write_sum(sum, words);
        }
    }

    /// Reads another part of the same run from the words of [`Summary::write`]; `None` for other words.
    pub(crate) fn read(&self, words: &mut impl Iterator<Item = u64>) -> Option<Self> {
        let mut part = Self::of_computations(self.processes, self.stages.len(), self.compute);
        for stage in &mut part.stages {
            for sum in [&mut stage.sharing, &mut stage.waiting, &mut stage.transfer, &mut stage.blocked] {
                *sum = read_sum(words)?;
            }
        }
        part.waiting = Distribution::read(words)?;
        part.blocked = Distribution::read(words)?;
        part.makespan = Cycle::new(words.next()?);
        for sum in [&mut part.overlapped, &mut part.idle, &mut part.finishes] {
            *sum = read_sum(words)?;
        }
        Some(part)
    }

    /// Checks that the finish times of all processes equal the sum of all their times (`docs/model.md`
    /// section 5).
    ///
    /// # Errors
    ///
    /// If they do not. The results of such a run must not be used.
    pub(crate) fn check_balance(&self) -> Result<(), ImbalanceError> {
        let StageTotals { sharing, waiting, transfer, blocked } = self.totals();
        let accounted = self.compute() + sharing + waiting + transfer + blocked + self.idle + self.overhead;
        let finishes = self.durations.unwrap_or(self.finishes);
        if finishes == accounted { Ok(()) } else { Err(ImbalanceError::Sum { finishes, accounted }) }
    }

    /// The sum of the times in which cores were busy with messages \[cycles\].
    #[must_use]
    pub fn overhead(&self) -> u128 {
        self.overhead
    }

    /// Sets the number of ranks of a job, whose finishes were added, and the sum of the times of its actors, which the
    /// records account for \[cycles\].
    pub(crate) fn set_durations(&mut self, ranks: u64, durations: u128) {
        (self.processes, self.durations) = (ranks, Some(durations));
    }

    /// Sets the makespan and the sum of all finish times, if they are not added process by process.
    pub(crate) fn set_finishes(&mut self, makespan: Cycle, sum: u128) {
        (self.makespan, self.finishes) = (makespan, sum);
    }

    /// Sums by stage.
    #[must_use]
    pub fn stages(&self) -> &[StageTotals] {
        &self.stages
    }

    /// The sums over all stages.
    #[must_use]
    pub fn totals(&self) -> StageTotals {
        self.stages.iter().fold(StageTotals::default(), |sum, stage| sum.and(*stage))
    }

    /// Total computation \[cycles\].
    #[must_use]
    pub fn compute(&self) -> u128 {
        self.compute
    }

    /// The waiting of single (process, stage) pairs \[cycles\].
    #[must_use]
    pub fn waiting(&self) -> &Distribution {
        &self.waiting
    }

    /// The blocked times of single (process, stage) pairs \[cycles\].
    #[must_use]
    pub fn blocked(&self) -> &Distribution {
        &self.blocked
    }

    /// Total transfer time before destinations were ready \[cycles\].
    #[must_use]
    pub fn overlapped(&self) -> u128 {
        self.overlapped
    }

    /// The cycle at which the last process finished.
    #[must_use]
    pub fn makespan(&self) -> Cycle {
        self.makespan
    }

    /// The sum of the last finishes of all processes \[cycles\].
    #[must_use]
    pub fn finishes(&self) -> u128 {
        self.finishes
    }

    /// Total time from each process's finish to the makespan \[cycles\].
    #[must_use]
    pub fn idle_at_end(&self) -> u128 {
        u128::from(self.makespan.get()) * u128::from(self.processes) - self.finishes
    }
}

impl StageTotals {
    /// Adds the sums of both.
    fn and(self, other: Self) -> Self {
        Self {
            sharing: self.sharing + other.sharing,
            waiting: self.waiting + other.waiting,
            transfer: self.transfer + other.transfer,
            blocked: self.blocked + other.blocked,
        }
    }
}
