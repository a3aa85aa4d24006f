//! What a run comes to: sums, distributions, and the identity that they must satisfy.

use crate::{Cycle, Cycles, Distribution, Observer, StageRecord};

/// Sums over the records of a run.
#[derive(Debug, Clone)]
pub struct Summary {
    compute: Cycles,
    stages: Vec<StageTotals>,
    waiting: Distribution,
    blocked: Distribution,
    accounted: Vec<Cycles>,     // by process: the sum of all that its time went to
    finishes: Vec<Cycle>,       // by process: the end of its last stage so far
    together: Option<Together>, // of processes that are not told apart; then the two before are empty
}

/// Processes of which only sums are known.
#[derive(Debug, Clone, Copy)]
struct Together {
    processes: u64,
    accounted: u128, // the sum of all that their time went to
    finish: Cycle,   // of every one
}

/// What one process's time in a stage went to, computing apart \[cycles\].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct StageTimes {
    /// Waiting for the processor.
    pub sharing: Cycles,
    /// Waiting for partners.
    pub waiting: Cycles,
    /// Unhindered travel of the message that it waits for.
    pub transfer: Cycles,
    /// That message held up by others.
    pub blocked: Cycles,
    /// The end of a stage in which nothing is received.
    pub idle: Cycles,
}

/// Sums over the processes of one stage \[cycles\].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct StageTotals {
    /// Waiting for the processor.
    pub sharing: u128,
    /// Waiting for partners.
    pub waiting: u128,
    /// Unhindered travel of the messages that processes wait for.
    pub transfer: u128,
    /// Held up by other messages.
    pub blocked: u128,
}

/// A process whose times do not add up: a defect of the simulator, never of the input.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("process {process} finished at cycle {finish}, but its times add up to {accounted}")]
pub struct ImbalanceError {
    /// The first such process; 0 where only the sum over all processes is known.
    pub process: usize,
    /// When it finished.
    pub finish: Cycle,
    /// The sum of its compute, sharing, waiting, transfer and blocked times.
    pub accounted: Cycles,
}

impl Summary {
    /// Of no records yet, for `processes` processes that compute for `compute` in each of `stages` stages.
    #[must_use]
    pub fn new(processes: usize, stages: usize, compute: Cycles) -> Self {
        Self {
            compute,
            stages: vec![StageTotals::default(); stages],
            waiting: Distribution::new(),
            blocked: Distribution::new(),
            accounted: vec![Cycles::ZERO; processes],
            finishes: vec![Cycle::START; processes],
            together: None,
        }
    }

    /// Of nothing yet, for processes that are not told apart and finish together: nothing is held for each.
    #[must_use]
    pub fn together(processes: u64, stages: usize, compute: Cycles) -> Self {
        let together = Together { processes, accounted: 0, finish: Cycle::START };
        Self { together: Some(together), ..Self::new(0, stages, compute) }
    }

    /// Adds a stage of `processes` processes that spent it in the same way.
    pub fn add_many(&mut self, stage: usize, times: StageTimes, processes: u64) {
        let all = |each: Cycles| u128::from(each.get()) * u128::from(processes);
        let totals = &mut self.stages[stage];
        totals.sharing += all(times.sharing);
        totals.waiting += all(times.waiting);
        totals.transfer += all(times.transfer);
        totals.blocked += all(times.blocked);
        self.waiting.record_many(times.waiting.get(), processes);
        self.blocked.record_many(times.blocked.get(), processes);
        if let Some(together) = &mut self.together {
            let own = times.sharing + times.waiting + times.transfer + times.blocked + times.idle;
            together.accounted += all(self.compute + own);
        }
    }

    /// All processes have finished at once.
    pub fn finish_together(&mut self, finish: Cycle) {
        if let Some(together) = &mut self.together {
            together.finish = finish;
        }
    }

