//! The state of a run on a line: the clock, the processes, and future events.
//!
//! A process awaits one message at a time, so a message needs no number: its destination
//! identifies it. The contents of slots and queues belong to [`OneCycleLinks`](super::one_cycle_links::OneCycleLinks).

use super::{
    line_routes::{ChannelPosition, LineRoutes},
    stages::Segment,
};
use crate::time_wheel::TimeWheel;

/// The state of a run, without slots and queues.
#[derive(Debug)]
pub(super) struct LineState<'run> {
    pub(super) routes: &'run LineRoutes,
    pub(super) stages: &'run Segment,
    pub(super) processes: Vec<ProcessState>,
    pub(super) exchanges: ExchangeQueue,
    pub(super) events: TimeWheel<u32>, // the ends of routes, by destination of the message
    rotation: u32, // positions by which slots have moved so far, below the length of the line
    pub(super) now: u64,
    pub(super) longest_queue: u32, // after the arbitration of a cycle, so far
}

impl<'run> LineState<'run> {
    /// The state before a stage; `finishes` are the cycles at which processes finished the previous one.
    pub(super) fn new(routes: &'run LineRoutes, stages: &'run Segment, stage: u32, finishes: &[u64]) -> Self {
        let mut state = Self {
            routes,
            stages,
            processes: finishes.iter().map(|&finish| ProcessState::new(stage, finish)).collect(),
            exchanges: ExchangeQueue::new(finishes.len()),
            events: TimeWheel::new(),
            rotation: 0,
            now: 0,
            longest_queue: 0,
        };
        state.set_now(finishes.iter().copied().min().unwrap_or(0));
        state
    }

    /// Sets the clock, and moves the slots with it.
    #[inline]
    pub(super) fn set_now(&mut self, now: u64) {
        self.now = now;
        self.events.advance_to(now);
        self.rotation = self.routes.rotation(now);
    }

    #[inline]
    pub(super) fn slot(&self, at: ChannelPosition) -> u32 {
        at.slot(self.rotation, self.routes.length)
    }

    /// Lets the message for a process move over its remaining links. Returns the cycle at which it arrives without
    /// contention.
    #[inline]
    pub(super) fn transmit(&mut self, process: u32) -> u64 {
        let message = &mut self.processes[process as usize];
        message.end = self.now + u64::from(message.hops);
        message.status = MessageStatus::Moving;
        message.schedule(process, &mut self.events);
        message.end
    }

    /// Memory for a process \[bytes\].
    pub(super) const BYTES_A_PROCESS: u64 = size_of::<ProcessState>() as u64
        + size_of::<PendingExchange>() as u64
        + TimeWheel::<u32>::BYTES_PER_EVENT;
}

/// The state of one process and of the message that it awaits.
///
/// One cache line: on lines larger than the caches, fetching these lines dominates the cost of an event.
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
pub(super) struct ProcessState {
    pub(super) finish: u64, // the cycle at which it finished the previous stage, or started
    pub(super) start: u64,  // the cycle at which the message of this stage was injected
    pub(super) end: u64,    // for a moving message the cycle at which it arrives without contention
    pub(super) hops: u32,   // the remaining links of a queued message
    pub(super) distance: u32, // the links of its route
    pub(super) next: u32,   // the next process in the same queue
    pub(super) stage: u32,  // number of stages that it has finished
    pub(super) status: MessageStatus,
    pub(super) has_event: bool,
}

/// The status of the message that a process awaits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MessageStatus {
    /// One of the partners is not ready.
    NotInjected,
    /// It moves in a slot.
    Moving,
    /// It waits in a channel's queue.
    Queued,
}

impl ProcessState {
    /// A process that finishes the stage before `stage` at `finish`.
    fn new(stage: u32, finish: u64) -> Self {
        Self {
            finish,
            start: 0,
            end: 0,
            hops: 0,
            distance: 0,
            next: 0,
            stage,
            status: MessageStatus::NotInjected,
            has_event: false,
        }
    }

    /// Adds an event at the end of its route, unless there is one already, which is then rescheduled when due.
    #[inline]
    pub(super) fn schedule(&mut self, process: u32, events: &mut TimeWheel<u32>) {
        if !self.has_event {
            self.has_event = true;
            events.add(process, self.end);
        }
    }

    /// The order of messages in a queue that joined in the same cycle, smallest first: their stage and
    /// source.
    #[inline]
    pub(super) fn rank(&self, process: u32, stages: &Segment) -> (u32, u32) {
        (self.stage, stages.partner(process, self.stage).unwrap_or(process))
    }
}

