//! Schedules of pipelines (`docs/model.md` section 23.5): the order of tasks in each stage, the task that a task needs,
//! and the destination of its result.
//!
//! `F(g, m)` and `B(g, m)` are the tasks of layer group `g` and microbatch `m`. Group `g = v S + p` is chunk `v` of stage `p`
//! of `S`, and there are `G = S V` groups.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Schedule {
    /// All forward tasks, then all backward tasks.
    GPipe,
    /// One forward and one backward task in turn.
    OneForwardOneBackward,
    /// The same with several chunks of layers per stage.
    Interleaved,
}

/// A pass through the groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pass {
    /// From the first group to the last.
    Forward,
    /// From the last group to the first.
    Backward,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Task {
    pub(super) pass: Pass,
    /// Its chunk `v`.
    pub(super) chunk: usize,
    /// Its microbatch `m`.
    pub(super) microbatch: usize,
    /// Its stage `p`.
    pub(super) stage: usize,
}

/// A task that another one needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Need {
    pub(super) task: Task,
    /// Whether its result is sent; the last forward task of a microbatch and its first backward task are in one stage.
    pub(super) is_sent: bool,
}

/// The tasks of a pipeline. Under `Interleaved`, `microbatches` is a multiple of `stages`; under others `chunks` is 1.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tasks {
    pub(super) schedule: Schedule,
    /// `S`, at least 2.
    pub(super) stages: usize,
    /// `M`, at least 1.
    pub(super) microbatches: usize,
    /// `V`, at least 1.
    pub(super) chunks: usize,
}

