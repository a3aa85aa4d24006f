//! Channels whose links take several cycles.
//!
//! A slot lasts for the time of a link, so that it may hold several messages at different times of it; a
//! message that joins a channel also looks at the neighbouring slots. A channel with a queue arbitrates
//! whenever it is idle. It also has a queue while a message is known to pass during a transmission.

use cubefold_topology::{ring_add, ring_sub};

use super::{
    channel_queue::{ChannelQueue, QueueIndex},
    event_loop::ChannelModel,
    route_table::ChannelPosition,
    state::{ProcessState, SimulationState},
};
use crate::event_queue::{ChunkedLists, EventLists, EventQueue};

/// Slots and queues of these channels.
#[derive(Debug)]
pub(super) struct SeveralCycleLinks {
    slots: Vec<u32>, // for each slot, 1 + the first process whose message is in it; 0 if it is empty
    index: QueueIndex,
    queues: Vec<ChannelQueue>,
    vacant: Vec<u32>,                       // indices of unused queues
    arbitrations: EventQueue<ChunkedLists>, // by index of the queue
}

/// The message at a channel without a queue, from the viewpoint of a joining message.
enum Occupant {
    /// No message.
    None,
    /// A message that passes in this cycle.
    Passing(Crossing),
    /// A message whose transmission ends at the given cycle.
    Transmitting(u64),
}

/// A slot, relative to the one at a channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SlotOffset {
    /// The slot at the channel.
    Here,
    /// The next in the direction of travel.
    Ahead,
    /// The one before it.
    Behind,
}

/// A channel in the present cycle.
#[derive(Debug, Clone, Copy)]
struct ChannelView {
    at: ChannelPosition,
    length: u32, // of the line
    here: u32,   // the number of the slot at the channel
    now: u64,
    hop: u64,
}

impl ChannelView {
    #[inline]
    fn of<L: EventLists>(at: ChannelPosition, state: &SimulationState<'_, L>) -> Self {
        let length = state.channels.line_length(at.dimension());
        Self { at, length, here: state.slot(at), now: state.now, hop: state.stages.hop }
    }

    /// The number of a slot.
    #[inline]
    fn slot(&self, offset: SlotOffset) -> usize {
        let (line, length) = (self.at.line, self.length);
        let number = match offset {
            SlotOffset::Here => self.here,
            SlotOffset::Ahead => line + ring_add(self.here - line, 1, length),
            SlotOffset::Behind => line + ring_sub(self.here - line, 1, length),
        };
        number as usize
    }

    /// The crossing of the channel by a message in a slot.
    #[inline]
    fn crossing(&self, process: u32, message: &ProcessState) -> Crossing {
        let hops = ring_sub(message.goal, self.at.position, self.length);
        Crossing { process, hops, end: message.time, end_from_now: self.now + self.hop * u64::from(hops) }
    }
}

/// The crossing of a channel of its leg by a message in a slot.
struct Crossing {
    process: u32,
    /// The links from the channel to the end of the leg, at least 1.
    hops: u32,
    /// The cycle at which the leg ends without contention.
    end: u64,
    /// The cycle at which the leg would end if the message crossed the channel now.
    end_from_now: u64,
}

impl Crossing {
    /// Whether the message reaches the channel in this cycle.
    fn is_now(&self, _: u64) -> bool {
        self.end == self.end_from_now
    }

    /// Whether it is being transmitted: it reached the channel before, but less than a hop before.
    fn is_under_way(&self, hop: u64) -> bool {
        self.end < self.end_from_now && self.end + hop > self.end_from_now
    }

    /// Whether it reaches the channel less than a hop after this cycle.
    fn is_close_behind(&self, hop: u64) -> bool {
        self.end > self.end_from_now && self.end < self.end_from_now + hop
    }

    /// Whether it has reached the channel, less than a hop ago.
    fn has_arrived(&self, hop: u64) -> bool {
        self.end <= self.end_from_now && self.end + hop > self.end_from_now
    }
}

