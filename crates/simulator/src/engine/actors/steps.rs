//! Steps at ranks: their starts, ends and successors.

use cubefold_mapping::ProcessId;
use cubefold_topology::narrow;

use super::Actors;
use crate::{Cycle, Cycles, StepRecord};

/// A step at a rank, in the iteration of the rank.
#[derive(Debug, Clone, Copy)]
pub(super) struct StepAtRank {
    pub(super) begin: Cycle,
    required: u32,          // steps that are not over yet
    pub(super) shares: u32, // that are not over yet
}

/// The steps of ranks before the first iteration, by step, then by rank, given those that come after each.
pub(super) fn at_ranks(followers: &[Vec<u32>], ranks: u32) -> Vec<StepAtRank> {
    let mut required = vec![0; followers.len()];
    followers.iter().flatten().for_each(|&step| required[step as usize] += 1);
    let of_step = |required| {
        std::iter::repeat_n(StepAtRank { begin: Cycle::START, required, shares: 0 }, ranks as usize)
    };
    required.into_iter().flat_map(of_step).collect()
}

impl Actors<'_> {
    pub(super) fn step_at(&mut self, step: u32, rank: u32) -> &mut StepAtRank {
        &mut self.at_ranks[step as usize * self.ranks as usize + rank as usize]
    }

    /// Begins the steps without predecessors at a rank.
    pub(super) fn begin_iteration(&mut self, rank: u32) {
        for step in 0..narrow(self.job.steps().len() as u64) {
            if self.step_at(step, rank).required == 0 {
                self.beginning.push((step, rank));
            }
        }
    }

    pub(super) fn begin_step(&mut self, step: u32, rank: u32, now: Cycle) {
        let job_step = &self.job.steps()[step as usize];
        self.step_at(step, rank).begin = now;
        let computation = job_step.computation();
        if !job_step.has_rank(rank) || computation == Some(Cycles::ZERO) {
            self.end_step(step, rank, now);
            return;
        }
        let (shares, iteration) = (job_step.share_count(), self.iterations[rank as usize] as usize);
        self.step_at(step, rank).shares = shares;
        let stage = narrow(self.job.first_stage(iteration, step as usize) as u64);
        for share in 0..shares {
            let actor = self.firsts[step as usize] + share * self.ranks + rank;
            self.begun[actor as usize] = now;
            self.accounted[actor as usize] = Cycles::ZERO;
            self.progress.begin_at(ProcessId::new(actor), stage);
            if computation.is_some() {
                self.processors.request(ProcessId::new(self.first_computing[step as usize] + rank), now);
            } else {
                self.starting.push(actor);
            }
        }
    }

    /// A step ends at a rank, which may let others begin.
    pub(super) fn end_step(&mut self, step: u32, rank: u32, now: Cycle) {
        let iteration = self.iterations[rank as usize];
        let begin = self.step_at(step, rank).begin;
        if self.job.steps()[step as usize].has_rank(rank) {
            self.activity.step_ends(self.activity.place(iteration, step), begin, now);
        }
        self.observer.step_finished(&StepRecord { iteration, step, rank, begin, finish: now });
        for place in 0..self.followers[step as usize].len() {
            let next = self.followers[step as usize][place];
            let state = self.step_at(next, rank);
            state.required -= 1;
            if state.required == 0 {
                self.beginning.push((next, rank));
            }
        }
        self.left[rank as usize] -= 1;
        if self.left[rank as usize] == 0 {
            self.end_iteration(rank, now);
        }
    }

    /// An iteration ends at a rank, which begins the next or finishes.
    fn end_iteration(&mut self, rank: u32, now: Cycle) {
        self.iterations[rank as usize] += 1;
        if self.iterations[rank as usize] as usize == self.job.iterations() {
            self.unfinished -= 1;
            self.summary.add_finish(now, 1);
            self.activity.rank_ends(rank, now);
            let elapsed = u128::from((now - Cycle::START).get());
            self.exposed += elapsed.saturating_sub(self.job.computations_of(rank));
            return;
        }
        self.left[rank as usize] = narrow(self.job.steps().len() as u64);
        for step in 0..self.followers.len() {
            for place in 0..self.followers[step].len() {
                let next = self.followers[step][place];
                self.step_at(next, rank).required += 1;
            }
        }
        self.begin_iteration(rank);
    }
}
