//! The channels of a line whose links take one cycle.
//!
//! A slot holds at most one message, and is at every node for one cycle. A channel transmits in every cycle
//! in which a message waits for it. So it has a queue only while messages wait, and all queues arbitrate in
//! every cycle, in the order of memory.
//!
//! A queue is a list of processes whose messages wait; its links are stored with the processes. Its order is that of
//! `docs/model.md` section 5: the cycle at which a message joined, its stage, its source.

use cubefold_topology::narrow;

use super::{
    line_routes::ChannelPosition,
    stages::Segment,
    state::{LineState, MessageStatus, ProcessState},
};
use crate::time_wheel::TimeWheel;

/// Slots and queues of these channels.
#[derive(Debug)]
pub(super) struct OneCycleLinks {
    length: u32, // of the line
    slots: Vec<Slot>,
    index: QueueIndex,
    queues: Vec<OneCycleQueue>,
    emptied: Vec<usize>, // the indices of queues that have become empty
    swept: u64,          // no empty slot has an end before this cycle
}

/// A slot. A message leaves it as time passes, without an update.
///
/// Only the low word of cycles is stored. Messages move for less than 2^30 cycles, and past ends are swept
/// before they could look like future ones.
#[derive(Debug, Clone, Copy)]
struct Slot {
    end: u32, // the cycle at which its message arrives; at most now if it is empty
    process: u32,
}

impl Slot {
    /// A slot with a message that arrives at a cycle.
    #[inline]
    fn taken(process: u32, end: u64) -> Self {
        Self { end: word(end), process }
    }

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
    line: u32,   // the number of the first slot of its direction
    channel: u32,
    slot: u32, // the slot that is at the channel
    first: u32,
    last: u32,
    before_latest: Option<u32>, // the last message that joined before the latest cycle
    length: u32,
}

/// The channels that have a queue, with the index of each queue.
#[derive(Debug)]
struct QueueIndex {
    has_queue: Vec<u64>, // a bit per channel: few words, which are read often
    indices: Vec<u32>,   // by channel with a queue, the index of the queue
}

impl QueueIndex {
    /// An index of `channels` channels without queues.
    fn new(channels: usize) -> Self {
        Self { has_queue: vec![0; channels.div_ceil(64)], indices: vec![0; channels] }
    }

    /// The index of the queue of a channel, if it has one.
    #[inline]
    fn get(&self, channel: u32) -> Option<u32> {
        let channel = channel as usize;
        let has_queue = self.has_queue[channel / 64] >> (channel % 64) & 1 == 1;
        has_queue.then(|| self.indices[channel])
    }

    /// Records the index of the queue of a channel.
    fn insert(&mut self, channel: u32, index: u32) {
        let channel = channel as usize;
        self.has_queue[channel / 64] |= 1 << (channel % 64);
        self.indices[channel] = index;
    }

    /// Records that a channel has no queue.
    fn remove(&mut self, channel: u32) {
        let channel = channel as usize;
        self.has_queue[channel / 64] &= !(1 << (channel % 64));
    }
}

impl OneCycleLinks {
    /// Memory for a node: in both directions a slot, the index of a queue, and the bit for it \[bytes\].
    pub(super) const BYTES_A_NODE: u64 = 2 * (size_of::<Slot>() as u64 + 4 + 1);

    /// Interval after which slots are swept: long before low words of cycles repeat.
    const SWEEP_AFTER: u64 = 1 << 30;

    /// The channels of a line of `length` nodes at a cycle, all idle.
    pub(super) fn new(length: u32, now: u64) -> Self {
        let channels = 2 * length as usize;
        Self {
            length,
            slots: vec![Slot::empty(now); channels],
            index: QueueIndex::new(channels),
            queues: vec![],
            emptied: vec![],
            swept: now,
        }
    }

    /// Whether messages wait: then channels arbitrate in the next cycle.
    #[inline]
    pub(super) fn has_queues(&self) -> bool {
        !self.queues.is_empty()
    }

