//! Movements: messages that move in one direction at the same time, line by line.
//!
//! A line of k nodes along which messages move one link per step is a ring of k slots: a message at position
//! x in step t is in slot `(x - t) mod k` and stays in it until it arrives or is blocked, so that moving
//! costs nothing. Two messages meet only if one waits, and all start at step 0: queues exist only at
//! positions where several messages start.
//!
//! ```text
//! step t     position  0   1   2   3        a message from 0 to 3 is in slot 0 in steps 0, 1 and 2,
//!            slot     -t  1-t 2-t 3-t       and passes positions 0, 1 and 2
//! ```
//!
//! A queue is served in the order of `docs/model.md` section 6: messages that started there, by source and
//! destination, and then messages blocked there, of which at most one arrives per step. Unlike
//! [`ChannelQueues`](crate::channel_queue::ChannelQueues), these queues need no keys and are all served in
//! every step.

use cubefold_topology::{Axis, LinePosition, narrow};

use crate::StageRouting;

/// The move of a message along an axis.
#[derive(Debug, Clone, Copy)]
pub(super) struct Move {
    pub(super) place: LinePosition, // of its start
    pub(super) hops: u32,           // at least 1
}

/// Executes the moves of the directions, one after another.
#[derive(Debug, Default)]
pub(super) struct LineMovements {
    line: SlottedLine,
    firsts: Vec<u32>, // by line: the index of its first message in `sorted`
    sorted: Vec<LineStart>,
}

impl LineMovements {
    /// Steps and conflicts of the messages that move in one direction along `axis` on a machine of `nodes`
    /// nodes; those that start at the same node depart in the order of `moves`.
    ///
    /// Lines share no channels: the movement takes as many steps as its slowest line.
    pub(super) fn run(&mut self, axis: &Axis, nodes: u64, moves: &mut [Move]) -> StageRouting {
        let lines = nodes / axis.length();
        // There may be far more lines than messages.
        if lines / 4 <= moves.len() as u64 {
            self.count_by_line(usize::try_from(lines).unwrap_or(usize::MAX), moves);
        } else {
            self.sort_by_line(moves);
        }
        let length = usize::try_from(axis.length()).unwrap_or(usize::MAX);
        let mut routing = StageRouting::default();
        for bounds in self.firsts.windows(2) {
            let line = &self.sorted[bounds[0] as usize..bounds[1] as usize];
            let result = self.line.run(length, line);
            routing.steps = routing.steps.max(result.steps);
            routing.conflicts += result.conflicts;
        }
        routing
    }

    /// Sorts by line, stably, in time proportional to the messages and lines.
    fn count_by_line(&mut self, lines: usize, moves: &[Move]) {
        self.firsts.clear();
        self.firsts.resize(lines + 1, 0);
        for movement in moves {
            self.firsts[movement.place.line as usize + 1] += 1;
        }
        let mut first = 0;
        for entry in &mut self.firsts[1..] {
            first += std::mem::replace(entry, first);
        }
        self.sorted.clear();
        self.sorted.resize(moves.len(), LineStart::default());
        // Entry `line + 1` advances from the first index of the line to the end of it, where the next begins.
        for movement in moves {
            let index = &mut self.firsts[movement.place.line as usize + 1];
            self.sorted[*index as usize] = movement.start();
            *index += 1;
        }
    }

    /// Sorts by line, stably, in memory proportional to the messages only.
    fn sort_by_line(&mut self, moves: &mut [Move]) {
        moves.sort_by_key(|movement| movement.place.line);
        self.sorted.clear();
        self.sorted.extend(moves.iter().map(Move::start));
        self.firsts.clear();
        self.firsts.push(0);
        let mut end = 0;
        for line in moves.chunk_by(|one, other| one.place.line == other.place.line) {
            end += narrow(line.len() as u64);
            self.firsts.push(end);
        }
    }
}

impl Move {
    fn start(&self) -> LineStart {
        LineStart { position: self.place.position, hops: self.hops }
    }
}

/// Slots and queues of a line, reused for the next.
#[derive(Debug, Default)]
struct SlottedLine {
    ends: Vec<u64>, // by slot: the step at which its message arrives; at most `now` if it is empty
    queue_at: Vec<u32>, // by position, while messages start: 1 + the queue there; 0 without one
    queues: Vec<PositionQueue>, // those that are not empty
    waiting: Vec<WaitingMessage>,
    queued: u64, // messages in all queues
    now: u64,    // steps of all lines so far, so that the slots of earlier lines count as empty
}

/// The messages that wait at a position, as a circular list.
#[derive(Debug, Clone, Copy)]
struct PositionQueue {
    position: u32,
    last: u32, // the index in `waiting` of its last message, whose next is the first
}

#[derive(Debug, Clone, Copy)]
struct WaitingMessage {
    hops: u32, // links left
    next: u32, // the index of the next message in the queue
}