    /// Checks that every process's finish is the sum of all that its time went to
    /// (`docs/model.md` section 5).
    ///
    /// # Errors
    ///
    /// When one's is not. The results of such a run must not be used.
    pub fn check_balance(&self) -> Result<(), ImbalanceError> {
        if let Some(Together { processes, accounted, finish }) = self.together
            && accounted != u128::from(finish.get()) * u128::from(processes)
        {
            let mean = u64::try_from(accounted / u128::from(processes.max(1))).unwrap_or(u64::MAX);
            return Err(ImbalanceError { process: 0, finish, accounted: Cycles::new(mean) });
        }
        let mut accounts = self.finishes.iter().zip(&self.accounted).enumerate();
        match accounts.find(|(_, (finish, accounted))| **finish - Cycle::START != **accounted) {
            Some((process, (&finish, &accounted))) => Err(ImbalanceError { process, finish, accounted }),
            None => Ok(()),
        }
    }

    /// The sums, stage by stage.
    #[must_use]
    pub fn stages(&self) -> &[StageTotals] {
        &self.stages
    }

    /// The sums over all stages.
    #[must_use]
    pub fn totals(&self) -> StageTotals {
        self.stages.iter().fold(StageTotals::default(), |sum, stage| StageTotals {
            sharing: sum.sharing + stage.sharing,
            waiting: sum.waiting + stage.waiting,
            transfer: sum.transfer + stage.transfer,
            blocked: sum.blocked + stage.blocked,
        })
    }

    /// All computations together \[cycles\].
    #[must_use]
    pub fn compute(&self) -> u128 {
        let processes = self.together.map_or(self.finishes.len() as u64, |together| together.processes);
        u128::from(self.compute.get()) * self.stages.len() as u128 * u128::from(processes)
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

    /// When each process finished; empty where they are not told apart.
    #[must_use]
    pub fn finishes(&self) -> &[Cycle] {
        &self.finishes
    }

    /// When the last process finished.
    #[must_use]
    pub fn makespan(&self) -> Cycle {
        let together = self.together.map(|together| together.finish);
        self.finishes.iter().copied().max().or(together).unwrap_or(Cycle::START)
    }

    /// All times from a process's finish to the makespan together \[cycles\].
    #[must_use]
    pub fn idle_at_end(&self) -> u128 {
        let makespan = self.makespan();
        self.finishes.iter().map(|&finish| u128::from((makespan - finish).get())).sum()
    }
}

impl Observer for Summary {
    fn stage_finished(&mut self, record: &StageRecord) {
        let (waiting, blocked) = (record.waiting(), record.blocked());
        let stage = &mut self.stages[record.stage];
        stage.sharing += u128::from(record.sharing.get());
        stage.waiting += u128::from(waiting.get());
        stage.transfer += u128::from(record.transfer.get());
        stage.blocked += u128::from(blocked.get());
        self.waiting.record(waiting.get());
        self.blocked.record(blocked.get());
        let process = record.process.label() as usize;
        self.accounted[process] +=
            self.compute + record.sharing + waiting + record.transfer + blocked + record.idle;
        self.finishes[process] = record.finish + record.idle;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cubefold_mapping::ProcessId;

    fn record(process: u32, ready: u64, start: u64, finish: u64, transfer: u64) -> StageRecord {
        StageRecord {
            process: ProcessId::new(process),
            stage: 0,
            sharing: Cycles::ZERO,
            ready: Cycle::new(ready),
            start: Cycle::new(start),
            finish: Cycle::new(finish),
            transfer: Cycles::new(transfer),
            idle: Cycles::ZERO,
        }
    }

    #[test]
    fn times_are_summed_and_balance() {
        let mut summary = Summary::new(2, 1, Cycles::new(10));
        summary.stage_finished(&record(0, 10, 10, 13, 3));
        summary.stage_finished(&record(1, 10, 14, 19, 4));
        assert_eq!(summary.totals(), StageTotals { sharing: 0, waiting: 4, transfer: 7, blocked: 1 });
        assert_eq!((summary.makespan(), summary.idle_at_end(), summary.compute()), (Cycle::new(19), 6, 20));
        assert_eq!(summary.check_balance(), Ok(()));
    }

    #[test]
    fn a_process_that_finishes_late_without_a_reason_is_an_imbalance() {
        let mut summary = Summary::new(1, 1, Cycles::new(10));
        summary.stage_finished(&record(0, 11, 11, 14, 3));
        let imbalance = summary.check_balance().unwrap_err();
        assert_eq!(imbalance.to_string(), "process 0 finished at cycle 14, but its times add up to 13");
    }
}
