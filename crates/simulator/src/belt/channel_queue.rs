//! Queues of channels: which channels have one, and the order in which messages wait.
//!
//! Few channels have a queue at a time. A queue is a list of processes whose messages wait; its links are
//! stored with the processes. Its order is that of `docs/model.md` section 5: the cycle at which a message
//! joined, its stage, its source.

use super::{
    route_table::ChannelPosition,
    stages::StageSequence,
    state::{MessageStatus, ProcessState},
};

/// The channels that have a queue, with the index of each queue.
#[derive(Debug)]
pub(super) struct QueueIndex {
    has_queue: Vec<u64>, // a bit per channel: few words, which are read often
    indices: Vec<u32>,   // by channel with a queue, the index of the queue
}

impl QueueIndex {
    /// An index of `channels` channels without queues.
    pub(super) fn new(channels: usize) -> Self {
        Self { has_queue: vec![0; channels.div_ceil(64)], indices: vec![0; channels] }
    }

    /// The index of the queue of a channel, if it has one.
    #[inline]
    pub(super) fn get(&self, channel: usize) -> Option<u32> {
        let has_queue = self.has_queue[channel / 64] >> (channel % 64) & 1 == 1;
        has_queue.then(|| self.indices[channel])
    }

    /// Records the index of the queue of a channel.
    pub(super) fn insert(&mut self, channel: usize, index: u32) {
        self.has_queue[channel / 64] |= 1 << (channel % 64);
        self.indices[channel] = index;
    }

    /// Records that a channel has no queue.
    pub(super) fn remove(&mut self, channel: usize) {
        self.has_queue[channel / 64] &= !(1 << (channel % 64));
    }
}

/// The queue of one channel.
#[derive(Debug, Clone, Copy)]
pub(super) struct ChannelQueue {
    /// The position of the channel.
    pub(super) at: ChannelPosition,
    length: u32,
    first: u32,         // 1 + the process whose message is first, 0 if the queue is empty
    last: u32,          // 1 + the process whose message is last, 0 if the queue is empty
    latest: (u64, u32), // the latest cycle at which messages joined, and their number
}

impl ChannelQueue {
    /// An empty queue.
    pub(super) fn new(at: ChannelPosition) -> Self {
        Self { at, length: 0, first: 0, last: 0, latest: (0, 0) }
    }

    /// Number of waiting messages.
    pub(super) fn length(&self) -> u32 {
        self.length
    }

    /// Adds a message that joined at `joined`, now or earlier.
    #[inline]
    pub(super) fn add(
        &mut self,
        processes: &mut [ProcessState],
        stages: &StageSequence,
        process: u32,
        joined: u64,
    ) {
        let message = &mut processes[process as usize];
        (message.status, message.time, message.next) = (MessageStatus::Queued, joined, 0);
        self.count(joined);
        let Some(last) = self.last.checked_sub(1) else {
            (self.first, self.last) = (process + 1, process + 1);
            return;
        };
        // Most messages join after all others, so their stages and sources are not needed.
        if processes[last as usize].time < joined
            || key(processes, stages, last) < key(processes, stages, process)
        {
            processes[last as usize].next = process + 1;
            self.last = process + 1;
        } else {
            self.insert(processes, stages, process);
        }
    }

    /// Inserts a message before the last one.
    #[cold]
    fn insert(&mut self, processes: &mut [ProcessState], stages: &StageSequence, process: u32) {
        let order = key(processes, stages, process);
        let (mut before, mut next) = (0, self.first);
        while key(processes, stages, next - 1) < order {
            (before, next) = (next, processes[next as usize - 1].next);
        }
        match before {
            0 => self.first = process + 1,
            _ => processes[before as usize - 1].next = process + 1,
        }
        processes[process as usize].next = next;
    }

    /// Takes the first message.
    #[inline]
    pub(super) fn take_first(&mut self, processes: &[ProcessState]) -> Option<u32> {
        let first = self.first.checked_sub(1)?;
        self.first = processes[first as usize].next;
        self.length -= 1;
        if self.first == 0 {
            self.last = 0;
        }
        Some(first)
    }

    /// Number of messages that were waiting at the end of the cycle before `now`.
    #[inline]
    pub(super) fn left_before(&self, now: u64) -> u32 {
        let (cycle, count) = self.latest;
        if cycle == now { self.length - count } else { self.length }
    }

    /// Counts a message that joined at `cycle`.
    #[inline]
    fn count(&mut self, cycle: u64) {
        self.length += 1;
        let (latest, count) = &mut self.latest;
        match cycle.cmp(latest) {
            std::cmp::Ordering::Less => {}
            std::cmp::Ordering::Equal => *count += 1,
            std::cmp::Ordering::Greater => self.latest = (cycle, 1),
        }
    }
}

/// The order of a queue, smallest first: the cycle at which the message joined, its stage and its source.
fn key(processes: &[ProcessState], stages: &StageSequence, process: u32) -> (u64, (u32, u32)) {
    let message = &processes[process as usize];
    (message.time, message.rank(process, stages))
}
