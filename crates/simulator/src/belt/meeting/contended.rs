//! The queues of channels whose links take several cycles.

use crate::belt::{
    layout::Stop,
    process::{Process, State},
    stages::Stages,
};

/// The channels with queues: those that somebody waits for, and those that will be busy when the next
/// message arrives.
///
/// A queue is a list of processes, whose messages wait; the links between them are kept with the processes.
#[derive(Debug)]
pub(super) struct ContendedChannels {
    contended: Vec<u64>, // a bit for each channel, set while it has a queue: few words, often looked at
    places: Vec<u32>,    // for each channel with a queue, the place of that
    queues: Vec<Queue>,
    vacant: Vec<u32>, // places of queues that no channel has
}

/// The queue of one channel.
#[derive(Debug, Clone, Copy)]
pub(super) struct Queue {
    /// Where the channel leads on from.
    pub(super) stop: Stop,
    /// The messages that wait.
    pub(super) length: u32,
    /// 1 + the process whose message is first, 0 while nobody waits.
    pub(super) first: u32,
    /// 1 + the process whose message is last, 0 while nobody waits.
    pub(super) last: u32,
    /// The latest cycle at which messages joined, and how many did.
    pub(super) latest: (u64, u32),
}

impl ContendedChannels {
    /// Of `channels` channels, none with a queue.
    pub(super) fn new(channels: usize) -> Self {
        Self {
            contended: vec![0; channels.div_ceil(64)],
            places: vec![0; channels],
            queues: vec![],
            vacant: vec![],
        }
    }

    /// The place of a channel's queue, if it has one.
    #[inline]
    pub(super) fn place(&self, channel: usize) -> Option<u32> {
        let is_contended = self.contended[channel / 64] >> (channel % 64) & 1 == 1;
        is_contended.then(|| self.places[channel])
    }

    /// Gives the channel that leads on from a stop a queue and returns its place.
    pub(super) fn open(&mut self, stop: Stop) -> u32 {
        let channel = stop.channel();
        let queue = Queue { stop, length: 0, first: 0, last: 0, latest: (0, 0) };
        let place = if let Some(place) = self.vacant.pop() {
            self.queues[place as usize] = queue;
            place
        } else {
            self.queues.push(queue);
            u32::try_from(self.queues.len() - 1).unwrap_or(u32::MAX) // no more than channels, below 2^31
        };
        self.places[channel] = place;
        self.contended[channel / 64] |= 1 << (channel % 64);
        place
    }

    /// Takes the queue of a channel away.
    pub(super) fn close(&mut self, channel: usize) {
        if let Some(place) = self.place(channel) {
            self.contended[channel / 64] &= !(1 << (channel % 64));
            self.vacant.push(place);
        }
    }

    /// The queue at a place.
    #[inline]
    pub(super) fn queue(&mut self, place: u32) -> &mut Queue {
        &mut self.queues[place as usize]
    }
}

impl Queue {
    /// Queues a message that joined at `joined`, in the order of the model.
    #[inline]
    pub(super) fn add(&mut self, processes: &mut [Process], stages: &Stages, process: u32, joined: u64) {
        let own = &mut processes[process as usize];
        (own.state, own.time, own.next) = (State::Queued, joined, 0);
        self.count(joined);
        let Some(last) = self.last.checked_sub(1) else {
            (self.first, self.last) = (process + 1, process + 1);
            return;
        };
        // Most join after all others: their stages and sources need no look.
        if processes[last as usize].time < joined
            || key(processes, stages, last) < key(processes, stages, process)
        {
            processes[last as usize].next = process + 1;
            self.last = process + 1;
        } else {
            self.insert(processes, stages, process);
        }
    }

    /// Puts a message into a queue whose last message comes after it.
    #[cold]
    fn insert(&mut self, processes: &mut [Process], stages: &Stages, process: u32) {
        let own = key(processes, stages, process);
        let (mut before, mut next) = (0, self.first);
        while key(processes, stages, next - 1) < own {
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
    pub(super) fn take_first(&mut self, processes: &[Process]) -> Option<u32> {
        let first = self.first.checked_sub(1)?;
        self.first = processes[first as usize].next;
        self.length -= 1;
        if self.first == 0 {
            self.last = 0;
        }
        Some(first)
    }

    /// The messages that were left waiting when the cycle before `now` ended.
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

/// What orders a queue, smallest first: when the message joined it, its stage and its source.
fn key(processes: &[Process], stages: &Stages, process: u32) -> (u64, (u32, u32)) {
    let own = &processes[process as usize];
    (own.time, own.rank(process, stages))
}