/// Pairs of computing partners, in the order in which their messages are injected.
///
/// All computations take the same time, so pairs that become complete first inject first. Only the pairs of
/// the first stage of a run have to be sorted, since processes may begin at any cycle.
#[derive(Debug)]
pub(super) struct ExchangeQueue {
    first_stage: Vec<PendingExchange>, // the next one is last
    later: Vec<PendingExchange>,       // a ring with room for all pairs; its size is a power of two
    taken: usize,                      // total number of exchanges taken from the ring, and
    added: usize,                      // total number added to it: modulo its size these are indices
}

/// A pair of partners whose messages are injected at a cycle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(super) struct PendingExchange {
    pub(super) cycle: u64,
    pub(super) process: u32, // one of the two processes
    pub(super) stage: u32,   // their stage
}

impl ExchangeQueue {
    /// A queue with room for the pairs of `processes` processes.
    fn new(processes: usize) -> Self {
        let size = (processes / 2).next_power_of_two();
        Self { first_stage: vec![], later: vec![PendingExchange::default(); size], taken: 0, added: 0 }
    }

    /// Adds the pairs of the first stage of a run, in any order.
    pub(super) fn add_first_stage(&mut self, exchanges: impl Iterator<Item = PendingExchange>) {
        self.first_stage.extend(exchanges);
        self.first_stage.sort_unstable_by(|one, other| other.cmp(one));
    }

    /// Adds a pair, not before any added so far, if `times` is 1, and nothing if it is 0. Branch-free, since
    /// a branch would be unpredictable.
    #[inline]
    pub(super) fn add(&mut self, exchange: PendingExchange, times: u32) {
        debug_assert!(self.added.wrapping_sub(self.taken) < self.later.len(), "a pair computes once");
        let mask = self.later.len() - 1;
        self.later[self.added & mask] = exchange;
        self.added = self.added.wrapping_add(times as usize);
    }

    /// The next cycle at which messages are injected.
    #[inline]
    pub(super) fn next_cycle(&self) -> Option<u64> {
        let first_stage = self.first_stage.last().map(|exchange| exchange.cycle);
        let later = (self.taken != self.added).then(|| self.peek().cycle);
        match (first_stage, later) {
            (Some(one), Some(other)) => Some(one.min(other)),
            (one, other) => one.or(other),
        }
    }

    /// Takes a pair whose messages are injected at `now`, the next such cycle.
    #[inline]
    pub(super) fn take(&mut self, now: u64) -> Option<PendingExchange> {
        let exchange = self.peek();
        if self.taken != self.added && exchange.cycle == now {
            self.taken = self.taken.wrapping_add(1);
            return Some(exchange);
        }
        self.first_stage.pop_if(|exchange| exchange.cycle == now)
    }

    /// The next exchange in the ring; any pair if it is empty.
    #[inline]
    fn peek(&self) -> PendingExchange {
        self.later[self.taken & (self.later.len() - 1)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exchange(cycle: u64, process: u32) -> PendingExchange {
        PendingExchange { cycle, process, stage: 3 }
    }

    /// Takes all exchanges, cycle by cycle.
    fn drain(exchanges: &mut ExchangeQueue) -> Vec<PendingExchange> {
        let mut taken = vec![];
        while let Some(cycle) = exchanges.next_cycle() {
            taken.extend(std::iter::from_fn(|| exchanges.take(cycle)));
        }
        taken
    }

    #[test]
    fn pairs_of_the_first_stage_and_later_ones_come_in_order() {
        let mut exchanges = ExchangeQueue::new(8);
        let first_stage = [exchange(30, 0), exchange(10, 1), exchange(10, 2), exchange(50, 3)];
        exchanges.add_first_stage(first_stage.into_iter());
        exchanges.add(exchange(10, 4), 1);
        exchanges.add(exchange(30, 5), 1);
        exchanges.add(exchange(40, 6), 1);
        let cycles = drain(&mut exchanges).iter().map(|exchange| exchange.cycle).collect::<Vec<_>>();
        assert_eq!(cycles, [10, 10, 10, 30, 30, 40, 50]);
    }

    #[test]
    fn incomplete_pairs_are_not_queued_and_indices_wrap_around() {
        let mut exchanges = ExchangeQueue::new(4);
        for round in 0..20 {
            exchanges.add(exchange(round, 0), 0);
            assert_eq!((exchanges.next_cycle(), exchanges.take(round)), (None, None));
            exchanges.add(exchange(round, 1), 1);
            exchanges.add(exchange(round, 3), 0);
            exchanges.add(exchange(round, 2), 1);
            assert_eq!(drain(&mut exchanges), [exchange(round, 1), exchange(round, 2)]);
        }
    }
}