impl<L: EventLists> ChannelModel<L> for SeveralCycleLinks {
    fn new(state: &SimulationState<'_, L>) -> Self {
        let channels = state.channels.channel_count();
        Self {
            slots: vec![0; channels],
            index: QueueIndex::new(channels),
            queues: vec![],
            vacant: vec![],
            arbitrations: EventQueue::new(state.stages.hop.saturating_add(1), channels),
        }
    }

    fn restart(&mut self, state: &SimulationState<'_, L>) {
        self.arbitrations.restart(state.now);
    }

    #[inline]
    fn advance(&mut self, _: u64, _: u64) {}

    fn next_arbitration(&self, _: &SimulationState<'_, L>) -> Option<u64> {
        self.arbitrations.next_cycle()
    }

    #[inline]
    fn join(&mut self, state: &mut SimulationState<'_, L>, process: u32, at: ChannelPosition) {
        let view = ChannelView::of(at, state);
        let message = &mut state.processes[process as usize];
        message.goal = ring_add(at.position, message.hops, view.length);
        if let Some(index) = self.index.get(at.channel()) {
            self.enqueue(state, index, process);
            return;
        }
        match self.occupant(state, &view) {
            Occupant::None if self.is_followed(state, &view) => {
                // Others may join in this cycle and take precedence: only the arbitration decides.
                let index = self.open(at);
                self.enqueue(state, index, process);
                self.arbitrations.add(index, state.now);
            }
            Occupant::None => self.transmit(state, process, view.here),
            Occupant::Passing(other) => {
                let index = self.open(at);
                self.take_out(state, &other);
                self.enqueue(state, index, other.process);
                self.enqueue(state, index, process);
                self.arbitrations.add(index, state.now);
            }
            Occupant::Transmitting(until) => {
                let index = self.open(at);
                self.enqueue(state, index, process);
                self.arbitrations.add(index, until);
            }
        }
    }

    /// Removes a message from its slot, whose other messages may leave in the same cycle.
    #[inline]
    fn leave(&mut self, state: &mut SimulationState<'_, L>, process: u32) {
        let message = &state.processes[process as usize];
        let first = &mut self.slots[message.slot as usize];
        if *first == process + 1 {
            *first = message.next;
        } else {
            leave_list(&mut state.processes, process, *first);
        }
    }

    fn arbitrate(&mut self, state: &mut SimulationState<'_, L>) {
        while let Some(chunk) = self.arbitrations.take(state.now) {
            for &index in chunk.as_ref() {
                self.grant(state, index);
            }
        }
    }
}

impl SeveralCycleLinks {
    /// Gives a channel an empty queue, and returns its index.
    fn open(&mut self, at: ChannelPosition) -> u32 {
        let queue = ChannelQueue::new(at);
        let index = if let Some(index) = self.vacant.pop() {
            self.queues[index as usize] = queue;
            index
        } else {
            self.queues.push(queue);
            u32::try_from(self.queues.len() - 1).unwrap_or(u32::MAX) // at most one per channel, below 2^31
        };
        self.index.insert(at.channel(), index);
        index
    }

    /// Lets an idle channel take all messages that have arrived, and grant the first.
    fn grant<L: EventLists>(&mut self, state: &mut SimulationState<'_, L>, index: u32) {
        let mut queue = self.queues[index as usize];
        let view = ChannelView::of(queue.at, state);
        self.collect(state, &view, &mut queue);
        let left = queue.left_before(state.now);
        let waiting = queue.length().saturating_sub(1);
        state.longest_queue = state.longest_queue.max(left).max(waiting);
        // There is none if the expected message was blocked on its way.
        let first = queue.take_first(&state.processes);
        if let Some(first) = first {
            self.transmit(state, first, view.here);
        }
        if waiting > 0 || first.is_some() && self.is_followed(state, &view) {
            self.arbitrations.add(index, state.now + state.stages.hop);
            self.queues[index as usize] = queue;
        } else {
            self.index.remove(queue.at.channel());
            self.vacant.push(index);
        }
    }

