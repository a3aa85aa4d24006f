//! The activity of the ranks of a job at every cycle, and the part of each step that computations hide (`docs/model.md` section 23.6).
//!
//! The state of a rank changes when a computation step of it begins or ends, when a step of messages becomes active or idle at
//! it, and when it is over. Between two changes its cycles belong to one part. Invariant: the parts of a rank add up to
//! the cycle of its last change.

use std::{cmp::Reverse, collections::BTreeMap};

use cubefold_topology::narrow;

use crate::{Cycle, Job, RankPart, RankSpan, RankTime, StepTimes};

/// The most computation steps that a step of messages names.
const MAX_BEHIND: usize = 16;

/// A step in an iteration: the place of its times, by iteration, then by step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct StepPlace {
    pub(super) step: u32,
    pub(super) place: u32, // below iterations times steps
}

/// The state of every rank, and the sums over ranks of every step.
pub(super) struct RankActivity<'job> {
    job: &'job Job,
    ranks: Vec<RankState>,
    sums: Vec<StepSums>,             // by iteration, then by step
    takes_part: Vec<bool>,           // by step, then by rank, whether it computes, sends or receives
    behind: BTreeMap<[u32; 2], u64>, // by place and computation step, the cycles in which both run at a rank
    spans: Option<Vec<RankSpan>>,    // the activities of ranks, if requested
}

/// A rank since its last change.
#[derive(Debug, Clone, Default)]
struct RankState {
    since: Cycle,
    computing: Option<u32>, // the computation step that runs
    iteration: u32,         // in which it runs
    at_work: Vec<[u32; 2]>, // places of steps, each with its messages and computing actors, at least one
    is_over: bool,
    time: RankTime,
}

/// A step over all ranks.
#[derive(Debug, Clone, Copy)]
struct StepSums {
    begin: Cycle, // of the first activity, `u64::MAX` without one
    finish: Cycle,
    idle: [Cycle; 2], // start and finish over the ranks of `only`, idle ones included
    exposed: u128,
    hidden: u128,
}

impl<'job> RankActivity<'job> {
    /// Bytes of a step in an iteration, roughly.
    pub(super) const BYTES_A_STEP: u64 = (size_of::<StepSums>() + size_of::<StepTimes>() + 128) as u64;

    /// Bytes of a rank, roughly, without the mark of each step.
    pub(super) const BYTES_A_RANK: u64 = (size_of::<RankState>() + 64) as u64;

    /// The ranks of a job before its start; lists their activities if requested.
    pub(super) fn new(job: &'job Job, wants_spans: bool) -> Self {
        let ranks = usize::try_from(job.rank_count()).unwrap_or(usize::MAX);
        let never = Cycle::new(u64::MAX);
        let sums = StepSums {
            begin: never,
            finish: Cycle::START,
            idle: [never, Cycle::START],
            exposed: 0,
            hidden: 0,
        };
        Self {
            job,
            ranks: vec![RankState::default(); ranks],
            sums: vec![sums; job.steps().len() * job.iterations()],
            takes_part: vec![false; job.steps().len() * ranks],
            behind: BTreeMap::new(),
            spans: wants_spans.then(Vec::new),
        }
    }

    /// Takes the list of activities, by rank and time.
    pub(super) fn take_spans(&mut self, makespan: Cycle) -> Vec<RankSpan> {
        self.pass_time_of_all(makespan);
        let mut spans = self.spans.take().unwrap_or_default();
        spans.sort_unstable_by_key(|span| (span.rank, span.from));
        spans.dedup_by(|next, span| {
            let is_same =
                (span.rank, span.part, span.step, span.to) == (next.rank, next.part, next.step, next.from);
            if is_same {
                span.to = next.to;
            }
            is_same
        });
        spans
    }

    pub(super) fn place(&self, iteration: u32, step: u32) -> StepPlace {
        StepPlace { step, place: iteration * narrow(self.job.steps().len() as u64) + step }
    }

    /// A computation step gets the processor of a rank.
    pub(super) fn computation_begins(&mut self, step: u32, iteration: u32, rank: u32, now: Cycle) {
        self.pass_time(rank, now);
        let activity = &mut self.ranks[rank as usize];
        (activity.computing, activity.iteration) = (Some(step), iteration);
    }

    /// The computation step of a rank is over.
    pub(super) fn computation_ends(&mut self, rank: u32, now: Cycle) {
        self.pass_time(rank, now);
        self.ranks[rank as usize].computing = None;
    }

    /// A message of a step, or the computation of an actor in it, begins at a rank.
    pub(super) fn begins(&mut self, at: StepPlace, rank: u32, now: Cycle) {
        let at_work = &mut self.ranks[rank as usize].at_work;
        if let Some(known) = at_work.iter_mut().find(|known| known[0] == at.place) {
            known[1] += 1;
            return;
        }
        self.pass_time(rank, now);
        self.ranks[rank as usize].at_work.push([at.place, 1]);
    }

