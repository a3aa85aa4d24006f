//! Channels, or under half-duplex links, that serve packets first come first served.
//!
//! Packets that join a queue later depart later. So the cycle at which a packet departs is known as
//! soon as it joins: it is when those before it have been transmitted (Lindley 1952). A crossing is one event: the
//! packet joins a queue, and from its departure follows when it joins the next.
//!
//! Only packets that join one queue in the same cycle are ordered by their keys (`docs/model.md`
//! section 13.2). The first to join in a cycle departs as if it were the only one; when a second
//! joins, the event of the first is revoked, and all of them are ordered at the end of the cycle. So are packets that another
//! packet of their message follows at the source: if such a packet departs at once, the next joins in the same cycle.

use std::hint::black_box;

use cubefold_topology::{LinkMode, Machine, narrow};

use super::{
    Event,
    message_table::{MessageTable, PacketKey},
    packet::{Crossing, Packet},
};
use crate::{
    Communication, Cycle, Cycles,
    time_wheel::{EventPlace, TimeWheel},
};

/// The channels or links of a machine.
#[derive(Debug)]
pub(super) struct FirstComeNetwork {
    crossing: Crossing,
    per_link: bool, // whether links are occupied, not channels
    resources: Vec<Resource>,
    joiners: Vec<Joiner>, // that are ordered at the end of this cycle
    longest: LongestQueue,
}

/// A channel or a link, in half a cache line.
#[derive(Debug, Clone, Copy)]
#[repr(align(32))]
struct Resource {
    idle_from: Cycle,          // when all packets that have joined have been transmitted
    last_joined: Cycle,        // the latest cycle in which a packet joined; before the first `NEVER`
    start: Cycle,              // of the transmission of the only packet that has joined in that cycle
    event: Option<EventPlace>, // that ends its crossing; none when several packets have joined
}

/// Later than every cycle of a run.
const NEVER: Cycle = Cycle::new(u64::MAX);

/// A packet that is ordered at the end of the cycle.
#[derive(Debug)]
struct Joiner {
    place: usize,
    key: PacketKey,
    packet: Packet,
}

fn key(packet: &Packet, messages: &MessageTable) -> PacketKey {
    messages.packet_key(packet.message(), packet.number())
}

impl FirstComeNetwork {
    /// How packets cross its channels.
    #[inline]
    pub(super) fn crossing(&self) -> &Crossing {
        &self.crossing
    }

    /// The idle channels or links of a machine, for packets all of which have `uniform` units, or of any sizes.
    pub(super) fn new(machine: &Machine, communication: Communication, uniform: Option<u64>) -> Self {
        let crossing = Crossing::new(machine, communication);
        let per_link = communication.links() == LinkMode::HalfDuplex;
        let channels = crossing.channels.channel_places();
        let resource =
            Resource { idle_from: Cycle::START, last_joined: NEVER, start: Cycle::START, event: None };
        Self {
            per_link,
            resources: vec![resource; if per_link { crossing.channels.link_places() } else { channels }],
            joiners: vec![],
            longest: match uniform.filter(|_| !per_link) {
                Some(units) => {
                    LongestQueue::OfOneSize { occupancy: communication.hop() * units, span: Cycles::ZERO }
                }
                None => LongestQueue::OfAnySizes(QueueLengths::new(channels)),
            },
            crossing,
        }
    }

    /// Bytes for so many channels, and so many packets under way.
    pub(super) fn bytes(channels: u64, packets: u64) -> u64 {
        let channel = (size_of::<Resource>() + size_of::<Queue>()) as u64;
        let packet = (size_of::<Departure>() + size_of::<Joiner>()) as u64;
        channels.saturating_mul(channel).saturating_add(packets.saturating_mul(packet))
    }

    /// The most packets left in one channel's queue at the end of any cycle so far.
    pub(super) fn longest_queue(&self) -> u32 {
        match &self.longest {
            LongestQueue::OfOneSize { occupancy, span } => narrow(span.get().div_ceil(occupancy.get())),
            LongestQueue::OfAnySizes(queues) => queues.longest,
        }
    }

    #[inline]
    fn place(&self, packet: &Packet) -> usize {
        let channels = &self.crossing.channels;
        if self.per_link { channels.link(packet.transit()) } else { channels.channel(packet.transit()) }
    }

    /// Reads what [`join`](Self::join) needs, so that the cache misses of several packets overlap.
    /// Nothing but speed depends on it.
    #[inline]
    pub(super) fn fetch(&self, packet: &Packet) {
        black_box(self.resources[self.place(packet)].idle_from);
    }

