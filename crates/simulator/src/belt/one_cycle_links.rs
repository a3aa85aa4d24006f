//! Channels whose links take one cycle.
//!
//! A slot holds at most one message, and is at every node for one cycle. A channel transmits in every cycle
//! in which a message waits for it. So it has a queue only while messages wait, and all queues arbitrate in
//! every cycle, in the order of memory.

use cubefold_topology::narrow;

use super::{
    channel_queue::QueueIndex,
    event_loop::ChannelModel,
    route_table::ChannelPosition,
    stages::StageSequence,
    state::{MessageStatus, ProcessState, SimulationState},
};
use crate::event_queue::{EventLists, EventQueue};

/// Slots and queues of these channels.
#[derive(Debug)]
pub(super) struct OneCycleLinks {
    slots: Vec<Slot>,
    index: QueueIndex,
    queues: Vec<Vec<OneCycleQueue>>, // by dimension
    emptied: Vec<usize>,             // the indices of queues that have become empty
    swept: u64,                      // no empty slot has an end before this cycle
}

/// A slot. A message leaves it as time passes, without an update.
///
/// Only the low word of cycles is stored. Messages move for less than 2^30 cycles, and past ends are swept
/// before they could look like future ones.
#[derive(Debug, Clone, Copy)]
struct Slot {
    end: u32, // the cycle at which the leg of its message ends; at most now if it is empty
    process: u32,
}

impl Slot {
    /// A slot with a message whose leg ends at a cycle.
    #[inline]
    fn taken(process: u32, end: u64) -> Self {
        Self { end: word(end), process }
    }

    /// An empty slot.
    fn empty(now: u64) -> Self {
        Self { end: word(now), process: 0 }
    }

    /// The links that its message still has to cross; `None` if it is empty.
    #[inline]
    fn hops_left(self, now: u64) -> Option<u32> {
        let left = self.end.wrapping_sub(word(now));
        (left.cast_signed() > 0).then_some(left)
    }
}

/// The low word of a cycle.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "differences are what counts")]
fn word(cycle: u64) -> u32 {
    cycle as u32
}

/// The queue of a channel, never empty between cycles.
///
/// Messages join in the order of cycles, so that only the last ones need to be compared with most of them.
#[derive(Debug, Clone, Copy)]
struct OneCycleQueue {
    latest: u64, // the latest cycle at which a message joined other than by passing
    line: u32,   // the number of its line's first slot
    channel: u32,
    slot: u32, // the slot that is at the channel
    first: u32,
    last: u32,
    before_latest: Option<u32>, // the last message that joined before the latest cycle
    length: u32,
}

impl<L: EventLists> ChannelModel<L> for OneCycleLinks {
    fn new(state: &SimulationState<'_, L>) -> Self {
        let channels = state.channels.channel_count();
        Self {
            slots: vec![Slot::empty(0); channels],
            index: QueueIndex::new(channels),
            queues: vec![vec![]; state.channels.dimension_count()],
            emptied: vec![],
            swept: 0,
        }
    }

    fn restart(&mut self, state: &SimulationState<'_, L>) {
        self.slots.fill(Slot::empty(state.now));
        self.swept = state.now;
    }

    #[inline]
    fn advance(&mut self, from: u64, to: u64) {
        if to - self.swept >= Self::SWEEP_AFTER {
            self.sweep(from, to);
        }
    }

    #[inline]
    fn next_arbitration(&self, state: &SimulationState<'_, L>) -> Option<u64> {
        self.queues.iter().any(|queues| !queues.is_empty()).then(|| state.now + 1)
    }

    #[inline(always)]
    #[expect(clippy::inline_always, reason = "a call for each message costs as much as its work")]
    fn join(&mut self, state: &mut SimulationState<'_, L>, process: u32, at: ChannelPosition) {
        if let Some(index) = self.index.get(at.channel()) {
            let queue = &mut self.queues[at.dimension()][index as usize];
            queue.add(&mut state.processes, state.stages, process, state.now);
            return;
        }
        let number = state.slot(at);
        let slot = &mut self.slots[number as usize];
        if slot.hops_left(state.now).is_some() {
            // That message also continues from here. It stays in its slot until the arbitration.
            self.open(state, process, at, number);
        } else {
            *slot = Slot::taken(process, state.transmit(process));
        }
    }

