//! The queues of the channels at which messages meet.

/// The channels with queues: those that somebody waits for, and those that will be busy when the next
/// message arrives.
///
/// A queue is a list of processes, whose messages wait; the links between them are kept with the processes.
#[derive(Debug)]
pub(super) struct ContendedChannels {
    places: Vec<u32>, // for each channel 1 + the place of its queue, 0 while it has none
    queues: Vec<Queue>,
    vacant: Vec<u32>, // places of queues that no channel has
}

/// The queue of one channel.
#[derive(Debug, Clone, Copy)]
pub(super) struct Queue {
    /// The channel's direction.
    pub(super) direction: u32,
    /// The node that transmits.
    pub(super) node: u32,
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
        Self { places: vec![0; channels], queues: vec![], vacant: vec![] }
    }

    /// The place of a channel's queue, if it has one.
    #[inline]
    pub(super) fn place(&self, channel: usize) -> Option<u32> {
        self.places[channel].checked_sub(1)
    }

    /// The number of places there are, in use or not.
    pub(super) fn place_count(&self) -> usize {
        self.queues.len()
    }

    /// Gives a channel a queue and returns its place.
    pub(super) fn open(&mut self, channel: usize, direction: u32, node: u32) -> u32 {
        let queue = Queue { direction, node, length: 0, first: 0, last: 0, latest: (0, 0) };
        let place = if let Some(place) = self.vacant.pop() {
            self.queues[place as usize] = queue;
            place
        } else {
            self.queues.push(queue);
            u32::try_from(self.queues.len() - 1).unwrap_or(u32::MAX) // no more than channels, below 2^31
        };
        self.places[channel] = place + 1;
        place
    }

    /// Takes the queue of a channel away.
    pub(super) fn close(&mut self, channel: usize) {
        if let Some(place) = self.place(channel) {
            self.places[channel] = 0;
            self.vacant.push(place);
        }
    }

    #[inline]
    pub(super) fn queue(&mut self, place: u32) -> &mut Queue {
        &mut self.queues[place as usize]
    }
}

impl Queue {
    /// The messages that were left waiting when the cycle before `now` ended.
    pub(super) fn left_before(&self, now: u64) -> u32 {
        let (cycle, count) = self.latest;
        if cycle == now { self.length - count } else { self.length }
    }

    /// Counts a message that joined at `cycle`.
    pub(super) fn count(&mut self, cycle: u64) {
        self.length += 1;
        let (latest, count) = &mut self.latest;
        match cycle.cmp(latest) {
            std::cmp::Ordering::Less => {}
            std::cmp::Ordering::Equal => *count += 1,
            std::cmp::Ordering::Greater => self.latest = (cycle, 1),
        }
    }
}