    /// Takes all messages that have reached the channel since its last transmission out of their slots.
    #[inline]
    fn collect<L: EventLists>(
        &mut self,
        state: &mut SimulationState<'_, L>,
        view: &ChannelView,
        queue: &mut ChannelQueue,
    ) {
        // One at a time: each removal changes the list that is searched.
        let around = [SlotOffset::Here, SlotOffset::Ahead];
        while let Some(crossing) = self.find(state, view, &around, Crossing::has_arrived) {
            let joined = state.now - (crossing.end_from_now - crossing.end);
            self.take_out(state, &crossing);
            queue.add(&mut state.processes, state.stages, crossing.process, joined);
        }
    }

    /// The message at a channel without a queue.
    #[inline]
    fn occupant<L: EventLists>(&self, state: &SimulationState<'_, L>, view: &ChannelView) -> Occupant {
        if let Some(crossing) = self.find(state, view, &[SlotOffset::Here], Crossing::is_now) {
            return Occupant::Passing(crossing);
        }
        match self.find(state, view, &[SlotOffset::Here, SlotOffset::Ahead], Crossing::is_under_way) {
            Some(crossing) => {
                Occupant::Transmitting(view.now + view.hop - (crossing.end_from_now - crossing.end))
            }
            None => Occupant::None,
        }
    }

    /// Whether a message reaches the channel during a transmission that begins now.
    #[inline]
    fn is_followed<L: EventLists>(&self, state: &SimulationState<'_, L>, view: &ChannelView) -> bool {
        let around = [SlotOffset::Here, SlotOffset::Behind];
        self.find(state, view, &around, Crossing::is_close_behind).is_some()
    }

    /// The first message in the slots around a channel whose crossing satisfies a condition.
    #[inline]
    fn find<L: EventLists>(
        &self,
        state: &SimulationState<'_, L>,
        view: &ChannelView,
        slots: &[SlotOffset],
        wanted: impl Fn(&Crossing, u64) -> bool,
    ) -> Option<Crossing> {
        for &slot in slots {
            let mut next = self.slots[view.slot(slot)];
            while let Some(process) = next.checked_sub(1) {
                let message = &state.processes[process as usize];
                let crossing = view.crossing(process, message);
                if crossing.hops > 0 && wanted(&crossing, view.hop) {
                    return Some(crossing);
                }
                next = message.next;
            }
        }
        None
    }

    /// Puts a message into a slot for the rest of its leg.
    #[inline]
    fn transmit<L: EventLists>(&mut self, state: &mut SimulationState<'_, L>, process: u32, slot: u32) {
        state.transmit(process);
        let first = std::mem::replace(&mut self.slots[slot as usize], process + 1);
        let message = &mut state.processes[process as usize];
        (message.slot, message.next) = (slot, first);
    }

    /// Takes a passing message that is stopped out of its slot.
    #[inline]
    fn take_out<L: EventLists>(&mut self, state: &mut SimulationState<'_, L>, crossing: &Crossing) {
        self.leave(state, crossing.process);
        state.processes[crossing.process as usize].hops = crossing.hops;
    }

    /// Adds a message that joins in this cycle to a queue.
    #[inline]
    fn enqueue<L: EventLists>(&mut self, state: &mut SimulationState<'_, L>, index: u32, process: u32) {
        let queue = &mut self.queues[index as usize];
        queue.add(&mut state.processes, state.stages, process, state.now);
    }
}

/// Removes a message from the list of a slot in which it is not first.
#[cold]
fn leave_list(processes: &mut [ProcessState], process: u32, first: u32) {
    let after = processes[process as usize].next;
    let mut before = first;
    while let Some(other) = before.checked_sub(1) {
        let other = &mut processes[other as usize];
        if other.next == process + 1 {
            other.next = after;
            return;
        }
        before = other.next;
    }
    debug_assert!(false, "a moving message is in its slot");
}