    /// A message of a step, or the computation of an actor in it, is over at a rank.
    pub(super) fn ends(&mut self, at: StepPlace, rank: u32, now: Cycle) {
        let at_work = &mut self.ranks[rank as usize].at_work;
        let Some(found) = at_work.iter().position(|known| known[0] == at.place) else { return };
        at_work[found][1] -= 1;
        if at_work[found][1] == 0 {
            self.pass_time(rank, now);
            self.ranks[rank as usize].at_work.swap_remove(found);
        }
    }

    /// An actor of a rank begins to compute, or to send.
    pub(super) fn acts_from(&mut self, at: StepPlace, now: Cycle) {
        let sums = &mut self.sums[at.place as usize];
        sums.begin = sums.begin.min(now);
    }

    /// An actor of a rank has computed, sends or receives in a stage, which is not over before.
    pub(super) fn acts_until(&mut self, at: StepPlace, rank: u32, now: Cycle) {
        let sums = &mut self.sums[at.place as usize];
        sums.finish = sums.finish.max(now);
        self.takes_part[at.step as usize * self.ranks.len() + rank as usize] = true;
    }

    /// A step is over at a rank that is among its ranks.
    pub(super) fn step_ends(&mut self, at: StepPlace, begin: Cycle, now: Cycle) {
        let [first, last] = &mut self.sums[at.place as usize].idle;
        (*first, *last) = ((*first).min(begin), (*last).max(now));
    }

    /// A rank finishes with its last step.
    pub(super) fn rank_ends(&mut self, rank: u32, now: Cycle) {
        self.pass_time(rank, now);
        self.ranks[rank as usize].is_over = true;
    }

    fn rank_count(&self) -> u32 {
        narrow(self.ranks.len() as u64)
    }

    fn pass_time_of_all(&mut self, now: Cycle) {
        (0..self.rank_count()).for_each(|rank| self.pass_time(rank, now));
    }

    /// Counts the cycles of a rank since its last change.
    fn pass_time(&mut self, rank: u32, now: Cycle) {
        let state = &mut self.ranks[rank as usize];
        let since = std::mem::replace(&mut state.since, now);
        let cycles = (now - since).get();
        if cycles == 0 {
            return;
        }
        let part = match (state.computing, state.at_work.is_empty(), state.is_over) {
            (Some(_), ..) => &mut state.time.computation,
            (None, false, _) => &mut state.time.communication,
            (None, true, false) => &mut state.time.bubble,
            (None, true, true) => &mut state.time.done,
        };
        *part += cycles;
        if let Some(spans) = &mut self.spans {
            let steps = narrow(self.job.steps().len() as u64);
            let at_work = state.at_work.iter().map(|at_work| at_work[0]).min();
            let (part, step) = match (state.computing, at_work) {
                (Some(step), _) => (RankPart::Computation, Some(state.iteration * steps + step)),
                (None, Some(place)) => (RankPart::Communication, Some(place)),
                (None, None) => (RankPart::Bubble, None),
            };
            if part != RankPart::Bubble || !state.is_over {
                spans.push(RankSpan { rank, part, step, from: since, to: now });
            }
        }
        for &[place, _] in &state.at_work {
            let sums = &mut self.sums[place as usize];
            match state.computing {
                Some(computation) => {
                    sums.hidden += u128::from(cycles);
                    *self.behind.entry([place, computation]).or_default() += cycles;
                }
                None => sums.exposed += u128::from(cycles),
            }
        }
    }

    /// The times of all steps, and of all ranks up to the makespan.
    pub(super) fn close(mut self, makespan: Cycle) -> (Vec<StepTimes>, Vec<RankTime>) {
        self.pass_time_of_all(makespan);
        let steps = self.job.steps();
        let mut behind: Vec<Vec<(u64, u32)>> = vec![vec![]; self.sums.len()];
        for (&[place, computation], &cycles) in &self.behind {
            behind[place as usize].push((cycles, computation));
        }
        let members: Vec<(u32, u32)> = steps
            .iter()
            .zip(self.takes_part.chunks(self.ranks.len().max(1)))
            .map(|(step, takes_part)| {
                let all = (0..self.rank_count()).filter(|&rank| step.has_rank(rank)).count();
                let active = takes_part.iter().filter(|is_active| **is_active).count();
                (narrow(all as u64), narrow(active as u64))
            })
            .collect();
        let times = |(place, sums): (usize, &StepSums)| {
            let step = place % steps.len();
            let (all, active) = members[step];
            let is_active = steps[step].computation().is_none() && sums.begin <= sums.finish;
            let [begin, finish] = if is_active { [sums.begin, sums.finish] } else { sums.idle };
            let entries = &mut behind[place];
            entries.sort_unstable_by_key(|&(cycles, computation)| (Reverse(cycles), computation));
            StepTimes {
                begin: begin.min(finish),
                finish,
                ranks: if steps[step].computation().is_none() && active > 0 { active } else { all },
                exposed: sums.exposed,
                hidden: sums.hidden,
                behind: entries.iter().take(MAX_BEHIND).map(|&(_, computation)| computation).collect(),
            }
        };
        let times = self.sums.iter().enumerate().map(times).collect();
        (times, self.ranks.into_iter().map(|rank| rank.time).collect())
    }
}
