//! What is measured of an asynchronous run.
//!
//! `docs/model.md` section 5: the rows of processes and stages, from the messages they wait for.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::super::grid::Link;
use super::super::problem::Row;
use super::run::{Run, Travel};

/// What is measured of an asynchronous run (`docs/model.md` section 5).
#[derive(Clone, Debug)]
pub struct AsynchronousOutcome {
    /// What each process did in each stage: `rows[stage][process]`.
    pub rows: Vec<Vec<Row>>,
    /// The largest finish \[cycles\].
    pub makespan: u64,
    /// The most messages left in one channel's queue after the picks of a cycle.
    pub longest_queue: u64,
    /// The sum of the messages left in queues after the picks of all cycles that the run visits: of all cycles in which
    /// anything moves, where `T_c = 1`.
    pub left_in_queues: u64,
    /// Links crossed, by all messages together.
    pub hops: u64,
    /// Number of messages.
    pub messages: u64,
    /// Cycles of transmission over each link, both directions added up; a link that no message
    /// crosses has no entry.
    pub busy_cycles: BTreeMap<Link, u64>,
}

impl Run<'_> {
    /// What was measured, once nothing more happens.
    pub fn outcome(self) -> AsynchronousOutcome {
        let rows = self.rows();
        self.check_conservation(&rows);
        let finishes = rows.iter().flatten().map(|row| row.finish);
        AsynchronousOutcome {
            makespan: finishes.max().unwrap_or(0),
            rows,
            longest_queue: u64::try_from(self.longest_queue).expect("a count of messages fits"),
            left_in_queues: self.left_in_queues,
            hops: self.hops,
            messages: u64::try_from(self.travels.len()).expect("a count of messages fits"),
            busy_cycles: self.busy_cycles,
        }
    }

    /// Checks that the finish of every process is the sum of what it did before, exactly.
    fn check_conservation(&self, rows: &[Vec<Row>]) {
        for process in 0..self.problem.nodes.len() {
            let mut sum = 0;
            for (stage, row) in rows.iter().map(|stage| &stage[process]).enumerate() {
                sum += self.problem.computes(stage, process)
                    + row.sharing
                    + row.waiting
                    + row.transfer
                    + row.blocked;
                assert_eq!(row.finish, sum, "process {process}: {row:?}");
            }
        }
    }

    /// The rows of every stage and process.
    fn rows(&self) -> Vec<Vec<Row>> {
        let processes = 0..self.problem.nodes.len();
        let stages = 0..self.problem.stages.len();
        stages.map(|stage| processes.clone().map(|process| self.row(stage, process)).collect()).collect()
    }

    /// The row of a process in a stage, from the message for it that arrived last (of several that
    /// arrived together, the one with the smallest source).
    fn row(&self, stage: usize, process: usize) -> Row {
        let ready = self.ready[&(stage, process)];
        let sharing = self.sharing.get(&(stage, process)).copied().unwrap_or(0);
        let numbers = self.messages_of.get(&(stage, process)).into_iter().flatten();
        let received = numbers
            .map(|&number| &self.travels[number])
            .filter(|travel| travel.message.destination == process);
        let later = |travel: &&Travel| (travel.delivered, Reverse(travel.message.source));
        let Some(last) = received.max_by_key(later) else {
            return Row { sharing, ..Row::without_message(ready) };
        };
        let start = last.injected.expect("every message is injected");
        let finish = last.delivered.expect("every message is delivered");
        let transfer = self.problem.hop_cycles * self.problem.distance(last.message);
        let waiting = start - ready;
        Row { sharing, ready, start, finish, waiting, transfer, blocked: finish - start - transfer }
    }
}
