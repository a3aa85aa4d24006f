//! The state of a run: the clock, the processes, and future events.
//!
//! A process awaits one message at a time, so a message needs no number of its own: its destination
//! identifies it. The contents of slots and queues belong to the channel models.

use cubefold_topology::NodeId;
use prefetch_index::prefetch_index;

use super::{
    route_table::{ChannelMap, ChannelPosition},
    stages::StageSequence,
};
use crate::event_queue::{EventLists, EventQueue};

/// Number of processes whose states stay in the caches without prefetching.
pub(super) const MAX_CACHED_PROCESSES: usize = 1 << 14;
/// Number of exchanges whose states are prefetched together.
pub(super) const PREFETCHED_EXCHANGES: usize = 16;

/// The state of a run, without slots and queues.
#[derive(Debug)]
pub(super) struct SimulationState<'run, L> {
    pub(super) channels: &'run ChannelMap,
    pub(super) stages: &'run StageSequence,
    pub(super) processes: Vec<ProcessState>,
    pub(super) exchanges: ExchangeQueue,
    pub(super) events: EventQueue<L>, // the ends of legs, by destination of the message
    belts: Vec<Belt>,                 // by dimension
    pub(super) now: u64,
    pub(super) longest_queue: u32, // after the arbitration of a cycle, over all runs so far
}

/// The slots of the lines of a dimension, which all move together.
#[derive(Debug, Clone, Copy)]
struct Belt {
    length: u32,   // slots of a line
    rotation: u32, // positions by which they have moved so far, below `length`
}

impl<'run, L: EventLists> SimulationState<'run, L> {
    /// The state before the first run of `processes` processes.
    pub(super) fn new(channels: &'run ChannelMap, stages: &'run StageSequence, processes: usize) -> Self {
        let longest_transfer = stages.hop.saturating_mul(channels.diameter());
        let horizon = longest_transfer.saturating_add(1);
        Self {
            channels,
            stages,
            processes: vec![],
            exchanges: ExchangeQueue::default(),
            events: EventQueue::new(horizon, processes),
            belts: (0..channels.dimension_count())
                .map(|dimension| Belt { length: channels.line_length(dimension), rotation: 0 })
                .collect(),
            now: 0,
            longest_queue: 0,
        }
    }

    /// Begins a run of processes on these nodes at a stage; `finishes` are the cycles at which they finished
    /// the previous stage.
    pub(super) fn restart(&mut self, nodes: &[NodeId], stage: u32, finishes: &[u64]) {
        self.set_now(finishes.iter().copied().min().unwrap_or(0));
        self.events.restart(self.now);
        self.exchanges.restart(nodes.len());
        self.processes.clear();
        let all = nodes.iter().zip(finishes);
        self.processes.extend(all.map(|(&node, &finish)| ProcessState::new(node, stage, finish)));
    }

    /// Sets the clock, and moves the slots with it.
    pub(super) fn set_now(&mut self, now: u64) {
        self.now = now;
        let steps = if self.stages.hop == 1 { now } else { now.div_ceil(self.stages.hop) };
        for (dimension, belt) in self.belts.iter_mut().enumerate() {
            belt.rotation = self.channels.rotation(dimension, steps);
        }
    }

    /// The slot that is currently at a position.
    #[inline]
    pub(super) fn slot(&self, at: ChannelPosition) -> u32 {
        let Belt { length, rotation } = self.belts[at.dimension()];
        at.slot(rotation, length)
    }

    /// Lets the message for a process move over the remaining links of its leg. Returns the cycle at which
    /// the leg ends without contention.
    #[inline]
    pub(super) fn transmit(&mut self, process: u32) -> u64 {
        let message = &mut self.processes[process as usize];
        message.time = self.now + self.stages.hop * u64::from(message.hops);
        message.status = MessageStatus::Moving;
        message.schedule(process, &mut self.events);
        message.time
    }

    /// Prefetches the states of the next partners of these processes.
    #[inline]
    pub(super) fn prefetch_partners(&self, processes: &[u32]) {
        for &process in processes {
            let stage = self.processes[process as usize].stage;
            if let Some(partner) = self.stages.partner(process, stage + 1) {
                prefetch_index(&self.processes, partner as usize);
            }
        }
    }

    /// Prefetches the states of the processes of the next exchanges.
    #[inline]
    pub(super) fn prefetch_exchanges(&self) {
        for index in 0..PREFETCHED_EXCHANGES {
            let PendingExchange { process, stage, .. } = self.exchanges.peek(index);
            if let Some(partner) = self.stages.partner(process, stage) {
                prefetch_index(&self.processes, process as usize);
                prefetch_index(&self.processes, partner as usize);
            }
        }
    }
}

