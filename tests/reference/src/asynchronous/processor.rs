//! Which process the processor of a node computes next.
//!
//! `docs/model.md` section 5, several processes on one node. With one process a node the processor
//! is free whenever the process could begin, and nothing is shared.

use super::run::Run;

/// A process that waits for the processor of its node.
///
/// The order is that in which a processor takes them: the cycle at which the process could begin,
/// then the process. A process waits for one stage at a time, so that the stage decides nothing.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Candidate {
    /// The cycle at which it finished the stage before, or 0.
    pub since: u64,
    /// The process.
    pub process: usize,
    /// The stage it computes for.
    pub stage: usize,
}

impl Run<'_> {
    /// From now on a process could begin to compute for a stage.
    /// One that passes through the stage is ready as it comes.
    pub fn could_begin(&mut self, stage: usize, process: usize) {
        if self.problem.passes.contains(&(stage, process)) {
            self.passing.push((stage, process));
            return;
        }
        let candidate = Candidate { since: self.cycle, process, stage };
        self.candidates.entry(self.problem.nodes[process]).or_default().insert(candidate);
    }

    /// Every free processor picks the first of its candidates; whether there was one.
    pub fn processors_pick(&mut self) -> bool {
        let mut picked = false;
        for (&node, candidates) in &mut self.candidates {
            if self.computing.contains(&node) {
                continue;
            }
            if let Some(Candidate { since, process, stage }) = candidates.pop_first() {
                self.computing.insert(node);
                self.sharing.insert((stage, process), self.cycle - since);
                let end = self.cycle + self.problem.compute_cycles;
                self.computations.entry(end).or_default().push((stage, process));
                picked = true;
            }
        }
        picked
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::problem::{Problem, Row};
    use super::super::{AsynchronousOutcome, asynchronous};

    /// A stage's messages.
    type Stage = [(u32, u32)];

    /// Runs stages on a full-duplex line of three, process `n` on `nodes[n]`; `T_c = 1`.
    fn run(compute_cycles: u64, nodes: &[u64], stages: &[&Stage]) -> AsynchronousOutcome {
        asynchronous(&Problem { compute_cycles, nodes: nodes.to_vec(), ..Problem::on_mesh(&[3], stages) })
    }

    /// Sharing, ready and finish of a process in a stage.
    fn computed(outcome: &AsynchronousOutcome, stage: usize, process: usize) -> [u64; 3] {
        let Row { sharing, ready, finish, .. } = outcome.rows[stage][process];
        [sharing, ready, finish]
    }

    #[test]
    fn processes_of_a_node_compute_one_after_another_and_others_at_once() {
        // Node 0 computes 0, 1, 3 during [0,5), [5,10), [10,15), node 2 computes 2 during [0,5). No messages.
        // Stage 1 could begin for 0 at 5, for 1 at 10, for 3 at 15, but 1 and 3 go before 0 once more, and when
        // the processor is free at 15 the three go in that order: 0 [15,20), 1 [20,25), 3 [25,30).
        let outcome = run(5, &[0, 0, 2, 0], &[&[], &[]]);
        let rows = |stage| [0, 1, 2, 3].map(|process| computed(&outcome, stage, process));
        assert_eq!(rows(0), [[0, 5, 5], [5, 10, 10], [0, 5, 5], [10, 15, 15]]);
        assert_eq!(rows(1), [[10, 20, 20], [10, 25, 25], [0, 10, 10], [10, 30, 30]]);
        assert_eq!((outcome.makespan, outcome.hops, outcome.longest_queue), (30, 0, 0));
    }

    #[test]
    fn the_process_that_could_begin_first_goes_before_smaller_ones() {
        // Node 0 has 0, 1, 2, node 2 has 3. Stage 0: 0 [0,5), 1 [5,10), 2 [10,15); 3 -> 0 from 5 over two
        // links to 7, so 0 could begin again at 7; 1 -> 2 is delivered when 2 is ready, at 15. 1 could begin
        // again at 10. At 15 the processor is free: 0 (since 7) [15,20), 1 (since 10) [20,25), 2 [25,30).
        let outcome = run(5, &[0, 0, 0, 2], &[&[(3, 0), (1, 2)], &[]]);
        assert_eq!(
            [0, 1, 2].map(|process| computed(&outcome, 0, process)),
            [[0, 5, 7], [5, 10, 10], [10, 15, 15]]
        );
        assert_eq!(
            [0, 1, 2].map(|process| computed(&outcome, 1, process)),
            [[8, 20, 20], [10, 25, 25], [10, 30, 30]]
        );
        // the same with stage 0's message 3 -> 1 in place of 3 -> 0: 3 -> 1 is injected at 10, reaches 1 at 12;
        // 2 -> 0 is delivered at 15: of 0 (since 15), 1 (since 12), 2 (since 15) first 1, then 0, then 2
        let outcome = run(5, &[0, 0, 0, 2], &[&[(3, 1), (2, 0)], &[]]);
        assert_eq!(
            [0, 1, 2].map(|process| computed(&outcome, 0, process)),
            [[0, 5, 15], [5, 10, 12], [10, 15, 15]]
        );
        assert_eq!(
            [0, 1, 2].map(|process| computed(&outcome, 1, process)),
            [[5, 25, 25], [3, 20, 20], [10, 30, 30]]
        );
    }

    #[test]
    fn a_message_within_a_node_arrives_before_the_processor_picks() {
        // Stage 0: 0 [0,5), 1 [5,10). At 10 process 1 is done and could begin again, and 1 -> 0 is injected and
        // arrives, so that 0 could begin too: 0 [10,15), 1 [15,20). It uses no link.
        let outcome = run(5, &[0, 0], &[&[(1, 0)], &[]]);
        let row = Row { sharing: 0, ready: 5, start: 10, finish: 10, waiting: 5, transfer: 0, blocked: 0 };
        assert_eq!(outcome.rows[0][0], row);
        assert_eq!([0, 1].map(|process| computed(&outcome, 1, process)), [[0, 15, 15], [5, 20, 20]]);
        assert_eq!((outcome.messages, outcome.hops, outcome.busy_cycles.len()), (1, 0, 0));
    }

    #[test]
    fn a_message_from_another_node_arrives_before_the_processor_picks() {
        // Stage 0: 0 [0,2), 1 [2,4), and 2 on node 1 [0,2). 2 -> 0 is under way during [2,3). Stage 1: 0 could
        // begin at 3, 1 at 4, so 0 [4,6), 1 [6,8). With 2 on node 2 the message takes [2,4): both could begin
        // at 4, and 0 still goes first, with sharing 0.
        for (node, sharing) in [(1, 1), (2, 0)] {
            let outcome = run(2, &[0, 0, node], &[&[(2, 0)], &[]]);
            assert_eq!(computed(&outcome, 1, 0), [sharing, 6, 6]);
            assert_eq!(computed(&outcome, 1, 1), [2, 8, 8]);
        }
    }

    #[test]
    fn without_computation_all_of_a_node_happens_in_one_cycle() {
        // Four stages of messages within node 0, back and forth: nothing takes time.
        let outcome = run(0, &[0, 0], &[&[(0, 1)], &[(1, 0)], &[(0, 1), (1, 0)], &[]]);
        assert_eq!(outcome.rows.iter().flatten().map(|row| (row.sharing, row.finish)).max(), Some((0, 0)));
        assert_eq!((outcome.makespan, outcome.messages, outcome.longest_queue), (0, 4, 0));
    }

    #[test]
    fn processors_pick_until_they_have_done_before_channels_pick() {
        // T_a = 0. Node 0 picks 0 for stage 0, 0 for stage 1, then 1 for stage 0, all at cycle 0, and both
        // messages join channel (0, +) at 0: the one of stage 0 during [0,1), the other during [1,2).
        let outcome = run(0, &[0, 0, 1, 1], &[&[(1, 2)], &[(0, 3)]]);
        assert_eq!(computed(&outcome, 0, 2), [0, 0, 1]);
        assert_eq!(computed(&outcome, 1, 3), [0, 0, 2]);
        assert_eq!((outcome.rows[1][3].blocked, outcome.longest_queue), (1, 1));
    }

    #[test]
    fn of_a_message_within_the_node_and_one_from_outside_the_later_counts() {
        // T_a = 2: 0 [0,2), 1 [2,4) on node 0, 2 [0,2) on node 1. For 0: 1 -> 0 at 4, 2 -> 0 from 2 to 3.
        let outcome = run(2, &[0, 0, 1], &[&[(1, 0), (2, 0)]]);
        let row = Row { sharing: 0, ready: 2, start: 4, finish: 4, waiting: 2, transfer: 0, blocked: 0 };
        assert_eq!(outcome.rows[0][0], row);
        // With 2 on node 2 both arrive at 4: the smaller source, 1.
        assert_eq!(run(2, &[0, 0, 2], &[&[(1, 0), (2, 0)]]).rows[0][0], row);
        // With the processes 1 and 2 exchanged the smaller source is the one from outside: from 2 to 4.
        let row = Row { sharing: 0, ready: 2, start: 2, finish: 4, waiting: 0, transfer: 2, blocked: 0 };
        assert_eq!(run(2, &[0, 2, 0], &[&[(1, 0), (2, 0)]]).rows[0][0], row);
    }
}
