//! What idle channels transmit at the end of a cycle, by link mode.
//!
//! `docs/model.md` section 5. A channel that transmits is busy until the transmission ends; under
//! half-duplex links its whole link is.

use std::collections::BTreeSet;

use super::super::grid::{Channel, Sign};
use super::super::problem::Links;
use super::run::{Key, Run};

/// A host dimension (from 0) and a direction, in the order `(1,+) (1,-) (2,+) (2,-) ...`.
pub type Direction = (usize, Sign);

impl Run<'_> {
    /// Idle channels pick.
    pub fn pick(&mut self) {
        if self.problem.links == Links::SingleDirection {
            self.move_on();
        }
        let queued = self.queues.keys().copied().collect::<Vec<_>>();
        for channel in queued {
            if self.may_transmit(channel) {
                self.transmit(channel);
            }
        }
    }

    /// Whether a channel with a queue transmits its first message now.
    fn may_transmit(&self, channel: Channel) -> bool {
        let idle = !self.in_flight.contains_key(&channel);
        match self.problem.links {
            Links::FullDuplex => idle,
            Links::HalfDuplex => {
                let opposite = self.problem.opposite(channel);
                let link_is_idle = idle && !self.in_flight.contains_key(&opposite);
                let theirs = self.first(opposite);
                link_is_idle && theirs.is_none_or(|theirs| self.first(channel) < Some(theirs))
            }
            Links::SingleDirection => idle && self.direction == Some((channel.dimension, channel.sign)),
        }
    }

    /// The key of the first message in a channel's queue.
    fn first(&self, channel: Channel) -> Option<Key> {
        self.queues.get(&channel).and_then(BTreeSet::first).copied()
    }

    /// While nothing is in flight and nothing is queued in the current dimension and direction, the
    /// machine moves on to the next one, cyclically, that has a message queued; it stays when none has.
    fn move_on(&mut self) {
        let queued =
            self.queues.keys().map(|channel| (channel.dimension, channel.sign)).collect::<BTreeSet<_>>();
        let current_has_a_queue = self.direction.is_some_and(|current| queued.contains(&current));
        if current_has_a_queue || !self.in_flight.is_empty() {
            return;
        }
        let after_the_current = queued.iter().find(|&&direction| Some(direction) > self.direction);
        if let Some(&next) = after_the_current.or(queued.first()) {
            self.direction = Some(next);
        }
    }

    /// A channel transmits the first message of its queue.
    fn transmit(&mut self, channel: Channel) {
        let queue = self.queues.get_mut(&channel).expect("a channel that transmits has a queue");
        let key = queue.pop_first().expect("queues that are empty are not kept");
        if queue.is_empty() {
            self.queues.remove(&channel);
        }
        let end = self.cycle + self.problem.hop_cycles;
        self.transmissions.entry(end).or_default().push(channel);
        self.in_flight.insert(channel, key.message.number);
        self.hops += 1;
        *self.busy_cycles.entry(self.problem.link(channel)).or_default() += self.problem.hop_cycles;
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::problem::{Links, Problem, Row};
    use super::super::{AsynchronousOutcome, asynchronous};

    /// A stage's messages.
    type Stage = [(u32, u32)];

    /// Runs stages on a mesh with process `n` on node `n`; `cycles` are `T_a` and `T_c`.
    fn run(lengths: &[u64], links: Links, cycles: (u64, u64), stages: &[&Stage]) -> AsynchronousOutcome {
        let (compute_cycles, hop_cycles) = cycles;
        asynchronous(&Problem { links, hop_cycles, compute_cycles, ..Problem::on_mesh(lengths, stages) })
    }

    /// Finish and blocked cycles of a process in a stage.
    fn finish_and_blocked(outcome: &AsynchronousOutcome, stage: usize, process: usize) -> (u64, u64) {
        let Row { finish, blocked, .. } = outcome.rows[stage][process];
        (finish, blocked)
    }

    #[test]
    fn of_two_that_join_together_the_smaller_source_goes_first() {
        // (3,2)-mesh: 0 = (0,0) and 2 = (2,0) both send to 4 = (1,1). Both reach 1 = (1,0) at cycle 1
        // and join channel (1, dimension 2, +). Source 0 goes during [1,2), source 2 during [2,3).
        // The last for 4 is the one from 2: injected at 0, two links, 3 - 0 - 2 = 1 blocked.
        let outcome = run(&[3, 2], Links::FullDuplex, (0, 1), &[&[(2, 4), (0, 4)]]);
        assert_eq!(
            outcome.rows[0][4],
            Row { sharing: 0, ready: 0, start: 0, finish: 3, waiting: 0, transfer: 2, blocked: 1 }
        );
        assert_eq!((outcome.makespan, outcome.longest_queue, outcome.hops), (3, 1, 4));
        // link 0-1, link 1-2 (+ leads over it from 1, it was crossed by -), link 1-4 twice
        assert_eq!(
            outcome.busy_cycles.into_iter().collect::<Vec<_>>(),
            [((0, 0), 1), ((1, 0), 1), ((1, 1), 2)]
        );
    }

    #[test]
    fn of_two_that_join_together_the_earlier_stage_goes_first() {
        // (3,3)-mesh: 2 = (2,0) sends to 4 = (1,1) in stage 0, 0 = (0,0) to 7 = (1,2) in stage 1. With
        // T_a = 0 both are injected at 0 and join channel (1, dimension 2, +) at 1. Stage 0 goes during
        // [1,2); then 0 -> 7 needs [2,3) to 4 and [3,4) to 7: 4 - 0 - 3 = 1 blocked.
        let outcome = run(&[3, 3], Links::FullDuplex, (0, 1), &[&[(2, 4)], &[(0, 7)]]);
        assert_eq!(finish_and_blocked(&outcome, 0, 4), (2, 0));
        assert_eq!(finish_and_blocked(&outcome, 1, 7), (4, 1));
    }

    #[test]
    fn full_duplex_links_carry_a_message_each_way() {
        // line of 2, T_c = 3: both exchange during [0,3)
        let outcome = run(&[2], Links::FullDuplex, (0, 3), &[&[(0, 1), (1, 0)]]);
        assert_eq!(finish_and_blocked(&outcome, 0, 0), (3, 0));
        assert_eq!(finish_and_blocked(&outcome, 0, 1), (3, 0));
        assert_eq!((outcome.longest_queue, outcome.busy_cycles[&(0, 0)]), (0, 6));
    }

    #[test]
    fn half_duplex_links_carry_one_message_the_smallest_key_of_both_queues_first() {
        // line of 2, T_c = 3: 0 -> 1 during [0,3), 1 -> 0 during [3,6), blocked 3; one message stays
        // queued after the picks of cycle 0
        let outcome = run(&[2], Links::HalfDuplex, (0, 3), &[&[(1, 0), (0, 1)]]);
        assert_eq!(finish_and_blocked(&outcome, 0, 1), (3, 0));
        assert_eq!(finish_and_blocked(&outcome, 0, 0), (6, 3));
        assert_eq!((outcome.longest_queue, outcome.busy_cycles[&(0, 0)]), (1, 6));
    }

    #[test]
    fn half_duplex_links_serve_by_the_cycle_of_joining_before_the_source() {
        // line of 3, T_c = 1. At 0, link 0-1 has 0 -> 1, 0 -> 2, 1 -> 0 (joined 0): by source then
        // destination 0 -> 1 during [0,1), 0 -> 2 during [1,2), 1 -> 0 during [2,3). Link 1-2 has 2 -> 0
        // during [0,1), which joins (1, -) at 1 and goes last over link 0-1, during [3,4), although 0 -> 2
        // reached 1 at 2 and took [2,3) over link 1-2. 0 receives 1 -> 0 at 3 and 2 -> 0 at 4: 4 - 2 = 2.
        let outcome = run(&[3], Links::HalfDuplex, (0, 1), &[&[(0, 1), (0, 2), (1, 0), (2, 0)]]);
        assert_eq!(finish_and_blocked(&outcome, 0, 1), (1, 0));
        assert_eq!(finish_and_blocked(&outcome, 0, 2), (3, 1));
        assert_eq!(finish_and_blocked(&outcome, 0, 0), (4, 2));
        // after the picks of 1, queue (1, -) holds 1 -> 0 and 2 -> 0
        assert_eq!(outcome.longest_queue, 2);
    }

    #[test]
    fn a_single_direction_is_left_when_nothing_is_in_flight_or_queued_in_it() {
        // (2,2)-mesh, 0 <-> 3. (1,+): 0 -> 1 during [0,1). At 1 (1,-) has 3 and (2,+) the first message:
        // (1,-): 3 -> 2 during [1,2). Then (2,+): 1 -> 3 during [2,3), then (2,-): 2 -> 0 during [3,4).
        let outcome = run(&[2, 2], Links::SingleDirection, (0, 1), &[&[(0, 3), (3, 0)]]);
        assert_eq!(finish_and_blocked(&outcome, 0, 3), (3, 1));
        assert_eq!(finish_and_blocked(&outcome, 0, 0), (4, 2));
    }

    #[test]
    fn a_single_direction_is_remembered_through_stages() {
        // (2,2)-mesh: stage 0 is 1 -> 0 by (1,-) during [0,1). At 1, 0 -> 1 waits for (1,+) and 0 -> 2
        // for (2,+): after (1,-) comes (2,+), so 0 -> 2 goes during [1,2) and 0 -> 1 during [2,3).
        let outcome = run(&[2, 2], Links::SingleDirection, (0, 1), &[&[(1, 0)], &[(0, 1), (0, 2)]]);
        assert_eq!(finish_and_blocked(&outcome, 1, 2), (2, 0));
        assert_eq!(finish_and_blocked(&outcome, 1, 1), (3, 1));
    }

    #[test]
    fn a_single_direction_is_joined_while_others_are_in_flight() {
        // line of 4, T_a = 1, T_c = 2. Stage 0: 0 -> 1 during [1,3). 2 and 3 are ready in stage 1 at 2:
        // 2 -> 3 goes at once, during [2,4), by the idle channel (2,+); 3 -> 2 by (3,-) only when nothing
        // is in flight by +, during [4,6).
        let outcome = run(&[4], Links::SingleDirection, (1, 2), &[&[(0, 1)], &[(2, 3), (3, 2)]]);
        assert_eq!(finish_and_blocked(&outcome, 0, 1), (3, 0));
        assert_eq!(finish_and_blocked(&outcome, 1, 3), (4, 0));
        assert_eq!(finish_and_blocked(&outcome, 1, 2), (6, 2));
    }
}