/// The state of one process and of the message that it awaits.
///
/// One cache line: on machines larger than the caches, fetching these lines dominates the cost of an event.
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
pub(super) struct ProcessState {
    /// The cycle at which it finished the previous stage, or started.
    pub(super) finish: u64,
    /// The cycle at which the message of this stage was injected.
    pub(super) start: u64,
    /// For a moving message the cycle at which its leg ends without contention; for a queued one, if links
    /// take several cycles, the cycle at which it joined.
    pub(super) time: u64,
    /// The slot of a moving message, if links take several cycles.
    pub(super) slot: u32,
    /// The remaining links of the leg of a queued message.
    pub(super) hops: u32,
    /// The node at which the leg ends.
    pub(super) leg_end: NodeId,
    /// The position of that node on its line, if links take several cycles.
    pub(super) goal: u32,
    /// The links of this leg and the earlier ones.
    pub(super) distance: u32,
    /// The next process in the same queue. If links take several cycles: 1 + its number, also in a slot, and 0 at
    /// the end.
    pub(super) next: u32,
    /// Its node.
    pub(super) node: NodeId,
    /// Number of stages that it has finished.
    pub(super) stage: u32,
    /// The status of the message that it awaits.
    pub(super) status: MessageStatus,
    /// Whether the event queue holds an event for it.
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
    /// A process on `node` that finishes the stage before `stage` at `finish`.
    fn new(node: NodeId, stage: u32, finish: u64) -> Self {
        Self {
            finish,
            start: 0,
            time: 0,
            slot: 0,
            hops: 0,
            leg_end: node,
            goal: 0,
            distance: 0,
            next: 0,
            node,
            stage,
            status: MessageStatus::NotInjected,
            has_event: false,
        }
    }

    /// Adds an event at its time, unless one is queued already, which is then rescheduled when due.
    #[inline]
    pub(super) fn schedule<L: EventLists>(&mut self, process: u32, events: &mut EventQueue<L>) {
        if !self.has_event {
            self.has_event = true;
            events.add(process, self.time);
        }
    }

    /// The order of messages in a queue that joined in the same cycle, smallest first: their stage and
    /// source.
    #[inline]
    pub(super) fn rank(&self, process: u32, stages: &StageSequence) -> (u32, u32) {
        (self.stage, stages.partner(process, self.stage).unwrap_or(process))
    }
}

/// Pairs of computing partners, in the order in which their messages are injected.
///
/// All computations take the same time, so pairs that become complete first inject first. Only the pairs of
/// the first stage of a run have to be sorted, since processes may begin at any cycle.
#[derive(Debug, Default)]
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
    /// One of the two processes.
    pub(super) process: u32,
    /// Their stage.
    pub(super) stage: u32,
}

impl ExchangeQueue {
    /// Makes room for a run of `processes` processes.
    fn restart(&mut self, processes: usize) {
        debug_assert!(self.next_cycle().is_none(), "no pair computes at the end of a run");
        let size = (processes / 2).next_power_of_two();
        if self.later.len() != size {
            self.later = vec![PendingExchange::default(); size];
        }
    }

    /// Adds the pairs of the first stage of a run, in any order.
    pub(super) fn add_first_stage(&mut self, exchanges: impl Iterator<Item = PendingExchange>) {
        self.first_stage.reserve(self.later.len());
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
        let later = (self.taken != self.added).then(|| self.peek(0).cycle);
        match (first_stage, later) {
            (Some(one), Some(other)) => Some(one.min(other)),
            (one, other) => one.or(other),
        }
    }

    /// Takes a pair whose messages are injected at `now`, the next such cycle.
    #[inline]
    pub(super) fn take(&mut self, now: u64) -> Option<PendingExchange> {
        let exchange = self.peek(0);
        if self.taken != self.added && exchange.cycle == now {
            self.taken = self.taken.wrapping_add(1);
            return Some(exchange);
        }
        self.first_stage.pop_if(|exchange| exchange.cycle == now)
    }

    /// The exchange `index` places after the next one in the ring; any pair if there are fewer.
    #[inline]
    fn peek(&self, index: usize) -> PendingExchange {
        self.later[self.taken.wrapping_add(index) & (self.later.len() - 1)]
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
        let mut exchanges = ExchangeQueue::default();
        exchanges.restart(8);
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
        let mut exchanges = ExchangeQueue::default();
        exchanges.restart(4);
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
