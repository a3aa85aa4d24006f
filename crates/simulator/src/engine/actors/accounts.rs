//! The ends of stages, and the accounts of the actors' time.

use cubefold_mapping::ProcessId;

use super::Actors;
use crate::{
    Cycle, Cycles, Detail, DetailList, ImbalanceError, JobTimes, Program, SimulationError, StageRecord,
    Summary, program::job::StepStage,
};

impl Actors<'_> {
    /// The sums of the run.
    ///
    /// # Errors
    ///
    /// If a rank did not finish, or times do not add up.
    pub(super) fn close(mut self) -> Result<(Summary, JobTimes), SimulationError> {
        if let Some(rank) = self.unfinished_rank() {
            return Err(SimulationError::Unfinished { process: ProcessId::new(rank) });
        }
        self.imbalance.map_or(Ok(()), Err)?;
        self.summary.set_durations(self.job.rank_count(), self.durations);
        self.summary.check_balance()?;
        if self.observer.wants(Detail::RankSpans) {
            let spans = self.activity.take_spans(self.summary.makespan());
            self.observer.details_finished(DetailList::RankSpans(spans));
        }
        let (steps, by_rank) = self.activity.close(self.summary.makespan());
        Ok((self.summary, JobTimes { steps, by_rank, exposed: self.exposed, late: self.late }))
    }

    /// A stage ends for an actor, which begins the next or finishes.
    pub(super) fn finish_stage(&mut self, actor: u32, now: Cycle) {
        let (step, process) = self.locate(actor);
        let overhead = self.cores.as_ref().map_or(Cycles::ZERO, |cores| cores.overhead(actor));
        let of_actor = self.progress.record(ProcessId::new(actor), now, overhead);
        let sharing = match self.job.steps()[step as usize].computation() {
            Some(_) => {
                self.processors.sharing(ProcessId::new(self.first_computing[step as usize] + process.label()))
            }
            None => Cycles::ZERO,
        };
        let record = StageRecord { process, sharing, ..of_actor };
        self.account(actor, &record);
        let StepStage { within, .. } = self.job.locate(record.stage);
        if within + 1 < self.job.steps()[step as usize].stage_count() {
            self.starting.push(actor);
            return;
        }
        self.check(actor, process, now);
        let rank = process.label() % self.ranks;
        let at_rank = self.step_at(step, rank);
        at_rank.shares -= 1;
        if at_rank.shares == 0 {
            self.end_step(step, rank, now);
        }
    }

    /// Adds the parts of an actor's time in a stage.
    fn account(&mut self, actor: u32, record: &StageRecord) {
        let computation = self.job.computation(record.stage, record.process);
        let accounted = &mut self.accounted[actor as usize];
        *accounted = Cycles::new(accounted.get().wrapping_add(record.spent(computation)));
        self.summary.add_stage(record, 1);
        self.observer.stage_finished(record);
    }

    /// Checks that the time of a finished actor is accounted for.
    fn check(&mut self, actor: u32, process: ProcessId, now: Cycle) {
        let (begun, accounted) = (self.begun[actor as usize], self.accounted[actor as usize]);
        self.durations += u128::from((now - begun).get());
        if now - begun != accounted {
            let imbalance = ImbalanceError::Process { process, finish: now, accounted };
            self.imbalance.get_or_insert(imbalance);
        }
    }
}
