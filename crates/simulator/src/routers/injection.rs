//! Terminals: the injection queues of processes, and their flits (`docs/model.md` section 26.2, phase 3).

use std::{collections::VecDeque, num::NonZeroU64};

use cubefold_topology::mix;

use super::{
    matching::bits_from,
    network::small,
    packet::{Flit, Packet, Progress, Route},
    settings::RouterSettings,
};
use crate::slots::Slots;

/// A message that sets out.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Departure {
    pub(crate) message: u32,
    /// The terminals at its ends.
    pub(crate) from: u32,
    pub(crate) to: u32,
    /// Its queue at its terminal: the number of its process among all.
    pub(crate) queue: u32,
    /// Its flits, at least 1.
    pub(crate) units: u64,
    /// Three numbers from which, with the seed, the random choices of its packets follow.
    pub(crate) draws: [u64; 3],
    /// The number of its first packet, which those draws are combined with.
    pub(crate) first_packet: u64,
}

/// A flit that a terminal sends.
#[derive(Debug, Clone, Copy)]
pub(super) struct Injected {
    pub(super) flit: Flit,
    pub(super) channel: u32,
    pub(super) entered: Option<u32>, // the message, if this is its first flit
}

#[derive(Debug)]
pub(crate) struct Terminals {
    channels: u32,
    packet_units: u64, // of all packets but the last of a message
    buffer_units: u32,
    needs_room: bool, // heads wait until a buffer has room for the packet
    seed: u64,
    all: Vec<Terminal>,
    credits: Vec<u16>,             // by terminal, then by channel of the router's port
    queues: Vec<Queue>,            // by process
    joined: Vec<u32>,              // queues that messages have joined in this cycle
    pub(crate) longest_queue: u64, // packets, after the injections of a cycle
}

#[derive(Debug, Clone, Default)]
struct Terminal {
    used: u64,         // channels, a bit each
    next_channel: u32, // after the one taken last
    last_queue: u32,   // that sent last; `u32::MAX` at the beginning
    queues: Vec<u32>,  // that are not empty, ascending
}

/// The injection queue of a process.
#[derive(Debug, Default)]
struct Queue {
    messages: VecDeque<Queued>,
    packets: u64,             // not sent yet, the present one included
    sending: Option<Sending>, // the packet whose head is sent
}

#[derive(Debug, Clone, Copy)]
struct Queued {
    message: u32,
    from: u32,
    to: u32,
    base: u64,   // of the keys of its packets
    number: u64, // of its next packet
    first: u64,  // of its first packet
    left: u64,   // units of the packets that are not begun
}

#[derive(Debug, Clone, Copy)]
struct Sending {
    packet: u32,
    channel: u32,
    left: u64, // flits
}

impl Terminals {
    pub(super) fn new(count: u32, settings: &RouterSettings, packet_units: Option<NonZeroU64>) -> Self {
        let (channels, buffer_units) = (settings.virtual_channels, settings.buffer_units);
        Self {
            channels,
            packet_units: packet_units.map_or(u64::MAX, NonZeroU64::get),
            buffer_units,
            needs_room: settings.flow_control.needs_room(),
            seed: settings.seed,
            all: vec![Terminal { last_queue: u32::MAX, ..Terminal::default() }; count as usize],
            credits: vec![small(buffer_units); count as usize * channels as usize],
            queues: vec![],
            joined: vec![],
            longest_queue: 0,
        }
    }

    /// Bytes for `terminals` terminals with `channels` channels each and `messages` messages in their queues.
    pub(super) fn bytes(terminals: u64, channels: u64, messages: u64) -> u64 {
        let of_terminal = (size_of::<Terminal>() + size_of::<Queue>() + 16) as u64 + 2 * channels;
        // Queues grow by doubling.
        let of_message = 2 * size_of::<Queued>() as u64;
        terminals.saturating_mul(of_terminal).saturating_add(messages.saturating_mul(of_message))
    }

    /// A credit for a channel of a terminal's router.
    #[inline]
    pub(super) fn add_credit(&mut self, terminal: u32, channel: u32) {
        self.credits[(terminal * self.channels + channel) as usize] += 1;
    }

    /// Whether a terminal has anything to send.
    #[inline]
    pub(super) fn has_queue(&self, terminal: u32) -> bool {
        !self.all[terminal as usize].queues.is_empty()
    }

    #[inline]
    pub(super) fn is_queue_empty(&self, queue: u32) -> bool {
        self.queues.get(queue as usize).is_none_or(|queue| queue.messages.is_empty())
    }

    /// Whether no terminal has anything to send.
    #[cfg(test)]
    pub(super) fn are_empty(&self) -> bool {
        self.all.iter().all(|one| one.queues.is_empty())
    }

