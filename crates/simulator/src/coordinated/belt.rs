//! One directed line of nodes on which everybody wants to move at once.
//!
//! A line of k nodes along which messages move a link a step is a conveyor of k slots: a message at
//! position x in step t is in slot `(x - t) mod k` and stays in it until it arrives or is held up, so that
//! moving costs nothing. Two messages meet only where one is waiting, and everybody starts at step 0: a
//! queue exists only where several start, and never arises elsewhere.
//!
//! ```text
//! step t     position  0   1   2   3        a message from 0 to 3 is in slot 0 in steps 0, 1 and 2,
//!            slot     -t  1-t 2-t 3-t       and passes positions 0, 1 and 2
//! ```
//!
//! A queue is served in the order of `docs/model.md` section 6: those that started there, by source and
//! destination, and behind them those held up there, since at most one comes by in a step.

use crate::StageRouting;
use crate::axis::low_word;

/// The slots and queues of one line after another.
#[derive(Debug, Default)]
pub(super) struct Belt {
    ends: Vec<u64>, // by slot: the step at which the message in it arrives; not after `now` without one
    queue_at: Vec<u32>, // by position, while messages start: 1 + the queue there; 0 without one
    queues: Vec<Queue>, // those that are not empty
    waiting: Vec<Waiting>,
    queued: u64, // messages in all queues
    now: u64,    // steps of all lines so far, so that what is left in the slots of one is over for the next
}

/// The messages that wait at a position, as a circular list.
#[derive(Debug, Clone, Copy)]
struct Queue {
    position: u32,
    last: u32, // its place in `waiting`; the first comes next
}

#[derive(Debug, Clone, Copy)]
struct Waiting {
    hops: u32, // that it has to go
    next: u32, // the place of the one behind it in the queue
}

/// A message that starts on a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Start {
    /// Its position, below the length of the line.
    pub(super) position: u32,
    /// The links that it moves, at least 1.
    pub(super) hops: u32,
}

impl Belt {
    /// Steps and conflicts of the messages that start together on a line of `length` nodes; those at one
    /// position go in the order of `starts`.
    ///
    /// # Complexity
    ///
    /// O(messages + queues x the steps for which they last).
    pub(super) fn run(&mut self, length: usize, starts: &[Start]) -> StageRouting {
        self.make_room(length);
        let begin = self.now;
        let (mut end, mut behind) = (self.start(starts), 0);
        let mut conflicts = self.queued;
        while !self.queues.is_empty() {
            self.now += 1;
            behind = if behind + 1 == length { 0 } else { behind + 1 };
            end = end.max(self.serve(length, behind));
            conflicts += self.queued;
        }
        self.now = end;
        StageRouting { steps: end - begin, conflicts }
    }

    fn make_room(&mut self, length: usize) {
        if self.ends.len() < length {
            // Fresh zeros, not copies: of a long line only the places that are used become memory.
            (self.ends, self.queue_at) = (vec![0; length], vec![0; length]);
            self.now = 0;
        }
    }

    /// The first at each position departs, the others queue there. Returns when the last of those that
    /// departed arrives.
    fn start(&mut self, starts: &[Start]) -> u64 {
        self.waiting.clear();
        let mut last_end = self.now;
        for start in starts {
            let end = &mut self.ends[start.position as usize];
            if *end > self.now {
                self.queue_up(*start);
            } else {
                *end = self.now + u64::from(start.hops);
                last_end = last_end.max(*end);
            }
        }
        self.queued = self.waiting.len() as u64;
        for queue in &self.queues {
            self.queue_at[queue.position as usize] = 0;
        }
        last_end
    }

    fn queue_up(&mut self, Start { position, hops }: Start) {
        let own = low_word(self.waiting.len() as u64);
        let queue_at = &mut self.queue_at[position as usize];
        match queue_at.checked_sub(1) {
            None => {
                self.waiting.push(Waiting { hops, next: own });
                self.queues.push(Queue { position, last: own });
                *queue_at = low_word(self.queues.len() as u64);
            }
            Some(queue) => {
                let last = std::mem::replace(&mut self.queues[queue as usize].last, own);
                let first = std::mem::replace(&mut self.waiting[last as usize].next, own);
                self.waiting.push(Waiting { hops, next: first });
            }
        }
    }

    /// Lets the first of every queue go, `behind` being the steps so far modulo the length. One that comes
    /// by takes its place, as the last of the queue. Returns when the last of those that go arrives.
    fn serve(&mut self, length: usize, behind: usize) -> u64 {
        let Self { ends, queues, waiting, queued, now, .. } = self;
        let (mut last_end, mut kept) = (0, 0);
        for at in 0..queues.len() {
            let Queue { position, last } = queues[at];
            let place = position as usize;
            let slot = if place >= behind { place - behind } else { place + length - behind };
            let first = waiting[last as usize].next;
            let Waiting { hops, next } = waiting[first as usize];
            let end = *now + u64::from(hops);
            let left = std::mem::replace(&mut ends[slot], end).saturating_sub(*now);
            last_end = last_end.max(end);
            // Whether one comes by is as good as random: both ends of the matter are written alike.
            let comes_by = left > 0;
            waiting[first as usize].hops = low_word(left);
            waiting[last as usize].next = if comes_by { first } else { next };
            queues[kept] = Queue { position, last: if comes_by { first } else { last } };
            *queued -= u64::from(!comes_by);
            kept += usize::from(comes_by) | usize::from(first != last);
        }
        queues.truncate(kept);
        last_end
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn starts(all: &[(u32, u32)]) -> Vec<Start> {
        all.iter().map(|&(position, hops)| Start { position, hops }).collect()
    }

    fn run(length: usize, all: &[(u32, u32)]) -> (u64, u64) {
        let StageRouting { steps, conflicts } = Belt::default().run(length, &starts(all));
        (steps, conflicts)
    }

    #[test]
    fn messages_that_start_apart_never_meet() {
        assert_eq!(run(4, &[(0, 3), (1, 2), (2, 1)]), (3, 0));
        // All round a ring.
        assert_eq!(run(4, &[(0, 2), (1, 2), (2, 2), (3, 2)]), (2, 0));
        assert_eq!(run(4, &[]), (0, 0));
    }

    #[test]
    fn one_that_comes_by_waits_behind_those_that_wait() {
        // Two start at 1, so in step 1 one still waits there. The one from 0 comes by: a conflict, and the
        // one that waited goes. In step 2 the one from 0 goes on, over the 2 links that it has left.
        assert_eq!(run(5, &[(1, 1), (1, 1), (0, 3)]), (4, 2));
        // Three at 1: in step 0 two conflicts, in step 1 one waits and one comes by, in step 2 one is left.
        assert_eq!(run(5, &[(1, 1), (1, 1), (1, 1), (0, 3)]), (5, 5));
    }

    #[test]
    fn a_line_leaves_nothing_behind_for_the_next() {
        let mut belt = Belt::default();
        let crowded = starts(&[(0, 1), (0, 3), (0, 2), (1, 2), (2, 1)]);
        let first = belt.run(4, &crowded);
        for length in [4, 6, 4, 5] {
            assert_eq!(belt.run(length, &crowded), first);
            assert_eq!(belt.run(length, &starts(&[(0, 1), (3, 1)])), StageRouting { steps: 1, conflicts: 0 });
        }
    }
}