    #[inline]
    fn leave(&mut self, _: &mut SimulationState<'_, L>, _: u32) {}

    fn arbitrate(&mut self, state: &mut SimulationState<'_, L>) {
        for dimension in 0..self.queues.len() {
            let length = state.channels.line_length(dimension);
            self.arbitrate_along(state, dimension, length);
            self.close_empty(dimension);
        }
    }
}

impl OneCycleLinks {
    /// Interval after which slots are swept: long before low words of cycles repeat.
    const SWEEP_AFTER: u64 = 1 << 30;

    /// Keeps slots that were empty at a cycle empty at a later one, with no leg ending in between.
    #[cold]
    fn sweep(&mut self, from: u64, to: u64) {
        for slot in &mut self.slots {
            if slot.hops_left(from).is_none() {
                *slot = Slot::empty(to);
            }
        }
        self.swept = to;
    }

    /// Opens a queue with its first message at a channel, whose slot is given.
    #[inline(never)] // few messages meet another one: keeps registers free for the common case
    fn open<L: EventLists>(
        &mut self,
        state: &mut SimulationState<'_, L>,
        process: u32,
        at: ChannelPosition,
        slot: u32,
    ) {
        state.processes[process as usize].status = MessageStatus::Queued;
        let queues = &mut self.queues[at.dimension()];
        let channel = at.channel();
        self.index.insert(channel, narrow(queues.len() as u64));
        queues.push(OneCycleQueue {
            latest: state.now,
            line: at.line,
            channel: narrow(channel as u64),
            slot,
            first: process,
            last: process,
            before_latest: None,
            length: 1,
        });
    }

    /// Lets all queues of a dimension, whose lines have `length` nodes, grant their first messages.
    fn arbitrate_along<L: EventLists>(
        &mut self,
        state: &mut SimulationState<'_, L>,
        dimension: usize,
        length: u32,
    ) {
        let SimulationState { processes, events, stages, now, .. } = state;
        let mut context = GrantContext { processes, events, stages, now: *now };
        let (slots, mut longest) = (&mut self.slots[..], 0);
        for (index, queue) in self.queues[dimension].iter_mut().enumerate() {
            queue.grant(&mut slots[queue.slot as usize], &mut context);
            queue.slot = if queue.slot == queue.line { queue.line + length - 1 } else { queue.slot - 1 };
            longest = longest.max(queue.length);
            if queue.length == 0 {
                self.emptied.push(index);
            }
        }
        state.longest_queue = state.longest_queue.max(longest);
    }

    /// Removes the queues that the arbitration has emptied.
    fn close_empty(&mut self, dimension: usize) {
        let queues = &mut self.queues[dimension];
        // In reverse, so that the queue that takes the place of another one is not empty.
        while let Some(index) = self.emptied.pop() {
            self.index.remove(queues.swap_remove(index).channel as usize);
            if let Some(moved) = queues.get(index) {
                self.index.insert(moved.channel as usize, narrow(index as u64));
            }
        }
    }
}

/// Data for the arbitration of the queues in a cycle.
struct GrantContext<'state, L> {
    processes: &'state mut [ProcessState],
    events: &'state mut EventQueue<L>,
    stages: &'state StageSequence,
    now: u64,
}