    /// A message joins the queue of its process.
    pub(super) fn join(&mut self, departure: &Departure) {
        let &Departure { message, from, to, queue, units, draws, first_packet } = departure;
        let base = draws.into_iter().fold(mix(self.seed), |key, number| mix(key ^ number));
        let place = queue as usize;
        if self.queues.len() <= place {
            self.queues.resize_with(place + 1, Queue::default);
        }
        let entries = &mut self.queues[place];
        if entries.messages.is_empty() {
            let queues = &mut self.all[from as usize].queues;
            queues.insert(queues.partition_point(|&other| other < queue), queue);
        }
        entries.messages.push_back(Queued {
            message,
            from,
            to,
            base,
            number: first_packet,
            first: first_packet,
            left: units,
        });
        entries.packets += units.div_ceil(self.packet_units);
        self.joined.push(queue);
    }

    /// The injections of a cycle are over: the lengths of queues count.
    pub(super) fn end_cycle(&mut self) {
        for queue in self.joined.drain(..) {
            self.longest_queue = self.longest_queue.max(self.queues[queue as usize].packets);
        }
    }

    /// A terminal sends a flit, if it can.
    pub(super) fn send(&mut self, terminal: u32, packets: &mut Slots<Packet>) -> Option<Injected> {
        let sender = &self.all[terminal as usize];
        let after = sender.queues.partition_point(|&queue| queue <= sender.last_queue);
        let first = if sender.last_queue == u32::MAX { 0 } else { after };
        let mut order = (first..sender.queues.len()).chain(0..first);
        let (place, channel) =
            order.find_map(|place| Some((place, self.channel_for(terminal, sender.queues[place])?)))?;
        Some(self.send_from(terminal, place, channel, packets))
    }

    /// The channel in which the first packet of a queue can send its next flit.
    fn channel_for(&self, terminal: u32, queue: u32) -> Option<u32> {
        let queue = &self.queues[queue as usize];
        let credits = |channel: u32| u64::from(self.credits[(terminal * self.channels + channel) as usize]);
        if let Some(sending) = queue.sending {
            return (credits(sending.channel) > 0).then_some(sending.channel);
        }
        let needed = if self.needs_room { queue.messages.front()?.left.min(self.packet_units) } else { 1 };
        let sender = &self.all[terminal as usize];
        let free = !sender.used & all_channels(self.channels);
        bits_from(free, sender.next_channel).find(|&channel| credits(channel) >= needed)
    }

    /// The first packet of a queue of a terminal sends its next flit.
    fn send_from(
        &mut self,
        terminal: u32,
        place: usize,
        channel: u32,
        packets: &mut Slots<Packet>,
    ) -> Injected {
        let (packet_units, buffer_units) = (self.packet_units, u64::from(self.buffer_units));
        let sender = &mut self.all[terminal as usize];
        let number = sender.queues[place];
        let queue = &mut self.queues[number as usize];
        let mut entered = None;
        let is_head = queue.sending.is_none();
        if is_head && let Some(message) = queue.messages.front_mut() {
            let flits = message.left.min(packet_units);
            message.left -= flits;
            entered = (message.number == message.first).then_some(message.message);
            let packet = packets.insert(|| Packet {
                message: message.message,
                from: message.from,
                to: message.to,
                key: mix(message.base ^ message.number),
                room: u32::try_from(flits.min(buffer_units)).unwrap_or(u32::MAX),
                progress: Progress::BEGIN,
                route: Route::over(0, 0),
            });
            message.number += 1;
            queue.sending = Some(Sending { packet, channel, left: flits });
            sender.used |= 1 << channel;
            sender.next_channel = (channel + 1) % self.channels;
        }
        sender.last_queue = number;
        self.credits[(terminal * self.channels + channel) as usize] -= 1;
        let (packet, is_tail) = queue.sending.as_mut().map_or((0, true), |sending| {
            sending.left -= 1;
            (sending.packet, sending.left == 0)
        });
        if is_tail {
            sender.used &= !(1 << channel);
            queue.sending = None;
            queue.packets -= 1;
            queue.messages.pop_front_if(|message| message.left == 0);
            if queue.messages.is_empty() {
                sender.queues.remove(place);
            }
        }
        Injected { flit: Flit::new(packet, is_head, is_tail), channel, entered }
    }

    /// Forgets all messages, as at cycle 0.
    pub(super) fn reset(&mut self) {
        self.credits.fill(small(self.buffer_units));
        for terminal in &mut self.all {
            terminal.queues.clear();
            (terminal.used, terminal.next_channel, terminal.last_queue) = (0, 0, u32::MAX);
        }
        self.queues.clear();
        self.joined.clear();
        self.longest_queue = 0;
    }
}

pub(super) fn all_channels(channels: u32) -> u64 {
    u64::MAX >> (64 - channels)
}