impl Schedule {
    /// All schedules, by their names.
    pub(super) const ALL: [(&'static str, Self); 3] =
        [("gpipe", Self::GPipe), ("1f1b", Self::OneForwardOneBackward), ("interleaved", Self::Interleaved)];
}

pub(crate) fn schedule_names() -> [&'static str; 3] {
    Schedule::ALL.map(|(name, _)| name)
}

impl Tasks {
    /// The last group, `G - 1`.
    fn last_group(&self) -> usize {
        self.stages * self.chunks - 1
    }

    fn group(&self, task: Task) -> usize {
        task.chunk * self.stages + task.stage
    }

    fn of_group(&self, pass: Pass, group: usize, microbatch: usize) -> Task {
        Task { pass, chunk: group / self.stages, microbatch, stage: group % self.stages }
    }

    /// Returns the task that a task needs; `None` for the forward tasks of the first group.
    pub(super) fn need(&self, task: Task) -> Option<Need> {
        let group = self.group(task);
        let of_group = |pass, group| self.of_group(pass, group, task.microbatch);
        match task.pass {
            Pass::Forward if group == 0 => None,
            Pass::Forward => Some(Need { task: of_group(Pass::Forward, group - 1), is_sent: true }),
            Pass::Backward if group == self.last_group() => {
                Some(Need { task: of_group(Pass::Forward, group), is_sent: false })
            }
            Pass::Backward => Some(Need { task: of_group(Pass::Backward, group + 1), is_sent: true }),
        }
    }

    /// Returns the stage to which the result of a task is sent, if any.
    pub(super) fn receiver(&self, task: Task) -> Option<usize> {
        let group = self.group(task);
        match task.pass {
            Pass::Forward => (group < self.last_group()).then_some((task.stage + 1) % self.stages),
            Pass::Backward => (group > 0).then_some((task.stage + self.stages - 1) % self.stages),
        }
    }

    /// Returns the `k`-th forward or backward task of a stage.
    fn nth(&self, pass: Pass, k: usize, stage: usize) -> Task {
        let (stages, chunks) = (self.stages, self.chunks);
        if self.schedule != Schedule::Interleaved {
            return Task { pass, chunk: 0, microbatch: k, stage };
        }
        let place = k / stages % chunks;
        let chunk = if pass == Pass::Forward { place } else { chunks - 1 - place };
        Task { pass, chunk, microbatch: k / (stages * chunks) * stages + k % stages, stage }
    }

    /// Lists the tasks of a stage in its order.
    pub(super) fn of_stage(&self, stage: usize) -> Vec<Task> {
        let all = self.microbatches * self.chunks;
        let behind = self.stages - 1 - stage;
        let ahead = match self.schedule {
            Schedule::GPipe => all,
            Schedule::OneForwardOneBackward => all.min(behind),
            Schedule::Interleaved => all.min(2 * behind + (self.chunks - 1) * self.stages),
        };
        let mut tasks: Vec<Task> = (0..ahead).map(|k| self.nth(Pass::Forward, k, stage)).collect();
        for k in 0..all {
            if ahead + k < all {
                tasks.push(self.nth(Pass::Forward, ahead + k, stage));
            }
            tasks.push(self.nth(Pass::Backward, k, stage));
        }
        tasks
    }

    /// Returns the number of a task, below twice `S V M`.
    pub(super) fn number(&self, task: Task) -> usize {
        let pass = usize::from(task.pass == Pass::Backward);
        ((pass * self.chunks + task.chunk) * self.microbatches + task.microbatch) * self.stages + task.stage
    }

    /// Lists all tasks in rounds: in each round, every stage from 0 up has its next task if the task that it needs is
    /// in an earlier round.
    pub(super) fn in_rounds(&self) -> Vec<Task> {
        let of_stages: Vec<Vec<Task>> = (0..self.stages).map(|stage| self.of_stage(stage)).collect();
        let count = 2 * self.stages * self.chunks * self.microbatches;
        let (mut next, mut is_written) = (vec![0; self.stages], vec![false; count]);
        let mut tasks = vec![];
        loop {
            let is_free =
                |task: &&Task| self.need(**task).is_none_or(|need| is_written[self.number(need.task)]);
            let candidates = of_stages.iter().zip(&next).filter_map(|(tasks, &place)| tasks.get(place));
            let round: Vec<Task> = candidates.filter(is_free).copied().collect();
            if round.is_empty() {
                debug_assert_eq!(tasks.len(), count, "no stage waits for ever");
                return tasks;
            }
            for &task in &round {
                is_written[self.number(task)] = true;
                next[task.stage] += 1;
            }
            tasks.extend(round);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all() -> impl Iterator<Item = Tasks> {
        let sizes = (2..=8).flat_map(|stages| (1..=16).map(move |microbatches| (stages, microbatches)));
        sizes.flat_map(|(stages, microbatches)| {
            let tasks = move |schedule, chunks| Tasks { schedule, stages, microbatches, chunks };
            let interleaved = (2..=4).filter(move |_| microbatches % stages == 0);
            [tasks(Schedule::GPipe, 1), tasks(Schedule::OneForwardOneBackward, 1)]
                .into_iter()
                .chain(interleaved.map(move |chunks| tasks(Schedule::Interleaved, chunks)))
        })
    }

    /// The makespan of tasks that take `f` and `b`, and send in no time.
    fn makespan(tasks: Tasks, [f, b]: [u64; 2]) -> u64 {
        let mut over = vec![0; 2 * tasks.stages * tasks.chunks * tasks.microbatches];
        let mut free = vec![0; tasks.stages];
        for task in tasks.in_rounds() {
            let needed = tasks.need(task).map_or(0, |need| over[tasks.number(need.task)]);
            let end = needed.max(free[task.stage]) + if task.pass == Pass::Forward { f } else { b };
            (over[tasks.number(task)], free[task.stage]) = (end, end);
        }
        free.into_iter().max().unwrap()
    }

    #[test]
    fn every_stage_does_every_task_once_in_its_order() {
        for tasks in all() {
            let written = tasks.in_rounds();
            assert_eq!(written.len(), 2 * tasks.stages * tasks.chunks * tasks.microbatches, "{tasks:?}");
            for stage in 0..tasks.stages {
                let of_stage: Vec<Task> =
                    written.iter().copied().filter(|task| task.stage == stage).collect();
                assert_eq!(of_stage, tasks.of_stage(stage), "{tasks:?}");
                let mut numbers: Vec<usize> = of_stage.iter().map(|&task| tasks.number(task)).collect();
                numbers.sort_unstable();
                numbers.dedup();
                assert_eq!(numbers.len(), 2 * tasks.chunks * tasks.microbatches, "{tasks:?}");
            }
        }
    }

    #[test]
    fn schedules_take_the_cycles_of_the_closed_forms() {
        for tasks in all() {
            let (stages, microbatches, chunks) =
                (tasks.stages as u64, tasks.microbatches as u64, tasks.chunks as u64);
            for [f, b] in [[1, 1], [10, 20], [5, 10], [7, 3]] {
                let expected = (chunks * microbatches + stages - 1) * (f + b);
                assert_eq!(makespan(tasks, [f, b]), expected, "{tasks:?} {f} {b}");
            }
        }
    }
}
