//! Channels with the queues of their inputs.
//!
//! Packets are in the order of the cycles in which they joined, then of their keys (`docs/model.md`
//! section 13.2). A channel serves its inputs in turn; with one input, that is first come first served.

use cubefold_topology::narrow;

use crate::{Cycle, Cycles, engine::MessageTable, slots::Slots, transport::Packet};

/// The state of all channels, by place.
#[derive(Debug)]
pub(super) struct ChannelTable {
    channels: Vec<Channel>,
    inputs: usize,     // of a channel
    queues: Vec<Ends>, // by channel and input
    queued: Slots<Queued>,
    grown: Vec<usize>,       // places whose queues may have become the longest in this cycle
    pub(super) longest: u32, // packets in the queues of one channel at the end of a cycle
}

#[derive(Debug, Clone, Copy)]
struct Channel {
    idle_from: Cycle,
    length: u32, // packets in its queues
    taken: u32,  // the input that it took from last
}

/// The first and last packet of a list in slots: 1 + the slot, 0 of an empty list.
#[derive(Debug, Clone, Copy, Default)]
struct Ends {
    first: u32,
    last: u32,
}

#[derive(Debug, Clone, Copy)]
struct Queued {
    packet: Packet,
    joined: Cycle,
    previous: u32, // as in [`Ends`]; of the first packet of a list without meaning
    next: u32,     // 0 after the last
}

impl ChannelTable {
    /// `channels` idle channels with `inputs` inputs each.
    pub(super) fn new(channels: usize, inputs: usize) -> Self {
        // Before the first input, the node itself, comes the last.
        let channel = Channel { idle_from: Cycle::START, length: 0, taken: narrow(inputs as u64 - 1) };
        Self {
            channels: vec![channel; channels],
            inputs,
            queues: vec![Ends::default(); channels * inputs],
            queued: Slots::default(),
            grown: vec![],
            longest: 0,
        }
    }

    /// All channels are idle again, without queues.
    pub(super) fn reset(&mut self) {
        let taken = narrow(self.inputs as u64 - 1);
        self.channels.fill(Channel { idle_from: Cycle::START, length: 0, taken });
        self.queues.fill(Ends::default());
        self.queued.clear();
        self.grown.clear();
        self.longest = 0;
    }

    /// Bytes for `channels` channels with `inputs` inputs each, and queues of `packets` packets in all.
    pub(super) fn bytes(channels: u64, inputs: u64, packets: u64) -> u64 {
        let input = inputs.saturating_mul(size_of::<Ends>() as u64);
        let channel = (size_of::<Channel>() as u64).saturating_add(input);
        let queued = (size_of::<Queued>() + size_of::<u32>()) as u64;
        channels.saturating_mul(channel).saturating_add(packets.saturating_mul(queued))
    }

    pub(super) fn idle_from(&self, place: usize) -> Cycle {
        self.channels[place].idle_from
    }

    /// Whether packets wait for a channel.
    pub(super) fn has_queue(&self, place: usize) -> bool {
        self.channels[place].length > 0
    }

    /// A packet joins a queue of a channel at `now`, the latest cycle so far; returns whether the
    /// channel had no queue.
    pub(super) fn join(
        &mut self,
        place: usize,
        packet: &Packet,
        now: Cycle,
        messages: &MessageTable,
    ) -> bool {
        let input = if self.inputs == 1 { 0 } else { packet.input as usize };
        self.queues[place * self.inputs + input].insert(*packet, now, &mut self.queued, messages);
        let length = &mut self.channels[place].length;
        *length += 1;
        if *length > self.longest {
            self.grown.push(place);
        }
        *length == 1
    }

    /// Takes the packet that is next for a channel, which it then occupies for as long as
    /// `occupancy` says from `now` on, with that time and the cycle at which it joined; `None` without a queue.
    pub(super) fn begin(
        &mut self,
        place: usize,
        now: Cycle,
        occupancy: impl Fn(&Packet) -> Cycles,
    ) -> Option<(Packet, Cycles, Cycle)> {
        let channel = &mut self.channels[place];
        let queues = &mut self.queues[place * self.inputs..(place + 1) * self.inputs];
        let after = channel.taken as usize + 1;
        let in_turn = (after..self.inputs).chain(0..after);
        let input = in_turn.into_iter().find(|&input| queues[input].first != 0)?;
        let Queued { packet, joined, .. } = queues[input].take_first(&mut self.queued)?;
        channel.taken = narrow(input as u64);
        channel.length -= 1;
        let occupancy = occupancy(&packet);
        channel.idle_from = now + occupancy;
        Some((packet, occupancy, joined))
    }

    /// Ends a cycle after the last packet has joined or been taken.
    pub(super) fn end_cycle(&mut self) {
        while let Some(place) = self.grown.pop() {
            self.longest = self.longest.max(self.channels[place].length);
        }
    }
}

impl Ends {
    /// Inserts a packet that joins at `now`, the latest cycle so far, into the list, from the end: it
    /// precedes only those that joined in the same cycle and have greater keys.
    fn insert(&mut self, packet: Packet, now: Cycle, queued: &mut Slots<Queued>, messages: &MessageTable) {
        let (mut previous, mut next) = (self.last, 0);
        while let Some(place) = previous.checked_sub(1) {
            let other = &queued[place];
            if other.joined != now || other.packet.key(messages) < packet.key(messages) {
                break;
            }
            next = previous;
            previous = if previous == self.first { 0 } else { other.previous };
        }
        let slot = 1 + queued.insert(|| Queued { packet, joined: now, previous, next });
        match previous.checked_sub(1) {
            Some(previous) => queued[previous].next = slot,
            None => self.first = slot,
        }
        match next.checked_sub(1) {
            Some(next) => queued[next].previous = slot,
            None => self.last = slot,
        }
    }

    /// Takes the first packet of the list; `None` if it is empty.
    #[inline]
    fn take_first(&mut self, queued: &mut Slots<Queued>) -> Option<Queued> {
        let slot = self.first.checked_sub(1)?;
        let first = queued[slot];
        self.first = first.next;
        if first.next == 0 {
            self.last = 0;
        }
        queued.remove(slot);
        Some(first)
    }
}
