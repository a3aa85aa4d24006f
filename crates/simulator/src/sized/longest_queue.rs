//! The longest queue of a channel that serves packets first come first served.

use cubefold_topology::narrow;

use crate::{Cycle, Cycles};

/// The longest queue of a channel so far.
///
/// A packet that is revoked joins again at the end of the cycle, and others with it: what was measured with it was no
/// more than what is measured then.
#[derive(Debug)]
pub(super) enum LongestQueue {
    /// Of packets that all occupy a channel equally long: they depart so far apart, and the length follows from how
    /// long the last one waits. `span` is the longest wait so far.
    OfOneSize {
        occupancy: Cycles,
        span: Cycles,
    },
    OfAnySizes(QueueLengths),
}

impl LongestQueue {
    pub(super) const BYTES_PER_CHANNEL: usize = size_of::<Queue>();
    pub(super) const BYTES_PER_PACKET: usize = size_of::<Departure>();

    /// That of so many empty queues of packets that all occupy a channel as long as it says, or of any packets.
    pub(super) fn new(channels: usize, occupancy: Option<Cycles>) -> Self {
        match occupancy {
            Some(occupancy) => Self::OfOneSize { occupancy, span: Cycles::ZERO },
            None => Self::OfAnySizes(QueueLengths::new(channels)),
        }
    }

    /// The most packets left in one queue at the end of any cycle so far.
    pub(super) fn length(&self) -> u32 {
        match self {
            Self::OfOneSize { occupancy, span } => narrow(span.get().div_ceil(occupancy.get())),
            Self::OfAnySizes(queues) => queues.longest,
        }
    }

    /// A packet that departs at `start`, later than `now` and than all in the queue, joins it at `now`.
    #[inline]
    pub(super) fn join(&mut self, channel: usize, start: Cycle, now: Cycle) {
        match self {
            Self::OfOneSize { span, .. } => *span = (*span).max(start - now),
            Self::OfAnySizes(queues) => queues.join(channel, start, now),
        }
    }

    /// The packet that has joined a queue last joins again later in the cycle.
    pub(super) fn revoke(&mut self, channel: usize) {
        if let Self::OfAnySizes(queues) = self {
            queues.revoke(channel);
        }
    }
}

/// The number of packets that wait for each channel.
#[derive(Debug)]
pub(super) struct QueueLengths {
    queues: Vec<Queue>,
    departures: Vec<Departure>, // the lists of all queues
    vacant: Vec<u32>,           // 1 + the entries of `departures` that are in no list
    longest: u32,
}

/// The departures of the packets in a queue, in order: 1 + the first and last entry, 0 of an empty
/// queue.
#[derive(Debug, Clone, Copy, Default)]
struct Queue {
    first: u32,
    last: u32,
    length: u32, // without those that were revoked
}

#[derive(Debug, Clone, Copy)]
struct Departure {
    start: Cycle,
    next: u32, // 1 + the next entry, 0 after the last
    is_revoked: bool,
}

impl QueueLengths {
    fn new(queues: usize) -> Self {
        Self { queues: vec![Queue::default(); queues], departures: vec![], vacant: vec![], longest: 0 }
    }

    fn join(&mut self, place: usize, start: Cycle, now: Cycle) {
        let queue = &mut self.queues[place];
        while let Some(first) = queue.first.checked_sub(1) {
            let Departure { start, next, is_revoked } = self.departures[first as usize];
            if start > now && !is_revoked {
                break;
            }
            self.vacant.push(queue.first);
            queue.first = next;
            queue.length -= u32::from(!is_revoked);
        }
        let departure = Departure { start, next: 0, is_revoked: false };
        let entry = if let Some(entry) = self.vacant.pop() {
            self.departures[entry as usize - 1] = departure;
            entry
        } else {
            self.departures.push(departure);
            narrow(self.departures.len() as u64) // below 2^32, more than memory holds
        };
        if queue.first == 0 {
            queue.first = entry;
        } else {
            self.departures[queue.last as usize - 1].next = entry;
        }
        queue.last = entry;
        queue.length += 1;
        self.longest = self.longest.max(queue.length);
    }

    fn revoke(&mut self, place: usize) {
        let queue = &mut self.queues[place];
        if let Some(last) = queue.last.checked_sub(1) {
            self.departures[last as usize].is_revoked = true;
            queue.length -= 1;
        }
    }
}