    /// A packet needs the next channel of its leg from `now` on.
    #[inline]
    pub(super) fn join(
        &mut self,
        packet: &Packet,
        now: Cycle,
        messages: &MessageTable,
        events: &mut TimeWheel<Event>,
    ) {
        let place = self.place(packet);
        let resource = &mut self.resources[place];
        if resource.last_joined == now || packet.following(messages).is_some() {
            self.join_later(place, packet, now, messages, events);
            return;
        }
        let start = resource.idle_from.max(now);
        let occupancy = Crossing::occupancy(packet, messages);
        let (event, cycle) = self.crossing.depart(packet, start, occupancy);
        resource.idle_from = start + occupancy;
        resource.last_joined = now;
        resource.start = start;
        resource.event = Some(events.add(event, cycle.get()));
        if start > now {
            let channel =
                if self.per_link { self.crossing.channels.channel(packet.transit()) } else { place };
            self.longest.join(channel, start, now);
        }
    }

    /// A packet is ordered at the end of the cycle, and with it another that has joined before in
    /// the same cycle.
    #[inline(never)]
    fn join_later(
        &mut self,
        place: usize,
        packet: &Packet,
        now: Cycle,
        messages: &MessageTable,
        events: &mut TimeWheel<Event>,
    ) {
        let resource = &mut self.resources[place];
        let revoked = resource.event.take().filter(|_| resource.last_joined == now);
        resource.last_joined = now;
        if let Some(Event::Crossed(packet) | Event::Receipt(packet)) =
            revoked.map(|event| events.replace(event, Event::Revoked))
        {
            // As before, so far as it matters from this cycle on.
            resource.idle_from = resource.start;
            if resource.start > now {
                self.longest.revoke(self.crossing.channels.channel(packet.transit()));
            }
            self.joiners.push(Joiner { place, key: key(&packet, messages), packet });
        }
        self.joiners.push(Joiner { place, key: key(packet, messages), packet: *packet });
    }

    /// Ends a cycle: the packets that joined one queue in it depart in the order of their keys.
    #[inline]
    pub(super) fn end_cycle(&mut self, now: Cycle, messages: &MessageTable, events: &mut TimeWheel<Event>) {
        if !self.joiners.is_empty() {
            self.order_joiners(now, messages, events);
        }
    }

    fn order_joiners(&mut self, now: Cycle, messages: &MessageTable, events: &mut TimeWheel<Event>) {
        let mut joiners = std::mem::take(&mut self.joiners);
        joiners.sort_unstable_by_key(|joiner| (joiner.place, joiner.key));
        for of_place in joiners.chunk_by(|one, other| one.place == other.place) {
            // At most the first departs in this cycle, and another packet of its message may follow.
            let mut following: Option<Packet> = None;
            for Joiner { place, key: own, packet } in of_place {
                if let Some(next) = following.take_if(|next| key(next, messages) < *own) {
                    self.depart_in_order(*place, &next, now, messages, events);
                }
                following = self.depart_in_order(*place, packet, now, messages, events).or(following);
            }
            if let Some(next) = following {
                self.depart_in_order(of_place[0].place, &next, now, messages, events);
            }
        }
        joiners.clear();
        self.joiners = joiners;
    }

    /// A packet departs behind all that are in the queue. Returns the packet that joins the queue in
    /// this cycle since this one departs in it.
    fn depart_in_order(
        &mut self,
        place: usize,
        packet: &Packet,
        now: Cycle,
        messages: &MessageTable,
        events: &mut TimeWheel<Event>,
    ) -> Option<Packet> {
        let resource = &mut self.resources[place];
        let start = resource.idle_from.max(now);
        let occupancy = Crossing::occupancy(packet, messages);
        resource.idle_from = start + occupancy;
        let (event, cycle) = self.crossing.depart(packet, start, occupancy);
        events.add(event, cycle.get());
        if start > now {
            self.longest.join(self.crossing.channels.channel(packet.transit()), start, now);
        }
        let next = packet.following(messages)?;
        if start == now {
            return Some(next);
        }
        events.add(Event::Arrival(next), start.get());
        None
    }
}

/// The longest queue of a channel so far.
///
/// A packet that is revoked joins again at the end of the cycle, and others with it: what was measured with it was no
/// more than what is measured then.
#[derive(Debug)]
enum LongestQueue {
    /// Of packets that all occupy a channel equally long: they depart so far apart, and the length follows from how
    /// long the last one waits. `span` is the longest wait so far.
    OfOneSize {
        occupancy: Cycles,
        span: Cycles,
    },
    OfAnySizes(QueueLengths),
}

impl LongestQueue {
    /// A packet that departs at `start`, later than `now` and than all in the queue, joins it at `now`.
    #[inline]
    fn join(&mut self, channel: usize, start: Cycle, now: Cycle) {
        match self {
            Self::OfOneSize { span, .. } => *span = (*span).max(start - now),
            Self::OfAnySizes(queues) => queues.join(channel, start, now),
        }
    }

    /// The packet that has joined a queue last joins again later in the cycle.
    fn revoke(&mut self, channel: usize) {
        if let Self::OfAnySizes(queues) = self {
            queues.revoke(channel);
        }
    }
}

/// The number of packets that wait for each channel.
#[derive(Debug)]
struct QueueLengths {
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