    /// Prepares for the clock to pass from a cycle to the next one with an event.
    #[inline]
    pub(super) fn advance(&mut self, from: u64, to: u64) {
        if to - self.swept >= Self::SWEEP_AFTER {
            self.sweep(from, to);
        }
    }

    /// Lets the message for `process` join the channel that leads on from `at`.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "a call for each message costs as much as its work")]
    pub(super) fn join(&mut self, state: &mut LineState<'_>, process: u32, at: ChannelPosition) {
        if let Some(index) = self.index.get(at.channel()) {
            let queue = &mut self.queues[index as usize];
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

    /// Lets every channel with a queue grant its first message.
    pub(super) fn arbitrate(&mut self, state: &mut LineState<'_>) {
        let LineState { processes, events, stages, now, .. } = state;
        let mut context = GrantContext { processes, events, stages, now: *now };
        let (slots, mut longest) = (&mut self.slots[..], 0);
        for (index, queue) in self.queues.iter_mut().enumerate() {
            queue.grant(&mut slots[queue.slot as usize], &mut context);
            queue.slot = if queue.slot == queue.line { queue.line + self.length - 1 } else { queue.slot - 1 };
            longest = longest.max(queue.length);
            if queue.length == 0 {
                self.emptied.push(index);
            }
        }
        state.longest_queue = state.longest_queue.max(longest);
        self.close_empty();
    }

    /// Keeps slots that were empty at a cycle empty at a later one, with no message arriving in between.
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
    fn open(&mut self, state: &mut LineState<'_>, process: u32, at: ChannelPosition, slot: u32) {
        state.processes[process as usize].status = MessageStatus::Queued;
        self.index.insert(at.channel(), narrow(self.queues.len() as u64));
        self.queues.push(OneCycleQueue {
            latest: state.now,
            line: at.first,
            channel: at.channel(),
            slot,
            first: process,
            last: process,
            before_latest: None,
            length: 1,
        });
    }

    /// Removes the queues that the arbitration has emptied.
    fn close_empty(&mut self) {
        // In reverse, so that the queue that takes the place of another one is not empty.
        while let Some(index) = self.emptied.pop() {
            self.index.remove(self.queues.swap_remove(index).channel);
            if let Some(moved) = self.queues.get(index) {
                self.index.insert(moved.channel, narrow(index as u64));
            }
        }
    }
}

/// Data for the arbitration of the queues in a cycle.
struct GrantContext<'state> {
    processes: &'state mut [ProcessState],
    events: &'state mut TimeWheel<u32>,
    stages: &'state Segment,
    now: u64,
}

impl OneCycleQueue {
    /// Takes the passing message, if there is one, and puts the first message into its slot.
    #[inline]
    fn grant(&mut self, slot: &mut Slot, context: &mut GrantContext<'_>) {
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
        (message.end, message.status) = (end, MessageStatus::Moving);
        if !message.has_event {
            schedule(message, first, events);
        }
        self.first = message.next; // any process, after the last
        *slot = Slot::taken(first, end);
    }

    /// Adds a message that joins now.
    #[inline]
    fn add(&mut self, processes: &mut [ProcessState], stages: &Segment, process: u32, now: u64) {
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
    fn insert(&mut self, processes: &mut [ProcessState], stages: &Segment, process: u32) {
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
fn schedule(message: &mut ProcessState, process: u32, events: &mut TimeWheel<u32>) {
    message.schedule(process, events);
}

#[cfg(test)]
mod tests {
    use cubefold_mapping::{EmbeddingKind, Hypercube, Placement};
    use cubefold_topology::{LinkMode, Machine, MachineKind, TieRule};

    use crate::{
        BulkStages, Communication, CubeProgram, Cycles, EngineChoice, Request, StageRecord, simulate,
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
        let belt = EngineChoice::Belt(BulkStages::No);
        for length in [1_u64 << 30, 1 << 31, 1 << 32, 3 << 32] {
            for compute in length - 20..length + 3 {
                assert!(records(compute, belt) == records(compute, EngineChoice::Hop), "T_a = {compute}");
            }
        }
        assert!(records(1 << 32, belt).iter().any(|record| record.blocked() > Cycles::ZERO));
    }
}