impl OneCycleQueue {
    /// Takes the passing message, if there is one, and puts the first message into its slot.
    #[inline]
    fn grant<L: EventLists>(&mut self, slot: &mut Slot, context: &mut GrantContext<'_, L>) {
        let GrantContext { processes, events, stages, now } = context;
        if let Some(hops) = slot.hops_left(*now) {
            let other = slot.process;
            processes[other as usize].hops = hops;
            if self.latest < *now {
                self.append(processes, other);
            } else {
                self.insert(processes, stages, other);
            }
        } else {
            self.length -= 1;
        }
        let first = self.first;
        let message = &mut processes[first as usize];
        let end = *now + u64::from(message.hops);
        (message.time, message.status) = (end, MessageStatus::Moving);
        if !message.has_event {
            schedule(message, first, events);
        }
        self.first = message.next; // any process, after the last
        *slot = Slot::taken(first, end);
    }

    /// Adds a message that joins now.
    #[inline]
    fn add(&mut self, processes: &mut [ProcessState], stages: &StageSequence, process: u32, now: u64) {
        self.length += 1;
        if self.latest < now {
            (self.before_latest, self.latest) = (Some(self.last), now);
            self.append(processes, process);
        } else {
            self.insert(processes, stages, process);
        }
    }

    /// Adds a message after all others.
    #[inline]
    fn append(&mut self, processes: &mut [ProcessState], process: u32) {
        processes[process as usize].status = MessageStatus::Queued;
        processes[self.last as usize].next = process;
        self.last = process;
    }

    /// Adds a message that joins in the same cycle as others.
    #[inline(never)] // the loop over all queues keeps its variables in registers
    fn insert(&mut self, processes: &mut [ProcessState], stages: &StageSequence, process: u32) {
        let rank = |processes: &[ProcessState], one: u32| processes[one as usize].rank(one, stages);
        let order = rank(processes, process);
        let mut before = self.before_latest;
        loop {
            let next = match before {
                Some(before) if before == self.last => return self.append(processes, process),
                Some(before) => processes[before as usize].next,
                None => self.first,
            };
            if rank(processes, next) >= order {
                processes[process as usize].status = MessageStatus::Queued;
                processes[process as usize].next = next;
                match before {
                    Some(before) => processes[before as usize].next = process,
                    None => self.first = process,
                }
                return;
            }
            before = Some(next);
        }
    }
}

/// Adds an event for a message that no longer waits.
#[inline(never)] // as above
fn schedule<L: EventLists>(message: &mut ProcessState, process: u32, events: &mut EventQueue<L>) {
    message.schedule(process, events);
}

#[cfg(test)]
mod tests {
    use cubefold_mapping::{EmbeddingKind, Hypercube, Placement};
    use cubefold_topology::{LinkMode, Machine, MachineKind, TieRule};

    use crate::{
        BulkStages, Communication, CubeProgram, Cycles, EngineChoice, Lines, Request, Shortcuts, StageRecord,
        simulate,
    };

    /// The records of a ring of 32 under byweight, where messages meet, with this computation time.
    fn records(compute: u64, engine: EngineChoice) -> Vec<StageRecord> {
        let cube = Hypercube::new(5).unwrap();
        let ring = Machine::new(MachineKind::Ring, &[32]).unwrap();
        let placement = Placement::embed(EmbeddingKind::Byweight, cube, &ring).unwrap();
        let program = CubeProgram::new(cube, CubeProgram::ascend(cube), Cycles::new(compute)).unwrap();
        let links = Communication::new(LinkMode::FullDuplex, Cycles::new(1), TieRule::Direct).unwrap();
        let request = Request::asynchronous(engine);
        let mut records = vec![];
        simulate(&program, &placement, links, &request, &mut records).unwrap();
        records.sort_unstable_by_key(|record| (record.process, record.stage));
        records
    }

    #[test]
    fn ends_of_long_ago_are_not_taken_for_ends_to_come() {
        let belt = EngineChoice::Belt(Shortcuts { lines: Lines::Whole, bulk: BulkStages::No });
        for length in [1_u64 << 30, 1 << 31, 1 << 32, 3 << 32] {
            for compute in length - 20..length + 3 {
                assert!(records(compute, belt) == records(compute, EngineChoice::Hop), "T_a = {compute}");
            }
        }
        assert!(records(1 << 32, belt).iter().any(|record| record.blocked() > Cycles::ZERO));
    }
}