/// A message that starts on a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct LineStart {
    position: u32, // below the length of the line
    hops: u32,     // at least 1
}

impl SlottedLine {
    /// Steps and conflicts of the messages that start together on a line of `length` nodes; those at the same
    /// position depart in the order of `starts`.
    ///
    /// # Complexity
    ///
    /// O(messages + queues x the steps for which they exist).
    fn run(&mut self, length: usize, starts: &[LineStart]) -> StageRouting {
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
            // Fresh zeros, not copies: only entries of a long line that are used take memory.
            (self.ends, self.queue_at) = (vec![0; length], vec![0; length]);
            self.now = 0;
        }
    }

    /// The first message at each position departs, the others join a queue there. Returns the latest arrival
    /// of the departing messages.
    fn start(&mut self, starts: &[LineStart]) -> u64 {
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

    fn queue_up(&mut self, LineStart { position, hops }: LineStart) {
        let number = narrow(self.waiting.len() as u64);
        let queue_at = &mut self.queue_at[position as usize];
        match queue_at.checked_sub(1) {
            None => {
                self.waiting.push(WaitingMessage { hops, next: number });
                self.queues.push(PositionQueue { position, last: number });
                *queue_at = narrow(self.queues.len() as u64);
            }
            Some(queue) => {
                let last = std::mem::replace(&mut self.queues[queue as usize].last, number);
                let first = std::mem::replace(&mut self.waiting[last as usize].next, number);
                self.waiting.push(WaitingMessage { hops, next: first });
            }
        }
    }

    /// Lets the first message of every queue depart; `behind` is the number of steps so far modulo the length.
    /// A message that arrives there is blocked and joins the end of the queue in its place. Returns the latest
    /// arrival of the departing messages.
    fn serve(&mut self, length: usize, behind: usize) -> u64 {
        let Self { ends, queues, waiting, queued, now, .. } = self;
        let (mut last_end, mut kept) = (0, 0);
        for at in 0..queues.len() {
            let PositionQueue { position, last } = queues[at];
            let place = position as usize;
            let slot = if place >= behind { place - behind } else { place + length - behind };
            let first = waiting[last as usize].next;
            let WaitingMessage { hops, next } = waiting[first as usize];
            let end = *now + u64::from(hops);
            let left = std::mem::replace(&mut ends[slot], end).saturating_sub(*now);
            last_end = last_end.max(end);
            // The outcome is unpredictable, so this is branch-free.
            let is_blocked = left > 0;
            waiting[first as usize].hops = narrow(left);
            waiting[last as usize].next = if is_blocked { first } else { next };
            queues[kept] = PositionQueue { position, last: if is_blocked { first } else { last } };
            *queued -= u64::from(!is_blocked);
            kept += usize::from(is_blocked) | usize::from(first != last);
        }
        queues.truncate(kept);
        last_end
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn starts(all: &[(u32, u32)]) -> Vec<LineStart> {
        all.iter().map(|&(position, hops)| LineStart { position, hops }).collect()
    }

    fn run(length: usize, all: &[(u32, u32)]) -> (u64, u64) {
        let StageRouting { steps, conflicts } = SlottedLine::default().run(length, &starts(all));
        (steps, conflicts)
    }

    #[test]
    fn messages_that_start_apart_never_meet() {
        assert_eq!(run(4, &[(0, 3), (1, 2), (2, 1)]), (3, 0));
        // All messages around a ring.
        assert_eq!(run(4, &[(0, 2), (1, 2), (2, 2), (3, 2)]), (2, 0));
        assert_eq!(run(4, &[]), (0, 0));
    }

    #[test]
    fn one_that_is_blocked_waits_behind_those_that_wait() {
        // Two start at 1, so in step 1 one still waits there. The one from 0 arrives: a conflict, and the
        // waiting one departs. In step 2 the one from 0 departs over its remaining 2 links.
        assert_eq!(run(5, &[(1, 1), (1, 1), (0, 3)]), (4, 2));
        // Three start at 1: in step 0 two conflicts, in step 1 one waits and one arrives, in step 2 one is
        // left.
        assert_eq!(run(5, &[(1, 1), (1, 1), (1, 1), (0, 3)]), (5, 5));
    }

    #[test]
    fn a_line_leaves_nothing_behind_for_the_next() {
        let mut line = SlottedLine::default();
        let blocking = starts(&[(0, 1), (0, 3), (0, 2), (1, 2), (2, 1)]);
        let first = line.run(4, &blocking);
        for length in [4, 6, 4, 5] {
            assert_eq!(line.run(length, &blocking), first);
            assert_eq!(line.run(length, &starts(&[(0, 1), (3, 1)])), StageRouting { steps: 1, conflicts: 0 });
        }
    }
}
